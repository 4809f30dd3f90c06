#version 450
/* rotary.comp
 * SPDX-License-Identifier: Apache-2.0
 *
 * Pairs of features that are rotated by their position: a feature and the one half a head behind it
 * (OP 0), or neighbours (OP 1).
 * words: count of invocations, heads, positions, pairs of a head
 */
#include "common.glsl"

LOADS (1, REAL, x)
LOADS (2, REAL, cosines)
LOADS (3, REAL, sines)
STORES (4, REAL, y)

REAL
make (int i)
{
  int positions = word (2);
  int pairs = word (3);
  int features = 2 * pairs;
  int feature = i % features;
  int row = i / features;
  int pair = OP == 0 ? feature % pairs : feature / 2;
  bool second = OP == 0 ? feature >= pairs : feature % 2 == 1;
  int at = (row / (positions * word (1)) * positions + row % positions) * pairs + pair;
  int other = OP == 0 ? pairs : 1;

  float cosine = float (cosines (at));
  float sine = float (sines (at));
  float here = float (x (i));

  return REAL (second ? sine * float (x (i - other)) + cosine * here
                      : cosine * here - sine * float (x (i + other)));
}
