/* assay-extract.c
 * SPDX-License-Identifier: Apache-2.0
 */
#include "nnir/assay-extract.h"

#include "nnir/assay-analysis.h"
#include "nnir/assay-graph-builder.h"

typedef struct
{
  AssayGraph *from;
  AssayGraph *to;
  GHashTable *values; /* id there to id here */
  GArray *inputs;     /* what is read from outside, ids there */
} Extract;

static AssayValueId
lookup (Extract      *self,
        AssayValueId  id)
{
  return GPOINTER_TO_UINT (g_hash_table_lookup (self->values, GUINT_TO_POINTER (id)));
}

static void
remember (Extract      *self,
          AssayValueId  id,
          AssayValueId  copy)
{
  g_hash_table_insert (self->values, GUINT_TO_POINTER (id), GUINT_TO_POINTER (copy));
}

/* What nothing here has made yet comes in from outside, or is a constant. */
static AssayValueId
use_value (Extract      *self,
           AssayValueId  id)
{
  const AssayValue *value;
  AssayValueId copy;

  if (id == ASSAY_NO_VALUE)
    return ASSAY_NO_VALUE;
  copy = lookup (self, id);
  if (copy != ASSAY_NO_VALUE)
    return copy;

  value = assay_graph_value (self->from, id);
  if (assay_graph_constant (self->from, id) != NULL)
    {
      copy = assay_graph_add_constant (self->to, ASSAY_MAIN_REGION, value->name,
                                       assay_graph_constant (self->from, id));
    }
  else
    {
      copy = assay_graph_add_input (self->to, ASSAY_MAIN_REGION, value->name, value->type);
      g_array_append_val (self->inputs, id);
    }
  remember (self, id, copy);

  return copy;
}

static void copy_node (Extract       *self,
                       AssayRegionId  region,
                       AssayNodeId    id);

static AssayRegionId
copy_region (Extract       *self,
             AssayNodeId    parent,
             AssayRegionId  id)
{
  const AssayRegion *region = assay_graph_region (self->from, id);
  AssayRegionId copy = assay_graph_add_region (self->to, parent, region->attribute, region->name);

  for (guint i = 0; i < region->inputs->len; i++)
    {
      AssayValueId input = g_array_index (region->inputs, AssayValueId, i);
      const AssayValue *value = assay_graph_value (self->from, input);

      remember (self, input, assay_graph_add_input (self->to, copy, value->name, value->type));
    }
  for (guint i = 0; i < region->nodes->len; i++)
    copy_node (self, copy, g_array_index (region->nodes, AssayNodeId, i));
  for (guint i = 0; i < region->outputs->len; i++)
    assay_graph_add_output (self->to, copy, use_value (self, g_array_index (region->outputs, AssayValueId, i)));

  return copy;
}

/* Attributes as they are; bodies are copied, and what those read of the outside becomes an input. */
static void
copy_attrs (Extract         *self,
            AssayNodeId      copy,
            const AssayNode *node)
{
  g_autofree AssayAttr *attrs = g_memdup2 (node->attrs, node->n_attrs * sizeof *node->attrs);

  for (guint i = 0; i < node->n_attrs; i++)
    {
      AssayRegionId *regions;

      if (attrs[i].kind == ASSAY_ATTR_GRAPH)
        attrs[i].u.region = copy_region (self, copy, attrs[i].u.region);
      if (attrs[i].kind != ASSAY_ATTR_GRAPHS)
        continue;
      regions = assay_arena_alloc_n (self->to->arena, attrs[i].n, sizeof *regions);
      for (guint j = 0; j < attrs[i].n; j++)
        regions[j] = copy_region (self, copy, attrs[i].u.regions[j]);
      attrs[i].u.regions = regions;
    }

  assay_graph_copy_attrs (self->to, copy, node->n_attrs, attrs);
}

