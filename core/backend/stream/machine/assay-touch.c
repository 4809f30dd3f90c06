/* assay-touch.c
 * SPDX-License-Identifier: Apache-2.0
 */
#include "backend/stream/machine/assay-touch.h"

/**
 * assay_instruction_operand:
 * @instruction: an instruction
 * @letter: of the operand, as in the instruction table
 *
 * Gets an operand by its letter.
 *
 * Returns: (nullable): the operand
 */
const AssayOperand *
assay_instruction_operand (const AssayInstruction *instruction, char letter)
{
  switch (letter)
    {
    case 'd':
      return &instruction->d;
    case 'a':
      return &instruction->a;
    case 'b':
      return &instruction->b;
    case 'c':
      return &instruction->c;
    case 'e':
      return &instruction->e;
    default:
      return NULL;
    }
}

/* How many lanes of an operand an instruction goes over. */
static guint32
lanes_of (const AssayStreamCode *code, const AssayInstruction *i, char letter)
{
  switch (i->opcode)
    {
    case ASSAY_OPCODE_MATRIX:
      if (letter == 'a')
        {
          const AssayPlacedMatrix *placed = &g_array_index (code->placed, AssayPlacedMatrix,
                                                            i->weights);

          return g_array_index (code->matrices, AssayMatrix, placed->matrix).n_inputs;
        }
      break;

    case ASSAY_OPCODE_SUM:
    case ASSAY_OPCODE_LANE_MAX:
    case ASSAY_OPCODE_LANE_MIN:
      return letter == 'd' ? 1 : i->lanes;

    case ASSAY_OPCODE_SPREAD:
      return letter == 'd' ? 1 : i->low.lane + 1;

    case ASSAY_OPCODE_SHIFT:
      return letter == 'd' ? MAX (i->high.lane + i->lanes, i->clears) : i->low.lane + i->lanes;

    case ASSAY_OPCODE_LSTM:
      if (letter == 'a')
        return 4 * i->lanes;
      break;

    default:
      break;
    }

  return i->lanes;
}

/**
 * assay_instruction_touch:
 * @code: a program that has been verified
 * @instruction: one of its instructions
 * @letter: of the operand, as in the instruction table
 * @touch: (out): the blocks
 *
 * Tells which blocks of a store an instruction touches through an operand; all of a window, since
 * it rotates.
 *
 * Returns: %FALSE if the operand is absent or no place in a store
 */
gboolean
assay_instruction_touch (const AssayStreamCode *code, const AssayInstruction *instruction,
                         char letter, AssayTouch *touch)
{
  const AssayOperand *operand = assay_instruction_operand (instruction, letter);
  guint32 block = code->config.block_size;

  if (operand == NULL ||
      (operand->store != ASSAY_STORE_TENSOR && operand->store != ASSAY_STORE_ACCUMULATOR &&
       operand->store != ASSAY_STORE_CELL))
    return FALSE;

  *touch = (AssayTouch){
    .store = operand->store,
    .cores = letter == 'd' && instruction->cores != 0 ? instruction->cores
                                                      : (guint64) 1 << instruction->core,
    .base = operand->base,
    .blocks = operand->repeat ? 1 : (lanes_of (code, instruction, letter) + block - 1) / block,
  };

  if (operand->ring != 0)
    {
      const AssayRing *ring = &g_array_index (code->rings, AssayRing, operand->ring - 1);

      /* A part of a vector starts inside of a slot, so that the last slot is left before its end.
       */
      touch->blocks = (ring->slots - 1) * ring->blocks + touch->blocks;
    }
  if (operand->fp32 && operand->store == ASSAY_STORE_TENSOR)
    touch->blocks *= 2;

  return TRUE;
}
