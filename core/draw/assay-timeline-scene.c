/* assay-timeline-scene.c
 * SPDX-License-Identifier: Apache-2.0
 *
 * Cycles from left to right, a line per core and a lane per unit of the cores that are open. The
 * lane says the unit, so bars share one neutral fill; only the critical path has a colour.
 */
#include "draw/assay-timeline-scene.h"

#include <math.h>
#include <string.h>

#include "base/assay-sentence.h"
#include "draw/assay-memory-scene-private.h"

/* Lengths in units. */
#define AXIS 144.0
#define HEADER 26.0
#define LANE 18.0
/* By how much lines grow where there is more height than they need. */
#define MAX_STRETCH 2.0
#define BUCKET 4.0
#define MIN_BAR 3.0
#define MIN_WAIT 6.0
#define MIN_LETTER 14.0
#define MIN_LABEL 48.0
#define RANGE_LINE 16.0
/* What the name and the share of the first unit may take, which is less than that of its signs. */
#define HEADER_USE 81.0
/* How wide a sign of the small font is at most; nothing is measured where pictures are made. */
#define SMALL_SIGN 6.7
/* More than this in sight would be a curtain before the bars. */
#define MAX_CONNECTORS 200
/* Lines for whole inferences: spaced, contiguous. */
#define N_WHOLE 2
/* What the inference that follows is seen of: a part of the first one. */
#define NEXT_PART 16

typedef struct
{
  double y;
  double height;
  guint core;
  guint lane; /* ASSAY_NO_LANE for the line of a core */
} Row;

static gboolean
is_open (const AssayTimelineLook *look, guint core)
{
  return (look->opened >> core & 1) != 0;
}

static void
add_row (GArray *rows, double *y, double height, guint core, guint lane)
{
  Row row = { *y, height, core, lane };

  g_array_append_val (rows, row);
  *y += height;
}

/* Lines share the height that they do not need; the last one keeps its distance from the end. */
static void
stretch_rows (GArray *rows, double height)
{
  const Row *last = rows->len > 0 ? &g_array_index (rows, Row, rows->len - 1) : NULL;
  double needed = last != NULL ? last->y + last->height - MEMORY_RULERS : 0;
  double stretch = needed > 0 ? (height - MEMORY_RULERS - MEMORY_GAP) / needed : 1;
  double y = MEMORY_RULERS;

  stretch = CLAMP (stretch, 1, MAX_STRETCH);
  for (guint i = 0; i < rows->len; i++)
    {
      Row *row = &g_array_index (rows, Row, i);

      row->height = floor (row->height * stretch);
      row->y = y;
      y += row->height;
    }
}

/* What stands below what. Each core has its line, also one that never works. */
static GArray *
list_rows (const AssayTimelineLook *look, const AssayTimeMap *map)
{
  GArray *rows = g_array_new (FALSE, FALSE, sizeof (Row));
  double y = MEMORY_RULERS;
  guint next = 0;

  for (guint i = 0; i < map->lanes->len; i++)
    {
      const AssayTimeLane *lane = assay_time_map_get_lane (map, i);

      for (; next <= lane->core && next < map->n_cores && (i > 0 || lane->core < map->n_cores);
           next++)
        add_row (rows, &y, HEADER, next, ASSAY_NO_LANE);
      if (lane->core == map->n_cores || is_open (look, lane->core))
        add_row (rows, &y, LANE, lane->core, i);
    }
  for (; next < map->n_cores; next++)
    add_row (rows, &y, HEADER, next, ASSAY_NO_LANE);
  /* One whole inference, alone and followed by another at once. */
  for (guint i = 0; i < N_WHOLE; i++)
    add_row (rows, &y, LANE, map->n_cores + 1 + i, ASSAY_NO_LANE);
  stretch_rows (rows, look->height);

  return rows;
}

static double
area_width (const AssayTimelineLook *look)
{
  return MAX (look->width - AXIS - MEMORY_GAP, 1);
}

static double
range_of (const AssayTimelineLook *look)
{
  return MAX (look->end_cycle - look->first_cycle, 1e-6);
}

/**
 * assay_timeline_look_fit:
 * @look: a look
 * @map: a map
 *
 * Shows all cycles, and the beginning of an inference that follows at once.
 */
void
assay_timeline_look_fit (AssayTimelineLook *look, const AssayTimeMap *map)
{
  look->first_cycle = 0;
  look->end_cycle = MAX (MAX (map->end, 1),
                         map->cycles.contiguous + map->cycles.contiguous / NEXT_PART);
}

