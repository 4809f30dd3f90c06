/* test-files.c
 * SPDX-License-Identifier: Apache-2.0
 *
 * Files from outside: they change while they are mapped, are no files at all, or are written while
 * somebody is killed.
 */
#include <fcntl.h>
#include <glib/gstdio.h>
#include <signal.h>
#include <string.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include "base/assay-error.h"
#include "base/assay-file-map.h"
#include "base/assay-file-read.h"
#include "base/assay-file-write.h"
#include "base/assay-tensor.h"

#include "folder.h"
#include "test-program.h"

#define PAGE ((gsize) sysconf (_SC_PAGESIZE))
#define N_PAGES 16
#define N_THREADS 4

typedef struct
{
  char *folder;
  char *path;
} Place;

static void
set_up (Place *self, gconstpointer data)
{
  g_autofree char *bytes = g_malloc (N_PAGES * PAGE);
  g_autoptr (GError) error = NULL;

  self->folder = g_dir_make_tmp ("assay-files-XXXXXX", NULL);
  self->path = g_build_filename (self->folder, "file", NULL);
  memset (bytes, 'a', N_PAGES * PAGE);
  g_file_set_contents (self->path, bytes, (gssize) (N_PAGES * PAGE), &error);
  g_assert_no_error (error);
}

static void
tear_down (Place *self, gconstpointer data)
{
  folder_remove (self->folder);
  g_free (self->folder);
  g_free (self->path);
}

static gsize
count (GBytes *bytes)
{
  gsize size, n = 0;
  const char *data = g_bytes_get_data (bytes, &size);

  for (gsize i = 0; i < size; i++)
    n += data[i] == 'a';

  return n;
}

static gpointer
count_in_thread (gpointer bytes)
{
  return GSIZE_TO_POINTER (count (bytes));
}

/* What was cut off reads as zeros, in every thread, and the file is named. */
static void
test_cut_short (Place *place, gconstpointer data)
{
  const gsize sizes[] = { 0, 1, 5, 5 * PAGE, 7 * PAGE + 3, (N_PAGES - 1) * PAGE };

  for (guint i = 0; i < G_N_ELEMENTS (sizes); i++)
    {
      g_autoptr (GError) error = NULL;
      g_autoptr (GBytes) bytes = NULL;
      GThread *threads[N_THREADS];

      g_assert_cmpint (truncate (place->path, 0), ==, 0);
      tear_down (place, NULL);
      set_up (place, NULL);
      bytes = assay_file_map_new (place->path, &error);
      g_assert_no_error (error);
      g_assert_true (assay_file_map_check_bytes (bytes, &error));
      g_assert_cmpuint (count (bytes), ==, N_PAGES * PAGE);

      g_assert_cmpint (truncate (place->path, (off_t) sizes[i]), ==, 0);
      for (guint k = 0; k < N_THREADS; k++)
        threads[k] = g_thread_new ("count", count_in_thread, bytes);
      for (guint k = 0; k < N_THREADS; k++)
        g_assert_cmpuint (GPOINTER_TO_SIZE (g_thread_join (threads[k])), ==, sizes[i]);

      g_assert_false (
          assay_file_map_is_whole (assay_file_map_find (g_bytes_get_data (bytes, NULL))));
      g_assert_false (assay_file_map_check_bytes (bytes, &error));
      g_assert_error (error, ASSAY_ERROR, ASSAY_ERROR_IO);
      g_assert_nonnull (strstr (error->message, place->path));
      g_clear_error (&error);
      g_assert_false (assay_file_map_check_all (&error));
      g_assert_error (error, ASSAY_ERROR, ASSAY_ERROR_IO);
    }
}

/* A file that is cut short and grows again is another one, and so is one that is written to. */
static void
test_written_to (Place *place, gconstpointer data)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (GBytes) bytes = assay_file_map_new (place->path, &error);
  const struct timespec times[2] = { { .tv_sec = 1 }, { .tv_sec = 1 } };
  int fd = g_open (place->path, O_WRONLY, 0);

  g_assert_no_error (error);
  g_assert_cmpint (pwrite (fd, "b", 1, 0), ==, 1);
  g_assert_cmpint (futimens (fd, times), ==, 0);
  close (fd);
  g_assert_false (assay_file_map_check_bytes (bytes, &error));
  g_assert_error (error, ASSAY_ERROR, ASSAY_ERROR_IO);
}

