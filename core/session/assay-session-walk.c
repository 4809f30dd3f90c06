/* assay-session-walk.c
 * SPDX-License-Identifier: Apache-2.0
 *
 * What is selected, and the walk over findings and their nodes.
 */
#include "session/assay-session-private.h"

static AssayNodeId
find_node (AssayGraph *graph, const char *name)
{
  for (AssayNodeId id = 1; id < assay_graph_n_nodes (graph); id++)
    {
      const AssayNode *node = assay_graph_node (graph, id);

      if (g_str_equal (node->name, name))
        return id;
      for (guint i = 0; i < node->n_origins; i++)
        if (g_str_equal (g_array_index (graph->origins, AssayOrigin, node->origins[i]).name, name))
          return id;
    }

  return ASSAY_NO_NODE;
}

/**
 * assay_session_get_finding:
 * @self: a session
 *
 * Gets which finding is being looked at.
 *
 * Returns: its position in the list, or -1
 */
int
assay_session_get_finding (AssaySession *self)
{
  return self->finding;
}

static GArray *
finding_nodes (AssaySession *self)
{
  g_autoptr (AssayFindingItem) item = NULL;

  if (self->finding < 0)
    return NULL;

  item = g_list_model_get_item (G_LIST_MODEL (self->items), (guint) self->finding);
  return item != NULL ? assay_finding_item_get_nodes (item) : NULL;
}

/**
 * assay_session_set_finding:
 * @self: a session
 * @finding: position in the list, or -1
 *
 * Looks at a finding: selects its first node, unless one of its nodes is selected already.
 */
void
assay_session_set_finding (AssaySession *self, int finding)
{
  GArray *nodes;

  g_return_if_fail (ASSAY_IS_SESSION (self));

  finding = MIN (finding, (int) g_list_model_get_n_items (G_LIST_MODEL (self->items)) - 1);
  if (self->finding != finding)
    {
      self->finding = finding;
      g_object_notify (G_OBJECT (self), "finding");
    }

  nodes = finding_nodes (self);
  if (nodes == NULL || nodes->len == 0)
    return;

  for (guint i = 0; i < nodes->len; i++)
    if (g_array_index (nodes, AssayNodeId, i) == self->selection)
      return;

  assay_session_set_selection (self, g_array_index (nodes, AssayNodeId, 0));
}

/**
 * assay_session_step_finding:
 * @self: a session
 * @direction: 1 for the next one, -1 for the one before
 *
 * Goes to the next finding, around the end.
 *
 * Returns: whether there is any
 */
gboolean
assay_session_step_finding (AssaySession *self, int direction)
{
  int n = (int) g_list_model_get_n_items (G_LIST_MODEL (self->items));
  int next;

  if (n == 0)
    return FALSE;

  next = self->finding < 0 ? (direction > 0 ? 0 : n - 1) : (self->finding + direction + n) % n;
  assay_session_set_finding (self, next);
  return TRUE;
}

/**
 * assay_session_step_node:
 * @self: a session
 * @direction: 1 for the next one, -1 for the one before
 *
 * Goes to the next node of the finding, around the end.
 *
 * Returns: whether there is any
 */
gboolean
assay_session_step_node (AssaySession *self, int direction)
{
  GArray *nodes = finding_nodes (self);
  int n;

  if (nodes == NULL || nodes->len == 0)
    return FALSE;

  n = (int) nodes->len;
  for (int i = 0; i < n; i++)
    if (g_array_index (nodes, AssayNodeId, i) == self->selection)
      {
        assay_session_set_selection (self,
                                     g_array_index (nodes, AssayNodeId, (i + direction + n) % n));
        return TRUE;
      }

  assay_session_set_selection (self, g_array_index (nodes, AssayNodeId, direction > 0 ? 0 : n - 1));
  return TRUE;
}

/**
 * assay_session_set_hover:
 * @self: a session
 * @node: a node of the checked graph, or 0
 *
 * Marks the node under the pointer in all views.
 */
void
assay_session_set_hover (AssaySession *self, AssayNodeId node)
{
  g_return_if_fail (ASSAY_IS_SESSION (self));

  if (self->hover == node)
    return;

  self->hover = node;
  g_object_notify (G_OBJECT (self), "hover");
}

/**
 * assay_session_get_filter:
 * @self: a session
 *
 * Gets which verdicts are shown.
 *
 * Returns: bits `1 << kind`, 0 for all
 */
