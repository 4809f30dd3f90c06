/* assay-gpu-pipelines.h
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include "assay-gpu-device.h"
#include "backend/delegate/assay-gpu-plan.h"

G_BEGIN_DECLS

/**
 * AssayGpuPipelines:
 *
 * Shaders as a device has compiled them: each once, for all the plans that come to it, and in a
 * file for those that come later.
 */
typedef struct _AssayGpuPipelines AssayGpuPipelines;

AssayGpuPipelines *assay_gpu_pipelines_new (AssayGpuDevice *device, const char *folder,
                                            GError **error) G_GNUC_WARN_UNUSED_RESULT;
void assay_gpu_pipelines_free (AssayGpuPipelines *self);
AssayGpuDevice *assay_gpu_pipelines_get_device (AssayGpuPipelines *self);
const VkDescriptorSetLayout *assay_gpu_pipelines_get_set (AssayGpuPipelines *self, guint n_tensors);
VkPipelineLayout assay_gpu_pipelines_get_layout (AssayGpuPipelines *self, guint n_tensors);
VkPipeline assay_gpu_pipelines_make (AssayGpuPipelines *self, const AssayGpuDispatch *dispatch,
                                     guint views, GError **error);
void assay_gpu_pipelines_keep (AssayGpuPipelines *self);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (AssayGpuPipelines, assay_gpu_pipelines_free)

G_END_DECLS
