/* test-target.c
 * SPDX-License-Identifier: Apache-2.0
 */
#include <glib/gstdio.h>
#include <string.h>
#include <time.h>

#include "backend/assay-config.h"
#include "base/assay-error.h"
#include "nnir/assay-graph-builder.h"
#include "target/assay-predicate.h"
#include "target/assay-rule-page.h"
#include "target/assay-target.h"
#include "graphs.h"
#include "test-program.h"

/* With a sanitizer, and where nothing is optimised. */
#if defined(__SANITIZE_ADDRESS__) || !defined(__OPTIMIZE__)
#define SLOWNESS 20
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define SLOWNESS 20
#endif
#endif
#ifndef SLOWNESS
#define SLOWNESS 1
#endif

/* A convolution of @batch images and a Relu behind it. */
static AssayGraph *
conv_relu (gint64 batch)
{
  AssayGraph *graph = assay_graph_new ();
  const gint64 dims[] = { batch, 3, 8, 8 };
  const gint64 weight_dims[] = { 4, 3, 1, 1 };
  const float weight[12] = { 1.0f };
  g_autoptr (AssayTensor) tensor = assay_tensor_new_f32 (4, weight_dims, weight);
  const AssayType *type = assay_type_new_fixed (graph->arena, ASSAY_DTYPE_F32, 4, dims);
  AssayValueId inputs[2];
  AssayValueId middle, out;

  inputs[0] = assay_graph_add_input (graph, ASSAY_MAIN_REGION, "x", type);
  inputs[1] = assay_graph_add_constant (graph, ASSAY_MAIN_REGION, "w", tensor);
  middle = assay_graph_add_value (graph, ASSAY_MAIN_REGION, ASSAY_VALUE_RESULT, "m", type);
  out = assay_graph_add_value (graph, ASSAY_MAIN_REGION, ASSAY_VALUE_RESULT, "y", type);
  assay_graph_add_node (graph, ASSAY_MAIN_REGION, ASSAY_OP_Conv, "conv", 2, inputs, 1, &middle);
  assay_graph_add_node (graph, ASSAY_MAIN_REGION, ASSAY_OP_Relu, "relu", 1, &middle, 1, &out);
  assay_graph_add_output (graph, ASSAY_MAIN_REGION, out);

  return graph;
}

/* One node with one input and output of a type; @domain and @op_type for what is outside of the
 * table. */
static AssayGraph *
single (AssayOp op, const char *domain, const char *op_type, AssayDType dtype, guint rank,
        const gint64 *dims)
{
  AssayGraph *graph = assay_graph_new ();
  const AssayType *type = assay_type_new_fixed (graph->arena, dtype, rank, dims);
  AssayValueId in = assay_graph_add_input (graph, ASSAY_MAIN_REGION, "x", type);
  AssayValueId out = assay_graph_add_value (graph, ASSAY_MAIN_REGION, ASSAY_VALUE_RESULT, "y",
                                            type);
  AssayNodeId id = assay_graph_add_node (graph, ASSAY_MAIN_REGION, op, "node", 1, &in, 1, &out);

  if (op_type != NULL)
    {
      assay_graph_edit_node (graph, id)->op_type = assay_arena_intern (graph->arena, op_type);
      assay_graph_edit_node (graph, id)->domain = assay_arena_intern (graph->arena, domain);
    }
  assay_graph_add_output (graph, ASSAY_MAIN_REGION, out);

  return graph;
}

static const AssayVerdict *
find (AssayVerdicts *verdicts, const char *name)
{
  for (AssayNodeId id = 1; id < assay_graph_n_nodes (verdicts->graph); id++)
    if (g_str_equal (assay_graph_node (verdicts->graph, id)->name, name))
      return assay_verdicts_get (verdicts, id);

  g_error ("no node %s", name);
}

static AssayTarget *
load (const char *id)
{
  g_autoptr (GError) error = NULL;
  AssayTarget *target = assay_target_load (id, &error);

  g_assert_no_error (error);
  return target;
}

static AssayTarget *
load_text (const char *text, AssayFindings *findings, GError **error)
{
  g_autoptr (GBytes) bytes = g_bytes_new_static (text, strlen (text));

  return assay_target_load_bytes (bytes, "own.json", findings, error);
}

static AssayVerdicts *
check (AssayTarget *target, AssayGraph *graph, const char *const *settings)
{
  g_autoptr (AssaySettings) given = NULL;
  g_autoptr (GError) error = NULL;
  AssayVerdicts *verdicts;

  assay_settings_set_list (&given, ASSAY_SETTING_TARGET_OPTION, settings);
  verdicts = graph_verdicts (target, graph, given, &error);
  g_assert_no_error (error);
  return verdicts;
}

static void
test_fused (void)
{
  g_autoptr (AssayTarget) target = load ("vulkan-seed");
  g_autoptr (AssayGraph) graph = conv_relu (1);
  g_autoptr (AssayVerdicts) verdicts = check (target, graph, NULL);
  const AssayVerdict *conv = find (verdicts, "conv");
  const AssayVerdict *relu = find (verdicts, "relu");

  g_assert_cmpint (conv->kind, ==, ASSAY_VERDICT_SUPPORTED);
  g_assert_cmpint (relu->kind, ==, ASSAY_VERDICT_FUSED);
  g_assert_cmpuint (relu->into, ==, conv->node);
  g_assert_cmpint (relu->partition, ==, conv->partition);
  g_assert_cmpuint (verdicts->n_partitions, ==, 1);
  g_assert_cmpuint (verdicts->n_transitions, ==, 0);
  g_assert_cmpuint (verdicts->counts[ASSAY_VERDICT_FUSED], ==, 1);
  g_assert_cmpuint (verdicts->causes->len, ==, 0);
}

