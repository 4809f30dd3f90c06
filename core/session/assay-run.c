/* assay-run.c
 * SPDX-License-Identifier: Apache-2.0
 */
#include "session/assay-run.h"

#include "run/assay-runner.h"
#include "session/assay-session-private.h"

#define DEFAULT_RUNNER "vm"

/* One request to a worker; it belongs to the worker while that runs. */
typedef struct
{
  guint generation;
  AssayGraph *graph;
  AssayCode *code;
  char *path;
  char *runner;
  GArray *axes;
  AssayFeed *feed;
  AssayJob *job;

  GPtrArray *results;
  guint n_steps;
  double seconds;
} Work;

struct _AssayRun
{
  GObject parent_instance;

  AssaySession *session; /* owns the run */
  AssayRunState state;
  guint generation;
  AssayJob *job;
  char *runner;
  AssayFeed *feed;

  char *title;
  GListStore *results;
  guint n_steps;
  double seconds;
  GError *error;
};

enum
{
  PROP_0,
  PROP_STATE,
  PROP_RUNNER,
  PROP_FEED,
  N_PROPS
};

static GParamSpec *properties[N_PROPS];

G_DEFINE_FINAL_TYPE (AssayRun, assay_run, G_TYPE_OBJECT)

G_DEFINE_ENUM_TYPE (AssayRunState, assay_run_state,
                    G_DEFINE_ENUM_VALUE (ASSAY_RUN_NONE, "none"),
                    G_DEFINE_ENUM_VALUE (ASSAY_RUN_RUNNING, "running"),
                    G_DEFINE_ENUM_VALUE (ASSAY_RUN_READY, "ready"),
                    G_DEFINE_ENUM_VALUE (ASSAY_RUN_FAILED, "failed"),
                    G_DEFINE_ENUM_VALUE (ASSAY_RUN_STALE, "stale"))

static void
work_free (gpointer data)
{
  Work *work = data;

  assay_graph_unref (work->graph);
  assay_code_unref (work->code);
  g_free (work->path);
  g_free (work->runner);
  g_array_unref (work->axes);
  assay_feed_free (work->feed);
  g_object_unref (work->job);
  g_clear_pointer (&work->results, g_ptr_array_unref);
  g_free (work);
}

static void
notify (AssayRun *self,
        guint     prop)
{
  g_object_notify_by_pspec (G_OBJECT (self), properties[prop]);
}

static void
set_state (AssayRun      *self,
           AssayRunState  state)
{
  self->state = state;
  notify (self, PROP_STATE);
}

static gboolean
has_results (AssayRun *self)
{
  return g_list_model_get_n_items (G_LIST_MODEL (self->results)) > 0;
}

static void
stop (AssayRun *self)
{
  self->generation++;
  _assay_jobs_cancel (self->session->jobs, &self->job);
}

/* Only runners that run the model need its canonical form; the others have all they need in the program. */
static AssayRunSubject *
make_subject (const Work           *work,
              const AssayProgress  *progress,
              GError              **error)
{
  const AssayRunnerKind *kind = assay_runner_kind_find (work->runner, error);
  AssayRunSubject *subject;

  if (kind == NULL)
    return NULL;
  if (!kind->needs_graph)
    return assay_run_subject_new_for_program (work->path, work->code, 0);

  subject = assay_run_subject_new_for_graph (work->path, work->graph, progress, error);
  if (subject != NULL)
    assay_run_subject_set_program (subject, work->code, 0, (const int *) (gpointer) work->axes->data, work->axes->len);
  return subject;
}

/* How long the sequences are that the model was made for; 1 if it does not stream, or nobody knows. */
guint
_assay_count_steps (AssayGraph   *graph,
                    const GArray *axes)
{
  const AssayRegion *main_region = assay_graph_region (graph, ASSAY_MAIN_REGION);
  guint input = 0;

  for (guint i = 0; i < main_region->inputs->len && input < axes->len; i++)
    {
      AssayValueId id = g_array_index (main_region->inputs, AssayValueId, i);
      const AssayValue *value = assay_graph_value (graph, id);
      int axis;

      if (value->is_parameter || value->constant != NULL)
        continue;
      axis = g_array_index (axes, int, input++);
      if (axis >= 0 && axis < value->type->rank && value->type->dims[axis].size > 0)
        return (guint) MIN (value->type->dims[axis].size, G_MAXINT32);
    }

  return 1;
}

