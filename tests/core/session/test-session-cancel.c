/* test-session-cancel.c
 * SPDX-License-Identifier: Apache-2.0
 *
 * What the user stops ends in its thread too: each activity in the middle of work that would go on
 * for minutes.
 */
#include <glib/gstdio.h>
#include <sys/stat.h>

#include "session-fixture.h"
#include "test-program.h"

#define TARGET "vulkan-seed"
#define PROGRAM_TARGET "ia_420f_c6b32"

typedef SessionFixture Fixture;

/* A loop of more turns than anybody waits for. */
static const char endless[] = "main (%x : f32[4]) {\n"
                              "  const %n : i64[] = [1000000000]\n"
                              "  %r = Loop(%n, _, %x) {body = region \"body\" "
                              "(%i : i64[], %c : bool[], %v : f32[4]) {\n"
                              "    %w = Sin(%v) : f32[4] @ \"turn\"\n"
                              "    return %c, %w\n"
                              "  }} : f32[4] @ \"loop\"\n"
                              "  return %r\n"
                              "}\n";

static const char brief[] =
    "main (%x : f32[4,32]) {\n  %y = Relu(%x) : f32[4,32] @ \"bound\"\n  return %y\n}\n";

/* Says that it is there, and nothing else. */
static const char silent[] = "#!/bin/sh\nsleep 3600 & echo $! > %s\necho ready\nwait\n";

static void
set_up (Fixture *fixture, gconstpointer data)
{
  g_autofree char *path = NULL;

  session_fixture_init (fixture, TARGET);
  path = session_fixture_path (fixture, "endless.nnir");
  g_assert_true (g_file_set_contents (path, endless, -1, NULL));
  session_fixture_open (fixture, path);
  session_fixture_wait_idle (fixture);
}

static void
tear_down (Fixture *fixture, gconstpointer data)
{
  session_fixture_clear (fixture);
}

/* It is at work, is stopped, and then no thread works any more. */
static void
stop (Fixture *fixture, AssayActivity *activity)
{
  gint64 begin = wait_work ();

  g_assert_cmpint (assay_activity_get_state (activity), ==, ASSAY_ACTIVITY_RUNNING);
  wait_until (wait_work () > begin + 100 * G_TIME_SPAN_MILLISECOND);
  g_assert_cmpint (assay_activity_get_state (activity), ==, ASSAY_ACTIVITY_RUNNING);
  assay_session_cancel (fixture->session);
  g_assert_cmpint (assay_activity_get_state (activity), ==, ASSAY_ACTIVITY_NONE);
  g_assert_false (assay_session_get_busy (fixture->session));
  wait_rest ();
}

static void
test_run (Fixture *fixture, gconstpointer data)
{
  AssayRun *run = assay_session_get_run (fixture->session);

  assay_run_set_runner (run, "reference");
  assay_run_start (run);
  stop (fixture, ASSAY_ACTIVITY (run));
}

/* A runner that says nothing: where it tells the number of what it has started, and how to name it.
 */
static char *
write_silent (Fixture *fixture, const char *pid_path)
{
  g_autofree char *path = session_fixture_path (fixture, "runner");
  g_autofree char *text = g_strdup_printf (silent, pid_path);

  g_assert_true (g_file_set_contents_full (path, text, -1, G_FILE_SET_CONTENTS_NONE, 0700, NULL));

  return g_strconcat ("unconfined:", path, NULL);
}

/* A program that says nothing is gone, with what it has started. */
static void
stop_silent (Fixture *fixture, AssayActivity *activity, const char *pid_path)
{
  g_autofree char *pid = NULL;
  g_autofree char *executable = NULL;

  g_assert_cmpint (assay_activity_get_state (activity), ==, ASSAY_ACTIVITY_RUNNING);
  wait_until ((g_free (pid), pid = NULL, g_file_get_contents (pid_path, &pid, NULL, NULL)) &&
              strchr (pid, '\n') != NULL);
  assay_session_cancel (fixture->session);
  g_assert_false (assay_session_get_busy (fixture->session));
  /* What is dead runs nothing, even if nobody has buried it yet. */
  executable = g_build_filename ("/proc", g_strchomp (pid), "exe", NULL);
  wait_until (!g_file_test (executable, G_FILE_TEST_EXISTS));
  wait_rest ();
}

static void
test_command (Fixture *fixture, gconstpointer data)
{
  AssayRun *run = assay_session_get_run (fixture->session);
  g_autofree char *pid_path = session_fixture_path (fixture, "pid");
  g_autofree char *runner = write_silent (fixture, pid_path);

  assay_run_set_runner (run, runner);
  assay_run_start (run);
  stop_silent (fixture, ASSAY_ACTIVITY (run), pid_path);
}

