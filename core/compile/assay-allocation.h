/* assay-allocation.h
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include "machine/assay-program.h"

G_BEGIN_DECLS

/**
 * AssayLiveTensor:
 * @name: of the tensor, or of the node whose weights they are
 * @node: the node that makes it
 * @reader: the node that reads it last
 * @base: first block
 * @blocks: number of blocks
 * @born: step of its first write
 * @died: step of its last read
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
} AssayLiveTensor;

/**
 * AssayWayOut:
 * @action: what to do, in words
 * @option: (nullable): the option of the command line that does it
 * @blocks_freed: what was missing, and what is free in the fullest core's store afterwards; of a deeper store, the
 *   blocks that it has more
 *
 * A change that was tried, and with which the model fits.
 */
typedef struct
{
  char *action;
  char *option;
  guint32 blocks_freed;
} AssayWayOut;

/**
 * AssayAllocation:
 * @store: name of the store as in messages: tensor RAM, accumulator store, cell state store, weight store
 * @core: the core that has no room
 * @step: at which step; 0 for weights
 * @tensor: what needs room
 * @node: the node that makes it
 * @needed: blocks that it needs; of the weight store, what all weights on the core need
 * @available: blocks that are free at that step; of the weight store, its depth
 * @largest_hole: the longest run of free blocks
 * @depth: blocks of the store
 * @live: (element-type AssayLiveTensor): what lies there at that step, largest first
 * @ways_out: (element-type AssayWayOut): what was tried and works, most blocks freed first
 *
 * Why a program does not fit.
 */
typedef struct
{
  const char *store;
  guint core;
  guint32 step;
  char *tensor;
  char *node;
  guint32 needed;
  guint32 available;
  guint32 largest_hole;
  guint32 depth;
  GArray *live;
  GArray *ways_out;
} AssayAllocation;

AssayAllocation *assay_allocation_new         (const char             *store,
                                               guint                   core,
                                               guint32                 depth) G_GNUC_WARN_UNUSED_RESULT;
void             assay_allocation_free        (AssayAllocation        *self);
void             assay_allocation_add_live    (AssayAllocation        *self,
                                               const AssayLiveTensor  *live);
void             assay_allocation_add_way_out (AssayAllocation        *self,
                                               char                   *action,
                                               char                   *option,
                                               guint32                 blocks_freed);
guint32          assay_allocation_shortage    (const AssayAllocation  *self);
void             assay_allocation_set_error   (const AssayAllocation  *self,
                                               GError                **error);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (AssayAllocation, assay_allocation_free)

G_END_DECLS
