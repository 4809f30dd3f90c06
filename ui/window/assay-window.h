/* assay-window.h
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include <adwaita.h>

#include "session/assay-session.h"

G_BEGIN_DECLS

/**
 * AssayWidthClass:
 * @ASSAY_WIDTH_COMPACT: below 1,000 px
 * @ASSAY_WIDTH_MEDIUM: below 1,280 px
 * @ASSAY_WIDTH_NORMAL: below 1,600 px
 * @ASSAY_WIDTH_WIDE: below 2,200 px
 * @ASSAY_WIDTH_VAST: everything from there
 *
 * How much room a window has, in pixels at the usual text size.
 */
typedef enum
{
  ASSAY_WIDTH_COMPACT,
  ASSAY_WIDTH_MEDIUM,
  ASSAY_WIDTH_NORMAL,
  ASSAY_WIDTH_WIDE,
  ASSAY_WIDTH_VAST,
} AssayWidthClass;

#define ASSAY_TYPE_WIDTH_CLASS (assay_width_class_get_type ())
GType assay_width_class_get_type (void) G_GNUC_CONST;

/**
 * AssayWindow:
 *
 * One window on one session: the frame in which all views stand.
 */
#define ASSAY_TYPE_WINDOW (assay_window_get_type ())

G_DECLARE_FINAL_TYPE (AssayWindow, assay_window, ASSAY, WINDOW, AdwApplicationWindow)

GtkWidget *assay_window_new (GtkApplication *application, const char *target_id);
AssaySession *assay_window_get_session (AssayWindow *self);
void assay_window_open (AssayWindow *self, const char *path, const char *node);
void assay_window_save_session (AssayWindow *self, const char *path);
void assay_window_save_parts (AssayWindow *self, const char *nodes, const char *path);
void assay_window_open_overlay (AssayWindow *self, const char *path);
AssayWidthClass assay_window_get_width_class (AssayWindow *self);

char *assay_window_explain_action (AssayWindow *self, const char *name) G_GNUC_WARN_UNUSED_RESULT;

G_END_DECLS
