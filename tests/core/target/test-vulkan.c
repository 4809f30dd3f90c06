/* test-vulkan.c
 * SPDX-License-Identifier: Apache-2.0
 */
#include <string.h>

#include "nnir/text/assay-text.h"
#include "source/assay-source.h"
#include "target/assay-target.h"
#include "graphs.h"
#include "test-program.h"

#define TESTDATA "/usr/share/libonnx-testdata/data"

/* What a target has to say about the single-operator cases that a pattern names. Shapes of weights
 * are inputs there, so inputs after the first count as constant. */
typedef struct
{
  const char *path;
  const char *target;
  const char *pattern; /* names of cases, alternatives separated by `|` */
  const char *op;
  guint taken;
  guint refused;
  guint undecided;
} Probe;

static const Probe probes[] = {
  { "conv", "vulkan-seed", "test_*", "Conv", 14, 19, 0 },
  { "conv", "vulkan-main", "test_*", "Conv", 14, 19, 0 },
  { "conv-one-dimensional", "vulkan-seed", "test_Conv1d*", "Conv", 8, 0, 0 },
  { "conv-three-dimensional", "vulkan-seed", "test_Conv3d*", "Conv", 0, 7, 0 },
  { "conv-transpose", "vulkan-seed", "test_*", "ConvTranspose", 9, 4, 0 },
  { "conv-transpose", "vulkan-main", "test_*", "ConvTranspose", 9, 4, 0 },
  { "pool-three-dimensional", "vulkan-seed", "test_maxpool_3d_default|test_MaxPool3d*", "MaxPool",
    0, 4, 0 },
  { "average-pool-three-dimensional", "vulkan-seed", "test_averagepool_3d_default|test_AvgPool3d*",
    "AveragePool", 0, 4, 0 },
  { "reduce-without-keepdims", "vulkan-seed", "test_reduce_m*_do_not_keepdims_*",
    "ReduceMean|ReduceMax|ReduceMin", 0, 6, 0 },
  { "reduce-without-keepdims", "vulkan-main", "test_reduce_m*_do_not_keepdims_*",
    "ReduceMean|ReduceMax|ReduceMin", 0, 6, 0 },
  { "reduce-all", "vulkan-seed", "test_reduce_m*_default_axes_*", "ReduceMean|ReduceMax|ReduceMin",
    0, 6, 0 },
  { "reduce-all", "vulkan-main", "test_reduce_m*_default_axes_*", "ReduceMean|ReduceMax|ReduceMin",
    0, 6, 0 },
  { "reduce-one", "vulkan-seed", "test_reduce_m*_keepdims_example|test_reduce_m*_keepdims_random",
    "ReduceMean|ReduceMax|ReduceMin", 12, 11, 0 },
  { "reduce-never", "vulkan-main", "test_reduce_prod*|test_reduce_log*",
    "ReduceProd|ReduceLogSum|ReduceLogSumExp", 0, 21, 0 },
  { "reduce-decomposed", "vulkan-main", "test_reduce_l1*", "Abs", 8, 0, 0 },
  { "resize-cubic", "vulkan-seed", "test_resize_*cubic*", "Resize", 0, 9, 0 },
  { "resize-crop", "vulkan-seed", "test_resize_tf_crop_and_resize", "Resize", 0, 1, 0 },
  { "resize-up", "vulkan-seed",
    "test_resize_upsample_scales_nearest|test_resize_upsample_scales_linear*", "Resize", 3, 0, 0 },
  { "resize-up", "vulkan-main",
    "test_resize_upsample_scales_nearest|test_resize_upsample_scales_linear*", "Resize", 3, 0, 0 },
  { "recurrent", "vulkan-seed", "test_lstm_*|test_gru_*|test_rnn_*|test_simple_rnn_*",
    "LSTM|GRU|RNN", 0, 12, 0 },
  { "control", "vulkan-seed", "test_loop*|test_scan*|test_if*", "Loop|Scan|If", 0, 10, 0 },
  { "sequences", "vulkan-seed", "test_sequence_*", "Sequence*|SplitToSequence|ConcatFromSequence",
    0, 30, 0 },
  { "pool-same", "vulkan-seed", "test_maxpool_2d_same_*", "MaxPool", 2, 0, 0 },
  { "pool-with-indices", "vulkan-main", "test_maxpool_with_argmax_*", "MaxPool", 1, 1, 0 },
  { "strings", "vulkan-seed", "test_strnormalizer_*|test_tfidfvectorizer_*",
    "StringNormalizer|TfIdfVectorizer", 0, 13, 0 },
  /* Remarks on the page and the registry. */
  { "compare", "vulkan-seed",
    "test_less|test_less_equal|test_greater|test_greater_equal|test_equal",
    "Less|LessOrEqual|Greater|GreaterOrEqual|Equal", 5, 0, 0 },
  { "mul", "vulkan-seed", "test_mul|test_mul_bcast|test_mul_example", "Mul", 0, 3, 0 },
  { "mul", "vulkan-main", "test_mul|test_mul_bcast|test_mul_example", "Mul", 3, 0, 0 },
  { "logic", "vulkan-seed", "test_and*|test_or?d|test_not_*", "And|Or|Not", 0, 14, 0 },
  { "logic", "vulkan-main", "test_and*|test_or?d|test_not_*", "And|Or|Not", 11, 3, 0 },
  { "hard-swish", "vulkan-seed", "test_hardswish", "HardSwish", 0, 1, 0 },
  { "hard-swish", "vulkan-main", "test_hardswish", "HardSwish", 1, 0, 0 },
  { "depth-to-space", "vulkan-main", "test_depthtospace_*", "DepthToSpace", 2, 2, 0 },
  { "pad", "vulkan-seed", "test_constant_pad|test_edge_pad|test_reflect_pad", "Pad", 1, 2, 0 },
  { "clip-int8", "vulkan-seed", "test_clip_default_int8*", "Clip", 0, 3, 0 },
  { "max", "vulkan-main", "test_max_*", "Max", 0, 14, 0 },
  { "layer-norm", "vulkan-main", "test_layer_normalization_*", "LayerNormalization", 7, 12, 0 },
  { "batch-norm-training", "vulkan-main", "test_batchnorm_*training_mode", "BatchNormalization", 0,
    2, 0 },
};

