/* assay-error-span.c
 * SPDX-License-Identifier: Apache-2.0
 *
 * How far rounding may lead the result of a node: at worst, and as is to be expected. Both come
 * from one rule per operation. The worst takes the largest elements and adds errors up; the
 * expected takes sizes in the mean and adds squares up, because roundings are independent. So the
 * second is never above the first.
 */
#include "evaluate/compare/assay-error-span.h"

#include <float.h>
#include <math.h>

#include "evaluate/compare/assay-error-rules-private.h"

static const struct
{
  void (*func) (AssayReckoning *self);
  double steepest;
} rules[ASSAY_N_OPS] = {
#define TERMS(op, kind, rule) [ASSAY_OP_##op] = { .func = assay_error_rule_##rule },
#define SLOPE(op, kind, steepest) [ASSAY_OP_##op] = { assay_error_rule_slope, steepest },
#include "evaluate/compare/error-terms.def"
#undef TERMS
};

/* What a shader may be off: a row of shader-precision.def. */
static const struct
{
  double relative;
  double relative_by;
  double absolute;
  double absolute_by;
  double cap;
  double reach;
  const char *words;
} shaders[ASSAY_N_OPS] = {
#define SHADER_PRECISION(op, ...) [ASSAY_OP_##op] = { __VA_ARGS__ },
#include "evaluate/compare/shader-precision.def"
#undef SHADER_PRECISION
};

/* Greatest relative error of rounding to a fraction of so many bits. */
static double
unit_of (guint bits)
{
  return ldexp (1.0, -(int) bits - 1);
}

/**
 * assay_error_rounding_of:
 * @precision: what a side computes in
 * @narrow_weights: whether it keeps weights in fp8
 * @truncate: whether it cuts inputs off instead of rounding them
 *
 * Gets how a side rounds: docs/numerics.md has where the machine does. What computes in double
 * stores numbers of the model, so that it is taken as what computes in fp32.
 *
 * Returns: the rounding
 */
AssayErrorRounding
assay_error_rounding_of (AssayComparePrecision precision, gboolean narrow_weights,
                         gboolean truncate)
{
  double unit = unit_of (assay_compare_precision_bits (
      precision == ASSAY_COMPARE_INT8 ? ASSAY_COMPARE_FP32 : precision));
  AssayErrorRounding self = {
    .store = unit,
    .input = truncate ? 2 * unit : unit,
    .weight = unit,
    .weight_peak = INFINITY,
    .step = precision == ASSAY_COMPARE_FP16 ? unit : unit_of (23),
    .peak = assay_compare_precision_largest (precision),
    .is_device = precision == ASSAY_COMPARE_INT8,
    .is_float = precision == ASSAY_COMPARE_BF16,
  };

  if (narrow_weights)
    {
      self.weight = unit_of (assay_compare_precision_bits (ASSAY_COMPARE_FP8)) + unit;
      self.weight_tiny = ldexp (1.0, -10);
      self.weight_peak = assay_compare_precision_largest (ASSAY_COMPARE_FP8);
    }

  return self;
}

/**
 * assay_error_rounding_of_shaders:
 * @precision: what floats are held in on the device, f16 where it was asked for halves
 *
 * Gets how shaders round, which compute in f32: a correctly rounded result is either neighbour, and
 * what is smaller than a normal number may be zero (Vulkan specification, "Precision and Operation
 * of SPIR-V Instructions").
 *
 * Returns: the rounding
 */
AssayErrorRounding
assay_error_rounding_of_shaders (AssayComparePrecision precision)
{
  gboolean half = precision == ASSAY_COMPARE_FP16;
  AssayErrorRounding self = assay_error_rounding_of (half ? precision : ASSAY_COMPARE_FP32, FALSE,
                                                     FALSE);

  self.is_shader = TRUE;
  self.step = 2 * unit_of (23);
  self.store *= 2;
  self.tiny = half ? ldexp (1.0, -14) : FLT_MIN;

  return self;
}

/**
 * assay_error_rounding_of_functions:
 *
 * Gets a rounding that has the functions of shaders alone: everything else is exact, and errors of
 * elements that are larger than their tensor on the whole are as they count in a comparison.
 *
 * Returns: the rounding
 */
AssayErrorRounding
assay_error_rounding_of_functions (void)
{
  return (AssayErrorRounding){
    .weight_peak = INFINITY, .peak = INFINITY, .is_shader = TRUE, .is_scaled = TRUE
  };
}

/**
 * assay_error_shader_precision:
 * @op_type: name of an operation
 *
 * Tells what the Vulkan specification allows the functions of its shader.
 *
 * Returns: (nullable): in a few words, %NULL if it has none
 */
const char *
assay_error_shader_precision (const char *op_type)
{
  for (AssayOp op = 0; op < ASSAY_N_OPS; op++)
    if (shaders[op].words != NULL && g_str_equal (assay_op_name (op), op_type))
      return shaders[op].words;

  return NULL;
}

double
reckon_function_of (const AssayReckoning *self, double x, double result, double otherwise)
{
  AssayOp op = self->node->op;
  double capped = MIN (x, shaders[op].cap), units;

  if (!self->rounding->is_shader || shaders[op].words == NULL)
    return otherwise;
  if (!(x <= shaders[op].reach))
    return INFINITY;
  /* What is larger than the tensor on the whole counts in units of its own. */
  if (self->rounding->is_scaled && self->seen != NULL)
    result = MIN (result, 2 * assay_magnitude_rms (self->seen));
  units = (shaders[op].relative + shaders[op].relative_by * capped) * result +
          shaders[op].absolute + shaders[op].absolute_by * capped;

  return units * FLT_EPSILON / (self->likely ? sqrt (3) : 1);
}

