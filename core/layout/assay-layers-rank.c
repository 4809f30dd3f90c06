/* assay-layers-rank.c
 * SPDX-License-Identifier: Apache-2.0
 *
 * Ranks: longest paths, then boxes move down to what reads them. A group that feeds another one
 * ends before that one begins, where the program has them one after the other: so frames lie below
 * each other and not side by side.
 */
#include "layout/assay-layers.h"

#include <string.h>

/* Ranks by which the first boxes of a group move down to the others. */
#define FAR 8

/* What keeps a box up. Sources and what they alone inputs would come along with it for nothing. */
typedef struct
{
  guint32 cost;    /* edges that would get longer if it moved down */
  guint32 n_out;   /* edges that would get shorter */
  gboolean enters; /* whether one of the former comes from another group */
  gboolean stays;  /* whether all of the latter end in its own */
} Pull;

/* One group that feeds another one beside it. */
typedef struct
{
  guint32 above;
  guint32 below;
} Order;

typedef struct
{
  guint32 n_boxes;
  guint32 n_nets;
  const AssayLayersNet *nets;
  const guint32 *targets;
  const AssayLayersGroups *groups;
  guint32 *rank;

  Order *orders; /* by the group below */
  guint32 n_orders;
  guint32 *order_start; /* per group */
  guint32 *deepest;     /* per group: the last rank that it takes so far */
  guint32 *floor;       /* per group: the rank it may begin with */
  guint32 *ceiling;     /* per group: the rank before which it has to end */
} Ranker;

/* The groups of two boxes that lie beside each other in a common one; FALSE where a box is in the
 * common one itself. */
static gboolean
find_siblings (const AssayLayersGroups *groups, guint32 a, guint32 b, Order *order)
{
  *order = (Order){ 0, 0 };

  /* Parents stand before children. */
  while (a != b)
    if (a > b)
      {
        order->above = a;
        a = groups->parent[a];
      }
    else
      {
        order->below = b;
        b = groups->parent[b];
      }

  return order->above != 0 && order->below != 0;
}

/* First and last box of each group, in the order of the program. */
static void
find_ranges (const Ranker *self, guint32 *first, guint32 *last)
{
  memset (first, 0xff, self->groups->n_groups * sizeof *first);
  for (guint32 i = 0; i < self->n_boxes; i++)
    for (guint32 g = self->groups->of_box[i]; g != 0; g = self->groups->parent[g])
      {
        first[g] = MIN (first[g], i);
        last[g] = i;
      }
}

static void
find_orders (Ranker *self)
{
  guint32 n = self->groups->n_groups;
  g_autofree guint32 *first = g_new (guint32, n);
  g_autofree guint32 *last = g_new0 (guint32, n);
  g_autofree guint32 *filled = g_new0 (guint32, n);
  g_autoptr (GArray) found = g_array_new (FALSE, FALSE, sizeof (Order));

  find_ranges (self, first, last);
  self->order_start = g_new0 (guint32, n + 1);
  for (guint32 i = 0; i < self->n_nets; i++)
    for (guint32 k = 0; k < self->nets[i].n_targets; k++)
      {
        Order order;

        if (!find_siblings (self->groups, self->groups->of_box[self->nets[i].source],
                            self->groups->of_box[self->targets[self->nets[i].first_target + k]],
                            &order) ||
            last[order.above] > first[order.below])
          continue;
        g_array_append_val (found, order);
        self->order_start[order.below + 1]++;
      }

  self->n_orders = found->len;
  self->orders = g_new (Order, found->len + 1);
  for (guint32 g = 0; g < n; g++)
    self->order_start[g + 1] += self->order_start[g];
  for (guint i = 0; i < found->len; i++)
    {
      Order order = g_array_index (found, Order, i);

      self->orders[self->order_start[order.below] + filled[order.below]++] = order;
    }
}

/* The lowest end of what has to end above a group; known when the first box of the group has its
 * turn. */
static guint32
floor_of (Ranker *self, guint32 group)
{
  if (self->floor[group] != G_MAXUINT32)
    return self->floor[group];

  self->floor[group] = 0;
  for (guint32 i = self->order_start[group]; i < self->order_start[group + 1]; i++)
    self->floor[group] = MAX (self->floor[group], self->deepest[self->orders[i].above] + 1);

  return self->floor[group];
}

static void
longest_paths (Ranker *self)
{
  guint32 net = 0;

  for (guint32 v = 0; v < self->n_boxes; v++)
    {
      if (self->groups != NULL)
        {
          for (guint32 g = self->groups->of_box[v]; g != 0; g = self->groups->parent[g])
            self->rank[v] = MAX (self->rank[v], floor_of (self, g));
          for (guint32 g = self->groups->of_box[v]; g != 0; g = self->groups->parent[g])
            self->deepest[g] = MAX (self->deepest[g], self->rank[v]);
        }

      for (; net < self->n_nets && self->nets[net].source == v; net++)
        for (guint32 k = 0; k < self->nets[net].n_targets; k++)
          {
            guint32 target = self->targets[self->nets[net].first_target + k];

            g_assert (target > v && target < self->n_boxes);
            self->rank[target] = MAX (self->rank[target], self->rank[v] + 1);
          }
    }
}

