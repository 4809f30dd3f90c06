/* assay-kernel-resize.c
 * SPDX-License-Identifier: Apache-2.0
 */
#include "evaluate/assay-elements.h"
#include "base/assay-sentence.h"
#include "evaluate/kernels/assay-kernel-copy.h"

#include <math.h>
#include <string.h>

/* Resize is separable: each axis is resized by itself. Names, formulas and their limits are those
 * of the ONNX specification of Resize 19. */

typedef enum
{
  MODE_NEAREST,
  MODE_LINEAR,
  MODE_CUBIC,
} Mode;

typedef struct
{
  Mode mode;
  const char *coordinates;
  const char *nearest;
  gboolean antialias;
  gboolean exclude_outside;
  double cubic;
  double extrapolation;
} Settings;

/* One axis: its two extents, the real one before it was rounded, the scale, and the region of
 * interest. */
typedef struct
{
  gint64 from;
  gint64 to;
  double width;
  double scale;
  double begin;
  double end;
} Axis;

/* Where an element of the result lies in the input. */
static double
original_place (const Settings *settings, const Axis *axis, double x)
{
  const char *name = settings->coordinates;
  double last = (double) axis->from - 1;

  if (strcmp (name, "align_corners") == 0)
    return axis->width == 1 ? 0 : x * last / (axis->width - 1);
  if (strcmp (name, "asymmetric") == 0)
    return x / axis->scale;
  if (strcmp (name, "pytorch_half_pixel") == 0 && axis->to == 1)
    return -0.5;
  if (strcmp (name, "tf_crop_and_resize") == 0)
    return axis->begin * last + (axis->width == 1
                                     ? (axis->end - axis->begin) * last / 2
                                     : x * (axis->end - axis->begin) * last / (axis->width - 1));

  x = (x + 0.5) / axis->scale;
  if (strcmp (name, "tf_half_pixel_for_nn") == 0)
    return x;

  x -= 0.5;
  if (strcmp (name, "half_pixel_symmetric") == 0)
    x += (double) axis->from / 2 * (1 - (double) axis->to / axis->width);

  return x;
}

static gboolean
is_extrapolated (const Settings *settings, const Axis *axis, double place)
{
  return strcmp (settings->coordinates, "tf_crop_and_resize") == 0 &&
         (place < 0 || place > (double) axis->from - 1);
}

static gint64
nearest_place (const char *mode, double place)
{
  if (strcmp (mode, "floor") == 0)
    place = floor (place);
  else if (strcmp (mode, "ceil") == 0)
    place = ceil (place);
  else if (strcmp (mode, "round_prefer_ceil") == 0)
    place = floor (place + 0.5);
  else
    place = ceil (place - 0.5);

  return assay_kernel_whole (place, -0x1p52, 0x1p52);
}

/* The weight of a neighbour at a distance, in units of the result where that is coarser. */
static double
weight_at (const Settings *settings, double distance)
{
  double a = settings->cubic;
  double x = fabs (distance);

  if (settings->mode == MODE_LINEAR)
    return MAX (1 - x, 0);
  if (x <= 1)
    return ((a + 2) * x - (a + 3)) * x * x + 1;

  return x < 2 ? ((a * x - 5 * a) * x + 8 * a) * x - 4 * a : 0;
}

/* For each place of the result, @n places of the axis and their weights. */
typedef struct
{
  gsize n;
  gint64 *places;
  double *weights;
  gboolean *extrapolated;
} Taps;

static void
taps_clear (Taps *self)
{
  g_free (self->places);
  g_free (self->weights);
  g_free (self->extrapolated);
}

G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (Taps, taps_clear)

