/* assay-runner-machine.c
 * SPDX-License-Identifier: Apache-2.0
 */
#include "machine/assay-machine.h"
#include "run/assay-run-sequence.h"
#include "run/assay-runner-private.h"

static gboolean
open_machine (AssayRunner               *self,
              AssayMachineFlags          flags,
              const AssayRunnerOptions  *options,
              GError                   **error)
{
  if (options->truncate)
    flags |= ASSAY_MACHINE_TRUNCATE;
  self->data = assay_machine_new (self->subject->code, flags, error);

  return self->data != NULL;
}

static gboolean
open_bf16 (AssayRunner               *self,
           const AssayRunnerOptions  *options,
           const AssayProgress       *progress,
           GError                   **error)
{
  return open_machine (self, ASSAY_MACHINE_BF16, options, error);
}

static gboolean
open_fp32 (AssayRunner               *self,
           const AssayRunnerOptions  *options,
           const AssayProgress       *progress,
           GError                   **error)
{
  return open_machine (self, ASSAY_MACHINE_FP32, options, error);
}

static void
machine_close (AssayRunner *self)
{
  g_clear_pointer ((AssayMachine **) &self->data, assay_machine_free);
}

static GPtrArray *
machine_run (AssayRunner             *self,
             GPtrArray               *inputs,
             const AssayRunObserver  *observer,
             const AssayProgress     *progress,
             GError                 **error)
{
  AssayMachine *machine = self->data;
  guint model = self->subject->model;
  g_auto (AssayRunSequence) sequence = { 0 };

  if (!assay_run_sequence_init (&sequence, &g_array_index (self->subject->code->models, AssayModelEntry, model), inputs,
                                error))
    return NULL;

  assay_machine_reset (machine, model);
  for (gint64 step = 0; step < sequence.n_steps; step++)
    {
      gint64 begin;

      assay_run_sequence_pack (&sequence, step);
      begin = assay_runner_now ();
      if (!assay_machine_run (machine, model, (const float *const *) sequence.packed, sequence.results, progress,
                              error))
        return NULL;
      assay_runner_add_latency (self, begin);
      assay_run_sequence_unpack (&sequence, step);
      assay_progress_report (progress, (double) (step + 1) / (double) sequence.n_steps, "running");
    }

  return assay_run_sequence_finish (&sequence);
}

const AssayRunnerClass assay_runner_machine_class = { open_bf16, machine_close, NULL, machine_run };
const AssayRunnerClass assay_runner_machine_fp32_class = { open_fp32, machine_close, NULL, machine_run };
