/* test-import-hostile.c
 * SPDX-License-Identifier: Apache-2.0
 */
#include <fcntl.h>
#include <glib.h>
#include <malloc.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/assay-error.h"

#include "import-fixture.h"
#include "test-program.h"
#include "wait.h"

/* Nothing here may crash, hang, or take memory out of proportion; what opens must be sound enough
 * to walk. With
 * `-m slow` every value of every byte is tried. */

static const char *const models[] = {
  "attributes", "branches", "chain",   "external",     "functions", "loop",
  "recursion",  "sparse",   "tangled", "typed-fields", "types",
};

static void
open_and_walk (const guint8 *data, gsize size)
{
  g_autoptr (GBytes) bytes = g_bytes_new_static (data, size);
  g_autoptr (AssayFindings) findings = assay_findings_new ();
  g_autoptr (AssayGraph) graph = NULL;
  g_autoptr (GError) error = NULL;

  graph = assay_model_read_bytes (bytes, NULL, NULL, findings, NULL, &error);
  g_assert_true ((graph == NULL) == (error != NULL));
  if (graph == NULL)
    return;

  for (AssayNodeId i = 1; i < assay_graph_n_nodes (graph); i++)
    {
      const AssayNode *node = assay_graph_node (graph, i);

      g_assert_true (g_utf8_validate (node->name, -1, NULL) && node->name[0] != '\0');
      for (guint j = 0; j < node->n_inputs; j++)
        g_assert_cmpuint (node->inputs[j], <, assay_graph_n_values (graph));
    }

  for (guint i = 0; i < graph->tensors->len; i++)
    {
      AssayTensor *tensor = g_ptr_array_index (graph->tensors, i);

      if (assay_tensor_get_strings (tensor) == NULL && assay_tensor_get_n_bytes (tensor) < 65536)
        assay_tensor_get_data (tensor, NULL, NULL);
    }
}

static guint8 *
load_model (const char *name, gsize *size)
{
  g_autofree char *file = g_strconcat (name, ".onnx", NULL);
  g_autofree char *path = g_test_build_filename (G_TEST_DIST, "data", "fuzz", "import", file, NULL);
  g_autofree char *contents = NULL;
  g_autoptr (GError) error = NULL;
  guint8 *data;

  g_file_get_contents (path, &contents, size, &error);
  g_assert_no_error (error);

  /* Exactly as long, so that a checker sees a read past the end. */
  data = g_malloc (*size);
  memcpy (data, contents, *size);

  return data;
}

static void
test_prefixes (gconstpointer name)
{
  gsize size;
  g_autofree guint8 *data = load_model (name, &size);

  for (gsize i = 0; i <= size; i++)
    {
      g_autofree guint8 *prefix = g_malloc (MAX (i, 1));

      memcpy (prefix, data, i);
      open_and_walk (prefix, i);
    }
}

static void
test_changes (gconstpointer name)
{
  static const guint8 flips[] = { 0x01, 0x02, 0x08, 0x40, 0x80, 0xff };
  gsize size;
  g_autofree guint8 *data = load_model (name, &size);

  for (gsize i = 0; i < size; i++)
    {
      guint8 saved = data[i];
      guint n = g_test_slow () ? 256 : G_N_ELEMENTS (flips);

      for (guint j = 0; j < n; j++)
        {
          data[i] = g_test_slow () ? (guint8) j : saved ^ flips[j];
          open_and_walk (data, size);
        }
      data[i] = saved;
    }
}

static gsize
heap_in_use (void)
{
  struct mallinfo2 info = mallinfo2 ();

  return info.uordblks + info.hblkhd;
}

static void
test_million_inputs (void)
{
  GByteArray *graph = wire_new ();
  GByteArray *node = onnx_node ("Sum", "sum", "", "y");
  gsize size;
  gsize before;
  gint64 begin = wait_work ();

  for (guint i = 0; i < 1000000; i++)
    {
      char name[16];

      g_snprintf (name, sizeof name, "v%u", i);
      wire_string (node, NODE_INPUT, name);
    }
  wire_message (graph, GRAPH_NODE, node);
  wire_message (graph, GRAPH_INPUT, onnx_info ("v0", 1, "4"));
  graph = onnx_model (graph);
  size = graph->len;
  before = heap_in_use ();

  {
    g_auto (Imported) imported = imported_new (graph, NULL);

    g_assert_cmpuint (imported_node (&imported, "sum")->n_inputs, ==, 1000000);
    g_assert_cmpuint (assay_findings_get_count (imported.findings), >, 1000);
    g_assert_cmpuint (heap_in_use () - before, <, 40 * size);
  }

  g_assert_cmpint (wait_work () - begin, <, 20 * G_TIME_SPAN_SECOND);
}

