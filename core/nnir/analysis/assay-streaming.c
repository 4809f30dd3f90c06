/* assay-streaming.c
 * SPDX-License-Identifier: Apache-2.0
 */
#include "nnir/analysis/assay-streaming.h"

#include "base/assay-error.h"
#include "base/assay-sentence.h"
#include "nnir/analysis/assay-analysis.h"
#include "nnir/assay-axes.h"
#include "nnir/assay-node-product.h"
#include "nnir/assay-node-window.h"

/* Follows the sequence axis from the inputs to the outputs. A node is streamable if its output at
 * one timestep needs its operands at that timestep alone, or a state that earlier timesteps leave:
 * a window of a causal convolution, the hidden state of a recurrent layer. The conditions are those
 * published for the block-streaming cards (https://vollo.myrtle.ai/27.1.0/example-2-cnn.html). */

#define NONE -1    /* the same for all timesteps */
#define REFUSED -2 /* behind a node that cannot be streamed: nothing is claimed */

typedef struct
{
  const AssayGraph *graph;
  AssayUses *uses;
  int *axes;      /* per value */
  gint64 *padded; /* per value: zeros that an explicit Pad has put in front of the sequence */
  GArray *refusals;
} Tracer;

typedef void (*TraceFunc) (Tracer *self, AssayNodeId id, const AssayNode *node);

static int
axis_of (const Tracer *self, AssayValueId value)
{
  return value == ASSAY_NO_VALUE ? NONE : self->axes[value];
}

static const AssayType *
type_of (const Tracer *self, AssayValueId value)
{
  return value == ASSAY_NO_VALUE ? &assay_type_unknown
                                 : assay_graph_value (self->graph, value)->type;
}

static void
set_outputs (Tracer *self, const AssayNode *node, int axis)
{
  for (guint i = 0; i < node->n_outputs; i++)
    if (node->outputs[i] != ASSAY_NO_VALUE)
      self->axes[node->outputs[i]] = axis;
}

static void refuse (Tracer *self, AssayNodeId id, const AssayNode *node, const char *rule, int axis,
                    const char *format, ...) G_GNUC_PRINTF (6, 7);

static void
refuse (Tracer *self, AssayNodeId id, const AssayNode *node, const char *rule, int axis,
        const char *format, ...)
{
  AssayStreamingRefusal refusal = { id, rule, axis, NULL, NULL };
  g_autofree char *why = NULL;
  g_autoptr (GString) named = NULL;
  va_list args;

  va_start (args, format);
  why = g_strdup_vprintf (format, args);
  va_end (args);
  named = g_string_new (why);
  g_string_replace (named, "{op}", node->op_type, 0);

  refusal.text = g_strdup_printf ("Streams over axis %d, %s", axis, named->str);
  g_array_append_val (self->refusals, refusal);
  set_outputs (self, node, REFUSED);
}

/* What would have been streamed where the node that was just refused is not. */
static void
explain (Tracer *self, const char *detail)
{
  g_array_index (self->refusals, AssayStreamingRefusal, self->refusals->len - 1).detail = g_strdup (
      detail);
}

/* Whether the operands from the first one on that carry no sequence are the same for all timesteps;
 * axis and rank are those of what they are broadcast to. */
static gboolean
is_same_for_all (Tracer *self, AssayNodeId id, const AssayNode *node, guint first, int axis,
                 int rank)
{
  for (guint i = first; i < node->n_inputs; i++)
    {
      int own = assay_type_rank (type_of (self, node->inputs[i]));
      int aligned = axis + own - rank;

      if (node->inputs[i] == ASSAY_NO_VALUE || axis_of (self, node->inputs[i]) != NONE ||
          aligned < 0)
        continue;
      if (own > 0 && assay_type_dim (type_of (self, node->inputs[i]), aligned) != 1)
        {
          refuse (self, id, node, "streaming.operand", axis,
                  "where operand %u of {op} has extent %" G_GINT64_FORMAT ", not 1", i,
                  assay_type_dim (type_of (self, node->inputs[i]), aligned));
          return FALSE;
        }
    }

  return TRUE;
}

/* Operands side by side: what carries the sequence must carry it on the same axis, and what does
 * not must be the same for every timestep. */
static void
trace_pointwise (Tracer *self, AssayNodeId id, const AssayNode *node)
{
  int rank = assay_type_rank (type_of (self, assay_node_output (node, 0)));
  int axis = NONE;

  for (guint i = 0; i < node->n_inputs; i++)
    {
      int input = axis_of (self, node->inputs[i]);

      if (input < 0)
        continue;
      input += rank - assay_type_rank (type_of (self, node->inputs[i]));
      if (axis != NONE && axis != input)
        {
          refuse (self, id, node, "streaming.axis", input,
                  "another operand carries the sequence on axis %d of the result", axis);
          return;
        }
      axis = input;
    }

  if (axis < 0 || is_same_for_all (self, id, node, 0, axis, rank))
    set_outputs (self, node, axis);
}

