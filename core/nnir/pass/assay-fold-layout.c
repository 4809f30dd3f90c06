/* assay-fold-layout.c
 * SPDX-License-Identifier: Apache-2.0
 */
#include "nnir/pass/assay-fold.h"
#include "base/assay-sentence.h"
#include "nnir/assay-node-slice.h"

#include <string.h>

#include "nnir/assay-graph-builder.h"
#include "nnir/pass/assay-pass.h"

/* Operators that keep the elements and their order. */
void
assay_fold_same_elements (AssayShapeContext *self)
{
  const AssayElements *x = assay_shape_elements (self, 0);
  AssayElements *y = x == NULL ? NULL : assay_fold_output (self, 0);

  if (y == NULL || y->n != x->n)
    return;

  if (y->n > 0)
    memcpy (y->items, x->items, y->n * sizeof *y->items);
  assay_fold_set (self, 0, y);
}

/* The tensor of a Constant is that of its result, whatever its size; nothing is copied. */
void
assay_fold_constant (AssayShapeContext *self)
{
  AssayValueId id = assay_node_output (self->node, 0);
  g_autoptr (AssayTensor) tensor = NULL;

  if (id == ASSAY_NO_VALUE || assay_graph_constant (self->graph, id) != NULL)
    return;

  tensor = assay_node_dup_value (self->node);
  if (tensor != NULL)
    assay_graph_set_constant (self->graph, id, tensor);
}

void
assay_fold_constant_of_shape (AssayShapeContext *self)
{
  const AssayAttr *attr = assay_node_find_attr (self->node, "value");
  AssayElements *y = assay_fold_output (self, 0);
  AssayScalar item = assay_scalar_unknown ();

  if (y == NULL)
    return;

  if (attr == NULL)
    {
      item = assay_scalar_float (0);
    }
  else if (attr->kind == ASSAY_ATTR_TENSOR && assay_tensor_get_n_elements (attr->u.tensor) == 1)
    {
      double f;
      gint64 i;

      if (assay_dtype_is_float (y->dtype) && assay_tensor_get_element (attr->u.tensor, 0, &f, NULL))
        item = assay_scalar_float (f);
      else if (!assay_dtype_is_float (y->dtype) &&
               assay_tensor_get_integer (attr->u.tensor, 0, &i, NULL))
        item = assay_scalar_int (i);
    }

  for (gsize i = 0; i < y->n; i++)
    y->items[i] = item;

  assay_fold_set (self, 0, y);
}

void
assay_fold_transpose (AssayShapeContext *self)
{
  const AssayElements *x = assay_shape_elements (self, 0);
  AssayElements *y = x == NULL ? NULL : assay_fold_output (self, 0);
  gint64 index[ASSAY_MAX_RANK] = { 0 };
  gssize strides[ASSAY_MAX_RANK];
  guint n;
  const gint64 *perm = assay_node_get_ints (self->node, "perm", &n);

  if (y == NULL || y->n != x->n || y->rank != x->rank || (perm != NULL && n != x->rank))
    return;

  assay_dims_strides (x->rank, x->dims, strides);
  for (gsize at = 0; at < y->n; at++)
    {
      gsize from = 0;

      for (guint i = 0; i < y->rank; i++)
        {
          gint64 axis = perm == NULL  ? (gint64) (x->rank - 1 - i)
                        : perm[i] < 0 ? perm[i] + x->rank
                                      : perm[i];

          if (axis < 0 || axis >= (gint64) x->rank)
            return;
          from += (gsize) index[i] * (gsize) strides[axis];
        }
      /* Of an axis that comes twice. */
      if (from >= x->n)
        return;
      y->items[at] = x->items[from];
      assay_dims_next (y->rank, y->dims, index);
    }

  assay_fold_set (self, 0, y);
}

