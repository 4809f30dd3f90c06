/* assay-pass-fold-run.c
 * SPDX-License-Identifier: Apache-2.0
 */
#include <math.h>
#include <string.h>

#include "base/assay-bf16.h"
#include "base/assay-error.h"
#include "base/assay-sentence.h"
#include "nnir/pass/assay-pass-fold.h"
#include "nnir/assay-dims.h"

/* Arithmetic is in double and rounded once, which for the four operations and the square root of
 * the narrower types is the correctly rounded result. */

static double
fn_neg (double a)
{
  return -a;
}

static double
fn_reciprocal (double a)
{
  return 1.0 / a;
}

static double
fn_sigmoid (double a)
{
  return 1.0 / (1.0 + exp (-a));
}

static double
fn_relu (double a)
{
  return a > 0.0 || isnan (a) ? a : 0.0;
}

static double
fn_add (double a, double b)
{
  return a + b;
}

static double
fn_sub (double a, double b)
{
  return a - b;
}

static double
fn_mul (double a, double b)
{
  return a * b;
}

static double
fn_div (double a, double b)
{
  return a / b;
}

static double
fn_min (double a, double b)
{
  return isnan (a) || a < b ? a : b;
}

static double
fn_max (double a, double b)
{
  return isnan (a) || a > b ? a : b;
}

static const struct
{
  AssayOp op;
  double (*unary) (double a);
  double (*binary) (double a, double b);
} functions[] = {
  { ASSAY_OP_Neg, fn_neg, NULL },   { ASSAY_OP_Abs, fabs, NULL },
  { ASSAY_OP_Sqrt, sqrt, NULL },    { ASSAY_OP_Exp, exp, NULL },
  { ASSAY_OP_Log, log, NULL },      { ASSAY_OP_Reciprocal, fn_reciprocal, NULL },
  { ASSAY_OP_Floor, floor, NULL },  { ASSAY_OP_Ceil, ceil, NULL },
  { ASSAY_OP_Tanh, tanh, NULL },    { ASSAY_OP_Sigmoid, fn_sigmoid, NULL },
  { ASSAY_OP_Relu, fn_relu, NULL }, { ASSAY_OP_Sin, sin, NULL },
  { ASSAY_OP_Cos, cos, NULL },      { ASSAY_OP_Erf, erf, NULL },
  { ASSAY_OP_Add, NULL, fn_add },   { ASSAY_OP_Sub, NULL, fn_sub },
  { ASSAY_OP_Mul, NULL, fn_mul },   { ASSAY_OP_Div, NULL, fn_div },
  { ASSAY_OP_Pow, NULL, pow },      { ASSAY_OP_Min, NULL, fn_min },
  { ASSAY_OP_Max, NULL, fn_max },
};

/**
 * assay_fold_plan_new:
 * @op: the operation
 * @n_parts: number of inputs
 *
 * Makes a plan whose parts are still empty.
 *
 * Returns: (transfer full): the plan
 */
AssayFoldPlan *
assay_fold_plan_new (AssayOp op, guint n_parts)
{
  AssayFoldPlan *self = g_new0 (AssayFoldPlan, 1);

  self->op = op;
  self->n_parts = n_parts;
  self->parts = g_new0 (AssayFoldPart, n_parts);

  return self;
}

void
assay_fold_plan_free (AssayFoldPlan *self)
{
  if (self == NULL)
    return;

  for (guint i = 0; i < self->n_parts; i++)
    assay_tensor_unref (self->parts[i].tensor);
  g_free (self->parts);
  g_free (self);
}

static gboolean
is_mapped_float (AssayDType dtype)
{
  return dtype == ASSAY_DTYPE_F32 || dtype == ASSAY_DTYPE_F64 || dtype == ASSAY_DTYPE_F16 ||
         dtype == ASSAY_DTYPE_BF16;
}

/**
 * assay_fold_can_map:
 * @op: an operation
 * @n_inputs: number of its inputs
 * @from: element type of its inputs
 * @to: element type of its output
 *
 * Tells whether a plan can compute an elementwise operation on large constants: floating point
 * arithmetic, and casts between floating point types and from integers of up to 32 bits.
 *
 * Returns: whether it can
 */
gboolean
assay_fold_can_map (AssayOp op, guint n_inputs, AssayDType from, AssayDType to)
{
  if (!is_mapped_float (to))
    return FALSE;
  if (op == ASSAY_OP_Cast)
    return n_inputs == 1 && (is_mapped_float (from) ||
                             (assay_dtype_is_integer (from) && assay_dtype_bits (from) <= 32));

  for (guint i = 0; i < G_N_ELEMENTS (functions); i++)
    {
      if (functions[i].op == op)
        return from == to && n_inputs == (functions[i].unary != NULL ? 1 : 2);
    }

  return FALSE;
}

/**
 * assay_fold_put_float:
 * @data: elements
 * @dtype: their type, a floating point one
 * @index: which element
 * @value: its value
 *
 * Writes an element, rounded to its type.
 */
