/* assay-dpu-lower.c
 * SPDX-License-Identifier: Apache-2.0
 *
 * From a quantised graph to operations of the device. What verdicts give to an engine, and what has
 * positions, becomes integers; everything else stays a node that the host computes.
 */
#include <string.h>

#include "backend/dpu/assay-dpu-lower-private.h"
#include "base/assay-error.h"
#include "nnir/assay-dims.h"

static const struct
{
  const char *name;
  AssayDpuUnit unit;
} kinds[] = {
#define KIND(ID, name, unit) { name, ASSAY_DPU_UNIT_##unit },
#include "backend/dpu/assay-dpu-kinds.def"
#undef KIND
};

/* How a node of an operation is lowered. */
static const struct
{
  AssayOp op;
  gboolean (*lower) (AssayDpuLowering *self, const AssayNode *node);
} rules[] = {
  { ASSAY_OP_Conv, assay_dpu_lower_conv },
  { ASSAY_OP_ConvTranspose, assay_dpu_lower_conv },
  { ASSAY_OP_Gemm, assay_dpu_lower_product },
  { ASSAY_OP_MatMul, assay_dpu_lower_product },
  { ASSAY_OP_MaxPool, assay_dpu_lower_pool },
  { ASSAY_OP_AveragePool, assay_dpu_lower_pool },
  { ASSAY_OP_GlobalAveragePool, assay_dpu_lower_pool },
  { ASSAY_OP_GlobalMaxPool, assay_dpu_lower_pool },
  { ASSAY_OP_ReduceMean, assay_dpu_lower_pool },
  { ASSAY_OP_Add, assay_dpu_lower_elementwise },
  { ASSAY_OP_Mul, assay_dpu_lower_elementwise },
  { ASSAY_OP_Concat, assay_dpu_lower_move },
  { ASSAY_OP_Reshape, assay_dpu_lower_move },
  { ASSAY_OP_Flatten, assay_dpu_lower_move },
  { ASSAY_OP_Squeeze, assay_dpu_lower_move },
  { ASSAY_OP_Unsqueeze, assay_dpu_lower_move },
  { ASSAY_OP_Transpose, assay_dpu_lower_move },
  { ASSAY_OP_Slice, assay_dpu_lower_move },
  { ASSAY_OP_Pad, assay_dpu_lower_move },
  { ASSAY_OP_DepthToSpace, assay_dpu_lower_move },
  { ASSAY_OP_SpaceToDepth, assay_dpu_lower_move },
  { ASSAY_OP_Identity, assay_dpu_lower_move },
  { ASSAY_OP_Resize, assay_dpu_lower_resize },
  { ASSAY_OP_Upsample, assay_dpu_lower_resize },
  { ASSAY_OP_LeakyRelu, assay_dpu_lower_activation },
  { ASSAY_OP_PRelu, assay_dpu_lower_activation },
  { ASSAY_OP_ReduceMax, assay_dpu_lower_channels },
  { ASSAY_OP_ArgMax, assay_dpu_lower_channels },
  { ASSAY_OP_HardSigmoid, assay_dpu_lower_activation },
  { ASSAY_OP_HardSwish, assay_dpu_lower_activation },
};

/**
 * assay_dpu_kind_name:
 * @kind: a kind of operation
 *
 * Names it.
 *
 * Returns: in words
 */
const char *
assay_dpu_kind_name (AssayDpuKind kind)
{
  return kinds[kind].name;
}

static void
map_clear (gpointer data)
{
  g_free (((AssayDpuMap *) data)->constant);
}

static void
op_clear (gpointer data)
{
  AssayDpuOp *op = data;

  g_free (op->inputs);
  g_free (op->weights);
  g_free (op->bias);
  g_free (op->bias_bits);
  g_free (op->slopes);
  g_free (op->table);
  g_free (op->shifts);
  g_free (op->begins);
}

void
assay_dpu_code_free (AssayDpuCode *self)
{
  if (self == NULL)
    return;

  g_array_unref (self->maps);
  g_array_unref (self->ops);
  g_array_unref (self->rows);
  g_array_unref (self->places);
  assay_graph_unref (self->graph);
  g_free (self);
}

