/* assay-hypothesis-integer.c
 * SPDX-License-Identifier: Apache-2.0
 *
 * Products that a runner computes with integers of 8 bits: it rounds an activation to them while it
 * runs, or adds up pairs of products in 16 bits, which saturate.
 */
#include <math.h>

#include "cause/assay-trials.h"
#include "nnir/assay-dims.h"

/* Sums of more terms, and of more numbers in all, are not made again pair by pair. */
#define MOST_TERMS 4096
#define MOST_NUMBERS (1 << 23)

/* The numbers that share a scale. */
typedef enum
{
  SPAN_TENSOR,
  SPAN_ROW,
  SPAN_BLOCK,
  N_SPANS
} Span;

/* Numbers of a row that share a scale: the smallest block of MatMulNBits, and what runtimes pack
 * weights of 8 bits into. */
#define BLOCK 32

static const char *const span_words[N_SPANS] = { "as a whole", "per row", "per block of 32" };

typedef struct
{
  AssayValueId value;
  Span span;
  gboolean is_signed;
} Dynamic;

/* Asymmetric as DynamicQuantizeLinear of ONNX does, into 0 to 255; symmetric into -127 to 127. */
static void
round_span (const AssayDatum *from, AssayDatum *to, gsize first, gsize n, gboolean is_signed)
{
  double low = 0, high = 0, scale, zero;

  for (gsize i = 0; i < n; i++)
    {
      double x = assay_datum_get_number (from, first + i);

      low = MIN (low, x);
      high = MAX (high, x);
    }
  scale = is_signed ? MAX (-low, high) / 127 : (high - low) / 255;
  zero = is_signed || !(scale > 0) ? 0 : rint (-low / scale);
  for (gsize i = 0; i < n; i++)
    {
      double x = assay_datum_get_number (from, first + i);
      double q = scale > 0 ? rint (x / scale) + zero : 0;

      q = is_signed ? CLAMP (q, -127, 127) : CLAMP (q, 0, 255);
      assay_datum_set_number (to, first + i, (q - zero) * scale);
    }
}

static void
put_dynamic (AssayDatum **values, AssayValueId value, gpointer user_data)
{
  const Dynamic *dynamic = user_data;
  AssayDatum *from = values[value], *to;
  gsize row, span;

  if (value != dynamic->value || from->kind != ASSAY_DATUM_TENSOR || from->n == 0)
    return;
  to = assay_datum_new (from->dtype, from->storage, from->rank, from->dims, NULL);
  if (to == NULL)
    return;
  row = dynamic->span == SPAN_TENSOR || from->rank == 0 ? from->n
                                                        : (gsize) from->dims[from->rank - 1];
  span = dynamic->span == SPAN_BLOCK ? MIN (row, BLOCK) : row;
  /* One row is the whole, and a short row one block: that was tried before. */
  if ((dynamic->span == SPAN_ROW && row == from->n) || (dynamic->span == SPAN_BLOCK && span == row))
    {
      assay_datum_unref (to);
      return;
    }
  for (gsize first = 0; first < from->n; first += row)
    for (gsize i = 0; i < row; i += span)
      round_span (from, to, first + i, MIN (span, row - i), dynamic->is_signed);
  assay_datum_unref (from);
  values[value] = to;
}

static gboolean
is_product (const AssayNode *node)
{
  return node->op == ASSAY_OP_MatMul || node->op == ASSAY_OP_Gemm || node->op == ASSAY_OP_Linear ||
         node->op == ASSAY_OP_Conv;
}

/**
 * assay_hypothesis_dynamic:
 * @self: the trials
 * @node: a node
 *
 * Tries an activation of a product that is rounded to 8 bits while the model runs, as runtimes do
 * in front of weights of 8 bits: into 0 to 255 or -127 to 127, with a scale of the tensor, of each
 * row, or of each block.
 */
void
assay_hypothesis_dynamic (AssayTrials *self, AssayNodeId id)
{
  const AssayNode *node = assay_graph_node (self->subgraph->graph, id);
  AssayValueId value = assay_node_input (node, 0);
  guint index = 0;

  if (!is_product (node) || value == ASSAY_NO_VALUE ||
      (assay_trials_input (self, value, &index) != NULL &&
       assay_subgraph_source (self->subgraph, index) == ASSAY_SUBGRAPH_CONSTANT))
    return;
  for (guint span = 0; span < N_SPANS; span++)
    for (guint is_signed = 0; is_signed < 2; is_signed++)
      {
        Dynamic dynamic = { value, (Span) span, is_signed != 0 };

        assay_trials_judge (self, assay_trials_run (self, NULL, put_dynamic, &dynamic), id,
                            "dynamic-quantisation", "its input is rounded to 8 bits %s, %s",
                            span_words[span], is_signed ? "symmetrically" : "with a zero point");
      }
}

