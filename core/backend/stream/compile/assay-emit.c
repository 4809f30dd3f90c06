/* assay-emit.c
 * SPDX-License-Identifier: Apache-2.0
 *
 * From a lowered model and a placement to the instructions of every core: who computes which rows,
 * who needs which vector, where everything lies, and in what order it happens.
 */
#include "backend/stream/compile/assay-emit.h"

#include <string.h>

#include "base/assay-bf16.h"
#include "base/assay-error.h"
#include "backend/stream/compile/assay-entries.h"
#include "backend/stream/compile/assay-plan.h"

/* A vector of the lowered program, and on which cores it is. */
typedef struct
{
  const AssayLirVector *vector;
  const guint16
      *owners;   /* the core of each unit, or NULL if every core that needs it has all of it */
  guint64 needs; /* cores that read all of it */
} Site;

/* What needs room in a store. */
typedef struct
{
  GArray *intervals; /* AssayInterval */
  GArray *parts;     /* Part: of which vector each is */
} Planned;

typedef struct
{
  AssayLirId id;
  guint32 first_block;
} Part;

/* Of a placed part of a matrix, the node that multiplies by it last, and 1 + the part of the same
 * matrix that was placed before. */
typedef struct
{
  guint32 node;
  guint32 before;
} Weigher;

typedef struct
{
  const AssayLir *lir;
  AssayStreamCode *code;
  AssayAllocation *
      *failure;       /* of those that do not fit the one that came closest, if it is wanted */
  Site *sites;        /* per vector */
  guint16 **owners;   /* per layer: the core of each unit */
  guint32 *entries;   /* per model: its first instruction; one more for the end */
  guint32 *bases;     /* per vector and core: address, G_MAXUINT32 where it does not live */
  GPtrArray *divided; /* guint16: the cores of what is divided anew */
  guint16 n_cores;
  GArray *weighers; /* Weigher: per placed matrix */
  guint32 *heads;   /* per matrix: 1 + the part that was placed last */
  Planned planned[ASSAY_STORE_CELL + 1];
  gboolean weighing; /* whether operations only place their weights */
  gboolean trial;
} Emit;

/* The vector that an operand or a result is, or is a part of. */
static Site *
whole_of (const Emit *self, AssayLirId id)
{
  AssayLirId whole = self->sites[id].vector->alias_of;

  return &self->sites[whole != 0 ? whole : id];
}

static guint
n_units (const Emit *self, const AssayLirVector *vector)
{
  return (assay_lir_blocks (self->lir, vector->lanes) + vector->unit_blocks - 1) /
         vector->unit_blocks;
}

/* The cores of the units of a vector that is divided; else another answer. */
static guint64
mask_of (const Emit *self, const Site *site, guint64 undivided)
{
  guint64 mask = 0;

  if (site->owners == NULL)
    return undivided;
  for (guint i = 0, n = n_units (self, site->vector); i < n; i++)
    mask |= (guint64) 1 << site->owners[i];

  return mask;
}

/* Rows that do not divide evenly go one each to the cores from `remainder` on. */
static guint16 *
split_units (const AssayLirLayer *layer, const AssayPlacement *placement)
{
  guint16 *owners = g_new (guint16, MAX (layer->n_units, 1));
  guint k = placement->cores;
  guint each = layer->n_units / k;
  guint rest = layer->n_units % k;
  guint at = 0;

  for (guint core = 0; core < k; core++)
    {
      guint n = each + ((core + k - placement->remainder % k) % k < rest);
      guint16 owner = (guint16) assay_lir_allowed_core (layer, placement->first + core);

      for (guint i = 0; i < n; i++)
        owners[at++] = owner;
    }

  return owners;
}

/* A part of a vector has the cores of its blocks. */
static void
resolve_alias (Emit *self, AssayLirId id)
{
  Site *site = &self->sites[id];
  const Site *whole = whole_of (self, id);

  if (site != whole && whole->owners != NULL)
    site->owners = whole->owners + site->vector->alias_block;
}

static AssayDivision
division_of (const AssayLirOp *op)
{
  return assay_opcode_get_info ((AssayOpcode) op->opcode)->division;
}

static gboolean
is_row_local (const AssayLirOp *op)
{
  return division_of (op) == ASSAY_DIVISION_ROWS;
}

/* A part of what a layer computed is divided anew over the cores of the layer: the rows of one half
 * lie on half of them. */