static void
test_rejected (void)
{
  g_autoptr (AssayTarget) target = load ("vulkan-seed");
  g_autoptr (AssayGraph) graph = conv_relu (2);
  g_autoptr (AssayVerdicts) verdicts = check (target, graph, NULL);
  const AssayVerdict *conv = find (verdicts, "conv");
  const AssayCause *cause;

  g_assert_cmpint (conv->kind, ==, ASSAY_VERDICT_REJECTED);
  g_assert_cmpstr (conv->rule, ==, "conv.batch");
  g_assert_cmpstr (conv->actual, ==, "2");
  g_assert_nonnull (strstr (conv->reason, "batch"));
  /* What nothing is left to be fused into stands alone. */
  g_assert_cmpint (find (verdicts, "relu")->kind, ==, ASSAY_VERDICT_SUPPORTED);
  g_assert_cmpuint (verdicts->n_partitions, ==, 1);
  g_assert_cmpuint (verdicts->n_transitions, ==, 1);

  g_assert_cmpuint (verdicts->causes->len, ==, 1);
  cause = &g_array_index (verdicts->causes, AssayCause, 0);
  g_assert_cmpint (cause->kind, ==, ASSAY_VERDICT_REJECTED);
  g_assert_cmpstr (cause->rule, ==, conv->rule);
  g_assert_cmpstr (cause->op_type, ==, "Conv");
  g_assert_cmpuint (cause->nodes->len, ==, 1);
  g_assert_cmpint (conv->cause, ==, 0);
}

/* Nodes with one cause are counted together, the largest group first, and the values that were
 * found are named. */
static void
test_causes (void)
{
  g_autoptr (AssayTarget) target = load ("vulkan-main");
  g_autoptr (AssayGraph) graph = assay_graph_new ();
  g_autoptr (AssayVerdicts) verdicts = NULL;
  const AssayCause *causes;

  for (guint i = 0; i < 4; i++)
    {
      const gint64 dims[] = { 1, 2, 3, 4, 5 };
      AssayDType dtype = i == 0 ? ASSAY_DTYPE_BF16 : i == 1 ? ASSAY_DTYPE_U16 : ASSAY_DTYPE_F32;
      const AssayType *type = assay_type_new_fixed (graph->arena, dtype, 5, dims);
      AssayValueId in = assay_graph_add_input (graph, ASSAY_MAIN_REGION, NULL, type);
      AssayValueId out = assay_graph_add_value (graph, ASSAY_MAIN_REGION, ASSAY_VALUE_RESULT, NULL,
                                                type);

      assay_graph_add_node (graph, ASSAY_MAIN_REGION, i == 3 ? ASSAY_OP_TopK : ASSAY_OP_Relu,
                            "node", 1, &in, 1, &out);
      assay_graph_add_output (graph, ASSAY_MAIN_REGION, out);
    }

  verdicts = check (target, graph, NULL);
  g_assert_cmpuint (verdicts->causes->len, ==, 3);
  causes = (const AssayCause *) verdicts->causes->data;
  g_assert_cmpstr (causes[0].rule, ==, "dtype-unknown");
  g_assert_cmpuint (causes[0].nodes->len, ==, 2);
  g_assert_nonnull (strstr (causes[0].reason, "bf16 or u16"));
  g_assert_cmpstr (causes[1].rule, ==, "rank");
  g_assert_cmpstr (causes[2].reason, ==, "TopK maps to nothing in the registry");
}

typedef struct
{
  const char *path;
  AssayOp op;
  AssayDType dtype;
  guint rank;
  gint64 dims[6];
  const char *setting;
  const char *rule;
  AssayVerdictKind kind;
} StepCase;

/* One case per step of the decision order of the registry. Fusions and transposes before products
 * have their own. */
