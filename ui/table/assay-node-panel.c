/* assay-node-panel.c
 * SPDX-License-Identifier: Apache-2.0
 */
#include "ui/table/assay-node-panel.h"

#include "base/assay-file-write.h"
#include "base/assay-sentence.h"
#include "ui/window/assay-file-choice.h"
#include "ui/window/assay-file-save.h"
#include "ui/table/assay-node-row.h"
#include "ui/table/assay-node-selection.h"
#include "ui/window/assay-ui.h"
#include "ui/inspector/assay-verdict-text.h"
#include "ui/window/assay-watchdog.h"
#include "ui/window/assay-ui-markup.h"
#include "ui/window/assay-template.h"

/* Rows of the choice of verdicts: any, one each, and several at once, which is not chosen here. */
#define ANY_VERDICT 0
#define SEVERAL_VERDICTS (ASSAY_N_VERDICTS + 1)

struct _AssayNodePanel
{
  GtkWidget parent_instance;

  AssaySession *session;
  AssayNodeTable *table;
  AssayFileChoice *choice;
  GtkStringList *verdicts;
  GSimpleActionGroup *columns;
  gboolean syncing;
  guint idle;

  GtkWidget *box;
  GtkSearchEntry *entry;
  GtkDropDown *verdict_choice;
  GtkMenuButton *columns_button;
  AssayNodeHeader *header;
  GtkStack *stack;
  GtkScrolledWindow *scroller;
  GtkListView *list;
  AdwStatusPage *nothing_page;
  GtkLabel *status;
};

G_DEFINE_FINAL_TYPE (AssayNodePanel, assay_node_panel, GTK_TYPE_WIDGET)

/* Rows. */

static void
setup_cb (GtkListItemFactory *factory, GtkListItem *item, gpointer data)
{
  gtk_list_item_set_child (item, assay_node_row_new (ASSAY_NODE_PANEL (data)->header));
}

static void
bind_cb (GtkListItemFactory *factory, GtkListItem *item, gpointer data)
{
  assay_node_row_bind (ASSAY_NODE_ROW (gtk_list_item_get_child (item)),
                       gtk_list_item_get_item (item));
}

static void
unbind_cb (GtkListItemFactory *factory, GtkListItem *item, gpointer data)
{
  assay_node_row_bind (ASSAY_NODE_ROW (gtk_list_item_get_child (item)), NULL);
}

/* What is shown, and what is selected of it. */

static void
append_sums (AssayNodePanel *self, GString *text)
{
  AssayNodeSums sums = assay_node_table_sum_selected (self->table);
  AssayProgram *program = assay_compilation_get_program (
      assay_session_get_compilation (self->session));
  g_autofree char *parameters = g_format_size_full ((guint64) sums.parameters,
                                                    G_FORMAT_SIZE_IEC_UNITS);
  g_autofree char *activations = g_format_size_full ((guint64) sums.activations,
                                                     G_FORMAT_SIZE_IEC_UNITS);
  g_autofree char *cycles = assay_ui_format_count ((guint64) sums.cycles);
  g_autofree char *count = assay_ui_format_count (sums.n);

  g_string_append_printf (text, "%s selected, parameters %s", count, parameters);
  if (sums.n_activations > 0)
    g_string_append_printf (text, ", activations %s", activations);
  if (sums.n_cycles > 0)
    g_string_append_printf (text, ", %s %s cycle%s", cycles,
                            program != NULL ? assay_program_get_cycles_word (program) : "predicted",
                            assay_plural ((guint64) sums.cycles));
}

static void
update_status (AssayNodePanel *self)
{
  g_autoptr (GString) text = g_string_new (NULL);
  AssayVerdicts *verdicts = assay_session_get_verdicts (self->session);
  guint shown = g_list_model_get_n_items (G_LIST_MODEL (self->table));
  guint all = verdicts != NULL ? assay_graph_n_nodes (verdicts->graph) - 1 : 0;

  if (assay_node_table_get_n_selected (self->table) > 0)
    append_sums (self, text);
  else
    {
      g_autofree char *nodes = assay_ui_format_nodes (all);
      g_autofree char *part = assay_ui_format_count (shown);

      if (shown < all)
        g_string_append_printf (text, "%s of ", part);
      g_string_append (text, nodes);
    }
  gtk_label_set_label (self->status, text->str);
}

