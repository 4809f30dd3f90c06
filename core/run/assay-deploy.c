/* assay-deploy.c
 * SPDX-License-Identifier: Apache-2.0
 */
#include "run/assay-deploy.h"

#include "backend/assay-backend.h"
#include "backend/assay-program-class.h"
#include "base/assay-error.h"
#include "run/assay-latencies.h"
#include "run/assay-run-inputs.h"

/* What a stream begins with where it is not known how long a step takes. */
#define FIRST_STEPS 16

/* One more inference of a sequence that does not stream is one more call; they are random for that,
 * not for a test. */
static GPtrArray *
draw_inputs (AssayProgram *program, guint model, guint64 seed, guint n_steps, GError **error)
{
  g_autoptr (AssayRunInputs) inputs = assay_run_inputs_new ();
  g_autoptr (GArray) ports = assay_run_ports_for_program (program, model, TRUE);

  assay_run_inputs_set_seed (inputs, seed, TRUE);

  return assay_run_inputs_make (inputs, (const AssayRunPort *) (gpointer) ports->data, ports->len,
                                n_steps, error);
}

static gboolean
streams (const AssayModelEntry *entry)
{
  for (guint i = 0; i < entry->n_inputs; i++)
    {
      if (entry->inputs[i].streaming_dim >= 0)
        return TRUE;
    }

  return FALSE;
}

/* One inference of many reports no progress of its own, but can be cancelled. */
static AssayProgress
quiet (const AssayProgress *progress)
{
  return (AssayProgress) ASSAY_PROGRESS_INIT (NULL, NULL,
                                              progress != NULL ? progress->cancellable : NULL);
}

/* Runs the inputs there and here, and counts the bits that differ. */
static gboolean
run_and_compare (AssayDeployment *self, AssayBoard *board, AssayRunner *machine,
                 AssayProgram *program, guint model, GPtrArray *inputs, GArray *latencies,
                 const AssayProgress *progress, GError **error)
{
  g_auto (AssayRunSequence) sequence = { 0 };
  g_autoptr (GPtrArray) there = NULL;
  g_autoptr (GPtrArray) here = NULL;
  const AssayProgress single = quiet (progress);

  if (!assay_run_sequence_init (&sequence, assay_program_get_model (program, model), inputs,
                                error) ||
      !assay_board_run (board, model, &sequence, latencies, progress, error))
    return FALSE;
  there = assay_run_sequence_finish (&sequence);

  here = assay_runner_run (machine, inputs, NULL, &single, error);
  if (here == NULL)
    return FALSE;
  for (guint i = 0; i < here->len; i++)
    {
      gsize n_bytes = 0;
      const guint32 *a = assay_tensor_get_data (g_ptr_array_index (there, i), &n_bytes, NULL);
      const guint32 *b = assay_tensor_get_data (g_ptr_array_index (here, i), &n_bytes, NULL);

      for (gsize j = 0; j < n_bytes / sizeof *a; j++)
        self->n_different += a[j] != b[j];
      self->n_values += n_bytes / sizeof *a;
    }

  return TRUE;
}

static gboolean
run_all (AssayDeployment *self, AssayBoard *board, AssayProgram *program, guint model, guint64 seed,
         gint64 budget, const AssayProgress *progress, GError **error)
{
  g_autoptr (AssayRunSubject) subject = assay_run_subject_new_for_program (NULL, program, model);
  g_autoptr (AssayRunner) machine = assay_runner_open (assay_program_get_machine (program), subject,
                                                       NULL, progress, error);
  g_autoptr (GArray) latencies = g_array_new (FALSE, FALSE, sizeof (gint64));
  gboolean whole = streams (assay_program_get_model (program, model));
  const AssayProgress single = quiet (progress);
  const gint64 begun = g_get_monotonic_time ();

  if (machine == NULL)
    return FALSE;

  /* A model that streams takes all of them as one sequence, so that its state is carried along;
   * where time is short, a short one tells how long the next can be. */
  for (guint done = 0, n = 0; done < self->n_runs; done += n)
    {
      g_autoptr (GPtrArray) inputs = NULL;
      gint64 left = begun + budget - g_get_monotonic_time ();

      if (budget > 0 && done > 0 && left <= 0)
        break;
      n = !whole        ? 1
          : budget == 0 ? self->n_runs
          : done == 0   ? FIRST_STEPS
                        : (guint) MIN (G_MAXINT32, left * done / MAX (budget - left, 1));
      n = CLAMP (n, 1, self->n_runs - done);
      inputs = draw_inputs (program, model, seed + done, whole ? n : 0, error);

      if (inputs == NULL ||
          !run_and_compare (self, board, machine, program, model, inputs, latencies,
                            whole ? progress : &single, error) ||
          !assay_progress_check (progress, error))
        return FALSE;
      assay_progress_report (progress, (double) (done + n) / self->n_runs, "running");
    }

  self->n_runs = latencies->len;
  self->latencies = g_memdup2 (latencies->data, latencies->len * sizeof (gint64));
  assay_latencies_sort (self->latencies, self->n_runs);

  return TRUE;
}