/**
 * assay_timeline_look_zoom:
 * @look: a look
 * @map: a map
 * @at: the cycle that stays where it is
 * @factor: what the visible range is multiplied by
 *
 * Shows more or fewer cycles, down to sixteen.
 */
void
assay_timeline_look_zoom (AssayTimelineLook *look, const AssayTimeMap *map, double at,
                          double factor)
{
  double all = MAX (map->end, 1);
  double range = CLAMP (range_of (look) * factor, MIN (16, all), all);
  double share = (at - look->first_cycle) / range_of (look);

  look->first_cycle = CLAMP (at - share * range, 0, all - range);
  look->end_cycle = look->first_cycle + range;
}

/**
 * assay_timeline_look_pan:
 * @look: a look
 * @map: a map
 * @share: how far, as a share of what is seen; negative for earlier
 *
 * Shows earlier or later cycles.
 */
void
assay_timeline_look_pan (AssayTimelineLook *look, const AssayTimeMap *map, double share)
{
  double range = range_of (look);

  look->first_cycle = CLAMP (look->first_cycle + share * range, 0,
                             MAX (MAX (map->end, 1) - range, 0));
  look->end_cycle = look->first_cycle + range;
}

/**
 * assay_timeline_look_get_height:
 * @look: a look
 * @map: a map
 *
 * Gets the height at which all lines and lanes are seen.
 *
 * Returns: units
 */
double
assay_timeline_look_get_height (const AssayTimelineLook *look, const AssayTimeMap *map)
{
  AssayTimelineLook least = *look;
  g_autoptr (GArray) rows = NULL;
  const Row *last;

  least.height = 0;
  rows = list_rows (&least, map);
  last = rows->len > 0 ? &g_array_index (rows, Row, rows->len - 1) : NULL;

  return (last != NULL ? last->y + last->height : MEMORY_RULERS) + MEMORY_GAP;
}

/**
 * assay_timeline_look_open_all:
 * @look: a look
 * @map: a map
 *
 * Opens the cores that work, as many as the height has room for.
 */
void
assay_timeline_look_open_all (AssayTimelineLook *look, const AssayTimeMap *map)
{
  for (guint i = 0; i < map->lanes->len; i++)
    {
      AssayTimelineLook more = *look;
      guint core = assay_time_map_get_lane (map, i)->core;

      if (core >= map->n_cores)
        continue;
      more.opened |= G_GUINT64_CONSTANT (1) << core;
      if (assay_timeline_look_get_height (&more, map) <= look->height)
        look->opened = more.opened;
    }
}

/**
 * assay_timeline_look_is_ruler:
 * @look: a look
 * @x: a place
 * @y: a place
 *
 * Tells whether a place is where cycles are written, from which they are measured.
 *
 * Returns: whether it is
 */
gboolean
assay_timeline_look_is_ruler (const AssayTimelineLook *look, double x, double y)
{
  return x >= AXIS && x <= AXIS + area_width (look) && y < MEMORY_RULERS;
}

/**
 * assay_timeline_look_get_x:
 * @look: a look
 * @cycle: a cycle
 *
 * Gets where a cycle begins.
 *
 * Returns: its x
 */
double
assay_timeline_look_get_x (const AssayTimelineLook *look, double cycle)
{
  return AXIS + (cycle - look->first_cycle) * area_width (look) / range_of (look);
}

/**
 * assay_timeline_look_locate:
 * @look: a look
 * @map: a map
 * @x: a place
 * @y: a place
 * @place: (out): what is there
 *
 * Finds out what a place in the picture stands for.
 *
 * Returns: whether there is a core or a port
 */
gboolean
assay_timeline_look_locate (const AssayTimelineLook *look, const AssayTimeMap *map, double x,
                            double y, AssayTimelinePlace *place)
{
  g_autoptr (GArray) rows = list_rows (look, map);
  double cycle = look->first_cycle + (x - AXIS) * range_of (look) / area_width (look);

  *place = (AssayTimelinePlace){ FALSE, 0, ASSAY_NO_LANE, 0, ASSAY_NO_EVENT };
  place->cycle = (guint32) CLAMP (cycle, 0, MAX (map->end, 1) - 1);
  for (guint i = 0; i < rows->len; i++)
    {
      const Row *row = &g_array_index (rows, Row, i);

      if (y < row->y || y >= row->y + row->height)
        continue;
      if (row->core > map->n_cores)
        return FALSE;
      place->core = row->core;
      place->lane = row->lane;
      place->is_header = row->lane == ASSAY_NO_LANE;
      if (!place->is_header && x >= AXIS)
        {
          const AssayTimeLane *lane = assay_time_map_get_lane (map, row->lane);
          /* Bars are at least as wide as a unit, however short they are. */
          guint32 found = assay_time_map_find_event (map, row->lane, place->cycle);

          if (found < lane->first + lane->n_events &&
              floor (assay_timeline_look_get_x (
                  look, assay_time_map_get_event (map, map->order[found])->start)) <= x)
            place->event = map->order[found];
        }
      return TRUE;
    }

  return FALSE;
}

