/* test-command.c
 * SPDX-License-Identifier: Apache-2.0
 *
 * Command lines that the window copies, executed: they give what the window shows.
 */
#include <json-glib/json-glib.h>
#include <string.h>

#include "base/assay-npy.h"
#include "model-writer.h"
#include "session-fixture.h"

#define TARGET "ia_420f_c6b32"

typedef SessionFixture Fixture;

/* A name that a shell takes apart if it is not quoted. */
static char *
make_folder (Fixture *fixture)
{
  session_fixture_init (fixture, TARGET);

  return session_fixture_path (fixture, "it's a model & more.onnx");
}

static void
open_path (Fixture *fixture, const char *path)
{
  session_fixture_open (fixture, path);
  session_fixture_wait_idle (fixture);
  g_assert_cmpint (assay_session_get_state (fixture->session), ==, ASSAY_SESSION_READY);
}

static void
set_up (Fixture *fixture, const char *example)
{
  g_autofree char *from = g_build_filename (g_getenv ("ASSAY_EXAMPLES_DIR"), example, NULL);
  g_autofree char *path = make_folder (fixture);
  g_autofree char *bytes = NULL;
  gsize length;

  g_assert_true (g_file_get_contents (from, &bytes, &length, NULL));
  g_assert_true (g_file_set_contents (path, bytes, (gssize) length, NULL));
  open_path (fixture, path);
}

/* Of two inputs one is given a size by name and one by shape; the offer for Abs changes a node that
 * needs quotes. */
static void
set_up_fixed (Fixture *fixture)
{
  g_autofree char *path = make_folder (fixture);
  g_autoptr (AssaySettings) setup = assay_settings_new ();
  g_auto (ModelWriter) writer;
  g_autoptr (GError) error = NULL;
  g_autoptr (GPtrArray) fixes = NULL;
  AssayFixSearch *search;
  const AssayFixSuggestions *suggestions;

  model_writer_init (&writer, "chain");
  model_writer_input (&writer, "x", 1, "batch,64");
  model_writer_input (&writer, "z", 1, "rows,64");
  model_writer_output (&writer, "y", 1, "batch,64");
  model_writer_node (&writer, "Add", "/one/add", "x z", "a");
  model_writer_node (&writer, "Abs", "/two/it's \"op\"", "a", "b");
  model_writer_node (&writer, "Sigmoid", "/two/last", "b", "y");
  g_assert_true (model_writer_save (&writer, path, 17, &error));
  g_assert_no_error (error);

  open_path (fixture, path);
  assay_settings_set_number (&setup, ASSAY_SETTING_BIND, "batch", 1);
  g_assert_true (assay_settings_set_shape (&setup, 1, "1,64", NULL));
  assay_session_set_setup (fixture->session, setup);
  session_fixture_wait_idle (fixture);
  g_assert_cmpuint (
      assay_verdicts_count (assay_session_get_verdicts (fixture->session), ASSAY_VERDICT_REJECTED),
      >, 0);

  search = assay_session_get_fix_search (fixture->session);
  assay_session_set_finding (fixture->session, 0);
  while (assay_fix_search_is_busy (search, 0))
    g_main_context_iteration (NULL, TRUE);
  suggestions = assay_fix_search_get (search, 0);
  g_assert_nonnull (suggestions);
  g_assert_cmpuint (suggestions->offers->len, >, 0);
  fixes = assay_fix_offer_list_fixes (g_ptr_array_index (suggestions->offers, 0), NULL);
  assay_session_apply_fixes (fixture->session, fixes);
  session_fixture_wait_idle (fixture);
  g_assert_cmpuint (assay_document_get_fixes (assay_session_get_document (fixture->session))->len,
                    ==, 1);
}

static void
tear_down (Fixture *fixture)
{
  gpointer session = g_object_ref (fixture->session);

  session_fixture_clear (fixture);
  /* Work whose result nobody waits for may hold the session until it ends. */
  g_object_add_weak_pointer (session, &session);
  g_object_unref (session);
  wait_until (session == NULL);
}

