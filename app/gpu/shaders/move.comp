#version 450
/* move.comp
 * SPDX-License-Identifier: Apache-2.0
 *
 * Elements from one place to another: what is permuted, cut, joined, repeated or turned round.
 * words: count, first element on both sides, rank, then extent and the strides of both sides from
 * the last axis on
 */
#include "common.glsl"

READS (1, IN, x);
WRITES (2, IN, y);

void
main ()
{
  int i = place ();
  int rest = i;
  int from = word (1);
  int to = word (2);

  if (i >= word (0))
    return;
  for (int axis = 0; axis < word (3); axis++)
    {
      int extent = word (4 + 3 * axis);
      int index = rest % extent;

      rest /= extent;
      from += index * word (5 + 3 * axis);
      to += index * word (6 + 3 * axis);
    }
  y[to] = x[from];
}
