/* assay-run-inputs.c
 * SPDX-License-Identifier: Apache-2.0
 */
#include "run/assay-run-inputs.h"

#include <math.h>
#include <string.h>

#include "base/assay-error.h"
#include "base/assay-file-read.h"
#include "base/assay-npy.h"
#include "base/assay-npz.h"
#include "base/assay-sentence.h"
#include "evaluate/assay-datum.h"
#include "evaluate/assay-quantized.h"
#include "source/onnx/assay-tensor-file.h"
#include "run/assay-random.h"
#include "run/assay-run-input-graph.h"
#include "run/assay-run-parts.h"
#include "nnir/assay-dims.h"

typedef struct _Distribution Distribution;

/* Numbers that a distribution is given, filled up with its defaults. */
typedef double (*DrawFunc) (guint64 *state, const double *numbers);

struct _Distribution
{
  const char *name;
  DrawFunc draw;
  gboolean whole; /* gives whole numbers */
  guint least;
  guint most;
  double defaults[2];
};

/* What an input is given: a tensor, or what its elements are made of. */
typedef struct
{
  char *from; /* what the user wrote, for messages */
  AssayTensor *tensor;
  const Distribution *distribution;
  double numbers[2];
} Source;

struct _AssayRunInputs
{
  GHashTable *sources; /* name to Source */
  char *folder;        /* (nullable): test data, whose files are counted */
  guint64 seed;
  gboolean fill;
  const AssayProgress *progress;
};

static double
draw_uniform (guint64 *state, const double *numbers)
{
  return numbers[0] + (numbers[1] - numbers[0]) * assay_random_unit (state);
}

static double
draw_normal (guint64 *state, const double *numbers)
{
  return numbers[0] + numbers[1] * assay_random_normal (state);
}

static double
draw_integer (guint64 *state, const double *numbers)
{
  double n = floor (numbers[1]) - ceil (numbers[0]) + 1;

  return ceil (numbers[0]) +
         floor ((double) (assay_random_next (state) >> 11) / 9007199254740992.0 * n);
}

static double
draw_constant (guint64 *state, const double *numbers)
{
  return numbers[0];
}

static const Distribution distributions[] = {
  { "uniform", draw_uniform, FALSE, 0, 2, { -1, 1 } },
  { "normal", draw_normal, FALSE, 0, 2, { 0, 1 } },
  { "integers", draw_integer, TRUE, 0, 2, { 0, 1 } },
  { "constant", draw_constant, TRUE, 1, 1, { 0, 0 } },
};

/* Elements of a sequence that is drawn, and their extents where the model leaves them open. */
#define DRAWN_ITEMS 2

/* More strings than this are a file, not a draw. */
#define MAX_STRINGS 1000000

#define FILL_FLOATS (&distributions[0])
#define FILL_INTEGERS (&distributions[2])

static void
source_free (gpointer data)
{
  Source *source = data;

  g_clear_pointer (&source->tensor, assay_tensor_unref);
  g_free (source->from);
  g_free (source);
}

/**
 * assay_run_inputs_new:
 *
 * Makes an empty set of inputs.
 *
 * Returns: (transfer full): the set
 */
AssayRunInputs *
assay_run_inputs_new (void)
{
  AssayRunInputs *self = g_new0 (AssayRunInputs, 1);

  self->sources = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, source_free);

  return self;
}

/**
 * assay_run_inputs_set_progress:
 * @self: a set of inputs
 * @progress: (nullable): progress and cancel of reading files, which lives as long as @self
 *
 * Lets reading large files be stopped.
 */
void
assay_run_inputs_set_progress (AssayRunInputs *self, const AssayProgress *progress)
{
  self->progress = progress;
}

void
assay_run_inputs_free (AssayRunInputs *self)
{
  g_hash_table_unref (self->sources);
  g_free (self->folder);
  g_free (self);
}

/**
 * assay_run_inputs_set_seed:
 * @self: a set of inputs
 * @seed: of all random values
 * @fill: whether inputs that are not in the set get random values: floats uniform in [-1, 1),
 * others 0 or 1
 *
 * Says how random values are made; the same seed gives the same ones everywhere.
 */
void
assay_run_inputs_set_seed (AssayRunInputs *self, guint64 seed, gboolean fill)
{
  self->seed = seed;
  self->fill = fill;
}

/**
 * assay_run_inputs_set_tensor:
 * @self: a set of inputs
 * @name: name of the input
 * @tensor: (transfer none): its value
 *
 * Gives an input a value, in place of the one it had.
 */
