/* test-dpu-session.c
 * SPDX-License-Identifier: Apache-2.0
 *
 * A session with a target that has a machine of its own.
 */
#include "int8-model.h"
#include "session-fixture.h"
#include "test-program.h"

#include "session/activity/assay-compare-activity.h"
#include "session/activity/assay-compilation.h"
#include "session/activity/assay-run.h"
#include "session/list/assay-compare-item.h"
#include "session/list/assay-finding-item.h"

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

/* Of a square image. */
static char *
three_convolutions (guint size)
{
  static const char head[] =
      "nnir 1\ngraph \"g\" {level = onnx, ir_version = 8, producer = \"\", producer_version = "
      "\"\", "
      "doc = \"\", main = \"g\"}\nopset \"\" 17\norigin 0 \"graph\" 0 Conv \"a\"\n"
      "origin 1 \"graph\" 1 Conv \"b\"\norigin 2 \"graph\" 2 Conv \"c\"\n";

  return g_strdup_printf (
      "%smain (%%x : f32[1,1,%u,%u]) {\n  const %%u : f32[2,1,1,1] = [1, 2]\n"
      "  const %%v : f32[1,2,2,2] = [1, 2, 3, 4, 5, 6, 7, 8]\n  const %%w : f32[1,1,3,3] = "
      "[1, 2, 3, 4, 5, 6, 7, 8, 9]\n"
      "  %%a = Conv(%%x, %%u) {kernel_shape = [1, 1]} : f32[1,2,%u,%u] @ \"a\" from [0]\n"
      "  %%b = Conv(%%a, %%v) {kernel_shape = [2, 2]} : f32[1,1,%u,%u] @ \"b\" from [1]\n"
      "  %%c = Conv(%%b, %%w) {kernel_shape = [3, 3]} : f32[1,1,%u,%u] @ \"c\" from [2]\n"
      "  return %%c\n}\n",
      head, size, size, size, size, size - 1, size - 1, size - 3, size - 3);
}

/* How each node fills the engine is a figure of its own: one row has them all, with their reach. */
static void
check_figures (guint size, const char *const *titles)
{
  SessionFixture fixture = { 0 };
  g_autofree char *text = three_convolutions (size);
  g_autofree char *path = NULL;
  GListModel *items;
  guint n = 0;

  session_fixture_init (&fixture, "dpu_zdx8g_b512");
  path = session_fixture_path (&fixture, "model.nnir");
  g_assert_true (g_file_set_contents (path, text, -1, NULL));
  session_fixture_open (&fixture, path);
  session_fixture_wait_idle (&fixture);
  items = assay_session_get_finding_items (fixture.session);
  for (guint i = 0; i < g_list_model_get_n_items (items); i++)
    {
      g_autoptr (AssayFindingItem) item = g_list_model_get_item (items, i);

      g_test_message ("%s: %s", assay_finding_item_get_title (item),
                      assay_finding_item_get_subtitle (item));
      if (!g_strv_contains (titles, assay_finding_item_get_title (item)))
        continue;
      g_assert_cmpstr (assay_finding_item_get_subtitle (item), ==, "Conv, 3 nodes");
      n++;
    }
  g_assert_cmpuint (n, ==, g_strv_length ((char **) titles));
  session_fixture_clear (&fixture);
}

static void
test_figures (void)
{
  static const char *const small[] = {
    "Multiply-adds: 9 to 72, cycles at peak: 1",
    "Input channels fill 12 to 25 % of 8 lanes, output channels 12 to 25 % of their 8",
    "Bytes of feature maps: 9 to 32 in, 1 to 32 out, banks have 128 KiB",
    "Bytes of weights per output group: 2 to 9, banks have 128 KiB",
    NULL,
  };
  /* Digits in groups are one number. */
  static const char *const large[] = {
    "Multiply-adds: 39\u202f200 to 168\u202f921, cycles at peak: 154 to 660",
    "Bytes of feature maps: 19\u202f321 to 39\u202f200 in, 18\u202f769 to 39\u202f200 out, banks "
    "have 128 KiB",
    NULL,
  };

  check_figures (4, small);
  check_figures (140, large);
}

TEST_PROGRAM (dpu_session)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/dpu/session/machine", test_machine);
  g_test_add_func ("/dpu/session/figures", test_figures);

  return g_test_run ();
}
