/* assay-node-table.c
 * SPDX-License-Identifier: Apache-2.0
 */
#include "session/list/assay-node-table.h"

#include "session/analysis/assay-query.h"
#include "session/assay-session-private.h"

#define NOWHERE G_MAXUINT

struct _AssayNodeItem
{
  GObject parent_instance;

  AssayNodeFacts *facts;
  AssayNodeId node;
};

G_DEFINE_FINAL_TYPE (AssayNodeItem, assay_node_item, G_TYPE_OBJECT)

struct _AssayNodeTable
{
  AssayRowList parent_instance;

  AssaySession *session; /* which owns the table */
  gboolean active;
  gboolean syncing;
  AssayQuery *query; /* none for all */
  AssayNodeColumn column;
  gboolean descending;

  AssayNodeFacts *facts; /* made when they are asked for */
  GArray *nodes;         /* guint32: what is listed */
  GArray *sorted;       /* guint32: all nodes in the order of the column; none until it is needed */
  guint32 *positions;   /* per node its place in the list plus one */
  guint8 *selected;     /* per node */
  guint32 n_nodes;      /* of the two above */
  AssayVerdicts *known; /* whose nodes they are */
  guint n_selected;
};

enum
{
  PROP_0,
  PROP_N_SELECTED,
  N_PROPS
};

static GParamSpec *properties[N_PROPS];

G_DEFINE_FINAL_TYPE (AssayNodeTable, assay_node_table, ASSAY_TYPE_ROW_LIST)

/* Items. */

static void
assay_node_item_finalize (GObject *object)
{
  assay_node_facts_unref (ASSAY_NODE_ITEM (object)->facts);

  G_OBJECT_CLASS (assay_node_item_parent_class)->finalize (object);
}

static void
assay_node_item_class_init (AssayNodeItemClass *klass)
{
  G_OBJECT_CLASS (klass)->finalize = assay_node_item_finalize;
}

static void
assay_node_item_init (AssayNodeItem *self)
{
}

/**
 * assay_node_item_get_facts:
 * @self: a row
 *
 * Gets what is known of the nodes of the table.
 *
 * Returns: (transfer none): the facts
 */
AssayNodeFacts *
assay_node_item_get_facts (AssayNodeItem *self)
{
  return self->facts;
}

/**
 * assay_node_item_get_node:
 * @self: a row
 *
 * Gets which node it is.
 *
 * Returns: the node
 */
AssayNodeId
assay_node_item_get_node (AssayNodeItem *self)
{
  return self->node;
}

/* The list. */

static gpointer
make_row (AssayRowList *list, guint position)
{
  AssayNodeTable *self = ASSAY_NODE_TABLE (list);
  AssayNodeItem *item = g_object_new (ASSAY_TYPE_NODE_ITEM, NULL);

  item->facts = assay_node_facts_ref (assay_node_table_get_facts (self));
  item->node = g_array_index (self->nodes, guint32, position);
  return item;
}

static void
forget_facts (AssayNodeTable *self)
{
  g_clear_pointer (&self->facts, assay_node_facts_unref);
  g_clear_pointer (&self->sorted, g_array_unref);
}

static GArray *
choose_nodes (AssayNodeTable *self)
{
  AssayVerdicts *verdicts = self->session->verdicts;
  guint filter = self->session->filter;
  GArray *nodes;

  if (self->query != NULL)
    return assay_query_run_facts (self->query, assay_node_table_get_facts (self), filter);

  nodes = g_array_new (FALSE, FALSE, sizeof (guint32));
  for (guint32 id = 1; id < assay_graph_n_nodes (verdicts->graph); id++)
    if (filter == 0 || (filter & 1u << assay_verdicts_get (verdicts, id)->kind) != 0)
      g_array_append_val (nodes, id);

  return nodes;
}

/* All nodes are sorted once; a filter that changes with each key only picks from them. */
static void
sort_nodes (AssayNodeTable *self)
{
  g_autofree guint8 *chosen = g_new0 (guint8, self->n_nodes + 1);

  if (self->column == ASSAY_NODE_COLUMN_NUMBER && !self->descending)
    return;

  if (self->sorted == NULL)
    {
      self->sorted = g_array_new (FALSE, FALSE, sizeof (guint32));
      for (guint32 id = 1; id < self->n_nodes; id++)
        g_array_append_val (self->sorted, id);
      assay_node_facts_sort (assay_node_table_get_facts (self),
                             (guint32 *) (gpointer) self->sorted->data, self->sorted->len,
                             self->column, self->descending);
    }

  for (guint i = 0; i < self->nodes->len; i++)
    chosen[g_array_index (self->nodes, guint32, i)] = TRUE;
  g_array_set_size (self->nodes, 0);
  for (guint i = 0; i < self->sorted->len; i++)
    if (chosen[g_array_index (self->sorted, guint32, i)])
      g_array_append_val (self->nodes, g_array_index (self->sorted, guint32, i));
}

