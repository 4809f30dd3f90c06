/* assay-instruction.h
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include <glib.h>

#include "backend/stream/machine/kernels/assay-kernels.h"

G_BEGIN_DECLS

/**
 * AssayUnit:
 * @ASSAY_UNIT_MATRIX: multiplies blocks
 * @ASSAY_UNIT_DRAIN: the last stage of the matrix unit: rounds and bounds accumulators on their way
 * to tensor RAM
 *
 * The units of a core that work side by side; input and output belong to the whole accelerator.
 */
typedef enum
{
  ASSAY_UNIT_MATRIX,
  ASSAY_UNIT_DRAIN,
  ASSAY_UNIT_POINTWISE,
  ASSAY_UNIT_FUNCTION,
  ASSAY_UNIT_LANE,
  ASSAY_UNIT_RECURRENT,
  ASSAY_UNIT_NETWORK,
  ASSAY_UNIT_INPUT,
  ASSAY_UNIT_OUTPUT,
  ASSAY_N_UNITS
} AssayUnit;

/**
 * AssayOpcode:
 *
 * The instructions; the rows are in `assay-isa.def`.
 */
typedef enum
{
#define INSTRUCTION(id, ...) ASSAY_OPCODE_##id,
#include "backend/stream/machine/assay-isa.def"
#undef INSTRUCTION
  ASSAY_N_OPCODES
} AssayOpcode;

/**
 * AssayStore:
 * @ASSAY_STORE_NONE: the operand is absent
 * @ASSAY_STORE_TENSOR: a block address in tensor RAM
 * @ASSAY_STORE_ACCUMULATOR: a block address in the accumulator store
 * @ASSAY_STORE_CELL: a block address in the cell state store
 * @ASSAY_STORE_CONSTANT: an entry of the bias store
 * @ASSAY_STORE_IMMEDIATE: the bits of a float, the same in every lane
 *
 * Where an operand lies.
 */
typedef enum
{
  ASSAY_STORE_NONE,
  ASSAY_STORE_TENSOR,
  ASSAY_STORE_ACCUMULATOR,
  ASSAY_STORE_CELL,
  ASSAY_STORE_CONSTANT,
  ASSAY_STORE_IMMEDIATE,
  ASSAY_N_STORES
} AssayStore;

/**
 * AssaySlot:
 *
 * The places of operands in an instruction, in the order of their letters: the destination, then
 * the sources.
 */
typedef enum
{
  ASSAY_SLOT_D,
  ASSAY_SLOT_A,
  ASSAY_SLOT_B,
  ASSAY_SLOT_C,
  ASSAY_SLOT_E,
  ASSAY_N_SLOTS
} AssaySlot;

#define ASSAY_SLOT_LETTERS "dabce"

/**
 * AssayOperandKind:
 *
 * What an instruction wants of an operand; the rows are in `assay-operands.def`.
 */
typedef enum
{
#define OPERAND(id, ...) ASSAY_OPERAND_##id,
#include "backend/stream/machine/assay-operands.def"
#undef OPERAND
  ASSAY_N_OPERAND_KINDS
} AssayOperandKind;

/**
 * AssayExtent:
 * @ASSAY_EXTENT_NONE: nothing
 * @ASSAY_EXTENT_LANES: the lanes of the instruction
 * @ASSAY_EXTENT_ONE: one lane, in every lane of its block
 * @ASSAY_EXTENT_COLUMNS: as many lanes as the matrix has columns
 * @ASSAY_EXTENT_GATES: four times the lanes of the instruction
 * @ASSAY_EXTENT_LANE: up to the lane that is named
 * @ASSAY_EXTENT_RUN: up to the end of the run that is read
 * @ASSAY_EXTENT_RUN_TO: up to the end of the run that is written, or of what is cleared
 *
 * Which lanes of an operand an instruction goes over.
 */
