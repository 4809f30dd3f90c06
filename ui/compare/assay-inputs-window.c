/* assay-inputs-window.c
 * SPDX-License-Identifier: Apache-2.0
 */
#include "ui/compare/assay-inputs-window.h"

#include "ui/window/assay-file-choice.h"
#include "ui/compare/assay-input-row.h"
#include "ui/tensor/assay-tensor-window.h"
#include "ui/window/assay-template.h"
#include "ui/window/assay-ui.h"
#include "text/assay-xml-writer.h"

/* A seed that is being typed is not drawn with each digit. */
#define SETTLE_MS 150

#define MAX_STEPS 1000000

struct _AssayInputsWindow
{
  AdwWindow parent_instance;

  AssaySession *session;
  AssayFileChoice *choice;
  char *choosing; /* the input that a file is being chosen for */

  AdwEntryRow *seed_row;
  AdwEntryRow *steps_row;
  AdwPreferencesGroup *inputs;
  GtkMenuButton *test_button;
  AdwActionRow *trouble_row;
  GPtrArray *rows; /* AssayInputRow */
  guint settle;
  GCancellable *cancellable; /* while a preview is being made */
};

G_DEFINE_FINAL_TYPE (AssayInputsWindow, assay_inputs_window, ADW_TYPE_WINDOW)

static AssayRun *
get_run (AssayInputsWindow *self)
{
  return assay_session_get_run (self->session);
}

/* What cannot be taken is marked, and the title says what is expected. */
static void
mark_row (AdwEntryRow *row, const char *title, gboolean valid)
{
  if (valid)
    gtk_widget_remove_css_class (GTK_WIDGET (row), "error");
  else
    gtk_widget_add_css_class (GTK_WIDGET (row), "error");
  adw_preferences_row_set_title (ADW_PREFERENCES_ROW (row), title);
  gtk_accessible_update_state (GTK_ACCESSIBLE (row), GTK_ACCESSIBLE_STATE_INVALID,
                               valid ? GTK_ACCESSIBLE_INVALID_FALSE : GTK_ACCESSIBLE_INVALID_TRUE,
                               -1);
}

static void
number_changed_cb (AssayInputsWindow *self)
{
  g_autoptr (AssayInputChoice)
      inputs = assay_input_choice_copy (assay_run_get_inputs (get_run (self)));
  const char *seed = gtk_editable_get_text (GTK_EDITABLE (self->seed_row));
  const char *steps = gtk_editable_get_text (GTK_EDITABLE (self->steps_row));
  guint64 number;
  gboolean valid;

  valid = g_ascii_string_to_unsigned (seed, 10, 0, G_MAXUINT64, &number, NULL);
  mark_row (self->seed_row, valid ? "Seed" : "Seed: a whole number is expected", valid);
  if (valid)
    assay_input_choice_set_seed (inputs, number);
  number = 0;
  valid = *steps == '\0' || g_ascii_string_to_unsigned (steps, 10, 1, MAX_STEPS, &number, NULL);
  mark_row (self->steps_row,
            valid ? "Timesteps, if not as many as the model has"
                  : "Timesteps: a number from 1 to 1\u202f000\u202f000 is expected",
            valid);
  if (valid)
    assay_input_choice_set_steps (inputs, (guint) number);
  assay_run_set_inputs (get_run (self), inputs);
}

static void
set_file (AssayInputsWindow *self, const char *input, const char *path)
{
  g_autoptr (AssayInputChoice)
      inputs = assay_input_choice_copy (assay_run_get_inputs (get_run (self)));

  assay_input_choice_set_file (inputs, input, path);
  assay_run_set_inputs (get_run (self), inputs);
}

static void
chosen_cb (const char *path, gpointer data)
{
  AssayInputsWindow *self = data;

  set_file (self, self->choosing, path);
}

static void
choose_cb (AssayInputRow *row, AssayInputsWindow *self)
{
  static const AssayFileKind kind = { "Choose Values", "_Choose", "*.[np][pb]*",
                                      "NumPy Arrays and ONNX Tensors" };

  g_free (self->choosing);
  self->choosing = g_strdup (assay_input_row_get_name (row));
  assay_file_choice_open (self->choice, GTK_WINDOW (self), &kind, chosen_cb, self);
}

static void
clear_cb (AssayInputRow *row, AssayInputsWindow *self)
{
  set_file (self, assay_input_row_get_name (row), NULL);
}

