/* assay-lower-product.c
 * SPDX-License-Identifier: Apache-2.0
 *
 * MatMul, Gemm and Linear. With a constant side every line of the other is multiplied with a
 * matrix; with two run-time sides one vector after another is scaled by a lane and added. Both sum
 * in the same order.
 */
#include <string.h>

#include "backend/stream/compile/assay-lower-private.h"
#include "nnir/assay-node-product.h"

/* Rows and columns of weights that lie in the first cache together. */
#define TILE 32

typedef struct
{
  AssayLowTensor *tensor;
  int contracted; /* the axis that is summed over */
  int kept;       /* the axis that stays, or -1 for a vector */
  int out;        /* where it is in the result */
} Side;

typedef struct
{
  AssayLowTensor *out;
  Side side[2]; /* left, right */
  gint64 extent;
  float alpha;
  float beta;
  guint bias; /* input, if there is one */
} Product;

static void
describe (AssayLower *self, Product *p)
{
  AssayNodeProduct product = assay_node_get_product (self->node);
  int rank;

  p->out = assay_lower_output (self, 0);
  p->alpha = (float) product.alpha;
  p->beta = (float) product.beta;
  p->bias = 2;
  rank = (int) p->out->rank;

  for (guint i = 0; i < 2; i++)
    {
      Side *side = &p->side[i];
      int own;

      side->tensor = assay_lower_input (self, product.inputs[i]);
      own = (int) side->tensor->rank;
      side->contracted = assay_node_product_contracted (&product, i, own);
      side->kept = own == 1 ? -1 : 2 * own - 3 - side->contracted;
    }

  p->side[1].out = p->side[1].kept < 0 ? -1 : rank - 1;
  p->side[0].out = p->side[0].kept < 0 ? -1 : p->side[1].kept < 0 ? rank - 1 : rank - 2;
  p->extent = p->side[0].tensor->dims[p->side[0].contracted];
}

/* The index of one side's element that meets an element of the result at step k of the sum. */
static void
side_index (const Product *p, guint which, const gint64 *index, gint64 k, gint64 *at)
{
  const Side *side = &p->side[which];
  guint n_kept = (p->side[0].kept >= 0) + (p->side[1].kept >= 0);
  guint n_batch = side->tensor->rank > 2 ? side->tensor->rank - 2 : 0;
  guint skip = p->out->rank - n_kept - n_batch;

  for (guint i = 0; i < n_batch; i++)
    at[i] = side->tensor->dims[i] == 1 ? 0 : index[i + skip];
  if (side->kept >= 0)
    at[side->kept] = index[side->out];
  at[side->contracted] = k;
}

static gsize
flat_of (const AssayLowTensor *tensor, const gint64 *index)
{
  gsize flat = 0;

  for (guint i = 0; i < tensor->rank; i++)
    flat = flat * (gsize) tensor->dims[i] + (gsize) index[i];

  return flat;
}

/* Whether a constant differs along the lanes of the result alone, so that sums can start from it.
 */
static gboolean
starts_sums (const Product *p, const AssayLowTensor *bias, int lanes_axis)
{
  if (bias->vectors != NULL)
    return FALSE;

  for (guint i = 0; i < bias->rank; i++)
    {
      if (bias->dims[i] != 1 && (int) (i + p->out->rank - bias->rank) != lanes_axis)
        return FALSE;
    }

  return TRUE;
}

static gboolean
start_operand (AssayLower *self, const Product *p, AssayLowTensor *bias, guint32 lanes,
               AssayLirOperand *operand, GError **error)
{
  g_autofree float *values = NULL;
  g_autofree float *spread = g_new (float, lanes);
  gsize n;

  if (!assay_lower_floats (bias->constant, &values, &n, error))
    return FALSE;
  for (guint32 i = 0; i < lanes; i++)
    spread[i] = values[n == 1 ? 0 : i] * p->beta;
  *operand = assay_lower_bias (self, lanes, spread);

  return TRUE;
}

