/* assay-layout-checks.c
 * SPDX-License-Identifier: Apache-2.0
 *
 * What every picture has to keep.
 */
#include "tests/scene/assay-layout-checks.h"

#include <math.h>

static gboolean
inside (double a1, double a2, double b1, double b2)
{
  return a1 < b2 && b1 < a2;
}

/* Whether a line leads through the inside of a rectangle. */
static gboolean
touches (const AssayViewSegment *segment, double x, double y, double width, double height)
{
  double x1 = MIN (segment->x1, segment->x2);
  double x2 = MAX (segment->x1, segment->x2);
  double y1 = MIN (segment->y1, segment->y2);
  double y2 = MAX (segment->y1, segment->y2);

  return x1 == x2 ? x1 > x && x1 < x + width && inside (y1, y2, y, y + height)
                  : y1 > y && y1 < y + height && inside (x1, x2, x, x + width);
}

static void
check_boxes (const AssayView *view)
{
  for (guint32 r = 0; r < view->ranks->len; r++)
    {
      const AssayViewRank *rank = assay_view_rank (view, r);

      for (guint32 i = 0; i < rank->n; i++)
        {
          const AssayViewBox *box = assay_view_box (
              view, g_array_index (view->rank_order, guint32, rank->first + i));

          g_assert_cmpfloat (box->x, >=, 0);
          g_assert_cmpfloat (box->x + box->width, <=, view->width);
          g_assert_cmpfloat (box->y, >=, rank->y);
          g_assert_cmpfloat (box->y + box->height, <=, rank->y + rank->height);
          g_assert_cmpfloat (fmod (box->x, 4), ==, 0);
          if (i > 0)
            {
              const AssayViewBox *left = assay_view_box (
                  view, g_array_index (view->rank_order, guint32, rank->first + i - 1));

              g_assert_cmpfloat (left->x + left->width + 24, <=, box->x);
            }
        }
      if (r > 0)
        {
          const AssayViewRank *above = assay_view_rank (view, r - 1);

          g_assert_cmpfloat (above->y + above->height + 22, <=, rank->y);
        }
    }
}

/* No edge leads through a box; at its own source and target it only touches the frame. */
static void
check_edges (const AssayView *view)
{
  for (guint32 r = 0; r < view->ranks->len; r++)
    {
      const AssayViewRank *rank = assay_view_rank (view, r);
      guint32 end = MIN (r + 2, view->ranks->len);

      for (guint32 s = rank->first_segment; s < rank->first_segment + rank->n_segments; s++)
        {
          const AssayViewSegment *segment = &g_array_index (view->segments, AssayViewSegment, s);

          g_assert_true (segment->x1 == segment->x2 || segment->y1 == segment->y2);
          g_assert_cmpfloat (MIN (segment->x1, segment->x2), >=, 0);
          g_assert_cmpfloat (MAX (segment->x1, segment->x2), <=, view->width);
          /* So that the ranks at hand are all that it can meet. */
          g_assert_cmpfloat (MIN (segment->y1, segment->y2), >=, rank->y);
          g_assert_cmpfloat (MAX (segment->y1, segment->y2), <=,
                             assay_view_rank (view, end - 1)->y +
                                 assay_view_rank (view, end - 1)->height);
          for (guint32 at = r; at < end; at++)
            for (guint32 i = 0; i < assay_view_rank (view, at)->n; i++)
              {
                guint32 place = assay_view_rank (view, at)->first + i;
                const AssayViewBox *box = assay_view_box (
                    view, g_array_index (view->rank_order, guint32, place));

                g_assert_false (touches (segment, box->x, box->y, box->width, box->height));
              }
        }
    }
}

/* Paths begin at the bottom of the source, end at the top of the target, and turn at right angles.
 */
void
assay_layout_check_paths (const AssayView *view)
{
  g_autoptr (GArray) points = g_array_new (FALSE, FALSE, 2 * sizeof (double));

  for (guint32 e = 0; e < view->edges->len; e++)
    {
      const AssayViewEdge *edge = assay_view_edge (view, e);
      const AssayViewBox *source = assay_view_box (view, assay_view_net (view, edge->net)->source);
      const AssayViewBox *target = assay_view_box (view, edge->target);
      const double *p;

      g_array_set_size (points, 0);
      assay_view_edge_path (view, e, points);
      p = (const double *) (const void *) points->data;
      g_assert_cmpuint (points->len, >=, 2);
      g_assert_cmpfloat (p[1], ==, source->y + source->height);
      g_assert_cmpfloat (p[0], >, source->x);
      g_assert_cmpfloat (p[0], <, source->x + source->width);
      g_assert_cmpfloat (p[2 * points->len - 1], ==, target->y);
      g_assert_cmpfloat (p[2 * points->len - 2], >, target->x);
      g_assert_cmpfloat (p[2 * points->len - 2], <, target->x + target->width);
      for (guint i = 2; i < 2 * points->len; i += 2)
        g_assert_true (p[i] == p[i - 2] || p[i + 1] == p[i - 1]);
    }
}

