/* assay-vm.c
 * SPDX-License-Identifier: Apache-2.0
 */
#include "api/assay-vm.h"

#include <string.h>

#include "base/assay-error.h"
#include "backend/assay-executor.h"
#include "backend/assay-port.h"
#include "base/assay-sentence.h"
#include "run/assay-run-sequence.h"

struct _AssayVm
{
  GObject parent_instance;

  GMutex lock; /* one inference at a time, whichever threads ask */
  AssayProgram *program;
  AssayExecutor *executor;
  gboolean no_compute;
  AssayCycles *per_inference; /* of each model, with the queues of this machine */
  guint64 cycles;             /* of all inferences but the last */
  guint last_model;           /* 1 + the model of the last inference, 0 before the first */
};

G_DEFINE_FINAL_TYPE (AssayVm, assay_vm, G_TYPE_OBJECT)

static void
assay_vm_finalize (GObject *object)
{
  AssayVm *self = ASSAY_VM (object);

  g_clear_pointer (&self->executor, assay_executor_free);
  g_free (self->per_inference);
  g_clear_object (&self->program);
  g_mutex_clear (&self->lock);

  G_OBJECT_CLASS (assay_vm_parent_class)->finalize (object);
}

static void
assay_vm_get_property (GObject *object, guint id, GValue *value, GParamSpec *pspec)
{
  g_value_set_boolean (value, ASSAY_VM (object)->no_compute);
}

static void
assay_vm_set_property (GObject *object, guint id, const GValue *value, GParamSpec *pspec)
{
  ASSAY_VM (object)->no_compute = g_value_get_boolean (value);
}

static void
assay_vm_class_init (AssayVmClass *klass)
{
  GObjectClass *object_class = G_OBJECT_CLASS (klass);

  object_class->finalize = assay_vm_finalize;
  object_class->get_property = assay_vm_get_property;
  object_class->set_property = assay_vm_set_property;

  /**
   * AssayVm:no-compute:
   *
   * Whether inferences only count their cycles; what comes out is zero then.
   */
  g_object_class_install_property (
      object_class, 1,
      g_param_spec_boolean ("no-compute", NULL, NULL, FALSE,
                            G_PARAM_READWRITE | G_PARAM_STATIC_STRINGS));
}

static void
assay_vm_init (AssayVm *self)
{
  g_mutex_init (&self->lock);
}

/**
 * assay_vm_check_capacities: (skip)
 * @queues: how much room there is where data wait
 * @error: return location for a #GError
 *
 * Checks that everything can pass through queues.
 *
 * Returns: whether they have room; otherwise %ASSAY_ERROR_INVALID
 */
gboolean
assay_vm_check_capacities (const AssayQueues *queues, GError **error)
{
  if (queues->write >= 1 && queues->output >= 1)
    return TRUE;

  g_set_error (error, ASSAY_ERROR, ASSAY_ERROR_INVALID,
               "write queue capacity %u and output buffer capacity %u; both have to be at least 1",
               queues->write, queues->output);
  return FALSE;
}

/**
 * assay_vm_new: (constructor)
 * @program: what to run
 * @write_queue_capacity: blocks that a core may have on their way to other cores, published default
 * 1; at least 1
 * @output_buffer_capacity: words that may wait in the output buffer, published default 64; at least
 * 1
 * @bf16_precision: whether to compute to the bit as the accelerator does; otherwise in fp32
 * @error: return location for a #GError
 *
 * Makes a virtual machine, its state that of a program just loaded. Full queues push back on the
 * cores, which changes cycles and no value; the cycles of the program itself are counted with
 * capacities of 32 and 64.
 *
 * Returns: (transfer full): the machine, or %NULL with %ASSAY_ERROR_INVALID
 */
