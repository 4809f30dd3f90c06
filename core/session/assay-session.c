/* assay-session.c
 * SPDX-License-Identifier: Apache-2.0
 */
#include "session/assay-session.h"

#include "session/activity/assay-activity-private.h"
#include "session/assay-session-private.h"

enum
{
  PROP_0,
  PROP_STATE,
  PROP_PROBLEM,
  PROP_CHECK_PROBLEM,
  PROP_BUSY,
  PROP_VERDICTS,
  PROP_TARGET_ID,
  PROP_SETUP,
  PROP_SELECTION,
  PROP_HOVER,
  PROP_FILTER,
  PROP_HITS,
  PROP_FINDING,
  PROP_PINS,
  PROP_MARKS,
  PROP_WITHHELD,
  N_PROPS
};

static GParamSpec *properties[N_PROPS];

G_DEFINE_FINAL_TYPE (AssaySession, assay_session, G_TYPE_OBJECT)

G_DEFINE_ENUM_TYPE (AssaySessionState, assay_session_state,
                    G_DEFINE_ENUM_VALUE (ASSAY_SESSION_EMPTY, "empty"),
                    G_DEFINE_ENUM_VALUE (ASSAY_SESSION_LOADING, "loading"),
                    G_DEFINE_ENUM_VALUE (ASSAY_SESSION_READY, "ready"),
                    G_DEFINE_ENUM_VALUE (ASSAY_SESSION_FAILED, "failed"))

static void
notify (AssaySession *self, guint prop)
{
  g_object_notify_by_pspec (G_OBJECT (self), properties[prop]);
}

static void
set_state (AssaySession *self, AssaySessionState state)
{
  if (self->state == state)
    return;

  self->state = state;
  notify (self, PROP_STATE);
}

static void
set_check_problem (AssaySession *self, AssayProblem *problem)
{
  if (self->check_problem == NULL && problem == NULL)
    return;

  g_clear_pointer (&self->check_problem, assay_problem_free);
  self->check_problem = problem;
  notify (self, PROP_CHECK_PROBLEM);
}

/* Whoever waits for a file to open is told when it is overtaken. */
static void
end_opening (AssaySession *self, GError *error)
{
  g_autoptr (GTask) task = g_steal_pointer (&self->opening);

  if (task == NULL)
    g_clear_error (&error);
  else if (error != NULL)
    g_task_return_error (task, error);
  else
    g_task_return_boolean (task, TRUE);
}

static void
for_activities (AssaySession *self, void (*function) (AssayActivity *))
{
  function (ASSAY_ACTIVITY (self->compilation));
  function (ASSAY_ACTIVITY (self->ways));
  function (ASSAY_ACTIVITY (self->run));
  function (ASSAY_ACTIVITY (self->causes));
  function (ASSAY_ACTIVITY (self->comparing));
  function (ASSAY_ACTIVITY (self->deploying));
  function (ASSAY_ACTIVITY (self->quantizing));
}

static void
cancel_activities (AssaySession *self)
{
  for_activities (self, assay_activity_cancel);
  /* What the setup and the target have no part in. */
  assay_activity_cancel (ASSAY_ACTIVITY (self->passes));
  assay_activity_cancel (ASSAY_ACTIVITY (self->qualifying));
}

static void
stop_work (AssaySession *self)
{
  assay_jobs_cancel (&self->job);
  for_activities (self, assay_activity_outdate);
}

static void
clear_model (AssaySession *self)
{
  for_activities (self, assay_activity_reset);
  /* Of the file alone: neither target nor settings matter. */
  assay_activity_reset (ASSAY_ACTIVITY (self->passes));
  assay_baseline_clear (self->baseline);
  assay_trial_keep (self->trial);
  assay_preview_end (self->preview);
  assay_jobs_cancel (&self->survey);
  assay_fix_search_reset (self->fix_search);
  assay_jobs_cancel (&self->looking);
  g_clear_pointer (&self->source, assay_work_free);
  assay_session_clear_python_folder (self);
  g_clear_pointer (&self->graph, assay_graph_unref);
  g_clear_pointer (&self->model, assay_work_free);
  g_clear_pointer (&self->applied, g_ptr_array_unref);
  g_clear_pointer (&self->findings, assay_findings_unref);
  g_clear_pointer (&self->outline, assay_outline_unref);
  g_clear_pointer (&self->verdicts, assay_verdicts_unref);
  g_clear_pointer (&self->dimensions, g_ptr_array_unref);
  g_clear_pointer (&self->inputs, g_ptr_array_unref);
  g_clear_pointer (&self->imported_setup, assay_settings_unref);
  g_clear_pointer (&self->problem, assay_problem_free);
  self->dimensions = g_ptr_array_new ();
  self->inputs = g_ptr_array_new ();
}

