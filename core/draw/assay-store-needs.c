/* assay-store-needs.c
 * SPDX-License-Identifier: Apache-2.0
 *
 * What a program needs against what there is: a bar for the core that has no room, with the tensors
 * that fill it, and one for each store of all cores together. The scale is the share of what there
 * is, so that all are full at one line, and what goes beyond it does not fit.
 */
#include "draw/assay-store-needs.h"

#include "base/assay-sentence.h"
#include <math.h>

#define ROW 24.0
#define BAR 16.0
#define LABEL 168.0
#define FIGURES 184.0
/* Bars are worth more than the words between figures. */
#define FEW_FIGURES 88.0
#define LEAST_BARS 120.0
#define GAP 6.0
#define MIN_NAME 48.0

static guint
count_rows (const AssayAllocation *allocation)
{
  return 1 + allocation->needs->len;
}

static guint64
count_live (const AssayAllocation *allocation)
{
  guint64 blocks = 0;

  for (guint i = 0; i < allocation->live->len; i++)
    blocks += g_array_index (allocation->live, AssayLiveTensor, i).blocks;

  return blocks;
}

/* Of weights it is known what all of them need; of what lives, what is there and what comes. */
static guint64
core_needs (const AssayAllocation *allocation)
{
  return allocation->tensor == NULL ? allocation->needed
                                    : count_live (allocation) + allocation->needed;
}

static double
get_figures (double width)
{
  return width - LABEL - FIGURES - 2 * GAP < LEAST_BARS ? FEW_FIGURES : FIGURES;
}

/* Where all bars are full, behind the labels. */
static double
get_full (const AssayAllocation *allocation, double width)
{
  double most = MAX (1, (double) core_needs (allocation) / MAX (allocation->depth, 1));

  for (guint i = 0; i < allocation->needs->len; i++)
    {
      const AssayStoreNeed *need = &g_array_index (allocation->needs, AssayStoreNeed, i);

      most = MAX (most, (double) need->needed / (double) MAX (need->depth, 1));
    }

  return floor (MAX (width - LABEL - get_figures (width) - 2 * GAP, 1) / most);
}

static void
draw_row (AssayDisplayList *list, double full, double y, const char *label, guint64 needed,
          guint64 depth, double right, double room)
{
  double end = floor (full * (double) needed / (double) MAX (depth, 1));
  g_autofree char *need = assay_sentence_dup_count (needed);
  g_autofree char *has = assay_sentence_dup_count (depth);
  g_autofree char *figures = g_strdup_printf (room < FIGURES ? "%s of %s" : "needs %s, has %s",
                                              need, has);

  assay_display_list_text (list, ASSAY_ROLE_TEXT, ASSAY_FONT_SMALL, ASSAY_LABEL_RIGHT, 0, y,
                           LABEL - GAP, BAR, label);
  assay_display_list_rectangle (list, ASSAY_ROLE_SCALE_3, LABEL, y, MIN (end, full), BAR);
  if (needed > depth)
    {
      double rest = MAX (end - full, 3);

      assay_display_list_rectangle (list, ASSAY_ROLE_ERROR_BG, LABEL + full, y, rest, BAR);
      assay_display_list_hatch (list, ASSAY_ROLE_ERROR_FG, ASSAY_HATCH_DIAGONAL, LABEL + full, y,
                                rest, BAR);
    }
  /* What there is. */
  assay_display_list_box (list, -1, ASSAY_ROLE_EDGE, ASSAY_LINE_SOLID, 1, 0, LABEL, y, full, BAR);
  assay_display_list_text (list, needed > depth ? ASSAY_ROLE_ERROR : ASSAY_ROLE_TEXT_DIM,
                           ASSAY_FONT_SMALL, ASSAY_LABEL_PLAIN, right, y, room, BAR, figures);
}

