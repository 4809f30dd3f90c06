/* assay-mark.c
 * SPDX-License-Identifier: Apache-2.0
 */
#include "draw/assay-mark.h"

#include "draw/assay-graph-scene.h"

/* Badges of a picture that is small keep a size that is seen. */
#define BADGE 18.0
#define BADGE_PX 12.0
#define BADGE_GAP 3.0

/* Badges that are drawn one by one in a frame. */
#define MAX_BADGES 2000

static const struct
{
  AssayMark mark;
  AssayGlyph glyph;
} looks[] = {
  { ASSAY_MARK_PINNED, ASSAY_GLYPH_PIN },
  { ASSAY_MARK_CHANGED, ASSAY_GLYPH_TILDE },
  { ASSAY_MARK_REMOVED, ASSAY_GLYPH_MINUS },
  { ASSAY_MARK_ADDED, ASSAY_GLYPH_PLUS },
};

/**
 * assay_mark_draw:
 * @marks: #AssayMark bits
 * @x: right end of the badges
 * @y: their top
 * @size: height of each
 * @list: picture that is added to
 *
 * Draws a round badge for each mark, from right to left.
 */
void
assay_mark_draw (guint8 marks, double x, double y, double size, AssayDisplayList *list)
{
  for (guint i = 0; i < G_N_ELEMENTS (looks); i++)
    {
      if ((marks & looks[i].mark) == 0)
        continue;

      x -= size;
      assay_display_list_box (list, ASSAY_ROLE_POPOVER_BG, ASSAY_ROLE_ACCENT, ASSAY_LINE_SOLID,
                              size / 12, size / 2, x, y, size, size);
      assay_display_list_glyph (list, ASSAY_ROLE_ACCENT, looks[i].glyph, x + size / 6, y + size / 6,
                                size * 2 / 3);
      x -= size * BADGE_GAP / BADGE;
    }
}

/**
 * assay_scene_draw_marks:
 * @view: a view
 * @marks: #AssayMark bits per node of the graph that @view shows
 * @scale: pixels per unit
 * @x1: left of what is in sight
 * @y1: top
 * @x2: right
 * @y2: bottom
 * @list: picture that is added to
 *
 * Draws the marks of nodes on the upper edge of the boxes that show them; a folded scope has those
 * of all nodes in it.
 */
void
assay_scene_draw_marks (const AssayView *view, const GByteArray *marks, double scale, double x1,
                        double y1, double x2, double y2, AssayDisplayList *list)
{
  g_autoptr (GHashTable) of_box = g_hash_table_new (NULL, NULL);
  double size = MAX (BADGE, BADGE_PX / scale);
  GHashTableIter iter;
  gpointer key, value;

  for (guint32 node = 1; node < marks->len && g_hash_table_size (of_box) < MAX_BADGES; node++)
    {
      guint32 index = marks->data[node] != 0 ? assay_view_find_node (view, node) : ASSAY_NO_BOX;
      const AssayViewBox *box;

      if (index == ASSAY_NO_BOX)
        continue;
      box = assay_view_box (view, index);
      if (box->x > x2 || box->x + box->width < x1 || box->y - size > y2 ||
          box->y + box->height < y1)
        continue;

      value = g_hash_table_lookup (of_box, GUINT_TO_POINTER (index));
      g_hash_table_insert (of_box, GUINT_TO_POINTER (index),
                           GUINT_TO_POINTER (GPOINTER_TO_UINT (value) | marks->data[node]));
    }

  g_hash_table_iter_init (&iter, of_box);
  while (g_hash_table_iter_next (&iter, &key, &value))
    {
      const AssayViewBox *box = assay_view_box (view, GPOINTER_TO_UINT (key));

      assay_mark_draw ((guint8) GPOINTER_TO_UINT (value), box->x + box->width - 4,
                       box->y - size / 2, size, list);
    }
}