/**
 * assay_deploy:
 * @program: a program
 * @model: which of its models
 * @board: name of the board
 * @n_runs: how many inferences on random inputs at most, at least 1
 * @budget_ms: how long they may take in all, here and there, in milliseconds; 0 for as long as all
 * of them need
 * @seed: of the inputs
 * @seconds: how long the board may take for one answer, 0 for ten minutes
 * @progress: (nullable): progress and cancel
 * @error: return location for a #GError
 *
 * Checks the board, copies a program there, runs it, and compares every bit with the machine here.
 * The board keeps nothing, so that it is as before whenever this ends.
 *
 * Returns: (transfer full) (nullable): what came of it, or %NULL with an error that names the step
 */
AssayDeployment *
assay_deploy (AssayProgram *program, guint model, const char *board, guint n_runs, guint budget_ms,
              guint64 seed, guint seconds, const AssayProgress *progress, GError **error)
{
  g_autoptr (AssayDeployment) self = NULL;
  g_autoptr (AssayBoard) connection = NULL;
  AssayProgress copying = assay_progress_part (progress, 0.1, 0.4);
  AssayProgress running = assay_progress_part (progress, 0.4, 1.0);
  const AssayBoardInfo *info;

  if (ASSAY_PROGRAM_GET_CLASS (program)->open == NULL &&
      ASSAY_PROGRAM_GET_CLASS (program)->run == NULL)
    {
      g_set_error (error, ASSAY_ERROR, ASSAY_ERROR_INVALID, "target %s: %s",
                   assay_program_get_facts (program)->target_id,
                   assay_backend_get_lack (ASSAY_CAPABILITY_DEPLOYS));
      return NULL;
    }
  assay_progress_report (progress, 0, "checking the board");
  connection = assay_board_connect (board, seconds, NULL, progress, error);
  if (connection == NULL)
    return NULL;

  assay_board_set_deadline (connection, seconds);
  self = g_new0 (AssayDeployment, 1);
  self->board = g_strdup (board);
  self->label = assay_board_dup_label (board);
  self->n_runs = MAX (n_runs, 1);
  info = assay_board_get_info (connection);
  self->info.writer = g_strdup (info->writer);
  self->info.kernels = g_strdup (info->kernels);
  self->info.architecture = g_strdup (info->architecture);
  self->info.processors = info->processors;

  if (!assay_board_put (connection, program, &self->n_bytes, &copying, error))
    {
      g_prefix_error (error, "copying: ");
      return NULL;
    }
  if (!run_all (self, connection, program, model, seed, (gint64) budget_ms * 1000, &running, error))
    {
      g_prefix_error (error, "running: ");
      return NULL;
    }

  return g_steal_pointer (&self);
}

void
assay_deployment_free (AssayDeployment *self)
{
  if (self == NULL)
    return;

  g_free (self->board);
  g_free (self->label);
  g_free (self->info.writer);
  g_free (self->info.kernels);
  g_free (self->info.architecture);
  g_free (self->latencies);
  g_free (self);
}

/**
 * assay_deployment_get_percentile:
 * @self: a deployment
 * @percent: such as 50 or 99
 *
 * Tells a latency that so many percent of the inferences do not exceed.
 *
 * Returns: nanoseconds
 */
gint64
assay_deployment_get_percentile (const AssayDeployment *self, guint percent)
{
  return assay_latencies_percentile (self->latencies, self->n_runs, percent);
}
