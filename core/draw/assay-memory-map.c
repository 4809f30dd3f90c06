/* assay-memory-map.c
 * SPDX-License-Identifier: Apache-2.0
 */
#include "draw/assay-memory-map.h"

#include "draw/assay-overlay.h"

static guint32
count_steps (AssayProgram *program)
{
  guint32 n = 1;

  for (guint i = 0; i < assay_program_get_facts (program)->n_rows; i++)
    n = MAX (n, assay_program_get_row (program, i).step + 1);
  for (guint i = 0; i < assay_program_get_facts (program)->tensors->len; i++)
    {
      const AssayPlanned *planned = assay_program_get_tensor (program, i);

      n = MAX (n, planned->born + 1);
      if (planned->died != G_MAXUINT32)
        n = MAX (n, planned->died + 1);
    }

  return n;
}

static int
compare_birth (gconstpointer a, gconstpointer b, gpointer data)
{
  const AssayMemoryMap *self = data;
  guint32 left = *(const guint32 *) a;
  guint32 right = *(const guint32 *) b;
  const AssayPlanned *l = assay_memory_map_get_tensor (self, left);
  const AssayPlanned *r = assay_memory_map_get_tensor (self, right);

  if (l->born != r->born)
    return l->born < r->born ? -1 : 1;
  if (l->base != r->base)
    return l->base < r->base ? -1 : 1;

  return left < right ? -1 : left > right;
}

/* Births and deaths as differences, then one sum over the steps. */
static void
sum_use (AssayMemoryMap *self, AssayMemoryUse *use)
{
  guint32 sum = 0;

  if (use->tensors->len == 0)
    return;

  use->used = g_new0 (guint32, self->n_steps + 1);
  for (guint i = 0; i < use->tensors->len; i++)
    {
      const AssayPlanned *planned = assay_memory_map_get_tensor (
          self, g_array_index (use->tensors, guint32, i));

      use->used[planned->born] += planned->blocks;
      use->used[assay_memory_map_get_last_step (self, planned) + 1] -= planned->blocks;
    }

  for (guint32 step = 0; step < self->n_steps; step++)
    {
      sum += use->used[step];
      use->used[step] = sum;
      if (sum > use->peak)
        {
          use->peak = sum;
          use->peak_step = step;
        }
    }
}

/* Cores drift, so a later step may begin earlier on another core; on an axis time must not run
 * backwards. */
static void
find_cycles (AssayMemoryMap *self)
{
  g_autofree gboolean *known = g_new0 (gboolean, self->n_steps);
  guint32 begin = 0;

  for (guint model = 0; model < assay_program_num_models (self->program); model++)
    {
      g_autoptr (GArray) events = g_array_new (FALSE, FALSE, sizeof (AssayEvent));
      AssayCycles cycles;

      assay_program_count_cycles (self->program, model, NULL, &cycles, events);
      for (guint i = 0; i < events->len; i++)
        {
          const AssayEvent *event = &g_array_index (events, AssayEvent, i);
          guint32 step = assay_program_get_row (self->program, event->instruction).step;

          if (!known[step] || begin + event->start < self->cycles[step])
            self->cycles[step] = begin + event->start;
          known[step] = TRUE;
        }
      begin += cycles.spaced;
    }

  for (guint32 step = 1; step < self->n_steps; step++)
    self->cycles[step] = MAX (self->cycles[step], self->cycles[step - 1]);
}

/**
 * assay_memory_map_new:
 * @program: a program
 *
 * Makes the map of a program.
 *
 * Returns: (transfer full): the map
 */
