/* assay-core-heat.c
 * SPDX-License-Identifier: Apache-2.0
 *
 * All cores over all steps at a glance: how full a store is, in five shades of its depth, in the
 * same place for six cores and for forty-eight. Steps lie where they lie in the map of one core.
 */
#include "draw/assay-core-heat.h"

#include <math.h>

#include "draw/assay-memory-scene-private.h"

#define SHADES 5u
#define COLUMN 2.0
#define NAME 14.0 /* least height of a row with a name */

static AssayArea
get_area (double width, double height)
{
  return (AssayArea){ MEMORY_AXIS, 0,
                      MAX (1, width - MEMORY_AXIS - MEMORY_SECTION - 2 * MEMORY_GAP), height };
}

static AssayArea
get_row (const AssayMemoryMap *map, const AssayArea *area, guint core)
{
  double top = floor (area->y + area->height * core / map->n_cores);
  double bottom = floor (area->y + area->height * (core + 1) / map->n_cores);

  return (AssayArea){ area->x, top, area->width, MAX (bottom - top, 1) };
}

/* The fullest step of a column, in shades; 0 is empty, and all of the depth the last one. */
static guint
shade_of (const AssayMemoryMap *map, const AssayMemoryUse *use, double from, double to)
{
  guint32 first = (guint32) from;
  guint32 end = (guint32) MIN (MAX (ceil (to), first + 1.0), map->n_steps);
  guint64 most = 0;

  for (guint32 step = first; use->used != NULL && step < end; step++)
    most = MAX (most, use->used[step]);

  return (guint) ((most * SHADES + MAX (use->depth, 1) - 1) / MAX (use->depth, 1));
}

static void
draw_row (const AssayMemoryMap *map, const AssayMemoryUse *use, const AssayArea *row,
          AssayDisplayList *list)
{
  double per_pixel = map->n_steps / row->width;
  double begin = 0;
  guint shade = 0;

  /* Neighbours of one shade are one rectangle. */
  for (double x = 0; x < row->width + COLUMN; x += COLUMN)
    {
      guint next = x < row->width ? shade_of (map, use, x * per_pixel,
                                              MIN (x + COLUMN, row->width) * per_pixel)
                                  : 0;

      if (next == shade && x < row->width)
        continue;
      if (shade > 0)
        assay_display_list_rectangle (
            list, (AssayRole) (ASSAY_ROLE_SCALE_1 + MIN (shade, SHADES) - 1), row->x + begin,
            row->y, MIN (x, row->width) - begin, row->height);
      shade = next;
      begin = x;
    }
}

/**
 * assay_core_heat_draw:
 * @map: a map
 * @store: a store that has steps
 * @core: the core that is looked at
 * @playhead: the step that is looked at
 * @width: width of the picture
 * @height: height of the picture
 * @list: gets the picture
 *
 * Draws how full a store of every core is at every step, and the fullest place of all.
 */
void
assay_core_heat_draw (const AssayMemoryMap *map, guint store, guint core, guint32 playhead,
                      double width, double height, AssayDisplayList *list)
{
  const AssayArea area = get_area (width, height);
  guint peak_core = 0;
  guint32 peak = 0;
  AssayArea row;
  double x;

  assay_display_list_rectangle (list, ASSAY_ROLE_VIEW_BG, area.x, area.y, area.width, area.height);
  for (guint i = 0; i < map->n_cores; i++)
    {
      const AssayMemoryUse *use = assay_memory_map_get_use (map, i, store);
      g_autofree char *name = g_strdup_printf ("c%u", i);

      row = get_row (map, &area, i);
      draw_row (map, use, &row, list);
      if (use->peak > peak)
        {
          peak = use->peak;
          peak_core = i;
        }
      /* Where rows are thin, the first and the last are named. */
      if (row.height >= NAME || (height >= 2 * NAME && (i == 0 || i + 1 == map->n_cores)))
        assay_display_list_text (list, ASSAY_ROLE_TEXT_DIM, ASSAY_FONT_SMALL, ASSAY_LABEL_RIGHT, 0,
                                 CLAMP (row.y + row.height / 2 - 8, 0, height - 16),
                                 MEMORY_AXIS - 6, 16, name);
    }

  row = get_row (map, &area, core);
  assay_display_list_box (list, -1, ASSAY_ROLE_ACCENT, ASSAY_LINE_SOLID, 2, 0, row.x, row.y,
                          row.width, row.height);
  x = floor (area.x + area.width * playhead / MAX (map->n_steps, 1));
  assay_display_list_rectangle (list, ASSAY_ROLE_TEXT, MIN (x, area.x + area.width - 1), area.y, 1,
                                area.height);
  if (peak > 0)
    {
      const AssayMemoryUse *use = assay_memory_map_get_use (map, peak_core, store);
      /* Rounded as all shares are: what is not full does not read 100 %. */
      guint percent = (guint) (100 * (guint64) peak / MAX (use->depth, 1));
      g_autofree char *share = percent < 1 ? g_strdup ("peak <1 %")
                                           : g_strdup_printf ("peak %u %%", percent);

      row = get_row (map, &area, peak_core);
      x = floor (area.x + area.width * use->peak_step / MAX (map->n_steps, 1));
      assay_display_list_box (list, -1, ASSAY_ROLE_ERROR, ASSAY_LINE_SOLID, 2, 0,
                              CLAMP (x - 3, area.x, area.x + area.width - 6), row.y, 6, row.height);
      assay_display_list_text (list, ASSAY_ROLE_TEXT, ASSAY_FONT_SMALL, ASSAY_LABEL_PLAIN,
                               area.x + area.width + MEMORY_GAP,
                               CLAMP (row.y + row.height / 2 - 8, 0, MAX (height - 16, 0)),
                               MEMORY_SECTION, 16, share);
    }
}

/**
 * assay_core_heat_find:
 * @map: a map
 * @width: width of the picture
 * @height: height of the picture
 * @x: a place
 * @y: a place
 * @core: (out): the core there
 * @step: (out): the step there
 *
 * Finds what is at a place.
 *
 * Returns: whether a core is
 */
gboolean
assay_core_heat_find (const AssayMemoryMap *map, double width, double height, double x, double y,
                      guint *core, guint32 *step)
{
  const AssayArea area = get_area (width, height);

  if (x < area.x || x >= area.x + area.width || y < area.y || y >= area.y + area.height ||
      map->n_steps == 0)
    return FALSE;

  *core = (guint) MIN ((y - area.y) * map->n_cores / area.height, map->n_cores - 1.0);
  *step = (guint32) MIN ((x - area.x) * map->n_steps / area.width, map->n_steps - 1.0);

  return TRUE;
}
