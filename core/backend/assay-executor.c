/* assay-executor.c
 * SPDX-License-Identifier: Apache-2.0
 */
#include "backend/assay-program-class.h"
#include "base/assay-error.h"

static gboolean
plain_run (AssayExecutor *self, guint model, gint64 step, const float *const *inputs,
           float *const *outputs, const AssayProgress *progress, GError **error)
{
  return ASSAY_PROGRAM_GET_CLASS (self->program)
      ->run (self->program, model, inputs, outputs, progress, error);
}

static AssayExecutor *
new_plain (void)
{
  static const AssayExecutorClass klass = { .run = plain_run };
  AssayExecutor *self = g_new0 (AssayExecutor, 1);

  self->klass = &klass;

  return self;
}

/**
 * assay_executor_new:
 * @program: what to run
 * @options: (nullable): how; %NULL for what the hardware does
 * @error: return location for a #GError
 *
 * Makes ready to run a program, its models in their initial state.
 *
 * Returns: (transfer full) (nullable): what runs it, or %NULL if that is not here
 */
AssayExecutor *
assay_executor_new (AssayProgram *program, const AssayExecutorOptions *options, GError **error)
{
  const AssayExecutorOptions plain = { 0 };
  AssayProgramClass *klass = ASSAY_PROGRAM_GET_CLASS (program);
  AssayExecutor *self;

  if (klass->open == NULL && klass->run == NULL)
    {
      g_set_error (
          error, ASSAY_ERROR, ASSAY_ERROR_UNSUPPORTED, "programs of target %s run on the runner %s",
          assay_program_get_facts (program)->target_id, assay_program_get_machine (program));
      return NULL;
    }
  self = klass->open == NULL ? new_plain ()
                             : klass->open (program, options != NULL ? options : &plain, error);

  if (self != NULL)
    self->program = g_object_ref (program);

  return self;
}

void
assay_executor_free (AssayExecutor *self)
{
  if (self == NULL)
    return;

  if (self->klass->clear != NULL)
    self->klass->clear (self);
  g_object_unref (self->program);
  g_free (self);
}

/**
 * assay_executor_reset:
 * @self: what runs a program
 * @model: one of its models
 *
 * Puts a model into its initial state.
 */
void
assay_executor_reset (AssayExecutor *self, guint model)
{
  if (self->klass->reset != NULL)
    self->klass->reset (self, model);
}

/**
 * assay_executor_watch:
 * @self: what runs a program
 * @observer: (nullable): who wants to see values of the inferences that follow, and outlives them;
 * %NULL for nobody
 *
 * Shows values between inputs and outputs, if the program was built to be observable.
 */
void
assay_executor_watch (AssayExecutor *self, const AssayRunObserver *observer)
{
  if (self->klass->watch != NULL)
    self->klass->watch (self, observer);
}

/**
 * assay_executor_run:
 * @self: what runs a program
 * @model: one of its models
 * @step: which timestep it is, for observers
 * @inputs: per input its values, as the port takes them
 * @outputs: (out caller-allocates): per output its values, as the port gives them
 * @progress: (nullable): progress and cancel
 * @error: return location for a #GError
 *
 * Runs an inference.
 *
 * Returns: whether it ran to its end
 */
gboolean
assay_executor_run (AssayExecutor *self, guint model, gint64 step, const float *const *inputs,
                    float *const *outputs, const AssayProgress *progress, GError **error)
{
  return self->klass->run (self, model, step, inputs, outputs, progress, error);
}