/**
 * assay_dpu_code_root:
 * @self: a program
 * @map: a map
 *
 * Finds the map that has the elements of one.
 *
 * Returns: that map
 */
int
assay_dpu_code_root (const AssayDpuCode *self, int map)
{
  while (assay_dpu_code_map (self, map)->alias != ASSAY_DPU_NO_MAP)
    map = assay_dpu_code_map (self, map)->alias;

  return map;
}

/**
 * assay_dpu_map_store:
 * @self: a map
 * @logical: an element, counted in the order of the graph
 *
 * Finds where an element lies.
 *
 * Returns: its place in memory
 */
gsize
assay_dpu_map_store (const AssayDpuMap *self, gsize logical)
{
  gsize plane, channels, image;

  if (!self->last || self->rank != 4)
    return logical;
  plane = (gsize) self->dims[2] * (gsize) self->dims[3];
  channels = (gsize) self->dims[1];
  image = logical / (plane * channels);
  logical -= image * plane * channels;

  return image * plane * channels + logical % plane * channels + logical / plane;
}

void
assay_dpu_numbers_clear (AssayDpuNumbers *self)
{
  g_clear_pointer (&self->bits, g_free);
}

/**
 * assay_dpu_lower_refuse:
 * @self: a graph on its way
 * @format: why the device cannot do the node
 * @...: arguments of @format
 *
 * Notes why a node is left to the host.
 *
 * Returns: %FALSE
 */
gboolean
assay_dpu_lower_refuse (AssayDpuLowering *self, const char *format, ...)
{
  va_list args;

  va_start (args, format);
  g_string_vprintf (self->reason, format, args);
  va_end (args);

  return FALSE;
}

static AssayDType
dtype_of (AssayDpuLowering *self, AssayValueId value)
{
  return value != ASSAY_NO_VALUE ? assay_graph_value (self->graph, value)->type->dtype
                                 : ASSAY_DTYPE_UNDEFINED;
}

/* The position of a QuantizeLinear or DequantizeLinear of what numbers are held in. */
static gboolean
read_position (AssayDpuLowering *self, const AssayNode *node, AssayDType dtype, int *position)
{
  AssayTensor *scale = assay_graph_constant (self->graph, assay_node_input (node, 1));
  AssayTensor *zero = assay_graph_constant (self->graph, assay_node_input (node, 2));
  double value;

  if (scale == NULL || assay_tensor_get_n_elements (scale) != 1 ||
      !assay_tensor_get_element (scale, 0, &value, NULL) ||
      !assay_position_of_scale (value, position))
    return FALSE;

  return (zero != NULL || assay_node_input (node, 2) == ASSAY_NO_VALUE) &&
         assay_position_is_centred (dtype, zero);
}

/* A bias that is wider than the device has it, such as one in 32 bits. */
static gboolean
narrow (AssayDpuLowering *self, AssayValueId value, AssayTensor *tensor, double scale,
        AssayDpuNumbers *numbers)
{
  gsize n = assay_tensor_get_n_elements (tensor);
  g_autofree float *floats = g_new (float, MAX (n, 1));
  double element;

  for (gsize i = 0; i < n; i++)
    {
      if (!assay_tensor_get_element (tensor, i, &element, NULL))
        return assay_dpu_lower_refuse (self, "a constant cannot be read");
      floats[i] = (float) (element * scale);
    }
  numbers->position = assay_position_find (floats, n, ASSAY_ROUNDING_AWAY);
  assay_position_quantize_all (floats, n, numbers->position, ASSAY_ROUNDING_AWAY, numbers->bits);
  assay_findings_add (self->findings, ASSAY_SEVERITY_WARNING, "dpu.narrowed", NULL,
                      assay_graph_node (self->graph, self->node)->name, NULL, -1,
                      "%s has more than 8 bits: it became 8 bits at position %d",
                      assay_graph_value (self->graph, value)->name, numbers->position);

  return TRUE;
}

