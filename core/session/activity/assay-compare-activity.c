/* assay-compare-activity.c
 * SPDX-License-Identifier: Apache-2.0
 */
#include "session/activity/assay-compare-activity.h"

#include "base/assay-error.h"
#include "run/assay-comparison-cost.h"
#include "run/assay-gpu.h"
#include "work/assay-remedy.h"
#include "run/assay-run-pair.h"
#include "session/activity/assay-activity-private.h"
#include "session/activity/assay-compare-request.h"
#include "document/assay-comparison-json.h"
#include "session/assay-session-private.h"

#define N_SIDES ASSAY_COMPARE_N_SIDES

static const char *const default_runners[N_SIDES] = { "reference", "vm" };

/* One request to a worker; it belongs to the worker while that runs. */
typedef struct
{
  AssayCompareRequest *asked;
  GAsyncQueue *arrived; /* AssayCompareItem, from the worker */

  AssayComparison *comparison;
} Work;

struct _AssayCompareActivity
{
  AssayActivity parent_instance;

  char *runners[N_SIDES];

  GAsyncQueue *arrived;
  guint timeout;
  gboolean paused;
  GListStore *rows;
  AssayComparison *comparison;
  AssayComparison *before; /* while another one is made, which may not come to an end */
};

enum
{
  PROP_0,
  PROP_SETTING,
  N_PROPS
};

static GParamSpec *properties[N_PROPS];

/* Rows come faster than anybody reads. */
#define ARRIVAL_MS 100

G_DEFINE_FINAL_TYPE (AssayCompareActivity, assay_compare_activity, ASSAY_TYPE_ACTIVITY)

static void
work_free (gpointer data)
{
  Work *work = data;

  assay_compare_request_free (work->asked);
  g_async_queue_unref (work->arrived);
  g_clear_pointer (&work->comparison, assay_comparison_free);
  g_free (work);
}

static void
notify (AssayCompareActivity *self, guint prop)
{
  g_object_notify_by_pspec (G_OBJECT (self), properties[prop]);
}

/* The rows in program order, with verdicts, in place of those that came first. */
static void
take_rows (AssayCompareActivity *self)
{
  g_autoptr (GPtrArray) items = g_ptr_array_new_with_free_func (g_object_unref);

  for (guint i = 0; i < self->comparison->rows->len; i++)
    g_ptr_array_add (items, assay_compare_item_new (assay_comparison_row (self->comparison, i), i));
  g_list_store_splice (self->rows, 0, g_list_model_get_n_items (G_LIST_MODEL (self->rows)),
                       items->pdata, items->len);
}

/* What is being tried is of a comparison that is not, or not for long, the one there is. */
static void
forget_causes (AssayCompareActivity *self)
{
  AssaySession *session = assay_activity_get_session (ASSAY_ACTIVITY (self));

  assay_activity_reset (ASSAY_ACTIVITY (session->causes));
}

/* Numbers of half a comparison would be read as those of a whole one; those of the one before stand
 * again, until there is another whole one. */
static void
assay_compare_activity_ended (AssayActivity *activity)
{
  AssayCompareActivity *self = ASSAY_COMPARE_ACTIVITY (activity);

  g_clear_handle_id (&self->timeout, g_source_remove);
  g_clear_pointer (&self->arrived, g_async_queue_unref);
  forget_causes (self);
  if (self->comparison == NULL)
    self->comparison = g_steal_pointer (&self->before);
  if (self->comparison == NULL)
    g_list_store_remove_all (self->rows);
  else
    take_rows (self);
}

static gboolean
assay_compare_activity_has_results (AssayActivity *activity)
{
  return ASSAY_COMPARE_ACTIVITY (activity)->comparison != NULL;
}

static void
assay_compare_activity_clear (AssayActivity *activity)
{
  AssayCompareActivity *self = ASSAY_COMPARE_ACTIVITY (activity);

  g_list_store_remove_all (self->rows);
  g_clear_pointer (&self->comparison, assay_comparison_free);
  g_clear_pointer (&self->before, assay_comparison_free);
}

static void
row_cb (const AssayComparisonRow *row, gpointer user_data)
{
  Work *work = user_data;

  g_async_queue_push (work->arrived, assay_compare_item_new (row, G_MAXUINT));
}

