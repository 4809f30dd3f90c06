/* assay-hypothesis-function.c
 * SPDX-License-Identifier: Apache-2.0
 *
 * Functions and composites computed another way than the specification says.
 */
#include <float.h>
#include <math.h>

#include "cause/assay-trials.h"
#include "nnir/assay-dims.h"
#include "nnir/assay-graph-builder.h"

static double
gelu_tanh (double x)
{
  return 0.5 * x * (1 + tanh (sqrt (M_2_PI) * (x + 0.044715 * x * x * x)));
}

static double
gelu_erf (double x)
{
  return 0.5 * x * (1 + erf (x * M_SQRT1_2));
}

static double
gelu_sigmoid (double x)
{
  return x / (1 + exp (-1.702 * x));
}

/* The error function as the usual form of gelu by tanh has it. */
static double
erf_tanh (double x)
{
  double y = x * M_SQRT2;

  return tanh (sqrt (M_2_PI) * (y + 0.044715 * y * y * y));
}

static double
hard_sixth (double x)
{
  return CLAMP (x / 6 + 0.5, 0, 1);
}

static double
hard_fifth (double x)
{
  return CLAMP (0.2 * x + 0.5, 0, 1);
}

static double
hard_tanh (double x)
{
  return CLAMP (x, -1, 1);
}

static double
tanh_rational (double x)
{
  double y = CLAMP (x, -3, 3);

  return y * (27 + y * y) / (27 + 9 * y * y);
}

static double
round_away (double x)
{
  return round (x);
}

static double
round_up (double x)
{
  return floor (x + 0.5);
}

static double
softplus_plain (double x)
{
  return (double) logf (1 + expf ((float) x));
}

/* The exponential of Cephes, as Eigen computes it and ONNX Runtime with it. */
static float
exp_cephes (float x)
{
  static const float factors[] = { 1.9875691500e-4f, 1.3981999507e-3f, 8.3334519073e-3f,
                                   4.1665795894e-2f, 1.6666665459e-1f, 5.0000001201e-1f };
  float y = x > -88.3762626647949f ? MIN (x, 88.3762626647949f) : -88.3762626647949f;
  float n = floorf (fmaf (y, (float) M_LOG2E, 0.5f));
  float rest = fmaf (n, 2.12194440e-4f, fmaf (n, -0.693359375f, y)), square = rest * rest;
  float high = fmaf (fmaf (factors[0], rest, factors[1]), rest, factors[2]);
  float low = fmaf (fmaf (factors[3], rest, factors[4]), rest, factors[5]);

  return ldexpf (fmaf (fmaf (high, square * rest, low), square, rest + 1), (int) n);
}

static double
sigmoid_plain (double x)
{
  float e = expf ((float) x);

  return (double) (e / (1 + e));
}

/* Half and an odd function, as the fraction of polynomials of Eigen (MLAS, logistic.cpp) that ONNX
 * Runtime computes: of what is far below one no digit is right. */
static double
sigmoid_half (double x)
{
  static const float above[] = { 4.37031012579801e-11f, 1.15627324459942e-07f,
                                 6.08574864600143e-05f, 8.51377133304701e-03f,
                                 2.48287947061529e-01f },
                     below[] = { 6.10247389755681e-13f, 5.76102136993427e-09f,
                                 6.29106785017040e-06f, 1.70198817374094e-03f,
                                 1.16817656904453e-01f, 9.93151921023180e-01f };
  float y = (float) CLAMP (x, -18, 18);
  float p = above[0], q = below[0];

  for (guint i = 1; i < G_N_ELEMENTS (above); i++)
    p = fmaf (p, y * y, above[i]);
  for (guint i = 1; i < G_N_ELEMENTS (below); i++)
    q = fmaf (q, y * y, below[i]);
  y = y * p / q + 0.5f;

  return (double) CLAMP (y, 0, 1);
}

static double
silu_hard (double x)
{
  return x * hard_sixth (x);
}

static double
rsqrt_rough (double x)
{
  return (double) (float) ldexp (rint (ldexp (sqrt (x), 8)), -8);
}

