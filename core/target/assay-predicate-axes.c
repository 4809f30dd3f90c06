/* assay-predicate-axes.c
 * SPDX-License-Identifier: Apache-2.0
 */
#include <math.h>

#include "nnir/assay-axes.h"
#include "base/assay-sentence.h"
#include "target/assay-check-private.h"

/* Predicates on axes, constant elements and scaling. */

static AssayTruth
eval_axis (AssayContext *context, const AssayCall *call)
{
  const char *name = assay_call_string (call, "attribute");
  const AssayType *type = assay_context_type (context, assay_node_input (context->node, 0));
  gint64 axis = assay_context_attr_int (context, name);
  gboolean last = assay_call_bool (call, "last", FALSE);
  int rank = assay_type_rank (type);

  if (last && axis == -1)
    return ASSAY_TRUE;

  assay_context_allow_range (context, call);
  if (last)
    assay_context_allow (context, "the last one");

  if (rank < 0)
    return assay_context_say (context, ASSAY_UNKNOWN, name, "the rank is unknown");
  if (axis < 0)
    axis += rank;
  if (last && axis != rank - 1)
    return assay_context_say (context, ASSAY_FALSE, name, "%" G_GINT64_FORMAT " of %d", axis, rank);

  return assay_context_test_int (context, call, name, axis);
}

static gboolean
is_empty_list (AssayContext *context)
{
  const AssayType *type = assay_context_type (context, assay_node_input (context->node, 1));

  return assay_type_rank (type) == 1 && type->dims[0].size == 0;
}

/* The axes of a reduction; the count and sort of them decide which kernel there is. */
static AssayTruth
get_axes (AssayContext *context, AssayAxes *axes, int *rank)
{
  *rank = assay_type_rank (assay_context_type (context, assay_node_input (context->node, 0)));
  if (*rank < 0)
    return assay_context_say (context, ASSAY_UNKNOWN, "axes", "the rank is unknown");

  *axes = assay_node_axes (context->check->graph, context->node, *rank);

  /* A list that is known to be empty says as much as none. */
  if (!axes->known && is_empty_list (context) && *rank < 64)
    *axes = (AssayAxes){ TRUE, assay_context_attr_int (context, "noop_with_empty_axes") != 0
                                   ? 0
                                   : (G_GUINT64_CONSTANT (1) << *rank) - 1 };
  if (!axes->known)
    return assay_context_say (context, ASSAY_UNKNOWN, "axes", "the axes are computed at run time");

  return ASSAY_TRUE;
}

static guint
count_bits (guint64 mask)
{
  guint n = 0;

  for (; mask != 0; mask &= mask - 1)
    n++;

  return n;
}

static AssayTruth
eval_reduced_count (AssayContext *context, const AssayCall *call)
{
  AssayAxes axes;
  int rank;

  assay_context_allow_range (context, call);
  if (get_axes (context, &axes, &rank) != ASSAY_TRUE)
    return ASSAY_UNKNOWN;

  return assay_context_test_int (context, call, "the number of reduced axes",
                                 count_bits (axes.mask));
}

static AssayTruth
eval_reduces_last (AssayContext *context, const AssayCall *call)
{
  const AssayType *type;
  AssayAxes axes;
  int rank;

  assay_context_allow (context, "the last axis alone");
  if (get_axes (context, &axes, &rank) != ASSAY_TRUE)
    return ASSAY_UNKNOWN;

  if (rank > 0 && axes.mask == G_GUINT64_CONSTANT (1) << (rank - 1))
    return ASSAY_TRUE;

  /* All of one row is its last axis. */
  type = assay_context_type (context, assay_node_input (context->node, 0));
  if (rank == 2 && axes.mask == 3 && type->dims[0].size == 1)
    return ASSAY_TRUE;

  return assay_context_say (context, ASSAY_FALSE, "axes", "%u of %d %s", count_bits (axes.mask),
                            rank, assay_noun (rank, "axis", "axes"));
}

