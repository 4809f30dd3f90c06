/* test-import-tensor.c
 * SPDX-License-Identifier: Apache-2.0
 */
#include <glib.h>
#include <glib/gstdio.h>
#include <math.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/assay-error.h"
#include "source/onnx/assay-external-data.h"
#include "source/onnx/assay-tensor-file.h"

#include "import-fixture.h"
#include "test-program.h"

static GByteArray *
model_of_tensor (GByteArray *tensor, guint field)
{
  GByteArray *graph = wire_new ();

  wire_message (graph, field, tensor);
  wire_message (graph, GRAPH_NODE, onnx_node ("Identity", "id", "t", "y"));
  wire_message (graph, GRAPH_OUTPUT, onnx_info ("y", 1, "?"));

  return onnx_model (graph);
}

/* Two elements of each type, once in its typed field and once raw, and what they are as numbers. */
static const struct
{
  int type;
  guint field;
  gint64 entries[2];
  guint n_entries;
  const char *raw;
  gsize raw_size;
  double expected[2];
} types[] = {
  { 2, TENSOR_INT32_DATA, { 1, 255 }, 2, "\x01\xff", 2, { 1, 255 } },
  { 3, TENSOR_INT32_DATA, { 1, -1 }, 2, "\x01\xff", 2, { 1, -1 } },
  { 4, TENSOR_INT32_DATA, { 1, 65535 }, 2, "\x01\0\xff\xff", 4, { 1, 65535 } },
  { 5, TENSOR_INT32_DATA, { 1, -2 }, 2, "\x01\0\xfe\xff", 4, { 1, -2 } },
  { 6, TENSOR_INT32_DATA, { 1, -2 }, 2, "\x01\0\0\0\xfe\xff\xff\xff", 8, { 1, -2 } },
  { 7,
    TENSOR_INT64_DATA,
    { 1, -2 },
    2,
    "\x01\0\0\0\0\0\0\0\xfe\xff\xff\xff\xff\xff\xff\xff",
    16,
    { 1, -2 } },
  { 9, TENSOR_INT32_DATA, { 1, 0 }, 2, "\x01\0", 2, { 1, 0 } },
  { 10, TENSOR_INT32_DATA, { 0x3e00, 0xc000 }, 2, "\0\x3e\0\xc0", 4, { 1.5, -2 } },
  { 12,
    TENSOR_UINT64_DATA,
    { 1, 4294967295 },
    2,
    "\x01\0\0\0\xff\xff\xff\xff",
    8,
    { 1, 4294967295.0 } },
  { 13, TENSOR_UINT64_DATA, { 1, 2 }, 2, "\x01\0\0\0\0\0\0\0\x02\0\0\0\0\0\0\0", 16, { 1, 2 } },
  { 16, TENSOR_INT32_DATA, { 0x3fc0, 0xc000 }, 2, "\xc0\x3f\0\xc0", 4, { 1.5, -2 } },
  { 17, TENSOR_INT32_DATA, { 0x3c, 0xc0 }, 2, "\x3c\xc0", 2, { 1.5, -2 } },
  { 18, TENSOR_INT32_DATA, { 0x44, 0xc8 }, 2, "\x44\xc8", 2, { 1.5, -2 } },
  { 19, TENSOR_INT32_DATA, { 0x3e, 0xc0 }, 2, "\x3e\xc0", 2, { 1.5, -2 } },
  { 20, TENSOR_INT32_DATA, { 0x42, 0xc4 }, 2, "\x42\xc4", 2, { 1.5, -2 } },
  { 21, TENSOR_INT32_DATA, { 0xf1 }, 1, "\xf1", 1, { 1, 15 } },
  { 22, TENSOR_INT32_DATA, { 0xf1 }, 1, "\xf1", 1, { 1, -1 } },
  { 23, TENSOR_INT32_DATA, { 0xc3 }, 1, "\xc3", 1, { 1.5, -2 } },
  { 24, TENSOR_INT32_DATA, { 0x80, 0x7e }, 2, "\x80\x7e", 2, { 2, 0.5 } },
};

static void
check_elements (GByteArray *tensor, int type, const double *expected)
{
  g_auto (Imported) imported = imported_new (model_of_tensor (tensor, GRAPH_INITIALIZER), NULL);
  AssayTensor *constant = imported_value (&imported, "t")->constant;

  g_assert_null (imported_finding (&imported, "import.tensor"));
  g_assert_nonnull (constant);
  g_assert_cmpint ((int) assay_tensor_get_dtype (constant), ==, type);
  for (guint i = 0; i < 2; i++)
    {
      g_autoptr (GError) error = NULL;
      double value = NAN;

      g_assert_true (assay_tensor_get_element (constant, i, &value, &error));
      g_assert_no_error (error);
      g_assert_cmpfloat (value, ==, expected[i]);
    }
}

