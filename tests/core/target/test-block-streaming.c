/* test-block-streaming.c
 * SPDX-License-Identifier: Apache-2.0
 */
#include <glib.h>
#include <string.h>

#include "base/assay-error.h"
#include "nnir/shape/assay-infer.h"
#include "nnir/text/assay-text.h"
#include "target/assay-target.h"
#include "test-graph.h"
#include "test-models.h"
#include "graphs.h"
#include "test-program.h"

#define TARGET "ia_420f_c6b32"

/* One single-node case of the ONNX test data: the operation, its verdict and rule. */
typedef struct
{
  const char *model;
  const char *op;
  AssayVerdictKind kind;
  const char *rule;
} Case;

#define SUPPORTED ASSAY_VERDICT_SUPPORTED
#define REJECTED ASSAY_VERDICT_REJECTED
#define REMOVED ASSAY_VERDICT_REMOVED
#define TRANSFORMED ASSAY_VERDICT_TRANSFORMED

/* The published list of supported operations against the test data, with inputs after the first as
 * parameters. */
static const Case cases[] = {
  /* + - * / and two-tensor maximum, minimum */
  { "node/test_add", "Add", SUPPORTED, "pointwise" },
  { "node/test_sub", "Sub", SUPPORTED, "pointwise" },
  { "node/test_mul", "Mul", SUPPORTED, "pointwise" },
  { "node/test_div", "Div", SUPPORTED, "pointwise" },
  { "node/test_add_bcast", "Add", SUPPORTED, "pointwise" },
  { "node/test_max_example", "Max", SUPPORTED, "pointwise" },
  { "node/test_max_one_input", "Max", SUPPORTED, "pointwise" },
  { "node/test_min_two_inputs", "Min", SUPPORTED, "pointwise" },
  { "node/test_neg", "Neg", SUPPORTED, "pointwise" },
  { "node/test_max_int8", "Max", REJECTED, "dtype" },
  { "node/test_min_int64", "Min", REJECTED, "dtype" },
  { "node/test_add_uint8", "Add", REJECTED, "dtype" },
  /* inequalities inputs a Where only */
  { "node/test_greater", "Greater", REJECTED, "inequality" },
  { "node/test_less", "Less", REJECTED, "inequality" },
  { "node/test_greater_equal", "GreaterOrEqual", REJECTED, "inequality" },
  { "node/test_less_equal", "LessOrEqual", REJECTED, "inequality" },
  { "node/test_where_example", "Where", REJECTED, "where" },
  /* clamp, relu */
  { "node/test_clip_example", "Clip", SUPPORTED, "clamp" },
  { "node/test_clip_default_int8_min", "Clip", REJECTED, "dtype" },
  { "node/test_relu", "Relu", SUPPORTED, "clamp" },
  /* products with one constant side */
  { "node/test_gemm_all_attributes", "Gemm", SUPPORTED, "product" },
  { "node/test_gemm_transposeA", "Gemm", SUPPORTED, "product" },
  { "node/test_matmul_2d", "Linear", SUPPORTED, "product" },
  { "node/test_matmul_3d", "MatMul", SUPPORTED, "product" },
  { "pytorch-converted/test_Linear", "Linear", SUPPORTED, "product" },
  /* 1-D convolution, any groups; 3-D not */
  { "pytorch-converted/test_Conv1d", "Conv", SUPPORTED, "convolution" },
  { "pytorch-converted/test_Conv1d_dilated", "Conv", SUPPORTED, "convolution" },
  { "pytorch-converted/test_Conv1d_groups", "Conv", SUPPORTED, "convolution" },
  { "pytorch-converted/test_Conv1d_pad1", "Conv", SUPPORTED, "convolution" },
  { "pytorch-converted/test_Conv1d_pad1size1", "Conv", SUPPORTED, "convolution" },
  { "pytorch-converted/test_Conv1d_pad2", "Conv", SUPPORTED, "convolution" },
  { "pytorch-converted/test_Conv1d_pad2size1", "Conv", SUPPORTED, "convolution" },
  { "pytorch-converted/test_Conv1d_stride", "Conv", SUPPORTED, "convolution" },
  { "node/test_basic_conv_with_padding", "Conv", SUPPORTED, "convolution" },
  { "pytorch-converted/test_Conv3d", "Conv", REJECTED, "convolution" },
  { "node/test_convtranspose_1d", "ConvTranspose", REJECTED, "no-form" },
  /* recurrent layers */
  { "node/test_lstm_defaults", "LSTM", SUPPORTED, "lstm" },
  { "node/test_lstm_with_initial_bias", "LSTM", SUPPORTED, "lstm" },
  { "node/test_lstm_with_peepholes", "LSTM", REJECTED, "lstm" },
  { "node/test_lstm_batchwise", "LSTM", REJECTED, "lstm" },
  { "node/test_gru_defaults", "GRU", SUPPORTED, "gru" },
  { "node/test_gru_batchwise", "GRU", REJECTED, "gru" },
  { "node/test_simple_rnn_defaults", "RNN", SUPPORTED, "rnn" },
  /* indexing */
  { "node/test_gather_0", "Gather", SUPPORTED, "gather" },
  { "node/test_gather_2d_indices", "Gather", REJECTED, "gather" },
  { "node/test_slice", "Slice", ASSAY_VERDICT_UNDECIDED, "slice" },
  /* normalization */
  { "node/test_layer_normalization_4d_axis3", "LayerNormalization", SUPPORTED,
    "layer-normalization" },
  { "node/test_layer_normalization_default_axis", "LayerNormalization", SUPPORTED,
    "layer-normalization" },
  { "node/test_layer_normalization_4d_axis1", "LayerNormalization", REJECTED,
    "layer-normalization" },
  { "node/test_batchnorm_example", "BatchNormalization", SUPPORTED, "batch-normalization" },
  { "node/test_batchnorm_example_training_mode", "BatchNormalization", REJECTED,
    "batch-normalization" },
  /* moves of data */
  { "node/test_concat_2d_axis_0", "Concat", SUPPORTED, "concat" },
  { "node/test_transpose_all_permutations_1", "Transpose", SUPPORTED, "transpose" },
  { "node/test_reshape_one_dim", "Reshape", SUPPORTED, "shape" },
  { "node/test_flatten_axis1", "Flatten", SUPPORTED, "flatten" },
  { "node/test_expand_dim_changed", "Expand", SUPPORTED, "shape" },
  /* functions and sums */
  { "node/test_sqrt", "Sqrt", SUPPORTED, "activation.function" },
  { "node/test_reciprocal", "Reciprocal", SUPPORTED, "activation.function" },
  { "node/test_tanh", "Tanh", SUPPORTED, "activation.function" },
  { "node/test_sigmoid", "Sigmoid", SUPPORTED, "activation.function" },
  { "node/test_exp", "Exp", SUPPORTED, "activation.function" },
  { "node/test_log", "Log", SUPPORTED, "activation.function" },
  { "node/test_softplus", "Softplus", SUPPORTED, "activation.function" },
  { "node/test_elu", "Elu", SUPPORTED, "activation.more" },
  { "node/test_sum_example", "Sum", TRANSFORMED, "sum" },
  { "node/test_softmax_axis_0", "Softmax", SUPPORTED, "softmax" },
  { "node/test_cast_FLOAT_to_FLOAT16", "Cast", SUPPORTED, "cast" },
  { "node/test_cast_FLOAT_to_DOUBLE", "Cast", REJECTED, "cast" },
  /* sums: keepdims wherever the data dimension goes; the input is free, so only a sum over all axes
     must keep them */
  { "node/test_reduce_mean_keepdims_example", "ReduceMean", SUPPORTED, "reduce" },
  { "node/test_reduce_mean_do_not_keepdims_example", "ReduceMean", SUPPORTED, "reduce" },
  { "node/test_reduce_mean_default_axes_keepdims_example", "ReduceMean", SUPPORTED, "reduce" },
  { "node/test_reduce_max_do_not_keepdims_example", "ReduceMax", SUPPORTED, "reduce" },
  { "node/test_reduce_sum_keepdims_example", "ReduceSum", ASSAY_VERDICT_UNDECIDED,
    "data-dimension" },
  { "pytorch-operator/test_operator_reduced_sum_keepdim", "ReduceSum", SUPPORTED, "reduce" },
  /* evaluation mode */
  { "node/test_dropout_default", "Dropout", REMOVED, "dropout" },
  { "node/test_identity", "Identity", REMOVED, "dropout" },
  /* pooling */
  { "node/test_maxpool_1d_default", "MaxPool", SUPPORTED, "pooling" },
  { "node/test_maxpool_2d_ceil", "MaxPool", REJECTED, "pooling" },
  { "node/test_averagepool_1d_default", "AveragePool", SUPPORTED, "pooling" },
  /* what no list names */
  { "node/test_argmax_default_axis_example", "ArgMax", REJECTED, "no-form" },
  { "node/test_hardmax_example", "Hardmax", REJECTED, "no-form" },
  { "node/test_abs", "Abs", REJECTED, "no-form" },
  { "node/test_sin", "Sin", REJECTED, "no-form" },
  { "node/test_cumsum_1d", "CumSum", REJECTED, "no-form" },
  { "node/test_resize_upsample_scales_nearest", "Resize", REJECTED, "no-form" },
  { "node/test_reduce_prod_default_axes_keepdims_example", "ReduceProd", REJECTED, "no-form" },
};

