/* assay-memory-scene.c
 * SPDX-License-Identifier: Apache-2.0
 */
#include "draw/assay-memory-scene-private.h"

#include <math.h>
#include <string.h>

#include "base/assay-sentence.h"

/* Lengths in units. */
#define MAX_TOTAL 64.0
#define MIN_TOTAL 24.0
#define MIN_HATCH 8.0
/* More rectangles than this in sight are drawn without frames and patterns. */
#define MAX_RICH 2000

/* How each kind of tensor looks; patterns and frames tell them apart in grey. */
static const struct
{
  const char *name;
  AssayRole fill;
  AssayRole line;
  int hatch;
  double border;
} kinds[ASSAY_N_TENSOR_KINDS] = {
  [ASSAY_TENSOR_INPUT] = { "input", ASSAY_ROLE_MEMORY_PORT, ASSAY_ROLE_GREEN, ASSAY_HATCH_VERTICAL,
                           1 },
  [ASSAY_TENSOR_OUTPUT] = { "output", ASSAY_ROLE_MEMORY_PORT, ASSAY_ROLE_GREEN,
                            ASSAY_HATCH_VERTICAL, 1 },
  [ASSAY_TENSOR_ACTIVATION] = { "activation", ASSAY_ROLE_MEMORY_ACTIVATION, ASSAY_ROLE_BLUE, -1,
                                1 },
  [ASSAY_TENSOR_STATE] = { "streaming state", ASSAY_ROLE_MEMORY_STATE, ASSAY_ROLE_PURPLE,
                           ASSAY_HATCH_DIAGONAL, 1 },
  [ASSAY_TENSOR_COPY] = { "copy from another core", ASSAY_ROLE_MEMORY_COPY, ASSAY_ROLE_BLUE, -1,
                          2 },
  [ASSAY_TENSOR_SCRATCH] = { "scratch", ASSAY_ROLE_MEMORY_SCRATCH, ASSAY_ROLE_ORANGE_LINE,
                             ASSAY_HATCH_DOTS, 1 },
};

/* In a low picture the map needs the room more. */
static double
total_height (const AssayMemoryLook *look)
{
  return CLAMP (floor (look->height / 5), MIN_TOTAL, MAX_TOTAL);
}

static AssayArea
map_area (const AssayMemoryLook *look)
{
  AssayArea area = { MEMORY_AXIS, MEMORY_FLAG,
                     look->width - MEMORY_AXIS - MEMORY_SECTION - 2 * MEMORY_GAP,
                     look->height - MEMORY_FLAG - MEMORY_RULERS - total_height (look) -
                         MEMORY_GAP };

  area.width = MAX (area.width, 1);
  area.height = MAX (area.height, 1);
  return area;
}

static AssayArea
section_area (const AssayMemoryLook *look)
{
  AssayArea map = map_area (look);
  AssayArea area = { map.x + map.width + MEMORY_GAP, map.y, MEMORY_SECTION, map.height };

  return area;
}

static AssayArea
total_area (const AssayMemoryLook *look)
{
  AssayArea map = map_area (look);
  AssayArea area = { map.x, map.y + map.height + MEMORY_RULERS, map.width, total_height (look) };

  return area;
}

/**
 * assay_memory_kind_name:
 * @kind: a kind of planned tensor
 *
 * Gets what a kind is called.
 *
 * Returns: (transfer none): its name
 */
const char *
assay_memory_kind_name (AssayTensorKind kind)
{
  return kinds[kind].name;
}

static guint32
find_top (const AssayMemoryMap *map, const AssayMemoryUse *use)
{
  guint32 top = 0;

  for (guint i = 0; i < use->tensors->len; i++)
    {
      const AssayPlanned *planned = assay_memory_map_get_tensor (
          map, g_array_index (use->tensors, guint32, i));

      top = MAX (top, planned->base + planned->blocks);
    }

  return top;
}

/**
 * assay_memory_look_fit:
 * @look: a look with core and store
 * @map: a map
 *
 * Shows the whole program, and of the addresses the smallest half, quarter, eighth and so on of the
 * store that holds all that is used: a store that is nearly empty would be a line at the bottom.
 */
void
assay_memory_look_fit (AssayMemoryLook *look, const AssayMemoryMap *map)
{
  const AssayMemoryUse *use = assay_memory_map_get_use (map, look->core, look->store);
  guint32 top = find_top (map, use);
  double end = MAX (use->depth, 4);

  while (end / 2 >= top && end / 2 >= 8)
    end /= 2;

  look->first_step = 0;
  look->end_step = map->n_steps;
  look->first_block = 0;
  look->end_block = end;
}

/**
 * assay_memory_look_get_x:
 * @look: a look
 * @step: a step
 *
 * Gets where a step begins.
 *
 * Returns: its x
 */
double
assay_memory_look_get_x (const AssayMemoryLook *look, double step)
{
  AssayArea area = map_area (look);

  return area.x +
         (step - look->first_step) * area.width / MAX (look->end_step - look->first_step, 1e-6);
}

/**
 * assay_memory_look_get_y:
 * @look: a look
 * @block: an address
 *
 * Gets where an address begins; 0 is at the bottom.
 *
 * Returns: its y
 */
double
assay_memory_look_get_y (const AssayMemoryLook *look, double block)
{
  AssayArea area = map_area (look);

  return area.y + area.height -
         (block - look->first_block) * area.height /
             MAX (look->end_block - look->first_block, 1e-6);
}

