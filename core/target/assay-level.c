/* assay-level.c
 * SPDX-License-Identifier: Apache-2.0
 */
#include "target/assay-level.h"

#include <string.h>

#include "nnir/analysis/assay-streamed.h"
#include "nnir/assay-graph-builder.h"
#include "source/torch/assay-torch-op.h"
#include "target/assay-check-private.h"
#include "target/assay-verdict-private.h"

/* Of the nodes that come from the same ONNX nodes the one with the same operation stands for it,
 * else that of the same name, else the first. */
static void
link_nodes (AssayLevel *self, const AssayVerdicts *checked)
{
  const AssayGraph *level = self->verdicts->graph;
  guint n_origins = checked->graph->origins->len;
  g_autofree AssayNodeId *of_origin = g_new0 (AssayNodeId, n_origins + 1);
  g_autofree AssayNodeId *checked_of = g_new0 (AssayNodeId, n_origins + 1);
  g_autoptr (GHashTable) by_name = g_hash_table_new (g_str_hash, g_str_equal);

  for (AssayNodeId i = assay_graph_n_nodes (level); i-- > 1;)
    {
      const AssayNode *node = assay_graph_node (level, i);

      g_hash_table_insert (by_name, (gpointer) node->name, GUINT_TO_POINTER (i));
      for (guint k = 0; k < node->n_origins; k++)
        if (node->origins[k] < n_origins)
          of_origin[node->origins[k]] = i;
    }

  for (AssayNodeId i = 1; i < self->n_checked; i++)
    {
      const AssayNode *node = assay_graph_node (checked->graph, i);
      AssayNodeId same = ASSAY_NO_NODE;

      for (guint k = 0; k < node->n_origins; k++)
        {
          AssayNodeId other = of_origin[node->origins[k]];

          if (checked_of[node->origins[k]] == ASSAY_NO_NODE)
            checked_of[node->origins[k]] = i;
          if (other != ASSAY_NO_NODE && self->to_checked[other] == ASSAY_NO_NODE)
            self->to_checked[other] = i;
          if (same == ASSAY_NO_NODE && other != ASSAY_NO_NODE &&
              assay_graph_node (level, other)->op == node->op)
            same = other;
        }
      if (same == ASSAY_NO_NODE)
        same = GPOINTER_TO_UINT (g_hash_table_lookup (by_name, node->name));
      if (same == ASSAY_NO_NODE && node->n_origins > 0)
        same = of_origin[node->origins[0]];
      self->to_level[i] = same;
    }
  /* Several nodes may have become of one here. */
  for (AssayNodeId i = 1; i < assay_graph_n_nodes (level); i++)
    if (self->to_checked[i] == ASSAY_NO_NODE && assay_graph_node (level, i)->n_origins > 0 &&
        assay_graph_node (level, i)->origins[0] < n_origins)
      self->to_checked[i] = checked_of[assay_graph_node (level, i)->origins[0]];
  /* Names come last and win. */
  for (AssayNodeId i = 1; i < self->n_checked; i++)
    {
      AssayNodeId same = GPOINTER_TO_UINT (
          g_hash_table_lookup (by_name, assay_graph_node (checked->graph, i)->name));

      if (same != ASSAY_NO_NODE)
        self->to_checked[same] = i;
    }
}

/* A node that stands for itself has its verdict; one that went into another one, or was removed,
 * has that. */
