/* test-data-dimension.c
 * SPDX-License-Identifier: Apache-2.0
 */
#include <glib.h>
#include <string.h>

#include "base/assay-error.h"
#include "nnir/analysis/assay-data-dimension-private.h"
#include "test-graph.h"
#include "test-program.h"
#include "wait.h"

static AssayDimensions *
solve (AssayGraph *graph, gboolean dynamic)
{
  AssayDimensionOptions options = { .allow_dynamic_weights = dynamic };
  g_autoptr (GError) error = NULL;
  AssayDimensions *result = assay_graph_solve_dimensions (graph, &options, &error);

  g_assert_no_error (error);
  g_assert_nonnull (result);

  return result;
}

/* Solves and compares the data dimension of two values; -2 expects a conflict at the node that
 * makes y. */
static void
expect (AssayGraph *graph, AssayValueId x, int dim_x, AssayValueId y, int dim_y)
{
  g_autoptr (AssayDimensions) result = solve (graph, FALSE);

  if (dim_y == -2)
    {
      g_assert_cmpuint (result->conflicts->len, ==, 1);
      g_assert_nonnull (assay_dimensions_find_conflict (result, node_of (graph, y)));
      return;
    }

  for (guint i = 0; i < result->conflicts->len; i++)
    g_test_message ("%s", g_array_index (result->conflicts, AssayDimensionConflict, i).message);
  g_assert_cmpuint (result->conflicts->len, ==, 0);
  g_assert_cmpint (result->dims[x], ==, dim_x);
  g_assert_cmpint (result->dims[y], ==, dim_y);
}

/* Forces the data dimension of a matrix: 0 by a product from the left, 1 by one from the right. */
static AssayValueId
force (AssayGraph *graph, AssayValueId x, const char *shape, int dim)
{
  g_auto (GStrv) parts = g_strsplit (shape, ",", -1);
  g_autofree char *square = g_strdup_printf ("%s,%s", parts[dim], parts[dim]);
  AssayValueId y = op (graph, ASSAY_OP_Linear, shape, x, weight (graph, square), 0);

  assay_graph_set_string (graph, node_of (graph, y), "side", dim == 0 ? "left" : "right");

  return y;
}

static void
test_pointwise (void)
{
  for (int dim = 0; dim < 2; dim++)
    for (int other = 0; other < 2; other++)
      {
        g_autoptr (AssayGraph) graph = assay_graph_new ();
        AssayValueId x = force (graph, input (graph, "x", "4,8"), "4,8", dim);
        AssayValueId y = force (graph, input (graph, "y", "4,8"), "4,8", other);
        AssayValueId z = op (graph, ASSAY_OP_Add, "4,8", x, y, 0);

        expect (graph, x, dim, z, dim == other ? dim : -2);
      }
}

static void
test_free_input (void)
{
  g_autoptr (AssayGraph) graph = assay_graph_new ();
  AssayValueId x = input (graph, "x", "4,8,16");
  AssayValueId y = op (graph, ASSAY_OP_Relu, "4,8,16", x, 0, 0);

  expect (graph, x, 2, y, 2);
}

static void
test_slice (void)
{
  g_autoptr (AssayGraph) graph = assay_graph_new ();
  AssayValueId x = force (graph, input (graph, "x", "4,8"), "4,8", 0);
  AssayValueId y = op (graph, ASSAY_OP_Slice, "4,2", x, ints (graph, "0"), ints (graph, "2"));

  expect (graph, x, 0, y, 0);
}

static void
test_unsqueeze (void)
{
  for (int dim = 0; dim < 2; dim++)
    {
      g_autoptr (AssayGraph) graph = assay_graph_new ();
      AssayValueId x = force (graph, input (graph, "x", "4,8"), "4,8", dim);
      AssayValueId y = op (graph, ASSAY_OP_Unsqueeze, "4,1,8", x, ints (graph, "1"), 0);

      expect (graph, x, dim, y, dim == 0 ? 0 : 2);
    }
}

/* An added axis is never the data dimension, even where a product would want it. */
static void
test_unsqueeze_refused (void)
{
  g_autoptr (AssayGraph) graph = assay_graph_new ();
  AssayValueId x = input (graph, "x", "4");
  AssayValueId y = op (graph, ASSAY_OP_Unsqueeze, "4,1", x, ints (graph, "1"), 0);
  AssayValueId z = op (graph, ASSAY_OP_Linear, "4,8", y, weight (graph, "1,8"), 0);

  expect (graph, x, 0, z, -2);
}

