/* assay-dpu-level-neon.c
 * SPDX-License-Identifier: Apache-2.0
 *
 * Bytes become 16 bits, and a product of two numbers of those is added to 32 bits in one
 * instruction: nothing saturates, and every processor of the architecture has it.
 */
#include <arm_neon.h>

#define LANES 8
#define STEP 1

typedef int32x4x2_t Sums;
typedef int16x8_t Weights;
typedef int16_t Inputs;

static inline int32x4x2_t
first_sums (const int *column_sums)
{
  const int32x4x2_t none = { { vdupq_n_s32 (0), vdupq_n_s32 (0) } };

  return none;
}

static inline int16x8_t
load_weights (const signed char *weights)
{
  return vmovl_s8 (vld1_s8 (weights));
}

static inline int16_t
spread_inputs (const signed char *inputs)
{
  return inputs[0];
}

static inline int32x4x2_t
add_products (int32x4x2_t sums, int16_t inputs, int16x8_t weights)
{
  sums.val[0] = vmlal_n_s16 (sums.val[0], vget_low_s16 (weights), inputs);
  sums.val[1] = vmlal_n_s16 (sums.val[1], vget_high_s16 (weights), inputs);

  return sums;
}

#include "backend/dpu/machine/assay-dpu-level-body.h"
#include "backend/dpu/machine/assay-dpu-level-channels.h"
#include "backend/dpu/machine/assay-dpu-level-rows.h"

const AssayDpuLevel assay_dpu_level_neon = { "neon",   LANES,   STEP, gemm,    accumulate, finish,
                                             channels, largest, sum,  product, fix };
