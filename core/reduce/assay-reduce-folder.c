/* assay-reduce-folder.c
 * SPDX-License-Identifier: Apache-2.0
 *
 * A folder that shows to somebody else what a model shows.
 */
#include "reduce/assay-reduce-folder.h"

#include <glib/gstdio.h>

#include "base/assay-error.h"
#include "base/assay-file-read.h"
#include "base/assay-file-write.h"
#include "base/assay-sentence.h"
#include "process/assay-temporary.h"
#include "run/assay-run-files.h"
#include "settings/assay-settings-options.h"
#include "source/onnx/assay-onnx-write.h"
#include "text/assay-shell.h"

#define MODEL_NAME "model.onnx"
#define SCRIPT_NAME "run.sh"
#define INPUTS_NAME "inputs"

/**
 * assay_reduce_folder_make:
 * @path: path of a folder
 * @error: return location for a #GError
 *
 * Makes a folder. One that is there has to be empty: what is there already is not mixed with what
 * comes.
 *
 * Returns: whether there is an empty folder
 */
gboolean
assay_reduce_folder_make (const char *path, GError **error)
{
  g_autoptr (GDir) dir = NULL;

  if (g_mkdir_with_parents (path, 0777) != 0)
    {
      g_set_error (error, ASSAY_ERROR, ASSAY_ERROR_IO, "%s: cannot be made", path);
      return FALSE;
    }
  dir = g_dir_open (path, 0, error);
  if (dir == NULL)
    return FALSE;
  if (g_dir_read_name (dir) == NULL)
    return TRUE;
  g_set_error (error, ASSAY_ERROR, ASSAY_ERROR_INVALID, "%s: is not empty", path);

  return FALSE;
}

static void
append_word (GString *line, const char *word)
{
  g_string_append_c (line, ' ');
  assay_shell_append (line, word);
}

/* A file that the user named goes with the folder; what is no file is the name of something that
 * everybody has. */
static gboolean
add_file (GString *line, const char *option, const char *path, const char *name, const char *folder,
          GError **error)
{
  g_autofree char *copy = g_build_filename (folder, name, NULL);
  g_autofree char *content = NULL;
  gsize length;

  if (path == NULL)
    return TRUE;
  g_string_append_printf (line, " %s", option);
  if (!g_file_test (path, G_FILE_TEST_IS_REGULAR))
    {
      append_word (line, path);
      return TRUE;
    }
  append_word (line, name);

  return assay_file_read (path, ASSAY_FILE_READ_TEXT, &content, &length, error) &&
         assay_file_write (copy, content, length, error);
}

/* The inputs in the order of the graph. */
static gboolean
add_inputs (AssayReduction *self, GString *line, const char *folder, GError **error)
{
  g_autofree char *inside = g_build_filename (folder, INPUTS_NAME, NULL);
  AssayGraph *graph = assay_work_get_graph (self->work, NULL, error);
  g_autoptr (GArray) all = graph != NULL ? assay_run_ports_for_graph (graph) : NULL;
  g_autoptr (GArray) ports = g_array_new (FALSE, FALSE, sizeof (AssayRunPort));
  g_autoptr (GPtrArray) tensors = g_ptr_array_new ();
  g_autoptr (GPtrArray) paths = NULL;

  if (all == NULL)
    return FALSE;
  for (guint i = 0; i < all->len; i++)
    {
      const AssayRunPort *port = &g_array_index (all, AssayRunPort, i);
      AssayTensor *tensor = g_hash_table_lookup (self->inputs, port->name);

      if (tensor == NULL)
        continue;
      g_array_append_vals (ports, port, 1);
      g_ptr_array_add (tensors, tensor);
    }
  if (tensors->len == 0)
    return TRUE;
  paths = assay_run_files_save (inside, (const AssayRunPort *) (gpointer) ports->data, tensors,
                                error);
  if (paths == NULL)
    return FALSE;
  for (guint i = 0; i < paths->len; i++)
    {
      g_autofree char *base = g_path_get_basename (g_ptr_array_index (paths, i));
      g_autofree char *word = g_strdup_printf ("%s=" INPUTS_NAME "/%s",
                                               g_array_index (ports, AssayRunPort, i).name, base);

      g_string_append (line, " --input");
      append_word (line, word);
    }

  return TRUE;
}