static void
show_values_cb (AssayInputRow *row, AssayInputsWindow *self)
{
  AssayTensor *tensor = assay_input_row_get_tensor (row);

  if (tensor != NULL)
    gtk_window_present (GTK_WINDOW (
        assay_tensor_window_new (GTK_WINDOW (self), assay_input_row_get_name (row), tensor)));
}

static void
run_cb (AssayInputsWindow *self)
{
  assay_run_start (get_run (self));
  gtk_window_close (GTK_WINDOW (self));
}

/* What will be fed. */

/* Of an input that is no tensor, the first of those that it is made of. */
static const AssayInputPreview *
find_preview (const GPtrArray *previews, const char *name)
{
  g_autofree char *parts = g_strconcat (name, "[", NULL);

  for (guint i = 0; previews != NULL && i < previews->len; i++)
    {
      const AssayInputPreview *preview = g_ptr_array_index (previews, i);

      if (g_str_equal (preview->name, name) || g_str_has_prefix (preview->name, parts))
        return preview;
    }

  return NULL;
}

static void
previewed_cb (GObject *object, GAsyncResult *result, gpointer user_data)
{
  g_autoptr (AssayInputsWindow) self = user_data;
  g_autoptr (GError) error = NULL;
  g_autoptr (GPtrArray) previews = assay_run_preview_finish (ASSAY_RUN (object), result, &error);
  g_autofree char *words = error != NULL ? assay_xml_escape (error->message) : NULL;

  if (g_task_get_cancellable (G_TASK (result)) != self->cancellable)
    return;

  g_clear_object (&self->cancellable);
  for (guint i = 0; i < self->rows->len; i++)
    assay_input_row_show (
        g_ptr_array_index (self->rows, i),
        find_preview (previews, assay_input_row_get_name (g_ptr_array_index (self->rows, i))));
  gtk_widget_set_visible (GTK_WIDGET (self->trouble_row), error != NULL);
  adw_action_row_set_subtitle (self->trouble_row, words != NULL ? words : "");
}

static void
stop_preview (AssayInputsWindow *self)
{
  g_clear_handle_id (&self->settle, g_source_remove);
  if (self->cancellable != NULL)
    g_cancellable_cancel (self->cancellable);
  g_clear_object (&self->cancellable);
}

static gboolean
settle_cb (gpointer data)
{
  AssayInputsWindow *self = data;

  self->settle = 0;
  if (assay_run_can_start (get_run (self)))
    {
      self->cancellable = g_cancellable_new ();
      assay_run_preview_async (get_run (self), self->cancellable, previewed_cb,
                               g_object_ref (self));
    }

  return G_SOURCE_REMOVE;
}

static void
rebuild (AssayInputsWindow *self)
{
  g_autoptr (GArray) ports = assay_run_list_inputs (get_run (self));
  const AssayInputChoice *inputs = assay_run_get_inputs (get_run (self));
  gboolean streams = FALSE;

  stop_preview (self);
  for (guint i = 0; i < self->rows->len; i++)
    adw_preferences_group_remove (self->inputs, g_ptr_array_index (self->rows, i));
  g_ptr_array_set_size (self->rows, 0);

  for (guint i = 0; i < ports->len; i++)
    {
      const AssayRunPort *port = &g_array_index (ports, AssayRunPort, i);
      GtkWidget *row = assay_input_row_new (port, assay_input_choice_get_file (inputs, port->name));

      g_signal_connect_object (row, "choose", G_CALLBACK (choose_cb), self, 0);
      g_signal_connect_object (row, "clear", G_CALLBACK (clear_cb), self, 0);
      g_signal_connect_object (row, "show-values", G_CALLBACK (show_values_cb), self, 0);
      adw_preferences_group_add (self->inputs, row);
      g_ptr_array_add (self->rows, row);
      streams = streams || port->time_axis >= 0;
    }
  gtk_widget_set_visible (GTK_WIDGET (self->steps_row), streams);
  self->settle = g_timeout_add (SETTLE_MS, settle_cb, self);
}

/* Test data beside the model. */

static void
test_set_action (GtkWidget *widget, const char *name, GVariant *parameter)
{
  AssayInputsWindow *self = ASSAY_INPUTS_WINDOW (widget);
  g_autoptr (AssayInputChoice)
      inputs = assay_input_choice_copy (assay_run_get_inputs (get_run (self)));
  g_autoptr (GArray) ports = assay_run_list_inputs (get_run (self));

  assay_input_choice_take_test_set (inputs, g_variant_get_bytestring (parameter),
                                    (const AssayRunPort *) (gpointer) ports->data, ports->len);
  assay_run_set_inputs (get_run (self), inputs);
}

