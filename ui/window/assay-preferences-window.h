/* assay-preferences-window.h
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include <adwaita.h>

G_BEGIN_DECLS

/**
 * AssayPreferencesWindow:
 *
 * The settings of the program, each of which holds from the moment it is changed.
 */
#define ASSAY_TYPE_PREFERENCES_WINDOW (assay_preferences_window_get_type ())

G_DECLARE_FINAL_TYPE (AssayPreferencesWindow, assay_preferences_window, ASSAY, PREFERENCES_WINDOW,
                      AdwPreferencesWindow)

GtkWidget *assay_preferences_window_new (GtkWindow *parent) G_GNUC_WARN_UNUSED_RESULT;

G_END_DECLS
