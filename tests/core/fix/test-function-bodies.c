/* test-function-bodies.c
 * SPDX-License-Identifier: Apache-2.0
 *
 * Every body of functions.nnir: it computes what its operator does, it is recognized as that, and
 * every target that ships gives both the same verdict.
 */
#include <string.h>

#include "complain.h"
#include "fix/assay-fix-same.h"
#include "graphs.h"
#include "test-program.h"
#include "nnir/function/assay-op-function.h"
#include "nnir/pass/assay-canonical.h"
#include "nnir/shape/assay-infer.h"
#include "nnir/text/assay-text.h"
#include "target/assay-level.h"

/* A model whose only node is an operator. */
typedef struct
{
  char *name;
  AssayGraph *graph;
} Case;

static void
case_free (gpointer data)
{
  Case *self = data;

  g_free (self->name);
  assay_graph_unref (self->graph);
  g_free (self);
}

static char *
read_file (const char *name)
{
  g_autofree char *path = g_test_build_filename (G_TEST_DIST, "data", "functions", name, NULL);
  g_autoptr (GError) error = NULL;
  char *text = NULL;

  g_file_get_contents (path, &text, NULL, &error);
  g_assert_no_error (error);

  return text;
}

static AssayGraph *
parse (const char *text)
{
  g_autoptr (AssayFindings) findings = assay_findings_new ();
  g_autoptr (GError) error = NULL;
  AssayGraph *graph = assay_graph_from_text (text, -1, findings, &error);

  for (guint i = 0; i < assay_findings_get_count (findings); i++)
    g_test_message ("%s", assay_findings_get (findings, i)->message);
  g_assert_no_error (error);
  g_assert_true (assay_graph_infer (graph, findings, NULL, NULL));
  g_assert_cmpuint (assay_findings_get_count (findings), ==, 0);

  return graph;
}

static GPtrArray *
read_cases (const char *file)
{
  GPtrArray *cases = g_ptr_array_new_with_free_func (case_free);
  g_autofree char *text = read_file (file);
  g_auto (GStrv) sections = g_strsplit (text, "// ---- ", -1);

  for (guint i = 1; sections[i] != NULL; i++)
    {
      char *end = strchr (sections[i], '\n');
      g_autofree char *whole = g_strconcat ("nnir 1\nopset \"\" 25\n", end + 1, NULL);
      Case *made = g_new0 (Case, 1);

      made->name = g_strndup (sections[i], (gsize) (end - sections[i]));
      made->graph = parse (whole);
      g_ptr_array_add (cases, made);
    }

  return cases;
}

/* The model with the body in the place of the operator, NULL if the function does not apply. */
static AssayGraph *
write_out (AssayGraph *graph, const AssayOpFunction *function)
{
  g_autoptr (AssayGraph) copy = assay_graph_copy (graph);
  GArray *nodes = assay_graph_region (copy, ASSAY_MAIN_REGION)->nodes;
  AssayNodeId id = g_array_index (nodes, AssayNodeId, 0);
  g_auto (AssayBuilder) builder = { 0 };
  g_autofree char *text = NULL;

  g_assert_cmpuint (nodes->len, ==, 1);
  assay_builder_init (&builder, copy, TRUE);
  builder.anchor = id;
  g_array_set_size (nodes, 0);
  if (!assay_op_function_expand (function, &builder, NULL))
    return NULL;
  g_array_append_val (nodes, id);
  g_assert_true (assay_graph_infer (copy, NULL, NULL, NULL));
  text = assay_graph_to_text (copy, ASSAY_TEXT_ALL_DATA, NULL);

  return parse (text);
}

