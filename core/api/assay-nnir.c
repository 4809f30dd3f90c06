/* assay-nnir.c
 * SPDX-License-Identifier: Apache-2.0
 */
#include "api/assay-nnir-private.h"

#include "api/assay-program-builder.h"
#include "api/assay-run-once.h"
#include "base/assay-error.h"
#include "base/assay-finding.h"
#include "nnir/analysis/assay-streaming.h"
#include "nnir/text/assay-text.h"

struct _AssayNnir
{
  GObject parent_instance;

  char *path;           /* (nullable): of the file it was read from */
  AssayWork *work;      /* imported, and not changed any more: threads take copies of it */
  AssayGraph *imported; /* of the work */
  AssayGraph *streamed; /* (nullable): canonical, with the sequence axes below */
  int *input_axes;      /* as given to the transform */
  guint n_input_axes;
  int *output_axes; /* one per graph output */
};

G_DEFINE_FINAL_TYPE (AssayNnir, assay_nnir, G_TYPE_OBJECT)

static void
assay_nnir_finalize (GObject *object)
{
  AssayNnir *self = ASSAY_NNIR (object);

  g_free (self->path);
  g_clear_pointer (&self->work, assay_work_free);
  g_clear_pointer (&self->streamed, assay_graph_unref);
  g_free (self->input_axes);
  g_free (self->output_axes);

  G_OBJECT_CLASS (assay_nnir_parent_class)->finalize (object);
}

static void
assay_nnir_class_init (AssayNnirClass *klass)
{
  G_OBJECT_CLASS (klass)->finalize = assay_nnir_finalize;
}

static void
assay_nnir_init (AssayNnir *self)
{
}

/**
 * assay_nnir_is_whole: (skip)
 * @self: a model
 * @error: return location for a #GError
 *
 * Tells a model from an object that no constructor has filled, which every language can make.
 *
 * Returns: whether there is a graph; otherwise %ASSAY_ERROR_INVALID
 */
gboolean
assay_nnir_is_whole (AssayNnir *self, GError **error)
{
  if (self->imported == NULL)
    g_set_error_literal (error, ASSAY_ERROR, ASSAY_ERROR_INVALID,
                         "The model is empty; assay_nnir_from_onnx() makes one");

  return self->imported != NULL;
}

/* A program cannot be made of half a model, so the first thing that is wrong with the file is an
 * error here. */
static gboolean
report_findings (const char *path, AssayFindings *findings, GError **error)
{
  guint n_errors = assay_findings_count_at (findings, ASSAY_SEVERITY_ERROR);

  for (guint i = 0; i < assay_findings_get_count (findings); i++)
    {
      const AssayFinding *finding = assay_findings_get (findings, i);

      if (finding->severity != ASSAY_SEVERITY_ERROR)
        continue;
      g_set_error (error, ASSAY_ERROR, ASSAY_ERROR_IMPORT, "%s: %s%s%s%s", path,
                   finding->graph_path != NULL ? finding->graph_path : "",
                   finding->graph_path != NULL ? ": " : "", finding->message,
                   n_errors > 1 ? " (and more)" : "");
      return FALSE;
    }

  return TRUE;
}

/**
 * assay_nnir_from_onnx:
 * @path: an ONNX file, or one of another source, such as NNIR text
 * @override_input_shapes: (nullable) (array zero-terminated=1): one entry per input, extents
 * separated by commas, `?` or an empty entry leaves as is; needed where the file leaves extents
 * open
 * @error: return location for a #GError
 *
 * Reads a model.
 *
 * Returns: (transfer full): the model, or %NULL with %ASSAY_ERROR_IMPORT, %ASSAY_ERROR_INVALID or
 * %ASSAY_ERROR_IO
 */
AssayNnir *
assay_nnir_from_onnx (const char *path, const char *const *override_input_shapes, GError **error)
{
  g_autoptr (AssaySettings) settings = NULL;
  g_autoptr (AssayNnir) self = NULL;

  g_return_val_if_fail (path != NULL, NULL);

  self = g_object_new (ASSAY_TYPE_NNIR, NULL);
  assay_settings_set_list (&settings, ASSAY_SETTING_SHAPES, override_input_shapes);
  self->path = g_strdup (path);
  self->work = assay_work_new (path, NULL, settings);
  self->imported = assay_work_get_graph (self->work, NULL, error);
  if (self->imported == NULL ||
      !report_findings (path, assay_work_get_findings (self->work), error))
    return NULL;

  return g_steal_pointer (&self);
}

