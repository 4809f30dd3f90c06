#version 450
/* softmax.comp
 * SPDX-License-Identifier: Apache-2.0
 *
 * Along an axis, one invocation for all of it: softmax (OP 0), its logarithm (OP 1), softmax of
 * scores in rows, of which each row has one more that counts, and the others make 0 (OP 2).
 * words: count of rows, extent of the axis, stride of the axis, of OP 2 the rows until it begins anew
 */
#include "common.glsl"

LOADS (1, REAL, x)
LINES (2, REAL, y)

void
main ()
{
  int i = place ();
  int extent = word (1);
  int stride = word (2);
  int counts = OP == 2 ? min (i % word (3) + 1, extent) : extent;
  int first = i / stride * stride * extent + i % stride;
  float top = uintBitsToFloat (0xff800000u);
  float sum = 0.0;

  if (i >= word (0))
    return;
  for (int j = 0; j < counts; j++)
    {
      float value = float (x (first + j * stride));

      top = value > top || value != value ? value : top;
    }
  for (int j = 0; j < counts; j++)
    sum += exp (float (x (first + j * stride)) - top);
  for (int j = 0; j < counts; j++)
    {
      float value = float (x (first + j * stride)) - top;

      y_put (i, j, extent, first + j * stride, REAL (OP == 1 ? value - log (sum) : exp (value) / sum));
    }
  for (int j = counts; j < extent; j++)
    y_put (i, j, extent, first + j * stride, REAL (0.0));
}
