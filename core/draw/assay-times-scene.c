/* assay-times-scene.c
 * SPDX-License-Identifier: Apache-2.0
 *
 * What was measured of one inference from left to right, a lane each for the host, for copies and
 * for the device.
 */
#include "draw/assay-times-scene.h"

#include <math.h>

#include "draw/assay-memory-scene-private.h"

/* Lengths in units. */
#define AXIS 60.0
#define RULER 20.0
#define MIN_BAR 1.5
#define MIN_LABEL 48.0
/* Shorter spans than that are not told apart. */
#define MIN_SPAN 100.0

static double
area_width (const AssayTimesLook *look)
{
  return MAX (look->width - AXIS - MEMORY_GAP, 1);
}

static double
get_x (const AssayTimesLook *look, double ns)
{
  return AXIS + (ns - look->first) / (look->end - look->first) * area_width (look);
}

static double
lane_height (const AssayTimesLook *look)
{
  return MAX (look->height - RULER - MEMORY_GAP, ASSAY_N_RUN_LANES) / ASSAY_N_RUN_LANES;
}

/**
 * assay_times_look_fit:
 * @look: a look
 * @times: what was measured
 *
 * Shows the whole inference.
 */
void
assay_times_look_fit (AssayTimesLook *look, const AssayRunTimes *times)
{
  look->first = 0;
  look->end = MAX (MIN_SPAN, (double) assay_run_times_get_end (times));
}

/**
 * assay_times_look_zoom:
 * @look: a look
 * @times: what was measured
 * @x: the place that stays where it is, in units
 * @factor: what the visible span is multiplied by
 *
 * Shows more or less of the inference.
 */
void
assay_times_look_zoom (AssayTimesLook *look, const AssayRunTimes *times, double x, double factor)
{
  double all = MAX (MIN_SPAN, (double) assay_run_times_get_end (times));
  double span = CLAMP ((look->end - look->first) * factor, MIN_SPAN, all);
  double share = CLAMP ((x - AXIS) / area_width (look), 0, 1);
  double at = look->first + share * (look->end - look->first);

  look->first = CLAMP (at - share * span, 0, all - span);
  look->end = look->first + span;
}

/**
 * assay_times_look_pan:
 * @look: a look
 * @times: what was measured
 * @share: how far, as a share of what is seen; negative for earlier
 *
 * Shows what was earlier or later.
 */
void
assay_times_look_pan (AssayTimesLook *look, const AssayRunTimes *times, double share)
{
  double all = MAX (MIN_SPAN, (double) assay_run_times_get_end (times));
  double span = look->end - look->first;

  look->first = CLAMP (look->first + share * span, 0, MAX (all - span, 0));
  look->end = look->first + span;
}

/**
 * assay_times_look_find:
 * @look: a look
 * @times: what was measured
 * @x: a place in units
 * @y: a place in units
 *
 * Finds the part at a place; a bar of less than some units is found from a little beside it.
 *
 * Returns: its number, %G_MAXUINT where there is none
 */
guint
assay_times_look_find (const AssayTimesLook *look, const AssayRunTimes *times, double x, double y)
{
  guint found = G_MAXUINT;
  double nearest = 3;

  if (x < AXIS || y < RULER || y >= RULER + lane_height (look) * ASSAY_N_RUN_LANES)
    return G_MAXUINT;

  for (guint i = 0; i < assay_run_times_get_n (times); i++)
    {
      const AssayRunnerStep *step = assay_run_times_get (times, i);
      double x1 = get_x (look, (double) step->begin);
      double x2 = get_x (look, (double) (step->begin + step->ns));
      double distance = x < x1 ? x1 - x : x > x2 ? x - x2 : 0;

      if (assay_runner_step_get_lane (step) != (AssayRunLane) ((y - RULER) / lane_height (look)) ||
          distance >= nearest)
        continue;
      found = i;
      nearest = distance;
    }

  return found;
}

