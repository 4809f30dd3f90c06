/* assay-instruction-pane.h
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include <gtk/gtk.h>

#include "session/assay-session.h"

G_BEGIN_DECLS

#define ASSAY_TYPE_INSTRUCTION_PANE (assay_instruction_pane_get_type ())

/**
 * AssayInstructionPane:
 *
 * The instructions of a program with the nodes they come from and when they work: all, those of the
 * selected node, or those that have a text. Choosing one selects its node, and moves the playhead.
 */
G_DECLARE_FINAL_TYPE (AssayInstructionPane, assay_instruction_pane, ASSAY, INSTRUCTION_PANE,
                      GtkWidget)

void assay_instruction_pane_set_session (AssayInstructionPane *self, AssaySession *session);
void assay_instruction_pane_begin_at_node (AssayInstructionPane *self);

G_END_DECLS
