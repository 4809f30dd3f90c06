/* assay-lower-recurrent.c
 * SPDX-License-Identifier: Apache-2.0
 *
 * LSTM, GRU and RNN. The product of the hidden state comes before that of the input, so that a
 * streamed layer can do it as soon as the inference before has ended; gates and cell state are
 * fp32, the hidden state is rounded.
 */
#include <math.h>
#include <string.h>

#include "backend/stream/compile/assay-lower-private.h"

#define MAX_GATES 4

typedef struct _Recurrent Recurrent;

/* Emits one timestep and gives the hidden state. The old one is absent where it is zero. */
typedef AssayLirId (*StepFunc) (AssayLower *self, const Recurrent *r, AssayLirOperand x,
                                AssayLirOperand old, AssayLirId cell, gboolean streamed);

struct _Recurrent
{
  StepFunc step;
  guint n_gates;
  gboolean has_cell;
  gboolean relu;
  gboolean linear_before_reset;
  guint32 hidden;
  guint32 n_in;
  guint32 layer;
  /* An LSTM has one of each for all gates, the others one per gate. */
  guint32 input_matrices[MAX_GATES];
  guint32 hidden_matrices[MAX_GATES];
  AssayLirOperand biases[MAX_GATES];
};

static const AssayLirOperand nothing = { 0 };

/* Rows of all gates of one hidden block together, without padding between the gates: the order in
 * which cores hold them. Only the last block of hidden units may be shorter, and so only the last
 * block of rows. */
static float *
gate_rows (AssayLower *self, const AssayLooseFloat *values, guint32 hidden, gsize columns,
           guint32 *n_rows)
{
  gsize block = self->lir->config->block_size;
  float *rows = assay_lower_new_matrix ((gsize) hidden * 4, columns);

  for (gsize h = 0; h < hidden; h++)
    {
      gsize first = h / block * block;
      gsize n = MIN (block, hidden - first);

      for (gsize gate = 0; gate < 4; gate++)
        memcpy (rows + (first * 4 + gate * n + h - first) * columns,
                values + (gate * hidden + h) * columns, columns * sizeof *rows);
    }

  *n_rows = 4 * hidden;
  return rows;
}

static void
read_lstm (AssayLower *self, const AssayLooseFloat *w, const AssayLooseFloat *u, const float *sum,
           Recurrent *r)
{
  g_autofree float *biases = NULL;
  float *matrix;
  guint32 rows;

  r->layer = assay_lower_add_layer (self, assay_lir_blocks (self->lir, r->hidden), 4);
  matrix = gate_rows (self, w, r->hidden, r->n_in, &rows);
  r->input_matrices[0] = assay_lower_add_matrix (self, rows, r->n_in, matrix);
  matrix = gate_rows (self, u, r->hidden, r->hidden, &rows);
  r->hidden_matrices[0] = assay_lower_add_matrix (self, rows, r->hidden, matrix);
  if (sum == NULL)
    return;
  biases = gate_rows (self, sum, r->hidden, 1, &rows);
  r->biases[0] = assay_lower_bias (self, rows, biases);
}

static void
read_gates (AssayLower *self, const AssayLooseFloat *w, const AssayLooseFloat *u, const float *sum,
            Recurrent *r)
{
  gsize in = (gsize) r->hidden * r->n_in;
  gsize own = (gsize) r->hidden * r->hidden;

  r->layer = assay_lower_add_layer (self, assay_lir_blocks (self->lir, r->hidden), 1);
  for (guint gate = 0; gate < r->n_gates; gate++)
    {
      r->input_matrices[gate] = assay_lower_add_matrix (self, r->hidden, r->n_in,
                                                        g_memdup2 (w + gate * in, in * sizeof *w));
      r->hidden_matrices[gate] = assay_lower_add_matrix (
          self, r->hidden, r->hidden, g_memdup2 (u + gate * own, own * sizeof *u));
      if (sum != NULL)
        r->biases[gate] = assay_lower_bias (self, r->hidden, sum + gate * r->hidden);
    }
}