/**
 * assay_memory_look_locate:
 * @look: a look
 * @map: a map
 * @x: a place
 * @y: a place
 * @step: (out): the step there; in the section and in margins the nearest one
 * @block: (out): the address there
 *
 * Finds out what a place in the picture stands for.
 *
 * Returns: the part of the picture
 */
AssayMemoryPart
assay_memory_look_locate (const AssayMemoryLook *look, const AssayMemoryMap *map, double x,
                          double y, guint32 *step, guint32 *block)
{
  AssayArea area = map_area (look);
  AssayArea section = section_area (look);
  AssayArea total = total_area (look);
  double at_step = look->first_step +
                   (x - area.x) / area.width * (look->end_step - look->first_step);
  double at_block = look->first_block + (area.y + area.height - y) / area.height *
                                            (look->end_block - look->first_block);

  *step = (guint32) CLAMP (at_step, 0, map->n_steps - 1);
  *block = (guint32) CLAMP (at_block, 0, look->end_block);
  if (assay_area_contains (&area, x, y))
    return ASSAY_MEMORY_PART_MAP;
  if (assay_area_contains (&section, x, y))
    return ASSAY_MEMORY_PART_SECTION;
  /* The ruler belongs to the total: both move the playhead. */
  total.y -= MEMORY_RULERS;
  total.height += MEMORY_RULERS;

  return assay_area_contains (&total, x, y) ? ASSAY_MEMORY_PART_TOTAL : ASSAY_MEMORY_PART_NONE;
}

/**
 * assay_memory_scene_find:
 * @map: a map
 * @look: a look
 * @step: a step
 * @block: an address
 *
 * Finds the tensor at a place.
 *
 * Returns: row of the plan, or %ASSAY_NO_TENSOR
 */
guint32
assay_memory_scene_find (const AssayMemoryMap *map, const AssayMemoryLook *look, guint32 step,
                         guint32 block)
{
  const AssayMemoryUse *use = assay_memory_map_get_use (map, look->core, look->store);

  for (guint i = 0; i < use->tensors->len; i++)
    {
      guint32 tensor = g_array_index (use->tensors, guint32, i);
      const AssayPlanned *planned = assay_memory_map_get_tensor (map, tensor);

      if (planned->born > step)
        break;
      if (planned->died >= step && block >= planned->base &&
          block - planned->base < planned->blocks)
        return tensor;
    }

  return ASSAY_NO_TENSOR;
}

/* A tensor in the map, at least one unit each way so that nothing that takes room is invisible. */
static AssayArea
tensor_area (const AssayMemoryMap *map, const AssayMemoryLook *look, const AssayPlanned *planned)
{
  double x1 = assay_memory_look_get_x (look, planned->born);
  double x2 = assay_memory_look_get_x (look, assay_memory_map_get_last_step (map, planned) + 1.0);
  double y1 = assay_memory_look_get_y (look, (double) planned->base + planned->blocks);
  double y2 = assay_memory_look_get_y (look, planned->base);
  AssayArea area = { floor (x1), floor (y1), MAX (1, floor (x2) - floor (x1)),
                     MAX (1, floor (y2) - floor (y1)) };

  return area;
}

void
assay_memory_draw_filled (const AssayArea *area, guint kind, gboolean rich, AssayDisplayList *list)
{
  if (!rich || area->width < 4 || area->height < 4)
    {
      assay_display_list_rectangle (
          list, area->width < 4 && area->height < 4 ? kinds[kind].line : kinds[kind].fill, area->x,
          area->y, area->width, area->height);
      return;
    }

  assay_display_list_rectangle (list, kinds[kind].fill, area->x, area->y, area->width,
                                area->height);
  if (kinds[kind].hatch >= 0 && area->width >= MIN_HATCH && area->height >= MIN_HATCH)
    assay_display_list_hatch (list, kinds[kind].line, (AssayHatch) kinds[kind].hatch, area->x,
                              area->y, area->width, area->height);
  assay_display_list_box (list, -1, kinds[kind].line, ASSAY_LINE_SOLID, kinds[kind].border, 0,
                          area->x, area->y, area->width, area->height);
}

/* Text stands on a plate of the fill: over a pattern, and over the playhead, it could not be read
 * otherwise. */
void
assay_memory_draw_label (const AssayArea *area, guint kind, const char *name,
                         AssayDisplayList *list)
{
  g_autofree char *shorter = NULL;
  double width;

  if (area->width < MEMORY_MIN_LABEL_WIDTH || area->height < MEMORY_MIN_LABEL_HEIGHT)
    return;

  /* Exporters end the names of all results alike; where there is little room the node says more. */
  if (7.0 * (double) g_utf8_strlen (name, -1) > area->width && g_str_has_suffix (name, "_output_0"))
    name = shorter = g_strndup (name, strlen (name) - strlen ("_output_0"));
  width = MIN (area->width - 10, 7.0 * (double) g_utf8_strlen (name, -1) + 6);
  assay_display_list_rectangle (list, kinds[kind].fill, area->x + 5, area->y + area->height / 2 - 8,
                                width, 16);
  assay_display_list_text (list, ASSAY_ROLE_TEXT, ASSAY_FONT_SMALL, ASSAY_LABEL_ELLIPSIZE_START,
                           area->x + 7, area->y + area->height / 2 - 8, area->width - 12, 16, name);
}

static void
draw_tensor (const AssayMemoryMap *map, const AssayMemoryLook *look, const AssayPlanned *planned,
             gboolean rich, AssayDisplayList *list)
{
  AssayArea area = tensor_area (map, look, planned);

  assay_memory_draw_filled (&area, planned->kind, rich, list);
  if (!rich)
    return;
  if (area.width >= 6 && area.height >= 4)
    assay_display_list_rectangle (list, kinds[planned->kind].line, area.x, area.y, 3, area.height);
}