static void
restart_survey (AssaySession *self)
{
  AssayOutcome known = ASSAY_OUTCOME_INIT;

  assay_jobs_cancel (&self->survey);
  if (self->verdicts != NULL)
    assay_outcome_count (&known, self->verdicts);
  self->survey = assay_session_survey_targets (
      self, assay_session_get_setup (self),
      self->verdicts != NULL ? assay_session_get_target_id (self) : NULL, &known);
}

/* Node ids are those of one checked graph; over a change of target only the name is the same. */
static void
take_verdicts (AssaySession *self, AssaySessionWork *work)
{
  g_autofree char *name = NULL;
  gboolean had_findings = g_list_model_get_n_items (G_LIST_MODEL (self->items)) > 0;
  g_autoptr (AssayFindingItem) finding = NULL;

  if (self->finding >= 0)
    finding = g_list_model_get_item (G_LIST_MODEL (self->items), (guint) self->finding);
  if (self->verdicts != NULL && self->selection != ASSAY_NO_NODE)
    name = g_strdup (assay_graph_node (self->verdicts->graph, self->selection)->name);

  g_clear_pointer (&self->verdicts, assay_verdicts_unref);
  g_clear_pointer (&self->outline, assay_outline_unref);
  self->verdicts = g_steal_pointer (&work->verdicts);
  self->outline = g_steal_pointer (&work->outline);
  self->hover = ASSAY_NO_NODE;
  self->finding = -1;
  g_clear_pointer (&self->marks, g_byte_array_unref);
  self->selection = name != NULL ? assay_session_find_name (self, name) : ASSAY_NO_NODE;

  if (work->items != NULL)
    g_list_store_splice (self->items, 0, g_list_model_get_n_items (G_LIST_MODEL (self->items)),
                         work->items->pdata, work->items->len);
  else if (had_findings)
    g_list_store_remove_all (self->items);
  if (finding != NULL)
    self->finding = assay_finding_item_find (finding, G_LIST_MODEL (self->items));

  /* A filter on a verdict that no node has any more would hide everything. */
  if (self->filter != 0 && self->verdicts != NULL)
    {
      guint filter = 0;

      for (guint kind = 0; kind < ASSAY_N_VERDICTS; kind++)
        if (self->verdicts->counts[kind] > 0)
          filter |= 1u << kind;
      self->filter &= filter;
    }

  /* Everything is in place, and verdicts are told of first: views make their rows of them, in which
   * others look for selection and finding. A frozen object would tell of the last one first. */
  notify (self, PROP_VERDICTS);
  notify (self, PROP_FILTER);
  notify (self, PROP_MARKS);
  notify (self, PROP_SELECTION);
  notify (self, PROP_FINDING);
}

static void
offer_to_compile (AssaySession *self)
{
  g_autofree char *name = assay_document_dup_name (self->document);

  assay_compilation_offer (self->compilation, self->verdicts != NULL ? self->model : NULL, name);
}

static AssayProblem *
check_problem (AssaySession *self, AssaySessionWork *work)
{
  const char *target_id = assay_session_get_target_id (self);
  g_autofree char *policy = work->policy_failed ? assay_session_find_policy (work->path) : NULL;
  AssayProblem *problem = assay_problem_new (work->check_error, policy != NULL ? policy : target_id,
                                             NULL);

  if (work->target_failed)
    assay_problem_set_target (problem, target_id, self->verdicts != NULL);
  if (work->policy_failed)
    assay_problem_set_policy (problem);

  return problem;
}

/* What a reloaded model does not have any more cannot be set up. */
static void
take_setup (AssaySession *self, AssaySettings *setup)
{
  AssayEdits *edits = assay_session_get_edits (self);

  if (assay_settings_equal (assay_edits_get_setup (edits), setup))
    return;

  assay_edits_set_setup (edits, setup);
  assay_history_replace (assay_document_get_history (self->document), edits);
  notify (self, PROP_SETUP);
}

/* A target file with a mistake takes nothing away: model and verdicts stay those of before. */
static gboolean
keep_for_target (AssaySession *self, AssaySessionWork *work)
{
  if (!work->target_failed || work->kind == ASSAY_WORK_OPEN || self->verdicts == NULL)
    return FALSE;

  set_check_problem (self, check_problem (self, work));
  offer_to_compile (self);

  return TRUE;
}

