/* assay-instruction-window.c
 * SPDX-License-Identifier: Apache-2.0
 */
#include "ui/memory/assay-instruction-window.h"

#include "ui/memory/assay-instruction-pane.h"
#include "ui/window/assay-template.h"
#include "ui/window/assay-ui.h"

struct _AssayInstructionWindow
{
  AdwWindow parent_instance;

  AssayInstructionPane *pane;
};

G_DEFINE_FINAL_TYPE (AssayInstructionWindow, assay_instruction_window, ADW_TYPE_WINDOW)

static void
assay_instruction_window_class_init (AssayInstructionWindowClass *klass)
{
  g_type_ensure (ASSAY_TYPE_INSTRUCTION_PANE);
  ASSAY_BIND_TEMPLATE (klass, AssayInstructionWindow, "assay-instruction-window", pane);
  gtk_widget_class_add_binding_action (GTK_WIDGET_CLASS (klass), GDK_KEY_Escape, 0, "window.close",
                                       NULL);
}

static void
assay_instruction_window_init (AssayInstructionWindow *self)
{
  gtk_widget_init_template (GTK_WIDGET (self));
  assay_ui_name_parts (GTK_WIDGET (self));
}

/**
 * assay_instruction_window_new:
 * @parent: the window it belongs to
 * @session: a session
 *
 * Makes the window; it begins with the instructions of the selected node, if one is selected.
 *
 * Returns: (transfer none): the window
 */
GtkWidget *
assay_instruction_window_new (GtkWindow *parent, AssaySession *session)
{
  AssayInstructionWindow *self = g_object_new (ASSAY_TYPE_INSTRUCTION_WINDOW, "transient-for",
                                               parent, "destroy-with-parent", TRUE, NULL);

  assay_instruction_pane_set_session (self->pane, session);
  assay_instruction_pane_begin_at_node (self->pane);
  return GTK_WIDGET (self);
}
