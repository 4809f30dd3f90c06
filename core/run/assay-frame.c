/* assay-frame.c
 * SPDX-License-Identifier: Apache-2.0
 *
 * Messages of data/proto/board.proto on a byte stream. Lengths are bounded before anything is
 * allocated, and a message is looked at only once it has come whole.
 */
#include "run/assay-frame.h"

#include <string.h>

#include "base/assay-error.h"
#include "base/assay-sentence.h"

static const guint8 magic[4] = { 'A', 'B', 'F', '1' };

/* Most entries of a list, which a short message could make long; and most bytes of a text that is
 * shown. */
#define MOST_LATENCIES 65536
#define LONGEST_TEXT 2000

/**
 * assay_frame_pack:
 * @frame: a message
 *
 * Writes a message with its header.
 *
 * Returns: (transfer full): the bytes
 */
GBytes *
assay_frame_pack (const AssayFrame *frame)
{
  gsize length = assay__board__frame__get_packed_size (frame);
  guint8 *data = g_malloc (ASSAY_FRAME_PREFIX + length);

  memcpy (data, magic, sizeof magic);
  for (guint i = 0; i < 4; i++)
    data[4 + i] = (guint8) (length >> (8 * i));
  assay__board__frame__pack (frame, data + ASSAY_FRAME_PREFIX);

  return g_bytes_new_take (data, ASSAY_FRAME_PREFIX + length);
}

/**
 * assay_frame_header:
 * @header: (array fixed-size=8): the first bytes of a frame
 * @length: (out): bytes of the message that follows
 * @error: return location for a #GError
 *
 * Reads a header.
 *
 * Returns: whether it is one, and of a message that is not too long
 */
gboolean
assay_frame_header (const guint8 *header, gsize *length, GError **error)
{
  if (memcmp (header, magic, sizeof magic) != 0)
    {
      g_autofree char *start = g_strndup ((const char *) header, ASSAY_FRAME_PREFIX);
      g_autofree char *text = assay_frame_text (start);

      g_set_error (error, ASSAY_ERROR, ASSAY_ERROR_DEVICE,
                   "Expected a message of the board protocol, got `%s...`", text);
      return FALSE;
    }

  *length = 0;
  for (guint i = 0; i < 4; i++)
    *length |= (gsize) header[4 + i] << (8 * i);
  if (*length <= ASSAY_FRAME_LONGEST)
    return TRUE;

  g_set_error (error, ASSAY_ERROR, ASSAY_ERROR_DEVICE,
               "A message of %" G_GSIZE_FORMAT " byte%s, at most %d are taken", *length,
               assay_plural (*length), ASSAY_FRAME_LONGEST);
  return FALSE;
}

/**
 * assay_frame_unpack:
 * @data: (array length=length): a message without its header
 * @length: how many bytes
 * @error: return location for a #GError
 *
 * Reads a message, and checks what holds for every one of its kind.
 *
 * Returns: (transfer full) (nullable): the message
 */
AssayFrame *
assay_frame_unpack (const guint8 *data, gsize length, GError **error)
{
  g_autoptr (AssayFrame) frame = assay__board__frame__unpack (NULL, length, data);
  gboolean good = frame != NULL && frame->body_case != ASSAY__BOARD__FRAME__BODY__NOT_SET;

  if (good && frame->body_case == ASSAY__BOARD__FRAME__BODY_VALUES)
    good = frame->values->data.len % sizeof (float) == 0 &&
           frame->values->data.len <= ASSAY_FRAME_CHUNK;
  if (good && frame->body_case == ASSAY__BOARD__FRAME__BODY_FINISHED)
    good = frame->finished->n_latencies <= MOST_LATENCIES;
  if (good)
    return g_steal_pointer (&frame);

  g_set_error (error, ASSAY_ERROR, ASSAY_ERROR_DEVICE,
               "A message of %" G_GSIZE_FORMAT " byte%s that is none of the "
               "protocol's",
               length, assay_plural (length));
  return NULL;
}

void
assay_frame_free (AssayFrame *frame)
{
  if (frame != NULL)
    assay__board__frame__free_unpacked (frame, NULL);
}

/**
 * assay_frame_send:
 * @channel: where to
 * @frame: a message
 * @progress: (nullable): cancel
 * @error: return location for a #GError
 *
 * Sends a message.
 *
 * Returns: whether it went out
 */
gboolean
assay_frame_send (const AssayFrameChannel *channel, const AssayFrame *frame,
                  const AssayProgress *progress, GError **error)
{
  g_autoptr (GBytes) bytes = assay_frame_pack (frame);
  gsize n;
  gconstpointer data = g_bytes_get_data (bytes, &n);

  return channel->write (channel->stream, data, n, progress, error);
}

/**
 * assay_frame_receive:
 * @channel: where from
 * @at_end: (out) (optional): whether the stream ended between two messages; without it that is an
 * error
 * @progress: (nullable): cancel
 * @error: return location for a #GError
 *
 * Waits for the next message.
 *
 * Returns: (transfer full) (nullable): the message
 */
AssayFrame *
assay_frame_receive (const AssayFrameChannel *channel, gboolean *at_end,
                     const AssayProgress *progress, GError **error)
{
  guint8 header[ASSAY_FRAME_PREFIX] = { 0 };
  g_autofree guint8 *data = NULL;
  gsize n_read, length;

  if (at_end != NULL)
    *at_end = FALSE;
  if (!channel->read (channel->stream, header, sizeof header, &n_read, progress, error))
    return NULL;
  if (n_read == 0 && at_end != NULL)
    {
      *at_end = TRUE;
      return NULL;
    }
  if (n_read == 0)
    {
      g_set_error_literal (error, ASSAY_ERROR, ASSAY_ERROR_DEVICE, "The connection has ended");
      return NULL;
    }
  if (!assay_frame_header (header, &length, error))
    return NULL;

  data = g_malloc (length + 1);
  if (!channel->read (channel->stream, data, length, NULL, progress, error))
    return NULL;

  return assay_frame_unpack (data, length, error);
}

/**
 * assay_frame_text:
 * @text: (nullable): a text from the other side
 *
 * Makes a text fit to be shown: valid UTF-8, one line, not endless.
 *
 * Returns: (transfer full): the text
 */
char *
assay_frame_text (const char *text)
{
  g_autofree char *cut = g_strndup (text != NULL ? text : "", LONGEST_TEXT);
  char *valid = g_utf8_make_valid (cut, -1);

  for (char *c = valid; *c != '\0'; c++)
    {
      if (g_ascii_iscntrl (*c))
        *c = ' ';
    }

  return g_strstrip (valid);
}