static const StepCase step_cases[] = {
  { "dtype-unknown",
    ASSAY_OP_Relu,
    ASSAY_DTYPE_BF16,
    2,
    { 4, 4 },
    NULL,
    "dtype-unknown",
    ASSAY_VERDICT_REJECTED },
  { "dtype-wide",
    ASSAY_OP_Neg,
    ASSAY_DTYPE_I64,
    2,
    { 4, 4 },
    "downcast_64_bit=false",
    "dtype-wide",
    ASSAY_VERDICT_REJECTED },
  { "module-filter",
    ASSAY_OP_Relu,
    ASSAY_DTYPE_F32,
    2,
    { 4, 4 },
    "module_blocklist=other, no",
    "module-filter",
    ASSAY_VERDICT_REJECTED },
  { "module-filter-allow",
    ASSAY_OP_Relu,
    ASSAY_DTYPE_F32,
    2,
    { 4, 4 },
    "module_allowlist=other",
    "module-filter.allow",
    ASSAY_VERDICT_REJECTED },
  { "no-implementation",
    ASSAY_OP_Erf,
    ASSAY_DTYPE_F32,
    2,
    { 4, 4 },
    NULL,
    "no-implementation",
    ASSAY_VERDICT_REJECTED },
  { "dtype", ASSAY_OP_Relu, ASSAY_DTYPE_I32, 2, { 4, 4 }, NULL, "dtype", ASSAY_VERDICT_REJECTED },
  { "conditions",
    ASSAY_OP_Shrink,
    ASSAY_DTYPE_F32,
    2,
    { 4, 4 },
    NULL,
    "hardshrink",
    ASSAY_VERDICT_SUPPORTED },
  { "rank",
    ASSAY_OP_Relu,
    ASSAY_DTYPE_F32,
    5,
    { 1, 1, 1, 4, 4 },
    NULL,
    "rank",
    ASSAY_VERDICT_REJECTED },
  { "dynamic-shape",
    ASSAY_OP_Relu,
    ASSAY_DTYPE_F32,
    2,
    { 4, 4 },
    "require_dynamic_shapes=true",
    "relu",
    ASSAY_VERDICT_SUPPORTED },
  { "operator-filter",
    ASSAY_OP_Relu,
    ASSAY_DTYPE_F32,
    2,
    { 4, 4 },
    "operator_blocklist=Relu",
    "operator-filter",
    ASSAY_VERDICT_REJECTED },
  { "operator-filter-allow",
    ASSAY_OP_Relu,
    ASSAY_DTYPE_F32,
    2,
    { 4, 4 },
    "operator_allowlist=Conv",
    "operator-filter.allow",
    ASSAY_VERDICT_REJECTED },
  { "bool",
    ASSAY_OP_Transpose,
    ASSAY_DTYPE_BOOL,
    2,
    { 4, 4 },
    "skip_bool_tensors",
    "bool",
    ASSAY_VERDICT_REJECTED },
  { "bool-taken",
    ASSAY_OP_Transpose,
    ASSAY_DTYPE_BOOL,
    2,
    { 4, 4 },
    NULL,
    "permute",
    ASSAY_VERDICT_SUPPORTED },
  { "representation",
    ASSAY_OP_GlobalAveragePool,
    ASSAY_DTYPE_F32,
    4,
    { 1, 4, 20000, 20000 },
    NULL,
    "representation",
    ASSAY_VERDICT_REJECTED },
  { "representation-small",
    ASSAY_OP_GlobalAveragePool,
    ASSAY_DTYPE_F32,
    4,
    { 1, 4, 3000, 3000 },
    NULL,
    "global-avg-pool",
    ASSAY_VERDICT_SUPPORTED },
  { "small-limits",
    ASSAY_OP_GlobalAveragePool,
    ASSAY_DTYPE_F32,
    4,
    { 1, 4, 9000, 9000 },
    "small_texture_limits=true",
    "representation",
    ASSAY_VERDICT_REJECTED },
  { "own-limits",
    ASSAY_OP_GlobalAveragePool,
    ASSAY_DTYPE_F32,
    4,
    { 1, 4, 64, 64 },
    "texture_limits=8,8,8",
    "representation",
    ASSAY_VERDICT_REJECTED },
  { "storage-override",
    ASSAY_OP_GlobalAveragePool,
    ASSAY_DTYPE_F32,
    4,
    { 1, 4, 8, 8 },
    "storage_type_override=buffer",
    "representation",
    ASSAY_VERDICT_REJECTED },
};

static void
run_step (gconstpointer data)
{
  const StepCase *row = data;
  const char *settings[] = { row->setting, NULL };
  g_autoptr (AssayTarget) target = load ("vulkan-main");
  g_autoptr (AssayGraph) graph = single (row->op, NULL, NULL, row->dtype, row->rank, row->dims);
  g_autoptr (AssayVerdicts) verdicts = check (target, graph, settings);
  const AssayVerdict *verdict = find (verdicts, "node");

  g_test_message ("%s", verdict->reason);
  g_assert_cmpint (verdict->kind, ==, row->kind);
  g_assert_cmpstr (verdict->rule, ==, row->rule);
}

/* What has no shape gets no verdict that could be wrong; but a reason that is certain stands. */
static void
test_undecided (void)
{
  g_autoptr (AssayTarget) target = load ("vulkan-main");

  for (guint i = 0; i < 2; i++)
    {
      g_autoptr (AssayGraph) graph = assay_graph_new ();
      AssayValueId in = assay_graph_add_input (graph, ASSAY_MAIN_REGION, "x", &assay_type_unknown);
      AssayValueId out = assay_graph_add_value (graph, ASSAY_MAIN_REGION, ASSAY_VALUE_RESULT, "y",
                                                &assay_type_unknown);
      g_autoptr (AssayVerdicts) verdicts = NULL;

      assay_graph_add_node (graph, ASSAY_MAIN_REGION, i == 0 ? ASSAY_OP_Relu : ASSAY_OP_Erf, "node",
                            1, &in, 1, &out);
      assay_graph_add_output (graph, ASSAY_MAIN_REGION, out);
      verdicts = check (target, graph, NULL);
      g_assert_cmpint (find (verdicts, "node")->kind, ==,
                       i == 0 ? ASSAY_VERDICT_UNDECIDED : ASSAY_VERDICT_REJECTED);
    }
}

static void
test_aten (void)
{
  const gint64 dims[] = { 4, 4 };
  g_autoptr (AssayTarget) target = load ("vulkan-seed");
  g_autoptr (AssayGraph)
      known = single (ASSAY_OP_OPAQUE, "org.pytorch.aten", "flip", ASSAY_DTYPE_F32, 2, dims);
  g_autoptr (AssayGraph)
      unknown = single (ASSAY_OP_OPAQUE, "org.pytorch.aten", "fold", ASSAY_DTYPE_F32, 2, dims);
  g_autoptr (AssayVerdicts) a = check (target, known, NULL);
  g_autoptr (AssayVerdicts) b = check (target, unknown, NULL);

  /* The registry has it; what a graph has of it alone, nobody here can run. */
  g_assert_cmpint (find (a, "node")->earlier->kind, ==, ASSAY_VERDICT_SUPPORTED);
  g_assert_cmpstr (find (a, "node")->mapping, ==, "aten.flip");
  g_assert_cmpint (find (a, "node")->kind, ==, ASSAY_VERDICT_REJECTED);
  g_assert_cmpint (find (a, "node")->stage, ==, ASSAY_STAGE_COMPILE);
  g_assert_cmpstr (find (a, "node")->rule, ==, "builtin.unknown-function");
  g_assert_cmpint (find (b, "node")->kind, ==, ASSAY_VERDICT_REJECTED);
  g_assert_cmpstr (find (b, "node")->rule, ==, "no-row");
}

