/* assay-memory-map.h
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include "backend/assay-program.h"
#include "target/assay-verdict.h"

G_BEGIN_DECLS

/* As a store: none, or one that is not known yet. */
#define ASSAY_NO_STORE G_MAXUINT

/**
 * AssayMemoryUse:
 * @depth: blocks of the store
 * @tensors: (element-type guint32): what lies there, as rows of the plan, in the order of birth
 * @used: (nullable): blocks in use at each step; %NULL if nothing ever lies there
 * @peak: most blocks in use at a step
 * @peak_step: the first step at which that is so
 *
 * One store of one core over the steps of a program.
 */
typedef struct
{
  guint32 depth;
  GArray *tensors;
  guint32 *used;
  guint32 peak;
  guint32 peak_step;
} AssayMemoryUse;

/**
 * AssayMemoryMap:
 * @program: the program
 * @n_cores: its cores
 * @n_steps: its steps
 * @n_stores: the stores of a core
 * @main_store: the one that is looked at first
 * @uses: (array length=n_stores): per store that has lifetimes and core; %NULL for others
 * @cycles: (array length=n_steps): the cycle at which the first instruction of each step begins, or
 * of an earlier step that is slower
 * @weights: (array length=n_cores): blocks in use of the store without steps
 * @peak_core: the core whose main store is fullest, the first among equals
 *
 * Who occupies which blocks of a program when: what pictures and tables of memory are made of.
 */
typedef struct
{
  /*< private >*/
  gatomicrefcount ref_count;

  /*< public >*/
  AssayProgram *program;
  guint n_cores;
  guint32 n_steps;
  guint n_stores;
  guint main_store;
  AssayMemoryUse **uses;
  guint32 *cycles;
  guint32 *weights;
  guint peak_core;
} AssayMemoryMap;

/**
 * AssayMemoryGroup:
 * @tensors: (element-type guint32): its vectors, as rows of the plan
 * @last: the vector that is read last
 * @base: the lowest address
 * @born: the first step of the oldest
 * @blocks: blocks of all
 * @cost: blocks times steps of all
 *
 * All vectors of one tensor that lie in a store, which are one thing with its name.
 */
typedef struct
{
  GArray *tensors;
  const AssayPlanned *last;
  guint32 base;
  guint32 born;
  guint32 blocks;
  guint64 cost;
} AssayMemoryGroup;

AssayMemoryMap *assay_memory_map_new (AssayProgram *program) G_GNUC_WARN_UNUSED_RESULT;
AssayMemoryMap *assay_memory_map_ref (AssayMemoryMap *self);
void assay_memory_map_unref (AssayMemoryMap *self);
const AssayMemoryUse *assay_memory_map_get_use (const AssayMemoryMap *self, guint core,
                                                guint store);
const AssayPlanned *assay_memory_map_get_tensor (const AssayMemoryMap *self, guint32 tensor);
guint32 assay_memory_map_get_last_step (const AssayMemoryMap *self, const AssayPlanned *tensor);
guint64 assay_memory_map_find_copies (const AssayMemoryMap *self, guint32 tensor, guint64 *owners);
guint assay_memory_map_get_resident_depth (const AssayMemoryMap *self);
gboolean assay_memory_map_has_steps (const AssayMemoryMap *self, guint store);
GArray *assay_memory_map_list_live (const AssayMemoryMap *self, guint core, guint store,
                                    guint32 step) G_GNUC_WARN_UNUSED_RESULT;
gboolean assay_memory_map_is_one_tensor (const AssayMemoryMap *self, guint32 a, guint32 b);
GPtrArray *assay_memory_map_group (const AssayMemoryMap *self,
                                   GArray *tensors) G_GNUC_WARN_UNUSED_RESULT;
void assay_memory_group_free (AssayMemoryGroup *self);
guint32 assay_memory_map_compose (const AssayMemoryMap *self, guint core, guint store, guint32 step,
                                  guint32 blocks[ASSAY_N_TENSOR_KINDS]);
guint8 *assay_memory_map_dup_fill (const AssayMemoryMap *self, guint core,
                                   const AssayVerdicts *verdicts) G_GNUC_WARN_UNUSED_RESULT;
guint32 assay_memory_map_find_peak (const AssayMemoryMap *self, guint core, guint store,
                                    guint32 step, int direction);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (AssayMemoryMap, assay_memory_map_unref)
G_DEFINE_AUTOPTR_CLEANUP_FUNC (AssayMemoryGroup, assay_memory_group_free)

G_END_DECLS
