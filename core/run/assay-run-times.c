/* assay-run-times.c
 * SPDX-License-Identifier: Apache-2.0
 */
#include "run/assay-run-times.h"

struct _AssayRunTimes
{
  gatomicrefcount ref_count;
  char *label;
  GStringChunk *names;
  GArray *steps; /* AssayRunnerStep */
};

/**
 * assay_run_times_new:
 * @runner: a runner that has run
 *
 * Keeps what a runner measured of its last run.
 *
 * Returns: (transfer full) (nullable): the times, %NULL if it does not time parts by themselves
 */
AssayRunTimes *
assay_run_times_new (const AssayRunner *runner)
{
  AssayRunTimes *self;
  guint n;
  const AssayRunnerStep *steps = assay_runner_get_steps (runner, &n);

  if (n == 0)
    return NULL;

  self = g_new0 (AssayRunTimes, 1);
  g_atomic_ref_count_init (&self->ref_count);
  self->label = g_strdup (assay_runner_get_label (runner));
  self->names = g_string_chunk_new (1024);
  self->steps = g_array_sized_new (FALSE, FALSE, sizeof *steps, n);
  for (guint i = 0; i < n; i++)
    {
      AssayRunnerStep step = steps[i];

      step.name = g_string_chunk_insert_const (self->names, step.name);
      step.where = g_string_chunk_insert_const (self->names, step.where);
      g_array_append_val (self->steps, step);
    }

  return self;
}

/**
 * assay_run_times_ref:
 * @self: times
 *
 * Adds a reference.
 *
 * Returns: (transfer full): @self
 */
AssayRunTimes *
assay_run_times_ref (AssayRunTimes *self)
{
  g_atomic_ref_count_inc (&self->ref_count);
  return self;
}

/**
 * assay_run_times_unref:
 * @self: times
 *
 * Drops a reference.
 */
void
assay_run_times_unref (AssayRunTimes *self)
{
  if (!g_atomic_ref_count_dec (&self->ref_count))
    return;

  g_free (self->label);
  g_string_chunk_free (self->names);
  g_array_unref (self->steps);
  g_free (self);
}

/**
 * assay_run_times_get_label:
 * @self: times
 *
 * Gets what they were measured on.
 *
 * Returns: (transfer none): words such as the name of a device
 */
const char *
assay_run_times_get_label (const AssayRunTimes *self)
{
  return self->label;
}

/**
 * assay_run_times_get_n:
 * @self: times
 *
 * Counts the parts.
 *
 * Returns: their number, at least 1
 */
guint
assay_run_times_get_n (const AssayRunTimes *self)
{
  return self->steps->len;
}

/**
 * assay_run_times_get:
 * @self: times
 * @index: number of a part, in the order in which they began
 *
 * Gets a part.
 *
 * Returns: (transfer none): the part
 */
const AssayRunnerStep *
assay_run_times_get (const AssayRunTimes *self, guint index)
{
  return &g_array_index (self->steps, AssayRunnerStep, index);
}

/**
 * assay_run_times_get_sum:
 * @self: times
 * @lane: a lane
 *
 * Adds up the parts of a lane.
 *
 * Returns: nanoseconds
 */
gint64
assay_run_times_get_sum (const AssayRunTimes *self, AssayRunLane lane)
{
  gint64 sum = 0;

  for (guint i = 0; i < self->steps->len; i++)
    {
      const AssayRunnerStep *step = assay_run_times_get (self, i);

      if (assay_runner_step_get_lane (step) == lane)
        sum += step->ns;
    }

  return sum;
}

/**
 * assay_run_times_get_total:
 * @self: times
 *
 * Adds up all parts. It is less than the whole where something lies between them.
 *
 * Returns: nanoseconds
 */
gint64
assay_run_times_get_total (const AssayRunTimes *self)
{
  gint64 sum = 0;

  for (guint lane = 0; lane < ASSAY_N_RUN_LANES; lane++)
    sum += assay_run_times_get_sum (self, lane);

  return sum;
}

/**
 * assay_run_times_get_end:
 * @self: times
 *
 * Gets when the last part ended.
 *
 * Returns: nanoseconds since the inference began
 */
gint64
assay_run_times_get_end (const AssayRunTimes *self)
{
  gint64 end = 0;

  for (guint i = 0; i < self->steps->len; i++)
    {
      const AssayRunnerStep *step = assay_run_times_get (self, i);

      end = MAX (end, step->begin + step->ns);
    }

  return end;
}

/**
 * assay_runner_step_get_lane:
 * @step: a part of an inference
 *
 * Gets where a part took place.
 *
 * Returns: the lane
 */
AssayRunLane
assay_runner_step_get_lane (const AssayRunnerStep *step)
{
  return g_str_equal (step->where, "host")     ? ASSAY_RUN_LANE_HOST
         : g_str_equal (step->where, "device") ? ASSAY_RUN_LANE_DEVICE
                                               : ASSAY_RUN_LANE_COPIES;
}

/**
 * assay_run_lane_get_title:
 * @lane: a lane
 *
 * Gets the name of a lane.
 *
 * Returns: (transfer none): the name
 */
const char *
assay_run_lane_get_title (AssayRunLane lane)
{
  static const char *const titles[ASSAY_N_RUN_LANES] = { "Host", "Copies", "Device" };

  return titles[lane];
}