/**
 * assay_nnir_get_imported: (skip)
 * @self: a model that is whole
 *
 * Gets the graph as it is in the file.
 *
 * Returns: (transfer none): the graph
 */
AssayGraph *
assay_nnir_get_imported (AssayNnir *self)
{
  return self->imported;
}

/**
 * assay_nnir_find_input: (skip)
 * @self: a model that is whole
 * @input_index: which input, parameters left out
 *
 * Finds an input.
 *
 * Returns: (transfer none) (nullable): the input, %NULL if there are not as many
 */
const AssayValue *
assay_nnir_find_input (AssayNnir *self, guint input_index)
{
  const AssayRegion *region = assay_graph_region (self->imported, ASSAY_MAIN_REGION);

  for (guint i = 0, next = 0; i < region->inputs->len; i++)
    {
      const AssayValue *value = assay_graph_value (self->imported,
                                                   g_array_index (region->inputs, AssayValueId, i));

      if (!value->is_parameter && next++ == input_index)
        return value;
    }

  return NULL;
}

static guint
count_inputs (const AssayGraph *graph)
{
  const AssayRegion *region = assay_graph_region (graph, ASSAY_MAIN_REGION);
  guint n = 0;

  for (guint i = 0; i < region->inputs->len; i++)
    n += !assay_graph_value (graph, g_array_index (region->inputs, AssayValueId, i))->is_parameter;

  return n;
}

/**
 * assay_nnir_streaming_transform:
 * @self: a model that has not been transformed yet
 * @axes: (array length=n_axes): the sequence axis of each input, -1 for an input that has none
 * @n_axes: number of entries: one per input
 * @output_axes: (out) (optional) (transfer full) (array length=n_output_axes): the axis of each
 * output that was the sequence, -1 for none: stack the outputs of single timesteps along it
 * @n_output_axes: (out) (optional): number of entries: one per output
 * @error: return location for a #GError
 *
 * Makes a model that takes one timestep at a time and keeps its state between inferences; output i
 * of it equals element i of the output of this one, to the bit.
 *
 * Returns: (transfer full): the model, or %NULL with %ASSAY_ERROR_UNSUPPORTED naming the node that
 * needs more than the present and the past, or with %ASSAY_ERROR_INVALID for axes that do not exist
 */
AssayNnir *
assay_nnir_streaming_transform (AssayNnir *self, const int *axes, gsize n_axes, int **output_axes,
                                gsize *n_output_axes, GError **error)
{
  g_autoptr (AssayNnir) result = NULL;
  g_autoptr (AssayWork) work = NULL;
  AssayGraph *graph;
  g_autoptr (AssayStreaming) streaming = NULL;

  if (output_axes != NULL)
    *output_axes = NULL;
  if (n_output_axes != NULL)
    *n_output_axes = 0;
  g_return_val_if_fail (ASSAY_IS_NNIR (self), NULL);

  if (!assay_nnir_is_whole (self, error))
    return NULL;
  if (self->streamed != NULL)
    {
      g_set_error (error, ASSAY_ERROR, ASSAY_ERROR_INVALID,
                   "The model is streaming already; transform the one it came from");
      return NULL;
    }
  if (n_axes != count_inputs (self->imported))
    {
      g_set_error (error, ASSAY_ERROR, ASSAY_ERROR_INVALID,
                   "%" G_GSIZE_FORMAT " streaming axes for %u inputs; one for each "
                   "expected, -1 for an input without a sequence",
                   n_axes, count_inputs (self->imported));
      return NULL;
    }

  work = assay_work_copy (self->work);
  graph = assay_work_get_form (work, NULL, NULL, error);
  if (graph == NULL)
    return NULL;
  streaming = assay_graph_trace_streaming (graph, axes, (guint) n_axes, error);
  if (streaming == NULL)
    return NULL;
  if (streaming->refusals->len > 0)
    {
      const AssayStreamingRefusal *refusal = &g_array_index (streaming->refusals,
                                                             AssayStreamingRefusal, 0);
      g_autofree char *node = assay_graph_node_path (graph, refusal->node);

      g_set_error (error, ASSAY_ERROR, ASSAY_ERROR_UNSUPPORTED, "%s: %s", node, refusal->text);
      return NULL;
    }

  result = g_object_new (ASSAY_TYPE_NNIR, NULL);
  result->path = g_strdup (self->path);
  result->work = g_steal_pointer (&work);
  result->imported = self->imported;
  result->streamed = assay_graph_ref (graph);
  result->input_axes = g_memdup2 (axes, n_axes * sizeof *axes);
  result->n_input_axes = (guint) n_axes;
  result->output_axes = g_memdup2 (streaming->output_axes, streaming->n_outputs * sizeof (int));

  if (output_axes != NULL)
    *output_axes = g_memdup2 (streaming->output_axes, streaming->n_outputs * sizeof (int));
  if (n_output_axes != NULL)
    *n_output_axes = streaming->n_outputs;

  return g_steal_pointer (&result);
}

