/* assay-program-input.h
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include "assay-cli.h"
#include "backend/stream/machine/assay-stream-code.h"

G_BEGIN_DECLS

gboolean assay_program_input_is_program (const char *path);
AssayStreamCode *assay_program_input_load (AssayCli *cli,
                                           AssayExit *status) G_GNUC_WARN_UNUSED_RESULT;
gboolean assay_program_input_find_model (AssayCli *cli, const AssayStreamCode *code,
                                         const char *name, guint *model, AssayExit *status);

G_END_DECLS
