/* assay-palette.c
 * SPDX-License-Identifier: Apache-2.0
 */
#include "ui/canvas/assay-palette.h"

#include <adwaita.h>
#include <string.h>

/* Cantarell 11 at 96 dpi, in pixels: the font that lengths of the canvas are given for. */
#define USUAL_FONT_PX 14.67

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

static double
font_unit (GtkWidget *widget)
{
  PangoContext *context = gtk_widget_get_pango_context (widget);
  const PangoFontDescription *font = pango_context_get_font_description (context);
  double size = pango_font_description_get_size (font) / (double) PANGO_SCALE;

  if (!pango_font_description_get_size_is_absolute (font))
    size *= pango_cairo_context_get_resolution (context) > 0
                ? pango_cairo_context_get_resolution (context) / 72.0
                : 96.0 / 72.0;

  return size > 0 ? size / USUAL_FONT_PX : 1.0;
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
  self->unit = font_unit (widget);

  return memcmp (&before, self, sizeof before) != 0;
}
