/* test-upgrade.c
 * SPDX-License-Identifier: Apache-2.0
 */
#include <string.h>

#include "nnir/assay-graph-builder.h"
#include "nnir/shape/assay-infer.h"
#include "nnir/text/assay-text.h"
#include "nnir/assay-verify.h"
#include "source/onnx/assay-upgrade.h"

/* Gives every node an origin, as the importer does. */
static void
add_origins (AssayGraph *graph)
{
  for (AssayNodeId id = 1; id < assay_graph_n_nodes (graph); id++)
    {
      const AssayNode *node = assay_graph_node (graph, id);
      guint32 origin = assay_graph_add_origin (graph, "graph", node->name, node->op_type,
                                               node->domain, id);

      assay_graph_set_origins (graph, id, 1, &origin);
    }
}

/* The graph from its first line on, without what is above it, and the ids of the findings. */
static char *
describe (AssayGraph *graph, AssayFindings *findings)
{
  g_autoptr (GError) error = NULL;
  g_autofree char *text = assay_graph_to_text (graph, ASSAY_TEXT_ALL_DATA, &error);
  GString *result = g_string_new (NULL);

  g_assert_no_error (error);
  g_string_append (result, strstr (text, "\nmain (") + 1);
  for (guint i = 0; i < assay_findings_get_count (findings); i++)
    g_string_append_printf (result, "! %s\n", assay_findings_get (findings, i)->rule);

  return g_string_free (result, FALSE);
}

static char *
upgrade_text (const char *head, const char *body)
{
  g_auto (GStrv) words = g_strsplit (head, " ", 2);
  g_autofree char *source = g_strdup_printf ("nnir 1\nopset \"\" %s\n%s", words[1], body);
  g_autoptr (AssayFindings) findings = assay_findings_new ();
  g_autoptr (AssayFindings) broken = assay_findings_new ();
  g_autoptr (AssayGraph) graph = NULL;
  g_autoptr (GError) error = NULL;

  graph = assay_graph_from_text (source, -1, findings, &error);
  g_assert_no_error (error);
  g_assert_cmpuint (assay_findings_get_count (findings), ==, 0);
  add_origins (graph);

  g_assert_true (assay_onnx_upgrade (graph, NULL, findings, &error));
  g_assert_no_error (error);
  g_assert_true (assay_graph_infer (graph, findings, NULL, &error));
  g_assert_no_error (error);
  if (!assay_graph_verify (graph, broken))
    g_error ("%s: %s", head, assay_findings_get (broken, 0)->message);

  /* What was added came from a node of the file. */
  for (AssayNodeId id = 1; id < assay_graph_n_nodes (graph); id++)
    g_assert_cmpuint (assay_graph_node (graph, id)->n_origins, ==, 1);

  return describe (graph, findings);
}

static void
test_cases (void)
{
  g_autofree char *path = g_test_build_filename (G_TEST_DIST, "data", "infer", "upgrade.txt", NULL);
  g_autoptr (GString) anew = g_string_new (NULL);
  g_autoptr (GError) error = NULL;
  g_autofree char *text = NULL;
  g_auto (GStrv) blocks = NULL;

  g_file_get_contents (path, &text, NULL, &error);
  g_assert_no_error (error);
  blocks = g_strsplit (text, "\n\n", -1);
  g_string_append_printf (anew, "%s\n", blocks[0]);

  for (guint i = 1; blocks[i] != NULL; i++)
    {
      g_auto (GStrv) parts = g_strsplit (blocks[i], "\n->\n", 2);
      char *body = strchr (parts[0], '\n');
      g_autofree char *result = NULL;

      g_assert_nonnull (body);
      *body = '\0';
      g_test_message ("%s", parts[0]);
      result = upgrade_text (parts[0], body + 1);
      g_strchomp (result);
      g_string_append_printf (anew, "\n%s\n%s\n->\n%s\n", parts[0], g_strchomp (body + 1), result);

      if (g_getenv ("ASSAY_REGENERATE") == NULL)
        {
          g_assert_nonnull (parts[1]);
          g_assert_cmpstr (result, ==, g_strchomp (parts[1]));
        }
    }

  if (g_getenv ("ASSAY_REGENERATE") != NULL)
    g_assert_true (g_file_set_contents (path, anew->str, -1, NULL));
}

/* A graph that names no opset is taken as it is. */
static void
test_no_opset (void)
{
  g_autoptr (AssayGraph) graph = NULL;
  g_autoptr (GError) error = NULL;

  graph = assay_graph_from_text (
      "nnir 1\nmain (%x : f32[2,3,4]) {\n  %y = Softmax(%x) {axis = 1} : ?\n  return %y\n}\n", -1,
      NULL, &error);
  g_assert_no_error (error);
  g_assert_true (assay_onnx_upgrade (graph, NULL, NULL, &error));
  g_assert_cmpuint (assay_graph_n_nodes (graph), ==, 2);
}

/* Every attribute that came after its operator is refused before, and taken from then on. */
static void
test_ages (void)
{
  static const struct
  {
    AssayOp op;
    const char *name;
    gint64 since;
  } rows[] = {
#define SINCE(op, attribute, since) { ASSAY_OP_##op, attribute, since },
#include "source/onnx/attributes.def"

#include "test-program.h"
#undef SINCE
  };

  for (guint i = 0; i < G_N_ELEMENTS (rows); i++)
    for (gint64 version = rows[i].since - 1; version <= rows[i].since; version++)
      {
        const AssayOpInfo *info = assay_op_get_info (rows[i].op);
        g_autoptr (AssayFindings) findings = assay_findings_new ();
        g_autoptr (GError) error = NULL;
        g_autofree char *text = g_strdup_printf (
            "nnir 1\nopset \"\" %d\nopset \"ai.onnx.ml\" %d\nmain (%%x : f32[2]) {\n"
            "  %%y = %s%s%s(%%x) {%s = 1} : ?\n  return %%y\n}\n",
            *info->domain == '\0' ? (int) version : 21, *info->domain == '\0' ? 1 : (int) version,
            info->domain, *info->domain == '\0' ? "" : "::", info->name, rows[i].name);
        g_autoptr (AssayGraph) graph = assay_graph_from_text (text, -1, NULL, &error);
        guint n_found = 0;

        g_assert_cmpint (i == 0 ? 0 : rows[i - 1].op, <=, rows[i].op);
        g_assert_no_error (error);
        add_origins (graph);
        g_assert_true (assay_onnx_upgrade (graph, NULL, findings, &error));
        for (guint j = 0; j < assay_findings_get_count (findings); j++)
          n_found += g_str_equal (assay_findings_get (findings, j)->rule, "import.newer-attribute");
        if (n_found != (version < rows[i].since) ||
            (assay_graph_node (graph, 1)->violation != NULL) != (version < rows[i].since))
          g_error ("%s %s at opset %d", info->name, rows[i].name, (int) version);
      }
}

TEST_PROGRAM (upgrade)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/upgrade/cases/newest-form", test_cases);
  g_test_add_func ("/upgrade/cases/no-opset", test_no_opset);

  g_test_add_func ("/upgrade/ages", test_ages);

  return g_test_run ();
}
