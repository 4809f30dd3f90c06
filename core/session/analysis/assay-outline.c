/* assay-outline.c
 * SPDX-License-Identifier: Apache-2.0
 */
#include "session/analysis/assay-outline.h"

#include "session/list/assay-row-list.h"

/* Entries of lists: a node id, or a scope number with this bit. */
#define SCOPE_BIT (1u << 31)

typedef struct
{
  const char *name;
  guint parent;
  guint n_nodes;
  gboolean is_made;
  AssayVerdictKind worst;
  GArray *children; /* guint32 entries */
} Scope;

struct _AssayOutline
{
  gatomicrefcount ref_count;
  AssayVerdicts *verdicts;
  GArray *scopes;       /* Scope, [0] the whole graph */
  guint32 *node_scope;  /* per node id */
  AssayScopeTree *tree; /* as the graph is drawn */
  GStringChunk *strings;
};

G_DEFINE_BOXED_TYPE (AssayOutline, assay_outline, assay_outline_ref, assay_outline_unref)

static Scope *
scope_at (const AssayOutline *self, guint index)
{
  return &g_array_index (self->scopes, Scope, index);
}

static void
scope_clear (gpointer data)
{
  Scope *scope = data;

  g_array_unref (scope->children);
}

static guint
add_scope (AssayOutline *self, guint parent, const char *name)
{
  Scope scope = {
    .name = name,
    .parent = parent,
    .worst = ASSAY_VERDICT_SUPPORTED,
    .children = g_array_new (FALSE, FALSE, sizeof (guint32)),
  };
  guint index = self->scopes->len;
  guint32 entry = index | SCOPE_BIT;

  g_array_append_val (self->scopes, scope);
  if (index > 0)
    g_array_append_val (scope_at (self, parent)->children, entry);

  return index;
}

/* The number here of a scope of the tree in a region. Those of a nested region hang below the node
 * that holds it. */
static guint
scope_for (AssayOutline *self, GHashTable *known, AssayRegionId region, guint base, guint32 index)
{
  const AssayScope *scope = assay_scope_tree_get (self->tree, index);
  gint64 key = (gint64) region << 32 | index;
  gpointer found;
  guint parent;
  guint number;

  if (index == 0)
    return base;
  if (g_hash_table_lookup_extended (known, &key, NULL, &found))
    return GPOINTER_TO_UINT (found);

  parent = scope_for (self, known, region, base, scope->parent);
  number = add_scope (self, parent, scope->name);
  scope_at (self, number)->is_made = scope->is_made;
  g_hash_table_insert (known, g_memdup2 (&key, sizeof key), GUINT_TO_POINTER (number));

  return number;
}

static void
add_region (AssayOutline *self, GHashTable *known, AssayRegionId region, guint base, guint depth)
{
  const AssayGraph *graph = self->verdicts->graph;
  GArray *nodes = assay_graph_region (graph, region)->nodes;
  guint32 last_index = 0;
  guint last_scope = base;

  for (guint i = 0; i < nodes->len; i++)
    {
      AssayNodeId id = g_array_index (nodes, AssayNodeId, i);
      const AssayNode *node = assay_graph_node (graph, id);
      guint32 index = assay_scope_tree_of_node (self->tree, graph, id);
      guint32 entry = id;

      /* Neighbours mostly share their scope. */
      if (index != last_index)
        {
          last_index = index;
          last_scope = scope_for (self, known, region, base, index);
        }
      self->node_scope[id] = last_scope;
      g_array_append_val (scope_at (self, last_scope)->children, entry);

      /* Nesting of bodies is bounded by the importer; a damaged graph must not run away here
       * either. */
      for (guint a = 0; a < node->n_attrs && depth < 64; a++)
        {
          const AssayAttr *attr = &node->attrs[a];
          guint n = attr->kind == ASSAY_ATTR_GRAPH    ? 1
                    : attr->kind == ASSAY_ATTR_GRAPHS ? attr->n
                                                      : 0;

          for (guint r = 0; r < n; r++)
            {
              AssayRegionId body = attr->kind == ASSAY_ATTR_GRAPH ? attr->u.region
                                                                  : attr->u.regions[r];
              g_autofree char *name = g_strdup_printf ("%s %s", node->name, attr->name);

              add_region (self, known, body,
                          add_scope (self, last_scope, g_string_chunk_insert (self->strings, name)),
                          depth + 1);
            }
        }
    }
}