static gint64
node_axis (AssayShapeContext *self, guint rank)
{
  gint64 axis = assay_node_get_int (self->node, "axis");

  return axis < 0 ? axis + rank : axis;
}

/* Copies a block of a tensor into another one along an axis, from or to an offset. */
static void
copy_along (const AssayElements *part, AssayElements *whole, gint64 axis, gint64 offset,
            gboolean into_whole)
{
  gsize inner = assay_dims_product (part->dims, (guint) axis + 1, part->rank);
  gsize outer = assay_dims_product (part->dims, 0, (guint) axis);
  gsize row = (gsize) part->dims[axis];
  gsize pitch = (gsize) whole->dims[axis];

  for (gsize i = 0; i < outer; i++)
    {
      AssayScalar *p = part->items + i * row * inner;
      AssayScalar *w = whole->items + (i * pitch + (gsize) offset) * inner;

      if (into_whole && row * inner > 0)
        memcpy (w, p, row * inner * sizeof *w);
      else if (row * inner > 0)
        memcpy (p, w, row * inner * sizeof *p);
    }
}

static gboolean
same_beside (const AssayElements *a, const AssayElements *b, gint64 axis)
{
  if (a->rank != b->rank || axis < 0 || axis >= a->rank)
    return FALSE;

  for (guint i = 0; i < a->rank; i++)
    {
      if (i != (guint) axis && a->dims[i] != b->dims[i])
        return FALSE;
    }

  return TRUE;
}

void
assay_fold_concat (AssayShapeContext *self)
{
  AssayElements *y = NULL;
  gboolean any = FALSE;
  gint64 offset = 0;
  gint64 axis;

  for (guint i = 0; i < self->node->n_inputs && !any; i++)
    any = assay_shape_elements (self, i) != NULL;

  y = any ? assay_fold_output (self, 0) : NULL;
  if (y == NULL)
    return;

  axis = node_axis (self, y->rank);
  for (guint i = 0; i < self->node->n_inputs; i++)
    {
      const AssayElements *x = assay_shape_elements (self, i);
      const AssayType *type = assay_shape_input (self, i);

      if (x != NULL)
        {
          if (!same_beside (x, y, axis) || x->dims[axis] > y->dims[axis] - offset)
            return;
          copy_along (x, y, axis, offset, TRUE);
        }
      if (type->rank != (int) y->rank || axis >= type->rank || type->dims[axis].size < 0)
        return;
      offset += type->dims[axis].size;
    }

  assay_fold_set (self, 0, y);
}

void
assay_fold_split (AssayShapeContext *self)
{
  const AssayElements *x = assay_shape_elements (self, 0);
  gint64 offset = 0;

  for (guint i = 0; x != NULL && i < self->node->n_outputs; i++)
    {
      AssayElements *y = assay_fold_output (self, i);
      gint64 axis = node_axis (self, x->rank);

      if (y == NULL || !same_beside (x, y, axis) || y->dims[axis] > x->dims[axis] - offset)
        return;

      copy_along (y, (AssayElements *) x, axis, offset, FALSE);
      offset += y->dims[axis];
      assay_fold_set (self, i, y);
    }
}