/* The corner of a copy says where it comes from. */
static void
draw_source (const AssayMemoryMap *map, guint32 tensor, const AssayArea *area,
             AssayDisplayList *list)
{
  guint64 owners;
  g_autofree char *text = NULL;

  if (area->width < MEMORY_MIN_LABEL_WIDTH || area->height < 2 * MEMORY_MIN_LABEL_HEIGHT)
    return;

  assay_memory_map_find_copies (map, tensor, &owners);
  if (owners == 0)
    return;
  text = g_strdup_printf ("c%d", __builtin_ctzll (owners));
  assay_display_list_text (list, ASSAY_ROLE_TEXT, ASSAY_FONT_SMALL, ASSAY_LABEL_RIGHT,
                           area->x + area->width - 30, area->y + 1, 26, 16, text);
}

static gboolean
is_in_sight (const AssayMemoryMap *map, const AssayMemoryLook *look, const AssayPlanned *planned)
{
  return planned->born < look->end_step &&
         assay_memory_map_get_last_step (map, planned) + 1.0 > look->first_step &&
         planned->base < look->end_block &&
         (double) planned->base + planned->blocks > look->first_block;
}

/* A round number that leaves at least `least` units between marks. */
double
assay_memory_choose_interval (double range, double length, double least)
{
  static const double factors[] = { 1, 2, 5 };
  double decade = 1;

  for (guint i = 0; i < 30; i++)
    {
      double interval = factors[i % 3] * decade;

      if (interval * length / MAX (range, 1) >= least)
        return interval;
      if (i % 3 == 2)
        decade *= 10;
    }

  return MAX (range, 1);
}

/* Where the label of a place of the vertical scale stands: at both ends it stays beside the map. */
double
assay_memory_label_top (const AssayArea *area, double y)
{
  return CLAMP (y - 8, area->y - 4, area->y + area->height - 14);
}

/* Every how many of the four quarters of a scale there is room for a label, from its end on; more
 * than 4: at the end only. */
guint
assay_memory_choose_quarters (const AssayArea *area, double begin, double end)
{
  double quarter = (begin - end) / 4;
  guint every = 1;

  for (guint i = every; every <= 4 && i <= 4;)
    if (assay_memory_label_top (area, floor (begin - quarter * (i - every))) -
            assay_memory_label_top (area, floor (begin - quarter * i)) <
        MEMORY_LINE)
      i = every *= 2;
    else
      i += every;

  return every;
}

static void
draw_axes (const AssayMemoryMap *map, const AssayMemoryLook *look, AssayDisplayList *list)
{
  AssayArea area = map_area (look);
  double range = look->end_step - look->first_step;
  double interval = assay_memory_choose_interval (range, area.width, 64);
  double quarter = (look->end_block - look->first_block) / 4;
  guint every = assay_memory_choose_quarters (&area,
                                              assay_memory_look_get_y (look, look->first_block),
                                              assay_memory_look_get_y (look, look->end_block));

  assay_display_list_rectangle (list, ASSAY_ROLE_VIEW_BG, area.x, area.y, area.width, area.height);
  for (guint i = 0; i <= 4; i++)
    {
      double block = floor (look->first_block + i * quarter);
      double y = floor (assay_memory_look_get_y (look, block));
      g_autofree char *text = look->hexadecimal
                                  ? g_strdup_printf ("0x%x", (guint) block)
                                  : assay_sentence_dup_count ((guint64) MAX (block, 0));

      assay_display_list_rectangle (list, ASSAY_ROLE_MEMORY_GRID, area.x, y, area.width, 1);
      if ((4 - i) % every == 0)
        assay_display_list_text (list, ASSAY_ROLE_TEXT_DIM, ASSAY_FONT_SMALL, ASSAY_LABEL_RIGHT, 0,
                                 assay_memory_label_top (&area, y), MEMORY_AXIS - 6, 16, text);
    }

  for (double step = ceil (look->first_step / interval) * interval; step < look->end_step;
       step += interval)
    {
      double x = floor (assay_memory_look_get_x (look, step));
      g_autofree char *text = step <= 0 ? g_strdup ("step 0")
                                        : assay_sentence_dup_count ((guint64) step);
      g_autofree char *cycle = assay_program_counts_cycles (map->program)
                                   ? assay_sentence_dup_count (
                                         map->cycles[(guint32) MIN (step, map->n_steps - 1)])
                                   : NULL;
      g_autofree char *cycles = g_strconcat (step == 0 && cycle != NULL ? "cycle " : "", cycle,
                                             NULL);

      assay_display_list_rectangle (list, ASSAY_ROLE_MEMORY_GRID, x, area.y, 1, area.height);
      assay_display_list_text (list, ASSAY_ROLE_TEXT_DIM, ASSAY_FONT_SMALL, ASSAY_LABEL_PLAIN, x,
                               area.y + area.height + 1, 60, 16, text);
      assay_display_list_text (list, ASSAY_ROLE_TEXT_DIM, ASSAY_FONT_SMALL, ASSAY_LABEL_PLAIN, x,
                               area.y + area.height + MEMORY_RULER - 2, 60, 16, cycles);
    }
}

static char *
bank_text (const AssayProgramStore *store, guint n)
{
  g_autofree char *size = assay_sentence_dup_count ((guint64) n * store->bank * store->measured /
                                                    1024);

  return g_strdup_printf ("%u bank%s, %s KiB", n, assay_plural (n), size);
}

