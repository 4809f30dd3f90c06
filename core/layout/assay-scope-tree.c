/* assay-scope-tree.c
 * SPDX-License-Identifier: Apache-2.0
 */
#include "layout/assay-scope-tree-private.h"

#include <stdlib.h>
#include <string.h>

/* Paths come from files; deeper ones than people read are cut. */
#define MAX_DEPTH 32

static guint32
add_path (AssayScopeTree *self, GHashTable *known, const char *path)
{
  const char *rest = path;
  guint32 parent = 0;

  for (guint depth = 1; *rest != '\0' && depth <= MAX_DEPTH; depth++)
    {
      gsize length = strcspn (rest, "/");
      const char *whole;
      gpointer found;

      if (length == 0)
        {
          rest++;
          depth--;
          continue;
        }

      whole = assay_arena_intern_n (self->arena, path, (gsize) (rest - path) + length);
      if (g_hash_table_lookup_extended (known, whole, NULL, &found))
        parent = GPOINTER_TO_UINT (found);
      else
        {
          AssayScope scope = {
            .name = assay_arena_intern_n (self->arena, rest, length),
            .path = whole,
            .parent = parent,
            .depth = depth,
          };

          parent = self->scopes->len;
          g_array_append_val (self->scopes, scope);
          g_hash_table_insert (known, (gpointer) whole, GUINT_TO_POINTER (parent));
        }

      rest += length;
    }

  return parent;
}

/* A constant that something reads is drawn in the boxes of its readers. */
static void
find_chips (AssayScopeTree *self, const AssayGraph *graph)
{
  g_autofree guint8 *is_read = g_new0 (guint8, assay_graph_n_values (graph) + 1);

  self->is_chip = g_new0 (guint8, assay_graph_n_nodes (graph) + 1);
  for (AssayNodeId id = 1; id < assay_graph_n_nodes (graph); id++)
    for (guint k = 0; k < assay_graph_node (graph, id)->n_inputs; k++)
      is_read[assay_graph_node (graph, id)->inputs[k]] = TRUE;
  for (AssayRegionId r = 0; r < graph->regions->len; r++)
    {
      const GArray *outputs = assay_graph_region (graph, r)->outputs;

      for (guint i = 0; i < outputs->len; i++)
        is_read[g_array_index (outputs, AssayValueId, i)] = FALSE;
    }
  for (AssayNodeId id = 1; id < assay_graph_n_nodes (graph); id++)
    {
      const AssayNode *node = assay_graph_node (graph, id);

      self->is_chip[id] = node->op == ASSAY_OP_Constant && node->n_outputs == 1 &&
                          node->outputs[0] != ASSAY_NO_VALUE && is_read[node->outputs[0]] &&
                          assay_graph_value (graph, node->outputs[0])->constant != NULL;
    }
}

/**
 * assay_scope_tree_new:
 * @graph: a graph
 *
 * Collects the scopes of a graph. Where a level has more members than a picture has boxes,
 * neighbours are put into groups, equal ones into equal groups as far as possible.
 *
 * Returns: (transfer full): the tree
 */
AssayScopeTree *
assay_scope_tree_new (const AssayGraph *graph)
{
  AssayScopeTree *self = g_new0 (AssayScopeTree, 1);
  g_autoptr (GHashTable) known = g_hash_table_new (g_str_hash, g_str_equal);
  AssayScope root = { "", "", 0, 0, FALSE };

  g_atomic_ref_count_init (&self->ref_count);
  self->arena = assay_arena_new ();
  self->scopes = g_array_new (FALSE, FALSE, sizeof (AssayScope));
  g_array_append_val (self->scopes, root);
  self->of_graph = g_new0 (guint32, graph->scopes->len + 1);

  for (guint i = 0; i < graph->scopes->len; i++)
    self->of_graph[i] = add_path (self, known, g_array_index (graph->scopes, const char *, i));

  find_chips (self, graph);
  assay_scope_tree_group (self, graph, known);
  assay_scope_tree_sort (self, graph);
  assay_scope_tree_compare (self, graph);

  return self;
}

