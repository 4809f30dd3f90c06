/* test-dpu.c
 * SPDX-License-Identifier: Apache-2.0
 */
#include <glib.h>
#include <glib/gstdio.h>
#include <string.h>

#include "backend/assay-program.h"
#include "base/assay-error.h"
#include "draw/assay-memory-scene.h"

#include "test-graph.h"
#include "test-models.h"
#include "graphs.h"
#include "int8-model.h"
#include "test-program.h"

#define SMALL "dpu_zdx8g_b512"
#define LARGE "dpu_zdx8g_b4096"

#define HOST ASSAY_VERDICT_HOST
#define SUPPORTED ASSAY_VERDICT_SUPPORTED
#define TRANSFORMED ASSAY_VERDICT_TRANSFORMED

/* One case of the ONNX test data: the operation, its verdict and rule on the largest size. */
static const struct
{
  const char *model;
  const char *op;
  AssayVerdictKind kind;
  const char *rule;
} cases[] = {
  /* depthwise and groups */
  { "pytorch-converted/test_Conv2d_depthwise", "Conv", SUPPORTED, "depthwise" },
  { "pytorch-converted/test_Conv2d_depthwise_padded", "Conv", SUPPORTED, "depthwise" },
  { "pytorch-converted/test_Conv2d_depthwise_strided", "Conv", SUPPORTED, "depthwise" },
  { "pytorch-converted/test_Conv2d_depthwise_with_multiplier", "Conv", SUPPORTED, "depthwise" },
  { "pytorch-converted/test_Conv2d_groups", "Conv", HOST, "conv.group" },
  { "pytorch-converted/test_Conv2d_groups_thnn", "Conv", HOST, "conv.group" },
  { "pytorch-converted/test_Conv1d_groups", "Conv", HOST, "conv.group" },
  { "pytorch-converted/test_Conv2d", "Conv", SUPPORTED, "conv" },
  { "pytorch-converted/test_Conv2d_dilated", "Conv", SUPPORTED, "conv" },
  { "pytorch-converted/test_Conv2d_no_bias", "Conv", SUPPORTED, "conv" },
  { "pytorch-converted/test_Conv2d_padding", "Conv", SUPPORTED, "conv" },
  { "pytorch-converted/test_Conv2d_strided", "Conv", SUPPORTED, "conv" },
  { "pytorch-converted/test_Conv1d", "Conv", TRANSFORMED, "conv1d" },
  { "pytorch-converted/test_Conv1d_dilated", "Conv", TRANSFORMED, "conv1d" },
  { "pytorch-converted/test_Conv1d_pad1", "Conv", TRANSFORMED, "conv1d" },
  { "pytorch-converted/test_Conv1d_stride", "Conv", TRANSFORMED, "conv1d" },
  { "pytorch-converted/test_Conv3d", "Conv", HOST, "conv.rank" },
  { "pytorch-converted/test_Conv3d_groups", "Conv", HOST, "conv.rank" },
  { "node/test_conv_with_strides_and_asymmetric_padding", "Conv", SUPPORTED, "conv" },
  { "node/test_conv_with_autopad_same", "Conv", SUPPORTED, "conv" },
  /* output padding */
  { "node/test_convtranspose_output_shape", "ConvTranspose", HOST, "transposed.output-padding" },
  { "node/test_convtranspose_kernel_shape", "ConvTranspose", HOST, "transposed.output-padding" },
  { "node/test_convtranspose_with_kernel", "ConvTranspose", HOST, "transposed.output-padding" },
  { "node/test_convtranspose_pads", "ConvTranspose", SUPPORTED, "transposed" },
  { "node/test_convtranspose_dilations", "ConvTranspose", HOST, "transposed.dilation" },
  { "node/test_convtranspose_3d", "ConvTranspose", HOST, "transposed.rank" },
  /* pools: ceil, dilation, indices, uint8 */
  { "node/test_maxpool_2d_ceil", "MaxPool", SUPPORTED, "max-pool" },
  { "node/test_maxpool_2d_dilations", "MaxPool", HOST, "pool.dilation" },
  { "node/test_maxpool_2d_uint8", "MaxPool", HOST, "dtype" },
  { "node/test_maxpool_with_argmax_2d_precomputed_pads", "MaxPool", HOST, "pool.indices" },
  { "node/test_maxpool_with_argmax_2d_precomputed_strides", "MaxPool", HOST, "pool.indices" },
  { "node/test_averagepool_2d_pads", "AveragePool", SUPPORTED, "average-pool" },
  { "node/test_globalaveragepool", "GlobalAveragePool", SUPPORTED, "global-pool" },
  { "pytorch-converted/test_MaxPool3d", "MaxPool", HOST, "pool.rank" },
  /* pad modes */
  { "node/test_edge_pad", "Pad", HOST, "pad.mode" },
  { "node/test_reflect_pad", "Pad", HOST, "pad.mode" },
  { "pytorch-converted/test_ReflectionPad2d", "Pad", HOST, "pad.mode" },
  { "pytorch-converted/test_ReplicationPad2d", "Pad", HOST, "pad.mode" },
  { "pytorch-converted/test_ZeroPad2d", "Pad", SUPPORTED, "pad" },
  /* slope of LeakyRelu */
  { "node/test_leakyrelu", "LeakyRelu", SUPPORTED, "leaky-relu" },
  { "node/test_leakyrelu_example", "LeakyRelu", SUPPORTED, "leaky-relu" },
  { "node/test_leakyrelu_default", "LeakyRelu", HOST, "leaky-relu.slope" },
  /* resize */
  { "node/test_resize_upsample_scales_nearest", "Resize", SUPPORTED, "resize.nearest" },
  { "node/test_resize_upsample_scales_linear", "Resize", SUPPORTED, "resize.half-pixel" },
  { "node/test_resize_upsample_scales_linear_align_corners", "Resize", HOST, "resize.mode" },
  { "node/test_resize_upsample_scales_cubic", "Resize", HOST, "resize.mode" },
  { "node/test_resize_tf_crop_and_resize", "Resize", HOST, "resize.mode" },
  { "node/test_resize_downsample_scales_nearest", "Resize", HOST, "resize.scale" },
  /* elementwise */
  { "node/test_add", "Add", SUPPORTED, "add" },
  { "node/test_mul", "Mul", SUPPORTED, "mul" },
  { "node/test_mul_bcast", "Mul", SUPPORTED, "mul.constant" },
  { "node/test_sub", "Sub", HOST, "no-form" },
  { "node/test_div", "Div", HOST, "no-form" },
  { "node/test_relu", "Relu", HOST, "activation.alone" },
  { "node/test_hardsigmoid", "HardSigmoid", HOST, "hard-sigmoid.slope" },
  /* products */
  { "node/test_gemm_all_attributes", "Gemm", SUPPORTED, "product" },
  { "node/test_matmul_2d", "Linear", SUPPORTED, "product" },
  /* moves of data */
  { "node/test_concat_3d_axis_1", "Concat", HOST, "concat.rank" },
  { "node/test_transpose_all_permutations_1", "Transpose", HOST, "transpose.perm" },
  { "node/test_slice", "Slice", HOST, "slice.option" },
  { "node/test_gather_0", "Gather", HOST, "no-form" },
  { "node/test_flatten_axis1", "Flatten", SUPPORTED, "reshape" },
  { "node/test_flatten_axis3", "Flatten", HOST, "reshape.batch" },
  { "node/test_depthtospace_example", "DepthToSpace", HOST, "depth-to-space.context" },
  /* quantisation that is not a power of two, or not signed */
  { "node/test_quantizelinear", "QuantizeLinear", HOST, "quantization.scale" },
  { "node/test_dequantizelinear", "DequantizeLinear", HOST, "quantization.scale" },
  /* the host only */
  { "node/test_lstm_defaults", "LSTM", HOST, "no-form" },
  { "node/test_gru_defaults", "GRU", HOST, "no-form" },
  { "node/test_simple_rnn_defaults", "RNN", HOST, "no-form" },
  { "node/test_softmax_axis_1", "Softmax", HOST, "no-form" },
  { "node/test_sigmoid", "Sigmoid", HOST, "no-form" },
  { "node/test_tanh", "Tanh", HOST, "no-form" },
  { "node/test_strnormalizer_export_monday_casesensintive_lower", "StringNormalizer", HOST,
    "no-form" },
  { "node/test_tfidfvectorizer_tf_only_bigrams_skip0", "TfIdfVectorizer", HOST, "no-form" },
  { "node/test_loop11", "Loop", HOST, "no-form" },
  { "node/test_scan_sum", "Scan", HOST, "no-form" },
  { "node/test_if", "If", HOST, "no-form" },
  { "node/test_sequence_insert_at_back", "SequenceInsert", HOST, "no-form" },
};

