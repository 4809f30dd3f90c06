/* assay-canvas-refine.c
 * SPDX-License-Identifier: Apache-2.0
 *
 * The picture that is shown at once is refined in the background; what is looked at keeps its pixel
 * when the refined one takes its place.
 */
#include "ui/canvas/assay-canvas-private.h"

/* Boxes move to their new places if no more of them are in sight, and if there are no more at all.
 */
#define MOVING_IN_SIGHT 400
#define MOVING_BOXES 5000

typedef struct
{
  GWeakRef canvas; /* one that is gone needs no picture: the thread must not keep it */
  guint generation;
} Request;

/* The picture that is there once nothing in it moves any more. */
const AssayView *
assay_canvas_get_settled (AssayCanvas *self)
{
  return self->tween != NULL ? self->refined : self->view;
}

/* What the eye is on: what is selected if it is in sight, else what is nearest to the middle. */
guint32
assay_canvas_find_anchor (AssayCanvas *self)
{
  double width = gtk_widget_get_width (GTK_WIDGET (self));
  double height = gtk_widget_get_height (GTK_WIDGET (self));
  guint32 selected = assay_view_find_node (self->view, self->selection);
  double x1, y1, x2, y2;

  assay_canvas_to_units (self, 0, 0, &x1, &y1);
  assay_canvas_to_units (self, width, height, &x2, &y2);
  if (selected != ASSAY_NO_BOX)
    {
      const AssayViewBox *box = assay_view_box (self->view, selected);

      if (box->x < x2 && box->x + box->width > x1 && box->y < y2 && box->y + box->height > y1)
        return selected;
    }

  return assay_view_nearest (self->view, (x1 + x2) / 2, (y1 + y2) / 2);
}

static void
show_view (AssayCanvas *self, AssayView *view)
{
  g_autoptr (AssayView) before = self->view;

  self->view = assay_view_ref (view);
  g_clear_pointer (&self->summary, assay_scope_summary_free);
  assay_canvas_drop_tiles (self);
  gtk_widget_queue_draw (GTK_WIDGET (self));
}

static void
move_cb (double value, AssayCanvas *self)
{
  if (self->tween != NULL)
    show_view (self, assay_view_tween_get (self->tween, value));
}

static void
moved_cb (AssayCanvas *self)
{
  AssayView *refined = g_steal_pointer (&self->refined);

  g_clear_pointer (&self->tween, assay_view_tween_free);
  if (refined != NULL)
    show_view (self, refined);
  assay_view_free (refined);
}

static guint
count_in_sight (AssayCanvas *self)
{
  double x1, y1, x2, y2;

  assay_canvas_to_units (self, 0, 0, &x1, &y1);
  assay_canvas_to_units (self, gtk_widget_get_width (GTK_WIDGET (self)),
                         gtk_widget_get_height (GTK_WIDGET (self)), &x2, &y2);

  return assay_view_count (self->view, x1, y1, x2, y2);
}

/* Boxes go to their new places, if they are few enough for the eye to follow and for a frame. */
static gboolean
can_move (AssayCanvas *self)
{
  return !self->still && self->view->boxes->len <= MOVING_BOXES &&
         gtk_widget_get_mapped (GTK_WIDGET (self)) &&
         adw_get_enable_animations (GTK_WIDGET (self)) && count_in_sight (self) <= MOVING_IN_SIGHT;
}

static void
move (AssayCanvas *self, AssayViewTween *tween)
{
  self->tween = tween;
  self->refined = assay_view_ref (self->view);
  if (self->moving == NULL)
    {
      self->moving = adw_timed_animation_new (
          GTK_WIDGET (self), 0, 1, ASSAY_MOTION_MS,
          adw_callback_animation_target_new ((AdwAnimationTargetFunc) move_cb, self, NULL));
      g_signal_connect_swapped (self->moving, "done", G_CALLBACK (moved_cb), self);
    }
  adw_animation_reset (self->moving);
  adw_animation_play (self->moving);
}

/* After a fold what was there goes to its new places; the anchor stands still. */
void
assay_canvas_move_from (AssayCanvas *self, AssayView *before, guint anchor)
{
  AssayViewTween *tween;

  if (anchor == 0 || self->view == before || !can_move (self))
    return;

  tween = assay_view_tween_new_fold (before, self->view, anchor);
  if (tween != NULL)
    move (self, tween);
}

