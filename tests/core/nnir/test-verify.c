/* test-verify.c
 * SPDX-License-Identifier: Apache-2.0
 */
#include <glib.h>
#include <string.h>

#include "nnir/analysis/assay-analysis.h"
#include "nnir/assay-graph-builder.h"
#include "nnir/text/assay-text.h"
#include "nnir/assay-verify.h"

#include "test-program.h"

static const char text[] = "main (%x : f32[2], %c : bool[]) {\n"
                           "  const %k : f32[2] = [1.0, 2.0]\n"
                           "  %a = Relu(%x) : f32[2] @ \"a\"\n"
                           "  %b = Add(%a, %k) : f32[2] @ \"b\"\n"
                           "  %d = If(%c) {then_branch = region \"t\" () {\n"
                           "    %e = Mul(%b, %b) : f32[2] @ \"e\"\n"
                           "    return %e\n"
                           "  }, else_branch = region \"f\" () {\n"
                           "    return %a\n"
                           "  }} : f32[2] @ \"d\"\n"
                           "  return %d\n"
                           "}\n";

static AssayNodeId
find_node (AssayGraph *graph, const char *name)
{
  for (AssayNodeId i = 1; i < assay_graph_n_nodes (graph); i++)
    {
      if (strcmp (assay_graph_node (graph, i)->name, name) == 0)
        return i;
    }

  g_assert_not_reached ();
}

static AssayValueId
output_of (AssayGraph *graph, const char *name)
{
  return assay_graph_node (graph, find_node (graph, name))->outputs[0];
}

/* Every way to break the graph, and the rule that must find it. */

static void
break_value_range (AssayGraph *graph)
{
  assay_graph_edit_node (graph, find_node (graph, "a"))->inputs[0] = 1000;
}

static void
break_node_range (AssayGraph *graph)
{
  g_array_index (assay_graph_region (graph, 0)->nodes, AssayNodeId, 0) = 1000;
}

static void
break_node_region (AssayGraph *graph)
{
  assay_graph_edit_node (graph, find_node (graph, "e"))->region = ASSAY_MAIN_REGION;
}

static void
break_definition (AssayGraph *graph)
{
  assay_graph_edit_node (graph, find_node (graph, "b"))->outputs[0] = output_of (graph, "a");
}

static void
break_order (AssayGraph *graph)
{
  assay_graph_edit_node (graph, find_node (graph, "a"))->inputs[0] = output_of (graph, "b");
}

static void
break_nested_order (AssayGraph *graph)
{
  assay_graph_edit_node (graph, find_node (graph, "e"))->inputs[0] = output_of (graph, "d");
}

static void
break_visibility (AssayGraph *graph)
{
  g_array_index (assay_graph_region (graph, 0)->outputs, AssayValueId, 0) = output_of (graph, "e");
}

static void
break_link (AssayGraph *graph)
{
  assay_graph_edit_node (graph, find_node (graph, "d"))->attrs[1].u.region = 1;
}

static void
break_name (AssayGraph *graph)
{
  assay_graph_edit_node (graph, find_node (graph, "a"))->name = "b";
}

static void
break_constant (AssayGraph *graph)
{
  assay_graph_edit_value (graph, assay_graph_node (graph, find_node (graph, "b"))->inputs[1])
      ->constant = NULL;
}

static void
break_undefined (AssayGraph *graph)
{
  assay_graph_add_value (graph, ASSAY_MAIN_REGION, ASSAY_VALUE_RESULT, "nobody", NULL);
}

static void
break_unlisted (AssayGraph *graph)
{
  g_array_remove_index (assay_graph_region (graph, 1)->nodes, 0);
}

static void
break_origin (AssayGraph *graph)
{
  const guint32 origin = 7;

  assay_graph_set_origins (graph, 1, 1, &origin);
}

static void
break_scope (AssayGraph *graph)
{
  assay_graph_edit_node (graph, 1)->scope = 7;
}

