/* assay-lower.c
 * SPDX-License-Identifier: Apache-2.0
 *
 * From NNIR to operations on single vectors. A tensor is a list of vectors along its data
 * dimension; what only moves vectors costs nothing, since the list of the result names the same
 * ones.
 */
#include "backend/stream/compile/assay-lower.h"

#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/assay-error.h"
#include "backend/stream/compile/assay-lower-ports.h"
#include "base/assay-sentence.h"
#include "nnir/assay-axes.h"
#include "nnir/assay-dims.h"

/* Smaller ones come from pages that there are already. */
#define LARGE_MATRIX ((gsize) 4 << 20)

typedef struct
{
  AssayOp op;
  AssayLowerFunc lower;
} Rule;

static const Rule rules[] = {
#define LOWER(op, function) { ASSAY_OP_##op, assay_lower_##function },
#include "backend/stream/compile/assay-lower-ops.def"
#undef LOWER
};

/**
 * assay_lower_refuse:
 * @self: the lowering
 * @error: return location for a #GError
 * @format: what the node asks for that cannot be done
 * @...: arguments of @format
 *
 * Fails with %ASSAY_ERROR_UNSUPPORTED, naming the node.
 *
 * Returns: %FALSE
 */
gboolean
assay_lower_refuse (AssayLower *self, GError **error, const char *format, ...)
{
  g_autofree char *path = assay_graph_node_path (self->graph, self->id);
  g_autofree char *reason = NULL;
  va_list args;

  va_start (args, format);
  reason = g_strdup_vprintf (format, args);
  va_end (args);

  g_set_error (error, ASSAY_ERROR, ASSAY_ERROR_UNSUPPORTED, "%s %s: %s", self->node->op_type, path,
               reason);

  return FALSE;
}

/* The attribute "axis", counted from the front. */
gboolean
assay_lower_axis (AssayLower *self, const AssayLowTensor *tensor, guint *axis, GError **error)
{
  int found;

  if (!assay_node_get_axis (self->node, (int) tensor->rank, &found))
    return assay_lower_refuse (self, error, "its axis is none of %u", tensor->rank);
  *axis = (guint) found;

  return TRUE;
}

static AssayLowTensor *
tensor_of (AssayLower *self, AssayValueId id)
{
  return id == ASSAY_NO_VALUE ? NULL : &self->tensors[id];
}

/**
 * assay_lower_input:
 * @self: the lowering
 * @index: which input of the node
 *
 * Gets an input as vectors.
 *
 * Returns: (transfer none) (nullable): the tensor, or %NULL if the input is omitted
 */
AssayLowTensor *
assay_lower_input (AssayLower *self, guint index)
{
  return tensor_of (self, assay_node_input (self->node, index));
}

/**
 * assay_lower_output:
 * @self: the lowering
 * @index: which output of the node
 *
 * Gets an output, whose vectors the rule fills in.
 *
 * Returns: (transfer none) (nullable): the tensor, or %NULL if nobody wants it
 */
AssayLowTensor *
assay_lower_output (AssayLower *self, guint index)
{
  return tensor_of (self, assay_node_output (self->node, index));
}

/**
 * assay_lower_home:
 * @self: the lowering
 *
 * Gets the core that makes what no other has a reason to make.
 *
 * Returns: its number
 */
guint16
assay_lower_home (const AssayLower *self)
{
  return (guint16) __builtin_ctzll (self->cores);
}

/**
 * assay_lower_new_vector:
 * @self: the lowering
 * @kind: what it is for
 * @lanes: number of values
 *
 * Adds a vector of the current node to tensor RAM, named after the node's first output.
 *
 * Returns: the vector
 */
AssayLirId
assay_lower_new_vector (AssayLower *self, AssayTensorKind kind, guint32 lanes)
{
  AssayValueId value = assay_node_output (self->node, 0);

  AssayLirId id = assay_lir_add_vector (self->lir, ASSAY_STORE_TENSOR, kind,
                                        assay_graph_value (self->graph, value)->name, self->id,
                                        lanes);

  assay_lir_vector (self->lir, id)->home = assay_lower_home (self);

  return id;
}

