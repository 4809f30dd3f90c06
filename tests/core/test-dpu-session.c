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
#include "session/list/assay-compare-item.h"

/* What 8 bits cost each operation against float is known with the comparison. */
static void
check_costs (AssayCompareActivity *comparing)
{
  const AssayComparison *comparison = assay_compare_activity_get_comparison (comparing);
  GListModel *rows = assay_compare_activity_get_rows (comparing);
  guint n = 0, n_gains = 0;

  g_assert_true (comparison->has_costs);
  g_assert_cmpfloat (comparison->output_db, >, 0);
  for (guint i = 0; i < comparison->rows->len; i++)
    {
      g_autoptr (AssayCompareItem) item = g_list_model_get_item (rows, i);
      const AssayQuantizeLoss *cost = assay_compare_item_get_cost (item);

      g_assert_true ((cost != NULL) == (assay_comparison_row (comparison, i)->cost != NULL));
      n += cost != NULL;
      n_gains += cost != NULL && cost->has_gain;
    }
  g_assert_cmpuint (n, >, 0);
  g_assert_cmpuint (n_gains, ==, MIN (n, 5));
}

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
  /* A byte of each map is a byte, in blocks of a KiB, and what is made to measure is always full.
   */
  {
    AssayProgram *program = assay_compilation_get_program (assay_session_get_compilation (session));

    g_assert_cmpuint (assay_program_get_block_bytes (program), ==, 1024);
    for (guint i = 0; i < assay_program_get_facts (program)->n_stores; i++)
      g_assert_cmpuint (assay_program_get_store (program, i)->measured, ==, 1024);
  }
  assay_run_start (assay_session_get_run (session));
  session_fixture_wait_idle (&fixture);
  g_assert_cmpint (assay_activity_get_state (ASSAY_ACTIVITY (assay_session_get_run (session))), ==,
                   ASSAY_ACTIVITY_READY);
  assay_compare_activity_start (assay_session_get_compare_activity (session));
  session_fixture_wait_idle (&fixture);
  g_assert_cmpint (
      assay_activity_get_state (ASSAY_ACTIVITY (assay_session_get_compare_activity (session))), ==,
      ASSAY_ACTIVITY_READY);
  check_costs (assay_session_get_compare_activity (session));

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
