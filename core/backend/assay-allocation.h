/* assay-allocation.h
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

/**
 * AssayLiveTensor:
 * @name: of the tensor, or of the node whose weights they are
 * @node: the node that makes it
 * @reader: the node that reads it last
 * @base: first block
 * @blocks: number of blocks
 * @born: step of its first write
 * @died: step of its last read; %G_MAXUINT32 if it stays for good
 * @kind: an #AssayTensorKind; of weights without meaning
 *
 * What lies in a store where something else found no room.
 */
typedef struct
{
  char *name;
  char *node;
  char *reader;
  guint32 base;
  guint32 blocks;
  guint32 born;
  guint32 died;
  guint8 kind;
} AssayLiveTensor;

/**
 * AssayLiveGroup:
 * @first: one of them
 * @last: the one that is read last
 * @n: how many vectors they are
 * @blocks: their blocks
 * @born: the first step of the oldest
 * @died: the last step of the youngest
 *
 * All vectors of one tensor that lie in a store.
 */
typedef struct
{
  const AssayLiveTensor *first;
  const AssayLiveTensor *last;
  guint n;
  guint32 blocks;
  guint32 born;
  guint32 died;
} AssayLiveGroup;

/**
 * AssayWayKind:
 * @ASSAY_WAY_SEARCH: search for a placement
 * @ASSAY_WAY_STREAM: make an axis of the only input time
 * @ASSAY_WAY_DEPTH: all of a store that was made smaller
 * @ASSAY_WAY_TARGET: another target
 * @ASSAY_WAY_SIZE: another extent of an axis of an input
 * @ASSAY_WAY_SPLIT: several models that run one after the other
 *
 * What is changed on a way out.
 */
typedef enum
{
  ASSAY_WAY_SEARCH,
  ASSAY_WAY_STREAM,
  ASSAY_WAY_DEPTH,
  ASSAY_WAY_TARGET,
  ASSAY_WAY_SIZE,
  ASSAY_WAY_SPLIT,
} AssayWayKind;

/**
 * AssayWayOut:
 * @kind: what is changed
 * @value: the axis, the depth, the extent or the number of models
 * @name: (nullable): id of the target, the member of a configuration that is the depth, how a
 * binding names the axis, or a line for each node that a model ends behind
 * @action: what to do, in words
 * @option: (nullable): the option of the command line that does it
 * @blocks_freed: what was missing, and what is free in the fullest core's store afterwards; of a
 * deeper store, the blocks that it has more
 *
 * A change that was tried, and with which the model fits.
 */
typedef struct
{
  AssayWayKind kind;
  guint32 value;
  char *name;
  char *action;
  char *option;
  guint32 blocks_freed;
} AssayWayOut;

/**
 * AssayStoreNeed:
 * @store: name of the store, as in messages
 * @needed: blocks that every placement needs of it at once, on all cores together
 * @depth: blocks that all cores have of it
 *
 * What a program needs of a store at least, wherever its layers are placed.
 */
typedef struct
{
  const char *store;
  guint64 needed;
  guint64 depth;
} AssayStoreNeed;

/**
 * AssayAllocation:
 * @store: name of the store as in messages: tensor RAM, accumulator store, cell state store, weight
 * store, clamp store, tensor descriptors, operand of an instruction
 * @member: (nullable): member of a configuration that is the depth of that store
 * @core: the core that has no room
 * @step: at which step; 0 for weights
 * @tensor: what needs room
 * @node: the node that makes it
 * @needed: blocks that it needs; of the weight store, what all weights on the core need
 * @available: blocks that are free at that step; of the weight store, its depth
 * @largest_hole: the longest run of free blocks
 * @depth: blocks of the store
 * @live: (element-type AssayLiveTensor): what lies there at that step, largest first
 * @past: (element-type AssayLiveTensor): what had its place there before and is gone by that step,
 * in order of birth
 * @needs: (element-type AssayStoreNeed): what is needed in all against what there is, of every
 * store that is used
 * @ways_out: (element-type AssayWayOut): what was tried and works, most blocks freed first
 *
 * Why a program does not fit.
 */
typedef struct
{
  const char *store;
  const char *member;
  guint core;
  guint32 step;
  char *tensor;
  char *node;
  guint32 needed;
  guint32 available;
  guint32 largest_hole;
  guint32 depth;
  GArray *live;
  GArray *past;
  GArray *needs;
  GArray *ways_out;
} AssayAllocation;

AssayAllocation *assay_allocation_new (const char *store, guint core,
                                       guint32 depth) G_GNUC_WARN_UNUSED_RESULT;
void assay_allocation_free (AssayAllocation *self);
void assay_allocation_add_live (AssayAllocation *self, const AssayLiveTensor *live);
void assay_allocation_add_past (AssayAllocation *self, const AssayLiveTensor *past);
const AssayWayOut *assay_allocation_add_way_out (AssayAllocation *self, AssayWayKind kind,
                                                 guint32 value, const char *name, char *action,
                                                 char *option, guint32 blocks_freed);
char *assay_allocation_describe_way (const AssayAllocation *self,
                                     const AssayWayOut *way) G_GNUC_WARN_UNUSED_RESULT;
GArray *assay_allocation_group_live (const AssayAllocation *self) G_GNUC_WARN_UNUSED_RESULT;
guint32 assay_allocation_shortage (const AssayAllocation *self);
const char *assay_allocation_get_unit (const AssayAllocation *self, guint64 n);
void assay_allocation_set_error (const AssayAllocation *self, GError **error);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (AssayAllocation, assay_allocation_free)

G_END_DECLS
