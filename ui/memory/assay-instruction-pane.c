/* assay-instruction-pane.c
 * SPDX-License-Identifier: Apache-2.0
 */
#include "ui/memory/assay-instruction-pane.h"

#include "base/assay-sentence.h"
#include "session/list/assay-instruction-list.h"
#include "ui/table/assay-column-fit.h"
#include "ui/table/assay-columns.h"
#include "ui/window/assay-file-choice.h"
#include "ui/window/assay-template.h"
#include "ui/window/assay-ui.h"

struct _AssayInstructionPane
{
  GtkWidget parent_instance;

  AssaySession *session;
  AssayInstructionList *instructions;
  AssayFileChoice *choice;
  gboolean syncing;
  gboolean is_stale; /* rows are made when they are looked at: a table has hundreds of widgets */

  GtkWidget *box;
  GtkSearchEntry *entry;
  GtkToggleButton *of_node;
  GtkStack *stack;
  GtkColumnView *table;
  GtkColumnViewColumn *core_column; /* of the table, shown where there are several cores */
  GtkLabel *count;
};

G_DEFINE_FINAL_TYPE (AssayInstructionPane, assay_instruction_pane, GTK_TYPE_WIDGET)

typedef enum
{
  COLUMN_NUMBER,
  COLUMN_CORE,
  COLUMN_UNIT,
  COLUMN_START,
  COLUMN_END,
  COLUMN_WAITED,
  COLUMN_CAUSE,
  COLUMN_NODE,
  COLUMN_TEXT,
  N_COLUMNS,
} Column;

static const AssayColumn columns[N_COLUMNS] = {
  [COLUMN_NUMBER] = { "No.", TRUE, FALSE, NULL, 3 },
  [COLUMN_CORE] = { "Core", TRUE, FALSE, NULL, 1 },
  [COLUMN_UNIT] = { "Unit", FALSE, FALSE, NULL, 1 },
  [COLUMN_START] = { "Start", TRUE, FALSE },
  [COLUMN_END] = { "End", TRUE, FALSE, NULL, 2 },
  [COLUMN_WAITED] = { "Waited", TRUE, FALSE, NULL, 4 },
  [COLUMN_CAUSE] = { "For", FALSE, FALSE, NULL, 5 },
  [COLUMN_TEXT] = { "Instruction", FALSE, TRUE },
  [COLUMN_NODE] = { "Node", FALSE, TRUE },
};

static guint32
get_waited (const AssayEvent *event)
{
  if (event->wait == ASSAY_WAIT_NONE)
    return 0;

  return event->start - (event->wait == ASSAY_WAIT_UNIT ? event->issued : event->vacant);
}

/* Without a place on the timeline an instruction has no cycles. */
static guint32
get_number (AssayInstructionItem *item, Column column)
{
  const AssayEvent *event = assay_instruction_item_get_event (item);

  switch (column)
    {
    case COLUMN_CORE:
      return assay_program_get_row (assay_instruction_item_get_program (item),
                                    assay_instruction_item_get_index (item))
          .core;
    case COLUMN_START:
      return event != NULL ? event->start : 0;
    case COLUMN_END:
      return event != NULL ? event->end : 0;
    case COLUMN_WAITED:
      return event != NULL ? get_waited (event) : 0;
    default:
      return assay_instruction_item_get_index (item);
    }
}

static char *
dup_text (gpointer item, guint column)
{
  const AssayEvent *event = assay_instruction_item_get_event (item);

  switch (column)
    {
    case COLUMN_TEXT:
      return assay_instruction_item_dup_text (item);
    case COLUMN_NODE:
      return g_strdup (assay_instruction_item_get_node (item));
    case COLUMN_UNIT:
      return g_strdup (event != NULL ? assay_time_map_get_unit_name (
                                           assay_instruction_item_get_time (item), event->unit)
                                     : "");
    case COLUMN_CAUSE:
      return g_strdup (event != NULL && event->wait != ASSAY_WAIT_NONE
                           ? assay_wait_get_words ((AssayWait) event->wait)
                           : "");
    case COLUMN_START:
    case COLUMN_END:
    case COLUMN_WAITED:
      return event != NULL ? assay_ui_format_count (get_number (item, column)) : g_strdup ("");
    default:
      return assay_ui_format_count (get_number (item, column));
    }
}

