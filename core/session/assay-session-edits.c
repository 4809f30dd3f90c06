/* assay-session-edits.c
 * SPDX-License-Identifier: Apache-2.0
 *
 * What the user decided, and taking it back.
 */
#include "session/assay-session-private.h"

AssayEdits *
assay_session_get_edits (AssaySession *self)
{
  return assay_document_get_edits (self->document);
}

/* Another model, or none: nothing of the one before can be taken back; target and tolerances stay.
 * The setup is a new one unless one is given. */
void
assay_session_reset_edits (AssaySession *self, AssaySettings *setup)
{
  const AssayEdits *last = assay_session_get_edits (self);
  AssayEdits *edits = assay_edits_new (assay_edits_get_target_id (last));
  g_autoptr (AssayEdits) before = NULL;

  assay_edits_set_tolerance (edits, assay_edits_get_tolerance (last));
  if (setup != NULL)
    assay_edits_set_setup (edits, setup);
  before = assay_document_take_edits (self->document, edits);
  if (assay_edits_n_notes (before) > 0)
    g_object_notify (G_OBJECT (self), "pins");
  assay_document_start_history (self->document);
}

void
assay_session_note_edit (AssaySession *self)
{
  if (self->restoring || self->state == ASSAY_SESSION_LOADING)
    return;

  assay_document_record (self->document);
  assay_preview_end (self->preview);
}

void
assay_session_follow_edits (AssaySession *self)
{
  g_signal_connect_object (self->comparing, "notify::setting", G_CALLBACK (assay_session_note_edit),
                           self, G_CONNECT_SWAPPED);
}

/* All at once, so that it is checked once. */
void
assay_session_take_edits (AssaySession *self, const AssayEdits *edits)
{
  g_autoptr (AssayEdits) before = NULL;
  gboolean setup, target;

  self->restoring = TRUE;
  g_object_freeze_notify (G_OBJECT (self));
  assay_trial_keep (self->trial);
  assay_preview_end (self->preview);
  assay_compare_activity_set_tolerance (self->comparing, assay_edits_get_tolerance (edits));
  before = assay_document_take_edits (self->document, assay_edits_copy (edits));
  setup = !assay_settings_equal (assay_edits_get_setup (before), assay_edits_get_setup (edits));
  target = g_strcmp0 (assay_edits_get_target_id (before), assay_edits_get_target_id (edits)) != 0;
  if (setup)
    g_object_notify (G_OBJECT (self), "setup");
  if (target)
    g_object_notify (G_OBJECT (self), "target-id");
  if (!assay_edits_same_notes (before, edits))
    g_object_notify (G_OBJECT (self), "pins");
  g_object_thaw_notify (G_OBJECT (self));
  self->restoring = FALSE;

  if ((setup || target || !assay_edits_same_fixes (before, edits)) &&
      self->state == ASSAY_SESSION_READY)
    assay_session_start_work (self, ASSAY_WORK_CHECK);
}

/* The graph has the fixes that the worker could apply, and those are the ones there are. */
void
assay_session_take_fixes (AssaySession *self, AssaySessionWork *work)
{
  gboolean dropped = work->fixes != assay_document_get_fixes (self->document);

  g_clear_pointer (&self->applied, g_ptr_array_unref);
  self->applied = g_ptr_array_ref (work->fixes);
  if (!dropped)
    return;

  assay_edits_set_fixes (assay_session_get_edits (self), work->fixes);
  assay_history_replace (assay_document_get_history (self->document),
                         assay_session_get_edits (self));
}

static gpointer
copy_fix (gconstpointer fix, gpointer data)
{
  return assay_fix_copy (fix);
}

/* What the edits are with these fixes: of the nodes of the model, or of setup and target options.
 */
AssayEdits *
assay_session_make_edits (AssaySession *self, GPtrArray *fixes)
{
  g_autoptr (AssaySettings) setup = NULL;
  g_autoptr (GPtrArray) nodes = NULL;
  AssayEdits *edits;

  edits = assay_edits_copy (assay_session_get_edits (self));
  setup = assay_settings_ref (assay_session_get_setup (self));
  nodes = g_ptr_array_copy (assay_edits_get_fixes (edits), copy_fix, NULL);
  g_ptr_array_set_free_func (nodes, (GDestroyNotify) assay_fix_free);
  for (guint i = 0; i < fixes->len; i++)
    if (!assay_fix_change_settings (g_ptr_array_index (fixes, i),
                                    assay_work_get_graph (self->source, NULL, NULL), &setup))
      g_ptr_array_add (nodes, assay_fix_copy (g_ptr_array_index (fixes, i)));

  assay_edits_set_setup (edits, setup);
  if (nodes->len > assay_edits_get_fixes (edits)->len)
    assay_edits_set_fixes (edits, nodes);

  return edits;
}

/**
 * assay_session_apply_fixes:
 * @self: a session with a model
 * @fixes: (element-type AssayFix): what to do, in this order, as an offer lists it
 *
 * Applies fixes: to the nodes of the model, or to setup and target options. Nothing is written; all
 * of it is one change that can be undone.
 */
void
assay_session_apply_fixes (AssaySession *self, GPtrArray *fixes)
{
  g_autoptr (AssayEdits) edits = NULL;

  g_return_if_fail (ASSAY_IS_SESSION (self));
  g_return_if_fail (self->state == ASSAY_SESSION_READY);

  edits = assay_session_make_edits (self, fixes);
  assay_session_take_edits (self, edits);
  assay_session_note_edit (self);
}

/**
 * assay_session_undo:
 * @self: a session
 *
 * Takes the last change of setup, target, tolerances, notes or pins back.
 */
void
assay_session_undo (AssaySession *self)
{
  const AssayEdits *edits;

  g_return_if_fail (ASSAY_IS_SESSION (self));

  edits = assay_history_undo (assay_document_get_history (self->document));
  if (edits != NULL)
    assay_session_take_edits (self, edits);
}

/**
 * assay_session_redo:
 * @self: a session
 *
 * Makes the change again that was undone last.
 */
void
assay_session_redo (AssaySession *self)
{
  const AssayEdits *edits;

  g_return_if_fail (ASSAY_IS_SESSION (self));

  edits = assay_history_redo (assay_document_get_history (self->document));
  if (edits != NULL)
    assay_session_take_edits (self, edits);
}