/* How much the banks of the chip hold; what is above the picture is said at its top. */
static void
draw_banks (const AssayMemoryMap *map, const AssayMemoryLook *look, AssayDisplayList *list)
{
  const AssayProgramStore *store = assay_program_get_store (map->program, look->store);
  AssayArea area = map_area (look);
  double height = assay_memory_look_get_y (look, 0) - assay_memory_look_get_y (look, store->bank);

  for (guint n = 1; n <= store->n_banks; n++)
    {
      double block = (double) n * store->bank;
      gboolean above = block > look->end_block;
      double y = above ? area.y : floor (assay_memory_look_get_y (look, block)) + 0.5;
      double top = MAX (y - 17, area.y + 1);
      g_autofree char *reach = bank_text (store, n);
      g_autofree char *text = above ? g_strconcat (reach, " ↑", NULL) : g_strdup (reach);
      double width = MIN (6.0 * (double) g_utf8_strlen (text, -1) + 8, area.width);

      if (block < look->first_block)
        continue;
      if (!above)
        assay_display_list_line (list, ASSAY_ROLE_TEXT, ASSAY_LINE_SHORT_DASHED, 1, area.x, y,
                                 area.x + area.width, y);
      /* Where lines are near each other the last one tells of all. */
      if (height >= 18 || above || n == store->n_banks)
        {
          assay_display_list_rectangle (list, ASSAY_ROLE_VIEW_BG, area.x + area.width - width, top,
                                        width, 16);
          assay_display_list_text (list, ASSAY_ROLE_TEXT, ASSAY_FONT_SMALL, ASSAY_LABEL_RIGHT,
                                   area.x + area.width - width, top, width - 4, 16, text);
        }
      if (above)
        break;
    }
}

/* The largest use under each unit of width, equal neighbours as one rectangle. */
static void
draw_area (const AssayMemoryUse *use, guint32 n_steps, const AssayArea *area, double first_step,
           double end_step, double end_block, AssayDisplayList *list)
{
  double from = area->x;
  double before = -1;
  guint columns = (guint) MAX (1, area->width);

  if (use->used == NULL)
    return;

  for (guint column = 0; column <= columns; column++)
    {
      double a = first_step + column * (end_step - first_step) / columns;
      double b = first_step + (column + 1) * (end_step - first_step) / columns;
      guint32 most = 0;
      double height;

      for (guint32 step = (guint32) CLAMP (a, 0, n_steps - 1); column < columns && step < n_steps;
           step++)
        {
          most = MAX (most, use->used[step]);
          if (step + 1.0 >= b)
            break;
        }
      height = column == columns ? -2 : floor (MIN (1, most / MAX (end_block, 1)) * area->height);
      if (most > 0)
        height = MAX (height, 1);
      if (height == before)
        continue;
      if (before > 0)
        assay_display_list_rectangle (list, ASSAY_ROLE_MEMORY_TOTAL, from,
                                      area->y + area->height - before, area->x + column - from,
                                      before);
      from = area->x + column;
      before = height;
    }
}

static void
draw_total (const AssayMemoryMap *map, const AssayMemoryLook *look, AssayDisplayList *list)
{
  const AssayMemoryUse *use = assay_memory_map_get_use (map, look->core, look->store);
  AssayArea area = total_area (look);

  assay_display_list_rectangle (list, ASSAY_ROLE_VIEW_BG, area.x, area.y, area.width, area.height);
  draw_area (use, map->n_steps, &area, look->first_step, look->end_step, look->end_block, list);
  if (look->end_block >= use->depth)
    assay_display_list_line (list, ASSAY_ROLE_TEXT_DIM, ASSAY_LINE_SHORT_DASHED, 1, area.x,
                             area.y + 0.5, area.x + area.width, area.y + 0.5);
  assay_display_list_rectangle (list, ASSAY_ROLE_EDGE, area.x, area.y + area.height, area.width, 1);
  assay_display_list_text (list, ASSAY_ROLE_TEXT_DIM, ASSAY_FONT_SMALL, ASSAY_LABEL_RIGHT, 0,
                           area.y + 8, MEMORY_AXIS - 6, 16, "total");
}

static double
flag_width (const char *text)
{
  return 7.0 * (double) strlen (text) + 8;
}

static double
flag_left (const AssayArea *area, double x, const char *text)
{
  double width = flag_width (text);

  return MAX (MIN (x - width / 2, area->x + area->width - width), area->x);
}

static void
draw_flag_at (const AssayArea *area, double left, const char *text, AssayRole fill, AssayRole ink,
              AssayDisplayList *list)
{
  double width = flag_width (text);

  assay_display_list_box (list, fill, fill, ASSAY_LINE_SOLID, 0, 3, left, area->y - MEMORY_FLAG + 1,
                          width, 17);
  assay_display_list_text (list, ink, ASSAY_FONT_SMALL, ASSAY_LABEL_CENTER, left,
                           area->y - MEMORY_FLAG + 1, width, 17, text);
}

/* A flag over an area, with its middle over x where there is room. */
void
assay_memory_draw_flag (const AssayArea *area, double x, const char *text, AssayRole fill,
                        AssayRole ink, AssayDisplayList *list)
{
  draw_flag_at (area, flag_left (area, x, text), text, fill, ink, list);
}