static void
test_types (void)
{
  static const gint64 dims[] = { 2 };

  for (guint i = 0; i < G_N_ELEMENTS (types); i++)
    {
      GByteArray *packed = onnx_tensor ("t", types[i].type, 1, dims);
      GByteArray *single = onnx_tensor ("t", types[i].type, 1, dims);
      GByteArray *raw = onnx_tensor ("t", types[i].type, 1, dims);
      GByteArray *list = wire_new ();

      for (guint j = 0; j < types[i].n_entries; j++)
        {
          wire_varint (list, (guint64) types[i].entries[j]);
          wire_int (single, types[i].field, types[i].entries[j]);
        }
      wire_message (packed, types[i].field, list);
      wire_bytes (raw, TENSOR_RAW_DATA, types[i].raw, types[i].raw_size);

      g_test_message ("type %d", types[i].type);
      check_elements (packed, types[i].type, types[i].expected);
      check_elements (single, types[i].type, types[i].expected);
      check_elements (raw, types[i].type, types[i].expected);
    }
}

static void
test_floats (void)
{
  static const double expected[] = { 1.5, -2 };
  static const float floats[] = { 1.5f, -2.0f };
  static const float complex[] = { 1.5f, 7.0f, -2.0f, 8.0f };
  static const double complex_double[] = { 1.5, 7, -2, 8 };
  static const gint64 dims[] = { 2 };
  GByteArray *tensor;

  tensor = onnx_tensor ("t", 1, 1, dims);
  wire_bytes (tensor, TENSOR_FLOAT_DATA, floats, sizeof floats);
  check_elements (tensor, 1, expected);

  /* Not packed, and in two packed pieces: both are allowed. */
  tensor = onnx_tensor ("t", 1, 1, dims);
  wire_float (tensor, TENSOR_FLOAT_DATA, floats[0]);
  wire_bytes (tensor, TENSOR_FLOAT_DATA, floats + 1, 4);
  check_elements (tensor, 1, expected);

  tensor = onnx_tensor ("t", 11, 1, dims);
  wire_bytes (tensor, TENSOR_DOUBLE_DATA, expected, sizeof expected);
  check_elements (tensor, 11, expected);

  tensor = onnx_tensor ("t", 14, 1, dims);
  wire_bytes (tensor, TENSOR_FLOAT_DATA, complex, sizeof complex);
  check_elements (tensor, 14, expected);

  tensor = onnx_tensor ("t", 15, 1, dims);
  wire_bytes (tensor, TENSOR_DOUBLE_DATA, complex_double, sizeof complex_double);
  check_elements (tensor, 15, expected);
}

static void
test_strings (void)
{
  GByteArray *tensor = onnx_tensor ("t", 8, 1, (const gint64[]){ 2 });

  wire_bytes (tensor, TENSOR_STRING_DATA, "a\0b", 3);
  wire_bytes (tensor, TENSOR_STRING_DATA, "", 0);

  g_auto (Imported) imported = imported_new (model_of_tensor (tensor, GRAPH_INITIALIZER), NULL);
  GPtrArray *strings = assay_tensor_get_strings (imported_value (&imported, "t")->constant);

  g_assert_cmpuint (strings->len, ==, 2);
  g_assert_cmpuint (g_bytes_get_size (strings->pdata[0]), ==, 3);
  g_assert_cmpmem (g_bytes_get_data (strings->pdata[0], NULL), 3, "a\0b", 3);
}

static GByteArray *
sparse (guint rank, const char *indices, gsize size, gint64 last)
{
  GByteArray *message = wire_new ();
  GByteArray *values = onnx_tensor ("t", 1, 1, (const gint64[]){ 2 });
  GByteArray *places = onnx_tensor ("", 7, rank,
                                    rank == 1 ? (const gint64[]){ 2 } : (const gint64[]){ 2, 2 });

  wire_bytes (values, TENSOR_RAW_DATA, (const float[]){ 1.5f, 2.5f }, 8);
  wire_bytes (places, TENSOR_INT64_DATA, indices, size);
  wire_message (message, 1, values);
  wire_message (message, 2, places);
  wire_int (message, 3, 2);
  wire_int (message, 3, last);

  return message;
}

static void
test_sparse (void)
{
  static const double expected[] = { 0, 1.5, 0, 0, 2.5, 0 };

  for (guint rank = 1; rank <= 2; rank++)
    {
      GByteArray *message = rank == 1 ? sparse (1, "\x01\x04", 2, 3)
                                      : sparse (2, "\0\x01\x01\x01", 4, 3);
      g_auto (Imported)
          imported = imported_new (model_of_tensor (message, GRAPH_SPARSE_INITIALIZER),
                                   &(AssayImportOptions){ .skip_inference = TRUE });
      AssayTensor *constant = imported_value (&imported, "t")->constant;

      g_assert_false (assay_tensor_is_loaded (constant));
      for (guint i = 0; i < 6; i++)
        {
          double value = NAN;

          g_assert_true (assay_tensor_get_element (constant, i, &value, NULL));
          g_assert_cmpfloat (value, ==, expected[i]);
        }
    }
}