/* Keeps its axes, counted from the last. Stretching the sequence itself would make many timesteps
 * of one. */
static void
trace_expand (Tracer *self, AssayNodeId id, const AssayNode *node)
{
  const AssayType *from = type_of (self, node->inputs[0]);
  const AssayType *to = type_of (self, assay_node_output (node, 0));
  int axis = axis_of (self, node->inputs[0]);
  int expanded = axis + assay_type_rank (to) - assay_type_rank (from);

  if (assay_type_rank (to) < 0)
    refuse (self, id, node, "streaming.unknown", axis, "and the rank of {op} is unknown");
  else if (assay_type_dim (from, axis) == 1 && assay_type_dim (to, expanded) != 1)
    refuse (self, id, node, "streaming.axis", axis, "and {op} repeats one timestep");
  else
    set_outputs (self, node, expanded);
}

static void
trace_same (Tracer *self, AssayNodeId id, const AssayNode *node)
{
  set_outputs (self, node, axis_of (self, assay_node_input (node, 0)));
}

/* Operations that look along one axis given by an attribute. */
static void
trace_along (Tracer *self, AssayNodeId id, const AssayNode *node)
{
  AssayValueId x = assay_node_input (node, 0);
  int axis = axis_of (self, x);
  int along;

  if (assay_node_get_axis (node, assay_type_rank (type_of (self, x)), &along) && along == axis)
    refuse (self, id, node, "streaming.axis", axis, "and {op} looks at all timesteps at once");
  else
    set_outputs (self, node, axis);
}

/* Normalizations over the last axes. */
static void
trace_norm (Tracer *self, AssayNodeId id, const AssayNode *node)
{
  AssayValueId x = assay_node_input (node, 0);
  int axis = axis_of (self, x);
  int first;

  if (assay_node_get_axis (node, assay_type_rank (type_of (self, x)), &first) && axis >= first)
    refuse (self, id, node, "streaming.axis", axis, "and {op} normalizes axes %d and up", first);
  else if (is_same_for_all (self, id, node, 1, axis, assay_type_rank (type_of (self, x))))
    set_outputs (self, node, axis);
}

static void
trace_image_norm (Tracer *self, AssayNodeId id, const AssayNode *node)
{
  int axis = axis_of (self, assay_node_input (node, 0));

  if (axis >= 1)
    refuse (self, id, node, "streaming.axis", axis, "and {op} normalizes axes 1 and up");
  else
    set_outputs (self, node, axis);
}

/* Each channel has numbers of its own, so that timesteps on the axis of the channels would differ.
 */
static void
trace_batch_norm (Tracer *self, AssayNodeId id, const AssayNode *node)
{
  int axis = axis_of (self, assay_node_input (node, 0));

  if (axis == 1)
    refuse (self, id, node, "streaming.axis", axis, "which {op} uses as channels");
  else
    set_outputs (self, node, axis);
}

static void
trace_transpose (Tracer *self, AssayNodeId id, const AssayNode *node)
{
  AssayValueId x = assay_node_input (node, 0);
  int rank = assay_type_rank (type_of (self, x));
  int perm[ASSAY_MAX_RANK];

  if (!assay_node_get_perm (node, rank, perm))
    {
      refuse (self, id, node, "streaming.unknown", axis_of (self, x),
              "and the permutation of {op} is unknown");
      return;
    }

  for (int i = 0; i < rank; i++)
    if (perm[i] == axis_of (self, x))
      set_outputs (self, node, i);
}

/* The number of elements behind (or, if before, in front of) an axis; -1 if it is not known. */
static gint64
extent_beside (const AssayType *type, int axis, gboolean before)
{
  gint64 count = 1;

  for (int i = before ? 0 : axis + 1; i < (before ? axis : type->rank); i++)
    {
      gint64 size = type->dims[i].size;

      if (size < 0 || (size > 0 && count > G_MAXINT64 / size))
        return -1;
      count *= size;
    }

  return count;
}

static gboolean
same_dim (const AssayDim *a, const AssayDim *b)
{
  return a->size >= 0
             ? a->size == b->size
             : b->size < 0 && (a->symbol == b->symbol || a->symbol == NULL || b->symbol == NULL);
}

/* A reshape keeps a sequence if one axis of the result is that axis: same extent, as many elements
 * behind or before. */