static void
test_compare (Fixture *fixture, gconstpointer data)
{
  AssayCompareActivity *compare = assay_session_get_compare_activity (fixture->session);
  g_autofree char *path = session_fixture_path (fixture, "short.nnir");
  g_autofree char *pid_path = session_fixture_path (fixture, "pid");
  g_autofree char *runner = write_silent (fixture, pid_path);

  g_assert_true (g_file_set_contents (path, brief, -1, NULL));
  assay_session_set_target_id (fixture->session, PROGRAM_TARGET);
  session_fixture_open (fixture, path);
  session_fixture_wait_idle (fixture);
  assay_compare_activity_set_runner (compare, 0, "reference");
  assay_compare_activity_set_runner (compare, 1, runner);
  g_assert_true (assay_compare_activity_can_start (compare));
  assay_compare_activity_start (compare);
  stop_silent (fixture, ASSAY_ACTIVITY (compare), pid_path);
}

/* What was there when it was said that the program does not fit. */
typedef struct
{
  AssayWaysSearch *search;
  gboolean told;
  guint n_ways;
  AssayActivityState state;
} Refusal;

static void
refused_cb (AssayCompilation *compilation, GParamSpec *pspec, Refusal *refusal)
{
  if (refusal->told ||
      assay_activity_get_state (ASSAY_ACTIVITY (compilation)) != ASSAY_ACTIVITY_FAILED)
    return;

  refusal->told = TRUE;
  refusal->n_ways = assay_compilation_get_allocation (compilation)->ways_out->len;
  refusal->state = assay_activity_get_state (ASSAY_ACTIVITY (refusal->search));
}

static void
count_cb (guint *n)
{
  (*n)++;
}

/* That a program does not fit is said before anything is sought that helps; what is found comes
 * after it, and a search that is stopped leaves the report as it is. */
static void
test_ways_search (Fixture *fixture, gconstpointer data)
{
  g_autofree char *path = session_fixture_path (fixture, "short.nnir");
  AssayCompilation *compilation = assay_session_get_compilation (fixture->session);
  Refusal refusal = { assay_session_get_ways_search (fixture->session), FALSE, 0,
                      ASSAY_ACTIVITY_NONE };
  g_autoptr (AssaySettings) setup = assay_settings_new ();
  guint n_found = 0;

  g_assert_true (g_file_set_contents (path, brief, -1, NULL));
  assay_session_set_target_id (fixture->session, PROGRAM_TARGET);
  session_fixture_open (fixture, path);
  session_fixture_wait_idle (fixture);
  g_signal_connect (compilation, "notify::state", G_CALLBACK (refused_cb), &refusal);
  g_signal_connect_swapped (refusal.search, "found", G_CALLBACK (count_cb), &n_found);
  assay_settings_set_number (&setup, ASSAY_SETTING_DEPTH, "tensor_ram_depth", 1);
  assay_session_set_setup (fixture->session, setup);
  wait_until (refusal.told);
  g_assert_cmpuint (refusal.n_ways, ==, 0);
  g_assert_cmpint (refusal.state, ==, ASSAY_ACTIVITY_RUNNING);
  session_fixture_wait_idle (fixture);
  g_assert_cmpuint (n_found, >, 0);
  g_assert_cmpuint (assay_compilation_get_allocation (compilation)->ways_out->len, >, 0);

  refusal.told = FALSE;
  assay_compilation_start (compilation);
  wait_until (refusal.told);
  assay_activity_cancel (ASSAY_ACTIVITY (refusal.search));
  g_assert_false (assay_session_get_busy (fixture->session));
  g_assert_error (assay_activity_get_error (ASSAY_ACTIVITY (compilation)), ASSAY_ERROR,
                  ASSAY_ERROR_ALLOCATION);
  g_signal_handlers_disconnect_by_data (compilation, &refusal);
  g_signal_handlers_disconnect_by_data (refusal.search, &n_found);
}

