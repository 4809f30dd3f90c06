/* test-graph.h
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include "nnir/assay-graph-builder.h"

/* Shapes are written "4,8"; "" is a scalar, "?" an unknown rank, "-" in a shape an unknown extent.
 */

static inline const AssayType *
make_type (AssayGraph *graph, const char *shape)
{
  g_auto (GStrv) parts = g_strsplit (shape, ",", -1);
  AssayDim dims[8] = { 0 };
  guint n = g_strv_length (parts);

  if (g_str_equal (shape, "?"))
    return assay_type_new_tensor (graph->arena, ASSAY_DTYPE_F32, -1, NULL);

  for (guint i = 0; i < n; i++)
    {
      dims[i].size = g_ascii_isdigit (parts[i][0]) ? g_ascii_strtoll (parts[i], NULL, 10) : -1;
      dims[i].symbol = dims[i].size < 0 ? parts[i] : NULL;
    }

  return assay_type_new_tensor (graph->arena, ASSAY_DTYPE_F32, (int) n, dims);
}

static inline AssayValueId
input (AssayGraph *graph, const char *name, const char *shape)
{
  return assay_graph_add_input (graph, ASSAY_MAIN_REGION, name, make_type (graph, shape));
}

static inline AssayValueId
weight (AssayGraph *graph, const char *shape)
{
  const AssayType *type = make_type (graph, shape);
  gint64 dims[8];
  g_autofree float *values = NULL;
  g_autoptr (AssayTensor) tensor = NULL;
  gsize n = 1;

  for (int i = 0; i < type->rank; i++)
    n *= (gsize) (dims[i] = type->dims[i].size);
  values = g_new0 (float, n);
  tensor = assay_tensor_new_f32 ((guint) type->rank, dims, values);

  return assay_graph_add_constant (graph, ASSAY_MAIN_REGION, "weight", tensor);
}

static inline AssayValueId
ints (AssayGraph *graph, const char *list)
{
  g_auto (GStrv) parts = g_strsplit (list, ",", -1);
  gint64 n = (gint64) g_strv_length (parts);
  gint64 values[8];
  g_autoptr (AssayTensor) tensor = NULL;

  for (gint64 i = 0; i < n; i++)
    values[i] = g_ascii_strtoll (parts[i], NULL, 10);
  tensor = assay_tensor_new_i64 (1, &n, values);

  return assay_graph_add_constant (graph, ASSAY_MAIN_REGION, "list", tensor);
}

static inline AssayNodeId
node_of (AssayGraph *graph, AssayValueId value)
{
  return assay_graph_value (graph, value)->producer;
}

/* Adds a node with up to three inputs and one output of a shape; gives the output. */
static inline AssayValueId
op (AssayGraph *graph, AssayOp kind, const char *shape, AssayValueId a, AssayValueId b,
    AssayValueId c)
{
  g_autofree char *name = g_strdup_printf ("%s%u", assay_op_name (kind),
                                           assay_graph_n_nodes (graph));
  const AssayValueId inputs[3] = { a, b, c };
  AssayValueId output = assay_graph_add_value (graph, ASSAY_MAIN_REGION, ASSAY_VALUE_RESULT, name,
                                               make_type (graph, shape));

  assay_graph_add_node (graph, ASSAY_MAIN_REGION, kind, name,
                        c != 0   ? 3
                        : b != 0 ? 2
                                 : 1,
                        inputs, 1, &output);

  return output;
}

static inline AssayValueId
transpose (AssayGraph *graph, const char *shape, AssayValueId x, const gint64 *perm)
{
  AssayValueId y = op (graph, ASSAY_OP_Transpose, shape, x, 0, 0);

  assay_graph_set_ints (graph, node_of (graph, y), "perm",
                        (guint) assay_graph_value (graph, y)->type->rank, perm);

  return y;
}
