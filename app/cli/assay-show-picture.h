/* assay-show-picture.h
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include "assay-target-options.h"
#include "nnir/assay-graph.h"
#include "report/assay-graph-picture.h"

G_BEGIN_DECLS

/**
 * AssayShowPicture:
 * @target: the target whose verdicts are drawn, and what it may be told here
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
  AssayTargetOptions target;
  gboolean folded;
  char **open;
  char *area;
  char *colour_by;
  char *overlay;
  double scale;
  gboolean dark;
} AssayShowPicture;

#define ASSAY_SHOW_PICTURE_ENTRIES(options)                                                        \
  { "target",                                                                                      \
    't',                                                                                           \
    0,                                                                                             \
    G_OPTION_ARG_FILENAME,                                                                         \
    &(options).target.target,                                                                      \
    "Draw the verdicts for this target",                                                           \
    "TARGET" },                                                                                    \
      { "streaming-transform",                                                                     \
        0,                                                                                         \
        0,                                                                                         \
        G_OPTION_ARG_STRING_ARRAY,                                                                 \
        &(options).target.streaming_axes,                                                          \
        "Draw the model as it streams over this axis of each input",                               \
        "AXIS,AXIS,..." },                                                                         \
      { "fold",                                                                                    \
        0,                                                                                         \
        0,                                                                                         \
        G_OPTION_ARG_NONE,                                                                         \
        &(options).folded,                                                                         \
        "Fold scopes as in the first picture of a window",                                         \
        NULL },                                                                                    \
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
AssayExit assay_show_picture_write (AssayShowPicture *self, AssayCli *cli, AssayGraph *graph,
                                    AssayFindings *findings, AssayPictureForm form);

G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (AssayShowPicture, assay_show_picture_clear)

G_END_DECLS
