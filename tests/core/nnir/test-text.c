/* test-text.c
 * SPDX-License-Identifier: Apache-2.0
 */
#include <glib.h>
#include <string.h>

#include "nnir/assay-graph-builder.h"
#include "nnir/text/assay-text.h"
#include "nnir/assay-verify.h"

#include "test-program.h"

static char *
read_data (const char *name)
{
  g_autofree char *path = g_test_build_filename (G_TEST_DIST, "data", "ir", name, NULL);
  g_autoptr (GError) error = NULL;
  char *text;

  g_file_get_contents (path, &text, NULL, &error);
  g_assert_no_error (error);

  return text;
}

static AssayGraph *
parse_clean (const char *text)
{
  g_autoptr (AssayFindings) findings = assay_findings_new ();
  g_autoptr (GError) error = NULL;
  AssayGraph *graph = assay_graph_from_text (text, -1, findings, &error);

  g_assert_no_error (error);
  for (guint i = 0; i < assay_findings_get_count (findings); i++)
    g_test_message ("%s", assay_findings_get (findings, i)->message);
  g_assert_cmpuint (assay_findings_get_count (findings), ==, 0);

  return graph;
}

static char *
print_clean (AssayGraph *graph, AssayTextFlags flags)
{
  g_autoptr (GError) error = NULL;
  char *text = assay_graph_to_text (graph, flags, &error);

  g_assert_no_error (error);

  return text;
}

static void
regenerate (const char *name, const char *text)
{
  g_autofree char *path = g_test_build_filename (G_TEST_DIST, "data", "ir", name, NULL);

  if (g_getenv ("ASSAY_REGENERATE") != NULL)
    g_assert_true (g_file_set_contents (path, text, -1, NULL));
}

/* Every construct of the grammar in its normal form comes back as it stands in the file. */
static void
test_everything (void)
{
  g_autofree char *text = read_data ("text-everything.nnir");
  g_autoptr (AssayGraph) graph = parse_clean (text);
  g_autoptr (AssayGraph) copy = assay_graph_copy (graph);
  g_autofree char *printed = print_clean (graph, ASSAY_TEXT_DEFAULT);
  g_autofree char *copied = NULL;

  /* A copy has nothing of the graph. */
  g_clear_pointer (&graph, assay_graph_unref);
  copied = print_clean (copy, ASSAY_TEXT_DEFAULT);
  regenerate ("text-everything.nnir", printed);
  g_assert_cmpstr (printed, ==, text);
  g_assert_cmpstr (copied, ==, text);
}

static void
test_large_constants (void)
{
  g_autoptr (AssayGraph) graph = assay_graph_new ();
  g_autofree float *elements = g_new0 (float, 20000);
  const gint64 small = 100;
  const gint64 large = 20000;
  g_autoptr (AssayTensor) a = NULL;
  g_autoptr (AssayTensor) b = NULL;
  g_autoptr (AssayGraph) all = NULL;
  g_autoptr (AssayGraph) some = NULL;
  g_autofree char *default_text = NULL;
  g_autofree char *all_text = NULL;
  g_autofree char *no_text = NULL;
  g_autofree char *again = NULL;
  g_autofree char *again_all = NULL;

  for (guint i = 0; i < 20000; i++)
    elements[i] = (float) i * 0.37f;
  a = assay_tensor_new_f32 (1, &small, elements);
  b = assay_tensor_new_f32 (1, &large, elements);
  assay_graph_add_output (graph, ASSAY_MAIN_REGION,
                          assay_graph_add_constant (graph, ASSAY_MAIN_REGION, "a", a));
  assay_graph_add_output (graph, ASSAY_MAIN_REGION,
                          assay_graph_add_constant (graph, ASSAY_MAIN_REGION, "b", b));

  default_text = print_clean (graph, ASSAY_TEXT_DEFAULT);
  all_text = print_clean (graph, ASSAY_TEXT_ALL_DATA);
  no_text = print_clean (graph, ASSAY_TEXT_NO_DATA);

  g_assert_nonnull (strstr (default_text, "%a : f32[100] = base64 \""));
  g_assert_nonnull (strstr (default_text, "%b : f32[20000] = digest \"sha256:"));
  g_assert_nonnull (strstr (no_text, "%a : f32[100] = elided"));

  some = parse_clean (default_text);
  again = print_clean (some, ASSAY_TEXT_DEFAULT);
  g_assert_cmpstr (again, ==, default_text);

  all = parse_clean (all_text);
  again_all = print_clean (all, ASSAY_TEXT_ALL_DATA);
  g_assert_cmpstr (again_all, ==, all_text);
  g_assert_cmpmem (assay_tensor_get_data (assay_graph_constant (all, 2), NULL, NULL), 80000,
                   elements, 80000);
}

static void
check_findings (const char *text, guint n, const char *const *expected)
{
  g_autoptr (AssayFindings) findings = assay_findings_new ();
  g_autoptr (AssayGraph) graph = assay_graph_from_text (text, -1, findings, NULL);

  g_assert_nonnull (graph);
  for (guint i = 0; i < assay_findings_get_count (findings); i++)
    g_test_message ("%s", assay_findings_get (findings, i)->message);
  g_assert_cmpuint (assay_findings_get_count (findings), ==, n);
  for (guint i = 0; i < n; i++)
    g_assert_nonnull (strstr (assay_findings_get (findings, i)->message, expected[i]));
}

