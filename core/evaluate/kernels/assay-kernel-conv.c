/* assay-kernel-conv.c
 * SPDX-License-Identifier: Apache-2.0
 */
#include "evaluate/assay-conv.h"

#include "base/assay-sentence.h"

gboolean
assay_kernel_op_conv (AssayKernel *self, GError **error)
{
  AssayDatum *x = self->inputs[0], *w = self->inputs[1], *bias = assay_kernel_input (self, 2);
  AssayConv conv = { .storage = x->storage, .x = x->data, .w = w->data };
  gint64 dims[ASSAY_MAX_RANK];
  AssayDatum *y;

  if (!assay_kernel_expect (self, 0, ASSAY_DTYPE_UNDEFINED, 3, -1, error) ||
      !assay_kernel_expect_same (self, error) ||
      !assay_conv_shapes (self, x, w, &conv, dims, error))
    return FALSE;
  if (bias != NULL && (gint64) bias->n != dims[1])
    return assay_kernel_fail (
        self, error, "the bias has %" G_GSIZE_FORMAT " element%s, expected %" G_GINT64_FORMAT,
        bias->n, assay_plural (bias->n), dims[1]);

  y = assay_kernel_output (self, 0, x->dtype, x->rank, dims, error);
  if (y == NULL)
    return FALSE;

  conv.bias = bias != NULL ? bias->data : NULL;
  conv.y = y->data;
  assay_conv_run (&conv, self);

  return TRUE;
}
