/* assay-run-inputs.c
 * SPDX-License-Identifier: Apache-2.0
 */
#include "assay-run-inputs.h"

#include <string.h>

#include "base/assay-error.h"
#include "base/assay-npy.h"
#include "machine/assay-port-io.h"
#include "onnx/assay-tensor-file.h"

void
assay_run_inputs_clear (AssayRunInputs *self)
{
  for (guint i = 0; i < self->n; i++)
    g_free (self->values[i]);
  g_clear_pointer (&self->values, g_free);
  g_clear_pointer (&self->axes, g_free);
  self->n = 0;
}

static AssayTensor *
load_tensor (const char  *path,
             GError     **error)
{
  g_autoptr (GPtrArray) tensors = NULL;

  if (g_str_has_suffix (path, ".npy"))
    return assay_npy_load (path, error);

  if (!g_str_has_suffix (path, ".pb"))
    {
      g_set_error (error, ASSAY_ERROR, ASSAY_ERROR_INVALID, "%s: expected a .npy or .pb file", path);
      return NULL;
    }

  tensors = assay_tensor_file_load (path, ASSAY_TYPE_KIND_TENSOR, NULL, error);
  if (tensors == NULL)
    return NULL;

  return assay_tensor_ref (g_ptr_array_index (tensors, 0));
}

static char *
shape_text (guint         rank,
            const gint64 *dims,
            int           unknown)
{
  GString *text = g_string_new ("[");

  for (guint i = 0; i < rank; i++)
    {
      g_string_append (text, i > 0 ? ", " : "");
      if ((int) i == unknown)
        g_string_append (text, "timesteps");
      else
        g_string_append_printf (text, "%" G_GINT64_FORMAT, dims[i]);
    }
  g_string_append_c (text, ']');

  return g_string_free (text, FALSE);
}

/* A tensor has the shape of the model's input: that of the port, with the axis of time where it was. Without that axis
 * it is one timestep. */
static gboolean
check_shape (const AssayPort *port,
             AssayTensor     *tensor,
             const char      *path,
             gint64          *n_steps,
             GError         **error)
{
  guint rank = assay_tensor_get_rank (tensor);
  const gint64 *dims = assay_tensor_get_dims (tensor);
  gint64 wanted[ASSAY_MAX_RANK + 1];
  g_autofree char *is = NULL;
  g_autofree char *expected = NULL;
  guint wanted_rank;

  *n_steps = port->streaming_dim >= 0 && (int) rank > port->streaming_dim ? dims[port->streaming_dim] : 1;
  wanted_rank = assay_port_dims (port, port->streaming_dim, *n_steps, wanted);
  if (rank == wanted_rank && memcmp (dims, wanted, rank * sizeof *dims) == 0 && *n_steps > 0)
    return TRUE;

  *n_steps = 1;
  wanted_rank = assay_port_dims (port, -1, 1, wanted);
  if (rank == wanted_rank && memcmp (dims, wanted, rank * sizeof *dims) == 0)
    return TRUE;

  wanted_rank = assay_port_dims (port, port->streaming_dim, 1, wanted);
  is = shape_text (rank, dims, -1);
  expected = shape_text (wanted_rank, wanted, port->streaming_dim);
  g_set_error (error, ASSAY_ERROR, ASSAY_ERROR_INVALID, "%s: shape %s, input %s takes %s", path, is, port->name,
               expected);

  return FALSE;
}