typedef enum
{
  ASSAY_EXTENT_NONE,
  ASSAY_EXTENT_LANES,
  ASSAY_EXTENT_ONE,
  ASSAY_EXTENT_COLUMNS,
  ASSAY_EXTENT_GATES,
  ASSAY_EXTENT_LANE,
  ASSAY_EXTENT_RUN,
  ASSAY_EXTENT_RUN_TO,
} AssayExtent;

/**
 * AssayOperandTraits:
 * @ASSAY_OPERAND_ABSENT: it is missing
 * @ASSAY_OPERAND_REPEAT: its first lane stands for all
 * @ASSAY_OPERAND_RING: it is in a window
 * @ASSAY_OPERAND_AGE: it is an old vector of the window
 * @ASSAY_OPERAND_FP32: its values are kept in fp32
 * @ASSAY_OPERAND_LONG: it is longer than `max_read_size`
 *
 * What an operand can be besides lying in a store.
 */
typedef enum
{
  ASSAY_OPERAND_ABSENT = 1 << 0,
  ASSAY_OPERAND_REPEAT = 1 << 1,
  ASSAY_OPERAND_RING = 1 << 2,
  ASSAY_OPERAND_AGE = 1 << 3,
  ASSAY_OPERAND_FP32 = 1 << 4,
  ASSAY_OPERAND_LONG = 1 << 5,
} AssayOperandTraits;

/**
 * AssayOperandInfo:
 * @stores: a bit for each store that it may lie in
 * @extent: which of its lanes matter
 * @may: traits that it may have
 * @must: traits that it has to have
 * @words: what is wanted, in words
 */
typedef struct
{
  guint stores;
  AssayExtent extent;
  guint may;
  guint must;
  const char *words;
} AssayOperandInfo;

/**
 * AssayDivision:
 * @ASSAY_DIVISION_WHOLE: it is never divided
 * @ASSAY_DIVISION_PARTS: an operand that is too long is divided
 * @ASSAY_DIVISION_ROWS: so it is, and each core works on the rows that it has
 *
 * How an instruction may be divided without changing its bits.
 */
typedef enum
{
  ASSAY_DIVISION_WHOLE,
  ASSAY_DIVISION_PARTS,
  ASSAY_DIVISION_ROWS,
} AssayDivision;

/**
 * AssayPrecision:
 * @ASSAY_PRECISION_FIXED: what it does is not to be chosen
 * @ASSAY_PRECISION_NARROW: it reads bf16 only
 * @ASSAY_PRECISION_AS_KEPT: it reads bf16 only, or is kept in fp32 with what it reads
 * @ASSAY_PRECISION_WIDE: it reads bf16 and fp32 and can be kept in fp32
 *
 * What becomes of an instruction whose node, or the node before it, is kept in fp32.
 */
typedef enum
{
  ASSAY_PRECISION_FIXED,
  ASSAY_PRECISION_NARROW,
  ASSAY_PRECISION_AS_KEPT,
  ASSAY_PRECISION_WIDE,
} AssayPrecision;

/**
 * AssayFields:
 * @ASSAY_FIELDS_NOTHING: they are not read
 * @ASSAY_FIELDS_BOUNDS: lower and upper bound
 * @ASSAY_FIELDS_MAY_BOUND: the same, if the result is bounded on its way out
 * @ASSAY_FIELDS_SCALE: a factor and what is added
 * @ASSAY_FIELDS_LANE: which lane
 * @ASSAY_FIELDS_RUN: first source lane and first destination lane
 *
 * What the two numbers of an instruction are.
 */
typedef enum
{
  ASSAY_FIELDS_NOTHING,
  ASSAY_FIELDS_BOUNDS,
  ASSAY_FIELDS_MAY_BOUND,
  ASSAY_FIELDS_SCALE,
  ASSAY_FIELDS_LANE,
  ASSAY_FIELDS_RUN,
} AssayFields;

/**
 * AssayOperand:
 * @store: where it lies
 * @repeat: whether one block stands for every block of the vector
 * @fp32: whether its blocks in tensor RAM are fp32 and take two each; of a constant, that it is not
 * rounded
 * @ring: 1 + the ring that rotates the address, or 0
 * @base: block address, index of the constant, or bits of the float
 * @age: of a ring: how many inferences ago it was pushed
 * @tensor: the planned tensor it belongs to, for provenance
 */
