/* test-agreement.c
 * SPDX-License-Identifier: Apache-2.0
 *
 * The law between verdicts and compiler: what a check of a block-streaming target calls supported
 * compiles, or fails for want of room; what it rejects does not compile.
 */
#include <glib.h>
#include <string.h>

#include "base/assay-error.h"
#include "backend/stream/compile/assay-compile.h"
#include "backend/stream/machine/assay-machine.h"
#include "backend/stream/machine/assay-stream-code-file.h"
#include "nnir/assay-axes.h"
#include "nnir/assay-graph-builder.h"
#include "machine-run.h"
#include "test-models.h"
#include "graphs.h"

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

/* Whether verdicts and compiler agree on a model; the compiler's word on what it runs is tried
 * once. */
static gboolean
agree (AssayTarget *target, AssayGraph *graph, const int *axes, guint n_axes, gboolean dynamic,
       const char *name)
{
  g_autoptr (AssaySettings) settings = NULL;
  AssayCompileOptions options = { 0 };
  g_autoptr (AssayVerdicts) verdicts = NULL;
  g_autoptr (AssayConfig) config = NULL;
  g_autoptr (AssayStreamCode) code = NULL;
  g_autoptr (GError) error = NULL;
  const AssayVerdict *worst;
  gboolean allowed;

  assay_settings_set_axes (&settings, axes, n_axes);
  assay_settings_set_flag (&settings, ASSAY_SETTING_DYNAMIC_WEIGHTS, dynamic);
  assay_settings_set_flag (&settings, ASSAY_SETTING_DISABLE_OPTIMIZATIONS, TRUE);
  options.settings = settings;
  verdicts = graph_verdicts (target, graph, settings, &error);
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
      assay_stream_code_verify (code, &error);
      if (error != NULL)
        g_error ("%s: %s", name, error->message);
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

/* Whether the flag for dynamic weights can make a difference. */
static gboolean
has_products (const AssayGraph *graph)
{
  for (AssayNodeId id = 1; id < assay_graph_n_nodes (graph); id++)
    {
      AssayOp op = assay_graph_node (graph, id)->op;

      if (op == ASSAY_OP_MatMul || op == ASSAY_OP_Gemm)
        return TRUE;
    }

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
      g_autoptr (AssayGraph) graph = assay_model_read (path, NULL, NULL, NULL, NULL);
      const GArray *inputs;
      int rank = 0;

      if (graph == NULL)
        continue;
      fill_parameters (graph);
      inputs = assay_graph_region (graph, ASSAY_MAIN_REGION)->inputs;
      if (inputs->len > 0)
        rank = assay_type_rank (
            assay_graph_value (graph, g_array_index (inputs, AssayValueId, 0))->type);

      for (int axis = -1; axis < rank; axis++)
        {
          g_autofree char *title = g_strdup_printf ("%s axis %d", name, axis);

          for (gboolean dynamic = FALSE; dynamic <= has_products (graph); dynamic++)
            {
              n++;
              n_bad += !agree (target, graph, axis < 0 ? NULL : &axis, axis < 0 ? 0 : 1, dynamic,
                               title);
            }
        }
    }

  g_test_message ("%u cases, %u disagree", n, n_bad);
  g_assert_cmpuint (n_bad, ==, 0);
}

/* A graph as text with every way to stream it and to allow dynamic weights. */
static void
try_text (AssayTarget *target, const char *text, guint *n, guint *n_bad)
{
  g_autoptr (AssayGraph) graph = machine_graph_from_text (text);
  const GArray *inputs = assay_graph_region (graph, ASSAY_MAIN_REGION)->inputs;
  const AssayValue *first = assay_graph_value (graph, g_array_index (inputs, AssayValueId, 0));
  g_autoptr (GRand) rand = g_rand_new_with_seed (1);

  machine_free (machine_inputs (graph, rand, -1, 1));
  for (int axis = -1; axis < assay_type_rank (first->type); axis++)
    {
      for (guint dynamic = 0; dynamic < 2; dynamic++)
        {
          (*n)++;
          if (agree (target, graph, axis < 0 ? NULL : &axis, axis < 0 ? 0 : 1, dynamic != 0, text))
            continue;
          g_test_message ("  axis %d, dynamic weights %u", axis, dynamic);
          (*n_bad)++;
        }
    }
}

