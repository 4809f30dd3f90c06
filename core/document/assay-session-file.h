/* assay-session-file.h
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include <json-glib/json-glib.h>

#include "run/assay-comparison.h"
#include "document/assay-edits.h"
#include "document/assay-input-choice.h"
#include "document/assay-file-stamp.h"
#include "document/assay-view-state.h"

G_BEGIN_DECLS

#define ASSAY_SESSION_SCHEMA "assay.session/1"
#define ASSAY_SESSION_SUFFIX ".assay"

/**
 * AssaySessionFile:
 * @model: path of the model
 * @stamp: what its file was like
 * @data: (element-type AssayFileStamp): what its external data was like
 * @session: (nullable): of what was kept for recovery: the session file that it belongs to
 * @edits: what the user decided
 * @runner: (nullable): what the program runs on
 * @board: (nullable): where it is deployed to
 * @sides: (nullable) (array fixed-size=2): the two runners that are compared
 * @inputs: (nullable): what goes into runs
 * @comparison: (nullable): the last comparison
 * @view: where one looks
 * @trust_key: (nullable): what users are asked about; %NULL for one that was not read
 * @is_trusted: whether it may start the programs that its runners name
 * @unknown: members that this version does not know
 *
 * What a `.assay` file says, format `assay.session/1` (docs/session-file.md). The model itself
 * stays in its own file.
 */
typedef struct
{
  char *model;
  AssayFileStamp stamp;
  GPtrArray *data;
  char *session;
  AssayEdits *edits;
  char *runner;
  char *board;
  char *sides[2];
  AssayInputChoice *inputs;
  AssayComparison *comparison;
  AssayViewState *view;
  char *trust_key;
  gboolean is_trusted;
  GPtrArray *unknown;
} AssaySessionFile;

#define ASSAY_TYPE_SESSION_FILE (assay_session_file_get_type ())

GType assay_session_file_get_type (void) G_GNUC_CONST;
AssaySessionFile *assay_session_file_new (void) G_GNUC_WARN_UNUSED_RESULT;
AssaySessionFile *assay_session_file_ref (AssaySessionFile *self);
void assay_session_file_unref (AssaySessionFile *self);
AssaySessionFile *assay_session_file_load (const char *path, AssayFindings *findings,
                                           GError **error) G_GNUC_WARN_UNUSED_RESULT;
AssaySessionFile *assay_session_file_parse (GBytes *bytes, const char *path,
                                            AssayFindings *findings,
                                            GError **error) G_GNUC_WARN_UNUSED_RESULT;
char *assay_session_file_print (AssaySessionFile *self, const char *path,
                                gsize *length) G_GNUC_WARN_UNUSED_RESULT;
gboolean assay_session_file_save (AssaySessionFile *self, const char *path, GError **error);
gboolean assay_session_file_take_stamp (AssaySessionFile *self, const AssayProgress *progress,
                                        GError **error);
gboolean assay_session_file_same_model (AssaySessionFile *self, const char *path,
                                        const AssayProgress *progress, gboolean *same,
                                        GError **error);
gboolean assay_session_file_names_program (const AssaySessionFile *self);
gboolean assay_session_file_has_suffix (const char *path);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (AssaySessionFile, assay_session_file_unref)

G_END_DECLS