static void
break_attribute (AssayGraph *graph)
{
  AssayAttr attrs[2] = { { .name = "n", .kind = ASSAY_ATTR_INT },
                         { .name = "n", .kind = ASSAY_ATTR_INT } };

  assay_graph_set_attrs (graph, 1, 2, attrs);
}

static void
break_parent (AssayGraph *graph)
{
  assay_graph_edit_region (graph, 1)->parent = ASSAY_NO_NODE;
}

static void
break_input (AssayGraph *graph)
{
  assay_graph_edit_value (graph,
                          g_array_index (assay_graph_region (graph, 0)->inputs, AssayValueId, 0))
      ->output = 5;
}

static void
break_trailing (AssayGraph *graph)
{
  assay_graph_edit_node (graph, find_node (graph, "b"))->inputs[1] = ASSAY_NO_VALUE;
}

static void
break_call (AssayGraph *graph)
{
  AssayGraph *call = assay_graph_new ();
  guint32 origin = assay_graph_add_origin (graph, "main", "b", "Add", "", 0);

  g_ptr_array_add (graph->calls, call);
  g_array_index (graph->origins, AssayOrigin, origin).call = call;
}

static const struct
{
  const char *rule;
  void (*damage) (AssayGraph *graph);
} damages[] = {
  { "verify.value-range", break_value_range },
  { "verify.node-range", break_node_range },
  { "verify.node-region", break_node_region },
  { "verify.producer", break_definition },
  { "verify.duplicate-definition", break_definition },
  { "verify.use-before-definition", break_order },
  { "verify.use-before-definition", break_nested_order },
  { "verify.not-visible", break_visibility },
  { "verify.region-link", break_link },
  { "verify.duplicate-name", break_name },
  { "verify.empty-constant", break_constant },
  { "verify.undefined", break_undefined },
  { "verify.unlisted-node", break_unlisted },
  { "verify.origin-range", break_origin },
  { "verify.scope-range", break_scope },
  { "verify.duplicate-attribute", break_attribute },
  { "verify.region-parent", break_parent },
  { "verify.region-input", break_input },
  { "verify.trailing-input", break_trailing },
  { "verify.call", break_call },
};

static gboolean
has_rule (AssayFindings *findings, const char *rule)
{
  for (guint i = 0; i < assay_findings_get_count (findings); i++)
    {
      if (strcmp (assay_findings_get (findings, i)->rule, rule) == 0)
        return TRUE;
    }

  return FALSE;
}

static void
test_damage (gconstpointer data)
{
  guint i = GPOINTER_TO_UINT (data);
  g_autoptr (AssayFindings) before = assay_findings_new ();
  g_autoptr (AssayFindings) after = assay_findings_new ();
  g_autoptr (AssayGraph) graph = assay_graph_from_text (text, -1, before, NULL);

  g_assert_true (assay_graph_verify (graph, before));
  g_assert_cmpuint (assay_findings_get_count (before), ==, 0);

  damages[i].damage (graph);
  g_assert_false (assay_graph_verify (graph, after));
  g_assert_true (has_rule (after, damages[i].rule));
}

/* What the op table does not like is said, but the graph is still sound. */
static void
test_schema (void)
{
  static const char wrong[] = "main (%x : f32[2]) {\n"
                              "  %a = Relu(%x, %x) : f32[2] @ \"a\"\n"
                              "  %f = Relu(%x) {slope = 1} : f32[2] @ \"f\"\n"
                              "  %g = Add(_, %x) : f32[2] @ \"g\"\n"
                              "  %b = Cast(%x) : f32[2] @ \"b\"\n"
                              "  %c = Concat(%x) {axis = 1.0} : f32[2] @ \"c\"\n"
                              "  %d, %e = Neg(%x) : f32[2], f32[2] @ \"d\"\n"
                              "  return %a, %b, %c, %d, %f, %g\n"
                              "}\n";
  g_autoptr (AssayFindings) findings = assay_findings_new ();
  g_autoptr (AssayGraph) graph = assay_graph_from_text (wrong, -1, findings, NULL);

  g_assert_true (assay_graph_verify (graph, findings));
  g_assert_cmpuint (assay_findings_get_count (findings), ==, 6);
  for (guint i = 0; i < 6; i++)
    g_assert_cmpstr (assay_findings_get (findings, i)->rule, ==, "verify.form");
  g_assert_cmpuint (assay_findings_count_at (findings, ASSAY_SEVERITY_ERROR), ==, 0);
}

