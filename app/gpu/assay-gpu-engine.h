/* assay-gpu-engine.h
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include "assay-gpu-device.h"
#include "backend/delegate/assay-gpu-plan.h"

G_BEGIN_DECLS

/**
 * AssayGpuEngine:
 *
 * A plan on a device: its memory, its pipelines, and a command buffer per submission, recorded
 * once.
 */
typedef struct _AssayGpuEngine AssayGpuEngine;

AssayGpuEngine *assay_gpu_engine_new (AssayGpuDevice *device, AssayGpuPlan *plan, guint8 *shared,
                                      const char *folder, GError **error) G_GNUC_WARN_UNUSED_RESULT;
void assay_gpu_engine_free (AssayGpuEngine *self);
gboolean assay_gpu_engine_run (AssayGpuEngine *self, guint submission, GError **error);
const gint64 *assay_gpu_engine_get_times (const AssayGpuEngine *self, guint submission, guint *n);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (AssayGpuEngine, assay_gpu_engine_free)

G_END_DECLS
