/* test-run-inputs.c
 * SPDX-License-Identifier: Apache-2.0
 *
 * What goes into a run: files of every kind, distributions and constants, and what is said of those
 * that do not fit.
 */
#include <glib.h>
#include <glib/gstdio.h>
#include <math.h>
#include <string.h>

#include "base/assay-npy.h"
#include "base/assay-npz.h"
#include "source/onnx/assay-tensor-file.h"
#include "run-fixture.h"
#include "corpus.h"
#include "test-program.h"
#include "nnir/text/assay-text.h"
#include "run/assay-run-input-graph.h"
#include "run/assay-run-inputs.h"
#include "run/assay-runner.h"
#include "source/assay-source.h"
#include "source/onnx/assay-tensor-file.h"

#define N_PORTS 3

/* A picture, some indices, and a sequence of any length. */
static const AssayRunPort ports[N_PORTS] = {
  { (char *) "x", ASSAY_DTYPE_F32, 2, (gint64 *) (const gint64[]){ 2, 3 }, -1 },
  { (char *) "ids", ASSAY_DTYPE_I64, 1, (gint64 *) (const gint64[]){ 4 }, -1 },
  { (char *) "seq", ASSAY_DTYPE_F32, 3, (gint64 *) (const gint64[]){ 1, -1, 2 }, 1 },
};

static const float six[] = { 1, -2, 3.5f, 0, 1e-20f, 6 };

/* Makes tensors of the texts; what no text is about is drawn. */
static GPtrArray *
make (const char *const *texts, guint64 seed, gint64 n_steps, GError **error)
{
  g_autoptr (AssayRunInputs) inputs = assay_run_inputs_new ();

  assay_run_inputs_set_seed (inputs, seed, TRUE);
  for (guint i = 0; texts[i] != NULL; i++)
    {
      if (!assay_run_inputs_add (inputs, texts[i], error))
        return NULL;
    }

  return assay_run_inputs_make (inputs, ports, N_PORTS, n_steps, error);
}

static GPtrArray *
make_good (const char *const *texts, guint64 seed, gint64 n_steps)
{
  g_autoptr (GError) error = NULL;
  GPtrArray *tensors = make (texts, seed, n_steps, &error);

  g_assert_no_error (error);
  g_assert_cmpuint (tensors->len, ==, N_PORTS);

  return tensors;
}

static AssayTensor *
six_as (AssayDType dtype)
{
  const gint64 dims[] = { 2, 3 };
  g_autoptr (GBytes) bytes = NULL;
  double wide[6];

  for (guint i = 0; i < 6; i++)
    wide[i] = six[i];
  bytes = dtype == ASSAY_DTYPE_F64 ? g_bytes_new (wide, sizeof wide)
                                   : g_bytes_new (six, sizeof six);

  return assay_tensor_new (dtype, 2, dims, bytes, NULL);
}

/* A temporary folder that holds `x.npy`, `wide.npy`, `x.raw` and `ids.npy`, and is the working
 * folder until the end. */
typedef struct
{
  char *path;
  char *before;
} Folder;

static void
write_file (const char *name, GBytes *bytes)
{
  gsize n;
  const char *data = g_bytes_get_data (bytes, &n);

  g_assert_true (g_file_set_contents (name, data, (gssize) n, NULL));
}

static void
folder_set_up (Folder *self, gconstpointer data)
{
  g_autoptr (AssayTensor) x = six_as (ASSAY_DTYPE_F32);
  g_autoptr (AssayTensor) wide = six_as (ASSAY_DTYPE_F64);
  const gint64 n = 4;
  const gint64 ids[] = { 0, 9, -1, 7 };
  g_autoptr (AssayTensor) indices = assay_tensor_new_i64 (1, &n, ids);
  g_autoptr (GBytes) raw = g_bytes_new_static (six, sizeof six);

  self->before = g_get_current_dir ();
  self->path = g_dir_make_tmp ("assay-test-XXXXXX", NULL);
  g_assert_cmpint (g_chdir (self->path), ==, 0);
  assay_npy_save (x, "x.npy", NULL);
  assay_npy_save (wide, "wide.npy", NULL);
  assay_npy_save (indices, "ids.npy", NULL);
  write_file ("x.raw", raw);
}

static void
folder_tear_down (Folder *self, gconstpointer data)
{
  g_autoptr (GDir) dir = g_dir_open (".", 0, NULL);
  const char *name;

  while ((name = g_dir_read_name (dir)) != NULL)
    g_remove (name);
  g_assert_cmpint (g_chdir (self->before), ==, 0);
  g_rmdir (self->path);
  g_free (self->path);
  g_free (self->before);
}

static void
assert_six (AssayTensor *tensor)
{
  gsize n;
  gconstpointer data = assay_tensor_get_data (tensor, &n, NULL);

  g_assert_cmpint (assay_tensor_get_dtype (tensor), ==, ASSAY_DTYPE_F32);
  g_assert_cmpmem (data, n, six, sizeof six);
}

static void
append_le (GByteArray *bytes, guint64 value, guint n)
{
  for (guint i = 0; i < n; i++)
    g_byte_array_append (bytes, &(guint8){ (guint8) (i < 8 ? value >> (8 * i) : 0) }, 1);
}

/* CRC-32, bit by bit. */
static guint32
crc_of (const guint8 *data, gsize n)
{
  guint32 crc = 0xffffffffu;

  for (gsize i = 0; i < n * 8; i++)
    {
      if (i % 8 == 0)
        crc ^= data[i / 8];
      crc = crc >> 1 ^ ((crc & 1) != 0 ? 0xedb88320u : 0);
    }

  return ~crc;
}

