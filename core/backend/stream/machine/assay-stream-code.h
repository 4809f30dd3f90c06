/* assay-stream-code.h
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include <glib-object.h>

#include "base/assay-tensor.h"
#include "backend/assay-program-facts.h"
#include "backend/stream/machine/assay-instruction.h"
#include "backend/assay-config.h"

G_BEGIN_DECLS

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
void assay_ports_copy (AssayPort *to, const AssayPort *from, guint n, struct _AssayArena *arena);
guint assay_store_depth (const AssayConfigValues *config, AssayStore store);
gsize assay_store_count (const AssayConfigValues *config);
guint32 assay_stream_code_placed_blocks (const AssayStreamCode *self, guint placed);
guint32 assay_weight_blocks (const AssayMatrix *matrix, guint32 n_rows, guint32 block_size);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (AssayStreamCode, assay_stream_code_unref)

G_END_DECLS
