/* test-predicates.c
 * SPDX-License-Identifier: Apache-2.0
 *
 * Each predicate on small nodes: what a rule with it as its condition says of the last node of a
 * graph. tests/data/targets/predicates.txt has the cases; a predicate without one that holds and
 * one that does not is a failure, unless it is listed as one that asks for more than a node.
 */
#include <glib/gstdio.h>
#include <string.h>

#include "graphs.h"
#include "nnir/assay-graph-builder.h"
#include "nnir/shape/assay-infer.h"
#include "nnir/text/assay-text.h"
#include "target/assay-predicate.h"

#include "test-program.h"

static char *
read_data (void)
{
  g_autofree char *path = g_test_build_filename (G_TEST_DIST, "data", "targets", "predicates.txt",
                                                 NULL);
  g_autoptr (GError) error = NULL;
  char *text;

  g_file_get_contents (path, &text, NULL, &error);
  g_assert_no_error (error);

  return text;
}

static AssayTarget *
make_target (const char *op, const char *condition, GError **error)
{
  g_autofree char *path = NULL;
  g_autofree char *text = g_strdup_printf (
      "{\"id\": \"probe\", \"title\": \"Probe\", \"summary\": \"One rule\", \"extends\": "
      "\"vulkan-main\", \"steps\": [{\"step\": \"rule\"}, {\"step\": \"conditions\"}],\n"
      "\"rules\": [{\"id\": \"probe\", \"op\": \"%s\", \"when\": [%s]}]}\n",
      op, condition);
  AssayTarget *target;
  int fd = g_file_open_tmp ("assay-XXXXXX.json", &path, NULL);

  g_assert_cmpint (fd, >=, 0);
  g_close (fd, NULL);
  g_assert_true (g_file_set_contents (path, text, -1, NULL));
  target = assay_target_load (path, error);
  g_unlink (path);

  return target;
}

static AssayGraph *
make_graph (const char *inputs, const char *body)
{
  g_autofree char *text = g_strdup_printf ("nnir 1\nopset \"\" 17\nmain (%s) {\n%s}\n", inputs,
                                           body);
  g_autoptr (AssayFindings) findings = assay_findings_new ();
  g_autoptr (GError) error = NULL;
  AssayGraph *graph = assay_graph_from_text (text, -1, findings, &error);
  const GArray *nodes;
  const AssayNode *node;

  if (error != NULL)
    g_error ("%s: %s", text, error->message);
  if (!assay_graph_infer (graph, findings, NULL, &error))
    g_error ("%s: %s", text, error->message);
  nodes = assay_graph_region (graph, ASSAY_MAIN_REGION)->nodes;
  node = assay_graph_node (graph, g_array_index (nodes, AssayNodeId, nodes->len - 1));
  for (guint i = 0; i < node->n_outputs; i++)
    if (node->outputs[i] != ASSAY_NO_VALUE)
      assay_graph_add_output (graph, ASSAY_MAIN_REGION, node->outputs[i]);

  return graph;
}

/* The verdict of the last node that has an operator of the rule. */
static char *
judge (AssayGraph *graph, const char *op, const char *condition)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (AssayTarget) target = make_target (op, condition, &error);
  g_autoptr (AssayVerdicts) verdicts = NULL;
  const AssayVerdict *verdict = NULL;

  if (target == NULL)
    return g_strdup_printf ("no condition: %s", strstr (error->message, "rules[0]"));
  verdicts = graph_verdicts (target, graph, NULL, &error);
  g_assert_no_error (error);
  for (AssayNodeId id = 1; id < assay_graph_n_nodes (verdicts->graph); id++)
    if (g_str_equal (assay_op_name (assay_graph_node (verdicts->graph, id)->op), op) ||
        g_str_equal (assay_graph_node (verdicts->graph, id)->op_type, op))
      verdict = assay_verdicts_get (verdicts, id);
  if (verdict == NULL)
    return g_strdup ("no such node");
  if (verdict->kind == ASSAY_VERDICT_SUPPORTED)
    return g_strdup ("holds");

  return g_strdup_printf ("%s: %s; is %s, allowed %s", assay_verdict_name (verdict->kind),
                          verdict->reason, verdict->actual != NULL ? verdict->actual : "-",
                          verdict->allowed != NULL ? verdict->allowed : "-");
}

