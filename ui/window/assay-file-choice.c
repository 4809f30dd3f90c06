/* assay-file-choice.c
 * SPDX-License-Identifier: Apache-2.0
 */
#include "ui/window/assay-file-choice.h"

#include "ui/window/assay-ui.h"

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

static void
start_in_last_folder (GtkFileChooser *chooser)
{
  g_autoptr (GSettings) settings = assay_ui_get_settings ();
  g_autofree char *folder = settings != NULL ? g_settings_get_string (settings, "last-folder")
                                             : NULL;

  if (folder != NULL && *folder != '\0' && g_file_test (folder, G_FILE_TEST_IS_DIR))
    {
      g_autoptr (GFile) file = g_file_new_for_path (folder);

      gtk_file_chooser_set_current_folder (chooser, file, NULL);
    }
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
      const AssayFileKind *kind, const char *name, AssayFileChosen chosen, gpointer data)
{
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
  start_in_last_folder (GTK_FILE_CHOOSER (self->chooser));
  if (name != NULL)
    gtk_file_chooser_set_current_name (GTK_FILE_CHOOSER (self->chooser), name);
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
 * @name: the name that is proposed
 * @chosen: called with the file
 * @data: data for @chosen
 *
 * Lets the user choose where to save a file.
 */
void
assay_file_choice_save (AssayFileChoice *self, GtkWindow *parent, const AssayFileKind *kind,
                        const char *name, AssayFileChosen chosen, gpointer data)
{
  show (self, parent, GTK_FILE_CHOOSER_ACTION_SAVE, kind, name, chosen, data);
}