static void
trace_reshape (Tracer *self, AssayNodeId id, const AssayNode *node)
{
  AssayValueId x = assay_node_input (node, 0);
  const AssayType *from = type_of (self, x);
  const AssayType *to = type_of (self, assay_node_output (node, 0));
  int axis = axis_of (self, x);
  g_autofree char *before = assay_type_to_string (from);
  g_autofree char *after = assay_type_to_string (to);
  g_autofree char *why = NULL;

  for (int i = 0; i < assay_type_rank (to); i++)
    {
      gint64 behind = extent_beside (from, axis, FALSE);
      gint64 front = extent_beside (from, axis, TRUE);

      if (same_dim (&from->dims[axis], &to->dims[i]) &&
          ((behind >= 0 && behind == extent_beside (to, i, FALSE)) ||
           (behind < 0 && front >= 0 && front == extent_beside (to, i, TRUE))))
        {
          set_outputs (self, node, i);
          return;
        }
    }

  refuse (self, id, node, "streaming.reshape", axis, "and {op} mixes the timesteps");
  why = g_strdup_printf ("no axis of %s is axis %d of %s", after, axis, before);
  explain (self, why);
}

static void
trace_squeeze (Tracer *self, AssayNodeId id, const AssayNode *node)
{
  AssayValueId x = assay_node_input (node, 0);
  AssayValueId y = assay_node_output (node, 0);
  gboolean adds = node->op == ASSAY_OP_Unsqueeze;
  int rank = assay_type_rank (type_of (self, adds ? y : x));
  AssayAxes axes = assay_node_axes (self->graph, node, rank);
  int axis = axis_of (self, x);
  int next = 0;

  if (!axes.known)
    {
      refuse (self, id, node, "streaming.unknown", axis, "and the axes of {op} are unknown");
      return;
    }

  for (int i = 0; i < rank; i++)
    if ((axes.mask >> i & 1) != 0)
      {
        if (!adds && i == axis)
          refuse (self, id, node, "streaming.axis", axis, "which {op} takes away");
      }
    else
      {
        if (adds ? next == axis : i == axis)
          set_outputs (self, node, adds ? i : next);
        next++;
      }
}

static void
trace_concat (Tracer *self, AssayNodeId id, const AssayNode *node)
{
  int rank = assay_type_rank (type_of (self, assay_node_output (node, 0)));
  int along;
  int axis = NONE;

  for (guint i = 0; i < node->n_inputs; i++)
    if (axis_of (self, node->inputs[i]) >= 0)
      axis = axis_of (self, node->inputs[i]);

  if (assay_node_get_axis (node, rank, &along) && along == axis)
    refuse (self, id, node, "streaming.axis", axis, "and {op} joins timesteps behind each other");
  else
    trace_pointwise (self, id, node);
}

static void
trace_gather (Tracer *self, AssayNodeId id, const AssayNode *node)
{
  AssayValueId x = assay_node_input (node, 0);
  AssayValueId indices = assay_node_input (node, 1);
  int axis = axis_of (self, x);
  int along;

  if (!assay_node_get_axis (node, assay_type_rank (type_of (self, x)), &along))
    refuse (self, id, node, "streaming.unknown", MAX (axis, 0), "and the rank of {op} is unknown");
  else if (axis_of (self, indices) >= 0)
    set_outputs (self, node, along + axis_of (self, indices));
  else if (along == axis)
    refuse (self, id, node, "streaming.axis", axis, "and {op} picks single timesteps");
  else
    set_outputs (self, node,
                 axis < along ? axis : axis - 1 + assay_type_rank (type_of (self, indices)));
}

/* Whether a step of a Slice is not 1: what keeps all timesteps may turn them round. */
static gboolean
steps_otherwise (const Tracer *self, const AssayNode *node)
{
  gsize n;
  g_autofree gint64 *steps = assay_value_dup_ints (self->graph, assay_node_input (node, 4), &n);

  for (gsize i = 0; i < n; i++)
    if (steps[i] != 1)
      return TRUE;

  return steps == NULL && assay_node_input (node, 4) != ASSAY_NO_VALUE;
}

static void
trace_slice (Tracer *self, AssayNodeId id, const AssayNode *node)
{
  AssayValueId x = assay_node_input (node, 0);
  int rank = assay_type_rank (type_of (self, x));
  int axis = axis_of (self, x);
  gint64 before = assay_type_dim (type_of (self, x), axis);
  gint64 after = assay_type_dim (type_of (self, assay_node_output (node, 0)), axis);
  gsize n;
  g_autofree gint64 *axes = assay_node_dup_ints (self->graph, node, "axes", 3, &n);
  gboolean touched = axes == NULL;

  for (gsize i = 0; i < n; i++)
    {
      int one;

      touched |= assay_axes_normalize (axes[i], rank, &one) && one == axis;
    }

  if (touched && (before < 0 || before != after))
    refuse (self, id, node, "streaming.axis", axis, "and {op} takes some of the timesteps only");
  else if (touched && steps_otherwise (self, node))
    refuse (self, id, node, "streaming.axis", axis,
            "and {op} takes the timesteps in another order");
  else
    set_outputs (self, node, axis);
}

