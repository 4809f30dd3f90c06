/* assay-matmul.c
 * SPDX-License-Identifier: Apache-2.0
 */
#include "evaluate/assay-matmul.h"

#include "base/assay-sentence.h"

/**
 * assay_matmul_shapes:
 * @kernel: a node
 * @a: left side
 * @b: right side
 * @self: (out): the shapes
 * @error: return location for a #GError
 *
 * Works out the shapes of a batched product.
 *
 * Returns: whether the sides fit
 */
gboolean
assay_matmul_shapes (AssayKernel *kernel, AssayDatum *a, AssayDatum *b, AssayMatmul *self,
                     GError **error)
{
  gint64 columns, rows;

  /* Only the leading dimensions broadcast. */
  AssayDatum leading_a = { .rank = a->rank - MIN (a->rank, 2), .dims = a->dims };
  AssayDatum leading_b = { .rank = b->rank - MIN (b->rank, 2), .dims = b->dims };
  AssayDatum *leading[2] = { &leading_a, &leading_b };

  if (a->rank == 0 || b->rank == 0)
    return assay_kernel_fail (kernel, error, "input %u is a scalar", a->rank == 0 ? 0 : 1);

  columns = a->dims[a->rank - 1];
  rows = b->dims[b->rank >= 2 ? b->rank - 2 : 0];
  if (columns != rows)
    return assay_kernel_fail (kernel, error,
                              "input 0 has %" G_GINT64_FORMAT
                              " column%s and input 1 %" G_GINT64_FORMAT " row%s",
                              columns, assay_plural (columns), rows, assay_plural (rows));
  if (!assay_walk_broadcast_dims (2, leading, &self->batch_rank, self->batch, error))
    return FALSE;

  self->k = (gsize) columns;
  self->m = a->rank >= 2 ? (gsize) a->dims[a->rank - 2] : 1;
  self->n = b->rank >= 2 ? (gsize) b->dims[b->rank - 1] : 1;
  self->n_batch = 1;
  for (guint i = 0; i < self->batch_rank; i++)
    {
      self->n_batch *= (gsize) self->batch[i];
      self->dims[i] = self->batch[i];
    }
  self->rank = self->batch_rank;
  if (a->rank >= 2)
    self->dims[self->rank++] = (gint64) self->m;
  if (b->rank >= 2)
    self->dims[self->rank++] = (gint64) self->n;

  return TRUE;
}

/* Which matrix of an operand the i-th product of the batch takes. */
static gsize
batch_index (const AssayMatmul *self, const AssayDatum *operand, gsize i)
{
  guint leading = operand->rank - MIN (operand->rank, 2);
  gsize index = 0, stride = 1;

  for (guint axis = 0; axis < MIN (self->batch_rank, leading); axis++)
    {
      gsize extent = (gsize) self->batch[self->batch_rank - 1 - axis];

      if (operand->dims[leading - 1 - axis] != 1)
        index += i % extent * stride;
      stride *= (gsize) operand->dims[leading - 1 - axis];
      i /= extent;
    }

  return index;
}

/**
 * assay_matmul_items:
 * @self: shapes
 * @kernel: the node it is for
 * @a: left side
 * @b: right side
 * @c: result
 * @error: (nullable): return location for a #GError
 *
 * Finds the matrices of each product.
 *
 * Returns: (transfer full) (nullable) (array): one item for each product
 */
AssayGemmItem *
assay_matmul_items (const AssayMatmul *self, AssayKernel *kernel, const AssayDatum *a,
                    const AssayDatum *b, AssayDatum *c, GError **error)
{
  AssayGemmItem *items = assay_kernel_room (kernel, AssayGemmItem, self->n_batch, error);
  gsize size = assay_storage_size (a->storage);

  if (items == NULL)
    return NULL;

  for (gsize i = 0; i < self->n_batch; i++)
    {
      items[i].a = (const char *) a->data + batch_index (self, a, i) * self->m * self->k * size;
      items[i].b = (const char *) b->data + batch_index (self, b, i) * self->k * self->n * size;
      items[i].c = (char *) c->data + i * self->m * self->n * size;
    }

  return items;
}

/**
 * assay_matmul_run:
 * @self: shapes
 * @kernel: the node it is for
 * @a: left side, f32 or f64
 * @b: right side, of the same type
 * @c: result, of the same type
 *
 * Multiplies in all threads. If it cannot, assay_kernel_check() fails afterwards.
 */
void
assay_matmul_run (const AssayMatmul *self, AssayKernel *kernel, const AssayDatum *a,
                  const AssayDatum *b, AssayDatum *c)
{
  AssayGemm gemm = {
    .storage = a->storage,
    .m = self->m,
    .n = self->n,
    .k = self->k,
    .lda = self->k,
    .ldb = self->n,
    .ldc = self->n,
    .alpha = 1.0,
  };
  g_autofree AssayGemmItem *items = NULL;
  gsize n_items = self->n_batch;

  if (c->n == 0)
    return;

  items = assay_matmul_items (self, kernel, a, b, c, NULL);
  if (items == NULL)
    return;

  /* One matrix on the right for all: the rows on the left are those of one matrix too. */
  if (b->rank <= 2 && a->rank > 2)
    {
      gemm.m *= n_items;
      n_items = 1;
    }
  assay_gemm_batch (&gemm, kernel, n_items, items);
}
