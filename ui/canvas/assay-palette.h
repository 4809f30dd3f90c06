/* assay-palette.h
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include <gtk/gtk.h>

#include "draw/assay-colors.h"

G_BEGIN_DECLS

/**
 * AssayPalette:
 * @color: the colour of each #AssayRole
 * @dark: whether light is drawn on dark
 * @high_contrast: whether frames are one unit heavier
 * @unit: pixels per canvas unit: the size of the font over that of Cantarell 11
 *
 * What pictures are painted with. Filled from the theme in css_changed; widgets and painter take
 * colours nowhere else.
 */
typedef struct
{
  GdkRGBA color[ASSAY_N_ROLES];
  gboolean dark;
  gboolean high_contrast;
  double unit;
} AssayPalette;

void assay_palette_init_default (AssayPalette *self, gboolean dark, gboolean high_contrast);
gboolean assay_palette_load (AssayPalette *self, GtkWidget *widget);

G_END_DECLS
