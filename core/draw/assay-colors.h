/* assay-colors.h
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

/**
 * AssayRole:
 *
 * What a colour is for. Pictures name roles, never colours; the rows are in `roles.def`. The first
 * %ASSAY_N_THEME_ROLES come from the theme, the rest is mixed from them.
 */
typedef enum
{
#define THEME(id, ...) ASSAY_ROLE_##id,
#define MIX(id, ...)
#define MIX_EACH(id, ...)
#include "draw/roles.def"
#undef THEME
#undef MIX
#undef MIX_EACH
  ASSAY_N_THEME_ROLES,
  ASSAY_ROLES_BEFORE_MIX = ASSAY_N_THEME_ROLES - 1,
#define THEME(...)
#define MIX(id, ...) ASSAY_ROLE_##id,
#define MIX_EACH(id, ...) ASSAY_ROLE_##id,
#include "draw/roles.def"
#undef THEME
#undef MIX
#undef MIX_EACH
  ASSAY_N_ROLES
} AssayRole;

/**
 * AssayColor:
 *
 * Red, green, blue and opacity from 0 to 1, not premultiplied.
 */
typedef struct
{
  float red;
  float green;
  float blue;
  float alpha;
} AssayColor;

/**
 * AssayColors:
 * @color: the colour of each role
 * @dark: whether light is drawn on dark
 * @high_contrast: whether lines are stronger and frames one unit heavier
 *
 * All colours of a picture.
 */
typedef struct
{
  AssayColor color[ASSAY_N_ROLES];
  gboolean dark;
  gboolean high_contrast;
} AssayColors;

void assay_colors_init (AssayColors *self, gboolean dark, gboolean high_contrast);
void assay_colors_mix (AssayColors *self);
const char *assay_role_theme_name (AssayRole role, gboolean dark, char buffer[32]);
double assay_color_luminance (AssayColor color);
double assay_color_contrast (AssayColor a, AssayColor b);
AssayColor assay_color_over (AssayColor above, AssayColor below);

G_END_DECLS
