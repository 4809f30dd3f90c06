/* test-infer.c
 * SPDX-License-Identifier: Apache-2.0
 */
#include <string.h>

#include "nnir/assay-graph-builder.h"
#include "nnir/shape/assay-infer.h"
#include "nnir/assay-scalar.h"
#include "nnir/text/assay-text.h"

#include "test-program.h"
#include "wait.h"

typedef struct
{
  char *name;
  char *inputs;
  GString *body;
  char *types;
  char *value;
  char *findings;
} Case;

static void
case_free (gpointer data)
{
  Case *self = data;

  g_free (self->name);
  g_free (self->inputs);
  g_string_free (self->body, TRUE);
  g_free (self->types);
  g_free (self->value);
  g_free (self->findings);
  g_free (self);
}

static char *
value_to_string (AssayTensor *tensor)
{
  GString *text = g_string_new ("[");

  for (gsize i = 0; i < assay_tensor_get_n_elements (tensor); i++)
    {
      gint64 value;

      g_assert_true (assay_tensor_get_integer (tensor, i, &value, NULL));
      g_string_append_printf (text, "%s%" G_GINT64_FORMAT, i > 0 ? ", " : "", value);
    }
  g_string_append_c (text, ']');

  return g_string_free (text, FALSE);
}

static char *
findings_to_string (AssayFindings *findings)
{
  GString *text = g_string_new (NULL);

  for (guint i = 0; i < assay_findings_get_count (findings); i++)
    {
      const AssayFinding *finding = assay_findings_get (findings, i);

      g_test_message ("%s: %s", finding->rule, finding->message);
      g_string_append_printf (text, "%s%s", i > 0 ? " " : "", finding->rule);
    }

  return g_string_free (text, FALSE);
}

static void
test_case (gconstpointer data)
{
  const Case *self = data;
  g_autofree char *source = g_strdup_printf ("nnir 1\nmain (%s) {\n%s}\n", self->inputs,
                                             self->body->str);
  g_autoptr (AssayFindings) reading = assay_findings_new ();
  g_autoptr (AssayFindings) findings = assay_findings_new ();
  g_autoptr (GString) types = g_string_new (NULL);
  g_autoptr (AssayGraph) graph = NULL;
  g_autoptr (GError) error = NULL;
  g_autofree char *found = NULL;
  AssayTensor *constant = NULL;
  const AssayNode *node = NULL;
  const GArray *nodes;

  graph = assay_graph_from_text (source, -1, reading, &error);
  g_assert_no_error (error);
  g_assert_true (assay_graph_infer (graph, findings, NULL, &error));
  g_assert_no_error (error);

  nodes = assay_graph_region (graph, ASSAY_MAIN_REGION)->nodes;
  node = assay_graph_node (graph, g_array_index (nodes, AssayNodeId, nodes->len - 1));

  /* A node out of order is not the last one that the test names. */
  if (g_str_has_prefix (self->name, "hostile/order"))
    node = assay_graph_node (graph, g_array_index (nodes, AssayNodeId, 0));

  for (guint i = 0; i < node->n_outputs; i++)
    {
      g_autofree char *type = assay_type_to_string (
          assay_graph_value (graph, node->outputs[i])->type);

      g_string_append_printf (types, "%s%s", i > 0 ? "; " : "", type);
    }
  g_assert_cmpstr (types->str, ==, self->types);

  found = findings_to_string (findings);
  g_assert_cmpstr (found, ==, self->findings == NULL ? "" : self->findings);

  constant = assay_graph_constant (graph, node->outputs[0]);
  if (self->value != NULL)
    {
      g_autofree char *value = NULL;

      g_assert_nonnull (constant);
      value = value_to_string (constant);
      g_assert_cmpstr (value, ==, self->value);
    }
  else if (g_str_has_prefix (self->name, "fold/"))
    {
      g_assert_null (constant);
    }
}