static gboolean
arrival_cb (gpointer user_data)
{
  AssayCompareActivity *self = user_data;
  AssayCompareItem *item;

  while (!self->paused && (item = g_async_queue_try_pop (self->arrived)) != NULL)
    {
      g_list_store_append (self->rows, item);
      g_object_unref (item);
    }

  return G_SOURCE_CONTINUE;
}

/* What test data says should come out is held against B as well. That it cannot be read is said,
 * and takes nothing from the comparison. */
static gboolean
compare_expected (Work *work, const AssayComparisonSide *b, GPtrArray *tensors,
                  const AssayComparisonOptions *wanted, const AssayProgress *progress,
                  GError **error)
{
  g_autofree char *folder = assay_input_choice_dup_expected (work->asked->inputs);
  g_autofree char *spec = folder != NULL ? g_strconcat ("files:", folder, NULL) : NULL;
  const AssayComparisonSide files = { spec, b->subject };
  AssayComparisonOptions options = *wanted;
  g_autoptr (AssayComparison) outputs = NULL;
  g_autoptr (GError) trouble = NULL;

  if (folder == NULL)
    return TRUE;

  options.outputs_only = TRUE;
  options.row_func = NULL;
  outputs = assay_compare_runs (&files, b, tensors, &options, progress, &trouble);
  if (assay_progress_is_cancelled (progress))
    {
      g_propagate_error (error, g_steal_pointer (&trouble));
      return FALSE;
    }
  assay_comparison_take_expected (work->comparison, folder, outputs, trouble);
  return TRUE;
}

static gboolean
assay_compare_activity_work (gpointer request, const AssayProgress *progress, GError **error)
{
  Work *work = request;
  AssayProgress preparing = assay_progress_part (progress, 0.0, 0.1);
  AssayProgress running = assay_progress_part (progress, 0.1, 0.9);
  AssayProgress trying = assay_progress_part (progress, 0.9, 0.95);
  AssayProgress measuring = assay_progress_part (progress, 0.95, 0.98);
  AssayProgress expecting = assay_progress_part (progress, 0.98, 1.0);
  g_autoptr (AssayGpuLease) lease = assay_gpu_lease_new ();
  g_autoptr (AssayTolerance) tolerance = NULL;
  g_autoptr (GPtrArray) tensors = NULL;
  g_autoptr (GArray) ports = NULL;
  AssayComparisonOptions options = { .row_func = row_cb, .row_data = work };
  AssayComparisonSide sides[N_SIDES];
  g_autoptr (AssayRunSubject) subject = assay_compare_request_prepare (
      work->asked, &preparing, sides, &ports, &tensors, error);

  if (subject == NULL)
    return FALSE;

  tolerance = work->asked->tolerance != NULL ? assay_tolerance_load (work->asked->tolerance, error)
                                             : assay_tolerance_new_default ();
  if (tolerance == NULL)
    return FALSE;

  options.tolerance = tolerance;
  work->comparison = assay_compare_runs (&sides[0], &sides[1], tensors, &options, &running, error);
  return work->comparison != NULL &&
         assay_explain_causes (work->comparison, work->asked->model, &sides[0], &sides[1], tensors,
                               0, &trying, error) &&
         assay_comparison_measure_costs (work->comparison, &sides[0], tensors,
                                         ASSAY_COMPARISON_N_GAINS, &measuring, error) &&
         compare_expected (work, &sides[1], tensors, &options, &expecting, error);
}

static void
assay_compare_activity_take (AssayActivity *activity, gpointer request, const GError *error)
{
  AssayCompareActivity *self = ASSAY_COMPARE_ACTIVITY (activity);
  Work *work = request;

  if (error != NULL)
    return;

  g_clear_pointer (&self->comparison, assay_comparison_free);
  self->comparison = g_steal_pointer (&work->comparison);
  take_rows (self);
}

/* What a session file has kept: as good as if it had just been made. */
void
assay_compare_activity_restore (AssayCompareActivity *self, const AssayComparison *comparison)
{
  forget_causes (self);
  g_clear_pointer (&self->comparison, assay_comparison_free);
  self->comparison = assay_comparison_copy (comparison);
  take_rows (self);
  assay_activity_restore (ASSAY_ACTIVITY (self));
}

