/* assay-comparison-scene.c
 * SPDX-License-Identifier: Apache-2.0
 */
#include "draw/assay-comparison-scene.h"

#include <math.h>

#include "base/assay-sentence.h"

/* Lengths in units. */
#define AXIS 52.0
#define FLAG 20.0
#define RULER 18.0
#define MARGIN 8.0
#define MIN_BUCKET 60.0
#define LABEL 18.0

/* Buckets from here on are never drawn alone: 2^12 units in the last place are all wrong. */
#define MAX_BUCKETS 14

static double
level (double error)
{
  return error > 0 ? MAX (0, log2 (MAX (error, 1))) + 1 : 0;
}

static double
find_top (const AssayErrorPoint *points, guint n_points)
{
  double top = 5;

  for (guint i = 0; i < n_points; i++)
    top = MAX (top, MAX (level (points[i].error), level (points[i].inherited)) + 0.5);

  return ceil (MIN (top, 34));
}

/**
 * assay_comparison_scene_find_point:
 * @n_points: how many operations the picture has
 * @width: width of the picture in units
 * @x: a place
 *
 * Finds the operation at a place.
 *
 * Returns: its index, %G_MAXUINT in a margin
 */
guint
assay_comparison_scene_find_point (guint n_points, double width, double x)
{
  double share = (x - AXIS) / MAX (1, width - AXIS - MARGIN);

  return share >= 0 && share < 1 && n_points > 0 ? (guint) (share * n_points) : G_MAXUINT;
}

static void
draw_axis (double top, double width, double height, AssayDisplayList *list)
{
  double bottom = height - RULER;
  double every = 1;

  /* Where there is less height than labels need, some are left out. */
  while (every < top && every * (bottom - FLAG) / top < LABEL)
    every *= 2;

  assay_display_list_rectangle (list, ASSAY_ROLE_VIEW_BG, AXIS, FLAG, width - AXIS - MARGIN,
                                bottom - FLAG);
  for (double at = 0; at <= top; at += every)
    {
      double y = floor (bottom - at * (bottom - FLAG) / top);
      g_autofree char *text = at == 0 ? g_strdup ("0 units")
                                      : g_strdup_printf ("%.0f", exp2 (at - 1));

      assay_display_list_rectangle (list, ASSAY_ROLE_MEMORY_GRID, AXIS, y, width - AXIS - MARGIN,
                                    1);
      assay_display_list_text (list, ASSAY_ROLE_TEXT_DIM, ASSAY_FONT_SMALL, ASSAY_LABEL_RIGHT, 0,
                               CLAMP (y - 8, FLAG - 4, bottom - 12), AXIS - 6, 16, text);
    }
  assay_display_list_text (list, ASSAY_ROLE_TEXT_DIM, ASSAY_FONT_SMALL, ASSAY_LABEL_PLAIN, AXIS,
                           bottom + 1, width - AXIS - MARGIN, 16,
                           "program order: bars own, band limit, dots at worst, line inherited");
}

typedef enum
{
  STEPS_LIMIT,
  STEPS_CERTIFIED,
  STEPS_INHERITED,
} Steps;

static double
level_of (const AssayErrorPoint *point, Steps steps, double top)
{
  if (steps == STEPS_INHERITED)
    return level (point->inherited);
  if (steps == STEPS_LIMIT)
    return level (point->limit);

  /* Above the picture there is nothing to see. */
  return level (point->certified) < top ? level (point->certified) : 0;
}

/* A run of operations on one height is one mark: a line of what is inherited, a band up to the
 * limit, where rounding explains a bar, or dots where it cannot any more. */
static void
draw_steps (const AssayErrorPoint *points, guint n_points, Steps steps, double top, double width,
            double height, AssayDisplayList *list)
{
  double bottom = height - RULER;
  double pitch = (width - AXIS - MARGIN) / MAX (n_points, 1);
  double from = AXIS;
  double before = -1;

  for (guint i = 0; i <= n_points; i++)
    {
      double value = i == n_points ? -2 : level_of (&points[i], steps, top);
      double x = AXIS + i * pitch;

      if (value == before)
        continue;
      if (before > 0)
        {
          double y = bottom - MIN (before, top) * (bottom - FLAG) / top;

          if (steps == STEPS_LIMIT)
            {
              assay_display_list_rectangle (list, ASSAY_ROLE_BAND_LIMIT, from, y, x - from,
                                            bottom - y);
              /* A limit above the picture is no line in it. */
              if (before <= top)
                assay_display_list_line (list, ASSAY_ROLE_ERROR, ASSAY_LINE_SHORT_DASHED, 1, from,
                                         y, x, y);
            }
          else if (steps == STEPS_CERTIFIED)
            assay_display_list_line (list, ASSAY_ROLE_TEXT_DIM, ASSAY_LINE_DOTTED, 1, from, y, x,
                                     y);
          else
            assay_display_list_line (list, ASSAY_ROLE_TEXT, ASSAY_LINE_SOLID, 1.5, from, y, x, y);
        }
      from = x;
      before = value;
    }
}

