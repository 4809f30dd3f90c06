/* assay-program-object.c
 * SPDX-License-Identifier: Apache-2.0
 */
#include "api/assay-program-object.h"

#include "api/assay-run-once.h"
#include "api/assay-vm.h"
#include "backend/assay-build.h"
#include "base/assay-error.h"

/**
 * assay_program_io_only_test:
 * @config: the hardware
 * @in_values: size of the only input
 * @out_values: size of the only output
 * @error: return location for a #GError
 *
 * Makes a program that receives an input and sends an output without computing, to measure the way
 * in and out.
 *
 * Returns: (transfer full): the program, or %NULL with %ASSAY_ERROR_ALLOCATION or
 * %ASSAY_ERROR_INVALID
 */
AssayProgram *
assay_program_io_only_test (AssayConfig *config, gsize in_values, gsize out_values, GError **error)
{
  g_return_val_if_fail (ASSAY_IS_CONFIG (config), NULL);

  if (!assay_config_is_whole (config, error))
    return NULL;

  return assay_build_io_only (assay_config_get_values (config), in_values, out_values, error);
}

/**
 * assay_program_transform_to_io_only_test:
 * @self: a program
 *
 * Makes a program with the same models, inputs and outputs that computes nothing, to measure the
 * way in and out.
 *
 * Returns: (transfer full) (nullable): the program, or %NULL if there is none of its target; @self
 * is not changed
 */
AssayProgram *
assay_program_transform_to_io_only_test (AssayProgram *self)
{
  g_return_val_if_fail (ASSAY_IS_PROGRAM (self) && assay_program_num_models (self) > 0, NULL);

  return assay_program_new_io_only (self, NULL);
}

/**
 * assay_program_hw_config:
 * @self: a program
 *
 * Gets the hardware it is compiled for.
 *
 * Returns: (transfer full): the configuration; which of its values are estimates is not part of a
 * program
 */
AssayConfig *
assay_program_hw_config (AssayProgram *self)
{
  g_return_val_if_fail (ASSAY_IS_PROGRAM (self) && assay_program_num_models (self) > 0, NULL);

  return assay_config_new_for_values (assay_program_get_facts (self)->config);
}

/**
 * assay_program_model_num_inputs:
 * @self: a program
 * @model_index: which model
 *
 * Counts the inputs of a model.
 *
 * Returns: how many
 */
guint
assay_program_model_num_inputs (AssayProgram *self, guint model_index)
{
  const AssayModelEntry *entry = assay_program_get_model (self, model_index);

  return entry == NULL ? 0 : entry->n_inputs;
}

/**
 * assay_program_model_num_outputs:
 * @self: a program
 * @model_index: which model
 *
 * Counts the outputs of a model.
 *
 * Returns: how many
 */
guint
assay_program_model_num_outputs (AssayProgram *self, guint model_index)
{
  const AssayModelEntry *entry = assay_program_get_model (self, model_index);

  return entry == NULL ? 0 : entry->n_outputs;
}

static const AssayPort *
input_of (AssayProgram *self, guint model_index, guint input_index)
{
  const AssayModelEntry *entry = assay_program_get_model (self, model_index);

  g_return_val_if_fail (entry != NULL && input_index < entry->n_inputs, NULL);

  return &entry->inputs[input_index];
}

static const AssayPort *
output_of (AssayProgram *self, guint model_index, guint output_index)
{
  const AssayModelEntry *entry = assay_program_get_model (self, model_index);

  g_return_val_if_fail (entry != NULL && output_index < entry->n_outputs, NULL);

  return &entry->outputs[output_index];
}

static gint64 *
dup_dims (const AssayPort *port, gsize *n_dims)
{
  *n_dims = port == NULL ? 0 : port->rank;

  return port == NULL ? NULL : g_memdup2 (port->dims, port->rank * sizeof *port->dims);
}

/**
 * assay_program_model_input_shape:
 * @self: a program
 * @model_index: which model
 * @input_index: which of its inputs
 * @n_dims: (out): number of dimensions
 *
 * Gets the shape of what one inference takes; a streaming axis is left out.
 *
 * Returns: (transfer full) (array length=n_dims): the shape
 */
gint64 *
assay_program_model_input_shape (AssayProgram *self, guint model_index, guint input_index,
                                 gsize *n_dims)
{
  return dup_dims (input_of (self, model_index, input_index), n_dims);
}

/**
 * assay_program_model_output_shape:
 * @self: a program
 * @model_index: which model
 * @output_index: which of its outputs
 * @n_dims: (out): number of dimensions
 *
 * Gets the shape of what one inference gives; a streaming axis is left out.
 *
 * Returns: (transfer full) (array length=n_dims): the shape
 */
gint64 *
assay_program_model_output_shape (AssayProgram *self, guint model_index, guint output_index,
                                  gsize *n_dims)
{
  return dup_dims (output_of (self, model_index, output_index), n_dims);
}

