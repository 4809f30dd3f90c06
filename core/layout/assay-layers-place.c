/* assay-layers-place.c
 * SPDX-License-Identifier: Apache-2.0
 *
 * Horizontal places after Brandes and Köpf, "Fast and Simple Horizontal Coordinate Assignment"
 * (2001): vertices are aligned with the median of their neighbours into vertical blocks, once for
 * each of up, down, left and right; blocks are packed by longest paths; the mean of the two middle
 * results is taken. Chains come out straight, and lanes too. Ranks with one vertex cut the drawing
 * into sections, and all those vertices stand below each other: so what is in a section depends on
 * nothing else, and equal parts look equal.
 */
#include "layout/assay-layers.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define GRID 4.0

typedef struct
{
  const AssayLayers *layers;
  guint8 *conflict; /* per upper neighbour entry: crosses a lane */
  guint32 *root;
  guint32 *align;
  guint32 *n_before; /* per root: neighbours to the left that are not placed yet */
  guint32 *queue;
  double *place;
  /* the section at hand */
  guint32 first_rank;
  guint32 last_rank;
  guint32 begin; /* its vertices in the order */
  guint32 end;
} Placer;

/* A lane has one upper neighbour, the first border of a frame none; if that is a lane too, nothing
 * may bend the line between them. */
static gboolean
has_straight_up (const AssayLayers *layers, guint32 v)
{
  return assay_layers_is_lane (layers, v) && layers->up_start[v] < layers->up_start[v + 1] &&
         assay_layers_is_lane (layers, layers->up[layers->up_start[v]]);
}

static void
mark_conflicts (Placer *self)
{
  const AssayLayers *layers = self->layers;

  for (guint32 r = 1; r < layers->n_ranks; r++)
    {
      guint32 begin = layers->rank_start[r];
      guint32 end = layers->rank_start[r + 1];
      guint32 from = 0;
      guint32 done = begin;

      for (guint32 i = begin; i < end; i++)
        {
          guint32 v = layers->order[i];
          gboolean straight = has_straight_up (layers, v);
          guint32 to = G_MAXUINT32;

          if (!straight && i + 1 < end)
            continue;
          if (straight)
            to = layers->position[layers->up[layers->up_start[v]]];

          for (; done <= i; done++)
            {
              guint32 w = layers->order[done];

              if (has_straight_up (layers, w))
                continue;
              for (guint32 k = layers->up_start[w]; k < layers->up_start[w + 1]; k++)
                {
                  guint32 p = layers->position[layers->up[k]];

                  self->conflict[k] = p < from || p > to;
                }
            }
          from = straight ? to : from;
        }
    }
}

/* Borders of frames come before everything: what would lie across one is not aligned, be it a lane.
 */
static void
mark_border_conflicts (Placer *self)
{
  const AssayLayers *layers = self->layers;
  g_autofree guint32 *left_of =
      NULL; /* per vertex: borders to its left that go on in the other rank */

  if (layers->first_border == layers->n_vertices)
    return;

  left_of = g_new (guint32, layers->n_vertices);
  for (guint32 r = 1; r < layers->n_ranks; r++)
    {
      for (guint below = 0; below < 2; below++)
        {
          const guint32 *start = below ? layers->up_start : layers->down_start;
          guint32 n = 0;

          for (guint32 i = layers->rank_start[r - 1 + below]; i < layers->rank_start[r + below];
               i++)
            {
              guint32 v = layers->order[i];

              left_of[v] = n;
              n += v >= layers->first_border && start[v] < start[v + 1] ? 1 : 0;
            }
        }
      for (guint32 i = layers->rank_start[r]; i < layers->rank_start[r + 1]; i++)
        {
          guint32 v = layers->order[i];

          for (guint32 k = layers->up_start[v]; k < layers->up_start[v + 1]; k++)
            if (left_of[layers->up[k]] != left_of[v])
              self->conflict[k] = TRUE;
        }
    }
}

/* Conflicts are kept with the upper neighbours; the way from above has to search for its entry. */
static gboolean
is_conflict (const Placer *self, guint32 upper, guint32 lower)
{
  const AssayLayers *layers = self->layers;

  for (guint32 k = layers->up_start[lower]; k < layers->up_start[lower + 1]; k++)
    if (layers->up[k] == upper)
      return self->conflict[k];

  return FALSE;
}

