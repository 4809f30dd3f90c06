/* assay-dot-block.h
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include "layout/assay-blocks.h"

G_BEGIN_DECLS

/* Units per cell: places come in cells, so that whatever comes back stands on the grid. */
#define ASSAY_DOT_CELL 4.0
/* Of a vertex: it is a lane and has no width. */
#define ASSAY_DOT_LANE (1u << 31)
/* Nobody asks for more in one block, nor believes a place further out. */
#define ASSAY_DOT_MAX_VERTICES 100000
#define ASSAY_DOT_MAX_EDGES 1000000
#define ASSAY_DOT_MAX_CELL 10000000

/**
 * AssayDotVertex:
 * @rank: its rank in the block
 * @reach: how many cells it reaches to each side, or %ASSAY_DOT_LANE
 * @group: the frame it is in, counted from 1, 0 for none
 */
typedef struct
{
  guint32 rank;
  guint32 reach;
  guint32 group;
} AssayDotVertex;

/**
 * AssayDotEdge:
 * @from: a vertex
 * @to: a vertex of the next rank
 */
typedef struct
{
  guint32 from;
  guint32 to;
} AssayDotEdge;

/**
 * AssayDotBlock:
 * @n_vertices: number of vertices, rank by rank from left to right as they are shown
 * @n_edges: number of edges
 * @n_groups: number of frames
 * @n_bottom: number of vertices of the last rank that keep their order
 * @pinned_top: whether those of the first rank do
 * @vertices: the vertices
 * @edges: the edges
 * @groups: per frame the one around it, which comes before it, 0 for none
 * @bottom: vertices of the last rank that keep their order
 *
 * What dot is told about a block: everything that matters for its layout and nothing else, so that
 * equal blocks are equal bytes. Points into the bytes it was read from.
 */
typedef struct
{
  guint32 n_vertices;
  guint32 n_edges;
  guint32 n_groups;
  guint32 n_bottom;
  gboolean pinned_top;
  const AssayDotVertex *vertices;
  const AssayDotEdge *edges;
  const guint32 *groups;
  const guint32 *bottom;
} AssayDotBlock;

/**
 * AssayDotHead:
 * @index: which of the blocks that were sent
 * @n_words: words that follow; of an answer the number of vertices, 0 if the block could not be
 * laid out
 *
 * Goes before every block and every answer.
 */
typedef struct
{
  guint32 index;
  guint32 n_words;
} AssayDotHead;

GBytes *assay_dot_block_write (const AssayBlock *block, const AssayLayers *layers,
                               const guint32 *vertices, guint32 n_vertices, const guint32 *group_of,
                               const guint32 *parents, guint32 *local) G_GNUC_WARN_UNUSED_RESULT;
gboolean assay_dot_block_read (AssayDotBlock *self, gconstpointer data, gsize size);

G_END_DECLS
