/* assay-machine-observer.c
 * SPDX-License-Identifier: Apache-2.0
 *
 * A value is written vector by vector and part by part, on several cores. The observer keeps the
 * lanes of each wanted value until the last of them has been written, and shows it then. A value
 * that is forced is put in the place of what was computed right behind the instruction, before
 * anybody can read it, and only where nothing is written later: a vector under construction is left
 * alone.
 */
#include "backend/stream/assay-machine-observer.h"

#include <string.h>

#include "base/assay-tensor-read.h"
#include "nnir/assay-dims.h"

/* A wanted value, while the machine runs. */
typedef struct
{
  const AssayProbe *probe;
  guint32 last_step;  /* the step behind which it is complete */
  gboolean forced;    /* whether the observer has been asked for another value */
  gboolean has_force; /* and gave one */
  float *computed;    /* vector after vector; from the first write until it has been shown */
  float *force;
} Watched;

/* One vector of a wanted value, as part of the vector whose blocks it names. */
typedef struct
{
  guint32 watched;
  guint32 vector;     /* of the value */
  guint32 first_lane; /* in the root */
  guint32 lanes;
} Part;

struct _AssayMachineObserver
{
  const AssayStreamCode *code;
  const AssayProbes *probes;
  const AssayRunObserver *observer;
  gint64 step;
  GArray *watched;     /* Watched, in the order in which they are complete */
  guint next;          /* the first that has not been shown */
  GPtrArray *parts;    /* per root: GArray of Part, or NULL */
  guint32 **last;      /* per root that matters: per lane the step that writes it last */
  guint32 *root_lanes; /* per root: number of lanes, whole blocks */
};

/* What an instruction writes into the root of its destination. */
typedef struct
{
  guint32 root;
  guint32 first_lane;
  guint32 lanes;
} Written;

static AssayExtent
extent_of (const AssayInstruction *instruction)
{
  return assay_operand_get_info ((AssayOpcode) instruction->opcode, ASSAY_SLOT_D)->extent;
}

/* Whether an instruction writes a run into a vector that is there already. */
static gboolean
is_inserted (const AssayInstruction *instruction)
{
  return extent_of (instruction) == ASSAY_EXTENT_RUN_TO && instruction->clears == 0;
}

static gboolean
find_written (const AssayMachineObserver *self, const AssayInstruction *instruction,
              Written *written)
{
  guint32 id = g_array_index (self->probes->written, guint32, instruction->step);
  const AssayProbeVector *vector = &g_array_index (self->probes->vectors, AssayProbeVector, id);
  guint32 block = self->code->config.block_size;

  if (id == 0 || instruction->deferred || instruction->reset || instruction->d.ring != 0)
    return FALSE;

  written->root = vector->root;
  written->first_lane = (vector->first_block + instruction->first_block) * block;
  written->lanes = instruction->lanes;
  if (extent_of (instruction) == ASSAY_EXTENT_ONE)
    written->lanes = block;
  else if (is_inserted (instruction))
    written->first_lane += instruction->high.lane;
  else if (extent_of (instruction) == ASSAY_EXTENT_RUN_TO)
    written->lanes = instruction->clears;

  return TRUE;
}

static void
add_parts (AssayMachineObserver *self, const AssayProbe *probe)
{
  guint32 block = self->code->config.block_size;
  Watched watched = { .probe = probe };

  for (guint32 i = 0; i < probe->n_vectors; i++)
    {
      const AssayProbeVector *vector = &g_array_index (self->probes->vectors, AssayProbeVector,
                                                       probe->vectors[i]);
      Part part = { self->watched->len, i, vector->first_block * block, probe->lanes };
      GArray *parts = g_ptr_array_index (self->parts, vector->root);

      if (parts == NULL)
        {
          parts = g_array_new (FALSE, FALSE, sizeof (Part));
          g_ptr_array_index (self->parts, vector->root) = parts;
        }
      g_array_append_val (parts, part);
    }

  g_array_append_val (self->watched, watched);
}

