/* assay-task-scheduler.c
 * SPDX-License-Identifier: Apache-2.0
 *
 * Each list has a number: twice its tasks that are done, and one more while somebody runs the next.
 * Whoever runs a task has made that number odd. Every thread has a list that it runs; it runs
 * another's next task too if it cannot go on before that is done and nobody is at it. So a thread
 * that the system does not let run holds nobody up but with the one task that it is at, and a
 * machine that is busy with other work is no slower than with one thread. Joined tasks are one.
 *
 * Tasks wait only for tasks that come before them in the program, and so does whoever runs them for
 * another: nobody waits in a circle.
 */
#include "backend/stream/machine/assay-task-scheduler.h"

/* How often a thread looks before it does the work of another, and before it sleeps: about a
 * microsecond, and about what falling asleep and being woken takes. */
#define LOOKS_BEFORE_HELP 20
#define LOOKS_BEFORE_SLEEP 400

/* Between looks at whether the user wants to stop. */
#define TASKS_AT_ONCE 64

/* Each in a cache line of its own. */
typedef struct
{
  int number;
  char rest[60];
} State;

struct _AssayTaskScheduler
{
  GThread **threads; /* that of the caller is not among them */
  guint n_threads;
  State *lists;
  int gate; /* twice the threads that are within a run, and one more while others may come in */
  int n_runs;
  int n_asleep;
  int stop;
  gboolean quit;
  GMutex lock;
  GCond wake;  /* there is a run, or none any more */
  GCond moved; /* a list or the gate is not what it was */

  /* The run under way. */
  const AssayTasks *tasks;
  AssayTaskFunc func;
  gpointer data;
  const AssayProgress *progress;
};

typedef struct
{
  AssayTaskScheduler *scheduler;
  guint index;
} Member;

/* Between two looks: leaves the processor to the other threads of its core. */
static void
relax (void)
{
#if defined(__x86_64__)
  __builtin_ia32_pause ();
#elif defined(__aarch64__)
  __asm__ volatile("yield");
#endif
}

/* Sleeps until a number is not what it was; whoever changes one looks for sleepers afterwards. */
static void
sleep_until_moved (AssayTaskScheduler *self, int *number, int was)
{
  g_mutex_lock (&self->lock);
  g_atomic_int_inc (&self->n_asleep);
  while (g_atomic_int_get (number) == was && g_atomic_int_get (&self->stop) == 0)
    g_cond_wait (&self->moved, &self->lock);
  g_atomic_int_add (&self->n_asleep, -1);
  g_mutex_unlock (&self->lock);
}

static void
wake_sleepers (AssayTaskScheduler *self)
{
  if (g_atomic_int_get (&self->n_asleep) == 0)
    return;

  g_mutex_lock (&self->lock);
  g_cond_broadcast (&self->moved);
  g_mutex_unlock (&self->lock);
}

static gboolean
is_done (AssayTaskScheduler *self, guint list, guint32 count)
{
  return (guint32) g_atomic_int_get (&self->lists[list].number) / 2 >= count;
}

static void run_next (AssayTaskScheduler *self, guint list, guint thread);

/* Returns when so many tasks of a list are done, or nothing has to be any more. */
static void
wait_for (AssayTaskScheduler *self, guint list, guint32 count, guint thread)
{
  for (guint looks = 0; !is_done (self, list, count); looks++)
    {
      int number = g_atomic_int_get (&self->lists[list].number);

      if (g_atomic_int_get (&self->stop) != 0)
        return;

      if (number % 2 == 0 && looks >= LOOKS_BEFORE_HELP)
        run_next (self, list, thread);
      else if (number % 2 != 0 && looks >= LOOKS_BEFORE_SLEEP)
        sleep_until_moved (self, &self->lists[list].number, number);
      else
        relax ();
    }
}

/* Runs the next task of a list that has one, with what is joined to it, unless another thread does.
 */
static void
run_next (AssayTaskScheduler *self, guint list, guint thread)
{
  const AssayTaskList *tasks = &self->tasks->lists[list];
  int number = g_atomic_int_get (&self->lists[list].number);
  const AssayTask *task;

  if (number % 2 != 0 || (guint32) number / 2 >= tasks->tasks->len)
    return;

  task = &g_array_index (tasks->tasks, AssayTask, (guint32) number / 2);
  for (guint i = 0; i < task->n_waits; i++)
    {
      const AssayTaskWait *wait = &g_array_index (tasks->waits, AssayTaskWait,
                                                  task->first_wait + i);

      wait_for (self, wait->list, wait->count, thread);
    }

  if (g_atomic_int_get (&self->stop) != 0 ||
      !g_atomic_int_compare_and_exchange (&self->lists[list].number, number, number + 1))
    return;

  self->func (self->data, thread, task);
  g_atomic_int_set (&self->lists[list].number, number + 2 * task->n_joined);
  wake_sleepers (self);

  if (number / 2 / TASKS_AT_ONCE != (number / 2 + task->n_joined) / TASKS_AT_ONCE &&
      assay_progress_is_cancelled (self->progress))
    {
      g_atomic_int_set (&self->stop, 1);
      wake_sleepers (self);
    }
}

static void
run_list (AssayTaskScheduler *self, guint list, guint thread)
{
  guint32 n = self->tasks->lists[list].tasks->len;

  while (g_atomic_int_get (&self->stop) == 0 && !is_done (self, list, n))
    {
      int number = g_atomic_int_get (&self->lists[list].number);

      if (number % 2 == 0)
        run_next (self, list, thread);
      else
        wait_for (self, list, (guint32) number / 2 + 1, thread);
    }
}

