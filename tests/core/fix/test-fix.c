/* test-fix.c
 * SPDX-License-Identifier: Apache-2.0
 */
#include <math.h>
#include <string.h>

#include "fix/assay-fix-same.h"
#include "fix/assay-rewrite-private.h"
#include "complain.h"
#include "golden.h"
#include "test-program.h"
#include "nnir/analysis/assay-analysis.h"
#include "nnir/assay-graph-builder.h"
#include "nnir/assay-verify.h"
#include "nnir/function/assay-op-function.h"
#include "nnir/shape/assay-infer.h"
#include "nnir/text/assay-text.h"

/* Files of tests/data/fixes hold graphs, each after a line `// ---- name`, and between their lines
 * fixes, each tried on the graph alone:
 *   // FIX: REWRITE [NAME=VALUE...] [@NODE,NODE...] -> RESULT
 *   what becomes of the outputs, without @ of node n: exact the same bits, zeros the same but for
 *   the signs of zeros, close the same up to rounding, finite the same bits for finite inputs and
 *   others for infinite ones, spreads rounding but where an infinite input makes no number, near an
 *   approximation of a thousandth, refused TEXT nothing as it does not apply, drops another model
 *   as an input of the model is dropped and said to be, new no comparison as the outputs are others
 *   // CHECK: text      a line of the fixed graph has this text, behind the line of the CHECK
 * before
 *   // CHECK-NOT: text  no line has it
 */

#define NEAR 1e-3

static AssayGraph *
read_graph (const char *text)
{
  g_autoptr (AssayFindings) findings = assay_findings_new ();
  g_autoptr (GError) error = NULL;
  AssayGraph *graph = assay_graph_from_text (text, -1, findings, &error);

  g_assert_no_error (error);
  for (guint i = 0; i < assay_findings_get_count (findings); i++)
    g_error ("%s\n%s", assay_findings_get (findings, i)->message, text);
  assay_graph_infer (graph, NULL, NULL, NULL);

  return graph;
}

static AssayFix *
read_fix (const char *line)
{
  g_auto (GStrv) words = g_strsplit (line, " ", -1);
  g_autoptr (GStrvBuilder) arguments = g_strv_builder_new ();
  g_auto (GStrv) nodes = g_strsplit ("n", ",", -1);
  g_auto (GStrv) list = NULL;

  for (guint i = 1; words[i] != NULL; i++)
    {
      if (words[i][0] == '@')
        {
          g_strfreev (nodes);
          nodes = g_strsplit (words[i] + 1, ",", -1);
        }
      else
        g_strv_builder_add (arguments, words[i]);
    }
  list = g_strv_builder_end (arguments);

  return assay_fix_new (words[0], (const char *const *) nodes, (const char *const *) list);
}

static void
verify (AssayGraph *graph, const char *where)
{
  g_autoptr (AssayFindings) findings = assay_findings_new ();

  if (!assay_graph_verify (graph, findings) || assay_findings_get_count (findings) > 0)
    complain ("%s: %s", where, assay_findings_get (findings, 0)->message);
}

/* Holds the outputs of both graphs against each other. */
static void
compare (AssayGraph *before, AssayGraph *after, const AssayFix *fix, const char *expected,
         const char *where)
{
  AssayFixOptions options = ASSAY_FIX_OPTIONS_DEFAULT;
  g_autoptr (AssayFixRuns) runs = NULL;
  g_autoptr (AssayFixOffer) offer = g_new0 (AssayFixOffer, 1);
  g_autoptr (GError) error = NULL;

  options.seconds = 60;
  offer->fix = assay_fix_copy (fix);
  runs = assay_fix_runs_new (before, &options);
  assay_fix_runs_compare (runs, after, offer, NULL, &error);
  g_assert_no_error (error);
  if (offer->sameness == ASSAY_FIX_NOT_RUN)
    {
      complain ("%s: not run: %s", where, offer->sameness_reason);
      return;
    }
  g_assert_cmpuint (offer->n_runs, ==, options.n_runs);

  if (g_str_equal (expected, "exact"))
    {
      if (offer->sameness != ASSAY_FIX_IDENTICAL)
        complain ("%s: differs by %" G_GUINT64_FORMAT " ULP, %g (%d)", where, offer->max_ulp,
                  offer->max_abs, offer->sameness);
    }
  else if (g_str_equal (expected, "zeros"))
    {
      if (offer->sameness != ASSAY_FIX_ROUNDED || offer->max_ulp != 0)
        complain ("%s: does not differ in the signs of zeros alone: %g", where, offer->max_abs);
    }
  else if (g_str_equal (expected, "close"))
    {
      if (offer->sameness != ASSAY_FIX_IDENTICAL && offer->sameness != ASSAY_FIX_ROUNDED)
        complain ("%s: differs by more than rounding: %g units, %g", where, offer->max_error,
                  offer->max_abs);
    }
  else if (g_str_equal (expected, "finite"))
    {
      if (offer->sameness != ASSAY_FIX_DIFFERENT || offer->max_ulp != 0)
        complain ("%s: does not differ for infinite inputs alone: %g", where, offer->max_abs);
    }
  else if (g_str_equal (expected, "spreads"))
    {
      if (offer->sameness != ASSAY_FIX_DIFFERENT || !offer->spreads)
        complain ("%s: differs by more than numbers of infinite inputs: %g", where, offer->max_abs);
    }
  else if (!(offer->max_abs <= NEAR))
    complain ("%s: differs by %g", where, offer->max_abs);
}

