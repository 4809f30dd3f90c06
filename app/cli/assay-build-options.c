/* assay-build-options.c
 * SPDX-License-Identifier: Apache-2.0
 */
#include "assay-build-options.h"

#include <stdio.h>

#include "base/assay-error.h"
#include "compile/assay-compile.h"
#include "report/assay-build-report.h"
#include "report/assay-check-report.h"

void
assay_build_options_clear (AssayBuildOptions *self)
{
  assay_model_options_clear (&self->model);
  g_clear_pointer (&self->target, g_free);
  g_clear_pointer (&self->model_names, g_strfreev);
  g_clear_pointer (&self->data_dims, g_strfreev);
  g_clear_pointer (&self->streaming_axes, g_strfreev);
}

/* What the target does not take is told as `assay check` tells it. */
static AssayExit
report_refusal (AssayCli               *cli,
                const AssayCheckReport *report)
{
  g_autofree char *text = NULL;
  gsize length;

  if (cli->json)
    text = assay_build_report_refusal_to_json (report, cli->command, &length);
  else
    text = assay_check_report_to_text (report, assay_cli_has_colours (cli) ? ASSAY_REPORT_COLOURS : ASSAY_REPORT_PLAIN,
                                       &length);

  g_clear_pointer (&cli->output, g_free);
  return assay_cli_write (cli, text, length, ASSAY_EXIT_FINDINGS);
}

static void
report_allocation (AssayCli              *cli,
                   const AssayAllocation *allocation,
                   const GError          *error)
{
  g_autoptr (GString) text = g_string_new (NULL);
  gboolean json = cli->json;

  /* The sentence first, as every error has it; the document holds more than that of other errors. */
  cli->json = FALSE;
  assay_cli_fail (cli, error, NULL);
  cli->json = json;
  assay_allocation_report_append (text, allocation, FALSE);
  fputs (text->str, stderr);

  if (json)
    {
      gsize length;
      g_autofree char *document = assay_allocation_report_to_json (allocation, error->message, cli->command, &length);

      fwrite (document, 1, length, stdout);
    }
}

static AssayCode *
build_model (const AssayBuildOptions *self,
             AssayCli                *cli,
             AssayTarget             *target,
             AssayConfig             *config,
             guint                    model,
             GArray                  *axes,
             AssayExit               *status)
{
  const char *path = cli->arguments[model];
  gboolean named = self->model_names != NULL && g_strv_length (self->model_names) > model;
  g_autoptr (AssayAllocation) allocation = NULL;
  AssayCheckOptions check = {
    .data_dims = (const char *const *) self->data_dims,
    .streaming_axes = axes->len > 0 ? (const int *) (gpointer) axes->data : NULL,
    .n_streaming_axes = axes->len,
  };
  AssayCompileOptions options = {
    .model_name = named ? self->model_names[model] : NULL,
    .streaming_axes = check.streaming_axes,
    .n_streaming_axes = check.n_streaming_axes,
    .data_dims = check.data_dims,
    .disable_optimizations = self->disable_optimizations,
    .target_id = assay_target_get_id (target),
    .allocation = &allocation,
  };
  g_autoptr (AssayFindings) findings = assay_findings_new ();
  g_autoptr (AssayGraph) graph = NULL;
  g_autoptr (AssayVerdicts) verdicts = NULL;
  g_autoptr (AssayCheckReport) report = NULL;
  g_autoptr (GError) error = NULL;
  AssayCode *code;

  if (!assay_model_options_import (&self->model, cli, path, &graph, findings, status))
    return NULL;

  verdicts = assay_target_check (target, graph, &check, &cli->progress, &error);
  if (verdicts == NULL)
    {
      *status = assay_cli_fail (cli, error, findings);
      return NULL;
    }
  report = assay_check_report_new (path, target, verdicts, findings);
  if (!assay_check_report_is_clean (report))
    {
      *status = report_refusal (cli, report);
      return NULL;
    }

  code = assay_compile (graph, assay_config_get_values (config), &options, &cli->progress, &error);
  if (code == NULL)
    {
      g_prefix_error (&error, "%s: ", path);
      if (allocation != NULL)
        report_allocation (cli, allocation, error);
      else
        *status = assay_cli_fail (cli, error, findings);
      /* A model that does not fit is what was to be found out. */
      if (allocation != NULL || g_error_matches (error, ASSAY_ERROR, ASSAY_ERROR_UNSUPPORTED))
        *status = ASSAY_EXIT_FINDINGS;
    }

  return code;
}

/**
 * assay_build_options_run:
 * @self: what the user asked for
 * @cli: the run, whose arguments are the models
 * @status: (out): exit code if there is no program
 *
 * Compiles the models of the command line, and reports why if that does not work.
 *
 * Returns: (transfer full) (nullable): the program
 */
AssayCode *
assay_build_options_run (const AssayBuildOptions *self,
                         AssayCli                *cli,
                         AssayExit               *status)
{
  guint n_models = cli->arguments != NULL ? g_strv_length (cli->arguments) : 0;
  g_autoptr (GArray) axes = g_array_new (FALSE, FALSE, sizeof (int));
  g_autoptr (AssayTarget) target = NULL;
  g_autoptr (AssayConfig) config = NULL;
  g_autoptr (GError) error = NULL;

  if (n_models != 1)
    *status = assay_cli_usage (cli, "expected one model, got %u", n_models);
  else if (self->target == NULL)
    *status = assay_cli_usage (cli, "no --target given; `assay targets` lists them");
  else if (self->model_names != NULL && g_strv_length (self->model_names) > n_models)
    *status = assay_cli_usage (cli, "--model-name is given %u times for %u models", g_strv_length (self->model_names),
                               n_models);
  else if (assay_model_options_parse_axes (cli, self->streaming_axes, axes, status))
    {
      target = assay_target_load (self->target, &error);
      if (target == NULL)
        {
          *status = assay_model_options_fail_target (cli, self->target, error);
          return NULL;
        }
      config = assay_config_new_for_target (target, &error);
      if (config != NULL)
        return build_model (self, cli, target, config, 0, axes, status);
      *status = assay_cli_fail (cli, error, NULL);
    }

  return NULL;
}
