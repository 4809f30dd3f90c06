/* assay-file-choice.h
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include <gtk/gtk.h>

G_BEGIN_DECLS

/**
 * AssayFileKind:
 * @title: title of the dialog
 * @accept: label of its button
 * @pattern: what such files are called; several are separated by `;`
 * @name: what such files are
 *
 * What a file is chosen for.
 */
typedef struct
{
  const char *title;
  const char *accept;
  const char *pattern;
  const char *name;
} AssayFileKind;

/**
 * AssayFileChosen:
 * @path: the file
 * @data: the data given with the function
 *
 * Called when a file has been chosen; not if the dialog was cancelled.
 */
typedef void (*AssayFileChosen) (const char *path, gpointer data);

/**
 * AssayFileChoice:
 *
 * The file dialog of a window: one at a time. It starts beside the model that is open, and without
 * one where the last file was.
 */
typedef struct _AssayFileChoice AssayFileChoice;

AssayFileChoice *assay_file_choice_new (void) G_GNUC_WARN_UNUSED_RESULT;
void assay_file_choice_free (AssayFileChoice *self);
void assay_file_choice_open (AssayFileChoice *self, GtkWindow *parent, const AssayFileKind *kind,
                             AssayFileChosen chosen, gpointer data);
void assay_file_choice_open_folder (AssayFileChoice *self, GtkWindow *parent,
                                    const AssayFileKind *kind, AssayFileChosen chosen,
                                    gpointer data);
void assay_file_choice_save (AssayFileChoice *self, GtkWindow *parent, const AssayFileKind *kind,
                             const char *ending, AssayFileChosen chosen, gpointer data);

G_END_DECLS
