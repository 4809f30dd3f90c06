/* assay-disassemble.c
 * SPDX-License-Identifier: Apache-2.0
 *
 * Instructions as text, from the columns of the instruction table.
 */
#include "backend/stream/machine/assay-disassemble.h"

#include <string.h>

#include "base/assay-bf16.h"
#include "base/assay-sentence.h"
#include "text/assay-terminal.h"
#include "backend/stream/machine/assay-touch.h"

static const char *const functions[] = {
#define FUNCTION(id, name, doc) name,
#include "backend/stream/machine/kernels/assay-functions.def"
#undef FUNCTION
};

/**
 * assay_store_name:
 * @store: a store
 *
 * Gets the short name of a store, as in disassembly.
 *
 * Returns: (transfer none): the name
 */
const char *
assay_store_name (AssayStore store)
{
  static const char *const names[ASSAY_N_STORES] = {
    [ASSAY_STORE_NONE] = "none",         [ASSAY_STORE_TENSOR] = "tensor",
    [ASSAY_STORE_ACCUMULATOR] = "accum", [ASSAY_STORE_CELL] = "cell",
    [ASSAY_STORE_CONSTANT] = "const",    [ASSAY_STORE_IMMEDIATE] = "value",
  };

  return (guint) store < ASSAY_N_STORES ? names[store] : "unknown";
}

static void
append_operand (const AssayStreamCode *code, const AssayInstruction *instruction, AssaySlot slot,
                GString *text)
{
  const AssayOperand *operand = &instruction->operands[slot];
  AssayTouch touch;

  if (assay_instruction_touch (code, instruction, slot, &touch))
    {
      g_string_append_printf (text, " %s[%u", assay_store_name (touch.store), touch.base);
      if (touch.blocks > 1)
        g_string_append_printf (text, "..%u", touch.base + touch.blocks - 1);
      g_string_append_c (text, ']');
      if (operand->ring != 0)
        g_string_append_printf (text, "@%u", operand->age);
      if (operand->fp32)
        g_string_append (text, ".f32");
      if (operand->repeat)
        g_string_append (text, ".all");
    }
  else if (operand->store == ASSAY_STORE_CONSTANT)
    {
      g_string_append_printf (text, " const[%u]%s%s", operand->base, operand->fp32 ? ".f32" : "",
                              operand->repeat ? ".all" : "");
    }
  else if (operand->store == ASSAY_STORE_IMMEDIATE)
    {
      g_string_append_printf (text, " #%.9g", assay_f32_from_bits (operand->base));
    }
}

static void
append_weights (const AssayStreamCode *code, const AssayInstruction *instruction, GString *text)
{
  const AssayPlacedMatrix *placed = &g_array_index (code->placed, AssayPlacedMatrix,
                                                    instruction->weights);
  const AssayMatrix *matrix = &g_array_index (code->matrices, AssayMatrix, placed->matrix);

  g_string_append_printf (text, " weight[%u..%u]%s", placed->base,
                          placed->base +
                              assay_stream_code_placed_blocks (code, instruction->weights) - 1,
                          matrix->fp8 ? ".fp8" : "");
}

static void
append_cores (const AssayInstruction *instruction, GString *text)
{
  const char *separator = " -> cores ";

  if (instruction->cores == 0)
    return;

  for (guint core = 0; core < ASSAY_MAX_CORES; core++)
    {
      if ((instruction->cores >> core & 1) == 0)
        continue;
      g_string_append_printf (text, "%s%u", separator, core);
      separator = ",";
    }
}

/* What is not an operand: bounds, factors, lanes. */
static void
append_settings (const AssayInstruction *instruction, GString *text)
{
  switch (assay_opcode_get_info ((AssayOpcode) instruction->opcode)->fields)
    {
    case ASSAY_FIELDS_SCALE:
      g_string_append_printf (text, " times %.9g plus %.9g", instruction->low.bound,
                              instruction->high.bound);
      break;
    case ASSAY_FIELDS_LANE:
      g_string_append_printf (text, " lane %u", instruction->low.lane);
      break;
    case ASSAY_FIELDS_RUN:
      g_string_append_printf (text, " lanes %u..%u to %u", instruction->low.lane,
                              instruction->low.lane + instruction->lanes - 1,
                              instruction->high.lane);
      if (instruction->clears > 0)
        g_string_append_printf (text, " clearing %u", instruction->clears);
      break;
    default:
      if (assay_instruction_bounds (instruction))
        g_string_append_printf (text, " within %.9g..%.9g", instruction->low.bound,
                                instruction->high.bound);
      break;
    }
}

/**
 * assay_disassemble_instruction:
 * @code: a program that has been verified
 * @index: of the instruction
 * @text: gets the instruction, without an end of line
 *
 * Writes an instruction: its name, its operands in the order of the instruction table, how it
 * rounds, and the node that it comes from.
 */
void
assay_disassemble_instruction (const AssayStreamCode *code, guint32 index, GString *text)
{
  const AssayInstruction *instruction = &g_array_index (code->instructions, AssayInstruction,
                                                        index);
  const AssayOpcodeInfo *info = assay_opcode_get_info ((AssayOpcode) instruction->opcode);
  gsize start = text->len;

  g_string_append (text, info->name);
  if (info->unit == ASSAY_UNIT_FUNCTION)
    g_string_append_printf (text, ".%s", functions[instruction->function]);
  if (instruction->round == ASSAY_ROUND_F32)
    g_string_append (text, ".f32");
  if (instruction->deferred)
    g_string_append (text, ".next");
  if (instruction->reset)
    g_string_append (text, ".reset");

  for (const char *letter = info->operands; *letter != 0; letter++)
    {
      if (*letter == 'W')
        append_weights (code, instruction, text);
      else if (*letter == 'N')
        append_cores (instruction, text);
      else if (*letter != ' ')
        append_operand (code, instruction,
                        (AssaySlot) (strchr (ASSAY_SLOT_LETTERS, *letter) - ASSAY_SLOT_LETTERS),
                        text);
    }

  append_settings (instruction, text);
  while (text->len - start < 64)
    g_string_append_c (text, ' ');
  g_string_append_printf (text, " ; step %u, %u lane%s", instruction->step, instruction->lanes,
                          assay_plural (instruction->lanes));
  if (instruction->node < code->node_names->len &&
      *(const char *) g_ptr_array_index (code->node_names, instruction->node) != 0)
    assay_terminal_append_format (
        text, ", %s", (const char *) g_ptr_array_index (code->node_names, instruction->node));
}

/**
 * assay_disassemble_core:
 * @code: a program that has been verified
 * @model: which of its models
 * @core: which core
 * @text: gets a line per instruction
 *
 * Writes the instructions that a core runs for a model.
 */
void
assay_disassemble_core (const AssayStreamCode *code, guint model, guint core, GString *text)
{
  const AssayModelEntry *entry = &g_array_index (code->models, AssayModelEntry, model);

  for (guint32 i = entry->first; i < entry->first + entry->n_instructions; i++)
    {
      if (g_array_index (code->instructions, AssayInstruction, i).core != core)
        continue;
      g_string_append_printf (text, "%6u  ", i);
      assay_disassemble_instruction (code, i, text);
      g_string_append_c (text, '\n');
    }
}
