/* assay-lower-view.c
 * SPDX-License-Identifier: Apache-2.0
 *
 * Operations that only move elements. Each says where an element of its result comes from; whole
 * vectors are then named anew, and runs of lanes that change places are shifted.
 */
#include <string.h>

#include "backend/stream/compile/assay-lower-private.h"
#include "nnir/assay-axes.h"
#include "nnir/assay-node-slice.h"

typedef struct
{
  guint input;
  guint32 vector;
  guint32 lane;
  gboolean zero;
} Source;

static void
flat_to_index (const AssayLowTensor *tensor, gint64 flat, gint64 *index)
{
  for (guint i = tensor->rank; i-- > 0;)
    {
      index[i] = flat % tensor->dims[i];
      flat /= tensor->dims[i];
    }
}

static gint64
index_to_flat (const AssayLowTensor *tensor, const gint64 *index)
{
  gint64 flat = 0;

  for (guint i = 0; i < tensor->rank; i++)
    flat = flat * tensor->dims[i] + index[i];

  return flat;
}

/* A vector of constants that take part in a view, such as the padding of a concatenation. */
static AssayLirId
constant_vector (AssayLower *self, AssayLowTensor *tensor, guint32 vector)
{
  AssayLowTensor shape = *tensor;
  AssayLirId d = assay_lower_new_vector (self, ASSAY_TENSOR_ACTIVATION, MAX (tensor->lanes, 1));

  assay_lower_emit (self, ASSAY_OPCODE_MOVE, d, ASSAY_ROUND_BF16,
                    assay_lower_operand (self, tensor, &shape, vector), (AssayLirOperand){ 0 });

  return d;
}

static AssayLirId
source_vector (AssayLower *self, const Source *source)
{
  AssayLowTensor *tensor = assay_lower_input (self, source->input);

  return tensor->vectors == NULL ? constant_vector (self, tensor, source->vector)
                                 : tensor->vectors[source->vector];
}

/* Whole blocks can be copied where they are, rows by rows, without going through the lane unit. */
static gboolean
is_aligned (AssayLower *self, const AssayLowTensor *from, const Source *source, guint32 lanes)
{
  guint block = self->lir->config->block_size;

  return source->lane % block == 0 && (lanes % block == 0 || source->lane + lanes == from->lanes);
}

static AssayLirId
part_of (AssayLower *self, const Source *source, guint32 lanes)
{
  AssayLirId parent = source_vector (self, source);
  AssayLirId id = assay_lower_new_vector (self, ASSAY_TENSOR_ACTIVATION, lanes);
  AssayLirVector *vector = assay_lir_vector (self->lir, id);
  const AssayLirVector *whole = assay_lir_vector (self->lir, parent);
  AssayLirId copy;

  vector->alias_of = whole->alias_of != 0 ? whole->alias_of : parent;
  vector->alias_block = whole->alias_block + source->lane / self->lir->config->block_size;
  vector->kind = whole->kind;
  vector->fp32 = whole->fp32;

  copy = assay_lower_new_vector (self, ASSAY_TENSOR_ACTIVATION, lanes);
  assay_lower_emit (self, ASSAY_OPCODE_MOVE, copy, ASSAY_ROUND_BF16, assay_lir_use (id),
                    (AssayLirOperand){ 0 });

  return copy;
}

static AssayLirId
assemble_vector (AssayLower *self, const Source *sources, guint32 lanes, float fill)
{
  AssayLirId d = 0;
  gboolean first = TRUE;

  for (guint32 at = 0, length; at < lanes; at += length)
    {
      AssayLowTensor *from = assay_lower_input (self, sources[at].input);

      length = 1;
      while (at + length < lanes && sources[at + length].zero == sources[at].zero &&
             (sources[at].zero || (sources[at + length].input == sources[at].input &&
                                   sources[at + length].vector == sources[at].vector &&
                                   sources[at + length].lane == sources[at].lane + length)))
        length++;

      if (length == lanes && !sources[at].zero && from->lanes == lanes)
        return source_vector (self, &sources[at]);
      if (length == lanes && !sources[at].zero && from->vectors != NULL &&
          is_aligned (self, from, &sources[at], lanes))
        return part_of (self, &sources[at], lanes);
      if (d == 0)
        {
          d = assay_lower_new_vector (self, ASSAY_TENSOR_ACTIVATION, lanes);
          first = fill == 0;
          if (!first)
            assay_lower_emit (self, ASSAY_OPCODE_MOVE, d, ASSAY_ROUND_BF16,
                              assay_lir_immediate (fill), (AssayLirOperand){ 0 });
        }
      if (sources[at].zero)
        continue;

      assay_lower_shift (self, d, assay_lir_use (source_vector (self, &sources[at])),
                         sources[at].lane, at, length, first ? lanes : 0);
      first = FALSE;
    }

  if (first)
    assay_lower_emit (self, ASSAY_OPCODE_MOVE, d, ASSAY_ROUND_BF16, assay_lir_immediate (0),
                      (AssayLirOperand){ 0 });

  return d;
}

