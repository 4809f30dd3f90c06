/* assay-view-tween.h
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include "layout/assay-view.h"

G_BEGIN_DECLS

/**
 * AssayViewTween:
 *
 * The way from one layout of a graph to another one, with everything in between where it is at the
 * time.
 */
typedef struct _AssayViewTween AssayViewTween;

AssayViewTween *assay_view_tween_new (AssayView *from, AssayView *to, double dx,
                                      double dy) G_GNUC_WARN_UNUSED_RESULT;
AssayViewTween *assay_view_tween_new_fold (AssayView *before, AssayView *to,
                                           guint anchor) G_GNUC_WARN_UNUSED_RESULT;
AssayViewTween *assay_view_tween_new_change (AssayView *before, AssayView *to, const guint32 *same,
                                             guint32 anchor) G_GNUC_WARN_UNUSED_RESULT;
char **assay_view_list_names (AssayView *view) G_GNUC_WARN_UNUSED_RESULT;
guint32 *assay_view_match_names (AssayView *view,
                                 const char *const *names) G_GNUC_WARN_UNUSED_RESULT;
void assay_view_tween_free (AssayViewTween *self);
AssayView *assay_view_tween_get (AssayViewTween *self, double progress);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (AssayViewTween, assay_view_tween_free)

G_END_DECLS