AssayVm *
assay_vm_new (AssayProgram *program, guint write_queue_capacity, guint output_buffer_capacity,
              gboolean bf16_precision, GError **error)
{
  const AssayExecutorOptions options = { .fp32 = !bf16_precision };
  const AssayQueues queues = { write_queue_capacity, output_buffer_capacity };
  g_autoptr (AssayVm) self = NULL;

  g_return_val_if_fail (ASSAY_IS_PROGRAM (program) && assay_program_num_models (program) > 0, NULL);

  if (!assay_vm_check_capacities (&queues, error))
    return NULL;

  self = g_object_new (ASSAY_TYPE_VM, NULL);
  self->program = g_object_ref (program);
  self->executor = assay_executor_new (program, &options, error);
  if (self->executor == NULL)
    return NULL;

  self->per_inference = g_new0 (AssayCycles, assay_program_num_models (program));
  for (guint i = 0; i < assay_program_num_models (program); i++)
    assay_program_count_cycles (program, i, &queues, &self->per_inference[i], NULL);

  return g_steal_pointer (&self);
}

static const AssayModelEntry *
find_model (AssayVm *self, guint model_index, GError **error)
{
  AssayProgram *program = self->program;

  if (program == NULL)
    g_set_error_literal (error, ASSAY_ERROR, ASSAY_ERROR_INVALID,
                         "The machine is empty; assay_program_to_vm() makes one");
  else if (model_index < assay_program_num_models (program))
    return assay_program_get_model (program, model_index);
  else
    g_set_error (error, ASSAY_ERROR, ASSAY_ERROR_INVALID, "model %u of a program with %u",
                 model_index, assay_program_num_models (program));

  return NULL;
}

static gboolean
run_step (AssayVm *self, guint model_index, AssayRunSequence *sequence, gint64 step, GError **error)
{
  assay_run_sequence_pack (sequence, step);
  if (!self->no_compute &&
      !assay_executor_run (self->executor, model_index, step,
                           (const float *const *) sequence->packed, sequence->results, NULL, error))
    return FALSE;
  assay_run_sequence_unpack (sequence, step);

  if (self->last_model != 0)
    self->cycles += self->per_inference[self->last_model - 1].contiguous;
  self->last_model = model_index + 1;

  return TRUE;
}

static gboolean
check_count (const char *what, gsize given, gsize expected, GError **error)
{
  if (given == expected)
    return TRUE;

  g_set_error (error, ASSAY_ERROR, ASSAY_ERROR_INVALID,
               "%" G_GSIZE_FORMAT " %s, the model has %" G_GSIZE_FORMAT, given, what, expected);
  return FALSE;
}

static char *
shape_text (guint rank, const gint64 *dims)
{
  GString *text = g_string_new ("[");

  for (guint i = 0; i < rank; i++)
    g_string_append_printf (text, dims[i] < 0 ? "%sany" : "%s%" G_GINT64_FORMAT, i > 0 ? ", " : "",
                            dims[i]);
  g_string_append_c (text, ']');

  return g_string_free (text, FALSE);
}

static gboolean
check_shape (const AssayPort *port, AssayTensor *tensor, int axis, gint64 *n_timesteps,
             GError **error)
{
  const gint64 *dims = assay_tensor_get_dims (tensor);
  guint rank = assay_tensor_get_rank (tensor);
  guint wanted_rank = port->rank + (axis >= 0 ? 1 : 0);
  gint64 wanted[ASSAY_MAX_RANK + 1];
  g_autofree char *found_text = NULL;
  g_autofree char *wanted_text = NULL;
  gboolean equal = rank == wanted_rank;

  if (axis > (int) port->rank)
    {
      g_set_error (error, ASSAY_ERROR, ASSAY_ERROR_INVALID,
                   "input %s: timesteps along axis %d, the greatest possible is %u", port->name,
                   axis, port->rank);
      return FALSE;
    }

  assay_port_dims (port, axis, -1, wanted);
  for (guint i = 0; i < wanted_rank && equal; i++)
    equal = wanted[i] < 0 ? dims[i] > 0 : dims[i] == wanted[i];

  if (equal)
    {
      *n_timesteps = axis < 0 ? 1 : dims[axis];
      return TRUE;
    }

  found_text = shape_text (rank, dims);
  wanted_text = shape_text (wanted_rank, wanted);
  g_set_error (error, ASSAY_ERROR, ASSAY_ERROR_INVALID,
               "input %s: a tensor of shape %s, expected %s", port->name, found_text, wanted_text);
  return FALSE;
}