/* Nodes in a line, in the worst order, with one name for all: nothing may be quadratic. */
static void
test_many_nodes (void)
{
  GByteArray *graph = wire_new ();
  gint64 begin = wait_work ();

  for (guint i = 100000; i-- > 0;)
    {
      g_autofree char *input = g_strdup_printf ("v%u", i);
      g_autofree char *output = g_strdup_printf ("v%u", i + 1);

      wire_message (graph, GRAPH_NODE, onnx_node ("Relu", "same/name", input, output));
    }
  wire_message (graph, GRAPH_INPUT, onnx_info ("v0", 1, "4"));

  {
    g_auto (Imported) imported = imported_new (onnx_model (graph), NULL);

    g_assert_nonnull (imported_finding (&imported, "import.order"));
    g_assert_cmpuint (assay_graph_n_nodes (imported.graph), ==, 100001);
  }

  g_assert_cmpint (wait_work () - begin, <, 20 * G_TIME_SPAN_SECOND);
}

/* A node with very many attributes, and one attribute with very many numbers. */
static void
test_attributes (void)
{
  GByteArray *graph = wire_new ();
  GByteArray *node = onnx_node ("Any", "any", "x", "y");
  GByteArray *list = wire_new ();

  for (guint i = 0; i < 100000; i++)
    {
      GByteArray *attribute = wire_new ();
      char name[16];

      g_snprintf (name, sizeof name, "a%u", i);
      wire_string (attribute, ATTRIBUTE_NAME, name);
      wire_int (attribute, ATTRIBUTE_I, i);
      wire_message (node, NODE_ATTRIBUTE, attribute);
    }
  wire_string (list, ATTRIBUTE_NAME, "list");
  for (guint i = 0; i < 1000000; i++)
    wire_int (list, 8, i);
  wire_message (node, NODE_ATTRIBUTE, list);
  wire_message (graph, GRAPH_NODE, node);

  g_auto (Imported) imported = imported_new (onnx_model (graph), NULL);
  guint n;

  g_assert_cmpuint (imported_node (&imported, "any")->n_attrs, ==, 100001);
  assay_node_get_ints (imported_node (&imported, "any"), "list", &n);
  g_assert_cmpuint (n, ==, 1000000);
}

/* As deep as the scan lets it: an If in an If, each reading the input of the model. */
static void
test_deep_graphs (void)
{
  GByteArray *graph = NULL;

  for (guint i = 0; i < 60; i++)
    {
      GByteArray *outer = wire_new ();
      GByteArray *node = onnx_node (graph == NULL ? "Relu" : "If", "", graph == NULL ? "x" : "c",
                                    "y");

      if (graph != NULL)
        {
          GByteArray *attribute = wire_new ();

          wire_string (attribute, ATTRIBUTE_NAME, "then_branch");
          wire_message (attribute, ATTRIBUTE_G, graph);
          wire_int (attribute, ATTRIBUTE_TYPE, 5);
          wire_message (node, NODE_ATTRIBUTE, attribute);
        }
      wire_message (outer, GRAPH_NODE, node);
      wire_message (outer, GRAPH_OUTPUT, onnx_info ("y", 1, "4"));
      graph = outer;
    }
  wire_message (graph, GRAPH_INPUT, onnx_info ("c", 9, "1"));
  wire_message (graph, GRAPH_INPUT, onnx_info ("x", 1, "4"));

  g_auto (Imported) imported = imported_new (onnx_model (graph), NULL);

  g_assert_cmpuint (imported.graph->regions->len, ==, 60);
  g_assert_null (imported_finding (&imported, "import.missing-value"));
}

