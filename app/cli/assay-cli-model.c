/* assay-cli-model.c
 * SPDX-License-Identifier: Apache-2.0
 *
 * The models and the target that a command line names, and the program that is made of them.
 */
#include "assay-cli-model.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include <glib/gstdio.h>

#include "base/assay-error.h"
#include "base/assay-nearest.h"
#include "backend/assay-backend.h"
#include "backend/assay-choices.h"
#include "backend/assay-config.h"
#include "base/assay-sentence.h"
#include "process/assay-temporary.h"
#include "reduce/assay-split.h"
#include "report/assay-build-report.h"
#include "report/assay-check-report.h"
#include "settings/assay-settings-options.h"
#include "source/torch/assay-torch-export.h"

/* A path that cannot be a model is bad input, while a file that is there and cannot be read is not.
 */
static gboolean
check_path (const char *path, GError **error)
{
  struct stat info;

  if (stat (path, &info) < 0)
    g_set_error (error, ASSAY_ERROR, ASSAY_ERROR_INVALID, "%s: %s", path, g_strerror (errno));
  else if (S_ISDIR (info.st_mode))
    g_set_error (error, ASSAY_ERROR, ASSAY_ERROR_INVALID, "%s: is a folder, expected a model",
                 path);
  else if (!S_ISREG (info.st_mode))
    g_set_error (error, ASSAY_ERROR, ASSAY_ERROR_INVALID,
                 "%s: is not a regular file, expected a model", path);
  else if (info.st_size == 0)
    g_set_error (error, ASSAY_ERROR, ASSAY_ERROR_INVALID, "%s: is empty, expected a model", path);
  else
    return TRUE;

  return FALSE;
}

/* What only PyTorch opens, and the user has said may run, is written as text of the torch dialect
 * first. */
static char *
dup_model_path (AssayCli *self, const char *path, GError **error)
{
  const char *source = path + strlen (ASSAY_TORCH_PREFIX);
  g_autofree char *name = NULL;
  g_autofree char *folder = NULL;

  if (!g_str_has_prefix (path, ASSAY_TORCH_PREFIX))
    {
      if (!assay_torch_is_python_file (path) || !g_file_test (path, G_FILE_TEST_IS_REGULAR))
        return g_strdup (path);
      g_set_error (
          error, ASSAY_ERROR, ASSAY_ERROR_IMPORT,
          "%s: only PyTorch opens this, and runs the code in it; if it may, say " ASSAY_TORCH_PREFIX
          "%s",
          path, path);
      return NULL;
    }
  if (self->folder == NULL)
    self->folder = assay_temporary_folder ("python", error);
  if (self->folder == NULL)
    return NULL;
  name = g_strdup_printf ("%u", self->n_made++);
  folder = g_build_filename (self->folder, name, NULL);
  if (g_mkdir (folder, 0700) != 0)
    {
      g_set_error (error, ASSAY_ERROR, ASSAY_ERROR_IO, "%s: cannot be made", folder);
      return NULL;
    }

  return assay_torch_export (source, assay_settings_get_list (self->settings, ASSAY_SETTING_SHAPES),
                             folder, (guint) self->seconds, &self->progress, error);
}

static AssayWork *
open_model (AssayCli *self, const char *path, AssayTarget *target, AssaySettings *settings,
            AssayExit *status)
{
  g_autoptr (GError) error = NULL;
  g_autofree char *file = dup_model_path (self, path, &error);
  g_autoptr (AssayWork) work = NULL;

  if (file == NULL)
    {
      *status = assay_cli_fail (self, error, NULL);
      return NULL;
    }
  work = assay_work_new (file, target, settings);
  if (check_path (file, &error) && assay_work_get_graph (work, &self->progress, &error) != NULL)
    return g_steal_pointer (&work);

  *status = assay_cli_fail (self, error, assay_work_get_findings (work));
  return NULL;
}

/**
 * assay_cli_open:
 * @self: the run, whose only argument is a model
 * @target: (nullable): the target
 * @status: (out): exit code if there is no model
 *
 * Opens the model that the command line names.
 *
 * Returns: (transfer full) (nullable): the model, imported
 */
AssayWork *
assay_cli_open (AssayCli *self, AssayTarget *target, AssayExit *status)
{
  if (self->arguments != NULL && self->arguments[1] == NULL)
    return open_model (self, self->arguments[0], target, self->settings, status);

  *status = assay_cli_usage (self, "expected one model, got %u",
                             self->arguments != NULL ? g_strv_length (self->arguments) : 0);
  return NULL;
}

/* Says what was probably meant. */
static AssayExit
fail_target (AssayCli *self, GError *error)
{
  g_auto (GStrv) ids = assay_target_list ();
  g_autofree char *hint = assay_nearest_hint (self->target, (const char *const *) ids);

  if (hint[0] != 0)
    {
      g_autofree char *message = g_strconcat (error->message, hint, NULL);

      g_free (error->message);
      error->message = g_steal_pointer (&message);
    }

  return assay_cli_fail (self, error, NULL);
}

