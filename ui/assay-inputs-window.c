/* assay-inputs-window.c
 * SPDX-License-Identifier: Apache-2.0
 */
#include "ui/assay-inputs-window.h"

#include "run/assay-run-sequence.h"
#include "ui/assay-file-choice.h"

struct _AssayInputsWindow
{
  AdwWindow parent_instance;

  AssaySession *session;
  AssayFileChoice *choice;
  char *choosing; /* the input that a file is being chosen for */

  AdwEntryRow *seed_row;
  AdwEntryRow *steps_row;
  AdwPreferencesGroup *inputs;
  GPtrArray *rows;
};

G_DEFINE_FINAL_TYPE (AssayInputsWindow, assay_inputs_window, ADW_TYPE_WINDOW)

static AssayRun *
get_run (AssayInputsWindow *self)
{
  return assay_session_get_run (self->session);
}

static gboolean
read_number (AdwEntryRow *row,
             guint64      least,
             guint64      most,
             guint64     *number)
{
  const char *text = gtk_editable_get_text (GTK_EDITABLE (row));
  gboolean valid = g_ascii_string_to_unsigned (text, 10, least, most, number, NULL);

  if (valid)
    gtk_widget_remove_css_class (GTK_WIDGET (row), "error");
  else
    gtk_widget_add_css_class (GTK_WIDGET (row), "error");
  gtk_accessible_update_state (GTK_ACCESSIBLE (row), GTK_ACCESSIBLE_STATE_INVALID,
                               valid ? GTK_ACCESSIBLE_INVALID_FALSE : GTK_ACCESSIBLE_INVALID_TRUE, -1);
  return valid;
}

static void
number_changed_cb (AssayInputsWindow *self)
{
  g_autoptr (AssayFeed) feed = assay_feed_copy (assay_run_get_feed (get_run (self)));
  guint64 number;

  if (read_number (self->seed_row, 0, G_MAXUINT64, &number))
    assay_feed_set_seed (feed, number);
  if (*gtk_editable_get_text (GTK_EDITABLE (self->steps_row)) == '\0')
    assay_feed_set_steps (feed, 0);
  else if (read_number (self->steps_row, 1, 1000000, &number))
    assay_feed_set_steps (feed, (guint) number);
  assay_run_set_feed (get_run (self), feed);
}

static void
set_file (AssayInputsWindow *self,
          const char        *input,
          const char        *path)
{
  g_autoptr (AssayFeed) feed = assay_feed_copy (assay_run_get_feed (get_run (self)));

  assay_feed_set_file (feed, input, path);
  assay_run_set_feed (get_run (self), feed);
}

static void
chosen_cb (const char *path,
           gpointer    data)
{
  AssayInputsWindow *self = data;

  set_file (self, self->choosing, path);
}

static void
choose_cb (GtkWidget         *button,
           AssayInputsWindow *self)
{
  static const AssayFileKind kind = { "Choose Values", "_Choose", "*.npy", "NumPy Arrays" };

  g_free (self->choosing);
  self->choosing = g_strdup (g_object_get_data (G_OBJECT (button), "input"));
  assay_file_choice_open (self->choice, GTK_WINDOW (self), &kind, chosen_cb, self);
}

static void
clear_cb (GtkWidget         *button,
          AssayInputsWindow *self)
{
  set_file (self, g_object_get_data (G_OBJECT (button), "input"), NULL);
}

static void
run_cb (AssayInputsWindow *self)
{
  assay_run_start (get_run (self));
  gtk_window_close (GTK_WINDOW (self));
}

static GtkWidget *
add_button (AssayInputsWindow *self,
            GtkWidget         *row,
            const char        *icon,
            const char        *words,
            const char        *input,
            GCallback          callback)
{
  GtkWidget *button = gtk_button_new_from_icon_name (icon);
  g_autofree char *label = g_strdup_printf ("%s %s", words, input);

  gtk_widget_add_css_class (button, "flat");
  gtk_widget_set_valign (button, GTK_ALIGN_CENTER);
  gtk_widget_set_tooltip_text (button, words);
  gtk_accessible_update_property (GTK_ACCESSIBLE (button), GTK_ACCESSIBLE_PROPERTY_LABEL, label, -1);
  g_object_set_data_full (G_OBJECT (button), "input", g_strdup (input), g_free);
  g_signal_connect (button, "clicked", callback, self);
  adw_action_row_add_suffix (ADW_ACTION_ROW (row), button);
  return button;
}

