/* assay-layers-order.c
 * SPDX-License-Identifier: Apache-2.0
 *
 * Order within ranks: a walk from the sources gives the first one, then sweeps put every vertex at the mean of its
 * neighbours, down and up again; the order with the fewest crossings is kept. The number of sweeps is fixed.
 */
#include "layout/assay-layers-private.h"

#include <stdlib.h>
#include <string.h>

#define SWEEPS_SMALL 12
#define SWEEPS_LARGE 4
#define LARGE 30000

typedef struct
{
  double key;
  guint32 position;
  guint32 vertex;
} Entry;

static int
compare_entries (gconstpointer a,
                 gconstpointer b)
{
  const Entry *ea = a;
  const Entry *eb = b;

  if (ea->key != eb->key)
    return ea->key < eb->key ? -1 : 1;

  return ea->position < eb->position ? -1 : 1;
}

static void
first_order (AssayLayers *self)
{
  g_autofree guint32 *filled = g_new0 (guint32, self->n_ranks + 1);
  g_autofree guint8 *seen = g_new0 (guint8, self->n_vertices + 1);
  g_autoptr (GArray) stack = g_array_new (FALSE, FALSE, sizeof (guint32));

  for (guint32 i = 0; i < self->n_boxes; i++)
    {
      if (self->up_start[i] != self->up_start[i + 1])
        continue;

      g_array_append_val (stack, i);
      while (stack->len > 0)
        {
          guint32 v = g_array_index (stack, guint32, stack->len - 1);
          guint32 r = self->rank[v];

          g_array_set_size (stack, stack->len - 1);
          if (seen[v])
            continue;

          seen[v] = TRUE;
          self->position[v] = filled[r]++;
          self->order[self->rank_start[r] + self->position[v]] = v;
          for (guint32 k = self->down_start[v + 1]; k-- > self->down_start[v];)
            if (!seen[self->down[k]])
              g_array_append_val (stack, self->down[k]);
        }
    }
}

/* Between two ranks, by the positions of now. */
guint64
assay_layers_count_crossings (const AssayLayers *self,
                              guint32            first_rank,
                              guint32            last_rank)
{
  g_autofree guint32 *tree = g_new (guint32, self->n_vertices + 2);
  g_autofree guint32 *ends = g_new (guint32, self->down_start[self->n_vertices] + 1);
  guint64 crossings = 0;

  for (guint32 r = first_rank; r < last_rank; r++)
    {
      guint32 below = self->rank_start[r + 2] - self->rank_start[r + 1];
      guint32 total = 0;

      if (self->rank_start[r + 1] - self->rank_start[r] < 2 || below < 2)
        continue;

      memset (tree, 0, (below + 1) * sizeof *tree);
      for (guint32 i = self->rank_start[r]; i < self->rank_start[r + 1]; i++)
        {
          guint32 v = self->order[i];
          guint32 first = total;

          /* Each end counts the earlier ends right of it; ends of one vertex do not cross. */
          for (guint32 k = self->down_start[v]; k < self->down_start[v + 1]; k++)
            {
              guint32 p = self->position[self->down[k]];
              guint32 not_right = 0;

              for (guint32 t = p + 1; t > 0; t -= t & (~t + 1))
                not_right += tree[t];
              crossings += first - not_right;
              ends[total++] = p;
            }
          for (guint32 k = first; k < total; k++)
            for (guint32 t = ends[k] + 1; t <= below; t += t & (~t + 1))
              tree[t]++;
        }
    }

  return crossings;
}

static void
sort_rank (AssayLayers *self,
           guint32      r,
           gboolean     by_upper,
           Entry       *entries)
{
  guint32 begin = self->rank_start[r];
  guint32 n = self->rank_start[r + 1] - begin;
  gboolean sorted = TRUE;

  if (n < 2)
    return;

  for (guint32 i = 0; i < n; i++)
    {
      guint32 v = self->order[begin + i];
      const guint32 *start = by_upper ? self->up_start : self->down_start;
      const guint32 *others = by_upper ? self->up : self->down;
      double sum = 0;
      guint32 count = start[v + 1] - start[v];

      for (guint32 k = start[v]; k < start[v + 1]; k++)
        sum += self->position[others[k]];

      entries[i].key = count == 0 ? i : sum / count;
      entries[i].position = i;
      entries[i].vertex = v;
      sorted = sorted && (i == 0 || entries[i - 1].key <= entries[i].key);
    }

  if (sorted)
    return;

  qsort (entries, n, sizeof *entries, compare_entries);
  for (guint32 i = 0; i < n; i++)
    {
      self->order[begin + i] = entries[i].vertex;
      self->position[entries[i].vertex] = i;
    }
}

/* Crossings between two neighbours of a rank as they stand, with their lower or upper ends sorted. */
static guint
pair_crossings (const AssayLayers *self,
                const guint32     *start,
                const guint32     *others,
                guint32            a,
                guint32            b)
{
  guint crossings = 0;

  for (guint32 i = start[a]; i < start[a + 1]; i++)
    for (guint32 k = start[b]; k < start[b + 1]; k++)
      crossings += self->position[others[i]] > self->position[others[k]] ? 1 : 0;

  return crossings;
}

