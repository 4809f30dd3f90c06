/* test-quantize-window.c
 * SPDX-License-Identifier: Apache-2.0
 *
 * The window that quantises: what it is calibrated with and how, how far it is, Cancel, and the way
 * to the quantised model.
 */
#include <glib/gstdio.h>
#include <string.h>

#include "base/assay-npy.h"
#include "test-program.h"
#include "ui-fixture.h"
#include "ui/sidebar/assay-quantize-window.h"

#define DPU "dpu_zdx8g_b4096"

static GtkWidget *
open_window (AssayWindow *window)
{
  gtk_widget_activate_action (GTK_WIDGET (window), "win.quantize", NULL);
  ui_settle ();

  return ui_find_window (ASSAY_TYPE_QUANTIZE_WINDOW);
}

typedef struct
{
  const char *words;
  gboolean found;
} Words;

static void
find_in_label (GtkWidget *widget, gpointer data)
{
  Words *words = data;

  if (GTK_IS_LABEL (widget) && gtk_widget_get_mapped (widget) &&
      strstr (gtk_label_get_label (GTK_LABEL (widget)), words->words) != NULL)
    words->found = TRUE;
}

/* Whether a label that can be seen has these words in it. */
static gboolean
find_words (AssayWindow *window, const char *words)
{
  Words searched = { words, FALSE };

  ui_for_each (GTK_WIDGET (window), find_in_label, &searched);

  return searched.found;
}

static gboolean
is_enabled (GtkWidget *root, const char *label)
{
  GtkWidget *button = gtk_widget_get_ancestor (ui_find_label (root, label), GTK_TYPE_BUTTON);

  return gtk_widget_get_sensitive (button) && gtk_widget_get_mapped (button);
}

static void
press (GtkWidget *root, const char *label)
{
  GtkWidget *button = gtk_widget_get_ancestor (ui_find_label (root, label), GTK_TYPE_BUTTON);

  g_assert_true (gtk_widget_is_sensitive (button));
  g_signal_emit_by_name (button, "clicked");
  ui_settle ();
}

/* The switch of the row with a title. */
static void
turn_on (GtkWidget *root, const char *title)
{
  GtkWidget *row = gtk_widget_get_ancestor (ui_find_label (root, title), ADW_TYPE_ACTION_ROW);

  gtk_switch_set_active (GTK_SWITCH (ui_find_type (row, GTK_TYPE_SWITCH)), TRUE);
  ui_settle ();
}

static char *
write_sample (AssaySession *session)
{
  g_autoptr (GArray) ports = assay_run_list_inputs (assay_session_get_run (session));
  const AssayRunPort *port = &g_array_index (ports, AssayRunPort, 0);
  char *path = g_build_filename (g_get_user_data_dir (), "a sample.npy", NULL);
  g_autofree float *numbers = NULL;
  g_autoptr (AssayTensor) tensor = NULL;
  g_autoptr (GError) error = NULL;
  gsize n = 1;

  for (int i = 0; i < port->rank; i++)
    n *= (gsize) port->dims[i];
  numbers = g_new (float, n);
  for (gsize i = 0; i < n; i++)
    numbers[i] = (float) i / (float) n - 0.5f;
  tensor = assay_tensor_new_f32 (port->rank, port->dims, numbers);
  g_mkdir_with_parents (g_get_user_data_dir (), 0700);
  assay_npy_save (tensor, path, &error);
  g_assert_no_error (error);

  return path;
}

/* A model in float for a target of 8 bits: what cannot be compiled offers to quantise. */
static void
test_offer (void)
{
  AssayWindow *window = ui_window_new (UI_TARGET, 1280, 800);
  AssaySession *session = assay_window_get_session (window);
  g_autofree char *reason = NULL;

  ui_open_example (window, "mlp.onnx");
  reason = assay_window_explain_action (window, "win.quantize");
  g_assert_cmpstr (reason, ==, "Models are not quantised for this target");

  assay_session_set_target_id (session, DPU);
  ui_wait_ready (window);
  ui_bind_batch (window);
  g_assert_null (assay_window_explain_action (window, "win.quantize"));
  gtk_widget_activate_action (GTK_WIDGET (window), "win.page", "s", "memory");
  gtk_widget_activate_action (GTK_WIDGET (window), "win.compile", NULL);
  ui_wait_ended (assay_session_get_compilation (session));
  ui_settle ();
  g_assert_nonnull (
      assay_activity_get_error (ASSAY_ACTIVITY (assay_session_get_compilation (session))));
  press (GTK_WIDGET (window), "Quantise…");
  g_assert_nonnull (ui_find_window (ASSAY_TYPE_QUANTIZE_WINDOW));
  ui_window_close (window);
}

