/* assay-external-list.c
 * SPDX-License-Identifier: Apache-2.0
 */
#include "source/onnx/assay-external-data.h"

#include <string.h>

#include "base/assay-file-map.h"
#include "source/onnx/assay-onnx-file.h"

static void
add_location (const Assay__Onnx__TensorProto *tensor, GHashTable *known, GPtrArray *locations)
{
  for (gsize i = 0; i < tensor->n_external_data; i++)
    {
      const Assay__Onnx__StringStringEntryProto *entry = tensor->external_data[i];

      if (g_strcmp0 (entry->key, "location") == 0 && entry->value != NULL &&
          g_hash_table_add (known, entry->value))
        g_ptr_array_add (locations, g_strdup (entry->value));
    }
}

/* Tensors stand in graphs, nodes, functions and in each other: every field that holds messages is
 * looked into. How deep they nest was bounded when the file was scanned. */
static void
walk (const ProtobufCMessage *message, GHashTable *known, GPtrArray *locations)
{
  const ProtobufCMessageDescriptor *descriptor = message->descriptor;

  if (descriptor == &assay__onnx__tensor_proto__descriptor)
    {
      add_location ((const Assay__Onnx__TensorProto *) message, known, locations);
      return;
    }

  for (unsigned i = 0; i < descriptor->n_fields; i++)
    {
      const ProtobufCFieldDescriptor *field = &descriptor->fields[i];
      const char *at = (const char *) message + field->offset;

      if (field->type != PROTOBUF_C_TYPE_MESSAGE)
        continue;
      if (field->label == PROTOBUF_C_LABEL_REPEATED)
        {
          size_t n = *(const size_t *) (gconstpointer) ((const char *) message +
                                                        field->quantifier_offset);
          ProtobufCMessage *const *children = *(
              ProtobufCMessage *const *const *) (gconstpointer) at;

          for (size_t k = 0; k < n; k++)
            walk (children[k], known, locations);
        }
      else if (*(ProtobufCMessage *const *) (gconstpointer) at != NULL)
        walk (*(ProtobufCMessage *const *) (gconstpointer) at, known, locations);
    }
}

/**
 * assay_external_data_list:
 * @path: path of a model
 * @error: return location for a #GError
 *
 * Lists where a model says that its external data is, in the order of the file. The places are as
 * they stand there; assay_external_data_resolve() says which of them are files that may be read.
 *
 * Returns: (transfer full) (nullable) (array zero-terminated=1): locations relative to the folder
 * of the model
 */
char **
assay_external_data_list (const char *path, GError **error)
{
  g_autoptr (GBytes) bytes = assay_file_map_new (path, error);
  g_autoptr (AssayOnnxFile) file = NULL;
  g_autoptr (GHashTable) known = g_hash_table_new (g_str_hash, g_str_equal);
  g_autoptr (GPtrArray) locations = g_ptr_array_new_with_free_func (g_free);

  if (bytes != NULL)
    file = assay_onnx_file_new (bytes, NULL, &assay__onnx__model_proto__descriptor, error);
  if (file == NULL)
    return NULL;

  walk (assay_onnx_file_get_message (file), known, locations);
  g_ptr_array_add (locations, NULL);
  g_ptr_array_set_free_func (locations, NULL);
  return (char **) g_ptr_array_free (g_steal_pointer (&locations), FALSE);
}