/* What was tried for one row of it since. */
void
assay_compare_activity_take_causes (AssayCompareActivity *self, guint index,
                                    AssayComparisonRow *tried)
{
  AssayComparisonRow *row = g_ptr_array_index (self->comparison->rows, index);

  g_clear_pointer (&row->causes, g_ptr_array_unref);
  row->causes = g_steal_pointer (&tried->causes);
  row->n_trials = tried->n_trials;
}

static void
assay_compare_activity_finalize (GObject *object)
{
  AssayCompareActivity *self = ASSAY_COMPARE_ACTIVITY (object);

  g_clear_handle_id (&self->timeout, g_source_remove);
  g_clear_pointer (&self->arrived, g_async_queue_unref);
  for (guint i = 0; i < N_SIDES; i++)
    g_free (self->runners[i]);
  g_object_unref (self->rows);
  g_clear_pointer (&self->comparison, assay_comparison_free);
  g_clear_pointer (&self->before, assay_comparison_free);

  G_OBJECT_CLASS (assay_compare_activity_parent_class)->finalize (object);
}

/* Tolerances are a decision like any other: it can be taken back. */
static AssayEdits *
get_edits (AssayCompareActivity *self)
{
  return assay_session_get_edits (assay_activity_get_session (ASSAY_ACTIVITY (self)));
}

static void
assay_compare_activity_get_property (GObject *object, guint prop_id, GValue *value,
                                     GParamSpec *pspec)
{
  AssayCompareActivity *self = ASSAY_COMPARE_ACTIVITY (object);

  switch (prop_id)
    {
    case PROP_SETTING:
      g_value_take_string (value, g_strjoin (" ", self->runners[0], self->runners[1],
                                             assay_compare_activity_get_tolerance (self), NULL));
      break;
    default:
      G_OBJECT_WARN_INVALID_PROPERTY_ID (object, prop_id, pspec);
    }
}

static void
assay_compare_activity_class_init (AssayCompareActivityClass *klass)
{
  GObjectClass *object_class = G_OBJECT_CLASS (klass);
  AssayActivityClass *activity_class = ASSAY_ACTIVITY_CLASS (klass);

  object_class->finalize = assay_compare_activity_finalize;
  object_class->get_property = assay_compare_activity_get_property;
  activity_class->work = assay_compare_activity_work;
  activity_class->request_free = work_free;
  activity_class->ended = assay_compare_activity_ended;
  activity_class->take = assay_compare_activity_take;
  activity_class->has_results = assay_compare_activity_has_results;
  activity_class->clear = assay_compare_activity_clear;

  properties[PROP_SETTING] = g_param_spec_string ("setting", NULL, NULL, NULL,
                                                  G_PARAM_READABLE | G_PARAM_STATIC_STRINGS);
  g_object_class_install_properties (object_class, N_PROPS, properties);
}

static void
assay_compare_activity_init (AssayCompareActivity *self)
{
  for (guint i = 0; i < N_SIDES; i++)
    self->runners[i] = g_strdup (default_runners[i]);
  self->rows = g_list_store_new (ASSAY_TYPE_COMPARE_ITEM);
}

/**
 * assay_compare_activity_can_start:
 * @self: a comparison
 *
 * Tells whether there is a program that could be compared, or a model where both sides need no
 * program.
 *
 * Returns: whether assay_compare_activity_start() would do something
 */
gboolean
assay_compare_activity_can_start (AssayCompareActivity *self)
{
  AssaySession *session = assay_activity_get_session (ASSAY_ACTIVITY (self));

  for (guint i = 0; i < N_SIDES; i++)
    {
      const AssayRunnerKind *kind = assay_runner_kind_find (self->runners[i], NULL);

      if (kind == NULL || kind->needs_program)
        return assay_activity_get_state (ASSAY_ACTIVITY (session->compilation)) ==
               ASSAY_ACTIVITY_READY;
    }

  return session->state == ASSAY_SESSION_READY && session->graph != NULL;
}

/**
 * assay_compare_activity_start:
 * @self: a comparison
 *
 * Runs both sides on the inputs of the session and compares them; one that is under way is begun
 * again.
 */
