/* assay-kernel-sample.c
 * SPDX-License-Identifier: Apache-2.0
 */
#include "evaluate/kernels/assay-kernel-copy.h"

#include <math.h>
#include <string.h>

#include "base/assay-sentence.h"

/* Operators that read images between their elements. */

#define MAX_SPATIAL 8

typedef enum
{
  PADDING_ZEROS,
  PADDING_BORDER,
  PADDING_REFLECTION,
} Padding;

typedef enum
{
  MODE_NEAREST,
  MODE_LINEAR,
  MODE_CUBIC,
} Mode;

typedef struct
{
  const AssayDatum *x;
  const AssayDatum *grid;
  AssayDatum *y;
  gboolean wide;
  gboolean align_corners;
  Mode mode;
  Padding padding;
  guint n_spatial;
  gsize n_points; /* of the grid, per sample */
  gsize n_pixels; /* per channel */
  gsize n_channels;
} GridSample;

/* Between the borders, thrown back at each as often as needed. */
static double
reflect (double x, double low, double high)
{
  double range = high - low;
  double rest;

  if (range <= 0)
    return low;

  rest = fmod (fabs (x - low), 2 * range);

  return rest <= range ? low + rest : high - (rest - range);
}

/* Which element stands at an index, -1 for a zero outside. */
static gssize
pixel_place (const GridSample *self, gint64 i, gint64 n)
{
  if (i >= 0 && i < n)
    return (gssize) i;
  if (self->padding == PADDING_ZEROS)
    return -1;
  if (self->padding == PADDING_BORDER)
    return (gssize) CLAMP (i, 0, n - 1);

  return (gssize) CLAMP (reflect ((double) i, self->align_corners ? 0 : -0.5,
                                  (double) n - (self->align_corners ? 1 : 0.5)),
                         0, (double) (n - 1));
}

/* From -1 to 1 to the indices of an axis, in the precision of the grid. */
static double
denormalize (const GridSample *self, double value, gint64 n)
{
  if (self->wide)
    return self->align_corners ? (value + 1) / 2 * (double) (n - 1)
                               : ((value + 1) * (double) n - 1) / 2;

  return self->align_corners ? ((float) value + 1) / 2 * (float) (n - 1)
                             : (((float) value + 1) * (float) n - 1) / 2;
}

/* The weights of cubic convolution (Keys, 1981) with the factor of the specification; those of the
 * linear mode stand in the middle. */
static void
get_weights (Mode mode, double t, double *weights)
{
  const double a = -0.75;

  if (mode == MODE_LINEAR)
    {
      weights[0] = 1 - t;
      weights[1] = t;
      return;
    }

  weights[0] = ((a * (t + 1) - 5 * a) * (t + 1) + 8 * a) * (t + 1) - 4 * a;
  weights[1] = ((a + 2) * t - (a + 3)) * t * t + 1;
  weights[2] = ((a + 2) * (1 - t) - (a + 3)) * (1 - t) * (1 - t) + 1;
  weights[3] = ((a * (2 - t) - 5 * a) * (2 - t) + 8 * a) * (2 - t) - 4 * a;
}

/* For one point: along each axis the places of the neighbours and their weights. */
typedef struct
{
  guint n;
  gssize places[MAX_SPATIAL][4];
  double weights[MAX_SPATIAL][4];
} Neighbours;

static void
find_neighbours (const GridSample *self, gsize point, Neighbours *neighbours)
{
  neighbours->n = self->mode == MODE_NEAREST ? 1 : self->mode == MODE_LINEAR ? 2 : 4;
  for (guint axis = 0; axis < self->n_spatial; axis++)
    {
      gint64 n = self->x->dims[2 + axis];
      double low = self->align_corners ? 0 : -0.5;
      double high = (double) n - (self->align_corners ? 1 : 0.5);
      /* The coordinates of a point begin with the last axis. */
      double at = denormalize (
          self,
          assay_datum_get_number (self->grid, point * self->n_spatial + self->n_spatial - 1 - axis),
          n);
      gint64 first;

      /* What lies infinitely far is thrown back to nowhere. */
      at = isnan (at) ? -1 : CLAMP (at, -0x1p100, 0x1p100);
      if (self->mode == MODE_NEAREST)
        at = rint (at);
      if (at < low || at > high)
        {
          if (self->padding == PADDING_BORDER)
            at = CLAMP (at, 0, (double) (n - 1));
          else if (self->padding == PADDING_REFLECTION)
            at = reflect (at, low, high);
        }
      at = CLAMP (at, -0x1p40, 0x1p40);

      first = (gint64) floor (at);
      if (self->mode == MODE_NEAREST)
        neighbours->weights[axis][0] = 1;
      else
        get_weights (self->mode, at - (double) first, neighbours->weights[axis]);
      if (self->mode == MODE_NEAREST && self->padding == PADDING_REFLECTION)
        first = (gint64) at;
      first -= self->mode == MODE_CUBIC ? 1 : 0;
      for (guint i = 0; i < neighbours->n; i++)
        neighbours->places[axis][i] = pixel_place (self, first + i, n);
    }
}

