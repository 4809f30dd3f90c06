/* assay-source-file.c
 * SPDX-License-Identifier: Apache-2.0
 */
#include "source/assay-source-file.h"

#include <string.h>

#include "base/assay-error.h"

/* Files that people take for models that can be opened: known, with advice, and not opened. */
static const struct
{
  guint offset;
  const char *magic;
  guint length;
  const char *what;
} foreign[] = {
  { 0, "PK\x03\x04", 4,
    "a zip archive, as PyTorch and TorchScript write them; export it with torch.onnx.export, or "
    "run the code in it with `assay-torch`" },
  { 0, "\x80\x02", 2,
    "a Python pickle, as older PyTorch writes it; load it and export with torch.onnx.export" },
  { 4, "TFL3", 4, "a TensorFlow Lite model; convert it with tflite2onnx or tf2onnx --tflite" },
  { 4, "ORTM", 4, "a model in ONNX Runtime's own ORT format; use the .onnx file it was made from" },
  { 0, "\x89HDF\r\n", 6, "an HDF5 file, as Keras writes it; convert it with tf2onnx --keras" },
  { 0, "GGUF", 4,
    "a GGUF file; it holds weights without a graph, so export the model it was made from" },
  { 0, "\x93NUMPY", 6, "a NumPy array, not a model" },
  { 0, "ML\xefR", 4,
    "MLIR bytecode; print it as text, as torch-mlir-opt FILE -o FILE.mlir does, and open that" },
  { 0, "ir_version", 10, "a model in protobuf text form; save it in binary form with onnx.save" },
  { 0, "<?xml", 5, "an XML file, such as an OpenVINO IR; use the .onnx file it was made from" },
  { 0, "7767517", 7, "an ncnn parameter file; use the .onnx file it was made from" },
  { 0, "version https://git-lfs", 23,
    "a Git LFS pointer; run `git lfs pull` to get the file itself" },
  { 0, "<!DOCTYPE", 9, "a web page; the download went wrong" },
  { 0, "<html", 5, "a web page; the download went wrong" },
};

/**
 * assay_source_check_foreign:
 * @data: (array length=size): a file
 * @size: its size
 * @error: return location for a #GError
 *
 * Refuses files that are known, but are no models that can be opened, with what to do instead.
 *
 * Returns: whether the file may be a model
 */
gboolean
assay_source_check_foreign (const guint8 *data, gsize size, GError **error)
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