static void
test_cases (void)
{
  g_autoptr (AssayTarget) target = load_target (LARGE);

  if (!have_models ())
    return;

  for (guint i = 0; i < G_N_ELEMENTS (cases); i++)
    expect_case (target, cases[i].model, cases[i].op, cases[i].kind, cases[i].rule);
}

static AssayVerdicts *
check (const char *target_id, AssayGraph *graph, AssaySettings *settings)
{
  g_autoptr (AssayTarget) target = load_target (target_id);
  g_autoptr (GError) error = NULL;
  AssayVerdicts *verdicts = graph_verdicts (target, graph, settings, &error);

  g_assert_no_error (error);

  return verdicts;
}

/* Checks the node that makes a value on a small and a large size; a rule of NULL means that the
 * device takes it. A refusal has an actual and an allowed value. */
static void
expect (AssayGraph *graph, AssayValueId value, const char *small_rule, const char *large_rule)
{
  static const char *const targets[] = { SMALL, LARGE };
  const char *const rules[] = { small_rule, large_rule };
  const char *name = assay_graph_value (graph, value)->name;

  assay_graph_add_output (graph, ASSAY_MAIN_REGION, value);
  for (guint i = 0; i < 2; i++)
    {
      g_autoptr (AssayVerdicts) verdicts = check (targets[i], graph, NULL);
      const AssayVerdict *verdict = NULL;

      for (AssayNodeId id = 1; id < assay_graph_n_nodes (verdicts->graph); id++)
        if (g_str_equal (assay_graph_node (verdicts->graph, id)->name, name))
          verdict = assay_verdicts_get (verdicts, id);

      g_assert_nonnull (verdict);
      g_test_message ("%s: %s %s: %s", targets[i], assay_verdict_name (verdict->kind),
                      verdict->rule, verdict->reason);
      if (rules[i] == NULL)
        {
          g_assert_cmpint (verdict->kind, >, ASSAY_VERDICT_UNDECIDED);
          continue;
        }
      g_assert_cmpint (verdict->kind, ==, HOST);
      g_assert_cmpstr (verdict->rule, ==, rules[i]);
      g_assert_nonnull (verdict->actual);
      g_assert_nonnull (verdict->allowed);
    }
}

