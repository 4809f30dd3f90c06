/* assay-gpu-textures.h
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include "assay-gpu-device.h"
#include "backend/delegate/assay-gpu-plan.h"

G_BEGIN_DECLS

/**
 * AssayGpuTextures:
 *
 * The textures of a plan, and the memory that those share which are never there together.
 */
typedef struct _AssayGpuTextures AssayGpuTextures;

AssayGpuTextures *assay_gpu_textures_new (AssayGpuDevice *device, const AssayGpuPlan *plan,
                                          GError **error) G_GNUC_WARN_UNUSED_RESULT;
void assay_gpu_textures_free (AssayGpuTextures *self);
VkImageView assay_gpu_textures_get_view (AssayGpuTextures *self, guint tensor);
VkImageView assay_gpu_textures_get_empty (AssayGpuTextures *self, gboolean is_half);
void assay_gpu_textures_begin (AssayGpuTextures *self, VkCommandBuffer commands);
void assay_gpu_textures_renew (AssayGpuTextures *self, VkCommandBuffer commands, guint tensor);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (AssayGpuTextures, assay_gpu_textures_free)

G_END_DECLS
