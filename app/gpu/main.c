/* main.c
 * SPDX-License-Identifier: Apache-2.0
 *
 * Owns a graphics processor for another process: what a driver does, or hangs in, must not be able
 * to take that one with it. Either lists the devices, or takes a plan and runs its parts. Requests
 * come as lines on standard input; file descriptor 3 is a socket on which each plan is given the
 * memory for its tensors.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include "assay-gpu-engine.h"
#include "base/assay-error.h"
#include "process/assay-confine.h"
#include "process/assay-process.h"

#define SOCKET_FD 3
#define LARGEST_PLAN ((gsize) 1 << 30)

static gboolean
fail (GError **error, const char *message)
{
  g_set_error (error, ASSAY_ERROR, ASSAY_ERROR_DEVICE, "%s", message);
  return FALSE;
}

/* What is on the device, if anything is. */
typedef struct
{
  AssayGpuDevice *device;
  AssayGpuPipelines *pipelines;
  AssayGpuEngine *engine;
  guint8 *shared;
  gsize size;
} Serving;

static void
drop_plan (Serving *self)
{
  g_clear_pointer (&self->engine, assay_gpu_engine_free);
  if (self->pipelines != NULL)
    assay_gpu_pipelines_keep (self->pipelines);
  if (self->shared != NULL)
    munmap (self->shared, self->size);
  self->shared = NULL;
}

static AssayGpuPlan *
read_plan (const char *line, GError **error)
{
  g_autoptr (GBytes) bytes = NULL;
  g_autofree char *data = NULL;
  guint64 size = g_ascii_strtoull (line + strlen ("plan "), NULL, 10);

  if (size == 0 || size > LARGEST_PLAN)
    return fail (error, "a plan was expected"), NULL;
  data = g_malloc (size);
  if (fread (data, 1, size, stdin) != size)
    return fail (error, "the plan is cut short"), NULL;
  bytes = g_bytes_new_take (g_steal_pointer (&data), size);

  return assay_gpu_plan_from_bytes (bytes, error);
}

/* The file descriptor that came with the plan, or -1. */
static int
take_memory (void)
{
  char byte;
  struct iovec data = { &byte, 1 };
  union
  {
    struct cmsghdr head;
    char room[CMSG_SPACE (sizeof (int))];
  } control = { 0 };
  struct msghdr message = {
    .msg_iov = &data, .msg_iovlen = 1, .msg_control = &control, .msg_controllen = sizeof control
  };
  const struct cmsghdr *head;
  gssize n;
  int fd = -1;

  do
    n = recvmsg (SOCKET_FD, &message, MSG_CMSG_CLOEXEC);
  while (n < 0 && errno == EINTR);
  head = n == 1 ? CMSG_FIRSTHDR (&message) : NULL;
  if (head != NULL && head->cmsg_level == SOL_SOCKET && head->cmsg_type == SCM_RIGHTS &&
      head->cmsg_len == CMSG_LEN (sizeof fd))
    memcpy (&fd, CMSG_DATA (head), sizeof fd);

  return fd;
}

