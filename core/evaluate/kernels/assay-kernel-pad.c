/* assay-kernel-pad.c
 * SPDX-License-Identifier: Apache-2.0
 */
#include "evaluate/kernels/assay-kernel-copy.h"

#include <string.h>

#include "base/assay-sentence.h"

/* Operators that put elements around a tensor, cut them off or move them within it. */

/* Copies the part of the input that remains to its place in the output; both begin at the given
 * indices. */
static void
copy_part (AssayKernel *self, const AssayDatum *x, const gint64 *from, AssayDatum *y,
           const gint64 *to, const gint64 *extents)
{
  gssize from_strides[ASSAY_MAX_RANK];
  gssize to_strides[ASSAY_MAX_RANK];
  gssize from_offset = 0;
  gssize to_offset = 0;

  assay_dims_strides (x->rank, x->dims, from_strides);
  assay_dims_strides (y->rank, y->dims, to_strides);
  for (guint i = 0; i < x->rank; i++)
    {
      if (extents[i] <= 0)
        return;
      from_offset += (gssize) from[i] * from_strides[i];
      to_offset += (gssize) to[i] * to_strides[i];
    }

  assay_kernel_copy (self, x, from_offset, from_strides, y, to_offset, to_strides, x->rank,
                     extents);
}

typedef enum
{
  PAD_CONSTANT,
  PAD_REFLECT,
  PAD_EDGE,
  PAD_WRAP,
} PadMode;

/* Which of @n elements stands at a place that may lie outside. */
static gint64
padded_place (PadMode mode, gint64 at, gint64 n)
{
  gint64 period;

  if (mode == PAD_EDGE || n == 1)
    return CLAMP (at, 0, n - 1);

  period = mode == PAD_WRAP ? n : 2 * (n - 1);
  at = (at % period + period) % period;

  return at < n ? at : period - at;
}

static gboolean
pad_with_copies (AssayKernel *self, PadMode mode, const AssayDatum *x, AssayDatum *y,
                 const gint64 *begins, const gint64 *ends, GError **error)
{
  g_autoptr (GPtrArray) owned = g_ptr_array_new_with_free_func (g_free);

  for (guint i = 0; i < x->rank; i++)
    {
      /* Negative counts crop first, and what remains is repeated. */
      gint64 cropped = MAX (-begins[i], 0);
      gint64 n = x->dims[i] - cropped - MAX (-ends[i], 0);
      gint64 *places = assay_kernel_room (self, gint64, (gsize) y->dims[i] + 1, error);

      if (places == NULL)
        return FALSE;
      g_ptr_array_add (owned, places);
      if (n < 1 && y->dims[i] > 0)
        return assay_kernel_fail (self, error, "axis %u has no elements that could be repeated", i);
      for (gint64 j = 0; j < y->dims[i]; j++)
        places[j] = cropped + padded_place (mode, j - MAX (begins[i], 0), n);
    }

  assay_elements_pick (x, y, (gint64 *const *) owned->pdata);

  return TRUE;
}

static gboolean
read_pads (AssayKernel *self, const AssayDatum *x, gint64 *begins, gint64 *ends, GError **error)
{
  const AssayDatum *given = assay_kernel_input (self, 3);
  g_autofree gint64 *list = NULL;
  guint axes[ASSAY_MAX_RANK];
  const gint64 *pads;
  gsize n = x->rank;
  guint n_pads;

  for (guint i = 0; i < x->rank; i++)
    {
      axes[i] = i;
      begins[i] = ends[i] = 0;
    }

  pads = assay_kernel_ints (self, 1, &n_pads, error);
  if (pads == NULL)
    return FALSE;
  if (given != NULL)
    {
      list = assay_kernel_dup_integers (self, 3, &n, error);
      if (list == NULL ||
          !assay_kernel_axes (self, (guint) MIN (n, G_MAXUINT), list, x->rank, axes, error))
        return FALSE;
    }
  if (n_pads != 2 * n)
    return assay_kernel_fail (self, error, "%u pad%s for %" G_GSIZE_FORMAT " %s", n_pads,
                              assay_plural (n_pads), n, assay_noun (n, "axis", "axes"));

  for (gsize i = 0; i < n; i++)
    {
      begins[axes[i]] = pads[i];
      ends[axes[i]] = pads[n + i];
    }

  return TRUE;
}