/**
 * assay_lower_new_matrix:
 * @n_outputs: rows
 * @n_inputs: columns
 *
 * Makes room for the elements of a matrix. All pages of a large one are asked for at once, since
 * most of what copying weights takes is asking for one after the other.
 *
 * Returns: (transfer full): the elements, which are not set
 */
float *
assay_lower_new_matrix (gsize n_outputs, gsize n_inputs)
{
  float *values = g_new (float, n_outputs *n_inputs);

#ifdef MADV_POPULATE_WRITE
  gsize page = (gsize) sysconf (_SC_PAGESIZE);
  gsize before = (page - (gsize) (guintptr) values % page) % page;
  gsize n_bytes = n_outputs * n_inputs * sizeof *values;

  /* Where the system cannot, they come one after the other. */
  if (n_bytes >= LARGE_MATRIX)
    (void) madvise ((guint8 *) values + before, n_bytes - before, MADV_POPULATE_WRITE);
#endif

  return values;
}

/**
 * assay_lower_add_matrix:
 * @self: the lowering
 * @n_outputs: rows
 * @n_inputs: columns
 * @values: (transfer full): the elements, row major
 *
 * Adds a constant matrix in the form in which weights are stored.
 *
 * Returns: its index
 */
guint32
assay_lower_add_matrix (AssayLower *self, guint32 n_outputs, guint32 n_inputs, float *values)
{
  return assay_lir_add_matrix (self->lir, n_outputs, n_inputs, self->fp8, values);
}

/**
 * assay_lower_add_layer:
 * @self: the lowering
 * @n_units: units of rows that can be placed apart
 * @unit_blocks: block rows of a unit
 *
 * Adds a layer of the current node, which may lie on all cores that the model may use.
 *
 * Returns: 1 + its index
 */
guint32
assay_lower_add_layer (AssayLower *self, guint32 n_units, guint32 unit_blocks)
{
  return assay_lir_add_layer (self->lir, self->id, n_units, unit_blocks, self->cores);
}

/**
 * assay_lower_new_scratch:
 * @self: the lowering
 * @lanes: number of values
 *
 * Adds an fp32 vector for what a composite keeps between its steps.
 *
 * Returns: the vector
 */
AssayLirId
assay_lower_new_scratch (AssayLower *self, guint32 lanes)
{
  AssayLirId id = assay_lower_new_vector (self, ASSAY_TENSOR_SCRATCH, lanes);

  assay_lir_vector (self->lir, id)->fp32 = TRUE;

  return id;
}

/**
 * assay_lower_new_window:
 * @self: the lowering
 * @slots: how many old vectors it keeps
 * @lanes: values of a vector
 * @initial: what its newest vector is after a reset; of kind %ASSAY_LIR_NONE if it is empty then
 *
 * Adds a window of old vectors, and what resets it if that is wanted or needed.
 *
 * Returns: the vector that stands for the window
 */
AssayLirId
assay_lower_new_window (AssayLower *self, guint32 slots, guint32 lanes, AssayLirOperand initial)
{
  AssayLirId id = assay_lower_new_vector (self, ASSAY_TENSOR_STATE, lanes);
  guint32 ring = assay_lir_add_ring (self->lir, slots, lanes);
  AssayLirVector *vector = assay_lir_vector (self->lir, id);

  vector->ring = ring;
  vector->persistent = TRUE;
  g_array_index (self->lir->rings, AssayRing, ring - 1).initial = initial.kind != ASSAY_LIR_NONE
                                                                      ? 1
                                                                      : 0;

  if (self->state_reset)
    assay_lower_emit (self, ASSAY_OPCODE_RESET, id, ASSAY_ROUND_F32, (AssayLirOperand){ 0 },
                      (AssayLirOperand){ 0 })
        ->reset = TRUE;
  if (initial.kind != ASSAY_LIR_NONE)
    assay_lower_emit (self, ASSAY_OPCODE_MOVE, id, ASSAY_ROUND_BF16, initial,
                      (AssayLirOperand){ 0 })
        ->reset = TRUE;

  return id;
}

/**
 * assay_lower_index:
 * @tensor: a tensor
 * @vector: which of its vectors
 * @index: (out) (array): the index of lane 0 of that vector
 *
 * Finds where a vector stands in its tensor.
 */
