/* assay-dpu-explain.c
 * SPDX-License-Identifier: Apache-2.0
 *
 * Why one element differs between the device and a run that computes what a quantised model says:
 * the model's arithmetic is done once more for this element, without rounding. What the other run
 * has must be that, rounded in any way; what the device has must be that as well, or lie as far
 * from it as the rule of its operation takes it.
 */
#include "backend/dpu/assay-dpu-explain.h"

#include <math.h>

/* What adding up in single precision loses, per unit of what is added up. */
#define SINGLE 4e-6

/* An element before it is rounded, in units of the result. */
typedef struct
{
  double exact;      /* as the model says */
  double device;     /* with what the rule of the operation makes of it */
  double reach;      /* how far rounding may take the device from @device */
  double magnitude;  /* of what was added up */
  AssayDpuRule rule; /* of the operation, %ASSAY_DPU_RULE_HALF_UP for none */
} Element;

/**
 * assay_dpu_rule_name:
 * @rule: a rule
 *
 * Names a rule for people.
 *
 * Returns: in words
 */
const char *
assay_dpu_rule_name (AssayDpuRule rule)
{
  static const char *const names[] = {
#define RULE(ID, name) name,
#include "backend/dpu/assay-dpu-rules.def"
#undef RULE
  };

  return names[rule];
}

static int
position_of (const AssayDpuCode *code, int map)
{
  return assay_dpu_code_map (code, map)->position;
}

static gint64
count_valid (gint64 at, guint kernel, guint extent)
{
  gint64 first = MAX (at, 0), last = MIN (at + kernel, (gint64) extent);

  return MAX (last - first, 0);
}

/* What follows a sum, in the model and on the device. */
static void
activate (const AssayDpuCode *code, const AssayDpuOp *op, guint channel, Element *element)
{
  double six = ldexp (6.0, position_of (code, op->output));
  double slope;

  switch (op->finish.activation)
    {
    case ASSAY_DPU_RELU6:
      element->exact = CLAMP (element->exact, 0, six);
      element->device = CLAMP (element->device, 0, (double) op->finish.cap);
      if ((double) op->finish.cap != six && element->device > six - 1)
        element->rule = ASSAY_DPU_RULE_RELU6;
      break;
    case ASSAY_DPU_RELU:
      element->exact = MAX (element->exact, 0);
      element->device = MAX (element->device, 0);
      break;
    case ASSAY_DPU_LEAKY:
      if (element->device < 0)
        {
          if (element->rule != ASSAY_DPU_RULE_GUARD_BITS)
            element->rule = ASSAY_DPU_RULE_SLOPE;
          element->exact *= op->slope;
          element->device *= 26.0 / 256.0;
        }
      break;
    case ASSAY_DPU_PRELU:
      slope = ldexp ((double) op->slopes[channel], -op->finish.slope_shift);
      if (element->device < 0)
        {
          element->exact *= slope;
          element->device *= slope;
          element->magnitude *= MAX (fabs (slope), 1);
        }
      break;
    default:
      break;
    }
}

static void
explain_product (const AssayDpuCode *code, const AssayDpuOp *op, gsize index, const gint8 *in,
                 Element *element)
{
  const AssayDpuWindow *w = &op->window;
  guint o = (guint) (index % w->oc);
  gint64 x = (gint64) (index / w->oc % w->ow) * w->sw - w->left;
  gint64 y = (gint64) (index / w->oc / w->ow % w->oh) * w->sh - w->top;
  const gint8 *image = in + index / w->oc / w->ow / w->oh * w->h * w->w * w->c;
  gboolean depthwise = op->kind == ASSAY_DPU_DEPTHWISE;
  int product = position_of (code, op->inputs[0]) + op->positions[0];
  double unit = ldexp (1.0, position_of (code, op->output) - product);
  double bias = 0, cut;
  gint64 sum = 0, magnitude = 0;

  for (guint i = 0; i < w->kh; i++)
    for (guint j = 0; j < w->kw; j++)
      {
        gint64 iy = y + (gint64) i * w->dh, ix = x + (gint64) j * w->dw;

        if (iy < 0 || iy >= w->h || ix < 0 || ix >= w->w)
          continue;
        for (guint c = 0; c < (depthwise ? 1 : w->c); c++)
          {
            gsize channel = depthwise ? o / (w->oc / w->c) : c;
            gint64 term = (gint64) image[((gsize) iy * w->w + (gsize) ix) * w->c + channel] *
                          op->weights[depthwise ? ((gsize) i * w->kw + j) * w->oc + o
                                                : (((gsize) o * w->kh + i) * w->kw + j) * w->c + c];

            sum += term;
            magnitude += ABS (term);
          }
      }
  if (op->bias_bits != NULL)
    bias = ldexp ((double) op->bias_bits[o], product - op->positions[1]);
  cut = op->finish.bias != NULL ? ldexp ((double) op->finish.bias[o], -op->finish.up - 1) : 0;
  element->exact = ((double) sum + bias) * unit;
  element->device = ((double) sum + cut) * unit;
  element->magnitude = ((double) magnitude + fabs (bias)) * unit;
  if (fabs (bias - cut) > 0)
    element->rule = ASSAY_DPU_RULE_BIAS;
  activate (code, op, o, element);
}

