/* assay-rollout.c
 * SPDX-License-Identifier: Apache-2.0
 */
#include "session/assay-rollout.h"

#include "session/assay-activity-private.h"
#include "session/assay-session-private.h"

#define DEFAULT_BOARD "local"

/* One request to a worker; it belongs to the worker while that runs. */
typedef struct
{
  AssayCode *code;
  char *board;
  guint64 seed;

  AssayDeployment *deployment;
} Work;

struct _AssayRollout
{
  AssayActivity parent_instance;

  char *board;
  AssayDeployment *deployment;
};

enum
{
  PROP_0,
  PROP_BOARD,
  N_PROPS
};

static GParamSpec *properties[N_PROPS];

G_DEFINE_FINAL_TYPE (AssayRollout, assay_rollout, ASSAY_TYPE_ACTIVITY)

static void
work_free (gpointer data)
{
  Work *work = data;

  assay_code_unref (work->code);
  g_free (work->board);
  g_clear_pointer (&work->deployment, assay_deployment_free);
  g_free (work);
}

static gboolean
assay_rollout_work (gpointer request, const AssayProgress *progress, GError **error)
{
  Work *work = request;

  work->deployment = assay_deploy (work->code, 0, work->board, ASSAY_ROLLOUT_RUNS, work->seed,
                                   progress, error);
  return work->deployment != NULL;
}

static void
assay_rollout_clear (AssayActivity *activity)
{
  g_clear_pointer (&ASSAY_ROLLOUT (activity)->deployment, assay_deployment_free);
}

static void
assay_rollout_take (AssayActivity *activity, gpointer request)
{
  Work *work = request;

  assay_rollout_clear (activity);
  if (work != NULL)
    ASSAY_ROLLOUT (activity)->deployment = g_steal_pointer (&work->deployment);
}

static gboolean
assay_rollout_has_results (AssayActivity *activity)
{
  return ASSAY_ROLLOUT (activity)->deployment != NULL;
}

static void
assay_rollout_finalize (GObject *object)
{
  AssayRollout *self = ASSAY_ROLLOUT (object);

  g_free (self->board);
  g_clear_pointer (&self->deployment, assay_deployment_free);

  G_OBJECT_CLASS (assay_rollout_parent_class)->finalize (object);
}

static void
assay_rollout_get_property (GObject *object, guint prop_id, GValue *value, GParamSpec *pspec)
{
  AssayRollout *self = ASSAY_ROLLOUT (object);

  switch (prop_id)
    {
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
  AssayActivityClass *activity_class = ASSAY_ACTIVITY_CLASS (klass);

  object_class->finalize = assay_rollout_finalize;
  object_class->get_property = assay_rollout_get_property;
  activity_class->work = assay_rollout_work;
  activity_class->request_free = work_free;
  activity_class->take = assay_rollout_take;
  activity_class->has_results = assay_rollout_has_results;
  activity_class->clear = assay_rollout_clear;

  properties[PROP_BOARD] = g_param_spec_string ("board", NULL, NULL, DEFAULT_BOARD,
                                                G_PARAM_READABLE | G_PARAM_STATIC_STRINGS);
  g_object_class_install_properties (object_class, N_PROPS, properties);
}

static void
assay_rollout_init (AssayRollout *self)
{
  self->board = g_strdup (DEFAULT_BOARD);
}

/**
 * assay_rollout_start:
 * @self: a rollout
 *
 * Copies the program to the board, runs it there and compares every bit with the machine; the board
 * keeps nothing.
 */
void
assay_rollout_start (AssayRollout *self)
{
  AssaySession *session;
  g_autofree char *label = NULL;
  g_autofree char *title = NULL;
  Work *work;

  g_return_if_fail (ASSAY_IS_ROLLOUT (self));

  session = _assay_activity_get_session (ASSAY_ACTIVITY (self));
  if (assay_compilation_get_state (session->compilation) != ASSAY_COMPILATION_READY)
    return;

  work = g_new0 (Work, 1);
  work->code = assay_code_ref (assay_compilation_get_code (session->compilation));
  work->board = g_strdup (self->board);
  work->seed = assay_feed_get_seed (assay_run_get_feed (session->run));

  label = assay_board_dup_label (self->board);
  title = g_strdup_printf ("Deploying to %s", label);
  _assay_activity_start (ASSAY_ACTIVITY (self), title, work);
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
assay_rollout_set_board (AssayRollout *self, const char *board)
{
  g_return_if_fail (ASSAY_IS_ROLLOUT (self));

  if (g_str_equal (self->board, board))
    return;

  g_free (self->board);
  self->board = g_strdup (board);
  _assay_activity_reset (ASSAY_ACTIVITY (self));
  g_object_notify_by_pspec (G_OBJECT (self), properties[PROP_BOARD]);
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
