/* test-ranges.c
 * SPDX-License-Identifier: Apache-2.0
 *
 * Ranges of weights and activations: what bf16 and fp8 make infinite, too small, or zero.
 */
#include <glib.h>
#include <math.h>

#include "machine-run.h"
#include "test-program.h"
#include "run/assay-ranges.h"

static const AssayRange *
find (AssayRanges *ranges, const char *name)
{
  for (guint i = 0; i < assay_ranges_get_n (ranges); i++)
    {
      if (g_str_equal (assay_ranges_get (ranges, i)->name, name))
        return assay_ranges_get (ranges, i);
    }

  return NULL;
}

/* Just within and just past each end; 2^-134 is half of the least number of bf16, and ties go to
 * zero. */
static void
test_weights (void)
{
  g_autoptr (AssayGraph) graph = machine_graph_from_text (
      "(%x : f32[1,2]) { const %w : f32[2,4] = [3.3961e38, -3.3962e38, 4.6e-41, 4.5e-41, 0.0, "
      "-2.0, 1.0, 1.0] "
      "const %b : f32[4] = [500.0, 0.0005, 1.0, inf] const %s : i64[2] = [1, 4] "
      "%m = MatMul(%x, %w) %a = Add(%m, %b) %y = Reshape(%a, %s) return %y }");
  g_autoptr (AssayRanges) plain = assay_ranges_new (graph, NULL);
  g_autoptr (AssaySettings) fp8 = NULL;
  g_autoptr (AssayRanges) small = NULL;
  const AssayRange *range = find (plain, "w");

  assay_settings_set_flag (&fp8, ASSAY_SETTING_FP8_WEIGHTS, TRUE);
  small = assay_ranges_new (graph, fp8);
  /* No activation was seen, and shapes are no weights. */
  g_assert_cmpuint (assay_ranges_get_n (plain), ==, 2);
  g_assert_true (range->is_weight);
  g_assert_cmpuint (range->n_overflow, ==, 1);
  g_assert_cmpuint (range->n_vanish, ==, 1);
  g_assert_cmpfloat_with_epsilon (range->min, -3.3962e38, 1e33);
  g_assert_cmpfloat_with_epsilon (range->max, 3.3961e38, 1e33);
  g_assert_cmpfloat_with_epsilon (range->least, 4.5e-41, 1e-43);

  range = find (plain, "b");
  g_assert_cmpuint (range->n_overflow, ==, 1);
  g_assert_cmpuint (range->n_vanish, ==, 0);
  g_assert_cmpfloat (range->max, ==, 500);

  /* In fp8 matrices lose more, vectors do not. */
  range = find (small, "w");
  g_assert_cmpuint (range->n_overflow, ==, 2);
  g_assert_cmpuint (range->n_vanish, ==, 2);
  g_assert_cmpuint (find (small, "b")->n_overflow, ==, 1);
}

/* Timesteps add up; NaN is neither here nor there. */
static void
test_activations (void)
{
  static const float first[] = { 1, -2, INFINITY }, second[] = { NAN, 1e-42f, 5 };
  static const gint64 dims[] = { 3 };
  g_autoptr (AssayGraph)
      graph = machine_graph_from_text ("(%x : f32[3]) { %y = Exp(%x) return %y }");
  AssayValueId y = g_array_index (assay_graph_region (graph, ASSAY_MAIN_REGION)->outputs,
                                  AssayValueId, 0);
  g_autoptr (AssayRanges) ranges = assay_ranges_new (graph, NULL);
  g_autoptr (AssayTensor) a = assay_tensor_new_f32 (1, dims, first);
  g_autoptr (AssayTensor) b = assay_tensor_new_f32 (1, dims, second);
  g_autoptr (GError) error = NULL;
  const AssayRange *range;

  g_assert_true (assay_ranges_observe (y, 0, a, ranges, &error));
  g_assert_true (assay_ranges_observe (y, 1, b, ranges, &error));
  g_assert_no_error (error);

  range = find (ranges, "y");
  g_assert_false (range->is_weight);
  g_assert_cmpuint (range->n, ==, 4);
  g_assert_cmpuint (range->n_overflow, ==, 1);
  g_assert_cmpuint (range->n_vanish, ==, 1);
  g_assert_cmpfloat (range->min, ==, -2);
  g_assert_cmpfloat (range->max, ==, 5);
  g_assert_cmpfloat (range->least, ==, 1e-42f);
}

TEST_PROGRAM (ranges)
{
  g_test_init (&argc, &argv, NULL);

  g_test_add_func ("/ranges/weights", test_weights);
  g_test_add_func ("/ranges/activations", test_activations);

  return g_test_run ();
}
