/* assay-program-input.c
 * SPDX-License-Identifier: Apache-2.0
 */
#include "assay-program-input.h"

#include "base/assay-error.h"
#include "backend/assay-build.h"

/**
 * assay_program_input_load:
 * @cli: the run, whose only argument is the program
 * @status: (out): exit code if it cannot be used
 *
 * Loads the program that the command line names.
 *
 * Returns: (transfer full) (nullable): the program
 */
AssayProgram *
assay_program_input_load (AssayCli *cli, AssayExit *status)
{
  g_autoptr (GError) error = NULL;
  AssayProgram *program;

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

  program = assay_program_load (cli->arguments[0], &error);
  if (program == NULL)
    *status = assay_cli_fail (cli, error, NULL);

  return program;
}

/**
 * assay_program_input_find_model:
 * @cli: the run
 * @program: a program
 * @name: (nullable): name of one of its models; %NULL for the first
 * @model: (out): its index
 * @status: (out): exit code if there is none
 *
 * Finds the model that the command line names.
 *
 * Returns: whether there is one
 */
gboolean
assay_program_input_find_model (AssayCli *cli, AssayProgram *program, const char *name,
                                guint *model, AssayExit *status)
{
  for (*model = 0; *model < assay_program_num_models (program); (*model)++)
    {
      if (name == NULL || g_str_equal (assay_program_model_name (program, *model), name))
        return TRUE;
    }

  *status = assay_cli_usage (cli, "--model %s: the program has no model of this name",
                             name != NULL ? name : "");
  return FALSE;
}
