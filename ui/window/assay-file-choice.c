/* assay-file-choice.c
 * SPDX-License-Identifier: Apache-2.0
 */
#include "ui/window/assay-file-choice.h"

#include <glib/gstdio.h>

#include "source/assay-importer.h"
#include "ui/window/assay-ui.h"
#include "ui/window/assay-window.h"

struct _AssayFileChoice
{
  GtkFileChooserNative *chooser;
  AssayFileChosen chosen;
  gpointer data;
};

AssayFileChoice *
assay_file_choice_new (void)
{
  return g_new0 (AssayFileChoice, 1);
}

static void
drop (AssayFileChoice *self)
{
  if (self->chooser == NULL)
    return;

  g_signal_handlers_disconnect_by_data (self->chooser, self);
  gtk_native_dialog_destroy (GTK_NATIVE_DIALOG (self->chooser));
  g_clear_object (&self->chooser);
}

void
assay_file_choice_free (AssayFileChoice *self)
{
  drop (self);
  g_free (self);
}

static void
keep_folder (const char *path)
{
  g_autoptr (GSettings) settings = assay_ui_get_settings ();
  g_autofree char *folder = g_path_get_dirname (path);

  if (settings != NULL && g_utf8_validate (folder, -1, NULL))
    g_settings_set_string (settings, "last-folder", folder);
}

/* The model that the window works on, or one that belongs to the window; %NULL if none is open. */
static const char *
find_model (GtkWindow *window)
{
  while (window != NULL && !ASSAY_IS_WINDOW (window))
    window = gtk_window_get_transient_for (window);

  return window != NULL ? assay_document_get_path (assay_session_get_document (
                              assay_window_get_session (ASSAY_WINDOW (window))))
                        : NULL;
}

/* Examples that are installed lie where nobody can save. */
static gboolean
start_in (GtkFileChooser *chooser, const char *folder)
{
  gboolean saves = gtk_file_chooser_get_action (chooser) == GTK_FILE_CHOOSER_ACTION_SAVE;
  g_autoptr (GFile) file = g_file_new_for_path (folder);

  return *folder != '\0' && g_file_test (folder, G_FILE_TEST_IS_DIR) &&
         (!saves || g_access (folder, W_OK) == 0) &&
         gtk_file_chooser_set_current_folder (chooser, file, NULL);
}

/* What belongs to a model lies beside it; without one it is where the last file was. */
static void
start_in_folder (GtkFileChooser *chooser, const char *model)
{
  g_autoptr (GSettings) settings = assay_ui_get_settings ();
  g_autofree char *beside = model != NULL ? g_path_get_dirname (model) : g_strdup ("");
  g_autofree char *last = settings != NULL ? g_settings_get_string (settings, "last-folder")
                                           : g_strdup ("");

  if (!start_in (chooser, beside))
    start_in (chooser, last);
}

static char *
propose_name (const char *model, const char *ending)
{
  g_autofree char *name = g_filename_display_basename (model != NULL ? model : "");
  g_autofree char *stem = assay_importer_dup_stem (name);

  return g_strconcat (model != NULL && *stem != '\0' ? stem : "model", ending, NULL);
}

static void
response_cb (AssayFileChoice *self, int response, GtkFileChooserNative *chooser)
{
  g_autoptr (GFile) file = NULL;
  g_autofree char *path = NULL;

  if (response == GTK_RESPONSE_ACCEPT)
    {
      file = gtk_file_chooser_get_file (GTK_FILE_CHOOSER (chooser));
      path = file != NULL ? g_file_get_path (file) : NULL;
    }

  g_clear_object (&self->chooser);
  if (path == NULL)
    return;

  keep_folder (path);
  self->chosen (path, self->data);
}

static void
show (AssayFileChoice *self, GtkWindow *parent, GtkFileChooserAction action,
      const AssayFileKind *kind, const char *ending, AssayFileChosen chosen, gpointer data)
{
  const char *model = find_model (parent);
  g_autoptr (GtkFileFilter) filter = gtk_file_filter_new ();
  g_autoptr (GtkFileFilter) all = gtk_file_filter_new ();
  g_auto (GStrv) patterns = g_strsplit (kind->pattern, ";", -1);

  drop (self);
  self->chosen = chosen;
  self->data = data;
  self->chooser = gtk_file_chooser_native_new (kind->title, parent, action, kind->accept,
                                               "_Cancel");
  gtk_native_dialog_set_modal (GTK_NATIVE_DIALOG (self->chooser), TRUE);
  gtk_file_filter_set_name (filter, kind->name);
  for (guint i = 0; patterns[i] != NULL; i++)
    gtk_file_filter_add_pattern (filter, patterns[i]);
  gtk_file_filter_set_name (all, "All Files");
  gtk_file_filter_add_pattern (all, "*");
  gtk_file_chooser_add_filter (GTK_FILE_CHOOSER (self->chooser), filter);
  gtk_file_chooser_add_filter (GTK_FILE_CHOOSER (self->chooser), all);
  start_in_folder (GTK_FILE_CHOOSER (self->chooser), model);
  if (ending != NULL)
    {
      g_autofree char *name = propose_name (model, ending);

      gtk_file_chooser_set_current_name (GTK_FILE_CHOOSER (self->chooser), name);
    }
  g_signal_connect_swapped (self->chooser, "response", G_CALLBACK (response_cb), self);
  gtk_native_dialog_show (GTK_NATIVE_DIALOG (self->chooser));
}

/**
 * assay_file_choice_open:
 * @self: a file choice
 * @parent: the window that asks
 * @kind: what the file is for
 * @chosen: called with the file
 * @data: data for @chosen
 *
 * Lets the user choose a file that exists.
 */
void
assay_file_choice_open (AssayFileChoice *self, GtkWindow *parent, const AssayFileKind *kind,
                        AssayFileChosen chosen, gpointer data)
{
  show (self, parent, GTK_FILE_CHOOSER_ACTION_OPEN, kind, NULL, chosen, data);
}

/**
 * assay_file_choice_open_folder:
 * @self: a file choice
 * @parent: the window that asks
 * @kind: what the folder is for
 * @chosen: called with the folder
 * @data: data for @chosen
 *
 * Lets the user choose a folder that exists.
 */
void
assay_file_choice_open_folder (AssayFileChoice *self, GtkWindow *parent, const AssayFileKind *kind,
                               AssayFileChosen chosen, gpointer data)
{
  show (self, parent, GTK_FILE_CHOOSER_ACTION_SELECT_FOLDER, kind, NULL, chosen, data);
}

/**
 * assay_file_choice_save:
 * @self: a file choice
 * @parent: the window that asks
 * @kind: what the file is for
 * @ending: what the proposed name has behind that of the model, such as `-fixed.onnx`
 * @chosen: called with the file
 * @data: data for @chosen
 *
 * Lets the user choose where to save a file: beside the model and named after it, if one is open.
 */
void
assay_file_choice_save (AssayFileChoice *self, GtkWindow *parent, const AssayFileKind *kind,
                        const char *ending, AssayFileChosen chosen, gpointer data)
{
  show (self, parent, GTK_FILE_CHOOSER_ACTION_SAVE, kind, ending, chosen, data);
}