/* A few bytes may promise any size: only who reads it finds out, and gets an error. */
static void
test_sparse_hostile (void)
{
  GByteArray *too_far = sparse (1, "\x01\x06", 2, 3);
  GByteArray *too_large = sparse (1, "\x01\x06", 2, G_MAXINT64 / 16);
  g_auto (Imported)
      outside = imported_new (model_of_tensor (too_far, GRAPH_SPARSE_INITIALIZER), NULL);
  g_auto (Imported)
      large = imported_new (model_of_tensor (too_large, GRAPH_SPARSE_INITIALIZER), NULL);
  g_autoptr (GError) error = NULL;

  g_assert_null (assay_tensor_get_data (imported_value (&outside, "t")->constant, NULL, &error));
  g_assert_error (error, ASSAY_ERROR, ASSAY_ERROR_IMPORT);
  g_clear_error (&error);
  g_assert_null (assay_tensor_get_data (imported_value (&large, "t")->constant, NULL, &error));
  g_assert_error (error, ASSAY_ERROR, ASSAY_ERROR_IMPORT);
}

/* What is wrong with a tensor is a finding with its name; the value stays, and reading it is an
 * error. */
static void
test_broken (void)
{
  static const struct
  {
    int type;
    gint64 dims[2];
    guint rank;
    gsize raw;
    const char *expected;
    gboolean stays;
  } cases[] = {
    { 1, { 2, 2 }, 2, 12, "12 bytes", TRUE },
    { 1, { 2, 2 }, 2, 0, "no elements", TRUE },
    { 99, { 2, 2 }, 2, 16, "element type 99", FALSE },
    { 1, { -1, 2 }, 2, 16, "negative or overflow", FALSE },
    { 1, { G_MAXINT64, 4 }, 2, 16, "negative or overflow", FALSE },
    { 8, { 2, 2 }, 2, 16, "0 strings for 4 elements", FALSE },
  };

  for (guint i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      GByteArray *tensor = onnx_tensor ("t", cases[i].type, cases[i].rank, cases[i].dims);
      static const guint8 zeros[16] = { 0 };

      if (cases[i].raw > 0)
        wire_bytes (tensor, TENSOR_RAW_DATA, zeros, cases[i].raw);

      g_auto (Imported) imported = imported_new (model_of_tensor (tensor, GRAPH_INITIALIZER), NULL);
      const AssayFinding *finding = imported_finding (&imported, "import.tensor");
      const AssayValue *value = imported_value (&imported, "t");

      g_assert_nonnull (finding);
      g_assert_true (g_str_has_prefix (finding->message, "t: "));
      g_assert_nonnull (strstr (finding->message, cases[i].expected));
      g_assert_cmpint (value->kind, ==,
                       cases[i].stays ? ASSAY_VALUE_CONSTANT : ASSAY_VALUE_MISSING);
      if (cases[i].stays)
        {
          g_autoptr (GError) error = NULL;

          g_assert_null (assay_tensor_get_data (value->constant, NULL, &error));
          g_assert_error (error, ASSAY_ERROR, ASSAY_ERROR_IMPORT);
        }
    }
}

typedef struct
{
  char *folder;
  char *outside;
} Folders;

static void
folders_set_up (Folders *self, gconstpointer data)
{
  g_autofree char *inside = NULL;
  g_autofree char *secret = NULL;
  g_autofree char *link = NULL;
  g_autofree char *good_link = NULL;
  g_autofree char *fifo = NULL;
  g_autofree char *sock = NULL;

  self->folder = g_dir_make_tmp ("assay-XXXXXX", NULL);
  self->outside = g_dir_make_tmp ("assay-XXXXXX", NULL);
  inside = g_build_filename (self->folder, "weights.bin", NULL);
  secret = g_build_filename (self->outside, "secret", NULL);
  link = g_build_filename (self->folder, "link", NULL);
  good_link = g_build_filename (self->folder, "good-link", NULL);
  fifo = g_build_filename (self->folder, "fifo", NULL);
  sock = g_build_filename (self->folder, "socket", NULL);
  g_assert_true (g_file_set_contents (inside, "\0\0\0\0\0\0\xc0\x3f\0\0\0\xc0", 12, NULL));
  g_assert_true (g_file_set_contents (secret, "01234567", 8, NULL));
  g_assert_cmpint (symlink (secret, link), ==, 0);
  g_assert_cmpint (symlink ("weights.bin", good_link), ==, 0);
  g_assert_cmpint (mkfifo (fifo, 0600), ==, 0);
  g_assert_cmpint (mknod (sock, S_IFSOCK | 0600, 0), ==, 0);
}

static void
folders_tear_down (Folders *self, gconstpointer data)
{
  static const char *const names[] = { "weights.bin", "link", "good-link", "fifo", "socket" };
  g_autofree char *secret = g_build_filename (self->outside, "secret", NULL);

  for (guint i = 0; i < G_N_ELEMENTS (names); i++)
    {
      g_autofree char *path = g_build_filename (self->folder, names[i], NULL);

      g_unlink (path);
    }
  g_unlink (secret);
  g_rmdir (self->folder);
  g_rmdir (self->outside);
  g_free (self->folder);
  g_free (self->outside);
}

