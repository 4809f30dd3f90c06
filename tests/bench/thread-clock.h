/* thread-clock.h
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include <glib.h>
#include <time.h>

/* Microseconds of processor time of the calling thread: what repeats on a machine that others use.
 */
static inline gint64
thread_clock_now (void)
{
  struct timespec time;

  clock_gettime (CLOCK_THREAD_CPUTIME_ID, &time);
  return (gint64) time.tv_sec * G_USEC_PER_SEC + time.tv_nsec / 1000;
}
