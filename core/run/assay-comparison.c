/* assay-comparison.c
 * SPDX-License-Identifier: Apache-2.0
 *
 * Three runs at once, each in a thread of its own. The leader goes ahead and puts its values into a
 * queue. The follower is held against them value by value: the total errors. A second run of the
 * follower is held against them too, but goes on with the leader's values instead of its own, so
 * that every op works on the inputs of the leader: the own errors. Only the values between the runs
 * are kept, however long the model is.
 */
#include "run/assay-comparison.h"

#include <math.h>
#include <string.h>

#include "base/assay-error.h"
#include "base/assay-tensor-read.h"
#include "quantize/assay-quantize.h"
#include "run/assay-comparison-private.h"
#include "run/assay-run-inputs.h"
#include "nnir/assay-dims.h"

/* Fused nodes in a row through which sizes are followed. */
#define MAX_HIDDEN 32
/* How far the leader may be ahead. */
#define MAX_QUEUE_BYTES (16 * 1024 * 1024)

/* One of the runs that follow. */
typedef struct
{
  AssayComparing *compare;
  AssayRunner *runner;
  gboolean forced;
  const AssayProgress *progress;
  GPtrArray *outputs;
  GError *error;
} Follower;

static void
row_free (gpointer data)
{
  AssayComparisonRow *row = data;

  g_free (row->name);
  g_free (row->node_name);
  g_free (row->op_type);
  g_free (row->dims);
  g_free (row->note);
  g_clear_pointer (&row->causes, g_ptr_array_unref);
  g_clear_pointer (&row->reasons, g_array_unref);
  g_free (row->cost);
  g_free (row->span_rms);
  g_free (row);
}

/**
 * assay_comparison_new: (skip)
 *
 * Makes a comparison without rows, to be filled in.
 *
 * Returns: (transfer full): the comparison
 */
AssayComparison *
assay_comparison_new (void)
{
  AssayComparison *self = g_new0 (AssayComparison, 1);

  self->rows = g_ptr_array_new_with_free_func (row_free);
  self->first_divergent = -1;
  self->worst = -1;
  return self;
}

void
assay_comparison_free (AssayComparison *self)
{
  if (self == NULL)
    return;

  g_ptr_array_unref (self->rows);
  g_free (self->label_a);
  g_free (self->label_b);
  g_free (self->expected);
  g_free (self->expected_trouble);
  g_free (self->unobserved);
  g_strfreev (self->fused);
  g_strfreev (self->inside);
  g_free (self);
}

/**
 * assay_comparison_row_error:
 * @row: a row
 *
 * Gets the error that a row is judged by: its own where it is known, else the total.
 *
 * Returns: a scaled error, in units in the last place
 */
double
assay_comparison_row_error (const AssayComparisonRow *row)
{
  return row->has_own ? row->own.error : row->total.error;
}

/**
 * assay_comparison_row_differs:
 * @row: a row
 *
 * Tells whether there is a difference by which a row is judged.
 *
 * Returns: whether it was compared, and there is one
 */
gboolean
assay_comparison_row_differs (const AssayComparisonRow *row)
{
  return row->verdict != ASSAY_COMPARISON_UNKNOWN && row->verdict != ASSAY_COMPARISON_EXACT &&
         assay_comparison_row_error (row) > 0;
}

/**
 * assay_comparison_verdict_name:
 * @verdict: a verdict
 *
 * Gets the name of a verdict in JSON.
 *
 * Returns: the name
 */
const char *
assay_comparison_verdict_name (AssayComparisonVerdict verdict)
{
  static const char *const names[] = { "exact", "within", "outside", "unknown" };

  return names[verdict];
}

static gboolean
streams (const AssayRunner *runner)
{
  AssayRunSubject *subject = assay_runner_get_subject (runner);

  return assay_runner_get_kind (runner)->needs_program && subject->streaming_axes != NULL;
}

static gsize
key_of (const AssayComparing *self, AssayValueId value, gint64 step)
{
  return self->leader_streams ? (gsize) step << 32 | value : value;
}

