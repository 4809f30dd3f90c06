/* test-dpu-session.c
 * SPDX-License-Identifier: Apache-2.0
 *
 * A session with a target that has a machine of its own.
 */
#include "int8-model.h"
#include "session-fixture.h"

#include "session/activity/assay-compare-activity.h"
#include "session/activity/assay-compilation.h"
#include "session/activity/assay-run.h"

/* The machine that a session runs programs on is that of its target, and goes with it. */
static void
test_machine (void)
{
  SessionFixture fixture = { 0 };
  g_autofree char *path = NULL;
  AssaySession *session;

  session_fixture_init (&fixture, "dpu_zdx8g_b512");
  session = fixture.session;
  path = session_fixture_path (&fixture, "model.nnir");
  g_assert_true (g_file_set_contents (path, int8_model, -1, NULL));
  session_fixture_open (&fixture, path);
  session_fixture_wait_idle (&fixture);
  g_assert_cmpstr (assay_run_get_runner (assay_session_get_run (session)), ==, "dpu");
  g_assert_cmpstr (
      assay_compare_activity_get_runner (assay_session_get_compare_activity (session), 0), ==,
      "reference");
  g_assert_cmpstr (
      assay_compare_activity_get_runner (assay_session_get_compare_activity (session), 1), ==,
      "dpu");

  assay_compilation_start (assay_session_get_compilation (session));
  session_fixture_wait_idle (&fixture);
  g_assert_nonnull (assay_compilation_get_program (assay_session_get_compilation (session)));
  assay_run_start (assay_session_get_run (session));
  session_fixture_wait_idle (&fixture);
  g_assert_cmpint (assay_activity_get_state (ASSAY_ACTIVITY (assay_session_get_run (session))), ==,
                   ASSAY_ACTIVITY_READY);
  assay_compare_activity_start (assay_session_get_compare_activity (session));
  session_fixture_wait_idle (&fixture);
  g_assert_cmpint (
      assay_activity_get_state (ASSAY_ACTIVITY (assay_session_get_compare_activity (session))), ==,
      ASSAY_ACTIVITY_READY);

  assay_session_set_target_id (session, "ia_420f_c6b32");
  session_fixture_wait_idle (&fixture);
  g_assert_cmpstr (assay_run_get_runner (assay_session_get_run (session)), ==, "vm");
  session_fixture_clear (&fixture);
}

int
main (int argc, char *argv[])
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/dpu/session/machine", test_machine);

  return g_test_run ();
}
