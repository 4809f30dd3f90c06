/* assay-builder.c
 * SPDX-License-Identifier: Apache-2.0
 */
#include "nnir/assay-builder.h"

#include <math.h>
#include <string.h>

#include "base/assay-bf16.h"

/**
 * assay_builder_init: (skip)
 * @self: where to put the builder
 * @graph: a graph that nobody else has
 * @unique_names: whether to give new nodes and values names that the graph does not have yet
 *
 * Begins to write into a graph; set the anchor before anything is added.
 */
void
assay_builder_init (AssayBuilder *self, AssayGraph *graph, gboolean unique_names)
{
  memset (self, 0, sizeof *self);
  self->graph = graph;
  if (!unique_names)
    return;

  self->nodes = g_hash_table_new (g_str_hash, g_str_equal);
  self->names = g_hash_table_new (g_str_hash, g_str_equal);
  for (AssayNodeId id = 1; id < assay_graph_n_nodes (graph); id++)
    g_hash_table_insert (self->nodes, (gpointer) assay_graph_node (graph, id)->name,
                         GUINT_TO_POINTER (id));
  for (AssayValueId id = 1; id < assay_graph_n_values (graph); id++)
    g_hash_table_add (self->names, (gpointer) assay_graph_value (graph, id)->name);
}

void
assay_builder_clear (AssayBuilder *self)
{
  g_clear_pointer (&self->nodes, g_hash_table_unref);
  g_clear_pointer (&self->names, g_hash_table_unref);
}

/**
 * assay_builder_anchor: (skip)
 * @self: a builder
 *
 * Gets the anchor.
 *
 * Returns: (transfer none): the node, until the next one is added
 */
const AssayNode *
assay_builder_anchor (const AssayBuilder *self)
{
  return assay_graph_node (self->graph, self->anchor);
}

/**
 * assay_builder_type: (skip)
 * @self: a builder
 * @value: a value, or 0
 *
 * Gets what is known of the type of a value.
 *
 * Returns: (transfer none): the type
 */
const AssayType *
assay_builder_type (const AssayBuilder *self, AssayValueId value)
{
  if (value == ASSAY_NO_VALUE)
    return &assay_type_unknown;

  return self->type != NULL ? self->type (self, value, self->user_data)
                            : assay_graph_value (self->graph, value)->type;
}

/**
 * assay_builder_last: (skip)
 * @self: a builder that has added a node
 *
 * Gets the node that was added last.
 *
 * Returns: the node
 */
AssayNodeId
assay_builder_last (const AssayBuilder *self)
{
  return assay_graph_n_nodes (self->graph) - 1;
}

static gboolean
is_taken (GHashTable *taken, const char *name, guint number)
{
  g_autofree char *numbered = g_strdup_printf ("%s_%u", name, number);

  return g_hash_table_contains (taken, numbered);
}

/* A rewrite of one node may make thousands, so the number is looked for by doubling and halving
 * and not one by one. */
static char *
new_name (AssayBuilder *self, GHashTable *taken, const char *suffix)
{
  g_autofree char *name = g_strdup_printf ("%s/%s", assay_builder_anchor (self)->name, suffix);
  guint last = 1, free = 2;

  if (taken == NULL || !g_hash_table_contains (taken, name))
    return g_steal_pointer (&name);

  while (is_taken (taken, name, free))
    {
      last = free;
      free *= 2;
    }
  while (free - last > 1)
    {
      guint middle = last + (free - last) / 2;

      *(is_taken (taken, name, middle) ? &last : &free) = middle;
    }

  return g_strdup_printf ("%s_%u", name, free);
}

static void
take_value_name (AssayBuilder *self, AssayValueId id)
{
  if (self->names != NULL)
    g_hash_table_add (self->names, (gpointer) assay_graph_value (self->graph, id)->name);
}

static AssayValueId
add_result (AssayBuilder *self, const char *suffix)
{
  g_autofree char *name = new_name (self, self->names, suffix);
  AssayValueId id = assay_graph_add_value (self->graph, assay_builder_anchor (self)->region,
                                           ASSAY_VALUE_RESULT, name, NULL);

  take_value_name (self, id);

  return id;
}