/* Of the flag of the peak; NULL where there is none. */
static char *
dup_peak (const AssayMemoryMap *map, const AssayMemoryLook *look, double *x)
{
  const AssayMemoryUse *use = assay_memory_map_get_use (map, look->core, look->store);
  AssayArea area = map_area (look);
  g_autofree char *peak = assay_sentence_dup_count (use->peak);
  g_autofree char *step = assay_sentence_dup_count (use->peak_step);

  *x = floor (assay_memory_look_get_x (look, use->peak_step + 0.5)) + 0.5;

  return use->peak > 0 && *x >= area.x && *x <= area.x + area.width
             ? g_strdup_printf ("peak %s, step %s", peak, step)
             : NULL;
}

static void
draw_peak (const AssayMemoryMap *map, const AssayMemoryLook *look, AssayDisplayList *list)
{
  AssayArea area = map_area (look);
  AssayArea total = total_area (look);
  double x;
  g_autofree char *text = dup_peak (map, look, &x);

  if (text == NULL)
    return;

  assay_display_list_line (list, ASSAY_ROLE_TEXT, ASSAY_LINE_DOTTED, 1.5, x, area.y - 2, x,
                           total.y + total.height);
  assay_memory_draw_flag (&area, x, text, ASSAY_ROLE_TEXT, ASSAY_ROLE_VIEW_BG, list);
}

/**
 * assay_memory_scene_draw:
 * @map: a map
 * @look: which part and how large
 * @list: gets the picture
 *
 * Draws steps by addresses, and the blocks in use below: all that does not depend on playhead and
 * selection.
 */
void
assay_memory_scene_draw (const AssayMemoryMap *map, const AssayMemoryLook *look,
                         AssayDisplayList *list)
{
  const AssayMemoryUse *use = assay_memory_map_get_use (map, look->core, look->store);
  AssayArea area = map_area (look);
  guint in_sight = 0;

  draw_axes (map, look, list);
  for (guint i = 0; i < use->tensors->len; i++)
    in_sight += is_in_sight (
        map, look, assay_memory_map_get_tensor (map, g_array_index (use->tensors, guint32, i)));

  assay_display_list_clip (list, area.x, area.y, area.width, area.height);
  for (guint i = 0; i < use->tensors->len; i++)
    {
      guint32 tensor = g_array_index (use->tensors, guint32, i);
      const AssayPlanned *planned = assay_memory_map_get_tensor (map, tensor);

      if (!is_in_sight (map, look, planned))
        continue;
      assay_display_list_group (list, tensor);
      draw_tensor (map, look, planned, in_sight <= MAX_RICH, list);
      assay_display_list_end (list);
    }
  assay_display_list_end (list);
  draw_banks (map, look, list);

  assay_display_list_box (list, -1, ASSAY_ROLE_EDGE, ASSAY_LINE_SOLID, 1, 0, area.x - 1, area.y - 1,
                          area.width + 2, area.height + 2);
  draw_total (map, look, list);
  draw_peak (map, look, list);
}

static void
cut (AssayArea *area, const AssayArea *to)
{
  double right = MIN (area->x + area->width, to->x + to->width);
  double bottom = MIN (area->y + area->height, to->y + to->height);

  area->x = MAX (area->x, to->x);
  area->y = MAX (area->y, to->y);
  area->width = right - area->x;
  area->height = bottom - area->y;
}

static int
compare_base (gconstpointer a, gconstpointer b, gpointer data)
{
  const AssayPlanned *l = assay_memory_map_get_tensor (data, *(const guint32 *) a);
  const AssayPlanned *r = assay_memory_map_get_tensor (data, *(const guint32 *) b);

  return l->base < r->base ? -1 : l->base > r->base;
}

/**
 * assay_memory_scene_draw_names:
 * @map: a map
 * @look: which part and how large
 * @list: gets the picture
 *
 * Draws the names of the tensors, to be laid over the marks: a playhead must not cross out what it
 * points at.
 */
void
assay_memory_scene_draw_names (const AssayMemoryMap *map, const AssayMemoryLook *look,
                               AssayDisplayList *list)
{
  const AssayMemoryUse *use = assay_memory_map_get_use (map, look->core, look->store);
  AssayArea area = map_area (look);
  g_autoptr (GArray) in_sight = g_array_new (FALSE, FALSE, sizeof (guint32));
  g_autoptr (GPtrArray) groups = NULL;

  for (guint i = 0; i < use->tensors->len && in_sight->len < MAX_RICH; i++)
    {
      guint32 tensor = g_array_index (use->tensors, guint32, i);

      if (is_in_sight (map, look, assay_memory_map_get_tensor (map, tensor)))
        g_array_append_val (in_sight, tensor);
    }

  groups = assay_memory_map_group (map, in_sight);
  for (guint i = 0; i < groups->len; i++)
    {
      const AssayMemoryGroup *group = g_ptr_array_index (groups, i);
      guint32 end = G_MAXUINT32;

      g_array_sort_with_data (group->tensors, compare_base, (gpointer) map);
      for (guint j = 0; j < group->tensors->len; j++)
        {
          guint32 tensor = g_array_index (group->tensors, guint32, j);
          const AssayPlanned *planned = assay_memory_map_get_tensor (map, tensor);
          AssayArea shown = tensor_area (map, look, planned);

          cut (&shown, &area);
          /* Vectors that lie on each other are called by their name once. */
          if (planned->base != end)
            assay_memory_draw_label (&shown, planned->kind, planned->name, list);
          end = planned->base + planned->blocks;
          if (planned->kind == ASSAY_TENSOR_COPY)
            draw_source (map, tensor, &shown, list);
        }
    }
}

