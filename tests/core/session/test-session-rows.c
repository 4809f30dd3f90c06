/* test-session-rows.c
 * SPDX-License-Identifier: Apache-2.0
 *
 * Texts of single rows of lists, of data made by hand: comparisons, facts of nodes, cases of
 * suites, problems, suggestions.
 */
#include <string.h>

#include "nnir/text/assay-text.h"
#include "session/analysis/assay-node-facts.h"
#include "session/analysis/assay-problem.h"
#include "session/analysis/assay-remedy.h"
#include "session/list/assay-compare-item.h"
#include "session/list/assay-finding-item.h"
#include "session/list/assay-qualify-item.h"
#include "session/list/assay-result-item.h"
#include "target/assay-target.h"
#include "test-program.h"

/* Each number is another one, so that none can stand in for another. */
static void
test_compare_item (void)
{
  gint64 dims[] = { 2, 3, 5 };
  AssayQuantizeLoss cost = { .position = 4, .own_db = 31 };
  AssayComparisonRow row = {
    .name = (char *) "value",
    .node_name = (char *) "node",
    .has_siblings = TRUE,
    .op_type = (char *) "Relu",
    .rank = 3,
    .dims = dims,
    .total = { .n = 30, .error = 30, .mean_error = -3, .rms_error = 4 },
    .has_own = TRUE,
    .own = { .n = 20000, .error = 6, .mean_error = 9, .rms_error = 10 },
    .inherited = 8,
    .limit = 4,
    .worst_step = 11,
    .verdict = ASSAY_COMPARISON_OUTSIDE,
    .note = (char *) "note",
    .cost = &cost,
  };
  g_autoptr (AssayCompareItem) own = assay_compare_item_new (&row, 7);
  g_autoptr (AssayCompareItem) total = NULL;
  g_autoptr (AssayCompareItem) empty = NULL;
  AssayComparisonRow nothing = { .verdict = ASSAY_COMPARISON_UNKNOWN, .worst_step = -1 };

  row.has_own = FALSE;
  total = assay_compare_item_new (&row, 8);
  empty = assay_compare_item_new (&nothing, 9);

  g_assert_cmpuint (assay_compare_item_get_index (own), ==, 7);
  g_assert_cmpstr (assay_compare_item_get_name (own), ==, "value");
  g_assert_cmpstr (assay_compare_item_get_node_name (own), ==, "node");
  g_assert_cmpstr (assay_compare_item_get_place (own), ==, "node: value");
  g_assert_cmpstr (assay_compare_item_get_op_type (own), ==, "Relu");
  g_assert_cmpstr (assay_compare_item_get_shape (own), ==, "2×3×5");
  g_assert_cmpstr (assay_compare_item_get_note (own), ==, "note");
  g_assert_true (assay_compare_item_has_own (own));
  g_assert_cmpfloat (assay_compare_item_get_error (own), ==, 6);
  g_assert_cmpfloat (assay_compare_item_get_inherited (own), ==, 8);
  g_assert_cmpfloat (assay_compare_item_get_limit (own), ==, 4);
  g_assert_cmpint (assay_compare_item_get_step (own), ==, 11);
  g_assert_cmpint (assay_compare_item_get_divergence (own), ==, ASSAY_DIVERGENCE_BEYOND);
  g_assert_cmpfloat (assay_compare_item_get_share (own), ==, 6.0 / 4);
  g_assert_cmpfloat (assay_compare_item_get_factor (own), ==, (30.0 - 6) / 8);
  g_assert_cmpfloat (assay_compare_item_get_bias (own), ==, 9.0 / 10);
  g_assert_cmpfloat (assay_compare_item_get_total (own), ==, 30);
  g_assert_cmpuint (assay_compare_item_get_stats (own)->n, ==, 20000);
  g_assert_cmpfloat (assay_compare_item_get_cost (own)->own_db, ==, 31);
  g_assert_true (assay_compare_item_get_cost (own) != &cost);

  g_assert_false (assay_compare_item_has_own (total));
  g_assert_cmpfloat (assay_compare_item_get_error (total), ==, 30);
  g_assert_cmpfloat (assay_compare_item_get_share (total), ==, 30.0 / 4);
  g_assert_cmpfloat (assay_compare_item_get_factor (total), ==, 0);
  g_assert_cmpuint (assay_compare_item_get_stats (total)->n, ==, 30);

  g_assert_cmpstr (assay_compare_item_get_name (empty), ==, "");
  g_assert_cmpstr (assay_compare_item_get_node_name (empty), ==, "");
  g_assert_cmpstr (assay_compare_item_get_place (empty), ==, "");
  g_assert_cmpstr (assay_compare_item_get_op_type (empty), ==, "");
  g_assert_cmpstr (assay_compare_item_get_shape (empty), ==, "");
  g_assert_null (assay_compare_item_get_note (empty));
  g_assert_null (assay_compare_item_get_cost (empty));
  g_assert_cmpint (assay_compare_item_get_step (empty), ==, -1);
  g_assert_cmpint (assay_compare_item_get_divergence (empty), ==, ASSAY_DIVERGENCE_NOT_COMPARED);
}