static void
draw_axis (const AssayTimesLook *look, AssayDisplayList *list)
{
  double span = look->end - look->first;
  double interval = assay_memory_choose_interval (span, area_width (look), 80);
  double height = lane_height (look) * ASSAY_N_RUN_LANES;

  assay_display_list_rectangle (list, ASSAY_ROLE_VIEW_BG, AXIS, RULER, area_width (look), height);
  for (double ns = ceil (look->first / interval) * interval; ns <= look->end; ns += interval)
    {
      double x = floor (get_x (look, ns));
      g_autofree char *text = interval >= 1e5   ? g_strdup_printf ("%.1f ms", ns / 1e6)
                              : interval >= 1e3 ? g_strdup_printf ("%.0f µs", ns / 1e3)
                                                : g_strdup_printf ("%.1f µs", ns / 1e3);

      assay_display_list_rectangle (list, ASSAY_ROLE_MEMORY_GRID, x, RULER, 1, height);
      if (x + 70 <= look->width)
        assay_display_list_text (list, ASSAY_ROLE_TEXT_DIM, ASSAY_FONT_SMALL, ASSAY_LABEL_PLAIN,
                                 x + 2, 2, 68, 16, text);
    }
}

static void
draw_lane (const AssayTimesLook *look, AssayRunLane lane, AssayDisplayList *list)
{
  double y = RULER + lane * lane_height (look);

  assay_display_list_text (list, ASSAY_ROLE_TEXT, ASSAY_FONT_SMALL, ASSAY_LABEL_RIGHT, 0,
                           y + lane_height (look) / 2 - 8, AXIS - 8, 16,
                           assay_run_lane_get_title (lane));
  assay_display_list_rectangle (list, ASSAY_ROLE_MEMORY_GRID, AXIS, y, area_width (look), 1);
}

static void
draw_bar (const AssayRunnerStep *step, const AssayTimesLook *look, gboolean chosen,
          AssayDisplayList *list)
{
  double from = MAX (get_x (look, (double) step->begin), AXIS);
  double to = MIN (get_x (look, (double) (step->begin + step->ns)), AXIS + area_width (look));
  double y = RULER + assay_runner_step_get_lane (step) * lane_height (look) + 4;
  double height = MAX (lane_height (look) - 8, 1);
  double width = MAX (to - from, MIN_BAR);

  if (to < from)
    return;

  assay_display_list_box (list, chosen ? ASSAY_ROLE_ACCENT : ASSAY_ROLE_MEMORY_TOTAL,
                          ASSAY_ROLE_VIEW_BG, ASSAY_LINE_SOLID, width >= 6 ? 1 : 0, 2, from, y,
                          width, height);
  if (width >= MIN_LABEL)
    assay_display_list_text (list, chosen ? ASSAY_ROLE_VIEW_BG : ASSAY_ROLE_TEXT, ASSAY_FONT_SMALL,
                             ASSAY_LABEL_ELLIPSIZE_START, from + 4, y + height / 2 - 8, width - 8,
                             16, step->name);
}

/**
 * assay_times_scene_draw:
 * @times: what was measured
 * @look: which part of it
 * @chosen: number of the part that is chosen, %G_MAXUINT for none
 * @list: gets the picture
 *
 * Draws a bar per part in the lane of where it took place.
 */
void
assay_times_scene_draw (const AssayRunTimes *times, const AssayTimesLook *look, guint chosen,
                        AssayDisplayList *list)
{
  draw_axis (look, list);
  for (guint lane = 0; lane < ASSAY_N_RUN_LANES; lane++)
    draw_lane (look, lane, list);
  for (guint i = 0; i < assay_run_times_get_n (times); i++)
    if (i != chosen)
      draw_bar (assay_run_times_get (times, i), look, FALSE, list);
  if (chosen < assay_run_times_get_n (times))
    draw_bar (assay_run_times_get (times, chosen), look, TRUE, list);
}
