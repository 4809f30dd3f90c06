/* assay-place.h
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include "base/assay-progress.h"
#include "compile/assay-emit.h"

G_BEGIN_DECLS

AssayCode *assay_place (GPtrArray *models, gboolean optimize, const AssayProgress *progress,
                        AssayAllocation **failure, GError **error) G_GNUC_WARN_UNUSED_RESULT;

G_END_DECLS
