/* replay.c
 * SPDX-License-Identifier: Apache-2.0
 *
 * Runs a fuzz target over every file of a folder, in order of names, and over inputs that are made
 * of each by changes; a crash or a sanitizer report is the failure. The input that it was is kept.
 *
 * Arguments: the name of the target; folders with colons between; how many inputs its own mutator
 * makes of each file; the text that begins an input in files that hold several. ASSAY_FUZZ_RUNS is
 * how many changed inputs there are in all, ASSAY_FUZZ_SEED (1) which.
 */
#include <fcntl.h>
#include <glib.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/time.h>
#include <unistd.h>

#include "fuzz.h"
#include "mutate.h"

#define MAX_SIZE (1 << 16)

/* Processor time that no input takes, however slow the build. */
#define MOST_SECONDS 120

/* A report of a sanitizer comes to the handler too. */
const char *__asan_default_options (void);
const char *__ubsan_default_options (void);

const char *
__asan_default_options (void)
{
  return "abort_on_error=1";
}

const char *
__ubsan_default_options (void)
{
  return "abort_on_error=1";
}

typedef struct
{
  const char *name;
  int (*try) (const uint8_t *data, size_t size);
  /* NULL for a target without one */
  size_t (*mutate) (uint8_t *data, size_t size, size_t max_size, unsigned int seed);
} Target;

#define TARGET(name, function)                                                                     \
  int fuzz_target_##function (const uint8_t *data, size_t size);                                   \
  size_t fuzz_mutator_##function (uint8_t *data, size_t size, size_t max_size, unsigned int seed)  \
      __attribute__ ((weak));
#include "fuzz-targets.h"
#undef TARGET

static const Target targets[] = {
#define TARGET(name, function) { name, fuzz_target_##function, fuzz_mutator_##function },
#include "fuzz-targets.h"
#undef TARGET
};

static const Target *target;
static guint n_mutations;
static guint n_runs;
static guint n_taken;     /* of the corpus as it is */
static GPtrArray *inputs; /* GBytes */

/* What runs, for the handler. */
static struct
{
  const void *data;
  gsize size;
  char path[64];
} current;

/* Keeps the input and dies of what came. */
static void
keep (int number)
{
  static const char text[] = "the input is kept in ";
  int fd = open (current.path, O_WRONLY | O_CREAT | O_TRUNC, 0600);

  if (fd >= 0 && write (fd, current.data, current.size) == (gssize) current.size &&
      write (STDERR_FILENO, text, sizeof text - 1) > 0 &&
      write (STDERR_FILENO, current.path, strlen (current.path)) > 0)
    fsync (fd);
  signal (number, SIG_DFL);
  raise (number);
}

/* g_file_get_contents() adds a byte, which would hide a read past the end; so would a larger block.
 */
static void
try (gconstpointer data, gsize size)
{
  const struct itimerval most = { .it_value.tv_sec = MOST_SECONDS };
  g_autofree uint8_t *exact = g_malloc (MAX (size, 1));

  if (size > 0)
    memcpy (exact, data, size);
  current.data = exact;
  current.size = size;
  setitimer (ITIMER_VIRTUAL, &most, NULL);
  g_assert_cmpint (target->try (exact, size), ==, 0);
}

/* Mutations follow one another, but not too far from what was valid. */
static void
mutate (GRand *random, GBytes *seed, guint n, gboolean own)
{
  g_autofree uint8_t *data = g_malloc (MAX_SIZE);
  gsize size = 0;

  for (guint i = 0; i < n; i++)
    {
      if (i % 4 == 0)
        {
          size = MIN (g_bytes_get_size (seed), MAX_SIZE);
          if (size > 0)
            memcpy (data, g_bytes_get_data (seed, NULL), size);
        }
      if (own)
        size = target->mutate (data, size, MAX_SIZE, g_rand_int (random));
      else
        size = mutate_bytes (data, size, MAX_SIZE, inputs, random);
      try (data, size);
    }
}