static AssayVerdicts *
check (const char *target_id, const char *body)
{
  g_autofree char *text = g_strconcat ("nnir 1\n", body, NULL);
  g_autoptr (AssayFindings) findings = assay_findings_new ();
  g_autoptr (AssayGraph) graph = assay_graph_from_text (text, -1, findings, NULL);
  g_autoptr (AssayTarget) target = assay_target_load (target_id, NULL);
  g_autoptr (AssayForms) forms = NULL;
  AssayVerdicts *verdicts;

  g_assert_nonnull (graph);
  forms = assay_forms_new (graph);
  verdicts = assay_target_check (target, forms, NULL, NULL, NULL);
  g_assert_nonnull (verdicts);
  return verdicts;
}

/* The largest own error of the rows of a node; nothing of rows without one, or of no node. */
static void
test_facts (void)
{
  g_autoptr (AssayVerdicts)
      verdicts = check ("vulkan-seed", "main (%x : f32[2,8], %i : i64[3]) {\n"
                                       "  const %w : f32[8,4] = elided\n"
                                       "  const %b : i8[3] = [1, 2, 3]\n"
                                       "  %a = Relu(%x) : f32[2,8] @ \"a\"\n"
                                       "  %c = MatMul(%a, %w) : f32[2,4] @ \"c\"\n"
                                       "  %d, %e = Split(%c) : f32[1,4], f32[1,4] @ \"d\"\n"
                                       "  return %d, %e\n"
                                       "}\n");
  const struct
  {
    const char *node;
    gboolean has_own;
    double error;
  } rows[] = { { "a", FALSE, 50 }, { "c", TRUE, 3 },     { "c", TRUE, 5 },     { "c", TRUE, 4 },
               { "c", FALSE, 60 }, { "none", TRUE, 70 }, { "none", FALSE, 80 } };
  static const double parameters[] = { 0, 0, 8 * 4 * 4, 0 };
  static const double activations[] = { 0, 2 * 8 * 4, 2 * 4 * 4, 2 * 4 * 4 };
  static const double errors[] = { -1, -1, 5, -1 };
  g_autoptr (GListStore) compared = g_list_store_new (ASSAY_TYPE_COMPARE_ITEM);
  g_autoptr (AssayNodeFacts) facts = NULL;

  for (guint i = 0; i < G_N_ELEMENTS (rows); i++)
    {
      AssayComparisonRow row = { .node_name = (char *) rows[i].node,
                                 .has_own = rows[i].has_own,
                                 .own = { .error = rows[i].error },
                                 .total = { .error = 90 } };
      g_autoptr (AssayCompareItem) item = assay_compare_item_new (&row, i);

      g_list_store_append (compared, item);
    }
  facts = assay_node_facts_new (verdicts, NULL, G_LIST_MODEL (compared));
  g_assert_cmpuint (facts->n_nodes, ==, G_N_ELEMENTS (errors));
  for (guint32 i = 0; i < facts->n_nodes; i++)
    {
      g_assert_cmpfloat (facts->parameters[i], ==, parameters[i]);
      g_assert_cmpfloat (facts->activations[i], ==, activations[i]);
      g_assert_cmpfloat (facts->errors[i], ==, errors[i]);
      g_assert_cmpfloat (facts->cycles[i], ==, -1);
    }
}

