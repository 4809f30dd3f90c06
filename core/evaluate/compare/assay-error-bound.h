/* assay-error-bound.h
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include "base/assay-tensor.h"
#include "nnir/assay-graph.h"

G_BEGIN_DECLS

/**
 * AssayMagnitude:
 * @n: finite elements
 * @sum: of the elements
 * @energy: of their squares
 * @peak: the largest without its sign
 * @least: the smallest without its sign
 *
 * How large the elements of a value are.
 */
typedef struct
{
  gsize n;
  double sum;
  double energy;
  double peak;
  double least;
} AssayMagnitude;

/**
 * AssayErrorBound:
 * @length: how many terms are added up for one element
 * @scale: size of what is added up, terms of either sign: the error of an element counts in units
 * in the last place of this where it is larger than the result
 * @condition: how much larger than the relative error of its operands that of an element is
 *
 * How far rounding may lead the result of a node from the exact one. A sum that cancels is small
 * beside its terms, whose errors remain.
 */
typedef struct
{
  gsize length;
  double scale;
  double condition;
} AssayErrorBound;

gboolean assay_magnitude_add (AssayMagnitude *self, AssayTensor *tensor, GError **error);
void assay_magnitude_join (AssayMagnitude *self, const AssayMagnitude *more);
double assay_magnitude_rms (const AssayMagnitude *self);
gboolean assay_error_bound_takes_weights (AssayOp op);
gsize assay_error_bound_length (const AssayGraph *graph, const AssayNode *node);
AssayErrorBound assay_error_bound_of_node (const AssayGraph *graph, const AssayNode *node,
                                           const AssayMagnitude *operands, guint n_operands);

G_END_DECLS
