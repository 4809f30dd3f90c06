#version 450
/* conv.comp
 * SPDX-License-Identifier: Apache-2.0
 *
 * Convolution over two axes, BLOCK channels of one place per invocation; OP 1 has blocks of one
 * channel, for groups of few.
 * words: count of invocations, channels, height and width of the input, the same of the output,
 * height and width of the window, stride, padding in front and dilation for both axes, channels per
 * group of input and output, whether there is a bias, bounds of the result
 */
#include "common.glsl"

READS (1, REAL, x);
READS (2, REAL, w);
READS (3, REAL, bias);
WRITES (4, REAL, y);

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
  int block = OP == 1 ? 1 : 4;
  int blocks = (group_out + block - 1) / block;
  int ox = i % out_width;
  int oy = i / out_width % out_height;
  int block_index = i / (out_width * out_height) % (out_channels / max (group_out, 1) * blocks);
  int batch = i / (out_width * out_height) / max (out_channels / max (group_out, 1) * blocks, 1);
  int group = block_index / blocks;
  int first = group * group_out + block_index % blocks * block;
  int last = (group + 1) * group_out - 1;
  int plane = window_height * window_width;
  float sums[4];
  int weights[4];

  if (i >= word (0))
    return;
  for (int j = 0; j < block; j++)
    {
      int channel = min (first + j, last);

      sums[j] = word (17) != 0 ? float (bias[channel]) : 0.0;
      weights[j] = channel * group_in * plane;
    }
  for (int channel = 0; channel < group_in; channel++)
    for (int ky = 0; ky < window_height; ky++)
      {
        int iy = oy * word (9) - word (11) + ky * word (13);
        int line = ((batch * word (1) + group * group_in + channel) * height + iy) * width;

        if (iy < 0 || iy >= height)
          continue;
        for (int kx = 0; kx < window_width; kx++)
          {
            int ix = ox * word (10) - word (12) + kx * word (14);

            if (ix >= 0 && ix < width)
              {
                float value = float (x[line + ix]);
                int at = (channel * window_height + ky) * window_width + kx;

                for (int j = 0; j < block; j++)
                  sums[j] = fma (value, float (w[weights[j] + at]), sums[j]);
              }
          }
      }
  for (int j = 0; j < block; j++)
    if (first + j <= last)
      y[((batch * out_channels + first + j) * out_height + oy) * out_width + ox] =
          REAL (bound (sums[j], number (18), number (19)));
}
