#version 450
/* arg.comp
 * SPDX-License-Identifier: Apache-2.0
 *
 * Where along an axis the largest (OP 0) or least (OP 1) element is, the first of equals.
 * words: count, extent of the axis, stride of the axis
 */
#include "common.glsl"

READS (1, REAL, x);
WRITES (2, int, y);

void
main ()
{
  int i = place ();
  int extent = word (1);
  int stride = word (2);
  int first = i / stride * stride * extent + i % stride;
  float best;
  int at = 0;

  if (i >= word (0))
    return;
  best = float (x[first]);
  for (int j = 1; j < extent; j++)
    {
      float value = float (x[first + j * stride]);

      if (best == best && (value != value || (OP == 0 ? value > best : value < best)))
        {
          best = value;
          at = j;
        }
    }
  y[i] = at;
}