/**
 * assay_program_model_input_streaming_dim:
 * @self: a program
 * @model_index: which model
 * @input_index: which of its inputs
 *
 * Gets the axis that was left out of the shape of an input because it became time.
 *
 * Returns: the axis, or -1 if there is none
 */
int
assay_program_model_input_streaming_dim (AssayProgram *self, guint model_index, guint input_index)
{
  const AssayPort *port = input_of (self, model_index, input_index);

  return port == NULL ? -1 : port->streaming_dim;
}

/**
 * assay_program_model_output_streaming_dim:
 * @self: a program
 * @model_index: which model
 * @output_index: which of its outputs
 *
 * Gets the axis that was left out of the shape of an output because it became time.
 *
 * Returns: the axis, or -1 if there is none
 */
int
assay_program_model_output_streaming_dim (AssayProgram *self, guint model_index, guint output_index)
{
  const AssayPort *port = output_of (self, model_index, output_index);

  return port == NULL ? -1 : port->streaming_dim;
}

/**
 * assay_program_model_input_number_format:
 * @self: a program
 * @model_index: which model
 * @input_index: which of its inputs
 *
 * Gets how the values of an input are transferred.
 *
 * Returns: bf16, or fp32 for an input that is kept in fp32
 */
AssayDType
assay_program_model_input_number_format (AssayProgram *self, guint model_index, guint input_index)
{
  const AssayPort *port = input_of (self, model_index, input_index);

  return port != NULL && port->fp32 ? ASSAY_DTYPE_F32 : ASSAY_DTYPE_BF16;
}

/**
 * assay_program_model_output_number_format:
 * @self: a program
 * @model_index: which model
 * @output_index: which of its outputs
 *
 * Gets how the values of an output are transferred.
 *
 * Returns: bf16, or fp32 for an output whose node is kept in fp32
 */
AssayDType
assay_program_model_output_number_format (AssayProgram *self, guint model_index, guint output_index)
{
  const AssayPort *port = output_of (self, model_index, output_index);

  return port != NULL && port->fp32 ? ASSAY_DTYPE_F32 : ASSAY_DTYPE_BF16;
}

/**
 * assay_program_model_is_resettable:
 * @self: a program
 * @model_index: which model
 *
 * Tells whether a model was compiled with #AssayOptions:generate-state-reset.
 *
 * Returns: whether assay_vm_reset() can reset it
 */
gboolean
assay_program_model_is_resettable (AssayProgram *self, guint model_index)
{
  const AssayModelEntry *entry = assay_program_get_model (self, model_index);

  return entry != NULL && entry->resettable;
}

/**
 * assay_program_cycle_count_per_inference:
 * @self: a program
 * @model_index: which model
 * @spaced: whether the inference finds the accelerator idle; otherwise it follows another one at
 * once
 *
 * Gets how many cycles an inference takes.
 *
 * Returns: cycles
 */
guint64
assay_program_cycle_count_per_inference (AssayProgram *self, guint model_index, gboolean spaced)
{
  const AssayCycles *cycles;

  if (assay_program_get_model (self, model_index) == NULL)
    return 0;

  cycles = assay_program_get_cycles (self, model_index);

  return spaced ? cycles->spaced : cycles->contiguous;
}

/**
 * assay_program_cycle_range_per_inference:
 * @self: a program
 * @model_index: which model
 * @spaced: whether the inference finds the accelerator idle; otherwise it follows another one at
 * once
 * @low: (out): the least
 * @high: (out): the most
 *
 * Gets between which counts the accelerator's own lies for nine models of ten.
 *
 * Returns: whether that is known
 */
gboolean
assay_program_cycle_range_per_inference (AssayProgram *self, guint model_index, gboolean spaced,
                                         guint64 *low, guint64 *high)
{
  AssayCycleRange range = { 0 };
  gboolean known;

  known = assay_program_get_model (self, model_index) != NULL &&
          assay_program_get_cycle_range (
              self, (guint32) assay_program_cycle_count_per_inference (self, model_index, spaced),
              &range);
  *low = range.low;
  *high = range.high;

  return known;
}

/**
 * assay_program_cycle_summary_per_inference:
 * @self: a program
 * @model_index: which model
 * @last_input: (out) (optional): when the last word has come in
 * @first_output: (out) (optional): when the first word goes out
 * @last_output: (out) (optional): when the last word goes out
 *
 * Gets when words come and go, in cycles from the first word of the input, the accelerator being
 * idle before.
 */
void
assay_program_cycle_summary_per_inference (AssayProgram *self, guint model_index,
                                           guint64 *last_input, guint64 *first_output,
                                           guint64 *last_output)
{
  const AssayCycles none = { 0 };
  const AssayCycles *cycles = assay_program_get_model (self, model_index) == NULL
                                  ? &none
                                  : assay_program_get_cycles (self, model_index);

  if (last_input != NULL)
    *last_input = cycles->last_input;
  if (first_output != NULL)
    *first_output = cycles->first_output;
  if (last_output != NULL)
    *last_output = cycles->last_output;
}

