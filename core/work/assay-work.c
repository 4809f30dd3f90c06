/* assay-work.c
 * SPDX-License-Identifier: Apache-2.0
 */
#include "work/assay-work.h"

#include "backend/assay-config.h"
#include "base/assay-error.h"
#include "nnir/pass/assay-canonical.h"
#include "source/assay-source.h"
#include "target/assay-check-prepare.h"
#include "work/assay-smaller-inputs.h"

struct _AssayWork
{
  char *path;
  char *name;
  AssayTarget *target;
  AssaySettings *settings;
  AssayFindings *findings;
  gboolean is_given; /* the graph: settings of the import are in it, and nothing is read again */
  gboolean explains;
  gboolean seeks_ways_out;
  AssayRefusedFunc refused;
  AssayWayFunc found;
  gpointer refused_data;

  AssayForms *forms; /* the graph */
  AssayGraph *canonical;
  AssayVerdicts *verdicts;
  AssayProgram *program;
  AssayAllocation *allocation;
  AssayRunSubject *subject;
};

/**
 * assay_work_new:
 * @path: (nullable): a model
 * @target: (nullable): the target; without one a model can be imported and run as it is
 * @settings: (nullable): what the user fixes
 *
 * Makes work of a file, of which nothing is done yet.
 *
 * Returns: (transfer full): the work
 */
AssayWork *
assay_work_new (const char *path, AssayTarget *target, AssaySettings *settings)
{
  AssayWork *self = g_new0 (AssayWork, 1);

  self->path = g_strdup (path);
  self->target = target != NULL ? assay_target_ref (target) : NULL;
  self->settings = settings != NULL ? assay_settings_ref (settings) : assay_settings_new ();
  self->findings = assay_findings_new ();

  return self;
}

/**
 * assay_work_new_for_graph:
 * @path: (nullable): file of the model
 * @graph: the model as imported
 * @target: (nullable): the target
 * @settings: (nullable): what the user fixes
 *
 * Makes work of a graph.
 *
 * Returns: (transfer full): the work
 */
AssayWork *
assay_work_new_for_graph (const char *path, AssayGraph *graph, AssayTarget *target,
                          AssaySettings *settings)
{
  AssayWork *self = assay_work_new (path, target, settings);

  self->forms = assay_forms_new (graph);
  self->is_given = TRUE;

  return self;
}

/**
 * assay_work_copy:
 * @self: work
 *
 * Copies work with its stages up to the check, so that a thread can go on with it.
 *
 * Returns: (transfer full): the copy
 */
AssayWork *
assay_work_copy (AssayWork *self)
{
  return assay_work_with_target (self, self->target, self->settings);
}

/**
 * assay_work_with_settings:
 * @self: work
 * @settings: other settings
 *
 * Copies work for other settings, with all stages that come to the same.
 *
 * Returns: (transfer full): the copy
 */
AssayWork *
assay_work_with_settings (AssayWork *self, AssaySettings *settings)
{
  return assay_work_with_target (self, self->target, settings);
}

/**
 * assay_work_with_target:
 * @self: work
 * @target: (nullable): another target
 * @settings: the settings for it
 *
 * Copies work for another target, with all stages that come to the same.
 *
 * Returns: (transfer full): the copy
 */
AssayWork *
assay_work_with_target (AssayWork *self, AssayTarget *target, AssaySettings *settings)
{
  AssayWork *copy = assay_work_new (self->path, target, settings);
  gboolean imported = self->is_given || assay_settings_equal_stage (self->settings, copy->settings,
                                                                    ASSAY_PIPELINE_IMPORT);

  copy->name = g_strdup (self->name);
  copy->explains = self->explains;
  copy->seeks_ways_out = self->seeks_ways_out;
  copy->is_given = self->is_given;
  if (!imported)
    return copy;

  copy->forms = self->forms != NULL ? assay_forms_ref (self->forms) : NULL;
  assay_findings_append (copy->findings, self->findings);
  if (target == self->target &&
      assay_settings_equal_stage (self->settings, copy->settings, ASSAY_PIPELINE_CHECK))
    {
      copy->verdicts = self->verdicts != NULL ? assay_verdicts_ref (self->verdicts) : NULL;
      copy->canonical = self->canonical != NULL ? assay_graph_ref (self->canonical) : NULL;
    }

  return copy;
}

