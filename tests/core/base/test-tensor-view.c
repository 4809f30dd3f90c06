/* test-tensor-view.c
 * SPDX-License-Identifier: Apache-2.0
 *
 * Looking into tensors: slices, single elements, statistics piece by piece, files written piece by
 * piece.
 */
#include <glib/gstdio.h>
#include <math.h>
#include <string.h>

#include "base/assay-error.h"
#include "base/assay-npy.h"
#include "base/assay-tensor-cell.h"
#include "base/assay-tensor-grid.h"
#include "base/assay-tensor-summary.h"

#include "test-program.h"

static AssayTensor *
make_counting (guint rank, const gint64 *dims)
{
  gsize n = 1;
  g_autofree gint64 *values = NULL;

  for (guint i = 0; i < rank; i++)
    n *= (gsize) dims[i];
  values = g_new0 (gint64, MAX (n, 1));
  for (gsize i = 0; i < n; i++)
    values[i] = (gint64) i;

  return assay_tensor_new_i64 (rank, dims, values);
}

/* Whichever two axes are seen, every element is in exactly one cell of one slice. */
static void
test_slices (void)
{
  static const gint64 dims[] = { 2, 3, 4, 5 };
  g_autoptr (AssayTensor) tensor = make_counting (4, dims);
  g_autoptr (AssayTensorGrid) grid = assay_tensor_grid_new (tensor);

  g_assert_cmpint (grid->row_axis, ==, 2);
  g_assert_cmpint (grid->column_axis, ==, 3);
  for (int row_axis = 0; row_axis < 4; row_axis++)
    for (int column_axis = 0; column_axis < 4; column_axis++)
      {
        guint8 seen[120] = { 0 };

        if (row_axis == column_axis)
          continue;
        assay_tensor_grid_set_axes (grid, row_axis, column_axis);
        for (gsize i = 0; i < 120; i++)
          {
            gsize row, column;

            assay_tensor_grid_go_to (grid, i, &row, &column);
            g_assert_cmpuint (row, <, grid->n_rows);
            g_assert_cmpuint (column, <, grid->n_columns);
            g_assert_cmpuint (assay_tensor_grid_get_index (grid, row, column), ==, i);
            seen[assay_tensor_grid_get_index (grid, row, column)]++;
          }
        for (gsize i = 0; i < 120; i++)
          g_assert_cmpuint (seen[i], ==, 1);
        g_assert_true (assay_tensor_grid_get_index (grid, grid->n_rows, 0) == ASSAY_GRID_NONE);
      }
}

static void
test_vector (void)
{
  static const gint64 dims[] = { 19 };
  static const gint64 none[] = { 0, 4 };
  g_autoptr (AssayTensor) vector = make_counting (1, dims);
  g_autoptr (AssayTensor) scalar = make_counting (0, NULL);
  g_autoptr (AssayTensor) empty = make_counting (2, none);
  g_autoptr (AssayTensorGrid) grid = assay_tensor_grid_new (vector);
  g_autoptr (AssayTensorGrid) point = assay_tensor_grid_new (scalar);
  g_autoptr (AssayTensorGrid) nothing = assay_tensor_grid_new (empty);
  g_autofree char *place = assay_tensor_grid_dup_place (grid, 10);
  g_autofree char *here = assay_tensor_grid_dup_place (point, 0);

  g_assert_cmpuint (grid->n_rows, ==, 3);
  g_assert_cmpuint (grid->n_columns, ==, ASSAY_GRID_WRAP);
  g_assert_cmpuint (assay_tensor_grid_get_index (grid, 2, 2), ==, 18);
  g_assert_true (assay_tensor_grid_get_index (grid, 2, 3) == ASSAY_GRID_NONE);
  g_assert_cmpstr (place, ==, "[10]");
  g_assert_cmpuint (point->n_rows, ==, 1);
  g_assert_cmpuint (assay_tensor_grid_get_index (point, 0, 0), ==, 0);
  g_assert_cmpstr (here, ==, "[]");
  g_assert_cmpuint (nothing->n_rows, ==, 0);
}

static void
test_parse (void)
{
  static const gint64 dims[] = { 2, 3, 4 };
  static const char *const wrong[] = { "",      "x",     "24",      "-1",  "1,2",
                                       "2,0,0", "0,0,4", "1,2,3,4", "1,,2" };
  g_autoptr (AssayTensor) tensor = make_counting (3, dims);
  g_autoptr (AssayTensorGrid) grid = assay_tensor_grid_new (tensor);
  gsize index;

  g_assert_true (assay_tensor_grid_parse (grid, "[1, 2, 3]", &index, NULL));
  g_assert_cmpuint (index, ==, 23);
  g_assert_true (assay_tensor_grid_parse (grid, " 1,0,2 ", &index, NULL));
  g_assert_cmpuint (index, ==, 14);
  g_assert_true (assay_tensor_grid_parse (grid, "7", &index, NULL));
  g_assert_cmpuint (index, ==, 7);
  for (guint i = 0; i < G_N_ELEMENTS (wrong); i++)
    {
      g_autoptr (GError) error = NULL;

      g_assert_false (assay_tensor_grid_parse (grid, wrong[i], &index, &error));
      g_assert_error (error, ASSAY_ERROR, ASSAY_ERROR_INVALID);
    }
}

