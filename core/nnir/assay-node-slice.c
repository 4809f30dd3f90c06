/* assay-node-slice.c
 * SPDX-License-Identifier: Apache-2.0
 */
#include "nnir/assay-node-slice.h"

#include "nnir/assay-axes.h"

/**
 * assay_node_slice_init:
 * @self: a slice
 * @rank: number of dimensions
 * @dims: (array length=rank): extents of what is sliced
 *
 * Begins with all of a tensor.
 */
void
assay_node_slice_init (AssayNodeSlice *self, guint rank, const gint64 *dims)
{
  self->rank = rank;
  self->open = FALSE;
  for (guint i = 0; i < rank; i++)
    {
      self->start[i] = 0;
      self->step[i] = 1;
      self->length[i] = dims[i];
    }
}

/**
 * assay_node_slice_cut:
 * @self: a slice that has all of an axis still
 * @axis: the axis, counted from the end if negative
 * @start: where it begins, counted from the end if negative
 * @end: where it stops, the same
 * @step: distance of one element from the next
 *
 * Takes a part of an axis, by the rules of Python but for one: as the ONNX standard has it, what
 * goes backwards from before the first element begins there.
 *
 * Returns: whether there is such an axis, and the step is not zero
 */
gboolean
assay_node_slice_cut (AssayNodeSlice *self, gint64 axis, gint64 start, gint64 end, gint64 step)
{
  gint64 low = step < 0 ? -1 : 0;
  gint64 extent, high, span;
  int at;

  if (step == 0 || !assay_axes_normalize (axis, (int) self->rank, &at))
    return FALSE;

  extent = self->length[at];
  high = step < 0 ? extent - 1 : extent;
  start = start < 0 ? MAX (start, -extent - 1) + extent : start;
  end = end < 0 ? MAX (end, -extent - 1) + extent : end;
  start = CLAMP (start, 0, MAX (high, 0));
  end = CLAMP (end, low, high);

  span = extent == 0 ? 0 : step > 0 ? end - start : start - end;
  self->length[at] = span <= 0  ? 0
                     : step > 0 ? (span - 1) / step + 1
                                : (span - 1) / (step == G_MININT64 ? G_MAXINT64 : -step) + 1;
  self->start[at] = span <= 0 ? 0 : start;
  self->step[at] = step;

  return TRUE;
}

/**
 * assay_node_slice_cut_all:
 * @self: a slice of all of a tensor
 * @n: number of axes that are cut
 * @starts: (array length=n): where the parts begin
 * @ends: (array length=n) (nullable): where they stop, or %NULL if they reach to the end
 * @axes: (array length=n) (nullable): the axes, or %NULL for the first ones
 * @steps: (array length=n) (nullable): distances of the elements, or %NULL if they are all 1
 *
 * Takes parts of several axes.
 *
 * Returns: whether there are such axes, each once, and no step is zero
 */
gboolean
assay_node_slice_cut_all (AssayNodeSlice *self, gsize n, const gint64 *starts, const gint64 *ends,
                          const gint64 *axes, const gint64 *steps)
{
  guint64 seen = 0;

  self->open = ends == NULL;
  for (gsize i = 0; i < n; i++)
    {
      gint64 step = steps == NULL ? 1 : steps[i];
      gint64 end = ends != NULL ? ends[i] : step < 0 ? G_MININT64 : G_MAXINT64;
      int axis;

      if (!assay_axes_normalize (axes == NULL ? (gint64) i : axes[i], (int) self->rank, &axis) ||
          (seen >> axis & 1) != 0 || !assay_node_slice_cut (self, axis, starts[i], end, step))
        return FALSE;
      seen |= G_GUINT64_CONSTANT (1) << axis;
    }

  return TRUE;
}

/**
 * assay_node_get_slice:
 * @graph: a graph
 * @node: a Slice
 * @rank: number of dimensions of its input
 * @dims: (array length=rank): its extents
 * @slice: (out caller-allocates): where to put what it takes
 *
 * Reads a slice. Where it begins has to be known when compiling; where it stops need not be, as the
 * shape of the result says it too.
 *
 * Returns: whether it is known, and as it has to be
 */
gboolean
assay_node_get_slice (const AssayGraph *graph, const AssayNode *node, guint rank,
                      const gint64 *dims, AssayNodeSlice *slice)
{
  gsize n, n_ends, n_axes, n_steps;
  g_autofree gint64 *starts = assay_value_dup_ints (graph, assay_node_input (node, 1), &n);
  g_autofree gint64 *ends = assay_value_dup_ints (graph, assay_node_input (node, 2), &n_ends);
  g_autofree gint64 *axes = assay_value_dup_ints (graph, assay_node_input (node, 3), &n_axes);
  g_autofree gint64 *steps = assay_value_dup_ints (graph, assay_node_input (node, 4), &n_steps);

  assay_node_slice_init (slice, rank, dims);

  return starts != NULL && (ends == NULL || n_ends == n) &&
         (axes != NULL ? n_axes == n : assay_node_input (node, 3) == ASSAY_NO_VALUE) &&
         (steps != NULL ? n_steps == n : assay_node_input (node, 4) == ASSAY_NO_VALUE) &&
         assay_node_slice_cut_all (slice, n, starts, ends, axes, steps);
}