static void
draw_ruler (const AssayTimeMap *map, const AssayTimelineLook *look, double bottom,
            AssayDisplayList *list)
{
  double interval = assay_memory_choose_interval (range_of (look), area_width (look), 72);
  double clock = MAX (assay_program_get_clock_mhz (map->program), 1);

  assay_display_list_rectangle (list, ASSAY_ROLE_VIEW_BG, AXIS, MEMORY_RULERS, area_width (look),
                                bottom - MEMORY_RULERS);
  assay_display_list_text (list, ASSAY_ROLE_TEXT_DIM, ASSAY_FONT_SMALL, ASSAY_LABEL_RIGHT, 0, 0,
                           AXIS - 8, 16, "cycle");
  assay_display_list_text (list, ASSAY_ROLE_TEXT_DIM, ASSAY_FONT_SMALL, ASSAY_LABEL_RIGHT, 0, 16,
                           AXIS - 8, 16, "µs");
  for (double cycle = ceil (look->first_cycle / interval) * interval; cycle < look->end_cycle;
       cycle += interval)
    {
      double x = floor (assay_timeline_look_get_x (look, cycle));
      g_autofree char *cycles = assay_sentence_dup_count ((guint64) MAX (cycle, 0));
      g_autofree char *time = g_strdup_printf (interval / clock < 0.01 ? "%.3f" : "%.2f",
                                               cycle / clock);

      assay_display_list_rectangle (list, ASSAY_ROLE_MEMORY_GRID, x, MEMORY_RULERS, 1,
                                    bottom - MEMORY_RULERS);
      if (x + 60 > look->width)
        break;
      assay_display_list_text (list, ASSAY_ROLE_TEXT_DIM, ASSAY_FONT_SMALL, ASSAY_LABEL_PLAIN, x, 0,
                               60, 16, cycles);
      assay_display_list_text (list, ASSAY_ROLE_TEXT_DIM, ASSAY_FONT_SMALL, ASSAY_LABEL_PLAIN, x,
                               16, 60, 16, time);
    }
}

static const Row *
find_row (const GArray *rows, guint lane)
{
  for (guint i = 0; i < rows->len; i++)
    if (g_array_index (rows, Row, i).lane == lane)
      return &g_array_index (rows, Row, i);

  return NULL;
}

static guint
find_lane (const AssayTimeMap *map, guint unit, guint core)
{
  for (guint i = 0; i < map->lanes->len; i++)
    {
      const AssayTimeLane *lane = assay_time_map_get_lane (map, i);

      if (lane->unit == unit && (lane->core == core || lane->core == map->n_cores))
        return i;
    }

  return ASSAY_NO_LANE;
}

/* How much of each few cycles the first unit is at work for this inference. */
static void
draw_curve (const AssayTimeMap *map, const AssayTimelineLook *look, const Row *row, guint lane,
            AssayDisplayList *list)
{
  const AssayTimeLane *first = assay_time_map_get_lane (map, lane);
  guint n = (guint) (area_width (look) / BUCKET) + 1;
  g_autofree double *used = g_new0 (double, n);

  for (guint32 i = assay_time_map_find_event (map, lane, (guint32) look->first_cycle);
       i < first->first + first->n_events; i++)
    {
      const AssayEvent *event = assay_time_map_get_event (map, map->order[i]);
      double x1 = assay_timeline_look_get_x (look, event->start) - AXIS;
      double x2 = assay_timeline_look_get_x (look, event->end) - AXIS;

      if (event->start >= look->end_cycle ||
          assay_program_get_row (map->program, event->instruction).ahead)
        break;
      x1 = MAX (x1, 0);
      x2 = MIN (x2, area_width (look));
      for (guint bucket = (guint) (x1 / BUCKET); bucket < n && bucket * BUCKET < x2; bucket++)
        used[bucket] += MIN (x2, (bucket + 1) * BUCKET) - MAX (x1, bucket * BUCKET);
    }

  for (guint bucket = 0; bucket < n; bucket++)
    {
      double height = floor (MIN (used[bucket] / BUCKET, 1) * (row->height - 6));
      double width = MIN (BUCKET, area_width (look) - bucket * BUCKET);

      if (height >= 1 && width > 0)
        assay_display_list_rectangle (list, ASSAY_ROLE_MEMORY_TOTAL, AXIS + bucket * BUCKET,
                                      row->y + row->height - 3 - height, width, height);
    }
}

