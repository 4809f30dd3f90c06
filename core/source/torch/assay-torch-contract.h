/* assay-torch-contract.h
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include "source/torch/assay-torch-module.h"

G_BEGIN_DECLS

/**
 * AssayTorchViolation:
 * @op: the operation that it is about
 * @text: line of the file and of the source, operation, value and type
 *
 * Something that backends do not take.
 */
typedef struct
{
  const AssayTorchOp *op;
  char *text;
} AssayTorchViolation;

/**
 * AssayTorchCause:
 * @what: what is wrong, in words
 * @pass: what takes it away
 * @n: how often it is there
 * @violations: (element-type AssayTorchViolation): the first of them
 *
 * Violations of one kind.
 */
typedef struct
{
  const char *what;
  const char *pass;
  guint n;
  GArray *violations;
} AssayTorchCause;

GArray *assay_torch_module_list_violations (const AssayTorchModule *self,
                                            guint max) G_GNUC_WARN_UNUSED_RESULT;
char *assay_torch_module_check_contract (const AssayTorchModule *self,
                                         guint *n) G_GNUC_WARN_UNUSED_RESULT;

G_END_DECLS