static gboolean
matches (const char *patterns, const char *name)
{
  g_auto (GStrv) list = g_strsplit (patterns, "|", -1);

  for (char **pattern = list; *pattern != NULL; pattern++)
    if (g_pattern_match_simple (*pattern, name))
      return TRUE;

  return FALSE;
}

static AssayVerdicts *
check (AssayTarget *target, const char *path)
{
  g_autoptr (AssaySettings) settings = NULL;
  g_autoptr (AssayFindings) findings = assay_findings_new ();
  g_autoptr (GError) error = NULL;
  g_autoptr (AssayGraph) graph = assay_model_read (path, NULL, findings, NULL, &error);
  AssayVerdicts *verdicts;

  g_assert_no_error (error);
  assay_settings_set_flag (&settings, ASSAY_SETTING_INPUTS_ARE_PARAMETERS, TRUE);
  verdicts = graph_verdicts (target, graph, settings, &error);
  g_assert_no_error (error);

  return verdicts;
}

static void
run_probe (gconstpointer data)
{
  static const char *const categories[] = { "node", "simple", "pytorch-operator",
                                            "pytorch-converted" };
  const Probe *probe = data;
  g_autoptr (GError) error = NULL;
  g_autoptr (AssayTarget) target = assay_target_load (probe->target, &error);
  guint taken = 0, refused = 0, undecided = 0;

  g_assert_no_error (error);
  if (!g_file_test (TESTDATA, G_FILE_TEST_IS_DIR))
    {
      g_test_skip ("libonnx-testdata is not installed");
      return;
    }

  for (guint i = 0; i < G_N_ELEMENTS (categories); i++)
    {
      g_autofree char *folder = g_build_filename (TESTDATA, categories[i], NULL);
      g_autoptr (GDir) dir = g_dir_open (folder, 0, NULL);
      const char *name;

      while (dir != NULL && (name = g_dir_read_name (dir)) != NULL)
        {
          g_autofree char *path = g_build_filename (folder, name, "model.onnx", NULL);
          g_autoptr (AssayVerdicts) verdicts = NULL;

          if (!matches (probe->pattern, name) || strstr (name, "expanded") != NULL)
            continue;

          verdicts = check (target, path);
          for (AssayNodeId id = 1; id < assay_graph_n_nodes (verdicts->graph); id++)
            {
              const AssayVerdict *verdict = assay_verdicts_get (verdicts, id);

              if (!matches (probe->op, assay_graph_node (verdicts->graph, id)->op_type))
                continue;
              if (verdict->kind == ASSAY_VERDICT_UNDECIDED)
                undecided++;
              else if (verdict->kind >= ASSAY_VERDICT_FUSED)
                taken++;
              else
                refused++;
              g_test_message ("%s: %s: %s: %s", name, assay_verdict_name (verdict->kind),
                              verdict->rule, verdict->reason);
            }
        }
    }

  g_assert_cmpuint (taken, ==, probe->taken);
  g_assert_cmpuint (refused, ==, probe->refused);
  g_assert_cmpuint (undecided, ==, probe->undecided);
}