/* The elements of one timestep, or the tensor itself where it has no axis of time. */
static AssayTensor *
slice (AssayTensor *tensor, int axis, gint64 step, gint64 n_steps, GError **error)
{
  guint rank = assay_tensor_get_rank (tensor);
  const gint64 *dims = assay_tensor_get_dims (tensor);
  gint64 sliced[ASSAY_MAX_RANK];
  gsize inner, outer;
  g_autofree float *values = NULL;
  gint64 at;

  if (axis < 0 || axis >= (int) rank)
    return assay_tensor_ref (tensor);

  /* What has fewer timesteps begins with the first for which there was enough to read. */
  at = step - (n_steps - dims[axis]);
  if (at < 0 || at >= dims[axis])
    return NULL;

  for (guint i = 0; i < rank; i++)
    {
      sliced[i] = (int) i == axis ? 1 : dims[i];
    }
  outer = assay_dims_product (dims, 0, (guint) axis);
  inner = assay_dims_product (dims, (guint) axis + 1, rank);

  values = g_new (float, outer *inner + 1);
  for (gsize o = 0; o < outer; o++)
    for (gsize i = 0; i < inner; i++)
      {
        double value;

        if (!assay_tensor_read_doubles (tensor, (o * (gsize) dims[axis] + (gsize) at) * inner + i,
                                        1, &value, error))
          return NULL;
        values[o * inner + i] = (float) value;
      }

  return assay_tensor_new_f32 (rank, sliced, values);
}

static int
time_axis (const AssayComparing *self, AssayRunner *follower, AssayValueId value)
{
  AssayRunSubject *subject = assay_runner_get_subject (follower);
  int axis = -1;

  if (subject->program != NULL && self->follower_streams && !self->leader_streams)
    assay_program_find_value (subject->program, value, &axis);

  return axis;
}

/* What is added up behind a value, with what fused nodes before it add up that nobody sees. */
static AssayErrorBound find_bound (AssayComparing *self, AssayValueId value, guint depth);

/* Of a value that nobody sees it is what its node adds up. */
static AssayMagnitude
find_magnitude (AssayComparing *self, AssayValueId id, AssayErrorBound *hidden, guint depth)
{
  const AssayValue *value = assay_graph_value (self->graph, id);
  AssayMagnitude *known = &self->magnitudes[id];
  AssayMagnitude guess = { 0 };
  AssayErrorBound bound;

  if (known->n == 0 && value->constant != NULL)
    assay_magnitude_add (known, value->constant, NULL);
  if (known->n > 0 || value->producer == 0 || depth >= MAX_HIDDEN)
    return *known;

  if (self->hidden[id].condition == 0)
    self->hidden[id] = find_bound (self, id, depth + 1);
  bound = self->hidden[id];
  hidden->scale = MAX (hidden->scale, bound.scale);
  hidden->condition = MAX (hidden->condition, bound.condition);
  guess.n = bound.scale > 0 ? 1 : 0;
  guess.sum = guess.peak = bound.scale;
  guess.energy = bound.scale * bound.scale;

  return guess;
}

static AssayErrorBound
find_bound (AssayComparing *self, AssayValueId value, guint depth)
{
  const AssayNode *node = assay_graph_node (self->graph,
                                            assay_graph_value (self->graph, value)->producer);
  g_autofree AssayMagnitude *operands = g_new0 (AssayMagnitude, node->n_inputs + 1);
  AssayErrorBound hidden = { .condition = 1 };
  AssayErrorBound bound;

  for (guint i = 0; i < node->n_inputs; i++)
    if (node->inputs[i] != ASSAY_NO_VALUE)
      operands[i] = find_magnitude (self, node->inputs[i], &hidden, depth);
  bound = assay_error_bound_of_node (self->graph, node, operands, node->n_inputs);
  bound.scale = MAX (bound.scale, hidden.scale);
  bound.condition *= hidden.condition;

  return bound;
}

static void
set_bound (AssayComparing *self, AssayComparisonRow *row)
{
  g_autoptr (GMutexLocker) locker = g_mutex_locker_new (&self->lock);

  if (!row->has_bound)
    {
      AssayErrorBound bound = find_bound (self, row->value, 0);

      row->scale = bound.scale;
      row->condition = bound.condition;
      row->has_bound = TRUE;
    }
}

static gboolean
lead (AssayValueId value, gint64 step, AssayTensor *tensor, gpointer user_data, GError **error)
{
  AssayComparing *self = user_data;
  AssayMagnitude seen = { 0 };

  if (!assay_magnitude_add (&seen, tensor, error))
    return FALSE;
  g_mutex_lock (&self->lock);
  assay_magnitude_join (&self->magnitudes[value], &seen);
  g_mutex_unlock (&self->lock);

  return assay_tensor_queue_put (self->queue, key_of (self, value, step), tensor, error);
}

