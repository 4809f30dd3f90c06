/* test-conformance.c
 * SPDX-License-Identifier: Apache-2.0
 *
 * Cases that crash, hang or talk nonsense are failed cases and nothing else.
 */
#include <glib/gstdio.h>
#include <string.h>

#include "work/assay-conformance.h"

typedef struct
{
  const char *name;
  const char *script;
  const char *message; /* part of it; NULL: the case passes */
  AssayConformanceStatus status;
} Process;

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
  g_unlink (model);
  g_rmdir (inner);
  g_rmdir (folder);
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

int
main (int argc, char **argv)
{
  static const Process processes[] = {
    { "passes", "printf 'PASS\\tcompare\\t\\t\\t\\t\\t\\t\\n'", NULL, ASSAY_CONFORMANCE_PASS },
    { "crashes", "kill -SEGV $$", "killed by signal 11", ASSAY_CONFORMANCE_CRASH },
    { "hangs", "sleep 100", "no answer in 1 s", ASSAY_CONFORMANCE_TIMEOUT },
    { "nonsense", "echo hello", "something else", ASSAY_CONFORMANCE_FAIL },
    { "nothing", "exit 3", "exit status 3", ASSAY_CONFORMANCE_FAIL },
  };

  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/conformance/lines", test_lines);
  g_test_add_func ("/conformance/bytes", test_bytes);
  for (guint i = 0; i < G_N_ELEMENTS (processes); i++)
    {
      g_autofree char *path = g_strdup_printf ("/conformance/process/%s", processes[i].name);

      g_test_add_data_func (path, &processes[i], test_process);
    }

  return g_test_run ();
}
