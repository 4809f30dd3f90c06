/* assay-import-order.c
 * SPDX-License-Identifier: Apache-2.0
 */
#include "source/onnx/assay-import-private.h"

/* A file may list its nodes in any order, and may even hold cycles. A node depends on the producers
 * of what it reads and of what the graphs inside of it read from around it. */

#define MAX_NAMES 8
#define MAX_CYCLES 20

typedef struct
{
  AssayNodeId node;
  AssayNodeId needs;
} Edge;

typedef struct
{
  AssayGraph *graph;
  guint32 *position; /* of a node in its region */
  guint8 *unsorted;  /* per region */
  GArray *edges;     /* Edge, of unsorted regions; NULL while only looking for them */
} Sorter;

/* @reader is in @region, and so is whatever it reads there; otherwise the node around it depends.
 */
static void
depend (Sorter *self, AssayNodeId reader, AssayValueId value)
{
  AssayGraph *graph = self->graph;
  AssayNodeId producer = value == ASSAY_NO_VALUE ? ASSAY_NO_NODE
                                                 : assay_graph_value (graph, value)->producer;
  AssayRegionId region;

  if (producer == ASSAY_NO_NODE)
    return;

  region = assay_graph_node (graph, producer)->region;
  while (assay_graph_node (graph, reader)->region != region)
    {
      reader = assay_graph_region (graph, assay_graph_node (graph, reader)->region)->parent;
      if (reader == ASSAY_NO_NODE)
        return;
    }

  if (self->edges == NULL)
    {
      if (self->position[producer] >= self->position[reader])
        self->unsorted[region] = TRUE;
    }
  else if (self->unsorted[region])
    {
      Edge edge = { reader, producer };

      g_array_append_val (self->edges, edge);
    }
}

static void
walk_dependencies (Sorter *self)
{
  AssayGraph *graph = self->graph;

  for (AssayNodeId i = 1; i < assay_graph_n_nodes (graph); i++)
    {
      const AssayNode *node = assay_graph_node (graph, i);

      for (guint j = 0; j < node->n_inputs; j++)
        depend (self, i, node->inputs[j]);
    }

  for (AssayRegionId i = 1; i < graph->regions->len; i++)
    {
      const AssayRegion *region = assay_graph_region (graph, i);

      for (guint j = 0; j < region->outputs->len; j++)
        {
          AssayValueId value = g_array_index (region->outputs, AssayValueId, j);

          /* A graph that hands on a result of its own is no dependency of the node around it. */
          if (value != ASSAY_NO_VALUE && assay_graph_value (graph, value)->region != i)
            depend (self, region->parent, value);
        }
    }
}

static int
compare_edges (gconstpointer a, gconstpointer b)
{
  const Edge *left = a;
  const Edge *right = b;

  return left->node != right->node ? (left->node < right->node ? -1 : 1)
                                   : (left->needs > right->needs) - (left->needs < right->needs);
}

typedef struct
{
  AssayNodeId node;
  guint next;
} Visit;

static void
report_cycle (Importer *importer, const GArray *stack, AssayNodeId start, AssayRegionId region)
{
  AssayGraph *graph = importer->graph;
  GString *names = g_string_new (NULL);
  g_autofree char *text = NULL;
  guint first = stack->len;
  guint n = 0;

  while (first > 0 && g_array_index (stack, Visit, first - 1).node != start)
    first--;

  for (guint i = stack->len; i + 1 > first && i > 0 && n < MAX_NAMES; i--, n++)
    g_string_append_printf (
        names, "\"%s\" -> ",
        assay_graph_node (graph, g_array_index (stack, Visit, i - 1).node)->name);
  if (stack->len + 1 - first > n)
    g_string_append (names, "... -> ");
  g_string_append_printf (
      names, "\"%s\"",
      assay_graph_node (graph, g_array_index (stack, Visit, stack->len - 1).node)->name);
  text = g_string_free (names, FALSE);

  assay_findings_add (importer->findings, ASSAY_SEVERITY_ERROR, "import.cycle",
                      assay_import_region_path (importer, region),
                      assay_graph_node (graph, start)->name, NULL, -1,
                      "nodes depend on each other in a circle: %s", text);
}

