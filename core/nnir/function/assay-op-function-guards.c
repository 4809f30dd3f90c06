/* assay-op-function-guards.c
 * SPDX-License-Identifier: Apache-2.0
 *
 * What rows of functions.nnir ask for beside inputs and attributes.
 */
#include <math.h>

#include "nnir/assay-axes.h"
#include "nnir/function/assay-op-function.h"

static const AssayType *
input_type (const AssayOpFunctionCall *call)
{
  return assay_builder_type (call->builder,
                             assay_node_input (assay_builder_anchor (call->builder), 0));
}

/* Binds `axes` to the axes that the operator works on. */
static gboolean
guard_axes (AssayOpFunctionCall *call)
{
  const AssayType *type = input_type (call);
  gint64 list[ASSAY_MAX_RANK];
  AssayAxes axes;
  guint n = 0;

  if (type->kind != ASSAY_TYPE_KIND_TENSOR || type->rank < 0)
    return assay_op_function_refuse (call, "the rank of its input is not known");
  axes = assay_node_axes (call->builder->graph, assay_builder_anchor (call->builder), type->rank);
  if (!axes.known)
    return assay_op_function_refuse (call, "its axes are computed at run time");

  for (int i = 0; i < type->rank; i++)
    if ((axes.mask & ((guint64) 1 << i)) != 0)
      list[n++] = i;
  if (n == 0)
    return assay_op_function_refuse (call, "it reduces nothing");
  assay_bindings_set_ints (call->bindings, "axes", n, list);

  return TRUE;
}

/* As `axes`; binds `lowest` to a number that is below all others: where everything is masked by
 * -infinity the maximum is no number to subtract. */
static gboolean
guard_lowest (AssayOpFunctionCall *call)
{
  assay_bindings_set_number (call->bindings, "lowest",
                             input_type (call)->dtype == ASSAY_DTYPE_F16 ? -65504 : -3.38953139e38);

  return guard_axes (call);
}

/* Binds `column` to the shape in which a value per channel broadcasts over an image, and `spatial`
 * to the axes after the channels. */
static gboolean
guard_channels (AssayOpFunctionCall *call)
{
  const AssayType *type = input_type (call);
  gint64 column[ASSAY_MAX_RANK], spatial[ASSAY_MAX_RANK];

  if (type->kind != ASSAY_TYPE_KIND_TENSOR || type->rank < 2 || type->rank > ASSAY_MAX_RANK)
    return assay_op_function_refuse (call, "the rank of its input is not known");
  for (int i = 0; i < type->rank; i++)
    {
      column[i] = i == 1 ? -1 : 1;
      if (i >= 2)
        spatial[i - 2] = i;
    }
  assay_bindings_set_ints (call->bindings, "column", (guint) type->rank, column);
  assay_bindings_set_ints (call->bindings, "spatial", (guint) type->rank - 2, spatial);

  return TRUE;
}

/* As `channels`; binds `groups` to the shape with one axis per group, and `shape` to that of the
 * input. */
static gboolean
guard_groups (AssayOpFunctionCall *call)
{
  const AssayType *type = input_type (call);
  gint64 count = assay_node_get_int (assay_builder_anchor (call->builder), "num_groups");
  gint64 shape[ASSAY_MAX_RANK];
  gint64 groups[3] = { 0, count, -1 };

  if (!guard_channels (call))
    return FALSE;
  if (count < 1)
    return assay_op_function_refuse (call, "num_groups is %d, expected 1 or more", (int) count);
  if (!assay_type_is_static (type))
    {
      g_autofree char *text = assay_type_to_string (type);

      return assay_op_function_refuse (call, "the shape %s is not known, bind it first", text);
    }
  for (int i = 0; i < type->rank; i++)
    shape[i] = type->dims[i].size;
  groups[0] = shape[0];
  assay_bindings_set_ints (call->bindings, "groups", 3, groups);
  assay_bindings_set_ints (call->bindings, "shape", (guint) type->rank, shape);

  return TRUE;
}

/* Four dimensions, as many heads on either side and one element type; binds `root` to the root of
 * the factor of the products. */
static gboolean
guard_heads (AssayOpFunctionCall *call)
{
  const AssayNode *node = assay_builder_anchor (call->builder);
  const AssayType *query = input_type (call);
  const AssayType *key = assay_builder_type (call->builder, assay_node_input (node, 1));
  AssayValueId mask = assay_node_input (node, 3);
  double scale;

  if (query->rank != 4 || key->rank != 4 || query->dims[1].size < 1 ||
      query->dims[1].size != key->dims[1].size || query->dims[3].size < 1)
    return assay_op_function_refuse (call, "its inputs are not four dimensions with equal heads");
  if (mask != ASSAY_NO_VALUE && assay_builder_type (call->builder, mask)->dtype != query->dtype)
    return assay_op_function_refuse (call, "its mask is not added");

  scale = 1 / sqrt ((double) query->dims[3].size);
  assay_node_find_float (node, "scale", &scale);
  if (!(scale > 0))
    return assay_op_function_refuse (call, "its scale is %g, expected more than 0", scale);
  assay_bindings_set_number (call->bindings, "root", sqrt (scale));

  return TRUE;
}

/* The element type of the result is known. */
static gboolean
guard_typed (AssayOpFunctionCall *call)
{
  AssayValueId result = assay_node_output (assay_builder_anchor (call->builder), 0);

  return assay_builder_type (call->builder, result)->dtype != ASSAY_DTYPE_UNDEFINED ||
         assay_op_function_refuse (call, "the element type of its result is not known");
}

static const struct
{
  const char *name;
  AssayOpFunctionGuard guard;
} guards[] = {
  { "axes", guard_axes },   { "channels", guard_channels }, { "groups", guard_groups },
  { "heads", guard_heads }, { "lowest", guard_lowest },     { "typed", guard_typed },
};

/**
 * assay_op_function_guard:
 * @name: a name in functions.nnir
 *
 * Finds a guard.
 *
 * Returns: (nullable): the guard
 */
AssayOpFunctionGuard
assay_op_function_guard (const char *name)
{
  for (guint i = 0; i < G_N_ELEMENTS (guards); i++)
    if (g_str_equal (guards[i].name, name))
      return guards[i].guard;

  return NULL;
}
