/* assay-window-trust.c
 * SPDX-License-Identifier: Apache-2.0
 *
 * Programs that a session file names are started only if the user allows it.
 */
#include "ui/window/assay-window-private.h"

#include "text/assay-terminal.h"

static void
response_cb (AssayWindow *self, const char *response)
{
  assay_session_answer_withheld (self->session, g_str_equal (response, "allow"));
}

/* Asks when a session file was opened that names programs, each with its whole command. */
void
assay_window_ask_to_trust (AssayWindow *self)
{
  g_auto (GStrv) runners = assay_session_dup_withheld (self->session);
  AssayDocument *document = assay_session_get_document (self->session);
  g_autoptr (GString) body = g_string_new (NULL);
  AdwMessageDialog *dialog;
  GtkWidget *widget;

  if (runners == NULL)
    return;

  /* As terminals are shown it: nothing in a name can look like something else. */
  assay_terminal_append_format (
      body, "%s names what it runs on:", assay_document_get_opened_path (document));
  for (guint i = 0; runners[i] != NULL; i++)
    assay_terminal_append_format (body, "\n\n%s", runners[i]);
  g_string_append (body,
                   "\n\nA program can do whatever you can do. Allow it only if you know where "
                   "this file comes from. Assay remembers the answer for this file in this "
                   "folder.");

  widget = adw_message_dialog_new (GTK_WINDOW (self), "Allow Programs?", body->str);
  dialog = ADW_MESSAGE_DIALOG (widget);
  adw_message_dialog_add_responses (dialog, "refuse", "_Do Not Allow", "allow", "_Allow", NULL);
  adw_message_dialog_set_response_appearance (dialog, "allow", ADW_RESPONSE_DESTRUCTIVE);
  adw_message_dialog_set_default_response (dialog, "refuse");
  adw_message_dialog_set_close_response (dialog, "refuse");
  g_signal_connect_object (dialog, "response", G_CALLBACK (response_cb), self, G_CONNECT_SWAPPED);
  gtk_window_present (GTK_WINDOW (dialog));
}
