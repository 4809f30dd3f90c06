/* assay-reduce.h
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include "reduce/assay-symptom.h"

G_BEGIN_DECLS

/**
 * AssayReduction:
 * @seen: what the model shows, as assay_symptom_observe() says it
 * @work: the smallest model that was found
 * @inputs: (element-type utf8 AssayTensor): values of its inputs; empty where nothing runs
 * @n_nodes: how many nodes its main graph has
 * @n_nodes_before: how many nodes that of the model had
 * @n_tries: how many models were looked at
 * @is_least: whether no node can be left out any more; %FALSE where the tries were used up
 *
 * What is left of a model.
 */
typedef struct
{
  char *seen;
  AssayWork *work;
  GHashTable *inputs;
  guint n_nodes;
  guint n_nodes_before;
  guint n_tries;
  gboolean is_least;
} AssayReduction;

AssayReduction *assay_reduce (AssayWork *work, const AssaySymptom *symptom, GHashTable *inputs,
                              guint max_tries, const AssayProgress *progress,
                              GError **error) G_GNUC_WARN_UNUSED_RESULT;
void assay_reduction_free (AssayReduction *self);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (AssayReduction, assay_reduction_free)

G_END_DECLS