static GByteArray *
external_tensor (const char *location, const char *offset, const char *length)
{
  GByteArray *tensor = onnx_tensor ("t", 1, 1, (const gint64[]){ 2 });
  const char *const rows[][2] = { { "location", location },
                                  { "offset", offset },
                                  { "length", length } };

  for (guint i = 0; i < 3; i++)
    {
      GByteArray *entry = wire_new ();

      if (rows[i][1] == NULL)
        {
          g_byte_array_unref (entry);
          continue;
        }
      wire_string (entry, 1, rows[i][0]);
      wire_string (entry, 2, rows[i][1]);
      wire_message (tensor, TENSOR_EXTERNAL_DATA, entry);
    }
  wire_int (tensor, TENSOR_DATA_LOCATION, 1);

  return tensor;
}

static void
test_external (Folders *folders, gconstpointer data)
{
  g_autofree char *absolute = g_build_filename (folders->outside, "secret", NULL);
  g_autofree char *base = g_path_get_basename (folders->outside);
  g_autofree char *climbing = g_strdup_printf ("../%s/secret", base);
  const struct
  {
    const char *location;
    const char *offset;
    const char *length;
    const char *expected; /* NULL if it is good */
  } cases[] = {
    { "weights.bin", "4", "8", NULL },
    { "./weights.bin", "4", NULL, NULL },
    { "good-link", "4", "8", NULL },
    { absolute, "0", "8", "expected a path relative to the model" },
    { climbing, "0", "8", "would leave the folder" },
    { "x/../weights.bin", "4", "8", "would leave the folder" },
    { "link", "0", "8", "is a link that leaves the folder" },
    { "missing.bin", "0", "8", "No such file" },
    { ".", "0", "8", "external data" },
    { "", "0", "8", "expected a path" },
    { "a\\weights.bin", "0", "8", "expected a path" },
    { "fifo", "0", "8", "\"fifo\": not a regular file" },
    { "socket", "0", "8", "external data at \"socket\"" },
    { NULL, "0", "8", "without a location" },
    { "weights.bin", "8", "8", "bytes 8 to 16" },
    { "weights.bin", "18446744073709551615", "8", "expected a size" },
    { "weights.bin", "9223372036854775800", "8", "bytes" },
    { "weights.bin", "-4", "8", "expected a size" },
    { "weights.bin", "0", "4", "type and shape take 8" },
  };

  for (guint i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      GByteArray *model = model_of_tensor (
          external_tensor (cases[i].location, cases[i].offset, cases[i].length), GRAPH_INITIALIZER);
      g_autoptr (GBytes) bytes = g_byte_array_free_to_bytes (model);
      g_autofree char *path = g_build_filename (folders->folder, "model.onnx", NULL);
      g_autoptr (GError) error = NULL;
      g_auto (Imported) imported = { NULL, assay_findings_new () };
      const AssayFinding *finding;
      AssayTensor *constant;
      double value = NAN;

      imported.graph = assay_model_read_bytes (bytes, path, NULL, imported.findings, NULL, &error);
      g_assert_no_error (error);
      constant = imported_value (&imported, "t")->constant;
      finding = imported_finding (&imported, "import.external-data");
      g_assert_nonnull (constant);

      if (cases[i].expected == NULL)
        {
          g_assert_null (finding);
          g_assert_true (assay_tensor_get_element (constant, 1, &value, NULL));
          g_assert_cmpfloat (value, ==, -2);
        }
      else
        {
          g_assert_nonnull (finding);
          g_assert_nonnull (strstr (finding->message, cases[i].expected));
          g_assert_false (assay_tensor_get_element (constant, 1, &value, &error));
          g_assert_error (error, ASSAY_ERROR, ASSAY_ERROR_IMPORT);
        }
    }
}

/* Tensors side by side in one file, as exporters write them: each has its own place there. A tensor
 * of another format, where a tensor is asked for, says what it is. */
