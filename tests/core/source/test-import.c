/* test-import.c
 * SPDX-License-Identifier: Apache-2.0
 */
#include <glib.h>
#include <string.h>

#include "base/assay-error.h"
#include "nnir/assay-verify.h"

#include "import-fixture.h"
#include "test-program.h"

#define TESTDATA "/usr/share/libonnx-testdata/data"

static const char *const testdata_folders[] = { "node", "simple", "pytorch-operator",
                                                "pytorch-converted" };

/* Every model of the ONNX backend tests opens without an error finding, and is good NNIR. */
static void
test_testdata (gconstpointer data)
{
  g_autofree char *folder = g_build_filename (TESTDATA, data, NULL);
  g_autoptr (GDir) dir = g_dir_open (folder, 0, NULL);
  const char *name;
  guint n = 0;

  if (dir == NULL)
    {
      g_test_skip ("libonnx-testdata is not installed");
      return;
    }

  while ((name = g_dir_read_name (dir)) != NULL)
    {
      g_autofree char *path = g_build_filename (folder, name, "model.onnx", NULL);
      g_autoptr (AssayFindings) findings = assay_findings_new ();
      g_autoptr (AssayGraph) graph = NULL;
      g_autoptr (GError) error = NULL;

      if (!g_file_test (path, G_FILE_TEST_EXISTS))
        continue;

      graph = assay_model_read (path, NULL, findings, NULL, &error);
      g_assert_no_error (error);
      g_assert_nonnull (graph);
      g_assert_cmpuint (assay_graph_n_nodes (graph), >, 1);

      for (guint i = 0; i < assay_findings_get_count (findings); i++)
        {
          const AssayFinding *finding = assay_findings_get (findings, i);

          if (finding->severity == ASSAY_SEVERITY_ERROR &&
              g_str_has_prefix (finding->rule, "import."))
            g_error ("%s: %s: %s", path, finding->rule, finding->message);
        }
      g_assert_true (assay_graph_verify (graph, findings));
      n++;
    }

  g_test_message ("%u models", n);
  g_assert_cmpuint (n, >, 0);
}

static void
test_nodes (void)
{
  GByteArray *graph = wire_new ();

  wire_message (graph, GRAPH_INPUT, onnx_info ("x", 1, "n,3"));
  wire_message (graph, GRAPH_OUTPUT, onnx_info ("y", 1, "n,3"));
  wire_message (graph, GRAPH_NODE, onnx_node ("Clip", "a/b/clip", "x - x", "h"));
  wire_message (graph, GRAPH_NODE, onnx_node ("Relu", "", "h", "i"));
  wire_message (graph, GRAPH_NODE, onnx_node ("Relu", "/a/c/relu", "i", "y"));

  g_auto (Imported)
      imported = imported_new (onnx_model (graph), &(AssayImportOptions){ .skip_inference = TRUE });
  const AssayNode *clip = imported_node (&imported, "a/b/clip");
  const AssayNode *relu = imported_node (&imported, "/a/c/relu");
  const AssayOrigin *origin = &g_array_index (imported.graph->origins, AssayOrigin,
                                              relu->origins[0]);
  g_autofree char *type = imported_type (&imported, "y");

  g_assert_cmpint (clip->op, ==, ASSAY_OP_Clip);
  g_assert_cmpuint (clip->n_inputs, ==, 3);
  g_assert_cmpuint (clip->inputs[1], ==, ASSAY_NO_VALUE);
  g_assert_cmpuint (clip->inputs[2], ==, clip->inputs[0]);
  g_assert_cmpint (imported_node (&imported, "Relu_1")->op, ==, ASSAY_OP_Relu);
  g_assert_cmpstr (g_array_index (imported.graph->scopes, const char *, clip->scope), ==, "a/b");
  g_assert_cmpstr (g_array_index (imported.graph->scopes, const char *, relu->scope), ==, "a/c");
  g_assert_cmpstr (origin->path, ==, "graph");
  g_assert_cmpuint (origin->index, ==, 2);
  g_assert_cmpstr (type, ==, "f32[n,3]");
  g_assert_cmpuint (imported.graph->regions->len, ==, 1);
}

