/* assay-program-input.c
 * SPDX-License-Identifier: Apache-2.0
 */
#include "assay-program-input.h"

#include <stdio.h>
#include <string.h>

#include "base/assay-error.h"
#include "backend/stream/machine/assay-stream-code-file.h"

/**
 * assay_program_input_is_program:
 * @path: a file
 *
 * Tells a program file from a model by how it begins; a file that cannot be read counts as a model.
 *
 * Returns: whether it is a program
 */
gboolean
assay_program_input_is_program (const char *path)
{
  /* Field 1 of the message, and its length. */
  static const char begin[] = "\x0a\x0d"
                              "assay-program";
  char buffer[sizeof begin - 1];
  FILE *file = fopen (path, "rb");
  gboolean same;

  if (file == NULL)
    return FALSE;
  same = fread (buffer, 1, sizeof buffer, file) == sizeof buffer &&
         memcmp (buffer, begin, sizeof buffer) == 0;
  fclose (file);

  return same;
}

/**
 * assay_program_input_load:
 * @cli: the run, whose only argument is the program
 * @status: (out): exit code if it cannot be used
 *
 * Loads the program that the command line names.
 *
 * Returns: (transfer full) (nullable): the program
 */
AssayStreamCode *
assay_program_input_load (AssayCli *cli, AssayExit *status)
{
  g_autoptr (GError) error = NULL;
  AssayStreamCode *code;

  if (cli->arguments == NULL || cli->arguments[1] != NULL)
    {
      *status = assay_cli_usage (cli, "expected one program, got %u",
                                 cli->arguments != NULL ? g_strv_length (cli->arguments) : 0);
      return NULL;
    }

  /* What is not there is bad input, as of models; what is there and cannot be read is not. */
  if (!g_file_test (cli->arguments[0], G_FILE_TEST_IS_REGULAR))
    {
      g_set_error (&error, ASSAY_ERROR, ASSAY_ERROR_INVALID,
                   "%s: is not a file, expected a program", cli->arguments[0]);
      *status = assay_cli_fail (cli, error, NULL);
      return NULL;
    }

  code = assay_stream_code_load (cli->arguments[0], &error);
  if (code == NULL)
    *status = assay_cli_fail (cli, error, NULL);

  return code;
}

/**
 * assay_program_input_find_model:
 * @cli: the run
 * @code: a program
 * @name: (nullable): name of one of its models; %NULL for the first
 * @model: (out): its index
 * @status: (out): exit code if there is none
 *
 * Finds the model that the command line names.
 *
 * Returns: whether there is one
 */
gboolean
assay_program_input_find_model (AssayCli *cli, const AssayStreamCode *code, const char *name,
                                guint *model, AssayExit *status)
{
  for (*model = 0; *model < code->models->len; (*model)++)
    {
      if (name == NULL ||
          g_str_equal (g_array_index (code->models, AssayModelEntry, *model).name, name))
        return TRUE;
    }

  *status = assay_cli_usage (cli, "--model %s: the program has no model of this name",
                             name != NULL ? name : "");
  return FALSE;
}
