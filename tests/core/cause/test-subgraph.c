/* test-subgraph.c
 * SPDX-License-Identifier: Apache-2.0
 *
 * The part of a model between values that were seen and one that is looked at: its border, where
 * its inputs come from, its work, and that it computes the same.
 */
#include <string.h>

#include "base/assay-error.h"
#include "cause/assay-subgraph.h"
#include "nnir/shape/assay-infer.h"
#include "nnir/text/assay-text.h"

#include "test-program.h"

/* %e is read twice, and so is %b on the way to it; the weight of %c is kept in 8 bits. */
static const char model[] = "main (%x : f32[2,3], %y : f32[2,3]) {\n"
                            "  const %k : i8[3,4] = [1, -2, 3, 4, 5, -6, 7, 8, 9, 1, 2, 3]\n"
                            "  const %s : f32[] = [0.5]\n"
                            "  const %t : f32[2,4] = [1, 2, 3, 4, 5, 6, 7, 8]\n"
                            "  %a = Neg(%x) @ \"a\"\n"
                            "  %b = Add(%a, %y) @ \"b\"\n"
                            "  %w = DequantizeLinear(%k, %s) @ \"w\"\n"
                            "  %c = MatMul(%b, %w) @ \"c\"\n"
                            "  %d = Sub(%t, %c) @ \"d\"\n"
                            "  %e = Mul(%d, %c) @ \"e\"\n"
                            "  %f = Add(%e, %e) @ \"f\"\n"
                            "  return %f\n}\n";

/* The values in order, what each is made of, and the multiplications that make it. */
static const struct
{
  char name;
  const char *reads;
  guint work;
} values[] = {
  { 'x', "", 0 },   { 'y', "", 0 },    { 't', "", 0 },   { 'w', "", 0 },   { 'a', "x", 6 },
  { 'b', "ay", 6 }, { 'c', "bw", 24 }, { 'd', "tc", 8 }, { 'e', "dc", 8 }, { 'f', "ee", 8 },
};
#define FIRST_RESULT 4

static AssayGraph *
read_text (const char *body)
{
  g_autofree char *text = g_strconcat (
      "nnir 1\ngraph \"t\" {level = onnx, ir_version = 10}\nopset \"\" 17\n", body, NULL);
  g_autoptr (AssayFindings) findings = assay_findings_new ();
  AssayGraph *graph = assay_graph_from_text (text, -1, findings, NULL);

  for (guint i = 0; i < assay_findings_get_count (findings); i++)
    g_test_message ("%s", assay_findings_get (findings, i)->message);
  g_assert_nonnull (graph);
  g_assert_true (assay_graph_infer (graph, findings, NULL, NULL));
  g_assert_cmpuint (assay_findings_get_count (findings), ==, 0);

  return graph;
}

static AssayValueId
find (const AssayGraph *graph, char name)
{
  for (AssayValueId id = 1; id < assay_graph_n_values (graph); id++)
    if (assay_graph_value (graph, id)->name[0] == name)
      return id;
  g_assert_not_reached ();
}

static guint
index_of (char name)
{
  for (guint i = 0; i < G_N_ELEMENTS (values); i++)
    if (values[i].name == name)
      return i;
  g_assert_not_reached ();
}

/* Marks what a value is made of, back to what is seen. */
static void
mark (guint value, guint seen, gboolean is_target, gboolean *border, guint *inside)
{
  if (value < FIRST_RESULT || (!is_target && (seen >> value & 1) != 0))
    {
      border[value] = TRUE;
      return;
    }
  *inside |= 1u << value;
  for (const char *read = values[value].reads; *read != '\0'; read++)
    mark (index_of (*read), seen, FALSE, border, inside);
}

static AssayTensor *
make (const AssayGraph *graph, AssayValueId value)
{
  const AssayType *type = assay_graph_value (graph, value)->type;
  float numbers[8];
  gint64 dims[2];

  for (guint i = 0; i < G_N_ELEMENTS (numbers); i++)
    numbers[i] = (float) ((i * 5 + value * 3) % 7) - 3;
  for (int i = 0; i < type->rank; i++)
    dims[i] = type->dims[i].size;

  return assay_tensor_new_f32 ((guint) type->rank, dims, numbers);
}

static gboolean
keep (AssayEvaluator *self, AssayNodeId node, guint output, AssayDatum **datum, gpointer user_data,
      GError **error)
{
  AssayValueId id = assay_graph_node (assay_evaluator_get_graph (self), node)->outputs[output];

  g_hash_table_insert (user_data, GUINT_TO_POINTER (id),
                       assay_datum_to_tensor (*datum, FALSE, NULL));

  return TRUE;
}

/* Every value of the model, by the built-in reference. */
static GHashTable *
compute (AssayGraph *graph)
{
  GHashTable *all = g_hash_table_new_full (NULL, NULL, NULL, (GDestroyNotify) assay_tensor_unref);
  AssayEvaluateOptions options = { .n_threads = 1, .observer = keep, .observer_data = all };
  g_autoptr (AssayEvaluator) evaluator = assay_evaluator_new (graph, &options, NULL);
  g_autoptr (GPtrArray) outputs = NULL;
  AssayDatum *inputs[2];

  for (guint i = 0; i < 2; i++)
    {
      AssayValueId id = find (graph, values[i].name);
      AssayTensor *tensor = make (graph, id);

      inputs[i] = assay_datum_new_tensor (tensor, FALSE, NULL);
      g_hash_table_insert (all, GUINT_TO_POINTER (id), tensor);
    }
  outputs = assay_evaluator_run (evaluator, 2, inputs, NULL, NULL);
  g_assert_nonnull (outputs);
  for (guint i = 0; i < 2; i++)
    assay_datum_unref (inputs[i]);

  return all;
}

