/* assay-onnx-file.c
 * SPDX-License-Identifier: Apache-2.0
 */
#include "source/onnx/assay-onnx-file.h"

#include <string.h>

#include "base/assay-arena.h"
#include "base/assay-error.h"
#include "base/assay-sentence.h"
#include "source/assay-source-file.h"
#include "source/onnx/assay-external-data.h"

struct _AssayOnnxFile
{
  GBytes *bytes;
  char *folder;
  AssayWireScan *scan;
  AssayArena *arena; /* everything that protobuf-c allocates; freed at once */
  ProtobufCMessage *message;
  GHashTable *external; /* location -> GBytes */
};

static void *
arena_alloc (void *arena, size_t size)
{
  return assay_arena_alloc (arena, size);
}

static void
arena_free (void *arena, void *pointer)
{
}

/**
 * assay_onnx_file_new:
 * @bytes: the file
 * @folder: (nullable): where external data lies, or %NULL if there is none
 * @descriptor: what message the file should hold
 * @error: return location for a #GError
 *
 * Scans and unpacks a file of one message.
 *
 * Returns: (transfer full) (nullable): the file
 */
AssayOnnxFile *
assay_onnx_file_new (GBytes *bytes, const char *folder,
                     const ProtobufCMessageDescriptor *descriptor, GError **error)
{
  g_autoptr (AssayOnnxFile) self = g_new0 (AssayOnnxFile, 1);
  ProtobufCAllocator allocator;
  gsize size;
  const guint8 *data = g_bytes_get_data (bytes, &size);

  if (!assay_source_check_foreign (data, size, error))
    return NULL;

  if (size > G_MAXINT32)
    {
      g_set_error (error, ASSAY_ERROR, ASSAY_ERROR_IMPORT,
                   "the file has %" G_GSIZE_FORMAT " byte%s, but protobuf ends at 2 GiB; "
                   "save the model with its weights as external data",
                   size, assay_plural (size));
      return NULL;
    }

  self->bytes = g_bytes_ref (bytes);
  self->folder = g_strdup (folder);
  self->arena = assay_arena_new ();
  self->external = g_hash_table_new_full (g_str_hash, g_str_equal, g_free,
                                          (GDestroyNotify) g_bytes_unref);
  self->scan = assay_wire_scan (data, size, descriptor, error);
  if (self->scan == NULL)
    {
      g_prefix_error_literal (error, "not a whole ONNX file (cut off, damaged, or another format; "
                                     "fetch or export it again): ");
      return NULL;
    }

  allocator = (ProtobufCAllocator){ arena_alloc, arena_free, self->arena };
  self->message = protobuf_c_message_unpack (descriptor, &allocator, self->scan->thin->len,
                                             self->scan->thin->data);
  if (self->message == NULL)
    {
      g_set_error (error, ASSAY_ERROR, ASSAY_ERROR_IMPORT,
                   "not an ONNX file: protobuf refuses it as %s", descriptor->short_name);
      return NULL;
    }

  /* protobuf-c has copied what it needs. */
  g_clear_pointer (&self->scan->thin, g_byte_array_unref);

  return g_steal_pointer (&self);
}

/**
 * assay_onnx_file_free:
 * @self: (transfer full) (nullable): a file
 *
 * Frees the messages; tensors made from them keep the mapping alive on their own.
 */
void
assay_onnx_file_free (AssayOnnxFile *self)
{
  if (self == NULL)
    return;

  g_clear_pointer (&self->scan, assay_wire_scan_free);
  g_clear_pointer (&self->arena, assay_arena_free);
  g_clear_pointer (&self->external, g_hash_table_unref);
  g_clear_pointer (&self->bytes, g_bytes_unref);
  g_free (self->folder);
  g_free (self);
}

/**
 * assay_onnx_file_get_message:
 * @self: a file
 *
 * Gets the message, of the type that was asked for.
 *
 * Returns: (transfer none): the message
 */
const ProtobufCMessage *
assay_onnx_file_get_message (AssayOnnxFile *self)
{
  return self->message;
}

/**
 * assay_onnx_file_get_bytes:
 * @self: a file
 *
 * Gets the whole file, as it was given.
 *
 * Returns: (transfer none): the bytes
 */
GBytes *
assay_onnx_file_get_bytes (AssayOnnxFile *self)
{
  return self->bytes;
}

/**
 * assay_onnx_file_get_payload:
 * @self: a file
 * @tensor: a tensor of it
 *
 * Finds the place of the elements of a tensor.
 *
 * Returns: (transfer none) (nullable): the place, or %NULL if the tensor holds none
 */
const AssayWirePayload *
assay_onnx_file_get_payload (AssayOnnxFile *self, const Assay__Onnx__TensorProto *tensor)
{
  /* No file has the field: the scan leaves it out, and writes it with a place of its own. */
  if (!tensor->has_assay_payload)
    return NULL;

  return &g_array_index (self->scan->payloads, AssayWirePayload, tensor->assay_payload - 1);
}

/**
 * assay_onnx_file_get_external:
 * @self: a file
 * @location: where the model says its data is
 * @error: return location for a #GError
 *
 * Maps a file of external data, once.
 *
 * Returns: (transfer none) (nullable): its bytes
 */
GBytes *
assay_onnx_file_get_external (AssayOnnxFile *self, const char *location, GError **error)
{
  GBytes *bytes = g_hash_table_lookup (self->external, location);

  if (bytes != NULL)
    return bytes;

  if (self->folder == NULL)
    {
      g_set_error (error, ASSAY_ERROR, ASSAY_ERROR_IMPORT,
                   "external data at \"%s\", but the model does not come from a folder", location);
      return NULL;
    }

  bytes = assay_external_data_map (self->folder, location, error);
  if (bytes != NULL)
    g_hash_table_insert (self->external, g_strdup (location), bytes);

  return bytes;
}
