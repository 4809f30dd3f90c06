/* assay-shape-layout.c
 * SPDX-License-Identifier: Apache-2.0
 */
#include "nnir/shape/assay-shape-rules.h"

#include "base/assay-sentence.h"
#include "nnir/assay-node-slice.h"

static void
set_unranked (AssayShapeContext *self, guint output)
{
  assay_shape_set_tensor (self, output, assay_shape_dtype (self, 0), -1, NULL);
}

void
assay_shape_rule_shape (AssayShapeContext *self)
{
  const AssayType *x = assay_shape_tensor (self, 0, 0, -1);
  AssayDim dim = assay_dim_unknown ();

  if (x != NULL)
    {
      gint64 start = assay_node_get_int (self->node, "start");
      gint64 end = x->rank;

      assay_node_find_int (self->node, "end", &end);
      start = CLAMP (start < 0 ? start + x->rank : start, 0, x->rank);
      end = CLAMP (end < 0 ? end + x->rank : end, 0, x->rank);
      dim = assay_dim (MAX (end - start, 0));
    }

  assay_shape_set_tensor (self, 0, ASSAY_DTYPE_I64, 1, &dim);
}

void
assay_shape_rule_size (AssayShapeContext *self)
{
  assay_shape_set_tensor (self, 0, ASSAY_DTYPE_I64, 0, NULL);
}

/* The extent that -1 stands for. */
static AssayDim
remaining_dim (AssayShapeContext *self, const AssayType *x, const AssayDim *dims, int rank,
               int open)
{
  AssayDim total = assay_shape_product (self, x->dims, x->rank);
  AssayDim others = assay_dim (1);
  AssayScalar quotient;

  for (int i = 0; i < rank; i++)
    {
      if (i != open)
        others = assay_shape_dim_mul (self, others, dims[i]);
    }

  if (total.size >= 0 && others.size > 0 && total.size % others.size != 0)
    {
      assay_shape_report (self, "infer.shape", NULL,
                          "%" G_GINT64_FORMAT " element%s cannot be divided by %" G_GINT64_FORMAT,
                          total.size, assay_plural (total.size), others.size);
      return assay_dim_unknown ();
    }

  if (others.size == 0)
    return assay_dim (0);

  quotient = assay_scalar_floor_div (self->arena, assay_scalar_from_dim (total),
                                     assay_scalar_from_dim (others));

  return assay_scalar_to_dim (quotient);
}

void
assay_shape_rule_reshape (AssayShapeContext *self)
{
  const AssayType *x = assay_shape_tensor (self, 0, 0, -1);
  gboolean allow_zero = assay_node_get_int (self->node, "allowzero") != 0;
  AssayDim dims[ASSAY_MAX_RANK];
  int open = -1;
  gboolean complete = TRUE;
  guint n;
  const AssayScalar *items = assay_shape_vector (self, 1, &n);

  if (items == NULL || n > ASSAY_MAX_RANK)
    {
      set_unranked (self, 0);
      return;
    }

  for (guint i = 0; i < n; i++)
    {
      dims[i] = assay_scalar_to_dim (items[i]);

      if (items[i].kind == ASSAY_SCALAR_INT && items[i].u.i == 0 && !allow_zero)
        {
          dims[i] = x != NULL && i < (guint) x->rank ? x->dims[i] : assay_dim_unknown ();
          if (x != NULL && i >= (guint) x->rank)
            assay_shape_report (self, "infer.shape", NULL,
                                "extent %u is to be copied from an input of rank %d", i, x->rank);
        }
      else if (items[i].kind == ASSAY_SCALAR_INT && items[i].u.i < 0)
        {
          if (items[i].u.i != -1 || open >= 0)
            assay_shape_report (self, "infer.shape", NULL,
                                "%" G_GINT64_FORMAT " at index %u of the shape", items[i].u.i, i);
          open = (int) i;
        }

      complete &= dims[i].size >= 0 || dims[i].symbol != NULL || open == (int) i;
    }

  if (open >= 0)
    dims[open] = x != NULL && complete ? remaining_dim (self, x, dims, (int) n, open)
                                       : assay_dim_unknown ();
  else if (x != NULL && assay_type_is_static (x))
    {
      AssayDim before = assay_shape_product (self, x->dims, x->rank);
      AssayDim after = assay_shape_product (self, dims, (int) n);

      if (before.size >= 0 && after.size >= 0 && before.size != after.size)
        assay_shape_report (self, "infer.shape", NULL,
                            "%" G_GINT64_FORMAT " %s not fit a shape of %" G_GINT64_FORMAT,
                            before.size, assay_noun (before.size, "element does", "elements do"),
                            after.size);
    }

  assay_shape_set_tensor (self, 0, assay_shape_dtype (self, 0), (int) n, dims);
}

