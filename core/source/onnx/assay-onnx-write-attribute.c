/* assay-onnx-write-attribute.c
 * SPDX-License-Identifier: Apache-2.0
 */
#include "source/onnx/assay-onnx-write-private.h"

#include <string.h>

#include "base/assay-error.h"
#include "onnx.pb-c.h"
#include "source/onnx/assay-onnx-fields.h"

/* Smaller weights stay in the model: each one beside it costs a page. */
#define MIN_BESIDE_BYTES 4096

/* Where weights begin in a file that may be mapped (ONNX IR specification, "External Tensor Data").
 */
#define BESIDE_ALIGNMENT 4096

/**
 * assay_onnx_write_entry:
 * @message: a message
 * @field: a list of entries
 * @key: key of an entry
 * @value: its value
 *
 * Adds an entry to a list of keys and values.
 */
void
assay_onnx_write_entry (AssayWireMessage *message, guint field, const char *key, const char *value)
{
  AssayWireMessage *entry = assay_wire_message_new ();

  assay_wire_message_add_string (entry, ENTRY_KEY, key);
  assay_wire_message_add_string (entry, ENTRY_VALUE, value);
  assay_wire_message_add_message (message, field, entry);
}

static void
write_beside (OnnxWriter *self, AssayWireMessage *message, AssayTensor *tensor)
{
  gsize offset = (self->beside_size + BESIDE_ALIGNMENT - 1) / BESIDE_ALIGNMENT * BESIDE_ALIGNMENT;
  AssayWireHole hole = { offset, tensor, assay_tensor_get_n_bytes (tensor) };
  g_autofree char *offset_text = g_strdup_printf ("%" G_GSIZE_FORMAT, hole.at);
  g_autofree char *length_text = g_strdup_printf ("%" G_GSIZE_FORMAT, hole.n_bytes);

  assay_onnx_write_entry (message, TENSOR_EXTERNAL_DATA, "location", self->location);
  assay_onnx_write_entry (message, TENSOR_EXTERNAL_DATA, "offset", offset_text);
  assay_onnx_write_entry (message, TENSOR_EXTERNAL_DATA, "length", length_text);
  assay_wire_message_add_int (message, TENSOR_DATA_LOCATION,
                              ASSAY__ONNX__TENSOR_PROTO__DATA_LOCATION__EXTERNAL);
  g_array_append_val (self->beside, hole);
  self->beside_size = hole.at + hole.n_bytes;
}

static void
write_tensor_head (AssayWireMessage *message, AssayTensor *tensor, const char *name)
{
  for (guint i = 0; i < assay_tensor_get_rank (tensor); i++)
    assay_wire_message_add_int (message, TENSOR_DIMS, assay_tensor_get_dims (tensor)[i]);
  assay_wire_message_add_int (message, TENSOR_DATA_TYPE, assay_tensor_get_dtype (tensor));
  if (name != NULL)
    assay_wire_message_add_string (message, TENSOR_NAME, name);
}

static void
write_strings (AssayWireMessage *message, AssayTensor *tensor)
{
  const GPtrArray *strings = assay_tensor_get_strings (tensor);

  for (guint i = 0; strings != NULL && i < strings->len; i++)
    {
      gsize length;
      gconstpointer data = g_bytes_get_data (g_ptr_array_index (strings, i), &length);

      assay_wire_message_add_bytes (message, TENSOR_STRING_DATA, data, length);
    }
}

/**
 * assay_onnx_write_tensor:
 * @self: a writer
 * @tensor: a tensor
 * @name: (nullable): name of an initializer, or %NULL for what stands in an attribute
 *
 * Makes the TensorProto of a tensor; its elements are left where they are until the file is
 * written.
 *
 * Returns: (transfer full): the message
 */
AssayWireMessage *
assay_onnx_write_tensor (OnnxWriter *self, AssayTensor *tensor, const char *name)
{
  AssayWireMessage *message = assay_wire_message_new ();

  write_tensor_head (message, tensor, name);
  if (assay_tensor_get_dtype (tensor) == ASSAY_DTYPE_STRING)
    write_strings (message, tensor);
  else if (self->location != NULL && name != NULL &&
           assay_tensor_get_n_bytes (tensor) >= MIN_BESIDE_BYTES)
    write_beside (self, message, tensor);
  else if (assay_tensor_get_n_bytes (tensor) > 0)
    assay_wire_message_add_tensor (message, TENSOR_RAW_DATA, tensor);

  return message;
}

