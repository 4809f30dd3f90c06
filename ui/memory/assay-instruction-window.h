/* assay-instruction-window.h
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include <adwaita.h>

#include "session/assay-session.h"

G_BEGIN_DECLS

#define ASSAY_TYPE_INSTRUCTION_WINDOW (assay_instruction_window_get_type ())

/**
 * AssayInstructionWindow:
 *
 * The instructions of a program with the nodes they come from: all, those of the selected node, or
 * those that have a text. Choosing one selects its node.
 */
G_DECLARE_FINAL_TYPE (AssayInstructionWindow, assay_instruction_window, ASSAY, INSTRUCTION_WINDOW,
                      AdwWindow)

GtkWidget *assay_instruction_window_new (GtkWindow *parent, AssaySession *session);

G_END_DECLS
