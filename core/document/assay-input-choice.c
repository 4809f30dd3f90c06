/* assay-input-choice.c
 * SPDX-License-Identifier: Apache-2.0
 */
#include "document/assay-input-choice.h"

#include "base/assay-keys.h"
#include "source/onnx/assay-tensor-file.h"

#define DEFAULT_SEED 1
/* As models of the ONNX model zoo and of its tests come with them. */
#define TEST_SET "test_data_set_"

struct _AssayInputChoice
{
  GHashTable *files; /* name of an input to path */
  guint64 seed;
  guint n_steps;
};

G_DEFINE_BOXED_TYPE (AssayInputChoice, assay_input_choice, assay_input_choice_copy,
                     assay_input_choice_free)

/**
 * assay_input_choice_new:
 *
 * Makes what goes in of random values.
 *
 * Returns: (transfer full): the inputs
 */
AssayInputChoice *
assay_input_choice_new (void)
{
  AssayInputChoice *self = g_new0 (AssayInputChoice, 1);

  self->files = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, g_free);
  self->seed = DEFAULT_SEED;
  return self;
}

/**
 * assay_input_choice_copy:
 * @self: what goes in
 *
 * Copies what goes in.
 *
 * Returns: (transfer full): the copy
 */
AssayInputChoice *
assay_input_choice_copy (const AssayInputChoice *self)
{
  AssayInputChoice *copy = assay_input_choice_new ();
  GHashTableIter iter;
  gpointer name, path;

  g_hash_table_iter_init (&iter, self->files);
  while (g_hash_table_iter_next (&iter, &name, &path))
    assay_input_choice_set_file (copy, name, path);
  copy->seed = self->seed;
  copy->n_steps = self->n_steps;
  return copy;
}

void
assay_input_choice_free (AssayInputChoice *self)
{
  if (self == NULL)
    return;

  g_hash_table_unref (self->files);
  g_free (self);
}

/**
 * assay_input_choice_equal:
 * @a: what goes in
 * @b: another one
 *
 * Compares two choices.
 *
 * Returns: whether they give the same values
 */
gboolean
assay_input_choice_equal (const AssayInputChoice *a, const AssayInputChoice *b)
{
  GHashTableIter iter;
  gpointer name, path;

  if (a->seed != b->seed || a->n_steps != b->n_steps ||
      g_hash_table_size (a->files) != g_hash_table_size (b->files))
    return FALSE;

  g_hash_table_iter_init (&iter, a->files);
  while (g_hash_table_iter_next (&iter, &name, &path))
    if (g_strcmp0 (assay_input_choice_get_file (b, name), path) != 0)
      return FALSE;

  return TRUE;
}

/**
 * assay_input_choice_get_file:
 * @self: what goes in
 * @input: name of an input
 *
 * Gets the file with the values of an input.
 *
 * Returns: (transfer none) (nullable): its path, %NULL for random values
 */
const char *
assay_input_choice_get_file (const AssayInputChoice *self, const char *input)
{
  return g_hash_table_lookup (self->files, input);
}

/**
 * assay_input_choice_set_file:
 * @self: what goes in
 * @input: name of an input
 * @path: (nullable): path of a .npy, .npz or .pb file, or %NULL for random values
 *
 * Chooses where the values of an input come from.
 */
void
assay_input_choice_set_file (AssayInputChoice *self, const char *input, const char *path)
{
  if (path != NULL)
    g_hash_table_replace (self->files, g_strdup (input), g_strdup (path));
  else
    g_hash_table_remove (self->files, input);
}

/**
 * assay_input_choice_get_seed:
 * @self: what goes in
 *
 * Gets what random values begin with.
 *
 * Returns: the seed
 */
guint64
assay_input_choice_get_seed (const AssayInputChoice *self)
{
  return self->seed;
}

/**
 * assay_input_choice_set_seed:
 * @self: what goes in
 * @seed: the seed
 *
 * Chooses what random values begin with.
 */
void
assay_input_choice_set_seed (AssayInputChoice *self, guint64 seed)
{
  self->seed = seed;
}

/**
 * assay_input_choice_get_steps:
 * @self: what goes in
 *
 * Gets how many timesteps random values have where an input streams.
 *
 * Returns: the number, 0 for as many as the model says
 */
