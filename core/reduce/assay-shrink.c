/* assay-shrink.c
 * SPDX-License-Identifier: Apache-2.0
 *
 * Models with smaller inputs, and inputs that are plainer.
 */
#include "reduce/assay-shrink.h"

#include <string.h>

#include "nnir/shape/assay-infer.h"
#include "source/assay-bind-shapes.h"

/**
 * assay_reduce_inputs_new: (skip)
 *
 * Makes a table of values of inputs, by name.
 *
 * Returns: (transfer full) (element-type utf8 AssayTensor): the table
 */
GHashTable *
assay_reduce_inputs_new (void)
{
  return g_hash_table_new_full (g_str_hash, g_str_equal, g_free,
                                (GDestroyNotify) assay_tensor_unref);
}

/**
 * assay_reduce_inputs_copy: (skip)
 * @inputs: (element-type utf8 AssayTensor): a table
 *
 * Copies a table of values of inputs; tensors are shared.
 *
 * Returns: (transfer full) (element-type utf8 AssayTensor): the copy
 */
GHashTable *
assay_reduce_inputs_copy (GHashTable *inputs)
{
  GHashTable *copy = assay_reduce_inputs_new ();
  GHashTableIter iter;
  gpointer name, tensor;

  g_hash_table_iter_init (&iter, inputs);
  while (g_hash_table_iter_next (&iter, &name, &tensor))
    g_hash_table_insert (copy, g_strdup (name), assay_tensor_ref (tensor));

  return copy;
}

/**
 * assay_tensor_take:
 * @self: a tensor of whole bytes per element
 * @axis: an axis of it
 * @n: not more than there are along @axis
 * @error: return location for a #GError
 *
 * Takes the first elements along an axis.
 *
 * Returns: (transfer full) (nullable): the tensor, or %NULL if the elements cannot be read
 */
AssayTensor *
assay_tensor_take (AssayTensor *self, guint axis, gint64 n, GError **error)
{
  const gint64 *dims = assay_tensor_get_dims (self);
  guint rank = assay_tensor_get_rank (self);
  gint64 taken[ASSAY_MAX_RANK] = { 0 };
  gsize n_bytes, n_rows = 1, row, part;
  const guint8 *data = assay_tensor_get_data (self, &n_bytes, error);
  g_autoptr (GBytes) bytes = NULL;
  guint8 *to;

  if (data == NULL)
    return NULL;
  for (guint i = 0; i < rank; i++)
    taken[i] = i == axis ? n : dims[i];
  for (guint i = 0; i < axis; i++)
    n_rows *= (gsize) dims[i];
  row = n_rows > 0 ? n_bytes / n_rows : 0;
  part = row / (gsize) MAX (dims[axis], 1) * (gsize) n;
  to = g_malloc (n_rows * part);
  for (gsize i = 0; i < n_rows && part > 0; i++)
    memcpy (to + i * part, data + i * row, part);
  bytes = g_bytes_new_take (to, n_rows * part);

  return assay_tensor_new (assay_tensor_get_dtype (self), rank, taken, bytes, error);
}

/**
 * assay_tensor_dup_zeros:
 * @self: a tensor
 *
 * Makes a tensor of the same type and shape that is all zeros.
 *
 * Returns: (transfer full) (nullable): the tensor, or %NULL if it is so, or of strings
 */
AssayTensor *
assay_tensor_dup_zeros (AssayTensor *self)
{
  gsize n_bytes;
  const guint8 *data = assay_tensor_get_dtype (self) != ASSAY_DTYPE_STRING
                           ? assay_tensor_get_data (self, &n_bytes, NULL)
                           : NULL;
  g_autoptr (GBytes) bytes = NULL;

  if (data == NULL || n_bytes == 0 || (data[0] == 0 && memcmp (data, data + 1, n_bytes - 1) == 0))
    return NULL;
  bytes = g_bytes_new_take (g_malloc0 (n_bytes), n_bytes);

  return assay_tensor_new (assay_tensor_get_dtype (self), assay_tensor_get_rank (self),
                           assay_tensor_get_dims (self), bytes, NULL);
}

