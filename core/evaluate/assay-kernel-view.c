/* assay-kernel-view.c
 * SPDX-License-Identifier: Apache-2.0
 */
#include "evaluate/assay-kernel.h"

gboolean
assay_kernel_op_identity (AssayKernel *self,
                          GError     **error)
{
  assay_kernel_take (self, 0, assay_datum_ref (self->inputs[0]));

  return TRUE;
}
