/* assay-kernel-conv-transpose.c
 * SPDX-License-Identifier: Apache-2.0
 */
#include <string.h>

#include "evaluate/assay-gemm.h"
#include "base/assay-sentence.h"
#include "evaluate/kernels/assay-kernel-window.h"
#include "nnir/assay-dims.h"

/* Bytes of the products that are spread over the output at a time. */
#define BLOCK_BYTES (1024 * 1024)

/* The window slides over the output here: `in` and `out` of it are those of the convolution that
 * this transposes. */
typedef struct
{
  AssayNodeWindow window;
  AssayKernel *kernel;
  AssayDType storage;
  gsize groups;
  gsize in_channels;  /* of one group */
  gsize out_channels; /* of one group */
  gsize positions;    /* of the input */
  gsize out_positions;
  gsize taps;
  gsize block;    /* channels of the output in an item */
  gsize n_blocks; /* of one sample and group */
  gconstpointer x;
  gconstpointer w;
  gconstpointer bias;
  char *y;
} Work;

#define SPREAD_ROW(type)                                                                           \
  static void spread_row_##type (const type *from, gint64 n, gint64 start, gint64 stride,          \
                                 gint64 n_to, type *to)                                            \
  {                                                                                                \
    for (gint64 i = 0; i < n; i++)                                                                 \
      {                                                                                            \
        gint64 at = start + i * stride;                                                            \
        if (at >= 0 && at < n_to)                                                                  \
          to[at] += from[i];                                                                       \
      }                                                                                            \
  }

SPREAD_ROW (float)
SPREAD_ROW (double)

/* Adds the products of all positions for one place in the window to a channel of the output. */
static void
spread_tap (const Work *work, const gint64 *place, gconstpointer from, gpointer to)
{
  const AssayNodeWindow *window = &work->window;
  guint last = window->n - 1;
  gint64 width = window->in[last];
  gsize rows = work->positions / (gsize) width;

  for (gsize row = 0; row < rows; row++)
    {
      gsize rest = row, at = 0, stride = 1;
      gboolean inside = TRUE;
      gint64 start = place[last] * window->dilation[last] - window->before[last];

      for (guint axis = last; axis > 0; axis--)
        {
          guint i = axis - 1;
          gint64 position = (gint64) (rest % (gsize) window->in[i]) * window->stride[i] +
                            place[i] * window->dilation[i] - window->before[i];

          rest /= (gsize) window->in[i];
          inside = inside && position >= 0 && position < window->out[i];
          at += (gsize) position * stride;
          stride *= (gsize) window->out[i];
        }
      if (!inside)
        continue;

      at *= (gsize) window->out[last];
      if (work->storage == ASSAY_DTYPE_F32)
        spread_row_float ((const float *) from + row * (gsize) width, width, start,
                          window->stride[last], window->out[last], (float *) to + at);
      else
        spread_row_double ((const double *) from + row * (gsize) width, width, start,
                           window->stride[last], window->out[last], (double *) to + at);
    }
}

static void
fill_channel (const Work *work, gsize channel, gpointer to)
{
  for (gsize i = 0; i < work->out_positions; i++)
    {
      if (work->storage == ASSAY_DTYPE_F32)
        ((float *) to)[i] = work->bias != NULL ? ((const float *) work->bias)[channel] : 0.0f;
      else
        ((double *) to)[i] = work->bias != NULL ? ((const double *) work->bias)[channel] : 0.0;
    }
}