static void
add_node (AssayBuilder *self, AssayOp op, const char *suffix, guint n_inputs,
          const AssayValueId *inputs, guint n_outputs, const AssayValueId *outputs)
{
  const AssayNode *anchor = assay_builder_anchor (self);
  guint32 n_origins = anchor->n_origins, scope = anchor->scope;
  const guint32 *origins = anchor->origins;
  g_autofree char *name = new_name (self, self->nodes, suffix);
  AssayNodeId id = assay_graph_add_node (self->graph, anchor->region, op, name, n_inputs, inputs,
                                         n_outputs, outputs);

  assay_graph_edit_node (self->graph, id)->scope = scope;
  assay_graph_set_origins (self->graph, id, n_origins, origins);
  if (self->nodes != NULL)
    g_hash_table_insert (self->nodes, (gpointer) assay_graph_node (self->graph, id)->name,
                         GUINT_TO_POINTER (id));
  if (self->added != NULL)
    self->added (self, id, self->user_data);
}

static char *
full_suffix (AssayOp op, const char *suffix)
{
  return suffix != NULL ? g_strdup_printf ("%s_%s", suffix, assay_op_name (op))
                        : g_strdup (assay_op_name (op));
}

/**
 * assay_builder_add_outputs: (skip)
 * @self: a builder with an anchor
 * @op: an operation
 * @suffix: (nullable): the middle of its name
 * @n_inputs: number of inputs
 * @inputs: (array length=n_inputs): the inputs
 * @n_outputs: number of outputs
 * @outputs: (out caller-allocates) (array length=n_outputs): gets the results
 *
 * Adds a node named after the anchor, @suffix and the operation.
 */
void
assay_builder_add_outputs (AssayBuilder *self, AssayOp op, const char *suffix, guint n_inputs,
                           const AssayValueId *inputs, guint n_outputs, AssayValueId *outputs)
{
  g_autofree char *name = full_suffix (op, suffix);

  for (guint i = 0; i < n_outputs; i++)
    {
      g_autofree char *numbered = g_strdup_printf ("%s_%u", name, i);

      outputs[i] = add_result (self, n_outputs > 1 && suffix != NULL ? numbered : name);
    }
  add_node (self, op, name, n_inputs, inputs, n_outputs, outputs);
}

/**
 * assay_builder_add: (skip)
 * @self: a builder with an anchor
 * @op: an operation
 * @suffix: (nullable): the middle of its name
 * @n_inputs: number of inputs
 * @inputs: (array length=n_inputs): the inputs
 *
 * Adds a node with one result, named after the anchor, @suffix and the operation.
 *
 * Returns: the result
 */
AssayValueId
assay_builder_add (AssayBuilder *self, AssayOp op, const char *suffix, guint n_inputs,
                   const AssayValueId *inputs)
{
  AssayValueId output;

  assay_builder_add_outputs (self, op, suffix, n_inputs, inputs, 1, &output);

  return output;
}

/**
 * assay_builder_add_to: (skip)
 * @self: a builder with an anchor
 * @op: an operation
 * @suffix: the end of its name
 * @n_inputs: number of inputs
 * @inputs: (array length=n_inputs): the inputs
 * @output: a value without producer, or one that loses it, or 0
 *
 * Adds a node that makes a value that exists, if there is one.
 */
void
assay_builder_add_to (AssayBuilder *self, AssayOp op, const char *suffix, guint n_inputs,
                      const AssayValueId *inputs, AssayValueId output)
{
  if (output != ASSAY_NO_VALUE)
    add_node (self, op, suffix, n_inputs, inputs, 1, &output);
}

/**
 * assay_builder_become: (skip)
 * @self: a builder with an anchor
 * @op: an operation
 * @n_inputs: number of inputs
 * @inputs: (array length=n_inputs): the inputs
 *
 * Makes the anchor another operation without attributes. It keeps its name and its first result.
 */