static double
blend (const GridSample *self, const Neighbours *neighbours, guint axis, gsize base)
{
  double sum = 0;

  for (guint i = 0; i < neighbours->n; i++)
    {
      gssize place = neighbours->places[axis][i];
      gsize at = base * (gsize) self->x->dims[2 + axis] + (gsize) place;

      if (place >= 0)
        sum += neighbours->weights[axis][i] * (axis + 1 == self->n_spatial
                                                   ? assay_datum_get_number (self->x, at)
                                                   : blend (self, neighbours, axis + 1, at));
    }

  return sum;
}

/* Items are the points of the grids of all samples. */
static void
sample_points (gpointer data, gsize begin, gsize end)
{
  const GridSample *self = data;

  for (gsize point = begin; point < end; point++)
    {
      gsize sample = point / self->n_points;
      Neighbours neighbours;

      find_neighbours (self, point, &neighbours);
      for (gsize channel = 0; channel < self->n_channels; channel++)
        {
          gsize image = sample * self->n_channels + channel;

          assay_datum_set_number (self->y, image * self->n_points + point % self->n_points,
                                  blend (self, &neighbours, 0, image));
        }
    }
}

/* The place of a name in a list, or a failure. */
static gboolean
parse_name (AssayKernel *self, const char *attr, const char *const *names, guint n, guint *place,
            GError **error)
{
  const char *name = assay_node_get_string (self->node, attr);

  for (*place = 0; *place < n; (*place)++)
    if (g_str_equal (name, names[*place]))
      return TRUE;

  return assay_kernel_fail (self, error, "%s is “%s”, which is none of its values", attr, name);
}

gboolean
assay_kernel_op_grid_sample (AssayKernel *self, GError **error)
{
  static const char *const modes[] = { "nearest", "linear", "cubic" };
  static const char *const paddings[] = { "zeros", "border", "reflection" };
  const AssayDatum *x = assay_kernel_input (self, 0);
  const AssayDatum *grid = assay_kernel_input (self, 1);
  GridSample sample = { .x = x,
                        .grid = grid,
                        .wide = self->wide,
                        .align_corners = assay_node_get_int (self->node, "align_corners") != 0 };
  gint64 dims[ASSAY_MAX_RANK];
  guint mode, padding;

  if (!assay_kernel_expect_rank (self, 0, 3, 2 + MAX_SPATIAL, error) ||
      !assay_kernel_expect (self, 1, ASSAY_DTYPE_UNDEFINED, (int) x->rank, (int) x->rank, error) ||
      !parse_name (self, "mode", modes, G_N_ELEMENTS (modes), &mode, error) ||
      !parse_name (self, "padding_mode", paddings, G_N_ELEMENTS (paddings), &padding, error))
    return FALSE;
  if (x->dtype == ASSAY_DTYPE_STRING || assay_dtype_kind (x->dtype) == 'C')
    return assay_kernel_fail_type (self, 0, error);
  if (grid->dims[0] != x->dims[0] || grid->dims[x->rank - 1] != x->rank - 2)
    return assay_kernel_fail (self, error,
                              "%" G_GINT64_FORMAT " grid%s of %" G_GINT64_FORMAT
                              " coordinate%s for %" G_GINT64_FORMAT " image%s of rank %u",
                              grid->dims[0], assay_plural (grid->dims[0]), grid->dims[x->rank - 1],
                              assay_plural (grid->dims[x->rank - 1]), x->dims[0],
                              assay_plural (x->dims[0]), x->rank);

  sample.mode = (Mode) mode;
  sample.padding = (Padding) padding;
  sample.n_spatial = x->rank - 2;
  sample.n_channels = (gsize) x->dims[1];
  sample.n_points = 1;
  dims[0] = x->dims[0];
  dims[1] = x->dims[1];
  for (guint i = 2; i < x->rank; i++)
    {
      dims[i] = grid->dims[i - 1];
      sample.n_points *= (gsize) dims[i];
      if (x->dims[i] == 0)
        return assay_kernel_fail (self, error, "axis %u of the images has no elements", i);
    }

  sample.y = assay_kernel_output (self, 0, x->dtype, x->rank, dims, error);
  if (sample.y == NULL)
    return FALSE;

  assay_kernel_parallel (self, (gsize) dims[0] * sample.n_points,
                         1024 / (sample.n_channels + 1) + 1, sample_points, &sample);

  return TRUE;
}

