/* assay-canonical.c
 * SPDX-License-Identifier: Apache-2.0
 */
#include "nnir/pass/assay-canonical.h"

#include "nnir/pass/assay-pass.h"

typedef struct
{
  AssayPass public;
  AssayPassFunc run;
} Pass;

#define KEEPS_BITS "every number, bit by bit"
#define KEEPS_NUMBERS "every number, up to rounding"

static const Pass passes[] = {
  { { "decompose", "operators that the target does not list become those that it lists",
      KEEPS_NUMBERS },
    assay_pass_decompose },
  { { "remove-constant", "Constant nodes become constants", KEEPS_BITS },
    assay_pass_remove_constant },
  { { "fold-constants", "nodes whose results are known become constants", KEEPS_NUMBERS },
    assay_pass_fold_constants },
  { { "fold-if", "If with a constant condition becomes the branch it takes", KEEPS_BITS },
    assay_pass_fold_if },
  { { "remove-identity", "nodes whose output is their input go", KEEPS_BITS },
    assay_pass_remove_identity },
  { { "remove-dead", "nodes that no output depends on go", KEEPS_BITS }, assay_pass_remove_dead },
  { { "recognize-norm", "LayerNormalization and RMSNormalization are put together again",
      KEEPS_NUMBERS },
    assay_pass_recognize_norm },
  { { "recognize-activation", "Gelu, Swish, Mish, Softplus and HardSwish are put together again",
      KEEPS_NUMBERS },
    assay_pass_recognize_activation },
  { { "recognize-rsqrt", "the reciprocal of a square root becomes Rsqrt", KEEPS_NUMBERS },
    assay_pass_recognize_rsqrt },
  { { "linear",
      "Gemm and MatMul with a constant matrix become Linear, a constant added behind it its bias",
      KEEPS_NUMBERS },
    assay_pass_linear },
  { { "fold-batch-norm",
      "BatchNormalization goes into the weights of the convolution or Linear before it",
      KEEPS_NUMBERS },
    assay_pass_fold_batch_norm },
};

/**
 * assay_pass_list:
 * @index: position in the list
 *
 * Gets a pass by its position, which is the order in which they run.
 *
 * Returns: (transfer none) (nullable): the pass, %NULL past the end
 */
const AssayPass *
assay_pass_list (guint index)
{
  return index < G_N_ELEMENTS (passes) ? &passes[index].public : NULL;
}

/* Since IR version 4 a caller may override the default of an input; before it was a constant. */
static void
settle_defaults (AssayGraph *graph)
{
  const GArray *inputs = assay_graph_region (graph, ASSAY_MAIN_REGION)->inputs;

  for (guint i = 0; i < inputs->len; i++)
    {
      const AssayValue *value = assay_graph_value (graph, g_array_index (inputs, AssayValueId, i));

      if (value->is_parameter && value->constant != NULL)
        graph->ir_version = MIN (graph->ir_version, 3);
    }
}

/**
 * assay_graph_canonicalize_traced:
 * @self: a graph as imported, types inferred
 * @options: (nullable): what is wanted; %NULL for the default
 * @trace: (nullable) (scope call): called with the graph after every pass, which is sound then and
 * must not be changed
 * @user_data: data for @trace
 * @progress: (nullable): progress and cancel
 * @error: return location for a #GError
 *
 * Does what assay_graph_canonicalize() does and shows the graph after every pass.
 *
 * Returns: (transfer full) (nullable): a new graph
 */
AssayGraph *
assay_graph_canonicalize_traced (AssayGraph *self, const AssayCanonicalOptions *options,
                                 AssayPassTraceFunc trace, gpointer user_data,
                                 const AssayProgress *progress, GError **error)
{
  static const AssayCanonicalOptions defaults = ASSAY_CANONICAL_OPTIONS_DEFAULT;
  g_autoptr (AssayGraph) graph = assay_graph_copy (self);
  AssayRewriter rewriter;
  gboolean done = TRUE;

  if (options == NULL)
    options = &defaults;
  if (options->settle_defaults)
    settle_defaults (graph);
  assay_rewriter_init (&rewriter, graph, options);

  for (guint i = 0; i < G_N_ELEMENTS (passes) && done; i++)
    {
      assay_progress_report (progress, (double) i / G_N_ELEMENTS (passes),
                             passes[i].public.summary);
      done = passes[i].run (&rewriter, progress, error);

      /* The state goes on from pass to pass; only somebody who looks needs a tidy graph in between.
       */
      if (done && trace != NULL)
        {
          assay_rewriter_finish (&rewriter);
          trace (&passes[i].public, graph, user_data);
          assay_rewriter_init (&rewriter, graph, options);
        }
    }

  assay_rewriter_finish (&rewriter);
  if (!done)
    return NULL;

  graph->level = ASSAY_GRAPH_NNIR;

  return g_steal_pointer (&graph);
}

/**
 * assay_graph_canonicalize:
 * @self: a graph as imported, types inferred
 * @options: (nullable): what is wanted; %NULL for the default
 * @progress: (nullable): progress and cancel
 * @error: return location for a #GError
 *
 * Brings a graph into the compiler's form. Each rewrite is recorded with rule, before and after;
 * the origins of the replaced nodes go to the node that stands for them, whose name is that of the
 * ONNX node that makes its output. Where a decomposed pattern became one node, the decomposition
 * stays reachable: the origins name all of it, and the graph that was given is not changed.
 *
 * Returns: (transfer full) (nullable): a new graph
 */
AssayGraph *
assay_graph_canonicalize (AssayGraph *self, const AssayCanonicalOptions *options,
                          const AssayProgress *progress, GError **error)
{
  return assay_graph_canonicalize_traced (self, options, NULL, NULL, progress, error);
}

/**
 * assay_graph_absorbed:
 * @canonical: a graph that passes have made
 *
 * Tells for every ONNX node that a rewrite touched what became of it, so that a report can account
 * for each once.
 *
 * Returns: (transfer full) (element-type AssayAbsorbedOrigin): one entry per such ONNX node, in
 * order
 */
GArray *
assay_graph_absorbed (AssayGraph *canonical)
{
  GArray *absorbed = g_array_new (FALSE, FALSE, sizeof (AssayAbsorbedOrigin));
  g_autofree AssayNodeId *into = g_new0 (AssayNodeId, MAX (canonical->origins->len, 1));

  for (AssayNodeId i = 1; i < canonical->nodes->len; i++)
    {
      const AssayNode *node = assay_graph_node (canonical, i);

      for (guint j = 0; j < node->n_origins; j++)
        {
          if (node->origins[j] < canonical->origins->len)
            into[node->origins[j]] = i;
        }
    }

  for (guint32 i = 0; i < canonical->origins->len; i++)
    {
      AssayAbsorbedOrigin entry = { i, into[i],
                                    g_array_index (canonical->origins, AssayOrigin, i).rule };

      if (entry.rule != NULL)
        g_array_append_val (absorbed, entry);
    }

  return absorbed;
}
