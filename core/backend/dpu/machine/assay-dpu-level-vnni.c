/* assay-dpu-level-vnni.c
 * SPDX-License-Identifier: Apache-2.0
 *
 * The instruction multiplies bytes without a sign by bytes with one and adds four products to 32
 * bits, none of which saturates: inputs are made 128 more, and the sums begin with 128 times the
 * weights less.
 */
#include <immintrin.h>

#define LANES 16
#define STEP 4

typedef __m512i Sums;
typedef __m512i Weights;
typedef __m512i Inputs;

static inline __m512i
first_sums (const int *column_sums)
{
  return _mm512_slli_epi32 (
      _mm512_sub_epi32 (_mm512_setzero_si512 (), _mm512_loadu_si512 (column_sums)), 7);
}

static inline __m512i
load_weights (const signed char *weights)
{
  return _mm512_loadu_si512 (weights);
}

static inline __m512i
spread_inputs (const signed char *inputs)
{
  int four;

  __builtin_memcpy (&four, inputs, sizeof four);

  return _mm512_set1_epi32 (four ^ (int) 0x80808080);
}

static inline __m512i
add_products (__m512i sums, __m512i inputs, __m512i weights)
{
  return _mm512_dpbusd_epi32 (sums, inputs, weights);
}

#include "backend/dpu/machine/assay-dpu-level-body.h"
#include "backend/dpu/machine/assay-dpu-level-rows.h"

const AssayDpuLevel assay_dpu_level_vnni = { "vnni", LANES, STEP, gemm, accumulate, finish };
