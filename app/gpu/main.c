/* main.c
 * SPDX-License-Identifier: Apache-2.0
 *
 * Owns a graphics processor for another process: what a driver does, or hangs in, must not be able
 * to take that one with it. Either lists the devices, or takes a plan and runs its parts. Requests
 * come as lines on standard input, tensors in the shared memory that is file descriptor 3.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "assay-gpu-engine.h"
#include "base/assay-error.h"
#include "process/assay-confine.h"
#include "process/assay-process.h"

#define SHARED_FD 3
#define LARGEST_PLAN ((gsize) 1 << 30)

static gboolean
fail (GError **error, const char *message)
{
  g_set_error (error, ASSAY_ERROR, ASSAY_ERROR_DEVICE, "%s", message);
  return FALSE;
}

static AssayGpuPlan *
read_plan (GError **error)
{
  g_autoptr (GBytes) bytes = NULL;
  g_autofree char *data = NULL;
  guint64 size = 0;
  char line[64];

  if (fgets (line, sizeof line, stdin) != NULL && g_str_has_prefix (line, "plan "))
    size = g_ascii_strtoull (line + 5, NULL, 10);
  if (size == 0 || size > LARGEST_PLAN)
    return fail (error, "a plan was expected"), NULL;
  data = g_malloc (size);
  if (fread (data, 1, size, stdin) != size)
    return fail (error, "the plan is cut short"), NULL;
  bytes = g_bytes_new_take (g_steal_pointer (&data), size);

  return assay_gpu_plan_from_bytes (bytes, error);
}

static guint8 *
map_shared (guint64 size, GError **error)
{
  struct stat info;
  guint8 *shared;

  if (fstat (SHARED_FD, &info) != 0 || info.st_size < 0 || (guint64) info.st_size < size)
    return fail (error, "the shared memory is smaller than the plan"), NULL;
  shared = mmap (NULL, MAX (size, 1), PROT_READ | PROT_WRITE, MAP_SHARED, SHARED_FD, 0);
  if (shared == MAP_FAILED)
    {
      g_set_error (error, ASSAY_ERROR, ASSAY_ERROR_DEVICE, "shared memory: %s", g_strerror (errno));
      return NULL;
    }

  return shared;
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

static int
serve (FILE *out, const char *name, const char *folder)
{
  const AssayConfinement confinement = { .writable = folder, .devices = TRUE };
  g_autoptr (AssayGpuDevice) device = NULL;
  g_autoptr (AssayGpuEngine) engine = NULL;
  g_autoptr (AssayGpuPlan) plan = NULL;
  g_autoptr (GError) error = NULL;
  guint8 *shared = NULL;
  char line[64];

  g_setenv ("HOME", folder, TRUE);
  g_setenv ("TMPDIR", folder, TRUE);
  g_setenv ("XDG_CACHE_HOME", folder, TRUE);
  if (assay_confine (&confinement, &error))
    plan = read_plan (&error);
  if (plan != NULL)
    shared = map_shared (plan->shared_bytes, &error);
  if (shared != NULL)
    device = assay_gpu_device_open (name, &error);
  if (device != NULL)
    engine = assay_gpu_engine_new (device, g_steal_pointer (&plan), shared, folder, &error);
  if (engine == NULL)
    return answer_error (out, error);
  fprintf (out, "ready %s\n", device->properties.deviceName);
  fflush (out);

  while (fgets (line, sizeof line, stdin) != NULL)
    {
      guint submission = (guint) strtoul (line + strcspn (line, " "), NULL, 10);

      if (!g_str_has_prefix (line, "run "))
        fail (&error, "a request was expected");
      if (error != NULL || !assay_gpu_engine_run (engine, submission, &error))
        return answer_error (out, error);
      answer_times (out, engine, submission);
    }

  return 0;
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