/* Checks all inputs, whose sequence axis is inserted where an axis is given; they must agree in the
 * number of timesteps. */
static gboolean
check_inputs (const AssayModelEntry *entry, AssayTensor *const *inputs, const int *axes,
              gint64 *n_timesteps, GError **error)
{
  gint64 steps = -1;

  for (guint i = 0; i < entry->n_inputs; i++)
    {
      const AssayPort *port = &entry->inputs[i];
      int axis = axes == NULL ? -1 : axes[i];
      AssayDType dtype;
      gint64 own = 1;

      if (inputs[i] == NULL)
        {
          g_set_error (error, ASSAY_ERROR, ASSAY_ERROR_INVALID, "input %s: no tensor", port->name);
          return FALSE;
        }
      if (!check_shape (port, inputs[i], axis, &own, error))
        return FALSE;
      dtype = assay_tensor_get_dtype (inputs[i]);
      if (assay_dtype_bits (dtype) == 0 || assay_dtype_kind (dtype) == 'C')
        {
          g_set_error (error, ASSAY_ERROR, ASSAY_ERROR_INVALID,
                       "input %s: elements of type %s, expected numbers", port->name,
                       assay_dtype_name (dtype));
          return FALSE;
        }
      if (axis < 0)
        continue;
      if (steps >= 0 && own != steps)
        {
          g_set_error (error, ASSAY_ERROR, ASSAY_ERROR_INVALID,
                       "input %s has %" G_GINT64_FORMAT
                       " timestep%s, the inputs before it %" G_GINT64_FORMAT,
                       port->name, own, assay_plural (own), steps);
          return FALSE;
        }
      steps = own;
    }

  if (axes != NULL && steps < 0)
    {
      g_set_error (error, ASSAY_ERROR, ASSAY_ERROR_INVALID, "no input has an axis of timesteps");
      return FALSE;
    }
  *n_timesteps = axes == NULL ? 1 : steps;

  return TRUE;
}

static GPtrArray *
run_tensors (AssayVm *self, guint model_index, AssayTensor *const *inputs, const int *input_axes,
             const int *output_axes, GError **error)
{
  const AssayModelEntry *entry = assay_program_get_model (self->program, model_index);
  g_auto (AssayRunSequence) sequence = { 0 };
  g_autoptr (GMutexLocker) locker = g_mutex_locker_new (&self->lock);
  gint64 n_timesteps;

  if (!check_inputs (entry, inputs, input_axes, &n_timesteps, error) ||
      !assay_run_sequence_init_axes (&sequence, entry, inputs, n_timesteps, input_axes, output_axes,
                                     error))
    return NULL;

  for (gint64 step = 0; step < n_timesteps; step++)
    if (!run_step (self, model_index, &sequence, step, error))
      return NULL;

  return assay_run_sequence_finish (&sequence);
}

/**
 * assay_vm_run:
 * @self: a virtual machine
 * @model_index: which model
 * @inputs: (array length=n_inputs): its inputs, of the shapes that the program says and any type of
 * numbers
 * @n_inputs: how many
 * @error: return location for a #GError
 *
 * Runs one inference.
 *
 * Returns: (transfer container) (element-type AssayTensor): the outputs in fp32, or %NULL with
 * %ASSAY_ERROR_INVALID
 */
GPtrArray *
assay_vm_run (AssayVm *self, guint model_index, AssayTensor *const *inputs, gsize n_inputs,
              GError **error)
{
  const AssayModelEntry *entry;

  g_return_val_if_fail (ASSAY_IS_VM (self), NULL);

  entry = find_model (self, model_index, error);
  if (entry == NULL || !check_count ("inputs", n_inputs, entry->n_inputs, error))
    return NULL;

  return run_tensors (self, model_index, inputs, NULL, NULL, error);
}

