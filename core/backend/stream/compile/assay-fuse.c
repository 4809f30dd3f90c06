/* assay-fuse.c
 * SPDX-License-Identifier: Apache-2.0
 */
#include "backend/stream/compile/assay-fuse.h"

#include "base/assay-bf16.h"

static gboolean
is_bf16 (float value)
{
  return assay_f32_bits (assay_bf16_to_f32 (assay_bf16_from_f32 (value))) == assay_f32_bits (value);
}

/* Drains of accumulators and sums of two vectors end in a bound that costs nothing. */
static gboolean
can_bound (const AssayLir *self, const AssayLirOp *op)
{
  if (op->opcode == ASSAY_OPCODE_MOVE)
    return op->a.kind == ASSAY_LIR_VECTOR &&
           assay_lir_vector (self, op->a.id)->store == ASSAY_STORE_ACCUMULATOR;

  return assay_opcode_get_info ((AssayOpcode) op->opcode)->fields == ASSAY_FIELDS_MAY_BOUND &&
         op->round == ASSAY_ROUND_BF16 && !op->clamps;
}

static guint8
drain_round (const AssayLir *self, guint32 drain)
{
  return g_array_index (self->ops, AssayLirOp, drain - 1).round;
}

/**
 * assay_lir_fuse_drains:
 * @self: a lowered model
 *
 * Lets a bound take effect while an accumulator is drained or two vectors are added. Rounding keeps
 * the order of numbers and leaves bf16 bounds alone, so bounding first gives the same bits; bounds
 * that are not bf16 stay where they are.
 */
void
assay_lir_fuse_drains (AssayLir *self)
{
  guint n = self->vectors->len;
  g_autofree guint32 *readers = g_new0 (guint32, n);
  g_autofree guint32 *drains = g_new0 (guint32, n);
  guint kept = 0;

  for (guint i = 0; i < self->ops->len; i++)
    {
      const AssayLirOp *op = &g_array_index (self->ops, AssayLirOp, i);

      for (guint j = 0; j < ASSAY_LIR_N_SOURCES; j++)
        {
          if (op->sources[j].kind == ASSAY_LIR_VECTOR)
            readers[op->sources[j].id]++;
        }
      if (can_bound (self, op))
        drains[op->d] = i + 1;
    }

  for (guint i = 0; i < self->ops->len; i++)
    {
      AssayLirOp *op = &g_array_index (self->ops, AssayLirOp, i);
      AssayLirOp *drain;

      if (op->opcode != ASSAY_OPCODE_CLAMP || op->a.kind != ASSAY_LIR_VECTOR ||
          drains[op->a.id] == 0 || readers[op->a.id] != 1 ||
          drain_round (self, drains[op->a.id]) != op->round || !is_bf16 (op->low.bound) ||
          !is_bf16 (op->high.bound))
        continue;

      drain = &g_array_index (self->ops, AssayLirOp, drains[op->a.id] - 1);
      op->a = drain->a;
      if (drain->opcode != ASSAY_OPCODE_MOVE)
        {
          op->opcode = drain->opcode;
          op->b = drain->b;
          op->clamps = TRUE;
        }
      drain->opcode = ASSAY_N_OPCODES;
    }

  for (guint i = 0; i < self->ops->len; i++)
    {
      if (g_array_index (self->ops, AssayLirOp, i).opcode == ASSAY_N_OPCODES)
        continue;
      if (kept != i)
        g_array_index (self->ops, AssayLirOp, kept) = g_array_index (self->ops, AssayLirOp, i);
      kept++;
    }
  g_array_set_size (self->ops, kept);
}
