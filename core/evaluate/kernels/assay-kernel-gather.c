/* assay-kernel-gather.c
 * SPDX-License-Identifier: Apache-2.0
 */
#include "evaluate/kernels/assay-kernel-copy.h"

#include <string.h>

#include "base/assay-sentence.h"

/* Operators that read or write where indices say. */

/* Negative indices count from the end. */
static gboolean
resolve (AssayKernel *self, gint64 index, gint64 extent, gsize *result, GError **error)
{
  if (index < -extent || index >= extent)
    return assay_kernel_fail (self, error,
                              "index %" G_GINT64_FORMAT " is outside an axis of %" G_GINT64_FORMAT
                              " element%s",
                              index, extent, assay_plural (extent));

  *result = (gsize) (index < 0 ? index + extent : index);

  return TRUE;
}

/* All indices, which are integers, resolved along one axis. */
static gsize *
resolve_all (AssayKernel *self, guint input, gint64 extent, GError **error)
{
  const AssayDatum *indices = assay_kernel_input (self, input);
  g_autofree gsize *places = NULL;

  if (!assay_dtype_is_integer (indices->dtype))
    {
      assay_kernel_fail_type (self, input, error);
      return NULL;
    }

  places = assay_kernel_room (self, gsize, indices->n + 1, error);
  if (places == NULL)
    return NULL;
  for (gsize i = 0; i < indices->n; i++)
    if (!resolve (self, assay_datum_get_integer (indices, i), extent, &places[i], error))
      return NULL;

  return g_steal_pointer (&places);
}

typedef struct
{
  const AssayDatum *x;
  AssayDatum *y;
  const gsize *places;
  gsize n_places;
  gsize extent;
  gsize inner;
} Gather;

static void
gather_slices (gpointer data, gsize begin, gsize end)
{
  const Gather *gather = data;

  for (gsize i = begin; i < end; i++)
    {
      gsize from = i / gather->n_places * gather->extent + gather->places[i % gather->n_places];

      assay_element_copy (gather->x, from * gather->inner, gather->y, i * gather->inner,
                          gather->inner);
    }
}

gboolean
assay_kernel_op_gather (AssayKernel *self, GError **error)
{
  const AssayDatum *x = assay_kernel_input (self, 0);
  const AssayDatum *indices = assay_kernel_input (self, 1);
  g_autofree gsize *places = NULL;
  gint64 dims[2 * ASSAY_MAX_RANK];
  Gather gather = { .x = x };
  guint axis;

  if (!assay_kernel_node_axis (self, x->rank, &axis, error))
    return FALSE;
  places = resolve_all (self, 1, x->dims[axis], error);
  if (places == NULL)
    return FALSE;

  memcpy (dims, x->dims, axis * sizeof *dims);
  memcpy (dims + axis, indices->dims, indices->rank * sizeof *dims);
  memcpy (dims + axis + indices->rank, x->dims + axis + 1, (x->rank - axis - 1) * sizeof *dims);
  gather.y = assay_kernel_output (self, 0, x->dtype, x->rank - 1 + indices->rank, dims, error);
  if (gather.y == NULL)
    return FALSE;

  gather.places = places;
  gather.n_places = indices->n;
  gather.extent = (gsize) x->dims[axis];
  gather.inner = assay_dims_product (x->dims, axis + 1, x->rank);
  if (gather.y->n > 0)
    assay_kernel_parallel (self, assay_dims_product (x->dims, 0, axis) * indices->n,
                           16384 / gather.inner + 1, gather_slices, &gather);

  return TRUE;
}

