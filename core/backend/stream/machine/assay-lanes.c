/* assay-lanes.c
 * SPDX-License-Identifier: Apache-2.0
 */
#include "backend/stream/machine/assay-lanes.h"

#include "base/assay-bf16.h"

/* The largest block, so that the tree is the same for every block size. */
#define WIDTH 128

/**
 * assay_lanes_sum:
 * @values: the lanes of a vector
 * @n: how many
 *
 * Sums lanes in fp32 in the fixed order of docs/numerics.md: 128 partial sums over the vector in
 * ascending order, then a tree at distance 64, 32, ... 1. The order is one of the logical vector,
 * so block size and placement do not matter.
 *
 * Returns: the sum, with the canonical NaN
 */
float
assay_lanes_sum (const float *values, gsize n)
{
  float partial[WIDTH] = { 0 };

  for (gsize i = 0; i < n; i++)
    partial[i % WIDTH] = i < WIDTH ? values[i] : partial[i % WIDTH] + values[i];

  for (gsize distance = WIDTH / 2; distance > 0; distance /= 2)
    {
      for (gsize i = 0; i < distance; i++)
        partial[i] += partial[i + distance];
    }

  return partial[0] != partial[0] ? assay_f32_from_bits (ASSAY_F32_NAN_BITS) : partial[0];
}
