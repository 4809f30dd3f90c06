/* assay-layers-order.c
 * SPDX-License-Identifier: Apache-2.0
 *
 * Order within ranks. A walk from the sources gives the first one. Ranks with one vertex cut the
 * drawing into sections that know nothing of each other, so that equal parts get equal orders; long
 * sections are cut where they are narrow. In each, sweeps put every vertex at the mean or the
 * median of its neighbours and exchange neighbours, down and up again, and vertices are tried at
 * all places of their rank (sifting; Matuszewski, Schönfeld and Molitor 1999). A section keeps the
 * order with the fewest crossings that it has seen. The number of steps is fixed.
 */
#include "layout/assay-layers-private.h"

#include <stdlib.h>
#include <string.h>

/* Vertices from which on a section is ordered in parts, too, and those of the parts. */
#define PART 100
static const guint part_sizes[] = { 400, 80, 200, 110 };

/* Sweeps of a section, and sweeps without a better order after which the next start begins. */
#define SWEEPS_SMALL 24
#define SWEEPS_LARGE 6
#define LARGE 20000
#define PATIENCE 6

/* Times that lines are let pass each other. */
#define TURNS 12

/* Ways to begin. */
#define STARTS 10

/* Places to each side at which a vertex is tried. */
#define REACH 40

/* Pairs of ends that are looked at for two vertices. */
#define MAX_PAIRS 4096

/* Pairs of ends that may be looked at per vertex of a small section, of a part, and of what a
 * section has beyond. */
#define WORK_SMALL 3000
#define WORK_PART 200
#define WORK_LARGE 24

/* Parts of sections that are wider than this on average are all alike: nothing but sweeps helps
 * there. */
#define WIDE 24

typedef struct
{
  double key;
  guint32 position;
  guint32 vertex;
} Entry;

/* Memory for the work, as large as the widest rank asks for. */
typedef struct
{
  Entry *entries;
  guint32 *tree;
  guint32 *places;      /* positions of the neighbours of a vertex, or the vertices of a rank */
  guint32 *best;        /* an order of all vertices */
  gint64 work;          /* pairs of ends that may still be looked at */
  const guint32 *group; /* per vertex, or NULL: only those of one group may pass each other */
} Scratch;

/* Some ranks, whose order may change while that of those around them stays. */
typedef struct
{
  guint32 first;
  guint32 end;
  guint64 crossings;
} Section;

static int
compare_entries (gconstpointer a, gconstpointer b)
{
  const Entry *ea = a;
  const Entry *eb = b;

  if (ea->key != eb->key)
    return ea->key < eb->key ? -1 : 1;

  return ea->position < eb->position ? -1 : 1;
}

static void
scratch_init (Scratch *self, const AssayLayers *layers)
{
  guint32 widest = 0;
  guint32 most = 0;

  for (guint32 r = 0; r < layers->n_ranks; r++)
    {
      guint32 n_up = 0;
      guint32 n_down = 0;

      for (guint32 i = layers->rank_start[r]; i < layers->rank_start[r + 1]; i++)
        {
          guint32 v = layers->order[i];

          n_up += layers->up_start[v + 1] - layers->up_start[v];
          n_down += layers->down_start[v + 1] - layers->down_start[v];
        }
      widest = MAX (widest, layers->rank_start[r + 1] - layers->rank_start[r]);
      most = MAX (most, MAX (n_up, n_down));
    }
  self->entries = g_new (Entry, widest + 1);
  self->tree = g_new (guint32, widest + 2);
  self->places = g_new (guint32, MAX (widest, most) + 1);
  self->best = g_new (guint32, layers->n_vertices + 1);
  self->group = NULL;
}