/* Who writes each lane last. */
static void
find_last_steps (AssayMachineObserver *self)
{
  for (guint i = 0; i < self->code->instructions->len; i++)
    {
      const AssayInstruction *instruction = &g_array_index (self->code->instructions,
                                                            AssayInstruction, i);
      Written written;

      if (!find_written (self, instruction, &written) ||
          g_ptr_array_index (self->parts, written.root) == NULL)
        continue;

      if (self->last[written.root] == NULL)
        {
          guint32 block = self->code->config.block_size;
          guint32 lanes =
              g_array_index (self->probes->vectors, AssayProbeVector, written.root).lanes;

          self->root_lanes[written.root] = (lanes + block - 1) / block * block;
          self->last[written.root] = g_new0 (guint32, self->root_lanes[written.root]);
        }
      for (guint32 lane = 0; lane < written.lanes; lane++)
        {
          if (written.first_lane + lane < self->root_lanes[written.root])
            self->last[written.root][written.first_lane + lane] = instruction->step;
        }
    }
}

static int
compare_last (gconstpointer a, gconstpointer b)
{
  const Watched *left = a, *right = b;

  return left->last_step < right->last_step ? -1 : left->last_step > right->last_step;
}

/* Values in the order in which they are complete; parts name them by index, so they follow. */
static void
sort_watched (AssayMachineObserver *self)
{
  g_autofree guint32 *place = g_new (guint32, self->watched->len + 1);
  g_autoptr (GHashTable) before = g_hash_table_new (NULL, NULL); /* probe -> index */

  for (guint root = 0; root < self->parts->len; root++)
    {
      GArray *parts = g_ptr_array_index (self->parts, root);

      for (guint i = 0; parts != NULL && self->last[root] != NULL && i < parts->len; i++)
        {
          const Part *part = &g_array_index (parts, Part, i);
          Watched *watched = &g_array_index (self->watched, Watched, part->watched);

          for (guint32 lane = 0; lane < part->lanes; lane++)
            watched->last_step = MAX (watched->last_step,
                                      self->last[root][part->first_lane + lane]);
        }
    }

  for (guint i = 0; i < self->watched->len; i++)
    g_hash_table_insert (before, (gpointer) g_array_index (self->watched, Watched, i).probe,
                         GUINT_TO_POINTER (i));
  g_array_sort (self->watched, compare_last);
  for (guint i = 0; i < self->watched->len; i++)
    place[GPOINTER_TO_UINT (
        g_hash_table_lookup (before, g_array_index (self->watched, Watched, i).probe))] = i;

  for (guint root = 0; root < self->parts->len; root++)
    {
      GArray *parts = g_ptr_array_index (self->parts, root);

      for (guint i = 0; parts != NULL && i < parts->len; i++)
        g_array_index (parts, Part, i).watched = place[g_array_index (parts, Part, i).watched];
    }
}

static void
watched_clear (gpointer data)
{
  Watched *watched = data;

  g_free (watched->computed);
  g_free (watched->force);
}

static void
parts_free (gpointer data)
{
  if (data != NULL)
    g_array_unref (data);
}

/**
 * assay_machine_observer_new:
 * @code: a program with one model
 * @probes: where its values are
 * @observer: who wants to see them
 *
 * Makes ready to watch; all three must outlive the result.
 *
 * Returns: (transfer full): the observer
 */
AssayMachineObserver *
assay_machine_observer_new (const AssayStreamCode *code, const AssayProbes *probes,
                            const AssayRunObserver *observer)
{
  AssayMachineObserver *self = g_new0 (AssayMachineObserver, 1);

  self->code = code;
  self->probes = probes;
  self->observer = observer;
  self->watched = g_array_new (FALSE, FALSE, sizeof (Watched));
  g_array_set_clear_func (self->watched, watched_clear);
  self->parts = g_ptr_array_new_with_free_func (parts_free);
  g_ptr_array_set_size (self->parts, (int) probes->vectors->len);
  self->last = g_new0 (guint32 *, probes->vectors->len);
  self->root_lanes = g_new0 (guint32, probes->vectors->len);

  for (guint i = 0; i < probes->values->len; i++)
    {
      const AssayProbe *probe = &g_array_index (probes->values, AssayProbe, i);

      if (assay_run_observer_wants (observer, probe->value))
        add_parts (self, probe);
    }
  find_last_steps (self);
  sort_watched (self);

  return self;
}

