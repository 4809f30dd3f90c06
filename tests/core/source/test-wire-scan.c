/* test-wire-scan.c
 * SPDX-License-Identifier: Apache-2.0
 */
#include <glib.h>
#include <string.h>

#include "base/assay-error.h"
#include "onnx.pb-c.h"
#include "source/onnx/assay-wire-scan.h"

#include "onnx-writer.h"
#include "test-program.h"

static AssayWireScan *
scan (GByteArray *message, GError **error)
{
  AssayWireScan *result = assay_wire_scan (message->data, message->len,
                                           &assay__onnx__model_proto__descriptor, error);

  g_byte_array_unref (message);

  return result;
}

static GByteArray *
tensor_of (gsize size)
{
  GByteArray *tensor = onnx_tensor ("w", 1, 1, (const gint64[]){ (gint64) size / 4 });
  g_autofree guint8 *data = g_malloc0 (size);

  wire_bytes (tensor, TENSOR_RAW_DATA, data, size);

  return tensor;
}

/* The elements stay out, wherever a tensor stands; unknown fields and documentation go, the rest
 * comes through. */
static void
test_thin (void)
{
  GByteArray *graph = wire_new ();
  GByteArray *node = onnx_node ("Constant", "c", "", "y");
  GByteArray *attribute = wire_new ();
  g_autoptr (AssayWireScan) result = NULL;
  g_autoptr (GError) error = NULL;
  Assay__Onnx__ModelProto *model;

  wire_message (graph, GRAPH_INITIALIZER, tensor_of (100000));
  wire_string (attribute, ATTRIBUTE_NAME, "value");
  wire_message (attribute, ATTRIBUTE_T, tensor_of (50000));
  wire_message (node, NODE_ATTRIBUTE, attribute);
  wire_string (node, 6, "a long stack trace");
  wire_string (node, 1000, "unknown");
  wire_message (graph, GRAPH_NODE, node);

  result = scan (onnx_model (graph), &error);
  g_assert_no_error (error);
  g_assert_cmpuint (result->thin->len, <, 200);
  g_assert_cmpuint (result->payloads->len, ==, 2);
  g_assert_cmpuint (g_array_index (result->payloads, AssayWirePayload, 0).length, >, 100000);

  model = assay__onnx__model_proto__unpack (NULL, result->thin->len, result->thin->data);
  g_assert_nonnull (model);
  g_assert_cmpuint (model->graph->initializer[0]->assay_payload, ==, 1);
  g_assert_cmpuint (model->graph->node[0]->attribute[0]->t->assay_payload, ==, 2);
  g_assert_cmpuint (model->graph->initializer[0]->raw_data.len, ==, 0);
  g_assert_null (model->graph->node[0]->doc_string);
  g_assert_cmpuint (model->graph->node[0]->base.n_unknown_fields, ==, 0);
  g_assert_cmpint (model->opset_import[0]->version, ==, 17);
  assay__onnx__model_proto__free_unpacked (model, NULL);
}

/* The field that carries the index must not come from a file. */
static void
test_private_field (void)
{
  GByteArray *graph = wire_new ();
  GByteArray *tensor = onnx_tensor ("w", 1, 0, NULL);
  g_autoptr (AssayWireScan) result = NULL;
  Assay__Onnx__ModelProto *model;

  wire_int (tensor, 19000001, 1);
  wire_message (graph, GRAPH_INITIALIZER, tensor);
  result = scan (onnx_model (graph), NULL);
  model = assay__onnx__model_proto__unpack (NULL, result->thin->len, result->thin->data);
  g_assert_false (model->graph->initializer[0]->has_assay_payload);
  assay__onnx__model_proto__free_unpacked (model, NULL);
}

static GByteArray *
model_of_node (GByteArray *node)
{
  GByteArray *graph = wire_new ();

  wire_message (graph, GRAPH_NODE, onnx_node ("Relu", "first", "x", "y"));
  wire_message (graph, GRAPH_NODE, node);

  return onnx_model (graph);
}

