/* test-streaming.c
 * SPDX-License-Identifier: Apache-2.0
 */
#include <glib.h>
#include <string.h>

#include "base/assay-error.h"
#include "nnir/analysis/assay-streaming.h"
#include "test-graph.h"
#include "test-program.h"

/* Traces a graph whose first input carries the sequence on an axis. */
static AssayStreaming *
trace (AssayGraph *graph, int axis)
{
  g_autoptr (GError) error = NULL;
  AssayStreaming *result = assay_graph_trace_streaming (graph, &axis, 1, &error);

  g_assert_no_error (error);
  for (guint i = 0; i < result->refusals->len; i++)
    g_test_message ("%s", g_array_index (result->refusals, AssayStreamingRefusal, i).text);

  return result;
}

/* Expects the sequence on an axis of a value, or with a rule a refusal at the node that makes it.
 */
static void
expect (AssayGraph *graph, int axis, AssayValueId value, int expected, const char *rule)
{
  g_autoptr (AssayStreaming) result = trace (graph, axis);

  g_assert_cmpint (result->axes[value], ==, expected);
  g_assert_cmpuint (result->refusals->len, ==, rule == NULL ? 0 : 1);
  if (rule != NULL)
    {
      const AssayStreamingRefusal *refusal = assay_streaming_find_refusal (result,
                                                                           node_of (graph, value));

      g_assert_nonnull (refusal);
      g_assert_cmpstr (refusal->rule, ==, rule);
      g_assert_true (strstr (refusal->text, assay_graph_node (graph, refusal->node)->op_type) !=
                     NULL);
      g_assert_null (strchr (refusal->text, '{'));
      g_assert_cmpuint (strlen (refusal->text), <=, 90);
    }
}

static void
test_conv (void)
{
  static const struct
  {
    gint64 pads[2];
    gint64 dilation;
    gint64 stride;
    int axis;
    const char *rule;
  } cases[] = {
    { { 2, 0 }, 1, 1, 2, NULL },
    { { 4, 0 }, 2, 1, 2, NULL },
    { { 2, 0 }, 2, 1, 2, "streaming.padding" },
    { { 1, 1 }, 1, 1, 2, "streaming.padding" },
    { { 0, 0 }, 1, 1, 2, "streaming.padding" },
    { { 2, 0 }, 1, 2, 2, "streaming.stride" },
    { { 2, 0 }, 1, 1, 1, "streaming.axis" },
    { { 2, 0 }, 1, 1, 0, NULL },
  };

  for (guint i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      g_autoptr (AssayGraph) graph = assay_graph_new ();
      AssayValueId x = input (graph, "x", "1,32,5");
      AssayValueId y = op (graph, ASSAY_OP_Conv, "1,16,5", x, weight (graph, "16,32,3"), 0);

      assay_graph_set_ints (graph, node_of (graph, y), "pads", 2, cases[i].pads);
      assay_graph_set_ints (graph, node_of (graph, y), "dilations", 1, &cases[i].dilation);
      assay_graph_set_ints (graph, node_of (graph, y), "strides", 1, &cases[i].stride);
      expect (graph, cases[i].axis, y, cases[i].rule == NULL ? cases[i].axis : -1, cases[i].rule);
    }
}

/* Exporters write the left padding as a node of its own. */
static void
test_conv_pad (void)
{
  for (guint behind = 0; behind < 2; behind++)
    {
      g_autoptr (AssayGraph) graph = assay_graph_new ();
      AssayValueId x = input (graph, "x", "1,32,5");
      AssayValueId p = op (graph, ASSAY_OP_Pad, behind ? "1,32,8" : "1,32,7", x,
                           ints (graph, behind ? "0,0,2,0,0,1" : "0,0,2,0,0,0"), 0);
      AssayValueId y = op (graph, ASSAY_OP_Conv, "1,16,5", p, weight (graph, "16,32,3"), 0);

      expect (graph, 2, behind ? p : y, behind ? -1 : 2, behind ? "streaming.padding" : NULL);
    }
}

