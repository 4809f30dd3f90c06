/* test-conformance.c
 * SPDX-License-Identifier: Apache-2.0
 *
 * Cases that crash, hang or talk nonsense are failed cases and nothing else.
 */
#include <glib/gstdio.h>
#include <string.h>
#include <unistd.h>

#include "base/assay-error.h"
#include "work/assay-conformance.h"
#include "work/assay-qualify.h"

#include "folder.h"
#include "test-program.h"

typedef struct
{
  const char *name;
  const char *script;
  const char *message; /* part of it; NULL: the case passes */
  AssayConformanceStatus status;
} Process;

/* $1 is the folder of the case. */
#define ONCE(ends)                                                                                 \
  "if [ -e $1/second ]; then printf 'PASS\\trun\\t\\t\\t\\t\\t\\t\\n'; else "                      \
  ": > $1/second; " ends "; fi"

static void
test_process (gconstpointer data)
{
  const Process *process = data;
  const char *const program[] = { "/bin/sh", "-c", process->script, NULL };
  const AssayConformancePlan plan = { .program = program, .timeout = 1, .n_jobs = 2 };
  g_autoptr (GError) error = NULL;
  g_autofree char *folder = g_dir_make_tmp ("assay-conformance-XXXXXX", &error);
  g_autofree char *inner = g_build_filename (folder, "case", NULL);
  g_autofree char *model = g_build_filename (inner, "model.onnx", NULL);
  g_autoptr (AssayConformance) conformance = NULL;
  const AssayConformanceResult *result;

  g_assert_no_error (error);
  g_assert_cmpint (g_mkdir (inner, 0700), ==, 0);
  g_assert_true (g_file_set_contents (model, "", 0, NULL));

  conformance = assay_conformance_run (folder, &plan, NULL, &error);
  folder_remove (inner);
  folder_remove (folder);
  g_assert_no_error (error);
  g_assert_cmpuint (conformance->results->len, ==, 1);

  result = g_ptr_array_index (conformance->results, 0);
  g_assert_cmpstr (result->name, ==, "case");
  if (process->message == NULL)
    {
      g_assert_cmpint (result->status, ==, ASSAY_CONFORMANCE_PASS);
      return;
    }
  g_assert_cmpint (result->status, ==, process->status);
  g_assert_cmpstr (result->stage, ==, "process");
  g_test_message ("%s", result->message);
  g_assert_nonnull (strstr (result->message, process->message));
}

static void
test_lines (void)
{
  g_autoptr (AssayConformanceResult) result = assay_conformance_result_new ("case");
  g_autoptr (AssayConformanceResult) read = NULL;
  g_autofree char *line = NULL;

  result->status = ASSAY_CONFORMANCE_SKIP;
  result->rule = g_strdup ("reduce.axis");
  result->message = g_strdup ("two\nlines\tand \"more\"");
  result->predicted = g_strdup ("takes");
  result->operators = g_strdup ("Add Relu");
  result->categories = g_strdup ("activation, elementwise");
  result->dtypes = g_strdup ("f32, i64");
  line = assay_conformance_result_to_line (result);
  g_assert_true (g_str_has_suffix (line, "\n"));
  g_strchomp (line);
  g_assert_null (strchr (line, '\n'));
  read = assay_conformance_result_from_line ("case", line);
  g_assert_cmpint (read->status, ==, ASSAY_CONFORMANCE_SKIP);
  g_assert_cmpstr (read->rule, ==, result->rule);
  g_assert_cmpstr (read->message, ==, result->message);
  g_assert_cmpstr (read->predicted, ==, "takes");
  g_assert_cmpstr (read->operators, ==, "Add Relu");
  g_assert_cmpstr (read->categories, ==, "activation, elementwise");
  g_assert_cmpstr (read->dtypes, ==, "f32, i64");
  g_assert_null (assay_conformance_result_from_line ("case", "MAYBE\tcompare\t\t\t\t\t\t"));
  g_assert_null (assay_conformance_result_from_line ("case", "PASS\tcompare\t\tcut off\\\t\t\t\t"));
  g_assert_null (assay_conformance_result_from_line ("case", "PASS"));
  g_assert_null (assay_conformance_result_from_line ("case", "PASS\tcompare\tcut\\\t\t\t\t\t"));
  g_assert_null (assay_conformance_result_from_line ("case", "PASS\tcompare\t\t\t\tcut\\\t\t"));
}