/* A file in its place, or none, is no change of the one that is mapped. */
static void
test_replaced (Place *place, gconstpointer data)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (GBytes) bytes = assay_file_map_new (place->path, &error);

  g_assert_no_error (error);
  g_assert_true (assay_file_write (place->path, "new", 3, &error));
  g_assert_true (assay_file_map_check_bytes (bytes, &error));
  g_assert_cmpuint (count (bytes), ==, N_PAGES * PAGE);
  g_unlink (place->path);
  g_assert_true (assay_file_map_check_bytes (bytes, &error));
  g_assert_no_error (error);
}

/* Files come and go while others are read. */
static gpointer
map_and_unmap (gpointer path)
{
  for (guint i = 0; i < 2000; i++)
    {
      g_autoptr (GBytes) bytes = assay_file_map_new (path, NULL);

      g_assert_nonnull (assay_file_map_find (g_bytes_get_data (bytes, NULL)));
    }

  return NULL;
}

static void
test_many (Place *place, gconstpointer data)
{
  Place other;
  GThread *threads[N_THREADS];

  set_up (&other, NULL);
  for (guint k = 0; k < N_THREADS; k++)
    threads[k] = g_thread_new ("map", map_and_unmap, other.path);
  for (guint i = 0; i < 50; i++)
    {
      g_autoptr (GBytes) bytes = assay_file_map_new (place->path, NULL);

      g_assert_cmpint (truncate (place->path, (off_t) PAGE), ==, 0);
      g_assert_cmpuint (count (bytes), ==, PAGE);
      g_assert_false (assay_file_map_check_bytes (bytes, NULL));
      tear_down (place, NULL);
      set_up (place, NULL);
    }
  for (guint k = 0; k < N_THREADS; k++)
    g_thread_join (threads[k]);
  tear_down (&other, NULL);
}

/* A tensor in a file that was cut short has no elements. */
static void
test_tensor (Place *place, gconstpointer data)
{
  const gint64 dims[] = { (gint64) (N_PAGES * PAGE / sizeof (float)) };
  g_autoptr (GError) error = NULL;
  g_autoptr (GBytes) bytes = assay_file_map_new (place->path, &error);
  g_autoptr (AssayTensor) tensor = assay_tensor_new (ASSAY_DTYPE_F32, 1, dims, bytes, &error);
  double value;

  g_assert_no_error (error);
  g_assert_true (assay_tensor_check (tensor, &error));
  g_assert_cmpint (truncate (place->path, 1), ==, 0);
  /* The first read past the end finds out; it gets zero, and all after it an error. */
  g_assert_true (assay_tensor_get_element (tensor, (gsize) dims[0] - 1, &value, &error));
  g_assert_cmpfloat (value, ==, 0);
  g_assert_false (assay_tensor_get_element (tensor, 0, &value, &error));
  g_assert_error (error, ASSAY_ERROR, ASSAY_ERROR_IO);
}

/* What is no fault of a mapped file is as deadly as ever. */
static void
test_others_die (Place *place, gconstpointer data)
{
  if (g_test_subprocess ())
    {
      g_autoptr (GBytes) bytes = assay_file_map_new (place->path, NULL);
      int fd = g_open (place->path, O_RDWR, 0);
      volatile char *own = mmap (NULL, PAGE, PROT_READ, MAP_SHARED, fd, 0);

      g_assert_cmpint (ftruncate (fd, 0), ==, 0);
      g_assert_cmpint (own[0], ==, 0);
      return;
    }

  g_test_trap_subprocess (NULL, 0, 0);
  g_test_trap_assert_failed ();
}

