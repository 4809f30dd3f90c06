/* assay-shape-indexing.c
 * SPDX-License-Identifier: Apache-2.0
 */
#include "nnir/shape/assay-shape-rules.h"

#include "base/assay-sentence.h"

void
assay_shape_rule_gather (AssayShapeContext *self)
{
  const AssayType *x = assay_shape_tensor (self, 0, 1, -1);
  const AssayType *indices = assay_shape_tensor (self, 1, 0, -1);
  AssayDim dims[ASSAY_MAX_RANK * 2];
  int rank = 0;
  int axis;

  if (x == NULL || indices == NULL || !assay_shape_node_axis (self, x->rank, &axis))
    {
      assay_shape_set_tensor (self, 0, assay_shape_dtype (self, 0), -1, NULL);
      return;
    }

  for (int i = 0; i < axis; i++)
    dims[rank++] = x->dims[i];
  for (int i = 0; i < indices->rank; i++)
    dims[rank++] = indices->dims[i];
  for (int i = axis + 1; i < x->rank; i++)
    dims[rank++] = x->dims[i];

  assay_shape_set_tensor (self, 0, assay_shape_dtype (self, 0), rank, dims);
}

void
assay_shape_rule_gather_elements (AssayShapeContext *self)
{
  const AssayType *x = assay_shape_tensor (self, 0, 1, -1);
  const AssayType *indices = assay_shape_tensor (self, 1, 1, -1);
  int axis;

  if (x != NULL)
    assay_shape_node_axis (self, x->rank, &axis);
  if (x != NULL && indices != NULL && x->rank != indices->rank)
    assay_shape_report (self, "infer.rank", NULL, "the input has rank %d, the indices have rank %d",
                        x->rank, indices->rank);

  assay_shape_set_tensor (self, 0, assay_shape_dtype (self, 0),
                          indices != NULL ? indices->rank
                          : x != NULL     ? x->rank
                                          : -1,
                          indices != NULL ? indices->dims : NULL);
}

void
assay_shape_rule_gather_nd (AssayShapeContext *self)
{
  const AssayType *x = assay_shape_tensor (self, 0, 1, -1);
  const AssayType *indices = assay_shape_tensor (self, 1, 1, -1);
  gint64 batch = assay_node_get_int (self->node, "batch_dims");
  AssayDim dims[ASSAY_MAX_RANK * 2];
  gint64 depth;
  int rank = 0;

  if (x == NULL || indices == NULL || indices->dims[indices->rank - 1].size < 0)
    {
      assay_shape_set_tensor (self, 0, assay_shape_dtype (self, 0), -1, NULL);
      return;
    }

  depth = indices->dims[indices->rank - 1].size;
  if (batch < 0 || batch >= MIN (x->rank, indices->rank) || depth > x->rank - batch)
    {
      assay_shape_report (self, "infer.shape", "batch_dims",
                          "indices of %" G_GINT64_FORMAT " %s behind %" G_GINT64_FORMAT
                          " batch axes for rank %d",
                          depth, assay_noun (depth, "axis", "axes"), batch, x->rank);
      assay_shape_set_tensor (self, 0, assay_shape_dtype (self, 0), -1, NULL);
      return;
    }

  if (depth == 0)
    assay_shape_warn (self, "infer.shape", NULL, "indices of no axes, each of which takes all");
  for (int i = 0; i < indices->rank - 1; i++)
    dims[rank++] = indices->dims[i];
  for (int i = (int) (batch + depth); i < x->rank; i++)
    dims[rank++] = x->dims[i];

  assay_shape_set_tensor (self, 0, assay_shape_dtype (self, 0), rank, dims);
}

/* What is written has a shape of its own. */
static void
expect_updates (AssayShapeContext *self, int rank, const AssayDim *dims)
{
  const AssayType *updates = assay_shape_tensor (self, 2, 0, -1);

  if (updates == NULL)
    return;
  if (updates->rank != rank)
    {
      assay_shape_report (self, "infer.rank", NULL, "the updates have rank %d, %d was expected",
                          updates->rank, rank);
      return;
    }
  for (int i = 0; i < rank; i++)
    if (updates->dims[i].size >= 0 && dims[i].size >= 0 && updates->dims[i].size != dims[i].size)
      {
        assay_shape_report (self, "infer.shape", NULL,
                            "axis %d of the updates has the extent %" G_GINT64_FORMAT
                            ", %" G_GINT64_FORMAT " was expected",
                            i, updates->dims[i].size, dims[i].size);
        return;
      }
}

void
assay_shape_rule_scatter_elements (AssayShapeContext *self)
{
  const AssayType *indices = assay_shape_tensor (self, 1, 0, -1);

  assay_shape_rule_same (self);
  if (indices != NULL)
    expect_updates (self, indices->rank, indices->dims);
}

void
assay_shape_rule_scatter_nd (AssayShapeContext *self)
{
  const AssayType *x = assay_shape_tensor (self, 0, 1, -1);
  const AssayType *indices = assay_shape_tensor (self, 1, 1, -1);
  AssayDim dims[ASSAY_MAX_RANK * 2];
  gint64 depth;
  int rank = 0;

  assay_shape_rule_same (self);
  if (x == NULL || indices == NULL || indices->dims[indices->rank - 1].size < 0)
    return;

  depth = indices->dims[indices->rank - 1].size;
  if (depth > x->rank)
    {
      assay_shape_report (self, "infer.shape", NULL,
                          "indices of %" G_GINT64_FORMAT " %s for rank %d", depth,
                          assay_noun (depth, "axis", "axes"), x->rank);
      return;
    }
  for (int i = 0; i < indices->rank - 1; i++)
    dims[rank++] = indices->dims[i];
  for (int i = (int) depth; i < x->rank; i++)
    dims[rank++] = x->dims[i];
  expect_updates (self, rank, dims);
}

