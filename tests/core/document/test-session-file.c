/* test-session-file.c
 * SPDX-License-Identifier: Apache-2.0
 *
 * Session files: what is written is what is read, hostile files, members of later versions, models
 * that were moved or changed.
 */
#include <glib/gstdio.h>
#include <math.h>
#include <string.h>
#include <utime.h>

#include "base/assay-error.h"
#include "model-writer.h"
#include "source/assay-source.h"
#include "source/onnx/assay-onnx-write.h"
#include "document/assay-comparison-json.h"
#include "document/assay-recovery.h"
#include "session-fixture.h"
#include "test-program.h"

#define TARGET "ia_420f_c6b32"
#define OTHER_TARGET "ia_840f_c3b64"

typedef SessionFixture Fixture;

static void
set_up (Fixture *fixture, gconstpointer data)
{
  session_fixture_init (fixture, TARGET);
  fixture->model = session_fixture_write (fixture, "model.onnx", "Tanh");
}

static void
tear_down (Fixture *fixture, gconstpointer data)
{
  session_fixture_clear (fixture);
}

static void
assert_same (const AssaySessionFile *a, const AssaySessionFile *b)
{
  g_assert_cmpstr (a->model, ==, b->model);
  g_assert_cmpstr (a->stamp.digest, ==, b->stamp.digest);
  g_assert_cmpint (a->stamp.n_bytes, ==, b->stamp.n_bytes);
  g_assert_cmpint (a->stamp.modified, ==, b->stamp.modified);
  g_assert_cmpuint (a->data->len, ==, b->data->len);
  g_assert_true (assay_edits_equal (a->edits, b->edits));
  g_assert_cmpstr (a->runner, ==, b->runner);
  g_assert_cmpstr (a->board, ==, b->board);
  g_assert_cmpstr (a->sides[0], ==, b->sides[0]);
  g_assert_cmpstr (a->sides[1], ==, b->sides[1]);
  g_assert_true (assay_input_choice_equal (a->inputs, b->inputs));
  g_assert_cmpstr (a->view->page, ==, b->view->page);
  g_assert_cmpstr (a->view->selection, ==, b->view->selection);
  g_assert_cmpstr (a->view->color_by, ==, b->view->color_by);
  g_assert_cmpuint (a->view->filter, ==, b->view->filter);
  g_assert_cmpint (a->view->open_scopes == NULL, ==, b->view->open_scopes == NULL);
  if (a->view->open_scopes != NULL)
    g_assert_true (g_strv_equal ((const char *const *) a->view->open_scopes,
                                 (const char *const *) b->view->open_scopes));
  g_assert_cmpfloat (a->view->zoom, ==, b->view->zoom);
  g_assert_cmpstr (a->view->anchor, ==, b->view->anchor);
  g_assert_cmpfloat (a->view->x, ==, b->view->x);
  g_assert_cmpfloat (a->view->y, ==, b->view->y);
  g_assert_cmpuint (a->view->core, ==, b->view->core);
  g_assert_cmpint (a->view->playhead, ==, b->view->playhead);
  g_assert_cmpint (a->view->pinned, ==, b->view->pinned);
}

/* Every member with a value that is not the one it has by itself. */
static AssaySessionFile *
make_full (Fixture *fixture)
{
  AssaySessionFile *file = assay_session_file_new ();
  g_autoptr (AssaySettings) setup = assay_settings_new ();
  g_autofree char *target = session_fixture_path (fixture, "targets/own.json");
  g_autofree char *tolerance = session_fixture_path (fixture, "tolerance.json");
  const char *const nodes[] = { "/two/op", NULL };
  const char *const arguments[] = { "form=a=b", NULL };
  g_autoptr (GPtrArray) fixes = assay_fixes_new ();
  const char *const scopes[] = { "/one", "/two/deep \"quoted\"", NULL };

  file->model = g_strdup (fixture->model);
  assay_settings_set_number (&setup, ASSAY_SETTING_BIND, "batch", 4);
  assay_settings_set_number (&setup, ASSAY_SETTING_BIND, "odd=name:1", 0);
  assay_settings_set_shape (&setup, 0, "?,64", NULL);
  assay_settings_set_axis (&setup, 1, 2);
  assay_settings_set_flag (&setup, ASSAY_SETTING_DYNAMIC_WEIGHTS, TRUE);
  assay_settings_set_flag (&setup, ASSAY_SETTING_DISABLE_OPTIMIZATIONS, TRUE);
  assay_settings_set_entry (&setup, ASSAY_SETTING_TARGET_OPTION, "require_dynamic_shapes", "true");
  assay_settings_set_text (&setup, ASSAY_SETTING_KEEP_FP32, "/one/relu /two/op");
  assay_settings_set_number (&setup, ASSAY_SETTING_DEPTH, "tensor_ram_depth", 4096);
  assay_edits_set_setup (file->edits, setup);
  assay_edits_set_target_id (file->edits, target);
  assay_edits_set_tolerance (file->edits, tolerance);
  g_ptr_array_add (fixes, assay_fix_new ("replace-op", nodes, arguments));
  g_ptr_array_add (fixes, assay_fix_new ("replace-op", nodes, NULL));
  assay_edits_set_fixes (file->edits, fixes);
  assay_settings_set_entry (&setup, ASSAY_SETTING_DATA_DIM, "x", "1");
  assay_edits_set_setup (file->edits, setup);
  assay_edits_set_note (file->edits, "/one/relu", "look here\nagain");
  assay_edits_set_note (file->edits, "/two/op", "");
  file->runner = g_strdup ("reference");
  file->board = g_strdup ("local");
  file->sides[0] = g_strdup ("vm-fp32");
  file->sides[1] = g_strdup ("vm");
  file->inputs = assay_input_choice_new ();
  assay_input_choice_set_seed (file->inputs, G_MAXUINT64 - 1);
  assay_input_choice_set_steps (file->inputs, 7);
  assay_input_choice_set_file (file->inputs, "x", "/elsewhere/x.npy");
  file->view->page = g_strdup ("memory");
  file->view->selection = g_strdup ("/two/op");
  file->view->color_by = g_strdup ("cycles");
  file->view->filter = (1u << ASSAY_VERDICT_REJECTED) | (1u << ASSAY_VERDICT_SUPPORTED);
  file->view->open_scopes = g_strdupv ((char **) scopes);
  file->view->zoom = 0.1 + 0.2;
  file->view->anchor = g_strdup ("encoder/attn \"1\"");
  file->view->x = -1234.5;
  file->view->y = 1e6 / 3;
  file->view->core = 3;
  file->view->playhead = 17;
  file->view->pinned = 5;

  return file;
}