/* The part of a step that a value may be away from the middle between two and still be rounded to
 * either: some roundings of fp32 in the product of scales before. */
#define TIE_WIDTH (1.0 / (1 << 20))

/* The operand that is the scale of the result. */
static const struct
{
  AssayOp op;
  guint scale;
} requantising[] = {
  { ASSAY_OP_QuantizeLinear, 1 },
  { ASSAY_OP_QLinearConv, 6 },
  { ASSAY_OP_QLinearMatMul, 6 },
};

typedef struct
{
  AssayValueId scale;
  double factor;
} Rescaling;

static void
put_rescaled (AssayDatum **values, AssayValueId value, gpointer user_data)
{
  const Rescaling *rescaling = user_data;
  AssayDatum *from = values[value], *to;

  if (value != rescaling->scale)
    return;
  to = assay_datum_new (from->dtype, ASSAY_DTYPE_F64, from->rank, from->dims, NULL);
  for (gsize i = 0; to != NULL && i < to->n; i++)
    assay_datum_set_number (to, i, assay_datum_get_number (from, i) * rescaling->factor);
  if (to == NULL)
    return;
  assay_datum_unref (from);
  values[value] = to;
}

/* With a scale that is a little smaller and a little larger a result differs where it is a tie. */
static void
try_ties (AssayTrials *self, AssayNodeId id, AssayValueId scale)
{
  Rescaling less = { scale, 1 - TIE_WIDTH }, more = { scale, 1 + TIE_WIDTH };
  const AssayDatum *plain = self->plain;
  g_autoptr (AssayDatum) low = NULL;
  g_autoptr (AssayDatum) high = NULL;
  AssayDatum *result;

  if (!assay_trials_can_go_on (self, 2))
    return;
  self->budget -= 2 * MAX (self->subgraph->work, 1);
  low = assay_subgraph_run (self->subgraph, NULL, TRUE, put_rescaled, &less, self->progress);
  high = assay_subgraph_run (self->subgraph, NULL, TRUE, put_rescaled, &more, self->progress);
  if (low == NULL || high == NULL || low->n != plain->n || high->n != plain->n ||
      self->wanted->n != plain->n)
    return;
  result = assay_datum_new (plain->dtype, plain->storage, plain->rank, plain->dims, NULL);
  for (gsize i = 0; result != NULL && i < result->n; i++)
    {
      double a = assay_datum_get_number (low, i), b = assay_datum_get_number (high, i);
      double wanted = assay_datum_get_number (self->wanted, i);
      gboolean is_tie = wanted >= MIN (a, b) && wanted <= MAX (a, b);

      assay_datum_set_number (result, i, is_tie ? wanted : assay_datum_get_number (plain, i));
    }
  assay_trials_judge (self, result, id, "ties",
                      "results half way between two steps are rounded to the other one");
}

/**
 * assay_hypothesis_ties:
 * @self: the trials
 * @node: a node
 *
 * Tries a result in 8 bits that is rounded to the other of two steps where it lies in the middle
 * between them, as far as roundings of fp32 before can tell.
 */
void
assay_hypothesis_ties (AssayTrials *self, AssayNodeId id)
{
  const AssayNode *node = assay_graph_node (self->subgraph->graph, id);

  for (guint i = 0; i < G_N_ELEMENTS (requantising); i++)
    if (node->op == requantising[i].op && node->outputs[0] == self->subgraph->target)
      try_ties (self, id, assay_node_input (node, requantising[i].scale));
}

/* An operand that comes out of DequantizeLinear. */
typedef struct
{
  AssayDType dtype;
  AssayTensor *scale;
  double zero;
  gint64 axis; /* of its scales, -1 for one */
} Operand;

static gboolean
find_operand (const AssaySubgraph *subgraph, AssayValueId value, Operand *operand)
{
  const AssayGraph *graph = subgraph->source;
  AssayNodeId id = value != ASSAY_NO_VALUE
                       ? assay_graph_value (graph, subgraph->origins[value])->producer
                       : ASSAY_NO_NODE;
  const AssayNode *node = id != ASSAY_NO_NODE ? assay_graph_node (graph, id) : NULL;
  AssayTensor *zero;
  gsize n;

  if (node == NULL || node->op != ASSAY_OP_DequantizeLinear)
    return FALSE;
  operand->dtype = assay_graph_value (graph, node->inputs[0])->type->dtype;
  operand->scale = assay_graph_constant (graph, assay_node_input (node, 1));
  zero = assay_graph_constant (graph, assay_node_input (node, 2));
  operand->zero = 0;
  operand->axis = operand->scale != NULL && assay_tensor_get_n_elements (operand->scale) > 1
                      ? assay_node_get_int (node, "axis")
                      : -1;

  if (operand->scale == NULL || assay_tensor_get_rank (operand->scale) > 1)
    return FALSE;
  if (assay_node_input (node, 2) == ASSAY_NO_VALUE)
    return TRUE;

  /* Zero points that differ have no single sum to be subtracted. */
  n = zero != NULL ? assay_tensor_get_n_elements (zero) : 0;
  for (gsize i = 0; i < n; i++)
    {
      double point = 0;

      if (!assay_tensor_get_element (zero, i, &point, NULL) ||
          (i > 0 && fabs (point - operand->zero) > 0))
        return FALSE;
      operand->zero = point;
    }

  return n > 0;
}