static gboolean
read_weights (AssayLower *self, guint direction, Recurrent *r, GError **error)
{
  AssayTensor *w = assay_graph_constant (self->graph, assay_node_input (self->node, 1));
  AssayTensor *u = assay_graph_constant (self->graph, assay_node_input (self->node, 2));
  AssayTensor *b = assay_graph_constant (self->graph, assay_node_input (self->node, 3));
  g_autofree float *own_input = NULL;
  g_autofree float *own_hidden = NULL;
  g_autofree float *biases = NULL;
  g_autofree float *sum = NULL;
  gsize n, rows;
  const AssayLooseFloat *of_input, *of_hidden;

  if (w == NULL || u == NULL || (b == NULL && assay_node_input (self->node, 3) != ASSAY_NO_VALUE))
    return assay_lower_refuse (self, error, "weights and biases must be constant");
  of_input = assay_lower_weights (w, &own_input, error);
  of_hidden = of_input == NULL ? NULL : assay_lower_weights (u, &own_hidden, error);
  if (of_hidden == NULL || (b != NULL && !assay_lower_floats (b, &biases, &n, error)))
    return FALSE;

  r->hidden = (guint32) assay_tensor_get_dims (u)[2];
  r->n_in = (guint32) assay_tensor_get_dims (w)[2];
  rows = (gsize) r->n_gates * r->hidden;
  of_input += direction * rows * r->n_in;
  of_hidden += direction * rows * r->hidden;

  if (b != NULL)
    {
      const float *own = biases + direction * 2 * rows;
      /* A new state of GRU that is reset after its product keeps the bias of the hidden state
       * apart. */
      gsize apart = r->linear_before_reset ? rows - r->hidden : rows;

      sum = g_new (float, rows);
      for (gsize i = 0; i < rows; i++)
        sum[i] = i < apart ? own[i] + own[rows + i] : own[i];
      if (r->linear_before_reset)
        r->biases[r->n_gates] = assay_lower_bias (self, r->hidden, own + rows + apart);
    }

  if (r->has_cell)
    read_lstm (self, of_input, of_hidden, sum, r);
  else
    read_gates (self, of_input, of_hidden, sum, r);

  return TRUE;
}

/* Starts a gate and adds the product of the old state; a streamed layer did both at the end of the
 * inference before. */
static AssayLirId
start_gate (AssayLower *self, const Recurrent *r, AssayLirId acc, guint gate, AssayLirOperand bias,
            AssayLirOperand old, gboolean streamed)
{
  assay_lower_emit_start (self, acc, r->layer, bias, streamed);
  if (old.kind == ASSAY_LIR_VECTOR)
    assay_lower_emit_product (self, acc, r->layer, r->hidden_matrices[gate], old, streamed);

  return acc;
}

static AssayLirOperand
scratch (AssayLower *self, const Recurrent *r, AssayOpcode opcode, AssayLirOperand a,
         AssayLirOperand b)
{
  AssayLirId d = assay_lower_new_scratch (self, r->hidden);

  assay_lower_emit (self, opcode, d, ASSAY_ROUND_F32, a, b);

  return assay_lir_use (d);
}

static AssayLirOperand
apply (AssayLower *self, const Recurrent *r, AssayFunction function, AssayLirOperand a)
{
  AssayLirId d = assay_lower_new_scratch (self, r->hidden);

  assay_lower_emit (self, ASSAY_OPCODE_FUNCTION, d, ASSAY_ROUND_F32, a, nothing)->function =
      (guint8) function;

  return assay_lir_use (d);
}

static AssayLirId
lstm_step (AssayLower *self, const Recurrent *r, AssayLirOperand x, AssayLirOperand old,
           AssayLirId cell, gboolean streamed)
{
  AssayLirId acc = assay_lower_new_accumulator (self, 4 * r->hidden, r->layer, streamed);
  AssayLirId hidden;
  AssayLirOp *op;

  assay_lir_vector (self->lir, acc)->unit_blocks = 4;
  start_gate (self, r, acc, 0, r->biases[0], old, streamed);
  assay_lower_emit_product (self, acc, r->layer, r->input_matrices[0], x, FALSE);

  hidden = assay_lower_new_vector (self, ASSAY_TENSOR_ACTIVATION, r->hidden);
  op = assay_lower_emit (self, ASSAY_OPCODE_LSTM, hidden, ASSAY_ROUND_BF16, assay_lir_use (acc),
                         nothing);
  op->c = assay_lir_use (cell);
  op->layer = r->layer;
  assay_lir_vector (self->lir, hidden)->layer = r->layer;

  return hidden;
}

