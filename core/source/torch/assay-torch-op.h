/* assay-torch-op.h
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

/**
 * AssayTorchOpTraits:
 * @ASSAY_TORCH_OP_VALUE: keeps to values
 * @ASSAY_TORCH_OP_VIEW: writes nothing, and may give what it was given
 * @ASSAY_TORCH_OP_IN_PLACE: writes to its first operand
 * @ASSAY_TORCH_OP_COMPOSITE: the backend contract wants it decomposed
 *
 * What the dialect says of an operation.
 */
typedef enum
{
  ASSAY_TORCH_OP_VALUE = 1 << 0,
  ASSAY_TORCH_OP_IN_PLACE = 1 << 1,
  ASSAY_TORCH_OP_COMPOSITE = 1 << 2,
  ASSAY_TORCH_OP_VIEW = 1 << 3,
} AssayTorchOpTraits;

/**
 * AssayTorchOpInfo:
 * @name: its name, such as `torch.aten.add.Tensor`
 * @n_operands: number of operands, -1 for any
 * @n_results: number of results, -1 for any
 * @traits: #AssayTorchOpTraits
 * @signature: what its operands are called and are, as the head of the table says; "" if it takes
 * any
 *
 * An operation of the dialect: a row of `torch-ops.def`.
 */
typedef struct
{
  const char *name;
  int n_operands;
  int n_results;
  guint traits;
  const char *signature;
} AssayTorchOpInfo;

const AssayTorchOpInfo *assay_torch_op_info_find (const char *name);
const AssayTorchOpInfo *assay_torch_op_info_find_value_form (const char *name);

G_END_DECLS
