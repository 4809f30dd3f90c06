/* assay-quantized-model.c
 * SPDX-License-Identifier: Apache-2.0
 */
#include "fix/assay-quantized-model.h"

#include <math.h>

#include "backend/assay-backend.h"
#include "base/assay-error.h"
#include "run/assay-calibration.h"

/* A model that was quantised in one way, and what that costs. */
typedef struct
{
  AssayGraph *graph;
  AssayQuantizeCounts counts;
  AssayQuantizeCosts *costs; /* NULL if they were not measured */
} Attempt;

static void
attempt_clear (Attempt *self)
{
  g_clear_pointer (&self->graph, assay_graph_unref);
  g_clear_pointer (&self->costs, assay_quantize_costs_free);
}

G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (Attempt, attempt_clear)

static GPtrArray *
next_sample (guint index, gpointer data, GError **error)
{
  return assay_calibration_make (data, index, error);
}

static AssayCalibration *
open_samples (const AssayQuantizeSamples *samples, const GArray *ports,
              const AssayProgress *progress, GError **error)
{
  g_autoptr (AssayCalibration) self = assay_calibration_new (ports);

  for (guint i = 0; samples->paths != NULL && samples->paths[i] != NULL; i++)
    if (!assay_calibration_add_path (self, samples->paths[i], progress, error))
      return NULL;
  assay_calibration_add_random (self, samples->n_random, samples->seed);

  return g_steal_pointer (&self);
}

/* Quantises and, unless @n_gains is negative, measures what that costs. */
static gboolean
attempt (Attempt *self, AssayVerdicts *verdicts, const AssayQuantizeOptions *how, int n_gains,
         const AssayProgress *progress, GError **error)
{
  AssayProgress making = assay_progress_part (progress, 0.0, 0.8);
  AssayProgress measuring = assay_progress_part (progress, 0.8, 1.0);
  g_autoptr (AssayGraph) prepared = assay_quantize_prepare (verdicts, how, &self->counts);
  g_autoptr (GError) failure = NULL;

  self->graph = assay_quantize (verdicts, prepared, how, &self->counts, &making, error);
  if (self->graph == NULL)
    return FALSE;
  if (n_gains >= 0)
    self->costs = assay_quantize_measure (prepared, self->graph, how, (guint) n_gains, &measuring,
                                          &failure);
  if (failure == NULL)
    return TRUE;
  if (!g_error_matches (failure, ASSAY_ERROR, ASSAY_ERROR_MEMORY))
    {
      g_propagate_error (error, g_steal_pointer (&failure));
      return FALSE;
    }
  assay_findings_add (how->findings, ASSAY_SEVERITY_NOTE, "quantize.not-measured", NULL, NULL, NULL,
                      -1, "What it costs was not measured: %s", failure->message);

  return TRUE;
}

/* What the outputs are worth without what was asked for, and with one of two. */
static gboolean
compare_options (AssayVerdicts *verdicts, const AssayQuantizeOptions *how, GArray *trials,
                 const AssayProgress *progress, GError **error)
{
  guint n = how->equalize && how->correct_bias ? 2 : how->equalize || how->correct_bias ? 1 : 0;

  for (guint i = 0; i < n; i++)
    {
      g_autoptr (AssayFindings) unheard = assay_findings_new ();
      AssayProgress part = assay_progress_part (progress, (double) i / n, (double) (i + 1) / n);
      AssayQuantizeOptions plain = *how;
      g_auto (Attempt) made = { 0 };
      AssayQuantizeTrial trial;

      plain.findings = unheard;
      plain.equalize = i == 1;
      plain.correct_bias = FALSE;
      if (!attempt (&made, verdicts, &plain, 0, &part, error))
        return FALSE;
      trial = (AssayQuantizeTrial){ i == 0 ? "neither" : "equalisation alone", NAN };
      if (n == 1)
        trial.name = how->equalize ? "no equalisation" : "no correction of biases";
      if (made.costs != NULL)
        trial.output_db = made.costs->output_db;
      g_array_append_val (trials, trial);
    }

  return TRUE;
}