/* Free room: a dotted outline, with words if they fit. */
void
assay_memory_draw_hole (const AssayArea *area, const char *text, AssayDisplayList *list)
{
  if (area->height < 4)
    return;

  assay_display_list_box (list, -1, ASSAY_ROLE_TEXT_DIM, ASSAY_LINE_DOTTED, 1, 0, area->x + 2,
                          area->y + 1, area->width - 4, area->height - 2);
  if (text != NULL && area->height >= 18)
    assay_display_list_text (list, ASSAY_ROLE_TEXT_DIM, ASSAY_FONT_SMALL, ASSAY_LABEL_CENTER,
                             area->x + 3, area->y + area->height / 2 - 8, area->width - 6, 16,
                             text);
}

static void
draw_hole (const AssayMemoryLook *look, double from, double to, gboolean largest,
           AssayDisplayList *list)
{
  AssayArea area = section_area (look);
  g_autofree char *count = assay_sentence_dup_count ((guint64) round (to - from));
  g_autofree char *text = g_strconcat (count, " free", NULL);

  area.y = floor (assay_memory_look_get_y (look, MIN (to, look->end_block)));
  area.height = floor (assay_memory_look_get_y (look, MAX (from, look->first_block))) - area.y;
  assay_memory_draw_hole (&area, largest ? text : NULL, list);
}

static gboolean
lives_at (const AssayPlanned *planned, guint32 step)
{
  return step != ASSAY_NO_STEP && planned->born <= step && planned->died >= step;
}

/* What lay there at the pinned step and is gone at the playhead. */
static void
draw_gone (const AssayMemoryMap *map, const AssayMemoryLook *look, guint32 playhead, guint32 pinned,
           AssayDisplayList *list)
{
  g_autoptr (GArray) before = assay_memory_map_list_live (map, look->core, look->store, pinned);
  AssayArea section = section_area (look);

  for (guint i = 0; i < before->len; i++)
    {
      const AssayPlanned *planned = assay_memory_map_get_tensor (
          map, g_array_index (before, guint32, i));
      AssayArea area = tensor_area (map, look, planned);
      g_autofree char *text = g_strdup_printf ("− %s", planned->name);

      if (lives_at (planned, playhead) || planned->base >= look->end_block)
        continue;
      area.x = section.x;
      area.width = section.width;
      assay_display_list_box (list, -1, ASSAY_ROLE_TEXT, ASSAY_LINE_SHORT_DASHED, 1, 0, area.x + 4,
                              area.y + 1, area.width - 8, area.height - 2);
      if (area.height >= MEMORY_MIN_LABEL_HEIGHT)
        assay_display_list_text (list, ASSAY_ROLE_TEXT, ASSAY_FONT_SMALL, ASSAY_LABEL_PLAIN,
                                 area.x + 7, area.y + area.height / 2 - 8, area.width - 12, 16,
                                 text);
    }
}

/* What lies where at the playhead, and the holes between. */
static void
draw_section (const AssayMemoryMap *map, const AssayMemoryLook *look, guint32 playhead,
              guint32 pinned, AssayDisplayList *list)
{
  const AssayMemoryUse *use = assay_memory_map_get_use (map, look->core, look->store);
  g_autoptr (GArray) live = assay_memory_map_list_live (map, look->core, look->store, playhead);
  AssayArea area = section_area (look);
  guint32 largest_at = 0, largest = 0, end = 0;

  assay_display_list_rectangle (list, ASSAY_ROLE_VIEW_BG, area.x, area.y, area.width, area.height);
  g_array_sort_with_data (live, compare_base, (gpointer) map);
  for (guint pass = 0; pass < 2; pass++)
    {
      end = 0;
      for (guint i = 0; i <= live->len; i++)
        {
          const AssayPlanned *planned = i < live->len ? assay_memory_map_get_tensor (
                                                            map, g_array_index (live, guint32, i))
                                                      : NULL;
          guint32 limit = planned != NULL ? planned->base : use->depth;

          if (limit > end && pass == 0 && limit - end > largest)
            {
              largest = limit - end;
              largest_at = end;
            }
          if (limit > end && pass == 1)
            draw_hole (look, end, limit, end == largest_at, list);
          if (planned != NULL)
            end = planned->base + planned->blocks;
        }
    }

  for (guint i = 0; i < live->len; i++)
    {
      const AssayPlanned *planned = assay_memory_map_get_tensor (map,
                                                                 g_array_index (live, guint32, i));
      AssayArea tensor = tensor_area (map, look, planned);

      if (!is_in_sight (map, look, planned) && planned->base >= look->end_block)
        continue;
      tensor.x = area.x;
      tensor.width = area.width;
      assay_memory_draw_filled (&tensor, planned->kind, TRUE, list);
      if (pinned != ASSAY_NO_STEP && !lives_at (planned, pinned))
        {
          g_autofree char *added = g_strdup_printf ("+ %s", planned->name);

          assay_memory_draw_label (&tensor, planned->kind, added, list);
        }
      else
        {
          assay_memory_draw_label (&tensor, planned->kind, planned->name, list);
        }
    }
  if (pinned != ASSAY_NO_STEP)
    draw_gone (map, look, playhead, pinned, list);
  assay_display_list_box (list, -1, ASSAY_ROLE_EDGE, ASSAY_LINE_SOLID, 1, 0, area.x - 1, area.y - 1,
                          area.width + 2, area.height + 2);
}

