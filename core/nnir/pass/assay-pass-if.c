/* assay-pass-if.c
 * SPDX-License-Identifier: Apache-2.0
 */
#include <string.h>

#include "nnir/assay-constraint.h"
#include "nnir/assay-graph-builder.h"
#include "nnir/pass/assay-pass.h"

typedef struct
{
  AssayRewriter *rewriter;
  const AssayProgress *progress;
  AssayRegionId *moved; /* per region: where its nodes went, itself if nowhere */
  guint n_moved;
} Inliner;

static gboolean inline_in (Inliner *self, AssayRegionId id, GError **error);

/* The branch that an If always takes, or 0. */
static AssayRegionId
taken_branch (Inliner *self, AssayNodeId id)
{
  AssayGraph *graph = self->rewriter->graph;
  const AssayNode *node = assay_graph_node (graph, id);
  AssayTensor *condition = assay_graph_constant (graph,
                                                 assay_rewriter_input (self->rewriter, id, 0));
  const AssayAttr *attr;
  gint64 truth;

  if (node->op != ASSAY_OP_If || condition == NULL ||
      assay_tensor_get_n_elements (condition) != 1 ||
      !assay_tensor_get_integer (condition, 0, &truth, NULL))
    return ASSAY_MAIN_REGION;

  attr = assay_node_find_attr (node, truth != 0 ? "then_branch" : "else_branch");

  return attr != NULL && attr->kind == ASSAY_ATTR_GRAPH ? attr->u.region : ASSAY_MAIN_REGION;
}

/* Outputs of the main graph keep their names, so each needs a result of the branch of its own. */
static gboolean
can_inline (Inliner *self, AssayNodeId id, AssayRegionId branch)
{
  AssayGraph *graph = self->rewriter->graph;
  const AssayNode *node = assay_graph_node (graph, id);
  const GArray *outputs = assay_graph_region (graph, branch)->outputs;

  if (outputs->len < node->n_outputs || assay_graph_region (graph, branch)->inputs->len > 0)
    return FALSE;

  for (guint i = 0; i < node->n_outputs; i++)
    {
      AssayValueId inner = g_array_index (outputs, AssayValueId, i);

      if (node->outputs[i] == ASSAY_NO_VALUE)
        continue;
      if (inner == ASSAY_NO_VALUE)
        return FALSE;
      /* An If within may have been replaced by something else than a result. */
      inner = assay_rewriter_resolve (self->rewriter, inner);
      if (node->region != ASSAY_MAIN_REGION)
        continue;
      if (assay_graph_value (graph, inner)->kind != ASSAY_VALUE_RESULT ||
          assay_graph_value (graph, inner)->region != branch)
        return FALSE;
      for (guint j = 0; j < i; j++)
        {
          if (assay_rewriter_resolve (self->rewriter, g_array_index (outputs, AssayValueId, j)) ==
              inner)
            return FALSE;
        }
    }

  return TRUE;
}

static void
move_values (Inliner *self, AssayNodeId id, AssayRegionId to)
{
  AssayNode *node = assay_graph_edit_node (self->rewriter->graph, id);

  node->region = to;
  for (guint i = 0; i < node->n_outputs; i++)
    {
      if (node->outputs[i] != ASSAY_NO_VALUE)
        assay_graph_edit_value (self->rewriter->graph, node->outputs[i])->region = to;
    }
}

/* Shapes of a branch count once it is the one that is taken. */
static void
check_shapes (AssayGraph *graph, AssayNodeId id)
{
  AssayViolation violation;

  if (assay_graph_node (graph, id)->region == ASSAY_MAIN_REGION &&
      !assay_graph_check_operands (graph, id, &violation))
    assay_graph_set_violation (graph, id, assay_arena_intern (graph->arena, violation.text));
}

