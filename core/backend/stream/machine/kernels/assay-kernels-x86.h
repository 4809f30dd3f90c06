/* assay-kernels-x86.h
 * SPDX-License-Identifier: Apache-2.0
 *
 * What the levels of x86-64 share: sums of fp32 weights.
 */
#include "backend/stream/machine/kernels/assay-kernels.h"

#include <immintrin.h>
#include <math.h>
#include <string.h>

#include "backend/stream/machine/kernels/assay-function-coefficients.h"

/* The sums have names, because the compiler keeps an array of them in memory: a store per sum and
 * input, which took twice the time of the arithmetic. */
#define GROUPS(X) X (0) X (1) X (2) X (3)
#define LOAD(i)                                                                                    \
  __m256 low##i = i < n ? _mm256_loadu_ps (acc + 16 * i) : _mm256_setzero_ps ();                   \
  __m256 high##i = i < n ? _mm256_loadu_ps (acc + 16 * i + 8) : _mm256_setzero_ps ();
#define STORE(i)                                                                                   \
  if (i < n)                                                                                       \
    {                                                                                              \
      _mm256_storeu_ps (acc + 16 * i, low##i);                                                     \
      _mm256_storeu_ps (acc + 16 * i + 8, high##i);                                                \
    }
#define STEP_F32(i)                                                                                \
  low##i = _mm256_fmadd_ps (_mm256_loadu_ps (row + 16 * i), xk, low##i);                           \
  high##i = _mm256_fmadd_ps (_mm256_loadu_ps (row + 16 * i + 8), xk, high##i);

static void
matvec_f32 (float *acc, const float *panel, const float *x, gsize n_k)
{
  const int n = ASSAY_PANEL / ASSAY_PANEL_GROUP;

  GROUPS (LOAD)
  for (gsize k = 0; k < n_k; k++)
    {
      const float *row = panel + k * ASSAY_PANEL;
      __m256 xk = _mm256_broadcast_ss (x + k);

      GROUPS (STEP_F32)
    }
  GROUPS (STORE)
}