/* Reads a constant; one of floats has a position that is nobody's but ours to choose. */
static gboolean
read_tensor (AssayDpuLowering *self, AssayValueId value, AssayTensor *tensor, double scale,
             AssayDpuNumbers *numbers)
{
  gconstpointer data = assay_tensor_get_data (tensor, NULL, NULL);

  if (data == NULL || assay_tensor_get_rank (tensor) > ASSAY_DPU_MAX_RANK ||
      assay_tensor_get_n_elements (tensor) == 0)
    return assay_dpu_lower_refuse (self, "a constant cannot be read");
  numbers->n = assay_tensor_get_n_elements (tensor);
  numbers->rank = assay_tensor_get_rank (tensor);
  memcpy (numbers->dims, assay_tensor_get_dims (tensor), numbers->rank * sizeof (gint64));
  numbers->bits = g_malloc (MAX (numbers->n, 1));
  if (assay_tensor_get_dtype (tensor) != ASSAY_DTYPE_I8 &&
      assay_tensor_get_dtype (tensor) != ASSAY_DTYPE_U8)
    return narrow (self, value, tensor, scale, numbers);
  memcpy (numbers->bits, data, numbers->n);
  for (gsize i = 0; assay_tensor_get_dtype (tensor) == ASSAY_DTYPE_U8 && i < numbers->n; i++)
    numbers->bits[i] = (gint8) (numbers->bits[i] ^ 0x80);

  return TRUE;
}

/**
 * assay_dpu_lower_numbers:
 * @self: a graph on its way
 * @value: what should be a constant with a position
 * @numbers: (out): the constant, to be cleared
 *
 * Reads a constant in 8 bits, with what moves it.
 *
 * Returns: whether it is one; else there is a reason
 */
gboolean
assay_dpu_lower_numbers (AssayDpuLowering *self, AssayValueId value, AssayDpuNumbers *numbers)
{
  AssayNodeId id = value != ASSAY_NO_VALUE ? assay_graph_value (self->graph, value)->producer
                                           : ASSAY_NO_NODE;
  const AssayNode *node = id != ASSAY_NO_NODE ? assay_graph_node (self->graph, id) : NULL;
  AssayTensor *tensor, *scale;
  double factor;

  *numbers = (AssayDpuNumbers){ 0 };
  if (node == NULL || node->op != ASSAY_OP_DequantizeLinear)
    return assay_dpu_lower_refuse (
        self, "%s has no position",
        value != ASSAY_NO_VALUE ? assay_graph_value (self->graph, value)->name : "an operand");
  tensor = assay_graph_constant (self->graph, node->inputs[0]);
  if (tensor == NULL)
    return assay_dpu_lower_refuse (self, "%s is no constant",
                                   assay_graph_value (self->graph, value)->name);
  /* A bias in 32 bits has the zero point of i8. */
  if (!read_position (self, node,
                      assay_tensor_get_dtype (tensor) == ASSAY_DTYPE_U8 ? ASSAY_DTYPE_U8
                                                                        : ASSAY_DTYPE_I8,
                      &numbers->position))
    return assay_dpu_lower_refuse (self,
                                   "%s has a scale that is no power of two, or another zero point",
                                   assay_graph_value (self->graph, value)->name);
  scale = assay_graph_constant (self->graph, node->inputs[1]);

  return assay_tensor_get_element (scale, 0, &factor, NULL) &&
         read_tensor (self, value, tensor, factor, numbers);
}

/**
 * assay_dpu_lower_is_static:
 * @self: a graph on its way
 * @value: a value
 *
 * Tells whether all extents of a value are known and the device can count them.
 *
 * Returns: whether they are
 */
gboolean
assay_dpu_lower_is_static (AssayDpuLowering *self, AssayValueId value)
{
  gsize n;
  const AssayType *type;

  if (value == ASSAY_NO_VALUE)
    return FALSE;
  type = assay_graph_value (self->graph, value)->type;

  return type->kind == ASSAY_TYPE_KIND_TENSOR && type->rank >= 0 &&
         type->rank <= ASSAY_DPU_MAX_RANK && assay_type_count (type, &n) && n > 0 &&
         n < G_MAXINT32 / 2;
}