/**
 * assay_comparing_keep_shape: (skip)
 * @row: a row
 * @tensor: its tensor in one of the runs
 *
 * Keeps the extents of a row, of the first tensor that comes.
 */
void
assay_comparing_keep_shape (AssayComparisonRow *row, AssayTensor *tensor)
{
  if (row->dims != NULL)
    return;

  row->rank = assay_tensor_get_rank (tensor);
  row->dims = g_new0 (gint64, row->rank + 1);
  for (guint i = 0; i < row->rank; i++)
    row->dims[i] = assay_tensor_get_dims (tensor)[i];
}

/* A row is told of when all its numbers are there. */
static void
tell (AssayComparing *self, AssayComparisonRow *row, gboolean forced)
{
  g_autoptr (GMutexLocker) locker = g_mutex_locker_new (&self->lock);

  if (forced)
    row->has_own = TRUE;
  else
    row->has_total = TRUE;
  if (self->options->row_func != NULL && row->has_total && (row->has_own || !self->has_own))
    self->options->row_func (row, self->options->row_data);
}

static gboolean
add_to (AssayCompareStats *stats, AssayTensor *a, AssayTensor *b, GError **error)
{
  enum
  {
    CHUNK = 1024
  };
  gsize n = assay_tensor_get_n_elements (a);
  double from[CHUNK], to[CHUNK];

  for (gsize first = 0; first < n; first += CHUNK)
    {
      gsize count = MIN (n - first, CHUNK);

      if (!assay_tensor_read_doubles (a, first, count, from, error) ||
          !assay_tensor_read_doubles (b, first, count, to, error))
        return FALSE;
      assay_compare_add (stats, from, to, count);
    }

  return TRUE;
}

/* The part of a timestep in its span: that of the whole grows by as much. While steps come, spans
 * hold sums of squares, and how many elements that are behind them. */
static void
add_span (AssayComparisonRow *row, gint64 step, gint64 n_steps, const AssayCompareStats *before)
{
  guint n = (guint) MIN (n_steps, ASSAY_COMPARISON_MAX_SPANS);
  guint span = (guint) (step * n / n_steps);

  if (row->span_rms == NULL)
    {
      row->n_spans = n;
      row->span_rms = g_new0 (double, 2 * ASSAY_COMPARISON_MAX_SPANS);
    }
  row->span_rms[span] += row->total.difference - before->difference;
  row->span_rms[n + span] += (double) (row->total.n_finite - before->n_finite);
}

static void
end_spans (AssayComparisonRow *row)
{
  for (guint i = 0; i < row->n_spans; i++)
    {
      double n = row->span_rms[row->n_spans + i];

      row->span_rms[i] = n > 0 ? sqrt (row->span_rms[i] / n) : 0;
    }
}

/* Holds one timestep of a value against the leader's; FALSE with an error. */
static gboolean
compare_step (Follower *follower, AssayComparisonRow *row, gint64 step, AssayTensor *mine,
              AssayTensor *whole, AssayTensor *theirs, GError **error)
{
  AssayComparing *self = follower->compare;
  AssayCompareStats *stats = follower->forced ? &row->own : &row->total;
  AssayTensor *a = self->leader_is_a ? theirs : mine;
  AssayTensor *b = self->leader_is_a ? mine : theirs;
  AssayCompareStats before;
  double scale;

  if (assay_tensor_get_n_elements (mine) != assay_tensor_get_n_elements (theirs))
    {
      if (row->note == NULL && !follower->forced)
        row->note = g_strdup_printf (
            "%" G_GSIZE_FORMAT " elements in one run and %" G_GSIZE_FORMAT " in the other",
            assay_tensor_get_n_elements (a), assay_tensor_get_n_elements (b));
      return TRUE;
    }

  if (assay_tensor_get_strings (a) != NULL || assay_tensor_get_strings (b) != NULL)
    return assay_compare_tensors (a, b, row->precision, NULL, stats, error);

  if (stats->n == 0)
    {
      if (!assay_compare_scale (self->leader_is_a ? whole : mine, &scale, error))
        return FALSE;
      set_bound (self, row);
      assay_compare_begin (stats, row->precision, MAX (scale, row->scale));
      assay_compare_set_step (stats, row->step, assay_tensor_get_dtype (mine));
    }
  before = *stats;
  if (!add_to (stats, a, b, error))
    return FALSE;
  if (!follower->forced && self->result->n_steps > 1)
    {
      if (stats->error > before.error)
        row->worst_step = step;
      add_span (row, step, self->result->n_steps, &before);
    }

  return TRUE;
}