gboolean
assay_kernel_op_affine_grid (AssayKernel *self, GError **error)
{
  const AssayDatum *theta = assay_kernel_input (self, 0);
  gboolean align_corners = assay_node_get_int (self->node, "align_corners") != 0;
  gint64 dims[ASSAY_MAX_RANK];
  const gint64 *size;
  gsize n_points = 1;
  guint n_spatial;
  guint rank;
  AssayDatum *y;

  size = assay_kernel_ints (self, 1, &rank, error);
  if (size == NULL || !assay_kernel_expect (self, 0, ASSAY_DTYPE_UNDEFINED, 3, 3, error))
    return FALSE;
  if (rank < 4 || rank > 5)
    return assay_kernel_fail (self, error, "%u extent%s, 4 or 5 were expected", rank,
                              assay_plural (rank));
  n_spatial = rank - 2;
  if (theta->dims[0] != size[0] || theta->dims[1] != n_spatial || theta->dims[2] != n_spatial + 1)
    return assay_kernel_fail (
        self, error,
        "matrices of shape [%" G_GINT64_FORMAT ", %" G_GINT64_FORMAT ", %" G_GINT64_FORMAT
        "], [%" G_GINT64_FORMAT ", %u, %u] was expected",
        theta->dims[0], theta->dims[1], theta->dims[2], size[0], n_spatial, n_spatial + 1);

  dims[0] = size[0];
  memcpy (dims + 1, size + 2, n_spatial * sizeof *dims);
  dims[1 + n_spatial] = n_spatial;
  y = assay_kernel_output (self, 0, theta->dtype, rank, dims, error);
  if (y == NULL)
    return FALSE;

  for (guint i = 0; i < n_spatial; i++)
    n_points *= (gsize) dims[1 + i];
  for (gsize point = 0; point < (gsize) size[0] * n_points; point++)
    {
      double place[4] = { 1, 1, 1, 1 };
      gsize rest = point;

      /* The coordinates begin with the last axis; a one stands behind them. */
      for (guint i = 0; i < n_spatial; i++)
        {
          gsize n = (gsize) dims[n_spatial - i];
          double at = (double) (rest % n);

          place[i] = align_corners ? (n > 1 ? 2 * at / (double) (n - 1) - 1 : -1)
                                   : (2 * at + 1) / (double) n - 1;
          rest /= n;
        }
      for (guint i = 0; i < n_spatial; i++)
        {
          double sum = 0;

          for (guint j = 0; j <= n_spatial; j++)
            sum += assay_datum_get_number (theta, (rest * n_spatial + i) * (n_spatial + 1) + j) *
                   place[j];
          assay_datum_set_number (y, point * n_spatial + i, sum);
        }
    }

  return TRUE;
}

typedef struct
{
  const AssayDatum *x;
  const AssayDatum *rois;
  const gint64 *batches;
  AssayDatum *y;
  double scale;
  double offset;
  gint64 ratio;
  gboolean largest;
} RoiAlign;

/* The four neighbours of a point and their weights, none far outside. */
static gboolean
bilinear (double y, double x, gint64 height, gint64 width, gsize *places, double *weights)
{
  gint64 low_y, low_x, high_y, high_x;

  if (!(y >= -1 && y <= (double) height && x >= -1 && x <= (double) width))
    return FALSE;

  y = CLAMP (y, 0, (double) (height - 1));
  x = CLAMP (x, 0, (double) (width - 1));
  low_y = (gint64) y;
  low_x = (gint64) x;
  high_y = MIN (low_y + 1, height - 1);
  high_x = MIN (low_x + 1, width - 1);
  y -= (double) low_y;
  x -= (double) low_x;

  places[0] = (gsize) (low_y * width + low_x);
  places[1] = (gsize) (low_y * width + high_x);
  places[2] = (gsize) (high_y * width + low_x);
  places[3] = (gsize) (high_y * width + high_x);
  weights[0] = (1 - y) * (1 - x);
  weights[1] = (1 - y) * x;
  weights[2] = y * (1 - x);
  weights[3] = y * x;

  return TRUE;
}