/**
 * assay_work_with_graph:
 * @self: work
 * @graph: another graph of its model, such as one with fixes, or its own
 * @settings: the settings for it
 *
 * Copies work for another graph, which is not read from the file again whatever the settings are.
 *
 * Returns: (transfer full): the copy
 */
AssayWork *
assay_work_with_graph (AssayWork *self, AssayGraph *graph, AssaySettings *settings)
{
  AssayWork *copy = assay_work_new (self->path, self->target, settings);

  copy->name = g_strdup (self->name);
  copy->explains = self->explains;
  copy->seeks_ways_out = self->seeks_ways_out;
  copy->is_given = TRUE;
  copy->forms = self->forms != NULL && assay_forms_get_imported (self->forms) == graph
                    ? assay_forms_ref (self->forms)
                    : assay_forms_new (graph);

  return copy;
}

void
assay_work_free (AssayWork *self)
{
  if (self == NULL)
    return;

  g_clear_pointer (&self->subject, assay_run_subject_unref);
  g_clear_pointer (&self->allocation, assay_allocation_free);
  g_clear_object (&self->program);
  g_clear_pointer (&self->verdicts, assay_verdicts_unref);
  g_clear_pointer (&self->canonical, assay_graph_unref);
  g_clear_pointer (&self->forms, assay_forms_unref);
  g_clear_pointer (&self->target, assay_target_unref);
  assay_findings_unref (self->findings);
  assay_settings_unref (self->settings);
  g_free (self->name);
  g_free (self->path);
  g_free (self);
}

/**
 * assay_work_set_name:
 * @self: work that is not built yet
 * @name: (nullable): name of the model in its program; %NULL takes that of the graph
 *
 * Names the model.
 */
void
assay_work_set_name (AssayWork *self, const char *name)
{
  g_free (self->name);
  self->name = g_strdup (name);
}

/**
 * assay_work_explain:
 * @self: work that is not built yet
 *
 * Asks why the program does not fit, if it does not.
 */
void
assay_work_explain (AssayWork *self)
{
  self->explains = TRUE;
}

/**
 * assay_work_seek_ways_out:
 * @self: work that is not built yet
 * @refused: (nullable) (scope forever): is told that the program does not fit, before the search
 * @found: (nullable) (scope forever): is told of each way out
 * @data: for @refused and @found
 *
 * Asks for what helps if the program does not fit, which takes as long as several builds.
 */
void
assay_work_seek_ways_out (AssayWork *self, AssayRefusedFunc refused, AssayWayFunc found,
                          gpointer data)
{
  self->explains = TRUE;
  self->seeks_ways_out = TRUE;
  self->refused = refused;
  self->found = found;
  self->refused_data = data;
}

/**
 * assay_work_get_target:
 * @self: work
 *
 * Gets the target.
 *
 * Returns: (transfer none) (nullable): the target
 */
AssayTarget *
assay_work_get_target (AssayWork *self)
{
  return self->target;
}

/**
 * assay_work_get_settings:
 * @self: work
 *
 * Gets the settings it is done with.
 *
 * Returns: (transfer none): the settings
 */
AssaySettings *
assay_work_get_settings (AssayWork *self)
{
  return self->settings;
}

/**
 * assay_work_get_findings:
 * @self: work
 *
 * Gets what all stages so far have found.
 *
 * Returns: (transfer none): the findings
 */
AssayFindings *
assay_work_get_findings (AssayWork *self)
{
  return self->findings;
}

/**
 * assay_work_get_graph:
 * @self: work
 * @progress: (nullable): progress and cancel
 * @error: return location for a #GError
 *
 * Imports the model.
 *
 * Returns: (transfer none) (nullable): the graph
 */
