/* assay-rule-window.h
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include <adwaita.h>

#include "session/assay-session.h"

G_BEGIN_DECLS

/**
 * AssayRuleWindow:
 *
 * The rule behind the verdict of one node: what the node has, what is asked, where that was
 * published, and the text in the target file.
 */
#define ASSAY_TYPE_RULE_WINDOW (assay_rule_window_get_type ())

G_DECLARE_FINAL_TYPE (AssayRuleWindow, assay_rule_window, ASSAY, RULE_WINDOW, AdwWindow)

GtkWidget *assay_rule_window_new (GtkWindow *parent, AssaySession *session);

G_END_DECLS
