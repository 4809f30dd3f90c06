/* assay-memory-failure.c
 * SPDX-License-Identifier: Apache-2.0
 */
#include "draw/assay-memory-failure.h"

#include <math.h>

#include "base/assay-sentence.h"
#include "draw/assay-memory-scene-private.h"

/* Width of the request, and of the hole beside it. */
#define BAR 96.0
#define FLAG_GAP 4.0

/* The parts of the picture, and what its two axes mean. */
typedef struct
{
  const AssayAllocation *allocation;
  AssayArea map;     /* steps by addresses, ends with the failing step */
  AssayArea section; /* what lies where at that step */
  AssayArea request;
  AssayArea hole;
  double end_step;
  double end_block;
} Picture;

static gboolean
is_weights (const AssayAllocation *allocation)
{
  return allocation->tensor == NULL;
}

/* Weights have no step: their map is the section. */
static void
lay_out (Picture *self, const AssayAllocation *allocation, double width, double height)
{
  double map_height = MAX (1, height - MEMORY_FLAG - MEMORY_RULER);
  double bars = 2 * (BAR + MEMORY_GAP) + MEMORY_GAP;
  double section = is_weights (allocation) ? MAX (1, width - MEMORY_AXIS - bars) : MEMORY_SECTION;
  double map_width = is_weights (allocation)
                         ? 0
                         : MAX (1, width - MEMORY_AXIS - MEMORY_GAP - section - bars);
  double x = MEMORY_AXIS;

  self->allocation = allocation;
  self->end_step = allocation->step + 1.0;
  self->end_block = MAX (MAX (allocation->depth, allocation->needed), 1);
  self->map = (AssayArea){ x, MEMORY_FLAG, map_width, map_height };
  x += map_width + (map_width > 0 ? MEMORY_GAP : 0);
  self->section = (AssayArea){ x, MEMORY_FLAG, section, map_height };
  x += section + 2 * MEMORY_GAP;
  self->request = (AssayArea){ x, MEMORY_FLAG, BAR, map_height };
  self->hole = (AssayArea){ x + BAR + MEMORY_GAP, MEMORY_FLAG, BAR, map_height };
}

static double
get_y (const Picture *self, double block)
{
  return floor (self->map.y + self->map.height - block * self->map.height / self->end_block);
}

static AssayArea
span (const Picture *self, const AssayArea *column, double base, double blocks)
{
  double top = get_y (self, base + blocks);
  AssayArea area = { column->x, top, column->width, MAX (1, get_y (self, base) - top) };

  return area;
}

static AssayArea
lifetime (const Picture *self, const AssayLiveTensor *tensor)
{
  AssayArea area = span (self, &self->map, tensor->base, tensor->blocks);
  double end = MIN ((double) tensor->died + 1, self->end_step);
  double x1 = floor (self->map.x + tensor->born * self->map.width / self->end_step);
  double x2 = floor (self->map.x + end * self->map.width / self->end_step);

  area.x = x1;
  area.width = MAX (1, x2 - x1);
  return area;
}

static void
draw_weight (const AssayArea *area, const AssayLiveTensor *tensor, AssayDisplayList *list)
{
  assay_display_list_rectangle (list, ASSAY_ROLE_MEMORY_WEIGHTS, area->x, area->y, area->width,
                                area->height);
  if (area->height >= 4)
    assay_display_list_box (list, -1, ASSAY_ROLE_BROWN, ASSAY_LINE_SOLID, 1, 0, area->x, area->y,
                            area->width, area->height);
  if (area->height >= MEMORY_MIN_LABEL_HEIGHT)
    assay_display_list_text (list, ASSAY_ROLE_TEXT, ASSAY_FONT_SMALL, ASSAY_LABEL_ELLIPSIZE_START,
                             area->x + 6, area->y + area->height / 2 - 8, area->width - 12, 16,
                             tensor->name);
}

/* The vectors of a tensor are one thing, which is called by its name once. */
static gboolean
begins_tensor (GArray *tensors, guint index)
{
  return index == 0 || !g_str_equal (g_array_index (tensors, AssayLiveTensor, index).name,
                                     g_array_index (tensors, AssayLiveTensor, index - 1).name);
}

static void
draw_tensors (const Picture *self, GArray *tensors, gboolean living, AssayDisplayList *list)
{
  for (guint i = 0; i < tensors->len; i++)
    {
      const AssayLiveTensor *tensor = &g_array_index (tensors, AssayLiveTensor, i);
      AssayArea section = span (self, &self->section, tensor->base, tensor->blocks);
      AssayArea area;

      if (tensor->blocks == 0)
        continue;
      if (is_weights (self->allocation))
        {
          draw_weight (&section, tensor, list);
          continue;
        }

      area = lifetime (self, tensor);
      assay_memory_draw_filled (&area, tensor->kind, TRUE, list);
      if (begins_tensor (tensors, i))
        assay_memory_draw_label (&area, tensor->kind, tensor->name, list);
      if (!living)
        continue;
      assay_memory_draw_filled (&section, tensor->kind, TRUE, list);
      if (begins_tensor (tensors, i))
        assay_memory_draw_label (&section, tensor->kind, tensor->name, list);
    }
}

