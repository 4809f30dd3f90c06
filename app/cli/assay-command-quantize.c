/* assay-command-quantize.c
 * SPDX-License-Identifier: Apache-2.0
 */
#include "assay-cli-model.h"
#include "assay-command.h"
#include "backend/assay-backend.h"
#include "base/assay-error.h"
#include "fix/assay-quantized-model.h"
#include "report/assay-quantize-report.h"

/* Whose verdicts say what is quantised if no target is named: the one with the most channels. */
#define DEFAULT_TARGET "dpu_zdx8g_b4096"

typedef struct
{
  char **paths;
  int n_random;
  gint64 seed;
  int n_gains;
  char *written;
} QuantizeOptions;

static void
quantize_options_clear (QuantizeOptions *self)
{
  g_strfreev (self->paths);
  g_free (self->written);
}

G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (QuantizeOptions, quantize_options_clear)

/* What the target does not take is a finding. */
static AssayExit
fail (AssayCli *cli, const GError *error, AssayFindings *findings)
{
  AssayExit status = assay_cli_fail (cli, error, findings);

  return g_error_matches (error, ASSAY_ERROR, ASSAY_ERROR_UNSUPPORTED) ? ASSAY_EXIT_FINDINGS
                                                                       : status;
}

static AssayExit
quantize_model (AssayCli *cli, const QuantizeOptions *options)
{
  const AssayQuantizeSamples samples = { (const char *const *) options->paths,
                                         (guint) options->n_random, (guint64) options->seed };
  g_autoptr (AssayTarget) target = NULL;
  g_autoptr (AssayWork) work = NULL;
  g_autoptr (AssayQuantizedModel) made = NULL;
  g_autoptr (GError) error = NULL;
  g_autofree char *text = NULL;
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

  made = assay_quantized_model_new (work, &samples, (guint) options->n_gains, options->written,
                                    &cli->progress, &error);
  if (made == NULL)
    return fail (cli, error, assay_work_get_findings (work));

  text = cli->json ? assay_quantize_report_to_json (made, cli->arguments[0], &length)
                   : assay_quantize_report_to_text (made, assay_cli_has_colours (cli), &length);

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
  g_auto (QuantizeOptions) options = { .n_gains = ASSAY_QUANTIZE_GAINS };
  const GOptionEntry entries[] = {
    { "calibration", 0, 0, G_OPTION_ARG_FILENAME_ARRAY, &options.paths,
      "Calibrate with a .npy, .npz or .pb file, or a folder of them", "FOLDER|FILE" },
    { "random", 0, 0, G_OPTION_ARG_INT, &options.n_random,
      "Calibrate with N random inputs, which says nothing about accuracy", "N" },
    { "seed", 0, 0, G_OPTION_ARG_INT64, &options.seed, "Seed of the random inputs", "SEED" },
    { "costs", 0, 0, G_OPTION_ARG_INT, &options.n_gains,
      "Measure what the N operations that cost most would gain (5); 0 measures nothing", "N" },
    { "output", 'o', 0, G_OPTION_ARG_FILENAME, &options.written,
      "The quantised model; replaced whole or not at all", "MODEL" },
    { "json", 0, 0, G_OPTION_ARG_NONE, &cli->json, "Write one JSON document", NULL },
    G_OPTION_ENTRY_NULL
  };
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
  if (options.n_random < 0 || options.n_random > ASSAY_QUANTIZE_MOST_RANDOM)
    return assay_cli_usage (cli, "--random %d: expected 1 to %d", options.n_random,
                            ASSAY_QUANTIZE_MOST_RANDOM);
  if (options.n_gains < 0 || options.n_gains > ASSAY_QUANTIZE_MOST_GAINS)
    return assay_cli_usage (cli, "--costs %d: expected 0 to %d", options.n_gains,
                            ASSAY_QUANTIZE_MOST_GAINS);
  if (options.paths == NULL && options.n_random == 0)
    return assay_cli_usage (cli, "no samples: expected --calibration FOLDER or --random N");
  name = assay_settings_dup_text (cli->settings, ASSAY_SETTING_QUANTIZER);
  if (assay_quantizer_find (name, &error) == NULL)
    return assay_cli_usage (cli, "--quantizer: %s", error->message);
  if (cli->target == NULL)
    cli->target = g_strdup (DEFAULT_TARGET);

  return quantize_model (cli, &options);
}
