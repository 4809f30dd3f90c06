/* assay-onnxruntime.c
 * SPDX-License-Identifier: Apache-2.0
 *
 * The part of ONNX Runtime's C API that a run needs. The API is a table of functions whose order
 * never changes; the rows below are positions in it (onnxruntime_c_api.h, struct OrtApi).
 */
#include "assay-onnxruntime.h"

#include <dlfcn.h>
#include <string.h>
#include <time.h>

#include "base/assay-error.h"
#include "base/assay-file-map.h"
#include "source/onnx/assay-onnx-outputs.h"

/* The version of the API that has all of these rows. */
#define API_VERSION 5
/* Minor version of the first that has optionals, and tells one that holds nothing. */
#define OPTIONAL_VERSION 10

#define LEVEL_ERROR 3
#define OPTIMIZE_NOTHING 0
#define OPTIMIZE_ALL 99
#define DEVICE_ALLOCATOR 0
#define DEFAULT_MEMORY 0

/* Types of values (enum ONNXType). */
#define VALUE_IS_TENSOR 1
#define VALUE_IS_SEQUENCE 2
#define VALUE_IS_MAP 3

#define EXTERNAL_FOLDER "session.model_external_initializers_file_folder_path"

typedef struct Status Status;

enum
{
  ROW_ERROR_MESSAGE = 2,
  ROW_CREATE_ENV = 3,
  ROW_CREATE_SESSION = 7,
  ROW_CREATE_SESSION_FROM_ARRAY = 8,
  ROW_RUN = 9,
  ROW_CREATE_OPTIONS = 10,
  ROW_SET_OPTIMIZATION = 23,
  ROW_SET_INTRA_THREADS = 24,
  ROW_SET_INTER_THREADS = 25,
  ROW_CREATE_OWN_TENSOR = 48,
  ROW_CREATE_TENSOR = 49,
  ROW_TENSOR_DATA = 51,
  ROW_SET_STRINGS = 52,
  ROW_STRINGS_SIZE = 53,
  ROW_STRINGS = 54,
  ROW_ELEMENT_TYPE = 60,
  ROW_DIMENSIONS_COUNT = 61,
  ROW_DIMENSIONS = 62,
  ROW_TENSOR_INFO = 65,
  ROW_VALUE_TYPE = 67,
  ROW_CPU_MEMORY = 69,
  ROW_DEFAULT_ALLOCATOR = 78,
  ROW_VALUE = 80,
  ROW_VALUE_COUNT = 81,
  ROW_RELEASE_ENV = 92,
  ROW_RELEASE_STATUS = 93,
  ROW_RELEASE_MEMORY = 94,
  ROW_RELEASE_SESSION = 95,
  ROW_RELEASE_VALUE = 96,
  ROW_RELEASE_TENSOR_INFO = 99,
  ROW_RELEASE_OPTIONS = 100,
  ROW_ADD_CONFIG = 130,
  ROW_HAS_VALUE = 192,
};

typedef struct
{
  const gpointer *(*get_api) (guint32 version);
  const char *(*get_version) (void);
} Base;

/* One signature per shape of a row. */
typedef const char *(*MessageFunc) (const Status *);
typedef void (*ReleaseFunc) (gpointer);
typedef Status *(*CreateEnvFunc) (int, const char *, gpointer *);
typedef Status *(*CreateFunc) (gpointer *);
typedef Status *(*SetFunc) (gpointer, int);
typedef Status *(*ConfigFunc) (gpointer, const char *, const char *);
typedef Status *(*SessionFunc) (gpointer, const char *, gpointer, gpointer *);
typedef Status *(*SessionFromArrayFunc) (gpointer, gconstpointer, gsize, gpointer, gpointer *);
typedef Status *(*MemoryFunc) (int, int, gpointer *);
typedef Status *(*TensorFunc) (gpointer, gpointer, gsize, const gint64 *, gsize, int, gpointer *);
typedef Status *(*OwnTensorFunc) (gpointer, const gint64 *, gsize, int, gpointer *);
typedef Status *(*StringsFunc) (gpointer, const char *const *, gsize);
typedef Status *(*GetStringsFunc) (gpointer, gpointer, gsize, gsize *, gsize);
typedef Status *(*RunFunc) (gpointer, gpointer, const char *const *, const gpointer *, gsize,
                            const char *const *, gsize, gpointer *);
