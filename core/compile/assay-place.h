/* assay-place.h
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include "base/assay-progress.h"
#include "compile/assay-emit.h"

G_BEGIN_DECLS

AssayCode *assay_place (AssayLir             *lir,
                        const char           *name,
                        gboolean              optimize,
                        const AssayProgress  *progress,
                        GError              **error) G_GNUC_WARN_UNUSED_RESULT;

G_END_DECLS