static AssayTruth
eval_reduces (AssayContext *context, const AssayCall *call)
{
  gint64 axis = assay_call_int (call, "axis", 0);
  AssayAxes axes;
  int rank, index;

  assay_context_allow (context, "axis %" G_GINT64_FORMAT, axis);
  if (get_axes (context, &axes, &rank) != ASSAY_TRUE)
    return ASSAY_UNKNOWN;
  if (assay_axes_normalize (axis, rank, &index) && (axes.mask >> index & 1) != 0)
    return ASSAY_TRUE;

  return assay_context_say (context, ASSAY_FALSE, "axes", "another than %" G_GINT64_FORMAT, axis);
}

static AssayTruth
eval_axes_given (AssayContext *context, const AssayCall *call)
{
  g_autofree gint64 *list = NULL;
  gsize n = 0;

  list = assay_node_dup_ints (context->check->graph, context->node, "axes", 1, &n);
  if (list != NULL && n > 0)
    return ASSAY_TRUE;

  assay_context_allow (context, "written out");
  if (list == NULL && assay_node_input (context->node, 1) != ASSAY_NO_VALUE &&
      !is_empty_list (context))
    return assay_context_say (context, ASSAY_UNKNOWN, "axes", "the axes are computed at run time");

  return assay_context_say (context, ASSAY_FALSE, "axes", "all of them");
}

static AssayTruth
eval_elements (AssayContext *context, const AssayCall *call)
{
  const char *attribute = assay_call_string (call, "attribute");
  const char *label;
  gint64 input = assay_call_int (call, "input", 0);
  g_autofree gint64 *list = NULL;
  gsize n = 0;

  assay_context_value (context, call, &label);
  if (input >= 0 && assay_node_input (context->node, (guint) input) == ASSAY_NO_VALUE &&
      attribute == NULL)
    return ASSAY_TRUE;

  assay_context_allow_range (context, call);
  list = assay_node_dup_ints (context->check->graph, context->node,
                              attribute != NULL ? attribute : "", (guint) MAX (input, 0), &n);
  if (list == NULL)
    return assay_context_say (context, ASSAY_UNKNOWN, label,
                              "the elements of %s are computed at run time", label);

  for (gsize i = 0; i < n; i++)
    if (assay_context_test_int (context, call, label, list[i]) != ASSAY_TRUE)
      return ASSAY_FALSE;

  return ASSAY_TRUE;
}

static AssayTruth
eval_size (AssayContext *context, const AssayCall *call)
{
  const char *label;
  AssayValueId value = assay_context_value (context, call, &label);
  const AssayType *type = assay_context_type (context, value);
  gsize n;

  if (value == ASSAY_NO_VALUE)
    return ASSAY_TRUE;

  assay_context_allow_range (context, call);
  if (!assay_type_count (type, &n) || n > G_MAXINT64)
    return assay_context_say (context, ASSAY_UNKNOWN, label, "the shape of %s is unknown", label);

  return assay_context_test_int (context, call, label, (gint64) n);
}

static AssayTruth
eval_static (AssayContext *context, const AssayCall *call)
{
  const char *label;
  const AssayType *type = assay_context_type (context, assay_context_value (context, call, &label));

  if (assay_type_is_static (type))
    return ASSAY_TRUE;

  assay_context_allow (context, "known in every extent");
  return assay_context_say (context, ASSAY_UNKNOWN, label, "the shape of %s is unknown", label);
}

/* The leading extents of the two sides of a product. */
static AssayTruth
eval_same_batch (AssayContext *context, const AssayCall *call)
{
  const AssayType *a = assay_context_type (context, assay_node_input (context->node, 0));
  const AssayType *b = assay_context_type (context, assay_node_input (context->node, 1));
  AssayTruth truth = ASSAY_TRUE;

  assay_context_allow (context, "equal on both sides");
  if (a->rank < 0 || b->rank < 0)
    return assay_context_say (context, ASSAY_UNKNOWN, "the rank", "the rank is unknown");
  if (a->rank != b->rank)
    return assay_context_say (context, ASSAY_FALSE, "the rank", "%d and %d", a->rank, b->rank);

  for (int i = 0; i + 2 < a->rank; i++)
    {
      const AssayDim *p = &a->dims[i], *q = &b->dims[i];

      if (p->size >= 0 && q->size >= 0 && p->size != q->size)
        return assay_context_say (context, ASSAY_FALSE, "the batch extent",
                                  "%" G_GINT64_FORMAT " and %" G_GINT64_FORMAT, p->size, q->size);
      if ((p->size < 0 || q->size < 0) &&
          (p->symbol == NULL || g_strcmp0 (p->symbol, q->symbol) != 0))
        truth = ASSAY_UNKNOWN;
    }

  return truth == ASSAY_TRUE ? truth
                             : assay_context_say (context, truth, "the batch extent",
                                                  "the batch extent is unknown");
}

