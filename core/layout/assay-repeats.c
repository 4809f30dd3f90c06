/* assay-repeats.c
 * SPDX-License-Identifier: Apache-2.0
 *
 * Parts of a sequence, found by what repeats: the most frequent pair of different neighbours
 * becomes one symbol, again and again (Larsson and Moffat, Off-line dictionary-based compression,
 * 2000). Pairs are in a heap, so it takes as long as sorting. Equal neighbours are never a pair:
 * stretches of them are cut by numbers that people can count with.
 */
#include "layout/assay-repeats.h"

#include <string.h>

#define NOWHERE G_MAXUINT32

/* Below the number of parts that there may be, only what repeats this often is put together. */
#define OFTEN 4

/* A pair of neighbours, and the list of the places where it begins. */
typedef struct
{
  guint32 left;
  guint32 right;
  guint32 count;
  guint32 first;
} Pair;

/* A pair as it was counted when it came into the heap. */
typedef struct
{
  guint32 pair;
  guint32 count;
  guint32 size;
} Candidate;

typedef struct
{
  guint32 *symbol;
  guint32 *size; /* elements that each one stands for */
  guint32 *next;
  guint32 *prev;
  guint32 *pair; /* pair that begins here, plus one */
  guint32 *next_same;
  guint32 *prev_same;
  guint32 n;
  GArray *pairs;
  GHashTable *known;
  GArray *heap;
} Sequence;

/* More often, then fewer elements, then earlier. */
static gboolean
is_before (const Candidate *a, const Candidate *b)
{
  if (a->count != b->count)
    return a->count > b->count;

  return a->size != b->size ? a->size < b->size : a->pair < b->pair;
}

static void
push (GArray *heap, Candidate fresh)
{
  Candidate *all;
  guint i = heap->len;

  g_array_append_val (heap, fresh);
  all = (Candidate *) (void *) heap->data;
  for (; i > 0 && is_before (&fresh, &all[(i - 1) / 2]); i = (i - 1) / 2)
    all[i] = all[(i - 1) / 2];
  all[i] = fresh;
}

static Candidate
pop (GArray *heap)
{
  Candidate *all = (Candidate *) (void *) heap->data;
  Candidate top = all[0];
  Candidate last = all[heap->len - 1];
  guint n = heap->len - 1;
  guint i = 0;

  while (2 * i + 1 < n)
    {
      guint child = 2 * i + 1;

      child += child + 1 < n && is_before (&all[child + 1], &all[child]);
      if (!is_before (&all[child], &last))
        break;
      all[i] = all[child];
      i = child;
    }
  all[i] = last;
  g_array_set_size (heap, n);

  return top;
}

static guint
hash_pair (gconstpointer key)
{
  const Pair *pair = key;

  return pair->left * 2654435761u ^ pair->right * 40503u;
}

static gboolean
equal_pairs (gconstpointer a, gconstpointer b)
{
  return ((const Pair *) a)->left == ((const Pair *) b)->left &&
         ((const Pair *) a)->right == ((const Pair *) b)->right;
}

static void
add_pair (Sequence *self, guint32 at)
{
  guint32 after = self->next[at];
  Pair wanted;
  Pair *pair;
  guint index;

  if (after == NOWHERE || self->symbol[at] == self->symbol[after])
    return;

  wanted = (Pair){ .left = self->symbol[at], .right = self->symbol[after], .first = NOWHERE };
  index = GPOINTER_TO_UINT (g_hash_table_lookup (self->known, &wanted));
  if (index == 0)
    {
      g_array_append_val (self->pairs, wanted);
      index = self->pairs->len;
      g_hash_table_insert (self->known, g_memdup2 (&wanted, sizeof wanted),
                           GUINT_TO_POINTER (index));
    }

  pair = &g_array_index (self->pairs, Pair, index - 1);
  self->pair[at] = index;
  self->prev_same[at] = NOWHERE;
  self->next_same[at] = pair->first;
  if (pair->first != NOWHERE)
    self->prev_same[pair->first] = at;
  pair->first = at;
  pair->count++;
}