/* Bodies of rows are as stable as their operators, which forms of exporters need not be. */
static void
check_numbers (const Case *whole, const char *how, AssayGraph *written, double tolerance)
{
  AssayFixOptions options = ASSAY_FIX_OPTIONS_DEFAULT;
  g_autoptr (AssayFixRuns) runs = NULL;
  g_autoptr (AssayFixOffer) offer = g_new0 (AssayFixOffer, 1);

  options.seconds = 60;
  runs = assay_fix_runs_new (whole->graph, &options);
  if (!assay_fix_runs_compare (runs, written, offer, NULL, NULL) ||
      (offer->sameness == ASSAY_FIX_DIFFERENT && !(offer->max_abs <= tolerance)))
    complain ("%s of %s computes other numbers: %g apart", how, whole->name, offer->max_abs);
}

static void
check_recognized (const Case *whole, const AssayOpFunction *function, AssayGraph *written)
{
  const char *const keep[] = { function->type, NULL };
  AssayCanonicalOptions options = ASSAY_CANONICAL_OPTIONS_DEFAULT;
  g_autoptr (AssayGraph) canonical = NULL;

  if (!function->reads)
    return;
  options.keep = keep;
  canonical = assay_graph_canonicalize (written, &options, NULL, NULL);
  for (AssayNodeId id = 1; id < assay_graph_n_nodes (canonical); id++)
    if (assay_graph_node (canonical, id)->op == function->op)
      return;
  complain ("%s of %s is not recognized", function->id, whole->name);
}

/* The worst verdict of all nodes, as a user sees it. */
static const char *
worst (AssayTarget *target, AssayGraph *graph)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (AssayVerdicts) verdicts = graph_verdicts (target, graph, NULL, &error);
  AssayVerdictKind kind = ASSAY_VERDICT_SUPPORTED;

  g_assert_no_error (error);
  for (AssayNodeId id = 1; id < assay_graph_n_nodes (verdicts->graph); id++)
    kind = MIN (kind, assay_verdicts_get (verdicts, id)->kind);

  return kind > ASSAY_VERDICT_UNDECIDED ? "taken" : assay_verdict_name (kind);
}

/* The line of verdicts.txt for a difference is marked, as a model may show it in several ways. */
static gboolean
is_excepted (GPtrArray *lines, GHashTable *used, const char *difference)
{
  for (guint i = 0; i < lines->len; i++)
    {
      const char *line = g_ptr_array_index (lines, i);

      if (g_str_has_prefix (line, difference) &&
          g_str_has_prefix (line + strlen (difference), " | "))
        {
          g_hash_table_add (used, (gpointer) line);
          return TRUE;
        }
    }

  return FALSE;
}

static GPtrArray *
read_lines (const char *file)
{
  g_autofree char *text = read_file (file);
  g_auto (GStrv) split = g_strsplit (text, "\n", -1);
  GPtrArray *lines = g_ptr_array_new_with_free_func (g_free);

  for (guint i = 0; split[i] != NULL; i++)
    if (split[i][0] != '\0' && split[i][0] != '#')
      g_ptr_array_add (lines, g_strdup (split[i]));

  return lines;
}

static void
check_body (const Case *whole, const AssayOpFunction *function, AssayGraph *written)
{
  check_numbers (whole, function->id, written, -1);
  check_recognized (whole, function, written);
}

/* Calls @func for every case and every body that may replace its operator. */
static void
each_body (GPtrArray *cases,
           void (*func) (const Case *whole, const AssayOpFunction *function, AssayGraph *written))
{
  for (guint i = 0; i < cases->len; i++)
    {
      const Case *whole = g_ptr_array_index (cases, i);
      const AssayNode *node = assay_graph_node (whole->graph, 1);
      const AssayOpFunction *const *functions;
      guint n;

      functions = assay_op_function_of (node, &n);
      for (guint j = 0; j < n; j++)
        {
          g_autoptr (AssayGraph)
              written = functions[j]->writes ? write_out (whole->graph, functions[j]) : NULL;

          if (written != NULL)
            func (whole, functions[j], written);
        }
    }
}

