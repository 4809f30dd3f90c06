/* test-verdict-table.c
 * SPDX-License-Identifier: Apache-2.0
 *
 * All that targets say of the first case of each operator in tests/data/kernels, whose first
 * constant is an input here: every field of every verdict, causes, and counts.
 */
#include <string.h>

#include "base/assay-error.h"
#include "nnir/shape/assay-infer.h"
#include "nnir/text/assay-text.h"

#include "graphs.h"
#include "test-models.h"
#include "golden.h"
#include "test-program.h"

/* Long enough for a report while nodes are decided. */
#define N_NODES 5000

static const char *const target_ids[] = { "ia_420f_c6b32", "dpu_zdx8g_b4096", "vulkan-main" };

/* The graph of a case with its first constant as an input; NULL if it has none. */
static AssayGraph *
read_case (const char *section)
{
  static const char begin[] = "main () {\n  const ";
  const char *body = strstr (section, begin);
  g_autofree char *input = NULL, *text = NULL;
  g_autoptr (AssayFindings) findings = assay_findings_new ();
  AssayGraph *graph;
  const char *end;

  if (body == NULL)
    return NULL;
  body += strlen (begin);
  end = strstr (body, " = ");
  input = g_strndup (body, (gsize) (end - body));
  text = g_strdup_printf ("nnir 1\ngraph \"t\" {level = onnx, ir_version = 10}\nopset \"\" 24\n"
                          "opset \"ai.onnx.ml\" 5\nmain (%s) {%s",
                          input, strchr (end, '\n'));
  graph = assay_graph_from_text (text, -1, findings, NULL);
  g_assert_cmpuint (assay_findings_get_count (findings), ==, 0);
  g_assert_true (assay_graph_infer (graph, NULL, NULL, NULL));

  return graph;
}

static void
append_field (GString *text, const char *name, const char *value)
{
  if (value != NULL && *value != '\0')
    g_string_append_printf (text, "; %s %s", name, value);
}

static void
append_verdict (GString *text, AssayVerdicts *verdicts, AssayNodeId id)
{
  const AssayVerdict *self = assay_verdicts_get (verdicts, id);
  const AssayNode *node = assay_graph_node (verdicts->graph, id);

  g_string_append_printf (text, "    %s %s: %s", node->op_type, node->name,
                          assay_verdict_name (self->kind));
  if (self->into != 0)
    append_field (text, "into", assay_graph_node (verdicts->graph, self->into)->name);
  append_field (text, "stage", assay_stage_name (self->stage));
  append_field (text, "rule", self->rule);
  append_field (text, "reason", self->reason);
  append_field (text, "actual", self->actual);
  append_field (text, "allowed", self->allowed);
  append_field (text, "attribute", self->attribute);
  append_field (text, "engine", self->engine);
  append_field (text, "mapping", self->mapping);
  append_field (text, "positions", self->positions);
  append_field (text, "layout", self->layout);
  for (guint i = 0; i < self->n_details; i++)
    append_field (text, "detail", self->details[i].text);
  for (guint i = 0; self->notes != NULL && self->notes[i] != NULL; i++)
    append_field (text, "note", self->notes[i]);
  if (self->earlier != NULL)
    append_field (text, "earlier", self->earlier->rule);
  g_string_append_printf (text, "; partition %d; cause %d\n", self->partition, self->cause);
}

static void
append_case (GString *text, AssayTarget *target, AssayGraph *graph)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (AssayVerdicts) verdicts = graph_verdicts (target, graph, NULL, &error);

  g_assert_no_error (error);
  g_string_append_printf (text, "  %s: %u partitions, %u transitions, %u causes\n",
                          assay_target_get_id (target), verdicts->n_partitions,
                          verdicts->n_transitions, verdicts->causes->len);
  for (AssayNodeId id = 1; id < assay_graph_n_nodes (verdicts->graph); id++)
    append_verdict (text, verdicts, id);
}

