/* assay-kernel-view.c
 * SPDX-License-Identifier: Apache-2.0
 */
#include "evaluate/kernels/assay-kernel-copy.h"

#include <string.h>

#include "base/assay-sentence.h"
#include "nnir/assay-node-slice.h"

/* Operators that move elements by whole axes. */

gboolean
assay_kernel_op_reshape (AssayKernel *self, GError **error)
{
  const AssayDatum *x = assay_kernel_input (self, 0);
  gboolean keep_zero = assay_node_get_int (self->node, "allowzero") != 0;
  gint64 dims[ASSAY_MAX_RANK];
  const gint64 *shape;
  gsize known = 1;
  int open = -1;
  guint rank;

  shape = assay_kernel_ints (self, 1, &rank, error);
  if (shape == NULL)
    return FALSE;
  if (rank > ASSAY_MAX_RANK)
    return assay_kernel_fail (self, error, "rank %u, at most %d is possible", rank, ASSAY_MAX_RANK);

  for (guint i = 0; i < rank; i++)
    {
      dims[i] = shape[i];
      if (dims[i] == 0 && !keep_zero)
        {
          if (i >= x->rank)
            return assay_kernel_fail (self, error,
                                      "extent %u of the new shape is 0, but the input has rank %u",
                                      i, x->rank);
          dims[i] = x->dims[i];
        }
      if (dims[i] == -1 && open < 0)
        open = (int) i;
      else if (dims[i] < 0 || !g_size_checked_mul (&known, known, (gsize) dims[i]))
        return assay_kernel_fail (self, error, "extent %u of the new shape is %" G_GINT64_FORMAT, i,
                                  dims[i]);
    }

  if (open >= 0)
    dims[open] = known == 0 ? 0 : (gint64) (x->n / known);

  return assay_kernel_output_view (self, 0, 0, rank, dims, error);
}

gboolean
assay_kernel_op_flatten (AssayKernel *self, GError **error)
{
  const AssayDatum *x = assay_kernel_input (self, 0);
  gint64 axis = assay_node_get_int (self->node, "axis");
  gint64 dims[2] = { 1, 1 };

  axis = axis < 0 ? axis + x->rank : axis;
  if (axis < 0 || axis > x->rank)
    return assay_kernel_fail (self, error, "axis %" G_GINT64_FORMAT " for rank %u", axis, x->rank);

  for (guint i = 0; i < x->rank; i++)
    dims[i >= axis] *= x->dims[i];

  return assay_kernel_output_view (self, 0, 0, 2, dims, error);
}

gboolean
assay_kernel_op_identity (AssayKernel *self, GError **error)
{
  assay_kernel_take (self, 0, assay_datum_ref (assay_kernel_input (self, 0)));
  return TRUE;
}

gboolean
assay_kernel_op_squeeze (AssayKernel *self, GError **error)
{
  const AssayDatum *x = assay_kernel_input (self, 0);
  gint64 dims[ASSAY_MAX_RANK];
  gboolean drop[ASSAY_MAX_RANK] = { FALSE };
  guint rank = 0;
  guint axis, n;

  if (assay_kernel_input (self, 1) != NULL)
    {
      const gint64 *list = assay_kernel_ints (self, 1, &n, error);

      if (list == NULL)
        return FALSE;
      for (guint i = 0; i < n; i++)
        {
          if (!assay_kernel_axis (self, list[i], x->rank, &axis, error))
            return FALSE;
          drop[axis] = TRUE;
        }
    }
  else
    {
      for (guint i = 0; i < x->rank; i++)
        drop[i] = x->dims[i] == 1;
    }

  for (guint i = 0; i < x->rank; i++)
    {
      if (!drop[i])
        dims[rank++] = x->dims[i];
      else if (x->dims[i] != 1)
        return assay_kernel_fail (self, error,
                                  "axis %u has the extent %" G_GINT64_FORMAT ", 1 was expected", i,
                                  x->dims[i]);
    }

  return assay_kernel_output_view (self, 0, 0, rank, dims, error);
}

