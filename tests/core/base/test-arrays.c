/* test-arrays.c
 * SPDX-License-Identifier: Apache-2.0
 */
#include <glib/gstdio.h>
#include <signal.h>
#include <string.h>
#include <sys/resource.h>

#include "base/assay-error.h"
#include "base/assay-npy.h"
#include "base/assay-npz.h"

#include "folder.h"
#include "test-program.h"

/* An array as NumPy writes it: so many bytes behind a header, all of them the same. */
static GBytes *
make_npy (guint version, const char *header, gsize n_bytes, guint8 byte)
{
  gsize length = strlen (header);
  const guint8 begin[] = {
    0x93, 'N', 'U', 'M', 'P', 'Y', (guint8) version, 0, (guint8) length, (guint8) (length >> 8),
    0,    0
  };
  GByteArray *file = g_byte_array_new ();
  guint at;

  g_byte_array_append (file, begin, version == 1 ? 10 : 12);
  g_byte_array_append (file, (const guint8 *) header, (guint) length);
  at = file->len;
  g_byte_array_set_size (file, at + (guint) n_bytes);
  memset (file->data + at, byte, n_bytes);

  return g_byte_array_free_to_bytes (file);
}

#define SHAPE_OF(text) "{'descr': '<f4', 'fortran_order': False, 'shape': (" text "), }"
#define TYPE_OF(text) "{'descr': " text ", 'fortran_order': False, 'shape': (2,), }"
#define NINE_ONES "1,1,1,1,1,1,1,1,1,"

