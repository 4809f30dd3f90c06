#version 450
/* fill.comp
 * SPDX-License-Identifier: Apache-2.0
 *
 * words: count, what every element is
 */
#include "common.glsl"

WRITES (1, IN, y);

void
main ()
{
  int i = place ();

  if (i < word (0))
#ifdef WHOLE
    y[i] = word (1);
#else
    y[i] = IN (number (1));
#endif
}
