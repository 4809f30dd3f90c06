/* assay-lint.c
 * SPDX-License-Identifier: Apache-2.0
 */
#include "target/assay-lint.h"

#include <float.h>
#include <math.h>

#include "base/assay-bf16.h"
#include "target/assay-check-private.h"

/* Elements of a constant that are looked at. */
#define MOST_ELEMENTS 4096

/* Nodes that ranges and patterns are followed through. */
#define MOST_HOPS 8

/* Positions by which 8 bits are shifted until nothing of one operand is left. */
#define FAR_APART 128.0

/* What is known when a node is looked at. */
typedef struct
{
  const AssayGraph *graph;
  const AssayUses *uses;
  AssayDType numbers; /* of floats on the device */
  AssayDType sums;    /* what it accumulates in */
  AssayDType fixed;   /* of numbers with a position, if the device has them */
} Lint;

static const AssayNode *
producer (const Lint *self, AssayValueId id)
{
  AssayNodeId node = id != ASSAY_NO_VALUE ? assay_graph_value (self->graph, id)->producer
                                          : ASSAY_NO_NODE;

  return node != ASSAY_NO_NODE ? assay_graph_node (self->graph, node) : NULL;
}

static gboolean
is_made_by (const Lint *self, AssayValueId id, AssayOp op)
{
  const AssayNode *node = producer (self, id);

  return node != NULL && node->op == op;
}

static const AssayType *
type_of (const Lint *self, const AssayNode *node, guint input)
{
  return input < node->n_inputs && node->inputs[input] != ASSAY_NO_VALUE
             ? assay_graph_value (self->graph, node->inputs[input])->type
             : NULL;
}

static double
round_to (AssayDType type, double x)
{
  return type == ASSAY_DTYPE_BF16  ? (double) assay_bf16_to_f32 (assay_bf16_from_f32 ((float) x))
         : type == ASSAY_DTYPE_F16 ? (double) assay_f16_to_f32 (assay_f16_from_f32 ((float) x))
                                   : (double) (float) x;
}

/* Integers up to this have all a number of their own. */
static double
steps_of (AssayDType type)
{
  return type == ASSAY_DTYPE_BF16 ? 256 : type == ASSAY_DTYPE_F16 ? 2048 : 16777216;
}

static double
largest_exponent (AssayDType type)
{
  return type == ASSAY_DTYPE_F16 ? 11.0 : 88.0;
}

/* The type that numbers of a node have: that of the device, or a narrower one of its own. */
static AssayDType
numbers_of (const Lint *self, const AssayNode *node)
{
  const AssayType *type = type_of (self, node, 0);

  return self->numbers == ASSAY_DTYPE_F32 && type != NULL && type->dtype == ASSAY_DTYPE_F16
             ? ASSAY_DTYPE_F16
             : self->numbers;
}

typedef gboolean (*ElementFunc) (double x, AssayDType type);

static gboolean
is_lost (double x, AssayDType type)
{
  return isfinite (x) && (round_to (type, x) < x || round_to (type, x) > x);
}

static gboolean
is_zero (double x, AssayDType type)
{
  return fabs (round_to (type, x)) <= 0;
}

/* A constant of floats with an element like that. */
static gboolean
has_element (const Lint *self, AssayValueId id, AssayDType type, ElementFunc func)
{
  AssayTensor *tensor = id != ASSAY_NO_VALUE ? assay_graph_constant (self->graph, id) : NULL;
  gsize n;

  if (tensor == NULL || !assay_dtype_is_float (assay_tensor_get_dtype (tensor)))
    return FALSE;
  n = MIN (assay_tensor_get_n_elements (tensor), MOST_ELEMENTS);
  for (gsize i = 0; i < n; i++)
    {
      double x;

      if (assay_tensor_get_element (tensor, i, &x, NULL) && func (x, type))
        return TRUE;
    }

  return FALSE;
}

