/* assay-session-recover.c
 * SPDX-License-Identifier: Apache-2.0
 *
 * Keeping what is not saved, and opening what was left behind.
 */
#include "session/assay-session-private.h"

/* Rows of a comparison that are kept for recovery. */
#define MAX_KEPT_ROWS 500

/* Later than what is typed, earlier than anybody could be sorry. */
#define KEEP_MS 400

/* Where one looks, and against what, is quickly found again; the rest is work. */
static gboolean
is_worth_keeping (AssaySession *self)
{
  const AssayEdits *edits = assay_session_fill_edits (self);

  return self->state == ASSAY_SESSION_READY && assay_history_get_modified (self->history) &&
         (assay_edits_get_fixes (edits)->len > 0 || assay_edits_n_notes (edits) > 0 ||
          !assay_settings_is_default (self->setup));
}

static gboolean
keep_cb (gpointer data)
{
  AssaySession *self = data;

  self->keep_timeout = 0;
  if (is_worth_keeping (self))
    {
      /* This happens after each change, in the main loop: a large comparison can be made again. */
      g_autoptr (AssaySessionFile)
          file = assay_session_capture_state (self, self->view, MAX_KEPT_ROWS);

      assay_recovery_keep (self->recovery, file);
      self->is_kept = TRUE;
    }
  else if (self->is_kept)
    {
      assay_recovery_forget (self->recovery);
      self->is_kept = FALSE;
    }

  return G_SOURCE_REMOVE;
}

static void
queue_keep (AssaySession *self)
{
  if (self->recovery != NULL && self->keep_timeout == 0)
    self->keep_timeout = g_timeout_add (KEEP_MS, keep_cb, self);
}

/**
 * assay_session_set_recovery:
 * @self: a session
 * @folder: (nullable): where to keep it; %NULL for the state folder of the user
 *
 * Keeps on disk from now on what is not saved, a moment after each change, until the session is
 * saved or ends.
 */
void
assay_session_set_recovery (AssaySession *self, const char *folder)
{
  g_return_if_fail (ASSAY_IS_SESSION (self));

  if (self->recovery != NULL)
    return;

  self->recovery = assay_recovery_new (folder);
  g_signal_connect_object (self->history, "notify::modified", G_CALLBACK (queue_keep), self,
                           G_CONNECT_SWAPPED);
}

/**
 * assay_session_recover:
 * @self: a session with a recovery
 * @path: a file that was left behind, of assay_recovery_list()
 *
 * Opens what was left behind by a program that ended suddenly. It is not saved yet.
 */
void
assay_session_recover (AssaySession *self, const char *path)
{
  g_autofree char *kept = NULL;

  g_return_if_fail (ASSAY_IS_SESSION (self));

  if (self->recovery != NULL && assay_recovery_adopt (self->recovery, path))
    {
      kept = g_strdup (assay_recovery_get_path (self->recovery));
      self->is_kept = TRUE;
    }
  assay_session_open_async (self, kept != NULL ? kept : path, NULL, NULL, NULL);
  self->recovering = TRUE;
}
