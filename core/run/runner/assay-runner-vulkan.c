/* assay-runner-vulkan.c
 * SPDX-License-Identifier: Apache-2.0
 *
 * Runs the program of a delegate: its submissions on a graphics processor, which a helper owns, and
 * the nodes between them with the evaluator.
 */
#include <string.h>

#include "backend/delegate/assay-delegate-program.h"
#include "base/assay-bf16.h"
#include "base/assay-error.h"
#include "evaluate/assay-evaluate.h"
#include "run/assay-gpu.h"
#include "run/assay-runner-private.h"

/* A plan, and the device that runs it as soon as somebody does. */
typedef struct
{
  const AssayDelegatePlan *plan;
  AssayGpu *gpu;
  gboolean started;
} Side;

typedef struct
{
  AssayDelegateProgram *program;
  AssayGraph *graph;
  AssayEvaluator *evaluator; /* for the nodes of the host */
  AssayGpuLease *lease;      /* both plans are for one helper, which has one of them at a time */
  Side plain;
  Side watched; /* with every value of the device */
  AssayDatum **values;
  guint seconds;
  gint64 begin; /* of the inference */
} Vulkan;

/* Elements as the device has them: 32 bits for integers, and the bits of halves. */
static void
put_elements (const AssayDatum *datum, gboolean half, guint8 *bytes)
{
  AssayGpuForm form = assay_gpu_form (datum->dtype, half);

  if (form == ASSAY_GPU_FORM_F32 && datum->storage == ASSAY_DTYPE_F32)
    memcpy (bytes, datum->data, datum->n * sizeof (float));
  else if (form == ASSAY_GPU_FORM_F16)
    for (gsize i = 0; i < datum->n; i++)
      ((guint16 *) (gpointer) bytes)[i] = assay_f16_from_f32 (
          (float) assay_datum_get_number (datum, i));
  else if (form == ASSAY_GPU_FORM_I32)
    for (gsize i = 0; i < datum->n; i++)
      ((gint32 *) (gpointer) bytes)[i] = (gint32) assay_datum_get_integer (datum, i);
}

static void
take_elements (AssayDatum *datum, gboolean half, const guint8 *bytes)
{
  AssayGpuForm form = assay_gpu_form (datum->dtype, half);

  if (form == ASSAY_GPU_FORM_F32 && datum->storage == ASSAY_DTYPE_F32)
    memcpy (datum->data, bytes, datum->n * sizeof (float));
  else
    for (gsize i = 0; i < datum->n; i++)
      assay_datum_set_number (
          datum, i,
          form == ASSAY_GPU_FORM_F16
              ? (double) assay_f16_to_f32 (((const guint16 *) (gconstpointer) bytes)[i])
              : (double) ((const gint32 *) (gconstpointer) bytes)[i]);
}

static gboolean
write_weights (Vulkan *vulkan, const Side *side, GError **error)
{
  guint8 *shared = assay_gpu_get_shared (side->gpu);

  for (guint i = 0; i < side->plan->weights->len; i++)
    {
      const AssayDelegateWeight *weight = &g_array_index (side->plan->weights, AssayDelegateWeight,
                                                          i);
      const AssayGpuTensor *place = &g_array_index (side->plan->gpu->tensors, AssayGpuTensor,
                                                    weight->tensor);
      g_autoptr (AssayDatum) datum = NULL;

      if (weight->value == ASSAY_NO_VALUE)
        {
          GBytes *bytes = g_ptr_array_index (side->plan->lower->packed, weight->packed);

          memcpy (shared + place->base, g_bytes_get_data (bytes, NULL), g_bytes_get_size (bytes));
          continue;
        }
      datum = assay_datum_new_tensor (assay_graph_constant (vulkan->graph, weight->value), FALSE,
                                      error);
      if (datum == NULL)
        return FALSE;
      if (datum->n * assay_gpu_form_size (assay_gpu_form (datum->dtype, side->plan->half)) >
          place->size)
        {
          g_set_error (error, ASSAY_ERROR, ASSAY_ERROR_INVALID,
                       "%s has more elements than its type says",
                       assay_graph_value (vulkan->graph, weight->value)->name);
          return FALSE;
        }
      put_elements (datum, side->plan->half, shared + place->base);
    }

  return TRUE;
}

