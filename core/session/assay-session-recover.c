/* assay-session-recover.c
 * SPDX-License-Identifier: Apache-2.0
 *
 * Keeping what is not saved, and opening what was left behind.
 */
#include "session/assay-session-private.h"

/* Rows of a comparison that are kept for recovery. */
#define MAX_KEPT_ROWS 500

/* Where one looks, and against what, is quickly found again; the rest is work. */
static gboolean
is_worth_keeping (AssaySession *self)
{
  const AssayEdits *edits = assay_session_get_edits (self);

  return self->state == ASSAY_SESSION_READY &&
         assay_history_get_modified (assay_document_get_history (self->document)) &&
         (assay_edits_get_fixes (edits)->len > 0 || assay_edits_n_notes (edits) > 0 ||
          !assay_settings_is_default (assay_edits_get_setup (edits)));
}

/* This happens after each change, in the main loop: a large comparison can be made again. */
static AssaySessionFile *
capture_cb (gpointer data)
{
  AssaySession *self = data;

  return is_worth_keeping (self)
             ? assay_session_capture_state (self, assay_document_get_view (self->document),
                                            MAX_KEPT_ROWS)
             : NULL;
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

  assay_document_set_recovery (self->document, folder, capture_cb, self);
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

  kept = assay_document_adopt (self->document, path);
  assay_session_open_async (self, kept, NULL, NULL, NULL);
  assay_document_set_left (self->document);
}