void
assay_lower_index (const AssayLowTensor *tensor, guint32 vector, gint64 *index)
{
  for (guint i = tensor->rank; i-- > 0;)
    {
      index[i] = 0;
      if ((int) i == tensor->data_dim)
        continue;
      index[i] = vector % tensor->dims[i];
      vector = (guint32) (vector / tensor->dims[i]);
    }
}

/**
 * assay_lower_locate:
 * @tensor: a tensor
 * @index: (array): the index of an element
 * @vector: (out): which vector holds it
 * @lane: (out): which lane
 *
 * Finds the vector and lane of an element.
 */
void
assay_lower_locate (const AssayLowTensor *tensor, const gint64 *index, guint32 *vector,
                    guint32 *lane)
{
  gint64 v = 0;

  *lane = tensor->data_dim < 0 ? 0 : (guint32) index[tensor->data_dim];
  for (guint i = 0; i < tensor->rank; i++)
    {
      if ((int) i != tensor->data_dim)
        v = v * tensor->dims[i] + index[i];
    }
  *vector = (guint32) v;
}

/**
 * assay_lower_floats:
 * @tensor: a constant of any numeric type
 * @values: (out) (transfer full): its elements
 * @n: (out): how many
 * @error: return location for a #GError
 *
 * Reads a constant as floats.
 *
 * Returns: whether it could be read
 */
gboolean
assay_lower_floats (AssayTensor *tensor, float **values, gsize *n, GError **error)
{
  g_autofree float *result = NULL;
  gsize n_bytes = 0;
  gconstpointer data;

  *n = assay_tensor_get_n_elements (tensor);
  result = g_new (float, *n + 1);

  if (assay_tensor_get_dtype (tensor) == ASSAY_DTYPE_F32)
    {
      data = assay_tensor_get_data (tensor, &n_bytes, error);
      if (data == NULL && *n > 0)
        return FALSE;
      if (*n > 0)
        memcpy (result, data, n_bytes);
    }
  else
    {
      for (gsize i = 0; i < *n; i++)
        {
          double value;

          if (!assay_tensor_get_element (tensor, i, &value, error))
            return FALSE;
          result[i] = (float) value;
        }
    }

  *values = g_steal_pointer (&result);
  return TRUE;
}

/**
 * assay_lower_weights:
 * @tensor: a constant of any numeric type
 * @own: (out) (transfer full) (nullable): what keeps the elements, if they had to be converted
 * @error: return location for a #GError
 *
 * Reads a constant as floats, where it lies if it has floats: weights are large, and are copied
 * into the form of the machine anyway.
 *
 * Returns: (transfer none) (nullable): its elements, or %NULL if they cannot be read
 */
const AssayLooseFloat *
assay_lower_weights (AssayTensor *tensor, float **own, GError **error)
{
  gsize n = 0;

  if (assay_tensor_get_dtype (tensor) == ASSAY_DTYPE_F32 &&
      assay_tensor_get_n_elements (tensor) > 0)
    return assay_tensor_get_data (tensor, NULL, error);

  return assay_lower_floats (tensor, own, &n, error) ? *own : NULL;
}

/* All elements of a constant at once, read when the first of them is wanted. */
static const float *
get_floats (AssayLower *self, AssayLowTensor *tensor)
{
  float *floats = NULL;
  gsize n;

  if (tensor->floats == NULL)
    {
      /* Data that cannot be read was refused before any node was lowered. */
      if (!assay_lower_floats (tensor->constant, &floats, &n, NULL))
        floats = g_new0 (float, n + 1);
      g_ptr_array_add (self->floats, floats);
      tensor->floats = floats;
    }

  return tensor->floats;
}

/**
 * assay_lower_constant:
 * @self: the lowering
 * @tensor: a constant
 * @out: the result it is broadcast to
 * @index: (array): where the first lane of a vector of the result stands
 *
 * Gets the elements of a constant that meet one vector of a result.
 *
 * Returns: the operand
 */
