/* assay-error-rules-sums.c
 * SPDX-License-Identifier: Apache-2.0
 *
 * What adds up many elements for one.
 */
#include "evaluate/compare/assay-error-rules-private.h"

#include <string.h>

/* Timesteps of a recurrence that are followed one by one. */
#define MAX_STEPS 4096

/* What a device cuts off of operands with finer steps: all below a quarter of the coarsest. */
static double
cut_off (const AssayReckoning *self)
{
  double coarsest = 0, least = INFINITY;
  guint n_finer = 0;

  for (guint pass = 0; pass < 2; pass++)
    for (guint i = 0; i < self->n_in; i++)
      {
        AssayNodeId id = assay_graph_value (self->graph, self->node->inputs[i])->producer;
        const AssayNode *producer = id != ASSAY_NO_NODE ? assay_graph_node (self->graph, id) : NULL;
        AssayTensor *scale = producer != NULL && producer->op == ASSAY_OP_DequantizeLinear
                                 ? assay_graph_constant (self->graph,
                                                         assay_node_input (producer, 1))
                                 : NULL;
        double step;

        if (scale == NULL || !assay_tensor_get_element (scale, 0, &step, NULL))
          continue;
        coarsest = MAX (coarsest, step);
        least = MIN (least, step);
        n_finer += pass == 1 && step < coarsest / 4;
      }

  return n_finer * MAX (coarsest / 4 - least, 0);
}

void
assay_error_rule_sum (AssayReckoning *self)
{
  double error = 0, size = 0;

  for (guint i = 0; i < self->n_in; i++)
    {
      error = reckon_join (self, error, self->in[i].error);
      size = reckon_join (self, size, self->in[i].size);
    }
  self->error = reckon_join (self, error, reckon_rounding_of (self, self->n_in) * (size + error));
  self->size = size;
  if (self->rounding->is_device)
    self->error = reckon_join (self, self->error, cut_off (self));
  if (self->node->op == ASSAY_OP_Mean)
    {
      self->error /= MAX (self->n_in, 1);
      self->size /= MAX (self->n_in, 1);
    }
}

/* Labels that are summed: their extents from whichever operand has them. */
static double
einsum_length (const AssayReckoning *self)
{
  const char *equation = assay_node_get_string (self->node, "equation");
  const char *arrow = equation != NULL ? strstr (equation, "->") : NULL;
  g_auto (GStrv) parts = NULL;
  g_autofree char *inputs = NULL;
  gboolean counted[128] = { FALSE };
  double length = 1;

  /* Without an arrow what stands twice is summed: all there is bounds it. */
  if (arrow == NULL)
    return reckon_count_of (reckon_type_of (self, 0)) * reckon_count_of (reckon_type_of (self, 1));
  inputs = g_strndup (equation, (gsize) (arrow - equation));
  parts = g_strsplit (inputs, ",", -1);
  for (guint i = 0; parts[i] != NULL; i++)
    {
      const AssayType *type = reckon_type_of (self, i);
      int axis = type != NULL ? assay_type_rank (type) - 1 : -1;

      /* From the end up to an ellipsis, and from the beginning to it. */
      for (gsize at = strlen (parts[i]); at-- > 0 && axis >= 0;)
        {
          char label = parts[i][at];

          if (label == '.')
            break;
          if (!g_ascii_isalpha (label))
            continue;
          if (strchr (arrow, label) == NULL && !counted[(guchar) label])
            length *= (double) MAX (type->dims[axis].size, 1);
          counted[(guchar) label] = TRUE;
          axis--;
        }
      axis = 0;
      for (const char *at = strchr (parts[i], '.') != NULL ? parts[i] : "";
           *at != '.' && *at != '\0' && type != NULL && axis < assay_type_rank (type); at++)
        {
          if (!g_ascii_isalpha (*at))
            continue;
          if (strchr (arrow, *at) == NULL && !counted[(guchar) *at])
            length *= (double) MAX (type->dims[axis].size, 1);
          counted[(guchar) *at] = TRUE;
          axis++;
        }
    }

  return length;
}