/* All recurrent layers with all that they may be given. */
static void
test_recurrent (void)
{
  static const struct
  {
    const char *op;
    guint gates;
    gboolean has_cell;
  } kinds[] = { { "LSTM", 4, TRUE }, { "GRU", 3, FALSE }, { "RNN", 1, FALSE } };
  static const char *const directions[] = { "forward", "reverse", "bidirectional" };
  static const char *const states[] = { "_", "%h", "%k", "%z" };
  static const char *const outputs[] = { "%y", "_, %y", "%y, %l", "_, _, %y" };
  static const char *const attributes[] = { "",
                                            ", clip = 1.0",
                                            ", layout = 1",
                                            ", linear_before_reset = 1",
                                            ", activations = [\"Relu\"]",
                                            ", input_forget = 1",
                                            ", activations = [\"Sigmoid\", \"Tanh\", \"Tanh\"]" };
  g_autoptr (AssayTarget) target = load_target (TARGET);
  guint n = 0, n_bad = 0;

  for (guint kind = 0; kind < G_N_ELEMENTS (kinds); kind++)
    for (guint direction = 0; direction < G_N_ELEMENTS (directions); direction++)
      for (guint state = 0; state < G_N_ELEMENTS (states); state++)
        for (guint output = 0; output < G_N_ELEMENTS (outputs); output++)
          for (guint attribute = 0; attribute < G_N_ELEMENTS (attributes); attribute++)
            {
              guint d = direction == 2 ? 2 : 1;
              guint rows = kinds[kind].gates * 4;
              g_autofree char *text = NULL;

              if (output == 3 && !kinds[kind].has_cell)
                continue;
              text = g_strdup_printf (
                  "(%%x : f32[3,1,5], %%z : f32[%u,1,4], %%w : f32[%u,%u,5] param, "
                  "%%r : f32[%u,%u,4] param, %%h : f32[%u,1,4] param) { const %%v : f32[] = [0.0] "
                  "const %%s : i64[3] = [%u, 1, 4] %%k = Expand(%%v, %%s) "
                  "%s = %s(%%x, %%w, %%r, _, _, %s%s%s) "
                  "{hidden_size = 4, direction = \"%s\"%s} return %%y }",
                  d, d, rows, d, rows, d, d, outputs[output], kinds[kind].op, states[state],
                  kinds[kind].has_cell ? ", " : "", kinds[kind].has_cell ? states[state] : "",
                  directions[direction], attributes[attribute]);
              try_text (target, text, &n, &n_bad);
            }

  g_test_message ("%u cases, %u disagree", n, n_bad);
  g_assert_cmpuint (n_bad, ==, 0);
}

#define SCAN(outputs, inputs, more, body)                                                          \
  "(%x : f32[3,1,5], %z : f32[1,5], %q : f32[3,1,5]) { const %s : f32[1,5] = [0.0, 1.0, 0.0, "     \
  "2.0, 0.0] "                                                                                     \
  "const %n : f32[1,5] = [0.0, 0.0, 0.0, 0.0, 0.0] " outputs " = Scan(" inputs                     \
  ") {num_scan_inputs = 1" more ", body = region \"body\" (%h : f32[1,5], %v : f32[1,5]) {" body   \
  "}} return %y }"

static void
test_scan (void)
{
  static const char *const texts[] = {
    SCAN ("_, %y", "%s, %x", "", "%a = Add(%h, %v) return %a, %a"),
    SCAN ("_, %y", "%n, %x", "", "%a = Add(%h, %v) return %a, %a"),
    SCAN ("_, %y", "%z, %x", "", "%a = Add(%h, %v) return %a, %a"),
    SCAN ("%y, _", "%s, %x", "", "%a = Add(%h, %v) return %a, %a"),
    SCAN ("_, %y", "%s, %x", ", scan_input_directions = [1]", "%a = Add(%h, %v) return %a, %a"),
    SCAN ("_, %y", "%s, %x", ", scan_output_directions = [1]", "%a = Add(%h, %v) return %a, %a"),
    SCAN ("_, %y", "%s, %x", ", scan_output_axes = [1]", "%a = Add(%h, %v) return %a, %a"),
    SCAN ("_, %y", "%s, %x", ", scan_input_axes = [-3]", "%a = Add(%h, %v) return %a, %a"),
    SCAN ("_, %y", "%s, %x", "", "%a = Add(%h, %z) %b = Add(%a, %v) return %b, %a"),
    SCAN ("_, %y", "%s, %x", "",
          "const %i : i64[] = [1] %a = Gather(%q, %i) {axis = 0} %b = Add(%a, %v) return %b, %b"),
    SCAN ("_, %y", "%s, %x", "", "return %h, %v"),
    SCAN ("_, %y", "%s, %x", "", "return %v, %h"),
    SCAN ("_, %y", "%s, %x", "", "const %c : f32[1,5] = [1.0, 2.0, 3.0, 4.0, 5.0] return %c, %v"),
    SCAN ("_, %y", "%s, %x", "", "%a = Sin(%v) %b = Add(%a, %h) return %b, %b"),
    SCAN ("_, %y", "%s, %x", "",
          "const %i : i64[1] = [0] %a = ReduceSum(%v, %i) {keepdims = 1} return %h, %a"),
    SCAN ("_, %y", "%s, %x", "",
          "const %p : i64[2] = [5, 1] %a = Reshape(%v, %p) %b = MatMul(%h, %a) return %h, %b"),
    SCAN ("_, %y", "%s, %x", "", "%a = Softmax(%v) {axis = 1} %b = Add(%a, %h) return %b, %a"),
    SCAN ("_, %y", "%s, %x", "", "%a = Greater(%h, %v) %b = Where(%a, %h, %v) return %b, %b"),
    SCAN ("_, %y", "%s, %x", "", "%a = Greater(%h, %v) return %h, %a"),
  };
  g_autoptr (AssayTarget) target = load_target (TARGET);
  guint n = 0, n_bad = 0;

  for (guint i = 0; i < G_N_ELEMENTS (texts); i++)
    try_text (target, texts[i], &n, &n_bad);

  g_test_message ("%u cases, %u disagree", n, n_bad);
  g_assert_cmpuint (n_bad, ==, 0);
}