/* The device is asked for when there is something to run: opening tells what is missing. */
static gboolean
start (AssayRunner *self, Side *side, const AssayProgress *progress, GError **error)
{
  Vulkan *vulkan = self->data;
  Side *other = side == &vulkan->plain ? &vulkan->watched : &vulkan->plain;

  if (side->started)
    return TRUE;
  if (side->plan == NULL)
    side->plan = assay_delegate_program_get_plan (vulkan->program, side == &vulkan->watched);
  g_clear_pointer (&side->gpu, assay_gpu_free);
  g_clear_pointer (&other->gpu, assay_gpu_free);
  other->started = FALSE;
  side->gpu = assay_gpu_new (side->plan->gpu->shared_bytes, error);
  side->started = side->gpu != NULL && write_weights (vulkan, side, error) &&
                  assay_gpu_start (side->gpu, self->argument != NULL ? self->argument : "",
                                   side->plan->gpu, vulkan->seconds, progress, error);

  return side->started;
}

static gboolean
vulkan_open (AssayRunner *self, const AssayRunnerOptions *options, const AssayProgress *progress,
             GError **error)
{
  AssayEvaluateOptions wanted = ASSAY_EVALUATE_OPTIONS_DEFAULT;
  Vulkan *vulkan = g_new0 (Vulkan, 1);
  Side *side = options->observes ? &vulkan->watched : &vulkan->plain;
  guint left;

  self->data = vulkan;
  vulkan->program = ASSAY_DELEGATE_PROGRAM (self->subject->program);
  vulkan->graph = assay_delegate_program_get_graph (vulkan->program);
  vulkan->seconds = options->seconds;
  vulkan->lease = assay_gpu_lease_new ();
  vulkan->plain.plan = assay_delegate_program_get_plan (vulkan->program, FALSE);
  vulkan->values = g_new0 (AssayDatum *, assay_graph_n_values (vulkan->graph));
  wanted.n_threads = options->n_threads;
  vulkan->evaluator = assay_evaluator_new (vulkan->graph, &wanted, error);
  if (vulkan->evaluator == NULL || !start (self, side, progress, error))
    {
      g_prefix_error (error, "runner %s: ", self->spec);
      return FALSE;
    }

  left = assay_delegate_program_count_left (vulkan->program);
  self->label = left == 0 ? g_strdup_printf ("Vulkan, %s", assay_gpu_get_name (side->gpu))
                          : g_strdup_printf ("Vulkan, %s, %u supported nodes on the host",
                                             assay_gpu_get_name (side->gpu), left);

  return TRUE;
}

static void
drop_values (Vulkan *vulkan)
{
  for (AssayValueId id = 0; id < assay_graph_n_values (vulkan->graph); id++)
    g_clear_pointer (&vulkan->values[id], assay_datum_unref);
}

static void
vulkan_close (AssayRunner *self)
{
  Vulkan *vulkan = self->data;

  drop_values (vulkan);
  g_clear_pointer (&vulkan->plain.gpu, assay_gpu_free);
  g_clear_pointer (&vulkan->watched.gpu, assay_gpu_free);
  g_clear_pointer (&vulkan->lease, assay_gpu_lease_free);
  g_clear_pointer (&vulkan->evaluator, assay_evaluator_free);
  g_free (vulkan->values);
  g_free (vulkan);
  self->data = NULL;
}

static gboolean
vulkan_can_observe (AssayRunner *self, AssayValueId value)
{
  return assay_program_find_value (self->subject->program, value, NULL);
}

