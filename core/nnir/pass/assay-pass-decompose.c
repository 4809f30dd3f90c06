/* assay-pass-decompose.c
 * SPDX-License-Identifier: Apache-2.0
 *
 * Writes with other operations what a target does not list, if it lists all of those.
 */
#include "nnir/pass/assay-pass.h"

#include "nnir/function/assay-op-function.h"
#include "nnir/shape/assay-infer.h"

/* A body may have operations that have bodies themselves. */
#define MAX_ROUNDS 8

typedef enum
{
  REACH_UNKNOWN,
  REACH_ASKED, /* while it is found out: no body ends in itself */
  REACH_NO,
  REACH_YES,
} Reach;

typedef struct
{
  AssayGraph *graph;
  AssayBuilder builder;
  guint8 stays[ASSAY_N_OPS];
  guint8 reach[ASSAY_N_OPS]; /* Reach: whether the target lists it, or all that it can be made of */
  gboolean changed;
} Decomposer;

static gboolean reaches (Decomposer *self, AssayOp op);

/* Whether the target lists everything that a term is written with. */
static gboolean
term_reaches (Decomposer *self, const AssayTerm *term)
{
  if (term->kind == ASSAY_TERM_CHOICE)
    return term_reaches (self, g_ptr_array_index (term->terms, 0));
  if (term->kind == ASSAY_TERM_NAME && term->let != NULL)
    return term_reaches (self, term->let);
  if (term->kind != ASSAY_TERM_OP)
    return TRUE;
  if (!reaches (self, term->op))
    return FALSE;

  for (guint i = 0; i < term->terms->len; i++)
    if (!term_reaches (self, g_ptr_array_index (term->terms, i)))
      return FALSE;

  return TRUE;
}

static gboolean
is_usable (Decomposer *self, const AssayOpFunction *function)
{
  return function->writes && function->keeps != ASSAY_OP_FUNCTION_KEEPS_APPROXIMATION &&
         term_reaches (self, function->body->result);
}

static gboolean
reaches (Decomposer *self, AssayOp op)
{
  const AssayOpFunction *const *functions;
  guint n;

  if (self->reach[op] != REACH_UNKNOWN)
    return self->reach[op] == REACH_YES;

  self->reach[op] = REACH_ASKED;
  functions = assay_op_function_of_op (op, &n);
  for (guint i = 0; i < n && self->reach[op] != REACH_YES; i++)
    if (is_usable (self, functions[i]))
      self->reach[op] = REACH_YES;
  if (self->reach[op] != REACH_YES)
    self->reach[op] = REACH_NO;

  return self->reach[op] == REACH_YES;
}

static void
record (Decomposer *self, const AssayOpFunction *function, AssayNodeId first)
{
  AssayGraph *graph = self->graph;
  const AssayNode *node = assay_builder_anchor (&self->builder);
  const char *rule = assay_arena_intern (graph->arena, function->id);
  g_autoptr (GPtrArray) after = g_ptr_array_new ();
  const char *name = node->name;

  for (AssayNodeId id = first; id < assay_graph_n_nodes (graph); id++)
    g_ptr_array_add (after, (gpointer) assay_graph_node (graph, id)->name);
  g_ptr_array_add (after, (gpointer) name);
  for (guint i = 0; i < node->n_origins; i++)
    {
      AssayOrigin *origin = &g_array_index (graph->origins, AssayOrigin, node->origins[i]);

      if (origin->rule == NULL)
        origin->rule = rule;
    }
  assay_graph_add_rewrite (graph, rule, 1, &name, after->len, (const char *const *) after->pdata);
}

static void
decompose_node (Decomposer *self, AssayNodeId id)
{
  const AssayNode *node = assay_graph_node (self->graph, id);
  const AssayOpFunction *const *functions;
  guint n;

  if (self->stays[node->op] || node->violation != NULL || !reaches (self, node->op))
    return;

  self->builder.anchor = id;
  if (assay_builder_type (&self->builder, assay_node_input (node, 0))->dtype ==
      ASSAY_DTYPE_UNDEFINED)
    return;
  functions = assay_op_function_of_op (node->op, &n);
  for (guint i = 0; i < n; i++)
    {
      AssayNodeId first = assay_graph_n_nodes (self->graph);

      if (!is_usable (self, functions[i]) ||
          !assay_op_function_expand (functions[i], &self->builder, NULL))
        continue;
      record (self, functions[i], first);
      self->changed = TRUE;
      return;
    }
}

/* Nodes are taken out of their region and put back one by one, each behind what was written for
 * it. */
static void
decompose_region (Decomposer *self, AssayRegionId region)
{
  g_autoptr (GArray) nodes = assay_graph_region (self->graph, region)->nodes;

  assay_graph_edit_region (self->graph, region)->nodes = g_array_sized_new (
      FALSE, FALSE, sizeof (AssayNodeId), nodes->len);
  for (guint i = 0; i < nodes->len; i++)
    {
      AssayNodeId id = g_array_index (nodes, AssayNodeId, i);

      decompose_node (self, id);
      g_array_append_val (assay_graph_region (self->graph, region)->nodes, id);
    }
}

static gboolean
has_any (Decomposer *self)
{
  for (AssayNodeId id = 1; id < assay_graph_n_nodes (self->graph); id++)
    {
      AssayOp op = assay_graph_node (self->graph, id)->op;

      if (!self->stays[op] && reaches (self, op))
        return TRUE;
    }

  return FALSE;
}

static gboolean
decompose (Decomposer *self, const AssayProgress *progress, GError **error)
{
  for (guint round = 0; round < MAX_ROUNDS; round++)
    {
      guint32 n_regions = self->graph->regions->len;

      self->changed = FALSE;
      for (AssayRegionId region = 0; region < n_regions; region++)
        decompose_region (self, region);
      if (!self->changed)
        break;
      if (!assay_graph_infer (self->graph, NULL, progress, error))
        return FALSE;
    }

  return TRUE;
}

/**
 * assay_pass_decompose:
 * @rewriter: the graph and its state
 * @progress: (nullable): asked whether to go on
 * @error: return location for a #GError
 *
 * Writes operators that the target does not list with those that it lists, by the rows of
 * functions.nnir. An operator stays whole where that needs one that is not listed either.
 *
 * Returns: %FALSE if cancelled
 */
gboolean
assay_pass_decompose (AssayRewriter *rewriter, const AssayProgress *progress, GError **error)
{
  const AssayCanonicalOptions *options = rewriter->options;
  Decomposer self = { .graph = rewriter->graph };
  guint n_changes = rewriter->n_changes;
  gboolean done;

  if (options->listed == NULL)
    return TRUE;
  for (guint op = 0; op < ASSAY_N_OPS; op++)
    {
      const char *name = assay_op_name ((AssayOp) op);
      gboolean listed = g_strv_contains (options->listed, name);
      gboolean rejected = op == ASSAY_OP_OPAQUE ||
                          (options->rejected != NULL && g_strv_contains (options->rejected, name));

      self.stays[op] = listed || rejected;
      self.reach[op] = listed ? REACH_YES : rejected ? REACH_NO : REACH_UNKNOWN;
    }
  if (!has_any (&self))
    return TRUE;

  /* Types are inferred on a graph without pending replacements. */
  assay_rewriter_finish (rewriter);
  assay_builder_init (&self.builder, self.graph, TRUE);
  done = decompose (&self, progress, error);
  assay_builder_clear (&self.builder);
  assay_rewriter_init (rewriter, self.graph, options);
  rewriter->n_changes = n_changes + 1;

  return done;
}