/* The scale of an element. */
static double
scale_at (const Operand *operand, const AssayDatum *datum, gsize index)
{
  gint64 axis = operand->axis < 0 ? operand->axis + datum->rank : operand->axis;
  double scale = 1;
  gsize which = 0;

  if (assay_tensor_get_n_elements (operand->scale) > 1)
    which = index / assay_dims_product (datum->dims, (guint) axis + 1, datum->rank) %
            (gsize) datum->dims[axis];
  assay_tensor_get_element (operand->scale, which, &scale, NULL);

  return scale;
}

/* A product whose pairs are made one after the other, as integers. */
typedef struct
{
  AssayValueId operands[3];
  AssayValueId result;
  Operand activation;
  Operand weight;
  const guint32 *pair; /* of each weight */
  const double *terms; /* of each weight: its integer */
  guint32 which;
  AssayDatum *captured;
  const double
      *change; /* of each element of the result: by what saturation moves it; NULL before */
} Pairs;

static AssayDatum *
to_integers (const Pairs *self, AssayValueId value, const AssayDatum *from)
{
  AssayDatum *to = assay_datum_new (from->dtype, from->storage, from->rank, from->dims, NULL);

  for (gsize i = 0; to != NULL && i < from->n; i++)
    assay_datum_set_number (
        to, i,
        value == self->operands[0]
            ? rint (assay_datum_get_number (from, i) / scale_at (&self->activation, from, i))
        : value == self->operands[1] && self->pair[i] == self->which ? self->terms[i]
                                                                     : 0);

  return to;
}

static void
put_pair (AssayDatum **values, AssayValueId value, gpointer user_data)
{
  Pairs *self = user_data;
  AssayDatum *from = values[value], *to = NULL;

  if (value == self->result && self->change == NULL)
    {
      g_clear_pointer (&self->captured, assay_datum_unref);
      self->captured = assay_datum_ref (from);
    }
  else if (value == self->result)
    {
      to = assay_datum_new (from->dtype, from->storage, from->rank, from->dims, NULL);
      for (gsize i = 0; to != NULL && i < to->n; i++)
        assay_datum_set_number (to, i, assay_datum_get_number (from, i) + self->change[i]);
    }
  else if (self->change == NULL && (value == self->operands[0] || value == self->operands[1] ||
                                    (value == self->operands[2] && value != ASSAY_NO_VALUE)))
    to = to_integers (self, value, from);
  if (to == NULL)
    return;
  assay_datum_unref (from);
  values[value] = to;
}

/* Finds the place of each weight along its sum, in the order in which a runtime adds it up:
 * channels of a convolution last. And the output channel that it is for. Returns the length of the
 * sum. */
static guint32
place_weights (const AssayNode *node, const AssayDatum *weight, guint32 *place, guint32 *channel)
{
  const gint64 *dims = weight->dims;
  gboolean rows = node->op == ASSAY_OP_Linear ||
                  (node->op == ASSAY_OP_Gemm && assay_node_get_int (node, "transB") != 0);
  gsize inner, n;

  if (node->op == ASSAY_OP_Conv)
    {
      inner = assay_dims_product (dims, 2, weight->rank);
      n = (gsize) dims[1] * inner;
      for (gsize i = 0; i < weight->n; i++)
        {
          place[i] = (guint32) (i % inner * (gsize) dims[1] + i / inner % (gsize) dims[1]);
          channel[i] = (guint32) (i / n);
        }
      return (guint32) n;
    }
  inner = (gsize) dims[1];
  for (gsize i = 0; i < weight->n; i++)
    {
      place[i] = (guint32) (rows ? i % inner : i / inner);
      channel[i] = (guint32) (rows ? i / inner : i % inner);
    }

  return (guint32) (rows ? inner : (gsize) dims[0]);
}

static gsize
channel_of (const AssayNode *node, const AssayDatum *result, gsize index)
{
  guint axis = node->op == ASSAY_OP_Conv ? 1 : result->rank - 1;

  return index / assay_dims_product (result->dims, axis + 1, result->rank) %
         (gsize) result->dims[axis];
}

