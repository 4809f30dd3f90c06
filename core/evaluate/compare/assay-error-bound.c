/* assay-error-bound.c
 * SPDX-License-Identifier: Apache-2.0
 *
 * The place where the size of rounding errors is reckoned: from the length of a sum and the
 * magnitudes of its operands, as they were. Errors of terms are independent, so that those of n
 * terms add up to the square root of n of one; what leans to one side makes the result as large.
 */
#include "evaluate/compare/assay-error-bound.h"

#include <assert.h>
#include <math.h>

#include "base/assay-tensor-read.h"
#include "nnir/assay-dims.h"

/* Elements converted at a time. */
#define CHUNK 1024

typedef enum
{
  TERMS_NONE,
  TERMS_PRODUCT,
  TERMS_SUM,
  TERMS_TOTAL,
  TERMS_MEAN,
  TERMS_DIFFERENCE,
  TERMS_CHANNEL,
  TERMS_STATE,
  TERMS_GROWTH,
  TERMS_POWER,
  TERMS_LOGARITHM,
  TERMS_WAVE,
  TERMS_RUNNING,
  TERMS_SPECTRUM,
  TERMS_BLEND,
  TERMS_RESULT,
  TERMS_EXACT,
} Terms;

static const guint8 terms_of[ASSAY_N_OPS] = {
#define TERMS(op, kind, rule) [ASSAY_OP_##op] = TERMS_##kind,
#include "evaluate/compare/error-terms.def"
#undef TERMS
};

/* No operator without a row of its own. */
#define TERMS(op, kind, rule) +1
static_assert (0
#include "evaluate/compare/error-terms.def"
                   == ASSAY_N_OPS - 1,
               "every row of ops.def has one in error-terms.def");
#undef TERMS

/**
 * assay_magnitude_add:
 * @self: the magnitude of what came before
 * @tensor: a tensor
 * @error: return location for a #GError
 *
 * Adds the elements of a tensor that are finite; text has none.
 *
 * Returns: whether it could be read
 */
gboolean
assay_magnitude_add (AssayMagnitude *self, AssayTensor *tensor, GError **error)
{
  gsize n = assay_tensor_get_n_elements (tensor);
  double values[CHUNK];

  if (assay_tensor_get_strings (tensor) != NULL)
    return TRUE;

  for (gsize first = 0; first < n; first += CHUNK)
    {
      gsize count = MIN (n - first, CHUNK);

      if (!assay_tensor_read_doubles (tensor, first, count, values, error))
        return FALSE;
      for (gsize i = 0; i < count; i++)
        {
          if (!isfinite (values[i]))
            continue;
          self->least = self->n == 0 ? fabs (values[i]) : MIN (self->least, fabs (values[i]));
          self->n++;
          self->sum += values[i];
          self->energy += values[i] * values[i];
          self->peak = MAX (self->peak, fabs (values[i]));
        }
    }

  return TRUE;
}

/**
 * assay_magnitude_join:
 * @self: a magnitude
 * @more: that of other elements
 *
 * Adds the elements that another magnitude is of.
 */
void
assay_magnitude_join (AssayMagnitude *self, const AssayMagnitude *more)
{
  if (more->n > 0)
    self->least = self->n > 0 ? MIN (self->least, more->least) : more->least;
  self->n += more->n;
  self->sum += more->sum;
  self->energy += more->energy;
  self->peak = MAX (self->peak, more->peak);
}

/**
 * assay_magnitude_rms:
 * @self: a magnitude
 *
 * Gets the root mean square.
 *
 * Returns: the size, 0 of nothing
 */
double
assay_magnitude_rms (const AssayMagnitude *self)
{
  return self->n > 0 ? sqrt (self->energy / (double) self->n) : 0;
}

/* How far the elements are from their mean. */
static double
deviation (const AssayMagnitude *self)
{
  double mean = self->n > 0 ? self->sum / (double) self->n : 0;
  double variance = self->n > 0 ? self->energy / (double) self->n - mean * mean : 0;

  return sqrt (MAX (variance, 0));
}

static double
size_at (const AssayMagnitude *operands, guint n, guint index)
{
  return index < n ? assay_magnitude_rms (&operands[index]) : 0;
}

static const AssayType *
type_at (const AssayGraph *graph, const AssayNode *node, guint index)
{
  AssayValueId value = assay_node_input (node, index);

  return value != ASSAY_NO_VALUE ? assay_graph_value (graph, value)->type : NULL;
}

static gint64
extent (const AssayType *type, int axis)
{
  if (type == NULL || type->kind != ASSAY_TYPE_KIND_TENSOR)
    return 1;
  if (axis < 0)
    axis += type->rank;

  return axis >= 0 && axis < type->rank && type->dims[axis].size > 0 ? type->dims[axis].size : 1;
}

static gsize
count_elements (const AssayType *type)
{
  gsize n;

  return type != NULL && assay_type_count (type, &n) ? MAX (n, 1) : 1;
}

/* Elements of an input for each element of the result. */
static gsize
share_of (const AssayGraph *graph, const AssayNode *node)
{
  const AssayType *result = assay_graph_value (graph, node->outputs[0])->type;

  return MAX (count_elements (type_at (graph, node, 0)) / count_elements (result), 1);
}

/* The axis that the second input names, the last one where nobody knows. */
static int
constant_axis (const AssayGraph *graph, const AssayNode *node)
{
  AssayValueId value = assay_node_input (node, 1);
  AssayTensor *axis = value != ASSAY_NO_VALUE ? assay_graph_constant (graph, value) : NULL;
  double number;

  return axis != NULL && assay_tensor_get_n_elements (axis) == 1 &&
                 assay_tensor_get_element (axis, 0, &number, NULL)
             ? (int) number
             : -1;
}