static void
test_squeeze (void)
{
  for (int dim = 0; dim < 2; dim++)
    {
      g_autoptr (AssayGraph) graph = assay_graph_new ();
      AssayValueId x = force (graph, input (graph, "x", "1,8"), "1,8", dim);
      AssayValueId y = op (graph, ASSAY_OP_Squeeze, "8", x, ints (graph, "0"), 0);

      expect (graph, x, 1, y, dim == 0 ? -2 : 0);
    }
}

static void
test_broadcast (void)
{
  g_autoptr (AssayGraph) graph = assay_graph_new ();
  AssayValueId x = force (graph, input (graph, "x", "4,8"), "4,8", 1);
  AssayValueId y = input (graph, "y", "8");
  AssayValueId z = op (graph, ASSAY_OP_Add, "4,8", x, y, 0);

  expect (graph, y, 0, z, 1);
}

static void
test_broadcast_refused (void)
{
  g_autoptr (AssayGraph) graph = assay_graph_new ();
  AssayValueId x = force (graph, input (graph, "x", "4,8"), "4,8", 0);
  AssayValueId y = input (graph, "y", "8");
  AssayValueId z = op (graph, ASSAY_OP_Add, "4,8", x, y, 0);

  expect (graph, y, 0, z, -2);
}

/* A scalar broadcasts along any axis. */
static void
test_scalar (void)
{
  g_autoptr (AssayGraph) graph = assay_graph_new ();
  AssayValueId x = force (graph, input (graph, "x", "4,8"), "4,8", 0);
  AssayValueId y = input (graph, "y", "");
  AssayValueId z = op (graph, ASSAY_OP_Mul, "4,8", x, y, 0);

  expect (graph, y, -1, z, 0);
}

static void
test_concat (void)
{
  for (int dim = 0; dim < 2; dim++)
    for (int other = 0; other < 2; other++)
      {
        g_autoptr (AssayGraph) graph = assay_graph_new ();
        AssayValueId x = force (graph, input (graph, "x", "4,8"), "4,8", dim);
        AssayValueId y = force (graph, input (graph, "y", "4,8"), "4,8", other);
        AssayValueId z = op (graph, ASSAY_OP_Concat, "8,8", x, y, 0);

        expect (graph, x, dim, z, dim == other ? dim : -2);
      }
}

static void
test_reduce (void)
{
  for (int dim = 0; dim < 2; dim++)
    for (int keep = 0; keep < 2; keep++)
      {
        g_autoptr (AssayGraph) graph = assay_graph_new ();
        AssayValueId x = force (graph, input (graph, "x", "4,8"), "4,8", dim);
        AssayValueId y = op (graph, ASSAY_OP_ReduceSum, keep ? "4,1" : "4", x, ints (graph, "1"),
                             0);

        assay_graph_set_int (graph, node_of (graph, y), "keepdims", keep);
        expect (graph, x, dim, y, keep ? dim : dim == 1 ? -2 : 0);
      }
}

static void
test_reduce_message (void)
{
  g_autoptr (AssayGraph) graph = assay_graph_new ();
  AssayValueId x = force (graph, input (graph, "x", "4,8"), "4,8", 1);
  AssayValueId y = op (graph, ASSAY_OP_ReduceSum, "4", x, ints (graph, "1"), 0);
  g_autoptr (AssayDimensions) result = NULL;
  const AssayDimensionConflict *conflict;

  assay_graph_set_int (graph, node_of (graph, y), "keepdims", 0);
  result = solve (graph, FALSE);
  conflict = assay_dimensions_find_conflict (result, node_of (graph, y));

  g_assert_nonnull (conflict);
  g_assert_cmpstr (conflict->rule, ==, "reduce.axis");
  g_assert_cmpuint (conflict->node_a, ==, node_of (graph, x));
  g_assert_cmpuint (conflict->node_b, ==, node_of (graph, y));
  g_assert_cmpstr (
      conflict->message, ==,
      "Linear (the contracted axis) and ReduceSum (an axis that stays) share no data dimension");
  g_assert_true (g_str_has_prefix (conflict->text_a, "excludes axis 0: the contracted axis"));
  g_assert_true (g_str_has_prefix (conflict->text_b, "excludes axis 1: a reduction over"));
}

/* [i j] . [j! k] -> [i! k] and its mirror image. */
static void
test_product_constant (void)
{
  for (int dim = 0; dim < 2; dim++)
    {
      g_autoptr (AssayGraph) graph = assay_graph_new ();
      AssayValueId x = input (graph, "x", "4,8");
      AssayValueId y = dim == 0 ? op (graph, ASSAY_OP_MatMul, "5,8", weight (graph, "5,4"), x, 0)
                                : op (graph, ASSAY_OP_MatMul, "4,5", x, weight (graph, "8,5"), 0);

      expect (graph, x, dim, y, dim);
    }
}

