/* assay-deploy-activity.c
 * SPDX-License-Identifier: Apache-2.0
 */
#include "session/activity/assay-deploy-activity.h"

#include "session/activity/assay-activity-private.h"
#include "session/assay-session-private.h"

#define DEFAULT_BOARD "local"

/* One request to a worker; it belongs to the worker while that runs. */
typedef struct
{
  AssayProgram *program;
  char *board;
  guint64 seed;

  AssayDeployment *deployment;
} Work;

struct _AssayDeployActivity
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

G_DEFINE_FINAL_TYPE (AssayDeployActivity, assay_deploy_activity, ASSAY_TYPE_ACTIVITY)

static void
work_free (gpointer data)
{
  Work *work = data;

  g_clear_object (&work->program);
  g_free (work->board);
  g_clear_pointer (&work->deployment, assay_deployment_free);
  g_free (work);
}

static gboolean
assay_deploy_activity_work (gpointer request, const AssayProgress *progress, GError **error)
{
  Work *work = request;

  work->deployment = assay_deploy (work->program, 0, work->board, ASSAY_ROLLOUT_RUNS,
                                   ASSAY_ROLLOUT_MILLISECONDS, work->seed, 0, progress, error);
  return work->deployment != NULL;
}

static void
assay_deploy_activity_clear (AssayActivity *activity)
{
  g_clear_pointer (&ASSAY_DEPLOY_ACTIVITY (activity)->deployment, assay_deployment_free);
}

static void
assay_deploy_activity_take (AssayActivity *activity, gpointer request, const GError *error)
{
  Work *work = request;

  if (error != NULL)
    return;

  assay_deploy_activity_clear (activity);
  ASSAY_DEPLOY_ACTIVITY (activity)->deployment = g_steal_pointer (&work->deployment);
}

static gboolean
assay_deploy_activity_has_results (AssayActivity *activity)
{
  return ASSAY_DEPLOY_ACTIVITY (activity)->deployment != NULL;
}

static void
assay_deploy_activity_finalize (GObject *object)
{
  AssayDeployActivity *self = ASSAY_DEPLOY_ACTIVITY (object);

  g_free (self->board);
  g_clear_pointer (&self->deployment, assay_deployment_free);

  G_OBJECT_CLASS (assay_deploy_activity_parent_class)->finalize (object);
}

static void
assay_deploy_activity_get_property (GObject *object, guint prop_id, GValue *value,
                                    GParamSpec *pspec)
{
  AssayDeployActivity *self = ASSAY_DEPLOY_ACTIVITY (object);

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
assay_deploy_activity_class_init (AssayDeployActivityClass *klass)
{
  GObjectClass *object_class = G_OBJECT_CLASS (klass);
  AssayActivityClass *activity_class = ASSAY_ACTIVITY_CLASS (klass);

  object_class->finalize = assay_deploy_activity_finalize;
  object_class->get_property = assay_deploy_activity_get_property;
  activity_class->work = assay_deploy_activity_work;
  activity_class->request_free = work_free;
  activity_class->take = assay_deploy_activity_take;
  activity_class->has_results = assay_deploy_activity_has_results;
  activity_class->clear = assay_deploy_activity_clear;

  properties[PROP_BOARD] = g_param_spec_string ("board", NULL, NULL, DEFAULT_BOARD,
                                                G_PARAM_READABLE | G_PARAM_STATIC_STRINGS);
  g_object_class_install_properties (object_class, N_PROPS, properties);
}

static void
assay_deploy_activity_init (AssayDeployActivity *self)
{
  self->board = g_strdup (DEFAULT_BOARD);
}

/**
 * assay_deploy_activity_start:
 * @self: a deployment
 *
 * Copies the program to the board, runs it there and compares every bit with the machine; the board
 * keeps nothing.
 */
void
assay_deploy_activity_start (AssayDeployActivity *self)
{
  AssaySession *session;
  g_autofree char *label = NULL;
  g_autofree char *title = NULL;
  Work *work;

  g_return_if_fail (ASSAY_IS_DEPLOY_ACTIVITY (self));

  session = assay_activity_get_session (ASSAY_ACTIVITY (self));
  if (assay_activity_get_state (ASSAY_ACTIVITY (session->compilation)) != ASSAY_ACTIVITY_READY)
    return;

  work = g_new0 (Work, 1);
  work->program = g_object_ref (assay_compilation_get_program (session->compilation));
  work->board = g_strdup (self->board);
  work->seed = assay_input_choice_get_seed (assay_run_get_inputs (session->run));

  label = assay_board_dup_label (self->board);
  title = g_strdup_printf ("Deploying to %s", label);
  assay_activity_start (ASSAY_ACTIVITY (self), title, work);
}

/**
 * assay_deploy_activity_get_board:
 * @self: a deployment
 *
 * Gets where the program goes.
 *
 * Returns: (transfer none): `local`, or `ssh:HOST`
 */
const char *
assay_deploy_activity_get_board (AssayDeployActivity *self)
{
  return self->board;
}

/**
 * assay_deploy_activity_set_board:
 * @self: a deployment
 * @board: `local`, or `ssh:HOST`
 *
 * Chooses where the program goes; the result of another board goes.
 */
void
assay_deploy_activity_set_board (AssayDeployActivity *self, const char *board)
{
  g_return_if_fail (ASSAY_IS_DEPLOY_ACTIVITY (self));

  if (g_str_equal (self->board, board))
    return;

  g_free (self->board);
  self->board = g_strdup (board);
  assay_activity_reset (ASSAY_ACTIVITY (self));
  g_object_notify_by_pspec (G_OBJECT (self), properties[PROP_BOARD]);
}

/**
 * assay_deploy_activity_get_deployment:
 * @self: a deployment
 *
 * Gets what came of the last one that ended.
 *
 * Returns: (transfer none) (nullable): the deployment
 */
const AssayDeployment *
assay_deploy_activity_get_deployment (AssayDeployActivity *self)
{
  return self->deployment;
}
