/* assay-activity.c
 * SPDX-License-Identifier: Apache-2.0
 */
#include "session/activity/assay-activity-private.h"

#include "session/assay-session-private.h"

typedef struct
{
  AssaySession *session; /* owns it */
  AssayRunState state;
  guint generation; /* a result with another one is stale */
  AssayJob *job;
  GError *error;
} AssayActivityPrivate;

/* A request on its way through a thread. */
typedef struct
{
  AssayActivityClass *klass;
  guint generation;
  gpointer request;
  AssayJob *job;
} Errand;

enum
{
  PROP_0,
  PROP_SESSION,
  PROP_STATE,
  N_PROPS
};

static GParamSpec *properties[N_PROPS];

G_DEFINE_ABSTRACT_TYPE_WITH_PRIVATE (AssayActivity, assay_activity, G_TYPE_OBJECT)

G_DEFINE_ENUM_TYPE (AssayRunState, assay_run_state, G_DEFINE_ENUM_VALUE (ASSAY_RUN_NONE, "none"),
                    G_DEFINE_ENUM_VALUE (ASSAY_RUN_RUNNING, "running"),
                    G_DEFINE_ENUM_VALUE (ASSAY_RUN_READY, "ready"),
                    G_DEFINE_ENUM_VALUE (ASSAY_RUN_FAILED, "failed"),
                    G_DEFINE_ENUM_VALUE (ASSAY_RUN_STALE, "stale"))

static AssayActivityPrivate *
get_private (AssayActivity *self)
{
  return assay_activity_get_instance_private (self);
}

static void
errand_free (gpointer data)
{
  Errand *errand = data;

  errand->klass->request_free (errand->request);
  g_object_unref (errand->job);
  g_type_class_unref (errand->klass);
  g_free (errand);
}

static void
set_state (AssayActivity *self, AssayRunState state)
{
  get_private (self)->state = state;
  g_object_notify_by_pspec (G_OBJECT (self), properties[PROP_STATE]);
}

static void
end (AssayActivity *self)
{
  AssayActivityClass *klass = ASSAY_ACTIVITY_GET_CLASS (self);

  if (klass->ended != NULL)
    klass->ended (self);
}

static void
work_thread (GTask *task, gpointer source_object, gpointer task_data, GCancellable *cancellable)
{
  Errand *errand = task_data;
  AssayProgress progress = assay_job_get_progress (errand->job);
  GError *error = NULL;

  if (errand->klass->work (errand->request, &progress, &error))
    g_task_return_boolean (task, TRUE);
  else
    g_task_return_error (task, error);
}

static void
work_done_cb (GObject *object, GAsyncResult *result, gpointer user_data)
{
  AssayActivity *self = ASSAY_ACTIVITY (object);
  AssayActivityPrivate *priv = get_private (self);
  Errand *errand = g_task_get_task_data (G_TASK (result));
  g_autoptr (GError) error = NULL;
  gboolean ok = g_task_propagate_boolean (G_TASK (result), &error);

  if (errand->generation != priv->generation)
    return;

  assay_jobs_drop (priv->session->jobs, &priv->job);
  end (self);
  g_clear_error (&priv->error);
  priv->error = g_steal_pointer (&error);
  errand->klass->take (self, ok ? errand->request : NULL);
  set_state (self, ok ? ASSAY_RUN_READY : ASSAY_RUN_FAILED);
}

static void
assay_activity_finalize (GObject *object)
{
  AssayActivityPrivate *priv = get_private (ASSAY_ACTIVITY (object));

  g_clear_object (&priv->job);
  g_clear_error (&priv->error);

  G_OBJECT_CLASS (assay_activity_parent_class)->finalize (object);
}

static void
assay_activity_get_property (GObject *object, guint prop_id, GValue *value, GParamSpec *pspec)
{
  switch (prop_id)
    {
    case PROP_STATE:
      g_value_set_enum (value, (int) assay_activity_get_state (ASSAY_ACTIVITY (object)));
      break;
    default:
      G_OBJECT_WARN_INVALID_PROPERTY_ID (object, prop_id, pspec);
    }
}

static void
assay_activity_set_property (GObject *object, guint prop_id, const GValue *value, GParamSpec *pspec)
{
  switch (prop_id)
    {
    case PROP_SESSION:
      get_private (ASSAY_ACTIVITY (object))->session = g_value_get_object (value);
      break;
    default:
      G_OBJECT_WARN_INVALID_PROPERTY_ID (object, prop_id, pspec);
    }
}