static gboolean
make_taps (AssayKernel *self, const Settings *settings, const Axis *axis, Taps *taps,
           GError **error)
{
  double step = settings->antialias ? MIN (axis->scale, 1) : 1;
  double reach = floor ((settings->mode == MODE_LINEAR ? -1 : -2) / step) + 1;
  gsize n_weights;

  if (!(reach > -1e6))
    return assay_kernel_fail (self, error, "a scale of %g is too small", axis->scale);

  taps->n = (gsize) (2 - 2 * reach);
  if (!g_size_checked_mul (&n_weights, taps->n, (gsize) axis->to + 1) ||
      n_weights > G_MAXSSIZE / 16)
    return assay_kernel_fail (self, error, "an axis of %" G_GINT64_FORMAT " element%s is too long",
                              axis->to, assay_plural (axis->to));

  if (!(taps->places = assay_kernel_room (self, gint64, n_weights, error)) ||
      !(taps->extrapolated = assay_kernel_room (self, gboolean, (gsize) axis->to + 1, error)) ||
      !(taps->weights = assay_kernel_room (self, double, n_weights, error)))
    return FALSE;
  for (gint64 i = 0; i < axis->to; i++)
    {
      double place = original_place (settings, axis, (double) i);
      double left = ceil (place) - 1;
      double *weights = taps->weights + (gsize) i * taps->n;
      gint64 first = assay_kernel_whole (left + reach, -0x1p52, 0x1p52);
      double sum = 0;

      taps->extrapolated[i] = is_extrapolated (settings, axis, place);
      for (gsize j = 0; j < taps->n; j++)
        {
          gint64 at = first + (gint64) j;

          taps->places[(gsize) i * taps->n + j] = CLAMP (at, 0, axis->from - 1);
          weights[j] = weight_at (settings, (reach + (double) j - (place - left)) * step);
          if (settings->exclude_outside && (at < 0 || at >= axis->from))
            weights[j] = 0;
          sum += weights[j];
        }
      for (gsize j = 0;
           j < taps->n && (settings->exclude_outside || settings->antialias) && sum != 0; j++)
        weights[j] /= sum;
    }

  return TRUE;
}

/* One axis of a tensor whose extents before and behind it are @outer and @inner. */
typedef struct
{
  const Settings *settings;
  const Axis *axis;
  const Taps *taps;
  gconstpointer from;
  gpointer to;
  gsize inner;
} Pass;

/* Items are rows of the result along the axis. The last axis is a sum for each element, others are
 * sums of rows. */
#define RESIZE_ROWS(storage, type)                                                                 \
  static void resize_##storage (gpointer data, gsize begin, gsize end)                             \
  {                                                                                                \
    const Pass *pass = data;                                                                       \
    const Taps *taps = pass->taps;                                                                 \
    gsize n_to = (gsize) pass->axis->to;                                                           \
    gsize n_from = (gsize) pass->axis->from;                                                       \
    gsize inner = pass->inner;                                                                     \
    gsize i = begin % n_to;                                                                        \
    const type *from = (const type *) pass->from + begin / n_to * n_from * inner;                  \
    for (gsize row = begin; row < end; row++)                                                      \
      {                                                                                            \
        type *to = (type *) pass->to + row * inner;                                                \
        const gint64 *places = taps->places + i * taps->n;                                         \
        const double *weights = taps->weights + i * taps->n;                                       \
        if (taps->extrapolated[i])                                                                 \
          {                                                                                        \
            for (gsize k = 0; k < inner; k++)                                                      \
              to[k] = (type) pass->settings->extrapolation;                                        \
          }                                                                                        \
        else if (inner == 1)                                                                       \
          {                                                                                        \
            type sum = 0;                                                                          \
            for (gsize j = 0; j < taps->n; j++)                                                    \
              sum += (type) weights[j] * from[places[j]];                                          \
            *to = sum;                                                                             \
          }                                                                                        \
        else                                                                                       \
          {                                                                                        \
            for (gsize j = 0; j < taps->n; j++)                                                    \
              {                                                                                    \
                const type *source = from + (gsize) places[j] * inner;                             \
                type weight = (type) weights[j];                                                   \
                if (j == 0)                                                                        \
                  for (gsize k = 0; k < inner; k++)                                                \
                    to[k] = weight * source[k];                                                    \
                else                                                                               \
                  for (gsize k = 0; k < inner; k++)                                                \
                    to[k] += weight * source[k];                                                   \
              }                                                                                    \
          }                                                                                        \
        if (++i == n_to)                                                                           \
          {                                                                                        \
            i = 0;                                                                                 \
            from += n_from * inner;                                                                \
          }                                                                                        \
      }                                                                                            \
  }
ASSAY_KERNEL_FLOAT_TYPES (RESIZE_ROWS)

