#version 450
/* conv-vec4.comp
 * SPDX-License-Identifier: Apache-2.0
 *
 * Convolution over two axes with packed weights: eight, four or one channels by four places of a
 * line per invocation, whose part of a line of the input is read in vec4 once for all taps of a
 * line of the window. Weights are packed in blocks of as many channels, tap by tap; those of one
 * channel in lines of whole vec4. All weights are finite: what lies outside is taken as 0.
 * OP: 4 bits for the width of the window, 3 each for stride and dilation along a line, 2 for the
 * channels, then whether there is padding, whether what an invocation reads begins with a whole
 * four, whether what it writes is one, 4 for the height of the window, and 2 for how many channels
 * of the input, as a power of two, are taken at once
 * words: as those of conv
 */
#include "common.glsl"

ROWS_IN (1, x)
VEC4 (2, w)
READS (3, REAL, bias);
ROWS_OUT (4, y)

const int WIDTH = int (OP & 15u);
const int STRIDE = int (OP >> 4 & 7u);
const int STEP = int (OP >> 7 & 7u);
const int ROWS = (OP >> 10 & 3u) == 0u ? 8 : (OP >> 10 & 3u) == 1u ? 4 : 1;
const bool PADDED = (OP & 0x1000u) != 0u;
const bool READS_WHOLE = (OP & 0x2000u) != 0u;
const bool WRITES_WHOLE = (OP & 0x4000u) != 0u;
const int HEIGHT = int (OP >> 15 & 15u);
const int AT_ONCE = 1 << int (OP >> 19 & 3u);

/* What four places read of a line, and in how many vec4 that lies wherever it begins. */
const int REACH = 3 * STRIDE + (WIDTH - 1) * STEP + 1;
const int N_READ = (READS_WHOLE ? REACH + 3 : REACH + 6) / 4;

void
main ()
{
  int height = word (2);
  int width = word (3);
  int out_channels = word (4);
  int out_height = word (5);
  int out_width = word (6);
  int stride_y = word (9);
  int step_y = word (13);
  int group_in = word (15);
  int group_out = word (16);
  bool has_bias = word (17) != 0;
  float low = number (18);
  float high = number (19);
  int channels = word (1);
  int before_y = word (11);
  int before_x = word (12);
  int blocks = (group_out + ROWS - 1) / ROWS;
  int tiles = (out_width + 3) / 4;
  int all_blocks = out_channels / max (group_out, 1) * blocks;
  int i = place ();
  int ox = i % tiles * 4;
  int oy = i / tiles % out_height;
  int block = i / (tiles * out_height) % max (all_blocks, 1);
  int batch = i / (tiles * out_height) / max (all_blocks, 1);
  int group = block / blocks;
  int first = group * group_out + block % blocks * ROWS;
  int last = (group + 1) * group_out - 1;
  int begin_y = oy * stride_y - before_y;
  int begin_x = ox * STRIDE - before_x;
  int plane = (batch * channels + group * group_in) * height;
  int at_w = block * group_in * HEIGHT * (ROWS == 1 ? (WIDTH + 3) / 4 : WIDTH * (ROWS / 4));
  vec4 sums[8];
  float line[28];

  if (i >= word (0))
    return;
  for (int j = 0; j < ROWS; j++)
    sums[j] = vec4 (has_bias ? float (bias[min (first + j, last)]) : 0.0);
  for (int channel = 0; channel < group_in; channel += AT_ONCE)
    for (int part = 0; part < AT_ONCE * HEIGHT; part++)
      {
        int ky = part % HEIGHT;
        int iy = begin_y + ky * step_y;
        int row = plane + (channel + part / HEIGHT) * height + iy;
        int at = (IS_TEXTURE (1) ? 0 : row * width) + begin_x;
        uint limit = uint (iy) < uint (height) ? uint (width) : 0u;
        vec4 factors[2];

        for (int j = 0; j < N_READ; j++)
          {
            vec4 four = IS_TEXTURE (1) ? x_row_four (row, (at >> 2) + j) : x_four ((at >> 2) + j);

            line[4 * j] = four.x;
            line[4 * j + 1] = four.y;
            line[4 * j + 2] = four.z;
            line[4 * j + 3] = four.w;
          }
        if (!READS_WHOLE)
          {
            for (int j = 0; j <= REACH; j++)
              line[j] = (at & 2) != 0 ? line[j + 2] : line[j];
            for (int j = 0; j < REACH; j++)
              line[j] = (at & 1) != 0 ? line[j + 1] : line[j];
          }
        if (PADDED)
          for (int j = 0; j < REACH; j++)
            line[j] = uint (begin_x + j) < limit ? line[j] : 0.0;
        for (int kx = 0; kx < WIDTH; kx++)
          {
            vec4 four = vec4 (line[kx * STEP], line[kx * STEP + STRIDE],
                              line[kx * STEP + 2 * STRIDE], line[kx * STEP + 3 * STRIDE]);

            if (ROWS != 1 || kx % 4 == 0)
              factors[0] = w_four (at_w++);
            if (ROWS == 8)
              factors[1] = w_four (at_w++);
            for (int j = 0; j < ROWS; j++)
              sums[j] = fma (vec4 (factors[j / 4][ROWS == 1 ? kx % 4 : j % 4]), four, sums[j]);
          }
      }
  for (int j = 0; j < ROWS; j++)
    if (first + j <= last)
      {
        int row = (batch * out_channels + first + j) * out_height + oy;
        int at = row * out_width + ox;

        for (int l = 0; l < 4; l++)
          sums[j][l] = bound (sums[j][l], low, high);
        if (IS_TEXTURE (4))
          {
            for (int l = 0; l < 4; l++)
              sums[j][l] = ox + l < out_width ? float (REAL (sums[j][l])) : 0.0;
            y_row_put (row, ox / 4, sums[j]);
          }
        else if (WRITES_WHOLE)
          y_vec4[at / 4] = REALS (sums[j]);
        else
          for (int l = 0; l < 4; l++)
            if (ox + l < out_width)
              y_buffer[at + l] = REAL (sums[j][l]);
      }
}
