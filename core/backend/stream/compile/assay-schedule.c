/* assay-schedule.c
 * SPDX-License-Identifier: Apache-2.0
 *
 * An order of nodes for cores that start their instructions in order: what waits for a result
 * stands behind what can begin before, and of two that can begin at once the one with more to come
 * after it is first. The operations of a node stay together. Whoever reads a vector, writes it or
 * adds to it does so in the order of the lowered model, so no order changes a bit.
 */
#include "backend/stream/compile/assay-schedule.h"

#include "backend/stream/machine/assay-timing.h"

/* How many nodes that could come next are compared. */
#define MOST_COMPARED 64

/* An operation. */
typedef struct
{
  guint32 run;       /* the operations of one node that stand together */
  guint32 ready;     /* when the results of those that came before are there */
  guint32 remaining; /* the longest way from here to the end */
  guint32 edges;     /* 1 + the first edge to what has to come after */
} Item;

typedef struct
{
  guint32 first;
  guint32 n;
  guint32 n_before; /* edges from operations of other nodes that have not come yet */
} OpRun;

typedef struct
{
  guint32 to;
  guint32 next; /* 1 + its index */
} Edge;

/* Who touched a vector: the newest writer, and who has read it since, 1 + index each. */
typedef struct
{
  guint32 writer;
  guint32 readers; /* first of a list of edges */
} Touch;

typedef struct
{
  const AssayLir *lir;
  guint32 first; /* the operations of one model */
  guint32 n;
  Item *items;
  GArray *runs;    /* OpRun */
  GArray *edges;   /* Edge */
  GArray *readers; /* Edge: lists of readers */
  Touch *touches;  /* per vector, then per ring, then what keeps an order of its own */
} Schedule;

/* What keeps an order of its own beside the vectors. */
enum
{
  CHAIN_INPUT,
  CHAIN_OUTPUT,
  N_CHAINS,
};

static const AssayLirOp *
op_at (const Schedule *self, guint32 i)
{
  return &g_array_index (self->lir->ops, AssayLirOp, self->first + i);
}

static Touch *
touch_of (const Schedule *self, AssayLirId id)
{
  const AssayLirVector *vector = assay_lir_vector (self->lir, id);

  if (vector->ring != 0)
    return &self->touches[self->lir->vectors->len + vector->ring - 1];

  return &self->touches[vector->alias_of != 0 ? vector->alias_of : id];
}

static Touch *
chain_of (const Schedule *self, guint chain)
{
  return &self->touches[self->lir->vectors->len + self->lir->rings->len + chain];
}

static OpRun *
run_of (const Schedule *self, guint32 op)
{
  return &g_array_index (self->runs, OpRun, self->items[op].run);
}

static void
find_runs (Schedule *self)
{
  for (guint32 i = 0; i < self->n; i++)
    {
      OpRun run = { .first = i };

      if (i == 0 || op_at (self, i)->node != op_at (self, i - 1)->node)
        g_array_append_val (self->runs, run);
      self->items[i].run = self->runs->len - 1;
      run_of (self, i)->n++;
    }
}

static void
add_edge (Schedule *self, guint32 from, guint32 to)
{
  Edge edge = { to, self->items[from].edges };

  if (from == to)
    return;
  g_array_append_val (self->edges, edge);
  self->items[from].edges = self->edges->len;
  if (self->items[from].run != self->items[to].run)
    run_of (self, to)->n_before++;
}

static void
note_read (Schedule *self, Touch *touch, guint32 reader)
{
  Edge edge = { reader, touch->readers };

  if (touch->writer != 0)
    add_edge (self, touch->writer - 1, reader);
  g_array_append_val (self->readers, edge);
  touch->readers = self->readers->len;
}

static void
note_write (Schedule *self, Touch *touch, guint32 writer)
{
  if (touch->writer != 0)
    add_edge (self, touch->writer - 1, writer);
  for (guint32 i = touch->readers; i != 0; i = g_array_index (self->readers, Edge, i - 1).next)
    add_edge (self, g_array_index (self->readers, Edge, i - 1).to, writer);
  *touch = (Touch){ writer + 1, 0 };
}

