/* assay-starved.c
 * SPDX-License-Identifier: Apache-2.0
 */
#include "process/assay-starved.h"

#include <string.h>

#include "base/assay-file-read.h"

/* Children of children that are looked at, and how many processes in all. */
#define MAX_DEPTH 8
#define MAX_PROCESSES 1024
/* What the kernel says of one. */
#define MAX_TEXT (64 * 1024)

static char *
read_task (GPid pid, const char *task, const char *name)
{
  g_autofree char *path = g_strdup_printf ("/proc/%d/task/%s/%s", (int) pid, task, name);
  char *text = NULL;

  return assay_file_read (path, MAX_TEXT, &text, NULL, NULL) ? text : NULL;
}

static void
add_task (AssayStarved *self, GPid pid, const char *task)
{
  g_autofree char *times = read_task (pid, task, "schedstat");
  g_autofree char *stat = read_task (pid, task, "stat");
  /* The name before the state may hold anything. */
  const char *name_end = stat != NULL ? strrchr (stat, ')') : NULL;
  char *end;

  /* Nanoseconds on a processor, then those in wait for one. */
  if (times != NULL)
    {
      self->ran += g_ascii_strtoll (times, &end, 10) / 1000;
      self->waited = MAX (self->waited, g_ascii_strtoll (end, NULL, 10) / 1000);
    }
  if (name_end != NULL && g_str_has_prefix (name_end, ") R"))
    self->is_ready = TRUE;
}

static void
add_process (AssayStarved *self, GPid pid, guint depth, guint *n_left)
{
  g_autofree char *folder = g_strdup_printf ("/proc/%d/task", (int) pid);
  g_autoptr (GDir) tasks = g_dir_open (folder, 0, NULL);
  const char *task;

  while (tasks != NULL && (task = g_dir_read_name (tasks)) != NULL)
    {
      g_autofree char *children = depth < MAX_DEPTH ? read_task (pid, task, "children") : NULL;
      g_auto (GStrv) numbers = g_strsplit (children != NULL ? children : "", " ", -1);

      add_task (self, pid, task);
      for (guint i = 0; numbers[i] != NULL && *n_left > 0; i++)
        {
          GPid child = (GPid) g_ascii_strtoll (numbers[i], NULL, 10);

          *n_left -= 1;
          if (child > 0)
            add_process (self, child, depth + 1, n_left);
        }
    }
}

/**
 * assay_starved:
 * @pid: a process
 *
 * Looks at how long a process could not run for want of a processor.
 *
 * Returns: what the kernel tells; nothing where it does not
 */
AssayStarved
assay_starved (GPid pid)
{
  AssayStarved self = { 0 };
  guint n_left = MAX_PROCESSES;

  add_process (&self, pid, 0, &n_left);

  return self;
}