static void
copy_node (Extract       *self,
           AssayRegionId  region,
           AssayNodeId    id)
{
  const AssayNode *node = assay_graph_node (self->from, id);
  g_autofree AssayValueId *inputs = g_new0 (AssayValueId, node->n_inputs + 1);
  g_autofree AssayValueId *outputs = g_new0 (AssayValueId, node->n_outputs + 1);
  AssayNodeId copy;

  for (guint i = 0; i < node->n_inputs; i++)
    inputs[i] = use_value (self, node->inputs[i]);
  for (guint i = 0; i < node->n_outputs; i++)
    {
      const AssayValue *value;

      if (node->outputs[i] == ASSAY_NO_VALUE)
        continue;
      value = assay_graph_value (self->from, node->outputs[i]);
      outputs[i] = assay_graph_add_value (self->to, region, ASSAY_VALUE_RESULT, value->name, value->type);
      remember (self, node->outputs[i], outputs[i]);
    }

  copy = assay_graph_add_node (self->to, region, node->op, node->name, node->n_inputs, inputs, node->n_outputs,
                               outputs);
  assay_graph_node (self->to, copy)->op_type = assay_arena_intern (self->to->arena, node->op_type);
  assay_graph_node (self->to, copy)->domain = assay_arena_intern (self->to->arena, node->domain);
  copy_attrs (self, copy, node);
}

/**
 * assay_graph_extract:
 * @self: a graph
 * @nodes: (array length=n_nodes): nodes of its main region, in an order in which they can run
 * @n_nodes: number of entries
 * @inputs: (inout) (element-type guint32): gets the run-time values that the nodes read from outside
 *
 * Makes a graph of some nodes alone. Its inputs are what @inputs got, in that order; its outputs are those results that
 * others read, or all of them if nobody does. Names and types stay as they are.
 *
 * Returns: (transfer full): the graph
 */
AssayGraph *
assay_graph_extract (AssayGraph        *self,
                     const AssayNodeId *nodes,
                     guint              n_nodes,
                     GArray            *inputs)
{
  g_autoptr (GHashTable) values = g_hash_table_new (NULL, NULL);
  g_autoptr (GHashTable) inside = g_hash_table_new (NULL, NULL);
  g_autoptr (AssayUses) uses = assay_uses_new (self);
  Extract extract = { self, assay_graph_new (), values, inputs };

  extract.to->name = assay_arena_intern (extract.to->arena, self->name != NULL ? self->name : "");
  extract.to->ir_version = self->ir_version;
  extract.to->level = self->level;
  for (guint i = 0; i < self->opsets->len; i++)
    {
      AssayOpset opset = g_array_index (self->opsets, AssayOpset, i);

      opset.domain = assay_arena_intern (extract.to->arena, opset.domain);
      g_array_append_val (extract.to->opsets, opset);
    }

  for (guint i = 0; i < n_nodes; i++)
    {
      copy_node (&extract, ASSAY_MAIN_REGION, nodes[i]);
      g_hash_table_add (inside, GUINT_TO_POINTER (nodes[i]));
    }

  for (guint pass = 0; pass < 2 && assay_graph_region (extract.to, ASSAY_MAIN_REGION)->outputs->len == 0; pass++)
    {
      for (guint i = 0; i < n_nodes; i++)
        {
          const AssayNode *node = assay_graph_node (self, nodes[i]);

          for (guint j = 0; j < node->n_outputs; j++)
            {
              guint n = 0;
              const AssayNodeId *readers;
              gboolean wanted = pass == 1;

              if (node->outputs[j] == ASSAY_NO_VALUE)
                continue;
              readers = assay_uses_get (uses, node->outputs[j], &n);
              wanted = wanted || assay_uses_is_output (uses, node->outputs[j]);
              for (guint r = 0; r < n && !wanted; r++)
                wanted = !g_hash_table_contains (inside, GUINT_TO_POINTER (readers[r]));
              if (wanted)
                assay_graph_add_output (extract.to, ASSAY_MAIN_REGION, lookup (&extract, node->outputs[j]));
            }
        }
    }

  return extract.to;
}