/* What stands out has a colour of its own, and the table its word. */
static AssayRole
find_bar_role (AssayDivergence divergence, gboolean selected)
{
  if (divergence == ASSAY_DIVERGENCE_BEYOND)
    return ASSAY_ROLE_ERROR;
  if (divergence == ASSAY_DIVERGENCE_AMPLIFIED)
    return ASSAY_ROLE_ORANGE_LINE;
  if (divergence == ASSAY_DIVERGENCE_BIASED)
    return ASSAY_ROLE_PURPLE;

  return selected ? ASSAY_ROLE_ACCENT : ASSAY_ROLE_EDGE;
}

/**
 * assay_comparison_scene_draw_errors:
 * @points: (array length=n_points): the operations in program order
 * @n_points: how many
 * @selected: the selected one, or %G_MAXUINT
 * @width: width of the picture in units
 * @height: height of the picture
 * @list: gets the picture
 *
 * Draws errors along the program on a scale of powers of two: own errors as bars, what is within
 * their limits as a band, the worst that rounding can make as dots, inherited ones as a line, a
 * flag at the first operation that is outside.
 */
void
assay_comparison_scene_draw_errors (const AssayErrorPoint *points, guint n_points, guint selected,
                                    double width, double height, AssayDisplayList *list)
{
  double top = find_top (points, n_points);
  double bottom = height - RULER;
  double pitch = (width - AXIS - MARGIN) / MAX (n_points, 1);
  double bar = CLAMP (pitch - 2, 1, 28);
  double flag = -1;

  draw_axis (top, width, height, list);
  if (selected < n_points)
    assay_display_list_rectangle (list, ASSAY_ROLE_MEMORY_GRID, AXIS + selected * pitch, FLAG,
                                  MAX (pitch, 2), bottom - FLAG);
  draw_steps (points, n_points, STEPS_LIMIT, top, width, height, list);
  for (guint i = 0; i < n_points; i++)
    {
      double x = AXIS + (i + 0.5) * pitch;
      double length = level (points[i].error) * (bottom - FLAG) / top;

      if (points[i].divergence == ASSAY_DIVERGENCE_BEYOND && flag < 0)
        flag = x;
      if (length <= 0)
        continue;
      assay_display_list_rectangle (list, find_bar_role (points[i].divergence, i == selected),
                                    floor (x - bar / 2), floor (bottom - length), bar,
                                    ceil (length));
    }
  draw_steps (points, n_points, STEPS_CERTIFIED, top, width, height, list);
  draw_steps (points, n_points, STEPS_INHERITED, top, width, height, list);
  assay_display_list_rectangle (list, ASSAY_ROLE_EDGE, AXIS, bottom, width - AXIS - MARGIN, 1);

  if (flag >= 0)
    {
      double left = CLAMP (flag - 54, AXIS, MAX (AXIS, width - MARGIN - 108));

      assay_display_list_box (list, ASSAY_ROLE_ERROR_BG, ASSAY_ROLE_ERROR_BG, ASSAY_LINE_SOLID, 0,
                              3, left, 1, 108, 17);
      assay_display_list_text (list, ASSAY_ROLE_ERROR_FG, ASSAY_FONT_SMALL, ASSAY_LABEL_CENTER,
                               left, 1, 108, 17, "first divergence");
    }
}

/**
 * assay_comparison_scene_draw_steps:
 * @row: a row of a sequence
 * @n_steps: timesteps of the comparison
 * @width: width of the picture in units
 * @height: height of the picture
 * @list: gets the picture
 *
 * Draws the error of a tensor over the timesteps, a bar for each span of them, and the line through
 * the bars where it grows by more than chance does.
 */
