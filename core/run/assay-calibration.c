/* assay-calibration.c
 * SPDX-License-Identifier: Apache-2.0
 */
#include "run/assay-calibration.h"

#include <string.h>

#include "base/assay-error.h"
#include "base/assay-npy.h"
#include "base/assay-npz.h"
#include "base/assay-sentence.h"
#include "nnir/assay-dims.h"
#include "run/assay-run-inputs.h"
#include "source/onnx/assay-tensor-file.h"

/* A sample: a row of the arrays of a file, or what a seed gives. */
typedef struct
{
  char *path; /* NULL for a random one */
  gsize row;
  guint64 seed;
} Sample;

struct _AssayCalibration
{
  const GArray *ports; /* AssayRunPort */
  GArray *samples;
  char *open;        /* the file whose arrays are in @arrays */
  GPtrArray *arrays; /* AssayTensor per port */
};

static void
sample_clear (gpointer data)
{
  g_free (((Sample *) data)->path);
}

/**
 * assay_calibration_new:
 * @ports: (element-type AssayRunPort): the inputs, which live as long as this
 *
 * Makes a set of samples that has none yet.
 *
 * Returns: (transfer full): the set
 */
AssayCalibration *
assay_calibration_new (const GArray *ports)
{
  AssayCalibration *self = g_new0 (AssayCalibration, 1);

  self->ports = ports;
  self->samples = g_array_new (FALSE, TRUE, sizeof (Sample));
  g_array_set_clear_func (self->samples, sample_clear);

  return self;
}

void
assay_calibration_free (AssayCalibration *self)
{
  if (self == NULL)
    return;

  g_array_unref (self->samples);
  g_clear_pointer (&self->arrays, g_ptr_array_unref);
  g_free (self->open);
  g_free (self);
}

static gboolean
is_array_file (const char *path)
{
  return g_str_has_suffix (path, ".npy") || g_str_has_suffix (path, ".npz") ||
         g_str_has_suffix (path, ".pb");
}

static AssayTensor *
load_one (const char *path, GError **error)
{
  g_autoptr (GPtrArray) tensors = NULL;

  if (g_str_has_suffix (path, ".npy"))
    return assay_npy_load (path, error);
  tensors = assay_tensor_file_load (path, ASSAY_TYPE_KIND_TENSOR, NULL, error);

  return tensors != NULL ? assay_tensor_ref (g_ptr_array_index (tensors, 0)) : NULL;
}

/* The arrays of a file in the order of the inputs: those of an archive by name, unless there is one
 * for one input. */
static GPtrArray *
load_arrays (AssayCalibration *self, const char *path, const AssayProgress *progress,
             GError **error)
{
  g_autoptr (GPtrArray) names = g_ptr_array_new_with_free_func (g_free);
  g_autoptr (GPtrArray)
      found = g_ptr_array_new_with_free_func ((GDestroyNotify) assay_tensor_unref);
  g_autoptr (GPtrArray)
      arrays = g_ptr_array_new_with_free_func ((GDestroyNotify) assay_tensor_unref);

  if (g_str_has_suffix (path, ".npz"))
    {
      if (!assay_npz_load (path, names, found, progress, error))
        return NULL;
    }
  else
    {
      AssayTensor *tensor = load_one (path, error);

      if (tensor == NULL)
        return NULL;
      g_ptr_array_add (found, tensor);
    }

  for (guint i = 0; i < self->ports->len; i++)
    {
      const AssayRunPort *port = &g_array_index (self->ports, AssayRunPort, i);
      AssayTensor *tensor = NULL;

      for (guint j = 0; j < names->len; j++)
        if (g_str_equal (g_ptr_array_index (names, j), port->name))
          tensor = g_ptr_array_index (found, j);
      if (tensor == NULL && found->len == 1 && self->ports->len == 1)
        tensor = g_ptr_array_index (found, 0);
      if (tensor == NULL)
        {
          g_set_error (error, ASSAY_ERROR, ASSAY_ERROR_INVALID,
                       "%s: has %u array%s, none is called %s, an input of the model", path,
                       found->len, assay_plural (found->len), port->name);
          return NULL;
        }
      g_ptr_array_add (arrays, assay_tensor_ref (tensor));
    }

  return g_steal_pointer (&arrays);
}

