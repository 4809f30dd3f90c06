/* assay-fix-list.h
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include <gtk/gtk.h>

#include "session/assay-session.h"

G_BEGIN_DECLS

/**
 * AssayFixList:
 *
 * The fixes of the finding that the selected node belongs to, best first, each with what came of
 * trying it; or what was tried in vain. The row with the focus marks on the graph what it would
 * change; activating it calls `win.apply-fix` with its number, its menu `win.apply-fix-to-node`.
 */
#define ASSAY_TYPE_FIX_LIST (assay_fix_list_get_type ())

G_DECLARE_FINAL_TYPE (AssayFixList, assay_fix_list, ASSAY, FIX_LIST, GtkWidget)

void assay_fix_list_set_session (AssayFixList *self, AssaySession *session);
int assay_fix_list_get_finding (AssayFixList *self);
const AssayFixOffer *assay_fix_list_get_offer (AssayFixList *self, guint index);
void assay_fix_list_present (AssayFixList *self);

G_END_DECLS