static void
run_blocks (gpointer data, gsize begin, gsize end)
{
  const Work *work = data;
  gsize size = assay_storage_size (work->storage);
  g_autofree char *products = assay_kernel_allocate (
      work->kernel, work->block * work->taps * work->positions, size, FALSE, NULL);

  if (products == NULL)
    return;

  for (gsize item = begin; item < end; item++)
    {
      gsize image = item / work->n_blocks; /* of one sample and group */
      gsize group = image % work->groups;
      gsize first = item % work->n_blocks * work->block;
      gsize n = MIN (work->block, work->out_channels - first);
      AssayGemm gemm = {
        .storage = work->storage,
        .m = n * work->taps,
        .n = work->positions,
        .k = work->in_channels,
        .transpose_a = TRUE,
        .lda = work->out_channels * work->taps,
        .ldb = work->positions,
        .ldc = work->positions,
        .alpha = 1.0,
      };
      gsize weights = group * work->in_channels * work->out_channels * work->taps +
                      first * work->taps;

      assay_gemm_run (&gemm, (const char *) work->w + weights * size,
                      (const char *) work->x + image * work->in_channels * work->positions * size,
                      products);

      for (gsize channel = 0; channel < n; channel++)
        {
          gpointer to = work->y +
                        (image * work->out_channels + first + channel) * work->out_positions * size;
          gint64 place[ASSAY_MAX_RANK] = { 0 };

          fill_channel (work, group * work->out_channels + first + channel, to);
          for (gsize tap = 0; tap < work->taps; tap++)
            {
              spread_tap (work, place,
                          products + (channel * work->taps + tap) * work->positions * size, to);
              assay_dims_next (work->window.n, work->window.kernel, place);
            }
        }
    }
}

gboolean
assay_kernel_op_conv_transpose (AssayKernel *self, GError **error)
{
  AssayDatum *x = self->inputs[0], *w = self->inputs[1], *bias = assay_kernel_input (self, 2), *y;
  gint64 groups = assay_node_get_int (self->node, "group");
  Work work = { .kernel = self, .storage = x->storage, .x = x->data, .w = w->data };
  gint64 dims[ASSAY_MAX_RANK];
  gsize bytes;

  if (!assay_kernel_expect (self, 0, ASSAY_DTYPE_UNDEFINED, 3, -1, error) ||
      !assay_kernel_expect (self, 1, x->storage, (int) x->rank, (int) x->rank, error) ||
      !assay_kernel_expect_same (self, error))
    return FALSE;
  if (groups < 1 || x->dims[1] % groups != 0 || w->dims[0] != x->dims[1])
    return assay_kernel_fail (self, error,
                              "%" G_GINT64_FORMAT " channel%s and weights for %" G_GINT64_FORMAT
                              " do not make %" G_GINT64_FORMAT " group%s",
                              x->dims[1], assay_plural (x->dims[1]), w->dims[0], groups,
                              assay_plural (groups));
  if (!assay_kernel_window_attributes (self, x->rank - 2, w->dims + 2, &work.window, error) ||
      !assay_kernel_window_slide (self, x->dims + 2, &work.window, error))
    return FALSE;

  dims[0] = x->dims[0];
  dims[1] = w->dims[1] * groups;
  memcpy (dims + 2, work.window.out, work.window.n * sizeof *dims);
  if (bias != NULL && (gint64) bias->n != dims[1])
    return assay_kernel_fail (
        self, error, "the bias has %" G_GSIZE_FORMAT " element%s, expected %" G_GINT64_FORMAT,
        bias->n, assay_plural (bias->n), dims[1]);

  y = assay_kernel_output (self, 0, x->dtype, x->rank, dims, error);
  if (y == NULL)
    return FALSE;
  if (y->n == 0)
    return TRUE;

  work.groups = (gsize) groups;
  work.in_channels = (gsize) (x->dims[1] / groups);
  work.out_channels = (gsize) w->dims[1];
  work.positions = assay_kernel_window_size (&work.window, work.window.in);
  work.out_positions = assay_kernel_window_size (&work.window, work.window.out);
  work.taps = assay_kernel_window_size (&work.window, work.window.kernel);
  work.bias = bias != NULL ? bias->data : NULL;
  work.y = y->data;
  if (!g_size_checked_mul (&bytes, work.taps * assay_storage_size (x->storage),
                           MAX (work.positions, 1)))
    return assay_kernel_fail (self, error, "the window is too large for the input");
  work.block = CLAMP (BLOCK_BYTES / bytes, 1, work.out_channels);
  work.n_blocks = (work.out_channels + work.block - 1) / work.block;
  if (work.positions > 0)
    assay_kernel_parallel (self, (gsize) x->dims[0] * work.groups * work.n_blocks, 1, run_blocks,
                           &work);
  else
    {
      for (gsize i = 0; i < y->n / work.out_positions; i++)
        fill_channel (&work, i % (gsize) dims[1],
                      work.y + i * work.out_positions * assay_storage_size (x->storage));
    }

  return TRUE;
}
