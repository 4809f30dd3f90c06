/* assay-setting-row.h
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include <adwaita.h>

#include "settings/assay-settings.h"

G_BEGIN_DECLS

GtkWidget *assay_setting_row_new (AssaySetting setting, AssaySettings *settings, GCallback changed,
                                  gpointer owner);
GtkWidget *assay_setting_row_new_switch (const char *title, const char *subtitle, gboolean active,
                                         GCallback changed, gpointer owner);
gboolean assay_setting_row_get_active (GtkWidget *row);
void assay_setting_row_read (GtkWidget *row, AssaySettings **settings);

G_END_DECLS