static void
add_cases (GPtrArray *cases)
{
  g_autofree char *path = g_test_build_filename (G_TEST_DIST, "data", "infer", "rules.txt", NULL);
  g_autoptr (GError) error = NULL;
  g_autofree char *text = NULL;
  g_auto (GStrv) lines = NULL;
  Case *current = NULL;

  g_file_get_contents (path, &text, NULL, &error);
  g_assert_no_error (error);
  lines = g_strsplit (text, "\n", -1);

  for (guint i = 0; lines[i] != NULL; i++)
    {
      const char *line = lines[i];

      if (line[0] == '#' || line[0] == '\0')
        continue;

      if (line[0] != ' ')
        {
          current = g_new0 (Case, 1);
          current->name = g_strdup (line);
          current->body = g_string_new (NULL);
          g_ptr_array_add (cases, current);
        }
      else if (g_str_has_prefix (line, "  in "))
        current->inputs = g_strdup (line + strlen ("  in "));
      else if (g_str_has_prefix (line, "  => "))
        current->types = g_strdup (line + strlen ("  => "));
      else if (g_str_has_prefix (line, "  == "))
        current->value = g_strdup (line + strlen ("  == "));
      else if (g_str_has_prefix (line, "  !! "))
        current->findings = g_strdup (line + strlen ("  !! "));
      else
        g_string_append_printf (current->body, "%s\n", line);
    }

  for (guint i = 0; i < cases->len; i++)
    {
      const Case *c = g_ptr_array_index (cases, i);
      g_autofree char *test = g_strdup_printf ("/infer/%s", c->name);

      g_assert_nonnull (c->types);
      g_test_add_data_func (test, c, test_case);
    }
}

static AssayScalar
symbol (AssayArena *arena, const char *text)
{
  return (AssayScalar){ ASSAY_SCALAR_SYMBOL, { .symbol = assay_symbol_normalize (arena, text) } };
}

#define assert_symbol(scalar, text)                                                                \
  G_STMT_START                                                                                     \
  {                                                                                                \
    AssayScalar s_ = (scalar);                                                                     \
    g_assert_cmpint (s_.kind, ==, ASSAY_SCALAR_SYMBOL);                                            \
    g_assert_cmpstr (s_.u.symbol, ==, (text));                                                     \
  }                                                                                                \
  G_STMT_END

/* Expressions that are equal are equal strings. */
static void
test_symbols_canonical (void)
{
  static const char *const same[][2] = {
    { "1 + seq", "seq+1" },
    { "b*a", "a*b" },
    { "a + b - a", "b" },
    { "2*(a+1)", "2*a+2" },
    { "floor((4*a+6)/4)", "a+1" },
    { "floor((2*a+3)/4)", "floor((a+1)/2)" },
    { "ceil(a/2)", "floor((a+1)/2)" },
    { "floor((floor((a-1)/2)+1-1)/2)", "floor((a+3)/4)-1" },
    { "max(a+2, a)", "a+2" },
    { "min(b, a)", "min(a,b)" },
    { "mod(3*a+7,3)", "mod(3*a+7,3)" },
    { "batch size", "batch size" },
    { "a b + 1", "a b + 1" },
    { "2 * \"a b\" + 1", "2*\"a b\"+1" },
    { "5", "5" },
    { "a + ", "a + " },
    { "((((((((((a))))))))))", "((((((((((a))))))))))" },
  };
  g_autoptr (AssayArena) arena = assay_arena_new ();

  for (guint i = 0; i < G_N_ELEMENTS (same); i++)
    g_assert_cmpstr (assay_symbol_normalize (arena, same[i][0]), ==, same[i][1]);
}