typedef Status *(*GetIntFunc) (gpointer, int *);
typedef Status *(*GetSizeFunc) (gpointer, gsize *);
typedef Status *(*GetPointerFunc) (gpointer, gpointer *);
typedef Status *(*GetValueFunc) (gpointer, int, gpointer, gpointer *);
typedef Status *(*GetDimensionsFunc) (gpointer, gint64 *, gsize);

#define CALL(self, row, type) ((type) (self)->api[ROW_##row])

struct _AssayOnnxruntime
{
  gpointer library;
  const gpointer *api;
  gboolean has_optionals;
  gpointer env;
  gpointer memory;
  char *model;
  guint n_threads;
  int optimization;
  gpointer session;
  gpointer observing; /* the session that gives values too */
  char *observed;     /* their names */
};

/* Takes the status. */
static gboolean
check (AssayOnnxruntime *self, Status *status, GError **error)
{
  if (status == NULL)
    return TRUE;

  g_set_error (error, ASSAY_ERROR, ASSAY_ERROR_DEVICE, "ONNX Runtime: %s",
               CALL (self, ERROR_MESSAGE, MessageFunc) (status));
  CALL (self, RELEASE_STATUS, ReleaseFunc) (status);

  return FALSE;
}

/* Where the library may be: what the user names, a file or its folder; else what the loader finds.
 */
static gboolean
load_library (AssayOnnxruntime *self, const char *library, GError **error)
{
  static const char *const names[] = { "libonnxruntime.so.1", "libonnxruntime.so" };
  g_autofree char *reason = NULL;

  if (library != NULL && !g_file_test (library, G_FILE_TEST_IS_DIR))
    {
      self->library = dlopen (library, RTLD_NOW | RTLD_LOCAL);
      reason = g_strdup (self->library == NULL ? dlerror () : NULL);
    }
  for (guint i = 0; i < G_N_ELEMENTS (names) && self->library == NULL && reason == NULL; i++)
    {
      g_autofree char *path = library != NULL ? g_build_filename (library, names[i], NULL)
                                              : g_strdup (names[i]);

      self->library = dlopen (path, RTLD_NOW | RTLD_LOCAL);
    }
  if (self->library != NULL)
    return TRUE;

  g_set_error (error, ASSAY_ERROR, ASSAY_ERROR_DEVICE,
               "ONNX Runtime was not found%s%s. Install the package libonnxruntime of your "
               "distribution, or take the "
               "library out of a release of ONNX Runtime or of the npm package onnxruntime-node, "
               "and name it: "
               "ort:FILE, or ASSAY_ONNXRUNTIME=FILE",
               reason != NULL ? ": " : "", reason != NULL ? reason : "");
  return FALSE;
}

static gboolean
load_api (AssayOnnxruntime *self, GError **error)
{
  const Base *(*get_base) (void) = dlsym (self->library, "OrtGetApiBase");
  const Base *base = get_base != NULL ? get_base () : NULL;

  self->api = base != NULL ? base->get_api (API_VERSION) : NULL;
  if (self->api != NULL)
    {
      g_auto (GStrv) version = g_strsplit (base->get_version (), ".", 3);

      self->has_optionals = g_strv_length (version) > 1 &&
                            (!g_str_equal (version[0], "1") ||
                             g_ascii_strtoull (version[1], NULL, 10) >= OPTIONAL_VERSION);
      return TRUE;
    }

  g_set_error (error, ASSAY_ERROR, ASSAY_ERROR_DEVICE,
               "The library is not ONNX Runtime 1.5 or newer%s%s", base != NULL ? ", but " : "",
               base != NULL ? base->get_version () : "");
  return FALSE;
}

