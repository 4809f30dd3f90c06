/* assay-preview-bar.c
 * SPDX-License-Identifier: Apache-2.0
 */
#include "ui/window/assay-preview-bar.h"

#include "base/assay-sentence.h"
#include "ui/window/assay-template.h"
#include "ui/window/assay-ui.h"

struct _AssayPreviewBar
{
  GtkWidget parent_instance;

  AssaySession *session;
  gboolean syncing;

  GtkRevealer *revealer;
  GtkBox *sides;
  GtkToggleButton *before;
  GtkToggleButton *after;
  GtkLabel *title;
  GtkLabel *numbers;
  GtkButton *apply;
};

G_DEFINE_FINAL_TYPE (AssayPreviewBar, assay_preview_bar, GTK_TYPE_WIDGET)

static AssayPreview *
get_preview (AssayPreviewBar *self)
{
  return assay_session_get_preview (self->session);
}

/* A bar that goes away keeps its words until it is gone. */
static void
update (AssayPreviewBar *self)
{
  AssayPreview *preview = get_preview (self);
  gboolean active = assay_preview_get_active (preview);
  g_autofree char *title = NULL, *text = NULL, *numbers = NULL;

  if (active)
    {
      title = assay_sentence_dup_shown (assay_preview_get_title (preview));
      text = assay_preview_dup_text (preview);
      numbers = assay_sentence_dup_shown (text);
      gtk_label_set_label (self->title, title);
      assay_ui_set_tooltip (GTK_WIDGET (self->title), title);
      gtk_label_set_label (self->numbers, numbers);
      self->syncing = TRUE;
      gtk_toggle_button_set_active (assay_preview_get_after (preview) ? self->after : self->before,
                                    TRUE);
      self->syncing = FALSE;
    }
  gtk_revealer_set_reveal_child (self->revealer, active);
}

/* Enter applies and Escape leaves, wherever the preview was begun. */
static void
active_changed_cb (AssayPreviewBar *self)
{
  update (self);
  if (assay_preview_get_active (get_preview (self)))
    gtk_widget_grab_focus (GTK_WIDGET (self->apply));
}

static void
toggled_cb (AssayPreviewBar *self)
{
  if (!self->syncing && self->session != NULL)
    assay_preview_show (get_preview (self), gtk_toggle_button_get_active (self->after));
}

static void
assay_preview_bar_dispose (GObject *object)
{
  AssayPreviewBar *self = ASSAY_PREVIEW_BAR (object);

  gtk_widget_dispose_template (GTK_WIDGET (self), ASSAY_TYPE_PREVIEW_BAR);
  g_clear_object (&self->session);

  G_OBJECT_CLASS (assay_preview_bar_parent_class)->dispose (object);
}

static void
assay_preview_bar_class_init (AssayPreviewBarClass *klass)
{
  GtkWidgetClass *widget_class = GTK_WIDGET_CLASS (klass);

  G_OBJECT_CLASS (klass)->dispose = assay_preview_bar_dispose;

  gtk_widget_class_set_accessible_role (widget_class, GTK_ACCESSIBLE_ROLE_GROUP);
  ASSAY_BIND_TEMPLATE (klass, AssayPreviewBar, "assay-preview-bar", revealer, sides, before, after,
                       title, numbers, apply);
  gtk_widget_class_bind_template_callback (widget_class, toggled_cb);
}

static void
assay_preview_bar_init (AssayPreviewBar *self)
{
  gtk_widget_init_template (GTK_WIDGET (self));
  assay_ui_show_whole (GTK_WIDGET (self->numbers));
}

/**
 * assay_preview_bar_set_session:
 * @self: a bar
 * @session: the session
 *
 * Shows the preview of a session.
 */
void
assay_preview_bar_set_session (AssayPreviewBar *self, AssaySession *session)
{
  AssayPreview *preview = assay_session_get_preview (session);

  g_set_object (&self->session, session);
  g_signal_connect_object (preview, "notify::active", G_CALLBACK (active_changed_cb), self,
                           G_CONNECT_SWAPPED);
  g_signal_connect_object (preview, "changed", G_CALLBACK (update), self, G_CONNECT_SWAPPED);
  update (self);
}
