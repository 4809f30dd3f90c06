/* assay-nnir-parts.c
 * SPDX-License-Identifier: Apache-2.0
 *
 * Inputs and outputs that are sequences, optionals or maps, as the tensors that they are made of.
 */
#include <string.h>

#include "api/assay-nnir-private.h"
#include "base/assay-error.h"
#include "base/assay-sentence.h"

static const char *const kind_names[] = {
  [ASSAY_TYPE_KIND_UNKNOWN] = "unknown",      [ASSAY_TYPE_KIND_TENSOR] = "tensor",
  [ASSAY_TYPE_KIND_SPARSE_TENSOR] = "sparse", [ASSAY_TYPE_KIND_SEQUENCE] = "sequence",
  [ASSAY_TYPE_KIND_OPTIONAL] = "optional",    [ASSAY_TYPE_KIND_MAP] = "map",
  [ASSAY_TYPE_KIND_OPAQUE] = "opaque",
};

static char **
list_kinds (const AssayType *type)
{
  GPtrArray *kinds = g_ptr_array_new ();

  for (; type != NULL; type = type->element)
    g_ptr_array_add (kinds, g_strdup (kind_names[type->kind]));
  g_ptr_array_add (kinds, NULL);

  return (char **) g_ptr_array_free (kinds, FALSE);
}

/**
 * assay_nnir_input_kinds:
 * @self: a model
 * @input_index: which input, less than assay_nnir_num_inputs()
 *
 * Tells what an input is: `tensor`, or from the outside to the inside `sequence`, `optional` or
 * `map` and what that holds.
 *
 * Returns: (transfer full) (array zero-terminated=1): the kinds
 */
char **
assay_nnir_input_kinds (AssayNnir *self, guint input_index)
{
  const AssayValue *value;

  g_return_val_if_fail (ASSAY_IS_NNIR (self) && assay_nnir_is_whole (self, NULL), NULL);
  value = assay_nnir_find_input (self, input_index);
  g_return_val_if_fail (value != NULL, NULL);

  return list_kinds (value->type);
}

/**
 * assay_nnir_output_kinds:
 * @self: a model
 * @output_index: which output, less than assay_nnir_num_outputs()
 *
 * Tells what an output is, as assay_nnir_input_kinds() does.
 *
 * Returns: (transfer full) (array zero-terminated=1): the kinds
 */
char **
assay_nnir_output_kinds (AssayNnir *self, guint output_index)
{
  const AssayRegion *region;
  AssayValueId id;
  AssayGraph *graph;

  g_return_val_if_fail (ASSAY_IS_NNIR (self) && assay_nnir_is_whole (self, NULL), NULL);
  g_return_val_if_fail (output_index < assay_nnir_num_outputs (self), NULL);

  graph = assay_nnir_get_imported (self);
  region = assay_graph_region (graph, ASSAY_MAIN_REGION);
  id = g_array_index (region->outputs, AssayValueId, output_index);

  return list_kinds (id == ASSAY_NO_VALUE ? &assay_type_unknown
                                          : assay_graph_value (graph, id)->type);
}

/* What `1.value.0` is to the inputs of a run: `NAME[value.0]`. */
static char *
part_name (AssayNnir *self, const char *part, GError **error)
{
  const char *dot = strchr (part, '.');
  g_autofree char *number = g_strndup (part, dot != NULL ? (gsize) (dot - part) : strlen (part));
  guint64 index;
  const AssayValue *value;

  if (!g_ascii_string_to_unsigned (number, 10, 0, G_MAXUINT, &index, NULL) ||
      (value = assay_nnir_find_input (self, (guint) index)) == NULL)
    {
      g_set_error (error, ASSAY_ERROR, ASSAY_ERROR_INVALID,
                   "part %s: expected the index of an input, such as 0, 1.0 or 1.value", part);
      return NULL;
    }

  return dot == NULL ? g_strdup (value->name) : g_strdup_printf ("%s[%s]", value->name, dot + 1);
}

/**
 * assay_nnir_open_inputs:
 * @self: a model that is not streaming
 * @parts: (array zero-terminated=1): which input each tensor is, and of an input that is a sequence
 * or an optional which part of it: `0`, `1.0`, `1.value`, `1.value.0`, or `1.empty` and
 * `1.value.empty` of what holds nothing
 * @tensors: (array length=n_tensors): what is to go in; anything for what holds nothing
 * @n_tensors: how many
 * @error: return location for a #GError
 *
 * Makes a model of tensors of one that takes sequences and optionals: their parts are its inputs,
 * as many as there are tensors, and nodes in front put them together. What holds nothing has no
 * input any more.
 *
 * Returns: (transfer full): the model, this one if it takes nothing but tensors; or %NULL with
 * %ASSAY_ERROR_INVALID for parts that do not exist
 */
AssayNnir *
assay_nnir_open_inputs (AssayNnir *self, const char *const *parts, AssayTensor *const *tensors,
                        gsize n_tensors, GError **error)
{
  g_autoptr (AssayRunInputs) inputs = assay_run_inputs_new ();

  g_return_val_if_fail (ASSAY_IS_NNIR (self), NULL);

  g_return_val_if_fail (parts != NULL, NULL);

  if (!assay_nnir_is_whole (self, error))
    return NULL;
  if (g_strv_length ((char **) parts) != n_tensors)
    {
      g_set_error (error, ASSAY_ERROR, ASSAY_ERROR_INVALID,
                   "%u part%s for %" G_GSIZE_FORMAT " tensor%s", g_strv_length ((char **) parts),
                   assay_plural (g_strv_length ((char **) parts)), n_tensors,
                   assay_plural (n_tensors));
      return NULL;
    }
  for (gsize i = 0; i < n_tensors; i++)
    {
      g_autofree char *name = part_name (self, parts[i], error);

      if (name == NULL)
        return NULL;
      if (tensors[i] == NULL)
        {
          g_set_error (error, ASSAY_ERROR, ASSAY_ERROR_INVALID, "part %s: no tensor", parts[i]);
          return NULL;
        }
      assay_run_inputs_set_tensor (inputs, name, tensors[i]);
    }

  return assay_nnir_with_inputs (self, inputs, error);
}

/**
 * assay_nnir_run_parts_on:
 * @self: a model
 * @runner: as for assay_nnir_run_on()
 * @inputs: (array length=n_inputs): as for assay_nnir_run_on()
 * @n_inputs: how many
 * @cancellable: (nullable): stops it from another thread
 * @parts: (out) (transfer full) (array zero-terminated=1): which output each tensor is, and of one
 * that is no tensor which part of it: `0`, `1.0`, `1.keys`, `1.values`, `1.value`, or `1.empty` of
 * what holds nothing, whose tensor says nothing
 * @error: return location for a #GError
 *
 * Runs the model as it is in its file, and tells what the tensors are that come out.
 *
 * Returns: (transfer container) (element-type AssayTensor): the outputs, or %NULL with an error as
 * of assay_nnir_run_on()
 */
GPtrArray *
assay_nnir_run_parts_on (AssayNnir *self, const char *runner, AssayTensor *const *inputs,
                         gsize n_inputs, GCancellable *cancellable, char ***parts, GError **error)
{
  *parts = NULL;
  g_return_val_if_fail (ASSAY_IS_NNIR (self), NULL);
  g_return_val_if_fail (runner != NULL, NULL);

  return assay_nnir_run (self, runner, inputs, n_inputs, cancellable, parts, error);
}
