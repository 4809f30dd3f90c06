/* assay-canvas-refine.c
 * SPDX-License-Identifier: Apache-2.0
 *
 * The picture that is shown at once is refined in the background; what is looked at keeps its pixel when the refined
 * one takes its place.
 */
#include "ui/assay-canvas-private.h"

typedef struct
{
  GWeakRef canvas; /* one that is gone needs no picture: the thread must not keep it */
  guint generation;
} Request;

/* What the eye is on: what is selected if it is in sight, else what is nearest to the middle. */
static guint32
find_anchor (AssayCanvas *self)
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
take_refined (AssayCanvas *self,
              AssayView   *refined)
{
  guint32 anchor = find_anchor (self);
  double scale = assay_canvas_get_scale (self);
  double origin_x, origin_y, x, y;
  const AssayViewBox *box;

  if (anchor == ASSAY_NO_BOX)
    return;

  assay_canvas_get_origin (self, &origin_x, &origin_y);
  box = assay_view_box (self->view, anchor);
  x = origin_x + (box->x + box->width / 2) * scale;
  y = origin_y + (box->y + box->height / 2) * scale;

  assay_view_free (self->view);
  self->view = assay_view_ref (refined);
  self->hover_stub = 0;
  assay_canvas_drop_tiles (self);
  box = assay_view_box (self->view, anchor);
  assay_canvas_hold_unit_at (self, box->x + box->width / 2, box->y + box->height / 2, x, y);
}

static void
refined_cb (GObject      *object,
            GAsyncResult *result,
            gpointer      user_data)
{
  Request *request = user_data;
  guint generation = request->generation;
  g_autoptr (AssayCanvas) self = g_weak_ref_get (&request->canvas);
  g_auto (AssayRefineReport) report = { 0 };
  g_autoptr (GError) error = NULL;
  g_autoptr (AssayView) refined = assay_refiner_refine_finish (ASSAY_REFINER (object), result, &report, &error);

  g_weak_ref_clear (&request->canvas);
  g_free (request);

  /* A newer graph or fold has a picture of its own, and a newer request. */
  if (self == NULL || error != NULL || self->refining != generation || self->generation != generation)
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

/* Asks for a better picture of what is shown. */
void
assay_canvas_refine (AssayCanvas *self)
{
  Request *request = g_new0 (Request, 1);

  if (self->refiner == NULL)
    self->refiner = assay_refiner_new (NULL);

  g_weak_ref_init (&request->canvas, self);
  request->generation = self->refining = self->generation;
  assay_refiner_refine_async (self->refiner, self->view, refined_cb, request);
}

/* What is shown is gone: what was asked for is of no use. */
void
assay_canvas_stop_refining (AssayCanvas *self)
{
  self->refining = 0;
  g_clear_pointer (&self->layout_note, g_free);
  if (self->refiner != NULL)
    assay_refiner_cancel (self->refiner);
}