/**
 * assay_cli_load_target:
 * @self: the run
 * @status: (out): exit code if there is no target
 *
 * Loads the target that the command line names, and refuses settings that it can do nothing with.
 *
 * Returns: (transfer full) (nullable): the target
 */
AssayTarget *
assay_cli_load_target (AssayCli *self, AssayExit *status)
{
  g_autoptr (AssayTarget) target = NULL;
  g_autoptr (GError) error = NULL;
  const AssaySettingInfo *misplaced;

  if (self->target == NULL)
    {
      *status = assay_cli_usage (self, "no --target given; `assay targets` lists them");
      return NULL;
    }
  target = assay_target_load (self->target, &error);
  if (target == NULL)
    {
      *status = fail_target (self, error);
      return NULL;
    }
  misplaced = assay_settings_find_misplaced (self->settings,
                                             assay_backend_for_target (target)->capabilities);
  if (misplaced != NULL)
    {
      g_autofree char *families = assay_backend_list_families (misplaced->needs);

      *status = assay_cli_usage (self, "--%s is for %s targets, which %s is not: %s",
                                 misplaced->option, families, assay_target_get_id (target),
                                 assay_backend_get_lack (misplaced->needs));
      return NULL;
    }

  return g_steal_pointer (&target);
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

/* The sentence first, as every error has it, and what lies there, before ways out are sought: that
 * takes as long as several builds. */
static void
tell_refused (const AssayAllocation *allocation, const GError *error, gpointer data)
{
  AssayCli *cli = data;
  g_autoptr (GString) text = g_string_new (NULL);
  g_autoptr (GError) told = g_error_copy (error);
  gboolean json = cli->json;

  if (cli->arguments[1] == NULL)
    g_prefix_error (&told, "%s: ", cli->arguments[0]);
  cli->json = FALSE;
  assay_cli_fail (cli, told, NULL);
  cli->json = json;
  assay_allocation_report_append_live (text, allocation, FALSE);
  fputs (text->str, stderr);
}

/* The document holds more than that of other errors. */
static void
report_allocation (AssayCli *cli, const AssayAllocation *allocation, const GError *error)
{
  g_autoptr (GString) text = g_string_new (NULL);

  assay_allocation_report_append_ways_out (text, allocation, FALSE);
  fputs (text->str, stderr);

  if (cli->json)
    {
      gsize length;
      g_autofree char *document = assay_allocation_report_to_json (allocation, error->message,
                                                                   cli->command, &length);

      fwrite (document, 1, length, stdout);
    }
}

typedef struct
{
  AssayCli *cli;
  AssayTarget *target;
  guint
      n_shapes; /* how many of the shapes are taken: they are of the inputs of all models, in order
                 */
  guint n_axes; /* the same of the axes */
  GPtrArray *works;
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

static guint
count_values (const AssaySettings *settings, AssaySetting setting)
{
  const char *const *values = assay_settings_get_list (settings, setting);

  return values != NULL ? g_strv_length ((char **) values) : 0;
}

/* Of a setting that has a value per input of all models: those of the next @n inputs. Models behind
 * the last value keep what they have. */
static void
take_values (Build *self, AssaySettings **own, AssaySetting setting, guint n, guint *n_taken)
{
  const char *const *values = assay_settings_get_list (self->cli->settings, setting);
  g_autofree const char **taken = NULL;

  n = MIN (n, count_values (self->cli->settings, setting) - *n_taken);
  taken = g_new0 (const char *, n + 1);
  for (guint i = 0; i < n; i++)
    taken[i] = values[(*n_taken)++];
  assay_settings_set_list (own, setting, taken);
}

/* The axes of the inputs of one model of several; none at all where no input streams. */
static void
take_axes (Build *self, const AssayGraph *graph, AssaySettings **own)
{
  gboolean streams = FALSE;
  const int *axes;
  guint n_axes;

  take_values (self, own, ASSAY_SETTING_AXES, count_inputs (graph), &self->n_axes);
  axes = assay_settings_get_axes (*own, &n_axes);
  for (guint i = 0; i < n_axes; i++)
    streams |= axes[i] >= 0;
  if (!streams)
    assay_settings_set_list (own, ASSAY_SETTING_AXES, NULL);
}

static gboolean
is_known (Build *self, const char *name)
{
  for (guint i = 0; i < self->works->len; i++)
    {
      if (assay_choices_knows (
              assay_work_get_graph (g_ptr_array_index (self->works, i), NULL, NULL), name))
        return TRUE;
    }

  return FALSE;
}

/* With several models, a name is for those that have it; what none has is left for the compiler to
 * refuse. */
static void
pick_names (Build *self, const AssayGraph *graph, AssaySettings **own, AssaySetting setting)
{
  const char *const *given = assay_settings_get_list (self->cli->settings, setting);
  g_autoptr (GPtrArray) names = g_ptr_array_new ();

  for (guint i = 0; given != NULL && given[i] != NULL; i++)
    {
      const char *equals = setting == ASSAY_SETTING_PIN ? strrchr (given[i], '=') : NULL;
      g_autofree char *name = equals != NULL ? g_strndup (given[i], (gsize) (equals - given[i]))
                                             : g_strdup (given[i]);

      if (assay_choices_knows (graph, name) || !is_known (self, name))
        g_ptr_array_add (names, (gpointer) given[i]);
    }
  g_ptr_array_add (names, NULL);
  assay_settings_set_list (own, setting, (const char *const *) names->pdata);
}

/* How many inputs are a model's own, and thus which shapes and axes, is known when it is open. */
static AssayWork *
open_one (Build *self, const char *path, AssayExit *status)
{
  g_autoptr (AssaySettings) own = assay_settings_ref (self->cli->settings);
  g_autoptr (AssayWork) work = NULL;
  g_autoptr (AssayWork) plain = NULL;

  if (self->cli->arguments[1] == NULL)
    return open_model (self->cli, path, self->target, own, status);

  if (assay_settings_get_list (own, ASSAY_SETTING_SHAPES) != NULL)
    {
      assay_settings_set_list (&own, ASSAY_SETTING_SHAPES, NULL);
      plain = open_model (self->cli, path, self->target, own, status);
      if (plain == NULL)
        return NULL;
      take_values (self, &own, ASSAY_SETTING_SHAPES,
                   count_inputs (assay_work_get_graph (plain, NULL, NULL)), &self->n_shapes);
    }
  work = open_model (self->cli, path, self->target, own, status);
  if (work == NULL)
    return NULL;
  take_axes (self, assay_work_get_graph (work, NULL, NULL), &own);

  return assay_work_with_settings (work, own);
}

/* Whether a finding is about a node of a nested graph, which may never be taken and may not fit the
 * sizes that are bound. */
static gboolean
is_nested (const AssayGraph *graph, const AssayFinding *finding)
{
  for (AssayNodeId id = 1; id < assay_graph_n_nodes (graph) && finding->node != NULL; id++)
    if (g_strcmp0 (assay_graph_node (graph, id)->name, finding->node) == 0)
      return assay_graph_node (graph, id)->region != ASSAY_MAIN_REGION;

  return FALSE;
}

/* Whether the host runs what the target rejects; what nobody knows stays a reason to make nothing.
 * Of a node with graphs of its own the host runs those, too. */
static gboolean
leaves_rest (Build *self, AssayWork *work)
{
  AssayVerdicts *verdicts = assay_work_get_verdicts (work, NULL, NULL);
  AssayFindings *findings = assay_work_get_findings (work);
  const AssayGraph *imported = assay_work_get_graph (work, NULL, NULL);

  if (!assay_backend_builds_checked (self->target))
    return FALSE;
  for (AssayNodeId id = 1; id < assay_graph_n_nodes (verdicts->graph); id++)
    if (assay_verdicts_get (verdicts, id)->kind == ASSAY_VERDICT_UNDECIDED &&
        assay_graph_node (verdicts->graph, id)->region == ASSAY_MAIN_REGION)
      return FALSE;
  for (guint i = 0; i < assay_findings_get_count (findings); i++)
    if (assay_findings_get (findings, i)->severity == ASSAY_SEVERITY_ERROR &&
        !is_nested (imported, assay_findings_get (findings, i)))
      return FALSE;

  return TRUE;
}

/* Opens a model and asks the target what it thinks of every node. */
static gboolean
check_model (Build *self, const char *path, AssayExit *status)
{
  AssayWork *work = open_one (self, path, status);
  g_autoptr (AssayCheckReport) report = NULL;
  g_autoptr (GError) error = NULL;

  if (work == NULL)
    return FALSE;
  g_ptr_array_add (self->works, work);
  if (assay_work_get_verdicts (work, &self->cli->progress, &error) == NULL)
    {
      *status = assay_cli_fail (self->cli, error, assay_work_get_findings (work));
      return FALSE;
    }
  report = assay_check_report_new (path, self->target, assay_work_get_verdicts (work, NULL, NULL),
                                   assay_work_get_findings (work));
  if (assay_check_report_is_clean (report) || leaves_rest (self, work))
    return TRUE;
  *status = report_refusal (self->cli, report);

  return FALSE;
}

/* What is wanted of a model, once all are open. */
static void
choose_names (Build *self, guint model)
{
  const char *const *names = assay_settings_get_list (self->cli->settings,
                                                      ASSAY_SETTING_MODEL_NAME);
  AssayWork **work = (AssayWork **) &g_ptr_array_index (self->works, model);
  g_autoptr (AssaySettings) own = assay_settings_ref (assay_work_get_settings (*work));
  g_autoptr (AssayWork) before = NULL;

  if (self->works->len > 1)
    {
      pick_names (self, assay_work_get_graph (*work, NULL, NULL), &own, ASSAY_SETTING_KEEP_FP32);
      pick_names (self, assay_work_get_graph (*work, NULL, NULL), &own, ASSAY_SETTING_PIN);
      before = *work;
      *work = assay_work_with_settings (before, own);
    }
  if (model < count_values (self->cli->settings, ASSAY_SETTING_MODEL_NAME))
    assay_work_set_name (*work, names[model]);
}

/* A model that does not fit is what was to be found out, and so is a name that it does not have. */
static void
fail_build (Build *self, AssayConfig *config, GError **error, AssayExit *status)
{
  AssayFindings *findings = assay_work_get_findings (g_ptr_array_index (self->works, 0));
  g_autoptr (AssayAllocation)
      allocation = assay_work_take_allocation (g_ptr_array_index (self->works, 0));

  for (guint i = 1; i < self->works->len && assay_findings_get_count (findings) == 0; i++)
    findings = assay_work_get_findings (g_ptr_array_index (self->works, i));
  if (self->works->len == 1)
    g_prefix_error (error, "%s: ", self->cli->arguments[0]);
  if (allocation != NULL && self->works->len == 1)
    assay_work_find_split (g_ptr_array_index (self->works, 0), config, self->cli->settings,
                           allocation, NULL, NULL, &self->cli->progress);
  if (allocation != NULL)
    report_allocation (self->cli, allocation, *error);
  else
    *status = assay_cli_fail (self->cli, *error, findings);
  if (g_error_matches (*error, ASSAY_ERROR, ASSAY_ERROR_ALLOCATION) ||
      g_error_matches (*error, ASSAY_ERROR, ASSAY_ERROR_UNSUPPORTED) ||
      assay_findings_count_at (findings, ASSAY_SEVERITY_ERROR) > 0)
    *status = ASSAY_EXIT_FINDINGS;
}

/**
 * assay_cli_build:
 * @self: the run, whose arguments are the models
 * @status: (out): exit code if there is no program
 *
 * Compiles the models of the command line, and reports why if that does not work.
 *
 * Returns: (transfer full) (nullable) (element-type AssayWork): the models; the first has the
 * program
 */
GPtrArray *
assay_cli_build (AssayCli *self, AssayExit *status)
{
  guint n_models = self->arguments != NULL ? g_strv_length (self->arguments) : 0;
  guint n_names = count_values (self->settings, ASSAY_SETTING_MODEL_NAME);
  g_autoptr (GPtrArray) works = g_ptr_array_new_with_free_func ((GDestroyNotify) assay_work_free);
  g_autoptr (AssayTarget) target = NULL;
  g_autoptr (AssayConfig) config = NULL;
  g_autoptr (GError) error = NULL;
  Build build = { .cli = self, .works = works };

  if (n_models == 0)
    {
      *status = assay_cli_usage (self, "expected at least one model");
      return NULL;
    }
  if (n_names > n_models)
    {
      *status = assay_cli_usage (self, "--model-name is given %u time%s for %u model%s", n_names,
                                 assay_plural (n_names), n_models, assay_plural (n_models));
      return NULL;
    }
  build.target = target = assay_cli_load_target (self, status);
  if (target == NULL)
    return NULL;
  if (assay_backend_require (target, ASSAY_CAPABILITY_MAKES_PROGRAMS, &error) &&
      assay_backend_has (target, ASSAY_CAPABILITY_HAS_CONFIG))
    config = assay_config_new_for_settings (target, self->settings, &error);
  if (error != NULL)
    {
      *status = assay_cli_fail (self, error, NULL);
      return NULL;
    }

  for (guint i = 0; i < n_models; i++)
    if (!check_model (&build, self->arguments[i], status))
      return NULL;
  for (guint i = 0; i < n_models; i++)
    choose_names (&build, i);
  if (n_models > 1 && (build.n_axes < count_values (self->settings, ASSAY_SETTING_AXES) ||
                       build.n_shapes < count_values (self->settings, ASSAY_SETTING_SHAPES)))
    {
      *status = assay_cli_usage (
          self, "more streaming axes or shapes are given than the models have inputs");
      return NULL;
    }

  assay_work_seek_ways_out (g_ptr_array_index (works, 0), tell_refused, NULL, self);
  if (assay_work_build ((AssayWork *const *) works->pdata, n_models, config, self->settings,
                        &self->progress, &error))
    return g_steal_pointer (&works);
  fail_build (&build, config, &error, status);

  return NULL;
}
