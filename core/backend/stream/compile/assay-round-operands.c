/* assay-round-operands.c
 * SPDX-License-Identifier: Apache-2.0
 */
#include "backend/stream/compile/assay-lower.h"

/* What a unit takes in bf16 only: matrix and lane unit everything, the function unit the operand of
 * a node that is not kept in fp32 itself. The pointwise unit reads either. */
static gboolean
reads_bf16 (const AssayLir *self, const AssayLirOp *op, const AssayLirOperand *source)
{
  if (source->kind != ASSAY_LIR_VECTOR || !assay_lir_vector (self, source->id)->kept)
    return FALSE;

  switch (assay_opcode_get_info ((AssayOpcode) op->opcode)->precision)
    {
    case ASSAY_PRECISION_NARROW:
      return TRUE;
    case ASSAY_PRECISION_AS_KEPT:
      return !assay_lir_vector (self, op->d)->kept;
    default:
      return FALSE;
    }
}

/* The bf16 twin of a vector, which is made before its first reader. */
static AssayLirId
rounded (AssayLir *self, GArray *ops, guint32 *twins, const AssayLirOp *reader, AssayLirId id)
{
  const AssayLirVector *vector = assay_lir_vector (self, id);
  AssayLirOp move = {
    .opcode = ASSAY_OPCODE_MOVE,
    .round = ASSAY_ROUND_BF16,
    .node = reader->node,
    .lanes = vector->lanes,
    .a = assay_lir_use (id),
  };

  if (twins[id] == 0)
    {
      move.d = twins[id] = assay_lir_add_vector (self, ASSAY_STORE_TENSOR, ASSAY_TENSOR_ACTIVATION,
                                                 vector->name, vector->node, vector->lanes);
      assay_lir_vector (self, move.d)->home = assay_lir_vector (self, id)->home;
      g_array_append_val (ops, move);
    }

  return twins[id];
}

/**
 * assay_lir_round_operands:
 * @self: a lowered model
 *
 * Puts a rounding to bf16 between nodes that are kept in fp32 and units that take bf16 only.
 */
void
assay_lir_round_operands (AssayLir *self)
{
  g_autofree guint32 *twins = g_new0 (guint32, self->vectors->len);
  guint n_kept = 0;
  GArray *ops;

  for (AssayLirId id = 1; id < self->vectors->len; id++)
    n_kept += assay_lir_vector (self, id)->kept;
  if (n_kept == 0)
    return;

  ops = g_array_sized_new (FALSE, TRUE, sizeof (AssayLirOp), self->ops->len + n_kept);
  for (guint i = 0; i < self->ops->len; i++)
    {
      AssayLirOp op = g_array_index (self->ops, AssayLirOp, i);

      for (guint j = 0; j < ASSAY_LIR_N_SOURCES; j++)
        {
          if (reads_bf16 (self, &op, &op.sources[j]))
            op.sources[j].id = rounded (self, ops, twins, &op, op.sources[j].id);
        }
      g_array_append_val (ops, op);
    }

  g_array_unref (self->ops);
  self->ops = ops;
}