/* Scales and moves a finished sum where the sum could not start from the bias. */
static AssayLirId
finish (AssayLower *self, const Product *p, AssayLirId acc, guint32 v, float alpha, gboolean biased)
{
  AssayLowTensor *bias = biased ? assay_lower_input (self, p->bias) : NULL;
  AssayLirOperand sum = assay_lir_use (acc);
  AssayLirOperand factor = assay_lir_immediate (alpha);
  AssayLirOperand beta = assay_lir_immediate (p->beta);
  guint32 lanes = p->out->lanes;
  AssayLirId d;

  if (bias == NULL && alpha == 1)
    return assay_lower_emit_drain (self, acc, lanes);

  factor.exact = TRUE;
  beta.exact = TRUE;
  if (alpha != 1)
    {
      d = bias == NULL ? assay_lower_new_vector (self, ASSAY_TENSOR_ACTIVATION, lanes)
                       : assay_lower_new_scratch (self, lanes);
      assay_lower_emit (self, ASSAY_OPCODE_MUL, d,
                        bias == NULL ? ASSAY_ROUND_BF16 : ASSAY_ROUND_F32, sum, factor);
      if (bias == NULL)
        return d;
      sum = assay_lir_use (d);
    }

  {
    AssayLirOperand moved = assay_lower_operand (self, bias, p->out, v);

    moved.exact = bias->vectors == NULL;
    if (p->beta != 1)
      {
        d = assay_lower_new_scratch (self, lanes);
        assay_lower_emit (self, ASSAY_OPCODE_MUL, d, ASSAY_ROUND_F32, moved, beta);
        moved = assay_lir_use (d);
      }
    d = assay_lower_new_vector (self, ASSAY_TENSOR_ACTIVATION, lanes);
    assay_lower_emit (self, ASSAY_OPCODE_ADD, d, ASSAY_ROUND_BF16, sum, moved);
  }

  return d;
}

/* Puts single results into the lanes of a vector. */
static void
put_lane (AssayLower *self, AssayLirId d, guint32 lane, guint32 lanes, AssayLirId value)
{
  assay_lower_shift (self, d, assay_lir_use (value), 0, lane, 1, lane == 0 ? lanes : 0);
}

/* Where the element of a constant side stands that meets an element of the result at step k. */
static gsize
side_place (const Product *p, guint which, const gint64 *index, gint64 k)
{
  gint64 at[ASSAY_MAX_RANK];

  side_index (p, which, index, k, at);

  return flat_of (p->side[which].tensor, at);
}

/* The matrix that meets one line of the run-time side; equal ones are stored once. Copied in tiles,
 * since weights often stand the other way round. */
static guint32
weight_matrix (AssayLower *self, const Product *p, guint constant, const AssayLooseFloat *values,
               const gint64 *index, guint32 n_out)
{
  const Side *side = &p->side[constant];
  gsize extent = (gsize) p->extent;
  float *matrix = assay_lower_new_matrix (n_out, extent);
  gint64 out_index[ASSAY_MAX_RANK] = { 0 };
  gsize first, row = 0, column;

  memcpy (out_index, index, p->out->rank * sizeof *index);
  if (side->out >= 0)
    out_index[side->out] = 0;
  first = side_place (p, constant, out_index, 0);
  column = side_place (p, constant, out_index, 1) - first;
  if (side->out >= 0)
    {
      out_index[side->out] = 1;
      row = side_place (p, constant, out_index, 0) - first;
    }

  for (gsize o = 0; o < n_out; o += TILE)
    for (gsize k = 0; k < extent; k += TILE)
      for (gsize i = o; i < MIN (o + TILE, n_out); i++)
        for (gsize j = k; j < MIN (k + TILE, extent); j++)
          matrix[i * extent + j] = p->alpha * values[first + i * row + j * column];

  return assay_lower_add_matrix (self, n_out, (guint32) extent, matrix);
}

static AssayLirId
line_product (AssayLower *self, const Product *p, guint constant, const AssayLooseFloat *values,
              const gint64 *index, guint32 n_out, guint32 layer, AssayLirOperand bias,
              guint32 *matrix)
{
  const AssayLowTensor *x = p->side[1 - constant].tensor;
  AssayLirId acc = assay_lower_new_accumulator (self, n_out, layer, FALSE);
  gint64 at[ASSAY_MAX_RANK];
  guint32 vector, lane;

  side_index (p, 1 - constant, index, 0, at);
  assay_lower_locate (x, at, &vector, &lane);
  /* A weight without batch axes is the same for every line. */
  if (*matrix == G_MAXUINT32 || p->side[constant].tensor->rank > 2)
    *matrix = weight_matrix (self, p, constant, values, index, n_out);
  assay_lower_emit_start (self, acc, layer, bias, FALSE);
  assay_lower_emit_product (self, acc, layer, *matrix, assay_lir_use (x->vectors[vector]), FALSE);

  return acc;
}