/* An archive as savez() writes it, with one member; a deflated one as savez_compressed() does. */
static GBytes *
make_archive (const char *name, GBytes *npy, gboolean deflate, gboolean wide)
{
  GByteArray *zip = g_byte_array_new ();
  gsize n, used, made, offset;
  const guint8 *data = g_bytes_get_data (npy, &n);
  guint32 crc = crc_of (data, n);
  g_autofree guint8 *packed = g_malloc (n + 100);

  if (deflate)
    {
      g_autoptr (GConverter)
          deflater = G_CONVERTER (g_zlib_compressor_new (G_ZLIB_COMPRESSOR_FORMAT_RAW, 9));

      g_assert_cmpint (g_converter_convert (deflater, data, n, packed, n + 100,
                                            G_CONVERTER_INPUT_AT_END, &used, &made, NULL),
                       ==, G_CONVERTER_FINISHED);
    }
  else
    {
      memcpy (packed, data, n);
      made = n;
    }

  append_le (zip, 0x04034b50, 4);
  append_le (zip, 20, 4);
  append_le (zip, deflate ? 8 : 0, 6);
  append_le (zip, crc, 4);
  append_le (zip, G_MAXUINT32, 4); /* savez() has the sizes in an extra field here */
  append_le (zip, G_MAXUINT32, 4);
  append_le (zip, strlen (name), 2);
  append_le (zip, 20, 2);
  g_byte_array_append (zip, (const guint8 *) name, (guint) strlen (name));
  append_le (zip, 1, 2);
  append_le (zip, 16, 2);
  append_le (zip, n, 8);
  append_le (zip, made, 8);
  g_byte_array_append (zip, packed, (guint) made);

  offset = zip->len;
  append_le (zip, 0x02014b50, 4);
  append_le (zip, 20, 6);
  append_le (zip, deflate ? 8 : 0, 6);
  append_le (zip, crc, 4);
  append_le (zip, wide ? G_MAXUINT32 : made, 4);
  append_le (zip, wide ? G_MAXUINT32 : n, 4);
  append_le (zip, strlen (name), 2);
  append_le (zip, wide ? 20 : 0, 2);
  append_le (zip, 0, 10);
  append_le (zip, 0, 4);
  g_byte_array_append (zip, (const guint8 *) name, (guint) strlen (name));
  if (wide)
    {
      append_le (zip, 1, 2);
      append_le (zip, 16, 2);
      append_le (zip, n, 8);
      append_le (zip, made, 8);
    }
  used = zip->len;
  append_le (zip, 0x06054b50, 4);
  append_le (zip, 0, 4);
  append_le (zip, 1, 2);
  append_le (zip, 1, 2);
  append_le (zip, used - offset, 4);
  append_le (zip, offset, 4);
  append_le (zip, 0, 2);

  return g_byte_array_free_to_bytes (zip);
}

static void
test_files (Folder *folder, gconstpointer data)
{
  static const char *const texts[] = {
    "x=x.npy",           "x=wide.npy", "x=x.raw:f32:2x3", "x=one.npz",
    "x=packed.npz:deep", "x=wide.npz", "x=x.pb",
  };
  g_autoptr (AssayTensor) x = six_as (ASSAY_DTYPE_F32);
  g_autoptr (GBytes) npy = assay_npy_to_bytes (x, NULL);
  g_autoptr (GBytes) one = make_archive ("other.npy", npy, FALSE, FALSE);
  g_autoptr (GBytes) packed = make_archive ("deep.npy", npy, TRUE, FALSE);
  g_autoptr (GBytes) wide = make_archive ("x.npy", npy, TRUE, TRUE);
  const char *const alone[] = { "wide.npz", "ids=ids.npy", NULL };
  g_autoptr (GPtrArray) tensors = NULL;
  gint64 id;

  write_file ("one.npz", one);
  write_file ("packed.npz", packed);
  write_file ("wide.npz", wide);
  g_assert_true (assay_tensor_file_save ("x.pb", x, "any", NULL));
  for (guint i = 0; i < G_N_ELEMENTS (texts); i++)
    {
      const char *const list[] = { texts[i], NULL };

      g_clear_pointer (&tensors, g_ptr_array_unref);
      tensors = make_good (list, 1, 0);
      assert_six (g_ptr_array_index (tensors, 0));
    }

  g_clear_pointer (&tensors, g_ptr_array_unref);
  tensors = make_good (alone, 1, 0);
  assert_six (g_ptr_array_index (tensors, 0));
  g_assert_true (assay_tensor_get_integer (g_ptr_array_index (tensors, 1), 2, &id, NULL));
  g_assert_cmpint (id, ==, -1);
}

/* An archive with any byte cut off or changed gives an error or the array, never anything else. */
static void
test_damaged_archives (void)
{
  g_autoptr (AssayTensor) x = six_as (ASSAY_DTYPE_F32);
  g_autoptr (GBytes) npy = assay_npy_to_bytes (x, NULL);

  for (guint kind = 0; kind < 4; kind++)
    {
      g_autoptr (GBytes) archive = make_archive ("x.npy", npy, (kind & 1) != 0, (kind & 2) != 0);
      gsize size;
      const guint8 *data = g_bytes_get_data (archive, &size);

      for (gsize at = 0; at < 2 * size; at++)
        {
          g_autofree guint8 *copy = g_memdup2 (data, size);
          g_autoptr (GBytes) damaged = NULL;
          g_autoptr (GPtrArray) names = g_ptr_array_new_with_free_func (g_free);
          g_autoptr (GPtrArray)
              tensors = g_ptr_array_new_with_free_func ((GDestroyNotify) assay_tensor_unref);
          g_autoptr (GError) error = NULL;

          if (at < size)
            copy[at] ^= (guint8) (1 + at % 255);
          damaged = g_bytes_new (copy, at < size ? size : at - size);
          if (!assay_npz_from_bytes (damaged, names, tensors, NULL, &error))
            g_assert_error (error, ASSAY_ERROR, ASSAY_ERROR_INVALID);
          else if (tensors->len > 0)
            assert_six (g_ptr_array_index (tensors, 0));
        }
    }
}

static void
statistics (AssayTensor *tensor, double *mean, double *deviation, double *min, double *max)
{
  gsize n = assay_tensor_get_n_elements (tensor);
  double squares = 0;

  *mean = 0;
  *min = INFINITY;
  *max = -INFINITY;
  for (gsize i = 0; i < n; i++)
    {
      double value;

      g_assert_true (assay_tensor_get_element (tensor, i, &value, NULL));
      *mean += value / (double) n;
      squares += value * value / (double) n;
      *min = MIN (*min, value);
      *max = MAX (*max, value);
    }
  *deviation = sqrt (fmax (0, squares - *mean * *mean));
}

