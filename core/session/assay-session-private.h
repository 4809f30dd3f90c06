/* assay-session-private.h
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include "document/assay-model-build.h"
#include "session/analysis/assay-outcome.h"
#include "session/assay-session.h"

G_BEGIN_DECLS

/**
 * AssayWorkKind:
 * @ASSAY_WORK_OPEN: read a model
 * @ASSAY_WORK_RELOAD: read the open model and the target again, with what the user chose
 * @ASSAY_WORK_CHECK: check the open model
 *
 * What a worker has to do.
 */
typedef enum
{
  ASSAY_WORK_OPEN,
  ASSAY_WORK_RELOAD,
  ASSAY_WORK_CHECK,
} AssayWorkKind;

/**
 * AssaySessionWork:
 *
 * One request to a worker: what goes in, and what comes out. It belongs to the worker while that
 * runs.
 */
typedef struct
{
  /* in */
  AssayWorkKind kind;
  char *path;
  char *session_path; /* a session file to begin with */
  char *located;      /* the model of the session file, where the user found it */
  char *target_id;

  /* in and out; of the setup remains what a model that was read again knows, the others are read if
   * %NULL */
  AssaySettings *setup;
  AssayWork *source; /* as imported */
  char *python_key;  /* what may run of the file, and what in it is the model */
  char *python_name;
  char *python_folder; /* where it was written as text */
  char *python_text;
  GPtrArray *fixes; /* AssayFix; then only those that apply */
  AssayWork *model; /* with the fixes; then in front of the target */
  AssayFindings *findings;
  AssayTarget *target;

  /* out */
  AssayVerdicts *verdicts;
  AssayOutline *outline;
  GPtrArray *items;
  GPtrArray *dimensions;
  GPtrArray *inputs;
  AssayInputChoice *test_data; /* beside the model, NULL if there is none that fits */
  GError *check_error;
  GPtrArray *lost;        /* words about fixes that do not apply, or not to all of their nodes */
  gboolean policy_failed; /* check_error is about the policy file */
  gboolean target_failed; /* check_error is about the target file */
  AssaySessionFile *file;
  gboolean file_failed;   /* the session file cannot be used */
  gboolean model_missing; /* its model is not there */
} AssaySessionWork;

AssaySessionWork *assay_session_work_new (void) G_GNUC_WARN_UNUSED_RESULT;
void assay_session_work_free (AssaySessionWork *self);
gboolean assay_session_work_run (AssaySessionWork *self, const AssayProgress *progress,
                                 GError **error);

/**
 * AssaySessionPython:
 *
 * What the user said of a file that only PyTorch opens.
 */
typedef struct _AssaySessionPython AssaySessionPython;

/* Of a run, and of both sides of a comparison. */
#define ASSAY_SESSION_N_RUNNERS 3

struct _AssaySession
{
  GObject parent_instance;

  AssaySessionState state;
  AssayDocument *document;
  AssayProblem *problem;
  AssayProblem *check_problem;

  AssayJob *job;     /* of the newest request; an older one is abandoned */
  AssayJob *looking; /* whether the model is that of the session file */
  GListStore *jobs;
  GTask *opening;
  AssayCompilation *compilation;
  AssayWaysSearch *ways;
  AssayTrial *trial;
  AssayPreview *preview;
  AssayFixSearch *fix_search;
  AssayBaseline *baseline;
  AssayRun *run;
  AssayCompareActivity *comparing;
  AssayCauseSearch *causes; /* of @comparing, which ends it */
  AssayDeployActivity *deploying;
  AssayPassActivity *passes;
  AssayQualifyActivity *qualifying;
  AssayQuantizeActivity *quantizing;
  AssaySessionPython *python; /* NULL while there is none */
  char *python_folder;        /* of the text that a file of PyTorch was written as */
  char *text_path;            /* that text, NULL if the model is what was opened */
  AssayNodeTable *nodes;
  AssayJob *survey;

  AssayWork *source;  /* as imported */
  AssayWork *model;   /* with the fixes, in front of the target; threads take copies */
  AssayGraph *graph;  /* of the model */
  GPtrArray *applied; /* those that are in it */
  AssayFindings *findings;
  AssayVerdicts *verdicts;
  AssayOutline *outline;
  GListStore *items;

  AssayTarget *target;
  GListStore *targets;
  char *own_target;

