/* assay-run-folder.c
 * SPDX-License-Identifier: Apache-2.0
 */
#include "run/assay-run-folder.h"

#include <errno.h>
#include <glib/gstdio.h>

#include "base/assay-error.h"
#include "base/assay-file-write.h"
#include "base/assay-npy.h"
#include "base/assay-sentence.h"
#include "process/assay-temporary.h"
#include "text/assay-json-reader.h"
#include "text/assay-json-writer.h"

#define SCHEMA "assay.runner/1"
#define RUN_FILE "run.json"
#define RESULT_FILE "result.json"
#define MOST_LATENCIES (1 << 20)

static AssayRunFolder *
folder_new (char *path)
{
  AssayRunFolder *self = g_new0 (AssayRunFolder, 1);

  self->path = path;
  self->inputs = g_ptr_array_new_with_free_func (g_free);
  self->tensors = g_ptr_array_new_with_free_func ((GDestroyNotify) assay_tensor_unref);
  self->outputs = g_ptr_array_new_with_free_func (g_free);
  self->values = g_ptr_array_new_with_free_func (g_free);

  return self;
}

/**
 * assay_run_folder_new:
 * @parent: (nullable): the folder of assay_temporary_folder() that it is made in; %NULL if it is
 * one itself
 * @error: return location for a #GError
 *
 * Makes a temporary folder that only this user can read.
 *
 * Returns: (transfer full) (nullable): the folder
 */
AssayRunFolder *
assay_run_folder_new (const char *parent, GError **error)
{
  g_autofree char *path = parent != NULL ? g_build_filename (parent, "run-XXXXXX", NULL)
                                         : assay_temporary_folder ("run", error);

  if (parent != NULL && g_mkdtemp (path) == NULL)
    {
      g_set_error (error, ASSAY_ERROR, ASSAY_ERROR_IO, "%s: %s", parent, g_strerror (errno));
      return NULL;
    }

  return path != NULL ? folder_new (g_steal_pointer (&path)) : NULL;
}

void
assay_run_folder_free (AssayRunFolder *self)
{
  if (self == NULL)
    return;

  g_ptr_array_unref (self->inputs);
  g_ptr_array_unref (self->tensors);
  g_ptr_array_unref (self->outputs);
  g_ptr_array_unref (self->values);
  g_free (self->path);
  g_free (self);
}

/**
 * assay_run_folder_delete:
 * @self: a folder that assay_run_folder_new() made
 *
 * Deletes the folder with all that is in it.
 */
void
assay_run_folder_delete (AssayRunFolder *self)
{
  assay_temporary_delete (self->path);
}

/**
 * assay_run_folder_add_input:
 * @self: a new folder
 * @name: name of the input
 * @tensor: (transfer none): its value
 *
 * Adds an input; it is written by assay_run_folder_write().
 */
void
assay_run_folder_add_input (AssayRunFolder *self, const char *name, AssayTensor *tensor)
{
  g_ptr_array_add (self->inputs, g_strdup (name));
  g_ptr_array_add (self->tensors, assay_tensor_ref (tensor));
}

static char *
file_name (const char *kind, guint index)
{
  return g_strdup_printf ("%s-%u.npy", kind, index);
}

static const char *
output_kind (gboolean is_value)
{
  return is_value ? "value" : "output";
}

/* Elements of less than a byte to a byte each, or back. */
static GBytes *
repack (AssayTensor *tensor, AssayDType dtype, GError **error)
{
  guint from = assay_dtype_bits (assay_tensor_get_dtype (tensor)), to = assay_dtype_bits (dtype);
  const guint8 *data = assay_tensor_get_data (tensor, NULL, error);
  guint sign = dtype == ASSAY_DTYPE_I8 ? 1u << (from - 1) : 0;
  gsize n = assay_tensor_get_n_elements (tensor), size = n * to / 8 + (n * to % 8 > 0);
  guint8 *packed;

  if (data == NULL && n > 0)
    return NULL;

  packed = g_try_malloc0 (MAX (size, 1));
  if (packed == NULL)
    {
      g_set_error (error, ASSAY_ERROR, ASSAY_ERROR_MEMORY,
                   "no memory for %" G_GSIZE_FORMAT " byte%s", size, assay_plural (size));
      return NULL;
    }
  for (gsize i = 0; i < n; i++)
    {
      guint raw = (guint) data[i * from / 8] >> (i * from % 8) & ((1u << from) - 1);

      raw = ((raw ^ sign) - sign) & ((1u << to) - 1);
      packed[i * to / 8] |= (guint8) (raw << (i * to % 8));
    }

  return g_bytes_new_take (packed, size);
}