static const guint16 *
divide_anew (Emit *self, const Site *whole, const AssayLirVector *part)
{
  guint64 cores = mask_of (self, whole, 0);
  guint n = n_units (self, part);
  guint k = (guint) __builtin_popcountll (cores);
  guint16 *owners = g_new (guint16, MAX (n, 1));

  for (guint i = 0; i < n; i++)
    {
      guint64 rest = cores;

      for (guint before = i * k / n; before > 0; before--)
        rest &= rest - 1;
      owners[i] = (guint16) __builtin_ctzll (rest);
    }
  g_ptr_array_add (self->divided, owners);

  return owners;
}

/* An operation on rows is done where the rows are: results inherit the cores of their first divided
 * source. */
static void
find_owners (Emit *self)
{
  self->sites = g_new0 (Site, self->lir->vectors->len);
  for (guint i = 0; i < self->lir->vectors->len; i++)
    {
      const AssayLirVector *vector = assay_lir_vector (self->lir, i);

      self->sites[i].vector = vector;
      self->sites[i].owners = vector->layer != 0 ? self->owners[vector->layer - 1] : NULL;
    }

  for (guint i = 0; i < self->lir->ops->len; i++)
    {
      const AssayLirOp *op = &g_array_index (self->lir->ops, AssayLirOp, i);
      Site *d = &self->sites[op->d];

      for (guint j = 0; j < ASSAY_LIR_N_SOURCES; j++)
        {
          const AssayLirOperand *s = &op->sources[j];
          const Site *site = &self->sites[s->kind == ASSAY_LIR_VECTOR ? s->id : 0];

          if (s->kind == ASSAY_LIR_VECTOR)
            resolve_alias (self, s->id);
          if (op->d == 0 || d->owners != NULL || d->vector->ring != 0 || op->whole ||
              !is_row_local (op))
            continue;
          if (s->kind == ASSAY_LIR_VECTOR && !s->repeat && s->age == 0 && site->owners != NULL &&
              site->vector->unit_blocks == 1 && site->vector->lanes == op->lanes)
            d->owners = site->vector->lanes < whole_of (self, s->id)->vector->lanes
                            ? divide_anew (self, whole_of (self, s->id), d->vector)
                            : site->owners;
        }
    }
}

static gboolean
same_owners (const Emit *self, const Site *a, const Site *b)
{
  if (a->owners == b->owners)
    return TRUE;
  if (a->owners == NULL || b->owners == NULL ||
      n_units (self, a->vector) != n_units (self, b->vector))
    return FALSE;

  return memcmp (a->owners, b->owners, n_units (self, a->vector) * sizeof *a->owners) == 0;
}

static guint64
cores_of (const Emit *self, const AssayLirOp *op)
{
  const Site *d = &self->sites[op->d];

  return mask_of (self, d, d->needs);
}

/* Backwards: a vector is needed whole by every core that reads it otherwise than row by row in
 * place. */
static void
find_needs (Emit *self)
{
  gboolean changed = TRUE;

  /* Where a window is read in an inference, who needs what is pushed is known one pass later. */
  for (guint pass = 0; pass < 2 || (changed && self->lir->reads_windows); pass++)
    {
      changed = FALSE;
      for (guint i = self->lir->ops->len; i-- > 0;)
        {
          const AssayLirOp *op = &g_array_index (self->lir->ops, AssayLirOp, i);
          Site *d = &self->sites[op->d];

          /* What is pushed for the next inference is read by operations that stand before the push.
           */
          if (pass == 0 && !op->deferred)
            continue;

          if (op->d != 0 && d->owners == NULL && d->needs == 0)
            d->needs = (guint64) 1 << d->vector->home;

          for (guint j = 0; j < ASSAY_LIR_N_SOURCES; j++)
            {
              const AssayLirOperand *s = &op->sources[j];
              const Site *site;
              Site *whole;

              if (s->kind != ASSAY_LIR_VECTOR)
                continue;
              site = &self->sites[s->id];
              whole = whole_of (self, s->id);
              if (site->vector->store != ASSAY_STORE_TENSOR)
                continue;
              if (op->opcode == ASSAY_OPCODE_OUTPUT)
                {
                  if (site->owners == NULL && whole->needs == 0)
                    whole->needs = (guint64) 1 << whole->vector->home;
                  continue;
                }
              if (is_row_local (op) && !op->whole && !s->repeat && s->age == 0 &&
                  d->owners != NULL && same_owners (self, site, d))
                continue;
              changed = changed || (cores_of (self, op) & ~whole->needs) != 0;
              whole->needs |= cores_of (self, op);
            }
        }
    }
}

