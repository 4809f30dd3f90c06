/* assay-gpu-engine.h
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include "assay-gpu-pipelines.h"
G_BEGIN_DECLS

/**
 * AssayGpuEngine:
 *
 * A plan on a device: its memory, and a command buffer per submission, recorded once. The pipelines
 * that it needs stay with the device for plans to come.
 */
typedef struct _AssayGpuEngine AssayGpuEngine;

AssayGpuEngine *assay_gpu_engine_new (AssayGpuPipelines *pipelines, AssayGpuPlan *plan,
                                      guint8 *shared, GError **error) G_GNUC_WARN_UNUSED_RESULT;
void assay_gpu_engine_free (AssayGpuEngine *self);
gboolean assay_gpu_engine_run (AssayGpuEngine *self, guint submission, GError **error);
const gint64 *assay_gpu_engine_get_times (const AssayGpuEngine *self, guint submission, guint *n);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (AssayGpuEngine, assay_gpu_engine_free)

G_END_DECLS