/* Children come after their parent in the array, so one backward sweep sums everything up. */
static void
sum_up (AssayOutline *self)
{
  for (guint i = self->scopes->len; i-- > 0;)
    {
      Scope *scope = scope_at (self, i);

      for (guint c = 0; c < scope->children->len; c++)
        {
          guint32 entry = g_array_index (scope->children, guint32, c);

          if (entry & SCOPE_BIT)
            {
              const Scope *child = scope_at (self, entry & ~SCOPE_BIT);

              scope->n_nodes += child->n_nodes;
              scope->worst = MIN (scope->worst, child->worst);
            }
          else
            {
              const AssayVerdict *verdict = assay_verdicts_get (self->verdicts, entry);

              scope->n_nodes++;
              if (verdict != NULL)
                scope->worst = MIN (scope->worst, verdict->kind);
            }
        }
    }
}

/**
 * assay_outline_new:
 * @verdicts: a checked graph
 *
 * Builds the outline of a checked graph.
 *
 * Returns: (transfer full): the outline
 */
AssayOutline *
assay_outline_new (AssayVerdicts *verdicts)
{
  AssayOutline *self = g_new0 (AssayOutline, 1);
  g_autoptr (GHashTable) known = g_hash_table_new_full (g_int64_hash, g_int64_equal, g_free, NULL);

  g_atomic_ref_count_init (&self->ref_count);
  self->verdicts = assay_verdicts_ref (verdicts);
  self->scopes = g_array_new (FALSE, FALSE, sizeof (Scope));
  g_array_set_clear_func (self->scopes, scope_clear);
  self->node_scope = g_new0 (guint32, assay_graph_n_nodes (verdicts->graph));
  self->strings = g_string_chunk_new (4096);

  self->tree = assay_scope_tree_new (verdicts->graph);

  add_scope (self, 0, "");
  add_region (self, known, ASSAY_MAIN_REGION, 0, 0);
  sum_up (self);

  return self;
}

AssayOutline *
assay_outline_ref (AssayOutline *self)
{
  g_atomic_ref_count_inc (&self->ref_count);
  return self;
}

void
assay_outline_unref (AssayOutline *self)
{
  if (self == NULL || !g_atomic_ref_count_dec (&self->ref_count))
    return;

  assay_scope_tree_free (self->tree);
  assay_verdicts_unref (self->verdicts);
  g_array_unref (self->scopes);
  g_free (self->node_scope);
  g_string_chunk_free (self->strings);
  g_free (self);
}

/**
 * assay_outline_get_verdicts:
 * @self: an outline
 *
 * Gets what the outline was built from.
 *
 * Returns: (transfer none): the verdicts
 */
AssayVerdicts *
assay_outline_get_verdicts (AssayOutline *self)
{
  return self->verdicts;
}

/**
 * assay_outline_get_tree:
 * @self: an outline
 *
 * Gets the parts of the graph as it is drawn, which are found by structure where nodes have no
 * names.
 *
 * Returns: (transfer none): the tree
 */
AssayScopeTree *
assay_outline_get_tree (AssayOutline *self)
{
  return self->tree;
}

static guint
position_in (GArray *entries, guint32 entry)
{
  for (guint i = 0; i < entries->len; i++)
    if (g_array_index (entries, guint32, i) == entry)
      return i;

  return 0;
}

/**
 * assay_outline_locate:
 * @self: an outline
 * @node: a node
 *
 * Finds the way to a node: at each level the position in the list of the scope around, outermost
 * first.
 *
 * Returns: (transfer full) (element-type guint): the positions, the last one that of the node
 */