/* A transpose in front of a product goes with it, whatever becomes of it. */
static void
test_follow (void)
{
  g_autoptr (AssayTarget) target = load ("vulkan-main");

  for (guint i = 0; i < 2; i++)
    {
      AssayDType dtype = i == 0 ? ASSAY_DTYPE_F32 : ASSAY_DTYPE_I32;
      const gint64 dims[] = { 4, 4 };
      g_autoptr (AssayGraph) graph = assay_graph_new ();
      const AssayType *type = assay_type_new_fixed (graph->arena, dtype, 2, dims);
      AssayValueId in[2], out;
      AssayValueId y = assay_graph_add_input (graph, ASSAY_MAIN_REGION, "b", type);
      g_autoptr (AssayVerdicts) verdicts = NULL;

      in[0] = assay_graph_add_input (graph, ASSAY_MAIN_REGION, "a", type);
      in[1] = assay_graph_add_value (graph, ASSAY_MAIN_REGION, ASSAY_VALUE_RESULT, "t", type);
      out = assay_graph_add_value (graph, ASSAY_MAIN_REGION, ASSAY_VALUE_RESULT, "y", type);
      assay_graph_add_node (graph, ASSAY_MAIN_REGION, ASSAY_OP_Transpose, "transpose", 1, &y, 1,
                            &in[1]);
      assay_graph_add_node (graph, ASSAY_MAIN_REGION, ASSAY_OP_MatMul, "product", 2, in, 1, &out);
      assay_graph_add_output (graph, ASSAY_MAIN_REGION, out);
      verdicts = check (target, graph, NULL);
      g_assert_cmpint (find (verdicts, "product")->kind, ==,
                       i == 0 ? ASSAY_VERDICT_SUPPORTED : ASSAY_VERDICT_REJECTED);
      g_assert_cmpint (find (verdicts, "transpose")->kind, ==,
                       i == 0 ? ASSAY_VERDICT_FUSED : ASSAY_VERDICT_REJECTED);
      g_assert_cmpstr (find (verdicts, "transpose")->rule, ==, "fuse.transpose-linear");
    }
}

static void
test_options (void)
{
  static const struct
  {
    const char *setting;
    const char *words;
  } rows[] = {
    { "nonsense=1", "has no option \"nonsense\"; it has require_dynamic_shapes" },
    { "force_fp16=maybe", "true or false expected, got \"maybe\"" },
    { "buffer_limit=many", "integer expected, got \"many\"" },
    { "storage_type_override=disk", "\"disk\" is not one of its values" },
  };
  g_autoptr (AssayTarget) target = load ("vulkan-main");
  g_autoptr (AssayGraph) graph = conv_relu (1);

  for (guint i = 0; i < G_N_ELEMENTS (rows); i++)
    {
      const char *settings[] = { rows[i].setting, NULL };
      g_autoptr (AssaySettings) given = NULL;
      g_autoptr (GError) error = NULL;

      assay_settings_set_list (&given, ASSAY_SETTING_TARGET_OPTION, settings);
      g_assert_null (graph_verdicts (target, graph, given, &error));
      g_assert_error (error, ASSAY_ERROR, ASSAY_ERROR_INVALID);
      g_test_message ("%s", error->message);
      g_assert_nonnull (strstr (error->message, rows[i].words));
    }
}

/* Every target that ships loads without a finding, and is found by its own id. */
static void
test_shipped (void)
{
  g_auto (GStrv) ids = assay_target_list ();

  g_assert_cmpuint (g_strv_length (ids), >=, 2);
  g_assert_true (g_strv_contains ((const char *const *) ids, "vulkan-seed"));
  g_assert_true (g_strv_contains ((const char *const *) ids, "vulkan-main"));
  for (char **id = ids; *id != NULL; id++)
    {
      g_autoptr (AssayTarget) target = load (*id);

      g_assert_cmpstr (assay_target_get_id (target), ==, *id);
      g_assert_cmpuint (strlen (assay_target_get_title (target)), >, 4);
      g_assert_cmpuint (strlen (assay_target_get_summary (target)), >, 10);
      g_assert_nonnull (json_object_get_member (assay_target_get_json (target), "source"));
    }
}

/* The page of each rule of the files that others build on: a condition per predicate. */
static void
test_rule_pages (void)
{
  static const char *const files[][2] = { { "block-streaming.json", "ia_420f_c6b32" },
                                          { "dpu_zdx8g.json", "dpu_zdx8g_b512" },
                                          { "vulkan-main.json", "vulkan-main" } };
  g_autoptr (GRegex) is = g_regex_new ("\"is\": *\"", 0, 0, NULL);
  guint n = 0;

  for (guint i = 0; i < G_N_ELEMENTS (files); i++)
    {
      g_autofree char *path = g_test_build_filename (G_TEST_DIST, "..", "data", "targets",
                                                     files[i][0], NULL);
      g_autoptr (JsonParser) parser = json_parser_new ();
      g_autoptr (AssayTarget) target = load (files[i][1]);
      JsonArray *rules;

      g_assert_true (json_parser_load_from_file (parser, path, NULL));
      rules = json_object_get_array_member (json_node_get_object (json_parser_get_root (parser)),
                                            "rules");
      for (guint j = 0; j < json_array_get_length (rules); j++)
        {
          const char *id = json_object_get_string_member (json_array_get_object_element (rules, j),
                                                          "id");
          g_autoptr (AssayRulePage) page = assay_rule_page_new (target, id);
          g_auto (GStrv) parts = NULL;

          g_assert_nonnull (page);
          parts = g_regex_split (is, page->json, 0);
          g_assert_cmpuint (page->conditions->len, ==, g_strv_length (parts) - 1);
          n += page->conditions->len;
        }
    }
  g_assert_cmpuint (n, >, 0);
}

