/* assay-tensor-file.c
 * SPDX-License-Identifier: Apache-2.0
 */
#include "source/onnx/assay-tensor-file.h"

#include <string.h>

#include "base/assay-error.h"
#include "base/assay-file-map.h"
#include "base/assay-file-write.h"
#include "source/onnx/assay-tensor-proto.h"

/* One value of a test data set: `input_0.pb` holds a TensorProto, SequenceProto, MapProto or
 * OptionalProto, and nothing in the file says which, so the caller does (onnx-data of the ONNX
 * specification). */

static gboolean load_sequence (AssayOnnxFile *file, const Assay__Onnx__SequenceProto *proto,
                               GPtrArray *tensors, GError **error);

static gboolean
load_tensor (AssayOnnxFile *file, const Assay__Onnx__TensorProto *proto, GPtrArray *tensors,
             GError **error)
{
  AssayTensor *tensor = assay_tensor_from_proto (file, proto, error);

  if (tensor == NULL)
    return FALSE;

  g_ptr_array_add (tensors, tensor);
  return TRUE;
}

static AssayTensor *
string_keys (const Assay__Onnx__MapProto *proto)
{
  g_autoptr (GPtrArray) strings = g_ptr_array_new_with_free_func ((GDestroyNotify) g_bytes_unref);
  gint64 n = (gint64) proto->n_string_keys;

  for (gsize i = 0; i < proto->n_string_keys; i++)
    g_ptr_array_add (strings, g_bytes_new (proto->string_keys[i].data, proto->string_keys[i].len));

  return assay_tensor_new_strings (1, &n, strings, NULL);
}

static gboolean
load_map (AssayOnnxFile *file, const Assay__Onnx__MapProto *proto, GPtrArray *tensors,
          GError **error)
{
  gint64 n = (gint64) proto->n_keys;

  g_ptr_array_add (tensors, proto->n_string_keys > 0 ? string_keys (proto)
                                                     : assay_tensor_new_i64 (1, &n, proto->keys));

  return proto->values == NULL || load_sequence (file, proto->values, tensors, error);
}

static gboolean
load_optional (AssayOnnxFile *file, const Assay__Onnx__OptionalProto *proto, GPtrArray *tensors,
               GError **error)
{
  if (proto->tensor_value != NULL)
    return load_tensor (file, proto->tensor_value, tensors, error);
  if (proto->sequence_value != NULL)
    return load_sequence (file, proto->sequence_value, tensors, error);
  if (proto->map_value != NULL)
    return load_map (file, proto->map_value, tensors, error);
  if (proto->optional_value != NULL)
    return load_optional (file, proto->optional_value, tensors, error);

  return TRUE;
}

static gboolean
load_sequence (AssayOnnxFile *file, const Assay__Onnx__SequenceProto *proto, GPtrArray *tensors,
               GError **error)
{
  for (gsize i = 0; i < proto->n_tensor_values; i++)
    {
      if (!load_tensor (file, proto->tensor_values[i], tensors, error))
        return FALSE;
    }

  for (gsize i = 0; i < proto->n_sequence_values; i++)
    {
      if (!load_sequence (file, proto->sequence_values[i], tensors, error))
        return FALSE;
    }

  for (gsize i = 0; i < proto->n_map_values; i++)
    {
      if (!load_map (file, proto->map_values[i], tensors, error))
        return FALSE;
    }

  for (gsize i = 0; i < proto->n_optional_values; i++)
    {
      if (!load_optional (file, proto->optional_values[i], tensors, error))
        return FALSE;
    }

  return TRUE;
}

static gboolean
load_message (AssayOnnxFile *file, AssayTypeKind kind, GPtrArray *tensors, const char **name,
              GError **error)
{
  gconstpointer message = assay_onnx_file_get_message (file);

  switch (kind)
    {
    case ASSAY_TYPE_KIND_SEQUENCE:
      *name = ((const Assay__Onnx__SequenceProto *) message)->name;
      return load_sequence (file, message, tensors, error);
    case ASSAY_TYPE_KIND_OPTIONAL:
      *name = ((const Assay__Onnx__OptionalProto *) message)->name;
      return load_optional (file, message, tensors, error);
    case ASSAY_TYPE_KIND_MAP:
      *name = ((const Assay__Onnx__MapProto *) message)->name;
      return load_map (file, message, tensors, error);
    default:
      *name = ((const Assay__Onnx__TensorProto *) message)->name;
      return load_tensor (file, message, tensors, error);
    }
}