/* Each error says which byte and which field. */
static void
test_errors (void)
{
  static const struct
  {
    const char *attribute;
    gsize size;
    const char *expected;
  } cases[] = {
    { "\x0a\x7f", 2, "graph.node[1].attribute[1].name: a length reaches past the end" },
    { "\x08\x01", 2, "graph.node[1].attribute[1].name: the field has the wrong wire type" },
    { "\x18\x80", 2, "graph.node[1].attribute[1].i: an integer does not end" },
    { "\x15\0\0", 3, "graph.node[1].attribute[1].f: a value is cut off" },
    { "\x0b", 1, "graph.node[1].attribute[1].name: a field has a wire type" },
    { "\x42\x02\x01\x80", 4,
      "graph.node[1].attribute[1].ints[0]: a packed list ends inside a number" },
    { "\x3a\x03\0\0\0", 5,
      "graph.node[1].attribute[1].floats[0]: a packed list ends inside a number" },
    { "\x80", 1, "graph.node[1].attribute[1]: a field tag does not end" },
    { "\x02\0", 2, "graph.node[1].attribute[1]: a field number is out of range" },
  };

  for (guint i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      GByteArray *node = onnx_node ("Relu", "second", "y", "z");
      GByteArray *good = wire_new ();
      g_autofree char *byte = NULL;
      g_autoptr (GError) error = NULL;
      GByteArray *model;

      wire_string (good, ATTRIBUTE_NAME, "fine");
      wire_message (node, NODE_ATTRIBUTE, good);
      wire_bytes (node, NODE_ATTRIBUTE, cases[i].attribute, cases[i].size);
      model = model_of_node (node);
      byte = g_strdup_printf ("byte %" G_GSIZE_FORMAT ", ", model->len - cases[i].size);

      g_assert_null (scan (model, &error));
      g_assert_error (error, ASSAY_ERROR, ASSAY_ERROR_IMPORT);
      g_assert_true (g_str_has_prefix (error->message, byte));
      g_assert_nonnull (strstr (error->message, cases[i].expected));
    }
}

static GByteArray *
nested (guint levels, const guint *fields, guint n_fields)
{
  GByteArray *message = wire_new ();

  /* From the inside out, each length in front of what is there: quadratic, so the bytes are written
   * backwards. */
  for (guint i = levels; i-- > 0;)
    {
      GByteArray *head = wire_new ();

      wire_varint (head, fields[i % n_fields] << 3 | 2);
      wire_varint (head, message->len);
      for (guint j = 0; j < head->len / 2; j++)
        {
          guint8 swap = head->data[j];

          head->data[j] = head->data[head->len - 1 - j];
          head->data[head->len - 1 - j] = swap;
        }
      g_byte_array_append (message, head->data, head->len);
      g_byte_array_unref (head);
    }
  for (guint j = 0; j < message->len / 2; j++)
    {
      guint8 swap = message->data[j];

      message->data[j] = message->data[message->len - 1 - j];
      message->data[message->len - 1 - j] = swap;
    }

  return message;
}

static GByteArray *
model_nested (guint levels)
{
  /* graph, node, attribute, graph, ... */
  static const guint fields[] = { GRAPH_NODE, NODE_ATTRIBUTE, ATTRIBUTE_G };
  GByteArray *model = wire_new ();

  wire_message (model, MODEL_GRAPH, nested (levels, fields, G_N_ELEMENTS (fields)));

  return model;
}

static void
test_depth (void)
{
  g_autoptr (AssayWireScan) shallow = NULL;
  g_autoptr (GError) error = NULL;

  shallow = scan (model_nested (ASSAY_WIRE_MAX_DEPTH - 2), &error);
  g_assert_no_error (error);
  g_assert_nonnull (shallow);

  g_assert_null (scan (model_nested (ASSAY_WIRE_MAX_DEPTH - 1), &error));
  g_assert_error (error, ASSAY_ERROR, ASSAY_ERROR_IMPORT);
  g_assert_nonnull (strstr (error->message, "nested deeper than 200 messages"));
  g_clear_error (&error);

  g_assert_null (scan (model_nested (100000), &error));
  g_assert_error (error, ASSAY_ERROR, ASSAY_ERROR_IMPORT);
  g_assert_nonnull (strstr (error->message, "graph.node[0].attribute[0].g.node[0]"));
  g_assert_cmpuint (strlen (error->message), <, 400);
  g_clear_error (&error);

  /* Types nest too. */
  {
    static const guint fields[] = { 4, 1 };
    GByteArray *model = wire_new ();
    GByteArray *graph = wire_new ();
    GByteArray *info = wire_new ();

    wire_message (info, 2, nested (100000, fields, 2));
    wire_message (graph, GRAPH_INPUT, info);
    wire_message (model, MODEL_GRAPH, graph);
    g_assert_null (scan (model, &error));
    g_assert_error (error, ASSAY_ERROR, ASSAY_ERROR_IMPORT);
  }
}

