/* assay-wire-scan.h
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include <gio/gio.h>
#include <protobuf-c/protobuf-c.h>

#include "source/onnx/assay-wire.h"

G_BEGIN_DECLS

/* Levels of messages; an If in an If takes three. The scan and protobuf-c recurse, and threads may
 * have small stacks. */
#define ASSAY_WIRE_MAX_DEPTH 200

/**
 * AssayWirePayload:
 * @offset: first byte of a TensorProto in the file
 * @length: bytes of it
 *
 * A tensor whose elements were left in the file.
 */
typedef struct
{
  gsize offset;
  gsize length;
} AssayWirePayload;

/**
 * AssayWireScan:
 * @thin: the message without tensor elements, unknown fields, and documentation of nodes
 * @payloads: (element-type AssayWirePayload): tensors with elements; field `assay_payload` is the
 * index plus one
 *
 * What a scan makes of a file.
 */
typedef struct
{
  GByteArray *thin;
  GArray *payloads;
} AssayWireScan;

AssayWireScan *assay_wire_scan (const guint8 *data, gsize size,
                                const ProtobufCMessageDescriptor *descriptor,
                                GError **error) G_GNUC_WARN_UNUSED_RESULT;
void assay_wire_scan_free (AssayWireScan *self);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (AssayWireScan, assay_wire_scan_free)

G_END_DECLS
