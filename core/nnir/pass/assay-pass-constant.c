/* assay-pass-constant.c
 * SPDX-License-Identifier: Apache-2.0
 */
#include <string.h>

#include "nnir/assay-graph-builder.h"
#include "nnir/pass/assay-pass.h"

static AssayTensor *
tensor_from_floats (guint rank, gsize n, const double *values)
{
  g_autofree float *narrow = g_new (float, MAX (n, 1));
  gint64 dim = (gint64) n;

  for (gsize i = 0; i < n; i++)
    narrow[i] = (float) values[i];

  return assay_tensor_new_f32 (rank, &dim, narrow);
}

static AssayTensor *
tensor_from_strings (guint rank, gsize n, const char *const *values, gsize length)
{
  g_autoptr (GPtrArray) strings = g_ptr_array_new_with_free_func ((GDestroyNotify) g_bytes_unref);
  gint64 dim = (gint64) n;

  for (gsize i = 0; i < n; i++)
    g_ptr_array_add (strings, g_bytes_new (values[i], rank == 0 ? length : strlen (values[i])));

  return assay_tensor_new_strings (rank, &dim, strings, NULL);
}

/**
 * assay_node_dup_value:
 * @node: a Constant
 *
 * Makes the tensor that a node of ONNX's Constant operator holds, in whatever form.
 *
 * Returns: (transfer full) (nullable): the tensor, %NULL if it holds none
 */
AssayTensor *
assay_node_dup_value (const AssayNode *node)
{
  const AssayAttr *attr = assay_node_find_value (node);
  gint64 dim = attr != NULL ? attr->n : 0;

  switch (attr != NULL ? attr->kind : ASSAY_ATTR_NONE)
    {
    case ASSAY_ATTR_TENSOR:
      return assay_tensor_ref (attr->u.tensor);
    case ASSAY_ATTR_INT:
      return assay_tensor_new_i64 (0, NULL, &attr->u.i);
    case ASSAY_ATTR_INTS:
      return assay_tensor_new_i64 (1, &dim, attr->u.ints);
    case ASSAY_ATTR_FLOAT:
      return tensor_from_floats (0, 1, &attr->u.f);
    case ASSAY_ATTR_FLOATS:
      return tensor_from_floats (1, attr->n, attr->u.floats);
    case ASSAY_ATTR_STRING:
      return tensor_from_strings (0, 1, &attr->u.s, attr->n);
    case ASSAY_ATTR_STRINGS:
      return tensor_from_strings (1, attr->n, attr->u.strings, 0);
    default:
      return NULL;
    }
}

static void
visit (AssayRewriter *self, AssayNodeId id, gpointer user_data)
{
  const AssayNode *node = assay_graph_node (self->graph, id);
  AssayValueId output = assay_node_output (node, 0);
  g_autoptr (AssayTensor) tensor = NULL;

  if (node->op != ASSAY_OP_Constant || node->n_outputs != 1 || output == ASSAY_NO_VALUE)
    return;

  if (assay_graph_constant (self->graph, output) != NULL)
    tensor = assay_tensor_ref (assay_graph_constant (self->graph, output));
  else
    tensor = assay_node_dup_value (node);

  if (tensor == NULL)
    return;

  assay_rewriter_make_constant (self, output, tensor);
  assay_rewriter_drop (self, id, "remove-constant");
}

/**
 * assay_pass_remove_constant:
 * @rewriter: the graph and its state
 * @progress: (nullable): asked whether to go on
 * @error: return location for a #GError
 *
 * Removes Constant nodes: their results become constants.
 *
 * Returns: %FALSE if cancelled
 */
gboolean
assay_pass_remove_constant (AssayRewriter *rewriter, const AssayProgress *progress, GError **error)
{
  return assay_rewriter_each_node (rewriter, visit, NULL, progress, error);
}
