/* assay-axes.c
 * SPDX-License-Identifier: Apache-2.0
 */
#include "nnir/assay-axes.h"

/* Lists of axes, paddings and sizes are short; a longer constant is data, not a list. */
#define MAX_LIST 4096

/**
 * assay_axes_normalize:
 * @axis: an axis, counted from the end if negative
 * @rank: number of dimensions
 * @result: (out): where to put the axis counted from the front
 *
 * Counts an axis from the front.
 *
 * Returns: whether it is in range
 */
gboolean
assay_axes_normalize (gint64 axis, int rank, int *result)
{
  if (axis < -(gint64) rank || axis >= (gint64) rank)
    return FALSE;

  *result = (int) (axis < 0 ? axis + rank : axis);
  return TRUE;
}

/**
 * assay_value_dup_ints:
 * @graph: a graph
 * @value: a value, or 0
 * @n: (out): where to put the number of entries
 *
 * Reads a short list of integers that is known when compiling.
 *
 * Returns: (transfer full) (nullable) (array length=n): the list, or %NULL if it is not known
 */
gint64 *
assay_value_dup_ints (const AssayGraph *graph, AssayValueId value, gsize *n)
{
  AssayTensor *tensor = assay_graph_constant (graph, value);
  g_autofree gint64 *list = NULL;
  gsize count;

  *n = 0;
  if (tensor == NULL || !assay_dtype_is_integer (assay_tensor_get_dtype (tensor)))
    return NULL;

  count = assay_tensor_get_n_elements (tensor);
  if (count > MAX_LIST)
    return NULL;

  list = g_new0 (gint64, count + 1);
  for (gsize i = 0; i < count; i++)
    if (!assay_tensor_get_integer (tensor, i, &list[i], NULL))
      return NULL;

  *n = count;
  return g_steal_pointer (&list);
}

/**
 * assay_node_dup_ints:
 * @graph: a graph
 * @node: one of its nodes
 * @attribute: name the list has as an attribute, in older opsets
 * @input: index it has as an input, in newer ones
 * @n: (out): where to put the number of entries
 *
 * Reads a list of integers that is an attribute in some opsets and an input in others.
 *
 * Returns: (transfer full) (nullable) (array length=n): the list, or %NULL if it is omitted or not
 * known
 */
gint64 *
assay_node_dup_ints (const AssayGraph *graph, const AssayNode *node, const char *attribute,
                     guint input, gsize *n)
{
  guint count;
  const gint64 *ints = assay_node_get_ints (node, attribute, &count);

  if (ints == NULL)
    return assay_value_dup_ints (graph, assay_node_input (node, input), n);

  *n = count;
  return g_memdup2 (ints, MAX (count, 1) * sizeof *ints);
}

/**
 * assay_node_get_axis:
 * @node: a node whose operation has an attribute `axis`
 * @rank: number of dimensions that it counts in, -1 if they are unknown
 * @result: (out): where to put the axis counted from the front
 *
 * Reads the axis that a node works on.
 *
 * Returns: whether it is in range
 */
gboolean
assay_node_get_axis (const AssayNode *node, int rank, int *result)
{
  return assay_axes_normalize (assay_node_get_int (node, "axis"), rank, result);
}

/* How the axes of an operation are told. */
typedef enum
{
  AXES_LISTED,  /* a list, all of them without one */
  AXES_SQUEEZE, /* a list, those of extent 1 without one */
  AXES_ONE,     /* an attribute */
  AXES_FROM,    /* an attribute and what follows */
  AXES_SPATIAL, /* the third and what follows */
} AxesSort;

static AxesSort
axes_sort (AssayOp op)
{
  switch ((guint) op)
    {
    case ASSAY_OP_Squeeze:
      return AXES_SQUEEZE;
    case ASSAY_OP_ArgMax:
    case ASSAY_OP_ArgMin:
    case ASSAY_OP_Hardmax:
    case ASSAY_OP_LogSoftmax:
    case ASSAY_OP_LpNormalization:
    case ASSAY_OP_Softmax:
      return AXES_ONE;
    case ASSAY_OP_LayerNormalization:
    case ASSAY_OP_RMSNormalization:
      return AXES_FROM;
    case ASSAY_OP_GlobalAveragePool:
    case ASSAY_OP_GlobalLpPool:
    case ASSAY_OP_GlobalMaxPool:
    case ASSAY_OP_InstanceNormalization:
      return AXES_SPATIAL;
    default:
      return AXES_LISTED;
    }
}

/* The axes first and up, as far as there are @rank. */
static guint64
mask_from (int first, int rank)
{
  guint64 all = rank == 64 ? G_MAXUINT64 : (G_GUINT64_CONSTANT (1) << rank) - 1;

  return first >= rank ? 0 : all & ~((G_GUINT64_CONSTANT (1) << first) - 1);
}