/* A board whose way there never answers. */
static void
test_deploy (Fixture *fixture, gconstpointer data)
{
  AssayDeployActivity *deploy = assay_session_get_deploy_activity (fixture->session);
  g_autofree char *path = session_fixture_path (fixture, "short.nnir");
  g_autofree char *pid_path = session_fixture_path (fixture, "pid");
  g_autofree char *ssh = session_fixture_path (fixture, "ssh");
  g_autofree char *text = g_strdup_printf (silent, pid_path);
  g_autofree char *before = g_strdup (g_getenv ("PATH"));
  g_autofree char *with = g_strdup_printf ("%s:%s", fixture->folder, before);

  g_assert_true (g_file_set_contents_full (ssh, text, -1, G_FILE_SET_CONTENTS_NONE, 0700, NULL));
  g_setenv ("PATH", with, TRUE);
  g_assert_true (g_file_set_contents (path, brief, -1, NULL));
  assay_session_set_target_id (fixture->session, PROGRAM_TARGET);
  session_fixture_open (fixture, path);
  session_fixture_wait_idle (fixture);
  assay_deploy_activity_set_board (deploy, "ssh:nowhere");
  assay_deploy_activity_start (deploy);
  stop_silent (fixture, ASSAY_ACTIVITY (deploy), pid_path);
  g_setenv ("PATH", before, TRUE);
}

/* Stopped before it can have ended: nothing of it arrives. */
static void
stop_at_once (Fixture *fixture, AssayActivity *activity)
{
  g_assert_cmpint (assay_activity_get_state (activity), ==, ASSAY_ACTIVITY_RUNNING);
  assay_session_cancel (fixture->session);
  g_assert_false (assay_session_get_busy (fixture->session));
  wait_rest ();
  g_assert_cmpint (assay_activity_get_state (activity), ==, ASSAY_ACTIVITY_NONE);
}

static void
test_passes (Fixture *fixture, gconstpointer data)
{
  AssayPassActivity *passes = assay_session_get_passes (fixture->session);
  g_autofree char *path = g_test_build_filename (G_TEST_DIST, "data", "fuzz", "torch-text",
                                                 "attributes.mlir", NULL);

  session_fixture_open (fixture, path);
  session_fixture_wait_idle (fixture);
  g_assert_true (assay_pass_activity_can_start (passes));
  assay_pass_activity_start (passes);
  assay_pass_activity_start (passes);
  stop_at_once (fixture, ASSAY_ACTIVITY (passes));
  g_assert_null (assay_pass_activity_get_steps (passes));

  /* What was stopped can be had again, and is there then. */
  assay_pass_activity_start (passes);
  session_fixture_wait_idle (fixture);
  g_assert_cmpint (assay_activity_get_state (ASSAY_ACTIVITY (passes)), ==, ASSAY_ACTIVITY_READY);
  g_assert_nonnull (assay_pass_activity_get_steps (passes));
  assay_pass_activity_start (passes);
  g_assert_false (assay_session_get_busy (fixture->session));
}

/* The program is gone when somebody asks for its passes; another model has none. */
static void
test_passes_lost (Fixture *fixture, gconstpointer data)
{
  AssayPassActivity *passes = assay_session_get_passes (fixture->session);
  g_autofree char *path = g_test_build_filename (G_TEST_DIST, "data", "fuzz", "torch-text",
                                                 "attributes.mlir", NULL);
  g_autofree char *copy = session_fixture_path (fixture, "lost.mlir");
  g_autofree char *text = NULL;
  gsize length;

  g_assert_false (assay_pass_activity_can_start (passes));
  g_assert_true (g_file_get_contents (path, &text, &length, NULL));
  g_assert_true (g_file_set_contents (copy, text, (gssize) length, NULL));
  session_fixture_open (fixture, copy);
  session_fixture_wait_idle (fixture);
  g_assert_true (assay_pass_activity_can_start (passes));
  g_assert_cmpint (g_unlink (copy), ==, 0);
  assay_pass_activity_start (passes);
  session_fixture_wait_idle (fixture);
  g_assert_cmpint (assay_activity_get_state (ASSAY_ACTIVITY (passes)), ==, ASSAY_ACTIVITY_FAILED);
  g_assert_error (assay_activity_get_error (ASSAY_ACTIVITY (passes)), ASSAY_ERROR, ASSAY_ERROR_IO);
  g_assert_null (assay_pass_activity_get_steps (passes));
}

static void
test_compile (Fixture *fixture, gconstpointer data)
{
  AssayCompilation *compilation = assay_session_get_compilation (fixture->session);
  g_autofree char *path = session_fixture_path (fixture, "short.nnir");

  g_assert_true (g_file_set_contents (path, brief, -1, NULL));
  assay_session_set_target_id (fixture->session, PROGRAM_TARGET);
  session_fixture_open (fixture, path);
  wait_until (assay_activity_get_state (ASSAY_ACTIVITY (compilation)) == ASSAY_ACTIVITY_RUNNING);
  stop_at_once (fixture, ASSAY_ACTIVITY (compilation));
}

