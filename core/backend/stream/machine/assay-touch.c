/* assay-touch.c
 * SPDX-License-Identifier: Apache-2.0
 *
 * What an operand may be and which blocks it stands for, from the tables of instructions and
 * operands: what verification refuses is what nobody else has to think of.
 */
#include "backend/stream/machine/assay-touch.h"

#include "backend/stream/machine/assay-disassemble.h"
#include "base/assay-sentence.h"

/* How many lanes of an operand an instruction goes over. */
static guint64
lanes_of (const AssayStreamCode *code, const AssayInstruction *i, AssayExtent extent)
{
  const AssayPlacedMatrix *placed;

  switch (extent)
    {
    case ASSAY_EXTENT_ONE:
      return 1;
    case ASSAY_EXTENT_COLUMNS:
      placed = &g_array_index (code->placed, AssayPlacedMatrix, i->weights);
      return g_array_index (code->matrices, AssayMatrix, placed->matrix).n_inputs;
    case ASSAY_EXTENT_GATES:
      return 4 * (guint64) i->lanes;
    case ASSAY_EXTENT_LANE:
      return (guint64) i->low.lane + 1;
    case ASSAY_EXTENT_RUN:
      return (guint64) i->low.lane + i->lanes;
    case ASSAY_EXTENT_RUN_TO:
      return MAX ((guint64) i->high.lane + i->lanes, i->clears);
    case ASSAY_EXTENT_NONE:
    case ASSAY_EXTENT_LANES:
      break;
    }

  return i->lanes;
}

static guint64
blocks_of (const AssayStreamCode *code, guint64 lanes)
{
  return (lanes + code->config.block_size - 1) / code->config.block_size;
}

/* The blocks that so many lanes of an operand take in its store: all of a window, since it rotates,
 * and two for each of fp32 in tensor RAM. */
static guint64
span_of (const AssayStreamCode *code, const AssayOperand *operand, guint64 lanes)
{
  guint64 blocks = operand->repeat ? 1 : blocks_of (code, lanes);

  if (operand->ring != 0)
    {
      const AssayRing *ring = &g_array_index (code->rings, AssayRing, operand->ring - 1);

      /* A part of a vector starts inside of a slot, so that the last slot is left before its end.
       */
      blocks += ((guint64) ring->slots - 1) * ring->blocks;
    }

  return operand->fp32 && operand->store == ASSAY_STORE_TENSOR ? 2 * blocks : blocks;
}

static AssayExtent
extent_of (const AssayInstruction *instruction, AssaySlot slot)
{
  return assay_operand_get_info ((AssayOpcode) instruction->opcode, slot)->extent;
}

/**
 * assay_instruction_touch:
 * @code: a program that has been verified
 * @instruction: one of its instructions
 * @slot: which operand
 * @touch: (out): the blocks
 *
 * Tells which blocks of a store an instruction touches through an operand; all of a window, since
 * it rotates.
 *
 * Returns: %FALSE if the operand is absent or no place in a store
 */
gboolean
assay_instruction_touch (const AssayStreamCode *code, const AssayInstruction *instruction,
                         AssaySlot slot, AssayTouch *touch)
{
  const AssayOperand *operand = &instruction->operands[slot];

  if (!assay_store_has_blocks (operand->store))
    return FALSE;

  *touch = (AssayTouch){
    .store = operand->store,
    .cores = slot == ASSAY_SLOT_D ? assay_instruction_cores (instruction)
                                  : (guint64) 1 << instruction->core,
    .base = operand->base,
    .blocks = (guint32) span_of (code, operand,
                                 lanes_of (code, instruction, extent_of (instruction, slot))),
  };

  return TRUE;
}

/**
 * assay_instruction_read_blocks:
 * @code: a program that has been verified
 * @instruction: one of its instructions
 * @slot: which operand
 *
 * Tells how many blocks an instruction reads at a time through an operand, which is what
 * `max_read_size` bounds: a vector of a window, a gate of four, the run that is moved.
 *
 * Returns: the blocks
 */