static void
draw_header (const AssayTimeMap *map, const AssayTimelineLook *look, const Row *row,
             AssayDisplayList *list)
{
  guint lane = find_lane (map, 0, row->core);
  gboolean chosen = row->core == look->core;
  guint64 busy = lane != ASSAY_NO_LANE ? assay_time_map_get_lane (map, lane)->busy : 0;
  const char *sign = is_open (look, row->core) ? "▾" : "▸";
  /* A number tells several apart. */
  g_autofree char *name = map->n_cores > 1 ? g_strdup_printf ("%s core %u", sign, row->core)
                                           : g_strconcat (sign, " units", NULL);
  guint share = (guint) (busy * 100 / MAX (map->cycles.spaced, 1));
  g_autofree char *use = g_strdup_printf ("%s %u %%", assay_time_map_get_unit_name (map, 0), share);

  /* Its line below has the name; how much it is has to be seen. */
  if (SMALL_SIGN * (double) strlen (use) > HEADER_USE)
    {
      g_free (use);
      use = g_strdup_printf ("%u %%", share);
    }

  assay_display_list_rectangle (list, ASSAY_ROLE_FRAME_HEADER, 0, row->y + 1,
                                look->width - MEMORY_GAP, row->height - 2);
  if (chosen)
    assay_display_list_rectangle (list, ASSAY_ROLE_ACCENT, 0, row->y + 1, 3, row->height - 2);
  assay_display_list_text (list, ASSAY_ROLE_TEXT, chosen ? ASSAY_FONT_SMALL_BOLD : ASSAY_FONT_SMALL,
                           ASSAY_LABEL_PLAIN, 8, row->y + row->height / 2 - 8, 58, 16, name);
  assay_display_list_text (list, ASSAY_ROLE_TEXT_DIM, ASSAY_FONT_SMALL, ASSAY_LABEL_RIGHT, 62,
                           row->y + row->height / 2 - 8, AXIS - 70, 16, use);
  if (lane != ASSAY_NO_LANE)
    draw_curve (map, look, row, lane, list);
}

static void
draw_wait (const AssayEvent *event, const Row *row, double x1, double x2, AssayDisplayList *list)
{
  const char letter[] = { assay_wait_get_letter ((AssayWait) event->wait), '\0' };

  if (event->wait == ASSAY_WAIT_NONE || x2 - x1 < MIN_WAIT)
    return;

  assay_display_list_box (list, -1, ASSAY_ROLE_EDGE, ASSAY_LINE_DOTTED, 1, 0, x1 + 1, row->y + 4,
                          x2 - x1 - 2, row->height - 8);
  if (x2 - x1 >= MIN_LETTER)
    assay_display_list_text (list, ASSAY_ROLE_TEXT_DIM, ASSAY_FONT_SMALL, ASSAY_LABEL_CENTER, x1,
                             row->y + row->height / 2 - 8, x2 - x1, 16, letter);
}

static void
write_node (const AssayTimeMap *map, guint32 node, const Row *row, double x1, double x2,
            AssayDisplayList *list)
{
  if (x2 - x1 >= MIN_LABEL && node < assay_program_get_facts (map->program)->node_names->len)
    assay_display_list_text (list, ASSAY_ROLE_TEXT, ASSAY_FONT_SMALL, ASSAY_LABEL_ELLIPSIZE_START,
                             x1 + 4, row->y + row->height / 2 - 8, x2 - x1 - 8, 16,
                             assay_program_get_node_name (map->program, node));
}

