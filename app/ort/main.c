/* main.c
 * SPDX-License-Identifier: Apache-2.0
 *
 * Runs models with ONNX Runtime, in a process of its own: what a library of this size does, or
 * hangs in, must not be able to take the program with it. Speaks the protocol of
 * docs/runner-command.md.
 */
#include <errno.h>
#include <glib/gstdio.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "assay-onnxruntime.h"
#include "base/assay-error.h"
#include "process/assay-confine.h"
#include "process/assay-process.h"
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
      const AssayRunParts *parts = g_ptr_array_index (results, i);
      gboolean saved;

      if (*(const char *) g_ptr_array_index (parts->names, 0) == '\0')
        saved = assay_run_folder_save_output (folder, is_value,
                                              is_value ? i - folder->outputs->len : i,
                                              g_ptr_array_index (parts->tensors, 0), error);
      else
        saved = assay_run_folder_save_parts (folder, i, parts, error);
      if (!saved)
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
 * asked for. They get the folder that this process may write to. */
static gboolean
enter (const char *folder, GError **error)
{
  const AssayConfinement confinement = { .writable = folder, .devices = TRUE };

  g_setenv ("HOME", folder, TRUE);
  g_setenv ("TMPDIR", folder, TRUE);
  g_setenv ("XDG_CACHE_HOME", folder, TRUE);
  if (g_chdir (folder) == 0)
    return assay_confine (&confinement, error);

  g_set_error (error, ASSAY_ERROR, ASSAY_ERROR_IO, "%s: %s", folder, g_strerror (errno));
  return FALSE;
}

/* The caller's folder is left before the library is loaded; a plain name is looked for by the
 * loader. */
static char *
dup_library (const char *library)
{
  gboolean is_path = library != NULL &&
                     (strchr (library, '/') != NULL || g_file_test (library, G_FILE_TEST_EXISTS));

  return is_path ? g_canonicalize_filename (library, NULL) : g_strdup (library);
}

/* The library is as little to be trusted here: it has nowhere to write. */
static int
print_version (const char *library)
{
  const AssayConfinement confinement = { 0 };
  g_autoptr (GError) error = NULL;
  g_autofree char *path = dup_library (library != NULL ? library : g_getenv ("ASSAY_ONNXRUNTIME"));
  g_autofree char *version = assay_confine (&confinement, &error)
                                 ? assay_onnxruntime_dup_version (path, &error)
                                 : NULL;

  answer (stdout, version, error);

  return version != NULL ? 0 : 1;
}

static int
serve (int argc, char **argv)
{
  g_autoptr (AssayOnnxruntime) runtime = NULL;
  g_autoptr (GError) error = NULL;
  g_autofree char *line = NULL;
  g_autofree char *model = NULL;
  g_autofree char *library = NULL;
  size_t size = 0;
  FILE *out;

  if (argc >= 2 && g_str_equal (argv[1], "version"))
    return print_version (argv[2]);

  if (argc < 5 || (!g_str_equal (argv[4], "all") && !g_str_equal (argv[4], "none")))
    {
      fputs ("usage: assay-ort MODEL FOLDER THREADS all|none [LIBRARY]\n"
             "       assay-ort version [LIBRARY]\n"
             "Started by assay; speaks the protocol of its runners.\n",
             stderr);
      return 2;
    }

  /* Answers have standard output to themselves; what the library prints goes where messages go. */
  out = fdopen (dup (STDOUT_FILENO), "w");
  if (out == NULL || dup2 (STDERR_FILENO, STDOUT_FILENO) < 0)
    return 3;

  model = g_canonicalize_filename (argv[1], NULL);
  library = dup_library (argc > 5 ? argv[5] : g_getenv ("ASSAY_ONNXRUNTIME"));
  if (enter (argv[2], &error))
    runtime = assay_onnxruntime_new (library, model, (guint) strtoul (argv[3], NULL, 10),
                                     g_str_equal (argv[4], "all"), &error);
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

int
main (int argc, char **argv)
{
  int status;

  assay_process_begin ();
  assay_process_end_on_limits (3);
  status = serve (argc, argv);

  /* The library takes longer to take itself apart than to run a small model. Who looks for leaks
   * does so behind that. */
#if !defined(__SANITIZE_ADDRESS__)
  _exit (status);
#endif

  return status;
}