/* After a change of the model what both have goes to its new places; the anchor stands still. */
void
assay_canvas_change_from (AssayCanvas *self, AssayView *before, const guint32 *same, guint32 anchor)
{
  AssayViewTween *tween;

  if (!can_move (self))
    return;

  tween = assay_view_tween_new_change (before, self->view, same, anchor);
  if (tween != NULL)
    move (self, tween);
}

/* The box that the eye is on keeps its pixel; a picture that was just opened is put as a whole, or
 * half of it would be out of sight beside an empty half. */
static void
place_refined (AssayCanvas *self, AssayView *refined, guint32 anchor, double x, double y)
{
  double scale = assay_canvas_get_scale (self);
  gboolean first = assay_canvas_is_at_first (self);
  const AssayViewBox *from = assay_view_box (self->view, anchor);
  const AssayViewBox *to = assay_view_box (refined, anchor);
  double from_x = x + (from->x + from->width / 2) * scale;
  double from_y = y + (from->y + from->height / 2) * scale;

  show_view (self, refined);
  if (first)
    {
      assay_canvas_first_zoom (self);
      assay_canvas_configure (self);
    }
  else
    assay_canvas_hold_unit_at (self, to->x + to->width / 2, to->y + to->height / 2, from_x, from_y);
}

static void
take_refined (AssayCanvas *self, AssayView *refined)
{
  double scale = assay_canvas_get_scale (self);
  g_autoptr (AssayView) first = NULL;
  AssayViewTween *tween;
  gboolean moves;
  double from_x, from_y, to_x, to_y;
  guint32 anchor;

  /* It comes while a fold still moves: that is at its end then. */
  if (self->tween != NULL)
    {
      adw_animation_pause (self->moving);
      moved_cb (self);
    }
  anchor = assay_canvas_find_anchor (self);
  first = assay_view_ref (self->view);
  moves = can_move (self);
  if (anchor == ASSAY_NO_BOX)
    return;

  assay_canvas_get_origin (self, &from_x, &from_y);
  self->hover_stub = 0;
  place_refined (self, refined, anchor, from_x, from_y);
  /* Boxes of another size do not move, they are others. */
  if (!moves || assay_canvas_get_scale (self) != scale)
    return;

  assay_canvas_get_origin (self, &to_x, &to_y);
  tween = assay_view_tween_new (first, refined, (from_x - to_x) / scale, (from_y - to_y) / scale);
  if (tween != NULL)
    move (self, tween);
}

static void
refined_cb (GObject *object, GAsyncResult *result, gpointer user_data)
{
  Request *request = user_data;
  guint generation = request->generation;
  g_autoptr (AssayCanvas) self = g_weak_ref_get (&request->canvas);
  g_auto (AssayRefineReport) report = { 0 };
  g_autoptr (GError) error = NULL;
  g_autoptr (AssayView)
      refined = assay_refiner_refine_finish (ASSAY_REFINER (object), result, &report, &error);

  g_weak_ref_clear (&request->canvas);
  g_free (request);

  /* A newer graph or fold has a picture of its own, and a newer request. */
  if (self == NULL || error != NULL || self->refining != generation ||
      self->generation != generation)
    return;

  self->refining = 0;
  g_free (self->layout_note);
  self->layout_note = assay_refine_report_dup_text (&report);
  if (self->layout_note != NULL)
    g_info ("%s", self->layout_note);
  if (refined != NULL && self->view != NULL)
    take_refined (self, refined);
  assay_canvas_tell_layout (self);
}

/* What is shown is gone: what was asked for is of no use. */
void
assay_canvas_stop_refining (AssayCanvas *self)
{
  self->refining = 0;
  g_clear_pointer (&self->layout_note, g_free);
  g_clear_pointer (&self->tween, assay_view_tween_free);
  g_clear_pointer (&self->refined, assay_view_free);
  if (self->moving != NULL)
    adw_animation_pause (self->moving);
  if (self->refiner != NULL)
    assay_refiner_cancel (self->refiner);
}

/* Asks for a better picture of what is shown. */
void
assay_canvas_refine (AssayCanvas *self)
{
  Request *request = g_new0 (Request, 1);

  assay_canvas_stop_refining (self);
  if (self->refiner == NULL)
    self->refiner = assay_refiner_new (NULL);

  g_weak_ref_init (&request->canvas, self);
  request->generation = self->refining = self->generation;
  assay_refiner_refine_async (self->refiner, self->view, refined_cb, request);
}
