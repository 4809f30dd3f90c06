/* test-import-function.c
 * SPDX-License-Identifier: Apache-2.0
 */
#include <glib.h>
#include <string.h>

#include "nnir/assay-verify.h"

#include "import-fixture.h"
#include "test-program.h"

static GByteArray *
call (const char *function, const char *name, const char *inputs, const char *outputs)
{
  GByteArray *node = onnx_node (function, name, inputs, outputs);

  wire_string (node, NODE_DOMAIN, "local");

  return node;
}

static GByteArray *
function_new (const char *name, const char *input, const char *output)
{
  GByteArray *function = wire_new ();

  wire_string (function, FUNCTION_NAME, name);
  wire_string (function, FUNCTION_DOMAIN, "local");
  wire_string (function, FUNCTION_INPUT, input);
  wire_string (function, FUNCTION_OUTPUT, output);

  return function;
}

static GByteArray *
int_attribute (const char *name, gint64 value)
{
  GByteArray *attribute = wire_new ();

  wire_string (attribute, ATTRIBUTE_NAME, name);
  wire_int (attribute, ATTRIBUTE_I, value);
  wire_int (attribute, ATTRIBUTE_TYPE, 2);

  return attribute;
}

static GByteArray *
reference (const char *name, const char *of_call)
{
  GByteArray *attribute = wire_new ();

  wire_string (attribute, ATTRIBUTE_NAME, name);
  wire_string (attribute, ATTRIBUTE_REF, of_call);
  wire_int (attribute, ATTRIBUTE_TYPE, 2);

  return attribute;
}

static GByteArray *
model_with (GByteArray *graph, guint n, GByteArray **functions)
{
  GByteArray *model;

  wire_message (graph, GRAPH_INPUT, onnx_info ("x", 1, "4"));
  wire_message (graph, GRAPH_OUTPUT, onnx_info ("y", 1, "4"));
  model = onnx_model (graph);
  for (guint i = 0; i < n; i++)
    wire_message (model, MODEL_FUNCTIONS, functions[i]);

  return model;
}

/* Two levels, attributes handed through, and one that has a default. */
static void
test_inline (void)
{
  GByteArray *inner = function_new ("Inner", "a", "b");
  GByteArray *outer = function_new ("Outer", "a", "b");
  GByteArray *graph = wire_new ();
  GByteArray *node;

  node = onnx_node ("Softmax", "soft", "a", "t");
  wire_message (node, NODE_ATTRIBUTE, reference ("axis", "direction"));
  wire_message (inner, FUNCTION_NODE, node);
  wire_message (inner, FUNCTION_NODE, onnx_node ("Relu", "", "t", "b"));
  wire_message (inner, FUNCTION_ATTRIBUTE_PROTO, int_attribute ("direction", 5));

  node = call ("Inner", "first", "a", "m");
  wire_message (node, NODE_ATTRIBUTE, reference ("direction", "axis"));
  wire_message (outer, FUNCTION_NODE, node);
  wire_message (outer, FUNCTION_NODE, call ("Inner", "second", "m", "b"));
  wire_string (outer, FUNCTION_ATTRIBUTE, "axis");

  node = call ("Outer", "blk/call", "x", "y");
  wire_message (node, NODE_ATTRIBUTE, int_attribute ("axis", 3));
  wire_message (graph, GRAPH_NODE, node);

  g_auto (Imported)
      imported = imported_new (model_with (graph, 2, (GByteArray *[]){ inner, outer }),
                               &(AssayImportOptions){ .skip_inference = TRUE });
  const AssayNode *first = imported_node (&imported, "blk/call/first/soft");
  const AssayNode *second = imported_node (&imported, "blk/call/second/soft");
  const AssayNode *last = imported_node (&imported, "blk/call/second/Relu_1");
  const AssayOrigin *body = &g_array_index (imported.graph->origins, AssayOrigin,
                                            second->origins[0]);
  const AssayOrigin *outermost = &g_array_index (imported.graph->origins, AssayOrigin,
                                                 second->origins[1]);

  g_assert_cmpuint (assay_graph_n_nodes (imported.graph), ==, 5);
  g_assert_cmpint (assay_node_get_int (first, "axis"), ==, 3);
  g_assert_cmpint (assay_node_get_int (second, "axis"), ==, 5);
  g_assert_cmpstr (assay_graph_value (imported.graph, last->outputs[0])->name, ==, "y");
  g_assert_cmpstr (g_array_index (imported.graph->scopes, const char *, second->scope), ==,
                   "blk/call/second");
  g_assert_cmpstr (body->path, ==, "functions:local.Inner");
  g_assert_cmpstr (body->name, ==, "soft");
  g_assert_cmpuint (second->n_origins, ==, 2);
  g_assert_cmpstr (outermost->name, ==, "blk/call");
  g_assert_cmpstr (outermost->path, ==, "graph");
  g_assert_true (assay_graph_verify (imported.graph, imported.findings));
  g_assert_cmpuint (assay_findings_count_at (imported.findings, ASSAY_SEVERITY_ERROR), ==, 0);
}

