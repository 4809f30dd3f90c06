#version 450
/* affine.comp
 * SPDX-License-Identifier: Apache-2.0
 *
 * Each channel with a factor and a summand of its own.
 * words: count, channels, elements per channel
 */
#include "common.glsl"

LOADS (1, REAL, x)
READS (2, float, scale);
READS (3, float, shift);
STORES (4, REAL, y)

REAL
make (int i)
{
  int channel = i / max (word (2), 1) % max (word (1), 1);

  return REAL (float (x (i)) * scale[channel] + shift[channel]);
}