gboolean
assay_kernel_op_unsqueeze (AssayKernel *self, GError **error)
{
  const AssayDatum *x = assay_kernel_input (self, 0);
  gint64 dims[ASSAY_MAX_RANK];
  guint axes[ASSAY_MAX_RANK];
  gboolean add[ASSAY_MAX_RANK] = { FALSE };
  const gint64 *list;
  guint rank;
  guint n;

  list = assay_kernel_ints (self, 1, &n, error);
  if (list == NULL)
    return FALSE;
  rank = x->rank + MIN (n, ASSAY_MAX_RANK + 1);
  if (rank > ASSAY_MAX_RANK)
    return assay_kernel_fail (self, error, "rank %u, at most %d is possible", rank, ASSAY_MAX_RANK);
  if (!assay_kernel_axes (self, n, list, rank, axes, error))
    return FALSE;

  for (guint i = 0; i < n; i++)
    add[axes[i]] = TRUE;
  for (guint i = 0, from = 0; i < rank; i++)
    dims[i] = add[i] ? 1 : x->dims[from++];

  return assay_kernel_output_view (self, 0, 0, rank, dims, error);
}

/* Makes the first output of a view of the first input. */
static gboolean
give_view (AssayKernel *self, gssize offset, guint view_rank, const gint64 *view_dims,
           const gssize *view_strides, guint rank, const gint64 *dims, GError **error)
{
  AssayDatum *y = assay_kernel_copy_view (self, assay_kernel_input (self, 0), offset, view_rank,
                                          view_dims, view_strides, rank, dims, error);

  if (y == NULL)
    return FALSE;

  assay_kernel_take (self, 0, y);

  return TRUE;
}

gboolean
assay_kernel_op_transpose (AssayKernel *self, GError **error)
{
  const AssayDatum *x = assay_kernel_input (self, 0);
  gint64 reversed[ASSAY_MAX_RANK];
  gint64 dims[ASSAY_MAX_RANK];
  gssize strides[ASSAY_MAX_RANK];
  gssize permuted[ASSAY_MAX_RANK];
  guint axes[ASSAY_MAX_RANK];
  guint n = 0;
  const gint64 *perm = assay_node_get_ints (self->node, "perm", &n);

  if (perm == NULL || n == 0)
    {
      for (guint i = 0; i < x->rank; i++)
        reversed[i] = x->rank - 1 - i;
      perm = reversed;
      n = x->rank;
    }
  if (n != x->rank)
    return assay_kernel_fail (self, error, "perm has %u %s for rank %u", n,
                              assay_noun (n, "entry", "entries"), x->rank);
  if (!assay_kernel_axes (self, n, perm, x->rank, axes, error))
    return FALSE;

  assay_dims_strides (x->rank, x->dims, strides);
  for (guint i = 0; i < n; i++)
    {
      dims[i] = x->dims[axes[i]];
      permuted[i] = strides[axes[i]];
    }

  return give_view (self, 0, n, dims, permuted, n, dims, error);
}

gboolean
assay_kernel_op_expand (AssayKernel *self, GError **error)
{
  const AssayDatum *x = assay_kernel_input (self, 0);
  gint64 dims[ASSAY_MAX_RANK];
  gssize strides[ASSAY_MAX_RANK];
  gssize spread[ASSAY_MAX_RANK];
  const gint64 *shape;
  guint rank;
  guint n;

  shape = assay_kernel_ints (self, 1, &n, error);
  if (shape == NULL)
    return FALSE;
  rank = MAX (x->rank, n);
  if (rank > ASSAY_MAX_RANK)
    return assay_kernel_fail (self, error, "rank %u, at most %d is possible", rank, ASSAY_MAX_RANK);

  assay_dims_strides (x->rank, x->dims, strides);
  for (guint i = 0; i < rank; i++)
    {
      gint64 have = i + x->rank < rank ? 1 : x->dims[i + x->rank - rank];
      gint64 want = i + n < rank ? 1 : shape[i + n - rank];

      if (have != want && have != 1 && want != 1)
        return assay_kernel_fail (self, error,
                                  "axis %u of %" G_GINT64_FORMAT
                                  " elements cannot be spread to %" G_GINT64_FORMAT,
                                  i, have, want);
      dims[i] = have == 1 ? want : have;
      spread[i] = have == 1 ? 0 : strides[i + x->rank - rank];
    }

  return give_view (self, 0, rank, dims, spread, rank, dims, error);
}

