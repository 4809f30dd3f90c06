/* ort-api.c
 * SPDX-License-Identifier: Apache-2.0
 *
 * The library exports OrtGetApiBase; the table behind it is fixed from version 1 on, so that no
 * header is needed.
 */
#include "ort-api.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum
{
  GET_ERROR_MESSAGE = 2,
  CREATE_ENV = 3,
  CREATE_SESSION = 7,
  RUN = 9,
  CREATE_SESSION_OPTIONS = 10,
  SET_INTRA_OP_THREADS = 24,
  GET_INPUT_COUNT = 30,
  GET_OUTPUT_COUNT = 31,
  GET_INPUT_TYPE = 33,
  GET_OUTPUT_TYPE = 34,
  GET_INPUT_NAME = 36,
  GET_OUTPUT_NAME = 37,
  CREATE_TENSOR_WITH_DATA = 49,
  GET_TENSOR_DATA = 51,
  CAST_TYPE_TO_TENSOR = 55,
  GET_DIMENSIONS_COUNT = 61,
  GET_DIMENSIONS = 62,
  CREATE_CPU_MEMORY_INFO = 69,
  GET_ALLOCATOR = 78,
  RELEASE_VALUE = 96,
};

#define LOG_LEVEL_FATAL 4
#define MAX_PORTS 64
#define MAX_RANK 8
#define ELEMENT_FLOAT 1

typedef struct
{
  void *const *(*get_api) (guint32 version);
  const char *(*get_version) (void);
} ApiBase;

typedef struct
{
  char *name;
  float *data;
  gsize n;
  void *value;
} Port;

struct _OrtModel
{
  void *const *api;
  void *session;
  Port inputs[MAX_PORTS];
  Port outputs[MAX_PORTS];
  gsize n_inputs;
  gsize n_outputs;
  gboolean fresh_outputs; /* made by each run */
};

static void
check (void *const *api, void *status)
{
  const char *(*message) (void *) = NULL;

  if (status == NULL)
    return;

  *(void **) &message = api[GET_ERROR_MESSAGE];
  fprintf (stderr, "ort: %s\n", message (status));
  exit (EXIT_FAILURE);
}

#define FUNCTION(name, slot, ...)                                                                  \
  void *(*name) (__VA_ARGS__) = NULL;                                                              \
  *(void **) &name = api[slot]

static void
open_port (OrtModel *self, Port *port, gsize index, int name_slot, int type_slot, void *memory)
{
  void *const *api = self->api;
  FUNCTION (get_allocator, GET_ALLOCATOR, void **);
  FUNCTION (get_name, name_slot, void *, gsize, void *, char **);
  FUNCTION (get_type, type_slot, void *, gsize, void **);
  FUNCTION (cast, CAST_TYPE_TO_TENSOR, void *, const void **);
  FUNCTION (get_rank, GET_DIMENSIONS_COUNT, const void *, gsize *);
  FUNCTION (get_dims, GET_DIMENSIONS, const void *, gint64 *, gsize);
  FUNCTION (create_tensor, CREATE_TENSOR_WITH_DATA, void *, void *, gsize, const gint64 *, gsize,
            int, void **);
  void *allocator, *type;
  const void *tensor;
  gint64 dims[MAX_RANK];
  gsize rank;

  check (api, get_allocator (&allocator));
  check (api, get_name (self->session, index, allocator, &port->name));
  check (api, get_type (self->session, index, &type));
  check (api, cast (type, &tensor));
  check (api, get_rank (tensor, &rank));
  g_assert_cmpuint (rank, <=, MAX_RANK);
  check (api, get_dims (tensor, dims, rank));

  port->n = 1;
  for (gsize i = 0; i < rank; i++)
    port->n *= (gsize) dims[i];
  port->data = g_aligned_alloc0 (port->n, sizeof (float), 64);
  check (api, create_tensor (memory, port->data, port->n * sizeof (float), dims, rank,
                             ELEMENT_FLOAT, &port->value));
}

