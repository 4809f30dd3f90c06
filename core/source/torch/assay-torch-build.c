/* assay-torch-build.c
 * SPDX-License-Identifier: Apache-2.0
 *
 * Nodes and constants, whose types are inferred as soon as they are made.
 */
#include <math.h>
#include <string.h>

#include "nnir/assay-op.h"
#include "source/torch/assay-torch-elements.h"
#include "source/torch/assay-torch-lower-private.h"

#define NO_ORIGIN G_MAXUINT32

/* Constants that the program makes, besides those of the file. */
#define MAX_BYTES (128u << 20)

/* Nodes are called after the result of the operation, and constants after what they are for. */
static const char *
take_name (AssayTorchLower *self, char between, guint *counter)
{
  g_autofree char *text = *counter == 0 && between == '/'
                              ? g_strdup (self->base)
                              : g_strdup_printf ("%s%c%u", self->base, between, *counter);
  const char *first = assay_arena_intern (self->graph->arena, text);
  const char *name = first;
  /* A function that is called often makes the same names each time. */
  guint n = GPOINTER_TO_UINT (g_hash_table_lookup (self->names, first));

  (*counter)++;
  while (g_hash_table_contains (self->names, name))
    {
      g_autofree char *other = g_strdup_printf ("%s:%u", text, ++n);

      name = assay_arena_intern (self->graph->arena, other);
    }
  g_hash_table_insert (self->names, (gpointer) name, NULL);
  g_hash_table_insert (self->names, (gpointer) first, GUINT_TO_POINTER (n));

  return name;
}

const AssayType *
assay_torch_type (AssayTorchLower *self, AssayValueId value)
{
  return assay_graph_value (self->graph, value)->type;
}

AssayDType
assay_torch_dtype (AssayTorchLower *self, AssayValueId value)
{
  return assay_torch_type (self, value)->dtype;
}

gboolean
assay_torch_rank (AssayTorchLower *self, AssayValueId value, guint *rank)
{
  const AssayType *type = assay_torch_type (self, value);

  if (type->kind != ASSAY_TYPE_KIND_TENSOR || type->rank < 0)
    return assay_torch_cannot (self, "the rank of %s is not known",
                               assay_graph_value (self->graph, value)->name);
  *rank = (guint) type->rank;

  return TRUE;
}

/* All extents; it is a reason if one is only known at run time. */
gboolean
assay_torch_dims (AssayTorchLower *self, AssayValueId value, guint *rank, gint64 *dims)
{
  const AssayType *type = assay_torch_type (self, value);

  if (!assay_torch_rank (self, value, rank))
    return FALSE;
  for (guint i = 0; i < *rank; i++)
    {
      if (type->dims[i].size < 0)
        return assay_torch_cannot (self, "extent %u of %s is only known at run time", i,
                                   assay_graph_value (self->graph, value)->name);
      dims[i] = type->dims[i].size;
    }

  return TRUE;
}

/* A node with its outputs, of unknown types until assay_torch_infer(): attributes come between. */
AssayNodeId
assay_torch_node (AssayTorchLower *self, AssayOp op, guint n_inputs, const AssayValueId *inputs,
                  guint n_outputs, AssayValueId *outputs)
{
  AssayNodeId node;

  for (guint i = 0; i < n_outputs; i++)
    outputs[i] = assay_graph_add_value (self->graph, ASSAY_MAIN_REGION, ASSAY_VALUE_RESULT,
                                        take_name (self, '/', &self->n_made), NULL);
  node = assay_graph_add_node (self->graph, ASSAY_MAIN_REGION, op,
                               assay_graph_value (self->graph, outputs[0])->name, n_inputs, inputs,
                               n_outputs, outputs);
  if (self->origin == NO_ORIGIN)
    self->origin = assay_graph_add_origin (
        self->graph, self->path,
        self->op->n_results > 0 && self->op->results[0]->name != NULL ? self->op->results[0]->name
                                                                      : "",
        self->op_type, "torch", self->op->line);
  assay_graph_set_origins (self->graph, node, 1, &self->origin);

  return node;
}

void
assay_torch_infer (AssayTorchLower *self, AssayNodeId node)
{
  assay_infer_steps_add (self->steps, node);
}

