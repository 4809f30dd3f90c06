/* assay-allocation.c
 * SPDX-License-Identifier: Apache-2.0
 */
#include "backend/assay-allocation.h"

#include "base/assay-error.h"

static void
live_clear (gpointer data)
{
  AssayLiveTensor *live = data;

  g_free (live->name);
  g_free (live->node);
  g_free (live->reader);
}

static void
way_out_clear (gpointer data)
{
  AssayWayOut *way = data;

  g_free (way->name);
  g_free (way->action);
  g_free (way->option);
}

/**
 * assay_allocation_new:
 * @store: (transfer none): name of the store, which is not copied
 * @core: the core
 * @depth: blocks of the store
 *
 * Starts the report of what does not fit.
 *
 * Returns: (transfer full): the report
 */
AssayAllocation *
assay_allocation_new (const char *store, guint core, guint32 depth)
{
  AssayAllocation *self = g_new0 (AssayAllocation, 1);

  self->store = store;
  self->core = core;
  self->depth = depth;
  self->live = g_array_new (FALSE, TRUE, sizeof (AssayLiveTensor));
  self->past = g_array_new (FALSE, TRUE, sizeof (AssayLiveTensor));
  self->needs = g_array_new (FALSE, TRUE, sizeof (AssayStoreNeed));
  self->ways_out = g_array_new (FALSE, TRUE, sizeof (AssayWayOut));
  g_array_set_clear_func (self->live, live_clear);
  g_array_set_clear_func (self->past, live_clear);
  g_array_set_clear_func (self->ways_out, way_out_clear);

  return self;
}

void
assay_allocation_free (AssayAllocation *self)
{
  if (self == NULL)
    return;

  g_free (self->tensor);
  g_free (self->node);
  g_array_unref (self->live);
  g_array_unref (self->past);
  g_array_unref (self->needs);
  g_array_unref (self->ways_out);
  g_free (self);
}

static AssayLiveTensor
live_copy (const AssayLiveTensor *live)
{
  AssayLiveTensor copy = *live;

  copy.name = g_strdup (live->name);
  copy.node = g_strdup (live->node);
  copy.reader = g_strdup (live->reader);
  return copy;
}

/**
 * assay_allocation_add_live:
 * @self: a report
 * @live: what lies there; its names are copied
 *
 * Adds a tensor behind those that are larger.
 */
void
assay_allocation_add_live (AssayAllocation *self, const AssayLiveTensor *live)
{
  AssayLiveTensor copy = live_copy (live);
  guint at = 0;

  while (at < self->live->len &&
         g_array_index (self->live, AssayLiveTensor, at).blocks >= live->blocks)
    at++;
  g_array_insert_val (self->live, at, copy);
}

/**
 * assay_allocation_add_past:
 * @self: a report
 * @past: what lay there; its names are copied
 *
 * Adds a tensor that is gone by the step at which the room ended.
 */
void
assay_allocation_add_past (AssayAllocation *self, const AssayLiveTensor *past)
{
  AssayLiveTensor copy = live_copy (past);

  g_array_append_val (self->past, copy);
}

/**
 * assay_allocation_add_way_out:
 * @self: a report
 * @kind: what is changed
 * @value: the axis or the depth
 * @name: (nullable): the target or the member of the configuration
 * @action: (transfer full): what to do
 * @option: (transfer full) (nullable): the option that does it
 * @blocks_freed: how many blocks it frees
 *
 * Adds a way out behind those that free more.
 *
 * Returns: (transfer none): the way, until another one is added
 */
const AssayWayOut *
assay_allocation_add_way_out (AssayAllocation *self, AssayWayKind kind, guint32 value,
                              const char *name, char *action, char *option, guint32 blocks_freed)
{
  AssayWayOut way = { kind, value, g_strdup (name), action, option, blocks_freed };
  guint at = 0;

  while (at < self->ways_out->len &&
         g_array_index (self->ways_out, AssayWayOut, at).blocks_freed >= blocks_freed)
    at++;
  g_array_insert_val (self->ways_out, at, way);

  return &g_array_index (self->ways_out, AssayWayOut, at);
}

/**
 * assay_allocation_describe_way:
 * @self: a report
 * @way: one of its ways out
 *
 * Says how much room a way makes.
 *
 * Returns: (transfer full): such as `frees 2048 blocks`
 */