static void
drop_pair (Sequence *self, guint32 at)
{
  Pair *pair;

  if (at == NOWHERE || self->pair[at] == 0)
    return;

  pair = &g_array_index (self->pairs, Pair, self->pair[at] - 1);
  self->pair[at] = 0;
  pair->count--;
  if (self->prev_same[at] != NOWHERE)
    self->next_same[self->prev_same[at]] = self->next_same[at];
  else
    pair->first = self->next_same[at];
  if (self->next_same[at] != NOWHERE)
    self->prev_same[self->next_same[at]] = self->prev_same[at];
}

/* A pair that became more frequent is looked at again. */
static void
offer (Sequence *self, guint32 at)
{
  guint32 index = at != NOWHERE ? self->pair[at] : 0;
  guint32 count = index != 0 ? g_array_index (self->pairs, Pair, index - 1).count : 0;
  Candidate fresh = { .pair = index, .count = count };

  if (count < 2)
    return;

  fresh.size = self->size[at] + self->size[self->next[at]];
  push (self->heap, fresh);
}

/* Different symbols never overlap, so the order of the places does not matter. */
static void
replace_pair (Sequence *self, guint32 index, guint32 symbol)
{
  guint32 at;

  while ((at = g_array_index (self->pairs, Pair, index - 1).first) != NOWHERE)
    {
      guint32 gone = self->next[at];
      guint32 before = self->prev[at];
      guint32 after = self->next[gone];

      drop_pair (self, before);
      drop_pair (self, at);
      drop_pair (self, gone);
      self->symbol[at] = symbol;
      self->size[at] += self->size[gone];
      self->next[at] = after;
      if (after != NOWHERE)
        self->prev[after] = at;
      if (before != NOWHERE)
        {
          add_pair (self, before);
          offer (self, before);
        }
      add_pair (self, at);
      offer (self, at);
      self->n--;
    }
}

static guint
merge_repeats (Sequence *self, guint32 next, guint max_parts)
{
  guint n_merged = 0;

  for (guint32 i = 0; i < self->n; i++)
    add_pair (self, i);
  for (guint32 i = 0; i < self->n; i++)
    if (self->pair[i] != 0 && self->next_same[i] == NOWHERE)
      offer (self, i);

  while (self->heap->len > 0)
    {
      Candidate best = pop (self->heap);
      guint32 count = g_array_index (self->pairs, Pair, best.pair - 1).count;

      if (count < best.count)
        {
          best.count = count;
          if (count >= 2)
            push (self->heap, best);
          continue;
        }
      if (self->n <= max_parts && count < OFTEN)
        break;
      replace_pair (self, best.pair, next++);
      n_merged++;
    }

  return n_merged;
}

/* Symbols of operators are small numbers in the order in which they appear, so that new ones have
 * room above. */
static guint32
rename_symbols (Sequence *self, const guint32 *symbols)
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
      self->next[i] = i + 1 < self->n ? i + 1 : NOWHERE;
      self->prev[i] = i > 0 ? i - 1 : NOWHERE;
    }

  return g_hash_table_size (names) + 1;
}

/* 1, then 10, 20, 50, 100, ... */
static guint
next_step (guint step)
{
  guint power = 10;

  if (step < 10)
    return 10;
  while (power <= step / 10)
    power *= 10;

  return step == 2 * power ? 5 * power : 2 * step;
}

static guint
count_parts (const GArray *runs, guint step)
{
  guint n = 0;

  for (guint i = 0; i < runs->len; i++)
    n += (g_array_index (runs, guint32, i) + step - 1) / step;

  return n;
}

/* A number near a step that divides a stretch without a rest, and leaves no more parts than there
 * may be; else the step itself. */