static gboolean
is_part_of (AssayDpuLowering *self, AssayNodeId id, AssayNodeId group)
{
  return self->placement->into[id] == group;
}

static gboolean
is_activation (AssayOp op)
{
  return op == ASSAY_OP_Relu || op == ASSAY_OP_Clip || op == ASSAY_OP_LeakyRelu ||
         op == ASSAY_OP_PRelu;
}

/**
 * assay_dpu_lower_chain:
 * @self: a graph on its way
 * @node: the node that others are a part of
 * @chain: (out): these
 *
 * Follows what is one operation with a node up to where its result gets a position.
 *
 * Returns: whether it gets one; else there is a reason
 */
gboolean
assay_dpu_lower_chain (AssayDpuLowering *self, const AssayNode *node, AssayDpuChain *chain)
{
  AssayNodeId group = self->placement->into[self->node] != ASSAY_NO_NODE
                          ? self->placement->into[self->node]
                          : self->node;
  const AssayNodeId *readers;
  guint n;

  *chain = (AssayDpuChain){ .end = node->outputs[0] };
  for (guint hops = 0; hops < 3; hops++)
    {
      const AssayNode *reader;

      readers = assay_uses_get (self->uses, chain->end, &n);
      if (n != 1 || !is_part_of (self, readers[0], group) ||
          assay_uses_is_output (self->uses, chain->end))
        break;
      reader = assay_graph_node (self->graph, readers[0]);
      if (reader->op == ASSAY_OP_Add && chain->bias == ASSAY_NO_VALUE)
        chain->bias = reader->inputs[reader->inputs[0] == chain->end ? 1 : 0];
      else if (is_activation (reader->op) && chain->activation == ASSAY_NO_NODE)
        chain->activation = readers[0];
      else
        break;
      chain->end = reader->outputs[0];
    }

  readers = assay_uses_get (self->uses, chain->end, &n);
  for (guint i = 0; i < n; i++)
    if (assay_graph_node (self->graph, readers[i])->op == ASSAY_OP_QuantizeLinear &&
        read_position (self, assay_graph_node (self->graph, readers[i]),
                       dtype_of (self, assay_graph_node (self->graph, readers[i])->outputs[0]),
                       &chain->position))
      {
        chain->quantize = readers[i];
        return assay_dpu_lower_is_static (self, chain->end) ||
               assay_dpu_lower_refuse (self, "the extents of its result are not known");
      }

  return assay_dpu_lower_refuse (self, "its result %s has no position",
                                 assay_graph_value (self->graph, chain->end)->name);
}

/**
 * assay_dpu_lower_input:
 * @self: a graph on its way
 * @value: a value that a node reads
 *
 * Finds the map of a value; a constant becomes one.
 *
 * Returns: the map, or %ASSAY_DPU_NO_MAP with a reason
 */
int
assay_dpu_lower_input (AssayDpuLowering *self, AssayValueId value)
{
  int map = value != ASSAY_NO_VALUE ? g_array_index (self->code->places, int, value)
                                    : ASSAY_DPU_NO_MAP;
  g_auto (AssayDpuNumbers) numbers = { 0 };
  AssayDpuMap *made;

  if (map != ASSAY_DPU_NO_MAP)
    return map;
  if (value == ASSAY_NO_VALUE || !assay_dpu_lower_numbers (self, value, &numbers))
    {
      assay_dpu_lower_refuse (self, "its input %s has no position",
                              value != ASSAY_NO_VALUE ? assay_graph_value (self->graph, value)->name
                                                      : "");
      return ASSAY_DPU_NO_MAP;
    }
  map = assay_dpu_lower_new_map (self, value, numbers.position, numbers.rank, numbers.dims,
                                 numbers.rank == 4);
  made = assay_dpu_code_map (self->code, map);
  made->constant = g_malloc (numbers.n);
  for (gsize i = 0; i < numbers.n; i++)
    made->constant[assay_dpu_map_store (made, i)] = numbers.bits[i];
  assay_dpu_lower_place (self, value, map);

  return map;
}

