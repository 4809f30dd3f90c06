/* assay-gpu.c
 * SPDX-License-Identifier: Apache-2.0
 */
#include "run/assay-gpu.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/assay-error.h"
#include "base/assay-sentence.h"
#include "process/assay-child.h"

#define SECONDS 600

/* A process that owns a device, and the way by which it is given memory. */
typedef struct
{
  AssayChild *child;
  int socket;
  char *key; /* what it was started with */
} Helper;

struct _AssayGpu
{
  Helper *helper;
  gboolean is_ready; /* it has answered whatever it was asked */
  char *name;
  int fd;
  guint8 *shared;
  gsize size;
};

struct _AssayGpuLease
{
  gboolean is_held;
};

/* Helpers without a plan, as long as somebody has a lease. */
static GMutex idle_lock;
static GPtrArray *idle;
static guint n_leases;

static void
helper_free (Helper *self)
{
  if (self == NULL)
    return;

  if (self->child != NULL)
    assay_child_end (self->child, NULL);
  assay_child_free (self->child);
  if (self->socket >= 0)
    close (self->socket);
  g_free (self->key);
  g_free (self);
}

/**
 * assay_gpu_lease_new:
 *
 * Asks that helpers stay when their plan is done, with their device open, for plans to come.
 * Without a lease each ends with its plan.
 *
 * Returns: (transfer full): the lease
 */
AssayGpuLease *
assay_gpu_lease_new (void)
{
  AssayGpuLease *self = g_new0 (AssayGpuLease, 1);

  self->is_held = TRUE;
  g_mutex_lock (&idle_lock);
  n_leases++;
  g_mutex_unlock (&idle_lock);

  return self;
}

void
assay_gpu_lease_free (AssayGpuLease *self)
{
  g_autoptr (GPtrArray) ended = NULL;

  if (self == NULL)
    return;

  g_mutex_lock (&idle_lock);
  if (--n_leases == 0)
    ended = g_steal_pointer (&idle);
  g_mutex_unlock (&idle_lock);
  for (guint i = 0; ended != NULL && i < ended->len; i++)
    helper_free (g_ptr_array_index (ended, i));
  g_free (self);
}

/* One that was started the same way: the same program, device and folder, and the same environment,
 * by which drivers are found. */
static Helper *
take_idle (const char *key)
{
  Helper *found = NULL;

  g_mutex_lock (&idle_lock);
  for (guint i = 0; idle != NULL && i < idle->len && found == NULL; i++)
    if (g_str_equal (((Helper *) g_ptr_array_index (idle, i))->key, key))
      found = g_ptr_array_steal_index_fast (idle, i);
  g_mutex_unlock (&idle_lock);

  return found;
}

