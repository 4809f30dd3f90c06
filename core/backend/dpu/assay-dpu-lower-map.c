/* assay-dpu-lower-map.c
 * SPDX-License-Identifier: Apache-2.0
 *
 * Pools, sums, activations, and everything that only moves elements.
 */
#include <math.h>
#include <string.h>

#include "backend/dpu/assay-dpu-lower-private.h"
#include "nnir/assay-axes.h"
#include "nnir/assay-dims.h"
#include "nnir/assay-node-window.h"
#include "quantize/assay-shift-limits.h"

static AssayDpuOp *
add_move (AssayDpuLowering *self, guint n_inputs, const int *inputs, int output, gint32 *table)
{
  AssayDpuOp *op = assay_dpu_lower_op (self, ASSAY_DPU_MOVE, n_inputs, inputs, output);
  guint32 begin = 0;

  op->table = table;
  op->shifts = g_new (int, n_inputs);
  op->begins = g_new (guint32, n_inputs);
  for (guint i = 0; i < n_inputs; i++)
    {
      const AssayDpuMap *in = assay_dpu_code_map (self->code, inputs[i]);

      op->shifts[i] = assay_dpu_code_map (self->code, output)->position - in->position;
      op->begins[i] = begin;
      begin += (guint32) in->n;
    }

  return op;
}

/**
 * assay_dpu_lower_put:
 * @self: a graph on its way
 * @map: a map
 * @rank: number of dimensions of the new one
 * @dims: the dimensions
 * @axes: which axis of @map each of them is, -1 for one that is new and repeats
 * @last: how the new one lies in memory
 *
 * Brings a map into another order, or repeats it along axes.
 *
 * Returns: the new map
 */
int
assay_dpu_lower_put (AssayDpuLowering *self, int map, guint rank, const gint64 *dims,
                     const int *axes, gboolean last)
{
  int made = assay_dpu_lower_new_map (
      self, ASSAY_NO_VALUE, assay_dpu_code_map (self->code, map)->position, rank, dims, last);
  const AssayDpuMap *from = assay_dpu_code_map (self->code, map);
  const AssayDpuMap *to = assay_dpu_code_map (self->code, made);
  gint32 *table = g_new (gint32, to->n);
  gssize strides[ASSAY_DPU_MAX_RANK];
  gint64 index[ASSAY_DPU_MAX_RANK] = { 0 };

  assay_dims_strides (from->rank, from->dims, strides);
  for (gsize i = 0; i < to->n; i++)
    {
      gsize at = 0;

      for (guint j = 0; j < rank; j++)
        if (axes[j] >= 0 && from->dims[axes[j]] > 1)
          at += (gsize) (index[j] * strides[axes[j]]);
      table[assay_dpu_map_store (to, i)] = (gint32) assay_dpu_map_store (from, at);
      assay_dims_next (rank, dims, index);
    }
  add_move (self, 1, &map, made, table);

  return made;
}

/* What a node that only moves does with numbered elements. */
static AssayDatum *
number_elements (const AssayDpuMap *map, gsize begin, GError **error)
{
  AssayDatum *datum = assay_datum_new (ASSAY_DTYPE_F64, ASSAY_DTYPE_F64, map->rank, map->dims,
                                       error);

  for (gsize i = 0; datum != NULL && i < datum->n; i++)
    ((double *) datum->data)[i] = (double) (begin + i + 1);

  return datum;
}

static GPtrArray *
move_numbers (AssayDpuLowering *self, const AssayNode *node, guint n_inputs, const int *inputs)
{
  g_autoptr (GPtrArray) data = g_ptr_array_new_with_free_func ((GDestroyNotify) assay_datum_unref);
  g_autoptr (GError) error = NULL;
  GPtrArray *results = NULL;
  gsize begin = 0;

  for (guint i = 0; i < n_inputs; i++)
    {
      const AssayDpuMap *map = assay_dpu_code_map (self->code, inputs[i]);
      AssayDatum *datum = number_elements (map, begin, &error);

      if (datum == NULL)
        break;
      g_ptr_array_add (data, datum);
      begin += map->n;
    }
  if (error == NULL)
    results = assay_evaluator_run_node (self->evaluator, self->node, data->len,
                                        (AssayDatum *const *) data->pdata, NULL, &error);
  if (results == NULL)
    assay_dpu_lower_refuse (self, "its elements cannot be followed: %s", error->message);

  return results;
}

