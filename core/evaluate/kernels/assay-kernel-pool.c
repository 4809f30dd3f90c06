/* assay-kernel-pool.c
 * SPDX-License-Identifier: Apache-2.0
 */
#include <math.h>
#include <string.h>

#include "evaluate/assay-elements.h"
#include "base/assay-sentence.h"
#include "evaluate/assay-planes.h"
#include "nnir/assay-dims.h"

/* What pooling makes of the elements of one window. */
typedef struct
{
  double value;
  gsize count;
  gsize place; /* of the largest, in the input */
} Pooled;

typedef struct
{
  AssayKernel *kernel;
  AssayOp op;
  AssayNodeWindow window;
  AssayDatum *from;
  AssayDatum *to;
  AssayDatum *indices; /* (nullable) */
  gsize in_positions;
  gsize positions;
  /* Each attribute is known to one sort of pooling. */
  gint64 p;
  gint64 include_padding;
  gint64 column_major;
  const AssayVectors *vectors;
  AssayPlanes planes;
  float *factors;
} Work;

static void
take (const Work *work, double x, gsize place, Pooled *pooled)
{
  switch (work->op)
    {
    case ASSAY_OP_MaxPool:
      if (pooled->count == 0 || x > pooled->value || (isnan (x) && !isnan (pooled->value)))
        {
          pooled->value = x;
          pooled->place = place;
        }
      break;
    case ASSAY_OP_LpPool:
      pooled->value += work->p == 1   ? fabs (x)
                       : work->p == 2 ? x * x
                                      : pow (fabs (x), (double) work->p);
      break;
    default:
      pooled->value += x;
      break;
    }
  pooled->count++;
}

/* How much of a window lies within the input and its padding. */
static gsize
padded_count (const AssayNodeWindow *window, const gint64 *position)
{
  gsize count = 1;

  for (guint i = 0; i < window->n; i++)
    {
      gint64 start = position[i] * window->stride[i] - window->before[i];
      gint64 n = 0;

      for (gint64 j = 0; j < window->kernel[i]; j++)
        n += start + j * window->dilation[i] < window->in[i] + window->after[i];
      count *= (gsize) n;
    }

  return count;
}

static double
finish (const Work *work, const Pooled *pooled, const gint64 *position)
{
  switch (work->op)
    {
    case ASSAY_OP_MaxPool:
      return pooled->count > 0 ? pooled->value : -INFINITY;
    case ASSAY_OP_LpPool:
      return work->p == 1 ? pooled->value : pow (pooled->value, 1.0 / (double) work->p);
    default:
      return pooled->value / (double) (work->include_padding
                                           ? padded_count (&work->window, position)
                                           : pooled->count);
    }
}

/* All elements of the window at one position, the last spatial axis innermost. */
static Pooled
pool_window (const Work *work, const double *plane, const gint64 *position)
{
  const AssayNodeWindow *window = &work->window;
  guint last = window->n - 1;
  gint64 place[ASSAY_MAX_RANK] = { 0 };
  Pooled pooled = { 0 };

  for (;;)
    {
      gsize row = 0;
      gboolean inside = TRUE;
      guint axis;

      for (guint i = 0; i < last; i++)
        {
          gint64 at = position[i] * window->stride[i] - window->before[i] +
                      place[i] * window->dilation[i];

          inside = inside && at >= 0 && at < window->in[i];
          row = row * (gsize) window->in[i] + (gsize) at;
        }
      for (gint64 j = 0; inside && j < window->kernel[last]; j++)
        {
          gint64 at = position[last] * window->stride[last] - window->before[last] +
                      j * window->dilation[last];

          if (at >= 0 && at < window->in[last])
            take (work, plane[row * (gsize) window->in[last] + (gsize) at],
                  row * (gsize) window->in[last] + (gsize) at, &pooled);
        }

      for (axis = last; axis > 0; axis--)
        {
          if (++place[axis - 1] < window->kernel[axis - 1])
            break;
          place[axis - 1] = 0;
        }
      if (axis == 0)
        return pooled;
    }
}