/* Items are pairs of a region and a channel. */
static void
align_regions (gpointer data, gsize begin, gsize end)
{
  const RoiAlign *self = data;
  const gint64 *dims = self->y->dims;
  gint64 height = self->x->dims[2];
  gint64 width = self->x->dims[3];

  for (gsize item = begin; item < end; item++)
    {
      gsize region = item / (gsize) dims[1];
      gsize image = (gsize) self->batches[region] * (gsize) dims[1] + item % (gsize) dims[1];
      double corners[4];
      double roi_height, roi_width, bin_height, bin_width;
      gint64 n_rows, n_columns;

      for (guint i = 0; i < 4; i++)
        corners[i] = assay_datum_get_number (self->rois, region * 4 + i) * self->scale -
                     self->offset;
      roi_width = corners[2] - corners[0];
      roi_height = corners[3] - corners[1];
      if (self->offset == 0)
        {
          roi_width = MAX (roi_width, 1);
          roi_height = MAX (roi_height, 1);
        }
      bin_height = roi_height / (double) dims[2];
      bin_width = roi_width / (double) dims[3];
      n_rows = self->ratio > 0 ? self->ratio : assay_kernel_whole (ceil (bin_height), 0, 4096);
      n_columns = self->ratio > 0 ? self->ratio : assay_kernel_whole (ceil (bin_width), 0, 4096);

      for (gint64 bin = 0; bin < dims[2] * dims[3]; bin++)
        {
          double result = 0;
          gboolean any = FALSE;

          for (gint64 i = 0; i < n_rows * n_columns; i++)
            {
              double y = corners[1] + (double) (bin / dims[3]) * bin_height +
                         ((double) (i / n_columns) + 0.5) * bin_height / (double) n_rows;
              double x = corners[0] + (double) (bin % dims[3]) * bin_width +
                         ((double) (i % n_columns) + 0.5) * bin_width / (double) n_columns;
              double weights[4] = { 0 };
              gsize places[4] = { 0 };
              double sum = 0;
              double top = -INFINITY;

              bilinear (y, x, height, width, places, weights);
              for (guint j = 0; j < 4; j++)
                {
                  double part = weights[j] *
                                assay_datum_get_number (self->x, image * (gsize) (height * width) +
                                                                     places[j]);

                  sum += part;
                  top = MAX (top, part);
                }
              /* The maximum is one of the weighted neighbours, not of their sums, as in the
               * reference of ONNX. */
              result = !self->largest ? result + sum : any ? MAX (result, top) : top;
              any = TRUE;
            }
          if (!self->largest)
            result /= (double) MAX (n_rows * n_columns, 1);
          assay_datum_set_number (self->y, item * (gsize) (dims[2] * dims[3]) + (gsize) bin,
                                  result);
        }
    }
}

gboolean
assay_kernel_op_roi_align (AssayKernel *self, GError **error)
{
  const AssayDatum *x = assay_kernel_input (self, 0);
  const AssayDatum *rois = assay_kernel_input (self, 1);
  const char *coordinates = assay_node_get_string (self->node, "coordinate_transformation_mode");
  RoiAlign align = {
    .x = x,
    .rois = rois,
    .scale = assay_node_get_float (self->node, "spatial_scale"),
    .offset = strcmp (coordinates, "half_pixel") == 0 ? 0.5 : 0,
    .ratio = assay_node_get_int (self->node, "sampling_ratio"),
    .largest = strcmp (assay_node_get_string (self->node, "mode"), "max") == 0,
  };
  gint64 dims[4];
  guint n;

  if (!assay_kernel_expect (self, 0, ASSAY_DTYPE_UNDEFINED, 4, 4, error) ||
      !assay_kernel_expect (self, 1, ASSAY_DTYPE_UNDEFINED, 2, 2, error))
    return FALSE;
  align.batches = assay_kernel_ints (self, 2, &n, error);
  if (align.batches == NULL)
    return FALSE;
  if (n != (guint64) rois->dims[0] || rois->dims[1] != 4 || align.ratio > 4096)
    return assay_kernel_fail (self, error,
                              "%" G_GINT64_FORMAT " region%s of %" G_GINT64_FORMAT
                              " corner%s, %u batch indices, "
                              "sampling_ratio %" G_GINT64_FORMAT,
                              rois->dims[0], assay_plural (rois->dims[0]), rois->dims[1],
                              assay_plural (rois->dims[1]), n, align.ratio);
  for (guint i = 0; i < n; i++)
    if (align.batches[i] < 0 || align.batches[i] >= x->dims[0] || x->dims[2] == 0 ||
        x->dims[3] == 0)
      return assay_kernel_fail (
          self, error, "region %u is of batch %" G_GINT64_FORMAT ", there are %" G_GINT64_FORMAT, i,
          align.batches[i], x->dims[0]);

  dims[0] = rois->dims[0];
  dims[1] = x->dims[1];
  dims[2] = assay_node_get_int (self->node, "output_height");
  dims[3] = assay_node_get_int (self->node, "output_width");
  align.y = assay_kernel_output (self, 0, x->dtype, 4, dims, error);
  if (align.y == NULL)
    return FALSE;

  assay_kernel_parallel (self, (gsize) (dims[0] * dims[1]), 4, align_regions, &align);

  return TRUE;
}