static void
test_product_vector (void)
{
  g_autoptr (AssayGraph) graph = assay_graph_new ();
  AssayValueId x = input (graph, "x", "8");
  AssayValueId y = op (graph, ASSAY_OP_MatMul, "5", weight (graph, "5,8"), x, 0);
  AssayValueId z = op (graph, ASSAY_OP_MatMul, "3", y, weight (graph, "5,3"), 0);

  expect (graph, x, 0, z, 0);
}

static void
test_product_gemm (void)
{
  g_autoptr (AssayGraph) graph = assay_graph_new ();
  AssayValueId x = input (graph, "x", "8,4");
  AssayValueId y = op (graph, ASSAY_OP_Gemm, "4,5", x, weight (graph, "8,5"), 0);

  assay_graph_set_int (graph, node_of (graph, y), "transA", 1);
  expect (graph, x, 0, y, 1);
}

/* A contraction off the data dimension needs dynamic weights; the data dimension stays then. */
static void
test_product_off (void)
{
  for (int dynamic = 0; dynamic < 2; dynamic++)
    {
      g_autoptr (AssayGraph) graph = assay_graph_new ();
      AssayValueId x = op (graph, ASSAY_OP_Conv, "1,8,4", input (graph, "x", "1,8,4"),
                           weight (graph, "8,8,1"), 0);
      AssayValueId y = op (graph, ASSAY_OP_MatMul, "1,8,5", x, weight (graph, "4,5"), 0);
      g_autoptr (AssayDimensions) result = solve (graph, dynamic != 0);

      g_assert_cmpuint (result->conflicts->len, ==, dynamic ? 0 : 1);
      if (!dynamic)
        {
          const AssayDimensionConflict *conflict = assay_dimensions_find_conflict (
              result, node_of (graph, y));

          g_assert_nonnull (conflict);
          g_assert_true (g_str_has_suffix (conflict->message, " without allow-dynamic-weights"));
        }
      else
        {
          g_autofree char *note = assay_dimensions_note (result, graph, node_of (graph, y));

          g_assert_cmpint (result->dims[y], ==, 1);
          g_assert_cmpstr (
              note, ==,
              "Contracts axis 2, not the data dimension (axis 1), which takes more tensor RAM");
        }
    }
}

static void
test_product_run_time (void)
{
  static const int expected[2][2] = { { 0, -2 }, { 1, 1 } };

  for (int dim = 0; dim < 2; dim++)
    for (int other = 0; other < 2; other++)
      {
        g_autoptr (AssayGraph) graph = assay_graph_new ();
        AssayValueId x = force (graph, input (graph, "x", "4,8"), "4,8", dim);
        AssayValueId y = force (graph, input (graph, "y", "8,5"), "8,5", other);
        AssayValueId z = op (graph, ASSAY_OP_MatMul, "4,5", x, y, 0);

        expect (graph, x, dim, z, expected[dim][other]);
      }
}

static void
test_product_matrix_vector (void)
{
  for (int dim = 0; dim < 2; dim++)
    {
      g_autoptr (AssayGraph) graph = assay_graph_new ();
      AssayValueId x = force (graph, input (graph, "x", "4,8"), "4,8", dim);
      AssayValueId y = op (graph, ASSAY_OP_MatMul, "4", x, input (graph, "y", "8"), 0);

      expect (graph, x, dim, y, 0);
    }
}

static void
test_transpose (void)
{
  for (int dim = 0; dim < 2; dim++)
    {
      g_autoptr (AssayGraph) graph = assay_graph_new ();
      AssayValueId x = force (graph, input (graph, "x", "4,8"), "4,8", dim);
      AssayValueId y = transpose (graph, "8,4", x, (const gint64[]){ 1, 0 });

      expect (graph, x, dim, y, 1 - dim);
    }
}

static void
test_reshape (void)
{
  static const struct
  {
    const char *from;
    const char *to;
    int dim;
    int expected;
  } cases[] = {
    { "4,8", "4,2,4", 1, 2 }, /* the inner part keeps stride 1 */
    { "4,8", "2,2,8", 0, 1 }, /* stride 8 */
    { "4,8", "32", 1, 0 },    /* stride 1 */
    { "4,8", "32", 0, -2 },   /* nothing has stride 8 any more */
    { "4,8", "4,8,1", 1, 1 }, /* two axes of stride 1: the leftmost */
    { "4,8", "4,1,8", 0, 0 }, /* two axes of stride 8: the leftmost */
  };

  for (guint i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      g_autoptr (AssayGraph) graph = assay_graph_new ();
      AssayValueId x = force (graph, input (graph, "x", cases[i].from), cases[i].from,
                              cases[i].dim);
      AssayValueId y = op (graph, ASSAY_OP_Reshape, cases[i].to, x, ints (graph, "0"), 0);

      expect (graph, x, cases[i].dim, y, cases[i].expected);
    }
}

