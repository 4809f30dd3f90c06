/* assay-quantize-window.c
 * SPDX-License-Identifier: Apache-2.0
 */
#include "ui/sidebar/assay-quantize-window.h"

#include <math.h>

#include "backend/assay-backend.h"
#include "report/assay-quantize-report.h"
#include "source/assay-importer.h"
#include "ui/sidebar/assay-setting-row.h"
#include "ui/window/assay-file-choice.h"
#include "ui/window/assay-template.h"
#include "ui/window/assay-ui-markup.h"

struct _AssayQuantizeWindow
{
  AdwWindow parent_instance;

  AssaySession *session;
  AssayFileChoice *choice;
  GSignalGroup *job_signals;
  GPtrArray *path_rows;
  GPtrArray *setting_rows;
  GPtrArray *outcome_rows;
  gboolean syncing;

  GtkWidget *cancel_button;
  GtkWidget *open_button;
  GtkWidget *quantize_button;
  GtkWidget *outcome;
  GtkProgressBar *bar;
  AdwPreferencesGroup *samples;
  GtkWidget *random;
  AdwPreferencesGroup *options;
  GtkSpinButton *random_spin;
  GtkSpinButton *seed_spin;
  GtkSpinButton *gains_spin;
};

G_DEFINE_FINAL_TYPE (AssayQuantizeWindow, assay_quantize_window, ADW_TYPE_WINDOW)

static AssayQuantizeActivity *
get_activity (AssayQuantizeWindow *self)
{
  return assay_session_get_quantize (self->session);
}

static void
clear_rows (gpointer group, GPtrArray *rows)
{
  for (guint i = 0; i < rows->len; i++)
    adw_preferences_group_remove (group, g_ptr_array_index (rows, i));
  g_ptr_array_set_size (rows, 0);
}

/* What came of it. */

static GtkWidget *
new_row (const char *title, const char *subtitle)
{
  GtkWidget *row = adw_action_row_new ();

  assay_ui_name_row (row, title, subtitle);
  adw_action_row_set_subtitle_lines (ADW_ACTION_ROW (row), 0);
  adw_action_row_set_title_lines (ADW_ACTION_ROW (row), 0);

  return row;
}

static void
add_outcome (AssayQuantizeWindow *self, GtkWidget *row)
{
  adw_preferences_group_add (ADW_PREFERENCES_GROUP (self->outcome), row);
  g_ptr_array_add (self->outcome_rows, row);
}

/* Positions that moved, and what it cost; import and check have told theirs elsewhere. */
static void
add_findings (AssayQuantizeWindow *self, AssayFindings *findings)
{
  GtkWidget *all = adw_expander_row_new ();
  g_autofree char *title = NULL;
  guint n = 0;

  for (guint i = 0; i < assay_findings_get_count (findings); i++)
    {
      const AssayFinding *finding = assay_findings_get (findings, i);

      if (finding->rule == NULL || !g_str_has_prefix (finding->rule, "quantize."))
        continue;
      adw_expander_row_add_row (
          ADW_EXPANDER_ROW (all),
          new_row (finding->node != NULL ? finding->node : finding->rule, finding->message));
      n++;
    }
  title = g_strdup_printf (n == 1 ? "%u finding" : "%u findings", n);
  adw_preferences_row_set_title (ADW_PREFERENCES_ROW (all), title);
  if (n > 0)
    add_outcome (self, all);
  else
    g_object_unref (g_object_ref_sink (all));
}

static void
add_result (AssayQuantizeWindow *self, const AssayQuantizedModel *result)
{
  g_autofree char *written = g_filename_display_name (result->written);
  g_auto (GStrv) lines = assay_quantize_report_list_sentences (result);
  g_autofree char *outputs = NULL;

  add_outcome (self, new_row ("Quantised", written));
  for (guint i = 0; lines[i] != NULL; i++)
    add_outcome (self, new_row (lines[i], NULL));
  if (result->costs != NULL && result->trials->len == 0)
    {
      outputs = isinf (result->costs->output_db)
                    ? g_strdup ("Outputs as exact as in float on the first sample")
                    : g_strdup_printf ("Outputs: SQNR %.1f dB against float on the first sample",
                                       result->costs->output_db);
      add_outcome (self, new_row (outputs, NULL));
    }
  add_findings (self, result->findings);
}