void
assay_machine_observer_free (AssayMachineObserver *self)
{
  if (self == NULL)
    return;

  for (guint i = 0; i < self->probes->vectors->len; i++)
    g_free (self->last[i]);
  g_free (self->last);
  g_free (self->root_lanes);
  g_ptr_array_unref (self->parts);
  g_array_unref (self->watched);
  g_free (self);
}

/* Row-major order of a tensor from vectors along its data dimension, or back. */
static void
rearrange (const AssayProbe *probe, float *vectors, float *tensor, gboolean to_tensor)
{
  guint axis = (guint) MAX (probe->data_dim, 0);
  gsize outer = assay_dims_product (probe->dims, 0, axis);
  gsize inner = assay_dims_product (probe->dims, (guint) (probe->data_dim + 1), probe->rank);

  for (gsize o = 0; o < outer; o++)
    for (gsize i = 0; i < inner; i++)
      for (gsize lane = 0; lane < probe->lanes; lane++)
        {
          float *in_vector = &vectors[(o * inner + i) * probe->lanes + lane];
          float *in_tensor = &tensor[(o * probe->lanes + lane) * inner + i];

          if (to_tensor)
            *in_tensor = *in_vector;
          else
            *in_vector = *in_tensor;
        }
}

/* A scalar has no data dimension: its one element is its one vector. */
static AssayTensor *
tensor_of (const Watched *watched)
{
  const AssayProbe *probe = watched->probe;
  g_autofree float *values = g_new (float, (gsize) probe->n_vectors * probe->lanes + 1);

  if (probe->data_dim < 0)
    memcpy (values, watched->computed, (gsize) probe->n_vectors * sizeof *values);
  else
    rearrange (probe, watched->computed, values, TRUE);

  return assay_tensor_new_f32 (probe->rank, probe->dims, values);
}

static gboolean
show_complete (AssayMachineObserver *self, guint32 step, GError **error)
{
  for (; self->next < self->watched->len; self->next++)
    {
      Watched *watched = &g_array_index (self->watched, Watched, self->next);
      g_autoptr (AssayTensor) tensor = NULL;

      if (watched->last_step >= step)
        break;
      if (watched->computed == NULL)
        continue;
      tensor = tensor_of (watched);
      if (!self->observer->func (watched->probe->value, self->step, tensor,
                                 self->observer->user_data, error))
        return FALSE;
      g_clear_pointer (&watched->computed, g_free);
      g_clear_pointer (&watched->force, g_free);
    }

  return TRUE;
}

static gboolean
ask_for_force (AssayMachineObserver *self, Watched *watched, GError **error)
{
  const AssayProbe *probe = watched->probe;
  g_autoptr (AssayTensor) tensor = NULL;
  g_autofree double *wide = NULL;
  g_autofree float *values = NULL;
  gsize n;

  watched->forced = TRUE;
  if (!self->observer->force (probe->value, self->step, &tensor, self->observer->user_data, error))
    return FALSE;
  if (tensor == NULL)
    return TRUE;
  n = (gsize) probe->n_vectors * probe->lanes;
  if (assay_tensor_get_n_elements (tensor) != n)
    return TRUE;

  wide = g_new (double, n + 1);
  values = g_new (float, n + 1);
  if (!assay_tensor_read_doubles (tensor, 0, n, wide, error))
    return FALSE;
  for (gsize i = 0; i < n; i++)
    values[i] = (float) wide[i];

  watched->force = g_new0 (float, n + 1);
  if (probe->data_dim < 0)
    memcpy (watched->force, values, n * sizeof *values);
  else
    rearrange (probe, watched->force, values, FALSE);
  watched->has_force = TRUE;

  return TRUE;
}