static void
dot (AssayReckoning *self, guint n_factors, guint bias)
{
  double n = self->node->op == ASSAY_OP_Einsum ? einsum_length (self) : (double) self->length;
  double alpha = 1, beta = 1, size = 1, error = 0, biased;
  const AssayErrorTerm *more = reckon_term (self, bias);

  if (self->node->op == ASSAY_OP_Gemm)
    {
      alpha = fabs (assay_node_get_float (self->node, "alpha"));
      beta = fabs (assay_node_get_float (self->node, "beta"));
    }
  for (guint i = 0; i < n_factors; i++)
    {
      AssayErrorTerm so_far = { .size = size, .error = error };

      error = reckon_product_error (self, &so_far, reckon_term (self, i));
      size *= reckon_term (self, i)->size;
    }
  size = reckon_many (self, n) * size * alpha;
  error = reckon_many (self, n) * error * alpha;
  biased = reckon_join (self, size, beta * more->size);
  error = reckon_join (self, error, beta * more->error);
  self->error = reckon_join (self, error,
                             reckon_rounding_of (self, n + SPARE_STEPS) * (biased + error));
  self->size = biased;
}

void
assay_error_rule_dot (AssayReckoning *self)
{
  gboolean is_einsum = self->node->op == ASSAY_OP_Einsum;

  dot (self, is_einsum ? self->n_in : 2, is_einsum ? G_MAXUINT : 2);
}

/* Elements are taken from between others, at places that are computed. */
void
assay_error_rule_deform (AssayReckoning *self)
{
  AssayErrorTerm *x = &self->in[0];
  const AssayErrorTerm *mask = reckon_term (self, 4);
  double places = reckon_term (self, 2)->error +
                  reckon_rounding_of (self, SPARE_STEPS) *
                      (reckon_term (self, 2)->size + reckon_longest (self, 0));

  x->error = reckon_join (self, x->error,
                          4 * places * x->peak + reckon_rounding_of (self, SPARE_STEPS) * x->size);
  if (reckon_is_there (self, 4))
    {
      x->error = reckon_product_error (self, x, mask);
      x->size *= mask->size;
    }
  dot (self, 2, 3);
}

void
assay_error_rule_total (AssayReckoning *self)
{
  const AssayErrorTerm *x = reckon_term (self, 0);
  double n = self->node->op == ASSAY_OP_Col2Im
                 ? reckon_count_of (reckon_type_of (self, 0)) / reckon_n_results (self) + 1
                 : (double) self->length;

  if (self->node->op == ASSAY_OP_CumSum)
    n = MAX (n, reckon_longest (self, 0));
  if (self->node->op == ASSAY_OP_Col2Im)
    n = reckon_count_of (reckon_type_of (self, 0));
  self->size = reckon_many (self, n) * x->size;
  self->error = reckon_join (self, reckon_many (self, n) * x->error,
                             reckon_rounding_of (self, n) *
                                 (self->size + reckon_many (self, n) * x->error));
}

/* Sums of products with sines and cosines, which are rounded too. */
void
assay_error_rule_waves (AssayReckoning *self)
{
  const AssayErrorTerm *x = reckon_term (self, 0);
  double n = 2 * reckon_longest (self, 0), window = 1;

  if (self->node->op == ASSAY_OP_STFT && reckon_is_there (self, 2))
    window = MAX (reckon_term (self, 2)->size + reckon_term (self, 2)->error, 1);
  self->size = reckon_many (self, n) * x->size * window;
  self->error = reckon_join (self, reckon_many (self, n) * x->error * window,
                             reckon_rounding_of (self, n + FUNCTION_STEPS) * self->size);
}

/* A device divides by the whole window, where the model may divide by what of it is no padding. */
static gboolean
counts_padding (const AssayReckoning *self)
{
  guint n = 0;
  const gint64 *pads = self->node->op == ASSAY_OP_AveragePool
                           ? assay_node_get_ints (self->node, "pads", &n)
                           : NULL;
  gboolean any = self->node->op == ASSAY_OP_AveragePool &&
                 assay_node_get_int (self->node, "ceil_mode") != 0;

  for (guint i = 0; i < n; i++)
    any = any || pads[i] > 0;

  return any && assay_node_get_int (self->node, "count_include_pad") == 0;
}

void
assay_error_rule_mean (AssayReckoning *self)
{
  const AssayErrorTerm *x = reckon_term (self, 0);
  double n = (double) self->length;

  self->size = self->likely ? x->size : x->peak;
  self->error = reckon_join (self, x->error / (self->likely ? sqrt (n) : 1),
                             reckon_rounding_of (self, n + SPARE_STEPS) * (x->size + x->error));
  self->error = reckon_join (self, self->error, reckon_function_of (self, x->peak, self->size, 0));
  if (self->rounding->is_device)
    self->error = reckon_join (self, self->error,
                               counts_padding (self) ? x->peak : DEVICE_MEAN * x->size);
}