static void
take_result (AssaySession *self, AssaySessionWork *work)
{
  if (work->kind == ASSAY_WORK_OPEN)
    clear_model (self);
  if (work->dimensions != NULL)
    {
      g_clear_pointer (&self->dimensions, g_ptr_array_unref);
      g_clear_pointer (&self->inputs, g_ptr_array_unref);
      self->dimensions = g_steal_pointer (&work->dimensions);
      self->inputs = g_steal_pointer (&work->inputs);
    }
  if (work->kind == ASSAY_WORK_OPEN)
    {
      self->selection = ASSAY_NO_NODE;
      self->filter = 0;
      notify (self, PROP_FILTER);
      assay_session_take_file (self, work);
      if ((work->file == NULL || work->file->inputs == NULL) && work->test_data != NULL)
        assay_run_set_inputs (self->run, work->test_data);
    }

  g_clear_pointer (&self->source, assay_work_free);
  self->source = g_steal_pointer (&work->source);
  assay_session_take_python (self, work);
  g_clear_pointer (&self->model, assay_work_free);
  self->model = g_steal_pointer (&work->model);
  g_clear_pointer (&self->graph, assay_graph_unref);
  self->graph = assay_graph_ref (assay_work_get_graph (self->model, NULL, NULL));
  assay_session_take_fixes (self, work);
  g_clear_pointer (&self->findings, assay_findings_unref);
  self->findings = g_steal_pointer (&work->findings);
  g_clear_pointer (&self->imported_setup, assay_settings_unref);
  self->imported_setup = assay_settings_ref (work->setup);

  if (work->target != NULL)
    {
      g_clear_pointer (&self->target, assay_target_unref);
      self->target = g_steal_pointer (&work->target);
      assay_session_match_runners (self);
    }

  take_verdicts (self, work);
  set_check_problem (self, work->check_error != NULL ? check_problem (self, work)
                           : work->lost != NULL && work->lost->len > 0
                               ? assay_problem_new_lost (work->lost)
                               : NULL);
  if (work->kind == ASSAY_WORK_RELOAD)
    take_setup (self, work->setup);
  set_state (self, ASSAY_SESSION_READY);
  assay_session_show_file (self, work);
  if (work->kind != ASSAY_WORK_CHECK)
    assay_document_watch_data (self->document);
  offer_to_compile (self);
  restart_survey (self);
}

static void
take_failure (AssaySession *self, AssaySessionWork *work, const GError *error)
{
  AssayProblem *problem = assay_problem_new (error, work->path, work->findings);

  if (work->file_failed || work->model_missing)
    assay_problem_set_session (problem, work->model_missing);

  /* A wrong size in Setup must not close the model; a file that cannot be opened has nothing to
   * show. */
  if (work->kind != ASSAY_WORK_OPEN)
    {
      set_check_problem (self, problem);
      if (work->kind == ASSAY_WORK_RELOAD)
        offer_to_compile (self);
      return;
    }

  clear_model (self);
  take_verdicts (self, work);
  self->problem = problem;
  notify (self, PROP_PROBLEM);
  set_state (self, ASSAY_SESSION_FAILED);
}

static void
work_ended (gpointer owner, gpointer request, const GError *error)
{
  AssaySession *self = owner;
  AssaySessionWork *work = request;

  assay_jobs_drop (&self->job);
  if (error == NULL && keep_for_target (self, work))
    return;
  if (error == NULL)
    take_result (self, work);
  else
    take_failure (self, work, error);

  if (work->kind == ASSAY_WORK_OPEN)
    end_opening (self, error != NULL ? g_error_copy (error) : NULL);
}

static gboolean
run_work (gpointer request, const AssayProgress *progress, GError **error)
{
  return assay_session_work_run (request, progress, error);
}

void
assay_session_start_work (AssaySession *self, AssayWorkKind kind)
{
  static const char *const verbs[] = {
    [ASSAY_WORK_OPEN] = "Opening",
    [ASSAY_WORK_RELOAD] = "Reloading",
    [ASSAY_WORK_CHECK] = "Checking",
  };
  g_autofree char *name = assay_document_dup_name (self->document);
  g_autofree char *title = g_strdup_printf ("%s %s", verbs[kind], name);
  AssaySessionWork *work = assay_session_work_new ();

  stop_work (self);
  assay_jobs_cancel (&self->survey);

  self->job = assay_session_add_job (self, title);
  work->kind = kind;
  work->path = g_strdup (assay_document_get_path (self->document));
  work->session_path = g_strdup (assay_document_get_file_path (self->document));
  work->located = g_strdup (assay_document_get_located (self->document));
  work->target_id = g_strdup (assay_session_get_target_id (self));
  work->setup = assay_settings_ref (assay_session_get_setup (self));
  assay_session_give_python (self, work);

  if (kind != ASSAY_WORK_RELOAD && self->target != NULL &&
      g_str_equal (assay_target_get_id (self->target), work->target_id))
    work->target = assay_target_ref (self->target);
  work->fixes = g_ptr_array_ref (assay_document_get_fixes (self->document));
  if (kind == ASSAY_WORK_CHECK && self->source != NULL &&
      assay_settings_equal_stage (work->setup, self->imported_setup, ASSAY_PIPELINE_IMPORT))
    {
      work->source = assay_work_copy (self->source);
      if (self->applied == work->fixes)
        work->model = assay_work_copy (self->model);
      work->findings = assay_findings_ref (self->findings);
    }

  assay_document_watch (self->document, work->source == NULL, work->target == NULL);

  assay_job_start (self->job, run_work, work, (GDestroyNotify) assay_session_work_free, work_ended,
                   self);
}

