/* assay-upgrade-rewrite.c
 * SPDX-License-Identifier: Apache-2.0
 */
#include "source/onnx/assay-upgrade-private.h"

#include <string.h>

static gint64
int_attr (UpgradeContext *self, const char *name, gint64 fallback)
{
  const AssayAttr *attr = upgrade_attr (self, name);

  return attr != NULL && attr->kind == ASSAY_ATTR_INT ? attr->u.i : fallback;
}

static void
remove_attr (UpgradeContext *self, const char *name)
{
  assay_graph_remove_attr (self->graph, self->id, name);
}

/* Puts @n axes of extent 1 behind those of a value of rank @rank. */
static AssayValueId
append_axes (UpgradeContext *self, AssayValueId value, int rank, int n)
{
  gint64 axes[ASSAY_MAX_RANK];
  AssayValueId inputs[2] = { value, ASSAY_NO_VALUE };

  for (int i = 0; i < n; i++)
    axes[i] = rank + i;
  inputs[1] = assay_builder_ints (&self->builder, "axes", (guint) n, axes);

  return assay_builder_add (&self->builder, ASSAY_OP_Unsqueeze, "aligned", 2, inputs);
}

/* Before opset 7 the second input was aligned to an axis of the first one, to the last axes by
 * default. */
void
upgrade_broadcast (UpgradeContext *self)
{
  gboolean broadcast = int_attr (self, "broadcast", 0) != 0;
  const AssayType *a;
  const AssayType *b;
  gint64 axis;
  int behind;

  if (!broadcast || upgrade_attr (self, "axis") == NULL)
    {
      remove_attr (self, "broadcast");
      remove_attr (self, "axis");
      return;
    }

  a = upgrade_type (self, 0);
  b = upgrade_type (self, 1);
  if (a->rank < 0 || b->rank < 0)
    {
      if (self->probe != NULL)
        upgrade_refuse (self, "axis", "the ranks of the inputs are not known");
      return;
    }

  axis = int_attr (self, "axis", 0);
  axis = axis < 0 ? axis + a->rank : axis;
  if (axis < 0 || axis > a->rank || b->rank > a->rank - axis)
    {
      upgrade_refuse (self, "axis", "the second input does not fit behind this axis");
      return;
    }

  behind = a->rank - (int) axis - b->rank;
  if (behind > 0 && b->rank > 0)
    upgrade_set_input (self, 1, append_axes (self, upgrade_input (self, 1), b->rank, behind));
  remove_attr (self, "broadcast");
  remove_attr (self, "axis");
}

/* The third input is broadcast since opset 7 anyway. */
void
upgrade_gemm (UpgradeContext *self)
{
  remove_attr (self, "broadcast");
}

/* A slope for each channel was a vector. */
void
upgrade_p_relu (UpgradeContext *self)
{
  const AssayType *x = upgrade_type (self, 0);
  const AssayType *slope = upgrade_type (self, 1);

  if (x->rank < 0 || slope->rank < 0)
    {
      if (self->probe != NULL)
        upgrade_refuse (self, NULL, "the ranks of the inputs are not known");
      return;
    }

  if (slope->rank == 1 && slope->dims[0].size != 1 && x->rank > 2)
    upgrade_set_input (self, 1, append_axes (self, upgrade_input (self, 1), 1, x->rank - 2));
}

/* Before opset 13 the input was made a matrix at the axis, 1 by default, and the rows were
 * normalized. For the last axis that is the same; otherwise the matrix is made here. */
void
upgrade_softmax (UpgradeContext *self)
{
  const AssayType *x = upgrade_type (self, 0);
  gint64 axis = int_attr (self, "axis", 1);
  AssayValueId inputs[2];
  AssayValueId shape;
  AssayValueId output;

  if (x->rank < 0)
    {
      if (self->probe == NULL)
        return;
    }
  else if (axis == -1 || axis == x->rank - 1)
    {
      assay_graph_set_int (self->graph, self->id, "axis", -1);
      return;
    }

  if (upgrade_input (self, 0) == ASSAY_NO_VALUE ||
      assay_node_output (upgrade_node (self), 0) == ASSAY_NO_VALUE)
    return;

  inputs[0] = upgrade_input (self, 0);
  shape = assay_builder_add (&self->builder, ASSAY_OP_Shape, "input", 1, inputs);
  inputs[0] = assay_builder_add (&self->builder, ASSAY_OP_Flatten, "input", 1, inputs);
  assay_graph_set_int (self->graph, assay_graph_value (self->graph, inputs[0])->producer, "axis",
                       axis);

  upgrade_set_input (self, 0, inputs[0]);
  assay_graph_set_int (self->graph, self->id, "axis", -1);
  output = upgrade_divert_output (self, "rows");
  upgrade_place (self);

  inputs[0] = assay_node_output (upgrade_node (self), 0);
  inputs[1] = shape;
  assay_builder_add_to (&self->builder, ASSAY_OP_Reshape, "reshaped", 2, inputs, output);
}