static gboolean
is_identity (const gint32 *table, gsize n)
{
  for (gsize i = 0; i < n; i++)
    if (table[i] != (gint32) i)
      return FALSE;

  return TRUE;
}

/* From numbers to the places in memory that they mean. */
static gint32 *
make_table (AssayDpuLowering *self, const AssayDatum *datum, guint n_inputs, const int *inputs,
            const AssayDpuMap *out)
{
  gint32 *table = g_new (gint32, MAX (datum->n, 1));

  for (gsize i = 0; i < datum->n; i++)
    {
      gsize number = (gsize) assay_datum_get_number (datum, i), begin = 0;
      gint32 *entry = &table[assay_dpu_map_store (out, i)];
      guint source = 0;

      *entry = -1;
      if (number == 0)
        continue;
      number--;
      while (source + 1 < n_inputs &&
             number >= begin + assay_dpu_code_map (self->code, inputs[source])->n)
        begin += assay_dpu_code_map (self->code, inputs[source++])->n;
      *entry = (gint32) (begin +
                         assay_dpu_map_store (assay_dpu_code_map (self->code, inputs[source]),
                                              number - begin));
    }

  return table;
}

/**
 * assay_dpu_lower_move:
 * @self: a graph on its way
 * @node: a node that only moves elements
 *
 * Lowers what moves elements; of what leaves them where they are nothing is left.
 *
 * Returns: whether the device can do it
 */
gboolean
assay_dpu_lower_move (AssayDpuLowering *self, const AssayNode *node)
{
  guint n_inputs = node->op == ASSAY_OP_Concat ? node->n_inputs : 1;
  g_autofree int *inputs = g_new (int, MAX (n_inputs, 1));
  g_autoptr (GPtrArray) numbers = NULL;
  AssayDpuChain chain;
  gint32 *table;
  gsize total = 0;
  int out;

  if (!assay_dpu_lower_is_static (self, node->outputs[0]))
    return assay_dpu_lower_refuse (self, "the extents of its result are not known");
  for (guint i = 0; i < n_inputs; i++)
    {
      inputs[i] = assay_dpu_lower_input (self, node->inputs[i]);
      if (inputs[i] == ASSAY_DPU_NO_MAP)
        return FALSE;
      total += assay_dpu_code_map (self->code, inputs[i])->n;
    }
  if (total > G_MAXINT32 / 2)
    return assay_dpu_lower_refuse (self, "it is too large");
  numbers = move_numbers (self, node, n_inputs, inputs);
  if (numbers == NULL)
    return FALSE;

  /* Without a position of its own a result has that of what it is made of. */
  if (!assay_dpu_lower_chain (self, node, &chain))
    {
      chain = (AssayDpuChain){ .end = node->outputs[0], .position = G_MAXINT };
      for (guint i = 0; i < n_inputs; i++)
        chain.position = MIN (chain.position, assay_dpu_code_map (self->code, inputs[i])->position);
    }
  out = assay_dpu_lower_result (self, chain.end, chain.position);
  if (((AssayDatum *) g_ptr_array_index (numbers, 0))->n != assay_dpu_code_map (self->code, out)->n)
    return assay_dpu_lower_refuse (self, "its result has another shape");
  table = make_table (self, g_ptr_array_index (numbers, 0), n_inputs, inputs,
                      assay_dpu_code_map (self->code, out));
  if (n_inputs == 1 && assay_dpu_code_map (self->code, inputs[0])->position == chain.position &&
      assay_dpu_code_map (self->code, inputs[0])->n == assay_dpu_code_map (self->code, out)->n &&
      is_identity (table, assay_dpu_code_map (self->code, out)->n))
    {
      assay_dpu_code_map (self->code, out)->alias = inputs[0];
      g_free (table);
    }
  else
    {
      add_move (self, n_inputs, inputs, out, table);
    }
  assay_dpu_lower_take (self, self->node, &chain, out);

  return TRUE;
}

