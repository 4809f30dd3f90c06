/* assay-hypothesis-rounding.c
 * SPDX-License-Identifier: Apache-2.0
 *
 * The same numbers rounded in other places, and the same sums in other orders.
 */
#include <float.h>
#include <math.h>

#include "base/assay-bf16.h"
#include "cause/assay-trials.h"
#include "nnir/assay-dims.h"
#include "nnir/assay-graph-builder.h"

/* Terms of a sum, and numbers in all of them, that are kept to be added up in every order. */
#define MOST_TERMS 4096
#define MOST_NUMBERS (1 << 23)

#define MOST_LANES 16

#define NO_TERM G_MAXUINT32

/* How a number is made narrower. */
typedef enum
{
  NARROW_NORMAL,
  NARROW_CUT,
  NARROW_BF16,
  NARROW_F16,
  NARROW_FP8,
  N_NARROWS
} Narrow;

static const struct
{
  AssayDType dtype;
  const char *verb;
} narrows[N_NARROWS] = {
  { ASSAY_DTYPE_F32, "flushed to zero where they are denormal" },
  { ASSAY_DTYPE_BF16, "cut off to bf16" },
  { ASSAY_DTYPE_BF16, "rounded to bf16" },
  { ASSAY_DTYPE_F16, "rounded to f16" },
  { ASSAY_DTYPE_F8E4M3FN, "rounded to fp8" },
};

/* What is made narrower. */
typedef enum
{
  WHERE_CONSTANTS,
  WHERE_INPUTS,
  WHERE_INSIDE,
  WHERE_RESULT,
  WHERE_ALL,
  N_WHERES,
  WHERE_ONE = N_WHERES
} Where;

static const struct
{
  const char *kind;
  const char *subject;
} wheres[N_WHERES] = {
  { "constants", "constants are" },
  { "inputs", "inputs of the model are" },
  { "rounding", "results inside the group are" },
  { "rounding", "numbers of its result are" },
  { "rounding", "constants, inputs and results are" },
};

typedef struct
{
  const AssaySubgraph *subgraph;
  Narrow narrow;
  Where where;
  AssayValueId value; /* the one */
} Rounding;

static double
narrow_one (Narrow narrow, double x)
{
  return narrow == NARROW_CUT ? (double) assay_bf16_to_f32 (assay_bf16_truncate_f32 ((float) x))
         : fabs (x) < (double) FLT_MIN ? 0
                                       : x;
}

static AssayDatum *
narrower (const AssayDatum *from, Narrow narrow)
{
  AssayDatum *to = assay_datum_new (from->dtype, from->storage, from->rank, from->dims, NULL);

  for (gsize i = 0; to != NULL && i < to->n; i++)
    {
      double x = assay_datum_get_number (from, i);

      assay_datum_set_number (to, i, narrow <= NARROW_CUT ? narrow_one (narrow, x) : x);
    }
  if (to != NULL && narrow > NARROW_CUT)
    {
      to->dtype = narrows[narrow].dtype;
      assay_datum_round (to);
      to->dtype = from->dtype;
    }

  return to;
}

static gboolean
is_meant (const Rounding *self, AssayValueId value)
{
  const GArray *inputs = assay_graph_region (self->subgraph->graph, ASSAY_MAIN_REGION)->inputs;

  if (self->where == WHERE_ONE)
    return value == self->value;
  for (guint i = 0; i < inputs->len; i++)
    if (g_array_index (inputs, AssayValueId, i) == value)
      {
        AssaySubgraphSource source = assay_subgraph_source (self->subgraph, i);

        return self->where == WHERE_ALL ||
               (self->where == WHERE_CONSTANTS && source == ASSAY_SUBGRAPH_CONSTANT) ||
               (self->where == WHERE_INPUTS && source == ASSAY_SUBGRAPH_MODEL);
      }

  return self->where == WHERE_ALL ||
         (self->where == (value == self->subgraph->target ? WHERE_RESULT : WHERE_INSIDE));
}

