/* assay-equivalence-reduce.c
 * SPDX-License-Identifier: Apache-2.0
 *
 * Guards of reductions.
 */
#include "fix/assay-equivalence-private.h"

#include "nnir/assay-axes.h"
#include "nnir/assay-graph-builder.h"

static gboolean
keeps_dims (AssayEdit *edit)
{
  return assay_node_get_int (assay_edit_node (edit), "keepdims") != 0;
}

gboolean
assay_guard_reduced_axes (AssayEdit *edit)
{
  gint64 axes[ASSAY_MAX_RANK];
  guint n;

  if (!assay_guard_axes (edit, &n, axes))
    return FALSE;
  assay_bindings_set_ints (edit->bindings, "axes", n, axes);

  return TRUE;
}

gboolean
assay_guard_reduced_shape (AssayEdit *edit)
{
  AssayGuardShape shape;

  if (keeps_dims (edit))
    return assay_edit_refuse (edit, "it keeps its dimensions");
  if (!assay_guard_sizes (edit, assay_guard_result (edit), &shape) ||
      !assay_guard_reduced_axes (edit))
    return FALSE;
  assay_bindings_set_ints (edit->bindings, "shape", shape.rank, shape.dims);

  return TRUE;
}

/* All axes at once, or all that are longer than 1. */
gboolean
assay_guard_reduced_all (AssayEdit *edit)
{
  const AssayType *type = assay_edit_type (edit, assay_edit_input (edit, 0));
  gint64 axes[ASSAY_MAX_RANK];
  AssayGuardShape shape;
  guint n, at = 0;

  if (!assay_guard_axes (edit, &n, axes) ||
      !assay_guard_sizes (edit, assay_guard_result (edit), &shape))
    return FALSE;
  for (int i = 0; i < type->rank; i++)
    if (at < n && axes[at] == i)
      at++;
    else if (type->dims[i].size != 1)
      return assay_edit_refuse (edit, "it leaves axis %d", i);
  assay_bindings_set_ints (edit->bindings, "shape", shape.rank, shape.dims);

  return TRUE;
}

/* The axes become the last ones, and go back where they were. */
gboolean
assay_guard_turned_axes (AssayEdit *edit)
{
  const AssayType *type = assay_edit_type (edit, assay_edit_input (edit, 0));
  gint64 axes[ASSAY_MAX_RANK], perm[ASSAY_MAX_RANK], inverse[ASSAY_MAX_RANK], last[ASSAY_MAX_RANK];
  AssayGuardShape shape;
  guint n, at = 0, kept = 0;

  if (!assay_guard_axes (edit, &n, axes) ||
      !assay_guard_sizes (edit, assay_guard_result (edit), &shape))
    return FALSE;
  if (axes[0] == type->rank - (int) n)
    return assay_edit_refuse (edit, "it reduces the last axes already");

  for (int i = 0; i < type->rank; i++)
    if (at < n && axes[at] == i)
      at++;
    else
      perm[kept++] = i;
  for (guint i = 0; i < n; i++)
    {
      last[i] = kept + i;
      perm[kept + i] = axes[i];
    }
  for (int i = 0; i < type->rank; i++)
    inverse[perm[i]] = i;
  assay_bindings_set_ints (edit->bindings, "perm", (guint) type->rank, perm);
  assay_bindings_set_ints (edit->bindings, "inverse", (guint) type->rank, inverse);
  assay_bindings_set_ints (edit->bindings, "last", n, last);
  assay_bindings_set_ints (edit->bindings, "shape", shape.rank, shape.dims);

  return TRUE;
}

/* The last axis first, so that the others keep their numbers. */
gboolean
assay_guard_one_by_one (AssayEdit *edit)
{
  AssayOp op = assay_edit_node (edit)->op;
  gint64 keepdims = assay_node_get_int (assay_edit_node (edit), "keepdims");
  AssayValueId value = assay_edit_input (edit, 0);
  gint64 axes[ASSAY_MAX_RANK];
  guint n;

  if (!assay_guard_axes (edit, &n, axes))
    return FALSE;
  if (n < 2)
    return assay_edit_refuse (edit, "it has one axis");

  for (guint i = n; i-- > 0;)
    {
      const AssayValueId inputs[] = { value, assay_builder_ints (&edit->builder, "constant", 1,
                                                                 &axes[i]) };

      value = assay_builder_add (&edit->builder, op, NULL, 2, inputs);
      assay_graph_set_int (edit->graph, assay_builder_last (&edit->builder), "keepdims", keepdims);
    }
  assay_bindings_set_value (edit->bindings, "result", value);

  return TRUE;
}

gboolean
assay_guard_reduced_count (AssayEdit *edit)
{
  const AssayType *type = assay_edit_type (edit, assay_edit_input (edit, 0));
  gint64 axes[ASSAY_MAX_RANK];
  double count = 1;
  guint n;

  if (!assay_guard_axes (edit, &n, axes))
    return FALSE;
  for (guint i = 0; i < n; i++)
    {
      gint64 size = assay_type_dim (type, (int) axes[i]);

      if (size < 1)
        return assay_edit_refuse (edit, "the extent of axis %d is not known", (int) axes[i]);
      count *= (double) size;
    }
  assay_bindings_set_ints (edit->bindings, "axes", n, axes);
  assay_bindings_set_number (edit->bindings, "count", count);
  assay_bindings_set_number (edit->bindings, "inverse", 1 / count);

  return TRUE;
}

/* The last axis alone, as a product with a column. */
gboolean
assay_guard_reduced_last (AssayEdit *edit)
{
  const AssayType *type = assay_edit_type (edit, assay_edit_input (edit, 0));
  gint64 axes[ASSAY_MAX_RANK], dims[2] = { 0, 1 };
  guint n;

  if (!assay_guard_axes (edit, &n, axes))
    return FALSE;
  if (n != 1 || axes[0] != type->rank - 1 || type->rank < 2 || type->dims[axes[0]].size < 1 ||
      !assay_dtype_is_float (type->dtype) || !keeps_dims (edit))
    return assay_edit_refuse (edit, "it does not reduce the last axis of known extent and keep it");
  dims[0] = type->dims[axes[0]].size;
  assay_bindings_set_value (edit->bindings, "ones",
                            assay_guard_filled (edit, type->dtype, 2, dims, 1));
  assay_bindings_set_value (
      edit->bindings, "mean",
      assay_guard_filled (edit, type->dtype, 2, dims, 1.0 / (double) dims[0]));

  return TRUE;
}

gboolean
assay_guard_reduced_image (AssayEdit *edit)
{
  const AssayType *type = assay_edit_type (edit, assay_edit_input (edit, 0));
  gint64 axes[ASSAY_MAX_RANK];
  guint n;

  if (!assay_guard_axes (edit, &n, axes))
    return FALSE;
  if (type->rank < 3 || n != (guint) type->rank - 2 || axes[0] != 2 || !keeps_dims (edit) ||
      !assay_dtype_is_float (type->dtype))
    return assay_edit_refuse (edit, "it does not reduce all axes from 2 on and keep them");

  return TRUE;
}