/* Windows of convolution and pooling along time and across it. */
static void
test_windows (void)
{
  static const char *const attributes[] = {
    "",
    "pads = [2, 0]",
    "pads = [0, 2]",
    "pads = [1, 1]",
    "pads = [4, 0], dilations = [2]",
    "strides = [2]",
    "pads = [2, 0], strides = [2]",
    "group = 2",
    "group = 4",
    "pads = [2, 0], group = 2",
    "pads = [2, 0], group = 4",
    "auto_pad = \"SAME_UPPER\"",
    "auto_pad = \"SAME_LOWER\"",
    "auto_pad = \"VALID\"",
    "auto_pad = \"VALID\", pads = [2, 0]",
    "kernel_shape = [3]",
    "pads = [3, 0]",
  };
  static const char *const pools[] = { "MaxPool", "AveragePool" };
  static const char *const pool_attributes[] = {
    "",
    ", pads = [1, 1]",
    ", strides = [2]",
    ", ceil_mode = 1",
    ", dilations = [2]",
    ", auto_pad = \"SAME_UPPER\"",
    ", auto_pad = \"VALID\", pads = [1, 1]",
    ", count_include_pad = 1",
  };
  g_autoptr (AssayTarget) target = load_target (TARGET);
  guint n = 0, n_bad = 0;

  for (guint i = 0; i < G_N_ELEMENTS (attributes); i++)
    {
      const char *given = strstr (attributes[i], "group = ");
      guint group = given != NULL ? (guint) (given[strlen ("group = ")] - '0') : 1;
      g_autofree char *text = g_strdup_printf (
          "(%%x : f32[1,4,8], %%w : f32[8,%u,3] param) { %%y = Conv(%%x, %%w) {%s} return %%y }",
          4 / group, attributes[i]);

      try_text (target, text, &n, &n_bad);
    }
  for (guint pool = 0; pool < G_N_ELEMENTS (pools); pool++)
    for (guint i = 0; i < G_N_ELEMENTS (pool_attributes); i++)
      {
        g_autofree char *text = g_strdup_printf (
            "(%%x : f32[1,4,8]) { %%y = %s(%%x) {kernel_shape = [%u]%s} return %%y }", pools[pool],
            i % 3 + 1, pool_attributes[i]);

        try_text (target, text, &n, &n_bad);
      }

  g_test_message ("%u cases, %u disagree", n, n_bad);
  g_assert_cmpuint (n_bad, ==, 0);
}

/* Products of all ranks, with constant and run-time sides, plain and transposed. */
static void
test_products (void)
{
  static const char *const shapes[][2] = {
    { "4,5", "5,6" },       { "5", "5,6" },       { "4,5", "5" },       { "5", "5" },
    { "2,4,5", "5,6" },     { "2,4,5", "2,5,6" }, { "1,4,5", "2,5,6" }, { "2,1,5", "2,5,1" },
    { "3,2,4,5", "2,5,6" }, { "1,5", "5,1" },
  };
  g_autoptr (AssayTarget) target = load_target (TARGET);
  guint n = 0, n_bad = 0;

  for (guint i = 0; i < G_N_ELEMENTS (shapes); i++)
    for (guint kind = 0; kind < 4; kind++)
      {
        g_autofree char *text = NULL;

        if (kind == 3)
          text = g_strdup_printf ("(%%x : f32[%s], %%w : f32[%s]) { %%a = Softmax(%%x) {axis = -1} "
                                  "%%y = MatMul(%%a, %%w) return %%y }",
                                  shapes[i][0], shapes[i][1]);
        else if (kind == 2)
          text = g_strdup_printf (
              "(%%x : f32[%s], %%w : f32[%s] param) { %%y = MatMul(%%w, %%x) return %%y }",
              shapes[i][1], shapes[i][0]);
        else
          text = g_strdup_printf (
              "(%%x : f32[%s], %%w : f32[%s]%s) { %%y = MatMul(%%x, %%w) return %%y }",
              shapes[i][0], shapes[i][1], kind == 1 ? " param" : "");
        try_text (target, text, &n, &n_bad);
      }

  g_test_message ("%u cases, %u disagree", n, n_bad);
  g_assert_cmpuint (n_bad, ==, 0);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);

  g_test_add_data_func ("/agreement/node", "node", test_corpus);
  g_test_add_data_func ("/agreement/simple", "simple", test_corpus);
  g_test_add_data_func ("/agreement/pytorch-operator", "pytorch-operator", test_corpus);
  g_test_add_data_func ("/agreement/pytorch-converted", "pytorch-converted", test_corpus);

  g_test_add_func ("/agreement/recurrent", test_recurrent);
  g_test_add_func ("/agreement/scan", test_scan);
  g_test_add_func ("/agreement/windows", test_windows);
  g_test_add_func ("/agreement/products", test_products);

  return g_test_run ();
}