void
assay_error_rule_length (AssayReckoning *self)
{
  const AssayErrorTerm *x = reckon_term (self, 0);
  double n = (double) self->length;

  if (self->node->op == ASSAY_OP_LpPool)
    {
      guint rank = 0;
      const gint64 *kernel = assay_node_get_ints (self->node, "kernel_shape", &rank);

      n = 1;
      for (guint i = 0; i < rank; i++)
        n *= (double) MAX (kernel[i], 1);
    }
  self->size = (self->node->op == ASSAY_OP_ReduceL2 ? sqrt (n) : n) * x->size;
  self->error = reckon_join (self, (self->node->op == ASSAY_OP_ReduceL2 ? sqrt (n) : n) * x->error,
                             reckon_rounding_of (self, n + FUNCTION_STEPS) * self->size);
}

void
assay_error_rule_squares (AssayReckoning *self)
{
  const AssayErrorTerm *x = reckon_term (self, 0);
  double n = (double) self->length;

  self->size = n * x->size * x->size;
  self->error = reckon_join (self, reckon_many (self, n) * x->error * (2 * x->size + x->error),
                             reckon_rounding_of (self, n + SPARE_STEPS) * self->size);
}

/* What is added up is of one sign, or there is no bound. */
void
assay_error_rule_ratio_log (AssayReckoning *self)
{
  const AssayErrorTerm *x = reckon_term (self, 0);
  double n = (double) self->length, relative = x->error / (x->least - x->error);

  self->size = fabs (log (n * MAX (x->size, DBL_MIN)));
  self->error = x->least > x->error
                    ? reckon_join (self, -log1p (-MIN (relative, 1)),
                                   reckon_rounding_of (self, n + FUNCTION_STEPS) * (1 + self->size))
                    : INFINITY;
}

void
assay_error_rule_many (AssayReckoning *self)
{
  const AssayErrorTerm *x = reckon_term (self, 0);
  double n = self->node->op == ASSAY_OP_CumProd ? reckon_longest (self, 0) : (double) self->length;

  self->size = pow (MAX (x->size, 1), n);
  self->error = reckon_join (self, pow (MAX (x->size, 1) + x->error, n) - self->size,
                             reckon_rounding_of (self, n) * self->size);
}

/* How many elements are normalised together. */
static double
norm_length (const AssayReckoning *self)
{
  const AssayType *type = reckon_type_of (self, 0);
  int rank = type != NULL ? assay_type_rank (type) : 0, axis;
  double n = 1;

  switch (self->node->op)
    {
    case ASSAY_OP_LayerNormalization:
    case ASSAY_OP_RMSNormalization:
      axis = (int) assay_node_get_int (self->node, "axis");
      for (int i = axis < 0 ? axis + rank : axis; i >= 0 && i < rank; i++)
        n *= (double) MAX (type->dims[i].size, 1);
      return n;
    case ASSAY_OP_InstanceNormalization:
      return reckon_count_of (type) /
             (double) (rank > 1 ? MAX (type->dims[0].size * type->dims[1].size, 1) : 1);
    case ASSAY_OP_GroupNormalization:
      return reckon_count_of (type) /
             (double) MAX ((rank > 0 ? type->dims[0].size : 1) *
                               assay_node_get_int (self->node, "num_groups"),
                           1);
    default:
      return reckon_count_of (type);
    }
}

/* n numbers over their deviation are at most the root of n, and move by an error as the deviation,
 * which epsilon keeps above zero, lets them. Of the deviation the mean over the tensor is known. */