/* One timestep that is repeated is no stream; other axes may be. */
static void
test_expand (void)
{
  static const struct
  {
    const char *from;
    const char *shape;
    const char *to;
    int axis;
    int expected;
  } cases[] = {
    { "1,20", "6,20", "6,20", 0, -1 },
    { "1,20", "6,20", "6,20", 1, 1 },
    { "20,1", "4,20,6", "4,20,6", 0, 1 },
  };

  for (guint i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      g_autoptr (AssayGraph) graph = assay_graph_new ();
      AssayValueId x = input (graph, "x", cases[i].from);
      AssayValueId y = op (graph, ASSAY_OP_Expand, cases[i].to, x, ints (graph, cases[i].shape), 0);

      expect (graph, cases[i].axis, y, cases[i].expected,
              cases[i].expected < 0 ? "streaming.axis" : NULL);
    }
}

static void
test_lstm (void)
{
  static const struct
  {
    const char *direction;
    int axis;
    const char *rule;
  } cases[] = {
    { "forward", 0, NULL },
    { "reverse", 0, "streaming.direction" },
    { "bidirectional", 0, "streaming.direction" },
    { "forward", 2, "streaming.axis" },
  };

  for (guint i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      g_autoptr (AssayGraph) graph = assay_graph_new ();
      AssayValueId x = input (graph, "x", "20,1,8");
      AssayValueId y = op (graph, ASSAY_OP_LSTM, "20,1,1,16", x, weight (graph, "1,64,8"),
                           weight (graph, "1,64,16"));

      assay_graph_set_string (graph, node_of (graph, y), "direction", cases[i].direction);
      expect (graph, cases[i].axis, y, cases[i].rule == NULL ? 0 : -1, cases[i].rule);
    }
}

static void
test_lstm_final_state (void)
{
  g_autoptr (AssayGraph) graph = assay_graph_new ();
  AssayValueId x = input (graph, "x", "20,1,8");
  const AssayValueId inputs[3] = { x, weight (graph, "1,64,8"), weight (graph, "1,64,16") };
  AssayValueId outputs[2];

  outputs[0] = assay_graph_add_value (graph, ASSAY_MAIN_REGION, ASSAY_VALUE_RESULT, "y",
                                      make_type (graph, "20,1,1,16"));
  outputs[1] = assay_graph_add_value (graph, ASSAY_MAIN_REGION, ASSAY_VALUE_RESULT, "h",
                                      make_type (graph, "1,1,16"));
  assay_graph_add_node (graph, ASSAY_MAIN_REGION, ASSAY_OP_LSTM, "lstm", 3, inputs, 2, outputs);
  assay_graph_add_output (graph, ASSAY_MAIN_REGION, outputs[1]);

  expect (graph, 0, outputs[1], -1, "streaming.final-state");
}

static void
test_axis_moves (void)
{
  g_autoptr (AssayGraph) graph = assay_graph_new ();
  AssayValueId x = input (graph, "x", "5,32");
  AssayValueId t = transpose (graph, "32,5", x, (const gint64[]){ 1, 0 });
  AssayValueId u = op (graph, ASSAY_OP_Unsqueeze, "1,32,5", t, ints (graph, "0"), 0);
  AssayValueId r = op (graph, ASSAY_OP_Reshape, "4,8,5", u, ints (graph, "4,8,5"), 0);
  AssayValueId b = op (graph, ASSAY_OP_Add, "2,4,8,5", input (graph, "y", "2,1,1,1"), r, 0);
  g_autoptr (AssayStreaming) result = trace (graph, 0);

  g_assert_cmpint (result->axes[t], ==, 1);
  g_assert_cmpint (result->axes[u], ==, 2);
  g_assert_cmpint (result->axes[r], ==, 2);
  g_assert_cmpint (result->axes[b], ==, 3);
}

