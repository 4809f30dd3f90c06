/* assay-error-rules-pointwise.c
 * SPDX-License-Identifier: Apache-2.0
 *
 * What makes an element of one or two, moves or picks it.
 */
#include "evaluate/compare/assay-error-rules-private.h"

#include <string.h>

void
assay_error_rule_exact (AssayReckoning *self)
{
  (void) self;
}

void
assay_error_rule_none (AssayReckoning *self)
{
  self->error = INFINITY;
}

void
assay_error_rule_pick (AssayReckoning *self)
{
  gboolean chosen = FALSE;

  /* An element that is chosen by what is off may be another one. */
  for (guint i = 0; i < self->n_in; i++)
    {
      const AssayType *type = reckon_type_of (self, i);

      if (type != NULL && type->kind == ASSAY_TYPE_KIND_TENSOR &&
          !assay_dtype_is_float (type->dtype) && self->in[i].error > 0)
        chosen = TRUE;
    }
  reckon_pick (self, 0, &self->error, &self->size);
  if (chosen)
    self->error += 2 * self->size;
}

/* A device ends ReLU6 at so many steps, which are more than six where steps are coarse. */
void
assay_error_rule_clip (AssayReckoning *self)
{
  AssayTensor *high = assay_graph_constant (self->graph, assay_node_input (self->node, 2));
  const AssayErrorTerm *x = reckon_term (self, 0);
  double most;

  assay_error_rule_pick (self);
  if (self->rounding->is_device && high != NULL &&
      assay_tensor_get_element (high, 0, &most, NULL) && most >= 6 && most <= 6)
    self->error = reckon_join (self, self->error, MAX (x->peak + x->error - 6, 0));
}

void
assay_error_rule_top (AssayReckoning *self)
{
  if (self->output == 0)
    {
      self->error = reckon_term (self, 0)->error;
      self->size = reckon_term (self, 0)->size;
      return;
    }
  self->size = reckon_longest (self, 0);
  self->error = reckon_jump (self, reckon_term (self, 0)->error, self->size);
}

void
assay_error_rule_growth (AssayReckoning *self)
{
  const AssayErrorTerm *x = reckon_term (self, 0);

  self->size = self->seen != NULL ? self->size : exp (MIN (x->size, 700));
  self->error = self->size * expm1 (x->error) +
                reckon_function_of (self, x->peak, self->size,
                                    reckon_rounding_of (self, FUNCTION_STEPS) * (1 + x->size) *
                                        self->size);
}

void
assay_error_rule_sinh (AssayReckoning *self)
{
  const AssayErrorTerm *x = reckon_term (self, 0);

  self->size = cosh (x->size);
  self->error = cosh (x->size + x->error) * x->error +
                reckon_rounding_of (self, FUNCTION_STEPS) * (1 + x->size) * self->size;
}

void
assay_error_rule_power (AssayReckoning *self)
{
  const AssayErrorTerm *x = reckon_term (self, 0), *p = reckon_term (self, 1);
  double low = reckon_above_zero (self, x), high = x->size + x->error, most = p->peak;
  double size = high <= 1 && !self->likely ? 1 : pow (MAX (high, 1), most);
  double relative = INFINITY;

  if (self->seen == NULL || !isfinite (self->size))
    self->size = low > 0 && low < 1 ? MAX (size, pow (low, -most)) : size;
  if (low > 0)
    relative = exp (p->error * MAX (fabs (log (low)), fabs (log (MAX (high, DBL_MIN))))) *
                   pow (1 + x->error / low, most) -
               1;
  self->error = self->size * relative;
  /* Of a base around zero: the slope is largest at the largest. */
  if (p->error == 0 && p->least >= 1)
    self->error = MIN (self->error, most * pow (MAX (high, 1), most - 1) * x->error);
  else if (p->error == 0 && p->least > 0)
    self->error = MIN (self->error, most * pow (MAX (high, 1), MAX (most - 1, 0)) * x->error +
                                        pow (x->error, MIN (p->least, 1)));
  self->error = reckon_join (
      self, self->error,
      reckon_function_of (self,
                          most * (1 + MAX (fabs (log (MAX (high, DBL_MIN))),
                                           x->least > 0 ? fabs (log (x->least)) : 0)),
                          self->size,
                          reckon_rounding_of (self, FUNCTION_STEPS * (1 + most)) * self->size *
                              (1 + fabs (log (MAX (high, DBL_MIN))))));
}

