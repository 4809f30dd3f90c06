/* test-numerics.c
 * SPDX-License-Identifier: Apache-2.0
 *
 * Every operation that can be compiled, on the machine, against an evaluation in double by other
 * code: with fp32 storage within 1e-5 of the sum of the magnitudes that make a result, and in both
 * kinds of storage within the bound that follows from the roundings which docs/numerics.md lists
 * for the operation.
 */
#include <glib.h>
#include <math.h>
#include <string.h>

#include "evaluate/assay-evaluate.h"
#include "base/assay-error.h"
#include "graph-reference.h"
#include "machine-run.h"
#include "test-program.h"
#include "nnir/pass/assay-canonical.h"

typedef struct
{
  const char *name;
  double low;
  double high;
  gboolean dynamic; /* whether both sides of a product may be computed at run time */
  const char *text;
} Case;

#define UNARY(op, low, high)                                                                       \
  {                                                                                                \
    op, low, high, FALSE, "(%x : f32[3,37]) { %y = " op "(%x) return %y }"                         \
  }
#define BINARY(op, low, high)                                                                      \
  { op, low, high, FALSE, "(%x : f32[3,37], %z : f32[37]) { %y = " op "(%x, %z) return %y }" },    \
  {                                                                                                \
    op " by a constant", low, high, FALSE,                                                         \
        "(%x : f32[3,37], %z : f32[3,1] param) { %y = " op "(%x, %z) return %y }"                  \
  }

