#version 450
/* select.comp
 * SPDX-License-Identifier: Apache-2.0
 *
 * words: count, rank, then extent and the strides of condition and both sides from the last axis on
 */
#include "common.glsl"

READS (1, int, condition);
READS (2, IN, a);
READS (3, IN, b);
WRITES (4, IN, c);

void
main ()
{
  int i = place ();
  int rest = i;
  int at_if = 0;
  int at_a = 0;
  int at_b = 0;

  if (i >= word (0))
    return;
  for (int axis = 0; axis < word (1); axis++)
    {
      int extent = word (2 + 4 * axis);
      int index = rest % extent;

      rest /= extent;
      at_if += index * word (3 + 4 * axis);
      at_a += index * word (4 + 4 * axis);
      at_b += index * word (5 + 4 * axis);
    }
  c[i] = condition[at_if] != 0 ? a[at_a] : b[at_b];
}
