/* assay-tensor-table.c
 * SPDX-License-Identifier: Apache-2.0
 */
#include "ui/tensor/assay-tensor-table.h"

#include "draw/assay-memory-scene.h"
#include "ui/table/assay-column-fit.h"
#include "ui/table/assay-columns.h"
#include "ui/tensor/assay-tensor-item.h"
#include "ui/window/assay-ui.h"

struct _AssayTensorTable
{
  GtkWidget parent_instance;

  AssaySession *session;
  guint store;
  GListStore *rows;
  GtkSingleSelection *selection;
  GtkWidget *view;
  GtkWidget *scrolled;
  GtkColumnViewColumn *size_column;
  GtkColumnViewColumn *change_column;
  gboolean syncing;
};

G_DEFINE_FINAL_TYPE (AssayTensorTable, assay_tensor_table, GTK_TYPE_WIDGET)

static const AssayCellMark *
get_mark (gpointer item)
{
  static const AssayCellMark marks[] = {
    [ASSAY_TENSOR_STAYS] = { NULL, NULL },
    [ASSAY_TENSOR_NEW] = { "list-add-symbolic", "error" },
    [ASSAY_TENSOR_GONE] = { "list-remove-symbolic", "success" },
  };

  return &marks[assay_tensor_item_get_change (item)];
}

static const AssayColumn columns[ASSAY_N_TENSOR_COLUMNS] = {
  [ASSAY_TENSOR_COLUMN_CHANGE] = { "Since Pin", FALSE, FALSE, get_mark },
  [ASSAY_TENSOR_COLUMN_NAME] = { "Tensor", FALSE, TRUE },
  [ASSAY_TENSOR_COLUMN_KIND] = { "Kind", FALSE, FALSE, NULL, 1 },
  [ASSAY_TENSOR_COLUMN_BLOCKS] = { "Blocks", TRUE, FALSE },
  [ASSAY_TENSOR_COLUMN_ADDRESS] = { "Address", TRUE, FALSE, NULL, 3 },
  [ASSAY_TENSOR_COLUMN_BORN] = { "Born", TRUE, FALSE, NULL, 5 },
  [ASSAY_TENSOR_COLUMN_LAST_READ] = { "Last Read", TRUE, FALSE, NULL, 4 },
  [ASSAY_TENSOR_COLUMN_KEPT_BY] = { "Kept By", FALSE, TRUE, NULL, 2 },
  [ASSAY_TENSOR_COLUMN_COPIES] = { "Copies", FALSE, FALSE, NULL, 7 },
  [ASSAY_TENSOR_COLUMN_COST] = { "× Steps", TRUE, FALSE, NULL, 6 },
};

static char *
dup_text (gpointer item, guint column)
{
  return assay_tensor_item_dup_text (item, column);
}

static int
compare (gpointer a, gpointer b, guint column)
{
  return assay_tensor_item_compare (a, b, column);
}

static void
selected_cb (AssayTensorTable *self)
{
  AssayTensorItem *item = gtk_single_selection_get_selected_item (self->selection);
  gboolean other = assay_columns_selects_other (self->selection);
  AssayCompilation *compilation;
  AssayMemoryMap *map;
  const char *name;

  if (self->syncing || !other)
    return;

  compilation = assay_session_get_compilation (self->session);
  map = assay_compilation_get_memory (compilation);
  if (map == NULL)
    return;

  name = assay_compilation_get_node_name (
      compilation, assay_memory_map_get_tensor (map, assay_tensor_item_get_tensor (item))->node);
  self->syncing = TRUE;
  if (*name == '\0' || !assay_session_select_name (self->session, name))
    assay_session_set_selection (self->session, ASSAY_NO_NODE);
  assay_compilation_set_tensor (compilation, assay_tensor_item_get_tensor (item));
  self->syncing = FALSE;
}

static void
follow_tensor (AssayTensorTable *self)
{
  AssayCompilation *compilation = assay_session_get_compilation (self->session);
  AssayMemoryMap *map = assay_compilation_get_memory (compilation);
  guint32 tensor = assay_compilation_get_tensor (compilation);
  GListModel *model = G_LIST_MODEL (self->selection);
  guint found = GTK_INVALID_LIST_POSITION;

  if (self->syncing)
    return;

  for (guint i = 0; i < g_list_model_get_n_items (model) && tensor != ASSAY_NO_TENSOR; i++)
    {
      g_autoptr (AssayTensorItem) item = g_list_model_get_item (model, i);

      if (assay_memory_map_is_one_tensor (map, assay_tensor_item_get_tensor (item), tensor))
        found = i;
    }

  self->syncing = TRUE;
  gtk_single_selection_set_selected (self->selection, found);
  self->syncing = FALSE;
}