static AssayValueId
conv (AssayGraph *graph, const char *in, const char *kernel, const char *out)
{
  return op (graph, ASSAY_OP_Conv, out, input (graph, "x", in), weight (graph, kernel), 0);
}

static void
set_pair (AssayGraph *graph, AssayValueId value, const char *name, gint64 a, gint64 b)
{
  const gint64 list[2] = { a, b };

  assay_graph_set_ints (graph, node_of (graph, value), name, 2, list);
}

static void
test_kernel (void)
{
  g_autoptr (AssayGraph) graph = assay_graph_new ();

  expect (graph, conv (graph, "1,3,32,32", "8,3,17,3", "1,8,16,30"), "conv.kernel", "conv.kernel");
}

/* C1: dilation times input channels at most 256 times the parallel channels: 2048 and 4096. */
static void
test_c1_channels (void)
{
  g_autoptr (AssayGraph) in = assay_graph_new ();
  g_autoptr (AssayGraph) out = assay_graph_new ();
  g_autoptr (AssayGraph) both = assay_graph_new ();

  expect (in, conv (in, "1,2049,4,4", "8,2049,1,1", "1,8,4,4"), "conv.dilation", NULL);
  expect (out, conv (out, "1,8,4,4", "3000,8,1,1", "1,3000,4,4"), "conv.channels", NULL);
  expect (both, conv (both, "1,8,4,4", "4097,8,1,1", "1,4097,4,4"), "conv.channels",
          "conv.channels");
}

/* Products: whichever side is constant, and however it is written, the channels are those that are
 * summed over and those that the constant brings. */
static void
test_c1_products (void)
{
  static const struct
  {
    AssayOp op;
    const char *left, *right, *result;
    gboolean weight_left;
    const char *transposed; /* attribute that is set */
    const char *small, *large;
  } rows[] = {
    { ASSAY_OP_MatMul, "4,5000", "5000,2", "4,2", FALSE, NULL, "product.channels",
      "product.channels" },
    { ASSAY_OP_MatMul, "4,2", "2,5000", "4,5000", FALSE, NULL, "product.channels",
      "product.channels" },
    { ASSAY_OP_MatMul, "5000,2", "2,4", "5000,4", FALSE, NULL, NULL, NULL },
    { ASSAY_OP_MatMul, "4,5000", "5000,2", "4,2", TRUE, NULL, "product.channels",
      "product.channels" },
    { ASSAY_OP_MatMul, "5000,2", "2,4", "5000,4", TRUE, NULL, "product.channels",
      "product.channels" },
    { ASSAY_OP_MatMul, "3000,2", "2,4", "3000,4", TRUE, NULL, "product.channels", NULL },
    { ASSAY_OP_MatMul, "4,2", "2,5000", "4,5000", TRUE, NULL, NULL, NULL },
    { ASSAY_OP_MatMul, "4,2", "7,2,5000", "7,4,5000", TRUE, NULL, NULL, NULL },
    { ASSAY_OP_MatMul, "4,5000", "7,5000,2", "7,4,2", TRUE, NULL, "product.channels",
      "product.channels" },
    { ASSAY_OP_MatMul, "5000", "5000,2", "2", TRUE, NULL, "product.channels", "product.channels" },
    { ASSAY_OP_MatMul, "2", "2,5000", "5000", TRUE, NULL, NULL, NULL },
    { ASSAY_OP_MatMul, "5000,2", "2", "5000", FALSE, NULL, NULL, NULL },
    { ASSAY_OP_MatMul, "5000,2", "2", "5000", TRUE, NULL, "product.channels", "product.channels" },
    { ASSAY_OP_Gemm, "5000,4", "5000,2", "4,2", FALSE, "transA", "product.channels",
      "product.channels" },
    { ASSAY_OP_Gemm, "2,5000", "2,4", "5000,4", FALSE, "transA", NULL, NULL },
    { ASSAY_OP_Gemm, "2,5000", "2,4", "5000,4", TRUE, "transA", "product.channels",
      "product.channels" },
    { ASSAY_OP_Gemm, "4,5000", "2,5000", "4,2", FALSE, "transB", "product.channels",
      "product.channels" },
    { ASSAY_OP_Gemm, "4,2", "5000,2", "4,5000", FALSE, "transB", "product.channels",
      "product.channels" },
    { ASSAY_OP_Gemm, "4,2", "5000,2", "4,5000", TRUE, "transB", NULL, NULL },
  };

  for (guint i = 0; i < G_N_ELEMENTS (rows); i++)
    {
      g_autoptr (AssayGraph) graph = assay_graph_new ();
      gboolean left = rows[i].weight_left;
      AssayValueId a = left ? weight (graph, rows[i].left) : input (graph, "x", rows[i].left);
      AssayValueId b = left ? input (graph, "x", rows[i].right) : weight (graph, rows[i].right);
      AssayValueId y = op (graph, rows[i].op, rows[i].result, a, b, 0);

      if (rows[i].transposed != NULL)
        assay_graph_set_int (graph, node_of (graph, y), rows[i].transposed, 1);
      g_test_message ("%s * %s", rows[i].left, rows[i].right);
      expect (graph, y, rows[i].small, rows[i].large);
    }
}

static void
test_c1_dilation (void)
{
  g_autoptr (AssayGraph) graph = assay_graph_new ();
  AssayValueId y = conv (graph, "1,1024,16,16", "8,1024,1,2", "1,8,16,13");

  set_pair (graph, y, "dilations", 3, 3);
  expect (graph, y, "conv.dilation", NULL);
}