static void
test_mixing (void)
{
  static const struct
  {
    AssayOp op;
    const char *shape;
    int axis;
    const char *rule;
  } cases[] = {
    { ASSAY_OP_Softmax, "6,4", 1, "streaming.axis" },
    { ASSAY_OP_Softmax, "6,4", 0, NULL },
    { ASSAY_OP_LayerNormalization, "6,4", 1, "streaming.axis" },
    { ASSAY_OP_LayerNormalization, "6,4", 0, NULL },
    { ASSAY_OP_Tanh, "6,4", 0, NULL },
    { ASSAY_OP_CumSum, "6,4", 0, "streaming.operation" },
    { ASSAY_OP_TopK, "6,2", 0, "streaming.operation" },
  };

  for (guint i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      g_autoptr (AssayGraph) graph = assay_graph_new ();
      AssayValueId x = input (graph, "x", "6,4");
      AssayValueId y = op (graph, cases[i].op, cases[i].shape, x, 0, 0);

      expect (graph, cases[i].axis, y, cases[i].rule == NULL ? cases[i].axis : -1, cases[i].rule);
    }
}

static void
test_reduce (void)
{
  for (int axis = 0; axis < 2; axis++)
    {
      g_autoptr (AssayGraph) graph = assay_graph_new ();
      AssayValueId x = input (graph, "x", "6,4");
      AssayValueId y = op (graph, ASSAY_OP_ReduceMean, "4", x, ints (graph, "0"), 0);

      assay_graph_set_int (graph, node_of (graph, y), "keepdims", 0);
      expect (graph, axis, y, axis == 0 ? -1 : 0, axis == 0 ? "streaming.reduction" : NULL);
    }
}

static void
test_product (void)
{
  for (int axis = 0; axis < 2; axis++)
    {
      g_autoptr (AssayGraph) graph = assay_graph_new ();
      AssayValueId x = input (graph, "x", "6,4");
      AssayValueId y = op (graph, ASSAY_OP_Linear, "6,8", x, weight (graph, "4,8"), 0);

      expect (graph, axis, y, axis == 0 ? 0 : -1, axis == 0 ? NULL : "streaming.contraction");
    }
}

/* Scores of all timesteps against all others cannot be streamed. */
static void
test_attention (void)
{
  g_autoptr (AssayGraph) graph = assay_graph_new ();
  AssayValueId x = input (graph, "x", "6,4");
  AssayValueId t = transpose (graph, "4,6", x, (const gint64[]){ 1, 0 });
  AssayValueId y = op (graph, ASSAY_OP_MatMul, "6,6", x, t, 0);

  expect (graph, 0, y, -1, "streaming.axis");
}

/* A constant that has a row per timestep is no constant for a stream. */
static void
test_operand (void)
{
  static const struct
  {
    const char *shape;
    const char *rule;
  } cases[] = { { "6,4", "streaming.operand" }, { "1,4", NULL }, { "4", NULL } };

  for (guint i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      g_autoptr (AssayGraph) graph = assay_graph_new ();
      AssayValueId x = input (graph, "x", "6,4");
      AssayValueId y = op (graph, ASSAY_OP_Add, "6,4", x, weight (graph, cases[i].shape), 0);

      expect (graph, 0, y, cases[i].rule == NULL ? 0 : -1, cases[i].rule);
    }
}

static void
test_pick (void)
{
  g_autoptr (AssayGraph) graph = assay_graph_new ();
  AssayValueId x = input (graph, "x", "6,4");
  AssayValueId y = op (graph, ASSAY_OP_Gather, "1,4", x, ints (graph, "5"), 0);
  AssayValueId z = op (graph, ASSAY_OP_Slice, "3,4", x, ints (graph, "0"), ints (graph, "3"));
  AssayValueId w = op (graph, ASSAY_OP_Reshape, "24", x, ints (graph, "24"), 0);
  g_autoptr (AssayStreaming) result = trace (graph, 0);

  g_assert_cmpstr (assay_streaming_find_refusal (result, node_of (graph, y))->rule, ==,
                   "streaming.axis");
  g_assert_cmpstr (assay_streaming_find_refusal (result, node_of (graph, z))->rule, ==,
                   "streaming.axis");
  g_assert_cmpstr (assay_streaming_find_refusal (result, node_of (graph, w))->rule, ==,
                   "streaming.reshape");
}

