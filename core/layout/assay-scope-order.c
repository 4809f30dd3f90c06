/* assay-scope-order.c
 * SPDX-License-Identifier: Apache-2.0
 *
 * An order of the members of a level in which what feeds stands before what is fed, as near to the
 * program as that allows. Members that inputs each other in a circle (Tarjan, Depth-first search
 * and linear graph algorithms, 1972) stay side by side, so that no path leaves a stretch of whole
 * circles and comes back.
 */
#include "layout/assay-scope-tree-private.h"

typedef struct
{
  guint32 n;
  guint32 *start; /* per member: where its uses begin */
  guint32 *to;
  guint32 *circle; /* per member: its circle plus one */
  guint32 n_circles;
} Order;

static void
list_uses (Order *self, const GArray *uses)
{
  g_autofree guint32 *filled = g_new0 (guint32, self->n + 1);

  self->start = g_new0 (guint32, self->n + 2);
  self->to = g_new (guint32, uses->len + 1);
  for (guint i = 0; i < uses->len; i++)
    self->start[g_array_index (uses, AssayScopeUse, i).from + 1]++;
  for (guint32 i = 0; i < self->n; i++)
    self->start[i + 1] += self->start[i];
  for (guint i = 0; i < uses->len; i++)
    {
      const AssayScopeUse *use = &g_array_index (uses, AssayScopeUse, i);

      self->to[self->start[use->from] + filled[use->from]++] = use->to;
    }
}

typedef struct
{
  guint32 *seen;   /* when a member was seen first, from 1 */
  guint32 *lowest; /* the earliest one of the stack that it leads to */
  guint32 *next;   /* the next use to follow */
  GArray *open;    /* members whose circle is not known */
  guint32 n_seen;
} Walk;

static void
close_circle (Order *self, Walk *walk, guint32 member)
{
  guint32 last;

  self->n_circles++;
  do
    {
      last = g_array_index (walk->open, guint32, walk->open->len - 1);
      g_array_set_size (walk->open, walk->open->len - 1);
      self->circle[last] = self->n_circles;
    }
  while (last != member);
}

static void
walk_from (Order *self, Walk *walk, GArray *path, guint32 member)
{
  g_array_append_val (path, member);
  while (path->len > 0)
    {
      guint32 at = g_array_index (path, guint32, path->len - 1);

      if (walk->seen[at] == 0)
        {
          walk->seen[at] = walk->lowest[at] = ++walk->n_seen;
          walk->next[at] = self->start[at];
          g_array_append_val (walk->open, at);
        }
      if (walk->next[at] < self->start[at + 1])
        {
          guint32 to = self->to[walk->next[at]];

          if (walk->seen[to] == 0)
            {
              g_array_append_val (path, to);
              continue;
            }
          if (self->circle[to] == 0)
            walk->lowest[at] = MIN (walk->lowest[at], walk->lowest[to]);
          walk->next[at]++;
          continue;
        }

      if (walk->lowest[at] == walk->seen[at])
        close_circle (self, walk, at);
      g_array_set_size (path, path->len - 1);
    }
}

static void
find_circles (Order *self)
{
  g_autofree guint32 *numbers = g_new0 (guint32, (gsize) self->n * 3 + 1);
  g_autoptr (GArray) open = g_array_new (FALSE, FALSE, sizeof (guint32));
  g_autoptr (GArray) path = g_array_new (FALSE, FALSE, sizeof (guint32));
  Walk walk = { .seen = numbers,
                .lowest = numbers + self->n,
                .next = numbers + 2 * (gsize) self->n,
                .open = open };

  self->circle = g_new0 (guint32, self->n + 1);
  for (guint32 i = 0; i < self->n; i++)
    if (walk.seen[i] == 0)
      walk_from (self, &walk, path, i);
}

static int
compare_numbers (gconstpointer a, gconstpointer b, gpointer data)
{
  guint32 na = GPOINTER_TO_UINT (a);
  guint32 nb = GPOINTER_TO_UINT (b);

  return na < nb ? -1 : na > nb;
}

/* Circles one after the other, of those that nothing is waited for the one that comes first in the
 * program. */
static void
sort_circles (Order *self, GArray *order, GArray *ends)
{
  g_autofree guint32 *waiting = g_new0 (guint32, self->n_circles + 1);
  g_autofree guint32 *first = g_new (guint32, self->n_circles + 1);
  g_autofree guint32 *next = g_new (guint32, self->n + 1);
  g_autofree guint32 *last = g_new (guint32, self->n_circles + 1);
  g_autoptr (GSequence) ready = g_sequence_new (NULL);

  for (guint32 c = 0; c <= self->n_circles; c++)
    first[c] = last[c] = G_MAXUINT32;
  for (guint32 i = 0; i < self->n; i++)
    {
      guint32 c = self->circle[i] - 1;

      next[i] = G_MAXUINT32;
      if (first[c] == G_MAXUINT32)
        first[c] = i;
      else
        next[last[c]] = i;
      last[c] = i;
      for (guint32 k = self->start[i]; k < self->start[i + 1]; k++)
        waiting[self->circle[self->to[k]] - 1] += self->circle[self->to[k]] - 1 != c;
    }
  for (guint32 c = 0; c < self->n_circles; c++)
    if (waiting[c] == 0)
      g_sequence_insert_sorted (ready, GUINT_TO_POINTER (first[c]), compare_numbers, NULL);

  while (!g_sequence_is_empty (ready))
    {
      GSequenceIter *top = g_sequence_get_begin_iter (ready);
      guint32 begin = GPOINTER_TO_UINT (g_sequence_get (top));

      g_sequence_remove (top);
      for (guint32 i = begin; i != G_MAXUINT32; i = next[i])
        {
          g_array_append_val (order, i);
          for (guint32 k = self->start[i]; k < self->start[i + 1]; k++)
            {
              guint32 c = self->circle[self->to[k]] - 1;

              if (c != self->circle[i] - 1 && --waiting[c] == 0)
                g_sequence_insert_sorted (ready, GUINT_TO_POINTER (first[c]), compare_numbers,
                                          NULL);
            }
        }
      g_array_append_val (ends, order->len);
    }
}

/**
 * assay_scope_order:
 * @n_members: how many members a level has
 * @uses: (element-type AssayScopeUse): which feeds which
 * @order: (element-type guint32): filled with the members in their new order
 * @ends: (element-type guint32): filled with the end in @order of each member, or circle of members
 *
 * Orders the members of a level so that stretches of whole units are never left and entered again.
 */
void
assay_scope_order (guint32 n_members, const GArray *uses, GArray *order, GArray *ends)
{
  Order self = { .n = n_members };
  gboolean sorted = TRUE;

  for (guint i = 0; i < uses->len && sorted; i++)
    sorted = g_array_index (uses, AssayScopeUse, i).from <
             g_array_index (uses, AssayScopeUse, i).to;
  if (sorted)
    {
      for (guint32 i = 0; i < n_members; i++)
        {
          guint32 end = i + 1;

          g_array_append_val (order, i);
          g_array_append_val (ends, end);
        }
      return;
    }

  list_uses (&self, uses);
  find_circles (&self);
  sort_circles (&self, order, ends);

  g_free (self.start);
  g_free (self.to);
  g_free (self.circle);
}