static void
test_quantize (void)
{
  AssayWindow *window = ui_window_new (DPU, 1280, 800);
  AssaySession *session = assay_window_get_session (window);
  AssayQuantizeActivity *activity = assay_session_get_quantize (session);
  g_autofree char *written = g_build_filename (g_get_user_data_dir (), "mlp-int8.onnx", NULL);
  g_autofree char *model = ui_example ("mlp.onnx");
  g_autofree char *sample = NULL;
  g_autofree char *command = NULL;
  g_autofree char *reason = NULL;
  const AssayQuantizedModel *result;
  const AssayDeployment *deployment;
  GtkWidget *dialog;

  ui_open_example (window, "mlp.onnx");
  ui_bind_batch (window);
  sample = write_sample (session);
  dialog = open_window (window);
  g_assert_false (is_enabled (dialog, "Quantise…"));

  /* What it is calibrated with. */
  assay_quantize_activity_add_path (activity, sample);
  assay_quantize_activity_add_path (activity, sample);
  ui_settle ();
  g_assert_nonnull (ui_find_label (dialog, "a sample.npy"));
  g_assert_true (is_enabled (dialog, "Quantise…"));
  ui_click (dialog, "Remove");
  ui_settle ();
  g_assert_null (ui_find_label (dialog, "a sample.npy"));
  g_assert_false (is_enabled (dialog, "Quantise…"));
  assay_quantize_activity_add_path (activity, sample);
  ui_settle ();

  /* How: what the table of settings has for it, kept and undone as all settings are. */
  for (AssaySetting i = 0; i < ASSAY_N_SETTINGS; i++)
    if (assay_setting_get_info (i)->stages == ASSAY_PIPELINE_QUANTIZE)
      {
        turn_on (dialog, assay_setting_get_info (i)->title);
        g_assert_true (assay_settings_get_flag (assay_session_get_setup (session), i));
      }
  ui_wait_ready (window);
  command = assay_session_dup_command (session, "quantize");
  g_assert_nonnull (strstr (command, " --equalize --correct-bias --calibration "));
  g_assert_nonnull (strstr (command, "--output mlp-int8.onnx"));
  g_assert_null (strstr (command, "--random"));

  assay_quantize_activity_start (activity, written);
  ui_wait_ended (activity);
  ui_settle ();
  g_assert_no_error (assay_activity_get_error (ASSAY_ACTIVITY (activity)));
  result = assay_quantize_activity_get_result (activity);
  g_assert_cmpuint (result->n_samples, ==, 1);
  g_assert_cmpuint (result->counts.n_weights, >, 2);
  g_assert_cmpuint (result->trials->len, ==, 2);
  g_assert_cmpuint (result->costs->rows->len, >, 2);
  g_assert_nonnull (ui_find_label (dialog, "Quantised"));
  g_assert_nonnull (ui_find_label (dialog, "Read back: 1 output equal to the bit for 2 random "
                                           "inputs"));

  /* The quantised model takes the place of the other, before the same target; that one is as it
   * was. */
  press (dialog, "Open Result");
  wait_until (g_strcmp0 (assay_document_get_path (assay_session_get_document (session)), written) ==
              0);
  ui_wait_ready (window);
  g_assert_null (ui_find_window (ASSAY_TYPE_QUANTIZE_WINDOW));
  g_assert_cmpstr (assay_session_get_target_id (session), ==, DPU);
  g_assert_true (assay_verdicts_has_positions (assay_session_get_verdicts (session)));
  reason = assay_window_explain_action (window, "win.quantize");
  g_assert_cmpstr (reason, ==, "The model is quantised already");
  gtk_widget_activate_action (GTK_WIDGET (window), "win.compile", NULL);
  ui_wait_ended (assay_session_get_compilation (session));
  g_assert_no_error (
      assay_activity_get_error (ASSAY_ACTIVITY (assay_session_get_compilation (session))));

  /* What nobody publishes is said to be estimated. */
  gtk_widget_activate_action (GTK_WIDGET (window), "win.page", "s", "memory");
  ui_settle ();
  g_assert_true (find_words (window, "Places are estimated"));
  gtk_widget_activate_action (GTK_WIDGET (window), "win.page", "s", "timeline");
  ui_settle ();
  g_assert_true (find_words (window, " cycles estimated, "));
  g_assert_true (find_words (window, "Cycles are estimated from "));
  g_assert_false (find_words (window, "predicted"));

  /* Its program runs here, and on a board. */
  assay_run_set_runner (assay_session_get_run (session), "dpu");
  assay_run_start (assay_session_get_run (session));
  ui_wait_ended (assay_session_get_run (session));
  g_assert_no_error (assay_activity_get_error (ASSAY_ACTIVITY (assay_session_get_run (session))));
  gtk_widget_activate_action (GTK_WIDGET (window), "win.deploy", NULL);
  ui_wait_ended (assay_session_get_deploy_activity (session));
  g_assert_no_error (
      assay_activity_get_error (ASSAY_ACTIVITY (assay_session_get_deploy_activity (session))));
  deployment = assay_deploy_activity_get_deployment (assay_session_get_deploy_activity (session));
  g_assert_cmpuint (deployment->n_values, >, 0);
  g_assert_cmpuint (deployment->n_different, ==, 0);

  assay_window_open (window, model, NULL);
  wait_until (g_strcmp0 (assay_document_get_path (assay_session_get_document (session)), model) ==
              0);
  ui_wait_ready (window);
  g_assert_false (assay_verdicts_has_positions (assay_session_get_verdicts (session)));
  ui_window_close (window);
}