/* Every node of the file is found exactly once: as a node of the graph that was checked, or among
 * the absorbed ones. */
static void
account (AssayVerdicts *verdicts)
{
  const AssayGraph *graph = verdicts->graph;
  g_autofree guint *found = g_new0 (guint, graph->origins->len + 1);
  g_autofree gboolean *member = g_new0 (gboolean, graph->origins->len + 1);
  g_autoptr (GHashTable) names = g_hash_table_new (g_str_hash, g_str_equal);
  guint total = 0;

  for (AssayNodeId id = 1; id < assay_graph_n_nodes (graph); id++)
    {
      const AssayNode *node = assay_graph_node (graph, id);

      g_hash_table_add (names, (gpointer) node->name);
      for (guint i = 0; i < node->n_origins; i++)
        member[node->origins[i]] = TRUE;
    }

  for (guint i = 0; i < verdicts->absorbed->len; i++)
    {
      const AssayAbsorbed *absorbed = &g_array_index (verdicts->absorbed, AssayAbsorbed, i);

      g_assert_cmpuint (found[absorbed->origin]++, ==, 0);
      g_assert_cmpint (absorbed->into != ASSAY_NO_NODE, ==, member[absorbed->origin]);
      g_assert_cmpint (absorbed->kind, ==,
                       absorbed->into != ASSAY_NO_NODE ? ASSAY_VERDICT_FUSED
                                                       : ASSAY_VERDICT_REMOVED);
      g_assert_nonnull (absorbed->rule);
      g_assert_false (g_hash_table_contains (
          names, g_array_index (graph->origins, AssayOrigin, absorbed->origin).name));
    }
  for (guint i = 0; i < graph->origins->len; i++)
    g_assert_true (found[i] == 1 || member[i]);

  for (guint i = 0; i < ASSAY_N_VERDICTS; i++)
    total += verdicts->counts[i];
  g_assert_cmpuint (total, ==, assay_graph_n_nodes (graph) - 1);
  for (guint i = 0; i < verdicts->causes->len; i++)
    {
      const AssayCause *cause = &g_array_index (verdicts->causes, AssayCause, i);

      g_assert_cmpuint (strlen (cause->reason), >, 5);
      for (guint j = 0; j < cause->nodes->len; j++)
        g_assert_cmpint (
            assay_verdicts_get (verdicts, g_array_index (cause->nodes, AssayNodeId, j))->cause, ==,
            (int) i);
    }
}

/* Whether a number lies in the range, or is one of the list, that it was refused for. */
static gboolean
contradicts (const char *actual, const char *allowed)
{
  g_auto (GStrv) words = g_strsplit (allowed, " ", -1);
  guint n = g_strv_length (words);
  gint64 value, low, high;

  if (g_str_equal (actual, allowed))
    return TRUE;
  if (!g_ascii_string_to_signed (actual, 10, G_MININT64, G_MAXINT64, &value, NULL))
    return FALSE;
  if (n == 3 && g_str_equal (words[1], "to") &&
      g_ascii_string_to_signed (words[0], 10, G_MININT64, G_MAXINT64, &low, NULL) &&
      g_ascii_string_to_signed (words[2], 10, G_MININT64, G_MAXINT64, &high, NULL))
    return value >= low && value <= high;
  if (n == 3 && g_str_equal (words[1], "or") && g_str_equal (words[2], "more") &&
      g_ascii_string_to_signed (words[0], 10, G_MININT64, G_MAXINT64, &low, NULL))
    return value >= low;
  if (n == 3 && g_str_equal (words[0], "at") && g_str_equal (words[1], "most") &&
      g_ascii_string_to_signed (words[2], 10, G_MININT64, G_MAXINT64, &high, NULL))
    return value <= high;

  /* Axes that go together are no list to choose from. */
  for (guint i = 0; i < n && strstr (allowed, " together") == NULL; i++)
    {
      g_auto (GStrv) parts = g_strsplit (words[i], ",", 2);

      if (g_strv_length (parts) > 0 && g_str_equal (parts[0], actual))
        return TRUE;
    }

  return FALSE;
}