void
assay_shape_rule_flatten (AssayShapeContext *self)
{
  const AssayType *x = assay_shape_tensor (self, 0, 0, -1);
  gint64 axis = assay_node_get_int (self->node, "axis");
  AssayDim dims[2] = { assay_dim_unknown (), assay_dim_unknown () };

  if (x != NULL && (axis < -x->rank || axis > x->rank))
    {
      assay_shape_report (self, "infer.axis", "axis",
                          "axis %" G_GINT64_FORMAT " of a tensor of rank %d", axis, x->rank);
    }
  else if (x != NULL)
    {
      int split = (int) (axis < 0 ? axis + x->rank : axis);

      dims[0] = assay_shape_product (self, x->dims, split);
      dims[1] = assay_shape_product (self, x->dims + split, x->rank - split);
    }

  assay_shape_set_tensor (self, 0, assay_shape_dtype (self, 0), 2, dims);
}

void
assay_shape_rule_squeeze (AssayShapeContext *self)
{
  const AssayType *x = assay_shape_tensor (self, 0, 0, -1);
  const gint64 *axes;
  AssayDim dims[ASSAY_MAX_RANK];
  guint64 mask = 0;
  int rank = 0;
  guint n = 0;

  if (x == NULL)
    {
      set_unranked (self, 0);
      return;
    }

  if (!assay_shape_has_input (self, 1))
    {
      for (int i = 0; i < x->rank; i++)
        {
          /* An open extent may be 1. */
          if (x->dims[i].size < 0)
            {
              set_unranked (self, 0);
              return;
            }
          if (x->dims[i].size == 1)
            mask |= G_GUINT64_CONSTANT (1) << i;
        }
    }
  else if (!assay_shape_known_ints (self, 1, &n, &axes) ||
           !assay_shape_axes_once (self, n, axes, x->rank, &mask))
    {
      set_unranked (self, 0);
      return;
    }

  for (int i = 0; i < x->rank; i++)
    {
      if ((mask >> i & 1u) == 0)
        dims[rank++] = x->dims[i];
      else if (x->dims[i].size >= 0 && x->dims[i].size != 1)
        assay_shape_report (self, "infer.shape", NULL,
                            "axis %d has extent %" G_GINT64_FORMAT ", 1 was expected", i,
                            x->dims[i].size);
    }

  assay_shape_set_tensor (self, 0, assay_shape_dtype (self, 0), rank, dims);
}

void
assay_shape_rule_unsqueeze (AssayShapeContext *self)
{
  const AssayType *x = assay_shape_tensor (self, 0, 0, -1);
  const gint64 *axes;
  AssayDim dims[ASSAY_MAX_RANK];
  guint64 mask;
  guint n;
  int from = 0;

  if (x == NULL || !assay_shape_known_ints (self, 1, &n, &axes) ||
      n > (guint) (ASSAY_MAX_RANK - x->rank) ||
      !assay_shape_axes (self, NULL, n, axes, x->rank + (int) n, &mask))
    {
      set_unranked (self, 0);
      return;
    }

  for (int i = 0; i < x->rank + (int) n; i++)
    dims[i] = (mask >> i & 1u) != 0 ? assay_dim (1) : x->dims[from++];

  assay_shape_set_tensor (self, 0, assay_shape_dtype (self, 0), x->rank + (int) n, dims);
}