/**
 * assay_nnir_to_program:
 * @self: a model, streaming or not, every extent known
 * @config: the hardware
 * @name: (nullable): name of the model in the program; %NULL takes that of the graph
 * @error: return location for a #GError
 *
 * Compiles a model.
 *
 * Returns: (transfer full): the program, or %NULL with %ASSAY_ERROR_ALLOCATION if a store of the
 * hardware is too small, or %ASSAY_ERROR_UNSUPPORTED
 */
AssayProgram *
assay_nnir_to_program (AssayNnir *self, AssayConfig *config, const char *name, GError **error)
{
  return assay_nnir_to_program_full (self, config, name, NULL, NULL, error);
}

/**
 * assay_nnir_to_program_full:
 * @self: a model, streaming or not, every extent known
 * @config: the hardware
 * @name: (nullable): name of the model in the program; %NULL takes that of the graph
 * @options: (nullable): how it is compiled; %NULL for the defaults
 * @cancellable: (nullable): cancels the compilation
 * @error: return location for a #GError
 *
 * Compiles a model with options.
 *
 * Returns: (transfer full): the program, or %NULL with %ASSAY_ERROR_ALLOCATION if a store of the
 * hardware is too small, with %ASSAY_ERROR_UNSUPPORTED, %ASSAY_ERROR_INVALID for options that name
 * what does not exist, or %ASSAY_ERROR_CANCELLED
 */
AssayProgram *
assay_nnir_to_program_full (AssayNnir *self, AssayConfig *config, const char *name,
                            AssayOptions *options, GCancellable *cancellable, GError **error)
{
  g_autoptr (AssayProgramBuilder) builder = NULL;

  g_return_val_if_fail (ASSAY_IS_NNIR (self), NULL);
  g_return_val_if_fail (ASSAY_IS_CONFIG (config), NULL);

  if (!assay_nnir_is_whole (self, error))
    return NULL;
  builder = assay_program_builder_new (config);
  assay_program_builder_add_nnir (builder, self, name, options);

  return assay_program_builder_to_program (builder, cancellable, error);
}

/**
 * assay_nnir_get_work: (skip)
 * @self: a model
 * @target: (nullable): the target
 * @settings: (nullable): how it is checked and compiled
 *
 * Makes work of the model; what it looks like for compilers is shared.
 *
 * Returns: (transfer full): the work
 */
AssayWork *
assay_nnir_get_work (AssayNnir *self, AssayTarget *target, AssaySettings *settings)
{
  g_autoptr (AssayWork) work = assay_work_with_graph (self->work, self->imported, settings);

  assay_findings_append (assay_work_get_findings (work), assay_work_get_findings (self->work));

  return target != NULL ? assay_work_with_target (work, target, settings) : g_steal_pointer (&work);
}

/**
 * assay_nnir_get_label: (skip)
 * @self: a model
 *
 * Gets what reports call the model.
 *
 * Returns: (transfer none): the path of its file, or the name of its graph
 */
const char *
assay_nnir_get_label (AssayNnir *self)
{
  return self->path != NULL ? self->path : self->imported->name;
}

/**
 * assay_nnir_new_for_graph: (skip)
 * @graph: a model as imported, or with fixes
 *
 * Makes a model that is in no file.
 *
 * Returns: (transfer full): the model
 */