AssayLirOperand
assay_lower_constant (AssayLower *self, AssayLowTensor *tensor, const AssayLowTensor *out,
                      const gint64 *index)
{
  g_autofree float *lanes = NULL;
  const float *floats = get_floats (self, tensor);
  gboolean same = TRUE;
  gint64 at[ASSAY_MAX_RANK];
  gsize first;
  gsize step = 0;

  memcpy (at, index, out->rank * sizeof *at);
  if (out->data_dim >= 0)
    at[out->data_dim] = 0;
  first = assay_dims_place (tensor->rank, tensor->dims, out->rank, at);
  if (out->lanes > 1)
    {
      at[out->data_dim] = 1;
      step = assay_dims_place (tensor->rank, tensor->dims, out->rank, at) - first;
    }
  if (step == 0)
    return assay_lir_immediate (floats[first]);

  lanes = g_new (float, out->lanes);
  for (guint32 lane = 0; lane < out->lanes; lane++)
    {
      lanes[lane] = floats[first + lane * step];
      same = same && memcmp (&lanes[lane], &lanes[0], sizeof (float)) == 0;
    }

  if (same)
    return assay_lir_immediate (lanes[0]);

  return (AssayLirOperand){
    .kind = ASSAY_LIR_CONSTANT,
    .id = assay_lir_add_constant (self->lir, out->lanes, lanes),
  };
}

/**
 * assay_lower_operand:
 * @self: the lowering
 * @tensor: a source
 * @out: the result it is broadcast to
 * @vector: which vector of the result
 *
 * Gets what a pointwise operation on one vector of the result reads of a source.
 *
 * Returns: the operand
 */
AssayLirOperand
assay_lower_operand (AssayLower *self, AssayLowTensor *tensor, AssayLowTensor *out, guint32 vector)
{
  gint64 index[ASSAY_MAX_RANK];
  gint64 source[ASSAY_MAX_RANK];
  guint32 v, lane;

  assay_lower_index (out, vector, index);
  if (tensor->vectors == NULL)
    return assay_lower_constant (self, tensor, out, index);

  for (guint i = 0; i < tensor->rank; i++)
    source[i] = tensor->dims[i] == 1 ? 0 : index[i + out->rank - tensor->rank];
  assay_lower_locate (tensor, source, &v, &lane);

  return tensor->lanes == 1 && out->lanes > 1 ? assay_lir_use_repeat (tensor->vectors[v])
                                              : assay_lir_use (tensor->vectors[v]);
}

/**
 * assay_lower_emit:
 * @self: the lowering
 * @opcode: the instruction
 * @d: the vector it writes
 * @round: how the result is rounded
 * @a: first source
 * @b: second source
 *
 * Adds an operation on all lanes of a vector.
 *
 * Returns: (transfer none): the operation, good until the next one is added
 */
AssayLirOp *
assay_lower_emit (AssayLower *self, AssayOpcode opcode, AssayLirId d, AssayRound round,
                  AssayLirOperand a, AssayLirOperand b)
{
  AssayLirOp *op = assay_lir_add_op (self->lir, opcode, self->id, d,
                                     assay_lir_vector (self->lir, d)->lanes, round);

  op->a = a;
  op->b = b;

  return op;
}

/**
 * assay_lower_shift:
 * @self: the lowering
 * @d: the vector it writes into
 * @source: the vector it reads
 * @from: first lane that is read
 * @to: first lane that is written
 * @lanes: how many
 * @clears: of the first shift into @d: its lanes; else 0
 *
 * Copies a run of lanes.
 *
 * Returns: the vector that was written into
 */
AssayLirOperand
assay_lower_shift (AssayLower *self, AssayLirId d, AssayLirOperand source, guint32 from, guint32 to,
                   guint32 lanes, guint32 clears)
{
  AssayLirOp *op = assay_lir_add_op (self->lir, ASSAY_OPCODE_SHIFT, self->id, d, lanes,
                                     ASSAY_ROUND_F32);

  op->a = source;
  op->low.lane = from;
  op->high.lane = to;
  op->clears = clears;

  return assay_lir_use (d);
}

/**
 * assay_lower_is_run_time:
 * @dtype: an element type
 *
 * Tells whether a tensor that is computed may have elements of a type: floats, which are all stored
 * alike, and what decides between them.
 *
 * Returns: whether it may
 */
gboolean
assay_lower_is_run_time (AssayDType dtype)
{
  return dtype == ASSAY_DTYPE_F32 || dtype == ASSAY_DTYPE_F16 || dtype == ASSAY_DTYPE_BF16 ||
         dtype == ASSAY_DTYPE_BOOL;
}

