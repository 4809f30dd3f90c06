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

AssayFont assay_scene_title_font (const AssayScene  *scene);
double   assay_scene_draw_badge  (const AssayScene   *scene,
                                  double              end,
                                  double              y,
                                  guint               count);
void     assay_scene_draw_fused_group
                                 (const AssayScene   *scene,
                                  const AssayViewBox *box);
void     assay_scene_draw_labels (const AssayScene   *scene,
                                  guint32             rank);
void     assay_scene_draw_chips  (const AssayScene   *scene,
                                  const AssayViewBox *box,
                                  double              x,
                                  double              y);
void     assay_scene_draw_summary
                                 (const AssayScene   *scene,
                                  const AssayViewBox *box);
gboolean assay_scene_has_chips   (const AssayScene   *scene,
                                  const AssayViewBox *box);

G_END_DECLS
