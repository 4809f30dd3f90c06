/* test-qualify.c
 * SPDX-License-Identifier: Apache-2.0
 *
 * Parts of a suite, their logs, and what they give together.
 */
#include <glib.h>
#include <string.h>

#include "base/assay-error.h"
#include "report/assay-conformance-report.h"
#include "work/assay-qualify.h"

#include "test-program.h"

/* What schedulers say, and which part that is. */
static const struct
{
  const char *text;
  const char *environment[5];
  guint index;
  guint n;
  const char *wrong;
} parts[] = {
  { NULL, { NULL }, 0, 1, NULL },
  { "2/4", { "TEST_SHARD_INDEX=0", "TEST_TOTAL_SHARDS=9" }, 1, 4, NULL },
  { "0/4", { NULL }, 0, 0, "expected I/N" },
  { "5/4", { NULL }, 0, 0, "expected I/N" },
  { "1", { NULL }, 0, 0, "expected I/N" },
  { "1/2/3", { NULL }, 0, 0, "expected I/N" },
  { "one/4", { NULL }, 0, 0, "expected I/N" },
  { "1/four", { NULL }, 0, 0, "expected I/N" },
  { "1/99999", { NULL }, 0, 0, "expected I/N" },
  { NULL, { "TEST_SHARD_INDEX=one", "TEST_TOTAL_SHARDS=9" }, 0, 0, "--shard I/N" },
  { NULL, { "TEST_SHARD_INDEX=1", "TEST_TOTAL_SHARDS=nine" }, 0, 0, "--shard I/N" },
  { NULL, { "TEST_SHARD_INDEX=9", "TEST_TOTAL_SHARDS=9" }, 0, 0, "--shard I/N" },
  { NULL,
    { "SLURM_ARRAY_TASK_ID=1", "SLURM_ARRAY_TASK_MIN=ten", "SLURM_ARRAY_TASK_COUNT=3" },
    0,
    0,
    "--shard I/N" },
  { NULL,
    { "SLURM_ARRAY_TASK_ID=12", "SLURM_ARRAY_TASK_MIN=10", "SLURM_ARRAY_TASK_COUNT=3" },
    2,
    3,
    NULL },
  /* --array=10-30:10 */
  { NULL,
    { "SLURM_ARRAY_TASK_ID=30", "SLURM_ARRAY_TASK_MIN=10", "SLURM_ARRAY_TASK_COUNT=3",
      "SLURM_ARRAY_TASK_STEP=10" },
    2,
    3,
    NULL },
  { NULL,
    { "SLURM_ARRAY_TASK_ID=25", "SLURM_ARRAY_TASK_MIN=10", "SLURM_ARRAY_TASK_COUNT=3",
      "SLURM_ARRAY_TASK_STEP=10" },
    0,
    0,
    "--shard I/N" },
  { NULL, { "SLURM_ARRAY_TASK_ID=2", "SLURM_ARRAY_TASK_COUNT=2" }, 0, 0, "--shard I/N" },
  { NULL, { "SLURM_ARRAY_TASK_ID=2" }, 0, 1, NULL },
  { NULL, { "JOB_COMPLETION_INDEX=1" }, 0, 0, "JOB_COMPLETIONS is not set" },
  { NULL, { "JOB_COMPLETION_INDEX=1", "JOB_COMPLETIONS=2" }, 1, 2, NULL },
  { NULL, { "TEST_SHARD_INDEX=0", "TEST_TOTAL_SHARDS=9" }, 0, 9, NULL },
  { NULL, { "CI_NODE_INDEX=1", "CI_NODE_TOTAL=2" }, 0, 2, NULL },
  { NULL, { "CI_NODE_INDEX=0", "CI_NODE_TOTAL=2" }, 0, 0, "--shard I/N" },
};

static void
test_parts (void)
{
  for (guint i = 0; i < G_N_ELEMENTS (parts); i++)
    {
      g_autoptr (GError) error = NULL;
      AssayShard shard;
      gboolean done = assay_shard_parse (parts[i].text, (char **) parts[i].environment, &shard,
                                         &error);

      if (parts[i].wrong != NULL)
        {
          g_assert_false (done);
          g_assert_nonnull (strstr (error->message, parts[i].wrong));
          continue;
        }
      g_assert_no_error (error);
      g_assert_cmpuint (shard.index, ==, parts[i].index);
      g_assert_cmpuint (shard.n, ==, parts[i].n);
    }
}

/* Every case is in one part, and in the same one whatever others there are. */
static void
test_every_case_once (void)
{
  guint counts[7] = { 0 };

  for (guint i = 0; i < 1000; i++)
    {
      g_autofree char *name = g_strdup_printf ("case-%u", i);
      guint n = 0;

      for (guint k = 0; k < G_N_ELEMENTS (counts); k++)
        if (assay_shard_has (&(AssayShard){ k, G_N_ELEMENTS (counts) }, name))
          {
            counts[k]++;
            n++;
          }
      g_assert_cmpuint (n, ==, 1);
    }
  for (guint k = 0; k < G_N_ELEMENTS (counts); k++)
    g_assert_cmpuint (counts[k], >, 100);
}

static AssayConformanceResult *
make_result (guint i)
{
  g_autofree char *name = g_strdup_printf ("case-%u", i);
  AssayConformanceResult *result = assay_conformance_result_new (name);

  result->status = (AssayConformanceStatus) (i % ASSAY_N_CONFORMANCE_STATUSES);
  result->predicted = g_strdup (i % 2 == 0 ? "takes" : "refuses");
  result->operators = g_strdup (i % 3 == 0 ? "Add Relu" : "Relu");
  result->message = i % 5 == 0 ? g_strdup ("two\nlines and a \"quote\"") : NULL;

  return result;
}