/* Beside the flag of the peak, where it would lie over that and has room. */
static double
pin_left (const AssayMemoryMap *map, const AssayMemoryLook *look, double x, const char *text)
{
  AssayArea area = map_area (look);
  double left = flag_left (&area, x, text);
  double width = flag_width (text);
  double at, other;
  g_autofree char *peak = dup_peak (map, look, &at);

  if (peak == NULL)
    return left;

  other = flag_left (&area, at, peak);
  if (left + width <= other || left >= other + flag_width (peak))
    return left;
  if (x >= at && other + flag_width (peak) + 2 + width <= area.x + area.width)
    return other + flag_width (peak) + 2;
  if (other - 2 - width >= area.x)
    return other - 2 - width;

  return other + flag_width (peak) + 2 + width <= area.x + area.width
             ? other + flag_width (peak) + 2
             : left;
}

static void
draw_pin (const AssayMemoryMap *map, const AssayMemoryLook *look, guint32 pinned,
          AssayDisplayList *list)
{
  AssayArea area = map_area (look);
  AssayArea total = total_area (look);
  double x = floor (assay_memory_look_get_x (look, pinned + 0.5));
  g_autofree char *step = assay_sentence_dup_count (pinned);
  g_autofree char *text = g_strconcat ("pinned, step ", step, NULL);

  if (x < area.x || x > area.x + area.width)
    return;

  assay_display_list_line (list, ASSAY_ROLE_ACCENT, ASSAY_LINE_SHORT_DASHED, 2, x, area.y, x,
                           total.y + total.height);
  draw_flag_at (&area, pin_left (map, look, x, text), text, ASSAY_ROLE_ACCENT_BG,
                ASSAY_ROLE_ERROR_FG, list);
}

static void
draw_outline (const AssayMemoryMap *map, const AssayMemoryLook *look, guint32 tensor,
              guint32 playhead, AssayDisplayList *list)
{
  const AssayPlanned *planned = assay_memory_map_get_tensor (map, tensor);
  AssayArea section = section_area (look);
  AssayArea area;

  if (planned->core != look->core || planned->store != look->store ||
      !is_in_sight (map, look, planned))
    return;

  area = tensor_area (map, look, planned);
  assay_display_list_box (list, -1, ASSAY_ROLE_VIEW_BG, ASSAY_LINE_SOLID, 1, 0, area.x - 1,
                          area.y - 1, area.width + 2, area.height + 2);
  assay_display_list_box (list, -1, ASSAY_ROLE_ACCENT, ASSAY_LINE_SOLID, 3, 0, area.x - 4,
                          area.y - 4, area.width + 8, area.height + 8);
  if (planned->born <= playhead && planned->died >= playhead)
    assay_display_list_box (list, -1, ASSAY_ROLE_ACCENT, ASSAY_LINE_SOLID, 3, 0, section.x - 2,
                            area.y - 2, section.width + 4, area.height + 4);
}

/**
 * assay_memory_scene_draw_marks:
 * @map: a map
 * @look: which part and how large
 * @playhead: the step that is looked at
 * @pinned: the step it is compared with, or %ASSAY_NO_STEP
 * @selected: (nullable) (element-type guint32): rows of the plan
 * @list: gets the picture
 *
 * Draws what changes with playhead and selection: the cross-section, outlines, and the playhead.
 */
void
assay_memory_scene_draw_marks (const AssayMemoryMap *map, const AssayMemoryLook *look,
                               guint32 playhead, guint32 pinned, GArray *selected,
                               AssayDisplayList *list)
{
  AssayArea area = map_area (look);
  AssayArea total = total_area (look);
  double x = floor (assay_memory_look_get_x (look, playhead + 0.5));

  draw_section (map, look, playhead, pinned, list);
  if (pinned != ASSAY_NO_STEP)
    draw_pin (map, look, pinned, list);

  assay_display_list_clip (list, area.x - 4, area.y - 4, look->width - area.x + 8, area.height + 8);
  for (guint i = 0; selected != NULL && i < selected->len; i++)
    draw_outline (map, look, g_array_index (selected, guint32, i), playhead, list);
  assay_display_list_end (list);

  if (x < area.x || x > area.x + area.width)
    return;
  assay_display_list_rectangle (list, ASSAY_ROLE_VIEW_BG, x - 2, area.y, 4, area.height);
  assay_display_list_rectangle (list, ASSAY_ROLE_VIEW_FG, x - 1, area.y, 2, area.height + 2);
  assay_display_list_rectangle (list, ASSAY_ROLE_VIEW_BG, x - 2, total.y, 4, total.height);
  assay_display_list_rectangle (list, ASSAY_ROLE_VIEW_FG, x - 1, total.y - 4, 2, total.height + 4);
}

/* A line as long as the selected tensor lives, in the strip of every core that holds it. */
static void
draw_in_strip (const AssayMemoryMap *map, guint core, guint store, guint32 marked,
               const AssayArea *area, AssayDisplayList *list)
{
  const AssayPlanned *planned;
  guint64 owners = 0, cores;
  double x1, x2;

  if (marked == ASSAY_NO_TENSOR)
    return;

  planned = assay_memory_map_get_tensor (map, marked);
  if (planned->store != store)
    return;
  cores = assay_memory_map_find_copies (map, marked, &owners) | owners;
  if ((cores >> core & 1) == 0)
    return;

  x1 = floor (area->x + planned->born * area->width / map->n_steps);
  x2 = floor (area->x +
              (assay_memory_map_get_last_step (map, planned) + 1.0) * area->width / map->n_steps);
  assay_display_list_rectangle (list, ASSAY_ROLE_ACCENT, x1, area->y + area->height - 3,
                                MAX (3, x2 - x1), 3);
}

/**
 * assay_memory_scene_draw_strip:
 * @map: a map
 * @core: a core
 * @store: tensor RAM, accumulators or cell state
 * @marked: the selected row of the plan, or %ASSAY_NO_TENSOR
 * @width: width of the picture
 * @height: height of the picture
 * @list: gets the picture
 *
 * Draws the use of a store over the steps, as small as in the button of a core.
 */