/* Integers are computed in double, rounded and kept in their range. */
static void
write_integers (AssayDatum *y, const double *values)
{
  gboolean has_sign = assay_dtype_kind (y->dtype) == 'I';
  double high = ldexp (1, (int) MIN (assay_dtype_bits (y->dtype), 53) - (has_sign ? 1 : 0)) - 1;
  double low = has_sign ? -high - 1 : 0;

  for (gsize i = 0; i < y->n; i++)
    assay_datum_set_number (y, i, CLAMP (rint (values[i]), low, high));
}

/* Resizes one axis after the other, the last of those that change into the result itself. */
static gboolean
interpolate (AssayKernel *self, const Settings *settings, AssayDatum *x, const Axis *axes,
             AssayDatum *y, GError **error)
{
  gboolean is_float = assay_dtype_is_float (x->dtype);
  AssayDType storage = is_float ? x->storage : ASSAY_DTYPE_F64;
  g_autoptr (AssayDatum) current = NULL;
  gint64 dims[ASSAY_MAX_RANK];
  guint last = x->rank;

  for (guint i = 0; i < x->rank; i++)
    if (axes[i].from != axes[i].to || axes[i].scale != 1 || axes[i].begin != 0 || axes[i].end != 1)
      last = i;

  if (is_float)
    {
      current = assay_datum_ref (x);
    }
  else
    {
      current = assay_kernel_scratch (self, storage, x->n, error);
      if (current == NULL)
        return FALSE;
      assay_elements_read (x, 0, 1, x->n, current->data);
    }

  memcpy (dims, x->dims, x->rank * sizeof *dims);
  for (guint i = 0; i <= last && last < x->rank; i++)
    {
      g_autoptr (AssayDatum) next = NULL;
      g_auto (Taps) taps = { 0 };
      Pass pass = { .settings = settings, .axis = &axes[i], .taps = &taps, .inner = 1 };
      gsize rows = 1;

      if (axes[i].from == axes[i].to && axes[i].scale == 1 && axes[i].begin == 0 &&
          axes[i].end == 1)
        continue;
      if (!make_taps (self, settings, &axes[i], &taps, error))
        return FALSE;

      dims[i] = axes[i].to;
      for (guint j = 0; j <= i; j++)
        rows *= (gsize) dims[j];
      for (guint j = i + 1; j < x->rank; j++)
        pass.inner *= (gsize) dims[j];
      next = is_float && i == last ? assay_datum_ref (y)
                                   : assay_kernel_scratch (self, storage, rows * pass.inner, error);
      if (next == NULL)
        return FALSE;

      pass.from = current->data;
      pass.to = next->data;
      if (rows > 0 && pass.inner > 0)
        assay_kernel_parallel (self, rows, 16384 / pass.inner + 1,
                               storage == ASSAY_DTYPE_F32 ? resize_F32 : resize_F64, &pass);
      assay_datum_unref (current);
      current = g_steal_pointer (&next);
    }

  if (!is_float)
    write_integers (y, current->data);
  else if (current != y)
    assay_element_copy (x, 0, y, 0, x->n);

  return TRUE;
}

/* By index, for elements of any type. */
static gboolean
pick_nearest (AssayKernel *self, const Settings *settings, const AssayDatum *x, const Axis *axes,
              AssayDatum *y, GError **error)
{
  g_autoptr (GPtrArray) places = g_ptr_array_new_with_free_func (g_free);
  gboolean outside = FALSE;

  for (guint i = 0; i < x->rank; i++)
    {
      gint64 *list = assay_kernel_room (self, gint64, (gsize) axes[i].to + 1, error);

      if (list == NULL)
        return FALSE;

      g_ptr_array_add (places, list);
      for (gint64 j = 0; j < axes[i].to; j++)
        {
          double place = original_place (settings, &axes[i], (double) j);

          list[j] = CLAMP (nearest_place (settings->nearest, CLAMP (place, -0x1p52, 0x1p52)), 0,
                           axes[i].from - 1);
          if (is_extrapolated (settings, &axes[i], place))
            list[j] = -1;
          outside |= list[j] < 0;
        }
    }

  if (outside && (x->dtype == ASSAY_DTYPE_STRING || assay_dtype_kind (x->dtype) == 'C'))
    return assay_kernel_fail_type (self, 0, error);
  for (gsize i = 0; outside && i < y->n; i++)
    assay_datum_set_number (y, i, settings->extrapolation);
  assay_elements_pick (x, y, (gint64 *const *) places->pdata);

  return TRUE;
}

