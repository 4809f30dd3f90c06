/* assay-plan.c
 * SPDX-License-Identifier: Apache-2.0
 */
#include "backend/stream/compile/assay-plan.h"

#include <string.h>

/* An interval, and what it is ordered by. */
typedef struct
{
  guint32 key;
  guint index;
} Order;

/* Digits of 8 bits, the lowest first; what is equal stays as it was. */
static void
sort_orders (Order *orders, guint n, Order *spare)
{
  for (guint shift = 0; shift < 32; shift += 8)
    {
      guint starts[256] = { 0 };
      guint at = 0;

      for (guint i = 0; i < n; i++)
        starts[orders[i].key >> shift & 0xff]++;
      /* Most keys are small. */
      if (n == 0 || starts[orders[0].key >> shift & 0xff] == n)
        continue;
      for (guint digit = 0; digit < G_N_ELEMENTS (starts); digit++)
        {
          guint count = starts[digit];

          starts[digit] = at;
          at += count;
        }
      for (guint i = 0; i < n; i++)
        spare[starts[orders[i].key >> shift & 0xff]++] = orders[i];
      memcpy (orders, spare, n * sizeof *orders);
    }
}

/* In the order of birth, the larger first. */
static void
sort_births (const AssayInterval *intervals, guint n, Order *births, Order *spare)
{
  for (guint i = 0; i < n; i++)
    births[i] = (Order){ G_MAXUINT32 - intervals[i].size, i };
  sort_orders (births, n, spare);
  for (guint i = 0; i < n; i++)
    births[i].key = intervals[births[i].index].born;
  sort_orders (births, n, spare);
}

static void
sort_deaths (const AssayInterval *intervals, guint n, Order *deaths, Order *spare)
{
  for (guint i = 0; i < n; i++)
    deaths[i] = (Order){ intervals[i].died, i };
  sort_orders (deaths, n, spare);
}

/* As many as the bits of AssayInterval.cores. */
#define MAX_CORES 64

/* Blocks from @begin to before @end that are free. */
typedef struct
{
  guint32 begin;
  guint32 end;
} Run;

/* The free runs of every core, by address: there are few of them, however much lives. */
typedef struct
{
  GArray *runs[MAX_CORES]; /* Run; NULL for a core that nothing lived on yet, which is free */
  guint32 depth;
} Room;

static void
room_clear (Room *self)
{
  for (guint core = 0; core < MAX_CORES; core++)
    g_clear_pointer (&self->runs[core], g_array_unref);
}

G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (Room, room_clear)

static guint
lowest_core (guint64 cores)
{
  return (guint) __builtin_ctzll (cores);
}

/* The first run of a core that ends behind an address. */
static guint
find_run (const GArray *runs, guint32 address)
{
  const Run *all = (const Run *) (gpointer) runs->data;
  guint begin = 0;
  guint end = runs->len;

  while (begin < end)
    {
      guint middle = begin + (end - begin) / 2;

      if (all[middle].end <= address)
        begin = middle + 1;
      else
        end = middle;
    }

  return begin;
}

/* What is taken lies in one run, since it was found free. */
static void
take (Room *self, const AssayInterval *interval)
{
  guint32 end = interval->address + interval->size;

  for (guint64 cores = interval->cores; cores != 0; cores &= cores - 1)
    {
      const Run whole = { 0, self->depth };
      guint core = lowest_core (cores);
      guint at;
      Run *run;

      if (self->runs[core] == NULL)
        {
          self->runs[core] = g_array_new (FALSE, FALSE, sizeof (Run));
          g_array_append_val (self->runs[core], whole);
        }

      at = find_run (self->runs[core], interval->address);
      run = &g_array_index (self->runs[core], Run, at);
      if (run->begin == interval->address && run->end == end)
        {
          g_array_remove_index (self->runs[core], at);
        }
      else if (run->begin == interval->address)
        {
          run->begin = end;
        }
      else
        {
          const Run rest = { end, run->end };

          run->end = interval->address;
          if (rest.begin < rest.end)
            g_array_insert_val (self->runs[core], at + 1, rest);
        }
    }
}

static void
give_back (Room *self, const AssayInterval *interval)
{
  const Run freed = { interval->address, interval->address + interval->size };

  for (guint64 cores = interval->cores; cores != 0; cores &= cores - 1)
    {
      GArray *runs = self->runs[lowest_core (cores)];
      Run *before, *after;
      guint at;

      at = find_run (runs, freed.begin);
      before = at > 0 && g_array_index (runs, Run, at - 1).end == freed.begin
                   ? &g_array_index (runs, Run, at - 1)
                   : NULL;
      after = at < runs->len && g_array_index (runs, Run, at).begin == freed.end
                  ? &g_array_index (runs, Run, at)
                  : NULL;
      if (before != NULL && after != NULL)
        {
          before->end = after->end;
          g_array_remove_index (runs, at);
        }
      else if (before != NULL)
        {
          before->end = freed.end;
        }
      else if (after != NULL)
        {
          after->begin = freed.begin;
        }
      else
        {
          g_array_insert_val (runs, at, freed);
        }
    }
}

/* A walk over the runs that are free on all cores of a set, in the order of addresses. */
typedef struct
{
  const GArray *runs[MAX_CORES];
  guint at[MAX_CORES];
  guint n;
  guint32 from;
  guint32 depth;
} Walk;

