/* fuzz-wire-scan.c
 * SPDX-License-Identifier: Apache-2.0
 */
#include <glib.h>

#include "onnx.pb-c.h"
#include "source/onnx/assay-wire-scan.h"

#include "fuzz.h"

/* Whatever the scan accepts, protobuf-c must be able to unpack, and every payload lies inside the
 * file. */
FUZZ_TARGET (wire_scan)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (AssayWireScan)
      scan = assay_wire_scan (data, size, &assay__onnx__model_proto__descriptor, &error);
  Assay__Onnx__ModelProto *model;

  g_assert ((scan == NULL) == (error != NULL));
  if (scan == NULL)
    return 0;
  fuzz_n_taken++;

  for (guint i = 0; i < scan->payloads->len; i++)
    {
      const AssayWirePayload *payload = &g_array_index (scan->payloads, AssayWirePayload, i);

      g_assert (payload->offset <= size && payload->length <= size - payload->offset);
    }

  model = assay__onnx__model_proto__unpack (NULL, scan->thin->len, scan->thin->data);
  g_assert (model != NULL);
  assay__onnx__model_proto__free_unpacked (model, NULL);

  return 0;
}
