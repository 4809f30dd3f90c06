/* assay-vectors.h
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

/* Elements that may be read behind the end of what sum_taps() and max_taps() are given, and written
 * behind their result: they work on whole vectors. */
#define ASSAY_VECTORS_SLACK 64

/**
 * AssayVectorMap:
 *
 * Functions of one number that are worth more than a call of the C library for each.
 */
typedef enum
{
  ASSAY_VECTOR_MAP_EXP,
  ASSAY_VECTOR_MAP_SIGMOID,
  ASSAY_VECTOR_MAP_TANH,
  ASSAY_VECTOR_MAP_ERF,
  ASSAY_VECTOR_MAP_SWISH,
  ASSAY_VECTOR_MAP_GELU,
  ASSAY_VECTOR_MAP_GELU_TANH,
  ASSAY_VECTOR_MAP_MISH,
  ASSAY_VECTOR_MAP_SOFTPLUS,
} AssayVectorMap;

/**
 * AssayVectors:
 * @name: of the level: `base`, `avx2`, `avx512`
 * @map: to[i] = f (from[i]) within two units in the last place; @p is the factor in the sigmoid of
 * swish
 * @softmax: exponentials of a row, divided by their sum; @to may be @from
 * @sum_taps: to[i] = bias + sum over t of factors[t] * taps[t][i]
 * @max_taps: to[i] = largest of taps[t][i], a NaN if there is one
 *
 * Loops over floats of one instruction set level. Levels differ in the last bits, since some have a
 * fused multiply-add.
 */
typedef struct
{
  const char *name;
  void (*map) (AssayVectorMap map, float p, const float *from, float *to, gsize n);
  void (*softmax) (const float *from, float *to, gsize n);
  void (*sum_taps) (float *to, gsize n, gsize n_taps, const float *const *taps,
                    const float *factors, float bias);
  void (*max_taps) (float *to, gsize n, gsize n_taps, const float *const *taps);
} AssayVectors;

const AssayVectors *assay_vectors_get (guint index);
const AssayVectors *assay_vectors_get_default (void);

G_END_DECLS
