/* assay-join.c
 * SPDX-License-Identifier: Apache-2.0
 *
 * Puts blocks together that were laid out one by one. What stands at a cut belongs to the block
 * above it; the block below moves sideways as a whole until it hangs there. A block that begins and
 * ends with one vertex ends below where it begins, so that a long chain of blocks does not drift
 * aside.
 */
#include "layout/assay-join.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "layout/assay-dot-block.h"
#include "layout/assay-layers-private.h"

typedef struct
{
  double key;
  guint32 before;
  guint32 vertex;
} Place;

typedef struct
{
  AssayLayers *layers;
  double *x;     /* per vertex: where it comes to stand */
  double *local; /* per vertex: where it stands in its block */
  Place *places;
  guint32 *saved; /* the order of the ranks of a block */
  double *shifts;
} Joiner;

static int
compare_places (gconstpointer a, gconstpointer b)
{
  const Place *pa = a;
  const Place *pb = b;

  if (pa->key != pb->key)
    return pa->key < pb->key ? -1 : 1;

  return pa->before < pb->before ? -1 : 1;
}

static gboolean
leads_down (const AssayLayers *layers, guint32 v)
{
  return layers->down_start[v] < layers->down_start[v + 1];
}

/* What is pinned has to stand in the order that the block on the other side of the cut counts on.
 */
static gboolean
keeps_order (const AssayLayers *layers, const AssayBlock *block, const AssayBlockPart *part)
{
  gint64 last_top = G_MININT64;
  gint64 last_bottom = G_MININT64;

  for (guint32 i = 0; i < part->n_vertices; i++)
    {
      guint32 v = part->vertices[i];

      if (block->pinned_top && layers->rank[v] == block->first_rank)
        {
          if (part->places[i] <= last_top)
            return FALSE;
          last_top = part->places[i];
        }
      if (block->pinned_bottom && layers->rank[v] == block->last_rank && leads_down (layers, v))
        {
          if (part->places[i] <= last_bottom)
            return FALSE;
          last_bottom = part->places[i];
        }
    }

  return TRUE;
}

static void
number_ranks (AssayLayers *layers, guint32 first, guint32 last)
{
  for (guint32 r = first; r <= last; r++)
    for (guint32 i = layers->rank_start[r]; i < layers->rank_start[r + 1]; i++)
      layers->position[layers->order[i]] = i - layers->rank_start[r];
}

/* Orders the ranks of a block as it was laid out, if nothing speaks against it. */
static AssayBlockFate
take_order (Joiner *self, const AssayBlock *block, const AssayBlockPart *part)
{
  AssayLayers *layers = self->layers;
  guint32 first = block->first_rank == 0 ? 0 : block->first_rank + 1;
  guint32 begin = layers->rank_start[first];
  guint32 n = layers->rank_start[block->last_rank + 1] - begin;
  guint64 before;

  if (part->places == NULL)
    return ASSAY_BLOCK_KEPT;
  if (!keeps_order (layers, block, part))
    return ASSAY_BLOCK_CROSSED;

  for (guint32 i = 0; i < part->n_vertices; i++)
    self->local[part->vertices[i]] = part->places[i];
  before = assay_layers_count_crossings (layers, block->first_rank, block->last_rank);
  memcpy (self->saved, layers->order + begin, n * sizeof *self->saved);
  for (guint32 r = first; r <= block->last_rank; r++)
    {
      guint32 start = layers->rank_start[r];
      guint32 end = layers->rank_start[r + 1];

      for (guint32 i = start; i < end; i++)
        self->places[i - start] = (Place){ self->local[layers->order[i]], i, layers->order[i] };
      qsort (self->places, end - start, sizeof *self->places, compare_places);
      for (guint32 i = start; i < end; i++)
        layers->order[i] = self->places[i - start].vertex;
    }
  number_ranks (layers, first, block->last_rank);
  if (assay_layers_count_crossings (layers, block->first_rank, block->last_rank) <= before)
    return ASSAY_BLOCK_TAKEN;

  memcpy (layers->order + begin, self->saved, n * sizeof *self->saved);
  number_ranks (layers, first, block->last_rank);

  return ASSAY_BLOCK_CROSSED;
}

