/* assay-kernels.h
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

/**
 * AssayFunction:
 *
 * What the function unit computes; the rows are in `assay-functions.def`.
 */
typedef enum
{
#define FUNCTION(id, name, doc) ASSAY_FUNCTION_##id,
#include "backend/stream/machine/kernels/assay-functions.def"
#undef FUNCTION
  ASSAY_N_FUNCTIONS
} AssayFunction;

/**
 * AssayRound:
 * @ASSAY_ROUND_F32: results stay fp32
 * @ASSAY_ROUND_BF16: results are rounded once to bf16, and held as floats of that value
 *
 * The destination of a pointwise result.
 */
typedef enum
{
  ASSAY_ROUND_F32,
  ASSAY_ROUND_BF16,
} AssayRound;

/**
 * AssayPointwise:
 *
 * What the pointwise unit computes of two operands.
 */
typedef enum
{
  ASSAY_POINTWISE_ADD,
  ASSAY_POINTWISE_SUB,
  ASSAY_POINTWISE_MUL,
  ASSAY_POINTWISE_DIV,
  ASSAY_POINTWISE_MIN,
  ASSAY_POINTWISE_MAX,
  ASSAY_N_POINTWISE
} AssayPointwise;

/* Outputs that one panel of the weight layout holds: so many sums are in flight at once. The last
 * panel of a matrix may be narrower by whole groups. */
#define ASSAY_PANEL 64
#define ASSAY_PANEL_GROUP 16

/**
 * AssayPanelSums:
 * @acc: sums, one for each output
 * @panel: weights
 * @x: inputs
 *
 * A panel and what it is multiplied with.
 */
typedef struct
{
  float *acc;
  const guint16 *panel;
  const float *x;
} AssayPanelSums;

/**
 * AssayKernels:
 * @name: of the level: `scalar`, `avx2`, `avx512`, `neon`
 * @function: dst[i] = f (src[i]), rounded once
 * @pointwise: dst[i] = a[i] op b[i], rounded once; min and max hand NaN on and order the zeros
 * @clamp: dst[i] = min (max (a[i], low), high), rounded
 * @round: dst[i] = src[i] rounded
 * @matvec_bf16: for each of 64 outputs o and k ascending: acc[o] = fma (w[k][o], x[k], acc[o]); the
 * panel holds n_k rows of 64 bf16 weights in the interleaved order of assay_panel_index()
 * @matvec_bf16_part: the same for 1 to 3 groups of 16 outputs; the rows of the panel have no more
 * weights than that
 * @matvec_bf16_two: the same for two panels of 1 to 4 groups each, which have different sums
 * @matvec_f32: as @matvec_bf16, with fp32 weights in natural order
 *
 * The kernels of one instruction set level: pure functions without state, allocation or system
 * calls. All levels give the same bits.
 */
typedef struct
{
  const char *name;
  void (*function) (AssayFunction function, AssayRound round, float *dst, const float *src,
                    gsize n);
  void (*pointwise) (AssayPointwise op, AssayRound round, float *dst, const float *a,
                     const float *b, gsize n);
  void (*clamp) (AssayRound round, float *dst, const float *a, float low, float high, gsize n);
  void (*round) (AssayRound round, float *dst, const float *src, gsize n);
  void (*matvec_bf16) (float *acc, const guint16 *panel, const float *x, gsize n_k);
  void (*matvec_bf16_part) (float *acc, const guint16 *panel, const float *x, gsize n_k,
                            guint n_groups);
  void (*matvec_bf16_two) (const AssayPanelSums two[2], gsize n_k, guint n_groups);
  void (*matvec_f32) (float *acc, const float *panel, const float *x, gsize n_k);
} AssayKernels;

/* Position of output `o` in a row of 64 bf16 weights: pairs (o, o + 8) of each sixteen share a
 * word, so that a shift and a mask widen sixteen weights into two vectors in natural order. */
static inline gsize
assay_panel_index (gsize o)
{
  gsize group = o / 16;
  gsize lane = o % 16;

  return group * 16 + (lane % 8) * 2 + lane / 8;
}

const AssayKernels *assay_kernels_get_default (void);
const AssayKernels *assay_kernels_get (guint index);
const char *assay_function_name (AssayFunction function);

G_END_DECLS