guint
assay_session_get_filter (AssaySession *self)
{
  return self->filter;
}

/**
 * assay_session_set_filter:
 * @self: a session
 * @filter: set of verdicts as bits `1 << kind`, 0 for all
 *
 * Shows only some verdicts.
 */
void
assay_session_set_filter (AssaySession *self, guint filter)
{
  g_return_if_fail (ASSAY_IS_SESSION (self));

  if (self->filter == filter)
    return;

  self->filter = filter;
  g_object_notify (G_OBJECT (self), "filter");
}

/**
 * assay_session_get_hits:
 * @self: a session
 *
 * Gets what was searched for and found.
 *
 * Returns: (transfer none) (nullable) (element-type guint32): nodes of the checked graph, %NULL if
 * nothing is searched for
 */
const GArray *
assay_session_get_hits (AssaySession *self)
{
  return self->hits;
}

/**
 * assay_session_set_hits:
 * @self: a session
 * @hits: (nullable) (element-type guint32): nodes of the checked graph
 *
 * Marks in all views what a search found.
 */
void
assay_session_set_hits (AssaySession *self, GArray *hits)
{
  g_return_if_fail (ASSAY_IS_SESSION (self));

  if (self->hits == NULL && hits == NULL)
    return;

  g_clear_pointer (&self->hits, g_array_unref);
  self->hits = hits != NULL ? g_array_ref (hits) : NULL;
  g_object_notify (G_OBJECT (self), "hits");
}

/**
 * assay_session_get_selection:
 * @self: a session
 *
 * Gets the selected node of the checked graph.
 *
 * Returns: the node, or 0
 */
AssayNodeId
assay_session_get_selection (AssaySession *self)
{
  return self->selection;
}

/**
 * assay_session_set_selection:
 * @self: a session
 * @node: a node of the checked graph, or 0
 *
 * Selects a node in all views.
 */
void
assay_session_set_selection (AssaySession *self, AssayNodeId node)
{
  g_return_if_fail (ASSAY_IS_SESSION (self));

  if (self->verdicts == NULL || node >= assay_graph_n_nodes (self->verdicts->graph))
    node = ASSAY_NO_NODE;
  if (self->selection == node)
    return;

  self->selection = node;
  g_object_notify (G_OBJECT (self), "selection");
}

/**
 * assay_session_find_name:
 * @self: a session
 * @name: name of a node, also that of an ONNX node it stands for
 *
 * Finds a node of the checked graph by name.
 *
 * Returns: the node, or 0
 */
AssayNodeId
assay_session_find_name (AssaySession *self, const char *name)
{
  g_return_val_if_fail (ASSAY_IS_SESSION (self), ASSAY_NO_NODE);

  return self->verdicts != NULL ? find_node (self->verdicts->graph, name) : ASSAY_NO_NODE;
}

/**
 * assay_session_select_name:
 * @self: a session
 * @name: name of a node, also that of an ONNX node it stands for
 *
 * Selects a node by name.
 *
 * Returns: whether there is one
 */
gboolean
assay_session_select_name (AssaySession *self, const char *name)
{
  AssayNodeId node;

  g_return_val_if_fail (ASSAY_IS_SESSION (self), FALSE);

  node = assay_session_find_name (self, name);
  if (node == ASSAY_NO_NODE)
    return FALSE;

  assay_session_set_selection (self, node);
  return TRUE;
}

/**
 * assay_session_is_selected:
 * @self: a session
 * @name: name of a node, also that of an ONNX node it stands for
 *
 * Tells whether a name is that of the selected node.
 *
 * Returns: whether it is; never for ""
 */
gboolean
assay_session_is_selected (AssaySession *self, const char *name)
{
  const AssayNode *node;

  g_return_val_if_fail (ASSAY_IS_SESSION (self), FALSE);

  if (self->verdicts == NULL || self->selection == ASSAY_NO_NODE || *name == '\0')
    return FALSE;

  node = assay_graph_node (self->verdicts->graph, self->selection);
  if (g_str_equal (node->name, name))
    return TRUE;
  for (guint i = 0; i < node->n_origins; i++)
    if (g_str_equal (
            g_array_index (self->verdicts->graph->origins, AssayOrigin, node->origins[i]).name,
            name))
      return TRUE;

  return FALSE;
}