static void
find_ceilings (Ranker *self)
{
  memset (self->ceiling, 0xff, self->groups->n_groups * sizeof *self->ceiling);
  for (guint32 i = 0; i < self->n_orders; i++)
    self->ceiling[self->orders[i].above] = MIN (self->ceiling[self->orders[i].above],
                                                self->floor[self->orders[i].below]);
}

static Pull *
find_pulls (const Ranker *self)
{
  Pull *pulls = g_new0 (Pull, self->n_boxes + 1);

  for (guint32 i = 0; i < self->n_boxes; i++)
    pulls[i].stays = TRUE;
  for (guint32 i = 0; i < self->n_nets; i++)
    pulls[self->nets[i].source].n_out += self->nets[i].n_targets;
  for (guint32 i = 0; i < self->n_nets; i++)
    for (guint32 k = 0; k < self->nets[i].n_targets; k++)
      {
        guint32 reader = self->targets[self->nets[i].first_target + k];
        Pull *source = &pulls[self->nets[i].source];
        Pull *target = &pulls[reader];
        gboolean crosses = self->groups != NULL && self->groups->of_box[self->nets[i].source] !=
                                                       self->groups->of_box[reader];

        target->cost += source->n_out == 1 ? MIN (source->cost, 1) : 1;
        target->enters = target->enters || crosses || (source->n_out == 1 && source->enters);
        source->stays = source->stays && !crosses;
      }

  return pulls;
}

/* Boxes move down to just above what reads them where that makes more edges shorter than longer.
 * The first ones of a group do it where that is even, but only if it is far: so a group is not
 * longer than it has to be. */
static void
pull_down (Ranker *self)
{
  g_autofree guint32 *limit = g_new (guint32, self->n_boxes);
  g_autofree Pull *pulls = find_pulls (self);

  for (guint32 i = 0; i < self->n_boxes; i++)
    limit[i] = G_MAXUINT32;

  /* Nets stand in the order of their sources, so from the back every reader has its final rank. */
  for (guint32 i = self->n_nets; i-- > 0;)
    {
      guint32 source = self->nets[i].source;
      const Pull *pull = &pulls[source];

      for (guint32 k = 0; k < self->nets[i].n_targets; k++)
        limit[source] = MIN (limit[source],
                             self->rank[self->targets[self->nets[i].first_target + k]] - 1);

      if (limit[source] == G_MAXUINT32 || (i > 0 && self->nets[i - 1].source == source))
        continue;
      for (guint32 g = self->groups != NULL ? self->groups->of_box[source] : 0; g != 0;
           g = self->groups->parent[g])
        limit[source] = MIN (limit[source], self->ceiling[g] - 1);
      if (limit[source] > self->rank[source] &&
          (pull->cost < pull->n_out || (pull->cost == pull->n_out && pull->enters && pull->stays &&
                                        limit[source] - self->rank[source] >= FAR)))
        self->rank[source] = limit[source];
    }
}

static guint32
drop_empty_ranks (guint32 n_boxes, guint32 n_ranks, guint32 *rank)
{
  g_autofree guint32 *number = g_new0 (guint32, n_ranks + 1);
  guint32 used = 0;

  for (guint32 i = 0; i < n_boxes; i++)
    number[rank[i]] = 1;
  for (guint32 r = 0; r < n_ranks; r++)
    {
      gboolean has = number[r] != 0;

      number[r] = used;
      used += has ? 1 : 0;
    }
  for (guint32 i = 0; i < n_boxes; i++)
    rank[i] = number[rank[i]];

  return used;
}

/**
 * assay_layers_rank:
 * @n_boxes: number of boxes
 * @n_nets: number of nets
 * @nets: (array length=n_nets): the nets, in the order of their sources
 * @targets: the targets of all nets
 * @groups: (nullable): which boxes belong together
 * @rank: (array length=n_boxes): place for the ranks
 *
 * Gives every box a rank below all boxes it reads from.
 *
 * Returns: the number of ranks
 */
guint32
assay_layers_rank (guint32 n_boxes, guint32 n_nets, const AssayLayersNet *nets,
                   const guint32 *targets, const AssayLayersGroups *groups, guint32 *rank)
{
  Ranker ranker = { n_boxes, n_nets, nets, targets, groups, rank };
  g_autofree guint32 *numbers = NULL;
  guint32 n_ranks = 0;

  memset (rank, 0, n_boxes * sizeof *rank);
  if (groups != NULL)
    {
      numbers = g_new0 (guint32, (gsize) groups->n_groups * 3);
      ranker.deepest = numbers;
      ranker.floor = numbers + groups->n_groups;
      ranker.ceiling = numbers + (gsize) groups->n_groups * 2;
      memset (ranker.floor, 0xff, groups->n_groups * sizeof *ranker.floor);
      find_orders (&ranker);
    }
  longest_paths (&ranker);
  if (groups != NULL)
    find_ceilings (&ranker);
  pull_down (&ranker);

  for (guint32 i = 0; i < n_boxes; i++)
    n_ranks = MAX (n_ranks, rank[i] + 1);
  g_free (ranker.orders);
  g_free (ranker.order_start);

  return n_boxes == 0 ? 0 : drop_empty_ranks (n_boxes, n_ranks, rank);
}
