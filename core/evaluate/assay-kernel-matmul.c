/* assay-kernel-matmul.c
 * SPDX-License-Identifier: Apache-2.0
 */
#include "evaluate/assay-gemm.h"

/* The matrices of a batched product as MatMul of the ONNX specification sees them: all but the last two dimensions
 * broadcast, a vector is a row on the left and a column on the right. */
typedef struct
{
  guint rank;
  gint64 dims[ASSAY_MAX_RANK];
  gsize m;
  gsize n;
  gsize k;
  guint batch_rank;
  gint64 batch[ASSAY_MAX_RANK];
  gsize n_batch;
} Shapes;

static gboolean
find_shapes (AssayKernel  *self,
             AssayDatum   *a,
             AssayDatum   *b,
             Shapes       *shapes,
             GError      **error)
{
  gint64 ka, kb;

  if (a->rank == 0 || b->rank == 0)
    return assay_kernel_fail (self, error, "input %u is a scalar", a->rank == 0 ? 0 : 1);

  ka = a->dims[a->rank - 1];
  kb = b->dims[b->rank >= 2 ? b->rank - 2 : 0];
  if (ka != kb)
    return assay_kernel_fail (self, error, "input 0 has %" G_GINT64_FORMAT " columns and input 1 %" G_GINT64_FORMAT
                              " rows", ka, kb);

  shapes->k = (gsize) ka;
  shapes->m = a->rank >= 2 ? (gsize) a->dims[a->rank - 2] : 1;
  shapes->n = b->rank >= 2 ? (gsize) b->dims[b->rank - 1] : 1;

  {
    /* Only the leading dimensions broadcast. */
    AssayDatum leading_a = { .rank = a->rank - MIN (a->rank, 2), .dims = a->dims };
    AssayDatum leading_b = { .rank = b->rank - MIN (b->rank, 2), .dims = b->dims };
    AssayDatum *leading[2] = { &leading_a, &leading_b };

    if (!assay_walk_broadcast_dims (2, leading, &shapes->batch_rank, shapes->batch, error))
      return FALSE;
  }

  shapes->n_batch = 1;
  for (guint i = 0; i < shapes->batch_rank; i++)
    {
      shapes->n_batch *= (gsize) shapes->batch[i];
      shapes->dims[i] = shapes->batch[i];
    }
  shapes->rank = shapes->batch_rank;
  if (a->rank >= 2)
    shapes->dims[shapes->rank++] = (gint64) shapes->m;
  if (b->rank >= 2)
    shapes->dims[shapes->rank++] = (gint64) shapes->n;

  return TRUE;
}

/* Which matrix of an operand the i-th product of the batch takes. */
static gsize
batch_index (const AssayDatum *operand,
             const Shapes     *shapes,
             gsize             i)
{
  guint leading = operand->rank - MIN (operand->rank, 2);
  gsize index = 0, stride = 1;

  for (guint axis = 0; axis < shapes->batch_rank; axis++)
    {
      guint at = shapes->batch_rank - 1 - axis;
      gsize position = i % (gsize) shapes->batch[at];

      i /= (gsize) shapes->batch[at];
      if (axis >= leading)
        continue;
      if (operand->dims[leading - 1 - axis] != 1)
        index += position * stride;
      stride *= (gsize) operand->dims[leading - 1 - axis];
    }

  return index;
}

#define INTEGER_PRODUCT(storage, type) \
  case ASSAY_DTYPE_##storage: \
    for (gsize i = 0; i < shapes->m; i++) \
      { \
        for (gsize j = 0; j < shapes->n; j++) \
          { \
            guint64 sum = 0; \
            for (gsize l = 0; l < shapes->k; l++) \
              sum += (guint64) ((const type *) item->a)[i * shapes->k + l] \
                     * (guint64) ((const type *) item->b)[l * shapes->n + j]; \
            ((type *) item->c)[i * shapes->n + j] = (type) sum; \
          } \
      } \
    break;

static void
multiply_integers (const Shapes        *shapes,
                   AssayDType           storage,
                   const AssayGemmItem *item)
{
  switch (storage)
    {
      ASSAY_KERNEL_INTEGER_TYPES (INTEGER_PRODUCT)
    default:
      g_assert_not_reached ();
    }
}

gboolean
assay_kernel_op_matmul (AssayKernel *self,
                        GError     **error)
{
  AssayDatum *a = self->inputs[0], *b = self->inputs[1];
  g_autofree AssayGemmItem *items = NULL;
  AssayDatum *c;
  Shapes shapes;
  gsize size;

  if (!assay_dtype_is_float (a->storage) && !assay_dtype_is_integer (a->storage))
    return assay_kernel_fail_type (self, 0, error);
  if (!assay_kernel_expect_same (self, error) || !find_shapes (self, a, b, &shapes, error))
    return FALSE;

  c = assay_kernel_output (self, 0, a->dtype, shapes.rank, shapes.dims, error);
  if (c == NULL)
    return FALSE;
  if (c->n == 0)
    return TRUE;

  size = assay_storage_size (a->storage);
  items = g_new (AssayGemmItem, shapes.n_batch);
  for (gsize i = 0; i < shapes.n_batch; i++)
    {
      items[i].a = (const char *) a->data + batch_index (a, &shapes, i) * shapes.m * shapes.k * size;
      items[i].b = (const char *) b->data + batch_index (b, &shapes, i) * shapes.k * shapes.n * size;
      items[i].c = (char *) c->data + i * shapes.m * shapes.n * size;
      if (assay_dtype_is_integer (a->storage))
        multiply_integers (&shapes, a->storage, &items[i]);
    }

  if (assay_dtype_is_float (a->storage))
    {
      AssayGemm gemm = { a->storage, shapes.m, shapes.n, shapes.k, FALSE, FALSE, shapes.k, shapes.n, shapes.n, 1.0,
                         0.0 };

      assay_gemm_batch (&gemm, self, shapes.n_batch, items);
    }

  return TRUE;
}