/* One row per function that is computed in the place of another, each by element. */
static const struct
{
  AssayOp op;
  double (*func) (double x);
  const char *sentence;
} functions[] = {
  { ASSAY_OP_Gelu, gelu_tanh, "gelu is computed by tanh" },
  { ASSAY_OP_Gelu, gelu_erf, "gelu is computed by erf" },
  { ASSAY_OP_Gelu, gelu_sigmoid, "gelu is computed as x · sigmoid(1.702 x)" },
  { ASSAY_OP_Erf, erf_tanh, "erf is computed by tanh, as of gelu" },
  { ASSAY_OP_Sigmoid, hard_sixth, "sigmoid is computed by pieces, x / 6 + 0.5" },
  { ASSAY_OP_Sigmoid, hard_fifth, "sigmoid is computed by pieces, 0.2 x + 0.5" },
  { ASSAY_OP_Sigmoid, sigmoid_plain, "sigmoid is exp(x) / (1 + exp(x)), which overflows" },
  { ASSAY_OP_Sigmoid, sigmoid_half,
    "sigmoid is 0.5 + a fraction of polynomials, which keeps 2^-25 of one and no small number" },
  { ASSAY_OP_HardSigmoid, hard_sixth, "hard sigmoid has a slope of 1/6" },
  { ASSAY_OP_HardSigmoid, hard_fifth, "hard sigmoid has a slope of 0.2" },
  { ASSAY_OP_Tanh, hard_tanh, "tanh is a clamp to -1 and 1" },
  { ASSAY_OP_Tanh, tanh_rational, "tanh is a fraction of polynomials" },
  { ASSAY_OP_Round, round_away, "halves are rounded away from zero" },
  { ASSAY_OP_Round, round_up, "halves are rounded up" },
  { ASSAY_OP_Round, trunc, "fractions are cut off" },
  { ASSAY_OP_Softplus, softplus_plain, "softplus is log(1 + exp(x)), which overflows" },
  { ASSAY_OP_HardSwish, gelu_sigmoid, "x · sigmoid(1.702 x) is computed in its place" },
  { ASSAY_OP_Mish, silu_hard, "hard swish is computed in its place" },
  { ASSAY_OP_Sqrt, rsqrt_rough, "the root has 8 bits behind the point" },
};

/* How a cast to integers, or to a narrow type, is made otherwise. */
typedef enum
{
  CAST_ROUND,
  CAST_FLOOR,
  CAST_WRAP,
  CAST_SATURATE,
  CAST_NONE,
  N_CASTS
} Cast;

static const char *const cast_sentences[N_CASTS] = {
  "the cast rounds to the nearest integer where it should cut off",
  "the cast rounds down where it should cut off",
  "the cast wraps what does not fit",
  "the cast keeps what does not fit at the largest number",
  "the cast is left out: numbers keep their digits and their range",
};

typedef struct
{
  const AssayNode *node;
  double (*func) (double x);
  Cast cast;
  float (*exp) (float x);
  float alpha, scale; /* of Elu, Celu and Selu */
} Function;

/* The difference exp(x) - 1, where others have expm1(). */
static double
elu_plain (const Function *self, float x)
{
  float y = self->node->op == ASSAY_OP_Celu ? x / self->alpha : x;

  return (double) (self->scale * (x < 0 ? self->alpha * (self->exp (y) - 1) : x));
}

static double
cast_one (Cast cast, const AssayDatum *to, double x)
{
  guint bits = 8 * (guint) assay_storage_size (to->storage);
  gboolean is_signed = assay_dtype_kind (to->dtype) == 'I';
  double span = ldexp (1, (int) bits), low = is_signed ? -span / 2 : 0;
  double most = to->dtype == ASSAY_DTYPE_F16 ? 65504 : (double) FLT_MAX;

  switch (cast)
    {
    case CAST_ROUND:
      return rint (x);
    case CAST_FLOOR:
      return floor (x);
    case CAST_WRAP:
      x = trunc (x) - low;
      return x - floor (x / span) * span + low;
    case CAST_SATURATE:
      return assay_dtype_is_float (to->dtype) ? CLAMP (x, -most, most)
                                              : CLAMP (trunc (x), low, low + span - 1);
    case CAST_NONE:
    case N_CASTS:
    default:
      return x;
    }
}

