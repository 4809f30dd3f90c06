/* assay-instruction-window.c
 * SPDX-License-Identifier: Apache-2.0
 */
#include "ui/memory/assay-instruction-window.h"

#include "session/list/assay-instruction-list.h"
#include "ui/window/assay-ui.h"
#include "ui/window/assay-template.h"

struct _AssayInstructionWindow
{
  AdwWindow parent_instance;

  AssaySession *session;
  AssayInstructionList *instructions;
  gboolean syncing;

  GtkSearchEntry *entry;
  GtkToggleButton *of_node;
  GtkStack *stack;
  GtkListView *list;
  GtkLabel *count;
};

G_DEFINE_FINAL_TYPE (AssayInstructionWindow, assay_instruction_window, ADW_TYPE_WINDOW)

static void
setup_cb (GtkListItemFactory *factory, GtkListItem *item, gpointer data)
{
  GtkWidget *box = gtk_box_new (GTK_ORIENTATION_VERTICAL, 0);
  GtkWidget *text = gtk_label_new (NULL);
  GtkWidget *node = gtk_label_new (NULL);

  g_object_set (text, "xalign", 0.0f, "ellipsize", PANGO_ELLIPSIZE_END, NULL);
  gtk_widget_add_css_class (text, "monospace");
  g_object_set (node, "xalign", 0.0f, "ellipsize", PANGO_ELLIPSIZE_START, NULL);
  gtk_widget_add_css_class (node, "secondary");
  gtk_box_append (GTK_BOX (box), text);
  gtk_box_append (GTK_BOX (box), node);
  gtk_list_item_set_child (item, box);
}

static void
bind_cb (GtkListItemFactory *factory, GtkListItem *item, gpointer data)
{
  GtkWidget *box = gtk_list_item_get_child (item);
  AssayInstructionItem *instruction = gtk_list_item_get_item (item);
  g_autofree char *text = assay_instruction_item_dup_text (instruction);
  const char *node = assay_instruction_item_get_node (instruction);
  g_autofree char *line = g_strdup_printf ("%6u  %s",
                                           assay_instruction_item_get_index (instruction), text);
  g_autofree char *name = g_strdup_printf ("%s, %s", text, *node != '\0' ? node : "of no node");

  gtk_label_set_label (GTK_LABEL (gtk_widget_get_first_child (box)), line);
  gtk_label_set_label (GTK_LABEL (gtk_widget_get_last_child (box)), node);
  assay_ui_set_row_name (box, name);
}

static const char *
selected_name (AssayInstructionWindow *self)
{
  AssayVerdicts *verdicts = assay_session_get_verdicts (self->session);
  AssayNodeId node = assay_session_get_selection (self->session);

  return verdicts != NULL && node != ASSAY_NO_NODE ? assay_graph_node (verdicts->graph, node)->name
                                                   : NULL;
}

static void
update (AssayInstructionWindow *self)
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
  text = g_strdup_printf ("%s of %s instructions", shown, all);
  gtk_label_set_label (self->count, text);
  gtk_stack_set_visible_child_name (self->stack, n > 0 ? "list" : "nothing");
}

static void
selected_cb (AssayInstructionWindow *self, GParamSpec *pspec, GtkSingleSelection *selection)
{
  AssayInstructionItem *item = gtk_single_selection_get_selected_item (selection);

  if (self->syncing || item == NULL || *assay_instruction_item_get_node (item) == '\0')
    return;

  /* The list stays as it is: the choice comes from it. */
  self->syncing = TRUE;
  assay_session_select_name (self->session, assay_instruction_item_get_node (item));
  self->syncing = FALSE;
}

static void
selection_changed_cb (AssayInstructionWindow *self)
{
  gtk_widget_set_sensitive (GTK_WIDGET (self->of_node), selected_name (self) != NULL);
  if (!self->syncing && gtk_toggle_button_get_active (self->of_node))
    update (self);
}

static void
program_changed_cb (AssayInstructionWindow *self)
{
  AssayProgram *program = assay_compilation_get_program (
      assay_session_get_compilation (self->session));
  g_autoptr (GtkSingleSelection) selection = NULL;

  g_clear_object (&self->instructions);
  if (program == NULL)
    {
      gtk_list_view_set_model (self->list, NULL);
      gtk_label_set_label (self->count, "There is no program");
      gtk_stack_set_visible_child_name (self->stack, "nothing");
      return;
    }

  self->instructions = assay_instruction_list_new (program);
  selection = gtk_single_selection_new (NULL);
  gtk_single_selection_set_autoselect (selection, FALSE);
  gtk_single_selection_set_can_unselect (selection, TRUE);
  gtk_single_selection_set_model (selection, G_LIST_MODEL (self->instructions));
  g_signal_connect_object (selection, "notify::selected-item", G_CALLBACK (selected_cb), self,
                           G_CONNECT_SWAPPED);
  gtk_list_view_set_model (self->list, GTK_SELECTION_MODEL (selection));
  update (self);
}

static void
assay_instruction_window_dispose (GObject *object)
{
  AssayInstructionWindow *self = ASSAY_INSTRUCTION_WINDOW (object);

  self->syncing = TRUE;
  g_clear_object (&self->instructions);
  g_clear_object (&self->session);

  G_OBJECT_CLASS (assay_instruction_window_parent_class)->dispose (object);
}

static void
assay_instruction_window_class_init (AssayInstructionWindowClass *klass)
{
  GtkWidgetClass *widget_class = GTK_WIDGET_CLASS (klass);

  G_OBJECT_CLASS (klass)->dispose = assay_instruction_window_dispose;

  ASSAY_BIND_TEMPLATE (klass, AssayInstructionWindow, "assay-instruction-window", entry, of_node,
                       stack, list, count);
  gtk_widget_class_bind_template_callback (widget_class, update);
  gtk_widget_class_add_binding_action (widget_class, GDK_KEY_Escape, 0, "window.close", NULL);
}

static void
assay_instruction_window_init (AssayInstructionWindow *self)
{
  g_autoptr (GtkListItemFactory) factory = gtk_signal_list_item_factory_new ();

  gtk_widget_init_template (GTK_WIDGET (self));
  g_signal_connect (factory, "setup", G_CALLBACK (setup_cb), NULL);
  g_signal_connect (factory, "bind", G_CALLBACK (bind_cb), NULL);
  gtk_list_view_set_factory (self->list, factory);
  assay_ui_name_parts (GTK_WIDGET (self));
}

/**
 * assay_instruction_window_new:
 * @parent: the window it belongs to
 * @session: a session
 *
 * Makes the window; it begins with the instructions of the selected node, if one is selected.
 *
 * Returns: (transfer none): the window
 */
GtkWidget *
assay_instruction_window_new (GtkWindow *parent, AssaySession *session)
{
  AssayInstructionWindow *self = g_object_new (ASSAY_TYPE_INSTRUCTION_WINDOW, "transient-for",
                                               parent, "destroy-with-parent", TRUE, NULL);

  self->session = g_object_ref (session);
  gtk_toggle_button_set_active (self->of_node, selected_name (self) != NULL);
  g_signal_connect_object (session, "notify::selection", G_CALLBACK (selection_changed_cb), self,
                           G_CONNECT_SWAPPED);
  g_signal_connect_object (assay_session_get_compilation (session), "notify::state",
                           G_CALLBACK (program_changed_cb), self, G_CONNECT_SWAPPED);
  program_changed_cb (self);
  selection_changed_cb (self);
  return GTK_WIDGET (self);
}
