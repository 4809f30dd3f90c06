/* assay-kernel-order.c
 * SPDX-License-Identifier: Apache-2.0
 */
#include "evaluate/kernels/assay-kernel-copy.h"

#include "base/assay-sentence.h"
#include "nnir/assay-dims.h"

#include <stdlib.h>
#include <string.h>

/* Operators that compare elements with each other. */

/* A NaN is above everything and equal to itself. */
#define COMPARE(storage, type)                                                                     \
  case ASSAY_DTYPE_##storage:                                                                      \
    {                                                                                              \
      type left = ((const type *) x->data)[a];                                                     \
      type right = ((const type *) x->data)[b];                                                    \
      if (left != left || right != right)                                                          \
        return (left != left) - (right != right);                                                  \
      return (left > right) - (left < right);                                                      \
    }

static int
compare_elements (const AssayDatum *x, gsize a, gsize b)
{
  switch (x->storage)
    {
      ASSAY_KERNEL_NUMBER_TYPES (COMPARE)
      COMPARE (BOOL, guint8)
    case ASSAY_DTYPE_STRING:
      return g_bytes_compare (((GBytes *const *) x->data)[a], ((GBytes *const *) x->data)[b]);
    default:
      g_assert_not_reached ();
    }
}

/* Slices of @n elements that lie @step apart; the elements of a slice @stride. */
typedef struct
{
  const AssayDatum *x;
  gsize offset;
  gsize n;
  gsize stride;
  gsize step;
  int sign;
} Order;

/* In the given direction; what is equal keeps its order. */
static int
compare_slices (gconstpointer a, gconstpointer b, gpointer user_data)
{
  const Order *order = user_data;
  gsize left = *(const gsize *) a;
  gsize right = *(const gsize *) b;

  for (gsize i = 0; i < order->n; i++)
    {
      int sign = compare_elements (order->x, order->offset + left * order->step + i * order->stride,
                                   order->offset + right * order->step + i * order->stride);

      if (sign != 0)
        return sign * order->sign;
    }

  return (left > right) - (left < right);
}

static gboolean
same_slice (Order *order, gsize a, gsize b)
{
  for (gsize i = 0; i < order->n; i++)
    if (compare_elements (order->x, order->offset + a * order->step + i * order->stride,
                          order->offset + b * order->step + i * order->stride) != 0)
      return FALSE;

  return TRUE;
}

/* Up to so many are kept in order while the others pass by; for more everything is sorted. */
#define MAX_KEPT 256

/* The best of each slice along an axis. */
typedef struct
{
  AssayKernel *kernel;
  const AssayDatum *x;
  AssayDatum *values;
  AssayDatum *indices;
  gsize extent;
  gsize inner;
  gsize k;
  int sign;
} TopK;

static void
rank_all (Order *order, gsize extent, gsize *ranking)
{
  for (gsize i = 0; i < extent; i++)
    ranking[i] = i;
  qsort_r (ranking, extent, sizeof *ranking, compare_slices, order);
}

static void
rank_best (Order *order, gsize extent, gsize k, gsize *ranking)
{
  for (gsize i = 0; i < extent; i++)
    {
      gsize place = MIN (i, k);

      if (place == k && compare_slices (&i, &ranking[k - 1], order) > 0)
        continue;
      for (place = MIN (place, k - 1);
           place > 0 && compare_slices (&i, &ranking[place - 1], order) < 0; place--)
        ranking[place] = ranking[place - 1];
      ranking[place] = i;
    }
}

static void
rank_slices (gpointer data, gsize begin, gsize end)
{
  const TopK *self = data;
  g_autofree gsize *ranking = assay_kernel_room (self->kernel, gsize, self->extent + 1, NULL);

  if (ranking == NULL)
    return;

  for (gsize slice = begin; slice < end; slice++)
    {
      gsize outer = slice / self->inner;
      gsize at = slice % self->inner;
      Order order = { self->x,   outer * self->extent * self->inner + at, 1, 1, self->inner,
                      self->sign };

      if (self->k > MAX_KEPT)
        rank_all (&order, self->extent, ranking);
      else
        rank_best (&order, self->extent, self->k, ranking);
      for (gsize i = 0; i < self->k; i++)
        {
          gsize to = (outer * self->k + i) * self->inner + at;

          if (self->values != NULL)
            assay_element_copy (self->x, order.offset + ranking[i] * self->inner, self->values, to,
                                1);
          if (self->indices != NULL)
            ((gint64 *) self->indices->data)[to] = (gint64) ranking[i];
        }
    }
}