void
assay_error_rule_logarithm (AssayReckoning *self)
{
  const AssayErrorTerm *x = reckon_term (self, 0);
  double low = reckon_above_zero (self, x);
  double size = low > 0 ? MAX (fabs (log (low)), fabs (log (x->size + x->error))) : INFINITY;
  double function = reckon_rounding_of (self, FUNCTION_STEPS) *
                    (1 + (self->seen != NULL ? 100 : size));

  if (self->seen == NULL)
    self->size = size;
  self->error = low > 0 || x->error == 0
                    ? reckon_join (self, x->error > 0 ? x->error / low : 0,
                                   reckon_function_of (self, x->peak, self->size, function))
                    : INFINITY;
}

void
assay_error_rule_root (AssayReckoning *self)
{
  const AssayErrorTerm *x = reckon_term (self, 0);
  double low = self->likely ? x->size : x->least;

  self->size = sqrt (x->size);
  self->error = reckon_join (
      self, low > 0 ? MIN (x->error / sqrt (low), sqrt (x->error)) : sqrt (x->error),
      reckon_function_of (self, x->peak, self->size,
                          reckon_rounding_of (self, FUNCTION_STEPS) * self->size));
}

void
assay_error_rule_inverse_root (AssayReckoning *self)
{
  const AssayErrorTerm *x = reckon_term (self, 0);
  double low = reckon_above_zero (self, x);

  self->size = low > 0 ? 1 / sqrt (low) : INFINITY;
  self->error = low > 0 ? reckon_join (self, x->error / (2 * pow (low, 1.5)),
                                       reckon_function_of (
                                           self, x->peak, self->size,
                                           reckon_rounding_of (self, FUNCTION_STEPS) * self->size))
                        : INFINITY;
}

static void
quotient (AssayReckoning *self, const AssayErrorTerm *a, const AssayErrorTerm *b)
{
  double low = reckon_above_zero (self, b);
  double size = low > 0 ? a->size / low : INFINITY;

  if (self->seen == NULL)
    self->size = size;
  self->error = b->error == 0 && self->seen != NULL && !(low > 0) && a->error == 0 ? 0
                : low > 0 ? reckon_join (self, a->error, self->size * b->error) / low
                          : INFINITY;
  self->error = reckon_join (
      self, self->error,
      reckon_function_of (self, b->peak, self->size,
                          reckon_rounding_of (self, SPARE_STEPS) * self->size));
}

void
assay_error_rule_inverse (AssayReckoning *self)
{
  const AssayErrorTerm one = { .size = 1, .least = 1, .peak = 1 };

  quotient (self, &one, reckon_term (self, 0));
}

void
assay_error_rule_quotient (AssayReckoning *self)
{
  const AssayType *type = reckon_type_of (self, 0);

  quotient (self, reckon_term (self, 0), reckon_term (self, 1));
  if (type != NULL && !assay_dtype_is_float (type->dtype) && self->error > 0)
    self->error += 1;
}

void
assay_error_rule_times (AssayReckoning *self)
{
  self->size = reckon_term (self, 0)->size * reckon_term (self, 1)->size;
  self->error = reckon_join (
      self, reckon_product_error (self, reckon_term (self, 0), reckon_term (self, 1)),
      reckon_rounding_of (self, 1) * self->size);
}

static void
slope (AssayReckoning *self, double steepest)
{
  const AssayErrorTerm *x = reckon_term (self, 0);

  self->size = MAX (1, x->size * steepest + (self->node->op == ASSAY_OP_Softplus ? 1 : 0));
  self->error = reckon_join (
      self, steepest * x->error,
      reckon_function_of (self, x->peak, self->size,
                          reckon_rounding_of (self, FUNCTION_STEPS) * MAX (self->size, x->size)));
}

void
assay_error_rule_slope (AssayReckoning *self)
{
  double alpha = self->node->op == ASSAY_OP_Swish
                     ? MAX (fabs (assay_node_get_float (self->node, "alpha")), 1)
                     : 1;

  slope (self, self->steepest * alpha);
  if (self->rounding->is_device)
    self->error = reckon_join (self, self->error, DEVICE_SLOPE * reckon_term (self, 0)->size);
}

