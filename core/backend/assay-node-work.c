/* assay-node-work.c
 * SPDX-License-Identifier: Apache-2.0
 */
#include "backend/assay-node-work.h"

static void
count_event (AssayNodeWork *self, const AssayEvent *event, guint64 *on_core, guint n_cores)
{
  guint32 node = assay_program_get_row (self->program, event->instruction).node;
  AssayNodeEffort *effort;
  guint64 *share;

  if (node >= self->n_nodes)
    return;

  effort = &self->nodes[node];
  share = &on_core[(gsize) node * n_cores];
  effort->start = effort->cores == 0 ? event->start : MIN (effort->start, event->start);
  effort->end = MAX (effort->end, event->end);
  effort->cycles += event->end - event->start;
  effort->by_unit[event->unit] += event->end - event->start;
  if (effort->cores == 0)
    effort->most_core = event->core;
  effort->cores |= G_GUINT64_CONSTANT (1) << event->core;
  share[event->core] += event->end - event->start;
  if (share[event->core] > share[effort->most_core])
    effort->most_core = event->core;
}

/**
 * assay_node_work_new:
 * @program: a program
 *
 * Adds up what each node costs. Walks the program once with the timing model, so it belongs into a
 * worker.
 *
 * Returns: (transfer full): the sums
 */
AssayNodeWork *
assay_node_work_new (AssayProgram *program)
{
  AssayNodeWork *self = g_new0 (AssayNodeWork, 1);
  g_autoptr (GArray) events = g_array_new (FALSE, FALSE, sizeof (AssayEvent));
  g_autofree guint64 *on_core = NULL;
  guint n_cores = 1;
  AssayCycles cycles;

  g_atomic_ref_count_init (&self->ref_count);
  self->program = g_object_ref (program);
  self->n_nodes = assay_program_get_facts (program)->node_names->len;
  self->nodes = g_new0 (AssayNodeEffort, self->n_nodes + 1);

  for (guint i = 0; i < assay_program_get_facts (program)->n_rows; i++)
    {
      guint32 node = assay_program_get_row (program, i).node;

      if (node < self->n_nodes)
        self->nodes[node].n_instructions++;
    }

  /* A step says nothing about what a node costs. */
  if (assay_program_counts_cycles (program))
    assay_program_count_cycles (program, 0, NULL, &cycles, events);
  for (guint i = 0; i < events->len; i++)
    n_cores = MAX (n_cores, g_array_index (events, AssayEvent, i).core + 1u);
  on_core = g_new0 (guint64, (gsize) (self->n_nodes + 1) * n_cores);
  for (guint i = 0; i < events->len; i++)
    count_event (self, &g_array_index (events, AssayEvent, i), on_core, n_cores);

  return self;
}

AssayNodeWork *
assay_node_work_ref (AssayNodeWork *self)
{
  g_atomic_ref_count_inc (&self->ref_count);
  return self;
}

void
assay_node_work_unref (AssayNodeWork *self)
{
  if (self == NULL || !g_atomic_ref_count_dec (&self->ref_count))
    return;

  g_object_unref (self->program);
  g_free (self->nodes);
  g_free (self);
}

/**
 * assay_node_work_find:
 * @self: sums of a program
 * @name: name of a node
 *
 * Finds the sums of a node by its name.
 *
 * Returns: (transfer none) (nullable): the sums, %NULL if the program does nothing for such a node
 */
const AssayNodeEffort *
assay_node_work_find (const AssayNodeWork *self, const char *name)
{
  for (guint i = 0; i < self->n_nodes; i++)
    if (self->nodes[i].n_instructions > 0 &&
        g_strcmp0 (assay_program_get_node_name (self->program, i), name) == 0)
      return &self->nodes[i];

  return NULL;
}
