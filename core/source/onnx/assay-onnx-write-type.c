/* assay-onnx-write-type.c
 * SPDX-License-Identifier: Apache-2.0
 */
#include "source/onnx/assay-onnx-write-private.h"

#include "source/onnx/assay-onnx-fields.h"

static AssayWireMessage *
write_shape (const AssayType *type)
{
  AssayWireMessage *shape = assay_wire_message_new ();

  for (int i = 0; i < type->rank; i++)
    {
      AssayWireMessage *dim = assay_wire_message_new ();

      if (type->dims[i].size >= 0)
        assay_wire_message_add_int (dim, DIMENSION_VALUE, type->dims[i].size);
      else if (type->dims[i].symbol != NULL)
        assay_wire_message_add_string (dim, DIMENSION_PARAM, type->dims[i].symbol);
      assay_wire_message_add_message (shape, SHAPE_DIM, dim);
    }

  return shape;
}

/* Which IR version brought an element type or a kind of type (ONNX, "Version History" of the IR).
 */
static void
note_version (OnnxWriter *self, const AssayType *type)
{
  gint64 needed = type->dtype >= ASSAY_DTYPE_U2         ? 13
                  : type->dtype >= ASSAY_DTYPE_F8E8M0   ? 12
                  : type->dtype >= ASSAY_DTYPE_F4E2M1   ? 11
                  : type->dtype >= ASSAY_DTYPE_U4       ? 10
                  : type->dtype >= ASSAY_DTYPE_F8E4M3FN ? 9
                  : type->kind == ASSAY_TYPE_KIND_OPTIONAL ||
                          type->kind == ASSAY_TYPE_KIND_SPARSE_TENSOR
                      ? 8
                      : 0;

  self->ir_version = MAX (self->ir_version, needed);
}

/**
 * assay_onnx_write_type:
 * @self: a writer
 * @type: a type
 *
 * Makes the TypeProto of a type (ONNX IR specification, "Types").
 *
 * Returns: (transfer full): the message, empty for an unknown type
 */
AssayWireMessage *
assay_onnx_write_type (OnnxWriter *self, const AssayType *type)
{
  static const struct
  {
    guint field;   /* of TypeProto */
    guint dtype;   /* of the message there, or 0 */
    guint content; /* shape or element type, or 0 */
  } kinds[] = {
    [ASSAY_TYPE_KIND_TENSOR] = { TYPE_TENSOR, 1, 2 },
    [ASSAY_TYPE_KIND_SPARSE_TENSOR] = { TYPE_SPARSE_TENSOR, 1, 2 },
    [ASSAY_TYPE_KIND_SEQUENCE] = { TYPE_SEQUENCE, 0, 1 },
    [ASSAY_TYPE_KIND_OPTIONAL] = { TYPE_OPTIONAL, 0, 1 },
    [ASSAY_TYPE_KIND_MAP] = { TYPE_MAP, 1, 2 },
    [ASSAY_TYPE_KIND_OPAQUE] = { TYPE_OPAQUE, 0, 0 },
  };
  AssayWireMessage *message = assay_wire_message_new ();
  AssayWireMessage *inner;

  if (type->kind == ASSAY_TYPE_KIND_UNKNOWN)
    return message;

  note_version (self, type);
  inner = assay_wire_message_new ();
  if (kinds[type->kind].dtype != 0)
    assay_wire_message_add_int (inner, kinds[type->kind].dtype, type->dtype);
  if (type->element != NULL)
    assay_wire_message_add_message (inner, kinds[type->kind].content,
                                    assay_onnx_write_type (self, type->element));
  else if (type->rank >= 0 && kinds[type->kind].dtype != 0)
    assay_wire_message_add_message (inner, kinds[type->kind].content, write_shape (type));
  assay_wire_message_add_message (message, kinds[type->kind].field, inner);

  return message;
}

/**
 * assay_onnx_write_info:
 * @self: a writer
 * @message: a GraphProto
 * @field: which of its lists
 * @value: a value
 *
 * Adds name and type of a value to a graph.
 */
void
assay_onnx_write_info (OnnxWriter *self, AssayWireMessage *message, guint field, AssayValueId value)
{
  const AssayType *type = assay_graph_value (self->graph, value)->type;
  AssayWireMessage *info = assay_wire_message_new ();

  assay_wire_message_add_string (info, VALUE_INFO_NAME, self->names[value]);
  if (type->kind != ASSAY_TYPE_KIND_UNKNOWN)
    assay_wire_message_add_message (info, VALUE_INFO_TYPE, assay_onnx_write_type (self, type));
  assay_wire_message_add_message (message, field, info);
}
