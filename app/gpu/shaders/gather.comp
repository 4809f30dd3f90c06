#version 450
/* gather.comp
 * SPDX-License-Identifier: Apache-2.0
 *
 * Slices at indices (OP 0), or an element per index (OP 1); what is below 0 counts from the end.
 * words: count, extent of the axis, elements behind it, indices; of OP 1 the rank, then extent of
 * the result and stride of the data from the last axis on, and the stride of the axis
 */
#include "common.glsl"

LOADS (1, IN, x)
READS (2, int, indices);
STORES (3, IN, y)

IN
make (int i)
{
  int extent = word (1);
  int inner = word (2);
  int n = word (3);
  int rest = i;
  int from = 0;
  int index;

  if (OP == 0)
    {
      index = indices[i / inner % n];
      index += index < 0 ? extent : 0;
      return x ((i / inner / n * extent + index) * inner + i % inner);
    }
  index = indices[i];
  index += index < 0 ? extent : 0;
  for (int axis = 0; axis < word (4); axis++)
    {
      from += rest % word (5 + 2 * axis) * word (6 + 2 * axis);
      rest /= word (5 + 2 * axis);
    }
  return x (from + index * inner);
}