static gboolean
follow (AssayValueId value, gint64 step, AssayTensor *tensor, gpointer user_data, GError **error)
{
  Follower *follower = user_data;
  AssayComparing *self = follower->compare;
  AssayComparisonRow *row = g_hash_table_lookup (self->rows, GUINT_TO_POINTER (value));
  gsize key = key_of (self, value, step);
  gboolean last = !self->follower_streams || step + 1 == self->result->n_steps;
  g_autoptr (AssayTensor) whole = assay_tensor_queue_get (self->queue, key, error);
  g_autoptr (AssayTensor) theirs = NULL;
  g_autoptr (GError) local = NULL;

  if (whole == NULL)
    return FALSE;

  theirs = slice (whole, time_axis (self, follower->runner, value), step, self->result->n_steps,
                  &local);
  if (local == NULL && theirs != NULL)
    compare_step (follower, row, step, tensor, whole, theirs, &local);
  if (local != NULL)
    {
      g_propagate_error (error, g_steal_pointer (&local));
      return FALSE;
    }

  if (!follower->forced)
    assay_comparing_keep_shape (row,
                                self->follower_streams && !self->leader_streams ? whole : tensor);
  if (last || self->leader_streams)
    assay_tensor_queue_release (self->queue, key);
  if (last)
    {
      assay_compare_end (follower->forced ? &row->own : &row->total);
      if (!follower->forced)
        end_spans (row);
      tell (self, row, follower->forced);
    }
  if (last && !follower->forced)
    assay_progress_report (follower->progress, (double) ++self->n_told / (double) self->values->len,
                           "Comparing");

  return TRUE;
}

static gboolean
force (AssayValueId value, gint64 step, AssayTensor **tensor, gpointer user_data, GError **error)
{
  Follower *follower = user_data;
  AssayComparing *self = follower->compare;
  g_autoptr (AssayTensor)
      whole = assay_tensor_queue_get (self->queue, key_of (self, value, step), error);
  g_autoptr (GError) local = NULL;

  if (whole == NULL)
    return FALSE;

  *tensor = slice (whole, time_axis (self, follower->runner, value), step, self->result->n_steps,
                   &local);
  if (local == NULL)
    return TRUE;

  g_propagate_error (error, g_steal_pointer (&local));
  return FALSE;
}

static void
explain (AssayValueId value, const char *rule, gsize n, gpointer user_data)
{
  Follower *follower = user_data;
  AssayComparisonRow *row = g_hash_table_lookup (follower->compare->rows, GUINT_TO_POINTER (value));

  if (row->reasons == NULL)
    row->reasons = assay_comparison_reasons_new ();
  assay_comparison_reasons_add (row->reasons, rule, n);
}

/**
 * assay_comparing_run: (skip)
 * @self: a comparison
 * @runner: one of its runners, which may list other inputs than the subject: timesteps, or none
 * that are constant
 * @observer: (nullable): what is shown the values
 * @error: return location for a #GError
 *
 * Runs a side on the inputs of the comparison.
 *
 * Returns: (transfer full) (nullable): the outputs
 */
GPtrArray *
assay_comparing_run (AssayComparing *self, AssayRunner *runner, const AssayRunObserver *observer,
                     GError **error)
{
  g_autoptr (GPtrArray)
      inputs = assay_run_inputs_pick ((const AssayRunPort *) (gpointer) self->ports->data,
                                      self->ports->len, self->inputs, runner, error);

  if (inputs == NULL)
    return NULL;

  return assay_runner_run (runner, inputs, observer, &self->progress, error);
}

static gpointer
run_follower (gpointer data)
{
  Follower *follower = data;
  AssayComparing *self = follower->compare;
  const AssayRunObserver observer = {
    .func = follow,
    .user_data = follower,
    .values = (const AssayValueId *) (gpointer) self->values->data,
    .n_values = self->values->len,
    .force = follower->forced ? force : NULL,
    .explain = explain,
  };

  follower->outputs = assay_comparing_run (
      self, follower->runner, self->values->len > 0 ? &observer : NULL, &follower->error);
  /* The others must not wait for one that has given up. */
  if (follower->outputs == NULL)
    assay_tensor_queue_close (self->queue);
  assay_tensor_queue_leave (self->queue);

  return NULL;
}