static GByteArray *
graph_with_branch (GByteArray *inner)
{
  GByteArray *graph = wire_new ();
  GByteArray *node = onnx_node ("If", "choose", "c", "y");
  GByteArray *attribute = wire_new ();

  wire_string (attribute, ATTRIBUTE_NAME, "then_branch");
  wire_message (attribute, ATTRIBUTE_G, inner);
  wire_int (attribute, ATTRIBUTE_TYPE, 5);
  wire_message (node, NODE_ATTRIBUTE, attribute);
  wire_message (graph, GRAPH_INPUT, onnx_info ("c", 9, "1"));
  wire_message (graph, GRAPH_INPUT, onnx_info ("x", 1, "4"));
  wire_message (graph, GRAPH_NODE, node);
  wire_message (graph, GRAPH_OUTPUT, onnx_info ("y", 1, "4"));

  return graph;
}

static void
test_regions (void)
{
  GByteArray *inner = wire_new ();

  wire_message (inner, GRAPH_NODE, onnx_node ("Relu", "inside", "x", "z"));
  wire_message (inner, GRAPH_NODE, onnx_node ("Add", "lost", "z nowhere", "w"));
  wire_message (inner, GRAPH_OUTPUT, onnx_info ("w", 1, "4"));

  g_auto (Imported) imported = imported_new (onnx_model (graph_with_branch (inner)), NULL);
  const AssayNode *inside = imported_node (&imported, "inside");
  const AssayFinding *missing = imported_finding (&imported, "import.missing-value");
  const AssayRegion *region = assay_graph_region (imported.graph, inside->region);

  g_assert_cmpuint (inside->region, !=, ASSAY_MAIN_REGION);
  g_assert_cmpstr (region->attribute, ==, "then_branch");
  g_assert_cmpstr (assay_graph_node (imported.graph, region->parent)->name, ==, "choose");

  /* A value from around is read by its id. */
  g_assert_cmpuint (
      inside->inputs[0], ==,
      g_array_index (assay_graph_region (imported.graph, 0)->inputs, AssayValueId, 1));

  g_assert_nonnull (missing);
  g_assert_cmpstr (missing->graph_path, ==, "graph/node[0]:If/then_branch");
  g_assert_cmpstr (missing->node, ==, "lost");
  g_assert_nonnull (strstr (missing->message, "\"nowhere\""));
  g_assert_cmpint (imported_value (&imported, "nowhere")->kind, ==, ASSAY_VALUE_MISSING);
}

/* What stands in the wrong order is put right, a node around depends on what its graph reads; a
 * cycle is told. */
static void
test_order (void)
{
  GByteArray *inner = wire_new ();
  GByteArray *graph;

  wire_message (inner, GRAPH_NODE, onnx_node ("Neg", "inside", "late", "z"));
  wire_message (inner, GRAPH_OUTPUT, onnx_info ("z", 1, "4"));
  graph = graph_with_branch (inner);
  wire_message (graph, GRAPH_NODE, onnx_node ("Relu", "second", "early", "late"));
  wire_message (graph, GRAPH_NODE, onnx_node ("Relu", "first", "x", "early"));

  g_auto (Imported) imported = imported_new (onnx_model (graph), NULL);
  const GArray *nodes = assay_graph_region (imported.graph, 0)->nodes;
  static const char *const expected[] = { "first", "second", "choose" };

  g_assert_cmpuint (nodes->len, ==, 3);
  for (guint i = 0; i < 3; i++)
    g_assert_cmpstr (assay_graph_node (imported.graph, g_array_index (nodes, AssayNodeId, i))->name,
                     ==, expected[i]);
  g_assert_nonnull (imported_finding (&imported, "import.order"));
  g_assert_null (imported_finding (&imported, "import.cycle"));
  g_assert_true (assay_graph_verify (imported.graph, imported.findings));
}