static void
put_narrow (AssayDatum **values, AssayValueId value, gpointer user_data)
{
  const Rounding *rounding = user_data;
  AssayDatum *from = values[value], *to;

  if (!is_meant (rounding, value) || from->kind != ASSAY_DATUM_TENSOR ||
      (from->storage != ASSAY_DTYPE_F32 && from->storage != ASSAY_DTYPE_F64))
    return;
  to = narrower (from, rounding->narrow);
  if (to == NULL)
    return;
  assay_datum_unref (from);
  values[value] = to;
}

static void
round_constants (AssayTrials *self, AssayNodeId id)
{
  const AssayNode *node = assay_graph_node (self->subgraph->graph, id);

  for (guint i = 0; i < node->n_inputs; i++)
    for (guint j = 0; j < N_NARROWS; j++)
      {
        Rounding rounding = { self->subgraph, (Narrow) j, WHERE_ONE, node->inputs[i] };
        guint index = 0;

        if (node->inputs[i] != ASSAY_NO_VALUE &&
            assay_trials_input (self, node->inputs[i], &index) != NULL &&
            assay_subgraph_source (self->subgraph, index) == ASSAY_SUBGRAPH_CONSTANT)
          assay_trials_judge (
              self, assay_trials_run (self, NULL, put_narrow, &rounding), id,
              j == NARROW_NORMAL ? "denormals" : "constants", "numbers of constant %s are %s",
              assay_graph_value (self->subgraph->graph, node->inputs[i])->name, narrows[j].verb);
      }
}

static void
round_everywhere (AssayTrials *self, AssayNodeId id)
{
  for (guint j = 0; j < N_NARROWS; j++)
    for (guint i = 0; i < N_WHERES; i++)
      {
        Rounding rounding = { self->subgraph, (Narrow) j, (Where) i, ASSAY_NO_VALUE };

        assay_trials_judge (self, assay_trials_run (self, NULL, put_narrow, &rounding), id,
                            j == NARROW_NORMAL ? "denormals" : wheres[i].kind, "%s %s",
                            wheres[i].subject, narrows[j].verb);
      }
  if (!assay_trials_can_go_on (self, 1))
    return;
  self->budget -= MAX (self->subgraph->work, 1);
  assay_trials_judge (
      self,
      assay_subgraph_run (self->subgraph, NULL, !self->subgraph->wide, NULL, NULL, self->progress),
      id, "accumulation", "sums and functions are in %s", self->subgraph->wide ? "fp32" : "fp64");
}

/**
 * assay_hypothesis_rounding:
 * @self: the trials
 * @node: a node of the subgraph
 *
 * Tries narrower numbers in all the places where there may be some, and wider ones everywhere.
 */
void
assay_hypothesis_rounding (AssayTrials *self, AssayNodeId id)
{
  if (assay_graph_node (self->subgraph->graph, id)->outputs[0] == self->subgraph->target)
    round_everywhere (self, id);
  round_constants (self, id);
}

/* The terms of the sums of a node: what its result is where all but one entry of an operand is
 * zero. */
typedef struct
{
  AssayValueId value;   /* the operand */
  AssayValueId bias;    /* is no term */
  const guint32 *entry; /* of each element of it */
  guint32 which;
} Term;

static void
put_term (AssayDatum **values, AssayValueId value, gpointer user_data)
{
  const Term *term = user_data;
  AssayDatum *from = values[value], *to;

  if (value != term->value && (value != term->bias || term->which == NO_TERM))
    return;
  to = assay_datum_new (from->dtype, from->storage, from->rank, from->dims, NULL);
  for (gsize i = 0; to != NULL && i < to->n; i++)
    assay_datum_set_number (to, i,
                            value == term->value && term->entry[i] == term->which
                                ? assay_datum_get_number (from, i)
                                : 0);
  if (to == NULL)
    return;
  assay_datum_unref (from);
  values[value] = to;
}