static gboolean
check_run_time (const AssayValue *value, gsize count, GError **error)
{
  if (!assay_lower_is_run_time (value->type->dtype))
    {
      g_set_error (
          error, ASSAY_ERROR, ASSAY_ERROR_UNSUPPORTED,
          "Value %s has elements of type %s; run-time tensors may be f32, f16, bf16 or bool",
          value->name, assay_dtype_name (value->type->dtype));
      return FALSE;
    }
  if (count == 0)
    {
      g_set_error (error, ASSAY_ERROR, ASSAY_ERROR_UNSUPPORTED, "Value %s has no elements",
                   value->name);
      return FALSE;
    }

  return TRUE;
}

/* Whether every extent is known but for that of the axis that became time. */
static gboolean
has_extents (const AssayType *type, int time_axis)
{
  if (type->kind != ASSAY_TYPE_KIND_TENSOR || type->rank < 0)
    return FALSE;

  for (int i = 0; i < type->rank; i++)
    if (type->dims[i].size < 0 && i != time_axis)
      return FALSE;

  return TRUE;
}

/**
 * assay_lower_describe:
 * @self: the lowering
 * @id: a value that is read or made
 * @error: return location for a #GError
 *
 * Finds out how a value lies in vectors.
 *
 * Returns: %FALSE with %ASSAY_ERROR_UNSUPPORTED if it cannot
 */
gboolean
assay_lower_describe (AssayLower *self, AssayValueId id, GError **error)
{
  const AssayValue *value = assay_graph_value (self->graph, id);
  AssayLowTensor *tensor = &self->tensors[id];
  gint64 *dims;
  gsize count = 1;

  if (!has_extents (value->type, self->vanishing != NULL ? self->vanishing[id] : -1))
    {
      g_autofree char *text = assay_type_to_string (value->type);

      g_set_error (error, ASSAY_ERROR, ASSAY_ERROR_UNSUPPORTED,
                   "Value %s has type %s; every extent must be known to compile, bind it",
                   value->name, text);
      return FALSE;
    }

  tensor->rank = (guint) value->type->rank;
  tensor->dims = dims = assay_arena_alloc_n (self->lir->arena, tensor->rank + 1, sizeof *dims);
  for (guint i = 0; i < tensor->rank; i++)
    dims[i] = self->vanishing != NULL && self->vanishing[id] == (int) i ? 1
                                                                        : value->type->dims[i].size;

  tensor->constant = value->is_parameter ? value->constant : assay_graph_constant (self->graph, id);
  tensor->data_dim = self->data_dims[id];
  tensor->lanes = tensor->data_dim < 0 ? 1 : (guint32) dims[tensor->data_dim];

  for (guint i = 0; i < tensor->rank; i++)
    {
      if ((int) i != tensor->data_dim && !g_size_checked_mul (&count, count, (gsize) dims[i]))
        count = G_MAXSIZE;
    }
  if (tensor->constant == NULL && !assay_lower_is_unread (self->graph, self->uses, id) &&
      !check_run_time (value, count * tensor->lanes, error))
    return FALSE;
  if (count > G_MAXINT32)
    {
      g_set_error (error, ASSAY_ERROR, ASSAY_ERROR_UNSUPPORTED, "Value %s has too many vectors",
                   value->name);
      return FALSE;
    }
  /* An input that nothing reads may have no elements, and is no vector then. */
  tensor->n_vectors = tensor->lanes > 0 ? (guint32) count : 0;

  return TRUE;
}

/**
 * assay_lower_check_computed:
 * @self: the lowering
 * @id: a value that is there
 * @error: return location for a #GError
 *
 * Makes sure that a value has vectors: a comparison has none of its own, because the selection that
 * reads it does both.
 *
 * Returns: %FALSE with %ASSAY_ERROR_UNSUPPORTED if it has not
 */
gboolean
assay_lower_check_computed (AssayLower *self, AssayValueId id, GError **error)
{
  const AssayLowTensor *tensor = &self->tensors[id];

  if (tensor->vectors == NULL || tensor->vectors[0] != 0)
    return TRUE;

  g_set_error (error, ASSAY_ERROR, ASSAY_ERROR_UNSUPPORTED,
               "The result of a comparison, %s, can only be the condition of a Where",
               assay_graph_value (self->graph, id)->name);
  return FALSE;
}

