/* assay-notice-bar.h
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include "ui/window/assay-window.h"

G_BEGIN_DECLS

/**
 * AssayNoticeBar:
 *
 * The bar that says what is not as it seems: a target that cannot be used, files that changed on
 * disk, work that did not end, results from before a change; one at a time, with the button that
 * mends it.
 */
#define ASSAY_TYPE_NOTICE_BAR (assay_notice_bar_get_type ())

G_DECLARE_FINAL_TYPE (AssayNoticeBar, assay_notice_bar, ASSAY, NOTICE_BAR, GtkWidget)

void assay_notice_bar_set_session (AssayNoticeBar *self, AssaySession *session);
void assay_notice_bar_add_failure (AssayNoticeBar *self, const char *what, const GError *error,
                                   const char *action);
void assay_notice_bar_set_case (AssayNoticeBar *self, const char *path, const char *text,
                                const char *label);

G_END_DECLS