static void
mark_read (UpgradeContext *self, AssayValueId value)
{
  if (value < self->n_read)
    self->read[value] = 1;
}

/* Whether anything reads a value; for all values at once when first asked. */
static gboolean
is_read (UpgradeContext *self, AssayValueId value)
{
  AssayGraph *graph = self->graph;

  if (self->read == NULL)
    {
      self->n_read = assay_graph_n_values (graph);
      self->read = assay_arena_alloc (graph->arena, self->n_read);
      memset (self->read, 0, self->n_read);

      for (AssayNodeId id = 1; id < assay_graph_n_nodes (graph); id++)
        {
          const AssayNode *node = assay_graph_node (graph, id);

          for (guint i = 0; i < node->n_inputs; i++)
            mark_read (self, node->inputs[i]);
        }

      for (AssayRegionId r = 0; r < graph->regions->len; r++)
        {
          const GArray *outputs = assay_graph_region (graph, r)->outputs;

          for (guint i = 0; i < outputs->len; i++)
            mark_read (self, g_array_index (outputs, AssayValueId, i));
        }
    }

  return value < self->n_read && self->read[value] != 0;
}

void
upgrade_batch_norm (UpgradeContext *self)
{
  AssayNode *node = assay_graph_edit_node (self->graph, self->id);
  gboolean is_test = int_attr (self, "is_test", 0) != 0;

  if (self->version < 9 && int_attr (self, "spatial", 1) == 0)
    {
      upgrade_refuse (self, "spatial",
                      "statistics of each activation are no longer in the operator");
      return;
    }

  /* Two more outputs had no meaning outside of training. */
  for (guint i = 3; i < node->n_outputs; i++)
    {
      if (node->outputs[i] != ASSAY_NO_VALUE && is_read (self, node->outputs[i]))
        {
          upgrade_refuse (self, NULL, "the saved mean and variance are no longer outputs");
          return;
        }
    }
  for (guint i = 3; i < node->n_outputs; i++)
    {
      if (node->outputs[i] == ASSAY_NO_VALUE)
        continue;

      /* Nothing reads it and now nothing writes it. */
      assay_graph_edit_value (self->graph, node->outputs[i])->kind = ASSAY_VALUE_MISSING;
      assay_graph_edit_value (self->graph, node->outputs[i])->producer = ASSAY_NO_NODE;
    }
  node->n_outputs = MIN (node->n_outputs, 3);
  while (node->n_outputs > 1 && node->outputs[node->n_outputs - 1] == ASSAY_NO_VALUE)
    node->n_outputs--;

  if (node->n_outputs > 1 && !is_test)
    assay_graph_set_int (self->graph, self->id, "training_mode", 1);
  remove_attr (self, "is_test");
  remove_attr (self, "spatial");
  remove_attr (self, "consumed_inputs");
}

/* Scale and bias were given for each group, now for each channel: each is repeated as often as a
 * group has channels. */