  gboolean restoring;                      /* changes are not those of the user */
  char *withheld[ASSAY_SESSION_N_RUNNERS]; /* runners of the file that the user has not allowed */
  const char
      *displaced[ASSAY_SESSION_N_RUNNERS]; /* interned: what the session has in their place */
  gboolean view_waits;                     /* for the program */

  AssaySettings *imported_setup; /* what graph was read with */
  GPtrArray *dimensions;
  GPtrArray *inputs;

  AssayNodeId selection;
  AssayNodeId hover;
  guint filter;
  GArray *hits; /* guint32, what a search found */
  int finding;
  GByteArray *marks; /* AssayMark per node */
};

void assay_session_start_work (AssaySession *self, AssayWorkKind kind);

void assay_session_take_runners (AssaySession *self);
void assay_session_keep_runners (AssaySession *self, AssaySessionFile *file);
void assay_session_match_runners (AssaySession *self);
gboolean assay_session_work_export (AssaySessionWork *self, const AssayProgress *progress,
                                    GError **error);
void assay_session_clear_python (AssaySession *self);
void assay_session_clear_python_folder (AssaySession *self);
void assay_session_give_python (AssaySession *self, AssaySessionWork *work);
void assay_session_take_python (AssaySession *self, AssaySessionWork *work);
void assay_session_open_with_shapes (AssaySession *self, const char *path,
                                     const char *const *shapes);
char *assay_session_dup_source (AssaySession *self) G_GNUC_WARN_UNUSED_RESULT;
void assay_session_clear_withheld (AssaySession *self);

AssayEdits *assay_session_get_edits (AssaySession *self);
void assay_session_reset_edits (AssaySession *self, AssaySettings *setup);
void assay_session_note_edit (AssaySession *self);
void assay_session_follow_edits (AssaySession *self);
void assay_session_take_edits (AssaySession *self, const AssayEdits *edits);

void assay_session_take_fixes (AssaySession *self, AssaySessionWork *work);

void assay_session_take_file (AssaySession *self, AssaySessionWork *work);
void assay_session_show_file (AssaySession *self, AssaySessionWork *work);
AssaySessionFile *assay_session_capture_state (AssaySession *self, const AssayViewState *view,
                                               guint max_rows) G_GNUC_WARN_UNUSED_RESULT;

AssayJob *assay_session_survey_targets (AssaySession *self, AssaySettings *setup,
                                        const char *known_id,
                                        const AssayOutcome *known) G_GNUC_WARN_UNUSED_RESULT;

AssayJob *assay_session_add_saving (AssaySession *self, const char *path) G_GNUC_WARN_UNUSED_RESULT;

guint assay_count_steps (AssayGraph *graph, const GArray *axes);

AssayNodeTable *assay_node_table_new (AssaySession *session) G_GNUC_WARN_UNUSED_RESULT;
void assay_compare_activity_restore (AssayCompareActivity *self, const AssayComparison *comparison);
void assay_compare_activity_take_causes (AssayCompareActivity *self, guint index,
                                         AssayComparisonRow *tried);

char *assay_session_find_policy (const char *model) G_GNUC_WARN_UNUSED_RESULT;
gboolean assay_session_accept_items (GPtrArray *items, AssayVerdicts *verdicts, const char *path,
                                     GError **error);

AssayFixSearch *assay_fix_search_new (AssaySession *session) G_GNUC_WARN_UNUSED_RESULT;
void assay_fix_search_reset (AssayFixSearch *self);

AssayTrial *assay_trial_new (AssaySession *session) G_GNUC_WARN_UNUSED_RESULT;
AssayPreview *assay_preview_new (AssaySession *session) G_GNUC_WARN_UNUSED_RESULT;
void assay_preview_end (AssayPreview *self);
void assay_preview_settle (AssayPreview *self);
AssayEdits *assay_session_make_edits (AssaySession *self,
                                      GPtrArray *fixes) G_GNUC_WARN_UNUSED_RESULT;

void assay_compilation_add_way_out (AssayCompilation *self, const AssayWayOut *way);
void assay_compilation_expect (AssayCompilation *self);
void assay_compilation_offer (AssayCompilation *self, AssayWork *model, const char *name);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (AssaySessionWork, assay_session_work_free)

G_END_DECLS
