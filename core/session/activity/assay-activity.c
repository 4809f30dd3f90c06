/* assay-activity.c
 * SPDX-License-Identifier: Apache-2.0
 */
#include "session/activity/assay-activity-private.h"

#include "base/assay-sentence.h"
#include "session/assay-session-private.h"

typedef struct
{
  AssaySession *session; /* owns it */
  AssayActivityState state;
  AssayJob *job;
  GError *error;
} AssayActivityPrivate;

enum
{
  PROP_0,
  PROP_SESSION,
  PROP_STATE,
  N_PROPS
};

static GParamSpec *properties[N_PROPS];

G_DEFINE_ABSTRACT_TYPE_WITH_PRIVATE (AssayActivity, assay_activity, G_TYPE_OBJECT)

G_DEFINE_ENUM_TYPE (AssayActivityState, assay_activity_state,
                    G_DEFINE_ENUM_VALUE (ASSAY_ACTIVITY_NONE, "none"),
                    G_DEFINE_ENUM_VALUE (ASSAY_ACTIVITY_RUNNING, "running"),
                    G_DEFINE_ENUM_VALUE (ASSAY_ACTIVITY_READY, "ready"),
                    G_DEFINE_ENUM_VALUE (ASSAY_ACTIVITY_FAILED, "failed"),
                    G_DEFINE_ENUM_VALUE (ASSAY_ACTIVITY_STALE, "stale"))

static AssayActivityPrivate *
get_private (AssayActivity *self)
{
  return assay_activity_get_instance_private (self);
}

static void
set_state (AssayActivity *self, AssayActivityState state)
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
work_ended (gpointer owner, gpointer request, const GError *error)
{
  AssayActivity *self = owner;
  AssayActivityPrivate *priv = get_private (self);
  g_autofree char *message = NULL;

  assay_jobs_drop (&priv->job);
  end (self);
  g_clear_error (&priv->error);
  /* Views are what shows it. */
  message = error != NULL ? assay_sentence_dup_shown (error->message) : NULL;
  priv->error = error != NULL ? g_error_new_literal (error->domain, error->code, message) : NULL;
  g_object_freeze_notify (G_OBJECT (self));
  ASSAY_ACTIVITY_GET_CLASS (self)->take (self, request, error);
  set_state (self, error == NULL ? ASSAY_ACTIVITY_READY : ASSAY_ACTIVITY_FAILED);
  g_object_thaw_notify (G_OBJECT (self));
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
  properties[PROP_STATE] = g_param_spec_enum ("state", NULL, NULL, ASSAY_TYPE_ACTIVITY_STATE,
                                              ASSAY_ACTIVITY_NONE,
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

  assay_jobs_cancel (&priv->job);
  end (self);
}

/* Takes @request; what is under way is stopped. */
void
assay_activity_start (AssayActivity *self, const char *title, gpointer request)
{
  AssayActivityPrivate *priv = get_private (self);
  AssayActivityClass *klass = ASSAY_ACTIVITY_GET_CLASS (self);

  assay_activity_stop (self);
  priv->job = assay_jobs_add (priv->session->jobs, title);
  set_state (self, ASSAY_ACTIVITY_RUNNING);
  assay_job_start (priv->job, klass->work, request, klass->request_free, work_ended, self);
}

/* There are results again that were made at another time. */
void
assay_activity_restore (AssayActivity *self)
{
  set_state (self, ASSAY_ACTIVITY_READY);
}

/* Another model. */
void
assay_activity_reset (AssayActivity *self)
{
  assay_activity_stop (self);
  ASSAY_ACTIVITY_GET_CLASS (self)->clear (self);
  g_clear_error (&get_private (self)->error);
  set_state (self, ASSAY_ACTIVITY_NONE);
}

/* Nothing is under way: what there is was made of something else. Also told when the state stays
 * and what is behind it changed. */
void
assay_activity_settle (AssayActivity *self)
{
  assay_activity_stop (self);
  set_state (self, ASSAY_ACTIVITY_GET_CLASS (self)->has_results (self) ? ASSAY_ACTIVITY_STALE
                                                                       : ASSAY_ACTIVITY_NONE);
}

/* What there is, or is being made, is not of what the session has now. */
void
assay_activity_outdate (AssayActivity *self)
{
  AssayActivityClass *klass = ASSAY_ACTIVITY_GET_CLASS (self);

  if (klass->outdated != NULL)
    klass->outdated (self);
  if (get_private (self)->state != ASSAY_ACTIVITY_NONE)
    assay_activity_settle (self);
}

/**
 * assay_activity_get_state:
 * @self: an activity
 *
 * Gets what there is of it.
 *
 * Returns: the state
 */
AssayActivityState
assay_activity_get_state (AssayActivity *self)
{
  g_return_val_if_fail (ASSAY_IS_ACTIVITY (self), ASSAY_ACTIVITY_NONE);

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
  return priv->state == ASSAY_ACTIVITY_FAILED ? priv->error : NULL;
}

/**
 * assay_activity_get_job:
 * @self: an activity
 *
 * Gets what tells how far it is.
 *
 * Returns: (transfer none) (nullable): the job, while something is under way
 */
AssayJob *
assay_activity_get_job (AssayActivity *self)
{
  g_return_val_if_fail (ASSAY_IS_ACTIVITY (self), NULL);

  return get_private (self)->job;
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

  if (get_private (self)->job == NULL)
    return;
  if (ASSAY_ACTIVITY_GET_CLASS (self)->cancelled != NULL)
    ASSAY_ACTIVITY_GET_CLASS (self)->cancelled (self);
  assay_activity_settle (self);
}
