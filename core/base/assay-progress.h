/* assay-progress.h
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include <gio/gio.h>

G_BEGIN_DECLS

/**
 * AssayProgressFunc:
 * @fraction: 0 to 1, or below 0 if unknown
 * @message: (nullable): what is being done
 * @user_data: the data given with the function
 *
 * Told about the progress of long work, from the thread that does the work.
 */
typedef void (*AssayProgressFunc) (double fraction, const char *message, gpointer user_data);

/**
 * AssayProgress:
 *
 * A progress sink and a cancellable, handed down by value of pointer to everything that may take
 * long.
 */
typedef struct
{
  AssayProgressFunc func;
  gpointer user_data;
  GCancellable *cancellable;
  double begin;
  double end;
} AssayProgress;

#define ASSAY_PROGRESS_INIT(func, data, cancellable)                                               \
  {                                                                                                \
    (func), (data), (cancellable), 0.0, 1.0                                                        \
  }

void assay_progress_report (const AssayProgress *self, double fraction, const char *message);
gboolean assay_progress_check (const AssayProgress *self, GError **error);
gboolean assay_progress_is_cancelled (const AssayProgress *self);
AssayProgress assay_progress_part (const AssayProgress *self, double begin, double end);

G_END_DECLS