static void
put_function (AssayDatum **values, AssayValueId value, gpointer user_data)
{
  const Function *function = user_data;
  const AssayDatum *from;
  AssayDatum *other;

  if (value != function->node->outputs[0])
    return;
  from = values[function->node->inputs[0]];
  if (from == NULL || from->kind != ASSAY_DATUM_TENSOR || from->n != values[value]->n)
    return;
  other = assay_datum_new (values[value]->dtype, values[value]->storage, values[value]->rank,
                           values[value]->dims, NULL);
  if (other == NULL)
    return;
  for (gsize i = 0; i < other->n; i++)
    {
      double x = assay_datum_get_number (from, i);

      assay_datum_set_number (other, i,
                              function->func != NULL  ? function->func (x)
                              : function->exp != NULL ? elu_plain (function, (float) x)
                                                      : cast_one (function->cast, other, x));
    }
  if (function->func != NULL || function->exp != NULL || function->cast != CAST_NONE)
    assay_datum_round (other);
  assay_datum_unref (values[value]);
  values[value] = other;
}

static void
try_elu (AssayTrials *self, AssayNodeId id, Function *function)
{
  static float (*const exps[]) (float x) = { expf, exp_cephes };
  AssayOp op = function->node->op;

  if (op != ASSAY_OP_Elu && op != ASSAY_OP_Celu && op != ASSAY_OP_Selu)
    return;
  function->alpha = (float) assay_node_get_float (function->node, "alpha");
  function->scale = op == ASSAY_OP_Selu ? (float) assay_node_get_float (function->node, "gamma")
                                        : 1;
  for (guint i = 0; i < G_N_ELEMENTS (exps); i++)
    {
      function->exp = exps[i];
      assay_trials_judge (
          self, assay_trials_run (self, NULL, put_function, function), id, "function", "%s",
          "exp(x) - 1 is computed as a difference, which keeps 2^-25 of one and no small number");
    }
  function->exp = NULL;
}

/**
 * assay_hypothesis_function:
 * @self: the trials
 * @node: a node
 *
 * Tries approximations in the place of a function, and other ways to cast.
 */
void
assay_hypothesis_function (AssayTrials *self, AssayNodeId id)
{
  Function function = { .node = assay_graph_node (self->subgraph->graph, id) };

  for (guint i = 0; i < G_N_ELEMENTS (functions); i++)
    if (functions[i].op == function.node->op)
      {
        function.func = functions[i].func;
        assay_trials_judge (self, assay_trials_run (self, NULL, put_function, &function), id,
                            "function", "%s", functions[i].sentence);
      }
  function.func = NULL;
  try_elu (self, id, &function);
  for (guint i = 0; function.node->op == ASSAY_OP_Cast && i < N_CASTS; i++)
    {
      function.cast = (Cast) i;
      assay_trials_judge (self, assay_trials_run (self, NULL, put_function, &function), id, "cast",
                          "%s", cast_sentences[i]);
    }
}

/* Exponentials of everything, whatever becomes of them in fp32. */
static void
put_exp (AssayDatum **values, AssayValueId value, gpointer user_data)
{
  const AssayNode *node = user_data;
  AssayDatum *from = values[value], *other;

  if (value != node->inputs[0])
    return;
  other = assay_datum_new (from->dtype, from->storage, from->rank, from->dims, NULL);
  for (gsize i = 0; other != NULL && i < other->n; i++)
    assay_datum_set_number (other, i, (double) expf ((float) assay_datum_get_number (from, i)));
  if (other == NULL)
    return;
  assay_datum_unref (from);
  values[value] = other;
}

static void
put_softmax (AssayDatum **values, AssayValueId value, gpointer user_data)
{
  const AssayNode *node = user_data;
  const AssayDatum *from = values[node->inputs[0]];
  gint64 axis = assay_node_get_int (node, "axis");
  gsize inner, extent;
  AssayDatum *other;

  if (value != node->outputs[0] || from == NULL || from->rank == 0)
    return;
  axis += axis < 0 ? (gint64) from->rank : 0;
  inner = assay_dims_product (from->dims, (guint) axis + 1, from->rank);
  extent = (gsize) from->dims[axis];
  other = assay_datum_new (from->dtype, from->storage, from->rank, from->dims, NULL);
  for (gsize i = 0; other != NULL && i < from->n; i++)
    {
      float sum = 0, x = (float) assay_datum_get_number (from, i);

      for (gsize k = 0; k < extent; k++)
        sum += expf (
            (float) assay_datum_get_number (from, i - i / inner % extent * inner + k * inner));
      assay_datum_set_number (
          other, i, (double) (node->op == ASSAY_OP_Softmax ? expf (x) / sum : x - logf (sum)));
    }
  if (other == NULL)
    return;
  assay_datum_unref (values[value]);
  values[value] = other;
}