static void
show_list (AssayNodePanel *self, const char *trouble)
{
  gboolean any = g_list_model_get_n_items (G_LIST_MODEL (self->table)) > 0;
  g_autofree char *why = !any && trouble == NULL ? assay_node_table_explain_nothing (self->table)
                                                 : NULL;

  adw_status_page_set_title (self->nothing_page, trouble != NULL ? "Not a Filter" : "No Nodes");
  assay_ui_describe (self->nothing_page, trouble != NULL ? trouble : why != NULL ? why : "");
  gtk_stack_set_visible_child_name (self->stack, any && trouble == NULL ? "list" : "nothing");
}

static gboolean
reveal_cb (gpointer data)
{
  AssayNodePanel *self = data;
  guint position = assay_node_table_find (self->table, assay_session_get_selection (self->session));

  self->idle = 0;
  if (position != G_MAXUINT)
    gtk_widget_activate_action (GTK_WIDGET (self->list), "list.scroll-to-item", "u", position);
  return G_SOURCE_REMOVE;
}

/* A list can scroll once it has rows and a height. */
static void
reveal_selection (AssayNodePanel *self)
{
  if (self->idle == 0)
    self->idle = g_idle_add_full (GDK_PRIORITY_REDRAW + 10, reveal_cb, self, NULL);
}

static void
items_changed_cb (AssayNodePanel *self)
{
  gboolean descending;
  AssayNodeColumn column = assay_node_table_get_sort (self->table, &descending);

  assay_node_header_set_sort (self->header, column, descending);
  show_list (self, NULL);
  update_status (self);
  reveal_selection (self);
}

/* Rows that the user chose here are in view already. */
static void
selection_changed_cb (AssayNodePanel *self)
{
  ASSAY_WATCH ("node table selection");

  if (gtk_widget_get_mapped (GTK_WIDGET (self)) &&
      assay_node_table_get_n_selected (self->table) == 1 &&
      gtk_widget_get_focus_child (GTK_WIDGET (self)) == NULL)
    reveal_selection (self);
}

static void
activate_cb (AssayNodePanel *self)
{
  gtk_widget_activate_action (GTK_WIDGET (self), "win.inspect", NULL);
}

static void
set_missing (AssayNodePanel *self, AssayNodeColumn column, gboolean missing)
{
  GAction *action = g_action_map_lookup_action (G_ACTION_MAP (self->columns),
                                                assay_node_column_name (column));

  g_simple_action_set_enabled (G_SIMPLE_ACTION (action), !missing);
  assay_node_header_set_missing (self->header, column, missing);
}

/* All nodes are on the only core that there is. */
static void
update_cores (AssayNodePanel *self)
{
  AssayProgram *program = assay_compilation_get_program (
      assay_session_get_compilation (self->session));

  set_missing (self, ASSAY_NODE_COLUMN_CORES,
               program != NULL && assay_program_get_facts (program)->config->num_cores == 1);
}