/* The first and the number of blocks of a vector that live on a core. */
static gboolean
part_on_core (const Emit *self, const Site *site, guint core, guint32 *first, guint32 *n)
{
  const AssayLirVector *vector = site->vector;
  guint units = n_units (self, vector);
  guint begin = 0;
  guint end;

  *first = 0;
  *n = assay_lir_blocks (self->lir, vector->lanes);
  if ((site->needs >> core & 1) != 0)
    return TRUE;
  if (site->owners == NULL)
    return FALSE;

  while (begin < units && site->owners[begin] != core)
    begin++;
  for (end = begin; end < units && site->owners[end] == core; end++)
    ;
  *first = begin * vector->unit_blocks;
  *n = MIN (end * vector->unit_blocks, *n) - *first;

  return end > begin;
}

static const char *
store_name (AssayStore store)
{
  static const char *const names[] = {
    [ASSAY_STORE_TENSOR] = "tensor RAM",
    [ASSAY_STORE_ACCUMULATOR] = "accumulator store",
    [ASSAY_STORE_CELL] = "cell state store",
  };

  return names[store];
}

static void
add_interval (Emit *self, AssayLirId id, guint64 cores, guint32 first_block, guint32 n_blocks,
              Planned *planned)
{
  const AssayLirVector *vector = assay_lir_vector (self->lir, id);
  Part part = { id, first_block };
  AssayInterval interval = {
    .born = vector->persistent ? 0 : self->lir->lives[id].first,
    .died = vector->persistent ? G_MAXUINT32 : self->lir->lives[id].last,
    .size = n_blocks * (vector->fp32 && vector->store == ASSAY_STORE_TENSOR ? 2 : 1),
    .cores = cores,
  };

  if (vector->ring != 0)
    interval.size *= g_array_index (self->lir->rings, AssayRing, vector->ring - 1).slots;
  g_array_append_val (planned->intervals, interval);
  g_array_append_val (planned->parts, part);
}

/* A vector that some core needs whole has one address wherever it lives; one that stays where its
 * rows are computed takes the room of its rows on each core. */
static void
add_intervals (Emit *self, AssayLirId id, Planned *planned)
{
  const Site *site = &self->sites[id];
  guint64 owners = mask_of (self, site, 0);

  if (site->needs != 0)
    {
      add_interval (self, id, site->needs | owners, 0,
                    assay_lir_blocks (self->lir, site->vector->lanes), planned);
      return;
    }

  for (guint core = 0; core < self->n_cores; core++)
    {
      guint32 first, n;

      if ((owners >> core & 1) != 0 && part_on_core (self, site, core, &first, &n))
        add_interval (self, id, (guint64) 1 << core, first, n, planned);
    }
}

static const char *
node_name (const Emit *self, guint32 node)
{
  return assay_lir_node_name (self->lir, node);
}

/* Of all placements that are tried, the one that came closest tells why the model does not fit. */
static void
keep_failure (Emit *self, AssayAllocation *allocation, GError **error)
{
  AssayAllocation *worse = allocation;

  assay_allocation_set_error (allocation, error);
  if (self->failure != NULL &&
      (*self->failure == NULL ||
       assay_allocation_shortage (allocation) < assay_allocation_shortage (*self->failure)))
    {
      worse = *self->failure;
      *self->failure = allocation;
    }
  assay_allocation_free (worse);
}

/* What has its place on the core that is too small; names stay with the lowered model. */
static void
describe_placed (Emit *self, const Planned *planned, guint core, const guint *indices, guint n,
                 void (*add) (AssayAllocation *, const AssayLiveTensor *),
                 AssayAllocation *allocation)
{
  for (guint i = 0; i < n && self->failure != NULL; i++)
    {
      const AssayInterval *interval = &g_array_index (planned->intervals, AssayInterval,
                                                      indices[i]);
      AssayLirId id = g_array_index (planned->parts, Part, indices[i]).id;
      const AssayLirVector *vector = assay_lir_vector (self->lir, id);
      guint64 owners = mask_of (self, &self->sites[id], interval->cores);
      AssayLiveTensor placed = {
        .name = (char *) vector->name,
        .node = (char *) node_name (self, vector->node),
        .reader = (char *) node_name (self, self->lir->lives[id].reader),
        .base = interval->address,
        .blocks = interval->size,
        .born = interval->born,
        .died = interval->died,
        .kind = (guint8) ((owners >> core & 1) != 0 ? vector->kind : ASSAY_TENSOR_COPY),
      };

      if ((interval->cores >> core & 1) != 0)
        add (allocation, &placed);
    }
}