static void
test_cases (void)
{
  g_autoptr (AssayTarget) target = load_target (TARGET);

  if (!have_models ())
    return;

  for (guint i = 0; i < G_N_ELEMENTS (cases); i++)
    expect_case (target, cases[i].model, cases[i].op, cases[i].kind, cases[i].rule);
}

/* Graphs made here, for what the test data does not have. */
static AssayVerdicts *
check_graph (AssayGraph *graph, AssaySettings *settings)
{
  g_autoptr (AssayTarget) target = load_target (TARGET);
  g_autoptr (GError) error = NULL;
  AssayVerdicts *verdicts = graph_verdicts (target, graph, settings, &error);

  g_assert_no_error (error);

  return verdicts;
}

static const AssayVerdict *
first_of (AssayVerdicts *verdicts, const char *op)
{
  const AssayVerdict *verdict = find_op (verdicts, op);

  g_assert_nonnull (verdict);
  g_test_message ("%s: %s %s: %s", op, assay_verdict_name (verdict->kind), verdict->rule,
                  verdict->reason);

  return verdict;
}

/* Compare and select is one operation; so is a clamp behind a product. */
static void
test_fused (void)
{
  g_autoptr (AssayGraph) graph = assay_graph_new ();
  AssayValueId x = input (graph, "x", "4,8");
  AssayValueId l = op (graph, ASSAY_OP_Linear, "4,8", x, weight (graph, "8,8"), 0);
  AssayValueId r = op (graph, ASSAY_OP_Relu, "4,8", l, 0, 0);
  AssayValueId g = op (graph, ASSAY_OP_Greater, "4,8", r, weight (graph, "1"), 0);
  AssayValueId y = op (graph, ASSAY_OP_Where, "4,8", g, r, x);
  g_autoptr (AssayVerdicts) verdicts = NULL;

  assay_graph_add_output (graph, ASSAY_MAIN_REGION, y);
  verdicts = check_graph (graph, NULL);

  g_assert_cmpint (first_of (verdicts, "Relu")->kind, ==, ASSAY_VERDICT_FUSED);
  g_assert_cmpuint (first_of (verdicts, "Relu")->into, ==, first_of (verdicts, "Linear")->node);
  g_assert_cmpint (first_of (verdicts, "Greater")->kind, ==, ASSAY_VERDICT_FUSED);
  g_assert_cmpuint (first_of (verdicts, "Greater")->into, ==, first_of (verdicts, "Where")->node);
  g_assert_nonnull (verdicts->data_dims);
}

