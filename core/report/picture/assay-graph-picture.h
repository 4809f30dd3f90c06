/* assay-graph-picture.h
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include "base/assay-progress.h"
#include "draw/assay-graph-scene.h"

G_BEGIN_DECLS

/**
 * AssayPictureForm:
 * @ASSAY_PICTURE_SVG: one document, text as text
 * @ASSAY_PICTURE_PDF: pages of A3 that overlap, a map of them first
 * @ASSAY_PICTURE_PNG: tiles of at most 8,192 pixels
 * @ASSAY_PICTURE_DOT: the boxes and their edges in the language of Graphviz
 *
 * Files that a graph can become.
 */
typedef enum
{
  ASSAY_PICTURE_SVG,
  ASSAY_PICTURE_PDF,
  ASSAY_PICTURE_PNG,
  ASSAY_PICTURE_DOT,
  ASSAY_N_PICTURE_FORMS
} AssayPictureForm;

/* The largest side of a picture that most programs can open. */
#define ASSAY_PICTURE_TILE 8192

/**
 * AssayGraphPicture:
 * @view: what is shown
 * @overlay: (nullable): what bodies of nodes are coloured by
 * @marks: (nullable): #AssayMark bits per node
 * @filter: a bit per verdict that stays strong, 0 for all
 * @colors: the colours
 * @family: family of the fonts
 * @title: what the picture is of
 * @x: left of the part that is written, in units of the view
 * @y: top
 * @width: width, 0 for all there is
 * @height: height
 * @scale: pixels per unit of tiles
 *
 * A graph on its way into a file. The view and what it refers to have to live as long.
 */
typedef struct
{
  const AssayView *view;
  const AssayOverlay *overlay;
  const GByteArray *marks;
  guint filter;
  const AssayColors *colors;
  const char *family;
  const char *title;
  double x;
  double y;
  double width;
  double height;
  double scale;
} AssayGraphPicture;

const char *assay_picture_form_name (AssayPictureForm form);
gboolean assay_picture_form_is_text (AssayPictureForm form);
gboolean assay_picture_form_find (const char *name, AssayPictureForm *form);
GPtrArray *assay_graph_picture_render (const AssayGraphPicture *self, AssayPictureForm form,
                                       const AssayProgress *progress,
                                       GError **error) G_GNUC_WARN_UNUSED_RESULT;
char *assay_graph_picture_dup_name (const char *path, guint index,
                                    guint n) G_GNUC_WARN_UNUSED_RESULT;
gboolean assay_graph_picture_save (const AssayGraphPicture *self, AssayPictureForm form,
                                   const char *path, guint *n_files, const AssayProgress *progress,
                                   GError **error);

G_END_DECLS