guint
assay_input_choice_get_steps (const AssayInputChoice *self)
{
  return self->n_steps;
}

/**
 * assay_input_choice_set_steps:
 * @self: what goes in
 * @n_steps: timesteps, 0 for as many as the model says
 *
 * Chooses how many timesteps random values have.
 */
void
assay_input_choice_set_steps (AssayInputChoice *self, guint n_steps)
{
  self->n_steps = n_steps;
}

/**
 * assay_input_choice_list_inputs:
 * @self: what goes in
 *
 * Lists the inputs that come from files.
 *
 * Returns: (transfer full) (array zero-terminated=1): their names, sorted
 */
char **
assay_input_choice_list_inputs (const AssayInputChoice *self)
{
  return assay_list_keys (self->files);
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
 * assay_input_choice_list_test_sets:
 * @model: path of a model
 *
 * Finds the test data that lies beside a model: folders `test_data_set_N` with tensors in them.
 *
 * Returns: (transfer full) (array zero-terminated=1): paths of the folders, by their numbers
 */
char **
assay_input_choice_list_test_sets (const char *model)
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
 * assay_input_choice_take_test_set:
 * @self: what goes in
 * @folder: a folder of test data
 * @ports: (array length=n_ports): the inputs
 * @n_ports: how many
 *
 * Takes the values of inputs from test data: each file goes by the name that is in it, else by its
 * number. Inputs without a file keep what they had.
 */
void
assay_input_choice_take_test_set (AssayInputChoice *self, const char *folder,
                                  const AssayRunPort *ports, guint n_ports)
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
      assay_input_choice_set_file (self, ports[port].name, path);
    }
}

static gboolean
has_outputs (const char *test_set)
{
  g_autofree char *output = g_build_filename (test_set, "output_0.pb", NULL);

  return g_file_test (output, G_FILE_TEST_IS_REGULAR);
}

/**
 * assay_input_choice_dup_expected:
 * @self: what goes in
 *
 * Finds what should come out: all values come from one set of test data that has outputs too.
 *
 * Returns: (transfer full) (nullable): path of its folder, %NULL if nobody has said what comes out
 */
char *
assay_input_choice_dup_expected (const AssayInputChoice *self)
{
  g_autofree char *folder = NULL;
  g_autofree char *name = NULL;
  g_autofree char *next = NULL;
  GHashTableIter iter;
  gpointer path;

  g_hash_table_iter_init (&iter, self->files);
  while (g_hash_table_iter_next (&iter, NULL, &path))
    {
      g_autofree char *in = g_path_get_dirname (path);

      if (folder != NULL && !g_str_equal (folder, in))
        return NULL;
      g_free (folder);
      folder = g_steal_pointer (&in);
    }
  if (folder == NULL)
    return NULL;

  /* With another value in place of one of its own, other outputs come out. */
  next = g_strdup_printf ("%s/input_%u.pb", folder, g_hash_table_size (self->files));
  if (g_file_test (next, G_FILE_TEST_EXISTS))
    return NULL;

  name = g_path_get_basename (folder);
  return g_str_has_prefix (name, TEST_SET) && has_outputs (folder) ? g_steal_pointer (&folder)
                                                                   : NULL;
}

/* Whether an input can be fed with the file that was chosen for it. */
static gboolean
fits (const AssayInputChoice *self, const AssayRunPort *port)
{
  const char *path = assay_input_choice_get_file (self, port->name);
  g_autoptr (GPtrArray) tensors = NULL;
  AssayTensor *tensor;
  gboolean same;

  if (path == NULL)
    return FALSE;
  if (port->other != NULL)
    return TRUE;
  tensors = assay_tensor_file_load (path, ASSAY_TYPE_KIND_TENSOR, NULL, NULL);
  if (tensors == NULL || tensors->len != 1)
    return FALSE;

  tensor = g_ptr_array_index (tensors, 0);
  same = (port->dtype == ASSAY_DTYPE_UNDEFINED || assay_tensor_get_dtype (tensor) == port->dtype) &&
         (port->rank < 0 || (guint) port->rank == assay_tensor_get_rank (tensor));
  for (int i = 0; same && i < port->rank; i++)
    same = port->dims[i] < 0 || port->dims[i] == assay_tensor_get_dims (tensor)[i];

  return same;
}

