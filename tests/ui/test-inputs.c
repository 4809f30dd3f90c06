/* test-inputs.c
 * SPDX-License-Identifier: Apache-2.0
 *
 * What goes into a run, seen before it runs.
 */
#include <glib/gstdio.h>
#include <math.h>

#include "base/assay-npy.h"
#include "run/assay-run-parts.h"
#include "test-program.h"
#include "ui-fixture.h"
#include "ui/compare/assay-input-row.h"
#include "ui/compare/assay-inputs-window.h"
#include "ui/compare/assay-result-window.h"
#include "ui/tensor/assay-tensor-window.h"
#include "ui/window/assay-ui.h"

static AssayWindow *
open_inputs (GtkWidget **inputs)
{
  AssayWindow *window = ui_window_new (UI_TARGET, 1280, 800);
  g_autoptr (AssaySettings) setup = assay_settings_new ();

  ui_open_example (window, "streaming-cnn.onnx");
  assay_settings_set_axis (&setup, 0, 2);
  assay_session_set_setup (assay_window_get_session (window), setup);
  ui_wait_ready (window);
  g_assert_true (gtk_widget_activate_action (GTK_WIDGET (window), "win.run-inputs", NULL));
  *inputs = ui_find_window (ASSAY_TYPE_INPUTS_WINDOW);
  g_assert_nonnull (*inputs);
  return window;
}

static AssayInputRow *
get_row (GtkWidget *inputs)
{
  return ASSAY_INPUT_ROW (ui_find_type (inputs, ASSAY_TYPE_INPUT_ROW));
}

static gboolean
has_tensor (gpointer data)
{
  return assay_input_row_get_tensor (get_row (data)) != NULL;
}

static gboolean
is_told (gpointer data)
{
  return ui_find_label (data, "This cannot be fed or shown") != NULL;
}

static void
begins_cb (GtkWidget *widget, gpointer data)
{
  const char **wanted = data;

  if (GTK_IS_LABEL (widget) && gtk_widget_get_mapped (widget) &&
      strstr (gtk_label_get_text (GTK_LABEL (widget)), wanted[0]) != NULL)
    wanted[1] = gtk_label_get_text (GTK_LABEL (widget));
}

/* The text of a label that has some words in it. */
static const char *
find_text (GtkWidget *root, const char *words)
{
  const char *wanted[2] = { words, NULL };

  ui_for_each (root, begins_cb, wanted);
  return wanted[1];
}

/* Random values are there before anything ran, are those of the seed, and can be looked through. */
static void
test_random (void)
{
  GtkWidget *inputs;
  AssayWindow *window = open_inputs (&inputs);
  AssayRun *run = assay_session_get_run (assay_window_get_session (window));
  g_autoptr (AssayInputChoice) choice = assay_input_choice_copy (assay_run_get_inputs (run));
  g_autoptr (AssayTensor) first = NULL;
  AssayTensor *second;
  double a, b;

  wait_until (has_tensor (inputs));
  ui_settle ();
  first = assay_tensor_ref (assay_input_row_get_tensor (get_row (inputs)));
  g_assert_cmpuint (assay_tensor_get_n_elements (first), ==, 32 * 64);
  g_assert_nonnull (find_text (inputs, "least -0.99"));
  g_assert_nonnull (find_text (inputs, "random values in −1 to 1"));
  g_assert_cmpint (assay_activity_get_state (ASSAY_ACTIVITY (run)), ==, ASSAY_ACTIVITY_NONE);

  /* Another runner takes its inputs in another order; the values of an input are the same. */
  assay_run_set_runner (run, "reference");
  wait_until (has_tensor (inputs));
  second = assay_input_row_get_tensor (get_row (inputs));
  g_assert_true (second != first);
  g_assert_cmpmem (assay_tensor_get_data (first, NULL, NULL), assay_tensor_get_n_bytes (first),
                   assay_tensor_get_data (second, NULL, NULL), assay_tensor_get_n_bytes (second));

  assay_input_choice_set_seed (choice, 2);
  assay_run_set_inputs (run, choice);
  wait_until (has_tensor (inputs));
  second = assay_input_row_get_tensor (get_row (inputs));
  g_assert_true (assay_tensor_get_element (first, 0, &a, NULL));
  g_assert_true (assay_tensor_get_element (second, 0, &b, NULL));
  g_assert_cmpfloat (a, !=, b);

  ui_click (inputs, "Show the values of");
  g_assert_nonnull (ui_find_window (ASSAY_TYPE_TENSOR_WINDOW));
  ui_window_close (window);
}