/* A session, and the memory that tensors are in. */
static OrtModel *
open_session (const char *library, const char *path, guint n_threads, void **memory)
{
  OrtModel *self = g_new0 (OrtModel, 1);
  void *handle = dlopen (library, RTLD_NOW | RTLD_LOCAL);
  const ApiBase *(*get_base) (void) = NULL;
  void *const *api = NULL;
  void *env, *options;

  if (handle != NULL)
    *(void **) &get_base = dlsym (handle, "OrtGetApiBase");
  if (get_base == NULL || (api = get_base ()->get_api (18)) == NULL)
    {
      fprintf (stderr, "ort: %s: not ONNX Runtime: %s\n", library,
               handle == NULL ? dlerror () : "no such version");
      exit (EXIT_FAILURE);
    }

  self->api = api;
  {
    FUNCTION (create_env, CREATE_ENV, int, const char *, void **);
    FUNCTION (create_options, CREATE_SESSION_OPTIONS, void **);
    FUNCTION (set_threads, SET_INTRA_OP_THREADS, void *, int);
    FUNCTION (create_session, CREATE_SESSION, void *, const char *, void *, void **);
    FUNCTION (count_inputs, GET_INPUT_COUNT, void *, gsize *);
    FUNCTION (count_outputs, GET_OUTPUT_COUNT, void *, gsize *);
    FUNCTION (create_memory, CREATE_CPU_MEMORY_INFO, int, int, void **);

    check (api, create_env (LOG_LEVEL_FATAL, "bench", &env));
    check (api, create_options (&options));
    check (api, set_threads (options, (int) n_threads));
    check (api, create_session (env, path, options, &self->session));
    check (api, create_memory (0, 0, memory));
    check (api, count_inputs (self->session, &self->n_inputs));
    check (api, count_outputs (self->session, &self->n_outputs));
  }
  g_assert_cmpuint (MAX (self->n_inputs, self->n_outputs), <=, MAX_PORTS);

  return self;
}

/**
 * ort_model_open:
 * @library: file name of the ONNX Runtime library
 * @path: a model whose inputs and outputs are float tensors of known shapes
 * @n_threads: threads within an operation
 *
 * Opens a model; ends the program if that fails. What it takes lives as long as the program.
 *
 * Returns: (transfer none): the model
 */
OrtModel *
ort_model_open (const char *library, const char *path, guint n_threads)
{
  void *memory;
  OrtModel *self = open_session (library, path, n_threads, &memory);

  for (gsize i = 0; i < self->n_inputs; i++)
    open_port (self, &self->inputs[i], i, GET_INPUT_NAME, GET_INPUT_TYPE, memory);
  for (gsize i = 0; i < self->n_outputs; i++)
    open_port (self, &self->outputs[i], i, GET_OUTPUT_NAME, GET_OUTPUT_TYPE, memory);

  return self;
}

/**
 * ort_model_open_given:
 * @library: file name of the ONNX Runtime library
 * @path: a model
 * @n_inputs: number of its inputs
 * @inputs: (array length=n_inputs): their values, in the order of the model
 *
 * Opens a model of any shape with one thread; ends the program if that fails. Its outputs are made
 * anew by each run.
 *
 * Returns: (transfer none): the model
 */