/* Numbers that are not known leave their cells empty; the head of the column says why. */
static void
update_unknown (AssayNodePanel *self)
{
  AssayCompilation *compilation = assay_session_get_compilation (self->session);
  const char *reason = assay_compilation_get_reason (compilation);
  gboolean has_program = assay_compilation_get_program (compilation) != NULL;
  g_autofree char *program = NULL;
  AssayActivityState state = assay_activity_get_state (
      ASSAY_ACTIVITY (assay_session_get_compare_activity (self->session)));

  update_cores (self);
  if (!has_program)
    program = g_strdup_printf ("Empty: %s", reason != NULL ? reason : "there is no program yet.");
  else if (assay_activity_get_state (ASSAY_ACTIVITY (compilation)) == ASSAY_ACTIVITY_STALE)
    program = g_strdup ("Of an older program: model, target or setup changed since.");
  else
    program = g_strdup ("Empty: nothing of the program is named after the node.");
  assay_node_header_set_empty (self->header, ASSAY_NODE_COLUMN_CYCLES, !has_program);
  assay_node_header_set_empty (self->header, ASSAY_NODE_COLUMN_CORES, !has_program);
  assay_node_header_set_empty (self->header, ASSAY_NODE_COLUMN_ERROR,
                               state != ASSAY_ACTIVITY_READY && state != ASSAY_ACTIVITY_STALE);
  assay_node_header_set_unknown (self->header, ASSAY_NODE_COLUMN_CYCLES, program);
  assay_node_header_set_unknown (self->header, ASSAY_NODE_COLUMN_CORES, program);
  assay_node_header_set_unknown (
      self->header, ASSAY_NODE_COLUMN_ERROR,
      state == ASSAY_ACTIVITY_READY   ? "Empty: the node was not compared on its own."
      : state == ASSAY_ACTIVITY_STALE ? "Of an older comparison: something changed since."
                                      : "Empty: nothing was compared yet.");
  assay_node_header_set_unknown (self->header, ASSAY_NODE_COLUMN_ACTIVATIONS,
                                 "Empty: a shape is not known; Setup binds it.");
}

/* Filter. */

static void
filter_entry_cb (AssayNodePanel *self)
{
  ASSAY_WATCH ("node table filter");
  g_autoptr (GError) error = NULL;

  if (self->table == NULL)
    return;

  if (!assay_node_table_set_query (self->table, gtk_editable_get_text (GTK_EDITABLE (self->entry)),
                                   &error))
    show_list (self, error->message);
}

static void
stop_search_cb (AssayNodePanel *self)
{
  if (*gtk_editable_get_text (GTK_EDITABLE (self->entry)) != '\0')
    gtk_editable_set_text (GTK_EDITABLE (self->entry), "");
  else
    gtk_widget_activate_action (GTK_WIDGET (self), "win.back", NULL);
}

static void
verdict_chosen_cb (AssayNodePanel *self)
{
  guint chosen = gtk_drop_down_get_selected (self->verdict_choice);

  if (self->syncing || self->session == NULL || chosen >= SEVERAL_VERDICTS)
    return;

  assay_session_set_filter (self->session, chosen == ANY_VERDICT ? 0 : 1u << (chosen - 1));
}

/* The same filter as in the context bar, where several verdicts can be chosen. */
static void
update_verdict (AssayNodePanel *self)
{
  guint filter = assay_session_get_filter (self->session);
  gboolean several = filter != 0 && (filter & (filter - 1)) != 0;

  self->syncing = TRUE;
  if (several && g_list_model_get_n_items (G_LIST_MODEL (self->verdicts)) == SEVERAL_VERDICTS)
    gtk_string_list_append (self->verdicts, "Several Verdicts");
  else if (!several && g_list_model_get_n_items (G_LIST_MODEL (self->verdicts)) > SEVERAL_VERDICTS)
    gtk_string_list_remove (self->verdicts, SEVERAL_VERDICTS);
  gtk_drop_down_set_selected (self->verdict_choice, several ? SEVERAL_VERDICTS
                                                    : filter != 0
                                                        ? (guint) g_bit_nth_lsf (filter, -1) + 1
                                                        : ANY_VERDICT);
  self->syncing = FALSE;
}

/* Columns. */

static void
sort_cb (AssayNodePanel *self, guint column)
{
  ASSAY_WATCH ("node table sort");
  gboolean descending;
  AssayNodeColumn now = assay_node_table_get_sort (self->table, &descending);

  /* Of numbers the largest are looked for, of everything else the first. */
  descending = now == column
                   ? !descending
                   : assay_node_column_is_number (column) && column != ASSAY_NODE_COLUMN_NUMBER;
  assay_node_table_sort (self->table, column, descending);
}

static void
toggle_column_cb (GSimpleAction *action, GVariant *state, gpointer data)
{
  AssayNodePanel *self = data;

  for (guint i = 0; i < ASSAY_N_NODE_COLUMNS; i++)
    if (g_str_equal (g_action_get_name (G_ACTION (action)), assay_node_column_name (i)))
      assay_node_header_choose (self->header, i, g_variant_get_boolean (state));
}