static AssayTensor *
make_raw (AssayDType dtype, gint64 n, gconstpointer data, gsize size)
{
  g_autoptr (GBytes) bytes = g_bytes_new (data, size);
  g_autoptr (GError) error = NULL;
  AssayTensor *tensor = assay_tensor_new (dtype, 1, &n, bytes, &error);

  g_assert_no_error (error);
  return tensor;
}

static void
check_cell (AssayTensor *tensor, gsize index, const char *few, const char *whole, const char *bits)
{
  g_autofree char *short_text = assay_tensor_dup_value (tensor, index, FALSE);
  g_autofree char *long_text = assay_tensor_dup_value (tensor, index, TRUE);
  g_autofree char *bit_text = assay_tensor_dup_bits (tensor, index);

  g_assert_cmpstr (short_text, ==, few);
  g_assert_cmpstr (long_text, ==, whole);
  g_assert_cmpstr (bit_text, ==, bits);
}

static void
test_cells (void)
{
  static const float floats[] = { 1.0f / 3, NAN, -INFINITY };
  static const guint16 halves[] = { 0x3f80, 0x4049 };
  static const guint64 wide[] = { G_MAXUINT64, 0 };
  static const gint64 deep[] = { G_MININT64, 9007199254740993 };
  static const guint8 nibbles[] = { 0xf7 };
  static const guint8 truths[] = { 0, 1 };
  g_autoptr (AssayTensor) f32 = make_raw (ASSAY_DTYPE_F32, 3, floats, sizeof floats);
  g_autoptr (AssayTensor) bf16 = make_raw (ASSAY_DTYPE_BF16, 2, halves, sizeof halves);
  g_autoptr (AssayTensor) u64 = make_raw (ASSAY_DTYPE_U64, 2, wide, sizeof wide);
  g_autoptr (AssayTensor) i64 = make_raw (ASSAY_DTYPE_I64, 2, deep, sizeof deep);
  g_autoptr (AssayTensor) i4 = make_raw (ASSAY_DTYPE_I4, 2, nibbles, sizeof nibbles);
  g_autoptr (AssayTensor) truth = make_raw (ASSAY_DTYPE_BOOL, 2, truths, sizeof truths);

  check_cell (f32, 0, "0.33333", "0.333333343", "0x3eaaaaab");
  check_cell (f32, 1, "NaN", "NaN", "0x7fc00000");
  check_cell (f32, 2, "-inf", "-inf", "0xff800000");
  check_cell (bf16, 0, "1", "1", "0x3f80");
  check_cell (bf16, 1, "3.1406", "3.141", "0x4049");
  check_cell (u64, 0, "18446744073709551615", "18446744073709551615", "0xffffffffffffffff");
  check_cell (i64, 0, "-9223372036854775808", "-9223372036854775808", "0x8000000000000000");
  check_cell (i64, 1, "9007199254740993", "9007199254740993", "0x0020000000000001");
  check_cell (i4, 0, "7", "7", "0x7");
  check_cell (i4, 1, "-1", "-1", "0xf");
  check_cell (truth, 1, "true", "true", "0x01");
}

/* The parts joined are the whole, whatever the parts are. */
static void
test_statistics (void)
{
  g_autoptr (GRand) rand = g_rand_new_with_seed (5);
  double values[1000];

  for (guint i = 0; i < G_N_ELEMENTS (values); i++)
    values[i] = i % 97 == 0   ? NAN
                : i % 89 == 0 ? INFINITY
                              : 1e6 + g_rand_double_range (rand, -1, 1);
  for (guint part = 1; part < 1000; part += 37)
    {
      AssayStatistics whole = assay_statistics_of (values, G_N_ELEMENTS (values));
      AssayStatistics joined = assay_statistics_of (NULL, 0);

      for (guint first = 0; first < G_N_ELEMENTS (values); first += part)
        {
          AssayStatistics some = assay_statistics_of (values + first,
                                                      MIN (part, G_N_ELEMENTS (values) - first));

          assay_statistics_add (&joined, &some);
        }
      g_assert_cmpuint (joined.n, ==, whole.n);
      g_assert_cmpuint (joined.n_nan, ==, whole.n_nan);
      g_assert_cmpuint (joined.n_inf, ==, whole.n_inf);
      g_assert_cmpfloat (joined.min, ==, whole.min);
      g_assert_cmpfloat (joined.max, ==, whole.max);
      g_assert_cmpfloat_with_epsilon (joined.mean, whole.mean, 1e-8);
      g_assert_cmpfloat_with_epsilon (joined.deviation, whole.deviation, 1e-8);
    }
}

static void
cancel_cb (double fraction, const char *message, gpointer data)
{
  if (fraction > 0.3)
    g_cancellable_cancel (data);
}