static void
scratch_clear (Scratch *self)
{
  g_free (self->entries);
  g_free (self->tree);
  g_free (self->places);
  g_free (self->best);
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

static guint64
count_between (const AssayLayers *self, guint32 first_rank, guint32 last_rank,
               const Scratch *scratch)
{
  guint64 crossings = 0;

  for (guint32 r = first_rank; r < last_rank; r++)
    {
      guint32 below = self->rank_start[r + 2] - self->rank_start[r + 1];
      guint32 total = 0;

      if (self->rank_start[r + 1] - self->rank_start[r] < 2 || below < 2)
        continue;

      memset (scratch->tree, 0, (below + 1) * sizeof *scratch->tree);
      for (guint32 i = self->rank_start[r]; i < self->rank_start[r + 1]; i++)
        {
          guint32 v = self->order[i];

          /* Each end counts the earlier ends right of it; ends of one vertex do not cross. */
          for (guint32 k = self->down_start[v]; k < self->down_start[v + 1]; k++)
            {
              guint32 w = self->down[k];
              guint32 not_right = 0;

              for (guint32 t = self->position[w] + 1; t > 0; t -= t & (~t + 1))
                not_right += scratch->tree[t];
              crossings += (guint64) self->weight[w] * (total - not_right);
            }
          for (guint32 k = self->down_start[v]; k < self->down_start[v + 1]; k++)
            {
              guint32 w = self->down[k];

              total += self->weight[w];
              for (guint32 t = self->position[w] + 1; t <= below; t += t & (~t + 1))
                scratch->tree[t] += self->weight[w];
            }
        }
    }

  return crossings;
}

/* Between two ranks, by the positions of now. */
guint64
assay_layers_count_crossings (const AssayLayers *self, guint32 first_rank, guint32 last_rank)
{
  guint32 widest = 0;
  g_autofree guint32 *tree = NULL;
  Scratch scratch = { 0 };

  for (guint32 r = first_rank; r <= last_rank; r++)
    widest = MAX (widest, self->rank_start[r + 1] - self->rank_start[r]);
  tree = scratch.tree = g_new (guint32, widest + 2);

  return count_between (self, first_rank, last_rank, &scratch);
}

static int
compare_places (gconstpointer a, gconstpointer b)
{
  guint32 pa = *(const guint32 *) a;
  guint32 pb = *(const guint32 *) b;

  return pa < pb ? -1 : pa > pb;
}

/* The mean of the places of some neighbours, or their median, which lies between two middle ones
 * nearer to the side where they stand closer. */
static double
middle_of (const AssayLayers *self, const guint32 *others, guint32 n, gboolean median,
           guint32 *places)
{
  double sum = 0;

  for (guint32 k = 0; k < n; k++)
    {
      places[k] = self->position[others[k]];
      sum += places[k];
    }
  if (!median || n < 3)
    return sum / n;

  qsort (places, n, sizeof *places, compare_places);
  if (n % 2 == 1)
    return places[n / 2];

  {
    double left = places[n / 2 - 1] - places[0];
    double right = places[n - 1] - places[n / 2];

    return left + right == 0 ? (places[n / 2 - 1] + places[n / 2]) / 2.0
                             : (places[n / 2 - 1] * right + places[n / 2] * left) / (left + right);
  }
}

static void
sort_rank (AssayLayers *self, guint32 r, gboolean by_upper, guint turn, Scratch *scratch)
{
  Entry *entries = scratch->entries;
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
      guint32 count = start[v + 1] - start[v];

      entries[i].key = count == 0 ? i
                                  : middle_of (self, others + start[v], count, turn / 2 % 2 == 1,
                                               scratch->places);
      /* Of equals sometimes the right one comes first: another order to try. */
      entries[i].position = turn % 4 == 3 ? n - i : i;
      entries[i].vertex = v;
      sorted = sorted && (i == 0 || compare_entries (&entries[i - 1], &entries[i]) < 0);
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

/* Crossings of what leads up from two vertices if the first one stands left, and what leads down.
 */
static guint
pair_crossings (const AssayLayers *self, gboolean up, guint32 a, guint32 b)
{
  const guint32 *start = up ? self->up_start : self->down_start;
  const guint32 *others = up ? self->up : self->down;
  guint crossings = 0;

  for (guint32 i = start[a]; i < start[a + 1]; i++)
    for (guint32 k = start[b]; k < start[b + 1]; k++)
      if (self->position[others[i]] > self->position[others[k]])
        crossings += up ? self->weight[a] * self->weight[b]
                        : self->weight[others[i]] * self->weight[others[k]];

  return crossings;
}

static guint64
n_pairs (const guint32 *start, guint32 a, guint32 b)
{
  return (guint64) (start[a + 1] - start[a]) * (start[b + 1] - start[b]);
}

/* How many crossings it brings to exchange two neighbours; less than none where it helps. */
static int
cost_of_exchange (const AssayLayers *self, guint32 a, guint32 b, Scratch *scratch)
{
  guint64 up = n_pairs (self->up_start, a, b);
  guint64 down = n_pairs (self->down_start, a, b);

  scratch->work -= (gint64) (up + down) + 1;
  if (up > MAX_PAIRS || down > MAX_PAIRS)
    return 0;

  return (int) (pair_crossings (self, TRUE, b, a) + pair_crossings (self, FALSE, b, a)) -
         (int) (pair_crossings (self, TRUE, a, b) + pair_crossings (self, FALSE, a, b));
}

static gboolean
may_pass (const Scratch *scratch, guint32 a, guint32 b)
{
  return scratch->group == NULL || scratch->group[a] == scratch->group[b];
}

static void
exchange (AssayLayers *self, guint32 i)
{
  guint32 a = self->order[i];
  guint32 b = self->order[i + 1];

  self->order[i] = b;
  self->order[i + 1] = a;
  self->position[b]--;
  self->position[a]++;
}

/* Exchanges neighbours as long as that helps; once also where it does not matter, which lets others
 * pass. */
static void
exchange_neighbours (AssayLayers *self, const Section *section, gboolean even, Scratch *scratch)
{
  gboolean changed = TRUE;

  for (guint step = 0; step < 4 && changed; step++)
    {
      changed = FALSE;
      for (guint32 r = section->first; r < section->end && scratch->work > 0; r++)
        for (guint32 i = self->rank_start[r]; i + 1 < self->rank_start[r + 1]; i++)
          {
            int cost;

            if (!may_pass (scratch, self->order[i], self->order[i + 1]))
              continue;
            cost = cost_of_exchange (self, self->order[i], self->order[i + 1], scratch);
            if (cost < 0 || (cost == 0 && even && step == 0))
              {
                exchange (self, i);
                changed = TRUE;
              }
          }
    }
}

/* Moves a vertex to the place of its rank where it crosses least. */
static gboolean
sift (AssayLayers *self, guint32 v, Scratch *scratch)
{
  guint32 begin = self->rank_start[self->rank[v]];
  guint32 n = self->rank_start[self->rank[v] + 1] - begin;
  guint32 at = self->position[v];
  guint32 best = at;
  int least = 0;
  int sum = 0;

  for (guint32 i = at + 1;
       i < n && i <= at + REACH && may_pass (scratch, v, self->order[begin + i]); i++)
    {
      sum += cost_of_exchange (self, v, self->order[begin + i], scratch);
      if (sum < least)
        {
          least = sum;
          best = i;
        }
    }
  sum = 0;
  for (guint32 i = at; i-- > 0 && i + REACH >= at && may_pass (scratch, v, self->order[begin + i]);)
    {
      sum += cost_of_exchange (self, self->order[begin + i], v, scratch);
      if (sum < least)
        {
          least = sum;
          best = i;
        }
    }

  for (; at < best; at++)
    exchange (self, begin + at);
  for (; at > best; at--)
    exchange (self, begin + at - 1);

  return least < 0;
}

static void
sift_all (AssayLayers *self, const Section *section, Scratch *scratch)
{
  gboolean changed = TRUE;

  for (guint step = 0; step < 3 && changed; step++)
    {
      changed = FALSE;
      for (guint32 r = section->first;
           r < section->end && !g_cancellable_is_cancelled (self->cancellable); r++)
        {
          guint32 n = self->rank_start[r + 1] - self->rank_start[r];

          memcpy (scratch->places, self->order + self->rank_start[r], n * sizeof *scratch->places);
          for (guint32 i = 0; n > 1 && i < n && scratch->work > 0; i++)
            changed = sift (self, scratch->places[i], scratch) || changed;
        }
    }
}

/* Keeps the order of a section if it is the best so far. */
static gboolean
keep_best (AssayLayers *self, Section *section, Scratch *scratch)
{
  guint64 crossings = count_between (self, section->first > 0 ? section->first - 1 : 0,
                                     MIN (section->end, self->n_ranks - 1), scratch);
  guint32 begin = self->rank_start[section->first];
  guint32 n = self->rank_start[section->end] - begin;

  if (crossings >= section->crossings)
    return FALSE;

  section->crossings = crossings;
  memcpy (scratch->best + begin, self->order + begin, n * sizeof *scratch->best);

  return TRUE;
}

static void
take_best (AssayLayers *self, const Section *section, const Scratch *scratch)
{
  for (guint32 r = section->first; r < section->end; r++)
    for (guint32 i = self->rank_start[r]; i < self->rank_start[r + 1]; i++)
      {
        self->order[i] = scratch->best[i];
        self->position[self->order[i]] = i - self->rank_start[r];
      }
}

static void
turn_round (AssayLayers *self, const Section *section)
{
  for (guint32 r = section->first; r < section->end; r++)
    for (guint32 i = self->rank_start[r], k = self->rank_start[r + 1]; i < k--; i++)
      {
        guint32 v = self->order[i];

        self->order[i] = self->order[k];
        self->order[k] = v;
        self->position[self->order[i]] = i - self->rank_start[r];
        self->position[v] = k - self->rank_start[r];
      }
}

/* Any order; the same one for equal sections. */
static void
shuffle (AssayLayers *self, const Section *section, guint32 seed)
{
  for (guint32 r = section->first; r < section->end; r++)
    {
      guint32 begin = self->rank_start[r];

      for (guint32 i = self->rank_start[r + 1] - begin; i-- > 1;)
        {
          guint32 v = self->order[begin + i];
          guint32 k;

          seed = seed * 1664525 + 1013904223;
          k = (guint32) ((guint64) seed * (i + 1) >> 32);
          self->order[begin + i] = self->order[begin + k];
          self->order[begin + k] = v;
        }
      for (guint32 i = begin; i < self->rank_start[r + 1]; i++)
        self->position[self->order[i]] = i - begin;
    }
}

static void
sweep (AssayLayers *self, const Section *section, gboolean down, guint turn, Scratch *scratch)
{
  if (down)
    for (guint32 r = section->first; r < section->end; r++)
      sort_rank (self, r, r > 0, turn, scratch);
  else
    for (guint32 r = section->end; r-- > section->first;)
      sort_rank (self, r, r + 1 == self->n_ranks, turn, scratch);
}

/* Every other start sweeps up first; one that is turned round finds what the walk from the left did
 * not. */
static void
order_section (AssayLayers *self, guint32 first, guint32 end, Scratch *scratch)
{
  Section section = { first, end, G_MAXUINT64 };
  guint32 n = self->rank_start[end] - self->rank_start[first];
  guint sweeps = n > LARGE ? SWEEPS_LARGE : SWEEPS_SMALL;
  guint starts = n > LARGE ? 1 : STARTS;

  keep_best (self, &section, scratch);
  for (guint start = 0;
       start < starts && section.crossings > 0 && (start == 0 || scratch->work > 0) &&
       !g_cancellable_is_cancelled (self->cancellable);
       start++)
    {
      guint idle = 0;

      take_best (self, &section, scratch);
      if (start == 2 || start == 3)
        turn_round (self, &section);
      else if (start > 3)
        shuffle (self, &section, start);

      for (guint i = 0; i < sweeps && idle < PATIENCE && section.crossings > 0 &&
                        !g_cancellable_is_cancelled (self->cancellable);
           i++)
        {
          sweep (self, &section, (i + start) % 2 == 0, i, scratch);
          exchange_neighbours (self, &section, i % 4 >= 2, scratch);
          idle = keep_best (self, &section, scratch) ? 0 : idle + 1;
        }
      if (section.crossings > 0)
        {
          sift_all (self, &section, scratch);
          exchange_neighbours (self, &section, FALSE, scratch);
          keep_best (self, &section, scratch);
        }
    }

  take_best (self, &section, scratch);
  if (section.crossings > 0)
    {
      sift_all (self, &section, scratch);
      keep_best (self, &section, scratch);
      take_best (self, &section, scratch);
    }
}

/* Orders a long section part by part, cut where it is narrow; what lies around a part stays. */
static void
order_parts (AssayLayers *self, guint32 first, guint32 end, guint size, Scratch *scratch)
{
  while (first < end && !g_cancellable_is_cancelled (self->cancellable))
    {
      guint32 last = first + 1;
      guint32 cut;

      while (last < end && self->rank_start[last + 1] - self->rank_start[first] <= size)
        last++;
      cut = last;
      for (guint32 r = first + (last - first) / 2 + 1; r < last && last < end; r++)
        if (self->rank_start[r + 1] - self->rank_start[r] <
            self->rank_start[cut + 1] - self->rank_start[cut])
          cut = r;
      scratch->work = (gint64) WORK_PART * (self->rank_start[cut] - self->rank_start[first]);
      order_section (self, first, cut, scratch);
      first = cut;
    }
}

static void
sort_neighbours (AssayLayers *self, const guint32 *start, guint32 *others)
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
  Scratch scratch;

  if (self->n_vertices == 0)
    return;

  first_order (self);
  scratch_init (&scratch, self);
  for (guint32 first = 0; first < self->n_ranks;)
    {
      guint32 end = first;

      while (end < self->n_ranks && self->rank_start[end + 1] - self->rank_start[end] > 1)
        end++;
      if (end > first)
        {
          guint32 n = self->rank_start[end] - self->rank_start[first];

          scratch.work = (gint64) WORK_SMALL * MIN (n, PART) +
                         (gint64) WORK_LARGE * (n > PART ? n - PART : 0);
          order_section (self, first, end, &scratch);
          if (n > PART && n / (end - first) < WIDE)
            {
              for (guint i = 0; i < G_N_ELEMENTS (part_sizes); i++)
                order_parts (self, first, end, part_sizes[i], &scratch);
            }
        }
      first = end + 1;
    }
  scratch_clear (&scratch);

  assay_layers_take_positions (self);
}

void
assay_layers_take_positions (AssayLayers *self)
{
  sort_neighbours (self, self->up_start, self->up);
  sort_neighbours (self, self->down_start, self->down);
  self->crossings = self->n_ranks == 0 ? 0
                                       : assay_layers_count_crossings (self, 0, self->n_ranks - 1);
}

/* Takes out crossings where vertices of one group stand side by side; groups stay together. */
void
assay_layers_order_groups (AssayLayers *self, const guint32 *group)
{
  Section all = { 0, self->n_ranks, 0 };
  Scratch scratch;

  scratch_init (&scratch, self);
  scratch.group = group;
  scratch.work = (gint64) WORK_PART * self->n_vertices;
  exchange_neighbours (self, &all, FALSE, &scratch);
  sift_all (self, &all, &scratch);
  scratch_clear (&scratch);
}

/* The same for some ranks, of which the others are not touched. Exchanges that make no difference
 * let lines pass each other rank by rank; the order stays what it was if that does not help.
 * Returns whether it did. */
gboolean
assay_layers_order_groups_in (AssayLayers *self, const guint32 *group, guint32 first_rank,
                              guint32 end_rank)
{
  Section section = { first_rank, end_rank, G_MAXUINT64 };
  guint64 before;
  Scratch scratch;

  if (first_rank >= end_rank)
    return FALSE;

  scratch_init (&scratch, self);
  scratch.group = group;
  scratch.work = (gint64) WORK_PART * (self->rank_start[end_rank] - self->rank_start[first_rank]);
  keep_best (self, &section, &scratch);
  before = section.crossings;
  for (guint i = 0; i < TURNS && section.crossings > 0; i++)
    {
      exchange_neighbours (self, &section, i > 0, &scratch);
      sift_all (self, &section, &scratch);
      keep_best (self, &section, &scratch);
    }
  take_best (self, &section, &scratch);
  scratch_clear (&scratch);

  return section.crossings < before;
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

      entries[at] = (Entry){ self->x[v], v, v };
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
