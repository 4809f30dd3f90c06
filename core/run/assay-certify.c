/* assay-certify.c
 * SPDX-License-Identifier: Apache-2.0
 *
 * How far rounding may have led the two runs of a comparison apart, per tensor: along the nodes
 * between values that both have shown, from the magnitudes that were there. Each side is reckoned
 * by itself; at worst one is off upward and the other downward.
 */
#include "run/assay-certify.h"

#include <math.h>
#include <string.h>

/* Regions in regions that are followed. */
#define MAX_DEPTH 16

typedef struct
{
  const AssayGraph *graph;
  const AssayMagnitude *magnitudes;
  const AssayCertifySide *side;
  AssayErrorRounding shader; /* of nodes that a shader runs */
  GHashTable *rows;          /* value -> row */
  AssayErrorSpan *spans;     /* per value: what the nodes behind it read */
  AssayErrorSpan *own;       /* per value: how far its node leads it */
  gsize n_steps;
} Certify;

/* A value as a node reads it: both runs work on that of the leader where own errors are known, and
 * are apart by what was measured where they are not. */
static AssayErrorSpan
span_of_row (const Certify *self, const AssayComparisonRow *row, const AssayErrorSpan *made)
{
  AssayErrorSpan span = *made;

  span.worst = span.likely = 0;
  if (row->has_own && !self->side->is_leader)
    assay_error_span_store (&span, self->side->rounding.store);
  else if (!row->has_own && !self->side->is_leader)
    {
      span.worst = row->total.n_wrong > 0 ? INFINITY : row->total.max_abs;
      span.likely = row->total.n_wrong > 0 ? INFINITY : row->total.rms_error;
    }

  return span;
}

/* Values that no node makes: inputs and constants. */
static void
begin (Certify *self, AssayValueId id)
{
  const AssayValue *value = assay_graph_value (self->graph, id);
  AssayErrorSpan *span = &self->spans[id];
  AssayMagnitude seen = self->magnitudes[id];

  if (seen.n == 0 && value->constant != NULL)
    assay_magnitude_add (&seen, value->constant, NULL);
  *span = assay_error_span_of_magnitude (&seen);
  if (value->type->kind == ASSAY_TYPE_KIND_TENSOR && !assay_dtype_is_float (value->type->dtype))
    return;
  if (value->constant != NULL)
    assay_error_span_keep_weight (span, &self->side->rounding);
  else
    assay_error_span_store (span, self->side->rounding.input);
}

static void certify_region (Certify *self, const AssayRegion *region, guint depth);

/* Of a branch whichever is farther off, or as far as the two are from each other. */
static void
join_branches (Certify *self, const AssayNode *node, guint depth)
{
  gboolean sure = !(self->spans[node->inputs[0]].worst > 0);

  for (guint i = 0; i < node->n_attrs; i++)
    {
      const AssayRegion *branch;

      if (node->attrs[i].kind != ASSAY_ATTR_GRAPH)
        continue;
      branch = assay_graph_region (self->graph, node->attrs[i].u.region);
      certify_region (self, branch, depth + 1);
      for (guint j = 0; j < MIN (node->n_outputs, branch->outputs->len); j++)
        {
          AssayErrorSpan *to = &self->own[node->outputs[j]];
          const AssayErrorSpan *from =
              &self->spans[g_array_index (branch->outputs, AssayValueId, j)];

          to->worst = MAX (to->worst, from->worst) + (sure ? 0 : 2 * from->peak);
          to->likely = MAX (to->likely, from->likely) + (sure ? 0 : from->rms);
          to->peak = MAX (to->peak, from->peak);
          to->rms = MAX (to->rms, from->rms);
        }
    }
}

static gboolean
is_shader (const AssayCertifySide *side, AssayNodeId node)
{
  return side->runner != NULL && assay_runner_runs_shader (side->runner, node);
}

static void
certify_node (Certify *self, const AssayNode *node, guint depth)
{
  g_autofree AssayErrorSpan *operands = g_new0 (AssayErrorSpan, node->n_inputs + 1);

  for (guint i = 0; i < node->n_inputs; i++)
    if (node->inputs[i] != ASSAY_NO_VALUE)
      {
        if (assay_graph_value (self->graph, node->inputs[i])->producer == ASSAY_NO_NODE &&
            self->spans[node->inputs[i]].peak == 0)
          begin (self, node->inputs[i]);
        operands[i] = self->spans[node->inputs[i]];
      }
  if (node->op == ASSAY_OP_If && depth < MAX_DEPTH)
    join_branches (self, node, depth);
  for (guint j = 0; j < node->n_outputs; j++)
    {
      AssayValueId id = node->outputs[j];
      const AssayComparisonRow *row;

      if (id == ASSAY_NO_VALUE)
        continue;
      row = g_hash_table_lookup (self->rows, GUINT_TO_POINTER (id));
      if (node->op != ASSAY_OP_If)
        self->own[id] = assay_error_span_of_node (
            self->graph, node, j, operands, &self->magnitudes[id],
            is_shader (self->side, assay_graph_value (self->graph, id)->producer)
                ? &self->shader
                : &self->side->rounding,
            self->n_steps);
      self->spans[id] = row != NULL ? span_of_row (self, row, &self->own[id]) : self->own[id];
    }
}

static void
certify_region (Certify *self, const AssayRegion *region, guint depth)
{
  for (guint i = 0; i < region->nodes->len; i++)
    certify_node (
        self, assay_graph_node (self->graph, g_array_index (region->nodes, AssayNodeId, i)), depth);
}

