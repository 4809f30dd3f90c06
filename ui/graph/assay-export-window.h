/* assay-export-window.h
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include <adwaita.h>

#include "ui/graph/assay-graph-page.h"

G_BEGIN_DECLS

/**
 * AssayExportWindow:
 *
 * Asks in which form, and which part of, a graph becomes a file; draws it in a thread, and can be
 * cancelled.
 */
#define ASSAY_TYPE_EXPORT_WINDOW (assay_export_window_get_type ())

G_DECLARE_FINAL_TYPE (AssayExportWindow, assay_export_window, ASSAY, EXPORT_WINDOW, AdwWindow)

GtkWidget *assay_export_window_new (GtkWindow *parent, AssayGraphPage *page);
void assay_export_window_write (AssayExportWindow *self, const char *path);

G_END_DECLS
