/* assay-command-qualify.c
 * SPDX-License-Identifier: Apache-2.0
 */
#include <string.h>

#include "base/assay-sentence.h"
#include "assay-command.h"
#include "assay-suite-options.h"
#include "base/assay-error.h"
#include "base/assay-file-read.h"
#include "base/assay-file-write.h"
#include "reduce/assay-suite-cut.h"
#include "report/assay-conformance-report.h"
#include "settings/assay-settings-options.h"
#include "work/assay-qualify.h"

#define MAX_LOG (1024u * 1024 * 1024)

typedef struct
{
  AssaySuiteOptions suite;
  char *log;
  char *shard;
  char *write_xfail;
  char *against;
  char *from_model;
  char **merge;
} QualifyOptions;

static void
qualify_options_clear (QualifyOptions *self)
{
  assay_suite_options_clear (&self->suite);
  g_free (self->log);
  g_free (self->shard);
  g_free (self->write_xfail);
  g_free (self->against);
  g_free (self->from_model);
  g_strfreev (self->merge);
}

G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (QualifyOptions, qualify_options_clear)

/* A log that is written line by line. */
typedef struct
{
  GOutputStream *stream;
  GError *error;
} LogWriter;

static void
write_line (LogWriter *self, const char *line)
{
  /* Whole, so that who reads it meanwhile sees no half of one. */
  if (self->stream != NULL && self->error == NULL)
    g_output_stream_write_all (self->stream, line, strlen (line), NULL, NULL, &self->error);
}

static void
write_result (const AssayConformanceResult *result, gpointer user_data)
{
  g_autofree char *line = assay_qualify_result_to_line (result);

  write_line (user_data, line);
}

static AssayQualifyLog *
read_log (const char *path, GError **error)
{
  g_autofree char *text = NULL;
  gsize length;

  if (!assay_file_read (path, MAX_LOG, &text, &length, error))
    return NULL;

  return assay_qualify_log_parse (text, length, path, error);
}

/* A log that was begun goes on where it ends: behind the last whole line. */
static gboolean
open_log (LogWriter *self, const char *path, const AssayQualifyHead *head, AssayQualifyLog **log,
          GError **error)
{
  g_autofree char *first = assay_qualify_head_to_line (head);
  g_autoptr (GFile) file = g_file_new_for_path (path);
  g_autofree char *text = NULL;
  gsize length = 0;

  if (g_file_test (path, G_FILE_TEST_EXISTS))
    {
      if (!assay_file_read (path, MAX_LOG, &text, &length, error))
        return FALSE;
      while (length > 0 && text[length - 1] != '\n')
        length--;
    }
  if (length > 0)
    {
      if (length < strlen (first) || memcmp (text, first, strlen (first)) != 0)
        {
          g_set_error (error, ASSAY_ERROR, ASSAY_ERROR_INVALID,
                       "%s: is a log of another run; remove it, or name another", path);
          return FALSE;
        }
      *log = assay_qualify_log_parse (text, length, path, error);
      if (*log == NULL)
        return FALSE;
    }

  /* Half a line at its end goes. */
  if (!assay_file_write (path, text != NULL ? text : "", length, error))
    return FALSE;
  self->stream = G_OUTPUT_STREAM (g_file_append_to (file, G_FILE_CREATE_NONE, NULL, error));
  if (self->stream == NULL)
    return FALSE;
  if (length == 0)
    write_line (self, first);

  return TRUE;
}

/* The cases of this part that no log knows yet. */
static GPtrArray *
pick_cases (const GPtrArray *part, const AssayQualifyLog *log)
{
  GPtrArray *names = g_ptr_array_new_with_free_func (g_free);
  g_autoptr (GHashTable) known = g_hash_table_new (g_str_hash, g_str_equal);

  for (guint i = 0; log != NULL && i < log->results->len; i++)
    g_hash_table_add (known, ((AssayConformanceResult *) log->results->pdata[i])->name);
  for (guint i = 0; i < part->len; i++)
    if (!g_hash_table_contains (known, part->pdata[i]))
      g_ptr_array_add (names, g_strdup (part->pdata[i]));

  return names;
}