/**
 * assay_dpu_lower_new_map:
 * @self: a graph on its way
 * @value: (nullable): the value that it holds
 * @position: of its numbers
 * @rank: number of dimensions
 * @dims: the dimensions
 * @last: whether channels lie last
 *
 * Adds a map.
 *
 * Returns: its index
 */
int
assay_dpu_lower_new_map (AssayDpuLowering *self, AssayValueId value, int position, guint rank,
                         const gint64 *dims, gboolean last)
{
  AssayDpuMap map = { .value = value, .position = position, .rank = rank, .last = last };

  map.name = value != ASSAY_NO_VALUE ? assay_graph_value (self->graph, value)->name
                                     : assay_graph_node (self->graph, self->node)->name;
  memcpy (map.dims, dims, rank * sizeof *dims);
  map.n = assay_dims_product (dims, 0, rank);
  map.alias = ASSAY_DPU_NO_MAP;
  map.born = G_MAXUINT32;
  g_array_append_val (self->code->maps, map);

  return (int) self->code->maps->len - 1;
}

/**
 * assay_dpu_lower_result:
 * @self: a graph on its way
 * @value: a value
 * @position: of its numbers
 *
 * Adds the map that a value is made into.
 *
 * Returns: its index
 */
int
assay_dpu_lower_result (AssayDpuLowering *self, AssayValueId value, int position)
{
  const AssayType *type = assay_graph_value (self->graph, value)->type;
  gint64 dims[ASSAY_DPU_MAX_RANK];

  for (int i = 0; i < type->rank; i++)
    dims[i] = type->dims[i].size;

  return assay_dpu_lower_new_map (self, value, position, (guint) type->rank, dims, type->rank == 4);
}

/**
 * assay_dpu_lower_place:
 * @self: a graph on its way
 * @value: a value
 * @map: the map that it is in
 *
 * Notes where a value is.
 */
void
assay_dpu_lower_place (AssayDpuLowering *self, AssayValueId value, int map)
{
  g_array_index (self->code->places, int, value) = map;
}

/**
 * assay_dpu_lower_take:
 * @self: a graph on its way
 * @node: the node
 * @chain: what is one operation with it
 * @map: what it makes
 *
 * Notes that all of a chain is done.
 */
void
assay_dpu_lower_take (AssayDpuLowering *self, AssayNodeId node, const AssayDpuChain *chain, int map)
{
  AssayValueId value = assay_graph_node (self->graph, node)->outputs[0];

  for (guint hops = 0; hops < 4; hops++)
    {
      guint n;
      const AssayNodeId *readers;

      assay_dpu_lower_place (self, value, map);
      if (value == chain->end)
        break;
      readers = assay_uses_get (self->uses, value, &n);
      self->done[readers[0]] = TRUE;
      value = assay_graph_node (self->graph, readers[0])->outputs[0];
    }
  if (chain->quantize == ASSAY_NO_NODE)
    return;
  self->done[chain->quantize] = TRUE;
  value = assay_graph_node (self->graph, chain->quantize)->outputs[0];
  assay_dpu_lower_place (self, value, map);
}

/**
 * assay_dpu_lower_op:
 * @self: a graph on its way
 * @kind: what it is
 * @n_inputs: number of maps that go in
 * @inputs: these
 * @output: the map that comes out
 *
 * Adds an operation.
 *
 * Returns: the operation, until the next one is added
 */
AssayDpuOp *
assay_dpu_lower_op (AssayDpuLowering *self, AssayDpuKind kind, guint n_inputs, const int *inputs,
                    int output)
{
  AssayDpuOp op = { .kind = kind, .unit = kinds[kind].unit, .node = self->node };
  guint8 engine = self->placement->engines[self->node];

  if (engine > 0 && kind != ASSAY_DPU_FIX && kind != ASSAY_DPU_HOST)
    op.unit = (AssayDpuUnit) (engine - 1);
  op.fused = self->placement->into[self->node] != ASSAY_NO_NODE &&
             (kind == ASSAY_DPU_MOVE || kind == ASSAY_DPU_HARD_SIGMOID ||
              kind == ASSAY_DPU_HARD_SWISH);
  op.n_inputs = n_inputs;
  op.inputs = g_memdup2 (inputs, n_inputs * sizeof *inputs);
  op.output = output;
  g_array_append_val (self->code->ops, op);

  return assay_dpu_code_op (self->code, self->code->ops->len - 1);
}

