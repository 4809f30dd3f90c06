/* assay-lower-matrix.c
 * SPDX-License-Identifier: Apache-2.0
 *
 * Products with constant matrices. The order of the sum is that of docs/numerics.md: bias, then old state from the
 * oldest tap to the newest, then the present input.
 */
#include <string.h>

#include "compile/assay-lower-private.h"

static AssayLirId
new_accumulator (AssayLower *self,
                 guint32     lanes,
                 guint32     layer,
                 gboolean    persistent)
{
  AssayLirId id = assay_lower_new_vector (self, ASSAY_TENSOR_SCRATCH, lanes);
  AssayLirVector *vector = assay_lir_vector (self->lir, id);

  vector->store = ASSAY_STORE_ACCUMULATOR;
  vector->layer = layer;
  vector->persistent = persistent;

  return id;
}

static void
emit_start (AssayLower      *self,
            AssayLirId       acc,
            guint32          layer,
            AssayLirOperand  bias,
            gboolean         deferred)
{
  AssayLirOp *op = assay_lower_emit (self, ASSAY_OPCODE_START, acc, ASSAY_ROUND_F32, (AssayLirOperand) { 0 }, bias);

  op->layer = layer;
  op->deferred = deferred;
}

static void
emit_product (AssayLower      *self,
              AssayLirId       acc,
              guint32          layer,
              guint32          matrix,
              AssayLirOperand  x,
              gboolean         deferred)
{
  AssayLirOp *op = assay_lower_emit (self, ASSAY_OPCODE_MATRIX, acc, ASSAY_ROUND_F32, x, (AssayLirOperand) { 0 });

  op->layer = layer;
  op->matrix = matrix;
  op->deferred = deferred;
}

static AssayLirId
emit_drain (AssayLower *self,
            AssayLirId  acc,
            guint32     lanes)
{
  AssayLirId d = assay_lower_new_vector (self, ASSAY_TENSOR_ACTIVATION, lanes);

  assay_lower_emit (self, ASSAY_OPCODE_MOVE, d, ASSAY_ROUND_BF16, assay_lir_use (acc), (AssayLirOperand) { 0 });

  return d;
}

/* A bias of as many values as the layer has outputs; scalars and rows of one are spread. */
static gboolean
read_bias (AssayLower       *self,
           guint             index,
           guint32           n,
           float             scale,
           AssayLirOperand  *bias,
           GError          **error)
{
  AssayValueId id = assay_node_input (self->node, index);
  g_autofree float *values = NULL;
  g_autofree float *spread = NULL;
  gsize count;

  *bias = (AssayLirOperand) { 0 };
  if (id == ASSAY_NO_VALUE)
    return TRUE;
  if (assay_graph_constant (self->graph, id) == NULL)
    return assay_lower_refuse (self, error, "the bias %s must be constant", assay_graph_value (self->graph, id)->name);
  if (!assay_lower_floats (assay_graph_constant (self->graph, id), &values, &count, error))
    return FALSE;
  if (count != n && count != 1)
    return assay_lower_refuse (self, error, "the bias has %" G_GSIZE_FORMAT " values, %u were expected", count, n);

  spread = g_new (float, n);
  for (guint32 i = 0; i < n; i++)
    spread[i] = values[count == 1 ? 0 : i] * scale;

  *bias = (AssayLirOperand) { .kind = ASSAY_LIR_CONSTANT, .exact = TRUE, .id = assay_lir_add_constant (self->lir, n, spread) };
  return TRUE;
}

