/* assay-mark.h
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include "draw/assay-display-list.h"

G_BEGIN_DECLS

/**
 * AssayMark:
 * @ASSAY_MARK_ADDED: a rewrite would add something beside the node
 * @ASSAY_MARK_REMOVED: it would remove the node
 * @ASSAY_MARK_CHANGED: it would change the node
 * @ASSAY_MARK_PINNED: the node is pinned
 *
 * What is marked on a node.
 */
typedef enum
{
  ASSAY_MARK_ADDED = 1 << 0,
  ASSAY_MARK_REMOVED = 1 << 1,
  ASSAY_MARK_CHANGED = 1 << 2,
  ASSAY_MARK_PINNED = 1 << 3,
} AssayMark;

void assay_mark_draw (guint8 marks, double x, double y, double size, AssayDisplayList *list);

G_END_DECLS
