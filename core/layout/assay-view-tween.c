/* assay-view-tween.c
 * SPDX-License-Identifier: Apache-2.0
 */
#include "layout/assay-view-tween.h"

#include <math.h>

#include "layout/assay-view-private.h"

struct _AssayViewTween
{
  AssayView *from;
  AssayView *to;
  AssayView *now;
  AssayViewChannels channels;
  double dx;
  double dy;
};

static void
copy (GArray *array,
      GArray *of)
{
  g_array_set_size (array, 0);
  g_array_append_vals (array, of->data, of->len);
}

/**
 * assay_view_tween_new:
 * @from: a view
 * @to: the same boxes and lines in the same ranks, placed differently
 * @dx: added to every x of @from, so that something stands still
 * @dy: added to every y of @from
 *
 * Begins a way from one view to another.
 *
 * Returns: (transfer full) (nullable): the way, or %NULL if the views do not show the same
 */
AssayViewTween *
assay_view_tween_new (AssayView *from,
                      AssayView *to,
                      double     dx,
                      double     dy)
{
  AssayViewTween *self;

  if (from->boxes->len != to->boxes->len || from->nets->len != to->nets->len || from->edges->len != to->edges->len
      || from->lane_x->len != to->lane_x->len || from->track_y->len != to->track_y->len
      || from->ranks->len != to->ranks->len || from->stubs->len != to->stubs->len
      || from->frames->len != to->frames->len)
    return NULL;

  self = g_new0 (AssayViewTween, 1);
  self->from = assay_view_ref (from);
  self->to = assay_view_ref (to);
  self->dx = dx;
  self->dy = dy;
  self->now = assay_view_copy (to);
  copy (self->now->frames, to->frames);
  copy (self->now->lane_x, to->lane_x);
  copy (self->now->track_y, to->track_y);
  copy (self->now->ranks, to->ranks);
  copy (self->now->rank_order, to->rank_order);
  self->now->crossings = to->crossings;
  self->now->width = to->width;
  self->now->height = to->height;
  assay_view_list_channels (self->now, &self->channels);

  return self;
}

void
assay_view_tween_free (AssayViewTween *self)
{
  if (self == NULL)
    return;

  assay_view_free (self->from);
  assay_view_free (self->to);
  assay_view_free (self->now);
  assay_view_channels_clear (&self->channels);
  g_free (self);
}

static double
between (double from,
         double to,
         double progress)
{
  return from + (to - from) * progress;
}

static void
move_boxes (AssayViewTween *self,
            double          progress)
{
  for (guint32 i = 0; i < self->now->boxes->len; i++)
    {
      const AssayViewBox *from = assay_view_box (self->from, i);
      const AssayViewBox *to = assay_view_box (self->to, i);
      AssayViewBox *now = assay_view_box (self->now, i);

      now->x = between (from->x + self->dx, to->x, progress);
      now->y = between (from->y + self->dy, to->y, progress);
    }
  for (guint32 r = 0; r < self->now->ranks->len; r++)
    assay_view_rank (self->now, r)->y = between (assay_view_rank (self->from, r)->y + self->dy,
                                                 assay_view_rank (self->to, r)->y, progress);
  for (guint32 i = 0; i < self->now->stubs->len; i++)
    {
      const AssayViewStub *from = &g_array_index (self->from->stubs, AssayViewStub, i);
      const AssayViewStub *to = &g_array_index (self->to->stubs, AssayViewStub, i);
      AssayViewStub *now = &g_array_index (self->now->stubs, AssayViewStub, i);

      now->x = between (from->x + self->dx, to->x, progress);
      now->y = between (from->y + self->dy, to->y, progress);
    }
  for (guint32 f = 0; f < self->now->frames->len; f++)
    {
      const AssayViewFrame *from = assay_view_frame (self->from, f);
      const AssayViewFrame *to = assay_view_frame (self->to, f);
      AssayViewFrame *now = assay_view_frame (self->now, f);

      now->x = between (from->x + self->dx, to->x, progress);
      now->y = between (from->y + self->dy, to->y, progress);
      now->width = between (from->width, to->width, progress);
      now->height = between (from->height, to->height, progress);
    }
}

/* A turn keeps its distance from the rank above it; where a line goes straight at one end of the way, it turns at the
 * height of the other end. */
static void
move_turn (AssayViewTween *self,
           guint32         track,
           guint32         rank,
           double          progress)
{
  double from = g_array_index (self->from->track_y, double, track) - assay_view_rank (self->from, rank)->y;
  double to = g_array_index (self->to->track_y, double, track) - assay_view_rank (self->to, rank)->y;
  double *now = &g_array_index (self->now->track_y, double, track);

  *now = assay_view_rank (self->now, rank)->y
         + (isnan (from) ? to : isnan (to) ? from : between (from, to, progress));
}

static void
move_lines (AssayViewTween *self,
            double          progress)
{
  for (guint32 i = 0; i < self->now->lane_x->len; i++)
    g_array_index (self->now->lane_x, double, i) = between (g_array_index (self->from->lane_x, double, i) + self->dx,
                                                            g_array_index (self->to->lane_x, double, i), progress);
  for (guint32 i = 0; i < self->now->edges->len; i++)
    assay_view_edge (self->now, i)->port_x = between (assay_view_edge (self->from, i)->port_x + self->dx,
                                                      assay_view_edge (self->to, i)->port_x, progress);
  for (guint32 i = 0; i < self->now->nets->len; i++)
    {
      AssayViewNet *now = assay_view_net (self->now, i);
      guint32 rank = assay_view_box (self->now, now->source)->rank;

      now->port_x = between (assay_view_net (self->from, i)->port_x + self->dx, assay_view_net (self->to, i)->port_x,
                             progress);
      for (guint32 step = 0; now->n_edges > 0 && step <= now->n_lanes; step++)
        move_turn (self, now->first_track + step, rank + step, progress);
    }
}

/**
 * assay_view_tween_get:
 * @self: a way
 * @progress: 0 at its beginning, 1 at its end
 *
 * Puts everything where it is at a time.
 *
 * Returns: (transfer none): the view of that time; the next call changes it
 */
AssayView *
assay_view_tween_get (AssayViewTween *self,
                      double          progress)
{
  move_boxes (self, progress);
  move_lines (self, progress);
  assay_view_draw_channels (self->now, &self->channels);

  return self->now;
}
