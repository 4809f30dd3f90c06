/* assay-kernels-avx2.c
 * SPDX-License-Identifier: Apache-2.0
 */
#define LEVEL_NAME "avx2"
#define LEVEL_SYMBOL assay_kernels_avx2

#include "backend/stream/machine/kernels/assay-kernels-x86.h"

#define N_VD 4

typedef __m256d VD;
typedef long long VI __attribute__ ((vector_size (32)));
typedef __m256d VM;

static inline void
vd_store (float *dst, VD y)
{
  __m128 narrow = _mm256_cvtpd_ps (y);
  __m128 nan = _mm_cmpunord_ps (narrow, narrow);

  _mm_storeu_ps (dst, _mm_blendv_ps (narrow, _mm_castsi128_ps (_mm_set1_epi32 (0x7fc00000)), nan));
}

#define VD_SET(x) _mm256_set1_pd (x)
#define VI_SET(x) ((VI) _mm256_set1_epi64x (x))
#define VI_SHL(x, n) ((x) << (n))
#define VD_FMA(a, b, c) _mm256_fmadd_pd (a, b, c)
#define VD_SQRT(x) _mm256_sqrt_pd (x)
#define VD_LT(a, b) _mm256_cmp_pd (a, b, _CMP_LT_OQ)
#define VD_SELECT(m, a, b) _mm256_blendv_pd (b, a, m)
#define VD_BITS(x) ((VI) (x))
#define VD_FROM_BITS(x) ((VD) (x))
#define VD_LOAD(p) _mm256_cvtps_pd (_mm_loadu_ps (p))
#define VD_STORE(p, y) vd_store (p, y)

#define STEP_BF16(i)                                                                               \
  if (i < n)                                                                                       \
    {                                                                                              \
      __m256i w = _mm256_loadu_si256 (row + i);                                                    \
                                                                                                   \
      low##i = _mm256_fmadd_ps (_mm256_castsi256_ps (_mm256_slli_epi32 (w, 16)), xk, low##i);      \
      high##i = _mm256_fmadd_ps (_mm256_castsi256_ps (_mm256_and_si256 (w, upper)), xk, high##i);  \
    }

/* How many bytes ahead of the sums weights are fetched; docs/benchmarks.md says what it brings.
 * What lies behind the last panel is asked for in vain, which faults nothing. */
#define FETCH_AHEAD 2048

static inline __attribute__ ((always_inline)) void
matvec_groups (float *acc, const guint16 *panel, const float *x, gsize n_k, const int n)
{
  const __m256i upper = _mm256_set1_epi32 ((int) 0xffff0000);
  const __m256i *row = (const __m256i *) panel;

  GROUPS (LOAD)
  for (gsize k = 0; k < n_k; k++, row += n)
    {
      __m256 xk = _mm256_broadcast_ss (x + k);

      _mm_prefetch ((const char *) row + FETCH_AHEAD, _MM_HINT_T0);
      if (n > 2)
        _mm_prefetch ((const char *) row + FETCH_AHEAD + 64, _MM_HINT_T0);
      GROUPS (STEP_BF16)
    }
  GROUPS (STORE)
}

extern const AssayKernels LEVEL_SYMBOL;

#include "backend/stream/machine/kernels/assay-kernel-body.h"