/* The neighbours to align with: the medians, but a lane goes on as a lane. */
static guint
find_medians (const AssayLayers *layers, guint32 v, gboolean upward, gboolean from_right,
              guint32 medians[2])
{
  const guint32 *start = upward ? layers->up_start : layers->down_start;
  const guint32 *others = upward ? layers->up : layers->down;
  guint32 n = start[v + 1] - start[v];

  if (n == 0)
    return 0;

  if (assay_layers_is_lane (layers, v))
    for (guint32 k = start[v]; k < start[v + 1]; k++)
      if (assay_layers_is_lane (layers, others[k]))
        {
          medians[0] = others[k];
          return 1;
        }

  medians[0] = others[start[v] + (n - 1) / 2];
  medians[1] = others[start[v] + n / 2];
  /* Between a box and a line, the box: so that the main way is straight and what goes round it
   * bends. */
  if (assay_layers_is_lane (layers, medians[0]) != assay_layers_is_lane (layers, medians[1]))
    medians[0] = medians[1] = medians[assay_layers_is_lane (layers, medians[0]) ? 1 : 0];
  if (from_right)
    {
      guint32 first = medians[0];

      medians[0] = medians[1];
      medians[1] = first;
    }

  return medians[0] == medians[1] ? 1 : 2;
}

static void
align_blocks (Placer *self, gboolean upward, gboolean from_right)
{
  const AssayLayers *layers = self->layers;

  for (guint32 i = self->begin; i < self->end; i++)
    {
      guint32 v = layers->order[i];

      self->root[v] = self->align[v] = v;
    }

  for (guint32 step = 1; step <= self->last_rank - self->first_rank; step++)
    {
      guint32 r = upward ? self->first_rank + step : self->last_rank - step;
      guint32 begin = layers->rank_start[r];
      guint32 n = layers->rank_start[r + 1] - begin;
      gint64 last = from_right ? G_MAXINT64 : -1;

      for (guint32 i = 0; i < n; i++)
        {
          guint32 v = layers->order[begin + (from_right ? n - 1 - i : i)];
          guint32 medians[2];
          guint count = find_medians (layers, v, upward, from_right, medians);

          for (guint k = 0; k < count && self->align[v] == v; k++)
            {
              guint32 u = medians[k];
              gint64 p = layers->position[u];

              if (upward ? is_conflict (self, u, v) : is_conflict (self, v, u))
                continue;
              if (from_right ? p >= last : p <= last)
                continue;

              self->align[u] = v;
              self->root[v] = self->root[u];
              self->align[v] = self->root[v];
              last = p;
            }
        }
    }
}

/* Packs blocks to the left, or in a mirror to the right, by longest paths over "stands left of". */
static void
pack_blocks (Placer *self, gboolean from_right)
{
  const AssayLayers *layers = self->layers;
  guint32 head = 0;
  guint32 tail = 0;

  for (guint32 i = self->begin; i < self->end; i++)
    {
      self->n_before[layers->order[i]] = 0;
      self->place[layers->order[i]] = 0;
    }
  for (guint32 i = self->begin; i < self->end; i++)
    {
      guint32 v = layers->order[i];

      if (layers->position[v] > 0 && !from_right)
        self->n_before[self->root[v]]++;
      if (from_right && layers->rank_start[layers->rank[v]] + layers->position[v] + 1 <
                            layers->rank_start[layers->rank[v] + 1])
        self->n_before[self->root[v]]++;
    }
  for (guint32 i = self->begin; i < self->end; i++)
    {
      guint32 v = layers->order[i];

      if (self->root[v] == v && self->n_before[v] == 0)
        self->queue[tail++] = v;
    }

  while (head < tail)
    {
      guint32 root = self->queue[head++];
      guint32 v = root;

      do
        {
          guint32 at = layers->rank_start[layers->rank[v]] + layers->position[v];
          gboolean is_last = from_right ? layers->position[v] == 0
                                        : at + 1 == layers->rank_start[layers->rank[v] + 1];

          if (!is_last)
            {
              guint32 w = layers->order[from_right ? at - 1 : at + 1];
              double gap = from_right ? assay_layers_gap (layers, w, v)
                                      : assay_layers_gap (layers, v, w);
              guint32 other = self->root[w];

              self->place[other] = MAX (self->place[other], self->place[root] + gap);
              if (--self->n_before[other] == 0)
                self->queue[tail++] = other;
            }
          v = self->align[v];
        }
      while (v != root);
    }

  /* Back again: a block with room moves towards the one that follows it. */
  while (tail > 0)
    {
      guint32 root = self->queue[--tail];
      guint32 v = root;
      double room = INFINITY;

      do
        {
          guint32 at = layers->rank_start[layers->rank[v]] + layers->position[v];
          gboolean is_last = from_right ? layers->position[v] == 0
                                        : at + 1 == layers->rank_start[layers->rank[v] + 1];

          if (!is_last)
            {
              guint32 w = layers->order[from_right ? at - 1 : at + 1];
              double gap = from_right ? assay_layers_gap (layers, w, v)
                                      : assay_layers_gap (layers, v, w);

              room = MIN (room, self->place[self->root[w]] - gap);
            }
          v = self->align[v];
        }
      while (v != root);

      if (isfinite (room))
        self->place[root] = MAX (self->place[root], room);
    }
}

static gboolean
is_cut (const AssayLayers *layers, guint32 rank)
{
  return layers->rank_start[rank + 1] - layers->rank_start[rank] == 1;
}