static void
test_distributions (void)
{
  static const struct
  {
    const char *text;
    double mean;
    double deviation;
    double min;
    double max;
    gboolean whole;
  } cases[] = {
    { "seq=@uniform", 0, 0.5774, -1, 1, FALSE },
    { "seq=@uniform:2:6", 4, 1.1547, 2, 6, FALSE },
    { "seq=@normal", 0, 1, -6, 6, FALSE },
    { "seq=@normal:10:0.5", 10, 0.5, 7, 13, FALSE },
    { "seq=@integers:-2:2", 0, 1.4142, -2, 2, TRUE },
    { "seq=@constant:-0.25", -0.25, 0, -0.25, -0.25, FALSE },
  };

  for (guint i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      const char *const texts[] = { cases[i].text, NULL };
      g_autoptr (GPtrArray) tensors = make_good (texts, 42, 20000);
      AssayTensor *tensor = g_ptr_array_index (tensors, 2);
      double mean, deviation, min, max;

      g_assert_cmpint (assay_tensor_get_dims (tensor)[1], ==, 20000);
      statistics (tensor, &mean, &deviation, &min, &max);
      g_assert_cmpfloat_with_epsilon (mean, cases[i].mean, 0.03);
      g_assert_cmpfloat_with_epsilon (deviation, cases[i].deviation, 0.03);
      g_assert_cmpfloat (min, >=, cases[i].min);
      g_assert_cmpfloat (max, <=, cases[i].max);
      if (!cases[i].whole)
        continue;
      for (gsize j = 0; j < 100; j++)
        {
          double value;

          assay_tensor_get_element (tensor, j, &value, NULL);
          g_assert_cmpfloat (value, ==, floor (value));
        }
      g_assert_cmpfloat (min, ==, cases[i].min);
      g_assert_cmpfloat (max, ==, cases[i].max);
    }
}

/* A seed gives the same values whatever other inputs are given, and other values for another input
 * or seed. */
static void
test_seeds (void)
{
  const char *const nothing[] = { NULL };
  const char *const constant[] = { "x=@constant:1", NULL };
  g_autoptr (GPtrArray) a = make_good (nothing, 5, 3);
  g_autoptr (GPtrArray) b = make_good (constant, 5, 3);
  g_autoptr (GPtrArray) c = make_good (nothing, 6, 3);
  gsize n;
  const float *first = assay_tensor_get_data (g_ptr_array_index (a, 0), &n, NULL);
  const float *last = assay_tensor_get_data (g_ptr_array_index (a, 2), &n, NULL);
  const float *other = assay_tensor_get_data (g_ptr_array_index (c, 0), &n, NULL);

  assert_same_bits (g_ptr_array_index (a, 1), g_ptr_array_index (b, 1));
  assert_same_bits (g_ptr_array_index (a, 2), g_ptr_array_index (b, 2));
  g_assert_cmpint (memcmp (first, last, 6 * sizeof *first), !=, 0);
  g_assert_cmpint (memcmp (first, other, 6 * sizeof *first), !=, 0);

  /* The upper 24 bits of what SplitMix64 gives after state 5, worked out elsewhere. */
  g_assert_cmpfloat (first[0], ==, (float) 6488891 / 8388608.0f - 1.0f);
  g_assert_cmpint (assay_tensor_get_dtype (g_ptr_array_index (a, 1)), ==, ASSAY_DTYPE_I64);
}

/* Timesteps are those of the files, or fewer if fewer are asked for. */
static void
test_timesteps (Folder *folder, gconstpointer data)
{
  const gint64 dims[] = { 1, 5, 2 };
  const float values[] = { 0, 1, 2, 3, 4, 5, 6, 7, 8, 9 };
  g_autoptr (AssayTensor) five = assay_tensor_new_f32 (3, dims, values);
  const char *const texts[] = { "seq=five.npy", NULL };
  g_autoptr (GPtrArray) all = NULL;
  g_autoptr (GPtrArray) three = NULL;
  g_autoptr (GError) error = NULL;
  gsize n;
  gconstpointer bytes;

  assay_npy_save (five, "five.npy", NULL);
  all = make_good (texts, 0, 0);
  assert_same_bits (five, g_ptr_array_index (all, 2));
  three = make_good (texts, 0, 3);
  bytes = assay_tensor_get_data (g_ptr_array_index (three, 2), &n, NULL);
  g_assert_cmpmem (bytes, n, values, 6 * sizeof *values);
  g_assert_null (make (texts, 0, 6, &error));
  assert_message (error, ASSAY_ERROR_INVALID, "input seq: five.npy: 5 timesteps, 6 are asked for");
}

/* The first axis can be time. Drawn inputs have as many timesteps as the file. */
static void
test_time_axes (Folder *folder, gconstpointer data)
{
  static const gint64 extents[] = { 5, 2, 3 };
  const float values[30] = { 0 };
  g_autoptr (AssayTensor) tensor = assay_tensor_new_f32 (3, extents, values);

  assay_npy_save (tensor, "file.npy", NULL);
  for (int axis = -1; axis < 3; axis++)
    {
      gint64 dims[2][3] = { { 5, 2, 3 }, { 4, 4, 4 } };
      const AssayRunPort two[] = {
        { (char *) "file", ASSAY_DTYPE_F32, 3, dims[0], axis },
        { (char *) "drawn", ASSAY_DTYPE_F32, 3, dims[1], axis },
      };
      g_autoptr (AssayRunInputs) inputs = assay_run_inputs_new ();
      g_autoptr (GPtrArray) tensors = NULL;
      g_autoptr (GError) error = NULL;

      if (axis >= 0)
        dims[0][axis] = dims[1][axis] = -1;
      assay_run_inputs_set_seed (inputs, 1, TRUE);
      g_assert_true (assay_run_inputs_add (inputs, "file=file.npy", &error));
      tensors = assay_run_inputs_make (inputs, two, 2, 0, &error);
      g_assert_no_error (error);
      for (int i = 0; i < 3; i++)
        {
          g_assert_cmpint (assay_tensor_get_dims (g_ptr_array_index (tensors, 0))[i], ==,
                           extents[i]);
          g_assert_cmpint (assay_tensor_get_dims (g_ptr_array_index (tensors, 1))[i], ==,
                           i == axis ? extents[i] : 4);
        }
    }
}

