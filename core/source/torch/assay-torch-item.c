/* assay-torch-item.c
 * SPDX-License-Identifier: Apache-2.0
 *
 * What operations work on.
 */
#include <math.h>
#include <stdarg.h>
#include <string.h>

#include "base/assay-error.h"
#include "source/torch/assay-torch-lower-private.h"

/* Numbers of element types, as torch.dtype has them in programs (c10/core/ScalarType.h). */
static const AssayDType codes[] = {
  [0] = ASSAY_DTYPE_U8,          [1] = ASSAY_DTYPE_I8,        [2] = ASSAY_DTYPE_I16,
  [3] = ASSAY_DTYPE_I32,         [4] = ASSAY_DTYPE_I64,       [5] = ASSAY_DTYPE_F16,
  [6] = ASSAY_DTYPE_F32,         [7] = ASSAY_DTYPE_F64,       [9] = ASSAY_DTYPE_C64,
  [10] = ASSAY_DTYPE_C128,       [11] = ASSAY_DTYPE_BOOL,     [15] = ASSAY_DTYPE_BF16,
  [23] = ASSAY_DTYPE_F8E5M2,     [24] = ASSAY_DTYPE_F8E4M3FN, [25] = ASSAY_DTYPE_F8E5M2FNUZ,
  [26] = ASSAY_DTYPE_F8E4M3FNUZ, [27] = ASSAY_DTYPE_U16,      [28] = ASSAY_DTYPE_U32,
  [29] = ASSAY_DTYPE_U64,
};

/* What a code means, undefined for one that means nothing here. */
AssayDType
assay_torch_dtype_of_code (gint64 code)
{
  return code >= 0 && code < (gint64) G_N_ELEMENTS (codes) ? codes[code] : ASSAY_DTYPE_UNDEFINED;
}

gint64
assay_torch_code_of_dtype (AssayDType dtype)
{
  for (guint i = 0; i < G_N_ELEMENTS (codes); i++)
    if (codes[i] == dtype)
      return i;

  return -1;
}

AssayTorchItem *
assay_torch_item_new (AssayTorchLower *self, AssayTorchItemKind kind)
{
  AssayTorchItem *item = assay_arena_alloc (self->arena, sizeof *item);

  *item = (AssayTorchItem){ .kind = kind };

  return item;
}

AssayTorchItem *
assay_torch_int (AssayTorchLower *self, gint64 value)
{
  AssayTorchItem *item = assay_torch_item_new (self, ASSAY_TORCH_ITEM_INT);

  item->i = value;
  item->f = (double) value;

  return item;
}

AssayTorchItem *
assay_torch_bool (AssayTorchLower *self, gboolean value)
{
  AssayTorchItem *item = assay_torch_int (self, value != FALSE);

  item->kind = ASSAY_TORCH_ITEM_BOOL;

  return item;
}

AssayTorchItem *
assay_torch_float (AssayTorchLower *self, double value)
{
  AssayTorchItem *item = assay_torch_item_new (self, ASSAY_TORCH_ITEM_FLOAT);

  item->f = value;

  return item;
}

AssayTorchItem *
assay_torch_tensor (AssayTorchLower *self, AssayValueId value)
{
  AssayTorchItem *item = assay_torch_item_new (self, ASSAY_TORCH_ITEM_TENSOR);

  item->value = value;

  return item;
}

AssayTorchItem *
assay_torch_list (AssayTorchLower *self, guint n, AssayTorchItem **items)
{
  AssayTorchItem *item = assay_torch_item_new (self, ASSAY_TORCH_ITEM_LIST);

  item->n = item->capacity = n;
  item->items = assay_arena_memdup (self->arena, items, n * sizeof *items);

  return item;
}

/* A number that the graph computes; one that it folded is known. */
AssayTorchItem *
assay_torch_number (AssayTorchLower *self, AssayTorchItemKind kind, AssayValueId value)
{
  AssayTensor *tensor = assay_graph_constant (self->graph, value);
  AssayTorchItem *item;
  gint64 integer;
  double number;

  if (tensor != NULL && kind != ASSAY_TORCH_ITEM_FLOAT &&
      assay_tensor_get_integer (tensor, 0, &integer, NULL))
    {
      item = assay_torch_int (self, integer);
      item->kind = kind;
      return item;
    }
  if (tensor != NULL && kind == ASSAY_TORCH_ITEM_FLOAT &&
      assay_tensor_get_element (tensor, 0, &number, NULL))
    return assay_torch_float (self, number);

  item = assay_torch_item_new (self, kind);
  item->value = value;

  return item;
}

/* Says why an operation cannot be made; the first reason stands. */
gboolean
assay_torch_cannot (AssayTorchLower *self, const char *format, ...)
{
  va_list arguments;

  if (self->reason == NULL)
    {
      va_start (arguments, format);
      self->reason = g_strdup_vprintf (format, arguments);
      va_end (arguments);
    }

  return FALSE;
}

/* An argument, or %NULL if the program leaves it out. */
AssayTorchItem *
assay_torch_arg (AssayTorchLower *self, guint index)
{
  AssayTorchItem *item = index < self->op->n_operands ? self->op->operands[index]->data : NULL;

  return item;
}