/* A number of a configuration stays a whole one from 0 on. */
static void
test_numbers (void)
{
  static const struct
  {
    const char *number;
    gboolean good;
  } rows[] = { { "0", TRUE }, { "1", TRUE }, { "-1", FALSE }, { "1.5", FALSE }, { "true", FALSE } };

  for (guint i = 0; i < G_N_ELEMENTS (rows); i++)
    {
      g_autofree char *text = g_strdup_printf (
          "{\"id\": \"mine\", \"title\": \"Mine\", \"summary\": \"My own\", \"extends\": "
          "\"vulkan-main\", \"config\": {\"texture_x\": %s}, \"rules\": []}",
          rows[i].number);
      g_autoptr (AssayTarget) target = load_text (text, NULL, NULL);

      g_assert_cmpint (target != NULL, ==, rows[i].good);
    }
}

static gpointer
read_in_thread (gpointer id)
{
  AssayTarget *target = load (id);
  g_autoptr (AssayConfig) config = assay_config_new_for_target (target, NULL);
  g_autoptr (AssayRulePage) page = assay_rule_page_new (target, "convolution");

  g_assert_nonnull (config);
  g_assert_nonnull (page);
  return target;
}

/* A target that ships is read once, whoever asks for it in whatever thread. */
static void
test_once (void)
{
  static const char *const ids[] = { "v80_c6b32", "v80ll_c6b32" };
  AssayTarget *first[G_N_ELEMENTS (ids)] = { NULL };
  GThread *threads[8];

  for (guint i = 0; i < G_N_ELEMENTS (threads); i++)
    threads[i] = g_thread_new ("reader", read_in_thread, (gpointer) ids[i % G_N_ELEMENTS (ids)]);
  for (guint i = 0; i < G_N_ELEMENTS (threads); i++)
    {
      g_autoptr (AssayTarget) target = g_thread_join (threads[i]);

      if (first[i % G_N_ELEMENTS (ids)] == NULL)
        first[i % G_N_ELEMENTS (ids)] = target;
      g_assert_true (target == first[i % G_N_ELEMENTS (ids)]);
      g_assert_cmpstr (assay_target_get_id (target), ==, ids[i % G_N_ELEMENTS (ids)]);
    }
}

/* What is asked of a target by name, and what nobody has. */
static void
test_asked (void)
{
  static const struct
  {
    const char *field;
    gint64 value; /* -1 if there is none */
  } fields[] = {
    { "num_cores", 6 },    { "timing.network_hop", 14 },
    { "timing.hops", -1 }, { "timing", -1 },
    { "fabric", -1 },      { "colour", -1 },
    { "colour.red", -1 },  { "num_cores.of", -1 },
  };
  g_autoptr (AssayTarget) target = load ("ia_420f_c6b32");
  g_autoptr (AssayTarget) delegate = load ("vulkan-main");

  for (guint i = 0; i < G_N_ELEMENTS (fields); i++)
    {
      gint64 value = -1;

      g_assert_cmpint (assay_target_get_config_int (target, fields[i].field, &value), ==,
                       fields[i].value >= 0);
      g_assert_cmpint (value, ==, fields[i].value);
    }
  g_assert_true (assay_target_is_estimated (target, "cell_state_depth"));
  g_assert_false (assay_target_is_estimated (target, "num_cores"));
  g_assert_true (assay_target_has_option (delegate, "force_fp16"));
  g_assert_true (assay_target_has_option (delegate, "force_fp16=true"));
  g_assert_false (assay_target_has_option (delegate, "force_fp1"));
  g_assert_false (assay_target_has_option (delegate, "force_fp32=true"));
}

static void
test_no_such_target (void)
{
  g_autoptr (GError) error = NULL;

  g_assert_null (assay_target_load ("/proc", &error));
  g_assert_error (error, ASSAY_ERROR, ASSAY_ERROR_IO);
  g_clear_error (&error);

  g_assert_null (assay_target_load ("vulcan", &error));
  g_assert_error (error, ASSAY_ERROR, ASSAY_ERROR_INVALID);
  g_assert_nonnull (strstr (error->message, "vulkan-main"));

  /* What several targets share is a file like theirs, and none of them. */
  {
    static const char *const bases[] = { "dpu_zdx8g", "block-streaming" };

    for (guint i = 0; i < G_N_ELEMENTS (bases); i++)
      {
        g_autoptr (GError) local = NULL;

        g_assert_null (assay_target_load (bases[i], &local));
        g_assert_nonnull (strstr (local->message, "is what targets build on, and none itself"));
      }
  }
}

