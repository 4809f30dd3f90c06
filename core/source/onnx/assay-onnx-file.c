/* assay-onnx-file.c
 * SPDX-License-Identifier: Apache-2.0
 */
#include "source/onnx/assay-onnx-file.h"

#include <string.h>

#include "base/assay-arena.h"
#include "base/assay-error.h"
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

/* Files that people take for ONNX. */
static const struct
{
  guint offset;
  const char *magic;
  guint length;
  const char *what;
} foreign[] = {
  { 0, "PK\x03\x04", 4,
    "a zip archive, as PyTorch and TorchScript write them; export it with "
    "torch.onnx.export (model, args, \"model.onnx\")" },
  { 0, "\x80\x02", 2,
    "a Python pickle, as older PyTorch writes it; load it and export with torch.onnx.export" },
  { 4, "TFL3", 4, "a TensorFlow Lite model; convert it with tflite2onnx or tf2onnx --tflite" },
  { 4, "ORTM", 4, "a model in ONNX Runtime's own ORT format; use the .onnx file it was made from" },
  { 0, "\x89HDF\r\n", 6, "an HDF5 file, as Keras writes it; convert it with tf2onnx --keras" },
  { 0, "GGUF", 4,
    "a GGUF file; it holds weights without a graph, so export the model it was made from" },
  { 0, "\x93NUMPY", 6, "a NumPy array, not a model" },
  { 0, "ML\xefR", 4, "MLIR bytecode; export the model to ONNX instead" },
  { 0, "module ", 7, "MLIR text; export the model to ONNX instead" },
  { 0, "ir_version", 10, "a model in protobuf text form; save it in binary form with onnx.save" },
  { 0, "<?xml", 5, "an XML file, such as an OpenVINO IR; use the .onnx file it was made from" },
  { 0, "7767517", 7, "an ncnn parameter file; use the .onnx file it was made from" },
  { 0, "version https://git-lfs", 23,
    "a Git LFS pointer; run `git lfs pull` to get the file itself" },
  { 0, "<!DOCTYPE", 9, "a web page; the download went wrong" },
  { 0, "<html", 5, "a web page; the download went wrong" },
};

static gboolean
check_foreign (const guint8 *data, gsize size, GError **error)
{
  for (guint i = 0; i < G_N_ELEMENTS (foreign); i++)
    {
      if (size >= foreign[i].offset + foreign[i].length &&
          memcmp (data + foreign[i].offset, foreign[i].magic, foreign[i].length) == 0)
        {
          g_set_error (error, ASSAY_ERROR, ASSAY_ERROR_IMPORT, "not an ONNX file: this is %s",
                       foreign[i].what);
          return FALSE;
        }
    }

  /* safetensors: the length of a JSON header, then the header. */
  if (size > 10 && data[8] == '{' && data[9] == '"' && data[5] == 0 && data[6] == 0 && data[7] == 0)
    {
      g_set_error_literal (
          error, ASSAY_ERROR, ASSAY_ERROR_IMPORT,
          "not an ONNX file: this is a safetensors file; it holds weights without a graph, "
          "so export the model it belongs to with torch.onnx.export");
      return FALSE;
    }

  return TRUE;
}

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
 * assay_onnx_file_map:
 * @path: path of a file
 * @error: return location for a #GError
 *
 * Maps a file without reading it.
 *
 * Returns: (transfer full) (nullable): its bytes
 */
GBytes *
assay_onnx_file_map (const char *path, GError **error)
{
  g_autoptr (GError) local = NULL;
  g_autoptr (GMappedFile) mapped = NULL;

  if (g_file_test (path, G_FILE_TEST_IS_DIR))
    {
      g_set_error (error, ASSAY_ERROR, ASSAY_ERROR_IO, "%s: is a folder, not a file", path);
      return NULL;
    }

  mapped = g_mapped_file_new (path, FALSE, &local);
  if (mapped == NULL)
    {
      g_set_error (error, ASSAY_ERROR, ASSAY_ERROR_IO, "%s", local->message);
      return NULL;
    }

  return g_mapped_file_get_bytes (mapped);
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

  if (!check_foreign (data, size, error))
    return NULL;

  if (size > G_MAXINT32)
    {
      g_set_error (error, ASSAY_ERROR, ASSAY_ERROR_IMPORT,
                   "the file has %" G_GSIZE_FORMAT " bytes, but protobuf ends at 2 GiB; "
                   "save the model with its weights as external data",
                   size);
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
  if (!tensor->has_assay_payload || tensor->assay_payload == 0 ||
      tensor->assay_payload > self->scan->payloads->len)
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