void
upgrade_group_norm (UpgradeContext *self)
{
  gint64 groups = int_attr (self, "num_groups", 0);
  gint64 one = 1;
  gint64 minus_one = -1;
  AssayValueId inputs[2];
  AssayValueId count;
  AssayValueId shape;
  AssayValueId axis;
  AssayValueId flat;

  if (groups < 1 || upgrade_node (self)->n_inputs < 3)
    {
      upgrade_refuse (self, "num_groups", "the number of groups or an input is missing");
      return;
    }

  inputs[0] = upgrade_input (self, 0);
  inputs[0] = assay_builder_add (&self->builder, ASSAY_OP_Shape, "channels", 1, inputs);
  assay_graph_set_int (self->graph, assay_graph_value (self->graph, inputs[0])->producer, "start",
                       1);
  assay_graph_set_int (self->graph, assay_graph_value (self->graph, inputs[0])->producer, "end", 2);
  count = assay_builder_ints (&self->builder, "groups", 1, &groups);
  inputs[1] = count;
  inputs[1] = assay_builder_add (&self->builder, ASSAY_OP_Div, "group_size", 2, inputs);
  inputs[0] = count;
  shape = assay_builder_add (&self->builder, ASSAY_OP_Concat, "group_shape", 2, inputs);
  assay_graph_set_int (self->graph, assay_graph_value (self->graph, shape)->producer, "axis", 0);

  axis = assay_builder_ints (&self->builder, "axis", 1, &one);
  flat = assay_builder_ints (&self->builder, "flat", 1, &minus_one);
  for (guint i = 1; i < 3; i++)
    {
      const char *name = i == 1 ? "scale" : "bias";

      inputs[0] = upgrade_input (self, i);
      inputs[1] = axis;
      inputs[0] = assay_builder_add (&self->builder, ASSAY_OP_Unsqueeze, name, 2, inputs);
      inputs[1] = shape;
      inputs[0] = assay_builder_add (&self->builder, ASSAY_OP_Expand, name, 2, inputs);
      inputs[1] = flat;
      upgrade_set_input (self, i,
                         assay_builder_add (&self->builder, ASSAY_OP_Reshape, name, 2, inputs));
    }
}

/* A list of strings was the table, and the type of the input said in which direction. */
void
upgrade_label_encoder (UpgradeContext *self)
{
  const AssayOpset *opset = NULL;
  const AssayAttr *classes = upgrade_attr (self, "classes_strings");
  const AssayType *x = upgrade_type (self, 0);
  g_autofree gint64 *numbers = NULL;
  AssayAttr attrs[4];
  guint n = 0;
  gboolean from_strings;

  for (guint i = 0; i < self->opsets->len; i++)
    {
      const AssayOpset *candidate = &g_array_index (self->opsets, AssayOpset, i);

      if (strcmp (candidate->domain, "ai.onnx.ml") == 0)
        opset = candidate;
    }

  if (opset == NULL || opset->version > 1 || classes == NULL || classes->kind != ASSAY_ATTR_STRINGS)
    return;

  from_strings = x->dtype == ASSAY_DTYPE_STRING;
  if (!from_strings && x->dtype != ASSAY_DTYPE_I64)
    {
      if (self->probe != NULL)
        upgrade_refuse (self, "classes_strings", "the element type of the input is not known");
      return;
    }

  numbers = g_new (gint64, classes->n + 1);
  for (guint i = 0; i < classes->n; i++)
    numbers[i] = i;

  attrs[n] = *classes;
  attrs[n++].name = assay_arena_intern (self->graph->arena,
                                        from_strings ? "keys_strings" : "values_strings");
  attrs[n++] = (AssayAttr){
    .name = assay_arena_intern (self->graph->arena, from_strings ? "values_int64s" : "keys_int64s"),
    .kind = ASSAY_ATTR_INTS,
    .n = classes->n,
    .u.ints = assay_arena_memdup (self->graph->arena, numbers, classes->n * sizeof *numbers),
  };
  if (upgrade_attr (self, "default_int64") != NULL)
    attrs[n++] = *upgrade_attr (self, "default_int64");
  if (upgrade_attr (self, "default_string") != NULL)
    attrs[n++] = *upgrade_attr (self, "default_string");

  assay_graph_set_attrs (self->graph, self->id, n, attrs);
}

/* The axes of opset 1 were those of an image, with the channels or without. */
void
upgrade_mvn (UpgradeContext *self)
{
  static const gint64 axes[3] = { 1, 2, 3 };
  gboolean across = int_attr (self, "across_channels", 0) != 0;

  if (int_attr (self, "normalize_variance", 1) == 0)
    {
      upgrade_refuse (self, "normalize_variance", "the variance is always normalized now");
      return;
    }

  assay_graph_set_ints (self->graph, self->id, "axes", across ? 3 : 2, across ? axes : axes + 1);
  remove_attr (self, "across_channels");
  remove_attr (self, "normalize_variance");
}