/* A block is an operator, its inputs, the lines of the graph, and conditions with what each says
 * behind `=>`. */
static void
run_block (GString *anew, const char *block, GHashTable *seen)
{
  g_auto (GStrv) lines = g_strsplit (block, "\n", -1);
  g_autoptr (GString) body = g_string_new (NULL);
  g_autoptr (AssayGraph) graph = NULL;
  g_autofree char *inputs = g_strdup ("");

  g_string_append_printf (anew, "\n%s\n", lines[0]);
  for (guint i = 1; lines[i] != NULL && lines[i][0] != '\0'; i++)
    {
      g_auto (GStrv) parts = NULL;
      g_autofree char *said = NULL;
      g_autofree char *name = NULL;
      const char *end;

      if (g_str_has_prefix (lines[i], "  in "))
        {
          g_free (inputs);
          inputs = g_strdup (lines[i] + strlen ("  in "));
        }
      else if (lines[i][2] != '{')
        g_string_append_printf (body, "%s\n", lines[i]);
      if (lines[i][2] != '{')
        {
          g_string_append_printf (anew, "%s\n", lines[i]);
          continue;
        }
      if (graph == NULL)
        graph = make_graph (inputs, body->str);
      parts = g_strsplit (lines[i] + 2, " => ", 2);
      said = judge (graph, lines[0], parts[0]);
      g_string_append_printf (anew, "  %s => %s\n", parts[0], said);
      if (!g_str_has_prefix (parts[0], "{\"is\": \""))
        g_error ("%s: the predicate is not first", parts[0]);
      end = strchr (parts[0] + strlen ("{\"is\": \""), '"');
      name = g_strdup_printf ("%.*s %s", (int) (end - parts[0] - (int) strlen ("{\"is\": \"")),
                              parts[0] + strlen ("{\"is\": \""),
                              g_str_equal (said, "holds") ? "holds" : "does not");
      g_hash_table_add (seen, g_steal_pointer (&name));
    }
}

static void
test_cases (void)
{
  g_autofree char *text = read_data ();
  g_autofree char *again = NULL;
  g_auto (GStrv) blocks = g_strsplit (text, "\n\n", -1);
  g_autoptr (GString) anew = g_string_new (NULL);
  g_autoptr (GHashTable) seen = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);
  g_autoptr (GPtrArray) all = assay_predicate_list ();

  g_string_append_printf (anew, "%s\n", blocks[0]);
  for (guint i = 1; blocks[i] != NULL; i++)
    run_block (anew, g_strchomp (blocks[i]), seen);
  if (g_getenv ("ASSAY_REGENERATE") != NULL)
    {
      g_autofree char *path = g_test_build_filename (G_TEST_DIST, "data", "targets",
                                                     "predicates.txt", NULL);

      g_assert_true (g_file_set_contents (path, anew->str, -1, NULL));
    }
  again = read_data ();
  g_assert_cmpstr (anew->str, ==, again);

  /* The head lists those that ask for more than a node. */
  for (guint i = 0; i < all->len; i++)
    {
      const AssayPredicate *predicate = g_ptr_array_index (all, i);
      g_autofree char *holds = g_strconcat (predicate->name, " holds", NULL);
      g_autofree char *fails = g_strconcat (predicate->name, " does not", NULL);
      g_autofree char *excused = g_strdup_printf (" `%s`", predicate->name);

      if (strstr (blocks[0], excused) != NULL)
        continue;
      if (!g_hash_table_contains (seen, holds) || !g_hash_table_contains (seen, fails))
        g_test_fail_printf ("%s: has no case in which it holds, or none in which it does not",
                            predicate->name);
    }
}

TEST_PROGRAM (predicates)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/target/predicates", test_cases);

  return g_test_run ();
}