static void
test_cycle (void)
{
  GByteArray *graph = wire_new ();

  wire_message (graph, GRAPH_NODE, onnx_node ("Relu", "p", "b", "a"));
  wire_message (graph, GRAPH_NODE, onnx_node ("Relu", "q", "a", "b"));
  wire_message (graph, GRAPH_NODE, onnx_node ("Relu", "self", "c", "c"));
  wire_message (graph, GRAPH_OUTPUT, onnx_info ("b", 1, "4"));

  g_auto (Imported)
      imported = imported_new (onnx_model (graph), &(AssayImportOptions){ .skip_inference = TRUE });
  const AssayFinding *cycle = imported_finding (&imported, "import.cycle");

  g_assert_nonnull (cycle);
  g_assert_nonnull (strstr (cycle->message, "\"p\""));
  g_assert_nonnull (strstr (cycle->message, "\"q\""));
  g_assert_cmpuint (assay_graph_region (imported.graph, 0)->nodes->len, ==, 3);
}

static void
test_names (void)
{
  GByteArray *graph = wire_new ();

  wire_message (graph, GRAPH_INPUT, onnx_info ("x", 1, "4"));
  wire_message (graph, GRAPH_NODE, onnx_node ("Relu", "same", "x", "a"));
  wire_message (graph, GRAPH_NODE, onnx_node ("Relu", "same", "x", "a"));
  wire_message (graph, GRAPH_NODE, onnx_node ("Relu", "caf\xe9", "a", "b"));
  wire_message (graph, GRAPH_OUTPUT, onnx_info ("b", 1, "4"));

  g_auto (Imported) imported = imported_new (onnx_model (graph), NULL);

  g_assert_cmpint (imported_finding (&imported, "import.duplicate-name")->severity, ==,
                   ASSAY_SEVERITY_NOTE);
  g_assert_cmpint (imported_finding (&imported, "import.duplicate-output")->severity, ==,
                   ASSAY_SEVERITY_ERROR);
  g_assert_nonnull (imported_finding (&imported, "import.unused-node"));
  g_assert_cmpuint (imported_node (&imported, "same_2")->n_outputs, ==, 1);
  g_assert_cmpuint (imported_node (&imported, "caf\xef\xbf\xbd")->inputs[0], ==,
                    imported_node (&imported, "same")->outputs[0]);
}

/* An initializer that is listed as an input is its default and no input of the model for its users.
 */
static void
test_parameters (void)
{
  GByteArray *graph = wire_new ();
  GByteArray *weight = onnx_tensor ("w", 1, 1, (const gint64[]){ 2 });

  wire_bytes (weight, TENSOR_RAW_DATA, (const float[]){ 1.0f, 2.0f }, 8);
  wire_message (graph, GRAPH_INPUT, onnx_info ("w", 1, "2"));
  wire_message (graph, GRAPH_INPUT, onnx_info ("x", 1, "2"));
  wire_message (graph, GRAPH_INITIALIZER, weight);
  wire_message (graph, GRAPH_NODE, onnx_node ("Add", "add", "x w", "y"));
  wire_message (graph, GRAPH_OUTPUT, onnx_info ("y", 1, "2"));

  g_autoptr (AssaySettings) settings = NULL;
  AssayImportOptions options = { 0 };

  assay_settings_set_shape (&settings, 0, "2", NULL);
  options.settings = settings;

  g_auto (Imported) imported = imported_new (onnx_model (graph), &options);
  const AssayValue *value = imported_value (&imported, "w");

  g_assert_cmpint (value->kind, ==, ASSAY_VALUE_INPUT);
  g_assert_true (value->is_parameter);
  g_assert_cmpuint (assay_tensor_get_n_elements (value->constant), ==, 2);
}

static GByteArray *
symbolic_model (void)
{
  GByteArray *graph = wire_new ();

  wire_message (graph, GRAPH_INPUT, onnx_info ("x:0", 1, "batch,seq,8"));
  wire_message (graph, GRAPH_INPUT, onnx_info ("m", 1, "batch,?"));
  wire_message (graph, GRAPH_NODE, onnx_node ("Custom", "c", "x:0 m", "y"));
  wire_message (graph, GRAPH_VALUE_INFO, onnx_info ("y", 1, "batch,seq"));
  wire_message (graph, GRAPH_OUTPUT, onnx_info ("y", 1, "batch,seq"));

  return onnx_model (graph);
}