/* A user's own file, by path, on top of one that ships. */
static void
test_own_file (void)
{
  static const char text[] = "{ \"id\": \"mine\", \"title\": \"Mine\", \"summary\": \"A delegate "
                             "of my own\", \"extends\": \"vulkan-main\",\n"
                             "  \"config\": { \"texture_x\": 4 },\n"
                             "  \"rules\": [ { \"id\": \"no-relu\", \"op\": \"Relu\", \"verdict\": "
                             "\"rejected\", \"reason\": \"{op} is too "
                             "hot\" } ] }\n";
  g_autofree char *path = NULL;
  g_autoptr (GError) error = NULL;
  g_autoptr (AssayTarget) target = NULL;
  g_autoptr (AssayGraph) graph = conv_relu (1);
  g_autoptr (AssayVerdicts) verdicts = NULL;
  g_autoptr (GString) changed = NULL;
  gint64 value;
  int fd = g_file_open_tmp ("assay-XXXXXX.json", &path, &error);

  g_assert_no_error (error);
  g_close (fd, NULL);
  g_assert_true (g_file_set_contents (path, text, -1, NULL));
  target = assay_target_load (path, &error);
  g_assert_no_error (error);
  g_assert_cmpstr (assay_target_get_family (target), ==, "delegate");
  g_assert_true (assay_target_get_config_int (target, "texture_x", &value));
  g_assert_cmpint (value, ==, 4);
  g_assert_true (assay_target_get_config_int (target, "texture_z", &value));
  g_assert_cmpint (value, ==, 2048);

  verdicts = check (target, graph, NULL);
  /* Its own rule comes before the one of the same operator that it builds on; the pattern still
   * takes the node. */
  g_assert_cmpint (find (verdicts, "conv")->kind, ==, ASSAY_VERDICT_REJECTED);
  g_assert_cmpstr (find (verdicts, "conv")->rule, ==, "representation");
  g_assert_cmpstr (find (verdicts, "relu")->reason, ==, "Relu is too hot");

  /* It may change at any time. */
  changed = g_string_new (text);
  g_string_replace (changed, "\"texture_x\": 4", "\"texture_x\": 5", 0);
  g_assert_true (g_file_set_contents (path, changed->str, -1, NULL));
  g_clear_pointer (&target, assay_target_unref);
  target = load (path);
  g_assert_true (assay_target_get_config_int (target, "texture_x", &value));
  g_assert_cmpint (value, ==, 5);
  g_unlink (path);
}

/* Files that are wrong: every finding, with line and member. The text in tests/data/targets is the
 * expectation. */
static void
test_golden (gconstpointer data)
{
  const char *name = data;
  g_autofree char *input = g_test_build_filename (G_TEST_DIST, "data", "targets", name, NULL);
  g_autofree char *expected_path = g_strconcat (input, ".expected", NULL);
  g_autoptr (AssayFindings) findings = assay_findings_new ();
  g_autoptr (GString) found = g_string_new (NULL);
  g_autofree char *text = NULL;
  g_autofree char *expected = NULL;
  g_autoptr (GError) error = NULL;

  g_assert_true (g_file_get_contents (input, &text, NULL, NULL));
  g_assert_null (load_text (text, findings, &error));
  g_assert_error (error, ASSAY_ERROR, ASSAY_ERROR_INVALID);

  for (guint i = 0; i < assay_findings_get_count (findings); i++)
    g_string_append_printf (found, "%s\n", assay_findings_get (findings, i)->message);
  g_string_append_printf (found, "%s\n", error->message);

  if (g_getenv ("ASSAY_REGENERATE") != NULL)
    g_assert_true (g_file_set_contents (expected_path, found->str, -1, NULL));
  g_assert_true (g_file_get_contents (expected_path, &expected, NULL, NULL));
  g_assert_cmpstr (found->str, ==, expected);
}

/* Every prefix of a file that ships, and nesting that a recursive parser would not survive. */
static void
test_hostile (void)
{
  g_autofree char *path = g_test_build_filename (G_TEST_DIST, "..", "data", "targets",
                                                 "vulkan-seed.json", NULL);
  g_autofree char *deep = g_strnfill (100000, '[');
  g_autofree char *text = NULL;
  gsize length;

  g_assert_null (load_text (deep, NULL, NULL));

  /* A long name above many elements, and many wrong names: both would take hours or all memory if
   * done naively. */
  for (guint i = 0; i < 2; i++)
    {
      g_autoptr (GString) hostile = g_string_new (
          i == 0 ? "{ \"" : "{ \"rules\": [{ \"id\": \"a\", \"op\": [\"Q\"");
      g_autoptr (GError) error = NULL;

      if (i == 0)
        {
          for (guint j = 0; j < 200000; j++)
            g_string_append_c (hostile, 'n');
          g_string_append (hostile, "\": [0");
        }
      for (guint j = 0; j < 200000; j++)
        g_string_append (hostile, i == 0 ? ",1" : ",\"Conw\"");
      g_string_append (hostile, i == 0 ? "] }" : "] }] }");
      g_assert_null (load_text (hostile->str, NULL, &error));
      g_assert_error (error, ASSAY_ERROR, ASSAY_ERROR_INVALID);
    }
  g_assert_true (g_file_get_contents (path, &text, &length, NULL));
  for (gsize n = 0; n < length - 2; n += 97)
    {
      g_autoptr (GBytes) bytes = g_bytes_new_static (text, n);
      g_autoptr (GError) error = NULL;

      g_assert_null (assay_target_load_bytes (bytes, "prefix", NULL, &error));
      g_assert_error (error, ASSAY_ERROR, ASSAY_ERROR_INVALID);
    }
}

/* Longer than any name that there is. */
#define LONG "a-predicate-whose-name-is-longer-than-what-names-are-compared-by-when-one-is-sought"