static void
trace_reduce (Tracer *self, AssayNodeId id, const AssayNode *node)
{
  AssayValueId x = assay_node_input (node, 0);
  int axis = axis_of (self, x);
  AssayAxes axes = assay_node_axes (self->graph, node, assay_type_rank (type_of (self, x)));
  int dropped;

  if (!axes.known)
    refuse (self, id, node, "streaming.unknown", axis, "and the axes of {op} are unknown");
  else if ((axes.mask >> axis & 1) != 0)
    refuse (self, id, node, "streaming.reduction", axis, "which {op} reduces over");
  else
    {
      dropped = __builtin_popcountll (axes.mask & ((G_GUINT64_CONSTANT (1) << axis) - 1));
      set_outputs (self, node, assay_node_get_int (node, "keepdims") != 0 ? axis : axis - dropped);
    }
}

/* Where an axis of one side is in the result: a kept axis stands behind those of the batch, unless
 * the other side is a vector and has none. */
static int
product_axis (const Tracer *self, const AssayNode *node, int own, guint other_input, int contracted,
              gboolean second, int axis, int rank)
{
  int other = assay_type_rank (type_of (self, assay_node_input (node, other_input)));
  int kept = 2 * own - 3 - contracted;
  int n_kept = (own > 1) + (other > 1);

  if (axis == kept)
    return second || other == 1 ? rank - 1 : rank - 2;

  return axis + rank - n_kept - (own - 2);
}

/* Whether the operands without a sequence are the same for all timesteps: one entry, or none, along
 * the axis. */
static gboolean
meets_itself (const Tracer *self, const AssayNode *node, int axis, int rank)
{
  int ranks[2] = { assay_type_rank (type_of (self, assay_node_input (node, 0))),
                   assay_type_rank (type_of (self, assay_node_input (node, 1))) };
  int n_kept = (ranks[0] > 1) + (ranks[1] > 1);

  for (guint i = 0; i < node->n_inputs; i++)
    {
      AssayValueId x = assay_node_input (node, i);
      const AssayType *type = type_of (self, x);
      /* A bias is broadcast as it stands; of a factor, only the axes of the batch are. */
      int own = assay_type_rank (type);
      int at = i < 2 ? axis - (rank - n_kept) + (own - 2) : axis - rank + own;

      if (x == ASSAY_NO_VALUE || axis_of (self, x) >= 0 || at < 0 ||
          (i < 2 && (own < 3 || at >= own - 2)))
        continue;
      if (type->dims[at].size != 1)
        return FALSE;
    }

  return TRUE;
}

static void
trace_product (Tracer *self, AssayNodeId id, const AssayNode *node)
{
  AssayNodeProduct product = assay_node_get_product (node);
  int rank = assay_type_rank (type_of (self, assay_node_output (node, 0)));
  int result = NONE;

  for (guint i = 0; i < 2; i++)
    {
      AssayValueId x = assay_node_input (node, i);
      int own = assay_type_rank (type_of (self, x));
      guint side = product.inputs[0] == i ? 0 : 1;
      int contracted = assay_node_product_contracted (&product, side, own);
      int axis = axis_of (self, x);

      if (axis < 0)
        continue;
      if (axis == contracted)
        {
          refuse (self, id, node, "streaming.contraction", axis, "which {op} sums over");
          return;
        }
      axis = product_axis (self, node, own, 1 - i, contracted, side == 1, axis, rank);
      if (result != NONE && result != axis)
        {
          refuse (self, id, node, "streaming.axis", axis,
                  "and {op} pairs each timestep with all others");
          return;
        }
      result = axis;
    }

  if (result == NONE)
    trace_pointwise (self, id, node);
  else if (!meets_itself (self, node, result, rank))
    refuse (self, id, node, "streaming.axis", result,
            "and the other side of {op} differs at every timestep");
  else
    set_outputs (self, node, result);
}

/* A convolution keeps a window of the latest inputs if it looks back only: all padding in front, as
 * much as the kernel reaches back, and one output per input. */