static void
count_selected (AssayNodeTable *self)
{
  self->n_selected = 0;
  for (guint i = 0; i < self->nodes->len; i++)
    self->n_selected += self->selected[g_array_index (self->nodes, guint32, i)];
}

/* Other changes of the session may be told of before that of the verdicts. */
static void
follow_verdicts (AssayNodeTable *self)
{
  AssayVerdicts *verdicts = self->session->verdicts;

  if (self->known == verdicts)
    return;

  forget_facts (self);
  g_clear_pointer (&self->known, assay_verdicts_unref);
  self->known = verdicts != NULL ? assay_verdicts_ref (verdicts) : NULL;
  self->n_nodes = verdicts != NULL ? assay_graph_n_nodes (verdicts->graph) : 0;
  g_free (self->positions);
  g_free (self->selected);
  self->positions = g_new0 (guint32, self->n_nodes + 1);
  self->selected = g_new0 (guint8, self->n_nodes + 1);
}

/* What cannot be seen is not selected: sums and copies are of what one sees. */
static void
update_list (AssayNodeTable *self)
{
  AssayVerdicts *verdicts = self->session->verdicts;

  follow_verdicts (self);
  g_array_unref (self->nodes);
  if (!self->active || verdicts == NULL)
    self->nodes = g_array_new (FALSE, FALSE, sizeof (guint32));
  else
    {
      self->nodes = choose_nodes (self);
      sort_nodes (self);
    }

  memset (self->positions, 0, self->n_nodes * sizeof *self->positions);
  for (guint i = 0; i < self->nodes->len; i++)
    self->positions[g_array_index (self->nodes, guint32, i)] = i + 1;
  for (guint32 id = 1; id < self->n_nodes; id++)
    if (self->positions[id] == 0)
      self->selected[id] = FALSE;
  if (self->session->selection < self->n_nodes && self->positions[self->session->selection] != 0)
    self->selected[self->session->selection] = TRUE;
  count_selected (self);

  assay_row_list_replace (ASSAY_ROW_LIST (self), self->nodes->len);
  g_object_notify_by_pspec (G_OBJECT (self), properties[PROP_N_SELECTED]);
}

/* A program or a comparison has come or gone. */
static void
facts_changed_cb (AssayNodeTable *self)
{
  forget_facts (self);
  if (self->active)
    update_list (self);
}

/* A node that was chosen elsewhere is the only one, unless it is one of several that are selected
 * here. */
static void
selection_changed_cb (AssayNodeTable *self)
{
  AssayNodeId node = self->session->selection;

  follow_verdicts (self);
  if (self->syncing || (node != ASSAY_NO_NODE && node < self->n_nodes && self->selected[node]))
    return;

  memset (self->selected, 0, self->n_nodes);
  if (node != ASSAY_NO_NODE && node < self->n_nodes && self->positions[node] != 0)
    self->selected[node] = TRUE;
  count_selected (self);
  g_object_notify_by_pspec (G_OBJECT (self), properties[PROP_N_SELECTED]);
}

static void
assay_node_table_finalize (GObject *object)
{
  AssayNodeTable *self = ASSAY_NODE_TABLE (object);

  assay_query_free (self->query);
  g_clear_pointer (&self->known, assay_verdicts_unref);
  forget_facts (self);
  g_array_unref (self->nodes);
  g_free (self->positions);
  g_free (self->selected);

  G_OBJECT_CLASS (assay_node_table_parent_class)->finalize (object);
}

static void
assay_node_table_get_property (GObject *object, guint prop_id, GValue *value, GParamSpec *pspec)
{
  if (prop_id == PROP_N_SELECTED)
    g_value_set_uint (value, ASSAY_NODE_TABLE (object)->n_selected);
  else
    G_OBJECT_WARN_INVALID_PROPERTY_ID (object, prop_id, pspec);
}

static void
assay_node_table_class_init (AssayNodeTableClass *klass)
{
  GObjectClass *object_class = G_OBJECT_CLASS (klass);

  object_class->finalize = assay_node_table_finalize;
  object_class->get_property = assay_node_table_get_property;
  ASSAY_ROW_LIST_CLASS (klass)->row_type = ASSAY_TYPE_NODE_ITEM;
  ASSAY_ROW_LIST_CLASS (klass)->make_row = make_row;

  properties[PROP_N_SELECTED] = g_param_spec_uint ("n-selected", NULL, NULL, 0, G_MAXUINT, 0,
                                                   G_PARAM_READABLE | G_PARAM_STATIC_STRINGS);
  g_object_class_install_properties (object_class, N_PROPS, properties);
}

