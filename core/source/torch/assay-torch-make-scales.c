/* assay-torch-make-scales.c
 * SPDX-License-Identifier: Apache-2.0
 *
 * Small integers whose scales are chosen when a model runs, or belong to parts of a tensor: rows,
 * blocks, groups of a row of weights.
 */
#include <float.h>
#include <math.h>

#include "source/torch/assay-torch-make-private.h"

#include "base/assay-sentence.h"

/* Scales for parts of a tensor: what it is seen as, and what they are spread over. */
typedef struct
{
  guint rank;
  gint64 dims[ASSAY_MAX_RANK];  /* of the tensor, with blocks in axes of their own */
  gint64 parts[ASSAY_MAX_RANK]; /* of the scales, to be spread over it */
  guint n_axes;
  gint64 axes[ASSAY_MAX_RANK]; /* that a part has for itself */
} Parts;

/* The ends of the integers that a function makes, those of the type where it does not say. */
static gboolean
get_ends (AssayTorchLower *self, guint index, AssayDType dtype, double ends[2])
{
  gboolean is_signed = dtype == ASSAY_DTYPE_I8 || dtype == ASSAY_DTYPE_I16 ||
                       dtype == ASSAY_DTYPE_I32;
  int bits = (int) assay_dtype_bits (dtype);

  if (!is_signed && dtype != ASSAY_DTYPE_U8 && dtype != ASSAY_DTYPE_U16)
    return assay_torch_cannot (self, "integers of type %s", assay_dtype_name (dtype));
  ends[0] = is_signed ? -ldexp (1.0, bits - 1) : 0.0;
  ends[1] = ldexp (1.0, is_signed ? bits - 1 : bits) - 1.0;
  for (guint i = 0; i < 2; i++)
    if (!assay_torch_is_none (self, index + i) &&
        !assay_torch_get_float (self, index + i, &ends[i]))
      return FALSE;

  return ends[0] < ends[1] ||
         assay_torch_cannot (self, "no integers from %g to %g", ends[0], ends[1]);
}

static AssayValueId
clip (AssayTorchLower *self, AssayValueId value, const double ends[2])
{
  AssayDType dtype = assay_torch_dtype (self, value);

  return assay_torch_three (self, ASSAY_OP_Clip, value, assay_torch_scalar (self, dtype, ends[0]),
                            assay_torch_scalar (self, dtype, ends[1]));
}

/* Rows along the last axis. */
static gboolean
see_rows (AssayTorchLower *self, AssayValueId x, Parts *parts)
{
  if (!assay_torch_dims (self, x, &parts->rank, parts->dims) || parts->rank < 1)
    return assay_torch_cannot (self, "it has no rows");
  parts->n_axes = 1;
  parts->axes[0] = parts->rank - 1;
  for (guint i = 0; i < parts->rank; i++)
    parts->parts[i] = i + 1 < parts->rank ? parts->dims[i] : 1;

  return TRUE;
}

/* Blocks, whose extents an operand has. */
static gboolean
see_blocks (AssayTorchLower *self, AssayValueId x, guint index, Parts *parts)
{
  gint64 blocks[ASSAY_MAX_RANK];
  gint64 dims[ASSAY_MAX_RANK];
  guint rank, n;

  *parts = (Parts){ 0 };
  if (!assay_torch_dims (self, x, &rank, dims) || !assay_torch_get_ints (self, index, blocks, &n))
    return FALSE;
  if (n != rank)
    return assay_torch_cannot (self, "its blocks have rank %u, not %u", n, rank);
  for (guint i = 0; i < rank; i++)
    {
      gboolean splits = blocks[i] != dims[i] && blocks[i] > 1;

      if (blocks[i] < 1 || dims[i] % blocks[i] != 0 || parts->rank + splits >= ASSAY_MAX_RANK)
        return assay_torch_cannot (self, "its blocks do not fill it");
      parts->parts[parts->rank] = dims[i] / blocks[i];
      parts->dims[parts->rank] = splits ? dims[i] / blocks[i] : dims[i];
      if (!splits && blocks[i] > 1)
        parts->axes[parts->n_axes++] = parts->rank;
      parts->rank++;
      if (!splits)
        continue;
      parts->axes[parts->n_axes++] = parts->rank;
      parts->parts[parts->rank] = 1;
      parts->dims[parts->rank++] = blocks[i];
    }

  return TRUE;
}