static guint
fit_step (guint length, guint step, guint max_parts)
{
  for (guint off = 0; off <= step && length > step; off++)
    {
      if (length % (step + off) == 0 && step + off <= length / 2)
        return step + off;
      if (off < step / 2 && length % (step - off) == 0 && length / (step - off) <= max_parts)
        return step - off;
    }

  return step;
}

/* Cuts stretches of equal symbols into equal parts; if there are too many stretches, the whole
 * sequence by numbers. */
static GArray *
cut_runs (const Sequence *self, guint max_parts)
{
  g_autoptr (GArray) runs = g_array_new (FALSE, FALSE, sizeof (guint32));
  GArray *ends = g_array_new (FALSE, FALSE, sizeof (guint32));
  guint32 at = 0;
  guint32 end = 0;
  guint step = 1;
  guint spare;

  for (guint32 i = 0; i != NOWHERE; i = self->next[i])
    if (i == 0 || self->symbol[i] != self->symbol[self->prev[i]])
      g_array_append_vals (runs, &(guint32){ 1 }, 1);
    else
      g_array_index (runs, guint32, runs->len - 1)++;
  if (runs->len > max_parts)
    {
      g_array_set_size (runs, 1);
      g_array_index (runs, guint32, 0) = self->n;
    }

  while (count_parts (runs, step) > max_parts)
    step = next_step (step);
  if (runs->len == 1 && max_parts > 1)
    step = MIN (step, (self->n + 1) / 2);
  spare = max_parts - count_parts (runs, step);
  for (guint r = 0; r < runs->len; r++)
    {
      guint32 length = g_array_index (runs, guint32, r);
      guint n_parts = (length + step - 1) / step;
      guint fit = fit_step (length, step, n_parts + spare);

      for (guint32 i = 0; i < length; i++)
        {
          end += self->size[at];
          at = self->next[at];
          if ((i + 1) % fit == 0 || i + 1 == length)
            g_array_append_val (ends, end);
        }
      spare += n_parts;
      spare -= MIN (spare, (length + fit - 1) / fit);
    }

  return ends;
}

/**
 * assay_find_repeats:
 * @symbols: (array length=n_symbols): a sequence
 * @n_symbols: its length
 * @max_parts: how many parts there may be, at least 1
 *
 * Cuts a sequence into parts so that equal stretches become equal parts as far as possible. What
 * follows on itself is cut into parts of 10, 20, 50, 100, ... or a number near it that leaves no
 * rest; so is what does not repeat.
 *
 * Returns: (transfer full) (element-type guint32): the end of each part, at most @max_parts of them
 */
GArray *
assay_find_repeats (const guint32 *symbols, guint n_symbols, guint max_parts)
{
  g_autofree guint32 *numbers = g_new0 (guint32, (gsize) (n_symbols + 1) * 7);
  gsize n = n_symbols + 1;
  g_autoptr (GArray) pairs = g_array_new (FALSE, FALSE, sizeof (Pair));
  g_autoptr (GArray) heap = g_array_new (FALSE, FALSE, sizeof (Candidate));
  g_autoptr (GHashTable) known = g_hash_table_new_full (hash_pair, equal_pairs, g_free, NULL);
  Sequence sequence = {
    .symbol = numbers,
    .size = numbers + n,
    .next = numbers + 2 * n,
    .prev = numbers + 3 * n,
    .pair = numbers + 4 * n,
    .next_same = numbers + 5 * n,
    .prev_same = numbers + 6 * n,
    .n = n_symbols,
    .pairs = pairs,
    .known = known,
    .heap = heap,
  };

  if (n_symbols == 0)
    return g_array_new (FALSE, FALSE, sizeof (guint32));

  merge_repeats (&sequence, rename_symbols (&sequence, symbols), MAX (max_parts, 1));

  return cut_runs (&sequence, MAX (max_parts, 1));
}