/* h' = (1 - z) n + z h, with z and r from sums over state and input. Reset before the product, the
 * new state is n = tanh (W x + b + R (r h)), where r h is rounded as every vector that meets a
 * matrix; after it, n = tanh (W x + b + r (R h + c)). */
static AssayLirId
gru_step (AssayLower *self, const Recurrent *r, AssayLirOperand x, AssayLirOperand old,
          AssayLirId cell, gboolean streamed)
{
  AssayLirOperand gates[2], state, update;
  AssayLirOperand before = old.kind == ASSAY_LIR_VECTOR ? old : assay_lir_immediate (0);
  AssayLirId acc, hidden;

  for (guint gate = 0; gate < 2; gate++)
    {
      acc = assay_lower_new_accumulator (self, r->hidden, r->layer, streamed);
      start_gate (self, r, acc, gate, r->biases[gate], old, streamed);
      assay_lower_emit_product (self, acc, r->layer, r->input_matrices[gate], x, FALSE);
      gates[gate] = apply (self, r, ASSAY_FUNCTION_SIGMOID, assay_lir_use (acc));
    }

  acc = assay_lower_new_accumulator (self, r->hidden, r->layer, FALSE);
  assay_lower_emit_start (self, acc, r->layer, r->biases[2], FALSE);
  assay_lower_emit_product (self, acc, r->layer, r->input_matrices[2], x, FALSE);
  state = assay_lir_use (acc);

  if (r->linear_before_reset)
    {
      acc = assay_lower_new_accumulator (self, r->hidden, r->layer, streamed);
      start_gate (self, r, acc, 2, r->biases[3], old, streamed);
      update = scratch (self, r, ASSAY_OPCODE_MUL, gates[1], assay_lir_use (acc));
      state = scratch (self, r, ASSAY_OPCODE_ADD, update, state);
    }
  else
    {
      AssayLirId reset = assay_lower_new_vector (self, ASSAY_TENSOR_ACTIVATION, r->hidden);

      assay_lower_emit (self, ASSAY_OPCODE_MUL, reset, ASSAY_ROUND_BF16, gates[1], before);
      assay_lower_emit_product (self, acc, r->layer, r->hidden_matrices[2], assay_lir_use (reset),
                                FALSE);
    }

  state = apply (self, r, ASSAY_FUNCTION_TANH, state);
  update = scratch (self, r, ASSAY_OPCODE_SUB, assay_lir_immediate (1), gates[0]);
  state = scratch (self, r, ASSAY_OPCODE_MUL, update, state);
  update = scratch (self, r, ASSAY_OPCODE_MUL, gates[0], before);
  hidden = assay_lower_new_vector (self, ASSAY_TENSOR_ACTIVATION, r->hidden);
  assay_lower_emit (self, ASSAY_OPCODE_ADD, hidden, ASSAY_ROUND_BF16, state, update);

  return hidden;
}

static AssayLirId
rnn_step (AssayLower *self, const Recurrent *r, AssayLirOperand x, AssayLirOperand old,
          AssayLirId cell, gboolean streamed)
{
  AssayLirId acc = assay_lower_new_accumulator (self, r->hidden, r->layer, streamed);
  AssayLirId hidden;
  AssayLirOp *op;

  start_gate (self, r, acc, 0, r->biases[0], old, streamed);
  assay_lower_emit_product (self, acc, r->layer, r->input_matrices[0], x, FALSE);
  hidden = assay_lower_new_vector (self, ASSAY_TENSOR_ACTIVATION, r->hidden);
  op = assay_lower_emit (self, r->relu ? ASSAY_OPCODE_CLAMP : ASSAY_OPCODE_FUNCTION, hidden,
                         ASSAY_ROUND_BF16, assay_lir_use (acc), nothing);
  if (r->relu)
    op->high.bound = INFINITY;
  else
    op->function = ASSAY_FUNCTION_TANH;

  return hidden;
}

static gboolean
is_zero_or_absent (AssayLower *self, guint index)
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

typedef struct
{
  guint direction;
  gint64 batch;
  gint64 n_batch;
  gboolean reverse;
  gboolean streamed;
} Sequence;

