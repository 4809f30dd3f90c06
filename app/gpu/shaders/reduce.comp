#version 450
/* reduce.comp
 * SPDX-License-Identifier: Apache-2.0
 *
 * Over any axes: sum (OP 0), mean (1), largest (2), least (3).
 * words: count, elements per result, axes that stay, axes that go, then extent and stride of each,
 * the last axis first
 */
#include "common.glsl"

LOADS (1, REAL, x)
STORES (2, REAL, y)

int
offset (int index, int first, int n)
{
  int at = 0;

  for (int axis = 0; axis < n; axis++)
    {
      int extent = word (first + 2 * axis);
      int over = quotient (index, extent);

      at += (index - over * extent) * word (first + 2 * axis + 1);
      index = over;
    }
  return at;
}

REAL
make (int i)
{
  int kept = word (2);
  int first;
  float result;

  first = offset (i, 4, kept);
  result = OP == 2 ? uintBitsToFloat (0xff800000u) : OP == 3 ? uintBitsToFloat (0x7f800000u) : 0.0;
  for (int j = 0; j < word (1); j++)
    {
      float value = float (x (first + offset (j, 4 + 2 * kept, word (3))));

      if (OP == 2)
        result = value > result || value != value ? value : result;
      else if (OP == 3)
        result = value < result || value != value ? value : result;
      else
        result += value;
      if (OP >= 2 && result != result)
        break;
    }
  return REAL (OP == 1 ? result / float (word (1)) : result);
}
