/* assay-arena.c
 * SPDX-License-Identifier: Apache-2.0
 */
#include "base/assay-arena.h"

#include <string.h>

/* Chunks grow with the arena; the large ones go back to the system when they are freed. */
#define CHUNK_SIZE (64 * 1024)
#define MAX_CHUNK_SIZE (4 * 1024 * 1024)
#define ALIGNMENT 16

typedef struct _Chunk Chunk;

struct _Chunk
{
  Chunk *next;
  gsize used;
  gsize size;
  guint8 data[] __attribute__ ((aligned (ALIGNMENT)));
};

typedef struct
{
  const char *text;
  gsize length;
} Interned;

struct _AssayArena
{
  Chunk *chunks;
  GHashTable *strings;
  gsize total;
};

static guint
interned_hash (gconstpointer key)
{
  const Interned *self = key;
  const char *text = self->text;
  gsize left = self->length;
  guint64 hash = 0xcbf29ce484222325u ^ left;
  guint64 word;

  /* Eight bytes at a time: names of large models are long and many. */
  for (; left >= sizeof word; left -= sizeof word, text += sizeof word)
    {
      memcpy (&word, text, sizeof word);
      hash = (hash ^ word) * 0x9e3779b97f4a7c15u;
      hash ^= hash >> 32;
    }

  word = 0;
  memcpy (&word, text, left);
  hash = (hash ^ word) * 0x9e3779b97f4a7c15u;

  return (guint) (hash >> 32);
}

static gboolean
interned_equal (gconstpointer a, gconstpointer b)
{
  const Interned *left = a;
  const Interned *right = b;

  return left->length == right->length && memcmp (left->text, right->text, left->length) == 0;
}

/**
 * assay_arena_new:
 *
 * Makes an empty arena.
 *
 * Returns: (transfer full): the arena
 */
AssayArena *
assay_arena_new (void)
{
  AssayArena *self = g_new0 (AssayArena, 1);

  self->strings = g_hash_table_new (interned_hash, interned_equal);

  return self;
}

/**
 * assay_arena_free:
 * @self: (transfer full) (nullable): an arena
 *
 * Frees an arena and everything that was allocated in it.
 */
void
assay_arena_free (AssayArena *self)
{
  if (self == NULL)
    return;

  for (Chunk *chunk = self->chunks; chunk != NULL;)
    {
      Chunk *next = chunk->next;

      g_free (chunk);
      chunk = next;
    }

  g_hash_table_unref (self->strings);
  g_free (self);
}

/**
 * assay_arena_alloc:
 * @self: an arena
 * @size: bytes
 *
 * Allocates zeroed memory, aligned to 16 bytes, that lives as long as the arena.
 *
 * Returns: (transfer none): the memory; never %NULL
 */
gpointer
assay_arena_alloc (AssayArena *self, gsize size)
{
  Chunk *chunk = self->chunks;
  gsize aligned;
  gpointer result;

  g_return_val_if_fail (size <= G_MAXSIZE - ALIGNMENT - sizeof (Chunk), NULL);

  aligned = (size + ALIGNMENT - 1) & ~(gsize) (ALIGNMENT - 1);

  if (chunk == NULL || chunk->size - chunk->used < aligned)
    {
      gsize grown = CLAMP (self->total / 4, CHUNK_SIZE, MAX_CHUNK_SIZE);
      gsize capacity = MAX (aligned, grown);
      Chunk *fresh = g_malloc (sizeof (Chunk) + capacity);

      fresh->used = 0;
      fresh->size = capacity;
      self->total += sizeof (Chunk) + capacity;

      /* A large block goes behind the current chunk, whose rest stays usable. */
      if (chunk != NULL && aligned > CHUNK_SIZE / 4)
        {
          fresh->next = chunk->next;
          chunk->next = fresh;
        }
      else
        {
          fresh->next = chunk;
          self->chunks = fresh;
        }
      chunk = fresh;
    }

  result = chunk->data + chunk->used;
  chunk->used += aligned;
  memset (result, 0, aligned);

  return result;
}

/**
 * assay_arena_alloc_n:
 * @self: an arena
 * @n: number of elements
 * @size: bytes of one element
 *
 * Allocates a zeroed array; a product that overflows is a programming error, check counts from
 * files first.
 *
 * Returns: (transfer none): the memory
 */
gpointer
assay_arena_alloc_n (AssayArena *self, gsize n, gsize size)
{
  gsize total;

  if (!g_size_checked_mul (&total, n, size))
    g_error ("arena: %" G_GSIZE_FORMAT " elements of %" G_GSIZE_FORMAT " bytes overflow", n, size);

  return assay_arena_alloc (self, total);
}

/**
 * assay_arena_memdup:
 * @self: an arena
 * @data: (nullable): what to copy
 * @size: bytes
 *
 * Copies memory into the arena.
 *
 * Returns: (transfer none): the copy
 */
gpointer
assay_arena_memdup (AssayArena *self, gconstpointer data, gsize size)
{
  gpointer copy = assay_arena_alloc (self, size);

  if (size > 0)
    memcpy (copy, data, size);

  return copy;
}

/**
 * assay_arena_intern:
 * @self: an arena
 * @string: (nullable): a string
 *
 * Interns a string: equal strings of one arena are one pointer, so that pointers can be compared.
 *
 * Returns: (transfer none) (nullable): the interned string, %NULL for %NULL
 */
const char *
assay_arena_intern (AssayArena *self, const char *string)
{
  return string == NULL ? NULL : assay_arena_intern_n (self, string, strlen (string));
}

/**
 * assay_arena_intern_n:
 * @self: an arena
 * @string: characters, which need not be terminated
 * @length: how many
 *
 * Interns a string of known length; the result is terminated.
 *
 * Returns: (transfer none): the interned string
 */
const char *
assay_arena_intern_n (AssayArena *self, const char *string, gsize length)
{
  Interned key = { string, length };
  Interned *found = g_hash_table_lookup (self->strings, &key);
  char *copy;

  if (found != NULL)
    return found->text;

  found = assay_arena_alloc (self, sizeof (Interned) + length + 1);
  copy = (char *) (found + 1);
  memcpy (copy, string, length);
  found->text = copy;
  found->length = length;
  g_hash_table_add (self->strings, found);

  return found->text;
}