/* What need not be sorted is sorted too, which is one of the orders that are allowed. */
gboolean
assay_kernel_op_top_k (AssayKernel *self, GError **error)
{
  const AssayDatum *x = assay_kernel_input (self, 0);
  TopK top = { .kernel = self,
               .x = x,
               .inner = 1,
               .sign = assay_node_get_int (self->node, "largest") != 0 ? -1 : 1 };
  gint64 dims[ASSAY_MAX_RANK];
  const gint64 *wanted;
  guint axis;
  guint n;

  if (x->storage == ASSAY_DTYPE_STRING || assay_dtype_kind (x->dtype) == 'C')
    return assay_kernel_fail_type (self, 0, error);
  if (!assay_kernel_node_axis (self, x->rank, &axis, error))
    return FALSE;
  wanted = assay_kernel_ints (self, 1, &n, error);
  if (wanted == NULL)
    return FALSE;
  if (n != 1 || *wanted < 0 || *wanted > x->dims[axis])
    return assay_kernel_fail (self, error, "K is not one number from 0 to %" G_GINT64_FORMAT,
                              x->dims[axis]);

  memcpy (dims, x->dims, x->rank * sizeof *dims);
  dims[axis] = *wanted;
  if (assay_kernel_wants (self, 0) &&
      (top.values = assay_kernel_output (self, 0, x->dtype, x->rank, dims, error)) == NULL)
    return FALSE;
  if (assay_kernel_wants (self, 1) &&
      (top.indices = assay_kernel_output (self, 1, ASSAY_DTYPE_I64, x->rank, dims, error)) == NULL)
    return FALSE;

  top.extent = (gsize) x->dims[axis];
  top.k = (gsize) *wanted;
  if (x->n == 0 || top.k == 0)
    return TRUE;
  if (top.extent > G_MAXINT)
    return assay_kernel_fail (self, error, "axis %u of %" G_GSIZE_FORMAT " element%s is too long",
                              axis, top.extent, assay_plural (top.extent));

  top.inner = assay_dims_product (x->dims, axis + 1, x->rank);
  assay_kernel_parallel (self, x->n / top.extent, 65536 / top.extent + 1, rank_slices, &top);

  return TRUE;
}

gboolean
assay_kernel_op_non_zero (AssayKernel *self, GError **error)
{
  const AssayDatum *x = assay_kernel_input (self, 0);
  g_autofree gsize *places = assay_kernel_room (self, gsize, x->n, error);
  gsize n = 0;
  gssize strides[ASSAY_MAX_RANK];
  gint64 dims[2] = { x->rank, 0 };
  AssayDatum *y;

  if (places == NULL)
    return FALSE;
  if (assay_dtype_kind (x->dtype) == 'C')
    return assay_kernel_fail_type (self, 0, error);

  for (gsize i = 0; i < x->n; i++)
    {
      gboolean is_zero = x->storage == ASSAY_DTYPE_STRING
                             ? g_bytes_get_size (((GBytes *const *) x->data)[i]) == 0
                             : assay_datum_get_number (x, i) == 0;

      if (!is_zero)
        places[n++] = i;
    }

  dims[1] = (gint64) n;
  y = assay_kernel_output (self, 0, ASSAY_DTYPE_I64, 2, dims, error);
  if (y == NULL)
    return FALSE;

  assay_dims_strides (x->rank, x->dims, strides);
  for (guint axis = 0; axis < x->rank; axis++)
    for (gsize i = 0; i < n; i++)
      ((gint64 *) y->data)[axis * n + i] = (gint64) places[i] / strides[axis] % x->dims[axis];

  return TRUE;
}

/* The groups of equal slices: of each its first slice and its size, and the group of every slice.
 */
typedef struct
{
  gsize n;
  gsize *first;
  gsize *count;
  gsize *group;
} Groups;

static void
groups_clear (Groups *self)
{
  g_free (self->first);
  g_free (self->count);
  g_free (self->group);
}

G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (Groups, groups_clear)

static int
compare_firsts (gconstpointer a, gconstpointer b, gpointer user_data)
{
  const Groups *groups = user_data;
  gsize left = groups->first[*(const gsize *) a];
  gsize right = groups->first[*(const gsize *) b];

  return (left > right) - (left < right);
}

