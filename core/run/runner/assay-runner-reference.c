/* assay-runner-reference.c
 * SPDX-License-Identifier: Apache-2.0
 *
 * The evaluator as a runner. It runs the graph as imported, so that it is a reference for the
 * passes too; who observes values asks for the compiler's graph, and gets that.
 */
#include "base/assay-error.h"
#include "evaluate/assay-evaluate.h"
#include "run/assay-runner-private.h"

typedef struct
{
  AssayEvaluateOptions options;
  AssayEvaluator *imported;
  AssayEvaluator *canonical;
  const AssayRunObserver *observer; /* of the run that goes on */
} Reference;

/* What the rest of the graph works on from here. */
static gboolean
put_other (Reference *reference, AssayTensor *other, AssayDatum **datum, GError **error)
{
  AssayDatum *forced;

  if (other == NULL)
    return TRUE;

  forced = assay_datum_new_tensor (other, reference->options.wide, error);
  if (forced == NULL)
    return FALSE;

  /* A value that another runner carries in another type is taken over where the elements are stored
   * alike, and else rounded to what it is here. */
  if (forced->storage != (*datum)->storage)
    {
      g_autoptr (AssayDatum) theirs = g_steal_pointer (&forced);

      if (theirs->n != (*datum)->n || !assay_dtype_is_float (theirs->dtype) ||
          !assay_dtype_is_float ((*datum)->dtype))
        return TRUE;
      forced = assay_datum_new ((*datum)->dtype, (*datum)->storage, (*datum)->rank, (*datum)->dims,
                                error);
      if (forced == NULL)
        return FALSE;
      for (gsize i = 0; i < forced->n; i++)
        assay_datum_set_number (forced, i, assay_datum_get_number (theirs, i));
      if (!reference->options.wide)
        assay_datum_round (forced);
    }
  forced->dtype = (*datum)->dtype;
  assay_datum_unref (*datum);
  *datum = forced;

  return TRUE;
}

static gboolean
observe (AssayEvaluator *evaluator, AssayNodeId node, guint output, AssayDatum **datum,
         gpointer user_data, GError **error)
{
  Reference *reference = user_data;
  const AssayNode *info = assay_graph_node (assay_evaluator_get_graph (evaluator), node);
  g_autoptr (AssayTensor) tensor = NULL;
  g_autoptr (AssayTensor) other = NULL;

  /* Values of bodies exist once per iteration; what a body gives in the end is a value of the graph
   * around it. */
  if (reference->observer == NULL || info->region != ASSAY_MAIN_REGION ||
      (*datum)->kind != ASSAY_DATUM_TENSOR ||
      !assay_run_observer_wants (reference->observer, info->outputs[output]))
    return TRUE;

  tensor = assay_datum_to_tensor (*datum, reference->options.wide, error);
  if (tensor == NULL)
    return FALSE;
  if (reference->observer->force != NULL &&
      !reference->observer->force (info->outputs[output], 0, &other, reference->observer->user_data,
                                   error))
    return FALSE;

  return reference->observer->func (info->outputs[output], 0, tensor,
                                    reference->observer->user_data, error) &&
         put_other (reference, other, datum, error);
}

static gboolean
open_reference (AssayRunner *self, gboolean wide, const AssayRunnerOptions *options, GError **error)
{
  Reference *reference = g_new0 (Reference, 1);

  self->data = reference;
  reference->options = (AssayEvaluateOptions) ASSAY_EVALUATE_OPTIONS_DEFAULT;
  reference->options.wide = wide;
  reference->options.n_threads = options->n_threads;
  reference->options.seconds = options->seconds;
  reference->options.max_turns = options->loop_turns;
  reference->options.observer = observe;
  reference->options.observer_data = reference;
  reference->imported = assay_evaluator_new (self->subject->imported, &reference->options, error);

  return reference->imported != NULL;
}

static gboolean
open_fp32 (AssayRunner *self, const AssayRunnerOptions *options, const AssayProgress *progress,
           GError **error)
{
  return open_reference (self, FALSE, options, error);
}

static gboolean
open_fp64 (AssayRunner *self, const AssayRunnerOptions *options, const AssayProgress *progress,
           GError **error)
{
  return open_reference (self, TRUE, options, error);
}