OrtModel *
ort_model_open_given (const char *library, const char *path, gsize n_inputs, const OrtInput *inputs)
{
  void *memory;
  OrtModel *self = open_session (library, path, 1, &memory);
  void *const *api = self->api;
  FUNCTION (get_allocator, GET_ALLOCATOR, void **);
  FUNCTION (get_input_name, GET_INPUT_NAME, void *, gsize, void *, char **);
  FUNCTION (get_output_name, GET_OUTPUT_NAME, void *, gsize, void *, char **);
  FUNCTION (create_tensor, CREATE_TENSOR_WITH_DATA, void *, const void *, gsize, const gint64 *,
            gsize, int, void **);
  void *allocator;

  g_assert_cmpuint (self->n_inputs, ==, n_inputs);
  check (api, get_allocator (&allocator));
  for (gsize i = 0; i < n_inputs; i++)
    {
      check (api, get_input_name (self->session, i, allocator, &self->inputs[i].name));
      check (api, create_tensor (memory, inputs[i].data, inputs[i].n_bytes, inputs[i].dims,
                                 inputs[i].rank, inputs[i].element, &self->inputs[i].value));
    }
  for (gsize i = 0; i < self->n_outputs; i++)
    check (api, get_output_name (self->session, i, allocator, &self->outputs[i].name));
  self->fresh_outputs = TRUE;

  return self;
}

/**
 * ort_model_run:
 * @self: a model
 *
 * Runs it on what its inputs hold.
 */
void
ort_model_run (OrtModel *self)
{
  void *const *api = self->api;
  FUNCTION (run, RUN, void *, const void *, const char *const *, const void *const *, gsize,
            const char *const *, gsize, void **);
  const char *input_names[MAX_PORTS], *output_names[MAX_PORTS];
  const void *inputs[MAX_PORTS];
  void *outputs[MAX_PORTS];
  void (*release) (void *) = NULL;

  *(void **) &release = api[RELEASE_VALUE];
  for (gsize i = 0; i < self->n_outputs && self->fresh_outputs; i++)
    {
      if (self->outputs[i].value != NULL)
        release (self->outputs[i].value);
      self->outputs[i].value = NULL;
    }

  for (gsize i = 0; i < self->n_inputs; i++)
    {
      input_names[i] = self->inputs[i].name;
      inputs[i] = self->inputs[i].value;
    }
  for (gsize i = 0; i < self->n_outputs; i++)
    {
      output_names[i] = self->outputs[i].name;
      outputs[i] = self->outputs[i].value;
    }

  check (api, run (self->session, NULL, input_names, inputs, self->n_inputs, output_names,
                   self->n_outputs, outputs));
  for (gsize i = 0; i < self->n_outputs; i++)
    self->outputs[i].value = outputs[i];
}

/**
 * ort_model_get_output:
 * @self: a model of ort_model_open_given() that has run
 * @index: an output of floats
 *
 * Gets the elements of an output of the last run.
 *
 * Returns: (transfer none): the elements
 */
const float *
ort_model_get_output (OrtModel *self, gsize index)
{
  void *const *api = self->api;
  FUNCTION (get_data, GET_TENSOR_DATA, void *, void **);
  void *data;

  check (api, get_data (self->outputs[index].value, &data));

  return data;
}

/* What went out as `NAME_next` comes in as `NAME` in the next step; the buffers change places. */
void
ort_model_keep_state (OrtModel *self)
{
  for (gsize i = 0; i < self->n_inputs; i++)
    {
      g_autofree char *next = g_strconcat (self->inputs[i].name, "_next", NULL);

      for (gsize j = 0; j < self->n_outputs; j++)
        {
          Port *input = &self->inputs[i];
          Port *output = &self->outputs[j];

          if (g_str_equal (output->name, next))
            {
              gpointer value = input->value;
              float *data = input->data;

              input->value = output->value;
              input->data = output->data;
              output->value = value;
              output->data = data;
            }
        }
    }
}

/**
 * ort_model_get:
 * @self: a model
 * @name: of an input or output
 * @n: (out): number of its elements
 *
 * Gets the elements of a port.
 *
 * Returns: (transfer none): the elements
 */
float *
ort_model_get (OrtModel *self, const char *name, gsize *n)
{
  for (gsize i = 0; i < self->n_inputs + self->n_outputs; i++)
    {
      Port *port = i < self->n_inputs ? &self->inputs[i] : &self->outputs[i - self->n_inputs];

      if (g_str_equal (port->name, name))
        {
          *n = port->n;
          return port->data;
        }
    }

  g_error ("ort: no port %s", name);
}
