/* assay-allocation-page.h
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include <gtk/gtk.h>

#include "session/assay-session.h"

G_BEGIN_DECLS

/**
 * AssayAllocationPage:
 *
 * A program that does not fit: its plan up to the step at which there was no room, the request
 * beside the largest hole, what lies there, and the ways out, each with a button that tries it.
 */
#define ASSAY_TYPE_ALLOCATION_PAGE (assay_allocation_page_get_type ())

G_DECLARE_FINAL_TYPE (AssayAllocationPage, assay_allocation_page, ASSAY, ALLOCATION_PAGE, GtkWidget)

void assay_allocation_page_set_session (AssayAllocationPage *self, AssaySession *session);

G_END_DECLS
