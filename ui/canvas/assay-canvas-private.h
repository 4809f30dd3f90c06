/* assay-canvas-private.h
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include <adwaita.h>

#include "draw/assay-graph-scene.h"
#include "layout/assay-refine.h"
#include "layout/assay-view-tween.h"
#include "ui/canvas/assay-canvas.h"
#include "ui/canvas/assay-painter.h"
#include "ui/canvas/assay-palette.h"

G_BEGIN_DECLS

#define ASSAY_ZOOM_MIN 0.02
#define ASSAY_ZOOM_MAX 4.0
#define ASSAY_MOTION_MS 200

/* Room for controls that float over the canvas, in pixels. */
#define ASSAY_INSET_TOP 52.0
#define ASSAY_INSET_BOTTOM 60.0
#define ASSAY_INSET_SIDE 24.0
/* And beside a box that is wider than its room. */
#define ASSAY_INSET_EDGE 6.0

/* Where to go once there is a picture. */
typedef struct
{
  char **open;
  double zoom;
  char *anchor;
  double x;
  double y;
} AssayCanvasPlace;

/* One file holds the object and where things are on the screen, one what is shown, one refining it,
 * one painting, one input. */
struct _AssayCanvas
{
  GtkWidget parent_instance;

  /* what is shown: assay-canvas-view.c */
  AssayVerdicts *verdicts;
  AssayScopeTree *tree;
  AssayView *view;
  AssayRegionId region;
  guint8 *open;
  guint8 *drawn;         /* per value whether its edges are drawn and not stubs */
  AssaySession *session; /* weak: where the user sees that the graph is being laid out */
  AssayJob *building;    /* of the newest request */
  guint generation;
  guint pending_reveal;
  AssayCanvasPlace *place;

  /* a better picture of it: assay-canvas-refine.c */
  AssayRefiner *refiner;
  guint refining; /* the generation that is being refined, 0 for none */
  char *layout_note;
  AdwAnimation *moving;
  AssayViewTween *tween; /* while boxes move: where they are */
  AssayView *refined;    /* and where they go */

  guint selection;
  guint hover;
  guint32 hover_stub; /* its index plus one, 0 for none */
  guint filter;
  AssayOverlay *overlay;
  AssayScopeSummary *summary; /* of the view, once there was room for it */
  int shown_width;            /* of the last allocation */
  int shown_height;           /* the same */
  double covered_right;       /* pixels at the upper right below something floating */
  double covered;             /* pixels at the bottom below something floating */
  double sides[2];            /* pixels at the left and at the right below a pane */
  guint8 *hits;               /* per node */
  guint n_hits;
  GByteArray *marks; /* AssayMark per node */
  guint32 *states;   /* per node how many timesteps it looks back */
  guint playhead;    /* the node that the program works on */
  GArray *live;      /* guint, nodes whose results lie in memory then; NULL for none */

  /* where it is: assay-canvas.c; offsets are pixels of the widget at which unit 0 stands */
  double zoom;
  double hvalue;
  double vvalue;
  GtkAdjustment *hadjustment;
  GtkAdjustment *vadjustment;
  guint hscroll_policy : 1;
  guint vscroll_policy : 1;
  double first[3]; /* zoom, hvalue and vvalue that it was opened with; a zoom of 0 for none */
  guint fit_pending : 1;
  gboolean still; /* by the settings */
  gboolean at_rest;
  gboolean scroll_zooms;
  gboolean show_fan_in;
  gboolean show_fan_out;
  AdwAnimation *motion;
  double loose[2]; /* a value that may be scrolled to though it is past the ends: something kept its
                      pixel */
  double motion_from[2];
  double motion_to[2];

  /* painting: assay-canvas-snapshot.c */
  AssayPalette palette;
  char *family;
  AssayPainter *painter;
  AssayDisplayList *list;
  GHashTable *tiles;
  AssaySceneLook look;
  double tile_size;
  guint builds;