/* Adds up by how much the saturation of a pair changes each result, as integers. */
static void
add_pair (Pairs *self, const AssayNode *node, double zero, const double *sums, double *change)
{
  const AssayDatum *captured = self->captured;

  for (gsize i = 0; i < captured->n; i++)
    {
      double sum = assay_datum_get_number (captured, i) +
                   zero * sums[channel_of (node, captured, i)];

      change[i] += CLAMP (sum, G_MININT16, G_MAXINT16) - sum;
    }
}

static void
try_pairs (AssayTrials *self, AssayNodeId id, Pairs *pairs, const AssayDatum *weight,
           guint32 *place, const guint32 *channel, guint32 n)
{
  const AssayNode *node = assay_graph_node (self->subgraph->graph, id);
  /* A signed activation gets 128 more, and its zero point too. */
  double zero = pairs->activation.zero + (pairs->activation.dtype == ASSAY_DTYPE_I8 ? 128 : 0);
  g_autofree double *terms = g_new0 (double, weight->n + 1);
  g_autofree double *sums = NULL;
  g_autofree double *scales = g_new0 (double, weight->n + 1);
  g_autofree double *change = NULL;
  double scale = 1;
  gsize count = 0;
  gsize n_channels = weight->n / n;

  sums = g_new0 (double, (n + 1) / 2 * n_channels + 1);
  for (gsize i = 0; i < weight->n; i++)
    {
      scales[channel[i]] = scale_at (&pairs->weight, weight, i);
      terms[i] = rint (assay_datum_get_number (weight, i) / scales[channel[i]]);
      place[i] /= 2;
      sums[place[i] * n_channels + channel[i]] += terms[i];
    }
  pairs->pair = place;
  pairs->terms = terms;
  for (pairs->which = 0; pairs->which < (n + 1) / 2; pairs->which++)
    {
      g_autoptr (AssayDatum) done = assay_trials_run (self, NULL, put_pair, pairs);

      if (done == NULL || pairs->captured == NULL || pairs->captured->n > MOST_NUMBERS / n)
        return;
      if (change == NULL)
        {
          count = pairs->captured->n;
          change = g_new0 (double, count + 1);
        }
      if (pairs->captured->n != count)
        return;
      add_pair (pairs, node, zero, sums + pairs->which * n_channels, change);
    }
  assay_tensor_get_element (pairs->activation.scale, 0, &scale, NULL);
  for (gsize i = 0; i < count; i++)
    change[i] *= scale * scales[channel_of (node, pairs->captured, i)];
  pairs->change = change;
  assay_trials_judge (self, assay_trials_run (self, NULL, put_pair, pairs), id, "saturation",
                      "pairs of its 8-bit products saturate at 16 bits");
}

/**
 * assay_hypothesis_saturation:
 * @self: the trials
 * @node: a node
 *
 * Tries a product of u8 by s8 that adds up pairs in 16 bits, as the instruction vpmaddubsw of x86
 * does where a processor has no VNNI. An activation with a sign gets 128 more first.
 */
void
assay_hypothesis_saturation (AssayTrials *self, AssayNodeId id)
{
  const AssaySubgraph *subgraph = self->subgraph;
  const AssayNode *node = assay_graph_node (subgraph->graph, id);
  const AssayDatum *weight;
  Pairs pairs = { .result = node->outputs[0] };
  g_autofree guint32 *place = NULL;
  g_autofree guint32 *channel = NULL;
  guint32 n;

  if (!is_product (node))
    return;
  for (guint i = 0; i < G_N_ELEMENTS (pairs.operands); i++)
    pairs.operands[i] = assay_node_input (node, i);
  if (!find_operand (subgraph, pairs.operands[0], &pairs.activation) ||
      !find_operand (subgraph, pairs.operands[1], &pairs.weight) ||
      assay_tensor_get_n_elements (pairs.activation.scale) != 1 ||
      (pairs.activation.dtype != ASSAY_DTYPE_U8 && pairs.activation.dtype != ASSAY_DTYPE_I8) ||
      pairs.weight.dtype != ASSAY_DTYPE_I8 || !(fabs (pairs.weight.zero) <= 0))
    return;
  weight = assay_trials_input (self, pairs.operands[1], NULL);
  if (weight == NULL || weight->kind != ASSAY_DATUM_TENSOR || weight->n == 0 ||
      (node->op == ASSAY_OP_Conv ? weight->rank < 3 : weight->rank != 2))
    return;
  place = g_new0 (guint32, weight->n);
  channel = g_new0 (guint32, weight->n);
  n = place_weights (node, weight, place, channel);
  if (n >= 2 && n <= MOST_TERMS && assay_trials_can_go_on (self, n / 2 + 1))
    try_pairs (self, id, &pairs, weight, place, channel, n);
  g_clear_pointer (&pairs.captured, assay_datum_unref);
}