static void
save_two (const char *path)
{
  g_autoptr (AssayTensor) six_values = six_as (ASSAY_DTYPE_F32);
  g_autoptr (GPtrArray) names = g_ptr_array_new ();
  g_autoptr (GPtrArray) tensors = g_ptr_array_new ();

  for (guint i = 0; i < 2; i++)
    {
      g_ptr_array_add (names, (gpointer) (i == 0 ? "a" : "b"));
      g_ptr_array_add (tensors, six_values);
    }
  g_assert_true (assay_npz_save (names, tensors, path, NULL));
}

/* A file that is not there is no mistake of the text. */
static void
test_missing (Folder *folder, gconstpointer data)
{
  static const char *const cases[] = { "x=none.npy", "x=none.npz",       "x=none.npz:a",
                                       "x=none.pb",  "x=none.raw:f32:6", "none.npz" };

  for (guint i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      const char *const texts[] = { cases[i], NULL };
      g_autoptr (GError) error = NULL;

      g_assert_null (make (texts, 0, 0, &error));
      g_assert_error (error, ASSAY_ERROR, ASSAY_ERROR_IO);
      g_assert_nonnull (strstr (error->message, "none."));
    }
}

static GBytes *
fail_to_load (AssayTensor *tensor, gpointer data, GError **error)
{
  g_set_error_literal (error, ASSAY_ERROR, ASSAY_ERROR_IMPORT, "its elements are gone");
  return NULL;
}

/* What is given goes into what is taken, or it is said why not. */
static void
test_pairs (void)
{
  static const struct
  {
    AssayDType given;
    AssayDType taken;
    const char *message; /* NULL if it is good */
  } cases[] = {
    { ASSAY_DTYPE_F64, ASSAY_DTYPE_UNDEFINED, NULL },
    { ASSAY_DTYPE_F32, ASSAY_DTYPE_F64, NULL },
    { ASSAY_DTYPE_F32, ASSAY_DTYPE_C64, "input s: s: elements of type f32, expected c64" },
    { ASSAY_DTYPE_F32, ASSAY_DTYPE_STRING, "input s: s: elements of type f32, expected string" },
    { ASSAY_DTYPE_F32, ASSAY_DTYPE_I8, "input s: s: elements of type f32, expected i8" },
    { ASSAY_DTYPE_C64, ASSAY_DTYPE_F32, "input s: s: elements of type c64, expected f32" },
    { ASSAY_DTYPE_STRING, ASSAY_DTYPE_F32, "input s: s: elements of type string, expected f32" },
  };
  const gint64 none = 0;

  for (guint i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      const AssayRunPort port = { (char *) "s", cases[i].taken, 1, (gint64 *) &none, -1 };
      g_autoptr (AssayRunInputs) inputs = assay_run_inputs_new ();
      g_autoptr (GBytes) empty = g_bytes_new_static ("", 0);
      g_autoptr (GPtrArray) strings = g_ptr_array_new ();
      g_autoptr (AssayTensor)
          tensor = cases[i].given == ASSAY_DTYPE_STRING
                       ? assay_tensor_new_strings (1, &none, strings, NULL)
                       : assay_tensor_new (cases[i].given, 1, &none, empty, NULL);
      g_autoptr (GPtrArray) tensors = NULL;
      g_autoptr (GError) error = NULL;

      assay_run_inputs_set_tensor (inputs, "s", tensor);
      tensors = assay_run_inputs_make (inputs, &port, 1, 0, &error);
      if (cases[i].message != NULL)
        {
          g_assert_null (tensors);
          assert_message (error, ASSAY_ERROR_INVALID, cases[i].message);
          continue;
        }
      g_assert_no_error (error);
      g_assert_cmpint (assay_tensor_get_dtype (tensors->pdata[0]), ==,
                       cases[i].taken != ASSAY_DTYPE_UNDEFINED ? cases[i].taken : cases[i].given);
    }
}

/* Tensors that stream and are not as they should be; and what nobody can draw. */
static void
test_streams (void)
{
  const gint64 two_by_five[] = { 2, 5 }, five[] = { 5 }, any[] = { 2, -1 }, many[] = { 1 << 30, 8 };
  static const float values[10] = { 0, 1, 2, 3, 4, 5, 6, 7, 8, 9 };
  static const float cut[] = { 0, 1, 2, 5, 6, 7 };
  const AssayRunPort port = { (char *) "s", ASSAY_DTYPE_F32, 2, (gint64 *) any, 1 };
  const AssayRunPort halves = { (char *) "s", ASSAY_DTYPE_F16, 2, (gint64 *) any, 1 };
  const AssayRunPort free_port = { (char *) "s", ASSAY_DTYPE_UNDEFINED, 2, (gint64 *) any, 1 };
  const AssayRunPort complex = { (char *) "s", ASSAY_DTYPE_C64, 1, (gint64 *) five, -1 };
  const AssayRunPort words = { (char *) "s", ASSAY_DTYPE_STRING, 2, (gint64 *) many, -1 };
  g_autoptr (AssayTensor) whole = assay_tensor_new_f32 (2, two_by_five, values);
  g_autoptr (AssayTensor) flat = assay_tensor_new_f32 (1, five, values);
  g_autoptr (AssayTensor) gone = assay_tensor_new_lazy (ASSAY_DTYPE_F32, 2, two_by_five,
                                                        fail_to_load, NULL, NULL, NULL);
  const struct
  {
    const AssayRunPort *port;
    AssayTensor *tensor; /* NULL if it is drawn */
    gint64 n_steps;
    const char *message; /* NULL if it is good */
    gsize n;             /* elements of what is made */
  } cases[] = {
    { &port, whole, 3, NULL, 6 },
    { &port, whole, 5, NULL, 10 },
    { &port, flat, 3, NULL, 5 },
    { &port, NULL, 0, NULL, 2 },
    { &free_port, NULL, 4, NULL, 8 },
    { &port, whole, 6, "input s: s: 5 timesteps, 6 are asked for", 0 },
    { &port, gone, 3, "its elements are gone", 0 },
    { &halves, gone, 3, "its elements are gone", 0 },
    { &complex, NULL, 0, "input s: elements of type c64 cannot be drawn, give a file", 0 },
    { &words, NULL, 0, "input s: more than * strings", 0 },
  };

  for (guint i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      g_autoptr (AssayRunInputs) inputs = assay_run_inputs_new ();
      g_autoptr (GPtrArray) tensors = NULL;
      g_autoptr (GError) error = NULL;

      assay_run_inputs_set_seed (inputs, 1, TRUE);
      if (cases[i].tensor != NULL)
        assay_run_inputs_set_tensor (inputs, "s", cases[i].tensor);
      tensors = assay_run_inputs_make (inputs, cases[i].port, 1, cases[i].n_steps, &error);
      if (cases[i].message != NULL)
        {
          g_assert_null (tensors);
          g_assert_true (g_pattern_match_simple (cases[i].message, error->message));
          continue;
        }
      g_assert_no_error (error);
      g_assert_cmpuint (assay_tensor_get_n_elements (tensors->pdata[0]), ==, cases[i].n);
      if (i == 0)
        g_assert_cmpmem (assay_tensor_get_data (tensors->pdata[0], NULL, NULL), sizeof cut, cut,
                         sizeof cut);
    }
}