static void
trace_conv (Tracer *self, AssayNodeId id, const AssayNode *node)
{
  AssayValueId x = assay_node_input (node, 0);
  int axis = axis_of (self, x);
  guint i = (guint) MAX (axis - 2, 0);
  AssayNodeWindow window;
  gboolean known = assay_node_get_window (self->graph, node, &window) && i < window.n &&
                   window.kernel[i] >= 1;
  gint64 wanted = known ? (window.kernel[i] - 1) * window.dilation[i] : -1;

  if (axis == 0)
    set_outputs (self, node, axis);
  else if (axis == 1)
    refuse (self, id, node, "streaming.axis", axis, "which {op} uses as channels");
  else if (axis == 3 && wanted != 0 && !(known && window.kernel[0] == 1))
    refuse (self, id, node, "streaming.axis", axis, "and a 2-D {op} is streamed over axis 2");
  else if (wanted < 0)
    refuse (self, id, node, "streaming.unknown", axis, "and the kernel of {op} is unknown");
  else if (window.stride[i] != 1)
    refuse (self, id, node, "streaming.stride", axis,
            "and {op} has stride %" G_GINT64_FORMAT ", not 1", window.stride[i]);
  else if (wanted > 0 && window.same)
    refuse (self, id, node, "streaming.padding", axis,
            "and %s of {op} pads both ends, not %" G_GINT64_FORMAT " in front",
            window.lower ? "SAME_LOWER" : "SAME_UPPER", wanted);
  else
    {
      gint64 front = self->padded[x] + (window.same ? 0 : window.before[i]);
      gint64 behind = window.same ? 0 : window.after[i];

      if (front == wanted && behind == 0)
        set_outputs (self, node, axis);
      else
        refuse (self, id, node, "streaming.padding", axis,
                "and {op} pads %" G_GINT64_FORMAT " in front and %" G_GINT64_FORMAT
                " behind, not %" G_GINT64_FORMAT " and 0",
                front, behind, wanted);
    }
}

static void
trace_pool (Tracer *self, AssayNodeId id, const AssayNode *node)
{
  int axis = axis_of (self, assay_node_input (node, 0));
  guint i = (guint) MAX (axis - 2, 0);
  AssayNodeWindow window;
  gboolean known = assay_node_get_window (self->graph, node, &window) && i < window.n &&
                   window.kernel[i] >= 0;

  if (axis < 2 || (known && window.kernel[i] == 1 && window.stride[i] == 1))
    set_outputs (self, node, axis);
  else if (!known)
    refuse (self, id, node, "streaming.pooling", axis, "and {op} pools all timesteps");
  else
    refuse (self, id, node, "streaming.pooling", axis,
            "and {op} pools %" G_GINT64_FORMAT " timestep%s, not 1 with stride 1", window.kernel[i],
            assay_plural (window.kernel[i]));
}

/* Whether what a Pad adds is zero, and known to be. */
static gboolean
pads_zeros (const Tracer *self, const AssayNode *node)
{
  AssayTensor *tensor = assay_graph_constant (self->graph, assay_node_input (node, 2));
  double value = 0;

  return assay_node_input (node, 2) == ASSAY_NO_VALUE ||
         (tensor != NULL && assay_tensor_get_n_elements (tensor) == 1 &&
          assay_tensor_get_element (tensor, 0, &value, NULL) && value == 0);
}

/* An explicit padding in front is part of the convolution behind it, whose window is empty at
 * first: it holds zeros and nothing else. */
static void
trace_pad (Tracer *self, AssayNodeId id, const AssayNode *node)
{
  AssayValueId x = assay_node_input (node, 0);
  AssayValueId y = assay_node_output (node, 0);
  int rank = assay_type_rank (type_of (self, x));
  int axis = axis_of (self, x);
  gsize n;
  g_autofree gint64 *pads = assay_node_dup_ints (self->graph, node, "pads", 1, &n);
  guint n_readers;
  const AssayNodeId *readers = assay_uses_get (self->uses, y, &n_readers);
  /* Of a batch nothing is put in front: a convolution looks back along its spatial axes alone. */
  gboolean feeds_conv = axis >= 2 && n_readers > 0 && !assay_uses_is_output (self->uses, y);

  for (guint i = 0; i < n_readers; i++)
    {
      const AssayNode *reader = assay_graph_node (self->graph, readers[i]);

      feeds_conv = feeds_conv && reader->op == ASSAY_OP_Conv && reader->inputs[0] == y;
    }

  if (pads == NULL || assay_node_input (node, 3) != ASSAY_NO_VALUE || n != 2 * (gsize) rank)
    refuse (self, id, node, "streaming.unknown", axis, "and the padding of {op} is unknown");
  else if (pads[axis] == 0 && pads[axis + rank] == 0)
    set_outputs (self, node, axis);
  else if (pads[axis + rank] != 0 || pads[axis] < 0 || !feeds_conv ||
           !g_str_equal (assay_node_get_string (node, "mode"), "constant"))
    refuse (self, id, node, "streaming.padding", axis,
            "and {op} adds %" G_GINT64_FORMAT " timestep%s in front and %" G_GINT64_FORMAT
            " behind",
            pads[axis], assay_plural (pads[axis]), pads[axis + rank]);
  else if (!pads_zeros (self, node))
    refuse (self, id, node, "streaming.padding-value", axis,
            "and {op} adds timesteps that are not zero");
  else
    {
      self->padded[y] = pads[axis];
      set_outputs (self, node, axis);
    }
}