static gboolean
vulkan_runs_shader (AssayRunner *self, AssayNodeId node)
{
  const Vulkan *vulkan = self->data;

  return node < assay_graph_n_nodes (vulkan->graph) &&
         vulkan->plain.plan->places[node] == ASSAY_DELEGATE_DEVICE;
}

/* A value that was computed, or an input that nobody gave and that has a default. */
static AssayDatum *
read_value (Vulkan *vulkan, AssayValueId id, GError **error)
{
  const AssayValue *value = assay_graph_value (vulkan->graph, id);

  if (vulkan->values[id] == NULL && value->constant != NULL)
    vulkan->values[id] = assay_datum_new_tensor (value->constant, FALSE, error);
  else if (vulkan->values[id] == NULL)
    g_set_error (error, ASSAY_ERROR, ASSAY_ERROR_INVALID,
                 "value “%s” is read, but nothing has made it", value->name);

  return vulkan->values[id];
}

static gboolean
show (AssayRunner *self, const AssayRunObserver *observer, AssayValueId id, GError **error)
{
  Vulkan *vulkan = self->data;
  AssayDatum *datum = vulkan->values[id];
  g_autoptr (AssayTensor) tensor = NULL;

  if (observer == NULL || datum == NULL || datum->kind != ASSAY_DATUM_TENSOR ||
      !assay_run_observer_wants (observer, id))
    return TRUE;
  tensor = assay_datum_to_tensor (datum, FALSE, error);

  return tensor != NULL && observer->func (id, 0, tensor, observer->user_data, error);
}

static void
add_step (AssayRunner *self, const char *name, const char *where, gint64 begin, gint64 ns)
{
  const Vulkan *vulkan = self->data;
  const AssayRunnerStep step = { name, where, begin - vulkan->begin, ns };

  g_array_append_val (self->steps, step);
}

static gboolean
run_node (AssayRunner *self, AssayNodeId id, const AssayRunObserver *observer,
          const AssayProgress *progress, GError **error)
{
  Vulkan *vulkan = self->data;
  const AssayNode *node = assay_graph_node (vulkan->graph, id);
  g_autofree AssayDatum **inputs = g_new0 (AssayDatum *, node->n_inputs + 1);
  g_autoptr (GPtrArray) captures = assay_delegate_captures (vulkan->graph, node);
  g_autoptr (GPtrArray) outputs = NULL;
  gint64 begin;

  for (guint i = 0; i < node->n_inputs; i++)
    if (node->inputs[i] != ASSAY_NO_VALUE &&
        !assay_graph_is_constant (vulkan->graph, node->inputs[i]) &&
        (inputs[i] = read_value (vulkan, node->inputs[i], error)) == NULL)
      return FALSE;
  for (guint i = 0; i < captures->len; i++)
    {
      AssayValueId value = GPOINTER_TO_UINT (g_ptr_array_index (captures, i));
      AssayDatum *datum = read_value (vulkan, value, error);

      if (datum == NULL)
        return FALSE;
      assay_evaluator_lend (vulkan->evaluator, value, datum);
    }
  begin = assay_runner_now ();
  outputs = assay_evaluator_run_node (vulkan->evaluator, id, node->n_inputs, inputs, progress,
                                      error);
  if (outputs == NULL)
    return FALSE;
  add_step (self, node->name, "host", begin, assay_runner_now () - begin);
  for (guint i = 0; i < node->n_outputs; i++)
    if (node->outputs[i] != ASSAY_NO_VALUE && g_ptr_array_index (outputs, i) != NULL)
      {
        g_clear_pointer (&vulkan->values[node->outputs[i]], assay_datum_unref);
        vulkan->values[node->outputs[i]] = assay_datum_ref (g_ptr_array_index (outputs, i));
        if (!show (self, observer, node->outputs[i], error))
          return FALSE;
      }

  return TRUE;
}

