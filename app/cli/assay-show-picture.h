/* assay-show-picture.h
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include "assay-cli.h"
#include "report/picture/assay-graph-picture.h"
#include "work/assay-work.h"

G_BEGIN_DECLS

/**
 * AssayShowPicture:
 * @folded: whether scopes are folded as in the first picture of a window
 * @open: (nullable) (array zero-terminated=1): paths of scopes that are open while all others are
 * folded
 * @area: (nullable): the part to draw, `X,Y,WIDTH,HEIGHT` in units
 * @colour_by: (nullable): name of an overlay
 * @overlay: (nullable): a file of names of nodes and numbers or words to colour by
 * @scale: pixels per unit
 * @dark: whether light is drawn on dark
 *
 * Options of pictures of a graph.
 */
typedef struct
{
  gboolean folded;
  char **open;
  char *area;
  char *colour_by;
  char *overlay;
  double scale;
  gboolean dark;
} AssayShowPicture;

#define ASSAY_SHOW_PICTURE_ENTRIES(options)                                                        \
  { "fold",                                                                                        \
    0,                                                                                             \
    0,                                                                                             \
    G_OPTION_ARG_NONE,                                                                             \
    &(options).folded,                                                                             \
    "Fold scopes as in the first picture of a window",                                             \
    NULL },                                                                                        \
      { "open",                                                                                    \
        0,                                                                                         \
        0,                                                                                         \
        G_OPTION_ARG_STRING_ARRAY,                                                                 \
        &(options).open,                                                                           \
        "Open this scope and fold those not named",                                                \
        "SCOPE" },                                                                                 \
      { "area",                                                                                    \
        0,                                                                                         \
        0,                                                                                         \
        G_OPTION_ARG_STRING,                                                                       \
        &(options).area,                                                                           \
        "Draw only this part, in units",                                                           \
        "X,Y,WIDTH,HEIGHT" },                                                                      \
      { "colour-by",                                                                               \
        0,                                                                                         \
        0,                                                                                         \
        G_OPTION_ARG_STRING,                                                                       \
        &(options).colour_by,                                                                      \
        "Colour nodes by verdict (default), engine, scope, bytes, or core or cycles of the "       \
        "program",                                                                                 \
        "WHAT" },                                                                                  \
      { "overlay",                                                                                 \
        0,                                                                                         \
        0,                                                                                         \
        G_OPTION_ARG_FILENAME,                                                                     \
        &(options).overlay,                                                                        \
        "Colour nodes by what this CSV or JSON file says of them",                                 \
        "FILE" },                                                                                  \
      { "scale",                                                                                   \
        0,                                                                                         \
        0,                                                                                         \
        G_OPTION_ARG_DOUBLE,                                                                       \
        &(options).scale,                                                                          \
        "Pixels per unit of PNG, from 0.1 to 8",                                                   \
        "FACTOR" },                                                                                \
  {                                                                                                \
    "dark", 0, 0, G_OPTION_ARG_NONE, &(options).dark, "Draw light on dark", NULL                   \
  }

void assay_show_picture_clear (AssayShowPicture *self);
AssayExit assay_show_picture_write (AssayShowPicture *self, AssayCli *cli, AssayWork *work,
                                    AssayTarget *target, AssayPictureForm form);

G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (AssayShowPicture, assay_show_picture_clear)

G_END_DECLS