static void
test_errors (void)
{
  check_findings ("main (%x : f32[1]) {\n  %y = Relu(%q) : f32[1]\n  return %y\n}\n", 1,
                  (const char *const[]){ "value “q” is read but not defined" });
  check_findings ("main (%x : f32[1]) {\n  %y = Relu(%x : f32[1]\n  %z = Relu(%x) : g32[1]\n  %x = "
                  "Relu(%x) : ?\n"
                  "  const %c : i8[1] = [300]\n  return %z\n}\n",
                  4,
                  (const char *const[]){
                      "line 2, column 16: “,” or the end of the list was expected, not “:”",
                      "line 3, column 19: a type was expected, not “g32”",
                      "line 4, column 6: value “x” is defined twice",
                      "line 5, column 23: “300” is not an element of type i8",
                  });
  check_findings (
      "main (%x : f32[99999999999999999999]) {\n}\nnonsense\n", 3,
      (const char *const[]){ "line 1, column 16: “99999999999999999999” is not an integer",
                             "line 2", "line 3" });
}

/* A call stands behind its origin, once, and knows no values but its own. */
static void
test_call_errors (void)
{
  check_findings (
      "call 0 () {\n  return\n}\nmain () {\n  return\n}\n", 3,
      (const char *const[]){ "line 1, column 6: the text lists no origins", "line 2", "line 3" });
  check_findings ("origin 0 \"g\" 0 a \"\"\ncall 0 (%x : i8[]) {\n  %y = a::b(%x)\n  return %y\n}\n"
                  "call 0 () {\n  return %x\n}\nmain () {\n  return %y\n}\n",
                  3,
                  (const char *const[]){ "value “x” is read but not defined",
                                         "origin 0 has two calls",
                                         "value “y” is read but not defined" });
}

static void
test_no_main (void)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (AssayGraph) graph = assay_graph_from_text ("nnir 1\n", -1, NULL, &error);

  g_assert_null (graph);
  g_assert_nonnull (error);
}

/* Nesting is bounded, and every prefix and every changed byte is survived. */
static void
test_hostile (void)
{
  g_autoptr (GString) deep = g_string_new ("main () {\n");
  g_autofree char *text = read_data ("text-everything.nnir");
  gsize length = strlen (text);
  g_autoptr (AssayGraph) nested = NULL;
  g_autoptr (AssayFindings) findings = assay_findings_new ();

  for (guint i = 0; i < 100000; i++)
    g_string_append (deep, "If(_) {a = region \"\" () {\n");
  nested = assay_graph_from_text (deep->str, (gssize) deep->len, findings, NULL);
  g_assert_nonnull (nested);
  g_assert_cmpuint (assay_findings_get_count (findings), >, 0);

  for (gsize i = 0; i < length; i++)
    {
      g_autofree char *part = g_memdup2 (text, i);
      g_autoptr (AssayGraph) graph = assay_graph_from_text (part, (gssize) i, NULL, NULL);
    }

  for (gsize i = 0; i < length; i++)
    {
      g_autoptr (AssayFindings) ignored = assay_findings_new ();
      g_autoptr (AssayGraph) graph = NULL;
      char kept = text[i];

      text[i] = "(){}[],:=%\"#@_-1"[i % 16];
      graph = assay_graph_from_text (text, (gssize) length, NULL, NULL);
      if (graph != NULL)
        assay_graph_verify (graph, ignored);
      text[i] = kept;
    }
}

static void
test_node_line (void)
{
  g_autofree char *text = read_data ("text-everything.nnir");
  g_autoptr (AssayGraph) graph = parse_clean (text);
  g_autoptr (GString) line = g_string_new (NULL);

  assay_graph_node_to_text (graph, 2, line);
  g_assert_cmpstr (line->str, ==,
                   "%r = If(%b) {then_branch = region \"then\", else_branch = region \"\"} : ? @ "
                   "\"if\" from [1] in 2");
}

/* 50,000 nodes are written and read in a time that nobody waits for. */
static void
test_speed (void)
{
  g_autoptr (GString)
      text = g_string_new ("nnir 1\ngraph \"\" {level = onnx, ir_version = 0, producer = \"\", "
                           "producer_version = \"\", doc = \"\"}\nmain (%v0 : f32[1,16]) {\n");
  g_autoptr (AssayGraph) graph = NULL;
  g_autofree char *printed = NULL;
  double seconds;

  for (guint i = 0; i < 50000; i++)
    g_string_append_printf (text, "  %%v%u = Relu(%%v%u) : f32[1,16] @ \"relu_%u\"\n", i + 1, i, i);
  g_string_append (text, "  return %v50000\n}\n");

  g_test_timer_start ();
  graph = parse_clean (text->str);
  printed = print_clean (graph, ASSAY_TEXT_DEFAULT);
  seconds = g_test_timer_elapsed ();
  g_test_message ("50,000 nodes read and written in %.3f s", seconds);
  g_assert_cmpstr (printed, ==, text->str);
  g_assert_cmpfloat (seconds, <, 5.0);
}

TEST_PROGRAM (text)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/text/everything", test_everything);
  g_test_add_func ("/text/large-constants", test_large_constants);
  g_test_add_func ("/text/errors", test_errors);
  g_test_add_func ("/text/call-errors", test_call_errors);
  g_test_add_func ("/text/no-main", test_no_main);
  g_test_add_func ("/text/hostile", test_hostile);
  g_test_add_func ("/text/node-line", test_node_line);
  g_test_add_func ("/text/speed", test_speed);

  return g_test_run ();
}
