#version 450
/* resize.comp
 * SPDX-License-Identifier: Apache-2.0
 *
 * Planes of another size; which elements of a line make one of the result is a table: per column
 * and row the first one, the second one, and the share of the second.
 * words: count, height and width of the input, the same of the output
 */
#include "common.glsl"

LOADS (1, REAL, x)
READS (2, int, columns);
READS (3, int, rows);
STORES (4, REAL, y)

REAL
make (int i)
{
  int height = word (1);
  int width = word (2);
  int out_height = word (3);
  int out_width = word (4);
  int column = i % out_width * 3;
  int row = i / out_width % out_height * 3;
  int plane = i / (out_width * out_height) * height * width;
  float along = intBitsToFloat (columns[column + 2]);
  float down = intBitsToFloat (rows[row + 2]);
  int upper = plane + rows[row] * width;
  int lower = plane + rows[row + 1] * width;
  float top;
  float bottom;

  top = float (x (upper + columns[column]));
  if (along != 0.0)
    top = top * (1.0 - along) + float (x (upper + columns[column + 1])) * along;
  if (down != 0.0)
    {
      bottom = float (x (lower + columns[column]));
      if (along != 0.0)
        bottom = bottom * (1.0 - along) + float (x (lower + columns[column + 1])) * along;
      top = top * (1.0 - down) + bottom * down;
    }
  return REAL (top);
}
