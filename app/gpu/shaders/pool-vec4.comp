#version 450
/* pool-vec4.comp
 * SPDX-License-Identifier: Apache-2.0
 *
 * The largest element of a window, or its mean, for four places of a line per invocation, whose part
 * of a line of the input is read in vec4 once for all taps of a line of the window.
 * OP: 4 bits for the width of the window, 3 each for stride and dilation along a line, whether it is
 * the mean, and whether what an invocation writes is a whole four
 * words: as those of pool
 */
#include "common.glsl"

ROWS_IN (1, x)
ROWS_OUT (2, y)

const int WIDTH = int (OP & 15u);
const int STRIDE = int (OP >> 4 & 7u);
const int STEP = int (OP >> 7 & 7u);
const bool MEAN = (OP & 0x400u) != 0u;
const bool WRITES_WHOLE = (OP & 0x800u) != 0u;
const int REACH = 3 * STRIDE + (WIDTH - 1) * STEP + 1;
const int N_READ = (REACH + 6) / 4;

void
main ()
{
  int height = word (2);
  int width = word (3);
  int out_height = word (5);
  int out_width = word (6);
  int window_height = word (7);
  int step_y = word (13);
  bool counts = word (15) != 0;
  int end_y = height + word (16);
  int end_x = width + word (17);
  int stride_y = word (9);
  int before_y = word (11);
  int before_x = word (12);
  int tiles = (out_width + 3) / 4;
  int i = place ();
  int ox = i % tiles * 4;
  int oy = i / tiles % out_height;
  int plane = i / (tiles * out_height);
  int begin_y = oy * stride_y - before_y;
  int begin_x = ox * STRIDE - before_x;
  int to_row = plane * out_height + oy;
  int to = to_row * out_width + ox;
  float line[28];
  vec4 made = vec4 (MEAN ? 0.0 : uintBitsToFloat (0xff800000u));
  ivec4 n = ivec4 (0);

  if (i >= word (0))
    return;
  for (int ky = 0; ky < window_height; ky++)
    {
      int iy = begin_y + ky * step_y;
      int row = plane * height + iy;
      int at = (IS_TEXTURE (1) ? 0 : row * width) + begin_x;
      bool has_line = uint (iy) < uint (height);

      for (int j = 0; j < N_READ; j++)
        {
          vec4 four = IS_TEXTURE (1) ? x_row_four (row, (at >> 2) + j) : x_four ((at >> 2) + j);

          line[4 * j] = four.x;
          line[4 * j + 1] = four.y;
          line[4 * j + 2] = four.z;
          line[4 * j + 3] = four.w;
        }
      for (int j = 0; j <= REACH; j++)
        line[j] = (at & 2) != 0 ? line[j + 2] : line[j];
      for (int j = 0; j < REACH; j++)
        line[j] = (at & 1) != 0 ? line[j + 1] : line[j];
      for (int kx = 0; kx < WIDTH; kx++)
        for (int l = 0; l < 4; l++)
          {
            int j = kx * STEP + l * STRIDE;
            bool inside = has_line && uint (begin_x + j) < uint (width);
            float value = line[j];

            if (MEAN)
              {
                made[l] += inside ? value : 0.0;
                n[l] += int (inside || (counts && iy < end_y && begin_x + j < end_x));
              }
            else
              made[l] = inside && (value > made[l] || value != value) ? value : made[l];
          }
    }
  if (MEAN)
    made /= vec4 (n);
  if (IS_TEXTURE (2))
    {
      for (int l = 0; l < 4; l++)
        made[l] = ox + l < out_width ? float (REAL (made[l])) : 0.0;
      y_row_put (to_row, ox / 4, made);
    }
  else if (WRITES_WHOLE)
    y_vec4[to / 4] = REALS (made);
  else
    for (int l = 0; l < 4; l++)
      if (ox + l < out_width)
        y_buffer[to + l] = REAL (made[l]);
}
