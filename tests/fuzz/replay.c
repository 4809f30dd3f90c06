/* replay.c
 * SPDX-License-Identifier: Apache-2.0
 */
#include <glib.h>
#include <string.h>

#include "fuzz.h"

/* Runs a fuzz target over every file of a folder, in order of names, and over so many inputs that
 * its mutator makes of each; a crash or a sanitizer report is the failure. */

#define MAX_SIZE (1 << 16)

static guint n_mutations;

/* g_file_get_contents() adds a byte, which would hide a read past the end; so would a larger block.
 */
static void
try (gconstpointer data, gsize size)
{
  g_autofree uint8_t *exact = g_malloc (MAX (size, 1));

  memcpy (exact, data, size);
  g_assert_cmpint (LLVMFuzzerTestOneInput (exact, size), ==, 0);
}

/* Mutations follow one another, but not too far from what was valid. */
static void
mutate (gconstpointer seed, gsize seed_size)
{
  g_autofree uint8_t *data = g_malloc (MAX_SIZE);
  gsize size = 0;

  for (guint i = 0; i < n_mutations && LLVMFuzzerCustomMutator != NULL; i++)
    {
      if (i % 4 == 0)
        {
          size = MIN (seed_size, MAX_SIZE);
          memcpy (data, seed, size);
        }
      size = LLVMFuzzerCustomMutator (data, size, MAX_SIZE, (guint) g_test_rand_int ());
      try (data, size);
    }
}

static void
replay (gconstpointer path)
{
  g_autofree char *contents = NULL;
  g_autoptr (GError) error = NULL;
  gsize size;

  g_file_get_contents (path, &contents, &size, &error);
  g_assert_no_error (error);
  try (contents, size);
  mutate (contents, size);
}

static int
compare_paths (gconstpointer a, gconstpointer b)
{
  return strcmp (*(const char *const *) a, *(const char *const *) b);
}

int
main (int argc, char **argv)
{
  g_autoptr (GPtrArray) paths = g_ptr_array_new_with_free_func (g_free);
  g_autoptr (GDir) dir = NULL;
  g_autoptr (GError) error = NULL;
  const char *name;

  g_test_init (&argc, &argv, NULL);
  g_assert_cmpint (argc, >=, 2);
  n_mutations = argc > 2 ? (guint) g_ascii_strtoull (argv[2], NULL, 10) : 0;

  dir = g_dir_open (argv[1], 0, &error);
  g_assert_no_error (error);
  while ((name = g_dir_read_name (dir)) != NULL)
    g_ptr_array_add (paths, g_build_filename (argv[1], name, NULL));
  g_assert_cmpuint (paths->len, >, 0);
  g_ptr_array_sort (paths, compare_paths);

  for (guint i = 0; i < paths->len; i++)
    {
      g_autofree char *base = g_path_get_basename (g_ptr_array_index (paths, i));
      g_autofree char *test = g_strconcat ("/fuzz/", base, NULL);

      g_test_add_data_func (test, g_ptr_array_index (paths, i), replay);
    }

  return g_test_run ();
}