static const Case cases[] = {
  BINARY ("Add", -3, 3),
  BINARY ("Sub", -3, 3),
  BINARY ("Mul", -3, 3),
  BINARY ("Div", 0.5, 3),
  { "Max", -3, 3, FALSE,
    "(%x : f32[3,37], %z : f32[37], %v : f32[37] param) { %y = Max(%x, %z, %v) return %y }" },
  { "Min", -3, 3, FALSE,
    "(%x : f32[3,37], %z : f32[37], %v : f32[37] param) { %y = Min(%x, %z, %v) return %y }" },
  { "Sum", -3, 3, FALSE,
    "(%x : f32[3,37], %z : f32[37], %v : f32[37] param) { %y = Sum(%x, %z, %v) return %y }" },
  { "Mean", -3, 3, FALSE,
    "(%x : f32[3,37], %z : f32[37], %v : f32[37] param) { %y = Mean(%x, %z, %v) return %y }" },
  UNARY ("Exp", -5, 5),
  UNARY ("Log", 0.01, 9),
  UNARY ("Tanh", -3, 3),
  UNARY ("Sigmoid", -6, 6),
  UNARY ("Softplus", -6, 6),
  UNARY ("Swish", -6, 6),
  { "Swish with alpha", -6, 6, FALSE,
    "(%x : f32[3,37]) { %y = Swish(%x) {alpha = 1.7} return %y }" },
  UNARY ("Gelu", -5, 5),
  { "Gelu by tanh", -5, 5, FALSE,
    "(%x : f32[3,37]) { %y = Gelu(%x) {approximate = \"tanh\"} return %y }" },
  UNARY ("Erf", -3, 3),
  UNARY ("Sqrt", 0.01, 9),
  UNARY ("assay::Rsqrt", 0.01, 9),
  UNARY ("Reciprocal", 0.1, 9),
  UNARY ("Neg", -3, 3),
  UNARY ("Relu", -3, 3),
  { "Clip", -3, 3, FALSE,
    "(%x : f32[3,37]) { const %l : f32[] = [-0.7] const %h : f32[] = [1.3] %y = Clip(%x, %l, %h) "
    "return %y }" },
  { "Clip from below", -3, 3, FALSE,
    "(%x : f32[3,37]) { const %l : f32[] = [0.3] %y = Clip(%x, %l) return %y }" },
  { "LeakyRelu", -3, 3, FALSE, "(%x : f32[3,37]) { %y = LeakyRelu(%x) {alpha = 0.3} return %y }" },
  { "PRelu", -3, 3, FALSE,
    "(%x : f32[3,37], %s : f32[37] param) { %y = PRelu(%x, %s) return %y }" },
  UNARY ("Elu", -3, 3),
  { "Elu with alpha", -3, 3, FALSE, "(%x : f32[3,37]) { %y = Elu(%x) {alpha = 0.3} return %y }" },
  { "Celu", -3, 3, FALSE, "(%x : f32[3,37]) { %y = Celu(%x) {alpha = 1.7} return %y }" },
  UNARY ("Selu", -3, 3),
  UNARY ("HardSigmoid", -5, 5),
  UNARY ("HardSwish", -5, 5),
  UNARY ("Mish", -5, 5),
  { "Pow 2", -3, 3, FALSE,
    "(%x : f32[3,37]) { const %e : f32[] = [2.0] %y = Pow(%x, %e) return %y }" },
  { "Pow 3", -3, 3, FALSE,
    "(%x : f32[3,37]) { const %e : f32[] = [3.0] %y = Pow(%x, %e) return %y }" },
  { "Pow -2.5", 0.3, 3, FALSE,
    "(%x : f32[3,37]) { const %e : f32[] = [-2.5] %y = Pow(%x, %e) return %y }" },
  { "Pow 0.5", 0.3, 3, FALSE,
    "(%x : f32[3,37]) { const %e : f32[] = [0.5] %y = Pow(%x, %e) return %y }" },
  { "Pow 0", 0.3, 3, FALSE,
    "(%x : f32[3,37]) { const %e : f32[] = [0.0] %y = Pow(%x, %e) return %y }" },
  { "Greater", -3, 3, FALSE,
    "(%x : f32[3,37], %z : f32[37]) { %c = Greater(%x, %z) %y = Where(%c, %x, %z) return %y }" },
  { "Less", -3, 3, FALSE,
    "(%x : f32[3,37], %z : f32[37] param) { %c = Less(%x, %z) %y = Where(%c, %z, %x) return %y }" },
  { "GreaterOrEqual", -3, 3, FALSE,
    "(%x : f32[3,37], %z : f32[37]) { %c = GreaterOrEqual(%x, %z) %y = Where(%c, %x, %z) return %y "
    "}" },
  { "LessOrEqual", -3, 3, FALSE,
    "(%x : f32[3,37], %z : f32[37]) { %c = LessOrEqual(%x, %z) %y = Where(%c, %x, %z) return %y "
    "}" },
  { "MatMul", -2, 2, FALSE,
    "(%x : f32[3,70], %w : f32[70,45] param) { %y = MatMul(%x, %w) return %y }" },
  { "MatMul of a vector", -2, 2, FALSE,
    "(%x : f32[70], %w : f32[70,45] param) { %y = MatMul(%x, %w) return %y }" },
  { "MatMul from the left", -2, 2, FALSE,
    "(%x : f32[70,4], %w : f32[45,70] param) { %y = MatMul(%w, %x) return %y }" },
  { "MatMul with bias", -2, 2, FALSE,
    "(%x : f32[3,70], %w : f32[70,45] param, %b : f32[45] param) { %m = MatMul(%x, %w) %y = "
    "Add(%m, %b) return %y }" },
  { "MatMul of stacks", -2, 2, FALSE,
    "(%x : f32[2,3,20], %w : f32[2,20,9] param) { %y = MatMul(%x, %w) return %y }" },
  { "MatMul at run time", -2, 2, TRUE,
    "(%x : f32[3,20], %z : f32[20,9]) { %y = MatMul(%x, %z) return %y }" },
  { "MatMul of stacks at run time", -2, 2, TRUE,
    "(%x : f32[2,3,20], %z : f32[2,20,9]) { %y = MatMul(%x, %z) return %y }" },
  { "Gemm", -2, 2, FALSE,
    "(%x : f32[3,70], %w : f32[45,70] param, %b : f32[45] param) "
    "{ %y = Gemm(%x, %w, %b) {transB = 1, alpha = 0.7, beta = 1.3} return %y }" },
  { "Gemm with a run-time bias", -2, 2, FALSE,
    "(%x : f32[3,70], %w : f32[70,45] param, %b : f32[3,45]) "
    "{ %y = Gemm(%x, %w, %b) {alpha = 0.7, beta = 1.3} return %y }" },
  { "Gemm turned round", -2, 2, FALSE,
    "(%x : f32[70,3], %w : f32[70,45] param) { %y = Gemm(%x, %w) {transA = 1, alpha = 0.7} return "
    "%y }" },
  { "Gemm turned round, dynamic", -2, 2, TRUE,
    "(%x : f32[70,3], %w : f32[70,45] param) { %y = Gemm(%x, %w) {transA = 1, alpha = 0.7} return "
    "%y }" },
  { "Gemm at run time", -2, 2, TRUE,
    "(%x : f32[3,20], %z : f32[9,20], %b : f32[9]) "
    "{ %y = Gemm(%x, %z, %b) {transB = 1, alpha = 0.7, beta = 1.3} return %y }" },
  { "Linear", -2, 2, FALSE,
    "(%x : f32[3,70], %w : f32[70,45] param, %b : f32[45] param) "
    "{ %y = assay::Linear(%x, %w, %b) {alpha = 0.7, beta = 1.3} return %y }" },
  { "Conv", -2, 2, FALSE,
    "(%x : f32[1,19,12], %w : f32[35,19,3] param, %b : f32[35] param) "
    "{ %y = Conv(%x, %w, %b) {pads = [2, 0]} return %y }" },
  { "Conv strided and dilated", -2, 2, FALSE,
    "(%x : f32[2,19,15], %w : f32[35,19,3] param) "
    "{ %y = Conv(%x, %w) {strides = [2], dilations = [3], pads = [1, 2]} return %y }" },
  { "Conv in groups", -2, 2, FALSE,
    "(%x : f32[1,12,9], %w : f32[20,3,4] param, %b : f32[20] param) { %y = Conv(%x, %w, %b) {group "
    "= 4} return %y }" },
  { "Conv depthwise", -2, 2, FALSE,
    "(%x : f32[1,40,9], %w : f32[40,1,4] param, %b : f32[40] param) { %y = Conv(%x, %w, %b) {group "
    "= 40} return %y }" },
  { "Conv 2-D", -2, 2, FALSE,
    "(%x : f32[1,5,6,7], %w : f32[9,5,3,2] param, %b : f32[9] param) "
    "{ %y = Conv(%x, %w, %b) {pads = [1, 1, 1, 0], strides = [2, 1], dilations = [1, 2]} return %y "
    "}" },
  { "Conv 2-D the same size", -2, 2, FALSE,
    "(%x : f32[1,5,6,7], %w : f32[9,5,3,4] param) { %y = Conv(%x, %w) {auto_pad = \"SAME_LOWER\"} "
    "return %y }" },
  { "LSTM", -2, 2, FALSE,
    "(%x : f32[4,2,9], %w : f32[1,80,9] param, %r : f32[1,80,20] param, %b : f32[1,160] param) "
    "{ %y, %h, %c = LSTM(%x, %w, %r, %b) {hidden_size = 20} return %y, %h, %c }" },
  { "LSTM both ways", -2, 2, FALSE,
    "(%x : f32[4,1,9], %w : f32[2,80,9] param, %r : f32[2,80,20] param, %h0 : f32[2,1,20] param, "
    "%c0 : f32[2,1,20] param) "
    "{ %y = LSTM(%x, %w, %r, _, _, %h0, %c0) {hidden_size = 20, direction = \"bidirectional\"} "
    "return %y }" },
  { "GRU", -2, 2, FALSE,
    "(%x : f32[4,2,9], %w : f32[1,60,9] param, %r : f32[1,60,20] param, %b : f32[1,120] param) "
    "{ %y, %h = GRU(%x, %w, %r, %b) {hidden_size = 20} return %y, %h }" },
  { "GRU reset after", -2, 2, FALSE,
    "(%x : f32[4,1,9], %w : f32[1,60,9] param, %r : f32[1,60,20] param, %b : f32[1,120] param, "
    "%h0 : f32[1,1,20] param) "
    "{ %y = GRU(%x, %w, %r, %b, _, %h0) {hidden_size = 20, linear_before_reset = 1, direction = "
    "\"reverse\"} "
    "return %y }" },
  { "RNN", -2, 2, FALSE,
    "(%x : f32[4,2,9], %w : f32[1,20,9] param, %r : f32[1,20,20] param, %b : f32[1,40] param) "
    "{ %y = RNN(%x, %w, %r, %b) {hidden_size = 20} return %y }" },
  { "RNN with Relu", -0.5, 0.5, FALSE,
    "(%x : f32[3,1,9], %w : f32[2,8,9] param, %r : f32[2,8,8] param) "
    "{ %y = RNN(%x, %w, %r) {hidden_size = 8, direction = \"bidirectional\", activations = "
    "[\"Relu\", \"Relu\"]} "
    "return %y }" },
#define REDUCE(op)                                                                                 \
  { op " over lanes", -2, 2, FALSE,                                                                \
    "(%x : f32[3,300]) { const %a : i64[1] = [1] %y = " op "(%x, %a) return %y }" },               \
  {                                                                                                \
    op " over vectors", -2, 2, FALSE,                                                              \
        "(%x : f32[7,2,33], %w : f32[33,33] param) "                                               \
        "{ const %a : i64[1] = [0] %m = MatMul(%x, %w) %y = " op                                   \
        "(%m, %a) {keepdims = 0} return %y }"                                                      \
  }
  REDUCE ("ReduceSum"),
  REDUCE ("ReduceMean"),
  REDUCE ("ReduceMax"),
  REDUCE ("ReduceMin"),
  REDUCE ("ReduceL2"),
  { "ReduceMean of all", -2, 2, FALSE, "(%x : f32[3,40]) { %y = ReduceMean(%x) return %y }" },
  { "GlobalAveragePool", -2, 2, FALSE,
    "(%x : f32[1,9,6,5]) { %y = GlobalAveragePool(%x) return %y }" },
  { "GlobalMaxPool", -2, 2, FALSE, "(%x : f32[1,9,6,5]) { %y = GlobalMaxPool(%x) return %y }" },
  { "AveragePool", -2, 2, FALSE,
    "(%x : f32[1,40,9]) { %y = AveragePool(%x) {kernel_shape = [3], strides = [2]} return %y }" },
  { "MaxPool", -2, 2, FALSE,
    "(%x : f32[1,40,9]) { %y = MaxPool(%x) {kernel_shape = [3], strides = [2]} return %y }" },
  UNARY ("Softmax", -4, 4),
  { "Softmax over vectors", -4, 4, FALSE,
    "(%x : f32[5,37], %w : f32[37,37] param) { %m = MatMul(%x, %w) %y = Softmax(%m) {axis = 0} "
    "return %y }" },
  { "LayerNormalization", -2, 2, FALSE,
    "(%x : f32[3,70], %s : f32[70] param, %b : f32[70] param) "
    "{ %y, %m, %d = LayerNormalization(%x, %s, %b) {axis = -1} return %y, %m, %d }" },
  { "RMSNormalization", -2, 2, FALSE,
    "(%x : f32[3,70], %s : f32[70] param) { %y = RMSNormalization(%x, %s) {axis = -1} return %y "
    "}" },
  { "BatchNormalization", -2, 2, FALSE,
    "(%x : f32[2,5,7], %s : f32[5] param, %b : f32[5] param, %m : f32[5] param) "
    "{ const %v : f32[5] = [0.5, 1.5, 0.9, 2.0, 0.1] %y = BatchNormalization(%x, %s, %b, %m, %v) "
    "return %y }" },
  { "BatchNormalization behind Conv", -2, 2, FALSE,
    "(%x : f32[1,6,7], %w : f32[5,6,2] param, %s : f32[5] param, %b : f32[5] param, %m : f32[5] "
    "param) "
    "{ const %v : f32[5] = [0.5, 1.5, 0.9, 2.0, 0.1] %c = Conv(%x, %w) "
    "%y = BatchNormalization(%c, %s, %b, %m, %v) return %y }" },
  { "GroupNormalization", -2, 2, FALSE,
    "(%x : f32[2,12,5], %s : f32[12] param, %b : f32[12] param) "
    "{ %y = GroupNormalization(%x, %s, %b) {num_groups = 3} return %y }" },
  { "GroupNormalization of lanes", -2, 2, FALSE,
    "(%x : f32[1,12,5], %w : f32[12,12,1] param, %s : f32[12] param, %b : f32[12] param) "
    "{ %c = Conv(%x, %w) %y = GroupNormalization(%c, %s, %b) {num_groups = 3} return %y }" },
  { "InstanceNormalization", -2, 2, FALSE,
    "(%x : f32[2,4,30], %s : f32[4] param, %b : f32[4] param) { %y = InstanceNormalization(%x, %s, "
    "%b) return %y }" },
  UNARY ("Identity", -2, 2),
  { "Dropout", -2, 2, FALSE, "(%x : f32[3,37]) { %y, %m = Dropout(%x) return %y, %m }" },
  { "Cast", -2, 2, FALSE,
    "(%x : f32[3,37]) { %c = Cast(%x) {to = 10} %y = Cast(%c) {to = 1} return %y }" },
  { "CastLike", -2, 2, FALSE,
    "(%x : f32[3,37]) { const %t : f16[1] = [1.0] %c = CastLike(%x, %t) %y = Cast(%c) {to = 1} "
    "return %y }" },
  { "Reshape", -2, 2, FALSE,
    "(%x : f32[3,4,5]) { const %s : i64[2] = [12, 5] %y = Reshape(%x, %s) return %y }" },
  { "Flatten", -2, 2, FALSE, "(%x : f32[3,4,5]) { %y = Flatten(%x) {axis = 2} return %y }" },
  { "Squeeze", -2, 2, FALSE,
    "(%x : f32[3,1,5]) { const %a : i64[1] = [1] %y = Squeeze(%x, %a) return %y }" },
  { "Unsqueeze", -2, 2, FALSE,
    "(%x : f32[3,5]) { const %a : i64[1] = [1] %y = Unsqueeze(%x, %a) return %y }" },
  { "Transpose", -2, 2, FALSE,
    "(%x : f32[3,4,5]) { %y = Transpose(%x) {perm = [1, 0, 2]} return %y }" },
  { "Transpose of a product", -2, 2, FALSE,
    "(%x : f32[3,5], %w : f32[5,4] param) { %m = MatMul(%x, %w) %y = Transpose(%m) return %y }" },
  { "Slice", -2, 2, FALSE,
    "(%x : f32[5,70]) { const %s : i64[2] = [-4, 33] const %e : i64[2] = [4, 66] %y = Slice(%x, "
    "%s, %e) return %y }" },
  { "Gather", -2, 2, FALSE,
    "(%x : f32[5,40]) { const %i : i64[3] = [3, -1, 0] %y = Gather(%x, %i) {axis = 0} return %y "
    "}" },
  { "Gather of one", -2, 2, FALSE,
    "(%x : f32[5,40]) { const %i : i64[] = [2] %y = Gather(%x, %i) {axis = 0} return %y }" },
  { "Concat", -2, 2, FALSE,
    "(%x : f32[3,37], %z : f32[3,20], %c : f32[3,2] param) { %y = Concat(%x, %z, %c) {axis = 1} "
    "return %y }" },
  { "Pad", -2, 2, FALSE,
    "(%x : f32[3,37]) { const %p : i64[4] = [1, 2, 0, 3] const %v : f32[] = [0.3] %y = Pad(%x, %p, "
    "%v) return %y }" },
  { "Split", -2, 2, FALSE,
    "(%x : f32[3,70]) { const %s : i64[2] = [32, 38] %y, %z = Split(%x, %s) {axis = 1} return %y, "
    "%z }" },
  { "Expand", -2, 2, FALSE,
    "(%x : f32[1,37]) { const %s : i64[3] = [2, 3, 37] %y = Expand(%x, %s) return %y }" },
};

