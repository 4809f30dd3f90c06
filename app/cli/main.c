/* main.c
 * SPDX-License-Identifier: Apache-2.0
 */
#include <locale.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#ifdef __GLIBC__
#include <malloc.h>
#endif

#include "assay-command.h"
#include "base/assay-nearest.h"
#include "process/assay-process.h"

/* A command ends soon: memory that it has let go of is for what it asks for next, and is not given
 * back to the system, which would have to clear it again page by page. */
static void
keep_memory (void)
{
#ifdef __GLIBC__
  mallopt (M_MMAP_THRESHOLD, 32 << 20);
  mallopt (M_TRIM_THRESHOLD, G_MAXINT);
  mallopt (M_TOP_PAD, 8 << 20);
#endif
}

/* `assay --help` and friends are commands too. */
static const char *
command_name (const char *argument)
{
  static const struct
  {
    const char *option;
    const char *name;
  } aliases[] = {
    { "--help", "help" },
    { "-h", "help" },
    { "--version", "version" },
    { "-V", "version" },
  };

  for (guint i = 0; i < G_N_ELEMENTS (aliases); i++)
    if (strcmp (argument, aliases[i].option) == 0)
      return aliases[i].name;

  return argument;
}

static AssayExit
unknown_command (AssayCli *cli, int argc, char **argv)
{
  g_autoptr (GPtrArray) names = g_ptr_array_new ();
  g_autofree char *hint = NULL;

  for (const AssayCommand *command = assay_commands; command->name != NULL; command++)
    g_ptr_array_add (names, (gpointer) command->name);
  g_ptr_array_add (names, NULL);

  hint = assay_nearest_hint (argv[1], (const char *const *) names->pdata);
  return assay_cli_no_command (cli, argc, argv, "there is no command `%s`%s", argv[1], hint);
}

/* Output that nobody reads any more gives the status that shells know, whoever has written it, but
 * at the end: a signal would leave temporary files and children. */
static void
end_output (void)
{
  struct pollfd output = { .fd = STDOUT_FILENO, .events = POLLOUT };
  gboolean failed = fflush (stdout) != 0 || ferror (stdout);

  if (failed && poll (&output, 1, 0) == 1 && (output.revents & POLLERR) != 0)
    _exit (ASSAY_EXIT_UNREAD);
}

int
main (int argc, char **argv)
{
  g_auto (AssayCli) cli = { 0 };
  const AssayCommand *command;

  keep_memory ();
  assay_process_begin ();
  assay_process_end_on_limits (ASSAY_EXIT_ENVIRONMENT);
  signal (SIGPIPE, SIG_IGN);
  atexit (end_output);
  /* Arguments are UTF-8 even where nobody has set a locale. */
  setlocale (LC_CTYPE, "");
  if (!g_get_charset (NULL))
    setlocale (LC_CTYPE, "C.UTF-8");

  command = assay_command_find (argc > 1 ? command_name (argv[1]) : "help");
  assay_cli_init (&cli, command != NULL ? command->name : "help");
  if (command == NULL)
    return (int) unknown_command (&cli, argc, argv);

  if (argc > 1)
    return (int) command->run (&cli, argc - 1, argv + 1);

  command->run (&cli, 1, argv);
  return ASSAY_EXIT_USAGE;
}