/* Scales and zero points, so that they are spread over the parts. */
static AssayValueId
spread (AssayTorchLower *self, guint index, const Parts *parts)
{
  gint64 dims[ASSAY_MAX_RANK];
  gint64 n = 1, n_parts = 1;
  AssayValueId value;
  guint rank;

  if (!assay_torch_get_tensor (self, index, &value) || !assay_torch_dims (self, value, &rank, dims))
    return ASSAY_NO_VALUE;
  for (guint i = 0; i < rank; i++)
    n *= dims[i];
  for (guint i = 0; i < parts->rank; i++)
    n_parts *= parts->parts[i];
  if (n != n_parts)
    {
      assay_torch_cannot (self,
                          "it has %" G_GINT64_FORMAT " scale%s for %" G_GINT64_FORMAT " part%s", n,
                          assay_plural ((guint64) n), n_parts, assay_plural ((guint64) n_parts));
      return ASSAY_NO_VALUE;
    }

  return assay_torch_reshape (self, value, parts->rank, parts->parts);
}

static gboolean
give_back (AssayTorchLower *self, AssayValueId made, AssayValueId like, AssayDType dtype)
{
  gint64 dims[ASSAY_MAX_RANK];
  guint rank;

  if (!assay_torch_dims (self, like, &rank, dims))
    return FALSE;

  return assay_torch_result (
      self, 0, assay_torch_reshape (self, assay_torch_cast (self, made, dtype), rank, dims));
}

/* Numbers as whole ones: x / scale + zero, bounded. Rows are rounded with their zero points, blocks
 * before. */
static AssayValueId
round_parts (AssayTorchLower *self, AssayValueId x, const Parts *parts,
             const AssayValueId scales[2], const double ends[2], gboolean rounds_last)
{
  AssayDType of = assay_torch_join (assay_torch_dtype (self, x),
                                    assay_torch_dtype (self, scales[0]));
  AssayValueId factor = assay_torch_cast (
      self, assay_torch_one (self, ASSAY_OP_Reciprocal, scales[0]), of);
  AssayValueId made = assay_torch_reshape (self, x, parts->rank, parts->dims);

  made = assay_torch_two (self, ASSAY_OP_Mul, assay_torch_cast (self, made, of), factor);
  if (!rounds_last)
    made = assay_torch_one (self, ASSAY_OP_Round, made);
  if (scales[1] != ASSAY_NO_VALUE)
    made = assay_torch_two (self, ASSAY_OP_Add, made, assay_torch_cast (self, scales[1], of));
  if (rounds_last)
    made = assay_torch_one (self, ASSAY_OP_Round, made);

  return clip (self, made, ends);
}

static gboolean
narrow (AssayTorchLower *self, AssayValueId x, const Parts *parts, const AssayValueId scales[2],
        const double ends[2], gboolean rounds_last, AssayDType dtype)
{
  return give_back (self, round_parts (self, x, parts, scales, ends, rounds_last), x, dtype);
}

/* Integers as numbers: (x - zero) * scale */
static AssayValueId
scale_parts (AssayTorchLower *self, AssayValueId x, const Parts *parts,
             const AssayValueId scales[2], AssayDType dtype)
{
  AssayDType of = assay_torch_join (dtype, assay_torch_dtype (self, scales[0]));
  AssayValueId made = assay_torch_cast (
      self, assay_torch_reshape (self, x, parts->rank, parts->dims), of);

  if (scales[1] != ASSAY_NO_VALUE)
    made = assay_torch_two (self, ASSAY_OP_Sub, made, assay_torch_cast (self, scales[1], of));
  made = assay_torch_two (self, ASSAY_OP_Mul, made, assay_torch_cast (self, scales[0], of));

  return made;
}

static gboolean
widen (AssayTorchLower *self, AssayValueId x, const Parts *parts, const AssayValueId scales[2],
       AssayDType dtype)
{
  return give_back (self, scale_parts (self, x, parts, scales, dtype), x, dtype);
}

/* quantized_decomposed.quantize_per_token, and what undoes it (argument 1). */
gboolean
assay_torch_make_quantize_rows (AssayTorchLower *self, const AssayTorchRule *rule)
{
  gboolean undoes = rule->argument == 1;
  AssayDType dtype, made = ASSAY_DTYPE_F32;
  AssayValueId scales[2];
  AssayValueId x;
  Parts parts;
  double ends[2];

  if (!assay_torch_get_tensor (self, 0, &x) || !see_rows (self, x, &parts) ||
      !assay_torch_get_dtype (self, 5, &dtype) || !get_ends (self, 3, dtype, ends) ||
      (undoes && !assay_torch_get_dtype (self, 6, &made)))
    return FALSE;
  for (guint i = 0; i < 2; i++)
    if ((scales[i] = spread (self, 1 + i, &parts)) == ASSAY_NO_VALUE)
      return FALSE;

  return undoes ? widen (self, x, &parts, scales, made)
                : narrow (self, x, &parts, scales, ends, TRUE, dtype);
}