static void
list_test_sets (AssayInputsWindow *self)
{
  g_auto (GStrv) sets = assay_input_choice_list_test_sets (
      assay_document_get_path (assay_session_get_document (self->session)));
  g_autoptr (GMenu) menu = g_menu_new ();

  for (guint i = 0; sets[i] != NULL; i++)
    {
      g_autofree char *name = g_filename_display_basename (sets[i]);
      g_autofree char *label = assay_ui_dup_menu_label (name);
      g_autoptr (GMenuItem) item = g_menu_item_new (label, NULL);

      g_menu_item_set_action_and_target_value (item, "inputs.test-set",
                                               g_variant_new_bytestring (sets[i]));
      g_menu_append_item (menu, item);
    }
  gtk_menu_button_set_menu_model (self->test_button, G_MENU_MODEL (menu));
  gtk_widget_set_visible (GTK_WIDGET (self->test_button),
                          g_menu_model_get_n_items (G_MENU_MODEL (menu)) > 0);
}

static void
assay_inputs_window_dispose (GObject *object)
{
  AssayInputsWindow *self = ASSAY_INPUTS_WINDOW (object);

  stop_preview (self);
  g_clear_pointer (&self->choice, assay_file_choice_free);
  g_clear_pointer (&self->rows, g_ptr_array_unref);
  g_clear_pointer (&self->choosing, g_free);
  g_clear_object (&self->session);

  G_OBJECT_CLASS (assay_inputs_window_parent_class)->dispose (object);
}

static void
assay_inputs_window_class_init (AssayInputsWindowClass *klass)
{
  GtkWidgetClass *widget_class = GTK_WIDGET_CLASS (klass);

  G_OBJECT_CLASS (klass)->dispose = assay_inputs_window_dispose;

  ASSAY_BIND_TEMPLATE (klass, AssayInputsWindow, "assay-inputs-window", seed_row, steps_row, inputs,
                       test_button, trouble_row);
  gtk_widget_class_install_action (widget_class, "inputs.test-set", "ay", test_set_action);
  gtk_widget_class_bind_template_callback (widget_class, run_cb);
  gtk_widget_class_add_binding_action (widget_class, GDK_KEY_Escape, 0, "window.close", NULL);
}

static void
assay_inputs_window_init (AssayInputsWindow *self)
{
  self->rows = g_ptr_array_new ();
  self->choice = assay_file_choice_new ();
  gtk_widget_init_template (GTK_WIDGET (self));
}

/**
 * assay_inputs_window_new:
 * @parent: the window it belongs to
 * @session: a session with a program
 *
 * Makes the dialog.
 *
 * Returns: (transfer none): the dialog
 */
GtkWidget *
assay_inputs_window_new (GtkWindow *parent, AssaySession *session)
{
  AssayInputsWindow *self = g_object_new (ASSAY_TYPE_INPUTS_WINDOW, "transient-for", parent,
                                          "modal", TRUE, "destroy-with-parent", TRUE, NULL);
  const AssayInputChoice *inputs = assay_run_get_inputs (assay_session_get_run (session));
  g_autofree char *seed = g_strdup_printf ("%" G_GUINT64_FORMAT,
                                           assay_input_choice_get_seed (inputs));
  g_autofree char *steps = assay_input_choice_get_steps (inputs) > 0
                               ? g_strdup_printf ("%u", assay_input_choice_get_steps (inputs))
                               : g_strdup ("");

  self->session = g_object_ref (session);
  gtk_editable_set_text (GTK_EDITABLE (self->seed_row), seed);
  gtk_editable_set_text (GTK_EDITABLE (self->steps_row), steps);
  g_signal_connect_swapped (self->seed_row, "changed", G_CALLBACK (number_changed_cb), self);
  g_signal_connect_swapped (self->steps_row, "changed", G_CALLBACK (number_changed_cb), self);
  g_signal_connect_object (get_run (self), "notify::runner", G_CALLBACK (rebuild), self,
                           G_CONNECT_SWAPPED);
  g_signal_connect_object (get_run (self), "notify::inputs", G_CALLBACK (rebuild), self,
                           G_CONNECT_SWAPPED);
  list_test_sets (self);
  rebuild (self);
  return GTK_WIDGET (self);
}