/* Members of a target file that are not what they have to be. */
static void
test_members (void)
{
  static const struct
  {
    const char *text;
    const char *message;
  } cases[] = {
    { "\"id\": \"\"", "id: letters, digits" },
    { "\"id\": \"a b\"", "id: letters, digits" },
    { "\"id\": 3", "id" },
    { "\"extends\": 3", "extends" },
    { "\"extends\": \"nonesuch\"", "there is no target" },
    { "\"options\": [{ \"name\": \"a\", \"type\": \"string\", \"choices\": 3 }]", "choices" },
    { "\"options\": [{ \"name\": \"a\", \"type\": \"string\", \"default\": 3 }]", "default" },
    { "\"options\": [{ \"name\": \"a\", \"type\": \"string\", \"choices\": [] }, 3]", "options" },
    { "\"options\": { \"a\": { \"type\": \"string\", \"default\": 3, \"doc\": \"d\" } }",
      "options.a.default" },
    { "\"options\": { \"a\": { \"type\": \"int\", \"default\": \"x\", \"doc\": \"d\" } }",
      "options.a.default" },
    { "\"options\": { \"a\": { \"type\": \"bool\", \"default\": [], \"doc\": \"d\" } }",
      "options.a.default" },
    { "\"options\": { \"a\": { \"type\": \"string\", \"default\": \"\", \"choices\": [], \"doc\": "
      "3 } }",
      "options.a.doc" },
    { "\"abstract\": {}", "abstract" },
    { "\"extends\": \"vulkan-main\", \"options\": { \"texture_limits\": { \"type\": \"string\", "
      "\"default\": \"\", \"doc\": 3 } }",
      "options.texture_limits.doc" },
    { "\"id\": \"mine\", \"rules\": [{ \"id\": \"a\", \"op\": \"Relu\", \"when\": [{ \"is\": "
      "\"" LONG "\" }] }]",
      "unknown predicate" },
    { "\"fallback\": { \"verdict\": 3 }", "fallback.verdict" },
    { "\"steps\": [{ \"step\": \"rule\" }]", "\"rule\" and \"conditions\" have to be there" },
    { "\"steps\": [{ \"step\": \"conditions\" }]", "\"conditions\" have to be there" },
    { "\"steps\": [3]", "steps[0]" },
    { "\"steps\": []", "steps" },
    { "\"rules\": {}", "rules" },
    { "\"rules\": [{}]", "rules[0]" },
    { "\"composites\": 3", "composites" },
    { "\"config\": 3", "config" },
    { "\"estimated\": 3", "estimated" },
  };

  for (guint i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      g_autofree char *text = g_strdup_printf (
          "{ %s\"title\": \"Mine\", \"summary\": \"A delegate of my own\", %s%s }",
          strstr (cases[i].text, "\"id\"") != NULL ? "" : "\"id\": \"mine\", ", cases[i].text,
          strstr (cases[i].text, "extends") != NULL ? "" : ", \"extends\": \"vulkan-main\"");
      g_autoptr (GError) error = NULL;

      if (load_text (text, NULL, &error) != NULL)
        g_error ("%s was taken", text);
      g_assert_error (error, ASSAY_ERROR, ASSAY_ERROR_INVALID);
      if (strstr (error->message, cases[i].message) == NULL)
        g_error ("%s: “%s” lacks “%s”", text, error->message, cases[i].message);
    }
}

/* The table of predicates in the manual is written from the tables of the code. */
static void
test_predicates (void)
{
  static const char head[] = "| predicate | holds if | arguments |\n|---|---|---|\n";
  g_autoptr (GPtrArray) all = assay_predicate_list ();
  g_autoptr (GHashTable) names = g_hash_table_new (g_str_hash, g_str_equal);
  g_autoptr (GString) table = g_string_new (NULL);
  g_autofree char *path = g_test_build_filename (G_TEST_DIST, "..", "docs", "adding-a-target.md",
                                                 NULL);
  g_autofree char *manual = NULL;
  char *place;

  for (guint i = 0; i < all->len; i++)
    {
      const AssayPredicate *predicate = g_ptr_array_index (all, i);

      g_test_message ("%s", predicate->name);
      g_assert_true (g_hash_table_add (names, (gpointer) predicate->name));
      g_assert_true (assay_predicate_lookup (predicate->name) == predicate);
      g_assert_nonnull (strchr (predicate->sentence, '{'));
      g_assert_nonnull (predicate->func);
      g_string_append_printf (table, "| `%s` | %s |", predicate->name, predicate->doc);
      for (guint j = 0; j < ASSAY_MAX_ARGS && predicate->args[j].name != NULL; j++)
        {
          g_assert_cmpuint (strlen (predicate->args[j].doc), >, 4);
          g_string_append_printf (table, "%s `%s`%s", j > 0 ? "," : "", predicate->args[j].name,
                                  predicate->args[j].required ? "!" : "");
        }
      g_string_append (table, " |\n");
    }

  g_assert_true (g_file_get_contents (path, &manual, NULL, NULL));
  place = strstr (manual, head);
  g_assert_nonnull (place);
  place += strlen (head);

  if (g_getenv ("ASSAY_REGENERATE") != NULL && !g_str_equal (place, table->str))
    {
      g_autofree char *text = g_strdup_printf ("%.*s%s", (int) (place - manual), manual,
                                               table->str);

      g_assert_true (g_file_set_contents (path, text, -1, NULL));
      return;
    }
  if (!g_str_equal (place, table->str))
    g_error ("the table of predicates in docs/adding-a-target.md is old; ASSAY_REGENERATE=1 in "
             "this test writes it");
}

/* Partitions taken as nodes must leave a graph without cycles, and the edges between the sides are
 * counted right. */