static void
test_refusals (void)
{
  static const struct
  {
    guint version;
    const char *header;
    gsize n_bytes;
    guint8 byte;
    const char *message; /* NULL if it is good */
  } cases[] = {
    { 1, SHAPE_OF ("2,"), 8, 0, NULL },
    { 2, SHAPE_OF ("2,"), 8, 0, NULL },
    { 3, SHAPE_OF (""), 4, 0, NULL },
    { 1, SHAPE_OF ("0,"), 0, 0, NULL },
    { 1, TYPE_OF ("'|S2'"), 4, 'a', NULL },
    { 1, "{'descr': '<U0', 'shape': (0,)}", 0, 0, NULL },
    { 1, "{'descr': '>U2', 'shape': (1,)}", 8, 0, NULL },
    { 1, "{'descr': '>i2', 'fortran_order': True, 'shape': (2, 3, 1)}", 12, 1, NULL },
    { 0, SHAPE_OF ("2,"), 8, 0, "its header is cut off or of an unknown version" },
    { 4, SHAPE_OF ("2,"), 8, 0, "its header is cut off or of an unknown version" },
    { 1, "{'shape': (2,)}", 8, 0, "its element type is not a plain number or text" },
    { 1, "{'shape': (2,), 'descr': '", 0, 0, "its element type is not a plain number or text" },
    { 1, TYPE_OF ("[('a', '<f4')]"), 8, 0, "its element type is not a plain number or text" },
    { 1, TYPE_OF ("'f4'"), 8, 0, "its element type is not a plain number or text" },
    { 1, TYPE_OF ("'<f3'"), 8, 0, "its element type is not one of *" },
    { 1, TYPE_OF ("'<f4x'"), 8, 0, "its element type is not one of *" },
    { 1, TYPE_OF ("'|O'"), 8, 0, "its element type is not one of *" },
    { 1, TYPE_OF ("'|U'"), 8, 0, "its element type is not one of *" },
    { 1, TYPE_OF ("'|S2x'"), 8, 0, "its element type is not one of *" },
    { 1, TYPE_OF ("'|S4294967296'"), 8, 0, "its element type is not one of *" },
    { 1, TYPE_OF ("'<U0'"), 0, 0, "its text has no letters" },
    { 1, "{'descr': '|S1', 'shape': (4000001,)}", 4000001, 'a',
      "it has more than four million texts" },
    { 1, TYPE_OF ("'<U1'"), 8, 0xff, "its text has letters that do not exist" },
    { 1, "{'descr': '<f4'}", 8, 0, "it has no shape" },
    { 1, "{'descr': '<f4', 'shape': 2}", 8, 0, "it has no shape" },
    { 1, SHAPE_OF ("two,"), 8, 0, "its shape is not a list of sizes" },
    { 1, SHAPE_OF ("-2,"), 8, 0, "its shape is not a list of sizes" },
    { 1, SHAPE_OF ("9223372036854775808,"), 8, 0, "its shape is not a list of sizes" },
    { 1, SHAPE_OF (NINE_ONES NINE_ONES NINE_ONES NINE_ONES NINE_ONES NINE_ONES NINE_ONES "1,1"), 4,
      0, "its shape is not a list of sizes" },
    { 1, SHAPE_OF ("9223372036854775807,2"), 8, 0, "its size does not fit its shape" },
    { 1, "{'descr': '<U4294967295', 'shape': (9223372036854775807,)}", 8, 0,
      "its size does not fit its shape" },
    { 1, SHAPE_OF ("3,"), 8, 0, "its size does not fit its shape" },
  };
  g_autoptr (GBytes) other = g_bytes_new_static ("PK\3\4, an archive", 16);
  g_autoptr (GBytes) cut = g_bytes_new_static ("\x93NUMPY\1\0\xff\xff{}", 12);
  g_autoptr (GError) error = NULL;

  for (guint i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      g_autoptr (GBytes)
          bytes = make_npy (cases[i].version, cases[i].header, cases[i].n_bytes, cases[i].byte);
      g_autoptr (AssayTensor) tensor = assay_npy_from_bytes (bytes, &error);

      if (cases[i].message == NULL)
        {
          g_assert_no_error (error);
          g_assert_nonnull (tensor);
          continue;
        }
      g_assert_null (tensor);
      g_assert_error (error, ASSAY_ERROR, ASSAY_ERROR_INVALID);
      g_assert_true (g_str_has_prefix (error->message, "Not a usable .npy file: "));
      if (!g_pattern_match_simple (cases[i].message,
                                   error->message + strlen ("Not a usable .npy file: ")))
        g_error ("%s: %s, expected %s", cases[i].header, error->message, cases[i].message);
      g_clear_error (&error);
    }

  g_assert_null (assay_npy_load ("/nonexistent/a.npy", &error));
  g_assert_error (error, ASSAY_ERROR, ASSAY_ERROR_IO);
  g_clear_error (&error);
  g_assert_null (assay_npy_from_bytes (other, &error));
  g_assert_nonnull (strstr (error->message, "it does not begin like one"));
  g_clear_error (&error);
  g_assert_null (assay_npy_from_bytes (cut, &error));
  g_assert_nonnull (strstr (error->message, "its header is cut off"));
}

/* Every type goes through a file, in memory and piece by piece; those that NumPy lacks in a wider
 * one, with the same numbers. */
