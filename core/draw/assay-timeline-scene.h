/* assay-timeline-scene.h
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include "draw/assay-display-list.h"
#include "backend/assay-time-map.h"

G_BEGIN_DECLS

#define ASSAY_NO_EVENT G_MAXUINT32
#define ASSAY_NO_LANE G_MAXUINT

/**
 * AssayTimelineLook:
 * @width: width of the picture in units
 * @height: height of the picture; what the lines do not need they share, up to a measure
 * @first_cycle: cycle at its left
 * @end_cycle: cycle past its right end
 * @opened: cores whose units are shown, a bit each
 * @core: the core that is chosen
 *
 * Which part of a timeline is drawn and how large.
 */
typedef struct
{
  double width;
  double height;
  double first_cycle;
  double end_cycle;
  guint64 opened;
  guint core;
} AssayTimelineLook;

/**
 * AssayTimelinePlace:
 * @is_header: whether it is in the line of a core
 * @core: the core; of a port the number of cores
 * @lane: the lane, %ASSAY_NO_LANE outside all
 * @cycle: the cycle, the nearest one in margins
 * @event: the event, %ASSAY_NO_EVENT where there is none
 *
 * What a place in the picture stands for.
 */
typedef struct
{
  gboolean is_header;
  guint core;
  guint lane;
  guint32 cycle;
  guint32 event;
} AssayTimelinePlace;

void assay_timeline_look_fit (AssayTimelineLook *look, const AssayTimeMap *map);
void assay_timeline_look_zoom (AssayTimelineLook *look, const AssayTimeMap *map, double at,
                               double factor);
void assay_timeline_look_pan (AssayTimelineLook *look, const AssayTimeMap *map, double share);
void assay_timeline_look_open_all (AssayTimelineLook *look, const AssayTimeMap *map);
gboolean assay_timeline_look_is_ruler (const AssayTimelineLook *look, double x, double y);
double assay_timeline_look_get_height (const AssayTimelineLook *look, const AssayTimeMap *map);
double assay_timeline_look_get_x (const AssayTimelineLook *look, double cycle);
gboolean assay_timeline_look_locate (const AssayTimelineLook *look, const AssayTimeMap *map,
                                     double x, double y, AssayTimelinePlace *place);
void assay_timeline_scene_draw (const AssayTimeMap *map, const AssayTimelineLook *look,
                                AssayDisplayList *list);
char *assay_timeline_describe_range (const AssayTimeMap *map, guint core, guint32 from,
                                     guint32 to) G_GNUC_WARN_UNUSED_RESULT;
void assay_timeline_scene_draw_range (const AssayTimeMap *map, const AssayTimelineLook *look,
                                      guint32 from, guint32 to, AssayDisplayList *list);
void assay_timeline_scene_draw_marks (const AssayTimeMap *map, const AssayTimelineLook *look,
                                      guint32 cycle, const GArray *nodes, AssayDisplayList *list);

G_END_DECLS
