/* assay-repeats.c
 * SPDX-License-Identifier: Apache-2.0
 *
 * Parts of a sequence, found by what repeats: the most frequent pair of neighbours becomes one symbol, again and again
 * (byte pair encoding; Larsson and Moffat, Off-line dictionary-based compression, 2000).
 */
#include "layout/assay-repeats.h"

#include <string.h>

/* Steps over all elements that a sequence may cost; longer ones are cut evenly. */
#define MAX_WORK 20000000

typedef struct
{
  guint64 pair;
  guint32 count;
  guint32 size;
  guint32 last; /* where it was counted last, so that aaa is one pair */
} Pair;

typedef struct
{
  guint32 *symbol;
  guint32 *size; /* elements that each one stands for */
  guint n;
} Sequence;

/* The most frequent pair, of those the one with the fewest elements, of those the first. */
static gboolean
find_pair (const Sequence *self,
           GArray         *pairs,
           GHashTable     *known,
           guint64        *found)
{
  const Pair *best = NULL;

  g_array_set_size (pairs, 0);
  g_hash_table_remove_all (known);
  for (guint i = 0; i + 1 < self->n; i++)
    {
      guint64 key = (guint64) self->symbol[i] << 32 | self->symbol[i + 1];
      guint at = GPOINTER_TO_UINT (g_hash_table_lookup (known, &key));
      Pair *pair;

      if (at == 0)
        {
          Pair fresh = { .pair = key, .count = 1, .size = self->size[i] + self->size[i + 1], .last = i };

          g_array_append_val (pairs, fresh);
          g_hash_table_insert (known, g_memdup2 (&key, sizeof key), GUINT_TO_POINTER (pairs->len));
          continue;
        }
      pair = &g_array_index (pairs, Pair, at - 1);
      if (pair->last + 1 == i && self->symbol[i] == self->symbol[i + 1])
        continue;
      pair->count++;
      pair->last = i;
    }

  for (guint i = 0; i < pairs->len; i++)
    {
      const Pair *pair = &g_array_index (pairs, Pair, i);

      if (best == NULL || pair->count > best->count || (pair->count == best->count && pair->size < best->size))
        best = pair;
    }
  if (best == NULL || best->count < 2)
    return FALSE;

  *found = best->pair;

  return TRUE;
}

static void
replace_pair (Sequence *self,
              guint64   pair,
              guint32   symbol,
              guint     max_parts)
{
  guint kept = 0;
  guint merged = 0;

  for (guint i = 0; i < self->n; i++)
    {
      gboolean here = i + 1 < self->n && self->n - merged > max_parts
                      && ((guint64) self->symbol[i] << 32 | self->symbol[i + 1]) == pair;

      self->symbol[kept] = here ? symbol : self->symbol[i];
      self->size[kept++] = here ? self->size[i] + self->size[i + 1] : self->size[i];
      merged += here;
      i += here;
    }
  self->n = kept;
}

/* Symbols of operators are small numbers in the order in which they appear, so that new ones have room above. */
static guint32
rename_symbols (Sequence      *self,
                const guint32 *symbols)
{
  g_autoptr (GHashTable) names = g_hash_table_new (NULL, NULL);

  for (guint i = 0; i < self->n; i++)
    {
      gpointer key = GUINT_TO_POINTER (symbols[i]);
      gpointer name = g_hash_table_lookup (names, key);

      if (name == NULL)
        {
          name = GUINT_TO_POINTER (g_hash_table_size (names) + 1);
          g_hash_table_insert (names, key, name);
        }
      self->symbol[i] = GPOINTER_TO_UINT (name);
      self->size[i] = 1;
    }

  return g_hash_table_size (names) + 1;
}

/**
 * assay_find_repeats:
 * @symbols: (array length=n_symbols): a sequence
 * @n_symbols: its length
 * @max_parts: how many parts there may be
 *
 * Cuts a sequence into parts so that equal stretches become equal parts as far as possible. What does not repeat is cut
 * evenly.
 *
 * Returns: (transfer full) (element-type guint32): the end of each part, at most @max_parts of them
 */
GArray *
assay_find_repeats (const guint32 *symbols,
                    guint          n_symbols,
                    guint          max_parts)
{
  g_autofree guint32 *symbol = g_new (guint32, n_symbols + 1);
  g_autofree guint32 *size = g_new (guint32, n_symbols + 1);
  Sequence sequence = { symbol, size, n_symbols };
  g_autoptr (GArray) pairs = g_array_new (FALSE, FALSE, sizeof (Pair));
  g_autoptr (GHashTable) known = g_hash_table_new_full (g_int64_hash, g_int64_equal, g_free, NULL);
  GArray *ends = g_array_new (FALSE, FALSE, sizeof (guint32));
  guint32 next = rename_symbols (&sequence, symbols);
  guint64 work = 0;
  guint64 pair;
  guint32 end = 0;
  guint step;

  while (sequence.n > max_parts && work < MAX_WORK && find_pair (&sequence, pairs, known, &pair))
    {
      work += sequence.n;
      replace_pair (&sequence, pair, next++, max_parts);
    }

  step = max_parts == 0 ? MAX (sequence.n, 1) : MAX ((sequence.n + max_parts - 1) / max_parts, 1);
  for (guint i = 0; i < sequence.n; i++)
    {
      end += size[i];
      if ((i + 1) % step == 0 || i + 1 == sequence.n)
        g_array_append_val (ends, end);
    }

  return ends;
}