/* A file is read and told of before it is fed: its figures, what is wrong with it, that it is not
 * there. */
static void
test_files (void)
{
  GtkWidget *inputs;
  AssayWindow *window = open_inputs (&inputs);
  AssayRun *run = assay_session_get_run (assay_window_get_session (window));
  g_autoptr (AssayInputChoice) choice = assay_input_choice_copy (assay_run_get_inputs (run));
  g_autoptr (GArray) ports = assay_run_list_inputs (run);
  const char *name = g_array_index (ports, AssayRunPort, 0).name;
  const gint64 dims[] = { 3 };
  const float values[] = { 1, -2, 4 };
  g_autoptr (AssayTensor) wrong = assay_tensor_new_f32 (1, dims, values);
  g_autofree char *path = g_build_filename (g_get_user_data_dir (), "wrong.npy", NULL);

  g_assert_true (assay_npy_save (wrong, path, NULL));
  assay_input_choice_set_file (choice, name, path);
  assay_run_set_inputs (run, choice);
  wait_until (has_tensor (inputs));
  ui_settle ();
  g_assert_nonnull (find_text (inputs, "least -2, greatest 4, mean 1, 3 elements"));
  g_assert_nonnull (find_text (inputs, "Will be refused: "));
  g_assert_nonnull (find_text (inputs, "wrong.npy"));

  g_remove (path);
  assay_input_choice_set_seed (choice, 5);
  assay_run_set_inputs (run, choice);
  wait_until (is_told (inputs));
  g_assert_nonnull (find_text (inputs, path));
  g_assert_null (assay_input_row_get_tensor (get_row (inputs)));

  ui_click (inputs, "Use random values for");
  wait_until (has_tensor (inputs));
  ui_settle ();
  g_assert_false (is_told (inputs));
  ui_window_close (window);
}

/* Test data beside a model is offered, and taken by the names that its files have. */
static void
test_data (void)
{
  g_autofree char *model = g_build_filename (g_get_user_data_dir (), "model.onnx", NULL);
  g_autofree char *folder = g_build_filename (g_get_user_data_dir (), "test_data_set_0", NULL);
  g_autofree char *other = g_build_filename (g_get_user_data_dir (), "test_data_set_10", NULL);
  g_autofree char *between = g_build_filename (g_get_user_data_dir (), "test_data_set_2", NULL);
  const char *const folders[] = { folder, other, between };
  /* A TensorProto: dims 1 (field 1), f32 (field 2 = 1), name "b" (field 8), raw_data of one element
   * (field 9). */
  static const char proto[] = "\010\001\020\001B\001bJ\004\000\000\200?";
  g_autoptr (GArray) ports = assay_run_ports_new ();
  AssayRunPort a = { .name = g_strdup ("a"), .rank = 0 };
  AssayRunPort b = { .name = g_strdup ("b"), .rank = 0 };
  g_autoptr (AssayInputChoice) choice = assay_input_choice_new ();
  g_autofree char *expected = g_build_filename (folder, "input_0.pb", NULL);
  g_auto (GStrv) sets = NULL;

  for (guint i = 0; i < G_N_ELEMENTS (folders); i++)
    {
      g_autofree char *path = g_build_filename (folders[i], "input_0.pb", NULL);

      g_assert_cmpint (g_mkdir (folders[i], 0700), ==, 0);
      g_assert_true (g_file_set_contents (path, proto, sizeof proto - 1, NULL));
    }
  sets = assay_input_choice_list_test_sets (model);
  g_assert_cmpuint (g_strv_length (sets), ==, 3);
  g_assert_cmpstr (sets[0], ==, folder);
  g_assert_cmpstr (sets[1], ==, between);
  g_assert_cmpstr (sets[2], ==, other);

  g_array_append_val (ports, a);
  g_array_append_val (ports, b);
  assay_input_choice_take_test_set (choice, sets[0], (const AssayRunPort *) (gpointer) ports->data,
                                    ports->len);
  g_assert_null (assay_input_choice_get_file (choice, "a"));
  g_assert_cmpstr (assay_input_choice_get_file (choice, "b"), ==, expected);
}

