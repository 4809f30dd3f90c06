/* assay-pointer-map.c
 * SPDX-License-Identifier: Apache-2.0
 */
#include "base/assay-pointer-map.h"

/* Which place a key has in so many: its own, or the free one where it would be. */
static guint
find (const AssayPointerPair *pairs, guint n_slots, gconstpointer key)
{
  guint64 hash = (guint64) GPOINTER_TO_SIZE (key) * 0x9e3779b97f4a7c15u;
  guint at = (guint) (hash >> 32) & (n_slots - 1);

  while (pairs[at].key != NULL && pairs[at].key != key)
    at = (at + 1) & (n_slots - 1);

  return at;
}

static guint
count_slots (const AssayPointerMap *self)
{
  return self->many != NULL ? self->n_slots : G_N_ELEMENTS (self->few);
}

/**
 * assay_pointer_map_lookup:
 * @self: a map
 * @key: a pointer
 *
 * Looks up what a pointer means.
 *
 * Returns: (nullable): what it was given last, %NULL if nothing
 */
gpointer
assay_pointer_map_lookup (const AssayPointerMap *self, gconstpointer key)
{
  const AssayPointerPair *pairs = self->many != NULL ? self->many : self->few;

  return pairs[find (pairs, count_slots (self), key)].value;
}

/* At most half of the places are taken. */
static void
make_room (AssayPointerMap *self)
{
  AssayPointerPair *before = self->many != NULL ? self->many : self->few;
  guint n = count_slots (self);
  AssayPointerPair *pairs;

  if (2 * (self->n + 1) <= n)
    return;

  pairs = g_new0 (AssayPointerPair, 2 * (gsize) n);
  for (guint i = 0; i < n; i++)
    if (before[i].key != NULL)
      pairs[find (pairs, 2 * n, before[i].key)] = before[i];
  g_free (self->many);
  self->many = pairs;
  self->n_slots = 2 * n;
}

/**
 * assay_pointer_map_insert:
 * @self: a map
 * @key: (not nullable): a pointer
 * @value: (nullable): what it means from now on
 *
 * Gives a pointer a meaning, in place of the one it had.
 */
void
assay_pointer_map_insert (AssayPointerMap *self, gconstpointer key, gpointer value)
{
  AssayPointerPair *pairs;
  guint at;

  g_return_if_fail (key != NULL);

  pairs = self->many != NULL ? self->many : self->few;
  at = find (pairs, count_slots (self), key);
  if (pairs[at].key == NULL)
    {
      make_room (self);
      self->n++;
      pairs = self->many != NULL ? self->many : self->few;
      at = find (pairs, count_slots (self), key);
    }
  pairs[at] = (AssayPointerPair){ key, value };
}

/**
 * assay_pointer_map_clear:
 * @self: a map
 *
 * Forgets all, so that the map is as in the beginning.
 */
void
assay_pointer_map_clear (AssayPointerMap *self)
{
  g_free (self->many);
  *self = (AssayPointerMap){ NULL };
}
