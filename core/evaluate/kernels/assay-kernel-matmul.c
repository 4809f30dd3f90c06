/* assay-kernel-matmul.c
 * SPDX-License-Identifier: Apache-2.0
 */
#include "evaluate/assay-matmul.h"

#define INTEGER_PRODUCT(storage, type)                                                             \
  case ASSAY_DTYPE_##storage:                                                                      \
    for (gsize i = 0; i < shapes->m; i++)                                                          \
      {                                                                                            \
        for (gsize j = 0; j < shapes->n; j++)                                                      \
          {                                                                                        \
            guint64 sum = 0;                                                                       \
            for (gsize l = 0; l < shapes->k; l++)                                                  \
              sum += (guint64) ((const type *) item->a)[i * shapes->k + l] *                       \
                     (guint64) ((const type *) item->b)[l * shapes->n + j];                        \
            ((type *) item->c)[i * shapes->n + j] = (type) sum;                                    \
          }                                                                                        \
      }                                                                                            \
    break;

static void
multiply_integers (const AssayMatmul *shapes, AssayDType storage, const AssayGemmItem *item)
{
  switch (storage)
    {
      ASSAY_KERNEL_INTEGER_TYPES (INTEGER_PRODUCT)
    default:
      g_assert_not_reached ();
    }
}

gboolean
assay_kernel_op_matmul (AssayKernel *self, GError **error)
{
  AssayDatum *a = self->inputs[0], *b = self->inputs[1], *c;
  AssayMatmul shapes;

  if (!assay_dtype_is_float (a->storage) && !assay_dtype_is_integer (a->storage))
    return assay_kernel_fail_type (self, 0, error);
  if (!assay_kernel_expect_same (self, error) || !assay_matmul_shapes (self, a, b, &shapes, error))
    return FALSE;

  c = assay_kernel_output (self, 0, a->dtype, shapes.rank, shapes.dims, error);
  if (c == NULL)
    return FALSE;

  if (assay_dtype_is_float (a->storage))
    assay_matmul_run (&shapes, self, a, b, c);
  else
    {
      g_autofree AssayGemmItem *items = assay_matmul_items (&shapes, self, a, b, c, error);

      if (items == NULL)
        return FALSE;

      for (gsize i = 0; i < shapes.n_batch && c->n > 0; i++)
        multiply_integers (&shapes, a->storage, &items[i]);
    }

  return TRUE;
}
