/* fuzz-board.c
 * SPDX-License-Identifier: Apache-2.0
 */
#include <string.h>

#include "run/assay-board-agent.h"

#include "fuzz.h"

typedef struct
{
  const uint8_t *data;
  size_t size;
  size_t written;
} Stream;

static gboolean
read_stream (gpointer              stream,
             gpointer              data,
             gsize                 n,
             gsize                *n_read,
             const AssayProgress  *progress,
             GError              **error)
{
  Stream *self = stream;
  gsize there = MIN (n, self->size);

  memcpy (data, self->data, there);
  self->data += there;
  self->size -= there;
  if (n_read != NULL)
    *n_read = there;
  else if (there < n)
    g_set_error_literal (error, G_IO_ERROR, G_IO_ERROR_FAILED, "cut off");

  return there == n || n_read != NULL;
}

static gboolean
write_stream (gpointer              stream,
              gconstpointer         data,
              gsize                 n,
              const AssayProgress  *progress,
              GError              **error)
{
  ((Stream *) stream)->written += n;

  return TRUE;
}

/* Whatever a client says, the agent ends: well if it was let go, else with a reason that it has told the client. */
int
LLVMFuzzerTestOneInput (const uint8_t *data,
                        size_t         size)
{
  Stream stream = { data, size, 0 };
  const AssayFrameChannel channel = { read_stream, write_stream, &stream };
  g_autoptr (GError) error = NULL;
  gboolean well = assay_board_agent_serve (&channel, NULL, &error);

  g_assert (well == (error == NULL));
  g_assert (well || stream.written > 0);

  return 0;
}
