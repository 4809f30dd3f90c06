/* assay-graph-scene.h
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include "draw/assay-display-list.h"
#include "draw/assay-overlay.h"
#include "draw/assay-scope-summary.h"
#include "layout/assay-view.h"

G_BEGIN_DECLS

/**
 * AssayDetail:
 * @ASSAY_DETAIL_FULL: round boxes with two lines, arrows
 * @ASSAY_DETAIL_TITLE: square boxes with title and glyph
 * @ASSAY_DETAIL_GLYPH: rectangles of two tones, frames kept, glyphs where they get 8 pixels
 * @ASSAY_DETAIL_BANDS: one rectangle per rank and verdict, no edges, refusals as marks
 *
 * How much of a graph is drawn.
 */
typedef enum
{
  ASSAY_DETAIL_FULL,
  ASSAY_DETAIL_TITLE,
  ASSAY_DETAIL_GLYPH,
  ASSAY_DETAIL_BANDS,
  ASSAY_N_DETAILS
} AssayDetail;

/**
 * AssaySceneLook:
 * @detail: how much is drawn
 * @scale: pixels per unit, for lines of at least one pixel and for what shows from some size on
 * @filter: a bit per verdict that stays strong, 0 for all
 * @labels: whether lines have the shapes of their values beside them
 * @chips: whether boxes have chips for constants
 * @covered: units at the upper right of what is in sight that something floats over; headers keep
 * clear of it
 * @overlay: (nullable): what bodies of nodes are coloured by
 * @summary: (nullable): what is written beside folded scopes where there is room
 * @states: (nullable): per node how many timesteps of a stream it looks back
 * @groups: whether each box is a group with its index as id
 * @all_frames: whether frames are drawn however many there are
 *
 * How a graph is drawn.
 */
typedef struct
{
  AssayDetail detail;
  double scale;
  guint filter;
  gboolean labels;
  gboolean chips;
  double covered;
  const AssayOverlay *overlay;
  const AssayScopeSummary *summary;
  const guint32 *states;
  gboolean groups;
  gboolean all_frames;
} AssaySceneLook;

/* From which zoom on labels and chips are drawn. */
#define ASSAY_LABELS_FROM 0.9
#define ASSAY_CHIPS_FROM 1.5

/* How far what belongs to a point reaches to the right of it and below it: boxes with stubs or with
 * what is written beside them, channels. */
#define ASSAY_SCENE_REACH_X 400.0
#define ASSAY_SCENE_REACH_Y 512.0

AssayDetail assay_scene_choose_detail (const AssayView *view, double x1, double y1, double x2,
                                       double y2, double scale);
void assay_scene_draw (const AssayView *view, const AssaySceneLook *look, double x1, double y1,
                       double x2, double y2, AssayDisplayList *list);

void assay_scene_draw_frames (const AssayView *view, const AssaySceneLook *look, double x1,
                              double y1, double x2, double y2, AssayDisplayList *list);
void assay_scene_draw_headers (const AssayView *view, const AssaySceneLook *look, double x1,
                               double y1, double x2, double y2, AssayDisplayList *list);
void assay_scene_draw_marks (const AssayView *view, const GByteArray *marks, double scale,
                             double x1, double y1, double x2, double y2, AssayDisplayList *list);
char *assay_scene_describe_box (const AssayView *view, guint32 index) G_GNUC_WARN_UNUSED_RESULT;
char *assay_scene_describe_frame (const AssayView *view, guint32 index) G_GNUC_WARN_UNUSED_RESULT;
double assay_scene_draw_legend (const AssayView *view, const AssayOverlay *overlay, double x,
                                double y, double width, AssayDisplayList *list);

G_END_DECLS