#define EIGHT "1x1x1x1x1x1x1x1x"

static void
test_refusals (Folder *folder, gconstpointer data)
{
  static const struct
  {
    const char *text;
    const char *message;
  } cases[] = {
    { "x", "input x: expected NAME=FILE*" },
    { "=x.npy", "input =x.npy: expected NAME=FILE*" },
    { "y=x.npy", "input y: there is none of this name, inputs are x, ids, seq" },
    { "x=x.raw", "input x: x.raw: expected a .npy, .npz or .pb file, FILE:TYPE:SHAPE such as*" },
    { "x=x.raw:f99:2x3", "input x: x.raw:f99:2x3: expected a .npy*" },
    { "x=x.raw:f32:2xx", "input x: x.raw:f32:2xx: expected a .npy*" },
    { "x=x.raw:f32:2x4", "input x: x.raw: 24 bytes, which is not 2x4 of f32" },
    { "x=x.raw:string:6", "input x: x.raw: 24 bytes, which is not 6 of string" },
    { "x=x.raw:f64:4000000000000000000",
      "input x: x.raw: 24 bytes, which is not 4000000000000000000 of f64" },
    { "x=x.raw:f32", "input x: x.raw:f32: expected a .npy*" },
    { "x=x.raw:f32:" EIGHT EIGHT EIGHT EIGHT EIGHT EIGHT EIGHT EIGHT "6",
      "input x: x.raw:f32:1x1*: expected a .npy*" },
    { "x=two.npz", "input x: two.npz: has 2 arrays, none is called x" },
    { "x=two.npz:c", "input x: two.npz: has 2 arrays, none is called c" },
    { "x=x.raw:f32:99999999999x99999999999",
      "input x: x.raw: 24 bytes, which is not 99999999999x99999999999 of f32" },
    { "ids=x.npy", "input ids: x.npy: elements of type f32, expected i64" },
    { "ids=@normal", "input ids: @normal: elements of type i64, expected @integers or @constant" },
    { "x=@", "input x: @: expected one of @uniform, @normal, @integers, @constant" },
    { "x=@constant", "input x: @constant: expected @constant:VALUE" },
    { "x=@constant:one", "input x: @constant:one: expected @constant:VALUE" },
    { "x=@uniform:1", "input x: @uniform:1: expected @uniform or @uniform:LOW:HIGH" },
    { "x=@integers:5:2", "input x: @integers:5:2: expected @integers:LOW:HIGH, low first" },
    { "ids=@integers:-9e30:9e30", "input ids: @integers:-9e30:9e30: i64 has no such number" },
    { "ids=@constant:1e19", "input ids: @constant:1e19: i64 has no such number" },
    { "x=@normal:0:1:2", "input x: @normal:0:1:2: expected @normal or @normal:MEAN:DEVIATION" },
    { "x=bad.npz", "input x: bad.npz: Not a usable .npz file: it does not end like an archive" },
    { "x=bad.npy", "input x: bad.npy: Not a usable .npy file: *" },
  };
  g_autoptr (GBytes) bad = g_bytes_new_static ("not what its name says, and much longer", 39);

  write_file ("bad.npz", bad);
  write_file ("bad.npy", bad);
  save_two ("two.npz");
  for (guint i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      const char *const texts[] = { cases[i].text, NULL };
      const char *const twice[] = { "x=x.npy", "x=x.npy", NULL };
      g_autoptr (GError) error = NULL;

      g_assert_null (make (texts, 0, 0, &error));
      assert_message (error, ASSAY_ERROR_INVALID, cases[i].message);
      g_clear_error (&error);
      g_assert_null (make (twice, 0, 0, &error));
      assert_message (error, ASSAY_ERROR_INVALID, "input x is given twice");
    }
}

/* Integers go into an input of other integers if they fit, and floats take any number. */
static void
test_types (void)
{
  const gint64 n = 2;
  const gint64 fits[] = { 100, -128 };
  const gint64 too_large[] = { 100, 300 };
  const AssayRunPort small = { (char *) "s", ASSAY_DTYPE_I8, 1, (gint64 *) &n, -1 };
  const AssayRunPort half = { (char *) "s", ASSAY_DTYPE_F16, 1, (gint64 *) &n, -1 };
  g_autoptr (AssayTensor) good = assay_tensor_new_i64 (1, &n, fits);
  g_autoptr (AssayTensor) bad = assay_tensor_new_i64 (1, &n, too_large);
  g_autoptr (AssayRunInputs) inputs = assay_run_inputs_new ();
  g_autoptr (GPtrArray) tensors = NULL;
  g_autoptr (GError) error = NULL;
  gint64 value;

  assay_run_inputs_set_tensor (inputs, "s", good);
  tensors = assay_run_inputs_make (inputs, &small, 1, 0, &error);
  g_assert_no_error (error);
  g_assert_cmpint (assay_tensor_get_dtype (g_ptr_array_index (tensors, 0)), ==, ASSAY_DTYPE_I8);
  g_assert_true (assay_tensor_get_integer (g_ptr_array_index (tensors, 0), 1, &value, NULL));
  g_assert_cmpint (value, ==, -128);

  g_clear_pointer (&tensors, g_ptr_array_unref);
  assay_run_inputs_set_tensor (inputs, "s", bad);
  tensors = assay_run_inputs_make (inputs, &half, 1, 0, &error);
  g_assert_no_error (error);
  g_assert_cmpint (assay_tensor_get_dtype (g_ptr_array_index (tensors, 0)), ==, ASSAY_DTYPE_F16);
  g_assert_null (assay_run_inputs_make (inputs, &small, 1, 0, &error));
  assert_message (error, ASSAY_ERROR_INVALID, "input s: s: element 1 is 300, which i8 cannot hold");
}

