/* main.c
 * SPDX-License-Identifier: Apache-2.0
 *
 * Waits for the end of the process that has started it, and then ends the groups of processes and
 * removes the folders that it has left. core/process/assay-watch.h says what comes in on standard
 * input; its end is that of the process.
 */
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "process/assay-remove.h"
#include "process/assay-watch.h"

/* Signals that end the process itself, which is then waited for. */
static const int ignored[] = { SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGPIPE };

static void
add (GPtrArray *list, const char *text)
{
  g_ptr_array_add (list, g_strdup (text));
}

static void
take (GPtrArray *list, const char *text)
{
  guint index;

  if (g_ptr_array_find_with_equal_func (list, text, g_str_equal, &index))
    g_ptr_array_remove_index_fast (list, index);
}

static void
hear (const char *message, GPtrArray *groups, GPtrArray *folders)
{
  switch (*message)
    {
    case ASSAY_WATCH_GROUP:
      add (groups, message + 1);
      break;
    case ASSAY_WATCH_GROUP_ENDED:
      take (groups, message + 1);
      break;
    case ASSAY_WATCH_FOLDER:
      add (folders, message + 1);
      break;
    case ASSAY_WATCH_FOLDER_REMOVED:
      take (folders, message + 1);
      break;
    default:
      break;
    }
}

static void
kill_group (const char *text)
{
  pid_t group = (pid_t) atoi (text);

  if (group > 1 && kill (-group, SIGKILL) != 0)
    kill (group, SIGKILL);
}

int
main (int argc, char **argv)
{
  g_autoptr (GPtrArray) groups = g_ptr_array_new_with_free_func (g_free);
  g_autoptr (GPtrArray) folders = g_ptr_array_new_with_free_func (g_free);
  g_autofree char *message = NULL;
  size_t size = 0;

  if (argc != 1 || isatty (STDIN_FILENO))
    {
      fputs ("usage: assay-watch\nStarted by assay; ends what it leaves when it is killed.\n",
             stderr);
      return 2;
    }
  for (guint i = 0; i < G_N_ELEMENTS (ignored); i++)
    signal (ignored[i], SIG_IGN);
  if (chdir ("/") != 0)
    return 3;

  while (getdelim (&message, &size, '\0', stdin) > 0)
    hear (message, groups, folders);

  for (guint i = 0; i < groups->len; i++)
    kill_group (g_ptr_array_index (groups, i));
  for (guint i = 0; i < folders->len; i++)
    assay_remove_tree (g_ptr_array_index (folders, i));

  return 0;
}
