/* test-trials.c
 * SPDX-License-Identifier: Apache-2.0
 *
 * One kind of hypothesis at a time, on a node whose result is computed here with the fault: the
 * sentences of what explains it, and nothing else.
 */
#include <math.h>
#include <string.h>

#include "cause/assay-trials.h"
#include "nnir/shape/assay-infer.h"
#include "nnir/text/assay-text.h"

#include "test-program.h"

#define MOST 256

/* Rounds @n numbers with one scale: with a zero point into 0 to 255, or into -127 to 127. */
static void
round_together (float *x, guint n, gboolean symmetric)
{
  float low = 0, high = 0;

  for (guint i = 0; i < n; i++)
    {
      low = fminf (low, x[i]);
      high = fmaxf (high, x[i]);
    }
  for (guint i = 0; i < n && high - low > 0; i++)
    {
      double step = symmetric ? fmax (-(double) low, (double) high) / 127
                              : ((double) high - (double) low) / 255;
      double zero = symmetric ? 0 : rint (-(double) low / step);
      double q = rint ((double) x[i] / step) + zero;

      x[i] = (float) ((fmin (fmax (q, symmetric ? -127 : 0), symmetric ? 127 : 255) - zero) * step);
    }
}

/* A product by one, so that the result is the activation: the sentences of the causes. */
static char *
explain (guint rows, guint columns, const float *x, const float *wanted)
{
  g_autoptr (GString) text = g_string_new (NULL);
  g_autoptr (AssayFindings) findings = assay_findings_new ();
  g_autoptr (GHashTable)
      seen = g_hash_table_new_full (NULL, NULL, NULL, (GDestroyNotify) assay_tensor_unref);
  const gint64 dims[] = { rows, columns };
  g_autoptr (AssayTensor) tensor = assay_tensor_new_f32 (2, dims, wanted);
  g_autoptr (AssayDatum) datum = assay_datum_new_tensor (tensor, FALSE, NULL);
  g_autoptr (AssayDatum) plain = NULL;
  g_autoptr (AssayGraph) graph = NULL;
  g_autoptr (AssaySubgraph) subgraph = NULL;
  g_autoptr (GPtrArray)
      found = g_ptr_array_new_with_free_func ((GDestroyNotify) assay_divergence_cause_free);
  g_autoptr (GError) error = NULL;
  AssayTrials trials = { .budget = 1 << 24, .found = found };

  g_string_printf (text, "nnir 1\nmain (%%x : f32[%u,%u]) {\n  const %%w : f32[%u,%u] = [", rows,
                   columns, columns, columns);
  for (guint i = 0; i < columns * columns; i++)
    g_string_append_printf (text, "%s%u", i > 0 ? ", " : "", i % (columns + 1) == 0 ? 1 : 0);
  g_string_append (text, "]\n  %y = MatMul(%x, %w) @ \"y\"\n  return %y\n}\n");
  graph = assay_graph_from_text (text->str, -1, findings, &error);
  g_assert_no_error (error);
  g_assert_true (assay_graph_infer (graph, NULL, NULL, NULL));
  g_hash_table_insert (seen,
                       GUINT_TO_POINTER (g_array_index (
                           assay_graph_region (graph, ASSAY_MAIN_REGION)->inputs, AssayValueId, 0)),
                       assay_tensor_new_f32 (2, dims, x));
  subgraph = assay_subgraph_new (graph, assay_graph_node (graph, 1)->outputs[0], seen, FALSE,
                                 &error);
  g_assert_no_error (error);
  plain = assay_subgraph_run (subgraph, NULL, FALSE, NULL, NULL, NULL);
  trials.subgraph = subgraph;
  trials.plain = plain;
  trials.wanted = datum;
  g_assert_true (assay_trials_score (&trials, plain, &trials.before));
  trials.goal = trials.before.error / 1000;
  assay_hypothesis_dynamic (&trials, 1);
  g_string_truncate (text, 0);
  for (guint i = 0; i < found->len; i++)
    g_string_append_printf (text, "%s%s", i > 0 ? "; " : "",
                            ((AssayDivergenceCause *) g_ptr_array_index (found, i))->sentence);

  return g_string_free (g_steal_pointer (&text), FALSE);
}

/* An activation that is rounded: to each of the scales, where they are different ones. */
static void
test_dynamic (void)
{
  static const struct
  {
    guint rows, columns;
    gboolean zeros; /* in the first row */
    guint span;     /* numbers that share a scale */
    gboolean symmetric;
    const char *causes;
  } cases[] = {
    { 3, 40, FALSE, 120, FALSE, "its input is rounded to 8 bits as a whole, with a zero point" },
    { 3, 40, FALSE, 120, TRUE, "its input is rounded to 8 bits as a whole, symmetrically" },
    { 3, 40, FALSE, 40, FALSE, "its input is rounded to 8 bits per row, with a zero point" },
    { 3, 40, FALSE, 40, TRUE, "its input is rounded to 8 bits per row, symmetrically" },
    { 3, 64, FALSE, 32, FALSE,
      "its input is rounded to 8 bits per block of 32, with a zero point" },
    { 3, 64, FALSE, 32, TRUE, "its input is rounded to 8 bits per block of 32, symmetrically" },
    { 3, 40, TRUE, 40, FALSE, "its input is rounded to 8 bits per row, with a zero point" },
    { 3, 40, TRUE, 40, TRUE, "its input is rounded to 8 bits per row, symmetrically" },
    /* A row that is all there is, and one that is a block, are tried once. */
    { 1, 40, FALSE, 40, FALSE, "its input is rounded to 8 bits as a whole, with a zero point" },
    { 1, 20, FALSE, 20, TRUE, "its input is rounded to 8 bits as a whole, symmetrically" },
    { 3, 32, FALSE, 32, FALSE, "its input is rounded to 8 bits per row, with a zero point" },
    { 3, 20, FALSE, 20, TRUE, "its input is rounded to 8 bits per row, symmetrically" },
    /* Nothing that shares a scale. */
    { 3, 40, FALSE, 5, TRUE, "" },
  };

  for (guint i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      guint n = cases[i].rows * cases[i].columns;
      float x[MOST] = { 0 }, wanted[MOST];
      g_autofree char *causes = NULL;

      g_assert_cmpuint (n, <=, MOST);
      for (guint j = 0; j < n; j++)
        x[j] = cases[i].zeros && j < cases[i].columns
                   ? 0
                   : ((float) (j * 37 % 101) - 30) * (1 + (float) j / 16) / 64;
      memcpy (wanted, x, sizeof x);
      for (guint j = 0; j < n; j += cases[i].span)
        round_together (wanted + j, cases[i].span, cases[i].symmetric);
      causes = explain (cases[i].rows, cases[i].columns, x, wanted);
      g_test_message ("%u: %s", i, causes);
      g_assert_cmpstr (causes, ==, cases[i].causes);
    }
}

TEST_PROGRAM (trials)
{
  g_test_init (&argc, &argv, NULL);

  g_test_add_func ("/trials/dynamic", test_dynamic);

  return g_test_run ();
}