void
assay_error_rule_norm (AssayReckoning *self)
{
  const AssayErrorTerm *x = reckon_term (self, 0);
  AssayOp op = self->node->op;
  gboolean has_epsilon = op != ASSAY_OP_MeanVarianceNormalization && op != ASSAY_OP_LpNormalization;
  double n = norm_length (self), root = sqrt (n), rms = self->likely ? x->size : 0;
  double least = has_epsilon ? sqrt (MAX (assay_node_get_float (self->node, "epsilon"), 0)) : 1e-5;
  double off = x->error + reckon_rounding_of (self, n + SPARE_STEPS) * x->size;
  double unit;

  if (self->output > 0)
    {
      /* Means, and one over deviations. */
      self->error = self->output == 1 ? off : off / pow (least, 2);
      self->size = self->output == 1 ? x->size : 1 / least;
      return;
    }
  least = MAX (least, rms);
  unit = self->likely ? off / least : MIN (2 * root, off * (2 + root) / least);
  unit = reckon_join (
      self, unit,
      reckon_function_of (self, x->peak, self->likely ? 1 : root,
                          reckon_rounding_of (self, FUNCTION_STEPS) * (self->likely ? 1 : root)));
  self->size = self->likely ? 1 : root;
  self->error = unit;
  if (reckon_is_there (self, 1))
    {
      const AssayErrorTerm normal = { .size = self->size, .error = unit };

      self->error = reckon_product_error (self, &normal, reckon_term (self, 1));
      self->size *= reckon_term (self, 1)->size;
    }
  self->size = reckon_join (self, self->size, reckon_term (self, 2)->size);
  self->error = reckon_join (self, self->error, reckon_term (self, 2)->error);
  self->error = reckon_join (self, self->error,
                             reckon_rounding_of (self, SPARE_STEPS) * self->size);
}

void
assay_error_rule_channel (AssayReckoning *self)
{
  const AssayErrorTerm *x = reckon_term (self, 0), *scale = reckon_term (self, 1),
                       *mean = reckon_term (self, 3);
  const AssayErrorTerm *variance = reckon_term (self, 4);
  double epsilon = fabs (assay_node_get_float (self->node, "epsilon"));
  double low = MAX ((self->likely ? variance->size : variance->least) - variance->error, 0) +
               epsilon;
  double over = low > 0 ? 1 / sqrt (low) : INFINITY;
  const AssayErrorTerm factor = { .size = scale->size * over,
                                  .error = reckon_join (self, scale->error * over,
                                                        scale->size * over * variance->error /
                                                            (2 * low)) };
  const AssayErrorTerm moved = { .size = reckon_join (self, x->size, mean->size),
                                 .error = reckon_join (self, x->error, mean->error) };

  self->size = reckon_join (self, moved.size * factor.size, reckon_term (self, 2)->size);
  self->error = reckon_join (self, reckon_product_error (self, &moved, &factor),
                             reckon_term (self, 2)->error);
  self->error = reckon_join (self, self->error,
                             reckon_rounding_of (self, FUNCTION_STEPS) * self->size);
  /* Passes multiply the factor into a weight, which is rounded as one. */
  self->error = reckon_join (self, self->error, self->rounding->weight * moved.size * factor.size);
}

/* A product in every step, whose result comes back in the next; what is behind sigmoid and tanh is
 * never above 1, so that no error is above 2. */
void
assay_error_rule_state (AssayReckoning *self)
{
  const AssayErrorTerm *x = reckon_term (self, 0), *w = reckon_term (self, 1),
                       *r = reckon_term (self, 2), *b = reckon_term (self, 3);
  const AssayType *type = reckon_type_of (self, 0), *hidden = reckon_type_of (self, 2);
  double n_in = 1, n_hidden = 1, enters, back, error, cell, most = 1, state = 1;
  gint64 n_steps = (gint64) MAX (self->n_steps, 1);
  gboolean bounded = assay_node_find_attr (self->node, "activations") == NULL;

  if (type != NULL && assay_type_rank (type) == 3)
    {
      n_in = (double) MAX (type->dims[2].size, 1);
      n_steps = MAX (n_steps, MAX (type->dims[0].size, type->dims[1].size));
    }
  if (hidden != NULL && assay_type_rank (hidden) == 3)
    n_hidden = (double) MAX (hidden->dims[2].size, 1);
  if (!bounded)
    state = self->seen != NULL && self->seen->n > 0 ? self->size : INFINITY;
  enters = reckon_join (self, reckon_many (self, n_in) * reckon_product_error (self, x, w),
                        2 * b->error);
  enters = reckon_join (self, enters, reckon_many (self, n_hidden) * state * r->error);
  enters = reckon_join (self, enters,
                        reckon_rounding_of (self, n_in + n_hidden + FUNCTION_STEPS) *
                            (reckon_many (self, n_in) * x->size * w->size +
                             reckon_many (self, n_hidden) * state * r->size + 2 * b->size + 1));
  back = reckon_many (self, n_hidden) * (r->size + r->error);
  error = reckon_term (self, 5)->error;
  cell = reckon_term (self, 6)->error;
  most = reckon_term (self, 6)->size;
  for (gint64 i = 0; i < MIN (n_steps, MAX_STEPS); i++)
    {
      double sums = reckon_join (self, enters, back * error);
      double kept = self->rounding->store * (bounded ? 1 : state) / (self->likely ? sqrt (3) : 1);

      /* Gates are no steeper than a quarter, and about a half in the mean. */
      if (self->node->op == ASSAY_OP_LSTM && !self->likely)
        {
          cell += (most / 4 + 1.25) * sums;
          error = cell + sums / 4;
          most += 1;
        }
      else if (self->node->op == ASSAY_OP_LSTM)
        {
          cell = hypot (cell, sums) / 2;
          error = hypot (cell / 2, sums / 4);
        }
      else if (self->node->op == ASSAY_OP_GRU)
        error = self->likely ? hypot (error, sums) / 2
                             : error + (1.5 + (back + b->size) / 4) * sums;
      else
        error = sums;
      error = reckon_join (self, error, kept);
    }
  if (self->output == 2)
    error = cell;
  if (n_steps > MAX_STEPS)
    error = INFINITY;
  /* The state of a cell adds up to one in each step. */
  self->size = bounded && self->output < 2 ? 1 : (double) n_steps + reckon_term (self, 6)->size;
  self->error = bounded ? MIN (error, 2 * self->size) : error;
}