/* The tensors that fill the core, largest first. */
static void
draw_tensors (AssayDisplayList *list, double full, const AssayAllocation *allocation, double y)
{
  g_autoptr (GArray) groups = assay_allocation_group_live (allocation);
  double per_block = full / MAX (allocation->depth, 1);
  guint64 at = 0;

  for (guint i = 0; i < groups->len && at < allocation->depth; i++)
    {
      const AssayLiveGroup *group = &g_array_index (groups, AssayLiveGroup, i);
      guint64 blocks = MIN (group->blocks, allocation->depth - at);
      double x = LABEL + floor ((double) at * per_block);
      double width = LABEL + floor ((double) (at + blocks) * per_block) - x;

      at += blocks;
      if (width < 2)
        continue;
      assay_display_list_box (list, ASSAY_ROLE_SCALE_3, ASSAY_ROLE_EDGE, ASSAY_LINE_SOLID, 1, 0, x,
                              y, width, BAR);
      if (width >= MIN_NAME)
        assay_display_list_text (list, ASSAY_ROLE_TEXT, ASSAY_FONT_SMALL,
                                 ASSAY_LABEL_ELLIPSIZE_START, x + 3, y, width - 6, BAR,
                                 group->first->name);
    }
}

/**
 * assay_store_needs_get_height:
 * @allocation: why a program does not fit
 *
 * Gets the room that all bars take.
 *
 * Returns: the height
 */
double
assay_store_needs_get_height (const AssayAllocation *allocation)
{
  return ROW * count_rows (allocation);
}

/**
 * assay_store_needs_draw:
 * @allocation: why a program does not fit
 * @width: room in all
 * @list: gets the picture
 *
 * Draws what is needed against what there is.
 */
void
assay_store_needs_draw (const AssayAllocation *allocation, double width, AssayDisplayList *list)
{
  double full = get_full (allocation, width);
  double room = get_figures (width);
  double right = MAX (width - room, LABEL);
  g_autofree char *core = g_strdup_printf ("%s of core %u", allocation->store, allocation->core);
  double y = (ROW - BAR) / 2;

  draw_row (list, full, y, core, core_needs (allocation), allocation->depth, right, room);
  draw_tensors (list, full, allocation, y);
  for (guint i = 0; i < allocation->needs->len; i++)
    {
      const AssayStoreNeed *need = &g_array_index (allocation->needs, AssayStoreNeed, i);
      g_autofree char *label = g_strdup_printf ("%s, all cores", need->store);

      y += ROW;
      draw_row (list, full, y, label, need->needed, need->depth, right, room);
    }
}

/**
 * assay_store_needs_find:
 * @allocation: why a program does not fit
 * @width: room in all
 * @x: a place
 * @y: a place
 *
 * Tells what is drawn at a place.
 *
 * Returns: (transfer full) (nullable): what it is
 */
char *
assay_store_needs_find (const AssayAllocation *allocation, double width, double x, double y)
{
  double block = (x - LABEL) * allocation->depth / get_full (allocation, width);
  int row = (int) floor (y / ROW);
  guint64 at = 0;

  if (row > 0 && row <= (int) allocation->needs->len)
    {
      const AssayStoreNeed *need = &g_array_index (allocation->needs, AssayStoreNeed,
                                                   (guint) row - 1);
      g_autofree char *needed = assay_sentence_dup_count (need->needed);
      g_autofree char *depth = assay_sentence_dup_count (need->depth);

      return g_strdup_printf ("%s of all cores: every placement needs %s block%s at once, there "
                              "are %s",
                              need->store, needed, assay_plural (need->needed), depth);
    }
  if (row == 0 && block >= 0)
    {
      g_autoptr (GArray) groups = assay_allocation_group_live (allocation);

      for (guint i = 0; i < groups->len; i++)
        {
          const AssayLiveGroup *group = &g_array_index (groups, AssayLiveGroup, i);

          at += group->blocks;
          if (block < (double) at)
            {
              g_autofree char *blocks = assay_sentence_dup_count (group->blocks);

              return g_strdup_printf ("%s: %s block%s", group->first->name, blocks,
                                      assay_plural (group->blocks));
            }
        }
    }

  return NULL;
}