/* No reason names as allowed what it refuses. */
static void
expect_sense (AssayVerdicts *verdicts)
{
  for (AssayNodeId id = 1; id < assay_graph_n_nodes (verdicts->graph); id++)
    {
      const AssayVerdict *verdict = assay_verdicts_get (verdicts, id);

      if (verdict->kind > ASSAY_VERDICT_HOST || verdict->actual == NULL || verdict->allowed == NULL)
        continue;
      if (contradicts (verdict->actual, verdict->allowed))
        g_error ("%s: %s", verdict->rule, verdict->reason);
    }
}

static void
test_account (void)
{
  static const char *const ids[] = { "vulkan-main", "vulkan-seed", "dpu_zdx8g_b512",
                                     "dpu_zdx8g_b4096", "v80_c6b32" };
  static const char *const categories[] = { "node", "simple", "pytorch-operator",
                                            "pytorch-converted" };
  guint n = 0;

  if (!g_file_test (TESTDATA, G_FILE_TEST_IS_DIR))
    {
      g_test_skip ("libonnx-testdata is not installed");
      return;
    }

  for (guint t = 0; t < G_N_ELEMENTS (ids); t++)
    {
      g_autoptr (AssayTarget) target = assay_target_load (ids[t], NULL);

      g_assert_nonnull (target);
      for (guint i = 0; i < G_N_ELEMENTS (categories); i++)
        {
          g_autofree char *folder = g_build_filename (TESTDATA, categories[i], NULL);
          g_autoptr (GDir) dir = g_dir_open (folder, 0, NULL);
          const char *name;

          while (dir != NULL && (name = g_dir_read_name (dir)) != NULL)
            {
              g_autofree char *path = g_build_filename (folder, name, "model.onnx", NULL);
              g_autoptr (AssayVerdicts) verdicts = check (target, path);

              g_test_message ("%s: %s", ids[t], name);
              account (verdicts);
              expect_sense (verdicts);
              n++;
            }
        }
    }
  g_assert_cmpuint (n, ==, G_N_ELEMENTS (ids) * 1072);
}

static const AssayVerdict *
first_of (AssayVerdicts *verdicts, const char *op)
{
  for (AssayNodeId id = 1; id < assay_graph_n_nodes (verdicts->graph); id++)
    if (g_str_equal (assay_graph_node (verdicts->graph, id)->op_type, op))
      return assay_verdicts_get (verdicts, id);

  g_error ("no %s", op);
}

/* Accepted when converted, refused by the device: the earlier word is kept. */
static void
test_runtime (void)
{
  g_autoptr (AssayTarget) target = assay_target_load ("vulkan-main", NULL);
  g_autoptr (AssayVerdicts) verdicts = NULL;
  const AssayVerdict *verdict;

  if (!g_file_test (TESTDATA, G_FILE_TEST_IS_DIR))
    {
      g_test_skip ("libonnx-testdata is not installed");
      return;
    }

  verdicts = check (target, TESTDATA "/node/test_convtranspose_dilations/model.onnx");
  verdict = first_of (verdicts, "ConvTranspose");
  g_assert_cmpint (verdict->kind, ==, ASSAY_VERDICT_REJECTED);
  g_assert_cmpint (verdict->stage, ==, ASSAY_STAGE_RUNTIME);
  g_assert_cmpstr (verdict->actual, ==, "2");
  g_assert_nonnull (verdict->earlier);
  g_assert_cmpint (verdict->earlier->kind, ==, ASSAY_VERDICT_SUPPORTED);
  g_assert_cmpint (verdict->earlier->stage, ==, ASSAY_STAGE_PARTITIONER);
}