static int
compare (gpointer a, gpointer b, guint column)
{
  guint32 left, right;

  if (!columns[column].number)
    {
      g_autofree char *text = dup_text (a, column);
      g_autofree char *other = dup_text (b, column);

      return strcmp (text, other);
    }

  left = get_number (a, column);
  right = get_number (b, column);
  return (left > right) - (left < right);
}

static const char *
selected_name (AssayInstructionPane *self)
{
  AssayVerdicts *verdicts = assay_session_get_verdicts (self->session);
  AssayNodeId node = assay_session_get_selection (self->session);

  return verdicts != NULL && node != ASSAY_NO_NODE ? assay_graph_node (verdicts->graph, node)->name
                                                   : NULL;
}

static void
update (AssayInstructionPane *self)
{
  const char *node = gtk_toggle_button_get_active (self->of_node) ? selected_name (self) : NULL;
  g_autofree char *shown = NULL;
  g_autofree char *all = NULL;
  g_autofree char *text = NULL;
  guint n;

  if (self->instructions == NULL)
    return;

  self->syncing = TRUE;
  assay_instruction_list_set_filter (self->instructions, node,
                                     gtk_editable_get_text (GTK_EDITABLE (self->entry)));
  self->syncing = FALSE;
  n = g_list_model_get_n_items (G_LIST_MODEL (self->instructions));
  shown = assay_ui_format_count (n);
  all = assay_ui_format_count (assay_instruction_list_get_total (self->instructions));
  text = g_strdup_printf ("%s of %s instruction%s", shown, all,
                          assay_plural (assay_instruction_list_get_total (self->instructions)));
  gtk_label_set_label (self->count, text);
  gtk_stack_set_visible_child_name (self->stack, n > 0 ? "list" : "nothing");
}

static void
selected_cb (AssayInstructionPane *self, GParamSpec *pspec, GtkSingleSelection *selection)
{
  AssayInstructionItem *item = gtk_single_selection_get_selected_item (selection);
  AssayCompilation *compilation = assay_session_get_compilation (self->session);
  gboolean other = assay_columns_selects_other (selection);
  AssayProgramRow row;

  if (self->syncing || !other)
    return;

  row = assay_program_get_row (assay_instruction_item_get_program (item),
                               assay_instruction_item_get_index (item));
  /* The list stays as it is: the choice comes from it. */
  self->syncing = TRUE;
  if (*assay_instruction_item_get_node (item) != '\0')
    assay_session_select_name (self->session, assay_instruction_item_get_node (item));
  assay_compilation_set_core (compilation, row.core);
  assay_compilation_set_playhead (compilation, row.step);
  self->syncing = FALSE;
}

static void
selection_changed_cb (AssayInstructionPane *self)
{
  gtk_widget_set_sensitive (GTK_WIDGET (self->of_node), selected_name (self) != NULL);
  if (!self->syncing && gtk_toggle_button_get_active (self->of_node))
    update (self);
}

static void
fill (AssayInstructionPane *self)
{
  AssayCompilation *compilation = assay_session_get_compilation (self->session);
  AssayProgram *program = assay_compilation_get_program (compilation);
  g_autoptr (GtkSingleSelection) selection = NULL;

  self->is_stale = FALSE;
  if (program == NULL)
    {
      gtk_label_set_label (self->count, "There is no program");
      gtk_stack_set_visible_child_name (self->stack, "nothing");
      return;
    }

  self->instructions = assay_instruction_list_new (program,
                                                   assay_compilation_get_time (compilation));
  update (self);
  assay_column_fit_set_wanted (self->table, self->core_column,
                               assay_program_get_facts (program)->config->num_cores > 1);
  selection = assay_columns_set_rows (self->table, G_LIST_MODEL (self->instructions));
  gtk_single_selection_set_can_unselect (selection, TRUE);
  g_signal_connect_object (selection, "notify::selected-item", G_CALLBACK (selected_cb), self,
                           G_CONNECT_SWAPPED);
}

static void
program_changed_cb (AssayInstructionPane *self)
{
  gtk_column_view_set_model (self->table, NULL);
  g_clear_object (&self->instructions);
  self->is_stale = TRUE;
  if (gtk_widget_get_mapped (GTK_WIDGET (self)))
    fill (self);
}