/**
 * assay_hypothesis_maximum:
 * @self: the trials
 * @node: a node
 *
 * Tries exponentials without the maximum taken out, which overflow.
 */
void
assay_hypothesis_maximum (AssayTrials *self, AssayNodeId id)
{
  AssayNode node = *assay_graph_node (self->subgraph->graph, id);
  g_autoptr (AssayGraph) changed = NULL;
  AssayDatum *result = NULL;

  if (node.op == ASSAY_OP_Softmax || node.op == ASSAY_OP_LogSoftmax)
    result = assay_trials_run (self, NULL, put_softmax, &node);
  else if (node.op == ASSAY_OP_ReduceLogSumExp)
    {
      changed = assay_graph_copy (self->subgraph->graph);
      assay_graph_edit_node (changed, id)->op = ASSAY_OP_ReduceLogSum;
      result = assay_trials_run (self, changed, put_exp, &node);
    }
  if (result != NULL)
    assay_trials_judge (self, result, id, "maximum",
                        "exponentials are summed without the maximum taken out");
}

/* How a variance is taken otherwise. */
typedef enum
{
  NORM_ONE_PASS,
  NORM_SAMPLE,
  NORM_NO_EPSILON,
  NORM_EPSILON_OUTSIDE,
  NORM_BATCH,
  N_NORMS
} Norm;

static const char *const norm_sentences[N_NORMS] = {
  "the variance is E[x²] - E[x]² in fp32, which cancels",
  "the variance is divided by n - 1 where it should be n",
  "epsilon is left out",
  "epsilon is added to the deviation where it should be to the variance",
  "mean and variance of these inputs are taken where the model keeps its own",
};

typedef struct
{
  const AssayNode *node;
  Norm norm;
} Normalised;

/* Mean and factor of one group of elements, as they should be and as they are in another way. */
static void
measure_group (const AssayDatum *x, gsize first, gsize n, double epsilon, Norm norm, double *mean,
               double *ratio)
{
  double sum = 0, energy = 0, variance, other;
  float sum_f = 0, energy_f = 0;

  for (gsize i = 0; i < n; i++)
    {
      double value = assay_datum_get_number (x, first + i);
      float f = (float) value;

      sum += value;
      sum_f += f;
      energy_f += f * f;
    }
  *mean = sum / (double) n;
  for (gsize i = 0; i < n; i++)
    {
      double d = assay_datum_get_number (x, first + i) - *mean;

      energy += d * d;
    }
  variance = other = energy / (double) n;
  if (norm == NORM_ONE_PASS)
    other = (double) (energy_f / (float) n - sum_f / (float) n * (sum_f / (float) n));
  if (norm == NORM_SAMPLE && n > 1)
    other = energy / (double) (n - 1);
  *ratio = sqrt (variance + epsilon) / (norm == NORM_NO_EPSILON ? sqrt (variance)
                                        : norm == NORM_EPSILON_OUTSIDE
                                            ? sqrt (variance) + epsilon
                                            : sqrt (MAX (other, 0) + epsilon));
}

/* Elements of one group lie together: those of a layer, an instance or a group of channels. */
static gsize
group_size (const AssayNode *node, const AssayDatum *x)
{
  gint64 axis = node->op == ASSAY_OP_LayerNormalization ? assay_node_get_int (node, "axis") : 2;

  if (node->op == ASSAY_OP_GroupNormalization)
    return x->rank > 1 ? assay_dims_product (x->dims, 1, x->rank) /
                             (gsize) MAX (assay_node_get_int (node, "num_groups"), 1)
                       : 1;
  axis += axis < 0 ? (gint64) x->rank : 0;

  return axis >= 0 && axis <= (gint64) x->rank ? assay_dims_product (x->dims, (guint) axis, x->rank)
                                               : 1;
}