/* Through a shell, as one who pastes it: `assay` is the program of the build. */
static JsonObject *
execute (Fixture *fixture, const char *kind)
{
  g_autofree char *line = assay_session_dup_command (fixture->session, kind);
  g_autofree char *script = g_strconcat (line, " --json", NULL);
  g_autofree char *bin = g_path_get_dirname (g_getenv ("ASSAY_PROGRAM"));
  g_autofree char *path = g_strjoin (G_SEARCHPATH_SEPARATOR_S, bin, g_getenv ("PATH"), NULL);
  g_auto (GStrv) environment = g_environ_setenv (g_get_environ (), "PATH", path, TRUE);
  g_autofree char *output = NULL;
  g_autofree char *errors = NULL;
  g_autoptr (JsonNode) node = NULL;
  g_autoptr (GError) error = NULL;
  const char *argv[] = { "/bin/sh", "-c", script, NULL };
  const char *document;
  int status;

  g_test_message ("%s", line);
  g_assert_true (g_str_has_prefix (line, "assay "));
  g_assert_true (g_spawn_sync (fixture->folder, (char **) argv, environment, G_SPAWN_DEFAULT, NULL,
                               NULL, &output, &errors, &status, &error));
  g_assert_no_error (error);

  /* Of two commands the last writes JSON, after the text of the first. */
  document = strstr (output, "\n{");
  node = json_from_string (document != NULL ? document : output, &error);
  if (error != NULL || node == NULL)
    g_error ("%s\n%s", line, errors);

  return json_object_ref (json_node_get_object (node));
}

static void
assert_counts (JsonObject *counts, AssaySession *session)
{
  AssayVerdicts *verdicts = assay_session_get_verdicts (session);

  for (guint kind = 0; kind < ASSAY_N_VERDICTS; kind++)
    g_assert_cmpint (json_object_get_int_member_with_default (counts, assay_verdict_name (kind), 0),
                     ==, assay_verdicts_count (verdicts, kind));
}

/* What the window ran gives the same numbers when its command is pasted. */
static void
check_run (Fixture *fixture)
{
  AssayRun *run = assay_session_get_run (fixture->session);
  g_autoptr (AssayResultItem) item = NULL;
  g_autoptr (JsonObject) ran = NULL;
  const AssayStatistics *statistics;
  JsonObject *output;

  assay_run_set_runner (run, "vm-fp32");
  assay_run_start (run);
  session_fixture_wait_idle (fixture);
  item = g_list_model_get_item (assay_run_get_results (run), 0);
  g_assert_nonnull (item);
  statistics = assay_result_item_get_statistics (item);
  ran = execute (fixture, "run");
  output = json_array_get_object_element (json_object_get_array_member (ran, "outputs"), 0);
  g_assert_cmpfloat (json_object_get_double_member (output, "mean"), ==, statistics->mean);
  g_assert_cmpfloat (json_object_get_double_member (output, "max"), ==, statistics->max);
}

static void
test_check (void)
{
  Fixture fixture = { NULL };
  g_autoptr (JsonObject) result = NULL;

  set_up (&fixture, "many-refusals.onnx");
  result = execute (&fixture, "check");
  assert_counts (json_object_get_object_member (result, "summary"), fixture.session);
  tear_down (&fixture);
}

/* One command where `assay fix` says it all, the fixed model as a file where another command needs
 * it. */
