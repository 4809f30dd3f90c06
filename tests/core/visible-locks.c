/* visible-locks.c
 * SPDX-License-Identifier: Apache-2.0
 *
 * The locks of GLib are made of futexes inside a library that is not instrumented, so the thread
 * sanitizer sees no order in what they guard. Under it, these stand in their place, made of the
 * locks of the C library.
 */
#include <glib.h>

#include <dlfcn.h>
#include <pthread.h>
#include <sanitizer/tsan_interface.h>

/* A lock that was never initialized is zero, and made when it is first used. */
static pthread_mutex_t *
mutex_of (GMutex *mutex)
{
  pthread_mutex_t *made, *other = NULL;

  made = __atomic_load_n ((pthread_mutex_t **) &mutex->p, __ATOMIC_ACQUIRE);
  if (made != NULL)
    return made;

  made = g_new0 (pthread_mutex_t, 1);
  pthread_mutex_init (made, NULL);
  if (__atomic_compare_exchange_n ((pthread_mutex_t **) &mutex->p, &other, made, FALSE,
                                   __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE))
    return made;

  pthread_mutex_destroy (made);
  g_free (made);

  return other;
}

static pthread_cond_t *
cond_of (GCond *cond)
{
  pthread_cond_t *made, *other = NULL;
  pthread_condattr_t attributes;

  made = __atomic_load_n ((pthread_cond_t **) &cond->p, __ATOMIC_ACQUIRE);
  if (made != NULL)
    return made;

  made = g_new0 (pthread_cond_t, 1);
  pthread_condattr_init (&attributes);
  pthread_condattr_setclock (&attributes, CLOCK_MONOTONIC);
  pthread_cond_init (made, &attributes);
  pthread_condattr_destroy (&attributes);
  if (__atomic_compare_exchange_n ((pthread_cond_t **) &cond->p, &other, made, FALSE,
                                   __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE))
    return made;

  pthread_cond_destroy (made);
  g_free (made);

  return other;
}

void
g_mutex_init (GMutex *mutex)
{
  mutex->p = NULL;
}

void
g_mutex_clear (GMutex *mutex)
{
  if (mutex->p != NULL)
    pthread_mutex_destroy (mutex->p);
  g_clear_pointer (&mutex->p, g_free);
}

void (g_mutex_lock) (GMutex *mutex)
{
  pthread_mutex_lock (mutex_of (mutex));
}

gboolean (g_mutex_trylock) (GMutex *mutex)
{
  return pthread_mutex_trylock (mutex_of (mutex)) == 0;
}

void (g_mutex_unlock) (GMutex *mutex)
{
  pthread_mutex_unlock (mutex_of (mutex));
}

void
g_cond_init (GCond *cond)
{
  cond->p = NULL;
}

void
g_cond_clear (GCond *cond)
{
  if (cond->p != NULL)
    pthread_cond_destroy (cond->p);
  g_clear_pointer (&cond->p, g_free);
}

void
g_cond_wait (GCond *cond, GMutex *mutex)
{
  pthread_cond_wait (cond_of (cond), mutex_of (mutex));
}

gboolean
g_cond_wait_until (GCond *cond, GMutex *mutex, gint64 end_time)
{
  const struct timespec until = { end_time / G_TIME_SPAN_SECOND,
                                  end_time % G_TIME_SPAN_SECOND * 1000 };

  return pthread_cond_timedwait (cond_of (cond), mutex_of (mutex), &until) == 0;
}

void
g_cond_signal (GCond *cond)
{
  pthread_cond_signal (cond_of (cond));
}

void
g_cond_broadcast (GCond *cond)
{
  pthread_cond_broadcast (cond_of (cond));
}

void (g_atomic_ref_count_inc) (gatomicrefcount *count)
{
  __atomic_add_fetch (count, 1, __ATOMIC_RELAXED);
}

gboolean (g_atomic_ref_count_dec) (gatomicrefcount *count)
{
  return __atomic_sub_fetch (count, 1, __ATOMIC_ACQ_REL) == 0;
}

/* The last owner frees what the others have read: all that they did before they let go comes
 * before. */
void
g_bytes_unref (GBytes *bytes)
{
  static void (*real) (GBytes *);

  if (__atomic_load_n (&real, __ATOMIC_ACQUIRE) == NULL)
    __atomic_store_n (&real, (void (*) (GBytes *)) dlsym (RTLD_NEXT, "g_bytes_unref"),
                      __ATOMIC_RELEASE);

  __tsan_release (bytes);
  __tsan_acquire (bytes);
  real (bytes);
}