/* What is on the device goes, and the device stays, if somebody has a lease. */
static void
give_back (Helper *helper)
{
  gboolean kept = FALSE;

  g_mutex_lock (&idle_lock);
  kept = n_leases > 0;
  g_mutex_unlock (&idle_lock);
  assay_child_set_deadline (helper->child, SECONDS);
  kept = kept && assay_child_write (helper->child, "drop\n", 5, NULL, NULL);
  g_mutex_lock (&idle_lock);
  kept = kept && n_leases > 0;
  if (kept)
    {
      if (idle == NULL)
        idle = g_ptr_array_new ();
      g_ptr_array_add (idle, helper);
    }
  g_mutex_unlock (&idle_lock);
  if (!kept)
    helper_free (helper);
}

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

  if (self->helper != NULL && self->is_ready)
    give_back (self->helper);
  else
    helper_free (self->helper);
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
  g_autofree char *line = assay_child_read_line (self->helper->child, longest, progress, error);
  gsize length = strlen (word);

  if (line == NULL)
    {
      assay_gpu_add_ending (self->helper->child, error);
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
put_bytes (AssayGpu *self, gconstpointer data, gsize n, const AssayProgress *progress,
           GError **error)
{
  g_autoptr (GError) broken = NULL;
  g_autofree char *line = NULL;

  if (assay_child_write (self->helper->child, data, n, progress, &broken))
    return TRUE;
  line = g_error_matches (broken, ASSAY_ERROR, ASSAY_ERROR_CANCELLED)
             ? NULL
             : assay_child_read_line (self->helper->child, 4096, progress, NULL);
  if (line != NULL && g_str_has_prefix (line, "error "))
    g_set_error (error, ASSAY_ERROR, ASSAY_ERROR_DEVICE, "%s", line + 6);
  else
    {
      g_propagate_error (error, g_steal_pointer (&broken));
      assay_gpu_add_ending (self->helper->child, error);
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

static Helper *
start_helper (const char *path, const char *device, const char *folder, const char *key,
              GError **error)
{
  const char *argv[] = { path, "run", device, folder, NULL };
  Helper *self = g_new0 (Helper, 1);
  int ends[2] = { -1, -1 };

  self->socket = -1;
  self->key = g_strdup (key);
  if (socketpair (AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) != 0)
    g_set_error (error, ASSAY_ERROR, ASSAY_ERROR_DEVICE, "a way to assay-gpu: %s",
                 g_strerror (errno));
  else
    self->child = assay_child_new_with_fd (argv, ends[1], error);
  self->socket = ends[0];
  if (ends[1] >= 0)
    close (ends[1]);
  if (self->child == NULL)
    g_clear_pointer (&self, helper_free);

  return self;
}

/* Memory is handed on as a file descriptor, which goes with a byte. Who does not take it says so
 * when the plan comes. */
static void
hand_memory (AssayGpu *self)
{
  char byte = 0;
  struct iovec data = { &byte, 1 };
  union
  {
    struct cmsghdr head;
    char room[CMSG_SPACE (sizeof (int))];
  } control = { 0 };
  const struct msghdr message = {
    .msg_iov = &data, .msg_iovlen = 1, .msg_control = &control, .msg_controllen = sizeof control
  };
  struct cmsghdr *head = CMSG_FIRSTHDR (&message);

  head->cmsg_level = SOL_SOCKET;
  head->cmsg_type = SCM_RIGHTS;
  head->cmsg_len = CMSG_LEN (sizeof (int));
  memcpy (CMSG_DATA (head), &self->fd, sizeof self->fd);
  while (sendmsg (self->helper->socket, &message, MSG_NOSIGNAL | MSG_DONTWAIT) < 0 &&
         errno == EINTR)
    ;
}

static gboolean
put_plan (AssayGpu *self, const AssayGpuPlan *plan, guint seconds, const AssayProgress *progress,
          GError **error)
{
  g_autoptr (GBytes) bytes = assay_gpu_plan_to_bytes (plan);
  g_autofree char *head = g_strdup_printf ("plan %" G_GSIZE_FORMAT "\n", g_bytes_get_size (bytes));
  g_autofree char *name = NULL;

  assay_child_set_deadline (self->helper->child, seconds);
  hand_memory (self);
  if (!put_bytes (self, head, strlen (head), progress, error) ||
      !put_bytes (self, g_bytes_get_data (bytes, NULL), g_bytes_get_size (bytes), progress, error))
    return FALSE;
  name = read_answer (self, "ready", 4096, progress, error);
  if (name == NULL)
    return FALSE;
  g_free (self->name);
  self->name = g_strdup (g_strstrip (name));

  return TRUE;
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
 * Has a helper put a plan on a device: one that somebody has left under a lease, or a new one. Can
 * be done anew after a failure.
 *
 * Returns: whether it is ready to run
 */
gboolean
assay_gpu_start (AssayGpu *self, const char *device, const AssayGpuPlan *plan, guint seconds,
                 const AssayProgress *progress, GError **error)
{
  g_autofree char *path = assay_gpu_find_helper (error);
  g_autofree char *folder = cache_folder ();
  g_auto (GStrv) environment = g_get_environ ();
  g_autofree char *all = g_strjoinv ("\n", environment);
  g_autofree char *key = g_strjoin ("\n", path, device, folder, all, NULL);
  guint limit = seconds > 0 ? seconds : SECONDS;
  gint64 begin = g_get_monotonic_time ();

  if (path == NULL)
    return FALSE;
  self->is_ready = FALSE;
  g_clear_pointer (&self->helper, helper_free);
  self->helper = take_idle (key);
  /* One that has ended meanwhile, or whose device is not what it was, is none to speak of. */
  if (self->helper != NULL)
    {
      self->is_ready = put_plan (self, plan, limit, progress, NULL);
      if (self->is_ready)
        return TRUE;
      g_clear_pointer (&self->helper, helper_free);
      if (!assay_progress_check (progress, error))
        return FALSE;
      /* The new one has what is left of the time. */
      limit -= (guint) MIN ((g_get_monotonic_time () - begin) / G_TIME_SPAN_SECOND, limit - 1);
    }
  self->helper = start_helper (path, device, folder, key, error);
  self->is_ready = self->helper != NULL && put_plan (self, plan, limit, progress, error);

  return self->is_ready;
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

  /* Until it has answered it is nobody else's. */
  self->is_ready = FALSE;
  assay_child_set_deadline (self->helper->child, seconds > 0 ? seconds : SECONDS);
  if (!put_bytes (self, request, strlen (request), progress, error))
    return NULL;
  answer = read_answer (self, "ok", 4096, progress, error);
  if (answer == NULL)
    return NULL;
  if (!assay_child_read (self->helper->child, times, n_dispatches * sizeof *times, NULL, progress,
                         error))
    {
      assay_gpu_add_ending (self->helper->child, error);
      return NULL;
    }

  self->is_ready = TRUE;

  return g_steal_pointer (&times);
}
