/* assay-kernel-gemm.c
 * SPDX-License-Identifier: Apache-2.0
 */
#include <string.h>

#include "evaluate/assay-elements.h"
#include "base/assay-sentence.h"
#include "evaluate/assay-matmul.h"
#include "nnir/assay-node-product.h"

typedef struct
{
  AssayDatum *bias;
  AssayDatum *y;
  double beta;
} Bias;

#define BIAS_CASE(storage_, type)                                                                  \
  case ASSAY_DTYPE_##storage_:                                                                     \
    {                                                                                              \
      type *to = (type *) work->y->data + offsets[0];                                              \
      const type *from = (const type *) work->bias->data + offsets[1];                             \
      type beta = (type) work->beta;                                                               \
      if (strides[1] == 1)                                                                         \
        for (gsize i = 0; i < n; i++)                                                              \
          to[i] = (type) (to[i] + beta * from[i]);                                                 \
      else                                                                                         \
        for (gsize i = 0; i < n; i++)                                                              \
          to[i] = (type) (to[i] + beta * from[(gssize) i * strides[1]]);                           \
    }                                                                                              \
    break;

static void
add_bias_row (gpointer data, gsize n, const gssize *offsets, const gssize *strides)
{
  const Bias *work = data;

  switch (work->y->storage)
    {
      ASSAY_KERNEL_FLOAT_TYPES (BIAS_CASE)
    default:
      g_assert_not_reached ();
    }
}

static gboolean
add_bias (AssayKernel *self, AssayDatum *bias, double beta, AssayDatum *y, GError **error)
{
  AssayDatum *operands[2] = { y, bias };
  Bias work = { bias, y, beta };
  gint64 dims[ASSAY_MAX_RANK];
  AssayWalk walk;
  guint rank;

  if (!assay_walk_broadcast_dims (2, operands, &rank, dims, error))
    return FALSE;
  if (rank != y->rank || (rank > 0 && memcmp (dims, y->dims, rank * sizeof *dims) != 0))
    return assay_kernel_fail (self, error,
                              "input 2 does not broadcast to the shape of the product");

  assay_walk_init (&walk, y->rank, y->dims);
  assay_walk_add_broadcast (&walk, y);
  assay_walk_add_broadcast (&walk, bias);
  assay_walk_merge (&walk);
  assay_kernel_walk (self, &walk, add_bias_row, &work);

  return TRUE;
}

/* Integers, all of which compute modulo a power of two; alpha and beta are whole numbers then. */
static gboolean
multiply_integers (AssayKernel *self, const AssayGemm *gemm, const AssayDatum *a,
                   const AssayDatum *b, AssayDatum *y, GError **error)
{
  g_autofree gint64 *left = assay_kernel_room (self, gint64, a->n + 1, error);
  g_autofree gint64 *right = left == NULL ? NULL
                                          : assay_kernel_room (self, gint64, b->n + 1, error);

  if (right == NULL)
    return FALSE;

  assay_elements_read_ints (a, 0, 1, a->n, left);
  assay_elements_read_ints (b, 0, 1, b->n, right);
  for (gsize i = 0; i < gemm->m; i++)
    {
      for (gsize j = 0; j < gemm->n; j++)
        {
          guint64 sum = 0;

          for (gsize l = 0; l < gemm->k; l++)
            sum += (guint64) left[gemm->transpose_a ? l * gemm->m + i : i * gemm->k + l] *
                   (guint64) right[gemm->transpose_b ? j * gemm->k + l : l * gemm->n + j];
          sum *= (guint64) assay_kernel_integer (gemm->alpha);
          assay_elements_write_ints (y, i * gemm->n + j, 1, 1, (const gint64 *) &sum);
        }
    }

  return TRUE;
}

static gboolean
add_integers (AssayKernel *self, AssayDatum *bias, double beta, AssayDatum *y, GError **error)
{
  gsize rows = bias->rank >= 2 ? (gsize) bias->dims[bias->rank - 2] : 1;
  gsize columns = bias->rank >= 1 ? (gsize) bias->dims[bias->rank - 1] : 1;
  gsize m = (gsize) y->dims[0], n = (gsize) y->dims[1];

  if (bias->rank > 2 || (rows != 1 && rows != m) || (columns != 1 && columns != n))
    return assay_kernel_fail (self, error,
                              "input 2 does not broadcast to the shape of the product");

  for (gsize i = 0; i < y->n; i++)
    {
      gint64 sum, x;

      assay_elements_read_ints (y, i, 1, 1, &sum);
      assay_elements_read_ints (
          bias, (rows == 1 ? 0 : i / n * columns) + (columns == 1 ? 0 : i % n), 1, 1, &x);
      sum = (gint64) ((guint64) sum + (guint64) x * (guint64) assay_kernel_integer (beta));
      assay_elements_write_ints (y, i, 1, 1, &sum);
    }

  return TRUE;
}

