/* assay-equivalence-recurrent.c
 * SPDX-License-Identifier: Apache-2.0
 *
 * Guards of recurrent layers: each step is written out, with a product per gate. Formulas and the
 * order of the gates are those of the ONNX specification of LSTM, GRU and RNN.
 */
#include "fix/assay-equivalence-private.h"

#include "base/assay-sentence.h"
#include "nnir/assay-graph-builder.h"

/* A layer over more steps than this would become larger than anybody wants. */
#define MAX_STEPS 32

typedef struct
{
  AssayEdit *edit;
  guint n_gates;
  gint64 steps;
  gint64 batch;
  gint64 input;
  gint64 hidden;
  AssayDType dtype;
  AssayValueId x;
  AssayValueId w[4];  /* per gate: input to hidden */
  AssayValueId r[4];  /* per gate: hidden to hidden */
  AssayValueId wb[4]; /* per gate: its bias */
  AssayValueId rb[4]; /* per gate: bias of the hidden side */
} Layer;

static AssayValueId
binary (AssayEdit *edit, AssayOp op, AssayValueId a, AssayValueId b)
{
  const AssayValueId inputs[] = { a, b };

  return assay_builder_add (&edit->builder, op, NULL, 2, inputs);
}

static AssayValueId
unary (AssayEdit *edit, AssayOp op, AssayValueId a)
{
  return assay_builder_add (&edit->builder, op, NULL, 1, &a);
}

static AssayValueId
reshape (AssayEdit *edit, AssayValueId value, guint n, const gint64 *dims)
{
  return binary (edit, ASSAY_OP_Reshape, value,
                 assay_builder_ints (&edit->builder, "constant", n, dims));
}

/* Rows of a gate of a constant [1, gates * hidden, columns], as a matrix of columns by hidden. */
static AssayValueId
gate_matrix (const Layer *self, const double *numbers, guint gate, gint64 columns)
{
  const gint64 dims[] = { columns, self->hidden };
  g_autofree double *turned = g_new (double, columns * self->hidden);

  for (gint64 i = 0; i < self->hidden; i++)
    for (gint64 j = 0; j < columns; j++)
      turned[j * self->hidden + i] = numbers[(gate * self->hidden + i) * columns + j];

  return assay_guard_floats (self->edit, self->dtype, 2, dims, turned);
}

/* The default activations may be written out. */
static gboolean
has_plain_activations (const AssayNode *node)
{
  static const char *const plain[] = { "Sigmoid", "Tanh", "Tanh" };
  const AssayAttr *attr = assay_node_find_attr (node, "activations");

  for (guint i = 0; attr != NULL && attr->kind == ASSAY_ATTR_STRINGS && i < attr->n; i++)
    if (!g_str_equal (attr->u.strings[i], plain[node->op == ASSAY_OP_RNN ? 1 : MIN (i, 2)]))
      return FALSE;

  return TRUE;
}

static gboolean
refuse_variants (AssayEdit *edit)
{
  static const guint unwanted[] = { 4, 7 };
  const AssayNode *node = assay_edit_node (edit);
  const char *direction = assay_node_get_string (node, "direction");

  for (guint i = 0; i < G_N_ELEMENTS (unwanted); i++)
    if (assay_edit_input (edit, unwanted[i]) != ASSAY_NO_VALUE)
      return assay_edit_refuse (edit, "it has input %u, which is not written out", unwanted[i]);
  if (!g_str_equal (direction, "forward"))
    return assay_edit_refuse (edit, "direction is %s, expected forward", direction);
  if (assay_node_get_int (node, "layout") != 0 ||
      (node->op == ASSAY_OP_LSTM && assay_node_get_int (node, "input_forget") != 0) ||
      assay_node_find_attr (node, "clip") != NULL || !has_plain_activations (node))
    return assay_edit_refuse (edit, "it has activations of its own, clip, input_forget or layout");

  return TRUE;
}

