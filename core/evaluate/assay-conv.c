/* assay-conv.c
 * SPDX-License-Identifier: Apache-2.0
 */
#include "evaluate/assay-conv.h"

#include <string.h>

#include "base/assay-sentence.h"
#include "evaluate/assay-gemm.h"
#include "evaluate/assay-planes.h"
#include "nnir/assay-dims.h"

/* Bytes of gathered input that one product reads: they stay in the second-level cache. */
#define TILE_BYTES (256 * 1024)

/* Positions of the output in a tile are a multiple of this, and at least one of it. */
#define TILE_POSITIONS 64

/* Channels of the output for each one of the input up to which sums over the window are faster than
 * a product. */
#define MAX_MULTIPLIER 8

/**
 * assay_conv_shapes:
 * @kernel: a convolution
 * @x: input
 * @w: weights
 * @self: (out): gets all but the data
 * @dims: (out): gets the shape of the output
 * @error: return location for a #GError
 *
 * Reads attributes and shapes of a convolution, and checks that they agree.
 *
 * Returns: whether they do
 */
gboolean
assay_conv_shapes (AssayKernel *kernel, const AssayDatum *x, const AssayDatum *w, AssayConv *self,
                   gint64 *dims, GError **error)
{
  gint64 groups = assay_node_get_int (kernel->node, "group");

  if (x->rank < 2 || w->rank != x->rank)
    return assay_kernel_fail (kernel, error, "the input has rank %u and the weights %u", x->rank,
                              w->rank);
  if (groups < 1 || w->dims[0] % groups != 0 || x->dims[1] % groups != 0 ||
      x->dims[1] / groups != w->dims[1])
    return assay_kernel_fail (kernel, error,
                              "%" G_GINT64_FORMAT " channel%s and weights of %" G_GINT64_FORMAT
                              " by %" G_GINT64_FORMAT " do not make %" G_GINT64_FORMAT " group%s",
                              x->dims[1], assay_plural (x->dims[1]), w->dims[0], w->dims[1], groups,
                              assay_plural (groups));
  if (!assay_kernel_window_attributes (kernel, x->rank - 2, w->dims + 2, &self->window, error) ||
      !assay_kernel_window_slide (kernel, x->dims + 2, &self->window, error))
    return FALSE;

  self->batch = (gsize) x->dims[0];
  self->groups = (gsize) groups;
  self->in_channels = (gsize) w->dims[1];
  self->out_channels = (gsize) (w->dims[0] / groups);

  dims[0] = x->dims[0];
  dims[1] = w->dims[0];
  memcpy (dims + 2, self->window.out, self->window.n * sizeof *dims);

  return TRUE;
}

typedef struct
{
  AssayKernel *kernel;
  const AssayConv *conv;
  gsize k;            /* rows of the gathered input: channels by window */
  gsize positions;    /* of the output */
  gsize in_positions; /* of the input */
  gsize tile;         /* positions of the output in a tile */
  gsize n_tiles;      /* of one sample and group */
  gboolean direct;    /* the input is the gathered input */
} Work;

static void
gather_row_f64 (const double *from, gint64 n_from, gint64 start, gint64 stride, gint64 n,
                double *to)
{
  for (gint64 i = 0; i < n; i++)
    {
      gint64 at = start + i * stride;

      to[i] = at >= 0 && at < n_from ? from[at] : 0.0;
    }
}

/* The row of the input that a row of the output reads at one place in the window, or NULL in the
 * padding. */
static gboolean
find_row (const AssayNodeWindow *window, gsize row, const gint64 *place, gsize *offset)
{
  gsize at = 0, stride = 1;

  for (guint axis = window->n - 1; axis > 0; axis--)
    {
      guint i = axis - 1;
      gint64 position = (gint64) (row % (gsize) window->out[i]) * window->stride[i] +
                        place[i] * window->dilation[i] - window->before[i];

      row /= (gsize) window->out[i];
      if (position < 0 || position >= window->in[i])
        return FALSE;
      at += (gsize) position * stride;
      stride *= (gsize) window->in[i];
    }
  *offset = at * (gsize) window->in[window->n - 1];

  return TRUE;
}

