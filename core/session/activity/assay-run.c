/* assay-run.c
 * SPDX-License-Identifier: Apache-2.0
 */
#include "session/activity/assay-run.h"

#include "session/activity/assay-activity-private.h"
#include "session/analysis/assay-input-preview.h"
#include "session/assay-session-private.h"

#define DEFAULT_RUNNER "vm"

/* One request to a worker; it belongs to the worker while that runs. */
typedef struct
{
  AssayWork *model;
  AssayProgram *program;
  char *path;
  char *runner;
  GArray *axes;
  AssayInputChoice *inputs;

  guint model_steps;
  GPtrArray *results;
  AssayRunTimes *times;
  guint n_steps;
  double seconds;
} Work;

struct _AssayRun
{
  AssayActivity parent_instance;

  char *runner;
  AssayInputChoice *inputs;

  char *title;
  GListStore *results;
  char *previous_title;
  GListStore *previous; /* of the run before */
  AssayRunTimes *times; /* or NULL */
  guint n_steps;
  double seconds;
};

enum
{
  PROP_0,
  PROP_RUNNER,
  PROP_INPUTS,
  N_PROPS
};

static GParamSpec *properties[N_PROPS];

G_DEFINE_FINAL_TYPE (AssayRun, assay_run, ASSAY_TYPE_ACTIVITY)

static void
work_free (gpointer data)
{
  Work *work = data;

  assay_work_free (work->model);
  g_clear_object (&work->program);
  g_free (work->path);
  g_free (work->runner);
  g_array_unref (work->axes);
  assay_input_choice_free (work->inputs);
  g_clear_pointer (&work->results, g_ptr_array_unref);
  g_clear_pointer (&work->times, assay_run_times_unref);
  g_free (work);
}

static void
notify (AssayRun *self, guint prop)
{
  g_object_notify_by_pspec (G_OBJECT (self), properties[prop]);
}

/* Only runners that run the model need its canonical form; the others have all they need in the
 * program. A model that takes sequences or optionals becomes one that takes their tensors. */
static AssayRunSubject *
make_subject (Work *work, AssayRunInputs *values, const AssayProgress *progress, GError **error)
{
  const AssayRunnerKind *kind = assay_runner_kind_find (work->runner, error);
  AssayGraph *graph = assay_work_get_graph (work->model, progress, kind != NULL ? error : NULL);
  AssayRunSubject *subject;

  if (kind == NULL || graph == NULL)
    return NULL;
  work->model_steps = assay_count_steps (graph, work->axes);
  if (!kind->needs_graph)
    return assay_run_subject_new_for_program (work->path, work->program, 0);

  if (!kind->needs_program && !assay_work_open_inputs (&work->model, values, progress, error))
    return NULL;
  subject = assay_work_get_subject (work->model, FALSE, progress, error);
  if (subject == NULL)
    return NULL;
  if (work->program != NULL)
    assay_run_subject_set_program (subject, work->program, 0,
                                   (const int *) (gpointer) work->axes->data, work->axes->len);

  return assay_run_subject_ref (subject);
}

/* How long the sequences are that the model was made for; 1 if it does not stream, or nobody knows.
 */
guint
assay_count_steps (AssayGraph *graph, const GArray *axes)
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
assay_run_work (gpointer request, const AssayProgress *progress, GError **error)
{
  Work *work = request;
  g_autoptr (AssayRunInputs) values = assay_input_choice_read (work->inputs, progress, error);
  g_autoptr (AssayRunSubject) subject = NULL;
  g_autoptr (AssayRunner) runner = NULL;
  g_autoptr (GPtrArray) inputs = NULL;
  g_autoptr (GPtrArray) outputs = NULL;
  const AssayRunPort *ports;
  guint n;
  gint64 begin;

  subject = values == NULL ? NULL : make_subject (work, values, progress, error);
  if (subject == NULL)
    return FALSE;
  assay_progress_report (progress, 0.1, "Loading");
  runner = assay_runner_open (work->runner, subject, NULL, progress, error);
  if (runner == NULL)
    return FALSE;
  ports = assay_runner_get_inputs (runner, &n);
  inputs = assay_input_choice_make (work->inputs, values, ports, n, work->model_steps, error);
  if (inputs == NULL)
    return FALSE;

  work->n_steps = 1;
  for (guint i = 0; i < n; i++)
    if (ports[i].time_axis >= 0 &&
        (int) assay_tensor_get_rank (inputs->pdata[i]) > ports[i].time_axis)
      work->n_steps = MAX (work->n_steps,
                           (guint) assay_tensor_get_dims (inputs->pdata[i])[ports[i].time_axis]);

  assay_progress_report (progress, 0.2, "Running");
  begin = g_get_monotonic_time ();
  outputs = assay_runner_run (runner, inputs, NULL, progress, error);
  work->seconds = (double) (g_get_monotonic_time () - begin) / G_USEC_PER_SEC;
  if (outputs == NULL)
    return FALSE;

  work->times = assay_run_times_new (runner);
  ports = assay_runner_get_outputs (runner, &n);
  work->results = g_ptr_array_new_with_free_func (g_object_unref);
  for (guint i = 0; i < outputs->len; i++)
    g_ptr_array_add (work->results, assay_result_item_new (&ports[i], outputs->pdata[i]));
  return TRUE;
}

