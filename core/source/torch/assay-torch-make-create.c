/* assay-torch-make-create.c
 * SPDX-License-Identifier: Apache-2.0
 *
 * Tensors from nothing.
 */
#include "source/torch/assay-torch-elements.h"
#include "source/torch/assay-torch-lower-private.h"

#define ONE(op, a) assay_torch_one (self, ASSAY_OP_##op, a)
#define TWO(op, a, b) assay_torch_two (self, ASSAY_OP_##op, a, b)
#define THREE(op, a, b, c) assay_torch_three (self, ASSAY_OP_##op, a, b, c)

static AssayDType
dtype_of_number (const AssayTorchItem *item)
{
  if (item != NULL && item->kind == ASSAY_TORCH_ITEM_INT)
    return ASSAY_DTYPE_I64;

  return item != NULL && item->kind == ASSAY_TORCH_ITEM_BOOL ? ASSAY_DTYPE_BOOL : ASSAY_DTYPE_F32;
}

/* A number for every element; the shape is operand 0. */
static gboolean
fill (AssayTorchLower *self, AssayTorchItem *number, double value, AssayDType dtype)
{
  AssayValueId cell = number != NULL ? assay_torch_as_value (self, number, dtype)
                                     : assay_torch_scalar (self, dtype, value);
  AssayValueId shape = assay_torch_as_shape (self, assay_torch_arg (self, 0));

  if (cell == ASSAY_NO_VALUE || shape == ASSAY_NO_VALUE)
    return assay_torch_cannot (self, "the shape is not known");

  return assay_torch_result (self, 0, TWO (Expand, cell, shape));
}

/* Zeros (argument 0) or ones (1); strides may stand between (2), which nobody sees. */
gboolean
assay_torch_make_zeros (AssayTorchLower *self, const AssayTorchRule *rule)
{
  AssayDType dtype = ASSAY_DTYPE_F32;

  return assay_torch_get_dtype (self, rule->argument == 2 ? 2 : 1, &dtype) &&
         fill (self, NULL, rule->argument == 1 ? 1.0 : 0.0, dtype);
}

gboolean
assay_torch_make_full (AssayTorchLower *self, const AssayTorchRule *rule)
{
  AssayTorchItem *number = assay_torch_arg (self, 1);
  AssayDType dtype = dtype_of_number (number);

  return assay_torch_get_dtype (self, 2, &dtype) && fill (self, number, 0.0, dtype);
}

/* As another tensor is: zeros (0), ones (1), or a number that is operand 1 (2). */
gboolean
assay_torch_make_like (AssayTorchLower *self, const AssayTorchRule *rule)
{
  AssayValueId x;
  AssayDType dtype;
  AssayValueId cell;

  if (!assay_torch_get_tensor (self, 0, &x))
    return FALSE;
  dtype = assay_torch_dtype (self, x);
  if (!assay_torch_get_dtype (self, rule->argument == 2 ? 2 : 1, &dtype))
    return FALSE;
  cell = rule->argument == 2 ? assay_torch_as_value (self, assay_torch_arg (self, 1), dtype)
                             : assay_torch_scalar (self, dtype, (double) rule->argument);

  return cell != ASSAY_NO_VALUE &&
         assay_torch_result (self, 0, TWO (Expand, cell, assay_torch_shape (self, x)));
}

/* Of another shape, with the element type of a tensor: zeros (0), ones (1), a number (2). */
gboolean
assay_torch_make_new (AssayTorchLower *self, const AssayTorchRule *rule)
{
  AssayValueId x;
  AssayValueId cell;
  AssayValueId shape;
  AssayDType dtype;

  if (!assay_torch_get_tensor (self, 0, &x))
    return FALSE;
  dtype = assay_torch_dtype (self, x);
  if (!assay_torch_get_dtype (self, rule->argument == 2 ? 3 : rule->argument == 3 ? 3 : 2, &dtype))
    return FALSE;
  cell = rule->argument == 2 ? assay_torch_as_value (self, assay_torch_arg (self, 2), dtype)
                             : assay_torch_scalar (self, dtype, rule->argument == 1 ? 1.0 : 0.0);
  shape = assay_torch_as_shape (self, assay_torch_arg (self, 1));

  return cell != ASSAY_NO_VALUE && shape != ASSAY_NO_VALUE &&
         assay_torch_result (self, 0, TWO (Expand, cell, shape));
}

