/* assay-dpu-build.c
 * SPDX-License-Identifier: Apache-2.0
 */
#include <math.h>

#include "base/assay-error.h"
#include "backend/dpu/assay-dpu-program.h"

static const char *const engines[ASSAY_DPU_N_UNITS] = {
#define UNIT(ID, name, title) name,
#include "backend/dpu/assay-dpu-units.def"
#undef UNIT
};

/* The engine of a verdict; what has none of its own, such as a layout, only moves. */
static guint8
engine_of (const AssayVerdict *verdict)
{
  if (verdict->kind <= ASSAY_VERDICT_UNDECIDED || verdict->kind == ASSAY_VERDICT_REMOVED)
    return 0;
  for (guint i = 0; i < ASSAY_DPU_N_UNITS && i != ASSAY_DPU_UNIT_HOST; i++)
    if (g_strcmp0 (verdict->engine, engines[i]) == 0)
      return (guint8) (i + 1);

  return ASSAY_DPU_UNIT_MOVE + 1;
}

static gint64
read_int (AssayTarget *target, const char *name, gint64 fallback)
{
  gint64 value = fallback;

  assay_target_get_config_int (target, name, &value);
  return CLAMP (value, 1, 1 << 20);
}

static gboolean
has_option (const AssaySettings *settings, const char *name)
{
  const char *value = assay_settings_get_entry (settings, ASSAY_SETTING_TARGET_OPTION, name);

  return value != NULL && (g_str_equal (value, "true") || g_str_equal (value, "1"));
}

/* A scale that the device does not have makes the model another one: it is for the user to decide
 * what becomes of it. */
static gboolean
check_scales (const AssayGraph *graph, GError **error)
{
  for (AssayNodeId id = 1; id < assay_graph_n_nodes (graph); id++)
    {
      const AssayNode *node = assay_graph_node (graph, id);
      AssayTensor *scale = assay_graph_constant (graph, assay_node_input (node, 1));
      g_autofree char *nearest = NULL;
      double value;
      int position;

      if ((node->op != ASSAY_OP_QuantizeLinear && node->op != ASSAY_OP_DequantizeLinear) ||
          scale == NULL || !assay_tensor_get_element (scale, 0, &value, NULL) ||
          assay_position_of_scale (value, &position) || !(value > 0))
        continue;
      nearest = assay_position_describe_nearest (
          value, assay_graph_constant (graph, assay_node_input (node, 0)));
      g_set_error (error, ASSAY_ERROR, ASSAY_ERROR_UNSUPPORTED,
                   "%s: its scale %.9g is no power of two; %s; `assay quantize` makes such scales "
                   "of the model in float",
                   node->name, value, nearest);
      return FALSE;
    }

  return TRUE;
}

static AssayVerdicts *
get_verdicts (AssayTarget *target, const AssayCompileModel *model,
              const AssayCompileOptions *options, const AssayProgress *progress, GError **error)
{
  g_autoptr (AssayForms) forms = NULL;

  if (model->verdicts != NULL)
    return assay_verdicts_ref (model->verdicts);
  forms = assay_forms_new (model->graph);

  return assay_target_check (target, forms, options != NULL ? options->settings : NULL, progress,
                             error);
}

/**
 * assay_dpu_program_build:
 * @target: what it is built for
 * @models: (array length=n_models): the model
 * @n_models: one
 * @config: not used
 * @options: (nullable): what is wanted of the program
 * @progress: (nullable): progress and cancel
 * @error: return location for a #GError
 *
 * Builds a program of a quantised model.
 *
 * Returns: (transfer full) (nullable): the program
 */
AssayProgram *
assay_dpu_program_build (AssayTarget *target, const AssayCompileModel *models, guint n_models,
                         const AssayConfigValues *config, const AssayCompileOptions *options,
                         const AssayProgress *progress, GError **error)
{
  const AssayCompileOptions *own = models[0].options != NULL ? models[0].options : options;
  const AssaySettings *settings = own != NULL ? own->settings : NULL;
  g_autoptr (AssayVerdicts) verdicts = NULL;
  g_autofree guint8 *placed = NULL;
  g_autofree AssayNodeId *into = NULL;
  g_autofree char *tool = assay_settings_dup_text (settings, ASSAY_SETTING_QUANTIZER);
  AssayDpuOptions wanted = { 0 };
  AssayDpuSize size;
  guint n;

  if (n_models > 1)
    {
      g_set_error_literal (error, ASSAY_ERROR, ASSAY_ERROR_UNSUPPORTED,
                           "a program for a DPU has one model");
      return NULL;
    }
  wanted.exact_relu6 = has_option (settings, "exact_relu6");
  wanted.exact_bias = has_option (settings, "exact_bias");
  wanted.quantizer = assay_quantizer_find (tool, error);
  verdicts = wanted.quantizer != NULL ? get_verdicts (target, &models[0], own, progress, error)
                                      : NULL;
  if (verdicts == NULL || !check_scales (verdicts->graph, error))
    return NULL;

  size = (AssayDpuSize){
    .pixels = (guint) read_int (target, "pixel_parallel", 8),
    .inputs = (guint) read_int (target, "channel_parallel", 16),
    .outputs = (guint) read_int (target, "output_parallel", 16),
    .clock_mhz = (guint) read_int (target, "clock_mhz", 300),
    .bytes = (guint) read_int (target, "memory_bytes_per_cycle", 16),
  };
  n = assay_graph_n_nodes (verdicts->graph);
  placed = g_new0 (guint8, n);
  into = g_new0 (AssayNodeId, n);
  for (AssayNodeId id = 1; id < n; id++)
    {
      const AssayVerdict *verdict = assay_verdicts_get (verdicts, id);

      placed[id] = engine_of (verdict);
      into[id] = verdict->into;
    }

  return assay_dpu_program_new (verdicts->graph, &(AssayDpuPlacement){ placed, into }, &wanted,
                                &size, assay_target_get_id (target),
                                own != NULL && own->model_name != NULL ? own->model_name
                                                                       : verdicts->graph->name,
                                own != NULL ? own->findings : NULL, error);
}