/* Unknown extents left of the data dimension do not matter; where they do, nothing is claimed. */
static void
test_reshape_symbolic (void)
{
  g_autoptr (AssayGraph) graph = assay_graph_new ();
  AssayValueId x = input (graph, "x", "n,8");
  AssayValueId y = op (graph, ASSAY_OP_Linear, "n,8", x, weight (graph, "8,8"), 0);
  AssayValueId z = op (graph, ASSAY_OP_Reshape, "n,2,4", y, ints (graph, "0"), 0);
  AssayValueId w = op (graph, ASSAY_OP_Reshape, "m,3", z, ints (graph, "0"), 0);
  g_autoptr (AssayDimensions) result = solve (graph, FALSE);

  g_assert_cmpuint (result->conflicts->len, ==, 0);
  g_assert_cmpint (result->dims[z], ==, 2);
  g_assert_false (assay_dimensions_is_undecided (result, node_of (graph, z)));
  g_assert_cmpint (result->dims[w], ==, 1);
}

static void
test_unknown_rank (void)
{
  g_autoptr (AssayGraph) graph = assay_graph_new ();
  AssayValueId x = input (graph, "x", "?");
  AssayValueId y = op (graph, ASSAY_OP_Relu, "?", x, 0, 0);
  g_autoptr (AssayDimensions) result = solve (graph, FALSE);

  g_assert_true (assay_dimensions_is_undecided (result, node_of (graph, y)));
  g_assert_cmpint (result->dims[y], ==, -1);
}

static void
test_gather (void)
{
  for (int dim = 0; dim < 2; dim++)
    {
      g_autoptr (AssayGraph) graph = assay_graph_new ();
      AssayValueId x = force (graph, input (graph, "x", "4,8"), "4,8", dim);
      gint64 zero = 0;
      g_autoptr (AssayTensor) index = assay_tensor_new_i64 (0, NULL, &zero);
      AssayValueId i = assay_graph_add_constant (graph, ASSAY_MAIN_REGION, "index", index);
      AssayValueId y = op (graph, ASSAY_OP_Gather, "8", x, i, 0);

      expect (graph, x, dim, y, dim == 0 ? -2 : 0);
    }
}

static void
test_example_mlp (void)
{
  g_autoptr (AssayGraph) graph = assay_graph_new ();
  AssayValueId x = input (graph, "x", "1,784");
  AssayValueId a = op (graph, ASSAY_OP_Linear, "1,384", x, weight (graph, "784,384"), 0);
  AssayValueId b = op (graph, ASSAY_OP_Relu, "1,384", a, 0, 0);
  AssayValueId c = op (graph, ASSAY_OP_Linear, "1,384", b, weight (graph, "384,384"), 0);
  AssayValueId d = op (graph, ASSAY_OP_Add, "1,384", b, c, 0);
  AssayValueId y = op (graph, ASSAY_OP_Linear, "1,10", d, weight (graph, "384,10"), 0);

  expect (graph, x, 1, y, 1);
}

/* An unstreamed CNN on [steps, features]: a transpose brings the channels to axis 1. */
static void
test_example_cnn (void)
{
  g_autoptr (AssayGraph) graph = assay_graph_new ();
  AssayValueId x = input (graph, "x", "6,32");
  AssayValueId t = transpose (graph, "32,6", x, (const gint64[]){ 1, 0 });
  AssayValueId u = op (graph, ASSAY_OP_Unsqueeze, "1,32,6", t, ints (graph, "0"), 0);
  AssayValueId c = op (graph, ASSAY_OP_Conv, "1,128,4", u, weight (graph, "128,32,3"), 0);
  AssayValueId r = op (graph, ASSAY_OP_Relu, "1,128,4", c, 0, 0);
  AssayValueId d = op (graph, ASSAY_OP_Conv, "1,1,2", r, weight (graph, "1,128,3"), 0);
  AssayValueId s = op (graph, ASSAY_OP_Squeeze, "1,2", d, ints (graph, "0"), 0);
  AssayValueId y = transpose (graph, "2,1", s, (const gint64[]){ 1, 0 });

  expect (graph, x, 1, y, 1);
}