/* Lines of the run-time side along the contracted axis; the result lies along the axis of the
 * constant that stays. */
static gboolean
lower_by_matrix (AssayLower *self, Product *p, guint constant, GError **error)
{
  const Side *side = &p->side[constant];
  AssayLowTensor *bias = assay_lower_input (self, p->bias);
  guint32 n_out = side->kept < 0 ? 1 : (guint32) side->tensor->dims[side->kept];
  gboolean direct = side->out == p->out->data_dim || p->out->rank == 0;
  gboolean starts = bias != NULL && direct && starts_sums (p, bias, side->out);
  guint32 layer = assay_lower_add_layer (self, assay_lir_blocks (self->lir, n_out), 1);
  guint32 matrix = G_MAXUINT32;
  AssayLirOperand start = { 0 };
  g_autofree float *own = NULL;
  const AssayLooseFloat *values;

  if (!direct && n_out != 1)
    return assay_lower_refuse (
        self, error,
        "the result must lie along the axis that the weights put in place of the contracted "
        "one");
  values = assay_lower_weights (side->tensor->constant, &own, error);
  if (values == NULL || (starts && !start_operand (self, p, bias, n_out, &start, error)))
    return FALSE;

  for (guint32 v = 0; v < p->out->n_vectors; v++)
    {
      gint64 index[ASSAY_MAX_RANK];
      AssayLirId acc, d;

      assay_lower_index (p->out, v, index);
      if (direct)
        {
          acc = line_product (self, p, constant, values, index, n_out, layer, start, &matrix);
          p->out->vectors[v] = finish (self, p, acc, v, 1, bias != NULL && !starts);
          continue;
        }

      if (bias != NULL)
        return assay_lower_refuse (self, error, "a product with a vector takes no bias");
      d = assay_lower_new_vector (self, ASSAY_TENSOR_ACTIVATION, p->out->lanes);
      p->out->vectors[v] = d;
      for (guint32 lane = 0; lane < p->out->lanes; lane++)
        {
          index[p->out->data_dim] = lane;
          acc = line_product (self, p, constant, values, index, 1, layer, start, &matrix);
          put_lane (self, d, lane, p->out->lanes, assay_lower_emit_drain (self, acc, 1));
        }
    }

  return TRUE;
}

/* The row of a constant side that the lanes of the result meet at step k, scaled as a whole matrix
 * would be. */
static AssayLirOperand
constant_lanes (AssayLower *self, const Product *p, guint which, gint64 *index, gint64 k)
{
  const AssayLowTensor *tensor = p->side[which].tensor;
  g_autofree float *values = g_new (float, p->out->lanes);
  gint64 at[ASSAY_MAX_RANK];

  for (guint32 i = 0; i < p->out->lanes; i++)
    {
      double value = 0;

      if (p->out->data_dim >= 0)
        index[p->out->data_dim] = i;
      side_index (p, which, index, k, at);
      assay_tensor_get_element (tensor->constant, flat_of (tensor, at), &value, NULL);
      values[i] = p->alpha * (float) value;
    }

  return (AssayLirOperand){
    .kind = ASSAY_LIR_CONSTANT,
    .id = assay_lir_add_constant (self->lir, p->out->lanes, values),
  };
}

/* The values that the lanes of the result meet at step k: a vector that exists, or one made of
 * lanes of others. */
static AssayLirOperand
lane_values (AssayLower *self, const Product *p, guint which, gint64 *index, gint64 k)
{
  const Side *side = &p->side[which];
  const AssayLowTensor *tensor = side->tensor;
  gint64 at[ASSAY_MAX_RANK];
  guint32 vector, lane;
  AssayLirId d;

  if (tensor->vectors == NULL)
    return constant_lanes (self, p, which, index, k);
  if (tensor->data_dim == side->kept)
    {
      side_index (p, which, index, k, at);
      assay_lower_locate (tensor, at, &vector, &lane);
      return assay_lir_use (tensor->vectors[vector]);
    }

  d = assay_lower_new_vector (self, ASSAY_TENSOR_ACTIVATION, p->out->lanes);
  for (guint32 i = 0; i < p->out->lanes; i++)
    {
      if (p->out->data_dim >= 0)
        index[p->out->data_dim] = i;
      side_index (p, which, index, k, at);
      assay_lower_locate (tensor, at, &vector, &lane);
      assay_lower_shift (self, d, assay_lir_use (tensor->vectors[vector]), lane, i, 1,
                         i == 0 ? p->out->lanes : 0);
    }

  return assay_lir_use (d);
}