static void
test_bodies (void)
{
  g_autoptr (GPtrArray) cases = read_cases ("cases.nnir");

  each_body (cases, check_body);
}

/* Every row that writes has a model. */
static void
test_cases (void)
{
  g_autoptr (GPtrArray) cases = read_cases ("cases.nnir");
  const AssayOpFunction *function;

  for (guint i = 0; (function = assay_op_function_list (i)) != NULL; i++)
    {
      gboolean found = !function->writes || function->op == ASSAY_OP_OPAQUE;

      for (guint j = 0; !found && j < cases->len; j++)
        {
          const Case *whole = g_ptr_array_index (cases, j);
          g_autoptr (AssayGraph) written = NULL;

          if (assay_graph_node (whole->graph, 1)->op == function->op)
            written = write_out (whole->graph, function);
          found = written != NULL;
        }
      if (!found)
        complain ("no model of tests/data/functions/cases.nnir has %s", function->id);
      g_assert_true (assay_op_function_find (function->id) == function);
    }
}

/* The case that an exporter writes in another way. */
static const Case *
find_case (GPtrArray *cases, const Case *spelling)
{
  g_auto (GStrv) parts = g_strsplit (spelling->name, " | ", 2);

  g_assert_cmpuint (g_strv_length (parts), ==, 2);
  for (guint i = 0; i < cases->len; i++)
    {
      const Case *whole = g_ptr_array_index (cases, i);

      if (g_str_equal (whole->name, parts[0]))
        return whole;
    }
  g_error ("spellings.nnir: there is no case %s", parts[0]);
}

static gboolean
has_body (AssayOp op)
{
  const AssayOpFunction *const *functions;
  guint n;

  functions = assay_op_function_of_op (op, &n);
  for (guint i = 0; i < n; i++)
    if (functions[i]->writes)
      return TRUE;

  return FALSE;
}

/* Every function of the specification has a body or a reason. */
static void
test_specification (void)
{
  g_autoptr (GPtrArray) lines = read_lines ("without-body.txt");

  for (guint op = 1; op < ASSAY_N_OPS; op++)
    {
      const AssayOpInfo *info = assay_op_get_info ((AssayOp) op);
      gboolean expected = (info->traits & ASSAY_OP_TRAIT_FUNCTION) != 0;
      g_autofree char *begin = g_strdup_printf ("%s | ", info->name);
      gboolean listed = FALSE;

      for (guint i = 0; i < lines->len; i++)
        listed = listed || g_str_has_prefix (g_ptr_array_index (lines, i), begin);
      if (listed != (expected && !has_body ((AssayOp) op)))
        complain ("%s: a row of functions.nnir, or else a line in without-body.txt", info->name);
    }
}

static void
test_spellings (void)
{
  g_autoptr (GPtrArray) cases = read_cases ("cases.nnir");
  g_autoptr (GPtrArray) spellings = read_cases ("spellings.nnir");

  for (guint i = 0; i < spellings->len; i++)
    {
      const Case *spelling = g_ptr_array_index (spellings, i);

      check_numbers (find_case (cases, spelling), spelling->name, spelling->graph, 1e-6);
    }
}

static void
compare_verdicts (const char *target, const char *id, const char *expected, const char *found,
                  GPtrArray *exceptions, GHashTable *used)
{
  g_autofree char *line = g_strdup_printf ("%s %s %s %s", target, id, expected, found);

  if (!g_str_equal (expected, found) && !is_excepted (exceptions, used, line))
    complain ("%s: no line in tests/data/functions/verdicts.txt", line);
}