/* Without transposes a Conv and a Linear over the same axis disagree, and both are named. */
static void
test_conflict_far (void)
{
  g_autoptr (AssayGraph) graph = assay_graph_new ();
  AssayValueId x = input (graph, "x", "1,32,6");
  AssayValueId c = op (graph, ASSAY_OP_Conv, "1,16,6", x, weight (graph, "16,32,1"), 0);
  AssayValueId r = op (graph, ASSAY_OP_Relu, "1,16,6", c, 0, 0);
  AssayValueId s = op (graph, ASSAY_OP_Softmax, "1,16,6", r, 0, 0);
  AssayValueId l = op (graph, ASSAY_OP_Linear, "1,16,4", s, weight (graph, "6,4"), 0);
  g_autoptr (AssayDimensions) result = solve (graph, FALSE);
  const AssayDimensionConflict *conflict = assay_dimensions_find_conflict (result,
                                                                           node_of (graph, l));

  g_assert_nonnull (conflict);
  g_assert_cmpuint (conflict->node_a, ==, node_of (graph, c));
  g_assert_cmpuint (conflict->node_b, ==, node_of (graph, l));
  g_assert_cmpstr (conflict->rule, ==, "product.contraction");
}

static void
test_example_lstm (void)
{
  g_autoptr (AssayGraph) graph = assay_graph_new ();
  AssayValueId x = input (graph, "x", "20,1,128");
  AssayValueId l = op (graph, ASSAY_OP_LSTM, "20,1,1,256", x, weight (graph, "1,1024,128"),
                       weight (graph, "1,1024,256"));
  AssayValueId s = op (graph, ASSAY_OP_Squeeze, "20,1,256", l, ints (graph, "1"), 0);
  AssayValueId y = op (graph, ASSAY_OP_MatMul, "20,1,16", s, weight (graph, "256,16"), 0);

  expect (graph, x, 2, y, 2);
}

/* Self attention with heads and the residual connection around it. */
static void
test_example_attention (void)
{
  g_autoptr (AssayGraph) graph = assay_graph_new ();
  AssayValueId x = input (graph, "x", "16,64");
  AssayValueId heads[3];
  AssayValueId scores;
  AssayValueId mixed;
  AssayValueId y;

  for (guint i = 0; i < 3; i++)
    {
      AssayValueId p = op (graph, ASSAY_OP_Linear, "16,64", x, weight (graph, "64,64"), 0);
      AssayValueId r = op (graph, ASSAY_OP_Reshape, "16,4,16", p, ints (graph, "16,4,16"), 0);

      heads[i] = i == 1 ? transpose (graph, "4,16,16", r, (const gint64[]){ 1, 2, 0 })
                        : transpose (graph, "4,16,16", r, (const gint64[]){ 1, 0, 2 });
    }
  scores = op (graph, ASSAY_OP_MatMul, "4,16,16", heads[0], heads[1], 0);
  scores = op (graph, ASSAY_OP_Softmax, "4,16,16", scores, 0, 0);
  mixed = op (graph, ASSAY_OP_MatMul, "4,16,16", scores, heads[2], 0);
  mixed = transpose (graph, "16,4,16", mixed, (const gint64[]){ 1, 0, 2 });
  mixed = op (graph, ASSAY_OP_Reshape, "16,64", mixed, ints (graph, "16,64"), 0);
  y = op (graph, ASSAY_OP_Linear, "16,64", mixed, weight (graph, "64,64"), 0);
  y = op (graph, ASSAY_OP_Add, "16,64", x, y, 0);

  expect (graph, x, 1, y, 1);
}

/* y = x + transpose (x): propagation alone does not see it, the search does. */
static void
test_conflict_cycle (void)
{
  g_autoptr (AssayGraph) graph = assay_graph_new ();
  AssayValueId x = input (graph, "x", "8,8");
  AssayValueId t = transpose (graph, "8,8", x, (const gint64[]){ 1, 0 });
  AssayValueId y = op (graph, ASSAY_OP_Add, "8,8", x, t, 0);
  g_autoptr (AssayDimensions) result = solve (graph, FALSE);
  const AssayDimensionConflict *conflict = assay_dimensions_find_conflict (result,
                                                                           node_of (graph, y));

  g_assert_cmpuint (result->conflicts->len, ==, 1);
  g_assert_nonnull (conflict);
  g_assert_cmpuint (conflict->node_a, !=, conflict->node_b);
}

/* Of [a b c] with the first two exchanged, only with c as data dimension the blocks change their
 * order; the input would otherwise go to the rightmost axis. */
static void
test_fewest_transposes (void)
{
  g_autoptr (AssayGraph) graph = assay_graph_new ();
  AssayValueId x = input (graph, "x", "3,4,5");
  AssayValueId y = transpose (graph, "4,3,5", x, (const gint64[]){ 1, 0, 2 });
  g_autoptr (AssayDimensions) result = solve (graph, FALSE);

  g_assert_cmpint (result->dims[x], ==, 1);
  g_assert_cmpint (result->dims[y], ==, 0);
  g_assert_cmpuint (result->n_transposes, ==, 0);
}

