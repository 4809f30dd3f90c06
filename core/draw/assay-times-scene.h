/* assay-times-scene.h
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include "draw/assay-display-list.h"
#include "run/assay-run-times.h"

G_BEGIN_DECLS

/**
 * AssayTimesLook:
 * @width: width of the picture in units
 * @height: height of the picture; the lanes share it
 * @first: nanosecond at its left
 * @end: nanosecond at its right end
 *
 * Which part of an inference is drawn and how large.
 */
typedef struct
{
  double width;
  double height;
  double first;
  double end;
} AssayTimesLook;

void assay_times_look_fit (AssayTimesLook *look, const AssayRunTimes *times);
void assay_times_look_zoom (AssayTimesLook *look, const AssayRunTimes *times, double x,
                            double factor);
void assay_times_look_pan (AssayTimesLook *look, const AssayRunTimes *times, double share);
guint assay_times_look_find (const AssayTimesLook *look, const AssayRunTimes *times, double x,
                             double y);
void assay_times_scene_draw (const AssayRunTimes *times, const AssayTimesLook *look, guint chosen,
                             AssayDisplayList *list);

G_END_DECLS
