/* assay-kernels-avx2.c
 * SPDX-License-Identifier: Apache-2.0
 */
#include "machine/kernels/assay-kernels.h"

#include <immintrin.h>
#include <math.h>
#include <string.h>

#include "machine/kernels/assay-function-coefficients.h"

#define LEVEL_NAME "avx2"
#define LEVEL_SYMBOL assay_kernels_avx2
#define N_VD 4

typedef __m256d VD;
typedef long long VI __attribute__ ((vector_size (32)));
typedef __m256d VM;

static inline void
vd_store (float *dst,
          VD     y)
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

static inline __attribute__ ((always_inline)) void
matvec_groups (float         *acc,
               const guint16 *panel,
               const float   *x,
               gsize          n_k,
               const int      n)
{
  __m256 a[8];
  const __m256i high = _mm256_set1_epi32 ((int) 0xffff0000);

  for (int i = 0; i < 2 * n; i++)
    a[i] = _mm256_loadu_ps (acc + 8 * i);

  for (gsize k = 0; k < n_k; k++)
    {
      const __m256i *row = (const __m256i *) (panel + k * (gsize) n * ASSAY_PANEL_GROUP);
      __m256 xk = _mm256_broadcast_ss (x + k);

      for (int i = 0; i < n; i++)
        {
          __m256i w = _mm256_loadu_si256 (row + i);

          a[2 * i] = _mm256_fmadd_ps (_mm256_castsi256_ps (_mm256_slli_epi32 (w, 16)), xk, a[2 * i]);
          a[2 * i + 1] = _mm256_fmadd_ps (_mm256_castsi256_ps (_mm256_and_si256 (w, high)), xk, a[2 * i + 1]);
        }
    }

  for (int i = 0; i < 2 * n; i++)
    _mm256_storeu_ps (acc + 8 * i, a[i]);
}

static void
matvec_f32 (float       *acc,
            const float *panel,
            const float *x,
            gsize        n_k)
{
  __m256 a[8];

  for (int i = 0; i < 8; i++)
    a[i] = _mm256_loadu_ps (acc + 8 * i);

  for (gsize k = 0; k < n_k; k++)
    {
      const float *row = panel + k * ASSAY_PANEL;
      __m256 xk = _mm256_broadcast_ss (x + k);

      for (int i = 0; i < 8; i++)
        a[i] = _mm256_fmadd_ps (_mm256_loadu_ps (row + 8 * i), xk, a[i]);
    }

  for (int i = 0; i < 8; i++)
    _mm256_storeu_ps (acc + 8 * i, a[i]);
}

extern const AssayKernels LEVEL_SYMBOL;

#include "machine/kernels/assay-kernel-body.h"