/* None of these is waited for. */
static void
test_no_files (Place *place, gconstpointer data)
{
  g_autofree char *fifo = g_build_filename (place->folder, "fifo", NULL);
  g_autofree char *link = g_build_filename (place->folder, "link", NULL);
  const char *const paths[] = { fifo, link, place->folder, "/dev/zero", "/dev/full", "/nowhere" };
  char begin[4];

  g_assert_cmpint (mkfifo (fifo, 0600), ==, 0);
  g_assert_cmpint (symlink ("fifo", link), ==, 0);
  for (guint i = 0; i < G_N_ELEMENTS (paths); i++)
    {
      g_autoptr (GError) error = NULL;
      g_autofree char *text = NULL;

      g_assert_false (assay_file_read (paths[i], ASSAY_FILE_READ_TEXT, &text, NULL, &error));
      g_assert_error (error, ASSAY_ERROR, ASSAY_ERROR_IO);
      g_assert_true (g_str_has_prefix (error->message, paths[i]));
      g_clear_error (&error);
      g_assert_null (assay_file_map_new (paths[i], &error));
      g_assert_error (error, ASSAY_ERROR, ASSAY_ERROR_IO);
      g_assert_cmpuint (assay_file_peek (paths[i], begin, sizeof begin), ==, 0);
    }
}

static void
test_read (Place *place, gconstpointer data)
{
  g_autoptr (GError) error = NULL;
  g_autofree char *text = NULL;
  g_autofree char *kernel = NULL;
  gsize length;

  g_assert_true (assay_file_read (place->path, N_PAGES * PAGE, &text, &length, &error));
  g_assert_cmpuint (length, ==, N_PAGES * PAGE);
  g_assert_cmpuint (strlen (text), ==, length);
  g_assert_true (assay_file_read ("/proc/self/status", 1 << 20, &kernel, &length, &error));
  g_assert_cmpuint (length, >, 0);
  g_clear_pointer (&kernel, g_free);
  g_assert_false (assay_file_read (place->path, N_PAGES * PAGE - 1, &kernel, &length, &error));
  g_assert_error (error, ASSAY_ERROR, ASSAY_ERROR_IO);
  g_clear_error (&error);
  g_assert_false (assay_file_read ("/proc/self/status", 16, &kernel, &length, &error));
  g_assert_error (error, ASSAY_ERROR, ASSAY_ERROR_IO);
}

static void
assert_holds (const char *path, const char *expected)
{
  g_autofree char *text = NULL;
  g_autoptr (GError) error = NULL;

  g_file_get_contents (path, &text, NULL, &error);
  g_assert_no_error (error);
  g_assert_cmpstr (text, ==, expected);
}

static guint
count_entries (const char *folder)
{
  g_autoptr (GDir) dir = g_dir_open (folder, 0, NULL);
  guint n = 0;

  while (g_dir_read_name (dir) != NULL)
    n++;

  return n;
}

/* A file keeps its rights and a link its place. */
static void
test_write (Place *place, gconstpointer data)
{
  g_autofree char *link = g_build_filename (place->folder, "link", NULL);
  g_autofree char *loose = g_build_filename (place->folder, "loose", NULL);
  g_autofree char *to_be = g_build_filename (place->folder, "to-be", NULL);
  g_autofree char *self = g_build_filename (place->folder, "self", NULL);
  g_autofree char *name = g_strnfill (255, 'n');
  g_autofree char *longest = g_build_filename (place->folder, name, NULL);
  g_autoptr (GError) error = NULL;
  GStatBuf about;
  mode_t mask = umask (027);

  g_assert_cmpint (g_chmod (place->path, 0604), ==, 0);
  g_assert_cmpint (symlink ("file", link), ==, 0);
  g_assert_cmpint (symlink ("to-be", loose), ==, 0);
  g_assert_cmpint (symlink ("self", self), ==, 0);
  g_assert_true (assay_file_write (link, "one", 3, &error));
  g_assert_true (assay_file_write (loose, "two", 3, &error));
  g_assert_true (assay_file_write (longest, "three", 5, &error));
  g_assert_no_error (error);
  assert_holds (place->path, "one");
  assert_holds (to_be, "two");
  assert_holds (longest, "three");
  g_assert_true (g_file_test (link, G_FILE_TEST_IS_SYMLINK));
  g_assert_true (g_file_test (loose, G_FILE_TEST_IS_SYMLINK));
  g_assert_cmpint (g_stat (place->path, &about), ==, 0);
  g_assert_cmpuint (about.st_mode & 0777, ==, 0604);
  g_assert_cmpint (g_stat (to_be, &about), ==, 0);
  g_assert_cmpuint (about.st_mode & 0777, ==, 0640);
  umask (mask);

  g_assert_false (assay_file_write (place->folder, "x", 1, &error));
  g_assert_error (error, ASSAY_ERROR, ASSAY_ERROR_SAVE);
  g_clear_error (&error);
  g_assert_false (assay_file_write ("/nowhere/at/all", "x", 1, &error));
  g_assert_error (error, ASSAY_ERROR, ASSAY_ERROR_SAVE);
  g_assert_nonnull (strstr (error->message, "/nowhere/at/all"));
  g_assert_cmpuint (count_entries (place->folder), ==, 6);
}