/* Floats that the host has made, or that come in, become 8 bits. */
static void
lower_quantize (AssayDpuLowering *self, const AssayNode *node)
{
  int map = g_array_index (self->code->places, int, node->inputs[0]);
  int position, made;
  AssayDpuOp *op;

  if (!read_position (self, node, dtype_of (self, node->outputs[0]), &position) ||
      !assay_dpu_lower_is_static (self, node->outputs[0]))
    return;
  if (map != ASSAY_DPU_NO_MAP && assay_dpu_code_map (self->code, map)->position == position)
    {
      assay_dpu_lower_place (self, node->outputs[0], map);
      self->done[self->node] = TRUE;
      return;
    }

  made = assay_dpu_lower_result (self, node->outputs[0], position);
  if (map == ASSAY_DPU_NO_MAP)
    {
      op = assay_dpu_lower_op (self, ASSAY_DPU_FIX, 0, NULL, made);
      op->value = node->inputs[0];
    }
  else
    {
      const AssayDpuMap *from = assay_dpu_code_map (self->code, map);
      gsize n = from->n;

      op = assay_dpu_lower_op (self, ASSAY_DPU_MOVE, 1, &map, made);
      op->table = g_new (gint32, n);
      for (gsize i = 0; i < n; i++)
        op->table[i] = (gint32) i;
      op->shifts = g_new0 (int, 1);
      op->shifts[0] = position - from->position;
      op->begins = g_new0 (guint32, 1);
    }
  assay_dpu_lower_place (self, node->outputs[0], made);
  self->done[self->node] = TRUE;
}

static void
lower_dequantize (AssayDpuLowering *self, const AssayNode *node)
{
  int map = g_array_index (self->code->places, int, node->inputs[0]);
  int position;

  /* Weights are read where they are used. */
  if (assay_graph_constant (self->graph, node->inputs[0]) != NULL)
    {
      self->done[self->node] = TRUE;
    }
  else if (map != ASSAY_DPU_NO_MAP &&
           read_position (self, node, dtype_of (self, node->inputs[0]), &position) &&
           position == assay_dpu_code_map (self->code, map)->position)
    {
      assay_dpu_lower_place (self, node->outputs[0], map);
      self->done[self->node] = TRUE;
    }
}

static gboolean
lower_on_device (AssayDpuLowering *self, const AssayNode *node)
{
  if (self->placement->engines[self->node] == 0)
    return FALSE;

  for (guint i = 0; i < G_N_ELEMENTS (rules); i++)
    if (rules[i].op == node->op)
      {
        if (rules[i].lower (self, node))
          return TRUE;
        if (self->refused == NULL)
          self->refused = g_strdup_printf ("%s %s is left to the host: %s", node->op_type,
                                           node->name, self->reason->str);
        assay_findings_add (self->findings, ASSAY_SEVERITY_WARNING, "dpu.host", NULL, node->name,
                            NULL, -1,
                            "%s is computed on the host in float, though the device takes it: %s",
                            node->op_type, self->reason->str);
        return FALSE;
      }
  assay_findings_add (self->findings, ASSAY_SEVERITY_WARNING, "dpu.not-executed", NULL, node->name,
                      NULL, -1,
                      "%s is computed on the host in float: the device takes it, and the machine "
                      "has no integer form of it",
                      node->op_type);

  return FALSE;
}

/* The rows of the listing: an operation with those that only bring its operands into order. */
static void
number_rows (AssayDpuLowering *self)
{
  guint32 row = self->code->rows->len;

  if (self->first == self->code->ops->len)
    return;
  g_array_append_val (self->code->rows, self->first);
  for (guint i = self->first; i < self->code->ops->len; i++)
    assay_dpu_code_op (self->code, i)->row = row;
}

