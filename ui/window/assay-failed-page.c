/* assay-failed-page.c
 * SPDX-License-Identifier: Apache-2.0
 */
#include "ui/window/assay-failed-page.h"
#include "ui/window/assay-action.h"
#include "ui/window/assay-template.h"

struct _AssayFailedPage
{
  GtkWidget parent_instance;

  AssaySession *session;
  char *left; /* what was open before, or NULL */

  GtkWidget *box;
  GtkLabel *what;
  GtkLabel *where;
  GtkLabel *advice;
  GtkTextView *details;
  GtkWidget *locate_button;
  GtkWidget *back_button;
  GMenu *file_section;
  GMenu *help_section;
};

G_DEFINE_FINAL_TYPE (AssayFailedPage, assay_failed_page, GTK_TYPE_WIDGET)

static void
problem_changed_cb (AssayFailedPage *self)
{
  const AssayProblem *problem = assay_session_get_problem (self->session);

  if (problem == NULL)
    return;

  gtk_label_set_label (self->what, problem->what);
  gtk_label_set_label (self->where, problem->where);
  gtk_label_set_label (self->advice, problem->advice);
  gtk_widget_set_visible (self->locate_button, problem->can_locate);
  gtk_widget_set_visible (self->back_button, self->left != NULL);
  if (self->left != NULL)
    {
      g_autofree char *name = g_filename_display_basename (self->left);
      g_autofree char *label = g_strdup_printf ("Back to %s", name);

      gtk_button_set_label (GTK_BUTTON (self->back_button), label);
      gtk_actionable_set_action_target (GTK_ACTIONABLE (self->back_button), "s", self->left);
      gtk_actionable_set_action_name (GTK_ACTIONABLE (self->back_button), "win.open-path");
    }
  gtk_text_buffer_set_text (gtk_text_view_get_buffer (self->details), problem->details, -1);
}

static void
copy_cb (AssayFailedPage *self)
{
  const AssayProblem *problem = assay_session_get_problem (self->session);

  if (problem != NULL)
    gdk_clipboard_set_text (gtk_widget_get_clipboard (GTK_WIDGET (self)), problem->details);
}

static void
assay_failed_page_dispose (GObject *object)
{
  AssayFailedPage *self = ASSAY_FAILED_PAGE (object);

  g_clear_object (&self->session);
  g_clear_pointer (&self->left, g_free);
  gtk_widget_dispose_template (GTK_WIDGET (self), ASSAY_TYPE_FAILED_PAGE);

  G_OBJECT_CLASS (assay_failed_page_parent_class)->dispose (object);
}

static void
assay_failed_page_class_init (AssayFailedPageClass *klass)
{
  GtkWidgetClass *widget_class = GTK_WIDGET_CLASS (klass);

  G_OBJECT_CLASS (klass)->dispose = assay_failed_page_dispose;

  gtk_widget_class_set_accessible_role (widget_class, GTK_ACCESSIBLE_ROLE_GROUP);
  ASSAY_BIND_TEMPLATE (klass, AssayFailedPage, "assay-failed-page", box, what, where, advice,
                       details, locate_button, back_button, file_section, help_section);
  gtk_widget_class_bind_template_callback (widget_class, copy_cb);
}

static void
assay_failed_page_init (AssayFailedPage *self)
{
  gtk_widget_init_template (GTK_WIDGET (self));
  assay_action_fill_section (self->file_section, ASSAY_MENU_START);
  assay_action_fill_section (self->help_section, ASSAY_MENU_HELP);
}

void
assay_failed_page_set_session (AssayFailedPage *self, AssaySession *session)
{
  g_set_object (&self->session, session);
  g_signal_connect_object (session, "notify::problem", G_CALLBACK (problem_changed_cb), self,
                           G_CONNECT_SWAPPED);
}

/* Another file is about to be opened: if that fails, the way back is to what is open now. */
void
assay_failed_page_note_left (AssayFailedPage *self)
{
  AssaySessionState state = assay_session_get_state (self->session);
  AssayDocument *document = assay_session_get_document (self->session);
  const char *path = assay_document_get_file_path (document);

  if (state != ASSAY_SESSION_EMPTY && state != ASSAY_SESSION_READY)
    return;

  g_free (self->left);
  self->left = g_strdup (path != NULL ? path : assay_document_get_path (document));
}

/* What was open before the file that is open now, or NULL. */
const char *
assay_failed_page_get_left (AssayFailedPage *self)
{
  return self->left;
}