/* What a function hands through still has one node that writes the result of the call. */
static void
test_pass_through (void)
{
  GByteArray *function = function_new ("Same", "a", "a");
  GByteArray *graph = wire_new ();

  wire_message (graph, GRAPH_NODE, call ("Same", "c", "x", "y"));

  g_auto (Imported) imported = imported_new (model_with (graph, 1, &function), NULL);
  const AssayValue *y = imported_value (&imported, "y");

  g_assert_cmpint (assay_graph_node (imported.graph, y->producer)->op, ==, ASSAY_OP_Identity);
  g_assert_true (assay_graph_verify (imported.graph, imported.findings));
}

static void
test_recursion (void)
{
  GByteArray *function = function_new ("Again", "a", "b");
  GByteArray *graph = wire_new ();

  wire_message (function, FUNCTION_NODE, onnx_node ("Relu", "r", "a", "t"));
  wire_message (function, FUNCTION_NODE, call ("Again", "again", "t", "b"));
  wire_message (graph, GRAPH_NODE, call ("Again", "c", "x", "y"));

  g_auto (Imported) imported = imported_new (model_with (graph, 1, &function), NULL);
  const AssayFinding *finding = imported_finding (&imported, "import.function-expansion");
  const AssayNode *opaque = imported_node (&imported, "c/again");

  g_assert_nonnull (finding);
  g_assert_nonnull (strstr (finding->message, "calls itself"));
  g_assert_cmpint (opaque->op, ==, ASSAY_OP_OPAQUE);
  g_assert_cmpstr (opaque->op_type, ==, "Again");
  g_assert_cmpstr (opaque->domain, ==, "local");
}

/* Thirty functions, each calling the one below twice: a billion nodes out of a kilobyte. */
static void
test_explosion (void)
{
  GByteArray *functions[30];
  GByteArray *graph = wire_new ();

  for (guint i = 0; i < G_N_ELEMENTS (functions); i++)
    {
      g_autofree char *name = g_strdup_printf ("F%u", i);
      g_autofree char *below = g_strdup_printf ("F%u", i - 1);

      functions[i] = function_new (name, "a", "b");
      wire_message (functions[i], FUNCTION_NODE,
                    i == 0 ? onnx_node ("Relu", "", "a", "t") : call (below, "", "a", "t"));
      wire_message (functions[i], FUNCTION_NODE,
                    i == 0 ? onnx_node ("Relu", "", "t", "b") : call (below, "", "t", "b"));
    }
  wire_message (graph, GRAPH_NODE, call ("F29", "c", "x", "y"));

  g_auto (Imported)
      imported = imported_new (model_with (graph, G_N_ELEMENTS (functions), functions),
                               &(AssayImportOptions){ .skip_inference = TRUE });
  const AssayFinding *finding = imported_finding (&imported, "import.function-expansion");

  g_assert_nonnull (finding);
  g_assert_nonnull (strstr (finding->message, "far more nodes"));
  g_assert_cmpuint (assay_graph_n_nodes (imported.graph), <, 200000);
}

/* Omitted inputs stay omitted inside, missing outputs are told. */
static void
test_arity (void)
{
  GByteArray *function = function_new ("F", "a", "b");
  GByteArray *graph = wire_new ();

  wire_string (function, FUNCTION_INPUT, "low");
  wire_string (function, FUNCTION_OUTPUT, "never");
  wire_message (function, FUNCTION_NODE, onnx_node ("Clip", "clip", "a low a", "b"));
  wire_message (graph, GRAPH_NODE, call ("F", "c", "x", "y z"));

  g_auto (Imported) imported = imported_new (model_with (graph, 1, &function), NULL);

  g_assert_cmpuint (imported_node (&imported, "c/clip")->inputs[1], ==, ASSAY_NO_VALUE);
  g_assert_cmpint (imported_value (&imported, "z")->kind, ==, ASSAY_VALUE_MISSING);
  g_assert_nonnull (imported_finding (&imported, "import.function-output"));
}

static GByteArray *
graph_attribute (const char *name, GByteArray *graph)
{
  GByteArray *attribute = wire_new ();

  wire_string (attribute, ATTRIBUTE_NAME, name);
  if (graph != NULL)
    wire_message (attribute, ATTRIBUTE_G, graph);
  else
    wire_string (attribute, ATTRIBUTE_REF, "body");
  wire_int (attribute, ATTRIBUTE_TYPE, 5);

  return attribute;
}

/* A graph inside of a function reads what is in the function; one that the call hands in reads what
 * is around the call, even where the names are the same. */