static void
draw_bar (const AssayTimeMap *map, guint32 index, const Row *row, double x1, double x2,
          AssayDisplayList *list)
{
  const AssayEvent *event = assay_time_map_get_event (map, index);
  const AssayProgramRow instruction = assay_program_get_row (map->program, event->instruction);
  AssayRole fill = map->critical[index] ? ASSAY_ROLE_TIME_PATH : ASSAY_ROLE_GROUP_REST;

  assay_display_list_rectangle (list, fill, x1, row->y + 1, x2 - x1, row->height - 2);
  /* What is done for the next inference. */
  if (instruction.ahead && x2 - x1 >= ASSAY_HATCH_SIZE)
    assay_display_list_hatch (list, ASSAY_ROLE_EDGE, ASSAY_HATCH_DIAGONAL, x1, row->y + 1, x2 - x1,
                              row->height - 2);
  assay_display_list_box (list, -1, ASSAY_ROLE_BOX_BORDER, ASSAY_LINE_SOLID, 1, 0, x1, row->y + 1,
                          x2 - x1, row->height - 2);
  if (map->critical[index])
    assay_display_list_rectangle (list, ASSAY_ROLE_ACCENT, x1, row->y + row->height - 4, x2 - x1,
                                  3);
  write_node (map, instruction.node, row, x1, x2, list);
}

/* A whole inference as one bar, both ways on one scale. */
static void
draw_whole (const AssayTimeMap *map, const AssayTimelineLook *look, const Row *row,
            AssayDisplayList *list)
{
  gboolean contiguous = row->core > map->n_cores + 1;
  guint32 cycles = contiguous ? map->cycles.contiguous : map->cycles.spaced;
  double right = AXIS + area_width (look);
  double x1 = CLAMP (floor (assay_timeline_look_get_x (look, 0)), AXIS, right);
  double x2 = CLAMP (floor (assay_timeline_look_get_x (look, cycles)), AXIS, right);
  g_autofree char *count = assay_sentence_dup_count (cycles);
  g_autofree char *text = g_strdup_printf (
      "%s cycle%s, %.2f\u202fµs", count, assay_plural (cycles),
      cycles / MAX (assay_program_get_clock_mhz (map->program), 1.0));

  assay_display_list_text (list, ASSAY_ROLE_TEXT_DIM, ASSAY_FONT_SMALL, ASSAY_LABEL_RIGHT, 0,
                           row->y + row->height / 2 - 8, AXIS - 8, 16,
                           contiguous ? "contiguous" : "spaced");
  if (x2 > x1)
    assay_display_list_box (list, ASSAY_ROLE_GROUP_REST, ASSAY_ROLE_BOX_BORDER, ASSAY_LINE_SOLID, 1,
                            0, x1, row->y + 2, x2 - x1, row->height - 4);
  if (x2 - x1 >= MIN_LABEL)
    assay_display_list_text (list, ASSAY_ROLE_TEXT, ASSAY_FONT_SMALL, ASSAY_LABEL_RIGHT, x1 + 4,
                             row->y + row->height / 2 - 8, x2 - x1 - 8, 16, text);
  if (contiguous && right - x2 >= ASSAY_HATCH_SIZE)
    {
      assay_display_list_hatch (list, ASSAY_ROLE_EDGE, ASSAY_HATCH_DIAGONAL, x2, row->y + 2,
                                right - x2, row->height - 4);
      assay_display_list_box (list, -1, ASSAY_ROLE_BOX_BORDER, ASSAY_LINE_SOLID, 1, 0, x2,
                              row->y + 2, right - x2, row->height - 4);
    }
}

/* Bars too thin to be told apart, drawn as one. */
typedef struct
{
  double start;
  double end; /* before @start: there is none */
  gboolean critical;
  guint32 node;
  gboolean mixed; /* of several nodes */
} Dense;

static void
draw_dense (const AssayTimeMap *map, Dense *dense, const Row *row, AssayDisplayList *list)
{
  double width = dense->end - dense->start;

  if (dense->end < 0)
    return;

  assay_display_list_rectangle (list,
                                dense->critical ? ASSAY_ROLE_TIME_PATH : ASSAY_ROLE_GROUP_REST,
                                dense->start, row->y + 1, width, row->height - 2);
  assay_display_list_hatch (list, ASSAY_ROLE_MEMORY_GRID, ASSAY_HATCH_VERTICAL, dense->start,
                            row->y + 1, width, row->height - 2);
  if (dense->critical)
    assay_display_list_rectangle (list, ASSAY_ROLE_ACCENT, dense->start, row->y + row->height - 4,
                                  width, 3);
  if (width >= MIN_LABEL)
    assay_display_list_rectangle (list, ASSAY_ROLE_EDGE, dense->end - 1, row->y + 1, 1,
                                  row->height - 2);
  if (!dense->mixed)
    write_node (map, dense->node, row, dense->start, dense->end, list);
  dense->end = -1;
}

/* A node that has room for its name gets a block of its own. */
static gboolean
ends_dense (const Dense *dense, guint32 node, double x1, double x2)
{
  return x2 - x1 >= MIN_BAR || x1 > dense->end + 1 ||
         (node != dense->node && !dense->mixed && dense->end - dense->start >= MIN_LABEL);
}

