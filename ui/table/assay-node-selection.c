/* assay-node-selection.c
 * SPDX-License-Identifier: Apache-2.0
 */
#include "ui/table/assay-node-selection.h"

struct _AssayNodeSelection
{
  AssayRowList parent_instance;

  AssayNodeTable *table;
};

static void selection_model_init (GtkSelectionModelInterface *iface);

G_DEFINE_FINAL_TYPE_WITH_CODE (AssayNodeSelection, assay_node_selection, ASSAY_TYPE_ROW_LIST,
                               G_IMPLEMENT_INTERFACE (GTK_TYPE_SELECTION_MODEL,
                                                      selection_model_init))

/* The list is that of the table. */

static gpointer
make_row (AssayRowList *list, guint position)
{
  return g_list_model_get_item (G_LIST_MODEL (ASSAY_NODE_SELECTION (list)->table), position);
}

static void
items_changed_cb (AssayNodeSelection *self)
{
  assay_row_list_replace (ASSAY_ROW_LIST (self),
                          g_list_model_get_n_items (G_LIST_MODEL (self->table)));
}

/* The selection. */

static gboolean
is_selected (GtkSelectionModel *model, guint position)
{
  return assay_node_table_is_selected (ASSAY_NODE_SELECTION (model)->table, position);
}

static GtkBitset *
get_selection_in_range (GtkSelectionModel *model, guint position, guint n_items)
{
  AssayNodeTable *table = ASSAY_NODE_SELECTION (model)->table;
  GtkBitset *bits = gtk_bitset_new_empty ();

  for (guint i = 0; i < n_items; i++)
    if (assay_node_table_is_selected (table, position + i))
      gtk_bitset_add (bits, position + i);

  return bits;
}

static void
mark_range (AssayNodeSelection *self, guint position, guint n_items, gboolean selected)
{
  guint n = g_list_model_get_n_items (G_LIST_MODEL (self));

  for (guint i = position; i < n && i - position < n_items; i++)
    assay_node_table_mark (self->table, i, selected);
}

static gboolean
select_range (GtkSelectionModel *model, guint position, guint n_items, gboolean unselect_rest)
{
  AssayNodeSelection *self = ASSAY_NODE_SELECTION (model);

  if (unselect_rest)
    mark_range (self, 0, G_MAXUINT, FALSE);
  mark_range (self, position, n_items, TRUE);
  assay_node_table_commit (self->table, n_items == 1 ? position : G_MAXUINT);
  return TRUE;
}

static gboolean
unselect_range (GtkSelectionModel *model, guint position, guint n_items)
{
  AssayNodeSelection *self = ASSAY_NODE_SELECTION (model);

  mark_range (self, position, n_items, FALSE);
  assay_node_table_commit (self->table, G_MAXUINT);
  return TRUE;
}

static gboolean
select_item (GtkSelectionModel *model, guint position, gboolean unselect_rest)
{
  return select_range (model, position, 1, unselect_rest);
}

static gboolean
unselect_item (GtkSelectionModel *model, guint position)
{
  return unselect_range (model, position, 1);
}

static gboolean
select_all (GtkSelectionModel *model)
{
  return select_range (model, 0, G_MAXUINT, FALSE);
}

static gboolean
unselect_all (GtkSelectionModel *model)
{
  return unselect_range (model, 0, G_MAXUINT);
}

static gboolean
set_selection (GtkSelectionModel *model, GtkBitset *selected, GtkBitset *mask)
{
  AssayNodeSelection *self = ASSAY_NODE_SELECTION (model);
  guint n = g_list_model_get_n_items (G_LIST_MODEL (self));
  GtkBitsetIter iter;
  guint position;

  for (gboolean more = gtk_bitset_iter_init_first (&iter, mask, &position); more && position < n;
       more = gtk_bitset_iter_next (&iter, &position))
    assay_node_table_mark (self->table, position, gtk_bitset_contains (selected, position));
  assay_node_table_commit (self->table, G_MAXUINT);
  return TRUE;
}

static void
selection_model_init (GtkSelectionModelInterface *iface)
{
  iface->is_selected = is_selected;
  iface->get_selection_in_range = get_selection_in_range;
  iface->select_item = select_item;
  iface->unselect_item = unselect_item;
  iface->select_range = select_range;
  iface->unselect_range = unselect_range;
  iface->select_all = select_all;
  iface->unselect_all = unselect_all;
  iface->set_selection = set_selection;
}

static void
n_selected_cb (AssayNodeSelection *self)
{
  guint n = g_list_model_get_n_items (G_LIST_MODEL (self));

  if (n > 0)
    gtk_selection_model_selection_changed (GTK_SELECTION_MODEL (self), 0, n);
}

static void
assay_node_selection_finalize (GObject *object)
{
  g_clear_object (&ASSAY_NODE_SELECTION (object)->table);

  G_OBJECT_CLASS (assay_node_selection_parent_class)->finalize (object);
}

static void
assay_node_selection_class_init (AssayNodeSelectionClass *klass)
{
  G_OBJECT_CLASS (klass)->finalize = assay_node_selection_finalize;
  ASSAY_ROW_LIST_CLASS (klass)->row_type = ASSAY_TYPE_NODE_ITEM;
  ASSAY_ROW_LIST_CLASS (klass)->make_row = make_row;
}

static void
assay_node_selection_init (AssayNodeSelection *self)
{
}

/**
 * assay_node_selection_new:
 * @table: a table
 *
 * Shows the selected nodes of a table to lists.
 *
 * Returns: (transfer full): the selection
 */
GtkSelectionModel *
assay_node_selection_new (AssayNodeTable *table)
{
  AssayNodeSelection *self = g_object_new (ASSAY_TYPE_NODE_SELECTION, NULL);

  self->table = g_object_ref (table);
  items_changed_cb (self);
  g_signal_connect_object (table, "items-changed", G_CALLBACK (items_changed_cb), self,
                           G_CONNECT_SWAPPED);
  g_signal_connect_object (table, "notify::n-selected", G_CALLBACK (n_selected_cb), self,
                           G_CONNECT_SWAPPED);
  return GTK_SELECTION_MODEL (self);
}