/**
 * assay_comparing_find_step: (skip)
 * @graph: a graph
 * @value: a result in it
 *
 * Gets the unit of a value that was in 8 bits, or was only moved since; what the host computes
 * between is judged as floats.
 *
 * Returns: the step of its quantisation, 0 of floats
 */
double
assay_comparing_find_step (const AssayGraph *graph, AssayValueId value)
{
  AssayNodeId id = assay_graph_value (graph, value)->producer;
  const AssayNode *node = id != ASSAY_NO_NODE ? assay_graph_node (graph, id) : NULL;
  AssayTensor *scale;
  double step;

  while (node != NULL && assay_quantize_moves (node->op))
    {
      id = assay_graph_value (graph, node->inputs[0])->producer;
      node = id != ASSAY_NO_NODE ? assay_graph_node (graph, id) : NULL;
    }
  scale = node != NULL && node->op == ASSAY_OP_DequantizeLinear
              ? assay_graph_constant (graph, assay_node_input (node, 1))
              : NULL;
  return scale != NULL && assay_tensor_get_n_elements (scale) == 1 &&
                 assay_tensor_get_element (scale, 0, &step, NULL)
             ? step
             : 0;
}

/* The node whose result was put into 8 bits and back by @node. */
static const AssayNode *
find_maker (const AssayGraph *graph, const AssayNode *node, AssayNodeId *maker)
{
  for (guint hops = 0; hops < 2; hops++)
    {
      AssayNodeId id = assay_graph_value (graph, assay_node_input (node, 0))->producer;

      if (id == ASSAY_NO_NODE)
        break;
      node = assay_graph_node (graph, id);
      *maker = id;
    }

  return node;
}

/**
 * assay_comparing_add_row: (skip)
 * @self: a comparison
 * @graph: what is run
 * @value: a result in it
 * @order: its place among the rows
 *
 * Adds the row of a value.
 *
 * Returns: (transfer none): the row
 */
AssayComparisonRow *
assay_comparing_add_row (AssayComparing *self, AssayGraph *graph, AssayValueId value, guint order)
{
  const AssayValue *info = assay_graph_value (graph, value);
  const AssayNode *node = assay_graph_node (graph, info->producer);
  AssayComparisonRow *row = g_new0 (AssayComparisonRow, 1);
  AssayNodeId maker = info->producer;

  /* What puts 8 bits into words again is no operation that anybody looks for. */
  if (self->result->precision == ASSAY_COMPARE_INT8 && node->op == ASSAY_OP_DequantizeLinear)
    node = find_maker (graph, node, &maker);

  row->value = value;
  row->node = maker;
  row->name = g_strdup (info->name);
  row->node_name = g_strdup (node->name);
  row->op_type = g_strdup (node->op_type);
  row->worst_step = -1;
  row->order = order;
  g_ptr_array_add (self->result->rows, row);
  g_hash_table_insert (self->rows, GUINT_TO_POINTER (value), row);
  g_array_append_val (self->values, value);

  return row;
}

static AssayComparePrecision
coarser (AssayComparePrecision a, AssayComparePrecision b)
{
  return assay_compare_precision_bits (a) < assay_compare_precision_bits (b) ? a : b;
}

/**
 * assay_comparing_find_precision: (skip)
 * @self: a comparison
 * @value: a result
 * @hidden: (nullable): precisions of the values that nobody sees
 *
 * Finds what a value is judged by: the coarsest of the types that it and what its node reads have,
 * and of the weights there.
 *
 * Returns: the precision
 */
AssayComparePrecision
assay_comparing_find_precision (AssayComparing *self, AssayValueId value,
                                const AssayComparePrecision *hidden)
{
  const AssayValue *info = assay_graph_value (self->graph, value);
  const AssayNode *node = assay_graph_node (self->graph, info->producer);
  AssayComparePrecision run = self->result->precision;
  AssayComparePrecision precision = assay_compare_precision_of (run, info->type->dtype);

  if (run == ASSAY_COMPARE_INT8)
    return assay_comparing_find_step (self->graph, value) > 0
               ? ASSAY_COMPARE_INT8
               : assay_compare_precision_of (ASSAY_COMPARE_FP32, info->type->dtype);
  if (self->narrow_weights && assay_error_bound_takes_weights (node->op))
    precision = assay_compare_precision_of (precision, ASSAY_DTYPE_F8E4M3FN);
  for (guint i = 0; i < node->n_inputs; i++)
    {
      AssayValueId input = node->inputs[i];

      if (input == ASSAY_NO_VALUE)
        continue;
      precision = coarser (
          precision,
          assay_compare_precision_of (run, assay_graph_value (self->graph, input)->type->dtype));
      if (hidden != NULL)
        precision = coarser (precision, hidden[input]);
    }

  return precision;
}