static void
check_text (char **lines, guint from, AssayGraph *graph)
{
  g_autofree char *text = assay_graph_to_text (graph, ASSAY_TEXT_ALL_DATA, NULL);
  const char *position = text;

  for (guint i = from; lines[i] != NULL && strstr (lines[i], "// FIX: ") == NULL; i++)
    {
      const char *check = strstr (lines[i], "// CHECK: ");
      const char *check_not = strstr (lines[i], "// CHECK-NOT: ");

      if (check != NULL)
        {
          position = strstr (position, check + strlen ("// CHECK: "));
          if (position == NULL)
            {
              complain ("%s: expected %s in:\n%s", lines[from - 1], check, text);
              return;
            }
        }
      if (check_not != NULL && strstr (text, check_not + strlen ("// CHECK-NOT: ")) != NULL)
        complain ("%s: not expected %s in:\n%s", lines[from - 1], check_not, text);
    }
}

static gboolean
has_rule (AssayFindings *findings, const char *prefix)
{
  for (guint i = 0; i < assay_findings_get_count (findings); i++)
    if (g_str_has_prefix (assay_findings_get (findings, i)->rule, prefix))
      return TRUE;

  return FALSE;
}

/* The lines of a fixed graph that the graph does not have. */
static void
append_new_lines (GString *table, AssayGraph *graph, AssayGraph *fixed)
{
  g_autofree char *before = assay_graph_to_text (graph, ASSAY_TEXT_DEFAULT, NULL);
  g_autofree char *after = assay_graph_to_text (fixed, ASSAY_TEXT_DEFAULT, NULL);
  g_auto (GStrv) old = g_strsplit (before, "\n", -1);
  g_auto (GStrv) lines = g_strsplit (after, "\n", -1);

  for (guint i = 0; lines[i] != NULL; i++)
    if (!g_strv_contains ((const char *const *) old, lines[i]) &&
        !g_str_has_prefix (lines[i], "origin "))
      g_string_append_printf (table, "%s\n", lines[i]);
}

static void
check_fix (AssayGraph *graph, char **lines, guint index, GString *table)
{
  const char *line = strstr (lines[index], "// FIX: ") + strlen ("// FIX: ");
  const char *arrow = strstr (line, " -> ");
  g_autofree char *record = g_strndup (line, (gsize) (arrow - line));
  const char *expected = arrow + strlen (" -> ");
  g_autoptr (GPtrArray) fixes = assay_fixes_new ();
  g_autoptr (AssaySettings) settings = NULL;
  g_autoptr (AssayFindings) findings = assay_findings_new ();
  g_autoptr (AssayGraph) fixed = NULL;
  g_autoptr (GError) error = NULL;

  g_ptr_array_add (fixes, read_fix (record));
  fixed = assay_fixes_apply (graph, fixes, &settings, findings, NULL, &error);
  g_assert_no_error (error);
  verify (fixed, line);
  g_string_append_printf (table, "// FIX: %s\n", record);
  for (guint i = 0; i < assay_findings_get_count (findings); i++)
    g_string_append_printf (table, "// %s\n", assay_findings_get (findings, i)->message);
  append_new_lines (table, graph, fixed);

  if (g_str_has_prefix (expected, "refused "))
    {
      if (assay_findings_get_count (findings) == 0)
        complain ("%s: not refused", line);
      else if (strstr (assay_findings_get (findings, 0)->message, expected + strlen ("refused ")) ==
               NULL)
        complain ("%s: refused for another reason: %s", line,
                  assay_findings_get (findings, 0)->message);
      return;
    }

  for (guint i = 0; i < assay_findings_get_count (findings); i++)
    if (!g_str_equal (expected, "drops") || !has_rule (findings, ASSAY_FIX_DROPS_INPUT))
      complain ("%s: %s", line, assay_findings_get (findings, i)->message);
  check_text (lines, index + 1, fixed);
  if (g_str_equal (expected, "drops"))
    {
      if (!has_rule (findings, ASSAY_FIX_DROPS_INPUT))
        complain ("%s: does not say that it drops an input", line);
      return;
    }
  if (!g_str_equal (expected, "new"))
    compare (graph, fixed, g_ptr_array_index (fixes, 0), expected, line);
}