/* torchao.quantize_affine, and what undoes it (argument 1). */
gboolean
assay_torch_make_quantize_blocks (AssayTorchLower *self, const AssayTorchRule *rule)
{
  gboolean undoes = rule->argument == 1;
  AssayDType dtype, made = ASSAY_DTYPE_F32;
  AssayValueId scales[2] = { ASSAY_NO_VALUE, ASSAY_NO_VALUE };
  AssayValueId x;
  Parts parts;
  double ends[2];

  if (!assay_torch_get_tensor (self, 0, &x) || !see_blocks (self, x, 1, &parts) ||
      !assay_torch_get_dtype (self, 4, &dtype) || !get_ends (self, 5, dtype, ends) ||
      (undoes && !assay_torch_is_none (self, 7) && !assay_torch_get_dtype (self, 7, &made)) ||
      (scales[0] = spread (self, 2, &parts)) == ASSAY_NO_VALUE)
    return FALSE;
  if (!assay_torch_is_none (self, 3) && (scales[1] = spread (self, 3, &parts)) == ASSAY_NO_VALUE)
    return FALSE;

  return undoes ? widen (self, x, &parts, scales, made)
                : narrow (self, x, &parts, scales, ends, FALSE, dtype);
}

/* The least and the greatest number of each part; zero is always between. */
static void
find_range (AssayTorchLower *self, AssayValueId x, const Parts *parts, gboolean keep,
            AssayValueId range[2])
{
  AssayValueId zero = assay_torch_scalar (self, assay_torch_dtype (self, x), 0.0);

  x = assay_torch_reshape (self, x, parts->rank, parts->dims);
  range[0] = assay_torch_reduce (self, ASSAY_OP_ReduceMin, x, parts->n_axes, parts->axes, keep);
  range[1] = assay_torch_reduce (self, ASSAY_OP_ReduceMax, x, parts->n_axes, parts->axes, keep);
  range[0] = assay_torch_two (self, ASSAY_OP_Min, range[0], zero);
  range[1] = assay_torch_one (self, ASSAY_OP_Relu, range[1]);
}

/* A number that is not below @least. */
static AssayValueId
at_least (AssayTorchLower *self, AssayValueId value, double least)
{
  return assay_torch_two (self, ASSAY_OP_Clip, value,
                          assay_torch_scalar (self, assay_torch_dtype (self, value), least));
}

static AssayValueId
with_number (AssayTorchLower *self, AssayOp op, AssayValueId value, double number)
{
  return assay_torch_two (self, op, value,
                          assay_torch_scalar (self, assay_torch_dtype (self, value), number));
}

static AssayValueId
scale_of_range (AssayTorchLower *self, const AssayValueId range[2], const double ends[2],
                double least)
{
  AssayValueId made = assay_torch_two (self, ASSAY_OP_Sub, range[1], range[0]);

  return at_least (self, with_number (self, ASSAY_OP_Div, made, ends[1] - ends[0]), least);
}

/* What stands for zero: the lower end, as far below as the least number is. */
static AssayValueId
zero_of_range (AssayTorchLower *self, AssayValueId low, AssayValueId scale, const double ends[2])
{
  AssayValueId made = assay_torch_two (self, ASSAY_OP_Div, low, scale);

  made = assay_torch_one (self, ASSAY_OP_Round, made);
  made = assay_torch_two (self, ASSAY_OP_Sub,
                          assay_torch_scalar (self, assay_torch_dtype (self, made), ends[0]), made);

  return clip (self, made, ends);
}

static gboolean
give_scales (AssayTorchLower *self, AssayValueId scale, AssayDType scale_type, AssayValueId zero,
             AssayDType zero_type)
{
  return assay_torch_result (self, 0, assay_torch_cast (self, scale, scale_type)) &&
         assay_torch_result (self, 1, assay_torch_cast (self, zero, zero_type));
}