AssayMemoryMap *
assay_memory_map_new (AssayProgram *program)
{
  AssayMemoryMap *self = g_new0 (AssayMemoryMap, 1);

  g_atomic_ref_count_init (&self->ref_count);
  self->program = g_object_ref (program);
  self->n_cores = assay_program_get_facts (program)->config->num_cores;
  self->n_steps = count_steps (program);
  self->cycles = g_new0 (guint32, self->n_steps);
  self->weights = g_new0 (guint32, MAX (self->n_cores, 1));

  self->main_store = assay_program_get_facts (program)->main_store;
  self->n_stores = assay_program_get_facts (program)->n_stores;
  self->uses = g_new0 (AssayMemoryUse *, self->n_stores);
  for (guint i = 0; i < self->n_stores; i++)
    {
      const AssayProgramStore *store = assay_program_get_store (program, i);

      if (!store->timed)
        continue;
      self->uses[i] = g_new0 (AssayMemoryUse, MAX (self->n_cores, 1));
      for (guint core = 0; core < self->n_cores; core++)
        {
          self->uses[i][core].depth = store->depth;
          self->uses[i][core].tensors = g_array_new (FALSE, FALSE, sizeof (guint32));
        }
    }

  for (guint32 i = 0; i < assay_program_get_facts (program)->tensors->len; i++)
    {
      const AssayPlanned *planned = assay_memory_map_get_tensor (self, i);

      if (assay_memory_map_has_steps (self, planned->store) && planned->core < self->n_cores &&
          planned->blocks > 0)
        g_array_append_val (self->uses[planned->store][planned->core].tensors, i);
    }

  for (guint i = 0; i < self->n_stores; i++)
    for (guint core = 0; self->uses[i] != NULL && core < self->n_cores; core++)
      {
        AssayMemoryUse *use = &self->uses[i][core];

        g_array_sort_with_data (use->tensors, compare_birth, self);
        sum_use (self, use);
        if (i == self->main_store && use->peak > self->uses[i][self->peak_core].peak)
          self->peak_core = core;
      }

  for (guint i = 0; i < assay_program_get_facts (program)->residents->len; i++)
    {
      const AssayResident *resident = assay_program_get_resident (program, i);

      if (resident->core < self->n_cores)
        self->weights[resident->core] += resident->blocks;
    }
  find_cycles (self);

  return self;
}

/**
 * assay_memory_map_ref:
 * @self: a map
 *
 * Takes a reference.
 *
 * Returns: (transfer full): the map
 */
AssayMemoryMap *
assay_memory_map_ref (AssayMemoryMap *self)
{
  g_atomic_ref_count_inc (&self->ref_count);
  return self;
}

/**
 * assay_memory_map_unref:
 * @self: a map
 *
 * Releases a reference.
 */
void
assay_memory_map_unref (AssayMemoryMap *self)
{
  if (!g_atomic_ref_count_dec (&self->ref_count))
    return;

  for (guint i = 0; i < self->n_stores; i++)
    {
      for (guint core = 0; self->uses[i] != NULL && core < self->n_cores; core++)
        {
          g_array_unref (self->uses[i][core].tensors);
          g_free (self->uses[i][core].used);
        }
      g_free (self->uses[i]);
    }
  g_free (self->uses);
  g_free (self->cycles);
  g_free (self->weights);
  g_clear_object (&self->program);
  g_free (self);
}

/**
 * assay_memory_map_get_use:
 * @self: a map
 * @core: a core
 * @store: a store with steps
 *
 * Gets the use of one store.
 *
 * Returns: (transfer none): its use
 */
const AssayMemoryUse *
assay_memory_map_get_use (const AssayMemoryMap *self, guint core, guint store)
{
  g_return_val_if_fail (core < self->n_cores, NULL);
  g_return_val_if_fail (assay_memory_map_has_steps (self, store), NULL);

  return &self->uses[store][core];
}

/**
 * assay_memory_map_get_tensor:
 * @self: a map
 * @tensor: row of the plan
 *
 * Gets a tensor at its address.
 *
 * Returns: (transfer none): the row
 */
const AssayPlanned *
assay_memory_map_get_tensor (const AssayMemoryMap *self, guint32 tensor)
{
  return assay_program_get_tensor (self->program, tensor);
}

/**
 * assay_memory_map_get_last_step:
 * @self: a map
 * @tensor: a row of the plan
 *
 * Gets the last step at which a tensor is there; for state that is the end of the program.
 *
 * Returns: the step
 */
guint32
assay_memory_map_get_last_step (const AssayMemoryMap *self, const AssayPlanned *tensor)
{
  return MIN (tensor->died, self->n_steps - 1);
}

/**
 * assay_memory_map_find_copies:
 * @self: a map
 * @tensor: row of the plan
 * @owners: (out) (optional): the cores that make it, a bit each
 *
 * Finds the cores that hold a copy of a tensor. What lives on several cores has one address and one
 * life on all of them.
 *
 * Returns: a bit for each core with a copy
 */