static void
test_round_trip (Fixture *fixture, gconstpointer data)
{
  g_autoptr (AssaySessionFile) file = make_full (fixture);
  g_autoptr (AssaySessionFile) again = NULL;
  g_autoptr (AssayFindings) findings = assay_findings_new ();
  g_autoptr (GError) error = NULL;
  g_autofree char *path = session_fixture_path (fixture, "s.assay");
  g_autofree char *text = NULL;
  g_autofree char *second = NULL;
  gsize length, second_length;

  g_assert_true (assay_session_file_take_stamp (file, NULL, &error));
  g_assert_no_error (error);
  g_assert_cmpuint (strlen (file->stamp.digest), ==, 64);
  g_assert_true (assay_session_file_save (file, path, &error));
  g_assert_no_error (error);

  again = assay_session_file_load (path, findings, &error);
  g_assert_no_error (error);
  g_assert_cmpuint (assay_findings_get_count (findings), ==, 0);
  assert_same (file, again);

  text = assay_session_file_print (file, path, &length);
  second = assay_session_file_print (again, path, &second_length);
  g_assert_cmpuint (length, ==, strlen (text));
  g_assert_cmpstr (text, ==, second);
  g_assert_nonnull (strstr (text, "\"path\": \"model.onnx\""));
  g_assert_nonnull (strstr (text, "\"path\": \"targets/own.json\""));
}

/* Session and model are moved together, the session to a folder beside. */
static void
test_relative (Fixture *fixture, gconstpointer data)
{
  g_autoptr (AssaySessionFile) file = make_full (fixture);
  g_autoptr (AssaySessionFile) again = NULL;
  g_autoptr (AssayFindings) findings = assay_findings_new ();
  g_autoptr (GBytes) bytes = NULL;
  g_autoptr (GError) error = NULL;
  g_autofree char *path = session_fixture_path (fixture, "notes/s.assay");
  g_autofree char *moved = NULL;
  gsize length;
  char *text = assay_session_file_print (file, path, &length);

  g_assert_nonnull (strstr (text, "\"../model.onnx\""));
  bytes = g_bytes_new_take (text, length);
  again = assay_session_file_parse (bytes, "/new/place/notes/s.assay", findings, &error);
  g_assert_no_error (error);
  g_assert_cmpstr (again->model, ==, "/new/place/model.onnx");
  g_assert_cmpstr (assay_edits_get_target_id (again->edits), ==, "/new/place/targets/own.json");
  g_assert_cmpstr (assay_input_choice_get_file (again->inputs, "x"), ==, "/elsewhere/x.npy");

  /* A name that is no UTF-8 comes back as it was. */
  moved = g_build_filename (fixture->folder, "m\xff.onnx", NULL);
  g_free (file->model);
  file->model = g_strdup (moved);
  g_clear_pointer (&bytes, g_bytes_unref);
  g_clear_pointer (&again, assay_session_file_unref);
  text = assay_session_file_print (file, path, &length);
  g_assert_true (g_utf8_validate (text, -1, NULL));
  bytes = g_bytes_new_take (text, length);
  again = assay_session_file_parse (bytes, path, findings, &error);
  g_assert_no_error (error);
  g_assert_cmpstr (again->model, ==, moved);
}

static AssaySessionFile *
parse (const char *text, AssayFindings *findings, GError **error)
{
  g_autoptr (GBytes) bytes = g_bytes_new (text, strlen (text));

  return assay_session_file_parse (bytes, "/folder/s.assay", findings, error);
}

#define BASE                                                                                       \
  "{\n  \"schema\": \"assay.session/1\",\n  \"model\": { \"path\": \"m.onnx\" },\n  "              \
  "\"target\": { \"id\": \"t\" }"

static void
test_unknown (void)
{
  g_autoptr (AssayFindings) findings = assay_findings_new ();
  g_autoptr (GError) error = NULL;
  g_autoptr (AssaySessionFile)
      file = parse (BASE ",\n \"later\": [1, {\"a\": null}],\n \"view\": { \"tilt\": 3.5 },"
                         "\n \"setup\": { \"mood\": \"good\" } }",
                    findings, &error);
  g_autofree char *text = NULL;
  gsize length;

  g_assert_no_error (error);
  g_assert_cmpuint (assay_findings_get_count (findings), ==, 3);
  g_assert_cmpint (assay_findings_get (findings, 0)->severity, ==, ASSAY_SEVERITY_NOTE);
  g_assert_nonnull (
      strstr (assay_findings_get (findings, 0)->message, "line 5, column 11: later: not known"));

  text = assay_session_file_print (file, "/folder/s.assay", &length);
  g_assert_nonnull (strstr (text, "\"later\": ["));
  g_assert_nonnull (strstr (text, "\"tilt\": 3.5"));
  g_assert_nonnull (strstr (text, "\"mood\": \"good\""));
}

