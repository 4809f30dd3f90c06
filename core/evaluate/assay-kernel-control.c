/* assay-kernel-control.c
 * SPDX-License-Identifier: Apache-2.0
 */
#include "evaluate/assay-kernel.h"

gboolean
assay_kernel_op_if (AssayKernel *self,
                    GError     **error)
{
  AssayDatum *condition = self->inputs[0];
  const AssayAttr *branch;

  if (condition->storage != ASSAY_DTYPE_BOOL || condition->n != 1)
    return assay_kernel_fail (self, error, "the condition is not one boolean");

  branch = assay_kernel_get_attr (self, *(const guint8 *) condition->data ? "then_branch" : "else_branch");
  if (branch == NULL || branch->kind != ASSAY_ATTR_GRAPH)
    return assay_kernel_fail (self, error, "a branch is missing");

  return assay_kernel_run_region (self, branch->u.region, 0, NULL, self->n_outputs, self->outputs, error);
}