static void
explain_sum (const AssayDpuCode *code, const AssayDpuOp *op, gsize index,
             const AssayDpuOperands *operands, Element *element)
{
  int position = position_of (code, op->output);
  int least = G_MAXINT;
  gint64 kept = 0;

  for (guint i = 0; i < op->n_inputs; i++)
    {
      gint8 number = operands->maps[op->inputs[i]][index];
      double term = ldexp ((double) number, position - position_of (code, op->inputs[i]));

      least = MIN (least, position_of (code, op->inputs[i]));
      element->exact += term;
      element->magnitude += fabs (term);
      kept += assay_dpu_floor (4 * number, op->shifts[i]);
      if (op->shifts[i] > 2)
        element->rule = ASSAY_DPU_RULE_GUARD_BITS;
    }
  element->device = ldexp ((double) kept, position - least - 2);
  activate (code, op, 0, element);
}

static void
explain_average (const AssayDpuCode *code, const AssayDpuOp *op, gsize index, const gint8 *in,
                 Element *element)
{
  const AssayDpuWindow *w = &op->window;
  const AssayNode *node = assay_graph_node (code->graph, op->node);
  gsize channel = index % w->c;
  gint64 x = (gint64) (index / w->c % w->ow) * w->sw - w->left;
  gint64 y = (gint64) (index / w->c / w->ow % w->oh) * w->sh - w->top;
  const gint8 *image = in + index / w->c / w->ow / w->oh * w->h * w->w * w->c;
  double unit = ldexp (1.0, op->shift);
  gint64 n = (gint64) w->kh * w->kw;
  gint64 sum = 0;

  for (gint64 iy = MAX (y, 0); iy < MIN (y + w->kh, (gint64) w->h); iy++)
    for (gint64 ix = MAX (x, 0); ix < MIN (x + w->kw, (gint64) w->w); ix++)
      sum += image[((gsize) iy * w->w + (gsize) ix) * w->c + channel];
  if (node->op == ASSAY_OP_AveragePool && assay_node_get_int (node, "count_include_pad") == 0)
    n = count_valid (y, w->kh, w->h) * count_valid (x, w->kw, w->w);
  element->exact = (double) sum / (double) MAX (n, 1) * unit;
  element->device = (double) sum * ldexp ((double) op->factor.factor, -op->factor.shift) * unit;
  element->magnitude = fabs (element->device) + 128.0 * unit;
  element->reach = SINGLE * element->magnitude;
  element->rule = ASSAY_DPU_RULE_POOL_FACTOR;
}

