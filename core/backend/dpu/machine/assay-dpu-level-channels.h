/* assay-dpu-level-channels.h
 * SPDX-License-Identifier: Apache-2.0
 *
 * Convolution of each channel for itself, in vectors that the compiler knows for each level;
 * included by a file that is compiled for one. A product of two bytes fits into 16 bits.
 */
#include "backend/dpu/machine/assay-dpu-kernels.h"

#include <string.h>

#define WIDTH 16

typedef gint8 Bytes __attribute__ ((vector_size (WIDTH)));
typedef gint16 Products __attribute__ ((vector_size (2 * WIDTH)));
typedef gint32 Wide __attribute__ ((vector_size (4 * WIDTH)));

typedef struct
{
  gint16 weights[ASSAY_DPU_MAX_TAPS][WIDTH];
  gint32 bias[WIDTH];
  guint n_taps;
  int shift;
  gint32 low, high;
} Block;

static void
block_begin (Block *self, guint width, const AssayDpuWindow *window, const gint8 *weights,
             const gint64 *bias, int shift, gint32 low, gint32 high)
{
  self->n_taps = window->kh * window->kw;
  self->shift = shift;
  self->low = low;
  self->high = high;
  memset (self->bias, 0, sizeof self->bias);
  for (guint i = 0; i < self->n_taps; i++)
    for (guint c = 0; c < WIDTH; c++)
      self->weights[i][c] = c < width ? weights[(gsize) i * window->oc + c] : 0;
  for (guint c = 0; c < width; c++)
    self->bias[c] = (gint32) bias[c] + ((gint32) 1 << (shift - 1));
}

static inline __attribute__ ((always_inline)) void
block_run (const Block *self, const guint width, const gint8 *const *taps, gsize ahead, gint8 *out)
{
  Wide sums = { 0 };
  gint32 values[WIDTH];
  gint8 results[WIDTH];

  for (guint i = 0; i < self->n_taps; i++)
    {
      Bytes inputs = { 0 };
      Products weights;

      memcpy (&inputs, taps[i] + ahead, width);
      memcpy (&weights, self->weights[i], sizeof weights);
      sums += __builtin_convertvector(__builtin_convertvector(inputs, Products) * weights, Wide);
    }
  memcpy (values, &sums, sizeof values);
  for (guint c = 0; c < WIDTH; c++)
    {
      gint32 value = (2 * values[c] + self->bias[c]) >> self->shift;

      value = value < self->low ? self->low : value;
      results[c] = (gint8) (value > self->high ? self->high : value);
    }
  memcpy (out, results, width);
}

#include "backend/dpu/machine/assay-dpu-level-depth.h"

static void
channels (const AssayDpuWindow *window, const gint8 *in, const gint8 *weights, const gint64 *bias,
          int shift, gint32 low, gint32 high, gint8 *out)
{
  Block block;

  for (guint c = 0, n; c < window->c; c += n)
    {
      n = window->c - c < WIDTH ? window->c - c : WIDTH;
      block_begin (&block, n, window, weights + c, bias + c, shift, low, high);
      if (n == WIDTH)
        walk (&block, WIDTH, window, in, c, out);
      else
        walk (&block, n, window, in, c, out);
    }
}