static gboolean
open_layer (Layer *self, AssayEdit *edit, guint n_gates)
{
  g_autofree double *w = NULL;
  g_autofree double *r = NULL;
  g_autofree double *b = NULL;
  gsize n_w = 0, n_r = 0, n_b = 0;
  AssayGuardShape x, weight;

  if (!refuse_variants (edit) ||
      !assay_guard_sizes (edit, assay_edit_type (edit, assay_edit_input (edit, 0)), &x) ||
      !assay_guard_sizes (edit, assay_edit_type (edit, assay_edit_input (edit, 2)), &weight))
    return FALSE;
  *self = (Layer){ .edit = edit, .n_gates = n_gates, .x = assay_edit_input (edit, 0) };
  if (x.rank != 3 || weight.rank != 3 || weight.dims[0] != 1)
    return assay_edit_refuse (edit, "its input does not have rank 3");
  self->steps = x.dims[0];
  self->batch = x.dims[1];
  self->input = x.dims[2];
  self->hidden = weight.dims[2];
  self->dtype = assay_edit_type (edit, self->x)->dtype;
  if (self->steps < 1 || self->steps > MAX_STEPS)
    return assay_edit_refuse (edit, "it has %" G_GINT64_FORMAT " step%s, expected 1 to %d",
                              self->steps, assay_plural (self->steps), MAX_STEPS);

  w = assay_guard_read (edit, assay_edit_input (edit, 1), &n_w);
  r = assay_guard_read (edit, assay_edit_input (edit, 2), &n_r);
  b = assay_guard_read (edit, assay_edit_input (edit, 3), &n_b);
  if (w == NULL || r == NULL || (b == NULL && assay_edit_input (edit, 3) != ASSAY_NO_VALUE) ||
      n_w != (gsize) (n_gates * self->hidden * self->input) ||
      n_r != (gsize) (n_gates * self->hidden * self->hidden) ||
      (b != NULL && n_b != (gsize) (2 * n_gates * self->hidden)))
    return assay_edit_refuse (edit, "its weights are no constants of the expected sizes");

  for (guint i = 0; i < n_gates; i++)
    {
      g_autofree double *zeros = g_new0 (double, self->hidden);
      const double *wb = b != NULL ? b + i * self->hidden : zeros;
      const double *rb = b != NULL ? b + (n_gates + i) * self->hidden : zeros;

      self->w[i] = gate_matrix (self, w, i, self->input);
      self->r[i] = gate_matrix (self, r, i, self->hidden);
      self->wb[i] = assay_guard_floats (edit, self->dtype, 1, &self->hidden, wb);
      self->rb[i] = assay_guard_floats (edit, self->dtype, 1, &self->hidden, rb);
    }

  return TRUE;
}

/* The input of one step, as a matrix. */
static AssayValueId
step_input (const Layer *self, gint64 step)
{
  const gint64 dims[] = { self->batch, self->input }, end = step + 1, axis = 0;
  AssayValueId inputs[4] = { self->x };

  if (self->steps == 1)
    return reshape (self->edit, self->x, 2, dims);
  inputs[1] = assay_builder_ints (&self->edit->builder, "constant", 1, &step);
  inputs[2] = assay_builder_ints (&self->edit->builder, "constant", 1, &end);
  inputs[3] = assay_builder_ints (&self->edit->builder, "constant", 1, &axis);

  return reshape (self->edit,
                  assay_builder_add (&self->edit->builder, ASSAY_OP_Slice, NULL, 4, inputs), 2,
                  dims);
}

/* A state before the first step, as a matrix. */
static AssayValueId
first_state (const Layer *self, guint input)
{
  const gint64 dims[] = { self->batch, self->hidden };
  AssayValueId value = assay_edit_input (self->edit, input);

  if (value == ASSAY_NO_VALUE)
    return assay_guard_filled (self->edit, self->dtype, 2, dims, 0);

  return reshape (self->edit, value, 2, dims);
}

static AssayValueId
input_side (const Layer *self, guint gate, AssayValueId x)
{
  return binary (self->edit, ASSAY_OP_Add, binary (self->edit, ASSAY_OP_MatMul, x, self->w[gate]),
                 self->wb[gate]);
}

static AssayValueId
hidden_side (const Layer *self, guint gate, AssayValueId h)
{
  return binary (self->edit, ASSAY_OP_Add, binary (self->edit, ASSAY_OP_MatMul, h, self->r[gate]),
                 self->rb[gate]);
}

static AssayValueId
gate (const Layer *self, guint index, AssayValueId x, AssayValueId h, AssayOp activation)
{
  return unary (
      self->edit, activation,
      binary (self->edit, ASSAY_OP_Add, input_side (self, index, x), hidden_side (self, index, h)));
}