void
assay_builder_become (AssayBuilder *self, AssayOp op, guint n_inputs, const AssayValueId *inputs)
{
  AssayNode *node = assay_graph_edit_node (self->graph, self->anchor);

  while (n_inputs > 0 && inputs[n_inputs - 1] == ASSAY_NO_VALUE)
    n_inputs--;
  node->inputs = assay_arena_memdup (self->graph->arena, inputs, n_inputs * sizeof *inputs);
  node->n_inputs = n_inputs;
  node->n_outputs = MIN (node->n_outputs, 1);
  node->n_attrs = 0;
  node->op = op;
  node->op_type = assay_op_get_info (op)->name;
  node->domain = assay_op_get_info (op)->domain;
}

/**
 * assay_builder_tensor: (skip)
 * @self: a builder with an anchor
 * @suffix: the end of its name
 * @tensor: (transfer none): elements
 *
 * Adds a constant.
 *
 * Returns: the constant
 */
AssayValueId
assay_builder_tensor (AssayBuilder *self, const char *suffix, AssayTensor *tensor)
{
  g_autofree char *name = new_name (self, self->names, suffix);
  AssayValueId id = assay_graph_add_constant (self->graph, assay_builder_anchor (self)->region,
                                              name, tensor);

  take_value_name (self, id);

  return id;
}

/* The bits of a number in an element type of whole bytes. */
static gboolean
encode (AssayDType dtype, double number, guint64 *bits)
{
  float single = (float) number;
  gint64 whole;
  guint32 word;

  switch (dtype)
    {
    case ASSAY_DTYPE_F64:
      memcpy (bits, &number, sizeof *bits);
      return TRUE;
    case ASSAY_DTYPE_F32:
      memcpy (&word, &single, sizeof word);
      *bits = word;
      return TRUE;
    case ASSAY_DTYPE_F16:
      *bits = assay_f16_from_f32 (single);
      return TRUE;
    case ASSAY_DTYPE_BF16:
      *bits = assay_bf16_from_f32 (single);
      return TRUE;
    case ASSAY_DTYPE_BOOL:
      *bits = number != 0;
      return TRUE;
    default:
      if (!assay_dtype_is_integer (dtype) || assay_dtype_bits (dtype) % 8 != 0 ||
          !(fabs (number) < 0x1p53))
        return FALSE;
      whole = (gint64) rint (number);
      *bits = (guint64) whole;
      return TRUE;
    }
}

/**
 * assay_builder_number: (skip)
 * @self: a builder with an anchor
 * @suffix: the end of its name
 * @dtype: an element type
 * @number: a number
 *
 * Adds a constant without dimensions.
 *
 * Returns: the constant, or 0 if the type holds no such numbers
 */
AssayValueId
assay_builder_number (AssayBuilder *self, const char *suffix, AssayDType dtype, double number)
{
  g_autoptr (AssayTensor) tensor = NULL;
  g_autoptr (GBytes) bytes = NULL;
  guint8 data[8];
  guint64 bits;

  if (!encode (dtype, number, &bits))
    return ASSAY_NO_VALUE;
  for (guint i = 0; i < sizeof data; i++)
    data[i] = (guint8) (bits >> (i * 8));
  bytes = g_bytes_new (data, assay_dtype_bits (dtype) / 8);
  tensor = assay_tensor_new (dtype, 0, NULL, bytes, NULL);

  return assay_builder_tensor (self, suffix, tensor);
}

/**
 * assay_builder_number_like: (skip)
 * @self: a builder with an anchor
 * @suffix: the end of its name
 * @number: a number
 * @like: a value
 *
 * Adds a constant without dimensions of the element type of a value; where that is unknown, a
 * conversion to it.
 *
 * Returns: the constant
 */
