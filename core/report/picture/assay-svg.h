/* assay-svg.h
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include "draw/assay-display-list.h"

G_BEGIN_DECLS

/**
 * AssaySvgDescribe:
 * @id: id of a group
 * @user_data: the data given with the function
 *
 * Says what a group is, for tooltips and readers.
 *
 * Returns: (transfer full) (nullable): the words
 */
typedef char *(*AssaySvgDescribe) (guint32 id, gpointer user_data);

/**
 * AssaySvgOptions:
 * @colors: colours of the picture
 * @family: family of its fonts
 * @title: (nullable): of the document
 * @x: left of what is written, in units
 * @y: top
 * @width: width
 * @height: height
 * @describe: (nullable): words for groups
 * @user_data: data for it
 *
 * How a picture becomes a document.
 */
typedef struct
{
  const AssayColors *colors;
  const char *family;
  const char *title;
  double x;
  double y;
  double width;
  double height;
  AssaySvgDescribe describe;
  gpointer user_data;
} AssaySvgOptions;

char *assay_svg_from_list (const AssayDisplayList *list, const AssaySvgOptions *options,
                           gsize *length) G_GNUC_WARN_UNUSED_RESULT;

G_END_DECLS