static void
test_dimensions (void)
{
  static const char *const shapes[] = {
    "9223372036854775807,9223372036854775807",
    "4294967296,4294967296,0",
    "18446744073709551615",
    "0",
  };

  for (guint i = 0; i < G_N_ELEMENTS (shapes); i++)
    {
      GByteArray *graph = wire_new ();
      GByteArray *model;

      wire_message (graph, GRAPH_INPUT, onnx_info ("x", 1, shapes[i]));
      wire_message (graph, GRAPH_NODE, onnx_node ("Add", "a", "x x", "y"));
      wire_message (graph, GRAPH_NODE, onnx_node ("MatMul", "b", "y y", "z"));
      wire_message (graph, GRAPH_NODE, onnx_node ("Flatten", "c", "z", "w"));
      wire_message (graph, GRAPH_NODE, onnx_node ("Size", "d", "x", "n"));
      wire_message (graph, GRAPH_OUTPUT, onnx_info ("w", 1, shapes[i]));
      model = onnx_model (graph);
      open_and_walk (model->data, model->len);
      g_byte_array_unref (model);
    }

  {
    GByteArray *graph = wire_new ();
    GString *dims = g_string_new ("1");

    for (guint i = 0; i < 1000; i++)
      g_string_append (dims, ",1");
    wire_message (graph, GRAPH_INPUT, onnx_info ("x", 1, dims->str));
    g_string_free (dims, TRUE);

    g_auto (Imported) imported = imported_new (onnx_model (graph), NULL);

    g_assert_nonnull (imported_finding (&imported, "import.rank"));
  }
}

static gsize
resident_kib (const char *field)
{
  g_autofree char *status = NULL;
  const char *line;

  g_assert_true (g_file_get_contents ("/proc/self/status", &status, NULL, NULL));
  line = strstr (status, field);
  g_assert_nonnull (line);

  return (gsize) g_ascii_strtoull (line + strlen (field), NULL, 10);
}

/* A hole of a gigabyte as a weight: neither its pages nor memory are taken, until someone reads an
 * element. */
static void
test_large_weight (void)
{
  static const gsize weight = (gsize) 1 << 30;
  g_autofree char *path = NULL;
  g_autoptr (GError) error = NULL;
  GByteArray *tensor = onnx_tensor ("w", 1, 1, (const gint64[]){ (gint64) weight / 4 });
  GByteArray *head = wire_new ();
  int fd = g_file_open_tmp ("assay-XXXXXX.onnx", &path, &error);
  gsize heap = heap_in_use ();
  gsize mapped;
  double value = 1;

  g_assert_no_error (error);
  wire_varint (tensor, TENSOR_RAW_DATA << 3 | 2);
  wire_varint (tensor, weight);
  wire_varint (head, MODEL_GRAPH << 3 | 2);
  wire_varint (head, 1 + 5 + tensor->len + weight);
  wire_varint (head, GRAPH_INITIALIZER << 3 | 2);
  wire_varint (head, tensor->len + weight);
  g_byte_array_append (head, tensor->data, tensor->len);
  g_assert_cmpint (write (fd, head->data, head->len), ==, head->len);
  g_assert_cmpint (ftruncate (fd, (off_t) (head->len + weight)), ==, 0);
  close (fd);
  g_byte_array_unref (tensor);
  g_byte_array_unref (head);

  mapped = resident_kib ("RssFile:");
  {
    g_autoptr (AssayGraph) graph = assay_model_read (path, NULL, NULL, NULL, &error);
    AssayTensor *constant;

    g_assert_no_error (error);
    constant = assay_graph_value (graph, 1)->constant;
    g_assert_cmpuint (assay_tensor_get_n_bytes (constant), ==, weight);
    g_assert_cmpuint (heap_in_use (), <, heap + (1u << 20));
    g_assert_cmpuint (resident_kib ("RssFile:"), <, mapped + 4096);
    g_assert_true (assay_tensor_get_element (constant, weight / 4 - 1, &value, NULL));
    g_assert_cmpfloat (value, ==, 0);
  }

  /* Past what protobuf can hold. */
  g_assert_cmpint (truncate (path, ((off_t) 1 << 31) + 1), ==, 0);
  g_assert_null (assay_model_read (path, NULL, NULL, NULL, &error));
  g_assert_error (error, ASSAY_ERROR, ASSAY_ERROR_IMPORT);
  g_assert_nonnull (strstr (error->message, "external data"));
  unlink (path);
}

/* Lets the kernel count the most resident memory anew. */
static void
forget_peak (void)
{
  int fd = open ("/proc/self/clear_refs", O_WRONLY | O_CLOEXEC);

  g_assert_cmpint (fd, >=, 0);
  g_assert_cmpint (write (fd, "5", 1), ==, 1);
  close (fd);
}

/* What a file of two bytes an element may take at the peak, times its size, and what it may take at
 * any size. */
#define TOO_LARGE ((gsize) 1 << 31)
#define MOST_TIMES 64
#define MOST_KIB 8192

/* Nothing costs a file less than an empty element of a repeated field; each of these is full of one
 * kind of them. */