static gboolean
lives_at (const AssayMemoryMap *map, guint32 tensor, guint32 step)
{
  const AssayPlanned *planned = assay_memory_map_get_tensor (map, tensor);

  return planned->born <= step && planned->died >= step;
}

static void
add_groups (AssayMemoryMap *map, GArray *tensors, AssayTensorChange change, GPtrArray *items)
{
  g_autoptr (GPtrArray) groups = assay_memory_map_group (map, tensors);

  while (groups->len > 0)
    g_ptr_array_add (items, assay_tensor_item_new (
                                map, g_ptr_array_steal_index (groups, groups->len - 1), change));
}

/* What lies there at a step. With @other, what lies there at that step too is as it was or, for
 * those that are @gone, left out. */
static void
add_items (AssayTensorTable *self, AssayMemoryMap *map, guint32 step, guint32 other, gboolean gone,
           GPtrArray *items)
{
  guint core = assay_compilation_get_core (assay_session_get_compilation (self->session));
  g_autoptr (GArray) live = assay_memory_map_list_live (map, core, self->store, step);
  g_autoptr (GArray) same = g_array_new (FALSE, FALSE, sizeof (guint32));
  g_autoptr (GArray) changed = g_array_new (FALSE, FALSE, sizeof (guint32));

  for (guint i = 0; i < live->len; i++)
    {
      guint32 tensor = g_array_index (live, guint32, i);
      gboolean stays = other == ASSAY_NO_STEP || lives_at (map, tensor, other);

      if (!gone || !stays)
        g_array_append_val (stays ? same : changed, tensor);
    }
  add_groups (map, same, ASSAY_TENSOR_STAYS, items);
  add_groups (map, changed, gone ? ASSAY_TENSOR_GONE : ASSAY_TENSOR_NEW, items);
}

static void
update (AssayTensorTable *self)
{
  AssayCompilation *compilation = assay_session_get_compilation (self->session);
  AssayMemoryMap *map = assay_compilation_get_memory (compilation);
  g_autoptr (GPtrArray) items = g_ptr_array_new_with_free_func (g_object_unref);

  if (map != NULL && assay_memory_map_has_steps (map, self->store))
    {
      guint32 playhead = assay_compilation_get_playhead (compilation);
      guint32 pinned = assay_compilation_get_pinned (compilation);

      add_items (self, map, playhead, pinned, FALSE, items);
      if (pinned != ASSAY_NO_STEP)
        add_items (self, map, pinned, playhead, TRUE, items);
    }
  assay_column_fit_set_wanted (GTK_COLUMN_VIEW (self->view), self->change_column,
                               assay_compilation_get_pinned (compilation) != ASSAY_NO_STEP);

  self->syncing = TRUE;
  g_list_store_splice (self->rows, 0, g_list_model_get_n_items (G_LIST_MODEL (self->rows)),
                       items->pdata, items->len);
  self->syncing = FALSE;
  follow_tensor (self);
}

static void
set_size_title (AssayTensorTable *self)
{
  gtk_column_view_column_set_title (self->size_column, assay_ui_counts_bytes () ? "KiB" : "Blocks");
}

static void
assay_tensor_table_dispose (GObject *object)
{
  AssayTensorTable *self = ASSAY_TENSOR_TABLE (object);

  g_clear_pointer (&self->scrolled, gtk_widget_unparent);
  g_clear_object (&self->rows);
  g_clear_object (&self->selection);
  g_clear_object (&self->session);

  G_OBJECT_CLASS (assay_tensor_table_parent_class)->dispose (object);
}

static void
assay_tensor_table_class_init (AssayTensorTableClass *klass)
{
  G_OBJECT_CLASS (klass)->dispose = assay_tensor_table_dispose;

  gtk_widget_class_set_layout_manager_type (GTK_WIDGET_CLASS (klass), GTK_TYPE_BIN_LAYOUT);
  gtk_widget_class_set_accessible_role (GTK_WIDGET_CLASS (klass), GTK_ACCESSIBLE_ROLE_GROUP);
}