static gboolean
is_wanted (const Tracer *self, AssayValueId value)
{
  return value != ASSAY_NO_VALUE &&
         (assay_uses_count (self->uses, value) > 0 || assay_uses_is_output (self->uses, value));
}

static void
trace_recurrent (Tracer *self, AssayNodeId id, const AssayNode *node)
{
  AssayValueId x = assay_node_input (node, 0);
  gboolean batch_first = assay_node_get_int (node, "layout") != 0;
  int time = batch_first ? 1 : 0;
  int axis = axis_of (self, x);
  const char *direction = assay_node_get_string (node, "direction");

  if (axis == 2)
    refuse (self, id, node, "streaming.axis", axis,
            "the features of {op}, whose sequence is on axis %d", time);
  else if (axis != time)
    {
      /* A batch: each step runs a whole sequence of its own, from the same state. */
      if (!is_same_for_all (self, id, node, 5, axis, assay_type_rank (type_of (self, x))))
        return;
      set_outputs (self, node, batch_first ? 0 : 1);
      if (assay_node_output (node, 0) != ASSAY_NO_VALUE)
        self->axes[node->outputs[0]] = batch_first ? 0 : 2;
    }
  else if (!g_str_equal (direction, "forward"))
    refuse (self, id, node, "streaming.direction", axis,
            "and direction %s of {op} needs later timesteps", direction);
  else if (assay_node_input (node, 4) != ASSAY_NO_VALUE)
    refuse (self, id, node, "streaming.lengths", axis,
            "and {op} ends sequences where sequence_lens says");
  else if (is_wanted (self, assay_node_output (node, 1)) ||
           is_wanted (self, assay_node_output (node, 2)))
    refuse (self, id, node, "streaming.final-state", axis, "and the final state of {op} is used");
  else if (assay_node_output (node, 0) != ASSAY_NO_VALUE)
    self->axes[node->outputs[0]] = time;
}

/* Whether a body reads a value around it that is different at every timestep: it would see all of
 * them. */
static gboolean
body_reads_sequence (const Tracer *self, const AssayNode *node)
{
  const AssayAttr *body = assay_node_find_attr (node, "body");

  for (AssayNodeId id = 1; body != NULL && id < assay_graph_n_nodes (self->graph); id++)
    {
      const AssayNode *inner = assay_graph_node (self->graph, id);
      AssayRegionId region = inner->region;

      while (region != body->u.region && region != ASSAY_MAIN_REGION)
        region = assay_graph_node (self->graph, assay_graph_region (self->graph, region)->parent)
                     ->region;
      if (region != body->u.region)
        continue;
      for (guint i = 0; i < inner->n_inputs; i++)
        {
          if (axis_of (self, inner->inputs[i]) >= 0)
            return TRUE;
        }
    }

  return FALSE;
}

static void
trace_scan (Tracer *self, AssayNodeId id, const AssayNode *node)
{
  gint64 states = (gint64) node->n_inputs - assay_node_get_int (node, "num_scan_inputs");

  for (gint64 i = 0; i < states; i++)
    if (axis_of (self, node->inputs[i]) >= 0)
      {
        refuse (self, id, node, "streaming.axis", axis_of (self, node->inputs[i]),
                "and an initial state of {op} carries the sequence");
        return;
      }
    else if (!assay_graph_is_constant (self->graph, node->inputs[i]))
      {
        refuse (self, id, node, "streaming.initial-state", 0,
                "and initial state %" G_GINT64_FORMAT " of {op} is computed, not constant", i);
        return;
      }

  for (gint64 i = MAX (states, 0); i < node->n_inputs; i++)
    {
      int axis = axis_of (self, node->inputs[i]);
      gint64 scanned = assay_node_get_entry (node, "scan_input_axes", (guint) (i - states));
      int rank = assay_type_rank (type_of (self, node->inputs[i]));

      if (axis < 0 || scanned != (scanned < 0 ? axis - rank : axis) ||
          assay_node_get_entry (node, "scan_input_directions", (guint) (i - states)) != 0)
        {
          refuse (self, id, node, "streaming.axis", MAX (axis, 0),
                  "and {op} scans input %" G_GINT64_FORMAT " along axis %" G_GINT64_FORMAT
                  " or backwards",
                  i, scanned);
          return;
        }
    }

  if (body_reads_sequence (self, node))
    {
      refuse (self, id, node, "streaming.axis", 0,
              "and the body of {op} reads it without a scanned input");
      return;
    }

  for (guint i = 0; i < node->n_outputs; i++)
    {
      gint64 axis = assay_node_get_entry (node, "scan_output_axes", (guint) (i - states));
      int rank = assay_type_rank (type_of (self, node->outputs[i]));

      if (i < states && is_wanted (self, node->outputs[i]))
        {
          refuse (self, id, node, "streaming.final-state", 0,
                  "and the final state of {op} is used");
          return;
        }
      if (node->outputs[i] != ASSAY_NO_VALUE)
        self->axes[node->outputs[i]] = i < states ? NONE : (int) (axis < 0 ? axis + rank : axis);
    }
}