static const struct
{
  const Numerics *numerics;
  AssayMachineFlags flags;
} kinds[] = {
  { &numerics_allowance, ASSAY_MACHINE_FP32 },
  { &numerics_fp32, ASSAY_MACHINE_FP32 },
  { &numerics_bf16, ASSAY_MACHINE_BF16 },
};

/* The largest part of its bound that an element is wrong by; above 1 it is too much. */
static double
compare (AssayGraph *graph, const Numerics *numerics, float **inputs, float **outputs,
         guint *n_bounded)
{
  const GArray *ids = assay_graph_region (graph, ASSAY_MAIN_REGION)->outputs;
  g_autofree ReferenceTensor *expected = g_new0 (ReferenceTensor, ids->len);
  double worst = 0;

  graph_reference (graph, numerics, (const float *const *) inputs, expected);
  for (guint i = 0; i < ids->len; i++)
    {
      for (gsize j = 0; j < expected[i].n; j++)
        {
          const Bounded *y = &expected[i].v[j];
          double wrong = fabs (outputs[i][j] - y->x);

          if (isinf (y->e))
            continue;
          (*n_bounded)++;
          if (wrong > y->e)
            g_test_message ("%s: output %u element %" G_GSIZE_FORMAT
                            " is %.9g, expected %.9g, at most %.3g off",
                            numerics->name, i, j, outputs[i][j], y->x, y->e);
          worst = MAX (worst, wrong == 0 ? 0 : wrong / y->e);
        }
      g_free (expected[i].v);
    }

  return worst;
}

