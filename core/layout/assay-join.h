/* assay-join.h
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include "layout/assay-blocks.h"

G_BEGIN_DECLS

/**
 * AssayBlockFate:
 * @ASSAY_BLOCK_KEPT: nobody laid it out: it stays as it was
 * @ASSAY_BLOCK_TAKEN: it stands as it was laid out
 * @ASSAY_BLOCK_CROSSED: it would have got more crossings, or lost the order at a cut: it stays as
 * it was
 */
typedef enum
{
  ASSAY_BLOCK_KEPT,
  ASSAY_BLOCK_TAKEN,
  ASSAY_BLOCK_CROSSED,
} AssayBlockFate;

/**
 * AssayBlockPart:
 * @vertices: the vertices of a block, as assay_block_list() lists them
 * @n_vertices: number of vertices
 * @places: (nullable): a place for each of them, in cells from anywhere, or %NULL
 * @fate: what became of it
 */
typedef struct
{
  const guint32 *vertices;
  guint32 n_vertices;
  const gint32 *places;
  AssayBlockFate fate;
} AssayBlockPart;

void assay_blocks_join (AssayLayers *layers, const GArray *blocks, AssayBlockPart *parts);

G_END_DECLS
