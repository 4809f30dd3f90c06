/* assay-onnx-write.h
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include "base/assay-progress.h"
#include "nnir/assay-graph.h"

G_BEGIN_DECLS

/**
 * AssayOnnxWriteOptions:
 * @max_bytes: the largest file; what a larger one would hold in weights goes into a file beside it; 0 for 2 GiB less
 *   one byte, where protobuf ends
 *
 * How a model is written.
 */
typedef struct
{
  gsize max_bytes;
} AssayOnnxWriteOptions;

gboolean  assay_onnx_write_file  (AssayGraph                   *graph,
                                  const char                   *path,
                                  const AssayOnnxWriteOptions  *options,
                                  const AssayProgress          *progress,
                                  GError                      **error);
GBytes   *assay_onnx_write_bytes (AssayGraph                   *graph,
                                  GError                      **error) G_GNUC_WARN_UNUSED_RESULT;

G_END_DECLS
