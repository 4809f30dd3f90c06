/* assay-report-object.h
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include "api/assay-program-builder.h"

G_BEGIN_DECLS

#define ASSAY_TYPE_REPORT (assay_report_get_type ())

/**
 * AssayReport:
 *
 * A document as a command writes it: verdicts, fixes, a comparison, metrics, targets. It is never
 * changed.
 */
G_DECLARE_FINAL_TYPE (AssayReport, assay_report, ASSAY, REPORT, GObject)

const char *assay_report_get_json (AssayReport *self);
const char *assay_report_get_text (AssayReport *self);
gboolean assay_report_is_clean (AssayReport *self);

AssayReport *assay_list_targets (GError **error) G_GNUC_WARN_UNUSED_RESULT;
AssayReport *assay_nnir_describe (AssayNnir *self, GError **error) G_GNUC_WARN_UNUSED_RESULT;
AssayReport *assay_nnir_check (AssayNnir *self, const char *target, AssayOptions *options,
                               GCancellable *cancellable, GError **error) G_GNUC_WARN_UNUSED_RESULT;
AssayReport *assay_nnir_find_fixes (AssayNnir *self, const char *target, AssayOptions *options,
                                    guint n_runs, GCancellable *cancellable,
                                    GError **error) G_GNUC_WARN_UNUSED_RESULT;
AssayNnir *assay_nnir_apply_fixes (AssayNnir *self, const char *fixes, AssayOptions *options,
                                   GCancellable *cancellable,
                                   GError **error) G_GNUC_WARN_UNUSED_RESULT;
gboolean assay_nnir_save_onnx (AssayNnir *self, const char *path, GCancellable *cancellable,
                               GError **error);
AssayReport *assay_nnir_compare (AssayNnir *self, const char *a, const char *b, const char *target,
                                 AssayOptions *options, AssayTensor *const *inputs, gsize n_inputs,
                                 gboolean outputs_only, GCancellable *cancellable,
                                 GError **error) G_GNUC_WARN_UNUSED_RESULT;
AssayReport *assay_program_describe (AssayProgram *self) G_GNUC_WARN_UNUSED_RESULT;
char *assay_program_draw_memory (AssayProgram *self, int core, double width,
                                 double height) G_GNUC_WARN_UNUSED_RESULT;
AssayReport *assay_program_builder_explain (AssayProgramBuilder *self, GCancellable *cancellable,
                                            GError **error) G_GNUC_WARN_UNUSED_RESULT;

G_END_DECLS
