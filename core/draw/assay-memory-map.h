/* assay-memory-map.h
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include "backend/stream/machine/assay-stream-code.h"
#include "target/assay-verdict.h"

G_BEGIN_DECLS

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
 * @code: the program
 * @n_cores: its cores
 * @n_steps: its steps
 * @uses: (array length=n_cores): per core and store that has lifetimes
 * @cycles: (array length=n_steps): the cycle at which the first instruction of each step begins, or
 * of an earlier step that is slower
 * @weights: (array length=n_cores): blocks of the weight store in use
 * @peak_core: the core whose tensor RAM is fullest, the first among equals
 *
 * Who occupies which blocks of a program when: what pictures and tables of memory are made of.
 */
typedef struct
{
  /*< private >*/
  gatomicrefcount ref_count;

  /*< public >*/
  AssayStreamCode *code;
  guint n_cores;
  guint32 n_steps;
  AssayMemoryUse *uses[ASSAY_N_STORES];
  guint32 *cycles;
  guint32 *weights;
  guint peak_core;
} AssayMemoryMap;

AssayMemoryMap *assay_memory_map_new (AssayStreamCode *code) G_GNUC_WARN_UNUSED_RESULT;
AssayMemoryMap *assay_memory_map_ref (AssayMemoryMap *self);
void assay_memory_map_unref (AssayMemoryMap *self);
const AssayMemoryUse *assay_memory_map_get_use (const AssayMemoryMap *self, guint core,
                                                AssayStore store);
const AssayPlanned *assay_memory_map_get_tensor (const AssayMemoryMap *self, guint32 tensor);
guint32 assay_memory_map_get_last_step (const AssayMemoryMap *self, const AssayPlanned *tensor);
guint64 assay_memory_map_find_copies (const AssayMemoryMap *self, guint32 tensor, guint64 *owners);
guint32 assay_memory_map_get_weight_blocks (const AssayMemoryMap *self,
                                            const AssayPlacedMatrix *placed);
GArray *assay_memory_map_list_live (const AssayMemoryMap *self, guint core, AssayStore store,
                                    guint32 step) G_GNUC_WARN_UNUSED_RESULT;
guint32 assay_memory_map_compose (const AssayMemoryMap *self, guint core, AssayStore store,
                                  guint32 step, guint32 blocks[ASSAY_N_TENSOR_KINDS]);
guint8 *assay_memory_map_dup_fill (const AssayMemoryMap *self, guint core,
                                   const AssayVerdicts *verdicts) G_GNUC_WARN_UNUSED_RESULT;
guint32 assay_memory_map_find_peak (const AssayMemoryMap *self, guint core, AssayStore store,
                                    guint32 step, int direction);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (AssayMemoryMap, assay_memory_map_unref)

G_END_DECLS