#define FREE_INPUT "free"

/* Makes a constant that a node reads an input of the model; the types that it led to stay. */
static AssayGraph *
free_constant (AssayGraph *graph, AssayNodeId node, guint index)
{
  AssayGraph *copy = assay_graph_copy (graph);
  GArray *inputs = assay_graph_region (copy, ASSAY_MAIN_REGION)->inputs;
  AssayValueId old = assay_graph_node (graph, node)->inputs[index];
  AssayValueId id = assay_graph_add_value (copy, ASSAY_MAIN_REGION, ASSAY_VALUE_INPUT, FREE_INPUT,
                                           assay_graph_value (graph, old)->type);

  assay_graph_edit_value (copy, id)->output = inputs->len;
  g_array_append_val (inputs, id);
  assay_graph_edit_node (copy, node)->inputs[index] = id;

  return copy;
}

static gboolean
reads_free_input (AssayGraph *graph)
{
  g_autoptr (AssayUses) uses = assay_uses_new (graph);

  for (AssayValueId id = 1; id < assay_graph_n_values (graph); id++)
    if (g_str_equal (assay_graph_value (graph, id)->name, FREE_INPUT))
      return assay_uses_count (uses, id) > 0;

  return FALSE;
}

/* Inputs that no form has to ask: how much a Dropout drops that does nothing, and the part of the
 * image that only one way of counting looks at. */
static gboolean
is_idle (const AssayNode *node, guint index)
{
  return (node->op == ASSAY_OP_Dropout || node->op == ASSAY_OP_Resize) && index == 1;
}

/* A fix that applies as well where a constant of its node is an input of the model asks that input
 * still, or says that it does not. */
static void
check_dropped (AssayGraph *graph, const AssayFix *fix, AssayNodeId node)
{
  const AssayNode *anchor = assay_graph_node (graph, node);

  for (guint i = 0; i < anchor->n_inputs; i++)
    {
      g_autoptr (GPtrArray) fixes = assay_fixes_new ();
      g_autoptr (AssaySettings) settings = NULL;
      g_autoptr (AssayFindings) findings = assay_findings_new ();
      g_autoptr (AssayGraph) open = NULL;
      g_autoptr (AssayGraph) fixed = NULL;
      gboolean told, reads;

      if (!assay_graph_is_constant (graph, anchor->inputs[i]))
        continue;
      open = free_constant (graph, node, i);
      g_ptr_array_add (fixes, assay_fix_copy (fix));
      fixed = assay_fixes_apply (open, fixes, &settings, findings, NULL, NULL);
      g_assert_nonnull (fixed);
      if (has_rule (findings, "fix."))
        continue;
      told = has_rule (findings, ASSAY_FIX_DROPS_INPUT);
      reads = reads_free_input (fixed) || is_idle (anchor, i);
      if (told == reads)
        complain ("%s (%s): input %u of %s is %s", fix->rewrite,
                  fix->arguments[0] != NULL ? fix->arguments[0] : "", i, anchor->name,
                  told ? "asked, and said not to be" : "dropped without a word");
    }
}

static void
check_all_dropped (AssayGraph *graph, const char *line)
{
  const char *arrow = strstr (line, " -> ");
  g_autofree char *record = g_strndup (line, (gsize) (arrow - line));
  g_autoptr (AssayFix) fix = read_fix (record);

  for (AssayNodeId id = 1; id < assay_graph_n_nodes (graph); id++)
    if (g_strv_contains ((const char *const *) fix->nodes, assay_graph_node (graph, id)->name))
      check_dropped (graph, fix, id);
}