#define ROW(op, func) [ASSAY_OP_##op] = func
static const TraceFunc trace_funcs[ASSAY_N_OPS] = {
  ROW (Transpose, trace_transpose),
  ROW (Reshape, trace_reshape),
  ROW (Flatten, trace_reshape),
  ROW (Squeeze, trace_squeeze),
  ROW (Unsqueeze, trace_squeeze),
  ROW (Concat, trace_concat),
  ROW (Split, trace_along),
  ROW (Softmax, trace_along),
  ROW (LogSoftmax, trace_along),
  ROW (Hardmax, trace_along),
  ROW (LpNormalization, trace_along),
  ROW (Gather, trace_gather),
  ROW (Slice, trace_slice),
  ROW (LayerNormalization, trace_norm),
  ROW (RMSNormalization, trace_norm),
  ROW (GroupNormalization, trace_image_norm),
  ROW (InstanceNormalization, trace_image_norm),
  ROW (BatchNormalization, trace_batch_norm),
  ROW (Dropout, trace_same),
  ROW (CastLike, trace_same),
  ROW (Expand, trace_expand),
  ROW (ReduceL1, trace_reduce),
  ROW (ReduceL2, trace_reduce),
  ROW (ReduceLogSum, trace_reduce),
  ROW (ReduceLogSumExp, trace_reduce),
  ROW (ReduceMax, trace_reduce),
  ROW (ReduceMean, trace_reduce),
  ROW (ReduceMin, trace_reduce),
  ROW (ReduceProd, trace_reduce),
  ROW (ReduceSum, trace_reduce),
  ROW (ReduceSumSquare, trace_reduce),
  ROW (MatMul, trace_product),
  ROW (Gemm, trace_product),
  ROW (Linear, trace_product),
  ROW (Conv, trace_conv),
  ROW (MaxPool, trace_pool),
  ROW (AveragePool, trace_pool),
  ROW (GlobalAveragePool, trace_pool),
  ROW (GlobalMaxPool, trace_pool),
  ROW (Pad, trace_pad),
  ROW (LSTM, trace_recurrent),
  ROW (GRU, trace_recurrent),
  ROW (RNN, trace_recurrent),
  ROW (Scan, trace_scan),
};
#undef ROW

static void
trace_node (Tracer *self, AssayNodeId id)
{
  const AssayNode *node = assay_graph_node (self->graph, id);
  AssayOpTraits traits = assay_op_get_info (node->op)->traits;
  gboolean carries = FALSE;

  for (guint i = 0; i < node->n_inputs; i++)
    {
      if (axis_of (self, node->inputs[i]) == REFUSED)
        {
          set_outputs (self, node, REFUSED);
          return;
        }
      carries |= axis_of (self, node->inputs[i]) >= 0;
    }

  if (!carries || node->op == ASSAY_OP_Shape || node->op == ASSAY_OP_Size)
    return;

  for (guint i = 0; i < node->n_inputs; i++)
    if (axis_of (self, node->inputs[i]) >= 0 &&
        assay_type_rank (type_of (self, node->inputs[i])) < 0)
      {
        refuse (self, id, node, "streaming.unknown", axis_of (self, node->inputs[i]),
                "and the rank of an operand of {op} is unknown");
        return;
      }

  if (trace_funcs[node->op] != NULL)
    trace_funcs[node->op](self, id, node);
  else if ((traits & (ASSAY_OP_TRAIT_UNARY_MAP | ASSAY_OP_TRAIT_BROADCAST)) != 0)
    trace_pointwise (self, id, node);
  else
    for (guint i = 0; i < node->n_inputs; i++)
      if (axis_of (self, node->inputs[i]) >= 0)
        {
          refuse (self, id, node, "streaming.operation", axis_of (self, node->inputs[i]),
                  "and {op} has no streaming form");
          return;
        }
}

static void
refusal_clear (gpointer data)
{
  g_free (((AssayStreamingRefusal *) data)->text);
  g_free (((AssayStreamingRefusal *) data)->detail);
}