static void
test_types (void)
{
  static const guint8 bits[128] = { 0x40, 0x3f, 0x80, 0x01, 0, 0, 0xc0, 0x3f, 0x31, 0x12, 1 };
  g_autofree char *folder = g_dir_make_tmp ("assay-arrays-XXXXXX", NULL);
  g_autofree char *path = g_build_filename (folder, "a.npy", NULL);

  for (int type = 1; type < ASSAY_N_DTYPES; type++)
    {
      AssayDType dtype = (AssayDType) type;
      const gint64 n = 8;
      gsize size = 0;
      g_autoptr (GBytes) bytes = NULL;
      g_autoptr (GBytes) whole = NULL;
      g_autoptr (GBytes) written = NULL;
      g_autoptr (AssayTensor) tensor = NULL;
      g_autoptr (AssayTensor) back = NULL;
      g_autoptr (GError) error = NULL;
      char *contents;

      if (dtype == ASSAY_DTYPE_STRING)
        continue;
      g_assert_true (assay_dtype_byte_size (dtype, (gsize) n, &size));
      bytes = g_bytes_new_static (bits, size);
      tensor = assay_tensor_new (dtype, 1, &n, bytes, &error);
      g_assert_no_error (error);
      whole = assay_npy_to_bytes (tensor, &error);
      g_assert_no_error (error);
      g_assert_true (assay_npy_save (tensor, path, &error));
      g_assert_true (g_file_get_contents (path, &contents, &size, NULL));
      written = g_bytes_new_take (contents, size);
      g_assert_true (g_bytes_equal (whole, written));

      back = assay_npy_load (path, &error);
      g_assert_no_error (error);
      for (gsize i = 0; i < (gsize) n; i++)
        {
          double before, after;

          g_assert_true (assay_tensor_get_element (tensor, i, &before, NULL));
          g_assert_true (assay_tensor_get_element (back, i, &after, NULL));
          g_assert_true (memcmp (&before, &after, sizeof before) == 0 ||
                         (before != before && after != after));
        }
    }
  folder_remove (folder);
}

static AssayTensor *
make_texts (const char *const *texts, guint n, gsize longest)
{
  g_autoptr (GPtrArray) strings = g_ptr_array_new_with_free_func ((GDestroyNotify) g_bytes_unref);
  const gint64 size = n;

  for (guint i = 0; i < n; i++)
    g_ptr_array_add (strings, longest > 0 && i == 0
                                  ? g_bytes_new_take (g_strnfill (longest, 'x'), longest)
                              : texts != NULL ? g_bytes_new (texts[i], strlen (texts[i]))
                                              : g_bytes_new_static ("", 0));

  return assay_tensor_new_strings (1, &size, strings, NULL);
}

static void
test_texts (void)
{
  static const char *const letters[] = { "a", "", "\xc3\xa4\xc3\xb6\xc3\xbc" };
  static const char *const raw[] = { "a", "", "\xff\xfe" };
  const char *const *const lists[] = { letters, raw };
  g_autofree char *folder = g_dir_make_tmp ("assay-arrays-XXXXXX", NULL);
  g_autofree char *path = g_build_filename (folder, "a.npy", NULL);
  g_autoptr (AssayTensor) much = make_texts (NULL, 70000, 20000);
  g_autoptr (GError) error = NULL;

  for (guint i = 0; i < G_N_ELEMENTS (lists); i++)
    {
      g_autoptr (AssayTensor) tensor = make_texts (lists[i], 3, 0);
      g_autoptr (AssayTensor) back = NULL;

      g_assert_true (assay_npy_save (tensor, path, &error));
      back = assay_npy_load (path, &error);
      g_assert_no_error (error);
      for (guint k = 0; k < 3; k++)
        g_assert_true (g_bytes_equal (assay_tensor_get_strings (tensor)->pdata[k],
                                      assay_tensor_get_strings (back)->pdata[k]));
    }

  folder_remove (folder);
  g_assert_false (assay_npy_save (much, path, &error));
  g_assert_error (error, ASSAY_ERROR, ASSAY_ERROR_INVALID);
  g_assert_nonnull (strstr (error->message, "70000 strings of up to 20000 letters are too much"));
}

static GBytes *
fail_to_load (AssayTensor *tensor, gpointer data, GError **error)
{
  g_set_error_literal (error, ASSAY_ERROR, ASSAY_ERROR_IMPORT, "its elements are gone");
  return NULL;
}

