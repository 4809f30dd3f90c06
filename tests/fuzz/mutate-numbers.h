/* mutate-numbers.h
 * SPDX-License-Identifier: Apache-2.0
 *
 * Changes of inputs that are mostly numbers, for targets that know where they stand.
 */
#pragma once

#include <glib.h>
#include <stdint.h>

/* Changes some digits of a text, which leaves most of it as it reads, and now and then any byte. */
static inline void
mutate_digits (uint8_t *data, gsize size, GRand *random)
{
  static const char digits[] = "0123456789-";
  gint n = g_rand_int_range (random, 1, 5);

  for (guint tries = 0; n > 0 && tries < 1000 && size > 0; tries++)
    {
      gsize at = (gsize) g_rand_int_range (random, 0, (gint32) size);

      if (!g_ascii_isdigit (data[at]) && g_rand_int_range (random, 0, 200) != 0)
        continue;
      data[at] = g_ascii_isdigit (data[at])
                     ? (uint8_t) digits[g_rand_int_range (random, 0, sizeof digits - 1)]
                     : (uint8_t) g_rand_int_range (random, 0, 256);
      n--;
    }
}

/* A number that is more likely than others to be one too many. */
static inline guint64
mutate_number (guint64 old, GRand *random)
{
  static const guint64 numbers[] = {
    0,           1,          2,  3,  4,  5,   6,   7,   8,          31,
    32,          33,         63, 64, 65, 127, 128, 129, G_MAXINT32, (guint64) G_MAXINT32 + 1,
    G_MAXUINT32, G_MAXUINT64
  };

  switch (g_rand_int_range (random, 0, 6))
    {
    case 0:
      return old + 1;
    case 1:
      return old - 1;
    case 2:
      return 2 * old;
    case 3:
      return old ^ (guint64) 1 << g_rand_int_range (random, 0, 34);
    case 4:
      return (guint64) g_rand_int (random);
    default:
      return numbers[g_rand_int_range (random, 0, G_N_ELEMENTS (numbers))];
    }
}