void
assay_shape_rule_compress (AssayShapeContext *self)
{
  const AssayType *x = assay_shape_tensor (self, 0, 1, -1);
  const AssayElements *condition = assay_shape_elements (self, 1);
  AssayDim dims[ASSAY_MAX_RANK];
  AssayDim kept = assay_dim_unknown ();
  int axis;

  if (condition != NULL)
    {
      gint64 n = 0;
      gboolean known = TRUE;

      for (gsize i = 0; i < condition->n; i++)
        {
          known &= condition->items[i].kind == ASSAY_SCALAR_INT;
          n += condition->items[i].kind == ASSAY_SCALAR_INT && condition->items[i].u.i != 0;
        }
      if (known)
        kept = assay_dim (n);
    }

  if (assay_node_find_attr (self->node, "axis") == NULL)
    {
      assay_shape_set_tensor (self, 0, assay_shape_dtype (self, 0), 1, &kept);
      return;
    }

  if (x == NULL || !assay_shape_node_axis (self, x->rank, &axis))
    {
      assay_shape_set_tensor (self, 0, assay_shape_dtype (self, 0), x == NULL ? -1 : x->rank, NULL);
      return;
    }

  for (int i = 0; i < x->rank; i++)
    dims[i] = i == axis ? kept : x->dims[i];

  assay_shape_set_tensor (self, 0, assay_shape_dtype (self, 0), x->rank, dims);
}

/* How many elements are not zero depends on the data, unless they are known. */
void
assay_shape_rule_non_zero (AssayShapeContext *self)
{
  const AssayType *x = assay_shape_tensor (self, 0, 0, -1);
  AssayDim dims[2] = { assay_dim_unknown (), assay_dim_unknown () };

  /* A scalar counts as a vector of one element. */
  if (x != NULL)
    dims[0] = assay_dim (MAX (x->rank, 1));

  assay_shape_set_tensor (self, 0, ASSAY_DTYPE_I64, 2, dims);
}

void
assay_shape_rule_one_hot (AssayShapeContext *self)
{
  const AssayType *indices = assay_shape_tensor (self, 0, 0, -1);
  AssayScalar depth = assay_shape_scalar (self, 1);
  AssayDim dims[ASSAY_MAX_RANK + 1];
  int axis;

  if (depth.kind == ASSAY_SCALAR_FLOAT)
    depth = depth.u.f >= 0 && depth.u.f < 1e15 ? assay_scalar_int ((gint64) depth.u.f)
                                               : assay_scalar_unknown ();

  if (indices == NULL || !assay_shape_node_axis (self, indices->rank + 1, &axis))
    {
      assay_shape_set_tensor (self, 0, assay_shape_dtype (self, 2), -1, NULL);
      return;
    }

  for (int i = 0; i <= indices->rank; i++)
    dims[i] = i == axis ? assay_scalar_to_dim (depth) : indices->dims[i < axis ? i : i - 1];

  assay_shape_set_tensor (self, 0, assay_shape_dtype (self, 2), indices->rank + 1, dims);
}

/* The number of distinct elements depends on the data. */
void
assay_shape_rule_unique (AssayShapeContext *self)
{
  const AssayType *x = assay_shape_tensor (self, 0, 0, -1);
  const AssayAttr *attr = assay_node_find_attr (self->node, "axis");
  AssayDim open = assay_dim_unknown ();
  AssayDim inverse = assay_dim_unknown ();
  AssayDim dims[ASSAY_MAX_RANK];
  int rank = attr == NULL ? 1 : -1;
  int axis = 0;

  if (attr == NULL)
    {
      dims[0] = assay_dim_unknown ();
      if (x != NULL)
        inverse = assay_shape_product (self, x->dims, x->rank);
    }
  else if (x != NULL && assay_shape_node_axis (self, x->rank, &axis))
    {
      rank = x->rank;
      for (int i = 0; i < rank; i++)
        dims[i] = i == axis ? assay_dim_unknown () : x->dims[i];
      inverse = x->dims[axis];
    }

  /* All that count the distinct elements share one name for their number. */
  if (rank > 0 && assay_shape_has_output (self, 0))
    {
      g_autofree char *name = g_strdup_printf (
          "%s:%d", assay_graph_value (self->graph, self->node->outputs[0])->name, axis);

      open.symbol = assay_arena_intern (self->arena, name);
      dims[axis] = open;
    }

  assay_shape_set_tensor (self, 0, assay_shape_dtype (self, 0), rank, dims);
  assay_shape_set_tensor (self, 1, ASSAY_DTYPE_I64, 1, &open);
  assay_shape_set_tensor (self, 2, ASSAY_DTYPE_I64, 1, &inverse);
  assay_shape_set_tensor (self, 3, ASSAY_DTYPE_I64, 1, &open);
}

/* How many boxes are kept depends on the data. */
void
assay_shape_rule_non_max_suppression (AssayShapeContext *self)
{
  AssayDim dims[2] = { assay_dim_unknown (), assay_dim (3) };

  assay_shape_tensor (self, 0, 3, 3);
  assay_shape_tensor (self, 1, 3, 3);
  assay_shape_set_tensor (self, 0, ASSAY_DTYPE_I64, 2, dims);
}
