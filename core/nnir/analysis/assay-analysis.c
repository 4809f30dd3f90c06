/* assay-analysis.c
 * SPDX-License-Identifier: Apache-2.0
 */
#include "nnir/analysis/assay-analysis.h"

struct _AssayUses
{
  guint32 n_values;
  guint32 *begin;       /* n_values + 1 offsets into readers */
  AssayNodeId *readers; /* grouped by value, in the order of the regions */
  guint8 *is_output;
};

static void
count_region (AssayUses *self, const AssayGraph *graph, guint32 *cursor, gboolean fill)
{
  for (guint32 i = 0; i < graph->regions->len; i++)
    {
      const AssayRegion *region = assay_graph_region (graph, i);

      for (guint j = 0; j < region->nodes->len; j++)
        {
          AssayNodeId id = g_array_index (region->nodes, AssayNodeId, j);
          const AssayNode *node = assay_graph_node (graph, id);

          for (guint k = 0; k < node->n_inputs; k++)
            {
              AssayValueId value = node->inputs[k];

              if (value == ASSAY_NO_VALUE || value >= self->n_values)
                continue;
              if (fill)
                self->readers[cursor[value]++] = id;
              else
                self->begin[value + 1]++;
            }
        }

      for (guint j = 0; j < region->outputs->len; j++)
        {
          AssayValueId value = g_array_index (region->outputs, AssayValueId, j);

          if (value != ASSAY_NO_VALUE && value < self->n_values)
            self->is_output[value] = TRUE;
        }
    }
}

/**
 * assay_uses_new:
 * @graph: a graph that will not change while the index lives
 *
 * Indexes who reads each value, nested regions included.
 *
 * Returns: (transfer full): the index
 */
AssayUses *
assay_uses_new (const AssayGraph *graph)
{
  AssayUses *self = g_new0 (AssayUses, 1);
  g_autofree guint32 *cursor = NULL;

  self->n_values = graph->values->len;
  self->begin = g_new0 (guint32, (gsize) self->n_values + 1);
  self->is_output = g_new0 (guint8, self->n_values);

  count_region (self, graph, NULL, FALSE);
  for (guint32 i = 0; i < self->n_values; i++)
    self->begin[i + 1] += self->begin[i];

  self->readers = g_new0 (AssayNodeId, MAX (self->begin[self->n_values], 1));
  cursor = g_memdup2 (self->begin, ((gsize) self->n_values + 1) * sizeof *cursor);
  count_region (self, graph, cursor, TRUE);

  return self;
}

void
assay_uses_free (AssayUses *self)
{
  if (self == NULL)
    return;

  g_free (self->begin);
  g_free (self->readers);
  g_free (self->is_output);
  g_free (self);
}

/**
 * assay_uses_count:
 * @self: an index
 * @value: a value
 *
 * Counts the inputs of nodes that read a value; outputs of regions do not count.
 *
 * Returns: the number of reads
 */
guint
assay_uses_count (const AssayUses *self, AssayValueId value)
{
  return value < self->n_values ? self->begin[value + 1] - self->begin[value] : 0;
}

/**
 * assay_uses_get:
 * @self: an index
 * @value: a value
 * @n: (out): where to put the number of reads
 *
 * Gets the nodes that read a value; a node that reads it twice is there twice.
 *
 * Returns: (transfer none) (array length=n): the readers
 */
const AssayNodeId *
assay_uses_get (const AssayUses *self, AssayValueId value, guint *n)
{
  *n = assay_uses_count (self, value);

  return self->readers + (value < self->n_values ? self->begin[value] : 0);
}

/**
 * assay_uses_is_output:
 * @self: an index
 * @value: a value
 *
 * Tells whether a value is an output of any region.
 *
 * Returns: whether it is
 */
gboolean
assay_uses_is_output (const AssayUses *self, AssayValueId value)
{
  return value < self->n_values && self->is_output[value];
}

typedef struct
{
  const AssayGraph *graph;
  AssayRegionId region;
  GHashTable *positions; /* node of the region -> position + 1 */
  GArray *edges;         /* pairs of positions, producer then reader */
  guint reader;
} Sorter;

static void
add_edge (Sorter *self, AssayValueId value)
{
  gpointer producer;
  guint edge[2];

  if (value == ASSAY_NO_VALUE || value >= self->graph->values->len)
    return;

  producer = GUINT_TO_POINTER (assay_graph_value (self->graph, value)->producer);
  edge[0] = GPOINTER_TO_UINT (g_hash_table_lookup (self->positions, producer));
  edge[1] = self->reader + 1;
  if (edge[0] != 0)
    g_array_append_vals (self->edges, edge, 2);
}