AssayScopeTree *
assay_scope_tree_ref (AssayScopeTree *self)
{
  g_atomic_ref_count_inc (&self->ref_count);
  return self;
}

/* Gives a reference back; the last one frees the tree. */
void
assay_scope_tree_free (AssayScopeTree *self)
{
  if (self == NULL || !g_atomic_ref_count_dec (&self->ref_count))
    return;

  assay_arena_free (self->arena);
  g_array_unref (self->scopes);
  g_free (self->of_graph);
  g_free (self->of_node);
  g_free (self->is_chip);
  g_free (self->end);
  g_free (self->kind);
  g_free (self);
}

/* Where a scope begins: its parent, then the first region and place of a node inside. */
typedef struct
{
  guint32 parent;
  AssayRegionId region;
  guint32 place;
  guint32 index;
} Begin;

static int
compare_begins (const void *a, const void *b)
{
  const Begin *ba = a;
  const Begin *bb = b;

  if (ba->parent != bb->parent)
    return ba->parent < bb->parent ? -1 : 1;
  if (ba->region != bb->region)
    return ba->region < bb->region ? -1 : 1;
  if (ba->place != bb->place)
    return ba->place < bb->place ? -1 : 1;

  return ba->index < bb->index ? -1 : ba->index > bb->index;
}

static Begin *
find_begins (const AssayScopeTree *self, const AssayGraph *graph)
{
  guint32 n = self->scopes->len;
  Begin *begins = g_new (Begin, n + 1);

  for (guint32 s = 0; s < n; s++)
    begins[s] = (Begin){ assay_scope_tree_get (self, s)->parent, G_MAXUINT32, G_MAXUINT32, s };
  for (AssayRegionId r = 0; r < graph->regions->len; r++)
    {
      const GArray *nodes = assay_graph_region (graph, r)->nodes;

      for (guint i = 0; i < nodes->len; i++)
        {
          guint32 s = assay_scope_tree_of_node (self, graph, g_array_index (nodes, AssayNodeId, i));

          for (; s != 0 && begins[s].region == G_MAXUINT32; s = begins[s].parent)
            {
              begins[s].region = r;
              begins[s].place = i;
            }
        }
    }

  return begins;
}

/**
 * assay_scope_tree_sort:
 * @self: a tree
 * @graph: its graph
 *
 * Brings the scopes into the order of the program, parents before children, and counts their depths
 * anew.
 */
void
assay_scope_tree_sort (AssayScopeTree *self, const AssayGraph *graph)
{
  guint32 n = self->scopes->len;
  g_autofree Begin *begins = find_begins (self, graph);
  g_autofree guint32 *first = g_new0 (guint32, n + 2);
  g_autofree guint32 *place = g_new0 (guint32, n + 1);
  g_autoptr (GArray) stack = g_array_new (FALSE, FALSE, sizeof (guint32));
  GArray *sorted = g_array_sized_new (FALSE, FALSE, sizeof (AssayScope), n);
  guint32 root = 0;

  qsort (begins + 1, n - 1, sizeof *begins, compare_begins);
  for (guint32 i = 1; i < n; i++)
    first[begins[i].parent + 1]++;
  first[0] = 1;
  for (guint32 s = 0; s < n; s++)
    first[s + 1] += first[s];

  g_array_append_val (stack, root);
  while (stack->len > 0)
    {
      guint32 s = g_array_index (stack, guint32, stack->len - 1);
      AssayScope scope = *assay_scope_tree_get (self, s);

      g_array_set_size (stack, stack->len - 1);
      place[s] = sorted->len;
      scope.parent = place[scope.parent];
      scope.depth = s == 0 ? 0 : g_array_index (sorted, AssayScope, scope.parent).depth + 1;
      g_array_append_val (sorted, scope);
      for (guint32 i = first[s + 1]; i-- > first[s];)
        g_array_append_val (stack, begins[i].index);
    }

  g_array_unref (self->scopes);
  self->scopes = sorted;
  self->end = g_new (guint32, n + 1);
  for (guint32 s = 0; s < n; s++)
    self->end[s] = s + 1;
  for (guint32 s = n; s-- > 1;)
    self->end[assay_scope_tree_get (self, s)->parent] = MAX (
        self->end[assay_scope_tree_get (self, s)->parent], self->end[s]);
  for (guint i = 0; i < graph->scopes->len; i++)
    self->of_graph[i] = place[self->of_graph[i]];
  for (AssayNodeId id = 1; id < assay_graph_n_nodes (graph); id++)
    self->of_node[id] = place[self->of_node[id]];
}