/* All timesteps, but the last one first. */
static void
test_turned (void)
{
  for (int axis = 0; axis < 2; axis++)
    {
      g_autoptr (AssayGraph) graph = assay_graph_new ();
      const AssayValueId inputs[] = { input (graph, "x", "6,4"), ints (graph, "-1"),
                                      ints (graph, "-7"), ints (graph, "0"), ints (graph, "-1") };
      AssayValueId y = assay_graph_add_value (graph, ASSAY_MAIN_REGION, ASSAY_VALUE_RESULT, "y",
                                              make_type (graph, "6,4"));

      assay_graph_add_node (graph, ASSAY_MAIN_REGION, ASSAY_OP_Slice, "turn", G_N_ELEMENTS (inputs),
                            inputs, 1, &y);
      expect (graph, axis, y, axis == 0 ? -1 : 1, axis == 0 ? "streaming.axis" : NULL);
    }
}

/* What stands behind a refusal is not refused again. */
static void
test_one_cause (void)
{
  g_autoptr (AssayGraph) graph = assay_graph_new ();
  AssayValueId x = input (graph, "x", "6,4");
  AssayValueId y = op (graph, ASSAY_OP_ReduceSum, "1,4", x, ints (graph, "0"), 0);
  AssayValueId z = op (graph, ASSAY_OP_ReduceSum, "1,4", y, ints (graph, "0"), 0);
  g_autoptr (AssayStreaming) result = NULL;

  assay_graph_add_output (graph, ASSAY_MAIN_REGION, z);
  result = trace (graph, 0);

  g_assert_cmpuint (result->refusals->len, ==, 1);
  g_assert_cmpint (result->output_axes[0], ==, -1);
}

static void
test_wrong_axis (void)
{
  static const int axes[][2] = { { 2, -1 }, { 0, 0 } };
  static const guint counts[] = { 1, 2 };

  for (guint i = 0; i < G_N_ELEMENTS (axes); i++)
    {
      g_autoptr (AssayGraph) graph = assay_graph_new ();
      g_autoptr (GError) error = NULL;

      input (graph, "x", "6,4");
      g_assert_null (assay_graph_trace_streaming (graph, axes[i], counts[i], &error));
      g_assert_error (error, ASSAY_ERROR, ASSAY_ERROR_INVALID);
    }
}

TEST_PROGRAM (streaming)
{
  g_test_init (&argc, &argv, NULL);

  g_test_add_func ("/nnir/streaming/conv", test_conv);
  g_test_add_func ("/nnir/streaming/conv-pad", test_conv_pad);
  g_test_add_func ("/nnir/streaming/lstm", test_lstm);
  g_test_add_func ("/nnir/streaming/expand", test_expand);
  g_test_add_func ("/nnir/streaming/lstm-final-state", test_lstm_final_state);
  g_test_add_func ("/nnir/streaming/axis-moves", test_axis_moves);
  g_test_add_func ("/nnir/streaming/mixing", test_mixing);
  g_test_add_func ("/nnir/streaming/reduce", test_reduce);
  g_test_add_func ("/nnir/streaming/product", test_product);
  g_test_add_func ("/nnir/streaming/attention", test_attention);
  g_test_add_func ("/nnir/streaming/operand", test_operand);
  g_test_add_func ("/nnir/streaming/pick", test_pick);
  g_test_add_func ("/nnir/streaming/turned", test_turned);
  g_test_add_func ("/nnir/streaming/one-cause", test_one_cause);
  g_test_add_func ("/nnir/streaming/wrong-axis", test_wrong_axis);

  return g_test_run ();
}