gboolean
assay_lower_linear (AssayLower  *self,
                    GError     **error)
{
  AssayLowTensor *x = assay_lower_input (self, 0);
  AssayLowTensor *out = assay_lower_output (self, 0);
  AssayTensor *weight = assay_graph_constant (self->graph, assay_node_input (self->node, 1));
  gboolean left = g_str_equal (assay_node_get_string (self->node, "side", "right"), "left");
  gboolean transposed = assay_node_get_int (self->node, "transpose_weight", 0) != 0;
  float alpha = (float) assay_node_get_float (self->node, "alpha", 1.0);
  g_autofree float *values = NULL;
  float *matrix;
  gsize n;
  guint32 id, layer;
  AssayLirOperand bias;
  guint32 n_in = x->lanes;
  guint32 n_out = out->lanes;
  gboolean by_rows;

  if (weight == NULL || assay_tensor_get_rank (weight) != 2)
    return assay_lower_refuse (self, error, "the weight must be a constant matrix");
  if (!assay_lower_floats (weight, &values, &n, error))
    return FALSE;
  if (n != (gsize) n_in * n_out || x->n_vectors != out->n_vectors)
    return assay_lower_refuse (self, error, "the contracted dimension must be the data dimension of the input");

  /* Rows of the matrix are outputs: y = x W keeps them in the columns of W, and y = W x in its rows. */
  by_rows = left != transposed;
  matrix = g_new (float, n);
  for (guint32 o = 0; o < n_out; o++)
    {
      for (guint32 k = 0; k < n_in; k++)
        matrix[(gsize) o * n_in + k] = alpha * (by_rows ? values[(gsize) o * n_in + k] : values[(gsize) k * n_out + o]);
    }
  id = assay_lir_add_matrix (self->lir, n_out, n_in, matrix);

  if (!read_bias (self, 2, n_out, (float) assay_node_get_float (self->node, "beta", 1.0), &bias, error))
    return FALSE;

  layer = assay_lir_add_layer (self->lir, self->id, assay_lir_blocks (self->lir, n_out), 1);
  for (guint32 v = 0; v < out->n_vectors; v++)
    {
      AssayLirId acc = new_accumulator (self, n_out, layer, FALSE);

      emit_start (self, acc, layer, bias, FALSE);
      emit_product (self, acc, layer, id, assay_lir_use (x->vectors[v]), FALSE);
      out->vectors[v] = emit_drain (self, acc, n_out);
    }

  return TRUE;
}

typedef struct
{
  guint n_axes;
  gint64 kernel[ASSAY_MAX_RANK];
  gint64 stride[ASSAY_MAX_RANK];
  gint64 dilation[ASSAY_MAX_RANK];
  gint64 pad[ASSAY_MAX_RANK];
  gsize n_taps;
  gint64 group;
} Window;

static gboolean
read_window (AssayLower   *self,
             AssayTensor  *weight,
             Window       *window,
             GError      **error)
{
  const gint64 *dims = assay_tensor_get_dims (weight);
  AssayLowTensor *x = assay_lower_input (self, 0);
  AssayLowTensor *out = assay_lower_output (self, 0);
  const char *auto_pad = assay_node_get_string (self->node, "auto_pad", "NOTSET");
  guint n_strides, n_dilations, n_pads;
  const gint64 *strides = assay_node_get_ints (self->node, "strides", &n_strides);
  const gint64 *dilations = assay_node_get_ints (self->node, "dilations", &n_dilations);
  const gint64 *pads = assay_node_get_ints (self->node, "pads", &n_pads);

  window->n_axes = assay_tensor_get_rank (weight) - 2;
  window->group = assay_node_get_int (self->node, "group", 1);
  window->n_taps = 1;

  for (guint i = 0; i < window->n_axes; i++)
    {
      gint64 total;

      window->kernel[i] = dims[i + 2];
      window->stride[i] = i < n_strides ? strides[i] : 1;
      window->dilation[i] = i < n_dilations ? dilations[i] : 1;
      window->pad[i] = i < n_pads ? pads[i] : 0;
      window->n_taps *= (gsize) dims[i + 2];

      if (g_str_has_prefix (auto_pad, "SAME_"))
        {
          total = MAX (0, (out->dims[i + 2] - 1) * window->stride[i] +
                            (window->kernel[i] - 1) * window->dilation[i] + 1 - x->dims[i + 2]);
          window->pad[i] = g_str_equal (auto_pad, "SAME_LOWER") ? total - total / 2 : total / 2;
        }
    }

  return TRUE;
}

/* The weights of one tap as a matrix, groups as blocks on its diagonal. */
static guint32
tap_matrix (AssayLower   *self,
            const float  *values,
            guint32       n_out,
            guint32       n_in,
            const Window *window,
            gsize         tap)
{
  gsize in_per_group = n_in / (gsize) window->group;
  gsize out_per_group = n_out / (gsize) window->group;
  float *matrix = g_new0 (float, (gsize) n_out * n_in);

  for (gsize o = 0; o < n_out; o++)
    {
      for (gsize k = 0; k < in_per_group; k++)
        matrix[o * n_in + o / out_per_group * in_per_group + k] = values[(o * in_per_group + k) * window->n_taps + tap];
    }

  return assay_lir_add_matrix (self->lir, n_out, n_in, matrix);
}

/* What one tap adds: a matrix product, or for a depthwise convolution a product per lane. */
typedef struct
{
  gboolean depthwise;
  guint32 *matrices;
  AssayLirOperand *scales;
  guint32 layer;
} Taps;