static void
describe_failure (Emit *self, AssayStore store, guint32 depth, const Planned *planned,
                  const AssayPlanFailure *failure, GError **error)
{
  const AssayInterval *wanted = &g_array_index (planned->intervals, AssayInterval,
                                                failure->interval);
  const AssayLirVector *vector = assay_lir_vector (
      self->lir, g_array_index (planned->parts, Part, failure->interval).id);
  AssayAllocation *allocation = assay_allocation_new (store_name (store), failure->core, depth);

  allocation->step = wanted->born;
  allocation->tensor = g_strdup (vector->name);
  allocation->node = g_strdup (node_name (self, vector->node));
  allocation->needed = wanted->size;
  allocation->available = failure->available;
  allocation->largest_hole = failure->largest_hole;

  describe_placed (self, planned, failure->core, failure->living, failure->n_living,
                   assay_allocation_add_live, allocation);
  describe_placed (self, planned, failure->core, failure->past, failure->n_past,
                   assay_allocation_add_past, allocation);

  keep_failure (self, allocation, error);
}

static gboolean
plan_store (Emit *self, AssayStore store, GError **error)
{
  Planned *planned = &self->planned[store];
  guint32 depth = assay_store_depth (&self->code->config, store);
  AssayPlanFailure failure = { 0 };

  planned->intervals = g_array_new (FALSE, TRUE, sizeof (AssayInterval));
  planned->parts = g_array_new (FALSE, FALSE, sizeof (Part));
  for (AssayLirId id = 1; id < self->lir->vectors->len; id++)
    {
      if (assay_lir_vector (self->lir, id)->store == store &&
          self->lir->lives[id].first != G_MAXUINT32)
        add_intervals (self, id, planned);
    }

  if (assay_plan_intervals ((AssayInterval *) planned->intervals->data, planned->intervals->len,
                            depth, &failure))
    return TRUE;

  describe_failure (self, store, depth, planned, &failure, error);
  g_free (failure.living);
  g_free (failure.past);
  return FALSE;
}

/* Once everything has its place. */
static void
note_planned (Emit *self, AssayStore store)
{
  const Planned *planned = &self->planned[store];

  for (guint i = 0; i < planned->intervals->len; i++)
    {
      const AssayInterval *interval = &g_array_index (planned->intervals, AssayInterval, i);
      const Part *part = &g_array_index (planned->parts, Part, i);
      const AssayLirVector *vector = assay_lir_vector (self->lir, part->id);
      guint64 owners = mask_of (self, &self->sites[part->id], interval->cores);

      for (guint64 cores = interval->cores; cores != 0; cores &= cores - 1)
        {
          guint core = (guint) __builtin_ctzll (cores);
          AssayPlanned place = {
            .name = vector->name,
            .node = vector->node,
            .core = (guint16) core,
            .store = (guint8) store,
            .kind = (guint8) ((owners >> core & 1) != 0 ? vector->kind : ASSAY_TENSOR_COPY),
            .base = interval->address,
            .blocks = interval->size,
            .born = interval->born,
            .died = interval->died,
            .reader = self->lir->lives[part->id].reader,
          };

          /* Descriptors are counted of trials too. */
          if (!self->trial || store == ASSAY_STORE_TENSOR)
            g_array_append_val (self->code->plan, place);
          /* Addresses count from block 0 of the vector, even where only a part of it lives. */
          self->bases[part->id * self->n_cores + core] = interval->address - part->first_block;
        }
    }
}

static AssayOperand
operand (const Emit *self, const AssayLirOperand *from, guint core, guint32 first_block)
{
  AssayOperand result = { .repeat = from->repeat, .fp32 = from->exact };
  const AssayLirVector *vector;

  switch (from->kind)
    {
    case ASSAY_LIR_CONSTANT:
      result.store = ASSAY_STORE_CONSTANT;
      result.base = from->id;
      break;
    case ASSAY_LIR_IMMEDIATE:
      result.store = ASSAY_STORE_IMMEDIATE;
      result.base = assay_f32_bits (from->value);
      break;
    case ASSAY_LIR_VECTOR:
      vector = assay_lir_vector (self->lir, from->id);
      result.store = vector->store;
      result.fp32 = vector->fp32;
      result.ring = (guint16) vector->ring;
      result.age = from->age;
      result.tensor = vector->alias_of != 0 ? vector->alias_of : from->id;
      result.base = self->bases[result.tensor * self->n_cores + core] + vector->alias_block +
                    from->block + (from->repeat ? 0 : first_block);
      break;
    default:
      break;
    }

  return result;
}

