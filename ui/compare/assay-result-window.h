/* assay-result-window.h
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include <adwaita.h>

#include "session/assay-session.h"

G_BEGIN_DECLS

/**
 * AssayResultWindow:
 *
 * What came out of the last run: a table of the outputs with their statistics, the values of one of
 * them page by page, and the cycles that the accelerator needs.
 */
#define ASSAY_TYPE_RESULT_WINDOW (assay_result_window_get_type ())

G_DECLARE_FINAL_TYPE (AssayResultWindow, assay_result_window, ASSAY, RESULT_WINDOW, AdwWindow)

GtkWidget *assay_result_window_new (GtkWindow *parent, AssaySession *session);

G_END_DECLS