gboolean
assay_kernel_op_tile (AssayKernel *self, GError **error)
{
  const AssayDatum *x = assay_kernel_input (self, 0);
  gint64 dims[ASSAY_MAX_RANK];
  gint64 copies[ASSAY_MAX_RANK];
  gssize strides[ASSAY_MAX_RANK];
  gssize doubled[ASSAY_MAX_RANK];
  const gint64 *repeats;
  guint n;

  repeats = assay_kernel_ints (self, 1, &n, error);
  if (repeats == NULL)
    return FALSE;
  if (n != x->rank || 2 * n > ASSAY_MAX_RANK)
    return assay_kernel_fail (self, error, "%u repeat%s for rank %u, which may be up to %d", n,
                              assay_plural (n), x->rank, ASSAY_MAX_RANK / 2);

  assay_dims_strides (x->rank, x->dims, strides);
  for (guint i = 0; i < n; i++)
    {
      if (repeats[i] < 0 || __builtin_mul_overflow (x->dims[i], repeats[i], &dims[i]))
        return assay_kernel_fail (self, error, "%" G_GINT64_FORMAT " repeat%s of axis %u",
                                  repeats[i], assay_plural (repeats[i]), i);
      copies[2 * i] = repeats[i];
      copies[2 * i + 1] = x->dims[i];
      doubled[2 * i] = 0;
      doubled[2 * i + 1] = strides[i];
    }

  return give_view (self, 0, 2 * n, copies, doubled, n, dims, error);
}

/* The image is taken apart into six axes, which are put together in another order. */
static gboolean
move_blocks (AssayKernel *self, const gint64 *parts, const guint *order, gint64 channels,
             gint64 height, gint64 width, GError **error)
{
  gint64 dims[4] = { parts[0], channels, height, width };
  gint64 moved[6];
  gssize strides[6];
  gssize permuted[6];

  assay_dims_strides (6, parts, strides);
  for (guint i = 0; i < 6; i++)
    {
      moved[i] = parts[order[i]];
      permuted[i] = strides[order[i]];
    }

  return give_view (self, 0, 6, moved, permuted, 4, dims, error);
}

gboolean
assay_kernel_op_depth_to_space (AssayKernel *self, GError **error)
{
  static const guint depth_first[6] = { 0, 3, 4, 1, 5, 2 };
  static const guint column_first[6] = { 0, 1, 4, 2, 5, 3 };
  const AssayDatum *x = assay_kernel_input (self, 0);
  gint64 b = assay_node_get_int (self->node, "blocksize");
  gboolean crd = strcmp (assay_node_get_string (self->node, "mode"), "CRD") == 0;
  gint64 depth;

  if (!assay_kernel_expect_rank (self, 0, 4, 4, error))
    return FALSE;
  if (b < 1 || b > G_MAXINT32 || x->dims[1] % (b * b) != 0)
    return assay_kernel_fail (self, error,
                              "blocksize %" G_GINT64_FORMAT
                              " squared does not divide %" G_GINT64_FORMAT " channel%s",
                              b, x->dims[1], assay_plural (x->dims[1]));

  depth = x->dims[1] / (b * b);

  return crd ? move_blocks (self, (gint64[]){ x->dims[0], depth, b, b, x->dims[2], x->dims[3] },
                            column_first, depth, x->dims[2] * b, x->dims[3] * b, error)
             : move_blocks (self, (gint64[]){ x->dims[0], b, b, depth, x->dims[2], x->dims[3] },
                            depth_first, depth, x->dims[2] * b, x->dims[3] * b, error);
}

gboolean
assay_kernel_op_space_to_depth (AssayKernel *self, GError **error)
{
  static const guint order[6] = { 0, 3, 5, 1, 2, 4 };
  const AssayDatum *x = assay_kernel_input (self, 0);
  gint64 b = assay_node_get_int (self->node, "blocksize");

  if (!assay_kernel_expect_rank (self, 0, 4, 4, error))
    return FALSE;
  if (b < 1 || b > G_MAXINT32 || x->dims[2] % b != 0 || x->dims[3] % b != 0)
    return assay_kernel_fail (self, error,
                              "blocksize %" G_GINT64_FORMAT " does not divide height and width", b);

  return move_blocks (self,
                      (gint64[]){ x->dims[0], x->dims[1], x->dims[2] / b, b, x->dims[3] / b, b },
                      order, x->dims[1] * b * b, x->dims[2] / b, x->dims[3] / b, error);
}

