/* assay-gpu.c
 * SPDX-License-Identifier: Apache-2.0
 */
#include "run/assay-gpu.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/assay-error.h"
#include "base/assay-sentence.h"
#include "process/assay-child.h"

#define SECONDS 600

struct _AssayGpu
{
  AssayChild *child;
  char *name;
  int fd;
  guint8 *shared;
  gsize size;
};

/**
 * assay_gpu_new:
 * @shared_bytes: how much memory host and device share
 * @error: return location for a #GError
 *
 * Makes memory to share with a helper that is started later.
 *
 * Returns: (transfer full) (nullable): the memory
 */
AssayGpu *
assay_gpu_new (guint64 shared_bytes, GError **error)
{
  g_autoptr (AssayGpu) self = g_new0 (AssayGpu, 1);

  self->shared = MAP_FAILED;
  self->size = MAX ((gsize) shared_bytes, 1);
  self->fd = memfd_create ("assay-gpu", MFD_CLOEXEC | MFD_ALLOW_SEALING);
  if (self->fd < 0 || ftruncate (self->fd, (off_t) self->size) != 0 ||
      fcntl (self->fd, F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL) != 0 ||
      (self->shared = mmap (NULL, self->size, PROT_READ | PROT_WRITE, MAP_SHARED, self->fd, 0)) ==
          MAP_FAILED)
    {
      g_set_error (error, ASSAY_ERROR, ASSAY_ERROR_DEVICE,
                   "%" G_GSIZE_FORMAT " byte%s of shared memory: %s", self->size,
                   assay_plural (self->size), g_strerror (errno));
      return NULL;
    }

  return g_steal_pointer (&self);
}

void
assay_gpu_free (AssayGpu *self)
{
  if (self == NULL)
    return;

  if (self->child != NULL)
    assay_child_end (self->child, NULL);
  g_clear_pointer (&self->child, assay_child_free);
  if (self->shared != MAP_FAILED)
    munmap (self->shared, self->size);
  if (self->fd >= 0)
    close (self->fd);
  g_free (self->name);
  g_free (self);
}

/**
 * assay_gpu_get_shared:
 * @self: memory
 *
 * Gets what host and helper share.
 *
 * Returns: (transfer none): the first byte
 */
guint8 *
assay_gpu_get_shared (AssayGpu *self)
{
  return self->shared;
}

/* What the helper answers: a word, and what follows it. */
static char *
read_answer (AssayGpu *self, const char *word, gsize longest, const AssayProgress *progress,
             GError **error)
{
  g_autofree char *line = assay_child_read_line (self->child, longest, progress, error);
  gsize length = strlen (word);

  if (line == NULL)
    {
      assay_gpu_add_ending (self->child, error);
      return NULL;
    }
  if (strncmp (line, word, length) == 0 && (line[length] == ' ' || line[length] == '\0'))
    return g_strdup (line + length);
  g_set_error (error, ASSAY_ERROR, ASSAY_ERROR_DEVICE, "%s",
               g_str_has_prefix (line, "error ") ? line + 6 : "assay-gpu gave no answer");

  return NULL;
}

/* Who has stopped reading has perhaps said why. */
static gboolean
send (AssayGpu *self, gconstpointer data, gsize n, const AssayProgress *progress, GError **error)
{
  g_autoptr (GError) broken = NULL;
  g_autofree char *line = NULL;

  if (assay_child_write (self->child, data, n, progress, &broken))
    return TRUE;
  line = g_error_matches (broken, ASSAY_ERROR, ASSAY_ERROR_CANCELLED)
             ? NULL
             : assay_child_read_line (self->child, 4096, progress, NULL);
  if (line != NULL && g_str_has_prefix (line, "error "))
    g_set_error (error, ASSAY_ERROR, ASSAY_ERROR_DEVICE, "%s", line + 6);
  else
    {
      g_propagate_error (error, g_steal_pointer (&broken));
      assay_gpu_add_ending (self->child, error);
    }

  return FALSE;
}

static char *
cache_folder (void)
{
  char *folder = g_build_filename (g_get_user_cache_dir (), "assay", "gpu", NULL);

  g_mkdir_with_parents (folder, 0700);

  return folder;
}

/**
 * assay_gpu_start:
 * @self: memory that holds the weights of a plan
 * @device: a number, a part of a name, or "" for the first device
 * @plan: the plan
 * @seconds: how long it may take, 0 for ten minutes
 * @progress: (nullable): cancel
 * @error: return location for a #GError
 *
 * Starts the helper, which puts a plan on a device. Can be done anew after a failure.
 *
 * Returns: whether it is ready to run
 */
gboolean
assay_gpu_start (AssayGpu *self, const char *device, const AssayGpuPlan *plan, guint seconds,
                 const AssayProgress *progress, GError **error)
{
  g_autofree char *path = assay_gpu_find_helper (error);
  g_autofree char *folder = cache_folder ();
  g_autoptr (GBytes) bytes = assay_gpu_plan_to_bytes (plan);
  g_autofree char *head = g_strdup_printf ("plan %" G_GSIZE_FORMAT "\n", g_bytes_get_size (bytes));
  const char *argv[] = { path, "run", device, folder, NULL };
  g_autofree char *name = NULL;

  if (path == NULL)
    return FALSE;
  g_clear_pointer (&self->child, assay_child_free);
  self->child = assay_child_new_with_fd (argv, self->fd, error);
  if (self->child == NULL)
    return FALSE;
  assay_child_set_deadline (self->child, seconds > 0 ? seconds : SECONDS);
  if (!send (self, head, strlen (head), progress, error) ||
      !send (self, g_bytes_get_data (bytes, NULL), g_bytes_get_size (bytes), progress, error))
    return FALSE;
  name = read_answer (self, "ready", 4096, progress, error);
  if (name == NULL)
    return FALSE;
  g_free (self->name);
  self->name = g_strdup (g_strstrip (name));

  return TRUE;
}

/**
 * assay_gpu_get_name:
 * @self: a plan on a device
 *
 * Names the device.
 *
 * Returns: the name that it gives itself
 */
const char *
assay_gpu_get_name (AssayGpu *self)
{
  return self->name;
}

/**
 * assay_gpu_run:
 * @self: a plan on a device
 * @submission: which part of the plan
 * @n_dispatches: how many dispatches that has
 * @seconds: how long it may take, 0 for ten minutes
 * @progress: (nullable): cancel
 * @error: return location for a #GError
 *
 * Runs a part of an inference on what is in shared memory.
 *
 * Returns: (transfer full) (nullable) (array length=n_dispatches): how long each dispatch took, in
 * nanoseconds
 */
gint64 *
assay_gpu_run (AssayGpu *self, guint submission, guint n_dispatches, guint seconds,
               const AssayProgress *progress, GError **error)
{
  g_autofree char *request = g_strdup_printf ("run %u\n", submission);
  g_autofree char *answer = NULL;
  g_autofree gint64 *times = g_new0 (gint64, (gsize) n_dispatches + 1);

  assay_child_set_deadline (self->child, seconds > 0 ? seconds : SECONDS);
  if (!send (self, request, strlen (request), progress, error))
    return NULL;
  answer = read_answer (self, "ok", 4096, progress, error);
  if (answer == NULL)
    return NULL;
  if (!assay_child_read (self->child, times, n_dispatches * sizeof *times, NULL, progress, error))
    {
      assay_gpu_add_ending (self->child, error);
      return NULL;
    }

  return g_steal_pointer (&times);
}
