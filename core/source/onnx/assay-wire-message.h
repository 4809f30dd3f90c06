/* assay-wire-message.h
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include "base/assay-tensor.h"

G_BEGIN_DECLS

/**
 * AssayWireHole:
 * @at: bytes of the message in front of it that are not in a hole
 * @tensor: whose elements belong there
 * @n_bytes: size of them
 *
 * A place in a message that is filled when it is written out.
 */
typedef struct
{
  gsize at;
  AssayTensor *tensor;
  gsize n_bytes;
} AssayWireHole;

/**
 * AssayWireMessage:
 * @bytes: what is written already
 * @holes: (element-type AssayWireHole): elements of tensors, in order, which are left where they
 * are
 * @n_held: bytes of all holes
 *
 * A message of Protocol Buffers that is being made field by field, without the elements of large
 * tensors.
 */
typedef struct
{
  GByteArray *bytes;
  GArray *holes;
  gsize n_held;
} AssayWireMessage;

AssayWireMessage *assay_wire_message_new (void) G_GNUC_WARN_UNUSED_RESULT;
void assay_wire_message_free (AssayWireMessage *self);
gsize assay_wire_message_get_size (AssayWireMessage *self);
void assay_wire_message_add_int (AssayWireMessage *self, guint field, gint64 value);
void assay_wire_message_add_float (AssayWireMessage *self, guint field, float value);
void assay_wire_message_add_bytes (AssayWireMessage *self, guint field, gconstpointer data,
                                   gsize length);
void assay_wire_message_add_string (AssayWireMessage *self, guint field, const char *text);
void assay_wire_message_add_message (AssayWireMessage *self, guint field, AssayWireMessage *child);
void assay_wire_message_add_tensor (AssayWireMessage *self, guint field, AssayTensor *tensor);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (AssayWireMessage, assay_wire_message_free)

G_END_DECLS
