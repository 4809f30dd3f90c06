/* assay-fold.c
 * SPDX-License-Identifier: Apache-2.0
 */
#include "nnir/pass/assay-fold.h"

#include <string.h>

#include "base/assay-bf16.h"

/* What shapes are computed with. Other operators are left to the evaluator. */
static const AssayFoldFunc folds[ASSAY_N_OPS] = {
  [ASSAY_OP_Abs] = assay_fold_unary,
  [ASSAY_OP_Add] = assay_fold_binary,
  [ASSAY_OP_And] = assay_fold_binary,
  [ASSAY_OP_Cast] = assay_fold_cast,
  [ASSAY_OP_CastLike] = assay_fold_cast,
  [ASSAY_OP_Ceil] = assay_fold_unary,
  [ASSAY_OP_Concat] = assay_fold_concat,
  [ASSAY_OP_Constant] = assay_fold_constant,
  [ASSAY_OP_ConstantOfShape] = assay_fold_constant_of_shape,
  [ASSAY_OP_Div] = assay_fold_binary,
  [ASSAY_OP_Equal] = assay_fold_binary,
  [ASSAY_OP_Expand] = assay_fold_expand,
  [ASSAY_OP_Flatten] = assay_fold_same_elements,
  [ASSAY_OP_Floor] = assay_fold_unary,
  [ASSAY_OP_Gather] = assay_fold_gather,
  [ASSAY_OP_Greater] = assay_fold_binary,
  [ASSAY_OP_GreaterOrEqual] = assay_fold_binary,
  [ASSAY_OP_Identity] = assay_fold_same_elements,
  [ASSAY_OP_If] = assay_fold_if,
  [ASSAY_OP_Less] = assay_fold_binary,
  [ASSAY_OP_LessOrEqual] = assay_fold_binary,
  [ASSAY_OP_Max] = assay_fold_binary,
  [ASSAY_OP_Min] = assay_fold_binary,
  [ASSAY_OP_Mod] = assay_fold_binary,
  [ASSAY_OP_Mul] = assay_fold_binary,
  [ASSAY_OP_Neg] = assay_fold_unary,
  [ASSAY_OP_NonZero] = assay_fold_non_zero,
  [ASSAY_OP_Not] = assay_fold_unary,
  [ASSAY_OP_Or] = assay_fold_binary,
  [ASSAY_OP_Pow] = assay_fold_binary,
  [ASSAY_OP_Range] = assay_fold_range,
  [ASSAY_OP_Reciprocal] = assay_fold_unary,
  [ASSAY_OP_ReduceMax] = assay_fold_reduce,
  [ASSAY_OP_ReduceMin] = assay_fold_reduce,
  [ASSAY_OP_ReduceProd] = assay_fold_reduce,
  [ASSAY_OP_ReduceSum] = assay_fold_reduce,
  [ASSAY_OP_Reshape] = assay_fold_same_elements,
  [ASSAY_OP_Round] = assay_fold_unary,
  [ASSAY_OP_ScatterND] = assay_fold_scatter_nd,
  [ASSAY_OP_SequenceLength] = assay_fold_sequence_length,
  [ASSAY_OP_Shape] = assay_fold_shape,
  [ASSAY_OP_Sign] = assay_fold_unary,
  [ASSAY_OP_Size] = assay_fold_size,
  [ASSAY_OP_Slice] = assay_fold_slice,
  [ASSAY_OP_Split] = assay_fold_split,
  [ASSAY_OP_Sqrt] = assay_fold_unary,
  [ASSAY_OP_Squeeze] = assay_fold_same_elements,
  [ASSAY_OP_Sub] = assay_fold_binary,
  [ASSAY_OP_Sum] = assay_fold_binary,
  [ASSAY_OP_Tile] = assay_fold_tile,
  [ASSAY_OP_Transpose] = assay_fold_transpose,
  [ASSAY_OP_Unsqueeze] = assay_fold_same_elements,
  [ASSAY_OP_Where] = assay_fold_where,
  [ASSAY_OP_Xor] = assay_fold_binary,
};

/**
 * assay_infer_fold:
 * @context: the context of one node, the types of whose outputs are inferred
 *
 * Computes the elements of the outputs of a node if it does shape arithmetic and enough is known.
 */
void
assay_infer_fold (AssayShapeContext *context)
{
  if (folds[context->node->op] != NULL)
    folds[context->node->op](context);
}

/**
 * assay_fold_output:
 * @self: a context
 * @output: which output
 *
 * Makes room for the elements of an output whose shape is known.
 *
 * Returns: (transfer none) (nullable): the elements, all unknown, or %NULL if they cannot be kept
 */