static void
add_dense (Dense *dense, guint32 node, gboolean critical, double x1, double x2)
{
  if (dense->end < 0)
    *dense = (Dense){ x1, x2, FALSE, node, FALSE };
  dense->end = MAX (dense->end, x2);
  dense->critical = dense->critical || critical;
  dense->mixed = dense->mixed || node != dense->node;
}

/* Bars too thin to be told apart become one block, so that a lane never has more of them than units
 * of width. */
static void
draw_lane (const AssayTimeMap *map, const AssayTimelineLook *look, const Row *row,
           AssayDisplayList *list)
{
  const AssayTimeLane *lane = assay_time_map_get_lane (map, row->lane);
  Dense dense = { 0, -1, FALSE, 0, FALSE };
  double last = AXIS;

  assay_display_list_text (list, ASSAY_ROLE_TEXT_DIM, ASSAY_FONT_SMALL, ASSAY_LABEL_RIGHT, 0,
                           row->y + row->height / 2 - 8, AXIS - 8, 16,
                           assay_time_map_get_unit_name (map, lane->unit));
  assay_display_list_rectangle (list, ASSAY_ROLE_MEMORY_GRID, AXIS, row->y + row->height - 1,
                                area_width (look), 1);

  for (guint32 i = assay_time_map_find_event (map, row->lane, (guint32) look->first_cycle);
       i <= lane->first + lane->n_events; i++)
    {
      const AssayEvent *event = i < lane->first + lane->n_events
                                    ? assay_time_map_get_event (map, map->order[i])
                                    : NULL;
      double x1 = 0, x2 = 0;
      guint32 node;

      if (event != NULL && event->start >= look->end_cycle)
        event = NULL;
      if (event != NULL)
        {
          x1 = MAX (floor (assay_timeline_look_get_x (look, event->start)), AXIS);
          x2 = MIN (MAX (floor (assay_timeline_look_get_x (look, event->end)), x1 + 1),
                    AXIS + area_width (look) + 1);
        }
      node = event != NULL ? assay_program_get_row (map->program, event->instruction).node : 0;
      if (dense.end >= 0 && (event == NULL || ends_dense (&dense, node, x1, x2)))
        draw_dense (map, &dense, row, list);
      if (event == NULL)
        break;

      draw_wait (event, row, MAX (floor (assay_timeline_look_get_x (look, event->vacant)), last),
                 x1, list);
      if (x2 - x1 >= MIN_BAR)
        draw_bar (map, map->order[i], row, x1, x2, list);
      else
        add_dense (&dense, node, map->critical[map->order[i]], x1, x2);
      last = x2;
    }
}

static guint
lane_of (const AssayTimeMap *map, const AssayEvent *event)
{
  return find_lane (map, event->unit, event->core);
}

/* Where the critical path goes from one lane to another. */
static void
draw_connectors (const AssayTimeMap *map, const AssayTimelineLook *look, const GArray *rows,
                 AssayDisplayList *list)
{
  guint n = 0;

  for (guint i = 1; i < map->path->len; i++)
    {
      const AssayEvent *event = assay_time_map_get_event (map,
                                                          g_array_index (map->path, guint32, i));

      n += event->start >= look->first_cycle && event->start < look->end_cycle;
    }
  if (n > MAX_CONNECTORS)
    return;

  for (guint i = 1; i < map->path->len; i++)
    {
      const AssayEvent *from = assay_time_map_get_event (map,
                                                         g_array_index (map->path, guint32, i - 1));
      const AssayEvent *to = assay_time_map_get_event (map, g_array_index (map->path, guint32, i));
      const Row *source = find_row (rows, lane_of (map, from));
      const Row *end = find_row (rows, lane_of (map, to));
      double x = floor (assay_timeline_look_get_x (look, to->start));

      if (source == NULL || end == NULL || source == end || to->start < look->first_cycle ||
          to->start >= look->end_cycle)
        continue;
      const Row *upper = source->y < end->y ? source : end;

      assay_display_list_rectangle (list, ASSAY_ROLE_ACCENT, x - 1, upper->y + upper->height - 2, 3,
                                    fabs (end->y - source->y) - upper->height + 4);
    }
}

/**
 * assay_timeline_scene_draw:
 * @map: a map
 * @look: which part and how large
 * @list: gets the picture
 *
 * Draws cores, units and ports over the cycles: all but what changes with playhead and selection.
 */