static gboolean
constant_decides (const Lint *self, const AssayNode *node)
{
  if (node->op != ASSAY_OP_Equal && node->op != ASSAY_OP_Less && node->op != ASSAY_OP_Greater &&
      node->op != ASSAY_OP_LessOrEqual && node->op != ASSAY_OP_GreaterOrEqual)
    return FALSE;

  return has_element (self, node->inputs[0], numbers_of (self, node), is_lost) ||
         has_element (self, node->inputs[1], numbers_of (self, node), is_lost);
}

static gboolean
makes_steps (const AssayNode *node, const AssayGraph *graph)
{
  AssayDType to = node->n_outputs > 0 ? assay_graph_value (graph, node->outputs[0])->type->dtype
                                      : ASSAY_DTYPE_UNDEFINED;

  return node->op == ASSAY_OP_Floor || node->op == ASSAY_OP_Ceil || node->op == ASSAY_OP_Round ||
         (node->op == ASSAY_OP_Cast && assay_dtype_is_integer (to));
}

/* The device computes what somebody, perhaps the host, makes steps of. */
static gboolean
constant_counts (const Lint *self, const AssayNode *node)
{
  const AssayNodeId *readers;
  guint n;

  if ((node->op != ASSAY_OP_Add && node->op != ASSAY_OP_Sub && node->op != ASSAY_OP_Mul &&
       node->op != ASSAY_OP_Div && node->op != ASSAY_OP_Mod) ||
      (!has_element (self, node->inputs[0], numbers_of (self, node), is_lost) &&
       !has_element (self, node->inputs[1], numbers_of (self, node), is_lost)))
    return FALSE;
  readers = assay_uses_get (self->uses, node->outputs[0], &n);
  for (guint i = 0; i < n; i++)
    if (makes_steps (assay_graph_node (self->graph, readers[i]), self->graph))
      return TRUE;

  return node->op == ASSAY_OP_Mod;
}

/* What only moves elements, or bounds them. */
static gboolean
hands_on (AssayOp op)
{
  return op == ASSAY_OP_Clip || op == ASSAY_OP_Min || op == ASSAY_OP_Max ||
         (assay_op_get_info (op)->traits & ASSAY_OP_TRAIT_VIEW) != 0;
}

static gboolean
index_computed (const Lint *self, const AssayNode *node)
{
  const AssayType *data = type_of (self, node, 0), *from;
  const AssayNode *maker;
  gint64 axis;

  if (node->op != ASSAY_OP_Gather && node->op != ASSAY_OP_GatherElements)
    return FALSE;
  maker = producer (self, node->inputs[1]);
  for (guint hops = 0; maker != NULL && hands_on (maker->op) && hops < MOST_HOPS; hops++)
    maker = producer (self, maker->inputs[0]);
  if (maker == NULL || maker->op != ASSAY_OP_Cast || data == NULL)
    return FALSE;
  from = type_of (self, maker, 0);
  axis = assay_node_get_int (node, "axis") +
         (assay_node_get_int (node, "axis") < 0 ? data->rank : 0);

  return from != NULL && assay_dtype_is_float (from->dtype) && axis >= 0 && axis < data->rank &&
         (double) data->dims[axis].size > steps_of (numbers_of (self, maker));
}

