/* assay-job.c
 * SPDX-License-Identifier: Apache-2.0
 */
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/assay-error.h"
#include "base/assay-job.h"

/* What a thread that nobody waits for leaves to others, see nice(2). */
#define ASIDE_NICENESS 10

struct _AssayJob
{
  GObject parent_instance;

  char *title;
  char *message;
  double fraction;
  GCancellable *cancellable;
  GMainContext *context;
  AssayJobWork work;
  AssayJobEnded ended;
  gpointer owner;     /* weak: who goes away takes the job along */
  GListStore *listed; /* weak: where views see it */

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

/* Requests of this process that a thread is at, or will be. */
static int n_running;

static G_DEFINE_QUARK (assay - job, job)

    G_DEFINE_FINAL_TYPE (AssayJob, assay_job, G_TYPE_OBJECT)

        static gboolean publish_cb (gpointer data)
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
  g_clear_weak_pointer (&self->listed);
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

static void
do_work (GTask *task)
{
  gpointer task_data = g_task_get_task_data (task);
  GCancellable *cancellable = g_task_get_cancellable (task);
  AssayJob *self = g_object_get_qdata (G_OBJECT (task), job_quark ());
  AssayProgress progress = assay_job_get_progress (self);
  GError *error = NULL;

  if (cancellable != NULL)
    progress.cancellable = cancellable;
  /* For what waits deep below and is told nothing of progress. */
  g_cancellable_push_current (progress.cancellable);
  if (self->work (task_data, &progress, &error))
    g_task_return_boolean (task, TRUE);
  else
    g_task_return_error (task, error);
  g_cancellable_pop_current (progress.cancellable);
}

static void
work_thread (GTask *task, gpointer source_object, gpointer task_data, GCancellable *cancellable)
{
  do_work (task);
  g_atomic_int_add (&n_running, -1);
}

/* Views see it no longer. */
static void
leave_list (AssayJob *self)
{
  guint position;

  if (self->listed != NULL && g_list_store_find (self->listed, self, &position))
    g_list_store_remove (self->listed, position);
  g_clear_weak_pointer (&self->listed);
}

static void
owner_gone (gpointer data, GObject *owner)
{
  AssayJob *self = data;

  self->owner = NULL;
  assay_job_abandon (self);
}

/* Nobody is told any more how it ends. */
static gpointer
forget_owner (AssayJob *self)
{
  gpointer owner = g_steal_pointer (&self->owner);

  if (owner != NULL)
    g_object_weak_unref (owner, owner_gone, self);

  return owner;
}

static void
ended_cb (GObject *object, GAsyncResult *result, gpointer user_data)
{
  AssayJob *self = g_object_get_qdata (G_OBJECT (result), job_quark ());
  g_autoptr (GError) error = NULL;
  gpointer owner = forget_owner (self);

  g_task_propagate_boolean (G_TASK (result), &error);
  if (owner == NULL)
    return;

  g_object_ref (owner);
  leave_list (self);
  self->ended (owner, g_task_get_task_data (G_TASK (result)), error);
  g_object_unref (owner);
}

static void
take_task (AssayJob *self, GTask *task, AssayJobWork work)
{
  self->work = work;
  g_object_set_qdata_full (G_OBJECT (task), job_quark (), g_object_ref (self), g_object_unref);
}

/* A thread is at it from now on, or will be. */
static void
run_task (GTask *task)
{
  g_atomic_int_inc (&n_running);
  g_task_run_in_thread (task, work_thread);
}

static GTask *
make_task (AssayJob *self, AssayJobWork work, gpointer request, GDestroyNotify request_free,
           AssayJobEnded ended, gpointer owner)
{
  GTask *task = g_task_new (NULL, NULL, ended_cb, NULL);

  self->ended = ended;
  self->owner = owner;
  g_object_weak_ref (owner, owner_gone, self);
  g_task_set_task_data (task, request, request_free);
  take_task (self, task, work);

  return task;
}

/**
 * assay_job_start:
 * @self: a job
 * @work: what is to be done, in a thread
 * @request: (transfer full): handed to it
 * @request_free: frees @request
 * @ended: called in the main context when it is done, unless the job was abandoned
 * @owner: (type GObject.Object): who wants it; if it is disposed of before, the job is abandoned
 *
 * Starts the work of a job. Whoever asks for something newer abandons the job before, so that
 * nothing stale arrives.
 */
void
assay_job_start (AssayJob *self, AssayJobWork work, gpointer request, GDestroyNotify request_free,
                 AssayJobEnded ended, gpointer owner)
{
  g_autoptr (GTask) task = make_task (self, work, request, request_free, ended, owner);

  run_task (task);
}

static gpointer
aside_thread (gpointer data)
{
  g_autoptr (GTask) task = data;

  /* On Linux this is the thread's own priority, and the thread ends with its work. */
  setpriority (PRIO_PROCESS, (id_t) syscall (SYS_gettid), ASIDE_NICENESS);
  do_work (task);

  return NULL;
}

/**
 * assay_job_start_aside:
 * @self: a job
 * @work: what is to be done
 * @request: (transfer full): handed to it
 * @request_free: frees @request
 * @ended: called in the main context when it is done, unless the job was abandoned
 * @owner: (type GObject.Object): who wants it; if it is disposed of before, the job is abandoned
 *
 * Starts work that nobody asked for, in a thread of low priority, as assay_job_start() does
 * otherwise. It writes no files: nobody waits for it when the process ends.
 */
void
assay_job_start_aside (AssayJob *self, AssayJobWork work, gpointer request,
                       GDestroyNotify request_free, AssayJobEnded ended, gpointer owner)
{
  g_autoptr (GTask) task = make_task (self, work, request, request_free, ended, owner);
  GThread *thread = g_thread_try_new ("assay-aside", aside_thread, g_object_ref (task), NULL);

  if (thread != NULL)
    {
      g_thread_unref (thread);
      return;
    }

  g_task_return_new_error (task, ASSAY_ERROR, ASSAY_ERROR_MEMORY, "no thread can be started");
  g_object_unref (task);
}

/**
 * assay_job_run_task:
 * @self: a job
 * @task: whose data is the request; its own cancellable, if it has one, stops the work
 * @work: what is to be done
 *
 * Does the work of a task of GIO, whose callback is told when it is done.
 */
void
assay_job_run_task (AssayJob *self, GTask *task, AssayJobWork work)
{
  take_task (self, task, work);
  run_task (task);
}

/**
 * assay_job_abandon:
 * @self: a job
 *
 * Asks the work to stop; what it does until it notices, and what it brings, concerns nobody.
 */
void
assay_job_abandon (AssayJob *self)
{
  forget_owner (self);
  assay_job_cancel (self);
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
 * Asks the work to stop. Views see it no longer; whoever started it is told that it ended.
 */
void
assay_job_cancel (AssayJob *self)
{
  g_return_if_fail (ASSAY_IS_JOB (self));

  leave_list (self);
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

/**
 * assay_jobs_add:
 * @jobs: jobs that views watch
 * @title: what is being done
 *
 * Makes a job that stands in the list from the moment it is asked for until it has ended or is
 * abandoned.
 *
 * Returns: (transfer full): the job
 */
AssayJob *
assay_jobs_add (GListStore *jobs, const char *title)
{
  AssayJob *job = assay_job_new (title);

  g_set_weak_pointer (&job->listed, jobs);
  g_list_store_append (jobs, job);
  return job;
}

/**
 * assay_jobs_drop:
 * @job: (inout) (nullable): a job of a list
 *
 * Takes a job that has ended out of the list.
 */
void
assay_jobs_drop (AssayJob **job)
{
  if (*job != NULL)
    leave_list (*job);
  g_clear_object (job);
}

/**
 * assay_jobs_cancel:
 * @job: (inout) (nullable): a job of a list
 *
 * Abandons a job, which takes it out of the list.
 */
void
assay_jobs_cancel (AssayJob **job)
{
  if (*job != NULL)
    assay_job_abandon (*job);
  g_clear_object (job);
}

/**
 * assay_jobs_await:
 * @seconds: for that long at most
 *
 * Waits for the threads of all jobs, which were told to stop, so that a process that ends leaves no
 * file half written.
 *
 * Returns: whether all have ended
 */
gboolean
assay_jobs_await (guint seconds)
{
  gint64 until = g_get_monotonic_time () + seconds * G_USEC_PER_SEC;

  while (g_atomic_int_get (&n_running) > 0 && g_get_monotonic_time () < until)
    g_usleep (2000);

  return g_atomic_int_get (&n_running) == 0;
}