static void
test_hostile (void)
{
  static const struct
  {
    const char *text;
    const char *message;
  } cases[] = {
    { "", "not a JSON text" },
    { "\xff{}", "not a JSON text" },
    { "[]", "an object expected" },
    { "{", "line 1" },
    { "{}", "schema: \"assay.session/1\" expected, got nothing" },
    { "{\n\"schema\": \"assay.session/2\" }",
      "line 2, column 11: schema: \"assay.session/2\" is another format" },
    { "{\"schema\": \"assay.session/1\"}", "\"model\" is missing" },
    { "{\"schema\": \"assay.session/1\", \"model\": 3, \"target\": {\"id\": \"t\"}}",
      "model: object expected, got 3" },
    { "{\"schema\": \"assay.session/1\", \"model\": {}, \"target\": {\"id\": \"t\"}}",
      "\"path\" is missing" },
    { "{\"schema\": \"assay.session/1\", \"model\": {\"path\": \"\"}, \"target\": {\"id\": \"t\"}}",
      "model.path" },
    { "{\"schema\": \"assay.session/1\", \"model\": {\"path\": \"http://x/y\", \"sha256\": "
      "\"abc\"}, "
      "\"target\": {\"id\": \"t\"}}",
      "model.sha256: 64 hexadecimal digits expected" },
    { "{\"schema\": \"assay.session/1\", \"model\": {\"path\": \"m\", \"bytes\": -3}, \"target\": "
      "{\"id\": \"t\"}}",
      "model.bytes" },
    { "{\"schema\": \"assay.session/1\", \"model\": {\"path\": \"m\", \"sha256\": "
      "\"zz23456789012345678901234567890123456789012345678901234567890123\"}, "
      "\"target\": {\"id\": \"t\"}}",
      "model.sha256: 64 hexadecimal digits expected" },
    { "{\"schema\": \"assay.session/1\", \"model\": {\"path\": \"file:///%zz\"}, "
      "\"target\": {\"id\": \"t\"}}",
      "model.path: the path of a file" },
    { "{\"schema\": \"assay.session/1\", \"model\": {\"path\": \"m\", \"data\": [ {}, 3 ]}, "
      "\"target\": {\"id\": \"t\"}}",
      "model.data[0]" },
    { "{\"schema\": \"assay.session/1\", \"model\": {\"path\": \"m\"}, \"target\": {}}",
      "\"id\" or \"path\" expected" },
    { BASE ",\n\"setup\": { \"sizes\": { \"n\": -4 } } }",
      "line 5, column 28: setup.sizes.n: a whole number" },
    { BASE ",\n\"setup\": { \"sizes\": [] } }", "setup.sizes: object expected" },
    { BASE ",\n\"setup\": { \"shapes\": [ \"1,x\" ] } }",
      "setup.shapes[0]: sizes separated by commas" },
    { BASE ",\n\"setup\": { \"streaming_axes\": [ 1e9 ] } }", "setup.streaming_axes[0]" },
    { BASE ",\n\"setup\": { \"streaming_axes\": [ 64 ] } }", "setup.streaming_axes[0]" },
    { BASE ",\n\"setup\": { \"streaming_axes\": [ -2 ] } }", "setup.streaming_axes[0]" },
    { BASE ",\n\"setup\": { \"shapes\": [ 3 ] } }", "setup.shapes[0]" },
    { BASE ",\n\"setup\": { \"shapes\": {} } }", "setup.shapes" },
    { BASE ",\n\"setup\": { \"target_options\": { \"\": \"c\" } } }", "a name without =" },
    { BASE ",\n\"setup\": { \"target_options\": { \"a=b\": \"c\" } } }", "a name without =" },
    { BASE ",\n\"notes\": [ { \"text\": \"t\" } ] }", "notes[0]: member \"node\" is missing" },
    { BASE ",\n\"fixes\": [ { \"nodes\": [] } ] }", "fixes[0]: member \"rewrite\" is missing" },
    { BASE ",\n\"fixes\": {} }", "fixes: list expected" },
    { BASE ",\n\"notes\": [ 7 ] }", "notes[0]: object expected, got 7" },
    { BASE ",\n\"run\": { \"runner\": \"hamster\" } }",
      "run.runner: the name of a runner expected" },
    { BASE ",\n\"run\": { \"inputs\": { \"steps\": 1.5 } } }", "run.inputs.steps" },
    { BASE ",\n\"run\": { \"inputs\": { \"sed\": 1 } } }", "did you mean \"seed\"" },
    { BASE ",\n\"view\": { \"filter\": [ \"rejetced\" ] } }", "did you mean \"rejected\"" },
    { BASE ",\n\"view\": { \"zoom\": -1 } }", "view.zoom: a positive number" },
    { BASE ",\n\"view\": { \"x\": 1e300 } }", "view.x" },
    { BASE ",\n\"view\": { \"core\": 99999999999 } }", "view.core" },
    { BASE ",\n\"view\": { \"open_scopes\": [ 1 ] } }", "view.open_scopes[0]" },
  };

  for (guint i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      g_autoptr (AssayFindings) findings = assay_findings_new ();
      g_autoptr (GError) error = NULL;
      g_autoptr (AssaySessionFile) file = parse (cases[i].text, findings, &error);

      if (file != NULL || strstr (error->message, cases[i].message) == NULL)
        g_test_message ("case %u: %s", i, error != NULL ? error->message : "was taken");
      g_assert_null (file);
      g_assert_error (error, ASSAY_ERROR, ASSAY_ERROR_INVALID);
      g_assert_nonnull (strstr (error->message, "/folder/s.assay"));
      g_assert_nonnull (strstr (error->message, cases[i].message));
    }
}