static gboolean
exchange_neighbours (AssayLayers *self)
{
  gboolean changed = FALSE;

  for (guint32 r = 0; r < self->n_ranks; r++)
    for (guint32 i = self->rank_start[r]; i + 1 < self->rank_start[r + 1]; i++)
      {
        guint32 a = self->order[i];
        guint32 b = self->order[i + 1];
        guint now, then;

        if ((guint64) (self->up_start[a + 1] - self->up_start[a]) * (self->up_start[b + 1] - self->up_start[b]) > 4096
            || (guint64) (self->down_start[a + 1] - self->down_start[a])
               * (self->down_start[b + 1] - self->down_start[b]) > 4096)
          continue;

        now = pair_crossings (self, self->up_start, self->up, a, b)
              + pair_crossings (self, self->down_start, self->down, a, b);
        then = pair_crossings (self, self->up_start, self->up, b, a)
               + pair_crossings (self, self->down_start, self->down, b, a);
        if (then >= now)
          continue;

        self->order[i] = b;
        self->order[i + 1] = a;
        self->position[b]--;
        self->position[a]++;
        changed = TRUE;
      }

  return changed;
}

static void
take_order (AssayLayers   *self,
            const guint32 *order)
{
  memcpy (self->order, order, self->n_vertices * sizeof *order);
  for (guint32 r = 0; r < self->n_ranks; r++)
    for (guint32 i = self->rank_start[r]; i < self->rank_start[r + 1]; i++)
      self->position[order[i]] = i - self->rank_start[r];
}

static void
sort_neighbours (AssayLayers   *self,
                 const guint32 *start,
                 guint32       *others)
{
  for (guint32 v = 0; v < self->n_vertices; v++)
    for (guint32 i = start[v] + 1; i < start[v + 1]; i++)
      {
        guint32 other = others[i];
        guint32 k = i;

        for (; k > start[v] && self->position[others[k - 1]] > self->position[other]; k--)
          others[k] = others[k - 1];
        others[k] = other;
      }
}

/**
 * assay_layers_order:
 * @self: a drawing
 *
 * Orders the vertices of each rank so that few edges cross.
 */
void
assay_layers_order (AssayLayers *self)
{
  g_autofree Entry *entries = NULL;
  g_autofree guint32 *best = NULL;
  guint sweeps = self->n_vertices > LARGE ? SWEEPS_LARGE : SWEEPS_SMALL;
  guint32 widest = 0;

  if (self->n_vertices == 0)
    return;

  for (guint32 r = 0; r < self->n_ranks; r++)
    widest = MAX (widest, self->rank_start[r + 1] - self->rank_start[r]);
  entries = g_new (Entry, widest);

  first_order (self);
  self->crossings = assay_layers_count_crossings (self, 0, self->n_ranks - 1);
  best = g_memdup2 (self->order, self->n_vertices * sizeof *best);

  for (guint i = 0; i < sweeps && self->crossings > 0; i++)
    {
      guint64 crossings;

      if (i % 2 == 0)
        for (guint32 r = 1; r < self->n_ranks; r++)
          sort_rank (self, r, TRUE, entries);
      else
        for (guint32 r = self->n_ranks - 1; r-- > 0;)
          sort_rank (self, r, FALSE, entries);

      for (guint k = 0; k < 4 && self->n_vertices <= LARGE; k++)
        if (!exchange_neighbours (self))
          break;

      crossings = assay_layers_count_crossings (self, 0, self->n_ranks - 1);
      if (crossings < self->crossings)
        {
          self->crossings = crossings;
          memcpy (best, self->order, self->n_vertices * sizeof *best);
        }
    }

  take_order (self, best);
  sort_neighbours (self, self->up_start, self->up);
  sort_neighbours (self, self->down_start, self->down);
}

void
assay_layers_take_positions (AssayLayers *self)
{
  sort_neighbours (self, self->up_start, self->up);
  sort_neighbours (self, self->down_start, self->down);
  self->crossings = self->n_ranks == 0 ? 0 : assay_layers_count_crossings (self, 0, self->n_ranks - 1);
}

/* Puts every rank into the order of its places. */
void
assay_layers_sort (AssayLayers *self)
{
  g_autofree Entry *entries = g_new (Entry, self->n_vertices + 1);
  g_autofree guint32 *filled = g_new0 (guint32, self->n_ranks + 1);

  for (guint32 v = 0; v < self->n_vertices; v++)
    {
      guint32 at = self->rank_start[self->rank[v]] + filled[self->rank[v]]++;

      entries[at] = (Entry) { self->x[v], v, v };
    }
  for (guint32 r = 0; r < self->n_ranks; r++)
    {
      guint32 begin = self->rank_start[r];
      guint32 end = self->rank_start[r + 1];

      qsort (entries + begin, end - begin, sizeof *entries, compare_entries);
      for (guint32 i = begin; i < end; i++)
        {
          self->order[i] = entries[i].vertex;
          self->position[entries[i].vertex] = i - begin;
        }
    }
  assay_layers_take_positions (self);
}
