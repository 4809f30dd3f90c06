/* assay-export-menu.h
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include <gtk/gtk.h>

G_BEGIN_DECLS

void assay_export_menu_add_picture (GtkWidget *widget);
void assay_export_menu_add_rows (GtkColumnView *view);
GtkWidget *assay_export_menu_find_picture (GtkWidget *root);
void assay_export_menu_copy_picture (GtkWidget *widget);
void assay_export_menu_save_picture (GtkWidget *widget, const char *path);
void assay_export_menu_choose_picture (GtkWidget *widget);

G_END_DECLS