/**
 * assay_vm_run_timesteps:
 * @self: a virtual machine
 * @model_index: which model
 * @inputs: (array length=n_inputs): its inputs, each the shape that the program says with the
 * timesteps inserted as an axis
 * @n_inputs: how many
 * @input_axes: (array length=n_input_axes): where that axis is, for each input; -1 if an input is
 * the same at each timestep
 * @n_input_axes: how many
 * @output_axes: (array length=n_output_axes): where to insert the timesteps, for each output; -1
 * takes the last one only
 * @n_output_axes: how many
 * @error: return location for a #GError
 *
 * Runs one inference for each timestep and stacks the outputs; the state goes on from where it was.
 *
 * Returns: (transfer container) (element-type AssayTensor): the outputs in fp32, or %NULL with
 * %ASSAY_ERROR_INVALID
 */
GPtrArray *
assay_vm_run_timesteps (AssayVm *self, guint model_index, AssayTensor *const *inputs,
                        gsize n_inputs, const int *input_axes, gsize n_input_axes,
                        const int *output_axes, gsize n_output_axes, GError **error)
{
  const AssayModelEntry *entry;

  g_return_val_if_fail (ASSAY_IS_VM (self), NULL);

  entry = find_model (self, model_index, error);
  if (entry == NULL || !check_count ("inputs", n_inputs, entry->n_inputs, error) ||
      !check_count ("input axes", n_input_axes, entry->n_inputs, error) ||
      !check_count ("output axes", n_output_axes, entry->n_outputs, error))
    return NULL;

  for (guint i = 0; i < entry->n_outputs; i++)
    {
      if (output_axes[i] <= (int) entry->outputs[i].rank)
        continue;
      g_set_error (error, ASSAY_ERROR, ASSAY_ERROR_INVALID,
                   "output %s: axis %d of a result of rank %u", entry->outputs[i].name,
                   output_axes[i], entry->outputs[i].rank + 1);
      return NULL;
    }

  return run_tensors (self, model_index, inputs, input_axes, output_axes, error);
}

static gsize
count_all (const AssayPort *ports, guint n)
{
  gsize count = 0;

  for (guint i = 0; i < n; i++)
    count += assay_port_count (&ports[i]);

  return count;
}

/**
 * assay_vm_run_flat_timesteps:
 * @self: a virtual machine
 * @model_index: which model
 * @n_timesteps: how many inferences
 * @values: (array length=n_values): for each timestep what assay_vm_run_flat() takes, one after
 * another
 * @n_values: how many
 * @n_results: (out): how many values come out
 * @error: return location for a #GError
 *
 * Runs one inference for each timestep; the state goes on from where it was.
 *
 * Returns: (transfer full) (array length=n_results): for each timestep what assay_vm_run_flat()
 * gives, or %NULL with %ASSAY_ERROR_INVALID
 */
float *
assay_vm_run_flat_timesteps (AssayVm *self, guint model_index, guint n_timesteps,
                             const float *values, gsize n_values, gsize *n_results, GError **error)
{
  g_autofree float *results = NULL;
  g_auto (AssayRunSequence) sequence = { 0 };
  g_autoptr (GMutexLocker) locker = NULL;
  const AssayModelEntry *entry;
  gsize per_step, results_per_step, expected, count;
  float *next;

  *n_results = 0;
  g_return_val_if_fail (ASSAY_IS_VM (self), NULL);

  entry = find_model (self, model_index, error);
  if (entry == NULL)
    return NULL;

  per_step = count_all (entry->inputs, entry->n_inputs);
  results_per_step = count_all (entry->outputs, entry->n_outputs);
  if (n_timesteps == 0 || !g_size_checked_mul (&expected, per_step, n_timesteps) ||
      !g_size_checked_mul (&count, results_per_step, n_timesteps) || expected != n_values ||
      count > G_MAXSSIZE / sizeof (float))
    {
      g_set_error (error, ASSAY_ERROR, ASSAY_ERROR_INVALID,
                   "%" G_GSIZE_FORMAT
                   " value%s for %u timestep%s; the inputs of model %s take %" G_GSIZE_FORMAT
                   " for each",
                   n_values, assay_plural (n_values), n_timesteps, assay_plural (n_timesteps),
                   entry->name, per_step);
      return NULL;
    }

  if (!assay_run_sequence_init_axes (&sequence, entry, NULL, 1, NULL, NULL, error))
    return NULL;

  results = next = g_new (float, count + 1);
  locker = g_mutex_locker_new (&self->lock);
  for (guint t = 0; t < n_timesteps; t++)
    {
      for (guint i = 0; i < entry->n_inputs; i++)
        {
          gsize n = assay_port_count (&entry->inputs[i]);

          memcpy (sequence.inputs[i], values, n * sizeof *values);
          values += n;
        }
      if (!run_step (self, model_index, &sequence, 0, error))
        return NULL;
      for (guint i = 0; i < entry->n_outputs; i++)
        {
          gsize n = assay_port_count (&entry->outputs[i]);

          memcpy (next, sequence.outputs[i], n * sizeof *next);
          next += n;
        }
    }
  *n_results = count;

  return g_steal_pointer (&results);
}

