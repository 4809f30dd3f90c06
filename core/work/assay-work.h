/* assay-work.h
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include "backend/assay-backend.h"
#include "run/assay-run-inputs.h"

G_BEGIN_DECLS

/**
 * AssayWork:
 *
 * The way of one model to one target: what is imported, checked, built and run. Each stage is done
 * when somebody asks for it, and kept; the graph is made canonical once for all of them. A copy
 * with other settings, or for another target, shares what does not depend on what is different.
 * One thread at a time; copies share nothing that changes, so each can go to a thread of its own.
 */
typedef struct _AssayWork AssayWork;

AssayWork *assay_work_new (const char *path, AssayTarget *target,
                           AssaySettings *settings) G_GNUC_WARN_UNUSED_RESULT;
AssayWork *assay_work_new_for_graph (const char *path, AssayGraph *graph, AssayTarget *target,
                                     AssaySettings *settings) G_GNUC_WARN_UNUSED_RESULT;
AssayWork *assay_work_copy (AssayWork *self) G_GNUC_WARN_UNUSED_RESULT;
AssayWork *assay_work_with_settings (AssayWork *self,
                                     AssaySettings *settings) G_GNUC_WARN_UNUSED_RESULT;
AssayWork *assay_work_with_target (AssayWork *self, AssayTarget *target,
                                   AssaySettings *settings) G_GNUC_WARN_UNUSED_RESULT;
AssayWork *assay_work_with_graph (AssayWork *self, AssayGraph *graph,
                                  AssaySettings *settings) G_GNUC_WARN_UNUSED_RESULT;
void assay_work_free (AssayWork *self);
void assay_work_set_name (AssayWork *self, const char *name);
void assay_work_explain (AssayWork *self);
void assay_work_seek_ways_out (AssayWork *self, AssayRefusedFunc refused, AssayWayFunc found,
                               gpointer data);
AssayTarget *assay_work_get_target (AssayWork *self);
AssaySettings *assay_work_get_settings (AssayWork *self);
AssayFindings *assay_work_get_findings (AssayWork *self);

AssayGraph *assay_work_get_graph (AssayWork *self, const AssayProgress *progress, GError **error);
AssayGraph *assay_work_get_form (AssayWork *self, const AssayCanonicalOptions *options,
                                 const AssayProgress *progress, GError **error);
AssayVerdicts *assay_work_get_verdicts (AssayWork *self, const AssayProgress *progress,
                                        GError **error);
AssayProgram *assay_work_get_program (AssayWork *self, const AssayProgress *progress,
                                      GError **error);
AssayRunSubject *assay_work_get_subject (AssayWork *self, gboolean program,
                                         const AssayProgress *progress, GError **error);
gboolean assay_work_open_inputs (AssayWork **self, AssayRunInputs *inputs,
                                 const AssayProgress *progress, GError **error);
AssayAllocation *assay_work_take_allocation (AssayWork *self) G_GNUC_WARN_UNUSED_RESULT;
gboolean assay_work_build (AssayWork *const *works, guint n_works, AssayConfig *config,
                           AssaySettings *settings, const AssayProgress *progress, GError **error);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (AssayWork, assay_work_free)

G_END_DECLS