typedef struct
{
  guint8 store;
  gboolean repeat;
  gboolean fp32;
  guint16 ring;
  guint32 base;
  guint32 age;
  guint32 tensor;
} AssayOperand;

/**
 * AssayInstruction:
 * @opcode: an #AssayOpcode
 * @round: an #AssayRound: how the result is rounded
 * @function: an #AssayFunction, for the function unit
 * @deferred: whether it depends on old state alone and works for the next inference
 * @reset: whether it is run when the state of its model is reset, and not in an inference
 * @clamps: of a sum, difference or product: whether the result is bounded on its way out
 * @core: the core that runs it
 * @step: index of its lowered operation in the one global order
 * @node: the node it comes from
 * @lanes: number of values of the result on this core
 * @first_block: for a part of a vector: which block of the whole it starts at
 * @clears: of the first shift into a vector: lanes of that vector, which are cleared; else 0
 * @weights: of a matrix product: index of the placed matrix
 * @cores: the cores that the result is sent to, a bit each; the core itself included if it keeps it
 * @d: the destination; @a, @b, @c and @e are the sources, @operands all of them by #AssaySlot
 * @low: lower bound of a clamp; factor of a sum; first source lane of a shift or spread
 * @high: upper bound of a clamp; what is added to a sum; first destination lane of a shift
 *
 * One instruction of one core, on one vector.
 */
typedef struct
{
  guint8 opcode;
  guint8 round;
  guint8 function;
  gboolean deferred;
  gboolean reset;
  gboolean clamps;
  guint16 core;
  guint32 step;
  guint32 node;
  guint32 lanes;
  guint32 first_block;
  guint32 clears;
  guint32 weights;
  guint64 cores;
  union
  {
    struct
    {
      AssayOperand d, a, b, c, e;
    };
    AssayOperand operands[ASSAY_N_SLOTS];
  };
  union
  {
    float bound;
    guint32 lane;
  } low, high;
} AssayInstruction;

/**
 * AssayOpcodeInfo:
 * @name: as in disassembly
 * @unit: the unit that runs it
 * @operands: letters of the operands it has, of its weights and cores
 * @kinds: an #AssayOperandKind for every slot
 * @weighs: whether it multiplies by a placed matrix
 * @sends: whether its result goes to the cores that it names
 * @division: how it may be divided
 * @precision: what it reads and what can be kept in fp32
 * @rounds: whether its result may be rounded
 * @fields: what its two numbers are
 * @doc: one line on what it does
 */
typedef struct
{
  const char *name;
  AssayUnit unit;
  const char *operands;
  AssayOperandKind kinds[ASSAY_N_SLOTS];
  gboolean weighs;
  gboolean sends;
  AssayDivision division;
  AssayPrecision precision;
  gboolean rounds;
  AssayFields fields;
  const char *doc;
} AssayOpcodeInfo;

const AssayOpcodeInfo *assay_opcode_get_info (AssayOpcode opcode);
const AssayOperandInfo *assay_operand_get_info (AssayOpcode opcode, AssaySlot slot);
const char *assay_unit_name (AssayUnit unit);
AssayUnit assay_instruction_get_unit (const AssayInstruction *instruction);

/* Whether a store has blocks that are addressed; such stores lie one behind the other. */
static inline gboolean
assay_store_has_blocks (guint store)
{
  return store >= ASSAY_STORE_TENSOR && store <= ASSAY_STORE_CELL;
}

/* Whether the two numbers bound the result. */
static inline gboolean
assay_instruction_bounds (const AssayInstruction *instruction)
{
  return instruction->clamps || instruction->opcode == ASSAY_OPCODE_CLAMP;
}

/* The cores that an instruction writes on, a bit each. */
static inline guint64
assay_instruction_cores (const AssayInstruction *instruction)
{
  return instruction->cores != 0 ? instruction->cores : (guint64) 1 << instruction->core;
}

G_END_DECLS