GArray *
assay_outline_locate (AssayOutline *self, AssayNodeId node)
{
  GArray *path = g_array_new (FALSE, FALSE, sizeof (guint));
  guint32 entry = node;
  guint scope;

  g_return_val_if_fail (node < assay_graph_n_nodes (self->verdicts->graph), path);

  scope = self->node_scope[node];
  while (TRUE)
    {
      guint position = position_in (scope_at (self, scope)->children, entry);

      g_array_prepend_val (path, position);
      if (scope == 0)
        return path;

      entry = scope | SCOPE_BIT;
      scope = scope_at (self, scope)->parent;
    }
}

/* The row object. */

struct _AssayOutlineItem
{
  GObject parent_instance;
  AssayOutline *outline;
  guint32 entry;
};

G_DEFINE_FINAL_TYPE (AssayOutlineItem, assay_outline_item, G_TYPE_OBJECT)

static void
assay_outline_item_finalize (GObject *object)
{
  AssayOutlineItem *self = ASSAY_OUTLINE_ITEM (object);

  g_clear_pointer (&self->outline, assay_outline_unref);

  G_OBJECT_CLASS (assay_outline_item_parent_class)->finalize (object);
}

static void
assay_outline_item_class_init (AssayOutlineItemClass *klass)
{
  G_OBJECT_CLASS (klass)->finalize = assay_outline_item_finalize;
}

static void
assay_outline_item_init (AssayOutlineItem *self)
{
}

/**
 * assay_outline_item_is_scope:
 * @self: a row
 *
 * Tells scopes from nodes.
 *
 * Returns: whether it is a scope
 */
gboolean
assay_outline_item_is_scope (AssayOutlineItem *self)
{
  return (self->entry & SCOPE_BIT) != 0;
}

/**
 * assay_outline_item_get_scope:
 * @self: a row
 *
 * Gets the scope of a row that is one.
 *
 * Returns: number of the scope, 0 for a node
 */
guint
assay_outline_item_get_scope (AssayOutlineItem *self)
{
  return self->entry & SCOPE_BIT ? self->entry & ~SCOPE_BIT : 0;
}

/**
 * assay_outline_item_is_made:
 * @self: a row
 *
 * Tells groups that we made of neighbours from scopes of the file.
 *
 * Returns: whether it is such a group
 */
gboolean
assay_outline_item_is_made (AssayOutlineItem *self)
{
  return self->entry & SCOPE_BIT ? scope_at (self->outline, self->entry & ~SCOPE_BIT)->is_made
                                 : FALSE;
}

/**
 * assay_outline_item_get_node:
 * @self: a row
 *
 * Gets the node of a row that is one.
 *
 * Returns: the node, 0 for a scope
 */
AssayNodeId
assay_outline_item_get_node (AssayOutlineItem *self)
{
  return self->entry & SCOPE_BIT ? ASSAY_NO_NODE : self->entry;
}

/**
 * assay_outline_item_get_title:
 * @self: a row
 *
 * Gets the name of a scope, or the operator of a node.
 *
 * Returns: (transfer none): the first text of the row
 */
const char *
assay_outline_item_get_title (AssayOutlineItem *self)
{
  if (self->entry & SCOPE_BIT)
    return scope_at (self->outline, self->entry & ~SCOPE_BIT)->name;

  return assay_graph_node (self->outline->verdicts->graph, self->entry)->op_type;
}

/**
 * assay_outline_item_get_subtitle:
 * @self: a row
 *
 * Gets the name of a node; scopes have none.
 *
 * Returns: (transfer none): the second text of the row
 */
const char *
assay_outline_item_get_subtitle (AssayOutlineItem *self)
{
  if (self->entry & SCOPE_BIT)
    return "";

  return assay_graph_node (self->outline->verdicts->graph, self->entry)->name;
}

/**
 * assay_outline_item_get_count:
 * @self: a row
 *
 * Gets how many nodes a row stands for.
 *
 * Returns: nodes in the scope, 1 for a node
 */
guint
assay_outline_item_get_count (AssayOutlineItem *self)
{
  return self->entry & SCOPE_BIT ? scope_at (self->outline, self->entry & ~SCOPE_BIT)->n_nodes : 1;
}