AssayElements *
assay_fold_output (AssayShapeContext *self, guint output)
{
  AssayValueId id = assay_node_output (self->node, output);
  const AssayType *type;
  gint64 dims[ASSAY_MAX_RANK];

  if (id == ASSAY_NO_VALUE)
    return NULL;

  type = assay_graph_value (self->graph, id)->type;
  if (!assay_type_is_static (type) || type->rank > ASSAY_MAX_RANK)
    return NULL;

  for (int i = 0; i < type->rank; i++)
    dims[i] = type->dims[i].size;

  return assay_infer_new_elements (self->infer, type->dtype, (guint) type->rank, dims);
}

/**
 * assay_fold_set:
 * @self: a context
 * @output: which output
 * @elements: (nullable): its elements
 *
 * Says what is known of the elements of an output.
 */
void
assay_fold_set (AssayShapeContext *self, guint output, AssayElements *elements)
{
  AssayValueId id = assay_node_output (self->node, output);

  if (elements != NULL && id != ASSAY_NO_VALUE)
    assay_infer_set_elements (self->infer, id, elements);
}

/* Whether an integer is in the range of its type. */
static gboolean
in_range (AssayDType dtype, gint64 value)
{
  guint bits = assay_dtype_bits (dtype);

  if (dtype == ASSAY_DTYPE_BOOL)
    return value == 0 || value == 1;
  if (assay_dtype_kind (dtype) == 'U')
    return value >= 0 && (bits == 64 || value < G_GINT64_CONSTANT (1) << bits);

  return bits == 64 || (value >= -(G_GINT64_CONSTANT (1) << (bits - 1)) &&
                        value < G_GINT64_CONSTANT (1) << (bits - 1));
}

/**
 * assay_fold_round:
 * @dtype: an element type
 * @scalar: a number
 *
 * Brings a number to the precision of an element type; an integer that does not fit becomes
 * unknown.
 *
 * Returns: the number as that type holds it
 */
AssayScalar
assay_fold_round (AssayDType dtype, AssayScalar scalar)
{
  if (scalar.kind == ASSAY_SCALAR_INT && !assay_dtype_is_float (dtype) &&
      !in_range (dtype, scalar.u.i))
    return assay_scalar_unknown ();

  if (scalar.kind == ASSAY_SCALAR_FLOAT)
    {
      switch (dtype)
        {
        case ASSAY_DTYPE_F64:
          break;
        case ASSAY_DTYPE_F32:
          scalar.u.f = (float) scalar.u.f;
          break;
        case ASSAY_DTYPE_F16:
          scalar.u.f = assay_f16_to_f32 (assay_f16_from_f32 ((float) scalar.u.f));
          break;
        case ASSAY_DTYPE_BF16:
          scalar.u.f = assay_bf16_to_f32 (assay_bf16_from_f32 ((float) scalar.u.f));
          break;
        default:
          return assay_scalar_unknown ();
        }
    }

  return scalar;
}

/**
 * assay_elements_to_tensor:
 * @self: elements that are all known
 *
 * Makes a tensor of elements.
 *
 * Returns: (transfer full) (nullable): the tensor, or %NULL for an element type that is not written
 */
AssayTensor *
assay_elements_to_tensor (const AssayElements *self)
{
  guint size = assay_dtype_bits (self->dtype) / 8;
  g_autoptr (GBytes) bytes = NULL;
  guint8 *data;

  if (size == 0 || (assay_dtype_is_float (self->dtype) && self->dtype != ASSAY_DTYPE_F32 &&
                    self->dtype != ASSAY_DTYPE_F64 && self->dtype != ASSAY_DTYPE_F16 &&
                    self->dtype != ASSAY_DTYPE_BF16))
    return NULL;

  data = g_malloc0 (MAX (self->n * size, 1));
  for (gsize i = 0; i < self->n; i++)
    {
      AssayScalar item = self->items[i];
      double f = item.kind == ASSAY_SCALAR_FLOAT ? item.u.f : (double) item.u.i;
      guint64 raw = (guint64) item.u.i;

      if (self->dtype == ASSAY_DTYPE_F64)
        memcpy (&raw, &f, sizeof raw);
      else if (self->dtype == ASSAY_DTYPE_F32)
        raw = assay_f32_bits ((float) f);
      else if (self->dtype == ASSAY_DTYPE_F16)
        raw = assay_f16_from_f32 ((float) f);
      else if (self->dtype == ASSAY_DTYPE_BF16)
        raw = assay_bf16_from_f32 ((float) f);

      memcpy (data + i * size, &raw, size);
    }

  bytes = g_bytes_new_take (data, self->n * size);

  return assay_tensor_new (self->dtype, self->rank, self->dims, bytes, NULL);
}
