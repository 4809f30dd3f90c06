/* assay-nnir-report.c
 * SPDX-License-Identifier: Apache-2.0
 *
 * What the commands check, fix and compare do with a model, as reports.
 */
#include "api/assay-nnir-private.h"
#include "api/assay-options-private.h"
#include "api/assay-report-private.h"
#include "base/assay-error.h"
#include "base/assay-sentence.h"
#include "work/assay-remedy.h"
#include "report/assay-compare-report.h"
#include "report/assay-fix-report.h"
#include "report/assay-model-report.h"
#include "run/assay-run-inputs.h"

/* A model in front of a target. */
typedef struct
{
  AssayTarget *target;
  AssayWork *work;
  AssayProgress progress;
} Subject;

static void
subject_clear (Subject *self)
{
  g_clear_pointer (&self->work, assay_work_free);
  g_clear_pointer (&self->target, assay_target_unref);
}

G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (Subject, subject_clear)

static gboolean
subject_init (Subject *self, AssayNnir *nnir, const char *target, AssayOptions *options,
              GCancellable *cancellable, GError **error)
{
  g_autoptr (AssaySettings) settings = NULL;
  guint n_axes;
  const int *axes = assay_nnir_get_streaming_axes (nnir, &n_axes);

  self->progress = (AssayProgress) ASSAY_PROGRESS_INIT (NULL, NULL, cancellable);
  if (!assay_nnir_is_whole (nnir, error) || !assay_progress_check (&self->progress, error))
    return FALSE;
  if (target != NULL && (self->target = assay_target_load (target, error)) == NULL)
    return FALSE;

  if (options != NULL)
    settings = assay_options_ref_settings (options);
  assay_settings_set_axes (&settings, axes, n_axes);
  self->work = assay_nnir_get_work (nnir, self->target, settings);

  return TRUE;
}

/**
 * assay_nnir_describe:
 * @self: a model
 * @error: return location for a #GError
 *
 * Tells what a model consists of.
 *
 * Returns: (transfer full): a document of the schema `assay.show/1`
 */
AssayReport *
assay_nnir_describe (AssayNnir *self, GError **error)
{
  g_auto (Subject) subject = { 0 };
  AssayGraph *graph;
  char *json;
  gsize length;

  g_return_val_if_fail (ASSAY_IS_NNIR (self), NULL);

  if (!subject_init (&subject, self, NULL, NULL, NULL, error))
    return NULL;
  graph = assay_work_get_graph (subject.work, NULL, error);
  if (graph == NULL)
    return NULL;
  json = assay_model_report_to_json (assay_nnir_get_label (self), graph,
                                     assay_work_get_findings (subject.work), &length);

  return assay_report_new (json,
                           assay_model_report_to_text (assay_nnir_get_label (self), graph,
                                                       assay_work_get_findings (subject.work),
                                                       FALSE, &length),
                           TRUE);
}

/**
 * assay_nnir_check:
 * @self: a model
 * @target: id of a target, or path of a target file
 * @options: (nullable): how it is to be compiled
 * @cancellable: (nullable): stops it from another thread
 * @error: return location for a #GError
 *
 * Gives every node its verdict for a target, with the reason.
 *
 * Returns: (transfer full): a document of the schema `assay.check/1`, clean if the target takes the
 * model; or %NULL with %ASSAY_ERROR_INVALID, %ASSAY_ERROR_IO or %ASSAY_ERROR_CANCELLED
 */
