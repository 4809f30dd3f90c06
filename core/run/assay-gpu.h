/* assay-gpu.h
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include "backend/delegate/assay-gpu-list.h"
#include "backend/delegate/assay-gpu-plan.h"

G_BEGIN_DECLS

/**
 * AssayGpu:
 *
 * A plan on a graphics processor, which belongs to a process of its own: what a driver does takes
 * nothing along. Tensors are in memory that both share.
 */
typedef struct _AssayGpu AssayGpu;

/**
 * AssayGpuLease:
 *
 * Held by who runs several plans one after the other: one process with one open device does them.
 */
typedef struct _AssayGpuLease AssayGpuLease;

AssayGpuLease *assay_gpu_lease_new (void) G_GNUC_WARN_UNUSED_RESULT;
void assay_gpu_lease_free (AssayGpuLease *self);
AssayGpu *assay_gpu_new (guint64 shared_bytes, GError **error) G_GNUC_WARN_UNUSED_RESULT;
void assay_gpu_free (AssayGpu *self);
guint8 *assay_gpu_get_shared (AssayGpu *self);
gboolean assay_gpu_start (AssayGpu *self, const char *device, const AssayGpuPlan *plan,
                          guint seconds, const AssayProgress *progress, GError **error);
const char *assay_gpu_get_name (AssayGpu *self);
gint64 *assay_gpu_run (AssayGpu *self, guint submission, guint n_dispatches, guint seconds,
                       const AssayProgress *progress, GError **error) G_GNUC_WARN_UNUSED_RESULT;

G_DEFINE_AUTOPTR_CLEANUP_FUNC (AssayGpu, assay_gpu_free)
G_DEFINE_AUTOPTR_CLEANUP_FUNC (AssayGpuLease, assay_gpu_lease_free)

G_END_DECLS
