/* assay-graph-scene-private.h
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include "draw/assay-graph-scene.h"

G_BEGIN_DECLS

/* A tile that is being drawn. */
typedef struct
{
  const AssayView *view;
  const AssaySceneLook *look;
  AssayDisplayList *list;
  double hair; /* one pixel, or one unit if that is more */
  double x1;
  double x2;
} AssayScene;

typedef AssayScene Scene;

/* The line around what is fused. */
typedef struct
{
  double x1;
  double y1;
  double x2;
  double y2;
} AssaySceneOutline;

/* How many ranks an outline reaches down at most. */
#define ASSAY_SCENE_OUTLINE_RANKS 8

AssayFont assay_scene_title_font (const AssayScene *scene);
double assay_scene_badge_width (const AssayScene *scene, guint count);
double assay_scene_draw_badge (const AssayScene *scene, double end, double y, guint count);
gboolean assay_scene_find_fused_group (const AssayScene *scene, const AssayViewBox *box,
                                       AssaySceneOutline *outline);
void assay_scene_draw_fused_group (const AssayScene *scene, const AssayViewBox *box);
void assay_scene_draw_labels (const AssayScene *scene, guint32 rank);
void assay_scene_draw_chips (const AssayScene *scene, const AssayViewBox *box, double x, double y);
void assay_scene_draw_summary (const AssayScene *scene, const AssayViewBox *box);
gboolean assay_scene_has_chips (const AssayScene *scene, const AssayViewBox *box);

G_END_DECLS