/* So that a run can be held against the one before it. */
static void
keep_results (AssayRun *self)
{
  g_list_store_remove_all (self->previous);
  for (guint i = 0; i < g_list_model_get_n_items (G_LIST_MODEL (self->results)); i++)
    {
      g_autoptr (AssayResultItem) item = g_list_model_get_item (G_LIST_MODEL (self->results), i);

      g_list_store_append (self->previous, item);
    }
  g_free (self->previous_title);
  self->previous_title = g_steal_pointer (&self->title);
}

static void
assay_run_take (AssayActivity *activity, gpointer request, const GError *error)
{
  AssayRun *self = ASSAY_RUN (activity);
  Work *work = request;

  if (error != NULL)
    return;

  self->n_steps = work->n_steps;
  self->seconds = work->seconds;
  g_clear_pointer (&self->times, assay_run_times_unref);
  self->times = g_steal_pointer (&work->times);
  keep_results (self);
  self->title = g_strdup (assay_runner_kind_find (work->runner, NULL)->label);
  g_list_store_splice (self->results, 0, g_list_model_get_n_items (G_LIST_MODEL (self->results)),
                       work->results->pdata, work->results->len);
}

static gboolean
assay_run_has_results (AssayActivity *activity)
{
  return g_list_model_get_n_items (assay_run_get_results (ASSAY_RUN (activity))) > 0;
}

/* Another model has inputs with other names. */
static void
assay_run_clear (AssayActivity *activity)
{
  AssayRun *self = ASSAY_RUN (activity);

  g_list_store_remove_all (self->results);
  g_list_store_remove_all (self->previous);
  g_clear_pointer (&self->times, assay_run_times_unref);
  g_clear_pointer (&self->title, g_free);
  g_clear_pointer (&self->previous_title, g_free);
  assay_input_choice_free (self->inputs);
  self->inputs = assay_input_choice_new ();
  notify (self, PROP_INPUTS);
}

static void
assay_run_finalize (GObject *object)
{
  AssayRun *self = ASSAY_RUN (object);

  g_free (self->runner);
  assay_input_choice_free (self->inputs);
  g_clear_pointer (&self->times, assay_run_times_unref);
  g_free (self->title);
  g_free (self->previous_title);
  g_object_unref (self->results);
  g_object_unref (self->previous);

  G_OBJECT_CLASS (assay_run_parent_class)->finalize (object);
}

static void
assay_run_get_property (GObject *object, guint prop_id, GValue *value, GParamSpec *pspec)
{
  AssayRun *self = ASSAY_RUN (object);

  switch (prop_id)
    {
    case PROP_RUNNER:
      g_value_set_string (value, self->runner);
      break;
    case PROP_INPUTS:
      g_value_set_boxed (value, self->inputs);
      break;
    default:
      G_OBJECT_WARN_INVALID_PROPERTY_ID (object, prop_id, pspec);
    }
}

static void
assay_run_class_init (AssayRunClass *klass)
{
  GObjectClass *object_class = G_OBJECT_CLASS (klass);
  AssayActivityClass *activity_class = ASSAY_ACTIVITY_CLASS (klass);
  GParamFlags readable = G_PARAM_READABLE | G_PARAM_STATIC_STRINGS;

  object_class->finalize = assay_run_finalize;
  object_class->get_property = assay_run_get_property;
  activity_class->work = assay_run_work;
  activity_class->request_free = work_free;
  activity_class->take = assay_run_take;
  activity_class->has_results = assay_run_has_results;
  activity_class->clear = assay_run_clear;

  properties[PROP_RUNNER] = g_param_spec_string ("runner", NULL, NULL, DEFAULT_RUNNER, readable);
  properties[PROP_INPUTS] = g_param_spec_boxed ("inputs", NULL, NULL, ASSAY_TYPE_INPUT_CHOICE,
                                                readable);
  g_object_class_install_properties (object_class, N_PROPS, properties);
}

