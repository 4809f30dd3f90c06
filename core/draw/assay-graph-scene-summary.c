/* assay-graph-scene-summary.c
 * SPDX-License-Identifier: Apache-2.0
 *
 * What a folded scope holds, in the small size beside its box: long thin graphs in wide windows
 * have room for it.
 */
#include "draw/assay-graph-scene-private.h"

#define GAP 18.0
#define WIDTH 208.0
#define LINE 15.0

/* Beyond so many frames nobody has room to look for. */
#define MAX_FRAMES 200

static gboolean
meets (double a1, double a2, double b1, double b2)
{
  return a1 < b2 && b1 < a2;
}

static gboolean
meets_box (const AssayView *view, const AssayViewBox *box, double x1, double x2)
{
  const AssayViewRank *rank = assay_view_rank (view, box->rank);

  for (guint32 i = rank->first; i < rank->first + rank->n; i++)
    {
      const AssayViewBox *other = assay_view_box (view,
                                                  g_array_index (view->rank_order, guint32, i));

      if (other != box && meets (x1, x2, other->x - 8, other->x + other->width + 8))
        return TRUE;
      for (guint32 k = other->first_stub; k < other->first_stub + other->n_stubs; k++)
        {
          const AssayViewStub *stub = &g_array_index (view->stubs, AssayViewStub, k);

          if (meets (x1, x2, stub->x - 8, stub->x + ASSAY_STUB_WIDTH + 8))
            return TRUE;
        }
    }

  return FALSE;
}

/* Lines that pass the box are listed with its rank or the one above. */
static gboolean
meets_line (const AssayView *view, const AssayViewBox *box, double x1, double x2)
{
  const AssayViewRank *last = assay_view_rank (view, box->rank);
  const AssayViewRank *first = box->rank > 0 ? last - 1 : last;

  for (guint32 i = first->first_segment; i < last->first_segment + last->n_segments; i++)
    {
      const AssayViewSegment *segment = &g_array_index (view->segments, AssayViewSegment, i);

      if (meets (x1 - 4, x2 + 4, segment->x1, segment->x2 + 1) &&
          meets (box->y, box->y + box->height, segment->y1, segment->y2 + 1))
        return TRUE;
    }

  return FALSE;
}

static gboolean
meets_border (const AssayView *view, const AssayViewBox *box, double x1, double x2)
{
  if (view->frames->len > MAX_FRAMES)
    return TRUE;

  for (guint32 f = 0; f < view->frames->len; f++)
    {
      const AssayViewFrame *frame = assay_view_frame (view, f);
      gboolean around = frame->x <= box->x && frame->x + frame->width >= x2 + 4;

      if (!around && meets (x1 - 4, x2 + 4, frame->x, frame->x + frame->width) &&
          meets (box->y, box->y + box->height, frame->y, frame->y + frame->height))
        return TRUE;
    }

  return FALSE;
}

/* Draws what a folded scope holds if there is nothing else at the right of its box. */
void
assay_scene_draw_summary (const AssayScene *scene, const AssayViewBox *box)
{
  const AssayScopeSummary *summary = scene->look->summary;
  guint32 index = (guint32) (box - assay_view_box (scene->view, 0));
  double x = box->x + box->width + GAP;
  guint n = 0;

  while (n < ASSAY_SUMMARY_LINES && assay_scope_summary_get (summary, index, n) != NULL)
    n++;
  if (n == 0 || meets_box (scene->view, box, x, x + WIDTH) ||
      meets_line (scene->view, box, x, x + WIDTH) || meets_border (scene->view, box, x, x + WIDTH))
    return;

  for (guint i = 0; i < n; i++)
    assay_display_list_text (scene->list, ASSAY_ROLE_TEXT_DIM, ASSAY_FONT_SMALL, ASSAY_LABEL_PLAIN,
                             x, box->y + (box->height - n * LINE) / 2 + i * LINE, WIDTH, LINE,
                             assay_scope_summary_get (summary, index, i));
}
