/* assay-ui-markup.h
 * SPDX-License-Identifier: Apache-2.0
 *
 * Plain text for those widgets of libadwaita that read markup.
 */
#pragma once

#include <adwaita.h>

G_BEGIN_DECLS

void assay_ui_toast (GtkWidget *from, const char *text);
void assay_ui_describe (AdwStatusPage *page, const char *text);
void assay_ui_name_row (GtkWidget *row, const char *title, const char *subtitle);

G_END_DECLS
