/* test-outcome.c
 * SPDX-License-Identifier: Apache-2.0
 *
 * What lists of models and targets say of them, and the counts that they share with the reports.
 */
#include "backend/assay-allocation.h"
#include "report/assay-check-report.h"
#include "session-fixture.h"
#include "test-program.h"
#include "session/analysis/assay-outcome.h"

#define TARGET "ia_420f_c6b32"

/* A tick only where nothing is open: neither a node, nor whether the program has room. */
static void
test_worst (void)
{
  static const struct
  {
    AssayOutcome outcome;
    AssayVerdictKind verdict;
    const char *text;
  } rows[] = {
    { { -1, 0, 0, ASSAY_FIT_UNKNOWN }, ASSAY_N_VERDICTS, "" },
    { { 3, 1, 2, ASSAY_FIT_UNKNOWN }, ASSAY_VERDICT_REJECTED, "3 rejected" },
    { { 0, 0, 0, ASSAY_FIT_NO }, ASSAY_VERDICT_REJECTED, "does not fit" },
    { { 0, 4, 2, ASSAY_FIT_NONE }, ASSAY_VERDICT_UNDECIDED, "2 undecided" },
    { { 0, 4, 0, ASSAY_FIT_NONE }, ASSAY_VERDICT_HOST, "4 on the host" },
    { { 0, 0, 0, ASSAY_FIT_UNKNOWN }, ASSAY_N_VERDICTS, "not compiled" },
    { { 0, 0, 0, ASSAY_FIT_NONE }, ASSAY_VERDICT_SUPPORTED, "all supported" },
    { { 0, 0, 0, ASSAY_FIT_YES }, ASSAY_VERDICT_SUPPORTED, "fits" },
  };

  for (guint i = 0; i < G_N_ELEMENTS (rows); i++)
    {
      g_autofree char *text = assay_outcome_describe (&rows[i].outcome);
      g_autofree char *whole = assay_outcome_to_string (&rows[i].outcome);
      AssayOutcome again;

      g_assert_cmpstr (text, ==, rows[i].text);
      g_assert_cmpint (assay_outcome_get_verdict (&rows[i].outcome), ==, rows[i].verdict);
      g_assert_cmpint (assay_outcome_parse (&again, whole), ==, rows[i].outcome.rejected >= 0);
      if (rows[i].outcome.rejected >= 0)
        g_assert_cmpmem (&again, sizeof again, &rows[i].outcome, sizeof rows[i].outcome);
    }
}

/* What earlier versions wrote has the first part alone; what somebody else wrote is nothing. */
static void
test_parse (void)
{
  static const char *const wrong[] = { "", "rejected", "-3 rejected", "a file of mine",
                                       "x, y, z, w" };
  AssayOutcome outcome;

  g_assert_true (assay_outcome_parse (&outcome, "12 rejected"));
  g_assert_cmpint (outcome.rejected, ==, 12);
  g_assert_cmpint (outcome.fit, ==, ASSAY_FIT_UNKNOWN);
  for (guint i = 0; i < G_N_ELEMENTS (wrong); i++)
    {
      g_assert_false (assay_outcome_parse (&outcome, wrong[i]));
      g_assert_cmpint (outcome.rejected, ==, -1);
    }
}

/* One function counts; the rows of a report, each with its verdict, add up to the same. */
static void
test_counts (void)
{
  g_auto (GStrv) ids = assay_target_list ();
  SessionFixture fixture = { 0 };
  g_autofree char *path = NULL;

  session_fixture_init (&fixture, TARGET);
  path = session_fixture_write (&fixture, "model.onnx", "Identity");
  session_fixture_open (&fixture, path);
  for (guint i = 0; ids[i] != NULL; i++)
    {
      guint rows[ASSAY_N_VERDICTS] = { 0 };
      g_autoptr (AssayCheckReport) report = NULL;
      AssayVerdicts *verdicts;

      assay_session_set_target_id (fixture.session, ids[i]);
      session_fixture_wait_idle (&fixture);
      verdicts = assay_session_get_verdicts (fixture.session);
      report = assay_check_report_new ("model", assay_session_get_target (fixture.session),
                                       verdicts, NULL);
      for (guint r = 0; r < report->rows->len; r++)
        rows[g_array_index (report->rows, AssayCheckRow, r).kind]++;
      for (guint kind = 0; kind < ASSAY_N_VERDICTS; kind++)
        {
          g_assert_cmpuint (rows[kind], ==, assay_verdicts_count (verdicts, kind));
          g_assert_cmpuint (rows[kind], ==, report->counts[kind]);
        }
    }
  session_fixture_clear (&fixture);
}

/* One block is one block. */
static void
test_singular (void)
{
  static const struct
  {
    guint32 needed;
    const char *has;
  } rows[] = { { 1, " needs 1 block at " }, { 2, " needs 2 blocks at " } };

  for (guint i = 0; i < G_N_ELEMENTS (rows); i++)
    {
      AssayAllocation *allocation = assay_allocation_new ("tensor RAM", 0, 4);
      g_autoptr (GError) error = NULL;

      allocation->tensor = g_strdup ("x");
      allocation->needed = rows[i].needed;
      assay_allocation_set_error (allocation, &error);
      g_assert_nonnull (strstr (error->message, rows[i].has));
      assay_allocation_free (allocation);
    }
}

/* What is counted is too few, what is filled too small. */
static void
test_stores (void)
{
  static const struct
  {
    const char *store;
    const char *begin;
  } rows[] = {
    { "tensor descriptors",
      "tensor descriptors of core 1 are too few: the program needs 9 entries" },
    { "clamp store", "clamp store of core 1 is too small: the program needs 9 entries" },
    { "weight store", "weight store of core 1 is too small: the program needs 9 blocks" },
  };

  for (guint i = 0; i < G_N_ELEMENTS (rows); i++)
    {
      AssayAllocation *allocation = assay_allocation_new (rows[i].store, 1, 4);
      g_autoptr (GError) error = NULL;

      allocation->needed = 9;
      assay_allocation_set_error (allocation, &error);
      g_assert_true (g_str_has_prefix (error->message, rows[i].begin));
      assay_allocation_free (allocation);
    }
}

TEST_PROGRAM (outcome)
{
  g_test_init (&argc, &argv, NULL);

  g_test_add_func ("/outcome/worst", test_worst);
  g_test_add_func ("/outcome/parse", test_parse);
  g_test_add_func ("/outcome/counts", test_counts);
  g_test_add_func ("/outcome/singular", test_singular);
  g_test_add_func ("/outcome/stores", test_stores);

  return g_test_run ();
}
