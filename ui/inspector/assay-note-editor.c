/* assay-note-editor.c
 * SPDX-License-Identifier: Apache-2.0
 */
#include "ui/inspector/assay-note-editor.h"

#include "ui/window/assay-ui.h"

struct _AssayNoteEditor
{
  GtkWidget parent_instance;

  AssaySession *session;
  gboolean filling;

  GtkWidget *box;
  GtkTextView *view;
  GtkWidget *hint;
  GtkToggleButton *pin;
};

G_DEFINE_FINAL_TYPE (AssayNoteEditor, assay_note_editor, GTK_TYPE_WIDGET)

/* Notes go by name: a node without one has none, and several that are selected together have none
 * in common. */
static const char *
get_name (AssayNoteEditor *self)
{
  gboolean several = assay_node_table_get_n_selected (
                         assay_session_get_node_table (self->session)) > 1;
  AssayVerdicts *verdicts = assay_session_get_verdicts (self->session);
  AssayNodeId node = assay_session_get_selection (self->session);
  const char *name = verdicts != NULL && node != ASSAY_NO_NODE && !several
                         ? assay_graph_node (verdicts->graph, node)->name
                         : "";

  return *name != '\0' ? name : NULL;
}

static char *
dup_text (AssayNoteEditor *self)
{
  GtkTextBuffer *buffer = gtk_text_view_get_buffer (self->view);
  GtkTextIter start, end;

  gtk_text_buffer_get_bounds (buffer, &start, &end);
  return gtk_text_buffer_get_text (buffer, &start, &end, FALSE);
}

static void
update (AssayNoteEditor *self)
{
  const char *name = get_name (self);
  const char *note = name != NULL ? assay_session_get_note (self->session, name) : NULL;
  g_autofree char *text = dup_text (self);
  const char *tip = note == NULL    ? "Pin the node"
                    : *note == '\0' ? "Unpin the node"
                                    : "Unpin the node and drop its note";

  gtk_widget_set_visible (GTK_WIDGET (self), name != NULL);
  self->filling = TRUE;
  /* What is being typed comes back from the session as it is; setting it would move the cursor. */
  if (g_strcmp0 (text, note != NULL ? note : "") != 0)
    gtk_text_buffer_set_text (gtk_text_view_get_buffer (self->view), note != NULL ? note : "", -1);
  gtk_toggle_button_set_active (self->pin, note != NULL);
  self->filling = FALSE;

  gtk_widget_set_visible (self->hint, note == NULL || *note == '\0');
  assay_ui_set_tooltip (GTK_WIDGET (self->pin), tip);
  gtk_accessible_update_property (GTK_ACCESSIBLE (self->pin), GTK_ACCESSIBLE_PROPERTY_LABEL, tip,
                                  -1);
}

/* A note that becomes empty leaves the pin: one that is being written anew would come and go in the
 * graph. */
static void
typed_cb (AssayNoteEditor *self)
{
  g_autofree char *text = dup_text (self);
  const char *name = get_name (self);

  if (!self->filling && name != NULL)
    assay_session_set_note (self->session, name, text);
}

static void
pinned_cb (AssayNoteEditor *self)
{
  const char *name = get_name (self);

  if (!self->filling && name != NULL)
    assay_session_set_note (self->session, name,
                            gtk_toggle_button_get_active (self->pin) ? "" : NULL);
}

static void
assay_note_editor_dispose (GObject *object)
{
  AssayNoteEditor *self = ASSAY_NOTE_EDITOR (object);

  g_clear_pointer (&self->box, gtk_widget_unparent);
  g_clear_object (&self->session);

  G_OBJECT_CLASS (assay_note_editor_parent_class)->dispose (object);
}

static void
assay_note_editor_class_init (AssayNoteEditorClass *klass)
{
  G_OBJECT_CLASS (klass)->dispose = assay_note_editor_dispose;

  gtk_widget_class_set_layout_manager_type (GTK_WIDGET_CLASS (klass), GTK_TYPE_BIN_LAYOUT);
  gtk_widget_class_set_accessible_role (GTK_WIDGET_CLASS (klass), GTK_ACCESSIBLE_ROLE_GROUP);
}

