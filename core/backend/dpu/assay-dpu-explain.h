/* assay-dpu-explain.h
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include "backend/dpu/assay-dpu-code.h"

G_BEGIN_DECLS

/**
 * AssayDpuRule:
 *
 * Why the device gives another number than arithmetic on what a quantised model says;
 * assay-dpu-rules.def has their names.
 */
typedef enum
{
#define RULE(ID, name) ASSAY_DPU_RULE_##ID,
#include "backend/dpu/assay-dpu-rules.def"
#undef RULE
  ASSAY_DPU_N_RULES
} AssayDpuRule;

/**
 * AssayDpuOperands:
 * @maps: (array): per map of the program: its elements
 * @floats: (nullable): of a fix: the numbers that become 8 bits, in the order of the map
 *
 * What an operation has worked on.
 */
typedef struct
{
  const gint8 *const *maps;
  const float *floats;
} AssayDpuOperands;

const char *assay_dpu_rule_name (AssayDpuRule rule);
AssayDpuRule assay_dpu_explain (const AssayDpuCode *code, guint op, gsize element,
                                const AssayDpuOperands *operands, gint8 ours, gint8 theirs);

G_END_DECLS