/* Puts a number in the place of one lane, on every core that the instruction wrote. */
static void
poke (AssayMachine *machine, const AssayInstruction *instruction, guint32 lane, guint32 n,
      float value)
{
  guint64 cores = assay_instruction_cores (instruction);

  assay_machine_round (machine, instruction, &value, 1);
  for (guint core = 0; cores != 0; core++, cores >>= 1)
    {
      float *d;

      if ((cores & 1) == 0)
        continue;
      d = assay_machine_locate (machine, core, &instruction->d);
      for (guint32 i = 0; i < n; i++)
        d[lane + i] = value;
    }
}

/* The first of the cores that hold the result of an instruction. */
static const float *
result_of (AssayMachine *machine, const AssayInstruction *instruction)
{
  guint core = (guint) __builtin_ctzll (assay_instruction_cores (instruction));

  return assay_machine_locate (machine, core, &instruction->d);
}

static gboolean
look (AssayMachineObserver *self, AssayMachine *machine, const AssayInstruction *instruction,
      const Written *written, const Part *part, GError **error)
{
  Watched *watched = &g_array_index (self->watched, Watched, part->watched);
  gsize offset = (gsize) part->vector * part->lanes;
  const float *result = result_of (machine, instruction);
  guint32 first = MAX (written->first_lane, part->first_lane);
  guint32 end = MIN (written->first_lane + written->lanes, part->first_lane + part->lanes);
  /* Address 0 of the destination is the first lane of this part of the vector, but for shifts
   * within it. */
  guint32 origin = written->first_lane;

  if (is_inserted (instruction))
    origin -= instruction->high.lane;
  if (first < end && watched->computed == NULL)
    watched->computed = g_new0 (float, (gsize) watched->probe->n_vectors * part->lanes + 1);
  if (first < end && self->observer->force != NULL && !watched->forced &&
      !ask_for_force (self, watched, error))
    return FALSE;

  for (guint32 lane = first; lane < end; lane++)
    {
      watched->computed[offset + lane - part->first_lane] = result[lane - origin];
      if (watched->has_force && self->last[written->root][lane] == instruction->step)
        poke (machine, instruction, lane - origin,
              extent_of (instruction) == ASSAY_EXTENT_ONE ? written->lanes : 1,
              watched->force[offset + lane - part->first_lane]);
    }

  return TRUE;
}

static gboolean
tap (AssayMachine *machine, const AssayInstruction *instruction, gpointer user_data, GError **error)
{
  AssayMachineObserver *self = user_data;
  GArray *parts;
  Written written;

  if (!show_complete (self, instruction->step, error))
    return FALSE;
  if (!find_written (self, instruction, &written))
    return TRUE;

  parts = g_ptr_array_index (self->parts, written.root);
  for (guint i = 0; parts != NULL && i < parts->len; i++)
    {
      if (!look (self, machine, instruction, &written, &g_array_index (parts, Part, i), error))
        return FALSE;
    }

  return TRUE;
}

/**
 * assay_machine_observer_begin:
 * @self: an observer
 * @machine: the machine that is about to run
 * @step: which timestep
 *
 * Watches the next inference.
 */
void
assay_machine_observer_begin (AssayMachineObserver *self, AssayMachine *machine, gint64 step)
{
  self->step = step;
  self->next = 0;
  for (guint i = 0; i < self->watched->len; i++)
    {
      Watched *watched = &g_array_index (self->watched, Watched, i);

      watched->forced = watched->has_force = FALSE;
      g_clear_pointer (&watched->computed, g_free);
      g_clear_pointer (&watched->force, g_free);
    }
  assay_machine_set_tap (machine, tap, self);
}

/**
 * assay_machine_observer_finish:
 * @self: an observer
 * @machine: the machine that has run
 * @error: return location for a #GError
 *
 * Shows what was complete with the last instruction, and looks no longer.
 *
 * Returns: whether the observer wants to go on
 */
gboolean
assay_machine_observer_finish (AssayMachineObserver *self, AssayMachine *machine, GError **error)
{
  assay_machine_set_tap (machine, NULL, NULL);

  return show_complete (self, G_MAXUINT32, error);
}
