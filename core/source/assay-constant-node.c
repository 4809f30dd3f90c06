/* assay-constant-node.c
 * SPDX-License-Identifier: Apache-2.0
 */
#include "source/assay-constant-node.h"

#include <string.h>

#include "nnir/assay-graph-builder.h"

static AssayTensor *
strings_tensor (gboolean scalar, gint64 n, const char *const *strings, gssize length)
{
  g_autoptr (GPtrArray) entries = g_ptr_array_new_with_free_func ((GDestroyNotify) g_bytes_unref);

  for (gint64 i = 0; i < n; i++)
    g_ptr_array_add (entries,
                     g_bytes_new (strings[i], length >= 0 ? (gsize) length : strlen (strings[i])));

  return assay_tensor_new_strings (scalar ? 0 : 1, &n, entries, NULL);
}

/* The value of a Constant, from whichever of its attributes is there. */
static AssayTensor *
constant_tensor (const AssayAttr *attr)
{
  g_autofree float *floats = NULL;
  gint64 n = attr->n;

  switch (attr->kind)
    {
    case ASSAY_ATTR_TENSOR:
      return assay_tensor_ref (attr->u.tensor);
    case ASSAY_ATTR_INT:
      return assay_tensor_new_i64 (0, NULL, &attr->u.i);
    case ASSAY_ATTR_INTS:
      return assay_tensor_new_i64 (1, &n, attr->u.ints);
    case ASSAY_ATTR_FLOAT:
      return assay_tensor_new_f32 (0, NULL, &(float){ (float) attr->u.f });
    case ASSAY_ATTR_FLOATS:
      floats = g_new (float, MAX (n, 1));
      for (gint64 i = 0; i < n; i++)
        floats[i] = (float) attr->u.floats[i];
      return assay_tensor_new_f32 (1, &n, floats);
    case ASSAY_ATTR_STRING:
      return strings_tensor (TRUE, 1, &attr->u.s, attr->n);
    case ASSAY_ATTR_STRINGS:
      return strings_tensor (FALSE, n, attr->u.strings, -1);
    default:
      return NULL;
    }
}

/**
 * assay_source_constant_node:
 * @graph: a graph under construction
 * @node: a Constant that has its attributes
 *
 * Gives the output of a Constant its elements and type, so that inference sees them.
 */
void
assay_source_constant_node (AssayGraph *graph, AssayNodeId node)
{
  const AssayNode *constant = assay_graph_node (graph, node);
  AssayValueId output = assay_node_output (constant, 0);
  g_autoptr (AssayTensor) tensor = NULL;

  if (output == ASSAY_NO_VALUE || constant->n_attrs == 0)
    return;

  tensor = constant_tensor (&constant->attrs[0]);
  if (tensor == NULL)
    return;

  assay_graph_set_constant (graph, output, tensor);
  assay_graph_edit_value (graph, output)->type = assay_type_new_fixed (
      graph->arena, assay_tensor_get_dtype (tensor), assay_tensor_get_rank (tensor),
      assay_tensor_get_dims (tensor));
}