static gboolean
find_groups (AssayKernel *self, Groups *groups, Order *order, gsize n, gboolean sorted,
             GError **error)
{
  g_autofree gsize *ranking = assay_kernel_room (self, gsize, n + 1, error);
  g_autofree gsize *first = NULL;
  g_autofree gsize *count = NULL;
  g_autofree gsize *by_first = NULL;
  g_autofree gsize *rank = NULL;

  if (ranking == NULL || !(groups->first = assay_kernel_room (self, gsize, n + 1, error)) ||
      !(groups->count = assay_kernel_room0 (self, gsize, n + 1, error)) ||
      !(groups->group = assay_kernel_room (self, gsize, n + 1, error)))
    return FALSE;

  for (gsize i = 0; i < n; i++)
    ranking[i] = i;
  qsort_r (ranking, n, sizeof *ranking, compare_slices, order);

  for (gsize i = 0; i < n; i++)
    {
      if (i == 0 || !same_slice (order, ranking[i - 1], ranking[i]))
        groups->first[groups->n++] = ranking[i];
      groups->group[ranking[i]] = groups->n - 1;
      groups->count[groups->n - 1]++;
    }
  if (sorted)
    return TRUE;

  /* In the order in which they come up. */
  if (!(by_first = assay_kernel_room (self, gsize, groups->n + 1, error)) ||
      !(rank = assay_kernel_room (self, gsize, groups->n + 1, error)) ||
      !(first = assay_kernel_room (self, gsize, groups->n + 1, error)) ||
      !(count = assay_kernel_room (self, gsize, groups->n + 1, error)))
    return FALSE;
  for (gsize i = 0; i < groups->n; i++)
    by_first[i] = i;
  qsort_r (by_first, groups->n, sizeof *by_first, compare_firsts, groups);
  memcpy (first, groups->first, groups->n * sizeof *first);
  memcpy (count, groups->count, groups->n * sizeof *count);
  for (gsize i = 0; i < groups->n; i++)
    {
      rank[by_first[i]] = i;
      groups->first[i] = first[by_first[i]];
      groups->count[i] = count[by_first[i]];
    }
  for (gsize i = 0; i < n; i++)
    groups->group[i] = rank[groups->group[i]];

  return TRUE;
}

static gboolean
give_integers (AssayKernel *self, guint output, gsize n, const gsize *values, GError **error)
{
  gint64 dim = (gint64) n;
  AssayDatum *y;

  if (!assay_kernel_wants (self, output))
    return TRUE;

  y = assay_kernel_output (self, output, ASSAY_DTYPE_I64, 1, &dim, error);
  if (y == NULL)
    return FALSE;
  for (gsize i = 0; i < n; i++)
    ((gint64 *) y->data)[i] = (gint64) values[i];

  return TRUE;
}

gboolean
assay_kernel_op_unique (AssayKernel *self, GError **error)
{
  AssayDatum *x = assay_kernel_input (self, 0);
  gboolean flat = assay_node_find_attr (self->node, "axis") == NULL;
  g_autoptr (AssayDatum) front = NULL;
  g_auto (Groups) groups = { 0 };
  gint64 moved[ASSAY_MAX_RANK];
  gint64 dims[ASSAY_MAX_RANK];
  gssize strides[ASSAY_MAX_RANK];
  gsize n = x->n;
  Order order = { x, 0, 1, 1, 1, 1 };
  AssayDatum *y = NULL;
  guint axis = 0;

  if (assay_dtype_kind (x->dtype) == 'C')
    return assay_kernel_fail_type (self, 0, error);
  if (!flat && !assay_kernel_node_axis (self, x->rank, &axis, error))
    return FALSE;

  if (!flat)
    {
      /* The axis first, so that each slice lies together. */
      assay_dims_strides (x->rank, x->dims, strides);
      memcpy (moved, x->dims, x->rank * sizeof *moved);
      for (guint i = axis; i > 0; i--)
        {
          gssize stride = strides[i];

          strides[i] = strides[i - 1];
          strides[i - 1] = stride;
          moved[i] = moved[i - 1];
        }
      moved[0] = x->dims[axis];
      front = assay_kernel_copy_view (self, x, 0, x->rank, moved, strides, x->rank, moved, error);
      if (front == NULL)
        return FALSE;
      n = (gsize) moved[0];
      order.x = front;
      order.n = order.step = n > 0 ? x->n / n : 0;
    }
  if (n > G_MAXINT || n > MAX (x->n, 1 << 20))
    return assay_kernel_fail (self, error, "%" G_GSIZE_FORMAT " elements are too many", n);

  if (!find_groups (self, &groups, &order, n, assay_node_get_int (self->node, "sorted") != 0,
                    error))
    return FALSE;
  if (assay_kernel_wants (self, 0))
    {
      gsize inner;

      memcpy (dims, x->dims, x->rank * sizeof *dims);
      dims[axis] = (gint64) groups.n;
      y = assay_kernel_output (self, 0, x->dtype, flat ? 1 : x->rank, dims, error);
      if (y == NULL)
        return FALSE;

      inner = flat ? 1 : assay_dims_product (x->dims, axis + 1, x->rank);
      for (gsize i = 0; i < y->n; i += inner)
        {
          gsize outer = i / inner / groups.n;
          gsize slice = groups.first[i / inner % groups.n];

          assay_element_copy (x, (outer * n + slice) * inner, y, i, inner);
        }
    }

  return give_integers (self, 1, groups.n, groups.first, error) &&
         give_integers (self, 2, n, groups.group, error) &&
         give_integers (self, 3, groups.n, groups.count, error);
}
