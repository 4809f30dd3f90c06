/* assay-verdict-panel.h
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include <adwaita.h>

#include "session/assay-session.h"

G_BEGIN_DECLS

/**
 * AssayVerdictPanel:
 *
 * Verdict of the selected node with its reason, rule, stage, value and limit.
 */
#define ASSAY_TYPE_VERDICT_PANEL (assay_verdict_panel_get_type ())

G_DECLARE_FINAL_TYPE (AssayVerdictPanel, assay_verdict_panel, ASSAY, VERDICT_PANEL, GtkBox)

void assay_verdict_panel_set_session (AssayVerdictPanel *self, AssaySession *session,
                                      GtkBox *facts);

G_END_DECLS