static void
assay_session_dispose (GObject *object)
{
  AssaySession *self = ASSAY_SESSION (object);

  if (self->job != NULL)
    assay_job_cancel (self->job);
  assay_jobs_cancel (&self->survey);
  assay_fix_search_reset (self->fix_search);
  g_object_run_dispose (G_OBJECT (self->document));
  cancel_activities (self);

  G_OBJECT_CLASS (assay_session_parent_class)->dispose (object);
}

static void
assay_session_finalize (GObject *object)
{
  AssaySession *self = ASSAY_SESSION (object);

  g_object_unref (self->nodes);
  /* Views that are going away may hold the last reference: they are told nothing any more. */
  g_object_freeze_notify (G_OBJECT (self->compilation));
  g_object_freeze_notify (G_OBJECT (self->ways));
  g_object_freeze_notify (G_OBJECT (self->run));
  g_object_freeze_notify (G_OBJECT (self->comparing));
  g_object_freeze_notify (G_OBJECT (self->causes));
  g_object_freeze_notify (G_OBJECT (self->deploying));
  g_object_freeze_notify (G_OBJECT (self->passes));
  g_object_freeze_notify (G_OBJECT (self->qualifying));
  g_object_freeze_notify (G_OBJECT (self->quantizing));
  g_object_freeze_notify (G_OBJECT (self->trial));
  g_object_freeze_notify (G_OBJECT (self->preview));
  g_object_freeze_notify (G_OBJECT (self->baseline));
  clear_model (self);
  g_object_unref (self->compilation);
  g_object_unref (self->ways);
  g_object_unref (self->trial);
  g_object_unref (self->preview);
  g_object_unref (self->fix_search);
  g_object_unref (self->baseline);
  g_object_unref (self->run);
  g_object_unref (self->comparing);
  g_object_unref (self->causes);
  g_object_unref (self->deploying);
  g_object_unref (self->passes);
  g_object_unref (self->qualifying);
  g_object_unref (self->quantizing);
  g_clear_pointer (&self->dimensions, g_ptr_array_unref);
  g_clear_pointer (&self->inputs, g_ptr_array_unref);
  g_clear_pointer (&self->target, assay_target_unref);
  g_clear_pointer (&self->check_problem, assay_problem_free);
  g_clear_object (&self->job);
  g_clear_object (&self->jobs);
  g_clear_object (&self->items);
  g_clear_object (&self->targets);
  g_clear_object (&self->opening);
  g_clear_pointer (&self->hits, g_array_unref);
  g_clear_pointer (&self->marks, g_byte_array_unref);
  assay_session_clear_withheld (self);
  assay_session_clear_python (self);
  g_object_unref (self->document);
  g_free (self->own_target);

  G_OBJECT_CLASS (assay_session_parent_class)->finalize (object);
}

static void
assay_session_get_property (GObject *object, guint prop_id, GValue *value, GParamSpec *pspec)
{
  AssaySession *self = ASSAY_SESSION (object);

  switch (prop_id)
    {
    case PROP_STATE:
      g_value_set_enum (value, (int) self->state);
      break;
    case PROP_PROBLEM:
      g_value_set_boxed (value, self->problem);
      break;
    case PROP_CHECK_PROBLEM:
      g_value_set_boxed (value, self->check_problem);
      break;
    case PROP_BUSY:
      g_value_set_boolean (value, assay_session_get_busy (self));
      break;
    case PROP_VERDICTS:
      g_value_set_boxed (value, self->verdicts);
      break;
    case PROP_TARGET_ID:
      g_value_set_string (value, assay_session_get_target_id (self));
      break;
    case PROP_SETUP:
      g_value_set_boxed (value, assay_session_get_setup (self));
      break;
    case PROP_SELECTION:
      g_value_set_uint (value, self->selection);
      break;
    case PROP_HOVER:
      g_value_set_uint (value, self->hover);
      break;
    case PROP_FILTER:
      g_value_set_uint (value, self->filter);
      break;
    case PROP_HITS:
      g_value_set_boxed (value, self->hits);
      break;
    case PROP_PINS:
      g_value_take_boxed (value, assay_session_list_pins (self));
      break;
    case PROP_MARKS:
      g_value_take_boxed (value, assay_session_dup_marks (self));
      break;
    case PROP_FINDING:
      g_value_set_int (value, self->finding);
      break;
    case PROP_WITHHELD:
      g_value_take_boxed (value, assay_session_dup_withheld (self));
      break;
    default:
      G_OBJECT_WARN_INVALID_PROPERTY_ID (object, prop_id, pspec);
    }
}

