/* assay-program-facts.c
 * SPDX-License-Identifier: Apache-2.0
 */
#include "backend/assay-program-facts.h"

/**
 * assay_tensor_kind_name:
 * @kind: what a planned tensor is for
 *
 * Gets the name of a kind of tensor.
 *
 * Returns: (transfer none): the name
 */
const char *
assay_tensor_kind_name (AssayTensorKind kind)
{
  static const char *const names[ASSAY_N_TENSOR_KINDS] = {
    [ASSAY_TENSOR_INPUT] = "input",
    [ASSAY_TENSOR_OUTPUT] = "output",
    [ASSAY_TENSOR_ACTIVATION] = "activation",
    [ASSAY_TENSOR_STATE] = "state",
    [ASSAY_TENSOR_COPY] = "copy",
    [ASSAY_TENSOR_SCRATCH] = "scratch",
  };

  return (guint) kind < ASSAY_N_TENSOR_KINDS ? names[kind] : "unknown";
}
