/* assay-calendar.c
 * SPDX-License-Identifier: Apache-2.0
 */
#include "backend/stream/machine/assay-calendar.h"

#include <string.h>

/* Cycles of an inference that are looked at: a file may claim latencies without end. */
#define MAX_CYCLES (1u << 24)

/**
 * assay_calendar_take:
 * @self: a calendar, filled with zeros before its first use
 * @earliest: a cycle
 *
 * Takes the first free cycle that is not before another.
 *
 * Returns: the cycle
 */
guint32
assay_calendar_take (AssayCalendar *self, guint32 earliest)
{
  guint64 before = ((guint64) 1 << earliest % 64) - 1;

  if (earliest >= MAX_CYCLES)
    return earliest;

  for (gsize at = earliest / 64;; at++, before = 0)
    {
      guint64 free_bits;

      if (at >= self->n_words)
        {
          gsize n_words = 2 * at + 16;

          self->words = g_renew (guint64, self->words, n_words);
          memset (self->words + self->n_words, 0, (n_words - self->n_words) * sizeof *self->words);
          self->n_words = n_words;
        }

      free_bits = ~self->words[at] & ~before;
      if (free_bits != 0)
        {
          guint bit = (guint) __builtin_ctzll (free_bits);

          self->words[at] |= (guint64) 1 << bit;
          return (guint32) (at * 64 + bit);
        }
    }
}

/**
 * assay_calendar_clear:
 * @self: a calendar
 *
 * Frees what a calendar holds.
 */
void
assay_calendar_clear (AssayCalendar *self)
{
  g_free (self->words);
  *self = (AssayCalendar){ 0 };
}