/* Taken, with a warning about what the shader does. */
static void
test_notes (void)
{
  g_autoptr (AssayTarget) target = assay_target_load ("vulkan-seed", NULL);
  static const struct
  {
    const char *name;
    const char *op;
    gboolean noted;
  } rows[] = {
    { "/pytorch-converted/test_Conv1d_groups", "Conv", TRUE },
    { "/pytorch-converted/test_Conv1d", "Conv", FALSE },
    { "/node/test_less", "Less", TRUE },
    { "/node/test_mul", "Mul", TRUE },
    { "/node/test_add", "Add", FALSE },
  };

  if (!g_file_test (TESTDATA, G_FILE_TEST_IS_DIR))
    {
      g_test_skip ("libonnx-testdata is not installed");
      return;
    }

  for (guint i = 0; i < G_N_ELEMENTS (rows); i++)
    {
      g_autofree char *path = g_strconcat (TESTDATA, rows[i].name, "/model.onnx", NULL);
      g_autoptr (AssayVerdicts) verdicts = check (target, path);
      const AssayVerdict *verdict = first_of (verdicts, rows[i].op);

      g_test_message ("%s", rows[i].name);
      g_assert_cmpint (verdict->notes != NULL, ==, rows[i].noted);
      if (rows[i].noted)
        g_assert_true (g_str_has_prefix (verdict->notes[0], "runtime: "));
    }
}

static gboolean
is_outside (JsonObject *rule)
{
  JsonNode *op = json_object_get_member (rule, "op");
  const char *name = JSON_NODE_HOLDS_VALUE (op) ? json_node_get_string (op) : "";

  return strchr (name, ':') != NULL || g_str_has_prefix (name, "aten.");
}

/* Checks a node of PyTorch by its name in the registry, such as `et_vk.rms_norm`. */
static const char *
rule_of (AssayTarget *target, const char *key)
{
  g_auto (GStrv) parts = g_strsplit (key, ".", 2);
  g_autofree char *domain = g_str_equal (parts[0], "aten") ? g_strdup ("org.pytorch.aten")
                                                           : g_strdup (parts[0]);
  g_autofree char *text = g_strdup_printf (
      "main (%%x : f32[1,4,4,4]) {\n  %%y = %s::ATen(%%x) {operator = \"%s\"} : f32[1,4,4,4]\n"
      "  return %%y\n}\n",
      domain, parts[1]);
  g_autofree char *plain = g_strdup_printf (
      "main (%%x : f32[1,4,4,4]) {\n  %%y = %s::%s(%%x) : f32[1,4,4,4]\n  return %%y\n}\n", domain,
      parts[1]);
  gboolean is_aten = g_str_equal (parts[0], "aten");
  g_autoptr (GError) error = NULL;
  g_autoptr (AssayGraph) graph = assay_graph_from_text (is_aten ? text : plain, -1, NULL, &error);
  g_autoptr (AssayVerdicts) verdicts = NULL;

  g_assert_no_error (error);
  verdicts = graph_verdicts (target, graph, NULL, &error);
  g_assert_no_error (error);

  return g_intern_string (assay_verdicts_get (verdicts, 1)->rule);
}

/* Every row of the page is the key of a rule, and a node of its name reaches it. */
static void
test_rows (void)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (AssayTarget) target = assay_target_load ("vulkan-seed", &error);
  g_autoptr (GHashTable) names = g_hash_table_new (g_str_hash, g_str_equal);
  g_autoptr (GHashTable) listed = g_hash_table_new (g_str_hash, g_str_equal);
  GHashTableIter iter;
  gpointer key;
  guint n_outside = 0;
  JsonArray *rules;

  g_assert_no_error (error);
  rules = json_object_get_array_member (assay_target_get_json (target), "rules");

  for (guint i = 0; i < json_array_get_length (rules); i++)
    {
      JsonObject *rule = json_array_get_object_element (rules, i);
      const char *name = json_object_get_string_member_with_default (rule, "key", NULL);

      if (name != NULL)
        g_hash_table_add (names, (gpointer) name);
      if (json_object_has_member (rule, "reachable"))
        g_hash_table_add (listed, (gpointer) name);
    }

  g_assert_cmpuint (g_hash_table_size (names), ==, 112);
  g_assert_false (g_hash_table_contains (names, "aten.mul"));
  g_assert_true (g_hash_table_contains (listed, "aten.zeros"));
  g_assert_false (g_hash_table_contains (listed, "aten.add"));

  g_hash_table_iter_init (&iter, names);
  while (g_hash_table_iter_next (&iter, &key, NULL))
    {
      n_outside += !g_str_has_prefix (key, "aten.");
      g_test_message ("%s", (const char *) key);
      g_assert_cmpstr (rule_of (target, key), !=, "no-row");
    }
  g_assert_cmpuint (n_outside, ==, 35);
}