AssayValueId
assay_builder_number_like (AssayBuilder *self, const char *suffix, double number, AssayValueId like)
{
  AssayDType dtype = assay_builder_type (self, like)->dtype;
  AssayValueId constant = assay_builder_number (self, suffix, dtype, number);

  if (constant != ASSAY_NO_VALUE)
    return constant;
  constant = assay_builder_number (self, suffix, ASSAY_DTYPE_F32, number);

  return ASSAY_BUILD (self, CastLike, suffix, constant, like);
}

static AssayValueId
add_ints (AssayBuilder *self, const char *suffix, guint rank, guint n, const gint64 *values)
{
  const gint64 dims[] = { n };
  g_autoptr (AssayTensor) tensor = assay_tensor_new_i64 (rank, dims, values);

  return assay_builder_tensor (self, suffix, tensor);
}

/**
 * assay_builder_ints: (skip)
 * @self: a builder with an anchor
 * @suffix: the end of its name
 * @n: how many
 * @values: (array length=n): integers
 *
 * Adds a constant list of int64.
 *
 * Returns: the constant
 */
AssayValueId
assay_builder_ints (AssayBuilder *self, const char *suffix, guint n, const gint64 *values)
{
  return add_ints (self, suffix, 1, n, values);
}

/**
 * assay_builder_one_int: (skip)
 * @self: a builder with an anchor
 * @suffix: the end of its name
 * @value: an integer
 *
 * Adds a constant list of one int64.
 *
 * Returns: the constant
 */
AssayValueId
assay_builder_one_int (AssayBuilder *self, const char *suffix, gint64 value)
{
  return add_ints (self, suffix, 1, 1, &value);
}

/**
 * assay_builder_int: (skip)
 * @self: a builder with an anchor
 * @suffix: the end of its name
 * @value: an integer
 *
 * Adds a constant int64 without dimensions.
 *
 * Returns: the constant
 */
AssayValueId
assay_builder_int (AssayBuilder *self, const char *suffix, gint64 value)
{
  return add_ints (self, suffix, 0, 1, &value);
}

/**
 * assay_builder_cast: (skip)
 * @self: a builder with an anchor
 * @suffix: the middle of its name
 * @value: a value
 * @dtype: an element type
 *
 * Converts a value.
 *
 * Returns: the result
 */
AssayValueId
assay_builder_cast (AssayBuilder *self, const char *suffix, AssayValueId value, AssayDType dtype)
{
  AssayValueId cast = ASSAY_BUILD (self, Cast, suffix, value);

  assay_builder_set_int (self, cast, "to", dtype);

  return cast;
}

/**
 * assay_builder_extents: (skip)
 * @self: a builder with an anchor
 * @suffix: the middle of its name
 * @value: a value
 * @start: the first axis
 * @end: the axis after the last, 0 for all
 *
 * Gets the extents of a value as a list.
 *
 * Returns: the list
 */
AssayValueId
assay_builder_extents (AssayBuilder *self, const char *suffix, AssayValueId value, gint64 start,
                       gint64 end)
{
  AssayValueId extents = ASSAY_BUILD (self, Shape, suffix, value);

  assay_builder_set_int (self, extents, "start", start);
  if (end != 0)
    assay_builder_set_int (self, extents, "end", end);

  return extents;
}

/**
 * assay_builder_reshape: (skip)
 * @self: a builder with an anchor
 * @suffix: the middle of its name
 * @value: a value
 * @n: number of extents
 * @dims: (array length=n): the extents, 0 and -1 as in Reshape
 *
 * Gives a value another shape.
 *
 * Returns: the result
 */
AssayValueId
assay_builder_reshape (AssayBuilder *self, const char *suffix, AssayValueId value, guint n,
                       const gint64 *dims)
{
  g_autofree char *name = g_strconcat (suffix, "_shape", NULL);
  AssayValueId shape = assay_builder_ints (self, name, n, dims);

  return ASSAY_BUILD (self, Reshape, suffix, value, shape);
}

/**
 * assay_builder_transpose: (skip)
 * @self: a builder with an anchor
 * @suffix: the middle of its name
 * @value: a value
 * @rank: its rank
 * @perm: (array length=rank): the axes in their new order
 *
 * Changes the order of the axes of a value.
 *
 * Returns: the result
 */