/* Terms of one sum. */
static double
count_terms (const Lint *self, const AssayNode *node)
{
  const AssayType *x = type_of (self, node, 0), *w = type_of (self, node, 1);
  gsize n_x = 0, n_y = 0;

  if (x == NULL || node->outputs[0] == ASSAY_NO_VALUE)
    return 0;
  switch (node->op)
    {
    case ASSAY_OP_MatMul:
      return x->rank > 0 ? (double) x->dims[x->rank - 1].size : 0;
    case ASSAY_OP_Gemm:
      return x->rank == 2 ? (double) x->dims[assay_node_get_int (node, "transA") != 0 ? 0 : 1].size
                          : 0;
    case ASSAY_OP_Conv:
      if (w == NULL || w->rank < 1 || w->dims[0].size <= 0 || !assay_type_count (w, &n_x))
        return 0;
      return (double) n_x / (double) w->dims[0].size;
    case ASSAY_OP_ReduceSum:
    case ASSAY_OP_ReduceMean:
    case ASSAY_OP_GlobalAveragePool:
      if (!assay_type_count (x, &n_x) ||
          !assay_type_count (assay_graph_value (self->graph, node->outputs[0])->type, &n_y))
        return 0;
      return n_y > 0 ? (double) n_x / (double) n_y : 0;
    default:
      return 0;
    }
}

static gboolean
long_sum (const Lint *self, const AssayNode *node)
{
  return (self->sums == ASSAY_DTYPE_F16 || self->sums == ASSAY_DTYPE_BF16) &&
         count_terms (self, node) > steps_of (self->sums);
}

/* Whether some reader of a value is an operation, or reads of it through one that does. */
static const AssayNode *
find_reader (const Lint *self, AssayValueId id, AssayOp op)
{
  const AssayNodeId *readers;
  guint n;

  readers = assay_uses_get (self->uses, id, &n);
  for (guint i = 0; i < n; i++)
    if (assay_graph_node (self->graph, readers[i])->op == op)
      return assay_graph_node (self->graph, readers[i]);

  return NULL;
}

/* Exponentials of something, summed, and then divided or taken the logarithm of. */
static gboolean
maximum_left_in (const Lint *self, const AssayNode *node)
{
  const AssayNode *sum, *before;

  if (node->op != ASSAY_OP_Exp)
    return FALSE;
  sum = find_reader (self, node->outputs[0], ASSAY_OP_ReduceSum);
  if (sum == NULL || (find_reader (self, node->outputs[0], ASSAY_OP_Div) == NULL &&
                      find_reader (self, sum->outputs[0], ASSAY_OP_Log) == NULL))
    return FALSE;
  before = producer (self, node->inputs[0]);

  return before == NULL || before->op != ASSAY_OP_Sub ||
         (!is_made_by (self, before->inputs[1], ASSAY_OP_ReduceMax) &&
          !is_made_by (self, before->inputs[1], ASSAY_OP_Max));
}

static gboolean
is_square (const Lint *self, AssayValueId id, AssayValueId *root)
{
  const AssayNode *node = producer (self, id);
  AssayTensor *exponent;
  double power;

  if (node == NULL)
    return FALSE;
  *root = node->inputs[0];
  if (node->op == ASSAY_OP_Mul)
    return node->inputs[0] == node->inputs[1];
  if (node->op != ASSAY_OP_Pow || node->inputs[1] == ASSAY_NO_VALUE)
    return FALSE;
  exponent = assay_graph_constant (self->graph, node->inputs[1]);

  return exponent != NULL && assay_tensor_get_n_elements (exponent) == 1 &&
         assay_tensor_get_element (exponent, 0, &power, NULL) && fabs (power - 2) < DBL_EPSILON;
}

static gboolean
squares_overflow (const Lint *self, const AssayNode *node)
{
  AssayValueId root;

  return numbers_of (self, node) == ASSAY_DTYPE_F16 &&
         (node->op == ASSAY_OP_ReduceL2 || node->op == ASSAY_OP_ReduceSumSquare ||
          (node->op == ASSAY_OP_ReduceSum && is_square (self, node->inputs[0], &root)));
}

static gboolean
variance_cancels (const Lint *self, const AssayNode *node)
{
  AssayValueId of_mean, of_square;
  const AssayNode *mean, *square;

  if (node->op != ASSAY_OP_Sub || !is_square (self, node->inputs[1], &of_mean))
    return FALSE;
  mean = producer (self, of_mean);
  square = producer (self, node->inputs[0]);

  return mean != NULL && square != NULL && mean->op == ASSAY_OP_ReduceMean &&
         square->op == ASSAY_OP_ReduceMean && is_square (self, square->inputs[0], &of_square) &&
         of_square == mean->inputs[0];
}

