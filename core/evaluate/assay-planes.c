/* assay-planes.c
 * SPDX-License-Identifier: Apache-2.0
 */
#include "evaluate/assay-planes.h"

#include <string.h>

enum
{
  IN,
  OUT,
  STRIDE,
  BEFORE,
  PHASES,
  ROWS,
};

/**
 * assay_planes_init:
 * @self: (out): the planes
 * @window: a window, which has to stay
 *
 * Works out where everything stands.
 *
 * Returns: %FALSE if the window is over more than two axes or a plane would be large for its
 * output
 */
gboolean
assay_planes_init (AssayPlanes *self, const AssayNodeWindow *window)
{
  gint64 taps[2] = { 1, 1 };
  gsize in = 1;

  *self = (AssayPlanes){ .window = window };
  if (window->n > 2)
    return FALSE;

  for (guint axis = 0; axis < 2; axis++)
    {
      gint64 *extents = self->extents[axis];
      guint i = axis + window->n - 2;

      if (axis < 2 - window->n)
        {
          memcpy (extents, (gint64[]){ 1, 1, 1, 0, 1, 1 }, sizeof self->extents[axis]);
          continue;
        }
      taps[axis] = window->kernel[i];
      extents[IN] = window->in[i];
      extents[OUT] = window->out[i];
      extents[STRIDE] = window->stride[i];
      extents[BEFORE] = window->before[i];
      extents[PHASES] = MIN (window->stride[i], (window->kernel[i] - 1) * window->dilation[i] + 1);
      extents[ROWS] = window->out[i] +
                      (window->kernel[i] - 1) * window->dilation[i] / window->stride[i];
      in *= (gsize) window->in[i];
    }

  self->pitch = (gsize) self->extents[1][ROWS];
  self->phase_size = (gsize) self->extents[0][ROWS] * self->pitch;
  self->n_phases = (guint) (self->extents[0][PHASES] * self->extents[1][PHASES]);
  self->n_taps = (gsize) (taps[0] * taps[1]);
  self->n = (gsize) (self->extents[0][OUT] - 1) * self->pitch + (gsize) self->extents[1][OUT];

  /* A window that reaches far over a small plane has little in it. */
  if (self->phase_size * self->n_phases > 16 * in + 65536)
    return FALSE;

  return TRUE;
}

/**
 * assay_planes_size:
 * @self: planes
 *
 * Says how much memory the padded planes of a channel take.
 *
 * Returns: elements
 */
gsize
assay_planes_size (const AssayPlanes *self)
{
  return self->n_phases * self->phase_size + ASSAY_VECTORS_SLACK;
}

/**
 * assay_planes_result:
 * @self: planes
 *
 * Says how much memory a result takes.
 *
 * Returns: elements
 */
gsize
assay_planes_result (const AssayPlanes *self)
{
  return self->n + ASSAY_VECTORS_SLACK;
}

/**
 * assay_gather_row_f32:
 * @from: (array length=n_from): a row
 * @n_from: its length
 * @start: the first element to take, which may lie in front of the row
 * @stride: from one element to the next
 * @n: how many to take
 * @padding: what stands beside the row
 * @to: (array length=n): where to put them
 *
 * Copies elements of a row that has padding on both sides.
 */
void
assay_gather_row_f32 (const float *from, gint64 n_from, gint64 start, gint64 stride, gint64 n,
                      float padding, float *to)
{
  gint64 first = start >= 0 ? 0 : MIN ((-start + stride - 1) / stride, n);
  gint64 last = n_from > start ? MIN ((n_from - start + stride - 1) / stride, n) : 0;

  last = MAX (last, first);
  for (gint64 i = 0; i < first; i++)
    to[i] = padding;
  if (stride == 1)
    memcpy (to + first, from + start + first, (gsize) (last - first) * sizeof *to);
  else if (stride == 2)
    {
      from += start;
      for (gint64 i = first; i < last; i++)
        to[i] = from[2 * i];
    }
  else
    {
      for (gint64 i = first; i < last; i++)
        to[i] = from[start + i * stride];
    }
  for (gint64 i = last; i < n; i++)
    to[i] = padding;
}