/* C2: 3 x 3 with 2048 channels takes 9 * 2048 / 8 = 2304 entries on the small size, 1152 on the
 * large, of 2048. */
static void
test_c2_capacity (void)
{
  g_autoptr (AssayGraph) graph = assay_graph_new ();

  expect (graph, conv (graph, "1,2048,4,4", "8,2048,3,3", "1,8,2,2"), "conv.capacity", NULL);
}

/* C3: a padding that the kernel does not reach over. */
static void
test_c3_pads (void)
{
  g_autoptr (AssayGraph) graph = assay_graph_new ();
  AssayValueId y = conv (graph, "1,3,8,8", "8,3,3,3", "1,8,12,8");

  assay_graph_set_ints (graph, node_of (graph, y), "pads", 4, (const gint64[]){ 3, 1, 3, 1 });
  expect (graph, y, "conv.pad", "conv.pad");
}

/* C4: 33 by 2 is 16 rounded down and 17 rounded up. */
static void
test_c4_transposed (void)
{
  for (int kernel = 32; kernel < 34; kernel++)
    {
      g_autofree char *shape = g_strdup_printf ("3,8,%d,2", kernel);
      g_autofree char *out = g_strdup_printf ("1,8,%d,16", kernel + 14);
      g_autoptr (AssayGraph) graph = assay_graph_new ();
      AssayValueId y = op (graph, ASSAY_OP_ConvTranspose, out, input (graph, "x", "1,3,8,8"),
                           weight (graph, shape), 0);
      const char *rule = kernel == 33 ? "transposed.kernel" : NULL;

      set_pair (graph, y, "strides", 2, 2);
      expect (graph, y, rule, rule);
    }
}

/* C5: a stride of 9 is too much, unless the kernel covers the whole input. */
static void
test_c5_stride (void)
{
  for (int whole = 0; whole < 2; whole++)
    {
      g_autoptr (AssayGraph) graph = assay_graph_new ();
      AssayValueId y = whole ? conv (graph, "1,3,4,4", "8,3,4,4", "1,8,1,1")
                             : conv (graph, "1,3,32,32", "8,3,4,4", "1,8,4,4");

      set_pair (graph, y, "strides", 9, 9);
      expect (graph, y, whole ? NULL : "conv.stride", whole ? NULL : "conv.stride");
    }
}

/* C6: 26/256 is the only slope; 0.1 is quantised to it. */
static void
test_c6_slope (void)
{
  static const double slopes[] = { 0.1015625, 0.1, 0.2 };

  for (guint i = 0; i < G_N_ELEMENTS (slopes); i++)
    {
      g_autoptr (AssayGraph) graph = assay_graph_new ();
      AssayValueId x = conv (graph, "1,3,8,8", "8,3,1,1", "1,8,8,8");
      AssayValueId y = op (graph, ASSAY_OP_LeakyRelu, "1,8,8,8", x, 0, 0);

      assay_graph_set_float (graph, node_of (graph, y), "alpha", slopes[i]);
      expect (graph, y, i == 2 ? "leaky-relu.slope" : NULL, i == 2 ? "leaky-relu.slope" : NULL);
    }
}

/* C7: channels of elementwise operations, of ArgMax, of ReduceMax and of moves between channels and
 * space. */
static void
test_c7_elementwise (void)
{
  g_autoptr (AssayGraph) graph = assay_graph_new ();

  expect (graph,
          op (graph, ASSAY_OP_Add, "1,3000,2,2", input (graph, "x", "1,3000,2,2"),
              input (graph, "y", "1,3000,2,2"), 0),
          "elementwise.channels", NULL);
}

static void
test_c7_argmax (void)
{
  for (int channels = 128; channels < 130; channels++)
    {
      g_autofree char *shape = g_strdup_printf ("1,%d,2,2", channels);
      g_autoptr (AssayGraph) graph = assay_graph_new ();
      AssayValueId y = op (graph, ASSAY_OP_ArgMax, "1,1,2,2", input (graph, "x", shape), 0, 0);
      const char *rule = channels > 128 ? "argmax.channels" : NULL;

      assay_graph_set_int (graph, node_of (graph, y), "axis", 1);
      expect (graph, y, rule, rule);
    }
}

static void
test_c7_reduce_max (void)
{
  for (int channels = 4095; channels < 4097; channels++)
    {
      g_autofree char *shape = g_strdup_printf ("1,%d,2,2", channels);
      g_autoptr (AssayGraph) graph = assay_graph_new ();
      const char *rule = channels > 4095 ? "reduce-max.channels" : NULL;

      expect (graph,
              op (graph, ASSAY_OP_ReduceMax, "1,1,2,2", input (graph, "x", shape),
                  ints (graph, "1"), 0),
              rule, rule);
    }
}

static void
test_c7_depth_to_space (void)
{
  g_autoptr (AssayGraph) graph = assay_graph_new ();
  AssayValueId x = conv (graph, "1,3,4,4", "3072,3,1,1", "1,3072,4,4");
  AssayValueId y = op (graph, ASSAY_OP_DepthToSpace, "1,768,8,8", x, 0, 0);

  assay_graph_set_int (graph, node_of (graph, y), "blocksize", 2);
  expect (graph, y, "depth-to-space.channels", NULL);
}

/* C8: zero padding is taken, other values are not; slices by option, with step 1 in batch and
 * channel. */
