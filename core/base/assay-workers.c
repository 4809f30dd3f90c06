/* assay-workers.c
 * SPDX-License-Identifier: Apache-2.0
 */
#include "base/assay-workers.h"

struct _AssayWorkers
{
  GThread **threads;
  guint n_threads;

  GMutex lock;
  GCond wake;
  GCond done;
  guint generation;
  guint n_busy;
  gboolean quit;
  gboolean running;

  /* The loop under way. */
  gsize n;
  gsize grain;
  gsize next;
  AssayWorkFunc func;
  gpointer data;
  GCancellable *cancellable;
};

static void
work (AssayWorkers *self)
{
  for (;;)
    {
      gsize range = (gsize) g_atomic_pointer_add (&self->next, 1);
      gsize begin;

      if (range >= (self->n + self->grain - 1) / self->grain ||
          g_cancellable_is_cancelled (self->cancellable))
        return;

      begin = range * self->grain;
      self->func (self->data, begin, MIN (self->n, begin + self->grain));
    }
}

static gpointer
worker_thread (gpointer data)
{
  AssayWorkers *self = data;
  guint seen = 0;

  g_mutex_lock (&self->lock);
  for (;;)
    {
      while (!self->quit && self->generation == seen)
        g_cond_wait (&self->wake, &self->lock);
      if (self->quit)
        break;

      seen = self->generation;
      g_mutex_unlock (&self->lock);
      work (self);
      g_mutex_lock (&self->lock);
      if (--self->n_busy == 0)
        g_cond_signal (&self->done);
    }
  g_mutex_unlock (&self->lock);

  return NULL;
}

/**
 * assay_workers_new:
 * @n_threads: how many threads work, that of the caller included; 0 for one per processor
 *
 * Starts threads that wait for loops.
 *
 * Returns: (transfer full): the workers
 */
AssayWorkers *
assay_workers_new (guint n_threads)
{
  AssayWorkers *self = g_new0 (AssayWorkers, 1);

  self->n_threads = n_threads > 0 ? n_threads : g_get_num_processors ();
  self->threads = g_new0 (GThread *, self->n_threads);
  g_mutex_init (&self->lock);
  g_cond_init (&self->wake);
  g_cond_init (&self->done);

  for (guint i = 1; i < self->n_threads; i++)
    {
      self->threads[i] = g_thread_try_new ("assay-worker", worker_thread, self, NULL);

      /* Where no more are allowed, fewer do the work. */
      if (self->threads[i] == NULL)
        self->n_threads = i;
    }

  return self;
}

/**
 * assay_workers_free:
 * @self: (nullable): workers without a loop under way
 *
 * Ends the threads.
 */
void
assay_workers_free (AssayWorkers *self)
{
  if (self == NULL)
    return;

  g_mutex_lock (&self->lock);
  self->quit = TRUE;
  g_cond_broadcast (&self->wake);
  g_mutex_unlock (&self->lock);

  for (guint i = 1; i < self->n_threads; i++)
    g_thread_join (self->threads[i]);

  g_mutex_clear (&self->lock);
  g_cond_clear (&self->wake);
  g_cond_clear (&self->done);
  g_free (self->threads);
  g_free (self);
}

/**
 * assay_workers_get_n_threads:
 * @self: workers
 *
 * Gets how many threads work, that of the caller included.
 *
 * Returns: number of threads
 */
guint
assay_workers_get_n_threads (AssayWorkers *self)
{
  return self->n_threads;
}

/**
 * assay_workers_run:
 * @self: workers, used by one thread at a time
 * @n: number of items
 * @grain: items in one range, at least 1
 * @func: (scope call): works on one range
 * @data: for @func
 * @cancellable: (nullable): stops between ranges; the caller has to look at it afterwards
 *
 * Runs a loop over ranges of items and returns when all are done. A loop within a loop runs in its
 * own thread alone.
 */
void
assay_workers_run (AssayWorkers *self, gsize n, gsize grain, AssayWorkFunc func, gpointer data,
                   GCancellable *cancellable)
{
  g_return_if_fail (grain > 0);

  if (n == 0)
    return;

  if (self->n_threads == 1 || n <= grain || self->running)
    {
      for (gsize begin = 0; begin < n && !g_cancellable_is_cancelled (cancellable);
           begin += MIN (grain, n - begin))
        func (data, begin, begin + MIN (grain, n - begin));
      return;
    }

  g_mutex_lock (&self->lock);
  self->running = TRUE;
  self->n = n;
  self->grain = grain;
  self->next = 0;
  self->func = func;
  self->data = data;
  self->cancellable = cancellable;
  self->n_busy = self->n_threads - 1;
  self->generation++;
  g_cond_broadcast (&self->wake);
  g_mutex_unlock (&self->lock);

  work (self);

  g_mutex_lock (&self->lock);
  while (self->n_busy > 0)
    g_cond_wait (&self->done, &self->lock);
  self->running = FALSE;
  g_mutex_unlock (&self->lock);
}