static void
check_file (gconstpointer data)
{
  g_autofree char *base = g_path_get_basename (data);
  g_autofree char *path = g_test_build_filename (G_TEST_DIST, "data", "fixed", base, NULL);
  g_autoptr (GString) table = g_string_new (
      "// Lines that each fix of tests/data/fixes makes. ASSAY_REGENERATE=1 writes them anew.\n"
      "// Checked by: test-fix, which compares what the fixed graphs compute with what they did "
      "before.\n");
  g_autofree char *text = NULL;
  g_auto (GStrv) sections = NULL;
  g_autoptr (GError) error = NULL;

  g_file_get_contents (data, &text, NULL, &error);
  g_assert_no_error (error);
  sections = g_strsplit (text, "// ---- ", -1);
  for (guint i = 1; sections[i] != NULL; i++)
    {
      g_autofree char *section = g_strconcat ("// ", sections[i], NULL);
      g_auto (GStrv) lines = g_strsplit (section, "\n", -1);
      g_autoptr (AssayGraph) graph = read_graph (section);
      guint n = 0;

      g_string_append_printf (table, "%s\n", lines[0]);
      for (guint j = 0; lines[j] != NULL; j++)
        if (strstr (lines[j], "// FIX: ") != NULL)
          {
            check_fix (graph, lines, j, table);
            check_all_dropped (graph, strstr (lines[j], "// FIX: ") + strlen ("// FIX: "));
            n++;
          }
      if (n == 0)
        g_error ("%s: section %s has no fix", (const char *) data, lines[0]);
    }
  golden_check (path, table->str);
}

/* Every form of the table is proven in one of the files. */
static void
test_forms (void)
{
  static const char *const forms[] = {
#define EQUIVALENCE(keeps, id, op, words, guard, text) id,
#define EQUIVALENCE_BEHIND EQUIVALENCE
#define EQUIVALENCE_BEFORE EQUIVALENCE
#include "fix/equivalences.def"
#undef EQUIVALENCE
#undef EQUIVALENCE_BEHIND
#undef EQUIVALENCE_BEFORE
  };
  g_autofree char *folder = g_test_build_filename (G_TEST_DIST, "data", "fixes", NULL);
  g_autoptr (GDir) dir = g_dir_open (folder, 0, NULL);
  g_autoptr (GString) all = g_string_new (NULL);
  const AssayOpFunction *function;
  const char *name;

  while ((name = g_dir_read_name (dir)) != NULL)
    {
      g_autofree char *path = g_build_filename (folder, name, NULL);
      g_autofree char *text = NULL;

      g_assert_true (g_file_get_contents (path, &text, NULL, NULL));
      g_string_append (all, text);
    }
  for (guint i = 0; (function = assay_op_function_list (i)) != NULL; i++)
    {
      g_autofree char *record = g_strdup_printf ("form=%s ", function->id);

      if (function->words != NULL && strstr (all->str, record) == NULL)
        complain ("no file of tests/data/fixes proves form=%s", function->id);
      for (guint j = 0; function->words != NULL && j < G_N_ELEMENTS (forms); j++)
        g_assert_cmpstr (forms[j], !=, function->id);
    }
  for (guint i = 0; i < G_N_ELEMENTS (forms); i++)
    {
      g_autofree char *record = g_strdup_printf ("form=%s ", forms[i]);

      if (strstr (all->str, record) == NULL)
        complain ("no file of tests/data/fixes proves form=%s", forms[i]);
      for (guint j = 0; j < i; j++)
        g_assert_cmpstr (forms[i], !=, forms[j]);
    }
}

