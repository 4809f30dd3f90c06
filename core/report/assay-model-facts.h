/* assay-model-facts.h
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include "nnir/assay-graph.h"

G_BEGIN_DECLS

/**
 * AssayOpCount:
 * @op_type: operator type
 * @domain: its domain, "" for the default one
 * @count: number of nodes
 *
 * How often an operator is used.
 */
typedef struct
{
  const char *op_type;
  const char *domain;
  guint count;
} AssayOpCount;

/**
 * AssayModelFacts:
 * @n_nodes: nodes of all graphs
 * @n_regions: graphs: the main one and the bodies of control flow
 * @n_parameters: elements of all constants with more than one element
 * @parameter_bytes: their bytes
 * @macs: multiply-accumulate operations of one run; bodies of control flow count once
 * @n_macs_unknown: nodes that multiply, and whose shapes are not known, so that @macs is too low
 * @ops: (element-type AssayOpCount): operators, the most frequent first
 *
 * What a model is made of.
 */
typedef struct
{
  guint n_nodes;
  guint n_regions;
  guint64 n_parameters;
  guint64 parameter_bytes;
  guint64 macs;
  guint n_macs_unknown;
  GArray *ops;
} AssayModelFacts;

void assay_model_facts_init (AssayModelFacts *self, const AssayGraph *graph);
void assay_model_facts_clear (AssayModelFacts *self);

G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (AssayModelFacts, assay_model_facts_clear)

G_END_DECLS
