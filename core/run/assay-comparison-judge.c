/* assay-comparison-judge.c
 * SPDX-License-Identifier: Apache-2.0
 */
#include "run/assay-comparison-judge.h"
#include "run/assay-comparison-private.h"
#include "run/assay-divergence.h"

#include <math.h>

/* Limits in the units of each precision. */
typedef struct
{
  double of[ASSAY_N_COMPARE_PRECISIONS];
} AssayLimits;

/* A unit beside the size of the tensor. */
static double
unit_of_row (const AssayComparisonRow *row)
{
  if (row->step > 0)
    return row->step / MAX (row->total.scale, row->step);

  return ldexp (1.0, -(int) assay_compare_precision_bits (row->precision));
}

/* A tensor that an output is made of was never given the values of the other side: what came in is
 * no fault of the nodes that nobody saw. */
static void
judge_parts (const AssayComparison *result, const AssayLimits *limits, const double *farthest)
{
  for (guint i = 0; i < result->rows->len; i++)
    {
      AssayComparisonRow *row = g_ptr_array_index (result->rows, i);

      if (row->whole == ASSAY_NO_VALUE || !row->has_total)
        continue;
      row->inherited = farthest[row->whole] / assay_compare_unit (&row->total);
      row->limit = MAX (limits[row->whole].of[row->precision], row->inherited);
    }
}

/* Values that nobody saw hand on the error of what they were made of, and the limit of a group that
 * they are inside. */
static void
judge_inputs (const AssayComparison *result, const AssayGraph *graph, GHashTable *rows,
              const AssayTolerance *tolerance, gboolean in_double)
{
  const AssayRegion *region = assay_graph_region (graph, ASSAY_MAIN_REGION);
  guint n = assay_graph_n_values (graph);
  g_autofree double *errors = g_new0 (double, n);   /* relative */
  g_autofree double *farthest = g_new0 (double, n); /* absolute */
  g_autofree AssayLimits *limits = g_new0 (AssayLimits, n);

  for (guint i = 0; i < region->nodes->len; i++)
    {
      const AssayNode *node = assay_graph_node (graph,
                                                g_array_index (region->nodes, AssayNodeId, i));
      AssayLimits limit;
      double inherited = 0, far = 0;

      for (guint k = 0; k < ASSAY_N_COMPARE_PRECISIONS; k++)
        limit.of[k] = assay_tolerance_get_limit (tolerance, node->op, (AssayComparePrecision) k);
      for (guint j = 0; j < node->n_inputs; j++)
        {
          AssayValueId input = node->inputs[j];

          if (input == ASSAY_NO_VALUE)
            continue;
          inherited = MAX (inherited, errors[input]);
          far = MAX (far, farthest[input]);
          for (guint k = 0; k < ASSAY_N_COMPARE_PRECISIONS; k++)
            limit.of[k] = MAX (limit.of[k], limits[input].of[k]);
        }

      for (guint j = 0; j < node->n_outputs; j++)
        {
          AssayValueId value = node->outputs[j];
          AssayComparisonRow *row;

          if (value == ASSAY_NO_VALUE)
            continue;
          row = g_hash_table_lookup (rows, GUINT_TO_POINTER (value));
          if (row != NULL && row->has_total)
            {
              double unit = unit_of_row (row);

              row->inherited = inherited / unit;
              row->limit = MAX (limit.of[row->precision], in_double ? 1 : 0) *
                           (row->step > 0 ? 1 : MAX (row->condition, 1));
              errors[value] = row->total.error * unit;
              farthest[value] = row->total.max_abs;
            }
          else
            {
              errors[value] = inherited;
              farthest[value] = far;
              limits[value] = limit;
            }
        }
    }

  judge_parts (result, limits, farthest);
}

/* A difference in units of a row: errors are in those of the power of two below a number. */
static double
units_of (const AssayComparisonRow *row, double difference)
{
  return row->total.scale > 0 && difference > 0
             ? ldexp (difference, (int) assay_compare_precision_bits (row->precision) -
                                      ilogb (row->total.scale))
             : 0;
}

/* Functions of ONNX Runtime that are exact in absolute terms: a sigmoid is 0.5 and a fraction of
 * polynomials (core/mlas/lib/logistic.cpp there), and what is exp(x) - 1 below 0 is that difference
 * (core/providers/cpu/activation/activations.h). The powers of two are above the largest errors of
 * 2^20 numbers from -30 to 0, in version 1.30: 2^-22.80, 2^-23.88, 2^-23.88, 2^-22.60. */