static void
test_uses (void)
{
  g_autoptr (AssayGraph) graph = assay_graph_from_text (text, -1, NULL, NULL);
  g_autoptr (AssayUses) uses = assay_uses_new (graph);
  AssayNodeId e = find_node (graph, "e");
  guint n;
  const AssayNodeId *readers = assay_uses_get (uses, output_of (graph, "b"), &n);

  g_assert_cmpuint (n, ==, 2);
  g_assert_cmpuint (readers[0], ==, e);
  g_assert_cmpuint (readers[1], ==, e);
  g_assert_cmpuint (assay_uses_count (uses, output_of (graph, "b")), ==, 2);

  g_assert_true (assay_uses_is_output (uses, output_of (graph, "a")));
  g_assert_cmpuint (assay_uses_count (uses, output_of (graph, "d")), ==, 0);
}

static void
check_order (const char *graph_text, const char *const *expected, guint n_cyclic)
{
  g_autoptr (AssayGraph) graph = assay_graph_from_text (graph_text, -1, NULL, NULL);
  g_autoptr (GArray) cyclic = g_array_new (FALSE, FALSE, sizeof (AssayNodeId));
  g_autoptr (GArray) order = assay_graph_sort_region (graph, ASSAY_MAIN_REGION, cyclic);

  g_assert_cmpuint (order->len, ==, g_strv_length ((char **) expected));
  for (guint i = 0; i < order->len; i++)
    g_assert_cmpstr (assay_graph_node (graph, g_array_index (order, AssayNodeId, i))->name, ==,
                     expected[i]);
  g_assert_cmpuint (cyclic->len, ==, n_cyclic);
}

static void
test_sort (void)
{
  check_order (text, (const char *const[]){ "a", "b", "d", NULL }, 0);
  check_order ("main (%x : ?) {\n"
               "  %c = Neg(%b) : ? @ \"c\"\n"
               "  %d = If(%x) {then_branch = region \"\" () {\n    return %c\n  }} : ? @ \"d\"\n"
               "  %z = Neg(%x) : ? @ \"z\"\n"
               "  %b = Neg(%a) : ? @ \"b\"\n"
               "  %a = Neg(%x) : ? @ \"a\"\n"
               "  return %c\n}\n",
               (const char *const[]){ "z", "a", "b", "c", "d", NULL }, 0);
  check_order ("main (%x : ?) {\n"
               "  %a = Add(%x, %b) : ? @ \"a\"\n"
               "  %b = Neg(%a) : ? @ \"b\"\n"
               "  %c = Neg(%b) : ? @ \"c\"\n"
               "  %d = Neg(%x) : ? @ \"d\"\n"
               "  return %c\n}\n",
               (const char *const[]){ "d", "a", "b", "c", NULL }, 3);
}

TEST_PROGRAM (verify)
{
  g_test_init (&argc, &argv, NULL);

  for (guint i = 0; i < G_N_ELEMENTS (damages); i++)
    {
      g_autofree char *path = g_strdup_printf ("/verify/damage/%u-%s", i,
                                               damages[i].rule + strlen ("verify."));

      g_test_add_data_func (path, GUINT_TO_POINTER (i), test_damage);
    }
  g_test_add_func ("/verify/schema", test_schema);
  g_test_add_func ("/analysis/uses", test_uses);
  g_test_add_func ("/analysis/sort", test_sort);

  return g_test_run ();
}