AssayReport *
assay_nnir_check (AssayNnir *self, const char *target, AssayOptions *options,
                  GCancellable *cancellable, GError **error)
{
  g_auto (Subject) subject = { 0 };
  g_autoptr (AssayCheckReport) report = NULL;
  AssayVerdicts *verdicts;
  char *json;
  gsize length;

  g_return_val_if_fail (ASSAY_IS_NNIR (self), NULL);
  g_return_val_if_fail (target != NULL, NULL);

  if (!subject_init (&subject, self, target, options, cancellable, error))
    return NULL;
  verdicts = assay_work_get_verdicts (subject.work, &subject.progress, error);
  if (verdicts == NULL)
    return NULL;

  report = assay_check_report_new (assay_nnir_get_label (self), subject.target, verdicts,
                                   assay_work_get_findings (subject.work));
  json = assay_check_report_to_json (report, ASSAY_REPORT_PLAIN, &length);

  return assay_report_new (json, assay_check_report_to_text (report, ASSAY_REPORT_PLAIN, &length),
                           assay_check_report_is_clean (report));
}

/**
 * assay_nnir_find_fixes:
 * @self: a model
 * @target: id of a target, or path of a target file
 * @options: (nullable): how it is to be compiled
 * @n_runs: random inputs to compare outputs with; 0 compares nothing
 * @cancellable: (nullable): stops it from another thread
 * @error: return location for a #GError
 *
 * Looks for rewrites that help with what a target does not take; each is tried.
 *
 * Returns: (transfer full): a document of the schema `assay.fix/1`, clean if the target takes the
 * model; or %NULL with %ASSAY_ERROR_INVALID, %ASSAY_ERROR_IO or %ASSAY_ERROR_CANCELLED
 */
AssayReport *
assay_nnir_find_fixes (AssayNnir *self, const char *target, AssayOptions *options, guint n_runs,
                       GCancellable *cancellable, GError **error)
{
  g_auto (Subject) subject = { 0 };
  g_autoptr (GPtrArray) applied = assay_fixes_new ();
  g_autoptr (AssayFixReport) report = NULL;
  AssayFixOptions how = ASSAY_FIX_OPTIONS_DEFAULT;
  double spent = 0;
  AssayVerdicts *verdicts;
  char *json;
  gsize length;

  g_return_val_if_fail (ASSAY_IS_NNIR (self), NULL);
  g_return_val_if_fail (target != NULL, NULL);

  if (!subject_init (&subject, self, target, options, cancellable, error))
    return NULL;
  verdicts = assay_work_get_verdicts (subject.work, &subject.progress, error);
  if (verdicts == NULL)
    return NULL;

  how.n_runs = MIN (n_runs, 1000);
  how.spent = &spent;
  assay_fix_options_share (&how, verdicts->causes->len);
  report = assay_fix_report_new (assay_nnir_get_label (self), subject.target, verdicts, verdicts,
                                 applied, assay_work_get_findings (subject.work));
  for (guint i = 0; i < verdicts->causes->len; i++)
    {
      AssayFixSuggestions *suggestions = assay_fix_suggest_for_cause (subject.work, i, &how,
                                                                      &subject.progress, error);

      if (suggestions == NULL)
        return NULL;
      assay_fix_report_add_cause (report, i, suggestions);
    }
  json = assay_fix_report_to_json (report, &length);

  return assay_report_new (json, assay_fix_report_to_text (report, ASSAY_REPORT_PLAIN, &length),
                           assay_fix_report_is_clean (report));
}

/* The first that does not fit any more is an error: whoever applies fixes wants all of them. */
static gboolean
check_applied (AssayFindings *findings, GError **error)
{
  if (assay_findings_get_count (findings) == 0)
    return TRUE;

  g_set_error_literal (error, ASSAY_ERROR, ASSAY_ERROR_INVALID,
                       assay_findings_get (findings, 0)->message);
  return FALSE;
}

/**
 * assay_nnir_apply_fixes:
 * @self: a model that is not streaming
 * @fixes: fixes as `assay fix --save-fixes` writes them
 * @options: (nullable): gets what fixes set outside of the model, such as weights that may be
 * computed at run time
 * @cancellable: (nullable): stops it from another thread
 * @error: return location for a #GError
 *
 * Makes a model with fixes.
 *
 * Returns: (transfer full): the model, streaming if a fix makes it so; or %NULL with
 * %ASSAY_ERROR_INVALID if a fix does not fit
 */