static guint32
place_matrix (Emit *self, const AssayLirOp *op, guint core, guint32 first_row, guint32 n_rows)
{
  AssayPlacedMatrix placed = {
    .matrix = op->matrix, .core = (guint16) core, .first_row = first_row, .n_rows = n_rows
  };
  Weigher weigher = { op->node, self->heads[op->matrix] };

  for (guint32 at = weigher.before; at != 0;
       at = g_array_index (self->weighers, Weigher, at - 1).before)
    {
      const AssayPlacedMatrix *other = &g_array_index (self->code->placed, AssayPlacedMatrix,
                                                       at - 1);

      if (other->core == core && other->first_row == first_row && other->n_rows == n_rows)
        {
          g_array_index (self->weighers, Weigher, at - 1).node = op->node;
          return at - 1;
        }
    }

  g_array_append_val (self->code->placed, placed);
  g_array_append_val (self->weighers, weigher);
  self->heads[op->matrix] = self->code->placed->len;

  return self->code->placed->len - 1;
}

/* Where a part of an operation begins to read a source: rows go along with the result, a gate of
 * four lies between two blocks of it, and all else is read whole. */
static guint32
first_source_block (const AssayLirOp *op, guint source, guint32 first_block)
{
  switch (assay_operand_get_info ((AssayOpcode) op->opcode, ASSAY_SLOT_A + source)->extent)
    {
    case ASSAY_EXTENT_LANES:
      return division_of (op) == ASSAY_DIVISION_WHOLE ? 0 : first_block;
    case ASSAY_EXTENT_GATES:
      return 4 * first_block;
    default:
      return 0;
    }
}

static void
emit_instruction (Emit *self, const AssayLirOp *op, guint32 step, guint core, guint32 first_block,
                  guint32 lanes, guint64 cores)
{
  gboolean weighs = assay_opcode_get_info ((AssayOpcode) op->opcode)->weighs;
  AssayInstruction instruction = {
    .opcode = op->opcode,
    .round = op->round,
    .function = op->function,
    .deferred = op->deferred,
    .reset = op->reset,
    .clamps = op->clamps,
    .core = (guint16) core,
    .step = step,
    .node = op->node,
    .lanes = lanes,
    .first_block = first_block,
    .clears = op->clears,
    .cores = cores,
  };

  if (weighs)
    instruction.weights = place_matrix (self, op, core, first_block * self->code->config.block_size,
                                        lanes);
  if (self->weighing)
    return;

  /* Clamps and shifts share the two fields. */
  memcpy (&instruction.low, &op->low, sizeof op->low);
  memcpy (&instruction.high, &op->high, sizeof op->high);

  if (op->d != 0)
    {
      AssayLirOperand use = assay_lir_use (op->d);

      instruction.d = operand (self, &use, core, first_block);
    }
  for (guint i = 0; i < ASSAY_LIR_N_SOURCES; i++)
    {
      if (op->sources[i].kind != ASSAY_LIR_NONE)
        instruction.operands[ASSAY_SLOT_A + i] = operand (self, &op->sources[i], core,
                                                          first_source_block (op, i, first_block));
    }

  g_array_append_val (self->code->instructions, instruction);
}

/* No operand of an instruction is longer than the configuration allows. */
static void
emit_part (Emit *self, const AssayLirOp *op, guint32 step, guint core, guint32 first_block,
           guint32 lanes, guint64 cores)
{
  gboolean splits = division_of (op) != ASSAY_DIVISION_WHOLE;
  guint32 most = MAX (self->code->config.max_read_size, 1);
  guint32 step_lanes = most * self->code->config.block_size;

  for (; splits && lanes > step_lanes; lanes -= step_lanes)
    {
      emit_instruction (self, op, step, core, first_block, step_lanes, cores);
      first_block += most;
    }
  emit_instruction (self, op, step, core, first_block, lanes, cores);
}

