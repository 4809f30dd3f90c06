/* assay-palette.c
 * SPDX-License-Identifier: Apache-2.0
 */
#include "ui/canvas/assay-palette.h"

#include "ui/window/assay-ui.h"

#include <adwaita.h>
#include <string.h>

static void
take_colors (AssayPalette *self, const AssayColors *colors)
{
  for (guint i = 0; i < ASSAY_N_ROLES; i++)
    {
      const AssayColor *color = &colors->color[i];

      self->color[i] = (GdkRGBA){ color->red, color->green, color->blue, color->alpha };
    }

  self->dark = colors->dark;
  self->high_contrast = colors->high_contrast;
}

/**
 * assay_palette_init_default:
 * @self: a palette to fill
 * @dark: whether light is drawn on dark
 * @high_contrast: whether lines are stronger
 *
 * Fills in the colours of the default theme; for pictures without a display.
 */
void
assay_palette_init_default (AssayPalette *self, gboolean dark, gboolean high_contrast)
{
  AssayColors colors;

  memset (self, 0, sizeof *self);
  assay_colors_init (&colors, dark, high_contrast);
  take_colors (self, &colors);
  self->unit = 1.0;
}

/**
 * assay_palette_load:
 * @self: a palette
 * @widget: a widget whose style is asked
 *
 * Fills the palette from the theme; call it in css_changed.
 *
 * Returns: whether anything changed, so that caches have to go
 */
gboolean
assay_palette_load (AssayPalette *self, GtkWidget *widget)
{
  GtkStyleContext *context = gtk_widget_get_style_context (widget);
  AdwStyleManager *manager = adw_style_manager_get_for_display (gtk_widget_get_display (widget));
  gboolean dark = adw_style_manager_get_dark (manager);
  AssayPalette before = *self;
  AssayColors colors;

  assay_colors_init (&colors, dark, adw_style_manager_get_high_contrast (manager));
  for (guint i = 0; i < ASSAY_N_THEME_ROLES; i++)
    {
      char name[32];
      GdkRGBA rgba;

      if (gtk_style_context_lookup_color (context, assay_role_theme_name (i, dark, name), &rgba))
        colors.color[i] = (AssayColor){ rgba.red, rgba.green, rgba.blue, rgba.alpha };
    }
  assay_colors_mix (&colors);

  take_colors (self, &colors);
  self->unit = assay_ui_get_text_scale (widget);

  return memcmp (&before, self, sizeof before) != 0;
}