static double
softmax_share (const AssayReckoning *self, double error, double size, double n)
{
  double share = reckon_function_of (self, 2 * size, 1, reckon_rounding_of (self, FUNCTION_STEPS));
  double relative = expm1 (2 * error) + reckon_join (self, reckon_rounding_of (self, n), share) +
                    reckon_rounding_of (self, 4) * size;

  return MIN (relative, 1);
}

void
assay_error_rule_softmax (AssayReckoning *self)
{
  const AssayErrorTerm *x = reckon_term (self, 0);

  if (self->seen == NULL)
    self->size = 1;
  self->error = self->size * softmax_share (self, x->error, x->size, reckon_longest (self, 0));
}

void
assay_error_rule_logs (AssayReckoning *self)
{
  const AssayErrorTerm *x = reckon_term (self, 0);
  double n = reckon_count_of (reckon_type_of (self, 0));

  self->size = 2 * x->size + log (n);
  self->error = reckon_join (
      self, 2 * x->error, reckon_rounding_of (self, reckon_longest (self, 0)) * (1 + self->size));
  self->error = reckon_join (
      self, self->error,
      reckon_function_of (self, 2 * x->peak + log (n), self->size,
                          reckon_rounding_of (self, FUNCTION_STEPS) * (1 + self->size)));
}

/* The loss of the mean or the sum over what was picked. */
void
assay_error_rule_picked (AssayReckoning *self)
{
  const AssayErrorTerm *x = reckon_term (self, 0), *weight = reckon_term (self, 2);
  double n = reckon_count_of (reckon_type_of (self, 1)),
         by = reckon_is_there (self, 2) ? weight->size + weight->error : 1;

  self->size = n * x->size * by;
  self->error = reckon_join (self, n * x->error * by, n * x->size * weight->error);
  self->error = reckon_join (self, self->error,
                             reckon_rounding_of (self, n + FUNCTION_STEPS) * self->size);
}

void
assay_error_rule_loss (AssayReckoning *self)
{
  assay_error_rule_logs (self);
  self->in[0].size = self->size;
  self->in[0].error = self->error;
  if (self->output == 0)
    assay_error_rule_picked (self);
}

/* Elements between others, at places that are computed; cubic weights add up to more than 1. */
void
assay_error_rule_blend (AssayReckoning *self)
{
  const AssayErrorTerm *x = reckon_term (self, 0);
  AssayOp op = self->node->op;
  const char *mode = op == ASSAY_OP_AffineGrid ? "" : assay_node_get_string (self->node, "mode");
  gboolean nearest = mode != NULL && g_str_equal (mode, "nearest");
  gboolean cubic = mode != NULL && strstr (mode, "cubic") != NULL;
  double reach = reckon_longest (self, 0), weight = cubic ? 4 : 1;
  double places = reckon_rounding_of (self, FUNCTION_STEPS) * reach +
                  (op == ASSAY_OP_GridSample || op == ASSAY_OP_RoiAlign
                       ? reckon_term (self, 1)->error * reach
                       : 0);

  self->size = weight * x->size;
  self->error = weight * x->error;
  if (op == ASSAY_OP_AffineGrid)
    self->error = 4 * x->error + reckon_rounding_of (self, FUNCTION_STEPS) * 4 * (1 + x->size);
  else if (nearest)
    self->error += op == ASSAY_OP_GridSample ? reckon_jump (self, places, 2 * x->peak) : 0;
  else
    self->error += 8 * weight * MIN (places, 1) * x->peak;
}

