/* assay-recurrent.c
 * SPDX-License-Identifier: Apache-2.0
 */
#include "evaluate/assay-recurrent.h"

#include <math.h>

#include "base/assay-sentence.h"

/* The cells of RNN, GRU and LSTM as the ONNX specification writes them, one sample and step at a
 * time, and the activation functions that it lists. */

/* What is no number stays none, as in the operators of the same names. */
static double
act_relu (double x, double alpha, double beta)
{
  return x > 0.0 || isnan (x) ? x : 0.0;
}

static double
act_tanh (double x, double alpha, double beta)
{
  return tanh (x);
}

static double
act_sigmoid (double x, double alpha, double beta)
{
  return 1.0 / (1.0 + exp (-x));
}

static double
act_affine (double x, double alpha, double beta)
{
  return alpha * x + beta;
}

static double
act_leaky_relu (double x, double alpha, double beta)
{
  return x >= 0.0 ? x : alpha * x;
}

static double
act_thresholded_relu (double x, double alpha, double beta)
{
  return x >= alpha || isnan (x) ? x : 0.0;
}

static double
act_scaled_tanh (double x, double alpha, double beta)
{
  return alpha * tanh (beta * x);
}

static double
act_hard_sigmoid (double x, double alpha, double beta)
{
  return CLAMP (alpha * x + beta, 0.0, 1.0);
}

static double
act_elu (double x, double alpha, double beta)
{
  return x >= 0.0 ? x : alpha * expm1 (x);
}

static double
act_softsign (double x, double alpha, double beta)
{
  return x / (1.0 + fabs (x));
}

static double
act_softplus (double x, double alpha, double beta)
{
  return x > 0.0 ? x + log1p (exp (-x)) : log1p (exp (x));
}

/* Defaults are those of the operators of the same names; the parameters that a function takes are
 * used up in order. */
static const struct
{
  const char *name;
  AssayActivation activation;
  guint n_parameters;
} activations[] = {
  { "relu", { act_relu, 0.0, 0.0 }, 0 },
  { "tanh", { act_tanh, 0.0, 0.0 }, 0 },
  { "sigmoid", { act_sigmoid, 0.0, 0.0 }, 0 },
  { "affine", { act_affine, 1.0, 0.0 }, 2 },
  { "leakyrelu", { act_leaky_relu, 0.01, 0.0 }, 1 },
  { "thresholdedrelu", { act_thresholded_relu, 1.0, 0.0 }, 1 },
  { "scaledtanh", { act_scaled_tanh, 1.0, 1.0 }, 2 },
  { "hardsigmoid", { act_hard_sigmoid, 0.2, 0.5 }, 2 },
  { "elu", { act_elu, 1.0, 0.0 }, 1 },
  { "softsign", { act_softsign, 0.0, 0.0 }, 0 },
  { "softplus", { act_softplus, 0.0, 0.0 }, 0 },
};

static int
find_activation (const char *name)
{
  for (guint i = 0; i < G_N_ELEMENTS (activations); i++)
    {
      if (g_ascii_strcasecmp (activations[i].name, name) == 0)
        return (int) i;
    }

  return -1;
}

/**
 * assay_recurrent_activations:
 * @kernel: a recurrent operator
 * @direction: which direction
 * @n_directions: how many directions it has
 * @self: (inout): gets the activation functions
 * @error: return location for a #GError
 *
 * Reads the activation functions of one direction and their parameters.
 *
 * Returns: whether the attributes are as they should be
 */
gboolean
assay_recurrent_activations (AssayKernel *kernel, guint direction, guint n_directions,
                             AssayRecurrent *self, GError **error)
{
  static const char *const defaults[] = { "sigmoid", "tanh", "tanh" };
  const AssayAttr *names = assay_node_find_attr (kernel->node, "activations");
  guint n_alpha, n_beta, next_alpha = 0, next_beta = 0;
  const double *alpha = assay_node_get_floats (kernel->node, "activation_alpha", &n_alpha);
  const double *beta = assay_node_get_floats (kernel->node, "activation_beta", &n_beta);
  AssayActivation *slots[] = { &self->f, &self->g, &self->h };
  guint n = self->op == ASSAY_OP_LSTM ? 3 : self->op == ASSAY_OP_GRU ? 2 : 1;

  if (names != NULL && (names->kind != ASSAY_ATTR_STRINGS || names->n != n * n_directions))
    return assay_kernel_fail (kernel, error, "attribute activations: %u %s, expected %u", names->n,
                              assay_noun (names->n, "entry", "entries"), n * n_directions);

  for (guint i = 0; i < n * (direction + 1); i++)
    {
      const char *name = names != NULL ? names->u.strings[i]
                                       : defaults[self->op == ASSAY_OP_RNN ? 1 : i % n];
      int row = find_activation (name);
      AssayActivation activation;

      if (row < 0)
        return assay_kernel_fail (kernel, error,
                                  "attribute activations: “%s” is no activation function", name);

      activation = activations[row].activation;
      if (activations[row].n_parameters >= 1 && next_alpha < n_alpha)
        activation.alpha = alpha[next_alpha++];
      if (activations[row].n_parameters >= 2 && next_beta < n_beta)
        activation.beta = beta[next_beta++];
      *slots[i % n] = activation;
    }

  return TRUE;
}

