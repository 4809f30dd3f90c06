/* assay-compile-private.h
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include "backend/stream/compile/assay-compile.h"

G_BEGIN_DECLS

GPtrArray *assay_compile_lower (const AssayCompileModel *models, guint n_models,
                                const AssayConfigValues *config, const AssayProgress *progress,
                                GError **error) G_GNUC_WARN_UNUSED_RESULT;
AssayStreamCode *assay_compile_lowered (GPtrArray *lirs, const AssayCompileOptions *options,
                                        const AssayProgress *progress, AssayAllocation **failure,
                                        GError **error) G_GNUC_WARN_UNUSED_RESULT;
void assay_name_store (AssayAllocation *allocation);
void assay_find_ways_out (const AssayCompileModel *models, guint n_models,
                          const AssayConfigValues *config, const AssayCompileOptions *options,
                          GPtrArray *lirs, const AssayProgress *progress,
                          AssayAllocation *allocation);

G_END_DECLS
