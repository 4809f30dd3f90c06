/* assay-rollout.c
 * SPDX-License-Identifier: Apache-2.0
 */
#include "session/assay-rollout.h"

#include "session/assay-session-private.h"

#define DEFAULT_BOARD "local"
/* Enough for a 99th percentile. */
#define N_RUNS 1000

/* One request to a worker; it belongs to the worker while that runs. */
typedef struct
{
  guint generation;
  AssayCode *code;
  char *board;
  guint64 seed;
  AssayJob *job;

  AssayDeployment *deployment;
} Work;

struct _AssayRollout
{
  GObject parent_instance;

  AssaySession *session; /* owns it */
  AssayRunState state;
  guint generation;
  AssayJob *job;
  char *board;

  AssayDeployment *deployment;
  GError *error;
};

enum
{
  PROP_0,
  PROP_STATE,
  PROP_BOARD,
  N_PROPS
};

static GParamSpec *properties[N_PROPS];

G_DEFINE_FINAL_TYPE (AssayRollout, assay_rollout, G_TYPE_OBJECT)

static void
work_free (gpointer data)
{
  Work *work = data;

  assay_code_unref (work->code);
  g_free (work->board);
  g_object_unref (work->job);
  g_clear_pointer (&work->deployment, assay_deployment_free);
  g_free (work);
}

static void
set_state (AssayRollout  *self,
           AssayRunState  state)
{
  self->state = state;
  g_object_notify_by_pspec (G_OBJECT (self), properties[PROP_STATE]);
}

static void
stop (AssayRollout *self)
{
  self->generation++;
  _assay_jobs_cancel (self->session->jobs, &self->job);
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

  work->deployment = assay_deploy (work->code, 0, work->board, N_RUNS, work->seed, &progress, &error);
  if (work->deployment != NULL)
    g_task_return_boolean (task, TRUE);
  else
    g_task_return_error (task, error);
}

static void
work_done_cb (GObject      *object,
              GAsyncResult *result,
              gpointer      user_data)
{
  AssayRollout *self = ASSAY_ROLLOUT (object);
  Work *work = g_task_get_task_data (G_TASK (result));
  g_autoptr (GError) error = NULL;
  gboolean ok = g_task_propagate_boolean (G_TASK (result), &error);

  if (work->generation != self->generation)
    return;

  _assay_jobs_drop (self->session->jobs, &self->job);
  g_clear_error (&self->error);
  g_clear_pointer (&self->deployment, assay_deployment_free);
  self->deployment = g_steal_pointer (&work->deployment);
  self->error = g_steal_pointer (&error);
  set_state (self, ok ? ASSAY_RUN_READY : ASSAY_RUN_FAILED);
}

static void
assay_rollout_finalize (GObject *object)
{
  AssayRollout *self = ASSAY_ROLLOUT (object);

  g_clear_object (&self->job);
  g_free (self->board);
  g_clear_pointer (&self->deployment, assay_deployment_free);
  g_clear_error (&self->error);

  G_OBJECT_CLASS (assay_rollout_parent_class)->finalize (object);
}

static void
assay_rollout_get_property (GObject    *object,
                            guint       prop_id,
                            GValue     *value,
                            GParamSpec *pspec)
{
  AssayRollout *self = ASSAY_ROLLOUT (object);

  switch (prop_id)
    {
    case PROP_STATE:
      g_value_set_enum (value, (int) self->state);
      break;
    case PROP_BOARD:
      g_value_set_string (value, self->board);
      break;
    default:
      G_OBJECT_WARN_INVALID_PROPERTY_ID (object, prop_id, pspec);
    }
}

static void
assay_rollout_class_init (AssayRolloutClass *klass)
{
  GObjectClass *object_class = G_OBJECT_CLASS (klass);
  GParamFlags readable = G_PARAM_READABLE | G_PARAM_STATIC_STRINGS;

  object_class->finalize = assay_rollout_finalize;
  object_class->get_property = assay_rollout_get_property;

  properties[PROP_STATE] = g_param_spec_enum ("state", NULL, NULL, ASSAY_TYPE_RUN_STATE, ASSAY_RUN_NONE, readable);
  properties[PROP_BOARD] = g_param_spec_string ("board", NULL, NULL, DEFAULT_BOARD, readable);
  g_object_class_install_properties (object_class, N_PROPS, properties);
}

