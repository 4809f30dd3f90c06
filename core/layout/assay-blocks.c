/* assay-blocks.c
 * SPDX-License-Identifier: Apache-2.0
 *
 * Cuts a layered drawing into pieces that can be laid out by themselves. Where one vertex alone
 * leads from a rank to those below, everything above hangs on it, and so does everything below: the
 * drawing falls apart there and nothing is lost. What is still too large is cut at the narrowest
 * rank, and what stands there keeps its order on both sides.
 */
#include "layout/assay-blocks.h"

static gboolean
leads_down (const AssayLayers *layers, guint32 v)
{
  return v < layers->first_border && layers->down_start[v] < layers->down_start[v + 1];
}

/* What a rank adds to a block that goes on below it. */
static guint32
count_down (const AssayLayers *layers, guint32 rank)
{
  guint32 n = 0;

  for (guint32 i = layers->rank_start[rank]; i < layers->rank_start[rank + 1]; i++)
    n += leads_down (layers, layers->order[i]) ? 1 : 0;

  return n;
}

typedef struct
{
  const AssayLayers *layers;
  guint32 max_boxes;
  guint32 max_vertices;
  guint32 *down;     /* per rank: vertices that lead further down */
  guint64 *boxes;    /* per rank: boxes in the ranks above */
  guint64 *vertices; /* per rank: boxes and lanes in the ranks above */
  GArray *blocks;
} Cutter;

static void
count_ranks (Cutter *self)
{
  const AssayLayers *layers = self->layers;

  self->down = g_new (guint32, layers->n_ranks + 1);
  self->boxes = g_new0 (guint64, layers->n_ranks + 1);
  self->vertices = g_new0 (guint64, layers->n_ranks + 1);
  for (guint32 r = 0; r < layers->n_ranks; r++)
    {
      self->down[r] = count_down (layers, r);
      self->boxes[r + 1] = self->boxes[r];
      self->vertices[r + 1] = self->vertices[r];
      for (guint32 i = layers->rank_start[r]; i < layers->rank_start[r + 1]; i++)
        {
          guint32 v = layers->order[i];

          self->boxes[r + 1] += assay_layers_is_lane (layers, v) ? 0 : 1;
          self->vertices[r + 1] += v < layers->first_border ? 1 : 0;
        }
    }
}

static gboolean
fits (const Cutter *self, guint32 first, guint32 last)
{
  return self->boxes[last + 1] - self->boxes[first] <= self->max_boxes &&
         self->vertices[last + 1] - self->vertices[first] <= self->max_vertices;
}

/* The narrowest rank to end a block with that begins at @first: not in its upper half, which would
 * make many small blocks. A single rank that is too large is a block nevertheless, and is left as
 * it stands. */
static guint32
find_narrowest (const Cutter *self, guint32 first, guint32 end)
{
  guint32 last = first + 1;
  guint32 from, best;

  while (last + 1 < end && fits (self, first, last + 1))
    last++;
  from = first + (last - first + 1) / 2;
  best = last;
  for (guint32 r = last; r > from; r--)
    if (self->down[r] < self->down[best])
      best = r;

  return best;
}

static void
add_block (Cutter *self, guint32 first, guint32 last, gboolean pinned_top, gboolean pinned_bottom)
{
  AssayBlock block = { .first_rank = first,
                       .last_rank = last,
                       .pinned_top = pinned_top != FALSE,
                       .pinned_bottom = pinned_bottom != FALSE };

  block.n_vertices = (guint32) (self->vertices[last + 1] - self->vertices[first + 1]) +
                     (first == 0 ? (guint32) self->vertices[1] : self->down[first]);
  g_array_append_val (self->blocks, block);
}

static void
add_blocks (Cutter *self, guint32 first, guint32 last)
{
  gboolean pinned = FALSE;

  while (!fits (self, first, last) && last > first + 1)
    {
      guint32 cut = find_narrowest (self, first, last);

      add_block (self, first, cut, pinned, TRUE);
      first = cut;
      pinned = TRUE;
    }

  add_block (self, first, last, pinned, FALSE);
}

/**
 * assay_blocks_cut:
 * @layers: a drawing with ranks
 * @max_boxes: most boxes of a block that can be cut further
 * @max_vertices: most boxes and lanes
 *
 * Cuts a drawing into blocks, in linear time: at every rank that hangs on one vertex, and by force
 * where a block would be too large.
 *
 * Returns: (transfer full) (element-type AssayBlock): the blocks, from the top down, each beginning
 * with the rank that the one before ends with
 */
GArray *
assay_blocks_cut (const AssayLayers *layers, guint32 max_boxes, guint32 max_vertices)
{
  Cutter cutter = { .layers = layers, .max_boxes = max_boxes, .max_vertices = max_vertices };
  guint32 first = 0;

  cutter.blocks = g_array_new (FALSE, FALSE, sizeof (AssayBlock));
  if (layers->n_ranks == 0)
    return cutter.blocks;

  count_ranks (&cutter);
  for (guint32 r = 1; r < layers->n_ranks; r++)
    if (cutter.down[r] <= 1 || r + 1 == layers->n_ranks)
      {
        add_blocks (&cutter, first, r);
        first = r;
      }

  g_free (cutter.down);
  g_free (cutter.boxes);
  g_free (cutter.vertices);

  return cutter.blocks;
}

/**
 * assay_block_list:
 * @self: a block
 * @layers: the drawing it is of
 * @vertices: (array): room for the vertices of the block
 *
 * Lists the boxes and lanes of a block, rank by rank from left to right.
 *
 * Returns: how many there are
 */
guint32
assay_block_list (const AssayBlock *self, const AssayLayers *layers, guint32 *vertices)
{
  guint32 n = 0;

  for (guint32 i = layers->rank_start[self->first_rank];
       i < layers->rank_start[self->last_rank + 1]; i++)
    {
      guint32 v = layers->order[i];

      if (v >= layers->first_border)
        continue;
      if (layers->rank[v] > self->first_rank || self->first_rank == 0 || leads_down (layers, v))
        vertices[n++] = v;
    }

  return n;
}

/**
 * assay_block_is_chain:
 * @self: a block
 * @layers: the drawing it is of
 *
 * Tells whether nothing stands beside anything, so that there is nothing to lay out.
 *
 * Returns: whether it is so
 */
gboolean
assay_block_is_chain (const AssayBlock *self, const AssayLayers *layers)
{
  for (guint32 r = self->first_rank; r <= self->last_rank; r++)
    {
      guint32 n = 0;

      for (guint32 i = layers->rank_start[r]; i < layers->rank_start[r + 1]; i++)
        n += layers->order[i] < layers->first_border &&
                     (r > self->first_rank || r == 0 || leads_down (layers, layers->order[i]))
                 ? 1
                 : 0;
      if (n > 1)
        return FALSE;
    }

  return TRUE;
}

/**
 * assay_block_joint:
 * @layers: a drawing
 * @rank: a rank at which it was cut without force
 *
 * Finds the vertex on which everything below hangs.
 *
 * Returns: the vertex, or %G_MAXUINT32 if none or several lead further down
 */
guint32
assay_block_joint (const AssayLayers *layers, guint32 rank)
{
  guint32 joint = G_MAXUINT32;

  for (guint32 i = layers->rank_start[rank]; i < layers->rank_start[rank + 1]; i++)
    if (leads_down (layers, layers->order[i]))
      {
        if (joint != G_MAXUINT32)
          return G_MAXUINT32;
        joint = layers->order[i];
      }

  return joint;
}