static gboolean
run (Work                 *work,
     const AssayProgress  *progress,
     GError              **error)
{
  g_autoptr (AssayRunSubject) subject = make_subject (work, progress, error);
  g_autoptr (AssayRunner) runner = NULL;
  g_autoptr (GPtrArray) inputs = NULL;
  g_autoptr (GPtrArray) outputs = NULL;
  const AssayRunPort *ports;
  guint n;
  gint64 begin;

  if (subject == NULL)
    return FALSE;
  assay_progress_report (progress, 0.1, "Loading");
  runner = assay_runner_open (work->runner, subject, NULL, progress, error);
  if (runner == NULL)
    return FALSE;
  ports = assay_runner_get_inputs (runner, &n);
  inputs = assay_feed_make (work->feed, ports, n, _assay_count_steps (work->graph, work->axes), error);
  if (inputs == NULL)
    return FALSE;

  work->n_steps = 1;
  for (guint i = 0; i < n; i++)
    if (ports[i].time_axis >= 0 && (int) assay_tensor_get_rank (inputs->pdata[i]) > ports[i].time_axis)
      work->n_steps = MAX (work->n_steps, (guint) assay_tensor_get_dims (inputs->pdata[i])[ports[i].time_axis]);

  assay_progress_report (progress, 0.2, "Running");
  begin = g_get_monotonic_time ();
  outputs = assay_runner_run (runner, inputs, NULL, progress, error);
  work->seconds = (double) (g_get_monotonic_time () - begin) / G_USEC_PER_SEC;
  if (outputs == NULL)
    return FALSE;

  ports = assay_runner_get_outputs (runner, &n);
  work->results = g_ptr_array_new_with_free_func (g_object_unref);
  for (guint i = 0; i < outputs->len; i++)
    g_ptr_array_add (work->results, assay_result_item_new (ports[i].name, outputs->pdata[i]));
  return TRUE;
}

static void
work_thread (GTask        *task,
             gpointer      source_object,
             gpointer      task_data,
             GCancellable *cancellable)
{
  Work *work = task_data;
  AssayProgress progress = assay_job_get_progress (work->job);
  GError *error = NULL;

  if (run (work, &progress, &error))
    g_task_return_boolean (task, TRUE);
  else
    g_task_return_error (task, error);
}

static void
work_done_cb (GObject      *object,
              GAsyncResult *result,
              gpointer      user_data)
{
  AssayRun *self = ASSAY_RUN (object);
  Work *work = g_task_get_task_data (G_TASK (result));
  g_autoptr (GError) error = NULL;
  gboolean ok = g_task_propagate_boolean (G_TASK (result), &error);

  if (work->generation != self->generation)
    return;

  _assay_jobs_drop (self->session->jobs, &self->job);
  g_clear_error (&self->error);
  if (!ok)
    {
      self->error = g_steal_pointer (&error);
      set_state (self, ASSAY_RUN_FAILED);
      return;
    }

  self->n_steps = work->n_steps;
  self->seconds = work->seconds;
  g_free (self->title);
  self->title = g_strdup (assay_runner_kind_find (work->runner, NULL)->label);
  g_list_store_splice (self->results, 0, g_list_model_get_n_items (G_LIST_MODEL (self->results)), work->results->pdata,
                       work->results->len);
  set_state (self, ASSAY_RUN_READY);
}

static void
assay_run_finalize (GObject *object)
{
  AssayRun *self = ASSAY_RUN (object);

  g_clear_object (&self->job);
  g_free (self->runner);
  assay_feed_free (self->feed);
  g_free (self->title);
  g_object_unref (self->results);
  g_clear_error (&self->error);

  G_OBJECT_CLASS (assay_run_parent_class)->finalize (object);
}

