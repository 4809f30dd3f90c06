/* assay-hypothesis-layout.c
 * SPDX-License-Identifier: Apache-2.0
 *
 * Elements in other places: a result or a constant read in another order.
 */
#include <math.h>
#include <string.h>

#include "cause/assay-trials.h"
#include "base/assay-sentence.h"
#include "nnir/assay-dims.h"

/* No element: zero stands there. */
#define NOWHERE G_MAXUINT32

/* Constants of more elements than this are not turned about. */
#define MOST_ELEMENTS (1 << 22)

/* Extent up to which every pair of entries of a constant is exchanged. */
#define MOST_PAIRED 16

/* Entries along an axis that are matched with one another. */
#define MOST_MATCHED 512

/* Where each element of a tensor comes from. */
typedef struct
{
  AssayValueId value;
  guint32 *from;
} Places;

static AssayDatum *
rearrange (const AssayDatum *datum, const guint32 *from)
{
  AssayDatum *copy = assay_datum_new (datum->dtype, datum->storage, datum->rank, datum->dims, NULL);

  for (gsize i = 0; copy != NULL && i < copy->n; i++)
    assay_datum_set_number (copy, i,
                            from[i] == NOWHERE ? 0 : assay_datum_get_number (datum, from[i]));

  return copy;
}

static void
put_places (AssayDatum **values, AssayValueId value, gpointer user_data)
{
  const Places *places = user_data;
  AssayDatum *other;

  if (value != places->value)
    return;
  other = rearrange (values[value], places->from);
  if (other == NULL)
    return;
  assay_datum_unref (values[value]);
  values[value] = other;
}

static gboolean
is_layout (const AssayDatum *datum)
{
  return datum != NULL && datum->kind == ASSAY_DATUM_TENSOR && datum->n > 1 &&
         datum->n <= MOST_ELEMENTS && datum->rank > 0 && datum->storage != ASSAY_DTYPE_STRING &&
         assay_dtype_kind (datum->storage) != 'C';
}

/* What is turned about: the result of the subgraph, or an input. */
typedef struct
{
  AssayTrials *trials;
  AssayNodeId node;
  const AssayDatum *datum;
  AssayValueId value; /* none: the result */
  const char *what;
  guint32 *from;
} Turn;

G_GNUC_PRINTF (2, 3)
static void
try_turn (Turn *self, const char *format, ...)
{
  AssayTrials *trials = self->trials;
  Places places = { self->value, self->from };
  g_autofree char *how = NULL;
  va_list arguments;
  gboolean same = TRUE;

  for (gsize i = 0; i < self->datum->n && same; i++)
    same = self->from[i] == (guint32) i;
  if (same)
    return;
  va_start (arguments, format);
  how = g_strdup_vprintf (format, arguments);
  va_end (arguments);
  assay_trials_judge (trials,
                      self->value == ASSAY_NO_VALUE
                          ? rearrange (self->datum, self->from)
                          : assay_trials_run (trials, NULL, put_places, &places),
                      self->node, "layout", "%s %s", self->what, how);
}

/* Where entry @index of an axis is taken from. */
typedef guint32 (*EntryFunc) (guint32 index, guint32 extent, const guint32 *data);

static void
along (Turn *self, guint axis, EntryFunc func, const guint32 *data)
{
  gsize inner = assay_dims_product (self->datum->dims, axis + 1, self->datum->rank);
  guint32 extent = (guint32) self->datum->dims[axis];

  for (gsize i = 0; i < self->datum->n; i++)
    {
      guint32 index = (guint32) (i / inner % extent), from = func (index, extent, data);

      self->from[i] = from == NOWHERE ? NOWHERE
                                      : (guint32) (i + ((gsize) from - (gsize) index) * inner);
    }
}

static guint32
entry_reversed (guint32 index, guint32 extent, const guint32 *data)
{
  return extent - 1 - index;
}

static guint32
entry_turned (guint32 index, guint32 extent, const guint32 *data)
{
  return (index + extent - data[0]) % extent;
}

static guint32
entry_late (guint32 index, guint32 extent, const guint32 *data)
{
  return index == 0 ? NOWHERE : index - 1;
}

static guint32
entry_held (guint32 index, guint32 extent, const guint32 *data)
{
  return index == 0 ? 0 : index - 1;
}

static guint32
entry_early (guint32 index, guint32 extent, const guint32 *data)
{
  return index + 1 == extent ? NOWHERE : index + 1;
}

static guint32
entry_exchanged (guint32 index, guint32 extent, const guint32 *data)
{
  return index == data[0] ? data[1] : index == data[1] ? data[0] : index;
}

static guint32
entry_listed (guint32 index, guint32 extent, const guint32 *data)
{
  return data[index];
}

static guint32
entry_joined (guint32 index, guint32 extent, const guint32 *data)
{
  return index % data[0] * (extent / data[0]) + index / data[0];
}

static guint32
entry_parted (guint32 index, guint32 extent, const guint32 *data)
{
  return index % (extent / data[0]) * data[0] + index / (extent / data[0]);
}