static const struct
{
  const char *name;
  const char *shapes[4];
  const char *bindings[4];
  const char *x;
  const char *m;
  const char *y;
} shape_cases[] = {
  { "none", { NULL }, { NULL }, "f32[batch,seq,8]", "f32[batch,?]", "f32[batch,seq]" },
  { "symbol", { NULL }, { "batch=2" }, "f32[2,seq,8]", "f32[2,?]", "f32[2,seq]" },
  { "axis", { NULL }, { "m:1=5", "x:0:1=7" }, "f32[batch,7,8]", "f32[batch,5]", "f32[batch,7]" },
  { "override", { "3,?,", "3,4" }, { NULL }, "f32[3,seq,8]", "f32[3,4]", "f32[3,seq]" },
  { "disagree", { "3,,", "4," }, { NULL }, "f32[3,seq,8]", "f32[4,?]", "f32[batch,seq]" },
  { "fixed extent", { "1,2,9", "" }, { NULL }, "f32[1,2,9]", "f32[1,?]", "f32[*]" },
};

static AssaySettings *
new_settings (const char *const *shapes, const char *const *bindings)
{
  AssaySettings *settings = assay_settings_new ();

  assay_settings_set_list (&settings, ASSAY_SETTING_SHAPES, shapes);
  assay_settings_set_list (&settings, ASSAY_SETTING_BIND, bindings);

  return settings;
}

static void
test_shapes (void)
{
  for (guint i = 0; i < G_N_ELEMENTS (shape_cases); i++)
    {
      g_autoptr (AssaySettings)
          settings = new_settings (shape_cases[i].shapes, shape_cases[i].bindings);
      AssayImportOptions options = { .settings = settings, .skip_inference = TRUE };
      g_auto (Imported) imported = imported_new (symbolic_model (), &options);
      g_autofree char *x = imported_type (&imported, "x:0");
      g_autofree char *m = imported_type (&imported, "m");
      g_autofree char *y = imported_type (&imported, "y");

      g_test_message ("%s", shape_cases[i].name);
      g_assert_cmpstr (x, ==, shape_cases[i].x);
      g_assert_cmpstr (m, ==, shape_cases[i].m);
      g_assert_cmpstr (y, ==, shape_cases[i].y);
    }
}

static void
test_shape_errors (void)
{
  static const struct
  {
    const char *shapes[3];
    const char *bindings[2];
    const char *expected;
  } cases[] = {
    { { "1,2,3" },
      { NULL },
      "1 shape for 2 inputs; the inputs are \"x:0\" f32[batch,seq,8], \"m\"" },
    { { "1,2", "" }, { NULL }, "does not fit input \"x:0\"" },
    { { "1,-2,3", "" }, { NULL }, "\"-2\" is no size" },
    { { NULL }, { "bach=1" }, "the symbols are \"batch\", \"seq\"" },
    { { NULL }, { "batch" }, "expected NAME=SIZE" },
    { { NULL }, { "m:2=1" }, "has no axis \"2\"" },
    { { NULL }, { "batch=99999999999999999999" }, "expected NAME=SIZE" },
  };

  for (guint i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      g_autoptr (AssaySettings) settings = new_settings (cases[i].shapes, cases[i].bindings);
      AssayImportOptions options = { .settings = settings };
      g_autoptr (GBytes) bytes = g_byte_array_free_to_bytes (symbolic_model ());
      g_autoptr (GError) error = NULL;

      g_assert_null (assay_model_read_bytes (bytes, NULL, &options, NULL, NULL, &error));
      g_assert_error (error, ASSAY_ERROR, ASSAY_ERROR_INVALID);
      g_assert_nonnull (strstr (error->message, cases[i].expected));
    }
}

static void
test_ignore_value_info (void)
{
  g_auto (Imported) imported = imported_new (symbolic_model (),
                                             &(AssayImportOptions){ .ignore_value_info = TRUE });
  g_autofree char *x = imported_type (&imported, "x:0");
  g_autofree char *y = imported_type (&imported, "y");

  g_assert_cmpstr (x, ==, "f32[batch,seq,8]");
  g_assert_cmpstr (y, ==, "?");
}

static GByteArray *
wrap (GByteArray *inner, guint inner_field, guint outer_field)
{
  GByteArray *holder = wire_new ();
  GByteArray *type = wire_new ();

  if (inner_field == 2)
    wire_int (holder, 1, 7);
  wire_message (holder, inner_field, inner);
  wire_message (type, outer_field, holder);

  return type;
}

