/* assay-command-help.c
 * SPDX-License-Identifier: Apache-2.0
 */
#include <string.h>

#include "assay-command.h"

static char *
overview (void)
{
  GString *text = g_string_new (
      "Usage:\n  assay COMMAND [OPTION…] ARGUMENT…\n\n"
      "What an accelerator does with a neural network, node by node, and why.\n\n"
      "Commands:\n");

  for (const AssayCommand *command = assay_commands; command->name != NULL; command++)
    g_string_append_printf (text, "  %-8s  %s\n", command->name, command->summary);
  g_string_append (text,
                   "\n`assay COMMAND --help` lists the options of a command.\n"
                   "Exit status: 0 clean, 1 findings, 2 bad input or usage, 3 environment.\n");

  return g_string_free (text, FALSE);
}

/**
 * assay_command_help:
 * @cli: the run
 * @argc: number of arguments
 * @argv: the arguments, the name of the command first
 *
 * Lists the commands, or shows the help of one.
 *
 * Returns: the exit code
 */
AssayExit
assay_command_help (AssayCli *cli, int argc, char **argv)
{
  const GOptionEntry entries[] = { G_OPTION_ENTRY_NULL };
  const AssayCommand *command;
  g_autofree char *text = NULL;
  AssayExit status;

  if (!assay_cli_parse (cli, entries, "[COMMAND]", "Lists the commands, or explains one.", NULL,
                        argc, argv, &status))
    return status;

  if (cli->arguments == NULL)
    {
      text = overview ();
      return assay_cli_write (cli, text, strlen (text), ASSAY_EXIT_CLEAN);
    }

  command = assay_command_find (cli->arguments[0]);
  if (command == NULL)
    return assay_cli_usage (cli, "there is no command `%s`", cli->arguments[0]);

  return command->run (&(AssayCli){ .command = command->name }, 2,
                       (char *[]){ argv[0], (char *) "--help", NULL });
}
