/* assay-dpu-level-avx2.c
 * SPDX-License-Identifier: Apache-2.0
 *
 * Two products of 16 bits each are added to 32 bits, which never overflow: the instruction for
 * bytes would saturate on the way.
 */
#include <immintrin.h>

#define LANES 8
#define STEP 2

typedef __m256i Sums;
typedef __m256i Weights;
typedef __m256i Inputs;

static inline __m256i
first_sums (const int *column_sums)
{
  return _mm256_setzero_si256 ();
}

static inline __m256i
load_weights (const signed char *weights)
{
  return _mm256_cvtepi8_epi16 (_mm_loadu_si128 ((const __m128i *) weights));
}

static inline __m256i
spread_inputs (const signed char *inputs)
{
  return _mm256_set1_epi32 ((int) ((unsigned) inputs[1] << 16 | (unsigned short) inputs[0]));
}

static inline __m256i
add_products (__m256i sums, __m256i inputs, __m256i weights)
{
  return _mm256_add_epi32 (sums, _mm256_madd_epi16 (inputs, weights));
}

#include "backend/dpu/machine/assay-dpu-level-body.h"
#include "backend/dpu/machine/assay-dpu-level-channels.h"
#include "backend/dpu/machine/assay-dpu-level-rows.h"

const AssayDpuLevel assay_dpu_level_avx2 = { "avx2",   LANES,   STEP, gemm,    accumulate, finish,
                                             channels, largest, sum,  product, fix };
