/* assay-boards-window.h
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include <adwaita.h>

#include "session/assay-session.h"

G_BEGIN_DECLS

/**
 * AssayBoardsWindow:
 *
 * The boards that programs can go to, and the health of the chosen one: a row per step, up to the
 * first that is not in order, with what to do about it.
 */
#define ASSAY_TYPE_BOARDS_WINDOW (assay_boards_window_get_type ())

G_DECLARE_FINAL_TYPE (AssayBoardsWindow, assay_boards_window, ASSAY, BOARDS_WINDOW, AdwWindow)

GtkWidget *assay_boards_window_new (GtkWindow *parent, AssaySession *session);

G_END_DECLS
