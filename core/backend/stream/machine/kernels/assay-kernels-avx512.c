/* assay-kernels-avx512.c
 * SPDX-License-Identifier: Apache-2.0
 *
 * Sums of bf16 weights in vectors of sixteen, two panels at a time; the rest is that of AVX2. Half
 * as many instructions for a weight let the processor look twice as far ahead, and with two panels
 * the sums no longer wait for each other.
 */
#define LEVEL_NAME "avx512"
#define LEVEL_SYMBOL assay_kernels_avx512

#include "backend/stream/machine/kernels/assay-kernels-x86.h"

#define N_VD 8

typedef __m512d VD;
typedef long long VI __attribute__ ((vector_size (64)));
typedef __mmask8 VM;

static inline void
vd_store (float *dst, VD y)
{
  __m256 narrow = _mm512_cvtpd_ps (y);
  __mmask8 nan = _mm256_cmp_ps_mask (narrow, narrow, _CMP_UNORD_Q);

  _mm256_storeu_ps (dst, _mm256_mask_blend_ps (
                             nan, narrow, _mm256_castsi256_ps (_mm256_set1_epi32 (0x7fc00000))));
}

#define VD_SET(x) _mm512_set1_pd (x)
#define VI_SET(x) ((VI) _mm512_set1_epi64 (x))
#define VI_SHL(x, n) ((x) << (n))
#define VD_FMA(a, b, c) _mm512_fmadd_pd (a, b, c)
#define VD_SQRT(x) _mm512_sqrt_pd (x)
#define VD_LT(a, b) _mm512_cmp_pd_mask (a, b, _CMP_LT_OQ)
#define VD_SELECT(m, a, b) _mm512_mask_blend_pd (m, b, a)
#define VD_BITS(x) ((VI) (x))
#define VD_FROM_BITS(x) ((VD) (x))
#define VD_LOAD(p) _mm512_cvtps_pd (_mm256_loadu_ps (p))
#define VD_STORE(p, y) vd_store (p, y)

/* A vector of weights is two groups: the lower halves of its words are outputs 0 to 7 of both, the
 * upper ones 8 to 15. */
static inline __m512
load_two (const float *a)
{
  __m512d low = _mm512_castps_pd (_mm512_castps256_ps512 (_mm256_loadu_ps (a)));

  return _mm512_castpd_ps (
      _mm512_insertf64x4 (low, _mm256_castps_pd (_mm256_loadu_ps (a + ASSAY_PANEL_GROUP)), 1));
}

static inline void
store_two (float *a, __m512 sums)
{
  __m256d high = _mm512_extractf64x4_pd (_mm512_castps_pd (sums), 1);

  _mm256_storeu_ps (a, _mm512_castps512_ps256 (sums));
  _mm256_storeu_ps (a + ASSAY_PANEL_GROUP, _mm256_castpd_ps (high));
}

/* Sums of a panel: two of a pair of groups, one of an odd group in vectors of eight. What a width
 * does not have is no instruction, since it is constant. */
typedef struct
{
  __m512 low[2], high[2];
  __m256 odd_low, odd_high;
} Sums;

#define INLINE static inline __attribute__ ((always_inline))

INLINE void
sums_load (Sums *self, const float *acc, const int n)
{
#pragma GCC unroll 2
  for (int i = 0; i < n / 2; i++)
    {
      self->low[i] = load_two (acc + 32 * i);
      self->high[i] = load_two (acc + 32 * i + 8);
    }
  if (n % 2 == 1)
    {
      self->odd_low = _mm256_loadu_ps (acc + 16 * (n - 1));
      self->odd_high = _mm256_loadu_ps (acc + 16 * (n - 1) + 8);
    }
}

INLINE void
sums_store (const Sums *self, float *acc, const int n)
{
#pragma GCC unroll 2
  for (int i = 0; i < n / 2; i++)
    {
      store_two (acc + 32 * i, self->low[i]);
      store_two (acc + 32 * i + 8, self->high[i]);
    }
  if (n % 2 == 1)
    {
      _mm256_storeu_ps (acc + 16 * (n - 1), self->odd_low);
      _mm256_storeu_ps (acc + 16 * (n - 1) + 8, self->odd_high);
    }
}

/* How many bytes ahead of the sums weights are fetched; docs/benchmarks.md says what it brings.
 * What lies behind the last panel is asked for in vain, which faults nothing. */
#define FETCH_AHEAD 4096

/* One row of weights. */
INLINE void
sums_step (Sums *self, const guint16 *row, float x, const int n)
{
  const __m512i upper = _mm512_set1_epi32 ((int) 0xffff0000);
  const __m512 xk = _mm512_set1_ps (x);

  _mm_prefetch ((const char *) row + FETCH_AHEAD, _MM_HINT_T0);
  if (n > 2)
    _mm_prefetch ((const char *) row + FETCH_AHEAD + 64, _MM_HINT_T0);
#pragma GCC unroll 2
  for (int i = 0; i < n / 2; i++)
    {
      __m512i w = _mm512_loadu_si512 (row + 32 * i);
      __m512 low = _mm512_castsi512_ps (_mm512_slli_epi32 (w, 16));
      __m512 high = _mm512_castsi512_ps (_mm512_and_si512 (w, upper));

      self->low[i] = _mm512_fmadd_ps (low, xk, self->low[i]);
      self->high[i] = _mm512_fmadd_ps (high, xk, self->high[i]);
    }
  if (n % 2 == 1)
    {
      __m256i w = _mm256_loadu_si256 ((const __m256i *) (row + 16 * (n - 1)));
      __m256 low = _mm256_castsi256_ps (_mm256_slli_epi32 (w, 16));
      __m256 high = _mm256_castsi256_ps (_mm256_and_si256 (w, _mm512_castsi512_si256 (upper)));

      self->odd_low = _mm256_fmadd_ps (low, _mm512_castps512_ps256 (xk), self->odd_low);
      self->odd_high = _mm256_fmadd_ps (high, _mm512_castps512_ps256 (xk), self->odd_high);
    }
}

INLINE void
matvec_groups (float *acc, const guint16 *panel, const float *x, gsize n_k, const int n)
{
  Sums sums;

  sums_load (&sums, acc, n);
  for (gsize k = 0; k < n_k; k++, panel += n * ASSAY_PANEL_GROUP)
    sums_step (&sums, panel, x[k], n);
  sums_store (&sums, acc, n);
}

INLINE void
matvec_two_groups (const AssayPanelSums two[2], gsize n_k, const int n)
{
  const guint16 *first = two[0].panel, *second = two[1].panel;
  const float *x = two[0].x, *y = two[1].x;
  Sums a, b;

  sums_load (&a, two[0].acc, n);
  sums_load (&b, two[1].acc, n);
  for (gsize k = 0; k < n_k; k++)
    {
      sums_step (&a, first, x[k], n);
      sums_step (&b, second, y[k], n);
      first += n * ASSAY_PANEL_GROUP;
      second += n * ASSAY_PANEL_GROUP;
    }
  sums_store (&a, two[0].acc, n);
  sums_store (&b, two[1].acc, n);
}
#define MATVEC_TWO_GROUPS matvec_two_groups

extern const AssayKernels LEVEL_SYMBOL;

#include "backend/stream/machine/kernels/assay-kernel-body.h"
