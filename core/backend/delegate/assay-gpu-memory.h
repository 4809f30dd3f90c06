/* assay-gpu-memory.h
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include "backend/delegate/assay-gpu-plan.h"

G_BEGIN_DECLS

/**
 * AssayGpuLife:
 * @tensor: index of a tensor
 * @born: step that writes it first
 * @died: step that reads it last
 *
 * Over which steps a tensor has to be there.
 */
typedef struct
{
  guint32 tensor;
  guint32 born;
  guint32 died;
} AssayGpuLife;

void assay_gpu_memory_plan (AssayGpuPlan *plan, GArray *lives);

G_END_DECLS
