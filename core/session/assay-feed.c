/* assay-feed.c
 * SPDX-License-Identifier: Apache-2.0
 */
#include "session/assay-feed.h"

#include <gio/gio.h>

#include "base/assay-error.h"
#include "base/assay-npy.h"

#define DEFAULT_SEED 1
#define DEFAULT_STEPS 16

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
  self->n_steps = DEFAULT_STEPS;
  return self;
}

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
assay_feed_equal (const AssayFeed *a,
                  const AssayFeed *b)
{
  GHashTableIter iter;
  gpointer name, path;

  if (a->seed != b->seed || a->n_steps != b->n_steps || g_hash_table_size (a->files) != g_hash_table_size (b->files))
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
assay_feed_get_file (const AssayFeed *self,
                     const char      *input)
{
  return g_hash_table_lookup (self->files, input);
}

/**
 * assay_feed_set_file:
 * @self: a feed
 * @input: name of an input
 * @path: (nullable): path of a .npy file, or %NULL for random values
 *
 * Chooses where the values of an input come from.
 */
void
assay_feed_set_file (AssayFeed  *self,
                     const char *input,
                     const char *path)
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

void
assay_feed_set_seed (AssayFeed *self,
                     guint64    seed)
{
  self->seed = seed;
}

/**
 * assay_feed_get_steps:
 * @self: a feed
 *
 * Gets how many timesteps random values have where an input streams.
 *
 * Returns: the number
 */
guint
assay_feed_get_steps (const AssayFeed *self)
{
  return self->n_steps;
}

void
assay_feed_set_steps (AssayFeed *self,
                      guint      n_steps)
{
  self->n_steps = MAX (n_steps, 1);
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
                                 : "%u files, else random, seed %" G_GUINT64_FORMAT, n, self->seed);
}

static AssayTensor *
make_random (const AssayFeed     *self,
             const AssayRunPort  *port,
             GRand               *generator,
             GError             **error)
{
  g_autofree gint64 *dims = g_memdup2 (port->dims, (gsize) MAX (port->rank, 0) * sizeof (gint64));
  g_autofree float *values = NULL;
  gsize n;

  if (port->rank < 0)
    {
      g_set_error (error, ASSAY_ERROR, ASSAY_ERROR_INVALID, "input %s: its shape is not known; choose a file", port->name);
      return NULL;
    }

  for (int axis = 0; axis < port->rank; axis++)
    if (dims[axis] < 0)
      dims[axis] = axis == port->time_axis ? self->n_steps : 1;
  if (!assay_dims_count ((guint) port->rank, dims, &n) || (values = g_try_new (float, MAX (n, 1))) == NULL)
    {
      g_set_error (error, ASSAY_ERROR, ASSAY_ERROR_INVALID, "input %s: too many values for the memory", port->name);
      return NULL;
    }

  for (gsize i = 0; i < n; i++)
    values[i] = (float) g_rand_double_range (generator, -1, 1);
  return assay_tensor_new_f32 ((guint) port->rank, dims, values);
}

/**
 * assay_feed_make:
 * @self: a feed
 * @ports: (array length=n_ports): the inputs
 * @n_ports: how many
 * @error: return location for a #GError
 *
 * Reads or makes a tensor for every input.
 *
 * Returns: (transfer full) (nullable) (element-type AssayTensor): the tensors
 */
GPtrArray *
assay_feed_make (const AssayFeed     *self,
                 const AssayRunPort  *ports,
                 guint                n_ports,
                 GError             **error)
{
  g_autoptr (GPtrArray) tensors = g_ptr_array_new_with_free_func ((GDestroyNotify) assay_tensor_unref);
  const guint32 seed[] = { (guint32) self->seed, (guint32) (self->seed >> 32) };
  g_autoptr (GRand) generator = g_rand_new_with_seed_array (seed, G_N_ELEMENTS (seed));

  for (guint i = 0; i < n_ports; i++)
    {
      const char *path = assay_feed_get_file (self, ports[i].name);
      AssayTensor *tensor = path != NULL ? assay_npy_load (path, error) : make_random (self, &ports[i], generator, error);

      if (tensor == NULL)
        return NULL;
      g_ptr_array_add (tensors, tensor);
    }

  return g_steal_pointer (&tensors);
}