static int
compare_doubles (gconstpointer a, gconstpointer b)
{
  double x = *(const double *) a;
  double y = *(const double *) b;

  return x < y ? -1 : x > y;
}

/* How far a block has to move so that most of what goes through its upper cut goes straight on. */
static double
find_shift (Joiner *self, const AssayBlock *block, const AssayBlockPart *part)
{
  guint32 n = 0;

  if (block->first_rank == 0)
    return 0;

  for (guint32 i = 0; i < part->n_vertices; i++)
    {
      guint32 v = part->vertices[i];

      if (self->layers->rank[v] == block->first_rank)
        self->shifts[n++] = self->x[v] - self->local[v];
    }
  /* Nothing goes through: it stays around where it was. */
  for (guint32 i = 0; n == 0 && i < part->n_vertices; i++)
    self->shifts[i] = self->layers->x[part->vertices[i]] - self->local[part->vertices[i]];
  if (n == 0)
    n = part->n_vertices;
  if (n == 0)
    return 0;
  qsort (self->shifts, n, sizeof *self->shifts, compare_doubles);

  return self->shifts[n / 2];
}

/* The vertex that alone stands where a block ends and another one begins. */
static guint32
lone_joint (const AssayLayers *layers, guint32 rank)
{
  return layers->rank_start[rank + 1] - layers->rank_start[rank] == 1
             ? layers->order[layers->rank_start[rank]]
             : G_MAXUINT32;
}

static void
place_block (Joiner *self, const AssayBlock *block, const AssayBlockPart *part)
{
  const AssayLayers *layers = self->layers;
  gboolean chain = assay_block_is_chain (block, layers);
  guint32 entry = block->first_rank > 0 && !block->pinned_top
                      ? assay_block_joint (layers, block->first_rank)
                      : G_MAXUINT32;
  guint32 exit = !block->pinned_bottom ? lone_joint (layers, block->last_rank) : G_MAXUINT32;
  double shift;

  for (guint32 i = 0; i < part->n_vertices; i++)
    self->local[part->vertices[i]] = part->fate == ASSAY_BLOCK_TAKEN
                                         ? part->places[i] * ASSAY_DOT_CELL
                                         : layers->x[part->vertices[chain ? 0 : i]];
  shift = find_shift (self, block, part);
  for (guint32 i = 0; i < part->n_vertices; i++)
    {
      guint32 v = part->vertices[i];

      if (layers->rank[v] > block->first_rank || block->first_rank == 0)
        self->x[v] = self->local[v] + shift;
    }
  if (entry != G_MAXUINT32 && exit != G_MAXUINT32)
    self->x[exit] = self->x[entry];
}

/**
 * assay_blocks_join:
 * @layers: the drawing as it is shown, with its order and places, without borders of frames
 * @blocks: (element-type AssayBlock): its blocks
 * @parts: (array): per block its vertices and where they were laid out; what became of it is filled
 * in
 *
 * Gives a drawing the order and the places of its blocks. A block that would get more crossings
 * than are shown stays as it was, and so does one that nobody laid out. Neighbours have their
 * distance after assay_layers_keep() only.
 */
void
assay_blocks_join (AssayLayers *layers, const GArray *blocks, AssayBlockPart *parts)
{
  guint32 n = layers->n_vertices + 1;
  g_autofree double *x = g_new0 (double, n);
  g_autofree double *local = g_new0 (double, n);
  g_autofree Place *places = g_new (Place, n);
  g_autofree guint32 *saved = g_new (guint32, n);
  g_autofree double *shifts = g_new (double, n);
  Joiner joiner = {
    .layers = layers, .x = x, .local = local, .places = places, .saved = saved, .shifts = shifts
  };

  if (layers->n_vertices == 0 || blocks->len == 0)
    return;

  for (guint k = 0; k < blocks->len; k++)
    {
      const AssayBlock *block = &g_array_index (blocks, AssayBlock, k);

      parts[k].fate = take_order (&joiner, block, &parts[k]);
      place_block (&joiner, block, &parts[k]);
    }
  memcpy (layers->x, x, layers->n_vertices * sizeof *x);
  assay_layers_take_positions (layers);
}