static void
emit_tap (AssayLower      *self,
          const Taps      *taps,
          gsize            tap,
          AssayLirId       acc,
          AssayLirOperand  x,
          gboolean         deferred)
{
  AssayLirOp *op;

  if (!taps->depthwise)
    {
      emit_product (self, acc, taps->layer, taps->matrices[tap], x, deferred);
      return;
    }

  op = assay_lower_emit (self, ASSAY_OPCODE_SCALE_ADD, acc, ASSAY_ROUND_F32, x, taps->scales[tap]);
  op->layer = taps->layer;
  op->deferred = deferred;
}

static void
prepare_taps (AssayLower   *self,
              const float  *values,
              guint32       n_out,
              guint32       n_in,
              const Window *window,
              Taps         *taps)
{
  taps->depthwise = window->group == n_in && n_out == n_in && n_in > 1;
  taps->layer = assay_lir_add_layer (self->lir, self->id, assay_lir_blocks (self->lir, n_out), 1);
  taps->matrices = g_new0 (guint32, window->n_taps);
  taps->scales = g_new0 (AssayLirOperand, window->n_taps);

  for (gsize tap = 0; tap < window->n_taps; tap++)
    {
      if (taps->depthwise)
        {
          g_autofree float *lanes = g_new (float, n_out);

          for (guint32 i = 0; i < n_out; i++)
            lanes[i] = values[i * window->n_taps + tap];
          taps->scales[tap] = (AssayLirOperand) {
            .kind = ASSAY_LIR_CONSTANT,
            .id = assay_lir_add_constant (self->lir, n_out, lanes),
          };
        }
      else
        {
          taps->matrices[tap] = tap_matrix (self, values, n_out, n_in, window, tap);
        }
    }
}

/* One timestep of a causal convolution: old taps were added by the inference before. */
static gboolean
conv_step (AssayLower       *self,
           const Window     *window,
           const Taps       *taps,
           AssayLirOperand   bias,
           GError          **error)
{
  AssayLowTensor *x = assay_lower_input (self, 0);
  AssayLowTensor *out = assay_lower_output (self, 0);
  gint64 dilation = window->dilation[0];
  gsize n_old = window->n_taps - 1;

  if (window->n_axes != 1 || window->stride[0] != 1 || window->pad[0] != (gint64) n_old * dilation)
    return assay_lower_refuse (self, error, "only a causal 1-D convolution of stride 1, padded on the left, can be streamed");

  for (guint32 v = 0; v < out->n_vectors; v++)
    {
      AssayLirId acc = new_accumulator (self, out->lanes, taps->layer, n_old > 0);
      AssayLirId ring = 0;

      if (n_old > 0)
        {
          AssayLirVector *vector;
          guint32 id = assay_lir_add_ring (self->lir, (guint32) (n_old * (gsize) dilation), x->lanes);

          ring = assay_lower_new_vector (self, ASSAY_TENSOR_STATE, x->lanes);
          vector = assay_lir_vector (self->lir, ring);
          vector->ring = id;
          vector->persistent = TRUE;
        }

      emit_start (self, acc, taps->layer, bias, n_old > 0);
      for (gsize tap = 0; tap < n_old; tap++)
        emit_tap (self, taps, tap, acc, assay_lir_use_old (ring, (guint32) ((n_old - tap) * (gsize) dilation)), TRUE);
      emit_tap (self, taps, n_old, acc, assay_lir_use (x->vectors[v]), FALSE);

      if (ring != 0)
        assay_lower_emit (self, ASSAY_OPCODE_MOVE, ring, ASSAY_ROUND_BF16, assay_lir_use (x->vectors[v]), (AssayLirOperand) { 0 });

      out->vectors[v] = emit_drain (self, acc, out->lanes);
    }

  return TRUE;
}