/* Strings are numbers as text. */
static void
test_strings (void)
{
  const gint64 dims[] = { 2, 3 };
  const AssayRunPort words = { (char *) "w", ASSAY_DTYPE_STRING, 2, (gint64 *) dims, -1 };
  g_autoptr (AssayRunInputs) inputs = assay_run_inputs_new ();
  g_autoptr (GPtrArray) tensors = NULL;
  g_autoptr (GError) error = NULL;
  GPtrArray *strings;

  assay_run_inputs_set_seed (inputs, 7, TRUE);
  tensors = assay_run_inputs_make (inputs, &words, 1, 0, &error);
  g_assert_no_error (error);
  g_assert_cmpint (assay_tensor_get_dtype (g_ptr_array_index (tensors, 0)), ==, ASSAY_DTYPE_STRING);
  strings = assay_tensor_get_strings (g_ptr_array_index (tensors, 0));
  g_assert_cmpuint (strings->len, ==, 6);
  for (guint i = 0; i < strings->len; i++)
    {
      gsize length;
      const char *bytes = g_bytes_get_data (g_ptr_array_index (strings, i), &length);
      g_autofree char *text = g_strndup (bytes, length);

      g_assert_cmpuint (length, >, 0);
      g_assert_cmpuint (strspn (text, "-0123456789"), ==, length);
    }
}

/* An extent that nobody knows is asked for, not guessed. */
static void
test_unknown_extents (void)
{
  const gint64 dims[] = { -1, 3 };
  const AssayRunPort open = { (char *) "x", ASSAY_DTYPE_F32, 2, (gint64 *) dims, -1 };
  const AssayRunPort nothing = { (char *) "x", ASSAY_DTYPE_F32, -1, NULL, -1 };
  static const struct
  {
    const char *type;
    const char *message;
  } others[] = {
    { "seq<f32[2]>", "input s: seq<f32[2]> is no tensor: it goes in where a command runs*" },
    { "opt<seq<f32[2]>>", "input s: opt<seq<f32[2]>> is no tensor: it goes in where a command*" },
    { "map<string,f32[]>", "input s: map<string,f32[]> holds a map, which no operator makes*" },
    { "seq<map<i64,f32[]>>", "input s: seq<map<i64,f32[]>> holds a map*assay conformance alone*" },
  };
  g_autoptr (AssayRunInputs) inputs = assay_run_inputs_new ();
  g_autoptr (GError) error = NULL;

  g_assert_null (assay_run_inputs_make (inputs, &open, 1, 0, &error));
  assert_message (error, ASSAY_ERROR_INVALID,
                  "input x has no value: give --input x=FILE, or --random SEED");
  g_clear_error (&error);
  assay_run_inputs_set_seed (inputs, 1, TRUE);
  g_assert_null (assay_run_inputs_make (inputs, &open, 1, 0, &error));
  assert_message (error, ASSAY_ERROR_INVALID,
                  "input x: its shape is [?, 3], bind axis 0 (x:0=SIZE) or override the shape");
  g_clear_error (&error);
  g_assert_null (assay_run_inputs_make (inputs, &nothing, 1, 0, &error));
  assert_message (error, ASSAY_ERROR_INVALID, "input x: its shape is unknown, override it");
  g_clear_error (&error);
  for (guint i = 0; i < G_N_ELEMENTS (others); i++)
    {
      const AssayRunPort other = {
        .name = (char *) "s", .rank = -1, .time_axis = -1, .other = (char *) others[i].type
      };

      g_assert_null (assay_run_inputs_make (inputs, &other, 1, 0, &error));
      assert_message (error, ASSAY_ERROR_UNSUPPORTED, others[i].message);
      g_clear_error (&error);
    }
  g_assert_null (assay_run_inputs_make (inputs, &nothing, 1, 4, &error));
  assert_message (error, ASSAY_ERROR_INVALID, "4 timesteps: the model does not stream");
}

/* Opens a model for the texts and runs it on the reference. */
static GPtrArray *
run_opened (AssayGraph *graph, const char *const *texts, gboolean fill, GError **error)
{
  g_autoptr (AssayRunInputs) inputs = assay_run_inputs_new ();
  g_autoptr (AssayGraph) opened = NULL;
  g_autoptr (AssayRunSubject) subject = NULL;
  g_autoptr (AssayRunner) runner = NULL;
  g_autoptr (GPtrArray) tensors = NULL;
  const AssayRunPort *wanted;
  guint n;

  assay_run_inputs_set_seed (inputs, 5, fill);
  for (guint i = 0; texts[i] != NULL; i++)
    {
      if (!assay_run_inputs_add (inputs, texts[i], error))
        return NULL;
    }
  opened = assay_run_inputs_open (inputs, graph, error);
  if (opened == NULL)
    return NULL;
  subject = assay_run_subject_new_for_graph (NULL, opened, opened);
  runner = assay_runner_open ("reference", subject, NULL, NULL, error);
  if (runner == NULL)
    return NULL;
  wanted = assay_runner_get_inputs (runner, &n);
  tensors = assay_run_inputs_make (inputs, wanted, n, 0, error);

  return tensors == NULL ? NULL : assay_runner_run (runner, tensors, NULL, NULL, error);
}