/* A copy says all that the result does, as a report writes it. */
static void
test_copy (void)
{
  g_autoptr (AssayConformanceResult) result = assay_conformance_result_new ("case");
  g_autoptr (AssayConformanceResult) copy = NULL;
  char **texts[] = { &result->rule,      &result->message,    &result->predicted,
                     &result->operators, &result->categories, &result->dtypes };
  g_autofree char *line = NULL;
  g_autofree char *copied = NULL;

  result->status = ASSAY_CONFORMANCE_TIMEOUT;
  result->seconds = 0.25;
  for (guint i = 0; i < G_N_ELEMENTS (texts); i++)
    *texts[i] = g_strdup_printf ("text %u", i);
  copy = assay_conformance_result_copy (result);
  line = assay_qualify_result_to_line (result);
  for (guint i = 0; i < G_N_ELEMENTS (texts); i++)
    (*texts[i])[0] = 'T';
  copied = assay_qualify_result_to_line (copy);
  g_assert_cmpstr (copied, ==, line);
  g_assert_nonnull (strstr (copied, "\"seconds\": 0.25"));
}

/* A result that says nothing beside its status is a line too. */
static void
test_plain_line (void)
{
  g_autoptr (AssayConformanceResult) result = assay_conformance_result_new ("case");
  g_autofree char *line = assay_conformance_result_to_line (result);
  g_autoptr (AssayConformanceResult) read = NULL;

  line[strlen (line) - 1] = '\0';
  read = assay_conformance_result_from_line ("case", line);
  g_assert_nonnull (read);
  g_assert_cmpint (read->status, ==, result->status);
  g_assert_null (read->rule);
  g_assert_null (read->message);
  g_assert_null (read->dtypes);
  assay_conformance_free (NULL);
}

static void
make_case (const char *root, const char *name)
{
  g_autofree char *folder = g_build_filename (root, name, NULL);
  g_autofree char *model = g_build_filename (folder, "model.onnx", NULL);

  g_assert_cmpint (g_mkdir_with_parents (folder, 0700), ==, 0);
  g_assert_true (g_file_set_contents (model, "", 0, NULL));
}

static void
count_results (const AssayConformanceResult *result, gpointer data)
{
  (*(guint *) data)++;
}

/* Cases at any depth but too deep, each once, however folders are linked; and what is expected of
 * them by pattern. */
static void
test_folders (void)
{
  static const char *const found[] = { "a", "b/c", "b/d/e" };
  static const struct
  {
    const char *expected;
    guint n_xfail;
    guint n_bad;
    const char *message; /* NULL if it is good */
  } lists[] = {
    { NULL, 0, 3, NULL },
    { "# nothing\n\n  \n", 0, 3, NULL },
    { "b/c whole names\ne last parts", 2, 1, NULL },
    { "nothing like it\n* any at all", 3, 0, NULL },
    { "a a reason\nb/c", 0, 0, "list: line 2: b/c has no reason behind it" },
  };
  const char *const program[] = { "/bin/sh", "-c", "printf 'FAIL\\trun\\t\\tno\\t\\t\\t\\t\\n'",
                                  NULL };
  const char *const none[] = { "/nonexistent/program", NULL };
  g_autofree char *root = g_dir_make_tmp ("assay-conformance-XXXXXX", NULL);
  g_autofree char *around = g_build_filename (root, "b", "around", NULL);
  g_autofree char *nowhere = g_build_filename (root, "nowhere", NULL);
  g_autoptr (GCancellable) cancellable = g_cancellable_new ();
  const AssayProgress progress = ASSAY_PROGRESS_INIT (NULL, NULL, cancellable);
  guint n_results = 0;
  AssayConformancePlan plan = { .program = program,
                                .expected_name = "list",
                                .timeout = 60,
                                .done = count_results,
                                .user_data = &n_results };
  g_autoptr (GString) many = g_string_new (NULL);
  g_autoptr (AssayConformance) without = NULL;
  g_autoptr (GPtrArray) names = NULL;
  g_autoptr (GError) error = NULL;

  for (guint i = 0; i < G_N_ELEMENTS (found); i++)
    make_case (root, found[i]);
  make_case (root, "1/2/3/4/5/6/7/8/9");
  g_assert_cmpint (symlink (root, around), ==, 0);
  g_assert_cmpint (symlink ("/nonexistent", nowhere), ==, 0);
  names = assay_conformance_find (root, NULL, &error);
  g_assert_no_error (error);
  g_assert_cmpuint (names->len, ==, G_N_ELEMENTS (found));
  for (guint i = 0; i < G_N_ELEMENTS (found); i++)
    g_assert_cmpstr (names->pdata[i], ==, found[i]);
  g_assert_null (assay_conformance_find ("/nonexistent", NULL, &error));
  g_assert_cmpstr (error->message, ==, "/nonexistent: no case: expected folders with a model.onnx");
  g_clear_error (&error);

  for (guint i = 0; i < G_N_ELEMENTS (lists); i++)
    {
      g_autoptr (AssayConformance) conformance = NULL;

      n_results = 0;
      plan.expected = lists[i].expected;
      conformance = assay_conformance_run (root, &plan, NULL, &error);
      if (lists[i].message != NULL)
        {
          g_assert_null (conformance);
          g_assert_cmpstr (error->message, ==, lists[i].message);
          g_clear_error (&error);
          continue;
        }
      g_assert_no_error (error);
      g_assert_cmpuint (n_results, ==, G_N_ELEMENTS (found));
      g_assert_cmpuint (conformance->counts[ASSAY_CONFORMANCE_XFAIL], ==, lists[i].n_xfail);
      g_assert_cmpuint (assay_conformance_n_bad (conformance), ==, lists[i].n_bad);
    }

  for (guint i = 0; i <= 100000; i++)
    g_string_append (many, "a b\n");
  plan.expected = many->str;
  g_assert_null (assay_conformance_run (root, &plan, NULL, &error));
  g_assert_cmpstr (error->message, ==, "list: line 100001: more than 100000 patterns are too many");
  g_clear_error (&error);

  plan.expected = NULL;
  plan.program = none;
  plan.names = names;
  without = assay_conformance_run (root, &plan, NULL, &error);
  g_assert_no_error (error);
  g_assert_nonnull (strstr (((AssayConformanceResult *) without->results->pdata[0])->message,
                            "could not be started"));
  g_cancellable_cancel (cancellable);
  g_assert_null (assay_conformance_run (root, &plan, &progress, &error));
  g_assert_error (error, ASSAY_ERROR, ASSAY_ERROR_CANCELLED);
  folder_remove (root);
}

