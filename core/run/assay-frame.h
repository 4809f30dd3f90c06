/* assay-frame.h
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include "base/assay-progress.h"
#include "board.pb-c.h"

G_BEGIN_DECLS

#define ASSAY_FRAME_PREFIX 8
#define ASSAY_FRAME_PROTOCOL 1

/* Longest message, and most bytes of a program or of values in one. */
#define ASSAY_FRAME_LONGEST (4 << 20)
#define ASSAY_FRAME_CHUNK (1 << 20)

/**
 * AssayFrameChannel:
 * @read: reads bytes; with @n_read the end of the stream is no error
 * @write: writes all bytes
 * @stream: handed to both
 *
 * A pair of byte streams.
 */
typedef struct
{
  gboolean (*read) (gpointer stream, gpointer data, gsize n, gsize *n_read,
                    const AssayProgress *progress, GError **error);
  gboolean (*write) (gpointer stream, gconstpointer data, gsize n, const AssayProgress *progress,
                     GError **error);
  gpointer stream;
} AssayFrameChannel;

typedef Assay__Board__Frame AssayFrame;

GBytes *assay_frame_pack (const AssayFrame *frame) G_GNUC_WARN_UNUSED_RESULT;
gboolean assay_frame_header (const guint8 *header, gsize *length, GError **error);
AssayFrame *assay_frame_unpack (const guint8 *data, gsize length,
                                GError **error) G_GNUC_WARN_UNUSED_RESULT;
void assay_frame_free (AssayFrame *frame);
gboolean assay_frame_send (const AssayFrameChannel *channel, const AssayFrame *frame,
                           const AssayProgress *progress, GError **error);
AssayFrame *assay_frame_receive (const AssayFrameChannel *channel, gboolean *at_end,
                                 const AssayProgress *progress,
                                 GError **error) G_GNUC_WARN_UNUSED_RESULT;
char *assay_frame_text (const char *text) G_GNUC_WARN_UNUSED_RESULT;

G_DEFINE_AUTOPTR_CLEANUP_FUNC (AssayFrame, assay_frame_free)

G_END_DECLS
