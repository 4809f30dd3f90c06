/* assay-command-version.c
 * SPDX-License-Identifier: Apache-2.0
 */
#include <string.h>

#include "assay-command.h"

/**
 * assay_command_version:
 * @cli: the run
 * @argc: number of arguments
 * @argv: the arguments, the name of the command first
 *
 * Prints the version.
 *
 * Returns: the exit code
 */
AssayExit
assay_command_version (AssayCli *cli, int argc, char **argv)
{
  const char *text = "assay " ASSAY_VERSION "\n";
  const GOptionEntry entries[] = { G_OPTION_ENTRY_NULL };
  AssayExit status;

  if (!assay_cli_parse (cli, entries, NULL, "Prints the version.", NULL, argc, argv, &status))
    return status;

  return assay_cli_write (cli, text, strlen (text), ASSAY_EXIT_CLEAN);
}