static void
test_c8_pad (void)
{
  for (int value = 0; value < 2; value++)
    {
      const float number = (float) value;
      g_autoptr (AssayTensor) tensor = assay_tensor_new_f32 (0, NULL, &number);
      g_autoptr (AssayGraph) graph = assay_graph_new ();
      AssayValueId fill = assay_graph_add_constant (graph, ASSAY_MAIN_REGION, "fill", tensor);
      AssayValueId y = op (graph, ASSAY_OP_Pad, "1,3,10,10", input (graph, "x", "1,3,8,8"),
                           ints (graph, "0,0,1,1,0,0,1,1"), fill);

      expect (graph, y, value ? "pad.value" : NULL, value ? "pad.value" : NULL);
    }
}

static void
test_c8_slice (void)
{
  static const char *const steps[] = { "1,2", "2,1" };
  g_autoptr (AssaySettings) settings = NULL;

  assay_settings_set_entry (&settings, ASSAY_SETTING_TARGET_OPTION, "strided_slice", "true");
  for (guint i = 0; i < G_N_ELEMENTS (steps); i++)
    {
      g_autoptr (AssayGraph) graph = assay_graph_new ();
      const AssayValueId inputs[] = { input (graph, "x", "1,8,8,8"), ints (graph, "0,0"),
                                      ints (graph, "8,8"), ints (graph, "1,2"),
                                      ints (graph, steps[i]) };
      AssayValueId y = assay_graph_add_value (graph, ASSAY_MAIN_REGION, ASSAY_VALUE_RESULT, "y",
                                              make_type (graph, i == 0 ? "1,8,4,8" : "1,4,8,8"));
      g_autoptr (AssayVerdicts) verdicts = NULL;

      assay_graph_add_node (graph, ASSAY_MAIN_REGION, ASSAY_OP_Slice, "slice", 5, inputs, 1, &y);
      assay_graph_add_output (graph, ASSAY_MAIN_REGION, y);
      verdicts = check (LARGE, graph, settings);
      g_assert_cmpint (find_op (verdicts, "Slice")->kind, ==, i == 0 ? SUPPORTED : HOST);
      if (i == 1)
        g_assert_cmpstr (find_op (verdicts, "Slice")->rule, ==, "slice.step");
    }
}

/* C9: one factor, or one per channel. */
static void
test_c9_factor (void)
{
  static const struct
  {
    const char *factor;
    const char *rule;
  } factors[] = { { "1", NULL },
                  { "8,1,1", NULL },
                  { "1,8,1,1", NULL },
                  { "8,4,4", "mul.constant" },
                  { "4", "mul.constant" } };

  for (guint i = 0; i < G_N_ELEMENTS (factors); i++)
    {
      g_autoptr (AssayGraph) graph = assay_graph_new ();
      AssayValueId y = op (graph, ASSAY_OP_Mul, "1,8,4,4", input (graph, "x", "1,8,4,4"),
                           weight (graph, factors[i].factor), 0);

      expect (graph, y, factors[i].rule, factors[i].rule);
    }
}

/* C10: joins along channels only; a reshape leaves the batch alone. */
static void
test_c10_layout (void)
{
  for (int axis = 1; axis < 3; axis++)
    {
      g_autoptr (AssayGraph) graph = assay_graph_new ();
      AssayValueId y = op (graph, ASSAY_OP_Concat, axis == 1 ? "1,16,4,4" : "1,8,8,4",
                           input (graph, "x", "1,8,4,4"), input (graph, "y", "1,8,4,4"), 0);

      assay_graph_set_int (graph, node_of (graph, y), "axis", axis);
      expect (graph, y, axis == 1 ? NULL : "concat.axis", axis == 1 ? NULL : "concat.axis");
    }

  for (int batch = 1; batch < 3; batch++)
    {
      g_autofree char *shape = g_strdup_printf ("%d,%d", batch, 128 / batch);
      g_autoptr (AssayGraph) graph = assay_graph_new ();
      AssayValueId y = op (graph, ASSAY_OP_Reshape, shape, input (graph, "x", "1,8,4,4"),
                           ints (graph, shape), 0);

      expect (graph, y, batch == 1 ? NULL : "reshape.batch", batch == 1 ? NULL : "reshape.batch");
    }
}

/* What only moves data goes to the host with those it stands between, and keeps what its own rule
 * said. */
static void
test_context (void)
{
  g_autoptr (AssayGraph) graph = assay_graph_new ();
  AssayValueId c = conv (graph, "1,3,8,8", "8,3,1,1", "1,8,8,8");
  AssayValueId s = op (graph, ASSAY_OP_Sigmoid, "1,8,8,8", c, 0, 0);
  AssayValueId f = op (graph, ASSAY_OP_Flatten, "1,512", s, 0, 0);
  AssayValueId g = op (graph, ASSAY_OP_Linear, "1,10", f, weight (graph, "512,10"), 0);
  g_autoptr (AssayVerdicts) verdicts = NULL;

  assay_graph_add_output (graph, ASSAY_MAIN_REGION, g);
  verdicts = check (LARGE, graph, NULL);

  g_assert_cmpstr (find_op (verdicts, "Flatten")->rule, ==, "context.producer");
  g_assert_cmpint (find_op (verdicts, "Flatten")->kind, ==, HOST);
  g_assert_nonnull (find_op (verdicts, "Flatten")->earlier);
  g_assert_cmpint (find_op (verdicts, "Linear")->kind, ==, SUPPORTED);
  g_assert_cmpuint (verdicts->n_partitions, ==, 2);
  g_assert_cmpuint (verdicts->n_transitions, ==, 2);
}