static gboolean
set_inputs (Tracer *self, const int *input_axes, guint n_input_axes, GError **error)
{
  const GArray *inputs = assay_graph_region (self->graph, ASSAY_MAIN_REGION)->inputs;
  guint next = 0;

  for (guint i = 0; i < inputs->len; i++)
    {
      AssayValueId id = g_array_index (inputs, AssayValueId, i);
      const AssayValue *value = assay_graph_value (self->graph, id);
      int rank = assay_type_rank (value->type);

      if (value->is_parameter || next >= n_input_axes)
        continue;
      if (input_axes[next] >= MAX (rank, 0))
        {
          g_autofree char *type = assay_type_to_string (value->type);

          g_set_error (error, ASSAY_ERROR, ASSAY_ERROR_INVALID,
                       "streaming axis %d: input `%s` is %s and has no such axis", input_axes[next],
                       value->name, type);
          return FALSE;
        }
      self->axes[id] = MAX (input_axes[next], NONE);
      next++;
    }

  if (next < n_input_axes)
    {
      g_set_error (error, ASSAY_ERROR, ASSAY_ERROR_INVALID, "%u streaming %s for %u graph inputs",
                   n_input_axes, assay_noun (n_input_axes, "axis", "axes"), next);
      return FALSE;
    }

  return TRUE;
}

/**
 * assay_graph_trace_streaming:
 * @self: a graph, types inferred
 * @input_axes: (array length=n_input_axes): the sequence axis of each graph input that is not a
 * parameter, -1 for none
 * @n_input_axes: number of entries; inputs behind them have no sequence axis
 * @error: return location for a #GError
 *
 * Follows the sequence through a graph and says which nodes cannot be run one timestep at a time.
 *
 * Returns: (transfer full) (nullable): the result, or %NULL if an axis does not exist
 */
AssayStreaming *
assay_graph_trace_streaming (const AssayGraph *self, const int *input_axes, guint n_input_axes,
                             GError **error)
{
  const AssayRegion *region = assay_graph_region (self, ASSAY_MAIN_REGION);
  g_autoptr (AssayStreaming) result = g_new0 (AssayStreaming, 1);
  g_autoptr (AssayUses) uses = assay_uses_new (self);
  g_autofree gint64 *padded = g_new0 (gint64, assay_graph_n_values (self));
  Tracer tracer = { self, uses, NULL, padded, NULL };

  result->n_values = assay_graph_n_values (self);
  result->axes = g_new (int, result->n_values);
  result->refusals = g_array_new (FALSE, TRUE, sizeof (AssayStreamingRefusal));
  g_array_set_clear_func (result->refusals, refusal_clear);
  result->n_outputs = region->outputs->len;
  result->output_axes = g_new (int, result->n_outputs + 1);
  result->first_refusal = g_new0 (guint32, assay_graph_n_nodes (self));
  tracer.axes = result->axes;
  tracer.refusals = result->refusals;

  for (guint i = 0; i < result->n_values; i++)
    result->axes[i] = NONE;
  if (!set_inputs (&tracer, input_axes, n_input_axes, error))
    return NULL;

  for (guint i = 0; i < region->nodes->len; i++)
    trace_node (&tracer, g_array_index (region->nodes, AssayNodeId, i));

  for (guint32 i = result->refusals->len; i > 0; i--)
    result->first_refusal[g_array_index (result->refusals, AssayStreamingRefusal, i - 1).node] = i;
  for (guint i = 0; i < result->n_values; i++)
    result->axes[i] = MAX (result->axes[i], NONE);
  for (guint i = 0; i < result->n_outputs; i++)
    {
      AssayValueId value = g_array_index (region->outputs, AssayValueId, i);

      result->output_axes[i] = value == ASSAY_NO_VALUE ? NONE : result->axes[value];
    }

  return g_steal_pointer (&result);
}

/**
 * assay_streaming_free:
 * @self: (transfer full) (nullable): a result
 *
 * Frees it.
 */
void
assay_streaming_free (AssayStreaming *self)
{
  if (self == NULL)
    return;

  g_free (self->axes);
  g_free (self->output_axes);
  g_free (self->first_refusal);
  g_array_unref (self->refusals);
  g_free (self);
}

/**
 * assay_streaming_find_refusal:
 * @self: a result
 * @node: a node
 *
 * Finds why a node cannot be streamed.
 *
 * Returns: (transfer none) (nullable): the refusal
 */
const AssayStreamingRefusal *
assay_streaming_find_refusal (const AssayStreaming *self, AssayNodeId node)
{
  guint32 index = self->first_refusal[node];

  return index == 0 ? NULL : &g_array_index (self->refusals, AssayStreamingRefusal, index - 1);
}
