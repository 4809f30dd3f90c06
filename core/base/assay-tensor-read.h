/* assay-tensor-read.h
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include "base/assay-tensor.h"

G_BEGIN_DECLS

gboolean assay_tensor_read_doubles (AssayTensor *self, gsize first, gsize n, double *values,
                                    GError **error);

G_END_DECLS