AssayNnir *
assay_nnir_new_for_graph (AssayGraph *graph)
{
  AssayNnir *self = g_object_new (ASSAY_TYPE_NNIR, NULL);

  self->work = assay_work_new_for_graph (NULL, graph, NULL, NULL);
  self->imported = assay_work_get_graph (self->work, NULL, NULL);

  return self;
}

/**
 * assay_nnir_with_inputs: (skip)
 * @self: a model
 * @inputs: what goes in
 * @error: return location for a #GError
 *
 * Lets tensors go in where the model takes sequences of them and optionals.
 *
 * Returns: (transfer full): the model, this one if it takes nothing but tensors
 */
AssayNnir *
assay_nnir_with_inputs (AssayNnir *self, AssayRunInputs *inputs, GError **error)
{
  g_autoptr (AssayGraph) opened = assay_run_inputs_open (inputs, self->imported, error);
  AssayNnir *result;

  if (opened == NULL || opened == self->imported)
    return opened != NULL ? g_object_ref (self) : NULL;

  result = assay_nnir_new_for_graph (opened);
  result->path = g_strdup (self->path);

  return result;
}

/**
 * assay_nnir_get_streaming_axes: (skip)
 * @self: a model
 * @n_axes: (out): number of axes
 *
 * Gets the axes that are chosen to become time.
 *
 * Returns: (transfer none) (nullable) (array length=n_axes): an axis per input, or %NULL if it does
 * not stream
 */
const int *
assay_nnir_get_streaming_axes (AssayNnir *self, guint *n_axes)
{
  *n_axes = self->n_input_axes;

  return self->input_axes;
}

/**
 * assay_program_compile:
 * @nnir: a model, streaming or not, every extent known
 * @config: the hardware
 * @name: (nullable): name of the model in the program; %NULL takes that of the graph
 * @error: return location for a #GError
 *
 * Compiles a model; the same as assay_nnir_to_program().
 *
 * Returns: (transfer full): the program
 */
AssayProgram *
assay_program_compile (AssayNnir *nnir, AssayConfig *config, const char *name, GError **error)
{
  return assay_nnir_to_program (nnir, config, name, error);
}

/**
 * assay_nnir_run: (skip)
 * @self: a model
 * @runner: a runner
 * @inputs: (array length=n_inputs): its inputs
 * @n_inputs: how many
 * @cancellable: (nullable): stops it
 * @parts: (out) (optional): gets what the outputs are
 * @error: return location for a #GError
 *
 * Runs the model on a runner.
 *
 * Returns: (transfer container) (nullable) (element-type AssayTensor): the outputs
 */
GPtrArray *
assay_nnir_run (AssayNnir *self, const char *runner, AssayTensor *const *inputs, gsize n_inputs,
                GCancellable *cancellable, char ***parts, GError **error)
{
  g_autoptr (AssayWork) work = NULL;
  AssayRunSubject *subject;

  if (!assay_nnir_is_whole (self, error))
    return NULL;
  work = assay_work_copy (self->work);
  subject = assay_work_get_subject (work, FALSE, NULL, error);

  return subject == NULL
             ? NULL
             : assay_run_once (subject, runner, inputs, n_inputs, cancellable, parts, error);
}

/**
 * assay_nnir_run_on:
 * @self: a model
 * @runner: `reference`, `reference-fp64`, `ort`, `command:PATH`, `unconfined:PATH`
 * or `files:FOLDER`
 * @inputs: (array length=n_inputs): its inputs, of the types and shapes of the model; of a
 * streaming one the whole sequence
 * @n_inputs: how many
 * @cancellable: (nullable): stops it from another thread
 * @error: return location for a #GError
 *
 * Runs the model as it is in its file, without compiling it.
 *
 * Returns: (transfer container) (element-type AssayTensor): the outputs, or %NULL with
 * %ASSAY_ERROR_INVALID, %ASSAY_ERROR_UNSUPPORTED, %ASSAY_ERROR_DEVICE or %ASSAY_ERROR_CANCELLED
 */
