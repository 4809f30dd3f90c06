/* assay-timeline-chart.h
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include <gtk/gtk.h>

#include "draw/assay-timeline-scene.h"
#include "session/assay-session.h"

G_BEGIN_DECLS

/**
 * AssayTimelineChart:
 *
 * What every core and unit does in every cycle. Core, playhead and selected node are those of all
 * other views; only the marks are drawn anew when playhead or selection move.
 */
#define ASSAY_TYPE_TIMELINE_CHART (assay_timeline_chart_get_type ())

G_DECLARE_FINAL_TYPE (AssayTimelineChart, assay_timeline_chart, ASSAY, TIMELINE_CHART, GtkWidget)

void assay_timeline_chart_set_session (AssayTimelineChart *self, AssaySession *session);
const AssayTimelineLook *assay_timeline_chart_get_look (AssayTimelineChart *self);
void assay_timeline_chart_press (AssayTimelineChart *self, double x, double y);
void assay_timeline_chart_measure (AssayTimelineChart *self, double x1, double x2);
void assay_timeline_chart_zoom (AssayTimelineChart *self, double x, double factor);

G_END_DECLS
