/* assay-qualify-page.h
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include "ui/window/assay-page.h"

G_BEGIN_DECLS

/**
 * AssayQualifyPage:
 *
 * A suite of cases on the runner and the target of the session: rows as they end, what a run
 * contradicts first, and how operators, categories and element types fare.
 */
#define ASSAY_TYPE_QUALIFY_PAGE (assay_qualify_page_get_type ())

G_DECLARE_FINAL_TYPE (AssayQualifyPage, assay_qualify_page, ASSAY, QUALIFY_PAGE, GtkWidget)

G_END_DECLS