static void
test_dynamic_weights (void)
{
  for (int dynamic = 0; dynamic < 2; dynamic++)
    {
      g_autoptr (AssaySettings) settings = NULL;
      g_autoptr (AssayGraph) graph = assay_graph_new ();
      AssayValueId y = op (graph, ASSAY_OP_MatMul, "4,5", input (graph, "x", "4,8"),
                           input (graph, "y", "8,5"), 0);
      g_autoptr (AssayVerdicts) verdicts = NULL;

      assay_graph_add_output (graph, ASSAY_MAIN_REGION, y);
      assay_settings_set_flag (&settings, ASSAY_SETTING_DYNAMIC_WEIGHTS, dynamic);
      verdicts = check_graph (graph, settings);
      g_assert_cmpint (first_of (verdicts, "MatMul")->kind, ==, dynamic ? SUPPORTED : REJECTED);
    }
}

/* keepdims on the data dimension: the rule is named by what it is about. */
static void
test_data_dimension (void)
{
  for (int keep = 0; keep < 2; keep++)
    {
      g_autoptr (AssayGraph) graph = assay_graph_new ();
      AssayValueId x = op (graph, ASSAY_OP_Linear, "4,8", input (graph, "x", "4,8"),
                           weight (graph, "8,8"), 0);
      AssayValueId y = op (graph, ASSAY_OP_ReduceSum, keep ? "4,1" : "4", x, ints (graph, "1"), 0);
      g_autoptr (AssayVerdicts) verdicts = NULL;
      const AssayVerdict *verdict;

      assay_graph_set_int (graph, node_of (graph, y), "keepdims", keep);
      assay_graph_add_output (graph, ASSAY_MAIN_REGION, y);
      verdicts = check_graph (graph, NULL);
      verdict = first_of (verdicts, "ReduceSum");
      g_assert_cmpint (verdict->kind, ==, keep ? SUPPORTED : REJECTED);
      g_assert_cmpstr (verdict->rule, ==, keep ? "reduce" : "reduce.axis");
      if (!keep)
        g_assert_cmpint (verdict->stage, ==, ASSAY_STAGE_COMPILE);
    }
}