/* For each element of the indices, which element of the tensor they lead to. */
static gsize *
element_places (AssayKernel *self, const AssayDatum *x, const AssayDatum *indices, guint axis,
                GError **error)
{
  gsize *places = resolve_all (self, 1, x->dims[axis], error);
  gint64 index[ASSAY_MAX_RANK] = { 0 };
  gssize strides[ASSAY_MAX_RANK];

  if (places == NULL)
    return NULL;

  assay_dims_strides (x->rank, x->dims, strides);
  for (gsize i = 0; i < indices->n; i++)
    {
      gsize place = places[i] * (gsize) strides[axis];

      for (guint j = 0; j < x->rank; j++)
        place += j == axis ? 0 : (gsize) index[j] * (gsize) strides[j];
      places[i] = place;

      assay_dims_next (x->rank, indices->dims, index);
    }

  return places;
}

/* The indices may be smaller than the tensor along the other axes, not larger. */
static gboolean
check_elements (AssayKernel *self, const AssayDatum *x, const AssayDatum *indices, guint *axis,
                GError **error)
{
  if (!assay_kernel_node_axis (self, x->rank, axis, error))
    return FALSE;
  if (indices->rank != x->rank)
    return assay_kernel_fail (self, error, "indices of rank %u for a tensor of rank %u",
                              indices->rank, x->rank);

  for (guint i = 0; i < x->rank; i++)
    if (i != *axis && indices->dims[i] > x->dims[i])
      return assay_kernel_fail (
          self, error, "axis %u has %" G_GINT64_FORMAT " %s for %" G_GINT64_FORMAT " element%s", i,
          indices->dims[i], assay_noun (indices->dims[i], "index", "indices"), x->dims[i],
          assay_plural (x->dims[i]));

  return TRUE;
}

gboolean
assay_kernel_op_gather_elements (AssayKernel *self, GError **error)
{
  const AssayDatum *x = assay_kernel_input (self, 0);
  const AssayDatum *indices = assay_kernel_input (self, 1);
  g_autofree gsize *places = NULL;
  AssayDatum *y;
  guint axis;

  if (!check_elements (self, x, indices, &axis, error))
    return FALSE;
  places = element_places (self, x, indices, axis, error);
  y = places == NULL ? NULL
                     : assay_kernel_output (self, 0, x->dtype, indices->rank, indices->dims, error);
  if (y == NULL)
    return FALSE;

  for (gsize i = 0; i < y->n; i++)
    assay_element_copy (x, places[i], y, i, 1);

  return TRUE;
}

/* The place of the slice that each tuple of indices leads to, with @batch leading axes that stay as
 * they are. */
static gsize *
tuple_places (AssayKernel *self, const AssayDatum *x, const AssayDatum *indices, guint batch,
              guint *n_fixed, GError **error)
{
  gint64 length = indices->rank == 0 ? 0 : indices->dims[indices->rank - 1];
  g_autofree gsize *places = NULL;
  gssize strides[ASSAY_MAX_RANK];
  gsize n_tuples;
  gsize per_batch;

  if (indices->dtype != ASSAY_DTYPE_I64)
    {
      assay_kernel_fail_type (self, 1, error);
      return NULL;
    }
  if (indices->rank == 0 || length + batch > x->rank)
    {
      assay_kernel_fail (self, error, "tuples of %" G_GINT64_FORMAT " %s behind %u %s for rank %u",
                         length, assay_noun (length, "index", "indices"), batch,
                         assay_noun (batch, "axis", "axes"), x->rank);
      return NULL;
    }

  n_tuples = assay_dims_product (indices->dims, 0, indices->rank - 1);
  per_batch = assay_dims_product (indices->dims, batch, indices->rank - 1);
  assay_dims_strides (x->rank, x->dims, strides);
  places = assay_kernel_room0 (self, gsize, n_tuples + 1, error);
  if (places == NULL)
    return NULL;
  for (gsize i = 0; i < n_tuples; i++)
    {
      if (batch > 0)
        places[i] = i / per_batch * (gsize) strides[batch - 1];
      for (guint j = 0; j < length; j++)
        {
          gint64 index = ((const gint64 *) indices->data)[i * (gsize) length + j];
          gsize place = 0;

          if (!resolve (self, index, x->dims[batch + j], &place, error))
            return NULL;
          places[i] += place * (gsize) strides[batch + j];
        }
    }
  *n_fixed = batch + (guint) length;

  return g_steal_pointer (&places);
}

