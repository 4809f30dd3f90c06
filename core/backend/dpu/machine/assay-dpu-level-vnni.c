/* assay-dpu-level-vnni.c
 * SPDX-License-Identifier: Apache-2.0
 *
 * The instruction multiplies bytes without a sign by bytes with one and adds four products to 32
 * bits, none of which saturates: inputs are made 128 more, and the sums begin with 128 times the
 * weights less.
 */
#include <immintrin.h>
#include <string.h>

#include "backend/dpu/machine/assay-dpu-kernels.h"

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

/* Weights of up to 64 channels, four elements of the window at a time, and twice the bias. */
typedef struct
{
  gint8 weights[(ASSAY_DPU_MAX_TAPS + 3) / 4 * 4 * ASSAY_DPU_MAX_BLOCK]
      __attribute__ ((aligned (64)));
  gint8 bias[4 * ASSAY_DPU_MAX_BLOCK] __attribute__ ((aligned (64)));
  guint n, n_groups;
  __mmask16 mask;
  int shift;
  gint32 low, high;
} Block;

#define Vector __m512i
#define OP(name) _mm512_##name
#define NAME(name) name##_64
#define LOAD(mask, from) _mm512_loadu_si512 (from)
#define STORE(mask, to, vector) _mm512_storeu_si512 (to, vector)
#include "backend/dpu/machine/assay-dpu-level-vnni-block.h"

#define Vector __m256i
#define OP(name) _mm256_##name
#define NAME(name) name##_32
#define LOAD(mask, from) _mm256_loadu_si256 ((const __m256i *) (from))
#define STORE(mask, to, vector) _mm256_storeu_si256 ((__m256i *) (to), vector)
#include "backend/dpu/machine/assay-dpu-level-vnni-block.h"

#define Vector __m128i
#define OP(name) _mm_##name
#define NAME(name) name##_16
#define LOAD(mask, from) _mm_maskz_loadu_epi8 (mask, from)
#define STORE(mask, to, vector) _mm_mask_storeu_epi8 (to, mask, vector)
#include "backend/dpu/machine/assay-dpu-level-vnni-block.h"

static void
block_begin (Block *self, guint width, const AssayDpuWindow *window, const gint8 *weights,
             const gint64 *bias, int shift, gint32 low, gint32 high)
{
  static const gint8 zeros[ASSAY_DPU_MAX_BLOCK] = { 0 };
  const gint8 *taps[ASSAY_DPU_MAX_TAPS + 3];
  guint n_taps = window->kh * window->kw;

  self->n = width;
  self->n_groups = (n_taps + 3) / 4;
  self->mask = (__mmask16) (width < 16 ? (1u << width) - 1 : 0xffff);
  self->shift = shift;
  self->low = low;
  self->high = high;
  for (guint i = 0; i < 4 * self->n_groups; i++)
    taps[i] = i < n_taps ? weights + (gsize) i * window->oc : zeros;
  if (width == 64)
    begin_64 (self, taps, bias);
  else if (width == 32)
    begin_32 (self, taps, bias);
  else
    begin_16 (self, taps, bias);
}

static inline __attribute__ ((always_inline)) void
block_run (const Block *self, const guint width, const gint8 *const *taps, gsize ahead, gint8 *out)
{
  if (width == 64)
    run_64 (self, taps, ahead, out);
  else if (width == 32)
    run_32 (self, taps, ahead, out);
  else
    run_16 (self, taps, ahead, out);
}

#include "backend/dpu/machine/assay-dpu-level-depth.h"

static void
channels (const AssayDpuWindow *window, const gint8 *in, const gint8 *weights, const gint64 *bias,
          int shift, gint32 low, gint32 high, gint8 *out)
{
  Block block;

  for (guint c = 0, n; c < window->c; c += n)
    {
      guint left = window->c - c;

      n = left >= 64 ? 64 : left >= 32 ? 32 : left >= 16 ? 16 : left;
      block_begin (&block, n, window, weights + c, bias + c, shift, low, high);
      if (n == 64)
        walk (&block, 64, window, in, c, out);
      else if (n == 32)
        walk (&block, 32, window, in, c, out);
      else
        walk (&block, 16, window, in, c, out);
    }
}

#include "backend/dpu/machine/assay-dpu-level-body.h"
#include "backend/dpu/machine/assay-dpu-level-rows.h"

const AssayDpuLevel assay_dpu_level_vnni = { "vnni",   LANES,   STEP, gemm,    accumulate, finish,
                                             channels, largest, sum,  product, fix };