static void
test_counted_transposes (void)
{
  g_autoptr (AssayGraph) graph = assay_graph_new ();
  AssayValueId x = input (graph, "x", "3,4,5");
  AssayValueId l = op (graph, ASSAY_OP_Linear, "3,4,5", x, weight (graph, "5,5"), 0);
  AssayValueId y = transpose (graph, "4,3,5", l, (const gint64[]){ 1, 0, 2 });
  g_autoptr (AssayDimensions) result = solve (graph, FALSE);
  g_autofree char *note = assay_dimensions_note (result, graph, node_of (graph, y));

  g_assert_cmpint (result->dims[x], ==, 2);
  g_assert_cmpuint (result->n_transposes, ==, 1);
  g_assert_cmpstr (note, ==, "Rearranges the blocks along the data dimension (axis 2)");
}

static void
test_fixed (void)
{
  const char *fixed[] = { "x=0", NULL };
  AssayDimensionOptions options = { .fixed = fixed };
  g_autoptr (AssayGraph) graph = assay_graph_new ();
  AssayValueId x = input (graph, "x", "4,8");
  AssayValueId y = op (graph, ASSAY_OP_Relu, "4,8", x, 0, 0);
  AssayValueId z = force (graph, y, "4,8", 1);
  g_autoptr (AssayDimensions) result = assay_graph_solve_dimensions (graph, &options, NULL);
  const AssayDimensionConflict *conflict = assay_dimensions_find_conflict (result,
                                                                           node_of (graph, z));

  g_assert_cmpint (result->dims[y], ==, 0);
  g_assert_nonnull (conflict);
  g_assert_true (strstr (conflict->message, "your choice") != NULL);
}

static void
test_fixed_wrong (void)
{
  static const char *const wrong[] = { "x", "x=2", "x=-3", "y=0", "x=one", "=0", "" };

  for (guint i = 0; i < G_N_ELEMENTS (wrong); i++)
    {
      const char *fixed[] = { wrong[i], NULL };
      AssayDimensionOptions options = { .fixed = fixed };
      g_autoptr (AssayGraph) graph = assay_graph_new ();
      g_autoptr (GError) error = NULL;

      input (graph, "x", "4,8");
      g_assert_null (assay_graph_solve_dimensions (graph, &options, &error));
      g_assert_error (error, ASSAY_ERROR, ASSAY_ERROR_INVALID);
    }
}

/* Every conflict is found, not the first alone. */
static void
test_many_conflicts (void)
{
  g_autoptr (AssayGraph) graph = assay_graph_new ();
  AssayValueId x = input (graph, "x", "8,8");
  g_autoptr (AssayDimensions) result = NULL;

  for (guint i = 0; i < 10; i++)
    x = force (graph, x, "8,8", (int) i % 2);
  result = solve (graph, FALSE);

  g_assert_cmpuint (result->conflicts->len, >=, 5);
}

/* 50,000 nodes: residual blocks, each closing a cycle. */
static void
test_large (void)
{
  g_autoptr (AssayGraph) graph = assay_graph_new ();
  AssayValueId x = input (graph, "x", "4,8");
  AssayValueId w = weight (graph, "8,8");
  g_autoptr (AssayDimensions) result = NULL;
  gint64 start;
  double seconds;

  for (guint i = 0; i < 12500; i++)
    {
      AssayValueId t = transpose (graph, "8,4", x, (const gint64[]){ 1, 0 });
      AssayValueId u = transpose (graph, "4,8", t, (const gint64[]){ 1, 0 });
      AssayValueId l = i % 100 == 99 ? op (graph, ASSAY_OP_Linear, "4,8", u, w, 0)
                                     : op (graph, ASSAY_OP_Relu, "4,8", u, 0, 0);

      x = op (graph, ASSAY_OP_Add, "4,8", x, l, 0);
    }

  start = wait_work ();
  result = solve (graph, FALSE);
  seconds = (double) (wait_work () - start) / 1e6;
  g_test_message ("50,000 nodes in %.3f s", seconds);

  g_assert_cmpuint (result->conflicts->len, ==, 0);
  g_assert_cmpint (result->dims[x], ==, 1);
  g_assert_cmpfloat (seconds, <, 2.0);
}

/* Products of many run-time matrices leave a choice at each; the search must not try all
 * combinations. */
static void
test_large_choices (void)
{
  g_autoptr (AssayGraph) graph = assay_graph_new ();
  AssayValueId x = input (graph, "x", "8,8");
  g_autoptr (AssayDimensions) result = NULL;
  gint64 start = wait_work ();

  for (guint i = 0; i < 2000; i++)
    {
      AssayValueId y = input (graph, "y", "8,8,1");
      AssayValueId t = transpose (graph, "1,8,8", y, (const gint64[]){ 2, 0, 1 });
      AssayValueId s = op (graph, ASSAY_OP_Squeeze, "8,8", t, ints (graph, "0"), 0);

      x = op (graph, ASSAY_OP_MatMul, "8,8", x, s, 0);
    }
  result = solve (graph, TRUE);

  g_assert_cmpuint (result->conflicts->len, ==, 0);
  g_assert_cmpint (result->dims[x], >=, 0);
  g_assert_cmpfloat ((double) (wait_work () - start) / 1e6, <, 5.0);
}

