/* assay-program-builder.h
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include "api/assay-nnir.h"

G_BEGIN_DECLS

#define ASSAY_TYPE_PROGRAM_BUILDER (assay_program_builder_get_type ())

/**
 * AssayProgramBuilder:
 *
 * Collects models for one program; the index of a model is the order in which it was added.
 */
G_DECLARE_FINAL_TYPE (AssayProgramBuilder, assay_program_builder, ASSAY, PROGRAM_BUILDER, GObject)

AssayProgramBuilder *assay_program_builder_new (AssayConfig *config) G_GNUC_WARN_UNUSED_RESULT;
void assay_program_builder_add_nnir (AssayProgramBuilder *self, AssayNnir *nnir, const char *name,
                                     AssayOptions *options);
AssayProgram *assay_program_builder_to_program (AssayProgramBuilder *self,
                                                GCancellable *cancellable,
                                                GError **error) G_GNUC_WARN_UNUSED_RESULT;

G_END_DECLS