static void
assay_rollout_init (AssayRollout *self)
{
  self->board = g_strdup (DEFAULT_BOARD);
}

AssayRollout *
_assay_rollout_new (AssaySession *session)
{
  AssayRollout *self = g_object_new (ASSAY_TYPE_ROLLOUT, NULL);

  self->session = session;
  return self;
}

/* Another model. */
void
_assay_rollout_reset (AssayRollout *self)
{
  stop (self);
  g_clear_pointer (&self->deployment, assay_deployment_free);
  g_clear_error (&self->error);
  set_state (self, ASSAY_RUN_NONE);
}

/* What was deployed, or is being deployed, is not what there is now. */
void
_assay_rollout_outdate (AssayRollout *self)
{
  stop (self);
  if (self->state != ASSAY_RUN_NONE)
    set_state (self, self->deployment != NULL ? ASSAY_RUN_STALE : ASSAY_RUN_NONE);
}

/**
 * assay_rollout_start:
 * @self: a rollout
 *
 * Copies the program to the board, runs it there and compares every bit with the machine; the board keeps nothing.
 */
void
assay_rollout_start (AssayRollout *self)
{
  g_autoptr (GTask) task = NULL;
  g_autofree char *label = NULL;
  g_autofree char *title = NULL;
  Work *work;

  g_return_if_fail (ASSAY_IS_ROLLOUT (self));

  if (!assay_run_can_start (self->session->run))
    return;

  stop (self);
  label = assay_board_dup_label (self->board);
  title = g_strdup_printf ("Deploying to %s", label);
  self->job = _assay_jobs_add (self->session->jobs, title);

  work = g_new0 (Work, 1);
  work->generation = self->generation;
  work->code = assay_code_ref (assay_compilation_get_code (self->session->compilation));
  work->board = g_strdup (self->board);
  work->seed = assay_feed_get_seed (assay_run_get_feed (self->session->run));
  work->job = g_object_ref (self->job);

  task = g_task_new (self, NULL, work_done_cb, NULL);
  g_task_set_source_tag (task, assay_rollout_start);
  g_task_set_task_data (task, work, work_free);
  set_state (self, ASSAY_RUN_RUNNING);
  g_task_run_in_thread (task, work_thread);
}

/**
 * assay_rollout_cancel:
 * @self: a rollout
 *
 * Stops deploying; the board is as before.
 */
void
assay_rollout_cancel (AssayRollout *self)
{
  g_return_if_fail (ASSAY_IS_ROLLOUT (self));

  if (self->job != NULL)
    _assay_rollout_outdate (self);
}

/**
 * assay_rollout_get_state:
 * @self: a rollout
 *
 * Gets what there is of it.
 *
 * Returns: the state
 */
AssayRunState
assay_rollout_get_state (AssayRollout *self)
{
  return self->state;
}

/**
 * assay_rollout_get_board:
 * @self: a rollout
 *
 * Gets where the program goes.
 *
 * Returns: (transfer none): `local`, or `ssh:HOST`
 */
const char *
assay_rollout_get_board (AssayRollout *self)
{
  return self->board;
}

/**
 * assay_rollout_set_board:
 * @self: a rollout
 * @board: `local`, or `ssh:HOST`
 *
 * Chooses where the program goes; the result of another board goes.
 */
void
assay_rollout_set_board (AssayRollout *self,
                         const char   *board)
{
  g_return_if_fail (ASSAY_IS_ROLLOUT (self));

  if (g_str_equal (self->board, board))
    return;

  g_free (self->board);
  self->board = g_strdup (board);
  _assay_rollout_reset (self);
  g_object_notify_by_pspec (G_OBJECT (self), properties[PROP_BOARD]);
}

/**
 * assay_rollout_get_error:
 * @self: a rollout
 *
 * Gets why the program does not run there.
 *
 * Returns: (transfer none) (nullable): the error, in state failed
 */
const GError *
assay_rollout_get_error (AssayRollout *self)
{
  return self->state == ASSAY_RUN_FAILED ? self->error : NULL;
}

/**
 * assay_rollout_get_deployment:
 * @self: a rollout
 *
 * Gets what came of the last one that ended.
 *
 * Returns: (transfer none) (nullable): the deployment
 */
const AssayDeployment *
assay_rollout_get_deployment (AssayRollout *self)
{
  return self->deployment;
}