/* How many samples an array holds: one if it has the shape of the input, with or without a batch of
 * one, else one per batch along the first axis. 0 if its shape is another. */
static gsize
count_rows (const AssayRunPort *port, AssayTensor *tensor)
{
  guint rank = assay_tensor_get_rank (tensor);
  const gint64 *dims = assay_tensor_get_dims (tensor);
  guint skipped = port->rank == (int) rank + 1 && port->dims[0] == 1 ? 1 : 0;

  if (port->rank != (int) (rank + skipped))
    return 0;
  for (guint i = skipped == 1 ? 0 : 1; i < rank; i++)
    if (port->dims[i + skipped] >= 0 && port->dims[i + skipped] != dims[i])
      return 0;
  if (skipped == 1 || rank == 0)
    return 1;
  if (port->dims[0] < 1)
    return dims[0] > 0 ? 1 : 0;

  return dims[0] % port->dims[0] == 0 ? (gsize) (dims[0] / port->dims[0]) : 0;
}

static gboolean
add_file (AssayCalibration *self, const char *path, const AssayProgress *progress, GError **error)
{
  g_autoptr (GPtrArray) arrays = load_arrays (self, path, progress, error);
  gsize n = 0;

  if (arrays == NULL)
    return FALSE;
  for (guint i = 0; i < arrays->len; i++)
    {
      const AssayRunPort *port = &g_array_index (self->ports, AssayRunPort, i);
      AssayTensor *tensor = g_ptr_array_index (arrays, i);
      gsize rows = count_rows (port, tensor);
      g_autofree char *wanted = assay_run_shape_to_string ((guint) MAX (port->rank, 0), port->dims,
                                                           -1);
      g_autofree char *given = assay_run_shape_to_string (assay_tensor_get_rank (tensor),
                                                          assay_tensor_get_dims (tensor), -1);

      if (rows > 0 && assay_tensor_get_dtype (tensor) != port->dtype)
        {
          g_set_error (error, ASSAY_ERROR, ASSAY_ERROR_INVALID, "%s: input %s is %s, expected %s",
                       path, port->name, assay_dtype_name (assay_tensor_get_dtype (tensor)),
                       assay_dtype_name (port->dtype));
          return FALSE;
        }
      if (rows == 0 || (i > 0 && rows != n))
        {
          g_set_error (error, ASSAY_ERROR, ASSAY_ERROR_INVALID,
                       "%s: input %s has shape %s, expected %s or several of them behind each "
                       "other, as many as of the other inputs",
                       path, port->name, given, wanted);
          return FALSE;
        }
      n = rows;
    }
  for (gsize i = 0; i < n; i++)
    {
      Sample sample = { g_strdup (path), i, 0 };

      g_array_append_val (self->samples, sample);
    }

  return TRUE;
}

static int
compare_names (gconstpointer a, gconstpointer b)
{
  return strcmp (*(const char *const *) a, *(const char *const *) b);
}

/**
 * assay_calibration_add_path:
 * @self: a set of samples
 * @path: a `.npy`, `.npz` or `.pb` file, or a folder of them, which are taken in the order of their
 * names
 * @progress: (nullable): progress and cancel
 * @error: return location for a #GError
 *
 * Adds the samples of a file or folder.
 *
 * Returns: whether they fit the inputs
 */
gboolean
assay_calibration_add_path (AssayCalibration *self, const char *path, const AssayProgress *progress,
                            GError **error)
{
  g_autoptr (GPtrArray) paths = g_ptr_array_new_with_free_func (g_free);
  g_autoptr (GDir) folder = NULL;
  const char *name;

  if (!g_file_test (path, G_FILE_TEST_IS_DIR))
    {
      if (is_array_file (path))
        return add_file (self, path, progress, error);
      g_set_error (error, ASSAY_ERROR, ASSAY_ERROR_INVALID,
                   "%s: expected a .npy, .npz or .pb file, or a folder of them", path);
      return FALSE;
    }

  folder = g_dir_open (path, 0, error);
  if (folder == NULL)
    return FALSE;
  while ((name = g_dir_read_name (folder)) != NULL)
    if (is_array_file (name))
      g_ptr_array_add (paths, g_build_filename (path, name, NULL));
  g_ptr_array_sort (paths, compare_names);
  for (guint i = 0; i < paths->len; i++)
    if (!assay_progress_check (progress, error) ||
        !add_file (self, g_ptr_array_index (paths, i), progress, error))
      return FALSE;
  if (paths->len > 0)
    return TRUE;
  g_set_error (error, ASSAY_ERROR, ASSAY_ERROR_INVALID,
               "%s: has no .npy, .npz or .pb files to calibrate with", path);

  return FALSE;
}