static AssayValueId
plain (AssayTorchLower *self, AssayOp op, guint n, const AssayValueId *inputs)
{
  AssayValueId output;

  for (guint i = 0; i < n; i++)
    if (inputs[i] == ASSAY_NO_VALUE)
      return ASSAY_NO_VALUE;
  assay_torch_infer (self, assay_torch_node (self, op, n, inputs, 1, &output));

  return output;
}

AssayValueId
assay_torch_one (AssayTorchLower *self, AssayOp op, AssayValueId a)
{
  return plain (self, op, 1, &a);
}

AssayValueId
assay_torch_two (AssayTorchLower *self, AssayOp op, AssayValueId a, AssayValueId b)
{
  return plain (self, op, 2, (AssayValueId[]){ a, b });
}

AssayValueId
assay_torch_three (AssayTorchLower *self, AssayOp op, AssayValueId a, AssayValueId b,
                   AssayValueId c)
{
  return plain (self, op, 3, (AssayValueId[]){ a, b, c });
}

AssayValueId
assay_torch_keep (AssayTorchLower *self, AssayTensor *tensor)
{
  if (tensor == NULL)
    return ASSAY_NO_VALUE;
  /* What lies in the file costs nothing; what a short line makes may cost all the memory. */
  if (assay_tensor_is_loaded (tensor))
    self->n_bytes += assay_tensor_get_n_bytes (tensor);
  if (self->n_bytes > MAX_BYTES)
    {
      assay_torch_cannot (self, "its constants take more than %u MB", MAX_BYTES >> 20);
      return ASSAY_NO_VALUE;
    }

  return assay_graph_add_constant (self->graph, ASSAY_MAIN_REGION,
                                   take_name (self, '.', &self->n_constants), tensor);
}

AssayValueId
assay_torch_ints (AssayTorchLower *self, guint n, const gint64 *values)
{
  gint64 count = n;
  g_autoptr (AssayTensor) tensor = assay_tensor_new_i64 (1, &count, values);

  return assay_torch_keep (self, tensor);
}

static void
append_cell (GByteArray *bytes, AssayDType dtype, double value, gint64 integer)
{
  if (assay_dtype_kind (dtype) == 'C')
    {
      AssayDType part = dtype == ASSAY_DTYPE_C64 ? ASSAY_DTYPE_F32 : ASSAY_DTYPE_F64;

      assay_torch_append_float (bytes, part, value);
      assay_torch_append_float (bytes, part, 0.0);
    }
  else if (assay_dtype_is_float (dtype))
    assay_torch_append_float (bytes, dtype, value);
  else
    {
      gint64 cell = dtype == ASSAY_DTYPE_BOOL ? integer != 0 : integer;

      g_byte_array_append (bytes, (const guint8 *) &cell, MAX (assay_dtype_bits (dtype) / 8, 1));
    }
}

static AssayValueId
new_scalar (AssayTorchLower *self, AssayDType dtype, double value, gint64 integer)
{
  GByteArray *array = g_byte_array_new ();
  g_autoptr (GBytes) bytes = NULL;
  g_autoptr (AssayTensor) tensor = NULL;

  append_cell (array, dtype, value, integer);
  bytes = g_byte_array_free_to_bytes (array);
  tensor = assay_tensor_new (dtype, 0, NULL, bytes, NULL);

  return assay_torch_keep (self, tensor);
}

/* The integer that a number becomes, whatever it is. */
static gint64
to_integer (double value)
{
  if (isnan (value))
    return 0;
  if (value >= 9223372036854775808.0)
    return G_MAXINT64;
  if (value < -9223372036854775808.0)
    return G_MININT64;

  return (gint64) value;
}

AssayValueId
assay_torch_scalar (AssayTorchLower *self, AssayDType dtype, double value)
{
  return new_scalar (self, dtype, value,
                     dtype == ASSAY_DTYPE_BOOL ? value != 0 : to_integer (value));
}

AssayValueId
assay_torch_integer (AssayTorchLower *self, AssayDType dtype, gint64 value)
{
  return new_scalar (self, dtype, (double) value, value);
}