static void
take_verdicts (AssayLevel *self, AssayVerdicts *checked)
{
  const AssayGraph *level = self->verdicts->graph;
  g_autofree const AssayAbsorbed **absorbed = g_new0 (const AssayAbsorbed *,
                                                      checked->graph->origins->len + 1);

  for (guint i = 0; i < checked->absorbed->len; i++)
    {
      const AssayAbsorbed *entry = &g_array_index (checked->absorbed, AssayAbsorbed, i);
      absorbed[entry->origin] = entry;
    }

  for (AssayNodeId i = 1; i < assay_graph_n_nodes (level); i++)
    {
      const AssayNode *node = assay_graph_node (level, i);
      AssayVerdict *verdict = &g_array_index (self->verdicts->verdicts, AssayVerdict, i);
      AssayNodeId from = self->to_checked[i];
      gboolean named = from != ASSAY_NO_NODE &&
                       g_str_equal (assay_graph_node (checked->graph, from)->name, node->name);
      const AssayAbsorbed *entry = !named && node->n_origins > 0 ? absorbed[node->origins[0]]
                                                                 : NULL;

      if (entry != NULL)
        {
          verdict->kind = entry->kind;
          verdict->rule = entry->rule;
          verdict->into = entry->into != ASSAY_NO_NODE ? self->to_level[entry->into]
                                                       : ASSAY_NO_NODE;
          verdict->stage = ASSAY_STAGE_PARTITIONER;
          verdict->partition = verdict->cause = -1;
          if (from == ASSAY_NO_NODE)
            self->to_checked[i] = entry->into;
        }
      else if (from != ASSAY_NO_NODE)
        {
          *verdict = *assay_verdicts_get (checked, from);
          verdict->into = verdict->into != ASSAY_NO_NODE ? self->to_level[verdict->into]
                                                         : ASSAY_NO_NODE;
        }
      else
        {
          verdict->kind = ASSAY_VERDICT_REMOVED;
          verdict->partition = verdict->cause = -1;
        }
      verdict->node = i;
      self->verdicts->counts[verdict->kind]++;
    }
}

/* The worst verdict of the parts that a node was decomposed to. */
static const AssayVerdict *
find_worst_part (AssayVerdicts *checked, const AssayRewrite *rewrite, GHashTable *names)
{
  const AssayVerdict *worst = NULL;

  for (guint i = 0; i < rewrite->n_after; i++)
    {
      AssayNodeId id = GPOINTER_TO_UINT (g_hash_table_lookup (names, rewrite->after[i]));
      const AssayVerdict *verdict = id != ASSAY_NO_NODE ? assay_verdicts_get (checked, id) : NULL;

      if (verdict != NULL && (worst == NULL || verdict->kind < worst->kind))
        worst = verdict;
    }

  return worst;
}

static GHashTable *
index_names (const AssayGraph *graph)
{
  GHashTable *names = g_hash_table_new (g_str_hash, g_str_equal);

  for (AssayNodeId i = 1; i < assay_graph_n_nodes (graph); i++)
    g_hash_table_insert (names, (gpointer) assay_graph_node (graph, i)->name, GUINT_TO_POINTER (i));

  return names;
}

/* A node that was decomposed is not taken if one of its parts is not. */
static void
take_decomposed (AssayLevel *self, AssayVerdicts *checked)
{
  const GArray *rewrites = checked->graph->rewrites;
  g_autoptr (GHashTable) parts = NULL;
  g_autoptr (GHashTable) nodes = NULL;

  for (guint i = 0; i < rewrites->len; i++)
    {
      const AssayRewrite *rewrite = &g_array_index (rewrites, AssayRewrite, i);
      const AssayVerdict *worst;
      AssayVerdict *verdict;
      AssayNodeId id;

      if (assay_check_find_decomposition (rewrite) == NULL)
        continue;
      if (parts == NULL)
        {
          parts = index_names (checked->graph);
          nodes = index_names (self->verdicts->graph);
        }
      id = GPOINTER_TO_UINT (g_hash_table_lookup (nodes, rewrite->before[0]));
      worst = find_worst_part (checked, rewrite, parts);
      if (id == ASSAY_NO_NODE || worst == NULL || worst->kind > ASSAY_VERDICT_UNDECIDED)
        continue;
      verdict = &g_array_index (self->verdicts->verdicts, AssayVerdict, id);
      if (verdict->kind <= worst->kind)
        continue;
      self->verdicts->counts[verdict->kind]--;
      *verdict = *worst;
      verdict->node = id;
      verdict->into = ASSAY_NO_NODE;
      self->verdicts->counts[verdict->kind]++;
    }
}

/* The data dimension of a value of the same name; that of one timestep is counted without the axis
 * that is gone. */