/* Of a pool over everything, or of a mean over height and width. */
static gboolean
find_window (AssayDpuLowering *self, const AssayNode *node, const AssayDpuMap *in,
             AssayNodeWindow *window)
{
  AssayAxes axes;

  if (node->op == ASSAY_OP_MaxPool || node->op == ASSAY_OP_AveragePool)
    return assay_dpu_lower_window (self, node, window);
  if (node->op == ASSAY_OP_ReduceMean || node->op == ASSAY_OP_ReduceMax)
    {
      axes = assay_node_axes (self->graph, node, 4);
      if (!axes.known || axes.mask != 0xc)
        return FALSE;
    }
  *window = (AssayNodeWindow){ .n = 2 };
  for (guint i = 0; i < 2; i++)
    {
      window->kernel[i] = in->dims[2 + i];
      window->stride[i] = window->dilation[i] = 1;
    }

  return TRUE;
}

/**
 * assay_dpu_lower_pool:
 * @self: a graph on its way
 * @node: a pool, or a mean over height and width
 *
 * Lowers a pool.
 *
 * Returns: whether the device can do it
 */
gboolean
assay_dpu_lower_pool (AssayDpuLowering *self, const AssayNode *node)
{
  int in = assay_dpu_lower_input (self, node->inputs[0]);
  gboolean largest = node->op == ASSAY_OP_MaxPool || node->op == ASSAY_OP_GlobalMaxPool ||
                     node->op == ASSAY_OP_ReduceMax;
  const AssayDpuMap *from, *to;
  AssayNodeWindow window;
  AssayDpuChain chain;
  AssayDpuOp *op;
  int out;

  if (in == ASSAY_DPU_NO_MAP || !assay_dpu_lower_chain (self, node, &chain))
    return FALSE;
  if (assay_dpu_code_map (self->code, in)->rank != 4 ||
      !find_window (self, node, assay_dpu_code_map (self->code, in), &window) ||
      (node->n_outputs > 1 && node->outputs[1] != ASSAY_NO_VALUE))
    return assay_dpu_lower_refuse (self, "it is no pool over height and width alone");

  out = assay_dpu_lower_result (self, chain.end, chain.position);
  from = assay_dpu_code_map (self->code, in);
  to = assay_dpu_code_map (self->code, out);
  if (to->n % (gsize) (from->dims[0] * from->dims[1]) != 0 || to->dims[0] != from->dims[0] ||
      to->rank < 2 || to->dims[1] != from->dims[1] || (to->rank != 4 && to->rank != 2))
    return assay_dpu_lower_refuse (self, "its result has another shape");
  op = assay_dpu_lower_op (self, largest ? ASSAY_DPU_MAX_POOL : ASSAY_DPU_AVERAGE_POOL, 1, &in,
                           out);
  op->window = (AssayDpuWindow){
    .n = (guint) from->dims[0],
    .h = (guint) from->dims[2],
    .w = (guint) from->dims[3],
    .c = (guint) from->dims[1],
    .oh = to->rank == 4 ? (guint) to->dims[2] : 1,
    .ow = to->rank == 4 ? (guint) to->dims[3] : 1,
    .oc = (guint) from->dims[1],
    .kh = (guint) window.kernel[0],
    .kw = (guint) window.kernel[1],
    .sh = (guint) window.stride[0],
    .sw = (guint) window.stride[1],
    .dh = (guint) window.dilation[0],
    .dw = (guint) window.dilation[1],
    .top = (int) window.before[0],
    .left = (int) window.before[1],
  };
  op->factor = assay_dpu_average_factor (op->window.kh, op->window.kw);
  op->shift = to->position - from->position;
  if (chain.activation != ASSAY_NO_NODE || chain.bias != ASSAY_NO_VALUE)
    return assay_dpu_lower_refuse (self, "nothing can follow a pool in one operation");
  assay_dpu_lower_take (self, self->node, &chain, out);

  return TRUE;
}