static void
test_empty_elements (void)
{
  static const struct
  {
    const char *what;
    guint way[4]; /* from the model to what repeats */
  } rows[] = {
    { "opset imports", { 8 } },
    { "metadata", { 14 } },
    { "functions", { 25 } },
    { "nodes", { 7, 1 } },
    { "initializers", { 7, 5 } },
    { "inputs", { 7, 11 } },
    { "outputs", { 7, 12 } },
    { "value infos", { 7, 13 } },
    { "annotations", { 7, 14 } },
    { "sparse initializers", { 7, 15 } },
    { "inputs of a node", { 7, 1, 1 } },
    { "outputs of a node", { 7, 1, 2 } },
    { "attributes", { 7, 1, 5 } },
    { "strings of an attribute", { 7, 1, 5, 9 } },
    { "tensors of an attribute", { 7, 1, 5, 10 } },
    { "graphs of an attribute", { 7, 1, 5, 11 } },
    { "strings of a tensor", { 7, 5, 6 } },
    { "nodes of a function", { 25, 7 } },
  };

#ifdef __SANITIZE_ADDRESS__
  g_test_skip ("a sanitizer keeps what was freed");
  return;
#endif

  for (guint i = 0; i < G_N_ELEMENTS (rows); i++)
    {
      g_autoptr (GByteArray) message = wire_new ();
      guint depth = 0;
      gsize before, peak;

      while (depth < G_N_ELEMENTS (rows[i].way) && rows[i].way[depth] != 0)
        depth++;
      for (guint j = 0; j < 500000; j++)
        {
          wire_varint (message, rows[i].way[depth - 1] << 3 | 2);
          wire_varint (message, 0);
        }
      for (guint j = depth - 1; j-- > 0;)
        {
          GByteArray *outer = wire_new ();

          wire_message (outer, rows[i].way[j], g_steal_pointer (&message));
          message = outer;
        }

      malloc_trim (0);
      forget_peak ();
      before = resident_kib ("VmRSS:");
      open_and_walk (message->data, message->len);
      peak = resident_kib ("VmHWM:");
      g_test_message ("%u bytes of %s: %u KiB", message->len, rows[i].what,
                      (guint) (peak - MIN (before, peak)));
      g_assert_cmpuint (peak, <, before + MOST_KIB + MOST_TIMES * (gsize) message->len / 1024);
    }
}

static void
unmap (gpointer data)
{
  munmap (data, TOO_LARGE);
}

/* Protocol Buffers end at 2 GiB, and who has more is told what to do. No byte of it is there. */
static void
test_too_large (void)
{
  gpointer data = mmap (NULL, TOO_LARGE, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1,
                        0);
  g_autoptr (GBytes) bytes = NULL;
  g_autoptr (AssayFindings) findings = assay_findings_new ();
  g_autoptr (GError) error = NULL;

  g_assert_true (data != MAP_FAILED);
  bytes = g_bytes_new_with_free_func (data, TOO_LARGE, unmap, data);
  g_assert_null (assay_model_read_bytes (bytes, NULL, NULL, findings, NULL, &error));
  g_assert_error (error, ASSAY_ERROR, ASSAY_ERROR_IMPORT);
  g_assert_nonnull (strstr (error->message, "2147483648 bytes"));
  g_assert_nonnull (strstr (error->message, "save the model with its weights as external data"));
}

TEST_PROGRAM (import_hostile)
{
  g_test_init (&argc, &argv, NULL);

  for (guint i = 0; i < G_N_ELEMENTS (models); i++)
    {
      g_autofree char *prefixes = g_strconcat ("/import/prefixes/", models[i], NULL);
      g_autofree char *changes = g_strconcat ("/import/changes/", models[i], NULL);

      g_test_add_data_func (prefixes, models[i], test_prefixes);
      g_test_add_data_func (changes, models[i], test_changes);
    }

  g_test_add_func ("/import/hostile/million-inputs", test_million_inputs);
  g_test_add_func ("/import/hostile/many-nodes", test_many_nodes);
  g_test_add_func ("/import/hostile/attributes", test_attributes);
  g_test_add_func ("/import/hostile/deep-graphs", test_deep_graphs);
  g_test_add_func ("/import/hostile/dimensions", test_dimensions);
  g_test_add_func ("/import/hostile/large-weight", test_large_weight);
  g_test_add_func ("/import/hostile/too-large", test_too_large);
  g_test_add_func ("/import/hostile/empty-elements", test_empty_elements);

  return g_test_run ();
}
