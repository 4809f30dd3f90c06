/* assay-watchdog.c
 * SPDX-License-Identifier: Apache-2.0
 */
#include "ui/window/assay-watchdog.h"

/* One frame at 60 Hz. */
#define LIMIT_US 16000

/* A counter for tests and the log; the main thread alone touches it. */
static guint count;
static gint64 worst_us;

/**
 * assay_watch_begin:
 * @name: what is done
 *
 * Begins to measure; use ASSAY_WATCH(), which also ends it.
 *
 * Returns: the measurement
 */
AssayWatch
assay_watch_begin (const char *name)
{
  AssayWatch self = { name, g_get_monotonic_time () };

  return self;
}

/**
 * assay_watch_end:
 * @self: a measurement
 *
 * Ends a measurement and counts it if it was longer than a frame.
 */
void
assay_watch_end (AssayWatch *self)
{
  gint64 took = g_get_monotonic_time () - self->start;

  worst_us = MAX (worst_us, took);
  if (took <= LIMIT_US)
    return;

  count++;
  g_debug ("%s held the main loop for %.1f ms", self->name, (double) took / 1000);
}

/**
 * assay_watchdog_get_count:
 *
 * Gets how often our code held the main loop for longer than a frame.
 *
 * Returns: the number
 */
guint
assay_watchdog_get_count (void)
{
  return count;
}

/**
 * assay_watchdog_get_worst:
 *
 * Gets the longest stretch, in microseconds.
 *
 * Returns: the time
 */
gint64
assay_watchdog_get_worst (void)
{
  return worst_us;
}