static void
draw_frame (const AssayArea *area, AssayDisplayList *list)
{
  assay_display_list_box (list, -1, ASSAY_ROLE_EDGE, ASSAY_LINE_SOLID, 1, 0, area->x - 1,
                          area->y - 1, area->width + 2, area->height + 2);
}

static void
draw_axes (const Picture *self, AssayDisplayList *list)
{
  double interval = assay_memory_choose_interval (self->end_step, self->map.width, 64);
  double bottom = self->map.y + self->map.height;
  double right = self->hole.x + self->hole.width;
  guint every = assay_memory_choose_quarters (&self->map, get_y (self, 0),
                                              get_y (self, self->allocation->depth));

  for (guint i = 0; i <= 4; i++)
    {
      double y = get_y (self, self->allocation->depth * i / 4.0);
      g_autofree char *text = assay_sentence_dup_count (self->allocation->depth * i / 4);

      assay_display_list_rectangle (list, ASSAY_ROLE_MEMORY_GRID, self->map.x, y,
                                    right - self->map.x, 1);
      if ((4 - i) % every == 0)
        assay_display_list_text (list, ASSAY_ROLE_TEXT_DIM, ASSAY_FONT_SMALL, ASSAY_LABEL_RIGHT, 0,
                                 assay_memory_label_top (&self->map, y), MEMORY_AXIS - 6, 16, text);
    }

  for (double step = 0; step < self->end_step && self->map.width > 1; step += interval)
    {
      double x = floor (self->map.x + step * self->map.width / self->end_step);
      g_autofree char *text = step == 0 ? g_strdup ("step 0")
                                        : assay_sentence_dup_count ((guint64) step);

      if (x + 60 > self->map.x + self->map.width && step > 0)
        break;
      assay_display_list_text (list, ASSAY_ROLE_TEXT_DIM, ASSAY_FONT_SMALL, ASSAY_LABEL_PLAIN, x,
                               bottom + 1, 60, 16, text);
    }
}

static void
draw_caption (const AssayArea *area, const char *text, AssayDisplayList *list)
{
  assay_display_list_text (list, ASSAY_ROLE_TEXT, ASSAY_FONT_SMALL, ASSAY_LABEL_CENTER, area->x - 4,
                           area->y + area->height + 1, area->width + 8, 16, text);
}

/* Both stand on the bottom line, so that their heights can be compared. */
static void
draw_comparison (const Picture *self, AssayDisplayList *list)
{
  const AssayAllocation *allocation = self->allocation;
  AssayArea request = span (self, &self->request, 0, allocation->needed);
  AssayArea hole = span (self, &self->hole, 0, allocation->largest_hole);
  g_autofree char *needed = assay_sentence_dup_count (allocation->needed);
  g_autofree char *largest = assay_sentence_dup_count (allocation->largest_hole);
  g_autofree char *needs = g_strconcat ("needs ", needed, NULL);
  g_autofree char *has = g_strconcat (is_weights (allocation) ? "has " : "largest hole ", largest,
                                      NULL);

  assay_display_list_rectangle (list, ASSAY_ROLE_VIEW_BG, request.x, request.y, request.width,
                                request.height);
  assay_display_list_hatch (list, ASSAY_ROLE_ERROR, ASSAY_HATCH_BACK_DIAGONAL, request.x, request.y,
                            request.width, request.height);
  assay_display_list_box (list, -1, ASSAY_ROLE_ERROR, ASSAY_LINE_SOLID, 3, 0, request.x, request.y,
                          request.width, request.height);
  draw_caption (&self->request, needs, list);

  if (allocation->largest_hole > 0)
    assay_display_list_box (list, ASSAY_ROLE_VIEW_BG, ASSAY_ROLE_TEXT_DIM, ASSAY_LINE_DOTTED, 1.5,
                            0, hole.x, hole.y, hole.width, hole.height);
  draw_caption (&self->hole, has, list);
  /* What is missing, from the top of the hole to that of the request. */
  assay_display_list_line (list, ASSAY_ROLE_ERROR, ASSAY_LINE_SHORT_DASHED, 1.5, request.x,
                           request.y, self->hole.x + self->hole.width, request.y);
}

static int
compare_base (gconstpointer a, gconstpointer b)
{
  const AssayHole *left = a;
  const AssayHole *right = b;

  return left->base < right->base ? -1 : left->base > right->base;
}

/**
 * assay_memory_failure_list_holes:
 * @allocation: why a program does not fit
 *
 * Lists the runs of free blocks at the failing step.
 *
 * Returns: (transfer full) (element-type AssayHole): the holes, lowest first
 */
