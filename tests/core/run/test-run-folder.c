/* test-run-folder.c
 * SPDX-License-Identifier: Apache-2.0
 *
 * What a runner and another program leave for each other in a folder.
 */
#include <glib/gstdio.h>
#include <string.h>
#include <unistd.h>

#include "base/assay-error.h"
#include "base/assay-npy.h"
#include "run/assay-run-folder.h"

#include "test-program.h"

static const gint64 dims[] = { 2, 3 };

static guint n_syncs;

/* In the place of that of the system. */
int
fsync (int fd)
{
  n_syncs++;

  return fd >= 0 ? 0 : -1;
}

static AssayTensor *
make_tensor (AssayDType dtype)
{
  static const guint8 bits[128] = "\x40\x3f\x80\x01\xff\x3f\x31\x12 and enough for 128 bits each: "
                                  "0123456789 0123456789 0123456789 0123456789 0123456789";
  g_autoptr (GPtrArray) strings = g_ptr_array_new_with_free_func ((GDestroyNotify) g_bytes_unref);
  g_autoptr (GBytes) bytes = NULL;
  gsize size = 0;

  if (dtype == ASSAY_DTYPE_STRING)
    {
      for (guint i = 0; i < 6; i++)
        g_ptr_array_add (strings, g_bytes_new_static ("text", i % 5));
      return assay_tensor_new_strings (2, dims, strings, NULL);
    }
  g_assert_true (assay_dtype_byte_size (dtype, 6, &size));
  bytes = g_bytes_new_static (bits, size);

  return assay_tensor_new (dtype, 2, dims, bytes, NULL);
}

static void
assert_equal (AssayTensor *a, AssayTensor *b)
{
  g_assert_cmpint (assay_tensor_get_dtype (a), ==, assay_tensor_get_dtype (b));
  g_assert_cmpuint (assay_tensor_get_rank (a), ==, assay_tensor_get_rank (b));
  for (gsize i = 0; i < assay_tensor_get_n_elements (a); i++)
    if (assay_tensor_get_dtype (a) == ASSAY_DTYPE_STRING)
      g_assert_true (g_bytes_equal (assay_tensor_get_strings (a)->pdata[i],
                                    assay_tensor_get_strings (b)->pdata[i]));
    else
      {
        double x, y;

        g_assert_true (assay_tensor_get_element (a, i, &x, NULL));
        g_assert_true (assay_tensor_get_element (b, i, &y, NULL));
        g_assert_true (memcmp (&x, &y, sizeof x) == 0 || (x != x && y != y));
      }
}

/* Tensors of every type come through as they are, both ways. */
static void
test_types (void)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (AssayRunFolder) here = assay_run_folder_new (NULL, &error);
  g_autoptr (AssayRunFolder) there = NULL;
  g_autoptr (GArray) latencies = g_array_new (FALSE, FALSE, sizeof (gint64));
  static const gint64 times[] = { 5, -1, 7 };

  for (int type = 1; type < ASSAY_N_DTYPES; type++)
    {
      g_autoptr (AssayTensor) tensor = make_tensor ((AssayDType) type);

      assay_run_folder_add_input (here, assay_dtype_name ((AssayDType) type), tensor);
      g_ptr_array_add (here->outputs, g_strdup (assay_dtype_name ((AssayDType) type)));
    }
  g_ptr_array_add (here->values, g_strdup ("between"));
  g_assert_true (assay_run_folder_write (here, &error));
  g_assert_no_error (error);

  there = assay_run_folder_open (here->path, &error);
  g_assert_no_error (error);
  g_assert_cmpuint (there->tensors->len, ==, ASSAY_N_DTYPES - 1);
  for (guint i = 0; i < there->tensors->len; i++)
    {
      g_autoptr (AssayTensor) back = NULL;

      g_assert_cmpstr (there->inputs->pdata[i], ==, here->inputs->pdata[i]);
      assert_equal (here->tensors->pdata[i], there->tensors->pdata[i]);
      g_assert_true (
          assay_run_folder_save_output (there, FALSE, i, there->tensors->pdata[i], &error));
      back = assay_run_folder_load_output (here, FALSE, i, (AssayDType) (i + 1), &error);
      g_assert_no_error (error);
      assert_equal (here->tensors->pdata[i], back);
    }
  g_assert_true (assay_run_folder_save_output (there, TRUE, 0, there->tensors->pdata[0], &error));
  assay_tensor_unref (assay_run_folder_load_output (here, TRUE, 0, ASSAY_DTYPE_UNDEFINED, &error));

  assay_run_folder_load_result (here, latencies);
  g_assert_cmpuint (latencies->len, ==, 0);
  g_assert_true (assay_run_folder_save_result (there, times, 3, &error));
  assay_run_folder_load_result (here, latencies);
  g_assert_cmpuint (latencies->len, ==, 2);
  g_assert_cmpint (g_array_index (latencies, gint64, 1), ==, 7);
  assay_run_folder_delete (here);
}