static double
activate (const AssayRecurrent *self, const AssayActivation *activation, double x)
{
  return activation->func (CLAMP (x, -self->clip, self->clip), activation->alpha, activation->beta);
}

static double
gate (const AssayRecurrent *self, const double *x, const double *product, gsize index, gsize i)
{
  gsize at = index * self->hidden + i;

  return x[at] + product[at] + self->bias[at];
}

/**
 * assay_recurrent_reset:
 * @self: a GRU whose reset gate comes before the product
 * @x: products of the input
 * @product: products of the state, of which those of the candidate are not used
 * @state: (array): the state
 * @reset: (out) (array): the state behind the reset gate, whose product the candidate needs
 *
 * Computes the reset gate of one step.
 */
void
assay_recurrent_reset (const AssayRecurrent *self, const double *x, const double *product,
                       const double *state, double *reset)
{
  for (gsize i = 0; i < self->hidden; i++)
    reset[i] = activate (self, &self->f, gate (self, x, product, 1, i)) * state[i];
}

static void
step_rnn (const AssayRecurrent *self, const double *x, const double *product, double *state)
{
  for (gsize i = 0; i < self->hidden; i++)
    state[i] = activate (self, &self->f, gate (self, x, product, 0, i));
}

static void
step_gru (const AssayRecurrent *self, const double *x, const double *product, double *state)
{
  const double *candidate = product + 2 * self->hidden;

  for (gsize i = 0; i < self->hidden; i++)
    {
      double update = activate (self, &self->f, gate (self, x, product, 0, i));
      double sum = x[2 * self->hidden + i] + self->bias[2 * self->hidden + i];

      if (self->linear_before_reset)
        sum += activate (self, &self->f, gate (self, x, product, 1, i)) *
               (candidate[i] + self->reset_bias[i]);
      else
        sum += candidate[i] + self->reset_bias[i];

      state[i] = (1.0 - update) * activate (self, &self->g, sum) + update * state[i];
    }
}

/* The gates of LSTM stand in the order input, output, forget, cell. */
static void
step_lstm (const AssayRecurrent *self, const double *x, const double *product, double *state,
           double *cell)
{
  gsize n = self->hidden;

  for (gsize i = 0; i < n; i++)
    {
      double input = gate (self, x, product, 0, i);
      double output = gate (self, x, product, 1, i);
      double forget = gate (self, x, product, 2, i);
      double candidate = activate (self, &self->g, gate (self, x, product, 3, i));

      if (self->peephole != NULL)
        {
          input += self->peephole[i] * cell[i];
          forget += self->peephole[2 * n + i] * cell[i];
        }
      input = activate (self, &self->f, input);
      forget = self->input_forget ? 1.0 - input : activate (self, &self->f, forget);
      cell[i] = forget * cell[i] + input * candidate;

      if (self->peephole != NULL)
        output += self->peephole[n + i] * cell[i];
      /* As ONNX Runtime: what gates see is clipped, the cell is not. */
      state[i] = activate (self, &self->f, output) *
                 self->h.func (cell[i], self->h.alpha, self->h.beta);
    }
}

/**
 * assay_recurrent_step:
 * @self: one direction of a recurrent operator
 * @x: products of the input with the weights of all gates
 * @product: products of the state with those
 * @state: (inout) (array): the state
 * @cell: (inout) (array) (nullable): the cell of LSTM
 *
 * Computes one step of one sample.
 */
void
assay_recurrent_step (const AssayRecurrent *self, const double *x, const double *product,
                      double *state, double *cell)
{
  switch (self->op)
    {
    case ASSAY_OP_GRU:
      step_gru (self, x, product, state);
      break;
    case ASSAY_OP_LSTM:
      step_lstm (self, x, product, state, cell);
      break;
    default:
      step_rnn (self, x, product, state);
      break;
    }
}
