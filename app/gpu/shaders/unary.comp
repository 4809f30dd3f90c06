#version 450
/* unary.comp
 * SPDX-License-Identifier: Apache-2.0
 *
 * OP 30, with BOTH: a texture becomes a buffer, a texel per invocation.
 * words: count, two parameters
 */
#include "common.glsl"

LOADS (1, REAL, x)
#ifdef BOTH
RUNS (1, REAL, x)
PUTS (2, REAL, y)
#else
STORES (2, REAL, y)
#endif

/* Operations without a case hand on what they are given. */
float
map (float v)
{
  float a = number (1);
  float b = number (2);

  switch (OP)
    {
    case 0: return abs (v);
    case 1: return -v;
    case 2: return v < 0.0 ? 0.0 : v;
    case 3: return exp (v);
    case 4: return sqrt (v);
    case 5: return 1.0 / sqrt (v);
    case 6: return sin (v);
    case 7: return cos (v);
    case 8: return abs (v) > 15.0 ? sign (v) : tanh (v);
    case 9: return 1.0 / (1.0 + exp (-v));
    case 10: return roundEven (v);
    case 11:
      {
        float inner = 0.7978845608028654 * (v + 0.044715 * v * v * v);

        return 0.5 * v * (1.0 + (abs (inner) > 15.0 ? sign (inner) : tanh (inner)));
      }
    case 12: return v < 0.0 ? v * a : v;
    case 13: return v * clamp (v + 3.0, 0.0, 6.0) / 6.0;
    case 14: return v < -a ? v + b : v > a ? v - b : v == v ? 0.0 : v;
    case 15: return bound (v, a, b);
    /* Devices take what is smaller than a normal number apart as if it were one: 2^24 as much is. */
    case 16: return v < 1.17549435e-38 ? log (v * 16777216.0) - 16.6355323 : log (v);
    case 17: return floor (v);
    case 18: return v > 0.0 ? 1.0 : v < 0.0 ? -1.0 : v;
    default: return v;
    }
}

REAL
make (int i)
{
  return REAL (map (float (x (i))));
}

#ifdef BOTH
void
main ()
{
  int i = place ();
  int n;
  ivec3 texel;
  vec4 four;

  if (i >= word (0))
    return;
  if (!IS_TEXTURE (2) && OP != 30)
    {
      y_buffer[i] = make (i);
      return;
    }
  texel = texel_at (OP == 30 ? 0 : 1, i);
  n = count_of (OP == 30 ? 0 : 1, texel);
  if (OP == 30)
    {
      four = imageLoad (x_texture, texel);
      for (int j = 0; j < n; j++)
        y_buffer[first_of (0, texel) + j] = REAL (four[j]);
      return;
    }
  four = x_run (1, first_of (1, texel), n, 1);
  for (int j = 0; j < 4; j++)
    four[j] = j < n ? float (REAL (map (four[j]))) : 0.0;
  imageStore (y_texture, texel, four);
}
#endif
