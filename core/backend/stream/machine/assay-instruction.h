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
#define INSTRUCTION(id, name, unit, operands, doc) ASSAY_OPCODE_##id,
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
  AssayOperand d;
  AssayOperand a;
  AssayOperand b;
  AssayOperand c;
  AssayOperand e;
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
 * @operands: letters of the operands it has
 * @doc: one line on what it does
 */
typedef struct
{
  const char *name;
  AssayUnit unit;
  const char *operands;
  const char *doc;
} AssayOpcodeInfo;

const AssayOpcodeInfo *assay_opcode_get_info (AssayOpcode opcode);
const char *assay_unit_name (AssayUnit unit);
AssayUnit assay_instruction_get_unit (const AssayInstruction *instruction);

G_END_DECLS
