/* assay-run-pair.c
 * SPDX-License-Identifier: Apache-2.0
 */
#include "run/assay-run-pair.h"

#include <string.h>

#include "base/assay-error.h"
#include "run/assay-run-inputs.h"
#include "nnir/assay-dims.h"

#define N_SIDES 2

/* Values as a runner shows them: once, or once per timestep. */
static gboolean
keep (AssayValueId value, gint64 step, AssayTensor *tensor, gpointer user_data, GError **error)
{
  GHashTable *kept = user_data;

  g_ptr_array_add (g_hash_table_lookup (kept, GUINT_TO_POINTER (value)), assay_tensor_ref (tensor));
  return TRUE;
}

/* Which output of the model a value is, or -1. */
static int
find_output (const AssayGraph *graph, AssayValueId value)
{
  const GArray *outputs = assay_graph_region (graph, ASSAY_MAIN_REGION)->outputs;

  for (guint i = 0; i < outputs->len; i++)
    if (g_array_index (outputs, AssayValueId, i) == value)
      return (int) i;

  return -1;
}

static AssayRunner *
open_side (const AssayComparisonSide *side, const AssayValueId *values, guint n,
           const AssayProgress *progress, GError **error)
{
  const AssayRunnerOptions options = { .observes = TRUE };
  g_autoptr (AssayRunner)
      runner = assay_runner_open (side->spec, side->subject, &options, progress, error);

  for (guint i = 0; runner != NULL && i < n; i++)
    if (!assay_runner_can_observe (runner, values[i]) &&
        find_output (side->subject->graph, values[i]) < 0)
      {
        g_set_error (error, ASSAY_ERROR, ASSAY_ERROR_UNSUPPORTED,
                     "%s does not show this value while it runs",
                     assay_runner_get_kind (runner)->label);
        return NULL;
      }

  return g_steal_pointer (&runner);
}

/* Outputs are taken as they leave a runner that nobody can look into. */
static GHashTable *
run_side (const AssayComparisonSide *side, const GArray *ports, GPtrArray *inputs,
          const AssayValueId *values, guint n, const AssayProgress *progress, GError **error)
{
  g_autoptr (AssayRunner) runner = open_side (side, values, n, progress, error);
  g_autoptr (GHashTable)
      kept = g_hash_table_new_full (NULL, NULL, NULL, (GDestroyNotify) g_ptr_array_unref);
  g_autoptr (GArray) observed = g_array_new (FALSE, FALSE, sizeof (AssayValueId));
  g_autoptr (GPtrArray) picked = NULL;
  g_autoptr (GPtrArray) outputs = NULL;
  AssayRunObserver observer = { .func = keep, .user_data = kept };

  if (runner == NULL)
    return NULL;

  for (guint i = 0; i < n; i++)
    {
      g_hash_table_replace (kept, GUINT_TO_POINTER (values[i]),
                            g_ptr_array_new_with_free_func ((GDestroyNotify) assay_tensor_unref));
      if (assay_runner_can_observe (runner, values[i]))
        g_array_append_val (observed, values[i]);
    }
  observer.values = (const AssayValueId *) (gpointer) observed->data;
  observer.n_values = observed->len;
  picked = assay_run_inputs_pick ((const AssayRunPort *) (gpointer) ports->data, ports->len, inputs,
                                  runner, error);
  if (picked != NULL)
    outputs = assay_runner_run (runner, picked, observed->len > 0 ? &observer : NULL, progress,
                                error);
  if (outputs == NULL)
    return NULL;

  for (guint i = 0; i < n; i++)
    {
      GPtrArray *steps = g_hash_table_lookup (kept, GUINT_TO_POINTER (values[i]));
      int output = find_output (side->subject->graph, values[i]);

      if (!assay_runner_can_observe (runner, values[i]) && (guint) output < outputs->len)
        g_ptr_array_add (steps, assay_tensor_ref (g_ptr_array_index (outputs, (guint) output)));
      if (steps->len == 0)
        {
          g_set_error (error, ASSAY_ERROR, ASSAY_ERROR_INVALID, "%s did not compute this value",
                       assay_runner_get_kind (runner)->label);
          return NULL;
        }
    }

  return g_steal_pointer (&kept);
}

/* Timesteps from @first on, side by side along the axis of time. */
static AssayTensor *
join (const GPtrArray *steps, guint first, int axis, GError **error)
{
  AssayTensor *one = g_ptr_array_index (steps, steps->len - 1);
  guint rank = assay_tensor_get_rank (one);
  gsize n_bytes = assay_tensor_get_n_bytes (one);
  gsize n = steps->len - first;
  g_autofree gint64 *dims = g_memdup2 (assay_tensor_get_dims (one), rank * sizeof (gint64));
  g_autoptr (GBytes) bytes = NULL;
  guint8 *joined;
  gsize all, outer, run;

  if (steps->len == 1)
    return assay_tensor_ref (one);
  if (axis < 0 || axis >= (int) rank || dims[axis] != 1 || !g_size_checked_mul (&all, n, n_bytes))
    {
      g_set_error (error, ASSAY_ERROR, ASSAY_ERROR_UNSUPPORTED, "its timesteps cannot be joined");
      return NULL;
    }

  outer = assay_dims_product (dims, 0, (guint) axis);
  run = outer > 0 ? n_bytes / outer : 0;
  joined = g_malloc (all + 1);
  for (gsize step = 0; step < n; step++)
    {
      AssayTensor *tensor = g_ptr_array_index (steps, first + step);
      const guint8 *data = assay_tensor_get_data (tensor, NULL, error);

      if (data == NULL || assay_tensor_get_n_bytes (tensor) != n_bytes)
        {
          g_free (joined);
          return NULL;
        }
      for (gsize o = 0; o < outer; o++)
        memcpy (joined + (o * n + step) * run, data + o * run, run);
    }

  dims[axis] = (gint64) n;
  bytes = g_bytes_new_take (joined, all);
  return assay_tensor_new (assay_tensor_get_dtype (one), rank, dims, bytes, error);
}

