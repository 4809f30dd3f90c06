/* assay-calendar.h
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

/**
 * AssayCalendar:
 *
 * Which cycles of a port are taken. Who comes later in the program may come earlier in time, so
 * what is free is found by cycle rather than behind the last one taken.
 */
typedef struct
{
  /*< private >*/
  guint64 *words;
  gsize n_words;
} AssayCalendar;

guint32 assay_calendar_take (AssayCalendar *self, guint32 earliest);
void assay_calendar_clear (AssayCalendar *self);

G_END_DECLS