AssayNnir *
assay_nnir_apply_fixes (AssayNnir *self, const char *fixes, AssayOptions *options,
                        GCancellable *cancellable, GError **error)
{
  g_auto (Subject) subject = { 0 };
  g_autoptr (AssayFindings) findings = assay_findings_new ();
  g_autoptr (AssaySettings) settings = NULL;
  g_autoptr (GPtrArray) list = NULL;
  g_autoptr (AssayGraph) graph = NULL;
  g_autoptr (AssayNnir) fixed = NULL;
  const int *axes;
  guint n_axes;

  g_return_val_if_fail (ASSAY_IS_NNIR (self), NULL);
  g_return_val_if_fail (fixes != NULL, NULL);
  g_return_val_if_fail (options == NULL || ASSAY_IS_OPTIONS (options), NULL);

  if (!subject_init (&subject, self, NULL, options, cancellable, error))
    return NULL;
  list = assay_fixes_from_json (fixes, -1, "fixes", findings, error);
  if (list == NULL || !check_applied (findings, error))
    return NULL;

  settings = assay_settings_ref (assay_work_get_settings (subject.work));
  graph = assay_fixes_apply (assay_work_get_graph (subject.work, NULL, NULL), list, &settings,
                             findings, &subject.progress, error);
  if (graph == NULL || !check_applied (findings, error))
    return NULL;

  axes = assay_settings_get_axes (settings, &n_axes);
  fixed = assay_nnir_new_for_graph (graph);
  if (n_axes > 0)
    {
      AssayNnir *streaming = assay_nnir_streaming_transform (fixed, axes, n_axes, NULL, NULL,
                                                             error);

      if (streaming == NULL)
        return NULL;
      g_object_unref (fixed);
      fixed = streaming;
    }
  if (options != NULL)
    assay_options_set_settings (options, settings);

  return g_steal_pointer (&fixed);
}

/**
 * assay_nnir_save_onnx:
 * @self: a model
 * @path: where the model goes
 * @cancellable: (nullable): stops it from another thread
 * @error: return location for a #GError
 *
 * Saves the model as ONNX; it is read back and compared before the file is replaced. Axes that are
 * chosen to become time are no part of it.
 *
 * Returns: whether it is saved
 */
gboolean
assay_nnir_save_onnx (AssayNnir *self, const char *path, GCancellable *cancellable, GError **error)
{
  g_auto (Subject) subject = { 0 };
  g_auto (AssayModelSave) saved = { 0 };

  g_return_val_if_fail (ASSAY_IS_NNIR (self), FALSE);
  g_return_val_if_fail (path != NULL, FALSE);

  return subject_init (&subject, self, NULL, NULL, cancellable, error) &&
         assay_model_save (assay_work_get_graph (subject.work, NULL, NULL), path, &subject.progress,
                           &saved, error);
}

/* Those that are given, or random ones. */
static GPtrArray *
make_inputs (AssayRunSubject *subject, AssayTensor *const *inputs, gsize n_inputs, GError **error)
{
  g_autoptr (GArray) ports = assay_run_subject_get_inputs (subject);
  g_autoptr (AssayRunInputs) made = assay_run_inputs_new ();

  if (n_inputs > 0 && n_inputs != ports->len)
    {
      g_set_error (error, ASSAY_ERROR, ASSAY_ERROR_INVALID,
                   "%" G_GSIZE_FORMAT " input%s, the model has %u", n_inputs,
                   assay_plural (n_inputs), ports->len);
      return NULL;
    }
  assay_run_inputs_set_seed (made, 0, TRUE);
  for (gsize i = 0; i < n_inputs; i++)
    if (inputs[i] != NULL)
      assay_run_inputs_set_tensor (made, g_array_index (ports, AssayRunPort, i).name, inputs[i]);

  return assay_run_inputs_make (made, (const AssayRunPort *) (gpointer) ports->data, ports->len, 0,
                                error);
}