static void
assay_session_set_property (GObject *object, guint prop_id, const GValue *value, GParamSpec *pspec)
{
  AssaySession *self = ASSAY_SESSION (object);

  switch (prop_id)
    {
    case PROP_TARGET_ID:
      assay_session_set_target_id (self, g_value_get_string (value));
      break;
    case PROP_SETUP:
      assay_session_set_setup (self, g_value_get_boxed (value));
      break;
    case PROP_SELECTION:
      assay_session_set_selection (self, g_value_get_uint (value));
      break;
    case PROP_HOVER:
      assay_session_set_hover (self, g_value_get_uint (value));
      break;
    case PROP_FILTER:
      assay_session_set_filter (self, g_value_get_uint (value));
      break;
    case PROP_FINDING:
      assay_session_set_finding (self, g_value_get_int (value));
      break;
    default:
      G_OBJECT_WARN_INVALID_PROPERTY_ID (object, prop_id, pspec);
    }
}

static void
assay_session_class_init (AssaySessionClass *klass)
{
  GObjectClass *object_class = G_OBJECT_CLASS (klass);
  GParamFlags readable = G_PARAM_READABLE | G_PARAM_STATIC_STRINGS;
  GParamFlags writable = G_PARAM_READWRITE | G_PARAM_STATIC_STRINGS | G_PARAM_EXPLICIT_NOTIFY;

  object_class->dispose = assay_session_dispose;
  object_class->finalize = assay_session_finalize;
  object_class->get_property = assay_session_get_property;
  object_class->set_property = assay_session_set_property;

  properties[PROP_STATE] = g_param_spec_enum ("state", NULL, NULL, ASSAY_TYPE_SESSION_STATE,
                                              ASSAY_SESSION_EMPTY, readable);
  properties[PROP_PROBLEM] = g_param_spec_boxed ("problem", NULL, NULL, ASSAY_TYPE_PROBLEM,
                                                 readable);
  properties[PROP_CHECK_PROBLEM] = g_param_spec_boxed ("check-problem", NULL, NULL,
                                                       ASSAY_TYPE_PROBLEM, readable);
  properties[PROP_BUSY] = g_param_spec_boolean ("busy", NULL, NULL, FALSE, readable);
  properties[PROP_VERDICTS] = g_param_spec_boxed ("verdicts", NULL, NULL, ASSAY_TYPE_VERDICTS,
                                                  readable);
  properties[PROP_TARGET_ID] = g_param_spec_string ("target-id", NULL, NULL, NULL, writable);
  properties[PROP_SETUP] = g_param_spec_boxed ("setup", NULL, NULL, ASSAY_TYPE_SETTINGS, writable);
  properties[PROP_SELECTION] = g_param_spec_uint ("selection", NULL, NULL, 0, G_MAXUINT, 0,
                                                  writable);
  properties[PROP_HOVER] = g_param_spec_uint ("hover", NULL, NULL, 0, G_MAXUINT, 0, writable);
  properties[PROP_FILTER] = g_param_spec_uint ("filter", NULL, NULL, 0, G_MAXUINT, 0, writable);
  properties[PROP_HITS] = g_param_spec_boxed ("hits", NULL, NULL, G_TYPE_ARRAY, readable);
  properties[PROP_PINS] = g_param_spec_boxed ("pins", NULL, NULL, G_TYPE_STRV, readable);
  properties[PROP_MARKS] = g_param_spec_boxed ("marks", NULL, NULL, G_TYPE_BYTE_ARRAY, readable);
  properties[PROP_FINDING] = g_param_spec_int ("finding", NULL, NULL, -1, G_MAXINT, -1, writable);
  properties[PROP_WITHHELD] = g_param_spec_boxed ("withheld", NULL, NULL, G_TYPE_STRV, readable);
  g_object_class_install_properties (object_class, N_PROPS, properties);
}

static void
jobs_changed_cb (AssaySession *self)
{
  notify (self, PROP_BUSY);
}

