/* assay-feed.c
 * SPDX-License-Identifier: Apache-2.0
 */
#include "session/assay-feed.h"

#include "onnx/assay-tensor-file.h"
#include "run/assay-run-inputs.h"
#include "session/assay-session-private.h"

#define DEFAULT_SEED 1
/* As models of the ONNX model zoo and of its tests come with them. */
#define TEST_SET "test_data_set_"

struct _AssayFeed
{
  GHashTable *files; /* name of an input to path */
  guint64 seed;
  guint n_steps;
};

G_DEFINE_BOXED_TYPE (AssayFeed, assay_feed, assay_feed_copy, assay_feed_free)

/**
 * assay_feed_new:
 *
 * Makes a feed of random values.
 *
 * Returns: (transfer full): the feed
 */
AssayFeed *
assay_feed_new (void)
{
  AssayFeed *self = g_new0 (AssayFeed, 1);

  self->files = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, g_free);
  self->seed = DEFAULT_SEED;
  return self;
}

/**
 * assay_feed_copy:
 * @self: a feed
 *
 * Copies a feed.
 *
 * Returns: (transfer full): the copy
 */
AssayFeed *
assay_feed_copy (const AssayFeed *self)
{
  AssayFeed *copy = assay_feed_new ();
  GHashTableIter iter;
  gpointer name, path;

  g_hash_table_iter_init (&iter, self->files);
  while (g_hash_table_iter_next (&iter, &name, &path))
    assay_feed_set_file (copy, name, path);
  copy->seed = self->seed;
  copy->n_steps = self->n_steps;
  return copy;
}

void
assay_feed_free (AssayFeed *self)
{
  if (self == NULL)
    return;

  g_hash_table_unref (self->files);
  g_free (self);
}

/**
 * assay_feed_equal:
 * @a: a feed
 * @b: another one
 *
 * Compares two feeds.
 *
 * Returns: whether they give the same values
 */
gboolean
assay_feed_equal (const AssayFeed *a, const AssayFeed *b)
{
  GHashTableIter iter;
  gpointer name, path;

  if (a->seed != b->seed || a->n_steps != b->n_steps ||
      g_hash_table_size (a->files) != g_hash_table_size (b->files))
    return FALSE;

  g_hash_table_iter_init (&iter, a->files);
  while (g_hash_table_iter_next (&iter, &name, &path))
    if (g_strcmp0 (assay_feed_get_file (b, name), path) != 0)
      return FALSE;

  return TRUE;
}

/**
 * assay_feed_get_file:
 * @self: a feed
 * @input: name of an input
 *
 * Gets the file with the values of an input.
 *
 * Returns: (transfer none) (nullable): its path, %NULL for random values
 */
const char *
assay_feed_get_file (const AssayFeed *self, const char *input)
{
  return g_hash_table_lookup (self->files, input);
}

/**
 * assay_feed_set_file:
 * @self: a feed
 * @input: name of an input
 * @path: (nullable): path of a .npy, .npz or .pb file, or %NULL for random values
 *
 * Chooses where the values of an input come from.
 */
void
assay_feed_set_file (AssayFeed *self, const char *input, const char *path)
{
  if (path != NULL)
    g_hash_table_replace (self->files, g_strdup (input), g_strdup (path));
  else
    g_hash_table_remove (self->files, input);
}

/**
 * assay_feed_get_seed:
 * @self: a feed
 *
 * Gets what random values begin with.
 *
 * Returns: the seed
 */
guint64
assay_feed_get_seed (const AssayFeed *self)
{
  return self->seed;
}

/**
 * assay_feed_set_seed:
 * @self: a feed
 * @seed: the seed
 *
 * Chooses what random values begin with.
 */
void
assay_feed_set_seed (AssayFeed *self, guint64 seed)
{
  self->seed = seed;
}

/**
 * assay_feed_get_steps:
 * @self: a feed
 *
 * Gets how many timesteps random values have where an input streams.
 *
 * Returns: the number, 0 for as many as the model says
 */
guint
assay_feed_get_steps (const AssayFeed *self)
{
  return self->n_steps;
}

/**
 * assay_feed_set_steps:
 * @self: a feed
 * @n_steps: timesteps, 0 for as many as the model says
 *
 * Chooses how many timesteps random values have.
 */
void
assay_feed_set_steps (AssayFeed *self, guint n_steps)
{
  self->n_steps = n_steps;
}

/**
 * assay_feed_list_inputs:
 * @self: a feed
 *
 * Lists the inputs that come from files.
 *
 * Returns: (transfer full) (array zero-terminated=1): their names, sorted
 */
char **
assay_feed_list_inputs (const AssayFeed *self)
{
  return _assay_list_keys (self->files);
}