gboolean
assay_kernel_op_slice (AssayKernel *self, GError **error)
{
  const AssayDatum *x = assay_kernel_input (self, 0);
  g_autoptr (GPtrArray) owned = g_ptr_array_new_with_free_func (g_free);
  gint64 *lists[5] = { NULL };
  AssayNodeSlice slice;
  gint64 all[ASSAY_MAX_RANK];
  guint axes[ASSAY_MAX_RANK];
  gssize strides[ASSAY_MAX_RANK];
  gssize offset = 0;
  gsize n = 0;

  for (guint i = 1; i < 5; i++)
    {
      gsize length;

      if (assay_kernel_input (self, i) == NULL)
        continue;
      lists[i] = assay_kernel_dup_integers (self, i, &length, error);
      if (lists[i] == NULL)
        return FALSE;
      g_ptr_array_add (owned, lists[i]);
      if ((i > 1 && length != n) || length > x->rank)
        return assay_kernel_fail (self, error,
                                  "input %u has %" G_GSIZE_FORMAT
                                  " elements, the rank is %u, input 1 has %" G_GSIZE_FORMAT,
                                  i, length, x->rank, n);
      n = length;
    }

  for (guint i = 0; i < x->rank; i++)
    all[i] = i;
  if (!assay_kernel_axes (self, (guint) n, lists[3] != NULL ? lists[3] : all, x->rank, axes, error))
    return FALSE;

  assay_dims_strides (x->rank, x->dims, strides);
  assay_node_slice_init (&slice, x->rank, x->dims);
  for (guint i = 0; i < n; i++)
    {
      guint axis = axes[i];

      if (!assay_node_slice_cut (&slice, axis, lists[1][i], lists[2][i],
                                 lists[4] != NULL ? lists[4][i] : 1))
        return assay_kernel_fail (self, error, "the step along axis %u is 0", axis);

      offset += (gssize) slice.start[axis] * strides[axis];
      if (slice.length[axis] > 1)
        strides[axis] *= (gssize) slice.step[axis];
    }

  return give_view (self, offset, x->rank, slice.length, strides, x->rank, slice.length, error);
}

gboolean
assay_kernel_op_concat (AssayKernel *self, GError **error)
{
  AssayDatum *y;
  guint axis;

  if (!assay_kernel_node_axis (self, assay_kernel_input (self, 0)->rank, &axis, error))
    return FALSE;

  y = assay_kernel_join (self, self->n_inputs, self->inputs, axis, error);
  if (y == NULL)
    return FALSE;

  assay_kernel_take (self, 0, y);

  return TRUE;
}

gboolean
assay_kernel_op_split (AssayKernel *self, GError **error)
{
  AssayDatum *x = assay_kernel_input (self, 0);
  g_autofree gint64 *even = NULL;
  const gint64 *extents;
  g_autoptr (GPtrArray) pieces = NULL;
  guint n = self->n_outputs;
  guint axis;

  if (!assay_kernel_node_axis (self, x->rank, &axis, error))
    return FALSE;

  if (assay_kernel_input (self, 1) != NULL)
    {
      extents = assay_kernel_ints (self, 1, &n, error);
      if (extents == NULL)
        return FALSE;
      if (n < self->n_outputs)
        return assay_kernel_fail (self, error, "%u extent%s for %u output%s", n, assay_plural (n),
                                  self->n_outputs, assay_plural (self->n_outputs));
    }
  else
    {
      gint64 wanted = n;
      gint64 left = x->dims[axis];
      gint64 each;

      assay_node_find_int (self->node, "num_outputs", &wanted);
      if (wanted < n || wanted < 1 || wanted > G_MAXINT16)
        return assay_kernel_fail (self, error,
                                  "num_outputs is %" G_GINT64_FORMAT " for %u output%s", wanted, n,
                                  assay_plural (n));

      /* The last piece is smaller where they cannot all be equal. */
      n = (guint) wanted;
      each = (left + n - 1) / n;
      even = assay_kernel_room (self, gint64, n, error);
      if (even == NULL)
        return FALSE;
      for (guint i = 0; i < n; i++, left -= each)
        even[i] = CLAMP (left, 0, each);
      extents = even;
    }

  pieces = assay_kernel_cut (self, x, axis, n, extents, error);
  if (pieces == NULL)
    return FALSE;

  for (guint i = 0; i < self->n_outputs; i++)
    if (assay_kernel_wants (self, i))
      assay_kernel_take (self, i, assay_datum_ref (g_ptr_array_index (pieces, i)));

  return TRUE;
}
