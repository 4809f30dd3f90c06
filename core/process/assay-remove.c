/* assay-remove.c
 * SPDX-License-Identifier: Apache-2.0
 */
#include "process/assay-remove.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* Names of folders that are moved up. */
#define MOVED "%u.moved"

#define FOLDER (O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC)

/* Folders that are open one in the other. */
#define MOST_DEPTH 64

/* One folder that is removed. All that it has is reached by descriptors, and what lies deeper than
 * they go is moved up, so that neither the depth nor the length of a path has a part. */
typedef struct
{
  int top;
  guint n_moved;
  gboolean changed;
} Removal;

static gboolean
is_own (const char *name)
{
  return strcmp (name, ".") != 0 && strcmp (name, "..") != 0;
}

/* A folder that its owner may not read or write is made so first. */
static int
open_folder (int parent, const char *name)
{
  int fd = openat (parent, name, FOLDER);

  if (fd < 0 && errno == EACCES && fchmodat (parent, name, S_IRWXU, 0) == 0)
    fd = openat (parent, name, FOLDER);
  if (fd >= 0)
    fchmod (fd, S_IRWXU);

  return fd;
}

static void
move_up (Removal *self, int parent, const char *name)
{
  char moved[32];

  do
    {
      snprintf (moved, sizeof moved, MOVED, self->n_moved++);
      if (renameat (parent, name, self->top, moved) == 0)
        {
          self->changed = TRUE;
          return;
        }
      /* Moving it changes its entry for the folder around it. */
      if (errno == EACCES && fchmodat (parent, name, S_IRWXU, 0) == 0 &&
          renameat (parent, name, self->top, moved) == 0)
        {
          self->changed = TRUE;
          return;
        }
    }
  while (errno == ENOTEMPTY || errno == EEXIST || errno == ENOTDIR);
}

static gboolean remove_folder (Removal *self, int parent, const char *name, guint depth);

/* Leaves an entry that is too deep, or that no descriptor is left for, to be removed from above. */
static void
remove_entry (Removal *self, int parent, const char *name, guint depth)
{
  if (unlinkat (parent, name, 0) == 0)
    self->changed = TRUE;
  else if ((depth == MOST_DEPTH || !remove_folder (self, parent, name, depth)) &&
           parent != self->top)
    move_up (self, parent, name);
}

static gboolean
remove_folder (Removal *self, int parent, const char *name, guint depth)
{
  int fd = open_folder (parent, name);
  DIR *folder = fd >= 0 ? fdopendir (fd) : NULL;
  const struct dirent *entry;

  if (folder == NULL)
    {
      if (fd >= 0)
        close (fd);
      return FALSE;
    }
  while ((entry = readdir (folder)) != NULL)
    {
      if (is_own (entry->d_name))
        remove_entry (self, fd, entry->d_name, depth + 1);
    }
  closedir (folder);
  if (unlinkat (parent, name, AT_REMOVEDIR) != 0)
    return FALSE;
  self->changed = TRUE;

  return TRUE;
}

/**
 * assay_remove_tree:
 * @path: a folder, or a file
 *
 * Removes it and everything in it. Links are removed, never followed; what cannot be removed stays.
 * Takes time in proportion to what there is, however deep that is.
 */
void
assay_remove_tree (const char *path)
{
  Removal self = { .top = open_folder (AT_FDCWD, path) };
  DIR *folder = self.top >= 0 ? fdopendir (self.top) : NULL;
  const struct dirent *entry;

  if (folder == NULL)
    {
      if (self.top >= 0)
        close (self.top);
      unlink (path);
      return;
    }
  do
    {
      self.changed = FALSE;
      rewinddir (folder);
      while ((entry = readdir (folder)) != NULL)
        {
          if (is_own (entry->d_name))
            remove_entry (&self, self.top, entry->d_name, 0);
        }
    }
  while (self.changed);
  closedir (folder);
  rmdir (path);
}
