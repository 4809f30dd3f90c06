/* assay-file-map.c
 * SPDX-License-Identifier: Apache-2.0
 *
 * Others write to files while we have them mapped. A page that a file has lost raises SIGBUS where
 * it is read, in whatever thread and however deep; the handler puts zeros there, so that the read
 * goes on, and notes the file. Who has read asks afterwards whether all of it was there.
 */
#include "base/assay-file-map.h"

#include <errno.h>
#include <glib/gstdio.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/assay-error.h"
#include "base/assay-file-read.h"

/* No address; where a map that is not in use begins. */
#define NOWHERE ((guint8 *) G_MAXSIZE)

struct _AssayFileMap
{
  guint8 *start; /* atomic, like end and lost: the handler reads them */
  guint8 *end;
  gint lost;
  AssayFileMap *next; /* never changes */
  char *path;
  dev_t device;
  ino_t inode;
  goffset size;
  struct timespec modified;
};

/* What a signal handler has to find: the only state of the library that belongs to nobody. Entries
 * are used again and never freed, because a handler may be looking at them. */
static struct
{
  GMutex lock; /* of everything but what is atomic */
  AssayFileMap *maps;
  char *changed; /* the first file that had changed when it was unmapped */
  gsize page;
  struct sigaction before;
} registry;

/**
 * assay_file_map_find: (skip)
 * @data: an address
 *
 * Finds the file that is mapped there; safe in a signal handler. Whoever keeps the mapping alive
 * keeps the answer alive.
 *
 * Returns: (transfer none) (nullable): the file, %NULL if none is
 */
const AssayFileMap *
assay_file_map_find (gconstpointer data)
{
  const guint8 *at = data;

  for (AssayFileMap *map = g_atomic_pointer_get (&registry.maps); map != NULL; map = map->next)
    {
      const guint8 *start = g_atomic_pointer_get (&map->start);
      const guint8 *end = g_atomic_pointer_get (&map->end);

      /* An entry that another thread takes into use meanwhile has another start by now. */
      if (at >= start && at < end && g_atomic_pointer_get (&map->start) == start)
        return map;
    }

  return NULL;
}

static void
pass_on (int number, siginfo_t *info, void *context)
{
  if ((registry.before.sa_flags & SA_SIGINFO) != 0)
    {
      registry.before.sa_sigaction (number, info, context);
      return;
    }
  if (registry.before.sa_handler != SIG_DFL && registry.before.sa_handler != SIG_IGN)
    {
      registry.before.sa_handler (number);
      return;
    }

  /* A fault comes again by itself when we return. */
  signal (number, SIG_DFL);
  if (info->si_code <= 0)
    raise (number);
}

/* All from there to the end: what was cut off has no more pages behind it, and a page at a time
 * would be as many mappings. */
static void
lose_rest_cb (int number, siginfo_t *info, void *context)
{
  int saved = errno;
  AssayFileMap *map = (AssayFileMap *) assay_file_map_find (info->si_addr);
  guint8 *page = (guint8 *) ((gsize) info->si_addr & ~(registry.page - 1));
  guint8 *end = map != NULL ? g_atomic_pointer_get (&map->end) : NULL;

  if (map == NULL || mmap (page, (gsize) (end - page), PROT_READ,
                           MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0) == MAP_FAILED)
    pass_on (number, info, context);
  else
    g_atomic_int_set (&map->lost, TRUE);
  errno = saved;
}

static void
install_handler (void)
{
  static gsize once;
  struct sigaction action = { .sa_sigaction = lose_rest_cb, .sa_flags = SA_SIGINFO | SA_ONSTACK };

  if (!g_once_init_enter (&once))
    return;
  registry.page = (gsize) sysconf (_SC_PAGESIZE);
  sigemptyset (&action.sa_mask);
  sigaction (SIGBUS, &action, &registry.before);
  g_once_init_leave (&once, 1);
}

static AssayFileMap *
take_entry (void)
{
  AssayFileMap *map = registry.maps;

  while (map != NULL && map->path != NULL)
    map = map->next;
  if (map == NULL)
    {
      map = g_new0 (AssayFileMap, 1);
      map->start = NOWHERE;
      map->next = registry.maps;
      g_atomic_pointer_set (&registry.maps, map);
    }

  return map;
}

/* Only the file that was mapped: one that was put in its place by renaming leaves it as it is. */
static gboolean
is_same (const AssayFileMap *self)
{
  GStatBuf now;

  if (g_atomic_int_get (&self->lost))
    return FALSE;

  return g_stat (self->path, &now) != 0 || now.st_dev != self->device ||
         now.st_ino != self->inode ||
         (now.st_size == self->size && now.st_mtim.tv_sec == self->modified.tv_sec &&
          now.st_mtim.tv_nsec == self->modified.tv_nsec);
}

static gboolean
refuse (const char *path, GError **error)
{
  g_set_error (error, ASSAY_ERROR, ASSAY_ERROR_IO,
               "%s: the file changed while it was being read; try again when it is whole", path);
  return FALSE;
}