static gboolean
resize (AssayKernel *self, const Settings *settings, AssayDatum *x, const Axis *axes,
        GError **error)
{
  gint64 dims[ASSAY_MAX_RANK];
  AssayDatum *y;

  for (guint i = 0; i < x->rank; i++)
    {
      dims[i] = axes[i].to;
      if (axes[i].from == 0 && axes[i].to > 0)
        return assay_kernel_fail (self, error, "axis %u has no elements to resize", i);
    }

  y = assay_kernel_output (self, 0, x->dtype, x->rank, dims, error);
  if (y == NULL)
    return FALSE;
  if (y->n == 0)
    return TRUE;
  if (settings->mode == MODE_NEAREST)
    return pick_nearest (self, settings, x, axes, y, error);
  if (x->dtype == ASSAY_DTYPE_STRING || assay_dtype_kind (x->dtype) == 'C')
    return assay_kernel_fail_type (self, 0, error);

  return interpolate (self, settings, x, axes, y, error);
}

/* The last one is of Resize 11 alone. */
static gboolean
parse_mode (AssayKernel *self, Mode *mode, GError **error)
{
  static const char *const names[] = { "nearest", "linear", "cubic" };
  const char *name = assay_node_get_string (self->node, "mode");

  for (guint i = 0; i < G_N_ELEMENTS (names); i++)
    if (g_str_equal (name, names[i]))
      {
        *mode = (Mode) i;
        return TRUE;
      }

  return assay_kernel_fail (self, error,
                            "mode is “%s”, one of nearest, linear and cubic was expected", name);
}

/* An input of numbers, one or more for each axis; %NULL if it is not there or empty. */
static gboolean
get_numbers (AssayKernel *self, guint input, gsize n, const AssayDatum **numbers, GError **error)
{
  const AssayDatum *datum = assay_kernel_input (self, input);

  *numbers = NULL;
  if (datum == NULL || datum->n == 0)
    return TRUE;
  if (datum->n != n)
    return assay_kernel_fail (self, error,
                              "input %u has %" G_GSIZE_FORMAT " element%s, %" G_GSIZE_FORMAT
                              " were expected",
                              input, datum->n, assay_plural (datum->n), n);
  if (datum->dtype == ASSAY_DTYPE_STRING || assay_dtype_kind (datum->dtype) == 'C')
    return assay_kernel_fail_type (self, input, error);
  *numbers = datum;

  return TRUE;
}

static gboolean
axis_from_scale (AssayKernel *self, Axis *axis, double scale, double part, GError **error)
{
  float extent;

  /* The product has the precision of the scales; shapes are inferred the same way. */
  axis->scale = scale;
  axis->width = scale * (double) axis->from;
  extent = floorf ((float) axis->from * (float) (scale * part));
  if (!(scale > 0) || !(extent >= 0 && extent < 1e15f))
    return assay_kernel_fail (self, error, "a scale of %g for %" G_GINT64_FORMAT " element%s",
                              scale, axis->from, assay_plural (axis->from));
  axis->to = (gint64) extent;

  return TRUE;
}

static gboolean
axes_from_sizes (AssayKernel *self, const AssayDatum *sizes, guint n, const guint *numbers,
                 Axis *axes, GError **error)
{
  const char *policy = assay_node_get_string (self->node, "keep_aspect_ratio_policy");
  gboolean larger = strcmp (policy, "not_smaller") == 0;
  gboolean stretch = !larger && strcmp (policy, "not_larger") != 0;
  double common = 0;

  for (guint i = 0; i < n; i++)
    {
      Axis *axis = &axes[numbers[i]];

      axis->to = MAX (assay_datum_get_integer (sizes, i), 0);
      axis->width = (double) axis->to;
      axis->scale = axis->width / (double) MAX (axis->from, 1);
      if (i == 0 || (larger ? axis->scale > common : axis->scale < common))
        common = axis->scale;
    }

  for (guint i = 0; i < n && !stretch; i++)
    {
      Axis *axis = &axes[numbers[i]];

      axis->scale = common;
      axis->width = common * (double) axis->from;
      if (!(axis->width < 1e15))
        return assay_kernel_fail (self, error, "a scale of %g for %" G_GINT64_FORMAT " element%s",
                                  common, axis->from, assay_plural (axis->from));
      axis->to = (gint64) floor (axis->width + 0.5);
    }

  return TRUE;
}