static void
update (AssayQuantizeWindow *self)
{
  AssayQuantizeActivity *activity = get_activity (self);
  AssayActivityState state = assay_activity_get_state (ASSAY_ACTIVITY (activity));
  const AssayQuantizedModel *result = assay_quantize_activity_get_result (activity);
  const GError *error = assay_activity_get_error (ASSAY_ACTIVITY (activity));
  const AssayQuantizeSamples *samples = assay_quantize_activity_get_samples (activity);
  const char *refusal = assay_quantize_activity_get_refusal (activity);
  gboolean running = state == ASSAY_ACTIVITY_RUNNING;

  clear_rows (self->outcome, self->outcome_rows);
  if (refusal != NULL)
    add_outcome (self, new_row (refusal, NULL));
  if (error != NULL)
    add_outcome (self, new_row ("The model was not quantised", error->message));
  if (result != NULL && !running)
    add_result (self, result);

  gtk_widget_set_visible (GTK_WIDGET (self->bar), running);
  gtk_widget_set_visible (self->outcome, running || self->outcome_rows->len > 0);
  gtk_widget_set_visible (self->cancel_button, running);
  gtk_widget_set_visible (self->open_button, result != NULL && !running);
  if (result != NULL)
    gtk_widget_remove_css_class (self->quantize_button, "suggested-action");
  else
    gtk_widget_add_css_class (self->quantize_button, "suggested-action");
  gtk_widget_set_sensitive (GTK_WIDGET (self->samples), !running);
  gtk_widget_set_sensitive (self->random, !running);
  gtk_widget_set_sensitive (GTK_WIDGET (self->options), !running);
  gtk_widget_set_sensitive (self->quantize_button,
                            !running && refusal == NULL &&
                                (samples->paths != NULL || samples->n_random > 0));
}

static void
job_changed_cb (AssayQuantizeWindow *self)
{
  g_autoptr (AssayJob) job = g_signal_group_dup_target (self->job_signals);

  if (job == NULL)
    return;

  gtk_progress_bar_set_fraction (self->bar, CLAMP (assay_job_get_fraction (job), 0.0, 1.0));
  gtk_progress_bar_set_text (self->bar, assay_job_get_message (job));
}

static void
state_changed_cb (AssayQuantizeWindow *self)
{
  g_signal_group_set_target (self->job_signals,
                             assay_activity_get_job (ASSAY_ACTIVITY (get_activity (self))));
  job_changed_cb (self);
  update (self);
}

/* What it is calibrated with. */

static void
remove_cb (GtkWidget *button, AssayQuantizeWindow *self)
{
  assay_quantize_activity_remove_path (get_activity (self),
                                       g_object_get_data (G_OBJECT (button), "path"));
}

static void
samples_changed_cb (AssayQuantizeWindow *self)
{
  const AssayQuantizeSamples *samples = assay_quantize_activity_get_samples (get_activity (self));

  clear_rows (self->samples, self->path_rows);
  for (guint i = 0; samples->paths != NULL && samples->paths[i] != NULL; i++)
    {
      g_autofree char *name = g_filename_display_basename (samples->paths[i]);
      g_autofree char *path = g_filename_display_name (samples->paths[i]);
      g_autofree char *label = g_strdup_printf ("Remove %s", name);
      GtkWidget *row = new_row (name, path);
      GtkWidget *button = gtk_button_new_from_icon_name ("list-remove-symbolic");

      gtk_widget_add_css_class (button, "flat");
      gtk_widget_set_valign (button, GTK_ALIGN_CENTER);
      gtk_widget_set_tooltip_text (button, "Remove");
      gtk_accessible_update_property (GTK_ACCESSIBLE (button), GTK_ACCESSIBLE_PROPERTY_LABEL, label,
                                      -1);
      g_object_set_data_full (G_OBJECT (button), "path", g_strdup (samples->paths[i]), g_free);
      g_signal_connect (button, "clicked", G_CALLBACK (remove_cb), self);
      adw_action_row_add_suffix (ADW_ACTION_ROW (row), button);
      adw_preferences_group_add (self->samples, row);
      g_ptr_array_add (self->path_rows, row);
    }
  update (self);
}

