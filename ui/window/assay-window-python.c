/* assay-window-python.c
 * SPDX-License-Identifier: Apache-2.0
 *
 * Files of PyTorch run code when they are opened: they are opened only if the user allows it.
 */
#include "ui/window/assay-window-private.h"

#include "document/assay-trust.h"
#include "source/torch/assay-torch-export.h"
#include "text/assay-terminal.h"

/* What was asked about, and what the user says to it. */
typedef struct
{
  AssayWindow *window;
  char *path;
  char *key;
  GtkEditable *name; /* NULL for files that are no source of Python */
  GtkEditable *shapes;
} Question;

static void
question_free (gpointer data, GClosure *closure)
{
  Question *question = data;

  g_object_unref (question->window);
  g_free (question->path);
  g_free (question->key);
  g_free (question);
}

static void
response_cb (AdwMessageDialog *dialog, const char *response, Question *question)
{
  g_auto (GStrv) shapes = NULL;

  if (!g_str_equal (response, "allow"))
    return;

  shapes = g_strsplit_set (gtk_editable_get_text (question->shapes), " ;", -1);
  if (shapes[0] != NULL && shapes[0][0] == '\0')
    g_clear_pointer (&shapes, g_strfreev);
  assay_session_open_python (question->window->session, question->path, question->key,
                             question->name != NULL ? gtk_editable_get_text (question->name) : NULL,
                             (const char *const *) shapes);
}

static GtkEditable *
add_entry (GtkBox *box, const char *label, const char *placeholder)
{
  GtkWidget *title = gtk_label_new (label);
  GtkWidget *entry = gtk_entry_new ();

  gtk_label_set_xalign (GTK_LABEL (title), 0);
  gtk_label_set_wrap (GTK_LABEL (title), TRUE);
  gtk_entry_set_placeholder_text (GTK_ENTRY (entry), placeholder);
  gtk_entry_set_activates_default (GTK_ENTRY (entry), FALSE);
  gtk_accessible_update_property (GTK_ACCESSIBLE (entry), GTK_ACCESSIBLE_PROPERTY_LABEL, label, -1);
  gtk_box_append (box, title);
  gtk_box_append (box, entry);

  return GTK_EDITABLE (entry);
}

static void
ask (AssayWindow *self, const char *path, const char *key)
{
  g_autoptr (GString) body = g_string_new (NULL);
  GtkWidget *widget, *box;
  AdwMessageDialog *dialog;
  Question *question = g_new0 (Question, 1);

  question->window = g_object_ref (self);
  question->path = g_strdup (path);
  question->key = g_strdup (key);

  /* As terminals are shown it: nothing in a name can look like something else. */
  assay_terminal_append_format (
      body, "Only PyTorch opens this, and runs the code in it:\n\nassay-torch %s", path);
  g_string_append (
      body, "\n\nThat code can read what you can read. It runs in a process that can write to "
            "one temporary folder only. Allow it only if you know where this file comes "
            "from. Assay remembers the answer for this file in this folder.");

  widget = adw_message_dialog_new (GTK_WINDOW (self), "Run the Code in This File?", body->str);
  dialog = ADW_MESSAGE_DIALOG (widget);
  box = gtk_box_new (GTK_ORIENTATION_VERTICAL, 6);
  if (g_str_has_suffix (path, ".py"))
    question->name = add_entry (GTK_BOX (box), "Class or instance in the file", "Net");
  question->shapes = add_entry (GTK_BOX (box), "Shapes of example inputs, if the file has none",
                                "1,3,224,224");
  adw_message_dialog_set_extra_child (dialog, box);
  adw_message_dialog_add_responses (dialog, "refuse", "_Do Not Run", "allow", "_Run", NULL);
  adw_message_dialog_set_response_appearance (dialog, "allow", ADW_RESPONSE_DESTRUCTIVE);
  adw_message_dialog_set_default_response (dialog, "refuse");
  adw_message_dialog_set_close_response (dialog, "refuse");
  g_signal_connect_data (dialog, "response", G_CALLBACK (response_cb), question, question_free, 0);
  gtk_window_present (GTK_WINDOW (dialog));
}

/* One file to be told from others. */
typedef struct
{
  char *path;
  char *key; /* out */
} Summing;

static void
summing_free (gpointer data)
{
  Summing *summing = data;

  g_free (summing->path);
  g_free (summing->key);
  g_free (summing);
}

/* A big file takes a while. */
static gboolean
sum_up (gpointer request, const AssayProgress *progress, GError **error)
{
  Summing *summing = request;

  summing->key = assay_trust_dup_file_key (summing->path, progress, error);
  return summing->key != NULL;
}

static void
summed_up (gpointer owner, gpointer request, const GError *error)
{
  AssayWindow *self = owner;
  const Summing *summing = request;
  const char *key = summing->key;
  gboolean is_again;

  g_clear_object (&self->summing);
  if (g_error_matches (error, ASSAY_ERROR, ASSAY_ERROR_CANCELLED))
    return;

  is_again = assay_session_get_problem (self->session) != NULL &&
             g_strcmp0 (assay_document_get_path (assay_session_get_document (self->session)),
                        summing->path) == 0;
  /* A source does not say what in it is the model, and one that did not open lacks something. */
  if (key != NULL &&
      (!assay_trust_has (key) || g_str_has_suffix (summing->path, ".py") || is_again))
    ask (self, summing->path, key);
  else
    assay_session_open_async (self->session, summing->path, NULL, NULL, NULL);
}

/* Opens a file of PyTorch, after asking whether it may; until then everything stays as it is. */
void
assay_window_open_python (AssayWindow *self, const char *path)
{
  Summing *summing = g_new0 (Summing, 1);

  assay_jobs_cancel (&self->summing);
  self->summing = assay_session_add_job (self->session, "Looking at the file");
  summing->path = g_strdup (path);
  assay_job_start (self->summing, sum_up, summing, summing_free, summed_up, self);
}