gboolean
assay_kernel_op_gather_nd (AssayKernel *self, GError **error)
{
  const AssayDatum *x = assay_kernel_input (self, 0);
  const AssayDatum *indices = assay_kernel_input (self, 1);
  gint64 batch = assay_node_get_int (self->node, "batch_dims");
  g_autofree gsize *places = NULL;
  gint64 dims[2 * ASSAY_MAX_RANK];
  gsize inner;
  gsize n_tuples;
  AssayDatum *y;
  guint n_fixed;

  if (batch < 0 || batch >= MIN (x->rank, indices->rank) ||
      (batch > 0 && memcmp (x->dims, indices->dims, (gsize) batch * sizeof *dims) != 0))
    return assay_kernel_fail (
        self, error, "batch_dims is %" G_GINT64_FORMAT ", so many leading axes are not the same",
        batch);

  places = tuple_places (self, x, indices, (guint) batch, &n_fixed, error);
  if (places == NULL)
    return FALSE;

  memcpy (dims, indices->dims, (indices->rank - 1) * sizeof *dims);
  memcpy (dims + indices->rank - 1, x->dims + n_fixed, (x->rank - n_fixed) * sizeof *dims);
  y = assay_kernel_output (self, 0, x->dtype, indices->rank - 1 + x->rank - n_fixed, dims, error);
  if (y == NULL)
    return FALSE;

  inner = assay_dims_product (x->dims, n_fixed, x->rank);
  n_tuples = assay_dims_product (indices->dims, 0, indices->rank - 1);
  for (gsize i = 0; y->n > 0 && i < n_tuples; i++)
    assay_element_copy (x, places[i], y, i * inner, inner);

  return TRUE;
}

typedef enum
{
  REDUCTION_NONE,
  REDUCTION_ADD,
  REDUCTION_MUL,
  REDUCTION_MAX,
  REDUCTION_MIN,
} Reduction;

/* Another word is none. */
static Reduction
get_reduction (AssayKernel *self)
{
  static const char *const names[] = { "none", "add", "mul", "max", "min" };
  const char *name = assay_node_get_string (self->node, "reduction");

  for (guint i = 0; i < G_N_ELEMENTS (names); i++)
    if (g_str_equal (name, names[i]))
      return (Reduction) i;

  return REDUCTION_NONE;
}

/* Integers wrap around. */
#define COMBINE(storage, type, sum, product_of)                                                    \
  case ASSAY_DTYPE_##storage:                                                                      \
    {                                                                                              \
      type *target = (type *) y->data + to;                                                        \
      const type *source = (const type *) updates->data + from;                                    \
      for (gsize i = 0; i < n; i++)                                                                \
        {                                                                                          \
          type a = target[i];                                                                      \
          type b = source[i];                                                                      \
          type result = 0;                                                                         \
          if (reduction == REDUCTION_ADD)                                                          \
            sum;                                                                                   \
          else if (reduction == REDUCTION_MUL)                                                     \
            product_of;                                                                            \
          else if (reduction == REDUCTION_MAX)                                                     \
            result = a > b || a != a ? a : b;                                                      \
          else                                                                                     \
            result = a < b || a != a ? a : b;                                                      \
          target[i] = result;                                                                      \
        }                                                                                          \
      return TRUE;                                                                                 \
    }
#define COMBINE_FLOATS(storage, type) COMBINE (storage, type, result = a + b, result = a * b)
#define COMBINE_INTEGERS(storage, type)                                                            \
  COMBINE (storage, type, (void) __builtin_add_overflow (a, b, &result),                           \
           (void) __builtin_mul_overflow (a, b, &result))