static void
assay_tensor_table_init (AssayTensorTable *self)
{
  GtkSortListModel *sorted;

  self->store = ASSAY_NO_STORE;
  self->rows = g_list_store_new (ASSAY_TYPE_TENSOR_ITEM);
  self->view = gtk_column_view_new (NULL);
  sorted = gtk_sort_list_model_new (
      g_object_ref (G_LIST_MODEL (self->rows)),
      g_object_ref (gtk_column_view_get_sorter (GTK_COLUMN_VIEW (self->view))));
  self->selection = gtk_single_selection_new (G_LIST_MODEL (sorted));
  gtk_single_selection_set_autoselect (self->selection, FALSE);
  gtk_single_selection_set_can_unselect (self->selection, TRUE);
  gtk_column_view_set_model (GTK_COLUMN_VIEW (self->view), GTK_SELECTION_MODEL (self->selection));
  gtk_column_view_set_show_row_separators (GTK_COLUMN_VIEW (self->view), TRUE);
  gtk_accessible_update_property (GTK_ACCESSIBLE (self->view), GTK_ACCESSIBLE_PROPERTY_LABEL,
                                  "Tensors at the playhead", -1);
  for (guint i = 0; i < ASSAY_N_TENSOR_COLUMNS; i++)
    {
      GtkColumnViewColumn *column = assay_columns_add (GTK_COLUMN_VIEW (self->view), &columns[i], i,
                                                       dup_text, compare);

      if (i == ASSAY_TENSOR_COLUMN_CHANGE)
        self->change_column = column;
      if (i == ASSAY_TENSOR_COLUMN_BLOCKS)
        {
          gtk_column_view_sort_by_column (GTK_COLUMN_VIEW (self->view), column,
                                          GTK_SORT_DESCENDING);
          self->size_column = column;
        }
    }
  set_size_title (self);
  g_signal_connect_swapped (self->selection, "notify::selected", G_CALLBACK (selected_cb), self);

  self->scrolled = gtk_scrolled_window_new ();
  gtk_scrolled_window_set_child (GTK_SCROLLED_WINDOW (self->scrolled), self->view);
  gtk_widget_set_parent (self->scrolled, GTK_WIDGET (self));
}

void
assay_tensor_table_set_session (AssayTensorTable *self, AssaySession *session)
{
  AssayCompilation *compilation = assay_session_get_compilation (session);

  g_set_object (&self->session, session);
  g_signal_connect_object (compilation, "notify::state", G_CALLBACK (update), self,
                           G_CONNECT_SWAPPED);
  g_signal_connect_object (compilation, "notify::core", G_CALLBACK (update), self,
                           G_CONNECT_SWAPPED);
  g_signal_connect_object (compilation, "notify::playhead", G_CALLBACK (update), self,
                           G_CONNECT_SWAPPED);
  g_signal_connect_object (compilation, "notify::pinned", G_CALLBACK (update), self,
                           G_CONNECT_SWAPPED);
  g_signal_connect_object (compilation, "notify::tensor", G_CALLBACK (follow_tensor), self,
                           G_CONNECT_SWAPPED);
  update (self);
}

/**
 * assay_tensor_table_set_store:
 * @self: a table
 * @store: a store with steps; any other leaves the table empty
 *
 * Shows what lies in another store.
 */
void
assay_tensor_table_set_store (AssayTensorTable *self, guint store)
{
  self->store = store;
  if (self->session != NULL)
    update (self);
}

/**
 * assay_tensor_table_get_rows:
 * @self: a table
 *
 * Gets the rows, unsorted.
 *
 * Returns: (transfer none): a list of #AssayTensorItem
 */
GListModel *
assay_tensor_table_get_rows (AssayTensorTable *self)
{
  return G_LIST_MODEL (self->rows);
}

/**
 * assay_tensor_table_update_format:
 * @self: a table
 *
 * Writes sizes and addresses anew, after the user chose another unit or base.
 */
void
assay_tensor_table_update_format (AssayTensorTable *self)
{
  set_size_title (self);
  if (self->session != NULL)
    update (self);
}