/**
 * assay_planes_fill:
 * @self: planes
 * @from: the elements of one channel
 * @padding: what stands around them
 * @planes: (out): memory of assay_planes_size() elements
 *
 * Makes the padded planes of a channel.
 */
void
assay_planes_fill (const AssayPlanes *self, const float *from, float padding, float *planes)
{
  const gint64 *y = self->extents[0], *x = self->extents[1];

  for (gint64 phase = 0; phase < (gint64) self->n_phases; phase++)
    {
      gint64 top = phase / x[PHASES] - y[BEFORE], left = phase % x[PHASES] - x[BEFORE];

      for (gint64 row = 0; row < y[ROWS]; row++, planes += self->pitch)
        {
          gint64 at = top + row * y[STRIDE];

          if (at >= 0 && at < y[IN])
            assay_gather_row_f32 (from + at * x[IN], x[IN], left, x[STRIDE], (gint64) self->pitch,
                                  padding, planes);
          else
            {
              for (gsize i = 0; i < self->pitch; i++)
                planes[i] = padding;
            }
        }
    }
}

/**
 * assay_planes_taps:
 * @self: planes
 * @planes: padded planes
 * @taps: (out) (array): gets a pointer for each place in the window
 *
 * Finds the first element that each place in the window takes.
 */
void
assay_planes_taps (const AssayPlanes *self, const float *planes, const float **taps)
{
  const AssayNodeWindow *window = self->window;
  guint last = window->n - 1;
  gint64 width = window->kernel[last], dilation = window->dilation[last];
  gint64 above = window->n > 1 ? window->dilation[0] : 1;

  for (gsize t = 0; t < self->n_taps; t++)
    {
      gint64 y = (gint64) t / width * above, x = (gint64) t % width * dilation;
      gint64 phase = y % self->extents[0][STRIDE] * self->extents[1][PHASES] +
                     x % self->extents[1][STRIDE];

      taps[t] = planes + (gsize) phase * self->phase_size +
                (gsize) (y / self->extents[0][STRIDE]) * self->pitch +
                (gsize) (x / self->extents[1][STRIDE]);
    }
}

/**
 * assay_planes_room_init:
 * @self: (out): the room
 * @planes: planes
 * @kernel: the kernel that computes
 *
 * Gets what a thread needs to compute on planes; if it cannot, the kernel fails.
 *
 * Returns: whether there is memory
 */
gboolean
assay_planes_room_init (AssayPlanesRoom *self, const AssayPlanes *planes, AssayKernel *kernel)
{
  self->padded = assay_kernel_room0 (kernel, float, assay_planes_size (planes), NULL);
  self->result = assay_kernel_room (kernel, float, assay_planes_result (planes), NULL);
  self->taps = assay_kernel_room (kernel, const float *, planes->n_taps, NULL);
  if (self->padded == NULL || self->result == NULL || self->taps == NULL)
    return FALSE;

  assay_planes_taps (planes, self->padded, self->taps);

  return TRUE;
}

void
assay_planes_room_clear (AssayPlanesRoom *self)
{
  g_free (self->padded);
  g_free (self->result);
  g_free (self->taps);
}

/**
 * assay_planes_unpack:
 * @self: planes
 * @result: what the vectors have made
 * @to: (out): the elements of one channel of the output
 *
 * Leaves out what stands between the rows of a result.
 */
void
assay_planes_unpack (const AssayPlanes *self, const float *result, float *to)
{
  gsize width = (gsize) self->extents[1][OUT];

  for (gint64 row = 0; row < self->extents[0][OUT]; row++)
    memcpy (to + (gsize) row * width, result + (gsize) row * self->pitch, width * sizeof *to);
}
