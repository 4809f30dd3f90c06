/* assay-runner-board.c
 * SPDX-License-Identifier: Apache-2.0
 */
#include "run/board/assay-board.h"
#include "run/assay-runner-private.h"

static gboolean
board_open (AssayRunner *self, const AssayRunnerOptions *options, const AssayProgress *progress,
            GError **error)
{
  self->data = assay_board_connect (self->argument, options->seconds, NULL, progress, error);
  if (self->data != NULL)
    assay_board_set_deadline (self->data, options->seconds);

  self->label = assay_board_dup_label (self->argument);

  return self->data != NULL &&
         assay_board_put (self->data, self->subject->program, NULL, progress, error);
}

static void
board_close (AssayRunner *self)
{
  g_clear_pointer ((AssayBoard **) &self->data, assay_board_free);
}

static GPtrArray *
board_run (AssayRunner *self, GPtrArray *inputs, const AssayRunObserver *observer,
           const AssayProgress *progress, GError **error)
{
  guint model = self->subject->model;
  g_auto (AssayRunSequence) sequence = { 0 };

  if (!assay_run_sequence_init (&sequence, assay_program_get_model (self->subject->program, model),
                                inputs, error) ||
      !assay_board_run (self->data, model, &sequence, self->latencies, progress, error))
    return NULL;

  return assay_run_sequence_finish (&sequence);
}

const AssayRunnerClass assay_runner_board_class = { NULL, board_open, board_close, NULL,
                                                    board_run };
