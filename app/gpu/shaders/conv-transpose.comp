#version 450
/* conv-transpose.comp
 * SPDX-License-Identifier: Apache-2.0
 *
 * Transposed convolution over two axes: each result gathers what was spread over it.
 * words: as those of conv.comp
 */
#include "common.glsl"

LOADS (1, REAL, x)
READS (2, REAL, w);
READS (3, REAL, bias);
STORES (4, REAL, y)

REAL
make (int i)
{
  int height = word (2);
  int width = word (3);
  int out_width = word (6);
  int out_height = word (5);
  int out_channels = word (4);
  int window_height = word (7);
  int window_width = word (8);
  int group_in = word (15);
  int group_out = word (16);
  int ox = i % out_width;
  int oy = i / out_width % out_height;
  int channel = i / (out_width * out_height) % out_channels;
  int batch = i / (out_width * out_height) / out_channels;
  int group = channel / group_out;
  float sum;

  sum = word (17) != 0 ? float (bias[channel]) : 0.0;
  for (int at = group * group_in; at < (group + 1) * group_in; at++)
    for (int ky = 0; ky < window_height; ky++)
      {
        int sy = oy + word (11) - ky * word (13);
        int iy = sy / word (9);

        if (sy < 0 || iy * word (9) != sy || iy >= height)
          continue;
        for (int kx = 0; kx < window_width; kx++)
          {
            int sx = ox + word (12) - kx * word (14);
            int ix = sx / word (10);

            if (sx < 0 || ix * word (10) != sx || ix >= width)
              continue;
            sum = fma (float (x (((batch * word (1) + at) * height + iy) * width + ix)),
                       float (w[((at * group_out + channel % group_out) * window_height + ky) *
                                    window_width + kx]),
                       sum);
          }
      }
  return REAL (bound (sum, number (18), number (19)));
}