static void
assay_activity_class_init (AssayActivityClass *klass)
{
  GObjectClass *object_class = G_OBJECT_CLASS (klass);

  object_class->finalize = assay_activity_finalize;
  object_class->get_property = assay_activity_get_property;
  object_class->set_property = assay_activity_set_property;

  properties[PROP_SESSION] = g_param_spec_object ("session", NULL, NULL, ASSAY_TYPE_SESSION,
                                                  G_PARAM_WRITABLE | G_PARAM_CONSTRUCT_ONLY |
                                                      G_PARAM_STATIC_STRINGS);
  properties[PROP_STATE] = g_param_spec_enum ("state", NULL, NULL, ASSAY_TYPE_RUN_STATE,
                                              ASSAY_RUN_NONE,
                                              G_PARAM_READABLE | G_PARAM_STATIC_STRINGS);
  g_object_class_install_properties (object_class, N_PROPS, properties);
}

static void
assay_activity_init (AssayActivity *self)
{
}

AssaySession *
assay_activity_get_session (AssayActivity *self)
{
  return get_private (self)->session;
}

/* Whatever is under way goes on in its thread until it sees that it is cancelled; nobody takes what
 * it brings. */
void
assay_activity_stop (AssayActivity *self)
{
  AssayActivityPrivate *priv = get_private (self);

  priv->generation++;
  assay_jobs_cancel (priv->session->jobs, &priv->job);
  end (self);
}

/* Takes @request; what is under way is stopped. */
void
assay_activity_start (AssayActivity *self, const char *title, gpointer request)
{
  AssayActivityPrivate *priv = get_private (self);
  g_autoptr (GTask) task = g_task_new (self, NULL, work_done_cb, NULL);
  Errand *errand = g_new0 (Errand, 1);

  assay_activity_stop (self);
  priv->job = assay_jobs_add (priv->session->jobs, title);

  errand->klass = g_type_class_ref (G_OBJECT_TYPE (self));
  errand->generation = priv->generation;
  errand->request = request;
  errand->job = g_object_ref (priv->job);
  g_task_set_source_tag (task, assay_activity_start);
  g_task_set_task_data (task, errand, errand_free);
  set_state (self, ASSAY_RUN_RUNNING);
  g_task_run_in_thread (task, work_thread);
}

/* There are results again that were made at another time. */
void
assay_activity_restore (AssayActivity *self)
{
  set_state (self, ASSAY_RUN_READY);
}

/* Another model. */
void
assay_activity_reset (AssayActivity *self)
{
  assay_activity_stop (self);
  ASSAY_ACTIVITY_GET_CLASS (self)->clear (self);
  g_clear_error (&get_private (self)->error);
  set_state (self, ASSAY_RUN_NONE);
}

/* What there is, or is being made, is not of the program and inputs of now. */
void
assay_activity_outdate (AssayActivity *self)
{
  assay_activity_stop (self);
  if (get_private (self)->state != ASSAY_RUN_NONE)
    set_state (self, ASSAY_ACTIVITY_GET_CLASS (self)->has_results (self) ? ASSAY_RUN_STALE
                                                                         : ASSAY_RUN_NONE);
}

/**
 * assay_activity_get_state:
 * @self: an activity
 *
 * Gets what there is of it.
 *
 * Returns: the state
 */
AssayRunState
assay_activity_get_state (AssayActivity *self)
{
  g_return_val_if_fail (ASSAY_IS_ACTIVITY (self), ASSAY_RUN_NONE);

  return get_private (self)->state;
}

/**
 * assay_activity_get_error:
 * @self: an activity
 *
 * Gets why it did not end.
 *
 * Returns: (transfer none) (nullable): the error, in state failed
 */
const GError *
assay_activity_get_error (AssayActivity *self)
{
  AssayActivityPrivate *priv;

  g_return_val_if_fail (ASSAY_IS_ACTIVITY (self), NULL);

  priv = get_private (self);
  return priv->state == ASSAY_RUN_FAILED ? priv->error : NULL;
}

/**
 * assay_activity_cancel:
 * @self: an activity
 *
 * Stops what is under way; results of before stay and are stale.
 */
void
assay_activity_cancel (AssayActivity *self)
{
  g_return_if_fail (ASSAY_IS_ACTIVITY (self));

  if (get_private (self)->job != NULL)
    assay_activity_outdate (self);
}
