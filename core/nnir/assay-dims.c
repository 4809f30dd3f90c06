/* assay-dims.c
 * SPDX-License-Identifier: Apache-2.0
 */
#include "nnir/assay-dims.h"

/**
 * assay_dims_product:
 * @dims: (array length=end): extents
 * @begin: the first one that counts
 * @end: the one behind the last
 *
 * Multiplies some extents.
 *
 * Returns: the product, 1 of none
 */
gsize
assay_dims_product (const gint64 *dims, guint begin, guint end)
{
  gsize n = 1;

  for (guint i = begin; i < end; i++)
    n *= (gsize) dims[i];

  return n;
}

/**
 * assay_dims_strides:
 * @rank: number of dimensions
 * @dims: (array length=rank): the dimensions
 * @strides: (out) (array length=rank): where to put the strides
 *
 * Computes how many elements lie between neighbours along each axis of a packed tensor.
 */
void
assay_dims_strides (guint rank, const gint64 *dims, gssize *strides)
{
  gssize stride = 1;

  for (guint i = rank; i-- > 0;)
    {
      strides[i] = stride;
      stride *= (gssize) MAX (dims[i], 1);
    }
}

/**
 * assay_dims_next:
 * @rank: number of dimensions
 * @dims: (array length=rank): the dimensions
 * @index: (inout) (array length=rank): a place
 *
 * Goes to the next place in row-major order.
 *
 * Returns: %FALSE behind the last one
 */
gboolean
assay_dims_next (guint rank, const gint64 *dims, gint64 *index)
{
  for (guint i = rank; i-- > 0;)
    {
      if (++index[i] < dims[i])
        return TRUE;
      index[i] = 0;
    }

  return FALSE;
}

/**
 * assay_dims_place:
 * @rank: number of dimensions
 * @dims: (array length=rank): extents of a tensor that broadcasts to a shape
 * @n: number of dimensions of the shape
 * @index: (array length=n): place in the shape
 *
 * Finds the element of a tensor that a place in the result of broadcasting comes from.
 *
 * Returns: its index in row-major order
 */
gsize
assay_dims_place (guint rank, const gint64 *dims, guint n, const gint64 *index)
{
  gsize place = 0;

  for (guint i = 0; i < rank; i++)
    place = place * (gsize) dims[i] + (dims[i] == 1 ? 0 : (gsize) index[n - rank + i]);

  return place;
}

/**
 * assay_dims_spread:
 * @rank: number of dimensions
 * @dims: (array length=rank): extents of a tensor
 * @n: number of dimensions of a shape
 * @over: (array length=n): extents of the shape
 * @strides: (out) (array length=n) (nullable): where to put how many elements of the tensor lie
 * between neighbours of the shape, 0 where the tensor is repeated
 *
 * Looks whether a tensor broadcasts to a shape. Axes that it lacks may be there if they are of
 * extent 1.
 *
 * Returns: whether it does
 */
gboolean
assay_dims_spread (guint rank, const gint64 *dims, guint n, const gint64 *over, gssize *strides)
{
  gssize stride = 1;

  for (guint i = 0; i < MAX (rank, n); i++)
    {
      gint64 dim = i < rank ? dims[rank - 1 - i] : 1;

      if (dim != 1 && (i >= n || dim != over[n - 1 - i]))
        return FALSE;
      if (i < n && strides != NULL)
        strides[n - 1 - i] = dim == 1 ? 0 : stride;
      stride *= (gssize) MAX (dim, 1);
    }

  return TRUE;
}