gboolean
assay_kernel_op_resize (AssayKernel *self, GError **error)
{
  AssayDatum *x = assay_kernel_input (self, 0);
  Settings settings = {
    .coordinates = assay_node_get_string (self->node, "coordinate_transformation_mode"),
    .nearest = assay_node_get_string (self->node, "nearest_mode"),
    .antialias = assay_node_get_int (self->node, "antialias") != 0,
    .exclude_outside = assay_node_get_int (self->node, "exclude_outside") != 0,
    .cubic = assay_node_get_float (self->node, "cubic_coeff_a"),
    .extrapolation = assay_node_get_float (self->node, "extrapolation_value"),
  };
  gboolean crops = strcmp (settings.coordinates, "tf_crop_and_resize") == 0;
  const AssayDatum *roi = NULL;
  const AssayDatum *scales;
  const AssayDatum *sizes;
  Axis axes[ASSAY_MAX_RANK];
  guint numbers[ASSAY_MAX_RANK];
  const gint64 *list;
  guint n;

  for (guint i = 0; i < x->rank; i++)
    {
      numbers[i] = i;
      axes[i] = (Axis){ x->dims[i], x->dims[i], (double) x->dims[i], 1, 0, 1 };
    }
  list = assay_node_get_ints (self->node, "axes", &n);
  if (list != NULL && !assay_kernel_axes (self, n, list, x->rank, numbers, error))
    return FALSE;
  n = list != NULL ? n : x->rank;

  if (!parse_mode (self, &settings.mode, error) ||
      (crops && !get_numbers (self, 1, 2 * (gsize) n, &roi, error)) ||
      !get_numbers (self, 2, n, &scales, error) || !get_numbers (self, 3, n, &sizes, error))
    return FALSE;
  if (crops && roi == NULL)
    return assay_kernel_fail (self, error, "tf_crop_and_resize needs a region of interest");
  if ((scales == NULL) == (sizes == NULL) && n > 0)
    return assay_kernel_fail (self, error, "either scales or sizes were expected");

  for (guint i = 0; i < n; i++)
    {
      Axis *axis = &axes[numbers[i]];

      if (roi != NULL)
        {
          axis->begin = assay_datum_get_number (roi, i);
          axis->end = assay_datum_get_number (roi, n + i);
          if (!(fabs (axis->begin) < 1e15 && fabs (axis->end) < 1e15))
            return assay_kernel_fail (self, error, "a region of interest from %g to %g",
                                      axis->begin, axis->end);
        }
      if (scales != NULL && !axis_from_scale (self, axis, assay_datum_get_number (scales, i),
                                              axis->end - axis->begin, error))
        return FALSE;
    }
  if (sizes != NULL && !axes_from_sizes (self, sizes, n, numbers, axes, error))
    return FALSE;

  return resize (self, &settings, x, axes, error);
}

gboolean
assay_kernel_op_upsample (AssayKernel *self, GError **error)
{
  AssayDatum *x = assay_kernel_input (self, 0);
  Settings settings = { .coordinates = "asymmetric", .nearest = "floor" };
  const AssayDatum *scales;
  Axis axes[ASSAY_MAX_RANK];

  if (!parse_mode (self, &settings.mode, error) || !get_numbers (self, 1, x->rank, &scales, error))
    return FALSE;
  if (scales == NULL && x->rank > 0)
    return assay_kernel_fail (self, error, "there are no scales");

  for (guint i = 0; i < x->rank; i++)
    {
      axes[i] = (Axis){ x->dims[i], x->dims[i], (double) x->dims[i], 1, 0, 1 };
      if (!axis_from_scale (self, &axes[i], assay_datum_get_number (scales, i), 1, error))
        return FALSE;
    }

  return resize (self, &settings, x, axes, error);
}
