/* assay-wire.h
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

/**
 * AssayWireType:
 *
 * How a field is written, by the low three bits of its tag (protobuf encoding, "Message
 * Structure").
 */
typedef enum
{
  ASSAY_WIRE_VARINT = 0,
  ASSAY_WIRE_FIXED64 = 1,
  ASSAY_WIRE_BYTES = 2,
  ASSAY_WIRE_FIXED32 = 5,
} AssayWireType;

/**
 * AssayWireField:
 * @number: field number
 * @type: how it is written
 * @start: offset of the tag
 * @content: offset of the value, behind the length if there is one
 * @length: bytes of the value
 *
 * One field of a message, found without looking at what it holds.
 */
typedef struct
{
  guint32 number;
  AssayWireType type;
  gsize start;
  gsize content;
  gsize length;
} AssayWireField;

/* Reads a varint of up to ten bytes; returns the bytes it takes, or 0 if it does not end before
 * @end. */
static inline guint
assay_wire_read_varint (const guint8 *data, const guint8 *end, guint64 *value)
{
  guint64 result = 0;
  guint n = (guint) MIN (end - data, 10);

  for (guint i = 0; i < n; i++)
    {
      result |= (guint64) (data[i] & 0x7f) << (7 * i);
      if (data[i] < 0x80)
        {
          *value = result;
          return i + 1;
        }
    }

  return 0;
}

const char *assay_wire_next (const guint8 *data, gsize end, gsize offset, AssayWireField *field);

G_END_DECLS
