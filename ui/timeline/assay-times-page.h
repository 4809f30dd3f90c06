/* assay-times-page.h
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include "draw/assay-times-scene.h"
#include "ui/window/assay-page.h"

G_BEGIN_DECLS

/**
 * AssayTimesPage:
 *
 * The Times page: how long each dispatch, copy and node of the host took in the last run on a
 * device that measures, as lanes and as a table.
 */
#define ASSAY_TYPE_TIMES_PAGE (assay_times_page_get_type ())

G_DECLARE_FINAL_TYPE (AssayTimesPage, assay_times_page, ASSAY, TIMES_PAGE, GtkWidget)

void assay_times_page_save_trace (AssayTimesPage *self, const char *path);
void assay_times_page_press (AssayTimesPage *self, double x, double y);
const AssayTimesLook *assay_times_page_get_look (AssayTimesPage *self);

G_END_DECLS
