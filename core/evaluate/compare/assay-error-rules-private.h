/* assay-error-rules-private.h
 * SPDX-License-Identifier: Apache-2.0
 *
 * Rules by which errors of operands go on, for assay-error-span.c: each one for both norms.
 */
#pragma once

#include <float.h>
#include <math.h>

#include "evaluate/compare/assay-error-span.h"
#include "nnir/assay-dims.h"
#include "nnir/assay-axes.h"

/* Functions of runtimes are off by so many steps at most; sums have a few steps beside their terms.
 */
#define FUNCTION_STEPS 16
#define SPARE_STEPS 8

/* By how much the average pools and slopes of devices of 8 bits are off, of their size. */
#define DEVICE_MEAN 0.0235
#define DEVICE_SLOPE 0.0079
/* A LeakyRelu has the slope 26/256, and a hard sigmoid 2731/16384 for a sixth. */
#define DEVICE_LEAK 0.1015625
#define DEVICE_NEAR 0.002
#define DEVICE_SIXTH (6 * (2731.0 / 16384 - 1.0 / 6))

G_BEGIN_DECLS

/* One operand in one of the two norms. */
typedef struct
{
  double size;
  double least;
  double error;
  double peak;
} AssayErrorTerm;

/* One node in one of the two norms. */
typedef struct
{
  const AssayGraph *graph;
  const AssayNode *node;
  const AssayErrorRounding *rounding;
  double steepest; /* slope, of the row of the table */
  gboolean likely;
  guint output;
  gsize length;
  gsize n_steps;
  const AssayMagnitude *seen;
  AssayErrorTerm in[16];
  guint n_in;
  double size;  /* of the result, known or reckoned */
  double error; /* before it is stored */
} AssayReckoning;

/* Every rule is a function of its name. */
void assay_error_rule_exact (AssayReckoning *self);
void assay_error_rule_none (AssayReckoning *self);
void assay_error_rule_pick (AssayReckoning *self);
void assay_error_rule_clip (AssayReckoning *self);
void assay_error_rule_top (AssayReckoning *self);
void assay_error_rule_sum (AssayReckoning *self);
void assay_error_rule_dot (AssayReckoning *self);
void assay_error_rule_deform (AssayReckoning *self);
void assay_error_rule_total (AssayReckoning *self);
void assay_error_rule_waves (AssayReckoning *self);
void assay_error_rule_mean (AssayReckoning *self);
void assay_error_rule_length (AssayReckoning *self);
void assay_error_rule_squares (AssayReckoning *self);
void assay_error_rule_ratio_log (AssayReckoning *self);
void assay_error_rule_many (AssayReckoning *self);
void assay_error_rule_norm (AssayReckoning *self);
void assay_error_rule_channel (AssayReckoning *self);
void assay_error_rule_state (AssayReckoning *self);
void assay_error_rule_growth (AssayReckoning *self);
void assay_error_rule_sinh (AssayReckoning *self);
void assay_error_rule_softmax (AssayReckoning *self);
void assay_error_rule_logs (AssayReckoning *self);
void assay_error_rule_picked (AssayReckoning *self);
void assay_error_rule_loss (AssayReckoning *self);
void assay_error_rule_power (AssayReckoning *self);
void assay_error_rule_logarithm (AssayReckoning *self);
void assay_error_rule_root (AssayReckoning *self);
void assay_error_rule_inverse_root (AssayReckoning *self);
void assay_error_rule_inverse (AssayReckoning *self);
void assay_error_rule_quotient (AssayReckoning *self);
void assay_error_rule_times (AssayReckoning *self);
void assay_error_rule_slope (AssayReckoning *self);
void assay_error_rule_line (AssayReckoning *self);
void assay_error_rule_product_line (AssayReckoning *self);
void assay_error_rule_jump (AssayReckoning *self);
void assay_error_rule_arc (AssayReckoning *self);
void assay_error_rule_arc_cosh (AssayReckoning *self);
void assay_error_rule_arc_tanh (AssayReckoning *self);
void assay_error_rule_tangent (AssayReckoning *self);
void assay_error_rule_blend (AssayReckoning *self);
void assay_error_rule_turn (AssayReckoning *self);
void assay_error_rule_attention (AssayReckoning *self);
void assay_error_rule_neighbours (AssayReckoning *self);
void assay_error_rule_determinant (AssayReckoning *self);
void assay_error_rule_window (AssayReckoning *self);
void assay_error_rule_dequantize (AssayReckoning *self);
void assay_error_rule_quantize (AssayReckoning *self);
void assay_error_rule_step (AssayReckoning *self);
void assay_error_rule_cast (AssayReckoning *self);
void assay_error_rule_flip (AssayReckoning *self);
void assay_error_rule_index (AssayReckoning *self);
void assay_error_rule_rest (AssayReckoning *self);
void assay_error_rule_range (AssayReckoning *self);
void assay_error_rule_integer (AssayReckoning *self);
void assay_error_rule_leaves (AssayReckoning *self);
void assay_error_rule_scaler (AssayReckoning *self);