/* One value of the other side, for all lanes. */
static AssayLirOperand
scale_value (AssayLower *self, const Product *p, guint which, const gint64 *index, gint64 k)
{
  const AssayLowTensor *tensor = p->side[which].tensor;
  gint64 at[ASSAY_MAX_RANK];
  guint32 vector, lane;
  AssayLirOp *op;
  AssayLirId d;

  side_index (p, which, index, k, at);
  if (tensor->vectors == NULL)
    {
      double value = 0;

      assay_tensor_get_element (tensor->constant, flat_of (tensor, at), &value, NULL);
      return assay_lir_immediate (p->alpha * (float) value);
    }

  assay_lower_locate (tensor, at, &vector, &lane);
  d = assay_lower_new_scratch (self, 1);
  op = assay_lir_add_op (self->lir, ASSAY_OPCODE_SPREAD, self->id, d, tensor->lanes,
                         ASSAY_ROUND_F32);
  op->a = assay_lir_use (tensor->vectors[vector]);
  op->low.lane = lane;

  return assay_lir_use_repeat (d);
}

/* Vector after vector along the contracted axis, each scaled by one value of the other side. */
static gboolean
lower_by_vectors (AssayLower *self, Product *p, GError **error)
{
  AssayLowTensor *out = p->out;
  AssayLowTensor *bias = assay_lower_input (self, p->bias);
  guint by_lanes = out->data_dim >= 0 && out->data_dim == p->side[0].out ? 0 : 1;
  gboolean is_constant = p->side[0].tensor->vectors == NULL || p->side[1].tensor->vectors == NULL;
  guint32 layer;

  if (out->data_dim >= 0 && out->data_dim != p->side[by_lanes].out)
    return assay_lower_refuse (self, error, "the result must lie along one of its last two axes");
  layer = assay_lower_add_layer (self, assay_lir_blocks (self->lir, out->lanes), 1);
  for (guint32 v = 0; v < out->n_vectors; v++)
    {
      AssayLirId acc = assay_lower_new_accumulator (self, out->lanes, layer, FALSE);
      gint64 index[ASSAY_MAX_RANK];

      assay_lower_index (out, v, index);
      assay_lower_emit_start (self, acc, layer, (AssayLirOperand){ 0 }, FALSE);
      for (gint64 k = 0; k < p->extent; k++)
        {
          AssayLirOperand factor = scale_value (self, p, 1 - by_lanes, index, k);
          AssayLirOperand lanes = lane_values (self, p, by_lanes, index, k);

          assay_lower_emit (self, ASSAY_OPCODE_SCALE_ADD, acc, ASSAY_ROUND_F32, lanes, factor)
              ->layer = layer;
        }
      out->vectors[v] = finish (self, p, acc, v, is_constant ? 1 : p->alpha, bias != NULL);
    }

  return TRUE;
}

gboolean
assay_lower_product (AssayLower *self, GError **error)
{
  Product p = { 0 };
  gboolean run_time;

  if (assay_lower_input (self, 0)->rank == 0 || assay_lower_input (self, 1)->rank == 0)
    return assay_lower_refuse (self, error, "a scalar has no axis to sum over");

  describe (self, &p);
  run_time = p.side[0].tensor->vectors != NULL && p.side[1].tensor->vectors != NULL;
  if (run_time && !self->dynamic_weights)
    return assay_lower_refuse (
        self, error, "both sides are computed at run time; allow dynamic weights to compile it");

  for (guint constant = 0; constant < 2 && !run_time; constant++)
    {
      const Side *other = &p.side[1 - constant];

      if (p.side[constant].tensor->vectors == NULL && other->tensor->data_dim == other->contracted)
        return lower_by_matrix (self, &p, constant, error);
    }
  if (!self->dynamic_weights)
    return assay_lower_refuse (self, error,
                               "the contracted dimension must be the data dimension of the input");

  return lower_by_vectors (self, &p, error);
}