void
assay_compare_activity_start (AssayCompareActivity *self)
{
  GAsyncQueue *arrived;
  g_autofree char *title = NULL;
  const AssayRunnerKind *kinds[N_SIDES];
  Work *work;

  g_return_if_fail (ASSAY_IS_COMPARE_ACTIVITY (self));

  for (guint i = 0; i < N_SIDES; i++)
    kinds[i] = assay_runner_kind_find (self->runners[i], NULL);
  if (!assay_compare_activity_can_start (self) || kinds[0] == NULL || kinds[1] == NULL)
    return;

  work = g_new0 (Work, 1);
  work->asked = assay_compare_request_new (self);
  arrived = work->arrived = g_async_queue_new_full (g_object_unref);
  title = g_strdup_printf ("Comparing %s with %s", kinds[1]->label, kinds[0]->label);
  g_object_freeze_notify (G_OBJECT (self));
  assay_activity_start (ASSAY_ACTIVITY (self), title, work);
  self->before = g_steal_pointer (&self->comparison);
  g_list_store_remove_all (self->rows);
  g_object_thaw_notify (G_OBJECT (self));
  self->arrived = g_async_queue_ref (arrived);
  self->timeout = g_timeout_add (ARRIVAL_MS, arrival_cb, self);
}

/**
 * assay_compare_activity_set_paused:
 * @self: a comparison
 * @paused: whether to hold rows back
 *
 * Holds back rows that arrive, while somebody points at those that are there; at the end all are
 * there.
 */
void
assay_compare_activity_set_paused (AssayCompareActivity *self, gboolean paused)
{
  self->paused = paused;
}

/**
 * assay_compare_activity_get_runner:
 * @self: a comparison
 * @side: 0 for the reference, 1 for what is compared with it
 *
 * Gets one of the two sides.
 *
 * Returns: (transfer none): name of a runner, with its argument behind a colon
 */
const char *
assay_compare_activity_get_runner (AssayCompareActivity *self, guint side)
{
  g_return_val_if_fail (side < N_SIDES, NULL);

  return self->runners[side];
}

/**
 * assay_compare_activity_set_runner:
 * @self: a comparison
 * @side: 0 for the reference, 1 for what is compared with it
 * @runner: name of a runner
 *
 * Chooses one of the two sides.
 */
void
assay_compare_activity_set_runner (AssayCompareActivity *self, guint side, const char *runner)
{
  g_return_if_fail (side < N_SIDES);

  if (g_str_equal (self->runners[side], runner))
    return;

  g_free (self->runners[side]);
  self->runners[side] = g_strdup (runner);
  assay_activity_outdate (ASSAY_ACTIVITY (self));
  notify (self, PROP_SETTING);
}

/**
 * assay_compare_activity_get_tolerance:
 * @self: a comparison
 *
 * Gets the file with the tolerances.
 *
 * Returns: (nullable): its path, %NULL for those that ship
 */
const char *
assay_compare_activity_get_tolerance (AssayCompareActivity *self)
{
  return assay_edits_get_tolerance (get_edits (self));
}

/**
 * assay_compare_activity_set_tolerance:
 * @self: a comparison
 * @path: (nullable): path of a file with tolerances, %NULL for those that ship
 *
 * Chooses how far values may be apart.
 */
void
assay_compare_activity_set_tolerance (AssayCompareActivity *self, const char *path)
{
  AssayEdits *edits = get_edits (self);

  if (g_strcmp0 (assay_edits_get_tolerance (edits), path) == 0)
    return;

  assay_edits_set_tolerance (edits, path);
  assay_activity_outdate (ASSAY_ACTIVITY (self));
  notify (self, PROP_SETTING);
}

/**
 * assay_compare_activity_get_comparison:
 * @self: a comparison
 *
 * Gets the whole, once it is there.
 *
 * Returns: (transfer none) (nullable): the comparison
 */
const AssayComparison *
assay_compare_activity_get_comparison (AssayCompareActivity *self)
{
  return self->comparison;
}

/**
 * assay_compare_activity_get_rows:
 * @self: a comparison
 *
 * Gets the rows: as they come while it runs, in program order when it is done.
 *
 * Returns: (transfer none): a list of #AssayCompareItem
 */
GListModel *
assay_compare_activity_get_rows (AssayCompareActivity *self)
{
  return G_LIST_MODEL (self->rows);
}

/* The values of one tensor. */

typedef struct
{
  AssayCompareRequest *asked;
  char *name;
  AssayJob *job;
  AssayTensor *values[N_SIDES];
} Reading;