void
assay_run_inputs_set_tensor (AssayRunInputs *self, const char *name, AssayTensor *tensor)
{
  Source *source = g_new0 (Source, 1);

  source->from = g_strdup (name);
  source->tensor = assay_tensor_ref (tensor);
  g_hash_table_replace (self->sources, g_strdup (name), source);
}

static gboolean
parse_number (const char *text, double *number)
{
  char *end;

  *number = g_ascii_strtod (text, &end);

  return end != text && *end == '\0' && !isnan (*number);
}

/* `normal:0:0.5` and the like. */
static gboolean
parse_distribution (const char *text, Source *source, GError **error)
{
  g_auto (GStrv) words = g_strsplit (text, ":", -1);
  guint n = g_strv_length (words);
  g_autoptr (GString) names = g_string_new (NULL);

  for (guint i = 0; i < G_N_ELEMENTS (distributions); i++)
    {
      const Distribution *row = &distributions[i];
      gboolean good = n >= 1 + row->least && n <= 1 + row->most && (n != 2 || row->most == 1);

      g_string_append_printf (names, "%s@%s", i > 0 ? ", " : "", row->name);
      if (n == 0 || !g_str_equal (words[0], row->name))
        continue;

      memcpy (source->numbers, row->defaults, sizeof source->numbers);
      for (guint j = 1; good && j < n; j++)
        good = parse_number (words[j], &source->numbers[j - 1]);
      if (row->draw == draw_integer)
        good = good && ceil (source->numbers[0]) <= floor (source->numbers[1]);
      if (good)
        {
          source->distribution = row;
          return TRUE;
        }
      g_set_error (error, ASSAY_ERROR, ASSAY_ERROR_INVALID, "@%s: expected %s", text,
                   row->most == 1              ? "@constant:VALUE"
                   : row->draw == draw_normal  ? "@normal or @normal:MEAN:DEVIATION"
                   : row->draw == draw_uniform ? "@uniform or @uniform:LOW:HIGH"
                                               : "@integers:LOW:HIGH, low first");
      return FALSE;
    }

  g_set_error (error, ASSAY_ERROR, ASSAY_ERROR_INVALID, "@%s: expected one of %s", text,
               names->str);
  return FALSE;
}

static gboolean
parse_shape (const char *text, guint *rank, gint64 *dims)
{
  g_auto (GStrv) words = g_strsplit (text, "x", -1);

  *rank = g_strv_length (words);
  for (guint i = 0; i < *rank; i++)
    {
      guint64 size;

      if (i == ASSAY_MAX_RANK ||
          !g_ascii_string_to_unsigned (words[i], 10, 0, G_MAXINT64, &size, NULL))
        return FALSE;
      dims[i] = (gint64) size;
    }

  return TRUE;
}

/* `FILE:TYPE:SHAPE`: plain little endian elements. */
static AssayTensor *
load_raw (const char *text, GError **error)
{
  g_auto (GStrv) words = g_strsplit (text, ":", -1);
  guint n = g_strv_length (words);
  g_autofree char *path = NULL;
  g_autofree char *contents = NULL;
  g_autoptr (GBytes) bytes = NULL;
  gint64 dims[ASSAY_MAX_RANK];
  gsize length, n_elements, n_bytes;
  AssayDType dtype;
  guint rank;

  /* A colon may stand in the path as well: type and shape are the last two. */
  if (n < 3 || !assay_dtype_from_name (words[n - 2], &dtype) ||
      !parse_shape (words[n - 1], &rank, dims))
    {
      g_set_error (error, ASSAY_ERROR, ASSAY_ERROR_INVALID,
                   "%s: expected a .npy, .npz or .pb file, FILE:TYPE:SHAPE such as "
                   "x.raw:f32:1x3x224x224, or "
                   "@constant, @uniform, @normal, @integers",
                   text);
      return NULL;
    }
  path = g_strndup (text, strlen (text) - strlen (words[n - 1]) - strlen (words[n - 2]) - 2);

  if (!assay_file_read (path, ASSAY_FILE_READ_DATA, &contents, &length, error))
    return NULL;
  bytes = g_bytes_new_take (g_steal_pointer (&contents), length);
  if (dtype == ASSAY_DTYPE_STRING || !assay_dims_count (rank, dims, &n_elements) ||
      !assay_dtype_byte_size (dtype, n_elements, &n_bytes) || n_bytes != length)
    {
      g_set_error (error, ASSAY_ERROR, ASSAY_ERROR_INVALID,
                   "%s: %" G_GSIZE_FORMAT " byte%s, which is not %s of %s", path, length,
                   assay_plural (length), words[n - 1], words[n - 2]);
      return NULL;
    }

  return assay_tensor_new (dtype, rank, dims, bytes, error);
}

