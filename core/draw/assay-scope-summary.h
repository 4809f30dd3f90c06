/* assay-scope-summary.h
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include "draw/assay-overlay.h"
#include "layout/assay-view.h"

G_BEGIN_DECLS

#define ASSAY_SUMMARY_LINES 3

/**
 * AssayScopeSummary:
 * @lines: per box %ASSAY_SUMMARY_LINES texts, %NULL from the first one on that has nothing to say
 * @n_boxes: number of boxes
 *
 * What folded scopes hold, in words for beside their boxes: operators, the most frequent first, and
 * the size of weights or the sum of what nodes are coloured by.
 */
typedef struct
{
  char **lines;
  guint32 n_boxes;
} AssayScopeSummary;

AssayScopeSummary *assay_scope_summary_new (const AssayView *view,
                                            const AssayOverlay *overlay) G_GNUC_WARN_UNUSED_RESULT;
void assay_scope_summary_free (AssayScopeSummary *self);
const char *assay_scope_summary_get (const AssayScopeSummary *self, guint32 box, guint line);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (AssayScopeSummary, assay_scope_summary_free)

G_END_DECLS
