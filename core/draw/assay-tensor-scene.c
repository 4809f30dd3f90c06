/* assay-tensor-scene.c
 * SPDX-License-Identifier: Apache-2.0
 */
#include "draw/assay-tensor-scene.h"

#include <math.h>

#define RULER 18
#define GAP 1.0
/* So that one element among millions is seen. */
#define LEAST_BAR 2.0

/**
 * assay_tensor_scene_find_bucket:
 * @width: width of the picture in units
 * @x: a place in it
 *
 * Finds the bucket of a histogram at a place.
 *
 * Returns: the bucket, or -1
 */
int
assay_tensor_scene_find_bucket (double width, double x)
{
  if (width <= 0 || x < 0 || x >= width)
    return -1;

  return (int) (x / width * ASSAY_SUMMARY_BUCKETS);
}

/**
 * assay_tensor_scene_draw_histogram:
 * @summary: what a tensor is like
 * @width: width of the picture in units
 * @height: height of the picture
 * @list: gets the picture
 *
 * Draws how the values of a tensor are spread, from the least to the greatest; the height of a bar
 * is its share of the fullest one.
 */
void
assay_tensor_scene_draw_histogram (const AssayTensorSummary *summary, double width, double height,
                                   AssayDisplayList *list)
{
  double bottom = height - RULER;
  double step = width / ASSAY_SUMMARY_BUCKETS;
  g_autofree char *least = g_strdup_printf ("%.4g", summary->statistics.min);
  g_autofree char *most = g_strdup_printf ("%.4g", summary->statistics.max);
  gsize fullest = 0;

  for (guint i = 0; i < ASSAY_SUMMARY_BUCKETS; i++)
    fullest = MAX (fullest, summary->histogram[i]);
  if (fullest == 0)
    return;

  for (guint i = 0; i < ASSAY_SUMMARY_BUCKETS; i++)
    {
      double bar = (double) summary->histogram[i] / (double) fullest * bottom;

      if (summary->histogram[i] == 0)
        continue;
      bar = MAX (bar, LEAST_BAR);
      assay_display_list_rectangle (list, ASSAY_ROLE_BLUE, i * step, bottom - bar,
                                    MAX (step - GAP, 1), bar);
    }
  assay_display_list_line (list, ASSAY_ROLE_EDGE, ASSAY_LINE_SOLID, 1, 0, bottom + 0.5, width,
                           bottom + 0.5);
  /* Where zero is tells most about weights. */
  if (summary->statistics.min < 0 && summary->statistics.max > 0)
    {
      double zero = -summary->statistics.min / (summary->statistics.max - summary->statistics.min) *
                    width;

      assay_display_list_line (list, ASSAY_ROLE_EDGE, ASSAY_LINE_DOTTED, 1, zero, 0, zero, bottom);
    }
  assay_display_list_text (list, ASSAY_ROLE_TEXT_DIM, ASSAY_FONT_SMALL, ASSAY_LABEL_PLAIN, 0,
                           bottom, width / 2, RULER, least);
  assay_display_list_text (list, ASSAY_ROLE_TEXT_DIM, ASSAY_FONT_SMALL, ASSAY_LABEL_RIGHT,
                           width / 2, bottom, width / 2, RULER, most);
}

/**
 * assay_tensor_scene_find_stretch:
 * @summary: what a tensor is like
 * @width: width of the picture in units
 * @x: a place in it
 *
 * Finds the stretch of elements at a place of a row of colours.
 *
 * Returns: the stretch, or -1
 */
int
assay_tensor_scene_find_stretch (const AssayTensorSummary *summary, double width, double x)
{
  guint n = assay_tensor_summary_count_stretches (summary);

  if (width <= 0 || x < 0 || x >= width || n == 0)
    return -1;

  return (int) (x / width * n);
}

/**
 * assay_tensor_scene_draw_heat:
 * @summary: what a tensor is like
 * @width: width of the picture in units
 * @height: height of the picture
 * @list: gets the picture
 *
 * Draws the elements of a tensor in their order as one row of colours: the stronger, the larger the
 * magnitudes, in the steps of the other scales.
 */
void
assay_tensor_scene_draw_heat (const AssayTensorSummary *summary, double width, double height,
                              AssayDisplayList *list)
{
  guint n = assay_tensor_summary_count_stretches (summary);
  guint n_steps = ASSAY_ROLE_SCALE_5 - ASSAY_ROLE_SCALE_1 + 1;
  double most = 0;

  for (guint i = 0; i < n; i++)
    most = MAX (most, summary->strengths[i]);
  for (guint i = 0; i < n && most > 0; i++)
    {
      guint step = (guint) ceil (summary->strengths[i] / most * n_steps);

      if (step > 0)
        assay_display_list_rectangle (list, ASSAY_ROLE_SCALE_1 + MIN (step, n_steps) - 1,
                                      floor (i * width / n), 0,
                                      floor ((i + 1) * width / n) - floor (i * width / n), height);
    }
  assay_display_list_line (list, ASSAY_ROLE_EDGE, ASSAY_LINE_SOLID, 1, 0, height - 0.5, width,
                           height - 0.5);
}