AssayValueId
assay_torch_fill (AssayTorchLower *self, AssayDType dtype, guint rank, const gint64 *dims,
                  double value)
{
  return assay_torch_expand (self, assay_torch_scalar (self, dtype, value), rank, dims);
}

AssayValueId
assay_torch_cast (AssayTorchLower *self, AssayValueId value, AssayDType dtype)
{
  AssayNodeId node;
  AssayValueId output;

  if (value == ASSAY_NO_VALUE || assay_torch_dtype (self, value) == dtype ||
      dtype == ASSAY_DTYPE_UNDEFINED)
    return value;

  node = assay_torch_node (self, ASSAY_OP_Cast, 1, &value, 1, &output);
  assay_graph_set_int (self->graph, node, "to", dtype);
  assay_torch_infer (self, node);

  return output;
}

static gboolean
has_dims (AssayTorchLower *self, AssayValueId value, guint rank, const gint64 *dims)
{
  const AssayType *type = assay_torch_type (self, value);

  if (type->rank != (int) rank)
    return FALSE;
  for (guint i = 0; i < rank; i++)
    if (type->dims[i].size != dims[i])
      return FALSE;

  return TRUE;
}

AssayValueId
assay_torch_reshape (AssayTorchLower *self, AssayValueId value, guint rank, const gint64 *dims)
{
  AssayNodeId node;
  AssayValueId output;

  if (value == ASSAY_NO_VALUE || has_dims (self, value, rank, dims))
    return value;

  node = assay_torch_node (self, ASSAY_OP_Reshape, 2,
                           (AssayValueId[]){ value, assay_torch_ints (self, rank, dims) }, 1,
                           &output);
  /* An extent of 0 is one, not that of the input. */
  assay_graph_set_int (self->graph, node, "allowzero", 1);
  for (guint i = 0; i < rank; i++)
    if (dims[i] == -1)
      assay_graph_remove_attr (self->graph, node, "allowzero");
  assay_torch_infer (self, node);

  return output;
}

AssayValueId
assay_torch_transpose (AssayTorchLower *self, AssayValueId value, guint rank, const gint64 *perm)
{
  AssayNodeId node;
  AssayValueId output;
  gboolean is_same = TRUE;

  for (guint i = 0; i < rank; i++)
    is_same &= perm[i] == i;
  if (is_same || value == ASSAY_NO_VALUE)
    return value;

  node = assay_torch_node (self, ASSAY_OP_Transpose, 1, &value, 1, &output);
  assay_graph_set_ints (self->graph, node, "perm", rank, perm);
  assay_torch_infer (self, node);

  return output;
}

AssayValueId
assay_torch_expand (AssayTorchLower *self, AssayValueId value, guint rank, const gint64 *dims)
{
  if (value == ASSAY_NO_VALUE || has_dims (self, value, rank, dims))
    return value;

  return assay_torch_two (self, ASSAY_OP_Expand, value, assay_torch_ints (self, rank, dims));
}

AssayValueId
assay_torch_gather (AssayTorchLower *self, AssayValueId value, AssayValueId indices, gint64 axis)
{
  AssayNodeId node;
  AssayValueId output;

  if (value == ASSAY_NO_VALUE || indices == ASSAY_NO_VALUE)
    return ASSAY_NO_VALUE;
  node = assay_torch_node (self, ASSAY_OP_Gather, 2, (AssayValueId[]){ value, indices }, 1,
                           &output);
  assay_graph_set_int (self->graph, node, "axis", axis);
  assay_torch_infer (self, node);

  return output;
}

/* Concat, GatherElements or ScatterElements along an axis; what is scattered may be joined. */
AssayValueId
assay_torch_elements (AssayTorchLower *self, AssayOp op, guint n, const AssayValueId *inputs,
                      gint64 axis, const char *reduction)
{
  AssayValueId output;
  AssayNodeId node;

  for (guint i = 0; i < n; i++)
    if (inputs[i] == ASSAY_NO_VALUE)
      return ASSAY_NO_VALUE;
  node = assay_torch_node (self, op, n, inputs, 1, &output);
  assay_graph_set_int (self->graph, node, "axis", axis);
  if (reduction != NULL)
    assay_graph_set_string (self->graph, node, "reduction", reduction);
  assay_torch_infer (self, node);

  return output;
}

