/* assay-qualify-activity.h
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include "session/activity/assay-activity.h"
#include "settings/assay-settings.h"
#include "work/assay-conformance.h"

G_BEGIN_DECLS

/**
 * AssayQualifyActivity:
 *
 * Running a suite of cases on the runner and in front of the target of the session, each in a
 * process of its own: a folder, or the open model cut into its operators. Rows come as cases end.
 */
#define ASSAY_TYPE_QUALIFY_ACTIVITY (assay_qualify_activity_get_type ())

G_DECLARE_FINAL_TYPE (AssayQualifyActivity, assay_qualify_activity, ASSAY, QUALIFY_ACTIVITY,
                      AssayActivity)

const char *assay_qualify_activity_get_suite (AssayQualifyActivity *self);
void assay_qualify_activity_set_suite (AssayQualifyActivity *self, const char *folder);
const char *assay_qualify_activity_get_expected (AssayQualifyActivity *self);
void assay_qualify_activity_set_expected (AssayQualifyActivity *self, const char *path);
gboolean assay_qualify_activity_save (AssayQualifyActivity *self, const char *form,
                                      const char *path, GError **error);
void assay_qualify_activity_start (AssayQualifyActivity *self);
GListModel *assay_qualify_activity_get_rows (AssayQualifyActivity *self);
guint assay_qualify_activity_get_n_cases (AssayQualifyActivity *self);
const AssayConformance *assay_qualify_activity_get_conformance (AssayQualifyActivity *self);
const char *assay_qualify_activity_get_trend (AssayQualifyActivity *self);
char *assay_qualify_activity_dup_case (AssayQualifyActivity *self,
                                       const char *name) G_GNUC_WARN_UNUSED_RESULT;
const char *assay_qualify_activity_get_runner (AssayQualifyActivity *self);
const char *assay_qualify_activity_get_model (AssayQualifyActivity *self);
const char *assay_qualify_activity_get_target (AssayQualifyActivity *self);
AssaySettings *assay_qualify_activity_get_setup (AssayQualifyActivity *self);
AssaySettings *assay_qualify_activity_get_settings (AssayQualifyActivity *self);
guint assay_qualify_activity_get_n_left (AssayQualifyActivity *self);
gboolean assay_qualify_activity_has_case (AssayQualifyActivity *self, const char *path);
gboolean assay_qualify_activity_is_current (AssayQualifyActivity *self);

G_END_DECLS