/* What a row is judged by is own errors where those are known, else how far the runs are apart. */
static void
set_row (AssayComparisonRow *row, const AssayErrorSpan *a, const AssayErrorSpan *b)
{
  const AssayCompareStats *stats = row->has_own ? &row->own : &row->total;
  const AssayErrorSpan both = { .worst = a->worst + b->worst,
                                .likely = hypot (a->likely, b->likely) };
  double unit = assay_compare_unit (stats);

  row->certified = both.worst / unit;
  row->expected = assay_error_span_expected (&both, stats->n) / unit;
}

/* Of what no node makes, such as an input that is an output too: it is rounded at most. */
static void
set_moved_row (AssayComparisonRow *row, const AssayCertifySide sides[2])
{
  AssayErrorSpan spans[2];

  for (guint i = 0; i < 2; i++)
    {
      spans[i] = (AssayErrorSpan){ .peak = row->total.peak, .rms = row->total.peak };
      assay_error_span_store (&spans[i], sides[i].rounding.input);
    }
  set_row (row, &spans[0], &spans[1]);
}

/* What a shader makes is judged by what the specification allows: its functions may be farther off
 * than the tolerance has it, and nothing may be farther off than is certified. */
static void
set_limit (AssayComparisonRow *row, double functions)
{
  const AssayCompareStats *stats = row->has_own ? &row->own : &row->total;
  double most = functions / assay_compare_unit (stats);
  double limit = isfinite (most) ? MAX (row->limit, most) : row->limit;

  limit = MIN (limit, row->certified);
  row->is_specified = limit < row->limit || limit > row->limit;
  row->limit = limit;
}

/* Of one side: how far every value may be off. */
static void
certify (Certify *self, guint n)
{
  self->spans = g_new0 (AssayErrorSpan, n);
  self->own = g_new0 (AssayErrorSpan, n);
  certify_region (self, assay_graph_region (self->graph, ASSAY_MAIN_REGION), 0);
}

/* What the functions of one side's shaders may be off, added to @most of each of their rows. */
static void
add_functions (AssayComparison *self, const Certify *both, const AssayCertifySide *side, guint n,
               double *most, gboolean *is_specified)
{
  const AssayCertifySide exact = { assay_error_rounding_of_functions (), TRUE, side->runner };
  Certify functions = *both;
  gboolean any = FALSE;

  for (AssayNodeId id = 1; id < assay_graph_n_nodes (both->graph) && !any; id++)
    any = is_shader (side, id);
  if (!any)
    return;

  functions.side = &exact;
  functions.shader = exact.rounding;
  certify (&functions, n);
  for (guint i = 0; i < self->rows->len; i++)
    {
      const AssayComparisonRow *row = g_ptr_array_index (self->rows, i);

      if (row->value == ASSAY_NO_VALUE || row->total.n == 0 || !is_shader (side, row->node))
        continue;
      most[i] += functions.own[row->value].worst;
      is_specified[i] = TRUE;
    }
  g_free (functions.spans);
  g_free (functions.own);
}

/**
 * assay_comparison_certify:
 * @self: a comparison whose numbers are known
 * @graph: the graph that was compared
 * @magnitudes: per value of it how large it was
 * @sides: (array fixed-size=2): how the two round
 *
 * Reckons for every row how far rounding may lead its tensor at worst, whatever order sums have,
 * and how far is to be expected. Limits of what shaders make follow from it.
 */
void
assay_comparison_certify (AssayComparison *self, const AssayGraph *graph,
                          const AssayMagnitude *magnitudes, const AssayCertifySide sides[2])
{
  guint n = assay_graph_n_values (graph);
  g_autoptr (GHashTable) rows = g_hash_table_new (NULL, NULL);
  g_autofree double *functions = g_new0 (double, self->rows->len + 1);
  g_autofree gboolean *is_specified = g_new0 (gboolean, self->rows->len + 1);
  AssayCertifySide first = sides[0];
  Certify both[2];

  first.rounding.shares_steps = TRUE;
  for (guint i = 0; i < self->rows->len; i++)
    {
      AssayComparisonRow *row = g_ptr_array_index (self->rows, i);

      row->certified = row->expected = INFINITY;
      if (row->value != ASSAY_NO_VALUE && row->total.n > 0)
        g_hash_table_insert (rows, GUINT_TO_POINTER (row->value), row);
    }
  for (guint i = 0; i < 2; i++)
    {
      both[i] = (Certify){ .graph = graph,
                           .magnitudes = magnitudes,
                           .side = i == 0 ? &first : &sides[1],
                           .shader = assay_error_rounding_of_shaders (
                               assay_runner_get_precision (sides[i].runner)),
                           .rows = rows,
                           .n_steps = (gsize) self->n_steps };
      both[i].shader.shares_steps = i == 0;
      certify (&both[i], n);
    }
  for (guint i = 0; i < self->rows->len; i++)
    {
      AssayComparisonRow *row = g_ptr_array_index (self->rows, i);

      if (row->value != ASSAY_NO_VALUE && row->total.n > 0)
        set_row (row, &both[0].own[row->value], &both[1].own[row->value]);
      else
        set_moved_row (row, sides);
    }
  for (guint i = 0; i < 2; i++)
    {
      add_functions (self, &both[i], &sides[i], n, functions, is_specified);
      g_free (both[i].spans);
      g_free (both[i].own);
    }
  for (guint i = 0; i < self->rows->len; i++)
    if (is_specified[i])
      set_limit (g_ptr_array_index (self->rows, i), functions[i]);
}