/* Types that NumPy lacks travel as integers of the same width, or of a byte if they have less. */
static AssayTensor *
with_type (AssayTensor *tensor, AssayDType dtype, GError **error)
{
  gboolean same = assay_dtype_bits (dtype) == assay_dtype_bits (assay_tensor_get_dtype (tensor));
  g_autoptr (GBytes) bytes = NULL;

  if (dtype == assay_tensor_get_dtype (tensor))
    return assay_tensor_ref (tensor);

  bytes = same ? assay_tensor_dup_bytes (tensor, error) : repack (tensor, dtype, error);
  if (bytes == NULL)
    return NULL;

  return assay_tensor_new (dtype, assay_tensor_get_rank (tensor), assay_tensor_get_dims (tensor),
                           bytes, error);
}

static AssayDType
numpy_type (AssayDType dtype)
{
  switch (dtype)
    {
    case ASSAY_DTYPE_BF16:
      return ASSAY_DTYPE_U16;
    case ASSAY_DTYPE_F8E4M3FN:
    case ASSAY_DTYPE_F8E4M3FNUZ:
    case ASSAY_DTYPE_F8E5M2:
    case ASSAY_DTYPE_F8E5M2FNUZ:
    case ASSAY_DTYPE_F8E8M0:
    case ASSAY_DTYPE_F4E2M1:
    case ASSAY_DTYPE_U4:
    case ASSAY_DTYPE_U2:
      return ASSAY_DTYPE_U8;
    case ASSAY_DTYPE_I4:
    case ASSAY_DTYPE_I2:
      return ASSAY_DTYPE_I8;
    default:
      return dtype;
    }
}

/* What another program has written is what it says, or was asked for. */
static AssayTensor *
check_type (AssayTensor *plain, AssayDType dtype, const char *kind, const char *name,
            GError **error)
{
  AssayDType is = assay_tensor_get_dtype (plain);

  if (numpy_type (dtype) == is)
    return with_type (plain, dtype, error);

  g_set_error (error, ASSAY_ERROR, ASSAY_ERROR_DEVICE, "%s %s: type %s, expected %s", kind, name,
               assay_dtype_name (is), assay_dtype_name (dtype));

  return NULL;
}

static gboolean
save_tensor (AssayRunFolder *self, const char *kind, guint index, AssayTensor *tensor,
             GError **error)
{
  g_autofree char *name = file_name (kind, index);
  g_autofree char *path = g_build_filename (self->path, name, NULL);
  g_autoptr (AssayTensor) plain = NULL;
  gboolean saved;

  plain = with_type (tensor, numpy_type (assay_tensor_get_dtype (tensor)), error);
  if (plain == NULL)
    return FALSE;

  assay_file_passing_enter ();
  saved = assay_npy_save (plain, path, error);
  assay_file_passing_leave ();

  return saved;
}

static void
add_ports (AssayJsonWriter *json, const char *member, const char *kind, GPtrArray *names,
           GPtrArray *tensors)
{
  assay_json_writer_begin_member_array (json, member);
  for (guint i = 0; i < names->len; i++)
    {
      g_autofree char *file = file_name (kind, i);
      g_autofree char *name = g_utf8_make_valid (g_ptr_array_index (names, i), -1);

      assay_json_writer_begin_object (json);
      assay_json_writer_member (json, "name", name);
      assay_json_writer_member (json, "file", file);
      if (tensors != NULL)
        assay_json_writer_member (
            json, "dtype",
            assay_dtype_name (assay_tensor_get_dtype (g_ptr_array_index (tensors, i))));
      assay_json_writer_end_object (json);
    }
  assay_json_writer_end_array (json);
}

/* Ends the document and writes it. */
static gboolean
save_json (AssayRunFolder *self, const char *name, AssayJsonWriter *json, GError **error)
{
  g_autofree char *path = g_build_filename (self->path, name, NULL);
  g_autofree char *text = NULL;
  gboolean saved;
  gsize length;

  text = assay_json_writer_end_document (json, &length);
  assay_file_passing_enter ();
  saved = assay_file_write (path, text, length, error);
  assay_file_passing_leave ();

  return saved;
}

/**
 * assay_run_folder_write:
 * @self: a new folder with its inputs, outputs and values
 * @error: return location for a #GError
 *
 * Writes the inputs and the document that says what is wanted.
 *
 * Returns: whether everything is written
 */