/* Makes the vectors of a result whose elements are elements of the inputs, or one value. */
static void
assemble (AssayLower *self, AssayLowTensor *out, AssayViewFunc find, gpointer data, float fill)
{
  g_autofree Source *sources = g_new0 (Source, MAX (out->lanes, 1));

  for (guint32 v = 0; v < out->n_vectors; v++)
    {
      gint64 index[ASSAY_MAX_RANK];
      gint64 from[ASSAY_MAX_RANK];

      assay_lower_index (out, v, index);
      for (guint32 lane = 0; lane < out->lanes; lane++)
        {
          guint input = 0;

          if (out->data_dim >= 0)
            index[out->data_dim] = lane;
          memset (&sources[lane], 0, sizeof sources[lane]);
          if (find (self, data, index, &input, from))
            {
              sources[lane].input = input;
              assay_lower_locate (assay_lower_input (self, input), from, &sources[lane].vector,
                                  &sources[lane].lane);
            }
          else
            {
              sources[lane].zero = TRUE;
            }
        }
      out->vectors[v] = assemble_vector (self, sources, out->lanes, fill);
    }
}

/**
 * assay_lower_view:
 * @self: the lowering
 * @out: the result
 * @find: says where an element comes from
 * @data: data for @find
 * @error: return location for a #GError
 *
 * Makes the vectors of a result whose elements are elements of the inputs, or zeros.
 *
 * Returns: whether it could be done
 */
gboolean
assay_lower_view (AssayLower *self, AssayLowTensor *out, AssayViewFunc find, gpointer data,
                  GError **error)
{
  assemble (self, out, find, data, 0);

  return TRUE;
}

gboolean
assay_lower_identity (AssayLower *self, GError **error)
{
  AssayLowTensor *out = assay_lower_output (self, 0);
  AssayLowTensor *in = assay_lower_input (self, 0);

  memcpy (out->vectors, in->vectors, out->n_vectors * sizeof *out->vectors);

  return TRUE;
}

/* In inference nothing is dropped: the mask is true everywhere. */
gboolean
assay_lower_dropout (AssayLower *self, GError **error)
{
  AssayTensor *training = assay_graph_constant (self->graph, assay_node_input (self->node, 2));
  AssayLowTensor *mask = assay_lower_output (self, 1);
  double value = 0;

  if (assay_node_input (self->node, 2) != ASSAY_NO_VALUE &&
      (training == NULL || !assay_tensor_get_element (training, 0, &value, NULL) || value != 0))
    return assay_lower_refuse (self, error, "training mode must be a constant false");

  for (guint32 v = 0; mask != NULL && v < mask->n_vectors; v++)
    {
      mask->vectors[v] = assay_lower_new_vector (self, ASSAY_TENSOR_ACTIVATION, mask->lanes);
      assay_lower_emit (self, ASSAY_OPCODE_MOVE, mask->vectors[v], ASSAY_ROUND_BF16,
                        assay_lir_immediate (1), (AssayLirOperand){ 0 });
    }

  return assay_lower_identity (self, error);
}

static gboolean
find_reshaped (AssayLower *self, gpointer data, const gint64 *index, guint *input, gint64 *source)
{
  flat_to_index (assay_lower_input (self, 0), index_to_flat (assay_lower_output (self, 0), index),
                 source);

  return TRUE;
}

gboolean
assay_lower_reshape (AssayLower *self, GError **error)
{
  return assay_lower_view (self, assay_lower_output (self, 0), find_reshaped, NULL, error);
}

static gboolean
find_transposed (AssayLower *self, gpointer data, const gint64 *index, guint *input, gint64 *source)
{
  AssayLowTensor *out = assay_lower_output (self, 0);
  guint n;
  const gint64 *perm = assay_node_get_ints (self->node, "perm", &n);

  for (guint i = 0; i < out->rank; i++)
    source[perm == NULL ? out->rank - 1 - i : (guint) perm[i]] = index[i];

  return TRUE;
}

gboolean
assay_lower_transpose (AssayLower *self, GError **error)
{
  return assay_lower_view (self, assay_lower_output (self, 0), find_transposed, NULL, error);
}

