/* assay-layers-keep.c
 * SPDX-License-Identifier: Apache-2.0
 *
 * Places that somebody else has chosen, moved as little as it takes for neighbours to have their distance and for
 * borders of frames to be straight. Pushing everything to the right until it fits is one solution, to the left another,
 * and the mean of two is a third: what has to give way does so to both sides.
 */
#include "layout/assay-layers-private.h"

#include <math.h>
#include <string.h>

#define GRID 4.0
#define NONE G_MAXUINT32

typedef struct
{
  const AssayLayers *layers;
  const guint32 *column;
  guint32 *first;    /* per column: its vertices, as a list */
  guint32 *next;     /* per vertex */
  guint32 *n_before;
  guint32 *queue;
} Keeper;

/* The neighbour of a vertex in its rank, on the side that is pushed to or the other one. */
static guint32
neighbour (const AssayLayers *layers,
           guint32            v,
           gboolean           right)
{
  guint32 r = layers->rank[v];
  guint32 at = layers->rank_start[r] + layers->position[v];

  if (right)
    return at + 1 < layers->rank_start[r + 1] ? layers->order[at + 1] : NONE;

  return layers->position[v] > 0 ? layers->order[at - 1] : NONE;
}

static double
gap_between (const AssayLayers *layers,
             guint32            v,
             guint32            w,
             gboolean           right)
{
  return right ? assay_layers_gap (layers, v, w) : assay_layers_gap (layers, w, v);
}

/* Longest paths: every column stands where it wants to, or as far on as those before it push it. */
static void
push (Keeper   *self,
      gboolean  right,
      double   *x)
{
  const AssayLayers *layers = self->layers;
  double sign = right ? 1 : -1;
  guint32 head = 0;
  guint32 tail = 0;

  memset (self->n_before, 0, layers->n_vertices * sizeof *self->n_before);
  for (guint32 v = 0; v < layers->n_vertices; v++)
    self->n_before[self->column[v]] += neighbour (layers, v, !right) != NONE ? 1 : 0;
  for (guint32 v = 0; v < layers->n_vertices; v++)
    if (self->column[v] == v && self->n_before[v] == 0)
      self->queue[tail++] = v;

  while (head < tail)
    {
      guint32 column = self->queue[head++];

      for (guint32 v = self->first[column]; v != NONE; v = self->next[v])
        {
          guint32 w = neighbour (layers, v, right);
          double least;

          if (w == NONE)
            continue;
          least = x[column] + sign * gap_between (layers, v, w, right);
          w = self->column[w];
          x[w] = right ? MAX (x[w], least) : MIN (x[w], least);
          if (--self->n_before[w] == 0)
            self->queue[tail++] = w;
        }
    }
}

/* What goes on below a vertex, if that is one line which nothing else joins. */
static guint32
find_next (const AssayLayers *layers,
           guint32            v)
{
  guint32 w;

  if (layers->down_start[v + 1] - layers->down_start[v] != 1)
    return NONE;
  w = layers->down[layers->down_start[v]];

  return layers->up_start[w + 1] - layers->up_start[w] == 1 ? w : NONE;
}

static gboolean
has_before (const AssayLayers *layers,
            guint32            v)
{
  return layers->up_start[v + 1] - layers->up_start[v] == 1
         && find_next (layers, layers->up[layers->up_start[v]]) == v;
}

/* Between which places a vertex may stand. */
static void
find_room (const AssayLayers *layers,
           guint32            v,
           double            *low,
           double            *high)
{
  guint32 left = neighbour (layers, v, FALSE);
  guint32 right = neighbour (layers, v, TRUE);

  if (left != NONE)
    *low = MAX (*low, layers->x[left] + assay_layers_gap (layers, left, v));
  if (right != NONE)
    *high = MIN (*high, layers->x[right] - assay_layers_gap (layers, v, right));
}

/* A chain may be bent anywhere between two ends that stand aside of each other without a line getting longer. It is to
 * be bent once: all of it goes as far towards what stands above it as its vertices already did, while there is room.
 * Returns where the rest begins. */
static guint32
straighten_chain (AssayLayers *layers,
                  guint32      first)
{
  double low = -INFINITY;
  double high = INFINITY;
  double min = INFINITY;
  double max = -INFINITY;
  guint32 end = first;
  double x;

  while (end != NONE && end < layers->first_border)
    {
      double next_low = low;
      double next_high = high;

      find_room (layers, end, &next_low, &next_high);
      if (next_low > next_high)
        break;
      low = next_low;
      high = next_high;
      min = MIN (min, layers->x[end]);
      max = MAX (max, layers->x[end]);
      end = find_next (layers, end);
    }
  if (end == first)
    return find_next (layers, first);

  x = layers->up_start[first] < layers->up_start[first + 1] ? layers->x[layers->up[layers->up_start[first]]]
                                                            : layers->x[first];
  x = CLAMP (CLAMP (x, min, max), low, high);
  for (guint32 v = first; v != end; v = find_next (layers, v))
    layers->x[v] = x;

  return end;
}

static void
straighten (AssayLayers *layers)
{
  for (guint32 i = 0; i < layers->rank_start[layers->n_ranks]; i++)
    {
      guint32 v = layers->order[i];

      if (v < layers->first_border && !has_before (layers, v))
        while (v != NONE && v < layers->first_border)
          v = straighten_chain (layers, v);
    }
}

/**
 * assay_layers_keep:
 * @self: an ordered drawing
 * @column: per vertex the first of those that stand straight above each other with it, be it itself
 *
 * Gives every vertex a place near the one it has, on the grid, with the left end of the drawing at 0.
 */
void
assay_layers_keep (AssayLayers   *self,
                   const guint32 *column)
{
  guint32 n = self->n_vertices;
  g_autofree guint32 *numbers = g_new (guint32, (gsize) n * 4 + 1);
  g_autofree double *right = g_new (double, n + 1);
  g_autofree double *left = g_new (double, n + 1);
  double least = INFINITY;
  Keeper keeper = {
    .layers = self, .column = column, .first = numbers, .next = numbers + n, .n_before = numbers + (gsize) n * 2,
    .queue = numbers + (gsize) n * 3,
  };

  for (guint32 v = 0; v < n; v++)
    keeper.first[v] = NONE;
  for (guint32 v = 0; v < n; v++)
    {
      keeper.next[v] = keeper.first[column[v]];
      keeper.first[column[v]] = v;
      self->x[v] = floor (self->x[v] / GRID + 0.5) * GRID;
    }

  memcpy (right, self->x, n * sizeof *right);
  memcpy (left, self->x, n * sizeof *left);
  push (&keeper, TRUE, right);
  push (&keeper, FALSE, left);
  for (guint32 v = 0; v < n; v++)
    {
      /* Distances are whole cells, so that rounding down keeps them. */
      self->x[v] = floor ((right[column[v]] + left[column[v]]) / 2 / GRID) * GRID;
    }
  straighten (self);
  for (guint32 v = 0; v < n; v++)
    least = MIN (least, self->x[v] - (assay_layers_is_lane (self, v) ? 0 : self->left[v]));
  for (guint32 v = 0; v < n; v++)
    self->x[v] -= least;
}

/* How far all lines together go sideways. */
double
assay_layers_measure_sideways (const AssayLayers *self)
{
  double sum = 0;

  for (guint32 v = 0; v < self->first_border; v++)
    for (guint32 k = self->down_start[v]; k < self->down_start[v + 1]; k++)
      sum += fabs (self->x[self->down[k]] - self->x[v]);

  return sum;
}
