/* assay-budget.c
 * SPDX-License-Identifier: Apache-2.0
 */
#include "evaluate/assay-budget.h"

#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/assay-error.h"

/* How often the system is asked how large the process is. */
#define INTERVAL (10 * G_TIME_SPAN_MILLISECOND)

struct _AssayBudget
{
  double seconds;
  gsize n_bytes;
  gint64 until;
  gsize before;
  GMutex lock;
  gint64 next;
  GCancellable *stop;
  GCancellable *user;
  gboolean late;
  gboolean large;
};

/* Bytes of memory that the process has to itself, 0 if the system does not say. */
static gsize
own_bytes (void)
{
  char text[128] = "";
  int fd = open ("/proc/self/statm", O_RDONLY | O_CLOEXEC);
  guint64 resident = 0, shared = 0;
  char *end = text;

  if (fd < 0)
    return 0;
  if (read (fd, text, sizeof text - 1) > 0)
    {
      strtoull (text, &end, 10);
      resident = strtoull (end, &end, 10);
      shared = strtoull (end, NULL, 10);
    }
  close (fd);

  return (gsize) (resident - MIN (shared, resident)) * (gsize) sysconf (_SC_PAGESIZE);
}

/**
 * assay_budget_new:
 * @seconds: what the run may take
 * @n_bytes: by how much the process may grow meanwhile, 0 for any size
 * @cancellable: (nullable): with which the user cancels
 *
 * Begins to watch a run.
 *
 * Returns: (transfer full): the budget
 */
AssayBudget *
assay_budget_new (double seconds, gsize n_bytes, GCancellable *cancellable)
{
  AssayBudget *self = g_new0 (AssayBudget, 1);

  self->seconds = seconds;
  self->n_bytes = n_bytes;
  self->until = g_get_monotonic_time () + (gint64) (seconds * G_USEC_PER_SEC);
  self->before = own_bytes ();
  self->stop = g_cancellable_new ();
  self->user = cancellable != NULL ? g_object_ref (cancellable) : NULL;
  g_mutex_init (&self->lock);

  return self;
}

void
assay_budget_free (AssayBudget *self)
{
  if (self == NULL)
    return;

  g_clear_object (&self->user);
  g_clear_object (&self->stop);
  g_mutex_clear (&self->lock);
  g_free (self);
}

/**
 * assay_budget_get_cancellable:
 * @self: a budget
 *
 * Gets what the run looks at: assay_budget_look() cancels it.
 *
 * Returns: (transfer none): the cancellable
 */
GCancellable *
assay_budget_get_cancellable (AssayBudget *self)
{
  return self->stop;
}

/**
 * assay_budget_look:
 * @self: a budget
 *
 * Cancels the run if the user has, or if it has taken more than it may; cheap, and for every
 * thread.
 */
void
assay_budget_look (AssayBudget *self)
{
  gint64 now = g_get_monotonic_time ();
  gboolean over;

  if (g_cancellable_is_cancelled (self->user))
    {
      g_cancellable_cancel (self->stop);
      return;
    }
  g_mutex_lock (&self->lock);
  if (now < self->next)
    {
      g_mutex_unlock (&self->lock);
      return;
    }
  self->next = now + INTERVAL;
  self->late |= now > self->until;
  self->large |= self->n_bytes > 0 && own_bytes () > self->before + self->n_bytes;
  over = self->late || self->large;
  g_mutex_unlock (&self->lock);

  if (over)
    g_cancellable_cancel (self->stop);
}

/**
 * assay_budget_exceed:
 * @self: a budget
 *
 * Notes that the run was refused memory for more than it may take.
 */
void
assay_budget_exceed (AssayBudget *self)
{
  g_mutex_lock (&self->lock);
  self->large = TRUE;
  g_mutex_unlock (&self->lock);
}

/**
 * assay_budget_check:
 * @self: a budget, after the run
 * @error: return location for a #GError
 *
 * Fails with %ASSAY_ERROR_UNSUPPORTED if the run was cancelled because it took too much.
 *
 * Returns: whether it was not
 */
gboolean
assay_budget_check (AssayBudget *self, GError **error)
{
  if (self->large)
    g_set_error (error, ASSAY_ERROR, ASSAY_ERROR_UNSUPPORTED,
                 "running it takes more than %" G_GSIZE_FORMAT " MiB", self->n_bytes >> 20);
  else if (self->late)
    g_set_error (error, ASSAY_ERROR, ASSAY_ERROR_UNSUPPORTED, "running it takes more than %g s",
                 self->seconds);

  return !self->large && !self->late;
}
