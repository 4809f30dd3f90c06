/* assay-hypothesis-value.c
 * SPDX-License-Identifier: Apache-2.0
 *
 * Numbers that are others than in the model: one weight, a whole constant, the result by a factor.
 * Results are linear in most constants, so that one run more tells by how much.
 */
#include <math.h>

#include "cause/assay-trials.h"

/* Elements of a constant that are tried one by one. */
#define MOST_ELEMENTS 4096

/* Of fewer elements a factor and a sum fit anything. */
#define FEWEST_ELEMENTS 4

typedef struct
{
  AssayValueId value;
  gboolean all; /* elements, not one */
  gsize index;
  double factor; /* of all */
  double more;   /* to one, or to all */
} Other;

static void
put_other (AssayDatum **values, AssayValueId value, gpointer user_data)
{
  const Other *other = user_data;
  AssayDatum *from = values[value], *to;

  if (value != other->value)
    return;
  to = assay_datum_new (from->dtype, from->storage, from->rank, from->dims, NULL);
  for (gsize i = 0; to != NULL && i < to->n; i++)
    {
      double x = assay_datum_get_number (from, i);

      assay_datum_set_number (to, i,
                              other->all          ? x * other->factor + other->more
                              : i == other->index ? x + other->more
                                                  : x);
    }
  if (to == NULL)
    return;
  assay_datum_unref (from);
  values[value] = to;
}

/* By how much of a change the result becomes what is wanted: least squares over what is finite. */
static gboolean
fit (const AssayTrials *self, const AssayDatum *changed, double *amount)
{
  double dot = 0, energy = 0, wanted = 0;

  if (changed == NULL || changed->kind != ASSAY_DATUM_TENSOR || changed->n != self->plain->n ||
      self->wanted->n != self->plain->n)
    return FALSE;
  for (gsize i = 0; i < changed->n; i++)
    {
      double plain = assay_datum_get_number (self->plain, i);
      double way = assay_datum_get_number (changed, i) - plain;
      double gap = assay_datum_get_number (self->wanted, i) - plain;

      if (!isfinite (way) || !isfinite (gap))
        continue;
      dot += way * gap;
      energy += way * way;
      wanted += gap * gap;
    }
  *amount = energy > 0 ? dot / energy : 0;

  /* What is left over is what is at right angles to the change. */
  return energy > 0 && wanted > 0 && isfinite (*amount) && dot * dot >= 0.25 * energy * wanted;
}

static gboolean
is_number (const AssayDatum *datum)
{
  return datum != NULL && datum->kind == ASSAY_DATUM_TENSOR && datum->n > 0 &&
         assay_dtype_is_float (datum->dtype) && datum->storage != ASSAY_DTYPE_STRING;
}

static char *
place_text (const AssayDatum *datum, gsize index)
{
  GString *text = g_string_new ("]");

  for (guint i = datum->rank; i-- > 0;)
    {
      gsize extent = (gsize) MAX (datum->dims[i], 1);
      g_autofree char *part = g_strdup_printf ("%" G_GSIZE_FORMAT "%s", index % extent,
                                               i + 1 < datum->rank ? ", " : "");

      g_string_prepend (text, part);
      index /= extent;
    }
  g_string_prepend_c (text, '[');

  return g_string_free (text, FALSE);
}

static void
try_element (AssayTrials *self, AssayNodeId node, AssayValueId value, const AssayDatum *datum,
             gsize index)
{
  const char *name = assay_graph_value (self->subgraph->graph, value)->name;
  double now = assay_datum_get_number (datum, index), amount;
  Other other = { .value = value, .index = index, .more = MAX (fabs (now), 1) };
  g_autoptr (AssayDatum) changed = assay_trials_run (self, NULL, put_other, &other);
  g_autofree char *place = NULL, *is = NULL, *was = NULL;

  self->n++;
  if (!fit (self, changed, &amount))
    return;
  other.more *= amount;
  place = place_text (datum, index);
  is = assay_trials_dup_apart (now + other.more, now);
  was = assay_trials_dup_apart (now, now + other.more);
  assay_trials_judge (self, assay_trials_run (self, NULL, put_other, &other), node, "weight",
                      "constant %s has %s at %s where the model has %s", name, is, place, was);
}