static void
expect_tensor (AssayTensor *got, AssayTensor *expected, const char *path)
{
  if (assay_tensor_get_n_elements (expected) == 0 && assay_tensor_get_rank (expected) == 0)
    return;
  g_test_message ("%s", path);
  g_assert_cmpuint (assay_tensor_get_n_elements (got), ==, assay_tensor_get_n_elements (expected));
  for (gsize i = 0; i < assay_tensor_get_n_elements (expected); i++)
    {
      double a, b;

      g_assert_true (assay_tensor_get_element (got, i, &a, NULL));
      g_assert_true (assay_tensor_get_element (expected, i, &b, NULL));
      g_assert_cmpfloat_with_epsilon (a, b, 1e-5);
    }
}

/* A case of ONNX whose inputs are sequences and optionals gives what its folder says. */
static void
check_folder (const char *path, gpointer user_data)
{
  g_autofree char *parent = g_path_get_dirname (path);
  g_autofree char *set = g_build_filename (parent, "test_data_set_0", NULL);
  g_autoptr (AssayGraph) graph = assay_model_read (path, NULL, NULL, NULL, NULL);
  const AssayRegion *region = assay_graph_region (graph, ASSAY_MAIN_REGION);
  const char *texts[] = { set, NULL };
  g_autoptr (GPtrArray) outputs = NULL;
  g_autoptr (GError) error = NULL;
  gboolean opens = FALSE;
  guint at = 0;

  for (guint i = 0; i < region->inputs->len; i++)
    opens = opens ||
            assay_run_input_can_open (
                assay_graph_value (graph, g_array_index (region->inputs, AssayValueId, i))->type);
  if (!opens)
    return;

  outputs = run_opened (graph, texts, FALSE, &error);
  g_assert_no_error (error);
  for (guint i = 0; i < region->outputs->len; i++)
    {
      AssayValueId id = g_array_index (region->outputs, AssayValueId, i);
      g_autofree char *name = g_strdup_printf ("%s/output_%u.pb", set, i);
      g_autoptr (GPtrArray) expected = assay_tensor_file_load (
          name, assay_graph_value (graph, id)->type->kind, NULL, &error);

      g_assert_no_error (error);
      for (guint j = 0; j < expected->len; j++)
        expect_tensor (g_ptr_array_index (outputs, at++), g_ptr_array_index (expected, j), name);
    }
  (*(guint *) user_data)++;
}

static void
test_folders (void)
{
  guint n = 0;

  if (!have_models ())
    return;
  walk_models (ONNX_DATA "/node", check_folder, &n);
  g_assert_cmpuint (n, >=, 15);
}

static void
test_sequences (Folder *folder, gconstpointer data)
{
  static const char text[] = "main (%s : seq<f32[?,3]>, %o : opt<f32[3]>, %t : f32[2]) {\n"
                             "  %n = SequenceLength(%s) : i64[] @ \"length\"\n"
                             "  %h = OptionalHasElement(%o) : bool[] @ \"has\"\n"
                             "  return %n, %h, %s, %o, %t\n"
                             "}\n";
  g_autoptr (GError) error = NULL;
  g_autoptr (AssayGraph) graph = assay_graph_from_text (text, -1, NULL, &error);
  g_autofree char *archive = g_build_filename (folder->path, "s.npz", NULL);
  g_autofree char *given = g_strconcat ("s=", archive, NULL);
  g_autofree char *both = g_strconcat ("o=", archive, NULL);
  g_autofree char *one = g_strconcat ("s[0]=", archive, ":arr_0", NULL);
  g_autoptr (GPtrArray) names = g_ptr_array_new ();
  g_autoptr (GPtrArray) arrays = g_ptr_array_new ();
  /* Its shape is not that of what is drawn, and its type not that of the sequence. */
  g_autoptr (AssayTensor) tensor = six_as (ASSAY_DTYPE_F64);
  const struct
  {
    const char *const texts[4];
    gboolean fill;
    guint n_outputs;
    double length;
    const char *message;
  } cases[] = {
    { { NULL }, TRUE, 6, 2, NULL },
    { { given, NULL }, TRUE, 7, 3, NULL },
    { { one, NULL }, TRUE, 5, 1, NULL },
    { { "s=@constant:2", "o[value]=@constant:1", NULL }, TRUE, 6, 2, NULL },
    { { "s[0]=@constant:2", "o=@normal", "t=@uniform", NULL }, FALSE, 5, 1, NULL },
    { { "s=@constant:2", "t=@normal", NULL }, FALSE, 0, 0, "input o has no value*" },
    { { both, NULL }, TRUE, 0, 0, "input o: *has 3 tensors, one was expected" },
    { { "s=missing.pb", NULL }, TRUE, 0, 0, "input s: missing.pb*" },
    { { "s=missing.npz", NULL }, TRUE, 0, 0, "input s: missing.npz*" },
    { { "s[0]=missing.npy", NULL }, TRUE, 0, 0, "input s*: missing.npy*" },
    { { "q=@normal", NULL }, TRUE, 0, 0, "input q: there is none of this name, inputs are *" },
  };

  g_assert_no_error (error);
  for (guint i = 0; i < 3; i++)
    {
      g_ptr_array_add (names, (gpointer) (i == 0 ? "arr_0" : i == 1 ? "arr_1" : "arr_2"));
      g_ptr_array_add (arrays, tensor);
    }
  g_assert_true (assay_npz_save (names, arrays, archive, NULL));

  for (guint i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      g_autoptr (GPtrArray) outputs = run_opened (graph, cases[i].texts, cases[i].fill, &error);
      double length;

      g_test_message ("case %u: %s", i, error != NULL ? error->message : "runs");
      if (cases[i].message != NULL)
        {
          g_assert_null (outputs);
          g_assert_true (g_pattern_match_simple (cases[i].message, error->message));
          g_clear_error (&error);
          continue;
        }
      g_assert_no_error (error);
      g_assert_cmpuint (outputs->len, ==, cases[i].n_outputs);
      g_assert_true (assay_tensor_get_element (g_ptr_array_index (outputs, 0), 0, &length, NULL));
      g_assert_cmpfloat (length, ==, cases[i].length);
      g_assert_cmpint (assay_tensor_get_dims (g_ptr_array_index (outputs, 2))[1], ==, 3);
    }
  g_unlink (archive);
}