static void
rebuild (AssayInputsWindow *self)
{
  g_autoptr (GArray) ports = assay_run_list_inputs (get_run (self));
  const AssayFeed *feed = assay_run_get_feed (get_run (self));
  gboolean streams = FALSE;

  for (guint i = 0; i < self->rows->len; i++)
    adw_preferences_group_remove (self->inputs, g_ptr_array_index (self->rows, i));
  g_ptr_array_set_size (self->rows, 0);

  for (guint i = 0; i < ports->len; i++)
    {
      const AssayRunPort *port = &g_array_index (ports, AssayRunPort, i);
      const char *path = assay_feed_get_file (feed, port->name);
      g_autofree char *file = path != NULL ? g_filename_display_basename (path)
                                           : g_strdup ("random values in −1 to 1");
      g_autofree char *shape = assay_run_shape_to_string ((guint) MAX (port->rank, 0), port->dims, port->time_axis);
      g_autofree char *subtitle = g_markup_printf_escaped ("%s, %s", shape, file);
      g_autofree char *title = g_markup_escape_text (port->name, -1);
      GtkWidget *row = adw_action_row_new ();

      adw_preferences_row_set_title (ADW_PREFERENCES_ROW (row), title);
      adw_action_row_set_subtitle (ADW_ACTION_ROW (row), subtitle);
      gtk_widget_set_visible (add_button (self, row, "edit-clear-symbolic", "Use random values for", port->name,
                                          G_CALLBACK (clear_cb)), path != NULL);
      add_button (self, row, "document-open-symbolic", "Choose a file for", port->name, G_CALLBACK (choose_cb));
      adw_preferences_group_add (self->inputs, row);
      g_ptr_array_add (self->rows, row);
      streams = streams || port->time_axis >= 0;
    }
  gtk_widget_set_visible (GTK_WIDGET (self->steps_row), streams);
}

static void
assay_inputs_window_dispose (GObject *object)
{
  AssayInputsWindow *self = ASSAY_INPUTS_WINDOW (object);

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

  gtk_widget_class_set_template_from_resource (widget_class, "/org/assay/Workbench/ui/assay-inputs-window.ui");
  gtk_widget_class_bind_template_child (widget_class, AssayInputsWindow, seed_row);
  gtk_widget_class_bind_template_child (widget_class, AssayInputsWindow, steps_row);
  gtk_widget_class_bind_template_child (widget_class, AssayInputsWindow, inputs);
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
assay_inputs_window_new (GtkWindow    *parent,
                         AssaySession *session)
{
  AssayInputsWindow *self = g_object_new (ASSAY_TYPE_INPUTS_WINDOW, "transient-for", parent, "modal", TRUE,
                                          "destroy-with-parent", TRUE, NULL);
  const AssayFeed *feed = assay_run_get_feed (assay_session_get_run (session));
  g_autofree char *seed = g_strdup_printf ("%" G_GUINT64_FORMAT, assay_feed_get_seed (feed));
  g_autofree char *steps = assay_feed_get_steps (feed) > 0 ? g_strdup_printf ("%u", assay_feed_get_steps (feed))
                                                           : g_strdup ("");

  self->session = g_object_ref (session);
  gtk_editable_set_text (GTK_EDITABLE (self->seed_row), seed);
  gtk_editable_set_text (GTK_EDITABLE (self->steps_row), steps);
  g_signal_connect_swapped (self->seed_row, "changed", G_CALLBACK (number_changed_cb), self);
  g_signal_connect_swapped (self->steps_row, "changed", G_CALLBACK (number_changed_cb), self);
  g_signal_connect_object (get_run (self), "notify::feed", G_CALLBACK (rebuild), self, G_CONNECT_SWAPPED);
  rebuild (self);
  return GTK_WIDGET (self);
}
