/* assay-preview-bar.h
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include <gtk/gtk.h>

#include "session/assay-session.h"

G_BEGIN_DECLS

/**
 * AssayPreviewBar:
 *
 * The fix that is looked at before it is applied: which side of it is shown, what both come to, and
 * Apply or Back.
 */
#define ASSAY_TYPE_PREVIEW_BAR (assay_preview_bar_get_type ())

G_DECLARE_FINAL_TYPE (AssayPreviewBar, assay_preview_bar, ASSAY, PREVIEW_BAR, GtkWidget)

void assay_preview_bar_set_session (AssayPreviewBar *self, AssaySession *session);

G_END_DECLS
