/* assay-graph-picture-private.h
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include <cairo.h>

#include "report/picture/assay-graph-picture.h"

G_BEGIN_DECLS

/* Room around the graph. */
#define ASSAY_PICTURE_MARGIN 24.0

void assay_graph_picture_draw (const AssayGraphPicture *self, double x, double y, double width,
                               double height, gboolean groups, AssayDisplayList *list);
cairo_status_t assay_graph_picture_write (void *bytes, const unsigned char *data,
                                          unsigned int length);
GBytes *assay_graph_picture_to_pdf (const AssayGraphPicture *self, const AssayProgress *progress,
                                    GError **error) G_GNUC_WARN_UNUSED_RESULT;
GBytes *assay_graph_picture_to_dot (const AssayGraphPicture *self) G_GNUC_WARN_UNUSED_RESULT;

G_END_DECLS
