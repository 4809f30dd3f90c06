/* assay-instruction.c
 * SPDX-License-Identifier: Apache-2.0
 */
#include "backend/stream/machine/assay-instruction.h"

/* The letters of the operands, each behind a blank. */
#define D(kind) " d"
#define A(kind) " a"
#define B(kind) " b"
#define C(kind) " c"
#define E(kind) " e"
#define W " W"
#define N " N"
#define INSTRUCTION(id, name, unit, operands, ...) static const char letters_##id[] = operands;
#include "backend/stream/machine/assay-isa.def"
#undef INSTRUCTION
#undef D
#undef A
#undef B
#undef C
#undef E
#undef W
#undef N

#define D(kind) .kinds[ASSAY_SLOT_D] = ASSAY_OPERAND_##kind,
#define A(kind) .kinds[ASSAY_SLOT_A] = ASSAY_OPERAND_##kind,
#define B(kind) .kinds[ASSAY_SLOT_B] = ASSAY_OPERAND_##kind,
#define C(kind) .kinds[ASSAY_SLOT_C] = ASSAY_OPERAND_##kind,
#define E(kind) .kinds[ASSAY_SLOT_E] = ASSAY_OPERAND_##kind,
#define W .weighs = TRUE,
#define N .sends = TRUE,
#define INSTRUCTION(id, label, of, slots, divided, reads, rounded, numbers, text)                  \
  [ASSAY_OPCODE_##id] = { .name = label,                                                           \
                          .unit = ASSAY_UNIT_##of,                                                 \
                          .operands = letters_##id + 1,                                            \
                          .division = ASSAY_DIVISION_##divided,                                    \
                          .precision = ASSAY_PRECISION_##reads,                                    \
                          .rounds = rounded,                                                       \
                          .fields = ASSAY_FIELDS_##numbers,                                        \
                          .doc = text,                                                             \
                          slots },
static const AssayOpcodeInfo infos[ASSAY_N_OPCODES] = {
#include "backend/stream/machine/assay-isa.def"
};
#undef INSTRUCTION
#undef D
#undef A
#undef B
#undef C
#undef E
#undef W
#undef N

/* What has to be is allowed as well. */
#define IN(store) (1u << ASSAY_STORE_##store)
#define MAY(trait) ASSAY_OPERAND_##trait
#define MUST(trait) (ASSAY_OPERAND_##trait | ASSAY_OPERAND_##trait << MUST_SHIFT)
#define MUST_SHIFT 16
#define OPERAND(id, in, lanes, traits, text)                                                       \
  [ASSAY_OPERAND_##id] = { in, ASSAY_EXTENT_##lanes, (traits) & ((1u << MUST_SHIFT) - 1),          \
                           (guint) (traits) >> MUST_SHIFT, text },
static const AssayOperandInfo operand_infos[ASSAY_N_OPERAND_KINDS] = {
#include "backend/stream/machine/assay-operands.def"
};
#undef OPERAND

/**
 * assay_opcode_get_info:
 * @opcode: an instruction
 *
 * Gets the row of an instruction in the instruction table.
 *
 * Returns: (transfer none): the row
 */
const AssayOpcodeInfo *
assay_opcode_get_info (AssayOpcode opcode)
{
  g_return_val_if_fail ((guint) opcode < ASSAY_N_OPCODES, &infos[0]);

  return &infos[opcode];
}

/**
 * assay_operand_get_info:
 * @opcode: an instruction
 * @slot: which of its operands
 *
 * Gets the row of an operand in the table of operands.
 *
 * Returns: (transfer none): the row
 */
const AssayOperandInfo *
assay_operand_get_info (AssayOpcode opcode, AssaySlot slot)
{
  return &operand_infos[assay_opcode_get_info (opcode)->kinds[slot]];
}

/**
 * assay_unit_name:
 * @unit: a unit
 *
 * Gets the name of a unit as people read it.
 *
 * Returns: (transfer none): the name
 */
const char *
assay_unit_name (AssayUnit unit)
{
  static const char *const names[] = { "matrix",    "drain",   "pointwise", "function", "lane",
                                       "recurrent", "network", "input",     "output" };

  G_STATIC_ASSERT (G_N_ELEMENTS (names) == ASSAY_N_UNITS);
  g_return_val_if_fail ((guint) unit < ASSAY_N_UNITS, "?");

  return names[unit];
}

/**
 * assay_instruction_get_unit:
 * @instruction: an instruction
 *
 * Gets the unit that an instruction keeps busy: that of its opcode, but for accumulators that are
 * only rounded or bounded, which is the last stage of the matrix unit.
 *
 * Returns: the unit
 */
AssayUnit
assay_instruction_get_unit (const AssayInstruction *instruction)
{
  if (instruction->a.store == ASSAY_STORE_ACCUMULATOR &&
      (instruction->opcode == ASSAY_OPCODE_MOVE || instruction->opcode == ASSAY_OPCODE_CLAMP))
    return ASSAY_UNIT_DRAIN;

  return assay_opcode_get_info ((AssayOpcode) instruction->opcode)->unit;
}