/* What was chosen is there again after the program was closed. */
static void
test_session (Fixture *fixture, gconstpointer data)
{
  g_autofree char *path = session_fixture_path (fixture, "s.assay");
  g_autoptr (AssaySettings) setup = assay_settings_new ();
  g_autoptr (AssayViewState) view = assay_view_state_new ();
  g_autoptr (AssaySessionFile) before = NULL;
  g_autoptr (AssaySessionFile) after = NULL;
  AssayHistory *history = assay_document_get_history (
      assay_session_get_document (fixture->session));

  session_fixture_open_whole (fixture, fixture->model);
  g_assert_no_error (fixture->error);
  g_assert_false (assay_history_get_modified (history));
  g_assert_null (assay_document_get_file_path (assay_session_get_document (fixture->session)));
  g_assert_null (assay_document_get_view (assay_session_get_document (fixture->session)));

  assay_settings_set_number (&setup, ASSAY_SETTING_BIND, "batch", 4);
  assay_session_set_setup (fixture->session, setup);
  assay_session_set_target_id (fixture->session, OTHER_TARGET);
  session_fixture_wait_idle (fixture);
  wait_until (assay_compilation_get_memory (assay_session_get_compilation (fixture->session)));
  g_assert_true (assay_session_select_name (fixture->session, "/two/op"));
  assay_session_set_note (fixture->session, "/two/op", "mine");
  assay_session_set_filter (fixture->session, 1u << ASSAY_VERDICT_SUPPORTED);
  assay_run_set_runner (assay_session_get_run (fixture->session), "vm-fp32");
  assay_compilation_set_core (assay_session_get_compilation (fixture->session), 1);
  assay_compilation_set_playhead (assay_session_get_compilation (fixture->session), 1);
  assay_compilation_toggle_pin (assay_session_get_compilation (fixture->session));
  assay_compilation_set_playhead (assay_session_get_compilation (fixture->session), 2);
  view->page = g_strdup ("memory");
  view->zoom = 0.5;

  g_assert_true (assay_history_get_modified (history));
  session_fixture_save (fixture, path, view);
  g_assert_no_error (fixture->error);
  g_assert_false (assay_history_get_modified (history));
  g_assert_cmpstr (assay_document_get_file_path (assay_session_get_document (fixture->session)), ==,
                   path);
  before = assay_session_capture (fixture->session, view);

  g_object_unref (fixture->session);
  fixture->session = assay_session_new (TARGET);
  session_fixture_open_whole (fixture, path);
  g_assert_no_error (fixture->error);
  g_assert_cmpint (assay_session_get_state (fixture->session), ==, ASSAY_SESSION_READY);
  g_assert_cmpstr (assay_document_get_path (assay_session_get_document (fixture->session)), ==,
                   fixture->model);
  g_assert_cmpstr (assay_session_get_target_id (fixture->session), ==, OTHER_TARGET);
  g_assert_cmpstr (assay_target_get_id (assay_session_get_target (fixture->session)), ==,
                   OTHER_TARGET);
  g_assert_cmpint (assay_settings_get_number (assay_session_get_setup (fixture->session),
                                              ASSAY_SETTING_BIND, "batch"),
                   ==, 4);
  g_assert_cmpstr (assay_document_get_view (assay_session_get_document (fixture->session))->page,
                   ==, "memory");
  g_assert_false (assay_history_get_modified (
      assay_document_get_history (assay_session_get_document (fixture->session))));
  g_assert_null (assay_history_get_undo_label (
      assay_document_get_history (assay_session_get_document (fixture->session))));
  g_assert_cmpstr (assay_session_get_note (fixture->session, "/two/op"), ==, "mine");

  wait_until (assay_compilation_get_memory (assay_session_get_compilation (fixture->session)));
  g_assert_cmpuint (
      assay_compilation_get_playhead (assay_session_get_compilation (fixture->session)), ==, 2);
  after = assay_session_capture (
      fixture->session, assay_document_get_view (assay_session_get_document (fixture->session)));
  assert_same (before, after);
}

/* A model that is gone can be located; one that is another is opened, and said. */
static void
test_moved (Fixture *fixture, gconstpointer data)
{
  g_autofree char *path = session_fixture_path (fixture, "s.assay");
  g_autofree char *elsewhere = session_fixture_path (fixture, "elsewhere.onnx");
  g_autofree char *other = NULL;

  session_fixture_open_whole (fixture, fixture->model);
  session_fixture_save (fixture, path, NULL);
  g_assert_no_error (fixture->error);
  g_assert_cmpint (g_rename (fixture->model, elsewhere), ==, 0);

  session_fixture_open_whole (fixture, path);
  g_assert_error (fixture->error, ASSAY_ERROR, ASSAY_ERROR_IO);
  g_assert_nonnull (strstr (fixture->error->message, "model.onnx is not there"));
  g_assert_cmpint (assay_session_get_state (fixture->session), ==, ASSAY_SESSION_FAILED);
  g_assert_true (assay_session_get_problem (fixture->session)->can_locate);

  assay_session_locate (fixture->session, elsewhere);
  session_fixture_wait_idle (fixture);
  g_assert_cmpint (assay_session_get_state (fixture->session), ==, ASSAY_SESSION_READY);
  g_assert_cmpstr (assay_document_get_path (assay_session_get_document (fixture->session)), ==,
                   elsewhere);

  /* Saved, it is found there from now on. */
  session_fixture_save (fixture, path, NULL);
  session_fixture_open_whole (fixture, path);
  g_assert_no_error (fixture->error);
  wait_rest ();
  g_assert_cmpuint (
      assay_document_get_changed_files (assay_session_get_document (fixture->session)) &
          ASSAY_DOCUMENT_MODEL_OTHER,
      ==, 0);

  /* As long as before, so that only its contents tell. */
  other = session_fixture_write (fixture, "elsewhere.onnx", "Cosh");
  session_fixture_open_whole (fixture, path);
  g_assert_no_error (fixture->error);
  wait_until (assay_document_get_changed_files (assay_session_get_document (fixture->session)) &
              ASSAY_DOCUMENT_MODEL_OTHER);
}

/* What cannot be written leaves the old file as it was. */
static void
test_save_fails (Fixture *fixture, gconstpointer data)
{
  g_autofree char *path = session_fixture_path (fixture, "nowhere/s.assay");
  g_autofree char *bad = session_fixture_path (fixture, "bad.assay");
  g_autoptr (GError) error = NULL;

  session_fixture_open_whole (fixture, fixture->model);
  session_fixture_save (fixture, path, NULL);
  g_assert_error (fixture->error, ASSAY_ERROR, ASSAY_ERROR_SAVE);
  g_assert_null (assay_document_get_file_path (assay_session_get_document (fixture->session)));

  g_assert_true (g_file_set_contents (bad, "{\n\"schema\": 3}", -1, &error));
  session_fixture_open_whole (fixture, bad);
  g_assert_error (fixture->error, ASSAY_ERROR, ASSAY_ERROR_INVALID);
  g_assert_cmpint (assay_session_get_state (fixture->session), ==, ASSAY_SESSION_FAILED);
  g_assert_cmpstr (assay_session_get_problem (fixture->session)->what, ==,
                   "The session file cannot be used");
  g_assert_nonnull (
      strstr (assay_session_get_problem (fixture->session)->where, "line 2, column 11: schema"));
}