gboolean
assay_run_folder_write (AssayRunFolder *self, GError **error)
{
  AssayJsonWriter json;

  for (guint i = 0; i < self->inputs->len; i++)
    {
      if (!save_tensor (self, "input", i, g_ptr_array_index (self->tensors, i), error))
        {
          g_prefix_error (error, "input %s: ", (const char *) g_ptr_array_index (self->inputs, i));
          return FALSE;
        }
    }

  assay_json_writer_begin_document (&json, 2, SCHEMA);
  add_ports (&json, "inputs", "input", self->inputs, self->tensors);
  add_ports (&json, "outputs", "output", self->outputs, NULL);
  add_ports (&json, "values", "value", self->values, NULL);

  return save_json (self, RUN_FILE, &json, error);
}

/* A document of the folder, or NULL. */
static AssayJsonReader *
open_json (AssayRunFolder *self, const char *name, GError **error)
{
  g_autofree char *path = g_build_filename (self->path, name, NULL);

  return assay_json_reader_load (path, NULL, error);
}

static void
read_names (AssayJsonReader *reader, const char *member, GPtrArray *names, GArray *dtypes)
{
  AssayJsonEach each = assay_json_each_in_list (reader, assay_json_reader_root (reader), member,
                                                G_MAXUINT);

  while (assay_json_each_next_object (&each))
    {
      const char *name = assay_json_reader_string (reader, each.object, "name");
      const char *type = assay_json_reader_string (reader, each.object, "dtype");
      AssayDType dtype = ASSAY_DTYPE_UNDEFINED;

      if (name == NULL ||
          (dtypes != NULL && (type == NULL || !assay_dtype_from_name (type, &dtype))))
        assay_json_reader_complain (reader, "expected name%s", dtypes != NULL ? " and dtype" : "");
      g_ptr_array_add (names, g_strdup (name));
      if (dtypes != NULL)
        g_array_append_val (dtypes, dtype);
    }
}

static gboolean
load_inputs (AssayRunFolder *self, GArray *dtypes, GError **error)
{
  for (guint i = 0; i < dtypes->len; i++)
    {
      g_autofree char *file = file_name ("input", i);
      g_autofree char *path = g_build_filename (self->path, file, NULL);
      g_autoptr (AssayTensor) plain = assay_npy_load (path, error);
      AssayTensor *tensor = plain != NULL
                                ? check_type (plain, g_array_index (dtypes, AssayDType, i), "input",
                                              self->inputs->pdata[i], error)
                                : NULL;

      if (tensor == NULL)
        return FALSE;
      g_ptr_array_add (self->tensors, tensor);
    }

  return TRUE;
}

/**
 * assay_run_folder_open:
 * @path: a folder that another program has written
 * @error: return location for a #GError
 *
 * Reads what is to be run.
 *
 * Returns: (transfer full) (nullable): the folder
 */
AssayRunFolder *
assay_run_folder_open (const char *path, GError **error)
{
  g_autoptr (AssayRunFolder) self = folder_new (g_strdup (path));
  g_autoptr (AssayJsonReader) reader = open_json (self, RUN_FILE, error);
  g_autoptr (GArray) dtypes = g_array_new (FALSE, FALSE, sizeof (AssayDType));

  if (reader == NULL)
    return NULL;

  read_names (reader, "inputs", self->inputs, dtypes);
  read_names (reader, "outputs", self->outputs, NULL);
  read_names (reader, "values", self->values, NULL);
  if (!assay_json_reader_finish (reader, error) || !load_inputs (self, dtypes, error))
    return NULL;

  return g_steal_pointer (&self);
}

/**
 * assay_run_folder_save_output:
 * @self: a folder that was opened
 * @is_value: whether it is one of the values between, rather than an output
 * @index: which of them
 * @tensor: what came out
 * @error: return location for a #GError
 *
 * Puts a result into the folder.
 *
 * Returns: whether it is written
 */
gboolean
assay_run_folder_save_output (AssayRunFolder *self, gboolean is_value, guint index,
                              AssayTensor *tensor, GError **error)
{
  return save_tensor (self, output_kind (is_value), index, tensor, error);
}

/**
 * assay_run_folder_load_output:
 * @self: a folder whose run has ended
 * @is_value: whether it is one of the values between, rather than an output
 * @index: which of them
 * @dtype: the type that it should have, %ASSAY_DTYPE_UNDEFINED if that is not known
 * @error: return location for a #GError
 *
 * Takes a result out of the folder.
 *
 * Returns: (transfer full) (nullable): the tensor
 */
