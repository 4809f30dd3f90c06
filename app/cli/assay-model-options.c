/* assay-model-options.c
 * SPDX-License-Identifier: Apache-2.0
 */
#include "assay-model-options.h"

#include <errno.h>
#include <sys/stat.h>

#include "base/assay-error.h"
#include "onnx/assay-import.h"

void
assay_model_options_clear (AssayModelOptions *self)
{
  g_clear_pointer (&self->override_shapes, g_strfreev);
  g_clear_pointer (&self->bindings, g_strfreev);
}

/* A path that cannot be a model is bad input, while a file that is there and cannot be read is not. */
static gboolean
check_path (const char  *path,
            GError     **error)
{
  struct stat info;

  if (stat (path, &info) < 0)
    g_set_error (error, ASSAY_ERROR, ASSAY_ERROR_INVALID, "%s: %s", path, g_strerror (errno));
  else if (S_ISDIR (info.st_mode))
    g_set_error (error, ASSAY_ERROR, ASSAY_ERROR_INVALID, "%s: is a folder, expected an ONNX file", path);
  else if (!S_ISREG (info.st_mode))
    g_set_error (error, ASSAY_ERROR, ASSAY_ERROR_INVALID, "%s: is not a regular file, expected an ONNX file", path);
  else if (info.st_size == 0)
    g_set_error (error, ASSAY_ERROR, ASSAY_ERROR_INVALID, "%s: is empty, expected an ONNX file", path);
  else
    return TRUE;

  return FALSE;
}

/**
 * assay_model_options_import:
 * @self: what the user asked for
 * @cli: the run, whose only argument is the model
 * @graph: (out): the graph
 * @findings: gets what the importer finds
 * @status: (out): exit code if there is no graph
 *
 * Opens the model that the command line names.
 *
 * Returns: whether there is a graph
 */
gboolean
assay_model_options_import (const AssayModelOptions  *self,
                            AssayCli                 *cli,
                            AssayGraph              **graph,
                            AssayFindings            *findings,
                            AssayExit                *status)
{
  AssayImportOptions options = {
    .override_shapes = (const char *const *) self->override_shapes,
    .bindings = (const char *const *) self->bindings,
  };
  g_autoptr (GError) error = NULL;

  if (cli->arguments == NULL || cli->arguments[1] != NULL)
    {
      *status = assay_cli_usage (cli, "expected one model, got %u",
                                 cli->arguments != NULL ? g_strv_length (cli->arguments) : 0);
      return FALSE;
    }

  if (check_path (cli->arguments[0], &error))
    *graph = assay_import_file (cli->arguments[0], &options, findings, &cli->progress, &error);
  if (*graph == NULL)
    {
      *status = assay_cli_fail (cli, error, findings);
      return FALSE;
    }

  return TRUE;
}