static void
chosen_cb (const char *path, gpointer data)
{
  assay_quantize_activity_add_path (get_activity (data), path);
}

static void
add_folder_cb (AssayQuantizeWindow *self)
{
  static const AssayFileKind kind = { "Choose a Folder of Samples", "_Choose", "*", "Folders" };

  assay_file_choice_open_folder (self->choice, GTK_WINDOW (self), &kind, chosen_cb, self);
}

static void
add_file_cb (AssayQuantizeWindow *self)
{
  static const AssayFileKind kind = { "Choose Samples", "_Choose", "*.[np][pb]*",
                                      "NumPy Arrays and ONNX Tensors" };

  assay_file_choice_open (self->choice, GTK_WINDOW (self), &kind, chosen_cb, self);
}

static void
number_changed_cb (AssayQuantizeWindow *self)
{
  if (self->syncing)
    return;

  assay_quantize_activity_set_random (get_activity (self),
                                      (guint) gtk_spin_button_get_value_as_int (self->random_spin),
                                      (guint64) gtk_spin_button_get_value_as_int (self->seed_spin));
  assay_quantize_activity_set_gains (get_activity (self),
                                     (guint) gtk_spin_button_get_value_as_int (self->gains_spin));
}

/* How it is quantised. */

static void
setting_changed_cb (AssayQuantizeWindow *self)
{
  g_autoptr (AssaySettings) setup = assay_settings_ref (assay_session_get_setup (self->session));

  if (self->syncing)
    return;

  for (guint i = 0; i < self->setting_rows->len; i++)
    assay_setting_row_read (g_ptr_array_index (self->setting_rows, i), &setup);
  self->syncing = TRUE;
  assay_session_set_setup (self->session, setup);
  self->syncing = FALSE;
}

static void
setup_changed_cb (AssayQuantizeWindow *self)
{
  AssaySettings *setup = assay_session_get_setup (self->session);

  if (self->syncing)
    return;

  clear_rows (self->options, self->setting_rows);
  for (AssaySetting i = 0; i < ASSAY_N_SETTINGS; i++)
    if ((assay_setting_get_info (i)->stages & ASSAY_PIPELINE_QUANTIZE) != 0)
      {
        GtkWidget *row = assay_setting_row_new (i, setup, G_CALLBACK (setting_changed_cb), self);

        adw_preferences_group_add (self->options, row);
        g_ptr_array_add (self->setting_rows, row);
      }
}

static void
save_cb (const char *path, gpointer data)
{
  assay_quantize_activity_start (get_activity (data), path);
}

static void
quantize_cb (AssayQuantizeWindow *self)
{
  const AssayImporter *exchange = assay_importer_get_exchange ();
  g_autofree char *patterns = assay_importer_dup_patterns (exchange);
  g_autofree char *ending = assay_quantize_activity_dup_ending ();
  const AssayFileKind kind = { "Save Quantised Model", "_Quantise", patterns, exchange->models };

  assay_file_choice_save (self->choice, GTK_WINDOW (self), &kind, ending, save_cb, self);
}

static void
cancel_cb (AssayQuantizeWindow *self)
{
  assay_activity_cancel (ASSAY_ACTIVITY (get_activity (self)));
}

/* Opening asks what becomes of changes that are not saved; the float model stays where it is. */
static void
open_cb (AssayQuantizeWindow *self)
{
  const AssayQuantizedModel *result = assay_quantize_activity_get_result (get_activity (self));
  g_autofree char *path = result != NULL ? g_strdup (result->written) : NULL;
  GtkWindow *parent = gtk_window_get_transient_for (GTK_WINDOW (self));

  if (path == NULL || parent == NULL)
    return;

  g_object_ref (parent);
  gtk_window_close (GTK_WINDOW (self));
  gtk_widget_activate_action (GTK_WIDGET (parent), "win.open-path", "s", path);
  g_object_unref (parent);
}

static void
command_cb (AssayQuantizeWindow *self)
{
  g_autofree char *command = assay_session_dup_command (self->session, "quantize");

  gdk_clipboard_set_text (gtk_widget_get_clipboard (GTK_WIDGET (self)), command);
}