static void
test_context_readers (void)
{
  g_autoptr (AssayGraph) graph = assay_graph_new ();
  AssayValueId c = conv (graph, "1,3,8,8", "8,3,1,1", "1,8,8,8");
  AssayValueId f = op (graph, ASSAY_OP_Flatten, "1,512", c, 0, 0);
  AssayValueId s = op (graph, ASSAY_OP_Softmax, "1,512", f, 0, 0);
  g_autoptr (AssayVerdicts) verdicts = NULL;

  assay_graph_add_output (graph, ASSAY_MAIN_REGION, s);
  verdicts = check (LARGE, graph, NULL);

  g_assert_cmpstr (find_op (verdicts, "Flatten")->rule, ==, "context.readers");
  g_assert_cmpuint (verdicts->n_partitions, ==, 1);
}

static void
test_fused (void)
{
  static const struct
  {
    AssayOp op;
    AssayVerdictKind kind;
  } activations[] = {
    { ASSAY_OP_Relu, ASSAY_VERDICT_FUSED },
    { ASSAY_OP_HardSwish, ASSAY_VERDICT_FUSED },
    { ASSAY_OP_Sigmoid, HOST },
  };

  for (guint i = 0; i < G_N_ELEMENTS (activations); i++)
    {
      g_autoptr (AssayGraph) graph = assay_graph_new ();
      AssayValueId x = conv (graph, "1,3,8,8", "8,3,1,1", "1,8,8,8");
      g_autoptr (AssayVerdicts) verdicts = NULL;
      const AssayVerdict *verdict;

      assay_graph_add_output (graph, ASSAY_MAIN_REGION,
                              op (graph, activations[i].op, "1,8,8,8", x, 0, 0));
      verdicts = check (LARGE, graph, NULL);
      verdict = find_op (verdicts, assay_op_name (activations[i].op));
      g_assert_cmpint (verdict->kind, ==, activations[i].kind);
      if (verdict->kind == ASSAY_VERDICT_FUSED)
        g_assert_cmpuint (verdict->into, ==, find_op (verdicts, "Conv")->node);
    }
}

/* A pair of Quantize and Dequantize with a power of two as scale leaves nothing. */
static void
test_quantized (void)
{
  static const float scales[] = { 0.0625f, 0.1f };

  for (guint i = 0; i < G_N_ELEMENTS (scales); i++)
    {
      const guint8 zero = 0;
      g_autoptr (GBytes) bytes = g_bytes_new (&zero, 1);
      g_autoptr (AssayTensor) scale = assay_tensor_new_f32 (0, NULL, &scales[i]);
      g_autoptr (AssayTensor) point = assay_tensor_new (ASSAY_DTYPE_I8, 0, NULL, bytes, NULL);
      g_autoptr (AssayGraph) graph = assay_graph_new ();
      AssayValueId s = assay_graph_add_constant (graph, ASSAY_MAIN_REGION, "scale", scale);
      AssayValueId z = assay_graph_add_constant (graph, ASSAY_MAIN_REGION, "zero", point);
      AssayValueId q = op (graph, ASSAY_OP_QuantizeLinear, "1,3,8,8", input (graph, "x", "1,3,8,8"),
                           s, z);
      AssayValueId d;
      g_autoptr (AssayVerdicts) verdicts = NULL;

      assay_graph_edit_value (graph, q)->type = assay_type_new_fixed (
          graph->arena, ASSAY_DTYPE_I8, 4, (const gint64[]){ 1, 3, 8, 8 });
      d = op (graph, ASSAY_OP_DequantizeLinear, "1,3,8,8", q, s, z);
      assay_graph_add_output (graph, ASSAY_MAIN_REGION, d);
      verdicts = check (LARGE, graph, NULL);
      g_assert_cmpint (find_op (verdicts, "QuantizeLinear")->kind, ==,
                       i == 0 ? ASSAY_VERDICT_REMOVED : HOST);
      g_assert_cmpint (find_op (verdicts, "DequantizeLinear")->kind, ==,
                       i == 0 ? ASSAY_VERDICT_REMOVED : HOST);
    }
}

static void
test_mapping (void)
{
  g_autoptr (AssayTarget) target = load_target (LARGE);
  g_autoptr (AssayVerdicts) pool = NULL;
  g_autoptr (AssayVerdicts) resize = NULL;
  g_autoptr (AssayVerdicts) depthwise = NULL;

  if (!have_models ())
    return;

  pool = check_model (target, "node/test_maxpool_2d_ceil");
  resize = check_model (target, "node/test_resize_upsample_scales_linear");
  depthwise = check_model (target, "pytorch-converted/test_Conv2d_depthwise");
  g_assert_nonnull (strstr (find_op (pool, "MaxPool")->mapping, "pad_mode=CEIL"));
  g_assert_cmpstr (find_op (pool, "MaxPool")->engine, ==, "pooling");
  g_assert_nonnull (
      strstr (find_op (resize, "Resize")->mapping, "align_corners=false, half_pixel_centers=true"));
  g_assert_true (
      g_str_has_prefix (find_op (depthwise, "Conv")->mapping, "depthwise-conv2d(kernel=[3,3]"));
  g_assert_cmpstr (find_op (depthwise, "Conv")->engine, ==, "depthwise");
}