guint32
assay_instruction_read_blocks (const AssayStreamCode *code, const AssayInstruction *instruction,
                               AssaySlot slot)
{
  const AssayOperand *operand = &instruction->operands[slot];
  AssayExtent extent = extent_of (instruction, slot);

  if (!assay_store_has_blocks (operand->store))
    return 0;
  if (operand->repeat)
    return 1;
  if (extent == ASSAY_EXTENT_LANE || extent == ASSAY_EXTENT_RUN)
    extent = ASSAY_EXTENT_LANES;

  return (guint32) (blocks_of (code, lanes_of (code, instruction, extent)) /
                    (extent == ASSAY_EXTENT_GATES ? 4 : 1));
}

static guint
traits_of (const AssayOperand *operand)
{
  return (operand->store == ASSAY_STORE_NONE ? ASSAY_OPERAND_ABSENT : 0) |
         (operand->repeat ? ASSAY_OPERAND_REPEAT : 0) |
         (operand->ring != 0 ? ASSAY_OPERAND_RING : 0) |
         (operand->age != 0 ? ASSAY_OPERAND_AGE : 0) | (operand->fp32 ? ASSAY_OPERAND_FP32 : 0);
}

/* What a store can hold at all, whoever reads it there. */
static guint
traits_in (AssayStore store)
{
  switch (store)
    {
    case ASSAY_STORE_TENSOR:
      return ASSAY_OPERAND_REPEAT | ASSAY_OPERAND_RING | ASSAY_OPERAND_AGE | ASSAY_OPERAND_FP32;
    case ASSAY_STORE_CONSTANT:
    case ASSAY_STORE_IMMEDIATE:
      return ASSAY_OPERAND_REPEAT | ASSAY_OPERAND_FP32;
    case ASSAY_STORE_ACCUMULATOR:
    case ASSAY_STORE_CELL:
      return ASSAY_OPERAND_REPEAT;
    default:
      return ASSAY_OPERAND_ABSENT;
    }
}

static const char *
find_trait (guint traits)
{
  static const char *const words[] = { "absent", "repeated", "in a window", "an old vector",
                                       "kept in fp32" };

  return words[MIN ((guint) __builtin_ctz (traits), G_N_ELEMENTS (words) - 1)];
}

static gboolean
check_constant (const AssayStreamCode *code, const AssayInstruction *instruction,
                const AssayOperand *operand, guint64 lanes, GString *reason)
{
  guint64 n;

  if (operand->base >= code->constants->len)
    {
      g_string_append_printf (reason, "is constant %u of %u", operand->base, code->constants->len);
      return FALSE;
    }

  n = assay_tensor_get_n_elements (g_ptr_array_index (code->constants, operand->base));
  if (operand->repeat)
    lanes = 1;
  else
    lanes += (guint64) instruction->first_block * code->config.block_size;
  if (lanes <= n)
    return TRUE;

  g_string_append_printf (reason,
                          "reads %" G_GUINT64_FORMAT " value%s of constant %u, which has "
                          "%" G_GUINT64_FORMAT,
                          lanes, assay_plural (lanes), operand->base, n);
  return FALSE;
}

static gboolean
check_window (const AssayStreamCode *code, const AssayOperand *operand, guint64 lanes,
              GString *reason)
{
  const AssayRing *ring;

  if (operand->ring > code->rings->len)
    {
      g_string_append_printf (reason, "is in window %u of %u", operand->ring, code->rings->len);
      return FALSE;
    }

  ring = &g_array_index (code->rings, AssayRing, operand->ring - 1);
  if (operand->age <= ring->slots && blocks_of (code, operand->repeat ? 1 : lanes) <= ring->blocks)
    return TRUE;

  g_string_append_printf (reason, "reaches out of its window of %u vector%s of %u block%s",
                          ring->slots, assay_plural (ring->slots), ring->blocks,
                          assay_plural (ring->blocks));
  return FALSE;
}

