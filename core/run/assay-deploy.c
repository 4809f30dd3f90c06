/* assay-deploy.c
 * SPDX-License-Identifier: Apache-2.0
 */
#include "run/assay-deploy.h"

#include <string.h>

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

/* Bits of the results of two runners. */
static gboolean
count_bits (AssayDeployment *self, GPtrArray *there, GPtrArray *here, GError **error)
{
  for (guint i = 0; i < here->len; i++)
    {
      gsize n_there = 0, n_here = 0;
      const guint8 *a = assay_tensor_get_data (g_ptr_array_index (there, i), &n_there, error);
      const guint8 *b = a != NULL
                            ? assay_tensor_get_data (g_ptr_array_index (here, i), &n_here, error)
                            : NULL;
      gsize n = assay_tensor_get_n_elements (g_ptr_array_index (here, i));
      gsize size = n > 0 ? n_here / n : 0;

      if (b == NULL && n_here > 0)
        return FALSE;
      for (gsize j = 0; j < n; j++)
        self->n_different += n_there != n_here || memcmp (a + j * size, b + j * size, size) != 0;
      self->n_values += n;
    }

  return TRUE;
}

/* A device of this computer runs a program without an agent: in a process of its own, whose results
 * are held against those of another. */
static gboolean
run_device (AssayDeployment *self, AssayProgram *program, guint model, guint64 seed, gint64 budget,
            const AssayProgress *progress, GError **error)
{
  g_autoptr (AssayRunSubject) subject = assay_run_subject_new_for_program (NULL, program, model);
  g_autoptr (AssayRunner) device = assay_runner_open (self->board, subject, NULL, progress, error);
  g_autoptr (AssayRunner)
      again = device != NULL ? assay_runner_open (self->board, subject, NULL, progress, error)
                             : NULL;
  g_autoptr (GArray) latencies = g_array_new (FALSE, FALSE, sizeof (gint64));
  const AssayProgress single = quiet (progress);
  const gint64 begun = g_get_monotonic_time ();

  for (guint done = 0; again != NULL && done < self->n_runs; done++)
    {
      g_autoptr (GPtrArray) inputs = NULL;
      g_autoptr (GPtrArray) there = NULL;
      g_autoptr (GPtrArray) here = NULL;
      gint64 begin, latency;

      if (budget > 0 && done > 0 && g_get_monotonic_time () - begun >= budget)
        break;
      inputs = draw_inputs (program, model, seed + done, 0, error);
      /* Pipelines are compiled by the first. */
      if (inputs == NULL ||
          (done == 0 && (here = assay_runner_run (device, inputs, NULL, &single, error)) == NULL))
        return FALSE;
      g_clear_pointer (&here, g_ptr_array_unref);
      begin = g_get_monotonic_time ();
      there = assay_runner_run (device, inputs, NULL, &single, error);
      latency = (g_get_monotonic_time () - begin) * 1000;
      here = there != NULL ? assay_runner_run (again, inputs, NULL, &single, error) : NULL;
      if (here == NULL || !count_bits (self, there, here, error) ||
          !assay_progress_check (progress, error))
        return FALSE;
      g_array_append_val (latencies, latency);
      assay_progress_report (progress, (double) (done + 1) / self->n_runs, "running");
    }
  if (again == NULL)
    return FALSE;

  self->info.architecture = g_strdup (assay_runner_get_label (device));
  self->n_runs = latencies->len;
  self->latencies = g_memdup2 (latencies->data, latencies->len * sizeof (gint64));
  assay_latencies_sort (self->latencies, self->n_runs);

  return TRUE;
}

static AssayDeployment *
deploy_to_device (AssayProgram *program, guint model, const char *board, guint n_runs,
                  guint budget_ms, guint64 seed, const AssayProgress *progress, GError **error)
{
  g_autoptr (AssayDeployment) self = g_new0 (AssayDeployment, 1);
  g_autoptr (GBytes) bytes = assay_program_save_bytes (program, error);

  if (bytes == NULL)
    return NULL;
  self->board = g_strdup (board);
  self->label = assay_board_dup_label (board);
  self->n_runs = MAX (n_runs, 1);
  self->n_bytes = g_bytes_get_size (bytes);
  self->info.writer = g_strdup ("assay-gpu " ASSAY_VERSION);
  self->info.kernels = g_strdup ("Vulkan");
  self->info.processors = 1;
  if (!run_device (self, program, model, seed, (gint64) budget_ms * 1000, progress, error))
    {
      g_prefix_error (error, "running: ");
      return NULL;
    }

  return g_steal_pointer (&self);
}

static gboolean
is_for_device (AssayProgram *program)
{
  return g_strcmp0 (assay_program_get_machine (program), ASSAY_BOARD_DEVICE) == 0;
}

/* Programs for boards do not run on devices, and those for devices not on boards. */
static gboolean
check_place (AssayProgram *program, const char *board, GError **error)
{
  gboolean for_device = is_for_device (program);
  gboolean for_board = ASSAY_PROGRAM_GET_CLASS (program)->open != NULL ||
                       ASSAY_PROGRAM_GET_CLASS (program)->run != NULL;

  if (assay_board_is_device (board) ? for_device : for_board)
    return TRUE;
  if (for_device || (for_board && assay_board_is_device (board)))
    g_set_error (error, ASSAY_ERROR, ASSAY_ERROR_INVALID, "target %s: its programs run on %s",
                 assay_program_get_facts (program)->target_id,
                 for_device ? "graphics processors, such as vulkan or vulkan:0"
                            : "boards, not on graphics processors");
  else
    g_set_error (error, ASSAY_ERROR, ASSAY_ERROR_INVALID, "target %s: %s",
                 assay_program_get_facts (program)->target_id,
                 assay_backend_get_lack (ASSAY_CAPABILITY_DEPLOYS));

  return FALSE;
}

/**
 * assay_deploy:
 * @program: a program
 * @model: which of its models
 * @board: name of the board, or `vulkan[:DEVICE]`
 * @n_runs: how many inferences on random inputs at most, at least 1
 * @budget_ms: how long they may take in all, here and there, in milliseconds; 0 for as long as all
 * of them need
 * @seed: of the inputs
 * @seconds: how long the board may take for one answer, 0 for ten minutes
 * @progress: (nullable): progress and cancel
 * @error: return location for a #GError
 *
 * Checks the board, copies a program there, runs it, and compares every bit with the machine here.
 * The board keeps nothing, so that it is as before whenever this ends. A graphics processor needs
 * no copy and no agent; it is compared with itself in another process.
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

  /* Of this computer, it is its device. */
  if (is_for_device (program) && assay_board_is_local (board))
    board = ASSAY_BOARD_DEVICE;
  if (!check_place (program, board, error))
    return NULL;
  if (assay_board_is_device (board))
    return deploy_to_device (program, model, board, n_runs, budget_ms, seed, progress, error);
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