static AssayTensor *
load_from_archive (const AssayRunInputs *self, const char *path, const char *wanted,
                   const char *input, GError **error)
{
  g_autoptr (GPtrArray) names = g_ptr_array_new_with_free_func (g_free);
  g_autoptr (GPtrArray)
      tensors = g_ptr_array_new_with_free_func ((GDestroyNotify) assay_tensor_unref);

  if (!assay_npz_load (path, names, tensors, self->progress, error))
    return NULL;

  for (guint i = 0; i < names->len; i++)
    {
      if (g_str_equal (g_ptr_array_index (names, i), wanted != NULL ? wanted : input))
        return assay_tensor_ref (g_ptr_array_index (tensors, i));
    }
  if (wanted == NULL && tensors->len == 1)
    return assay_tensor_ref (g_ptr_array_index (tensors, 0));

  g_set_error (error, ASSAY_ERROR, ASSAY_ERROR_INVALID, "%s: has %u array%s, none is called %s",
               path, tensors->len, assay_plural (tensors->len), wanted != NULL ? wanted : input);
  return NULL;
}

/* What is no tensor: the arrays of an archive in their order, or a file of test data. */
static GPtrArray *
load_items (const AssayRunInputs *self, const char *path, AssayTypeKind kind, gboolean *present,
            GError **error)
{
  g_autoptr (AssayRunParts) parts = assay_run_parts_new ();

  if (!g_str_has_suffix (path, ".npz"))
    return assay_tensor_file_load (path, kind, NULL, error);
  if (!assay_npz_load (path, parts->names, parts->tensors, self->progress, error))
    return NULL;
  if (parts->names->len == 1 && g_str_has_suffix (g_ptr_array_index (parts->names, 0), "empty"))
    {
      *present = g_str_equal (g_ptr_array_index (parts->names, 0), "value.empty");
      g_ptr_array_set_size (parts->tensors, 0);
    }

  return g_ptr_array_ref (parts->tensors);
}

static AssayTensor *
load_file (const AssayRunInputs *self, const char *text, const char *input, GError **error)
{
  const char *member = strstr (text, ".npz:");
  g_autoptr (GPtrArray) tensors = NULL;

  if (member != NULL)
    {
      g_autofree char *path = g_strndup (text, (gsize) (member - text) + strlen (".npz"));

      return load_from_archive (self, path, member + strlen (".npz:"), input, error);
    }
  if (g_str_has_suffix (text, ".npz"))
    return load_from_archive (self, text, NULL, input, error);
  if (g_str_has_suffix (text, ".npy"))
    return assay_npy_load (text, error);
  if (!g_str_has_suffix (text, ".pb"))
    return load_raw (text, error);

  tensors = assay_tensor_file_load (text, ASSAY_TYPE_KIND_TENSOR, NULL, error);

  return tensors == NULL ? NULL : assay_tensor_ref (g_ptr_array_index (tensors, 0));
}

/* All arrays of an archive, each for the input of its name. */
static gboolean
add_archive (AssayRunInputs *self, const char *path, GError **error)
{
  g_autoptr (GPtrArray) names = g_ptr_array_new_with_free_func (g_free);
  g_autoptr (GPtrArray)
      tensors = g_ptr_array_new_with_free_func ((GDestroyNotify) assay_tensor_unref);

  if (!assay_npz_load (path, names, tensors, self->progress, error))
    return FALSE;
  for (guint i = 0; i < names->len; i++)
    assay_run_inputs_set_tensor (self, g_ptr_array_index (names, i),
                                 g_ptr_array_index (tensors, i));

  return TRUE;
}

/**
 * assay_run_inputs_add:
 * @self: a set of inputs
 * @text: `NAME=FILE.npy`, `NAME=FILE.npz`, `NAME=FILE.npz:ARRAY`, `NAME=FILE.pb`,
 * `NAME=FILE:TYPE:SHAPE`, `NAME=@DISTRIBUTION`, `FILE.npz` alone for all arrays of it, or `FOLDER`
 * alone for the files `input_0.pb` and so on of a test data set
 * @error: return location for a #GError
 *
 * Adds what a user has written. Files are read by assay_run_inputs_make(), but for an archive
 * alone.
 *
 * Returns: whether it could be understood
 */
