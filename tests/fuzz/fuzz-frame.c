/* fuzz-frame.c
 * SPDX-License-Identifier: Apache-2.0
 */
#include <string.h>

#include "run/board/assay-board-agent.h"

#include "../core/fixture/memory-channel.h"
#include "fuzz.h"

#define HEADER 8
#define DIGEST 32

/* Puts the right digest on every program that a conversation puts: with wrong ones all that could
 * be tried is how they are refused. */
static GByteArray *
mend (const uint8_t *data, size_t size)
{
  g_autoptr (GPtrArray) frames = g_ptr_array_new_with_free_func ((GDestroyNotify) assay_frame_free);
  GByteArray *mended = g_byte_array_new ();
  AssayFrame *put = NULL;
  g_autoptr (GChecksum) sum = g_checksum_new (G_CHECKSUM_SHA256);
  gsize length, program = 0;

  while (size >= HEADER && assay_frame_header (data, &length, NULL) && length <= size - HEADER)
    {
      AssayFrame *frame = assay_frame_unpack (data + HEADER, length, NULL);

      data += HEADER + length;
      size -= HEADER + length;
      if (frame == NULL)
        break;
      g_ptr_array_add (frames, frame);
      if (frame->body_case == ASSAY__BOARD__FRAME__BODY_PUT)
        {
          put = frame;
          program = 0;
          g_checksum_reset (sum);
        }
      else if (frame->body_case == ASSAY__BOARD__FRAME__BODY_CHUNK && put != NULL)
        {
          g_checksum_update (sum, frame->chunk->data.data, (gssize) frame->chunk->data.len);
          program += frame->chunk->data.len;
        }
      else if (put != NULL)
        put = NULL;
      if (put != NULL && put->put->sha256.len == DIGEST)
        {
          g_autoptr (GChecksum) copy = g_checksum_copy (sum);
          gsize n = DIGEST;

          g_checksum_get_digest (copy, put->put->sha256.data, &n);
          put->put->size = program;
          put->put->has_size = TRUE;
        }
    }
  for (guint i = 0; i < frames->len; i++)
    {
      g_autoptr (GBytes) packed = assay_frame_pack (frames->pdata[i]);

      g_byte_array_append (mended, g_bytes_get_data (packed, NULL),
                           (guint) g_bytes_get_size (packed));
    }
  g_byte_array_append (mended, data, (guint) size);

  return mended;
}

/* A conversation whose programs have the digests that they were put with: the agent ends well, or
 * with a reason that it has told the client. */
FUZZ_TARGET (frame)
{
  g_autoptr (GByteArray) mended = mend (data, size);
  MemoryChannel stream = { mended->data, mended->len, NULL, 0 };
  const AssayFrameChannel channel = { memory_channel_read, memory_channel_write, &stream };
  g_autoptr (GError) error = NULL;
  gboolean well = assay_board_agent_serve (&channel, NULL, &error);

  g_assert (well == (error == NULL));
  g_assert (well || stream.n_written > 0);
  fuzz_n_taken += well;

  return 0;
}