static void
assay_run_init (AssayRun *self)
{
  self->runner = g_strdup (DEFAULT_RUNNER);
  self->inputs = assay_input_choice_new ();
  self->results = g_list_store_new (ASSAY_TYPE_RESULT_ITEM);
  self->previous = g_list_store_new (ASSAY_TYPE_RESULT_ITEM);
}

static Work *
work_new (AssayRun *self)
{
  AssaySession *session = assay_activity_get_session (ASSAY_ACTIVITY (self));
  AssayProgram *program = assay_compilation_get_program (session->compilation);
  Work *work = g_new0 (Work, 1);

  work->model = assay_work_copy (session->model);
  work->path = g_strdup (assay_document_get_path (session->document));
  work->program = program != NULL ? g_object_ref (program) : NULL;
  work->runner = g_strdup (self->runner);
  work->axes = assay_settings_list_axes (assay_session_get_setup (session), session->graph);
  work->inputs = assay_input_choice_copy (self->inputs);
  return work;
}

/**
 * assay_run_can_start:
 * @self: a run
 *
 * Tells whether there is a program that could run, or a model where the chosen runner needs no
 * program.
 *
 * Returns: whether assay_run_start() would do something
 */
gboolean
assay_run_can_start (AssayRun *self)
{
  AssaySession *session = assay_activity_get_session (ASSAY_ACTIVITY (self));
  const AssayRunnerKind *kind = assay_runner_kind_find (self->runner, NULL);

  if (kind != NULL && !kind->needs_program)
    return session->state == ASSAY_SESSION_READY && session->graph != NULL;

  return assay_activity_get_state (ASSAY_ACTIVITY (session->compilation)) == ASSAY_ACTIVITY_READY;
}

/**
 * assay_run_start:
 * @self: a run
 *
 * Runs the program on the chosen runner with the chosen inputs; a run that is under way is
 * begun again.
 */