/* A TensorProto of four f32. */
static void
write_four (const char *folder, const char *file, const char *name, const float *values)
{
  g_autoptr (GByteArray) proto = g_byte_array_new ();
  g_autofree char *path = g_build_filename (folder, file, NULL);
  static const guint8 head[] = { 010, 1, 010, 4, 020, 1, 'B', 1 };
  static const guint8 data[] = { 'J', 16 };

  g_byte_array_append (proto, head, sizeof head);
  g_byte_array_append (proto, (const guint8 *) name, 1);
  g_byte_array_append (proto, data, sizeof data);
  g_byte_array_append (proto, (const guint8 *) values, 4 * sizeof *values);
  g_assert_true (g_file_set_contents (path, (const char *) proto->data, proto->len, NULL));
}

/* Test data beside a model goes in by itself, and what it expects is held against what came out;
 * other inputs have no expected outputs, and the test data is offered again. */
static void
test_expected (void)
{
  static const char model[] = "nnir 1\nmain (%x : f32[1,4]) {\n"
                              "  %y = Relu(%x) : f32[1,4] @ \"relu\"\n  return %y\n}\n";
  static const float in[] = { 1, -2, 3, -4 };
  static const float outputs[][4] = { { 1, 0, 3, 0 }, { 1, 0, 3, 8 } };
  g_autofree char *folder = g_build_filename (g_get_user_data_dir (), "case", NULL);
  g_autofree char *set = g_build_filename (folder, "test_data_set_0", NULL);
  g_autofree char *path = g_build_filename (folder, "model.nnir", NULL);
  AssayWindow *window = ui_window_new (UI_TARGET, 1280, 800);
  AssaySession *session = assay_window_get_session (window);
  AssayCompareActivity *comparing = assay_session_get_compare_activity (session);
  g_autoptr (AssayInputChoice) random = assay_input_choice_new ();
  GtkWidget *button, *tile;

  g_assert_cmpint (g_mkdir_with_parents (set, 0700), ==, 0);
  g_assert_true (g_file_set_contents (path, model, -1, NULL));
  write_four (set, "input_0.pb", "x", in);
  write_four (set, "output_0.pb", "y", outputs[0]);
  assay_window_open (window, path, NULL);
  ui_wait_ready (window);
  ui_wait_ended (assay_session_get_compilation (session));
  gtk_widget_activate_action (GTK_WIDGET (window), "win.page", "s", "compare");
  ui_settle ();
  g_assert_null (find_text (GTK_WIDGET (window), "Use Test Data"));
  g_assert_nonnull (find_text (GTK_WIDGET (window), "test_data_set_0, with its outputs"));

  for (guint i = 0; i < G_N_ELEMENTS (outputs); i++)
    {
      const AssayComparison *comparison;

      write_four (set, "output_0.pb", "y", outputs[i]);
      gtk_widget_activate_action (GTK_WIDGET (window), "win.compare", NULL);
      ui_wait_ended (comparing);
      ui_settle ();
      comparison = assay_compare_activity_get_comparison (comparing);
      g_assert_cmpstr (comparison->expected, ==, "test_data_set_0");
      g_assert_null (comparison->expected_trouble);
      g_assert_cmpuint (comparison->n_expected, ==, 1);
      g_assert_cmpuint (comparison->n_expected_within, ==, i == 0);
      g_assert_cmpint (comparison->verdict, !=, ASSAY_COMPARISON_OUTSIDE);
      g_assert_null (find_text (GTK_WIDGET (window), "Use Test Data"));
      tile = ui_find_label (GTK_WIDGET (window), "Expected Outputs");
      g_assert_true (gtk_widget_get_mapped (tile));
      /* Runs that agree may both be wrong, which is what the headline says then. */
      g_assert_nonnull (ui_find_label (GTK_WIDGET (window), i == 0 ? "Pass" : "Fail"));
      g_assert_null (ui_find_label (GTK_WIDGET (window), i == 0 ? "Fail" : "Pass"));
      g_assert_true ((find_text (GTK_WIDGET (window),
                                 "1 of 1 output not as test_data_set_0 expects") != NULL) == i);
    }

  assay_run_set_inputs (assay_session_get_run (session), random);
  gtk_widget_activate_action (GTK_WIDGET (window), "win.compare", NULL);
  ui_wait_ended (comparing);
  g_assert_null (assay_compare_activity_get_comparison (comparing)->expected);
  ui_settle ();
  button = gtk_widget_get_ancestor (ui_find_label (GTK_WIDGET (window), "Use Test Data"),
                                    GTK_TYPE_BUTTON);

  g_signal_emit_by_name (button, "clicked");
  gtk_widget_activate_action (GTK_WIDGET (window), "win.compare", NULL);
  ui_wait_ended (comparing);
  ui_settle ();
  g_assert_nonnull (assay_compare_activity_get_comparison (comparing)->expected);
  g_assert_null (find_text (GTK_WIDGET (window), "Use Test Data"));
  ui_window_close (window);
}

