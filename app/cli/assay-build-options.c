/* assay-build-options.c
 * SPDX-License-Identifier: Apache-2.0
 */
#include "assay-build-options.h"

#include <stdio.h>
#include <string.h>

#include "base/assay-error.h"
#include "backend/assay-choices.h"
#include "backend/assay-backend.h"
#include "backend/assay-config.h"
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
  g_clear_pointer (&self->keep_fp32, g_strfreev);
  g_clear_pointer (&self->pins, g_strfreev);
  g_clear_pointer (&self->depths, g_strfreev);
}

/* What the target does not take is told as `assay check` tells it. */
static AssayExit
report_refusal (AssayCli *cli, const AssayCheckReport *report)
{
  g_autofree char *text = NULL;
  gsize length;

  if (cli->json)
    text = assay_build_report_refusal_to_json (report, cli->command, &length);
  else
    text = assay_check_report_to_text (
        report, assay_cli_has_colours (cli) ? ASSAY_REPORT_COLOURS : ASSAY_REPORT_PLAIN, &length);

  g_clear_pointer (&cli->output, g_free);
  return assay_cli_write (cli, text, length, ASSAY_EXIT_FINDINGS);
}

static void
report_allocation (AssayCli *cli, const AssayAllocation *allocation, const GError *error)
{
  g_autoptr (GString) text = g_string_new (NULL);
  gboolean json = cli->json;

  /* The sentence first, as every error has it; the document holds more than that of other errors.
   */
  cli->json = FALSE;
  assay_cli_fail (cli, error, NULL);
  cli->json = json;
  assay_allocation_report_append (text, allocation, FALSE);
  fputs (text->str, stderr);

  if (json)
    {
      gsize length;
      g_autofree char *document = assay_allocation_report_to_json (allocation, error->message,
                                                                   cli->command, &length);

      fwrite (document, 1, length, stdout);
    }
}

typedef struct
{
  const AssayBuildOptions *options;
  AssayCli *cli;
  AssayTarget *target;
  GArray *axes;   /* int: of the inputs of all models, in order */
  guint n_axes;   /* how many of them are taken */
  guint n_shapes; /* the same of the shapes */
  GPtrArray *graphs;
  GPtrArray *names; /* lists of options that live as long as the build */
  AssayFindings *findings;
  gboolean observable;
} Build;

static guint
count_inputs (const AssayGraph *graph)
{
  const AssayRegion *main = assay_graph_region (graph, ASSAY_MAIN_REGION);
  guint n = 0;

  for (guint i = 0; i < main->inputs->len; i++)
    n += !assay_graph_value (graph, g_array_index (main->inputs, AssayValueId, i))->is_parameter;

  return n;
}

/* Shapes are given for the inputs of all models in order; how many are a model's own is known when
 * it is open. */
static gboolean
import_model (Build *self, const char *path, AssayGraph **graph, AssayExit *status)
{
  AssayModelOptions own = self->options->model;
  guint n_shapes = own.override_shapes == NULL ? 0 : g_strv_length (own.override_shapes);
  g_autoptr (AssayGraph) plain = NULL;
  g_autoptr (AssayFindings) ignored = assay_findings_new ();
  g_autofree char **shapes = NULL;
  guint n;

  if (g_strv_length (self->cli->arguments) == 1 || n_shapes == 0)
    return assay_model_options_import (&own, self->cli, path, graph, self->findings, status);

  own.override_shapes = NULL;
  if (!assay_model_options_import (&own, self->cli, path, &plain, ignored, status))
    return FALSE;
  n = MIN (count_inputs (plain), n_shapes - self->n_shapes);
  shapes = g_new0 (char *, n + 1);
  for (guint i = 0; i < n; i++)
    shapes[i] = self->options->model.override_shapes[self->n_shapes++];
  /* Models behind the last shape keep theirs. */
  own.override_shapes = n > 0 ? shapes : NULL;

  return assay_model_options_import (&own, self->cli, path, graph, self->findings, status);
}

/* The axes of the inputs of one model; none at all where no input streams. */
static void
take_axes (Build *self, const AssayGraph *graph, const int **axes, guint *n_axes)
{
  gboolean several = g_strv_length (self->cli->arguments) > 1;
  guint n = several ? MIN (count_inputs (graph), self->axes->len - self->n_axes) : self->axes->len;
  const int *first = (const int *) (gpointer) self->axes->data + self->n_axes;
  gboolean streams = !several && n > 0;

  for (guint i = 0; i < n; i++)
    streams = streams || first[i] >= 0;
  self->n_axes += n;
  *axes = streams ? first : NULL;
  *n_axes = streams ? n : 0;
}