static gboolean
find_sliced (AssayLower *self, gpointer data, const gint64 *index, guint *input, gint64 *source)
{
  const AssayNodeSlice *slice = data;

  for (guint i = 0; i < assay_lower_output (self, 0)->rank; i++)
    source[i] = slice->start[i] + index[i] * slice->step[i];

  return TRUE;
}

static gboolean
constant_integer (AssayLower *self, guint input, gsize at, gint64 *value, GError **error)
{
  AssayTensor *tensor = assay_graph_constant (self->graph, assay_node_input (self->node, input));

  if (tensor == NULL || at >= assay_tensor_get_n_elements (tensor))
    return assay_lower_refuse (self, error, "input %u must be constant", input);

  return assay_tensor_get_integer (tensor, at, value, error);
}

gboolean
assay_lower_slice (AssayLower *self, GError **error)
{
  AssayLowTensor *in = assay_lower_input (self, 0);
  AssayNodeSlice slice;

  if (!assay_node_get_slice (self->graph, self->node, in->rank, in->dims, &slice))
    return assay_lower_refuse (self, error, "starts, axes and steps must be constant");

  for (guint i = 0; i < in->rank; i++)
    if (slice.step[i] != 1)
      return assay_lower_refuse (
          self, error, "the step is %" G_GINT64_FORMAT ", only 1 is possible", slice.step[i]);

  return assay_lower_view (self, assay_lower_output (self, 0), find_sliced, &slice, error);
}

typedef struct
{
  guint axis;
  guint index_rank;
  AssayTensor *indices;
} Gather;

static gboolean
find_gathered (AssayLower *self, gpointer data, const gint64 *index, guint *input, gint64 *source)
{
  const Gather *gather = data;
  AssayLowTensor *in = assay_lower_input (self, 0);
  const gint64 *dims = assay_tensor_get_dims (gather->indices);
  gint64 at = 0;
  gint64 value = 0;

  for (guint i = 0; i < gather->index_rank; i++)
    at = at * dims[i] + index[gather->axis + i];
  if (!assay_tensor_get_integer (gather->indices, (gsize) at, &value, NULL))
    return FALSE;

  for (guint i = 0; i < in->rank; i++)
    source[i] = i < gather->axis   ? index[i]
                : i > gather->axis ? index[i + gather->index_rank - 1]
                                   : 0;
  source[gather->axis] = value < 0 ? value + in->dims[gather->axis] : value;

  return source[gather->axis] >= 0 && source[gather->axis] < in->dims[gather->axis];
}

gboolean
assay_lower_gather (AssayLower *self, GError **error)
{
  AssayLowTensor *in = assay_lower_input (self, 0);
  Gather gather = { .indices = assay_graph_constant (self->graph,
                                                     assay_node_input (self->node, 1)) };

  if (gather.indices == NULL)
    return assay_lower_refuse (self, error, "indices must be constant");
  if (!assay_lower_axis (self, in, &gather.axis, error))
    return FALSE;

  gather.index_rank = assay_tensor_get_rank (gather.indices);
  if (gather.index_rank > 1)
    return assay_lower_refuse (self, error, "the indices have rank %u, 0 and 1 are possible",
                               gather.index_rank);

  return assay_lower_view (self, assay_lower_output (self, 0), find_gathered, &gather, error);
}

static gboolean
find_concatenated (AssayLower *self, gpointer data, const gint64 *index, guint *input,
                   gint64 *source)
{
  guint axis = *(guint *) data;
  gint64 at = index[axis];

  memcpy (source, index, assay_lower_output (self, 0)->rank * sizeof *source);
  for (*input = 0; at >= assay_lower_input (self, *input)->dims[axis]; (*input)++)
    at -= assay_lower_input (self, *input)->dims[axis];
  source[axis] = at;

  return TRUE;
}

gboolean
assay_lower_concat (AssayLower *self, GError **error)
{
  AssayLowTensor *out = assay_lower_output (self, 0);
  guint at;

  return assay_lower_axis (self, out, &at, error) &&
         assay_lower_view (self, out, find_concatenated, &at, error);
}

typedef struct
{
  guint axis;
  gint64 offset;
} Part;

static gboolean
find_part (AssayLower *self, gpointer data, const gint64 *index, guint *input, gint64 *source)
{
  const Part *part = data;

  memcpy (source, index, assay_lower_input (self, 0)->rank * sizeof *source);
  source[part->axis] += part->offset;

  return TRUE;
}