/* What does not fit the model, or does not say what comes out, is not taken unasked. */
static void
test_unfit (void)
{
  static const char model[] = "nnir 1\nmain (%x : f32[1,4], %z : f32[1,4]) {\n"
                              "  %y = Add(%x, %z) : f32[1,4] @ \"add\"\n  return %y\n}\n";
  static const float values[] = { 1, -2, 3, -4 };
  static const char two[] = "\010\001\020\001B\001zJ\004\000\000\200?";
  g_autofree char *folder = g_build_filename (g_get_user_data_dir (), "unfit", NULL);
  g_autofree char *set = g_build_filename (folder, "test_data_set_0", NULL);
  g_autofree char *path = g_build_filename (folder, "model.nnir", NULL);
  g_autofree char *second = g_build_filename (set, "input_1.pb", NULL);
  g_autoptr (GArray) ports = assay_run_ports_new ();
  gint64 dims[] = { 1, 4 };
  g_autoptr (AssayInputChoice) none = NULL;

  for (guint i = 0; i < 2; i++)
    {
      AssayRunPort port = { .name = g_strdup (i == 0 ? "x" : "z"),
                            .dtype = ASSAY_DTYPE_F32,
                            .rank = 2,
                            .dims = g_memdup2 (dims, sizeof dims) };

      g_array_append_val (ports, port);
    }
  g_assert_cmpint (g_mkdir_with_parents (set, 0700), ==, 0);
  g_assert_true (g_file_set_contents (path, model, -1, NULL));
  write_four (set, "input_0.pb", "x", values);

  for (guint i = 0; i < 4; i++)
    {
      if (i == 1)
        g_assert_true (g_file_set_contents (second, two, sizeof two - 1, NULL));
      if (i == 2)
        write_four (set, "input_1.pb", "z", values);
      if (i == 3)
        write_four (set, "output_0.pb", "y", values);
      none = assay_input_choice_new_beside (path, (const AssayRunPort *) (gpointer) ports->data,
                                            ports->len);
      g_assert_cmpint (none != NULL, ==, i == 3);
    }
}

static gboolean
is_shown (gpointer data)
{
  GtkWidget *dialog = ui_find_window (GTK_TYPE_FILE_CHOOSER_DIALOG);

  return dialog != NULL && gtk_widget_get_mapped (dialog);
}

static gboolean
is_saved (gpointer data)
{
  g_autoptr (AssayRunParts) parts = assay_run_parts_load (data, NULL);

  return parts != NULL && parts->tensors->len == 2;
}

static gboolean
is_array (gpointer data)
{
  g_autoptr (AssayTensor) tensor = assay_npy_load (data, NULL);

  return tensor != NULL && assay_tensor_get_n_elements (tensor) == 2;
}

typedef struct
{
  GtkFileChooser *dialog;
  const char *path;
} Answer;