static void
wait_for_file (const char *path, gboolean there)
{
  wait_until (g_file_test (path, G_FILE_TEST_EXISTS) == there);
}

static char *
only_session_in (const char *folder)
{
  g_autoptr (GDir) dir = g_dir_open (folder, 0, NULL);
  const char *name;

  while (dir != NULL && (name = g_dir_read_name (dir)) != NULL)
    if (g_str_has_suffix (name, ASSAY_SESSION_SUFFIX))
      return g_build_filename (folder, name, NULL);

  return NULL;
}

/* Pins a node in a program of its own, which is then killed without a word. */
static void
test_recover (Fixture *fixture, gconstpointer data)
{
  g_autofree char *folder = session_fixture_path (fixture, "state");
  g_autofree char *path = NULL;
  g_autofree char *saved = session_fixture_path (fixture, "saved.assay");
  g_autofree char *lock = g_build_filename (folder, "ended.assay.lock", NULL);
  struct utimbuf long_ago = { 1000000, 1000000 };
  g_autoptr (GPtrArray) left = NULL;
  g_autoptr (GPtrArray) now = NULL;
  g_autoptr (GSubprocess) child = NULL;
  g_autoptr (GError) error = NULL;
  const AssayRecovered *recovered;

  child = g_subprocess_new (G_SUBPROCESS_FLAGS_STDOUT_SILENCE, &error, data, "--pin-and-wait",
                            folder, fixture->model, NULL);
  g_assert_no_error (error);
  wait_until ((path = only_session_in (folder)) != NULL);

  /* A lock that has nothing to guard goes once it is old. */
  g_assert_true (g_file_set_contents (lock, "", 0, NULL));
  left = assay_recovery_list (folder);
  g_assert_true (g_file_test (lock, G_FILE_TEST_EXISTS));
  g_assert_cmpint (g_utime (lock, &long_ago), ==, 0);
  g_ptr_array_unref (left);
  left = assay_recovery_list (folder);
  g_assert_false (g_file_test (lock, G_FILE_TEST_EXISTS));
  g_assert_cmpuint (left->len, ==, 0);
  g_subprocess_force_exit (child);
  g_subprocess_wait (child, NULL, NULL);
  g_ptr_array_unref (left);
  left = assay_recovery_list (folder);
  g_assert_cmpuint (left->len, ==, 1);
  recovered = g_ptr_array_index (left, 0);
  g_assert_cmpstr (recovered->path, ==, path);
  g_assert_cmpstr (recovered->model, ==, fixture->model);

  assay_session_set_recovery (fixture->session, folder);
  assay_session_recover (fixture->session, recovered->path);
  session_fixture_wait_idle (fixture);
  g_assert_cmpint (assay_session_get_state (fixture->session), ==, ASSAY_SESSION_READY);
  g_assert_cmpstr (assay_session_get_note (fixture->session, "/two/op"), ==, "kept");
  g_assert_true (assay_history_get_modified (
      assay_document_get_history (assay_session_get_document (fixture->session))));
  g_assert_null (assay_document_get_file_path (assay_session_get_document (fixture->session)));
  now = assay_recovery_list (folder);
  g_assert_cmpuint (now->len, ==, 0);
  g_assert_false (g_file_test (path, G_FILE_TEST_EXISTS));
  g_free (path);
  path = only_session_in (folder);
  g_assert_nonnull (path);

  /* Saved, it need not be kept; changed again, it is; closed, nothing is left. */
  session_fixture_save (fixture, saved, NULL);
  g_assert_no_error (fixture->error);
  wait_for_file (path, FALSE);
  assay_session_set_note (fixture->session, "/one/relu", "");
  wait_for_file (path, TRUE);
  assay_session_undo (fixture->session);
  wait_for_file (path, FALSE);
  assay_session_set_note (fixture->session, "/one/relu", "");
  wait_for_file (path, TRUE);
  g_object_unref (fixture->session);
  g_assert_false (g_file_test (path, G_FILE_TEST_EXISTS));
  fixture->session = assay_session_new (TARGET);
}

/* What the child of the test above does: it never comes to an end by itself. */
static int
pin_and_wait (const char *folder, const char *model)
{
  g_autoptr (AssaySession) session = assay_session_new (TARGET);

  assay_session_set_recovery (session, folder);
  assay_session_open_async (session, model, NULL, NULL, NULL);
  while (assay_session_get_state (session) == ASSAY_SESSION_LOADING)
    g_main_context_iteration (NULL, TRUE);
  assay_session_set_note (session, "/two/op", "kept");
  wait_until (FALSE);

  return 1;
}

/* With numbers that JSON does not have, and those at the edge. */
static void
fill_stats (AssayCompareStats *stats, guint seed)
{
  stats->n = 1000 + seed;
  stats->scale = 0.1 * seed;
  stats->error = 1e-300;
  stats->max_abs = INFINITY;
  stats->cosine = NAN;
  stats->sqnr_db = -INFINITY;
  stats->max_ulp_f32 = G_MAXUINT64;
  stats->max_ulp_bf16 = G_MAXUINT32;
  stats->nan[1] = 3;
  stats->histogram_bf16[0] = 5;
  stats->histogram_bf16[ASSAY_COMPARE_N_BUCKETS - 1] = 7;
  stats->step = stats->grid = 0.25;
  stats->histogram[3] = 11;
  stats->worst[1].distance = 9;
  stats->n_worst = 2;
  stats->worst[1].index = 42;
  stats->worst[1].a = -0.5;
}