guint64
assay_memory_map_find_copies (const AssayMemoryMap *self, guint32 tensor, guint64 *owners)
{
  const AssayPlanned *wanted = assay_memory_map_get_tensor (self, tensor);
  guint64 copies = 0, makers = 0;

  for (guint core = 0; core < self->n_cores; core++)
    {
      const AssayMemoryUse *use = assay_memory_map_get_use (self, core, wanted->store);

      for (guint i = 0; i < use->tensors->len; i++)
        {
          const AssayPlanned *other = assay_memory_map_get_tensor (
              self, g_array_index (use->tensors, guint32, i));

          if (other->born > wanted->born)
            break;
          if (other->born != wanted->born || other->base != wanted->base ||
              other->node != wanted->node || !g_str_equal (other->name, wanted->name))
            continue;
          if (other->kind == ASSAY_TENSOR_COPY)
            copies |= (guint64) 1 << core;
          else
            makers |= (guint64) 1 << core;
        }
    }

  if (owners != NULL)
    *owners = makers;
  return copies;
}

/**
 * assay_memory_map_has_steps:
 * @self: a map
 * @store: a store, or anything else
 *
 * Tells whether the contents of a store come and go over the steps.
 *
 * Returns: whether there is a use of it
 */
gboolean
assay_memory_map_has_steps (const AssayMemoryMap *self, guint store)
{
  return store < self->n_stores && self->uses[store] != NULL;
}

/**
 * assay_memory_map_get_resident_depth:
 * @self: a map
 *
 * Gets the depth of the store without steps, in which weights lie.
 *
 * Returns: blocks of a core
 */
guint
assay_memory_map_get_resident_depth (const AssayMemoryMap *self)
{
  for (guint i = 0; i < self->n_stores; i++)
    if (self->uses[i] == NULL)
      return assay_program_get_store (self->program, i)->depth;

  return 0;
}

/**
 * assay_memory_map_list_live:
 * @self: a map
 * @core: a core
 * @store: a store with steps
 * @step: a step
 *
 * Lists what lies in a store at a step.
 *
 * Returns: (transfer full) (element-type guint32): rows of the plan, in the order of birth
 */
GArray *
assay_memory_map_list_live (const AssayMemoryMap *self, guint core, guint store, guint32 step)
{
  const AssayMemoryUse *use = assay_memory_map_get_use (self, core, store);
  GArray *live = g_array_new (FALSE, FALSE, sizeof (guint32));

  for (guint i = 0; i < use->tensors->len; i++)
    {
      guint32 tensor = g_array_index (use->tensors, guint32, i);
      const AssayPlanned *planned = assay_memory_map_get_tensor (self, tensor);

      if (planned->born > step)
        break;
      if (planned->died >= step)
        g_array_append_val (live, tensor);
    }

  return live;
}

static guint
hash_tensor (gconstpointer data)
{
  const AssayPlanned *planned = data;

  return g_str_hash (planned->name) ^ planned->node << 8 ^ planned->kind;
}

/* A kept window and the result of its node have the same name, and are two things. */
static gboolean
equal_tensor (gconstpointer a, gconstpointer b)
{
  const AssayPlanned *left = a;
  const AssayPlanned *right = b;

  return left->node == right->node && left->kind == right->kind &&
         g_str_equal (left->name, right->name);
}

/**
 * assay_memory_map_is_one_tensor:
 * @self: a map
 * @a: row of the plan
 * @b: row of the plan
 *
 * Tells whether two rows are vectors of one tensor.
 *
 * Returns: whether they are
 */
gboolean
assay_memory_map_is_one_tensor (const AssayMemoryMap *self, guint32 a, guint32 b)
{
  return equal_tensor (assay_memory_map_get_tensor (self, a),
                       assay_memory_map_get_tensor (self, b));
}

void
assay_memory_group_free (AssayMemoryGroup *self)
{
  g_array_unref (self->tensors);
  g_free (self);
}

/**
 * assay_memory_map_group:
 * @self: a map
 * @tensors: (element-type guint32): rows of the plan
 *
 * Sums up rows by tensor.
 *
 * Returns: (transfer full) (element-type AssayMemoryGroup): the tensors, in the order of their
 * first row
 */
