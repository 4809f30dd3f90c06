/* assay-layout-crossings.h
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include "layout/assay-view.h"

G_BEGIN_DECLS

/**
 * AssayPiece:
 * @x1: x of the start
 * @y1: y of the start
 * @x2: x of the end
 * @y2: y of the end
 * @net: which value it is a way of; its own ways do not cross
 *
 * A straight piece of a drawn edge, in any direction.
 */
typedef struct
{
  double x1;
  double y1;
  double x2;
  double y2;
  guint32 net;
} AssayPiece;

guint64 assay_count_crossings (GArray *pieces);
void assay_list_pieces (const AssayView *view, GArray *pieces);
guint assay_count_overlaps (const AssayView *view);
guint assay_count_intruders (const AssayView *view);

G_END_DECLS