/**
 * assay_input_choice_new_beside:
 * @model: path of a model
 * @ports: (array length=n_ports): its inputs
 * @n_ports: how many
 *
 * Takes what goes in from test data beside a model, where it is for all inputs, fits them, and says
 * what should come out.
 *
 * Returns: (transfer full) (nullable): the inputs, %NULL if there is no such test data
 */
AssayInputChoice *
assay_input_choice_new_beside (const char *model, const AssayRunPort *ports, guint n_ports)
{
  g_autoptr (AssayInputChoice) self = assay_input_choice_new ();
  g_autofree char *folder = assay_input_choice_find_test_set (self, model);
  g_autofree char *expected = NULL;

  if (folder == NULL)
    return NULL;

  assay_input_choice_take_test_set (self, folder, ports, n_ports);
  for (guint i = 0; i < n_ports; i++)
    if (!fits (self, &ports[i]))
      return NULL;
  expected = assay_input_choice_dup_expected (self);

  return expected != NULL ? g_steal_pointer (&self) : NULL;
}

/**
 * assay_input_choice_find_test_set:
 * @self: what goes in
 * @model: path of a model
 *
 * Finds test data beside the model that says what comes out too and is not what goes in already.
 *
 * Returns: (transfer full) (nullable): path of its folder
 */
char *
assay_input_choice_find_test_set (const AssayInputChoice *self, const char *model)
{
  g_autofree char *fed = assay_input_choice_dup_expected (self);
  g_auto (GStrv) sets = fed == NULL ? assay_input_choice_list_test_sets (model) : NULL;

  for (guint i = 0; sets != NULL && sets[i] != NULL; i++)
    if (has_outputs (sets[i]))
      return g_strdup (sets[i]);

  return NULL;
}

/**
 * assay_input_choice_describe:
 * @self: what goes in
 *
 * Says in a few words where the values come from.
 *
 * Returns: (transfer full): such as `random, seed 1`
 */
char *
assay_input_choice_describe (const AssayInputChoice *self)
{
  guint n = g_hash_table_size (self->files);
  g_autofree char *expected = assay_input_choice_dup_expected (self);

  if (n == 0)
    return g_strdup_printf ("random, seed %" G_GUINT64_FORMAT, self->seed);

  if (expected != NULL)
    return g_path_get_basename (expected);

  return g_strdup_printf (n == 1 ? "%u file, else random, seed %" G_GUINT64_FORMAT
                                 : "%u files, else random, seed %" G_GUINT64_FORMAT,
                          n, self->seed);
}

/**
 * assay_input_choice_read:
 * @self: what goes in
 * @progress: (nullable): progress and cancel of reading files, which lives as long as the result
 * @error: return location for a #GError
 *
 * Makes a set of what is chosen, for a model whose inputs are not known yet: where it takes
 * sequences and optionals, assay_work_open_inputs() puts their tensors in their place.
 *
 * Returns: (transfer full) (nullable): the set
 */
AssayRunInputs *
assay_input_choice_read (const AssayInputChoice *self, const AssayProgress *progress,
                         GError **error)
{
  g_autoptr (AssayRunInputs) inputs = assay_run_inputs_new ();
  GHashTableIter iter;
  gpointer name, path;

  assay_run_inputs_set_progress (inputs, progress);
  assay_run_inputs_set_seed (inputs, self->seed, TRUE);
  g_hash_table_iter_init (&iter, self->files);
  while (g_hash_table_iter_next (&iter, &name, &path))
    {
      g_autofree char *text = g_strdup_printf ("%s=%s", (const char *) name, (const char *) path);

      if (!assay_run_inputs_add (inputs, text, error))
        return NULL;
    }

  return g_steal_pointer (&inputs);
}

/**
 * assay_input_choice_make:
 * @self: what goes in
 * @inputs: what assay_input_choice_read() has made of it
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
assay_input_choice_make (const AssayInputChoice *self, AssayRunInputs *inputs,
                         const AssayRunPort *ports, guint n_ports, guint model_steps,
                         GError **error)
{
  gint64 n_steps = self->n_steps > 0 ? self->n_steps : model_steps;

  /* Files say how many timesteps there are. */
  return assay_run_inputs_make (inputs, ports, n_ports,
                                g_hash_table_size (self->files) > 0 ? 0 : n_steps, error);
}