gboolean
assay_run_inputs_add (AssayRunInputs *self, const char *text, GError **error)
{
  const char *equals = strchr (text, '=');
  g_autofree char *name = NULL;
  Source *source;

  if (equals == NULL && g_str_has_suffix (text, ".npz"))
    return add_archive (self, text, error);
  if (equals == NULL && self->folder == NULL && g_file_test (text, G_FILE_TEST_IS_DIR))
    {
      self->folder = g_strdup (text);
      return TRUE;
    }
  if (equals == NULL || equals == text)
    {
      g_set_error (error, ASSAY_ERROR, ASSAY_ERROR_INVALID,
                   "input %s: expected NAME=FILE, an .npz file or one folder", text);
      return FALSE;
    }

  name = g_strndup (text, (gsize) (equals - text));
  if (g_hash_table_contains (self->sources, name))
    {
      g_set_error (error, ASSAY_ERROR, ASSAY_ERROR_INVALID, "input %s is given twice", name);
      return FALSE;
    }

  /* A file is read when it is known that there is an input for it. */
  source = g_new0 (Source, 1);
  source->from = g_strdup (equals + 1);
  if (equals[1] == '@' && !parse_distribution (equals + 2, source, error))
    {
      g_prefix_error (error, "input %s: ", name);
      source_free (source);
      return FALSE;
    }
  g_hash_table_insert (self->sources, g_steal_pointer (&name), source);

  return TRUE;
}

static gboolean refuse (GError **error, const AssayRunPort *port, const Source *source,
                        const char *format, ...) G_GNUC_PRINTF (4, 5);

static gboolean
refuse (GError **error, const AssayRunPort *port, const Source *source, const char *format, ...)
{
  g_autofree char *reason = NULL;
  va_list args;

  va_start (args, format);
  reason = g_strdup_vprintf (format, args);
  va_end (args);
  g_set_error (error, ASSAY_ERROR, ASSAY_ERROR_INVALID, "input %s: %s%s%s", port->name,
               source != NULL ? source->from : "", source != NULL ? ": " : "", reason);

  return FALSE;
}

/* Numbers as text, as a table of words or a tokenizer may have them. */
static AssayTensor *
draw_strings (const AssayRunPort *port, const Distribution *distribution, const double *numbers,
              const gint64 *dims, guint64 state, GError **error)
{
  g_autoptr (GPtrArray) strings = g_ptr_array_new_with_free_func ((GDestroyNotify) g_bytes_unref);
  gsize n = 0;

  if (!assay_dims_count ((guint) port->rank, dims, &n) || n > MAX_STRINGS)
    {
      g_set_error (error, ASSAY_ERROR, ASSAY_ERROR_INVALID, "input %s: more than %d strings",
                   port->name, MAX_STRINGS);
      return NULL;
    }
  for (gsize i = 0; i < n; i++)
    {
      char text[G_ASCII_DTOSTR_BUF_SIZE];

      g_ascii_formatd (text, sizeof text, "%g", distribution->draw (&state, numbers));
      g_ptr_array_add (strings, g_bytes_new (text, strlen (text)));
    }

  return assay_tensor_new_strings ((guint) port->rank, dims, strings, error);
}

/* The elements of what is drawn, in the type of the input. */
static AssayTensor *
draw (const AssayRunPort *port, const Source *source, const gint64 *dims, guint64 state,
      GError **error)
{
  AssayDType dtype = port->dtype != ASSAY_DTYPE_UNDEFINED ? port->dtype : ASSAY_DTYPE_F32;
  gboolean whole = !assay_dtype_is_float (dtype);
  const Distribution *distribution = source != NULL ? source->distribution
                                     : whole        ? FILL_INTEGERS
                                                    : FILL_FLOATS;
  const double *numbers = source != NULL ? source->numbers : distribution->defaults;
  g_autoptr (AssayDatum) datum = NULL;

  if (assay_dtype_kind (dtype) == 'C')
    {
      refuse (error, port, source, "elements of type %s cannot be drawn, give a file",
              assay_dtype_name (dtype));
      return NULL;
    }
  if (whole && !distribution->whole)
    {
      refuse (error, port, source, "elements of type %s, expected @integers or @constant",
              assay_dtype_name (dtype));
      return NULL;
    }

  for (guint i = 0; i < 2 && whole && dtype != ASSAY_DTYPE_STRING; i++)
    if (assay_quantized_saturate (dtype, numbers[i]) != nearbyint (numbers[i]))
      {
        refuse (error, port, source, "%s has no such number", assay_dtype_name (dtype));
        return NULL;
      }

  if (dtype == ASSAY_DTYPE_STRING)
    return draw_strings (port, distribution, numbers, dims, state, error);

  datum = assay_datum_new (dtype, assay_datum_storage (dtype, FALSE), (guint) port->rank, dims,
                           error);
  if (datum == NULL)
    return NULL;
  for (gsize i = 0; i < datum->n; i++)
    assay_datum_set_number (datum, i, distribution->draw (&state, numbers));
  assay_datum_round (datum);

  return assay_datum_to_tensor (datum, FALSE, error);
}

