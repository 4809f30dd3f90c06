/* agreement.c
 * SPDX-License-Identifier: Apache-2.0
 */
#include "agreement.h"

#include "graphs.h"

#include "backend/stream/compile/assay-compile.h"
#include "backend/stream/machine/assay-machine.h"
#include "backend/stream/machine/assay-stream-code-file.h"
#include "base/assay-error.h"
#include "nnir/assay-graph-builder.h"

/* All inputs but the first get values, as parameters have. */
void
agreement_fill_parameters (AssayGraph *graph)
{
  const GArray *inputs = assay_graph_region (graph, ASSAY_MAIN_REGION)->inputs;
  g_autoptr (GRand) rand = g_rand_new_with_seed (1);

  graph->ir_version = 3;
  for (guint i = 1; i < inputs->len; i++)
    {
      AssayValueId id = g_array_index (inputs, AssayValueId, i);
      AssayValue *value = assay_graph_edit_value (graph, id);
      gint64 dims[ASSAY_MAX_RANK];
      g_autofree float *values = NULL;
      g_autoptr (AssayTensor) tensor = NULL;
      gsize n;

      if (value->constant != NULL || value->type->dtype != ASSAY_DTYPE_F32 ||
          !assay_type_is_static (value->type) || !assay_type_count (value->type, &n))
        continue;
      for (int j = 0; j < value->type->rank; j++)
        dims[j] = value->type->dims[j].size;
      values = g_new (float, n + 1);
      for (gsize j = 0; j < n; j++)
        values[j] = (float) g_rand_double_range (rand, 0.1, 1);
      tensor = assay_tensor_new_f32 ((guint) value->type->rank, dims, values);
      assay_graph_set_constant (graph, id, tensor);
      value->is_parameter = TRUE;
    }
}

/* Whether the flag for dynamic weights can make a difference. */
gboolean
agreement_has_products (const AssayGraph *graph)
{
  for (AssayNodeId id = 1; id < assay_graph_n_nodes (graph); id++)
    {
      AssayOp op = assay_graph_node (graph, id)->op;

      if (op == ASSAY_OP_MatMul || op == ASSAY_OP_Gemm)
        return TRUE;
    }

  return FALSE;
}

static const AssayVerdict *
worst_of (AssayVerdicts *verdicts)
{
  const AssayVerdict *worst = NULL;

  for (AssayNodeId id = 1; id < assay_graph_n_nodes (verdicts->graph); id++)
    {
      const AssayVerdict *verdict = assay_verdicts_get (verdicts, id);

      if (verdict != NULL && (worst == NULL || verdict->kind < worst->kind))
        worst = verdict;
    }

  return worst;
}

/* What check and compiler disagree on, or NULL. The compiler's word on what it runs is tried once.
 */
char *
agreement_judge (AssayTarget *target, const AssayConfigValues *config, AssayGraph *graph,
                 AgreementCase *how)
{
  g_autoptr (AssaySettings) settings = NULL;
  AssayCompileOptions options = { 0 };
  g_autoptr (AssayVerdicts) verdicts = NULL;
  g_autoptr (AssayStreamCode) code = NULL;
  g_autoptr (AssayMachine) machine = NULL;
  g_autoptr (GError) error = NULL;
  const AssayVerdict *worst;

  assay_settings_set_axes (&settings, how->axes, how->n_axes);
  assay_settings_set_flag (&settings, ASSAY_SETTING_DYNAMIC_WEIGHTS, how->dynamic);
  assay_settings_set_flag (&settings, ASSAY_SETTING_DISABLE_OPTIMIZATIONS, TRUE);
  options.settings = settings;
  verdicts = graph_verdicts (target, graph, settings, &error);
  if (verdicts == NULL && g_error_matches (error, ASSAY_ERROR, ASSAY_ERROR_INVALID))
    return NULL;
  if (verdicts == NULL)
    return g_strdup_printf ("the check ends: %s", error->message);

  worst = worst_of (verdicts);
  how->accepted = worst == NULL || worst->kind > ASSAY_VERDICT_UNDECIDED;
  code = assay_compile (graph, config, &options, NULL, &error);
  if (code == NULL && g_error_matches (error, ASSAY_ERROR, ASSAY_ERROR_ALLOCATION))
    return NULL;
  if (code == NULL && how->accepted)
    return g_strdup_printf ("supported, but %s", error->message);
  if (code == NULL)
    return g_error_matches (error, ASSAY_ERROR, ASSAY_ERROR_UNSUPPORTED)
               ? NULL
               : g_strdup_printf ("error code %d: %s", error->code, error->message);
  if (!how->accepted && worst->kind == ASSAY_VERDICT_REJECTED && !how->published_only)
    return g_strdup_printf ("compiles, but %s: %s", worst->rule, worst->reason);

  if (!assay_stream_code_verify (code, &error))
    return g_strdup_printf ("the program is wrong: %s", error->message);
  machine = assay_machine_new (code, ASSAY_MACHINE_BF16, &error);

  return machine == NULL ? g_strdup_printf ("the machine refuses: %s", error->message) : NULL;
}