/* The menu says what is shown, also after a column gave way for want of room. */
static void
header_changed_cb (AssayNodePanel *self)
{
  for (guint i = 0; i < ASSAY_N_NODE_COLUMNS; i++)
    {
      GAction *action = g_action_map_lookup_action (G_ACTION_MAP (self->columns),
                                                    assay_node_column_name (i));

      g_simple_action_set_state (
          G_SIMPLE_ACTION (action),
          g_variant_new_boolean (assay_node_header_get_shown (self->header, i)));
    }
}

static const char *
find_longest_name (const AssayGraph *graph)
{
  const char *longest = NULL;

  for (AssayNodeId i = 1; i < assay_graph_n_nodes (graph); i++)
    {
      const char *name = assay_graph_node (graph, i)->name;

      if (longest == NULL || strlen (name) > strlen (longest))
        longest = name;
    }

  return longest;
}

/* Only of a quantised model there are positions to show. */
static void
verdicts_changed_cb (AssayNodePanel *self)
{
  AssayVerdicts *verdicts = assay_session_get_verdicts (self->session);

  if (verdicts != NULL)
    assay_node_header_set_longest_name (self->header, find_longest_name (verdicts->graph));
  set_missing (self, ASSAY_NODE_COLUMN_POSITIONS,
               verdicts == NULL || !assay_verdicts_has_positions (verdicts));
}

static void
fill_columns (AssayNodePanel *self)
{
  g_autoptr (GMenu) menu = g_menu_new ();

  self->columns = g_simple_action_group_new ();
  for (guint i = 0; i < ASSAY_N_NODE_COLUMNS; i++)
    {
      const char *name = assay_node_column_name (i);
      g_autofree char *detailed = g_strdup_printf ("columns.%s", name);
      g_autoptr (GSimpleAction)
          action = g_simple_action_new_stateful (name, NULL, g_variant_new_boolean (TRUE));

      g_signal_connect_object (action, "change-state", G_CALLBACK (toggle_column_cb), self, 0);
      g_action_map_add_action (G_ACTION_MAP (self->columns), G_ACTION (action));
      g_menu_append (menu, assay_node_header_get_title (i), detailed);
    }
  gtk_widget_insert_action_group (GTK_WIDGET (self), "columns", G_ACTION_GROUP (self->columns));
  gtk_menu_button_set_menu_model (self->columns_button, G_MENU_MODEL (menu));
  g_signal_connect_object (self->header, "changed", G_CALLBACK (header_changed_cb), self,
                           G_CONNECT_SWAPPED);
}

/* Export. */

typedef struct
{
  AssayNodeFacts *facts;
  GArray *nodes;
  GBytes *bytes; /* out */
} Export;

static Export *
export_new (AssayNodePanel *self, gboolean selected)
{
  Export *export = g_new0 (Export, 1);

  export->facts = assay_node_facts_ref (assay_node_table_get_facts (self->table));
  export->nodes = selected && assay_node_table_get_n_selected (self->table) > 0
                      ? assay_node_table_list_selected (self->table)
                      : assay_node_table_list (self->table);

  return export;
}

static void
export_free (gpointer data)
{
  Export *export = data;

  assay_node_facts_unref (export->facts);
  g_array_unref (export->nodes);
  g_clear_pointer (&export->bytes, g_bytes_unref);
  g_free (export);
}

static gboolean
save_rows (gpointer what, const char *path, const AssayProgress *progress, GError **error)
{
  Export *export = what;
  gsize size;
  const char *data;

  export->bytes = assay_node_facts_to_csv (export->facts,
                                           (const guint32 *) (gconstpointer) export->nodes->data,
                                           export->nodes->len, progress);
  data = g_bytes_get_data (export->bytes, &size);

  return assay_progress_check (progress, error) && assay_file_write (path, data, size, error);
}

static gboolean
write_rows (gpointer request, const AssayProgress *progress, GError **error)
{
  Export *export = request;

  export->bytes = assay_node_facts_to_tsv (export->facts,
                                           (const guint32 *) (gconstpointer) export->nodes->data,
                                           export->nodes->len, progress);

  return assay_progress_check (progress, error);
}

