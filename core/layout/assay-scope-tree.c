/* assay-scope-tree.c
 * SPDX-License-Identifier: Apache-2.0
 */
#include "layout/assay-scope-tree.h"

#include "layout/assay-repeats.h"

#include <string.h>

/* Paths come from files; deeper ones than people read are cut. */
#define MAX_DEPTH 32

static guint32
add_path (AssayScopeTree *self,
          GHashTable     *known,
          const char     *path)
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

/* What a part is called: its first operator types, each once. */
static const char *
part_name (AssayScopeTree   *self,
           const AssayGraph *graph,
           const GArray     *nodes,
           guint             first,
           guint             end)
{
  g_autoptr (GString) name = g_string_new (NULL);
  const char *seen[3] = { NULL };
  guint n = 0;

  for (guint i = first; i < end && n < G_N_ELEMENTS (seen); i++)
    {
      const char *type = assay_graph_node (graph, g_array_index (nodes, AssayNodeId, i))->op_type;

      for (guint k = 0; k < n && type != NULL; k++)
        if (strcmp (seen[k], type) == 0)
          type = NULL;
      if (type == NULL)
        continue;
      g_string_append_printf (name, "%s%s", n > 0 ? ", " : "", type);
      seen[n++] = type;
    }

  return assay_arena_intern (self->arena, name->str);
}

/* Cuts what is in a scope itself into parts. */
static void
add_parts (AssayScopeTree   *self,
           const AssayGraph *graph,
           guint32           around,
           const GArray     *nodes)
{
  const char *path_around = assay_scope_tree_get (self, around)->path;
  guint32 depth = assay_scope_tree_get (self, around)->depth + 1;
  g_autofree guint32 *symbols = g_new (guint32, nodes->len + 1);
  g_autoptr (GArray) ends = NULL;
  guint first = 0;

  for (guint i = 0; i < nodes->len; i++)
    symbols[i] = g_str_hash (assay_graph_node (graph, g_array_index (nodes, AssayNodeId, i))->op_type);

  ends = assay_find_repeats (symbols, nodes->len, ASSAY_FIRST_BOXES * 2 / 3);
  for (guint p = 0; p < ends->len; p++)
    {
      guint end = g_array_index (ends, guint32, p);
      AssayScope scope = { .parent = around, .depth = depth };

      if (end - first > 1)
        {
          g_autofree char *path = NULL;

          scope.name = part_name (self, graph, nodes, first, end);
          path = g_strdup_printf ("%s%spart %u (%s)", path_around, around == 0 ? "" : "/", p + 1, scope.name);
          scope.path = assay_arena_intern (self->arena, path);
          for (guint i = first; i < end; i++)
            self->of_node[g_array_index (nodes, AssayNodeId, i)] = self->scopes->len;
          g_array_append_val (self->scopes, scope);
        }
      first = end;
    }
}

/* What has no scope is cut into parts by what repeats, and so is a scope that holds most of the model itself: there the
 * names tell nothing. */
static void
find_parts (AssayScopeTree   *self,
            const AssayGraph *graph)
{
  const GArray *all = assay_graph_region (graph, ASSAY_MAIN_REGION)->nodes;
  guint32 n_scopes = self->scopes->len;
  g_autofree guint32 *direct = g_new0 (guint32, n_scopes);
  g_autofree GArray **nodes = g_new0 (GArray *, n_scopes);
  guint32 total = 0;

  for (guint i = 0; i < all->len; i++)
    {
      AssayNodeId id = g_array_index (all, AssayNodeId, i);

      direct[self->of_graph[assay_graph_node (graph, id)->scope]] += self->is_chip[id] ? 0 : 1;
      total += self->is_chip[id] ? 0 : 1;
    }
  for (guint i = 0; i < all->len; i++)
    {
      AssayNodeId id = g_array_index (all, AssayNodeId, i);
      guint32 scope = self->of_graph[assay_graph_node (graph, id)->scope];

      if (self->is_chip[id] || direct[scope] <= ASSAY_FIRST_BOXES || (scope != 0 && direct[scope] < total / 3 * 2))
        continue;
      if (nodes[scope] == NULL)
        nodes[scope] = g_array_new (FALSE, FALSE, sizeof (AssayNodeId));
      g_array_append_val (nodes[scope], id);
    }

  self->of_node = g_new0 (guint32, assay_graph_n_nodes (graph));
  for (guint32 s = 0; s < n_scopes; s++)
    if (nodes[s] != NULL)
      {
        add_parts (self, graph, s, nodes[s]);
        g_array_unref (nodes[s]);
      }
}