static void
test_table (void)
{
  static const char *const files[] = { "arithmetic", "image",    "indexing", "layout", "numeric",
                                       "quantize",   "sequence", "signal",   "text" };
  g_autofree char *path = g_test_build_filename (G_TEST_DIST, "data", "targets", "verdicts.txt",
                                                 NULL);
  g_autoptr (GString) text = g_string_new (
      "# Verdicts of the first case of each operator. ASSAY_REGENERATE=1 writes them anew.\n"
      "# Checked by: the tests of each target, which hold verdict and rule against what its "
      "vendor\n"
      "# publishes; sentences are read by hand.\n");
  g_autoptr (GHashTable) seen = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);
  AssayTarget *targets[G_N_ELEMENTS (target_ids)];

  for (guint i = 0; i < G_N_ELEMENTS (targets); i++)
    targets[i] = load_target (target_ids[i]);
  for (guint i = 0; i < G_N_ELEMENTS (files); i++)
    {
      g_autofree char *name = g_strconcat (files[i], ".nnir", NULL);
      g_autofree char *file = g_test_build_filename (G_TEST_DIST, "data", "kernels", name, NULL);
      g_autofree char *cases = NULL;
      g_auto (GStrv) sections = NULL;

      g_assert_true (g_file_get_contents (file, &cases, NULL, NULL));
      sections = g_strsplit (cases, "// ---- ", -1);
      for (guint j = 1; sections[j] != NULL; j++)
        {
          const char *op = strstr (sections[j], "\n  %");
          g_autoptr (AssayGraph) graph = NULL;

          op = op != NULL ? strstr (op, " = ") : NULL;
          if (op == NULL || strstr (sections[j], "// FAILS") != NULL ||
              !g_hash_table_add (seen, g_strndup (op + 3, strcspn (op + 3, "("))))
            continue;
          graph = read_case (sections[j]);
          if (graph == NULL)
            continue;
          g_string_append_printf (text, "%.*s\n", (int) strcspn (sections[j], "\n"), sections[j]);
          for (guint k = 0; k < G_N_ELEMENTS (targets); k++)
            append_case (text, targets[k], graph);
        }
    }
  for (guint i = 0; i < G_N_ELEMENTS (targets); i++)
    assay_target_unref (targets[i]);

  golden_check (path, text->str);
}

typedef struct
{
  GCancellable *cancellable;
  guint n, at; /* reports, and the one at which the check is cancelled */
} Cancel;

static void
report (double fraction, const char *message, gpointer user_data)
{
  Cancel *self = user_data;

  if (++self->n == self->at)
    g_cancellable_cancel (self->cancellable);
}

/* A check that is cancelled at any of its reports gives nothing. */
static void
test_cancel (void)
{
  g_autoptr (AssayTarget) target = load_target ("ia_420f_c6b32");
  g_autoptr (GString) text = g_string_new ("nnir 1\nmain (%x0 : f32[1,4]) {\n");
  g_autoptr (AssayGraph) graph = NULL;
  guint n_reports = 0;

  for (guint i = 0; i < N_NODES; i++)
    g_string_append_printf (text, "  %%x%u = Relu(%%x%u) : f32[1,4]\n", i + 1, i);
  g_string_append_printf (text, "  return %%x%u\n}\n", N_NODES);
  graph = assay_graph_from_text (text->str, -1, NULL, NULL);
  g_assert_nonnull (graph);
  for (guint at = 0; at <= n_reports; at++)
    {
      g_autoptr (AssayWork) work = assay_work_new_for_graph (NULL, graph, target, NULL);
      g_autoptr (GCancellable) cancellable = g_cancellable_new ();
      g_autoptr (GError) error = NULL;
      Cancel cancel = { cancellable, 0, at };
      const AssayProgress progress = ASSAY_PROGRESS_INIT (report, &cancel, cancellable);
      AssayVerdicts *verdicts = assay_work_get_verdicts (work, &progress, &error);

      if (at == 0)
        {
          n_reports = cancel.n;
          g_assert_nonnull (verdicts);
          continue;
        }
      g_test_message ("%u of %u", at, n_reports);
      g_assert_null (verdicts);
      g_assert_error (error, ASSAY_ERROR, ASSAY_ERROR_CANCELLED);
    }
  g_test_message ("%u reports", n_reports);
}

TEST_PROGRAM (verdict_table)
{
  g_test_init (&argc, &argv, NULL);

  g_test_add_func ("/verdict-table/operators", test_table);
  g_test_add_func ("/verdict-table/cancel", test_cancel);

  return g_test_run ();
}
