#version 450
/* dequantize.comp
 * SPDX-License-Identifier: Apache-2.0
 *
 * words: count, channels, elements per channel
 */
#include "common.glsl"

READS (1, int, x);
READS (2, float, scale);
READS (3, int, zero);
STORES (4, REAL, y)

REAL
make (int i)
{
  int channel = i / max (word (2), 1) % max (word (1), 1);

  return REAL (float (x[i] - zero[channel]) * scale[channel]);
}
