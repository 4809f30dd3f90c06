/* assay-lir.h
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include "backend/stream/machine/assay-stream-code.h"
#include "nnir/assay-graph.h"

G_BEGIN_DECLS

/* The lowered form between NNIR and instructions: operations on single vectors, cores not yet
 * chosen. Vector 0 does not exist. */

typedef guint32 AssayLirId;

/**
 * AssayLirVector:
 * @name: of the value it is part of
 * @store: tensor RAM, accumulators or cell state
 * @kind: an #AssayTensorKind
 * @lanes: number of values
 * @unit_blocks: blocks that stay on one core: 1, or 4 for the gates of a recurrent layer; the last
 * may be fewer
 * @node: the node it comes from
 * @fp32: whether it is kept in fp32
 * @ring: 1 + its ring, if it is a window of old vectors
 * @layer: 1 + the layer whose rows it holds, or 0
 * @persistent: whether it lives between inferences
 * @alias_of: the vector whose blocks it names, or 0
 * @alias_block: the first of those blocks
 * @kept: whether the user wants its node kept in fp32
 * @home: the core that makes it if none has a reason to
 */
typedef struct
{
  const char *name;
  guint8 store;
  guint8 kind;
  guint8 unit_blocks;
  gboolean fp32;
  gboolean persistent;
  guint32 lanes;
  guint32 node;
  guint32 ring;
  guint32 layer;
  guint32 alias_of;
  guint32 alias_block;
  gboolean kept;
  guint16 home;
} AssayLirVector;

/**
 * AssayLirOperandKind:
 *
 * What a lowered operation reads.
 */
typedef enum
{
  ASSAY_LIR_NONE,
  ASSAY_LIR_VECTOR,
  ASSAY_LIR_CONSTANT,
  ASSAY_LIR_IMMEDIATE,
} AssayLirOperandKind;

/**
 * AssayLirOperand:
 * @kind: what it is
 * @repeat: whether its first lane stands for all
 * @exact: of a constant: not rounded to bf16
 * @id: vector, or index of the constant
 * @age: of a window: how many inferences ago
 * @block: of a vector: its first block that is read
 * @value: of an immediate
 */
typedef struct
{
  guint8 kind;
  gboolean repeat;
  gboolean exact;
  AssayLirId id;
  guint32 age;
  guint32 block;
  float value;
} AssayLirOperand;

#define ASSAY_LIR_N_SOURCES (ASSAY_N_SLOTS - ASSAY_SLOT_A)

/**
 * AssayLirOp:
 * @opcode: an #AssayOpcode
 * @round: an #AssayRound
 * @function: an #AssayFunction
 * @deferred: whether it works for the next inference
 * @reset: whether it is run when the state is reset, and not in an inference
 * @whole: whether every core that needs the result computes all of it, rather than each the rows it
 * has
 * @clamps: whether the result is bounded on its way out
 * @node: the node it comes from
 * @layer: 1 + the layer whose rows it computes, for accumulators; else 0
 * @matrix: of a matrix product
 * @lanes: number of values
 * @clears: of the first shift into a vector: its lanes
 * @d: the vector it writes; @a, @b, @c and @e are what it reads, @sources all of them
 * @low: bound or first source lane
 * @high: bound or first destination lane
 */
typedef struct
{
  guint8 opcode;
  guint8 round;
  guint8 function;
  gboolean deferred;
  gboolean reset;
  gboolean whole;
  gboolean clamps;
  guint32 node;
  guint32 layer;
  guint32 matrix;
  guint32 lanes;
  guint32 clears;
  AssayLirId d;
  union
  {
    struct
    {
      AssayLirOperand a, b, c, e;
    };
    AssayLirOperand sources[ASSAY_LIR_N_SOURCES];
  };
  union
  {
    float bound;
    guint32 lane;
  } low, high;
} AssayLirOp;

/**
 * AssayLirLayer:
 * @node: the node
 * @n_units: block rows that can be given to cores, all gates of one hidden block being one
 * @unit_blocks: blocks of a unit
 * @allowed: the cores it may lie on, a bit each
 * @pinned: whether it lies on all of them, as the user wants
 * @model: which of the models it is part of
 * @twin: index of the first layer with the same matrices, which decides for both where they lie;
 * its own if there is none
 *
 * A matrix product whose rows are placed together: all vectors and taps of one node.
 */
typedef struct
{
  guint32 node;
  guint32 n_units;
  guint32 unit_blocks;
  guint64 allowed;
  gboolean pinned;
  guint32 model;
  guint32 twin;
} AssayLirLayer;

/**
 * AssayLirModel:
 * @name: of the model
 * @first_op: index of its first operation; the next model begins where it ends
 * @n_inputs: how many of the inputs are its own; they lie behind those of the models before
 * @n_outputs: the same of the outputs
 * @resettable: whether it has operations that reset its state
 *
 * One model of a program; a lowered graph has one.
 */
typedef struct
{
  const char *name;
  guint32 first_op;
  guint32 n_inputs;
  guint32 n_outputs;
  gboolean resettable;
} AssayLirModel;

