/* assay-wire-message.c
 * SPDX-License-Identifier: Apache-2.0
 */
#include "source/onnx/assay-wire-message.h"

#include <string.h>

#include "source/onnx/assay-wire.h"

/**
 * assay_wire_message_new:
 *
 * Begins an empty message.
 *
 * Returns: (transfer full): the message
 */
AssayWireMessage *
assay_wire_message_new (void)
{
  AssayWireMessage *self = g_new0 (AssayWireMessage, 1);

  self->bytes = g_byte_array_new ();
  self->holes = g_array_new (FALSE, FALSE, sizeof (AssayWireHole));

  return self;
}

/**
 * assay_wire_message_free:
 * @self: (transfer full): a message
 *
 * Frees a message; the tensors of its holes belong to whoever gave them.
 */
void
assay_wire_message_free (AssayWireMessage *self)
{
  g_byte_array_unref (self->bytes);
  g_array_unref (self->holes);
  g_free (self);
}

/**
 * assay_wire_message_get_size:
 * @self: a message
 *
 * Gets how long a message is once its holes are filled.
 *
 * Returns: bytes
 */
gsize
assay_wire_message_get_size (AssayWireMessage *self)
{
  return self->bytes->len + self->n_held;
}

static void
add_varint (AssayWireMessage *self, guint64 value)
{
  guint8 digits[10];
  guint n = 0;

  do
    {
      digits[n] = (guint8) (value & 0x7f);
      value >>= 7;
      if (value != 0)
        digits[n] |= 0x80;
      n++;
    }
  while (value != 0);

  g_byte_array_append (self->bytes, digits, n);
}

static void
add_tag (AssayWireMessage *self, guint field, AssayWireType type)
{
  add_varint (self, (guint64) field << 3 | type);
}

/**
 * assay_wire_message_add_int:
 * @self: a message
 * @field: number of a field
 * @value: its value
 *
 * Adds an integer, an enumeration or a boolean.
 */
void
assay_wire_message_add_int (AssayWireMessage *self, guint field, gint64 value)
{
  add_tag (self, field, ASSAY_WIRE_VARINT);
  add_varint (self, (guint64) value);
}

/**
 * assay_wire_message_add_float:
 * @self: a message
 * @field: number of a field
 * @value: its value
 *
 * Adds a single precision number.
 */
void
assay_wire_message_add_float (AssayWireMessage *self, guint field, float value)
{
  guint32 bits;

  memcpy (&bits, &value, sizeof bits);
  bits = GUINT32_TO_LE (bits);
  add_tag (self, field, ASSAY_WIRE_FIXED32);
  g_byte_array_append (self->bytes, (const guint8 *) &bits, sizeof bits);
}

/**
 * assay_wire_message_add_bytes:
 * @self: a message
 * @field: number of a field
 * @data: (array length=length) (element-type guint8): its value
 * @length: bytes of @data
 *
 * Adds a byte string.
 */
void
assay_wire_message_add_bytes (AssayWireMessage *self, guint field, gconstpointer data, gsize length)
{
  add_tag (self, field, ASSAY_WIRE_BYTES);
  add_varint (self, length);
  if (length > 0)
    g_byte_array_append (self->bytes, data, (guint) length);
}

/**
 * assay_wire_message_add_string:
 * @self: a message
 * @field: number of a field
 * @text: its value
 *
 * Adds a text.
 */
void
assay_wire_message_add_string (AssayWireMessage *self, guint field, const char *text)
{
  assay_wire_message_add_bytes (self, field, text, strlen (text));
}

/**
 * assay_wire_message_add_message:
 * @self: a message
 * @field: number of a field
 * @child: (transfer full): its value, which is complete
 *
 * Adds a message with its holes.
 */
void
assay_wire_message_add_message (AssayWireMessage *self, guint field, AssayWireMessage *child)
{
  gsize base;

  add_tag (self, field, ASSAY_WIRE_BYTES);
  add_varint (self, assay_wire_message_get_size (child));
  base = self->bytes->len;
  g_byte_array_append (self->bytes, child->bytes->data, child->bytes->len);

  for (guint i = 0; i < child->holes->len; i++)
    {
      AssayWireHole hole = g_array_index (child->holes, AssayWireHole, i);

      hole.at += base;
      g_array_append_val (self->holes, hole);
    }
  self->n_held += child->n_held;
  assay_wire_message_free (child);
}

/**
 * assay_wire_message_add_tensor:
 * @self: a message
 * @field: number of a field
 * @tensor: a tensor that lives until the message is written
 *
 * Adds the elements of a tensor as a byte string, which is a hole: nothing is read.
 */
void
assay_wire_message_add_tensor (AssayWireMessage *self, guint field, AssayTensor *tensor)
{
  AssayWireHole hole = { 0, tensor, assay_tensor_get_n_bytes (tensor) };

  add_tag (self, field, ASSAY_WIRE_BYTES);
  add_varint (self, hole.n_bytes);
  hole.at = self->bytes->len;
  g_array_append_val (self->holes, hole);
  self->n_held += hole.n_bytes;
}