static gboolean
is_answered (const Answer *answer)
{
  g_autoptr (GFile) file = gtk_file_chooser_get_file (answer->dialog);

  return file != NULL && g_strcmp0 (g_file_peek_path (file), answer->path) == 0;
}

/* Presses Save beside a part of the sequence, which offers all of its parts, and answers the
 * dialog as a user does. A name that ends in .npy is that part alone. */
static void
save_part (GtkWidget *result, const char *name, gboolean (*done) (gpointer path))
{
  g_autofree char *path = g_build_filename (g_get_user_data_dir (), name, NULL);
  g_autoptr (GSettings) settings = assay_ui_get_settings ();
  GtkWidget *table = ui_find_type (result, GTK_TYPE_COLUMN_VIEW), *label, *dialog;
  GtkSelectionModel *rows = gtk_column_view_get_model (GTK_COLUMN_VIEW (table));

  /* The length, then the parts. */
  g_assert_cmpuint (g_list_model_get_n_items (G_LIST_MODEL (rows)), ==, 3);
  gtk_selection_model_select_item (rows, 2, TRUE);
  ui_settle ();
  /* The dialog starts where the last one ended. */
  g_settings_set_string (settings, "last-folder", g_get_user_data_dir ());
  label = ui_find_label (result, "Save as .npy…");
  g_assert_nonnull (label);
  g_signal_emit_by_name (gtk_widget_get_ancestor (label, GTK_TYPE_BUTTON), "clicked");
  wait_until (is_shown (NULL));
  dialog = ui_find_window (GTK_TYPE_FILE_CHOOSER_DIALOG);
  g_assert_cmpstr (gtk_window_get_title (GTK_WINDOW (dialog)), ==, "Save All Parts");
  gtk_file_chooser_set_current_name (GTK_FILE_CHOOSER (dialog), name);
  wait_until (is_answered (&(Answer){ GTK_FILE_CHOOSER (dialog), path }));
  gtk_dialog_response (GTK_DIALOG (dialog), GTK_RESPONSE_ACCEPT);
  wait_until (done (path));
}

/* A sequence is no tensor, and says so; one of its tensors is shown. Without a program the model
 * itself is compared, and what comes out has a row for each part. */
static void
test_parts (void)
{
  static const char model[] = "nnir 1\nmain (%s : seq<f32[2]>) {\n"
                              "  %n = SequenceLength(%s) : i64[] @ \"length\"\n"
                              "  return %n, %s\n}\n";
  g_autofree char *path = g_build_filename (g_get_user_data_dir (), "parts.nnir", NULL);
  AssayWindow *window = ui_window_new (UI_TARGET, 1280, 800);
  AssaySession *session = assay_window_get_session (window);
  AssayCompareActivity *comparing = assay_session_get_compare_activity (session);
  AssayRun *run = assay_session_get_run (session);
  GtkWidget *inputs, *result;

  g_assert_true (g_file_set_contents (path, model, -1, NULL));
  assay_window_open (window, path, NULL);
  ui_wait_ready (window);
  assay_run_set_runner (run, "reference");
  gtk_widget_activate_action (GTK_WIDGET (window), "win.run-inputs", NULL);
  inputs = ui_find_window (ASSAY_TYPE_INPUTS_WINDOW);
  wait_until (has_tensor (inputs));
  ui_settle ();
  g_assert_nonnull (find_text (inputs, "seq<f32[2]>, no tensor"));
  g_assert_nonnull (find_text (inputs, "s[0]: least "));
  gtk_window_close (GTK_WINDOW (inputs));

  gtk_widget_activate_action (GTK_WIDGET (window), "win.page", "s", "compare");
  ui_settle ();
  g_assert_false (assay_compare_activity_can_start (comparing));
  ui_click (GTK_WIDGET (window),
            "Compare runners that need no program: the reference and ONNX Runtime");
  ui_settle ();
  g_assert_cmpstr (assay_compare_activity_get_runner (comparing, 1), ==, "ort");
  g_assert_null (find_text (GTK_WIDGET (window), "Compare the Model Itself"));
  assay_compare_activity_set_runner (comparing, 1, "reference-fp64");
  gtk_widget_activate_action (GTK_WIDGET (window), "win.compare", NULL);
  ui_wait_ended (comparing);
  ui_settle ();
  g_assert_nonnull (find_text (GTK_WIDGET (window), "s[1]"));

  assay_run_start (run);
  ui_wait_ended (run);
  gtk_widget_activate_action (GTK_WIDGET (window), "win.show-result", NULL);
  result = ui_find_window (ASSAY_TYPE_RESULT_WINDOW);
  ui_settle ();
  g_assert_nonnull (find_text (result, "s[1]"));
  save_part (result, "whole.npz", is_saved);
  save_part (result, "alone.npy", is_array);
  gtk_window_close (GTK_WINDOW (result));
  ui_window_close (window);
}