static void
assert_same_stats (const AssayCompareStats *a, const AssayCompareStats *b)
{
  g_assert_cmpuint (a->n, ==, b->n);
  g_assert_cmpfloat (a->scale, ==, b->scale);
  g_assert_cmpfloat (a->error, ==, b->error);
  g_assert_cmpfloat (a->max_abs, ==, b->max_abs);
  g_assert_true (isnan (b->cosine));
  g_assert_cmpfloat (a->sqnr_db, ==, b->sqnr_db);
  g_assert_cmpuint (a->max_ulp_f32, ==, b->max_ulp_f32);
  g_assert_cmpuint (a->max_ulp_bf16, ==, b->max_ulp_bf16);
  g_assert_cmpuint (a->nan[1], ==, b->nan[1]);
  g_assert_cmpmem (a->histogram_bf16, sizeof a->histogram_bf16, b->histogram_bf16,
                   sizeof b->histogram_bf16);
  g_assert_cmpfloat (a->step, ==, b->step);
  g_assert_cmpfloat (a->grid, ==, b->grid);
  g_assert_cmpmem (a->histogram, sizeof a->histogram, b->histogram, sizeof b->histogram);
  g_assert_cmpuint (a->n_worst, ==, b->n_worst);
  g_assert_cmpmem (a->worst, 2 * sizeof *a->worst, b->worst, 2 * sizeof *b->worst);
}

static void
assert_rules (const AssayComparisonRow *row)
{
  g_assert_cmpuint (row->reasons->len, ==, 2);
  g_assert_cmpstr (g_array_index (row->reasons, AssayComparisonReason, 0).rule, ==, "guard bits");
  g_assert_cmpuint (g_array_index (row->reasons, AssayComparisonReason, 0).n, ==, 7);
  g_assert_cmpstr (g_array_index (row->reasons, AssayComparisonReason, 1).rule, ==, "half up");
}

static void
test_comparison (Fixture *fixture, gconstpointer data)
{
  g_autoptr (AssaySessionFile) file = make_full (fixture);
  g_autoptr (AssaySessionFile) again = NULL;
  g_autoptr (AssayFindings) findings = assay_findings_new ();
  g_autoptr (GError) error = NULL;
  g_autofree char *path = session_fixture_path (fixture, "s.assay");
  AssayComparisonRow *row = g_new0 (AssayComparisonRow, 1);
  AssayDivergenceCause *cause = g_new0 (AssayDivergenceCause, 1);
  const AssayQuantizeLoss cost = { 5, 23.5, 12.25, TRUE, 2.5, 6, -0.5 };
  AssayComparison *copy;
  const AssayComparisonRow *got;

  file->comparison = assay_comparison_new ();
  file->comparison->label_a = g_strdup ("Reference");
  file->comparison->label_b = g_strdup ("Machine");
  file->comparison->n_steps = 3;
  file->comparison->worst = 0;
  file->comparison->expected = g_strdup ("test_data_set_3");
  file->comparison->n_expected = 2;
  file->comparison->n_expected_within = 1;
  file->comparison->expected_error = 12.5;
  file->comparison->expected_trouble = g_strdup ("no such file");
  file->comparison->verdict = ASSAY_COMPARISON_OUTSIDE;
  row->name = g_strdup ("y");
  row->node_name = g_strdup ("/two/op");
  row->op_type = g_strdup ("Tanh");
  row->rank = 2;
  row->dims = g_new0 (gint64, 2);
  row->dims[1] = 64;
  row->has_own = TRUE;
  row->inherited = 0.25;
  row->limit = 8;
  row->expected = 1.5;
  row->certified = INFINITY;
  row->worst_step = 2;
  row->verdict = ASSAY_COMPARISON_WITHIN;
  fill_stats (&row->total, 1);
  fill_stats (&row->own, 2);
  row->n_trials = 12;
  row->causes = g_ptr_array_new_with_free_func ((GDestroyNotify) assay_divergence_cause_free);
  cause->kind = g_strdup ("function");
  cause->node = g_strdup ("/two/op");
  cause->sentence = g_strdup ("tanh is a clamp to -1 and 1");
  cause->before = 40;
  cause->after = 0.5;
  cause->remedy = g_strdup ("with weights in bf16");
  cause->unremedied = 2.5;
  cause->remedied = 0.25;
  cause->is_counted = TRUE;
  cause->cycles = -3;
  cause->blocks = 106;
  g_ptr_array_add (row->causes, cause);
  row->reasons = assay_comparison_reasons_new ();
  assay_comparison_reasons_add (row->reasons, "guard bits", 3);
  assay_comparison_reasons_add (row->reasons, "half up", 1);
  assay_comparison_reasons_add (row->reasons, "guard bits", 4);
  row->cost = g_memdup2 (&cost, sizeof cost);
  file->comparison->has_costs = TRUE;
  file->comparison->output_db = 31.5;
  g_ptr_array_add (file->comparison->rows, row);
  copy = assay_comparison_copy (file->comparison);
  g_assert_true (assay_comparison_row (copy, 0)->reasons != row->reasons);
  assert_rules (assay_comparison_row (copy, 0));
  g_assert_true (assay_comparison_row (copy, 0)->cost != row->cost);
  g_assert_cmpfloat (copy->output_db, ==, 31.5);
  g_clear_pointer (&copy, assay_comparison_free);
  assert_rules (row);

  g_assert_true (assay_session_file_save (file, path, &error));
  g_assert_no_error (error);
  again = assay_session_file_load (path, findings, &error);
  g_assert_no_error (error);
  g_assert_nonnull (again->comparison);
  g_assert_cmpstr (again->comparison->label_b, ==, "Machine");
  g_assert_cmpint (again->comparison->n_steps, ==, 3);
  g_assert_cmpint (again->comparison->worst, ==, 0);
  g_assert_cmpstr (again->comparison->expected, ==, "test_data_set_3");
  g_assert_cmpuint (again->comparison->n_expected, ==, 2);
  g_assert_cmpuint (again->comparison->n_expected_within, ==, 1);
  g_assert_cmpfloat (again->comparison->expected_error, ==, 12.5);
  g_assert_cmpstr (again->comparison->expected_trouble, ==, "no such file");
  g_assert_cmpint (again->comparison->first_divergent, ==, -1);
  g_assert_cmpint (again->comparison->verdict, ==, ASSAY_COMPARISON_OUTSIDE);
  g_assert_cmpuint (again->comparison->rows->len, ==, 1);
  got = assay_comparison_row (again->comparison, 0);
  g_assert_cmpstr (got->node_name, ==, "/two/op");
  g_assert_cmpint (got->dims[1], ==, 64);
  g_assert_cmpfloat (got->inherited, ==, 0.25);
  g_assert_cmpfloat (got->expected, ==, 1.5);
  g_assert_true (isinf (got->certified));
  g_assert_cmpint (got->worst_step, ==, 2);
  g_assert_cmpint (got->verdict, ==, ASSAY_COMPARISON_WITHIN);
  g_assert_true (got->has_own);
  assert_same_stats (&row->total, &got->total);
  assert_same_stats (&row->own, &got->own);
  assert_rules (got);
  g_assert_cmpint (got->cost->position, ==, cost.position);
  g_assert_cmpfloat (got->cost->own_db, ==, cost.own_db);
  g_assert_cmpfloat (got->cost->total_db, ==, cost.total_db);
  g_assert_true (got->cost->has_gain);
  g_assert_cmpfloat (got->cost->float_db, ==, cost.float_db);
  g_assert_cmpint (got->cost->other, ==, cost.other);
  g_assert_cmpfloat (got->cost->other_db, ==, cost.other_db);
  g_assert_true (again->comparison->has_costs);
  g_assert_cmpfloat (again->comparison->output_db, ==, 31.5);
  g_assert_cmpuint (got->n_trials, ==, 12);
  g_assert_cmpuint (got->causes->len, ==, 1);
  cause = g_ptr_array_index (got->causes, 0);
  g_assert_cmpstr (cause->kind, ==, "function");
  g_assert_cmpstr (cause->sentence, ==, "tanh is a clamp to -1 and 1");
  g_assert_cmpfloat (cause->before, ==, 40);
  g_assert_cmpfloat (cause->after, ==, 0.5);
  g_assert_cmpstr (cause->remedy, ==, "with weights in bf16");
  g_assert_null (cause->refusal);
  g_assert_cmpfloat (cause->unremedied, ==, 2.5);
  g_assert_cmpfloat (cause->remedied, ==, 0.25);
  g_assert_true (cause->is_counted);
  g_assert_cmpint (cause->cycles, ==, -3);
  g_assert_cmpint (cause->blocks, ==, 106);
}