/* What a function of the node is off by: as shaders may be of an operand and a result of that size,
 * or as others are. */
double reckon_function_of (const AssayReckoning *self, double x, double result, double otherwise);

/* Errors of independent roundings add up as squares do. */
static inline double
reckon_join (const AssayReckoning *self, double a, double b)
{
  return self->likely ? hypot (a, b) : a + b;
}

static inline double
reckon_many (const AssayReckoning *self, double n)
{
  return self->likely ? sqrt (n) : n;
}

static inline double
reckon_rounding_of (const AssayReckoning *self, double steps)
{
  return (self->likely ? sqrt (steps / 3) : steps) * self->rounding->step;
}

static inline const AssayErrorTerm *
reckon_term (const AssayReckoning *self, guint index)
{
  static const AssayErrorTerm none = { 0 };

  return index < self->n_in ? &self->in[index] : &none;
}

static inline gboolean
reckon_is_there (const AssayReckoning *self, guint index)
{
  return assay_node_input (self->node, index) != ASSAY_NO_VALUE;
}

static inline const AssayType *
reckon_type_of (const AssayReckoning *self, guint index)
{
  AssayValueId value = assay_node_input (self->node, index);

  return value != ASSAY_NO_VALUE ? assay_graph_value (self->graph, value)->type : NULL;
}

static inline double
reckon_count_of (const AssayType *type)
{
  gsize n;

  return type != NULL && assay_type_count (type, &n) ? (double) MAX (n, 1) : 1;
}

static inline double
reckon_n_results (const AssayReckoning *self)
{
  return reckon_count_of (assay_graph_value (self->graph, self->node->outputs[self->output])->type);
}

/* The longest axis of an operand. */
static inline double
reckon_longest (const AssayReckoning *self, guint index)
{
  const AssayType *type = reckon_type_of (self, index);
  gint64 most = 1;

  for (int i = 0; type != NULL && i < assay_type_rank (type); i++)
    most = MAX (most, type->dims[i].size);

  return (double) most;
}

/* Whether nothing that comes in is off. */
static inline gboolean
reckon_is_sure (const AssayReckoning *self)
{
  for (guint i = 0; i < self->n_in; i++)
    if (self->in[i].error > 0)
      return FALSE;

  return TRUE;
}

/* The largest error and the largest operand. */
static inline void
reckon_pick (const AssayReckoning *self, guint first, double *error, double *size)
{
  *error = *size = 0;
  for (guint i = first; i < self->n_in; i++)
    {
      *error = MAX (*error, self->in[i].error);
      *size = MAX (*size, self->in[i].size);
    }
}

/* A jump that happens where an error crosses it: certainly possible, but seldom. */
static inline double
reckon_jump (const AssayReckoning *self, double error, double height)
{
  return !(error > 0) ? 0 : self->likely ? height * sqrt (MIN (2 * error, 1)) : height;
}

/* What a product of two is off by. */
static inline double
reckon_product_error (const AssayReckoning *self, const AssayErrorTerm *a, const AssayErrorTerm *b)
{
  return reckon_join (self, reckon_join (self, a->size * b->error, b->size * a->error),
                      a->error * b->error);
}

static inline double
reckon_above_zero (const AssayReckoning *self, const AssayErrorTerm *x)
{
  return self->likely ? MAX (x->size, DBL_MIN) : x->least - x->error;
}

G_END_DECLS
