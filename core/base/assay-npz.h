/* assay-npz.h
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include "base/assay-tensor.h"

G_BEGIN_DECLS

gboolean assay_npz_from_bytes (GBytes *bytes, GPtrArray *names, GPtrArray *tensors, GError **error);
gboolean assay_npz_load (const char *path, GPtrArray *names, GPtrArray *tensors, GError **error);

G_END_DECLS
