/* assay-quantize-window.h
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include <adwaita.h>

#include "session/assay-session.h"

G_BEGIN_DECLS

/**
 * AssayQuantizeWindow:
 *
 * Asks how a model is quantised and what it is calibrated with, shows how far it is, and what came
 * of it.
 */
#define ASSAY_TYPE_QUANTIZE_WINDOW (assay_quantize_window_get_type ())

G_DECLARE_FINAL_TYPE (AssayQuantizeWindow, assay_quantize_window, ASSAY, QUANTIZE_WINDOW, AdwWindow)

GtkWidget *assay_quantize_window_new (GtkWindow *parent, AssaySession *session);

G_END_DECLS
