/* assay-colors.c
 * SPDX-License-Identifier: Apache-2.0
 */
#include "draw/assay-colors.h"

#include <math.h>
#include <string.h>

/* As a background: lay over nothing. */
#define ASSAY_ROLE_KEEP ASSAY_N_ROLES

typedef struct
{
  const char *name;
  guint32 rgb[2];
  guint8 percent[2];
} ThemeRow;

typedef struct
{
  guint8 source;
  guint8 percent[2]; /* light, dark */
  guint8 background;
  guint8 high_percent;
} MixRow;

static const ThemeRow theme_rows[ASSAY_N_THEME_ROLES] = {
#define THEME(id, name, light, light_percent, dark, dark_percent)                                  \
  { name, { light, dark }, { light_percent, dark_percent } },
#define MIX(...)
#define MIX_EACH(...)
#include "draw/roles.def"
#undef THEME
#undef MIX
#undef MIX_EACH
};

static const MixRow mix_rows[ASSAY_N_ROLES - ASSAY_N_THEME_ROLES] = {
#define THEME(...)
#define MIX(id, source, percent, background, high_percent)                                         \
  { ASSAY_ROLE_##source, { percent, percent }, ASSAY_ROLE_##background, high_percent },
#define MIX_EACH(id, source, light, dark, background, high_percent)                                \
  { ASSAY_ROLE_##source, { light, dark }, ASSAY_ROLE_##background, high_percent },
#include "draw/roles.def"
#undef THEME
#undef MIX
#undef MIX_EACH
};

/**
 * assay_color_over:
 * @above: a colour, maybe see-through
 * @below: an opaque colour
 *
 * Lays one colour over another.
 *
 * Returns: what is seen, opaque
 */
AssayColor
assay_color_over (AssayColor above, AssayColor below)
{
  AssayColor result = {
    .red = above.red * above.alpha + below.red * (1.0f - above.alpha),
    .green = above.green * above.alpha + below.green * (1.0f - above.alpha),
    .blue = above.blue * above.alpha + below.blue * (1.0f - above.alpha),
    .alpha = 1.0f,
  };

  return result;
}

/**
 * assay_colors_init:
 * @self: colours to fill
 * @dark: whether light is drawn on dark
 * @high_contrast: whether lines are stronger
 *
 * Fills in the colours of the default theme; for pictures that no theme can be asked for.
 */
void
assay_colors_init (AssayColors *self, gboolean dark, gboolean high_contrast)
{
  memset (self, 0, sizeof *self);
  self->dark = dark;
  self->high_contrast = high_contrast;

  for (guint i = 0; i < ASSAY_N_THEME_ROLES; i++)
    {
      guint32 rgb = theme_rows[i].rgb[dark != FALSE];

      self->color[i].red = (float) (rgb >> 16) / 255.0f;
      self->color[i].green = (float) ((rgb >> 8) & 0xff) / 255.0f;
      self->color[i].blue = (float) (rgb & 0xff) / 255.0f;
      self->color[i].alpha = (float) theme_rows[i].percent[dark != FALSE] / 100.0f;
    }

  assay_colors_mix (self);
}

/**
 * assay_colors_mix:
 * @self: colours whose theme roles are filled in
 *
 * Makes the mixed roles out of the theme roles.
 */
void
assay_colors_mix (AssayColors *self)
{
  for (guint i = 0; i < G_N_ELEMENTS (mix_rows); i++)
    {
      const MixRow *row = &mix_rows[i];
      AssayColor color = self->color[row->source];

      color.alpha *= (float) (self->high_contrast ? row->high_percent
                                                  : row->percent[self->dark != FALSE]) /
                     100.0f;
      if (row->background != ASSAY_ROLE_KEEP)
        color = assay_color_over (color, self->color[row->background]);

      self->color[ASSAY_N_THEME_ROLES + i] = color;
    }
}

/**
 * assay_role_theme_name:
 * @role: a theme role
 * @dark: whether the theme is dark
 * @buffer: room for the name
 *
 * Gets the name under which a theme knows the colour of a role; some differ between light and dark.
 *
 * Returns: (transfer none): the name, in @buffer
 */
const char *
assay_role_theme_name (AssayRole role, gboolean dark, char buffer[32])
{
  const char *name;
  const char *bar;

  g_return_val_if_fail (role < ASSAY_N_THEME_ROLES, NULL);

  name = theme_rows[role].name;
  bar = strchr (name, '|');

  if (bar == NULL)
    g_strlcpy (buffer, name, 32);
  else if (dark)
    g_strlcpy (buffer, bar + 1, 32);
  else
    g_strlcpy (buffer, name, MIN (32, (gsize) (bar - name) + 1));

  return buffer;
}

static double
linear (double channel)
{
  return channel <= 0.03928 ? channel / 12.92 : pow ((channel + 0.055) / 1.055, 2.4);
}

/**
 * assay_color_luminance:
 * @color: an opaque colour
 *
 * Gets the relative luminance as WCAG 2.1 defines it.
 *
 * Returns: 0 for black to 1 for white
 */
double
assay_color_luminance (AssayColor color)
{
  return 0.2126 * linear (color.red) + 0.7152 * linear (color.green) + 0.0722 * linear (color.blue);
}

/**
 * assay_color_contrast:
 * @a: an opaque colour
 * @b: another
 *
 * Gets the contrast ratio as WCAG 2.1 defines it.
 *
 * Returns: 1 to 21
 */
double
assay_color_contrast (AssayColor a, AssayColor b)
{
  double la = assay_color_luminance (a);
  double lb = assay_color_luminance (b);

  return (MAX (la, lb) + 0.05) / (MIN (la, lb) + 0.05);
}
