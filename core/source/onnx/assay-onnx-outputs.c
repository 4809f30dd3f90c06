/* assay-onnx-outputs.c
 * SPDX-License-Identifier: Apache-2.0
 */
#include "source/onnx/assay-onnx-outputs.h"

#include <string.h>

#include "source/onnx/assay-onnx-fields.h"
#include "source/onnx/assay-wire-message.h"

/**
 * assay_onnx_add_outputs:
 * @model: a serialized ONNX model
 * @names: (array length=n_names): values of its main graph
 * @n_names: number of entries
 *
 * Makes a model that gives values between as outputs too, behind its own. Nothing is parsed: a
 * message may be cut into pieces that a reader merges (Protocol Buffers, "Encoding", "Last One
 * Wins"), so one more piece of the graph does it.
 *
 * Returns: (transfer full): the model
 */
GBytes *
assay_onnx_add_outputs (GBytes *model, const char *const *names, gsize n_names)
{
  AssayWireMessage *graph = assay_wire_message_new ();
  g_autoptr (AssayWireMessage) piece = assay_wire_message_new ();
  gsize size;
  gconstpointer data = g_bytes_get_data (model, &size);
  guint8 *whole;

  for (gsize i = 0; i < n_names; i++)
    {
      AssayWireMessage *info = assay_wire_message_new ();

      assay_wire_message_add_string (info, VALUE_INFO_NAME, names[i]);
      assay_wire_message_add_message (graph, GRAPH_OUTPUT, info);
    }
  assay_wire_message_add_message (piece, MODEL_GRAPH, graph);

  whole = g_malloc (size + piece->bytes->len);
  memcpy (whole, data, size);
  memcpy (whole + size, piece->bytes->data, piece->bytes->len);

  return g_bytes_new_take (whole, size + piece->bytes->len);
}