static void
assay_quantize_window_dispose (GObject *object)
{
  AssayQuantizeWindow *self = ASSAY_QUANTIZE_WINDOW (object);

  g_clear_object (&self->job_signals);
  g_clear_pointer (&self->choice, assay_file_choice_free);
  g_clear_pointer (&self->path_rows, g_ptr_array_unref);
  g_clear_pointer (&self->setting_rows, g_ptr_array_unref);
  g_clear_pointer (&self->outcome_rows, g_ptr_array_unref);
  g_clear_object (&self->session);

  G_OBJECT_CLASS (assay_quantize_window_parent_class)->dispose (object);
}

static void
assay_quantize_window_class_init (AssayQuantizeWindowClass *klass)
{
  GtkWidgetClass *widget_class = GTK_WIDGET_CLASS (klass);

  G_OBJECT_CLASS (klass)->dispose = assay_quantize_window_dispose;

  ASSAY_BIND_TEMPLATE (klass, AssayQuantizeWindow, "assay-quantize-window", cancel_button,
                       open_button, quantize_button, outcome, bar, samples, random, options,
                       random_spin, seed_spin, gains_spin);
  gtk_widget_class_bind_template_callback (widget_class, add_folder_cb);
  gtk_widget_class_bind_template_callback (widget_class, add_file_cb);
  gtk_widget_class_bind_template_callback (widget_class, number_changed_cb);
  gtk_widget_class_bind_template_callback (widget_class, quantize_cb);
  gtk_widget_class_bind_template_callback (widget_class, cancel_cb);
  gtk_widget_class_bind_template_callback (widget_class, open_cb);
  gtk_widget_class_bind_template_callback (widget_class, command_cb);
  gtk_widget_class_add_binding_action (widget_class, GDK_KEY_Escape, 0, "window.close", NULL);
}

static void
assay_quantize_window_init (AssayQuantizeWindow *self)
{
  self->choice = assay_file_choice_new ();
  self->path_rows = g_ptr_array_new ();
  self->setting_rows = g_ptr_array_new ();
  self->outcome_rows = g_ptr_array_new ();
  self->job_signals = g_signal_group_new (ASSAY_TYPE_JOB);
  g_signal_group_connect_swapped (self->job_signals, "notify", G_CALLBACK (job_changed_cb), self);
  self->syncing = TRUE;
  gtk_widget_init_template (GTK_WIDGET (self));
  self->syncing = FALSE;
}

/**
 * assay_quantize_window_new:
 * @parent: the window it belongs to
 * @session: a session with a model
 *
 * Makes the window. What is under way goes on when it is closed, and is there when it is opened
 * again.
 *
 * Returns: (transfer none): the window
 */
GtkWidget *
assay_quantize_window_new (GtkWindow *parent, AssaySession *session)
{
  AssayQuantizeWindow *self = g_object_new (ASSAY_TYPE_QUANTIZE_WINDOW, "transient-for", parent,
                                            "modal", TRUE, "destroy-with-parent", TRUE, NULL);
  AssayQuantizeActivity *activity = assay_session_get_quantize (session);
  const AssayQuantizeSamples *samples = assay_quantize_activity_get_samples (activity);

  self->session = g_object_ref (session);
  self->syncing = TRUE;
  gtk_spin_button_set_value (self->random_spin, samples->n_random);
  gtk_spin_button_set_value (self->seed_spin, (double) samples->seed);
  gtk_spin_button_set_value (self->gains_spin, assay_quantize_activity_get_gains (activity));
  self->syncing = FALSE;
  g_signal_connect_object (activity, "notify::state", G_CALLBACK (state_changed_cb), self,
                           G_CONNECT_SWAPPED);
  g_signal_connect_object (activity, "notify::samples", G_CALLBACK (samples_changed_cb), self,
                           G_CONNECT_SWAPPED);
  g_signal_connect_object (session, "notify::setup", G_CALLBACK (setup_changed_cb), self,
                           G_CONNECT_SWAPPED);
  g_signal_connect_object (session, "notify::verdicts", G_CALLBACK (update), self,
                           G_CONNECT_SWAPPED);
  setup_changed_cb (self);
  samples_changed_cb (self);
  state_changed_cb (self);
  return GTK_WIDGET (self);
}
