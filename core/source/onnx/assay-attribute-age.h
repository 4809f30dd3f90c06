/* assay-attribute-age.h
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include "nnir/assay-op.h"

G_BEGIN_DECLS

gint64 assay_onnx_attribute_since (AssayOp op, const char *name);

G_END_DECLS