/* Whatever ends writing is told. */
static void
test_not_written (void)
{
  static const gint64 n = 300000;
  static const AssayDType types[] = { ASSAY_DTYPE_F32, ASSAY_DTYPE_BF16 };
  g_autofree char *folder = g_dir_make_tmp ("assay-arrays-XXXXXX", NULL);
  g_autofree char *path = g_build_filename (folder, "a.npy", NULL);
  struct rlimit before, short_of;
  g_autoptr (GError) error = NULL;

  signal (SIGXFSZ, SIG_IGN);
  g_assert_cmpint (getrlimit (RLIMIT_FSIZE, &before), ==, 0);
  short_of = before;
  short_of.rlim_cur = 4096;
  for (guint i = 0; i < G_N_ELEMENTS (types); i++)
    {
      gsize size = (gsize) n * assay_dtype_bits (types[i]) / 8;
      g_autoptr (GBytes) zeros = g_bytes_new_take (g_malloc0 (size), size);
      g_autoptr (AssayTensor) good = assay_tensor_new (types[i], 1, &n, zeros, NULL);
      g_autoptr (AssayTensor)
          bad = assay_tensor_new_lazy (types[i], 1, &n, fail_to_load, NULL, NULL, NULL);

      g_assert_null (assay_npy_to_bytes (bad, &error));
      g_assert_error (error, ASSAY_ERROR, ASSAY_ERROR_IMPORT);
      g_clear_error (&error);
      g_assert_false (assay_npy_save (bad, path, &error));
      g_assert_error (error, ASSAY_ERROR, ASSAY_ERROR_IMPORT);
      g_clear_error (&error);
      g_assert_false (assay_npy_save (good, "/nonexistent/a.npy", &error));
      g_assert_error (error, ASSAY_ERROR, ASSAY_ERROR_SAVE);
      g_clear_error (&error);
      g_assert_false (assay_npy_save (good, "/dev/full", &error));
      g_assert_error (error, ASSAY_ERROR, ASSAY_ERROR_SAVE);
      g_assert_nonnull (strstr (error->message, g_strerror (ENOSPC)));
      g_clear_error (&error);
      /* The head still has room. */
      g_assert_cmpint (setrlimit (RLIMIT_FSIZE, &short_of), ==, 0);
      g_assert_false (assay_npy_save (good, path, &error));
      g_assert_cmpint (setrlimit (RLIMIT_FSIZE, &before), ==, 0);
      g_assert_error (error, ASSAY_ERROR, ASSAY_ERROR_SAVE);
      g_assert_nonnull (strstr (error->message, g_strerror (EFBIG)));
      g_assert_false (g_file_test (path, G_FILE_TEST_EXISTS));
      g_clear_error (&error);
    }
  signal (SIGXFSZ, SIG_DFL);
  g_assert_cmpint (g_rmdir (folder), ==, 0);
}

static void
put (GByteArray *to, guint64 value, guint n)
{
  for (guint i = 0; i < n; i++)
    g_byte_array_append (to, (const guint8[]){ (guint8) (i < 8 ? value >> 8 * i : 0) }, 1);
}

/* How an archive with one stored member differs from a good one. */
typedef struct
{
  guint64 packed;  /* said in the entry */
  guint64 offset;  /* of the member, as the entry says */
  guint64 start;   /* of the directory, as the end says */
  guint64 start64; /* the same in a wide end record, 0 without one */
  guint64 end64;   /* where the wide end record is said to be, 0 where it is */
  guint flags;
  guint method;
  guint extra;         /* bytes of an extra field with tag 1 */
  guint extra_claimed; /* what it says that it has */
  guint comment;       /* bytes of a comment that the entry claims and that are not there */
  guint entry_magic;
  const char *message; /* NULL if it is good */
} Zip;

