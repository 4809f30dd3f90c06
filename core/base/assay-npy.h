/* assay-npy.h
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include "base/assay-progress.h"
#include "base/assay-tensor.h"

G_BEGIN_DECLS

AssayTensor *assay_npy_from_bytes (GBytes *bytes, GError **error) G_GNUC_WARN_UNUSED_RESULT;
GBytes *assay_npy_to_bytes (AssayTensor *tensor, GError **error) G_GNUC_WARN_UNUSED_RESULT;
AssayTensor *assay_npy_load (const char *path, GError **error) G_GNUC_WARN_UNUSED_RESULT;
gboolean assay_npy_write (AssayTensor *tensor, const char *path, const AssayProgress *progress,
                          GError **error);
gboolean assay_npy_save (AssayTensor *tensor, const char *path, GError **error);

G_END_DECLS