/* Lines with a bend, and exponentials beside one. */
void
assay_error_rule_line (AssayReckoning *self)
{
  double alpha = self->node->op == ASSAY_OP_Celu
                     ? 1
                     : fabs (assay_node_get_float (self->node, "alpha"));
  double gamma = self->node->op == ASSAY_OP_Selu ? fabs (assay_node_get_float (self->node, "gamma"))
                                                 : 1;

  slope (self, MAX (alpha, self->node->op == ASSAY_OP_HardSigmoid ? 0 : 1) * gamma);
  self->size = MAX (self->size, alpha * gamma);
  /* A slope is a constant that is rounded. */
  self->error = reckon_join (self, self->error, self->rounding->weight * self->size);
  /* With another slope the host computes it. */
  if (self->rounding->is_device && self->node->op == ASSAY_OP_HardSigmoid &&
      fabs (alpha - 1.0 / 6) < DEVICE_NEAR)
    self->error = reckon_join (self, self->error, DEVICE_SIXTH);
  if (self->rounding->is_device && self->node->op == ASSAY_OP_LeakyRelu &&
      fabs (alpha - DEVICE_LEAK) < DEVICE_NEAR)
    self->error = reckon_join (self, self->error,
                               fabs (alpha - DEVICE_LEAK) * reckon_term (self, 0)->size);
}

void
assay_error_rule_product_line (AssayReckoning *self)
{
  const AssayErrorTerm *x = reckon_term (self, 0), *w = reckon_term (self, 1);

  self->size = x->size * MAX (w->size, 1);
  self->error = MAX (reckon_product_error (self, x, w), x->error) +
                reckon_rounding_of (self, 2) * self->size;
}

void
assay_error_rule_jump (AssayReckoning *self)
{
  const AssayErrorTerm *x = reckon_term (self, 0);
  double height = self->node->op == ASSAY_OP_Shrink
                      ? fabs (assay_node_get_float (self->node, "lambd") -
                              assay_node_get_float (self->node, "bias"))
                      : fabs (assay_node_get_float (self->node, "alpha"));

  self->size = x->size;
  self->error = x->error + reckon_jump (self, x->error, height) +
                reckon_rounding_of (self, 2) * x->size;
}

void
assay_error_rule_arc (AssayReckoning *self)
{
  const AssayErrorTerm *x = reckon_term (self, 0);

  self->size = G_PI;
  self->error = G_PI * sqrt (x->error / 2) + reckon_rounding_of (self, FUNCTION_STEPS) * G_PI;
}

void
assay_error_rule_arc_cosh (AssayReckoning *self)
{
  const AssayErrorTerm *x = reckon_term (self, 0);

  self->size = acosh (1 + x->size);
  self->error = acosh (1 + x->error + reckon_rounding_of (self, SPARE_STEPS)) +
                reckon_rounding_of (self, FUNCTION_STEPS) * (1 + self->size);
}

void
assay_error_rule_arc_tanh (AssayReckoning *self)
{
  const AssayErrorTerm *x = reckon_term (self, 0);
  double high = (self->likely ? x->size : x->peak) + x->error;

  self->size = high < 1 ? atanh (high) : INFINITY;
  self->error = high < 1
                    ? (x->error + reckon_rounding_of (self, FUNCTION_STEPS)) / (1 - high * high)
                    : INFINITY;
}

void
assay_error_rule_tangent (AssayReckoning *self)
{
  const AssayErrorTerm *x = reckon_term (self, 0);
  double high = x->size + x->error;

  self->size = high < G_PI_2 ? tan (high) : INFINITY;
  self->error = high < G_PI_2
                    ? (x->error + reckon_rounding_of (self, FUNCTION_STEPS)) / pow (cos (high), 2)
                    : INFINITY;
}

void
assay_error_rule_window (AssayReckoning *self)
{
  self->size = MAX (self->size, 1);
  self->error = reckon_rounding_of (self, FUNCTION_STEPS + SPARE_STEPS) * 8 * self->size;
}