/**
 * assay_error_bound_length:
 * @graph: a graph
 * @node: one of its nodes
 *
 * Finds how many terms an operation adds up for one element of its result.
 *
 * Returns: the length, 1 where nothing is added up
 */
gsize
assay_error_bound_length (const AssayGraph *graph, const AssayNode *node)
{
  const AssayType *x = type_at (graph, node, 0), *w = type_at (graph, node, 1);

  switch (node->op)
    {
    case ASSAY_OP_MatMul:
      return (gsize) extent (x, -1);
    case ASSAY_OP_Gemm:
      return (gsize) extent (x, assay_node_get_int (node, "transA") != 0 ? 0 : 1);
    case ASSAY_OP_Conv:
    case ASSAY_OP_DeformConv:
    case ASSAY_OP_CausalConvWithState:
      return count_elements (w) / (gsize) extent (w, 0);
    case ASSAY_OP_ConvTranspose:
      return count_elements (w) / (gsize) extent (w, 1) /
             (gsize) MAX (assay_node_get_int (node, "group"), 1);
    case ASSAY_OP_Linear:
    case ASSAY_OP_Einsum:
      /* Whichever sides are turned: rows times length, length times columns, rows times columns. */
      return (gsize) sqrt (
          (double) count_elements (x) * (double) count_elements (w) /
          (double) count_elements (assay_graph_value (graph, node->outputs[0])->type));
    case ASSAY_OP_AveragePool:
      {
        guint n = 0;
        const gint64 *kernel = assay_node_get_ints (node, "kernel_shape", &n);
        gsize length = 1;

        for (guint i = 0; i < n; i++)
          length *= (gsize) MAX (kernel[i], 1);
        return length;
      }
    case ASSAY_OP_LSTM:
    case ASSAY_OP_GRU:
    case ASSAY_OP_RNN:
      return (gsize) (extent (w, -1) + extent (type_at (graph, node, 2), -1));
    case ASSAY_OP_CumSum:
      return (gsize) extent (x, constant_axis (graph, node));
    case ASSAY_OP_DFT:
      /* A signal, and real and imaginary parts. */
      return (gsize) extent (x, -2);
    case ASSAY_OP_STFT:
      return (gsize) MAX (extent (type_at (graph, node, 2), 0), 1);
    default:
      return share_of (graph, node);
    }
}

/* The root of the sum of the squares of sizes. */
static double
join_sizes (const AssayMagnitude *operands, guint n)
{
  double sum = 0;

  for (guint i = 0; i < n; i++)
    sum += pow (assay_magnitude_rms (&operands[i]), 2);

  return sqrt (sum);
}

/**
 * assay_error_bound_takes_weights:
 * @op: an operation
 *
 * Tells whether an operation multiplies with weights, which may be kept in a narrow type.
 *
 * Returns: whether it does
 */
gboolean
assay_error_bound_takes_weights (AssayOp op)
{
  return terms_of[op] == TERMS_PRODUCT || terms_of[op] == TERMS_STATE;
}

/**
 * assay_error_bound_of_node:
 * @graph: a graph
 * @node: one of its nodes
 * @operands: (array length=n_operands): magnitudes of its inputs, of none where one is left out
 * @n_operands: how many
 *
 * Reckons how far rounding may lead the result of a node, from what it adds up.
 *
 * Returns: the bound; a scale of 0 where errors are of the size of the result
 */
AssayErrorBound
assay_error_bound_of_node (const AssayGraph *graph, const AssayNode *node,
                           const AssayMagnitude *operands, guint n_operands)
{
  AssayErrorBound self = { .length = assay_error_bound_length (graph, node), .condition = 1 };
  double x = size_at (operands, n_operands, 0), w = size_at (operands, n_operands, 1);
  double root = sqrt ((double) self.length);

  switch ((Terms) terms_of[node->op])
    {
    case TERMS_PRODUCT:
      self.scale = MAX (root * x * w, size_at (operands, n_operands, 2));
      break;
    case TERMS_SUM:
      self.scale = join_sizes (operands, n_operands);
      break;
    case TERMS_TOTAL:
      self.scale = root * x;
      break;
    case TERMS_MEAN:
      self.scale = x / root;
      break;
    case TERMS_DIFFERENCE:
      if (n_operands > 0 && deviation (&operands[0]) > 0)
        self.scale = x / deviation (&operands[0]) * (n_operands > 1 ? w : 1);
      break;
    case TERMS_CHANNEL:
      if (size_at (operands, n_operands, 4) > 0)
        self.scale = MAX (x, size_at (operands, n_operands, 3)) * w /
                     sqrt (size_at (operands, n_operands, 4));
      break;
    case TERMS_STATE:
      self.scale = MIN (root * MAX (x, 1) * MAX (w, size_at (operands, n_operands, 2)), 1);
      break;
    case TERMS_GROWTH:
      self.condition = n_operands > 0 ? MAX (operands[0].peak, 1) : 1;
      break;
    case TERMS_POWER:
      self.condition = n_operands > 1 ? MAX (operands[1].peak, 1) : 1;
      break;
    case TERMS_LOGARITHM:
      self.scale = 1;
      break;
    case TERMS_WAVE:
      self.scale = n_operands > 0 ? operands[0].peak : 0;
      break;
    case TERMS_RUNNING:
    case TERMS_SPECTRUM:
      self.scale = root * x;
      break;
    case TERMS_BLEND:
      self.scale = x;
      break;
    case TERMS_NONE:
    case TERMS_RESULT:
    case TERMS_EXACT:
    default:
      break;
    }

  return self;
}
