/* assay-kernel-stateful.c
 * SPDX-License-Identifier: Apache-2.0
 *
 * Operators that carry a state from one call to the next beside their output.
 */
#include <math.h>
#include <string.h>

#include "evaluate/assay-elements.h"
#include "base/assay-sentence.h"
#include "evaluate/assay-kernel.h"

/* Linear attention. */

typedef struct
{
  AssayKernel *kernel;
  AssayDatum *q;
  AssayDatum *k;
  AssayDatum *v;
  AssayDatum *past;  /* (nullable) */
  AssayDatum *decay; /* (nullable): if the rule has one */
  AssayDatum *beta;  /* (nullable): if the rule has one */
  AssayDatum *y;
  AssayDatum *present; /* (nullable) */
  gsize length;
  gsize q_heads;
  gsize heads; /* of keys and values, with a state each */
  gsize key_size;
  gsize value_size;
  gsize n_decays; /* per head: one, or one per row of the state */
  gsize n_betas;  /* one, or one per head */
  double scale;
} Attention;

/* Makes the state of one token of that of the token before. */
static void
step_state (const Attention *work, gsize row, gsize head, const double *k, const double *v,
            double *error, double *state)
{
  gsize n_keys = work->key_size, n_values = work->value_size;
  double rate = 1.0;

  if (work->decay != NULL)
    for (gsize i = 0; i < n_keys; i++)
      {
        gsize at = (row * work->heads + head) * work->n_decays + (work->n_decays == 1 ? 0 : i);
        double factor = exp (assay_datum_get_number (work->decay, at));

        for (gsize j = 0; j < n_values; j++)
          state[i * n_values + j] *= factor;
      }

  memcpy (error, v, n_values * sizeof *v);
  if (work->beta != NULL)
    {
      rate = assay_datum_get_number (work->beta,
                                     row * work->n_betas + (work->n_betas == 1 ? 0 : head));
      for (gsize i = 0; i < n_keys; i++)
        for (gsize j = 0; j < n_values; j++)
          error[j] -= state[i * n_values + j] * k[i];
    }

  for (gsize i = 0; i < n_keys; i++)
    for (gsize j = 0; j < n_values; j++)
      state[i * n_values + j] += rate * k[i] * error[j];
}

static void
read_state (const Attention *work, const double *q, const double *state, double *y)
{
  memset (y, 0, work->value_size * sizeof *y);
  for (gsize i = 0; i < work->key_size; i++)
    for (gsize j = 0; j < work->value_size; j++)
      y[j] += q[i] * state[i * work->value_size + j];
  for (gsize j = 0; j < work->value_size; j++)
    y[j] *= work->scale;
}

/* The heads of all samples, one state each. */
static void
attend (gpointer data, gsize begin, gsize end)
{
  const Attention *work = data;
  gsize n_keys = work->key_size, n_values = work->value_size, n_state = n_keys * n_values;
  gsize group = work->q_heads / work->heads;
  g_autofree double *state = assay_kernel_room (work->kernel, double, n_state + 1, NULL);
  g_autofree double *row_key = assay_kernel_room (work->kernel, double, n_keys + 1, NULL);
  g_autofree double *row_value = assay_kernel_room (work->kernel, double, 2 * n_values + 1, NULL);

  if (state == NULL || row_key == NULL || row_value == NULL)
    return;

  for (gsize i = begin; i < end; i++)
    {
      gsize sample = i / work->heads, head = i % work->heads;

      memset (state, 0, n_state * sizeof *state);
      if (work->past != NULL)
        assay_elements_read (work->past, i * n_state, 1, n_state, state);
      for (gsize t = 0; t < work->length; t++)
        {
          gsize row = sample * work->length + t;

          assay_elements_read (work->k, (row * work->heads + head) * n_keys, 1, n_keys, row_key);
          assay_elements_read (work->v, (row * work->heads + head) * n_values, 1, n_values,
                               row_value);
          step_state (work, row, head, row_key, row_value, row_value + n_values, state);
          for (gsize j = head * group; j < (head + 1) * group; j++)
            {
              assay_elements_read (work->q, (row * work->q_heads + j) * n_keys, 1, n_keys, row_key);
              read_state (work, row_key, state, row_value);
              assay_elements_write (work->y, (row * work->q_heads + j) * n_values, 1, n_values,
                                    row_value);
            }
        }
      if (work->present != NULL)
        assay_elements_write (work->present, i * n_state, 1, n_state, state);
    }
}