/* All positions; a tap outside of the input is padding and contributes nothing. */
static void
conv_all (AssayLower      *self,
          const Window    *window,
          const Taps      *taps,
          AssayLirOperand  bias)
{
  AssayLowTensor *x = assay_lower_input (self, 0);
  AssayLowTensor *out = assay_lower_output (self, 0);

  for (guint32 v = 0; v < out->n_vectors; v++)
    {
      AssayLirId acc = new_accumulator (self, out->lanes, taps->layer, FALSE);
      gint64 index[ASSAY_MAX_RANK];

      assay_lower_index (out, v, index);
      emit_start (self, acc, taps->layer, bias, FALSE);

      for (gsize tap = 0; tap < window->n_taps; tap++)
        {
          gint64 source[ASSAY_MAX_RANK] = { index[0], 0 };
          gsize rest = tap;
          gboolean inside = TRUE;
          guint32 vector, lane;

          for (guint i = window->n_axes; i-- > 0;)
            {
              gint64 k = (gint64) (rest % (gsize) window->kernel[i]);

              rest /= (gsize) window->kernel[i];
              source[i + 2] = index[i + 2] * window->stride[i] + k * window->dilation[i] - window->pad[i];
              inside = inside && source[i + 2] >= 0 && source[i + 2] < x->dims[i + 2];
            }
          if (!inside)
            continue;

          assay_lower_locate (x, source, &vector, &lane);
          emit_tap (self, taps, tap, acc, assay_lir_use (x->vectors[vector]), FALSE);
        }

      out->vectors[v] = emit_drain (self, acc, out->lanes);
    }
}

gboolean
assay_lower_conv (AssayLower  *self,
                  GError     **error)
{
  AssayLowTensor *x = assay_lower_input (self, 0);
  AssayLowTensor *out = assay_lower_output (self, 0);
  AssayTensor *weight = assay_graph_constant (self->graph, assay_node_input (self->node, 1));
  gboolean streamed = self->vanishing != NULL && self->vanishing[self->node->inputs[0]] == 2;
  g_autofree float *values = NULL;
  Window window = { 0 };
  Taps taps = { 0 };
  AssayLirOperand bias;
  gboolean done = TRUE;
  gsize n;

  if (weight == NULL)
    return assay_lower_refuse (self, error, "the weight must be constant");
  if (x->data_dim != 1 || out->data_dim != 1)
    return assay_lower_refuse (self, error, "the channels must be the data dimension");
  if (!read_window (self, weight, &window, error) ||
      !assay_lower_floats (weight, &values, &n, error) ||
      !read_bias (self, 2, out->lanes, 1, &bias, error))
    return FALSE;

  prepare_taps (self, values, out->lanes, x->lanes, &window, &taps);
  if (streamed)
    done = conv_step (self, &window, &taps, bias, error);
  else
    conv_all (self, &window, &taps, bias);

  g_free (taps.matrices);
  g_free (taps.scales);

  return done;
}

typedef struct
{
  guint32 hidden;
  guint32 n_in;
  guint32 layer;
  guint32 input_matrix;
  guint32 hidden_matrix;
  AssayLirOperand bias;
} Recurrent;

/* Rows of all gates of one hidden block together, each block padded: the order in which cores hold them. */
static float *
gate_rows (AssayLower  *self,
           const float *values,
           guint32      hidden,
           gsize        columns,
           guint32     *n_rows)
{
  gsize block = self->lir->config->block_size;
  gsize n_blocks = assay_lir_blocks (self->lir, hidden);
  float *rows = g_new0 (float, n_blocks * 4 * block * columns);

  for (gsize h = 0; h < hidden; h++)
    {
      for (gsize gate = 0; gate < 4; gate++)
        memcpy (rows + ((h / block * 4 + gate) * block + h % block) * columns,
                values + (gate * hidden + h) * columns, columns * sizeof *rows);
    }

  *n_rows = (guint32) (n_blocks * 4 * block);
  return rows;
}

