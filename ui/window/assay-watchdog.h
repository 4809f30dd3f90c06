/* assay-watchdog.h
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

/**
 * AssayWatch:
 *
 * One stretch of our code in the main loop. Longer than a frame it is counted and logged, in Devel
 * builds.
 */
typedef struct
{
  const char *name;
  gint64 start;
} AssayWatch;

AssayWatch assay_watch_begin (const char *name);
void assay_watch_end (AssayWatch *self);
guint assay_watchdog_get_count (void);
gint64 assay_watchdog_get_worst (void);

G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (AssayWatch, assay_watch_end)

#ifdef ASSAY_DEVEL
#define ASSAY_WATCH(name) G_GNUC_UNUSED g_auto (AssayWatch) assay_watch_ = assay_watch_begin (name)
#else
#define ASSAY_WATCH(name)                                                                          \
  G_STMT_START                                                                                     \
  {                                                                                                \
  }                                                                                                \
  G_STMT_END
#endif

G_END_DECLS
