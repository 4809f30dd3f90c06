/* assay-run-sequence.c
 * SPDX-License-Identifier: Apache-2.0
 */
#include "run/assay-run-sequence.h"

#include <string.h>

#include "base/assay-error.h"
#include "backend/assay-port.h"
#include "base/assay-sentence.h"
#include "run/assay-run-subject.h"

/* A tensor has the shape of the model's input: that of the port, with the axis of time where it
 * was. Without that axis it is one timestep. */
static gboolean
check_shape (const AssayPort *port, AssayTensor *tensor, gint64 *n_steps, GError **error)
{
  guint rank = assay_tensor_get_rank (tensor);
  const gint64 *dims = assay_tensor_get_dims (tensor);
  gint64 wanted[ASSAY_MAX_RANK + 1];
  g_autofree char *is = NULL;
  g_autofree char *expected = NULL;
  guint wanted_rank;

  *n_steps = port->streaming_dim >= 0 && (int) rank > port->streaming_dim
                 ? dims[port->streaming_dim]
                 : 1;
  wanted_rank = assay_port_dims (port, port->streaming_dim, *n_steps, wanted);
  if (rank == wanted_rank && *n_steps > 0 &&
      (rank == 0 || memcmp (dims, wanted, rank * sizeof *dims) == 0))
    return TRUE;

  *n_steps = 1;
  wanted_rank = assay_port_dims (port, -1, 1, wanted);
  if (rank == wanted_rank && (rank == 0 || memcmp (dims, wanted, rank * sizeof *dims) == 0))
    return TRUE;

  wanted_rank = assay_port_dims (port, port->streaming_dim, 1, wanted);
  is = assay_run_shape_to_string (rank, dims, -1);
  expected = assay_run_shape_to_string (wanted_rank, wanted, port->streaming_dim);
  g_set_error (error, ASSAY_ERROR, ASSAY_ERROR_INVALID, "input %s: shape %s, expected %s",
               port->name, is, expected);

  return FALSE;
}

static float *
new_floats (const AssayPort *port, gsize n, gsize times, GError **error)
{
  float *values = g_size_checked_mul (&n, n, times) ? g_try_new0 (float, MAX (n, 1)) : NULL;

  if (values == NULL)
    g_set_error (error, ASSAY_ERROR, ASSAY_ERROR_MEMORY, "%s: too many values for the memory",
                 port->name);

  return values;
}

static float *
tensor_floats (const AssayPort *port, AssayTensor *tensor, GError **error)
{
  gsize n = assay_tensor_get_n_elements (tensor);
  g_autofree float *values = new_floats (port, n, 1, error);
  gsize n_bytes;

  if (values == NULL)
    return NULL;

  if (assay_tensor_get_dtype (tensor) == ASSAY_DTYPE_F32)
    {
      gconstpointer data = assay_tensor_get_data (tensor, &n_bytes, error);

      if (data == NULL && n > 0)
        return NULL;
      if (n > 0)
        memcpy (values, data, n_bytes);
      return g_steal_pointer (&values);
    }

  for (gsize i = 0; i < n; i++)
    {
      double value;

      if (!assay_tensor_get_element (tensor, i, &value, error))
        {
          g_prefix_error (error, "input %s: ", port->name);
          return NULL;
        }
      values[i] = (float) value;
    }

  return g_steal_pointer (&values);
}

static gboolean
check_input (const AssayPort *port, AssayTensor *tensor, gint64 *all_steps, GError **error)
{
  AssayDType dtype = assay_tensor_get_dtype (tensor);
  gint64 n_steps;

  if (assay_dtype_bits (dtype) == 0 || assay_dtype_kind (dtype) == 'C')
    {
      g_set_error (error, ASSAY_ERROR, ASSAY_ERROR_INVALID,
                   "input %s: elements of type %s, expected numbers", port->name,
                   assay_dtype_name (dtype));
      return FALSE;
    }
  if (!check_shape (port, tensor, &n_steps, error))
    return FALSE;

  if (port->streaming_dim >= 0 && *all_steps != 0 && n_steps != *all_steps)
    {
      g_set_error (error, ASSAY_ERROR, ASSAY_ERROR_INVALID,
                   "input %s: %" G_GINT64_FORMAT " timestep%s, another input has %" G_GINT64_FORMAT,
                   port->name, n_steps, assay_plural (n_steps), *all_steps);
      return FALSE;
    }
  if (port->streaming_dim >= 0)
    *all_steps = n_steps;

  return TRUE;
}

/**
 * assay_run_sequence_init:
 * @self: (out caller-allocates): the sequence
 * @entry: the model of a program
 * @tensors: (element-type AssayTensor): one per input, of any numeric type
 * @error: return location for a #GError
 *
 * Checks the tensors against the inputs and makes room for the outputs. The timesteps lie where the
 * axis of time was; those of an output that had none in front if there are several.
 *
 * Returns: whether they fit
 */
gboolean
assay_run_sequence_init (AssayRunSequence *self, const AssayModelEntry *entry, GPtrArray *tensors,
                         GError **error)
{
  g_autofree int *input_axes = g_new (int, entry->n_inputs + 1);
  g_autofree int *output_axes = g_new (int, entry->n_outputs + 1);
  gint64 n_steps = 0;

  for (guint i = 0; i < entry->n_inputs; i++)
    {
      if (!check_input (&entry->inputs[i], g_ptr_array_index (tensors, i), &n_steps, error))
        return FALSE;
      input_axes[i] = entry->inputs[i].streaming_dim;
    }
  n_steps = MAX (n_steps, 1);
  for (guint i = 0; i < entry->n_outputs; i++)
    output_axes[i] = entry->outputs[i].streaming_dim >= 0 ? entry->outputs[i].streaming_dim
                     : n_steps > 1                        ? 0
                                                          : -1;

  return assay_run_sequence_init_axes (self, entry, (AssayTensor *const *) tensors->pdata, n_steps,
                                       input_axes, output_axes, error);
}