static GtkWidget *
make_head (AssayNoteEditor *self)
{
  GtkWidget *head = gtk_box_new (GTK_ORIENTATION_HORIZONTAL, 6);
  GtkWidget *title = gtk_label_new ("Notes");

  gtk_label_set_xalign (GTK_LABEL (title), 0);
  gtk_widget_set_hexpand (title, TRUE);
  gtk_widget_add_css_class (title, "caption-heading");

  self->pin = GTK_TOGGLE_BUTTON (gtk_toggle_button_new ());
  gtk_button_set_icon_name (GTK_BUTTON (self->pin), "view-pin-symbolic");
  gtk_widget_add_css_class (GTK_WIDGET (self->pin), "flat");
  g_signal_connect_swapped (self->pin, "toggled", G_CALLBACK (pinned_cb), self);

  gtk_box_append (GTK_BOX (head), title);
  gtk_box_append (GTK_BOX (head), GTK_WIDGET (self->pin));
  return head;
}

static void
assay_note_editor_init (AssayNoteEditor *self)
{
  GtkWidget *overlay = gtk_overlay_new ();

  self->view = GTK_TEXT_VIEW (gtk_text_view_new ());
  g_object_set (self->view, "wrap-mode", GTK_WRAP_WORD_CHAR, "accepts-tab", FALSE, "left-margin", 9,
                "right-margin", 9, "top-margin", 6, "bottom-margin", 6, NULL);
  /* There is one undo, that of the session. */
  gtk_text_buffer_set_enable_undo (gtk_text_view_get_buffer (self->view), FALSE);
  gtk_widget_add_css_class (GTK_WIDGET (self->view), "note");
  gtk_accessible_update_property (GTK_ACCESSIBLE (self->view), GTK_ACCESSIBLE_PROPERTY_LABEL,
                                  "Note on the node", GTK_ACCESSIBLE_PROPERTY_MULTI_LINE, TRUE, -1);
  g_signal_connect_swapped (gtk_text_view_get_buffer (self->view), "changed", G_CALLBACK (typed_cb),
                            self);

  self->hint = gtk_label_new ("Write a note");
  g_object_set (self->hint, "xalign", 0.0f, "yalign", 0.0f, "margin-start", 9, "margin-top", 6,
                "can-target", FALSE, NULL);
  gtk_widget_add_css_class (self->hint, "secondary");
  gtk_overlay_set_child (GTK_OVERLAY (overlay), GTK_WIDGET (self->view));
  gtk_overlay_add_overlay (GTK_OVERLAY (overlay), self->hint);

  self->box = gtk_box_new (GTK_ORIENTATION_VERTICAL, 3);
  gtk_box_append (GTK_BOX (self->box), make_head (self));
  gtk_box_append (GTK_BOX (self->box), overlay);
  gtk_widget_set_parent (self->box, GTK_WIDGET (self));
  gtk_accessible_update_property (GTK_ACCESSIBLE (self), GTK_ACCESSIBLE_PROPERTY_LABEL, "Notes",
                                  -1);
}

/**
 * assay_note_editor_set_session:
 * @self: an editor
 * @session: a session
 *
 * Shows the note on whatever node is selected in a session; nothing while none is.
 */
void
assay_note_editor_set_session (AssayNoteEditor *self, AssaySession *session)
{
  g_set_object (&self->session, session);
  g_signal_connect_object (session, "notify::verdicts", G_CALLBACK (update), self,
                           G_CONNECT_SWAPPED);
  g_signal_connect_object (session, "notify::selection", G_CALLBACK (update), self,
                           G_CONNECT_SWAPPED);
  g_signal_connect_object (session, "notify::pins", G_CALLBACK (update), self, G_CONNECT_SWAPPED);
  g_signal_connect_object (assay_session_get_node_table (session), "notify::n-selected",
                           G_CALLBACK (update), self, G_CONNECT_SWAPPED);
  update (self);
}

/**
 * assay_note_editor_present:
 * @self: an editor
 *
 * Gives the entry the focus, with the cursor at the end of the note.
 */
void
assay_note_editor_present (AssayNoteEditor *self)
{
  GtkTextBuffer *buffer = gtk_text_view_get_buffer (self->view);
  GtkTextIter end;

  gtk_text_buffer_get_end_iter (buffer, &end);
  gtk_text_buffer_place_cursor (buffer, &end);
  gtk_widget_grab_focus (GTK_WIDGET (self->view));
}