static void
assay_session_init (AssaySession *self)
{
  self->document = assay_document_new ();
  self->jobs = g_list_store_new (ASSAY_TYPE_JOB);
  g_signal_connect_object (self->jobs, "items-changed", G_CALLBACK (jobs_changed_cb), self,
                           G_CONNECT_SWAPPED);
  self->compilation = g_object_new (ASSAY_TYPE_COMPILATION, "session", self, NULL);
  self->ways = g_object_new (ASSAY_TYPE_WAYS_SEARCH, "session", self, NULL);
  self->trial = assay_trial_new (self);
  self->preview = assay_preview_new (self);
  self->fix_search = assay_fix_search_new (self);
  self->baseline = assay_baseline_new (self);
  self->run = g_object_new (ASSAY_TYPE_RUN, "session", self, NULL);
  self->comparing = g_object_new (ASSAY_TYPE_COMPARE_ACTIVITY, "session", self, NULL);
  self->causes = g_object_new (ASSAY_TYPE_CAUSE_SEARCH, "session", self, NULL);
  self->deploying = g_object_new (ASSAY_TYPE_DEPLOY_ACTIVITY, "session", self, NULL);
  self->passes = g_object_new (ASSAY_TYPE_PASS_ACTIVITY, "session", self, NULL);
  self->qualifying = g_object_new (ASSAY_TYPE_QUALIFY_ACTIVITY, "session", self, NULL);
  self->quantizing = g_object_new (ASSAY_TYPE_QUANTIZE_ACTIVITY, "session", self, NULL);
  self->nodes = assay_node_table_new (self);
  g_signal_connect_object (self->run, "notify::inputs", G_CALLBACK (assay_activity_outdate),
                           self->comparing, G_CONNECT_SWAPPED);
  self->items = g_list_store_new (ASSAY_TYPE_FINDING_ITEM);
  self->targets = g_list_store_new (ASSAY_TYPE_TARGET_ITEM);
  self->dimensions = g_ptr_array_new ();
  self->inputs = g_ptr_array_new ();
  self->finding = -1;
  assay_session_follow_edits (self);
}

/**
 * assay_session_new:
 * @target_id: the target to check against at first: an id or the path of a target file
 *
 * Makes an empty session.
 *
 * Returns: (transfer full): the session
 */
AssaySession *
assay_session_new (const char *target_id)
{
  AssaySession *self = g_object_new (ASSAY_TYPE_SESSION, NULL);

  assay_edits_set_target_id (assay_session_get_edits (self), target_id);
  assay_session_reset_edits (self, NULL);
  return self;
}

static void
open_path (AssaySession *self, const char *path, const char *const *shapes)
{
  g_autoptr (AssaySettings) setup = assay_settings_new ();

  /* Views are told once there is something to show of it. */
  g_object_freeze_notify (G_OBJECT (self->document));
  assay_document_open (self->document, path);
  if (shapes != NULL)
    assay_settings_set_list (&setup, ASSAY_SETTING_SHAPES, shapes);
  assay_session_reset_edits (self, setup);
  set_check_problem (self, NULL);

  assay_session_start_work (self, ASSAY_WORK_OPEN);
  g_object_thaw_notify (G_OBJECT (self->document));
  notify (self, PROP_SETUP);
  set_state (self, ASSAY_SESSION_LOADING);
}

/**
 * assay_session_open_async:
 * @self: a session
 * @path: path of a model or of a session file
 * @cancellable: (nullable): cancels like assay_session_cancel()
 * @callback: called when the model is open or has failed to open
 * @user_data: data for @callback
 *
 * Opens a model in place of the one that is open: reads it and checks it against the target, off
 * the main context. A session file opens its model as it was left.
 */
void
assay_session_open_async (AssaySession *self, const char *path, GCancellable *cancellable,
                          GAsyncReadyCallback callback, gpointer user_data)
{
  g_return_if_fail (ASSAY_IS_SESSION (self));
  g_return_if_fail (path != NULL);

  end_opening (self, g_error_new_literal (ASSAY_ERROR, ASSAY_ERROR_CANCELLED,
                                          "Another file was opened meanwhile"));
  self->opening = g_task_new (self, NULL, callback, user_data);
  g_task_set_source_tag (self->opening, assay_session_open_async);
  open_path (self, path, NULL);
  if (cancellable != NULL)
    g_signal_connect_object (cancellable, "cancelled", G_CALLBACK (assay_session_cancel), self,
                             G_CONNECT_SWAPPED);
}

/* Of a model that has no inputs of its own to be traced with. */
void
assay_session_open_with_shapes (AssaySession *self, const char *path, const char *const *shapes)
{
  end_opening (self, g_error_new_literal (ASSAY_ERROR, ASSAY_ERROR_CANCELLED,
                                          "Another file was opened meanwhile"));
  open_path (self, path, shapes);
}

/**
 * assay_session_get_text_path:
 * @self: a session
 *
 * Gets the file that the model was read from: of a file of PyTorch the text that it was written as.
 *
 * Returns: (transfer none) (nullable): its path
 */
const char *
assay_session_get_text_path (AssaySession *self)
{
  return self->text_path != NULL ? self->text_path : assay_document_get_path (self->document);
}

/**
 * assay_session_open_finish:
 * @self: a session
 * @result: what the callback got
 * @error: return location for a #GError
 *
 * Tells how opening ended. Fails with %ASSAY_ERROR_CANCELLED if it was stopped or overtaken.
 *
 * Returns: whether the model is open
 */
gboolean
assay_session_open_finish (AssaySession *self, GAsyncResult *result, GError **error)
{
  g_return_val_if_fail (g_task_is_valid (result, self), FALSE);

  return g_task_propagate_boolean (G_TASK (result), error);
}