static int *
copy_axes (const int *axes, guint n)
{
  int *copy = g_new (int, n + 1);

  for (guint i = 0; i < n; i++)
    copy[i] = axes == NULL ? -1 : axes[i];

  return copy;
}

/**
 * assay_run_sequence_init_axes:
 * @self: (out caller-allocates): the sequence
 * @entry: the model of a program
 * @tensors: (nullable): one per input, of numbers and of its shape with the timesteps; without them
 * the inputs have room for one timestep
 * @n_steps: number of timesteps
 * @input_axes: (nullable): per input where they lie, -1 if every timestep gets all of it
 * @output_axes: (nullable): per output where they will lie, -1 to keep the last one only
 * @error: return location for a #GError
 *
 * Reads tensors that have been checked, and makes room for the outputs.
 *
 * Returns: whether the memory sufficed and the elements could be read
 */
gboolean
assay_run_sequence_init_axes (AssayRunSequence *self, const AssayModelEntry *entry,
                              AssayTensor *const *tensors, gint64 n_steps, const int *input_axes,
                              const int *output_axes, GError **error)
{
  *self = (AssayRunSequence){
    .entry = entry,
    .n_steps = n_steps,
    .inputs = g_new0 (float *, entry->n_inputs + 1),
    .input_axes = copy_axes (input_axes, entry->n_inputs),
    .outputs = g_new0 (float *, entry->n_outputs + 1),
    .output_axes = copy_axes (output_axes, entry->n_outputs),
    .packed = g_new0 (float *, entry->n_inputs + 1),
    .results = g_new0 (float *, entry->n_outputs + 1),
  };

  for (guint i = 0; i < entry->n_inputs; i++)
    {
      const AssayPort *port = &entry->inputs[i];
      gsize n = assay_port_count (port);

      self->inputs[i] = tensors != NULL ? tensor_floats (port, tensors[i], error)
                                        : new_floats (port, n, 1, error);
      if (self->inputs[i] == NULL)
        return FALSE;
      self->packed[i] = new_floats (port, n, 1, error);
      if (self->packed[i] == NULL)
        return FALSE;
    }

  for (guint i = 0; i < entry->n_outputs; i++)
    {
      const AssayPort *port = &entry->outputs[i];
      gsize n = assay_port_count (port);

      self->outputs[i] = new_floats (port, n, self->output_axes[i] < 0 ? 1 : (gsize) n_steps,
                                     error);
      if (self->outputs[i] == NULL)
        return FALSE;
      self->results[i] = new_floats (port, n, 1, error);
      if (self->results[i] == NULL)
        return FALSE;
    }

  return TRUE;
}

static void
free_all (float ***lists, guint n)
{
  for (guint i = 0; *lists != NULL && i < n; i++)
    g_free ((*lists)[i]);
  g_clear_pointer (lists, g_free);
}

void
assay_run_sequence_clear (AssayRunSequence *self)
{
  if (self->entry == NULL)
    return;

  free_all (&self->inputs, self->entry->n_inputs);
  free_all (&self->packed, self->entry->n_inputs);
  free_all (&self->outputs, self->entry->n_outputs);
  free_all (&self->results, self->entry->n_outputs);
  g_clear_pointer (&self->input_axes, g_free);
  g_clear_pointer (&self->output_axes, g_free);
  self->entry = NULL;
}

/**
 * assay_run_sequence_pack:
 * @self: a sequence
 * @step: which timestep
 *
 * Puts the inputs of a timestep into @packed, as the ports take them.
 */
void
assay_run_sequence_pack (AssayRunSequence *self, gint64 step)
{
  for (guint i = 0; i < self->entry->n_inputs; i++)
    assay_port_pack (&self->entry->inputs[i], self->input_axes[i], self->n_steps, step,
                     self->inputs[i], self->packed[i]);
}

/**
 * assay_run_sequence_unpack:
 * @self: a sequence
 * @step: which timestep
 *
 * Takes the outputs of a timestep out of @results, as the ports gave them.
 */
void
assay_run_sequence_unpack (AssayRunSequence *self, gint64 step)
{
  for (guint i = 0; i < self->entry->n_outputs; i++)
    assay_port_unpack (&self->entry->outputs[i], self->output_axes[i], self->n_steps, step,
                       self->results[i], self->outputs[i]);
}

/**
 * assay_run_sequence_finish:
 * @self: a sequence that has run to its end
 *
 * Makes tensors of the outputs.
 *
 * Returns: (transfer full) (element-type AssayTensor): one per output
 */
GPtrArray *
assay_run_sequence_finish (AssayRunSequence *self)
{
  GPtrArray *tensors = g_ptr_array_new_with_free_func ((GDestroyNotify) assay_tensor_unref);

  for (guint i = 0; i < self->entry->n_outputs; i++)
    {
      gint64 dims[ASSAY_MAX_RANK + 1];
      guint rank = assay_port_dims (&self->entry->outputs[i], self->output_axes[i], self->n_steps,
                                    dims);

      g_ptr_array_add (tensors, assay_tensor_new_f32 (rank, dims, self->outputs[i]));
    }

  return tensors;
}