/**
 * assay_quantized_model_new:
 * @work: a model in front of a target that computes in 8 bits
 * @samples: what it is calibrated with
 * @n_gains: of how many operations that cost most it is measured what they would gain; 0 measures
 * nothing
 * @path: where the quantised model is written; replaced whole or not at all
 * @progress: (nullable): progress, and what cancels it
 * @error: return location for a #GError
 *
 * Quantises a model as its settings say: for what the target takes, rounded as a tool of the
 * vendor does. What was found is in the findings of @work, also if it fails.
 *
 * Returns: (transfer full) (nullable): what became of it; ASSAY_ERROR_UNSUPPORTED if the target
 * takes nothing of the model
 */
AssayQuantizedModel *
assay_quantized_model_new (AssayWork *work, const AssayQuantizeSamples *samples, guint n_gains,
                           const char *path, const AssayProgress *progress, GError **error)
{
  AssaySettings *settings = assay_work_get_settings (work);
  g_autofree char *tool = assay_settings_dup_text (settings, ASSAY_SETTING_QUANTIZER);
  g_autoptr (AssayQuantizedModel) self = g_new0 (AssayQuantizedModel, 1);
  g_autoptr (GArray) ports = NULL;
  g_autoptr (AssayCalibration) calibration = NULL;
  g_auto (Attempt) made = { 0 };
  AssayQuantizeOptions how = {
    .source = next_sample,
    .equalize = assay_settings_get_flag (settings, ASSAY_SETTING_EQUALIZE),
    .correct_bias = assay_settings_get_flag (settings, ASSAY_SETTING_CORRECT_BIAS),
  };
  gboolean compares = how.equalize || how.correct_bias;
  AssayProgress before = assay_progress_part (progress, 0.0, compares ? 0.5 : 0.0);
  AssayProgress after = assay_progress_part (progress, compares ? 0.5 : 0.0, 0.9);
  AssayProgress saving = assay_progress_part (progress, 0.9, 1.0);
  AssayVerdicts *verdicts;

  self->trials = g_array_new (FALSE, FALSE, sizeof (AssayQuantizeTrial));
  self->quantizer = assay_quantizer_find (tool, error);
  if (self->quantizer == NULL ||
      !assay_backend_require (assay_work_get_target (work), ASSAY_CAPABILITY_QUANTIZES, error))
    return NULL;
  verdicts = assay_work_get_verdicts (work, progress, error);
  if (verdicts == NULL)
    return NULL;
  ports = assay_run_ports_for_graph (verdicts->graph);
  calibration = open_samples (samples, ports, progress, error);
  if (calibration == NULL)
    return NULL;

  how.quantizer = self->quantizer;
  how.source_data = calibration;
  how.n_samples = self->n_samples = assay_calibration_get_n_samples (calibration);
  how.findings = assay_work_get_findings (work);
  /* What is stopped while it measures has written nothing. */
  if (!compare_options (verdicts, &how, self->trials, &before, error) ||
      !attempt (&made, verdicts, &how,
                n_gains > 0 ? (int) n_gains
                : compares  ? 0
                            : -1,
                &after, error) ||
      !assay_model_save (made.graph, path, &saving, &self->saved, error))
    return NULL;

  self->written = g_strdup (path);
  self->target = g_strdup (assay_target_get_id (assay_work_get_target (work)));
  self->random = samples->paths == NULL || samples->paths[0] == NULL;
  self->counts = made.counts;
  self->costs = g_steal_pointer (&made.costs);
  self->findings = assay_findings_ref (how.findings);

  return g_steal_pointer (&self);
}

void
assay_quantized_model_free (AssayQuantizedModel *self)
{
  if (self == NULL)
    return;

  assay_model_save_clear (&self->saved);
  g_clear_pointer (&self->costs, assay_quantize_costs_free);
  g_clear_pointer (&self->findings, assay_findings_unref);
  g_array_unref (self->trials);
  g_free (self->target);
  g_free (self->written);
  g_free (self);
}
