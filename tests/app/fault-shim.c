/* fault-shim.c
 * SPDX-License-Identifier: Apache-2.0
 *
 * Preloaded into a program: counts its calls of each kind, and lets the n-th of one kind fail, as
 * a system that has run out of something does.
 *
 * FAULT=KIND:N makes the N-th call of that kind fail, in this process and in its children; behind a
 * further colon stands another way: `interrupted`, `short` (half of the bytes go), `quota`.
 * FAULT_COUNT=FILE gets the counts of this process alone; FAULT_NAMES=FILE a line for every name
 * of a host that is asked for, and for every socket that leads off this computer.
 */
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <netdb.h>
#include <pthread.h>
#include <spawn.h>
#include <sys/stat.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <unistd.h>

/* Smaller allocations do not depend on what the user brings. */
#define LARGE ((size_t) 64 << 10)

#define KINDS(ROW)                                                                                 \
  ROW (alloc)                                                                                      \
  ROW (open)                                                                                       \
  ROW (read)                                                                                       \
  ROW (write)                                                                                      \
  ROW (mmap)                                                                                       \
  ROW (fork)                                                                                       \
  ROW (thread)                                                                                     \
  ROW (fsync)                                                                                      \
  ROW (rename)

enum
{
#define ROW(name) KIND_##name,
  KINDS (ROW)
#undef ROW
      N_KINDS
};

static const char *const names[] = {
#define ROW(name) #name,
  KINDS (ROW)
#undef ROW
};

typedef enum
{
  GOES_WELL,
  FAILS,
  INTERRUPTED,
  SHORT,
  QUOTA
} Way;

static atomic_long counts[N_KINDS];
static long failing[N_KINDS];
static Way way = FAILS;
static char count_path[4096];
static int names_fd = -1;

__attribute__ ((constructor)) static void
begin (void)
{
  const char *fault = getenv ("FAULT");
  const char *path = getenv ("FAULT_COUNT");

  for (int i = 0; fault != NULL && i < N_KINDS; i++)
    {
      size_t length = strlen (names[i]);

      if (strncmp (fault, names[i], length) == 0 && fault[length] == ':')
        failing[i] = atol (fault + length + 1);
    }
  if (fault != NULL && strstr (fault, ":interrupted") != NULL)
    way = INTERRUPTED;
  else if (fault != NULL && strstr (fault, ":short") != NULL)
    way = SHORT;
  else if (fault != NULL && strstr (fault, ":quota") != NULL)
    way = QUOTA;
  if (path != NULL && strlen (path) < sizeof count_path)
    strcpy (count_path, path);
  unsetenv ("FAULT_COUNT");
  if (getenv ("FAULT_NAMES") != NULL)
    names_fd = open (getenv ("FAULT_NAMES"), O_CREAT | O_WRONLY | O_APPEND | O_CLOEXEC, 0600);
}

static Way
way_of (int kind, int code)
{
  if (atomic_fetch_add (&counts[kind], 1) + 1 != failing[kind])
    return GOES_WELL;

  errno = way == INTERRUPTED ? EINTR : way == QUOTA ? EDQUOT : code;
  return way;
}

static int
fails (int kind, int code)
{
  return way_of (kind, code) != GOES_WELL;
}

__attribute__ ((destructor)) static void
end (void)
{
  FILE *file;

  if (count_path[0] == '\0')
    return;
  memset (failing, 0, sizeof failing);
  file = fopen (count_path, "w");
  for (int i = 0; file != NULL && i < N_KINDS; i++)
    fprintf (file, "%s %ld\n", names[i], (long) counts[i]);
  if (file != NULL)
    fclose (file);
}

