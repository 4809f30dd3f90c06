#version 450
/* quantize.comp
 * SPDX-License-Identifier: Apache-2.0
 *
 * Numbers to integers, halves to even, within bounds.
 * words: count, bounds, channels, elements per channel
 */
#include "common.glsl"

LOADS (1, REAL, x)
READS (2, float, scale);
READS (3, int, zero);
WRITES (4, int, y);

void
main ()
{
  int i = place ();
  int channel = i / max (word (4), 1) % max (word (3), 1);
  float value;

  if (i >= word (0))
    return;
  value = roundEven (float (x (i)) / scale[channel]) + float (zero[channel]);
  y[i] = int (bound (value == value ? value : 0.0, float (word (1)), float (word (2))));
}