static GByteArray *
tensor_type (guint field)
{
  GByteArray *tensor = wire_new ();
  GByteArray *type = wire_new ();

  wire_int (tensor, 1, 1);
  wire_message (type, field, tensor);

  return type;
}

/* Sequence 4, map 5, opaque 7, sparse tensor 8, optional 9: fields of TypeProto in the ONNX IR
 * specification. */
static void
test_types (void)
{
  GByteArray *types[] = {
    tensor_type (1),
    tensor_type (8),
    wrap (tensor_type (1), 1, 4),
    wrap (wrap (tensor_type (1), 1, 4), 1, 9),
    wrap (tensor_type (1), 2, 5),
    tensor_type (7),
    wire_new (),
  };
  static const char *const expected[] = {
    "f32[*]", "sparse<f32[*]>", "seq<f32[*]>", "opt<seq<f32[*]>>", "map<i64,f32[*]>", "opaque", "?",
  };
  GByteArray *graph = wire_new ();

  /* An opaque type has strings where others have a number. */
  g_byte_array_set_size (types[5], 0);
  wire_bytes (types[5], 7, NULL, 0);

  for (guint i = 0; i < G_N_ELEMENTS (types); i++)
    {
      GByteArray *info = wire_new ();
      g_autofree char *name = g_strdup_printf ("x%u", i);

      wire_string (info, 1, name);
      wire_message (info, 2, types[i]);
      wire_message (graph, GRAPH_INPUT, info);
    }

  g_auto (Imported)
      imported = imported_new (onnx_model (graph), &(AssayImportOptions){ .skip_inference = TRUE });

  for (guint i = 0; i < G_N_ELEMENTS (types); i++)
    {
      g_autofree char *name = g_strdup_printf ("x%u", i);
      g_autofree char *type = imported_type (&imported, name);

      g_assert_cmpstr (type, ==, expected[i]);
    }
  g_assert_nonnull (imported_finding (&imported, "import.unused-input"));
}

/* An attribute of the wrong kind, one of no kind, one twice, and a reference outside of functions.
 */
static void
test_attributes (void)
{
  static const struct
  {
    const char *name;
    guint field; /* 0: a reference; 2: a float */
    int type;
    const char *rule;
  } cases[] = {
    { "axis", ATTRIBUTE_F, 1, "infer.attribute" },
    { "axis", ATTRIBUTE_I, 77, "import.attribute-type" },
    { "twice", ATTRIBUTE_I, 2, "import.duplicate-attribute" },
    { "axis", ATTRIBUTE_REF, 2, "import.attribute-reference" },
  };

  for (guint i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      GByteArray *graph = wire_new ();
      GByteArray *node = onnx_node ("Softmax", "soft", "x", "y");

      for (guint j = 0; j < (strcmp (cases[i].name, "twice") == 0 ? 2 : 1); j++)
        {
          GByteArray *attribute = wire_new ();

          wire_string (attribute, ATTRIBUTE_NAME, cases[i].name);
          if (cases[i].field == ATTRIBUTE_F)
            wire_float (attribute, ATTRIBUTE_F, 1.0f);
          else if (cases[i].field == ATTRIBUTE_REF)
            wire_string (attribute, ATTRIBUTE_REF, "outer");
          else
            wire_int (attribute, ATTRIBUTE_I, 1);
          wire_int (attribute, ATTRIBUTE_TYPE, cases[i].type);
          wire_message (node, NODE_ATTRIBUTE, attribute);
        }
      wire_message (graph, GRAPH_INPUT, onnx_info ("x", 1, "4"));
      wire_message (graph, GRAPH_NODE, node);
      wire_message (graph, GRAPH_OUTPUT, onnx_info ("y", 1, "4"));

      g_auto (Imported) imported = imported_new (onnx_model (graph), NULL);
      const AssayFinding *finding = imported_finding (&imported, cases[i].rule);

      g_assert_nonnull (finding);
      g_assert_cmpint (finding->severity, ==, ASSAY_SEVERITY_ERROR);
      g_assert_cmpstr (finding->graph_path, ==, "graph");
      g_assert_cmpstr (finding->node, ==, "soft");
      g_assert_cmpstr (finding->attribute, ==, cases[i].name);
    }
}