void
assay_fold_put_float (guint8 *data, AssayDType dtype, gsize index, double value)
{
  float narrow = (float) value;
  guint16 half = dtype == ASSAY_DTYPE_F16 ? assay_f16_from_f32 (narrow)
                                          : assay_bf16_from_f32 (narrow);

  if (dtype == ASSAY_DTYPE_F64)
    memcpy (data + index * 8, &value, 8);
  else if (dtype == ASSAY_DTYPE_F32)
    memcpy (data + index * 4, &narrow, 4);
  else
    memcpy (data + index * 2, &half, 2);
}

/* Steps to the next element of the result and moves every source position along; the last dimension
 * turns fastest. */
static void
next_index (const AssayFoldPlan *self, guint rank, const gint64 *dims, gint64 *index,
            gint64 *positions)
{
  for (guint d = rank; d-- > 0;)
    {
      for (guint p = 0; p < self->n_parts; p++)
        positions[p] += self->parts[p].strides[d];
      if (++index[d] < dims[d])
        return;
      for (guint p = 0; p < self->n_parts; p++)
        positions[p] -= self->parts[p].strides[d] * dims[d];
      index[d] = 0;
    }
}

static void
move_elements (const AssayFoldPlan *self, guint rank, const gint64 *dims, gsize n, gsize size,
               const guint8 *source, guint8 *data)
{
  gint64 index[ASSAY_MAX_RANK] = { 0 };
  gint64 position = self->parts[0].offset;

  for (gsize i = 0; i < n; i++)
    {
      memcpy (data + i * size, source + (gsize) position * size, size);
      next_index (self, rank, dims, index, &position);
    }
}

static void
concatenate (const AssayFoldPlan *self, guint rank, const gint64 *dims, gsize size,
             const guint8 *const *sources, guint8 *data)
{
  gsize outer = assay_dims_product (dims, 0, self->axis);
  gsize inner = size * assay_dims_product (dims, self->axis + 1, rank);

  for (gsize i = 0; i < outer; i++)
    {
      for (guint p = 0; p < self->n_parts; p++)
        {
          gsize run = inner * (gsize) assay_tensor_get_dims (self->parts[p].tensor)[self->axis];

          if (run > 0)
            memcpy (data, sources[p] + i * run, run);
          data += run;
        }
    }
}

static gboolean
map_elements (const AssayFoldPlan *self, AssayTensor *result, guint8 *data, GError **error)
{
  gint64 index[ASSAY_MAX_RANK] = { 0 };
  gint64 positions[2] = { self->parts[0].offset, self->n_parts > 1 ? self->parts[1].offset : 0 };
  double (*unary) (double a) = NULL;
  double (*binary) (double a, double b) = NULL;

  for (guint i = 0; i < G_N_ELEMENTS (functions); i++)
    {
      if (functions[i].op == self->op)
        {
          unary = functions[i].unary;
          binary = functions[i].binary;
        }
    }

  for (gsize i = 0; i < assay_tensor_get_n_elements (result); i++)
    {
      double a;
      double b = 0.0;

      if (!assay_tensor_get_element (self->parts[0].tensor, (gsize) positions[0], &a, error) ||
          (binary != NULL &&
           !assay_tensor_get_element (self->parts[1].tensor, (gsize) positions[1], &b, error)))
        return FALSE;
      assay_fold_put_float (data, assay_tensor_get_dtype (result), i,
                            binary != NULL  ? binary (a, b)
                            : unary != NULL ? unary (a)
                                            : a);
      next_index (self, assay_tensor_get_rank (result), assay_tensor_get_dims (result), index,
                  positions);
    }

  return TRUE;
}

/**
 * assay_fold_plan_run:
 * @result: the tensor whose elements are wanted
 * @plan: (type AssayFoldPlan): how they come about
 * @error: return location for a #GError
 *
 * Computes a folded constant; the loader of its tensor.
 *
 * Returns: (transfer full) (nullable): the elements
 */
GBytes *
assay_fold_plan_run (AssayTensor *result, gpointer plan, GError **error)
{
  const AssayFoldPlan *self = plan;
  gsize n_bytes = assay_tensor_get_n_bytes (result);
  gsize size = assay_dtype_bits (assay_tensor_get_dtype (result)) / 8;
  g_autofree const guint8 **sources = g_new0 (const guint8 *, self->n_parts);
  g_autofree guint8 *data = g_try_malloc0 (MAX (n_bytes, 1));

  if (data == NULL)
    {
      g_set_error (error, ASSAY_ERROR, ASSAY_ERROR_MEMORY,
                   "no memory for a constant of %" G_GSIZE_FORMAT " byte%s", n_bytes,
                   assay_plural (n_bytes));
      return NULL;
    }

  for (guint i = 0; i < self->n_parts; i++)
    {
      sources[i] = assay_tensor_get_data (self->parts[i].tensor, NULL, error);
      if (sources[i] == NULL && assay_tensor_get_n_elements (self->parts[i].tensor) > 0)
        return NULL;
    }

  if (self->op == ASSAY_OP_Identity)
    move_elements (self, assay_tensor_get_rank (result), assay_tensor_get_dims (result),
                   assay_tensor_get_n_elements (result), size, sources[0], data);
  else if (self->op == ASSAY_OP_Concat)
    concatenate (self, assay_tensor_get_rank (result), assay_tensor_get_dims (result), size,
                 sources, data);
  else if (!map_elements (self, result, data, error))
    return NULL;

  return g_bytes_new_take (g_steal_pointer (&data), n_bytes);
}