static gboolean
map_shared (Serving *self, guint64 size, GError **error)
{
  int fd = take_memory ();
  struct stat info;
  void *shared;

  if (fd < 0 || fstat (fd, &info) != 0 || info.st_size < 0 || (guint64) info.st_size < size)
    {
      if (fd >= 0)
        close (fd);
      return fail (error, "the shared memory is smaller than the plan");
    }
  self->size = MAX (size, 1);
  shared = mmap (NULL, self->size, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
  close (fd);
  if (shared == MAP_FAILED)
    {
      g_set_error (error, ASSAY_ERROR, ASSAY_ERROR_DEVICE, "shared memory: %s", g_strerror (errno));
      return FALSE;
    }
  self->shared = shared;

  return TRUE;
}

/* One line whatever the message holds. */
static int
answer_error (FILE *out, const GError *error)
{
  g_autofree char *text = g_strdelimit (g_strdup (error->message), "\r\n", ' ');

  fprintf (out, "error %.3000s\n", text);
  fflush (out);

  return 1;
}

/* Times follow their line as they are, so that nobody has to read numbers. */
static void
answer_times (FILE *out, AssayGpuEngine *engine, guint submission)
{
  guint n;
  const gint64 *times = assay_gpu_engine_get_times (engine, submission, &n);

  fputs ("ok\n", out);
  fwrite (times, sizeof *times, n, out);
  fflush (out);
}

/* Puts a plan on the device, in the place of the one that was there. */
static gboolean
take_plan (Serving *self, const char *line, const char *name, const char *folder, GError **error)
{
  g_autoptr (AssayGpuPlan) plan = read_plan (line, error);

  drop_plan (self);
  if (plan == NULL || !map_shared (self, plan->shared_bytes, error))
    return FALSE;
  if (self->device == NULL)
    self->device = assay_gpu_device_open (name, error);
  if (self->device != NULL && self->pipelines == NULL)
    self->pipelines = assay_gpu_pipelines_new (self->device, folder, error);
  if (self->pipelines != NULL)
    self->engine = assay_gpu_engine_new (self->pipelines, g_steal_pointer (&plan), self->shared,
                                         error);

  return self->engine != NULL;
}

static gboolean
answer (Serving *self, FILE *out, const char *line, const char *name, const char *folder,
        GError **error)
{
  guint submission = (guint) strtoul (line + strcspn (line, " "), NULL, 10);

  if (g_str_has_prefix (line, "plan "))
    {
      if (!take_plan (self, line, name, folder, error))
        return FALSE;
      fprintf (out, "ready %s\n", self->device->properties.deviceName);
      fflush (out);
    }
  else if (g_str_equal (line, "drop\n"))
    drop_plan (self);
  else if (!g_str_has_prefix (line, "run "))
    return fail (error, "a request was expected");
  else if (self->engine == NULL)
    return fail (error, "a plan was expected");
  else if (!assay_gpu_engine_run (self->engine, submission, error))
    return FALSE;
  else
    answer_times (out, self->engine, submission);

  return TRUE;
}

static int
serve (FILE *out, const char *name, const char *folder)
{
  const AssayConfinement confinement = { .writable = folder, .devices = TRUE };
  Serving serving = { NULL };
  g_autoptr (GError) error = NULL;
  char line[64];
  int status;

  g_setenv ("HOME", folder, TRUE);
  g_setenv ("TMPDIR", folder, TRUE);
  g_setenv ("XDG_CACHE_HOME", folder, TRUE);
  if (assay_confine (&confinement, &error))
    while (error == NULL && fgets (line, sizeof line, stdin) != NULL)
      answer (&serving, out, line, name, folder, &error);
  status = error != NULL ? answer_error (out, error) : 0;
  drop_plan (&serving);
  g_clear_pointer (&serving.pipelines, assay_gpu_pipelines_free);
  g_clear_pointer (&serving.device, assay_gpu_device_free);

  return status;
}

static int
list (FILE *out)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (GPtrArray) devices = assay_gpu_device_list (&error);
  g_autofree char *document = devices != NULL ? assay_gpu_device_list_to_json (devices) : NULL;

  if (document == NULL)
    return answer_error (out, error);
  fputs (document, out);

  return 0;
}

int
main (int argc, char **argv)
{
  FILE *out;

  assay_process_begin ();
  assay_process_end_on_limits (3);
  if (!(argc == 2 && g_str_equal (argv[1], "list")) && !(argc == 4 && g_str_equal (argv[1], "run")))
    {
      fputs ("usage: assay-gpu list\n       assay-gpu run DEVICE FOLDER\n"
             "Started by assay; owns a graphics processor for it.\n",
             stderr);
      return 2;
    }

  /* Answers have standard output to themselves; what a driver prints goes where messages go. */
  out = fdopen (dup (STDOUT_FILENO), "w");
  if (out == NULL || dup2 (STDERR_FILENO, STDOUT_FILENO) < 0)
    return 3;

  return argc == 2 ? list (out) : serve (out, argv[2], argv[3]);
}