/* Each result is looked at, with each set of the others seen. */
static void
test_parts (void)
{
  g_autoptr (AssayGraph) graph = read_text (model);
  g_autoptr (GHashTable) all = compute (graph);

  for (guint target = FIRST_RESULT; target < G_N_ELEMENTS (values); target++)
    for (guint seen = 3; seen < 1u << G_N_ELEMENTS (values); seen += 1u << FIRST_RESULT)
      {
        g_autoptr (GHashTable) visible = g_hash_table_new (NULL, NULL);
        g_autoptr (AssaySubgraph) part = NULL;
        g_autoptr (GArray) listed = NULL;
        g_autoptr (AssayDatum) result = NULL;
        g_autoptr (GError) error = NULL;
        gboolean border[G_N_ELEMENTS (values)] = { FALSE };
        guint inside = 0, n_border = 0, n_listed = 0, work = 0;
        AssayTensor *expected;
        AssayValueId id = find (graph, values[target].name);

        mark (target, seen, TRUE, border, &inside);
        for (guint i = 0; i < G_N_ELEMENTS (values); i++)
          {
            gpointer key = GUINT_TO_POINTER (find (graph, values[i].name));

            n_border += border[i];
            n_listed += border[i] && values[i].name != 't' && values[i].name != 'w';
            work += (inside >> i & 1) != 0 ? values[i].work : 0;
            if ((seen >> i & 1) != 0)
              g_hash_table_insert (visible, key, g_hash_table_lookup (all, key));
          }
        listed = assay_subgraph_list_border (graph, id, visible);
        g_assert_cmpuint (listed->len, ==, n_listed);
        for (guint i = 0; i < listed->len; i++)
          g_assert_true (border[index_of (
              assay_graph_value (graph, g_array_index (listed, AssayValueId, i))->name[0])]);

        part = assay_subgraph_new (graph, id, visible, FALSE, &error);
        g_assert_no_error (error);
        g_assert_cmpuint (part->inputs->len, ==, n_border);
        g_assert_cmpuint (part->work, ==, work);
        for (guint i = 0; i < part->inputs->len; i++)
          {
            const GArray *ids = assay_graph_region (part->graph, ASSAY_MAIN_REGION)->inputs;
            char name =
                assay_graph_value (part->graph, g_array_index (ids, AssayValueId, i))->name[0];
            AssaySubgraphSource source = name == 't' || name == 'w'   ? ASSAY_SUBGRAPH_CONSTANT
                                         : name == 'x' || name == 'y' ? ASSAY_SUBGRAPH_MODEL
                                                                      : ASSAY_SUBGRAPH_SEEN;

            g_assert_true (border[index_of (name)]);
            g_assert_cmpint (assay_subgraph_source (part, i), ==, source);
          }

        expected = g_hash_table_lookup (all, GUINT_TO_POINTER (id));
        result = assay_subgraph_run (part, NULL, FALSE, NULL, NULL, NULL);
        g_assert_nonnull (result);
        for (gsize i = 0; i < result->n; i++)
          {
            double number;

            g_assert_true (assay_tensor_get_element (expected, i, &number, NULL));
            g_assert_cmpfloat (assay_datum_get_number (result, i), ==, number);
          }
      }
}

/* A value that cannot be extracted gives the reason. */
static void
test_refused (void)
{
  g_autoptr (AssayGraph) graph = read_text (model);
  g_autoptr (GHashTable) none = g_hash_table_new (NULL, NULL);
  g_autoptr (GError) error = NULL;

  g_assert_null (assay_subgraph_new (graph, find (graph, 'a'), none, FALSE, &error));
  g_assert_error (error, ASSAY_ERROR, ASSAY_ERROR_UNSUPPORTED);
  g_assert_cmpstr (error->message, ==, "value x was not seen");
}

/* A node without its first output counts as one element. */
static void
test_no_first_output (void)
{
  g_autoptr (AssayGraph) graph = read_text ("main (%x : f32[3,1,2]) {\n"
                                            "  const %w : f32[1,2,2] = [1, 2, 3, 4]\n"
                                            "  const %r : f32[1,2,2] = [1, 2, 3, 4]\n"
                                            "  _, %h = RNN(%x, %w, %r) {hidden_size = 2} @ \"h\"\n"
                                            "  return %h\n}\n");
  g_autoptr (GHashTable)
      seen = g_hash_table_new_full (NULL, NULL, NULL, (GDestroyNotify) assay_tensor_unref);
  const float numbers[6] = { 0 };
  g_autoptr (AssaySubgraph) part = NULL;
  g_autoptr (GError) error = NULL;

  g_hash_table_insert (seen, GUINT_TO_POINTER (find (graph, 'x')),
                       assay_tensor_new_f32 (3, (const gint64[]){ 3, 1, 2 }, numbers));
  part = assay_subgraph_new (graph, find (graph, 'h'), seen, FALSE, &error);
  g_assert_no_error (error);
  g_assert_cmpuint (part->inputs->len, ==, 3);
  /* Two terms of the input and two of the state. */
  g_assert_cmpuint (part->work, ==, 4);
}

TEST_PROGRAM (subgraph)
{
  g_test_init (&argc, &argv, NULL);

  g_test_add_func ("/subgraph/parts", test_parts);
  g_test_add_func ("/subgraph/refused", test_refused);
  g_test_add_func ("/subgraph/no-first-output", test_no_first_output);

  return g_test_run ();
}