static AssayTensor *
make_drawn (AssayRunInputs *self, const AssayRunPort *port, guint index, const Source *source,
            gint64 n_steps, GError **error)
{
  gint64 dims[ASSAY_MAX_RANK];
  guint64 state = self->seed;

  if (port->rank < 0)
    {
      refuse (error, port, source, "its shape is unknown, override it");
      return NULL;
    }
  for (int i = 0; i < port->rank; i++)
    {
      dims[i] = i == port->time_axis && (n_steps > 0 || port->dims[i] < 0) ? MAX (n_steps, 1)
                                                                           : port->dims[i];
      if (dims[i] < 0)
        {
          g_autofree char *shape = assay_run_shape_to_string ((guint) port->rank, port->dims,
                                                              port->time_axis);

          refuse (error, port, source,
                  "its shape is %s, bind axis %d (%s:%d=SIZE) or override the shape", shape, i,
                  port->name, i);
          return NULL;
        }
    }

  /* Inputs of one seed differ, and do not depend on what the others are given. */
  if (index > 0)
    state = assay_random_mix (self->seed + index);

  return draw (port, source, dims, state, error);
}

/* Only the first timesteps of a tensor that has more. */
static AssayTensor *
cut (AssayTensor *tensor, int axis, gint64 n_steps, GError **error)
{
  guint rank = assay_tensor_get_rank (tensor);
  gsize item = assay_dtype_bits (assay_tensor_get_dtype (tensor)) / 8;
  g_autofree gint64 *dims = g_memdup2 (assay_tensor_get_dims (tensor), rank * sizeof (gint64));
  g_autoptr (GBytes) bytes = NULL;
  const guint8 *data = assay_tensor_get_data (tensor, NULL, error);
  gsize outer, inner, row, part;
  guint8 *kept;

  if (data == NULL)
    return NULL;
  outer = assay_dims_product (dims, 0, (guint) axis);
  inner = item * assay_dims_product (dims, (guint) axis + 1, rank);
  row = inner * (gsize) dims[axis];
  /* Less than there is, so the product fits. */
  part = inner * (gsize) n_steps;
  kept = g_try_malloc (MAX (outer * part, 1));
  if (kept == NULL)
    {
      g_set_error (error, ASSAY_ERROR, ASSAY_ERROR_MEMORY,
                   "no memory for %" G_GSIZE_FORMAT " byte%s of an input", outer * part,
                   assay_plural (outer * part));
      return NULL;
    }
  for (gsize i = 0; i < outer; i++)
    memcpy (kept + i * part, data + i * row, part);
  dims[axis] = n_steps;
  bytes = g_bytes_new_take (kept, outer * part);

  return assay_tensor_new (assay_tensor_get_dtype (tensor), rank, dims, bytes, error);
}

/* Numbers go into a float input whatever their type; into an integer one only if they are integers
 * that fit. */
static AssayTensor *
convert (const AssayRunPort *port, const Source *source, AssayTensor *tensor, GError **error)
{
  AssayDType from = assay_tensor_get_dtype (tensor);
  g_autoptr (AssayDatum) datum = NULL;
  const char *is = assay_dtype_name (from);
  const char *expected = assay_dtype_name (port->dtype);

  if (port->dtype == ASSAY_DTYPE_UNDEFINED || port->dtype == from)
    return assay_tensor_ref (tensor);
  if (assay_dtype_bits (from) == 0 || assay_dtype_bits (port->dtype) == 0 ||
      assay_dtype_kind (from) == 'C' || assay_dtype_kind (port->dtype) == 'C' ||
      (!assay_dtype_is_float (port->dtype) && assay_dtype_is_float (from)))
    {
      refuse (error, port, source, "elements of type %s, expected %s", is, expected);
      return NULL;
    }

  datum = assay_datum_new (port->dtype, assay_datum_storage (port->dtype, FALSE),
                           assay_tensor_get_rank (tensor), assay_tensor_get_dims (tensor), error);
  if (datum == NULL)
    return NULL;
  for (gsize i = 0; i < datum->n; i++)
    {
      double number;

      if (!assay_tensor_get_element (tensor, i, &number, error))
        return NULL;
      assay_datum_set_number (datum, i, number);
      if (!assay_dtype_is_float (port->dtype) && assay_datum_get_number (datum, i) != number)
        {
          refuse (error, port, source, "element %" G_GSIZE_FORMAT " is %.17g, which %s cannot hold",
                  i, number, expected);
          return NULL;
        }
    }
  assay_datum_round (datum);

  return assay_datum_to_tensor (datum, FALSE, error);
}

