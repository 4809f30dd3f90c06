/* assay-infer-steps.c
 * SPDX-License-Identifier: Apache-2.0
 */
#include <string.h>

#include "nnir/assay-graph-builder.h"
#include "nnir/shape/assay-infer-private.h"
#include "nnir/shape/assay-infer.h"

struct _AssayInferSteps
{
  AssayInfer infer;
  guint32 n_values; /* how many there is room for */
  guint32 n_nodes;
  guint32 n_regions;
};

/**
 * assay_infer_steps_new:
 * @graph: a graph that is being built
 *
 * Begins an inference node by node.
 *
 * Returns: (transfer full): the inference
 */
AssayInferSteps *
assay_infer_steps_new (AssayGraph *graph)
{
  AssayInferSteps *self = g_new0 (AssayInferSteps, 1);

  self->infer.graph = graph;
  self->infer.scratch = assay_arena_new ();
  self->infer.budget = 256 * 1024;

  return self;
}

static gpointer
grow (AssayArena *arena, gpointer old, gsize n_old, gsize n, gsize size)
{
  gpointer more = assay_arena_alloc_n (arena, n, size);

  if (n_old > 0)
    memcpy (more, old, n_old * size);

  return more;
}

/* Twice as much each time, so that what is copied stays in proportion to what there is. */
static void
make_room (AssayInferSteps *self)
{
  AssayInfer *infer = &self->infer;
  AssayArena *arena = infer->scratch;
  guint32 n_values = assay_graph_n_values (infer->graph);
  guint32 n_nodes = assay_graph_n_nodes (infer->graph);

  if (n_values > self->n_values)
    {
      guint32 n = n_values * 2;

      infer->stated = grow (arena, infer->stated, self->n_values, n, sizeof *infer->stated);
      infer->elements = grow (arena, infer->elements, self->n_values, n, sizeof *infer->elements);
      infer->sequences = grow (arena, infer->sequences, self->n_values, n,
                               sizeof *infer->sequences);
      self->n_values = n;
    }
  if (n_nodes > self->n_nodes)
    {
      guint32 n = n_nodes * 2;

      infer->violations = grow (arena, infer->violations, self->n_nodes, n,
                                sizeof *infer->violations);
      infer->done = grow (arena, infer->done, self->n_nodes, n, sizeof *infer->done);
      self->n_nodes = n;
    }
  if (infer->graph->regions->len > self->n_regions)
    {
      infer->swept = grow (arena, infer->swept, self->n_regions, infer->graph->regions->len,
                           sizeof *infer->swept);
      self->n_regions = infer->graph->regions->len;
    }
}

/**
 * assay_infer_steps_add:
 * @self: an inference
 * @node: a node that was added, all of whose inputs are known
 *
 * Infers the types of the outputs of a node. What is wrong with it is said when the whole graph is
 * inferred.
 */
void
assay_infer_steps_add (AssayInferSteps *self, AssayNodeId node)
{
  const AssayNode *added = assay_graph_node (self->infer.graph, node);

  make_room (self);
  for (guint i = 0; i < added->n_outputs; i++)
    self->infer.stated[added->outputs[i]] =
        assay_graph_value (self->infer.graph, added->outputs[i])->type;
  assay_infer_visit (&self->infer, node);
  self->infer.done[node] = 2;
}

/**
 * assay_infer_steps_free:
 * @self: (nullable): an inference
 *
 * Ends an inference.
 */
void
assay_infer_steps_free (AssayInferSteps *self)
{
  if (self == NULL)
    return;

  assay_arena_free (self->infer.scratch);
  g_free (self);
}