/* Cores as ranges; sorted, what is not known is last both ways. */
static void
test_cores (void)
{
  static const struct
  {
    guint64 cores;
    const char *text;
  } rows[] = { { 0, "" },
               { 1, "0" },
               { 1u << 5, "5" },
               { 0x3, "0-1" },
               { 0x16, "1-2, 4" },
               { 0x3f, "0-5" },
               { (guint64) 1 << (ASSAY_MAX_CORES - 1), NULL } };
  g_autoptr (AssayVerdicts) verdicts = check ("vulkan-seed", "main (%x : f32[2]) {\n"
                                                             "  %a = Relu(%x) : f32[2] @ \"a\"\n"
                                                             "  %b = Relu(%a) : f32[2] @ \"b\"\n"
                                                             "  %c = Relu(%b) : f32[2] @ \"c\"\n"
                                                             "  return %c\n"
                                                             "}\n");
  g_autoptr (AssayNodeFacts) facts = assay_node_facts_new (verdicts, NULL, NULL);
  guint32 nodes[] = { 1, 2, 3 };

  for (guint i = 0; i < G_N_ELEMENTS (rows); i++)
    {
      g_autofree char *text = NULL;
      g_autofree char *last = g_strdup_printf ("%d", ASSAY_MAX_CORES - 1);

      facts->cores[1] = rows[i].cores;
      text = assay_node_facts_dup_cores (facts, 1);
      g_assert_cmpstr (text, ==, rows[i].text != NULL ? rows[i].text : last);
    }

  facts->cores[1] = 0x4;
  facts->cores[2] = 0;
  facts->cores[3] = 0xa;
  assay_node_facts_sort (facts, nodes, 3, ASSAY_NODE_COLUMN_CORES, FALSE);
  g_assert_cmpmem (nodes, sizeof nodes, ((guint32[]){ 3, 1, 2 }), sizeof nodes);
  assay_node_facts_sort (facts, nodes, 3, ASSAY_NODE_COLUMN_CORES, TRUE);
  g_assert_cmpmem (nodes, sizeof nodes, ((guint32[]){ 1, 3, 2 }), sizeof nodes);
}

/* Names in the order that people read them in. */
static void
test_names (void)
{
  static const char *const sorted[] = { "A",     "a1",       "b.2",   "B.02.c", "b.10",
                                        "b.100", "b.0100.1", "layer", "layer/", "layer.x9" };
  static const char *const ordered[] = { "A",     "a1",       "b.2",   "B.02.c",   "b.10",
                                         "b.100", "b.0100.1", "layer", "layer.x9", "layer/" };
  g_autoptr (GString) body = g_string_new ("main (%x : f32[2]) {\n");
  g_autoptr (AssayVerdicts) verdicts = NULL;
  g_autoptr (AssayNodeFacts) facts = NULL;
  guint32 nodes[G_N_ELEMENTS (sorted)];

  for (guint i = G_N_ELEMENTS (sorted); i-- > 0;)
    g_string_append_printf (body, "  %%v%u = Relu(%%x) : f32[2] @ \"%s\"\n", i, sorted[i]);
  g_string_append (body, "  return");
  for (guint i = 0; i < G_N_ELEMENTS (sorted); i++)
    g_string_append_printf (body, "%s %%v%u", i > 0 ? "," : "", i);
  g_string_append (body, "\n}\n");
  verdicts = check ("vulkan-seed", body->str);
  facts = assay_node_facts_new (verdicts, NULL, NULL);
  for (guint32 i = 0; i < G_N_ELEMENTS (nodes); i++)
    nodes[i] = i + 1;
  assay_node_facts_sort (facts, nodes, G_N_ELEMENTS (nodes), ASSAY_NODE_COLUMN_NAME, FALSE);
  for (guint i = 0; i < G_N_ELEMENTS (nodes); i++)
    g_assert_cmpstr (assay_graph_node (verdicts->graph, nodes[i])->name, ==, ordered[i]);
}