static AssayLowerFunc
find_rule (AssayOp op)
{
  for (guint i = 0; i < G_N_ELEMENTS (rules); i++)
    {
      if (rules[i].op == op)
        return rules[i].lower;
    }

  return NULL;
}

/* The units that compute in fp32 from end to end: pointwise, what moves lanes, and of the functions
 * exp (the forms of https://vollo.myrtle.ai/29.0.0/supported-models.html that may be fp32). */
static gboolean
can_be_fp32 (const AssayLirOp *op)
{
  AssayPrecision precision = assay_opcode_get_info ((AssayOpcode) op->opcode)->precision;

  return (precision == ASSAY_PRECISION_WIDE || precision == ASSAY_PRECISION_AS_KEPT) &&
         (op->opcode != ASSAY_OPCODE_FUNCTION || op->function == ASSAY_FUNCTION_EXP);
}

/* Lets what a rule emitted round nothing. */
static gboolean
keep_in_fp32 (AssayLower *self, guint first_op, guint first_vector, GError **error)
{
  for (guint i = first_op; i < self->lir->ops->len; i++)
    {
      AssayLirOp *op = &g_array_index (self->lir->ops, AssayLirOp, i);

      if (!can_be_fp32 (op))
        return assay_lower_refuse (self, error, "it cannot be kept in fp32: %s works in bf16",
                                   op->opcode == ASSAY_OPCODE_FUNCTION
                                       ? "the function unit, but for exp,"
                                       : assay_opcode_get_info ((AssayOpcode) op->opcode)->name);
      op->round = ASSAY_ROUND_F32;
      for (guint j = 0; j < ASSAY_LIR_N_SOURCES; j++)
        op->sources[j].exact = op->sources[j].kind == ASSAY_LIR_CONSTANT ||
                               op->sources[j].kind == ASSAY_LIR_IMMEDIATE;
    }

  for (guint i = first_vector; i < self->lir->vectors->len; i++)
    {
      AssayLirVector *vector = assay_lir_vector (self->lir, i);

      if (vector->alias_of == 0)
        vector->fp32 = vector->kept = TRUE;
    }

  return TRUE;
}

/* Views name the vectors that they show; those that are kept in fp32 are read rounded, whatever way
 * a view goes. */
static void
round_kept (AssayLower *self)
{
  for (guint i = 0; i < self->node->n_outputs; i++)
    {
      AssayLowTensor *out = assay_lower_output (self, i);
      AssayLirId before = 0, rounded = 0;

      for (guint32 v = 0; out != NULL && v < out->n_vectors; v++)
        {
          AssayLirId id = out->vectors[v];

          if (id == 0 || !assay_lir_vector (self->lir, id)->kept)
            continue;
          if (id != before)
            {
              rounded = assay_lower_new_vector (self, ASSAY_TENSOR_ACTIVATION, out->lanes);
              assay_lower_emit (self, ASSAY_OPCODE_MOVE, rounded, ASSAY_ROUND_BF16,
                                assay_lir_use (id), (AssayLirOperand){ 0 });
            }
          before = id;
          out->vectors[v] = rounded;
        }
    }
}

static gboolean
lower_as_chosen (AssayLower *self, AssayLowerFunc rule, GError **error)
{
  const AssayChoice *choice = assay_choices_get (self->choices, self->id);
  guint first_op = self->lir->ops->len;
  guint first_vector = self->lir->vectors->len;
  guint first_layer = self->lir->layers->len;

  if (!rule (self, error))
    return FALSE;
  if (choice == NULL || !choice->fp32)
    round_kept (self);
  if (choice == NULL)
    return TRUE;

  if (choice->fp32 && !keep_in_fp32 (self, first_op, first_vector, error))
    return FALSE;
  if (choice->cores == 0)
    return TRUE;

  if (self->lir->layers->len == first_layer)
    return assay_lower_refuse (
        self, error, "it cannot be pinned: it has no rows of weights to divide over cores");
  for (guint i = first_layer; i < self->lir->layers->len; i++)
    {
      AssayLirLayer *layer = &g_array_index (self->lir->layers, AssayLirLayer, i);

      layer->allowed = choice->cores;
      layer->pinned = TRUE;
      if (assay_lir_n_allowed (layer) > layer->n_units)
        return assay_lower_refuse (
            self, error, "it cannot be pinned to %u core%s: it has %u row%s of blocks to divide",
            assay_lir_n_allowed (layer), assay_plural (assay_lir_n_allowed (layer)), layer->n_units,
            assay_plural (layer->n_units));
    }

  return TRUE;
}

