#version 450
/* norm.comp
 * SPDX-License-Identifier: Apache-2.0
 *
 * Each row less its mean, divided by its deviation (OP 0), or divided by its root mean square
 * (OP 1), then scaled and shifted.
 * words: count of rows, length of a row, rows after which scales begin again, scales per row,
 * elements that share a scale, whether there is a shift, epsilon
 */
#include "common.glsl"

LOADS (1, REAL, x)
READS (2, REAL, scale);
READS (3, REAL, shift);
LINES (4, REAL, y)

void
main ()
{
  int i = place ();
  int n = word (1);
  int scales = i % max (word (2), 1) * word (3);
  float mean = 0.0;
  float square = 0.0;
  float less = 1.0;
  float factor;

  if (i >= word (0))
    return;
  for (int j = 0; OP == 0 && j < n; j++)
    mean += float (x (i * n + j));
  mean /= float (n);
  /* Squares of large numbers have no end; those of smaller ones have the same quotients. */
  for (int turn = 0; turn == 0 || (turn == 1 && square > 3.4028235e38); turn++)
    {
      less = turn == 0 ? 1.0 : 8.2718061e-25;
      square = 0.0;
      for (int j = 0; j < n; j++)
        {
          float value = (float (x (i * n + j)) - mean) * less;

          square += value * value;
        }
    }
  factor = 1.0 / sqrt (square / float (n) + number (6) * less * less);
  for (int j = 0; j < n; j++)
    {
      int at = scales + j / word (4);
      float value = (float (x (i * n + j)) - mean) * less * factor * float (scale[at]);

      y_put (i, j, n, i * n + j, REAL (word (5) != 0 ? value + float (shift[at]) : value));
    }
}
