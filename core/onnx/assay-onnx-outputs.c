/* assay-onnx-outputs.c
 * SPDX-License-Identifier: Apache-2.0
 */
#include "onnx/assay-onnx-outputs.h"

#include <string.h>

/* Field numbers of onnx.proto, each of which holds a message or a string. */
#define MODEL_GRAPH 7
#define GRAPH_OUTPUT 12
#define VALUE_INFO_NAME 1

static void
append_varint (GByteArray *bytes,
               gsize       value)
{
  do
    {
      guint8 byte = (guint8) (value & 0x7f);

      value >>= 7;
      if (value != 0)
        byte |= 0x80;
      g_byte_array_append (bytes, &byte, 1);
    }
  while (value != 0);
}

static void
append_field (GByteArray    *bytes,
              guint          number,
              gconstpointer  data,
              gsize          length)
{
  append_varint (bytes, number << 3 | 2);
  append_varint (bytes, length);
  g_byte_array_append (bytes, data, (guint) length);
}

/**
 * assay_onnx_add_outputs:
 * @model: a serialized ONNX model
 * @names: (array length=n_names): values of its main graph
 * @n_names: number of entries
 *
 * Makes a model that gives values between as outputs too, behind its own. Nothing is parsed: a message may be cut into
 * pieces that a reader merges (Protocol Buffers, "Encoding", "Last One Wins"), so one more piece of the graph does it.
 *
 * Returns: (transfer full): the model
 */
GBytes *
assay_onnx_add_outputs (GBytes            *model,
                        const char *const *names,
                        gsize              n_names)
{
  g_autoptr (GByteArray) graph = g_byte_array_new ();
  g_autoptr (GByteArray) piece = g_byte_array_new ();
  gsize size;
  gconstpointer data = g_bytes_get_data (model, &size);
  guint8 *whole;

  for (gsize i = 0; i < n_names; i++)
    {
      g_autoptr (GByteArray) info = g_byte_array_new ();

      append_field (info, VALUE_INFO_NAME, names[i], strlen (names[i]));
      append_field (graph, GRAPH_OUTPUT, info->data, info->len);
    }
  append_field (piece, MODEL_GRAPH, graph->data, graph->len);

  whole = g_malloc (size + piece->len);
  memcpy (whole, data, size);
  memcpy (whole + size, piece->data, piece->len);

  return g_bytes_new_take (whole, size + piece->len);
}