static void
assay_run_get_property (GObject    *object,
                        guint       prop_id,
                        GValue     *value,
                        GParamSpec *pspec)
{
  AssayRun *self = ASSAY_RUN (object);

  switch (prop_id)
    {
    case PROP_STATE:
      g_value_set_enum (value, (int) self->state);
      break;
    case PROP_RUNNER:
      g_value_set_string (value, self->runner);
      break;
    case PROP_FEED:
      g_value_set_boxed (value, self->feed);
      break;
    default:
      G_OBJECT_WARN_INVALID_PROPERTY_ID (object, prop_id, pspec);
    }
}

static void
assay_run_class_init (AssayRunClass *klass)
{
  GObjectClass *object_class = G_OBJECT_CLASS (klass);
  GParamFlags readable = G_PARAM_READABLE | G_PARAM_STATIC_STRINGS;

  object_class->finalize = assay_run_finalize;
  object_class->get_property = assay_run_get_property;

  properties[PROP_STATE] = g_param_spec_enum ("state", NULL, NULL, ASSAY_TYPE_RUN_STATE, ASSAY_RUN_NONE, readable);
  properties[PROP_RUNNER] = g_param_spec_string ("runner", NULL, NULL, DEFAULT_RUNNER, readable);
  properties[PROP_FEED] = g_param_spec_boxed ("feed", NULL, NULL, ASSAY_TYPE_FEED, readable);
  g_object_class_install_properties (object_class, N_PROPS, properties);
}

static void
assay_run_init (AssayRun *self)
{
  self->runner = g_strdup (DEFAULT_RUNNER);
  self->feed = assay_feed_new ();
  self->results = g_list_store_new (ASSAY_TYPE_RESULT_ITEM);
}

AssayRun *
_assay_run_new (AssaySession *session)
{
  AssayRun *self = g_object_new (ASSAY_TYPE_RUN, NULL);

  self->session = session;
  return self;
}

/* Another model: its inputs have other names. */
void
_assay_run_reset (AssayRun *self)
{
  stop (self);
  g_list_store_remove_all (self->results);
  g_clear_error (&self->error);
  g_clear_pointer (&self->title, g_free);
  assay_feed_free (self->feed);
  self->feed = assay_feed_new ();
  notify (self, PROP_FEED);
  set_state (self, ASSAY_RUN_NONE);
}

/* What ran, or is running, is not what there is now. */
void
_assay_run_outdate (AssayRun *self)
{
  stop (self);
  if (self->state != ASSAY_RUN_NONE)
    set_state (self, has_results (self) ? ASSAY_RUN_STALE : ASSAY_RUN_NONE);
}

/**
 * assay_run_can_start:
 * @self: a run
 *
 * Tells whether there is a program that could run.
 *
 * Returns: whether assay_run_start() would do something
 */
gboolean
assay_run_can_start (AssayRun *self)
{
  return assay_compilation_get_state (assay_session_get_compilation (self->session)) == ASSAY_COMPILATION_READY;
}

/**
 * assay_run_start:
 * @self: a run
 *
 * Runs the program on the chosen runner with the inputs of the feed; a run that is under way is begun again.
 */
void
assay_run_start (AssayRun *self)
{
  g_autoptr (GTask) task = NULL;
  g_autofree char *name = NULL;
  g_autofree char *title = NULL;
  const AssayRunnerKind *kind;
  Work *work;

  g_return_if_fail (ASSAY_IS_RUN (self));

  kind = assay_runner_kind_find (self->runner, NULL);
  if (!assay_run_can_start (self) || kind == NULL)
    return;

  stop (self);
  name = assay_session_dup_name (self->session);
  title = g_strdup_printf ("Running %s on %s", name, kind->label);
  self->job = _assay_jobs_add (self->session->jobs, title);

  work = g_new0 (Work, 1);
  work->generation = self->generation;
  work->graph = assay_graph_ref (assay_session_get_graph (self->session));
  work->code = assay_code_ref (assay_compilation_get_code (assay_session_get_compilation (self->session)));
  work->path = g_strdup (assay_session_get_path (self->session));
  work->runner = g_strdup (self->runner);
  work->axes = assay_setup_list_axes (assay_session_get_setup (self->session), work->graph);
  work->feed = assay_feed_copy (self->feed);
  work->job = g_object_ref (self->job);

  task = g_task_new (self, NULL, work_done_cb, NULL);
  g_task_set_source_tag (task, assay_run_start);
  g_task_set_task_data (task, work, work_free);
  set_state (self, ASSAY_RUN_RUNNING);
  g_task_run_in_thread (task, work_thread);
}

