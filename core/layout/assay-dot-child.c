/* assay-dot-child.c
 * SPDX-License-Identifier: Apache-2.0
 */
#include "layout/assay-dot-child.h"

#include "base/assay-error.h"
#include "layout/assay-dot-answer.h"
#include "process/assay-child.h"
#include "process/assay-helper.h"

#define PROGRAM "assay-layout-helper"

struct _AssayDotChild
{
  char *path;
  guint memory_mib;
  guint seconds;
  AssayChild *child;
  gboolean at_end; /* its output ended before its answers did */
};

/**
 * assay_dot_child_new:
 * @path: (nullable): the helper, or %NULL for the one that belongs to this program
 * @memory_mib: how much memory it may take, in MiB
 * @seconds: how long it may take for one block
 *
 * Makes a helper that is not started yet.
 *
 * Returns: (transfer full): the helper
 */
AssayDotChild *
assay_dot_child_new (const char *path, guint memory_mib, guint seconds)
{
  AssayDotChild *self = g_new0 (AssayDotChild, 1);

  self->path = g_strdup (path);
  self->memory_mib = memory_mib;
  self->seconds = seconds;

  return self;
}

void
assay_dot_child_free (AssayDotChild *self)
{
  if (self == NULL)
    return;

  assay_child_free (self->child);
  g_free (self->path);
  g_free (self);
}

static gboolean
start (AssayDotChild *self, GError **error)
{
  g_autofree char *memory = g_strdup_printf ("%u", self->memory_mib);

  if (self->child != NULL)
    return TRUE;
  if (self->path == NULL)
    self->path = assay_helper_find (PROGRAM, error);
  if (self->path == NULL)
    return FALSE;
  self->at_end = FALSE;
  self->child = assay_child_new ((const char *const[]){ self->path, memory, NULL }, error);

  return self->child != NULL;
}

/**
 * assay_dot_child_stop:
 * @self: a helper
 *
 * Ends the helper, if it runs; the next blocks start it again.
 */
void
assay_dot_child_stop (AssayDotChild *self)
{
  g_clear_pointer (&self->child, assay_child_free);
}

/**
 * assay_dot_child_can_start:
 * @self: a helper
 *
 * Starts the helper if it does not run.
 *
 * Returns: whether it runs
 */
gboolean
assay_dot_child_can_start (AssayDotChild *self)
{
  return start (self, NULL);
}

static gboolean
send_blocks (AssayDotChild *self, GBytes **blocks, guint n_blocks, const AssayProgress *progress,
             GError **error)
{
  g_autoptr (GByteArray) bytes = g_byte_array_new ();

  for (guint i = 0; i < n_blocks; i++)
    {
      gsize size;
      const guint8 *data = g_bytes_get_data (blocks[i], &size);
      AssayDotHead head = { .index = i, .n_words = (guint32) (size / sizeof (guint32)) };

      g_byte_array_append (bytes, (const guint8 *) &head, sizeof head);
      g_byte_array_append (bytes, data, (guint) size);
    }
  assay_child_set_deadline (self->child, self->seconds);

  return assay_child_write (self->child, bytes->data, bytes->len, progress, error);
}

static gboolean
read_all (gpointer stream, gpointer data, gsize size, const AssayProgress *progress, GError **error)
{
  AssayDotChild *self = stream;
  gsize got;

  if (!assay_child_read (self->child, data, size, &got, progress, error))
    return FALSE;
  if (got == size)
    return TRUE;

  self->at_end = TRUE;
  g_set_error (error, ASSAY_ERROR, ASSAY_ERROR_DEVICE, "%s: ended in the middle of an answer",
               self->path);

  return FALSE;
}

static gboolean
read_answer (AssayDotChild *self, guint index, GBytes *block, GArray **places,
             const AssayProgress *progress, GError **error)
{
  const AssayDotStream stream = { read_all, self, self->path };

  assay_child_set_deadline (self->child, self->seconds);

  return assay_dot_answer_read (&stream, index, block, places, progress, error);
}

/* How it ended, if it did, is worth more than what could not be read from it. */
static void
give_up (AssayDotChild *self, GError **error)
{
  if (self->at_end && assay_child_end (self->child, NULL))
    {
      g_autofree char *ending = assay_child_dup_ending (self->child);

      g_clear_error (error);
      g_set_error (error, ASSAY_ERROR, ASSAY_ERROR_DEVICE, "%s: %s", self->path, ending);
    }
  g_clear_pointer (&self->child, assay_child_free);
}

/**
 * assay_dot_child_layout:
 * @self: a helper
 * @blocks: (array length=n_blocks): blocks, as assay_dot_block_write() makes them
 * @n_blocks: number of blocks; all answers together have to fit into a pipe
 * @places: (array length=n_blocks) (out caller-allocates): the places of their vertices in cells,
 * or %NULL for a block that dot could not lay out
 * @cancellable: (nullable): cancel
 * @error: return location for a #GError
 *
 * Has blocks laid out. If the helper ends, is too late or answers nonsense, it is killed.
 *
 * Returns: how many blocks were answered; if fewer than @n_blocks, @error tells what was wrong with
 * the next one
 */
guint
assay_dot_child_layout (AssayDotChild *self, GBytes **blocks, guint n_blocks, GArray **places,
                        GCancellable *cancellable, GError **error)
{
  AssayProgress progress = ASSAY_PROGRESS_INIT (NULL, NULL, cancellable);
  g_autoptr (GError) trouble = NULL;
  guint done = 0;

  if (start (self, &trouble) && send_blocks (self, blocks, n_blocks, &progress, &trouble))
    while (done < n_blocks &&
           read_answer (self, done, blocks[done], &places[done], &progress, &trouble))
      done++;

  if (trouble != NULL && self->child != NULL)
    give_up (self, &trouble);
  if (trouble != NULL)
    g_propagate_error (error, g_steal_pointer (&trouble));

  return done;
}