static gboolean
epsilon_lost (const Lint *self, const AssayNode *node)
{
  AssayDType type = numbers_of (self, node);
  const AssayNode *before;
  double epsilon;

  if (assay_node_find_float (node, "epsilon", &epsilon))
    return epsilon > 0 && is_zero (epsilon, type);
  if (node->op != ASSAY_OP_Sqrt && node->op != ASSAY_OP_Reciprocal && node->op != ASSAY_OP_Div)
    return FALSE;
  before = producer (self, node->inputs[node->op == ASSAY_OP_Div ? 1 : 0]);
  if (before == NULL || before->op != ASSAY_OP_Add)
    return FALSE;
  for (guint i = 0; i < 2; i++)
    if (has_element (self, before->inputs[i], type, is_zero) &&
        !has_element (self, before->inputs[i], ASSAY_DTYPE_F32, is_zero))
      return TRUE;

  return FALSE;
}

static gboolean
division_by_zero (const Lint *self, const AssayNode *node)
{
  return (node->op == ASSAY_OP_Div &&
          has_element (self, node->inputs[1], numbers_of (self, node), is_zero)) ||
         (node->op == ASSAY_OP_Reciprocal &&
          has_element (self, node->inputs[0], numbers_of (self, node), is_zero));
}

/* The largest number that a value can be, as far as bounds and functions say. */
static double
largest (const Lint *self, AssayValueId id, guint hops)
{
  AssayTensor *constant = assay_graph_constant (self->graph, id);
  const AssayNode *node = producer (self, id);
  double most = -INFINITY, x, y;

  if (constant != NULL && assay_tensor_get_n_elements (constant) <= MOST_ELEMENTS)
    {
      for (gsize i = 0; i < assay_tensor_get_n_elements (constant); i++)
        if (assay_tensor_get_element (constant, i, &x, NULL))
          most = MAX (most, x);
      return most;
    }
  if (node == NULL || hops >= MOST_HOPS)
    return INFINITY;
  switch (node->op)
    {
    case ASSAY_OP_Clip:
      return node->n_inputs > 2 && node->inputs[2] != ASSAY_NO_VALUE
                 ? largest (self, node->inputs[2], hops + 1)
                 : INFINITY;
    case ASSAY_OP_Sigmoid:
    case ASSAY_OP_HardSigmoid:
    case ASSAY_OP_Tanh:
    case ASSAY_OP_Softmax:
    case ASSAY_OP_Softsign:
    case ASSAY_OP_Erf:
    case ASSAY_OP_Sin:
    case ASSAY_OP_Cos:
      return 1;
    case ASSAY_OP_Relu:
      return MAX (largest (self, node->inputs[0], hops + 1), 0);
    case ASSAY_OP_Add:
      return largest (self, node->inputs[0], hops + 1) + largest (self, node->inputs[1], hops + 1);
    case ASSAY_OP_Min:
      x = largest (self, node->inputs[0], hops + 1);
      y = node->n_inputs > 1 ? largest (self, node->inputs[1], hops + 1) : x;
      return MIN (x, y);
    default:
      return hands_on (node->op) && node->op != ASSAY_OP_Max
                 ? largest (self, node->inputs[0], hops + 1)
                 : INFINITY;
    }
}

/* Of what nothing is known nothing is said. */
static gboolean
exp_overflows (const Lint *self, const AssayNode *node)
{
  double most = node->op == ASSAY_OP_Exp ? largest (self, node->inputs[0], 0) : 0;

  return node->op == ASSAY_OP_Exp && isfinite (most) &&
         most > largest_exponent (numbers_of (self, node)) + 1;
}