/* Positions `begin` to `end` of the output, for one channel and one place in the window. */
static void
gather_positions (const AssayConv *conv, gconstpointer from, const gint64 *place, gsize begin,
                  gsize end, gpointer to)
{
  const AssayNodeWindow *window = &conv->window;
  guint last = window->n - 1;
  gsize width = (gsize) window->out[last];
  gsize size = assay_storage_size (conv->storage);

  while (begin < end)
    {
      gsize x = begin % width;
      gsize n = MIN (width - x, end - begin);
      gint64 start = (gint64) x * window->stride[last] + place[last] * window->dilation[last] -
                     window->before[last];
      gsize offset;

      if (!find_row (window, begin / width, place, &offset))
        memset (to, 0, n * size);
      else if (conv->storage == ASSAY_DTYPE_F32)
        assay_gather_row_f32 ((const float *) from + offset, window->in[last], start,
                              window->stride[last], (gint64) n, 0.0f, to);
      else
        gather_row_f64 ((const double *) from + offset, window->in[last], start,
                        window->stride[last], (gint64) n, to);

      to = (char *) to + n * size;
      begin += n;
    }
}

static void
gather (const Work *work, gconstpointer from, gsize begin, gsize end, gpointer to)
{
  const AssayNodeWindow *window = &work->conv->window;
  gsize size = assay_storage_size (work->conv->storage);
  gint64 place[ASSAY_MAX_RANK] = { 0 };

  for (gsize row = 0; row < work->k; row++)
    {
      gather_positions (work->conv, from, place, begin, end, to);
      to = (char *) to + (end - begin) * size;

      if (!assay_dims_next (window->n, window->kernel, place))
        from = (const char *) from + work->in_positions * size;
    }
}

/* What the products are added to. */
static void
set_bias (const AssayConv *conv, gsize channel, gsize stride, gsize n, gpointer y)
{
  for (gsize i = 0; i < conv->out_channels; i++)
    {
      if (conv->storage == ASSAY_DTYPE_F32)
        {
          float bias = ((const float *) conv->bias)[channel + i];
          float *row = (float *) y + i * stride;

          for (gsize j = 0; j < n; j++)
            row[j] = bias;
        }
      else
        {
          double bias = ((const double *) conv->bias)[channel + i];
          double *row = (double *) y + i * stride;

          for (gsize j = 0; j < n; j++)
            row[j] = bias;
        }
    }
}

static void
run_tiles (gpointer data, gsize begin, gsize end)
{
  const Work *work = data;
  const AssayConv *conv = work->conv;
  gsize size = assay_storage_size (conv->storage);
  g_autofree char *gathered = work->direct
                                  ? NULL
                                  : assay_kernel_allocate (work->kernel, work->k * work->tile, size,
                                                           FALSE, NULL);

  if (gathered == NULL && !work->direct)
    return;

  for (gsize item = begin; item < end; item++)
    {
      gsize first = item % work->n_tiles * work->tile;
      gsize n = MIN (work->tile, work->positions - first);
      gsize group = item / work->n_tiles % conv->groups;
      gsize image = item / work->n_tiles; /* of one sample and group */
      const char *x = (const char *) conv->x +
                      image * conv->in_channels * work->in_positions * size;
      char *y = (char *) conv->y + (image * conv->out_channels * work->positions + first) * size;
      AssayGemm gemm = {
        conv->storage,
        conv->out_channels,
        n,
        work->k,
        FALSE,
        FALSE,
        work->k,
        work->direct ? work->positions : n,
        work->positions,
        1.0,
        conv->bias != NULL ? 1.0 : 0.0,
      };

      if (work->direct)
        x += first * size;
      else
        gather (work, x, first, first + n, gathered);
      if (conv->bias != NULL)
        set_bias (conv, group * conv->out_channels, work->positions, n, y);
      assay_gemm_run (&gemm, (const char *) conv->w + group * conv->out_channels * work->k * size,
                      work->direct ? x : gathered, y);
    }
}

