/* assay-kernel-table.c
 * SPDX-License-Identifier: Apache-2.0
 */
#include "evaluate/assay-evaluate-private.h"

static const AssayKernelRow rows[ASSAY_N_OPS] = {
#define KERNEL(op, function, takes) [ASSAY_OP_##op] = { assay_kernel_op_##function, ASSAY_KERNEL_TAKES_##takes },
#include "evaluate/kernels.def"
#undef KERNEL
};

/**
 * assay_kernel_row:
 * @op: an operation
 *
 * Gets what the evaluator knows of an operation.
 *
 * Returns: (transfer none): the row
 */
const AssayKernelRow *
assay_kernel_row (AssayOp op)
{
  return &rows[op];
}
