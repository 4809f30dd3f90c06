/* assay-memory-chart.h
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include <gtk/gtk.h>

#include "draw/assay-memory-scene.h"
#include "session/assay-session.h"

G_BEGIN_DECLS

/**
 * AssayMemoryChart:
 *
 * Steps by addresses of one store of one core, with the cross-section at the playhead and the total
 * below; or the weight stores of all cores. Only the marks are drawn anew when playhead or
 * selection move.
 */
#define ASSAY_TYPE_MEMORY_CHART (assay_memory_chart_get_type ())

G_DECLARE_FINAL_TYPE (AssayMemoryChart, assay_memory_chart, ASSAY, MEMORY_CHART, GtkWidget)

void assay_memory_chart_set_session (AssayMemoryChart *self, AssaySession *session);
void assay_memory_chart_set_store (AssayMemoryChart *self, guint store);
void assay_memory_chart_zoom (AssayMemoryChart *self, gboolean blocks, guint32 at, double factor);
const AssayMemoryLook *assay_memory_chart_get_look (AssayMemoryChart *self);
void assay_memory_chart_update_format (AssayMemoryChart *self);
guint assay_memory_chart_get_builds (AssayMemoryChart *self);
GArray *assay_memory_chart_list_selected (AssayMemoryChart *self) G_GNUC_WARN_UNUSED_RESULT;

G_END_DECLS