static void
test_external_beside (Folders *folders, gconstpointer data)
{
  GByteArray *graph = wire_new ();
  GByteArray *second = external_tensor ("weights.bin", "0", "8");
  g_autofree char *path = g_build_filename (folders->folder, "model.onnx", NULL);
  g_autofree char *array = g_build_filename (folders->folder, "array.pb", NULL);
  g_autoptr (GBytes) bytes = NULL;
  g_autoptr (GError) error = NULL;
  g_auto (Imported) imported = { NULL, assay_findings_new () };
  double values[2] = { NAN, NAN };

  wire_string (second, TENSOR_NAME, "u");
  wire_message (graph, GRAPH_INITIALIZER, external_tensor ("weights.bin", "4", "8"));
  wire_message (graph, GRAPH_INITIALIZER, second);
  wire_message (graph, GRAPH_NODE, onnx_node ("Add", "add", "t u", "y"));
  wire_message (graph, GRAPH_OUTPUT, onnx_info ("y", 1, "?"));
  bytes = g_byte_array_free_to_bytes (onnx_model (graph));
  imported.graph = assay_model_read_bytes (bytes, path, NULL, imported.findings, NULL, &error);
  g_assert_no_error (error);
  for (guint i = 0; i < 2; i++)
    g_assert_true (assay_tensor_get_element (
        imported_value (&imported, i == 0 ? "t" : "u")->constant, 1, &values[i], &error));
  g_assert_cmpfloat (values[0], ==, -2);
  g_assert_cmpfloat (values[1], ==, 1.5);

  g_assert_true (g_file_set_contents (array, "\x93NUMPY\x01\0", 8, NULL));
  g_assert_null (assay_tensor_file_load (array, ASSAY_TYPE_KIND_TENSOR, NULL, &error));
  g_assert_error (error, ASSAY_ERROR, ASSAY_ERROR_IMPORT);
  g_assert_nonnull (strstr (error->message, "a NumPy array"));
  g_unlink (array);
}

/* A model may lie at the top of all folders, and in one that is gone. */
static void
test_folders (void)
{
  g_autoptr (GError) error = NULL;
  g_autofree char *top = assay_external_data_resolve ("/", "dev/null", &error);

  g_assert_cmpstr (top, ==, "/dev/null");
  g_assert_null (assay_external_data_resolve ("/nonexistent", "weights.bin", &error));
  g_assert_error (error, ASSAY_ERROR, ASSAY_ERROR_IO);
}

static GByteArray *
constant_node (guint field, const char *name, gint64 value)
{
  GByteArray *node = onnx_node ("Constant", "constant", "", "t");
  GByteArray *attribute = wire_new ();

  wire_string (attribute, ATTRIBUTE_NAME, name);
  if (field == ATTRIBUTE_F)
    wire_float (attribute, field, (float) value);
  else if (field == ATTRIBUTE_S)
    wire_string (attribute, field, "text");
  else
    wire_int (attribute, field, value);
  wire_message (node, NODE_ATTRIBUTE, attribute);

  return node;
}

static void
test_constant_nodes (void)
{
  static const struct
  {
    guint field;
    const char *name;
    const char *type;
  } cases[] = {
    { ATTRIBUTE_F, "value_float", "f32[]" },
    { ATTRIBUTE_I, "value_int", "i64[]" },
    { ATTRIBUTE_S, "value_string", "string[]" },
    { 8, "value_ints", "i64[1]" },
  };

  for (guint i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      g_auto (Imported) imported = imported_new (
          model_of_tensor (constant_node (cases[i].field, cases[i].name, 3), GRAPH_NODE), NULL);
      AssayTensor *constant = imported_value (&imported, "t")->constant;
      g_autofree char *type = imported_type (&imported, "t");
      double value = NAN;

      g_assert_cmpstr (type, ==, cases[i].type);
      g_assert_nonnull (constant);
      if (cases[i].field != ATTRIBUTE_S)
        {
          g_assert_true (assay_tensor_get_element (constant, 0, &value, NULL));
          g_assert_cmpfloat (value, ==, 3);
        }
    }
}

/* A test data set: the file of a sequence cannot say that it is one. */
static void
test_files (void)
{
  static const char folder[] =
      "/usr/share/libonnx-testdata/data/node/test_sequence_insert_at_front/test_data_set_0";
  g_autofree char *sequence = g_build_filename (folder, "input_0.pb", NULL);
  g_autofree char *tensor = g_build_filename (folder, "input_1.pb", NULL);
  g_autoptr (GPtrArray) many = NULL;
  g_autoptr (GPtrArray) one = NULL;
  g_autoptr (GError) error = NULL;
  g_autofree char *name = NULL;

  if (!g_file_test (sequence, G_FILE_TEST_EXISTS))
    {
      g_test_skip ("libonnx-testdata is not installed");
      return;
    }

  many = assay_tensor_file_load (sequence, ASSAY_TYPE_KIND_SEQUENCE, &name, &error);
  g_assert_no_error (error);
  g_assert_cmpuint (many->len, ==, 3);
  g_assert_cmpstr (name, ==, "sequence");

  one = assay_tensor_file_load (tensor, ASSAY_TYPE_KIND_TENSOR, NULL, &error);
  g_assert_no_error (error);
  g_assert_cmpuint (one->len, ==, 1);
  g_assert_nonnull (assay_tensor_get_data (one->pdata[0], NULL, NULL));

  g_assert_null (assay_tensor_file_load ("/nonexistent.pb", ASSAY_TYPE_KIND_TENSOR, NULL, &error));
  g_assert_error (error, ASSAY_ERROR, ASSAY_ERROR_IO);
}

