/* assay-inputs-window.h
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include <adwaita.h>

#include "session/assay-session.h"

G_BEGIN_DECLS

/**
 * AssayInputsWindow:
 *
 * The dialog that chooses what goes into a run: a file for each input, or random values from a
 * seed.
 */
#define ASSAY_TYPE_INPUTS_WINDOW (assay_inputs_window_get_type ())

G_DECLARE_FINAL_TYPE (AssayInputsWindow, assay_inputs_window, ASSAY, INPUTS_WINDOW, AdwWindow)

GtkWidget *assay_inputs_window_new (GtkWindow *parent, AssaySession *session);

G_END_DECLS