static void
test_symbols_arithmetic (void)
{
  g_autoptr (AssayArena) arena = assay_arena_new ();
  AssayScalar a = symbol (arena, "a");
  AssayScalar b = symbol (arena, "b");
  AssayScalar three = assay_scalar_int (3);
  AssayScalar sum = assay_scalar_add (arena, a, b);
  AssayScalar product = assay_scalar_mul (arena, sum, sum);
  int sign;

  assert_symbol (sum, "a+b");
  assert_symbol (product, "a*a+2*a*b+b*b");
  assert_symbol (assay_scalar_floor_div (arena, assay_scalar_mul (arena, a, b), a), "b");
  assert_symbol (assay_scalar_floor_div (arena, sum, three), "floor((a+b)/3)");
  assert_symbol (assay_scalar_mod (arena, sum, three), "mod((a+b),3)");
  g_assert_cmpint (assay_scalar_sub (arena, sum, sum).kind, ==, ASSAY_SCALAR_INT);
  g_assert_cmpint (assay_scalar_floor_div (arena, a, assay_scalar_int (0)).kind, ==,
                   ASSAY_SCALAR_UNKNOWN);
  g_assert_cmpint (
      assay_scalar_mod (arena, assay_scalar_int (G_MININT64), assay_scalar_int (-1)).u.i, ==, 0);

  g_assert_true (assay_scalar_compare (arena, assay_scalar_add (arena, a, three), a, &sign));
  g_assert_cmpint (sign, ==, 1);
  g_assert_true (assay_scalar_compare (arena, a, assay_scalar_int (-1), &sign));
  g_assert_cmpint (sign, ==, 1);
  g_assert_false (assay_scalar_compare (arena, a, b, &sign));
  g_assert_false (assay_scalar_compare (arena, a, assay_scalar_int (1), &sign));
  g_assert_true (assay_scalar_differ (arena, assay_scalar_add (arena, a, three), a));
  g_assert_false (assay_scalar_is_non_negative (arena, assay_scalar_sub (arena, a, three)));

  /* What grows too long or too large is unknown, not wrong. */
  for (guint i = 0; i < 10; i++)
    product = assay_scalar_mul (arena, product, product);
  g_assert_cmpint (product.kind, ==, ASSAY_SCALAR_UNKNOWN);
  g_assert_cmpint (
      assay_scalar_mul (arena, assay_scalar_mul (arena, a, assay_scalar_int (G_MAXINT64)), three)
          .kind,
      ==, ASSAY_SCALAR_UNKNOWN);
}

/* A long chain takes time in proportion to its length. */
static void
test_speed (void)
{
  g_autoptr (AssayGraph) graph = assay_graph_new ();
  AssayDim dims[4] = { { -1, "batch" }, { 8, NULL }, { -1, "h" }, { 32, NULL } };
  gint64 weight_dims[4] = { 8, 8, 3, 3 };
  gint64 pads[4] = { 1, 1, 1, 1 };
  g_autofree float *weights = g_new0 (float, 8 * 8 * 9);
  g_autoptr (AssayTensor) tensor = assay_tensor_new_f32 (4, weight_dims, weights);
  AssayValueId inputs[2];
  gint64 begin;
  double seconds;

  inputs[0] = assay_graph_add_input (
      graph, ASSAY_MAIN_REGION, "x",
      assay_type_new_tensor (graph->arena, ASSAY_DTYPE_F32, 4, dims));
  inputs[1] = assay_graph_add_constant (graph, ASSAY_MAIN_REGION, "w", tensor);
  for (guint i = 0; i < 50000; i++)
    {
      g_autofree char *name = g_strdup_printf ("node_%u", i);
      AssayValueId output = assay_graph_add_value (graph, ASSAY_MAIN_REGION, ASSAY_VALUE_RESULT,
                                                   name, NULL);
      AssayOp op = i % 2 == 0 ? ASSAY_OP_Conv : ASSAY_OP_Relu;
      AssayNodeId node = assay_graph_add_node (graph, ASSAY_MAIN_REGION, op, name,
                                               op == ASSAY_OP_Conv ? 2 : 1, inputs, 1, &output);

      if (op == ASSAY_OP_Conv)
        assay_graph_set_ints (graph, node, "pads", 4, pads);
      inputs[0] = output;
    }

  begin = wait_work ();
  g_assert_true (assay_graph_infer (graph, NULL, NULL, NULL));
  seconds = (double) (wait_work () - begin) / G_USEC_PER_SEC;
  g_test_message ("50,000 nodes with symbols inferred in %.3f s", seconds);

  g_assert_cmpstr (assay_graph_value (graph, inputs[0])->type->dims[2].symbol, ==, "h");
  g_assert_cmpint (assay_graph_value (graph, inputs[0])->type->dims[3].size, ==, 32);
  g_assert_cmpfloat (seconds, <, 2.0);
}

