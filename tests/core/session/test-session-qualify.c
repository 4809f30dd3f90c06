/* test-session-qualify.c
 * SPDX-License-Identifier: Apache-2.0
 *
 * Suites that a session runs, where something is wrong: with the suite, what is expected, the last
 * time's log, the program that runs the cases, or the place for what comes out.
 */
#include <glib/gstdio.h>
#include <string.h>

#include "base/assay-error.h"
#include "folder.h"
#include "session-fixture.h"
#include "test-program.h"

#define TARGET "ia_420f_c6b32"

typedef SessionFixture Fixture;

/* In the place of `assay`: the folder of the case is the last argument. */
static const char passes[] = "#!/bin/sh\nprintf 'PASS\\tcompare\\t\\t\\t\\tRelu\\t\\tf32\\n'\n";
static const char fails[] = "#!/bin/sh\nprintf 'FAIL\\tcompare\\t\\tno\\t\\tRelu\\t\\tf32\\n'\n";
static const char never_ends[] = "#!/bin/sh\nexec sleep 1000\n";

static AssayQualifyActivity *
get_qualify (Fixture *fixture)
{
  return assay_session_get_qualify (fixture->session);
}

static void
set_program (Fixture *fixture, const char *script)
{
  g_autofree char *path = session_fixture_path (fixture, "assay");

  g_assert_true (g_file_set_contents_full (path, script, -1, G_FILE_SET_CONTENTS_NONE, 0700, NULL));
}

static void
add_case (Fixture *fixture, const char *name)
{
  g_autofree char *folder = g_build_filename (fixture->folder, "suite", name, NULL);
  g_autofree char *data = g_build_filename (folder, "test_data_set_0", NULL);
  g_autofree char *model = g_build_filename (folder, "model.onnx", NULL);

  g_assert_cmpint (g_mkdir_with_parents (data, 0700), ==, 0);
  g_assert_true (g_file_set_contents (model, "", 0, NULL));
}

static void
set_up (Fixture *fixture, gconstpointer data)
{
  g_autofree char *suite = NULL;

  session_fixture_init (fixture, TARGET);
  suite = session_fixture_path (fixture, "suite");
  add_case (fixture, "one");
  add_case (fixture, "two");
  set_program (fixture, passes);
  g_setenv ("ASSAY_HELPERS", fixture->folder, TRUE);
  assay_compare_activity_set_runner (assay_session_get_compare_activity (fixture->session), 1,
                                     "reference");
  assay_qualify_activity_set_suite (get_qualify (fixture), suite);
}

static void
tear_down (Fixture *fixture, gconstpointer data)
{
  g_autofree char *state = g_build_filename (g_get_user_state_dir (), "assay", NULL);

  session_fixture_clear (fixture);
  if (g_file_test (state, G_FILE_TEST_IS_DIR))
    folder_remove (state);
}

static void
run (Fixture *fixture)
{
  assay_qualify_activity_start (get_qualify (fixture));
  session_fixture_wait_idle (fixture);
}

static void
run_well (Fixture *fixture)
{
  g_autofree char *model = NULL;

  run (fixture);
  model = assay_qualify_activity_dup_case (get_qualify (fixture), "one");
  g_assert_nonnull (model);
  g_assert_true (g_str_has_suffix (model, "/suite/one/model.onnx"));
  g_assert_no_error (assay_activity_get_error (ASSAY_ACTIVITY (get_qualify (fixture))));
  g_assert_nonnull (assay_qualify_activity_get_conformance (get_qualify (fixture)));
  g_assert_cmpuint (
      g_list_model_get_n_items (assay_qualify_activity_get_rows (get_qualify (fixture))), ==,
      assay_qualify_activity_get_n_cases (get_qualify (fixture)));
}

static void
run_badly (Fixture *fixture, const char *says)
{
  const GError *error;

  run (fixture);
  error = assay_activity_get_error (ASSAY_ACTIVITY (get_qualify (fixture)));
  g_assert_cmpint (assay_activity_get_state (ASSAY_ACTIVITY (get_qualify (fixture))), ==,
                   ASSAY_ACTIVITY_FAILED);
  g_assert_nonnull (error);
  if (strstr (error->message, says) == NULL)
    g_error ("“%s” does not say “%s”", error->message, says);
}