static gpointer
read_pipe (gpointer path)
{
  g_autofree char *text = NULL;

  g_file_get_contents (path, &text, NULL, NULL);
  return g_steal_pointer (&text);
}

/* Devices and pipes are written to and stay. */
static void
test_write_devices (Place *place, gconstpointer data)
{
  g_autofree char *fifo = g_build_filename (place->folder, "fifo", NULL);
  g_autofree char *node = g_build_filename (place->folder, "full", NULL);
  const char *full = mknod (node, S_IFCHR | 0600, makedev (1, 7)) == 0 ? node : "/dev/full";
  g_autoptr (GError) error = NULL;
  g_autofree char *text = NULL;
  GThread *thread;
  GStatBuf about;

  g_assert_cmpint (mkfifo (fifo, 0600), ==, 0);
  thread = g_thread_new ("read", read_pipe, fifo);
  g_assert_true (assay_file_write (fifo, "through", 7, &error));
  text = g_thread_join (thread);
  g_assert_cmpstr (text, ==, "through");
  g_assert_cmpint (g_stat (fifo, &about), ==, 0);
  g_assert_true (S_ISFIFO (about.st_mode));

  g_assert_false (assay_file_write (fifo, "nobody", 6, &error));
  g_assert_error (error, ASSAY_ERROR, ASSAY_ERROR_SAVE);
  g_assert_nonnull (strstr (error->message, "nobody reads it"));
  g_clear_error (&error);

  g_assert_false (assay_file_write (full, "x", 1, &error));
  g_assert_error (error, ASSAY_ERROR, ASSAY_ERROR_SAVE);
  g_assert_cmpint (g_stat (full, &about), ==, 0);
  g_assert_true (S_ISCHR (about.st_mode));
}

/* What the killed have left goes, what others are writing stays. */
static void
test_leftovers (Place *place, gconstpointer data)
{
  g_autofree char *dead = g_build_filename (place->folder, ".file.assay-abcdef", NULL);
  g_autofree char *folder = g_build_filename (place->folder, ".file.assay-ghijkl", NULL);
  g_autofree char *inside = g_build_filename (folder, "file", NULL);
  g_autofree char *other = g_build_filename (place->folder, ".file.assay-notes", NULL);
  g_autoptr (AssayFileWriter) living = NULL;
  g_autoptr (AssayFileStaging) staging = NULL;
  g_autoptr (GError) error = NULL;

  g_file_set_contents (dead, "half", 4, NULL);
  g_file_set_contents (other, "mine", 4, NULL);
  g_assert_cmpint (g_mkdir (folder, 0700), ==, 0);
  g_file_set_contents (inside, "half", 4, NULL);
  living = assay_file_writer_new (place->path, NULL, &error);
  staging = assay_file_staging_new (place->path, &error);
  g_assert_no_error (error);
  g_assert_true (assay_file_write (place->path, "whole", 5, &error));
  g_assert_no_error (error);
  g_assert_false (g_file_test (dead, G_FILE_TEST_EXISTS));
  g_assert_false (g_file_test (folder, G_FILE_TEST_EXISTS));
  g_assert_true (g_file_test (other, G_FILE_TEST_EXISTS));
  g_assert_true (g_file_test (assay_file_writer_get_temporary (living), G_FILE_TEST_EXISTS));
  g_assert_cmpuint (count_entries (place->folder), ==, 4);
}

