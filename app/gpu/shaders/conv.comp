#version 450
/* conv.comp
 * SPDX-License-Identifier: Apache-2.0
 *
 * Convolution over two axes, four channels by four places of a line per invocation. OP 1 has one
 * channel, for groups of few, OP 2 one place, for narrow images, OP 3 both. A texture is made by
 * texels: one channel, four places.
 * words: count of invocations, channels, height and width of the input, the same of the output,
 * height and width of the window, stride, padding in front and dilation for both axes, channels per
 * group of input and output, whether there is a bias, bounds of the result
 */
#include "common.glsl"

LOADS (1, REAL, x)
READS (2, REAL, w);
READS (3, REAL, bias);
PUTS (4, REAL, y)

#ifdef BOTH
const bool TEXELWISE = IS_TEXTURE (4);
#else
const bool TEXELWISE = false;
#endif

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
  const int block = (OP & 1u) != 0u || TEXELWISE ? 1 : 4;
  const int places = (OP & 2u) != 0u && !TEXELWISE ? 1 : 4;
  int blocks = (group_out + block - 1) / block;
  int tiles = (out_width + places - 1) / places;
  int ox = i % tiles * places;
  int oy = i / tiles % out_height;
  int all_blocks = out_channels / max (group_out, 1) * blocks;
  int block_index = i / (tiles * out_height) % all_blocks;
  int batch = i / (tiles * out_height) / max (all_blocks, 1);
  int group = block_index / blocks;
  int first = group * group_out + block_index % blocks * block;
  int last = (group + 1) * group_out - 1;
  int plane = window_height * window_width;
  int begin_y = oy * word (9) - word (11);
  int begin_x = ox * word (10) - word (12);
  int stride_x = word (10);
  int step_y = word (13);
  int step_x = word (14);
  int line_0 = (batch * word (1) + group * group_in) * height;
  float sums[4][4];
  int weights[4];

  if (i >= word (0))
    return;
  for (int j = 0; j < block; j++)
    {
      int channel = min (first + j, last);
      float start = word (17) != 0 ? float (bias[channel]) : 0.0;

      for (int l = 0; l < places; l++)
        sums[j][l] = start;
      weights[j] = channel * group_in * plane;
    }
  for (int channel = 0; channel < group_in; channel++)
    for (int ky = 0; ky < window_height; ky++)
      {
        int iy = begin_y + ky * step_y;
        int line = (line_0 + channel * height + iy) * width;

        if (iy < 0 || iy >= height)
          continue;
        for (int kx = 0; kx < window_width; kx++)
          {
            int at = (channel * window_height + ky) * window_width + kx;
            float factors[4];

            for (int j = 0; j < block; j++)
              factors[j] = float (w[weights[j] + at]);
            for (int l = 0; l < places; l++)
              {
                int ix = begin_x + l * stride_x + kx * step_x;
                bool inside = ix >= 0 && ix < width;
                float value = inside ? float (x (line + ix)) : 0.0;

                /* What lies outside adds nothing, whatever the weight is. */
                for (int j = 0; j < block; j++)
                  sums[j][l] = inside ? fma (value, factors[j], sums[j][l]) : sums[j][l];
              }
          }
      }
#ifdef BOTH
  if (TEXELWISE)
    {
      vec4 made = vec4 (0.0);

      for (int l = 0; l < min (out_width - ox, 4); l++)
        made[l] = float (REAL (bound (sums[0][l], number (18), number (19))));
      imageStore (y_texture, texel_at (3, i), made);
      return;
    }
#endif
  for (int j = 0; j < block; j++)
    for (int l = 0; l < places; l++)
      if (first + j <= last && ox + l < out_width)
        y_buffer[((batch * out_channels + first + j) * out_height + oy) * out_width + ox + l] =
            REAL (bound (sums[j][l], number (18), number (19)));
}