void
assay_shape_rule_transpose (AssayShapeContext *self)
{
  const AssayType *x = assay_shape_tensor (self, 0, 0, -1);
  AssayDim dims[ASSAY_MAX_RANK];
  guint64 mask;
  guint n;
  const gint64 *perm = assay_node_get_ints (self->node, "perm", &n);

  if (x == NULL)
    {
      assay_shape_set_tensor (self, 0, assay_shape_dtype (self, 0),
                              perm != NULL && n <= ASSAY_MAX_RANK ? (int) n : -1, NULL);
      return;
    }

  if (perm != NULL &&
      (n != (guint) x->rank || !assay_shape_axes (self, "perm", n, perm, x->rank, &mask)))
    {
      if (n != (guint) x->rank)
        assay_shape_report (self, "infer.attribute", "perm", "%u %s for a tensor of rank %d", n,
                            assay_noun (n, "entry", "entries"), x->rank);
      set_unranked (self, 0);
      return;
    }

  for (int i = 0; i < x->rank; i++)
    {
      int from = perm == NULL ? x->rank - 1 - i : (int) perm[i];

      dims[i] = x->dims[from < 0 ? from + x->rank : from];
    }

  assay_shape_set_tensor (self, 0, assay_shape_dtype (self, 0), x->rank, dims);
}

void
assay_shape_rule_concat (AssayShapeContext *self)
{
  AssayDim dims[ASSAY_MAX_RANK];
  AssayScalar sum = assay_scalar_int (0);
  int rank = -1;
  int axis = 0;
  gboolean open = FALSE;

  for (guint i = 0; i < self->node->n_inputs; i++)
    {
      const AssayType *x = assay_shape_tensor (self, i, 1, -1);

      if (x == NULL)
        {
          open = TRUE;
          continue;
        }

      if (rank < 0)
        {
          rank = x->rank;
          if (!assay_shape_node_axis (self, rank, &axis))
            {
              set_unranked (self, 0);
              return;
            }
          for (int j = 0; j < rank; j++)
            dims[j] = x->dims[j];
        }
      else if (x->rank != rank)
        {
          assay_shape_report (self, "infer.rank", NULL,
                              "input %u has rank %d, the others have rank %d", i, x->rank, rank);
          set_unranked (self, 0);
          return;
        }

      for (int j = 0; j < rank; j++)
        {
          if (j != axis)
            assay_shape_unify (self, &dims[j], x->dims[j], "an extent beside the axis");
        }
      sum = assay_scalar_add (self->arena, sum, assay_scalar_from_dim (x->dims[axis]));
    }

  if (rank >= 0)
    dims[axis] = open ? assay_dim_unknown () : assay_scalar_to_dim (sum);

  assay_shape_set_tensor (self, 0, assay_shape_dtype (self, 0), rank, dims);
}

void
assay_shape_rule_split (AssayShapeContext *self)
{
  const AssayType *x = assay_shape_tensor (self, 0, 1, -1);
  guint n_outputs = self->node->n_outputs;
  gint64 parts = n_outputs;
  const AssayScalar *sizes = NULL;
  AssayDim dims[ASSAY_MAX_RANK];
  AssayScalar extent;
  AssayScalar chunk;
  guint n_sizes = 0;
  int axis;

  assay_node_find_int (self->node, "num_outputs", &parts);
  if (x == NULL || !assay_shape_node_axis (self, x->rank, &axis))
    {
      for (guint i = 0; i < n_outputs; i++)
        set_unranked (self, i);
      return;
    }

  if (assay_shape_has_input (self, 1))
    {
      sizes = assay_shape_vector (self, 1, &n_sizes);
      if (sizes != NULL && n_sizes != n_outputs)
        assay_shape_report (self, "infer.shape", NULL, "%u size%s for %u output%s", n_sizes,
                            assay_plural (n_sizes), n_outputs, assay_plural (n_outputs));
    }
  else if (parts != (gint64) n_outputs)
    {
      assay_shape_report (self, "infer.attribute", "num_outputs",
                          "%" G_GINT64_FORMAT " for %u output%s", parts, n_outputs,
                          assay_plural (n_outputs));
    }

  for (int i = 0; i < x->rank; i++)
    dims[i] = x->dims[i];
  extent = assay_scalar_from_dim (x->dims[axis]);
  chunk = parts < 1 ? assay_scalar_unknown ()
                    : assay_scalar_ceil_div (self->arena, extent, assay_scalar_int (parts));

  for (guint i = 0; i < n_outputs; i++)
    {
      AssayScalar size = assay_scalar_unknown ();

      if (assay_shape_has_input (self, 1))
        {
          if (sizes != NULL && i < n_sizes)
            size = sizes[i];
        }
      else if (i + 1 < n_outputs || parts != (gint64) n_outputs)
        {
          size = chunk;
        }
      else
        {
          /* The last part may be smaller. */
          size = assay_scalar_sub (
              self->arena, extent,
              assay_scalar_mul (self->arena, chunk, assay_scalar_int (parts - 1)));
        }

      if (size.kind == ASSAY_SCALAR_INT && size.u.i < 0)
        assay_shape_report (self, "infer.shape", NULL,
                            "part %u would have extent %" G_GINT64_FORMAT, i, size.u.i);
      dims[axis] = assay_scalar_to_dim (size);
      assay_shape_set_tensor (self, i, assay_shape_dtype (self, 0), x->rank, dims);
    }
}

