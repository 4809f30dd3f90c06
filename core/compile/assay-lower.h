/* assay-lower.h
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include "compile/assay-lir.h"

G_BEGIN_DECLS

AssayLir *assay_lower (AssayGraph               *graph,
                       const AssayConfigValues *config,
                       const int                *data_dims,
                       const int                *vanishing,
                       gboolean                  dynamic_weights,
                       const char               *name,
                       GError                  **error) G_GNUC_WARN_UNUSED_RESULT;

G_END_DECLS