static void
find_edges (Schedule *self)
{
  for (guint32 i = 0; i < self->n; i++)
    {
      const AssayLirOp *op = op_at (self, i);

      for (guint j = 0; j < ASSAY_LIR_N_SOURCES; j++)
        {
          if (op->sources[j].kind == ASSAY_LIR_VECTOR)
            note_read (self, touch_of (self, op->sources[j].id), i);
        }
      if (op->d != 0)
        note_write (self, touch_of (self, op->d), i);
      if (op->opcode == ASSAY_OPCODE_INPUT)
        note_write (self, chain_of (self, CHAIN_INPUT), i);
      if (op->opcode == ASSAY_OPCODE_OUTPUT)
        note_write (self, chain_of (self, CHAIN_OUTPUT), i);
    }
}

static AssayUnit
unit_of (const Schedule *self, const AssayLirOp *op)
{
  if (op->a.kind == ASSAY_LIR_VECTOR &&
      (op->opcode == ASSAY_OPCODE_MOVE || op->opcode == ASSAY_OPCODE_CLAMP) &&
      assay_lir_vector (self->lir, op->a.id)->store == ASSAY_STORE_ACCUMULATOR)
    return ASSAY_UNIT_DRAIN;

  return assay_opcode_get_info ((AssayOpcode) op->opcode)->unit;
}

/* Ports and the last stage of the matrix unit hold no other instruction up, and what is for the
 * next inference or only names a vector anew takes no turn. */
static gboolean
takes_turn (const Schedule *self, const AssayLirOp *op)
{
  AssayUnit unit = unit_of (self, op);

  if (op->deferred || op->reset || assay_lir_vector (self->lir, op->d)->ring != 0)
    return FALSE;

  return unit != ASSAY_UNIT_DRAIN && unit != ASSAY_UNIT_INPUT && unit != ASSAY_UNIT_OUTPUT &&
         op->opcode != ASSAY_OPCODE_START;
}

/* How long a unit is taken up if all cores share the work. */
static guint32
cycles_of (const Schedule *self, const AssayLirOp *op)
{
  guint32 blocks = assay_lir_blocks (self->lir, op->lanes);
  guint32 cores = self->lir->config->num_cores;

  if (op->deferred || op->reset || op->opcode == ASSAY_OPCODE_START)
    return 0;
  if (assay_opcode_get_info ((AssayOpcode) op->opcode)->weighs)
    blocks *= assay_lir_blocks (
        self->lir, g_array_index (self->lir->matrices, AssayMatrix, op->matrix).n_inputs);

  return (blocks + cores - 1) / cores;
}

/* How long after the unit is done its result is there. */
static guint32
latency_of (const Schedule *self, const AssayLirOp *op)
{
  if (op->deferred || op->reset || op->opcode == ASSAY_OPCODE_START)
    return 0;

  return assay_timing_unit_latency (&self->lir->config->timing, unit_of (self, op));
}

/* Backwards: every operation stands behind all that it needs. */
static void
find_remaining (Schedule *self)
{
  for (guint32 i = self->n; i-- > 0;)
    {
      const AssayLirOp *op = op_at (self, i);
      guint32 after = 0;

      for (guint32 e = self->items[i].edges; e != 0;
           e = g_array_index (self->edges, Edge, e - 1).next)
        after = MAX (after, self->items[g_array_index (self->edges, Edge, e - 1).to].remaining);
      self->items[i].remaining = after + cycles_of (self, op) + latency_of (self, op);
    }
}

/* When the first operation of a node that takes a turn could begin, and the longest way from any.
 */
static void
look_at (const Schedule *self, const OpRun *run, guint32 issued, const guint32 *unit_free,
         guint32 *start, guint32 *remaining)
{
  *start = G_MAXUINT32;
  *remaining = 0;
  for (guint32 i = run->first; i < run->first + run->n; i++)
    {
      const Item *item = &self->items[i];

      *remaining = MAX (*remaining, item->remaining);
      if (*start == G_MAXUINT32 && takes_turn (self, op_at (self, i)))
        *start = MAX (issued, MAX (item->ready, unit_free[unit_of (self, op_at (self, i))]));
    }
  if (*start == G_MAXUINT32)
    *start = self->items[run->first].ready;
}

/* Of what can come next: who begins first, then who has the longest way to go, then who stood
 * first. */