static void
lower_node (AssayDpuLowering *self, AssayNodeId id)
{
  const AssayNode *node = assay_graph_node (self->graph, id);
  guint n_maps = self->code->maps->len;

  self->node = id;
  self->first = self->code->ops->len;
  g_string_truncate (self->reason, 0);
  if (self->done[id])
    return;
  if (node->op == ASSAY_OP_QuantizeLinear)
    lower_quantize (self, node);
  else if (node->op == ASSAY_OP_DequantizeLinear)
    lower_dequantize (self, node);
  else
    self->done[id] = lower_on_device (self, node) ? 1 : 0;

  if (!self->done[id])
    {
      /* What a rule has made before it gave up belongs to nobody. */
      g_array_set_size (self->code->ops, self->first);
      for (AssayValueId i = 1; i < self->code->places->len; i++)
        if (g_array_index (self->code->places, int, i) >= (int) n_maps)
          g_array_index (self->code->places, int, i) = ASSAY_DPU_NO_MAP;
      g_array_set_size (self->code->maps, n_maps);
      assay_dpu_lower_op (self, ASSAY_DPU_HOST, 0, NULL, ASSAY_DPU_NO_MAP);
    }
  number_rows (self);
}

/* When each map lives, and a place for it beside all that live then: the first that is free. */
static void
read_map (AssayDpuCode *code, int map, guint op)
{
  AssayDpuMap *root = assay_dpu_code_map (code, assay_dpu_code_root (code, map));

  root->died = MAX (root->died, op);
}

static void
find_lifetimes (AssayDpuLowering *self)
{
  AssayDpuCode *code = self->code;
  const GArray *outputs = assay_graph_region (self->graph, ASSAY_MAIN_REGION)->outputs;

  for (guint i = 0; i < code->ops->len; i++)
    {
      const AssayDpuOp *op = assay_dpu_code_op (code, i);
      guint last = i;

      /* What an instruction reads stays until it is done, whatever it takes to do it. */
      while (last + 1 < code->ops->len && assay_dpu_code_op (code, last + 1)->row == op->row)
        last++;
      for (guint j = 0; j < op->n_inputs; j++)
        read_map (code, op->inputs[j], last);
      if (op->kind == ASSAY_DPU_HOST)
        {
          const AssayNode *node = assay_graph_node (self->graph, op->node);

          for (guint j = 0; j < node->n_inputs; j++)
            if (node->inputs[j] != ASSAY_NO_VALUE &&
                g_array_index (code->places, int, node->inputs[j]) != ASSAY_DPU_NO_MAP)
              read_map (code, g_array_index (code->places, int, node->inputs[j]), i);
        }
      if (op->output != ASSAY_DPU_NO_MAP)
        {
          AssayDpuMap *map = assay_dpu_code_map (code, op->output);

          map->born = MIN (map->born, i);
          map->died = MAX (map->died, i);
        }
    }
  for (guint i = 0; i < outputs->len; i++)
    {
      int map = g_array_index (code->places, int, g_array_index (outputs, AssayValueId, i));

      if (map != ASSAY_DPU_NO_MAP)
        read_map (code, map, code->ops->len - 1);
    }
}

/* Maps begin at whole blocks, which are what is planned. */
static gsize
size_of (const AssayDpuMap *map)
{
  return assay_dpu_filled (map->n, ASSAY_DPU_BLOCK);
}

static gboolean
has_place (const AssayDpuMap *map)
{
  return map->alias == ASSAY_DPU_NO_MAP && map->constant == NULL && map->born != G_MAXUINT32;
}

static gboolean
overlaps (const AssayDpuMap *a, const AssayDpuMap *b)
{
  return a->born <= b->died && b->born <= a->died;
}

static void
place_maps (AssayDpuCode *code)
{
  for (guint i = 0; i < code->maps->len; i++)
    {
      AssayDpuMap *map = assay_dpu_code_map (code, (int) i);
      gboolean moved = has_place (map);

      while (moved)
        {
          moved = FALSE;
          for (guint j = 0; j < i; j++)
            {
              const AssayDpuMap *other = assay_dpu_code_map (code, (int) j);

              if (has_place (other) && overlaps (map, other) &&
                  map->base < other->base + size_of (other) &&
                  other->base < map->base + size_of (map))
                {
                  map->base = other->base + size_of (other);
                  moved = TRUE;
                }
            }
        }
      if (has_place (map))
        code->n_bytes = MAX (code->n_bytes, map->base + size_of (map));
    }
}

