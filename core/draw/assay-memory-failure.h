/* assay-memory-failure.h
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include "backend/assay-allocation.h"
#include "draw/assay-display-list.h"

G_BEGIN_DECLS

/**
 * AssayHole:
 * @base: first free block
 * @blocks: how many are free from there on
 *
 * A run of free blocks.
 */
typedef struct
{
  guint32 base;
  guint32 blocks;
} AssayHole;

GArray *
assay_memory_failure_list_holes (const AssayAllocation *allocation) G_GNUC_WARN_UNUSED_RESULT;
const AssayLiveTensor *assay_memory_failure_find (const AssayAllocation *allocation, double width,
                                                  double height, double x, double y);
void assay_memory_failure_draw (const AssayAllocation *allocation, double width, double height,
                                AssayDisplayList *list);

G_END_DECLS
