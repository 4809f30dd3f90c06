/* test-agreement.c
 * SPDX-License-Identifier: Apache-2.0
 *
 * The law between verdicts and compiler: what a check of a block-streaming target calls supported compiles, or fails
 * for want of room; what it rejects does not compile.
 */
#include <glib.h>
#include <string.h>

#include "base/assay-error.h"
#include "compile/assay-compile.h"
#include "machine/assay-machine.h"
#include "machine/assay-program-file.h"
#include "nnir/assay-axes.h"
#include "nnir/assay-graph-builder.h"
#include "test-models.h"

#define TARGET "ia_420f_c6b32"

/* All inputs but the first get values, as parameters have. */
static void
fill_parameters (AssayGraph *graph)
{
  const GArray *inputs = assay_graph_region (graph, ASSAY_MAIN_REGION)->inputs;

  graph->ir_version = 3;
  for (guint i = 1; i < inputs->len; i++)
    {
      AssayValueId id = g_array_index (inputs, AssayValueId, i);
      AssayValue *value = &g_array_index (graph->values, AssayValue, id);
      gint64 dims[ASSAY_MAX_RANK];
      g_autofree float *values = NULL;
      g_autoptr (AssayTensor) tensor = NULL;
      gsize n;

      if (value->constant != NULL || value->type->dtype != ASSAY_DTYPE_F32 || !assay_type_is_static (value->type) ||
          !assay_type_count (value->type, &n))
        continue;
      for (int j = 0; j < value->type->rank; j++)
        dims[j] = value->type->dims[j].size;
      values = g_new (float, n + 1);
      for (gsize j = 0; j < n; j++)
        values[j] = (float) g_test_rand_double_range (0.1, 1);
      tensor = assay_tensor_new_f32 ((guint) value->type->rank, dims, values);
      assay_graph_set_constant (graph, id, tensor);
      value->is_parameter = TRUE;
    }
}

static gboolean
computes_nothing (AssayVerdicts *verdicts)
{
  const AssayRegion *main = assay_graph_region (verdicts->graph, ASSAY_MAIN_REGION);

  for (guint i = 0; i < main->outputs->len; i++)
    {
      AssayValueId id = g_array_index (main->outputs, AssayValueId, i);

      if (id == ASSAY_NO_VALUE || assay_graph_is_constant (verdicts->graph, id))
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

/* Whether verdicts and compiler agree on a model; the compiler's word on what it runs is tried once. */
static gboolean
agree (AssayTarget *target,
       AssayGraph  *graph,
       const int   *axes,
       guint        n_axes,
       const char  *name)
{
  const AssayCheckOptions check = { .streaming_axes = axes, .n_streaming_axes = n_axes };
  const AssayCompileOptions options =
    { .streaming_axes = axes, .n_streaming_axes = n_axes, .disable_optimizations = TRUE };
  g_autoptr (AssayVerdicts) verdicts = NULL;
  g_autoptr (AssayConfig) config = NULL;
  g_autoptr (AssayCode) code = NULL;
  g_autoptr (GError) error = NULL;
  const AssayVerdict *worst;
  gboolean allowed;

  verdicts = assay_target_check (target, graph, &check, NULL, &error);
  if (verdicts == NULL && error->code == ASSAY_ERROR_INVALID)
    return TRUE;
  g_assert_no_error (error);
  if (computes_nothing (verdicts))
    return TRUE;

  worst = worst_of (verdicts);
  allowed = worst == NULL || worst->kind > ASSAY_VERDICT_UNDECIDED;
  config = assay_config_new_preset (TARGET, &error);
  g_assert_no_error (error);
  code = assay_compile (graph, assay_config_get_values (config), &options, NULL, &error);

  if (code != NULL)
    {
      g_autoptr (AssayMachine) machine = NULL;

      if (!allowed && worst->kind == ASSAY_VERDICT_REJECTED)
        {
          g_test_message ("%s: compiles, but %s: %s", name, worst->rule, worst->reason);
          return FALSE;
        }
      g_assert_true (assay_code_verify (code, &error));
      machine = assay_machine_new (code, ASSAY_MACHINE_BF16, &error);
      g_assert_nonnull (machine);
      return TRUE;
    }
  if (error->code == ASSAY_ERROR_ALLOCATION || !allowed)
    {
      if (error->code != ASSAY_ERROR_ALLOCATION && error->code != ASSAY_ERROR_UNSUPPORTED)
        g_test_message ("%s: error code %d: %s", name, error->code, error->message);
      return error->code == ASSAY_ERROR_ALLOCATION || error->code == ASSAY_ERROR_UNSUPPORTED;
    }

  g_test_message ("%s: supported, but %s", name, error->message);
  return FALSE;
}

/* Every model of the ONNX test data, unstreamed and along every axis of the first input. */
static void
test_corpus (gconstpointer data)
{
  const char *part = data;
  g_autofree char *folder = g_build_filename (MODELS, part, NULL);
  g_autoptr (GDir) dir = g_dir_open (folder, 0, NULL);
  g_autoptr (AssayTarget) target = load_target (TARGET);
  const char *name;
  guint n = 0, n_bad = 0;

  if (dir == NULL)
    {
      g_test_skip ("the package libonnx-testdata is not there");
      return;
    }

  while ((name = g_dir_read_name (dir)) != NULL)
    {
      g_autofree char *path = g_build_filename (folder, name, "model.onnx", NULL);
      g_autoptr (AssayGraph) graph = assay_import_file (path, NULL, NULL, NULL, NULL);
      const GArray *inputs;
      int rank = 0;

      if (graph == NULL)
        continue;
      fill_parameters (graph);
      inputs = assay_graph_region (graph, ASSAY_MAIN_REGION)->inputs;
      if (inputs->len > 0)
        rank = assay_type_rank (assay_graph_value (graph, g_array_index (inputs, AssayValueId, 0))->type);

      for (int axis = -1; axis < rank; axis++)
        {
          g_autofree char *title = g_strdup_printf ("%s axis %d", name, axis);

          n++;
          n_bad += !agree (target, graph, axis < 0 ? NULL : &axis, axis < 0 ? 0 : 1, title);
        }
    }

  g_test_message ("%u cases, %u disagree", n, n_bad);
  g_assert_cmpuint (n_bad, ==, 0);
}

int
main (int    argc,
      char **argv)
{
  g_test_init (&argc, &argv, NULL);

  g_test_add_data_func ("/agreement/node", "node", test_corpus);
  g_test_add_data_func ("/agreement/simple", "simple", test_corpus);
  g_test_add_data_func ("/agreement/pytorch-operator", "pytorch-operator", test_corpus);
  g_test_add_data_func ("/agreement/pytorch-converted", "pytorch-converted", test_corpus);

  return g_test_run ();
}