GArray *
assay_memory_failure_list_holes (const AssayAllocation *allocation)
{
  g_autoptr (GArray) taken = g_array_new (FALSE, FALSE, sizeof (AssayHole));
  GArray *holes = g_array_new (FALSE, FALSE, sizeof (AssayHole));
  guint32 end = 0;

  for (guint i = 0; i < allocation->live->len; i++)
    {
      const AssayLiveTensor *tensor = &g_array_index (allocation->live, AssayLiveTensor, i);
      AssayHole block = { tensor->base, tensor->blocks };

      g_array_append_val (taken, block);
    }
  g_array_sort (taken, compare_base);

  for (guint i = 0; i <= taken->len; i++)
    {
      const AssayHole *block = i < taken->len ? &g_array_index (taken, AssayHole, i) : NULL;
      guint32 limit = block != NULL ? MIN (block->base, allocation->depth) : allocation->depth;
      AssayHole hole = { end, limit > end ? limit - end : 0 };

      if (hole.blocks > 0)
        g_array_append_val (holes, hole);
      if (block != NULL)
        end = MAX (end, block->base + block->blocks);
    }

  return holes;
}

/**
 * assay_memory_failure_find:
 * @allocation: why a program does not fit
 * @width: width of the picture in units
 * @height: height of the picture
 * @x: a place
 * @y: a place
 *
 * Finds the tensor at a place of the picture.
 *
 * Returns: (transfer none) (nullable): the tensor
 */
const AssayLiveTensor *
assay_memory_failure_find (const AssayAllocation *allocation, double width, double height, double x,
                           double y)
{
  GArray *lists[] = { allocation->live, allocation->past };
  Picture picture;

  lay_out (&picture, allocation, width, height);
  for (guint k = 0; k < G_N_ELEMENTS (lists); k++)
    for (guint i = 0; i < lists[k]->len; i++)
      {
        const AssayLiveTensor *tensor = &g_array_index (lists[k], AssayLiveTensor, i);
        AssayArea section = span (&picture, &picture.section, tensor->base, tensor->blocks);
        AssayArea area = lifetime (&picture, tensor);

        if ((k == 0 && assay_area_contains (&section, x, y)) ||
            (!is_weights (allocation) && assay_area_contains (&area, x, y)))
          return tensor;
      }

  return NULL;
}

/**
 * assay_memory_failure_draw:
 * @allocation: why a program does not fit
 * @width: width of the picture in units
 * @height: height of the picture
 * @list: gets the picture
 *
 * Draws the plan up to the step at which it has no room, and to the same scale what is asked for
 * beside the largest hole.
 */
void
assay_memory_failure_draw (const AssayAllocation *allocation, double width, double height,
                           AssayDisplayList *list)
{
  g_autoptr (GArray) holes = assay_memory_failure_list_holes (allocation);
  g_autofree char *count = assay_sentence_dup_count (is_weights (allocation) ? allocation->depth
                                                                             : allocation->step);
  g_autofree char *flag = is_weights (allocation)
                              ? g_strdup_printf ("core %u has %s", allocation->core, count)
                              : g_strdup_printf ("no room at step %s", count);
  Picture self;
  double limit;

  lay_out (&self, allocation, width, height);
  limit = get_y (&self, allocation->depth);
  assay_display_list_rectangle (list, ASSAY_ROLE_VIEW_BG, self.map.x, self.map.y,
                                self.section.x + self.section.width - self.map.x, self.map.height);
  draw_axes (&self, list);
  assay_display_list_clip (list, self.map.x - 1, self.map.y - 1,
                           self.section.x + self.section.width - self.map.x + 2,
                           self.map.height + 2);
  draw_tensors (&self, allocation->past, FALSE, list);
  draw_tensors (&self, allocation->live, TRUE, list);
  assay_display_list_end (list);

  for (guint i = 0; i < holes->len && !is_weights (allocation); i++)
    {
      const AssayHole *hole = &g_array_index (holes, AssayHole, i);
      AssayArea area = span (&self, &self.section, hole->base, hole->blocks);
      g_autofree char *blocks = assay_sentence_dup_count (hole->blocks);
      g_autofree char *text = g_strconcat (blocks, " free", NULL);

      assay_memory_draw_hole (&area, text, list);
    }

  if (self.map.width > 1)
    {
      double end = self.map.x + self.map.width;

      draw_frame (&self.map, list);
      assay_display_list_rectangle (list, ASSAY_ROLE_ERROR, end - 2, self.map.y - FLAG_GAP, 3,
                                    self.map.height + FLAG_GAP);
    }
  draw_frame (&self.section, list);
  /* Where the request is larger than the store, the store ends inside the picture. */
  if (limit > self.map.y)
    assay_display_list_line (list, ASSAY_ROLE_ERROR, ASSAY_LINE_DASHED, 2, self.map.x, limit,
                             self.hole.x + self.hole.width, limit);
  assay_memory_draw_flag (self.map.width > 1 ? &self.map : &self.section,
                          self.map.x + self.map.width, flag, ASSAY_ROLE_ERROR_BG,
                          ASSAY_ROLE_ERROR_FG, list);
  draw_comparison (&self, list);
}