static guint
choose (const Schedule *self, const GArray *candidates, guint32 issued, const guint32 *unit_free)
{
  guint32 best_start = G_MAXUINT32, best_remaining = 0;
  guint best = 0;

  for (guint i = 0; i < MIN (candidates->len, MOST_COMPARED); i++)
    {
      guint32 at = g_array_index (candidates, guint32, i);
      guint32 start, remaining;

      look_at (self, &g_array_index (self->runs, OpRun, at), issued, unit_free, &start, &remaining);
      if (start < best_start || (start == best_start && remaining > best_remaining))
        {
          best = i;
          best_start = start;
          best_remaining = remaining;
        }
    }

  return best;
}

/* In the order of the lowered model, so that what stood first is compared first. */
static void
insert_candidate (GArray *candidates, guint32 item)
{
  guint at = candidates->len;

  while (at > 0 && g_array_index (candidates, guint32, at - 1) > item)
    at--;
  g_array_insert_val (candidates, at, item);
}

/* Starts an operation and tells those that wait for it when it is done. */
static void
issue (Schedule *self, guint32 at, guint32 *issued, guint32 *unit_free, GArray *candidates)
{
  const AssayLirOp *op = op_at (self, at);
  AssayUnit unit = unit_of (self, op);
  guint32 start = MAX (self->items[at].ready, unit_free[unit]);
  guint32 done;

  if (takes_turn (self, op))
    *issued = start = MAX (start, *issued);
  unit_free[unit] = start + cycles_of (self, op);
  done = unit_free[unit] + latency_of (self, op);

  for (guint32 e = self->items[at].edges; e != 0; e = g_array_index (self->edges, Edge, e - 1).next)
    {
      Item *to = &self->items[g_array_index (self->edges, Edge, e - 1).to];

      to->ready = MAX (to->ready, done);
      if (to->run != self->items[at].run &&
          --g_array_index (self->runs, OpRun, to->run).n_before == 0)
        insert_candidate (candidates, to->run);
    }
}

static void
put_in_order (Schedule *self, GArray *ops)
{
  g_autoptr (GArray) candidates = g_array_new (FALSE, FALSE, sizeof (guint32));
  guint32 unit_free[ASSAY_N_UNITS] = { 0 };
  guint32 issued = 0;

  for (guint32 i = 0; i < self->runs->len; i++)
    {
      if (g_array_index (self->runs, OpRun, i).n_before == 0)
        g_array_append_val (candidates, i);
    }

  while (candidates->len > 0)
    {
      guint at = choose (self, candidates, issued, unit_free);
      const OpRun *run = &g_array_index (self->runs, OpRun,
                                         g_array_index (candidates, guint32, at));

      g_array_remove_index (candidates, at);
      g_array_append_vals (ops, op_at (self, run->first), run->n);
      for (guint32 i = run->first; i < run->first + run->n; i++)
        issue (self, i, &issued, unit_free, candidates);
    }
}

/**
 * assay_lir_schedule:
 * @self: a lowered model, or several
 *
 * Finds an order of the operations in which units stand still less while a core starts its
 * instructions in order. Every vector sees the same writers and readers in the same order.
 *
 * Returns: (transfer full) (element-type AssayLirOp): the same operations
 */
GArray *
assay_lir_schedule (const AssayLir *self)
{
  GArray *ops = g_array_sized_new (FALSE, TRUE, sizeof (AssayLirOp), self->ops->len);
  guint n_touches = self->vectors->len + self->rings->len + N_CHAINS;

  for (guint i = 0; i < self->models->len; i++)
    {
      const AssayLirModel *model = &g_array_index (self->models, AssayLirModel, i);
      guint32 end = i + 1 < self->models->len ? model[1].first_op : self->ops->len;
      g_autofree Item *items = g_new0 (Item, end - model->first_op + 1);
      g_autofree Touch *touches = g_new0 (Touch, n_touches);
      g_autoptr (GArray) runs = g_array_new (FALSE, FALSE, sizeof (OpRun));
      g_autoptr (GArray) edges = g_array_new (FALSE, FALSE, sizeof (Edge));
      g_autoptr (GArray) readers = g_array_new (FALSE, FALSE, sizeof (Edge));
      Schedule schedule = { self,    model->first_op, end - model->first_op, items, runs, edges,
                            readers, touches };

      find_runs (&schedule);
      find_edges (&schedule);
      find_remaining (&schedule);
      put_in_order (&schedule, ops);
    }

  return ops;
}