/* The command of Assay with all that it needs, in the folder. */
static gboolean
add_command (AssayReduction *self, const AssaySymptom *symptom, const AssayReduceNames *names,
             GString *line, const char *folder, GError **error)
{
  g_auto (GStrv) settings = NULL;
  const AssayPipelineStages stages = ASSAY_PIPELINE_CHECK | ASSAY_PIPELINE_BUILD;

  g_string_append_printf (line, "exec \"${ASSAY:-assay}\" %s " MODEL_NAME, symptom->kind->command);
  if (!add_file (line, "--target", names->target, "target.json", folder, error))
    return FALSE;
  settings = assay_settings_to_arguments (assay_work_get_settings (self->work),
                                          symptom->kind->needs_target && !symptom->kind->runs &&
                                                  g_str_equal (symptom->kind->command, "check")
                                              ? ASSAY_PIPELINE_CHECK
                                              : stages);
  for (guint i = 0; settings[i] != NULL; i++)
    append_word (line, settings[i]);
  if (!symptom->kind->runs)
    {
      if (g_str_equal (symptom->kind->command, "compile"))
        g_string_append (line, " -o /dev/null");
      return TRUE;
    }

  g_string_append (line, " --a");
  append_word (line, symptom->a);
  g_string_append (line, " --b");
  append_word (line, symptom->b);

  return add_file (line, "--tolerance", names->tolerance, "tolerance.json", folder, error) &&
         add_inputs (self, line, folder, error);
}

static gboolean
write_script (AssayReduction *self, const AssaySymptom *symptom, const AssayReduceNames *names,
              const char *folder, GError **error)
{
  g_autoptr (GString) text = g_string_new ("#!/bin/sh\n");
  g_autofree char *path = g_build_filename (folder, SCRIPT_NAME, NULL);
  g_autofree char *base = g_path_get_basename (names->model);
  g_autofree char *name = g_strescape (base, NULL);
  g_autofree char *seen = g_strescape (self->seen, NULL);

  g_string_append_printf (text,
                          "# %s: %s\n"
                          "# %u of the %u node%s of %s, by Assay %s\n"
                          "cd \"$(dirname \"$0\")\" || exit 3\n",
                          symptom->kind->name, seen, self->n_nodes, self->n_nodes_before,
                          assay_plural (self->n_nodes_before), name, ASSAY_VERSION);
  if (symptom->kind->command == NULL)
    {
      g_auto (GStrv) parts = g_strsplit (symptom->argument, "{}", -1);
      g_autofree char *command = g_strjoinv (MODEL_NAME, parts);

      g_string_append (text, command);
    }
  else if (!add_command (self, symptom, names, text, folder, error))
    {
      return FALSE;
    }
  g_string_append_c (text, '\n');
  if (!assay_file_write (path, text->str, text->len, error))
    return FALSE;
  if (g_chmod (path, 0755) == 0)
    return TRUE;
  g_set_error (error, ASSAY_ERROR, ASSAY_ERROR_IO, "%s: cannot be made executable", path);

  return FALSE;
}

static gboolean
write_all (AssayReduction *self, const AssaySymptom *symptom, const AssayReduceNames *names,
           const char *folder, const AssayProgress *progress, GError **error)
{
  static const AssayOnnxWriteOptions options = { .keep_names = TRUE };
  g_autofree char *path = g_build_filename (folder, MODEL_NAME, NULL);
  AssayGraph *graph = assay_work_get_graph (self->work, progress, error);
  g_autoptr (AssayWork) written = NULL;
  g_autofree char *seen = NULL;
  GError *cause = NULL;

  if (graph == NULL || !assay_onnx_write_file (graph, path, &options, progress, error) ||
      !write_script (self, symptom, names, folder, error))
    return FALSE;

  written = assay_work_new (path, assay_work_get_target (self->work),
                            assay_work_get_settings (self->work));
  seen = assay_symptom_observe (symptom, written, self->inputs, self->seen, progress, &cause);
  if (cause != NULL)
    g_propagate_error (error, cause);
  else if (seen == NULL)
    g_set_error (error, ASSAY_ERROR, ASSAY_ERROR_SAVE,
                 "%s: the model as it was written does not show it any more", path);

  return seen != NULL;
}

/**
 * assay_reduction_save: (skip)
 * @self: what is left of a model
 * @symptom: what it shows
 * @names: what the user called things
 * @folder: where it goes; made if it is not there, refused if something is in it
 * @progress: (nullable): progress and cancel
 * @error: return location for a #GError
 *
 * Writes the model, values of its inputs, and a script that shows the symptom; then opens what was
 * written, and looks whether it does. The folder goes again if it does not.
 *
 * Returns: whether the folder shows it
 */
gboolean
assay_reduction_save (AssayReduction *self, const AssaySymptom *symptom,
                      const AssayReduceNames *names, const char *folder,
                      const AssayProgress *progress, GError **error)
{
  if (!assay_reduce_folder_make (folder, error))
    return FALSE;
  if (write_all (self, symptom, names, folder, progress, error))
    return TRUE;
  assay_temporary_delete (folder);

  return FALSE;
}