static void
test_streaming (void)
{
  for (int axis = 0; axis < 2; axis++)
    {
      g_autoptr (AssaySettings) settings = NULL;
      g_autoptr (AssayGraph) graph = assay_graph_new ();
      AssayValueId y = op (graph, ASSAY_OP_Softmax, "6,8", input (graph, "x", "6,8"), 0, 0);
      g_autoptr (AssayVerdicts) verdicts = NULL;

      assay_graph_add_output (graph, ASSAY_MAIN_REGION, y);
      assay_settings_set_axis (&settings, 0, axis);
      verdicts = check_graph (graph, settings);
      g_assert_cmpint (first_of (verdicts, "Softmax")->kind, ==, axis == 0 ? SUPPORTED : REJECTED);
      g_assert_cmpstr (first_of (verdicts, "Softmax")->rule, ==,
                       axis == 0 ? "softmax" : "streaming.axis");
      g_assert_cmpint (verdicts->data_dims[y], ==, axis == 0 ? 1 : 0);
    }
}

/* A timestep that is one number has no lanes: one node is rejected, that which makes it so or reads
 * it first, and what follows is not. */
static void
test_streamed_numbers (void)
{
  for (guint reduced = 0; reduced < 2; reduced++)
    {
      g_autoptr (AssaySettings) settings = NULL;
      g_autoptr (AssayGraph) graph = assay_graph_new ();
      AssayValueId x = input (graph, "x", reduced ? "6,8" : "6");
      AssayValueId s = op (graph, reduced ? ASSAY_OP_ReduceSum : ASSAY_OP_Tanh, "6", x,
                           reduced ? ints (graph, "1") : 0, 0);
      AssayValueId y = op (graph, ASSAY_OP_Relu, "6", s, 0, 0);
      g_autoptr (AssayVerdicts) verdicts = NULL;
      const AssayVerdict *verdict;

      if (reduced)
        assay_graph_set_int (graph, node_of (graph, s), "keepdims", 0);
      y = op (graph, ASSAY_OP_Sigmoid, "6", y, 0, 0);
      assay_graph_add_output (graph, ASSAY_MAIN_REGION, y);
      assay_settings_set_axis (&settings, 0, 0);
      verdicts = check_graph (graph, settings);
      verdict = first_of (verdicts, reduced ? "ReduceSum" : "Tanh");
      g_assert_cmpint (verdict->kind, ==, REJECTED);
      g_assert_cmpstr (verdict->rule, ==, "streaming.axis");
      g_assert_true (g_str_has_prefix (verdict->reason, "Streams over axis 0, "));
      g_assert_cmpint (first_of (verdicts, "Relu")->kind, ==, SUPPORTED);
      g_assert_cmpint (first_of (verdicts, "Sigmoid")->kind, ==, SUPPORTED);
    }
}