static void
walk_init (Walk *self, const Room *room, guint64 cores)
{
  self->n = 0;
  self->from = 0;
  self->depth = room->depth;
  for (; cores != 0; cores &= cores - 1)
    {
      const GArray *runs = room->runs[lowest_core (cores)];

      if (runs == NULL)
        continue;
      self->runs[self->n] = runs;
      self->at[self->n++] = 0;
    }
}

static gboolean
walk_next (Walk *self, Run *found)
{
  guint i = 0;

  *found = (Run){ self->from, self->depth };
  while (i < self->n)
    {
      const Run *all = (const Run *) (gpointer) self->runs[i]->data;
      guint at = self->at[i];

      while (at < self->runs[i]->len && all[at].end <= found->begin)
        at++;
      self->at[i] = at;
      if (at == self->runs[i]->len)
        return FALSE;

      if (all[at].begin > found->begin)
        {
          /* The cores before have to be asked again from there. */
          *found = (Run){ all[at].begin, MIN (all[at].end, self->depth) };
          i = i == 0 ? 1 : 0;
          continue;
        }
      found->end = MIN (found->end, all[at].end);
      i++;
    }
  self->from = found->end;

  return found->begin < found->end;
}

/* Goes over the free runs of a set of cores: the smallest that holds `size`, the lowest among
 * equals. */
static gboolean
find_hole (const Room *self, guint64 cores, guint32 size, guint32 *address)
{
  guint32 best = G_MAXUINT32;
  Walk walk;
  Run run;

  walk_init (&walk, self, cores);
  while (walk_next (&walk, &run))
    {
      /* The room behind everything counts as endless: every depth that holds the plan gets the same
       * one. */
      guint32 length = run.end == self->depth ? G_MAXUINT32 - 1 : run.end - run.begin;

      if (run.end - run.begin >= size && length < best)
        {
          best = length;
          *address = run.begin;
        }
    }

  return best != G_MAXUINT32;
}

static int
compare_address (gconstpointer a, gconstpointer b, gpointer intervals)
{
  const AssayInterval *l = &((const AssayInterval *) intervals)[*(const guint *) a];
  const AssayInterval *r = &((const AssayInterval *) intervals)[*(const guint *) b];

  return l->address < r->address ? -1 : l->address > r->address;
}

/* What is free on a core, and the largest run of it. */
static void
measure_holes (const Room *self, guint core, guint32 *available, guint32 *largest)
{
  Walk walk;
  Run run;

  *available = 0;
  *largest = 0;
  walk_init (&walk, self, (guint64) 1 << core);
  while (walk_next (&walk, &run))
    {
      *available += run.end - run.begin;
      *largest = MAX (*largest, run.end - run.begin);
    }
}

static void
describe_failure (const Room *room, const AssayInterval *intervals, const Order *births,
                  guint position, AssayPlanFailure *failure)
{
  guint index = births[position].index;

  failure->interval = index;
  failure->living = g_new (guint, MAX (position, 1));
  failure->past = g_new (guint, MAX (position, 1));
  for (guint i = 0; i < position; i++)
    {
      guint other = births[i].index;

      if (intervals[other].size == 0)
        continue;
      if (intervals[other].died < intervals[index].born)
        failure->past[failure->n_past++] = other;
      else
        failure->living[failure->n_living++] = other;
    }
  g_qsort_with_data (failure->living, (int) failure->n_living, sizeof *failure->living,
                     compare_address, (gpointer) intervals);
  failure->largest_hole = G_MAXUINT32;

  for (guint core = 0; core < MAX_CORES; core++)
    {
      guint32 available, largest;

      if ((intervals[index].cores >> core & 1) == 0)
        continue;
      measure_holes (room, core, &available, &largest);
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
 * Gives every interval an address such that no two that share a core and a step overlap: in the
 * order of birth, each into the smallest hole that is free on all its cores. A pure function of its
 * arguments. What lives on several cores has one address, since the network writes a result to all
 * of them at once.
 *
 * Returns: whether all fit
 */
gboolean
assay_plan_intervals (AssayInterval *intervals, guint n, guint32 depth, AssayPlanFailure *failure)
{
  g_autofree Order *births = g_new (Order, MAX (n, 1));
  g_autofree Order *deaths = g_new (Order, MAX (n, 1));
  g_autofree Order *spare = g_new (Order, MAX (n, 1));
  g_auto (Room) room = { .depth = depth };
  guint n_dead = 0;

  sort_births (intervals, n, births, spare);
  sort_deaths (intervals, n, deaths, spare);

  for (guint i = 0; i < n; i++)
    {
      AssayInterval *interval = &intervals[births[i].index];

      for (; n_dead < n && intervals[deaths[n_dead].index].died < interval->born; n_dead++)
        if (intervals[deaths[n_dead].index].size > 0)
          give_back (&room, &intervals[deaths[n_dead].index]);
      if (interval->size == 0)
        {
          interval->address = 0;
          continue;
        }

      if (!find_hole (&room, interval->cores, interval->size, &interval->address))
        {
          if (failure != NULL)
            describe_failure (&room, intervals, births, i, failure);
          return FALSE;
        }
      take (&room, interval);
    }

  return TRUE;
}
