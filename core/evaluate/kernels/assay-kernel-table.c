/* assay-kernel-table.c
 * SPDX-License-Identifier: Apache-2.0
 */
#include "evaluate/assay-evaluate-private.h"

static const AssayKernelRow rows[ASSAY_N_OPS] = {
#define KERNEL(op, function, takes)                                                                \
  [ASSAY_OP_##op] = { assay_kernel_op_##function, ASSAY_KERNEL_TAKES_##takes },
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

static const char *const left_out[ASSAY_N_OPS] = {
#define LEFT_OUT(op, reason) [ASSAY_OP_##op] = reason,
#include "evaluate/left-out.def"
#undef LEFT_OUT
};

/**
 * assay_evaluator_left_out:
 * @op: an operation
 *
 * Tells why the evaluator leaves an operation out on purpose.
 *
 * Returns: (transfer none) (nullable): the reason, as the end of a sentence; %NULL for an operation
 * that it runs
 */
const char *
assay_evaluator_left_out (AssayOp op)
{
  return left_out[op];
}