/**
 * assay_program_count_with_capacities:
 * @self: a program
 * @model_index: which model
 * @write_queue_capacity: blocks that a core may have on their way to other cores, at least 1
 * @output_buffer_capacity: words that may wait in the output buffer, at least 1
 * @spaced: (out): cycles of an inference that finds the accelerator idle
 * @contiguous: (out): cycles of one that follows another one at once
 * @last_input: (out): when the last word has come in, the accelerator being idle before
 * @first_output: (out): when the first word goes out
 * @last_output: (out): when the last word goes out
 * @error: return location for a #GError
 *
 * Counts an inference with queues of other sizes than the hardware has.
 *
 * Returns: whether there is such a model and there can be such queues; otherwise
 * %ASSAY_ERROR_INVALID
 */
gboolean
assay_program_count_with_capacities (AssayProgram *self, guint model_index,
                                     guint write_queue_capacity, guint output_buffer_capacity,
                                     guint64 *spaced, guint64 *contiguous, guint64 *last_input,
                                     guint64 *first_output, guint64 *last_output, GError **error)
{
  const AssayQueues queues = { write_queue_capacity, output_buffer_capacity };
  AssayCycles cycles = { 0 };
  gboolean known;

  g_return_val_if_fail (ASSAY_IS_PROGRAM (self), FALSE);

  known = model_index < assay_program_num_models (self);
  if (!known)
    g_set_error (error, ASSAY_ERROR, ASSAY_ERROR_INVALID, "model %u of a program with %u",
                 model_index, assay_program_num_models (self));
  else
    known = assay_vm_check_capacities (&queues, error);
  if (known)
    assay_program_count_cycles (self, model_index, &queues, &cycles, NULL);

  *spaced = cycles.spaced;
  *contiguous = cycles.contiguous;
  *last_input = cycles.last_input;
  *first_output = cycles.first_output;
  *last_output = cycles.last_output;

  return known;
}

/**
 * assay_program_compute_duration_per_inference_us:
 * @self: a program
 * @model_index: which model
 * @spaced: whether the inference finds the accelerator idle; otherwise it follows another one at
 * once
 * @clock_mhz: clock to assume, 0 for that of the program
 *
 * Gets how long an inference takes; the way between host and accelerator is not part of it.
 *
 * Returns: microseconds
 */
double
assay_program_compute_duration_per_inference_us (AssayProgram *self, guint model_index,
                                                 gboolean spaced, guint clock_mhz)
{
  if (assay_program_get_model (self, model_index) == NULL)
    return 0;

  return (double) assay_program_cycle_count_per_inference (self, model_index, spaced) /
         (clock_mhz != 0 ? clock_mhz : assay_program_get_clock_mhz (self));
}

/**
 * assay_program_run_on:
 * @self: a program
 * @runner: `vm`, `vm-fp32`, `board:local` or `board:ssh:HOST`
 * @model_index: which model
 * @inputs: (array length=n_inputs): its inputs; the axis that streams holds any number of timesteps
 * @n_inputs: how many
 * @cancellable: (nullable): stops it from another thread
 * @error: return location for a #GError
 *
 * Runs a model of the program once, from its initial state.
 *
 * Returns: (transfer container) (element-type AssayTensor): the outputs, or %NULL with
 * %ASSAY_ERROR_INVALID, %ASSAY_ERROR_DEVICE or %ASSAY_ERROR_CANCELLED
 */
GPtrArray *
assay_program_run_on (AssayProgram *self, const char *runner, guint model_index,
                      AssayTensor *const *inputs, gsize n_inputs, GCancellable *cancellable,
                      GError **error)
{
  g_autoptr (AssayRunSubject) subject = NULL;

  g_return_val_if_fail (ASSAY_IS_PROGRAM (self), NULL);
  g_return_val_if_fail (runner != NULL, NULL);
  g_return_val_if_fail (model_index < assay_program_num_models (self), NULL);

  subject = assay_run_subject_new_for_program ("the program", self, model_index);

  return assay_run_once (subject, runner, inputs, n_inputs, cancellable, NULL, error);
}

/**
 * assay_program_to_vm:
 * @self: a program
 * @write_queue_capacity: blocks that a core may have on their way to other cores, published default
 * 1; at least 1
 * @output_buffer_capacity: words that may wait in the output buffer, published default 64; at least
 * 1
 * @bf16_precision: whether to compute to the bit as the accelerator does; otherwise in fp32
 * @error: return location for a #GError
 *
 * Makes a virtual machine that runs this program, its state that of a program just loaded.
 *
 * Returns: (transfer full): the machine, or %NULL with %ASSAY_ERROR_INVALID
 */
AssayVm *
assay_program_to_vm (AssayProgram *self, guint write_queue_capacity, guint output_buffer_capacity,
                     gboolean bf16_precision, GError **error)
{
  g_return_val_if_fail (ASSAY_IS_PROGRAM (self), NULL);

  return assay_vm_new (self, write_queue_capacity, output_buffer_capacity, bf16_precision, error);
}