static void
reference_close (AssayRunner *self)
{
  Reference *reference = self->data;

  g_clear_pointer (&reference->imported, assay_evaluator_free);
  g_clear_pointer (&reference->canonical, assay_evaluator_free);
  g_free (reference);
  self->data = NULL;
}

static gboolean
reference_can_observe (AssayRunner *self, AssayValueId id)
{
  const AssayValue *value = assay_graph_value (self->subject->graph, id);

  return value->kind == ASSAY_VALUE_RESULT && value->region == ASSAY_MAIN_REGION &&
         (value->type->kind == ASSAY_TYPE_KIND_TENSOR ||
          value->type->kind == ASSAY_TYPE_KIND_UNKNOWN);
}

static GPtrArray *
collect_outputs (AssayRunner *self, GPtrArray *data, gboolean wide, GError **error)
{
  g_autoptr (GPtrArray)
      outputs = g_ptr_array_new_with_free_func ((GDestroyNotify) assay_tensor_unref);

  for (guint i = 0; i < data->len; i++)
    {
      AssayDatum *datum = g_ptr_array_index (data, i);
      AssayTensor *tensor;

      if (datum == NULL)
        {
          g_set_error (error, ASSAY_ERROR, ASSAY_ERROR_UNSUPPORTED,
                       "runner %s: output %s has no value", self->spec,
                       g_array_index (self->outputs, AssayRunPort, i).name);
          return NULL;
        }
      if (datum->kind != ASSAY_DATUM_TENSOR)
        {
          g_autoptr (AssayRunParts) parts = assay_run_parts_new ();

          if (!assay_run_parts_add_datum (parts, "", datum, wide, error))
            return NULL;
          assay_runner_take_parts (self, i, parts, outputs);
          continue;
        }
      tensor = assay_datum_to_tensor (datum, wide, error);
      if (tensor == NULL)
        return NULL;
      g_ptr_array_add (outputs, tensor);
    }

  return g_steal_pointer (&outputs);
}

/* The evaluator wants every input of the graph, and nothing where one has a default. */
static gboolean
convert_inputs (const AssayGraph *graph, GPtrArray *inputs, gboolean wide, GPtrArray *owned,
                GPtrArray *data, GError **error)
{
  const AssayRegion *region = assay_graph_region (graph, ASSAY_MAIN_REGION);
  guint next = 0;

  for (guint i = 0; i < region->inputs->len; i++)
    {
      AssayDatum *datum = NULL;

      if (!assay_graph_value (graph, g_array_index (region->inputs, AssayValueId, i))->is_parameter)
        {
          datum = assay_datum_new_tensor (g_ptr_array_index (inputs, next++), wide, error);
          if (datum == NULL)
            return FALSE;
          g_ptr_array_add (owned, datum);
        }
      g_ptr_array_add (data, datum);
    }

  return TRUE;
}

static GPtrArray *
reference_run (AssayRunner *self, GPtrArray *inputs, const AssayRunObserver *observer,
               const AssayProgress *progress, GError **error)
{
  Reference *reference = self->data;
  AssayEvaluator *evaluator = reference->imported;
  g_autoptr (GPtrArray) owned = g_ptr_array_new_with_free_func ((GDestroyNotify) assay_datum_unref);
  g_autoptr (GPtrArray) data = g_ptr_array_new ();
  g_autoptr (GPtrArray) results = NULL;
  gint64 begin;

  if (!assay_runner_check_inputs (self, inputs, error))
    return NULL;
  if (observer != NULL && reference->canonical == NULL)
    reference->canonical = assay_evaluator_new (self->subject->graph, &reference->options, error);
  if (observer != NULL)
    evaluator = reference->canonical;
  if (evaluator == NULL || !convert_inputs (assay_evaluator_get_graph (evaluator), inputs,
                                            reference->options.wide, owned, data, error))
    return NULL;

  reference->observer = observer;
  begin = assay_runner_now ();
  results = assay_evaluator_run (evaluator, data->len, (AssayDatum *const *) data->pdata, progress,
                                 error);
  reference->observer = NULL;
  if (results == NULL)
    return NULL;
  assay_runner_add_latency (self, begin);

  return collect_outputs (self, results, reference->options.wide, error);
}

const AssayRunnerClass assay_runner_reference_class = { NULL, open_fp32, reference_close,
                                                        reference_can_observe, reference_run };
const AssayRunnerClass assay_runner_reference_wide_class = { NULL, open_fp64, reference_close,
                                                             reference_can_observe, reference_run };