/**
 * assay_session_reload:
 * @self: a session
 *
 * Reads model and target from their files again. Target, selection, filter, fixes that still apply,
 * and of the setup what the model still knows stay; if a file cannot be read, everything stays and
 * the check problem says why.
 */
void
assay_session_reload (AssaySession *self)
{
  g_return_if_fail (ASSAY_IS_SESSION (self));

  if (self->state == ASSAY_SESSION_READY)
    assay_session_start_work (self, ASSAY_WORK_RELOAD);
  else if (self->state == ASSAY_SESSION_FAILED)
    {
      g_autofree char *path = g_strdup (assay_document_get_path (self->document));
      assay_session_open_async (self, path, NULL, NULL, NULL);
    }
}

/**
 * assay_session_cancel:
 * @self: a session
 *
 * Stops what is running. The session is idle when this returns; the worker ends soon after, and
 * nothing of it arrives.
 */
void
assay_session_cancel (AssaySession *self)
{
  g_return_if_fail (ASSAY_IS_SESSION (self));

  cancel_activities (self);
  /* Saving and reading: who asked is told. */
  for (guint i = g_list_model_get_n_items (G_LIST_MODEL (self->jobs)); i > 0; i--)
    {
      g_autoptr (AssayJob) job = g_list_model_get_item (G_LIST_MODEL (self->jobs), i - 1);

      if (job != NULL && job != self->job)
        assay_job_cancel (job);
    }
  if (self->job == NULL)
    return;

  stop_work (self);
  if (self->state == ASSAY_SESSION_LOADING)
    assay_session_close (self);
  end_opening (self, g_error_new_literal (ASSAY_ERROR, ASSAY_ERROR_CANCELLED, "Cancelled"));
}

/**
 * assay_session_close:
 * @self: a session
 *
 * Closes the model; the session is as new but for its target.
 */
void
assay_session_close (AssaySession *self)
{
  g_autoptr (AssaySessionWork) nothing = assay_session_work_new ();

  g_return_if_fail (ASSAY_IS_SESSION (self));

  stop_work (self);
  assay_document_unwatch (self->document);
  clear_model (self);
  take_verdicts (self, nothing);
  assay_document_open (self->document, NULL);
  assay_session_reset_edits (self, NULL);
  set_check_problem (self, NULL);
  notify (self, PROP_SETUP);
  set_state (self, ASSAY_SESSION_EMPTY);
  end_opening (self, g_error_new_literal (ASSAY_ERROR, ASSAY_ERROR_CANCELLED, "Closed"));
}

/**
 * assay_session_get_state:
 * @self: a session
 *
 * Gets what a window has to show.
 *
 * Returns: the state
 */
AssaySessionState
assay_session_get_state (AssaySession *self)
{
  return self->state;
}

/**
 * assay_session_get_document:
 * @self: a session
 *
 * Gets what is open: files, decisions and their history. It is the same one as long as the session
 * lives.
 *
 * Returns: (transfer none): the document
 */
AssayDocument *
assay_session_get_document (AssaySession *self)
{
  return self->document;
}

/**
 * assay_session_get_problem:
 * @self: a session
 *
 * Gets why the model could not be opened.
 *
 * Returns: (transfer none) (nullable): the problem, in state failed
 */
const AssayProblem *
assay_session_get_problem (AssaySession *self)
{
  return self->problem;
}

/**
 * assay_session_get_check_problem:
 * @self: a session
 *
 * Gets why the last change of target or setup had no effect.
 *
 * Returns: (transfer none) (nullable): the problem
 */
const AssayProblem *
assay_session_get_check_problem (AssaySession *self)
{
  return self->check_problem;
}

/**
 * assay_session_clear_check_problem:
 * @self: a session
 *
 * Forgets the last failed change; the user has seen it.
 */
void
assay_session_clear_check_problem (AssaySession *self)
{
  set_check_problem (self, NULL);
}

/**
 * assay_session_get_busy:
 * @self: a session
 *
 * Tells whether anything is running that the user waits for.
 *
 * Returns: whether there is a job
 */
gboolean
assay_session_get_busy (AssaySession *self)
{
  return g_list_model_get_n_items (G_LIST_MODEL (self->jobs)) > 0;
}

/**
 * assay_session_add_job:
 * @self: a session
 * @title: what is being done
 *
 * Makes a job that the user sees and can cancel until it has ended.
 *
 * Returns: (transfer full): the job, to be started
 */
AssayJob *
assay_session_add_job (AssaySession *self, const char *title)
{
  g_return_val_if_fail (ASSAY_IS_SESSION (self), NULL);

  return assay_jobs_add (self->jobs, title);
}

/**
 * assay_session_get_jobs:
 * @self: a session
 *
 * Gets what is running.
 *
 * Returns: (transfer none): a list of #AssayJob
 */
GListModel *
assay_session_get_jobs (AssaySession *self)
{
  return G_LIST_MODEL (self->jobs);
}

