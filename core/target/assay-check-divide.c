/* assay-check-divide.c
 * SPDX-License-Identifier: Apache-2.0
 */
#include "target/assay-check-private.h"

/* Partitions: which nodes a device runs at one go. Nodes on the way get levels that grow with each
 * change of side, so that the connected nodes of one level form a convex subgraph: no way leads out
 * of it to the host and back in. */

typedef enum
{
  SIDE_NONE, /* nothing is left of it */
  SIDE_DEVICE,
  SIDE_HOST,
} Side;

typedef struct
{
  AssayCheck *check;
  guint8 *side;
  guint32 *level;
  AssayNodeId *parent; /* union-find */
} Divider;

static AssayNodeId
find_root (Divider *self, AssayNodeId id)
{
  while (self->parent[id] != id)
    {
      self->parent[id] = self->parent[self->parent[id]];
      id = self->parent[id];
    }

  return id;
}

/* The node that really makes a value: through what was removed. */
static AssayNodeId
real_producer (Divider *self, AssayValueId id)
{
  const AssayGraph *graph = self->check->graph;

  /* Bounded, as a broken graph can have a cycle. */
  for (guint hops = 0; id != ASSAY_NO_VALUE && hops < 1000; hops++)
    {
      const AssayValue *value = assay_graph_value (graph, id);
      const AssayNode *node;

      if (value->constant != NULL || value->producer == ASSAY_NO_NODE)
        return ASSAY_NO_NODE;
      if (self->side[value->producer] != SIDE_NONE)
        return value->producer;

      node = assay_graph_node (graph, value->producer);
      id = assay_node_input (node, 0);
    }

  return ASSAY_NO_NODE;
}

static void
visit (Divider *self, AssayNodeId id)
{
  const AssayNode *node = assay_graph_node (self->check->graph, id);
  guint32 level = 0;

  for (guint i = 0; i < node->n_inputs; i++)
    {
      AssayNodeId producer = real_producer (self, node->inputs[i]);

      if (producer != ASSAY_NO_NODE)
        {
          gboolean crosses = self->side[producer] != self->side[id];

          level = MAX (level, self->level[producer] + crosses);
          self->check->result->n_transitions += crosses;
        }
    }
  self->level[id] = level;

  if (self->side[id] != SIDE_DEVICE)
    return;

  for (guint i = 0; i < node->n_inputs; i++)
    {
      AssayNodeId producer = real_producer (self, node->inputs[i]);

      if (producer != ASSAY_NO_NODE && self->side[producer] == SIDE_DEVICE &&
          self->level[producer] == level &&
          assay_graph_node (self->check->graph, producer)->region == node->region)
        self->parent[find_root (self, id)] = find_root (self, producer);
    }
}

static void
number (Divider *self)
{
  AssayVerdicts *result = self->check->result;
  g_autofree int *numbers = g_new (int, result->verdicts->len);

  for (guint i = 0; i < result->verdicts->len; i++)
    numbers[i] = -1;

  for (AssayNodeId id = 1; id < result->verdicts->len; id++)
    if (self->side[id] == SIDE_DEVICE)
      {
        AssayNodeId root = find_root (self, id);

        if (numbers[root] < 0)
          numbers[root] = (int) result->n_partitions++;
        g_array_index (result->verdicts, AssayVerdict, id).partition = numbers[root];
      }
}

/* Groups the nodes of the device and counts the edges between device and host. */
void
assay_check_divide (AssayCheck *self)
{
  guint n = self->result->verdicts->len;
  g_autofree guint8 *side = g_new0 (guint8, n);
  g_autofree guint32 *level = g_new0 (guint32, n);
  g_autofree AssayNodeId *parent = g_new (AssayNodeId, n);
  Divider divider = { self, side, level, parent };

  for (AssayNodeId id = 0; id < n; id++)
    parent[id] = id;

  for (AssayNodeId id = 1; id < n; id++)
    switch (g_array_index (self->result->verdicts, AssayVerdict, id).kind)
      {
      case ASSAY_VERDICT_SUPPORTED:
      case ASSAY_VERDICT_FUSED:
      case ASSAY_VERDICT_TRANSFORMED:
        side[id] = SIDE_DEVICE;
        break;
      case ASSAY_VERDICT_REMOVED:
        side[id] = SIDE_NONE;
        break;
      case ASSAY_VERDICT_REJECTED:
      case ASSAY_VERDICT_HOST:
      case ASSAY_VERDICT_UNDECIDED:
      case ASSAY_N_VERDICTS:
      default:
        side[id] = SIDE_HOST;
        break;
      }

  for (AssayRegionId region = 0; region < self->graph->regions->len; region++)
    {
      g_autoptr (GArray) order = assay_graph_sort_region (self->graph, region, NULL);

      for (guint i = 0; i < order->len; i++)
        {
          AssayNodeId id = g_array_index (order, AssayNodeId, i);

          if (side[id] != SIDE_NONE)
            visit (&divider, id);
        }
    }

  number (&divider);
}