static float *
tensor_floats (AssayTensor  *tensor,
               GError      **error)
{
  gsize n = assay_tensor_get_n_elements (tensor);
  g_autofree float *values = g_try_new (float, MAX (n, 1));

  if (values == NULL)
    {
      g_set_error_literal (error, ASSAY_ERROR, ASSAY_ERROR_INVALID, "too large for the memory");
      return NULL;
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

/* Which input a `NAME=FILE` is for. */
static gboolean
find_input (const AssayModelEntry *entry,
            const char            *option,
            guint                 *index,
            const char           **path,
            GError               **error)
{
  g_autoptr (GString) names = g_string_new (NULL);

  for (guint i = 0; i < entry->n_inputs; i++)
    {
      gsize length = strlen (entry->inputs[i].name);

      if (strncmp (option, entry->inputs[i].name, length) == 0 && option[length] == '=')
        {
          *index = i;
          *path = option + length + 1;
          return TRUE;
        }
      g_string_append_printf (names, "%s%s", i > 0 ? ", " : "", entry->inputs[i].name);
    }

  g_set_error (error, ASSAY_ERROR, ASSAY_ERROR_INVALID, "--input %s: expected NAME=FILE with one of the inputs %s",
               option,
               names->str);
  return FALSE;
}

static gboolean
load_file (AssayRunInputs         *self,
           const AssayModelEntry  *entry,
           const char             *option,
           gint64                  wanted_steps,
           GError                **error)
{
  g_autoptr (AssayTensor) tensor = NULL;
  const AssayPort *port;
  const char *path;
  gint64 n_steps;
  guint index;

  if (!find_input (entry, option, &index, &path, error))
    return FALSE;
  if (self->values[index] != NULL)
    {
      g_set_error (error, ASSAY_ERROR, ASSAY_ERROR_INVALID, "--input %s: input %s is given twice", option,
                   entry->inputs[index].name);
      return FALSE;
    }

  port = &entry->inputs[index];
  tensor = load_tensor (path, error);
  if (tensor == NULL || !check_shape (port, tensor, path, &n_steps, error))
    return FALSE;

  if (assay_tensor_get_rank (tensor) > port->rank)
    {
      if (self->n_steps != 0 && self->n_steps != n_steps)
        {
          g_set_error (error, ASSAY_ERROR, ASSAY_ERROR_INVALID,
                       "%s: %" G_GINT64_FORMAT " timesteps, another input has %" G_GINT64_FORMAT, path, n_steps,
                       self->n_steps);
          return FALSE;
        }
      if (wanted_steps > n_steps)
        {
          g_set_error (error, ASSAY_ERROR, ASSAY_ERROR_INVALID,
                       "%s: %" G_GINT64_FORMAT " timesteps, --timesteps asks for %" G_GINT64_FORMAT, path, n_steps,
                       wanted_steps);
          return FALSE;
        }
      self->n_steps = n_steps;
      self->axes[index] = port->streaming_dim;
    }

  self->values[index] = tensor_floats (tensor, error);
  if (self->values[index] == NULL)
    g_prefix_error (error, "%s: ", path);

  return self->values[index] != NULL;
}

/* SplitMix64: Steele, Lea and Flood, "Fast Splittable Pseudorandom Number Generators", 2014. */
static guint64
next_random (guint64 *state)
{
  guint64 z = *state += 0x9e3779b97f4a7c15u;

  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;

  return z ^ (z >> 31);
}

static gboolean
fill_random (AssayRunInputs  *self,
             const AssayPort *port,
             guint            index,
             guint64         *state,
             GError         **error)
{
  gsize n;

  self->axes[index] = port->streaming_dim;
  if (!g_size_checked_mul (&n, assay_port_count (port), port->streaming_dim >= 0 ? (gsize) self->n_steps : 1) ||
      (self->values[index] = g_try_new (float, n)) == NULL)
    {
      g_set_error (error, ASSAY_ERROR, ASSAY_ERROR_INVALID, "input %s: too many values for the memory", port->name);
      return FALSE;
    }

  /* Uniform in [-1, 1), with the 24 bits that a float can hold. */
  for (gsize i = 0; i < n; i++)
    self->values[index][i] = (float) (next_random (state) >> 40) / 8388608.0f - 1.0f;

  return TRUE;
}

/**
 * assay_run_inputs_load:
 * @self: (out caller-allocates): the inputs
 * @entry: the model
 * @files: (nullable) (array zero-terminated=1): `NAME=FILE`
 * @random: whether inputs without a file get random values
 * @seed: of the random values
 * @n_steps: timesteps, 0 for as many as the files have
 * @error: return location for a #GError
 *
 * Reads or makes a tensor for every input of a model.
 *
 * Returns: whether every input has its values
 */
gboolean
assay_run_inputs_load (AssayRunInputs         *self,
                       const AssayModelEntry  *entry,
                       char                  **files,
                       gboolean                random,
                       guint64                 seed,
                       gint64                  n_steps,
                       GError                **error)
{
  gboolean streams = FALSE;

  *self = (AssayRunInputs) { .n = entry->n_inputs, .values = g_new0 (float *, entry->n_inputs + 1),
                             .axes = g_new (int, entry->n_inputs + 1) };
  for (guint i = 0; i < entry->n_inputs; i++)
    {
      self->axes[i] = -1;
      streams = streams || entry->inputs[i].streaming_dim >= 0;
    }

  if (n_steps > 1 && !streams)
    {
      g_set_error (error, ASSAY_ERROR, ASSAY_ERROR_INVALID,
                   "--timesteps %" G_GINT64_FORMAT ": model %s does not stream",
                   n_steps, entry->name);
      return FALSE;
    }

  for (guint i = 0; files != NULL && files[i] != NULL; i++)
    {
      if (!load_file (self, entry, files[i], n_steps, error))
        return FALSE;
    }

  /* Layout follows what the tensors hold, even if fewer timesteps are asked for. */
  if (self->n_steps == 0)
    self->n_steps = MAX (1, n_steps);

  for (guint i = 0; i < entry->n_inputs; i++)
    {
      if (self->values[i] != NULL)
        continue;
      if (!random)
        {
          g_set_error (error, ASSAY_ERROR, ASSAY_ERROR_INVALID,
                       "input %s has no value: give --input %s=FILE, or --random SEED", entry->inputs[i].name,
                       entry->inputs[i].name);
          return FALSE;
        }
      if (!fill_random (self, &entry->inputs[i], i, &seed, error))
        return FALSE;
    }

  return TRUE;
}
