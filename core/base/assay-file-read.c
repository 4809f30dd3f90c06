/* assay-file-read.c
 * SPDX-License-Identifier: Apache-2.0
 */
#include "base/assay-file-read.h"

#include <errno.h>
#include <fcntl.h>
#include <glib/gstdio.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/assay-error.h"

/**
 * assay_file_open: (skip)
 * @path: (type filename): a file
 * @size: (out) (optional): how many bytes it has
 * @error: return location for a #GError
 *
 * Opens a file from outside for reading. Folders, devices and pipes are refused and never waited
 * for.
 *
 * Returns: a descriptor, or -1
 */
int
assay_file_open (const char *path, gsize *size, GError **error)
{
  /* Not blocking: nobody may be writing to what turns out to be a pipe. */
  int fd = g_open (path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY, 0);
  struct stat about;

  if (fd >= 0 && fstat (fd, &about) == 0 && S_ISREG (about.st_mode))
    {
      if (size != NULL)
        *size = (gsize) about.st_size;
      return fd;
    }

  if (fd < 0)
    {
      g_set_error (error, ASSAY_ERROR, ASSAY_ERROR_IO, "%s: %s", path, g_strerror (errno));
      return -1;
    }

  g_set_error (error, ASSAY_ERROR, ASSAY_ERROR_IO, "%s: is %s", path,
               S_ISDIR (about.st_mode) ? "a folder, not a file" : "not a regular file");
  close (fd);
  return -1;
}

static gboolean
read_fully (int fd, char *to, gsize n, gsize *n_read)
{
  ssize_t got = 1;

  for (*n_read = 0; *n_read < n && got != 0; *n_read += (gsize) MAX (got, 0))
    {
      got = read (fd, to + *n_read, MIN (n - *n_read, (gsize) 1 << 30));
      if (got < 0 && errno != EINTR)
        return FALSE;
    }

  return TRUE;
}

static gboolean
too_large (const char *path, gsize most, GError **error)
{
  g_autofree char *size = g_format_size_full (most, G_FORMAT_SIZE_IEC_UNITS);

  g_set_error (error, ASSAY_ERROR, ASSAY_ERROR_IO, "%s: is larger than %s, which such a file has",
               path, size);
  return FALSE;
}

/* A file may grow while it is read, and those of the kernel say that they are empty. */
static gboolean
read_growing (int fd, const char *path, gsize most, gsize expected, char **contents, gsize *length,
              GError **error)
{
  gsize room = MAX (expected + 1, 4096);
  gsize n = 0, got;
  g_autofree char *text = g_try_malloc (room + 1);

  while (text != NULL && read_fully (fd, text + n, room - n, &got))
    {
      char *larger;

      n += got;
      if (n > most)
        return too_large (path, most, error);
      if (n < room)
        {
          text[n] = '\0';
          *contents = g_steal_pointer (&text);
          *length = n;
          return TRUE;
        }
      room = MIN (2 * room, most + 1);
      larger = g_try_realloc (text, room + 1);
      if (larger == NULL)
        errno = ENOMEM;
      else
        text = larger;
      if (larger == NULL)
        break;
    }

  g_set_error (error, ASSAY_ERROR,
               text == NULL || errno == ENOMEM ? ASSAY_ERROR_MEMORY : ASSAY_ERROR_IO, "%s: %s",
               path, g_strerror (text == NULL ? ENOMEM : errno));
  return FALSE;
}

/**
 * assay_file_read: (skip)
 * @path: (type filename): a file
 * @most: how many bytes it can have, such as %ASSAY_FILE_READ_TEXT
 * @contents: (out): its bytes and a zero after them
 * @length: (out) (optional): how many
 * @error: return location for a #GError
 *
 * Reads a whole file from outside. Folders, devices and pipes are refused and never waited for, and
 * so is what is larger than such files are.
 *
 * Returns: whether it could be read
 */
gboolean
assay_file_read (const char *path, gsize most, char **contents, gsize *length, GError **error)
{
  gsize size = 0;
  int fd = assay_file_open (path, &size, error);
  gboolean done;
  gsize n = 0;

  if (fd < 0)
    return FALSE;

  done = size > most ? too_large (path, most, error)
                     : read_growing (fd, path, most, size, contents, &n, error);
  close (fd);
  if (done && length != NULL)
    *length = n;

  return done;
}

/**
 * assay_file_peek: (skip)
 * @path: (type filename): a file
 * @begin: (out caller-allocates): where to put how it begins
 * @n: how much of it
 *
 * Looks at how a file begins, to know what it is.
 *
 * Returns: how many bytes there are, none if it cannot be read
 */
gsize
assay_file_peek (const char *path, gpointer begin, gsize n)
{
  int fd = assay_file_open (path, NULL, NULL);
  gsize got = 0;

  if (fd < 0)
    return 0;
  (void) !read_fully (fd, begin, n, &got);
  close (fd);

  return got;
}