/* What f16 cannot hold stays finite: only bf16 is stored. Other types have no such note. */
static void
test_cast_note (void)
{
  static const gint64 to[] = { 1, 10, 16 };

  for (guint i = 0; i < G_N_ELEMENTS (to); i++)
    {
      g_autoptr (AssayGraph) graph = assay_graph_new ();
      AssayValueId x = input (graph, "x", "6,8");
      AssayValueId y = op (graph, ASSAY_OP_Cast, "6,8", x, 0, 0);
      g_autoptr (AssayVerdicts) verdicts = NULL;
      const AssayVerdict *verdict;

      assay_graph_set_int (graph, node_of (graph, y), "to", to[i]);
      assay_graph_add_output (graph, ASSAY_MAIN_REGION, y);
      g_assert_true (assay_graph_infer (graph, NULL, NULL, NULL));
      verdicts = check_graph (graph, NULL);
      verdict = first_of (verdicts, "Cast");
      g_assert_cmpint (verdict->kind, ==, SUPPORTED);
      g_assert_true ((verdict->notes != NULL && strstr (verdict->notes[0], "65,504") != NULL) ==
                     (to[i] == 10));
    }
}

static void
test_wrong_options (void)
{
  static const char *const dims[] = { "z=0", NULL };
  static const char *const both[] = { "x=0", "x=1", NULL };
  static const char *const streamed[] = { "x=0", NULL };
  static const struct
  {
    const char *const *data_dims;
    int axis;
  } options[] = { { dims, -1 }, { both, -1 }, { NULL, 7 }, { streamed, 0 } };

  for (guint i = 0; i < G_N_ELEMENTS (options); i++)
    {
      g_autoptr (AssayTarget) target = load_target (TARGET);
      g_autoptr (AssayGraph) graph = assay_graph_new ();
      g_autoptr (AssaySettings) settings = NULL;
      g_autoptr (GError) error = NULL;
      AssayValueId y = op (graph, ASSAY_OP_Relu, "6,8", input (graph, "x", "6,8"), 0, 0);

      assay_graph_add_output (graph, ASSAY_MAIN_REGION, y);
      assay_settings_set_list (&settings, ASSAY_SETTING_DATA_DIM, options[i].data_dims);
      assay_settings_set_axis (&settings, 0, options[i].axis);
      g_assert_null (graph_verdicts (target, graph, settings, &error));
      g_assert_error (error, ASSAY_ERROR, ASSAY_ERROR_INVALID);
    }
}

