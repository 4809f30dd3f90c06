/* assay-plan.c
 * SPDX-License-Identifier: Apache-2.0
 */
#include "compile/assay-plan.h"

#include <stdlib.h>
#include <string.h>

typedef struct
{
  const AssayInterval *intervals;
  guint index;
} Order;

static int
compare_birth (gconstpointer a,
               gconstpointer b)
{
  const Order *left = a;
  const Order *right = b;
  const AssayInterval *l = &left->intervals[left->index];
  const AssayInterval *r = &right->intervals[right->index];

  if (l->born != r->born)
    return l->born < r->born ? -1 : 1;
  if (l->size != r->size)
    return l->size > r->size ? -1 : 1;

  return left->index < right->index ? -1 : left->index > right->index;
}

/* Keeps the living sorted by address, so that holes are found in one sweep. */
static void
insert_living (GArray              *living,
               AssayInterval       *intervals,
               guint                index)
{
  guint at = living->len;

  g_array_append_val (living, index);
  for (; at > 0 && intervals[g_array_index (living, guint, at - 1)].address > intervals[index].address; at--)
    g_array_index (living, guint, at) = g_array_index (living, guint, at - 1);
  g_array_index (living, guint, at) = index;
}

static void
bury_dead (GArray              *living,
           const AssayInterval *intervals,
           guint32              step)
{
  guint kept = 0;

  for (guint i = 0; i < living->len; i++)
    {
      guint index = g_array_index (living, guint, i);

      if (intervals[index].died >= step)
        g_array_index (living, guint, kept++) = index;
    }
  g_array_set_size (living, kept);
}

/* Goes over the free runs of a set of cores: the smallest that holds `size`, the lowest among equals. */
static gboolean
find_hole (const GArray        *living,
           const AssayInterval *intervals,
           guint64              cores,
           guint32              depth,
           guint32              size,
           guint32             *address,
           guint32             *available,
           guint32             *largest)
{
  guint32 end = 0;
  guint32 best = G_MAXUINT32;

  *available = 0;
  *largest = 0;

  for (guint i = 0; i <= living->len; i++)
    {
      const AssayInterval *next = i < living->len ? &intervals[g_array_index (living, guint, i)] : NULL;
      guint32 limit = next == NULL ? depth : next->address;

      if (next != NULL && (next->cores & cores) == 0)
        continue;

      if (limit > end)
        {
          *available += limit - end;
          *largest = MAX (*largest, limit - end);
          /* The room behind everything counts as endless: every depth that holds the plan gets the same one. */
          if (limit - end >= size && (next == NULL ? G_MAXUINT32 - 1 : limit - end) < best)
            {
              best = next == NULL ? G_MAXUINT32 - 1 : limit - end;
              *address = end;
            }
        }
      if (next != NULL)
        end = MAX (end, next->address + next->size);
    }

  return best != G_MAXUINT32;
}

static void
describe_failure (const GArray        *living,
                  const AssayInterval *intervals,
                  const Order         *births,
                  guint                position,
                  guint32              depth,
                  AssayPlanFailure    *failure)
{
  guint index = births[position].index;

  failure->interval = index;
  failure->living = g_memdup2 (living->data, living->len * sizeof (guint));
  failure->n_living = living->len;
  failure->past = g_new (guint, MAX (position, 1));
  for (guint i = 0; i < position; i++)
    if (intervals[births[i].index].size > 0 && intervals[births[i].index].died < intervals[index].born)
      failure->past[failure->n_past++] = births[i].index;
  failure->largest_hole = G_MAXUINT32;

  for (guint core = 0; core < 64; core++)
    {
      guint32 address, available, largest;

      if ((intervals[index].cores >> core & 1) == 0)
        continue;
      find_hole (living, intervals, (guint64) 1 << core, depth, 1, &address, &available, &largest);
      if (largest < failure->largest_hole)
        {
          failure->core = core;
          failure->available = available;
          failure->largest_hole = largest;
        }
    }
}

/**
 * assay_plan_intervals:
 * @intervals: (array length=n): what needs room; addresses are filled in
 * @n: how many
 * @depth: blocks of the store of each core
 * @failure: (out) (optional): what found no room
 *
 * Gives every interval an address such that no two that share a core and a step overlap: in the order of birth, each
 * into the smallest hole that is free on all its cores. A pure function of its arguments. What lives on several cores
 * has one address, since the network writes a result to all of them at once.
 *
 * Returns: whether all fit
 */
gboolean
assay_plan_intervals (AssayInterval    *intervals,
                      guint             n,
                      guint32           depth,
                      AssayPlanFailure *failure)
{
  g_autofree Order *births = g_new (Order, MAX (n, 1));
  g_autoptr (GArray) living = g_array_new (FALSE, FALSE, sizeof (guint));

  for (guint i = 0; i < n; i++)
    births[i] = (Order) { intervals, i };
  qsort (births, n, sizeof *births, compare_birth);

  for (guint i = 0; i < n; i++)
    {
      AssayInterval *interval = &intervals[births[i].index];
      guint32 available, largest;

      if (i == 0 || interval->born != intervals[births[i - 1].index].born)
        bury_dead (living, intervals, interval->born);
      if (interval->size == 0)
        {
          interval->address = 0;
          continue;
        }

      if (!find_hole (living, intervals, interval->cores, depth, interval->size, &interval->address, &available,
                      &largest))
        {
          if (failure != NULL)
            describe_failure (living, intervals, births, i, depth, failure);
          return FALSE;
        }
      insert_living (living, intervals, births[i].index);
    }

  return TRUE;
}