static void
explain_gate (const AssayDpuCode *code, const AssayDpuOp *op, gint8 number, Element *element)
{
  const AssayNode *node = assay_graph_node (code->graph, op->node);
  double unit = ldexp (1.0, position_of (code, op->output));
  double x = ldexp ((double) number, -op->positions[0]);
  gboolean swish = op->kind == ASSAY_DPU_HARD_SWISH;
  double alpha = swish ? 1.0 / 6.0 : assay_node_get_float (node, "alpha");
  double beta = swish ? 0.5 : assay_node_get_float (node, "beta");
  double gate = CLAMP (alpha * x + beta, 0, 1);
  double sixths = ldexp ((double) number * 2731 + ldexp (3.0 * 2731, op->positions[0]),
                         -14 - op->positions[0]);

  element->exact = gate * (swish ? x : 1) * unit;
  element->device = MAX (sixths, 0) * unit;
  element->magnitude = fabs (element->exact) + unit;
  element->rule = swish ? ASSAY_DPU_RULE_HARD_SWISH : ASSAY_DPU_RULE_HARD_SIGMOID;
  if (swish)
    element->device = (double) number *
                      assay_dpu_hard_sigmoid (number, op->positions[0], 7 + op->positions[0]) *
                      ldexp (1.0, -op->shift);
}

static double
source_of (guint index, guint in, guint out, gboolean half_pixel)
{
  double scale = (double) in / (double) out;
  double at = half_pixel ? ((double) index + 0.5) * scale - 0.5 : (double) index * scale;

  return CLAMP (at, 0, (double) (in - 1));
}

static void
explain_resize (const AssayDpuOp *op, gsize index, const gint8 *in, Element *element)
{
  const AssayDpuWindow *w = &op->window;
  gsize channel = index % w->c;
  double x = source_of ((guint) (index / w->c % w->ow), w->w, w->ow, op->half_pixel);
  double y = source_of ((guint) (index / w->c / w->ow % w->oh), w->h, w->oh, op->half_pixel);
  const gint8 *image = in + index / w->c / w->ow / w->oh * w->h * w->w * w->c;
  double value = 0;

  for (guint i = 0; i < 4; i++)
    {
      gsize row = MIN ((gsize) y + i / 2, (gsize) w->h - 1);
      gsize column = MIN ((gsize) x + i % 2, (gsize) w->w - 1);
      double down = i / 2 == 1 ? y - floor (y) : 1 - (y - floor (y));
      double right = i % 2 == 1 ? x - floor (x) : 1 - (x - floor (x));

      value += down * right * image[(row * w->w + column) * w->c + channel];
    }
  element->exact = element->device = ldexp (value, op->shift);
  element->magnitude = ldexp (128.0, op->shift);
  element->reach = SINGLE * element->magnitude;
}

/* What has the element that a move puts somewhere: a map and an index into it. */
static gboolean
follow_move (const AssayDpuOp *op, gsize index, guint *source, gsize *from)
{
  if (op->table[index] < 0)
    return FALSE;
  for (*source = op->n_inputs - 1; op->begins[*source] > (guint32) op->table[index];)
    (*source)--;
  *from = (gsize) op->table[index] - op->begins[*source];

  return TRUE;
}

static gboolean
compute (const AssayDpuCode *code, const AssayDpuOp *op, gsize index,
         const AssayDpuOperands *operands, Element *element)
{
  const gint8 *in = op->n_inputs > 0 ? operands->maps[op->inputs[0]] : NULL;
  double unit = ldexp (1.0, position_of (code, op->output));
  guint source;
  gsize from;

  *element = (Element){ .rule = ASSAY_DPU_RULE_HALF_UP };
  switch (op->kind)
    {
    case ASSAY_DPU_CONV:
    case ASSAY_DPU_DEPTHWISE:
      explain_product (code, op, index, in, element);
      return TRUE;
    case ASSAY_DPU_ADD:
      explain_sum (code, op, index, operands, element);
      return TRUE;
    case ASSAY_DPU_MULTIPLY:
      element->exact = ldexp ((double) in[index] * operands->maps[op->inputs[1]][index],
                              -op->shift);
      element->device = element->exact;
      element->magnitude = fabs (element->exact);
      activate (code, op, 0, element);
      return TRUE;
    case ASSAY_DPU_AVERAGE_POOL:
      explain_average (code, op, index, in, element);
      return TRUE;
    case ASSAY_DPU_RESIZE:
      explain_resize (op, index, in, element);
      return TRUE;
    case ASSAY_DPU_ACTIVATE:
      element->exact = element->device = ldexp ((double) in[index], 1 - op->finish.shift);
      element->magnitude = fabs (element->exact);
      activate (code, op, (guint) (index % op->window.oc), element);
      return TRUE;
    case ASSAY_DPU_HARD_SIGMOID:
    case ASSAY_DPU_HARD_SWISH:
      explain_gate (code, op, in[index], element);
      return TRUE;
    case ASSAY_DPU_FIX:
      element->exact = element->device = (double) operands->floats[index] * unit;
      return TRUE;
    case ASSAY_DPU_MOVE:
      if (!follow_move (op, index, &source, &from))
        return FALSE;
      element->exact = ldexp ((double) operands->maps[op->inputs[source]][from],
                              op->shifts[source]);
      element->device = element->exact;
      return TRUE;
    default:
      return FALSE;
    }
}