#define REAL(name)                                                                                 \
  static __typeof__ (name) *real;                                                                  \
  if (real == NULL)                                                                                \
  real = (__typeof__ (name) *) dlsym (RTLD_NEXT, #name)

extern void *__libc_malloc (size_t n);
extern void *__libc_calloc (size_t n, size_t size);
extern void *__libc_realloc (void *block, size_t n);
extern void *__libc_memalign (size_t alignment, size_t n);

void *
malloc (size_t n)
{
  return n >= LARGE && fails (KIND_alloc, ENOMEM) ? NULL : __libc_malloc (n);
}

void *
calloc (size_t n, size_t size)
{
  return (size == 0 || n >= LARGE / size) && fails (KIND_alloc, ENOMEM) ? NULL
                                                                        : __libc_calloc (n, size);
}

void *
realloc (void *block, size_t n)
{
  return n >= LARGE && fails (KIND_alloc, ENOMEM) ? NULL : __libc_realloc (block, n);
}

void *
aligned_alloc (size_t alignment, size_t n)
{
  return n >= LARGE && fails (KIND_alloc, ENOMEM) ? NULL : __libc_memalign (alignment, n);
}

int
posix_memalign (void **block, size_t alignment, size_t n)
{
  if (n >= LARGE && fails (KIND_alloc, ENOMEM))
    return ENOMEM;
  *block = __libc_memalign (alignment, n);

  return *block != NULL ? 0 : ENOMEM;
}

int
open (const char *path, int flags, ...)
{
  va_list args;
  mode_t mode;
  REAL (open);

  va_start (args, flags);
  mode = (flags & (O_CREAT | O_TMPFILE)) != 0 ? va_arg (args, mode_t) : 0;
  va_end (args);

  return fails (KIND_open, EMFILE) ? -1 : real (path, flags, mode);
}

int
open64 (const char *path, int flags, ...)
{
  va_list args;
  mode_t mode;

  va_start (args, flags);
  mode = (flags & (O_CREAT | O_TMPFILE)) != 0 ? va_arg (args, mode_t) : 0;
  va_end (args);

  return open (path, flags, mode);
}

FILE *
fopen (const char *path, const char *mode)
{
  REAL (fopen);

  return fails (KIND_open, EMFILE) ? NULL : real (path, mode);
}

FILE *
fopen64 (const char *path, const char *mode)
{
  return fopen (path, mode);
}

static int
is_pipe (int fd)
{
  struct stat status;

  return fstat (fd, &status) == 0 && S_ISFIFO (status.st_mode);
}

ssize_t
read (int fd, void *data, size_t n)
{
  REAL (read);

  /* Two numbers from a pipe are what a child says to GLib before it is another program: that does
   * not fail, and GLib would wait for a child that waits for it. */
  if (n == 2 * sizeof (int) && is_pipe (fd))
    return real (fd, data, n);

  switch (way_of (KIND_read, EIO))
    {
    case GOES_WELL:
      return real (fd, data, n);
    case SHORT:
      return real (fd, data, n > 1 ? n / 2 : n);
    default:
      return -1;
    }
}

ssize_t
write (int fd, const void *data, size_t n)
{
  REAL (write);

  switch (way_of (KIND_write, ENOSPC))
    {
    case GOES_WELL:
      return real (fd, data, n);
    case SHORT:
      return real (fd, data, n > 1 ? n / 2 : n);
    default:
      return -1;
    }
}

int
fsync (int fd)
{
  REAL (fsync);

  return fails (KIND_fsync, EIO) ? -1 : real (fd);
}

int
rename (const char *from, const char *to)
{
  REAL (rename);

  return fails (KIND_rename, EIO) ? -1 : real (from, to);
}

void *
mmap (void *address, size_t n, int protection, int flags, int fd, off_t offset)
{
  REAL (mmap);

  return fails (KIND_mmap, ENOMEM) ? MAP_FAILED : real (address, n, protection, flags, fd, offset);
}

void *
mmap64 (void *address, size_t n, int protection, int flags, int fd, off_t offset)
{
  return mmap (address, n, protection, flags, fd, offset);
}

/* Where there is no room for a process, another way to start it does not help. */
static atomic_int no_process;

pid_t
fork (void)
{
  REAL (fork);

  if (atomic_exchange (&no_process, 0) || fails (KIND_fork, EAGAIN))
    {
      errno = EAGAIN;
      return -1;
    }

  return real ();
}

int
posix_spawnp (pid_t *pid, const char *file, const posix_spawn_file_actions_t *actions,
              const posix_spawnattr_t *attributes, char *const argv[], char *const environment[])
{
  REAL (posix_spawnp);

  if (fails (KIND_fork, EAGAIN))
    {
      atomic_store (&no_process, 1);
      return EAGAIN;
    }

  return real (pid, file, actions, attributes, argv, environment);
}

int
pthread_create (pthread_t *thread, const pthread_attr_t *attributes, void *(*run) (void *),
                void *data)
{
  REAL (pthread_create);

  return fails (KIND_thread, EAGAIN) ? EAGAIN : real (thread, attributes, run, data);
}

static void
tell (const char *what)
{
  if (names_fd >= 0)
    dprintf (names_fd, "%s\n", what);
}

int
getaddrinfo (const char *host, const char *service, const struct addrinfo *hints,
             struct addrinfo **result)
{
  REAL (getaddrinfo);

  tell (host != NULL ? host : "no host");

  return real (host, service, hints, result);
}

struct hostent *
gethostbyname (const char *host)
{
  REAL (gethostbyname);

  tell (host);

  return real (host);
}

int
socket (int domain, int type, int protocol)
{
  REAL (socket);

  if (domain == AF_INET || domain == AF_INET6)
    tell ("socket");

  return real (domain, type, protocol);
}
