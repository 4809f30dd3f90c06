/* assay-document.h
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include "document/assay-history.h"
#include "document/assay-recovery.h"

G_BEGIN_DECLS

/**
 * AssayDocumentChange:
 * @ASSAY_DOCUMENT_MODEL_CHANGED: the model file was written since it was read
 * @ASSAY_DOCUMENT_MODEL_GONE: the model file is not there any more
 * @ASSAY_DOCUMENT_TARGET_CHANGED: the target file was written since it was read
 * @ASSAY_DOCUMENT_TARGET_GONE: the target file is not there any more
 * @ASSAY_DOCUMENT_MODEL_OTHER: the model is not the one that the session file was saved with
 *
 * What became of the files behind a document.
 */
typedef enum
{
  ASSAY_DOCUMENT_MODEL_CHANGED = 1 << 0,
  ASSAY_DOCUMENT_MODEL_GONE = 1 << 1,
  ASSAY_DOCUMENT_TARGET_CHANGED = 1 << 2,
  ASSAY_DOCUMENT_TARGET_GONE = 1 << 3,
  ASSAY_DOCUMENT_MODEL_OTHER = 1 << 4,
} AssayDocumentChange;

/**
 * AssayDocument:
 *
 * What a window has open: a model, the session file it came from or was saved to, all that the user
 * decided about it with its history, and what became of the files since they were read. It knows no
 * verdict and runs no check.
 *
 * Properties: `path` (of the model), `file-path` (of the session file), `view` (where one looked
 * when that was saved), `changed-files` (bits of #AssayDocumentChange).
 */
#define ASSAY_TYPE_DOCUMENT (assay_document_get_type ())

G_DECLARE_FINAL_TYPE (AssayDocument, assay_document, ASSAY, DOCUMENT, GObject)

AssayDocument *assay_document_new (void) G_GNUC_WARN_UNUSED_RESULT;

void assay_document_open (AssayDocument *self, const char *path);
char *assay_document_adopt (AssayDocument *self, const char *path) G_GNUC_WARN_UNUSED_RESULT;
void assay_document_set_left (AssayDocument *self);
void assay_document_take_file (AssayDocument *self, AssaySessionFile *file, const char *path);
void assay_document_start_history (AssayDocument *self);
void assay_document_take_saved (AssayDocument *self, AssaySessionFile *file, const char *path);

const char *assay_document_get_path (AssayDocument *self);
char *assay_document_dup_name (AssayDocument *self) G_GNUC_WARN_UNUSED_RESULT;
const char *assay_document_get_opened_path (AssayDocument *self);
const char *assay_document_get_file_path (AssayDocument *self);
AssaySessionFile *assay_document_get_file (AssayDocument *self);
const AssayViewState *assay_document_get_view (AssayDocument *self);
const char *assay_document_get_located (AssayDocument *self);
void assay_document_set_located (AssayDocument *self, const char *path);

AssayEdits *assay_document_get_edits (AssayDocument *self);
AssayEdits *assay_document_take_edits (AssayDocument *self,
                                       AssayEdits *edits) G_GNUC_WARN_UNUSED_RESULT;
void assay_document_record (AssayDocument *self);
GPtrArray *assay_document_get_fixes (AssayDocument *self);
AssayHistory *assay_document_get_history (AssayDocument *self);

void assay_document_watch (AssayDocument *self, gboolean model, gboolean target);
void assay_document_watch_data (AssayDocument *self);
void assay_document_unwatch (AssayDocument *self);
void assay_document_note_change (AssayDocument *self, guint changed, guint cleared);
guint assay_document_get_changed_files (AssayDocument *self);
void assay_document_ignore_changed_files (AssayDocument *self);

void assay_document_set_recovery (AssayDocument *self, const char *folder,
                                  AssayRecoveryFunc capture, gpointer data);

G_END_DECLS