/* What is no more than rounding, and what is more, in each type. */
static void
test_rounding (void)
{
  static const struct
  {
    const char *before;
    const char *after;
    AssayFixSameness expected;
  } cases[] = {
    { "%y = LogSoftmax(%x) {axis = 1}", "%s = Softmax(%x) {axis = 1}\n  %y = Log(%s)",
      ASSAY_FIX_DIFFERENT },
    { "%y = LogSoftmax(%x) {axis = 1}",
      "const %a : i64[1] = [1]\n  %m = ReduceMax(%x, %a) {keepdims = 1}\n  %d = Sub(%x, %m)\n"
      "  %e = Exp(%d)\n  %s = ReduceSum(%e, %a) {keepdims = 1}\n  %l = Log(%s)\n  %y = Sub(%d, %l)",
      ASSAY_FIX_ROUNDED },
    { "const %a : i64[1] = [1]\n  %y = ReduceLogSumExp(%x, %a)",
      "const %a : i64[1] = [1]\n  %e = Exp(%x)\n  %s = ReduceSum(%e, %a)\n  %y = Log(%s)",
      ASSAY_FIX_DIFFERENT },
    { "%y = Sigmoid(%x)", "%a = HardSigmoid(%x)\n  %y = Identity(%a)", ASSAY_FIX_DIFFERENT },
    { "%y = Softmax(%x) {axis = 1}",
      "const %a : i64[1] = [1]\n  %e = Exp(%x)\n  %s = ReduceSum(%e, %a)\n  %y = Div(%e, %s)",
      ASSAY_FIX_DIFFERENT },
    { "%y = Relu(%x)", "%a = Relu(%x)\n  %y = Add(%a, %x)", ASSAY_FIX_DIFFERENT },
    { "%y = Identity(%x)", "%a = Neg(%x)\n  %y = Neg(%a)", ASSAY_FIX_IDENTICAL },
  };
  static const char *const types[] = { "f32", "f64", "bf16", "f16" };
  AssayFixOptions options = ASSAY_FIX_OPTIONS_DEFAULT;

  options.seconds = 60;
  for (guint i = 0; i < G_N_ELEMENTS (cases); i++)
    for (guint j = 0; j < G_N_ELEMENTS (types); j++)
      {
        g_autofree char *from = g_strdup_printf ("main (%%x : %s[3,17]) {\n  %s\n  return %%y\n}\n",
                                                 types[j], cases[i].before);
        g_autofree char *to = g_strdup_printf ("main (%%x : %s[3,17]) {\n  %s\n  return %%y\n}\n",
                                               types[j], cases[i].after);
        g_autoptr (AssayGraph) before = read_graph (from);
        g_autoptr (AssayGraph) after = read_graph (to);
        g_autoptr (AssayFixRuns) runs = assay_fix_runs_new (before, &options);
        g_autoptr (AssayFixOffer) offer = g_new0 (AssayFixOffer, 1);

        assay_fix_runs_compare (runs, after, offer, NULL, NULL);
        if (offer->sameness != cases[i].expected)
          complain ("%s, %s: %d, %g units, %g", types[j], cases[i].after, offer->sameness,
                    offer->max_error, offer->max_abs);
      }
}

static AssayFixOffer *
compare_texts (const char *before, const char *after)
{
  g_autoptr (AssayGraph) from = read_graph (before);
  g_autoptr (AssayGraph) to = read_graph (after);
  AssayFixOptions options = ASSAY_FIX_OPTIONS_DEFAULT;
  g_autoptr (AssayFixRuns) runs = NULL;
  AssayFixOffer *offer = g_new0 (AssayFixOffer, 1);

  options.seconds = 60;
  runs = assay_fix_runs_new (from, &options);
  g_assert_true (assay_fix_runs_compare (runs, to, offer, NULL, NULL));

  return offer;
}

/* Inputs for which the model itself is nowhere near its exact result say nothing about a fix: the
 * logarithm of a spectrum of what is the same throughout is all rounding. What the other inputs say
 * stands, and with none of them nothing was compared. */