/* Resize had two inputs in opset 10, and one way to map coordinates. */
void
upgrade_resize (UpgradeContext *self)
{
  AssayValueId scales = upgrade_input (self, 1);

  upgrade_set_input (self, 1, ASSAY_NO_VALUE);
  upgrade_set_input (self, 2, scales);
  assay_graph_set_string (self->graph, self->id, "coordinate_transformation_mode", "asymmetric");
  assay_graph_set_string (self->graph, self->id, "nearest_mode", "floor");
}

static gboolean
is_empty (UpgradeContext *self, guint input)
{
  AssayTensor *tensor = assay_graph_constant (self->graph, upgrade_input (self, input));

  return tensor != NULL && assay_tensor_get_n_elements (tensor) == 0;
}

/* Scales had to be there until opset 13, and were empty where sizes counted; now one of the two is
 * there. */
void
upgrade_resize_sizes (UpgradeContext *self)
{
  if (upgrade_input (self, 3) == ASSAY_NO_VALUE || upgrade_input (self, 2) == ASSAY_NO_VALUE)
    return;

  if (is_empty (self, 3))
    upgrade_set_input (self, 3, ASSAY_NO_VALUE);
  else if (is_empty (self, 2) ||
           assay_graph_constant (self->graph, upgrade_input (self, 2)) == NULL)
    upgrade_set_input (self, 2, ASSAY_NO_VALUE);
}

void
upgrade_upsample (UpgradeContext *self)
{
  const AssayAttr *scales = upgrade_attr (self, "scales");
  const AssayAttr *mode = upgrade_attr (self, "mode");
  const AssayAttr *height = upgrade_attr (self, "height_scale");
  const AssayAttr *width = upgrade_attr (self, "width_scale");
  g_autofree float *values = NULL;
  gint64 n = 0;

  if (scales != NULL && scales->kind == ASSAY_ATTR_FLOATS)
    {
      n = scales->n;
      values = g_new (float, n + 1);
      for (gint64 i = 0; i < n; i++)
        values[i] = (float) scales->u.floats[i];
    }
  else if (height != NULL && width != NULL && height->kind == ASSAY_ATTR_FLOAT &&
           width->kind == ASSAY_ATTR_FLOAT)
    {
      n = 4;
      values = g_new (float, n);
      values[0] = values[1] = 1;
      values[2] = (float) height->u.f;
      values[3] = (float) width->u.f;
    }

  if (values == NULL && upgrade_input (self, 1) == ASSAY_NO_VALUE)
    {
      upgrade_refuse (self, "scales", "there are no scales");
      return;
    }

  if (mode != NULL && mode->kind == ASSAY_ATTR_STRING && strcmp (mode->u.s, "bilinear") == 0)
    assay_graph_set_string (self->graph, self->id, "mode", "linear");

  if (values != NULL)
    {
      g_autofree char *name = g_strdup_printf ("%s/scales", upgrade_node (self)->name);
      g_autoptr (AssayTensor) tensor = assay_tensor_new_f32 (1, &n, values);

      upgrade_set_input (
          self, 1,
          assay_graph_add_constant (self->graph, upgrade_node (self)->region, name, tensor));
    }

  remove_attr (self, "scales");
  remove_attr (self, "height_scale");
  remove_attr (self, "width_scale");
  upgrade_set_op (self, ASSAY_OP_Resize);
  upgrade_resize (self);
}

void
upgrade_scatter (UpgradeContext *self)
{
  upgrade_set_op (self, ASSAY_OP_ScatterElements);
}

/* One axis was repeated: a count for each axis, 1 but for that one. */
void
upgrade_tile (UpgradeContext *self)
{
  const AssayType *x = upgrade_type (self, 0);
  AssayTensor *tiles = assay_graph_constant (self->graph, upgrade_input (self, 1));
  AssayTensor *axis_tensor = assay_graph_constant (self->graph, upgrade_input (self, 2));
  gint64 repeats[ASSAY_MAX_RANK];
  double count = 0;
  double axis = 0;

  /* Two inputs are the newer form, which models of opset 1 carry as well. */
  if (upgrade_node (self)->n_inputs < 3)
    return;
  if (x->rank < 0 && self->probe == NULL)
    return;

  if (x->rank < 0 || tiles == NULL || axis_tensor == NULL ||
      assay_tensor_get_n_elements (tiles) != 1 || assay_tensor_get_n_elements (axis_tensor) != 1 ||
      !assay_tensor_get_element (tiles, 0, &count, NULL) ||
      !assay_tensor_get_element (axis_tensor, 0, &axis, NULL) || !(axis >= 0 && axis < x->rank) ||
      !(count >= 0 && count < G_MAXINT32))
    {
      upgrade_refuse (self, NULL, "the axis, the count or the rank of the input is not known");
      return;
    }

  for (int i = 0; i < x->rank; i++)
    repeats[i] = i == (int) axis ? (gint64) count : 1;

  upgrade_set_input (self, 2, ASSAY_NO_VALUE);
  upgrade_set_input (self, 1,
                     assay_builder_ints (&self->builder, "repeats", (guint) x->rank, repeats));
}