static double
absolute_limit (const AssayGraph *graph, const AssayComparisonRow *row,
                const AssayCertifySide sides[2])
{
  static const struct
  {
    AssayOp op;
    int power;
  } absolute[] = {
    { ASSAY_OP_Sigmoid, -22 },
    { ASSAY_OP_Elu, -23 },
    { ASSAY_OP_Celu, -23 },
    { ASSAY_OP_Selu, -22 },
  };
  const AssayNode *node = row->node != ASSAY_NO_NODE ? assay_graph_node (graph, row->node) : NULL;
  gboolean is_runtime = FALSE;
  double limit = 0;

  for (guint i = 0; i < 2; i++)
    is_runtime |= g_str_equal (assay_runner_get_kind (sides[i].runner)->name, "ort");
  for (guint i = 0; is_runtime && node != NULL && i < G_N_ELEMENTS (absolute); i++)
    if (node->op == absolute[i].op)
      limit = ldexp (1, absolute[i].power);

  return units_of (row, limit);
}

/* A step of 8 bits in units of a row: runtimes that requantise round ties otherwise, and a value
 * that nobody saw in 8 bits may be a step off. */
static double
step_limit (const AssayGraph *graph, const AssayComparisonRow *row)
{
  static const AssayOp requantising[] = { ASSAY_OP_QuantizeLinear, ASSAY_OP_QLinearConv,
                                          ASSAY_OP_QLinearMatMul };
  const AssayNode *node = row->node != ASSAY_NO_NODE ? assay_graph_node (graph, row->node) : NULL;
  double step = 0;

  for (guint i = 0; node != NULL && i < G_N_ELEMENTS (requantising); i++)
    if (node->op == requantising[i])
      step = 1;
  if (node != NULL && !row->has_own)
    step = MAX (step, assay_comparing_find_step (graph, row->value));

  return units_of (row, step);
}

static AssayComparisonVerdict
judge_row (const AssayComparisonRow *row)
{
  if (!row->has_total || row->note != NULL)
    return ASSAY_COMPARISON_UNKNOWN;
  if (assay_comparison_row_error (row) > row->limit)
    return ASSAY_COMPARISON_OUTSIDE;

  return assay_compare_is_exact (&row->total) ? ASSAY_COMPARISON_EXACT : ASSAY_COMPARISON_WITHIN;
}

/**
 * assay_comparison_judge:
 * @result: a comparison whose rows have their errors, in program order
 * @graph: (nullable): what was run; without it every row stands for itself
 * @rows: (element-type AssayValueId AssayComparisonRow): the rows by their value
 * @tolerance: the limits of operations
 * @in_double: whether one side rounds what the other only moves
 * @magnitudes: what was really there, for the bounds
 * @sides: (array fixed-size=2): how the two sides round
 *
 * Gives each row its limit, its bounds and its verdict, and the comparison its own.
 */
void
assay_comparison_judge (AssayComparison *result, const AssayGraph *graph, GHashTable *rows,
                        const AssayTolerance *tolerance, gboolean in_double,
                        const AssayMagnitude *magnitudes, const AssayCertifySide sides[2])
{
  result->first_divergent = result->worst = -1;
  assay_comparison_find_siblings (result);
  if (graph != NULL)
    judge_inputs (result, graph, rows, tolerance, in_double);
  if (graph != NULL)
    assay_comparison_certify (result, graph, magnitudes, sides);

  for (guint i = 0; i < result->rows->len; i++)
    {
      AssayComparisonRow *row = g_ptr_array_index (result->rows, i);

      if (row->value == ASSAY_NO_VALUE)
        row->limit = MAX (row->limit,
                          assay_tolerance_get_limit (tolerance, ASSAY_OP_Identity, row->precision));
      /* A tolerance is for one operation that rounds once; here those that nobody saw round to 8
       * bits too, and a device approximates. */
      if (result->precision == ASSAY_COMPARE_INT8 && isfinite (row->expected) &&
          (row->precision == ASSAY_COMPARE_INT8 || !row->has_own))
        row->limit = MAX (row->limit, row->expected);
      if (result->precision != ASSAY_COMPARE_INT8 && graph != NULL)
        row->limit = MAX (row->limit,
                          MAX (step_limit (graph, row), absolute_limit (graph, row, sides)));
      row->verdict = judge_row (row);
      if (row->verdict == ASSAY_COMPARISON_OUTSIDE && result->first_divergent < 0)
        result->first_divergent = (int) i;
      if (row->verdict != ASSAY_COMPARISON_UNKNOWN &&
          (result->worst < 0 ||
           assay_comparison_row_error (row) >
               assay_comparison_row_error (assay_comparison_row (result, (guint) result->worst))))
        result->worst = (int) i;
      if (row->verdict != ASSAY_COMPARISON_UNKNOWN)
        result->verdict = MAX (result->verdict, row->verdict);
    }

  /* An output that could not be compared is no pass. */
  for (guint i = 0; i < result->rows->len; i++)
    {
      const AssayComparisonRow *row = assay_comparison_row (result, i);

      if (row->is_output && row->verdict == ASSAY_COMPARISON_UNKNOWN &&
          result->verdict != ASSAY_COMPARISON_OUTSIDE)
        result->verdict = ASSAY_COMPARISON_UNKNOWN;
    }
}