/* The place in a plane, counted with the first spatial axis innermost. */
static gsize
to_column_major (const AssayNodeWindow *window, gsize place)
{
  gsize result = 0;
  gsize strides[ASSAY_MAX_RANK];

  strides[0] = 1;
  for (guint i = 1; i < window->n; i++)
    strides[i] = strides[i - 1] * (gsize) window->in[i - 1];
  for (guint axis = window->n; axis > 0; axis--)
    {
      result += place % (gsize) window->in[axis - 1] * strides[axis - 1];
      place /= (gsize) window->in[axis - 1];
    }

  return result;
}

static void
pool_planes (gpointer data, gsize begin, gsize end)
{
  const Work *work = data;
  const AssayNodeWindow *window = &work->window;
  g_autofree double *plane = assay_kernel_room (work->kernel, double, work->in_positions, NULL);
  g_autofree double *results = assay_kernel_room (work->kernel, double, work->positions, NULL);

  if (plane == NULL || results == NULL)
    return;

  for (gsize i = begin; i < end; i++)
    {
      gint64 position[ASSAY_MAX_RANK] = { 0 };

      assay_elements_read (work->from, i * work->in_positions, 1, work->in_positions, plane);
      for (gsize j = 0; j < work->positions; j++)
        {
          Pooled pooled = pool_window (work, plane, position);

          results[j] = finish (work, &pooled, position);
          if (work->indices != NULL)
            ((gint64 *) work->indices->data)[i * work->positions + j] =
                (gint64) (i * work->in_positions + (work->column_major
                                                        ? to_column_major (window, pooled.place)
                                                        : pooled.place));

          assay_dims_next (window->n, window->out, position);
        }
      assay_elements_write (work->to, i * work->positions, 1, work->positions, results);
    }
}

/* Largest element or mean of floats, over padded planes. */
static void
pool_padded (gpointer data, gsize begin, gsize end)
{
  const Work *work = data;
  const AssayPlanes *planes = &work->planes;
  gboolean largest = work->op == ASSAY_OP_MaxPool;
  g_auto (AssayPlanesRoom) room = { NULL };

  if (!assay_planes_room_init (&room, planes, work->kernel))
    return;

  for (gsize i = begin; i < end; i++)
    {
      float *to = (float *) work->to->data + i * work->positions;

      assay_planes_fill (planes, (const float *) work->from->data + i * work->in_positions,
                         largest ? -INFINITY : 0.0f, room.padded);
      if (largest)
        work->vectors->max_taps (room.result, planes->n, planes->n_taps, room.taps);
      else
        work->vectors->sum_taps (room.result, planes->n, planes->n_taps, room.taps, work->factors,
                                 0.0f);
      assay_planes_unpack (planes, room.result, to);
      for (gsize j = 0; j < work->positions && !largest; j++)
        to[j] *= work->factors[planes->n_taps + j];
    }
}

/* Factors of one for the sums, and behind them the inverse of how many elements each position has.
 */
static gboolean
find_factors (Work *work)
{
  const AssayNodeWindow *window = &work->window;
  gint64 position[ASSAY_MAX_RANK] = { 0 };

  work->factors = assay_kernel_room (work->kernel, float, work->planes.n_taps + work->positions,
                                     NULL);
  if (work->factors == NULL)
    return FALSE;

  for (gsize i = 0; i < work->planes.n_taps; i++)
    work->factors[i] = 1.0f;

  for (gsize i = 0; i < work->positions; i++)
    {
      gsize count = 1;

      for (guint axis = 0; axis < window->n && !work->include_padding; axis++)
        {
          gsize inside = 0;

          for (gint64 j = 0; j < window->kernel[axis]; j++)
            {
              gint64 at = position[axis] * window->stride[axis] - window->before[axis] +
                          j * window->dilation[axis];

              inside += at >= 0 && at < window->in[axis];
            }
          count *= inside;
        }
      if (work->include_padding)
        count = padded_count (window, position);
      work->factors[work->planes.n_taps + i] = (float) (1.0 / (double) count);

      assay_dims_next (window->n, window->out, position);
    }

  return TRUE;
}

