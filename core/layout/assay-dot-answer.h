/* assay-dot-answer.h
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include "base/assay-progress.h"
#include "layout/assay-dot-block.h"

G_BEGIN_DECLS

/**
 * AssayDotStream:
 * @read: reads all of so many bytes
 * @stream: handed to it
 * @name: whose answers they are, for messages
 *
 * Where answers come from.
 */
typedef struct
{
  gboolean (*read) (gpointer stream, gpointer data, gsize n, const AssayProgress *progress,
                    GError **error);
  gpointer stream;
  const char *name;
} AssayDotStream;

gboolean assay_dot_answer_read (const AssayDotStream *stream, guint index, GBytes *block,
                                GArray **places, const AssayProgress *progress, GError **error);

G_END_DECLS
