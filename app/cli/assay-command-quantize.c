/* assay-command-quantize.c
 * SPDX-License-Identifier: Apache-2.0
 */
#include <math.h>

#include "assay-cli-model.h"
#include "assay-command.h"
#include "backend/assay-backend.h"
#include "base/assay-error.h"
#include "fix/assay-model-save.h"
#include "quantize/assay-quantize.h"
#include "report/assay-quantize-report.h"
#include "run/assay-calibration.h"

/* Whose verdicts say what is quantised if no target is named: the one with the most channels. */
#define DEFAULT_TARGET "dpu_zdx8g_b4096"

typedef struct
{
  char **paths;
  int n_random;
  gint64 seed;
  int n_gains;
  gboolean equalize;
  gboolean correct_bias;
  char *written;
} QuantizeOptions;

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

static void
quantize_options_clear (QuantizeOptions *self)
{
  g_strfreev (self->paths);
  g_free (self->written);
}

G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (QuantizeOptions, quantize_options_clear)

static GPtrArray *
next_sample (guint index, gpointer data, GError **error)
{
  return assay_calibration_make (data, index, error);
}

static AssayCalibration *
open_samples (AssayCli *cli, const QuantizeOptions *options, const GArray *ports, GError **error)
{
  g_autoptr (AssayCalibration) samples = assay_calibration_new (ports);

  for (guint i = 0; options->paths != NULL && options->paths[i] != NULL; i++)
    if (!assay_calibration_add_path (samples, options->paths[i], &cli->progress, error))
      return NULL;
  assay_calibration_add_random (samples, (guint) options->n_random, (guint64) options->seed);

  return g_steal_pointer (&samples);
}

