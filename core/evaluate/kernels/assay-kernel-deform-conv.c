/* assay-kernel-deform-conv.c
 * SPDX-License-Identifier: Apache-2.0
 */
#include <math.h>
#include <string.h>

#include "evaluate/assay-conv.h"
#include "base/assay-sentence.h"
#include "evaluate/assay-elements.h"
#include "evaluate/assay-gemm.h"

/* Positions of the output that are gathered at a time. */
#define TILE 256

/* Corners around a place between elements double with each axis. */
#define MAX_AXES 8

typedef struct
{
  AssayKernel *kernel;
  const AssayConv *conv;
  AssayDatum *x;
  AssayDatum *offset;
  AssayDatum *mask; /* (nullable) */
  gsize offset_groups;
  gsize taps;
  gsize positions;
  gsize in_positions;
  gsize n_tiles;
  char *y;
} Work;

/* An element between elements: the corners around it, each by how near it is; outside of the input
 * is zero. */
static double
interpolate (const Work *work, gsize plane, const double *place)
{
  const AssayNodeWindow *window = &work->conv->window;
  double sum = 0.0;

  for (guint corner = 0; corner < 1u << window->n; corner++)
    {
      double weight = 1.0;
      gsize at = 0;

      for (guint i = 0; i < window->n && weight != 0.0; i++)
        {
          double low = floor (place[i]);
          double position = low + (double) (corner >> i & 1);

          weight *= corner >> i & 1 ? place[i] - low : 1.0 - (place[i] - low);
          if (!(position >= 0.0 && position < (double) window->in[i]))
            weight = 0.0;
          else
            at = at * (gsize) window->in[i] + (gsize) position;
        }
      if (weight != 0.0)
        sum += weight * assay_datum_get_number (work->x, plane + at);
    }

  return sum;
}

static double
gather_one (const Work *work, gsize sample, gsize channel, gsize tap, gsize position)
{
  const AssayNodeWindow *window = &work->conv->window;
  gsize channels = work->conv->groups * work->conv->in_channels;
  gsize group = channel / (channels / work->offset_groups);
  gsize rest_position = position, rest_tap = tap;
  double place[MAX_AXES];
  double value;

  for (guint axis = window->n; axis > 0; axis--)
    {
      guint i = axis - 1;
      gsize at = ((sample * work->offset_groups + group) * work->taps + tap) * window->n + i;

      place[i] = (double) ((gint64) (rest_position % (gsize) window->out[i]) * window->stride[i] +
                           (gint64) (rest_tap % (gsize) window->kernel[i]) * window->dilation[i] -
                           window->before[i]) +
                 assay_datum_get_number (work->offset, at * work->positions + position);
      rest_position /= (gsize) window->out[i];
      rest_tap /= (gsize) window->kernel[i];
    }

  value = interpolate (work, (sample * channels + channel) * work->in_positions, place);
  if (work->mask != NULL)
    value *= assay_datum_get_number (
        work->mask,
        ((sample * work->offset_groups + group) * work->taps + tap) * work->positions + position);

  return value;
}

static void
run_tiles (gpointer data, gsize begin, gsize end)
{
  const Work *work = data;
  const AssayConv *conv = work->conv;
  gsize size = assay_storage_size (conv->storage), k = conv->in_channels * work->taps;
  g_autoptr (AssayDatum)
      gathered = assay_kernel_scratch (work->kernel, conv->storage, k * TILE, NULL);
  double row[TILE];

  if (gathered == NULL)
    return;

  for (gsize item = begin; item < end; item++)
    {
      gsize first = item % work->n_tiles * TILE;
      gsize n = MIN (TILE, work->positions - first);
      gsize image = item / work->n_tiles; /* of one sample and group */
      gsize group = image % conv->groups;
      AssayGemm gemm = {
        .storage = conv->storage,
        .m = conv->out_channels,
        .n = n,
        .k = k,
        .lda = k,
        .ldb = n,
        .ldc = work->positions,
        .alpha = 1.0,
      };

      for (gsize i = 0; i < k; i++)
        {
          for (gsize j = 0; j < n; j++)
            row[j] = gather_one (work, image / conv->groups,
                                 group * conv->in_channels + i / work->taps, i % work->taps,
                                 first + j);
          assay_elements_write (gathered, i * n, 1, n, row);
        }
      assay_gemm_run (&gemm, (const char *) conv->w + group * conv->out_channels * k * size,
                      gathered->data,
                      work->y + (image * conv->out_channels * work->positions + first) * size);
    }
}