static gpointer
new_options (AssayOnnxruntime *self, GError **error)
{
  gpointer options = NULL;

  if (check (self, CALL (self, CREATE_OPTIONS, CreateFunc) (&options), error) &&
      check (self, CALL (self, SET_OPTIMIZATION, SetFunc) (options, self->optimization), error) &&
      check (self, CALL (self, SET_INTRA_THREADS, SetFunc) (options, (int) self->n_threads),
             error) &&
      check (self, CALL (self, SET_INTER_THREADS, SetFunc) (options, 1), error))
    return options;

  if (options != NULL)
    CALL (self, RELEASE_OPTIONS, ReleaseFunc) (options);

  return NULL;
}

/**
 * assay_onnxruntime_dup_version:
 * @library: (nullable): the library, or the folder that it is in
 * @error: return location for a #GError
 *
 * Loads the library and asks for its version.
 *
 * Returns: (transfer full) (nullable): the version
 */
char *
assay_onnxruntime_dup_version (const char *library, GError **error)
{
  AssayOnnxruntime self = { NULL };

  if (!load_library (&self, library, error) || !load_api (&self, error))
    return NULL;

  return g_strdup (
      ((const Base *(*) (void) ) dlsym (self.library, "OrtGetApiBase")) ()->get_version ());
}

/**
 * assay_onnxruntime_new:
 * @library: (nullable): the library or its folder; else it is looked for
 * @model: the ONNX file
 * @n_threads: threads within an operation, 0 for as many as there are cores
 * @optimizes: whether it may compute operations in one, and otherwise than the file has them
 * @error: return location for a #GError
 *
 * Loads the library and opens a model.
 *
 * Returns: (transfer full) (nullable): the library with the model
 */
AssayOnnxruntime *
assay_onnxruntime_new (const char *library, const char *model, guint n_threads, gboolean optimizes,
                       GError **error)
{
  g_autoptr (AssayOnnxruntime) self = g_new0 (AssayOnnxruntime, 1);
  gpointer options;
  gboolean opened;

  self->model = g_strdup (model);
  self->n_threads = n_threads;
  self->optimization = optimizes ? OPTIMIZE_ALL : OPTIMIZE_NOTHING;
  if (!load_library (self, library, error) || !load_api (self, error) ||
      !check (self, CALL (self, CREATE_ENV, CreateEnvFunc) (LEVEL_ERROR, "assay", &self->env),
              error) ||
      !check (self,
              CALL (self, CPU_MEMORY, MemoryFunc) (DEVICE_ALLOCATOR, DEFAULT_MEMORY, &self->memory),
              error))
    return NULL;

  options = new_options (self, error);
  if (options == NULL)
    return NULL;
  opened = check (
      self, CALL (self, CREATE_SESSION, SessionFunc) (self->env, model, options, &self->session),
      error);
  CALL (self, RELEASE_OPTIONS, ReleaseFunc) (options);

  return opened ? g_steal_pointer (&self) : NULL;
}

void
assay_onnxruntime_free (AssayOnnxruntime *self)
{
  if (self == NULL)
    return;

  if (self->session != NULL)
    CALL (self, RELEASE_SESSION, ReleaseFunc) (self->session);
  if (self->observing != NULL)
    CALL (self, RELEASE_SESSION, ReleaseFunc) (self->observing);
  if (self->memory != NULL)
    CALL (self, RELEASE_MEMORY, ReleaseFunc) (self->memory);
  if (self->env != NULL)
    CALL (self, RELEASE_ENV, ReleaseFunc) (self->env);
  g_free (self->observed);
  g_free (self->model);
  g_free (self);
}

/* Values between are outputs of a model of their own, so that they exist as the file has them; it
 * is kept for the next run that asks for the same ones. */
