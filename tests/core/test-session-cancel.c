/* test-session-cancel.c
 * SPDX-License-Identifier: Apache-2.0
 *
 * What the user stops ends in its thread too: each activity in the middle of work that would go on
 * for minutes.
 */
#include <glib/gstdio.h>

#include "session-fixture.h"

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

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);

#define ADD(path, test) g_test_add (path, Fixture, NULL, set_up, test, tear_down)
  ADD ("/session-cancel/run", test_run);
  ADD ("/session-cancel/compare", test_compare);
  ADD ("/session-cancel/command", test_command);
  ADD ("/session-cancel/ways", test_ways_search);
#undef ADD

  return g_test_run ();
}