/**
 * assay_outline_item_get_verdict:
 * @self: a row
 *
 * Gets the verdict of a node, or the worst one in a scope.
 *
 * Returns: the verdict
 */
AssayVerdictKind
assay_outline_item_get_verdict (AssayOutlineItem *self)
{
  const AssayVerdict *verdict;

  if (self->entry & SCOPE_BIT)
    return scope_at (self->outline, self->entry & ~SCOPE_BIT)->worst;

  verdict = assay_verdicts_get (self->outline->verdicts, self->entry);
  return verdict != NULL ? verdict->kind : ASSAY_VERDICT_UNDECIDED;
}

/**
 * assay_outline_item_get_outline:
 * @self: a row
 *
 * Gets the outline of a row.
 *
 * Returns: (transfer none): the outline
 */
AssayOutline *
assay_outline_item_get_outline (AssayOutlineItem *self)
{
  return self->outline;
}

/* The list: entries stay numbers until a view asks for a row. */

#define ASSAY_TYPE_OUTLINE_LIST (assay_outline_list_get_type ())

G_DECLARE_FINAL_TYPE (AssayOutlineList, assay_outline_list, ASSAY, OUTLINE_LIST, AssayRowList)

struct _AssayOutlineList
{
  AssayRowList parent_instance;
  AssayOutline *outline;
  GArray *entries;
};

G_DEFINE_FINAL_TYPE (AssayOutlineList, assay_outline_list, ASSAY_TYPE_ROW_LIST)

static gpointer
make_row (AssayRowList *list, guint position)
{
  AssayOutlineList *self = ASSAY_OUTLINE_LIST (list);
  AssayOutlineItem *item = g_object_new (ASSAY_TYPE_OUTLINE_ITEM, NULL);

  item->outline = assay_outline_ref (self->outline);
  item->entry = g_array_index (self->entries, guint32, position);
  return item;
}

static void
assay_outline_list_finalize (GObject *object)
{
  AssayOutlineList *self = ASSAY_OUTLINE_LIST (object);

  g_clear_pointer (&self->outline, assay_outline_unref);
  g_clear_pointer (&self->entries, g_array_unref);

  G_OBJECT_CLASS (assay_outline_list_parent_class)->finalize (object);
}

static void
assay_outline_list_class_init (AssayOutlineListClass *klass)
{
  G_OBJECT_CLASS (klass)->finalize = assay_outline_list_finalize;
  ASSAY_ROW_LIST_CLASS (klass)->row_type = ASSAY_TYPE_OUTLINE_ITEM;
  ASSAY_ROW_LIST_CLASS (klass)->make_row = make_row;
}

static void
assay_outline_list_init (AssayOutlineList *self)
{
}

static GListModel *
list_new (AssayOutline *outline, GArray *entries)
{
  AssayOutlineList *self = g_object_new (ASSAY_TYPE_OUTLINE_LIST, NULL);

  self->outline = assay_outline_ref (outline);
  self->entries = g_array_ref (entries);
  assay_row_list_replace (ASSAY_ROW_LIST (self), entries->len);
  return G_LIST_MODEL (self);
}

/**
 * assay_outline_list:
 * @self: an outline
 * @scope: number of a scope, 0 for the whole graph
 *
 * Lists what stands directly in a scope.
 *
 * Returns: (transfer full): a list of #AssayOutlineItem
 */
GListModel *
assay_outline_list (AssayOutline *self, guint scope)
{
  g_return_val_if_fail (scope < self->scopes->len, NULL);

  return list_new (self, scope_at (self, scope)->children);
}

/**
 * assay_outline_list_nodes:
 * @self: an outline
 * @nodes: (element-type guint32): some nodes of its graph
 *
 * Makes rows for chosen nodes.
 *
 * Returns: (transfer full): a list of #AssayOutlineItem
 */
GListModel *
assay_outline_list_nodes (AssayOutline *self, GArray *nodes)
{
  return list_new (self, nodes);
}
