/* assay-model-options.c
 * SPDX-License-Identifier: Apache-2.0
 */
#include "assay-model-options.h"

#include <errno.h>
#include <sys/stat.h>

#include "base/assay-error.h"
#include "base/assay-nearest.h"
#include "source/assay-source.h"
#include "target/assay-target.h"

void
assay_model_options_clear (AssayModelOptions *self)
{
  g_clear_pointer (&self->override_shapes, g_strfreev);
  g_clear_pointer (&self->bindings, g_strfreev);
}

/* A path that cannot be a model is bad input, while a file that is there and cannot be read is not.
 */
static gboolean
check_path (const char *path, GError **error)
{
  struct stat info;

  if (stat (path, &info) < 0)
    g_set_error (error, ASSAY_ERROR, ASSAY_ERROR_INVALID, "%s: %s", path, g_strerror (errno));
  else if (S_ISDIR (info.st_mode))
    g_set_error (error, ASSAY_ERROR, ASSAY_ERROR_INVALID, "%s: is a folder, expected a model",
                 path);
  else if (!S_ISREG (info.st_mode))
    g_set_error (error, ASSAY_ERROR, ASSAY_ERROR_INVALID,
                 "%s: is not a regular file, expected a model", path);
  else if (info.st_size == 0)
    g_set_error (error, ASSAY_ERROR, ASSAY_ERROR_INVALID, "%s: is empty, expected a model", path);
  else
    return TRUE;

  return FALSE;
}

/**
 * assay_model_options_import:
 * @self: what the user asked for
 * @cli: the run
 * @path: (nullable): the model; %NULL takes the only argument of the run
 * @graph: (out): the graph
 * @findings: gets what the importer finds
 * @status: (out): exit code if there is no graph
 *
 * Opens the model that the command line names.
 *
 * Returns: whether there is a graph
 */
gboolean
assay_model_options_import (const AssayModelOptions *self, AssayCli *cli, const char *path,
                            AssayGraph **graph, AssayFindings *findings, AssayExit *status)
{
  AssayImportOptions options = {
    .override_shapes = (const char *const *) self->override_shapes,
    .bindings = (const char *const *) self->bindings,
  };
  g_autoptr (GError) error = NULL;

  if (path == NULL && (cli->arguments == NULL || cli->arguments[1] != NULL))
    {
      *status = assay_cli_usage (cli, "expected one model, got %u",
                                 cli->arguments != NULL ? g_strv_length (cli->arguments) : 0);
      return FALSE;
    }

  path = path != NULL ? path : cli->arguments[0];
  if (check_path (path, &error))
    *graph = assay_model_read (path, &options, findings, &cli->progress, &error);
  if (*graph == NULL)
    {
      *status = assay_cli_fail (cli, error, findings);
      return FALSE;
    }

  return TRUE;
}

/**
 * assay_model_options_parse_axes:
 * @cli: the run
 * @options: (nullable) (array zero-terminated=1): values of `--streaming-transform`
 * @axes: (element-type int): gets the axes, -1 for none
 * @status: (out): exit code if one is wrong
 *
 * Reads streaming axes, which come as several options or as one list.
 *
 * Returns: whether all are axes
 */
gboolean
assay_model_options_parse_axes (AssayCli *cli, char **options, GArray *axes, AssayExit *status)
{
  for (guint i = 0; options != NULL && options[i] != NULL; i++)
    {
      g_auto (GStrv) parts = g_strsplit (options[i], ",", -1);

      for (guint j = 0; parts[j] != NULL; j++)
        {
          const char *part = g_strstrip (parts[j]);
          gint64 number = -1;
          int axis;

          if (!g_str_equal (part, "none") &&
              !g_ascii_string_to_signed (part, 10, -1, 63, &number, NULL))
            {
              *status = assay_cli_usage (
                  cli,
                  "--streaming-transform %s: expected an axis from 0 to 63, or none, for "
                  "each input",
                  options[i]);
              return FALSE;
            }
          axis = (int) number;
          g_array_append_val (axes, axis);
        }
    }

  return TRUE;
}

/**
 * assay_model_options_fail_target:
 * @cli: the run
 * @name: what the user gave as target
 * @error: why it cannot be used; gets a hint
 *
 * Reports a target that cannot be used, and what was probably meant.
 *
 * Returns: the exit code
 */
AssayExit
assay_model_options_fail_target (AssayCli *cli, const char *name, GError *error)
{
  g_auto (GStrv) ids = assay_target_list ();
  g_autofree char *hint = assay_nearest_hint (name, (const char *const *) ids);

  if (hint[0] != 0)
    {
      g_autofree char *message = g_strconcat (error->message, hint, NULL);

      g_free (error->message);
      error->message = g_steal_pointer (&message);
    }

  return assay_cli_fail (cli, error, NULL);
}