static gboolean
open_observing (AssayOnnxruntime *self, GPtrArray *values, GError **error)
{
  g_autoptr (GString) names = g_string_new (NULL);
  g_autoptr (GBytes) plain = NULL;
  g_autoptr (GBytes) model = NULL;
  g_autofree char *folder = g_path_get_dirname (self->model);
  gpointer options;
  gboolean opened;
  gconstpointer data;
  gsize size;

  for (guint i = 0; i < values->len; i++)
    g_string_append_printf (names, "%s\n", (const char *) g_ptr_array_index (values, i));
  if (self->observing != NULL && g_str_equal (names->str, self->observed))
    return TRUE;

  if (self->observing != NULL)
    CALL (self, RELEASE_SESSION, ReleaseFunc) (self->observing);
  self->observing = NULL;
  plain = assay_file_map_new (self->model, error);
  if (plain == NULL)
    return FALSE;
  model = assay_onnx_add_outputs (plain, (const char *const *) values->pdata, values->len);
  data = g_bytes_get_data (model, &size);

  options = new_options (self, error);
  if (options == NULL)
    return FALSE;
  opened = check (self, CALL (self, ADD_CONFIG, ConfigFunc) (options, EXTERNAL_FOLDER, folder),
                  error) &&
           check (self,
                  CALL (self, CREATE_SESSION_FROM_ARRAY,
                        SessionFromArrayFunc) (self->env, data, size, options, &self->observing),
                  error);
  CALL (self, RELEASE_OPTIONS, ReleaseFunc) (options);
  g_free (self->observed);
  self->observed = g_strdup (names->str);

  return opened;
}

/* The numbers of element types are those of ONNX where a tensor is made. Where one is read, the
 * last three have an order of their own. */
static AssayDType
type_from_runtime (int type)
{
  static const AssayDType last[] = { ASSAY_DTYPE_U2, ASSAY_DTYPE_I2, ASSAY_DTYPE_F8E8M0 };
  int place = type - ASSAY_DTYPE_F4E2M1 - 1;

  if (place >= 0 && place < (int) G_N_ELEMENTS (last))
    return last[place];

  return assay_dtype_is_known (type) ? (AssayDType) type : ASSAY_DTYPE_UNDEFINED;
}

/* All strings lie one behind the other, with the places where they begin. */
static AssayTensor *
read_strings (AssayOnnxruntime *self, gpointer value, guint rank, const gint64 *dims, gsize n,
              GError **error)
{
  g_autoptr (GPtrArray) strings = g_ptr_array_new_with_free_func ((GDestroyNotify) g_bytes_unref);
  g_autofree char *text = NULL;
  g_autofree gsize *places = NULL;
  gsize size = 0;

  if (!check (self, CALL (self, STRINGS_SIZE, GetSizeFunc) (value, &size), error))
    return NULL;
  text = g_malloc (size + 1);
  places = g_new (gsize, n + 1);
  if (!check (self, CALL (self, STRINGS, GetStringsFunc) (value, text, size, places, n), error))
    return NULL;
  places[n] = size;
  for (gsize i = 0; i < n; i++)
    g_ptr_array_add (strings, g_bytes_new (text + places[i], places[i + 1] - places[i]));

  return assay_tensor_new_strings (rank, dims, strings, error);
}

static AssayTensor *
read_tensor (AssayOnnxruntime *self, gpointer value, const char *name, GError **error)
{
  g_autoptr (GBytes) bytes = NULL;
  gint64 dims[ASSAY_MAX_RANK];
  gpointer info = NULL;
  gpointer data = NULL;
  gsize rank = 0, n_elements, n_bytes;
  int type = 0;
  AssayDType dtype;
  gboolean known;

  if (!check (self, CALL (self, TENSOR_INFO, GetPointerFunc) (value, &info), error))
    return NULL;
  known = check (self, CALL (self, ELEMENT_TYPE, GetIntFunc) (info, &type), error) &&
          check (self, CALL (self, DIMENSIONS_COUNT, GetSizeFunc) (info, &rank), error) &&
          rank <= ASSAY_MAX_RANK &&
          check (self, CALL (self, DIMENSIONS, GetDimensionsFunc) (info, dims, rank), error);
  CALL (self, RELEASE_TENSOR_INFO, ReleaseFunc) (info);
  if (!known)
    return NULL;

  dtype = type_from_runtime (type);
  known = dtype != ASSAY_DTYPE_UNDEFINED && assay_dims_count ((guint) rank, dims, &n_elements);
  if (known && dtype == ASSAY_DTYPE_STRING)
    return read_strings (self, value, (guint) rank, dims, n_elements, error);
  if (!known || !assay_dtype_byte_size (dtype, n_elements, &n_bytes))
    {
      g_set_error (error, ASSAY_ERROR, ASSAY_ERROR_UNSUPPORTED,
                   "%s has element type %d, which Assay does not know", name, type);
      return NULL;
    }
  if (!check (self, CALL (self, TENSOR_DATA, GetPointerFunc) (value, &data), error))
    return NULL;
  bytes = g_bytes_new (data, n_bytes);

  return assay_tensor_new (dtype, (guint) rank, dims, bytes, error);
}