void
assay_fold_slice (AssayShapeContext *self)
{
  const AssayElements *x = assay_shape_elements (self, 0);
  gint64 index[ASSAY_MAX_RANK] = { 0 };
  AssayNodeSlice slice;
  const gint64 *axes = NULL;
  const gint64 *steps = NULL;
  const gint64 *starts;
  AssayElements *y;
  guint n_axes = 0;
  guint n_steps;
  guint n;

  y = x == NULL ? NULL : assay_fold_output (self, 0);
  if (y == NULL || y->rank != x->rank || !assay_shape_known_ints (self, 1, &n, &starts) ||
      (assay_shape_has_input (self, 3) &&
       (!assay_shape_known_ints (self, 3, &n_axes, &axes) || n_axes != n)) ||
      (assay_shape_has_input (self, 4) &&
       (!assay_shape_known_ints (self, 4, &n_steps, &steps) || n_steps != n)))
    return;

  /* Where it stops is in the shape of the result. */
  assay_node_slice_init (&slice, x->rank, x->dims);
  if (!assay_node_slice_cut_all (&slice, n, starts, NULL, axes, steps))
    return;
  for (guint i = 0; y->n > 0 && i < x->rank; i++)
    {
      if (y->dims[i] > slice.length[i])
        return;
    }

  for (gsize at = 0; at < y->n; at++)
    {
      gsize from = 0;

      for (guint i = 0; i < x->rank; i++)
        from = from * (gsize) x->dims[i] + (gsize) (slice.start[i] + index[i] * slice.step[i]);
      y->items[at] = x->items[from];
      assay_dims_next (y->rank, y->dims, index);
    }

  assay_fold_set (self, 0, y);
}

void
assay_fold_gather (AssayShapeContext *self)
{
  const AssayElements *x = assay_shape_elements (self, 0);
  AssayElements *y = x == NULL || x->rank == 0 ? NULL : assay_fold_output (self, 0);
  const gint64 *indices;
  gsize inner, outer;
  gint64 axis;
  guint n;

  if (y == NULL || !assay_shape_known_ints (self, 1, &n, &indices))
    return;

  axis = node_axis (self, x->rank);
  if (axis < 0 || axis >= x->rank)
    return;
  outer = assay_dims_product (x->dims, 0, (guint) axis);
  inner = assay_dims_product (x->dims, (guint) axis + 1, x->rank);
  if (outer * n * inner != y->n)
    return;

  for (gsize i = 0; i < outer; i++)
    {
      for (guint j = 0; j < n; j++)
        {
          gint64 at = indices[j] < 0 ? indices[j] + x->dims[axis] : indices[j];

          if (at < 0 || at >= x->dims[axis])
            {
              assay_shape_report (self, "infer.index", NULL,
                                  "index %" G_GINT64_FORMAT " of an axis of %" G_GINT64_FORMAT
                                  " element%s",
                                  indices[j], x->dims[axis], assay_plural (x->dims[axis]));
              return;
            }
          memcpy (y->items + (i * n + j) * inner,
                  x->items + (i * (gsize) x->dims[axis] + (gsize) at) * inner,
                  inner * sizeof *y->items);
        }
    }

  assay_fold_set (self, 0, y);
}

static void
fold_repeated (AssayShapeContext *self, gboolean wrap)
{
  const AssayElements *x = assay_shape_elements (self, 0);
  AssayElements *y = x == NULL ? NULL : assay_fold_output (self, 0);
  gint64 index[ASSAY_MAX_RANK] = { 0 };

  if (y == NULL || y->rank < x->rank)
    return;

  for (gsize at = 0; at < y->n; at++)
    {
      gsize from = 0;

      for (guint i = 0; i < x->rank; i++)
        {
          gint64 place = index[y->rank - x->rank + i];

          place = wrap ? place % MAX (x->dims[i], 1) : x->dims[i] == 1 ? 0 : place;
          from = from * (gsize) x->dims[i] + (gsize) place;
        }
      y->items[at] = x->items[from];
      assay_dims_next (y->rank, y->dims, index);
    }

  assay_fold_set (self, 0, y);
}

void
assay_fold_expand (AssayShapeContext *self)
{
  fold_repeated (self, FALSE);
}

void
assay_fold_tile (AssayShapeContext *self)
{
  fold_repeated (self, TRUE);
}