/* A bound of a slice with positive step, brought into 0 ... extent. */
static AssayScalar
slice_bound (AssayShapeContext *self, AssayScalar bound, AssayScalar extent)
{
  AssayScalar zero = assay_scalar_int (0);

  if (bound.kind == ASSAY_SCALAR_INT && bound.u.i < 0)
    {
      bound = bound.u.i <= G_MININT32 ? zero : assay_scalar_add (self->arena, extent, bound);
      if (bound.kind == ASSAY_SCALAR_INT)
        bound.u.i = MAX (bound.u.i, 0);
      return bound;
    }

  if (bound.kind == ASSAY_SCALAR_INT && bound.u.i >= G_MAXINT32)
    return extent.kind == ASSAY_SCALAR_INT ? assay_scalar_int (MIN (bound.u.i, extent.u.i))
                                           : extent;

  if (bound.kind == ASSAY_SCALAR_INT &&
      (bound.u.i == 0 || (bound.u.i == 1 && extent.kind == ASSAY_SCALAR_SYMBOL)))
    return extent.kind == ASSAY_SCALAR_INT ? assay_scalar_int (MIN (bound.u.i, extent.u.i)) : bound;

  /* An expression that may be negative counts from the end then. */
  if (bound.kind == ASSAY_SCALAR_SYMBOL && !assay_scalar_is_non_negative (self->arena, bound))
    return assay_scalar_unknown ();

  return assay_scalar_min (self->arena, bound, extent);
}

static AssayDim
slice_dim (AssayShapeContext *self, AssayDim dim, AssayScalar start, AssayScalar end,
           AssayScalar step)
{
  AssayScalar extent = assay_scalar_from_dim (dim);
  AssayScalar length;
  AssayNodeSlice slice;

  if (step.kind != ASSAY_SCALAR_INT || step.u.i == 0 || step.u.i == G_MININT64)
    {
      if (step.kind == ASSAY_SCALAR_INT && step.u.i == 0)
        assay_shape_report (self, "infer.shape", NULL, "the step is zero");
      return assay_dim_unknown ();
    }

  if (extent.kind == ASSAY_SCALAR_INT && start.kind == ASSAY_SCALAR_INT &&
      end.kind == ASSAY_SCALAR_INT)
    {
      assay_node_slice_init (&slice, 1, &extent.u.i);
      assay_node_slice_cut (&slice, 0, start.u.i, end.u.i, step.u.i);
      return assay_dim (slice.length[0]);
    }

  if (step.u.i > 0)
    {
      /* What begins at the end and stops there is empty, known or not. */
      length = assay_scalar_sub (self->arena, slice_bound (self, end, extent),
                                 slice_bound (self, start, extent));
    }
  else if (start.kind == ASSAY_SCALAR_INT && (start.u.i == -1 || start.u.i >= G_MAXINT32) &&
           end.kind == ASSAY_SCALAR_INT && end.u.i <= G_MININT32)
    {
      length = extent;
      step.u.i = -step.u.i;
    }
  else
    {
      return assay_dim_unknown ();
    }

  if (length.kind == ASSAY_SCALAR_INT)
    length.u.i = MAX (length.u.i, 0);

  return assay_scalar_to_dim (assay_scalar_ceil_div (self->arena, length, step));
}