/* What both can show, in program order. */
static void
find_values (AssayComparing *self, AssayGraph *graph, AssayRunner *leader, AssayRunner *follower)
{
  const AssayRegion *region = assay_graph_region (graph, ASSAY_MAIN_REGION);
  guint n_values = assay_graph_n_values (graph);
  g_autofree AssayComparePrecision *hidden = g_new (AssayComparePrecision, n_values);

  for (guint i = 0; i < n_values; i++)
    hidden[i] = self->result->precision;
  for (guint i = 0; i < region->nodes->len; i++)
    {
      const AssayNode *node = assay_graph_node (graph,
                                                g_array_index (region->nodes, AssayNodeId, i));

      for (guint j = 0; j < node->n_outputs; j++)
        {
          AssayValueId value = node->outputs[j];
          AssayComparePrecision precision;

          if (value == ASSAY_NO_VALUE)
            continue;
          precision = assay_comparing_find_precision (self, value, hidden);
          if (assay_runner_can_observe (leader, value) &&
              assay_runner_can_observe (follower, value))
            {
              AssayComparisonRow *row = assay_comparing_add_row (self, graph, value, i);

              row->precision = precision;
              row->step = precision == ASSAY_COMPARE_INT8 ? assay_comparing_find_step (graph, value)
                                                          : 0;
            }
          else
            hidden[value] = precision;
        }
    }
}

static gboolean
count_steps (AssayComparing *self, AssayRunner *runner, GError **error)
{
  guint n;
  const AssayRunPort *ports = assay_runner_get_inputs (runner, &n);
  g_autoptr (GPtrArray)
      inputs = assay_run_inputs_pick ((const AssayRunPort *) (gpointer) self->ports->data,
                                      self->ports->len, self->inputs, runner, error);

  if (inputs == NULL)
    return FALSE;

  for (guint i = 0; i < n; i++)
    {
      AssayTensor *tensor = g_ptr_array_index (inputs, i);

      if (ports[i].time_axis >= 0 && ports[i].time_axis < (int) assay_tensor_get_rank (tensor))
        self->result->n_steps = MAX (self->result->n_steps,
                                     assay_tensor_get_dims (tensor)[ports[i].time_axis]);
    }

  return TRUE;
}

/* The followers' failure comes first: theirs is the cause if the leader finds the queue closed. */
static gboolean
collect_errors (Follower *followers, guint n, GError *leader_error, GError **error)
{
  GError *cause = NULL;

  for (guint i = 0; i < n; i++)
    {
      if (followers[i].error != NULL &&
          (cause == NULL ||
           !g_error_matches (followers[i].error, ASSAY_ERROR, ASSAY_ERROR_CANCELLED)))
        cause = followers[i].error;
    }
  if (leader_error != NULL &&
      (cause == NULL || g_error_matches (cause, ASSAY_ERROR, ASSAY_ERROR_CANCELLED)))
    cause = leader_error;
  if (cause == NULL)
    return TRUE;

  g_propagate_error (error, g_error_copy (cause));
  return FALSE;
}

static gboolean
run_all (AssayComparing *self, AssayRunner *leader, Follower *followers, guint n_followers,
         GError **error)
{
  const AssayRunObserver observer = {
    .func = lead,
    .user_data = self,
    .values = (const AssayValueId *) (gpointer) self->values->data,
    .n_values = self->values->len,
  };
  g_autoptr (GPtrArray) outputs = NULL;
  g_autoptr (GError) leader_error = NULL;
  AssayRunner *runners[2];
  GPtrArray *sides[2];
  GThread *threads[2];

  for (guint i = 0; i < n_followers; i++)
    {
      threads[i] = g_thread_try_new (followers[i].forced ? "compare-own" : "compare", run_follower,
                                     &followers[i], error);
      if (threads[i] != NULL)
        continue;
      assay_tensor_queue_close (self->queue);
      while (i > 0)
        g_thread_join (threads[--i]);
      return FALSE;
    }

  outputs = assay_comparing_run (self, leader, self->values->len > 0 ? &observer : NULL,
                                 &leader_error);
  assay_tensor_queue_close (self->queue);
  for (guint i = 0; i < n_followers; i++)
    g_thread_join (threads[i]);

  if (!collect_errors (followers, n_followers, leader_error, error))
    return FALSE;

  runners[self->leader_is_a ? 0 : 1] = leader;
  runners[self->leader_is_a ? 1 : 0] = followers[0].runner;
  sides[self->leader_is_a ? 0 : 1] = outputs;
  sides[self->leader_is_a ? 1 : 0] = followers[0].outputs;

  return assay_comparing_hold_outputs (self, runners, sides, error) &&
         assay_comparing_check_observed (self, runners, sides, error);
}

