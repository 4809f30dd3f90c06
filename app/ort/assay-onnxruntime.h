/* assay-onnxruntime.h
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include "run/assay-run-parts.h"

G_BEGIN_DECLS

/**
 * AssayOnnxruntime:
 *
 * The library of ONNX Runtime, loaded while the program runs, with one model in it.
 */
typedef struct _AssayOnnxruntime AssayOnnxruntime;

char *assay_onnxruntime_dup_version (const char *library, GError **error) G_GNUC_WARN_UNUSED_RESULT;
AssayOnnxruntime *assay_onnxruntime_new (const char *library, const char *model, guint n_threads,
                                         gboolean optimizes,
                                         GError **error) G_GNUC_WARN_UNUSED_RESULT;
void assay_onnxruntime_free (AssayOnnxruntime *self);
GPtrArray *assay_onnxruntime_run (AssayOnnxruntime *self, GPtrArray *names, GPtrArray *tensors,
                                  GPtrArray *outputs, GPtrArray *values, gint64 *latency,
                                  GError **error) G_GNUC_WARN_UNUSED_RESULT;

G_DEFINE_AUTOPTR_CLEANUP_FUNC (AssayOnnxruntime, assay_onnxruntime_free)

G_END_DECLS