/* A list of one is written without brackets in places. */
static char *
spell (JsonNode *node)
{
  g_autofree char *text = json_to_string (node, FALSE);
  g_autofree char *list = JSON_NODE_HOLDS_ARRAY (node) ? g_strdup (text)
                                                       : g_strdup_printf ("[%s]", text);

  return g_steal_pointer (&list);
}

/* A node of PyTorch has the element types and layouts that an ONNX node of the same row has. */
static void
test_same_features (gconstpointer data)
{
  static const char *const members[] = { "dtypes", "out_dtypes", "storage", "out_storage" };
  g_autoptr (GError) error = NULL;
  g_autoptr (AssayTarget) target = assay_target_load (data, &error);
  JsonArray *rules;
  guint n_compared = 0;

  g_assert_no_error (error);
  rules = json_object_get_array_member (assay_target_get_json (target), "rules");

  for (guint i = 0; i < json_array_get_length (rules); i++)
    {
      JsonObject *rule = json_array_get_object_element (rules, i);
      const char *key = json_object_get_string_member_with_default (rule, "key", NULL);

      if (key == NULL || !g_str_has_prefix (key, "aten.") || !is_outside (rule))
        continue;
      for (guint m = 0; m < G_N_ELEMENTS (members); m++)
        {
          g_autoptr (GPtrArray) wanted = g_ptr_array_new ();
          gboolean found = FALSE;
          JsonNode *own = json_object_get_member (rule, members[m]);

          for (guint j = 0; j < json_array_get_length (rules); j++)
            {
              JsonObject *other = json_array_get_object_element (rules, j);

              if (g_strcmp0 (json_object_get_string_member_with_default (other, "key", NULL),
                             key) == 0 &&
                  !is_outside (other) && json_object_has_member (other, members[m]))
                g_ptr_array_add (wanted, json_object_get_member (other, members[m]));
            }
          for (guint j = 0; own != NULL && j < wanted->len; j++)
            {
              g_autofree char *a = spell (own);
              g_autofree char *b = spell (wanted->pdata[j]);

              found = found || g_str_equal (a, b);
            }
          if (wanted->len > 0 && !found)
            g_error ("%s: %s of %s", (const char *) data, members[m], key);
          n_compared += wanted->len > 0;
        }
    }
  g_assert_cmpuint (n_compared, >, 100);
}

/* What the registry says of a node: what it takes and nobody here knows the meaning of is refused
 * for that behind it. */
static const AssayVerdict *
word_of (AssayVerdicts *verdicts, AssayNodeId id)
{
  const AssayVerdict *verdict = assay_verdicts_get (verdicts, id);

  return g_str_equal (verdict->rule, "builtin.unknown-function") ? verdict->earlier : verdict;
}