gboolean
assay_kernel_op_gemm (AssayKernel *self, GError **error)
{
  AssayDatum *a = self->inputs[0], *b = self->inputs[1], *bias = assay_kernel_input (self, 2), *y;
  AssayNodeProduct product = assay_node_get_product (self->node);
  int summed[2] = { assay_node_product_contracted (&product, 0, 2),
                    assay_node_product_contracted (&product, 1, 2) };
  AssayGemm gemm = {
    .storage = a->storage,
    .transpose_a = product.transposed[0],
    .transpose_b = product.transposed[1],
    .alpha = product.alpha,
  };
  gint64 dims[2], k;
  AssayGemmItem item;

  if (!assay_dtype_is_float (a->storage) && !assay_dtype_is_integer (a->storage))
    return assay_kernel_fail_type (self, 0, error);
  if (!assay_kernel_expect (self, 0, a->storage, 2, 2, error) ||
      !assay_kernel_expect (self, 1, a->storage, 2, 2, error) ||
      !assay_kernel_expect_same (self, error))
    return FALSE;

  dims[0] = a->dims[1 - summed[0]];
  dims[1] = b->dims[1 - summed[1]];
  k = a->dims[summed[0]];
  if (k != b->dims[summed[1]])
    return assay_kernel_fail (self, error,
                              "sums of %" G_GINT64_FORMAT
                              " element%s on the left and %" G_GINT64_FORMAT " on the right",
                              k, assay_plural (k), b->dims[summed[1]]);

  gemm.m = (gsize) dims[0];
  gemm.n = (gsize) dims[1];
  gemm.k = (gsize) k;
  gemm.lda = (gsize) a->dims[1];
  gemm.ldb = (gsize) b->dims[1];
  gemm.ldc = gemm.n;
  y = assay_kernel_output (self, 0, a->dtype, 2, dims, error);
  if (y == NULL)
    return FALSE;

  if (!assay_dtype_is_float (a->storage))
    {
      return multiply_integers (self, &gemm, a, b, y, error) &&
             (bias == NULL || add_integers (self, bias, product.beta, y, error));
    }

  item = (AssayGemmItem){ a->data, b->data, y->data };
  assay_gemm_batch (&gemm, self, 1, &item);

  return bias == NULL || product.beta == 0.0 || add_bias (self, bias, product.beta, y, error);
}

/* One matrix that is always the same, on the right or on the left of any number of others. */
gboolean
assay_kernel_op_linear (AssayKernel *self, GError **error)
{
  AssayDatum *x = self->inputs[0], *w = self->inputs[1], *bias = assay_kernel_input (self, 2), *y;
  AssayNodeProduct product = assay_node_get_product (self->node);
  gboolean left = product.inputs[0] == 1;
  gboolean transpose = product.transposed[left ? 0 : 1];
  gint64 rows, columns, k;
  gint64 dims[ASSAY_MAX_RANK];
  g_autofree AssayGemmItem *items = NULL;
  gsize n_items = 1, size, lda, ldb;
  AssayGemm gemm;
  guint rank = x->rank;

  if (!assay_kernel_expect (self, 0, ASSAY_DTYPE_UNDEFINED, 1, -1, error) ||
      !assay_kernel_expect (self, 1, x->storage, 2, 2, error) ||
      !assay_kernel_expect_same (self, error))
    return FALSE;

  rows = w->dims[transpose ? 1 : 0];
  columns = w->dims[transpose ? 0 : 1];
  k = x->dims[left && rank >= 2 ? rank - 2 : rank - 1];
  if (k != (left ? columns : rows))
    return assay_kernel_fail (
        self, error, "sums of %" G_GINT64_FORMAT " element%s and weights for %" G_GINT64_FORMAT, k,
        assay_plural (k), left ? columns : rows);

  memcpy (dims, x->dims, rank * sizeof *dims);
  dims[left && rank >= 2 ? rank - 2 : rank - 1] = left ? rows : columns;
  y = assay_kernel_output (self, 0, x->dtype, rank, dims, error);
  if (y == NULL)
    return FALSE;
  if (y->n == 0)
    return TRUE;

  size = assay_storage_size (x->storage);
  lda = ldb = (gsize) w->dims[1];
  gemm = (AssayGemm){
    .storage = x->storage,
    .k = (gsize) k,
    .m = left ? (gsize) rows : y->n / (gsize) columns,
    .n = left && rank >= 2 ? (gsize) x->dims[rank - 1]
         : left            ? 1
                           : (gsize) columns,
    .transpose_a = product.transposed[0],
    .transpose_b = product.transposed[1],
    .alpha = product.alpha,
  };
  gemm.lda = left ? lda : gemm.k;
  gemm.ldb = left ? gemm.n : ldb;
  gemm.ldc = gemm.n;
  if (left)
    n_items = y->n / (gemm.m * gemm.n);

  items = assay_kernel_room (self, AssayGemmItem, n_items, error);
  if (items == NULL)
    return FALSE;
  for (gsize i = 0; i < n_items; i++)
    {
      const char *other = (const char *) x->data + i * gemm.k * gemm.n * size;

      items[i].a = left ? w->data : x->data;
      items[i].b = left ? (gconstpointer) other : w->data;
      items[i].c = (char *) y->data + i * gemm.m * gemm.n * size;
    }
  assay_gemm_batch (&gemm, self, n_items, items);

  return bias == NULL || add_bias (self, bias, product.beta, y, error);
}