static gboolean
check_blocks (const AssayStreamCode *code, const AssayInstruction *instruction, AssaySlot slot,
              const AssayOperandInfo *info, guint64 lanes, GString *reason)
{
  const AssayOperand *operand = &instruction->operands[slot];
  guint32 read = assay_instruction_read_blocks (code, instruction, slot);
  guint depth = assay_store_depth (&code->config, operand->store);
  guint64 blocks;

  if ((info->may & ASSAY_OPERAND_LONG) == 0 && read > code->config.max_read_size)
    {
      g_string_append_printf (reason, "has %u block%s, max_read_size is %u", read,
                              assay_plural (read), code->config.max_read_size);
      return FALSE;
    }
  if (operand->ring != 0 && !check_window (code, operand, lanes, reason))
    return FALSE;

  blocks = span_of (code, operand, lanes);
  if (operand->base + blocks <= depth)
    return TRUE;

  g_string_append_printf (
      reason, "is at block %u of %s with %" G_GUINT64_FORMAT " block%s, the store has %u",
      operand->base, assay_store_name (operand->store), blocks, assay_plural (blocks), depth);
  return FALSE;
}

/**
 * assay_instruction_check_operand:
 * @code: a program whose tables have been verified
 * @instruction: one of its instructions, whose numbers have been verified but for its operands
 * @slot: which operand
 * @reason: an empty string; gets what is wrong and what was expected
 *
 * Checks that an operand is one that the tables of instructions and operands allow there, and that
 * it lies inside of its store. Everything that they do not allow is refused.
 *
 * Returns: whether it is allowed
 */
gboolean
assay_instruction_check_operand (const AssayStreamCode *code, const AssayInstruction *instruction,
                                 AssaySlot slot, GString *reason)
{
  const AssayOperand *operand = &instruction->operands[slot];
  const AssayOperandInfo *info = assay_operand_get_info ((AssayOpcode) instruction->opcode, slot);
  guint traits = traits_of (operand);
  guint strange = traits & ~(info->may & traits_in (operand->store));
  guint64 lanes;
  gboolean good = FALSE;

  if (traits == ASSAY_OPERAND_ABSENT && (info->may & ASSAY_OPERAND_ABSENT) != 0)
    return TRUE;

  /* A lane is looked for in the whole vector. */
  lanes = info->extent == ASSAY_EXTENT_LANE ? instruction->lanes
                                            : lanes_of (code, instruction, info->extent);

  if ((traits & ~info->may & ASSAY_OPERAND_ABSENT) != 0)
    g_string_append (reason, "is missing");
  else if (operand->store >= ASSAY_N_STORES)
    g_string_append_printf (reason, "is in store %u, which does not exist", operand->store);
  else if (operand->store != ASSAY_STORE_NONE && (info->stores >> operand->store & 1) == 0)
    g_string_append_printf (reason, "is in %s", assay_store_name (operand->store));
  else if (strange != 0)
    g_string_append_printf (reason, "is %s", find_trait (strange));
  else if ((info->must & ~traits) != 0)
    g_string_append_printf (reason, "is not %s", find_trait (info->must & ~traits));
  else if (operand->age != 0 && operand->ring == 0)
    g_string_append (reason, "is an old vector of no window");
  else if (operand->store == ASSAY_STORE_CONSTANT)
    good = check_constant (code, instruction, operand, lanes, reason);
  else
    good = operand->store == ASSAY_STORE_IMMEDIATE ||
           check_blocks (code, instruction, slot, info, lanes, reason);

  if (!good)
    {
      g_autofree char *what = g_strdup (reason->str);

      g_string_printf (reason, "operand %c %s; expected %s", ASSAY_SLOT_LETTERS[slot], what,
                       info->words);
    }

  return good;
}