/* The presets differ in their stores, and say what nobody publishes. */
static void
test_presets (void)
{
  static const struct
  {
    const char *id;
    gint64 cores, block, weights, clock;
    gboolean clock_known;
  } presets[] = {
    { "ia_420f_c6b32", 6, 32, 512, 320, TRUE },   { "ia_840f_c3b64", 3, 64, 512, 320, TRUE },
    { "ia_840f_c2b64d", 2, 64, 1024, 320, TRUE }, { "nt400d11_c6b32", 6, 32, 512, 320, TRUE },
    { "v80_c6b32", 6, 32, 4096, 300, TRUE },      { "v80ll_c6b32", 6, 32, 4096, 330, TRUE },
    { "artena_c8b32", 8, 32, 4096, 300, FALSE },
  };

  for (guint i = 0; i < G_N_ELEMENTS (presets); i++)
    {
      g_autoptr (AssayTarget) target = load_target (presets[i].id);
      gint64 value;

      g_assert_true (assay_target_get_config_int (target, "num_cores", &value));
      g_assert_cmpint (value, ==, presets[i].cores);
      g_assert_true (assay_target_get_config_int (target, "block_size", &value));
      g_assert_cmpint (value, ==, presets[i].block);
      g_assert_true (assay_target_get_config_int (target, "weight_store_depth", &value));
      g_assert_cmpint (value, ==, presets[i].weights);
      g_assert_true (assay_target_get_config_int (target, "clock_mhz", &value));
      g_assert_cmpint (value, ==, presets[i].clock);
      g_assert_cmpint (assay_target_is_estimated (target, "clock_mhz"), ==,
                       !presets[i].clock_known);
      g_assert_true (assay_target_is_estimated (target, "tensor_ram_depth"));
      g_assert_false (assay_target_is_estimated (target, "weight_store_depth"));
    }
}

/* What the vendor does not list is refused if nothing else is wanted, and all the rest stays: the
 * single nodes above, with what becomes of them. */
static void
test_published_only (void)
{
  static const char *const unlisted[] = {
    "node/test_pow",
    "node/test_leakyrelu",
    "node/test_elu",
    "node/test_averagepool_1d_default",
    "node/test_globalmaxpool",
    "node/test_gru_defaults",
    "node/test_lstm_with_peepholes",
    "node/test_simple_rnn_defaults",
    "node/test_split_equal_parts_1d",
    "node/test_reduce_max_keepdims_example",
    "node/test_sum_two_inputs",
    "pytorch-converted/test_Conv2d",
    "pytorch-converted/test_Conv1d_groups",
  };
  g_autoptr (AssayTarget) target = load_target (TARGET);
  g_autoptr (AssaySettings) settings = NULL;

  if (!have_models ())
    return;

  assay_settings_set_flag (&settings, ASSAY_SETTING_INPUTS_ARE_PARAMETERS, TRUE);
  assay_settings_set_flag (&settings, ASSAY_SETTING_PUBLISHED_ONLY, TRUE);
  for (guint i = 0; i < G_N_ELEMENTS (unlisted); i++)
    {
      g_autoptr (AssayGraph) graph = load_model (unlisted[i]);
      g_autoptr (GError) error = NULL;
      g_autoptr (AssayVerdicts) verdicts = graph_verdicts (target, graph, settings, &error);

      g_assert_no_error (error);
      g_assert_cmpuint (verdicts->counts[ASSAY_VERDICT_REJECTED], ==, 1);
      g_assert_true (
          g_str_has_prefix (g_array_index (verdicts->causes, AssayCause, 0).rule, "unpublished"));
    }

  for (guint i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      g_autoptr (AssayGraph) graph = load_model (cases[i].model);
      g_autoptr (AssayVerdicts) all = check_model (target, cases[i].model);
      g_autoptr (AssayVerdicts) verdicts = graph_verdicts (target, graph, settings, NULL);
      gboolean refused = verdicts->causes->len > 0 &&
                         g_str_has_prefix (g_array_index (verdicts->causes, AssayCause, 0).rule,
                                           "unpublished");

      for (guint kind = 0; kind < ASSAY_N_VERDICTS && !refused; kind++)
        g_assert_cmpuint (verdicts->counts[kind], ==, all->counts[kind]);
    }
}