GPtrArray *
assay_nnir_run_on (AssayNnir *self, const char *runner, AssayTensor *const *inputs, gsize n_inputs,
                   GCancellable *cancellable, GError **error)
{
  g_return_val_if_fail (ASSAY_IS_NNIR (self), NULL);
  g_return_val_if_fail (runner != NULL, NULL);

  return assay_nnir_run (self, runner, inputs, n_inputs, cancellable, NULL, error);
}

/**
 * assay_nnir_to_text:
 * @self: a model
 * @error: return location for a #GError
 *
 * Writes the graph as text for people, without the elements of large constants; of a streaming
 * model the canonical graph, whose values still carry the whole sequence.
 *
 * Returns: (transfer full): the text
 */
char *
assay_nnir_to_text (AssayNnir *self, GError **error)
{
  g_return_val_if_fail (ASSAY_IS_NNIR (self), NULL);

  if (!assay_nnir_is_whole (self, error))
    return NULL;
  return assay_graph_to_text (self->streamed != NULL ? self->streamed : self->imported,
                              ASSAY_TEXT_NO_DATA, error);
}

/**
 * assay_nnir_num_inputs:
 * @self: a model
 *
 * Counts the inputs, parameters left out.
 *
 * Returns: how many
 */
guint
assay_nnir_num_inputs (AssayNnir *self)
{
  g_return_val_if_fail (ASSAY_IS_NNIR (self) && assay_nnir_is_whole (self, NULL), 0);

  return count_inputs (self->imported);
}

/**
 * assay_nnir_num_outputs:
 * @self: a model
 *
 * Counts the outputs.
 *
 * Returns: how many
 */
guint
assay_nnir_num_outputs (AssayNnir *self)
{
  g_return_val_if_fail (ASSAY_IS_NNIR (self) && assay_nnir_is_whole (self, NULL), 0);

  return assay_graph_region (self->imported, ASSAY_MAIN_REGION)->outputs->len;
}

static gint64 *
shape_of (const AssayType *type, int vanishing, gsize *n_dims)
{
  int rank = MAX (type->rank, 0);
  gint64 *dims = g_new (gint64, rank + 1);

  *n_dims = 0;
  for (int i = 0; i < rank; i++)
    if (i != vanishing)
      dims[(*n_dims)++] = type->dims[i].size;

  return dims;
}

/**
 * assay_nnir_input_shape:
 * @self: a model
 * @input_index: which input, less than assay_nnir_num_inputs()
 * @n_dims: (out): number of dimensions
 *
 * Gets the shape of an input, the sequence axis left out; extents that nobody knows are negative.
 *
 * Returns: (transfer full) (array length=n_dims): the shape
 */
gint64 *
assay_nnir_input_shape (AssayNnir *self, guint input_index, gsize *n_dims)
{
  *n_dims = 0;
  g_return_val_if_fail (ASSAY_IS_NNIR (self) && assay_nnir_is_whole (self, NULL), NULL);
  g_return_val_if_fail (input_index < count_inputs (self->imported), NULL);

  return shape_of (assay_nnir_find_input (self, input_index)->type,
                   self->streamed != NULL ? self->input_axes[input_index] : -1, n_dims);
}

/**
 * assay_nnir_output_shape:
 * @self: a model
 * @output_index: which output, less than assay_nnir_num_outputs()
 * @n_dims: (out): number of dimensions
 *
 * Gets the shape of an output, the sequence axis left out; extents that nobody knows are negative.
 *
 * Returns: (transfer full) (array length=n_dims): the shape
 */
gint64 *
assay_nnir_output_shape (AssayNnir *self, guint output_index, gsize *n_dims)
{
  const AssayGraph *graph;
  AssayValueId id;

  *n_dims = 0;
  g_return_val_if_fail (ASSAY_IS_NNIR (self) && assay_nnir_is_whole (self, NULL), NULL);
  g_return_val_if_fail (output_index < assay_nnir_num_outputs (self), NULL);

  graph = self->streamed != NULL ? self->streamed : self->imported;
  id = g_array_index (assay_graph_region (graph, ASSAY_MAIN_REGION)->outputs, AssayValueId,
                      output_index);

  return shape_of (id == ASSAY_NO_VALUE ? &assay_type_unknown : assay_graph_value (graph, id)->type,
                   self->streamed != NULL ? self->output_axes[output_index] : -1, n_dims);
}
