/* assay-inspector.h
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include <adwaita.h>

#include "session/assay-session.h"
#include "ui/inspector/assay-fix-list.h"

G_BEGIN_DECLS

/**
 * AssayInspector:
 *
 * Everything about the selected node, or about the model when nothing is selected.
 */
#define ASSAY_TYPE_INSPECTOR (assay_inspector_get_type ())

G_DECLARE_FINAL_TYPE (AssayInspector, assay_inspector, ASSAY, INSPECTOR, GtkWidget)

void assay_inspector_set_session (AssayInspector *self, AssaySession *session);

AssayFixList *assay_inspector_get_fixes (AssayInspector *self);
void assay_inspector_show_fixes (AssayInspector *self);
void assay_inspector_edit_note (AssayInspector *self);
void assay_inspector_set_removed (AssayInspector *self, AssayVerdicts *verdicts, AssayNodeId node);

G_END_DECLS