static AssayTensor *
fit (const AssayRunPort *port, const Source *source, gint64 n_steps, GError **error)
{
  guint rank = assay_tensor_get_rank (source->tensor);
  const gint64 *dims = assay_tensor_get_dims (source->tensor);
  g_autoptr (AssayTensor) tensor = convert (port, source, source->tensor, error);
  int axis = port->time_axis;

  if (tensor == NULL || axis < 0 || n_steps == 0 ||
      assay_dtype_bits (assay_tensor_get_dtype (tensor)) < 8 || (int) rank != port->rank ||
      dims[axis] == n_steps)
    return g_steal_pointer (&tensor);
  if (dims[axis] > n_steps)
    return cut (tensor, axis, n_steps, error);

  refuse (error, port, source,
          "%" G_GINT64_FORMAT " timestep%s, %" G_GINT64_FORMAT " are asked for", dims[axis],
          assay_plural (dims[axis]), n_steps);
  return NULL;
}

/* The file of an input, if it has one and it is not read yet. */
static gboolean
read_source (const AssayRunInputs *self, Source *source, const char *name, GError **error)
{
  if (source->tensor == NULL && source->distribution == NULL)
    {
      source->tensor = load_file (self, source->from, name, error);
      if (source->tensor == NULL)
        {
          g_prefix_error (error, "input %s: ", name);
          return FALSE;
        }
    }

  return TRUE;
}

/* The files of a folder are for the inputs that have no other value, by their place. */
static void
take_folder (AssayRunInputs *self, guint n, const char *const *names)
{
  for (guint i = 0; i < n && self->folder != NULL; i++)
    {
      g_autofree char *file = g_strdup_printf ("input_%u.pb", i);
      g_autofree char *path = g_build_filename (self->folder, file, NULL);
      Source *source;

      if (g_hash_table_contains (self->sources, names[i]) ||
          !g_file_test (path, G_FILE_TEST_EXISTS))
        continue;
      source = g_new0 (Source, 1);
      source->from = g_steal_pointer (&path);
      g_hash_table_insert (self->sources, g_strdup (names[i]), source);
    }
  g_clear_pointer (&self->folder, g_free);
}

static gboolean
refuse_missing (const char *name, GError **error)
{
  g_set_error (error, ASSAY_ERROR, ASSAY_ERROR_INVALID,
               "input %s has no value: give --input %s=FILE, or --random SEED", name, name);

  return FALSE;
}

/* An optional sequence is there or not, and apart from that has tensors or none. */
static gboolean
is_optional_sequence (const AssayType *type)
{
  return type->kind == ASSAY_TYPE_KIND_OPTIONAL && type->element->kind == ASSAY_TYPE_KIND_SEQUENCE;
}

/* The name of a part, as outputs have them. */
static char *
part_name (const char *name, const AssayType *type, guint index)
{
  if (type->kind == ASSAY_TYPE_KIND_OPTIONAL && !is_optional_sequence (type))
    return g_strdup_printf ("%s[value]", name);

  return g_strdup_printf ("%s[%s%u]", name, is_optional_sequence (type) ? "value." : "", index);
}

/* Whether an input is said to hold nothing; an optional may hold a sequence of nothing. */
static gboolean
take_empty (AssayRunInputs *self, const char *name, const AssayType *type, gboolean *present)
{
  g_autofree char *nothing = g_strdup_printf ("%s[empty]", name);
  g_autofree char *no_items = g_strdup_printf ("%s[value.empty]", name);

  *present = is_optional_sequence (type) && g_hash_table_remove (self->sources, no_items);

  return *present || g_hash_table_remove (self->sources, nothing);
}

/**
 * assay_run_inputs_split:
 * @self: a set of inputs
 * @name: an input that is a sequence of tensors, or an optional
 * @type: what it is
 * @names: (element-type utf8): gets the names of its parts
 * @tensors: (element-type AssayTensor): gets their values, which @self holds, nothing where they
 * are drawn
 * @present: (out): whether an optional holds anything, be it a sequence of nothing
 * @error: return location for a #GError
 *
 * Puts the parts of an input in its place: the tensors of its file, those that are given by their
 * own names (`NAME[0]`), or two to draw.
 *
 * Returns: whether there is a value
 */
