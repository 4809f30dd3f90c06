/* assay-error-span.h
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include "evaluate/compare/assay-compare.h"
#include "evaluate/compare/assay-error-bound.h"

G_BEGIN_DECLS

/**
 * AssayErrorRounding:
 * @store: greatest relative error of a value that is stored
 * @input: the same of an input of the model
 * @weight: the same of a constant that is multiplied with
 * @weight_tiny: greatest absolute error of such a constant
 * @weight_peak: the largest such constant there is
 * @step: greatest relative error of a step of a sum, and of other arithmetic between two values
 * @peak: the largest number there is
 * @is_device: whether it approximates means and slopes as the devices of 8 bits do
 * @is_float: whether integers are rounded as floats are
 * @is_shader: whether it is a shader, whose functions are as exact as the Vulkan specification asks
 * @shares_steps: whether the other side counts the step that a number between two of them may go
 * to: both go to the same steps, so that it is one step for the two
 * @is_scaled: whether an error that is relative counts at the size of the tensor
 * @tiny: what is below it may be zero
 *
 * How one side rounds.
 */
typedef struct
{
  double store;
  double input;
  double weight;
  double weight_tiny;
  double weight_peak;
  double step;
  double peak;
  gboolean is_device;
  gboolean is_float;
  gboolean is_shader;
  gboolean shares_steps;
  gboolean is_scaled;
  double tiny;
} AssayErrorRounding;

/**
 * AssayErrorSpan:
 * @peak: the largest element without its sign
 * @rms: root mean square of the elements
 * @least: the smallest element without its sign
 * @worst: certified: no element is farther from the exact one, whatever order sums have; infinite
 * where there is no bound
 * @likely: expected root mean square of the errors, if roundings are independent
 *
 * How large a value is, and how far rounding may have led it.
 */
typedef struct
{
  double peak;
  double rms;
  double least;
  double worst;
  double likely;
} AssayErrorSpan;

AssayErrorRounding assay_error_rounding_of (AssayComparePrecision precision,
                                            gboolean narrow_weights, gboolean truncate);
AssayErrorRounding assay_error_rounding_of_shaders (AssayComparePrecision precision);
AssayErrorRounding assay_error_rounding_of_functions (void);
const char *assay_error_shader_precision (const char *op_type);
AssayErrorSpan assay_error_span_of_magnitude (const AssayMagnitude *magnitude);
void assay_error_span_store (AssayErrorSpan *self, double rounding);
void assay_error_span_keep_weight (AssayErrorSpan *self, const AssayErrorRounding *rounding);
double assay_error_span_expected (const AssayErrorSpan *self, gsize n);
AssayErrorSpan assay_error_span_of_node (const AssayGraph *graph, const AssayNode *node,
                                         guint output, const AssayErrorSpan *operands,
                                         const AssayMagnitude *seen,
                                         const AssayErrorRounding *rounding, gsize n_steps);

G_END_DECLS