static gboolean
copy_in (AssayRunner *self, Side *side, const AssayGpuCopy *copy, GError **error)
{
  Vulkan *vulkan = self->data;
  gint64 begin = assay_runner_now ();
  const AssayDatum *datum = read_value (vulkan, copy->value, error);

  if (datum == NULL)
    return FALSE;
  if (datum->kind != ASSAY_DATUM_TENSOR ||
      datum->n * assay_gpu_form_size (assay_gpu_form (datum->dtype, side->plan->half)) >
          g_array_index (side->plan->gpu->tensors, AssayGpuTensor, copy->tensor).size)
    {
      g_set_error (error, ASSAY_ERROR, ASSAY_ERROR_INVALID, "%s is not what its type says",
                   assay_graph_value (vulkan->graph, copy->value)->name);
      return FALSE;
    }
  put_elements (datum, side->plan->half, assay_gpu_get_shared (side->gpu) + copy->shared);
  add_step (self, assay_graph_value (vulkan->graph, copy->value)->name, "upload", begin,
            assay_runner_now () - begin);

  return TRUE;
}

static gboolean
copy_out (AssayRunner *self, Side *side, const AssayGpuCopy *copy, GError **error)
{
  Vulkan *vulkan = self->data;
  gint64 begin = assay_runner_now ();
  const AssayType *type = assay_graph_value (vulkan->graph, copy->value)->type;
  g_autofree gint64 *dims = g_new (gint64, type->rank + 1);
  AssayDatum *datum;

  for (int i = 0; i < type->rank; i++)
    dims[i] = type->dims[i].size;
  datum = assay_datum_new (type->dtype, assay_datum_storage (type->dtype, FALSE),
                           (guint) type->rank, dims, error);
  if (datum == NULL)
    return FALSE;
  take_elements (datum, side->plan->half, assay_gpu_get_shared (side->gpu) + copy->shared);
  g_clear_pointer (&vulkan->values[copy->value], assay_datum_unref);
  vulkan->values[copy->value] = datum;
  add_step (self, assay_graph_value (vulkan->graph, copy->value)->name, "download", begin,
            assay_runner_now () - begin);

  return TRUE;
}

/* The device has a clock of its own: its dispatches follow each other, and the last has ended when
 * the answer came. */
static void
add_dispatches (AssayRunner *self, const AssayGpuPlan *gpu, const AssayGpuSubmission *part,
                const gint64 *times)
{
  const Vulkan *vulkan = self->data;
  gint64 at = assay_runner_now ();

  for (guint i = 0; i < part->n_dispatches; i++)
    at -= times[i];
  for (guint i = 0; i < part->n_dispatches; i++)
    {
      const AssayGpuDispatch *dispatch = &g_array_index (gpu->dispatches, AssayGpuDispatch,
                                                         part->first_dispatch + i);

      add_step (self, assay_graph_node (vulkan->graph, dispatch->node)->name, "device", at,
                times[i]);
      at += times[i];
    }
}

static gboolean
run_submission (AssayRunner *self, Side *side, guint index, const AssayRunObserver *observer,
                const AssayProgress *progress, GError **error)
{
  Vulkan *vulkan = self->data;
  const AssayGpuPlan *gpu = side->plan->gpu;
  const AssayGpuSubmission *part = &g_array_index (gpu->submissions, AssayGpuSubmission, index);
  g_autofree gint64 *times = NULL;

  for (guint i = 0; i < part->n_in; i++)
    if (!copy_in (self, side, &g_array_index (gpu->copies, AssayGpuCopy, part->first_in + i),
                  error))
      return FALSE;
  times = assay_gpu_run (side->gpu, index, part->n_dispatches, vulkan->seconds, progress, error);
  if (times == NULL)
    {
      /* The helper is gone or of no use any more; the next run gets another. */
      side->started = FALSE;
      return FALSE;
    }
  add_dispatches (self, gpu, part, times);
  for (guint i = 0; i < part->n_out; i++)
    {
      const AssayGpuCopy *copy = &g_array_index (gpu->copies, AssayGpuCopy, part->first_out + i);

      if (!copy_out (self, side, copy, error) || !show (self, observer, copy->value, error))
        return FALSE;
    }

  return TRUE;
}

