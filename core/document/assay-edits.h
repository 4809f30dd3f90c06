/* assay-edits.h
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include "document/assay-model-inputs.h"
#include "fix/assay-fix.h"

G_BEGIN_DECLS

/**
 * AssayEdits:
 *
 * Everything that a user decided about a model: fixes, setup, target with its changed depths,
 * tolerances, pins with their notes. This is what undo steps through and what a session file keeps;
 * where one looks is not in it.
 */
typedef struct _AssayEdits AssayEdits;

#define ASSAY_TYPE_EDITS (assay_edits_get_type ())

GType assay_edits_get_type (void) G_GNUC_CONST;
AssayEdits *assay_edits_new (const char *target_id) G_GNUC_WARN_UNUSED_RESULT;
AssayEdits *assay_edits_copy (const AssayEdits *self) G_GNUC_WARN_UNUSED_RESULT;
void assay_edits_free (AssayEdits *self);
gboolean assay_edits_equal (const AssayEdits *a, const AssayEdits *b);
gboolean assay_edits_same_notes (const AssayEdits *a, const AssayEdits *b);
char *assay_edits_describe_change (const AssayEdits *before,
                                   const AssayEdits *after) G_GNUC_WARN_UNUSED_RESULT;
AssaySettings *assay_edits_get_setup (const AssayEdits *self);
void assay_edits_set_setup (AssayEdits *self, AssaySettings *setup);
const char *assay_edits_get_target_id (const AssayEdits *self);
void assay_edits_set_target_id (AssayEdits *self, const char *target_id);
const char *assay_edits_get_tolerance (const AssayEdits *self);
void assay_edits_set_tolerance (AssayEdits *self, const char *path);
GPtrArray *assay_edits_get_fixes (const AssayEdits *self);
void assay_edits_set_fixes (AssayEdits *self, GPtrArray *fixes);
gboolean assay_edits_same_fixes (const AssayEdits *a, const AssayEdits *b);
guint assay_edits_n_notes (const AssayEdits *self);
char **assay_edits_list_notes (const AssayEdits *self) G_GNUC_WARN_UNUSED_RESULT;
const char *assay_edits_get_note (const AssayEdits *self, const char *node);
void assay_edits_set_note (AssayEdits *self, const char *node, const char *note);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (AssayEdits, assay_edits_free)

G_END_DECLS