/* The first of several attributes with one name is used; those with other names stay. */
static void
test_attributes_twice (void)
{
  static const struct
  {
    const char *name;
    int value;
  } given[] = { { "first", 1 },  { "twice", 2 }, { "twice", 3 },
                { "middle", 4 }, { "twice", 5 }, { "last", 6 } };
  static const int expected[] = { 0, 1, 3, 5 };
  GByteArray *graph = wire_new ();
  GByteArray *node = onnx_node ("Softmax", "soft", "x", "y");

  for (guint i = 0; i < G_N_ELEMENTS (given); i++)
    {
      GByteArray *attribute = wire_new ();

      wire_string (attribute, ATTRIBUTE_NAME, given[i].name);
      wire_int (attribute, ATTRIBUTE_I, (guint64) given[i].value);
      wire_int (attribute, ATTRIBUTE_TYPE, 2);
      wire_message (node, NODE_ATTRIBUTE, attribute);
    }
  wire_message (graph, GRAPH_INPUT, onnx_info ("x", 1, "4"));
  wire_message (graph, GRAPH_NODE, node);
  wire_message (graph, GRAPH_OUTPUT, onnx_info ("y", 1, "4"));

  g_auto (Imported) imported = imported_new (onnx_model (graph), NULL);
  const AssayNode *soft = imported_node (&imported, "soft");

  g_assert_cmpuint (soft->n_attrs, ==, G_N_ELEMENTS (expected));
  for (guint i = 0; i < G_N_ELEMENTS (expected); i++)
    {
      g_assert_cmpstr (soft->attrs[i].name, ==, given[expected[i]].name);
      g_assert_cmpint (soft->attrs[i].u.i, ==, given[expected[i]].value);
    }
}

/* What an operator of another domain is stays with the node. */
static void
test_opaque (void)
{
  GByteArray *graph = wire_new ();
  GByteArray *node = onnx_node ("Relu", "theirs", "x", "y");
  GByteArray *attribute = wire_new ();

  wire_string (node, NODE_DOMAIN, "com.example");
  wire_string (attribute, ATTRIBUTE_NAME, "alpha");
  wire_int (attribute, ATTRIBUTE_I, 7);
  wire_message (node, NODE_ATTRIBUTE, attribute);
  wire_message (graph, GRAPH_INPUT, onnx_info ("x", 1, "4"));
  wire_message (graph, GRAPH_NODE, node);
  wire_message (graph, GRAPH_OUTPUT, onnx_info ("y", 1, "4"));

  g_auto (Imported) imported = imported_new (onnx_model (graph), NULL);
  const AssayNode *opaque = imported_node (&imported, "theirs");

  g_assert_cmpint (opaque->op, ==, ASSAY_OP_OPAQUE);
  g_assert_cmpstr (opaque->op_type, ==, "Relu");
  g_assert_cmpstr (opaque->domain, ==, "com.example");
  g_assert_cmpint (assay_node_get_int (opaque, "alpha"), ==, 7);
}

static void
test_versions (void)
{
  GByteArray *model = wire_new ();
  GByteArray *opset = wire_new ();

  wire_int (model, 1, 99);
  wire_int (opset, 2, 999);
  wire_message (model, 8, opset);
  wire_bytes (model, 20, NULL, 0);

  g_auto (Imported) imported = imported_new (model, NULL);

  g_assert_nonnull (imported_finding (&imported, "import.ir-version"));
  g_assert_nonnull (imported_finding (&imported, "import.opset"));
  g_assert_nonnull (imported_finding (&imported, "import.training-info"));
  g_assert_nonnull (imported_finding (&imported, "import.no-graph"));
  g_assert_cmpint (imported.graph->ir_version, ==, 99);
}

static const struct
{
  const char *name;
  const char *data;
  gsize size;
  const char *expected;
} foreign[] = {
  { "empty", "", 0, "it is empty" },
  { "zip", "PK\x03\x04\x14\0\0\0archive/data.pkl", 24, "torch.onnx.export" },
  { "tflite", "\x1c\0\0\0TFL3", 8, "TensorFlow Lite" },
  { "hdf5", "\x89HDF\r\n\x1a\n", 8, "HDF5" },
  { "safetensors", "\x40\0\0\0\0\0\0\0{\"__metadata__\"", 22, "safetensors" },
  { "ort", "\x20\0\0\0ORTM", 8, "ORT format" },
  { "text", "hello world, this is no model", 29, "byte 2" },
  { "lfs", "version https://git-lfs.github.com/spec/v1\n", 43, "git lfs pull" },
  { "text form", "ir_version: 8\n", 14, "onnx.save" },
  { "unknown fields", "\xf8\x3f\x01", 3, "without graph" },
};

