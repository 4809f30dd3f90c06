/* assay-program-input.h
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include "assay-cli.h"
#include "backend/assay-program.h"

G_BEGIN_DECLS

AssayProgram *assay_program_input_load (AssayCli *cli, AssayExit *status) G_GNUC_WARN_UNUSED_RESULT;
gboolean assay_program_input_find_model (AssayCli *cli, AssayProgram *program, const char *name,
                                         guint *model, AssayExit *status);

G_END_DECLS
