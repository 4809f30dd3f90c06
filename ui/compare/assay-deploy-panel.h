/* assay-deploy-panel.h
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include <gtk/gtk.h>

#include "session/assay-session.h"

G_BEGIN_DECLS

/**
 * AssayDeployPanel:
 *
 * What came of putting the program on a board: whether it is bit-exact with the machine, how long
 * it took there, or what is wrong with the board and where that is told.
 */
#define ASSAY_TYPE_DEPLOY_PANEL (assay_deploy_panel_get_type ())

G_DECLARE_FINAL_TYPE (AssayDeployPanel, assay_deploy_panel, ASSAY, DEPLOY_PANEL, GtkWidget)

void assay_deploy_panel_set_session (AssayDeployPanel *self, AssaySession *session);

G_END_DECLS
