/* assay-sidebar.h
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include <adwaita.h>

#include "session/assay-session.h"

G_BEGIN_DECLS

/**
 * AssaySidebar:
 *
 * Search, findings and outline; the twin of the canvas for keyboard and screen reader.
 */
#define ASSAY_TYPE_SIDEBAR (assay_sidebar_get_type ())

G_DECLARE_FINAL_TYPE (AssaySidebar, assay_sidebar, ASSAY, SIDEBAR, GtkWidget)

void assay_sidebar_set_session (AssaySidebar *self, AssaySession *session);
void assay_sidebar_find (AssaySidebar *self);
gboolean assay_sidebar_clear_search (AssaySidebar *self);
void assay_sidebar_show_findings (AssaySidebar *self);

G_END_DECLS