/* The array is 12 bytes long, the header of the member 36 with its name. */
static GBytes *
make_zip (const Zip *zip, GBytes *npy)
{
  gsize n;
  const guint8 *data = g_bytes_get_data (npy, &n);
  GByteArray *file = g_byte_array_new ();
  guint64 directory, end;

  put (file, 0x04034b50, 4);
  put (file, 0, 22);
  put (file, 5, 2);
  put (file, 0, 2);
  g_byte_array_append (file, (const guint8 *) "x.npy", 5);
  g_byte_array_append (file, data, (guint) n);
  directory = file->len;
  put (file, zip->entry_magic, 4);
  put (file, 20, 4);
  put (file, zip->flags, 2);
  put (file, zip->method, 2);
  put (file, 0, 4);
  put (file, 0, 4); /* the sum is wrong */
  put (file, zip->packed, 4);
  put (file, zip->packed, 4);
  put (file, 5, 2);
  put (file, zip->extra, 2);
  put (file, zip->comment, 2);
  put (file, 0, 8);
  put (file, zip->offset, 4);
  g_byte_array_append (file, (const guint8 *) "x.npy", 5);
  if (zip->extra > 0)
    {
      put (file, 1, 2);
      put (file, zip->extra_claimed, 2);
      for (guint i = 4; i < zip->extra; i++)
        put (file, 0, 1);
    }
  end = file->len;
  if (zip->start64 != 0)
    {
      put (file, 0x06064b50, 4);
      put (file, 0, 28);
      put (file, 1, 8);
      put (file, 0, 8);
      put (file, zip->start64, 8);
      put (file, 0x07064b50, 4);
      put (file, 0, 4);
      put (file, zip->end64 != 0 ? zip->end64 : end, 8);
      put (file, 1, 4);
    }
  put (file, 0x06054b50, 4);
  put (file, 0, 6);
  put (file, 1, 2);
  put (file, file->len - directory, 4);
  put (file, zip->start != 0 ? zip->start : directory, 4);
  put (file, 0, 2);

  return g_byte_array_free_to_bytes (file);
}

#define ENTRY 0x02014b50
#define WIDE G_MAXUINT32

static void
test_archives (void)
{
  g_autoptr (GBytes) npy = make_npy (1, SHAPE_OF ("2,"), 8, 0);
  const gsize n = g_bytes_get_size (npy);
  const guint64 directory = 35 + n;
  const Zip cases[] = {
    { .packed = n, .entry_magic = ENTRY, .message = "a member is damaged" },
    { .packed = n, .start64 = directory, .entry_magic = ENTRY, .message = "a member is damaged" },
    { .packed = n,
      .start64 = directory,
      .end64 = 1 << 20,
      .entry_magic = ENTRY,
      .message = "its directory is cut off" },
    { .packed = n,
      .start64 = directory,
      .end64 = 1,
      .entry_magic = ENTRY,
      .message = "its directory is cut off" },
    { .packed = n, .start = 1 << 20, .entry_magic = ENTRY, .message = "its directory is cut off" },
    { .packed = n, .entry_magic = 1, .message = "its directory is cut off" },
    { .packed = n, .comment = 40, .entry_magic = ENTRY, .message = "its directory is cut off" },
    { .packed = WIDE,
      .extra = 8,
      .extra_claimed = 4,
      .entry_magic = ENTRY,
      .message = "its directory is cut off" },
    { .packed = WIDE,
      .extra = 8,
      .extra_claimed = 5,
      .entry_magic = ENTRY,
      .message = "its directory is cut off" },
    { .packed = n, .flags = 1, .entry_magic = ENTRY, .message = "it is encrypted" },
    { .packed = n,
      .offset = 1,
      .entry_magic = ENTRY,
      .message = "a member is not where the directory says" },
    { .packed = n,
      .offset = 1 << 20,
      .entry_magic = ENTRY,
      .message = "a member is not where the directory says" },
    { .packed = 1 << 20, .entry_magic = ENTRY, .message = "a member is cut off" },
    { .packed = n,
      .method = 1,
      .entry_magic = ENTRY,
      .message = "x: *a member is packed in a way other than stored or deflated" },
  };

  for (guint i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      g_autoptr (GBytes) bytes = make_zip (&cases[i], npy);
      g_autoptr (GPtrArray) names = g_ptr_array_new_with_free_func (g_free);
      g_autoptr (GPtrArray)
          tensors = g_ptr_array_new_with_free_func ((GDestroyNotify) assay_tensor_unref);
      g_autofree char *pattern = g_strconcat ("*", cases[i].message, NULL);
      g_autoptr (GError) error = NULL;

      g_assert_false (assay_npz_from_bytes (bytes, names, tensors, NULL, &error));
      g_assert_error (error, ASSAY_ERROR, ASSAY_ERROR_INVALID);
      if (!g_pattern_match_simple (pattern, error->message))
        g_error ("case %u: %s, expected %s", i, error->message, cases[i].message);
      g_assert_cmpuint (tensors->len, ==, 0);
    }
}