static gboolean
read_recurrent (AssayLower   *self,
                guint         direction,
                Recurrent    *r,
                GError      **error)
{
  AssayTensor *w = assay_graph_constant (self->graph, assay_node_input (self->node, 1));
  AssayTensor *u = assay_graph_constant (self->graph, assay_node_input (self->node, 2));
  AssayTensor *b = assay_graph_constant (self->graph, assay_node_input (self->node, 3));
  g_autofree float *values = NULL;
  g_autofree float *recurrent = NULL;
  g_autofree float *biases = NULL;
  g_autofree float *gates = NULL;
  g_autofree float *sum = NULL;
  guint32 rows;
  gsize n;

  if (w == NULL || u == NULL || (b == NULL && assay_node_input (self->node, 3) != ASSAY_NO_VALUE))
    return assay_lower_refuse (self, error, "weights and biases must be constant");
  if (!assay_lower_floats (w, &values, &n, error) || !assay_lower_floats (u, &recurrent, &n, error))
    return FALSE;

  r->hidden = (guint32) assay_tensor_get_dims (u)[2];
  r->n_in = (guint32) assay_tensor_get_dims (w)[2];
  r->layer = assay_lir_add_layer (self->lir, self->id, assay_lir_blocks (self->lir, r->hidden), 4);
  gates = gate_rows (self, values + (gsize) direction * 4 * r->hidden * r->n_in, r->hidden, r->n_in, &rows);
  r->input_matrix = assay_lir_add_matrix (self->lir, rows, r->n_in, g_steal_pointer (&gates));
  gates = gate_rows (self, recurrent + (gsize) direction * 4 * r->hidden * r->hidden, r->hidden, r->hidden, &rows);
  r->hidden_matrix = assay_lir_add_matrix (self->lir, rows, r->hidden, g_steal_pointer (&gates));

  if (b == NULL)
    return TRUE;

  if (!assay_lower_floats (b, &biases, &n, error))
    return FALSE;
  sum = g_new (float, 4 * r->hidden);
  for (guint32 i = 0; i < 4 * r->hidden; i++)
    sum[i] = biases[(gsize) direction * 8 * r->hidden + i] + biases[(gsize) direction * 8 * r->hidden + 4 * r->hidden + i];
  gates = gate_rows (self, sum, r->hidden, 1, &rows);
  r->bias = (AssayLirOperand) { .kind = ASSAY_LIR_CONSTANT, .exact = TRUE, .id = assay_lir_add_constant (self->lir, rows, gates) };

  return TRUE;
}

static gboolean
is_zero_or_absent (AssayLower *self,
                   guint       index)
{
  AssayTensor *tensor = assay_graph_constant (self->graph, assay_node_input (self->node, index));

  if (tensor == NULL)
    return assay_node_input (self->node, index) == ASSAY_NO_VALUE;

  for (gsize i = 0; i < assay_tensor_get_n_elements (tensor); i++)
    {
      double value;

      if (!assay_tensor_get_element (tensor, i, &value, NULL) || value != 0)
        return FALSE;
    }

  return TRUE;
}

/* Gates, cell and hidden state of one timestep; returns the hidden state. */
static AssayLirId
emit_cell (AssayLower      *self,
           const Recurrent *r,
           AssayLirId       acc,
           AssayLirId       cell)
{
  AssayLirId hidden = assay_lower_new_vector (self, ASSAY_TENSOR_ACTIVATION, r->hidden);
  AssayLirOp *op = assay_lower_emit (self, ASSAY_OPCODE_LSTM, hidden, ASSAY_ROUND_BF16, assay_lir_use (acc), (AssayLirOperand) { 0 });

  op->c = assay_lir_use (cell);
  op->layer = r->layer;
  assay_lir_vector (self->lir, hidden)->layer = r->layer;

  return hidden;
}

static AssayLirId
new_gates (AssayLower      *self,
           const Recurrent *r,
           gboolean         persistent)
{
  AssayLirId acc = new_accumulator (self, assay_lir_blocks (self->lir, r->hidden) * 4 * self->lir->config->block_size,
                                    r->layer, persistent);

  assay_lir_vector (self->lir, acc)->unit_blocks = 4;

  return acc;
}

static AssayLirId
new_cell (AssayLower      *self,
          const Recurrent *r,
          gboolean         persistent)
{
  AssayLirId cell = assay_lower_new_vector (self, ASSAY_TENSOR_STATE, r->hidden);
  AssayLirVector *vector = assay_lir_vector (self->lir, cell);

  vector->store = ASSAY_STORE_CELL;
  vector->layer = r->layer;
  vector->persistent = persistent;

  return cell;
}

static AssayLirId
lstm_step (AssayLower      *self,
           const Recurrent *r,
           AssayLirId       x)
{
  AssayLirId ring = assay_lower_new_vector (self, ASSAY_TENSOR_STATE, r->hidden);
  AssayLirVector *window = assay_lir_vector (self->lir, ring);
  AssayLirId acc, hidden;

  window->persistent = TRUE;
  window->ring = assay_lir_add_ring (self->lir, 1, r->hidden);

  acc = new_gates (self, r, TRUE);
  emit_start (self, acc, r->layer, r->bias, TRUE);
  emit_product (self, acc, r->layer, r->hidden_matrix, assay_lir_use_old (ring, 1), TRUE);
  emit_product (self, acc, r->layer, r->input_matrix, assay_lir_use (x), FALSE);
  hidden = emit_cell (self, r, acc, new_cell (self, r, TRUE));
  assay_lower_emit (self, ASSAY_OPCODE_MOVE, ring, ASSAY_ROUND_BF16, assay_lir_use (hidden), (AssayLirOperand) { 0 });

  return hidden;
}