/**
 * assay_calibration_add_random:
 * @self: a set of samples
 * @n: how many
 * @seed: of the first
 *
 * Adds random samples, as `assay run --random` makes them.
 */
void
assay_calibration_add_random (AssayCalibration *self, guint n, guint64 seed)
{
  for (guint i = 0; i < n; i++)
    {
      Sample sample = { NULL, 0, seed + i };

      g_array_append_val (self->samples, sample);
    }
}

/**
 * assay_calibration_get_n_samples:
 * @self: a set of samples
 *
 * Counts the samples.
 *
 * Returns: how many there are
 */
guint
assay_calibration_get_n_samples (const AssayCalibration *self)
{
  return self->samples->len;
}

static AssayTensor *
cut_row (const AssayRunPort *port, AssayTensor *tensor, gsize row, GError **error)
{
  guint rank = assay_tensor_get_rank (tensor);
  gsize rows = count_rows (port, tensor);
  g_autoptr (GBytes) all = assay_tensor_dup_bytes (tensor, error);
  g_autoptr (GBytes) bytes = NULL;
  gint64 dims[ASSAY_MAX_RANK];
  gsize size;

  if (all == NULL)
    return NULL;
  memcpy (dims, assay_tensor_get_dims (tensor), rank * sizeof *dims);
  if (port->rank == (int) rank + 1)
    {
      memmove (dims + 1, dims, rank * sizeof *dims);
      dims[0] = 1;
    }
  else if (rank > 0)
    {
      dims[0] /= (gint64) rows;
    }
  size = g_bytes_get_size (all) / rows;
  bytes = g_bytes_new_from_bytes (all, size * row, size);

  return assay_tensor_new (assay_tensor_get_dtype (tensor), (guint) port->rank, dims, bytes, error);
}

/**
 * assay_calibration_make:
 * @self: a set of samples
 * @index: which one
 * @error: return location for a #GError
 *
 * Reads or makes a sample.
 *
 * Returns: (transfer full) (nullable) (element-type AssayTensor): a tensor per input
 */
GPtrArray *
assay_calibration_make (AssayCalibration *self, guint index, GError **error)
{
  const Sample *sample = &g_array_index (self->samples, Sample, index);
  g_autoptr (GPtrArray) tensors = NULL;
  g_autoptr (AssayRunInputs) random = NULL;

  if (sample->path == NULL)
    {
      random = assay_run_inputs_new ();
      assay_run_inputs_set_seed (random, sample->seed, TRUE);
      return assay_run_inputs_make (random, (const AssayRunPort *) (gpointer) self->ports->data,
                                    self->ports->len, 0, error);
    }

  if (g_strcmp0 (self->open, sample->path) != 0)
    {
      g_clear_pointer (&self->arrays, g_ptr_array_unref);
      g_clear_pointer (&self->open, g_free);
      self->arrays = load_arrays (self, sample->path, NULL, error);
      if (self->arrays == NULL)
        return NULL;
      self->open = g_strdup (sample->path);
    }
  tensors = g_ptr_array_new_with_free_func ((GDestroyNotify) assay_tensor_unref);
  for (guint i = 0; i < self->ports->len; i++)
    {
      const AssayRunPort *port = &g_array_index (self->ports, AssayRunPort, i);
      AssayTensor *tensor = g_ptr_array_index (self->arrays, i);

      /* The file may have changed since its rows were counted. */
      if (count_rows (port, tensor) <= sample->row)
        {
          g_set_error (error, ASSAY_ERROR, ASSAY_ERROR_INVALID, "%s: changed while it was read",
                       sample->path);
          return NULL;
        }
      tensor = cut_row (port, tensor, sample->row, error);
      if (tensor == NULL)
        return NULL;
      g_ptr_array_add (tensors, tensor);
    }

  return g_steal_pointer (&tensors);
}
