/* assay-npz.h
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include "base/assay-progress.h"
#include "base/assay-tensor.h"

G_BEGIN_DECLS

gboolean assay_npz_from_bytes (GBytes *bytes, GPtrArray *names, GPtrArray *tensors,
                               const AssayProgress *progress, GError **error);
gboolean assay_npz_load (const char *path, GPtrArray *names, GPtrArray *tensors,
                         const AssayProgress *progress, GError **error);
gboolean assay_npz_save (GPtrArray *names, GPtrArray *tensors, const char *path, GError **error);

G_END_DECLS