/* Broadcasts an operand to the shape of the result. */
static int
spread_to (AssayDpuLowering *self, int map, int out)
{
  const AssayDpuMap *from = assay_dpu_code_map (self->code, map);
  gint64 dims[ASSAY_DPU_MAX_RANK];
  int axes[ASSAY_DPU_MAX_RANK];
  const AssayDpuMap *to = assay_dpu_code_map (self->code, out);
  guint rank = to->rank;

  if (from->rank > rank)
    return ASSAY_DPU_NO_MAP;
  memcpy (dims, to->dims, sizeof dims);
  for (guint i = 0; i < rank; i++)
    {
      axes[i] = (int) i - (int) (rank - from->rank);
      if (axes[i] >= 0 && from->dims[axes[i]] != 1 && from->dims[axes[i]] != dims[i])
        return ASSAY_DPU_NO_MAP;
    }
  if (from->rank == rank && from->n == to->n && from->last == to->last)
    return map;

  return assay_dpu_lower_put (self, map, rank, dims, axes, to->last);
}

static void
warn_of_shift (AssayDpuLowering *self, int shift, AssayShiftRange range)
{
  if (shift < range.least || shift > range.most)
    assay_findings_add (self->findings, ASSAY_SEVERITY_WARNING, "dpu.shift", NULL,
                        assay_graph_node (self->graph, self->node)->name, NULL, -1,
                        "positions ask for a shift of %d; the device has %d to %d", shift,
                        range.least, range.most);
}

/**
 * assay_dpu_lower_elementwise:
 * @self: a graph on its way
 * @node: a sum or a product of elements
 *
 * Lowers what is done element by element.
 *
 * Returns: whether the device can do it
 */
gboolean
assay_dpu_lower_elementwise (AssayDpuLowering *self, const AssayNode *node)
{
  gboolean adds = node->op == ASSAY_OP_Add;
  AssayDpuChain chain;
  AssayDpuOp *op;
  int inputs[2], positions[2], out, least;
  AssayOp activation;

  if (!assay_dpu_lower_chain (self, node, &chain))
    return FALSE;
  if (chain.bias != ASSAY_NO_VALUE)
    return assay_dpu_lower_refuse (self, "a sum behind it is an operation of its own");
  for (guint i = 0; i < 2; i++)
    {
      inputs[i] = assay_dpu_lower_input (self, node->inputs[i]);
      if (inputs[i] == ASSAY_DPU_NO_MAP)
        return FALSE;
      positions[i] = assay_dpu_code_map (self->code, inputs[i])->position;
    }
  out = assay_dpu_lower_result (self, chain.end, chain.position);
  for (guint i = 0; i < 2; i++)
    {
      inputs[i] = spread_to (self, inputs[i], out);
      if (inputs[i] == ASSAY_DPU_NO_MAP)
        return assay_dpu_lower_refuse (self, "its operands have other shapes than its result");
    }

  least = MIN (positions[0], positions[1]);
  op = assay_dpu_lower_op (self, adds ? ASSAY_DPU_ADD : ASSAY_DPU_MULTIPLY, 2, inputs, out);
  op->shifts = g_new (int, 2);
  for (guint i = 0; i < 2; i++)
    op->shifts[i] = positions[i] - least;
  op->shift = (adds ? least : positions[0] + positions[1]) - chain.position;
  activation = chain.activation != ASSAY_NO_NODE
                   ? assay_graph_node (self->graph, chain.activation)->op
                   : ASSAY_OP_OPAQUE;
  op->finish.activation = activation == ASSAY_OP_Relu        ? ASSAY_DPU_RELU
                          : activation == ASSAY_OP_Clip      ? ASSAY_DPU_RELU6
                          : activation == ASSAY_OP_LeakyRelu ? ASSAY_DPU_LEAKY
                                                             : ASSAY_DPU_LINEAR;
  op->finish.cap = assay_dpu_lower_cap (self, chain.position);
  if (op->finish.activation == ASSAY_DPU_LEAKY)
    op->slope = assay_node_get_float (assay_graph_node (self->graph, chain.activation), "alpha");
  if (chain.activation != ASSAY_NO_NODE && op->finish.activation == ASSAY_DPU_LINEAR)
    return assay_dpu_lower_refuse (self, "%s behind it has no integer form here",
                                   assay_op_get_info (activation)->name);
  if (adds)
    {
      warn_of_shift (self, MAX (op->shifts[0], op->shifts[1]), assay_shift_limits_read ());
      warn_of_shift (self, op->shift, assay_shift_limits_write ());
    }
  assay_dpu_lower_take (self, self->node, &chain, out);

  return TRUE;
}