static double
scale_of (const Lint *self, AssayValueId id)
{
  const AssayNode *node = producer (self, id);
  AssayTensor *scale;
  double x;

  if (node == NULL || node->op != ASSAY_OP_DequantizeLinear)
    return 0;
  scale = assay_graph_constant (self->graph, node->inputs[1]);

  return scale != NULL && assay_tensor_get_n_elements (scale) == 1 &&
                 assay_tensor_get_element (scale, 0, &x, NULL)
             ? x
             : 0;
}

static gboolean
positions_apart (const Lint *self, const AssayNode *node)
{
  double a, b;

  if (self->fixed == ASSAY_DTYPE_UNDEFINED ||
      (node->op != ASSAY_OP_Add && node->op != ASSAY_OP_Sub))
    return FALSE;
  a = scale_of (self, node->inputs[0]);
  b = scale_of (self, node->inputs[1]);

  return a > 0 && b > 0 && MAX (a, b) / MIN (a, b) >= FAR_APART;
}

static const AssayLintRow rows[] = {
#define LINT(name, func, sentence) { name, sentence },
#include "target/lints.def"
#undef LINT
};

static gboolean (*const conditions[]) (const Lint *self, const AssayNode *node) = {
#define LINT(name, func, sentence) func,
#include "target/lints.def"
#undef LINT
};

/**
 * assay_lint_row:
 * @index: a number
 *
 * Lists the lints.
 *
 * Returns: (nullable): the lint, %NULL after the last one
 */
const AssayLintRow *
assay_lint_row (guint index)
{
  return index < G_N_ELEMENTS (rows) ? &rows[index] : NULL;
}

static char *
write_sentence (const Lint *self, const AssayNode *node, const char *sentence)
{
  AssayDType type = numbers_of (self, node);
  g_auto (GStrv) typed = g_strsplit (sentence, "{type}", -1);
  g_autofree char *named = g_strjoinv (assay_dtype_name (type), typed);
  g_auto (GStrv) parts = g_strsplit (named, "{most}", -1);

  return g_strjoinv (type == ASSAY_DTYPE_F16 ? "11" : "88", parts);
}

/**
 * assay_check_lint:
 * @self: a check whose nodes have their verdicts
 *
 * Adds what may go wrong with the numbers of nodes that the device computes to their notes.
 */
void
assay_check_lint (AssayCheck *self)
{
  const AssayCheckClass *family = self->target->check_class;
  const AssayOptionValue *narrow = family->narrow_option != NULL
                                       ? assay_check_option (self, family->narrow_option, NULL)
                                       : NULL;
  Lint lint = { .graph = self->graph, .uses = self->uses };

  lint.numbers = narrow != NULL && narrow->b ? ASSAY_DTYPE_F16 : family->numbers;
  lint.sums = narrow != NULL && narrow->b ? ASSAY_DTYPE_F16 : ASSAY_DTYPE_F32;
  lint.fixed = family->fixed;
  for (AssayNodeId id = 1; id < assay_graph_n_nodes (self->graph); id++)
    {
      AssayVerdict *verdict = &g_array_index (self->result->verdicts, AssayVerdict, id);
      const AssayNode *node = assay_graph_node (self->graph, id);

      if (!self->live[id] || node->violation != NULL || node->n_inputs == 0 ||
          node->outputs[0] == ASSAY_NO_VALUE ||
          (verdict->kind != ASSAY_VERDICT_FUSED && verdict->kind != ASSAY_VERDICT_TRANSFORMED &&
           verdict->kind != ASSAY_VERDICT_SUPPORTED))
        continue;
      for (guint i = 0; i < G_N_ELEMENTS (conditions); i++)
        if (conditions[i](&lint, node))
          {
            g_autofree char *sentence = write_sentence (&lint, node, rows[i].sentence);

            assay_check_add_note (self, verdict, ASSAY_STAGE_RUNTIME, sentence);
          }
    }
}
