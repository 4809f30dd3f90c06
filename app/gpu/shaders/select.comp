#version 450
/* select.comp
 * SPDX-License-Identifier: Apache-2.0
 *
 * words: count, rank, then extent and the strides of condition and both sides from the last axis on
 */
#include "common.glsl"

READS (1, int, condition);
LOADS (2, IN, a)
LOADS (3, IN, b)
STORES (4, IN, c)

IN
make (int i)
{
  int rest = i;
  int at_if = 0;
  int at_a = 0;
  int at_b = 0;

  for (int axis = 0; axis < word (1); axis++)
    {
      int extent = word (2 + 4 * axis);
      int index = rest % extent;

      rest /= extent;
      at_if += index * word (3 + 4 * axis);
      at_a += index * word (4 + 4 * axis);
      at_b += index * word (5 + 4 * axis);
    }
  return condition[at_if] != 0 ? a (at_a) : b (at_b);
}