/* How a convolution is told that the vendor does not list. */
static void
test_published_groups (void)
{
  static const struct
  {
    const char *weight;
    int group;
    const char *reason; /* nullable: it is listed */
  } convolutions[] = {
    { "4,4,3", 1, NULL },
    { "4,1,3", 4, NULL },
    { "8,1,3", 4,
      "It is depthwise with a multiplier (4 for 4 channels), not of one group or depthwise" },
    { "4,2,3", 2, "It is grouped (2 for 4 channels), not of one group or depthwise" },
  };
  g_autoptr (AssayTarget) target = load_target (TARGET);
  g_autoptr (AssaySettings) settings = NULL;

  assay_settings_set_flag (&settings, ASSAY_SETTING_INPUTS_ARE_PARAMETERS, TRUE);
  assay_settings_set_flag (&settings, ASSAY_SETTING_PUBLISHED_ONLY, TRUE);
  for (guint i = 0; i < G_N_ELEMENTS (convolutions); i++)
    {
      g_autofree char *text = g_strdup_printf (
          "main (%%x : f32[1,4,8], %%w : f32[%s]) {\n"
          "  %%y = Conv(%%x, %%w) {group = %d} : f32[1,%c,6] @ \"conv\"\n  return %%y\n}\n",
          convolutions[i].weight, convolutions[i].group, convolutions[i].weight[0]);
      g_autoptr (GError) error = NULL;
      g_autoptr (AssayGraph) graph = assay_graph_from_text (text, -1, NULL, &error);
      g_autoptr (AssayVerdicts) verdicts = NULL;

      g_assert_no_error (error);
      verdicts = graph_verdicts (target, graph, settings, NULL);
      g_assert_cmpuint (verdicts->causes->len, ==, convolutions[i].reason != NULL);
      if (convolutions[i].reason != NULL)
        g_assert_cmpstr (g_array_index (verdicts->causes, AssayCause, 0).reason, ==,
                         convolutions[i].reason);
    }
}

/* The vendor's page lists tensors of float32. */
static void
test_published_dtypes (void)
{
  static const struct
  {
    const char *dtype;
    gboolean listed;
  } dtypes[] = { { "f32", TRUE }, { "f16", FALSE }, { "bf16", FALSE } };
  g_autoptr (AssayTarget) target = load_target (TARGET);
  g_autoptr (AssaySettings) settings = NULL;

  assay_settings_set_flag (&settings, ASSAY_SETTING_PUBLISHED_ONLY, TRUE);
  for (guint i = 0; i < G_N_ELEMENTS (dtypes); i++)
    {
      g_autofree char *text = g_strdup_printf (
          "main (%%x : %s[1,32]) {\n  %%y = Relu(%%x) : %s[1,32] @ \"relu\"\n  return %%y\n}\n",
          dtypes[i].dtype, dtypes[i].dtype);
      g_autoptr (GError) error = NULL;
      g_autoptr (AssayGraph) graph = assay_graph_from_text (text, -1, NULL, &error);
      g_autoptr (AssayVerdicts) all = NULL;
      g_autoptr (AssayVerdicts) published = NULL;

      g_assert_no_error (error);
      all = graph_verdicts (target, graph, NULL, NULL);
      published = graph_verdicts (target, graph, settings, NULL);
      g_assert_cmpuint (all->counts[ASSAY_VERDICT_SUPPORTED], ==, 1);
      g_assert_cmpuint (published->counts[ASSAY_VERDICT_SUPPORTED], ==, dtypes[i].listed);
      if (!dtypes[i].listed)
        g_assert_cmpstr (g_array_index (published->causes, AssayCause, 0).rule, ==,
                         "unpublished.dtype");
    }
}

TEST_PROGRAM (block_streaming)
{
  g_test_init (&argc, &argv, NULL);

  g_test_add_func ("/target/block-streaming/cases", test_cases);

  g_test_add_func ("/target/block-streaming/fused", test_fused);
  g_test_add_func ("/target/block-streaming/dynamic-weights", test_dynamic_weights);
  g_test_add_func ("/target/block-streaming/data-dimension", test_data_dimension);
  g_test_add_func ("/target/block-streaming/streaming", test_streaming);
  g_test_add_func ("/target/block-streaming/streamed-numbers", test_streamed_numbers);
  g_test_add_func ("/target/block-streaming/cast-note", test_cast_note);
  g_test_add_func ("/target/block-streaming/published-only", test_published_only);
  g_test_add_func ("/target/block-streaming/published-dtypes", test_published_dtypes);
  g_test_add_func ("/target/block-streaming/published-groups", test_published_groups);
  g_test_add_func ("/target/block-streaming/wrong-options", test_wrong_options);
  g_test_add_func ("/target/block-streaming/presets", test_presets);

  return g_test_run ();
}
