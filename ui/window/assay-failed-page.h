/* assay-failed-page.h
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include <adwaita.h>

#include "session/assay-session.h"

G_BEGIN_DECLS

/**
 * AssayFailedPage:
 *
 * A model could not be opened: what, where, what to do, details.
 */
#define ASSAY_TYPE_FAILED_PAGE (assay_failed_page_get_type ())

G_DECLARE_FINAL_TYPE (AssayFailedPage, assay_failed_page, ASSAY, FAILED_PAGE, GtkWidget)

void assay_failed_page_set_session (AssayFailedPage *self, AssaySession *session);
const char *assay_failed_page_get_left (AssayFailedPage *self);
void assay_failed_page_note_left (AssayFailedPage *self);

G_END_DECLS
