/* assay-gpu-cache.h
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include "assay-gpu-device.h"

G_BEGIN_DECLS

VkPipelineCache assay_gpu_cache_open (AssayGpuDevice *device, const char *folder,
                                      const char *digest);
void assay_gpu_cache_keep (AssayGpuDevice *device, const char *folder, const char *digest,
                           VkPipelineCache cache);

G_END_DECLS