static void
unmap (gpointer data)
{
  AssayFileMap *map = data;
  guint8 *start = map->start;
  gsize length = (gsize) (map->end - start);

  g_mutex_lock (&registry.lock);
  if (registry.changed == NULL && !is_same (map))
    registry.changed = g_strdup (map->path);
  g_atomic_pointer_set (&map->start, NOWHERE);
  g_atomic_pointer_set (&map->end, NULL);
  g_clear_pointer (&map->path, g_free);
  g_mutex_unlock (&registry.lock);

  munmap (start, length);
}

/**
 * assay_file_map_new_from_fd: (skip)
 * @fd: a regular file that is open for reading; it can be closed afterwards
 * @path: its path
 * @error: return location for a #GError
 *
 * Maps a file as assay_file_map_new() does.
 *
 * Returns: (transfer full) (nullable): its bytes
 */
GBytes *
assay_file_map_new_from_fd (int fd, const char *path, GError **error)
{
  AssayFileMap *map;
  struct stat about;
  guint8 *start;
  gsize length;

  if (fstat (fd, &about) != 0)
    {
      g_set_error (error, ASSAY_ERROR, ASSAY_ERROR_IO, "%s: %s", path, g_strerror (errno));
      return NULL;
    }
  if (about.st_size == 0)
    return g_bytes_new (NULL, 0);

  install_handler ();
  length = ((gsize) about.st_size + registry.page - 1) & ~(registry.page - 1);
  start = mmap (NULL, length, PROT_READ, MAP_PRIVATE, fd, 0);
  if (start == MAP_FAILED)
    {
      g_set_error (error, ASSAY_ERROR, errno == ENOMEM ? ASSAY_ERROR_MEMORY : ASSAY_ERROR_IO,
                   "%s: cannot be mapped: %s", path, g_strerror (errno));
      return NULL;
    }

  g_mutex_lock (&registry.lock);
  map = take_entry ();
  map->path = g_strdup (path);
  map->device = about.st_dev;
  map->inode = about.st_ino;
  map->size = about.st_size;
  map->modified = about.st_mtim;
  g_atomic_int_set (&map->lost, FALSE);
  g_atomic_pointer_set (&map->end, start + length);
  g_atomic_pointer_set (&map->start, start);
  g_mutex_unlock (&registry.lock);

  return g_bytes_new_with_free_func (start, (gsize) about.st_size, unmap, map);
}

/**
 * assay_file_map_new: (skip)
 * @path: (type filename): a regular file
 * @error: return location for a #GError
 *
 * Maps a file without reading it. Others may cut it short or write to it while it is mapped: what
 * was cut off reads as zeros, and assay_file_map_check() tells.
 *
 * Returns: (transfer full) (nullable): its bytes
 */
GBytes *
assay_file_map_new (const char *path, GError **error)
{
  int fd = assay_file_open (path, NULL, error);
  GBytes *bytes;

  if (fd < 0)
    return NULL;

  bytes = assay_file_map_new_from_fd (fd, path, error);
  close (fd);
  return bytes;
}

/**
 * assay_file_map_is_whole: (skip)
 * @self: (nullable): a mapped file; %NULL counts as whole
 *
 * Tells whether nothing was read so far that was not there any more. Takes no time.
 *
 * Returns: whether it is
 */
gboolean
assay_file_map_is_whole (const AssayFileMap *self)
{
  return self == NULL || !g_atomic_int_get (&self->lost);
}

/**
 * assay_file_map_check: (skip)
 * @self: (nullable): a mapped file; %NULL is as it was
 * @error: return location for a #GError
 *
 * Asks at the end of a stage whether what it has read was one file: nobody has cut it short or
 * written to it since it was mapped.
 *
 * Returns: whether it is as it was; otherwise %ASSAY_ERROR_IO names it
 */
gboolean
assay_file_map_check (const AssayFileMap *self, GError **error)
{
  return self == NULL || is_same (self) || refuse (self->path, error);
}

/**
 * assay_file_map_check_bytes: (skip)
 * @bytes: bytes of a mapped file, or any others
 * @error: return location for a #GError
 *
 * Checks the file that bytes are from, as assay_file_map_check() does.
 *
 * Returns: whether it is as it was; bytes that are from no file are
 */
gboolean
assay_file_map_check_bytes (GBytes *bytes, GError **error)
{
  gsize size;
  gconstpointer data = g_bytes_get_data (bytes, &size);

  return size == 0 || assay_file_map_check (assay_file_map_find (data), error);
}

/**
 * assay_file_map_check_all: (skip)
 * @error: return location for a #GError
 *
 * Checks all files that this process has mapped or had mapped, for a program that does one thing.
 *
 * Returns: whether all were as they were
 */
gboolean
assay_file_map_check_all (GError **error)
{
  const char *changed;
  gboolean same;

  g_mutex_lock (&registry.lock);
  changed = registry.changed;
  for (AssayFileMap *map = registry.maps; map != NULL && changed == NULL; map = map->next)
    if (map->path != NULL && !is_same (map))
      changed = map->path;
  same = changed == NULL || refuse (changed, error);
  g_mutex_unlock (&registry.lock);

  return same;
}