static void
take_branch (Inliner *self, AssayNodeId id, AssayRegionId branch, GArray *kept)
{
  AssayGraph *graph = self->rewriter->graph;
  const AssayRegion *region = assay_graph_region (graph, branch);
  const AssayNode *node = assay_graph_node (graph, id);

  for (guint i = 0; i < region->nodes->len; i++)
    {
      AssayNodeId inner = g_array_index (region->nodes, AssayNodeId, i);

      move_values (self, inner, node->region);
      check_shapes (graph, inner);
      g_array_append_val (kept, inner);
    }

  for (guint i = 0; i < node->n_outputs; i++)
    {
      if (node->outputs[i] != ASSAY_NO_VALUE)
        assay_rewriter_replace (self->rewriter, node->outputs[i],
                                g_array_index (region->outputs, AssayValueId, i));
    }
  for (guint i = 0; i < region->outputs->len; i++)
    assay_rewriter_release (self->rewriter, g_array_index (region->outputs, AssayValueId, i));

  self->moved[branch] = node->region;
  self->n_moved++;
  g_array_set_size (region->nodes, 0);
  g_array_set_size (region->outputs, 0);
  assay_rewriter_drop (self->rewriter, id, "fold-if");
}

static gboolean
inline_nested (Inliner *self, AssayNodeId id, GError **error)
{
  for (guint i = 0; i < assay_graph_node (self->rewriter->graph, id)->n_attrs; i++)
    {
      AssayAttr attr = assay_graph_node (self->rewriter->graph, id)->attrs[i];

      if (attr.kind == ASSAY_ATTR_GRAPH && !inline_in (self, attr.u.region, error))
        return FALSE;
      for (guint j = 0; attr.kind == ASSAY_ATTR_GRAPHS && j < attr.n; j++)
        {
          if (!inline_in (self, attr.u.regions[j], error))
            return FALSE;
        }
    }

  return TRUE;
}

static gboolean
inline_in (Inliner *self, AssayRegionId id, GError **error)
{
  AssayGraph *graph = self->rewriter->graph;
  GArray *nodes = assay_graph_region (graph, id)->nodes;
  g_autoptr (GArray) kept = g_array_sized_new (FALSE, FALSE, sizeof (AssayNodeId), nodes->len);

  if (!assay_progress_check (self->progress, error))
    return FALSE;

  for (guint i = 0; i < nodes->len; i++)
    {
      AssayNodeId node = g_array_index (nodes, AssayNodeId, i);
      AssayRegionId branch;

      /* Branches first: what they hold is moved as it is then. */
      if (!inline_nested (self, node, error))
        return FALSE;

      branch = taken_branch (self, node);
      if (branch != ASSAY_MAIN_REGION && can_inline (self, node, branch))
        take_branch (self, node, branch, kept);
      else
        g_array_append_val (kept, node);
    }

  g_array_set_size (nodes, 0);
  g_array_append_vals (nodes, kept->data, kept->len);

  return TRUE;
}

/**
 * assay_pass_fold_if:
 * @rewriter: the graph and its state
 * @progress: (nullable): asked whether to go on
 * @error: return location for a #GError
 *
 * Replaces If by the branch that it always takes, where its condition is a constant.
 *
 * Returns: %FALSE if cancelled
 */
gboolean
assay_pass_fold_if (AssayRewriter *rewriter, const AssayProgress *progress, GError **error)
{
  AssayGraph *graph = rewriter->graph;
  g_autofree AssayRegionId *moved = g_new0 (AssayRegionId, graph->regions->len);
  Inliner self = { rewriter, progress, moved, 0 };

  if (!rewriter->options->fold_constants)
    return TRUE;

  for (guint32 i = 0; i < graph->regions->len; i++)
    moved[i] = i;
  if (!inline_in (&self, ASSAY_MAIN_REGION, error))
    return FALSE;

  /* Constants go where the nodes that read them went. */
  for (AssayValueId i = 1; self.n_moved > 0 && i < graph->values->len; i++)
    {
      AssayValue *value = assay_graph_edit_value (graph, i);

      while (moved[value->region] != value->region)
        value->region = moved[value->region];
    }

  return TRUE;
}