static void
test_partitions (void)
{
  g_autoptr (AssayTarget) target = load ("vulkan-main");

  for (guint round = 0; round < 200; round++)
    {
      g_autoptr (AssayGraph) graph = assay_graph_new ();
      const gint64 dims[] = { 4, 4 };
      const AssayType *type = assay_type_new_fixed (graph->arena, ASSAY_DTYPE_F32, 2, dims);
      g_autoptr (AssayVerdicts) verdicts = NULL;
      AssayValueId values[26];
      guint transitions = 0;
      guint level[64] = { 0 };
      gboolean changed = TRUE;

      values[0] = assay_graph_add_input (graph, ASSAY_MAIN_REGION, "x", type);
      for (guint i = 1; i < G_N_ELEMENTS (values); i++)
        {
          AssayValueId inputs[] = { values[g_test_rand_int_range (0, (int) i)],
                                    values[g_test_rand_int_range (0, (int) i)] };
          gboolean host = g_test_rand_bit ();

          values[i] = assay_graph_add_value (graph, ASSAY_MAIN_REGION, ASSAY_VALUE_RESULT, NULL,
                                             type);
          assay_graph_add_node (graph, ASSAY_MAIN_REGION, host ? ASSAY_OP_Mod : ASSAY_OP_Add,
                                "node", 2, inputs, 1, &values[i]);
          assay_graph_add_output (graph, ASSAY_MAIN_REGION, values[i]);
        }

      verdicts = check (target, graph, NULL);
      g_assert_cmpuint (verdicts->n_partitions, <, 30);

      /* The longest way to each unit grows without end only if there is a cycle. Units: partitions,
       * then host nodes. */
      for (guint sweep = 0; changed; sweep++)
        {
          g_assert_cmpuint (sweep, <, 64);
          changed = FALSE;
          transitions = 0;
          for (AssayNodeId id = 1; id < assay_graph_n_nodes (verdicts->graph); id++)
            {
              const AssayNode *node = assay_graph_node (verdicts->graph, id);
              int partition = assay_verdicts_get (verdicts, id)->partition;
              guint unit = partition >= 0 ? (guint) partition : 30 + id;

              for (guint i = 0; i < node->n_inputs; i++)
                {
                  AssayNodeId producer =
                      assay_graph_value (verdicts->graph, node->inputs[i])->producer;
                  int other = producer != ASSAY_NO_NODE
                                  ? assay_verdicts_get (verdicts, producer)->partition
                                  : -1;
                  guint from = other >= 0 ? (guint) other : 30 + producer;

                  if (producer == ASSAY_NO_NODE)
                    continue;
                  transitions += (other >= 0) != (partition >= 0);
                  if (from != unit && level[unit] <= level[from])
                    {
                      level[unit] = level[from] + 1;
                      changed = TRUE;
                    }
                }
            }
        }
      g_assert_cmpuint (transitions, ==, verdicts->n_transitions);
    }
}

/* 50,000 nodes, one in six refused, take 0.06 s of a core; the limits leave room for slow machines
 * and sanitizers. */
static void
test_speed (void)
{
  g_autoptr (AssayTarget) target = load ("vulkan-main");
  g_autoptr (AssayGraph) graph = assay_graph_new ();
  const gint64 dims[] = { 1, 8, 8, 8 };
  const AssayType *type = assay_type_new_fixed (graph->arena, ASSAY_DTYPE_F32, 4, dims);
  AssayValueId value = assay_graph_add_input (graph, ASSAY_MAIN_REGION, "x", type);
  g_autoptr (AssayVerdicts) verdicts = NULL;
  clock_t begin;
  double seconds;

  for (guint i = 0; i < 50000; i++)
    {
      static const AssayOp ops[] = { ASSAY_OP_Relu,      ASSAY_OP_Add,     ASSAY_OP_Sigmoid,
                                     ASSAY_OP_Transpose, ASSAY_OP_Softmax, ASSAY_OP_Erf };
      AssayOp op = ops[i % G_N_ELEMENTS (ops)];
      AssayValueId inputs[2] = { value, value };

      value = assay_graph_add_value (graph, ASSAY_MAIN_REGION, ASSAY_VALUE_RESULT, NULL, type);
      assay_graph_add_node (graph, ASSAY_MAIN_REGION, op, "node", op == ASSAY_OP_Add ? 2 : 1,
                            inputs, 1, &value);
    }
  assay_graph_add_output (graph, ASSAY_MAIN_REGION, value);

  begin = clock ();
  verdicts = check (target, graph, NULL);
  seconds = (double) (clock () - begin) / CLOCKS_PER_SEC;
  g_test_message ("50,000 nodes in %.1f ms", seconds * 1000);
  g_assert_cmpfloat (seconds, <, SLOWNESS * 0.5);
  g_assert_cmpuint (verdicts->counts[ASSAY_VERDICT_REJECTED], ==, 50000 / 6);
  g_assert_cmpuint (verdicts->n_partitions, ==, 50000 / 6 + 1);
}

TEST_PROGRAM (target)
{
  static const char *const golden[] = { "members.json", "arguments.json", "fusions.json",
                                        "syntax.json",  "deep.json",      "twice.json",
                                        "steps.json",   "config.json",    "numbers.json" };

  g_test_init (&argc, &argv, NULL);

  g_test_add_func ("/target/check/fused", test_fused);
  g_test_add_func ("/target/check/rejected", test_rejected);
  g_test_add_func ("/target/check/causes", test_causes);
  g_test_add_func ("/target/check/undecided", test_undecided);
  g_test_add_func ("/target/check/aten", test_aten);
  g_test_add_func ("/target/check/follow", test_follow);
  g_test_add_func ("/target/check/options", test_options);
  g_test_add_func ("/target/check/partitions", test_partitions);
  g_test_add_func ("/target/check/speed", test_speed);
  for (guint i = 0; i < G_N_ELEMENTS (step_cases); i++)
    {
      g_autofree char *path = g_strconcat ("/target/step/", step_cases[i].path, NULL);

      g_test_add_data_func (path, &step_cases[i], run_step);
    }
  g_test_add_func ("/target/file/shipped", test_shipped);
  g_test_add_func ("/target/file/rule-pages", test_rule_pages);
  g_test_add_func ("/target/file/numbers", test_numbers);
  g_test_add_func ("/target/file/once", test_once);
  g_test_add_func ("/target/file/asked", test_asked);
  g_test_add_func ("/target/file/no-such-target", test_no_such_target);
  g_test_add_func ("/target/file/own", test_own_file);
  for (guint i = 0; i < G_N_ELEMENTS (golden); i++)
    {
      g_autofree char *path = g_strconcat ("/target/file/golden/", golden[i], NULL);

      g_test_add_data_func (path, golden[i], test_golden);
    }
  g_test_add_func ("/target/file/members", test_members);
  g_test_add_func ("/target/file/hostile", test_hostile);
  g_test_add_func ("/target/predicates", test_predicates);

  return g_test_run ();
}
