/* assay-runner-machine.c
 * SPDX-License-Identifier: Apache-2.0
 */
#include "backend/stream/machine/assay-machine.h"
#include "run/assay-machine-observer.h"
#include "run/assay-run-sequence.h"
#include "run/assay-runner-private.h"

static gboolean
open_machine (AssayRunner *self, AssayMachineFlags flags, const AssayRunnerOptions *options,
              GError **error)
{
  if (options->truncate)
    flags |= ASSAY_MACHINE_TRUNCATE;
  self->data = assay_machine_new (self->subject->code, flags, error);

  return self->data != NULL;
}

static gboolean
open_bf16 (AssayRunner *self, const AssayRunnerOptions *options, const AssayProgress *progress,
           GError **error)
{
  return open_machine (self, ASSAY_MACHINE_BF16, options, error);
}

static gboolean
open_fp32 (AssayRunner *self, const AssayRunnerOptions *options, const AssayProgress *progress,
           GError **error)
{
  return open_machine (self, ASSAY_MACHINE_FP32, options, error);
}

static void
machine_close (AssayRunner *self)
{
  g_clear_pointer ((AssayMachine **) &self->data, assay_machine_free);
}

static gboolean
machine_can_observe (AssayRunner *self, AssayValueId value)
{
  return self->subject->probes != NULL && assay_probes_find (self->subject->probes, value) != NULL;
}

static gboolean
run_step (AssayMachine *machine, guint model, AssayRunSequence *sequence, gint64 step,
          AssayMachineObserver *watch, const AssayProgress *progress, GError **error)
{
  gboolean done;

  if (watch != NULL)
    assay_machine_observer_begin (watch, machine, step);
  done = assay_machine_run (machine, model, (const float *const *) sequence->packed,
                            sequence->results, progress, error);
  if (watch != NULL && !assay_machine_observer_finish (watch, machine, done ? error : NULL))
    return FALSE;

  return done;
}

static GPtrArray *
machine_run (AssayRunner *self, GPtrArray *inputs, const AssayRunObserver *observer,
             const AssayProgress *progress, GError **error)
{
  AssayMachine *machine = self->data;
  guint model = self->subject->model;
  g_auto (AssayRunSequence) sequence = { 0 };
  g_autoptr (AssayMachineObserver) watch = NULL;

  if (!assay_run_sequence_init (
          &sequence, &g_array_index (self->subject->code->models, AssayModelEntry, model), inputs,
          error))
    return NULL;

  if (observer != NULL && self->subject->probes != NULL)
    watch = assay_machine_observer_new (self->subject->code, self->subject->probes, observer);

  assay_machine_reset (machine, model);
  for (gint64 step = 0; step < sequence.n_steps; step++)
    {
      gint64 begin;

      assay_run_sequence_pack (&sequence, step);
      begin = assay_runner_now ();
      if (!run_step (machine, model, &sequence, step, watch, progress, error))
        return NULL;
      assay_runner_add_latency (self, begin);
      assay_run_sequence_unpack (&sequence, step);
      assay_progress_report (progress, (double) (step + 1) / (double) sequence.n_steps, "running");
    }

  return assay_run_sequence_finish (&sequence);
}

const AssayRunnerClass assay_runner_machine_class = { open_bf16, machine_close, machine_can_observe,
                                                      machine_run };
const AssayRunnerClass assay_runner_machine_fp32_class = { open_fp32, machine_close,
                                                           machine_can_observe, machine_run };