static gboolean
run_padded (AssayKernel *self, Work *work)
{
  if (work->op == ASSAY_OP_LpPool || work->indices != NULL ||
      work->from->storage != ASSAY_DTYPE_F32 || !assay_planes_init (&work->planes, &work->window))
    return FALSE;

  work->vectors = assay_vectors_get_default ();
  if (work->op != ASSAY_OP_AveragePool || find_factors (work))
    assay_kernel_parallel (self, work->to->n / work->positions,
                           MAX (8192 / MAX (work->in_positions, 1), 1), pool_padded, work);
  g_free (work->factors);

  return TRUE;
}

gboolean
assay_kernel_op_pool (AssayKernel *self, GError **error)
{
  AssayDatum *from = self->inputs[0];
  Work work = { .kernel = self, .op = self->node->op, .from = from };
  gint64 dims[ASSAY_MAX_RANK];

  if (!assay_dtype_is_float (from->storage) && !assay_dtype_is_integer (from->storage))
    return assay_kernel_fail_type (self, 0, error);
  if (!assay_kernel_expect (self, 0, from->storage, 3, -1, error) ||
      !assay_kernel_window_attributes (self, from->rank - 2, NULL, &work.window, error) ||
      !assay_kernel_window_slide (self, from->dims + 2, &work.window, error))
    return FALSE;

  work.in_positions = assay_kernel_window_size (&work.window, work.window.in);
  work.positions = assay_kernel_window_size (&work.window, work.window.out);
  assay_node_find_int (self->node, "p", &work.p);
  assay_node_find_int (self->node, "count_include_pad", &work.include_padding);
  assay_node_find_int (self->node, "storage_order", &work.column_major);

  memcpy (dims, from->dims, 2 * sizeof *dims);
  memcpy (dims + 2, work.window.out, work.window.n * sizeof *dims);
  work.to = assay_kernel_output (self, 0, from->dtype, from->rank, dims, error);
  if (work.to == NULL)
    return FALSE;
  if (assay_kernel_wants (self, 1))
    {
      work.indices = assay_kernel_output (self, 1, ASSAY_DTYPE_I64, from->rank, dims, error);
      if (work.indices == NULL)
        return FALSE;
    }
  if (work.to->n > 0 && !run_padded (self, &work))
    assay_kernel_parallel (self, work.to->n / work.positions,
                           MAX (8192 / MAX (work.in_positions, 1), 1), pool_planes, &work);

  return TRUE;
}

static void
pool_all (gpointer data, gsize begin, gsize end)
{
  const Work *work = data;
  g_autofree double *plane = assay_kernel_room (work->kernel, double, work->in_positions, NULL);

  if (plane == NULL)
    return;

  for (gsize i = begin; i < end; i++)
    {
      Pooled pooled = { 0 };
      double result;

      assay_elements_read (work->from, i * work->in_positions, 1, work->in_positions, plane);
      if (work->op == ASSAY_OP_AveragePool)
        pooled = (Pooled){
          .value = assay_elements_sum (work->in_positions, plane, 0.0, FALSE),
          .count = work->in_positions,
        };
      else
        {
          for (gsize j = 0; j < work->in_positions; j++)
            take (work, plane[j], j, &pooled);
        }
      result = finish (work, &pooled, NULL);
      assay_elements_write (work->to, i, 1, 1, &result);
    }
}