static void
test_case (gconstpointer data)
{
  const Case *test = data;
  g_autoptr (GRand) rand = g_rand_new_with_seed (11);
  g_autoptr (AssayGraph) graph = machine_graph_from_text (test->text);

  for (guint i = 0; i < G_N_ELEMENTS (kinds); i++)
    {
      MachineWay way = { .config = MACHINE_CONFIG (3, 32), .flags = kinds[i].flags };
      g_autoptr (AssaySettings) settings = NULL;
      g_autoptr (GError) error = NULL;
      float **inputs = machine_inputs (graph, rand, test->low, test->high);
      float **outputs;
      guint n_bounded = 0;
      double worst;

      assay_settings_set_flag (&settings, ASSAY_SETTING_DYNAMIC_WEIGHTS, test->dynamic);
      way.options.settings = settings;
      outputs = machine_run_graph (graph, &way, inputs, &error);
      g_assert_no_error (error);
      worst = compare (graph, kinds[i].numerics, inputs, outputs, &n_bounded);
      g_test_message ("%s: worst %.3f of the bound", kinds[i].numerics->name, worst);
      g_assert_cmpfloat (worst, <=, 1);
      g_assert_cmpuint (n_bounded, >, 0);
      machine_free (inputs);
      machine_free (outputs);
    }
}