static void
test_hidden (void)
{
  static const char weights[] =
      "const %w : f32[6,2] = [0.1, 0.3, 0.7, -0.9, -0.8, 0.6, 0.3, 0.7, -0.4, -0.3, 0.1, -0.4]\n"
      "  const %f : f32[] = [1048576.0]\n  const %one : f32[] = [1.0]\n";
  static const char last[] = "  %a = Abs(%p)\n  %b = Mul(%a, %f)\n  %c = Add(%b, %one)\n"
                             "  %y = Log(%c)\n";
  static const char halves[] = "  const %at : i64[2] = [3, 3]\n"
                               "  %l, %r = Split(%x, %at) {axis = 1}\n"
                               "  %lw, %rw = Split(%w, %at) {axis = 0}\n"
                               "  %lp = MatMul(%l, %lw)\n  %rp = MatMul(%r, %rw)\n";
  const struct
  {
    const char *before;
    const char *after;
    AssayFixSameness expected;
    gboolean all; /* every input says something */
  } cases[] = {
    { "  %p = MatMul(%x, %w)\n", "  %p = Add(%rp, %lp)\n", ASSAY_FIX_ROUNDED, FALSE },
    { "  %p = MatMul(%x, %w)\n", "  %p = Sub(%rp, %lp)\n", ASSAY_FIX_DIFFERENT, TRUE },
  };

  for (guint i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      g_autofree char *from = g_strdup_printf ("main (%%x : f32[4,6]) {\n  %s%s%s  return %%y\n}\n",
                                               weights, cases[i].before, last);
      g_autofree char *to = g_strdup_printf ("main (%%x : f32[4,6]) {\n  %s%s%s%s  return %%y\n}\n",
                                             weights, halves, cases[i].after, last);
      g_autoptr (AssayFixOffer) offer = compare_texts (from, to);

      g_test_message ("%s: %d, %g units, %g, %u runs", cases[i].after, offer->sameness,
                      offer->max_error, offer->max_abs, offer->n_runs);
      g_assert_cmpint (offer->sameness, ==, cases[i].expected);
      g_assert_cmpuint (offer->n_runs, >, 8);
      g_assert_cmpint (offer->n_runs == 16, ==, cases[i].all);
      if (offer->sameness == ASSAY_FIX_ROUNDED)
        g_assert_cmpfloat (offer->max_abs, <, 0.01);
    }
}

/* Nothing is compared where every input is lost in rounding, and it is said. */
static void
test_all_hidden (void)
{
  g_autoptr (AssayFixOffer)
      offer = compare_texts ("main (%x : f32[4,6]) {\n  const %h : f32[] = [1e9]\n"
                             "  %s = Sigmoid(%x)\n  %a = Add(%s, %h)\n  %y = Sub(%a, %h)\n"
                             "  return %y\n}\n",
                             "main (%x : f32[4,6]) {\n  %y = Sigmoid(%x)\n  return %y\n}\n");

  g_assert_cmpint (offer->sameness, ==, ASSAY_FIX_NOT_RUN);
  g_assert_nonnull (strstr (offer->sameness_reason, "too far from its exact results"));
}

/* Both sides of a switch are run, whatever number chooses: a fix that breaks one is found. */
static void
test_switch_sides (void)
{
  static const struct
  {
    const char *type;
    const char *condition;
  } switches[] = {
    { "i64[]", "const %k : i64[] = [16000]\n  %c = Equal(%s, %k)" },
    { "i32[1]", "const %k : i32[1] = [8000]\n  %c = Less(%s, %k)" },
    { "u8[1]", "const %k : u8[1] = [7]\n  %c = Equal(%s, %k)" },
    { "i64[1]", "const %k : f32[1] = [-3.0]\n  %f = Cast(%s) {to = 1}\n  %c = Equal(%f, %k)" },
    { "i64[]", "%c = Cast(%s) {to = 9}" },
    { "bool[]", "%c = Not(%s)" },
    { "i64[]", "const %k : i64[] = [8000]\n  %c = Greater(%s, %k)" },
    { "i64[]", "const %k : i64[] = [0]\n  %c = Less(%s, %k)" },
    { "i64[]", "const %k : i64[] = [5]\n  const %l : i64[] = [9]\n  %e = Equal(%s, %k)\n"
               "  %g = Equal(%l, %s)\n  %c = Or(%e, %g)" },
  };
  static const char *const sides[] = { "%a, %b", "%d, %b", "%a, %d" };

  for (guint i = 0; i < G_N_ELEMENTS (switches); i++)
    {
      g_autofree char *texts[G_N_ELEMENTS (sides)] = { NULL };

      for (guint j = 0; j < G_N_ELEMENTS (sides); j++)
        {
          g_autoptr (AssayFixOffer) offer = NULL;

          texts[j] = g_strdup_printf ("main (%%x : f32[2,3], %%s : %s) {\n  %s\n"
                                      "  %%a = Tanh(%%x)\n  %%b = Sigmoid(%%x)\n"
                                      "  %%d = Abs(%%x)\n  %%y = Where(%%c, %s)\n"
                                      "  return %%y\n}\n",
                                      switches[i].type, switches[i].condition, sides[j]);
          offer = compare_texts (texts[0], texts[j]);
          if (offer->sameness != (j == 0 ? ASSAY_FIX_IDENTICAL : ASSAY_FIX_DIFFERENT))
            complain ("%s, %s: %s: %d", switches[i].type, switches[i].condition, sides[j],
                      offer->sameness);
        }
      for (guint j = 0; j < G_N_ELEMENTS (sides); j++)
        g_clear_pointer (&texts[j], g_free);
    }
}

