/* assay-memory.c
 * SPDX-License-Identifier: Apache-2.0
 */
#include "evaluate/assay-memory.h"

#include <stdlib.h>

/* Vectors of the widest instruction set, and cache lines, start where this divides the address. */
#define ALIGNMENT 64

/* Idle bytes that are kept whatever was in use. */
#define ALWAYS_KEPT ((gsize) 16 << 20)

/* Blocks that lie idle. */
#define MAX_IDLE 64

/* In front of each block. */
typedef struct
{
  AssayMemory *memory;
  gsize n_bytes;
} Header;

G_STATIC_ASSERT (sizeof (Header) <= ALIGNMENT);

struct _AssayMemory
{
  gatomicrefcount ref_count;
  GMutex lock;
  gsize used;
  gsize top;
  gsize limit;
  gboolean is_short;
  gsize idle;
  guint n_idle;
  Header *blocks[MAX_IDLE];
};

/**
 * assay_memory_new:
 *
 * Makes an empty memory.
 *
 * Returns: (transfer full): the memory
 */
AssayMemory *
assay_memory_new (void)
{
  AssayMemory *self = g_new0 (AssayMemory, 1);

  g_atomic_ref_count_init (&self->ref_count);
  g_mutex_init (&self->lock);

  return self;
}

AssayMemory *
assay_memory_ref (AssayMemory *self)
{
  g_atomic_ref_count_inc (&self->ref_count);
  return self;
}

void
assay_memory_unref (AssayMemory *self)
{
  if (self == NULL || !g_atomic_ref_count_dec (&self->ref_count))
    return;

  for (guint i = 0; i < self->n_idle; i++)
    free (self->blocks[i]);
  g_mutex_clear (&self->lock);
  g_free (self);
}

/* The smallest idle block that is large enough and not much too large. */
static Header *
find_idle (AssayMemory *self, gsize n_bytes)
{
  guint best = MAX_IDLE;
  Header *header;

  for (guint i = 0; i < self->n_idle; i++)
    {
      gsize size = self->blocks[i]->n_bytes;

      if (size >= n_bytes && size / 2 <= n_bytes &&
          (best == MAX_IDLE || size < self->blocks[best]->n_bytes))
        best = i;
    }
  if (best == MAX_IDLE)
    return NULL;

  header = self->blocks[best];
  self->blocks[best] = self->blocks[--self->n_idle];
  self->idle -= header->n_bytes;

  return header;
}

/**
 * assay_memory_take:
 * @self: a memory
 * @n_bytes: bytes that are needed
 *
 * Takes a block, whose contents are undefined.
 *
 * Returns: (nullable): the block, for assay_memory_give(); %NULL if there is no such room
 */
gpointer
assay_memory_take (AssayMemory *self, gsize n_bytes)
{
  gboolean refused;
  Header *header;
  gsize whole;

  if (!g_size_checked_add (&whole, n_bytes, 2 * ALIGNMENT))
    return NULL;
  whole = whole / ALIGNMENT * ALIGNMENT;

  g_mutex_lock (&self->lock);
  refused = self->limit > 0 && whole > self->limit - MIN (self->used, self->limit);
  self->is_short |= refused;
  header = refused ? NULL : find_idle (self, whole);
  g_mutex_unlock (&self->lock);

  if (refused)
    return NULL;
  if (header == NULL)
    {
      header = aligned_alloc (ALIGNMENT, whole);
      if (header == NULL)
        return NULL;
      header->n_bytes = whole;
    }

  g_mutex_lock (&self->lock);
  self->used += header->n_bytes;
  self->top = MAX (self->top, self->used);
  g_mutex_unlock (&self->lock);
  header->memory = assay_memory_ref (self);

  return (char *) header + ALIGNMENT;
}

/**
 * assay_memory_give:
 * @block: a block of assay_memory_take()
 *
 * Gives a block back.
 */
void
assay_memory_give (gpointer block)
{
  Header *header = (Header *) ((char *) block - ALIGNMENT);
  AssayMemory *self = header->memory;
  gboolean keep;

  g_mutex_lock (&self->lock);
  self->used -= header->n_bytes;
  keep = self->n_idle < MAX_IDLE &&
         self->used + self->idle + header->n_bytes <= self->top + ALWAYS_KEPT;
  if (keep)
    {
      self->blocks[self->n_idle++] = header;
      self->idle += header->n_bytes;
    }
  g_mutex_unlock (&self->lock);

  if (!keep)
    free (header);
  assay_memory_unref (self);
}

/**
 * assay_memory_set_limit:
 * @self: a memory
 * @n_bytes: what may be in use at one time, 0 for any size
 *
 * Bounds what is taken from here on.
 */
void
assay_memory_set_limit (AssayMemory *self, gsize n_bytes)
{
  g_mutex_lock (&self->lock);
  self->limit = n_bytes;
  self->is_short = FALSE;
  g_mutex_unlock (&self->lock);
}

/**
 * assay_memory_is_short:
 * @self: a memory
 *
 * Tells whether the limit has refused something since it was set.
 *
 * Returns: whether it has
 */
gboolean
assay_memory_is_short (AssayMemory *self)
{
  gboolean is_short;

  g_mutex_lock (&self->lock);
  is_short = self->is_short;
  g_mutex_unlock (&self->lock);

  return is_short;
}

/**
 * assay_memory_get_top:
 * @self: a memory
 *
 * Gets how much was in use at most.
 *
 * Returns: bytes
 */
gsize
assay_memory_get_top (AssayMemory *self)
{
  gsize top;

  g_mutex_lock (&self->lock);
  top = self->top;
  g_mutex_unlock (&self->lock);

  return top;
}
