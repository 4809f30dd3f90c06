/* onnx-writer.h
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

/* Writes ONNX messages field by field, so that a test can also write what no library would.
 * Functions that take a message by name `child` or `message` consume it. */

GByteArray *wire_new (void);
void wire_varint (GByteArray *self, guint64 value);
void wire_int (GByteArray *self, guint field, gint64 value);
void wire_float (GByteArray *self, guint field, float value);
void wire_bytes (GByteArray *self, guint field, gconstpointer data, gsize size);
void wire_string (GByteArray *self, guint field, const char *text);
void wire_message (GByteArray *self, guint field, GByteArray *child);

/* Inputs and outputs are separated by spaces, `-` is an omitted one. */
GByteArray *onnx_node (const char *op_type, const char *name, const char *inputs,
                       const char *outputs);
GByteArray *onnx_tensor (const char *name, int data_type, guint rank, const gint64 *dims);
GByteArray *onnx_info (const char *name, int data_type, const char *dims);
GByteArray *onnx_model (GByteArray *graph);

/* Field numbers of the ONNX IR specification that tests use. */
enum
{
  GRAPH_NODE = 1,
  GRAPH_INITIALIZER = 5,
  GRAPH_INPUT = 11,
  GRAPH_OUTPUT = 12,
  GRAPH_VALUE_INFO = 13,
  GRAPH_SPARSE_INITIALIZER = 15,
  NODE_INPUT = 1,
  NODE_ATTRIBUTE = 5,
  NODE_DOMAIN = 7,
  NODE_METADATA = 9,
  ATTRIBUTE_NAME = 1,
  ATTRIBUTE_F = 2,
  ATTRIBUTE_I = 3,
  ATTRIBUTE_S = 4,
  ATTRIBUTE_T = 5,
  ATTRIBUTE_G = 6,
  ATTRIBUTE_INTS = 8,
  ATTRIBUTE_TYPE = 20,
  ATTRIBUTE_REF = 21,
  TENSOR_FLOAT_DATA = 4,
  TENSOR_INT32_DATA = 5,
  TENSOR_STRING_DATA = 6,
  TENSOR_INT64_DATA = 7,
  TENSOR_NAME = 8,
  TENSOR_RAW_DATA = 9,
  TENSOR_DOUBLE_DATA = 10,
  TENSOR_UINT64_DATA = 11,
  TENSOR_EXTERNAL_DATA = 13,
  TENSOR_DATA_LOCATION = 14,
  MODEL_GRAPH = 7,
  MODEL_FUNCTIONS = 25,
  FUNCTION_NAME = 1,
  FUNCTION_INPUT = 4,
  FUNCTION_OUTPUT = 5,
  FUNCTION_ATTRIBUTE = 6,
  FUNCTION_NODE = 7,
  FUNCTION_OPSET_IMPORT = 9,
  FUNCTION_DOMAIN = 10,
  FUNCTION_ATTRIBUTE_PROTO = 11,
};

G_END_DECLS
