/* assay-compare-activity.h
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include <gio/gio.h>

#include "session/list/assay-compare-item.h"
#include "session/activity/assay-run.h"

G_BEGIN_DECLS

/**
 * AssayCompareActivity:
 *
 * Holding two runs of the open model against each other, on the inputs that the session has: rows
 * while it goes on, and the verdict of the whole.
 */
#define ASSAY_TYPE_COMPARE_ACTIVITY (assay_compare_activity_get_type ())

G_DECLARE_FINAL_TYPE (AssayCompareActivity, assay_compare_activity, ASSAY, COMPARE_ACTIVITY,
                      AssayActivity)

gboolean assay_compare_activity_can_start (AssayCompareActivity *self);
void assay_compare_activity_start (AssayCompareActivity *self);
void assay_compare_activity_set_paused (AssayCompareActivity *self, gboolean paused);
const char *assay_compare_activity_get_runner (AssayCompareActivity *self, guint side);
void assay_compare_activity_set_runner (AssayCompareActivity *self, guint side, const char *runner);
const char *assay_compare_activity_get_tolerance (AssayCompareActivity *self);
void assay_compare_activity_set_tolerance (AssayCompareActivity *self, const char *path);
const AssayComparison *assay_compare_activity_get_comparison (AssayCompareActivity *self);
GListModel *assay_compare_activity_get_rows (AssayCompareActivity *self);

void assay_compare_activity_read_async (AssayCompareActivity *self, const char *name,
                                        GAsyncReadyCallback callback, gpointer user_data);
gboolean assay_compare_activity_read_finish (AssayCompareActivity *self, GAsyncResult *result,
                                             AssayTensor **a, AssayTensor **b, GError **error);

G_END_DECLS