typedef struct
{
  AssayKernel *kernel;
  const AssayConv *conv;
  const AssayVectors *vectors;
  AssayPlanes planes;
  gsize positions;
  gsize in_positions;
} Depthwise;

static void
run_channels (gpointer data, gsize begin, gsize end)
{
  const Depthwise *work = data;
  const AssayConv *conv = work->conv;
  const AssayPlanes *planes = &work->planes;
  g_auto (AssayPlanesRoom) room = { NULL };

  if (!assay_planes_room_init (&room, planes, work->kernel))
    return;

  for (gsize image = begin; image < end; image++)
    {
      gsize group = image % conv->groups;

      assay_planes_fill (planes, (const float *) conv->x + image * work->in_positions, 0.0f,
                         room.padded);
      for (gsize i = 0; i < conv->out_channels; i++)
        {
          gsize channel = group * conv->out_channels + i;
          float bias = conv->bias != NULL ? ((const float *) conv->bias)[channel] : 0.0f;

          work->vectors->sum_taps (room.result, planes->n, planes->n_taps, room.taps,
                                   (const float *) conv->w + channel * planes->n_taps, bias);
          assay_planes_unpack (planes, room.result,
                               (float *) conv->y +
                                   (image * conv->out_channels + i) * work->positions);
        }
    }
}

/* A group of one channel has no sum over channels: what is left are sums over the window. */
static gboolean
run_depthwise (const AssayConv *conv, AssayKernel *kernel, gsize positions, gsize in_positions)
{
  Depthwise work = {
    kernel, conv, assay_vectors_get_default (), { NULL }, positions, in_positions
  };

  /* Many results of one input are a matrix product worth its name. */
  if (conv->in_channels != 1 || conv->out_channels > MAX_MULTIPLIER ||
      conv->storage != ASSAY_DTYPE_F32 || !assay_planes_init (&work.planes, &conv->window))
    return FALSE;

  assay_kernel_parallel (kernel, conv->batch * conv->groups,
                         MAX (16384 / (positions * conv->out_channels), 1), run_channels, &work);

  return TRUE;
}

static gboolean
is_pointwise (const AssayNodeWindow *window)
{
  for (guint i = 0; i < window->n; i++)
    {
      if (window->kernel[i] != 1 || window->stride[i] != 1 || window->before[i] != 0 ||
          window->after[i] != 0)
        return FALSE;
    }

  return TRUE;
}

/**
 * assay_conv_run:
 * @self: a convolution
 * @kernel: the node it is for
 *
 * Computes a convolution in all threads: the input is gathered in tiles, each of which a matrix
 * product turns into all channels of some positions. Groups of one channel are summed up over
 * padded planes instead.
 */
void
assay_conv_run (const AssayConv *self, AssayKernel *kernel)
{
  Work work = {
    .kernel = kernel,
    .conv = self,
    .k = self->in_channels * assay_kernel_window_size (&self->window, self->window.kernel),
    .positions = assay_kernel_window_size (&self->window, self->window.out),
    .in_positions = assay_kernel_window_size (&self->window, self->window.in),
    .direct = is_pointwise (&self->window),
  };
  gsize size = assay_storage_size (self->storage);

  if (self->batch * self->groups * self->out_channels * work.positions == 0 ||
      (!work.direct && run_depthwise (self, kernel, work.positions, work.in_positions)))
    return;

  work.tile = MAX (TILE_BYTES / (MAX (work.k, 1) * size) / TILE_POSITIONS, 1) * TILE_POSITIONS;
  work.tile = MIN (work.tile, work.positions);
  work.n_tiles = (work.positions + work.tile - 1) / work.tile;
  assay_kernel_parallel (kernel, self->batch * self->groups * work.n_tiles, 1, run_tiles, &work);
}