/* Names of folders, patterns and lists are bytes; GLib ends the program where it is given such as
 * text. */
static void
test_bytes (void)
{
  static const struct
  {
    const char *filter;
    const char *expected;
    const char *message;
  } cases[] = {
    { "*\xff", NULL, "no case that matches" },
    { NULL, "*e\xff a reason", "list: line 1: is not UTF-8" },
    { "a*e", "*e a reason", NULL },
  };
  const char *const program[] = { "/bin/sh", "-c", "printf 'FAIL\\trun\\t\\tno\\n'", NULL };
  g_autoptr (GError) error = NULL;
  g_autofree char *folder = g_dir_make_tmp ("assay-conformance-XXXXXX", &error);
  g_autofree char *inner = g_build_filename (folder, "a\xffse\xc3\xff e", NULL);
  g_autofree char *model = g_build_filename (inner, "model.onnx", NULL);

  g_assert_no_error (error);
  g_assert_cmpint (g_mkdir (inner, 0700), ==, 0);
  g_assert_true (g_file_set_contents (model, "", 0, NULL));
  for (guint i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      const AssayConformancePlan plan = { .program = program,
                                          .filter = cases[i].filter,
                                          .expected = cases[i].expected,
                                          .expected_name = "list",
                                          .timeout = 60,
                                          .n_jobs = 1 };
      g_autoptr (AssayConformance)
          conformance = assay_conformance_run (folder, &plan, NULL, &error);

      if (cases[i].message != NULL)
        {
          g_assert_nonnull (strstr (error->message, cases[i].message));
          g_clear_error (&error);
          continue;
        }
      g_assert_no_error (error);
      g_assert_cmpuint (conformance->counts[ASSAY_CONFORMANCE_XFAIL], ==, 1);
    }
  g_unlink (model);
  g_rmdir (inner);
  g_rmdir (folder);
}

TEST_PROGRAM (conformance)
{
  static const Process processes[] = {
    { "passes", "printf 'PASS\\tcompare\\t\\t\\t\\t\\t\\t\\n'", NULL, ASSAY_CONFORMANCE_PASS },
    { "crashes", "kill -SEGV $$", "killed by signal 11", ASSAY_CONFORMANCE_CRASH },
    { "hangs", "sleep 100", "no answer in 1 s", ASSAY_CONFORMANCE_TIMEOUT },
    { "nonsense", "echo hello", "something else", ASSAY_CONFORMANCE_FAIL },
    { "nothing", "exit 3", "exit status 3", ASSAY_CONFORMANCE_FAIL },
    /* Ended by somebody else, it says nothing about the case, which is tried once more. */
    { "killed-once", ONCE ("kill -KILL $$"), NULL, ASSAY_CONFORMANCE_PASS },
    { "hung-up-once", ONCE ("kill -HUP $$"), NULL, ASSAY_CONFORMANCE_PASS },
    { "interrupted-once", ONCE ("exit 130"), NULL, ASSAY_CONFORMANCE_PASS },
    { "killed", "kill -KILL $$", "killed by signal 9", ASSAY_CONFORMANCE_CRASH },
    { "interrupted", "exit 130", "exit status 130", ASSAY_CONFORMANCE_FAIL },
  };

  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/conformance/lines", test_lines);
  g_test_add_func ("/conformance/copy", test_copy);
  g_test_add_func ("/conformance/bytes", test_bytes);
  g_test_add_func ("/conformance/plain-line", test_plain_line);
  g_test_add_func ("/conformance/folders", test_folders);
  for (guint i = 0; i < G_N_ELEMENTS (processes); i++)
    {
      g_autofree char *path = g_strdup_printf ("/conformance/process/%s", processes[i].name);

      g_test_add_data_func (path, &processes[i], test_process);
    }

  return g_test_run ();
}