static void
turn_axis (Turn *self, guint axis)
{
  static const guint32 groups[] = { 2, 3, 4 };
  guint32 extent = (guint32) self->datum->dims[axis], one = 1, last = extent - 1;

  along (self, axis, entry_reversed, NULL);
  try_turn (self, "reversed along axis %u", axis);
  if (extent == 2)
    return;
  along (self, axis, entry_late, NULL);
  try_turn (self, "one place late along axis %u, a zero in front", axis);
  along (self, axis, entry_held, NULL);
  try_turn (self, "one place late along axis %u", axis);
  along (self, axis, entry_early, NULL);
  try_turn (self, "one place early along axis %u", axis);
  along (self, axis, entry_turned, &one);
  try_turn (self, "turned one place along axis %u", axis);
  along (self, axis, entry_turned, &last);
  try_turn (self, "turned back one place along axis %u", axis);
  for (guint i = 0; i < G_N_ELEMENTS (groups); i++)
    if (extent % groups[i] == 0 && extent > groups[i])
      {
        along (self, axis, entry_joined, &groups[i]);
        try_turn (self, "interleaved in %u along axis %u", groups[i], axis);
        along (self, axis, entry_parted, &groups[i]);
        try_turn (self, "no longer interleaved in %u along axis %u", groups[i], axis);
      }
  for (guint32 i = 0; self->value != ASSAY_NO_VALUE && extent <= MOST_PAIRED && i < extent; i++)
    for (guint32 j = i + 1; j < extent; j++)
      {
        const guint32 pair[] = { i, j };

        along (self, axis, entry_exchanged, pair);
        try_turn (self, "with entries %u and %u of axis %u exchanged", i, j, axis);
      }
}

/* The bytes of two axes in the other order. */
static void
turn_block (Turn *self, guint begin, guint middle, guint end)
{
  gsize inner = assay_dims_product (self->datum->dims, end, self->datum->rank);
  gsize rows = assay_dims_product (self->datum->dims, begin, middle);
  gsize columns = assay_dims_product (self->datum->dims, middle, end), block = rows * columns;

  if (rows <= 1 || columns <= 1)
    return;
  for (guint turn = 0; turn < (rows == columns ? 1 : 2); turn++)
    {
      gsize width = turn == 0 ? rows : columns;

      for (gsize i = 0; i < self->datum->n; i++)
        {
          gsize at = i / inner % block;

          self->from[i] =
              (guint32) ((i / inner / block * block + at % width * (block / width) + at / width) *
                             inner +
                         i % inner);
        }
      try_turn (self, "transposed: axes %u to %u and %u to %u in the other order", begin,
                middle - 1, middle, end - 1);
    }
}

static void
turn_all (Turn *self)
{
  guint rank = self->datum->rank;

  for (guint axis = 0; axis < rank; axis++)
    if (self->datum->dims[axis] > 1)
      turn_axis (self, axis);
  for (guint begin = 0; begin < rank; begin++)
    for (guint middle = begin + 1; middle < rank; middle++)
      for (guint end = middle + 1; end <= rank; end++)
        turn_block (self, begin, middle, end);
}

static double
distance (const AssayDatum *a, const AssayDatum *b, guint axis, guint32 i, guint32 j, double most)
{
  gsize inner = assay_dims_product (a->dims, axis + 1, a->rank);
  gsize outer = assay_dims_product (a->dims, 0, axis), extent = (gsize) a->dims[axis];
  double sum = 0;

  for (gsize o = 0; o < outer && sum < most; o++)
    for (gsize k = 0; k < inner; k++)
      {
        double d = assay_datum_get_number (a, (o * extent + i) * inner + k) -
                   assay_datum_get_number (b, (o * extent + j) * inner + k);

        sum += d * d;
      }

  return sum;
}

/* Entries that found their like elsewhere, each once. */
static void
match_axis (Turn *self, guint axis)
{
  const AssayDatum *wanted = self->trials->wanted;
  guint32 extent = (guint32) self->datum->dims[axis];
  g_autofree guint32 *list = g_new0 (guint32, extent);
  g_autofree gboolean *taken = g_new0 (gboolean, extent);
  guint32 moved = 0, pair[2] = { 0, 0 };

  for (guint32 i = 0; i < extent; i++)
    {
      double best = INFINITY;

      for (guint32 j = 0; j < extent; j++)
        {
          double d = taken[j] ? INFINITY : distance (wanted, self->datum, axis, i, j, best);

          if (d < best)
            {
              best = d;
              list[i] = j;
            }
        }
      if (isinf (best))
        return;
      taken[list[i]] = TRUE;
      if (list[i] != i && moved++ < 2)
        pair[moved - 1] = i;
    }
  along (self, axis, entry_listed, list);
  if (moved == 2)
    try_turn (self, "with channels %u and %u of axis %u exchanged", pair[0], pair[1], axis);
  else
    try_turn (self, "with %u channel%s of axis %u in another order", moved, assay_plural (moved),
              axis);
}