gboolean
assay_kernel_op_pad (AssayKernel *self, GError **error)
{
  static const char *const modes[] = { "constant", "reflect", "edge", "wrap" };
  const AssayDatum *x = assay_kernel_input (self, 0);
  const AssayDatum *value = assay_kernel_input (self, 2);
  const char *name = assay_node_get_string (self->node, "mode");
  gint64 begins[ASSAY_MAX_RANK];
  gint64 ends[ASSAY_MAX_RANK];
  gint64 from[ASSAY_MAX_RANK];
  gint64 to[ASSAY_MAX_RANK];
  gint64 extents[ASSAY_MAX_RANK];
  gint64 dims[ASSAY_MAX_RANK];
  guint mode = 0;
  AssayDatum *y;

  while (mode < G_N_ELEMENTS (modes) && !g_str_equal (name, modes[mode]))
    mode++;
  if (mode == G_N_ELEMENTS (modes))
    return assay_kernel_fail (
        self, error, "mode is “%s”, one of constant, reflect, edge and wrap was expected", name);
  if (!read_pads (self, x, begins, ends, error))
    return FALSE;
  if (value != NULL && (value->dtype != x->dtype || value->n != 1))
    return assay_kernel_fail (self, error,
                              "the value to pad with is not one element of the type of the input");

  for (guint i = 0; i < x->rank; i++)
    {
      if (__builtin_add_overflow (x->dims[i], begins[i], &dims[i]) ||
          __builtin_add_overflow (dims[i], ends[i], &dims[i]) || dims[i] < 0 ||
          begins[i] < -x->dims[i] || ends[i] < -x->dims[i])
        return assay_kernel_fail (self, error,
                                  "pads %" G_GINT64_FORMAT " and %" G_GINT64_FORMAT " of axis %u",
                                  begins[i], ends[i], i);
      from[i] = MAX (-begins[i], 0);
      to[i] = MAX (begins[i], 0);
      extents[i] = x->dims[i] - from[i] - MAX (-ends[i], 0);
    }

  y = assay_kernel_output (self, 0, x->dtype, x->rank, dims, error);
  if (y == NULL)
    return FALSE;
  if (y->n > 0 && mode != PAD_CONSTANT)
    return pad_with_copies (self, (PadMode) mode, x, y, begins, ends, error);

  assay_elements_fill (y, value);
  copy_part (self, x, from, y, to, extents);

  return TRUE;
}

gboolean
assay_kernel_op_center_crop_pad (AssayKernel *self, GError **error)
{
  const AssayDatum *x = assay_kernel_input (self, 0);
  g_autofree gint64 *shape = NULL;
  gint64 from[ASSAY_MAX_RANK] = { 0 };
  gint64 to[ASSAY_MAX_RANK] = { 0 };
  gint64 extents[ASSAY_MAX_RANK];
  gint64 dims[ASSAY_MAX_RANK];
  guint axes[ASSAY_MAX_RANK];
  const gint64 *list;
  gsize n;
  guint n_axes;
  AssayDatum *y;

  shape = assay_kernel_dup_integers (self, 1, &n, error);
  if (shape == NULL)
    return FALSE;

  for (guint i = 0; i < x->rank; i++)
    {
      axes[i] = i;
      dims[i] = extents[i] = x->dims[i];
    }
  list = assay_node_get_ints (self->node, "axes", &n_axes);
  if (list != NULL && !assay_kernel_axes (self, n_axes, list, x->rank, axes, error))
    return FALSE;
  if (n != (list != NULL ? n_axes : x->rank))
    return assay_kernel_fail (self, error, "%" G_GSIZE_FORMAT " extent%s for %u %s", n,
                              assay_plural (n), list != NULL ? n_axes : x->rank,
                              assay_noun (list != NULL ? n_axes : x->rank, "axis", "axes"));

  /* What cannot be halved goes to the end. */
  for (gsize i = 0; i < n; i++)
    {
      guint axis = axes[i];

      dims[axis] = shape[i];
      extents[axis] = MIN (shape[i], x->dims[axis]);
      from[axis] = MAX (x->dims[axis] - shape[i], 0) / 2;
      to[axis] = MAX (shape[i] - x->dims[axis], 0) / 2;
    }

  y = assay_kernel_output (self, 0, x->dtype, x->rank, dims, error);
  if (y == NULL)
    return FALSE;

  assay_elements_fill (y, NULL);
  copy_part (self, x, from, y, to, extents);

  return TRUE;
}

