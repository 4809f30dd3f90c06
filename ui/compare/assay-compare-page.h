/* assay-compare-page.h
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include "ui/window/assay-page.h"

G_BEGIN_DECLS

/**
 * AssayComparePage:
 *
 * Two runs held against each other: what runs, the verdict as a headline, a row per tensor, the
 * distances of the chosen one, and the errors along the program.
 */
#define ASSAY_TYPE_COMPARE_PAGE (assay_compare_page_get_type ())

G_DECLARE_FINAL_TYPE (AssayComparePage, assay_compare_page, ASSAY, COMPARE_PAGE, GtkWidget)

G_END_DECLS
