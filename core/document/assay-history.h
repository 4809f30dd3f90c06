/* assay-history.h
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include "document/assay-edits.h"

G_BEGIN_DECLS

/* As many changes can be undone. */
#define ASSAY_HISTORY_DEPTH 100

/**
 * AssayHistory:
 *
 * The changes that can be undone and redone: one state of all edits per change. Changes of the same
 * thing that follow each other at once, as while a number is being typed, are one.
 *
 * Properties: `undo-label` and `redo-label` (what would be undone or redone, %NULL if nothing),
 * `modified` (whether the edits are not those that were saved).
 */
#define ASSAY_TYPE_HISTORY (assay_history_get_type ())

G_DECLARE_FINAL_TYPE (AssayHistory, assay_history, ASSAY, HISTORY, GObject)

AssayHistory *assay_history_new (const AssayEdits *edits) G_GNUC_WARN_UNUSED_RESULT;
void assay_history_reset (AssayHistory *self, const AssayEdits *edits);
void assay_history_restore (AssayHistory *self, const AssayEdits *saved, const AssayEdits *edits);
void assay_history_replace (AssayHistory *self, const AssayEdits *edits);
void assay_history_record (AssayHistory *self, const AssayEdits *edits, gint64 time);
const AssayEdits *assay_history_undo (AssayHistory *self);
const AssayEdits *assay_history_redo (AssayHistory *self);
const AssayEdits *assay_history_get_edits (AssayHistory *self);
const char *assay_history_get_undo_label (AssayHistory *self);
const char *assay_history_get_redo_label (AssayHistory *self);
gboolean assay_history_get_modified (AssayHistory *self);
void assay_history_mark_saved (AssayHistory *self, const AssayEdits *edits);

G_END_DECLS