/* More rows than are kept in full: all are there, and what matters has its worst elements still. */
static void
test_large_comparison (Fixture *fixture, gconstpointer data)
{
  enum
  {
    N_ROWS = 6000
  };
  g_autoptr (AssaySessionFile) file = make_full (fixture);
  g_autoptr (AssaySessionFile) again = NULL;
  g_autoptr (AssayFindings) findings = assay_findings_new ();
  g_autoptr (GError) error = NULL;
  g_autofree char *path = session_fixture_path (fixture, "s.assay");

  file->comparison = assay_comparison_new ();
  file->comparison->label_a = g_strdup ("Reference");
  file->comparison->label_b = g_strdup ("Machine");
  for (guint i = 0; i < N_ROWS; i++)
    {
      AssayComparisonRow *row = g_new0 (AssayComparisonRow, 1);

      row->name = g_strdup_printf ("v%u", i);
      row->node_name = g_strdup_printf ("/n%u", i);
      row->op_type = g_strdup ("Tanh");
      row->verdict = i == 4321 ? ASSAY_COMPARISON_OUTSIDE : ASSAY_COMPARISON_WITHIN;
      row->is_output = i == N_ROWS - 1;
      fill_stats (&row->total, (double) i);
      g_ptr_array_add (file->comparison->rows, row);
    }

  g_assert_true (assay_session_file_save (file, path, &error));
  g_assert_no_error (error);
  again = assay_session_file_load (path, findings, &error);
  g_assert_no_error (error);
  g_assert_cmpuint (again->comparison->rows->len, ==, N_ROWS);
  for (guint i = 0; i < N_ROWS; i++)
    {
      const AssayComparisonRow *was = assay_comparison_row (file->comparison, i);
      const AssayComparisonRow *is = assay_comparison_row (again->comparison, i);

      g_assert_cmpstr (is->node_name, ==, was->node_name);
      g_assert_cmpint (is->verdict, ==, was->verdict);
      g_assert_cmpfloat (is->total.error, ==, was->total.error);
      g_assert_cmpuint (is->total.n_worst, ==,
                        i == 4321 || was->is_output ? was->total.n_worst : 0);
      g_assert_cmpmem (is->total.histogram_bf16, sizeof is->total.histogram_bf16,
                       was->total.histogram_bf16, sizeof was->total.histogram_bf16);
    }
}