void
assay_run_start (AssayRun *self)
{
  AssaySession *session;
  const AssayRunnerKind *kind;
  g_autofree char *name = NULL;
  g_autofree char *title = NULL;
  Work *work;

  g_return_if_fail (ASSAY_IS_RUN (self));

  kind = assay_runner_kind_find (self->runner, NULL);
  if (!assay_run_can_start (self) || kind == NULL)
    return;

  session = assay_activity_get_session (ASSAY_ACTIVITY (self));
  work = work_new (self);
  name = assay_document_dup_name (assay_session_get_document (session));
  title = g_strdup_printf ("Running %s on %s", name, kind->label);
  assay_activity_start (ASSAY_ACTIVITY (self), title, work);
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
assay_run_set_runner (AssayRun *self, const char *runner)
{
  g_return_if_fail (ASSAY_IS_RUN (self));

  if (g_str_equal (self->runner, runner))
    return;

  g_free (self->runner);
  self->runner = g_strdup (runner);
  assay_activity_outdate (ASSAY_ACTIVITY (self));
  notify (self, PROP_RUNNER);
}

/**
 * assay_run_get_inputs:
 * @self: a run
 *
 * Gets what goes in.
 *
 * Returns: (transfer none): the inputs
 */
const AssayInputChoice *
assay_run_get_inputs (AssayRun *self)
{
  return self->inputs;
}

/**
 * assay_run_set_inputs:
 * @self: a run
 * @inputs: what is to go in
 *
 * Chooses what goes in.
 */
void
assay_run_set_inputs (AssayRun *self, const AssayInputChoice *inputs)
{
  AssayInputChoice *copy;

  g_return_if_fail (ASSAY_IS_RUN (self));

  if (assay_input_choice_equal (self->inputs, inputs))
    return;

  copy = assay_input_choice_copy (inputs);
  assay_input_choice_free (self->inputs);
  self->inputs = copy;
  assay_activity_outdate (ASSAY_ACTIVITY (self));
  notify (self, PROP_INPUTS);
}

/**
 * assay_run_list_inputs:
 * @self: a run
 *
 * Lists what the program takes, or without one the model.
 *
 * Returns: (transfer full) (element-type AssayRunPort): the inputs; none without a model
 */
GArray *
assay_run_list_inputs (AssayRun *self)
{
  AssaySession *session = assay_activity_get_session (ASSAY_ACTIVITY (self));
  AssayProgram *program = assay_compilation_get_program (session->compilation);

  if (program != NULL && assay_program_num_models (program) > 0)
    return assay_run_ports_for_program (program, 0, TRUE);

  return session->graph != NULL ? assay_run_ports_for_graph (session->graph)
                                : assay_run_ports_new ();
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
 * assay_run_find_previous:
 * @self: a run
 * @name: name of an output
 * @title: (out) (transfer none): what it came from
 *
 * Finds an output of the run before the last one, to hold the two against each other.
 *
 * Returns: (transfer none) (nullable): the output
 */
AssayTensor *
assay_run_find_previous (AssayRun *self, const char *name, const char **title)
{
  for (guint i = 0; i < g_list_model_get_n_items (G_LIST_MODEL (self->previous)); i++)
    {
      g_autoptr (AssayResultItem) item = g_list_model_get_item (G_LIST_MODEL (self->previous), i);

      if (g_str_equal (assay_result_item_get_name (item), name))
        {
          *title = self->previous_title;
          return assay_result_item_get_tensor (item);
        }
    }

  return NULL;
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

/**
 * assay_run_get_times:
 * @self: a run
 *
 * Gets how long the parts of the last run took.
 *
 * Returns: (transfer none) (nullable): the times, %NULL if its runner does not time parts
 */
AssayRunTimes *
assay_run_get_times (AssayRun *self)
{
  return self->times;
}

static gboolean
preview (gpointer request, const AssayProgress *progress, GError **error)
{
  Work *work = request;
  g_autoptr (AssayRunInputs) values = assay_input_choice_read (work->inputs, progress, error);
  g_autoptr (AssayRunSubject) subject = NULL;
  const AssayRunnerKind *kind = assay_runner_kind_find (work->runner, NULL);
  g_autoptr (GArray) ports = NULL;

  subject = values == NULL ? NULL : make_subject (work, values, progress, error);
  if (subject == NULL)
    return FALSE;

  /* The same list as that of the runner: random values go by the place of an input. */
  ports = kind->needs_program ? assay_run_ports_for_program (work->program, 0, TRUE)
                              : assay_run_subject_get_inputs (subject);
  work->results = assay_input_previews_new (work->inputs, values,
                                            (const AssayRunPort *) (gpointer) ports->data,
                                            ports->len, work->model_steps, progress, error);

  return work->results != NULL;
}

/**
 * assay_run_preview_async:
 * @self: a run that can start
 * @cancellable: (nullable): to stop it
 * @callback: called when it is done
 * @user_data: data for @callback
 *
 * Makes what the next run would be fed with, in a thread, without running.
 */
void
assay_run_preview_async (AssayRun *self, GCancellable *cancellable, GAsyncReadyCallback callback,
                         gpointer user_data)
{
  g_autoptr (AssayJob) job = assay_job_new ("Making inputs");
  g_autoptr (GTask) task = NULL;

  g_return_if_fail (ASSAY_IS_RUN (self));
  g_return_if_fail (assay_run_can_start (self));

  task = g_task_new (self, cancellable, callback, user_data);
  g_task_set_source_tag (task, assay_run_preview_async);
  g_task_set_task_data (task, work_new (self), work_free);
  assay_job_run_task (job, task, preview);
}

/**
 * assay_run_preview_finish:
 * @self: a run
 * @result: what the callback got
 * @error: return location for a #GError
 *
 * Gets what a run would be fed with.
 *
 * Returns: (transfer full) (nullable) (element-type AssayInputPreview): one per input, %NULL if
 * something cannot be fed
 */
GPtrArray *
assay_run_preview_finish (AssayRun *self, GAsyncResult *result, GError **error)
{
  g_return_val_if_fail (g_task_is_valid (result, self), NULL);

  if (!g_task_propagate_boolean (G_TASK (result), error))
    return NULL;

  return g_steal_pointer (&((Work *) g_task_get_task_data (G_TASK (result)))->results);
}