void
assay_fold_scatter_nd (AssayShapeContext *self)
{
  const AssayElements *x = assay_shape_elements (self, 0);
  const AssayElements *indices = assay_shape_elements (self, 1);
  const AssayElements *updates = assay_shape_elements (self, 2);
  AssayElements *y;
  gsize depth, inner;

  if (x == NULL || indices == NULL || updates == NULL || indices->rank == 0 ||
      strcmp (assay_node_get_string (self->node, "reduction"), "none") != 0)
    return;

  y = assay_fold_output (self, 0);
  depth = (gsize) indices->dims[indices->rank - 1];
  if (y == NULL || y->n != x->n || depth == 0 || depth > x->rank)
    return;

  inner = assay_dims_product (x->dims, (guint) depth, x->rank);
  if (indices->n / depth * inner != updates->n)
    return;

  if (y->n > 0)
    memcpy (y->items, x->items, y->n * sizeof *y->items);
  for (gsize i = 0; i < indices->n / depth; i++)
    {
      gsize to = 0;

      for (gsize j = 0; j < depth; j++)
        {
          AssayScalar index = indices->items[i * depth + j];
          gint64 at;

          if (index.kind != ASSAY_SCALAR_INT)
            return;
          at = index.u.i < 0 ? index.u.i + x->dims[j] : index.u.i;
          if (at < 0 || at >= x->dims[j])
            return;
          to = to * (gsize) x->dims[j] + (gsize) at;
        }
      memcpy (y->items + to * inner, updates->items + i * inner, inner * sizeof *y->items);
    }

  assay_fold_set (self, 0, y);
}

/* If the elements are known, so is how many are not zero. */
void
assay_fold_non_zero (AssayShapeContext *self)
{
  const AssayElements *x = assay_shape_elements (self, 0);
  gint64 index[ASSAY_MAX_RANK] = { 0 };
  gint64 dims[2];
  AssayElements *y;
  gint64 n = 0;
  gint64 column = 0;

  if (x == NULL)
    return;

  for (gsize i = 0; i < x->n; i++)
    {
      if (x->items[i].kind != ASSAY_SCALAR_INT && x->items[i].kind != ASSAY_SCALAR_FLOAT)
        return;
      n += x->items[i].kind == ASSAY_SCALAR_INT ? x->items[i].u.i != 0 : x->items[i].u.f != 0;
    }

  dims[0] = MAX (x->rank, 1);
  dims[1] = n;
  y = assay_infer_new_elements (self->infer, ASSAY_DTYPE_I64, 2, dims);

  for (gsize i = 0; y != NULL && i < x->n; i++)
    {
      if (x->items[i].kind == ASSAY_SCALAR_INT ? x->items[i].u.i != 0 : x->items[i].u.f != 0)
        {
          for (gint64 j = 0; j < dims[0]; j++)
            y->items[j * n + column] = assay_scalar_int (x->rank == 0 ? 0 : index[j]);
          column++;
        }
      assay_dims_next (x->rank, x->dims, index);
    }

  assay_fold_set (self, 0, y);
}

/* With a known condition the results are those of one branch. */
void
assay_fold_if (AssayShapeContext *self)
{
  AssayScalar condition = assay_shape_scalar (self, 0);
  const AssayAttr *attr = assay_node_find_attr (self->node,
                                                condition.u.i != 0 ? "then_branch" : "else_branch");
  const AssayRegion *region;

  if (condition.kind != ASSAY_SCALAR_INT || attr == NULL || attr->kind != ASSAY_ATTR_GRAPH ||
      attr->u.region >= self->graph->regions->len)
    return;

  region = assay_graph_region (self->graph, attr->u.region);
  for (guint i = 0; i < MIN (region->outputs->len, self->node->n_outputs); i++)
    {
      const AssayElements *x = assay_infer_elements (
          self->infer, g_array_index (region->outputs, AssayValueId, i));
      AssayElements *y;

      if (x == NULL)
        continue;
      y = assay_infer_new_elements (self->infer, x->dtype, x->rank, x->dims);
      if (y == NULL)
        continue;
      if (x->n > 0)
        memcpy (y->items, x->items, x->n * sizeof *x->items);
      assay_fold_set (self, i, y);
    }
}