void
assay_memory_scene_draw_strip (const AssayMemoryMap *map, guint core, guint store, guint32 marked,
                               double width, double height, AssayDisplayList *list)
{
  const AssayMemoryUse *use = assay_memory_map_get_use (map, core, store);
  AssayArea area = { 0, 0, width, height };

  assay_display_list_rectangle (list, ASSAY_ROLE_MEMORY_GRID, 0, height - 1, width, 1);
  draw_area (use, map->n_steps, &area, 0, map->n_steps, use->depth, list);
  draw_in_strip (map, core, store, marked, &area, list);
}

/* Where the banks end that weights are brought into. */
static void
draw_weight_banks (const AssayProgramStore *store, const AssayArea *row, AssayDisplayList *list)
{
  double x = floor (row->x + row->width * store->bank / MAX (store->depth, 1)) + 0.5;
  g_autofree char *text = bank_text (store, store->n_banks);

  if (store->n_banks == 0)
    return;
  if (store->bank < store->depth)
    assay_display_list_line (list, ASSAY_ROLE_TEXT, ASSAY_LINE_SHORT_DASHED, 1, x, row->y - 4, x,
                             row->y + row->height + 4);
  if (row->height >= 40)
    assay_display_list_text (list, ASSAY_ROLE_TEXT_DIM, ASSAY_FONT_SMALL, ASSAY_LABEL_PLAIN,
                             row->x + row->width + 8, row->y + row->height / 2 + 8, 116, 16, text);
}

static void
draw_resident (const AssayResident *placed, guint depth, const AssayArea *row,
               AssayDisplayList *list)
{
  double x1 = floor (row->x + row->width * placed->base / depth);
  double x2 = floor (row->x + row->width * ((double) placed->base + placed->blocks) / depth);
  double width = MAX (x2 - x1, 1);
  double share = floor (width * CLAMP (placed->padding, 0, 1));

  assay_display_list_rectangle (list, ASSAY_ROLE_MEMORY_WEIGHTS, x1, row->y, width, row->height);
  if (share >= 2)
    assay_display_list_hatch (list, ASSAY_ROLE_BROWN, ASSAY_HATCH_BACK_DIAGONAL, x1 + width - share,
                              row->y, share, row->height);
  if (width >= 4)
    assay_display_list_box (list, -1, ASSAY_ROLE_BROWN, ASSAY_LINE_SOLID, 1, 0, x1, row->y, width,
                            row->height);
  if (width >= MEMORY_MIN_LABEL_WIDTH && row->height >= MEMORY_MIN_LABEL_HEIGHT)
    assay_display_list_text (list, ASSAY_ROLE_TEXT, ASSAY_FONT_SMALL, ASSAY_LABEL_ELLIPSIZE_START,
                             x1 + 6, row->y + row->height / 2 - 8, width - 10, 16, placed->name);
}

/**
 * assay_memory_scene_draw_weights:
 * @map: a map
 * @width: width of the picture
 * @height: height of the picture
 * @list: gets the picture
 *
 * Draws the weight store of every core as a bar over its addresses, the padded share of each matrix
 * hatched.
 */
void
assay_memory_scene_draw_weights (const AssayMemoryMap *map, double width, double height,
                                 AssayDisplayList *list)
{
  guint depth = assay_memory_map_get_resident_depth (map);
  double pitch = CLAMP ((height - MEMORY_GAP) / MAX (map->n_cores, 1), 6, 72);
  double right = 128;

  for (guint core = 0; core < map->n_cores; core++)
    {
      AssayArea row = { MEMORY_AXIS + 8, MEMORY_GAP + core * pitch,
                        MAX (1, width - MEMORY_AXIS - 8 - right), MAX (4, pitch - 8) };
      g_autofree char *name = map->n_cores > 1 ? g_strdup_printf ("core %u", core) : g_strdup ("");
      g_autofree char *used = assay_sentence_dup_count (map->weights[core]);
      g_autofree char *all = assay_sentence_dup_count (depth);
      g_autofree char *fill = g_strdup_printf ("%s / %s block%s", used, all, assay_plural (depth));

      assay_display_list_rectangle (list, ASSAY_ROLE_VIEW_BG, row.x, row.y, row.width, row.height);
      assay_display_list_box (list, -1, ASSAY_ROLE_EDGE, ASSAY_LINE_SOLID, 1, 0, row.x - 1,
                              row.y - 1, row.width + 2, row.height + 2);
      for (guint i = 0; i < assay_program_get_facts (map->program)->residents->len; i++)
        {
          const AssayResident *resident = assay_program_get_resident (map->program, i);

          if (resident->core == core)
            draw_resident (resident, MAX (depth, 1), &row, list);
        }
      for (guint i = 0; i < map->n_stores; i++)
        if (map->uses[i] == NULL)
          draw_weight_banks (assay_program_get_store (map->program, i), &row, list);
      if (pitch < 16)
        continue;
      assay_display_list_text (list, ASSAY_ROLE_TEXT, ASSAY_FONT_SMALL, ASSAY_LABEL_RIGHT, 0,
                               row.y + row.height / 2 - 8, MEMORY_AXIS, 16, name);
      assay_display_list_text (list, ASSAY_ROLE_TEXT_DIM, ASSAY_FONT_SMALL, ASSAY_LABEL_PLAIN,
                               row.x + row.width + 8, row.y + row.height / 2 - 8, right - 12, 16,
                               fill);
    }
}
