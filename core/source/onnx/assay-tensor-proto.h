/* assay-tensor-proto.h
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include "base/assay-tensor.h"
#include "source/onnx/assay-onnx-file.h"

G_BEGIN_DECLS

AssayTensor *assay_tensor_from_proto (AssayOnnxFile *file, const Assay__Onnx__TensorProto *proto,
                                      GError **error) G_GNUC_WARN_UNUSED_RESULT;

G_END_DECLS
