/* assay-stream-executor.c
 * SPDX-License-Identifier: Apache-2.0
 */
#include "backend/stream/assay-machine-observer.h"
#include "backend/stream/assay-stream-program.h"
#include "backend/stream/machine/assay-machine.h"

typedef struct
{
  AssayExecutor parent;

  AssayMachine *machine;
  AssayMachineObserver *watch;
} StreamExecutor;

static void
stream_clear (AssayExecutor *executor)
{
  StreamExecutor *self = (StreamExecutor *) executor;

  g_clear_pointer (&self->watch, assay_machine_observer_free);
  g_clear_pointer (&self->machine, assay_machine_free);
}

static void
stream_reset (AssayExecutor *executor, guint model)
{
  assay_machine_reset (((StreamExecutor *) executor)->machine, model);
}

static gboolean
stream_run (AssayExecutor *executor, guint model, gint64 step, const float *const *inputs,
            float *const *outputs, const AssayProgress *progress, GError **error)
{
  StreamExecutor *self = (StreamExecutor *) executor;
  gboolean done;

  if (self->watch != NULL)
    assay_machine_observer_begin (self->watch, self->machine, step);
  done = assay_machine_run (self->machine, model, inputs, outputs, progress, error);
  if (self->watch != NULL &&
      !assay_machine_observer_finish (self->watch, self->machine, done ? error : NULL))
    return FALSE;

  return done;
}

static void
stream_watch (AssayExecutor *executor, const AssayRunObserver *observer)
{
  StreamExecutor *self = (StreamExecutor *) executor;
  const AssayProbes *probes = assay_stream_program_get_probes (executor->program);

  g_clear_pointer (&self->watch, assay_machine_observer_free);
  if (observer != NULL && probes != NULL)
    self->watch = assay_machine_observer_new (assay_stream_program_get_code (executor->program),
                                              probes, observer);
}

static const AssayExecutorClass stream_class = { stream_clear, stream_reset, stream_run,
                                                 stream_watch };

/**
 * assay_stream_executor_new:
 * @program: a program of this backend
 * @options: how it is run
 * @error: return location for a #GError
 *
 * Makes a virtual machine for a program.
 *
 * Returns: (transfer full) (nullable): what runs it
 */
AssayExecutor *
assay_stream_executor_new (AssayProgram *program, const AssayExecutorOptions *options,
                           GError **error)
{
  AssayMachineFlags flags = (options->fp32 ? ASSAY_MACHINE_FP32 : ASSAY_MACHINE_BF16) |
                            (options->truncate ? ASSAY_MACHINE_TRUNCATE : 0);
  AssayMachine *machine = assay_machine_new (assay_stream_program_get_code (program), flags, error);
  StreamExecutor *self;

  if (machine == NULL)
    return NULL;

  assay_machine_set_threads (machine, options->n_threads);
  self = g_new0 (StreamExecutor, 1);
  self->parent.klass = &stream_class;
  self->machine = machine;

  return &self->parent;
}