static void
take_dimensions (AssayLevel *self, const AssayVerdicts *checked, const AssayStreaming *streaming)
{
  const AssayGraph *level = self->verdicts->graph;
  g_autoptr (GHashTable) by_name = NULL;

  if (checked->data_dims == NULL)
    return;

  by_name = g_hash_table_new (g_str_hash, g_str_equal);
  for (AssayValueId i = assay_graph_n_values (checked->graph); i-- > 1;)
    g_hash_table_insert (by_name, (gpointer) assay_graph_value (checked->graph, i)->name,
                         GUINT_TO_POINTER (i));

  self->verdicts->data_dims = g_new (int, assay_graph_n_values (level) + 1);
  for (AssayValueId i = 0; i < assay_graph_n_values (level); i++)
    {
      const char *name = i > 0 ? assay_graph_value (level, i)->name : NULL;
      AssayValueId from = name != NULL ? GPOINTER_TO_UINT (g_hash_table_lookup (by_name, name)) : 0;
      int dim = from != ASSAY_NO_VALUE ? checked->data_dims[from] : -1;
      int axis = streaming != NULL && i < streaming->n_values ? streaming->axes[i] : -1;

      self->verdicts->data_dims[i] = axis >= 0 && dim == axis  ? -1
                                     : axis >= 0 && dim > axis ? dim - 1
                                                               : dim;
    }
}

static void
begin (AssayLevel *self, AssayGraphLevel level, const AssayGraph *graph,
       const AssayVerdicts *checked)
{
  self->level = level;
  self->n_checked = assay_graph_n_nodes (checked->graph);
  self->to_level = g_new0 (AssayNodeId, self->n_checked + 1);
  self->to_checked = g_new0 (AssayNodeId, assay_graph_n_nodes (graph) + 1);
}

/**
 * assay_level_new:
 * @level: which form
 * @checked: the checked model; the strings of the result belong to it
 * @imported: the model as imported
 * @streaming_axes: (array length=n_axes) (nullable): the sequence axis of each input, -1 for none
 * @n_axes: number of axes
 * @error: return location for a #GError
 *
 * Brings a checked model into another form, with the same verdicts.
 *
 * Returns: (transfer full) (nullable): the form, or %NULL if the axes are wrong
 */
AssayLevel *
assay_level_new (AssayGraphLevel level, AssayVerdicts *checked, AssayGraph *imported,
                 const int *streaming_axes, guint n_axes, GError **error)
{
  g_autoptr (AssayLevel) self = g_new0 (AssayLevel, 1);
  g_autoptr (AssayStreaming) streaming = NULL;
  g_autoptr (AssayGraph) graph = NULL;

  if (level == ASSAY_GRAPH_STREAMED)
    {
      streaming = assay_graph_trace_streaming (checked->graph, streaming_axes, n_axes, error);
      if (streaming == NULL)
        return NULL;
      graph = assay_graph_streamed (checked->graph, streaming);
      self->states = assay_streaming_list_states (streaming, checked->graph);
    }
  else
    graph = assay_graph_ref (level == ASSAY_GRAPH_ONNX ? imported : checked->graph);

  begin (self, level, graph, checked);
  if (graph == checked->graph)
    self->verdicts = assay_verdicts_ref (checked);
  else
    self->verdicts = assay_verdicts_new (graph, checked->target);

  if (graph == checked->graph || level == ASSAY_GRAPH_STREAMED)
    for (AssayNodeId i = 1; i < self->n_checked; i++)
      self->to_level[i] = self->to_checked[i] = i;
  else
    link_nodes (self, checked);

  if (graph != checked->graph)
    {
      /* Reasons and rules are strings of the check. */
      self->verdicts->source = assay_verdicts_ref (checked);
      take_verdicts (self, checked);
      if (level == ASSAY_GRAPH_ONNX)
        take_decomposed (self, checked);
      take_dimensions (self, checked, streaming);
    }

  return g_steal_pointer (&self);
}

/* The line and the operation, whether it writes in place or not. */
static char *
make_place (const AssayOrigin *origin, gboolean with_op)
{
  g_autofree char *name = g_strconcat ("torch.", origin->op_type, NULL);
  const AssayTorchOpInfo *form = assay_torch_op_info_find_value_form (name);

  return g_strdup_printf ("%u %s", origin->index, !with_op ? "" : form != NULL ? form->name : name);
}