/**
 * assay_error_span_of_magnitude:
 * @magnitude: how large a value is
 *
 * Gets the span of a value that is as it was seen.
 *
 * Returns: the span, without an error
 */
AssayErrorSpan
assay_error_span_of_magnitude (const AssayMagnitude *magnitude)
{
  return (AssayErrorSpan){ .peak = magnitude->peak,
                           .rms = assay_magnitude_rms (magnitude),
                           .least = magnitude->least };
}

/**
 * assay_error_span_store:
 * @self: a span
 * @rounding: greatest relative error
 *
 * Rounds a value once more.
 */
void
assay_error_span_store (AssayErrorSpan *self, double rounding)
{
  self->worst += rounding * (self->peak + self->worst);
  self->likely = hypot (self->likely, rounding * (self->rms + self->likely) / sqrt (3));
}

/**
 * assay_error_span_keep_weight:
 * @self: a span
 * @rounding: how the side rounds
 *
 * Rounds a constant as weights are: fp8 has no larger number than its largest.
 */
void
assay_error_span_keep_weight (AssayErrorSpan *self, const AssayErrorRounding *rounding)
{
  assay_error_span_store (self, rounding->weight);
  self->worst += rounding->weight_tiny + MAX (self->peak - rounding->weight_peak, 0);
  self->likely += rounding->weight_tiny / 2 + MAX (self->peak - rounding->weight_peak, 0);
}

/**
 * assay_error_span_expected:
 * @self: a span
 * @n: how many elements there are
 *
 * Gets the largest error that is to be expected among as many.
 *
 * Returns: an error, never above the certified one
 */
double
assay_error_span_expected (const AssayErrorSpan *self, gsize n)
{
  return MIN (self->worst, self->likely * MAX (sqrt (2 * log ((double) MAX (n, 1))), 1));
}

/* One of the two norms; @size is what was seen, if anything was. */
static double
reckon (AssayReckoning *self, const AssayErrorSpan *operands, gboolean likely, double *size)
{
  double known = self->seen != NULL ? likely ? assay_magnitude_rms (self->seen) : self->seen->peak
                                    : 0;

  self->likely = likely;
  self->n_in = MIN (self->node->n_inputs, G_N_ELEMENTS (self->in));
  for (guint i = 0; i < self->n_in; i++)
    self->in[i] = (AssayErrorTerm){ .size = likely ? operands[i].rms : operands[i].peak,
                                    .least = operands[i].least,
                                    .error = likely ? operands[i].likely : operands[i].worst,
                                    .peak = operands[i].peak };
  self->size = known;
  self->error = 0;
  rules[self->node->op].func (self);
  *size = self->seen != NULL ? known : self->size;

  return self->error >= 0 ? self->error : INFINITY; /* not a number: two infinities met */
}

/**
 * assay_error_span_of_node:
 * @graph: a graph
 * @node: one of its nodes
 * @output: which of its outputs
 * @operands: (array): spans of its inputs, of none where one is left out
 * @seen: (nullable): how large the result was, %NULL if nobody saw it
 * @rounding: how the side rounds
 * @n_steps: timesteps of a sequence
 *
 * Reckons how far rounding may lead the result of a node, stored, from the exact one.
 *
 * Returns: the span
 */
AssayErrorSpan
assay_error_span_of_node (const AssayGraph *graph, const AssayNode *node, guint output,
                          const AssayErrorSpan *operands, const AssayMagnitude *seen,
                          const AssayErrorRounding *rounding, gsize n_steps)
{
  const AssayType *type = assay_graph_value (graph, node->outputs[output])->type;
  AssayErrorRounding fit = *rounding;
  AssayReckoning self = { .graph = graph,
                          .node = node,
                          .rounding = &fit,
                          .output = output,
                          .n_steps = n_steps,
                          .seen = seen != NULL && seen->n > 0 ? seen : NULL };
  AssayErrorSpan span = { 0 };
  gboolean is_float = type->kind != ASSAY_TYPE_KIND_TENSOR || assay_dtype_is_float (type->dtype);

  if (rules[node->op].func == NULL)
    return (AssayErrorSpan){ .worst = INFINITY, .likely = INFINITY };

  /* Who adds up in a narrow type of the model does so in its steps. */
  if (is_float && type->kind == ASSAY_TYPE_KIND_TENSOR)
    {
      double own = unit_of (assay_dtype_fraction_bits (type->dtype));

      fit.peak = MIN (fit.peak, assay_compare_precision_largest (
                                    assay_compare_precision_of (ASSAY_COMPARE_FP32, type->dtype)));
      if (rounding->is_shader && type->dtype == ASSAY_DTYPE_F16)
        fit.tiny = rounding->tiny > 0 ? ldexp (1.0, -14) : 0;
      if (rounding->is_shader)
        own = rounding->store > 0 ? 2 * own : 0;
      fit.store = MAX (fit.store, own);
      fit.step = rounding->is_float || rounding->is_shader ? fit.step : MAX (fit.step, own);
    }
  self.steepest = rules[node->op].steepest;
  self.length = assay_error_bound_length (graph, node);
  span.worst = reckon (&self, operands, FALSE, &span.peak);
  span.likely = MIN (reckon (&self, operands, TRUE, &span.rms), span.worst);
  span.least = self.seen != NULL ? seen->least : 0;
  if (is_float || (rounding->is_float && span.worst > 0))
    {
      assay_error_span_store (&span, fit.store);
      span.worst += fit.tiny;
    }
  if (!(span.peak + span.worst < fit.peak))
    span.worst = INFINITY;

  return span;
}