/* Of files that belong together the old ones are back if one cannot be replaced. */
static void
test_together (Place *place, gconstpointer data)
{
  g_autofree char *beside = g_build_filename (place->folder, "beside", NULL);
  g_autofree char *fresh = g_build_filename (place->folder, "fresh", NULL);

  for (guint fails = 0; fails < 2; fails++)
    {
      g_autoptr (GError) error = NULL;
      g_autoptr (AssayFileStaging) staging = NULL;
      AssayFileWriter *writers[3];
      const char *const paths[] = { place->path, fresh, beside };

      g_assert_true (assay_file_write (place->path, "old", 3, &error));
      g_assert_true (assay_file_write (beside, "old beside", 10, &error));
      g_unlink (fresh);
      staging = assay_file_staging_new (place->path, &error);
      g_assert_no_error (error);
      for (guint i = 0; i < G_N_ELEMENTS (writers); i++)
        {
          writers[i] = assay_file_writer_new (paths[i], staging, &error);
          g_assert_no_error (error);
          g_assert_true (assay_file_writer_write (writers[i], "new", 3, &error));
          g_assert_true (assay_file_writer_finish (writers[i], &error));
        }
      if (fails)
        g_unlink (assay_file_writer_get_temporary (writers[2]));
      g_assert_cmpint (assay_file_writer_commit (writers, G_N_ELEMENTS (writers), &error), ==,
                       !fails);
      for (guint i = 0; i < G_N_ELEMENTS (writers); i++)
        assay_file_writer_free (writers[i]);
      g_clear_pointer (&staging, assay_file_staging_free);

      assert_holds (place->path, fails ? "old" : "new");
      assert_holds (beside, fails ? "old beside" : "new");
      g_assert_cmpint (g_file_test (fresh, G_FILE_TEST_EXISTS), ==, !fails);
      g_assert_cmpuint (count_entries (place->folder), ==, fails ? 2 : 3);
    }
}

/* Whatever writes, and whatever is written, in a group: all of it is there or none, also where a
 * device refuses, a file vanishes before the end, two have one name, or nobody ends the work. */
static void
test_group (Place *place, gconstpointer data)
{
  enum
  {
    WORKS,
    DEVICE_IS_FULL,
    FILE_IS_GONE,
    NAMED_TWICE,
    LEFT,
    N_WAYS
  };
  g_autofree char *beside = g_build_filename (place->folder, "beside", NULL);
  g_autofree char *folder = g_build_filename (place->folder, "folder", NULL);
  g_autofree char *inside = g_build_filename (folder, "inside", NULL);
  g_autofree char *pipe = g_build_filename (folder, "pipe", NULL);
  const char *const paths[] = { place->path, beside, inside };
  int reader;

  g_assert_cmpint (g_mkdir (folder, 0700), ==, 0);
  g_assert_cmpint (mkfifo (pipe, 0600), ==, 0);
  reader = g_open (pipe, O_RDONLY | O_NONBLOCK, 0);
  g_assert_cmpint (reader, >=, 0);
  for (guint way = 0; way < N_WAYS; way++)
    {
      g_autoptr (AssayFileGroup) group = assay_file_group_new ();
      g_autoptr (GError) error = NULL;
      gboolean done = TRUE;

      g_assert_true (assay_file_write (place->path, "old", 3, NULL));
      g_assert_true (assay_file_write (inside, "old", 3, NULL));
      g_unlink (beside);
      assay_file_group_enter (group);
      g_assert_true (
          assay_file_write (way == DEVICE_IS_FULL ? "/dev/full" : pipe, "new", 3, &error));
      for (guint i = 0; i < G_N_ELEMENTS (paths); i++)
        g_assert_true (assay_file_write (paths[i], "new", 3, &error));
      if (way == NAMED_TWICE)
        done = assay_file_write (inside, "newer", 5, &error);
      assay_file_group_leave (group);
      assert_holds (place->path, "old");
      assert_holds (inside, "old");
      g_assert_false (g_file_test (beside, G_FILE_TEST_EXISTS));
      if (way == FILE_IS_GONE)
        {
          g_assert_cmpint (g_unlink (inside), ==, 0);
          g_assert_cmpint (g_mkdir (inside, 0700), ==, 0);
        }
      done = done && way != LEFT && assay_file_group_commit (group, &error);

      g_assert_cmpint (done, ==, way == WORKS);
      g_assert_cmpint (error == NULL, ==, way == WORKS || way == LEFT);
      g_clear_pointer (&group, assay_file_group_free);
      assert_holds (place->path, done ? "new" : "old");
      g_assert_cmpint (g_file_test (beside, G_FILE_TEST_EXISTS), ==, done);
      if (way == FILE_IS_GONE)
        g_rmdir (inside);
      else
        assert_holds (inside, done ? "new" : "old");
      g_assert_cmpuint (count_entries (place->folder), ==, done ? 3 : 2);
      g_assert_cmpuint (count_entries (folder), ==, way == FILE_IS_GONE ? 1 : 2);
      g_assert_true (g_file_test (pipe, G_FILE_TEST_EXISTS));
    }
  close (reader);
}