/* Fields of SequenceProto, MapProto and OptionalProto in the specification of ONNX data. */
enum
{
  VALUE_NAME = 1,
  SEQUENCE_TENSOR = 3,
  SEQUENCE_SEQUENCE = 5,
  SEQUENCE_MAP = 6,
  SEQUENCE_OPTIONAL = 7,
  MAP_KEYS = 3,
  MAP_STRING_KEYS = 4,
  MAP_VALUES = 5,
  OPTIONAL_TENSOR = 3,
  OPTIONAL_SEQUENCE = 5,
  OPTIONAL_MAP = 6,
  OPTIONAL_OPTIONAL = 7,
};

/* A message around another. */
static GByteArray *
around (guint field, GByteArray *child)
{
  GByteArray *self = wire_new ();

  wire_message (self, field, child);

  return self;
}

static GByteArray *
pair_of_floats (gboolean good)
{
  static const float pair[] = { 1.5f, -2 };
  GByteArray *tensor = onnx_tensor ("t", 1, 1, (const gint64[]){ 2 });

  wire_bytes (tensor, TENSOR_RAW_DATA, pair, good ? sizeof pair : 4);

  return tensor;
}

static GByteArray *
map_of (gboolean strings, GByteArray *values)
{
  GByteArray *self = wire_new ();

  for (guint i = 0; i < 2; i++)
    if (strings)
      wire_string (self, MAP_STRING_KEYS, i == 0 ? "one" : "two");
    else
      wire_int (self, MAP_KEYS, i + 1);
  if (values != NULL)
    wire_message (self, MAP_VALUES, values);

  return self;
}

static GByteArray *
named (GByteArray *message)
{
  wire_string (message, VALUE_NAME, "value");

  return message;
}

/* Every way in which values hold tensors; the same with a tensor that is damaged is refused. */
static void
test_values (void)
{
  g_autofree char *folder = g_dir_make_tmp ("assay-XXXXXX", NULL);
  g_autofree char *path = g_build_filename (folder, "value.pb", NULL);

  for (guint good = 0; good < 2; good++)
    {
#define TENSOR pair_of_floats (good)
      const struct
      {
        AssayTypeKind kind;
        GByteArray *message;
        guint n_tensors;
        const char *name;
        gboolean is_whole; /* holds no tensor that could be damaged */
      } cases[] = {
        { ASSAY_TYPE_KIND_UNKNOWN, TENSOR, 1, "t" },
        { ASSAY_TYPE_KIND_SEQUENCE, named (wire_new ()), 0, "value", TRUE },
        { ASSAY_TYPE_KIND_SEQUENCE, around (SEQUENCE_TENSOR, TENSOR), 1, "" },
        { ASSAY_TYPE_KIND_SEQUENCE, around (SEQUENCE_SEQUENCE, around (SEQUENCE_TENSOR, TENSOR)), 1,
          "" },
        { ASSAY_TYPE_KIND_SEQUENCE,
          around (SEQUENCE_MAP, map_of (FALSE, around (SEQUENCE_TENSOR, TENSOR))), 2, "" },
        { ASSAY_TYPE_KIND_SEQUENCE, around (SEQUENCE_OPTIONAL, around (OPTIONAL_TENSOR, TENSOR)), 1,
          "" },
        { ASSAY_TYPE_KIND_MAP, named (map_of (FALSE, NULL)), 1, "value", TRUE },
        { ASSAY_TYPE_KIND_MAP, wire_new (), 1, "", TRUE },
        { ASSAY_TYPE_KIND_MAP, map_of (TRUE, around (SEQUENCE_TENSOR, TENSOR)), 2, "" },
        { ASSAY_TYPE_KIND_OPTIONAL, named (wire_new ()), 0, "value", TRUE },
        { ASSAY_TYPE_KIND_OPTIONAL, around (OPTIONAL_TENSOR, TENSOR), 1, "" },
        { ASSAY_TYPE_KIND_OPTIONAL, around (OPTIONAL_SEQUENCE, around (SEQUENCE_TENSOR, TENSOR)), 1,
          "" },
        { ASSAY_TYPE_KIND_OPTIONAL,
          around (OPTIONAL_MAP, map_of (TRUE, around (SEQUENCE_TENSOR, TENSOR))), 2, "" },
        { ASSAY_TYPE_KIND_OPTIONAL, around (OPTIONAL_OPTIONAL, around (OPTIONAL_TENSOR, TENSOR)), 1,
          "" },
      };
#undef TENSOR

      for (guint i = 0; i < G_N_ELEMENTS (cases); i++)
        {
          g_autoptr (GByteArray) message = cases[i].message;
          g_autoptr (GPtrArray) tensors = NULL;
          g_autofree char *name = NULL;
          g_autoptr (GError) error = NULL;
          double value;

          g_assert_true (g_file_set_contents (path, (const char *) message->data,
                                              (gssize) message->len, NULL));
          tensors = assay_tensor_file_load (path, cases[i].kind, &name, &error);
          if (!good && !cases[i].is_whole)
            {
              g_assert_null (tensors);
              g_assert_error (error, ASSAY_ERROR, ASSAY_ERROR_INVALID);
              g_assert_true (g_str_has_prefix (error->message, path));
              g_assert_null (name);
              continue;
            }
          g_assert_no_error (error);
          g_assert_cmpuint (tensors->len, ==, cases[i].n_tensors);
          g_assert_cmpstr (name, ==, cases[i].name);
          if (cases[i].is_whole)
            continue;
          g_assert_true (
              assay_tensor_get_element (tensors->pdata[tensors->len - 1], 1, &value, NULL));
          g_assert_cmpfloat (value, ==, -2);
        }
    }
  g_unlink (path);
  g_rmdir (folder);
}

