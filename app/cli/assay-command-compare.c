/* assay-command-compare.c
 * SPDX-License-Identifier: Apache-2.0
 */
#include "assay-command.h"
#include "assay-output-form.h"
#include "assay-run-options.h"
#include "report/assay-compare-report.h"
#include "run/assay-comparison-cost.h"
#include "run/assay-comparison.h"
#include "run/assay-gpu.h"
#include "work/assay-remedy.h"

/* What fits on a screen without scrolling. */
#define SHOWN_ROWS 24

typedef struct
{
  AssayRunOptions run;
  char *a;
  char *b;
  char *tolerance;
  gboolean outputs_only;
  gboolean all;
  int n_explained;
  int n_costs;
} CompareOptions;

static void
compare_options_clear (CompareOptions *self)
{
  assay_run_options_clear (&self->run);
  g_free (self->a);
  g_free (self->b);
  g_free (self->tolerance);
}

G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (CompareOptions, compare_options_clear)

static AssayExit
compare_subject (AssayCli *cli, const CompareOptions *options, AssayRunSubject *subject,
                 AssayTolerance *tolerance)
{
  const AssayComparisonSide a = { options->a, subject }, b = { options->b, subject };
  gboolean is_machine = g_str_equal (options->b, "vm") && !options->outputs_only;
  const AssayComparisonOptions wanted = { .tolerance = tolerance,
                                          .outputs_only = options->outputs_only,
                                          .runner.seconds = (guint) options->run.seconds,
                                          .runner.loop_turns = (guint) options->run.loop_turns };
  g_autoptr (AssayGpuLease) lease = assay_gpu_lease_new ();
  g_autoptr (GArray) ports = assay_run_subject_get_inputs (subject);
  g_autoptr (AssayComparison) comparison = NULL;
  g_autoptr (GPtrArray) inputs = NULL;
  g_autoptr (GError) error = NULL;
  g_autoptr (GArray) shares = NULL;
  g_autofree char *text = NULL;
  gsize length;

  inputs = assay_run_options_make_inputs (&options->run, ports, &cli->progress, &error);
  if (inputs != NULL)
    comparison = assay_compare_runs (&a, &b, inputs, &wanted, &cli->progress, &error);
  if (comparison == NULL ||
      !assay_explain_causes (comparison, options->run.work, &a, &b, inputs,
                             (guint) options->n_explained, &cli->progress, &error) ||
      (options->n_costs > 0 && !options->outputs_only &&
       !assay_comparison_measure_costs (comparison, &a, inputs, (guint) options->n_costs,
                                        &cli->progress, &error)))
    return assay_cli_fail (cli, error, NULL);

  if (options->n_explained > 0 && is_machine)
    {
      shares = assay_explain_error (comparison, options->run.work, options->a, inputs,
                                    (guint) options->n_explained, &cli->progress, &error);
      if (shares == NULL)
        return assay_cli_fail (cli, error, NULL);
    }

  text = cli->json ? assay_compare_report_to_json (comparison, cli->arguments[0], shares, &length)
                   : assay_compare_report_to_text (comparison, cli->arguments[0], shares,
                                                   options->all ? 0 : SHOWN_ROWS,
                                                   assay_cli_has_colours (cli), &length);

  /* Nothing that could be compared is not agreement. */
  return assay_cli_write (cli, text, length,
                          comparison->verdict >= ASSAY_COMPARISON_OUTSIDE || comparison->worst < 0
                              ? ASSAY_EXIT_FINDINGS
                              : ASSAY_EXIT_CLEAN);
}

/**
 * assay_command_compare:
 * @cli: the run
 * @argc: number of arguments
 * @argv: the arguments, the name of the command first
 *
 * Runs a model on two runners and tells where they part.
 *
 * Returns: the exit code
 */
AssayExit
assay_command_compare (AssayCli *cli, int argc, char **argv)
{
  g_auto (CompareOptions) options = { .n_costs = ASSAY_COMPARISON_N_GAINS };
  const GOptionEntry entries[] = {
    { "a", 'a', 0, G_OPTION_ARG_STRING, &options.a, "The reference; reference if not given",
      "RUNNER" },
    { "b", 'b', 0, G_OPTION_ARG_STRING, &options.b,
      "What is compared with it; the machine of the target if not given", "RUNNER" },
    { "tolerance", 0, 0, G_OPTION_ARG_FILENAME, &options.tolerance,
      "Limits per kind of op, in place of those that ship", "FILE" },
    { "outputs-only", 0, 0, G_OPTION_ARG_NONE, &options.outputs_only,
      "Compare outputs, and nothing between", NULL },
    { "all", 0, 0, G_OPTION_ARG_NONE, &options.all, "Print every tensor", NULL },
    { "explain", 0, 0, G_OPTION_ARG_INT, &options.n_explained,
      "Of the N nodes with the largest own error: try what causes it, and on the machine compile "
      "with each in fp32, and tell what that gains",
      "N" },
    { "costs", 0, 0, G_OPTION_ARG_INT, &options.n_costs,
      "Of a quantised model: measure against float what 8 bits cost each operation, and what the N "
      "that cost most would gain (5); 0 measures nothing",
      "N" },
    ASSAY_RUN_OPTION_ENTRIES (options.run),
    G_OPTION_ENTRY_NULL
  };
  g_autoptr (AssayRunSubject) subject = NULL;
  g_autoptr (AssayTolerance) tolerance = NULL;
  g_autoptr (GError) error = NULL;
  const AssayRunnerKind *kinds[2] = { NULL };
  gboolean is_default;
  AssayExit status;

  cli->stages = ASSAY_PIPELINE_IMPORT | ASSAY_PIPELINE_BUILD | ASSAY_PIPELINE_NAME;
  cli->forms = assay_output_forms_report;
  if (!assay_cli_parse (
          cli, entries, "MODEL",
          "Runs a model on two runners on the same inputs, and tells where they part: every tensor "
          "with\n"
          "the error that its node makes, apart from the error that came in.",
          "Inputs that are not given are random. Exit status: 0 within tolerance, 1 outside of "
          "it.\n"
          "`assay run --help` lists the runners; docs/comparison.md says what the numbers mean.",
          argc, argv, &status) ||
      !assay_run_options_check (&options.run, cli, &status))
    return status;

  if (options.a == NULL)
    options.a = g_strdup ("reference");
  is_default = options.b == NULL;
  if (is_default)
    options.b = g_strdup ("vm");
  if (options.run.random == NULL)
    options.run.random = g_strdup ("0");

  kinds[0] = assay_runner_kind_find (options.a, &error);
  if (kinds[0] != NULL)
    kinds[1] = assay_runner_kind_find (options.b, &error);
  if (error != NULL)
    return assay_cli_usage (cli, "%s", error->message);

  if (options.n_explained < 0)
    return assay_cli_usage (cli, "--explain is a number of nodes");
  if (options.n_costs < 0)
    return assay_cli_usage (cli, "--costs is a number of operations");

  tolerance = options.tolerance != NULL ? assay_tolerance_load (options.tolerance, &error)
                                        : assay_tolerance_new_default ();
  if (tolerance == NULL)
    return assay_cli_fail (cli, error, NULL);

  subject = assay_run_options_open (
      &options.run, cli, kinds[0]->needs_program || kinds[1]->needs_program, TRUE, &status);
  if (subject == NULL)
    return status;
  if (is_default)
    {
      g_free (options.b);
      options.b = g_strdup (assay_program_get_machine (subject->program));
    }

  return compare_subject (cli, &options, subject, tolerance);
}