AssayGraph *
assay_work_get_graph (AssayWork *self, const AssayProgress *progress, GError **error)
{
  const AssayImportOptions options = { .settings = self->settings };
  g_autoptr (AssayGraph) graph = NULL;

  if (self->forms != NULL)
    return assay_forms_get_imported (self->forms);

  graph = assay_model_read (self->path, &options, self->findings, progress, error);
  if (graph != NULL)
    self->forms = assay_forms_new (graph);

  return graph != NULL ? assay_forms_get_imported (self->forms) : NULL;
}

/**
 * assay_work_get_form:
 * @self: work
 * @options: (nullable): a form; %NULL for the default
 * @progress: (nullable): progress and cancel
 * @error: return location for a #GError
 *
 * Gets the model in a form of compilers, whatever the target takes.
 *
 * Returns: (transfer none) (nullable): the graph
 */
AssayGraph *
assay_work_get_form (AssayWork *self, const AssayCanonicalOptions *options,
                     const AssayProgress *progress, GError **error)
{
  static const AssayCanonicalOptions defaults = ASSAY_CANONICAL_OPTIONS_DEFAULT;

  if (assay_work_get_graph (self, progress, error) == NULL)
    return NULL;

  return assay_forms_get (self->forms, options != NULL ? options : &defaults, progress, error);
}

/**
 * assay_work_get_verdicts:
 * @self: work with a target
 * @progress: (nullable): progress and cancel
 * @error: return location for a #GError
 *
 * Checks the model.
 *
 * Returns: (transfer none) (nullable): the verdicts
 */
AssayVerdicts *
assay_work_get_verdicts (AssayWork *self, const AssayProgress *progress, GError **error)
{
  if (self->verdicts == NULL && assay_work_get_graph (self, progress, error) != NULL)
    self->verdicts = assay_target_check (self->target, self->forms, self->settings, progress,
                                         error);

  return self->verdicts;
}

/* What is built and run: for a target that programs are made for, the graph that was checked. */
static AssayGraph *
get_canonical (AssayWork *self, const AssayProgress *progress, GError **error)
{
  const AssayCanonicalOptions form = ASSAY_CANONICAL_OPTIONS_COMPILE;
  AssayGraph *graph = NULL;

  if (self->canonical == NULL && self->target != NULL &&
      assay_backend_has (self->target, ASSAY_CAPABILITY_MAKES_PROGRAMS) &&
      (assay_backend_builds_checked (self->target) ||
       !assay_settings_get_flag (self->settings, ASSAY_SETTING_INPUTS_ARE_PARAMETERS)))
    {
      if (assay_work_get_verdicts (self, progress, error) == NULL)
        return NULL;
      self->canonical = assay_graph_ref (self->verdicts->graph);
    }
  if (self->canonical == NULL)
    {
      if (self->target == NULL)
        graph = assay_work_get_form (self, &form, progress, error);
      else if (assay_work_get_graph (self, progress, error) != NULL)
        graph = assay_target_prepare (self->target, self->forms, self->settings, NULL, TRUE,
                                      progress, error);
      self->canonical = graph != NULL ? assay_graph_ref (graph) : NULL;
    }

  return self->canonical;
}

/* The first target of the family that a configuration alone is for: its members list the same. */
static AssayTarget *
find_configured_target (void)
{
  g_auto (GStrv) ids = assay_target_list ();

  for (guint i = 0; ids[i] != NULL; i++)
    {
      g_autoptr (AssayTarget) target = assay_target_load (ids[i], NULL);

      if (target != NULL && assay_backend_has (target, ASSAY_CAPABILITY_HAS_CONFIG))
        return g_steal_pointer (&target);
    }

  return NULL;
}