  /* input: assay-canvas-input.c */
  GSimpleActionGroup *actions;
  GtkWidget *menu;
  double pointer_x;
  double pointer_y;
  double drag_x;
  double drag_y;
  double pinch_zoom;
  guint dragging : 1;
};

double assay_canvas_get_scale (AssayCanvas *self);
void assay_canvas_get_origin (AssayCanvas *self, double *x, double *y);
void assay_canvas_to_units (AssayCanvas *self, double x, double y, double *unit_x, double *unit_y);
void assay_canvas_zoom_at (AssayCanvas *self, double zoom, double x, double y);
void assay_canvas_scroll_to (AssayCanvas *self, double hvalue, double vvalue, gboolean animate);
void assay_canvas_put_unit_at (AssayCanvas *self, double unit_x, double unit_y, double x, double y,
                               gboolean animate);
void assay_canvas_hold_unit_at (AssayCanvas *self, double unit_x, double unit_y, double x,
                                double y);
void assay_canvas_put_between (AssayCanvas *self, const AssayViewBox *box);
double assay_canvas_get_bottom (AssayCanvas *self);
void assay_canvas_show_box (AssayCanvas *self, guint32 box);
void assay_canvas_first_zoom (AssayCanvas *self);
gboolean assay_canvas_is_at_first (AssayCanvas *self);
void assay_canvas_configure (AssayCanvas *self);
void assay_canvas_view_changed (AssayCanvas *self);
void assay_canvas_set_hover (AssayCanvas *self, guint node);

void assay_canvas_set_hover_stub (AssayCanvas *self, guint32 stub);

void assay_canvas_activate (AssayCanvas *self, guint node);

const AssayView *assay_canvas_get_settled (AssayCanvas *self);
guint32 assay_canvas_find_anchor (AssayCanvas *self);
void assay_canvas_take_verdicts (AssayCanvas *self, AssayVerdicts *verdicts);
void assay_canvas_rebuild (AssayCanvas *self, guint anchor);
gboolean assay_canvas_open_selection (AssayCanvas *self);
void assay_canvas_fold_frame (AssayCanvas *self, guint32 frame);
gboolean assay_canvas_close_selection (AssayCanvas *self);
void assay_canvas_show_edge (AssayCanvas *self, guint32 value);
void assay_canvas_fold_all (AssayCanvas *self);
void assay_canvas_unfold_all (AssayCanvas *self);
void assay_canvas_clear_view (AssayCanvas *self);

void assay_canvas_refine (AssayCanvas *self);
void assay_canvas_move_from (AssayCanvas *self, AssayView *before, guint anchor);
void assay_canvas_change_from (AssayCanvas *self, AssayView *before, const guint32 *same,
                               guint32 anchor);
void assay_canvas_stop_refining (AssayCanvas *self);
void assay_canvas_tell_layout (AssayCanvas *self);

gboolean assay_canvas_find_selection (AssayCanvas *self, graphene_rect_t *rect);
void assay_canvas_try_place (AssayCanvas *self);
void assay_canvas_place_free (AssayCanvasPlace *place);

void assay_canvas_drop_tiles (AssayCanvas *self);
void assay_canvas_snapshot (GtkWidget *widget, GtkSnapshot *snapshot);

void assay_canvas_init_input (AssayCanvas *self);
void assay_canvas_finish_input (AssayCanvas *self);
char *assay_canvas_describe_box (AssayCanvas *self, guint32 index) G_GNUC_WARN_UNUSED_RESULT;
char *assay_canvas_describe_header (AssayCanvas *self, double x,
                                    double y) G_GNUC_WARN_UNUSED_RESULT;
void assay_canvas_find_equal (AssayCanvas *self, AssayEqualBlocks *blocks);
char *assay_canvas_dup_label (AssayCanvas *self) G_GNUC_WARN_UNUSED_RESULT;
void assay_canvas_update_label (AssayCanvas *self);

G_END_DECLS