/* One instruction per core for the rows it owns. */
static void
emit_rows (Emit *self, const AssayLirOp *op, guint32 step, const Site *rows, guint64 cores)
{
  guint units = n_units (self, rows->vector);
  guint32 unit_lanes = rows->vector->unit_blocks * self->code->config.block_size;

  for (guint at = 0, end; at < units; at = end)
    {
      guint core = rows->owners[at];

      for (end = at; end < units && rows->owners[end] == core; end++)
        ;
      emit_part (self, op, step, core, at * rows->vector->unit_blocks,
                 MIN (end * unit_lanes, rows->vector->lanes) - at * unit_lanes,
                 cores == 0 ? 0 : cores | (guint64) 1 << core);
    }
}

static void
emit_op (Emit *self, const AssayLirOp *op, guint32 step)
{
  const Site *d = &self->sites[op->d];

  if (op->opcode == ASSAY_OPCODE_OUTPUT)
    {
      const Site *site = &self->sites[op->a.id];

      if (site->owners != NULL)
        emit_rows (self, op, step, site, 0);
      else
        emit_part (self, op, step, (guint) __builtin_ctzll (whole_of (self, op->a.id)->needs), 0,
                   op->lanes, 0);
      return;
    }

  if (op->opcode == ASSAY_OPCODE_INPUT)
    {
      emit_part (self, op, step, (guint) __builtin_ctzll (d->needs), 0, op->lanes, d->needs);
      return;
    }

  if (d->owners != NULL)
    {
      emit_rows (self, op, step, d, d->needs);
      return;
    }

  for (guint core = 0; core < self->n_cores; core++)
    {
      if ((d->needs >> core & 1) != 0)
        emit_part (self, op, step, core, 0, op->lanes, 0);
    }
}

static guint32
weight_blocks (const Emit *self, const AssayPlacedMatrix *placed)
{
  const AssayMatrix *matrix = &g_array_index (self->code->matrices, AssayMatrix, placed->matrix);

  return assay_weight_blocks (matrix, placed->n_rows, self->code->config.block_size);
}

static void
describe_weights (Emit *self, guint core, guint32 needed, GError **error)
{
  guint32 depth = self->code->config.weight_store_depth;
  AssayAllocation *allocation = assay_allocation_new ("weight store", core, depth);

  allocation->needed = needed;
  allocation->available = depth;
  allocation->largest_hole = depth;
  for (guint i = 0; i < self->code->placed->len && self->failure != NULL; i++)
    {
      const AssayPlacedMatrix *placed = &g_array_index (self->code->placed, AssayPlacedMatrix, i);
      char *name = (char *) node_name (self, g_array_index (self->weighers, Weigher, i).node);
      AssayLiveTensor live = { name, name,        name, placed->base, weight_blocks (self, placed),
                               0,    G_MAXUINT32, 0 };

      if (placed->core == core)
        assay_allocation_add_live (allocation, &live);
    }

  keep_failure (self, allocation, error);
}

/* Weight blocks one behind the other; what does not fit says so with the core and the layer, before
 * anything else is emitted. */
static gboolean
plan_weights (Emit *self, GError **error)
{
  guint32 used[ASSAY_MAX_CORES] = { 0 };
  guint fullest = 0;

  self->weighing = TRUE;
  for (guint i = 0; i < self->lir->ops->len; i++)
    {
      const AssayLirOp *op = &g_array_index (self->lir->ops, AssayLirOp, i);

      if (assay_opcode_get_info ((AssayOpcode) op->opcode)->weighs)
        emit_op (self, op, i);
    }
  self->weighing = FALSE;

  for (guint i = 0; i < self->code->placed->len; i++)
    {
      AssayPlacedMatrix *placed = &g_array_index (self->code->placed, AssayPlacedMatrix, i);
      guint32 blocks = weight_blocks (self, placed);

      placed->base = used[placed->core];
      used[placed->core] += blocks;
    }

  for (guint core = 1; core < self->n_cores; core++)
    {
      if (used[core] > used[fullest])
        fullest = core;
    }

  if (used[fullest] <= self->code->config.weight_store_depth)
    return TRUE;

  describe_weights (self, fullest, used[fullest], error);
  return FALSE;
}