/* Which extents a Resize changes: only the last two is what image kernels do. */
static AssayTruth
eval_resizes_spatial (AssayContext *context, const AssayCall *call)
{
  const AssayType *in = assay_context_type (context, assay_node_input (context->node, 0));
  const AssayType *out = assay_context_type (context, assay_node_output (context->node, 0));

  assay_context_allow (context, "height and width");
  if (in->rank < 0 || out->rank != in->rank)
    return assay_context_say (context, ASSAY_UNKNOWN, "the resized axes", "a shape is unknown");

  for (int i = 0; i + 2 < in->rank; i++)
    {
      if (in->dims[i].size < 0 || out->dims[i].size < 0)
        {
          if (in->dims[i].symbol != NULL &&
              g_strcmp0 (in->dims[i].symbol, out->dims[i].symbol) == 0)
            continue;
          return assay_context_say (context, ASSAY_UNKNOWN, "the resized axes",
                                    "the extent of axis %d is unknown", i);
        }
      if (in->dims[i].size != out->dims[i].size)
        return assay_context_say (context, ASSAY_FALSE, "the resized axes", "axis %d", i);
    }

  return ASSAY_TRUE;
}

/* Scales that are given at load time: the shapes say as much. */
static gboolean
is_whole_upscale (AssayContext *context, AssayValueId scales)
{
  const AssayType *in = assay_context_type (context, assay_node_input (context->node, 0));
  const AssayType *out = assay_context_type (context, assay_node_output (context->node, 0));

  if (!assay_context_is_constant (context, scales) || in->rank < 0 || out->rank != in->rank)
    return FALSE;

  for (int i = 0; i < in->rank; i++)
    if (in->dims[i].size < 1 || out->dims[i].size < 1 || out->dims[i].size % in->dims[i].size != 0)
      return FALSE;

  return TRUE;
}

/* Scales have to give the output extent without a rest. */
static AssayTruth
eval_resize_exact (AssayContext *context, const AssayCall *call)
{
  const AssayType *in = assay_context_type (context, assay_node_input (context->node, 0));
  AssayValueId value = assay_node_input (context->node,
                                         context->node->op == ASSAY_OP_Upsample ? 1 : 2);
  AssayTensor *scales = value != ASSAY_NO_VALUE
                            ? assay_graph_constant (context->check->graph, value)
                            : NULL;

  assay_context_allow (context, "extents times scales that are whole numbers");
  if (value == ASSAY_NO_VALUE || (scales == NULL && is_whole_upscale (context, value)))
    return ASSAY_TRUE;
  if (scales == NULL || in->rank < 0)
    return assay_context_say (context, ASSAY_UNKNOWN, "scales", "%s",
                              scales == NULL ? "the scales are computed at run time"
                                             : "the rank is unknown");

  for (int i = 0; i < in->rank && (gsize) i < assay_tensor_get_n_elements (scales); i++)
    {
      /* With a list of axes there are fewer scales, for the last axes in practice. */
      gsize n = assay_tensor_get_n_elements (scales);
      const AssayDim *dim = &in->dims[in->rank - (int) n + i];
      double scale, exact;

      if (n > (gsize) in->rank || !assay_tensor_get_element (scales, (gsize) i, &scale, NULL))
        return assay_context_say (context, ASSAY_UNKNOWN, "scales", "the scales cannot be read");
      if (dim->size < 0 && scale == floor (scale))
        continue;
      if (dim->size < 0)
        return assay_context_say (context, ASSAY_UNKNOWN, "scales",
                                  "the extent of an axis is unknown");

      exact = (double) dim->size * scale;
      if (fabs (exact - rint (exact)) > 1e-4)
        return assay_context_say (context, ASSAY_FALSE, "scales",
                                  "%g times %" G_GINT64_FORMAT " is %g", scale, dim->size, exact);
    }

  return ASSAY_TRUE;
}