static void
assay_node_table_init (AssayNodeTable *self)
{
  self->nodes = g_array_new (FALSE, FALSE, sizeof (guint32));
  self->positions = g_new0 (guint32, 1);
  self->selected = g_new0 (guint8, 1);
}

AssayNodeTable *
assay_node_table_new (AssaySession *session)
{
  AssayNodeTable *self = g_object_new (ASSAY_TYPE_NODE_TABLE, NULL);

  self->session = session;
  g_signal_connect_object (session, "notify::verdicts", G_CALLBACK (update_list), self,
                           G_CONNECT_SWAPPED);
  g_signal_connect_object (session, "notify::selection", G_CALLBACK (selection_changed_cb), self,
                           G_CONNECT_SWAPPED);
  g_signal_connect_object (session, "notify::filter", G_CALLBACK (update_list), self,
                           G_CONNECT_SWAPPED);
  g_signal_connect_object (session->compilation, "notify::state", G_CALLBACK (facts_changed_cb),
                           self, G_CONNECT_SWAPPED);
  g_signal_connect_object (session->comparing, "notify::state", G_CALLBACK (facts_changed_cb), self,
                           G_CONNECT_SWAPPED);
  return self;
}

/**
 * assay_node_table_set_active:
 * @self: a table
 * @active: whether somebody looks at it
 *
 * Fills or empties the list: what nobody sees need not be sorted.
 */
void
assay_node_table_set_active (AssayNodeTable *self, gboolean active)
{
  g_return_if_fail (ASSAY_IS_NODE_TABLE (self));

  if (self->active == active)
    return;

  self->active = active;
  update_list (self);
}

/**
 * assay_node_table_get_facts:
 * @self: a table
 *
 * Gets what is known of the nodes.
 *
 * Returns: (transfer none) (nullable): the facts, %NULL while there is no checked graph
 */
AssayNodeFacts *
assay_node_table_get_facts (AssayNodeTable *self)
{
  AssaySession *session = self->session;

  follow_verdicts (self);
  if (self->facts == NULL && session->verdicts != NULL)
    self->facts = assay_node_facts_new (session->verdicts,
                                        assay_compilation_get_work (session->compilation),
                                        assay_compare_activity_get_rows (session->comparing));

  return self->facts;
}

/**
 * assay_node_table_set_query:
 * @self: a table
 * @text: (nullable): what to list, in the language of #AssayQuery; nothing for all
 * @error: return location for a #GError
 *
 * Chooses what is listed. A query that cannot be read leaves the list as it is.
 *
 * Returns: whether it could be read
 */
gboolean
assay_node_table_set_query (AssayNodeTable *self, const char *text, GError **error)
{
  AssayQuery *query = NULL;

  if (text != NULL && *text != '\0')
    {
      query = assay_query_new (text, error);
      if (query == NULL)
        return FALSE;
    }

  assay_query_free (self->query);
  self->query = query;
  update_list (self);
  return TRUE;
}

/**
 * assay_node_table_explain_nothing:
 * @self: a table without rows
 *
 * Says why no node is listed.
 *
 * Returns: (transfer full) (nullable): a sentence, %NULL if there is no checked graph
 */
char *
assay_node_table_explain_nothing (AssayNodeTable *self)
{
  g_autoptr (AssayQuery) all = self->query == NULL ? assay_query_new ("", NULL) : NULL;

  if (assay_node_table_get_facts (self) == NULL)
    return NULL;

  return assay_query_explain_nothing (all != NULL ? all : self->query,
                                      assay_node_table_get_facts (self), self->session->filter);
}

/**
 * assay_node_table_sort:
 * @self: a table
 * @column: what decides
 * @descending: whether the largest comes first
 *
 * Sorts the list.
 */
void
assay_node_table_sort (AssayNodeTable *self, AssayNodeColumn column, gboolean descending)
{
  if (self->column == column && self->descending == descending)
    return;

  self->column = column;
  self->descending = descending;
  g_clear_pointer (&self->sorted, g_array_unref);
  update_list (self);
}

/**
 * assay_node_table_get_sort:
 * @self: a table
 * @descending: (out) (optional): whether the largest comes first
 *
 * Gets what the list is sorted by.
 *
 * Returns: the column
 */
AssayNodeColumn
assay_node_table_get_sort (AssayNodeTable *self, gboolean *descending)
{
  if (descending != NULL)
    *descending = self->descending;

  return self->column;
}

/**
 * assay_node_table_get_node:
 * @self: a table
 * @position: a row
 *
 * Gets the node of a row.
 *
 * Returns: the node, or %ASSAY_NO_NODE if there is no such row
 */