/* What reads one value on both sides is no activity, but work like any other. */
static void
read_cb (GObject *object, GAsyncResult *result, gpointer user_data)
{
  Fixture *fixture = user_data;
  g_autoptr (AssayTensor) a = NULL;
  g_autoptr (AssayTensor) b = NULL;

  g_clear_error (&fixture->error);
  fixture->ok = assay_compare_activity_read_finish (ASSAY_COMPARE_ACTIVITY (object), result, &a, &b,
                                                    &fixture->error);
  fixture->done = TRUE;
}

static void
test_reading (Fixture *fixture, gconstpointer data)
{
  AssayCompareActivity *compare = assay_session_get_compare_activity (fixture->session);
  g_autofree char *path = session_fixture_path (fixture, "short.nnir");
  g_autofree char *pid_path = session_fixture_path (fixture, "pid");
  g_autofree char *runner = write_silent (fixture, pid_path);
  g_autofree char *pid = NULL;
  g_autofree char *executable = NULL;

  g_assert_true (g_file_set_contents (path, brief, -1, NULL));
  session_fixture_open (fixture, path);
  session_fixture_wait_idle (fixture);
  assay_compare_activity_set_runner (compare, 0, "reference");
  assay_compare_activity_set_runner (compare, 1, runner);
  g_assert_true (assay_compare_activity_can_start (compare));
  fixture->done = FALSE;
  assay_compare_activity_read_async (compare, "y", read_cb, fixture);
  wait_until (fixture->done ||
              ((g_free (pid), pid = NULL, g_file_get_contents (pid_path, &pid, NULL, NULL)) &&
               strchr (pid, '\n') != NULL));
  g_assert_no_error (fixture->error);
  assay_session_cancel (fixture->session);
  g_assert_false (assay_session_get_busy (fixture->session));
  session_fixture_wait_done (fixture);
  g_assert_error (fixture->error, ASSAY_ERROR, ASSAY_ERROR_CANCELLED);
  executable = g_build_filename ("/proc", g_strchomp (pid), "exe", NULL);
  wait_until (!g_file_test (executable, G_FILE_TEST_EXISTS));
}

/* Whoever saves to a pipe waits for somebody who reads it. */
static void
stop_saving (Fixture *fixture)
{
  g_assert_true (assay_session_get_busy (fixture->session));
  g_assert_false (fixture->done);
  assay_session_cancel (fixture->session);
  g_assert_false (assay_session_get_busy (fixture->session));
  session_fixture_wait_done (fixture);
  g_assert_error (fixture->error, ASSAY_ERROR, ASSAY_ERROR_CANCELLED);
}

static void
saved_cb (GObject *object, GAsyncResult *result, gpointer user_data)
{
  session_fixture_take (user_data, ASSAY_SESSION (object), result, assay_session_save_finish);
}

static void
test_saving (Fixture *fixture, gconstpointer data)
{
  g_autofree char *pipe = session_fixture_path (fixture, "pipe.assay");

  g_assert_cmpint (mkfifo (pipe, 0600), ==, 0);
  fixture->done = FALSE;
  assay_session_save_async (fixture->session, pipe, NULL, saved_cb, fixture);
  wait_rest ();
  stop_saving (fixture);
}

static void
model_saved_cb (GObject *object, GAsyncResult *result, gpointer user_data)
{
  Fixture *fixture = user_data;
  g_autofree char *proof = NULL;

  g_clear_error (&fixture->error);
  proof = assay_session_save_model_finish (ASSAY_SESSION (object), result, &fixture->error);
  fixture->done = TRUE;
}

/* Nothing is there of a model that was not saved to its end. */
static void
test_saving_model (Fixture *fixture, gconstpointer data)
{
  g_autofree char *folder = session_fixture_path (fixture, "saved");
  g_autofree char *path = g_build_filename (folder, "model.onnx", NULL);

  g_assert_cmpint (g_mkdir (folder, 0700), ==, 0);
  fixture->done = FALSE;
  assay_session_save_model_async (fixture->session, path, model_saved_cb, fixture);
  stop_saving (fixture);
  g_assert_cmpint (g_rmdir (folder), ==, 0);
}

static void
assert_close_ends (Fixture *fixture)
{
  gint64 begin = wait_work ();

  assay_session_close (fixture->session);
  wait_rest ();
  g_assert_true (assay_jobs_await (0));
  g_assert_cmpint (wait_work () - begin, <, 2 * G_TIME_SPAN_SECOND);
}

/* Closing the model ends what nobody has asked for: the search for fixes and the survey of targets.
 */