/* A random graph of matrices of 4 x 4: every rule of two axes, and products that leave choices. */
static AssayGraph *
random_graph (GRand *rand)
{
  AssayGraph *graph = assay_graph_new ();
  AssayValueId values[8];
  guint n_inputs = (guint) g_rand_int_range (rand, 1, 3);
  guint n = (guint) g_rand_int_range (rand, 3, 8);

  for (guint i = 0; i < n_inputs; i++)
    values[i] = input (graph, "x", "4,4");

  for (guint i = n_inputs; i < n; i++)
    {
      AssayValueId a = values[g_rand_int_range (rand, 0, (int) i)];
      AssayValueId b = values[g_rand_int_range (rand, 0, (int) i)];

      switch (g_rand_int_range (rand, 0, 7))
        {
        case 0:
          values[i] = op (graph, ASSAY_OP_Relu, "4,4", a, 0, 0);
          break;
        case 1:
          values[i] = op (graph, ASSAY_OP_Add, "4,4", a, b, 0);
          break;
        case 2:
          values[i] = transpose (graph, "4,4", a, (const gint64[]){ 1, 0 });
          break;
        case 3:
          values[i] = force (graph, a, "4,4", g_rand_int_range (rand, 0, 2));
          break;
        case 4:
          values[i] = op (graph, ASSAY_OP_MatMul, "4,4", a, b, 0);
          break;
        case 5:
          {
            /* A detour over three axes, one of which a Transpose moves at a cost. */
            AssayValueId wide = op (graph, ASSAY_OP_Reshape, "2,2,4", a, ints (graph, "2,2,4"), 0);
            AssayValueId moved = transpose (graph, "2,2,4", wide, (const gint64[]){ 1, 0, 2 });

            values[i] = op (graph, ASSAY_OP_Reshape, "4,4", moved, ints (graph, "4,4"), 0);
            break;
          }
        default:
          values[i] = op (graph, ASSAY_OP_Concat, "4,4", a, b, 0);
          break;
        }
    }

  return graph;
}

static gboolean
holds (const DimensionProblem *problem, const Constraint *constraint, const int *dims, guint *cost)
{
  const guint8 *at = problem->pool->data + constraint->at;
  int x = dims[constraint->x];

  switch ((ConstraintKind) constraint->kind)
    {
    case CONSTRAINT_REQUIRE:
      return (constraint->mask >> x & 1) != 0;
    case CONSTRAINT_MAP:
      if (constraint->rule == DIMENSION_RULE_TRANSPOSE)
        *cost += at[problem->ranks[constraint->x] + x];
      return (gint8) at[x] == dims[constraint->y];
    case CONSTRAINT_CHOOSE:
    default:
      for (guint i = 0; i < constraint->n; i++)
        if (at[3 * i] == x && at[3 * i + 1] == dims[constraint->y] &&
            at[3 * i + 2] == dims[constraint->z])
          return TRUE;
      return FALSE;
    }
}

/* The least cost of all assignments that keep every rule, by trying all of them; -1 if there is
 * none. */
static int
brute_force (DimensionProblem *problem, guint n_values)
{
  g_autofree int *dims = g_new0 (int, n_values);
  int best = -1;
  guint at;

  do
    {
      gboolean possible = TRUE;
      guint cost = 0;

      for (guint i = 0; possible && i < problem->constraints->len; i++)
        possible = holds (problem, &g_array_index (problem->constraints, Constraint, i), dims,
                          &cost);
      if (possible && (best < 0 || (int) cost < best))
        best = (int) cost;

      for (at = 1; at < n_values && ++dims[at] >= MAX (problem->ranks[at], 1); at++)
        dims[at] = 0;
    }
  while (at < n_values);

  return best;
}