/* Clamps and descriptors are counted exactly only where there may be too many. */
static gboolean
check_entries (Emit *self, GError **error)
{
  const AssayConfigValues *config = &self->code->config;
  const struct
  {
    const char *store;
    AssayEntryFunc count;
    guint32 depth;
  } entries[] = {
    { "clamp store", assay_stream_code_count_clamps, config->clamp_store_depth },
    { "tensor descriptors", assay_stream_code_count_descriptors, config->tensor_descriptor_count },
  };

  for (guint i = 0; i < G_N_ELEMENTS (entries); i++)
    {
      guint32 counts[ASSAY_MAX_CORES];
      guint fullest = 0;

      if (!entries[i].count (self->code, entries[i].depth, counts))
        continue;
      for (guint core = 1; core < self->n_cores; core++)
        fullest = counts[core] > counts[fullest] ? core : fullest;
      if (counts[fullest] > entries[i].depth)
        {
          AssayAllocation *allocation = assay_allocation_new (entries[i].store, fullest,
                                                              entries[i].depth);

          allocation->needed = counts[fullest];
          allocation->available = allocation->largest_hole = entries[i].depth;
          keep_failure (self, allocation, error);
          return FALSE;
        }
    }

  return TRUE;
}

/* A sum over lanes cannot be divided without changing its bits. */
static gboolean
check_reads (Emit *self, GError **error)
{
  for (guint i = 0; i < self->code->instructions->len; i++)
    {
      const AssayInstruction *instruction = &g_array_index (self->code->instructions,
                                                            AssayInstruction, i);
      guint32 blocks = assay_lir_blocks (self->lir, instruction->lanes);

      if (assay_opcode_get_info ((AssayOpcode) instruction->opcode)->unit == ASSAY_UNIT_LANE &&
          (assay_operand_get_info ((AssayOpcode) instruction->opcode, ASSAY_SLOT_A)->may &
           ASSAY_OPERAND_LONG) == 0 &&
          blocks > self->code->config.max_read_size)
        {
          AssayAllocation *allocation = assay_allocation_new (
              "operand of an instruction", instruction->core, self->code->config.max_read_size);

          allocation->needed = blocks;
          allocation->available = allocation->largest_hole = self->code->config.max_read_size;
          allocation->node = g_strdup (node_name (self, instruction->node));
          keep_failure (self, allocation, error);
          return FALSE;
        }
    }

  return TRUE;
}

static AssayPort *
copy_ports (Emit *self, const GArray *from, guint *first, guint n)
{
  AssayPort *ports = assay_arena_alloc_n (self->code->arena, n + 1, sizeof *ports);

  /* An array of none has no place to count from. */
  if (n > 0)
    assay_ports_copy (ports, (const AssayPort *) from->data + *first, n, self->code->arena);
  *first += n;

  return ports;
}

static void
copy_models (Emit *self)
{
  guint input = 0, output = 0;

  for (guint i = 0; i < self->lir->models->len; i++)
    {
      const AssayLirModel *model = &g_array_index (self->lir->models, AssayLirModel, i);
      AssayModelEntry entry = {
        .first = self->entries[i],
        .n_instructions = self->entries[i + 1] - self->entries[i],
      };

      if (!self->trial)
        {
          entry.name = assay_arena_intern (self->code->arena, model->name);
          entry.n_inputs = model->n_inputs;
          entry.n_outputs = model->n_outputs;
          entry.resettable = model->resettable;
          entry.inputs = copy_ports (self, self->lir->inputs, &input, model->n_inputs);
          entry.outputs = copy_ports (self, self->lir->outputs, &output, model->n_outputs);
        }
      g_array_append_val (self->code->models, entry);
    }
}

static void
copy_names (Emit *self)
{
  for (guint i = 0; i < self->code->plan->len; i++)
    {
      AssayPlanned *planned = &g_array_index (self->code->plan, AssayPlanned, i);

      planned->name = assay_arena_intern (self->code->arena, planned->name);
    }

  for (guint i = 0; i < self->lir->node_names->len; i++)
    g_ptr_array_add (self->code->node_names,
                     (gpointer) assay_arena_intern (self->code->arena, node_name (self, i)));
}

/* Nothing is above what has its place, and the timing clears the stores for every program. */
static void
lower_stores (Emit *self)
{
  guint32 heights[ASSAY_STORE_CELL + 1] = { 0 };

  for (AssayStore store = ASSAY_STORE_TENSOR; store <= ASSAY_STORE_CELL; store++)
    {
      const GArray *intervals = self->planned[store].intervals;

      for (guint i = 0; i < intervals->len; i++)
        {
          const AssayInterval *interval = &g_array_index (intervals, AssayInterval, i);

          heights[store] = MAX (heights[store], interval->address + interval->size);
        }
    }
  self->code->config.tensor_ram_depth = heights[ASSAY_STORE_TENSOR];
  self->code->config.accum_store_depth = heights[ASSAY_STORE_ACCUMULATOR];
  self->code->config.cell_state_depth = heights[ASSAY_STORE_CELL];
}