/**
 * assay_hypothesis_layout:
 * @self: the trials
 * @node: a node
 *
 * Tries what a node reads, and the result if it makes that, in other places.
 */
void
assay_hypothesis_layout (AssayTrials *self, AssayNodeId id)
{
  const AssayNode *node = assay_graph_node (self->subgraph->graph, id);
  Turn turn = { .trials = self, .node = id, .what = "its result is" };

  if (node->outputs[0] == self->subgraph->target && is_layout (self->plain) &&
      self->plain->n == self->wanted->n)
    {
      turn.datum = self->plain;
      turn.from = g_new0 (guint32, turn.datum->n);
      turn_all (&turn);
      for (guint axis = 0; axis < turn.datum->rank; axis++)
        if (turn.datum->dims[axis] > 1 && turn.datum->dims[axis] <= MOST_MATCHED &&
            turn.datum->n * (gsize) turn.datum->dims[axis] < MOST_ELEMENTS * 16)
          match_axis (&turn, axis);
      g_free (turn.from);
    }
  for (guint i = 0; i < node->n_inputs; i++)
    {
      g_autofree char *what = NULL;
      guint index;

      turn.value = node->inputs[i];
      turn.datum = turn.value != ASSAY_NO_VALUE ? assay_trials_input (self, turn.value, &index)
                                                : NULL;
      if (!is_layout (turn.datum))
        continue;
      what = g_strdup_printf (
          "%s %s is read",
          assay_subgraph_source (self->subgraph, index) == ASSAY_SUBGRAPH_CONSTANT ? "constant"
                                                                                   : "operand",
          assay_graph_value (self->subgraph->graph, turn.value)->name);
      turn.what = what;
      turn.from = g_new0 (guint32, turn.datum->n);
      turn_all (&turn);
      g_free (turn.from);
    }
}

/* All weights of a recurrent layer with its gates in another order. */
typedef struct
{
  AssayValueId values[3];
  guint n_gates;
  guint order[4];
} Gates;

static void
put_gates (AssayDatum **values, AssayValueId value, gpointer user_data)
{
  const Gates *gates = user_data;
  const AssayDatum *datum = values[value];
  g_autofree guint32 *from = NULL;
  AssayDatum *other;
  gsize inner, extent, hidden;

  if (value != gates->values[0] && value != gates->values[1] && value != gates->values[2])
    return;
  inner = assay_dims_product (datum->dims, 2, datum->rank);
  extent = (gsize) datum->dims[1];
  hidden = extent / (gates->n_gates * (datum->rank == 2 ? 2 : 1));
  from = g_new (guint32, datum->n + 1);
  for (gsize i = 0; i < datum->n; i++)
    {
      gsize at = i / inner % extent, half = at / (hidden * gates->n_gates);
      gsize gate = at / hidden % gates->n_gates;
      gsize place = (half * gates->n_gates + gates->order[gate]) * hidden + at % hidden;

      from[i] = (guint32) (i / (inner * extent) * inner * extent + place * inner + i % inner);
    }
  other = rearrange (datum, from);
  if (other == NULL)
    return;
  assay_datum_unref (values[value]);
  values[value] = other;
}

static void
try_gates (AssayTrials *self, AssayNodeId id, Gates *gates, guint n_set, const char *letters)
{
  if (n_set == gates->n_gates)
    {
      char text[5] = { 0 };

      for (guint i = 0; i < n_set; i++)
        text[i] = letters[gates->order[i]];
      if (memcmp (text, letters, n_set) != 0)
        assay_trials_judge (self, assay_trials_run (self, NULL, put_gates, gates), id, "layout",
                            "its gates are read in the order %s where the model has %s", text,
                            letters);
      return;
    }
  for (guint gate = 0; gate < gates->n_gates; gate++)
    {
      gboolean taken = FALSE;

      for (guint i = 0; i < n_set; i++)
        taken |= gates->order[i] == gate;
      if (taken)
        continue;
      gates->order[n_set] = gate;
      try_gates (self, id, gates, n_set + 1, letters);
    }
}

/**
 * assay_hypothesis_gates:
 * @self: the trials
 * @node: a node
 *
 * Tries the gates of a recurrent layer in other orders.
 */
void
assay_hypothesis_gates (AssayTrials *self, AssayNodeId id)
{
  const AssayNode *node = assay_graph_node (self->subgraph->graph, id);
  Gates gates = { .n_gates = node->op == ASSAY_OP_LSTM ? 4 : node->op == ASSAY_OP_GRU ? 3 : 0 };

  if (gates.n_gates == 0)
    return;
  for (guint i = 1; i < MIN (node->n_inputs, 4); i++)
    {
      const AssayDatum *datum = node->inputs[i] != ASSAY_NO_VALUE
                                    ? assay_trials_input (self, node->inputs[i], NULL)
                                    : NULL;

      if (is_layout (datum) && datum->rank >= 2 && datum->dims[1] % gates.n_gates == 0)
        gates.values[i - 1] = node->inputs[i];
    }
  try_gates (self, id, &gates, 0, node->op == ASSAY_OP_LSTM ? "iofc" : "zrh");
}