/* Places to queues of what stands there. */
static GHashTable *
index_places (const GArray *origins, gboolean with_op)
{
  GHashTable *places = g_hash_table_new_full (g_str_hash, g_str_equal, g_free,
                                              (GDestroyNotify) g_queue_free);

  for (guint i = 0; i < origins->len; i++)
    {
      char *place = make_place (&g_array_index (origins, AssayOrigin, i), with_op);
      GQueue *queue = g_hash_table_lookup (places, place);

      if (queue == NULL)
        {
          queue = g_queue_new ();
          g_hash_table_insert (places, place, queue);
        }
      else
        g_free (place);
      g_queue_push_tail (queue, GUINT_TO_POINTER (i));
    }

  return places;
}

/* Operations of a program know their line, and so does what they became: those of one line with
 * the same name are one after the other the same. A line none of which is there any more became
 * all that stands at it. What is only there to help is nothing. */
static void
share_origins (AssayGraph *program, const AssayGraph *checked)
{
  g_autoptr (GHashTable) exact = index_places (checked->origins, TRUE);
  g_autoptr (GHashTable) lines = index_places (checked->origins, FALSE);
  g_autoptr (GHashTable) kept = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);

  for (AssayNodeId i = 1; i < assay_graph_n_nodes (program); i++)
    {
      const AssayOrigin *origin = &g_array_index (program->origins, AssayOrigin,
                                                  assay_graph_node (program, i)->origins[0]);
      g_autofree char *place = make_place (origin, TRUE);

      if (g_hash_table_contains (exact, place))
        g_hash_table_add (kept, make_place (origin, FALSE));
    }
  for (AssayNodeId i = 1; i < assay_graph_n_nodes (program); i++)
    {
      const AssayOrigin *origin = &g_array_index (program->origins, AssayOrigin,
                                                  assay_graph_node (program, i)->origins[0]);
      g_autofree char *place = make_place (origin, TRUE);
      g_autofree char *line = make_place (origin, FALSE);
      GQueue *queue = g_hash_table_lookup (exact, place);
      guint32 shared;

      if (queue == NULL && !g_hash_table_contains (kept, line))
        queue = g_hash_table_lookup (lines, line);
      if (queue == NULL)
        {
          assay_graph_set_origins (program, i, 0, NULL);
          continue;
        }
      shared = GPOINTER_TO_UINT (g_queue_peek_head (queue));
      if (queue->length > 1)
        g_queue_pop_head (queue);
      assay_graph_set_origins (program, i, 1, &shared);
    }
  g_array_set_size (program->origins, 0);
  for (guint i = 0; i < checked->origins->len; i++)
    {
      const AssayOrigin *origin = &g_array_index (checked->origins, AssayOrigin, i);

      assay_graph_add_origin (program, origin->path, origin->name, origin->op_type, origin->domain,
                              origin->index);
    }
}

/**
 * assay_level_new_for_program:
 * @program: a program as its source writes it, whose nodes have one origin each
 * @checked: what became of it, checked; the strings of the result belong to it
 *
 * Makes a level of a program, for viewers: its nodes stand for those of the checked graph that come
 * from the same line.
 *
 * Returns: (transfer full): the level
 */
AssayLevel *
assay_level_new_for_program (AssayGraph *program, AssayVerdicts *checked)
{
  AssayLevel *self = g_new0 (AssayLevel, 1);
  g_autoptr (AssayGraph) graph = assay_graph_copy (program);

  share_origins (graph, checked->graph);
  begin (self, ASSAY_GRAPH_PASSES, graph, checked);
  self->verdicts = assay_verdicts_new (graph, checked->target);
  link_nodes (self, checked);
  self->verdicts->source = assay_verdicts_ref (checked);
  take_verdicts (self, checked);

  return self;
}

/**
 * assay_level_free:
 * @self: (nullable): a form
 *
 * Frees it.
 */
void
assay_level_free (AssayLevel *self)
{
  if (self == NULL)
    return;

  g_clear_pointer (&self->verdicts, assay_verdicts_unref);
  g_free (self->to_level);
  g_free (self->to_checked);
  g_free (self->states);
  g_free (self);
}
