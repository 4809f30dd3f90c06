/* assay-vm-port.c
 * SPDX-License-Identifier: Apache-2.0
 *
 * Between tensors as users have them and the order in which a machine takes and gives values.
 */
#include "api/assay-vm-port.h"

#include <string.h>

#include "base/assay-error.h"

/**
 * assay_vm_port_count:
 * @port: an input or output
 *
 * Counts the values of one inference.
 *
 * Returns: how many
 */
gsize
assay_vm_port_count (const AssayPort *port)
{
  return (gsize) port->lanes * port->n_vectors;
}

/* Vectors lie one after another, the data dimension innermost; everything before it and after it numbers them. */
static void
reorder (const AssayPort *port,
         const float     *from,
         float           *to,
         gboolean         to_vectors)
{
  gsize lanes = port->lanes;
  gsize inner = 1;
  gsize outer;

  for (guint i = port->data_dim < 0 ? port->rank : (guint) port->data_dim + 1; i < port->rank; i++)
    inner *= (gsize) port->dims[i];

  if (inner == 1 || lanes == 1)
    {
      memcpy (to, from, assay_vm_port_count (port) * sizeof *to);
      return;
    }

  outer = port->n_vectors / inner;
  for (gsize o = 0; o < outer; o++)
    for (gsize lane = 0; lane < lanes; lane++)
      for (gsize i = 0; i < inner; i++)
        {
          gsize shaped = (o * lanes + lane) * inner + i;
          gsize vector = (o * inner + i) * lanes + lane;

          if (to_vectors)
            to[vector] = from[shaped];
          else
            to[shaped] = from[vector];
        }
}

/**
 * assay_vm_port_to_vectors:
 * @port: an input
 * @values: the values in row-major order of its shape
 * @vectors: (out): the values as a machine takes them
 *
 * Brings the values of one inference into the order of the machine.
 */
void
assay_vm_port_to_vectors (const AssayPort *port,
                          const float     *values,
                          float           *vectors)
{
  reorder (port, values, vectors, TRUE);
}

/**
 * assay_vm_port_from_vectors:
 * @port: an output
 * @vectors: the values as a machine gives them
 * @values: (out): the values in row-major order of its shape
 *
 * Brings the values of one inference into the order of their shape.
 */
void
assay_vm_port_from_vectors (const AssayPort *port,
                            const float     *vectors,
                            float           *values)
{
  reorder (port, vectors, values, FALSE);
}

static char *
shape_text (guint         rank,
            const gint64 *dims)
{
  GString *text = g_string_new ("[");

  for (guint i = 0; i < rank; i++)
    g_string_append_printf (text, dims[i] < 0 ? "%sany" : "%s%" G_GINT64_FORMAT, i > 0 ? ", " : "", dims[i]);
  g_string_append_c (text, ']');

  return g_string_free (text, FALSE);
}

static gboolean
check_shape (const AssayPort  *port,
             AssayTensor      *tensor,
             int               axis,
             gint64           *n_timesteps,
             GError          **error)
{
  const gint64 *dims = assay_tensor_get_dims (tensor);
  guint rank = assay_tensor_get_rank (tensor);
  guint wanted_rank = port->rank + (axis >= 0 ? 1 : 0);
  g_autofree gint64 *wanted = g_new (gint64, wanted_rank + 1);
  g_autofree char *found_text = NULL;
  g_autofree char *wanted_text = NULL;
  gboolean equal = rank == wanted_rank;

  if (axis > (int) port->rank)
    {
      g_set_error (error, ASSAY_ERROR, ASSAY_ERROR_INVALID, "input %s: timesteps along axis %d, the greatest possible is %u",
                   port->name, axis, port->rank);
      return FALSE;
    }

  for (guint i = 0, own = 0; i < wanted_rank; i++)
    wanted[i] = (int) i == axis ? -1 : port->dims[own++];
  for (guint i = 0; i < wanted_rank && equal; i++)
    equal = wanted[i] < 0 ? dims[i] > 0 : dims[i] == wanted[i];

  if (equal)
    {
      *n_timesteps = axis < 0 ? 1 : dims[axis];
      return TRUE;
    }

  found_text = shape_text (rank, dims);
  wanted_text = shape_text (wanted_rank, wanted);
  g_set_error (error, ASSAY_ERROR, ASSAY_ERROR_INVALID, "input %s: a tensor of shape %s, expected %s", port->name, found_text,
               wanted_text);
  return FALSE;
}