/**
 * assay_vm_run_flat:
 * @self: a virtual machine
 * @model_index: which model
 * @values: (array length=n_values): the elements of the first input in row-major order, then those
 * of the next
 * @n_values: how many
 * @n_results: (out): how many values come out
 * @error: return location for a #GError
 *
 * Runs one inference on plain values.
 *
 * Returns: (transfer full) (array length=n_results): the elements of the first output in row-major
 * order, then those of the next, or %NULL with %ASSAY_ERROR_INVALID
 */
float *
assay_vm_run_flat (AssayVm *self, guint model_index, const float *values, gsize n_values,
                   gsize *n_results, GError **error)
{
  return assay_vm_run_flat_timesteps (self, model_index, 1, values, n_values, n_results, error);
}

/**
 * assay_vm_reset:
 * @self: a virtual machine
 * @model_index: which model
 * @error: return location for a #GError
 *
 * Forgets what a model remembers of earlier inferences; cycles go on being counted.
 *
 * Returns: %FALSE with %ASSAY_ERROR_INVALID if there is no such model, or if it was compiled
 * without #AssayOptions:generate-state-reset
 */
gboolean
assay_vm_reset (AssayVm *self, guint model_index, GError **error)
{
  const AssayModelEntry *entry;

  g_return_val_if_fail (ASSAY_IS_VM (self), FALSE);

  entry = find_model (self, model_index, error);
  if (entry == NULL)
    return FALSE;
  if (!entry->resettable)
    {
      g_set_error (error, ASSAY_ERROR, ASSAY_ERROR_INVALID,
                   "Model %s was compiled without instructions that reset its state; set "
                   "generate-state-reset",
                   entry->name);
      return FALSE;
    }

  g_mutex_lock (&self->lock);
  assay_executor_reset (self->executor, model_index);
  g_mutex_unlock (&self->lock);

  return TRUE;
}

/**
 * assay_vm_cycle_count:
 * @self: a virtual machine
 *
 * Gets the cycles of all inferences so far, each following the one before at once: from the first
 * word of the first input to the last word of the last output.
 *
 * Returns: cycles
 */
guint64
assay_vm_cycle_count (AssayVm *self)
{
  guint64 cycles = 0;

  g_return_val_if_fail (ASSAY_IS_VM (self), 0);

  g_mutex_lock (&self->lock);
  if (self->last_model != 0)
    cycles = self->cycles + self->per_inference[self->last_model - 1].spaced;
  g_mutex_unlock (&self->lock);

  return cycles;
}

/**
 * assay_vm_compute_duration_us:
 * @self: a virtual machine
 * @clock_mhz: clock to assume, 0 for that of the program
 *
 * Gets how long the inferences so far would take on the accelerator.
 *
 * Returns: microseconds
 */
double
assay_vm_compute_duration_us (AssayVm *self, guint clock_mhz)
{
  g_return_val_if_fail (ASSAY_IS_VM (self) && self->program != NULL, 0);

  return (double) assay_vm_cycle_count (self) /
         (clock_mhz != 0 ? clock_mhz : assay_program_get_clock_mhz (self->program));
}
