/* memory-channel.h
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include <string.h>

#include "run/assay-frame.h"

/* A conversation in memory: what is read, and what was written if somebody wants it. */
typedef struct
{
  const guint8 *in;
  gsize size;
  GByteArray *out; /* nullable */
  gsize n_written;
} MemoryChannel;

static inline gboolean
memory_channel_read (gpointer stream, gpointer data, gsize n, gsize *n_read,
                     const AssayProgress *progress, GError **error)
{
  MemoryChannel *self = stream;
  gsize there = MIN (n, self->size);

  if (there > 0)
    {
      memcpy (data, self->in, there);
      self->in += there;
      self->size -= there;
    }
  if (n_read != NULL)
    *n_read = there;
  else if (there < n)
    g_set_error_literal (error, G_IO_ERROR, G_IO_ERROR_FAILED, "cut off");

  return there == n || n_read != NULL;
}

static inline gboolean
memory_channel_write (gpointer stream, gconstpointer data, gsize n, const AssayProgress *progress,
                      GError **error)
{
  MemoryChannel *self = stream;

  self->n_written += n;
  if (self->out != NULL)
    g_byte_array_append (self->out, data, (guint) n);

  return TRUE;
}