/* A link may lead to another disk, also to what is not there yet: what belongs together is made
 * where it will be. */
static void
test_staged_links (Place *place, gconstpointer data)
{
  g_autofree char *folder = g_build_filename (place->folder, "folder", NULL);
  g_autofree char *aim = g_build_filename (folder, "aim", NULL);
  g_autofree char *link = g_build_filename (place->folder, "link", NULL);
  g_autofree char *again = g_build_filename (place->folder, "again", NULL);

  g_assert_cmpint (g_mkdir (folder, 0700), ==, 0);
  g_assert_cmpint (symlink ("folder/aim", link), ==, 0);
  g_assert_cmpint (symlink (link, again), ==, 0);
  for (guint i = 0; i < 2; i++)
    {
      g_autoptr (GError) error = NULL;
      g_autoptr (AssayFileStaging) staging = assay_file_staging_new (again, &error);
      g_autoptr (AssayFileWriter) writer = assay_file_writer_new (again, staging, &error);

      g_assert_no_error (error);
      g_assert_true (g_str_has_prefix (assay_file_writer_get_temporary (writer), folder));
      g_assert_true (assay_file_writer_write (writer, "new", 3, &error));
      g_assert_true (assay_file_writer_finish (writer, &error));
      g_assert_true (assay_file_writer_commit (&writer, 1, &error));
      g_assert_no_error (error);
      assert_holds (aim, "new");
      g_assert_true (g_file_test (link, G_FILE_TEST_IS_SYMLINK));
      g_assert_true (g_file_test (again, G_FILE_TEST_IS_SYMLINK));
    }
  g_assert_cmpuint (count_entries (folder), ==, 1);
}

/* Standard output is written to as it is, be it a file: nothing can be put back there, so what
 * belongs together does not begin with it. */
static void
test_standard_output (Place *place, gconstpointer data)
{
  g_autofree char *path = g_build_filename (place->folder, "output", NULL);
  const char *const names[] = { path, "/dev/stdout", "/proc/self/fd/1" };

  for (guint i = 0; i < G_N_ELEMENTS (names); i++)
    {
      g_autoptr (GError) error = NULL;
      g_autoptr (GError) refused = NULL;
      g_autoptr (AssayFileStaging) staging = assay_file_staging_new (place->path, &error);
      AssayFileStaging *none;
      AssayFileWriter *writer;
      int own = dup (STDOUT_FILENO);
      gboolean written;

      g_assert_cmpint (own, >=, 0);
      fflush (stdout);
      g_assert_nonnull (freopen (path, "w", stdout));
      written = assay_file_write (names[i], "in place", 8, &error);
      none = assay_file_staging_new (names[i], &refused);
      writer = assay_file_writer_new (names[i], staging, written ? &error : NULL);
      g_assert_cmpint (dup2 (own, STDOUT_FILENO), ==, STDOUT_FILENO);
      close (own);

      g_assert_true (written);
      g_assert_null (none);
      g_assert_error (refused, ASSAY_ERROR, ASSAY_ERROR_SAVE);
      g_assert_nonnull (strstr (refused->message, "only a file can be replaced"));
      g_assert_null (writer);
      g_assert_error (error, ASSAY_ERROR, ASSAY_ERROR_SAVE);
      g_assert_nonnull (strstr (error->message, "only a file can be replaced"));
      assert_holds (path, "in place");
    }
}

