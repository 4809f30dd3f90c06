#version 450
/* affine.comp
 * SPDX-License-Identifier: Apache-2.0
 *
 * Each channel with a factor and a summand of its own.
 * words: count, channels, elements per channel
 */
#include "common.glsl"

READS (1, REAL, x);
READS (2, float, scale);
READS (3, float, shift);
WRITES (4, REAL, y);

void
main ()
{
  int i = place ();
  int channel = i / max (word (2), 1) % max (word (1), 1);

  if (i < word (0))
    y[i] = REAL (float (x[i]) * scale[channel] + shift[channel]);
}