static void
test_closures (void)
{
  GByteArray *function = function_new ("F", "a", "b");
  GByteArray *own = wire_new ();
  GByteArray *handed = wire_new ();
  GByteArray *graph = wire_new ();
  GByteArray *node;

  wire_message (own, GRAPH_NODE, onnx_node ("Neg", "own", "a", "r"));
  wire_message (own, GRAPH_OUTPUT, onnx_info ("r", 1, "4"));
  node = onnx_node ("If", "if", "low", "b");
  wire_message (node, NODE_ATTRIBUTE, graph_attribute ("then_branch", own));
  wire_message (node, NODE_ATTRIBUTE, graph_attribute ("else_branch", NULL));
  wire_message (function, FUNCTION_NODE, node);
  wire_string (function, FUNCTION_INPUT, "low");
  wire_string (function, FUNCTION_ATTRIBUTE, "body");

  wire_message (handed, GRAPH_NODE, onnx_node ("Abs", "handed", "a", "s"));
  wire_message (handed, GRAPH_OUTPUT, onnx_info ("s", 1, "4"));
  node = call ("F", "c", "x test", "y");
  wire_message (node, NODE_ATTRIBUTE, graph_attribute ("body", handed));
  wire_message (graph, GRAPH_NODE, onnx_node ("Relu", "outside", "x", "a"));
  wire_message (graph, GRAPH_NODE, node);
  wire_message (graph, GRAPH_INPUT, onnx_info ("test", 9, "1"));

  g_auto (Imported) imported = imported_new (model_with (graph, 1, &function), NULL);
  const AssayNode *inside = imported_node (&imported, "c/own");
  const AssayNode *given = imported_node (&imported, "handed");

  g_assert_cmpstr (assay_graph_value (imported.graph, inside->inputs[0])->name, ==, "x");
  g_assert_cmpstr (assay_graph_value (imported.graph, given->inputs[0])->name, ==, "a");
  g_assert_cmpuint (given->inputs[0], ==, imported_node (&imported, "outside")->outputs[0]);
  g_assert_cmpuint (given->region, !=, inside->region);
  g_assert_true (assay_graph_verify (imported.graph, imported.findings));
  g_assert_cmpuint (assay_findings_count_at (imported.findings, ASSAY_SEVERITY_ERROR), ==, 0);
}

static void
test_scopes (void)
{
  static const struct
  {
    const char *key;
    const char *value;
    const char *name;
    const char *expected;
  } cases[] = {
    { "pkg.torch.onnx.name_scopes",
      "['', 'encoder', 'encoder.layer.0', 'encoder.layer.0.attn', 'linear_3']", "n",
      "encoder/layer.0/attn" },
    { "namespace",
      ": demo.Model/encoder: demo.Encoder/attn: demo.Attention/linear_3: aten.linear.default", "n",
      "encoder/attn" },
    { "other", "x", "/model/fc/MatMul", "model/fc" },
    { "other", "x", "plain", "" },
    { "pkg.torch.onnx.name_scopes", "", "a/b", "a" },
  };

  for (guint i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      GByteArray *graph = wire_new ();
      GByteArray *node = onnx_node ("Relu", cases[i].name, "x", "y");
      GByteArray *entry = wire_new ();

      wire_string (entry, 1, cases[i].key);
      wire_string (entry, 2, cases[i].value);
      wire_message (node, NODE_METADATA, entry);
      wire_message (graph, GRAPH_NODE, node);

      g_auto (Imported) imported = imported_new (model_with (graph, 0, NULL), NULL);

      g_assert_cmpstr (g_array_index (imported.graph->scopes, const char *,
                                      assay_graph_node (imported.graph, 1)->scope),
                       ==, cases[i].expected);
    }
}

/* A body is written for the opsets of its function: the model is of 17, where Unsqueeze has its
 * axes as an input. */
static void
test_opsets (void)
{
  GByteArray *old = function_new ("Old", "a", "b");
  GByteArray *graph = wire_new ();
  GByteArray *opset = wire_new ();
  GByteArray *axes = wire_new ();
  GByteArray *node = onnx_node ("Unsqueeze", "", "a", "b");

  wire_string (axes, ATTRIBUTE_NAME, "axes");
  wire_int (axes, ATTRIBUTE_INTS, 0);
  wire_int (axes, ATTRIBUTE_TYPE, 7);
  wire_message (node, NODE_ATTRIBUTE, axes);
  wire_message (old, FUNCTION_NODE, node);
  wire_string (opset, 1, "");
  wire_int (opset, 2, 11);
  wire_message (old, FUNCTION_OPSET_IMPORT, opset);
  wire_message (graph, GRAPH_NODE, call ("Old", "", "x", "m"));
  wire_message (graph, GRAPH_NODE, onnx_node ("Relu", "", "m", "y"));

  g_auto (Imported) imported = imported_new (model_with (graph, 1, (GByteArray *[]){ old }), NULL);
  g_autofree char *type = imported_type (&imported, "y");

  g_assert_cmpstr (type, ==, "f32[1,4]");
  g_assert_null (imported_finding (&imported, "import.old-opset"));
}

TEST_PROGRAM (import_function)
{
  g_test_init (&argc, &argv, NULL);

  g_test_add_func ("/import/function/inline", test_inline);
  g_test_add_func ("/import/function/pass-through", test_pass_through);
  g_test_add_func ("/import/function/recursion", test_recursion);
  g_test_add_func ("/import/function/explosion", test_explosion);
  g_test_add_func ("/import/function/arity", test_arity);
  g_test_add_func ("/import/function/opsets", test_opsets);
  g_test_add_func ("/import/function/closures", test_closures);
  g_test_add_func ("/import/scope/sources", test_scopes);

  return g_test_run ();
}
