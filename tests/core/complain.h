/* complain.h
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include <glib.h>

static inline void complain (const char *format, ...) G_GNUC_PRINTF (1, 2);

/* Goes on, so that one run shows all that is wrong. */
static inline void
complain (const char *format, ...)
{
  g_autofree char *message = NULL;
  va_list args;

  va_start (args, format);
  message = g_strdup_vprintf (format, args);
  va_end (args);
  g_test_message ("%s", message);
  g_test_fail ();
}
