/* assay-runner-machine.c
 * SPDX-License-Identifier: Apache-2.0
 */
#include "backend/assay-executor.h"
#include "run/assay-run-sequence.h"
#include "run/assay-runner-private.h"

static gboolean
open_bf16 (AssayRunner *self, const AssayRunnerOptions *options, const AssayProgress *progress,
           GError **error)
{
  const AssayExecutorOptions wanted = { .truncate = options->truncate,
                                        .n_threads = options->n_threads };

  self->data = assay_executor_new (self->subject->program, &wanted, error);
  if (assay_runner_get_precision (self) != self->kind->precision)
    self->label = g_strdup_printf (
        "Machine %s", assay_compare_precision_names ()[assay_runner_get_precision (self)]);

  return self->data != NULL;
}

static gboolean
open_fp32 (AssayRunner *self, const AssayRunnerOptions *options, const AssayProgress *progress,
           GError **error)
{
  const AssayExecutorOptions wanted = { .fp32 = TRUE,
                                        .truncate = options->truncate,
                                        .n_threads = options->n_threads };

  self->data = assay_executor_new (self->subject->program, &wanted, error);

  return self->data != NULL;
}

static void
machine_close (AssayRunner *self)
{
  g_clear_pointer ((AssayExecutor **) &self->data, assay_executor_free);
}

static gboolean
machine_can_observe (AssayRunner *self, AssayValueId value)
{
  return assay_program_find_value (self->subject->program, value, NULL);
}

static gboolean
run_steps (AssayRunner *self, AssayRunSequence *sequence, const AssayProgress *progress,
           GError **error)
{
  guint model = self->subject->model;

  assay_executor_reset (self->data, model);
  for (gint64 step = 0; step < sequence->n_steps; step++)
    {
      gint64 begin;

      assay_run_sequence_pack (sequence, step);
      begin = assay_runner_now ();
      if (!assay_executor_run (self->data, model, step, (const float *const *) sequence->packed,
                               sequence->results, progress, error))
        return FALSE;
      assay_runner_add_latency (self, begin);
      assay_run_sequence_unpack (sequence, step);
      assay_progress_report (progress, (double) (step + 1) / (double) sequence->n_steps, "running");
    }

  return TRUE;
}

static GPtrArray *
machine_run (AssayRunner *self, GPtrArray *inputs, const AssayRunObserver *observer,
             const AssayProgress *progress, GError **error)
{
  g_auto (AssayRunSequence) sequence = { 0 };
  gboolean done;

  if (!assay_run_sequence_init (
          &sequence, assay_program_get_model (self->subject->program, self->subject->model), inputs,
          error))
    return NULL;

  assay_executor_watch (self->data, observer);
  done = run_steps (self, &sequence, progress, error);
  assay_executor_watch (self->data, NULL);

  return done ? assay_run_sequence_finish (&sequence) : NULL;
}

static gboolean
open_dpu (AssayRunner *self, const AssayRunnerOptions *options, const AssayProgress *progress,
          GError **error)
{
  self->data = assay_executor_new (self->subject->program, NULL, error);

  return self->data != NULL;
}

static gboolean
open_dpu_quantiser (AssayRunner *self, const AssayRunnerOptions *options,
                    const AssayProgress *progress, GError **error)
{
  const AssayExecutorOptions wanted = { .quantiser = TRUE };

  self->data = assay_executor_new (self->subject->program, &wanted, error);

  return self->data != NULL;
}

#define MACHINE(name, open)                                                                        \
  {                                                                                                \
    name, open, machine_close, machine_can_observe, machine_run                                    \
  }

const AssayRunnerClass assay_runner_machine_class = MACHINE ("vm", open_bf16);
const AssayRunnerClass assay_runner_machine_fp32_class = MACHINE ("vm", open_fp32);
const AssayRunnerClass assay_runner_dpu_class = MACHINE ("dpu", open_dpu);
const AssayRunnerClass assay_runner_dpu_quantiser_class = MACHINE ("dpu", open_dpu_quantiser);