/* A model whose weights lie beside it: they are a part of it, and are watched like it. */
static void
test_external_data (Fixture *fixture, gconstpointer data)
{
  const AssayOnnxWriteOptions options = { .max_bytes = 8192 };
  const gint64 dims[] = { 64, 64 };
  g_autofree char *inside = session_fixture_path (fixture, "inside.onnx");
  g_autofree char *model = session_fixture_path (fixture, "beside.onnx");
  g_autofree char *weights = session_fixture_path (fixture, "beside.onnx.data");
  g_autofree char *path = session_fixture_path (fixture, "s.assay");
  g_autofree char *bytes = NULL;
  g_autoptr (AssayFindings) findings = assay_findings_new ();
  g_autoptr (AssayGraph) graph = NULL;
  g_autoptr (AssaySessionFile) file = assay_session_file_new ();
  g_autoptr (AssaySessionFile) again = NULL;
  g_autoptr (GError) error = NULL;
  g_auto (ModelWriter) writer;
  GStatBuf about;
  struct utimbuf times;
  const AssayFileStamp *was;
  const AssayFileStamp *is;
  gboolean same;
  gsize length;

  model_writer_init (&writer, "beside");
  model_writer_input (&writer, "x", 1, "1,64");
  model_writer_output (&writer, "y", 1, "1,64");
  model_writer_weight (&writer, "w", 2, dims);
  model_writer_node (&writer, "MatMul", "/product", "x w", "y");
  g_assert_true (model_writer_save (&writer, inside, 17, &error));
  g_assert_no_error (error);
  graph = assay_model_read (inside, NULL, findings, NULL, &error);
  g_assert_no_error (error);
  assay_onnx_write_file (graph, model, &options, NULL, &error);
  g_assert_no_error (error);
  g_assert_true (g_file_get_contents (weights, &bytes, &length, &error));
  g_assert_cmpuint (length, >=, 64 * 64 * 4);

  file->model = g_strdup (model);
  assay_edits_set_target_id (file->edits, TARGET);
  g_assert_true (assay_session_file_take_stamp (file, NULL, &error));
  g_assert_cmpuint (file->data->len, ==, 1);
  g_assert_true (assay_session_file_save (file, path, &error));
  g_assert_no_error (error);
  again = assay_session_file_load (path, findings, &error);
  g_assert_no_error (error);
  g_assert_cmpuint (again->data->len, ==, 1);
  was = g_ptr_array_index (file->data, 0);
  is = g_ptr_array_index (again->data, 0);
  g_assert_cmpstr (is->location, ==, "beside.onnx.data");
  g_assert_cmpstr (is->digest, ==, was->digest);
  g_assert_cmpint (is->n_bytes, ==, (gint64) length);
  g_assert_cmpint (is->modified, ==, was->modified);
  g_assert_true (assay_session_file_same_model (again, model, NULL, &same, &error));
  g_assert_true (same);

  /* One bit, and the time as before: only the contents tell. */
  g_assert_cmpint (g_stat (weights, &about), ==, 0);
  bytes[length / 2] ^= 1;
  g_assert_true (g_file_set_contents (weights, bytes, (gssize) length, &error));
  times.actime = times.modtime = about.st_mtime;
  g_assert_cmpint (g_utime (weights, &times), ==, 0);
  g_assert_true (assay_session_file_same_model (again, model, NULL, &same, &error));
  g_assert_false (same);
  session_fixture_open_whole (fixture, path);
  g_assert_no_error (fixture->error);
  wait_until (assay_document_get_changed_files (assay_session_get_document (fixture->session)) &
              ASSAY_DOCUMENT_MODEL_OTHER);

  /* Put right again it is the model; written while it is open it is a changed one. */
  bytes[length / 2] ^= 1;
  g_assert_true (g_file_set_contents (weights, bytes, (gssize) length, &error));
  g_assert_true (assay_session_file_same_model (again, model, NULL, &same, &error));
  g_assert_true (same);
  session_fixture_open_whole (fixture, model);
  g_assert_no_error (fixture->error);
  wait_rest ();
  g_assert_true (g_file_set_contents (weights, bytes, (gssize) length - 4, &error));
  wait_until (assay_document_get_changed_files (assay_session_get_document (fixture->session)) &
              ASSAY_DOCUMENT_MODEL_CHANGED);

  g_assert_cmpint (g_remove (weights), ==, 0);
  g_assert_true (assay_session_file_same_model (again, model, NULL, &same, &error));
  g_assert_false (same);

  /* Saved without them it is the model without them, until they are back. */
  g_assert_true (assay_session_file_take_stamp (again, NULL, &error));
  g_assert_null (((AssayFileStamp *) g_ptr_array_index (again->data, 0))->digest);
  g_assert_true (assay_session_file_same_model (again, model, NULL, &same, &error));
  g_assert_true (same);
  g_assert_true (g_file_set_contents (weights, bytes, (gssize) length, &error));
  g_assert_true (assay_session_file_same_model (again, model, NULL, &same, &error));
  g_assert_false (same);

  /* What cannot be read is said. */
  g_assert_cmpint (g_remove (weights), ==, 0);
  g_assert_true (assay_session_file_take_stamp (file, NULL, &error));
  g_assert_cmpint (g_remove (model), ==, 0);
  g_assert_false (assay_session_file_take_stamp (file, NULL, &error));
  g_assert_error (error, ASSAY_ERROR, ASSAY_ERROR_IO);
  g_clear_error (&error);
  g_assert_null (assay_session_file_load (model, findings, &error));
  g_assert_error (error, ASSAY_ERROR, ASSAY_ERROR_IO);
}

TEST_PROGRAM (session_file)
{
  if (argc == 4 && g_str_equal (argv[1], "--pin-and-wait"))
    return pin_and_wait (argv[2], argv[3]);

  g_test_init (&argc, &argv, NULL);

  g_test_add ("/session-file/file/round-trip", Fixture, NULL, set_up, test_round_trip, tear_down);
  g_test_add ("/session-file/file/relative", Fixture, NULL, set_up, test_relative, tear_down);
  g_test_add_func ("/session-file/file/unknown", test_unknown);
  g_test_add_func ("/session-file/file/hostile", test_hostile);
  g_test_add ("/session-file/session/round-trip", Fixture, NULL, set_up, test_session, tear_down);
  g_test_add ("/session-file/session/moved", Fixture, NULL, set_up, test_moved, tear_down);
  g_test_add ("/session-file/session/save-fails", Fixture, NULL, set_up, test_save_fails,
              tear_down);
  g_test_add ("/session-file/session/recover", Fixture, argv[0], set_up, test_recover, tear_down);
  g_test_add ("/session-file/file/comparison", Fixture, NULL, set_up, test_comparison, tear_down);
  g_test_add ("/session-file/file/large-comparison", Fixture, NULL, set_up, test_large_comparison,
              tear_down);
  g_test_add ("/session-file/session/external-data", Fixture, NULL, set_up, test_external_data,
              tear_down);

  return g_test_run ();
}
