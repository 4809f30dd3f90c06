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
#include <sys/mman.h>
#include <sys/resource.h>
#endif

#include "assay-command.h"
#include "base/assay-nearest.h"
#include "process/assay-process.h"

#ifdef __GLIBC__

/* What a small model needs, what more comes in large pages, and where blocks of their own begin. */
#define SMALL_HEAP ((gsize) 4 << 20)
#define LARGE_PAGE ((gsize) 2 << 20)
#define LARGE_HEAP (256 << 20)
#define OWN_BLOCK (32 << 20)

/* More than there is at the start, so that the heap grows. */
#define FIRST_BLOCK (1 << 20)

static gboolean
is_unlimited (int resource)
{
  struct rlimit limit;

  return getrlimit (resource, &limit) == 0 && limit.rlim_cur == RLIM_INFINITY;
}

/* A command ends soon: memory that it has let go of is for what it asks for next, and is not given
 * back to the system, which would have to clear it again page by page. What a large model takes
 * comes in large pages, since a quarter of its check went into handing out and finding small ones;
 * nothing is taken before it is used. */
static void
keep_memory (void)
{
  char *heap, *start, *end;

  mallopt (M_MMAP_THRESHOLD, OWN_BLOCK);
  mallopt (M_TRIM_THRESHOLD, G_MAXINT);
  /* Addresses count where there is a limit, also those that are never used: the last megabytes of
   * it would not be handed out, and a heap for each thread takes 64 of them. */
  if (!is_unlimited (RLIMIT_AS) || !is_unlimited (RLIMIT_DATA))
    {
      mallopt (M_ARENA_MAX, 1);
      return;
    }

  mallopt (M_TOP_PAD, LARGE_HEAP - FIRST_BLOCK);
  heap = malloc (FIRST_BLOCK);
  mallopt (M_TOP_PAD, 8 << 20);
  if (heap == NULL)
    return;

  start = heap + SMALL_HEAP;
  start += -(guintptr) start & (LARGE_PAGE - 1);
  end = sbrk (0);
  if (start < end && (gsize) (end - start) < LARGE_HEAP)
    madvise (start, (gsize) (end - start), MADV_HUGEPAGE);
  free (heap);
}

#else

static void
keep_memory (void)
{
}

#endif

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