/* Loops in loops, each of which grows what it carries, take no more than a few sweeps of
 * everything. */
static void
test_nested_loops (void)
{
  g_autoptr (GString)
      text = g_string_new ("nnir 1\nmain (%x0 : f32[1,1], %t : i64[], %c : bool[]) {\n");
  g_autoptr (AssayGraph) graph = NULL;
  g_autoptr (GError) error = NULL;
  const AssayRegion *main_region;
  const guint depth = 24;
  gint64 begin;

  for (guint i = 0; i < depth; i++)
    g_string_append_printf (
        text,
        "%%y%u = Loop(%%t, %%c, %%x%u) {body = region \"\" (%%i%u : i64[], %%c%u : bool[], "
        "%%x%u : ?) {\n",
        i, i, i + 1, i + 1, i + 1);
  g_string_append_printf (text, "%%d = Concat(%%x%u, %%x%u) {axis = 0} : ?\nreturn %%c, %%d\n",
                          depth, depth);
  for (guint i = depth; i-- > 0;)
    {
      g_string_append (text, "}} : ?\n");
      if (i > 0)
        g_string_append_printf (
            text, "%%z%u = Concat(%%y%u, %%y%u) {axis = 1} : ?\nreturn %%c, %%z%u\n", i, i, i, i);
    }
  g_string_append (text, "return %y0\n}\n");

  graph = assay_graph_from_text (text->str, -1, NULL, &error);
  g_assert_no_error (error);
  begin = wait_work ();
  g_assert_true (assay_graph_infer (graph, NULL, NULL, NULL));
  g_assert_cmpint (wait_work () - begin, <, 2 * G_USEC_PER_SEC);

  main_region = assay_graph_region (graph, ASSAY_MAIN_REGION);
  g_assert_cmpint (
      assay_graph_value (graph, g_array_index (main_region->outputs, AssayValueId, 0))->type->dtype,
      ==, ASSAY_DTYPE_F32);
}

static void
test_cancelled (void)
{
  g_autoptr (AssayGraph) graph = assay_graph_new ();
  g_autoptr (GCancellable) cancellable = g_cancellable_new ();
  g_autoptr (GError) error = NULL;
  AssayProgress progress = ASSAY_PROGRESS_INIT (NULL, NULL, cancellable);

  g_cancellable_cancel (cancellable);
  g_assert_false (assay_graph_infer (graph, NULL, &progress, &error));
  g_assert_nonnull (error);
}

TEST_PROGRAM (infer)
{
  g_autoptr (GPtrArray) cases = g_ptr_array_new_with_free_func (case_free);

  g_test_init (&argc, &argv, NULL);
  add_cases (cases);
  g_test_add_func ("/infer/symbols/canonical", test_symbols_canonical);
  g_test_add_func ("/infer/symbols/arithmetic", test_symbols_arithmetic);
  g_test_add_func ("/infer/run/speed", test_speed);
  g_test_add_func ("/infer/run/nested-loops", test_nested_loops);
  g_test_add_func ("/infer/run/cancelled", test_cancelled);

  return g_test_run ();
}