static gboolean
check_shapes (AssayKernel *self, const Work *work, AssayDatum *bias, const gint64 *dims,
              GError **error)
{
  const AssayNodeWindow *window = &work->conv->window;
  gsize channels = work->conv->groups * work->conv->in_channels;
  gsize n = (gsize) dims[0] * work->offset_groups * work->taps * work->positions;

  if (window->n > MAX_AXES)
    return assay_kernel_fail (self, error, "%u spatial axes, at most %u are possible", window->n,
                              MAX_AXES);
  if (work->offset_groups == 0 || channels % work->offset_groups != 0)
    return assay_kernel_fail (self, error,
                              "attribute offset_group: %" G_GSIZE_FORMAT " for %" G_GSIZE_FORMAT
                              " channel%s",
                              work->offset_groups, channels, assay_plural (channels));
  if (work->offset->n != n * window->n)
    return assay_kernel_fail (self, error,
                              "%" G_GSIZE_FORMAT " offset%s, expected %" G_GSIZE_FORMAT,
                              work->offset->n, assay_plural (work->offset->n), n * window->n);
  if (work->mask != NULL && work->mask->n != n)
    return assay_kernel_fail (self, error,
                              "a mask of %" G_GSIZE_FORMAT " element%s, expected %" G_GSIZE_FORMAT,
                              work->mask->n, assay_plural (work->mask->n), n);
  if (bias != NULL && (gint64) bias->n != dims[1])
    return assay_kernel_fail (
        self, error, "the bias has %" G_GSIZE_FORMAT " element%s, expected %" G_GINT64_FORMAT,
        bias->n, assay_plural (bias->n), dims[1]);

  return TRUE;
}

gboolean
assay_kernel_op_deform_conv (AssayKernel *self, GError **error)
{
  AssayDatum *x = self->inputs[0], *w = self->inputs[1], *bias = assay_kernel_input (self, 3), *y;
  AssayConv conv = { .storage = x->storage, .w = w->data };
  Work work = {
    .kernel = self,
    .conv = &conv,
    .x = x,
    .offset = self->inputs[2],
    .mask = assay_kernel_input (self, 4),
    .offset_groups = (gsize) CLAMP (assay_node_get_int (self->node, "offset_group"), 0, G_MAXINT32),
  };
  gint64 dims[ASSAY_MAX_RANK];

  if (!assay_kernel_expect (self, 0, ASSAY_DTYPE_UNDEFINED, 3, -1, error) ||
      !assay_kernel_expect_same (self, error) ||
      !assay_conv_shapes (self, x, w, &conv, dims, error))
    return FALSE;

  work.taps = assay_kernel_window_size (&conv.window, conv.window.kernel);
  work.positions = assay_kernel_window_size (&conv.window, conv.window.out);
  work.in_positions = assay_kernel_window_size (&conv.window, conv.window.in);
  work.n_tiles = (work.positions + TILE - 1) / TILE;
  if (!check_shapes (self, &work, bias, dims, error))
    return FALSE;

  y = assay_kernel_output (self, 0, x->dtype, x->rank, dims, error);
  if (y == NULL)
    return FALSE;

  work.y = y->data;
  assay_kernel_parallel (self, conv.batch * conv.groups * work.n_tiles, 1, run_tiles, &work);
  for (gsize i = 0; bias != NULL && i < y->n; i++)
    assay_datum_set_number (
        y, i,
        assay_datum_get_number (y, i) +
            assay_datum_get_number (bias, i / work.positions % (gsize) dims[1]));

  return TRUE;
}