/* What a node reads is also what the nodes of its nested regions read from outside. */
static void
add_edges_of (Sorter *self, const AssayNode *node)
{
  for (guint i = 0; i < node->n_inputs; i++)
    add_edge (self, node->inputs[i]);

  for (guint i = 0; i < node->n_attrs; i++)
    {
      const AssayAttr *attr = &node->attrs[i];
      guint n = attr->kind == ASSAY_ATTR_GRAPH ? 1 : attr->kind == ASSAY_ATTR_GRAPHS ? attr->n : 0;

      for (guint j = 0; j < n; j++)
        {
          AssayRegionId id = attr->kind == ASSAY_ATTR_GRAPH ? attr->u.region : attr->u.regions[j];
          const AssayRegion *nested;

          if (id >= self->graph->regions->len || id == ASSAY_MAIN_REGION || id == self->region)
            continue;

          nested = assay_graph_region (self->graph, id);
          for (guint k = 0; k < nested->nodes->len; k++)
            add_edges_of (self, assay_graph_node (self->graph,
                                                  g_array_index (nested->nodes, AssayNodeId, k)));
          for (guint k = 0; k < nested->outputs->len; k++)
            add_edge (self, g_array_index (nested->outputs, AssayValueId, k));
        }
    }
}

static void
heap_push (GArray *heap, guint item)
{
  guint i = heap->len;

  g_array_append_val (heap, item);
  while (i > 0 && g_array_index (heap, guint, (i - 1) / 2) > item)
    {
      g_array_index (heap, guint, i) = g_array_index (heap, guint, (i - 1) / 2);
      i = (i - 1) / 2;
    }
  g_array_index (heap, guint, i) = item;
}

static guint
heap_pop (GArray *heap)
{
  guint top = g_array_index (heap, guint, 0);
  guint last = g_array_index (heap, guint, heap->len - 1);
  guint i = 0;

  g_array_set_size (heap, heap->len - 1);
  while (2 * i + 1 < heap->len)
    {
      guint child = 2 * i + 1;

      if (child + 1 < heap->len &&
          g_array_index (heap, guint, child + 1) < g_array_index (heap, guint, child))
        child++;
      if (g_array_index (heap, guint, child) >= last)
        break;
      g_array_index (heap, guint, i) = g_array_index (heap, guint, child);
      i = child;
    }
  if (heap->len > 0)
    g_array_index (heap, guint, i) = last;

  return top;
}

/**
 * assay_graph_sort_region:
 * @graph: a graph
 * @region: one of its regions
 * @cyclic: (nullable) (element-type guint32): gets the nodes on a cycle or behind one
 *
 * Puts the nodes of a region in topological order, what nested regions read from outside included.
 * Nodes keep the order they have wherever they can: a sorted region comes back as it is. Nodes that
 * no order can satisfy come last.
 *
 * Returns: (transfer full) (element-type guint32): all nodes of the region
 */
GArray *
assay_graph_sort_region (const AssayGraph *graph, AssayRegionId region, GArray *cyclic)
{
  const GArray *nodes = assay_graph_region (graph, region)->nodes;
  g_autoptr (GHashTable) positions = g_hash_table_new (NULL, NULL);
  g_autoptr (GArray) edges = g_array_new (FALSE, FALSE, sizeof (guint));
  g_autoptr (GArray) heap = g_array_new (FALSE, FALSE, sizeof (guint));
  GArray *order = g_array_sized_new (FALSE, FALSE, sizeof (AssayNodeId), nodes->len);
  Sorter sorter = { graph, region, positions, edges, 0 };
  g_autofree guint32 *waits = g_new0 (guint32, (gsize) nodes->len + 1);
  g_autofree guint32 *begin = g_new0 (guint32, (gsize) nodes->len + 2);
  g_autofree guint32 *readers = NULL;

  for (guint i = 0; i < nodes->len; i++)
    g_hash_table_insert (positions, GUINT_TO_POINTER (g_array_index (nodes, AssayNodeId, i)),
                         GUINT_TO_POINTER (i + 1));

  for (guint i = 0; i < nodes->len; i++)
    {
      sorter.reader = i;
      add_edges_of (&sorter, assay_graph_node (graph, g_array_index (nodes, AssayNodeId, i)));
    }

  for (guint i = 0; i < edges->len; i += 2)
    {
      begin[g_array_index (edges, guint, i)]++;
      waits[g_array_index (edges, guint, i + 1) - 1]++;
    }
  for (guint i = 0; i < nodes->len; i++)
    begin[i + 1] += begin[i];

  readers = g_new0 (guint32, MAX (edges->len / 2, 1));
  for (guint i = edges->len; i > 0; i -= 2)
    readers[--begin[g_array_index (edges, guint, i - 2)]] = g_array_index (edges, guint, i - 1) - 1;
  begin[nodes->len + 1] = edges->len / 2;

  for (guint i = 0; i < nodes->len; i++)
    {
      if (waits[i] == 0)
        heap_push (heap, i);
    }

  while (heap->len > 0)
    {
      guint position = heap_pop (heap);

      g_array_append_val (order, g_array_index (nodes, AssayNodeId, position));
      waits[position] = G_MAXUINT32;
      for (guint i = begin[position + 1]; i < begin[position + 2]; i++)
        {
          if (--waits[readers[i]] == 0)
            heap_push (heap, readers[i]);
        }
    }

  for (guint i = 0; i < nodes->len; i++)
    {
      if (waits[i] == G_MAXUINT32)
        continue;

      g_array_append_val (order, g_array_index (nodes, AssayNodeId, i));
      if (cyclic != NULL)
        g_array_append_val (cyclic, g_array_index (nodes, AssayNodeId, i));
    }

  return order;
}