/**
 * assay_scope_tree_count_ports:
 * @graph: a graph
 * @region: one of its regions
 *
 * Counts the boxes that a picture of a region has whatever is folded: those of inputs and outputs.
 *
 * Returns: their number
 */
guint
assay_scope_tree_count_ports (const AssayGraph *graph, AssayRegionId region)
{
  const GArray *inputs = assay_graph_region (graph, region)->inputs;
  const GArray *outputs = assay_graph_region (graph, region)->outputs;
  guint n = 0;

  for (guint i = 0; i < inputs->len; i++)
    n += !assay_graph_value (graph, g_array_index (inputs, AssayValueId, i))->is_parameter;
  for (guint i = 0; i < outputs->len; i++)
    n += g_array_index (outputs, AssayValueId, i) != ASSAY_NO_VALUE;

  return n;
}

/**
 * assay_scope_tree_choose:
 * @self: a tree
 * @graph: its graph
 * @region: the region that is shown
 * @max_boxes: how many boxes a picture should have
 *
 * Chooses which scopes are open at first: all down to the deepest level that leaves at most
 * @max_boxes boxes, those of inputs and outputs included.
 *
 * Returns: (transfer full) (array): per scope whether it is open
 */
guint8 *
assay_scope_tree_choose (const AssayScopeTree *self, const AssayGraph *graph, AssayRegionId region,
                         guint max_boxes)
{
  const GArray *nodes = assay_graph_region (graph, region)->nodes;
  guint32 n_scopes = self->scopes->len;
  guint8 *open = g_new0 (guint8, n_scopes);
  g_autofree guint32 *total = g_new0 (guint32, n_scopes);
  g_autofree guint64 *boxes = NULL;
  guint n_ports = assay_scope_tree_count_ports (graph, region);
  guint deepest = 1;
  guint level = 1;

  for (guint32 s = 0; s < n_scopes; s++)
    deepest = MAX (deepest, assay_scope_tree_get (self, s)->depth + 1);
  boxes = g_new0 (guint64, deepest + 2);
  for (guint i = 0; i < nodes->len; i++)
    if (!self->is_chip[g_array_index (nodes, AssayNodeId, i)])
      total[assay_scope_tree_of_node (self, graph, g_array_index (nodes, AssayNodeId, i))]++;

  /* What each level adds: the nodes that stand in the scopes above it, and one box for each scope
   * of its own, in place of which the next one has what is inside. */
  for (guint32 s = n_scopes; s-- > 0;)
    {
      const AssayScope *scope = assay_scope_tree_get (self, s);

      boxes[scope->depth + 1] += total[s];
    }
  for (guint l = 1; l <= deepest; l++)
    boxes[l] += boxes[l - 1];
  for (guint32 s = n_scopes; s-- > 1;)
    {
      const AssayScope *scope = assay_scope_tree_get (self, s);

      if (total[s] > 0)
        boxes[scope->depth]++;
      total[scope->parent] += total[s];
    }

  for (guint l = 1; l <= deepest; l++)
    if (boxes[l] + n_ports <= max_boxes)
      level = l;

  for (guint32 s = 0; s < n_scopes; s++)
    open[s] = s == 0 || assay_scope_tree_get (self, s)->depth < level;

  return open;
}