/* How many of the first timesteps the other side does not have: it begins when there was enough to
 * read. */
static guint
count_early (const GPtrArray *mine, const GPtrArray *theirs, int axis)
{
  AssayTensor *whole = g_ptr_array_index (theirs, 0);
  gint64 n = theirs->len > 1 ? (gint64) theirs->len
             : axis >= 0 && axis < (int) assay_tensor_get_rank (whole)
                 ? assay_tensor_get_dims (whole)[axis]
                 : (gint64) mine->len;

  return n < (gint64) mine->len ? (guint) ((gint64) mine->len - n) : 0;
}

/**
 * assay_run_pair:
 * @a: one side
 * @b: the other
 * @ports: (element-type AssayRunPort): what @inputs are for
 * @inputs: (element-type AssayTensor): one tensor per port
 * @value: a value of the canonical graph that both have
 * @progress: (nullable): progress and cancel
 * @value_a: (out): the value in the one run
 * @value_b: (out): the same in the other, with as many elements
 * @error: return location for a #GError
 *
 * Runs both sides again and keeps one value of each, all timesteps of it; a comparison keeps
 * numbers only. Fails with %ASSAY_ERROR_UNSUPPORTED if a runner does not show the value.
 *
 * Returns: whether both are there
 */
gboolean
assay_run_pair (const AssayComparisonSide *a, const AssayComparisonSide *b, const GArray *ports,
                GPtrArray *inputs, AssayValueId value, const AssayProgress *progress,
                AssayTensor **value_a, AssayTensor **value_b, GError **error)
{
  int axis = -1;
  AssayProgress first = assay_progress_part (progress, 0.0, 0.5);
  AssayProgress second = assay_progress_part (progress, 0.5, 1.0);
  g_autoptr (GHashTable) kept_a = run_side (a, ports, inputs, &value, 1, &first, error);
  g_autoptr (GHashTable) kept_b = NULL;
  GPtrArray *steps_a = NULL, *steps_b = NULL;
  g_autoptr (AssayTensor) joined_a = NULL;
  g_autoptr (AssayTensor) joined_b = NULL;

  if ((b->subject->program == NULL ||
       !assay_program_find_value (b->subject->program, value, &axis)) &&
      a->subject->program != NULL)
    assay_program_find_value (a->subject->program, value, &axis);
  if (kept_a != NULL)
    kept_b = run_side (b, ports, inputs, &value, 1, &second, error);
  if (kept_b != NULL)
    {
      steps_a = g_hash_table_lookup (kept_a, GUINT_TO_POINTER (value));
      steps_b = g_hash_table_lookup (kept_b, GUINT_TO_POINTER (value));
      joined_a = join (steps_a, count_early (steps_a, steps_b, axis), axis, error);
    }
  if (joined_a != NULL)
    joined_b = join (steps_b, count_early (steps_b, steps_a, axis), axis, error);
  if (joined_b == NULL)
    return FALSE;

  if (assay_tensor_get_n_elements (joined_a) != assay_tensor_get_n_elements (joined_b))
    {
      g_set_error (error, ASSAY_ERROR, ASSAY_ERROR_INVALID,
                   "%" G_GSIZE_FORMAT " elements in one run and %" G_GSIZE_FORMAT " in the other",
                   assay_tensor_get_n_elements (joined_a), assay_tensor_get_n_elements (joined_b));
      return FALSE;
    }

  *value_a = g_steal_pointer (&joined_a);
  *value_b = g_steal_pointer (&joined_b);
  return TRUE;
}

/**
 * assay_run_values: (skip)
 * @side: one side
 * @ports: (element-type AssayRunPort): what @inputs are for
 * @inputs: (element-type AssayTensor): one tensor per port
 * @values: (array length=n): results in the canonical graph
 * @n: how many
 * @progress: (nullable): progress and cancel
 * @error: return location for a #GError
 *
 * Runs one side and keeps some values, all timesteps of them.
 *
 * Returns: (transfer full) (nullable) (element-type guint32 AssayTensor): the tensors by value
 */
GHashTable *
assay_run_values (const AssayComparisonSide *side, const GArray *ports, GPtrArray *inputs,
                  const AssayValueId *values, guint n, const AssayProgress *progress,
                  GError **error)
{
  g_autoptr (GHashTable) kept = run_side (side, ports, inputs, values, n, progress, error);
  g_autoptr (GHashTable)
      tensors = g_hash_table_new_full (NULL, NULL, NULL, (GDestroyNotify) assay_tensor_unref);

  for (guint i = 0; kept != NULL && i < n; i++)
    {
      AssayTensor *joined;
      int axis = -1;

      if (side->subject->program != NULL)
        assay_program_find_value (side->subject->program, values[i], &axis);
      joined = join (g_hash_table_lookup (kept, GUINT_TO_POINTER (values[i])), 0, axis, error);
      if (joined == NULL)
        return NULL;
      g_hash_table_replace (tensors, GUINT_TO_POINTER (values[i]), joined);
    }

  return kept != NULL ? g_steal_pointer (&tensors) : NULL;
}
