/* assay-tensor-file.h
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include "base/assay-tensor.h"
#include "nnir/assay-type.h"

G_BEGIN_DECLS

GPtrArray *assay_tensor_file_load (const char *path, AssayTypeKind kind, char **name,
                                   GError **error) G_GNUC_WARN_UNUSED_RESULT;
gboolean assay_tensor_file_save (const char *path, AssayTensor *tensor, const char *name,
                                 GError **error);

G_END_DECLS