/* Runs what is left, and gives everything, as if it had been run at once. */
static AssayConformance *
run_part (AssayCli *cli, const QualifyOptions *options, GError **error)
{
  const char *folder = cli->arguments[0];
  AssayQualifyHead head = {
    (char *) folder, options->suite.on, cli->target != NULL ? cli->target : (char *) "", { 0, 1 }, 0
  };
  g_auto (GStrv) environment = g_get_environ ();
  g_auto (GStrv) program = NULL;
  g_autofree char *expected = NULL;
  g_autoptr (GPtrArray) all = NULL;
  g_autoptr (GPtrArray) part = g_ptr_array_new ();
  g_autoptr (GPtrArray) names = NULL;
  g_autoptr (GPtrArray) logs = g_ptr_array_new ();
  g_autoptr (AssayQualifyLog) log = NULL;
  g_autoptr (AssayConformance) conformance = NULL;
  LogWriter writer = { NULL };
  AssayConformancePlan plan;
  gboolean is_open;

  if (!assay_shard_parse (options->shard, environment, &head.shard, error) ||
      !assay_suite_options_plan (&options->suite, cli, &plan, &program, &expected, error))
    return NULL;
  all = assay_conformance_find (folder, options->suite.filter, error);
  if (all == NULL)
    return NULL;
  for (guint i = 0; i < all->len; i++)
    if (assay_shard_has (&head.shard, all->pdata[i]))
      g_ptr_array_add (part, all->pdata[i]);
  head.n_cases = part->len;

  is_open = options->log == NULL || open_log (&writer, options->log, &head, &log, error);
  if (is_open)
    {
      names = pick_cases (part, log);
      plan.names = names;
      plan.done = write_result;
      plan.user_data = &writer;
      conformance = assay_conformance_run (folder, &plan, &cli->progress, error);
    }
  g_clear_object (&writer.stream);
  if (writer.error != NULL)
    {
      g_clear_pointer (&conformance, assay_conformance_free);
      g_clear_error (error);
      g_propagate_error (error, writer.error);
    }
  for (guint i = 0; conformance != NULL && log != NULL && i < log->results->len; i++)
    assay_conformance_take (conformance, g_steal_pointer (&log->results->pdata[i]));
  if (log != NULL)
    g_ptr_array_set_size (log->results, 0);

  return g_steal_pointer (&conformance);
}

static AssayConformance *
merge (const QualifyOptions *options, char **suite, char **on, GError **error)
{
  g_autoptr (GPtrArray)
      logs = g_ptr_array_new_with_free_func ((GDestroyNotify) assay_qualify_log_free);

  for (guint i = 0; options->merge[i] != NULL; i++)
    {
      AssayQualifyLog *log = read_log (options->merge[i], error);

      if (log == NULL)
        return NULL;
      g_ptr_array_add (logs, log);
    }
  *suite = g_strdup (((AssayQualifyLog *) logs->pdata[0])->head.suite);
  *on = g_strdup (((AssayQualifyLog *) logs->pdata[0])->head.on);

  return assay_qualify_merge (logs, error);
}

/* The suite is made of a model before it is run. */
static gboolean
cut_model (AssayCli *cli, const QualifyOptions *options, GError **error)
{
  g_autoptr (AssayWork) work = assay_work_new (options->from_model, NULL, cli->settings);
  AssaySuiteCut cut;

  if (!assay_suite_cut (work, 1, cli->arguments[0], &cut, &cli->progress, error))
    return FALSE;
  assay_cli_say (stderr,
                 "%s: cases of %u operator%s of %s, %u left out: they take or give something else "
                 "than known tensors of numbers\n",
                 cli->arguments[0], cut.n_cases, assay_plural (cut.n_cases), options->from_model,
                 cut.n_left);
  /* Each case is a model of its own. */
  assay_settings_drop_parts (&cli->settings);

  return TRUE;
}

static AssayExit
report (AssayCli *cli, const QualifyOptions *options, const AssayConformance *conformance,
        const char *suite, const char *on)
{
  g_autoptr (GError) error = NULL;
  g_autofree char *list = assay_qualify_expected (conformance);
  g_autofree char *text = NULL;
  g_autofree char *trend = NULL;
  gsize length;

  if (options->against != NULL)
    {
      g_autoptr (AssayQualifyLog) before = read_log (options->against, &error);

      if (before == NULL)
        return assay_cli_fail (cli, error, NULL);
      trend = assay_qualify_trend_to_text (conformance, before->results, options->against,
                                           assay_cli_has_colours (cli));
    }
  if (options->write_xfail != NULL &&
      !assay_cli_add_file (cli, options->write_xfail, list, strlen (list), &error))
    return assay_cli_fail (cli, error, NULL);

  if (cli->json)
    text = assay_conformance_report_to_json (conformance, suite, on, &length);
  else if (g_strcmp0 (cli->form, "junit") == 0)
    text = assay_conformance_report_to_junit (conformance, suite, on, &length);
  else if (g_strcmp0 (cli->form, "csv") == 0)
    text = assay_conformance_report_to_csv (conformance, &length);
  else
    text = assay_qualify_report_to_text (conformance, suite, on, options->suite.all,
                                         assay_cli_has_colours (cli), &length);
  if (trend != NULL)
    {
      char *whole = g_strconcat (trend, text, NULL);

      g_free (text);
      text = whole;
      length = strlen (text);
    }

  return assay_cli_write (cli, text, length,
                          assay_conformance_n_bad (conformance) > 0 ? ASSAY_EXIT_FINDINGS
                                                                    : ASSAY_EXIT_CLEAN);
}