static GBytes *
fail_to_load (AssayTensor *tensor, gpointer data, GError **error)
{
  g_set_error_literal (error, ASSAY_ERROR, ASSAY_ERROR_IMPORT, "its elements are gone");
  return NULL;
}

/* What is written is read again; what cannot be written is said. */
static void
test_save (void)
{
  static const gint64 two = 2, none = 0;
  static const float pair[] = { 1.5f, -2 };
  g_autofree char *folder = g_dir_make_tmp ("assay-XXXXXX", NULL);
  g_autofree char *path = g_build_filename (folder, "value.pb", NULL);
  g_autofree char *nowhere = g_build_filename (folder, "none", "value.pb", NULL);
  g_autoptr (GBytes) byte = g_bytes_new_static ("\x21", 1);
  g_autoptr (AssayTensor) good = assay_tensor_new_f32 (1, &two, pair);
  g_autoptr (AssayTensor) empty = assay_tensor_new_f32 (1, &none, pair);
  g_autoptr (AssayTensor) small = assay_tensor_new (ASSAY_DTYPE_I4, 1, &two, byte, NULL);
  g_autoptr (GPtrArray) no_strings = g_ptr_array_new ();
  g_autoptr (AssayTensor) text = assay_tensor_new_strings (1, &none, no_strings, NULL);
  g_autoptr (AssayTensor)
      gone = assay_tensor_new_lazy (ASSAY_DTYPE_F32, 1, &two, fail_to_load, NULL, NULL, NULL);
  const struct
  {
    AssayTensor *tensor;
    const char *path;
    const char *message; /* NULL if it is good */
  } cases[] = {
    { good, path, NULL },
    { empty, path, NULL },
    { small, path, "elements of type i4 are not written" },
    { text, path, "elements of type string are not written" },
    { gone, path, "its elements are gone" },
    { good, nowhere, "cannot be written" },
  };

  for (guint i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      g_autoptr (GError) error = NULL;
      g_autoptr (GPtrArray) back = NULL;
      g_autofree char *name = NULL;

      g_unlink (path);
      g_assert_cmpint (assay_tensor_file_save (cases[i].path, cases[i].tensor, "x", &error), ==,
                       cases[i].message == NULL);
      if (cases[i].message != NULL)
        {
          g_assert_nonnull (strstr (error->message, cases[i].message));
          g_assert_false (g_file_test (path, G_FILE_TEST_EXISTS));
          continue;
        }
      g_assert_no_error (error);
      back = assay_tensor_file_load (path, ASSAY_TYPE_KIND_TENSOR, &name, &error);
      g_assert_no_error (error);
      g_assert_cmpstr (name, ==, "x");
      g_assert_cmpmem (assay_tensor_get_data (back->pdata[0], NULL, NULL),
                       assay_tensor_get_n_bytes (back->pdata[0]),
                       assay_tensor_get_data (cases[i].tensor, NULL, NULL),
                       assay_tensor_get_n_bytes (cases[i].tensor));
    }
  g_rmdir (folder);
}

/* Lists of integers that are too long to be counted at once are counted when they are wanted. */
static void
test_counted_late (void)
{
  static const struct
  {
    guint n;             /* entries of two bytes each */
    const char *message; /* NULL if it is good */
  } cases[] = {
    { 3000, NULL },
    { 2999, "2999 entries of tensor data, expected 3000" },
    { 3001, "at least 3001 entries of tensor data, expected 3000" },
  };

  for (guint i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      GByteArray *tensor = onnx_tensor ("t", 6, 1, (const gint64[]){ 3000 });
      GByteArray *list = wire_new ();
      g_autoptr (GError) error = NULL;
      AssayTensor *constant;

      for (guint k = 0; k < cases[i].n; k++)
        wire_varint (list, 300);
      wire_message (tensor, TENSOR_INT32_DATA, list);

      g_auto (Imported) imported = imported_new (model_of_tensor (tensor, GRAPH_INITIALIZER), NULL);

      constant = imported_value (&imported, "t")->constant;
      g_assert_cmpint (assay_tensor_get_data (constant, NULL, &error) != NULL, ==,
                       cases[i].message == NULL);
      if (cases[i].message != NULL)
        g_assert_nonnull (strstr (error->message, cases[i].message));
    }
}

/* As the node tests of ONNX 1.16 and later have them: casts to and from the narrow types, and
 * quantization by a zero point of that type. */
