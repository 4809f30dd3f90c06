/* assay-onnx-file.h
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include <gio/gio.h>

#include "onnx.pb-c.h"
#include "source/onnx/assay-wire-scan.h"

G_BEGIN_DECLS

/**
 * AssayOnnxFile:
 *
 * A file of ONNX messages, unpacked except for the elements of its tensors, which stay in the
 * mapped file.
 */
typedef struct _AssayOnnxFile AssayOnnxFile;

AssayOnnxFile *assay_onnx_file_new (GBytes *bytes, const char *folder,
                                    const ProtobufCMessageDescriptor *descriptor, GError **error);
void assay_onnx_file_free (AssayOnnxFile *self);
const ProtobufCMessage *assay_onnx_file_get_message (AssayOnnxFile *self);
GBytes *assay_onnx_file_get_bytes (AssayOnnxFile *self);
const AssayWirePayload *assay_onnx_file_get_payload (AssayOnnxFile *self,
                                                     const Assay__Onnx__TensorProto *tensor);
GBytes *assay_onnx_file_get_external (AssayOnnxFile *self, const char *location, GError **error);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (AssayOnnxFile, assay_onnx_file_free)

G_END_DECLS
