/* assay-compile.h
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include "base/assay-progress.h"
#include "backend/assay-build.h"
#include "backend/stream/compile/assay-probes.h"
#include "backend/stream/machine/assay-stream-code.h"
#include "nnir/assay-graph.h"
#include "backend/assay-config.h"

G_BEGIN_DECLS

AssayStreamCode *assay_compile (AssayGraph *imported, const AssayConfigValues *config,
                                const AssayCompileOptions *options, const AssayProgress *progress,
                                GError **error) G_GNUC_WARN_UNUSED_RESULT;
AssayStreamCode *assay_compile_observed (const AssayCompileModel *models, guint n_models,
                                         const AssayConfigValues *config,
                                         const AssayCompileOptions *options, AssayProbes **probes,
                                         const AssayProgress *progress,
                                         GError **error) G_GNUC_WARN_UNUSED_RESULT;
AssayStreamCode *assay_compile_models (const AssayCompileModel *models, guint n_models,
                                       const AssayConfigValues *config,
                                       const AssayCompileOptions *options,
                                       const AssayProgress *progress,
                                       GError **error) G_GNUC_WARN_UNUSED_RESULT;

G_END_DECLS