/* Over more than one piece; and stopped in the middle nothing is there. */
static void
test_pieces (void)
{
  static const gint64 dims[] = { 700, 1000 };
  g_autoptr (AssayTensor) tensor = make_counting (2, dims);
  g_autoptr (GCancellable) cancellable = g_cancellable_new ();
  AssayProgress progress = ASSAY_PROGRESS_INIT (cancel_cb, cancellable, cancellable);
  g_autofree char *folder = g_dir_make_tmp ("assay-tensor-XXXXXX", NULL);
  g_autofree char *path = g_build_filename (folder, "tensor.npy", NULL);
  g_autoptr (AssayTensor) back = NULL;
  g_autoptr (GError) error = NULL;
  AssayTensorSummary summary;
  gsize sum = 0;

  g_assert_true (assay_tensor_summarize (tensor, NULL, &summary, &error));
  g_assert_no_error (error);
  g_assert_cmpfloat (summary.statistics.max, ==, 699999);
  g_assert_cmpfloat_with_epsilon (summary.statistics.mean, 349999.5, 1e-6);
  for (guint i = 0; i < ASSAY_SUMMARY_BUCKETS; i++)
    {
      double low, high;

      assay_tensor_summary_bucket (&summary, i, &low, &high);
      g_assert_cmpfloat_with_epsilon ((double) summary.histogram[i], high - low, 2);
      sum += summary.histogram[i];
    }
  g_assert_cmpuint (sum, ==, 700000);

  g_assert_true (assay_npy_write (tensor, path, NULL, &error));
  g_assert_no_error (error);
  back = assay_npy_load (path, &error);
  g_assert_no_error (error);
  g_assert_cmpmem (assay_tensor_get_data (back, NULL, NULL), assay_tensor_get_n_bytes (back),
                   assay_tensor_get_data (tensor, NULL, NULL), assay_tensor_get_n_bytes (tensor));
  g_remove (path);

  g_assert_false (assay_npy_write (tensor, path, &progress, &error));
  g_assert_error (error, ASSAY_ERROR, ASSAY_ERROR_CANCELLED);
  g_clear_error (&error);
  g_cancellable_reset (cancellable);
  g_assert_false (assay_tensor_summarize (tensor, &progress, &summary, &error));
  g_assert_error (error, ASSAY_ERROR, ASSAY_ERROR_CANCELLED);
  /* The folder is empty: no part of a file is left. */
  g_assert_cmpint (g_rmdir (folder), ==, 0);
}

/* Every element is in one stretch of the row, which shows their mean magnitude; few elements have
 * one each. */
static void
test_stretches (void)
{
  static const gint64 dims[] = { 1000 };
  static const gint64 few[] = { 5 };
  g_autofree float *values = g_new0 (float, 1000);
  g_autoptr (AssayTensor) tensor = NULL;
  g_autoptr (AssayTensor) small = NULL;
  AssayTensorSummary summary;

  for (guint i = 0; i < 1000; i++)
    values[i] = i % 2 == 0 ? (float) i : -(float) i;
  values[999] = NAN;
  tensor = assay_tensor_new_f32 (1, dims, values);
  g_assert_true (assay_tensor_summarize (tensor, NULL, &summary, NULL));
  g_assert_cmpuint (assay_tensor_summary_count_stretches (&summary), ==, ASSAY_SUMMARY_STRETCHES);
  g_assert_cmpuint (assay_tensor_summary_begin_stretch (&summary, 0), ==, 0);
  g_assert_cmpuint (assay_tensor_summary_begin_stretch (&summary, ASSAY_SUMMARY_STRETCHES), ==,
                    1000);
  for (guint i = 0; i < ASSAY_SUMMARY_STRETCHES; i++)
    {
      gsize begin = assay_tensor_summary_begin_stretch (&summary, i);
      gsize end = assay_tensor_summary_begin_stretch (&summary, i + 1);
      double sum = 0;

      for (gsize k = begin; k < end; k++)
        sum += k == 999 ? 0 : (double) k;
      g_assert_cmpfloat_with_epsilon (summary.strengths[i], sum / (double) (end - begin), 1e-9);
    }

  small = assay_tensor_new_f32 (1, few, values);
  g_assert_true (assay_tensor_summarize (small, NULL, &summary, NULL));
  g_assert_cmpuint (assay_tensor_summary_count_stretches (&summary), ==, 5);
  for (guint i = 0; i < 5; i++)
    g_assert_cmpfloat (summary.strengths[i], ==, i);
}

TEST_PROGRAM (tensor_view)
{
  g_test_init (&argc, &argv, NULL);

  g_test_add_func ("/tensor-view/grid/slices", test_slices);
  g_test_add_func ("/tensor-view/grid/vector", test_vector);
  g_test_add_func ("/tensor-view/grid/parse", test_parse);
  g_test_add_func ("/tensor-view/cell/text", test_cells);
  g_test_add_func ("/tensor-view/summary/parts", test_statistics);
  g_test_add_func ("/tensor-view/summary/pieces", test_pieces);
  g_test_add_func ("/tensor-view/summary/stretches", test_stretches);

  return g_test_run ();
}