static void
test_verdicts (gconstpointer data)
{
  g_autoptr (GPtrArray) cases = read_cases ("cases.nnir");
  g_autoptr (GPtrArray) spellings = read_cases ("spellings.nnir");
  g_autoptr (GPtrArray) exceptions = read_lines ("verdicts.txt");
  g_autoptr (GHashTable) used = g_hash_table_new (NULL, NULL);
  g_autoptr (AssayTarget) target = assay_target_load (data, NULL);

  for (guint i = 0; i < cases->len; i++)
    {
      const Case *whole = g_ptr_array_index (cases, i);
      const char *expected = worst (target, whole->graph);
      const AssayOpFunction *const *functions;
      guint n;

      functions = assay_op_function_of (assay_graph_node (whole->graph, 1), &n);
      for (guint j = 0; j < n; j++)
        {
          g_autoptr (AssayGraph)
              written = functions[j]->writes ? write_out (whole->graph, functions[j]) : NULL;

          if (written != NULL)
            compare_verdicts (data, functions[j]->id, expected, worst (target, written), exceptions,
                              used);
        }
    }
  for (guint i = 0; i < spellings->len; i++)
    {
      const Case *spelling = g_ptr_array_index (spellings, i);
      const Case *whole = find_case (cases, spelling);

      compare_verdicts (data, spelling->name, worst (target, whole->graph),
                        worst (target, spelling->graph), exceptions, used);
    }

  for (guint i = 0; i < exceptions->len; i++)
    {
      const char *line = g_ptr_array_index (exceptions, i);

      if (g_str_has_prefix (line, data) && line[strlen (data)] == ' ' &&
          !g_hash_table_contains (used, line))
        complain ("verdicts.txt: this is not so: %s", line);
    }
}

/* The node of the model has the worst verdict of its parts, which say what they are. */
static void
test_provenance (void)
{
  static const char text[] = "nnir 1\nopset \"\" 25\n"
                             "main (%q : f32[1,1,2,2], %k : f32[1,1,2,2]) {\n"
                             "  const %v : f32[1,1,2,2] = [1.0, 2.0, 3.0, 4.0]\n"
                             "  %f = Attention(%q, %k, %v) @ \"f\"\n"
                             "  return %f\n}\n";
  g_autoptr (AssayGraph) graph = parse (text);
  g_autoptr (AssayTarget) target = assay_target_load ("ia_420f_c6b32", NULL);
  g_autoptr (AssayVerdicts) verdicts = graph_verdicts (target, graph, NULL, NULL);
  g_autoptr (AssayLevel) level = assay_level_new (ASSAY_GRAPH_ONNX, verdicts, graph, NULL, 0, NULL);
  AssayNodeId last = assay_graph_n_nodes (verdicts->graph) - 1;
  const AssayVerdict *verdict = assay_verdicts_get (verdicts, last);

  g_assert_cmpstr (assay_graph_node (verdicts->graph, last)->name, ==, "f");
  g_assert_cmpstr (assay_verdict_name (verdict->kind), ==, "supported");
  g_assert_cmpuint (verdict->n_details, ==, 1);
  g_assert_nonnull (strstr (verdict->details[0].text, "Attention “f” is decomposed to Mul, "));

  verdict = assay_verdicts_get (level->verdicts, 1);
  g_assert_cmpstr (assay_verdict_name (verdict->kind), ==, "rejected");
  g_assert_cmpuint (level->verdicts->counts[ASSAY_VERDICT_REJECTED], ==, 1);
  g_assert_cmpuint (level->verdicts->counts[ASSAY_VERDICT_SUPPORTED], ==, 0);
}

TEST_PROGRAM (function_bodies)
{
  g_auto (GStrv) targets = assay_target_list ();

  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/functions/cases", test_cases);
  g_test_add_func ("/functions/bodies", test_bodies);
  g_test_add_func ("/functions/spellings", test_spellings);
  g_test_add_func ("/functions/specification", test_specification);
  g_test_add_func ("/functions/provenance", test_provenance);
  for (guint i = 0; targets[i] != NULL; i++)
    {
      g_autofree char *path = g_strdup_printf ("/functions/verdicts/%s", targets[i]);

      g_test_add_data_func (path, targets[i], test_verdicts);
    }

  return g_test_run ();
}
