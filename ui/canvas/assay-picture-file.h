/* assay-picture-file.h
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include <gtk/gtk.h>

G_BEGIN_DECLS

GdkTexture *assay_picture_file_render (GtkWidget *widget, double scale) G_GNUC_WARN_UNUSED_RESULT;
GBytes *assay_picture_file_write (GtkWidget *widget, const char *path) G_GNUC_WARN_UNUSED_RESULT;

G_END_DECLS