/* Scan of opset 8 had a batch axis in front of everything: a Scan over the batch around a Scan over
 * the sequence. */
void
upgrade_scan (UpgradeContext *self)
{
  AssayGraph *graph = self->graph;
  const AssayAttr *body = upgrade_attr (self, "body");
  const AssayAttr *directions = upgrade_attr (self, "directions");
  gint64 n_scanned = int_attr (self, "num_scan_inputs", 0);
  guint n_inputs = upgrade_node (self)->n_inputs;
  guint n_outputs = upgrade_node (self)->n_outputs;
  g_autofree char *name = g_strdup_printf ("%s/sequence", upgrade_node (self)->name);
  g_autofree AssayValueId *inputs = g_new0 (AssayValueId, n_inputs + 1);
  g_autofree AssayValueId *outputs = g_new0 (AssayValueId, n_outputs + 1);
  AssayAttr attrs[3];
  AssayRegionId region;
  AssayNodeId inner;
  guint n_attrs = 0;

  if (upgrade_input (self, 0) != ASSAY_NO_VALUE)
    {
      upgrade_refuse (self, NULL, "sequences of different lengths are no longer in the operator");
      return;
    }

  if (body == NULL || body->kind != ASSAY_ATTR_GRAPH || n_inputs < 2 || n_scanned < 1 ||
      n_scanned > n_inputs - 1)
    {
      upgrade_refuse (self, "body", "the graph or the number of scanned inputs is missing");
      return;
    }

  attrs[n_attrs++] = *body;
  attrs[n_attrs++] = (AssayAttr){
    .name = assay_arena_intern (graph->arena, "num_scan_inputs"),
    .kind = ASSAY_ATTR_INT,
    .u.i = n_scanned,
  };
  if (directions != NULL)
    {
      attrs[n_attrs] = *directions;
      attrs[n_attrs++].name = assay_arena_intern (graph->arena, "scan_input_directions");
    }

  region = assay_graph_add_region (graph, self->id, "body", name);
  for (guint i = 0; i + 1 < n_inputs; i++)
    {
      g_autofree char *input = g_strdup_printf ("%s/in_%u", name, i);

      inputs[i] = assay_graph_add_input (graph, region, input, NULL);
    }
  for (guint i = 0; i < n_outputs; i++)
    {
      g_autofree char *output = g_strdup_printf ("%s/out_%u", name, i);

      outputs[i] = assay_graph_add_value (graph, region, ASSAY_VALUE_RESULT, output, NULL);
    }

  inner = assay_graph_add_node (graph, region, ASSAY_OP_Scan, name, n_inputs - 1, inputs, n_outputs,
                                outputs);
  assay_graph_set_attrs (graph, inner, n_attrs, attrs);
  assay_graph_set_origins (graph, inner, upgrade_node (self)->n_origins,
                           upgrade_node (self)->origins);
  assay_graph_edit_node (graph, inner)->scope = upgrade_node (self)->scope;
  assay_graph_edit_region (graph, attrs[0].u.region)->parent = inner;
  for (guint i = 0; i < n_outputs; i++)
    assay_graph_add_output (graph, region, outputs[i]);

  /* Every turn of the outer Scan takes one batch entry of everything and carries nothing. */
  attrs[0].u.region = region;
  attrs[1].u.i = n_inputs - 1;
  assay_graph_set_attrs (graph, self->id, 2, attrs);
  for (guint i = 0; i + 1 < n_inputs; i++)
    inputs[i] = upgrade_input (self, i + 1);
  assay_graph_edit_node (graph, self->id)->inputs = assay_arena_memdup (
      graph->arena, inputs, (n_inputs - 1) * sizeof *inputs);
  assay_graph_edit_node (graph, self->id)->n_inputs = n_inputs - 1;
}