static void
rows_written (gpointer owner, gpointer request, const GError *error)
{
  const Export *export = request;
  g_autofree char *count = assay_ui_format_nodes (export->nodes->len);
  g_autofree char *text = g_strdup_printf ("Copied %s", count);
  g_autofree char *rows = NULL;

  if (error != NULL)
    return;

  rows = g_strndup (g_bytes_get_data (export->bytes, NULL), g_bytes_get_size (export->bytes));
  gdk_clipboard_set_text (gtk_widget_get_clipboard (owner), rows);
  assay_ui_toast (owner, text);
}

/* 50,000 rows take longer to write than a frame may. */
static void
copy_cb (AssayNodePanel *self)
{
  g_autoptr (AssayJob) job = NULL;

  if (assay_node_table_get_facts (self->table) == NULL)
    return;

  job = assay_session_add_job (self->session, "Writing rows");
  assay_job_start (job, write_rows, export_new (self, TRUE), export_free, rows_written, self);
}

static void
copy_action (GtkWidget *widget, const char *name, GVariant *parameter)
{
  copy_cb (ASSAY_NODE_PANEL (widget));
}

/**
 * assay_node_panel_save:
 * @self: a panel
 * @path: (type filename): a file
 *
 * Writes the rows of the table as comma-separated values.
 */
void
assay_node_panel_save (AssayNodePanel *self, const char *path)
{
  Export *export;
  g_autofree char *count = NULL;

  if (assay_node_table_get_facts (self->table) == NULL)
    return;

  export = export_new (self, FALSE);
  count = assay_ui_format_nodes (export->nodes->len);
  assay_file_save (GTK_WIDGET (self), assay_session_add_job (self->session, "Writing rows"), path,
                   count, save_rows, export, export_free);
}

static void
save_chosen_cb (const char *path, gpointer data)
{
  assay_node_panel_save (data, path);
}

static void
save_cb (AssayNodePanel *self)
{
  static const AssayFileKind kind = { "Save Nodes", "_Save", "*.csv", "Comma-Separated Values" };

  assay_file_choice_save (self->choice, GTK_WINDOW (gtk_widget_get_root (GTK_WIDGET (self))), &kind,
                          "-nodes.csv", save_chosen_cb, self);
}

/* Life. */

/* At first table and graph have the same height; afterwards it is where the user drags it. */
static void
share_height (AssayNodePanel *self)
{
  GtkWidget *paned = gtk_widget_get_ancestor (GTK_WIDGET (self), GTK_TYPE_PANED);
  gboolean set = FALSE;

  if (paned == NULL || !gtk_widget_get_mapped (GTK_WIDGET (self)))
    return;

  g_object_get (paned, "position-set", &set, NULL);
  if (!set && gtk_widget_get_height (paned) > 0)
    gtk_paned_set_position (GTK_PANED (paned), gtk_widget_get_height (paned) / 2);
}

static void
mapped_cb (AssayNodePanel *self)
{
  ASSAY_WATCH ("node table");

  if (self->table == NULL)
    return;
  share_height (self);
  assay_node_table_set_active (self->table, gtk_widget_get_mapped (GTK_WIDGET (self)));
  update_unknown (self);
}

static gboolean
assay_node_panel_grab_focus (GtkWidget *widget)
{
  return gtk_widget_grab_focus (GTK_WIDGET (ASSAY_NODE_PANEL (widget)->entry));
}

static void
assay_node_panel_dispose (GObject *object)
{
  AssayNodePanel *self = ASSAY_NODE_PANEL (object);

  g_clear_handle_id (&self->idle, g_source_remove);
  g_clear_pointer (&self->choice, assay_file_choice_free);
  gtk_widget_dispose_template (GTK_WIDGET (self), ASSAY_TYPE_NODE_PANEL);
  g_clear_object (&self->verdicts);
  g_clear_object (&self->columns);
  g_clear_object (&self->session);
  self->table = NULL;

  G_OBJECT_CLASS (assay_node_panel_parent_class)->dispose (object);
}