/* A tensor is one part without a name; an optional without a value is no value at all. */
static gboolean
read_value (AssayOnnxruntime *self, gpointer value, const char *part, const char *name,
            AssayRunParts *parts, GError **error)
{
  gpointer allocator = NULL;
  gsize n_items = 0;
  int type = 0;
  int has_value = value != NULL;

  /* What has no value has no type either, and the library crashes if it is asked for it. */
  if (has_value && self->has_optionals &&
      !check (self, CALL (self, HAS_VALUE, GetIntFunc) (value, &has_value), error))
    return FALSE;
  if (!has_value)
    {
      assay_run_parts_add_empty (parts, part);
      return TRUE;
    }
  if (!check (self, CALL (self, VALUE_TYPE, GetIntFunc) (value, &type), error))
    return FALSE;
  if (type == VALUE_IS_TENSOR)
    {
      g_autoptr (AssayTensor) tensor = read_tensor (self, value, name, error);

      if (tensor != NULL)
        assay_run_parts_add (parts, part, tensor);
      return tensor != NULL;
    }
  if (type != VALUE_IS_SEQUENCE && type != VALUE_IS_MAP)
    {
      g_set_error (error, ASSAY_ERROR, ASSAY_ERROR_UNSUPPORTED, "%s is no tensor, sequence or map",
                   name);
      return FALSE;
    }

  if (!check (self, CALL (self, DEFAULT_ALLOCATOR, CreateFunc) (&allocator), error) ||
      !check (self, CALL (self, VALUE_COUNT, GetSizeFunc) (value, &n_items), error))
    return FALSE;
  for (gsize i = 0; i < n_items; i++)
    {
      g_autofree char *number = g_strdup_printf ("%" G_GSIZE_FORMAT, i);
      const char *item = type == VALUE_IS_SEQUENCE ? number : i == 0 ? "keys" : "values";
      g_autofree char *full = assay_run_parts_join (part, item);
      gpointer inner = NULL;
      gboolean read;

      if (!check (self, CALL (self, VALUE, GetValueFunc) (value, (int) i, allocator, &inner),
                  error))
        return FALSE;
      read = read_value (self, inner, full, name, parts, error);
      CALL (self, RELEASE_VALUE, ReleaseFunc) (inner);
      if (!read)
        return FALSE;
    }
  if (n_items == 0)
    assay_run_parts_add_empty (parts, part);

  return TRUE;
}

/* ONNX Runtime keeps strings of its own, which end with a zero. */
static gboolean
make_strings (AssayOnnxruntime *self, AssayTensor *tensor, gpointer *value, GError **error)
{
  GPtrArray *strings = assay_tensor_get_strings (tensor);
  g_autoptr (GPtrArray) texts = g_ptr_array_new_with_free_func (g_free);
  gpointer allocator = NULL;

  for (guint i = 0; i < strings->len; i++)
    {
      gsize n;
      const char *text = g_bytes_get_data (g_ptr_array_index (strings, i), &n);

      g_ptr_array_add (texts, g_strndup (text != NULL ? text : "", n));
    }

  return check (self, CALL (self, DEFAULT_ALLOCATOR, CreateFunc) (&allocator), error) &&
         check (self,
                CALL (self, CREATE_OWN_TENSOR,
                      OwnTensorFunc) (allocator, assay_tensor_get_dims (tensor),
                                      assay_tensor_get_rank (tensor), ASSAY_DTYPE_STRING, value),
                error) &&
         (texts->len == 0 || check (self,
                                    CALL (self, SET_STRINGS, StringsFunc) (
                                        *value, (const char *const *) texts->pdata, texts->len),
                                    error));
}