/* As get_canonical() for work that is built; without a target for a configuration. */
static AssayGraph *
get_built (AssayWork *self, const AssayProgress *progress, GError **error)
{
  g_autoptr (AssayTarget) target = self->target == NULL ? find_configured_target () : NULL;
  AssayGraph *graph;

  if (target == NULL || self->canonical != NULL)
    return get_canonical (self, progress, error);
  if (assay_work_get_graph (self, progress, error) == NULL)
    return NULL;
  graph = assay_target_prepare (target, self->forms, self->settings, NULL, TRUE, progress, error);
  self->canonical = graph != NULL ? assay_graph_ref (graph) : NULL;

  return self->canonical;
}

static gboolean
graph_is_checked (const AssayWork *self)
{
  return self->verdicts != NULL && self->verdicts->graph == self->canonical;
}

/* Who wants nothing but what the vendor lists gets no program of anything else. */
static gboolean
check_published (AssayWork *self, const AssayProgress *progress, GError **error)
{
  AssayVerdicts *verdicts;

  if (!assay_settings_get_flag (self->settings, ASSAY_SETTING_PUBLISHED_ONLY))
    return TRUE;
  verdicts = assay_work_get_verdicts (self, progress, error);
  if (verdicts == NULL)
    return FALSE;

  for (guint i = 0; i < verdicts->causes->len; i++)
    {
      const AssayCause *cause = &g_array_index (verdicts->causes, AssayCause, i);

      if (cause->kind != ASSAY_VERDICT_REJECTED)
        continue;
      g_set_error (
          error, ASSAY_ERROR, ASSAY_ERROR_UNSUPPORTED, "%s: %s",
          assay_graph_node (verdicts->graph, g_array_index (cause->nodes, guint32, 0))->name,
          cause->reason);
      return FALSE;
    }

  return TRUE;
}

/* Weights stay in files until they are built in, and others may write to those meanwhile. */
static gboolean
check_files (const AssayGraph *graph, GError **error)
{
  for (AssayValueId i = 1; i < assay_graph_n_values (graph); i++)
    {
      AssayTensor *constant = assay_graph_constant (graph, i);

      if (constant != NULL && !assay_tensor_check (constant, error))
        return FALSE;
    }

  return TRUE;
}

/**
 * assay_work_build:
 * @works: (array length=n_works): the models of a program, in its order
 * @n_works: how many, at least one
 * @config: (nullable): the hardware; %NULL takes that of the target, if it has one,
 * and the settings of the first
 * @settings: (nullable): what concerns the whole program
 * @progress: (nullable): progress and cancel
 * @error: return location for a #GError
 *
 * Builds one program of several models; the first work has it then, or why it does not fit.
 *
 * Returns: whether there is a program
 */
gboolean
assay_work_build (AssayWork *const *works, guint n_works, AssayConfig *config,
                  AssaySettings *settings, const AssayProgress *progress, GError **error)
{
  AssayWork *first = works[0];
  g_autofree AssayCompileModel *models = g_new0 (AssayCompileModel, n_works);
  g_autofree AssayCompileOptions *own = g_new0 (AssayCompileOptions, n_works);
  const AssayCompileOptions options = {
    .settings = settings,
    .target_id = first->target != NULL ? assay_target_get_id (first->target) : NULL,
    .allocation = first->explains ? &first->allocation : NULL,
    .explain_only = !first->seeks_ways_out,
    .refused = first->refused,
    .found = first->found,
    .refused_data = first->refused_data,
    .observable = n_works == 1,
  };
  g_autoptr (AssayConfig) taken = config != NULL ? g_object_ref (config) : NULL;

  if (taken == NULL && assay_backend_has (first->target, ASSAY_CAPABILITY_HAS_CONFIG) &&
      (taken = assay_config_new_for_settings (first->target, first->settings, error)) == NULL)
    return FALSE;
  for (guint i = 0; i < n_works; i++)
    {
      AssayGraph *graph = check_published (works[i], progress, error)
                              ? get_built (works[i], progress, error)
                              : NULL;

      if (graph == NULL)
        return FALSE;
      own[i] = (AssayCompileOptions){
        .settings = works[i]->settings,
        .model_name = works[i]->name != NULL ? works[i]->name : graph->name,
        .findings = works[i]->findings,
      };
      models[i] = (AssayCompileModel){ graph, &own[i], TRUE,
                                       graph_is_checked (works[i]) ? works[i]->verdicts : NULL };
    }

  g_clear_pointer (&first->allocation, assay_allocation_free);
  g_clear_object (&first->program);
  first->program = assay_build_models (first->target, models, n_works,
                                       taken != NULL ? assay_config_get_values (taken) : NULL,
                                       &options, progress, error);
  if (n_works == 1 && first->program == NULL && first->seeks_ways_out && first->allocation != NULL)
    assay_work_find_smaller_inputs (first, taken, settings, first->allocation, first->found,
                                    first->refused_data, progress);
  for (guint i = 0; i < n_works && first->program != NULL; i++)
    if (!check_files (works[i]->canonical, error))
      g_clear_object (&first->program);

  return first->program != NULL;
}