static void
test_narrow_nodes (void)
{
  static const gint64 four[] = { 4 };
  static const gint64 one[] = { 1 };

  for (int type = 17; type <= 24; type++)
    {
      const char *name = assay_dtype_name ((AssayDType) type);
      g_autofree char *narrow = g_strdup_printf ("%s[4]", name);
      g_autofree char *type_of_q = NULL;
      g_autofree char *type_of_y = NULL;
      g_autofree char *type_of_c = NULL;
      gsize bits = assay_dtype_bits ((AssayDType) type);
      /* Casts take it from opset 24 on, quantization never. */
      gboolean is_scale = type == ASSAY_DTYPE_F8E8M0;
      GByteArray *graph = wire_new ();
      GByteArray *model = wire_new ();
      GByteArray *opset = wire_new ();
      GByteArray *attribute = wire_new ();
      GByteArray *tensor = onnx_tensor ("weights", type, 1, four);
      GByteArray *node = onnx_node ("Cast", "narrow", "x", "c");

      wire_bytes (tensor, TENSOR_RAW_DATA, "\x12\x34\x11\x22", bits / 2);
      wire_message (graph, GRAPH_INITIALIZER, tensor);
      tensor = onnx_tensor ("zero", type, 1, one);
      wire_bytes (tensor, TENSOR_RAW_DATA, "\0", 1);
      wire_message (graph, GRAPH_INITIALIZER, tensor);
      tensor = onnx_tensor ("scale", 1, 1, one);
      wire_bytes (tensor, TENSOR_RAW_DATA, "\0\0\x80\x3f", 4);
      wire_message (graph, GRAPH_INITIALIZER, tensor);

      wire_string (attribute, ATTRIBUTE_NAME, "to");
      wire_int (attribute, ATTRIBUTE_I, type);
      wire_int (attribute, ATTRIBUTE_TYPE, 2);
      wire_message (node, NODE_ATTRIBUTE, attribute);
      wire_message (graph, GRAPH_NODE, node);
      wire_message (graph, GRAPH_NODE,
                    onnx_node ("QuantizeLinear", "quantize", "x scale zero", "q"));
      wire_message (graph, GRAPH_NODE,
                    onnx_node ("DequantizeLinear", "dequantize", "q scale zero", "y"));
      wire_message (graph, GRAPH_NODE,
                    onnx_node ("DequantizeLinear", "weight", "weights scale zero", "w"));
      wire_message (graph, GRAPH_INPUT, onnx_info ("x", 1, "4"));
      wire_message (graph, GRAPH_OUTPUT, onnx_info ("c", type, "4"));
      wire_message (graph, GRAPH_OUTPUT, onnx_info ("q", type, "4"));
      wire_message (graph, GRAPH_OUTPUT, onnx_info ("y", 1, "4"));
      wire_message (graph, GRAPH_OUTPUT, onnx_info ("w", 1, "4"));
      wire_int (model, 1, 11);
      wire_int (opset, 2, is_scale ? 24 : 23);
      wire_message (model, 8, opset);
      wire_message (model, MODEL_GRAPH, graph);

      {
        g_auto (Imported) imported = imported_new (model, NULL);

        g_assert_cmpuint (assay_findings_get_count (imported.findings), ==, is_scale ? 3 : 0);
        g_assert_cmpint (imported_node (&imported, "quantize")->op, ==,
                         is_scale ? ASSAY_OP_OPAQUE : ASSAY_OP_QuantizeLinear);
        type_of_q = imported_type (&imported, "q");
        type_of_y = imported_type (&imported, "y");
        type_of_c = imported_type (&imported, "c");
        g_assert_cmpstr (type_of_q, ==, narrow);
        g_assert_cmpstr (type_of_c, ==, narrow);
        g_assert_cmpstr (type_of_y, ==, "f32[4]");
      }
    }
}

TEST_PROGRAM (import_tensor)
{
  g_test_init (&argc, &argv, NULL);

  g_test_add_func ("/import/tensor/types", test_types);
  g_test_add_func ("/import/tensor/narrow-nodes", test_narrow_nodes);
  g_test_add_func ("/import/tensor/floats", test_floats);
  g_test_add_func ("/import/tensor/strings", test_strings);
  g_test_add_func ("/import/tensor/sparse", test_sparse);
  g_test_add_func ("/import/tensor/sparse-hostile", test_sparse_hostile);
  g_test_add_func ("/import/tensor/broken", test_broken);
  g_test_add ("/import/tensor/external", Folders, NULL, folders_set_up, test_external,
              folders_tear_down);
  g_test_add ("/import/tensor/external-beside", Folders, NULL, folders_set_up, test_external_beside,
              folders_tear_down);
  g_test_add_func ("/import/tensor/folders", test_folders);
  g_test_add_func ("/import/tensor/constant-nodes", test_constant_nodes);
  g_test_add_func ("/import/tensor/files", test_files);
  g_test_add_func ("/import/tensor/values", test_values);
  g_test_add_func ("/import/tensor/save", test_save);
  g_test_add_func ("/import/tensor/counted-late", test_counted_late);

  return g_test_run ();
}