/* A lowering without a case here is one that nobody has compared. */
static void
test_all_lowered (void)
{
  static const AssayOp lowered[] = {
#define LOWER(op, function) ASSAY_OP_##op,
#include "backend/stream/compile/assay-lower-ops.def"
#undef LOWER
  };
  g_autofree gboolean *seen = g_new0 (gboolean, ASSAY_N_OPS);
  gboolean all = TRUE;

  for (guint i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      g_autoptr (AssayGraph) graph = machine_graph_from_text (cases[i].text);
      g_autoptr (AssayGraph) canonical = assay_graph_canonicalize (graph, NULL, NULL, NULL);

      for (AssayNodeId id = 1; id < assay_graph_n_nodes (canonical); id++)
        seen[assay_graph_node (canonical, id)->op] = TRUE;
    }

  /* It computes nothing itself; test-streamed holds it against what its body computes. */
  seen[ASSAY_OP_Scan] = TRUE;
  for (guint i = 0; i < G_N_ELEMENTS (lowered); i++)
    {
      if (!seen[lowered[i]])
        g_test_message ("no case compiles %s", assay_op_name (lowered[i]));
      all = all && seen[lowered[i]];
    }
  g_assert_true (all);
}

/* What no input changes is folded before, whatever computes it, and runs as an operand and as an
 * output: with the reference's numbers, up to what bf16 makes of them. */