/**
 * assay_session_get_graph:
 * @self: a session
 *
 * Gets the model with its fixes; the verdicts have the graph that was checked.
 *
 * Returns: (transfer none) (nullable): the graph
 */
AssayGraph *
assay_session_get_graph (AssaySession *self)
{
  return self->graph;
}

/**
 * assay_session_get_verdicts:
 * @self: a session
 *
 * Gets the result of the newest check.
 *
 * Returns: (transfer none) (nullable): the verdicts
 */
AssayVerdicts *
assay_session_get_verdicts (AssaySession *self)
{
  return self->verdicts;
}

/**
 * assay_session_get_outline:
 * @self: a session
 *
 * Gets the tree of scopes and nodes.
 *
 * Returns: (transfer none) (nullable): the outline
 */
AssayOutline *
assay_session_get_outline (AssaySession *self)
{
  return self->outline;
}

/**
 * assay_session_get_finding_items:
 * @self: a session
 *
 * Gets what was found, in the order of groups.
 *
 * Returns: (transfer none): a list of #AssayFindingItem
 */
GListModel *
assay_session_get_finding_items (AssaySession *self)
{
  return G_LIST_MODEL (self->items);
}

/**
 * assay_session_get_target_id:
 * @self: a session
 *
 * Gets the chosen target.
 *
 * Returns: (transfer none): its id, or the path of its file
 */
const char *
assay_session_get_target_id (AssaySession *self)
{
  return assay_edits_get_target_id (assay_session_get_edits (self));
}

/**
 * assay_session_get_target:
 * @self: a session
 *
 * Gets the target that the verdicts are for; while a new one is being checked that is still the old
 * one.
 *
 * Returns: (transfer none) (nullable): the target
 */
AssayTarget *
assay_session_get_target (AssaySession *self)
{
  return self->target;
}

/**
 * assay_session_set_target_id:
 * @self: a session
 * @target_id: id of a target, or path of a target file
 *
 * Chooses another target and checks the open model against it at once.
 */
void
assay_session_set_target_id (AssaySession *self, const char *target_id)
{
  g_return_if_fail (ASSAY_IS_SESSION (self));
  g_return_if_fail (target_id != NULL);

  if (g_strcmp0 (assay_session_get_target_id (self), target_id) == 0)
    return;

  assay_edits_set_target_id (assay_session_get_edits (self), target_id);
  if (strchr (target_id, G_DIR_SEPARATOR) != NULL)
    {
      g_free (self->own_target);
      self->own_target = g_strdup (target_id);
    }
  notify (self, PROP_TARGET_ID);
  assay_session_note_edit (self);

  if (assay_document_get_path (self->document) != NULL && self->state != ASSAY_SESSION_FAILED)
    assay_session_start_work (self, self->state == ASSAY_SESSION_LOADING ? ASSAY_WORK_OPEN
                                                                         : ASSAY_WORK_CHECK);
}

/**
 * assay_session_get_targets:
 * @self: a session
 *
 * Gets all targets; rows and counts arrive after a survey has started.
 *
 * Returns: (transfer none): a list of #AssayTargetItem
 */
GListModel *
assay_session_get_targets (AssaySession *self)
{
  return G_LIST_MODEL (self->targets);
}

/**
 * assay_session_get_setup:
 * @self: a session
 *
 * Gets how the model is set up.
 *
 * Returns: (transfer none): the setup
 */
AssaySettings *
assay_session_get_setup (AssaySession *self)
{
  return assay_edits_get_setup (assay_session_get_edits (self));
}

/**
 * assay_session_set_setup:
 * @self: a session
 * @setup: a setup
 *
 * Changes the setup; reads the model again only if sizes or shapes changed, and checks it again.
 */
void
assay_session_set_setup (AssaySession *self, AssaySettings *setup)
{
  g_return_if_fail (ASSAY_IS_SESSION (self));
  g_return_if_fail (setup != NULL);

  if (assay_settings_equal (assay_session_get_setup (self), setup))
    return;

  assay_edits_set_setup (assay_session_get_edits (self), setup);
  notify (self, PROP_SETUP);
  assay_session_note_edit (self);

  if (self->state == ASSAY_SESSION_READY)
    assay_session_start_work (self, ASSAY_WORK_CHECK);
}

/**
 * assay_session_get_dimensions:
 * @self: a session
 *
 * Gets the dimensions that the file leaves open, also those that the setup has given a size.
 *
 * Returns: (transfer none) (element-type AssayDimension): the dimensions
 */
GPtrArray *
assay_session_get_dimensions (AssaySession *self)
{
  return self->dimensions;
}

/**
 * assay_session_get_inputs:
 * @self: a session
 *
 * Gets the main inputs of the model as the file has them.
 *
 * Returns: (transfer none) (element-type AssayInput): the inputs
 */
GPtrArray *
assay_session_get_inputs (AssaySession *self)
{
  return self->inputs;
}