/* The element that ONNX takes for an output position, by the mode of coordinates and of rounding.
 */
static double
source_position (const char *mode, double x, double scale, gint64 in, gint64 out)
{
  if (g_str_equal (mode, "asymmetric"))
    return x / scale;
  if (g_str_equal (mode, "align_corners"))
    return out > 1 ? x * (double) (in - 1) / (double) (out - 1) : 0.0;
  if (g_str_equal (mode, "pytorch_half_pixel") && out <= 1)
    return 0.0;
  if (g_str_equal (mode, "tf_half_pixel_for_nn"))
    return (x + 0.5) / scale;

  return (x + 0.5) / scale - 0.5;
}

static double
round_position (const char *mode, double x)
{
  if (g_str_equal (mode, "floor"))
    return floor (x);
  if (g_str_equal (mode, "ceil"))
    return ceil (x);
  if (g_str_equal (mode, "round_prefer_ceil"))
    return floor (x + 0.5);

  return ceil (x - 0.5);
}

/* Nearest in the sense of the kernels: the element at position / scale, rounded down. Other ways to
 * name the positions are the same for whole scales, so every position is compared. */
static AssayTruth
eval_nearest_floor (AssayContext *context, const AssayCall *call)
{
  const AssayType *in = assay_context_type (context, assay_node_input (context->node, 0));
  const AssayType *out = assay_context_type (context, assay_node_output (context->node, 0));
  const char *coordinates = context->node->op == ASSAY_OP_Upsample
                                ? "asymmetric"
                                : assay_context_attr_string (context,
                                                             "coordinate_transformation_mode");
  const char *rounding = context->node->op == ASSAY_OP_Upsample
                             ? "floor"
                             : assay_context_attr_string (context, "nearest_mode");

  assay_context_allow (context, "the element at position / scale, rounded down");
  if (g_str_equal (coordinates, "asymmetric") && g_str_equal (rounding, "floor"))
    return ASSAY_TRUE;
  if (g_str_equal (coordinates, "tf_crop_and_resize"))
    return assay_context_say (context, ASSAY_FALSE, "coordinate_transformation_mode", "%s",
                              coordinates);
  if (in->rank < 0 || out->rank != in->rank)
    return assay_context_say (context, ASSAY_UNKNOWN, "coordinate_transformation_mode",
                              "a shape is unknown");

  for (int axis = 0; axis < in->rank; axis++)
    {
      gint64 n = in->dims[axis].size, m = out->dims[axis].size;

      if (n == m && n >= 0)
        continue;
      if (n < 0 || m < 0 || m > 1 << 16)
        return assay_context_say (context, ASSAY_UNKNOWN, "coordinate_transformation_mode",
                                  "the extent of axis %d is unknown", axis);

      for (gint64 x = 0; x < m; x++)
        {
          double scale = (double) m / (double) n;
          double at = round_position (rounding,
                                      source_position (coordinates, (double) x, scale, n, m));

          if (CLAMP (at, 0.0, (double) (n - 1)) != floor ((double) x / scale))
            return assay_context_say (context, ASSAY_FALSE, "coordinate_transformation_mode",
                                      "%s with %s", coordinates, rounding);
        }
    }

  return ASSAY_TRUE;
}

