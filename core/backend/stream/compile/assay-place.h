/* assay-place.h
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include "base/assay-progress.h"
#include "backend/stream/compile/assay-emit.h"

G_BEGIN_DECLS

AssayStreamCode *assay_place (GPtrArray *models, gboolean optimize, const AssayProgress *progress,
                              AssayAllocation **failure, GError **error) G_GNUC_WARN_UNUSED_RESULT;

G_END_DECLS