static void
leave (AssayRunFolder *folder, const char *name, const char *text)
{
  g_autofree char *path = g_build_filename (folder->path, name, NULL);

  g_assert_true (g_file_set_contents (path, text, -1, NULL));
}

#define INPUT(dtype) "{ \"inputs\": [ { \"name\": \"x\", \"dtype\": \"" dtype "\" } ] }"

/* What says what is wanted may say anything. */
static void
test_wanted (void)
{
  static const struct
  {
    const char *text;
    AssayDType dtype; /* of the array that lies there, if one does */
    const char *message;
  } cases[] = {
    { "[]", 0, "*" },
    { "{ \"inputs\": [ {} ] }", 0, "*: line 1, *inputs*: expected name and dtype" },
    { "{ \"inputs\": [ { \"name\": \"x\" } ] }", 0, "*: expected name and dtype" },
    { INPUT ("f99"), 0, "*: expected name and dtype" },
    { "{ \"outputs\": [ {} ] }", 0, "*: expected name" },
    { "{ \"values\": [ 3 ] }", 0, "*" },
    { INPUT ("f32"), 0, "*input-0.npy: No such file or directory" },
    { INPUT ("f32"), ASSAY_DTYPE_F64, "input x: type f64, expected f32" },
    { INPUT ("string"), ASSAY_DTYPE_F32, "input x: type f32, expected string" },
    { INPUT ("f64"), ASSAY_DTYPE_U8, "input x: type u8, expected f64" },
    { INPUT ("u4"), ASSAY_DTYPE_C128, "input x: type c128, expected u4" },
    { INPUT ("undefined"), ASSAY_DTYPE_U8, "*" },
  };

  for (guint i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      g_autoptr (GError) error = NULL;
      g_autoptr (AssayRunFolder) folder = assay_run_folder_new (NULL, &error);

      leave (folder, "run.json", cases[i].text);
      if (cases[i].dtype != 0)
        {
          g_autoptr (AssayTensor) tensor = make_tensor (cases[i].dtype);
          g_autofree char *path = g_build_filename (folder->path, "input-0.npy", NULL);

          g_assert_true (assay_npy_save (tensor, path, &error));
        }
      g_assert_null (assay_run_folder_open (folder->path, &error));
      g_assert_nonnull (error);
      if (!g_pattern_match_simple (cases[i].message, error->message))
        g_error ("%s: %s, expected %s", cases[i].text, error->message, cases[i].message);
      assay_run_folder_delete (folder);
    }
}

/* What comes out may be missing, a link, of another type, or nothing that can be read. */
static void
test_outputs (void)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (AssayRunFolder) folder = assay_run_folder_new (NULL, &error);
  g_autoptr (AssayTensor) tensor = make_tensor (ASSAY_DTYPE_F32);
  g_autofree char *link = g_build_filename (folder->path, "output-0.npy", NULL);
  g_autofree char *link_of_parts = g_build_filename (folder->path, "output-0.npz", NULL);
  g_autoptr (AssayRunParts) parts = NULL;
  g_autoptr (AssayRunParts) back = NULL;
  struct
  {
    const char *left; /* NULL for a tensor of fp32 */
    AssayDType dtype;
    const char *message;
  } cases[] = {
    { NULL, ASSAY_DTYPE_F64, "output y: type f32, expected f64" },
    { NULL, ASSAY_DTYPE_U4, "output y: type f32, expected u4" },
    { "nothing", ASSAY_DTYPE_F32, "output y: */output-0.npy: Not a usable .npy file*" },
  };

  g_ptr_array_add (folder->outputs, g_strdup ("y"));
  g_assert_null (assay_run_folder_load_output (folder, FALSE, 0, ASSAY_DTYPE_F32, &error));
  g_assert_cmpstr (error->message, ==, "output y was not written, expected in output-0.npy");
  g_clear_error (&error);
  g_assert_null (assay_run_folder_load_parts (folder, 0, &error));
  g_assert_cmpstr (error->message, ==, "output y was not written, expected in output-0.npy");
  g_clear_error (&error);
  g_assert_cmpint (symlink ("/proc/self/status", link), ==, 0);
  g_assert_cmpint (symlink ("/proc/self/status", link_of_parts), ==, 0);
  g_assert_null (assay_run_folder_load_output (folder, FALSE, 0, ASSAY_DTYPE_F32, &error));
  g_clear_error (&error);
  g_assert_null (assay_run_folder_load_parts (folder, 0, &error));
  g_clear_error (&error);
  g_unlink (link);
  g_unlink (link_of_parts);

  for (guint i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      if (cases[i].left != NULL)
        leave (folder, "output-0.npy", cases[i].left);
      else
        g_assert_true (assay_run_folder_save_output (folder, FALSE, 0, tensor, &error));
      g_assert_null (assay_run_folder_load_output (folder, FALSE, 0, cases[i].dtype, &error));
      g_assert_error (error, ASSAY_ERROR, ASSAY_ERROR_DEVICE);
      g_assert_true (g_pattern_match_simple (cases[i].message, error->message));
      g_clear_error (&error);
    }

  g_assert_true (assay_run_folder_save_output (folder, FALSE, 0, tensor, &error));
  parts = assay_run_folder_load_parts (folder, 0, &error);
  g_assert_no_error (error);
  g_assert_true (assay_run_folder_save_parts (folder, 0, parts, &error));
  back = assay_run_folder_load_parts (folder, 0, &error);
  g_assert_no_error (error);
  g_assert_nonnull (back);
  leave (folder, "output-0.npz", "nothing");
  g_assert_null (assay_run_folder_load_parts (folder, 0, &error));
  g_assert_true (g_str_has_prefix (error->message, "output y: "));
  assay_run_folder_delete (folder);
}