static gboolean
initial_state (AssayLower *self, const Recurrent *r, const Sequence *s, guint input,
               AssayLirOperand *state, GError **error)
{
  AssayTensor *tensor = assay_graph_constant (self->graph, assay_node_input (self->node, input));
  g_autofree float *values = NULL;
  gsize n;

  *state = nothing;
  if (is_zero_or_absent (self, input))
    return TRUE;
  if (tensor == NULL)
    return assay_lower_refuse (self, error, "the initial state (input %u) must be constant", input);
  if (!assay_lower_floats (tensor, &values, &n, error))
    return FALSE;

  *state = assay_lower_bias (
      self, r->hidden,
      values + ((gsize) s->direction * (gsize) s->n_batch + (gsize) s->batch) * r->hidden);
  return TRUE;
}

static AssayLirId
new_cell (AssayLower *self, const Recurrent *r, gboolean persistent)
{
  AssayLirId cell = assay_lower_new_vector (self, ASSAY_TENSOR_STATE, r->hidden);
  AssayLirVector *vector = assay_lir_vector (self->lir, cell);

  vector->store = ASSAY_STORE_CELL;
  vector->layer = r->layer;
  vector->persistent = persistent;

  return cell;
}

/* One timestep of a streamed layer: its old state is in a window of one. */
static AssayLirId
streamed_step (AssayLower *self, const Recurrent *r, AssayLirOperand x, AssayLirOperand initial,
               AssayLirId cell)
{
  AssayLirId ring = assay_lower_new_window (self, 1, r->hidden, initial);
  AssayLirId hidden;

  hidden = r->step (self, r, x, assay_lir_use_old (ring, 1), cell, TRUE);
  assay_lower_emit (self, ASSAY_OPCODE_MOVE, ring, ASSAY_ROUND_BF16, assay_lir_use (hidden),
                    nothing);

  return hidden;
}

static gboolean
lower_sequence (AssayLower *self, const Recurrent *r, const Sequence *s, GError **error)
{
  AssayLowTensor *x = assay_lower_input (self, 0);
  AssayLowTensor *y = assay_lower_output (self, 0);
  AssayLirId cell = r->has_cell ? new_cell (self, r, s->streamed) : 0;
  AssayLirId hidden = 0;
  gint64 last_index[] = { s->direction, s->batch, 0 };
  AssayLirOperand initial, old = nothing;
  guint32 vector, lane;

  if (!initial_state (self, r, s, 6, &initial, error))
    return FALSE;
  if (r->has_cell && (!s->streamed || self->state_reset || initial.kind != ASSAY_LIR_NONE))
    {
      assay_lower_emit_start (self, cell, r->layer, initial, FALSE);
      g_array_index (self->lir->ops, AssayLirOp, self->lir->ops->len - 1).reset = s->streamed;
    }

  if (!initial_state (self, r, s, 5, &initial, error))
    return FALSE;
  if (initial.kind != ASSAY_LIR_NONE && !s->streamed)
    {
      AssayLirId first = assay_lower_new_vector (self, ASSAY_TENSOR_ACTIVATION, r->hidden);

      assay_lower_emit (self, ASSAY_OPCODE_MOVE, first, ASSAY_ROUND_BF16, initial, nothing);
      old = assay_lir_use (first);
    }

  for (gint64 i = 0; i < x->dims[0]; i++)
    {
      gint64 t = s->reverse ? x->dims[0] - 1 - i : i;
      gint64 index[] = { t, s->batch, 0 };
      gint64 target[] = { t, s->direction, s->batch, 0 };

      assay_lower_locate (x, index, &vector, &lane);
      if (s->streamed)
        hidden = streamed_step (self, r, assay_lir_use (x->vectors[vector]), initial, cell);
      else
        hidden = r->step (self, r, assay_lir_use (x->vectors[vector]), old, cell, FALSE);
      old = assay_lir_use (hidden);

      if (y == NULL)
        continue;
      assay_lower_locate (y, target, &vector, &lane);
      y->vectors[vector] = hidden;
    }

  /* A stream has no end: streaming is refused where somebody wants the last state, and nothing is
   * there to look at. */
  for (guint output = 1; output <= 2 && !s->streamed; output++)
    {
      AssayLowTensor *last = assay_lower_output (self, output);

      if (last == NULL)
        continue;
      assay_lower_locate (last, last_index, &vector, &lane);
      if (output == 2)
        {
          hidden = assay_lower_new_vector (self, ASSAY_TENSOR_ACTIVATION, r->hidden);
          assay_lower_emit (self, ASSAY_OPCODE_MOVE, hidden, ASSAY_ROUND_BF16, assay_lir_use (cell),
                            nothing);
        }
      last->vectors[vector] = hidden;
    }

  return TRUE;
}