/**
 * assay_command_qualify:
 * @cli: the run
 * @argc: number of arguments
 * @argv: the arguments, the name of the command first
 *
 * Runs a suite, or a part of it, and compares what happens with what a target said before.
 *
 * Returns: the exit code; a failure, or a pass that was not expected, is a finding
 */
AssayExit
assay_command_qualify (AssayCli *cli, int argc, char **argv)
{
  static const char *const forms[] = { "text", "json", "junit", "csv", NULL };
  g_auto (QualifyOptions) options = { { NULL } };
  const GOptionEntry own[] = {
    { "log", 0, 0, G_OPTION_ARG_FILENAME, &options.log,
      "Write each result as a line of JSON; cases that it has already are not run again", "FILE" },
    { "shard", 0, 0, G_OPTION_ARG_STRING, &options.shard,
      "Run the Ith of N parts; from the environment of a scheduler if not given", "I/N" },
    { "merge", 0, 0, G_OPTION_ARG_FILENAME_ARRAY, &options.merge,
      "Report on the log of a part instead of running; once for each", "FILE" },
    { "write-xfail", 0, 0, G_OPTION_ARG_FILENAME, &options.write_xfail,
      "Write the failures of now as expected ones", "FILE" },
    { "against", 0, 0, G_OPTION_ARG_FILENAME, &options.against,
      "Tell what fares otherwise than in the log of an earlier run", "LOG" },
    { "from-model", 0, 0, G_OPTION_ARG_FILENAME, &options.from_model,
      "Make the suite first, of the operators of a model and what goes through them", "MODEL" },
    G_OPTION_ENTRY_NULL
  };
  g_autofree GOptionEntry *entries = NULL;
  g_autoptr (GError) error = NULL;
  g_autoptr (AssayConformance) conformance = NULL;
  g_autofree char *suite = NULL;
  g_autofree char *on = NULL;
  AssayExit status;

  assay_suite_options_init (&options.suite);
  entries = assay_suite_options_entries (&options.suite, cli, own);
  cli->stages = ASSAY_PIPELINE_IMPORT | ASSAY_PIPELINE_CHECK | ASSAY_PIPELINE_BUILD;
  cli->forms = forms;
  if (!assay_cli_parse (
          cli, entries, "SUITE",
          "Runs the cases of a suite, each in a process of its own, and says what a target got "
          "right.",
          "Exit status: 0 if nothing fails that is expected to pass, and nothing passes that is\n"
          "expected to fail; 1 otherwise.",
          argc, argv, &status) ||
      !assay_suite_options_check (&options.suite, cli, &status))
    return status;
  /* Shapes are those of the model that is cut, not of its cases. */
  cli->stages = ASSAY_PIPELINE_CHECK | ASSAY_PIPELINE_BUILD;
  if (options.merge != NULL ? cli->arguments != NULL
                            : cli->arguments == NULL || cli->arguments[1] != NULL)
    return assay_cli_usage (cli, options.merge != NULL ? "--merge takes no suite"
                                                       : "expected one suite");

  if (options.from_model != NULL && options.merge != NULL)
    return assay_cli_usage (cli, "--from-model makes a suite, and --merge takes none");
  if (options.against != NULL && cli->form != NULL && !g_str_equal (cli->form, "text"))
    return assay_cli_usage (cli, "--against goes with --format text, not %s", cli->form);

  if (options.from_model != NULL && !cut_model (cli, &options, &error))
    return assay_cli_fail (cli, error, NULL);
  if (options.merge != NULL)
    conformance = merge (&options, &suite, &on, &error);
  else
    {
      suite = g_strdup (cli->arguments[0]);
      on = g_strdup (options.suite.on);
      conformance = run_part (cli, &options, &error);
    }
  if (conformance == NULL)
    return assay_cli_fail (cli, error, NULL);

  return report (cli, &options, conformance, suite, on);
}