AssayValueId
assay_torch_concat (AssayTorchLower *self, guint n, const AssayValueId *values, gint64 axis)
{
  return assay_torch_elements (self, ASSAY_OP_Concat, n, values, axis, NULL);
}

AssayValueId
assay_torch_slice (AssayTorchLower *self, AssayValueId value, gint64 axis, gint64 start, gint64 end,
                   gint64 step)
{
  const AssayType *type = assay_torch_type (self, value);

  if (start == 0 && step == 1 &&
      (end == G_MAXINT64 ||
       (type->rank > axis && type->dims[axis].size >= 0 && end >= type->dims[axis].size)))
    return value;

  return plain (
      self, ASSAY_OP_Slice, 5,
      (AssayValueId[]){ value, assay_torch_ints (self, 1, &start), assay_torch_ints (self, 1, &end),
                        assay_torch_ints (self, 1, &axis), assay_torch_ints (self, 1, &step) });
}

AssayValueId
assay_torch_reduce (AssayTorchLower *self, AssayOp op, AssayValueId value, guint n,
                    const gint64 *axes, gboolean keep)
{
  AssayNodeId node;
  AssayValueId output;

  if (value == ASSAY_NO_VALUE || (n == 0 && assay_torch_type (self, value)->rank == 0))
    return value;
  node = assay_torch_node (self, op, 2, (AssayValueId[]){ value, assay_torch_ints (self, n, axes) },
                           1, &output);
  assay_graph_set_int (self->graph, node, "keepdims", keep);
  assay_torch_infer (self, node);

  return output;
}

AssayValueId
assay_torch_unsqueeze (AssayTorchLower *self, AssayValueId value, guint n, const gint64 *axes)
{
  return n == 0
             ? value
             : assay_torch_two (self, ASSAY_OP_Unsqueeze, value, assay_torch_ints (self, n, axes));
}

AssayValueId
assay_torch_shape (AssayTorchLower *self, AssayValueId value)
{
  return assay_torch_one (self, ASSAY_OP_Shape, value);
}

/* A tensor, or a number as a tensor without dimensions. */
AssayValueId
assay_torch_as_value (AssayTorchLower *self, AssayTorchItem *item, AssayDType dtype)
{
  if (item == NULL)
    return ASSAY_NO_VALUE;
  switch (item->kind)
    {
    case ASSAY_TORCH_ITEM_TENSOR:
      return assay_torch_cast (self, assay_torch_read (self, item), dtype);
    case ASSAY_TORCH_ITEM_INT:
    case ASSAY_TORCH_ITEM_BOOL:
      if (item->value != ASSAY_NO_VALUE)
        return assay_torch_cast (self, item->value, dtype);
      return assay_torch_integer (self, dtype, item->i);
    case ASSAY_TORCH_ITEM_FLOAT:
      if (item->value != ASSAY_NO_VALUE)
        return assay_torch_cast (self, item->value, dtype);
      return assay_torch_scalar (self, dtype, item->f);
    default:
      return ASSAY_NO_VALUE;
    }
}

/* A list of integers as a vector; entries may be only known at run time. */
AssayValueId
assay_torch_as_shape (AssayTorchLower *self, const AssayTorchItem *list)
{
  g_autofree AssayValueId *parts = NULL;
  gint64 values[ASSAY_MAX_RANK];
  gboolean is_known = TRUE;
  gint64 axis = 0;

  if (list == NULL || list->kind != ASSAY_TORCH_ITEM_LIST || list->n > ASSAY_MAX_RANK)
    return ASSAY_NO_VALUE;
  for (guint i = 0; i < list->n; i++)
    {
      values[i] = list->items[i]->i;
      is_known &= list->items[i]->value == ASSAY_NO_VALUE;
    }
  if (is_known)
    return assay_torch_ints (self, list->n, values);

  parts = g_new (AssayValueId, list->n);
  for (guint i = 0; i < list->n; i++)
    {
      AssayValueId entry = assay_torch_as_value (self, list->items[i], ASSAY_DTYPE_I64);

      if (entry == ASSAY_NO_VALUE)
        return ASSAY_NO_VALUE;
      parts[i] = assay_torch_unsqueeze (self, entry, 1, &axis);
    }

  return assay_torch_concat (self, list->n, parts, 0);
}