static void
assay_instruction_pane_map (GtkWidget *widget)
{
  AssayInstructionPane *self = ASSAY_INSTRUCTION_PANE (widget);

  if (self->is_stale)
    fill (self);

  GTK_WIDGET_CLASS (assay_instruction_pane_parent_class)->map (widget);
}

static void
copy_cb (AssayInstructionPane *self)
{
  assay_columns_copy (self->table);
}

static void
copy_action (GtkWidget *widget, const char *name, GVariant *parameter)
{
  copy_cb (ASSAY_INSTRUCTION_PANE (widget));
}

static void
rows_chosen_cb (const char *path, gpointer data)
{
  assay_columns_save (ASSAY_INSTRUCTION_PANE (data)->table, path);
}

static void
save_cb (AssayInstructionPane *self)
{
  static const AssayFileKind kind = { "Save Instructions", "_Save", "*.csv",
                                      "Comma-Separated Values" };

  assay_file_choice_save (self->choice, GTK_WINDOW (gtk_widget_get_root (GTK_WIDGET (self))), &kind,
                          "-instructions.csv", rows_chosen_cb, self);
}

static void
assay_instruction_pane_dispose (GObject *object)
{
  AssayInstructionPane *self = ASSAY_INSTRUCTION_PANE (object);

  self->syncing = TRUE;
  g_clear_pointer (&self->choice, assay_file_choice_free);
  gtk_widget_dispose_template (GTK_WIDGET (self), ASSAY_TYPE_INSTRUCTION_PANE);
  g_clear_object (&self->instructions);
  g_clear_object (&self->session);

  G_OBJECT_CLASS (assay_instruction_pane_parent_class)->dispose (object);
}

static void
assay_instruction_pane_class_init (AssayInstructionPaneClass *klass)
{
  GtkWidgetClass *widget_class = GTK_WIDGET_CLASS (klass);

  G_OBJECT_CLASS (klass)->dispose = assay_instruction_pane_dispose;
  widget_class->map = assay_instruction_pane_map;

  gtk_widget_class_set_accessible_role (widget_class, GTK_ACCESSIBLE_ROLE_GROUP);
  ASSAY_BIND_TEMPLATE (klass, AssayInstructionPane, "assay-instruction-pane", box, entry, of_node,
                       stack, table, count);
  gtk_widget_class_bind_template_callback (widget_class, update);
  gtk_widget_class_bind_template_callback (widget_class, copy_cb);
  gtk_widget_class_bind_template_callback (widget_class, save_cb);
  gtk_widget_class_install_action (widget_class, "instructions.copy", NULL, copy_action);
}

static void
assay_instruction_pane_init (AssayInstructionPane *self)
{
  self->choice = assay_file_choice_new ();
  gtk_widget_init_template (GTK_WIDGET (self));
  for (guint i = 0; i < N_COLUMNS; i++)
    {
      GtkColumnViewColumn *column = assay_columns_add (self->table, &columns[i], i, dup_text,
                                                       compare);

      if (i == COLUMN_CORE)
        self->core_column = column;
    }
}

/**
 * assay_instruction_pane_set_session:
 * @self: a pane
 * @session: a session
 *
 * Shows the instructions of the program of a session, whichever it has.
 */
void
assay_instruction_pane_set_session (AssayInstructionPane *self, AssaySession *session)
{
  g_set_object (&self->session, session);
  g_signal_connect_object (session, "notify::selection", G_CALLBACK (selection_changed_cb), self,
                           G_CONNECT_SWAPPED);
  g_signal_connect_object (assay_session_get_compilation (session), "notify::state",
                           G_CALLBACK (program_changed_cb), self, G_CONNECT_SWAPPED);
  program_changed_cb (self);
  selection_changed_cb (self);
}

/**
 * assay_instruction_pane_begin_at_node:
 * @self: a pane with a session
 *
 * Lists the instructions of the selected node only, if one is selected.
 */
void
assay_instruction_pane_begin_at_node (AssayInstructionPane *self)
{
  gtk_toggle_button_set_active (self->of_node, selected_name (self) != NULL);
}
