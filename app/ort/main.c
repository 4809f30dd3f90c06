/* main.c
 * SPDX-License-Identifier: Apache-2.0
 *
 * Runs models with ONNX Runtime, in a process of its own: what a library of this size does, or
 * hangs in, must not be able to take the program with it. Speaks the protocol of
 * docs/runner-command.md.
 */
#include <glib/gstdio.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "assay-onnxruntime.h"
#include "run/assay-run-folder.h"

static gboolean
run_folder (AssayOnnxruntime *runtime, const char *path, GError **error)
{
  g_autoptr (AssayRunFolder) folder = assay_run_folder_open (path, error);
  g_autoptr (GPtrArray) results = NULL;
  gint64 latency;

  if (folder == NULL)
    return FALSE;
  results = assay_onnxruntime_run (runtime, folder->inputs, folder->tensors, folder->outputs,
                                   folder->values, &latency, error);
  if (results == NULL)
    return FALSE;

  for (guint i = 0; i < results->len; i++)
    {
      gboolean is_value = i >= folder->outputs->len;

      if (!assay_run_folder_save_output (folder, is_value, is_value ? i - folder->outputs->len : i,
                                         g_ptr_array_index (results, i), error))
        return FALSE;
    }

  return assay_run_folder_save_result (folder, &latency, 1, error);
}

/* One line whatever the message holds. */
static void
answer (FILE *out, const char *good, const GError *error)
{
  if (error == NULL)
    {
      fprintf (out, "%s\n", good);
    }
  else
    {
      g_autofree char *text = g_strdelimit (g_strdup (error->message), "\r\n", ' ');

      fprintf (out, "error %.3000s\n", text);
    }
  fflush (out);
}

/* Newer libraries keep a diary in the home folder, or else in the current one, which nobody has
 * asked for. They get a folder of their own. */
static char *
enter_own_home (void)
{
  char *home = g_dir_make_tmp ("assay-ort-XXXXXX", NULL);

  if (home == NULL || g_chdir (home) != 0)
    return home;
  g_setenv ("HOME", home, TRUE);
  g_setenv ("XDG_CACHE_HOME", home, TRUE);

  return home;
}

/* What is open in it stays open; a folder that is gone takes nothing more, also if this process is
 * killed. */
static void
leave_own_home (const char *home)
{
  if (home != NULL)
    assay_run_delete_tree (home);
}

int
main (int argc, char **argv)
{
  g_autoptr (AssayOnnxruntime) runtime = NULL;
  g_autoptr (GError) error = NULL;
  g_autofree char *line = NULL;
  g_autofree char *model = NULL;
  g_autofree char *library = NULL;
  g_autofree char *home = NULL;
  size_t size = 0;
  FILE *out;

  if (argc < 3)
    {
      fputs ("usage: assay-ort MODEL THREADS [LIBRARY]\n"
             "Started by assay; speaks the protocol of its runners.\n",
             stderr);
      return 2;
    }

  /* Answers have standard output to themselves; what the library prints goes where messages go. */
  out = fdopen (dup (STDOUT_FILENO), "w");
  if (out == NULL || dup2 (STDERR_FILENO, STDOUT_FILENO) < 0)
    return 3;

  model = g_canonicalize_filename (argv[1], NULL);
  library = argc > 3 && strchr (argv[3], '/') != NULL ? g_canonicalize_filename (argv[3], NULL)
                                                      : g_strdup (argc > 3 ? argv[3] : NULL);
  home = enter_own_home ();
  runtime = assay_onnxruntime_new (library, model, (guint) strtoul (argv[2], NULL, 10), &error);
  leave_own_home (home);
  answer (out, "ready", error);
  if (runtime == NULL)
    return 1;

  while (getline (&line, &size, stdin) > 0)
    {
      g_clear_error (&error);
      line[strcspn (line, "\n")] = '\0';
      run_folder (runtime, line, &error);
      answer (out, "ok", error);
    }

  return 0;
}