char *
assay_allocation_describe_way (const AssayAllocation *self, const AssayWayOut *way)
{
  return g_strdup_printf ("%s %u %s", way->kind == ASSAY_WAY_DEPTH ? "adds" : "frees",
                          way->blocks_freed, assay_allocation_get_unit (self, way->blocks_freed));
}

static int
compare_groups (gconstpointer a, gconstpointer b)
{
  const AssayLiveGroup *left = a;
  const AssayLiveGroup *right = b;

  return left->blocks != right->blocks ? (left->blocks < right->blocks ? 1 : -1)
                                       : g_strcmp0 (left->first->name, right->first->name);
}

/**
 * assay_allocation_group_live:
 * @self: a report
 *
 * Sums up what lies in the store, all vectors of one tensor as one.
 *
 * Returns: (transfer full) (element-type AssayLiveGroup): the groups, most blocks first, good as
 * long as the report
 */
GArray *
assay_allocation_group_live (const AssayAllocation *self)
{
  GArray *groups = g_array_new (FALSE, FALSE, sizeof (AssayLiveGroup));

  for (guint i = 0; i < self->live->len; i++)
    {
      const AssayLiveTensor *live = &g_array_index (self->live, AssayLiveTensor, i);
      AssayLiveGroup fresh = { live, live, 0, 0, live->born, live->died };
      AssayLiveGroup *group = NULL;

      for (guint j = 0; j < groups->len && group == NULL; j++)
        {
          AssayLiveGroup *other = &g_array_index (groups, AssayLiveGroup, j);

          if (g_str_equal (other->first->name, live->name) &&
              g_str_equal (other->first->node, live->node))
            group = other;
        }
      if (group == NULL)
        {
          g_array_append_val (groups, fresh);
          group = &g_array_index (groups, AssayLiveGroup, groups->len - 1);
        }
      group->n++;
      group->blocks += live->blocks;
      group->born = MIN (group->born, live->born);
      group->died = MAX (group->died, live->died);
      if (live->died > group->last->died)
        group->last = live;
    }
  g_array_sort (groups, compare_groups);

  return groups;
}

/**
 * assay_allocation_shortage:
 * @self: a report
 *
 * Counts the blocks that are missing: in one run for a tensor, in all for weights.
 *
 * Returns: the number
 */
guint32
assay_allocation_shortage (const AssayAllocation *self)
{
  guint32 room = self->tensor != NULL ? self->largest_hole : self->available;

  return self->needed > room ? self->needed - room : 0;
}

/**
 * assay_allocation_get_unit:
 * @self: a report
 * @n: how many
 *
 * Names what its store has room for.
 *
 * Returns: (transfer none): `block` or `entry`, in the plural where there are several
 */
const char *
assay_allocation_get_unit (const AssayAllocation *self, guint64 n)
{
  if (g_str_equal (self->store, "clamp store") || g_str_equal (self->store, "tensor descriptors"))
    return n == 1 ? "entry" : "entries";

  return n == 1 ? "block" : "blocks";
}

/**
 * assay_allocation_set_error:
 * @self: a report
 * @error: return location for a #GError
 *
 * Says in one sentence what does not fit, as %ASSAY_ERROR_ALLOCATION.
 */
void
assay_allocation_set_error (const AssayAllocation *self, GError **error)
{
  if (self->tensor != NULL)
    g_set_error (error, ASSAY_ERROR, ASSAY_ERROR_ALLOCATION,
                 "%s of core %u is too small: %s needs %u block%s at step %u, %u of %u are free, "
                 "the largest hole has "
                 "%u",
                 self->store, self->core, self->tensor, self->needed, self->needed == 1 ? "" : "s",
                 self->step, self->available, self->depth, self->largest_hole);
  else if (self->node != NULL)
    g_set_error (error, ASSAY_ERROR, ASSAY_ERROR_ALLOCATION,
                 "%s is too small: one of %s on core %u reads %u block%s, max_read_size is %u",
                 self->store, self->node, self->core, self->needed, self->needed == 1 ? "" : "s",
                 self->depth);
  else
    g_set_error (error, ASSAY_ERROR, ASSAY_ERROR_ALLOCATION,
                 "%s of core %u %s: the program needs %u %s there, it has %u", self->store,
                 self->core, g_str_has_suffix (self->store, "s") ? "are too few" : "is too small",
                 self->needed, assay_allocation_get_unit (self, self->needed), self->depth);
}