/* Pills keep clear of boxes, of each other and of the lines of other values. */
static void
check_stubs (const AssayView *view)
{
  for (guint32 i = 0; i < view->stubs->len; i++)
    {
      const AssayViewStub *stub = &g_array_index (view->stubs, AssayViewStub, i);
      guint32 r = assay_view_box (view, stub->box)->rank;
      const AssayViewRank *rank = assay_view_rank (view, r);

      for (guint32 k = 0; k < rank->n; k++)
        {
          const AssayViewBox *box = assay_view_box (
              view, g_array_index (view->rank_order, guint32, rank->first + k));

          g_assert_false (
              inside (stub->x, stub->x + ASSAY_STUB_WIDTH, box->x, box->x + box->width) &&
              inside (stub->y, stub->y + ASSAY_STUB_HEIGHT, box->y, box->y + box->height));
          for (guint32 m = box->first_stub; m < box->first_stub + box->n_stubs; m++)
            {
              const AssayViewStub *other = &g_array_index (view->stubs, AssayViewStub, m);

              g_assert_false (m != i &&
                              inside (stub->x, stub->x + ASSAY_STUB_WIDTH, other->x,
                                      other->x + ASSAY_STUB_WIDTH) &&
                              inside (stub->y, stub->y + ASSAY_STUB_HEIGHT, other->y,
                                      other->y + ASSAY_STUB_HEIGHT));
            }
        }
      for (guint32 at = r > 0 ? r - 1 : 0; at <= r; at++)
        for (guint32 s = assay_view_rank (view, at)->first_segment;
             s < assay_view_rank (view, at)->first_segment + assay_view_rank (view, at)->n_segments;
             s++)
          {
            const AssayViewSegment *segment = &g_array_index (view->segments, AssayViewSegment, s);

            g_assert_false (
                touches (segment, stub->x, stub->y, ASSAY_STUB_WIDTH, ASSAY_STUB_HEIGHT));
          }
    }
}

static gboolean
is_in_scope (const AssayView *view, const AssayViewBox *box, guint32 scope)
{
  guint32 at = box->kind >= ASSAY_BOX_INPUT ? 0 : box->scope;

  for (; at != 0; at = assay_scope_tree_get (view->tree, at)->parent)
    if (at == scope && !(box->kind == ASSAY_BOX_SCOPE && at == box->scope))
      return TRUE;

  return FALSE;
}

/* A frame holds all boxes of its scope and no other one, its header none; frames lie inside of each
 * other or apart. */
static void
check_frames (const AssayView *view)
{
  for (guint32 f = 0; f < view->frames->len; f++)
    {
      const AssayViewFrame *frame = assay_view_frame (view, f);
      guint32 n = 0;

      for (guint32 i = 0; i < view->boxes->len; i++)
        {
          const AssayViewBox *box = assay_view_box (view, i);
          gboolean member = is_in_scope (view, box, frame->scope);

          n += member;
          if (member)
            {
              g_assert_cmpfloat (box->x, >, frame->x);
              g_assert_cmpfloat (box->x + box->width, <, frame->x + frame->width);
              g_assert_cmpfloat (box->y, >=, frame->y + ASSAY_FRAME_HEADER);
              g_assert_cmpfloat (box->y + box->height, <, frame->y + frame->height);
            }
          /* Inputs and outputs may be in a frame, but not across its border. */
          else if (box->kind >= ASSAY_BOX_INPUT && box->x > frame->x &&
                   box->x + box->width < frame->x + frame->width &&
                   box->y >= frame->y + ASSAY_FRAME_HEADER &&
                   box->y + box->height < frame->y + frame->height)
            continue;
          else
            g_assert_false (
                inside (frame->x, frame->x + frame->width, box->x, box->x + box->width) &&
                inside (frame->y, frame->y + frame->height, box->y, box->y + box->height));
        }
      g_assert_cmpuint (n, ==, frame->n_boxes);
      g_assert_cmpuint (n, >=, 2);
      g_assert_cmpfloat (frame->x, >=, 0);
      g_assert_cmpfloat (frame->x + frame->width, <=, view->width);
      g_assert_cmpfloat (frame->y, >=, 0);
      g_assert_cmpfloat (frame->y + frame->height, <=, view->height);

      for (guint32 g = 0; g < f; g++)
        {
          const AssayViewFrame *other = assay_view_frame (view, g);
          gboolean meet =
              inside (frame->x, frame->x + frame->width, other->x, other->x + other->width) &&
              inside (frame->y, frame->y + frame->height, other->y, other->y + other->height);
          gboolean around = frame->x > other->x &&
                            frame->x + frame->width < other->x + other->width &&
                            frame->y > other->y &&
                            frame->y + frame->height < other->y + other->height;

          g_assert_true (!meet || around);
        }
    }
}

/* Boxes, edges, ways, stubs and frames of a picture; ends the test at what is wrong. */
void
assay_layout_check (const AssayView *view)
{
  check_boxes (view);
  check_edges (view);
  assay_layout_check_paths (view);
  check_stubs (view);
  check_frames (view);
}

/* The box of a node, or of an input or output, in another picture of the same graph. */
const AssayViewBox *
assay_layout_find_same (const AssayView *view, const AssayViewBox *box)
{
  for (guint32 i = 0; i < view->boxes->len; i++)
    {
      const AssayViewBox *other = assay_view_box (view, i);

      if (other->kind == box->kind && other->node == box->node && other->scope == box->scope &&
          other->value == box->value)
        return other;
    }

  return NULL;
}
