/* assay-dpu-level-depth.h
 * SPDX-License-Identifier: Apache-2.0
 *
 * How a window goes over the channels of a map each for itself: a block of channels at a time, so
 * that what a block needs of the weights is made ready once. Included by a file that says what a
 * block is (Block), how it is made ready (block_begin) and what it makes of the places under one
 * window (block_run).
 */
#include "backend/dpu/machine/assay-dpu-kernels.h"

/* Where the elements under the window at a pixel lie; what lies outside are zeros. */
static inline void
find_taps (const AssayDpuWindow *window, const gint8 *image, const gint8 *zeros, gint64 top,
           gint64 left, const gint8 **taps)
{
  for (guint i = 0; i < window->kh; i++)
    {
      gint64 y = top + (gint64) i * window->dh;

      for (guint j = 0; j < window->kw; j++)
        {
          gint64 x = left + (gint64) j * window->dw;
          gboolean inside = y >= 0 && y < window->h && x >= 0 && x < window->w;

          *taps++ = inside ? image + (y * window->w + x) * window->c : zeros;
        }
    }
}

/* One row of results of a block. Where a whole window lies inside, places only move on. */
static inline __attribute__ ((always_inline)) void
walk_row (const Block *block, const guint width, const AssayDpuWindow *window, const gint8 *image,
          const gint8 *zeros, guint y, gint8 *out)
{
  const gint8 *taps[ASSAY_DPU_MAX_TAPS];
  gint64 top = (gint64) y * window->sh - window->top;
  gint64 high = (gint64) (window->kh - 1) * window->dh;
  gint64 wide = (gint64) (window->kw - 1) * window->dw;
  gboolean rows_inside = top >= 0 && top + high < window->h;
  gint64 begin = -1;

  for (guint x = 0; x < window->ow; x++, out += window->oc)
    {
      gint64 left = (gint64) x * window->sw - window->left;
      gboolean inside = rows_inside && left >= 0 && left + wide < window->w;

      if (!inside || begin < 0)
        {
          find_taps (window, image, zeros, top, left, taps);
          begin = inside ? left : -1;
          /* What fills up the last four has weights of zero. */
          for (guint i = window->kh * window->kw; i % 4 != 0; i++)
            taps[i] = taps[0];
        }
      block_run (block, width, taps, inside ? (gsize) (left - begin) * window->c : 0, out);
    }
}

static inline __attribute__ ((always_inline)) void
walk (const Block *block, const guint width, const AssayDpuWindow *window, const gint8 *in,
      guint channel, gint8 *out)
{
  static const gint8 zeros[ASSAY_DPU_MAX_BLOCK] = { 0 };

  for (guint image = 0; image < window->n; image++)
    for (guint y = 0; y < window->oh; y++)
      walk_row (block, width, window,
                in + (gsize) image * window->h * window->w * window->c + channel, zeros, y,
                out + ((gsize) image * window->oh + y) * window->ow * window->oc + channel);
}