/* All elements of a tensor become a number, or nothing (argument 1). */
gboolean
assay_torch_make_fill (AssayTorchLower *self, const AssayTorchRule *rule)
{
  AssayValueId x;
  AssayValueId cell;

  if (!assay_torch_get_tensor (self, 0, &x))
    return FALSE;
  cell = rule->argument == 1
             ? assay_torch_scalar (self, assay_torch_dtype (self, x), 0.0)
             : assay_torch_as_value (self, assay_torch_arg (self, 1), assay_torch_dtype (self, x));

  return cell != ASSAY_NO_VALUE &&
         assay_torch_result (self, 0, TWO (Expand, cell, assay_torch_shape (self, x)));
}

/* From a start by steps; operands as in the overloads: the end alone (0), start and end (1), start,
 * end and step (2). */
gboolean
assay_torch_make_arange (AssayTorchLower *self, const AssayTorchRule *rule)
{
  AssayTorchItem *zero = assay_torch_int (self, 0);
  AssayTorchItem *one = assay_torch_int (self, 1);
  AssayTorchItem *start = rule->argument == 0 ? zero : assay_torch_arg (self, 0);
  AssayTorchItem *end = assay_torch_arg (self, rule->argument == 0 ? 0 : 1);
  AssayTorchItem *step = rule->argument == 2 ? assay_torch_arg (self, 2) : one;
  AssayDType dtype = ASSAY_DTYPE_I64;
  AssayDType work;

  if (start == NULL || end == NULL || step == NULL)
    return FALSE;
  if (start->kind == ASSAY_TORCH_ITEM_FLOAT || end->kind == ASSAY_TORCH_ITEM_FLOAT ||
      step->kind == ASSAY_TORCH_ITEM_FLOAT)
    dtype = ASSAY_DTYPE_F32;
  work = dtype == ASSAY_DTYPE_F32 ? ASSAY_DTYPE_F64 : ASSAY_DTYPE_I64;
  if (!assay_torch_get_dtype (self, (guint) rule->argument + 1, &dtype))
    return FALSE;

  return assay_torch_result (
      self, 0,
      assay_torch_cast (self,
                        THREE (Range, assay_torch_as_value (self, start, work),
                               assay_torch_as_value (self, end, work),
                               assay_torch_as_value (self, step, work)),
                        dtype));
}

gboolean
assay_torch_make_linspace (AssayTorchLower *self, const AssayTorchRule *rule)
{
  double ends[2];
  gint64 n;
  AssayDType dtype = ASSAY_DTYPE_F32;
  g_autofree float *numbers = NULL;
  g_autoptr (AssayTensor) tensor = NULL;

  if (!assay_torch_get_float (self, 0, &ends[0]) || !assay_torch_get_float (self, 1, &ends[1]) ||
      !assay_torch_get_int (self, 2, &n) || !assay_torch_get_dtype (self, 3, &dtype))
    return FALSE;
  if (n < 0 || n > 1 << 24)
    return assay_torch_cannot (self, "%" G_GINT64_FORMAT " steps", n);
  numbers = g_new (float, MAX (n, 1));
  for (gint64 i = 0; i < n; i++)
    numbers[i] = (float) (n == 1 ? ends[0]
                                 : ends[0] + (ends[1] - ends[0]) * (double) i / (double) (n - 1));
  tensor = assay_tensor_new_f32 (1, &n, numbers);

  return assay_torch_result (self, 0,
                             assay_torch_cast (self, assay_torch_keep (self, tensor), dtype));
}

gboolean
assay_torch_make_eye (AssayTorchLower *self, const AssayTorchRule *rule)
{
  gint64 dims[2];
  AssayDType dtype = ASSAY_DTYPE_F32;
  AssayValueId output;
  AssayValueId input;
  AssayNodeId node;

  if (!assay_torch_get_int (self, 0, &dims[0]) ||
      (rule->argument == 1 && !assay_torch_get_int (self, 1, &dims[1])) ||
      !assay_torch_get_dtype (self, rule->argument == 1 ? 2 : 1, &dtype))
    return FALSE;
  if (rule->argument == 0)
    dims[1] = dims[0];
  input = assay_torch_fill (self, dtype, 2, dims, 0.0);
  node = assay_torch_node (self, ASSAY_OP_EyeLike, 1, &input, 1, &output);
  assay_graph_set_int (self->graph, node, "dtype", dtype);
  assay_torch_infer (self, node);

  return assay_torch_result (self, 0, output);
}