/* Whether there still was a run to come into. */
static gboolean
enter (AssayTaskScheduler *self)
{
  int gate;

  do
    {
      gate = g_atomic_int_get (&self->gate);
      if (gate % 2 == 0)
        return FALSE;
    }
  while (!g_atomic_int_compare_and_exchange (&self->gate, gate, gate + 2));

  return TRUE;
}

static gpointer
member_thread (gpointer data)
{
  g_autofree Member *member = data;
  AssayTaskScheduler *self = member->scheduler;
  int seen = 0;

  for (;;)
    {
      gboolean quit;

      /* Inferences often follow each other at once, and then nobody has to be woken. */
      for (guint i = 0; i < LOOKS_BEFORE_SLEEP && g_atomic_int_get (&self->n_runs) == seen; i++)
        relax ();
      g_mutex_lock (&self->lock);
      while (!self->quit && g_atomic_int_get (&self->n_runs) == seen)
        g_cond_wait (&self->wake, &self->lock);
      seen = g_atomic_int_get (&self->n_runs);
      quit = self->quit;
      g_mutex_unlock (&self->lock);
      if (quit)
        return NULL;

      if (!enter (self))
        continue;
      if (member->index < self->tasks->n_lists)
        run_list (self, member->index, member->index);
      g_atomic_int_add (&self->gate, -2);
      wake_sleepers (self);
    }
}

/**
 * assay_task_scheduler_new:
 * @n_threads: how many threads, that of the caller included
 *
 * Starts threads that wait for lists; fewer where no more are allowed.
 *
 * Returns: (transfer full): the scheduler
 */
AssayTaskScheduler *
assay_task_scheduler_new (guint n_threads)
{
  AssayTaskScheduler *self = g_new0 (AssayTaskScheduler, 1);

  g_mutex_init (&self->lock);
  g_cond_init (&self->wake);
  g_cond_init (&self->moved);
  self->lists = g_new0 (State, n_threads);
  self->threads = g_new0 (GThread *, n_threads);
  for (self->n_threads = 1; self->n_threads < n_threads; self->n_threads++)
    {
      Member *member = g_new (Member, 1);

      *member = (Member){ self, self->n_threads };
      self->threads[self->n_threads] = g_thread_try_new ("assay-task-scheduler", member_thread,
                                                         member, NULL);
      if (self->threads[self->n_threads] == NULL)
        {
          g_free (member);
          break;
        }
    }

  return self;
}

/**
 * assay_task_scheduler_free:
 * @self: (nullable): a scheduler that runs nothing
 *
 * Ends the threads.
 */
void
assay_task_scheduler_free (AssayTaskScheduler *self)
{
  if (self == NULL)
    return;

  g_mutex_lock (&self->lock);
  self->quit = TRUE;
  g_cond_broadcast (&self->wake);
  g_mutex_unlock (&self->lock);
  for (guint i = 1; i < self->n_threads; i++)
    g_thread_join (self->threads[i]);

  g_mutex_clear (&self->lock);
  g_cond_clear (&self->wake);
  g_cond_clear (&self->moved);
  g_free (self->threads);
  g_free (self->lists);
  g_free (self);
}

/**
 * assay_task_scheduler_get_n_threads:
 * @self: a scheduler
 *
 * Gets how many lists it can run side by side.
 *
 * Returns: number of threads, that of the caller included
 */
guint
assay_task_scheduler_get_n_threads (AssayTaskScheduler *self)
{
  return self->n_threads;
}

/**
 * assay_task_scheduler_run:
 * @self: a scheduler
 * @tasks: no more lists than it has threads
 * @func: (scope call): runs one task
 * @data: for @func
 * @progress: (nullable): cancel
 * @error: return location for a #GError
 *
 * Runs lists side by side and returns when all are done.
 *
 * Returns: %FALSE only if cancelled
 */
gboolean
assay_task_scheduler_run (AssayTaskScheduler *self, const AssayTasks *tasks, AssayTaskFunc func,
                          gpointer data, const AssayProgress *progress, GError **error)
{
  int gate;

  g_return_val_if_fail (tasks->n_lists <= self->n_threads, FALSE);

  for (guint i = 0; i < tasks->n_lists; i++)
    g_atomic_int_set (&self->lists[i].number, 0);
  self->tasks = tasks;
  self->func = func;
  self->data = data;
  self->progress = progress;
  g_atomic_int_set (&self->stop, 0);

  g_mutex_lock (&self->lock);
  g_atomic_int_set (&self->gate, 1);
  g_atomic_int_inc (&self->n_runs);
  g_cond_broadcast (&self->wake);
  g_mutex_unlock (&self->lock);

  run_list (self, 0, 0);
  for (guint i = 1; i < tasks->n_lists; i++)
    wait_for (self, i, tasks->lists[i].tasks->len, 0);

  /* Who has not come yet stays outside; who is in has at most the end of a task left. */
  g_atomic_int_add (&self->gate, -1);
  for (guint looks = 0; (gate = g_atomic_int_get (&self->gate)) != 0; looks++)
    {
      if (looks < LOOKS_BEFORE_SLEEP)
        relax ();
      else
        sleep_until_moved (self, &self->gate, gate);
    }

  return g_atomic_int_get (&self->stop) == 0 || assay_progress_check (progress, error);
}