static void
reading_free (gpointer data)
{
  Reading *reading = data;

  assay_compare_request_free (reading->asked);
  g_free (reading->name);
  g_clear_object (&reading->job);
  for (guint i = 0; i < N_SIDES; i++)
    g_clear_pointer (&reading->values[i], assay_tensor_unref);
  g_free (reading);
}

/* Ids of a kept comparison are those of another run of the passes; names are the same. */
static AssayValueId
find_value (const AssayGraph *graph, const char *name)
{
  for (AssayValueId id = 1; id < assay_graph_n_values (graph); id++)
    if (g_strcmp0 (assay_graph_value (graph, id)->name, name) == 0)
      return id;

  return ASSAY_NO_VALUE;
}

static gboolean
read_pair (gpointer request, const AssayProgress *progress, GError **error)
{
  Reading *reading = request;
  AssayProgress preparing = assay_progress_part (progress, 0.0, 0.1);
  AssayProgress running = assay_progress_part (progress, 0.1, 1.0);
  AssayComparisonSide sides[N_SIDES];
  g_autoptr (GArray) ports = NULL;
  g_autoptr (GPtrArray) tensors = NULL;
  g_autoptr (AssayRunSubject) subject = assay_compare_request_prepare (
      reading->asked, &preparing, sides, &ports, &tensors, error);
  AssayValueId value = subject != NULL ? find_value (subject->graph, reading->name)
                                       : ASSAY_NO_VALUE;

  if (subject != NULL && value == ASSAY_NO_VALUE)
    g_set_error (error, ASSAY_ERROR, ASSAY_ERROR_INVALID, "the model has no value %s any more",
                 reading->name);
  if (value != ASSAY_NO_VALUE &&
      assay_run_pair (&sides[0], &sides[1], ports, tensors, value, &running, &reading->values[0],
                      &reading->values[1], error))
    return TRUE;

  g_prefix_error (error, "%s: ", reading->name);
  return FALSE;
}

/**
 * assay_compare_activity_read_async:
 * @self: a comparison that can start
 * @name: name of a value that was compared
 * @callback: called when it is done
 * @user_data: data for @callback
 *
 * Reads what a tensor is on both sides, in a thread and as a job that can be cancelled: both run
 * again, since a comparison keeps numbers and no tensors.
 */
void
assay_compare_activity_read_async (AssayCompareActivity *self, const char *name,
                                   GAsyncReadyCallback callback, gpointer user_data)
{
  AssaySession *session;
  g_autofree char *title = g_strdup_printf ("Reading %s on both sides", name);
  g_autoptr (GTask) task = NULL;
  Reading *reading;

  g_return_if_fail (ASSAY_IS_COMPARE_ACTIVITY (self));
  g_return_if_fail (assay_compare_activity_can_start (self));

  session = assay_activity_get_session (ASSAY_ACTIVITY (self));
  reading = g_new0 (Reading, 1);
  reading->asked = assay_compare_request_new (self);
  reading->name = g_strdup (name);
  reading->job = assay_session_add_job (session, title);
  task = g_task_new (self, NULL, callback, user_data);
  g_task_set_source_tag (task, assay_compare_activity_read_async);
  g_task_set_task_data (task, reading, reading_free);
  assay_job_run_task (reading->job, task, read_pair);
}

/**
 * assay_compare_activity_read_finish:
 * @self: a comparison
 * @result: what the callback got
 * @a: (out) (transfer full): the tensor on the side of the reference
 * @b: (out) (transfer full): the tensor on the other side, with as many elements
 * @error: return location for a #GError
 *
 * Gets what was read.
 *
 * Returns: whether both are there
 */
gboolean
assay_compare_activity_read_finish (AssayCompareActivity *self, GAsyncResult *result,
                                    AssayTensor **a, AssayTensor **b, GError **error)
{
  Reading *reading;

  g_return_val_if_fail (g_task_is_valid (result, self), FALSE);

  reading = g_task_get_task_data (G_TASK (result));
  assay_jobs_drop (&reading->job);
  if (!g_task_propagate_boolean (G_TASK (result), error))
    return FALSE;

  *a = g_steal_pointer (&reading->values[0]);
  *b = g_steal_pointer (&reading->values[1]);
  return TRUE;
}