void
assay_shape_rule_slice (AssayShapeContext *self)
{
  const AssayType *x = assay_shape_tensor (self, 0, 1, -1);
  AssayDType dtype = assay_shape_dtype (self, 0);
  AssayDim dims[ASSAY_MAX_RANK];
  const AssayScalar *steps = NULL;
  const gint64 *axes = NULL;
  guint n_starts;
  guint n_ends;
  guint n_axes = 0;
  guint n_steps = 0;
  const AssayScalar *starts = assay_shape_vector (self, 1, &n_starts);
  const AssayScalar *ends = assay_shape_vector (self, 2, &n_ends);
  guint64 mask;

  if (x == NULL || starts == NULL || ends == NULL ||
      (assay_shape_has_input (self, 3) && !assay_shape_known_ints (self, 3, &n_axes, &axes)) ||
      (assay_shape_has_input (self, 4) && (steps = assay_shape_vector (self, 4, &n_steps)) == NULL))
    {
      /* Slicing keeps the rank, whatever the bounds. */
      assay_shape_set_tensor (self, 0, dtype, x == NULL ? -1 : x->rank, NULL);
      return;
    }

  if (n_starts != n_ends || (axes != NULL && n_axes != n_starts) ||
      (steps != NULL && n_steps != n_starts) || n_starts > (guint) x->rank)
    {
      assay_shape_report (self, "infer.shape", NULL,
                          "%u starts, %u ends, %u %s and %u step%s for rank %d", n_starts, n_ends,
                          axes == NULL ? n_starts : n_axes,
                          assay_noun (axes == NULL ? n_starts : n_axes, "axis", "axes"),
                          steps == NULL ? n_starts : n_steps,
                          assay_plural (steps == NULL ? n_starts : n_steps), x->rank);
      assay_shape_set_tensor (self, 0, dtype, x->rank, NULL);
      return;
    }

  for (int i = 0; i < x->rank; i++)
    dims[i] = x->dims[i];

  if (axes != NULL && !assay_shape_axes (self, NULL, n_axes, axes, x->rank, &mask))
    {
      assay_shape_set_tensor (self, 0, dtype, x->rank, NULL);
      return;
    }

  for (guint i = 0; i < n_starts; i++)
    {
      gint64 axis = axes == NULL ? (gint64) i : axes[i] < 0 ? axes[i] + x->rank : axes[i];

      dims[axis] = slice_dim (self, x->dims[axis], starts[i], ends[i],
                              steps == NULL ? assay_scalar_int (1) : steps[i]);
    }

  assay_shape_set_tensor (self, 0, dtype, x->rank, dims);
}

void
assay_shape_rule_pad (AssayShapeContext *self)
{
  const AssayType *x = assay_shape_tensor (self, 0, 0, -1);
  AssayDim dims[ASSAY_MAX_RANK];
  const gint64 *axes = NULL;
  guint64 mask;
  guint n_axes;
  guint n;
  const AssayScalar *pads = assay_shape_vector (self, 1, &n);

  if (x == NULL || pads == NULL ||
      (assay_shape_has_input (self, 3) && !assay_shape_known_ints (self, 3, &n_axes, &axes)))
    {
      assay_shape_set_tensor (self, 0, assay_shape_dtype (self, 0), x == NULL ? -1 : x->rank, NULL);
      return;
    }

  if (axes == NULL)
    n_axes = (guint) x->rank;

  if (n != n_axes * 2 ||
      (axes != NULL && !assay_shape_axes (self, NULL, n_axes, axes, x->rank, &mask)))
    {
      if (n != n_axes * 2)
        assay_shape_report (self, "infer.shape", NULL, "%u pad%s for %u %s", n, assay_plural (n),
                            n_axes, assay_noun (n_axes, "axis", "axes"));
      assay_shape_set_tensor (self, 0, assay_shape_dtype (self, 0), x->rank, NULL);
      return;
    }

  for (int i = 0; i < x->rank; i++)
    dims[i] = x->dims[i];

  for (guint i = 0; i < n_axes; i++)
    {
      gint64 axis = axes == NULL ? (gint64) i : axes[i] < 0 ? axes[i] + x->rank : axes[i];
      AssayScalar sum = assay_scalar_add (self->arena, pads[i], pads[i + n_axes]);

      sum = assay_scalar_add (self->arena, assay_scalar_from_dim (x->dims[axis]), sum);
      if (sum.kind == ASSAY_SCALAR_INT && sum.u.i < 0)
        assay_shape_report (self, "infer.shape", NULL,
                            "axis %" G_GINT64_FORMAT " would have extent %" G_GINT64_FORMAT, axis,
                            sum.u.i);
      dims[axis] = assay_scalar_to_dim (sum);
    }

  assay_shape_set_tensor (self, 0, assay_shape_dtype (self, 0), x->rank, dims);
}