static gboolean
combine (AssayKernel *self, AssayDatum *y, gsize to, const AssayDatum *updates, gsize from, gsize n,
         Reduction reduction, GError **error)
{
  if (reduction == REDUCTION_NONE)
    {
      assay_element_copy (updates, from, y, to, n);
      return TRUE;
    }

  switch (y->storage)
    {
      ASSAY_KERNEL_FLOAT_TYPES (COMBINE_FLOATS)
      ASSAY_KERNEL_INTEGER_TYPES (COMBINE_INTEGERS)
    case ASSAY_DTYPE_BOOL:
      for (gsize i = 0; i < n; i++)
        {
          guint8 *a = (guint8 *) y->data + to + i;
          guint8 b = ((const guint8 *) updates->data)[from + i];

          *a = reduction == REDUCTION_ADD || reduction == REDUCTION_MAX ? *a | b : *a & b;
        }
      return TRUE;
    default:
      return assay_kernel_fail_type (self, 0, error);
    }
}

/* A copy of the first input that may be written. */
static AssayDatum *
copy_first (AssayKernel *self, GError **error)
{
  const AssayDatum *x = assay_kernel_input (self, 0);
  gboolean shared = FALSE;
  AssayDatum *y;

  /* What is written must not be read as an update. */
  for (guint i = 1; i < self->n_inputs; i++)
    shared |= self->inputs[i] != NULL && self->inputs[i]->data == x->data;
  y = shared ? assay_kernel_output (self, 0, x->dtype, x->rank, x->dims, error)
             : assay_kernel_output_like (self, 0, 0, error);

  if (y != NULL && y != x)
    assay_element_copy (x, 0, y, 0, x->n);

  return y;
}

gboolean
assay_kernel_op_scatter_elements (AssayKernel *self, GError **error)
{
  const AssayDatum *x = assay_kernel_input (self, 0);
  const AssayDatum *indices = assay_kernel_input (self, 1);
  const AssayDatum *updates = assay_kernel_input (self, 2);
  g_autofree gsize *places = NULL;
  Reduction reduction = self->node->op == ASSAY_OP_ScatterElements ? get_reduction (self)
                                                                   : REDUCTION_NONE;
  AssayDatum *y;
  guint axis;

  if (!check_elements (self, x, indices, &axis, error))
    return FALSE;
  if (updates->dtype != x->dtype)
    return assay_kernel_fail_type (self, 2, error);
  if (updates->rank != indices->rank ||
      memcmp (updates->dims, indices->dims, indices->rank * sizeof *indices->dims) != 0)
    return assay_kernel_fail (
        self, error, "%" G_GSIZE_FORMAT " update%s for %" G_GSIZE_FORMAT " %s, or of another shape",
        updates->n, assay_plural (updates->n), indices->n,
        assay_noun (indices->n, "index", "indices"));

  places = element_places (self, x, indices, axis, error);
  y = places == NULL ? NULL : copy_first (self, error);
  if (y == NULL)
    return FALSE;

  for (gsize i = 0; i < indices->n; i++)
    if (!combine (self, y, places[i], updates, i, 1, reduction, error))
      return FALSE;

  return TRUE;
}