void
assay_timeline_scene_draw (const AssayTimeMap *map, const AssayTimelineLook *look,
                           AssayDisplayList *list)
{
  g_autoptr (GArray) rows = list_rows (look, map);
  const Row *last = rows->len > 0 ? &g_array_index (rows, Row, rows->len - 1) : NULL;
  double bottom = last != NULL ? last->y + last->height : MEMORY_RULERS;

  draw_ruler (map, look, bottom, list);
  for (guint i = 0; i < rows->len; i++)
    {
      const Row *row = &g_array_index (rows, Row, i);

      if (row->core > map->n_cores)
        draw_whole (map, look, row, list);
      else if (row->lane == ASSAY_NO_LANE)
        draw_header (map, look, row, list);
      else
        draw_lane (map, look, row, list);
    }
  draw_connectors (map, look, rows, list);
  assay_display_list_box (list, -1, ASSAY_ROLE_EDGE, ASSAY_LINE_SOLID, 1, 0, AXIS - 1,
                          MEMORY_RULERS - 1, area_width (look) + 2, bottom - MEMORY_RULERS + 2);
}

static gboolean
is_among (const GArray *nodes, guint32 node)
{
  for (guint i = 0; nodes != NULL && i < nodes->len; i++)
    if (g_array_index (nodes, guint32, i) == node)
      return TRUE;

  return FALSE;
}

/* Cycles of a range in which a unit works for this inference. */
static guint64
count_busy (const AssayTimeMap *map, guint index, guint32 from, guint32 to)
{
  const AssayTimeLane *lane = assay_time_map_get_lane (map, index);
  guint64 busy = 0;

  for (guint32 i = assay_time_map_find_event (map, index, from); i < lane->first + lane->n_events;
       i++)
    {
      const AssayEvent *event = assay_time_map_get_event (map, map->order[i]);

      if (event->start >= to)
        break;
      if (event->end > from && !assay_program_get_row (map->program, event->instruction).ahead)
        busy += MIN (event->end, to) - MAX (event->start, from);
    }

  return busy;
}

/**
 * assay_timeline_describe_range:
 * @map: a map
 * @core: the core that is chosen
 * @from: a cycle
 * @to: a later one, not included
 *
 * Says how long a range is and how much of it each unit of a core works, which is named where there
 * are several.
 *
 * Returns: (transfer full): such as `120 cycles, 0.38 µs; core 0: matrix 80 %, drain 6 %`
 */
char *
assay_timeline_describe_range (const AssayTimeMap *map, guint core, guint32 from, guint32 to)
{
  GString *text = g_string_new (NULL);
  double clock = MAX (assay_program_get_clock_mhz (map->program), 1);
  g_autofree char *count = assay_sentence_dup_count (to - from);
  guint n = 0;

  g_string_append_printf (text, "%s cycle%s, %.3f µs", count, assay_plural (to - from),
                          (to - from) / clock);
  for (guint i = 0; i < map->lanes->len; i++)
    {
      const AssayTimeLane *lane = assay_time_map_get_lane (map, i);

      if (lane->core != core)
        continue;
      if (n == 0)
        g_string_append (text, "; ");
      if (n++ == 0 && map->n_cores > 1)
        g_string_append_printf (text, "core %u: ", core);
      g_string_append_printf (
          text, "%s%s %u %%", n > 1 ? ", " : "", assay_time_map_get_unit_name (map, lane->unit),
          (guint) (100 * (guint64) count_busy (map, i, from, to) / MAX (to - from, 1)));
    }

  return g_string_free (text, FALSE);
}

/* The lines of what was measured: how much it is, then the units, as many as a line has room for.
 */
static GPtrArray *
break_range (const char *text, double room)
{
  g_auto (GStrv) parts = g_strsplit (text, "; ", 2);
  g_auto (GStrv) units = g_strsplit (parts[1] != NULL ? parts[1] : "", ", ", -1);
  GPtrArray *lines = g_ptr_array_new_with_free_func (g_free);
  g_autoptr (GString) line = g_string_new (NULL);

  g_ptr_array_add (lines, g_strdup (parts[0]));
  for (guint i = 0; units[i] != NULL; i++)
    {
      if (line->len > 0 && SMALL_SIGN * (double) (line->len + strlen (units[i]) + 2) > room)
        {
          g_string_append_c (line, ',');
          g_ptr_array_add (lines, g_strdup (line->str));
          g_string_truncate (line, 0);
        }
      g_string_append_printf (line, "%s%s", line->len > 0 ? ", " : "", units[i]);
    }
  if (line->len > 0)
    g_ptr_array_add (lines, g_strdup (line->str));

  return lines;
}

