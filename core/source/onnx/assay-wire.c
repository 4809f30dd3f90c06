/* assay-wire.c
 * SPDX-License-Identifier: Apache-2.0
 */
#include "source/onnx/assay-wire.h"

/**
 * assay_wire_next:
 * @data: the file
 * @end: offset behind the message
 * @offset: offset of a field of the message, less than @end
 * @field: (out): the field
 *
 * Reads the head of a field; the next one starts at its content plus its length (protobuf
 * encoding).
 *
 * Returns: (nullable) (transfer none): what is wrong with it, or %NULL if it lies within the
 * message
 */
const char *
assay_wire_next (const guint8 *data, gsize end, gsize offset, AssayWireField *field)
{
  const guint8 *limit = data + end;
  guint64 tag;
  guint64 length;
  guint taken = assay_wire_read_varint (data + offset, limit, &tag);

  field->start = offset;
  field->number = 0;
  field->content = offset + taken;

  if (taken == 0)
    return "a field tag does not end";
  if (tag >> 3 == 0 || tag >> 3 > 0x1fffffff)
    return "a field number is out of range";

  field->number = (guint32) (tag >> 3);
  field->type = (AssayWireType) (tag & 7);

  switch ((guint) field->type)
    {
    case ASSAY_WIRE_VARINT:
      field->length = assay_wire_read_varint (data + field->content, limit, &length);
      if (field->length == 0)
        return "an integer does not end";
      break;

    case ASSAY_WIRE_FIXED64:
      field->length = 8;
      break;

    case ASSAY_WIRE_FIXED32:
      field->length = 4;
      break;

    case ASSAY_WIRE_BYTES:
      taken = assay_wire_read_varint (data + field->content, limit, &length);
      if (taken == 0)
        return "a length does not end";
      field->content += taken;
      if (length > end - field->content)
        return "a length reaches past the end of its message";
      field->length = (gsize) length;
      break;

    default:
      return "a field has a wire type that ONNX does not use";
    }

  if (field->length > end - field->content)
    return "a value is cut off";

  return NULL;
}
