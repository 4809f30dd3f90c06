/* assay-touch.h
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include "backend/stream/machine/assay-stream-code.h"

G_BEGIN_DECLS

/**
 * AssayTouch:
 * @store: tensor RAM, accumulators or cell state
 * @cores: where, a bit each
 * @base: first block
 * @blocks: number of blocks
 *
 * The blocks that an instruction reads or writes through one of its operands.
 */
typedef struct
{
  AssayStore store;
  guint64 cores;
  guint32 base;
  guint32 blocks;
} AssayTouch;

gboolean assay_instruction_touch (const AssayStreamCode *code, const AssayInstruction *instruction,
                                  AssaySlot slot, AssayTouch *touch);
guint32 assay_instruction_read_blocks (const AssayStreamCode *code,
                                       const AssayInstruction *instruction, AssaySlot slot);
gboolean assay_instruction_check_operand (const AssayStreamCode *code,
                                          const AssayInstruction *instruction, AssaySlot slot,
                                          GString *reason);

G_END_DECLS