/* With no model and no suite there is nothing to do, and nothing to show. */
static void
test_nothing (Fixture *fixture, gconstpointer data)
{
  AssayQualifyActivity *activity = get_qualify (fixture);

  assay_qualify_activity_set_suite (activity, NULL);
  run (fixture);
  g_assert_cmpint (assay_activity_get_state (ASSAY_ACTIVITY (activity)), ==, ASSAY_ACTIVITY_NONE);
  g_assert_null (assay_qualify_activity_get_conformance (activity));
  g_assert_null (assay_qualify_activity_dup_case (activity, "one"));
  g_assert_cmpuint (assay_qualify_activity_get_n_cases (activity), ==, 0);
}

static void
test_suite (Fixture *fixture, gconstpointer data)
{
  g_autofree char *none = session_fixture_path (fixture, "none");

  assay_qualify_activity_set_suite (get_qualify (fixture), none);
  run_badly (fixture, "none");
  g_assert_cmpint (g_mkdir (none, 0700), ==, 0);
  run_badly (fixture, "none");
}

static void
test_expected (Fixture *fixture, gconstpointer data)
{
  AssayQualifyActivity *activity = get_qualify (fixture);
  g_autofree char *path = session_fixture_path (fixture, "known.txt");

  assay_qualify_activity_set_expected (activity, path);
  run_badly (fixture, "known.txt");
  g_assert_cmpint (g_mkdir (path, 0700), ==, 0);
  run_badly (fixture, "known.txt");
  g_rmdir (path);
  g_assert_true (g_file_set_contents (path, "one it is known\n", -1, NULL));
  run_well (fixture);
  g_assert_cmpuint (
      assay_qualify_activity_get_conformance (activity)->counts[ASSAY_CONFORMANCE_XPASS], ==, 1);
}

static void
test_no_program (Fixture *fixture, gconstpointer data)
{
  g_autofree char *path = session_fixture_path (fixture, "assay");
  g_autofree char *before = g_strdup (g_getenv ("PATH"));

  g_unlink (path);
  g_setenv ("PATH", fixture->folder, TRUE);
  run (fixture);
  g_setenv ("PATH", before, TRUE);
  /* An installed one may be found. */
  if (assay_activity_get_error (ASSAY_ACTIVITY (get_qualify (fixture))) != NULL)
    g_assert_error (assay_activity_get_error (ASSAY_ACTIVITY (get_qualify (fixture))), ASSAY_ERROR,
                    ASSAY_ERROR_DEVICE);
}

static char *
find_log (void)
{
  g_autofree char *folder = g_build_filename (g_get_user_state_dir (), "assay", "qualify", NULL);
  g_autoptr (GDir) dir = g_dir_open (folder, 0, NULL);

  g_assert_nonnull (dir);
  return g_build_filename (folder, g_dir_read_name (dir), NULL);
}

/* What is kept for the next time may be damaged, or have no place. */
static void
test_log (Fixture *fixture, gconstpointer data)
{
  AssayQualifyActivity *activity = get_qualify (fixture);
  g_autofree char *state = g_build_filename (g_get_user_state_dir (), "assay", NULL);
  g_autofree char *log = NULL;

  run_well (fixture);
  g_assert_null (assay_qualify_activity_get_trend (activity));
  set_program (fixture, fails);
  run_well (fixture);
  g_assert_nonnull (strstr (assay_qualify_activity_get_trend (activity), "2 wrong that were"));
  log = find_log ();
  g_assert_true (g_file_set_contents (log, "no log at all\n", -1, NULL));
  run_well (fixture);
  g_assert_null (assay_qualify_activity_get_trend (activity));
  run_well (fixture);
  g_assert_nonnull (assay_qualify_activity_get_trend (activity));

  folder_remove (state);
  g_assert_true (g_file_set_contents (state, "", 0, NULL));
  run_badly (fixture, "qualify");
  g_unlink (state);
}