void
assay_comparison_scene_draw_steps (const AssayComparisonRow *row, gint64 n_steps, double width,
                                   double height, AssayDisplayList *list)
{
  double unit = assay_comparison_row_unit (row), bottom = height - RULER, top = 0;
  double first = 0, last = 0, growth = assay_comparison_row_growth (row, &first, &last);
  double pitch = (width - AXIS - MARGIN) / MAX (row->n_spans, 1);
  g_autofree char *number = NULL;
  g_autofree char *most = NULL;
  g_autofree char *end = assay_sentence_dup_count ((guint64) MAX (n_steps - 1, 0));

  for (guint i = 0; i < row->n_spans && unit > 0; i++)
    top = MAX (top, row->span_rms[i] / unit);
  top = MAX (top, growth > 0 ? last : 0);
  number = g_strdup_printf ("%.2g", top);
  most = g_strdup_printf ("%s unit%s", number, assay_plural_of (number));
  if (!isfinite (top) || !(top > 0))
    top = 1;

  assay_display_list_rectangle (list, ASSAY_ROLE_VIEW_BG, AXIS, LABEL, width - AXIS - MARGIN,
                                bottom - LABEL);
  for (guint i = 0; i < row->n_spans && unit > 0; i++)
    {
      double length = MIN (row->span_rms[i] / unit / top, 1) * (bottom - LABEL);

      assay_display_list_rectangle (list, growth > 0 ? ASSAY_ROLE_ORANGE_LINE : ASSAY_ROLE_EDGE,
                                    floor (AXIS + i * pitch), floor (bottom - length),
                                    MAX (1, floor (pitch - 2)), ceil (length));
    }
  if (growth > 0)
    assay_display_list_line (list, ASSAY_ROLE_TEXT, ASSAY_LINE_SOLID, 1.5, AXIS + pitch / 2,
                             bottom - first / top * (bottom - LABEL), width - MARGIN - pitch / 2,
                             bottom - last / top * (bottom - LABEL));
  assay_display_list_rectangle (list, ASSAY_ROLE_EDGE, AXIS, bottom, width - AXIS - MARGIN, 1);
  assay_display_list_text (list, ASSAY_ROLE_TEXT_DIM, ASSAY_FONT_SMALL, ASSAY_LABEL_PLAIN, 0, 0,
                           width, 16, most);
  assay_display_list_text (list, ASSAY_ROLE_TEXT_DIM, ASSAY_FONT_SMALL, ASSAY_LABEL_RIGHT, 0,
                           bottom - 14, AXIS - 6, 16, "0");
  assay_display_list_text (list, ASSAY_ROLE_TEXT_DIM, ASSAY_FONT_SMALL, ASSAY_LABEL_PLAIN, AXIS,
                           bottom + 1, width - AXIS - MARGIN, 16,
                           growth > 0 ? "timestep 0: root mean square grows"
                                      : "timestep 0: root mean square");
  assay_display_list_text (list, ASSAY_ROLE_TEXT_DIM, ASSAY_FONT_SMALL, ASSAY_LABEL_RIGHT, AXIS,
                           bottom + 1, width - AXIS - MARGIN, 16, end);
}

/**
 * assay_comparison_bucket_name:
 * @bucket: a bucket of a histogram over distances
 *
 * Names a bucket.
 *
 * Returns: (transfer full): such as `3-4`
 */
char *
assay_comparison_bucket_name (guint bucket)
{
  if (bucket < 3)
    return g_strdup_printf ("%u", bucket);

  return g_strdup_printf ("%" G_GUINT64_FORMAT "-%" G_GUINT64_FORMAT,
                          ((guint64) 1 << (bucket - 2)) + 1, (guint64) 1 << (bucket - 1));
}

/**
 * assay_comparison_scene_draw_histogram:
 * @stats: how two tensors differ
 * @width: width of the picture in units
 * @height: height of the picture
 * @list: gets the picture
 *
 * Draws how many elements are how far apart. Counts are on a scale of powers of ten, as equal
 * elements are far more than the others; their share stands in words.
 */
void
assay_comparison_scene_draw_histogram (const AssayCompareStats *stats, double width, double height,
                                       AssayDisplayList *list)
{
  const gsize *buckets = stats->histogram;
  double bottom = height - RULER;
  g_autofree char *zero = g_strdup_printf ("0 %s", assay_compare_unit_name (stats));
  guint n = 1;
  gsize most = 1;
  double pitch, scale;

  for (guint i = 0; i < ASSAY_COMPARE_N_BUCKETS; i++)
    {
      if (buckets[i] > 0)
        n = i + 1;
      most = MAX (most, buckets[i]);
    }
  n = CLAMP (n, 5, (guint) MAX (5, MIN (MAX_BUCKETS, (width - MARGIN) / MIN_BUCKET)));
  pitch = (width - MARGIN) / n;
  scale = (bottom - FLAG) / (log10 ((double) most) + 1);

  assay_display_list_rectangle (list, ASSAY_ROLE_VIEW_BG, 0, 0, width, bottom);
  for (guint i = 0; i < n; i++)
    {
      gsize count = buckets[i];
      double length, x = i * pitch + MARGIN;
      g_autofree char *name = NULL;
      g_autofree char *text = NULL;

      /* The last one that there is room for takes all behind it. */
      for (guint k = i + 1; i + 1 == n && k < ASSAY_COMPARE_N_BUCKETS; k++)
        count += buckets[k];
      name = i + 1 == n && n > 3 ? g_strdup_printf (">%" G_GUINT64_FORMAT, (guint64) 1 << (i - 2))
             : i == 0            ? g_strdup (zero)
                                 : assay_comparison_bucket_name (i);
      text = assay_sentence_dup_count (count);
      length = count > 0 ? (log10 ((double) count) + 1) * scale : 0;
      assay_display_list_rectangle (list, i == 0 ? ASSAY_ROLE_SHARE_QUIET : ASSAY_ROLE_EDGE,
                                    floor (x), floor (bottom - length), MAX (1, pitch - MARGIN),
                                    ceil (length));
      assay_display_list_text (list, ASSAY_ROLE_TEXT_DIM, ASSAY_FONT_SMALL, ASSAY_LABEL_CENTER,
                               x - 4, bottom + 1, pitch, 16, name);
      if (count > 0)
        assay_display_list_text (list, ASSAY_ROLE_TEXT, ASSAY_FONT_SMALL, ASSAY_LABEL_CENTER, x - 4,
                                 bottom - length - 17, pitch, 16, text);
    }
  assay_display_list_rectangle (list, ASSAY_ROLE_EDGE, 0, bottom, width, 1);
}
