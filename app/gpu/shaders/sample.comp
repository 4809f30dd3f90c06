#version 450
/* sample.comp
 * SPDX-License-Identifier: Apache-2.0
 *
 * An image at the points of a grid, between four elements; the border goes on beyond the edge.
 * words: count, channels, height, width, points per image, whether -1 and 1 are the middle of the
 * outermost elements rather than their edge
 */
#include "common.glsl"

READS (1, REAL, x);
READS (2, REAL, grid);
WRITES (3, REAL, y);

/* Where a coordinate lies: the element before it, and the share of the one behind. */
float
locate (float at, int n)
{
  at = word (5) != 0 ? (at + 1.0) / 2.0 * float (n - 1) : ((at + 1.0) * float (n) - 1.0) / 2.0;
  return bound (at == at ? at : -1.0, 0.0, float (n - 1));
}

void
main ()
{
  int i = place ();
  int height = word (2);
  int width = word (3);
  int points = word (4);
  int point = i / (points * word (1)) * points + i % points;
  int plane = i / points * height * width;
  float across, down, share;
  int left, right, top, bottom;

  if (i >= word (0))
    return;
  across = locate (float (grid[2 * point]), width);
  down = locate (float (grid[2 * point + 1]), height);
  left = int (floor (across));
  top = int (floor (down));
  right = min (left + 1, width - 1);
  bottom = min (top + 1, height - 1);
  across -= float (left);
  down -= float (top);
  share = float (x[plane + top * width + left]) * (1.0 - across) +
          float (x[plane + top * width + right]) * across;
  y[i] = REAL (share * (1.0 - down) + (float (x[plane + bottom * width + left]) * (1.0 - across) +
                                       float (x[plane + bottom * width + right]) * across) *
                                          down);
}
