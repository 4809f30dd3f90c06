/* assay-program-facts.h
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include "backend/assay-port.h"
#include "backend/assay-config.h"

G_BEGIN_DECLS

#define ASSAY_MAX_CORES 64
#define ASSAY_MAX_UNITS 16

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
 * @store: index of its store in those of the program
 * @kind: what it is for
 * @base: first block
 * @blocks: number of blocks
 * @born: step of its first write
 * @died: step of its last read; %G_MAXUINT32 for state, which lives between inferences
 * @reader: the node that reads it last
 * @note: (nullable): what else there is to say of where it lies
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
  const char *note;
} AssayPlanned;

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
 * AssayProgramStore:
 * @name: short, for actions and options
 * @title: what a page calls it
 * @noun: the same within a sentence
 * @member: the member of a configuration that is its depth
 * @depth: blocks that a core has of it
 * @timed: whether its contents come and go over the steps of the program
 * @measured: bytes of a block, if it is as large as the program needs and so always full, else 0
 * @n_banks: banks of the chip that its contents are brought into to be worked on, 0 for none
 * @bank: blocks that one of them holds
 *
 * A store that every core has.
 */
typedef struct
{
  const char *name;
  const char *title;
  const char *noun;
  const char *member;
  guint depth;
  gboolean timed;
  guint measured;
  guint n_banks;
  guint bank;
} AssayProgramStore;

/**
 * AssayProgramUnit:
 * @name: in pictures and tables
 * @title: the same at the beginning of a line
 * @shared: whether there is one for all cores, rather than one per core
 *
 * What is at work side by side with others.
 */
typedef struct
{
  const char *name;
  const char *title;
  gboolean shared;
} AssayProgramUnit;

/**
 * AssayResident:
 * @name: of the node that reads it
 * @core: where it lies
 * @base: first block
 * @blocks: number of blocks
 * @padding: which share of it is padding
 *
 * What has its place in a store without steps for as long as the program is loaded.
 */
typedef struct
{
  const char *name;
  guint core;
  guint32 base;
  guint32 blocks;
  double padding;
} AssayResident;

/**
 * AssayProgramRow:
 * @name: of the instruction
 * @node: the node it comes from
 * @step: its step
 * @core: the core that runs it
 * @ahead: whether it works for the next inference
 * @computing: cycles of its unit, where those of memory are counted beside them; else 0
 * @moving: cycles of memory; it takes whichever is longer
 *
 * An instruction in the listing of a program.
 */
typedef struct
{
  const char *name;
  guint32 node;
  guint32 step;
  guint core;
  gboolean ahead;
  guint64 computing;
  guint64 moving;
} AssayProgramRow;

/**
 * AssayProgramFacts:
 * @target_id: what it was made for
 * @config: the hardware, with the depth of every store
 * @models: (element-type AssayModelEntry): its models
 * @tensors: (element-type AssayPlanned): what lies where over which steps
 * @residents: (nullable) (element-type AssayResident): what stays in the store without steps
 * @node_names: (element-type utf8): names of the nodes that it was made of
 * @n_rows: number of instructions
 * @stores: (array length=n_stores): the stores of a core
 * @n_stores: number of stores
 * @main_store: the store that is looked at first, one with steps
 * @units: (array length=n_units): the units of a core, and those that cores share behind them; the
 * first one is drawn as how busy a core is
 * @n_units: number of units, %ASSAY_MAX_UNITS at most
 * @narrow_weights: whether constant matrices are kept as fp8 E4M3
 * @numbers: the type that its results are held in, where that is not the same for all programs of
 * its kind; else %ASSAY_DTYPE_UNDEFINED
 *
 * What a program consists of. The arrays live as long as the program.
 */
typedef struct
{
  const char *target_id;
  const AssayConfigValues *config;
  const GArray *models;
  const GArray *tensors;
  const GArray *residents;
  const GPtrArray *node_names;
  guint32 n_rows;
  const AssayProgramStore *stores;
  guint n_stores;
  guint main_store;
  const AssayProgramUnit *units;
  guint n_units;
  gboolean narrow_weights;
  AssayDType numbers;
} AssayProgramFacts;

const char *assay_tensor_kind_name (AssayTensorKind kind);

G_END_DECLS
