/* assay-gpu-lower-resize.c
 * SPDX-License-Identifier: Apache-2.0
 *
 * Planes of another size. Which elements make one of the result does not depend on what they are,
 * so that tables are made here, in double.
 */
#include <math.h>
#include <string.h>

#include "backend/delegate/assay-gpu-lower-private.h"

/* A table has an entry per column or row. */
#define LONGEST 65536

typedef struct
{
  const char *coordinates;
  const char *nearest; /* NULL for linear */
  double scale;
  double width;
  gint64 from;
  gint64 to;
} Axis;

static double
place_of (const Axis *axis, gint64 i)
{
  double at = (double) i;

  if (strcmp (axis->coordinates, "align_corners") == 0)
    return axis->width > 1.0 || axis->width < 1.0
               ? at * (double) (axis->from - 1) / (axis->width - 1)
               : 0.0;
  if (strcmp (axis->coordinates, "asymmetric") == 0)
    return at / axis->scale;
  if (strcmp (axis->coordinates, "pytorch_half_pixel") == 0 && axis->to == 1)
    return 0.0;

  return (at + 0.5) / axis->scale - 0.5;
}

static gint64
pick_nearest (const char *mode, double at)
{
  if (strcmp (mode, "floor") == 0)
    return (gint64) floor (at);
  if (strcmp (mode, "ceil") == 0)
    return (gint64) ceil (at);

  return (gint64) (strcmp (mode, "round_prefer_ceil") == 0 ? floor (at + 0.5) : ceil (at - 0.5));
}

static AssayGpuRef
make_table (AssayGpuLower *self, const Axis *axis)
{
  g_autofree gint32 *table = g_new0 (gint32, 3 * (gsize) axis->to + 3);
  gint64 last = axis->from - 1;

  for (gint64 i = 0; i < axis->to; i++)
    {
      double at = place_of (axis, i);
      double clamped = CLAMP (at, 0.0, (double) last);
      gint64 first = axis->nearest != NULL
                         ? pick_nearest (axis->nearest, CLAMP (at, -0x1p52, 0x1p52))
                         : (gint64) floor (clamped);
      float share = axis->nearest != NULL ? 0.0f : (float) (clamped - floor (clamped));

      table[3 * i] = (gint32) CLAMP (first, 0, last);
      table[3 * i + 1] = (gint32) CLAMP (first + 1, 0, last);
      memcpy (&table[3 * i + 2], &share, sizeof share);
    }

  return assay_gpu_lower_pack (self, table, 3 * (gsize) axis->to * sizeof *table);
}

/* Given scales count as they are, extents lead to others. */
static void
read_scale (AssayGpuLower *self, const AssayNode *node, guint scales_at, guint number, Axis *axis)
{
  AssayTensor *scales = assay_graph_constant (self->graph, assay_node_input (node, scales_at));
  double scale;

  axis->scale = (double) axis->to / (double) axis->from;
  axis->width = (double) axis->to;
  if (scales == NULL || number >= assay_tensor_get_n_elements (scales) ||
      !assay_tensor_get_element (scales, number, &scale, NULL) || !(scale > 0.0))
    return;

  axis->scale = scale;
  axis->width = (double) axis->from * scale;
}

ASSAY_GPU_LOWERING (resize)
{
  static const char *const known[] = { "half_pixel", "pytorch_half_pixel", "align_corners",
                                       "asymmetric", NULL };
  gboolean old = op == 1;
  const char *mode = assay_node_get_string (node, "mode");
  const char *coordinates = old ? "asymmetric"
                                : assay_node_get_string (node, "coordinate_transformation_mode");
  const char *nearest = old ? "floor" : assay_node_get_string (node, "nearest_mode");
  AssayGpuRef tables[2];
  AssayGpuShape x, y;

  if (!assay_gpu_lower_float_shape (self, node->inputs[0], &x) ||
      !assay_gpu_lower_float_shape (self, node->outputs[0], &y))
    return FALSE;
  if (x.rank != 4 || y.rank != 4 || x.dims[0] != y.dims[0] || x.dims[1] != y.dims[1] || y.n == 0 ||
      x.n == 0 || MAX (y.dims[2], y.dims[3]) > LONGEST)
    return assay_gpu_lower_refuse (self, "there is no shader that resizes other axes");
  if (!(g_str_equal (mode, "nearest") || g_str_equal (mode, "linear")) ||
      !g_strv_contains (known, coordinates) ||
      (!old &&
       (assay_node_get_int (node, "antialias") != 0 ||
        assay_node_find_attr (node, "axes") != NULL ||
        assay_node_get_int (node, "exclude_outside") != 0 ||
        !g_str_equal (assay_node_get_string (node, "keep_aspect_ratio_policy"), "stretch"))))
    return assay_gpu_lower_refuse (self, "there is no shader for this mode");

  for (guint i = 0; i < 2; i++)
    {
      Axis axis = {
        .coordinates = coordinates,
        .nearest = g_str_equal (mode, "nearest") ? nearest : NULL,
        .from = x.dims[3 - i],
        .to = y.dims[3 - i],
      };

      read_scale (self, node, old ? 1 : 2, 3 - i, &axis);
      tables[i] = make_table (self, &axis);
    }
  assay_gpu_lower_begin (self, y.n);
  for (guint i = 2; i < 4; i++)
    assay_gpu_lower_word (self, x.dims[i]);
  for (guint i = 2; i < 4; i++)
    assay_gpu_lower_word (self, y.dims[i]);
  assay_gpu_lower_end (
      self,
      x.form == ASSAY_GPU_FORM_F16 ? ASSAY_GPU_SHADER_RESIZE_F16 : ASSAY_GPU_SHADER_RESIZE_F32, 0,
      (const AssayGpuRef[]){ node->inputs[0], tables[0], tables[1], node->outputs[0] });

  return TRUE;
}

ASSAY_GPU_LOWERING (sample)
{
  AssayGpuShape x, grid, y;

  if (!assay_gpu_lower_float_shape (self, node->inputs[0], &x) ||
      !assay_gpu_lower_float_shape (self, node->inputs[1], &grid) ||
      !assay_gpu_lower_float_shape (self, node->outputs[0], &y))
    return FALSE;
  if (x.rank != 4 || y.rank != 4 || grid.rank != 4 || grid.form != x.form || x.n == 0 || y.n == 0)
    return assay_gpu_lower_refuse (self, "there is no shader for this rank");
  if (!g_str_equal (assay_node_get_string (node, "mode"), "linear") ||
      !g_str_equal (assay_node_get_string (node, "padding_mode"), "border"))
    return assay_gpu_lower_refuse (self, "there is no shader for this mode");

  assay_gpu_lower_begin (self, y.n);
  for (guint i = 1; i < 4; i++)
    assay_gpu_lower_word (self, x.dims[i]);
  assay_gpu_lower_word (self, y.dims[2] * y.dims[3]);
  assay_gpu_lower_word (self, assay_node_get_int (node, "align_corners") != 0);
  assay_gpu_lower_end (
      self,
      x.form == ASSAY_GPU_FORM_F16 ? ASSAY_GPU_SHADER_SAMPLE_F16 : ASSAY_GPU_SHADER_SAMPLE_F32, 0,
      (const AssayGpuRef[]){ node->inputs[0], node->inputs[1], node->outputs[0] });

  return TRUE;
}
