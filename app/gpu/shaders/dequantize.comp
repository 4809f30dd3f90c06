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
WRITES (4, REAL, y);

void
main ()
{
  int i = place ();
  int channel = i / max (word (2), 1) % max (word (1), 1);

  if (i < word (0))
    y[i] = REAL (float (x[i] - zero[channel]) * scale[channel]);
}
