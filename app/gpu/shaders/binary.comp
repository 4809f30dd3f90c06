#version 450
/* binary.comp
 * SPDX-License-Identifier: Apache-2.0
 *
 * IN and OUT are the types of the elements; where they are whole numbers, so is the arithmetic. With
 * SAME both are those of a texture.
 * words: count, rank, then extent and the strides of both sides from the last axis on
 */
#include "common.glsl"

LOADS (1, IN, a)
LOADS (2, IN, b)
#if defined (SAME) && defined (BOTH)
RUNS (1, IN, a)
RUNS (2, IN, b)
PUTS (3, OUT, c)
#elif defined (SAME)
STORES (3, OUT, c)
#else
WRITES (3, OUT, c_buffer);
#endif

#ifdef WHOLE
#define ELEMENT int
#else
#define ELEMENT float

/* Powers of what is below 0 have a sign of their own. */
float
power (float x, float y)
{
  float size = pow (abs (x), y);

  if (y == 0.0 || x == 1.0)
    return 1.0;
  if (x != x || y != y)
    return x + y;
  if (x == 0.0)
    size = y > 0.0 ? 0.0 : uintBitsToFloat (0x7f800000u);
  if (x > 0.0 || (x == 0.0 && floatBitsToUint (x) == 0u))
    return size;
  if (floor (y) != y)
    return x == 0.0 || isinf (x) ? size : uintBitsToFloat (0x7fc00000u);
  return floor (y * 0.5) * 2.0 == y ? size : -size;
}
#endif

ELEMENT
combine (ELEMENT x, ELEMENT y)
{
  switch (OP)
    {
    case 0: return x + y;
    case 1: return x - y;
    case 2: return x * y;
#ifdef WHOLE
    case 3: return y == 0 ? 0 : x / y;
    case 5: return x > y ? x : y;
    case 6: return x < y ? x : y;
    case 12: return x & y;
    case 13: return x | y;
    case 14: return y == 0 ? 0 : x / y - (x % y != 0 && (x < 0) != (y < 0) ? 1 : 0);
    case 15:
      {
        int rest = y == 0 ? 0 : x - x / y * y;

        return rest != 0 && (rest < 0) != (y < 0) ? rest + y : rest;
      }
#else
    case 3: return x / y;
    case 4: return power (x, y);
    case 5: return x > y || x != x ? x : y;
    case 6: return x < y || x != x ? x : y;
    case 14: return floor (x / y);
#endif
    case 7: return ELEMENT (x == y);
    case 8: return ELEMENT (x < y);
    case 9: return ELEMENT (x <= y);
    case 10: return ELEMENT (x > y);
    case 11: return ELEMENT (x >= y);
    default: return x;
    }
}

/* Which elements of both sides a result is made of. */
ivec2
sides_of (int i)
{
  int rest = i;
  ivec2 at = ivec2 (0);

  for (int axis = 0; axis < word (1); axis++)
    {
      int extent = word (2 + 3 * axis);
      int over = quotient (rest, extent);
      int index = rest - over * extent;

      rest = over;
      at += index * ivec2 (word (3 + 3 * axis), word (4 + 3 * axis));
    }
  return at;
}

OUT
make (int i)
{
  ivec2 at = sides_of (i);

  return OUT (combine (ELEMENT (a (at.x)), ELEMENT (b (at.y))));
}

#if defined (SAME) && defined (BOTH)
void
main ()
{
  int i = place ();
  int n;
  ivec3 texel;
  ivec2 at;
  vec4 x;
  vec4 y;
  vec4 made = vec4 (0.0);

  if (i >= word (0))
    return;
  if (!IS_TEXTURE (3))
    {
      c_buffer[i] = make (i);
      return;
    }
  /* A texel is a part of a line, which the last axis of the walk is whole ones of. */
  texel = texel_at (2, i);
  n = count_of (2, texel);
  at = sides_of (first_of (2, texel));
  x = a_run (2, at.x, n, word (1) > 0 ? word (3) : 0);
  y = b_run (2, at.y, n, word (1) > 0 ? word (4) : 0);
  for (int j = 0; j < n; j++)
    made[j] = float (OUT (combine (ELEMENT (x[j]), ELEMENT (y[j]))));
  imageStore (c_texture, texel, made);
}
#elif !defined (SAME)
void
main ()
{
  int i = place ();

  if (i < word (0))
    c_buffer[i] = make (i);
}
#endif