/* Whether a rule takes its first operand from tensor RAM, where constants are not. */
static gboolean
reads_vectors (AssayLowerFunc rule)
{
  static const AssayLowerFunc rules_on_vectors[] = {
    assay_lower_softmax,
    assay_lower_normalize,
    assay_lower_group_normalize,
    assay_lower_batch_normalize,
    assay_lower_reduce,
    assay_lower_pool,
    assay_lower_identity,
    assay_lower_dropout,
    assay_lower_conv,
    assay_lower_lstm,
    assay_lower_gru,
    assay_lower_rnn,
  };

  for (guint i = 0; i < G_N_ELEMENTS (rules_on_vectors); i++)
    {
      if (rules_on_vectors[i] == rule)
        return TRUE;
    }

  return FALSE;
}

/* Whether a node works on constants where it cannot, or on nothing else. */
static gboolean
needs_folding (AssayLower *self, AssayLowerFunc rule)
{
  gboolean run_time = FALSE;

  for (guint i = 0; i < self->node->n_inputs; i++)
    run_time = run_time || (assay_lower_input (self, i) != NULL &&
                            assay_lower_input (self, i)->vectors != NULL);

  return self->node->n_inputs > 0 && assay_lower_input (self, 0) != NULL &&
         (!run_time || (reads_vectors (rule) && assay_lower_input (self, 0)->vectors == NULL));
}

/**
 * assay_lower_describe_result:
 * @self: the lowering
 * @id: a value that goes out of a body
 * @error: return location for a #GError
 *
 * Makes sure that a value is there as vectors or as a constant.
 *
 * Returns: %FALSE with %ASSAY_ERROR_UNSUPPORTED if it is neither
 */
gboolean
assay_lower_describe_result (AssayLower *self, AssayValueId id, GError **error)
{
  return assay_lower_describe (self, id, error) && assay_lower_check_computed (self, id, error);
}

/**
 * assay_lower_node:
 * @self: the lowering
 * @id: a node whose inputs are there
 * @error: return location for a #GError
 *
 * Lowers a node, unless all its results are constant.
 *
 * Returns: %FALSE with %ASSAY_ERROR_UNSUPPORTED if it cannot
 */
gboolean
assay_lower_node (AssayLower *self, AssayNodeId id, GError **error)
{
  AssayLowerFunc rule;
  gboolean needed = FALSE;

  self->id = id;
  self->node = assay_graph_node (self->graph, id);

  for (guint i = 0; i < self->node->n_outputs; i++)
    {
      if (self->node->outputs[i] != ASSAY_NO_VALUE &&
          !assay_graph_is_constant (self->graph, self->node->outputs[i]))
        needed = TRUE;
    }
  if (!needed)
    return TRUE;

  rule = find_rule (self->node->op);
  if (rule == NULL)
    return assay_lower_refuse (self, error, "no instruction sequence computes it");

  for (guint i = 0; i < self->node->n_inputs; i++)
    {
      AssayValueId value = self->node->inputs[i];

      if (value == ASSAY_NO_VALUE)
        continue;
      if (!assay_lower_describe (self, value, error))
        return FALSE;
      if ((self->node->op != ASSAY_OP_Where || i != 0) &&
          !assay_lower_check_computed (self, value, error))
        return FALSE;
    }

  for (guint i = 0; i < self->node->n_outputs; i++)
    {
      AssayLowTensor *tensor = assay_lower_output (self, i);

      if (tensor == NULL)
        continue;
      if (!assay_lower_describe (self, self->node->outputs[i], error))
        return FALSE;
      tensor->vectors = assay_arena_alloc_n (self->lir->arena, tensor->n_vectors,
                                             sizeof (AssayLirId));
    }

  if (needs_folding (self, rule))
    return assay_lower_refuse (
        self, error, "its operand %s is constant; fold what no input changes before compiling",
        assay_graph_value (self->graph, self->node->inputs[0])->name);

  return lower_as_chosen (self, rule, error);
}

