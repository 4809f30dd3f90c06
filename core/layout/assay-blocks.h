/* assay-blocks.h
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include "layout/assay-layers.h"

G_BEGIN_DECLS

/* Larger blocks are cut where few lines go through; what lies between counts boxes and lanes. */
#define ASSAY_BLOCK_MAX_BOXES 200
#define ASSAY_BLOCK_MAX_VERTICES 600

/**
 * AssayBlock:
 * @first_rank: the rank it begins with; of it only what leads further down belongs to the block,
 * unless it is rank 0
 * @last_rank: the rank it ends with, where the next block begins
 * @n_vertices: boxes and lanes in it
 * @pinned_top: whether it begins at a forced cut: what stands there keeps its order
 * @pinned_bottom: whether it ends at a forced cut
 *
 * A piece of a layered drawing between two cuts, in ranks. At a cut that is not forced one vertex
 * holds both sides together.
 */
typedef struct
{
  guint32 first_rank;
  guint32 last_rank;
  guint32 n_vertices;
  guint8 pinned_top;
  guint8 pinned_bottom;
} AssayBlock;

GArray *assay_blocks_cut (const AssayLayers *layers, guint32 max_boxes,
                          guint32 max_vertices) G_GNUC_WARN_UNUSED_RESULT;
guint32 assay_block_list (const AssayBlock *self, const AssayLayers *layers, guint32 *vertices);
gboolean assay_block_is_chain (const AssayBlock *self, const AssayLayers *layers);
guint32 assay_block_joint (const AssayLayers *layers, guint32 rank);

G_END_DECLS