static void
test_fixes (void)
{
  Fixture fixture = { NULL };
  g_autoptr (JsonObject) checked = NULL;
  g_autoptr (JsonObject) compiled = NULL;
  g_autofree char *written = NULL;
  AssayCompilation *compilation;

  set_up_fixed (&fixture);
  checked = execute (&fixture, "check");
  g_assert_cmpint (json_array_get_length (json_object_get_array_member (checked, "applied")), ==,
                   1);
  assert_counts (json_object_get_object_member (checked, "after"), fixture.session);
  g_assert_cmpint (
      json_object_get_int_member (json_object_get_object_member (checked, "after"), "rejected"), <,
      json_object_get_int_member (json_object_get_object_member (checked, "before"), "rejected"));

  compilation = assay_session_get_compilation (fixture.session);
  if (assay_compilation_get_program (compilation) == NULL)
    {
      assay_compilation_start (compilation);
      session_fixture_wait_idle (&fixture);
    }
  g_assert_nonnull (assay_compilation_get_program (compilation));
  compiled = execute (&fixture, "compile");
  g_assert_cmpint (
      json_object_get_int_member (
          json_array_get_object_element (json_object_get_array_member (compiled, "models"), 0),
          "spaced"),
      ==, assay_compilation_get_cycles (compilation)->spaced);
  written = g_build_filename (fixture.folder, "it's a model & more-fixed.onnx", NULL);
  g_assert_true (g_file_test (written, G_FILE_TEST_IS_REGULAR));

  check_run (&fixture);
  tear_down (&fixture);
}

/* A cut makes inputs that the file does not have, and one of them has its values from a file. */
static void
test_cut (void)
{
  static const char *const nodes[] = { "/two/it's \"op\"", NULL };
  static const char *const arguments[] = { "keep=end", NULL };
  static const gint64 dims[] = { 1, 64 };
  float values[64];
  Fixture fixture = { NULL };
  g_autoptr (GPtrArray) fixes = assay_fixes_new ();
  g_autoptr (AssayInputChoice) inputs = assay_input_choice_new ();
  g_autoptr (GBytes) bytes = NULL;
  g_autoptr (AssayTensor) tensor = NULL;
  g_autoptr (GError) error = NULL;
  g_autofree char *path = NULL;

  set_up_fixed (&fixture);
  assay_session_undo (fixture.session);
  session_fixture_wait_idle (&fixture);
  g_ptr_array_add (fixes, assay_fix_new ("cut", nodes, arguments));
  assay_session_apply_fixes (fixture.session, fixes);
  session_fixture_wait_idle (&fixture);
  if (assay_compilation_get_program (assay_session_get_compilation (fixture.session)) == NULL)
    {
      assay_compilation_start (assay_session_get_compilation (fixture.session));
      session_fixture_wait_idle (&fixture);
    }

  for (guint i = 0; i < G_N_ELEMENTS (values); i++)
    values[i] = (float) i / 8 - 3;
  bytes = g_bytes_new (values, sizeof values);
  tensor = assay_tensor_new (ASSAY_DTYPE_F32, G_N_ELEMENTS (dims), dims, bytes, &error);
  g_assert_no_error (error);
  path = session_fixture_path (&fixture, "its values.npy");
  g_assert_true (assay_npy_save (tensor, path, &error));
  assay_input_choice_set_file (inputs, "b", path);

  assay_run_set_inputs (assay_session_get_run (fixture.session), inputs);
  check_run (&fixture);
  tear_down (&fixture);
}

/* Bindings, and the option of a delegate that the other families do not know. */
static void
test_bindings (void)
{
  Fixture fixture = { NULL };
  g_autoptr (AssaySettings) setup = assay_settings_new ();
  g_autoptr (JsonObject) result = NULL;
  JsonObject *counts;

  set_up (&fixture, "transformer-block.onnx");
  for (guint i = 0; i < assay_session_get_dimensions (fixture.session)->len; i++)
    {
      const AssayDimension *dimension = g_ptr_array_index (
          assay_session_get_dimensions (fixture.session), i);

      assay_settings_set_number (&setup, ASSAY_SETTING_BIND, dimension->key, 8 + i);
    }
  assay_settings_set_entry (&setup, ASSAY_SETTING_TARGET_OPTION, "require_dynamic_shapes", "true");
  assay_session_set_target_id (fixture.session, "vulkan-seed");
  session_fixture_wait_idle (&fixture);
  assay_session_set_setup (fixture.session, setup);
  session_fixture_wait_idle (&fixture);
  result = execute (&fixture, "check");
  counts = json_object_get_object_member (result, "summary");
  g_assert_cmpint (
      json_object_get_int_member (counts, "rejected"), ==,
      assay_verdicts_count (assay_session_get_verdicts (fixture.session), ASSAY_VERDICT_REJECTED));
  g_assert_cmpint (
      json_object_get_int_member (counts, "undecided"), ==,
      assay_verdicts_count (assay_session_get_verdicts (fixture.session), ASSAY_VERDICT_UNDECIDED));
  tear_down (&fixture);
}

