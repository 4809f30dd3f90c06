/* graph-reference.c
 * SPDX-License-Identifier: Apache-2.0
 *
 * Graphs in double, straight from the definitions of ONNX and from docs/numerics.md, without the
 * compiler, its kernels or any other evaluator. With every element goes a bound of what the machine
 * may be wrong by.
 */
#include "graph-reference.h"

#include <math.h>

ReferenceTensor *
reference_input (Reference *self, guint index)
{
  AssayValueId id = assay_node_input (self->node, index);

  return id == ASSAY_NO_VALUE ? NULL : &self->tensors[id];
}

ReferenceTensor *
reference_output (Reference *self, guint index)
{
  AssayValueId id = assay_node_output (self->node, index);

  return id == ASSAY_NO_VALUE ? NULL : &self->tensors[id];
}

/* An element as an operand of the pointwise unit: constants are stored like any vector. */
Bounded
reference_operand (const Reference *self, const ReferenceTensor *tensor, gsize at)
{
  return tensor->constant ? bounded_store (self->numerics, tensor->v[at]) : tensor->v[at];
}

/* An element as a weight of the matrix unit. */
Bounded
reference_weight (const Reference *self, const ReferenceTensor *tensor, gsize at, double factor)
{
  if (tensor->constant)
    return bounded_weight (self->numerics, tensor->v[at].x * factor);

  return bounded_mul (self->numerics, tensor->v[at], bounded_exact (factor));
}

void
reference_index (const ReferenceTensor *tensor, gsize flat, gint64 *index)
{
  for (guint i = tensor->rank; i-- > 0;)
    {
      index[i] = (gint64) (flat % (gsize) tensor->dims[i]);
      flat /= (gsize) tensor->dims[i];
    }
}

gsize
reference_flat (const ReferenceTensor *tensor, const gint64 *index)
{
  gsize flat = 0;

  for (guint i = 0; i < tensor->rank; i++)
    flat = flat * (gsize) tensor->dims[i] + (tensor->dims[i] == 1 ? 0 : (gsize) index[i]);

  return flat;
}

gsize
reference_broadcast (const ReferenceTensor *from, const ReferenceTensor *to, gsize flat)
{
  gint64 index[8];

  reference_index (to, flat, index);

  return reference_flat (from, index + to->rank - from->rank);
}

/* The axes that an input names, a bit each; all of them if it is absent. */
guint64
reference_axes (Reference *self, guint input)
{
  const ReferenceTensor *list = reference_input (self, input);
  guint rank = reference_input (self, 0)->rank;
  guint64 mask = 0;

  if (list == NULL)
    return (G_GUINT64_CONSTANT (1) << rank) - 1;
  for (gsize i = 0; i < list->n; i++)
    mask |= G_GUINT64_CONSTANT (1)
            << (guint) (list->v[i].x < 0 ? list->v[i].x + rank : list->v[i].x);

  return mask;
}

/* A factor of the node, as fp32 has it. The defaults are those of ONNX, not of our op table. */
double
reference_number (const Reference *self, const char *name, double fallback)
{
  const AssayAttr *attr = assay_node_find_attr (self->node, name);

  return (float) (attr == NULL ? fallback : attr->u.f);
}

static const ReferenceRow *
find_row (AssayOp op)
{
  const ReferenceRow *const tables[] = { reference_pointwise (), reference_views (),
                                         reference_sums (), reference_layers () };

  for (guint i = 0; i < G_N_ELEMENTS (tables); i++)
    {
      for (const ReferenceRow *row = tables[i]; row->run != NULL; row++)
        {
          if (row->op == op)
            return row;
        }
    }

  g_error ("the reference does not know %s", assay_op_name (op));
}

static void
prepare (ReferenceTensor *tensor, const AssayValue *value)
{
  tensor->rank = (guint) MAX (value->type->rank, 0);
  tensor->n = 1;
  for (guint i = 0; i < tensor->rank; i++)
    tensor->n *= (gsize) (tensor->dims[i] = value->type->dims[i].size);
  tensor->v = g_new0 (Bounded, tensor->n + 1);
}

static void
read_constant (AssayTensor *constant, ReferenceTensor *tensor)
{
  tensor->constant = TRUE;
  for (gsize i = 0; i < tensor->n; i++)
    {
      double value = 0;

      g_assert_true (assay_tensor_get_element (constant, i, &value, NULL));
      tensor->v[i] = bounded_exact (value);
    }
}

/**
 * graph_reference:
 * @graph: a graph whose types are known
 * @numerics: how the machine rounds
 * @inputs: the inputs that are not constant, row major
 * @outputs: (out caller-allocates): one per output; the caller frees their elements
 *
 * Evaluates a graph in double and bounds what a machine may be wrong by.
 */
void
graph_reference (AssayGraph *graph, const Numerics *numerics, const float *const *inputs,
                 ReferenceTensor *outputs)
{
  const AssayRegion *main = assay_graph_region (graph, ASSAY_MAIN_REGION);
  g_autofree ReferenceTensor *tensors = g_new0 (ReferenceTensor, assay_graph_n_values (graph));
  Reference self = { graph, numerics, tensors, NULL };
  guint n_inputs = 0;

  for (AssayValueId id = 1; id < assay_graph_n_values (graph); id++)
    {
      const AssayValue *value = assay_graph_value (graph, id);
      AssayTensor *constant = value->is_parameter ? value->constant
                                                  : assay_graph_constant (graph, id);

      prepare (&tensors[id], value);
      if (constant != NULL && value->producer == ASSAY_NO_NODE)
        read_constant (constant, &tensors[id]);
    }

  for (guint i = 0; i < main->inputs->len; i++)
    {
      ReferenceTensor *tensor = &tensors[g_array_index (main->inputs, AssayValueId, i)];

      if (tensor->constant)
        continue;
      for (gsize j = 0; j < tensor->n; j++)
        tensor->v[j] = bounded_store (numerics, bounded_exact (inputs[n_inputs][j]));
      n_inputs++;
    }

  for (guint i = 0; i < main->nodes->len; i++)
    {
      self.node = assay_graph_node (graph, g_array_index (main->nodes, AssayNodeId, i));
      find_row (self.node->op)->run (&self);
    }

  for (guint i = 0; i < main->outputs->len; i++)
    {
      outputs[i] = tensors[g_array_index (main->outputs, AssayValueId, i)];
      outputs[i].v = g_memdup2 (outputs[i].v, outputs[i].n * sizeof *outputs[i].v);
    }
  for (AssayValueId id = 1; id < assay_graph_n_values (graph); id++)
    g_free (tensors[id].v);
}
