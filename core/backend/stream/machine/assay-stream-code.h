/* assay-stream-code.h
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include <glib-object.h>

#include "base/assay-tensor.h"
#include "backend/stream/machine/assay-instruction.h"
#include "backend/assay-config.h"

G_BEGIN_DECLS

#define ASSAY_MAX_CORES 64

/**
 * AssayTensorKind:
 *
 * What a planned tensor is for; the order is that of the composition line.
 */
typedef enum
{
  ASSAY_TENSOR_INPUT,
  ASSAY_TENSOR_OUTPUT,
  ASSAY_TENSOR_ACTIVATION,
  ASSAY_TENSOR_STATE,
  ASSAY_TENSOR_COPY,
  ASSAY_TENSOR_SCRATCH,
  ASSAY_N_TENSOR_KINDS
} AssayTensorKind;

/**
 * AssayPlanned:
 * @name: of the value it holds
 * @node: the node that makes it
 * @core: where it lies
 * @store: tensor RAM, accumulators or cell state
 * @kind: what it is for
 * @base: first block
 * @blocks: number of blocks
 * @born: step of its first write
 * @died: step of its last read; %G_MAXUINT32 for state, which lives between inferences
 * @reader: the node that reads it last
 *
 * A tensor at its address, for the steps in which it lives there.
 */
typedef struct
{
  const char *name;
  guint32 node;
  guint16 core;
  guint8 store;
  guint8 kind;
  guint32 base;
  guint32 blocks;
  guint32 born;
  guint32 died;
  guint32 reader;
} AssayPlanned;

/**
 * AssayMatrix:
 * @tensor: the elements, fp32, outputs times inputs, row major
 * @n_outputs: rows
 * @n_inputs: columns
 * @fp8: whether the weight store holds it as fp8 E4M3, two blocks in the room of one
 */
typedef struct
{
  AssayTensor *tensor;
  guint32 n_outputs;
  guint32 n_inputs;
  gboolean fp8;
} AssayMatrix;

/**
 * AssayPlacedMatrix:
 * @matrix: which matrix
 * @core: where it lies
 * @base: first block in the weight store
 * @first_row: first output of the part that lies there
 * @n_rows: number of outputs, padded to blocks in the store
 */
typedef struct
{
  guint32 matrix;
  guint16 core;
  guint32 base;
  guint32 first_row;
  guint32 n_rows;
} AssayPlacedMatrix;

/**
 * AssayRing:
 * @slots: how many vectors it holds
 * @blocks: blocks of one vector
 * @model: the model that pushes it
 * @initial: how many vectors it has after a reset, which instructions of the reset put there
 *
 * A rotating window of old vectors; the descriptor rotates, nothing is copied.
 */
typedef struct
{
  guint32 slots;
  guint32 blocks;
  guint32 model;
  guint32 initial;
} AssayRing;

/**
 * AssayPort:
 * @name: of the input or output
 * @rank: number of dimensions, the streaming one left out
 * @dims: the dimensions
 * @streaming_dim: the axis that became time, or -1
 * @data_dim: the contiguous dimension
 * @lanes: extent of the data dimension
 * @n_vectors: how many vectors are transferred
 * @fp32: whether its values are transferred as fp32 rather than bf16
 */
typedef struct
{
  const char *name;
  guint rank;
  const gint64 *dims;
  int streaming_dim;
  int data_dim;
  guint32 lanes;
  guint32 n_vectors;
  gboolean fp32;
} AssayPort;

/**
 * AssayModelEntry:
 * @name: of the model
 * @first: index of its first instruction
 * @n_instructions: how many it has
 * @n_inputs: number of inputs
 * @n_outputs: number of outputs
 * @inputs: (array length=n_inputs): what goes in
 * @outputs: (array length=n_outputs): what comes out
 * @resettable: whether it has instructions that reset its state
 *
 * One model of a program.
 */
typedef struct
{
  const char *name;
  guint32 first;
  guint32 n_instructions;
  guint n_inputs;
  guint n_outputs;
  const AssayPort *inputs;
  const AssayPort *outputs;
  gboolean resettable;
} AssayModelEntry;

/**
 * AssayCandidate:
 * @model: which model
 * @node: the node whose rows are placed
 * @cores: the cores that share the rows, a bit each
 * @spaced: predicted cycles of one inference of the model alone, all cores idle before
 * @contiguous: the same for an inference that follows another at once
 * @chosen: whether the program is placed so
 * @pinned: whether the user wanted it so
 *
 * A placement of a layer that was tried, all others as they are in the program or were when it was
 * tried.
 */
typedef struct
{
  guint32 model;
  guint32 node;
  guint64 cores;
  guint32 spaced;
  guint32 contiguous;
  gboolean chosen;
  gboolean pinned;
} AssayCandidate;

/**
 * AssayStreamCode:
 *
 * A compiled program as plain data: what the machine runs, the timing model walks and the program
 * file holds.
 */
typedef struct _AssayStreamCode AssayStreamCode;

struct _AssayStreamCode
{
  /*< private >*/
  gatomicrefcount ref_count;
  struct _AssayArena *arena;

  /*< public >*/
  const char *target_id;
  AssayConfigValues config;
  GArray *models;        /* AssayModelEntry */
  GArray *instructions;  /* AssayInstruction, model after model, in step order */
  GArray *matrices;      /* AssayMatrix */
  GArray *placed;        /* AssayPlacedMatrix */
  GPtrArray *constants;  /* AssayTensor: fp32 vectors of the bias store */
  GArray *rings;         /* AssayRing */
  GArray *plan;          /* AssayPlanned */
  GArray *candidates;    /* AssayCandidate, layer after layer */
  GPtrArray *node_names; /* char *: provenance, indexed by the node of an instruction */
};

AssayStreamCode *assay_stream_code_new (const AssayConfigValues *config) G_GNUC_WARN_UNUSED_RESULT;
AssayStreamCode *assay_stream_code_ref (AssayStreamCode *self);
void assay_stream_code_unref (AssayStreamCode *self);
guint32 assay_stream_code_placed_blocks (const AssayStreamCode *self, guint placed);
guint32 assay_weight_blocks (const AssayMatrix *matrix, guint32 n_rows, guint32 block_size);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (AssayStreamCode, assay_stream_code_unref)

G_END_DECLS