/* What became of the values, for who wants to look at them while the program runs. */
static void
keep_values (AssayLower *self, const AssayRegion *main)
{
  for (guint i = 0; i < main->nodes->len; i++)
    {
      const AssayNode *node = assay_graph_node (self->graph,
                                                g_array_index (main->nodes, AssayNodeId, i));

      for (guint j = 0; j < node->n_outputs; j++)
        {
          const AssayLowTensor *tensor = tensor_of (self, node->outputs[j]);
          AssayLirValue value;

          if (tensor == NULL || tensor->vectors == NULL)
            continue;
          value = (AssayLirValue){
            .id = node->outputs[j],
            .rank = tensor->rank,
            .dims = tensor->dims,
            .time_axis = self->vanishing == NULL ? -1 : self->vanishing[node->outputs[j]],
            .data_dim = tensor->data_dim,
            .n_vectors = tensor->n_vectors,
            .lanes = tensor->lanes,
            .vectors = tensor->vectors,
          };
          g_array_append_val (self->lir->values, value);
        }
    }
}

static void
name_model (AssayLir *lir, const AssayGraph *graph, const AssayLowerOptions *options)
{
  AssayLirModel model = {
    .name = assay_arena_intern (lir->arena, options->name),
    .resettable = assay_settings_get_flag (options->settings, ASSAY_SETTING_STATE_RESET),
    .n_inputs = lir->inputs->len,
    .n_outputs = lir->outputs->len,
  };

  g_array_append_val (lir->models, model);
  for (guint i = 0; i < assay_graph_n_nodes (graph); i++)
    g_ptr_array_add (lir->node_names,
                     (gpointer) assay_arena_intern (lir->arena, assay_graph_node (graph, i)->name));
}

/**
 * assay_lower:
 * @graph: a canonical graph, all extents known
 * @config: the hardware, which must outlive the result
 * @options: how
 * @error: return location for a #GError
 *
 * Lowers the main region of a graph to operations on single vectors.
 *
 * Returns: (transfer full) (nullable): the lowered model
 */
AssayLir *
assay_lower (AssayGraph *graph, const AssayConfigValues *config, const AssayLowerOptions *options,
             GError **error)
{
  g_autoptr (AssayLir) lir = assay_lir_new (config);
  g_autofree AssayLowTensor *tensors = g_new0 (AssayLowTensor, assay_graph_n_values (graph));
  g_autoptr (GPtrArray) floats = g_ptr_array_new_with_free_func (g_free);
  g_autoptr (AssayUses) uses = assay_uses_new (graph);
  const AssayRegion *main = assay_graph_region (graph, ASSAY_MAIN_REGION);
  AssayLower self = {
    .lir = lir,
    .graph = graph,
    .uses = uses,
    .data_dims = options->data_dims,
    .vanishing = options->vanishing,
    .dynamic_weights = assay_settings_get_flag (options->settings, ASSAY_SETTING_DYNAMIC_WEIGHTS),
    .fp8 = assay_settings_get_flag (options->settings, ASSAY_SETTING_FP8_WEIGHTS),
    .state_reset = assay_settings_get_flag (options->settings, ASSAY_SETTING_STATE_RESET),
    .cores = options->cores != 0 ? options->cores : G_MAXUINT64 >> (64 - config->num_cores),
    .choices = options->choices,
    .tensors = tensors,
    .floats = floats,
  };

  if (!assay_lower_check_ports (graph, uses, options->vanishing != NULL, error))
    return NULL;

  for (guint i = 0; i < main->inputs->len; i++)
    {
      AssayValueId id = g_array_index (main->inputs, AssayValueId, i);

      if (!assay_lower_describe (&self, id, error))
        return NULL;
      if (tensors[id].constant == NULL)
        assay_lower_add_input (&self, id);
    }

  for (guint i = 0; i < main->nodes->len; i++)
    {
      if (!assay_progress_check (options->progress, error) ||
          !assay_lower_node (&self, g_array_index (main->nodes, AssayNodeId, i), error))
        return NULL;
    }

  for (guint i = 0; i < main->outputs->len; i++)
    {
      AssayValueId id = g_array_index (main->outputs, AssayValueId, i);

      if (id != ASSAY_NO_VALUE && !assay_lower_add_output (&self, id, error))
        return NULL;
    }

  keep_values (&self, main);
  name_model (lir, graph, options);

  return g_steal_pointer (&lir);
}