static void
test_capacity_note (void)
{
  g_autoptr (AssayGraph) graph = assay_graph_new ();
  AssayValueId y = conv (graph, "1,24,8,8", "32,24,3,3", "1,32,6,6");
  static const char *const figures[] = {
    "capacity: Multiply-adds: 248832, cycles at peak: 122",
    "capacity: Input channels fill 75 % of 16 lanes, output channels 100 % of their 16",
    "capacity: Bytes of feature maps: 1536 in, 1152 out, banks have 512 KiB",
    "capacity: Bytes of weights per output group: 3456, banks have 512 KiB",
  };
  const char *const *notes;
  g_autoptr (AssayVerdicts) verdicts = NULL;

  assay_graph_add_output (graph, ASSAY_MAIN_REGION, y);
  verdicts = check (LARGE, graph, NULL);

  notes = find_op (verdicts, "Conv")->notes;
  g_assert_nonnull (notes);
  for (guint i = 0; i < G_N_ELEMENTS (figures); i++)
    g_assert_true (g_strv_contains (notes, figures[i]));
}

/* Peak operations are what the lanes do, and the banks add up to the published total. */
static void
test_sizes (void)
{
  static const struct
  {
    int size;
    int total;
  } sizes[] = { { 512, 288 },  { 800, 400 },  { 1024, 416 }, { 1152, 528 },
                { 1600, 560 }, { 2304, 720 }, { 3136, 896 }, { 4096, 1088 } };
  static const char *const banks[] = { "feature_map_kib", "conv_weights_kib",
                                       "depthwise_weights_kib", "bias_kib" };

  for (guint i = 0; i < G_N_ELEMENTS (sizes); i++)
    {
      g_autofree char *id = g_strdup_printf ("dpu_zdx8g_b%d", sizes[i].size);
      g_autoptr (AssayTarget) target = load_target (id);
      gint64 pixels, in, out, value, total = 0;

      g_assert_cmpstr (assay_target_get_family (target), ==, "dpu");
      g_assert_true (assay_target_get_config_int (target, "pixel_parallel", &pixels));
      g_assert_true (assay_target_get_config_int (target, "channel_parallel", &in));
      g_assert_true (assay_target_get_config_int (target, "output_parallel", &out));
      g_assert_cmpint (2 * pixels * in * out, ==, sizes[i].size);
      for (guint j = 0; j < G_N_ELEMENTS (banks); j++)
        {
          g_assert_true (assay_target_get_config_int (target, banks[j], &value));
          total += value;
        }
      g_assert_cmpint (total, ==, sizes[i].total);
    }
}

static gboolean
draws_text (AssayProgram *program, const char *begin)
{
  g_autoptr (AssayMemoryMap) map = assay_memory_map_new (program);
  g_autoptr (AssayDisplayList) list = assay_display_list_new ();
  AssayMemoryLook look = { .width = 600, .height = 300 };
  gboolean found = FALSE;

  assay_memory_look_fit (&look, map);
  assay_memory_scene_draw (map, &look, list);
  for (guint i = 0; i < list->items->len; i++)
    {
      const AssayDrawItem *item = &g_array_index (list->items, AssayDrawItem, i);

      found |= item->kind == ASSAY_DRAW_TEXT &&
               g_str_has_prefix (list->text->str + item->data, begin);
    }

  return found;
}

/* Banks of a program are those of its size, and what the picture of its memory says of them. */
static void
test_banks (void)
{
  static const int sizes[] = { 512, 800, 1024, 1152, 1600, 2304, 3136, 4096 };
  g_autofree char *path = NULL;
  int file = g_file_open_tmp ("XXXXXX.nnir", &path, NULL);

  g_assert_cmpint (file, >=, 0);
  g_close (file, NULL);
  g_assert_true (g_file_set_contents (path, int8_model, -1, NULL));
  for (guint i = 0; i < G_N_ELEMENTS (sizes); i++)
    {
      g_autofree char *id = g_strdup_printf ("dpu_zdx8g_b%d", sizes[i]);
      g_autoptr (AssayTarget) target = load_target (id);
      g_autoptr (AssayGraph) graph = assay_model_read (path, NULL, NULL, NULL, NULL);
      g_autoptr (AssayWork) work = assay_work_new_for_graph (NULL, graph, target, NULL);
      AssayProgram *program = assay_work_get_program (work, NULL, NULL);
      static const char *const banks[] = { "feature_map_kib", "conv_weights_kib" };

      g_assert_nonnull (program);
      g_assert_true (draws_text (program, "1 bank, "));
      for (guint j = 0; j < 2; j++)
        {
          const AssayProgramStore *store = assay_program_get_store (program, j);
          gint64 kib;

          g_assert_true (assay_target_get_config_int (target, banks[j], &kib));
          g_assert_cmpint ((gint64) store->n_banks * store->bank * store->measured, ==, kib * 1024);
        }
    }
  g_unlink (path);
}