/* The streaming example with everything that Setup has. */
static void
set_up_streaming (Fixture *fixture)
{
  g_autoptr (AssaySettings) setup = assay_settings_new ();

  set_up (fixture, "streaming-cnn.onnx");
  assay_settings_set_axis (&setup, 0, 2);
  assay_settings_set_number (&setup, ASSAY_SETTING_DEPTH, "tensor_ram_depth", 3000);
  assay_settings_set_flag (&setup, ASSAY_SETTING_STATE_RESET, TRUE);
  assay_settings_set_text (
      &setup, ASSAY_SETTING_KEEP_FP32,
      ((const AssayInput *) g_ptr_array_index (assay_session_get_inputs (fixture->session), 0))
          ->name);
  assay_settings_set_flag (&setup, ASSAY_SETTING_DISABLE_OPTIMIZATIONS, TRUE);
  assay_session_set_setup (fixture->session, setup);
  session_fixture_wait_idle (fixture);
  if (assay_compilation_get_program (assay_session_get_compilation (fixture->session)) == NULL)
    {
      assay_compilation_start (assay_session_get_compilation (fixture->session));
      session_fixture_wait_idle (fixture);
    }
  g_assert_nonnull (
      assay_compilation_get_program (assay_session_get_compilation (fixture->session)));
}

static void
test_compile (void)
{
  Fixture fixture = { NULL };
  g_autoptr (JsonObject) result = NULL;
  AssayCompilation *compilation;
  AssayMemoryMap *memory;
  JsonObject *model;

  set_up_streaming (&fixture);
  compilation = assay_session_get_compilation (fixture.session);
  memory = assay_compilation_get_memory (compilation);
  result = execute (&fixture, "compile");
  model = json_array_get_object_element (json_object_get_array_member (result, "models"), 0);
  g_assert_cmpint (json_object_get_int_member (model, "spaced"), ==,
                   assay_compilation_get_cycles (compilation)->spaced);
  g_assert_cmpint (json_object_get_int_member (result, "tensor_ram_depth"), ==, 3000);
  g_assert_cmpint (json_array_get_int_element (
                       json_object_get_array_member (result, "tensor_ram_live"), memory->peak_core),
                   ==,
                   assay_memory_map_get_use (memory, memory->peak_core, memory->main_store)->peak);
  tear_down (&fixture);
}

static void
test_run (void)
{
  Fixture fixture = { NULL };
  g_autoptr (AssayInputChoice) inputs = assay_input_choice_new ();
  g_autoptr (JsonObject) result = NULL;
  g_autoptr (AssayResultItem) item = NULL;
  JsonObject *output;
  AssayRun *run;

  set_up_streaming (&fixture);
  run = assay_session_get_run (fixture.session);
  assay_input_choice_set_seed (inputs, 7);
  assay_input_choice_set_steps (inputs, 12);
  assay_run_set_inputs (run, inputs);
  assay_run_set_runner (run, "vm-fp32");
  assay_run_start (run);
  session_fixture_wait_idle (&fixture);
  item = g_list_model_get_item (assay_run_get_results (run), 0);
  g_assert_nonnull (item);
  result = execute (&fixture, "run");
  output = json_array_get_object_element (json_object_get_array_member (result, "outputs"), 0);
  g_assert_cmpstr (json_object_get_string_member (output, "runner"), ==, "vm-fp32");
  g_assert_cmpfloat (json_object_get_double_member (output, "mean"), ==,
                     assay_result_item_get_statistics (item)->mean);
  g_assert_cmpfloat (json_object_get_double_member (output, "max"), ==,
                     assay_result_item_get_statistics (item)->max);
  tear_down (&fixture);
}