gboolean
assay_kernel_op_reverse_sequence (AssayKernel *self, GError **error)
{
  const AssayDatum *x = assay_kernel_input (self, 0);
  gint64 time = assay_node_get_int (self->node, "time_axis");
  gint64 batch = assay_node_get_int (self->node, "batch_axis");
  const gint64 *lengths;
  gssize strides[ASSAY_MAX_RANK];
  gsize inner;
  guint n;
  AssayDatum *y;

  if (!assay_kernel_expect_rank (self, 0, 2, ASSAY_MAX_RANK, error))
    return FALSE;
  if (time < 0 || time > 1 || batch != 1 - time)
    return assay_kernel_fail (self, error,
                              "time_axis %" G_GINT64_FORMAT " and batch_axis %" G_GINT64_FORMAT
                              ", 0 and 1 were expected",
                              time, batch);

  lengths = assay_kernel_ints (self, 1, &n, error);
  if (lengths == NULL)
    return FALSE;
  if (n != (guint64) x->dims[batch])
    return assay_kernel_fail (self, error, "%u length%s for %" G_GINT64_FORMAT " sequence%s", n,
                              assay_plural (n), x->dims[batch], assay_plural (x->dims[batch]));
  y = assay_kernel_output (self, 0, x->dtype, x->rank, x->dims, error);
  if (y == NULL)
    return FALSE;

  assay_dims_strides (x->rank, x->dims, strides);
  inner = (gsize) strides[1];
  for (guint i = 0; i < n; i++)
    {
      if (lengths[i] < 0 || lengths[i] > x->dims[time])
        return assay_kernel_fail (self, error, "sequence %u has the length %" G_GINT64_FORMAT, i,
                                  lengths[i]);
      for (gint64 t = 0; t < x->dims[time] && y->n > 0; t++)
        {
          gint64 source = t < lengths[i] ? lengths[i] - 1 - t : t;

          assay_element_copy (
              x, i * (gsize) strides[batch] + (gsize) source * (gsize) strides[time], y,
              i * (gsize) strides[batch] + (gsize) t * (gsize) strides[time], inner);
        }
    }

  return TRUE;
}

gboolean
assay_kernel_op_trilu (AssayKernel *self, GError **error)
{
  const AssayDatum *x = assay_kernel_input (self, 0);
  const AssayDatum *diagonal = assay_kernel_input (self, 1);
  gboolean upper = assay_node_get_int (self->node, "upper") != 0;
  gint64 k = 0;
  gint64 height, width;
  AssayDatum *y;

  if (!assay_kernel_expect_rank (self, 0, 2, ASSAY_MAX_RANK, error))
    return FALSE;
  if (diagonal != NULL && (diagonal->dtype != ASSAY_DTYPE_I64 || diagonal->n != 1))
    return assay_kernel_fail (self, error, "the diagonal is not one 64-bit integer");
  if (diagonal != NULL)
    k = CLAMP (assay_datum_get_integer (diagonal, 0), -G_MAXINT32 * (gint64) G_MAXINT32,
               G_MAXINT32 * (gint64) G_MAXINT32);

  y = assay_kernel_output (self, 0, x->dtype, x->rank, x->dims, error);
  if (y == NULL)
    return FALSE;

  height = x->dims[x->rank - 2];
  width = x->dims[x->rank - 1];
  assay_elements_fill (y, NULL);
  for (gsize row = 0; width > 0 && row < y->n / (gsize) width; row++)
    {
      gint64 edge = (gint64) row % height + k;
      gint64 begin = upper ? CLAMP (edge, 0, width) : 0;
      gint64 end = upper ? width : CLAMP (edge + 1, 0, width);

      assay_element_copy (x, row * (gsize) width + (gsize) begin, y,
                          row * (gsize) width + (gsize) begin, (gsize) (end - begin));
    }

  return TRUE;
}
