/* assay-picture.h
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include <gtk/gtk.h>

#include "draw/assay-display-list.h"

G_BEGIN_DECLS

/**
 * AssayPictureDraw:
 * @list: gets the picture
 * @width: width in units
 * @height: height in units
 * @data: the data given with the function
 *
 * Draws what a picture shows.
 */
typedef void (*AssayPictureDraw) (AssayDisplayList *list, double width, double height,
                                  gpointer data);

/**
 * AssayPictureDescribe:
 * @x: a place in units
 * @y: a place in units
 * @width: width in units
 * @height: height in units
 * @data: the data given with the function
 *
 * Describes what is under the pointer.
 *
 * Returns: (transfer full) (nullable): the words of the tooltip
 */
typedef char *(*AssayPictureDescribe) (double x, double y, double width, double height,
                                       gpointer data);

/**
 * AssayPicture:
 *
 * A display list on the screen, drawn anew only when it changes its size or is told to.
 */
#define ASSAY_TYPE_PICTURE (assay_picture_get_type ())

G_DECLARE_FINAL_TYPE (AssayPicture, assay_picture, ASSAY, PICTURE, GtkWidget)

void assay_picture_set_functions (AssayPicture *self, AssayPictureDraw draw,
                                  AssayPictureDescribe describe, gpointer data);
void assay_picture_set_minimum (AssayPicture *self, int width, int height);
void assay_picture_set_least_height (AssayPicture *self, double height);
double assay_picture_get_unit (AssayPicture *self);
void assay_picture_redraw (AssayPicture *self);

G_END_DECLS