static void
emit_clear (Emit *self)
{
  for (guint i = 0; i < self->lir->layers->len; i++)
    g_free (self->owners[i]);
  g_free (self->owners);
  g_ptr_array_unref (self->divided);
  g_free (self->sites);
  g_free (self->entries);
  g_free (self->bases);
  g_array_unref (self->weighers);
  g_free (self->heads);
  for (guint i = 0; i < G_N_ELEMENTS (self->planned); i++)
    {
      g_clear_pointer (&self->planned[i].intervals, g_array_unref);
      g_clear_pointer (&self->planned[i].parts, g_array_unref);
    }
}

static gboolean
emit_all (Emit *self, GError **error)
{
  find_owners (self);
  find_needs (self);

  /* The check that costs least comes first where nobody asks what is too small. */
  if (self->failure == NULL && !plan_weights (self, error))
    return FALSE;
  for (AssayStore store = ASSAY_STORE_TENSOR; store <= ASSAY_STORE_CELL; store++)
    {
      if (!plan_store (self, store, error))
        return FALSE;
    }
  if (self->failure != NULL && !plan_weights (self, error))
    return FALSE;
  for (AssayStore store = ASSAY_STORE_TENSOR; store <= ASSAY_STORE_CELL; store++)
    note_planned (self, store);

  for (guint i = 0, model = 0; i <= self->lir->ops->len; i++)
    {
      while (model < self->lir->models->len &&
             g_array_index (self->lir->models, AssayLirModel, model).first_op == i)
        self->entries[model++] = self->code->instructions->len;
      if (i < self->lir->ops->len)
        emit_op (self, &g_array_index (self->lir->ops, AssayLirOp, i), i);
    }
  self->entries[self->lir->models->len] = self->code->instructions->len;

  return check_entries (self, error) && check_reads (self, error);
}

/**
 * assay_emit:
 * @lir: a lowered program, whose twins and lives have been found
 * @placements: one per layer; that of a layer with a twin is not looked at
 * @purpose: what the program is for
 * @failure: (inout) (nullable): of the placements that do not fit, the one that came closest so far
 * @error: return location for a #GError
 *
 * Makes the program. Fails with %ASSAY_ERROR_ALLOCATION if a store is too small.
 *
 * Returns: (transfer full) (nullable): the program
 */
AssayStreamCode *
assay_emit (const AssayLir *lir, const AssayPlacement *placements, AssayEmit purpose,
            AssayAllocation **failure, GError **error)
{
  g_autoptr (AssayStreamCode) code = assay_stream_code_new (lir->config);
  Emit self = {
    .lir = lir,
    .code = code,
    .failure = failure,
    .divided = g_ptr_array_new_with_free_func (g_free),
    .n_cores = (guint16) lir->config->num_cores,
    .trial = purpose == ASSAY_EMIT_TRIAL,
  };
  gboolean done;

  self.owners = g_new0 (guint16 *, lir->layers->len + 1);
  for (guint i = 0; i < lir->layers->len; i++)
    {
      const AssayLirLayer *layer = &g_array_index (lir->layers, AssayLirLayer, i);

      self.owners[i] = split_units (layer, &placements[layer->twin]);
    }
  self.weighers = g_array_new (FALSE, FALSE, sizeof (Weigher));
  self.heads = g_new0 (guint32, lir->matrices->len + 1);
  self.entries = g_new0 (guint32, lir->models->len + 1);
  self.bases = g_new (guint32, (gsize) lir->vectors->len * self.n_cores);
  memset (self.bases, 0xff, (gsize) lir->vectors->len * self.n_cores * sizeof *self.bases);

  for (guint i = 0; i < lir->matrices->len; i++)
    {
      AssayMatrix matrix = g_array_index (lir->matrices, AssayMatrix, i);

      assay_tensor_ref (matrix.tensor);
      g_array_append_val (code->matrices, matrix);
    }
  for (guint i = 0; i < lir->constants->len; i++)
    g_ptr_array_add (code->constants, assay_tensor_ref (g_ptr_array_index (lir->constants, i)));
  g_array_append_vals (code->rings, lir->rings->data, lir->rings->len);

  done = emit_all (&self, error);
  if (done)
    copy_models (&self);
  if (done && self.trial)
    lower_stores (&self);
  else if (done)
    copy_names (&self);
  emit_clear (&self);

  return done ? g_steal_pointer (&code) : NULL;
}
