/* assay-model-inputs.c
 * SPDX-License-Identifier: Apache-2.0
 *
 * What of a model settings can be about: its main inputs and their open dimensions.
 */
#include "document/assay-model-inputs.h"

#include <string.h>

#include "source/assay-bind-shapes.h"

static void
dimension_free (gpointer data)
{
  AssayDimension *self = data;

  g_free (self->key);
  g_free (self->title);
  g_free (self->where);
  g_free (self);
}

static void
input_free (gpointer data)
{
  AssayInput *self = data;

  g_free (self->name);
  g_free (self->shape);
  g_free (self);
}

static gboolean
is_main_input (const AssayGraph *graph, AssayValueId id)
{
  const AssayValue *value = assay_graph_value (graph, id);

  return id != ASSAY_NO_VALUE && !value->is_parameter && value->constant == NULL;
}

static void
add_dimension (GPtrArray *dimensions, GHashTable *by_key, const AssayValue *input, int axis)
{
  const AssayDim *dim = &input->type->dims[axis];
  g_autofree char *where = g_strdup_printf ("%s axis %d", input->name, axis);
  AssayDimension *dimension;

  if (dim->symbol != NULL && (dimension = g_hash_table_lookup (by_key, dim->symbol)) != NULL)
    {
      g_autofree char *before = dimension->where;
      dimension->where = g_strdup_printf ("%s, %s", before, where);
      dimension->batch |= assay_type_axis_is_batch (input->type, axis);
      return;
    }

  dimension = g_new0 (AssayDimension, 1);
  dimension->key = dim->symbol != NULL ? g_strdup (dim->symbol)
                                       : g_strdup_printf ("%s:%d", input->name, axis);
  dimension->title = g_strdup (dim->symbol != NULL ? dim->symbol : where);
  dimension->where = g_steal_pointer (&where);
  dimension->batch = assay_type_axis_is_batch (input->type, axis);
  g_hash_table_insert (by_key, dimension->key, dimension);
  g_ptr_array_add (dimensions, dimension);
}

/**
 * assay_graph_list_dimensions:
 * @graph: an imported graph
 *
 * Lists the dimensions of main inputs that are open, each symbol once.
 *
 * Returns: (transfer full) (element-type AssayDimension): the dimensions
 */
GPtrArray *
assay_graph_list_dimensions (const AssayGraph *graph)
{
  GPtrArray *dimensions = g_ptr_array_new_with_free_func (dimension_free);
  g_autoptr (GHashTable) by_key = g_hash_table_new (g_str_hash, g_str_equal);
  GArray *inputs = assay_graph_region (graph, ASSAY_MAIN_REGION)->inputs;

  for (guint i = 0; i < inputs->len; i++)
    {
      AssayValueId id = g_array_index (inputs, AssayValueId, i);
      const AssayValue *value = assay_graph_value (graph, id);

      if (!is_main_input (graph, id) || value->type->kind != ASSAY_TYPE_KIND_TENSOR)
        continue;

      for (int axis = 0; axis < value->type->rank; axis++)
        if (value->type->dims[axis].size < 0)
          add_dimension (dimensions, by_key, value, axis);
    }

  return dimensions;
}

/**
 * assay_graph_list_inputs:
 * @graph: an imported graph
 *
 * Lists the inputs that are not parameters.
 *
 * Returns: (transfer full) (element-type AssayInput): the inputs
 */