gboolean
assay_lower_split (AssayLower *self, GError **error)
{
  AssayLowTensor *in = assay_lower_input (self, 0);
  Part part = { 0 };

  if (!assay_lower_axis (self, in, &part.axis, error))
    return FALSE;

  for (guint i = 0; i < self->node->n_outputs; i++)
    {
      AssayLowTensor *out = assay_lower_output (self, i);

      gint64 extent = (in->dims[part.axis] + self->node->n_outputs - 1) / self->node->n_outputs;

      if (assay_node_input (self->node, 1) != ASSAY_NO_VALUE &&
          !constant_integer (self, 1, i, &extent, error))
        return FALSE;
      if (out != NULL && !assay_lower_view (self, out, find_part, &part, error))
        return FALSE;
      part.offset += extent;
    }

  return TRUE;
}

typedef struct
{
  gint64 before[ASSAY_MAX_RANK];
} Padding;

static gboolean
find_padded (AssayLower *self, gpointer data, const gint64 *index, guint *input, gint64 *source)
{
  const Padding *padding = data;
  AssayLowTensor *in = assay_lower_input (self, 0);

  for (guint i = 0; i < in->rank; i++)
    {
      source[i] = index[i] - padding->before[i];
      if (source[i] < 0 || source[i] >= in->dims[i])
        return FALSE;
    }

  return TRUE;
}

/* With a constant around it; less than none cuts off. What is put in front of a streamed axis is
 * the start of the window of the convolution behind. */
gboolean
assay_lower_pad (AssayLower *self, GError **error)
{
  AssayLowTensor *in = assay_lower_input (self, 0);
  int time = self->vanishing == NULL ? -1 : self->vanishing[self->node->inputs[0]];
  AssayTensor *value = assay_graph_constant (self->graph, assay_node_input (self->node, 2));
  Padding padding = { { 0 } };
  gsize n, n_axes;
  g_autofree gint64 *pads = assay_node_dup_ints (self->graph, self->node, "pads", 1, &n);
  g_autofree gint64 *axes = assay_node_dup_ints (self->graph, self->node, "axes", 3, &n_axes);
  double fill = 0;

  if (!g_str_equal (assay_node_get_string (self->node, "mode"), "constant"))
    return assay_lower_refuse (self, error, "mode is %s, only constant is possible",
                               assay_node_get_string (self->node, "mode"));
  if (pads == NULL || (axes == NULL && assay_node_input (self->node, 3) != ASSAY_NO_VALUE) ||
      n != 2 * (axes != NULL ? n_axes : in->rank))
    return assay_lower_refuse (self, error, "pads and axes must be constant");
  if (assay_node_input (self->node, 2) != ASSAY_NO_VALUE &&
      (value == NULL || assay_tensor_get_n_elements (value) != 1 ||
       !assay_tensor_get_element (value, 0, &fill, NULL)))
    return assay_lower_refuse (self, error, "the value must be a constant scalar");

  for (gsize i = 0; i < n / 2; i++)
    {
      gint64 axis = axes != NULL ? axes[i] : (gint64) i;

      axis = axis < 0 ? axis + in->rank : axis;
      if (axis < 0 || axis >= in->rank)
        return assay_lower_refuse (self, error, "axis %" G_GINT64_FORMAT " of a tensor of rank %u",
                                   axis, in->rank);
      padding.before[axis] = axis == time ? 0 : pads[i];
    }

  assemble (self, assay_lower_output (self, 0), find_padded, &padding, (float) fill);

  return TRUE;
}

static gboolean
find_expanded (AssayLower *self, gpointer data, const gint64 *index, guint *input, gint64 *source)
{
  AssayLowTensor *in = assay_lower_input (self, 0);
  AssayLowTensor *out = assay_lower_output (self, 0);

  for (guint i = 0; i < in->rank; i++)
    source[i] = in->dims[i] == 1 ? 0 : index[i + out->rank - in->rank];

  return TRUE;
}

gboolean
assay_lower_expand (AssayLower *self, GError **error)
{
  AssayLowTensor *in = assay_lower_input (self, 0);
  AssayLowTensor *out = assay_lower_output (self, 0);

  if (in->lanes == out->lanes)
    return assay_lower_view (self, out, find_expanded, NULL, error);

  /* Along the data dimension one lane is spread, which every unit can do while it reads. */
  for (guint32 v = 0; v < out->n_vectors; v++)
    {
      AssayLirOperand a = assay_lower_operand (self, in, out, v);

      out->vectors[v] = assay_lower_new_vector (self, ASSAY_TENSOR_ACTIVATION, out->lanes);
      assay_lower_emit (self, ASSAY_OPCODE_MOVE, out->vectors[v], ASSAY_ROUND_BF16, a,
                        (AssayLirOperand){ 0 });
    }

  return TRUE;
}