/* Gives the outputs what they are made of: Y from all states, Y_h and Y_c from the last ones. */
static void
close_layer (const Layer *self, const AssayValueId *states, AssayValueId last, AssayValueId cell)
{
  const gint64 one[] = { 1, 1, self->batch, self->hidden };
  AssayEdit *edit = self->edit;
  AssayValueId ends[] = { last, cell };
  AssayValueId all[MAX_STEPS];
  AssayValueId first = ASSAY_NO_VALUE;

  for (guint i = 0; i < 2; i++)
    if (ends[i] != ASSAY_NO_VALUE &&
        assay_node_output (assay_edit_node (edit), i + 1) != ASSAY_NO_VALUE)
      assay_edit_replace (edit, i + 1, reshape (edit, ends[i], 3, one + 1));

  if (assay_node_output (assay_edit_node (edit), 0) != ASSAY_NO_VALUE)
    {
      for (gint64 i = 0; i < self->steps; i++)
        all[i] = reshape (edit, states[i], 4, one);
      first = all[0];
      if (self->steps > 1)
        {
          first = assay_builder_add (&edit->builder, ASSAY_OP_Concat, NULL, (guint) self->steps,
                                     all);
          assay_graph_set_int (edit->graph, assay_builder_last (&edit->builder), "axis", 0);
        }
    }
  assay_bindings_set_value (edit->bindings, "result", first);
}

gboolean
assay_guard_lstm_steps (AssayEdit *edit)
{
  AssayValueId states[MAX_STEPS], h, c;
  Layer layer;

  if (!open_layer (&layer, edit, 4))
    return FALSE;
  h = first_state (&layer, 5);
  c = first_state (&layer, 6);
  for (gint64 t = 0; t < layer.steps; t++)
    {
      AssayValueId x = step_input (&layer, t);
      AssayValueId in = gate (&layer, 0, x, h, ASSAY_OP_Sigmoid);
      AssayValueId out = gate (&layer, 1, x, h, ASSAY_OP_Sigmoid);
      AssayValueId forget = gate (&layer, 2, x, h, ASSAY_OP_Sigmoid);
      AssayValueId cell = gate (&layer, 3, x, h, ASSAY_OP_Tanh);

      c = binary (edit, ASSAY_OP_Add, binary (edit, ASSAY_OP_Mul, forget, c),
                  binary (edit, ASSAY_OP_Mul, in, cell));
      h = binary (edit, ASSAY_OP_Mul, out, unary (edit, ASSAY_OP_Tanh, c));
      states[t] = h;
    }
  close_layer (&layer, states, h, c);

  return TRUE;
}

gboolean
assay_guard_gru_steps (AssayEdit *edit)
{
  gboolean linear = assay_node_get_int (assay_edit_node (edit), "linear_before_reset") != 0;
  AssayValueId states[MAX_STEPS], h;
  Layer layer;

  if (!open_layer (&layer, edit, 3))
    return FALSE;
  h = first_state (&layer, 5);
  for (gint64 t = 0; t < layer.steps; t++)
    {
      AssayValueId x = step_input (&layer, t), side;
      AssayValueId update = gate (&layer, 0, x, h, ASSAY_OP_Sigmoid);
      AssayValueId reset = gate (&layer, 1, x, h, ASSAY_OP_Sigmoid);

      side = linear ? binary (edit, ASSAY_OP_Mul, reset, hidden_side (&layer, 2, h))
                    : hidden_side (&layer, 2, binary (edit, ASSAY_OP_Mul, reset, h));
      side = unary (edit, ASSAY_OP_Tanh,
                    binary (edit, ASSAY_OP_Add, input_side (&layer, 2, x), side));
      /* (1 - z) * n + z * h */
      h = binary (edit, ASSAY_OP_Add,
                  binary (edit, ASSAY_OP_Mul,
                          binary (edit, ASSAY_OP_Sub,
                                  assay_builder_number (&edit->builder, "constant", layer.dtype, 1),
                                  update),
                          side),
                  binary (edit, ASSAY_OP_Mul, update, h));
      states[t] = h;
    }
  close_layer (&layer, states, h, ASSAY_NO_VALUE);

  return TRUE;
}

gboolean
assay_guard_rnn_steps (AssayEdit *edit)
{
  AssayValueId states[MAX_STEPS], h;
  Layer layer;

  if (!open_layer (&layer, edit, 1))
    return FALSE;
  h = first_state (&layer, 5);
  for (gint64 t = 0; t < layer.steps; t++)
    states[t] = h = gate (&layer, 0, step_input (&layer, t), h, ASSAY_OP_Tanh);
  close_layer (&layer, states, h, ASSAY_NO_VALUE);

  return TRUE;
}