/* A constant that something reads is drawn in the boxes of its readers. */
static void
find_chips (AssayScopeTree   *self,
            const AssayGraph *graph)
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

      self->is_chip[id] = node->op == ASSAY_OP_Constant && node->n_outputs == 1 && node->outputs[0] != ASSAY_NO_VALUE
                          && is_read[node->outputs[0]]
                          && assay_graph_value (graph, node->outputs[0])->constant != NULL;
    }
}

/**
 * assay_scope_tree_new:
 * @graph: a graph
 *
 * Collects the scopes of a graph. Where a scope or what has none is large, parts are made of what repeats.
 *
 * Returns: (transfer full): the tree
 */
AssayScopeTree *
assay_scope_tree_new (const AssayGraph *graph)
{
  AssayScopeTree *self = g_new0 (AssayScopeTree, 1);
  g_autoptr (GHashTable) known = g_hash_table_new (g_str_hash, g_str_equal);
  AssayScope root = { "", "", 0, 0 };

  g_atomic_ref_count_init (&self->ref_count);
  self->arena = assay_arena_new ();
  self->scopes = g_array_new (FALSE, FALSE, sizeof (AssayScope));
  g_array_append_val (self->scopes, root);
  self->of_graph = g_new0 (guint32, graph->scopes->len + 1);

  for (guint i = 0; i < graph->scopes->len; i++)
    self->of_graph[i] = add_path (self, known, g_array_index (graph->scopes, const char *, i));

  find_chips (self, graph);
  find_parts (self, graph);

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
  g_free (self);
}

/**
 * assay_scope_tree_choose:
 * @self: a tree
 * @graph: its graph
 * @region: the region that is shown
 * @max_boxes: how many boxes a picture should have
 *
 * Chooses which scopes are open at first: all down to the deepest level that leaves at most @max_boxes boxes.
 *
 * Returns: (transfer full) (array): per scope whether it is open
 */
guint8 *
assay_scope_tree_choose (const AssayScopeTree *self,
                         const AssayGraph     *graph,
                         AssayRegionId         region,
                         guint                 max_boxes)
{
  const GArray *nodes = assay_graph_region (graph, region)->nodes;
  guint32 n_scopes = self->scopes->len;
  guint8 *open = g_new0 (guint8, n_scopes);
  g_autofree guint32 *direct = g_new0 (guint32, n_scopes);
  guint32 boxes[MAX_DEPTH + 2] = { 0 };
  guint level = 1;

  for (guint i = 0; i < nodes->len; i++)
    if (!self->is_chip[g_array_index (nodes, AssayNodeId, i)])
      direct[assay_scope_tree_of_node (self, graph, g_array_index (nodes, AssayNodeId, i))]++;

  /* Scopes closed at level L: the nodes above it and one box for each scope of it. */
  for (guint32 s = n_scopes; s-- > 0;)
    {
      const AssayScope *scope = assay_scope_tree_get (self, s);

      for (guint l = scope->depth + 1; l <= MAX_DEPTH + 1; l++)
        boxes[l] += direct[s];
    }
  {
    g_autofree guint32 *total = g_memdup2 (direct, n_scopes * sizeof *direct);

    for (guint32 s = n_scopes; s-- > 1;)
      {
        const AssayScope *scope = assay_scope_tree_get (self, s);

        if (total[s] > 0)
          boxes[scope->depth]++;
        total[scope->parent] += total[s];
      }
  }

  for (guint l = 1; l <= MAX_DEPTH + 1; l++)
    if (boxes[l] <= max_boxes)
      level = l;

  for (guint32 s = 0; s < n_scopes; s++)
    open[s] = s == 0 || assay_scope_tree_get (self, s)->depth < level;

  return open;
}