/* An extent split into blocks has to be a whole number of them. */
static AssayTruth
eval_divisible (AssayContext *context, const AssayCall *call)
{
  const char *attribute = assay_call_string (call, "attribute");
  const AssayType *type = assay_context_type (context, assay_node_input (context->node, 0));
  gint64 block = assay_context_attr_int (context, attribute);
  gint64 extent = assay_type_dim (type, (int) CLAMP (assay_call_int (call, "axis", 1), -64, 64));
  gint64 divisor;

  if (block < 1 || block > 1 << 20)
    return assay_context_say (context, ASSAY_FALSE, attribute, "%" G_GINT64_FORMAT, block);

  divisor = assay_call_bool (call, "squared", FALSE) ? block * block : block;
  assay_context_allow (context, "a multiple of %" G_GINT64_FORMAT, divisor);
  if (extent < 0)
    return assay_context_say (context, ASSAY_UNKNOWN, "input 0", "the extent is unknown");
  if (extent % divisor == 0)
    return ASSAY_TRUE;

  return assay_context_say (context, ASSAY_FALSE, "input 0", "%" G_GINT64_FORMAT, extent);
}

const AssayPredicate assay_predicates_axes[] = {
  { "axis",
    "the axis that an attribute names, counted from the start, is in range",
    "{attribute} is {actual}, not {allowed}",
    eval_axis,
    { { "attribute", ASSAY_ARG_STRING, TRUE, "name of the attribute" },
      { "last", ASSAY_ARG_BOOL, FALSE, "true: it has to be the last axis" },
      ASSAY_RANGE_ARGS } },
  { "reduced_count",
    "the number of axes that a reduction takes away is in range",
    "{attribute} is {actual}, not {allowed}",
    eval_reduced_count,
    { ASSAY_RANGE_ARGS } },
  { "reduces_last",
    "a reduction takes the last axis alone; all of a single row counts as that",
    "The reduction is over {actual}, not {allowed}",
    eval_reduces_last,
    { { NULL } } },
  { "reduces",
    "a reduction takes a certain axis",
    "The reduced axis is {actual}",
    eval_reduces,
    { { "axis", ASSAY_ARG_INT, TRUE, "the axis; negative ones count from the end" } } },
  { "axes_given",
    "the axes of a reduction are written out",
    "{attribute} are not written out, so that all are meant",
    eval_axes_given,
    { { NULL } } },
  { "elements",
    "every element of a constant integer input is in range; an omitted input has none",
    "A value of {attribute} is {actual}, not {allowed}",
    eval_elements,
    { { "input", ASSAY_ARG_INT, TRUE, "which input" },
      { "attribute", ASSAY_ARG_STRING, FALSE, "attribute that older operator sets have instead" },
      ASSAY_RANGE_ARGS } },
  { "size",
    "the number of elements is in range; an omitted input has any",
    "{attribute} has {actual} elements, not {allowed}",
    eval_size,
    { ASSAY_VALUE_ARGS, ASSAY_RANGE_ARGS } },
  { "static_shape",
    "every extent is known",
    "The shape of {attribute} is unknown",
    eval_static,
    { ASSAY_VALUE_ARGS } },
  { "same_batch",
    "both sides of a product have the same rank and the same leading extents",
    "{attribute} is {actual}, not {allowed}",
    eval_same_batch,
    { { NULL } } },
  { "resizes_spatial",
    "the last two axes alone change their extent",
    "It resizes {actual}, not {allowed}",
    eval_resizes_spatial,
    { { NULL } } },
  { "resize_exact",
    "constant scales give whole extents; with sizes there is nothing to check",
    "The scales are not exact, as {actual}",
    eval_resize_exact,
    { { NULL } } },
  { "nearest_floor",
    "a nearest resize takes at every position the element at position / scale, rounded down",
    "The positions are {actual}, not rounded down",
    eval_nearest_floor,
    { { NULL } } },
  { "divisible",
    "an extent is a multiple of an attribute",
    "The extent is {actual}, not {allowed}",
    eval_divisible,
    { { "attribute", ASSAY_ARG_STRING, TRUE, "name of the attribute" },
      { "axis", ASSAY_ARG_INT, FALSE, "which axis of the first input, 1 unless given" },
      { "squared", ASSAY_ARG_BOOL, FALSE, "the square of the attribute" } } },
  { NULL }
};