static void
lowering_clear (AssayDpuLowering *self)
{
  g_clear_pointer (&self->code, assay_dpu_code_free);
  g_clear_pointer (&self->uses, assay_uses_free);
  g_clear_pointer (&self->evaluator, assay_evaluator_free);
  g_clear_pointer (&self->done, g_free);
  g_clear_pointer (&self->refused, g_free);
  if (self->reason != NULL)
    g_string_free (self->reason, TRUE);
}

G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (AssayDpuLowering, lowering_clear)

static gboolean
computes_integers (const AssayDpuCode *code)
{
  for (guint i = 0; i < code->ops->len; i++)
    {
      AssayDpuKind kind = assay_dpu_code_op (code, i)->kind;

      if (kind != ASSAY_DPU_HOST && kind != ASSAY_DPU_FIX)
        return TRUE;
    }

  return FALSE;
}

/**
 * assay_dpu_lower:
 * @graph: a quantised model in canonical form, every extent known
 * @placement: what the verdicts say of its nodes
 * @options: what the sources disagree about
 * @findings: (nullable): gets what is left to the host, and why
 * @error: return location for a #GError
 *
 * Makes a program.
 *
 * Returns: (transfer full) (nullable): the program
 */
AssayDpuCode *
assay_dpu_lower (AssayGraph *graph, const AssayDpuPlacement *placement,
                 const AssayDpuOptions *options, AssayFindings *findings, GError **error)
{
  g_auto (AssayDpuLowering) self = { .graph = graph, .placement = placement };
  AssayEvaluateOptions wide = ASSAY_EVALUATE_OPTIONS_DEFAULT;
  g_autoptr (AssayFindings) none = assay_findings_new ();
  g_autoptr (GArray) order = assay_graph_sort_region (graph, ASSAY_MAIN_REGION, NULL);

  wide.wide = TRUE;
  wide.n_threads = 1;
  self.findings = findings != NULL ? findings : none;
  self.code = g_new0 (AssayDpuCode, 1);
  self.code->graph = assay_graph_ref (graph);
  self.code->maps = g_array_new (FALSE, TRUE, sizeof (AssayDpuMap));
  self.code->ops = g_array_new (FALSE, TRUE, sizeof (AssayDpuOp));
  self.code->rows = g_array_new (FALSE, FALSE, sizeof (guint32));
  self.code->places = g_array_sized_new (FALSE, FALSE, sizeof (int), assay_graph_n_values (graph));
  self.code->options = *options;
  g_array_set_clear_func (self.code->maps, map_clear);
  g_array_set_clear_func (self.code->ops, op_clear);
  for (guint i = 0; i < assay_graph_n_values (graph); i++)
    {
      const int none_yet = ASSAY_DPU_NO_MAP;

      g_array_append_val (self.code->places, none_yet);
    }
  self.uses = assay_uses_new (graph);
  self.done = g_new0 (guint8, assay_graph_n_nodes (graph));
  self.reason = g_string_new (NULL);
  self.evaluator = assay_evaluator_new (graph, &wide, error);
  if (self.evaluator == NULL)
    return NULL;

  for (guint i = 0; i < order->len; i++)
    lower_node (&self, g_array_index (order, AssayNodeId, i));
  if (!computes_integers (self.code))
    {
      g_set_error (error, ASSAY_ERROR, ASSAY_ERROR_UNSUPPORTED,
                   "nothing of the model has positions that the device could compute with%s%s; "
                   "`assay quantize` makes a model that has",
                   self.refused != NULL ? ": " : "", self.refused != NULL ? self.refused : "");
      return NULL;
    }
  find_lifetimes (&self);
  place_maps (self.code);

  return g_steal_pointer (&self.code);
}