gboolean
assay_run_inputs_split (AssayRunInputs *self, const char *name, const AssayType *type,
                        GPtrArray *names, GPtrArray *tensors, gboolean *present, GError **error)
{
  Source *source = g_hash_table_lookup (self->sources, name);
  g_autoptr (GPtrArray) items = NULL;
  g_autofree char *first = part_name (name, type, 0), *second = part_name (name, type, 1);
  guint n = g_str_equal (first, second) ? 1 : DRAWN_ITEMS;

  if (source == NULL && take_empty (self, name, type, present))
    return TRUE;

  *present = FALSE;
  if (source != NULL && source->distribution == NULL)
    {
      items = source->tensor != NULL ? NULL
                                     : load_items (self, source->from, type->kind, present, error);
      if (items == NULL)
        {
          if (source->tensor != NULL)
            g_set_error (error, ASSAY_ERROR, ASSAY_ERROR_INVALID, "it is no tensor, give a file");
          g_prefix_error (error, "input %s: ", name);
          return FALSE;
        }
      if (n == 1 && items->len > 1)
        {
          g_set_error (error, ASSAY_ERROR, ASSAY_ERROR_INVALID,
                       "input %s: %s has %u tensors, one was expected", name, source->from,
                       items->len);
          return FALSE;
        }
      n = items->len;
    }
  else if (source == NULL && g_hash_table_contains (self->sources, first))
    {
      gboolean more = n > 1;

      for (n = 1; more; n += more)
        {
          g_autofree char *part = part_name (name, type, n);

          more = g_hash_table_contains (self->sources, part);
        }
    }
  else if (source == NULL && !self->fill)
    return refuse_missing (name, error);

  for (guint i = 0; i < n; i++)
    {
      char *part = part_name (name, type, i);
      Source *own = g_hash_table_lookup (self->sources, part);

      g_ptr_array_add (names, part);
      if (items != NULL)
        assay_run_inputs_set_tensor (self, part, g_ptr_array_index (items, i));
      else if (source != NULL)
        {
          own = g_memdup2 (source, sizeof *source);
          own->from = g_strdup (source->from);
          g_hash_table_replace (self->sources, g_strdup (part), own);
        }
      else if (own != NULL && !read_source (self, own, part, error))
        return FALSE;
      g_ptr_array_add (tensors, items != NULL ? g_ptr_array_index (items, i)
                                : own != NULL ? own->tensor
                                              : NULL);
    }
  g_hash_table_remove (self->sources, name);
  *present = n > 0 || (*present && is_optional_sequence (type));

  return TRUE;
}

static gboolean
load_files (AssayRunInputs *self, const AssayRunPort *ports, guint n_ports, GError **error)
{
  g_autoptr (GString) names = g_string_new (NULL);
  GHashTableIter iter;
  gpointer name, value;

  for (guint i = 0; i < n_ports; i++)
    {
      g_string_append_printf (names, "%s%s", i > 0 ? ", " : "", ports[i].name);
      if (ports[i].other == NULL)
        continue;
      g_set_error (error, ASSAY_ERROR, ASSAY_ERROR_UNSUPPORTED, "input %s: %s %s", ports[i].name,
                   ports[i].other,
                   strstr (ports[i].other, "map<") != NULL
                       ? "holds a map, which no operator makes of tensors: assay conformance alone "
                         "runs the model, on test data"
                       : "is no tensor: it goes in where a command runs the model, such as assay "
                         "run");
      return FALSE;
    }

  g_hash_table_iter_init (&iter, self->sources);
  while (g_hash_table_iter_next (&iter, &name, &value))
    {
      Source *source = value;
      gboolean found = FALSE;

      for (guint i = 0; i < n_ports && !found; i++)
        found = g_str_equal (ports[i].name, name);
      if (!found)
        {
          g_set_error (error, ASSAY_ERROR, ASSAY_ERROR_INVALID,
                       "input %s: there is none of this name, inputs are %s", (const char *) name,
                       names->str);
          return FALSE;
        }
      if (!read_source (self, source, name, error))
        return FALSE;
    }

  return TRUE;
}

static gboolean
streams (const AssayRunPort *ports, guint n_ports)
{
  for (guint i = 0; i < n_ports; i++)
    {
      if (ports[i].time_axis >= 0)
        return TRUE;
    }

  return FALSE;
}

/**
 * assay_run_inputs_open:
 * @self: a set of inputs
 * @graph: a model
 * @error: return location for a #GError
 *
 * Lets tensors go into a model where it takes sequences of tensors and optionals: it becomes one
 * that takes their parts, as many as there are values, and puts them together itself. Files are
 * read for that.
 *
 * Returns: (transfer full) (nullable): the model, @graph itself if it takes nothing but tensors
 */