/* quantized_decomposed.choose_qparams: a scale for all of a tensor. */
gboolean
assay_torch_make_choose_scale (AssayTorchLower *self, const AssayTorchRule *rule)
{
  static const gint64 one[] = { 1 };
  Parts parts = { 0 };
  AssayValueId range[2];
  AssayValueId x, scale;
  double ends[2];
  double least;

  if (!assay_torch_get_tensor (self, 0, &x) ||
      !assay_torch_dims (self, x, &parts.rank, parts.dims) ||
      !assay_torch_get_float (self, 1, &ends[0]) || !assay_torch_get_float (self, 2, &ends[1]) ||
      !assay_torch_get_float (self, 3, &least))
    return FALSE;
  for (parts.n_axes = 0; parts.n_axes < parts.rank; parts.n_axes++)
    parts.axes[parts.n_axes] = parts.n_axes;
  find_range (self, x, &parts, FALSE, range);
  scale = assay_torch_reshape (self, scale_of_range (self, range, ends, least), 1, one);

  return give_scales (self, scale, ASSAY_DTYPE_F64, zero_of_range (self, range[0], scale, ends),
                      ASSAY_DTYPE_I64);
}

/* quantized_decomposed.choose_qparams_per_token_asymmetric: a scale for each row, and as zero what
 * makes the end exact that is farther off. */
gboolean
assay_torch_make_choose_rows (AssayTorchLower *self, const AssayTorchRule *rule)
{
  static const double ends[2] = { G_MININT8, G_MAXINT8 };
  AssayValueId off[2];
  AssayValueId range[2];
  AssayValueId x, scale, zero, sum;
  Parts parts;

  if (!assay_torch_get_tensor (self, 0, &x) || !see_rows (self, x, &parts))
    return FALSE;
  find_range (self, x, &parts, TRUE, range);
  scale = scale_of_range (self, range, ends, FLT_EPSILON);
  for (guint i = 0; i < 2; i++)
    off[i] = assay_torch_two (self, ASSAY_OP_Div, range[i], scale);
  sum = assay_torch_two (self, ASSAY_OP_Add, with_number (self, ASSAY_OP_Add, off[0], ends[0]),
                         with_number (self, ASSAY_OP_Add, off[1], ends[1]));
  for (guint i = 0; i < 2; i++)
    off[i] = assay_torch_two (self, ASSAY_OP_Sub,
                              assay_torch_scalar (self, assay_torch_dtype (self, off[i]), ends[i]),
                              off[i]);
  zero = assay_torch_three (self, ASSAY_OP_Where, with_number (self, ASSAY_OP_Greater, sum, 0.0),
                            off[0], off[1]);
  zero = assay_torch_one (self, ASSAY_OP_Round, clip (self, zero, ends));

  return give_scales (self, scale, ASSAY_DTYPE_F64, zero, ASSAY_DTYPE_I64);
}

/* How torchao says where zero lies. */
typedef enum
{
  ZERO_IN_MIDDLE,     /* one scale to both sides */
  ZERO_WITHOUT_LOSS,  /* the same, so that neither end is cut */
  ZERO_WHERE_IT_FITS, /* as far from the lower end as the least number */
} Zero;

/* The scale of a range with zero in the middle of its integers. */
static AssayValueId
scale_of_sides (AssayTorchLower *self, const AssayValueId range[2], const double ends[2],
                Zero where)
{
  AssayValueId sides[2] = { range[0], range[1] };
  AssayValueId made;

  if (where == ZERO_WITHOUT_LOSS)
    {
      sides[0] = with_number (self, ASSAY_OP_Div, range[0], -ends[0]);
      sides[1] = with_number (self, ASSAY_OP_Div, range[1], ends[1]);
    }
  /* The greater of -low and high, as the delegate has no maximum. */
  made = assay_torch_two (self, ASSAY_OP_Min, sides[0],
                          assay_torch_one (self, ASSAY_OP_Neg, sides[1]));
  made = assay_torch_one (self, ASSAY_OP_Neg, made);

  return where == ZERO_WITHOUT_LOSS
             ? made
             : with_number (self, ASSAY_OP_Div, made, (ends[1] - ends[0]) / 2.0);
}

