/* assay-onnx-outputs.c
 * SPDX-License-Identifier: Apache-2.0
 */
#include "source/onnx/assay-onnx-outputs.h"

#include <string.h>

#include "source/onnx/assay-onnx-fields.h"
#include "source/onnx/assay-wire-message.h"
#include "source/onnx/assay-wire.h"

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

/* Adds the results of what @message holds: of nodes and graphs on the way down @path. */
static void
add_results (const guint8 *data, gsize offset, gsize end, const guint32 *path, GHashTable *names)
{
  AssayWireField field;

  for (; offset < end; offset = field.content + field.length)
    {
      if (assay_wire_next (data, end, offset, &field) != NULL)
        return;
      if (field.number != path[0] || field.type != ASSAY_WIRE_BYTES)
        continue;
      if (path[1] != 0)
        add_results (data, field.content, field.content + field.length, path + 1, names);
      else if (field.length > 0)
        g_hash_table_add (names, g_strndup ((const char *) data + field.content, field.length));
    }
}

/**
 * assay_onnx_list_results:
 * @model: a serialized ONNX model
 *
 * Lists what the nodes of the main graph are said to make in the file, which is not all that there
 * is once functions and operators of other domains were written out.
 *
 * Returns: (transfer full) (element-type utf8): set of names
 */
GHashTable *
assay_onnx_list_results (GBytes *model)
{
  static const guint32 path[] = { MODEL_GRAPH, GRAPH_NODE, NODE_OUTPUT, 0 };
  GHashTable *names = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);
  gsize size;
  const guint8 *data = g_bytes_get_data (model, &size);

  add_results (data, 0, size, path, names);

  return names;
}