static void
test_compare (void)
{
  Fixture fixture = { NULL };
  g_autoptr (JsonObject) result = NULL;
  const AssayComparison *comparison;
  JsonObject *tensor;
  AssayCompareActivity *comparing;

  set_up_streaming (&fixture);
  comparing = assay_session_get_compare_activity (fixture.session);
  assay_compare_activity_start (comparing);
  session_fixture_wait_idle (&fixture);
  comparison = assay_compare_activity_get_comparison (comparing);
  g_assert_nonnull (comparison);
  result = execute (&fixture, "compare");
  g_assert_cmpstr (json_object_get_string_member (result, "verdict"), ==,
                   assay_comparison_verdict_name (comparison->verdict));
  g_assert_cmpuint (json_array_get_length (json_object_get_array_member (result, "tensors")), ==,
                    comparison->rows->len);
  tensor = json_array_get_object_element (json_object_get_array_member (result, "tensors"), 0);
  g_assert_cmpstr (json_object_get_string_member (tensor, "name"), ==,
                   assay_comparison_row (comparison, 0)->name);
  g_assert_cmpfloat (json_object_get_double_member (tensor, "max_abs"), ==,
                     assay_comparison_row (comparison, 0)->total.max_abs);
  tear_down (&fixture);
}

static void
test_deploy (void)
{
  Fixture fixture = { NULL };
  g_autoptr (JsonObject) result = NULL;
  const AssayDeployment *deployment;
  AssayDeployActivity *deploying;

  set_up_streaming (&fixture);
  deploying = assay_session_get_deploy_activity (fixture.session);
  assay_deploy_activity_start (deploying);
  session_fixture_wait_idle (&fixture);
  deployment = assay_deploy_activity_get_deployment (deploying);
  g_assert_nonnull (deployment);
  result = execute (&fixture, "deploy");
  g_assert_cmpstr (json_object_get_string_member (result, "board"), ==, "local");
  g_assert_cmpint (json_object_get_int_member (result, "inferences"), ==, deployment->n_runs);
  g_assert_cmpint (json_object_get_int_member (result, "values"), ==,
                   (gint64) deployment->n_values);
  g_assert_cmpint (json_object_get_int_member (result, "different"), ==, 0);
  tear_down (&fixture);
}

/* The line that opens the window at a node. */
static void
test_window (void)
{
  Fixture fixture = { NULL };
  g_autofree char *line = NULL;
  g_auto (GStrv) argv = NULL;
  int argc;

  set_up (&fixture, "many-refusals.onnx");
  g_assert_true (assay_session_select_name (fixture.session, "/backbone/pool/MaxPool"));
  line = assay_session_dup_command (fixture.session, "window");
  g_assert_true (g_shell_parse_argv (line, &argc, &argv, NULL));
  g_assert_cmpint (argc, ==, 6);
  g_assert_cmpstr (argv[0], ==, "assay-workbench");
  g_assert_cmpstr (argv[1], ==,
                   assay_document_get_path (assay_session_get_document (fixture.session)));
  g_assert_cmpstr (argv[3], ==, TARGET);
  g_assert_cmpstr (argv[5], ==, "/backbone/pool/MaxPool");
  tear_down (&fixture);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);

  g_test_add_func ("/command/check", test_check);
  g_test_add_func ("/command/fixes", test_fixes);
  g_test_add_func ("/command/cut", test_cut);
  g_test_add_func ("/command/bindings", test_bindings);
  g_test_add_func ("/command/compile", test_compile);
  g_test_add_func ("/command/run", test_run);
  g_test_add_func ("/command/compare", test_compare);
  g_test_add_func ("/command/deploy", test_deploy);
  g_test_add_func ("/command/window", test_window);

  return g_test_run ();
}