/* What the target does not take is a finding. */
static AssayExit
fail (AssayCli *cli, const GError *error, AssayFindings *findings)
{
  AssayExit status = assay_cli_fail (cli, error, findings);

  return g_error_matches (error, ASSAY_ERROR, ASSAY_ERROR_UNSUPPORTED) ? ASSAY_EXIT_FINDINGS
                                                                       : status;
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

static AssayExit
quantize_model (AssayCli *cli, const QuantizeOptions *options, const AssayQuantizer *tool)
{
  g_autoptr (AssayTarget) target = NULL;
  g_autoptr (AssayWork) work = NULL;
  g_autoptr (GArray) ports = NULL;
  g_autoptr (AssayCalibration) samples = NULL;
  g_autoptr (GArray) trials = g_array_new (FALSE, FALSE, sizeof (AssayQuantizeTrial));
  g_auto (Attempt) made = { 0 };
  g_auto (AssayModelSave) saved = { 0 };
  g_autoptr (GError) error = NULL;
  g_autofree char *text = NULL;
  AssayQuantizeReport report = { .path = cli->arguments[0], .written = options->written };
  AssayQuantizeOptions how = { .quantizer = tool, .source = next_sample };
  gboolean compares = options->equalize || options->correct_bias;
  AssayProgress before = assay_progress_part (&cli->progress, 0.0, compares ? 0.5 : 0.0);
  AssayProgress after = assay_progress_part (&cli->progress, compares ? 0.5 : 0.0, 0.9);
  AssayVerdicts *verdicts;
  AssayExit status;
  gsize length;

  target = assay_cli_load_target (cli, &status);
  if (target == NULL)
    return status;
  if (!assay_backend_require (target, ASSAY_CAPABILITY_QUANTIZES, &error))
    return assay_cli_fail (cli, error, NULL);
  work = assay_cli_open (cli, target, &status);
  if (work == NULL)
    return status;
  verdicts = assay_work_get_verdicts (work, &cli->progress, &error);
  if (verdicts == NULL)
    return assay_cli_fail (cli, error, assay_work_get_findings (work));

  ports = assay_run_ports_for_graph (verdicts->graph);
  samples = open_samples (cli, options, ports, &error);
  if (samples == NULL)
    return assay_cli_fail (cli, error, NULL);
  how.source_data = samples;
  how.n_samples = assay_calibration_get_n_samples (samples);
  how.equalize = options->equalize;
  how.correct_bias = options->correct_bias;
  how.findings = assay_work_get_findings (work);

  /* What is stopped while it measures has written nothing. */
  if (!compare_options (verdicts, &how, trials, &before, &error) ||
      !attempt (&made, verdicts, &how,
                options->n_gains > 0 ? options->n_gains
                : compares           ? 0
                                     : -1,
                &after, &error) ||
      !assay_model_save (made.graph, options->written, &cli->progress, &saved, &error))
    return fail (cli, error, how.findings);

  report.counts = made.counts;
  report.costs = made.costs;
  report.trials = trials;
  report.target = assay_target_get_id (target);
  report.quantizer = tool;
  report.n_samples = how.n_samples;
  report.random = options->paths == NULL;
  report.findings = how.findings;
  report.saved = &saved;
  text = cli->json ? assay_quantize_report_to_json (&report, &length)
                   : assay_quantize_report_to_text (&report, assay_cli_has_colours (cli), &length);

  return assay_cli_write (cli, text, length, ASSAY_EXIT_CLEAN);
}

/**
 * assay_command_quantize:
 * @cli: the run
 * @argc: number of arguments
 * @argv: the arguments, the name of the command first
 *
 * Quantises a model for targets that compute in 8 bits.
 *
 * Returns: the exit code
 */
AssayExit
assay_command_quantize (AssayCli *cli, int argc, char **argv)
{
  g_auto (QuantizeOptions) options = { .n_gains = 5 };
  const GOptionEntry entries[] = {
    { "calibration", 0, 0, G_OPTION_ARG_FILENAME_ARRAY, &options.paths,
      "Calibrate with a .npy, .npz or .pb file, or a folder of them", "FOLDER|FILE" },
    { "random", 0, 0, G_OPTION_ARG_INT, &options.n_random,
      "Calibrate with N random inputs, which says nothing about accuracy", "N" },
    { "seed", 0, 0, G_OPTION_ARG_INT64, &options.seed, "Seed of the random inputs", "SEED" },
    { "costs", 0, 0, G_OPTION_ARG_INT, &options.n_gains,
      "Measure what the N operations that cost most would gain (5); 0 measures nothing", "N" },
    { "equalize", 0, 0, G_OPTION_ARG_NONE, &options.equalize,
      "Share what channels differ by between layers that stand behind each other", NULL },
    { "correct-bias", 0, 0, G_OPTION_ARG_NONE, &options.correct_bias,
      "Let biases take back what rounding weights moves on average", NULL },
    { "output", 'o', 0, G_OPTION_ARG_FILENAME, &options.written,
      "The quantised model; replaced whole or not at all", "MODEL" },
    { "json", 0, 0, G_OPTION_ARG_NONE, &cli->json, "Write one JSON document", NULL },
    G_OPTION_ENTRY_NULL
  };
  const AssayQuantizer *tool;
  g_autofree char *name = NULL;
  g_autoptr (GError) error = NULL;
  AssayExit status;

  cli->stages = ASSAY_PIPELINE_IMPORT | ASSAY_PIPELINE_CHECK | ASSAY_PIPELINE_QUANTIZE;
  if (!assay_cli_parse (
          cli, entries, "MODEL --calibration FOLDER|FILE -o MODEL",
          "Quantises a model to 8 bits with powers of two as scales, as the vendor's tools do, "
          "for\n"
          "what the target takes; the rest stays float.",
          "Written as QuantizeLinear and DequantizeLinear, which ONNX Runtime runs. Exit status: "
          "0 if\n"
          "the model is written, 1 if the target takes nothing of it, 2 for bad input, 3 if a "
          "file\n"
          "cannot be read or written.",
          argc, argv, &status))
    return status;
  if (options.written == NULL)
    return assay_cli_usage (cli, "no --output given: where to write the quantised model");
  if (options.n_random < 0 || options.n_random > 100000)
    return assay_cli_usage (cli, "--random %d: expected 1 to 100000", options.n_random);
  if (options.n_gains < 0 || options.n_gains > 1000)
    return assay_cli_usage (cli, "--costs %d: expected 0 to 1000", options.n_gains);
  if (options.paths == NULL && options.n_random == 0)
    return assay_cli_usage (cli, "no samples: expected --calibration FOLDER or --random N");
  name = assay_settings_dup_text (cli->settings, ASSAY_SETTING_QUANTIZER);
  tool = assay_quantizer_find (name, &error);
  if (tool == NULL)
    return assay_cli_usage (cli, "--quantizer: %s", error->message);
  if (cli->target == NULL)
    cli->target = g_strdup (DEFAULT_TARGET);

  return quantize_model (cli, &options, tool);
}
