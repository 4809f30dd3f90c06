/* assay-loading-page.h
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include <adwaita.h>

#include "session/assay-session.h"

G_BEGIN_DECLS

/**
 * AssayLoadingPage:
 *
 * A model is being opened: its name and size, the stage, Cancel.
 */
#define ASSAY_TYPE_LOADING_PAGE (assay_loading_page_get_type ())

G_DECLARE_FINAL_TYPE (AssayLoadingPage, assay_loading_page, ASSAY, LOADING_PAGE, GtkWidget)

void assay_loading_page_set_session (AssayLoadingPage *self, AssaySession *session);
void assay_loading_page_set_quiet (AssayLoadingPage *self, gboolean quiet);

G_END_DECLS
