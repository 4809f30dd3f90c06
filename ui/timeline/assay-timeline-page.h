/* assay-timeline-page.h
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include "ui/window/assay-page.h"

G_BEGIN_DECLS

/**
 * AssayTimelinePage:
 *
 * The Timeline page: what an inference takes, what every unit does when, and a table of how busy
 * each is and what its instructions waited for.
 */
#define ASSAY_TYPE_TIMELINE_PAGE (assay_timeline_page_get_type ())

G_DECLARE_FINAL_TYPE (AssayTimelinePage, assay_timeline_page, ASSAY, TIMELINE_PAGE, GtkWidget)

void assay_timeline_page_save_trace (AssayTimelinePage *self, const char *path);

G_END_DECLS
