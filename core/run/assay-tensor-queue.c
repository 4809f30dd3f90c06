/* assay-tensor-queue.c
 * SPDX-License-Identifier: Apache-2.0
 */
#include "run/assay-tensor-queue.h"

#include "base/assay-error.h"

/* How soon a thread that waits notices that the user has cancelled. */
#define LOOK_AGAIN (20 * G_TIME_SPAN_MILLISECOND)

typedef struct
{
  AssayTensor *tensor;
  guint n_readers; /* who has not released it */
} Entry;

struct _AssayTensorQueue
{
  GMutex lock;
  GCond changed;
  GHashTable *entries; /* key -> Entry */
  guint n_readers;
  guint n_active; /* readers that have not left */
  GArray *wanted; /* gsize: keys that readers wait for and that have not come */
  gsize bytes;
  gsize peak;
  gsize max_bytes;
  gboolean closed;
  const AssayProgress *progress;
};

static void
entry_free (gpointer data)
{
  Entry *entry = data;

  assay_tensor_unref (entry->tensor);
  g_free (entry);
}

/**
 * assay_tensor_queue_new:
 * @n_readers: how many runs read every value
 * @max_bytes: how much may lie here before the run ahead waits
 * @progress: (nullable): cancel; outlives the queue
 *
 * Makes an empty queue.
 *
 * Returns: (transfer full): the queue
 */
AssayTensorQueue *
assay_tensor_queue_new (guint n_readers, gsize max_bytes, const AssayProgress *progress)
{
  AssayTensorQueue *self = g_new0 (AssayTensorQueue, 1);

  g_mutex_init (&self->lock);
  g_cond_init (&self->changed);
  self->entries = g_hash_table_new_full (NULL, NULL, NULL, entry_free);
  self->wanted = g_array_new (FALSE, FALSE, sizeof (gsize));
  self->n_readers = self->n_active = n_readers;
  self->max_bytes = max_bytes;
  self->progress = progress;

  return self;
}

void
assay_tensor_queue_free (AssayTensorQueue *self)
{
  if (self == NULL)
    return;

  g_hash_table_unref (self->entries);
  g_array_unref (self->wanted);
  g_cond_clear (&self->changed);
  g_mutex_clear (&self->lock);
  g_free (self);
}

static gboolean
wait_for_change (AssayTensorQueue *self, GError **error)
{
  g_cond_wait_until (&self->changed, &self->lock, g_get_monotonic_time () + LOOK_AGAIN);

  return assay_progress_check (self->progress, error);
}

static void
forget (AssayTensorQueue *self, gsize key)
{
  for (guint i = self->wanted->len; i-- > 0;)
    {
      if (g_array_index (self->wanted, gsize, i) == key)
        g_array_remove_index_fast (self->wanted, i);
    }
}

/**
 * assay_tensor_queue_put:
 * @self: a queue
 * @key: which value
 * @tensor: the value
 * @error: return location for a #GError
 *
 * Adds a value for all readers, as soon as there is room. A queue that has been closed takes
 * nothing more and fails with %ASSAY_ERROR_CANCELLED, which ends the run ahead when a reader has
 * given up.
 *
 * Returns: whether it was added
 */
gboolean
assay_tensor_queue_put (AssayTensorQueue *self, gsize key, AssayTensor *tensor, GError **error)
{
  g_autoptr (GMutexLocker) locker = g_mutex_locker_new (&self->lock);
  gboolean going = TRUE;
  Entry *entry;

  while (going && !self->closed && self->bytes > self->max_bytes &&
         self->wanted->len < self->n_active)
    going = wait_for_change (self, error);
  if (!going)
    return FALSE;
  if (self->closed)
    {
      g_set_error_literal (error, ASSAY_ERROR, ASSAY_ERROR_CANCELLED,
                           "Nobody reads the values any more");
      return FALSE;
    }

  entry = g_new (Entry, 1);
  entry->tensor = assay_tensor_ref (tensor);
  entry->n_readers = self->n_readers;
  g_hash_table_insert (self->entries, GSIZE_TO_POINTER (key), entry);
  forget (self, key);
  self->bytes += assay_tensor_get_n_bytes (tensor);
  self->peak = MAX (self->peak, self->bytes);
  g_cond_broadcast (&self->changed);

  return TRUE;
}

/**
 * assay_tensor_queue_close:
 * @self: a queue
 *
 * Says that nothing more comes, or that nothing more is read.
 */
void
assay_tensor_queue_close (AssayTensorQueue *self)
{
  g_autoptr (GMutexLocker) locker = g_mutex_locker_new (&self->lock);

  self->closed = TRUE;
  g_cond_broadcast (&self->changed);
}

/**
 * assay_tensor_queue_get:
 * @self: a queue
 * @key: which value
 * @error: return location for a #GError
 *
 * Waits for a value. It stays until every reader has released it.
 *
 * Returns: (transfer full) (nullable): the value, or %NULL with %ASSAY_ERROR_CANCELLED if it will
 * not come
 */
AssayTensor *
assay_tensor_queue_get (AssayTensorQueue *self, gsize key, GError **error)
{
  g_autoptr (GMutexLocker) locker = g_mutex_locker_new (&self->lock);
  gboolean going = TRUE;
  Entry *entry;

  entry = g_hash_table_lookup (self->entries, GSIZE_TO_POINTER (key));
  if (entry == NULL)
    {
      g_array_append_val (self->wanted, key);
      g_cond_broadcast (&self->changed);
    }
  while (entry == NULL && !self->closed && going)
    {
      going = wait_for_change (self, error);
      entry = g_hash_table_lookup (self->entries, GSIZE_TO_POINTER (key));
    }

  /* A value may come in the same moment as the wish to stop: that has its error already. */
  if (!going)
    return NULL;
  if (entry != NULL)
    return assay_tensor_ref (entry->tensor);
  g_set_error_literal (error, ASSAY_ERROR, ASSAY_ERROR_CANCELLED, "The other run has ended");

  return NULL;
}

/**
 * assay_tensor_queue_release:
 * @self: a queue
 * @key: which value
 *
 * Says that one reader needs a value no longer.
 */
void
assay_tensor_queue_release (AssayTensorQueue *self, gsize key)
{
  g_autoptr (GMutexLocker) locker = g_mutex_locker_new (&self->lock);
  Entry *entry = g_hash_table_lookup (self->entries, GSIZE_TO_POINTER (key));

  g_return_if_fail (entry != NULL);

  if (--entry->n_readers > 0)
    return;

  self->bytes -= assay_tensor_get_n_bytes (entry->tensor);
  g_hash_table_remove (self->entries, GSIZE_TO_POINTER (key));
  g_cond_broadcast (&self->changed);
}

/**
 * assay_tensor_queue_leave:
 * @self: a queue
 *
 * Says that one reader reads nothing more, so that nobody waits for it.
 */
void
assay_tensor_queue_leave (AssayTensorQueue *self)
{
  g_autoptr (GMutexLocker) locker = g_mutex_locker_new (&self->lock);

  self->n_active--;
  g_cond_broadcast (&self->changed);
}

/**
 * assay_tensor_queue_peak:
 * @self: a queue
 *
 * Tells how much lay here at most.
 *
 * Returns: bytes
 */
gsize
assay_tensor_queue_peak (AssayTensorQueue *self)
{
  g_autoptr (GMutexLocker) locker = g_mutex_locker_new (&self->lock);

  return self->peak;
}