/* Whether the activations are these in turn, or not written out. */
static gboolean
has_activations (AssayLower *self, const char *const *wanted, guint n)
{
  const AssayAttr *given = assay_node_find_attr (self->node, "activations");

  if (given == NULL || given->kind != ASSAY_ATTR_STRINGS)
    return given == NULL;

  for (guint i = 0; i < given->n; i++)
    {
      if (g_ascii_strcasecmp (given->u.strings[i], wanted[i % n]) != 0)
        return FALSE;
    }

  return TRUE;
}

static gboolean
lower_recurrent (AssayLower *self, const Recurrent *kind, GError **error)
{
  AssayLowTensor *x = assay_lower_input (self, 0);
  const char *direction = assay_node_get_string (self->node, "direction");
  guint n_directions = g_str_equal (direction, "bidirectional") ? 2 : 1;
  gboolean streamed = self->vanishing != NULL && self->vanishing[self->node->inputs[0]] == 0;

  if (assay_node_get_int (self->node, "layout") != 0)
    return assay_lower_refuse (self, error, "layout is 1, only 0 (time first) is possible");
  if (assay_node_input (self->node, 4) != ASSAY_NO_VALUE ||
      assay_node_input (self->node, 7) != ASSAY_NO_VALUE)
    return assay_lower_refuse (self, error, "sequence lengths and peepholes are not possible");
  if (assay_node_find_attr (self->node, "clip") != NULL ||
      (kind->has_cell && assay_node_get_int (self->node, "input_forget") != 0))
    return assay_lower_refuse (self, error, "clip and input_forget are not possible");
  if (x->data_dim != 2)
    return assay_lower_refuse (self, error, "the features must be the data dimension");
  if (streamed && !g_str_equal (direction, "forward"))
    return assay_lower_refuse (self, error, "direction is %s, only forward can be streamed",
                               direction);

  for (guint d = 0; d < n_directions; d++)
    {
      Recurrent r = *kind;
      Sequence s = { .direction = d, .n_batch = x->dims[1], .streamed = streamed };

      s.reverse = d == 1 || g_str_equal (direction, "reverse");
      if (!read_weights (self, d, &r, error))
        return FALSE;
      for (s.batch = 0; s.batch < s.n_batch; s.batch++)
        {
          if (!lower_sequence (self, &r, &s, error))
            return FALSE;
        }
    }

  return TRUE;
}

gboolean
assay_lower_lstm (AssayLower *self, GError **error)
{
  static const char *const activations[] = { "Sigmoid", "Tanh", "Tanh" };
  const Recurrent kind = { .step = lstm_step, .n_gates = 4, .has_cell = TRUE };

  if (!has_activations (self, activations, G_N_ELEMENTS (activations)))
    return assay_lower_refuse (self, error,
                               "only the activations Sigmoid, Tanh, Tanh are possible");

  return lower_recurrent (self, &kind, error);
}

gboolean
assay_lower_gru (AssayLower *self, GError **error)
{
  static const char *const activations[] = { "Sigmoid", "Tanh" };
  const Recurrent kind = {
    .step = gru_step,
    .n_gates = 3,
    .linear_before_reset = assay_node_get_int (self->node, "linear_before_reset") != 0,
  };

  if (!has_activations (self, activations, G_N_ELEMENTS (activations)))
    return assay_lower_refuse (self, error, "only the activations Sigmoid, Tanh are possible");

  return lower_recurrent (self, &kind, error);
}

gboolean
assay_lower_rnn (AssayLower *self, GError **error)
{
  static const char *const tanh_names[] = { "Tanh" };
  static const char *const relu_names[] = { "Relu" };
  Recurrent kind = { .step = rnn_step, .n_gates = 1 };

  kind.relu = !has_activations (self, tanh_names, 1);
  if (kind.relu && !has_activations (self, relu_names, 1))
    return assay_lower_refuse (
        self, error, "only the activations Tanh or Relu, the same in all directions, are possible");

  return lower_recurrent (self, &kind, error);
}