/* Without the device; a machine says what the program computes in. */
static char *
label_of (const AssayRunner *runner)
{
  const AssayRunnerKind *kind = assay_runner_get_kind (runner);

  return g_strdup (
      kind->variant == NULL &&
              (kind->precision == assay_runner_get_precision (runner) || kind->reaches_out)
          ? kind->label
          : assay_runner_get_label (runner));
}

/* Who follows: one that can be forced; of two, the one that streams, else B. */
static gboolean
choose_leader (AssayRunner *a, AssayRunner *b)
{
  if (!assay_runner_can_force (a) || !assay_runner_can_force (b))
    return assay_runner_can_force (b) || !assay_runner_can_force (a);

  return !streams (a) || streams (b);
}

static gboolean
measure_inputs (AssayComparing *self, AssayGraph *graph, GError **error)
{
  const GArray *inputs = assay_graph_region (graph, ASSAY_MAIN_REGION)->inputs;

  self->graph = graph;
  self->magnitudes = g_new0 (AssayMagnitude, assay_graph_n_values (graph));
  self->hidden = g_new0 (AssayErrorBound, assay_graph_n_values (graph));
  for (guint i = 0; i < inputs->len; i++)
    {
      AssayValueId id = g_array_index (inputs, AssayValueId, i);

      for (guint j = 0; j < MIN (self->ports->len, self->inputs->len); j++)
        {
          AssayTensor *tensor = g_ptr_array_index (self->inputs, j);

          if (g_strcmp0 (g_array_index (self->ports, AssayRunPort, j).name,
                         assay_graph_value (graph, id)->name) == 0 &&
              !assay_magnitude_add (&self->magnitudes[id], tensor, error))
            return FALSE;
        }
    }

  return TRUE;
}

static gboolean
is_double (const AssayRunner *runner)
{
  return g_str_equal (assay_runner_get_kind (runner)->name, "reference-fp64");
}

static gboolean
has_narrow_weights (const AssayRunner *runner)
{
  AssayRunSubject *subject = assay_runner_get_subject (runner);

  return assay_runner_get_kind (runner)->needs_program &&
         assay_runner_get_precision (runner) == ASSAY_COMPARE_BF16 &&
         assay_program_get_facts (subject->program)->narrow_weights;
}

static AssayCertifySide
certify_side (const AssayComparing *self, AssayRunner *runner, gboolean is_leader)
{
  const AssayRunnerKind *kind = assay_runner_get_kind (runner);

  return (AssayCertifySide){
    .rounding = assay_error_rounding_of (assay_runner_get_precision (runner),
                                         has_narrow_weights (runner),
                                         kind->needs_program && self->options->runner.truncate),
    .is_leader = is_leader,
    .runner = runner,
  };
}