gboolean
assay_lower_lstm (AssayLower  *self,
                  GError     **error)
{
  AssayLowTensor *x = assay_lower_input (self, 0);
  AssayLowTensor *outputs[] = { assay_lower_output (self, 0), assay_lower_output (self, 1), assay_lower_output (self, 2) };
  const char *direction = assay_node_get_string (self->node, "direction", "forward");
  gboolean both = g_str_equal (direction, "bidirectional");
  guint n_directions = both ? 2 : 1;
  gboolean batch_first = assay_node_get_int (self->node, "layout", 0) != 0;
  guint time_axis = batch_first ? 1 : 0;
  gint64 n_steps = x->dims[time_axis];
  gint64 n_batch = x->dims[1 - time_axis];
  gboolean streamed = self->vanishing != NULL && self->vanishing[self->node->inputs[0]] == (int) time_axis;

  if (!is_zero_or_absent (self, 4) || !is_zero_or_absent (self, 5) || !is_zero_or_absent (self, 6) || !is_zero_or_absent (self, 7))
    return assay_lower_refuse (self, error, "sequence lengths, initial states other than zero and peepholes are not possible");
  if (assay_node_find_attr (self->node, "activations") != NULL || assay_node_find_attr (self->node, "clip") != NULL ||
      assay_node_get_int (self->node, "input_forget", 0) != 0)
    return assay_lower_refuse (self, error, "only the default activations without clipping are possible");
  if (x->data_dim != 2)
    return assay_lower_refuse (self, error, "the features must be the data dimension");
  if (streamed && !g_str_equal (direction, "forward"))
    return assay_lower_refuse (self, error, "direction is %s, only forward can be streamed", direction);

  for (guint d = 0; d < n_directions; d++)
    {
      gboolean reverse = d == 1 || g_str_equal (direction, "reverse");
      Recurrent r = { 0 };

      if (!read_recurrent (self, d, &r, error))
        return FALSE;

      for (gint64 batch = 0; batch < n_batch; batch++)
        {
          AssayLirId cell = streamed ? 0 : new_cell (self, &r, FALSE);
          AssayLirId hidden = 0;

          if (!streamed)
            emit_start (self, cell, r.layer, (AssayLirOperand) { 0 }, FALSE);

          for (gint64 i = 0; i < n_steps; i++)
            {
              gint64 t = reverse ? n_steps - 1 - i : i;
              gint64 index[] = { batch_first ? batch : t, batch_first ? t : batch, 0 };
              guint32 vector, lane;

              assay_lower_locate (x, index, &vector, &lane);
              if (streamed)
                {
                  hidden = lstm_step (self, &r, x->vectors[vector]);
                }
              else
                {
                  AssayLirId acc = new_gates (self, &r, FALSE);

                  emit_start (self, acc, r.layer, r.bias, FALSE);
                  if (hidden != 0)
                    emit_product (self, acc, r.layer, r.hidden_matrix, assay_lir_use (hidden), FALSE);
                  emit_product (self, acc, r.layer, r.input_matrix, assay_lir_use (x->vectors[vector]), FALSE);
                  hidden = emit_cell (self, &r, acc, cell);
                }

              if (outputs[0] != NULL)
                {
                  gint64 by_time[] = { t, d, batch, 0 };
                  gint64 by_batch[] = { batch, t, d, 0 };

                  assay_lower_locate (outputs[0], batch_first ? by_batch : by_time, &vector, &lane);
                  outputs[0]->vectors[vector] = hidden;
                }
            }

          for (guint output = 1; output <= 2; output++)
            {
              gint64 by_direction[] = { d, batch, 0 };
              gint64 by_batch[] = { batch, d, 0 };
              guint32 vector, lane;
              AssayLirId last = hidden;

              if (outputs[output] == NULL)
                continue;
              if (streamed)
                return assay_lower_refuse (self, error, "the last state cannot be an output of a streamed model");
              assay_lower_locate (outputs[output], batch_first ? by_batch : by_direction, &vector, &lane);
              if (output == 2)
                {
                  last = assay_lower_new_vector (self, ASSAY_TENSOR_ACTIVATION, r.hidden);
                  assay_lower_emit (self, ASSAY_OPCODE_MOVE, last, ASSAY_ROUND_BF16, assay_lir_use (cell), (AssayLirOperand) { 0 });
                }
              outputs[output]->vectors[vector] = last;
            }
        }
    }

  return TRUE;
}