/* On small graphs the search finds what trying everything finds. */
static void
test_brute_force (void)
{
  g_autoptr (GRand) rand = g_rand_new_with_seed (7);
  guint n_possible = 0;

  for (guint round = 0; round < 1500; round++)
    {
      g_autoptr (AssayGraph) graph = random_graph (rand);
      guint n_values = assay_graph_n_values (graph);
      g_autoptr (AssayDimensions) result = solve (graph, FALSE);
      g_autoptr (GArray) constraints = g_array_new (FALSE, TRUE, sizeof (Constraint));
      g_autoptr (GByteArray) pool = g_byte_array_new ();
      g_autofree gint8 *ranks = g_new0 (gint8, n_values);
      g_autofree guint8 *constant = g_new0 (guint8, n_values);
      g_autofree guint8 *undecided = g_new0 (guint8, assay_graph_n_nodes (graph));
      DimensionProblem problem = { graph, FALSE, ranks, constant, undecided, constraints, pool };
      int best;
      guint cost = 0;

      for (AssayValueId i = 1; i < n_values; i++)
        if (assay_graph_is_constant (graph, i))
          constant[i] = TRUE;
        else
          ranks[i] = (gint8) assay_graph_value (graph, i)->type->rank;
      for (AssayNodeId i = 1; i < assay_graph_n_nodes (graph); i++)
        dimension_problem_add_node (&problem, i);

      best = brute_force (&problem, n_values);
      g_assert_cmpint (result->conflicts->len > 0, ==, best < 0);
      if (best < 0)
        continue;

      n_possible++;
      for (guint i = 0; i < constraints->len; i++)
        g_assert_true (
            holds (&problem, &g_array_index (constraints, Constraint, i), result->dims, &cost));
      g_assert_cmpuint (cost, ==, result->n_transposes);
      g_assert_cmpint (best, ==, result->n_transposes);
    }

  g_assert_cmpuint (n_possible, >, 100);
}

TEST_PROGRAM (data_dimension)
{
  g_test_init (&argc, &argv, NULL);

  g_test_add_func ("/nnir/data-dimension/pointwise", test_pointwise);
  g_test_add_func ("/nnir/data-dimension/free-input", test_free_input);
  g_test_add_func ("/nnir/data-dimension/slice", test_slice);
  g_test_add_func ("/nnir/data-dimension/unsqueeze", test_unsqueeze);
  g_test_add_func ("/nnir/data-dimension/unsqueeze-refused", test_unsqueeze_refused);
  g_test_add_func ("/nnir/data-dimension/squeeze", test_squeeze);
  g_test_add_func ("/nnir/data-dimension/broadcast", test_broadcast);
  g_test_add_func ("/nnir/data-dimension/broadcast-refused", test_broadcast_refused);
  g_test_add_func ("/nnir/data-dimension/scalar", test_scalar);
  g_test_add_func ("/nnir/data-dimension/concat", test_concat);
  g_test_add_func ("/nnir/data-dimension/reduce", test_reduce);
  g_test_add_func ("/nnir/data-dimension/reduce-message", test_reduce_message);
  g_test_add_func ("/nnir/data-dimension/product-constant", test_product_constant);
  g_test_add_func ("/nnir/data-dimension/product-vector", test_product_vector);
  g_test_add_func ("/nnir/data-dimension/product-gemm", test_product_gemm);
  g_test_add_func ("/nnir/data-dimension/product-off", test_product_off);
  g_test_add_func ("/nnir/data-dimension/product-run-time", test_product_run_time);
  g_test_add_func ("/nnir/data-dimension/product-matrix-vector", test_product_matrix_vector);
  g_test_add_func ("/nnir/data-dimension/transpose", test_transpose);
  g_test_add_func ("/nnir/data-dimension/reshape", test_reshape);
  g_test_add_func ("/nnir/data-dimension/reshape-symbolic", test_reshape_symbolic);
  g_test_add_func ("/nnir/data-dimension/unknown-rank", test_unknown_rank);
  g_test_add_func ("/nnir/data-dimension/gather", test_gather);
  g_test_add_func ("/nnir/data-dimension/example-mlp", test_example_mlp);
  g_test_add_func ("/nnir/data-dimension/example-cnn", test_example_cnn);
  g_test_add_func ("/nnir/data-dimension/example-lstm", test_example_lstm);
  g_test_add_func ("/nnir/data-dimension/example-attention", test_example_attention);
  g_test_add_func ("/nnir/data-dimension/conflict-far", test_conflict_far);
  g_test_add_func ("/nnir/data-dimension/conflict-cycle", test_conflict_cycle);
  g_test_add_func ("/nnir/data-dimension/fewest-transposes", test_fewest_transposes);
  g_test_add_func ("/nnir/data-dimension/counted-transposes", test_counted_transposes);
  g_test_add_func ("/nnir/data-dimension/fixed", test_fixed);
  g_test_add_func ("/nnir/data-dimension/fixed-wrong", test_fixed_wrong);
  g_test_add_func ("/nnir/data-dimension/many-conflicts", test_many_conflicts);
  g_test_add_func ("/nnir/data-dimension/brute-force", test_brute_force);
  g_test_add_func ("/nnir/data-dimension/large", test_large);
  g_test_add_func ("/nnir/data-dimension/large-choices", test_large_choices);

  return g_test_run ();
}