/* What is written is read again, and what cannot be written is said. */
static void
test_archive_files (void)
{
  static const gint64 n = 2;
  static const float values[] = { 1.5f, -2 };
  g_autofree char *folder = g_dir_make_tmp ("assay-arrays-XXXXXX", NULL);
  g_autofree char *path = g_build_filename (folder, "a.npz", NULL);
  g_autofree char *long_name = g_strnfill (1025, 'n');
  g_autoptr (AssayTensor) tensor = assay_tensor_new_f32 (1, &n, values);
  g_autoptr (AssayTensor)
      bad = assay_tensor_new_lazy (ASSAY_DTYPE_F32, 1, &n, fail_to_load, NULL, NULL, NULL);
  const struct
  {
    const char *name;
    AssayTensor *tensor;
    guint n;
    const char *message; /* NULL if it is good */
  } cases[] = {
    { "x", tensor, 2, NULL },
    { "x", bad, 1, "its elements are gone" },
    { long_name, tensor, 1, "too large for an archive" },
    { "x", tensor, G_MAXUINT16, "65535 arrays are too many" },
  };
  g_autoptr (GCancellable) cancellable = g_cancellable_new ();
  const AssayProgress cancelled = ASSAY_PROGRESS_INIT (NULL, NULL, cancellable);
  g_autoptr (GPtrArray) names = g_ptr_array_new_with_free_func (g_free);
  g_autoptr (GPtrArray)
      tensors = g_ptr_array_new_with_free_func ((GDestroyNotify) assay_tensor_unref);
  g_autoptr (GError) error = NULL;

  for (guint i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      g_autoptr (GPtrArray) of_names = g_ptr_array_new ();
      g_autoptr (GPtrArray) of_tensors = g_ptr_array_new ();

      for (guint k = 0; k < cases[i].n; k++)
        {
          g_ptr_array_add (of_names, (gpointer) cases[i].name);
          g_ptr_array_add (of_tensors, cases[i].tensor);
        }
      g_assert_cmpint (assay_npz_save (of_names, of_tensors, path, &error), ==,
                       cases[i].message == NULL);
      if (cases[i].message != NULL)
        g_assert_nonnull (strstr (error->message, cases[i].message));
      g_clear_error (&error);
    }

  g_assert_true (assay_npz_load (path, names, tensors, &cancelled, &error));
  g_assert_no_error (error);
  g_assert_cmpuint (tensors->len, ==, 2);
  g_assert_cmpmem (assay_tensor_get_data (tensors->pdata[1], NULL, NULL), sizeof values, values,
                   sizeof values);
  g_assert_false (assay_npz_load (folder, names, tensors, NULL, &error));
  g_assert_error (error, ASSAY_ERROR, ASSAY_ERROR_IO);
  folder_remove (folder);
}

TEST_PROGRAM (arrays)
{
  g_test_init (&argc, &argv, NULL);

  g_test_add_func ("/arrays/refusals", test_refusals);
  g_test_add_func ("/arrays/types", test_types);
  g_test_add_func ("/arrays/texts", test_texts);
  g_test_add_func ("/arrays/not-written", test_not_written);
  g_test_add_func ("/arrays/archives", test_archives);
  g_test_add_func ("/arrays/archive-files", test_archive_files);

  return g_test_run ();
}
