/* assay-command-version.c
 * SPDX-License-Identifier: Apache-2.0
 */
#include "assay-command.h"
#include "process/assay-confine.h"

/**
 * assay_command_version:
 * @cli: the run
 * @argc: number of arguments
 * @argv: the arguments, the name of the command first
 *
 * Prints the version, and what this system lacks of what confines helpers.
 *
 * Returns: the exit code
 */
AssayExit
assay_command_version (AssayCli *cli, int argc, char **argv)
{
  g_autofree char *missing = assay_confine_dup_missing ();
  g_autoptr (GString) text = g_string_new ("assay " ASSAY_VERSION "\n");
  const GOptionEntry entries[] = { G_OPTION_ENTRY_NULL };
  AssayExit status;

  if (!assay_cli_parse (cli, entries, NULL, "Prints the version.", NULL, argc, argv, &status))
    return status;

  if (missing != NULL)
    g_string_append_printf (text, "%s\n", missing);
#ifndef ASSAY_GPU
  g_string_append (text, "built without the helper that runs programs on graphics processors\n");
#endif

  return assay_cli_write (cli, text->str, text->len, ASSAY_EXIT_CLEAN);
}