AssayTensor *
assay_run_folder_load_output (AssayRunFolder *self, gboolean is_value, guint index,
                              AssayDType dtype, GError **error)
{
  const char *name = g_ptr_array_index (is_value ? self->values : self->outputs, index);
  g_autofree char *file = file_name (output_kind (is_value), index);
  g_autofree char *path = g_build_filename (self->path, file, NULL);
  g_autoptr (AssayTensor) tensor = NULL;
  g_autoptr (GError) cause = NULL;

  if (!g_file_test (path, G_FILE_TEST_IS_REGULAR) || g_file_test (path, G_FILE_TEST_IS_SYMLINK))
    {
      g_set_error (error, ASSAY_ERROR, ASSAY_ERROR_DEVICE, "%s %s was not written, expected in %s",
                   output_kind (is_value), name, file);
      return NULL;
    }

  tensor = assay_npy_load (path, &cause);
  if (tensor == NULL)
    {
      g_set_error (error, ASSAY_ERROR, ASSAY_ERROR_DEVICE, "%s %s: %s", output_kind (is_value),
                   name, cause->message);
      return NULL;
    }

  return dtype == ASSAY_DTYPE_UNDEFINED
             ? g_steal_pointer (&tensor)
             : check_type (tensor, dtype, output_kind (is_value), name, error);
}

static char *
parts_path (AssayRunFolder *self, guint index)
{
  g_autofree char *file = g_strdup_printf ("output-%u.npz", index);

  return g_build_filename (self->path, file, NULL);
}

/**
 * assay_run_folder_save_parts:
 * @self: a folder that was opened
 * @index: which output
 * @parts: what came out
 * @error: return location for a #GError
 *
 * Puts an output that is no tensor into the folder.
 *
 * Returns: whether it is written
 */
gboolean
assay_run_folder_save_parts (AssayRunFolder *self, guint index, const AssayRunParts *parts,
                             GError **error)
{
  g_autofree char *path = parts_path (self, index);
  gboolean saved;

  assay_file_passing_enter ();
  saved = assay_run_parts_save (parts, path, error);
  assay_file_passing_leave ();

  return saved;
}

/**
 * assay_run_folder_load_parts:
 * @self: a folder whose run has ended
 * @index: which output
 * @error: return location for a #GError
 *
 * Takes an output that is no tensor out of the folder. An optional that is there may have been
 * written as the tensor that it holds, which is one part without a name.
 *
 * Returns: (transfer full) (nullable): its parts
 */
AssayRunParts *
assay_run_folder_load_parts (AssayRunFolder *self, guint index, GError **error)
{
  g_autofree char *path = parts_path (self, index);
  AssayRunParts *parts;
  g_autoptr (GError) cause = NULL;

  if (!g_file_test (path, G_FILE_TEST_IS_REGULAR) || g_file_test (path, G_FILE_TEST_IS_SYMLINK))
    {
      g_autoptr (AssayTensor)
          tensor = assay_run_folder_load_output (self, FALSE, index, ASSAY_DTYPE_UNDEFINED, error);

      if (tensor == NULL)
        return NULL;
      parts = assay_run_parts_new ();
      assay_run_parts_add (parts, "", tensor);
      return parts;
    }

  parts = assay_run_parts_load (path, &cause);
  if (parts == NULL)
    g_set_error (error, ASSAY_ERROR, ASSAY_ERROR_DEVICE, "output %s: %s",
                 (const char *) g_ptr_array_index (self->outputs, index), cause->message);

  return parts;
}

/**
 * assay_run_folder_save_result:
 * @self: a folder that was opened
 * @latencies: (array length=n): nanoseconds per inference
 * @n: number of entries
 * @error: return location for a #GError
 *
 * Writes the document with what is known beside the tensors.
 *
 * Returns: whether it is written
 */
gboolean
assay_run_folder_save_result (AssayRunFolder *self, const gint64 *latencies, guint n,
                              GError **error)
{
  AssayJsonWriter json;

  assay_json_writer_init (&json, 1);
  assay_json_writer_begin_object (&json);
  assay_json_writer_begin_member_array (&json, "latencies_ns");
  for (guint i = 0; i < n; i++)
    assay_json_writer_int (&json, latencies[i]);
  assay_json_writer_end_array (&json);

  return save_json (self, RESULT_FILE, &json, error);
}

/**
 * assay_run_folder_load_result:
 * @self: a folder whose run has ended
 * @latencies: (element-type gint64): gets the latencies, none if the program does not tell any
 *
 * Reads the document with what is known beside the tensors, if there is one.
 */
void
assay_run_folder_load_result (AssayRunFolder *self, GArray *latencies)
{
  g_autoptr (AssayJsonReader) reader = open_json (self, RESULT_FILE, NULL);
  AssayJsonEach each;

  if (reader == NULL)
    return;

  each = assay_json_each_in_list (reader, assay_json_reader_root (reader), "latencies_ns",
                                  MOST_LATENCIES);
  while (assay_json_each_next (&each))
    if (assay_json_node_is_integer (each.node) && json_node_get_int (each.node) >= 0)
      g_array_append_vals (latencies, &(gint64){ json_node_get_int (each.node) }, 1);
}