static void
try_all (AssayTrials *self, AssayNodeId node, AssayValueId value, const char *what)
{
  const char *name = assay_graph_value (self->subgraph->graph, value)->name;
  Other other = { .value = value, .all = TRUE, .factor = 2 };
  g_autoptr (AssayDatum) doubled = NULL;
  g_autoptr (AssayDatum) moved = NULL;
  double amount;

  other.factor = 0;
  assay_trials_judge (self, assay_trials_run (self, NULL, put_other, &other), node, "weight",
                      "%s %s is zero", what, name);
  other.factor = -1;
  assay_trials_judge (self, assay_trials_run (self, NULL, put_other, &other), node, "weight",
                      "%s %s has the other sign", what, name);
  if (self->wanted->n < FEWEST_ELEMENTS)
    return;
  other.factor = 2;
  doubled = assay_trials_run (self, NULL, put_other, &other);
  if (fit (self, doubled, &amount))
    {
      other.factor = 1 + amount;
      assay_trials_judge (self, assay_trials_run (self, NULL, put_other, &other), node, "scale",
                          "%s %s is %.6g times as large", what, name, other.factor);
    }
  other.factor = 1;
  other.more = 1;
  moved = assay_trials_run (self, NULL, put_other, &other);
  if (fit (self, moved, &amount))
    {
      other.more = amount;
      assay_trials_judge (self, assay_trials_run (self, NULL, put_other, &other), node, "scale",
                          "%s %s is larger by %.6g", what, name, other.more);
    }
}

/* A bound is where results end. */
static void
try_bound (AssayTrials *self, AssayNodeId node, AssayValueId value, const AssayDatum *datum,
           gboolean is_low)
{
  double now = assay_datum_get_number (datum, 0), bound = is_low ? INFINITY : -INFINITY;
  Other other = { .value = value };
  g_autofree char *is = NULL, *was = NULL;

  for (gsize i = 0; i < self->wanted->n; i++)
    bound = is_low ? MIN (bound, assay_datum_get_number (self->wanted, i))
                   : MAX (bound, assay_datum_get_number (self->wanted, i));
  other.more = bound - now;
  is = assay_trials_dup_apart (bound, now);
  was = assay_trials_dup_apart (now, bound);
  if (isfinite (bound))
    assay_trials_judge (self, assay_trials_run (self, NULL, put_other, &other), node, "weight",
                        "its %s bound is %s where the model has %s", is_low ? "low" : "high", is,
                        was);
}

static void
try_operand (AssayTrials *self, AssayNodeId id, guint operand, const AssayDatum *datum,
             gboolean constant)
{
  const AssayNode *node = assay_graph_node (self->subgraph->graph, id);
  AssayValueId value = node->inputs[operand];

  if (node->op == ASSAY_OP_Clip && operand > 0 && datum->n == 1)
    try_bound (self, id, value, datum, operand == 1);
  try_all (self, id, value, constant ? "constant" : "operand");
  /* One element of two in a result of a few fits by chance. */
  if (constant && datum->n <= MOST_ELEMENTS && self->wanted->n >= FEWEST_ELEMENTS &&
      assay_trials_can_go_on (self, datum->n))
    for (gsize i = 0; i < datum->n; i++)
      try_element (self, id, value, datum, i);
}

/**
 * assay_hypothesis_weight:
 * @self: the trials
 * @node: a node
 *
 * Tries another number in one place of a constant, and whole constants and operands that are off.
 */
void
assay_hypothesis_weight (AssayTrials *self, AssayNodeId id)
{
  const AssayNode *node = assay_graph_node (self->subgraph->graph, id);

  /* A constant is more likely wrong than what comes in. */
  for (guint k = 0; k < 2 * node->n_inputs; k++)
    {
      guint i = k % node->n_inputs, index = 0;
      const AssayDatum *datum = node->inputs[i] != ASSAY_NO_VALUE
                                    ? assay_trials_input (self, node->inputs[i], &index)
                                    : NULL;

      if (is_number (datum) && (assay_subgraph_source (self->subgraph, index) ==
                                ASSAY_SUBGRAPH_CONSTANT) == (k < node->n_inputs))
        try_operand (self, id, i, datum, k < node->n_inputs);
    }
}

static AssayDatum *
scaled (const AssayTrials *self, double factor, double more)
{
  const AssayDatum *plain = self->plain;
  AssayDatum *other = assay_datum_new (plain->dtype, plain->storage, plain->rank, plain->dims,
                                       NULL);

  for (gsize i = 0; other != NULL && i < other->n; i++)
    assay_datum_set_number (other, i, assay_datum_get_number (plain, i) * factor + more);

  return other;
}

/**
 * assay_hypothesis_scale:
 * @self: the trials
 * @node: a node
 *
 * Tries the result larger by a factor or a sum, if the node makes it.
 */
void
assay_hypothesis_scale (AssayTrials *self, AssayNodeId id)
{
  const AssayNode *node = assay_graph_node (self->subgraph->graph, id);
  g_autoptr (AssayDatum) doubled = NULL;
  g_autoptr (AssayDatum) moved = NULL;
  double amount;

  if (node->outputs[0] != self->subgraph->target || !is_number (self->plain) ||
      self->plain->n < FEWEST_ELEMENTS)
    return;
  doubled = scaled (self, 2, 0);
  if (fit (self, doubled, &amount))
    assay_trials_judge (self, scaled (self, 1 + amount, 0), id, "scale",
                        "its result is %.6g times as large", 1 + amount);
  moved = scaled (self, 1, 1);
  if (fit (self, moved, &amount))
    assay_trials_judge (self, scaled (self, 1, amount), id, "scale", "its result is larger by %.6g",
                        amount);
}
