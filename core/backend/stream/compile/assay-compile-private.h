/* assay-compile-private.h
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include "backend/stream/compile/assay-compile.h"

G_BEGIN_DECLS

AssayStreamCode *assay_compile_canonical (const AssayCompileModel *models, guint n_models,
                                          const AssayConfigValues *config,
                                          const AssayCompileOptions *options, AssayProbes **probes,
                                          const AssayProgress *progress,
                                          GError **error) G_GNUC_WARN_UNUSED_RESULT;
void assay_find_ways_out (const AssayCompileModel *models, guint n_models,
                          const AssayConfigValues *config, const AssayCompileOptions *options,
                          const AssayProgress *progress, AssayAllocation *allocation);

G_END_DECLS