static void
test_closed (Fixture *fixture, gconstpointer data)
{
  AssayFixSearch *search = assay_session_get_fix_search (fixture->session);

  g_assert_cmpuint (g_list_model_get_n_items (assay_session_get_finding_items (fixture->session)),
                    >, 0);
  assay_fix_search_look (search, 0);
  wait_until (assay_fix_search_is_busy (search, 0));
  assert_close_ends (fixture);
}

/* So does it end the look at a large model that a session file has brought. */
static void
test_looking (Fixture *fixture, gconstpointer data)
{
  g_autofree char *path = session_fixture_path (fixture, "large.nnir");
  g_autofree char *file = session_fixture_path (fixture, "large.assay");
  g_autoptr (GString) text = g_string_new (brief);

  for (guint i = 0; i < 1u << 18; i++)
    g_string_append (text,
                     "// what nobody reads, and what has to be summed up nevertheless.....\n");
  g_assert_true (g_file_set_contents (path, text->str, (gssize) text->len, NULL));
  session_fixture_open (fixture, path);
  session_fixture_wait_idle (fixture);
  session_fixture_save (fixture, file, NULL);
  session_fixture_open (fixture, file);
  assert_close_ends (fixture);
}

/* Who has asked is gone: so is the work. */
static void
test_owner (Fixture *fixture, gconstpointer data)
{
  AssayRun *run = assay_session_get_run (fixture->session);
  g_autofree char *pid_path = session_fixture_path (fixture, "pid");
  g_autofree char *runner = write_silent (fixture, pid_path);
  g_autofree char *pid = NULL;
  g_autofree char *executable = NULL;

  assay_run_set_runner (run, runner);
  assay_run_start (run);
  wait_until ((g_free (pid), pid = NULL, g_file_get_contents (pid_path, &pid, NULL, NULL)) &&
              strchr (pid, '\n') != NULL);
  g_assert_finalize_object (g_steal_pointer (&fixture->session));
  executable = g_build_filename ("/proc", g_strchomp (pid), "exe", NULL);
  wait_until (!g_file_test (executable, G_FILE_TEST_EXISTS));
  wait_rest ();
}

/* Every activity that there is, with the test that stops it. */
static const struct
{
  const char *type;
  const char *path;
  void (*test) (Fixture *fixture, gconstpointer data);
} activities[] = {
  { "AssayRun", "/session-cancel/run", test_run },
  { "AssayCompareActivity", "/session-cancel/compare", test_compare },
  { "AssayCompilation", "/session-cancel/compile", test_compile },
  { "AssayDeployActivity", "/session-cancel/deploy", test_deploy },
  { "AssayPassActivity", "/session-cancel/passes", test_passes },
  { "AssayWaysSearch", "/session-cancel/ways", test_ways_search },
  /* Need a comparison that differs, a program of ours, and the window: /session-causes/dropped,
     /cancel/qualify and /ui/quantize/cancel. */
  { "AssayCauseSearch", NULL, NULL },
  { "AssayQualifyActivity", NULL, NULL },
  { "AssayQuantizeActivity", NULL, NULL },
};

static void
test_all (Fixture *fixture, gconstpointer data)
{
  guint n;
  g_autofree GType *types = g_type_children (ASSAY_TYPE_ACTIVITY, &n);

  g_assert_cmpuint (n, ==, G_N_ELEMENTS (activities));
  for (guint i = 0; i < n; i++)
    {
      gboolean found = FALSE;

      for (guint k = 0; k < G_N_ELEMENTS (activities); k++)
        found = found || g_str_equal (activities[k].type, g_type_name (types[i]));
      if (!found)
        g_error ("no test stops %s", g_type_name (types[i]));
    }
}

TEST_PROGRAM (session_cancel)
{
  g_test_init (&argc, &argv, NULL);

#define ADD(path, test) g_test_add (path, Fixture, NULL, set_up, test, tear_down)
  for (guint i = 0; i < G_N_ELEMENTS (activities); i++)
    if (activities[i].test != NULL)
      ADD (activities[i].path, activities[i].test);
  ADD ("/session-cancel/all", test_all);
  ADD ("/session-cancel/passes-lost", test_passes_lost);
  ADD ("/session-cancel/command", test_command);
  ADD ("/session-cancel/reading", test_reading);
  ADD ("/session-cancel/saving", test_saving);
  ADD ("/session-cancel/saving-model", test_saving_model);
  ADD ("/session-cancel/closed", test_closed);
  ADD ("/session-cancel/looking", test_looking);
  ADD ("/session-cancel/owner", test_owner);
#undef ADD

  return g_test_run ();
}