/**
 * assay_dpu_lower_resize:
 * @self: a graph on its way
 * @node: a resize by whole factors
 *
 * Lowers a resize: to the nearest it only moves.
 *
 * Returns: whether the device can do it
 */
gboolean
assay_dpu_lower_resize (AssayDpuLowering *self, const AssayNode *node)
{
  const char *mode = assay_node_get_string (node, "mode");
  gboolean upsample = node->op == ASSAY_OP_Upsample;
  AssayDpuChain chain;
  const AssayDpuMap *from, *to;
  AssayDpuOp *op;
  int in, out;

  if (g_str_equal (mode, "nearest"))
    return assay_dpu_lower_move (self, node);
  in = assay_dpu_lower_input (self, node->inputs[0]);
  if (in == ASSAY_DPU_NO_MAP || !assay_dpu_lower_chain (self, node, &chain))
    return FALSE;
  out = assay_dpu_lower_result (self, chain.end, chain.position);
  from = assay_dpu_code_map (self->code, in);
  to = assay_dpu_code_map (self->code, out);
  if (from->rank != 4 || to->rank != 4 || from->dims[0] != to->dims[0] ||
      from->dims[1] != to->dims[1])
    return assay_dpu_lower_refuse (self, "it resizes more than height and width");
  op = assay_dpu_lower_op (self, ASSAY_DPU_RESIZE, 1, &in, out);
  op->window = (AssayDpuWindow){
    .n = (guint) from->dims[0],
    .h = (guint) from->dims[2],
    .w = (guint) from->dims[3],
    .c = (guint) from->dims[1],
    .oh = (guint) to->dims[2],
    .ow = (guint) to->dims[3],
    .oc = (guint) from->dims[1],
  };
  op->half_pixel = !upsample &&
                   g_str_has_suffix (assay_node_get_string (node, "coordinate_transformation_mode"),
                                     "half_pixel");
  op->shift = to->position - from->position;
  assay_dpu_lower_take (self, self->node, &chain, out);

  return TRUE;
}

/* The slopes of an activation: channels, which are last unless there are four dimensions, take
 * turns. */
static gboolean
set_slopes (AssayDpuLowering *self, AssayDpuOp *op, const AssayNode *node, const AssayDpuMap *map)
{
  guint axis = map->rank == 4 ? 1 : map->rank - 1;

  op->window.oc = map->rank > 0 ? (guint) map->dims[axis] : 1;
  if (node->op == ASSAY_OP_LeakyRelu)
    {
      op->finish.activation = ASSAY_DPU_LEAKY;
      op->slope = assay_node_get_float (node, "alpha");
      return TRUE;
    }
  op->finish.activation = ASSAY_DPU_PRELU;

  return assay_dpu_lower_slopes (self, op, node);
}

/**
 * assay_dpu_lower_activation:
 * @self: a graph on its way
 * @node: an activation that reads 8 bits
 *
 * Lowers an activation that stands alone, or whose convolution rounds before it.
 *
 * Returns: whether the device can do it
 */
gboolean
assay_dpu_lower_activation (AssayDpuLowering *self, const AssayNode *node)
{
  int in = assay_dpu_lower_input (self, node->inputs[0]);
  AssayDpuKind kind = node->op == ASSAY_OP_HardSigmoid ? ASSAY_DPU_HARD_SIGMOID
                      : node->op == ASSAY_OP_HardSwish ? ASSAY_DPU_HARD_SWISH
                                                       : ASSAY_DPU_ACTIVATE;
  AssayDpuChain chain;
  AssayDpuOp *op;
  int out, position;

  if (in == ASSAY_DPU_NO_MAP || !assay_dpu_lower_chain (self, node, &chain))
    return FALSE;
  position = assay_dpu_code_map (self->code, in)->position;
  if (kind != ASSAY_DPU_ACTIVATE && (position < 0 || position > 15))
    return assay_dpu_lower_refuse (self, "its input has position %d; the device has 0 to 15",
                                   position);
  out = assay_dpu_lower_result (self, chain.end, chain.position);
  op = assay_dpu_lower_op (self, kind, 1, &in, out);
  op->positions[0] = position;
  op->shift = kind == ASSAY_DPU_HARD_SIGMOID ? 14 + position - chain.position
                                             : position + 7 - chain.position;
  op->finish.shift = position - chain.position + 1;
  op->finish.cap = 127;
  if (kind == ASSAY_DPU_ACTIVATE &&
      !set_slopes (self, op, node, assay_dpu_code_map (self->code, out)))
    return FALSE;
  assay_dpu_lower_take (self, self->node, &chain, out);

  return TRUE;
}