static void
test_constant_operand (void)
{
  static const char *const texts[] = {
    "(%x : f32[3,37], %p : f32[1,37] param) { %s = Softmax(%p) %y = Mul(%x, %s) return %y }",
    "(%x : f32[3,37], %p : f32[37] param) { %s = Gelu(%p) %y = Add(%x, %s) return %y }",
    "(%x : f32[3,4], %p : f32[3,4] param, %w : f32[4,5] param) { %y = MatMul(%p, %w) return %y }",
    "(%x : f32[1,4,6], %p : f32[1,4,8] param, %w : f32[4,4,3] param) { %c = Conv(%p, %w) "
    "%y = Add(%x, %c) return %y }",
  };

  for (guint i = 0; i < G_N_ELEMENTS (texts); i++)
    {
      g_autoptr (AssayGraph) graph = machine_graph_from_text (texts[i]);
      const GArray *ids = assay_graph_region (graph, ASSAY_MAIN_REGION)->inputs;
      const AssayType *type = assay_graph_value (graph, g_array_index (ids, AssayValueId, 0))->type;
      MachineWay way = { .config = MACHINE_CONFIG (3, 32) };
      g_autoptr (GRand) rand = g_rand_new_with_seed (i);
      float **inputs = machine_inputs (graph, rand, -1, 1);
      const char *names[] = { "x" };
      gint64 dims[ASSAY_MAX_RANK];
      g_autoptr (AssayTensor) x = NULL;
      g_autoptr (GPtrArray) expected = NULL;
      g_autoptr (GError) error = NULL;
      float **outputs;

      for (int axis = 0; axis < type->rank; axis++)
        dims[axis] = type->dims[axis].size;
      x = assay_tensor_new_f32 ((guint) type->rank, dims, inputs[0]);
      expected = assay_evaluate_graph (graph, NULL, 1, names, &x, NULL, &error);
      g_assert_no_error (error);
      outputs = machine_run_graph (graph, &way, inputs, &error);
      g_assert_no_error (error);
      for (gsize at = 0; at < assay_tensor_get_n_elements (g_ptr_array_index (expected, 0)); at++)
        {
          double value;

          g_assert_true (
              assay_tensor_get_element (g_ptr_array_index (expected, 0), at, &value, NULL));
          g_assert_cmpfloat (fabs (outputs[0][at] - value), <=, 0.02 * (1 + fabs (value)));
        }
      machine_free (inputs);
      machine_free (outputs);
    }
}

TEST_PROGRAM (numerics)
{
  g_test_init (&argc, &argv, NULL);

  for (guint i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      g_autofree char *path = g_strdup_printf ("/numerics/case/%s", cases[i].name);

      g_test_add_data_func (path, &cases[i], test_case);
    }
  g_test_add_func ("/numerics/all-lowered", test_all_lowered);
  g_test_add_func ("/numerics/constant-operand", test_constant_operand);

  return g_test_run ();
}