/* What is stopped has written nothing, and the model that is open is not written over. */
static void
test_cancel (void)
{
  AssayWindow *window = ui_window_new (DPU, 1280, 800);
  AssaySession *session = assay_window_get_session (window);
  AssayQuantizeActivity *activity = assay_session_get_quantize (session);
  g_autofree char *written = g_build_filename (g_get_user_data_dir (), "stopped.onnx", NULL);
  g_autofree char *model = ui_example ("mlp.onnx");
  GtkWidget *dialog;

  ui_open_example (window, "mlp.onnx");
  ui_bind_batch (window);
  dialog = open_window (window);
  assay_quantize_activity_set_random (activity, ASSAY_QUANTIZE_MOST_RANDOM, 1);
  assay_quantize_activity_start (activity, written);
  ui_settle ();
  g_assert_cmpint (assay_activity_get_state (ASSAY_ACTIVITY (activity)), ==,
                   ASSAY_ACTIVITY_RUNNING);
  g_assert_false (is_enabled (dialog, "Quantise…"));
  wait_until (assay_job_get_fraction (assay_activity_get_job (ASSAY_ACTIVITY (activity))) > 0);
  press (dialog, "Cancel");
  g_assert_cmpint (assay_activity_get_state (ASSAY_ACTIVITY (activity)), ==, ASSAY_ACTIVITY_NONE);
  g_assert_true (is_enabled (dialog, "Quantise…"));
  wait_rest ();
  g_assert_false (g_file_test (written, G_FILE_TEST_EXISTS));

  assay_quantize_activity_set_random (activity, 1, 1);
  assay_quantize_activity_start (activity, model);
  ui_wait_ended (activity);
  ui_settle ();
  g_assert_nonnull (assay_activity_get_error (ASSAY_ACTIVITY (activity)));
  g_assert_nonnull (ui_find_label (dialog, "The model was not quantised"));
  ui_window_close (window);
}

static const UiTest tests[] = {
  { "/ui/quantize/offer", test_offer },
  { "/ui/quantize/quantize", test_quantize },
  { "/ui/quantize/cancel", test_cancel },
};

TEST_PROGRAM (quantize_window)
{
  return ui_run (argc, argv, tests, G_N_ELEMENTS (tests));
}
