/* assay-equivalence-reduce.c
 * SPDX-License-Identifier: Apache-2.0
 *
 * Guards of reductions and normalizations.
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
  assay_edit_bind_ints (edit, "axes", n, axes);

  return TRUE;
}

/* Where everything is masked by -infinity the maximum is no number to subtract. */
gboolean
assay_guard_reduced_lowest (AssayEdit *edit)
{
  AssayDType dtype = assay_edit_type (edit, assay_edit_input (edit, 0))->dtype;

  assay_edit_bind_number (edit, "lowest", dtype == ASSAY_DTYPE_F16 ? -65504 : -3.38953139e38);

  return assay_guard_reduced_axes (edit);
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
  assay_edit_bind_ints (edit, "shape", shape.rank, shape.dims);

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
  assay_edit_bind_ints (edit, "shape", shape.rank, shape.dims);

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
  assay_edit_bind_ints (edit, "perm", (guint) type->rank, perm);
  assay_edit_bind_ints (edit, "inverse", (guint) type->rank, inverse);
  assay_edit_bind_ints (edit, "last", n, last);
  assay_edit_bind_ints (edit, "shape", shape.rank, shape.dims);

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
      const AssayValueId inputs[] = { value, assay_edit_ints (edit, 1, &axes[i]) };

      value = assay_edit_add (edit, op, 2, inputs);
      assay_graph_set_int (edit->graph, assay_edit_last (edit), "keepdims", keepdims);
    }
  assay_edit_bind (edit, "result", value);

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
  assay_edit_bind_ints (edit, "axes", n, axes);
  assay_edit_bind_number (edit, "count", count);
  assay_edit_bind_number (edit, "inverse", 1 / count);

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
  assay_edit_bind (edit, "ones", assay_guard_filled (edit, type->dtype, 2, dims, 1));
  assay_edit_bind (edit, "mean",
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

/* Binds the axes from one on. */
static void
bind_axes (AssayEdit *edit, const char *name, int first, int rank)
{
  gint64 axes[ASSAY_MAX_RANK];
  guint n = 0;

  for (int i = first; i < rank; i++)
    axes[n++] = i;
  assay_edit_bind_ints (edit, name, n, axes);
}

gboolean
assay_guard_l2_axis (AssayEdit *edit)
{
  gint64 p = assay_node_get_int (assay_edit_node (edit), "p");

  if (p != 2)
    return assay_edit_refuse (edit, "p is %d, expected 2", (int) p);

  return assay_guard_reduced_axes (edit);
}

static gboolean
has_one_output (AssayEdit *edit)
{
  for (guint i = 1; i < assay_edit_node (edit)->n_outputs; i++)
    if (assay_node_output (assay_edit_node (edit), i) != ASSAY_NO_VALUE)
      return assay_edit_refuse (edit, "its statistics are outputs, too");

  return TRUE;
}

gboolean
assay_guard_layer_axes (AssayEdit *edit)
{
  const AssayType *type = assay_edit_type (edit, assay_edit_input (edit, 0));
  AssayValueId bias = assay_edit_input (edit, 2);

  if (!has_one_output (edit) || !assay_guard_reduced_axes (edit))
    return FALSE;
  assay_edit_bind (edit, "bias",
                   bias != ASSAY_NO_VALUE ? bias : assay_edit_scalar (edit, type->dtype, 0));

  return TRUE;
}

/* What is given per channel becomes a column that broadcasts over an image. */
gboolean
assay_guard_channel_norm (AssayEdit *edit)
{
  const AssayType *type = assay_edit_type (edit, assay_edit_input (edit, 0));
  gint64 column[ASSAY_MAX_RANK];
  gint64 training = 0;

  if (type->rank < 2)
    return assay_edit_refuse (edit, "the rank of its input is not known");
  assay_node_find_int (assay_edit_node (edit), "training_mode", &training);
  if (training != 0)
    return assay_edit_refuse (edit, "it is in training mode");
  if (!has_one_output (edit))
    return FALSE;

  for (int i = 0; i < type->rank; i++)
    column[i] = i == 1 ? -1 : 1;
  assay_edit_bind_ints (edit, "column", (guint) type->rank, column);
  bind_axes (edit, "spatial", 2, type->rank);

  return TRUE;
}

gboolean
assay_guard_group_norm (AssayEdit *edit)
{
  gint64 groups = assay_node_get_int (assay_edit_node (edit), "num_groups");
  AssayGuardShape shape;
  gint64 dims[3];

  if (!assay_guard_sizes (edit, assay_guard_result (edit), &shape) ||
      !assay_guard_channel_norm (edit))
    return FALSE;
  if (groups < 1)
    return assay_edit_refuse (edit, "num_groups is %d, expected 1 or more", (int) groups);
  dims[0] = shape.dims[0];
  dims[1] = groups;
  dims[2] = -1;
  assay_edit_bind_ints (edit, "groups", 3, dims);
  assay_edit_bind_ints (edit, "shape", shape.rank, shape.dims);

  return TRUE;
}