static double
bias_at (const AssayNode *node, const AssayDatum *x, const AssayDatum *bias, gsize index)
{
  gsize inner = x->rank > 2 ? assay_dims_product (x->dims, 2, x->rank) : 1;

  if (bias == NULL || bias->n == 0)
    return 0;

  return assay_datum_get_number (
      bias, node->op == ASSAY_OP_LayerNormalization ? index % bias->n : index / inner % bias->n);
}

static void
put_norm (AssayDatum **values, AssayValueId value, gpointer user_data)
{
  const Normalised *normalised = user_data;
  const AssayNode *node = normalised->node;
  const AssayDatum *x = values[node->inputs[0]], *y = values[value], *bias = NULL;
  double epsilon = assay_node_get_float (node, "epsilon");
  AssayDatum *other;
  gsize n;

  if (value != node->outputs[0])
    return;
  if (node->n_inputs > 2 && node->inputs[2] != ASSAY_NO_VALUE)
    bias = values[node->inputs[2]];
  n = group_size (node, x);
  other = assay_datum_new (y->dtype, y->storage, y->rank, y->dims, NULL);
  if (other == NULL || n == 0 || x->n != y->n)
    {
      g_clear_pointer (&other, assay_datum_unref);
      return;
    }
  for (gsize first = 0; first + n <= x->n; first += n)
    {
      double mean, ratio;

      measure_group (x, first, n, epsilon, normalised->norm, &mean, &ratio);
      for (gsize i = first; i < first + n; i++)
        {
          double b = bias_at (node, x, bias, i);

          assay_datum_set_number (other, i, (assay_datum_get_number (y, i) - b) * ratio + b);
        }
    }
  assay_datum_unref (values[value]);
  values[value] = other;
}

/* Of each channel what these inputs have. */
static void
put_batch (AssayDatum **values, AssayValueId value, gpointer user_data)
{
  const Normalised *normalised = user_data;
  const AssayNode *node = normalised->node;
  const AssayDatum *x = values[node->inputs[0]];
  const AssayDatum *scale = values[node->inputs[1]], *bias = values[node->inputs[2]];
  double epsilon = assay_node_get_float (node, "epsilon");
  AssayDatum *other;
  gsize inner, channels;

  if (value != node->outputs[0] || x->rank < 2)
    return;
  inner = assay_dims_product (x->dims, 2, x->rank);
  channels = (gsize) x->dims[1];
  other = assay_datum_new (x->dtype, x->storage, x->rank, x->dims, NULL);
  for (gsize c = 0; other != NULL && c < channels; c++)
    {
      double sum = 0, energy = 0, mean, n = (double) (x->n / channels);

      for (gsize i = 0; i < x->n; i++)
        if (i / inner % channels == c)
          sum += assay_datum_get_number (x, i);
      mean = sum / n;
      for (gsize i = 0; i < x->n; i++)
        if (i / inner % channels == c)
          energy += pow (assay_datum_get_number (x, i) - mean, 2);
      for (gsize i = 0; i < x->n; i++)
        if (i / inner % channels == c)
          assay_datum_set_number (other, i,
                                  (assay_datum_get_number (x, i) - mean) /
                                          sqrt (energy / n + epsilon) *
                                          assay_datum_get_number (scale, c) +
                                      assay_datum_get_number (bias, c));
    }
  if (other == NULL)
    return;
  assay_datum_unref (values[value]);
  values[value] = other;
}

/**
 * assay_hypothesis_norm:
 * @self: the trials
 * @node: a node
 *
 * Tries other ways to take the variance of a normalisation.
 */
void
assay_hypothesis_norm (AssayTrials *self, AssayNodeId id)
{
  Normalised normalised = { .node = assay_graph_node (self->subgraph->graph, id) };
  AssayOp op = normalised.node->op;
  gboolean is_batch = op == ASSAY_OP_BatchNormalization;

  if (!is_batch && op != ASSAY_OP_LayerNormalization && op != ASSAY_OP_InstanceNormalization &&
      op != ASSAY_OP_GroupNormalization)
    return;
  for (guint i = 0; i < N_NORMS; i++)
    if (is_batch == (i == NORM_BATCH))
      {
        normalised.norm = (Norm) i;
        assay_trials_judge (
            self, assay_trials_run (self, NULL, is_batch ? put_batch : put_norm, &normalised), id,
            "normalisation", "%s", norm_sentences[i]);
      }
}
