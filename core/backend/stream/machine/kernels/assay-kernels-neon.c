/* assay-kernels-neon.c
 * SPDX-License-Identifier: Apache-2.0
 */
#include "backend/stream/machine/kernels/assay-kernels.h"

#include <arm_neon.h>
#include <math.h>
#include <string.h>

#include "backend/stream/machine/kernels/assay-function-coefficients.h"

#define LEVEL_NAME "neon"
#define LEVEL_SYMBOL assay_kernels_neon
#define N_VD 2

typedef float64x2_t VD;
typedef int64x2_t VI;
typedef uint64x2_t VM;

static inline void
vd_store (float *dst, VD y)
{
  float32x2_t narrow = vcvt_f32_f64 (y);
  uint32x2_t number = vceq_f32 (narrow, narrow);

  vst1_f32 (dst, vbsl_f32 (number, narrow, vreinterpret_f32_u32 (vdup_n_u32 (0x7fc00000))));
}

#define VD_SET(x) vdupq_n_f64 (x)
#define VI_SET(x) vdupq_n_s64 (x)
#define VI_SHL(x, n) vshlq_n_s64 (x, n)
#define VD_FMA(a, b, c) vfmaq_f64 (c, a, b)
#define VD_SQRT(x) vsqrtq_f64 (x)
#define VD_LT(a, b) vcltq_f64 (a, b)
#define VD_SELECT(m, a, b) vbslq_f64 (m, a, b)
#define VD_BITS(x) vreinterpretq_s64_f64 (x)
#define VD_FROM_BITS(x) vreinterpretq_f64_s64 (x)
#define VD_LOAD(p) vcvt_f64_f32 (vld1_f32 (p))
#define VD_STORE(p, y) vd_store (p, y)

static inline __attribute__ ((always_inline)) void
matvec_groups (float *acc, const guint16 *panel, const float *x, gsize n_k, const int n)
{
  float32x4_t a[16];

  for (int i = 0; i < 4 * n; i++)
    a[i] = vld1q_f32 (acc + 4 * i);

  for (gsize k = 0; k < n_k; k++)
    {
      const guint16 *row = panel + k * (gsize) n * ASSAY_PANEL_GROUP;

      for (int i = 0; i < n; i++)
        {
          /* Eight words a half: low halves are outputs 0 to 7 of the sixteen, high halves 8 to 15.
           */
          uint32x4_t w0 = vreinterpretq_u32_u16 (vld1q_u16 (row + 16 * i));
          uint32x4_t w1 = vreinterpretq_u32_u16 (vld1q_u16 (row + 16 * i + 8));
          uint32x4_t high = vdupq_n_u32 (0xffff0000);

          a[4 * i] = vfmaq_n_f32 (a[4 * i], vreinterpretq_f32_u32 (vshlq_n_u32 (w0, 16)), x[k]);
          a[4 * i + 1] = vfmaq_n_f32 (a[4 * i + 1], vreinterpretq_f32_u32 (vshlq_n_u32 (w1, 16)),
                                      x[k]);
          a[4 * i + 2] = vfmaq_n_f32 (a[4 * i + 2], vreinterpretq_f32_u32 (vandq_u32 (w0, high)),
                                      x[k]);
          a[4 * i + 3] = vfmaq_n_f32 (a[4 * i + 3], vreinterpretq_f32_u32 (vandq_u32 (w1, high)),
                                      x[k]);
        }
    }

  for (int i = 0; i < 4 * n; i++)
    vst1q_f32 (acc + 4 * i, a[i]);
}

static void
matvec_f32 (float *acc, const float *panel, const float *x, gsize n_k)
{
  float32x4_t a[16];

  for (int i = 0; i < 16; i++)
    a[i] = vld1q_f32 (acc + 4 * i);

  for (gsize k = 0; k < n_k; k++)
    {
      for (int i = 0; i < 16; i++)
        a[i] = vfmaq_n_f32 (a[i], vld1q_f32 (panel + k * ASSAY_PANEL + 4 * i), x[k]);
    }

  for (int i = 0; i < 16; i++)
    vst1q_f32 (acc + 4 * i, a[i]);
}

extern const AssayKernels LEVEL_SYMBOL;

#include "backend/stream/machine/kernels/assay-kernel-body.h"
