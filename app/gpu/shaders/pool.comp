#version 450
/* pool.comp
 * SPDX-License-Identifier: Apache-2.0
 *
 * The largest element of a window (OP 0) or its mean (OP 1); with OUT whole, where the largest is.
 * words: count, planes, height and width of the input, unused, height and width of the output,
 * height and width of the window, stride, padding in front and dilation for both axes, whether
 * padding counts in a mean, padding behind for both axes
 */
#include "common.glsl"

LOADS (1, REAL, x)
STORES (2, OUT, y)

OUT
make (int i)
{
  int height = word (2);
  int width = word (3);
  int out_height = word (5);
  int out_width = word (6);
  int ox = i % out_width;
  int oy = i / out_width % out_height;
  int plane = i / (out_width * out_height);
  float sum = OP == 0 ? uintBitsToFloat (0xff800000u) : 0.0;
  int n = 0;
  int at = -1;

  for (int ky = 0; ky < word (7); ky++)
    for (int kx = 0; kx < word (8); kx++)
      {
        int iy = oy * word (9) - word (11) + ky * word (13);
        int ix = ox * word (10) - word (12) + kx * word (14);
        bool inside = iy >= 0 && iy < height && ix >= 0 && ix < width;

        if (inside)
          {
            float value = float (x ((plane * height + iy) * width + ix));

            if (OP == 1)
              sum += value;
            else if (at < 0 || value > sum || (value != value && sum == sum))
              {
                sum = value;
                at = (plane * height + iy) * width + ix;
              }
          }
        n += int (inside ||
                  (word (15) != 0 && iy < height + word (16) && ix < width + word (17)));
      }
#ifdef PLACE
  return at;
#else
  return REAL (OP == 1 ? sum / float (n) : sum);
#endif
}