static float *
read_floats (const AssayPort  *port,
             AssayTensor      *tensor,
             GError          **error)
{
  gsize n = assay_tensor_get_n_elements (tensor);
  g_autofree float *values = NULL;
  gsize n_bytes = 0;

  if (assay_tensor_get_dtype (tensor) == ASSAY_DTYPE_STRING)
    {
      g_set_error (error, ASSAY_ERROR, ASSAY_ERROR_INVALID, "input %s: strings, numbers expected", port->name);
      return NULL;
    }

  values = g_new (float, n + 1);
  if (assay_tensor_get_dtype (tensor) == ASSAY_DTYPE_F32)
    {
      gconstpointer data = assay_tensor_get_data (tensor, &n_bytes, error);

      if (data == NULL)
        return NULL;
      memcpy (values, data, n_bytes);
      return g_steal_pointer (&values);
    }

  for (gsize i = 0; i < n; i++)
    {
      double value;

      if (!assay_tensor_get_element (tensor, i, &value, error))
        return NULL;
      values[i] = (float) value;
    }

  return g_steal_pointer (&values);
}

/* Moves an axis of timesteps to the front, or from the front to where it belongs. */
static float *
move_axis (const AssayPort *port,
           const float     *from,
           int              axis,
           gsize            n_timesteps,
           gboolean         to_front)
{
  gsize count = assay_vm_port_count (port);
  float *to = g_new (float, count * n_timesteps + 1);
  gsize inner = 1;

  for (guint i = (guint) axis; i < port->rank; i++)
    inner *= (gsize) port->dims[i];

  for (gsize t = 0; t < n_timesteps; t++)
    for (gsize o = 0; o < count / inner; o++)
      {
        gsize front = t * count + o * inner;
        gsize place = (o * n_timesteps + t) * inner;

        memcpy (to + (to_front ? front : place), from + (to_front ? place : front), inner * sizeof *to);
      }

  return to;
}

/**
 * assay_vm_port_read:
 * @port: an input
 * @tensor: what the user gives
 * @axis: the axis of @tensor that counts timesteps, or -1 if it is of one inference
 * @n_timesteps: (out): how many there are
 * @error: return location for a #GError
 *
 * Reads a tensor as floats, timestep after timestep, each in row-major order of the shape of the input.
 *
 * Returns: (transfer full) (nullable): the values, or %NULL with %ASSAY_ERROR_INVALID
 */
float *
assay_vm_port_read (const AssayPort  *port,
                    AssayTensor      *tensor,
                    int               axis,
                    gint64           *n_timesteps,
                    GError          **error)
{
  g_autofree float *values = NULL;

  if (!check_shape (port, tensor, axis, n_timesteps, error))
    return NULL;

  values = read_floats (port, tensor, error);
  if (values == NULL || axis <= 0)
    return g_steal_pointer (&values);

  return move_axis (port, values, axis, (gsize) *n_timesteps, TRUE);
}

/**
 * assay_vm_port_write:
 * @port: an output
 * @values: timestep after timestep, each in row-major order of the shape of the output
 * @axis: where to insert the timesteps, or -1 for a tensor of the last one alone
 * @n_timesteps: how many there are
 * @error: return location for a #GError
 *
 * Makes a tensor of what came out.
 *
 * Returns: (transfer full) (nullable): the tensor, or %NULL with %ASSAY_ERROR_INVALID if its rank is too high
 */
AssayTensor *
assay_vm_port_write (const AssayPort  *port,
                     const float      *values,
                     int               axis,
                     gint64            n_timesteps,
                     GError          **error)
{
  guint rank = port->rank + (axis >= 0 ? 1 : 0);
  gsize count = assay_vm_port_count (port);
  g_autofree gint64 *dims = g_new (gint64, rank + 1);
  g_autofree float *moved = NULL;
  g_autoptr (GBytes) bytes = NULL;

  for (guint i = 0, own = 0; i < rank; i++)
    dims[i] = (int) i == axis ? n_timesteps : port->dims[own++];

  if (axis < 0)
    values += count * (gsize) (n_timesteps - 1);
  else
    values = moved = move_axis (port, values, axis, (gsize) n_timesteps, FALSE);
  bytes = g_bytes_new (values, count * (axis < 0 ? 1 : (gsize) n_timesteps) * sizeof *values);

  return assay_tensor_new (ASSAY_DTYPE_F32, rank, dims, bytes, error);
}