/* Whether elements of a tensor can be taken apart by their bytes. */
static gboolean
can_take (AssayTensor *tensor)
{
  return assay_tensor_get_dtype (tensor) != ASSAY_DTYPE_STRING &&
         assay_dtype_bits (assay_tensor_get_dtype (tensor)) % 8 == 0;
}

/* Adds the binding of one axis of an input, and the part of its value. */
static gboolean
take_axis (GHashTable *inputs, const char *name, guint axis, gint64 wanted, GPtrArray *bindings,
           GHashTable *shrunk)
{
  AssayTensor *tensor = g_hash_table_lookup (shrunk, name);
  AssayTensor *part;

  g_ptr_array_add (bindings, g_strdup_printf ("%s:%u=%" G_GINT64_FORMAT, name, axis, wanted));
  if (tensor == NULL)
    tensor = g_hash_table_lookup (inputs, name);
  if (tensor == NULL)
    return TRUE;
  if (axis >= assay_tensor_get_rank (tensor) || assay_tensor_get_dims (tensor)[axis] < wanted ||
      !can_take (tensor))
    return FALSE;
  part = assay_tensor_take (tensor, axis, wanted, NULL);
  if (part != NULL)
    g_hash_table_replace (shrunk, g_strdup (name), part);

  return part != NULL;
}

/**
 * assay_graph_shrink: (skip)
 * @graph: a graph
 * @inputs: (element-type utf8 AssayTensor): values of its inputs, as far as there are some
 * @only: the input of which one axis is meant, or %ASSAY_NO_VALUE for every axis of every input
 * that has @size
 * @axis: that axis
 * @size: how much there is along it
 * @wanted: how much there shall be
 * @shrunk: (element-type utf8 AssayTensor): gets the values of the inputs of the new graph
 * @progress: (nullable): cancel
 *
 * Makes the same model for smaller inputs.
 *
 * Returns: (transfer full) (nullable): the graph, or %NULL if it cannot have such inputs
 */
AssayGraph *
assay_graph_shrink (AssayGraph *graph, GHashTable *inputs, AssayValueId only, guint axis,
                    gint64 size, gint64 wanted, GHashTable *shrunk, const AssayProgress *progress)
{
  g_autoptr (AssayGraph) copy = assay_graph_copy (graph);
  const GArray *ids = assay_graph_region (graph, ASSAY_MAIN_REGION)->inputs;
  g_autoptr (GPtrArray) bindings = g_ptr_array_new_with_free_func (g_free);
  g_autoptr (AssayFindings) findings = assay_findings_new ();
  GHashTableIter iter;
  gpointer name, tensor;

  for (guint i = 0; i < ids->len; i++)
    {
      AssayValueId id = g_array_index (ids, AssayValueId, i);
      const AssayValue *value = assay_graph_value (graph, id);

      if (only != ASSAY_NO_VALUE && id != only)
        continue;
      for (int j = 0; j < value->type->rank; j++)
        if ((only == ASSAY_NO_VALUE ? value->type->dims[j].size == size : (guint) j == axis) &&
            !take_axis (inputs, value->name, (guint) j, wanted, bindings, shrunk))
          return NULL;
    }
  g_ptr_array_add (bindings, NULL);
  g_hash_table_iter_init (&iter, inputs);
  while (g_hash_table_iter_next (&iter, &name, &tensor))
    if (!g_hash_table_contains (shrunk, name))
      g_hash_table_insert (shrunk, g_strdup (name), assay_tensor_ref (tensor));

  /* Sizes that contradict one another are a fault of ours, not one of the model. */
  return assay_graph_bind_shapes (copy, NULL, (const char *const *) bindings->pdata, NULL) &&
                 assay_graph_infer (copy, findings, progress, NULL) &&
                 assay_findings_count_at (findings, ASSAY_SEVERITY_ERROR) == 0
             ? g_steal_pointer (&copy)
             : NULL;
}
