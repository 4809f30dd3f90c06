/* assay-session-marks.c
 * SPDX-License-Identifier: Apache-2.0
 *
 * What is marked on nodes: pins with notes, which people set, and what a rewrite would do, which
 * lists of fixes set.
 */
#include "session/assay-session-private.h"

#include <string.h>

/**
 * assay_session_is_pinned:
 * @self: a session
 * @node: a node of the checked graph
 *
 * Tells whether a node is pinned.
 *
 * Returns: whether it is
 */
gboolean
assay_session_is_pinned (AssaySession *self, AssayNodeId node)
{
  g_return_val_if_fail (ASSAY_IS_SESSION (self), FALSE);

  return self->verdicts != NULL && node != ASSAY_NO_NODE &&
         node < assay_graph_n_nodes (self->verdicts->graph) &&
         assay_edits_get_note (assay_session_get_edits (self),
                               assay_graph_node (self->verdicts->graph, node)->name) != NULL;
}

/**
 * assay_session_get_note:
 * @self: a session
 * @name: name of a node
 *
 * Gets what was noted on a pinned node.
 *
 * Returns: (transfer none) (nullable): the note, "" for a pin without one, %NULL if the node is not
 * pinned
 */
const char *
assay_session_get_note (AssaySession *self, const char *name)
{
  g_return_val_if_fail (ASSAY_IS_SESSION (self), NULL);

  return assay_edits_get_note (assay_session_get_edits (self), name);
}

/**
 * assay_session_set_note:
 * @self: a session
 * @name: name of a node; it need not be in the graph of the present target
 * @note: (nullable): "" or a note, which pin the node; %NULL unpins it
 *
 * Pins a node, changes its note, or unpins it. Pins go by name, so they outlive a change of target,
 * setup or file; another model begins without any. Notifies `pins`.
 */
void
assay_session_set_note (AssaySession *self, const char *name, const char *note)
{
  g_return_if_fail (ASSAY_IS_SESSION (self));
  g_return_if_fail (name != NULL && *name != '\0');

  if (g_strcmp0 (assay_session_get_note (self, name), note) == 0)
    return;

  assay_edits_set_note (assay_session_get_edits (self), name, note);
  g_object_notify (G_OBJECT (self), "pins");
  assay_session_note_edit (self);
}

/**
 * assay_session_list_pins:
 * @self: a session
 *
 * Lists the names of pinned nodes, sorted.
 *
 * Returns: (transfer full) (array zero-terminated=1): the names
 */
char **
assay_session_list_pins (AssaySession *self)
{
  g_return_val_if_fail (ASSAY_IS_SESSION (self), NULL);

  return assay_edits_list_notes (assay_session_get_edits (self));
}

static void
mark_nodes (GByteArray *marks, const GArray *nodes, AssayMark mark)
{
  for (guint i = 0; nodes != NULL && i < nodes->len; i++)
    {
      AssayNodeId node = g_array_index (nodes, AssayNodeId, i);

      if (node < marks->len)
        marks->data[node] |= (guint8) mark;
    }
}

/**
 * assay_session_set_marks:
 * @self: a session
 * @added: (nullable) (element-type guint32): nodes of the checked graph beside which a rewrite adds
 * something
 * @removed: (nullable) (element-type guint32): nodes that it removes
 * @changed: (nullable) (element-type guint32): nodes that it changes
 *
 * Marks in all views what a rewrite would do; without any list nothing is marked any more. Marks go
 * with the verdicts they were made for. Notifies `marks`.
 */
void
assay_session_set_marks (AssaySession *self, const GArray *added, const GArray *removed,
                         const GArray *changed)
{
  g_return_if_fail (ASSAY_IS_SESSION (self));

  if (self->marks == NULL && added == NULL && removed == NULL && changed == NULL)
    return;

  g_clear_pointer (&self->marks, g_byte_array_unref);
  if (self->verdicts != NULL && (added != NULL || removed != NULL || changed != NULL))
    {
      self->marks = g_byte_array_new ();
      g_byte_array_set_size (self->marks, assay_graph_n_nodes (self->verdicts->graph));
      memset (self->marks->data, 0, self->marks->len);
      mark_nodes (self->marks, added, ASSAY_MARK_ADDED);
      mark_nodes (self->marks, removed, ASSAY_MARK_REMOVED);
      mark_nodes (self->marks, changed, ASSAY_MARK_CHANGED);
    }
  g_object_notify (G_OBJECT (self), "marks");
}

static GArray *
find_nodes (AssaySession *self, char **names)
{
  GArray *nodes = g_array_new (FALSE, FALSE, sizeof (AssayNodeId));

  for (guint i = 0; names != NULL && names[i] != NULL; i++)
    {
      AssayNodeId node = assay_session_find_name (self, names[i]);

      /* What has come of a node that is gone is told by its own name. */
      if (node != ASSAY_NO_NODE &&
          g_str_equal (assay_graph_node (self->verdicts->graph, node)->name, names[i]))
        g_array_append_val (nodes, node);
    }

  return nodes;
}

/**
 * assay_session_mark_names:
 * @self: a session
 * @added: (nullable) (array zero-terminated=1): names of nodes beside which a rewrite adds
 * something, or that it added
 * @removed: (nullable) (array zero-terminated=1): names of nodes that it removes
 * @changed: (nullable) (array zero-terminated=1): names of nodes that it changes
 *
 * Marks in all views what a rewrite does, as assay_session_set_marks() does. Names that the checked
 * graph does not have are passed over.
 */
void
assay_session_mark_names (AssaySession *self, char **added, char **removed, char **changed)
{
  g_autoptr (GArray) with_added = find_nodes (self, added);
  g_autoptr (GArray) with_removed = find_nodes (self, removed);
  g_autoptr (GArray) with_changed = find_nodes (self, changed);

  assay_session_set_marks (self, with_added, with_removed, with_changed);
}

/**
 * assay_session_dup_marks:
 * @self: a session
 *
 * Gets everything that is marked on nodes, pins included.
 *
 * Returns: (transfer full) (nullable): #AssayMark bits per node of the checked graph, %NULL if
 * nothing is marked
 */
GByteArray *
assay_session_dup_marks (AssaySession *self)
{
  GByteArray *marks;
  guint32 n;

  g_return_val_if_fail (ASSAY_IS_SESSION (self), NULL);

  if (self->verdicts == NULL ||
      (self->marks == NULL && assay_edits_n_notes (assay_session_get_edits (self)) == 0))
    return NULL;

  n = assay_graph_n_nodes (self->verdicts->graph);
  marks = g_byte_array_new ();
  g_byte_array_set_size (marks, n);
  memset (marks->data, 0, n);
  for (AssayNodeId i = 1; i < n; i++)
    marks->data[i] = (guint8) ((self->marks != NULL && i < self->marks->len ? self->marks->data[i]
                                                                            : 0) |
                               (assay_session_is_pinned (self, i) ? ASSAY_MARK_PINNED : 0));

  return marks;
}