/* A row in a list of cases: what surprises first, then what is bad, and by name. */
static void
test_qualify_order (void)
{
  static const struct
  {
    const char *name;
    AssayConformanceStatus status;
    const char *predicted;
  } rows[] = {
    { "f", ASSAY_CONFORMANCE_PASS, "takes" },   { "e", ASSAY_CONFORMANCE_PASS_ON_HOST, NULL },
    { "d", ASSAY_CONFORMANCE_SKIP, "refuses" }, { "c", ASSAY_CONFORMANCE_XFAIL, NULL },
    { "b", ASSAY_CONFORMANCE_CRASH, NULL },     { "a", ASSAY_CONFORMANCE_FAIL, NULL },
    { "z", ASSAY_CONFORMANCE_FAIL, "takes" },   { "x", ASSAY_CONFORMANCE_PASS, "refuses" },
    { "y", ASSAY_CONFORMANCE_XPASS, NULL },     { "h", ASSAY_CONFORMANCE_TIMEOUT, NULL },
    { "g", ASSAY_CONFORMANCE_PASS, NULL },
  };
  g_autoptr (GPtrArray) items = g_ptr_array_new_with_free_func (g_object_unref);
  g_autoptr (GString) order = g_string_new (NULL);

  for (guint i = 0; i < G_N_ELEMENTS (rows); i++)
    {
      AssayConformanceResult *result = g_new0 (AssayConformanceResult, 1);

      result->name = g_strdup (rows[i].name);
      result->status = rows[i].status;
      result->predicted = g_strdup (rows[i].predicted);
      g_ptr_array_add (items, assay_qualify_item_new (result));
    }
  /* As a list sorts them. */
  for (guint i = 0; i < items->len; i++)
    for (guint k = 0; k + 1 < items->len; k++)
      if (assay_qualify_item_compare (items->pdata[k], items->pdata[k + 1]) > 0)
        {
          gpointer item = items->pdata[k];

          items->pdata[k] = items->pdata[k + 1];
          items->pdata[k + 1] = item;
        }
  for (guint i = 0; i < items->len; i++)
    g_string_append (order, assay_qualify_item_get_result (items->pdata[i])->name);
  g_assert_cmpstr (order->str, ==, "xzabhycdefg");
}