void
assay_error_rule_turn (AssayReckoning *self)
{
  const AssayErrorTerm *x = reckon_term (self, 0);
  const AssayErrorTerm *wave = reckon_term (self, 1)->peak > reckon_term (self, 2)->peak
                                   ? reckon_term (self, 1)
                                   : reckon_term (self, 2);

  self->size = 2 * x->size * MAX (wave->size, 1);
  self->error = 2 * reckon_product_error (self, x, wave) + x->error +
                reckon_rounding_of (self, SPARE_STEPS) * self->size;
}

/* A mean of values, whose weights move with the scores. */
void
assay_error_rule_attention (AssayReckoning *self)
{
  const AssayErrorTerm *q = reckon_term (self, 0), *k = reckon_term (self, 1),
                       *v = reckon_term (self, 2), *mask = reckon_term (self, 3);
  const AssayType *type = reckon_type_of (self, 0);
  double n = type != NULL && assay_type_rank (type) > 0
                 ? (double) MAX (type->dims[assay_type_rank (type) - 1].size, 1)
                 : 1;
  double given = assay_node_find_attr (self->node, "scale") != NULL
                     ? fabs (assay_node_get_float (self->node, "scale"))
                     : 1;
  double scores = reckon_many (self, n) * given *
                  reckon_join (self, reckon_product_error (self, q, k),
                               reckon_rounding_of (self, n + SPARE_STEPS) * q->size * k->size);
  double share = softmax_share (self, scores + mask->error,
                                reckon_many (self, n) * q->size * k->size * given,
                                reckon_count_of (reckon_type_of (self, 1)) / n);

  /* What is between is stored too, in runtimes that do it step by step. */
  share += expm1 (
               MIN (2 * self->rounding->store * reckon_many (self, n) * q->size * k->size * given,
                    700)) +
           2 * self->rounding->store;
  self->size = MAX (v->size, self->output == 0 ? 0 : k->size);
  if (self->output == 3)
    {
      self->size = reckon_many (self, n) * q->size * k->size * given + mask->size;
      self->error = scores + mask->error + self->rounding->store * self->size;
      return;
    }
  self->error =
      self->output == 0
          ? reckon_join (self, v->error, v->peak * MIN (share, 2)) +
                reckon_rounding_of (self, reckon_count_of (reckon_type_of (self, 2)) / n) * v->size
          : MAX (k->error, v->error);
}

void
assay_error_rule_neighbours (AssayReckoning *self)
{
  const AssayErrorTerm *x = reckon_term (self, 0);
  double alpha = fabs (assay_node_get_float (self->node, "alpha"));
  double beta = fabs (assay_node_get_float (self->node, "beta"));
  double bias = fabs (assay_node_get_float (self->node, "bias"));
  double over = bias > 0 ? pow (bias, -beta) : INFINITY;
  double square = bias + alpha * x->size * x->size;
  double relative = bias > 0 ? beta * alpha * x->error * (2 * x->size + x->error) / bias : INFINITY;

  self->size = x->size * over;
  self->error = x->error * over +
                self->size *
                    (expm1 (relative) + reckon_rounding_of (self, FUNCTION_STEPS + SPARE_STEPS) *
                                            (1 + fabs (log (square))));
}

/* Each row in turn is off while the others are as long as they can be. */
void
assay_error_rule_determinant (AssayReckoning *self)
{
  const AssayErrorTerm *x = reckon_term (self, 0);
  double n = reckon_longest (self, 0), row = sqrt (n) * x->size;
  double off = sqrt (n) * (x->error + reckon_rounding_of (self, n * n) * exp2 (n) * x->size);

  self->size = pow (row, n);
  self->error = n * off * pow (row + off, n - 1);
}

/* Sums of leaves and of features, of which one that is off picks others. */
void
assay_error_rule_leaves (AssayReckoning *self)
{
  double n = reckon_count_of (reckon_type_of (self, 0)) + 1024;

  self->error = reckon_is_sure (self)
                    ? reckon_rounding_of (self, n) * MAX (self->size, 1) * FUNCTION_STEPS
                    : INFINITY;
}
