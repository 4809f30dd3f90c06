/* assay-start-page.h
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include <adwaita.h>

#include "session/assay-session.h"

G_BEGIN_DECLS

/**
 * AssayStartPage:
 *
 * What a window without a model shows: recent files, examples, Open.
 */
#define ASSAY_TYPE_START_PAGE (assay_start_page_get_type ())

G_DECLARE_FINAL_TYPE (AssayStartPage, assay_start_page, ASSAY, START_PAGE, GtkWidget)

void assay_start_page_refresh (AssayStartPage *self);
void assay_start_page_set_roomy (AssayStartPage *self, gboolean roomy);

G_END_DECLS