void
assay_error_rule_dequantize (AssayReckoning *self)
{
  const AssayErrorTerm *x = reckon_term (self, 0), *scale = reckon_term (self, 1),
                       *zero = reckon_term (self, 2);
  const AssayErrorTerm moved = { .size = x->size + zero->size, .error = x->error + zero->error };

  self->size = moved.size * scale->size;
  self->error = reckon_product_error (self, &moved, scale) +
                reckon_rounding_of (self, 2) * self->size;
}

/* On steps of a scale: what is off anywhere may be one step off, and as many as its error has. */
void
assay_error_rule_quantize (AssayReckoning *self)
{
  const AssayErrorTerm *x = reckon_term (self, 0), *scale = reckon_term (self, 1);
  const double step = self->rounding->shares_steps ? 0 : 1;
  double off = self->node->op == ASSAY_OP_QuantizeLinear && scale->least > 0
                   ? x->error / scale->least
                   : 0;

  self->size = 255;
  if (self->node->op == ASSAY_OP_DynamicQuantizeLinear && self->output == 1)
    {
      self->error = 2 * x->error + reckon_rounding_of (self, SPARE_STEPS) * x->size;
      return;
    }
  if (self->node->op != ASSAY_OP_QuantizeLinear && !reckon_is_sure (self))
    off = 255;
  self->error = MIN (self->likely ? reckon_join (self, off, step / 2) : off + step, self->size);
}

void
assay_error_rule_step (AssayReckoning *self)
{
  const AssayErrorTerm *x = reckon_term (self, 0);

  self->size = x->size + 1;
  self->error = x->error > 0
                    ? (self->likely ? x->error + reckon_jump (self, x->error, 1) : x->error + 1)
                    : 0;
  if (self->node->op == ASSAY_OP_Sign)
    self->error = MIN (self->error, 2);
}

void
assay_error_rule_cast (AssayReckoning *self)
{
  const AssayType *to = assay_graph_value (self->graph, self->node->outputs[self->output])->type;

  if (to->kind == ASSAY_TYPE_KIND_TENSOR && !assay_dtype_is_float (to->dtype))
    assay_error_rule_step (self);
  else
    assay_error_rule_pick (self);
}

void
assay_error_rule_flip (AssayReckoning *self)
{
  double error, size;

  reckon_pick (self, 0, &error, &size);
  self->size = 1;
  self->error = reckon_jump (self, error, 1);
}

void
assay_error_rule_index (AssayReckoning *self)
{
  self->size = reckon_longest (self, 0);
  self->error = reckon_jump (self, reckon_term (self, 0)->error, self->size);
}

void
assay_error_rule_rest (AssayReckoning *self)
{
  const AssayErrorTerm *x = reckon_term (self, 0), *by = reckon_term (self, 1);

  self->size = by->size + by->error;
  self->error = reckon_is_sure (self)
                    ? 0
                    : reckon_jump (self, x->error + by->error, self->size) + x->error;
}

/* Each element adds a step to the one before. */
void
assay_error_rule_range (AssayReckoning *self)
{
  const AssayErrorTerm *begin = reckon_term (self, 0), *step = reckon_term (self, 2);
  double n = reckon_n_results (self);

  self->size = begin->size + n * step->size;
  self->error = reckon_is_sure (self) && !assay_dtype_is_float (reckon_type_of (self, 0)->dtype)
                    ? 0
                    : begin->error + n * step->error + reckon_rounding_of (self, n) * self->size;
}

/* Of integers: exact where nothing that comes in is off, else anything. */
void
assay_error_rule_integer (AssayReckoning *self)
{
  self->error = reckon_is_sure (self) ? 0 : INFINITY;
}

void
assay_error_rule_scaler (AssayReckoning *self)
{
  const AssayErrorTerm *x = reckon_term (self, 0);
  guint n = 0, n_offsets = 0;
  const double *scales = assay_node_get_floats (self->node, "scale", &n);
  const double *offsets = assay_node_get_floats (self->node, "offset", &n_offsets);
  double scale = n > 0 ? 0 : 1, offset = 0;

  for (guint i = 0; i < n; i++)
    scale = MAX (scale, fabs (scales[i]));
  for (guint i = 0; i < n_offsets; i++)
    offset = MAX (offset, fabs (offsets[i]));
  self->size = (x->size + offset) * scale;
  self->error = x->error * scale +
                (reckon_rounding_of (self, 4) + self->rounding->weight) * self->size;
}