/* Where along its sum an element of the operand stands; axes that are not summed do not count. */
static guint32
number_entries (const AssayDatum *datum, guint32 summed, guint32 *entry)
{
  guint32 n = 1;

  for (guint axis = datum->rank; axis-- > 0;)
    {
      gsize inner = assay_dims_product (datum->dims, axis + 1, datum->rank);

      if ((summed >> axis & 1) == 0)
        continue;
      for (gsize i = 0; i < datum->n; i++)
        entry[i] += n * (guint32) (i / inner % (gsize) datum->dims[axis]);
      n *= (guint32) datum->dims[axis];
    }

  return n;
}

/* Which operand is split into terms, and along which of its axes. */
static gboolean
find_sum (const AssayNode *node, const AssayDatum *datum, const AssayDatum *result, guint operand,
          guint32 *summed)
{
  *summed = 0;
  if (datum == NULL || datum->kind != ASSAY_DATUM_TENSOR || datum->rank > 31)
    return FALSE;
  switch (node->op)
    {
    case ASSAY_OP_MatMul:
      *summed = operand == 1 && datum->rank > 1 ? (guint32) 1 << (datum->rank - 2) : 0;
      break;
    case ASSAY_OP_Gemm:
      *summed = operand == 1 ? (assay_node_get_int (node, "transB") != 0 ? 2 : 1) : 0;
      break;
    case ASSAY_OP_Linear:
      break;
    case ASSAY_OP_Conv:
      *summed = operand == 1 ? ((guint32) 1 << datum->rank) - 2 : 0;
      break;
    case ASSAY_OP_ConvTranspose:
      *summed = operand == 1 ? (((guint32) 1 << datum->rank) - 1) & ~(guint32) 2 : 0;
      break;
    case ASSAY_OP_ReduceSum:
    case ASSAY_OP_ReduceMean:
    case ASSAY_OP_GlobalAveragePool:
      for (guint axis = 0; operand == 0 && axis < datum->rank; axis++)
        if (result->rank != datum->rank ? result->n == 1 || axis + 1 == datum->rank
                                        : result->dims[axis] != datum->dims[axis])
          *summed |= (guint32) 1 << axis;
      break;
    default:
      break;
    }

  return *summed != 0;
}

/* In which order, and in which type, terms are added up. */
typedef enum
{
  SUM_FORWARD,
  SUM_BACKWARD,
  SUM_PAIRS,
  SUM_LANES_4,
  SUM_LANES_8,
  SUM_LANES_16,
  SUM_BF16,
  SUM_F16,
  SUM_WIDE,
  N_SUMS
} Sum;

static const char *const sum_sentences[N_SUMS] = {
  "sums run forward, one term after the other",
  "sums run backward",
  "sums are made of pairs, and pairs of pairs",
  "sums are made in 4 lanes, which are added up in the end",
  "sums are made in 8 lanes, which are added up in the end",
  "sums are made in 16 lanes, which are added up in the end",
  "sums are accumulated in bf16",
  "sums are accumulated in f16",
  "sums are accumulated in fp64",
};

static float
round_sum (Sum sum, float x)
{
  return sum == SUM_BF16  ? assay_bf16_to_f32 (assay_bf16_from_f32 (x))
         : sum == SUM_F16 ? assay_f16_to_f32 (assay_f16_from_f32 (x))
                          : x;
}

static float
add_pairs (const float *terms, gsize stride, guint32 n)
{
  guint32 half = n / 2;

  if (n == 1)
    return terms[0];

  return add_pairs (terms, stride, n - half) +
         add_pairs (terms + (n - half) * stride, stride, half);
}