gboolean
assay_kernel_op_global_pool (AssayKernel *self, GError **error)
{
  static const AssayOp local[][2] = {
    { ASSAY_OP_GlobalAveragePool, ASSAY_OP_AveragePool },
    { ASSAY_OP_GlobalLpPool, ASSAY_OP_LpPool },
    { ASSAY_OP_GlobalMaxPool, ASSAY_OP_MaxPool },
  };
  AssayDatum *from = self->inputs[0];
  Work work = { .kernel = self, .from = from, .in_positions = 1 };
  gint64 dims[ASSAY_MAX_RANK];

  assay_node_find_int (self->node, "p", &work.p);
  if (!assay_kernel_expect (self, 0, ASSAY_DTYPE_UNDEFINED, 2, -1, error))
    return FALSE;

  for (guint i = 0; i < G_N_ELEMENTS (local); i++)
    {
      if (local[i][0] == self->node->op)
        work.op = local[i][1];
    }
  for (guint i = 0; i < from->rank; i++)
    {
      dims[i] = i < 2 ? from->dims[i] : 1;
      work.in_positions *= i < 2 ? 1 : (gsize) from->dims[i];
    }

  work.to = assay_kernel_output (self, 0, from->dtype, from->rank, dims, error);
  if (work.to == NULL)
    return FALSE;
  assay_kernel_parallel (self, work.to->n, MAX (16384 / MAX (work.in_positions, 1), 1), pool_all,
                         &work);

  return TRUE;
}

gboolean
assay_kernel_op_max_unpool (AssayKernel *self, GError **error)
{
  AssayDatum *from = self->inputs[0], *indices = self->inputs[1], *to;
  gint64 dims[ASSAY_MAX_RANK], inferred[ASSAY_MAX_RANK];
  AssayNodeWindow window;
  gsize size, n = 1;

  if (!assay_kernel_expect (self, 0, ASSAY_DTYPE_UNDEFINED, 3, -1, error) ||
      !assay_kernel_expect (self, 1, ASSAY_DTYPE_I64, (int) from->rank, (int) from->rank, error) ||
      !assay_kernel_window_attributes (self, from->rank - 2, NULL, &window, error))
    return FALSE;
  if (indices->n != from->n)
    return assay_kernel_fail (
        self, error, "%" G_GSIZE_FORMAT " %s for %" G_GSIZE_FORMAT " element%s", indices->n,
        assay_noun (indices->n, "index", "indices"), from->n, assay_plural (from->n));

  /* It undoes a pooling: the same as a transposed convolution. */
  window.transposed = TRUE;
  if (!assay_kernel_window_slide (self, from->dims + 2, &window, error))
    return FALSE;
  memcpy (inferred, from->dims, 2 * sizeof *dims);
  memcpy (inferred + 2, window.out, window.n * sizeof *dims);
  memcpy (dims, inferred, from->rank * sizeof *dims);

  if (assay_kernel_input (self, 2) != NULL)
    {
      guint n_given;
      const gint64 *given = assay_kernel_ints (self, 2, &n_given, error);

      if (given == NULL)
        return FALSE;
      if (n_given != from->rank)
        return assay_kernel_fail (self, error, "an output shape of %u dimension%s, expected %u",
                                  n_given, assay_plural (n_given), from->rank);
      memcpy (dims, given, from->rank * sizeof *dims);
    }

  to = assay_kernel_output (self, 0, from->dtype, from->rank, dims, error);
  if (to == NULL)
    return FALSE;

  size = assay_storage_size (from->storage);
  memset (to->data, 0, to->n * size);
  for (guint i = 0; i < from->rank; i++)
    n *= (gsize) MAX (inferred[i], 0);

  /* An index counts in the tensor that pooling would have had; a larger output is that one with
   * room behind it. */
  for (gsize i = 0; i < from->n; i++)
    {
      gint64 index = ((const gint64 *) indices->data)[i];
      gsize at = 0, stride = 1;
      gboolean inside = index >= 0 && (gsize) index < n;

      for (guint axis = from->rank; axis > 0 && inside; axis--)
        {
          gint64 position = index % inferred[axis - 1];

          index /= inferred[axis - 1];
          inside = position < dims[axis - 1];
          at += (gsize) position * stride;
          stride *= (gsize) dims[axis - 1];
        }
      if (!inside)
        return assay_kernel_fail (self, error,
                                  "index %" G_GINT64_FORMAT " at %" G_GSIZE_FORMAT
                                  " is outside of the "
                                  "output",
                                  ((const gint64 *) indices->data)[i], i);
      memcpy ((char *) to->data + at * size, (const char *) from->data + i * size, size);
    }

  return TRUE;
}

