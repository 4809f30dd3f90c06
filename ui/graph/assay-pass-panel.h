/* assay-pass-panel.h
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include <gtk/gtk.h>

#include "source/torch/pass/assay-torch-steps.h"

G_BEGIN_DECLS

/**
 * AssayPassPanel:
 *
 * Beside a program behind a pass: which pass it is, what it changed, and what still stands in the
 * way of a backend. Its signal `step-wanted` has the index of another step, `node-wanted` the name
 * of a node.
 */
#define ASSAY_TYPE_PASS_PANEL (assay_pass_panel_get_type ())

G_DECLARE_FINAL_TYPE (AssayPassPanel, assay_pass_panel, ASSAY, PASS_PANEL, GtkWidget)

void assay_pass_panel_show (AssayPassPanel *self, const AssayTorchSteps *steps, guint index);
void assay_pass_panel_say (AssayPassPanel *self, const char *text);

G_END_DECLS