static void
replay (gconstpointer data)
{
  GBytes *seed = (GBytes *) data;
  const char *text = g_getenv ("ASSAY_FUZZ_SEED");
  g_autoptr (GRand) random = g_rand_new_with_seed (
      text != NULL ? (guint32) g_ascii_strtoull (text, NULL, 10) : 1);
  gboolean own = target->mutate != NULL;
  guint each = (n_runs + inputs->len - 1) / inputs->len;

  n_taken -= fuzz_n_taken;
  try (g_bytes_get_data (seed, NULL), g_bytes_get_size (seed));
  n_taken += fuzz_n_taken;
  if (own)
    mutate (random, seed, MAX (n_mutations, each / 2), TRUE);
  mutate (random, seed, own ? each / 2 : each, FALSE);
}

static void
replay_nothing (void)
{
  try (NULL, 0);
}

static int
compare_paths (gconstpointer a, gconstpointer b)
{
  return strcmp (*(const char *const *) a, *(const char *const *) b);
}

static void
add_paths (GPtrArray *paths, const char *folder)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (GDir) dir = g_dir_open (folder, 0, &error);
  const char *name;

  g_assert_no_error (error);
  while ((name = g_dir_read_name (dir)) != NULL)
    g_ptr_array_add (paths, g_build_filename (folder, name, NULL));
}

/* A file is an input, or as many as lines begin with @start. */
static void
add_inputs (const char *path, const char *start)
{
  g_autofree char *base = g_path_get_basename (path);
  g_autofree char *contents = NULL;
  g_autoptr (GError) error = NULL;
  gsize size, at = 0;

  g_file_get_contents (path, &contents, &size, &error);
  g_assert_no_error (error);
  do
    {
      const char *next = start != NULL
                             ? g_strstr_len (contents + at + 1, (gssize) (size - at - 1), start)
                             : NULL;
      gsize end = next != NULL ? (gsize) (next - contents) : size;
      g_autofree char *test = g_strdup_printf ("/fuzz/%s/%u", base, inputs->len);

      g_ptr_array_add (inputs, g_bytes_new (contents + at, end - at));
      g_test_add_data_func (test, inputs->pdata[inputs->len - 1], replay);
      at = end;
    }
  while (at < size);
}

int
main (int argc, char **argv)
{
  static const int deadly[] = { SIGABRT, SIGBUS, SIGFPE, SIGILL, SIGSEGV, SIGTRAP, SIGVTALRM };
  g_autoptr (GPtrArray) paths = g_ptr_array_new_with_free_func (g_free);
  g_auto (GStrv) folders = NULL;
  const char *runs = g_getenv ("ASSAY_FUZZ_RUNS");
  int status;

  g_test_init (&argc, &argv, NULL);
  g_assert_cmpint (argc, >=, 3);
  for (guint i = 0; i < G_N_ELEMENTS (targets); i++)
    if (strcmp (targets[i].name, argv[1]) == 0)
      target = &targets[i];
  g_assert_nonnull (target);
  n_mutations = argc > 3 ? (guint) g_ascii_strtoull (argv[3], NULL, 10) : 0;
  n_runs = runs != NULL ? (guint) g_ascii_strtoull (runs, NULL, 10) : 0;
  g_snprintf (current.path, sizeof current.path, "replay-%s-input", target->name);

  folders = g_strsplit (argv[2], ":", -1);
  for (guint i = 0; folders[i] != NULL; i++)
    add_paths (paths, folders[i]);
  g_assert_cmpuint (paths->len, >, 0);
  g_ptr_array_sort (paths, compare_paths);

  inputs = g_ptr_array_new_with_free_func ((GDestroyNotify) g_bytes_unref);
  for (guint i = 0; i < paths->len; i++)
    add_inputs (g_ptr_array_index (paths, i), argc > 4 ? argv[4] : NULL);
  g_test_add_func ("/fuzz/nothing", replay_nothing);
  for (guint i = 0; i < G_N_ELEMENTS (deadly); i++)
    signal (deadly[i], keep);

  status = g_test_run ();
  /* The corpus is one of another format. */
  if (status == 0 && n_taken == 0)
    {
      g_printerr ("no input of the corpus is taken\n");
      status = 1;
    }
  g_ptr_array_unref (inputs);

  return status;
}