/* One bin of a region: the largest element of its part of the plane, 0 if that is empty. */
static double
pool_bin (const AssayDatum *from, gsize plane, gint64 top, gint64 bottom, gint64 left, gint64 right)
{
  double largest = -INFINITY;

  for (gint64 y = top; y < bottom; y++)
    {
      for (gint64 x = left; x < right; x++)
        largest = MAX (largest,
                       assay_datum_get_number (from, (plane * (gsize) from->dims[2] + (gsize) y) *
                                                             (gsize) from->dims[3] +
                                                         (gsize) x));
    }

  return bottom > top && right > left ? largest : 0.0;
}

gboolean
assay_kernel_op_max_roi_pool (AssayKernel *self, GError **error)
{
  AssayDatum *from = self->inputs[0], *regions = self->inputs[1], *to;
  double scale = assay_node_get_float (self->node, "spatial_scale");
  guint n_shape;
  const gint64 *shape = assay_node_get_ints (self->node, "pooled_shape", &n_shape);
  gint64 dims[4];

  if (!assay_kernel_expect (self, 0, ASSAY_DTYPE_UNDEFINED, 4, 4, error) ||
      !assay_kernel_expect (self, 1, from->storage, 2, 2, error))
    return FALSE;
  if (shape == NULL || n_shape != 2 || shape[0] < 1 || shape[1] < 1 || regions->dims[1] != 5)
    return assay_kernel_fail (
        self, error, "pooled_shape takes two positive extents, and each region five numbers");

  dims[0] = regions->dims[0];
  dims[1] = from->dims[1];
  dims[2] = shape[0];
  dims[3] = shape[1];
  to = assay_kernel_output (self, 0, from->dtype, 4, dims, error);
  if (to == NULL)
    return FALSE;

  for (gsize i = 0; i < to->n; i++)
    {
      gint64 column = (gint64) i % dims[3], row = (gint64) i / dims[3] % dims[2];
      gint64 channel = (gint64) i / (dims[3] * dims[2]) % dims[1];
      gsize region = i / (gsize) (dims[3] * dims[2] * dims[1]) * 5;
      double corners[4];
      gint64 sample = assay_datum_get_integer (regions, region);
      double height, width;

      if (sample < 0 || sample >= from->dims[0])
        return assay_kernel_fail (
            self, error, "a region of sample %" G_GINT64_FORMAT ", there are %" G_GINT64_FORMAT,
            sample, from->dims[0]);

      for (guint j = 0; j < 4; j++)
        corners[j] = CLAMP (round (assay_datum_get_number (regions, region + 1 + j) * scale), -1e9,
                            1e9);
      width = MAX (corners[2] - corners[0] + 1.0, 1.0) / (double) dims[3];
      height = MAX (corners[3] - corners[1] + 1.0, 1.0) / (double) dims[2];

      assay_datum_set_number (
          to, i,
          pool_bin (from, (gsize) (sample * dims[1] + channel),
                    assay_kernel_whole (floor ((double) row * height) + corners[1], 0,
                                        (double) from->dims[2]),
                    assay_kernel_whole (ceil ((double) (row + 1) * height) + corners[1], 0,
                                        (double) from->dims[2]),
                    assay_kernel_whole (floor ((double) column * width) + corners[0], 0,
                                        (double) from->dims[3]),
                    assay_kernel_whole (ceil ((double) (column + 1) * width) + corners[0], 0,
                                        (double) from->dims[3])));
    }

  return TRUE;
}
