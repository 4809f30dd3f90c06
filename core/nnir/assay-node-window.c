/* assay-node-window.c
 * SPDX-License-Identifier: Apache-2.0
 */
#include "nnir/assay-node-window.h"

#include "nnir/assay-axes.h"

static void
fill (const AssayNode *node, const char *attribute, guint n, gint64 fallback, gint64 *values)
{
  guint given = 0;
  const gint64 *ints = assay_node_get_ints (node, attribute, &given);

  for (guint i = 0; i < n; i++)
    values[i] = ints != NULL && i < given ? ints[i] : fallback;
}

/* SAME padding keeps extent / stride, rounded up; an odd rest goes to the end or the start. */
static void
pad_same (const AssayGraph *graph, const AssayNode *node, gboolean lower, AssayNodeWindow *window)
{
  const AssayType *type = assay_graph_value (graph, assay_node_input (node, 0))->type;

  for (guint i = 0; i < window->n; i++)
    {
      gint64 extent = assay_type_dim (type, (int) i + 2);
      gint64 total;

      window->before[i] = window->after[i] = -1;
      if (extent < 0 || window->kernel[i] < 0 || window->strides[i] < 1 ||
          window->kernel[i] > G_MAXINT32 || window->dilations[i] > G_MAXINT32 ||
          window->strides[i] > G_MAXINT32)
        continue;

      if (node->op == ASSAY_OP_ConvTranspose)
        total = (window->kernel[i] - 1) * window->dilations[i] + 1 - window->strides[i];
      else
        {
          gint64 steps = extent / window->strides[i] + (extent % window->strides[i] != 0);

          total = (steps - 1) * window->strides[i] +
                  (window->kernel[i] - 1) * window->dilations[i] + 1 - extent;
        }
      total = MAX (total, 0);
      window->before[i] = lower ? total - total / 2 : total / 2;
      window->after[i] = total - window->before[i];
    }
}

/**
 * assay_node_get_window:
 * @graph: the graph of the node
 * @node: a convolution or pooling
 * @window: (out caller-allocates): its window
 *
 * Works out kernel, strides, dilations and padding of a node, as the ONNX specification of Conv,
 * ConvTranspose and the pooling operators defines them.
 *
 * Returns: whether the number of spatial dimensions is known
 */
gboolean
assay_node_get_window (const AssayGraph *graph, const AssayNode *node, AssayNodeWindow *window)
{
  AssayValueId input = assay_node_input (node, 0);
  AssayValueId weight = assay_node_input (node, 1);
  gboolean has_weight = node->op == ASSAY_OP_Conv || node->op == ASSAY_OP_ConvTranspose;
  const AssayType *type = input != ASSAY_NO_VALUE ? assay_graph_value (graph, input)->type
                                                  : &assay_type_unknown;
  const AssayType *weight_type = has_weight && weight != ASSAY_NO_VALUE
                                     ? assay_graph_value (graph, weight)->type
                                     : &assay_type_unknown;
  const char *auto_pad = assay_node_get_string (node, "auto_pad", "NOTSET");
  guint n_kernel = 0;
  const gint64 *kernel = assay_node_get_ints (node, "kernel_shape", &n_kernel);
  int rank = kernel != NULL ? (int) n_kernel + 2 : type->rank >= 0 ? type->rank : weight_type->rank;
  guint n_pads = 0;
  const gint64 *pads = assay_node_get_ints (node, "pads", &n_pads);

  if (rank < 2 || rank - 2 > ASSAY_MAX_SPATIAL)
    return FALSE;

  window->n = (guint) rank - 2;
  for (guint i = 0; i < window->n; i++)
    window->kernel[i] = kernel != NULL ? kernel[i] : assay_type_dim (weight_type, (int) i + 2);
  fill (node, "strides", window->n, 1, window->strides);
  fill (node, "dilations", window->n, 1, window->dilations);

  for (guint i = 0; i < window->n; i++)
    {
      window->before[i] = pads != NULL && n_pads == 2 * window->n ? pads[i] : 0;
      window->after[i] = pads != NULL && n_pads == 2 * window->n ? pads[window->n + i] : 0;
    }

  if (input != ASSAY_NO_VALUE && g_str_has_prefix (auto_pad, "SAME"))
    pad_same (graph, node, g_str_equal (auto_pad, "SAME_LOWER"), window);

  return TRUE;
}
