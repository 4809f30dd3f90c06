/* assay-sidebar-row.h
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include <gtk/gtk.h>

#include "session/assay-session.h"

G_BEGIN_DECLS

/**
 * AssaySidebarRow:
 *
 * One row of the lists of the sidebar: a heading, a finding, a scope or a node. The lists recycle
 * them.
 */
#define ASSAY_TYPE_SIDEBAR_ROW (assay_sidebar_row_get_type ())

G_DECLARE_FINAL_TYPE (AssaySidebarRow, assay_sidebar_row, ASSAY, SIDEBAR_ROW, GtkWidget)

GtkWidget *assay_sidebar_row_new (void);
char *assay_sidebar_row_bind (AssaySidebarRow *self, gpointer item) G_GNUC_WARN_UNUSED_RESULT;

G_END_DECLS
