/* test-target.c
 * SPDX-License-Identifier: Apache-2.0
 */
#include "base/assay-error.h"
#include "nnir/assay-graph-builder.h"
#include "target/assay-predicate.h"
#include "target/assay-target.h"

/* A convolution of @batch images and a Relu behind it. */
static AssayGraph *
conv_relu (gint64 batch)
{
  AssayGraph *graph = assay_graph_new ();
  const gint64 dims[] = { batch, 3, 8, 8 };
  const gint64 weight_dims[] = { 4, 3, 1, 1 };
  const float weight[12] = { 1.0f };
  g_autoptr (AssayTensor) tensor = assay_tensor_new_f32 (4, weight_dims, weight);
  AssayValueId inputs[2];
  AssayValueId middle, out;

  inputs[0] = assay_graph_add_input (graph, ASSAY_MAIN_REGION, "x", assay_type_new_fixed (graph->arena, ASSAY_DTYPE_F32, 4, dims));
  inputs[1] = assay_graph_add_constant (graph, ASSAY_MAIN_REGION, "w", tensor);
  middle = assay_graph_add_value (graph, ASSAY_MAIN_REGION, ASSAY_VALUE_RESULT, "m", assay_type_new_fixed (graph->arena, ASSAY_DTYPE_F32, 4, dims));
  out = assay_graph_add_value (graph, ASSAY_MAIN_REGION, ASSAY_VALUE_RESULT, "y", assay_type_new_fixed (graph->arena, ASSAY_DTYPE_F32, 4, dims));
  assay_graph_add_node (graph, ASSAY_MAIN_REGION, ASSAY_OP_Conv, "conv", 2, inputs, 1, &middle);
  assay_graph_add_node (graph, ASSAY_MAIN_REGION, ASSAY_OP_Relu, "relu", 1, &middle, 1, &out);
  assay_graph_add_output (graph, ASSAY_MAIN_REGION, out);

  return graph;
}

static const AssayVerdict *
find (AssayVerdicts *verdicts,
      const char    *name)
{
  for (AssayNodeId id = 1; id < assay_graph_n_nodes (verdicts->graph); id++)
    if (g_str_equal (assay_graph_node (verdicts->graph, id)->name, name))
      return assay_verdicts_get (verdicts, id);

  g_error ("no node %s", name);
}

static void
test_fused (void)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (AssayTarget) target = assay_target_load ("vulkan-seed", &error);
  g_autoptr (AssayGraph) graph = conv_relu (1);
  g_autoptr (AssayVerdicts) verdicts = NULL;
  const AssayVerdict *conv, *relu;

  g_assert_no_error (error);
  verdicts = assay_target_check (target, graph, NULL, NULL, &error);
  g_assert_no_error (error);

  conv = find (verdicts, "conv");
  relu = find (verdicts, "relu");
  g_assert_cmpint (conv->kind, ==, ASSAY_VERDICT_SUPPORTED);
  g_assert_cmpint (relu->kind, ==, ASSAY_VERDICT_FUSED);
  g_assert_cmpuint (relu->into, ==, conv->node);
  g_assert_cmpuint (verdicts->n_partitions, ==, 1);
  g_assert_cmpuint (verdicts->n_transitions, ==, 0);
}

static void
test_rejected (void)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (AssayTarget) target = assay_target_load ("vulkan-seed", &error);
  g_autoptr (AssayGraph) graph = conv_relu (2);
  g_autoptr (AssayVerdicts) verdicts = assay_target_check (target, graph, NULL, NULL, &error);
  const AssayVerdict *conv;
  const AssayCause *cause;

  g_assert_no_error (error);
  conv = find (verdicts, "conv");
  g_assert_cmpint (conv->kind, ==, ASSAY_VERDICT_REJECTED);
  g_assert_cmpstr (conv->actual, ==, "2");
  g_assert_nonnull (conv->allowed);
  g_assert_nonnull (strstr (conv->reason, "batch"));
  /* What nothing is left to be fused into stands alone. */
  g_assert_cmpint (find (verdicts, "relu")->kind, ==, ASSAY_VERDICT_SUPPORTED);
  g_assert_cmpuint (verdicts->n_partitions, ==, 1);
  g_assert_cmpuint (verdicts->n_transitions, ==, 1);

  g_assert_cmpuint (verdicts->causes->len, ==, 1);
  cause = &g_array_index (verdicts->causes, AssayCause, 0);
  g_assert_cmpint (cause->kind, ==, ASSAY_VERDICT_REJECTED);
  g_assert_cmpstr (cause->rule, ==, conv->rule);
  g_assert_cmpuint (cause->nodes->len, ==, 1);
}

int
main (int   argc,
      char *argv[])
{
  g_test_init (&argc, &argv, NULL);

  g_test_add_func ("/target/check/fused", test_fused);
  g_test_add_func ("/target/check/rejected", test_rejected);

  return g_test_run ();
}