static guint
category (AssayDType dtype)
{
  if (dtype == ASSAY_DTYPE_BOOL)
    return 1;
  if (assay_dtype_is_integer (dtype))
    return 2;

  return assay_dtype_is_float (dtype) ? 3 : 4;
}

/* What two element types become together (torch.result_type). */
AssayDType
assay_torch_join (AssayDType a, AssayDType b)
{
  static const AssayDType wider[] = { ASSAY_DTYPE_I16, ASSAY_DTYPE_I32, ASSAY_DTYPE_I64 };

  if (a == ASSAY_DTYPE_UNDEFINED || a == b)
    return b;
  if (b == ASSAY_DTYPE_UNDEFINED)
    return a;
  if (category (a) != category (b))
    {
      if (MAX (category (a), category (b)) == 4 && MIN (category (a), category (b)) == 3)
        return assay_dtype_bits (a) == 64 && assay_dtype_bits (b) == 64 ? ASSAY_DTYPE_C128
                                                                        : MAX (a, b);
      return category (a) > category (b) ? a : b;
    }
  if (category (a) == 3 && assay_dtype_bits (a) == assay_dtype_bits (b))
    return ASSAY_DTYPE_F32;
  if (category (a) == 2 && assay_dtype_kind (a) != assay_dtype_kind (b))
    {
      guint bits = assay_dtype_bits (assay_dtype_kind (a) == 'U' ? a : b);
      AssayDType other = assay_dtype_kind (a) == 'U' ? b : a;

      if (assay_dtype_bits (other) > bits)
        return other;
      for (guint i = 0; i < G_N_ELEMENTS (wider); i++)
        if (assay_dtype_bits (wider[i]) > bits)
          return wider[i];
      return ASSAY_DTYPE_I64;
    }

  return assay_dtype_bits (a) >= assay_dtype_bits (b) ? a : b;
}

/* What operands become together: tensors before tensors without dimensions before numbers, which
 * count only where they are of a higher kind. */
gboolean
assay_torch_promote (AssayTorchLower *self, guint n, AssayTorchItem *const *items,
                     AssayDType *dtype)
{
  AssayDType found[3] = { ASSAY_DTYPE_UNDEFINED, ASSAY_DTYPE_UNDEFINED, ASSAY_DTYPE_UNDEFINED };
  AssayDType result = ASSAY_DTYPE_UNDEFINED;

  for (guint i = 0; i < n; i++)
    {
      AssayDType own = ASSAY_DTYPE_UNDEFINED;
      guint level = 2;

      if (items[i] == NULL)
        return assay_torch_cannot (self, "an operand is not known");
      if (items[i]->kind == ASSAY_TORCH_ITEM_TENSOR)
        {
          AssayValueId value = assay_torch_read (self, items[i]);

          own = value != ASSAY_NO_VALUE ? assay_torch_dtype (self, value) : own;
          if (own == ASSAY_DTYPE_UNDEFINED)
            return assay_torch_cannot (self, "the element type of an operand is not known");
          level = assay_torch_type (self, value)->rank == 0 ? 1 : 0;
        }
      else if (items[i]->kind == ASSAY_TORCH_ITEM_INT)
        own = ASSAY_DTYPE_I64;
      else if (items[i]->kind == ASSAY_TORCH_ITEM_BOOL)
        own = ASSAY_DTYPE_BOOL;
      else if (items[i]->kind == ASSAY_TORCH_ITEM_FLOAT)
        own = ASSAY_DTYPE_F32;
      else
        return assay_torch_cannot (self, "an operand is neither tensor nor number");
      found[level] = assay_torch_join (found[level], own);
    }

  for (guint i = 0; i < 3; i++)
    if (found[i] != ASSAY_DTYPE_UNDEFINED &&
        (result == ASSAY_DTYPE_UNDEFINED || category (found[i]) > category (result)))
      result = found[i];
  *dtype = result;

  return TRUE;
}
