/* assay-delegate-program.h
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include "backend/assay-build.h"
#include "backend/assay-program-class.h"
#include "backend/delegate/assay-delegate-plan.h"

G_BEGIN_DECLS

/* A file is this, a line with the target, one per node (whether the device takes it, the node that
 * does it as well, what the delegate calls it; behind tabs how many bytes the delegate moves for
 * it, and where it keeps the result), an empty one, and the graph as text. */
#define ASSAY_DELEGATE_PROGRAM_MARK "assay delegate program 1\n"

#define ASSAY_TYPE_DELEGATE_PROGRAM (assay_delegate_program_get_type ())

/**
 * AssayDelegateProgram:
 *
 * A model whose nodes a delegate shares with the host: submissions to a device, with nodes of the
 * host between them.
 */
G_DECLARE_FINAL_TYPE (AssayDelegateProgram, assay_delegate_program, ASSAY, DELEGATE_PROGRAM,
                      AssayProgram)

AssayProgram *assay_delegate_program_build (AssayTarget *target, const AssayCompileModel *models,
                                            guint n_models, const AssayConfigValues *config,
                                            const AssayCompileOptions *options,
                                            const AssayProgress *progress, GError **error);
AssayProgram *assay_delegate_program_load (GBytes *bytes, GError **error);
AssayGraph *assay_delegate_program_get_graph (AssayDelegateProgram *self);
const AssayDelegatePlan *assay_delegate_program_get_plan (AssayDelegateProgram *self,
                                                          gboolean keep_all);
guint assay_delegate_program_count_left (AssayDelegateProgram *self);

G_END_DECLS