/* Sequences and optionals whose tensors are drawn. */
static AssayNnir *
draw_parts (AssayNnir *self, GError **error)
{
  g_autoptr (AssayRunInputs) drawn = assay_run_inputs_new ();

  assay_run_inputs_set_seed (drawn, 0, TRUE);

  return assay_nnir_is_whole (self, error) ? assay_nnir_with_inputs (self, drawn, error) : NULL;
}

/**
 * assay_nnir_compare:
 * @self: a model
 * @a: the runner that is right, such as `reference`
 * @b: the runner that is compared with it, such as `vm`
 * @target: (nullable): id of a target, or path of a target file, for runners that run programs
 * @options: (nullable): how it is compiled
 * @inputs: (array length=n_inputs) (nullable): its inputs; none for random ones, which sequences
 * and optionals get too
 * @n_inputs: how many
 * @outputs_only: whether to leave out what lies between inputs and outputs
 * @cancellable: (nullable): stops it from another thread
 * @error: return location for a #GError
 *
 * Runs the model on two runners and tells where they part.
 *
 * Returns: (transfer full): a document of the schema `assay.compare/1`, clean if they agree within
 * the tolerance; or %NULL with %ASSAY_ERROR_INVALID, %ASSAY_ERROR_UNSUPPORTED,
 * %ASSAY_ERROR_ALLOCATION, %ASSAY_ERROR_DEVICE or %ASSAY_ERROR_CANCELLED
 */
AssayReport *
assay_nnir_compare (AssayNnir *self, const char *a, const char *b, const char *target,
                    AssayOptions *options, AssayTensor *const *inputs, gsize n_inputs,
                    gboolean outputs_only, GCancellable *cancellable, GError **error)
{
  g_auto (Subject) subject = { 0 };
  g_autoptr (AssayNnir) opened = NULL;
  g_autoptr (GPtrArray) tensors = NULL;
  g_autoptr (AssayComparison) comparison = NULL;
  const AssayComparisonOptions how = { .outputs_only = outputs_only };
  const AssayRunnerKind *kinds[2] = { NULL };
  AssayComparisonSide sides[2];
  AssayRunSubject *run;
  gboolean program;
  char *json;
  gsize length;

  g_return_val_if_fail (ASSAY_IS_NNIR (self), NULL);
  g_return_val_if_fail (a != NULL && b != NULL, NULL);

  if ((kinds[0] = assay_runner_kind_find (a, error)) == NULL ||
      (kinds[1] = assay_runner_kind_find (b, error)) == NULL ||
      (opened = n_inputs > 0 ? g_object_ref (self) : draw_parts (self, error)) == NULL ||
      !subject_init (&subject, opened, target, options, cancellable, error))
    return NULL;
  program = kinds[0]->needs_program || kinds[1]->needs_program;
  if (program && target == NULL)
    {
      g_set_error (error, ASSAY_ERROR, ASSAY_ERROR_INVALID, "%s runs programs; name a target",
                   kinds[0]->needs_program ? a : b);
      return NULL;
    }

  run = assay_work_get_subject (subject.work, program, &subject.progress, error);
  if (run == NULL)
    return NULL;
  tensors = make_inputs (run, inputs, n_inputs, error);
  if (tensors == NULL)
    return NULL;

  sides[0] = (AssayComparisonSide){ a, run };
  sides[1] = (AssayComparisonSide){ b, run };
  comparison = assay_compare_runs (&sides[0], &sides[1], tensors, &how, &subject.progress, error);
  if (comparison == NULL || !assay_explain_causes (comparison, subject.work, &sides[0], &sides[1],
                                                   tensors, 0, &subject.progress, error))
    return NULL;
  json = assay_compare_report_to_json (comparison, assay_nnir_get_label (self), NULL, &length);

  return assay_report_new (json,
                           assay_compare_report_to_text (comparison, assay_nnir_get_label (self),
                                                         NULL, 0, FALSE, &length),
                           comparison->verdict != ASSAY_COMPARISON_OUTSIDE &&
                               comparison->worst >= 0);
}