gboolean
assay_kernel_op_linear_attention (AssayKernel *self, GError **error)
{
  const char *rule = assay_node_get_string (self->node, "update_rule");
  gboolean gated = strstr (rule, "gated") != NULL, delta = strstr (rule, "delta") != NULL;
  AssayDatum *q = self->inputs[0], *v = self->inputs[2];
  Attention work = { .kernel = self,
                     .q = q,
                     .k = self->inputs[1],
                     .v = v,
                     .past = assay_kernel_input (self, 3),
                     .decay = gated ? assay_kernel_input (self, 4) : NULL,
                     .beta = delta ? assay_kernel_input (self, 5) : NULL,
                     .q_heads = (gsize) assay_node_get_int (self->node, "q_num_heads"),
                     .heads = (gsize) assay_node_get_int (self->node, "kv_num_heads"),
                     .scale = assay_node_get_float (self->node, "scale") };
  gint64 state[4], dims[3];

  if ((gated && work.decay == NULL) || (delta && work.beta == NULL))
    return assay_kernel_fail (self, error, "update_rule %s needs the input %s", rule,
                              gated && work.decay == NULL ? "decay" : "beta");

  work.length = (gsize) q->dims[1];
  work.key_size = (gsize) q->dims[2] / work.q_heads;
  work.value_size = (gsize) v->dims[2] / work.heads;
  work.n_decays = work.decay != NULL ? (gsize) work.decay->dims[2] / work.heads : 0;
  work.n_betas = work.beta != NULL ? (gsize) work.beta->dims[2] : 0;
  if (work.scale == 0.0)
    work.scale = 1.0 / sqrt ((double) work.key_size);

  dims[0] = state[0] = q->dims[0];
  dims[1] = q->dims[1];
  dims[2] = (gint64) (work.q_heads * work.value_size);
  state[1] = (gint64) work.heads;
  state[2] = (gint64) work.key_size;
  state[3] = (gint64) work.value_size;
  work.y = assay_kernel_output (self, 0, q->dtype, 3, dims, error);
  if (work.y == NULL)
    return FALSE;
  if (assay_kernel_wants (self, 1))
    {
      work.present = assay_kernel_output (self, 1, work.past != NULL ? work.past->dtype : q->dtype,
                                          4, state, error);
      if (work.present == NULL)
        return FALSE;
    }

  assay_kernel_parallel (self, (gsize) q->dims[0] * work.heads, 1, attend, &work);

  return TRUE;
}

/* Causal convolution. */

typedef struct
{
  AssayKernel *kernel;
  AssayDatum *x;
  AssayDatum *weight;
  AssayDatum *bias; /* (nullable) */
  AssayDatum *past; /* (nullable) */
  AssayDatum *y;
  AssayDatum *present; /* (nullable) */
  gsize channels;
  gsize length;
  gsize size; /* of the kernel */
  gboolean silu;
} Convolution;

/* The channels of all samples. */
static void
convolve (gpointer data, gsize begin, gsize end)
{
  const Convolution *work = data;
  gsize before = work->size - 1;
  g_autofree double *row = assay_kernel_room0 (work->kernel, double, before + work->length + 1,
                                               NULL);
  g_autofree double *weights = assay_kernel_room (work->kernel, double, work->size, NULL);
  g_autofree double *results = assay_kernel_room (work->kernel, double, work->length + 1, NULL);

  if (row == NULL || weights == NULL || results == NULL)
    return;

  for (gsize i = begin; i < end; i++)
    {
      gsize channel = i % work->channels;
      double bias = work->bias != NULL ? assay_datum_get_number (work->bias, channel) : 0.0;

      if (work->past != NULL)
        assay_elements_read (work->past, i * before, 1, before, row);
      assay_elements_read (work->x, i * work->length, 1, work->length, row + before);
      assay_elements_read (work->weight, channel * work->size, 1, work->size, weights);
      for (gsize t = 0; t < work->length; t++)
        {
          double sum = bias;

          for (gsize j = 0; j < work->size; j++)
            sum += weights[j] * row[t + j];
          results[t] = work->silu ? sum / (1.0 + exp (-sum)) : sum;
        }
      assay_elements_write (work->y, i * work->length, 1, work->length, results);
      if (work->present != NULL)
        assay_elements_write (work->present, i * before, 1, before, row + work->length);
    }
}

gboolean
assay_kernel_op_causal_conv (AssayKernel *self, GError **error)
{
  AssayDatum *x = self->inputs[0];
  Convolution work = {
    .kernel = self,
    .x = x,
    .weight = self->inputs[1],
    .bias = assay_kernel_input (self, 2),
    .past = assay_kernel_input (self, 3),
    .channels = (gsize) x->dims[1],
    .length = (gsize) x->dims[2],
    .size = (gsize) self->inputs[1]->dims[2],
    .silu = strcmp (assay_node_get_string (self->node, "activation"), "none") != 0,
  };
  gint64 state[3] = { x->dims[0], x->dims[1], (gint64) work.size - 1 };

  if (work.size == 0)
    return assay_kernel_fail (self, error, "the kernel has no elements");
  if (work.past != NULL && work.past->dims[2] != state[2])
    return assay_kernel_fail (self, error,
                              "the past state has %" G_GINT64_FORMAT
                              " position%s, expected %" G_GINT64_FORMAT,
                              work.past->dims[2], assay_plural (work.past->dims[2]), state[2]);

  work.y = assay_kernel_output (self, 0, x->dtype, 3, x->dims, error);
  if (work.y == NULL)
    return FALSE;
  if (assay_kernel_wants (self, 1))
    {
      work.present = assay_kernel_output (self, 1, x->dtype, 3, state, error);
      if (work.present == NULL)
        return FALSE;
    }

  assay_kernel_parallel (self, (gsize) x->dims[0] * work.channels, 16, convolve, &work);

  return TRUE;
}
