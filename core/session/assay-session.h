/* assay-session.h
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include <gio/gio.h>

#include "draw/assay-mark.h"
#include "session/analysis/assay-baseline.h"
#include "session/activity/assay-compilation.h"
#include "session/list/assay-finding-item.h"
#include "session/activity/assay-fix-search.h"
#include "document/assay-document.h"
#include "base/assay-job.h"
#include "session/list/assay-node-table.h"
#include "session/analysis/assay-outline.h"
#include "session/analysis/assay-problem.h"
#include "session/activity/assay-deploy-activity.h"
#include "session/activity/assay-pass-activity.h"
#include "session/activity/assay-qualify-activity.h"
#include "session/activity/assay-quantize-activity.h"
#include "session/activity/assay-run.h"
#include "run/assay-runner.h"
#include "document/assay-model-inputs.h"
#include "session/list/assay-target-item.h"
#include "session/activity/assay-preview.h"
#include "session/activity/assay-trial.h"
#include "session/activity/assay-ways-search.h"
#include "session/activity/assay-cause-search.h"
#include "session/activity/assay-compare-activity.h"

G_BEGIN_DECLS

/**
 * AssaySessionState:
 * @ASSAY_SESSION_EMPTY: nothing is open
 * @ASSAY_SESSION_LOADING: a model is being opened and nothing else can be shown
 * @ASSAY_SESSION_READY: a model is open and has verdicts
 * @ASSAY_SESSION_FAILED: the model could not be opened; the problem says why
 *
 * What a window has to show.
 */
typedef enum
{
  ASSAY_SESSION_EMPTY,
  ASSAY_SESSION_LOADING,
  ASSAY_SESSION_READY,
  ASSAY_SESSION_FAILED,
} AssaySessionState;

#define ASSAY_TYPE_SESSION_STATE (assay_session_state_get_type ())
GType assay_session_state_get_type (void) G_GNUC_CONST;

/**
 * AssaySession:
 *
 * One open model: the object that every view of it observes. Work runs in threads; all properties
 * change, and all signals are emitted, in the main context that was the default of the thread that
 * made the session.
 *
 * Each new request makes the running one stale: its result is dropped, however late it comes.
 */
#define ASSAY_TYPE_SESSION (assay_session_get_type ())

G_DECLARE_FINAL_TYPE (AssaySession, assay_session, ASSAY, SESSION, GObject)

AssaySession *assay_session_new (const char *target_id) G_GNUC_WARN_UNUSED_RESULT;

void assay_session_open_async (AssaySession *self, const char *path, GCancellable *cancellable,
                               GAsyncReadyCallback callback, gpointer user_data);
gboolean assay_session_open_finish (AssaySession *self, GAsyncResult *result, GError **error);
char **assay_session_dup_withheld (AssaySession *self) G_GNUC_WARN_UNUSED_RESULT;
void assay_session_answer_withheld (AssaySession *self, gboolean allow);
AssaySessionFile *assay_session_capture (AssaySession *self,
                                         const AssayViewState *view) G_GNUC_WARN_UNUSED_RESULT;
void assay_session_save_async (AssaySession *self, const char *path, const AssayViewState *view,
                               GAsyncReadyCallback callback, gpointer user_data);
gboolean assay_session_save_finish (AssaySession *self, GAsyncResult *result, GError **error);
void assay_session_save_model_async (AssaySession *self, const char *path,
                                     GAsyncReadyCallback callback, gpointer user_data);
void assay_session_save_parts_async (AssaySession *self, const char *path, const char *nodes,
                                     GAsyncReadyCallback callback, gpointer user_data);
char *assay_session_save_model_finish (AssaySession *self, GAsyncResult *result,
                                       GError **error) G_GNUC_WARN_UNUSED_RESULT;
void assay_session_set_recovery (AssaySession *self, const char *folder);
void assay_session_recover (AssaySession *self, const char *path);
void assay_session_locate (AssaySession *self, const char *path);
void assay_session_reload (AssaySession *self);
void assay_session_cancel (AssaySession *self);
void assay_session_close (AssaySession *self);

void assay_session_open_python (AssaySession *self, const char *path, const char *key,
                                const char *name, const char *const *shapes);
const char *assay_session_get_text_path (AssaySession *self);
AssaySessionState assay_session_get_state (AssaySession *self);
AssayDocument *assay_session_get_document (AssaySession *self);
const AssayProblem *assay_session_get_problem (AssaySession *self);
const AssayProblem *assay_session_get_check_problem (AssaySession *self);
void assay_session_clear_check_problem (AssaySession *self);
gboolean assay_session_get_busy (AssaySession *self);
AssayJob *assay_session_add_job (AssaySession *self, const char *title) G_GNUC_WARN_UNUSED_RESULT;
GListModel *assay_session_get_jobs (AssaySession *self);