AssayGraph *
assay_run_inputs_open (AssayRunInputs *self, AssayGraph *graph, GError **error)
{
  const AssayRegion *region = assay_graph_region (graph, ASSAY_MAIN_REGION);
  g_autoptr (GPtrArray) names = g_ptr_array_new ();
  gboolean opens = FALSE;

  for (guint i = 0; i < region->inputs->len; i++)
    {
      const AssayValue *value = assay_graph_value (graph,
                                                   g_array_index (region->inputs, AssayValueId, i));

      opens = opens || assay_run_input_can_open (value->type);
      if (!value->is_parameter)
        g_ptr_array_add (names, (gpointer) value->name);
    }
  if (!opens)
    return assay_graph_ref (graph);

  take_folder (self, names->len, (const char *const *) names->pdata);

  return assay_run_input_open_graph (graph, self, error);
}

/**
 * assay_run_inputs_make:
 * @self: a set of inputs
 * @ports: (array length=n_ports): the inputs there are
 * @n_ports: number of entries
 * @n_steps: number of timesteps, 0 for as many as the files have
 * @error: return location for a #GError
 *
 * Makes a tensor for every input, in its type. Shapes of files are checked by the runner, which
 * knows what it takes.
 *
 * Returns: (transfer full) (nullable) (element-type AssayTensor): one tensor per input
 */
GPtrArray *
assay_run_inputs_make (AssayRunInputs *self, const AssayRunPort *ports, guint n_ports,
                       gint64 n_steps, GError **error)
{
  g_autoptr (GPtrArray)
      tensors = g_ptr_array_new_with_free_func ((GDestroyNotify) assay_tensor_unref);
  g_autoptr (GPtrArray) names = g_ptr_array_new ();

  for (guint i = 0; i < n_ports; i++)
    g_ptr_array_add (names, ports[i].name);
  take_folder (self, n_ports, (const char *const *) names->pdata);
  if (!load_files (self, ports, n_ports, error))
    return NULL;
  if (n_steps > 1 && !streams (ports, n_ports))
    {
      g_set_error (error, ASSAY_ERROR, ASSAY_ERROR_INVALID,
                   "%" G_GINT64_FORMAT " timestep%s: the model does not stream", n_steps,
                   assay_plural (n_steps));
      return NULL;
    }

  for (guint i = 0; i < n_ports; i++)
    {
      const Source *source = g_hash_table_lookup (self->sources, ports[i].name);
      int axis = ports[i].time_axis;

      /* Those that are drawn have as many timesteps as those of the files. */
      if (source != NULL && source->tensor != NULL && n_steps == 0 && axis >= 0 &&
          (int) assay_tensor_get_rank (source->tensor) == ports[i].rank)
        n_steps = assay_tensor_get_dims (source->tensor)[axis];
    }

  for (guint i = 0; i < n_ports; i++)
    {
      const Source *source = g_hash_table_lookup (self->sources, ports[i].name);
      AssayTensor *tensor;

      if (source == NULL && !self->fill)
        {
          refuse_missing (ports[i].name, error);
          return NULL;
        }
      tensor = source != NULL && source->tensor != NULL
                   ? fit (&ports[i], source, n_steps, error)
                   : make_drawn (self, &ports[i], i, source, n_steps, error);
      if (tensor == NULL)
        return NULL;
      g_ptr_array_add (tensors, tensor);
    }

  return g_steal_pointer (&tensors);
}

/**
 * assay_run_inputs_pick:
 * @ports: (array length=n_ports): the inputs that tensors were made for
 * @n_ports: number of entries
 * @tensors: (element-type AssayTensor): one tensor per input
 * @runner: a runner
 * @error: return location for a #GError
 *
 * Puts tensors into the order of a runner, which may list other inputs than another runner of the
 * same subject.
 *
 * Returns: (transfer full) (nullable) (element-type AssayTensor): one tensor per input of the
 * runner
 */
GPtrArray *
assay_run_inputs_pick (const AssayRunPort *ports, guint n_ports, GPtrArray *tensors,
                       AssayRunner *runner, GError **error)
{
  g_autoptr (GPtrArray)
      picked = g_ptr_array_new_with_free_func ((GDestroyNotify) assay_tensor_unref);
  const AssayRunPort *wanted;
  guint n;

  wanted = assay_runner_get_inputs (runner, &n);
  for (guint i = 0; i < n; i++)
    {
      guint at = 0;

      while (at < n_ports && !g_str_equal (ports[at].name, wanted[i].name))
        at++;
      if (at == n_ports)
        {
          g_set_error (error, ASSAY_ERROR, ASSAY_ERROR_INVALID, "runner %s: input %s has no value",
                       assay_runner_get_spec (runner), wanted[i].name);
          return NULL;
        }
      g_ptr_array_add (picked, assay_tensor_ref (g_ptr_array_index (tensors, at)));
    }

  return g_steal_pointer (&picked);
}