static void
test_save (Fixture *fixture, gconstpointer data)
{
  static const char *const forms[] = { "junit", "csv", "json", "xfail" };
  AssayQualifyActivity *activity = get_qualify (fixture);
  g_autofree char *path = session_fixture_path (fixture, "saved");
  g_autofree char *nowhere = g_build_filename (path, "inside", NULL);

  set_program (fixture, fails);
  run_well (fixture);
  for (guint i = 0; i < G_N_ELEMENTS (forms); i++)
    {
      g_autoptr (GError) error = NULL;
      g_autofree char *text = NULL;

      g_assert_true (assay_qualify_activity_save (activity, forms[i], path, &error));
      g_assert_true (g_file_get_contents (path, &text, NULL, NULL));
      g_assert_nonnull (strstr (text, "one"));
      g_assert_false (assay_qualify_activity_save (activity, forms[i], "/dev/full", &error));
      g_assert_error (error, ASSAY_ERROR, ASSAY_ERROR_SAVE);
      g_clear_error (&error);
      g_assert_false (assay_qualify_activity_save (activity, forms[i], nowhere, &error));
      g_assert_error (error, ASSAY_ERROR, ASSAY_ERROR_SAVE);
    }
}

/* The open model is cut into cases: it may be one of unknown size, or there is no place for them.
 */
static void
test_model (Fixture *fixture, gconstpointer data)
{
  AssayQualifyActivity *activity = get_qualify (fixture);
  g_autofree char *path = session_fixture_write (fixture, "chain.onnx", "Tanh");
  g_autofree char *away = g_strconcat (g_get_tmp_dir (), "-away", NULL);

  session_fixture_open (fixture, path);
  session_fixture_wait_idle (fixture);
  assay_qualify_activity_set_suite (activity, NULL);
  run_badly (fixture, "its shape is");
  g_assert_cmpint (g_rename (g_get_tmp_dir (), away), ==, 0);
  run_badly (fixture, "temporary folder");
  g_assert_null (assay_qualify_activity_dup_case (activity, "one"));
  g_assert_cmpint (g_rename (away, g_get_tmp_dir ()), ==, 0);
  run_badly (fixture, "its shape is");
}

/* Nothing of half a suite is kept, and a session may go in the middle of one. */
static void
test_stop (Fixture *fixture, gconstpointer data)
{
  AssayQualifyActivity *activity = get_qualify (fixture);

  run_well (fixture);
  set_program (fixture, never_ends);
  for (guint i = 0; i < 2; i++)
    {
      assay_qualify_activity_start (activity);
      g_assert_cmpint (assay_activity_get_state (ASSAY_ACTIVITY (activity)), ==,
                       ASSAY_ACTIVITY_RUNNING);
      wait_until (assay_qualify_activity_get_n_cases (activity) == 2);
    }
  assay_activity_cancel (ASSAY_ACTIVITY (activity));
  session_fixture_wait_idle (fixture);
  g_assert_null (assay_qualify_activity_get_conformance (activity));
  assay_qualify_activity_start (activity);
  wait_until (assay_qualify_activity_get_n_cases (activity) == 2);
  g_assert_finalize_object (g_steal_pointer (&fixture->session));
}

TEST_PROGRAM (session_qualify)
{
  static const struct
  {
    const char *path;
    void (*test) (Fixture *fixture, gconstpointer data);
  } tests[] = {
    { "/session-qualify/nothing", test_nothing },
    { "/session-qualify/suite", test_suite },
    { "/session-qualify/expected", test_expected },
    { "/session-qualify/no-program", test_no_program },
    { "/session-qualify/log", test_log },
    { "/session-qualify/save", test_save },
    { "/session-qualify/model", test_model },
    { "/session-qualify/stop", test_stop },
  };
  const char *there = g_getenv ("TMPDIR");
  g_autofree char *own = g_build_filename (there != NULL ? there : "/tmp", "assay-XXXXXX", NULL);
  int status;

  /* One that can be taken away, which GLib asks for once. */
  g_assert_nonnull (g_mkdtemp (own));
  g_setenv ("TMPDIR", own, TRUE);
  g_setenv ("XDG_STATE_HOME", own, TRUE);
  g_test_init (&argc, &argv, NULL);
  for (guint i = 0; i < G_N_ELEMENTS (tests); i++)
    g_test_add (tests[i].path, Fixture, NULL, set_up, tests[i].test, tear_down);
  status = g_test_run ();
  folder_remove (own);

  return status;
}