static gboolean
run_stages (AssayRunner *self, Side *side, const AssayRunObserver *observer,
            const AssayProgress *progress, GError **error)
{
  for (guint i = 0; i < side->plan->stages->len; i++)
    {
      const AssayDelegateStage *stage = &g_array_index (side->plan->stages, AssayDelegateStage, i);

      if (!assay_progress_check (progress, error) ||
          !(stage->on_device ? run_submission (self, side, stage->index, observer, progress, error)
                             : run_node (self, stage->index, observer, progress, error)))
        return FALSE;
      assay_progress_report (progress, (double) (i + 1) / (double) side->plan->stages->len,
                             "running");
    }

  return TRUE;
}

static GPtrArray *
collect (Vulkan *vulkan, GError **error)
{
  const AssayRegion *ends = assay_graph_region (vulkan->graph, ASSAY_MAIN_REGION);
  g_autoptr (GPtrArray)
      outputs = g_ptr_array_new_with_free_func ((GDestroyNotify) assay_tensor_unref);

  for (guint i = 0; i < ends->outputs->len; i++)
    {
      AssayValueId id = g_array_index (ends->outputs, AssayValueId, i);
      AssayTensor *constant = assay_graph_constant (vulkan->graph, id);
      AssayDatum *datum = constant == NULL ? read_value (vulkan, id, error) : NULL;
      AssayTensor *tensor;

      if (constant != NULL)
        tensor = assay_tensor_ref (constant);
      else if (datum == NULL || datum->kind != ASSAY_DATUM_TENSOR)
        {
          g_set_error (error, ASSAY_ERROR, ASSAY_ERROR_UNSUPPORTED, "output %s is not a tensor",
                       assay_graph_value (vulkan->graph, id)->name);
          return NULL;
        }
      else
        tensor = assay_datum_to_tensor (datum, FALSE, error);
      if (tensor == NULL)
        return NULL;
      g_ptr_array_add (outputs, tensor);
    }

  return g_steal_pointer (&outputs);
}

static gboolean
take_inputs (Vulkan *vulkan, GPtrArray *inputs, GError **error)
{
  const AssayRegion *ends = assay_graph_region (vulkan->graph, ASSAY_MAIN_REGION);

  for (guint i = 0, next = 0; i < ends->inputs->len && next < inputs->len; i++)
    {
      AssayValueId id = g_array_index (ends->inputs, AssayValueId, i);

      if (assay_graph_value (vulkan->graph, id)->is_parameter)
        continue;
      vulkan->values[id] = assay_datum_new_tensor (g_ptr_array_index (inputs, next++), FALSE,
                                                   error);
      if (vulkan->values[id] == NULL)
        return FALSE;
    }

  return TRUE;
}

static GPtrArray *
vulkan_run (AssayRunner *self, GPtrArray *inputs, const AssayRunObserver *observer,
            const AssayProgress *progress, GError **error)
{
  Vulkan *vulkan = self->data;
  Side *side = observer != NULL ? &vulkan->watched : &vulkan->plain;
  GPtrArray *outputs = NULL;

  if (!assay_runner_check_inputs (self, inputs, error))
    return NULL;
  if (start (self, side, progress, error) && take_inputs (vulkan, inputs, error))
    {
      vulkan->begin = assay_runner_now ();
      if (run_stages (self, side, observer, progress, error))
        {
          assay_runner_add_latency (self, vulkan->begin);
          outputs = collect (vulkan, error);
        }
    }
  drop_values (vulkan);
  if (outputs == NULL)
    g_prefix_error (error, "runner %s: ", self->spec);

  return outputs;
}

const AssayRunnerClass assay_runner_vulkan_class = { "vulkan",     vulkan_open,
                                                     vulkan_close, vulkan_can_observe,
                                                     vulkan_run,   vulkan_runs_shader };