static void
find_entries (GtkWidget *widget, gpointer data)
{
  if (ADW_IS_ENTRY_ROW (widget))
    g_ptr_array_add (data, widget);
}

/* What cannot be taken says what is expected, until it is put right or taken away. */
static void
test_wrong (void)
{
  static const struct
  {
    const char *wrong;
    const char *said;
    const char *right;
  } entries[] = {
    { "12x", "Seed: a whole number is expected", "12" },
    { "0", "Timesteps: a number from 1 to ", "" },
  };
  GtkWidget *inputs;
  AssayWindow *window = open_inputs (&inputs);
  g_autoptr (GPtrArray) rows = g_ptr_array_new ();

  ui_for_each (inputs, find_entries, rows);
  g_assert_cmpuint (rows->len, ==, G_N_ELEMENTS (entries));
  for (guint i = 0; i < rows->len; i++)
    {
      AdwPreferencesRow *row = g_ptr_array_index (rows, i);

      gtk_editable_set_text (GTK_EDITABLE (row), entries[i].wrong);
      g_assert_true (gtk_widget_has_css_class (GTK_WIDGET (row), "error"));
      g_assert_true (g_str_has_prefix (adw_preferences_row_get_title (row), entries[i].said));
      gtk_editable_set_text (GTK_EDITABLE (row), entries[i].right);
      g_assert_false (gtk_widget_has_css_class (GTK_WIDGET (row), "error"));
      g_assert_null (strstr (adw_preferences_row_get_title (row), "expected"));
    }
  gtk_window_close (GTK_WINDOW (inputs));
  ui_window_close (window);
}

/* What is compared without a program takes inputs too, of a model that the target refuses. */
static void
test_compared (void)
{
  AssayWindow *window = ui_window_new (UI_TARGET, 1280, 800);
  AssayCompareActivity *comparing = assay_session_get_compare_activity (
      assay_window_get_session (window));
  GtkWidget *inputs;

  ui_open_example (window, UI_MODEL);
  g_assert_nonnull (assay_window_explain_action (window, "win.run-inputs"));
  assay_compare_activity_set_runner (comparing, 1, "reference-fp64");
  ui_settle ();
  g_assert_null (assay_window_explain_action (window, "win.run-inputs"));
  gtk_widget_activate_action (GTK_WIDGET (window), "win.run-inputs", NULL);
  inputs = ui_find_window (ASSAY_TYPE_INPUTS_WINDOW);
  g_assert_nonnull (inputs);
  g_assert_nonnull (get_row (inputs));
  gtk_window_close (GTK_WINDOW (inputs));
  ui_window_close (window);
}

TEST_PROGRAM (inputs)
{
  if (!ui_init (&argc, &argv))
    {
      g_print ("1..0 # SKIP there is no display\n");
      return 0;
    }

  g_test_add_func ("/ui/inputs/random", test_random);
  g_test_add_func ("/ui/inputs/files", test_files);
  g_test_add_func ("/ui/inputs/test-data", test_data);
  g_test_add_func ("/ui/inputs/expected", test_expected);
  g_test_add_func ("/ui/inputs/unfit", test_unfit);
  g_test_add_func ("/ui/inputs/parts", test_parts);
  g_test_add_func ("/ui/inputs/compared", test_compared);
  g_test_add_func ("/ui/inputs/wrong", test_wrong);

  return g_test_run ();
}
