/* assay-ranges.c
 * SPDX-License-Identifier: Apache-2.0
 */
#include "run/assay-ranges.h"

#include <math.h>

struct _AssayRanges
{
  AssayGraph *graph;
  GArray *ranges;  /* AssayRange: weights, then activations as they come */
  guint *of_value; /* per value: 1 + its index */
  gboolean small;  /* whether matrices are stored as fp8 */
};

/* What rounds to zero, and to infinity or past the largest number, ties to even (docs/numerics.md).
 */
static const struct
{
  double vanishes;
  double overflows;
} bf16 = { 0x1p-134, 0x1.ffp127 }, fp8 = { 0x1p-10, 464 };

static AssayRange *
range_of (AssayRanges *self, AssayValueId value, gboolean is_weight)
{
  if (self->of_value[value] == 0)
    {
      AssayRange range = { .name = assay_graph_value (self->graph, value)->name,
                           .is_weight = is_weight };

      g_array_append_val (self->ranges, range);
      self->of_value[value] = self->ranges->len;
    }

  return &g_array_index (self->ranges, AssayRange, self->of_value[value] - 1);
}

static gboolean
add_elements (AssayRange *range, AssayTensor *tensor, double vanishes, double overflows,
              GError **error)
{
  gsize n = assay_tensor_get_n_elements (tensor);

  for (gsize i = 0; i < n; i++)
    {
      double x, size;

      if (!assay_tensor_get_element (tensor, i, &x, error))
        return FALSE;
      size = fabs (x);
      range->n_overflow += size >= overflows;
      range->n_vanish += size > 0 && size <= vanishes;
      if (!isfinite (x))
        continue;
      range->min = range->n == 0 ? x : MIN (range->min, x);
      range->max = range->n == 0 ? x : MAX (range->max, x);
      range->least = size > 0 && (range->least == 0 || size < range->least) ? size : range->least;
      range->n++;
    }

  return TRUE;
}

static gboolean
is_float (AssayTensor *tensor)
{
  AssayDType dtype = assay_tensor_get_dtype (tensor);

  return dtype == ASSAY_DTYPE_F32 || dtype == ASSAY_DTYPE_F64 || dtype == ASSAY_DTYPE_F16 ||
         dtype == ASSAY_DTYPE_BF16;
}

/* Weights in fp8 are the matrices; vectors stay what they are. */
static void
add_weights (AssayRanges *self)
{
  for (AssayValueId id = 1; id < assay_graph_n_values (self->graph); id++)
    {
      const AssayValue *value = assay_graph_value (self->graph, id);
      AssayTensor *tensor = value->constant;
      gboolean small;

      if (tensor == NULL || value->producer != ASSAY_NO_NODE || !is_float (tensor))
        continue;
      small = self->small && assay_tensor_get_rank (tensor) >= 2;
      /* Data that cannot be read was refused when the model was opened or compiled. */
      add_elements (range_of (self, id, TRUE), tensor, small ? fp8.vanishes : bf16.vanishes,
                    small ? fp8.overflows : bf16.overflows, NULL);
    }
}

/**
 * assay_ranges_new:
 * @graph: a graph
 * @settings: (nullable): how its weights are stored
 *
 * Finds the ranges of the weights of a graph.
 *
 * Returns: (transfer full): the ranges
 */
AssayRanges *
assay_ranges_new (AssayGraph *graph, const AssaySettings *settings)
{
  AssayRanges *self = g_new0 (AssayRanges, 1);

  self->graph = assay_graph_ref (graph);
  self->small = assay_settings_get_flag (settings, ASSAY_SETTING_FP8_WEIGHTS);
  self->ranges = g_array_new (FALSE, TRUE, sizeof (AssayRange));
  self->of_value = g_new0 (guint, assay_graph_n_values (graph));
  add_weights (self);

  return self;
}

void
assay_ranges_free (AssayRanges *self)
{
  if (self == NULL)
    return;

  assay_graph_unref (self->graph);
  g_array_unref (self->ranges);
  g_free (self->of_value);
  g_free (self);
}

/**
 * assay_ranges_observe:
 * @value: which value of the graph
 * @step: of which timestep
 * @tensor: its elements
 * @ranges: an #AssayRanges
 * @error: return location for a #GError
 *
 * Adds a value that a runner has computed; an observer of a run.
 *
 * Returns: whether its elements could be read
 */
gboolean
assay_ranges_observe (AssayValueId value, gint64 step, AssayTensor *tensor, gpointer ranges,
                      GError **error)
{
  AssayRanges *self = ranges;

  if (!is_float (tensor) || assay_graph_is_constant (self->graph, value))
    return TRUE;

  return add_elements (range_of (self, value, FALSE), tensor, bf16.vanishes, bf16.overflows, error);
}

/**
 * assay_ranges_get_n:
 * @self: ranges
 *
 * Gets how many values have one.
 *
 * Returns: the number
 */
guint
assay_ranges_get_n (AssayRanges *self)
{
  return self->ranges->len;
}

/**
 * assay_ranges_get:
 * @self: ranges
 * @index: which one
 *
 * Gets the range of a value: first the weights, then the activations in the order of the run.
 *
 * Returns: (transfer none): the range
 */
const AssayRange *
assay_ranges_get (AssayRanges *self, guint index)
{
  g_return_val_if_fail (index < self->ranges->len, NULL);

  return &g_array_index (self->ranges, AssayRange, index);
}