static gboolean
compare_opened (AssayComparing *self, const AssayComparisonSide *sides, AssayRunner **runners,
                const AssayProgress *progress, GError **error)
{
  guint lead_index = self->leader_is_a ? 0 : 1, follow_index = 1 - lead_index;
  AssayRunner *leader = runners[lead_index], *follower = runners[follow_index];
  AssayGraph *graph = sides[0].subject->graph;
  g_autoptr (AssayRunner) forced = NULL;
  Follower followers[2] = {
    { .compare = self, .runner = follower, .progress = progress },
    { .compare = self, .forced = TRUE },
  };
  guint n_followers = 1;
  gboolean done;

  self->leader_streams = streams (leader);
  self->follower_streams = streams (follower);
  self->result->n_steps = 1;
  if (!count_steps (self, leader, error) || !count_steps (self, follower, error))
    return FALSE;
  if (graph != NULL && !measure_inputs (self, graph, error))
    return FALSE;
  if (graph != NULL && sides[1].subject->graph != NULL && !self->options->outputs_only)
    find_values (self, graph, leader, follower);
  if (self->values->len > 0 && assay_runner_can_force (follower))
    {
      forced = assay_runner_open (sides[follow_index].spec, sides[follow_index].subject,
                                  &self->options->runner, &self->progress, error);
      if (forced == NULL)
        return FALSE;
      followers[n_followers++].runner = forced;
      self->has_own = TRUE;
    }

  self->queue = assay_tensor_queue_new (n_followers, MAX_QUEUE_BYTES, &self->progress);
  done = run_all (self, leader, followers, n_followers, error);
  self->result->peak_bytes = assay_tensor_queue_peak (self->queue);
  g_clear_pointer (&self->queue, assay_tensor_queue_free);

  for (guint i = 0; i < n_followers; i++)
    {
      g_clear_pointer (&followers[i].outputs, g_ptr_array_unref);
      g_clear_error (&followers[i].error);
    }

  return done;
}

/**
 * assay_compare_runs:
 * @a: the reference
 * @b: what is compared with it
 * @inputs: (element-type AssayTensor): in the order of the inputs of the subject of @a
 * @options: (nullable): what is wanted
 * @progress: (nullable): progress and cancel
 * @error: return location for a #GError
 *
 * Runs both on the same inputs and holds them against each other, op by op where both can show the
 * values between inputs and outputs. What a fused group computes inside is not looked at, so that
 * looking changes nothing.
 *
 * Returns: (transfer full) (nullable): the comparison
 */
AssayComparison *
assay_compare_runs (const AssayComparisonSide *a, const AssayComparisonSide *b, GPtrArray *inputs,
                    const AssayComparisonOptions *options, const AssayProgress *progress,
                    GError **error)
{
  AssayComparisonOptions wanted = { 0 };
  const AssayComparisonSide sides[] = { *a, *b };
  g_autoptr (AssayComparison) result = g_new0 (AssayComparison, 1);
  g_autoptr (AssayTolerance) tolerance = NULL;
  g_autoptr (AssayRunner) runner_a = NULL;
  g_autoptr (AssayRunner) runner_b = NULL;
  g_autoptr (GArray) ports = assay_run_subject_get_inputs (a->subject);
  AssayComparing self = { .result = result, .options = &wanted, .ports = ports, .inputs = inputs };
  gboolean done = FALSE;

  if (options != NULL)
    wanted = *options;
  if (wanted.tolerance == NULL)
    wanted.tolerance = tolerance = assay_tolerance_new_default ();
  result->rows = g_ptr_array_new_with_free_func (row_free);
  if (progress != NULL)
    self.progress = (AssayProgress) ASSAY_PROGRESS_INIT (NULL, NULL, progress->cancellable);

  wanted.runner.observes = !wanted.outputs_only;
  runner_a = assay_runner_open (a->spec, a->subject, &wanted.runner, &self.progress, error);
  if (runner_a == NULL)
    return NULL;
  runner_b = assay_runner_open (b->spec, b->subject, &wanted.runner, &self.progress, error);
  if (runner_b == NULL)
    return NULL;

  result->label_a = label_of (runner_a);
  result->label_b = label_of (runner_b);
  result->precision = assay_runner_get_precision (runner_a);
  if (result->precision == ASSAY_COMPARE_FP32)
    result->precision = assay_runner_get_precision (runner_b);
  self.leader_is_a = choose_leader (runner_a, runner_b);
  result->own_inputs_of_b = !self.leader_is_a;
  self.in_double = is_double (runner_a) || is_double (runner_b);
  self.narrow_weights = has_narrow_weights (runner_a) || has_narrow_weights (runner_b);
  self.sides[0] = certify_side (&self, runner_a, self.leader_is_a);
  self.sides[1] = certify_side (&self, runner_b, !self.leader_is_a);
  self.rows = g_hash_table_new (NULL, NULL);
  self.values = g_array_new (FALSE, FALSE, sizeof (AssayValueId));
  g_mutex_init (&self.lock);
  done = compare_opened (&self, sides, (AssayRunner *[]){ runner_a, runner_b }, progress, error);
  g_mutex_clear (&self.lock);
  g_array_unref (self.values);
  g_hash_table_unref (self.rows);
  g_free (self.magnitudes);
  g_free (self.hidden);

  return done ? g_steal_pointer (&result) : NULL;
}
