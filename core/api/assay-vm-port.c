/* assay-vm-port.c
 * SPDX-License-Identifier: Apache-2.0
 *
 * What users hand in, checked against what a program takes.
 */
#include "api/assay-vm-port.h"

#include <string.h>

#include "base/assay-error.h"

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
  g_autofree gint64 *wanted = g_new (gint64, wanted_rank + 1);
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
  g_set_error (error, ASSAY_ERROR, ASSAY_ERROR_INVALID,
               "input %s: a tensor of shape %s, expected %s", port->name, found_text, wanted_text);
  return FALSE;
}

static float *
read_floats (const AssayPort *port, AssayTensor *tensor, GError **error)
{
  gsize n = assay_tensor_get_n_elements (tensor);
  g_autofree float *values = NULL;
  gsize n_bytes = 0;

  if (assay_tensor_get_dtype (tensor) == ASSAY_DTYPE_STRING)
    {
      g_set_error (error, ASSAY_ERROR, ASSAY_ERROR_INVALID, "input %s: strings, numbers expected",
                   port->name);
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

/**
 * assay_vm_port_read:
 * @port: an input
 * @tensor: what the user gives
 * @axis: the axis of @tensor that counts timesteps, or -1 if it is of one inference
 * @n_timesteps: (out): how many there are
 * @error: return location for a #GError
 *
 * Reads a tensor as floats, in row-major order.
 *
 * Returns: (transfer full) (nullable): the values, or %NULL with %ASSAY_ERROR_INVALID
 */
float *
assay_vm_port_read (const AssayPort *port, AssayTensor *tensor, int axis, gint64 *n_timesteps,
                    GError **error)
{
  return check_shape (port, tensor, axis, n_timesteps, error) ? read_floats (port, tensor, error)
                                                              : NULL;
}