/* An input is read only, though the API has no word for it. */
static gboolean
make_input (AssayOnnxruntime *self, AssayTensor *tensor, gpointer *value, GError **error)
{
  gsize n_bytes = 0;
  gconstpointer data;

  if (assay_tensor_get_dtype (tensor) == ASSAY_DTYPE_STRING)
    return make_strings (self, tensor, value, error);

  data = assay_tensor_get_data (tensor, &n_bytes, error);
  if (data == NULL && assay_tensor_get_n_bytes (tensor) > 0)
    return FALSE;

  return check (self,
                CALL (self, CREATE_TENSOR,
                      TensorFunc) (self->memory, data != NULL ? (gpointer) data : value, n_bytes,
                                   assay_tensor_get_dims (tensor), assay_tensor_get_rank (tensor),
                                   (int) assay_tensor_get_dtype (tensor), value),
                error);
}

static gboolean
make_inputs (AssayOnnxruntime *self, GPtrArray *names, GPtrArray *tensors, gpointer *inputs,
             GError **error)
{
  for (guint i = 0; i < tensors->len; i++)
    {
      if (make_input (self, g_ptr_array_index (tensors, i), &inputs[i], error))
        continue;
      g_prefix_error (error, "input %s: ", (const char *) g_ptr_array_index (names, i));
      return FALSE;
    }

  return TRUE;
}

static void
release_values (AssayOnnxruntime *self, gpointer *values, guint n)
{
  for (guint i = 0; i < n; i++)
    {
      if (values[i] != NULL)
        CALL (self, RELEASE_VALUE, ReleaseFunc) (values[i]);
    }
}

static gint64
now (void)
{
  struct timespec time;

  clock_gettime (CLOCK_MONOTONIC, &time);

  return (gint64) time.tv_sec * 1000000000 + time.tv_nsec;
}

/**
 * assay_onnxruntime_run:
 * @self: the library with a model
 * @names: (element-type utf8): names of the inputs
 * @tensors: (element-type AssayTensor): their values
 * @outputs: (element-type utf8): names of the outputs that are wanted
 * @values: (element-type utf8): names of the values between that are wanted
 * @latency: (out): nanoseconds of the run
 * @error: return location for a #GError
 *
 * Runs the model once.
 *
 * Returns: (transfer full) (nullable) (element-type AssayRunParts): the outputs, then the
 * values; a tensor is one part without a name
 */
GPtrArray *
assay_onnxruntime_run (AssayOnnxruntime *self, GPtrArray *names, GPtrArray *tensors,
                       GPtrArray *outputs, GPtrArray *values, gint64 *latency, GError **error)
{
  guint n = outputs->len + values->len;
  g_autofree gpointer *inputs = g_new0 (gpointer, tensors->len + 1);
  g_autofree gpointer *results = g_new0 (gpointer, n + 1);
  g_autofree const char **wanted = g_new0 (const char *, n + 1);
  g_autoptr (GPtrArray)
      found = g_ptr_array_new_with_free_func ((GDestroyNotify) assay_run_parts_free);
  gboolean ok;
  gint64 begin;

  if (values->len > 0 && !open_observing (self, values, error))
    return NULL;
  for (guint i = 0; i < n; i++)
    wanted[i] = i < outputs->len ? g_ptr_array_index (outputs, i)
                                 : g_ptr_array_index (values, i - outputs->len);

  ok = make_inputs (self, names, tensors, inputs, error);
  begin = now ();
  ok = ok && check (self,
                    CALL (self, RUN, RunFunc) (values->len > 0 ? self->observing : self->session,
                                               NULL, (const char *const *) names->pdata, inputs,
                                               tensors->len, wanted, n, results),
                    error);
  *latency = now () - begin;

  for (guint i = 0; ok && i < n; i++)
    {
      AssayRunParts *parts = assay_run_parts_new ();

      g_ptr_array_add (found, parts);
      ok = read_value (self, results[i], "", wanted[i], parts, error);
    }

  release_values (self, inputs, tensors->len);
  release_values (self, results, n);

  return ok ? g_steal_pointer (&found) : NULL;
}
