/* assay-import-tensor.c
 * SPDX-License-Identifier: Apache-2.0
 */
#include "source/onnx/assay-import-private.h"

#include <string.h>

#include "base/assay-error.h"
#include "base/assay-sentence.h"
#include "source/onnx/assay-tensor-proto.h"

/* The most that a sparse tensor may become, since nothing in the file bounds it. */
#define MAX_DENSE_BYTES ((gsize) 1 << 30)

static GBytes *
load_broken (AssayTensor *tensor, gpointer user_data, GError **error)
{
  g_set_error_literal (error, ASSAY_ERROR, ASSAY_ERROR_IMPORT, user_data);
  return NULL;
}

/* Type and shape are good, the elements are not: everything but reading them still works. */
static AssayTensor *
new_broken (int data_type, gsize rank, const gint64 *dims, const char *message)
{
  if (!assay_dtype_is_known (data_type) || data_type == ASSAY_DTYPE_STRING || rank > ASSAY_MAX_RANK)
    return NULL;

  return assay_tensor_new_lazy ((AssayDType) data_type, (guint) rank, dims, load_broken,
                                g_strdup (message), g_free, NULL);
}

static AssayTensor *
keep (Importer *self, gconstpointer proto, AssayTensor *tensor)
{
  if (tensor != NULL)
    {
      assay_graph_keep_tensor (self->graph, tensor);
      assay_pointer_map_insert (self->tensors, proto, tensor);
    }

  return tensor;
}

/**
 * assay_import_tensor:
 * @self: an importer
 * @proto: a tensor of the file
 * @path: graph path for findings
 * @node: (nullable): name of the node it belongs to
 * @attribute: (nullable): name of the attribute it is
 * @what: what to call it in findings
 *
 * Makes a tensor that the graph keeps; what is wrong with it becomes a finding, and reading its
 * elements fails.
 *
 * Returns: (transfer none) (nullable): the tensor, or %NULL if not even type and shape are good
 */
AssayTensor *
assay_import_tensor (Importer *self, const Assay__Onnx__TensorProto *proto, const char *path,
                     const char *node, const char *attribute, const char *what)
{
  AssayTensor *tensor = assay_pointer_map_lookup (self->tensors, proto);
  g_autoptr (GError) error = NULL;

  if (tensor != NULL)
    return tensor;

  tensor = assay_tensor_from_proto (self->file, proto, &error);
  if (tensor == NULL)
    {
      gboolean external = proto->has_data_location &&
                          proto->data_location ==
                              ASSAY__ONNX__TENSOR_PROTO__DATA_LOCATION__EXTERNAL;
      const AssayWirePayload *place = assay_onnx_file_get_payload (self->file, proto);

      assay_findings_add (self->findings, ASSAY_SEVERITY_ERROR,
                          external ? "import.external-data" : "import.tensor", path, node,
                          attribute, place != NULL ? (gint64) place->offset : -1, "%s: %s", what,
                          error->message);
      tensor = new_broken (proto->data_type, proto->n_dims, proto->dims, error->message);
    }

  return keep (self, proto, tensor);
}

typedef struct
{
  AssayTensor *values;
  AssayTensor *indices;
} Sparse;

static void
sparse_free (gpointer data)
{
  Sparse *self = data;

  assay_tensor_unref (self->values);
  assay_tensor_unref (self->indices);
  g_free (self);
}

/* Flat index of entry @at (ONNX IR specification, SparseTensorProto: linear indices, or one row per
 * entry). */
static gboolean
sparse_position (Sparse *self, AssayTensor *dense, const gint64 *indices, gsize at, gsize *position)
{
  const gint64 *dims = assay_tensor_get_dims (dense);
  guint rank = assay_tensor_get_rank (dense);
  gsize flat = 0;
  gint64 index;

  if (assay_tensor_get_rank (self->indices) == 1)
    {
      memcpy (&index, indices + at, sizeof index);
      *position = (gsize) index;
      return index >= 0 && (gsize) index < assay_tensor_get_n_elements (dense);
    }

  for (guint i = 0; i < rank; i++)
    {
      memcpy (&index, indices + at * rank + i, sizeof index);
      if (index < 0 || index >= dims[i])
        return FALSE;
      flat = flat * (gsize) dims[i] + (gsize) index;
    }

  *position = flat;
  return TRUE;
}