/* Two bytes per node would become a hundred each. */
static void
test_amplification (void)
{
  GByteArray *graph = wire_new ();
  g_autoptr (GError) error = NULL;

  for (guint i = 0; i < 500000; i++)
    wire_bytes (graph, GRAPH_NODE, NULL, 0);

  g_assert_null (scan (onnx_model (graph), &error));
  g_assert_error (error, ASSAY_ERROR, ASSAY_ERROR_IMPORT);
  g_assert_nonnull (strstr (error->message, "unpacks to far more"));
}

/* How often a field may come that occurs once: a graph in pieces, a type not, since protobuf-c
 * fails to put two together that say nothing. An alternative takes the place of the one before. */
static void
test_pieces (void)
{
  static const struct
  {
    guint fields[6]; /* from the model inwards, the last one many times */
    guint most;
    const char *expected;
  } cases[] = {
    { { MODEL_GRAPH }, 4, "graph: a field that occurs once" },
    { { MODEL_GRAPH, GRAPH_NODE, NODE_ATTRIBUTE, ATTRIBUTE_T }, 4, "attribute[0].t: a field that" },
    { { MODEL_GRAPH, GRAPH_NODE, NODE_ATTRIBUTE, ATTRIBUTE_G }, 4, "attribute[0].g: a field that" },
    { { MODEL_GRAPH, GRAPH_INPUT, 2 }, 1, "graph.input[0].type: a field that occurs once" },
    { { MODEL_GRAPH, GRAPH_NODE, NODE_ATTRIBUTE, 14 }, 1, "attribute[0].tp: a field that" },
    { { MODEL_GRAPH, GRAPH_INPUT, 2, 4, 1 }, 1, "sequence_type.elem_type: a field that" },
    { { MODEL_GRAPH, GRAPH_INPUT, 2, 5, 2 }, 1, "map_type.value_type: a field that" },
    { { MODEL_GRAPH, GRAPH_INPUT, 2, 9, 1 }, 1, "optional_type.elem_type: a field that" },
    { { MODEL_GRAPH, GRAPH_INPUT, 2, 1 }, 9, NULL },
    { { MODEL_GRAPH, GRAPH_INPUT, 2, 1, 2 }, 4, "tensor_type.shape: a field that occurs once" },
    { { MODEL_GRAPH, GRAPH_NODE }, 9, NULL },
  };

  for (guint i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      for (guint n = 1; n <= cases[i].most + 1; n++)
        {
          guint last = 0;
          GByteArray *message = wire_new ();
          g_autoptr (AssayWireScan) result = NULL;
          g_autoptr (GError) error = NULL;
          Assay__Onnx__ModelProto *model;

          while (last + 1 < G_N_ELEMENTS (cases[i].fields) && cases[i].fields[last + 1] != 0)
            last++;
          for (guint j = 0; j < n; j++)
            wire_bytes (message, cases[i].fields[last], NULL, 0);
          while (last-- > 0)
            {
              GByteArray *outer = wire_new ();

              wire_message (outer, cases[i].fields[last], message);
              message = outer;
            }

          result = scan (message, &error);
          if (n > cases[i].most && cases[i].expected != NULL)
            {
              g_assert_error (error, ASSAY_ERROR, ASSAY_ERROR_IMPORT);
              g_assert_nonnull (strstr (error->message, cases[i].expected));
              continue;
            }
          g_assert_no_error (error);
          model = assay__onnx__model_proto__unpack (NULL, result->thin->len, result->thin->data);
          g_assert_nonnull (model);
          assay__onnx__model_proto__free_unpacked (model, NULL);
        }
    }
}

TEST_PROGRAM (wire_scan)
{
  g_test_init (&argc, &argv, NULL);

  g_test_add_func ("/wire-scan/thin/payloads", test_thin);
  g_test_add_func ("/wire-scan/thin/private-field", test_private_field);
  g_test_add_func ("/wire-scan/errors/path", test_errors);
  g_test_add_func ("/wire-scan/limits/depth", test_depth);
  g_test_add_func ("/wire-scan/limits/amplification", test_amplification);
  g_test_add_func ("/wire-scan/limits/pieces", test_pieces);

  return g_test_run ();
}