/* Depth first in the order of the file, so that what is in order stays where it is. */
static void
sort_region (Importer *importer, Sorter *self, AssayRegionId id, const guint32 *first_edge,
             guint8 *state)
{
  enum
  {
    UNSEEN,
    OPEN,
    DONE
  };
  const AssayRegion *region = assay_graph_region (self->graph, id);
  g_autoptr (GArray)
      order = g_array_sized_new (FALSE, FALSE, sizeof (AssayNodeId), region->nodes->len);
  g_autoptr (GArray) stack = g_array_new (FALSE, FALSE, sizeof (Visit));
  guint n_cycles = 0;

  for (guint i = 0; i < region->nodes->len; i++)
    {
      Visit root = { g_array_index (region->nodes, AssayNodeId, i), 0 };

      if (state[root.node] != UNSEEN)
        continue;

      state[root.node] = OPEN;
      g_array_append_val (stack, root);
      while (stack->len > 0)
        {
          Visit *top = &g_array_index (stack, Visit, stack->len - 1);
          guint32 edge = first_edge[top->node] + top->next;
          Visit next = { 0 };

          if (edge >= first_edge[top->node + 1])
            {
              state[top->node] = DONE;
              g_array_append_val (order, top->node);
              g_array_set_size (stack, stack->len - 1);
              continue;
            }

          top->next++;
          next.node = g_array_index (self->edges, Edge, edge).needs;
          if (state[next.node] == OPEN && n_cycles++ < MAX_CYCLES)
            report_cycle (importer, stack, next.node, id);
          if (state[next.node] != UNSEEN)
            continue;
          state[next.node] = OPEN;
          g_array_append_val (stack, next);
        }
    }

  g_array_set_size (region->nodes, 0);
  g_array_append_vals (region->nodes, order->data, order->len);

  if (n_cycles == 0)
    assay_findings_add (importer->findings, ASSAY_SEVERITY_NOTE, "import.order",
                        assay_import_region_path (importer, id), NULL, NULL, -1,
                        "nodes stand before what they read; they have been put in order");
}

/**
 * assay_import_sort:
 * @importer: an importer whose graph has all its nodes
 *
 * Puts the nodes of each region in topological order where the file did not; a cycle is a finding,
 * and its nodes stay.
 */
void
assay_import_sort (Importer *importer)
{
  AssayGraph *graph = importer->graph;
  guint n_nodes = assay_graph_n_nodes (graph);
  g_autofree guint32 *position = g_new0 (guint32, n_nodes);
  g_autofree guint8 *unsorted = g_new0 (guint8, graph->regions->len);
  g_autofree guint32 *first_edge = NULL;
  g_autofree guint8 *state = NULL;
  Sorter self = { graph, position, unsorted, NULL };
  gboolean sorted = TRUE;
  guint edge = 0;

  for (AssayRegionId i = 0; i < graph->regions->len; i++)
    {
      const AssayRegion *region = assay_graph_region (graph, i);

      for (guint j = 0; j < region->nodes->len; j++)
        position[g_array_index (region->nodes, AssayNodeId, j)] = j;
    }

  walk_dependencies (&self);
  for (AssayRegionId i = 0; i < graph->regions->len; i++)
    sorted = sorted && !unsorted[i];
  if (sorted)
    return;

  self.edges = g_array_new (FALSE, FALSE, sizeof (Edge));
  walk_dependencies (&self);
  g_array_sort (self.edges, compare_edges);

  first_edge = g_new0 (guint32, n_nodes + 1);
  for (AssayNodeId i = 0; i <= n_nodes; i++)
    {
      while (edge < self.edges->len && g_array_index (self.edges, Edge, edge).node < i)
        edge++;
      first_edge[i] = edge;
    }

  state = g_new0 (guint8, n_nodes);
  for (AssayRegionId i = 0; i < graph->regions->len; i++)
    {
      if (unsorted[i])
        sort_region (importer, &self, i, first_edge, state);
    }

  g_array_unref (self.edges);
}