/**
 * assay_node_default_axes:
 * @node: a node that may list its axes
 * @rank: number of dimensions the axes count in
 *
 * Tells what an empty or omitted list of axes means: all axes, except where the node says that it
 * means none, and all but that of the channels for MeanVarianceNormalization.
 *
 * Returns: the axes, one bit each
 */
guint64
assay_node_default_axes (const AssayNode *node, int rank)
{
  gint64 none = 0;

  if (node->op == ASSAY_OP_MeanVarianceNormalization)
    return mask_from (0, rank) & 0xd; /* 0, 2 and 3 */

  return assay_node_find_int (node, "noop_with_empty_axes", &none) && none != 0
             ? 0
             : mask_from (0, rank);
}

static AssayAxes
listed_axes (const AssayGraph *graph, const AssayNode *node, int rank)
{
  const AssayType *type = assay_graph_value (graph, assay_node_input (node, 0))->type;
  AssayAxes axes = { FALSE, 0 };
  g_autofree gint64 *list = NULL;
  gsize n;

  list = assay_node_dup_ints (graph, node, "axes", 1, &n);
  if (list == NULL && assay_node_input (node, 1) != ASSAY_NO_VALUE)
    return axes;

  axes.known = TRUE;
  for (gsize i = 0; i < n; i++)
    {
      int axis;

      if (!assay_axes_normalize (list[i], rank, &axis))
        return (AssayAxes){ FALSE, 0 };
      axes.mask |= G_GUINT64_CONSTANT (1) << axis;
    }

  if (list == NULL && axes_sort (node->op) == AXES_SQUEEZE)
    {
      axes.known = assay_type_is_static (type);
      for (int i = 0; i < rank; i++)
        if (assay_type_dim (type, i) == 1)
          axes.mask |= G_GUINT64_CONSTANT (1) << i;
    }
  else if (n == 0)
    axes.mask = assay_node_default_axes (node, rank);

  return axes;
}

/**
 * assay_node_axes:
 * @graph: a graph
 * @node: a reduction, normalization, Squeeze, Unsqueeze or another node that works on some axes
 * @rank: number of dimensions the axes count in
 *
 * Reads the axes of a node: a list as an attribute or second input, of which an omitted one means
 * all axes except where the node says that it means none; a single axis; or what the operation is
 * defined by.
 *
 * Returns: the axes
 */
AssayAxes
assay_node_axes (const AssayGraph *graph, const AssayNode *node, int rank)
{
  AxesSort sort = axes_sort (node->op);
  int axis = 2;

  if (rank < 0 || rank > ASSAY_MAX_RANK)
    return (AssayAxes){ FALSE, 0 };
  if (sort == AXES_LISTED || sort == AXES_SQUEEZE)
    return listed_axes (graph, node, rank);
  if (sort != AXES_SPATIAL && !assay_node_get_axis (node, rank, &axis))
    return (AssayAxes){ FALSE, 0 };

  return (AssayAxes){ TRUE,
                      sort == AXES_ONE ? G_GUINT64_CONSTANT (1) << axis : mask_from (axis, rank) };
}

/**
 * assay_node_get_perm:
 * @node: a Transpose
 * @rank: number of dimensions of its input
 * @perm: (out caller-allocates) (array): room for @rank entries
 *
 * Reads a permutation; without the attribute the order is reversed.
 *
 * Returns: %FALSE if the attribute is no permutation of this rank
 */
gboolean
assay_node_get_perm (const AssayNode *node, int rank, int *perm)
{
  guint n;
  const gint64 *list = assay_node_get_ints (node, "perm", &n);
  guint64 seen = 0;

  if (rank < 0 || rank > ASSAY_MAX_RANK || (list != NULL && n != (guint) rank))
    return FALSE;

  for (int i = 0; i < rank; i++)
    {
      gint64 axis = list == NULL ? rank - 1 - i : list[i];

      if (!assay_axes_normalize (axis, rank, &perm[i]) || (seen >> perm[i] & 1) != 0)
        return FALSE;
      seen |= G_GUINT64_CONSTANT (1) << perm[i];
    }

  return TRUE;
}

/**
 * assay_type_rank:
 * @type: a type
 *
 * Gets the number of dimensions of a dense tensor.
 *
 * Returns: the rank, or -1 if it is unknown or this is no tensor
 */
int
assay_type_rank (const AssayType *type)
{
  return type->kind == ASSAY_TYPE_KIND_TENSOR ? type->rank : -1;
}

/**
 * assay_type_dim:
 * @type: a type
 * @axis: an axis, counted from the end if negative
 *
 * Gets one extent.
 *
 * Returns: the extent, or -1 if it is unknown or there is no such axis
 */
gint64
assay_type_dim (const AssayType *type, int axis)
{
  int rank = assay_type_rank (type);
  int index;

  if (rank < 0 || !assay_axes_normalize (axis, rank, &index))
    return -1;

  return type->dims[index].size;
}