/* Terms of one element lie @stride apart. */
static double
add_terms (Sum sum, const float *terms, gsize stride, guint32 n, double bias)
{
  float lanes[MOST_LANES] = { 0 };
  guint32 n_lanes = sum == SUM_LANES_4 ? 4 : sum == SUM_LANES_8 ? 8 : sum == SUM_LANES_16 ? 16 : 1;
  double wide = bias;

  if (sum == SUM_PAIRS)
    return (double) (add_pairs (terms, stride, n) + (float) bias);
  if (sum == SUM_WIDE)
    {
      for (guint32 i = 0; i < n; i++)
        wide += (double) terms[i * stride];
      return wide;
    }
  if (n_lanes == 1)
    lanes[0] = (float) bias;
  for (guint32 i = 0; i < n; i++)
    {
      float *lane = &lanes[i % n_lanes];

      *lane = round_sum (sum, *lane + terms[(sum == SUM_BACKWARD ? n - 1 - i : i) * stride]);
    }
  for (guint32 width = n_lanes / 2; width > 0; width /= 2)
    for (guint32 i = 0; i < width; i++)
      lanes[i] += lanes[i + width];

  return (double) lanes[0] + (n_lanes > 1 ? bias : 0);
}

static void
try_orders (AssayTrials *self, AssayNodeId id, const float *terms, guint32 n,
            const AssayDatum *bias)
{
  const AssayDatum *plain = self->plain;

  for (guint sum = 0; sum < N_SUMS; sum++)
    {
      AssayDatum *result = assay_datum_new (plain->dtype, plain->storage, plain->rank, plain->dims,
                                            NULL);

      for (gsize i = 0; result != NULL && i < plain->n; i++)
        assay_datum_set_number (result, i,
                                add_terms ((Sum) sum, terms + i, plain->n, n,
                                           bias != NULL ? assay_datum_get_number (bias, i) : 0));
      if (result != NULL)
        assay_datum_round (result);
      assay_trials_judge (self, result, id, sum < SUM_BF16 ? "order" : "accumulation", "%s",
                          sum_sentences[sum]);
    }
}

/**
 * assay_hypothesis_order:
 * @self: the trials
 * @node: a node
 *
 * Tries sums in other orders and in other types, if the node makes the result by itself.
 */
void
assay_hypothesis_order (AssayTrials *self, AssayNodeId id)
{
  const AssayNode *node = assay_graph_node (self->subgraph->graph, id);
  guint operand = node->op == ASSAY_OP_ReduceSum || node->op == ASSAY_OP_ReduceMean ||
                          node->op == ASSAY_OP_GlobalAveragePool
                      ? 0
                      : 1;
  const AssayDatum *datum = operand < node->n_inputs && node->inputs[operand] != ASSAY_NO_VALUE
                                ? assay_trials_input (self, node->inputs[operand], NULL)
                                : NULL;
  Term term = { .which = NO_TERM };
  g_autofree guint32 *entry = NULL;
  g_autofree float *terms = NULL;
  g_autoptr (AssayDatum) bias = NULL;
  guint32 summed, n;

  if (node->outputs[0] != self->subgraph->target ||
      !find_sum (node, datum, self->plain, operand, &summed))
    return;
  entry = g_new0 (guint32, datum->n + 1);
  n = number_entries (datum, summed, entry);
  if (n < 2 || n > MOST_TERMS || (guint64) n * self->plain->n > MOST_NUMBERS ||
      !assay_trials_can_go_on (self, n + 1))
    return;

  /* What is there without any term is the bias. */
  term.value = node->inputs[operand];
  term.entry = entry;
  if (node->n_inputs > 2)
    term.bias = node->inputs[2];
  terms = g_new (float, (gsize) n * self->plain->n + 1);
  bias = assay_trials_run (self, NULL, put_term, &term);
  for (term.which = 0; bias != NULL && term.which < n; term.which++)
    {
      g_autoptr (AssayDatum) part = assay_trials_run (self, NULL, put_term, &term);

      if (part == NULL || part->n != self->plain->n)
        return;
      for (gsize i = 0; i < part->n; i++)
        terms[(gsize) term.which * part->n + i] = (float) assay_datum_get_number (part, i);
    }
  if (bias != NULL)
    try_orders (self, id, terms, n, bias);
}