static gboolean
is_known (Build *self, const char *name)
{
  for (guint i = 0; i < self->graphs->len; i++)
    {
      if (assay_choices_knows (g_ptr_array_index (self->graphs, i), name))
        return TRUE;
    }

  return FALSE;
}

/* With several models, a name is for those that have it; what none has is left for the compiler to
 * refuse. */
static const char *const *
names_for (Build *self, const AssayGraph *graph, char **given)
{
  g_autoptr (GPtrArray) names = g_ptr_array_new ();

  if (g_strv_length (self->cli->arguments) == 1 || given == NULL)
    return (const char *const *) given;

  for (guint i = 0; given[i] != NULL; i++)
    {
      const char *equals = given == self->options->pins ? strrchr (given[i], '=') : NULL;
      g_autofree char *name = equals != NULL ? g_strndup (given[i], (gsize) (equals - given[i]))
                                             : g_strdup (given[i]);

      if (assay_choices_knows (graph, name) || !is_known (self, name))
        g_ptr_array_add (names, given[i]);
    }
  g_ptr_array_add (names, NULL);
  g_ptr_array_add (self->names, g_ptr_array_steal (names, NULL));

  return g_ptr_array_index (self->names, self->names->len - 1);
}

/* Opens a model and asks the target what it thinks of every node. */
static gboolean
open_model (Build *self, guint model, AssayCompileOptions *options, AssayExit *status)
{
  const char *path = self->cli->arguments[model];
  const AssayBuildOptions *given = self->options;
  g_autoptr (AssayVerdicts) verdicts = NULL;
  g_autoptr (AssayCheckReport) report = NULL;
  g_autoptr (GError) error = NULL;
  AssayGraph *graph = NULL;
  AssayCheckOptions check = {
    .data_dims = (const char *const *) given->data_dims,
    .allow_dynamic_weights = given->allow_dynamic_weights,
  };

  if (!import_model (self, path, &graph, status))
    return FALSE;
  g_ptr_array_add (self->graphs, graph);
  take_axes (self, graph, &check.streaming_axes, &check.n_streaming_axes);

  verdicts = assay_target_check (self->target, graph, &check, &self->cli->progress, &error);
  if (verdicts == NULL)
    {
      *status = assay_cli_fail (self->cli, error, self->findings);
      return FALSE;
    }
  report = assay_check_report_new (path, self->target, verdicts, self->findings);
  if (!assay_check_report_is_clean (report))
    {
      *status = report_refusal (self->cli, report);
      return FALSE;
    }

  options->streaming_axes = check.streaming_axes;
  options->n_streaming_axes = check.n_streaming_axes;

  return TRUE;
}

/* What is wanted of a model, once all are open. */
static void
choose_options (Build *self, guint model, AssayCompileOptions *options)
{
  const AssayBuildOptions *given = self->options;
  const AssayGraph *graph = g_ptr_array_index (self->graphs, model);
  gboolean named = given->model_names != NULL && g_strv_length (given->model_names) > model;

  options->model_name = named ? given->model_names[model] : NULL;
  options->data_dims = (const char *const *) given->data_dims;
  options->allow_dynamic_weights = given->allow_dynamic_weights;
  options->keep_fp32 = names_for (self, graph, given->keep_fp32);
  options->pins = names_for (self, graph, given->pins);
  options->fp8_weights = given->fp8_weights;
  options->state_reset = given->state_reset;
  options->findings = self->findings;
}

static AssayProgram *
build_models (Build *self, AssayConfig *config, AssayExit *status)
{
  guint n = g_strv_length (self->cli->arguments);
  g_autofree AssayCompileModel *models = g_new0 (AssayCompileModel, n);
  g_autofree AssayCompileOptions *own = g_new0 (AssayCompileOptions, n);
  g_autoptr (AssayAllocation) allocation = NULL;
  g_autoptr (GError) error = NULL;
  const AssayCompileOptions options = {
    .disable_optimizations = self->options->disable_optimizations,
    .target_id = assay_target_get_id (self->target),
    .allocation = &allocation,
    .observable = self->observable,
  };
  AssayProgram *program;

  for (guint i = 0; i < n; i++)
    {
      if (!open_model (self, i, &own[i], status))
        return NULL;
    }
  for (guint i = 0; i < n; i++)
    {
      choose_options (self, i, &own[i]);
      models[i] = (AssayCompileModel){ g_ptr_array_index (self->graphs, i), &own[i] };
    }

  if (n > 1 && (self->n_axes < self->axes->len ||
                (self->options->model.override_shapes != NULL &&
                 self->options->model.override_shapes[self->n_shapes] != NULL)))
    {
      *status = assay_cli_usage (
          self->cli, "more streaming axes or shapes are given than the models have inputs");
      return NULL;
    }

  program = assay_build_models (self->target, models, n,
                                config != NULL ? assay_config_get_values (config) : NULL, &options,
                                &self->cli->progress, &error);
  if (program == NULL)
    {
      if (n == 1)
        g_prefix_error (&error, "%s: ", self->cli->arguments[0]);
      if (allocation != NULL)
        report_allocation (self->cli, allocation, error);
      else
        *status = assay_cli_fail (self->cli, error, self->findings);
      /* A model that does not fit is what was to be found out, and so is a name that it does not
       * have. */
      if (allocation != NULL || g_error_matches (error, ASSAY_ERROR, ASSAY_ERROR_UNSUPPORTED) ||
          assay_findings_count_at (self->findings, ASSAY_SEVERITY_ERROR) > 0)
        *status = ASSAY_EXIT_FINDINGS;
    }

  return program;
}