/**
 * assay_run_cancel:
 * @self: a run
 *
 * Stops running; results of an earlier run stay and are stale.
 */
void
assay_run_cancel (AssayRun *self)
{
  g_return_if_fail (ASSAY_IS_RUN (self));

  if (self->job != NULL)
    _assay_run_outdate (self);
}

/**
 * assay_run_get_state:
 * @self: a run
 *
 * Gets what there is of a run.
 *
 * Returns: the state
 */
AssayRunState
assay_run_get_state (AssayRun *self)
{
  return self->state;
}

/**
 * assay_run_get_runner:
 * @self: a run
 *
 * Gets what the program will run on.
 *
 * Returns: (transfer none): name of a runner, with its argument behind a colon
 */
const char *
assay_run_get_runner (AssayRun *self)
{
  return self->runner;
}

/**
 * assay_run_set_runner:
 * @self: a run
 * @runner: name of a runner
 *
 * Chooses what the program will run on.
 */
void
assay_run_set_runner (AssayRun   *self,
                      const char *runner)
{
  g_return_if_fail (ASSAY_IS_RUN (self));

  if (g_str_equal (self->runner, runner))
    return;

  g_free (self->runner);
  self->runner = g_strdup (runner);
  _assay_run_outdate (self);
  notify (self, PROP_RUNNER);
}

/**
 * assay_run_get_feed:
 * @self: a run
 *
 * Gets what goes in.
 *
 * Returns: (transfer none): the feed
 */
const AssayFeed *
assay_run_get_feed (AssayRun *self)
{
  return self->feed;
}

/**
 * assay_run_set_feed:
 * @self: a run
 * @feed: a feed
 *
 * Chooses what goes in.
 */
void
assay_run_set_feed (AssayRun        *self,
                    const AssayFeed *feed)
{
  AssayFeed *copy;

  g_return_if_fail (ASSAY_IS_RUN (self));

  if (assay_feed_equal (self->feed, feed))
    return;

  copy = assay_feed_copy (feed);
  assay_feed_free (self->feed);
  self->feed = copy;
  _assay_run_outdate (self);
  notify (self, PROP_FEED);
}

/**
 * assay_run_list_inputs:
 * @self: a run
 *
 * Lists what the program takes.
 *
 * Returns: (transfer full) (element-type AssayRunPort): the inputs; none without a program
 */
GArray *
assay_run_list_inputs (AssayRun *self)
{
  AssayCode *code = assay_compilation_get_code (assay_session_get_compilation (self->session));

  return code != NULL && code->models->len > 0 ? assay_run_ports_for_program (code, 0, TRUE) : assay_run_ports_new ();
}

/**
 * assay_run_get_error:
 * @self: a run
 *
 * Gets why a run did not end.
 *
 * Returns: (transfer none) (nullable): the error, in state failed
 */
const GError *
assay_run_get_error (AssayRun *self)
{
  return self->state == ASSAY_RUN_FAILED ? self->error : NULL;
}

/**
 * assay_run_get_results:
 * @self: a run
 *
 * Gets what came out of the last run that ended.
 *
 * Returns: (transfer none): a list of #AssayResultItem
 */
GListModel *
assay_run_get_results (AssayRun *self)
{
  return G_LIST_MODEL (self->results);
}

/**
 * assay_run_get_title:
 * @self: a run
 *
 * Gets what the results came from.
 *
 * Returns: (transfer none) (nullable): such as `Machine bf16`
 */
const char *
assay_run_get_title (AssayRun *self)
{
  return self->title;
}

/**
 * assay_run_get_n_steps:
 * @self: a run
 *
 * Gets how many timesteps the last run had.
 *
 * Returns: the number, 1 for a model that does not stream
 */
guint
assay_run_get_n_steps (AssayRun *self)
{
  return self->n_steps;
}

/**
 * assay_run_get_seconds:
 * @self: a run
 *
 * Gets how long this computer took for the last run.
 *
 * Returns: seconds
 */
double
assay_run_get_seconds (AssayRun *self)
{
  return self->seconds;
}