AssayValueId
assay_builder_transpose (AssayBuilder *self, const char *suffix, AssayValueId value, guint rank,
                         const gint64 *perm)
{
  AssayValueId turned = ASSAY_BUILD (self, Transpose, suffix, value);

  assay_builder_set_ints (self, turned, "perm", rank, perm);

  return turned;
}

/**
 * assay_builder_unsqueeze: (skip)
 * @self: a builder with an anchor
 * @suffix: the middle of its name
 * @value: a value
 * @n: number of axes
 * @axes: (array length=n): where the result has an extent of 1 more
 *
 * Adds axes to a value.
 *
 * Returns: the result
 */
AssayValueId
assay_builder_unsqueeze (AssayBuilder *self, const char *suffix, AssayValueId value, guint n,
                         const gint64 *axes)
{
  g_autofree char *name = g_strconcat (suffix, "_axes", NULL);
  AssayValueId list = assay_builder_ints (self, name, n, axes);

  return ASSAY_BUILD (self, Unsqueeze, suffix, value, list);
}

/**
 * assay_builder_split: (skip)
 * @self: a builder with an anchor
 * @suffix: the middle of its name
 * @value: a value
 * @axis: an axis
 * @sizes: (nullable) (array length=n): the extents of the parts, %NULL for equal ones
 * @n: number of parts
 * @parts: (out caller-allocates) (array length=n): gets the parts
 *
 * Cuts a value along an axis.
 */
void
assay_builder_split (AssayBuilder *self, const char *suffix, AssayValueId value, gint64 axis,
                     const gint64 *sizes, guint n, AssayValueId *parts)
{
  AssayValueId inputs[2] = { value, ASSAY_NO_VALUE };

  if (sizes != NULL)
    inputs[1] = assay_builder_ints (self, suffix, n, sizes);
  assay_builder_add_outputs (self, ASSAY_OP_Split, suffix, 2, inputs, n, parts);
  assay_graph_set_int (self->graph, assay_builder_last (self), "axis", axis);
  if (sizes == NULL)
    assay_graph_set_int (self->graph, assay_builder_last (self), "num_outputs", n);
}

static AssayNodeId
producer (AssayBuilder *self, AssayValueId made)
{
  return assay_graph_value (self->graph, made)->producer;
}

/**
 * assay_builder_set_int: (skip)
 * @self: a builder
 * @made: a result
 * @name: name of an attribute
 * @value: its value
 *
 * Sets an integer attribute of the node that makes a value.
 */
void
assay_builder_set_int (AssayBuilder *self, AssayValueId made, const char *name, gint64 value)
{
  assay_graph_set_int (self->graph, producer (self, made), name, value);
}

/**
 * assay_builder_set_float: (skip)
 * @self: a builder
 * @made: a result
 * @name: name of an attribute
 * @value: its value
 *
 * Sets a float attribute of the node that makes a value.
 */
void
assay_builder_set_float (AssayBuilder *self, AssayValueId made, const char *name, double value)
{
  assay_graph_set_float (self->graph, producer (self, made), name, value);
}

/**
 * assay_builder_set_string: (skip)
 * @self: a builder
 * @made: a result
 * @name: name of an attribute
 * @value: its value
 *
 * Sets a string attribute of the node that makes a value.
 */
void
assay_builder_set_string (AssayBuilder *self, AssayValueId made, const char *name,
                          const char *value)
{
  assay_graph_set_string (self->graph, producer (self, made), name, value);
}

/**
 * assay_builder_set_ints: (skip)
 * @self: a builder
 * @made: a result
 * @name: name of an attribute
 * @n: number of integers
 * @values: (array length=n): its value
 *
 * Sets an attribute of integers of the node that makes a value.
 */
void
assay_builder_set_ints (AssayBuilder *self, AssayValueId made, const char *name, guint n,
                        const gint64 *values)
{
  assay_graph_set_ints (self->graph, producer (self, made), name, n, values);
}
