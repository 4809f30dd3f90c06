/* assay-dot-answer.c
 * SPDX-License-Identifier: Apache-2.0
 */
#include "layout/assay-dot-answer.h"

#include "base/assay-error.h"

/**
 * assay_dot_answer_read:
 * @stream: where the answer comes from
 * @index: which of the blocks that were sent
 * @block: the block, as assay_dot_block_write() makes it
 * @places: (out) (nullable): gets the places of its vertices in cells, or %NULL if dot could not
 * lay it out
 * @progress: (nullable): cancel
 * @error: return location for a #GError
 *
 * Reads the answer to one block: as many places as it has vertices, none of them beyond reason.
 *
 * Returns: whether there was one
 */
gboolean
assay_dot_answer_read (const AssayDotStream *stream, guint index, GBytes *block, GArray **places,
                       const AssayProgress *progress, GError **error)
{
  AssayDotHead head;
  AssayDotBlock asked;
  gsize size;
  const void *data = g_bytes_get_data (block, &size);
  g_autoptr (GArray) x = g_array_new (FALSE, TRUE, sizeof (gint32));
  gboolean sound = assay_dot_block_read (&asked, data, size);

  *places = NULL;
  if (!stream->read (stream->stream, &head, sizeof head, progress, error))
    return FALSE;

  sound = sound && head.index == index && (head.n_words == 0 || head.n_words == asked.n_vertices);
  if (sound)
    {
      g_array_set_size (x, head.n_words);
      if (!stream->read (stream->stream, x->data, head.n_words * sizeof (gint32), progress, error))
        return FALSE;
    }
  for (guint i = 0; sound && i < x->len; i++)
    sound = ABS ((gint64) g_array_index (x, gint32, i)) <= ASSAY_DOT_MAX_CELL;
  if (!sound)
    {
      g_set_error (error, ASSAY_ERROR, ASSAY_ERROR_DEVICE,
                   "%s: the answer to block %u makes no sense", stream->name, index);
      return FALSE;
    }
  *places = head.n_words > 0 ? g_steal_pointer (&x) : NULL;

  return TRUE;
}