AssayNodeId
assay_node_table_get_node (AssayNodeTable *self, guint position)
{
  return position < self->nodes->len ? g_array_index (self->nodes, guint32, position)
                                     : ASSAY_NO_NODE;
}

/**
 * assay_node_table_find:
 * @self: a table
 * @node: a node
 *
 * Finds the row of a node, in constant time.
 *
 * Returns: the row, or %G_MAXUINT if the node is not listed
 */
guint
assay_node_table_find (AssayNodeTable *self, AssayNodeId node)
{
  return node < self->n_nodes && self->positions[node] != 0 ? self->positions[node] - 1 : NOWHERE;
}

/**
 * assay_node_table_is_selected:
 * @self: a table
 * @position: a row
 *
 * Tells whether a row is selected.
 *
 * Returns: whether it is
 */
gboolean
assay_node_table_is_selected (AssayNodeTable *self, guint position)
{
  return position < self->nodes->len &&
         self->selected[g_array_index (self->nodes, guint32, position)];
}

/**
 * assay_node_table_mark:
 * @self: a table
 * @position: a row
 * @selected: whether it is to be selected
 *
 * Selects a row or not; nobody is told before assay_node_table_commit().
 */
void
assay_node_table_mark (AssayNodeTable *self, guint position, gboolean selected)
{
  guint8 *mark;

  g_return_if_fail (position < self->nodes->len);

  mark = &self->selected[g_array_index (self->nodes, guint32, position)];
  self->n_selected += (guint) (selected != 0) - *mark;
  *mark = selected != 0;
}

/**
 * assay_node_table_commit:
 * @self: a table
 * @position: the row that the user chose last, or %G_MAXUINT
 *
 * Ends a change of what is selected. The session selects the row that was chosen last if it is
 * selected, else keeps what it has if that is, else takes the first row that is.
 */
void
assay_node_table_commit (AssayNodeTable *self, guint position)
{
  AssayNodeId node = ASSAY_NO_NODE;

  if (assay_node_table_is_selected (self, position))
    node = g_array_index (self->nodes, guint32, position);
  else if (self->session->selection < self->n_nodes && self->selected[self->session->selection])
    node = self->session->selection;
  for (guint i = 0; node == ASSAY_NO_NODE && self->n_selected > 0 && i < self->nodes->len; i++)
    if (assay_node_table_is_selected (self, i))
      node = g_array_index (self->nodes, guint32, i);

  self->syncing = TRUE;
  assay_session_set_selection (self->session, node);
  self->syncing = FALSE;
  g_object_notify_by_pspec (G_OBJECT (self), properties[PROP_N_SELECTED]);
}

/**
 * assay_node_table_get_n_selected:
 * @self: a table
 *
 * Counts the selected nodes.
 *
 * Returns: the number
 */
guint
assay_node_table_get_n_selected (AssayNodeTable *self)
{
  return self->n_selected;
}

/**
 * assay_node_table_list_selected:
 * @self: a table
 *
 * Lists the selected nodes in the order of the list.
 *
 * Returns: (transfer full) (element-type guint32): the nodes
 */
GArray *
assay_node_table_list_selected (AssayNodeTable *self)
{
  GArray *nodes = g_array_new (FALSE, FALSE, sizeof (guint32));

  for (guint i = 0; i < self->nodes->len && nodes->len < self->n_selected; i++)
    if (assay_node_table_is_selected (self, i))
      g_array_append_val (nodes, g_array_index (self->nodes, guint32, i));

  return nodes;
}

/**
 * assay_node_table_list:
 * @self: a table
 *
 * Lists all nodes that are shown, in their order.
 *
 * Returns: (transfer full) (element-type guint32): the nodes
 */
GArray *
assay_node_table_list (AssayNodeTable *self)
{
  return g_array_copy (self->nodes);
}

/**
 * assay_node_table_sum_selected:
 * @self: a table
 *
 * Adds up what is known of the selected nodes.
 *
 * Returns: the sums
 */
AssayNodeSums
assay_node_table_sum_selected (AssayNodeTable *self)
{
  const AssayNodeFacts *facts = assay_node_table_get_facts (self);
  g_autoptr (GArray) nodes = assay_node_table_list_selected (self);
  AssayNodeSums sums = { .n = nodes->len };

  for (guint i = 0; i < nodes->len; i++)
    {
      guint32 node = g_array_index (nodes, guint32, i);

      sums.parameters += facts->parameters[node];
      if (facts->activations[node] >= 0)
        {
          sums.activations += facts->activations[node];
          sums.n_activations++;
        }
      if (facts->cycles[node] >= 0)
        {
          sums.cycles += facts->cycles[node];
          sums.n_cycles++;
        }
    }

  return sums;
}