gboolean
assay_kernel_op_scatter_nd (AssayKernel *self, GError **error)
{
  const AssayDatum *x = assay_kernel_input (self, 0);
  const AssayDatum *indices = assay_kernel_input (self, 1);
  const AssayDatum *updates = assay_kernel_input (self, 2);
  g_autofree gsize *places = NULL;
  Reduction reduction = get_reduction (self);
  gsize n_tuples;
  gsize inner;
  AssayDatum *y;
  guint n_fixed;

  if (updates->dtype != x->dtype)
    return assay_kernel_fail_type (self, 2, error);

  places = tuple_places (self, x, indices, 0, &n_fixed, error);
  if (places == NULL)
    return FALSE;

  inner = assay_dims_product (x->dims, n_fixed, x->rank);
  n_tuples = assay_dims_product (indices->dims, 0, indices->rank - 1);
  if (updates->rank != indices->rank - 1 + x->rank - n_fixed ||
      memcmp (updates->dims, indices->dims, (indices->rank - 1) * sizeof *indices->dims) != 0 ||
      memcmp (updates->dims + indices->rank - 1, x->dims + n_fixed,
              (x->rank - n_fixed) * sizeof *x->dims) != 0)
    return assay_kernel_fail (self, error,
                              "%" G_GSIZE_FORMAT " update%s for %" G_GSIZE_FORMAT
                              " slice%s of %" G_GSIZE_FORMAT ", or of another shape",
                              updates->n, assay_plural (updates->n), n_tuples,
                              assay_plural (n_tuples), inner);

  y = copy_first (self, error);
  if (y == NULL)
    return FALSE;

  for (gsize i = 0; i < n_tuples && inner > 0; i++)
    if (!combine (self, y, places[i], updates, i * inner, inner, reduction, error))
      return FALSE;

  return TRUE;
}

gboolean
assay_kernel_op_tensor_scatter (AssayKernel *self, GError **error)
{
  const AssayDatum *x = assay_kernel_input (self, 0);
  const AssayDatum *update = assay_kernel_input (self, 1);
  const AssayDatum *starts = assay_kernel_input (self, 2);
  gboolean circular = strcmp (assay_node_get_string (self->node, "mode"), "circular") == 0;
  gsize inner, per_batch, extent, length, n_slices;
  AssayDatum *y;
  guint axis;

  if (!assay_kernel_node_axis (self, x->rank, &axis, error))
    return FALSE;
  if (axis == 0)
    return assay_kernel_fail (self, error, "axis is 0, which is the batch");
  if (update->dtype != x->dtype)
    return assay_kernel_fail_type (self, 1, error);
  if (update->rank != x->rank)
    return assay_kernel_fail (self, error, "an update of rank %u for a cache of rank %u",
                              update->rank, x->rank);
  for (guint i = 0; i < x->rank; i++)
    if (i == axis ? update->dims[i] > x->dims[i] : update->dims[i] != x->dims[i])
      return assay_kernel_fail (self, error,
                                "axis %u has %" G_GINT64_FORMAT
                                " element%s in the update, %" G_GINT64_FORMAT " in the cache",
                                i, update->dims[i], assay_plural (update->dims[i]), x->dims[i]);
  if (starts != NULL && (starts->dtype != ASSAY_DTYPE_I64 || starts->n != (gsize) x->dims[0]))
    return assay_kernel_fail (
        self, error, "one 64-bit write index for each of %" G_GINT64_FORMAT " batches was expected",
        x->dims[0]);

  extent = (gsize) x->dims[axis];
  length = (gsize) update->dims[axis];
  inner = assay_dims_product (x->dims, axis + 1, x->rank);
  per_batch = assay_dims_product (x->dims, 1, axis);
  n_slices = (gsize) x->dims[0] * per_batch;
  y = copy_first (self, error);
  if (y == NULL)
    return FALSE;

  for (gsize i = 0; y->n > 0 && i < n_slices; i++)
    {
      gint64 start = starts != NULL ? ((const gint64 *) starts->data)[i / per_batch] : 0;

      if (start < 0 || (!circular && (gsize) start + length > extent))
        return assay_kernel_fail (self, error,
                                  "%" G_GSIZE_FORMAT " element%s at %" G_GINT64_FORMAT
                                  " of an axis of %" G_GSIZE_FORMAT,
                                  length, assay_plural (length), start, extent);
      for (gsize j = 0; j < length; j++)
        assay_element_copy (update, (i * length + j) * inner, y,
                            (i * extent + ((gsize) start + j) % extent) * inner, inner);
    }

  return TRUE;
}

