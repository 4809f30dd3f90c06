#version 450
/* integer-product.comp
 * SPDX-License-Identifier: Apache-2.0
 *
 * Convolution over two axes, or rows times weights, of small integers: sums are whole numbers and
 * exact, then scaled, shifted, bounded and, unless NUMBERS is defined, made a small integer again.
 * OP 1 is a transposed convolution. What lies outside adds nothing.
 * words: as those of conv.comp up to the channels per group, then the distance of output and input
 * channels of the weights, zero points of input and weights, bounds of the result, its scale, its
 * zero point, the least and the largest integer
 */
#include "common.glsl"

READS (1, int, x);
READS (2, int, w);
READS (3, float, factors);
WRITES (4, OUT, y);

/* Which place of an axis a result reads through a place of the window, below 0 for none. */
int
place_of (int at, int k, int axis)
{
  int stride = word (9 + axis);
  int spread = at + word (11 + axis) - k * word (13 + axis);

  if (OP == 0)
    return at * stride - word (11 + axis) + k * word (13 + axis);
  return spread < 0 || spread % stride != 0 ? -1 : spread / stride;
}

void
main ()
{
  int i = place ();
  int height = word (2);
  int width = word (3);
  int out_channels = word (4);
  int out_height = word (5);
  int out_width = word (6);
  int window_height = word (7);
  int window_width = word (8);
  int group_in = word (15);
  int group_out = word (16);
  int ox = i % out_width;
  int oy = i / out_width % out_height;
  int channel = i / (out_width * out_height) % out_channels;
  int batch = i / (out_width * out_height) / out_channels;
  int line_0 = (batch * word (1) + channel / group_out * group_in) * height;
  int sum = 0;
  float value;

  if (i >= word (0))
    return;
  for (int at = 0; at < group_in; at++)
    for (int ky = 0; ky < window_height; ky++)
      {
        int iy = place_of (oy, ky, 0);

        if (iy < 0 || iy >= height)
          continue;
        for (int kx = 0; kx < window_width; kx++)
          {
            int ix = place_of (ox, kx, 1);

            if (ix < 0 || ix >= width)
              continue;
            sum += (x[(line_0 + at * height + iy) * width + ix] - word (19)) *
                   (w[channel * word (17) + at * word (18) + ky * window_width + kx] - word (20));
          }
      }
  value = bound (float (sum) * factors[2 * channel] + factors[2 * channel + 1], number (21),
                 number (22));
#ifdef NUMBERS
  y[i] = value;
#else
  value = roundEven (value / number (23)) + float (word (24));
  y[i] = int (bound (value, float (word (25)), float (word (26))));
#endif
}