/**
 * assay_timeline_scene_draw_range:
 * @map: a map
 * @look: which part and how large
 * @from: a cycle
 * @to: a later one, not included
 * @list: gets the picture
 *
 * Draws what is measured: two edges, and what lies between them at their top.
 */
void
assay_timeline_scene_draw_range (const AssayTimeMap *map, const AssayTimelineLook *look,
                                 guint32 from, guint32 to, AssayDisplayList *list)
{
  g_autoptr (GArray) rows = list_rows (look, map);
  const Row *last = rows->len > 0 ? &g_array_index (rows, Row, rows->len - 1) : NULL;
  double bottom = last != NULL ? last->y + last->height : MEMORY_RULERS;
  double x1 = CLAMP (floor (assay_timeline_look_get_x (look, from)), AXIS,
                     AXIS + area_width (look));
  double x2 = CLAMP (floor (assay_timeline_look_get_x (look, to)), AXIS, AXIS + area_width (look));
  g_autofree char *text = assay_timeline_describe_range (map, look->core, from, to);
  double room = MIN (area_width (look), 420);
  double left = CLAMP ((x1 + x2 - room) / 2, AXIS, AXIS + area_width (look) - room);
  g_autoptr (GPtrArray) lines = break_range (text, room - 8);

  assay_display_list_rectangle (list, ASSAY_ROLE_HALO, x1, MEMORY_RULERS, MAX (x2 - x1, 1),
                                bottom - MEMORY_RULERS);
  assay_display_list_rectangle (list, ASSAY_ROLE_VIEW_FG, x1, 0, 1, bottom);
  assay_display_list_rectangle (list, ASSAY_ROLE_VIEW_FG, x2, 0, 1, bottom);
  assay_display_list_box (list, ASSAY_ROLE_POPOVER_BG, ASSAY_ROLE_BOX_BORDER, ASSAY_LINE_SOLID, 1,
                          3, left, 6, room, 4 + RANGE_LINE * lines->len);
  for (guint i = 0; i < lines->len; i++)
    assay_display_list_text (list, ASSAY_ROLE_TEXT, ASSAY_FONT_SMALL, ASSAY_LABEL_CENTER, left + 4,
                             8 + RANGE_LINE * i, room - 8, RANGE_LINE,
                             g_ptr_array_index (lines, i));
}

/**
 * assay_timeline_scene_draw_marks:
 * @map: a map
 * @look: which part and how large
 * @cycle: where the playhead is
 * @nodes: (nullable) (element-type guint32): selected nodes of the program
 * @list: gets the picture
 *
 * Draws what changes with playhead and selection.
 */
void
assay_timeline_scene_draw_marks (const AssayTimeMap *map, const AssayTimelineLook *look,
                                 guint32 cycle, const GArray *nodes, AssayDisplayList *list)
{
  g_autoptr (GArray) rows = list_rows (look, map);
  const Row *last = rows->len > 0 ? &g_array_index (rows, Row, rows->len - 1) : NULL;
  double bottom = last != NULL ? last->y + last->height : MEMORY_RULERS;
  double x = floor (assay_timeline_look_get_x (look, cycle));

  assay_display_list_clip (list, AXIS - 4, 0, area_width (look) + 8, bottom + 4);
  for (guint32 i = 0; nodes != NULL && nodes->len > 0 && i < map->events->len; i++)
    {
      const AssayEvent *event = assay_time_map_get_event (map, i);
      const Row *row;
      double x1, x2;

      if (event->end < look->first_cycle || event->start >= look->end_cycle ||
          !is_among (nodes, assay_program_get_row (map->program, event->instruction).node))
        continue;
      row = find_row (rows, lane_of (map, event));
      if (row == NULL)
        continue;
      x1 = floor (assay_timeline_look_get_x (look, event->start));
      x2 = MAX (floor (assay_timeline_look_get_x (look, event->end)), x1 + 1);
      assay_display_list_box (list, -1, ASSAY_ROLE_ACCENT, ASSAY_LINE_SOLID, 2, 0, x1 - 2, row->y,
                              x2 - x1 + 4, row->height);
    }
  assay_display_list_rectangle (list, ASSAY_ROLE_VIEW_BG, x - 2, MEMORY_RULERS, 4,
                                bottom - MEMORY_RULERS);
  assay_display_list_rectangle (list, ASSAY_ROLE_VIEW_FG, x - 1, MEMORY_RULERS - 4, 2,
                                bottom - MEMORY_RULERS + 4);
  assay_display_list_end (list);
}