static int
compare_sets (gconstpointer a, gconstpointer b)
{
  const char *first = strrchr (*(const char *const *) a, '_');
  const char *second = strrchr (*(const char *const *) b, '_');
  guint64 i = g_ascii_strtoull (first + 1, NULL, 10);
  guint64 k = g_ascii_strtoull (second + 1, NULL, 10);

  return i < k ? -1 : i > k;
}

/**
 * assay_feed_list_test_sets:
 * @model: path of a model
 *
 * Finds the test data that lies beside a model: folders `test_data_set_N` with tensors in them.
 *
 * Returns: (transfer full) (array zero-terminated=1): paths of the folders, by their numbers
 */
char **
assay_feed_list_test_sets (const char *model)
{
  g_autofree char *beside = g_path_get_dirname (model);
  g_autoptr (GPtrArray) sets = g_ptr_array_new ();
  g_autoptr (GDir) dir = g_dir_open (beside, 0, NULL);
  const char *name;

  while (dir != NULL && (name = g_dir_read_name (dir)) != NULL)
    {
      g_autofree char *first = g_build_filename (beside, name, "input_0.pb", NULL);

      if (g_str_has_prefix (name, TEST_SET) && g_file_test (first, G_FILE_TEST_IS_REGULAR))
        g_ptr_array_add (sets, g_build_filename (beside, name, NULL));
    }
  g_ptr_array_sort (sets, compare_sets);
  g_ptr_array_add (sets, NULL);
  return (char **) g_ptr_array_free (g_steal_pointer (&sets), FALSE);
}

/**
 * assay_feed_take_test_set:
 * @self: a feed
 * @folder: a folder of test data
 * @ports: (array length=n_ports): the inputs
 * @n_ports: how many
 *
 * Takes the values of inputs from test data: each file goes by the name that is in it, else by its
 * number. Inputs without a file keep what they had.
 */
void
assay_feed_take_test_set (AssayFeed *self, const char *folder, const AssayRunPort *ports,
                          guint n_ports)
{
  for (guint i = 0; i < n_ports; i++)
    {
      g_autofree char *file = g_strdup_printf ("input_%u.pb", i);
      g_autofree char *path = g_build_filename (folder, file, NULL);
      g_autofree char *name = NULL;
      g_autoptr (GPtrArray) tensors = NULL;
      guint port = i;

      if (!g_file_test (path, G_FILE_TEST_IS_REGULAR))
        break;
      /* A file that cannot be read is told of when it is fed. */
      tensors = assay_tensor_file_load (path, ASSAY_TYPE_KIND_TENSOR, &name, NULL);
      for (guint k = 0; tensors != NULL && name != NULL && k < n_ports; k++)
        if (g_str_equal (ports[k].name, name))
          port = k;
      assay_feed_set_file (self, ports[port].name, path);
    }
}

/**
 * assay_feed_describe:
 * @self: a feed
 *
 * Says in a few words where the values come from.
 *
 * Returns: (transfer full): such as `random, seed 1`
 */
char *
assay_feed_describe (const AssayFeed *self)
{
  guint n = g_hash_table_size (self->files);

  if (n == 0)
    return g_strdup_printf ("random, seed %" G_GUINT64_FORMAT, self->seed);

  return g_strdup_printf (n == 1 ? "%u file, else random, seed %" G_GUINT64_FORMAT
                                 : "%u files, else random, seed %" G_GUINT64_FORMAT,
                          n, self->seed);
}

/**
 * assay_feed_make:
 * @self: a feed
 * @ports: (array length=n_ports): the inputs
 * @n_ports: how many
 * @model_steps: timesteps of the model itself
 * @error: return location for a #GError
 *
 * Reads or makes a tensor for every input.
 *
 * Returns: (transfer full) (nullable) (element-type AssayTensor): the tensors
 */
GPtrArray *
assay_feed_make (const AssayFeed *self, const AssayRunPort *ports, guint n_ports, guint model_steps,
                 GError **error)
{
  g_autoptr (AssayRunInputs) inputs = assay_run_inputs_new ();
  GHashTableIter iter;
  gpointer name, path;

  assay_run_inputs_set_seed (inputs, self->seed, TRUE);
  g_hash_table_iter_init (&iter, self->files);
  while (g_hash_table_iter_next (&iter, &name, &path))
    {
      g_autofree char *text = g_strdup_printf ("%s=%s", (const char *) name, (const char *) path);

      if (!assay_run_inputs_add (inputs, text, error))
        return NULL;
    }

  /* Files say how many timesteps there are. */
  if (g_hash_table_size (self->files) > 0)
    return assay_run_inputs_make (inputs, ports, n_ports, 0, error);

  return assay_run_inputs_make (inputs, ports, n_ports,
                                self->n_steps > 0 ? self->n_steps : model_steps, error);
}
