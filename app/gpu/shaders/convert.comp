#version 450
/* convert.comp
 * SPDX-License-Identifier: Apache-2.0
 *
 * From IN to OUT; OP 1 asks whether it is there at all, OP 2 and 3 keep the lowest byte, with and
 * without a sign.
 * words: count
 */
#include "common.glsl"

READS (1, IN, x);
WRITES (2, OUT, y);

void
main ()
{
  int i = place ();

  if (i >= word (0))
    return;
  switch (OP)
    {
    case 1: y[i] = OUT (x[i] != IN (0) ? 1 : 0); break;
    case 2: y[i] = OUT (int (x[i]) << 24 >> 24); break;
    case 3: y[i] = OUT (int (x[i]) & 255); break;
    default: y[i] = OUT (x[i]); break;
    }
}
