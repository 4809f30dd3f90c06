/* assay-setup-window.h
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include <adwaita.h>

#include "session/assay-session.h"

G_BEGIN_DECLS

/**
 * AssaySetupWindow:
 *
 * Sizes of open dimensions, other shapes, streaming axes and options of the target, beside the
 * window that shows what they do.
 */
#define ASSAY_TYPE_SETUP_WINDOW (assay_setup_window_get_type ())

G_DECLARE_FINAL_TYPE (AssaySetupWindow, assay_setup_window, ASSAY, SETUP_WINDOW, AdwWindow)

GtkWidget *assay_setup_window_new (GtkWindow *parent, AssaySession *session);

G_END_DECLS
