/* graph-reference-layers.c
 * SPDX-License-Identifier: Apache-2.0
 *
 * LSTM, GRU and RNN, from the equations of ONNX.
 */
#include <string.h>

#include "graph-reference.h"

#define MAX_HIDDEN 64

typedef struct
{
  Reference *self;
  guint direction;
  gsize batch;
  gsize n_gates;
  gsize hidden;
  gsize n_in;
  Bounded h[MAX_HIDDEN];
  Bounded c[MAX_HIDDEN];
} Layer;

/* Adds one row of W or R (input 1 or 2) times a vector. */
static void
add_row (const Layer *layer, BoundedSum *sum, guint input, gsize gate, gsize unit, const Bounded *x)
{
  const ReferenceTensor *w = reference_input (layer->self, input);
  gsize n = input == 1 ? layer->n_in : layer->hidden;
  gsize row = (layer->direction * layer->n_gates + gate) * layer->hidden + unit;

  for (gsize k = 0; k < n; k++)
    bounded_sum_product (sum, reference_weight (layer->self, w, row * n + k, 1), x[k]);
}

/* Adds a bias: of the input (half 0) or of the state (half 1). */
static void
add_bias (const Layer *layer, BoundedSum *sum, gsize half, gsize gate, gsize unit)
{
  const ReferenceTensor *b = reference_input (layer->self, 3);

  if (b != NULL)
    bounded_sum_add (
        sum, b->v[((layer->direction * 2 + half) * layer->n_gates + gate) * layer->hidden + unit]);
}

static Bounded
gate_sum (const Layer *layer, gsize gate, gsize unit, const Bounded *x, const Bounded *h)
{
  BoundedSum sum = { 0 };

  add_bias (layer, &sum, 0, gate, unit);
  add_bias (layer, &sum, 1, gate, unit);
  add_row (layer, &sum, 2, gate, unit, h);
  add_row (layer, &sum, 1, gate, unit, x);

  return bounded_sum_end (layer->self->numerics, &sum);
}

static void
step_lstm (Layer *layer, const Bounded *x, Bounded *next)
{
  const Numerics *numerics = layer->self->numerics;

  for (gsize i = 0; i < layer->hidden; i++)
    {
      Bounded in = bounded_apply (numerics, &bounded_sigmoid, gate_sum (layer, 0, i, x, layer->h));
      Bounded out = bounded_apply (numerics, &bounded_sigmoid, gate_sum (layer, 1, i, x, layer->h));
      Bounded forget = bounded_apply (numerics, &bounded_sigmoid,
                                      gate_sum (layer, 2, i, x, layer->h));
      Bounded update = bounded_apply (numerics, &bounded_tanh, gate_sum (layer, 3, i, x, layer->h));

      layer->c[i] = bounded_add (numerics, bounded_mul (numerics, forget, layer->c[i]),
                                 bounded_mul (numerics, in, update));
      next[i] = bounded_finish (
          numerics,
          bounded_mul (numerics, out, bounded_apply (numerics, &bounded_tanh, layer->c[i])));
      layer->c[i].e += numerics->allowance * layer->c[i].m;
    }
}

static void
step_gru (Layer *layer, const Bounded *x, Bounded *next)
{
  const Numerics *numerics = layer->self->numerics;
  gboolean after = assay_node_get_int (layer->self->node, "linear_before_reset") != 0;
  Bounded z[MAX_HIDDEN], r[MAX_HIDDEN], reset[MAX_HIDDEN];

  for (gsize i = 0; i < layer->hidden; i++)
    {
      z[i] = bounded_apply (numerics, &bounded_sigmoid, gate_sum (layer, 0, i, x, layer->h));
      r[i] = bounded_apply (numerics, &bounded_sigmoid, gate_sum (layer, 1, i, x, layer->h));
      reset[i] = bounded_store (numerics, bounded_mul (numerics, r[i], layer->h[i]));
    }

  for (gsize i = 0; i < layer->hidden; i++)
    {
      BoundedSum sum = { 0 };
      Bounded n;

      if (!after)
        {
          n = gate_sum (layer, 2, i, x, reset);
        }
      else
        {
          BoundedSum own = { 0 };

          add_bias (layer, &own, 1, 2, i);
          add_row (layer, &own, 2, 2, i, layer->h);
          add_bias (layer, &sum, 0, 2, i);
          add_row (layer, &sum, 1, 2, i, x);
          n = bounded_mul (numerics, r[i], bounded_sum_end (numerics, &own));
          n = bounded_add (numerics, n, bounded_sum_end (numerics, &sum));
        }
      n = bounded_apply (numerics, &bounded_tanh, n);
      n = bounded_mul (numerics, bounded_sub (numerics, bounded_exact (1), z[i]), n);
      next[i] = bounded_finish (
          numerics, bounded_add (numerics, n, bounded_mul (numerics, z[i], layer->h[i])));
    }
}