/* torchao.choose_qparams_affine: a scale for each block. */
gboolean
assay_torch_make_choose_blocks (AssayTorchLower *self, const AssayTorchRule *rule)
{
  static const char *const names[] = { [ZERO_IN_MIDDLE] = "SYMMETRIC",
                                       [ZERO_WITHOUT_LOSS] = "SYMMETRIC_NO_CLIPPING_ERR",
                                       [ZERO_WHERE_IT_FITS] = "ASYMMETRIC" };
  const AssayTorchItem *name = ARG (1);
  AssayDType target, types[2] = { ASSAY_DTYPE_UNDEFINED, ASSAY_DTYPE_I32 };
  AssayValueId range[2];
  AssayValueId x, scale, zero;
  double ends[2];
  double least;
  gint64 dims[ASSAY_MAX_RANK];
  guint where = 0;
  guint rank;
  Parts parts;

  while (where < G_N_ELEMENTS (names) && g_strcmp0 (name->s, names[where]) != 0)
    where++;
  if (where == G_N_ELEMENTS (names))
    return assay_torch_cannot (self, "it maps in another way");
  if (!assay_torch_get_tensor (self, 0, &x) || !see_blocks (self, x, 2, &parts) ||
      !assay_torch_get_dtype (self, 3, &target) || !get_ends (self, 4, target, ends))
    return FALSE;
  types[0] = assay_torch_dtype (self, x);
  for (guint i = 0; i < 2; i++)
    if (!assay_torch_is_none (self, 7 + i) && !assay_torch_get_dtype (self, 7 + i, &types[i]))
      return FALSE;
  least = types[0] == ASSAY_DTYPE_F16 ? 0x1p-10 : FLT_EPSILON;
  if (!assay_torch_is_none (self, 6) && !assay_torch_get_float (self, 6, &least))
    return FALSE;

  find_range (self, x, &parts, FALSE, range);
  if (where == ZERO_WHERE_IT_FITS)
    {
      scale = scale_of_range (self, range, ends, least);
      zero = zero_of_range (self, range[0], scale, ends);
    }
  else
    {
      scale = at_least (self, scale_of_sides (self, range, ends, where), least);
      if (!assay_torch_dims (self, scale, &rank, dims))
        return FALSE;
      /* The middle, below which there is one integer more. */
      zero = assay_torch_fill (self, types[1], rank, dims, trunc ((ends[1] + ends[0] + 1.0) / 2.0));
    }

  return give_scales (self, scale, types[0], zero, types[1]);
}

/* Weights of four bits, two in each byte and 8 above what they are; which comes first is the low
 * half, or the high one. */
static AssayTorchItem *
take_apart (AssayTorchLower *self, guint index, gint64 n_columns, gboolean high_first)
{
  AssayValueId packed;
  AssayTensor *tensor;
  gint64 dims[2];
  g_autofree gint8 *numbers = NULL;
  g_autoptr (GBytes) bytes = NULL;
  g_autoptr (AssayTensor) made = NULL;

  if (!assay_torch_get_tensor (self, index, &packed))
    return NULL;
  tensor = assay_graph_constant (self->graph, packed);
  if (tensor == NULL || assay_tensor_get_rank (tensor) != 2 ||
      assay_dtype_bits (assay_tensor_get_dtype (tensor)) != 8 ||
      2 * assay_tensor_get_dims (tensor)[1] < n_columns)
    {
      assay_torch_cannot (self, "its weights are no known bytes");
      return NULL;
    }
  dims[0] = assay_tensor_get_dims (tensor)[0];
  dims[1] = n_columns;
  numbers = g_new (gint8, (gsize) MAX (dims[0] * dims[1], 1));
  for (gint64 i = 0; i < dims[0] * dims[1]; i++)
    {
      gint64 column = i % n_columns;
      gint64 byte;

      if (!assay_tensor_get_integer (
              tensor, (gsize) (i / n_columns * assay_tensor_get_dims (tensor)[1] + column / 2),
              &byte, NULL))
        return NULL;
      numbers[i] = (gint8) ((((column % 2 == 0) == high_first ? byte >> 4 : byte) & 15) - 8);
    }
  bytes = g_bytes_new (numbers, (gsize) (dims[0] * dims[1]));
  made = assay_tensor_new (ASSAY_DTYPE_I8, 2, dims, bytes, NULL);

  return made != NULL ? assay_torch_tensor (self, assay_torch_keep (self, made)) : NULL;
}

/* The features of what weights are multiplied with. */
static gboolean
get_features (AssayTorchLower *self, AssayTorchItem **x, gint64 *n)
{
  gint64 dims[ASSAY_MAX_RANK];
  guint rank;

  *x = ARG (0);
  if (*x == NULL || (*x)->kind != ASSAY_TORCH_ITEM_TENSOR ||
      !assay_torch_dims (self, (*x)->value, &rank, dims) || rank < 1)
    return assay_torch_cannot (self, "its features are not known");
  *n = dims[rank - 1];

  return TRUE;
}