/**
 * assay_tensor_file_load:
 * @path: path of a file with one value, as test data sets have them
 * @kind: what the file holds; unknown means a tensor
 * @name: (out) (optional) (transfer full): where to put the name that the file gives, maybe empty
 * @error: return location for a #GError
 *
 * Reads the tensors of one value: one of a tensor, any number of a sequence, none of an optional
 * that is empty, and of a map first its keys.
 *
 * Returns: (transfer full) (nullable) (element-type AssayTensor): the tensors
 */
GPtrArray *
assay_tensor_file_load (const char *path, AssayTypeKind kind, char **name, GError **error)
{
  static const ProtobufCMessageDescriptor *const descriptors[] = {
    [ASSAY_TYPE_KIND_UNKNOWN] = &assay__onnx__tensor_proto__descriptor,
    [ASSAY_TYPE_KIND_TENSOR] = &assay__onnx__tensor_proto__descriptor,
    [ASSAY_TYPE_KIND_SPARSE_TENSOR] = &assay__onnx__tensor_proto__descriptor,
    [ASSAY_TYPE_KIND_SEQUENCE] = &assay__onnx__sequence_proto__descriptor,
    [ASSAY_TYPE_KIND_OPTIONAL] = &assay__onnx__optional_proto__descriptor,
    [ASSAY_TYPE_KIND_MAP] = &assay__onnx__map_proto__descriptor,
    [ASSAY_TYPE_KIND_OPAQUE] = &assay__onnx__tensor_proto__descriptor,
  };
  g_autoptr (GPtrArray)
      tensors = g_ptr_array_new_with_free_func ((GDestroyNotify) assay_tensor_unref);
  g_autoptr (GBytes) bytes = assay_file_map_new (path, error);
  g_autofree char *folder = g_path_get_dirname (path);
  g_autoptr (AssayOnnxFile) file = NULL;
  const char *stated = NULL;

  if (bytes == NULL)
    return NULL;

  file = assay_onnx_file_new (bytes, folder, descriptors[kind], error);
  if (file == NULL || !load_message (file, kind, tensors, &stated, error))
    {
      g_prefix_error (error, "%s: ", path);
      return NULL;
    }

  if (name != NULL)
    *name = g_strdup (stated != NULL ? stated : "");

  return g_steal_pointer (&tensors);
}

/**
 * assay_tensor_file_save:
 * @path: path of the file
 * @tensor: numbers of whole bytes
 * @name: what it is called
 * @error: return location for a #GError
 *
 * Writes a tensor as a file of a test data set (TensorProto of the ONNX specification).
 *
 * Returns: whether it is written
 */
gboolean
assay_tensor_file_save (const char *path, AssayTensor *tensor, const char *name, GError **error)
{
  Assay__Onnx__TensorProto proto = ASSAY__ONNX__TENSOR_PROTO__INIT;
  AssayDType dtype = assay_tensor_get_dtype (tensor);
  g_autofree guint8 *packed = NULL;
  gsize n_bytes;
  gconstpointer data;
  gsize size;

  if (dtype == ASSAY_DTYPE_STRING || assay_dtype_bits (dtype) < 8)
    {
      g_set_error (error, ASSAY_ERROR, ASSAY_ERROR_UNSUPPORTED,
                   "%s: elements of type %s are not "
                   "written",
                   path, assay_dtype_name (dtype));
      return FALSE;
    }
  data = assay_tensor_get_data (tensor, &n_bytes, error);
  if (data == NULL && n_bytes > 0)
    return FALSE;

  proto.name = (char *) name;
  proto.n_dims = assay_tensor_get_rank (tensor);
  proto.dims = (gint64 *) assay_tensor_get_dims (tensor);
  proto.has_data_type = TRUE;
  proto.data_type = (gint32) dtype;
  proto.has_raw_data = TRUE;
  proto.raw_data = (ProtobufCBinaryData){ n_bytes, (guint8 *) data };
  size = assay__onnx__tensor_proto__get_packed_size (&proto);
  packed = g_malloc (size);
  assay__onnx__tensor_proto__pack (&proto, packed);

  return assay_file_write (path, (const char *) packed, size, error);
}