AssayGraph *assay_session_get_graph (AssaySession *self);
AssayVerdicts *assay_session_get_verdicts (AssaySession *self);
AssayOutline *assay_session_get_outline (AssaySession *self);
GListModel *assay_session_get_finding_items (AssaySession *self);

AssayCompilation *assay_session_get_compilation (AssaySession *self);
AssayRun *assay_session_get_run (AssaySession *self);
AssayDeployActivity *assay_session_get_deploy_activity (AssaySession *self);
AssayPassActivity *assay_session_get_passes (AssaySession *self);
AssayQualifyActivity *assay_session_get_qualify (AssaySession *self);
AssayQuantizeActivity *assay_session_get_quantize (AssaySession *self);
AssayWaysSearch *assay_session_get_ways_search (AssaySession *self);
AssayCompareActivity *assay_session_get_compare_activity (AssaySession *self);
AssayCauseSearch *assay_session_get_cause_search (AssaySession *self);
AssayTrial *assay_session_get_trial (AssaySession *self);
AssayPreview *assay_session_get_preview (AssaySession *self);
AssayNodeTable *assay_session_get_node_table (AssaySession *self);
AssayBaseline *assay_session_get_baseline (AssaySession *self);

const char *assay_session_get_target_id (AssaySession *self);
AssayTarget *assay_session_get_target (AssaySession *self);
const AssayRunnerKind *assay_session_get_runner_choice (AssaySession *self, guint n);
GPtrArray *assay_session_list_boards (AssaySession *self) G_GNUC_WARN_UNUSED_RESULT;
void assay_session_set_target_id (AssaySession *self, const char *target_id);
GListModel *assay_session_get_targets (AssaySession *self);

AssaySettings *assay_session_get_setup (AssaySession *self);
void assay_session_set_setup (AssaySession *self, AssaySettings *setup);
GPtrArray *assay_session_get_dimensions (AssaySession *self);
char *assay_session_dup_batch (AssaySession *self) G_GNUC_WARN_UNUSED_RESULT;
void assay_session_bind_batch (AssaySession *self);
GPtrArray *assay_session_get_inputs (AssaySession *self);

char *assay_session_dup_command (AssaySession *self, const char *kind) G_GNUC_WARN_UNUSED_RESULT;
char *assay_session_dup_tensor_command (AssaySession *self,
                                        const char *name) G_GNUC_WARN_UNUSED_RESULT;
void assay_session_apply_fixes (AssaySession *self, GPtrArray *fixes);
gboolean assay_session_accept_finding (AssaySession *self, int finding, const char *reason,
                                       GError **error);
gboolean assay_session_withdraw_finding (AssaySession *self, int finding, GError **error);
AssayFixSearch *assay_session_get_fix_search (AssaySession *self);
void assay_session_undo (AssaySession *self);
void assay_session_redo (AssaySession *self);

AssayNodeId assay_session_get_selection (AssaySession *self);
void assay_session_set_selection (AssaySession *self, AssayNodeId node);
AssayNodeId assay_session_find_name (AssaySession *self, const char *name);
gboolean assay_session_select_name (AssaySession *self, const char *name);
gboolean assay_session_is_selected (AssaySession *self, const char *name);
void assay_session_set_hover (AssaySession *self, AssayNodeId node);
guint assay_session_get_filter (AssaySession *self);
void assay_session_set_filter (AssaySession *self, guint filter);
const GArray *assay_session_get_hits (AssaySession *self);
void assay_session_set_hits (AssaySession *self, GArray *hits);
int assay_session_get_finding (AssaySession *self);
void assay_session_set_finding (AssaySession *self, int finding);
gboolean assay_session_step_finding (AssaySession *self, int direction);
gboolean assay_session_step_node (AssaySession *self, int direction);

gboolean assay_session_is_pinned (AssaySession *self, AssayNodeId node);
const char *assay_session_get_note (AssaySession *self, const char *name);
void assay_session_set_note (AssaySession *self, const char *name, const char *note);
char **assay_session_list_pins (AssaySession *self) G_GNUC_WARN_UNUSED_RESULT;
void assay_session_mark_names (AssaySession *self, char **added, char **removed, char **changed);
void assay_session_set_marks (AssaySession *self, const GArray *added, const GArray *removed,
                              const GArray *changed);
GByteArray *assay_session_dup_marks (AssaySession *self) G_GNUC_WARN_UNUSED_RESULT;

G_END_DECLS