GPtrArray *
assay_graph_list_inputs (const AssayGraph *graph)
{
  GPtrArray *list = g_ptr_array_new_with_free_func (input_free);
  GArray *inputs = assay_graph_region (graph, ASSAY_MAIN_REGION)->inputs;

  for (guint i = 0; i < inputs->len; i++)
    {
      AssayValueId id = g_array_index (inputs, AssayValueId, i);
      const AssayValue *value = assay_graph_value (graph, id);
      g_autoptr (GString) shape = g_string_new (NULL);
      AssayInput *input;

      if (!is_main_input (graph, id))
        continue;

      input = g_new0 (AssayInput, 1);
      input->name = g_strdup (value->name);
      input->rank = value->type->kind == ASSAY_TYPE_KIND_TENSOR ? value->type->rank : -1;
      for (int axis = 0; axis < input->rank; axis++)
        {
          const AssayDim *dim = &value->type->dims[axis];

          if (axis > 0)
            g_string_append_c (shape, ',');
          if (dim->size >= 0)
            g_string_append_printf (shape, "%" G_GINT64_FORMAT, dim->size);
          else
            g_string_append (shape, dim->symbol != NULL ? dim->symbol : "?");
        }
      input->shape = g_strdup (shape->str);
      g_ptr_array_add (list, input);
    }

  return list;
}

static gboolean
has_dimension (GPtrArray *dimensions, const char *binding)
{
  for (guint i = 0; i < dimensions->len; i++)
    {
      const AssayDimension *dimension = g_ptr_array_index (dimensions, i);
      gsize n = strlen (dimension->key);

      if (g_str_has_prefix (binding, dimension->key) && binding[n] == '=')
        return TRUE;
    }

  return FALSE;
}

static gboolean
shape_fits (const char *shape, const AssayInput *input)
{
  g_auto (GStrv) dims = g_strsplit (shape, ",", -1);

  return (int) g_strv_length (dims) == input->rank;
}

/**
 * assay_settings_list_axes:
 * @self: settings
 * @graph: an imported graph
 *
 * Lists one axis for each input of the graph, as runners want them.
 *
 * Returns: (transfer full) (element-type int): the axes, -1 for none
 */
GArray *
assay_settings_list_axes (const AssaySettings *self, AssayGraph *graph)
{
  g_autoptr (GPtrArray) inputs = assay_graph_list_inputs (graph);
  GArray *axes = g_array_new (FALSE, FALSE, sizeof (int));

  for (guint i = 0; i < inputs->len; i++)
    {
      int axis = assay_settings_get_axis (self, i);
      g_array_append_val (axes, axis);
    }

  return axes;
}

/**
 * assay_settings_keep_known:
 * @self: (inout) (transfer full): settings, changed
 * @dimensions: (element-type AssayDimension): the open dimensions of a model
 * @inputs: (element-type AssayInput): its main inputs
 *
 * Drops sizes, shapes and axes of what the model does not have.
 */
void
assay_settings_keep_known (AssaySettings **self, GPtrArray *dimensions, GPtrArray *inputs)
{
  const char *const *sizes = assay_settings_get_list (*self, ASSAY_SETTING_BIND);
  const char *const *shapes = assay_settings_get_list (*self, ASSAY_SETTING_SHAPES);
  guint n_shapes = shapes != NULL ? g_strv_length ((char **) shapes) : 0, n_axes;
  g_autoptr (GPtrArray) known = g_ptr_array_new_with_free_func (g_free);

  for (guint i = 0; sizes != NULL && sizes[i] != NULL; i++)
    if (has_dimension (dimensions, sizes[i]))
      g_ptr_array_add (known, g_strdup (sizes[i]));
  g_ptr_array_add (known, NULL);
  assay_settings_set_list (self, ASSAY_SETTING_BIND, (const char *const *) known->pdata);

  for (guint i = n_shapes; i-- > 0;)
    {
      const char *shape = assay_settings_get_shape (*self, i);

      if (*shape != '\0' &&
          (i >= inputs->len || !shape_fits (shape, g_ptr_array_index (inputs, i))))
        assay_settings_set_shape (self, i, "", NULL);
    }

  assay_settings_get_axes (*self, &n_axes);
  for (guint i = n_axes; i-- > 0;)
    if (i >= inputs->len || assay_settings_get_axis (*self, i) >=
                                ((const AssayInput *) g_ptr_array_index (inputs, i))->rank)
      assay_settings_set_axis (self, i, -1);
}