static GBytes *
load_sparse (AssayTensor *tensor, gpointer user_data, GError **error)
{
  Sparse *self = user_data;
  gsize n_bytes = assay_tensor_get_n_bytes (tensor);
  gsize width = assay_dtype_bits (assay_tensor_get_dtype (tensor)) / 8;
  gsize n = assay_tensor_get_n_elements (self->values);
  g_autofree guint8 *dense = NULL;
  const guint8 *values = assay_tensor_get_data (self->values, NULL, error);
  const gint64 *indices = values == NULL && n > 0
                              ? NULL
                              : assay_tensor_get_data (self->indices, NULL, error);

  if (n > 0 && (values == NULL || indices == NULL))
    return NULL;

  dense = n_bytes > MAX_DENSE_BYTES ? NULL : g_try_malloc0 (MAX (n_bytes, 1));
  if (dense == NULL)
    {
      g_set_error (error, ASSAY_ERROR, ASSAY_ERROR_IMPORT,
                   "a sparse tensor of %" G_GSIZE_FORMAT " byte%s is too large to be filled in",
                   n_bytes, assay_plural (n_bytes));
      return NULL;
    }

  for (gsize i = 0; i < n; i++)
    {
      gsize position;

      if (!sparse_position (self, tensor, indices, i, &position))
        {
          g_set_error (error, ASSAY_ERROR, ASSAY_ERROR_IMPORT,
                       "index %" G_GSIZE_FORMAT " of a sparse tensor is outside", i);
          return NULL;
        }
      memcpy (dense + position * width, values + i * width, width);
    }

  return g_bytes_new_take (g_steal_pointer (&dense), n_bytes);
}

static const char *
sparse_problem (AssayTensor *values, AssayTensor *indices,
                const Assay__Onnx__SparseTensorProto *proto)
{
  const gint64 *index_dims = assay_tensor_get_dims (indices);
  AssayDType dtype = assay_tensor_get_dtype (values);
  gsize n = assay_tensor_get_n_elements (values);

  if (assay_tensor_get_rank (values) != 1)
    return "the values of a sparse tensor must have one dimension";
  if (assay_tensor_get_dtype (indices) != ASSAY_DTYPE_I64)
    return "the indices of a sparse tensor must be of type i64";
  if (assay_dtype_bits (dtype) % 8 != 0 || dtype == ASSAY_DTYPE_STRING)
    return "a sparse tensor cannot have this element type";
  if (assay_tensor_get_rank (indices) == 1 && (gsize) index_dims[0] == n)
    return NULL;
  if (assay_tensor_get_rank (indices) == 2 && (gsize) index_dims[0] == n &&
      (gsize) index_dims[1] == proto->n_dims)
    return NULL;

  return "the indices of a sparse tensor do not fit its values";
}

/**
 * assay_import_sparse_tensor:
 * @self: an importer
 * @proto: a sparse tensor of the file
 * @path: graph path for findings
 * @node: (nullable): name of the node it belongs to
 * @attribute: (nullable): name of the attribute it is
 * @what: what to call it in findings
 *
 * Makes the dense tensor that a sparse one stands for; it is filled when someone reads it.
 *
 * Returns: (transfer none) (nullable): the tensor
 */
AssayTensor *
assay_import_sparse_tensor (Importer *self, const Assay__Onnx__SparseTensorProto *proto,
                            const char *path, const char *node, const char *attribute,
                            const char *what)
{
  AssayTensor *tensor = assay_pointer_map_lookup (self->tensors, proto);
  g_autoptr (GError) error = NULL;
  AssayTensor *values;
  AssayTensor *indices;
  const char *problem = "a sparse tensor needs values and indices";
  Sparse *sparse;

  if (tensor != NULL)
    return tensor;

  values = proto->values == NULL
               ? NULL
               : assay_import_tensor (self, proto->values, path, node, attribute, what);
  indices = proto->indices == NULL
                ? NULL
                : assay_import_tensor (self, proto->indices, path, node, attribute, what);

  if (values != NULL && indices != NULL)
    problem = proto->n_dims > ASSAY_MAX_RANK ? "too many dimensions"
                                             : sparse_problem (values, indices, proto);

  if (problem != NULL)
    {
      assay_findings_add (self->findings, ASSAY_SEVERITY_ERROR, "import.tensor", path, node,
                          attribute, -1, "%s: %s", what, problem);
      if (values != NULL)
        tensor = new_broken ((int) assay_tensor_get_dtype (values), proto->n_dims, proto->dims,
                             problem);
      return keep (self, proto, tensor);
    }

  sparse = g_new0 (Sparse, 1);
  sparse->values = assay_tensor_ref (values);
  sparse->indices = assay_tensor_ref (indices);
  tensor = assay_tensor_new_lazy (assay_tensor_get_dtype (values), (guint) proto->n_dims,
                                  proto->dims, load_sparse, sparse, sparse_free, &error);
  if (tensor == NULL)
    assay_findings_add (self->findings, ASSAY_SEVERITY_ERROR, "import.tensor", path, node,
                        attribute, -1, "%s: %s", what, error->message);

  return keep (self, proto, tensor);
}