static void
step_rnn (Layer *layer, const Bounded *x, Bounded *next)
{
  const AssayAttr *activations = assay_node_find_attr (layer->self->node, "activations");
  gboolean relu = activations != NULL &&
                  g_ascii_strcasecmp (activations->u.strings[0], "Relu") == 0;

  for (gsize i = 0; i < layer->hidden; i++)
    {
      Bounded sum = gate_sum (layer, 0, i, x, layer->h);

      next[i] = bounded_finish (layer->self->numerics,
                                relu ? bounded_max (sum, bounded_exact (0))
                                     : bounded_apply (layer->self->numerics, &bounded_tanh, sum));
    }
}

static void
read_state (Layer *layer, guint input, gsize n_batch, Bounded *state)
{
  const ReferenceTensor *initial = reference_input (layer->self, input);

  for (gsize i = 0; i < layer->hidden; i++)
    state[i] = initial == NULL
                   ? bounded_exact (0)
                   : initial->v[(layer->direction * n_batch + layer->batch) * layer->hidden + i];
}

static void
run_sequence (Layer *layer, void (*step) (Layer *, const Bounded *, Bounded *), gboolean reverse)
{
  Reference *self = layer->self;
  const ReferenceTensor *x = reference_input (self, 0);
  ReferenceTensor *y = reference_output (self, 0);
  gsize n_steps = (gsize) x->dims[0], n_batch = (gsize) x->dims[1];
  gsize n_directions = (gsize) reference_input (self, 1)->dims[0];

  read_state (layer, 5, n_batch, layer->h);
  for (gsize i = 0; i < layer->hidden; i++)
    layer->h[i] = bounded_store (self->numerics, layer->h[i]);
  if (self->node->op == ASSAY_OP_LSTM)
    read_state (layer, 6, n_batch, layer->c);

  for (gsize i = 0; i < n_steps; i++)
    {
      gsize t = reverse ? n_steps - 1 - i : i;
      Bounded next[MAX_HIDDEN];

      step (layer, x->v + (t * n_batch + layer->batch) * layer->n_in, next);
      memcpy (layer->h, next, sizeof next);
      if (y != NULL)
        memcpy (y->v + ((t * n_directions + layer->direction) * n_batch + layer->batch) *
                           layer->hidden,
                next, layer->hidden * sizeof *next);
    }

  for (guint output = 1; output <= 2; output++)
    {
      ReferenceTensor *last = reference_output (self, output);

      for (gsize i = 0; i < layer->hidden && last != NULL; i++)
        last->v[(layer->direction * n_batch + layer->batch) * layer->hidden + i] =
            output == 1 ? layer->h[i] : bounded_store (self->numerics, layer->c[i]);
    }
}

static void
run_layer (Reference *self, gsize n_gates, void (*step) (Layer *, const Bounded *, Bounded *))
{
  const ReferenceTensor *x = reference_input (self, 0);
  const ReferenceTensor *r = reference_input (self, 2);
  gboolean reverse = g_str_equal (assay_node_get_string (self->node, "direction"), "reverse");

  for (guint d = 0; d < r->dims[0]; d++)
    {
      for (gsize batch = 0; batch < (gsize) x->dims[1]; batch++)
        {
          Layer layer = {
            .self = self,
            .direction = d,
            .batch = batch,
            .n_gates = n_gates,
            .hidden = (gsize) r->dims[2],
            .n_in = (gsize) x->dims[2],
          };

          g_assert_cmpuint (layer.hidden, <=, MAX_HIDDEN);
          run_sequence (&layer, step, reverse || d == 1);
        }
    }
}

static void
run_lstm (Reference *self)
{
  run_layer (self, 4, step_lstm);
}

static void
run_gru (Reference *self)
{
  run_layer (self, 3, step_gru);
}

static void
run_rnn (Reference *self)
{
  run_layer (self, 1, step_rnn);
}

const ReferenceRow *
reference_layers (void)
{
  static const ReferenceRow rows[] = {
    { ASSAY_OP_LSTM, run_lstm },
    { ASSAY_OP_GRU, run_gru },
    { ASSAY_OP_RNN, run_rnn },
    { 0, NULL },
  };

  return rows;
}