/**
 * AssayLirLife:
 * @first: the operation that writes it first; %G_MAXUINT32 if none does
 * @last: the operation that reads or writes it last
 * @reader: the node that reads it last
 *
 * How long a vector is needed; no placement changes it.
 */
typedef struct
{
  guint32 first;
  guint32 last;
  guint32 reader;
} AssayLirLife;

/**
 * AssayLirValue:
 * @id: a value of the graph
 * @rank: number of dimensions
 * @dims: the extents; the axis that became time counts as 1
 * @time_axis: the axis that became time, or -1
 * @data_dim: the contiguous axis, or -1 for a scalar
 * @n_vectors: product of the other extents
 * @lanes: extent of the data dimension
 * @vectors: the vectors, the other axes row major
 *
 * Which vectors a value of the graph was lowered to.
 */
typedef struct
{
  AssayValueId id;
  guint rank;
  const gint64 *dims;
  int time_axis;
  int data_dim;
  guint32 n_vectors;
  guint32 lanes;
  const AssayLirId *vectors;
} AssayLirValue;

/**
 * AssayLir:
 *
 * A lowered model, or several that share one program.
 */
typedef struct
{
  const AssayConfigValues *config;
  AssayArena *arena;
  GPtrArray *node_names;  /* const char *: indexed by the node of vectors and operations */
  GArray *vectors;        /* AssayLirVector, [0] unused */
  GArray *ops;            /* AssayLirOp, in program order */
  GArray *layers;         /* AssayLirLayer */
  GArray *matrices;       /* AssayMatrix */
  GPtrArray *constants;   /* AssayTensor */
  GArray *rings;          /* AssayRing */
  GArray *inputs;         /* AssayPort */
  GArray *outputs;        /* AssayPort */
  GArray *models;         /* AssayLirModel */
  gboolean reads_windows; /* whether windows are read in an inference before they are pushed */
  GArray *values;         /* AssayLirValue, in program order; of a single model */
  AssayLirLife *lives;    /* per vector, once they are found */
} AssayLir;

AssayLir *assay_lir_new (const AssayConfigValues *config) G_GNUC_WARN_UNUSED_RESULT;
void assay_lir_free (AssayLir *self);
AssayLir *assay_lir_join (GPtrArray *models) G_GNUC_WARN_UNUSED_RESULT;

static inline AssayLirVector *
assay_lir_vector (const AssayLir *self, AssayLirId id)
{
  return &g_array_index (self->vectors, AssayLirVector, id);
}

AssayLirId assay_lir_add_vector (AssayLir *self, AssayStore store, AssayTensorKind kind,
                                 const char *name, guint32 node, guint32 lanes);
AssayLirOp *assay_lir_add_op (AssayLir *self, AssayOpcode opcode, guint32 node, AssayLirId d,
                              guint32 lanes, AssayRound round);
guint32 assay_lir_add_constant (AssayLir *self, guint32 n, const float *values);
guint32 assay_lir_add_matrix (AssayLir *self, guint32 n_outputs, guint32 n_inputs, gboolean fp8,
                              float *values);
guint32 assay_lir_take_matrix (AssayLir *self, const AssayMatrix *matrix);
guint32 assay_lir_add_layer (AssayLir *self, guint32 node, guint32 n_units, guint32 unit_blocks,
                             guint64 allowed);
guint32 assay_lir_add_ring (AssayLir *self, guint32 slots, guint32 lanes);
void assay_lir_find_twins (AssayLir *self);
void assay_lir_find_lives (AssayLir *self);

static inline const char *
assay_lir_node_name (const AssayLir *self, guint32 node)
{
  return g_ptr_array_index (self->node_names, node);
}

static inline guint
assay_lir_n_allowed (const AssayLirLayer *layer)
{
  return (guint) __builtin_popcountll (layer->allowed);
}

/* The core behind so many others of those that a layer may lie on. */
static inline guint
assay_lir_allowed_core (const AssayLirLayer *layer, guint index)
{
  guint64 rest = layer->allowed;

  while (index-- > 0)
    rest &= rest - 1;

  return (guint) __builtin_ctzll (rest);
}

static inline guint32
assay_lir_blocks (const AssayLir *self, guint32 lanes)
{
  return (lanes + self->config->block_size - 1) / self->config->block_size;
}

static inline AssayLirOperand
assay_lir_use (AssayLirId id)
{
  return (AssayLirOperand){ .kind = ASSAY_LIR_VECTOR, .id = id };
}

static inline AssayLirOperand
assay_lir_use_repeat (AssayLirId id)
{
  return (AssayLirOperand){ .kind = ASSAY_LIR_VECTOR, .id = id, .repeat = TRUE };
}

static inline AssayLirOperand
assay_lir_use_old (AssayLirId id, guint32 age)
{
  return (AssayLirOperand){ .kind = ASSAY_LIR_VECTOR, .id = id, .age = age };
}

static inline AssayLirOperand
assay_lir_immediate (float value)
{
  return (AssayLirOperand){ .kind = ASSAY_LIR_IMMEDIATE, .value = value };
}

G_DEFINE_AUTOPTR_CLEANUP_FUNC (AssayLir, assay_lir_free)

G_END_DECLS