static GBytes *
fail_to_load (AssayTensor *tensor, gpointer data, GError **error)
{
  g_set_error_literal (error, ASSAY_ERROR, ASSAY_ERROR_IMPORT, "its elements are gone");
  return NULL;
}

/* What cannot be written is said, with its name. */
static void
test_not_written (void)
{
  static const AssayDType types[] = { ASSAY_DTYPE_F32, ASSAY_DTYPE_BF16, ASSAY_DTYPE_I4 };
  g_autoptr (GError) error = NULL;

  g_assert_null (assay_run_folder_new ("/nonexistent", &error));
  g_assert_error (error, ASSAY_ERROR, ASSAY_ERROR_IO);
  g_clear_error (&error);
  for (guint i = 0; i < G_N_ELEMENTS (types); i++)
    {
      g_autoptr (AssayRunFolder) folder = assay_run_folder_new (NULL, &error);
      g_autoptr (AssayTensor)
          tensor = assay_tensor_new_lazy (types[i], 2, dims, fail_to_load, NULL, NULL, NULL);

      assay_run_folder_add_input (folder, "x", tensor);
      g_assert_false (assay_run_folder_write (folder, &error));
      g_assert_cmpstr (error->message, ==, "input x: its elements are gone");
      g_clear_error (&error);
      assay_run_folder_delete (folder);
    }
}

/* Who reads it waits for it, and then it is deleted: the disk is not waited for. What is written
 * next is there to stay. */
static void
test_passing (void)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (AssayRunFolder) here = assay_run_folder_new (NULL, &error);
  g_autoptr (AssayTensor) tensor = make_tensor (ASSAY_DTYPE_F32);
  g_autoptr (AssayRunParts) parts = assay_run_parts_new ();
  g_autofree char *path = g_build_filename (here->path, "kept.npy", NULL);
  const gint64 latency = 5;

  assay_run_parts_add (parts, "0", tensor);
  assay_run_folder_add_input (here, "x", tensor);
  n_syncs = 0;
  g_assert_true (assay_run_folder_write (here, &error));
  g_assert_true (assay_run_folder_save_output (here, FALSE, 0, tensor, &error));
  g_assert_true (assay_run_folder_save_parts (here, 1, parts, &error));
  g_assert_true (assay_run_folder_save_result (here, &latency, 1, &error));
  g_assert_cmpuint (n_syncs, ==, 0);

  g_assert_true (assay_npy_save (tensor, path, &error));
  g_assert_cmpuint (n_syncs, ==, 2);
  assay_run_folder_delete (here);
}

TEST_PROGRAM (run_folder)
{
  g_test_init (&argc, &argv, NULL);

  g_test_add_func ("/run-folder/types", test_types);
  g_test_add_func ("/run-folder/wanted", test_wanted);
  g_test_add_func ("/run-folder/outputs", test_outputs);
  g_test_add_func ("/run-folder/not-written", test_not_written);
  g_test_add_func ("/run-folder/passing", test_passing);

  return g_test_run ();
}
