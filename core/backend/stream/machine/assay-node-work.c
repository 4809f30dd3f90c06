/* assay-node-work.c
 * SPDX-License-Identifier: Apache-2.0
 */
#include "backend/stream/machine/assay-node-work.h"

#include "backend/stream/machine/assay-timing.h"

static void
count_event (AssayNodeWork *self, const AssayEvent *event, guint64 *on_core, guint n_cores)
{
  const AssayInstruction *instruction = &g_array_index (self->code->instructions, AssayInstruction,
                                                        event->instruction);
  AssayNodeEffort *effort;
  guint64 *share;

  if (instruction->node >= self->n_nodes)
    return;

  effort = &self->nodes[instruction->node];
  share = &on_core[(gsize) instruction->node * n_cores];
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
 * @code: a program
 *
 * Adds up what each node costs. Walks the program once with the timing model, so it belongs into a
 * worker.
 *
 * Returns: (transfer full): the sums
 */
AssayNodeWork *
assay_node_work_new (AssayStreamCode *code)
{
  AssayNodeWork *self = g_new0 (AssayNodeWork, 1);
  g_autoptr (GArray) events = g_array_new (FALSE, FALSE, sizeof (AssayEvent));
  g_autofree guint64 *on_core = NULL;
  guint n_cores = 1;
  AssayCycles cycles;

  g_atomic_ref_count_init (&self->ref_count);
  self->code = assay_stream_code_ref (code);
  self->n_nodes = code->node_names->len;
  self->nodes = g_new0 (AssayNodeEffort, self->n_nodes + 1);

  for (guint i = 0; i < code->instructions->len; i++)
    {
      guint32 node = g_array_index (code->instructions, AssayInstruction, i).node;

      if (node < self->n_nodes)
        self->nodes[node].n_instructions++;
    }

  assay_timing_run (code, 0, &cycles, events);
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

  assay_stream_code_unref (self->code);
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
        g_strcmp0 (g_ptr_array_index (self->code->node_names, i), name) == 0)
      return &self->nodes[i];

  return NULL;
}
