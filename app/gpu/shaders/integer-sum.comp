#version 450
/* integer-sum.comp
 * SPDX-License-Identifier: Apache-2.0
 *
 * Sums of small integers with scales, made a small integer again.
 * words: count, zero points of both sides and of the result, the least and the largest integer,
 * scales of both sides and of the result, bounds of the result, rank, then extent and the strides of
 * both sides from the last axis on
 */
#include "common.glsl"

READS (1, int, a);
READS (2, int, b);
WRITES (3, int, c);

void
main ()
{
  int i = place ();
  int rest = i;
  int at_a = 0;
  int at_b = 0;
  float value;

  if (i >= word (0))
    return;
  for (int axis = 0; axis < word (11); axis++)
    {
      int extent = word (12 + 3 * axis);
      int index = rest % extent;

      rest /= extent;
      at_a += index * word (13 + 3 * axis);
      at_b += index * word (14 + 3 * axis);
    }
  value = bound (float (a[at_a] - word (1)) * number (6) + float (b[at_b] - word (2)) * number (7),
                 number (9), number (10));
  value = roundEven (value / number (8)) + float (word (3));
  c[i] = int (bound (value, float (word (4)), float (word (5))));
}
