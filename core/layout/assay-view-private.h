/* assay-view-private.h
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include "layout/assay-layers.h"
#include "layout/assay-view.h"

G_BEGIN_DECLS

/* A view as a layered drawing, with the arrays that the drawing points to. */
typedef struct
{
  double *left;
  double *right;
  guint32 *rank;
  AssayLayersNet *nets;
  guint32 *targets;
  AssayLayers *layers;
} AssayViewDrawing;

/* The nets that pass between each rank and the next: per channel where its nets begin, and the
 * nets. */
typedef struct
{
  guint32 *start;
  guint32 *nets;
} AssayViewChannels;

AssayViewDrawing *assay_view_drawing_new (const AssayView *self) G_GNUC_WARN_UNUSED_RESULT;
void assay_view_drawing_free (AssayViewDrawing *self);

AssayViewDrawing *assay_view_drawing_of_ranks (const AssayView *self, const guint32 *rank,
                                               guint32 n_ranks) G_GNUC_WARN_UNUSED_RESULT;

AssayView *assay_view_copy (AssayView *base) G_GNUC_WARN_UNUSED_RESULT;
void assay_view_settle (AssayView *self, AssayViewDrawing *drawing, gboolean keep);

void assay_view_take_drawing (AssayView *self, AssayViewDrawing *drawing, const double *channels);
AssayView *assay_view_keep (AssayView *inner, AssayView *before);
AssayView *assay_view_keep_refined (AssayView *refined, AssayView *shown);
guint32 *assay_view_match (AssayView *view, AssayView *before);
double *assay_view_find_levels (AssayView *built, AssayView *before);
AssayView *assay_view_recall (AssayView *built, AssayView *before);

double assay_view_sideways (const AssayView *self);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (AssayViewDrawing, assay_view_drawing_free)

void assay_view_build (AssayView *self, const AssayViewOptions *options, const double *levels);
void assay_view_route (AssayView *self, const AssayLayers *layers);

guint32 assay_view_scope_around (const AssayView *self, const AssayViewBox *box);

void assay_view_list_channels (const AssayView *self, AssayViewChannels *channels);
void assay_view_draw_channels (AssayView *self, const AssayViewChannels *channels);
void assay_view_channels_clear (AssayViewChannels *channels);

void assay_view_choose_frames (AssayView *self, const AssayLayers *layers);
void assay_view_enclose (AssayView *self, AssayLayers *layers, gboolean keep, AssayLayersHold *hold,
                         guint32 scope);
void assay_view_make_room (AssayView *self);
void assay_view_place_frames (AssayView *self);

G_END_DECLS
