/* assay-job.c
 * SPDX-License-Identifier: Apache-2.0
 */
#include "session/activity/assay-job.h"

#include "session/assay-session-private.h"

struct _AssayJob
{
  GObject parent_instance;

  char *title;
  char *message;
  double fraction;
  GCancellable *cancellable;
  GMainContext *context;

  /* Written by the worker, taken over by the idle. */
  GMutex mutex;
  char *next_message;
  double next_fraction;
  gboolean scheduled;
};

enum
{
  PROP_0,
  PROP_TITLE,
  PROP_MESSAGE,
  PROP_FRACTION,
  N_PROPS
};

static GParamSpec *properties[N_PROPS];

G_DEFINE_FINAL_TYPE (AssayJob, assay_job, G_TYPE_OBJECT)

static gboolean
publish_cb (gpointer data)
{
  AssayJob *self = data;
  g_autofree char *message = NULL;
  double fraction;

  g_mutex_lock (&self->mutex);
  message = g_strdup (self->next_message);
  fraction = self->next_fraction;
  self->scheduled = FALSE;
  g_mutex_unlock (&self->mutex);

  if (g_strcmp0 (message, self->message) != 0)
    {
      g_free (self->message);
      self->message = g_steal_pointer (&message);
      g_object_notify_by_pspec (G_OBJECT (self), properties[PROP_MESSAGE]);
    }
  if (fraction != self->fraction)
    {
      self->fraction = fraction;
      g_object_notify_by_pspec (G_OBJECT (self), properties[PROP_FRACTION]);
    }

  return G_SOURCE_REMOVE;
}

/* Called from the worker, maybe thousands of times: one idle at most is under way. */
static void
report (double fraction, const char *message, gpointer user_data)
{
  AssayJob *self = user_data;
  gboolean schedule;

  g_mutex_lock (&self->mutex);
  if (message != NULL && g_strcmp0 (message, self->next_message) != 0)
    {
      g_free (self->next_message);
      self->next_message = g_strdup (message);
    }
  self->next_fraction = fraction;
  schedule = !self->scheduled;
  self->scheduled = TRUE;
  g_mutex_unlock (&self->mutex);

  if (schedule)
    {
      g_autoptr (GSource) source = g_idle_source_new ();

      g_source_set_static_name (source, "[assay] job progress");
      g_source_set_callback (source, publish_cb, g_object_ref (self), g_object_unref);
      g_source_attach (source, self->context);
    }
}

static void
assay_job_finalize (GObject *object)
{
  AssayJob *self = ASSAY_JOB (object);

  g_free (self->title);
  g_free (self->message);
  g_free (self->next_message);
  g_object_unref (self->cancellable);
  g_main_context_unref (self->context);
  g_mutex_clear (&self->mutex);

  G_OBJECT_CLASS (assay_job_parent_class)->finalize (object);
}

static void
assay_job_get_property (GObject *object, guint prop_id, GValue *value, GParamSpec *pspec)
{
  AssayJob *self = ASSAY_JOB (object);

  switch (prop_id)
    {
    case PROP_TITLE:
      g_value_set_string (value, self->title);
      break;
    case PROP_MESSAGE:
      g_value_set_string (value, self->message);
      break;
    case PROP_FRACTION:
      g_value_set_double (value, self->fraction);
      break;
    default:
      G_OBJECT_WARN_INVALID_PROPERTY_ID (object, prop_id, pspec);
    }
}

static void
assay_job_class_init (AssayJobClass *klass)
{
  GObjectClass *object_class = G_OBJECT_CLASS (klass);
  GParamFlags flags = G_PARAM_READABLE | G_PARAM_STATIC_STRINGS;

  object_class->finalize = assay_job_finalize;
  object_class->get_property = assay_job_get_property;

  properties[PROP_TITLE] = g_param_spec_string ("title", NULL, NULL, NULL, flags);
  properties[PROP_MESSAGE] = g_param_spec_string ("message", NULL, NULL, NULL, flags);
  properties[PROP_FRACTION] = g_param_spec_double ("fraction", NULL, NULL, -1, 1, 0, flags);
  g_object_class_install_properties (object_class, N_PROPS, properties);
}

static void
assay_job_init (AssayJob *self)
{
  g_mutex_init (&self->mutex);
  self->cancellable = g_cancellable_new ();
  self->context = g_main_context_ref_thread_default ();
}

/**
 * assay_job_new:
 * @title: what is being done, such as `Opening mlp.onnx`
 *
 * Makes a job whose views live in the main context of the calling thread.
 *
 * Returns: (transfer full): the job
 */
AssayJob *
assay_job_new (const char *title)
{
  AssayJob *self = g_object_new (ASSAY_TYPE_JOB, NULL);

  self->title = g_strdup (title);
  return self;
}

/**
 * assay_job_get_title:
 * @self: a job
 *
 * Gets what the job is about.
 *
 * Returns: (transfer none): the title
 */
const char *
assay_job_get_title (AssayJob *self)
{
  return self->title;
}

/**
 * assay_job_get_message:
 * @self: a job
 *
 * Gets what is being done at the moment.
 *
 * Returns: (transfer none) (nullable): the stage
 */
const char *
assay_job_get_message (AssayJob *self)
{
  return self->message;
}

/**
 * assay_job_get_fraction:
 * @self: a job
 *
 * Gets how much is done.
 *
 * Returns: 0 to 1, below 0 if unknown
 */
double
assay_job_get_fraction (AssayJob *self)
{
  return self->fraction;
}

/**
 * assay_job_cancel:
 * @self: a job
 *
 * Asks the work to stop.
 */
void
assay_job_cancel (AssayJob *self)
{
  g_return_if_fail (ASSAY_IS_JOB (self));

  g_cancellable_cancel (self->cancellable);
}

/**
 * assay_job_get_progress:
 * @self: a job
 *
 * Gets the sink that a worker reports to; good as long as the job lives.
 *
 * Returns: the sink
 */
AssayProgress
assay_job_get_progress (AssayJob *self)
{
  AssayProgress progress = ASSAY_PROGRESS_INIT (report, self, self->cancellable);

  return progress;
}

/* A job stands in the list from the moment it is asked for. */
AssayJob *
assay_jobs_add (GListStore *jobs, const char *title)
{
  AssayJob *job = assay_job_new (title);

  g_list_store_append (jobs, job);
  return job;
}

/* Takes a job that has ended out of the list. */
void
assay_jobs_drop (GListStore *jobs, AssayJob **job)
{
  g_autoptr (AssayJob) ended = g_steal_pointer (job);
  guint position;

  if (ended != NULL && g_list_store_find (jobs, ended, &position))
    g_list_store_remove (jobs, position);
}

/* Stops a job; what its worker does until it notices concerns nobody. */
void
assay_jobs_cancel (GListStore *jobs, AssayJob **job)
{
  if (*job != NULL)
    assay_job_cancel (*job);
  assay_jobs_drop (jobs, job);
}