/* The largest is a number that goes in, moved to another position. */
static void
compute_largest (const AssayDpuOp *op, gsize index, const gint8 *in, Element *element)
{
  const AssayDpuWindow *w = &op->window;
  gsize channel = index % w->c;
  gint64 x = (gint64) (index / w->c % w->ow) * w->sw - w->left;
  gint64 y = (gint64) (index / w->c / w->ow % w->oh) * w->sh - w->top;
  const gint8 *image = in + index / w->c / w->ow / w->oh * w->h * w->w * w->c;
  int best = -128;

  for (guint i = 0; i < w->kh; i++)
    for (guint j = 0; j < w->kw; j++)
      {
        gint64 iy = y + (gint64) i * w->dh, ix = x + (gint64) j * w->dw;

        if (iy >= 0 && iy < w->h && ix >= 0 && ix < w->w)
          best = MAX (best, image[((gsize) iy * w->w + (gsize) ix) * w->c + channel]);
      }
  *element = (Element){ .rule = ASSAY_DPU_RULE_HALF_UP };
  element->exact = element->device = ldexp ((double) best, op->shift);
}

/* Whether a number is another one, rounded in whatever way to the nearest. */
static gboolean
rounds_to (double number, gint8 rounded, double reach)
{
  return fabs (CLAMP (number, -128.0, 127.0) - (double) rounded) <= 0.5 + reach;
}

/**
 * assay_dpu_explain:
 * @code: a program
 * @op: one of its operations
 * @element: which element of its result, in memory
 * @operands: what it has worked on
 * @ours: what the device gives
 * @theirs: what a run of the model gives on the same operands, which is something else
 *
 * Finds the rule by which the device gives another number.
 *
 * Returns: the rule
 */
AssayDpuRule
assay_dpu_explain (const AssayDpuCode *code, guint op, gsize element,
                   const AssayDpuOperands *operands, gint8 ours, gint8 theirs)
{
  const AssayDpuOp *info = assay_dpu_code_op (code, op);
  Element found;
  guint source;
  gsize from;
  double slack;

  /* What only brings a result into order shows the difference of what made it. */
  if (info->kind == ASSAY_DPU_MOVE && follow_move (info, element, &source, &from))
    for (guint i = op; i-- > 0 && assay_dpu_code_op (code, i)->row == info->row;)
      if (assay_dpu_code_op (code, i)->output == info->inputs[source])
        return assay_dpu_explain (code, i, from, operands, ours, theirs);

  if (info->kind == ASSAY_DPU_MAX_POOL)
    compute_largest (info, element, operands->maps[info->inputs[0]], &found);
  else if (!compute (code, info, element, operands, &found))
    return ASSAY_DPU_RULE_UNEXPLAINED;

  slack = SINGLE * found.magnitude + 1e-9;
  if (!rounds_to (found.exact, theirs, slack))
    return ASSAY_DPU_RULE_UNEXPLAINED;
  if (rounds_to (found.exact, ours, 1e-9))
    return rounds_to (found.exact, theirs, 1e-9) ? ASSAY_DPU_RULE_HALF_UP : ASSAY_DPU_RULE_SINGLE;
  if (found.rule != ASSAY_DPU_RULE_HALF_UP && rounds_to (found.device, ours, found.reach + 1e-9))
    return found.rule;

  return rounds_to (found.device, ours, slack) ? ASSAY_DPU_RULE_SINGLE : ASSAY_DPU_RULE_UNEXPLAINED;
}