/* A sparse attribute is a dense tensor in NNIR: what is not zero, bit by bit, goes back into the
 * file. */
static AssayWireMessage *
write_sparse_tensor (AssayTensor *tensor, GError **error)
{
  gsize n_bytes;
  const guint8 *data = assay_tensor_get_data (tensor, &n_bytes, error);
  gsize width = assay_dtype_bits (assay_tensor_get_dtype (tensor)) / 8;
  g_autoptr (GByteArray) values = g_byte_array_new ();
  g_autoptr (GArray) indices = g_array_new (FALSE, FALSE, sizeof (gint64));
  AssayWireMessage *message;
  AssayWireMessage *part;

  if (data == NULL && assay_tensor_get_n_elements (tensor) > 0)
    return NULL;

  for (gint64 i = 0; i < (gint64) assay_tensor_get_n_elements (tensor); i++)
    {
      const guint8 *element = data + (gsize) i * width;
      gboolean zero = TRUE;

      for (gsize j = 0; j < width; j++)
        zero = zero && element[j] == 0;
      if (zero)
        continue;
      g_byte_array_append (values, element, (guint) width);
      g_array_append_val (indices, i);
    }

  message = assay_wire_message_new ();
  part = assay_wire_message_new ();
  assay_wire_message_add_int (part, TENSOR_DIMS, indices->len);
  assay_wire_message_add_int (part, TENSOR_DATA_TYPE, assay_tensor_get_dtype (tensor));
  assay_wire_message_add_bytes (part, TENSOR_RAW_DATA, values->data, values->len);
  assay_wire_message_add_message (message, SPARSE_VALUES, part);

  part = assay_wire_message_new ();
  assay_wire_message_add_int (part, TENSOR_DIMS, indices->len);
  assay_wire_message_add_int (part, TENSOR_DATA_TYPE, ASSAY_DTYPE_I64);
  assay_wire_message_add_bytes (part, TENSOR_RAW_DATA, indices->data,
                                indices->len * sizeof (gint64));
  assay_wire_message_add_message (message, SPARSE_INDICES, part);

  for (guint i = 0; i < assay_tensor_get_rank (tensor); i++)
    assay_wire_message_add_int (message, SPARSE_DIMS, assay_tensor_get_dims (tensor)[i]);

  return message;
}

/* Appends the entries of an attribute; returns FALSE if a graph or tensor cannot be written. */
static gboolean
write_entries (OnnxWriter *self, AssayWireMessage *message, const AssayAttr *attr, GError **error)
{
  for (guint i = 0; i < attr->n; i++)
    {
      AssayWireMessage *graph;

      switch (attr->kind)
        {
        case ASSAY_ATTR_INTS:
          assay_wire_message_add_int (message, ATTRIBUTE_INTS, attr->u.ints[i]);
          break;
        case ASSAY_ATTR_FLOATS:
          assay_wire_message_add_float (message, ATTRIBUTE_FLOATS, (float) attr->u.floats[i]);
          break;
        case ASSAY_ATTR_STRINGS:
          assay_wire_message_add_string (message, ATTRIBUTE_STRINGS, attr->u.strings[i]);
          break;
        case ASSAY_ATTR_TENSORS:
          assay_wire_message_add_message (message, ATTRIBUTE_TENSORS,
                                          assay_onnx_write_tensor (self, attr->u.tensors[i], NULL));
          break;
        case ASSAY_ATTR_TYPES:
          assay_wire_message_add_message (message, ATTRIBUTE_TYPE_PROTOS,
                                          assay_onnx_write_type (self, attr->u.types[i]));
          break;
        default:
          graph = assay_onnx_write_graph (self, attr->u.regions[i], error);
          if (graph == NULL)
            return FALSE;
          assay_wire_message_add_message (message, ATTRIBUTE_GRAPHS, graph);
          break;
        }
    }

  return TRUE;
}

static gboolean
is_sparse (const AssayNode *node, const AssayAttr *attr)
{
  return node->op == ASSAY_OP_Constant && attr->kind == ASSAY_ATTR_TENSOR &&
         strcmp (attr->name, "sparse_value") == 0;
}

/**
 * assay_onnx_write_attribute:
 * @self: a writer
 * @message: a NodeProto
 * @node: the node
 * @attr: an attribute of it
 * @error: return location for a #GError
 *
 * Adds an attribute to a node (ONNX IR specification, "Attributes").
 *
 * Returns: %FALSE if a graph in it cannot be written
 */