/* How far the vertices of a section reach, whose places are given in their order. Those that cut
 * the drawing do not count: how wide they are is no matter of what lies between them. */
static void
find_span (const Placer *self, const double *x, double *min, double *max)
{
  const AssayLayers *layers = self->layers;
  gboolean is_chain = self->last_rank - self->first_rank < 2;
  guint32 begin = self->begin + (!is_chain && is_cut (layers, self->first_rank) ? 1 : 0);
  guint32 end = self->end - (!is_chain && is_cut (layers, self->last_rank) ? 1 : 0);

  *min = INFINITY;
  *max = -INFINITY;

  for (guint32 i = begin; i < end; i++)
    {
      guint32 v = layers->order[i];
      gboolean lane = assay_layers_is_lane (layers, v);

      *min = MIN (*min, x[i - self->begin] - (lane ? 0 : layers->left[v]));
      *max = MAX (*max, x[i - self->begin] + (lane ? 0 : layers->right[v]));
    }
}

static double
mean_of_middle (const double v[4])
{
  double min = MIN (MIN (v[0], v[1]), MIN (v[2], v[3]));
  double max = MAX (MAX (v[0], v[1]), MAX (v[2], v[3]));

  return (v[0] + v[1] + v[2] + v[3] - min - max) / 2;
}

/* The vertices that cut the drawing stand at 0; the lower one stands alone, so it may. */
static void
place_section (Placer *self, double *x, double *results)
{
  const AssayLayers *layers = self->layers;
  guint32 n = self->end - self->begin;
  double min[4], max[4];
  guint narrowest = 0;
  double zero;

  for (guint i = 0; i < 4; i++)
    {
      double *result = results + (gsize) n * i;

      align_blocks (self, i < 2, i % 2 == 1);
      pack_blocks (self, i % 2 == 1);
      for (guint32 k = 0; k < n; k++)
        {
          guint32 v = layers->order[self->begin + k];

          result[k] = i % 2 == 1 ? -self->place[self->root[v]] : self->place[self->root[v]];
        }
      find_span (self, result, &min[i], &max[i]);
      if (max[i] - min[i] < max[narrowest] - min[narrowest])
        narrowest = i;
    }

  for (guint32 k = 0; k < n; k++)
    {
      double at[4];

      for (guint i = 0; i < 4; i++)
        at[i] = results[(gsize) n * i + k] +
                (i % 2 == 1 ? max[narrowest] - max[i] : min[narrowest] - min[i]);
      x[layers->order[self->begin + k]] = mean_of_middle (at);
    }

  zero = is_cut (layers, self->first_rank)  ? x[layers->order[self->begin]]
         : is_cut (layers, self->last_rank) ? x[layers->order[self->end - 1]]
                                            : 0;
  for (guint32 i = self->begin; i < self->end; i++)
    {
      guint32 v = layers->order[i];

      x[v] = floor ((x[v] - zero) / GRID + 0.5) * GRID;
    }
  if (is_cut (layers, self->last_rank))
    x[layers->order[self->end - 1]] = 0;
}

/**
 * assay_layers_place:
 * @self: an ordered drawing
 *
 * Gives every vertex its x, on the grid, with the left end of the drawing at 0.
 */
void
assay_layers_place (AssayLayers *self)
{
  guint32 n = self->n_vertices;
  g_autofree guint8 *conflict = g_new0 (guint8, self->up_start[n] + 1);
  g_autofree guint32 *numbers = g_new (guint32, (gsize) n * 4 + 1);
  g_autofree double *place = g_new (double, n + 1);
  g_autofree double *results = g_new (double, (gsize) n * 4 + 1);
  double left = INFINITY;
  Placer placer = {
    .layers = self,
    .conflict = conflict,
    .root = numbers,
    .align = numbers + n,
    .n_before = numbers + (gsize) n * 2,
    .queue = numbers + (gsize) n * 3,
    .place = place,
  };

  if (n == 0)
    return;

  mark_conflicts (&placer);
  mark_border_conflicts (&placer);
  for (guint32 first = 0; first == 0 || first + 1 < self->n_ranks; first = placer.last_rank)
    {
      guint32 last = MIN (first + 1, self->n_ranks - 1);

      while (last + 1 < self->n_ranks && !is_cut (self, last))
        last++;
      placer.first_rank = first;
      placer.last_rank = last;
      placer.begin = self->rank_start[first];
      placer.end = self->rank_start[last + 1];
      place_section (&placer, self->x, results);
      if (last == first)
        break;
    }

  for (guint32 v = 0; v < n; v++)
    left = MIN (left, self->x[v] - (assay_layers_is_lane (self, v) ? 0 : self->left[v]));
  left = floor (left / GRID) * GRID;
  for (guint32 v = 0; v < n; v++)
    self->x[v] -= left;
}
