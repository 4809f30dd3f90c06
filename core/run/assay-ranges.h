/* assay-ranges.h
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include "nnir/assay-graph.h"
#include "settings/assay-settings.h"

G_BEGIN_DECLS

/**
 * AssayRange:
 * @name: of the value
 * @is_weight: whether it is a constant of the model
 * @min: the least number, infinities apart
 * @max: the greatest number, infinities apart
 * @least: the number nearest to zero that is not zero; 0 if there is none
 * @n: how many finite elements, over all timesteps
 * @n_overflow: elements that bf16 makes infinite, or the largest number of fp8
 * @n_vanish: elements that are not zero and that the format makes zero
 *
 * Where the elements of a value lie, and which of them the format of the machine does not hold.
 */
typedef struct
{
  const char *name;
  gboolean is_weight;
  double min;
  double max;
  double least;
  gsize n;
  gsize n_overflow;
  gsize n_vanish;
} AssayRange;

/**
 * AssayRanges:
 *
 * The ranges of the weights and activations of a graph.
 */
typedef struct _AssayRanges AssayRanges;

AssayRanges *assay_ranges_new (AssayGraph *graph,
                               const AssaySettings *settings) G_GNUC_WARN_UNUSED_RESULT;
void assay_ranges_free (AssayRanges *self);
gboolean assay_ranges_observe (AssayValueId value, gint64 step, AssayTensor *tensor,
                               gpointer ranges, GError **error);
guint assay_ranges_get_n (AssayRanges *self);
const AssayRange *assay_ranges_get (AssayRanges *self, guint index);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (AssayRanges, assay_ranges_free)

G_END_DECLS
