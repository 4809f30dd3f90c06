/* assay-starved.h
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

/**
 * AssayStarved:
 * @waited: microseconds that a process was ready to run and could not, because others had the
 * processors; one that waits now has not told yet
 * @ran: microseconds on processors
 * @is_ready: whether it runs, or waits for a processor
 *
 * What the kernel tells of a process and of all that it has started. Of what waited the thread
 * counts that waited longest: so nothing can have waited longer than it was there.
 */
typedef struct
{
  gint64 waited;
  gint64 ran;
  gboolean is_ready;
} AssayStarved;

AssayStarved assay_starved (GPid pid);

G_END_DECLS
