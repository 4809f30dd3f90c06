/* assay-arena.c
 * SPDX-License-Identifier: Apache-2.0
 */
#include "base/assay-arena.h"

#include <string.h>

#include "base/assay-sentence.h"

/* Chunks grow with the arena; the large ones go back to the system when they are freed. */
#define FIRST_CHUNK_SIZE (4 * 1024)
#define CHUNK_SIZE (64 * 1024)
#define MAX_CHUNK_SIZE (4 * 1024 * 1024)
#define ALIGNMENT 16
#define MIN_SLOTS 64
#define N_KNOWN 64

typedef struct _Chunk Chunk;

struct _Chunk
{
  Chunk *next;
  gsize used;
  gsize size;
  guint8 data[] __attribute__ ((aligned (ALIGNMENT)));
};

/* A string, in front of its characters. */
typedef struct
{
  guint32 hash;
  gsize length;
  char text[];
} Interned;

struct _AssayArena
{
  Chunk *chunks;
  Interned **slots; /* open addressing: a string lies in the first free slot from its hash on */
  gsize n_slots;    /* a power of two, or none yet */
  gsize n_strings;
  gsize total;
  const char *known[N_KNOWN]; /* strings of the arena that were asked for last, by address */
  Interned *few[MIN_SLOTS];   /* the first slots: most arenas need no more */
};

static guint32
hash_of (const char *text, gsize left)
{
  guint64 hash = 0xcbf29ce484222325u ^ left;
  guint64 word;

  /* Eight bytes at a time: names of large models are long and many. */
  for (; left >= sizeof word; left -= sizeof word, text += sizeof word)
    {
      memcpy (&word, text, sizeof word);
      hash = (hash ^ word) * 0x9e3779b97f4a7c15u;
      hash ^= hash >> 32;
    }

  /* The same number on every machine is not needed: a hash does not leave the process. */
  word = 0;
  if (left >= 4)
    {
      guint32 low, high;

      memcpy (&low, text, 4);
      memcpy (&high, text + left - 4, 4);
      word = (guint64) high << 32 | low;
    }
  else
    {
      for (gsize i = 0; i < left; i++)
        word = word << 8 | (guchar) text[i];
    }
  hash = (hash ^ word) * 0x9e3779b97f4a7c15u;

  return (guint32) (hash >> 32);
}

/* The slot of a string, or the free one that it would be in. */
static Interned **
find_slot (const AssayArena *self, guint32 hash, const char *text, gsize length)
{
  gsize at = hash & (self->n_slots - 1);

  for (; self->slots[at] != NULL; at = (at + 1) & (self->n_slots - 1))
    {
      const Interned *is = self->slots[at];

      if (is->hash == hash && is->length == length && memcmp (is->text, text, length) == 0)
        break;
    }

  return &self->slots[at];
}

static const char **
find_known (AssayArena *self, const char *string)
{
  return &self->known[GPOINTER_TO_SIZE (string) / ALIGNMENT % N_KNOWN];
}

/* At most half of the slots are taken. */
static void
make_room (AssayArena *self)
{
  Interned **before = self->slots;
  gsize n = self->n_slots;

  if (2 * (self->n_strings + 1) <= n)
    return;

  self->n_slots = MAX (2 * n, MIN_SLOTS);
  self->slots = n == 0 ? self->few : g_new0 (Interned *, self->n_slots);
  for (gsize i = 0; i < n; i++)
    {
      if (before[i] != NULL)
        *find_slot (self, before[i]->hash, before[i]->text, before[i]->length) = before[i];
    }
  if (before != self->few)
    g_free (before);
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
  return g_new0 (AssayArena, 1);
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

  if (self->slots != self->few)
    g_free (self->slots);
  g_free (self);
}

/* A chunk that has room for so many bytes. What is small stays small, as most graphs and texts are:
 * chunks double up to the usual size, and are then a quarter of what is there. */
static G_GNUC_NO_INLINE Chunk *
add_chunk (AssayArena *self, gsize needed)
{
  Chunk *chunk = self->chunks;
  gsize usual = self->total < CHUNK_SIZE ? MAX (self->total, FIRST_CHUNK_SIZE)
                                         : CLAMP (self->total / 4, CHUNK_SIZE, MAX_CHUNK_SIZE);
  gsize capacity = MAX (needed, usual);
  Chunk *fresh = g_malloc (sizeof (Chunk) + capacity);

  fresh->used = 0;
  fresh->size = capacity;
  self->total += sizeof (Chunk) + capacity;

  /* A large block goes behind the current chunk, whose rest stays usable. */
  if (chunk != NULL && needed > usual / 4)
    {
      fresh->next = chunk->next;
      chunk->next = fresh;
    }
  else
    {
      fresh->next = chunk;
      self->chunks = fresh;
    }

  return fresh;
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
  gsize aligned = (size + ALIGNMENT - 1) & ~(gsize) (ALIGNMENT - 1);
  guint8 *result;

  g_return_val_if_fail (size <= G_MAXSIZE - ALIGNMENT - sizeof (Chunk), NULL);

  if (chunk == NULL || chunk->size - chunk->used < aligned)
    chunk = add_chunk (self, aligned);

  result = chunk->data + chunk->used;
  chunk->used += aligned;

  /* Most is small, and a call would take longer than this. */
  if (aligned > 4 * ALIGNMENT)
    return memset (result, 0, aligned);
  for (gsize i = 0; i < aligned; i += ALIGNMENT)
    memset (result + i, 0, ALIGNMENT);

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
    g_error ("arena: %" G_GSIZE_FORMAT " element%s of %" G_GSIZE_FORMAT " byte%s overflow", n,
             assay_plural (n), size, assay_plural (size));

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
  if (string == NULL)
    return NULL;

  /* What builds a graph hands on what it has just interned, and that stays as it is. */
  return *find_known (self, string) == string
             ? string
             : assay_arena_intern_n (self, string, strlen (string));
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
  guint32 hash = hash_of (string, length);
  Interned **slot;

  make_room (self);
  slot = find_slot (self, hash, string, length);
  if (*slot == NULL)
    {
      *slot = assay_arena_alloc (self, sizeof (Interned) + length + 1);
      (*slot)->hash = hash;
      (*slot)->length = length;
      memcpy ((*slot)->text, string, length);
      self->n_strings++;
    }

  *find_known (self, (*slot)->text) = (*slot)->text;
  return (*slot)->text;
}