gboolean
assay_onnx_write_attribute (OnnxWriter *self, AssayWireMessage *message, const AssayNode *node,
                            const AssayAttr *attr, GError **error)
{
  static const int types[] = {
    [ASSAY_ATTR_INT] = ASSAY__ONNX__ATTRIBUTE_PROTO__ATTRIBUTE_TYPE__INT,
    [ASSAY_ATTR_FLOAT] = ASSAY__ONNX__ATTRIBUTE_PROTO__ATTRIBUTE_TYPE__FLOAT,
    [ASSAY_ATTR_STRING] = ASSAY__ONNX__ATTRIBUTE_PROTO__ATTRIBUTE_TYPE__STRING,
    [ASSAY_ATTR_TENSOR] = ASSAY__ONNX__ATTRIBUTE_PROTO__ATTRIBUTE_TYPE__TENSOR,
    [ASSAY_ATTR_GRAPH] = ASSAY__ONNX__ATTRIBUTE_PROTO__ATTRIBUTE_TYPE__GRAPH,
    [ASSAY_ATTR_TYPE] = ASSAY__ONNX__ATTRIBUTE_PROTO__ATTRIBUTE_TYPE__TYPE_PROTO,
    [ASSAY_ATTR_INTS] = ASSAY__ONNX__ATTRIBUTE_PROTO__ATTRIBUTE_TYPE__INTS,
    [ASSAY_ATTR_FLOATS] = ASSAY__ONNX__ATTRIBUTE_PROTO__ATTRIBUTE_TYPE__FLOATS,
    [ASSAY_ATTR_STRINGS] = ASSAY__ONNX__ATTRIBUTE_PROTO__ATTRIBUTE_TYPE__STRINGS,
    [ASSAY_ATTR_TENSORS] = ASSAY__ONNX__ATTRIBUTE_PROTO__ATTRIBUTE_TYPE__TENSORS,
    [ASSAY_ATTR_GRAPHS] = ASSAY__ONNX__ATTRIBUTE_PROTO__ATTRIBUTE_TYPE__GRAPHS,
    [ASSAY_ATTR_TYPES] = ASSAY__ONNX__ATTRIBUTE_PROTO__ATTRIBUTE_TYPE__TYPE_PROTOS,
  };
  g_autoptr (AssayWireMessage) own = assay_wire_message_new ();
  AssayWireMessage *inner = NULL;
  int type = types[attr->kind];

  if (attr->kind == ASSAY_ATTR_NONE)
    return TRUE;

  assay_wire_message_add_string (own, ATTRIBUTE_NAME, attr->name);
  switch (attr->kind)
    {
    case ASSAY_ATTR_INT:
      assay_wire_message_add_int (own, ATTRIBUTE_I, attr->u.i);
      break;
    case ASSAY_ATTR_FLOAT:
      assay_wire_message_add_float (own, ATTRIBUTE_F, (float) attr->u.f);
      break;
    case ASSAY_ATTR_STRING:
      assay_wire_message_add_bytes (own, ATTRIBUTE_S, attr->u.s, attr->n);
      break;
    case ASSAY_ATTR_TYPE:
      assay_wire_message_add_message (own, ATTRIBUTE_TP,
                                      assay_onnx_write_type (self, attr->u.type));
      break;
    case ASSAY_ATTR_TENSOR:
      if (!is_sparse (node, attr))
        {
          assay_wire_message_add_message (own, ATTRIBUTE_T,
                                          assay_onnx_write_tensor (self, attr->u.tensor, NULL));
          break;
        }
      type = ASSAY__ONNX__ATTRIBUTE_PROTO__ATTRIBUTE_TYPE__SPARSE_TENSOR;
      inner = write_sparse_tensor (attr->u.tensor, error);
      if (inner == NULL)
        return FALSE;
      assay_wire_message_add_message (own, ATTRIBUTE_SPARSE_TENSOR, inner);
      break;
    case ASSAY_ATTR_GRAPH:
      inner = assay_onnx_write_graph (self, attr->u.region, error);
      if (inner == NULL)
        return FALSE;
      assay_wire_message_add_message (own, ATTRIBUTE_G, inner);
      break;
    default:
      if (!write_entries (self, own, attr, error))
        return FALSE;
      break;
    }
  assay_wire_message_add_int (own, ATTRIBUTE_TYPE, type);
  assay_wire_message_add_message (message, NODE_ATTRIBUTE, g_steal_pointer (&own));

  return TRUE;
}