/* A tensor of text has a shape and no numbers. */
static void
test_result_item (void)
{
  const gint64 dims[] = { 2, 3 };
  const float values[] = { -1, 0, 2, 0, 4, 1 };
  AssayRunPort port = { .name = (char *) "y[1]", .whole = (char *) "y", .part = (char *) "[1]" };
  g_autoptr (AssayTensor) tensor = assay_tensor_new_f32 (2, dims, values);
  g_autoptr (AssayTensor) scalar = assay_tensor_new_f32 (0, NULL, values);
  g_autoptr (AssayResultItem) item = assay_result_item_new (&port, tensor);
  g_autoptr (AssayResultItem) single = assay_result_item_new (&port, scalar);
  g_autofree char *shape = assay_result_item_dup_shape (item);
  g_autofree char *single_shape = assay_result_item_dup_shape (single);

  g_assert_cmpstr (assay_result_item_get_name (item), ==, "y[1]");
  g_assert_cmpstr (assay_result_item_get_whole (item), ==, "y");
  g_assert_cmpstr (assay_result_item_get_part (item), ==, "[1]");
  g_assert_true (assay_result_item_get_tensor (item) == tensor);
  g_assert_cmpstr (shape, ==, "2 × 3");
  g_assert_cmpstr (single_shape, ==, "scalar");
  g_assert_cmpuint (assay_result_item_get_statistics (item)->n, ==, 6);
  g_assert_cmpuint (assay_result_item_get_statistics (item)->n_zero, ==, 2);
  g_assert_cmpfloat (assay_result_item_get_statistics (item)->min, ==, -1);
  g_assert_cmpfloat (assay_result_item_get_statistics (item)->max, ==, 4);
  g_assert_cmpfloat (assay_result_item_get_statistics (item)->mean, ==, 1);
  g_assert_cmpuint (assay_result_item_get_statistics (single)->n, ==, 1);
}

/* Copies are equal in all their parts, whatever the problem is about. */
static void
test_problem_copy (void)
{
  g_autoptr (GError) error = g_error_new_literal (ASSAY_ERROR, ASSAY_ERROR_IO, "it is gone");

  for (guint about = 0; about < 5; about++)
    {
      g_autoptr (AssayProblem) problem = assay_problem_new (error, "a/file", NULL);
      g_autoptr (AssayProblem) copy = NULL;

      if (about == 1)
        assay_problem_set_target (problem, "ia_420f_c6b32", FALSE);
      else if (about == 2)
        assay_problem_set_target (problem, "own/target.json", TRUE);
      else if (about == 3)
        assay_problem_set_session (problem, TRUE);
      else if (about == 4)
        assay_problem_set_policy (problem);
      copy = assay_problem_copy (problem);
      g_assert_cmpint (copy->code, ==, ASSAY_ERROR_IO);
      g_assert_cmpstr (copy->what, ==, problem->what);
      g_assert_cmpstr (copy->where, ==, problem->where);
      g_assert_cmpstr (copy->advice, ==, problem->advice);
      g_assert_cmpstr (copy->details, ==, problem->details);
      g_assert_cmpint (copy->is_target, ==, about == 1 || about == 2);
      g_assert_cmpint (copy->is_target_file, ==, about == 2);
      g_assert_cmpint (copy->can_locate, ==, about == 3);
    }
}

/* All that a problem says, of errors of each domain and findings with each part of a place. */
static void
test_problem_words (void)
{
  g_autoptr (GError) cancelled = g_error_new_literal (G_IO_ERROR, G_IO_ERROR_CANCELLED, "stopped");
  g_autoptr (GError) other = g_error_new_literal (G_FILE_ERROR, G_FILE_ERROR_NOENT, "m/x is away");
  g_autoptr (GError) unknown = g_error_new_literal (ASSAY_ERROR, 99, "odd");
  g_autoptr (AssayFindings) findings = assay_findings_new ();
  g_autoptr (AssayProblem) first = NULL;
  g_autoptr (AssayProblem) second = NULL;
  g_autoptr (AssayProblem) third = NULL;
  g_autoptr (GPtrArray) lost = g_ptr_array_new ();
  g_autoptr (AssayProblem) one = NULL;
  g_autoptr (AssayProblem) two = NULL;

  assay_findings_add (findings, ASSAY_SEVERITY_NOTE, "n", NULL, NULL, NULL, -1, "a note");
  assay_findings_add (findings, ASSAY_SEVERITY_ERROR, "e", "graph", "conv", "pads", 0, "an error");
  first = assay_problem_new (cancelled, NULL, findings);
  g_assert_cmpint (first->code, ==, ASSAY_ERROR_CANCELLED);
  g_assert_cmpstr (first->where, ==, "The open model, byte 0, graph, node conv, pads\nstopped");
  g_assert_cmpstr (first->details, ==,
                   "The open model, byte 0, graph, node conv, pads\nCANCELLED: stopped\n"
                   "note: n: a note\nerror: e: an error, byte 0, graph, node conv, pads\n");
  second = assay_problem_new (other, "m/x", NULL);
  g_assert_cmpint (second->code, ==, ASSAY_ERROR_IO);
  g_assert_cmpstr (second->where, ==, "m/x is away");
  g_assert_cmpstr (second->details, ==, "m/x\nIO: m/x is away\n");
  third = assay_problem_new (unknown, "m/x", NULL);
  g_assert_cmpint (third->code, ==, ASSAY_ERROR_INVALID);
  g_assert_cmpstr (third->where, ==, "m/x\nodd");

  g_ptr_array_add (lost, (gpointer) "first");
  one = assay_problem_new_lost (lost);
  g_ptr_array_add (lost, (gpointer) "second");
  two = assay_problem_new_lost (lost);
  g_assert_cmpstr (one->what, ==, "A fix does not apply as before");
  g_assert_cmpstr (one->where, ==, "first");
  g_assert_cmpstr (two->what, ==, "2 fixes do not apply as before");
  g_assert_cmpstr (two->where, ==, "first\nsecond");
  g_assert_cmpstr (two->details, ==, "first\nsecond");
}