gboolean
assay_torch_is_none (AssayTorchLower *self, guint index)
{
  const AssayTorchItem *item = assay_torch_arg (self, index);

  return item == NULL || item->kind == ASSAY_TORCH_ITEM_NONE;
}

static gboolean
is_known_number (const AssayTorchItem *item)
{
  return item != NULL && item->value == ASSAY_NO_VALUE &&
         (item->kind == ASSAY_TORCH_ITEM_INT || item->kind == ASSAY_TORCH_ITEM_BOOL ||
          item->kind == ASSAY_TORCH_ITEM_FLOAT);
}

gboolean
assay_torch_get_int (AssayTorchLower *self, guint index, gint64 *value)
{
  const AssayTorchItem *item = assay_torch_arg (self, index);

  if (!is_known_number (item))
    return assay_torch_cannot (self, "operand %u is no known integer", index);
  *value = item->kind == ASSAY_TORCH_ITEM_FLOAT ? (gint64) item->f : item->i;

  return TRUE;
}

gboolean
assay_torch_get_bool (AssayTorchLower *self, guint index, gboolean *value)
{
  gint64 i;

  if (!assay_torch_get_int (self, index, &i))
    return FALSE;
  *value = i != 0;

  return TRUE;
}

gboolean
assay_torch_get_float (AssayTorchLower *self, guint index, double *value)
{
  const AssayTorchItem *item = assay_torch_arg (self, index);

  if (!is_known_number (item))
    return assay_torch_cannot (self, "operand %u is no known number", index);
  *value = item->f;

  return TRUE;
}

/* Integers of a list, at most as many as a tensor has dimensions. One alone is a list as well. */
gboolean
assay_torch_get_ints (AssayTorchLower *self, guint index, gint64 *values, guint *n)
{
  const AssayTorchItem *item = assay_torch_arg (self, index);

  *n = 0;
  if (is_known_number (item))
    {
      values[(*n)++] = item->i;
      return TRUE;
    }
  if (item == NULL || item->kind != ASSAY_TORCH_ITEM_LIST)
    return assay_torch_cannot (self, "operand %u is no list of integers", index);
  if (item->n > ASSAY_MAX_RANK)
    return assay_torch_cannot (self, "operand %u is a list of %u", index, item->n);
  for (guint i = 0; i < item->n; i++)
    {
      if (!is_known_number (item->items[i]))
        return assay_torch_cannot (self, "entry %u of operand %u is only known at run time", i,
                                   index);
      values[(*n)++] = item->items[i]->i;
    }

  return TRUE;
}

/* An element type that may be left out, which leaves @dtype as it is. */
gboolean
assay_torch_get_dtype (AssayTorchLower *self, guint index, AssayDType *dtype)
{
  gint64 code;
  AssayDType found;

  if (assay_torch_is_none (self, index))
    return TRUE;
  if (!assay_torch_get_int (self, index, &code))
    return FALSE;
  found = assay_torch_dtype_of_code (code);
  if (found == ASSAY_DTYPE_UNDEFINED)
    return assay_torch_cannot (self, "element type %" G_GINT64_FORMAT " is not known", code);
  *dtype = found;

  return TRUE;
}

/* A tensor, as its storage is now. */
gboolean
assay_torch_get_tensor (AssayTorchLower *self, guint index, AssayValueId *value)
{
  AssayTorchItem *item = assay_torch_arg (self, index);

  if (item == NULL || item->kind != ASSAY_TORCH_ITEM_TENSOR)
    return assay_torch_cannot (self, "operand %u is no tensor", index);
  *value = assay_torch_read (self, item);

  return *value != ASSAY_NO_VALUE || assay_torch_cannot (self, "operand %u is not known", index);
}

static gboolean
wrap_axis (AssayTorchLower *self, guint rank, gint64 *axis)
{
  gint64 n = MAX (rank, 1);

  if (*axis < -n || *axis >= n)
    return assay_torch_cannot (self, "axis %" G_GINT64_FORMAT " of a tensor of rank %u", *axis,
                               rank);
  *axis += *axis < 0 ? n : 0;

  return TRUE;
}

gboolean
assay_torch_get_axis (AssayTorchLower *self, guint index, guint rank, gint64 *axis)
{
  return assay_torch_get_int (self, index, axis) && wrap_axis (self, rank, axis);
}

/* No axes mean all of them. */
gboolean
assay_torch_get_axes (AssayTorchLower *self, guint index, guint rank, gint64 *axes, guint *n)
{
  *n = 0;
  if (!assay_torch_is_none (self, index) && !assay_torch_get_ints (self, index, axes, n))
    return FALSE;
  for (guint i = 0; i < *n; i++)
    if (!wrap_axis (self, rank, &axes[i]))
      return FALSE;
  if (rank == 0)
    *n = 0;
  else if (*n == 0)
    for (; *n < rank; (*n)++)
      axes[*n] = *n;

  return TRUE;
}

gboolean
assay_torch_result_item (AssayTorchLower *self, guint index, AssayTorchItem *item)
{
  if (index < self->op->n_results)
    self->results[index] = item;

  return item != NULL;
}

gboolean
assay_torch_result (AssayTorchLower *self, guint index, AssayValueId value)
{
  if (value == ASSAY_NO_VALUE)
    return assay_torch_cannot (self, "something it needs is not known");

  return assay_torch_result_item (self, index, assay_torch_tensor (self, value));
}
