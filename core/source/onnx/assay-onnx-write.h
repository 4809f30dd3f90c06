/* assay-onnx-write.h
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include "base/assay-progress.h"
#include "nnir/assay-graph.h"

G_BEGIN_DECLS

/**
 * AssayOnnxCheckFunc:
 * @path: the model, complete, with what lies beside it
 * @user_data: the data given with the function
 * @error: return location for a #GError
 *
 * Looks at a written model before it replaces what was there.
 *
 * Returns: whether it may
 */
typedef gboolean (*AssayOnnxCheckFunc) (const char *path, gpointer user_data, GError **error);

/**
 * AssayOnnxWriteOptions:
 * @max_bytes: the largest file; what a larger one would hold in weights goes into a file beside it;
 * 0 for 2 GiB less one byte, where protobuf ends
 * @keep_names: whether every constant stays one, even if the model then needs a newer opset than it
 * had
 * @check: (nullable): what has to agree before anything is replaced
 * @check_data: for @check
 *
 * How a model is written.
 */
typedef struct
{
  gsize max_bytes;
  gboolean keep_names;
  AssayOnnxCheckFunc check;
  gpointer check_data;
} AssayOnnxWriteOptions;

gboolean assay_onnx_write_file (AssayGraph *graph, const char *path,
                                const AssayOnnxWriteOptions *options, const AssayProgress *progress,
                                GError **error);
GBytes *assay_onnx_write_bytes (AssayGraph *graph, GError **error) G_GNUC_WARN_UNUSED_RESULT;
AssayGraph *assay_onnx_expand (AssayGraph *graph, GError **error) G_GNUC_WARN_UNUSED_RESULT;
char *assay_onnx_comparable_text (AssayGraph *graph, GError **error) G_GNUC_WARN_UNUSED_RESULT;

G_END_DECLS