static void
test_foreign (gconstpointer data)
{
  guint i = GPOINTER_TO_UINT (data);
  g_autoptr (GBytes) bytes = g_bytes_new_static (foreign[i].data, foreign[i].size);
  g_autoptr (GError) error = NULL;

  g_assert_null (assay_model_read_bytes (bytes, NULL, NULL, NULL, NULL, &error));
  g_assert_error (error, ASSAY_ERROR, ASSAY_ERROR_IMPORT);
  g_test_message ("%s", error->message);
  g_assert_nonnull (strstr (error->message, "not a"));
  g_assert_nonnull (strstr (error->message, foreign[i].expected));
}

static void
test_cancel (void)
{
  GByteArray *graph = wire_new ();
  g_autoptr (GCancellable) cancellable = g_cancellable_new ();
  AssayProgress progress = ASSAY_PROGRESS_INIT (NULL, NULL, cancellable);
  g_autoptr (GBytes) bytes = NULL;
  g_autoptr (GError) error = NULL;

  for (guint i = 0; i < 10000; i++)
    wire_message (graph, GRAPH_NODE, onnx_node ("Relu", "", "x", ""));
  bytes = g_byte_array_free_to_bytes (onnx_model (graph));

  g_cancellable_cancel (cancellable);
  g_assert_null (assay_model_read_bytes (bytes, NULL, NULL, NULL, &progress, &error));
  g_assert_error (error, ASSAY_ERROR, ASSAY_ERROR_CANCELLED);
}

static void
test_no_file (void)
{
  g_autoptr (GError) error = NULL;

  g_assert_null (assay_model_read ("/nonexistent/model.onnx", NULL, NULL, NULL, &error));
  g_assert_error (error, ASSAY_ERROR, ASSAY_ERROR_IO);
  g_clear_error (&error);
  g_assert_null (assay_model_read ("/", NULL, NULL, NULL, &error));
  g_assert_error (error, ASSAY_ERROR, ASSAY_ERROR_IO);
}

TEST_PROGRAM (import)
{
  g_test_init (&argc, &argv, NULL);

  for (guint i = 0; i < G_N_ELEMENTS (testdata_folders); i++)
    {
      g_autofree char *path = g_strconcat ("/import/testdata/", testdata_folders[i], NULL);

      g_test_add_data_func (path, testdata_folders[i], test_testdata);
    }

  for (guint i = 0; i < G_N_ELEMENTS (foreign); i++)
    {
      g_autofree char *path = g_strconcat ("/import/foreign/", foreign[i].name, NULL);

      g_test_add_data_func (path, GUINT_TO_POINTER (i), test_foreign);
    }

  g_test_add_func ("/import/graph/nodes", test_nodes);
  g_test_add_func ("/import/graph/regions", test_regions);
  g_test_add_func ("/import/graph/order", test_order);
  g_test_add_func ("/import/graph/cycle", test_cycle);
  g_test_add_func ("/import/graph/names", test_names);
  g_test_add_func ("/import/graph/parameters", test_parameters);
  g_test_add_func ("/import/graph/types", test_types);
  g_test_add_func ("/import/graph/attributes", test_attributes);
  g_test_add_func ("/import/graph/attributes-twice", test_attributes_twice);
  g_test_add_func ("/import/graph/opaque", test_opaque);
  g_test_add_func ("/import/graph/versions", test_versions);
  g_test_add_func ("/import/shapes/apply", test_shapes);
  g_test_add_func ("/import/shapes/errors", test_shape_errors);
  g_test_add_func ("/import/shapes/ignore-value-info", test_ignore_value_info);
  g_test_add_func ("/import/file/cancel", test_cancel);
  g_test_add_func ("/import/file/missing", test_no_file);

  return g_test_run ();
}
