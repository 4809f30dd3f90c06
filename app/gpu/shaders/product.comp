#version 450
/* product.comp
 * SPDX-License-Identifier: Apache-2.0
 *
 * Products of matrices, four rows by four columns per invocation, one chain of sums per result. A
 * texture is made by texels: a part of one row.
 * words: count of invocations, rows, columns, length of a sum, strides of rows and columns on the
 * left, the right and in the bias, whether there is a bias, what product and bias are multiplied
 * with, bounds of the result, rank of what is outside of the matrices, then extent and the strides
 * of left, right and bias from the last axis on
 */
#include "common.glsl"

LOADS (1, REAL, a)
LOADS (2, REAL, b)
READS (3, REAL, bias);
PUTS (4, REAL, c)

#ifdef BOTH
const bool TEXELWISE = IS_TEXTURE (4);
#else
const bool TEXELWISE = false;
#endif

void
main ()
{
  int i = place ();
  int m = word (1);
  int n = word (2);
  int k = word (3);
  const int rows = TEXELWISE ? 1 : 4;
  int columns = (n + 3) / 4;
  int tiles = columns * ((m + 3) / 4);
  int column = i % columns * 4;
  int row = i % tiles / columns * 4;
  int matrix = i / tiles;
  int rest;
  int at_a = 0;
  int at_b = 0;
  int at_bias = 0;
  vec4 made = vec4 (0.0);
  float sums[4][4];
  int left[4];
  int right[4];

  if (i >= word (0))
    return;
#ifdef BOTH
  if (TEXELWISE)
    {
      int first = first_of (3, texel_at (3, i));

      column = first % n;
      row = first / n % m;
      matrix = first / (n * m);
    }
#endif
  rest = matrix;
  for (int axis = 0; axis < word (15); axis++)
    {
      int extent = word (16 + 4 * axis);
      int index = rest % extent;

      rest /= extent;
      at_a += index * word (17 + 4 * axis);
      at_b += index * word (18 + 4 * axis);
      at_bias += index * word (19 + 4 * axis);
    }
  for (int j = 0; j < 4; j++)
    {
      left[j] = at_a + min (row + j, m - 1) * word (4);
      right[j] = at_b + min (column + j, n - 1) * word (7);
      for (int l = 0; l < 4; l++)
        sums[j][l] = 0.0;
    }
  for (int at = 0; at < k; at++)
    {
      float rights[4];

      for (int l = 0; l < 4; l++)
        rights[l] = float (b (right[l] + at * word (6)));
      for (int j = 0; j < rows; j++)
        {
          float value = float (a (left[j] + at * word (5)));

          for (int l = 0; l < 4; l++)
            sums[j][l] = fma (value, rights[l], sums[j][l]);
        }
    }
  for (int j = 0; j < rows; j++)
    for (int l = 0; l < 4; l++)
      if (row + j < m && column + l < n)
        {
          float sum = sums[j][l] * number (11);

          if (word (10) != 0)
            sum += number (12) *
                   float (bias[at_bias + (row + j) * word (8) + (column + l) * word (9)]);
          sum = bound (sum, number (13), number (14));
          if (TEXELWISE)
            made[l] = float (REAL (sum));
          else
            c_buffer[(matrix * m + row + j) * n + column + l] = REAL (sum);
        }
#ifdef BOTH
  if (TEXELWISE)
    {
      ivec3 texel = texel_at (3, i);

      for (int l = count_of (3, texel); l < 4; l++)
        made[l] = 0.0;
      imageStore (c_texture, texel, made);
    }
#endif
}