/* Writing what is in a file that was cut short says so. */
static void
test_write_mapped (Place *place, gconstpointer data)
{
  g_autofree char *copy = g_build_filename (place->folder, "copy", NULL);
  g_autoptr (GError) error = NULL;
  g_autoptr (GBytes) bytes = assay_file_map_new (place->path, &error);
  gsize size;
  gconstpointer at = g_bytes_get_data (bytes, &size);

  g_assert_cmpint (truncate (place->path, (off_t) PAGE), ==, 0);
  g_assert_false (assay_file_write (copy, at, size, &error));
  g_assert_error (error, ASSAY_ERROR, ASSAY_ERROR_IO);
  g_assert_nonnull (strstr (error->message, place->path));
  g_assert_false (g_file_test (copy, G_FILE_TEST_EXISTS));
}

/* Zeros are between what was written, in a file and in what cannot be sought. */
static void
test_skip (Place *place, gconstpointer data)
{
  g_autofree char *pipe_path = g_build_filename (place->folder, "pipe", NULL);
  const char *const paths[] = { place->path, pipe_path };
  int reader;

  g_assert_cmpint (mkfifo (pipe_path, 0600), ==, 0);
  reader = open (pipe_path, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
  g_assert_cmpint (reader, >=, 0);

  for (guint i = 0; i < G_N_ELEMENTS (paths); i++)
    {
      g_autoptr (GError) error = NULL;
      g_autoptr (AssayFileWriter) writer = assay_file_writer_new (paths[i], NULL, &error);
      char got[10001], expected[5001] = { 0 };
      gssize n;
      int fd = i == 0 ? -1 : reader;

      g_assert_no_error (error);
      g_assert_true (assay_file_writer_write (writer, "a", 1, &error));
      g_assert_true (assay_file_writer_skip_to (writer, 5000, &error));
      g_assert_true (assay_file_writer_write (writer, "b", 1, &error));
      g_assert_true (assay_file_writer_finish (writer, &error));
      g_assert_true (assay_file_writer_commit (&writer, 1, &error));
      g_assert_no_error (error);
      if (i == 0)
        fd = open (place->path, O_RDONLY | O_CLOEXEC);
      n = read (fd, got, sizeof got);
      expected[0] = 'a';
      expected[5000] = 'b';
      g_assert_cmpmem (got, n, expected, sizeof expected);
      close (fd);
    }
}

TEST_PROGRAM (files)
{
  static const struct
  {
    const char *path;
    void (*func) (Place *place, gconstpointer data);
  } tests[] = {
    { "/files/map/cut-short", test_cut_short },
    { "/files/map/written-to", test_written_to },
    { "/files/map/replaced", test_replaced },
    { "/files/map/many", test_many },
    { "/files/map/tensor", test_tensor },
    { "/files/map/others-die", test_others_die },
    { "/files/map/written-out", test_write_mapped },
    { "/files/read/no-files", test_no_files },
    { "/files/read/limit", test_read },
    { "/files/write/rights-and-links", test_write },
    { "/files/write/devices", test_write_devices },
    { "/files/write/leftovers", test_leftovers },
    { "/files/write/together", test_together },
    { "/files/write/group", test_group },
    { "/files/write/staged-links", test_staged_links },
    { "/files/write/skip", test_skip },
    { "/files/write/standard-output", test_standard_output },
  };

  g_test_init (&argc, &argv, NULL);
  for (guint i = 0; i < G_N_ELEMENTS (tests); i++)
    g_test_add (tests[i].path, Place, NULL, set_up, tests[i].func, tear_down);

  return g_test_run ();
}