static void
assay_node_panel_class_init (AssayNodePanelClass *klass)
{
  GtkWidgetClass *widget_class = GTK_WIDGET_CLASS (klass);

  G_OBJECT_CLASS (klass)->dispose = assay_node_panel_dispose;
  widget_class->grab_focus = assay_node_panel_grab_focus;

  g_type_ensure (ASSAY_TYPE_NODE_HEADER);
  gtk_widget_class_set_css_name (widget_class, "nodepanel");
  gtk_widget_class_set_accessible_role (widget_class, GTK_ACCESSIBLE_ROLE_GROUP);
  ASSAY_BIND_TEMPLATE (klass, AssayNodePanel, "assay-node-panel", box, entry, verdict_choice,
                       columns_button, header, stack, scroller, list, nothing_page, status);
  gtk_widget_class_bind_template_callback (widget_class, filter_entry_cb);
  gtk_widget_class_bind_template_callback (widget_class, stop_search_cb);
  gtk_widget_class_bind_template_callback (widget_class, verdict_chosen_cb);
  gtk_widget_class_bind_template_callback (widget_class, sort_cb);
  gtk_widget_class_bind_template_callback (widget_class, copy_cb);
  gtk_widget_class_bind_template_callback (widget_class, save_cb);
  gtk_widget_class_bind_template_callback (widget_class, activate_cb);
  gtk_widget_class_bind_template_callback (widget_class, mapped_cb);
  gtk_widget_class_install_action (widget_class, "nodes.copy", NULL, copy_action);
}

static void
assay_node_panel_init (AssayNodePanel *self)
{
  g_autoptr (GtkListItemFactory) factory = gtk_signal_list_item_factory_new ();

  self->choice = assay_file_choice_new ();
  gtk_widget_init_template (GTK_WIDGET (self));

  self->verdicts = gtk_string_list_new ((const char *[]){ "Any Verdict", NULL });
  for (guint kind = 0; kind < ASSAY_N_VERDICTS; kind++)
    gtk_string_list_append (self->verdicts, assay_verdict_word (kind));
  self->syncing = TRUE;
  gtk_drop_down_set_model (self->verdict_choice, G_LIST_MODEL (self->verdicts));
  self->syncing = FALSE;

  g_signal_connect_object (factory, "setup", G_CALLBACK (setup_cb), self, 0);
  g_signal_connect_object (factory, "bind", G_CALLBACK (bind_cb), self, 0);
  g_signal_connect_object (factory, "unbind", G_CALLBACK (unbind_cb), self, 0);
  gtk_list_view_set_factory (self->list, factory);
  assay_node_header_set_adjustment (self->header,
                                    gtk_scrolled_window_get_hadjustment (self->scroller));
  fill_columns (self);
}

void
assay_node_panel_set_session (AssayNodePanel *self, AssaySession *session)
{
  g_autoptr (GtkSelectionModel) selection = NULL;

  g_set_object (&self->session, session);
  self->table = assay_session_get_node_table (session);
  selection = assay_node_selection_new (self->table);
  gtk_list_view_set_model (self->list, selection);
  g_signal_connect_object (self->table, "items-changed", G_CALLBACK (items_changed_cb), self,
                           G_CONNECT_SWAPPED | G_CONNECT_AFTER);
  g_signal_connect_object (self->table, "notify::n-selected", G_CALLBACK (update_status), self,
                           G_CONNECT_SWAPPED);
  g_signal_connect_object (session, "notify::selection", G_CALLBACK (selection_changed_cb), self,
                           G_CONNECT_SWAPPED | G_CONNECT_AFTER);
  g_signal_connect_object (session, "notify::verdicts", G_CALLBACK (verdicts_changed_cb), self,
                           G_CONNECT_SWAPPED);
  g_signal_connect_object (session, "notify::filter", G_CALLBACK (update_verdict), self,
                           G_CONNECT_SWAPPED);
  g_signal_connect_object (assay_session_get_compilation (session), "notify::state",
                           G_CALLBACK (update_unknown), self, G_CONNECT_SWAPPED);
  g_signal_connect_object (assay_session_get_compare_activity (session), "notify::state",
                           G_CALLBACK (update_unknown), self, G_CONNECT_SWAPPED);
  update_verdict (self);
  verdicts_changed_cb (self);
  update_unknown (self);
  items_changed_cb (self);
}