/* Sequences and optionals of nothing; a map stays what no tensor makes. */
static void
test_empty (Folder *folder, gconstpointer data)
{
  static const char text[] = "main (%s : seq<f32[2]>, %o : opt<seq<f32[2]>>) {\n"
                             "  %n = SequenceLength(%s) : i64[] @ \"length\"\n"
                             "  %h = OptionalHasElement(%o) : bool[] @ \"has\"\n"
                             "  return %n, %h\n"
                             "}\n";
  static const char of_map[] = "main (%m : map<i64,f32[]>) {\n"
                               "  return %m\n"
                               "}\n";
  g_autofree char *path = g_build_filename (folder->path, "nothing.pb", NULL);
  g_autofree char *s = g_strconcat ("s=", path, NULL), *o = g_strconcat ("o=", path, NULL);
  const char *texts[] = { s, o, NULL }, *nothing[] = { NULL };
  g_autoptr (GError) error = NULL;
  g_autoptr (AssayGraph) graph = assay_graph_from_text (text, -1, NULL, &error);
  g_autoptr (AssayGraph) other = assay_graph_from_text (of_map, -1, NULL, &error);
  g_autoptr (GPtrArray) outputs = NULL;

  g_assert_no_error (error);
  g_assert_true (g_file_set_contents (path, "", 0, NULL));
  outputs = run_opened (graph, texts, FALSE, &error);
  g_assert_no_error (error);
  for (guint i = 0; i < 2; i++)
    {
      double element;

      g_assert_true (assay_tensor_get_element (g_ptr_array_index (outputs, i), 0, &element, NULL));
      g_assert_cmpfloat (element, ==, 0);
    }

  g_assert_null (run_opened (other, nothing, TRUE, &error));
  g_assert_error (error, ASSAY_ERROR, ASSAY_ERROR_UNSUPPORTED);
  g_unlink (path);
}

/* An optional sequence that is not there, and one without tensors. */
static void
test_nothing (Folder *folder, gconstpointer data)
{
  static const char text[] = "main (%o : opt<seq<f32[2]>>, %p : opt<f32[2]>) {\n"
                             "  %h = OptionalHasElement(%o) : bool[] @ \"has\"\n"
                             "  %k = OptionalHasElement(%p) : bool[] @ \"tensor\"\n"
                             "  return %h, %k, %o\n"
                             "}\n";
  g_autoptr (GError) error = NULL;
  g_autoptr (AssayGraph) graph = assay_graph_from_text (text, -1, NULL, &error);
  const gint64 none = 0;
  g_autoptr (AssayTensor) nothing = assay_tensor_new_i64 (1, &none, NULL);
  static const struct
  {
    const char *part;
    double has;
  } cases[] = { { "empty", 0 }, { "value.empty", 1 } };

  g_assert_no_error (error);
  for (guint i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      g_autofree char *archive = g_strdup_printf ("%s/%s.npz", folder->path, cases[i].part);
      g_autofree char *o = g_strconcat ("o=", archive, NULL),
                      *p = g_strconcat ("p=", archive, NULL);
      g_autofree char *part = g_strdup_printf ("o[%s]=@constant:0", cases[i].part);
      g_autoptr (GPtrArray) names = g_ptr_array_new ();
      g_autoptr (GPtrArray) arrays = g_ptr_array_new ();
      const char *const texts[][3] = { { o, p }, { part, p } };

      g_ptr_array_add (names, (gpointer) cases[i].part);
      g_ptr_array_add (arrays, nothing);
      g_assert_true (assay_npz_save (names, arrays, archive, NULL));
      for (guint j = 0; j < G_N_ELEMENTS (texts); j++)
        {
          g_autoptr (GPtrArray)
              outputs = run_opened (graph, (const char **) texts[j], FALSE, &error);
          double has, tensor;

          g_test_message ("%s", texts[j][0]);
          g_assert_no_error (error);
          g_assert_cmpuint (outputs->len, ==, 3);
          g_assert_true (assay_tensor_get_element (g_ptr_array_index (outputs, 0), 0, &has, NULL));
          g_assert_true (
              assay_tensor_get_element (g_ptr_array_index (outputs, 1), 0, &tensor, NULL));
          g_assert_cmpfloat (has, ==, cases[i].has);
          g_assert_cmpfloat (tensor, ==, 0);
        }
      g_unlink (archive);
    }
}

TEST_PROGRAM (run_inputs)
{
  g_test_init (&argc, &argv, NULL);

  g_test_add ("/run-inputs/files", Folder, NULL, folder_set_up, test_files, folder_tear_down);
  g_test_add_func ("/run-inputs/folders", test_folders);
  g_test_add ("/run-inputs/sequences", Folder, NULL, folder_set_up, test_sequences,
              folder_tear_down);
  g_test_add ("/run-inputs/empty", Folder, NULL, folder_set_up, test_empty, folder_tear_down);
  g_test_add ("/run-inputs/nothing", Folder, NULL, folder_set_up, test_nothing, folder_tear_down);
  g_test_add_func ("/run-inputs/damaged-archives", test_damaged_archives);
  g_test_add_func ("/run-inputs/distributions", test_distributions);
  g_test_add_func ("/run-inputs/seeds", test_seeds);
  g_test_add ("/run-inputs/timesteps", Folder, NULL, folder_set_up, test_timesteps,
              folder_tear_down);
  g_test_add ("/run-inputs/time-axes", Folder, NULL, folder_set_up, test_time_axes,
              folder_tear_down);
  g_test_add ("/run-inputs/refusals", Folder, NULL, folder_set_up, test_refusals, folder_tear_down);
  g_test_add ("/run-inputs/missing", Folder, NULL, folder_set_up, test_missing, folder_tear_down);
  g_test_add_func ("/run-inputs/pairs", test_pairs);
  g_test_add_func ("/run-inputs/streams", test_streams);
  g_test_add_func ("/run-inputs/strings", test_strings);
  g_test_add_func ("/run-inputs/types", test_types);
  g_test_add_func ("/run-inputs/unknown-extents", test_unknown_extents);

  return g_test_run ();
}