/* The manual lists the rewrites as they are. */
static void
test_manual (void)
{
  static const char *const kinds[] = { "nodes", "setup", "option of the target" };
  g_autofree char *path = g_test_build_filename (G_TEST_DIST, "..", "docs", "adding-a-fix.md",
                                                 NULL);
  g_autofree char *manual = NULL;
  g_autoptr (GString)
      table = g_string_new ("| rewrite | changes | what it does |\n|---|---|---|\n");
  const AssayRewriteRow *row;

  g_assert_true (g_file_get_contents (path, &manual, NULL, NULL));
  for (guint i = 0; (row = assay_rewrite_list (i)) != NULL; i++)
    g_string_append_printf (table, "| `%s` | %s | %s |\n", row->id, kinds[row->kind], row->doc);
  g_string_append_c (table, '\n');
  if (strstr (manual, table->str) == NULL)
    g_error ("docs/adding-a-fix.md should have this table:\n%s", table->str);
}

static void
test_json (void)
{
  const char *nodes[] = { "a/b \"c\"", "ü", NULL };
  const char *arguments[] = { "form=x=y", "n=1", NULL };
  g_autoptr (GPtrArray) fixes = assay_fixes_new ();
  g_autoptr (GPtrArray) back = NULL;
  g_autoptr (AssayFindings) findings = assay_findings_new ();
  g_autofree char *text = NULL;
  g_autofree char *again = NULL;
  g_autoptr (GError) error = NULL;
  gsize length;

  g_ptr_array_add (fixes, assay_fix_new ("replace-op", nodes, arguments));
  g_ptr_array_add (fixes, assay_fix_new ("dynamic-weights", NULL, NULL));
  text = assay_fixes_to_json (fixes, &length);
  back = assay_fixes_from_json (text, (gssize) length, "fixes.json", findings, &error);
  g_assert_no_error (error);
  g_assert_cmpuint (assay_findings_get_count (findings), ==, 0);
  g_assert_cmpuint (back->len, ==, 2);
  for (guint i = 0; i < 2; i++)
    g_assert_true (assay_fix_equal (g_ptr_array_index (fixes, i), g_ptr_array_index (back, i)));
  g_assert_cmpstr (assay_fix_get_argument (g_ptr_array_index (back, 0), "form"), ==, "x=y");
  g_assert_null (assay_fix_get_argument (g_ptr_array_index (back, 0), "for"));
  again = assay_fixes_to_json (back, NULL);
  g_assert_cmpstr (again, ==, text);
}

static void
test_json_hostile (void)
{
  static const struct
  {
    const char *text;
    gboolean fails;
    guint n_fixes;
    guint n_findings;
  } cases[] = {
    { "", TRUE, 0, 0 },
    { "[]", TRUE, 0, 0 },
    { "{\"schema\": \"assay.fixes/2\", \"fixes\": []}", TRUE, 0, 0 },
    { "{\"schema\": \"assay.fixes/1\", \"fixes\": []}", FALSE, 0, 0 },
    { "{\"schema\": \"assay.fixes/1\", \"fixes\": [3, {\"rewrite\": \"fold\"}]}", FALSE, 1, 1 },
    { "{\"schema\": \"assay.fixes/1\", \"fixes\": [{\"rewrite\": \"x\", \"arguments\": [\"a\"]}]}",
      FALSE, 0, 1 },
    { "{\"schema\": \"assay.fixes/1\", \"fixes\": [{\"rewrit\": \"x\"}]}", FALSE, 0, 2 },
  };

  for (guint i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      g_autoptr (AssayFindings) findings = assay_findings_new ();
      g_autoptr (GError) error = NULL;
      g_autoptr (GPtrArray)
          fixes = assay_fixes_from_json (cases[i].text, -1, "fixes.json", findings, &error);

      g_assert_cmpint (error != NULL, ==, cases[i].fails);
      if (fixes == NULL)
        continue;
      g_assert_cmpuint (fixes->len, ==, cases[i].n_fixes);
      g_assert_cmpuint (assay_findings_get_count (findings), ==, cases[i].n_findings);
    }
}

