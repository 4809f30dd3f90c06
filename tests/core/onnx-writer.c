/* onnx-writer.c
 * SPDX-License-Identifier: Apache-2.0
 */
#include "onnx-writer.h"

#include <string.h>

GByteArray *
wire_new (void)
{
  return g_byte_array_new ();
}

void
wire_varint (GByteArray *self, guint64 value)
{
  do
    {
      guint8 byte = (guint8) ((value & 0x7f) | (value > 0x7f ? 0x80 : 0));

      g_byte_array_append (self, &byte, 1);
      value >>= 7;
    }
  while (value > 0);
}

void
wire_int (GByteArray *self, guint field, gint64 value)
{
  wire_varint (self, field << 3);
  wire_varint (self, (guint64) value);
}

void
wire_float (GByteArray *self, guint field, float value)
{
  wire_varint (self, field << 3 | 5);
  g_byte_array_append (self, (const guint8 *) &value, sizeof value);
}

void
wire_bytes (GByteArray *self, guint field, gconstpointer data, gsize size)
{
  wire_varint (self, field << 3 | 2);
  wire_varint (self, size);
  g_byte_array_append (self, data, (guint) size);
}

void
wire_string (GByteArray *self, guint field, const char *text)
{
  wire_bytes (self, field, text, strlen (text));
}

void
wire_message (GByteArray *self, guint field, GByteArray *child)
{
  wire_bytes (self, field, child->data, child->len);
  g_byte_array_unref (child);
}

static void
write_names (GByteArray *self, guint field, const char *names)
{
  g_auto (GStrv) parts = g_strsplit (names, " ", -1);

  for (guint i = 0; parts[i] != NULL; i++)
    {
      if (parts[i][0] != '\0')
        wire_string (self, field, strcmp (parts[i], "-") == 0 ? "" : parts[i]);
    }
}

GByteArray *
onnx_node (const char *op_type, const char *name, const char *inputs, const char *outputs)
{
  GByteArray *node = wire_new ();

  write_names (node, NODE_INPUT, inputs);
  write_names (node, 2, outputs);
  wire_string (node, 3, name);
  wire_string (node, 4, op_type);

  return node;
}

GByteArray *
onnx_tensor (const char *name, int data_type, guint rank, const gint64 *dims)
{
  GByteArray *tensor = wire_new ();

  for (guint i = 0; i < rank; i++)
    wire_int (tensor, 1, dims[i]);
  wire_int (tensor, 2, data_type);
  wire_string (tensor, TENSOR_NAME, name);

  return tensor;
}

/* Dimensions are separated by commas: numbers, symbols, or `?`. */
GByteArray *
onnx_info (const char *name, int data_type, const char *dims)
{
  GByteArray *info = wire_new ();
  GByteArray *tensor = wire_new ();
  GByteArray *shape = wire_new ();
  GByteArray *type = wire_new ();
  g_auto (GStrv) parts = g_strsplit (dims, ",", -1);

  for (guint i = 0; parts[i] != NULL; i++)
    {
      GByteArray *dim = wire_new ();

      if (g_ascii_isdigit (parts[i][0]))
        wire_int (dim, 1, g_ascii_strtoll (parts[i], NULL, 10));
      else if (strcmp (parts[i], "?") != 0)
        wire_string (dim, 2, parts[i]);
      wire_message (shape, 1, dim);
    }

  wire_int (tensor, 1, data_type);
  wire_message (tensor, 2, shape);
  wire_message (type, 1, tensor);
  wire_string (info, 1, name);
  wire_message (info, 2, type);

  return info;
}

GByteArray *
onnx_model (GByteArray *graph)
{
  GByteArray *model = wire_new ();
  GByteArray *opset = wire_new ();

  wire_int (model, 1, 8);
  wire_int (opset, 2, 17);
  wire_message (model, 8, opset);
  wire_message (model, MODEL_GRAPH, graph);

  return model;
}
