/* assay-tensor-cell.h
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include "base/assay-tensor.h"

G_BEGIN_DECLS

gboolean assay_tensor_get_bits (AssayTensor *self, gsize index, guint64 *bits, GError **error);
char *assay_tensor_dup_value (AssayTensor *self, gsize index,
                              gboolean whole) G_GNUC_WARN_UNUSED_RESULT;
char *assay_tensor_dup_bits (AssayTensor *self, gsize index) G_GNUC_WARN_UNUSED_RESULT;

G_END_DECLS