/* What does not apply any more is a finding, and the rest is applied, with its provenance. */
static void
test_replay (void)
{
  static const char text[] = "nnir 1\n"
                             "origin 0 \"graph\" 0 HardSwish \"a\"\n"
                             "origin 1 \"graph\" 1 HardSwish \"b\"\n"
                             "main (%x : f32[2,2]) {\n"
                             "  %h = HardSwish(%x) : f32[2,2] @ \"a\" from [0]\n"
                             "  %y = HardSwish(%h) : f32[2,2] @ \"b\" from [1]\n"
                             "  return %y\n"
                             "}\n";
  const char *nodes[] = { "a", "gone", "b", NULL };
  const char *arguments[] = { "form=hard-swish-hard-sigmoid", NULL };
  g_autoptr (AssayGraph) graph = read_graph (text);
  g_autoptr (AssayGraph) fixed = NULL;
  g_autoptr (GPtrArray) fixes = assay_fixes_new ();
  g_autoptr (AssayFindings) findings = assay_findings_new ();
  g_autofree char *before = assay_graph_to_text (graph, ASSAY_TEXT_ALL_DATA, NULL);
  g_autofree char *after = NULL;
  const AssayRewrite *rewrite;

  g_ptr_array_add (fixes, assay_fix_new ("no-such-rewrite", nodes, NULL));
  g_ptr_array_add (fixes, assay_fix_new ("replace-op", nodes, arguments));
  g_ptr_array_add (fixes, assay_fix_new ("replace-op", nodes, arguments));
  fixed = assay_fixes_apply (graph, fixes, NULL, findings, NULL, NULL);
  verify (fixed, "replay");

  /* The rewrite that is unknown, the node that is gone twice, and two nodes that are another
   * operation by now. */
  g_assert_cmpuint (assay_findings_get_count (findings), ==, 5);
  g_assert_cmpstr (assay_findings_get (findings, 0)->rule, ==, "fix.unknown");
  g_assert_cmpstr (assay_findings_get (findings, 1)->node, ==, "gone");
  g_assert_cmpstr (assay_findings_get (findings, 2)->rule, ==, "fix.does-not-apply");

  after = assay_graph_to_text (fixed, ASSAY_TEXT_ALL_DATA, NULL);
  g_assert_nonnull (strstr (after, "%y = Mul(%h, %b/HardSigmoid) : f32[2,2] @ \"b\" from [1]"));
  g_assert_nonnull (strstr (after, "@ \"b/HardSigmoid\" from [1]"));
  g_assert_cmpuint (fixed->rewrites->len, ==, 2);
  rewrite = &g_array_index (fixed->rewrites, AssayRewrite, 0);
  g_assert_cmpstr (rewrite->rule, ==, "fix.replace-op");
  g_assert_cmpstr (rewrite->before[0], ==, "a");
  g_assert_cmpuint (rewrite->n_after, ==, 2);

  /* The graph that was given stays as it was. */
  g_free (g_steal_pointer (&after));
  after = assay_graph_to_text (graph, ASSAY_TEXT_ALL_DATA, NULL);
  g_assert_cmpstr (after, ==, before);
}

TEST_PROGRAM (fix)
{
  g_autoptr (GDir) dir = NULL;
  g_autofree char *folder = NULL;
  g_autoptr (GPtrArray) paths = g_ptr_array_new_with_free_func (g_free);
  const char *name;
  int status;

  g_test_init (&argc, &argv, NULL);
  folder = g_test_build_filename (G_TEST_DIST, "data", "fixes", NULL);
  dir = g_dir_open (folder, 0, NULL);
  while (dir != NULL && (name = g_dir_read_name (dir)) != NULL)
    {
      g_autofree char *test = g_strdup_printf ("/fix/file/%s", name);

      g_ptr_array_add (paths, g_build_filename (folder, name, NULL));
      g_test_add_data_func (test, g_ptr_array_index (paths, paths->len - 1), check_file);
    }
  g_test_add_func ("/fix/forms", test_forms);
  g_test_add_func ("/fix/rounding", test_rounding);
  g_test_add_func ("/fix/rounding/hidden", test_hidden);
  g_test_add_func ("/fix/rounding/all-hidden", test_all_hidden);
  g_test_add_func ("/fix/rounding/switches", test_switch_sides);
  g_test_add_func ("/fix/manual", test_manual);
  g_test_add_func ("/fix/json/round-trip", test_json);
  g_test_add_func ("/fix/json/hostile", test_json_hostile);
  g_test_add_func ("/fix/replay", test_replay);
  status = g_test_run ();

  return status;
}
