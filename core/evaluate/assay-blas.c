/* assay-blas.c
 * SPDX-License-Identifier: Apache-2.0
 *
 * OpenBLAS is loaded when the first product needs it: it is large, and most commands multiply
 * nothing.
 */
#include "evaluate/assay-blas.h"

#include <dlfcn.h>
#include <pthread.h>
#include <signal.h>
#include <sys/mman.h>

#include "base/assay-error.h"

#define LIBRARY "libopenblas.so.0"

/* OpenBLAS asks for a buffer for every product under way, keeps it, and asks again for ever if
 * there is none: it is called only if the room is there. */
#define BUFFER_BYTES ((gsize) 144 << 20)

/* Its table of buffers ends; this is well within. */
#define MOST_BUFFERS 64

static struct
{
  GMutex lock;
  GCond ended;
  gboolean tried;
  AssayBlas functions;
  char *trouble;
  guint n_busy;
  guint n_buffers;
} blas;

static gboolean
find (gpointer library, const char *name, gpointer *function)
{
  *function = dlsym (library, name);
  if (*function == NULL && blas.trouble == NULL)
    blas.trouble = g_strdup_printf (LIBRARY " has no %s", name);

  return *function != NULL;
}

/* Threads that the library may start must not take signals: they are for the thread that waits for
 * Ctrl-C. */
static gpointer
load (void)
{
  sigset_t all, before;
  gpointer library;

  sigfillset (&all);
  pthread_sigmask (SIG_SETMASK, &all, &before);
  library = dlopen (LIBRARY, RTLD_NOW | RTLD_LOCAL);
  pthread_sigmask (SIG_SETMASK, &before, NULL);
  if (library == NULL)
    blas.trouble = g_strdup_printf ("the library of matrix products could not be loaded: %s",
                                    dlerror ());

  return library;
}

static void
open_library (void)
{
  void (*set_threads) (int) = NULL;
  gpointer library = load ();

  blas.tried = TRUE;
  if (library != NULL && find (library, "cblas_sgemm", (gpointer *) &blas.functions.sgemm) &&
      find (library, "cblas_dgemm", (gpointer *) &blas.functions.dgemm) &&
      find (library, "cblas_sgemv", (gpointer *) &blas.functions.sgemv) &&
      find (library, "cblas_dgemv", (gpointer *) &blas.functions.dgemv) &&
      find (library, "openblas_set_num_threads", (gpointer *) &set_threads))
    set_threads (1);
}

static gboolean
has_room (void)
{
  gpointer room = mmap (NULL, BUFFER_BYTES, PROT_READ | PROT_WRITE,
                        MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

  if (room == MAP_FAILED)
    return FALSE;
  munmap (room, BUFFER_BYTES);

  return TRUE;
}

/**
 * assay_blas_begin:
 *
 * Makes ready for one product in this thread; where memory is limited it waits until another thread
 * has ended its own.
 *
 * Returns: (transfer none) (nullable): the functions, until assay_blas_end(); or %NULL, which
 * assay_blas_check() explains
 */
const AssayBlas *
assay_blas_begin (void)
{
  gboolean ready;

  g_mutex_lock (&blas.lock);
  if (!blas.tried)
    open_library ();
  while (blas.trouble == NULL && blas.n_busy == blas.n_buffers)
    {
      if (blas.n_buffers < MOST_BUFFERS && has_room ())
        blas.n_buffers++;
      else if (blas.n_busy > 0)
        g_cond_wait (&blas.ended, &blas.lock);
      else
        blas.trouble = g_strdup_printf ("no memory for matrix products: %" G_GSIZE_FORMAT
                                        " MiB are not to be had",
                                        BUFFER_BYTES >> 20);
    }
  ready = blas.trouble == NULL;
  if (ready)
    blas.n_busy++;
  g_mutex_unlock (&blas.lock);

  return ready ? &blas.functions : NULL;
}

/**
 * assay_blas_end:
 *
 * Ends a product that assay_blas_begin() has begun.
 */
void
assay_blas_end (void)
{
  g_mutex_lock (&blas.lock);
  blas.n_busy--;
  g_cond_signal (&blas.ended);
  g_mutex_unlock (&blas.lock);
}

/**
 * assay_blas_check:
 * @error: return location for a #GError
 *
 * Fails with %ASSAY_ERROR_MEMORY if a product could not be made: its result is worth nothing.
 *
 * Returns: whether all products of this process were made
 */
gboolean
assay_blas_check (GError **error)
{
  gboolean good;

  g_mutex_lock (&blas.lock);
  good = blas.trouble == NULL;
  if (!good)
    g_set_error_literal (error, ASSAY_ERROR, ASSAY_ERROR_MEMORY, blas.trouble);
  g_mutex_unlock (&blas.lock);

  return good;
}