void
assay_shape_rule_tile (AssayShapeContext *self)
{
  const AssayType *x = assay_shape_tensor (self, 0, 0, -1);
  AssayDim dims[ASSAY_MAX_RANK];
  guint n;
  const AssayScalar *repeats = assay_shape_vector (self, 1, &n);

  if (x == NULL)
    {
      assay_shape_set_tensor (self, 0, assay_shape_dtype (self, 0),
                              repeats != NULL && n <= ASSAY_MAX_RANK ? (int) n : -1, NULL);
      return;
    }

  if (repeats != NULL && n != (guint) x->rank)
    assay_shape_report (self, "infer.shape", NULL, "%u repeat%s for a tensor of rank %d", n,
                        assay_plural (n), x->rank);

  for (int i = 0; i < x->rank; i++)
    dims[i] = repeats == NULL || (guint) i >= n
                  ? assay_dim_unknown ()
                  : assay_scalar_to_dim (assay_scalar_mul (
                        self->arena, assay_scalar_from_dim (x->dims[i]), repeats[i]));

  assay_shape_set_tensor (self, 0, assay_shape_dtype (self, 0), x->rank, dims);
}

static void
set_blocks (AssayShapeContext *self, gboolean to_space)
{
  const AssayType *x = assay_shape_tensor (self, 0, 4, 4);
  gint64 block = assay_node_get_int (self->node, "blocksize");
  AssayDim dims[4];

  if (block < 1 || block > G_MAXINT32)
    {
      assay_shape_report (self, "infer.attribute", "blocksize",
                          "%" G_GINT64_FORMAT ", 1 or more was expected", block);
      set_unranked (self, 0);
      return;
    }

  if (x == NULL)
    {
      set_unranked (self, 0);
      return;
    }

  dims[0] = x->dims[0];
  for (int i = 1; i < 4; i++)
    {
      AssayScalar factor = assay_scalar_int (i == 1 ? block * block : block);
      AssayScalar extent = assay_scalar_from_dim (x->dims[i]);
      gboolean grow = to_space == (i > 1);

      if (!grow && extent.kind == ASSAY_SCALAR_INT && extent.u.i % factor.u.i != 0)
        assay_shape_report (self, "infer.shape", "blocksize",
                            "axis %d has extent %" G_GINT64_FORMAT
                            ", a multiple of %" G_GINT64_FORMAT " was expected",
                            i, extent.u.i, factor.u.i);
      dims[i] = assay_scalar_to_dim (grow ? assay_scalar_mul (self->arena, extent, factor)
                                          : assay_scalar_floor_div (self->arena, extent, factor));
    }

  assay_shape_set_tensor (self, 0, assay_shape_dtype (self, 0), 4, dims);
}

void
assay_shape_rule_depth_to_space (AssayShapeContext *self)
{
  set_blocks (self, TRUE);
}

void
assay_shape_rule_space_to_depth (AssayShapeContext *self)
{
  set_blocks (self, FALSE);
}

void
assay_shape_rule_center_crop_pad (AssayShapeContext *self)
{
  const AssayType *x = assay_shape_tensor (self, 0, 0, -1);
  AssayDim dims[ASSAY_MAX_RANK];
  guint64 mask;
  guint n;
  guint n_axes;
  const AssayScalar *shape = assay_shape_vector (self, 1, &n);
  const gint64 *axes = assay_node_get_ints (self->node, "axes", &n_axes);

  if (x == NULL || (axes != NULL && !assay_shape_axes (self, "axes", n_axes, axes, x->rank, &mask)))
    {
      assay_shape_set_tensor (self, 0, assay_shape_dtype (self, 0), x == NULL ? -1 : x->rank, NULL);
      return;
    }

  if (axes == NULL)
    n_axes = (guint) x->rank;
  if (shape != NULL && n != n_axes)
    {
      assay_shape_report (self, "infer.shape", "axes", "%u extent%s for %u %s", n, assay_plural (n),
                          n_axes, assay_noun (n_axes, "axis", "axes"));
      shape = NULL;
    }

  for (int i = 0; i < x->rank; i++)
    dims[i] = x->dims[i];
  for (guint i = 0; i < n_axes; i++)
    {
      gint64 axis = axes == NULL ? (gint64) i : axes[i] < 0 ? axes[i] + x->rank : axes[i];

      dims[axis] = shape == NULL ? assay_dim_unknown () : assay_scalar_to_dim (shape[i]);
    }

  assay_shape_set_tensor (self, 0, assay_shape_dtype (self, 0), x->rank, dims);
}
