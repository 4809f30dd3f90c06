/* assay-program-page.h
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include <adwaita.h>

#include "session/assay-session.h"

G_BEGIN_DECLS

/**
 * AssayProgramPage:
 *
 * Memory, Timeline or Compare while there is no program: the reason in words.
 */
#define ASSAY_TYPE_PROGRAM_PAGE (assay_program_page_get_type ())

G_DECLARE_FINAL_TYPE (AssayProgramPage, assay_program_page, ASSAY, PROGRAM_PAGE, GtkWidget)

void assay_program_page_set_session (AssayProgramPage *self, AssaySession *session);

G_END_DECLS