GPtrArray *
assay_memory_map_group (const AssayMemoryMap *self, GArray *tensors)
{
  GPtrArray *groups = g_ptr_array_new_with_free_func ((GDestroyNotify) assay_memory_group_free);
  g_autoptr (GHashTable) by_tensor = g_hash_table_new (hash_tensor, equal_tensor);

  for (guint i = 0; i < tensors->len; i++)
    {
      guint32 tensor = g_array_index (tensors, guint32, i);
      const AssayPlanned *planned = assay_memory_map_get_tensor (self, tensor);
      AssayMemoryGroup *group = g_hash_table_lookup (by_tensor, planned);

      if (group == NULL)
        {
          group = g_new0 (AssayMemoryGroup, 1);
          group->tensors = g_array_new (FALSE, FALSE, sizeof (guint32));
          group->last = planned;
          group->base = planned->base;
          group->born = planned->born;
          g_hash_table_insert (by_tensor, (gpointer) planned, group);
          g_ptr_array_add (groups, group);
        }
      g_array_append_val (group->tensors, tensor);
      if (planned->died > group->last->died)
        group->last = planned;
      group->base = MIN (group->base, planned->base);
      group->born = MIN (group->born, planned->born);
      group->blocks += planned->blocks;
      group->cost += (guint64) planned->blocks *
                     (assay_memory_map_get_last_step (self, planned) - planned->born + 1);
    }

  return groups;
}

/**
 * assay_memory_map_compose:
 * @self: a map
 * @core: a core
 * @store: a store with steps
 * @step: a step
 * @blocks: (out): blocks by kind
 *
 * Adds up by kind what lies in a store at a step.
 *
 * Returns: the sum
 */
guint32
assay_memory_map_compose (const AssayMemoryMap *self, guint core, guint store, guint32 step,
                          guint32 blocks[ASSAY_N_TENSOR_KINDS])
{
  g_autoptr (GArray) live = assay_memory_map_list_live (self, core, store, step);
  guint32 sum = 0;

  for (guint kind = 0; kind < ASSAY_N_TENSOR_KINDS; kind++)
    blocks[kind] = 0;
  for (guint i = 0; i < live->len; i++)
    {
      const AssayPlanned *planned = assay_memory_map_get_tensor (self,
                                                                 g_array_index (live, guint32, i));

      blocks[planned->kind] += planned->blocks;
      sum += planned->blocks;
    }

  return sum;
}

/**
 * assay_memory_map_find_peak:
 * @self: a map
 * @core: a core
 * @store: a store with steps
 * @step: where to start
 * @direction: 1 to look later, -1 to look earlier
 *
 * Finds the next step at which more is in use than right before and not less than right after.
 *
 * Returns: the step, or @step if there is none
 */
guint32
assay_memory_map_find_peak (const AssayMemoryMap *self, guint core, guint store, guint32 step,
                            int direction)
{
  const AssayMemoryUse *use = assay_memory_map_get_use (self, core, store);

  for (gint64 at = (gint64) step + direction; use->used != NULL && at >= 0 && at < self->n_steps;
       at += direction)
    {
      guint32 before = at > 0 ? use->used[at - 1] : 0;
      guint32 after = at + 1 < self->n_steps ? use->used[at + 1] : 0;

      if (use->used[at] > before && use->used[at] >= after)
        return (guint32) at;
    }

  return step;
}

/**
 * assay_memory_map_dup_fill:
 * @self: a map
 * @core: a core
 * @verdicts: the checked graph that the program was made from
 *
 * Tells how full the main store of a core is while each node runs, be it on that core or another
 * one.
 *
 * Returns: (transfer full) (array): per node of the graph the largest share of the depth in parts
 * of 254 plus one, 0 if the program does nothing for the node
 */
guint8 *
assay_memory_map_dup_fill (const AssayMemoryMap *self, guint core, const AssayVerdicts *verdicts)
{
  const AssayMemoryUse *use = assay_memory_map_get_use (self, core, self->main_store);
  g_autofree guint32 *nodes = assay_overlay_find_nodes (verdicts, self->program);
  guint8 *fill = g_new0 (guint8, assay_graph_n_nodes (verdicts->graph) + 1);

  for (guint i = 0; i < assay_program_get_facts (self->program)->n_rows; i++)
    {
      const AssayProgramRow instruction = assay_program_get_row (self->program, i);
      guint32 node = instruction.node < assay_program_get_facts (self->program)->node_names->len
                         ? nodes[instruction.node]
                         : 0;
      guint64 used = use->used != NULL && instruction.step < self->n_steps
                         ? use->used[instruction.step]
                         : 0;

      guint8 share = (guint8) (1 + MIN (used * 254 / MAX (use->depth, 1), 254));

      if (node != 0 && share > fill[node])
        fill[node] = share;
    }

  return fill;
}
