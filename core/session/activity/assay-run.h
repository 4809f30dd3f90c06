/* assay-run.h
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include <gio/gio.h>

#include "run/assay-run-times.h"
#include "session/activity/assay-activity.h"
#include "document/assay-input-choice.h"
#include "session/list/assay-result-item.h"

G_BEGIN_DECLS

/**
 * AssayRun:
 *
 * Running the program of a session once on one runner, off the main context: what goes in, and what
 * came out.
 */
#define ASSAY_TYPE_RUN (assay_run_get_type ())

G_DECLARE_FINAL_TYPE (AssayRun, assay_run, ASSAY, RUN, AssayActivity)

gboolean assay_run_can_start (AssayRun *self);
void assay_run_start (AssayRun *self);
const char *assay_run_get_runner (AssayRun *self);
void assay_run_set_runner (AssayRun *self, const char *runner);
const AssayInputChoice *assay_run_get_inputs (AssayRun *self);
void assay_run_set_inputs (AssayRun *self, const AssayInputChoice *inputs);
GArray *assay_run_list_inputs (AssayRun *self) G_GNUC_WARN_UNUSED_RESULT;
GListModel *assay_run_get_results (AssayRun *self);
AssayTensor *assay_run_find_previous (AssayRun *self, const char *name, const char **title);
const char *assay_run_get_title (AssayRun *self);
guint assay_run_get_n_steps (AssayRun *self);
double assay_run_get_seconds (AssayRun *self);
AssayRunTimes *assay_run_get_times (AssayRun *self);
void assay_run_preview_async (AssayRun *self, GCancellable *cancellable,
                              GAsyncReadyCallback callback, gpointer user_data);
GPtrArray *assay_run_preview_finish (AssayRun *self, GAsyncResult *result,
                                     GError **error) G_GNUC_WARN_UNUSED_RESULT;

G_END_DECLS
