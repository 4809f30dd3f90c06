/* assay-note-editor.h
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include <gtk/gtk.h>

#include "session/assay-session.h"

G_BEGIN_DECLS

/**
 * AssayNoteEditor:
 *
 * The note on the selected node, to be read and written, and its pin. What is typed is in the
 * session at once.
 */
#define ASSAY_TYPE_NOTE_EDITOR (assay_note_editor_get_type ())

G_DECLARE_FINAL_TYPE (AssayNoteEditor, assay_note_editor, ASSAY, NOTE_EDITOR, GtkWidget)

void assay_note_editor_set_session (AssayNoteEditor *self, AssaySession *session);
void assay_note_editor_present (AssayNoteEditor *self);

G_END_DECLS
