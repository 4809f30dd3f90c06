/* fuzz-tensor-proto.c
 * SPDX-License-Identifier: Apache-2.0
 */
#include "onnx.pb-c.h"
#include "source/onnx/assay-onnx-file.h"
#include "source/onnx/assay-tensor-proto.h"

#include "fuzz.h"

/* Test data of others: a tensor in a file of its own has the bytes that its shape says, or an
 * error. */
FUZZ_TARGET (tensor_proto)
{
  g_autoptr (GBytes) bytes = g_bytes_new_static (data, size);
  g_autoptr (GError) error = NULL;
  g_autoptr (AssayOnnxFile)
      file = assay_onnx_file_new (bytes, NULL, &assay__onnx__tensor_proto__descriptor, &error);
  g_autoptr (AssayTensor) tensor = NULL;
  gsize n = 0;

  g_assert ((file == NULL) == (error != NULL));
  if (file == NULL)
    return 0;

  tensor = assay_tensor_from_proto (
      file, (const Assay__Onnx__TensorProto *) assay_onnx_file_get_message (file), &error);
  g_assert ((tensor == NULL) == (error != NULL));
  fuzz_n_taken += tensor != NULL;
  if (tensor == NULL || assay_tensor_get_dtype (tensor) == ASSAY_DTYPE_STRING)
    return 0;

  if (assay_tensor_get_data (tensor, &n, &error) != NULL)
    g_assert (n == assay_tensor_get_n_bytes (tensor));

  return 0;
}