/* The verdicts that comments in a text ask for; see the head of the file. */
static void
run_section (const char *section)
{
  const char *settings[4] = { NULL };
  guint n_settings = 0;
  g_autoptr (AssaySettings) given = NULL;
  g_auto (GStrv) lines = g_strsplit (section, "\n", -1);
  g_autoptr (AssayFindings) findings = assay_findings_new ();
  g_autoptr (GError) error = NULL;
  g_autoptr (AssayGraph) graph = assay_graph_from_text (section, -1, findings, &error);
  g_autoptr (AssayTarget) target = NULL;
  g_autoptr (AssayVerdicts) verdicts = NULL;
  guint n_expected = 0;

  g_test_message ("%s", lines[0]);
  g_assert_no_error (error);

  for (char **line = lines; *line != NULL; line++)
    if (g_str_has_prefix (*line, "// TARGET: "))
      {
        target = assay_target_load (*line + strlen ("// TARGET: "), &error);
        g_assert_no_error (error);
      }
    else if (g_str_has_prefix (*line, "// OPTION: "))
      {
        g_assert_cmpuint (n_settings + 1, <, G_N_ELEMENTS (settings));
        settings[n_settings++] = *line + strlen ("// OPTION: ");
      }
    else if (g_str_has_prefix (*line, "// DEVICE: "))
      {
        const char *device = *line + strlen ("// DEVICE: ");
        g_autofree char *path = strchr (device, '/') != NULL
                                    ? g_test_build_filename (G_TEST_DIST, device, NULL)
                                    : g_strdup (device);

        assay_settings_set_text (&given, ASSAY_SETTING_DEVICE_PROFILE, path);
      }
  g_assert_nonnull (target);
  assay_settings_set_list (&given, ASSAY_SETTING_TARGET_OPTION, settings);
  verdicts = graph_verdicts (target, graph, given, &error);
  g_assert_no_error (error);

  for (char **line = lines; *line != NULL; line++)
    if (g_str_has_prefix (*line, "// EXPECT: "))
      {
        g_auto (GStrv) words = g_strsplit (*line + strlen ("// EXPECT: "), " ", -1);
        g_autofree char *found = g_strdup_printf ("// EXPECT: %s no such node", words[0]);

        for (AssayNodeId id = 1; id < assay_graph_n_nodes (verdicts->graph); id++)
          if (g_str_equal (assay_graph_node (verdicts->graph, id)->name, words[0]))
            {
              const AssayVerdict *verdict = word_of (verdicts, id);

              g_free (found);
              found = g_strjoin (" ", "// EXPECT:", words[0], assay_verdict_name (verdict->kind),
                                 verdict->rule,
                                 verdict->into != ASSAY_NO_NODE
                                     ? assay_graph_node (verdicts->graph, verdict->into)->name
                                 : verdict->notes != NULL ? "noted"
                                                          : NULL,
                                 NULL);
            }
        g_assert_cmpstr (found, ==, *line);
        n_expected++;
      }
    else if (g_str_has_prefix (*line, "// REASON: "))
      {
        g_autofree char *found = NULL;

        for (AssayNodeId id = 1; id < assay_graph_n_nodes (verdicts->graph); id++)
          {
            const char *name = assay_graph_node (verdicts->graph, id)->name;
            g_autofree char *start = g_strdup_printf ("// REASON: %s ", name);

            if (g_str_has_prefix (*line, start))
              found = g_strconcat (start, word_of (verdicts, id)->reason, NULL);
          }
        g_assert_cmpstr (found, ==, *line);
      }
  g_assert_cmpuint (n_expected, >, 0);
}

static void
test_sections (gconstpointer data)
{
  g_autofree char *path = g_test_build_filename (G_TEST_DIST, "data", "targets", data, NULL);
  g_autofree char *text = NULL;
  g_auto (GStrv) sections = NULL;

  g_assert_true (g_file_get_contents (path, &text, NULL, NULL));
  sections = g_strsplit (text, "// ---- ", -1);
  g_assert_cmpuint (g_strv_length (sections), >, 1);
  for (char **section = sections + 1; *section != NULL; section++)
    {
      g_autofree char *whole = g_strconcat ("// ", *section, NULL);

      run_section (whole);
    }
}

TEST_PROGRAM (vulkan)
{
  g_test_init (&argc, &argv, NULL);

  for (guint i = 0; i < G_N_ELEMENTS (probes); i++)
    {
      g_autofree char *path = g_strdup_printf ("/vulkan/%s/%s", probes[i].target, probes[i].path);

      g_test_add_data_func (path, &probes[i], run_probe);
    }
  g_test_add_func ("/vulkan/stage/runtime", test_runtime);
  g_test_add_func ("/vulkan/notes", test_notes);
  g_test_add_func ("/vulkan/seed/rows", test_rows);
  g_test_add_data_func ("/vulkan/seed/features", "vulkan-seed", test_same_features);
  g_test_add_data_func ("/vulkan/main/features", "vulkan-main", test_same_features);
  g_test_add_data_func ("/vulkan/sections", "verdicts.nnir", test_sections);
  g_test_add_data_func ("/dpu/sections", "dpu.nnir", test_sections);
  g_test_add_func ("/vulkan/account", test_account);

  return g_test_run ();
}