/* Each row of the table: a verdict as `kind|rule|attribute|actual|allowed`, and the place and text
 * of the suggestion for it, with an open size another one. */
static void
test_suggestions (void)
{
  static const char *const places[] = { "model", "setup", "target" };
  static const struct
  {
    const char *verdict;
    const char *expected[2]; /* the second NULL if it is the same */
  } rows[] = {
    { "undecided|extents|||",
      { "model:Cut the model before it: its size depends on the data.",
        "setup:Give the open dimensions a size in Setup." } },
    { "host|context.x|||",
      { "model:It follows its neighbours: once those run on the device, it does too." } },
    { "host|activation.alone|||",
      { "model:Put it right behind a convolution, a product or an Add that nothing else reads." } },
    { "host|no-form|||",
      { "model:Replace Relu by operations of the device, or keep the nodes of the host in one "
        "place." } },
    { "host|mul.no-row|||",
      { "model:Replace Relu by operations of the device, or keep the nodes of the host in one "
        "place." } },
    { "rejected|no-form|||",
      { "target:Replace Relu by operations that vulkan-seed has, or choose a target that takes "
        "it." } },
    { "rejected|device.limit|the image||4096",
      { "setup:Choose another device in Setup, or make the image smaller: this one has 4096." } },
    { "rejected|device.limit|||4096",
      { "setup:Choose another device in Setup: this one has no room for what it is a part of." } },
    { "rejected|dtype|input x|f64|f32",
      { "model:Convert input x to f32 before this node, or export it so." } },
    { "host|dtype|input x|f64|f32",
      { "model:Change input x in the model: vulkan-seed takes f32." } },
    { "host|cast.x|to||f32 and f16",
      { "model:Export with element types that the device converts between: f32 and f16." } },
    { "rejected|unpublished|||",
      { "setup:Switch off Published only in Setup, or replace Relu by what the vendor lists." } },
    { "rejected|product.x|inputs|computed at run time|constant",
      { "setup:Allow run-time weights in Setup, or make one side a constant." } },
    { "rejected|product.x|inputs|given|constant",
      { "model:Change inputs in the model: vulkan-seed takes constant." } },
    { "rejected|reduce.axis|the data dimension of x||",
      { "model:Keep the axes that it reduces (keepdims = 1), and take them away later." } },
    { "rejected|other|the data dimension of x||",
      { "model:Export the model so that both nodes work along the same axis." } },
    { "rejected|streaming.axis|||",
      { "setup:Choose another streaming axis in Setup, or let the inputs arrive whole." } },
    { "rejected|if|cond|computed at run time by x|",
      { "model:Fix the condition when exporting: one branch alone can be compiled." } },
    { "rejected|inequality|||",
      { "model:Let Where read the comparison directly, or write a mask times y as Where (mask, y, "
        "0)." } },
    { "rejected|other|shape|computed at run time|constant",
      { "model:Export the model so that shape is a constant.",
        "setup:Set the open sizes in Setup: shape may be a constant then." } },
    { "rejected|other|bias|absent|given",
      { "model:Give bias in the model: vulkan-seed takes no Relu without it." } },
    { "host|other|bias|given|absent",
      { "model:Leave bias out of the model: vulkan-seed takes Relu without it." } },
    { "rejected|other|axis|1|0 to 3",
      { "model:Change axis in the model: vulkan-seed takes 0 to 3." } },
    { "rejected|other|axis|1|",
      { "target:Replace Relu by operations that vulkan-seed has, or choose a target that takes "
        "it." } },
    { "rejected||||",
      { "target:Replace Relu by operations that vulkan-seed has, or choose a target that takes "
        "it." } },
    { "supported|relu|||", { NULL } },
    { "fused|no-form|axis|1|2", { NULL } },
  };
  static const char *const bodies[] = {
    "main (%y : f32[2], %x : f32[2,3]) {\n  %a = Relu(%x) : f32[2,3] @ \"a\"\n  return %a\n}\n",
    "main (%y : f32[2], %x : f32[2,n]) {\n  %a = Relu(%x) : f32[2,n] @ \"a\"\n  return %a\n}\n"
  };

  for (guint open = 0; open < G_N_ELEMENTS (bodies); open++)
    {
      g_autoptr (AssayVerdicts) verdicts = check ("vulkan-seed", bodies[open]);

      for (guint i = 0; i < G_N_ELEMENTS (rows); i++)
        {
          g_auto (GStrv) words = g_strsplit (rows[i].verdict, "|", -1);
          const char *parts[5];
          AssayVerdict verdict = { .node = 1 };
          AssayRemedyPlace place = ASSAY_REMEDY_TARGET;
          g_autofree char *text = NULL;
          g_autofree char *found = NULL;

          for (guint k = 0; k < G_N_ELEMENTS (parts); k++)
            parts[k] = *words[k] != '\0' ? words[k] : NULL;
          while (!g_str_equal (assay_verdict_name (verdict.kind), parts[0]))
            verdict.kind++;
          verdict.rule = parts[1];
          verdict.attribute = parts[2];
          verdict.actual = parts[3];
          verdict.allowed = parts[4];
          text = assay_remedy_describe (verdicts, &verdict, &place);
          found = text != NULL ? g_strdup_printf ("%s:%s", places[place], text) : NULL;
          g_test_message ("%s", rows[i].verdict);
          g_assert_cmpstr (found, ==, rows[i].expected[open && rows[i].expected[1] != NULL]);
          if (text == NULL)
            g_assert_cmpint (place, ==, ASSAY_REMEDY_MODEL);
        }
    }
}

TEST_PROGRAM (session_rows)
{
  g_test_init (&argc, &argv, NULL);

  g_test_add_func ("/session-rows/compare-item", test_compare_item);
  g_test_add_func ("/session-rows/facts", test_facts);
  g_test_add_func ("/session-rows/cores", test_cores);
  g_test_add_func ("/session-rows/names", test_names);
  g_test_add_func ("/session-rows/qualify-order", test_qualify_order);
  g_test_add_func ("/session-rows/result-item", test_result_item);
  g_test_add_func ("/session-rows/problem/copy", test_problem_copy);
  g_test_add_func ("/session-rows/problem/words", test_problem_words);
  g_test_add_func ("/session-rows/suggestions", test_suggestions);

  return g_test_run ();
}