static gboolean
multiply (AssayTorchLower *self, AssayTorchItem *x, AssayTorchItem *weights, AssayTorchItem *bias)
{
  AssayTorchItem *made = APPLY ("aten.linear", x, weights,
                                bias != NULL ? bias
                                             : assay_torch_item_new (self, ASSAY_TORCH_ITEM_NONE));

  return made != NULL && assay_torch_result_item (self, 0, made);
}

/* et_vk.linear_qcs4w and, with argument 1, aten._weight_int8pack_mm: a scale for each row of
 * weights. */
gboolean
assay_torch_make_linear_channels (AssayTorchLower *self, const AssayTorchRule *rule)
{
  AssayTorchItem *x;
  AssayTorchItem *weights;
  gint64 n;

  if (!get_features (self, &x, &n))
    return FALSE;
  weights = rule->argument == 1 ? ARG (1) : take_apart (self, 1, n, TRUE);
  if (weights == NULL)
    return FALSE;
  weights = APPLY ("quantized_decomposed.dequantize_per_channel", weights, ARG (2),
                   assay_torch_item_new (self, ASSAY_TORCH_ITEM_NONE), INT (0), INT (G_MININT8),
                   INT (G_MAXINT8), INT (assay_torch_code_of_dtype (ASSAY_DTYPE_I8)));

  return multiply (self, x, weights, NULL);
}

/* What rows of eight bits, with operands 1 and 2 as their scales and zero points, keep of numbers.
 */
static AssayTorchItem *
round_rows (AssayTorchLower *self, AssayTorchItem *x)
{
  static const double ends[2] = { G_MININT8, G_MAXINT8 };
  AssayDType dtype = assay_torch_dtype (self, x->value);
  AssayValueId scales[2];
  AssayValueId made;
  Parts parts;

  if (!see_rows (self, x->value, &parts))
    return NULL;
  for (guint i = 0; i < 2; i++)
    if ((scales[i] = spread (self, 1 + i, &parts)) == ASSAY_NO_VALUE)
      return NULL;
  made = round_parts (self, x->value, &parts, scales, ends, TRUE);
  made = scale_parts (self, made, &parts, scales, dtype);

  return assay_torch_tensor (self, assay_torch_cast (self, made, dtype));
}

/* et_vk.linear_q4gsw: a scale for each group of a row; scales stand in columns, which may be more
 * than there are rows. With argument 1 (et_vk.linear_dq8ca_q4gsw) rows of what is multiplied have
 * eight bits and a scale. */
gboolean
assay_torch_make_linear_groups (AssayTorchLower *self, const AssayTorchRule *rule)
{
  guint at = rule->argument == 1 ? 3 : 1;
  guint scales_at = rule->argument == 1 ? 5 : 2;
  AssayTorchItem *x, *weights, *scales;
  AssayTorchItem *bias = ARG (scales_at + 2);
  AssayValueId inputs[2];
  AssayValueId output;
  AssayNodeId node;
  gint64 n, rows, group;
  gint64 dims[ASSAY_MAX_RANK];
  guint rank;

  if (!get_features (self, &x, &n) || !assay_torch_get_int (self, scales_at + 1, &group) ||
      (weights = take_apart (self, at, n, FALSE)) == NULL ||
      !assay_torch_dims (self, weights->value, &rank, dims))
    return FALSE;
  rows = dims[0];
  scales = assay_torch_cut (self, ARG (scales_at), 1, rows);
  if (scales != NULL)
    scales = APPLY ("aten.transpose.int", scales, INT (0), INT (1));
  if (scales == NULL || !assay_torch_dims (self, scales->value, &rank, dims) || rank != 2 ||
      group < 1 || dims[0] != rows || dims[1] * group != n)
    return assay_torch_cannot (self, "its groups do not fill the rows of its weights");

  inputs[0] = weights->value;
  inputs[1] = assay_torch_read (self, scales);
  node = assay_torch_node (self, ASSAY_OP_DequantizeLinear, 2, inputs, 1, &output);
  assay_graph_set_int (self->graph, node, "axis", 1);
  assay_graph_set_int (self->graph, node, "block_size", group);
  assay_torch_infer (self, node);
  if (rule->argument == 1 && (x = round_rows (self, x)) == NULL)
    return FALSE;

  return multiply (self, x, assay_torch_tensor (self, output),
                   assay_torch_cut (self, bias, 0, rows));
}
