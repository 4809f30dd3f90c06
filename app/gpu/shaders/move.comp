#version 450
/* move.comp
 * SPDX-License-Identifier: Apache-2.0
 *
 * Elements from one place to another: what is permuted, cut, joined, repeated or turned round. OP 1
 * makes all results in their order.
 * words: count, first element on both sides, rank, then extent and the strides of both sides from
 * the last axis on
 */
#include "common.glsl"

LOADS (1, IN, x)
PUTS (2, IN, y)

/* Where the element with a number comes from, and where it goes. */
ivec2
ends_of (int i)
{
  int rest = i;
  int from = word (1);
  int to = word (2);

  for (int axis = 0; axis < word (3); axis++)
    {
      int extent = word (4 + 3 * axis);
      int index = rest % extent;

      rest /= extent;
      from += index * word (5 + 3 * axis);
      to += index * word (6 + 3 * axis);
    }
  return ivec2 (from, OP == 1 ? i : to);
}

void
main ()
{
  int i = place ();
  ivec2 ends;

  if (i >= word (0))
    return;
#ifdef BOTH
  if (IS_TEXTURE (2))
    {
      ivec3 texel = texel_at (1, i);
      vec4 made = vec4 (0.0);

      for (int j = 0; j < count_of (1, texel); j++)
        made[j] = float (x (ends_of (first_of (1, texel) + j).x));
      imageStore (y_texture, texel, made);
      return;
    }
#endif
  ends = ends_of (i);
  y_buffer[ends.y] = x (ends.x);
}