/* The log of a part, of which the first @n_done cases are done. */
static AssayQualifyLog *
make_log (AssayShard shard, guint n_done, const char *on, GError **error)
{
  AssayQualifyHead head = { (char *) "suite", (char *) on, (char *) "", shard, 0 };
  g_autoptr (GString) lines = g_string_new (NULL);
  g_autoptr (GString) text = NULL;
  g_autofree char *first = NULL;

  for (guint i = 0; i < 50; i++)
    {
      g_autoptr (AssayConformanceResult) result = make_result (i);
      g_autofree char *line = assay_qualify_result_to_line (result);

      if (!assay_shard_has (&shard, result->name))
        continue;
      if (head.n_cases++ < n_done)
        g_string_append (lines, line);
    }
  first = assay_qualify_head_to_line (&head);
  text = g_string_new (first);
  g_string_append (text, lines->str);
  /* Whoever wrote it was stopped within a line. */
  g_string_append (text, "{\"name\": \"case-");

  return assay_qualify_log_parse (text->str, text->len, "log", error);
}

static char *
describe (guint n_parts, guint stopped, const char *other, GError **error)
{
  g_autoptr (GPtrArray)
      logs = g_ptr_array_new_with_free_func ((GDestroyNotify) assay_qualify_log_free);
  g_autoptr (AssayConformance) merged = NULL;
  gsize length;

  for (guint k = n_parts; k-- > 0;)
    {
      AssayQualifyLog *log = make_log ((AssayShard){ k, n_parts }, k == stopped ? 3 : G_MAXUINT,
                                       k == 0 && other != NULL ? other : "reference", error);

      g_assert_no_error (*error);
      g_ptr_array_add (logs, log);
    }
  merged = assay_qualify_merge (logs, error);

  return merged != NULL
             ? assay_qualify_report_to_text (merged, "suite", "reference", TRUE, FALSE, &length)
             : NULL;
}

/* Logs of two runs are told apart by each member of their heads. */
static void
test_other_runs (void)
{
  static const AssayQualifyHead heads[] = {
    { (char *) "suite", (char *) "vm", (char *) "t", { 0, 2 }, 0 },
    { (char *) "other", (char *) "vm", (char *) "t", { 1, 2 }, 0 },
    { (char *) "suite", (char *) "ort", (char *) "t", { 1, 2 }, 0 },
    { (char *) "suite", (char *) "vm", (char *) "u", { 1, 2 }, 0 },
    { (char *) "suite", (char *) "vm", (char *) "t", { 1, 3 }, 0 },
  };

  for (guint i = 0; i < G_N_ELEMENTS (heads); i++)
    {
      g_autoptr (GPtrArray)
          logs = g_ptr_array_new_with_free_func ((GDestroyNotify) assay_qualify_log_free);
      g_autoptr (AssayConformance) merged = NULL;
      g_autoptr (GError) error = NULL;

      for (guint k = 0; k < 2; k++)
        {
          AssayQualifyHead head = heads[k == 0 ? 0 : i];
          g_autofree char *line = NULL;

          if (i == 0)
            head.shard.index = k;
          line = assay_qualify_head_to_line (&head);
          g_ptr_array_add (logs, assay_qualify_log_parse (line, strlen (line), "log", &error));
          g_assert_no_error (error);
        }
      merged = assay_qualify_merge (logs, &error);
      g_assert_cmpint (merged != NULL, ==, i == 0);
      if (i > 0)
        g_assert_nonnull (strstr (error->message, "not of one run"));
    }
}

/* Parts together are the whole, to the byte. */
static void
test_merge (void)
{
  g_autoptr (GError) error = NULL;
  g_autofree char *whole = describe (1, G_MAXUINT, NULL, &error);
  g_autofree char *merged = describe (4, G_MAXUINT, NULL, &error);

  g_assert_no_error (error);
  g_assert_cmpstr (whole, ==, merged);
  g_assert_nonnull (strstr (whole, "Verdicts that a run contradicts"));
  g_assert_nonnull (strstr (whole, "50 cases"));

  g_assert_null (describe (4, 2, NULL, &error));
  g_assert_error (error, ASSAY_ERROR, ASSAY_ERROR_INVALID);
  g_assert_nonnull (strstr (error->message, "--shard 3/4"));
  g_clear_error (&error);
  g_assert_null (describe (4, G_MAXUINT, "vm", &error));
  g_assert_nonnull (strstr (error->message, "not of one run"));
}

/* What fails is expected from then on. */
static void
test_expected (void)
{
  g_autoptr (AssayConformance) conformance = g_new0 (AssayConformance, 1);
  g_autofree char *list = NULL;

  conformance->results = g_ptr_array_new_with_free_func (
      (GDestroyNotify) assay_conformance_result_free);
  for (guint i = 0; i < ASSAY_N_CONFORMANCE_STATUSES; i++)
    assay_conformance_take (conformance, make_result (i));
  list = assay_qualify_expected (conformance);
  g_assert_cmpstr (list, ==,
                   "# Failures that are known: a case, and why.\n"
                   "case-1 import: \n"
                   "case-2 import: \n"
                   "case-6 import: \n"
                   "case-7 import: \n");
}

TEST_PROGRAM (qualify)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/qualify/parts", test_parts);
  g_test_add_func ("/qualify/every-case-once", test_every_case_once);
  g_test_add_func ("/qualify/merge", test_merge);
  g_test_add_func ("/qualify/other-runs", test_other_runs);
  g_test_add_func ("/qualify/expected", test_expected);

  return g_test_run ();
}