/**
 * assay_work_get_program:
 * @self: work with a target that programs are made for
 * @progress: (nullable): progress and cancel
 * @error: return location for a #GError
 *
 * Builds the program.
 *
 * Returns: (transfer none) (nullable): the program
 */
AssayProgram *
assay_work_get_program (AssayWork *self, const AssayProgress *progress, GError **error)
{
  if (self->program == NULL)
    (void) !assay_work_build (&self, 1, NULL, self->settings, progress, error);

  return self->program;
}

/**
 * assay_work_get_subject:
 * @self: work
 * @program: whether a runner runs programs
 * @progress: (nullable): progress and cancel
 * @error: return location for a #GError
 *
 * Gets what runners run: the model, with its program where that is wanted.
 *
 * Returns: (transfer none) (nullable): the subject
 */
AssayRunSubject *
assay_work_get_subject (AssayWork *self, gboolean program, const AssayProgress *progress,
                        GError **error)
{
  guint n_axes;
  const int *axes = assay_settings_get_axes (self->settings, &n_axes);

  if (get_canonical (self, progress, error) == NULL ||
      assay_work_get_graph (self, progress, error) == NULL ||
      (program && assay_work_get_program (self, progress, error) == NULL))
    return NULL;

  if (self->subject == NULL)
    self->subject = assay_run_subject_new_for_graph (
        self->path, assay_forms_get_imported (self->forms), self->canonical);
  if (program && self->subject->program == NULL)
    assay_run_subject_set_program (self->subject, self->program, 0, axes, n_axes);

  return self->subject;
}

/**
 * assay_work_open_inputs:
 * @self: (inout): work on a model, no file of which runners may read in its place
 * @inputs: what goes in
 * @progress: (nullable): progress and cancel
 * @error: return location for a #GError
 *
 * Lets tensors go into a model where it takes sequences of them and optionals, see
 * assay_run_inputs_open(). Where it does, the work becomes work on another graph, without a target.
 *
 * Returns: whether the model is there and the values of such inputs could be read
 */
gboolean
assay_work_open_inputs (AssayWork **self, AssayRunInputs *inputs, const AssayProgress *progress,
                        GError **error)
{
  AssayGraph *graph = assay_work_get_graph (*self, progress, error);
  g_autoptr (AssayGraph) opened = graph == NULL ? NULL
                                                : assay_run_inputs_open (inputs, graph, error);
  AssayWork *work;

  if (opened == NULL || opened == graph)
    return opened != NULL;

  work = assay_work_new_for_graph (NULL, opened, NULL, (*self)->settings);
  assay_work_free (*self);
  *self = work;

  return TRUE;
}

/**
 * assay_work_take_allocation:
 * @self: work
 *
 * Takes why the program did not fit, and what was found to help, where that was sought.
 *
 * Returns: (transfer full) (nullable): the failure, %NULL if that was not the reason
 */
AssayAllocation *
assay_work_take_allocation (AssayWork *self)
{
  return g_steal_pointer (&self->allocation);
}
