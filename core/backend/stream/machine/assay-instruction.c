/* assay-instruction.c
 * SPDX-License-Identifier: Apache-2.0
 */
#include "backend/stream/machine/assay-instruction.h"

static const AssayOpcodeInfo infos[] = {
#define INSTRUCTION(id, name, unit, operands, doc) { name, ASSAY_UNIT_##unit, operands, doc },
#include "backend/stream/machine/assay-isa.def"
#undef INSTRUCTION
};

G_STATIC_ASSERT (G_N_ELEMENTS (infos) == ASSAY_N_OPCODES);

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