/* A map as pixels of channels that lie beside each other. */
static int
put_channels_last (AssayDpuLowering *self, int map)
{
  const AssayDpuMap *info = assay_dpu_code_map (self->code, map);
  guint rank = info->rank;
  gint64 dims[ASSAY_DPU_MAX_RANK];
  int axes[ASSAY_DPU_MAX_RANK];

  if (info->last || rank == 2)
    return map;
  for (guint i = 0; i < rank; i++)
    {
      axes[i] = i == 0 ? 0 : i + 1 < rank ? (int) i + 1 : 1;
      dims[i] = info->dims[axes[i]];
    }

  return assay_dpu_lower_put (self, map, rank, dims, axes, FALSE);
}

/**
 * assay_dpu_lower_channels:
 * @self: a graph on its way
 * @node: the largest element over the channels, or the channel that has it
 *
 * Lowers what goes over the channels of each pixel. An index has no position, and at most 7 bits.
 *
 * Returns: whether the device can do it
 */
gboolean
assay_dpu_lower_channels (AssayDpuLowering *self, const AssayNode *node)
{
  gboolean index = node->op == ASSAY_OP_ArgMax;
  int in = assay_dpu_lower_input (self, node->inputs[0]);
  AssayDpuChain chain = { .end = node->outputs[0] };
  AssayDpuOp *op;
  guint channels, pixels;
  AssayAxes axes;
  int from, out;

  if (!index)
    {
      axes = assay_node_axes (self->graph, node, 4);
      if (axes.known && axes.mask == 0xc)
        return assay_dpu_lower_pool (self, node);
    }
  if (in == ASSAY_DPU_NO_MAP || (!index && !assay_dpu_lower_chain (self, node, &chain)))
    return FALSE;
  if (assay_dpu_code_map (self->code, in)->rank < 2 || !assay_dpu_lower_is_static (self, chain.end))
    return assay_dpu_lower_refuse (self, "it has no channels that are known");
  channels = (guint) assay_dpu_code_map (self->code, in)->dims[1];
  pixels = (guint) (assay_dpu_code_map (self->code, in)->n / channels);
  from = put_channels_last (self, in);
  out = assay_dpu_lower_result (self, chain.end, chain.position);
  if (assay_dpu_code_map (self->code, out)->n != pixels || channels > (index ? 128 : 4096) ||
      chain.activation != ASSAY_NO_NODE || chain.bias != ASSAY_NO_VALUE)
    return assay_dpu_lower_refuse (self, "its result has another shape");

  /* For the largest the channels are the rows of an image of one channel. */
  op = assay_dpu_lower_op (self, index ? ASSAY_DPU_ARG_MAX : ASSAY_DPU_MAX_POOL, 1, &from, out);
  op->window = (AssayDpuWindow){ .n = pixels,
                                 .h = index ? 1 : channels,
                                 .w = 1,
                                 .c = index ? channels : 1,
                                 .oh = 1,
                                 .ow = 1,
                                 .oc = 1,
                                 .kh = index ? 1 : channels,
                                 .kw = 1,
                                 .sh = 1,
                                 .sw = 1,
                                 .dh = 1,
                                 .dw = 1 };
  op->shift = chain.position - assay_dpu_code_map (self->code, in)->position;
  assay_dpu_lower_take (self, self->node, &chain, out);

  return TRUE;
}