/* What a program file says in its head, and what becomes of it when it says something else. */
static void
test_heads (void)
{
  static const struct
  {
    const char *said;
    const char *instead;
    const char *message; /* NULL if it is good */
  } heads[] = {
    { "program 2", "program 2", NULL },
    { "b'pytorch', false", "b'pytorch', true", NULL },
    { "false, false", "@b false, boolean false", NULL },
    { "(4, 8, 8, 300, 16)", "(0x4, 8, 8, 300, 16)", NULL },
    { ", (b'n_relu12', 1, b'n_conv11')", "", "nothing of the model has positions*" },
    { "])\n", "])", "it has no head" },
    { "(b'dpu_zdx8g_b512'", "(dpu_zdx8g_b512", "its head: *" },
    { "nnir 1", "nnir 0", "*" },
    { "b'dpu_zdx8g_b512', ", "", "its head: *" },
    { "b'dpu_zdx8g_b512'", "3", "its head: *" },
    { "b'dpu_zdx8g_b512'", "b'\\377'", "its head has an invalid value" },
    { "b'g'", "b'\\300g'", "its head has an invalid value" },
    { "b'g'", "3", "its head: *" },
    { "b'pytorch'", "nothing", "its head: *" },
    { "pytorch", "abacus", "its head has an invalid value" },
    { "false, false", "false", "its head: *" },
    { "false, false", "false, [1]", "its head: *" },
    { "(4, 8, 8, 300, 16)", "4", "its head: *" },
    { "(4, 8, 8, 300, 16), ", "", "its head: *" },
    { "(4, 8, 8, 300, 16)", "(4, 8, 8, 300)", "its head: *" },
    { "(4, 8, 8, 300, 16)", "(4, 0, 8, 300, 16)", "its head has an invalid value" },
    { "(4, 8, 8, 300, 16)", "(4, 8, 8, 1048577, 16)", "its head has an invalid value" },
    { "(4, 8, 8, 300, 16)", "(4, 8, 8, -300, 16)", "its head: *" },
    { "(4, 8, 8, 300, 16)", "(4, 8, 8, '300', 16)", "its head: *" },
    { "(b'n_conv11', 1, b'')", "1", "its head: *" },
    { "(b'n_conv11', 1, b'')", "()", "its head: *" },
    { "(b'n_conv11', 1", "(b'n_conv11', -1", "its head: *" },
    { "(b'n_conv11', 1", "(b'n_conv11', 99", "its head has an invalid value" },
    { "1, b'n_conv11')", "1, 3)", "its head: *" },
  };
  g_autofree char *path = g_test_build_filename (G_TEST_DIST, "data/fuzz/dpu-program/conv", NULL);
  g_autofree char *good = NULL;

  g_assert_true (g_file_get_contents (path, &good, NULL, NULL));
  for (guint i = 0; i < G_N_ELEMENTS (heads); i++)
    {
      const char *at = strstr (good, heads[i].said);
      g_autoptr (GString) text = g_string_new_len (good, at - good);
      g_autoptr (GBytes) bytes = NULL;
      g_autoptr (AssayProgram) program = NULL;
      g_autoptr (GError) error = NULL;

      g_assert_nonnull (at);
      g_string_append (text, heads[i].instead);
      if (!g_str_equal (heads[i].instead, "])"))
        g_string_append (text, at + strlen (heads[i].said));
      bytes = g_string_free_to_bytes (g_steal_pointer (&text));
      program = assay_program_load_bytes (bytes, &error);
      if ((program != NULL) != (heads[i].message == NULL))
        g_error ("%u: %s: %s", i, heads[i].instead, program != NULL ? "taken" : error->message);
      if (heads[i].message != NULL)
        {
          g_autofree char *expected = g_strconcat ("the program is damaged: ", heads[i].message,
                                                   NULL);

          g_assert_error (error, ASSAY_ERROR, ASSAY_ERROR_LOAD);
          if (!g_pattern_match_simple (expected, error->message))
            g_error ("%s: %s, expected %s", heads[i].instead, error->message, expected);
        }
    }
}

TEST_PROGRAM (dpu)
{
  g_test_init (&argc, &argv, NULL);

  g_test_add_func ("/target/dpu/cases", test_cases);
  g_test_add_func ("/target/dpu/kernel", test_kernel);
  g_test_add_func ("/target/dpu/c1-channels", test_c1_channels);
  g_test_add_func ("/target/dpu/c1-products", test_c1_products);
  g_test_add_func ("/target/dpu/c1-dilation", test_c1_dilation);
  g_test_add_func ("/target/dpu/c2-capacity", test_c2_capacity);
  g_test_add_func ("/target/dpu/c3-pads", test_c3_pads);
  g_test_add_func ("/target/dpu/c4-transposed", test_c4_transposed);
  g_test_add_func ("/target/dpu/heads", test_heads);
  g_test_add_func ("/target/dpu/c5-stride", test_c5_stride);
  g_test_add_func ("/target/dpu/c6-slope", test_c6_slope);
  g_test_add_func ("/target/dpu/c7-elementwise", test_c7_elementwise);
  g_test_add_func ("/target/dpu/c7-argmax", test_c7_argmax);
  g_test_add_func ("/target/dpu/c7-reduce-max", test_c7_reduce_max);
  g_test_add_func ("/target/dpu/c7-depth-to-space", test_c7_depth_to_space);
  g_test_add_func ("/target/dpu/c8-pad", test_c8_pad);
  g_test_add_func ("/target/dpu/c8-slice", test_c8_slice);
  g_test_add_func ("/target/dpu/c9-factor", test_c9_factor);
  g_test_add_func ("/target/dpu/c10-layout", test_c10_layout);
  g_test_add_func ("/target/dpu/context", test_context);
  g_test_add_func ("/target/dpu/context-readers", test_context_readers);
  g_test_add_func ("/target/dpu/fused", test_fused);
  g_test_add_func ("/target/dpu/quantized", test_quantized);
  g_test_add_func ("/target/dpu/mapping", test_mapping);
  g_test_add_func ("/target/dpu/capacity-note", test_capacity_note);
  g_test_add_func ("/target/dpu/sizes", test_sizes);
  g_test_add_func ("/target/dpu/banks", test_banks);

  return g_test_run ();
}