gboolean
assay_kernel_op_compress (AssayKernel *self, GError **error)
{
  const AssayDatum *x = assay_kernel_input (self, 0);
  const AssayDatum *condition = assay_kernel_input (self, 1);
  const guint8 *keep = condition->data;
  gint64 dims[ASSAY_MAX_RANK];
  gboolean flat = assay_node_find_attr (self->node, "axis") == NULL;
  gsize outer = 1;
  gsize extent = x->n;
  gsize inner = 1;
  gsize n_kept = 0;
  guint axis = 0;
  AssayDatum *y;

  if (condition->dtype != ASSAY_DTYPE_BOOL)
    return assay_kernel_fail_type (self, 1, error);
  if (!flat)
    {
      if (!assay_kernel_node_axis (self, x->rank, &axis, error))
        return FALSE;
      memcpy (dims, x->dims, x->rank * sizeof *dims);
      outer = assay_dims_product (dims, 0, axis);
      extent = (gsize) dims[axis];
      inner = assay_dims_product (dims, axis + 1, x->rank);
    }

  for (gsize i = 0; i < MIN (extent, condition->n); i++)
    n_kept += keep[i] != 0;
  dims[axis] = (gint64) n_kept;
  y = assay_kernel_output (self, 0, x->dtype, flat ? 1 : x->rank, dims, error);
  if (y == NULL)
    return FALSE;

  for (gsize i = 0, to = 0; y->n > 0 && i < outer; i++)
    for (gsize j = 0; j < MIN (extent, condition->n); j++)
      if (keep[j] != 0)
        assay_element_copy (x, (i * extent + j) * inner, y, to++ * inner, inner);

  return TRUE;
}

gboolean
assay_kernel_op_one_hot (AssayKernel *self, GError **error)
{
  const AssayDatum *indices = assay_kernel_input (self, 0);
  const AssayDatum *depth = assay_kernel_input (self, 1);
  const AssayDatum *values = assay_kernel_input (self, 2);
  gint64 dims[ASSAY_MAX_RANK + 1];
  gint64 n;
  gsize inner;
  AssayDatum *y;
  guint axis;

  if (depth->n != 1 || depth->dtype == ASSAY_DTYPE_STRING)
    return assay_kernel_fail (
        self, error, "depth has %" G_GSIZE_FORMAT " elements, one number was expected", depth->n);
  if (values->n != 2)
    return assay_kernel_fail (self, error,
                              "values has %" G_GSIZE_FORMAT " element%s, 2 were expected",
                              values->n, assay_plural (values->n));
  if (indices->dtype == ASSAY_DTYPE_STRING || indices->dtype == ASSAY_DTYPE_BOOL)
    return assay_kernel_fail_type (self, 0, error);
  if (!assay_kernel_node_axis (self, indices->rank + 1, &axis, error))
    return FALSE;

  n = assay_datum_get_integer (depth, 0);
  memcpy (dims, indices->dims, axis * sizeof *dims);
  memcpy (dims + axis + 1, indices->dims + axis, (indices->rank - axis) * sizeof *dims);
  dims[axis] = n;
  y = assay_kernel_output (self, 0, values->dtype, indices->rank + 1, dims, error);
  if (y == NULL)
    return FALSE;

  /* What is out of range has no element on. */
  assay_elements_fill (y, values);
  inner = assay_dims_product (indices->dims, axis, indices->rank);
  for (gsize i = 0; i < indices->n; i++)
    {
      gint64 index = assay_datum_get_integer (indices, i);

      /* What is above the signed range is out of range too. */
      if (index < 0)
        index = indices->dtype == ASSAY_DTYPE_U64 ? n : index + n;
      if (index >= 0 && index < n)
        assay_element_copy (values, 1, y,
                            (i / inner * (gsize) n + (gsize) index) * inner + i % inner, 1);
    }

  return TRUE;
}