/* Other depths than those of the target, as a what-if. */
static gboolean
set_depths (const AssayBuildOptions *self, AssayCli *cli, AssayConfig *config, AssayExit *status)
{
  for (guint i = 0; self->depths != NULL && self->depths[i] != NULL; i++)
    {
      g_auto (GStrv) parts = g_strsplit (self->depths[i], "=", 2);
      g_autoptr (GError) error = NULL;
      gint64 blocks;

      if (parts[0] == NULL || parts[1] == NULL || !g_str_has_suffix (parts[0], "_depth") ||
          !g_ascii_string_to_signed (parts[1], 10, 0, G_MAXINT32, &blocks, NULL))
        {
          *status = assay_cli_usage (
              cli,
              "--depth %s: expected a depth of the target and blocks, such as "
              "tensor_ram_depth=4000",
              self->depths[i]);
          return FALSE;
        }
      if (!assay_config_set_member (config, parts[0], blocks, &error))
        {
          *status = assay_cli_usage (cli, "--depth %s: %s", self->depths[i], error->message);
          return FALSE;
        }
    }

  return TRUE;
}

/**
 * assay_build_options_run:
 * @self: what the user asked for
 * @cli: the run, whose arguments are the models
 * @observable: whether values can be observed while the program runs, of one model
 * @status: (out): exit code if there is no program
 *
 * Compiles the models of the command line, and reports why if that does not work.
 *
 * Returns: (transfer full) (nullable): the program
 */
AssayProgram *
assay_build_options_run (const AssayBuildOptions *self, AssayCli *cli, gboolean observable,
                         AssayExit *status)
{
  guint n_models = cli->arguments != NULL ? g_strv_length (cli->arguments) : 0;
  g_autoptr (GArray) axes = g_array_new (FALSE, FALSE, sizeof (int));
  g_autoptr (GPtrArray)
      graphs = g_ptr_array_new_with_free_func ((GDestroyNotify) assay_graph_unref);
  g_autoptr (GPtrArray) names = g_ptr_array_new_with_free_func (g_free);
  g_autoptr (AssayFindings) findings = assay_findings_new ();
  g_autoptr (AssayTarget) target = NULL;
  g_autoptr (AssayConfig) config = NULL;
  g_autoptr (GError) error = NULL;
  Build build = { .options = self,
                  .cli = cli,
                  .axes = axes,
                  .graphs = graphs,
                  .names = names,
                  .findings = findings,
                  .observable = observable };

  if (n_models == 0)
    *status = assay_cli_usage (cli, "expected at least one model");
  else if (self->target == NULL)
    *status = assay_cli_usage (cli, "no --target given; `assay targets` lists them");
  else if (self->model_names != NULL && g_strv_length (self->model_names) > n_models)
    *status = assay_cli_usage (cli, "--model-name is given %u times for %u models",
                               g_strv_length (self->model_names), n_models);
  else if (assay_model_options_parse_axes (cli, self->streaming_axes, axes, status))
    {
      build.target = target = assay_target_load (self->target, &error);
      if (target == NULL)
        {
          *status = assay_model_options_fail_target (cli, self->target, error);
          return NULL;
        }
      if (assay_backend_require (target, ASSAY_CAPABILITY_MAKES_PROGRAMS, &error) &&
          (self->depths != NULL || assay_backend_has (target, ASSAY_CAPABILITY_HAS_CONFIG)))
        config = assay_config_new_for_target (target, &error);
      if (error != NULL)
        *status = assay_cli_fail (cli, error, NULL);
      else if (set_depths (self, cli, config, status))
        return build_models (&build, config, status);
    }

  return NULL;
}
