/* assay-lir.c
 * SPDX-License-Identifier: Apache-2.0
 */
#include "backend/stream/compile/assay-lir.h"

#include <string.h>

static void
matrix_clear (gpointer data)
{
  assay_tensor_unref (((AssayMatrix *) data)->tensor);
}

/**
 * assay_lir_new:
 * @config: the hardware, which must outlive the result
 *
 * Makes an empty lowered model.
 *
 * Returns: (transfer full): the model
 */
AssayLir *
assay_lir_new (const AssayConfigValues *config)
{
  AssayLir *self = g_new0 (AssayLir, 1);

  self->config = config;
  self->arena = assay_arena_new ();
  self->node_names = g_ptr_array_new ();
  self->vectors = g_array_new (FALSE, TRUE, sizeof (AssayLirVector));
  self->ops = g_array_new (FALSE, TRUE, sizeof (AssayLirOp));
  self->layers = g_array_new (FALSE, TRUE, sizeof (AssayLirLayer));
  self->matrices = g_array_new (FALSE, TRUE, sizeof (AssayMatrix));
  self->constants = g_ptr_array_new_with_free_func ((GDestroyNotify) assay_tensor_unref);
  self->rings = g_array_new (FALSE, TRUE, sizeof (AssayRing));
  self->inputs = g_array_new (FALSE, TRUE, sizeof (AssayPort));
  self->outputs = g_array_new (FALSE, TRUE, sizeof (AssayPort));
  self->models = g_array_new (FALSE, TRUE, sizeof (AssayLirModel));
  self->values = g_array_new (FALSE, FALSE, sizeof (AssayLirValue));
  g_array_set_clear_func (self->matrices, matrix_clear);
  g_array_set_size (self->vectors, 1);

  return self;
}

void
assay_lir_free (AssayLir *self)
{
  if (self == NULL)
    return;

  g_array_unref (self->vectors);
  g_array_unref (self->ops);
  g_array_unref (self->layers);
  g_array_unref (self->matrices);
  g_ptr_array_unref (self->constants);
  g_array_unref (self->rings);
  g_array_unref (self->inputs);
  g_array_unref (self->outputs);
  g_array_unref (self->models);
  g_array_unref (self->values);
  g_ptr_array_unref (self->node_names);
  g_free (self->lives);
  assay_arena_free (self->arena);
  g_free (self);
}

/**
 * assay_lir_add_vector:
 * @self: a lowered model
 * @store: where it will lie
 * @kind: what it is for
 * @name: of the value it is part of
 * @node: the node it comes from
 * @lanes: number of values
 *
 * Adds a vector.
 *
 * Returns: the vector
 */
AssayLirId
assay_lir_add_vector (AssayLir *self, AssayStore store, AssayTensorKind kind, const char *name,
                      guint32 node, guint32 lanes)
{
  AssayLirVector vector = {
    .name = assay_arena_intern (self->arena, name),
    .store = (guint8) store,
    .kind = (guint8) kind,
    .unit_blocks = 1,
    .lanes = lanes,
    .node = node,
  };

  g_array_append_val (self->vectors, vector);

  return self->vectors->len - 1;
}

/**
 * assay_lir_add_op:
 * @self: a lowered model
 * @opcode: the instruction
 * @node: the node it comes from
 * @d: the vector it writes, or 0
 * @lanes: number of values
 * @round: how the result is rounded
 *
 * Adds an operation, whose sources the caller fills in before adding the next one.
 *
 * Returns: (transfer none): the operation
 */
AssayLirOp *
assay_lir_add_op (AssayLir *self, AssayOpcode opcode, guint32 node, AssayLirId d, guint32 lanes,
                  AssayRound round)
{
  AssayLirOp op = {
    .opcode = (guint8) opcode,
    .round = (guint8) round,
    .node = node,
    .d = d,
    .lanes = lanes,
  };

  g_array_append_val (self->ops, op);

  return &g_array_index (self->ops, AssayLirOp, self->ops->len - 1);
}

/**
 * assay_lir_add_constant:
 * @self: a lowered model
 * @n: number of values
 * @values: the values
 *
 * Adds a constant vector.
 *
 * Returns: its index
 */
guint32
assay_lir_add_constant (AssayLir *self, guint32 n, const float *values)
{
  gint64 dim = n;

  /* Biases repeat from timestep to timestep; the last few are looked through. */
  for (guint i = self->constants->len; i-- > 0 && i + 8 >= self->constants->len;)
    {
      AssayTensor *tensor = g_ptr_array_index (self->constants, i);

      if (assay_tensor_get_n_elements (tensor) == n &&
          memcmp (assay_tensor_get_data (tensor, NULL, NULL), values, n * sizeof *values) == 0)
        return i;
    }

  g_ptr_array_add (self->constants, assay_tensor_new_f32 (1, &dim, values));

  return self->constants->len - 1;
}

/**
 * assay_lir_add_matrix:
 * @self: a lowered model
 * @n_outputs: rows
 * @n_inputs: columns
 * @fp8: whether it is stored as fp8
 * @values: (transfer full): the elements, row major
 *
 * Adds a constant matrix, or finds the equal one that was added before.
 *
 * Returns: its index
 */
guint32
assay_lir_add_matrix (AssayLir *self, guint32 n_outputs, guint32 n_inputs, gboolean fp8,
                      float *values)
{
  gint64 dims[] = { n_outputs, n_inputs };
  g_autoptr (GBytes)
      bytes = g_bytes_new_take (values, (gsize) n_outputs * n_inputs * sizeof *values);
  AssayMatrix matrix = { .n_outputs = n_outputs, .n_inputs = n_inputs, .fp8 = fp8 };

  matrix.tensor = assay_tensor_new (ASSAY_DTYPE_F32, 2, dims, bytes, NULL);

  return assay_lir_take_matrix (self, &matrix);
}

/**
 * assay_lir_take_matrix:
 * @self: a lowered model
 * @matrix: the matrix, whose reference to its tensor is taken
 *
 * Adds a constant matrix, or finds the equal one that was added before.
 *
 * Returns: its index
 */
guint32
assay_lir_take_matrix (AssayLir *self, const AssayMatrix *matrix)
{
  gsize n_bytes = 0;
  gconstpointer values = assay_tensor_get_data (matrix->tensor, &n_bytes, NULL);

  for (guint i = 0; i < self->matrices->len; i++)
    {
      const AssayMatrix *other = &g_array_index (self->matrices, AssayMatrix, i);

      if (other->n_outputs == matrix->n_outputs && other->n_inputs == matrix->n_inputs &&
          other->fp8 == matrix->fp8 &&
          memcmp (assay_tensor_get_data (other->tensor, NULL, NULL), values, n_bytes) == 0)
        {
          assay_tensor_unref (matrix->tensor);
          return i;
        }
    }

  g_array_append_vals (self->matrices, matrix, 1);

  return self->matrices->len - 1;
}

/**
 * assay_lir_add_layer:
 * @self: a lowered model
 * @node: the node
 * @n_units: units of rows that can be placed apart
 * @unit_blocks: block rows of a unit
 * @allowed: the cores it may lie on, a bit each
 *
 * Adds a layer.
 *
 * Returns: 1 + its index
 */
guint32
assay_lir_add_layer (AssayLir *self, guint32 node, guint32 n_units, guint32 unit_blocks,
                     guint64 allowed)
{
  AssayLirLayer layer = { .node = node,
                          .n_units = n_units,
                          .unit_blocks = unit_blocks,
                          .allowed = allowed,
                          .twin = self->layers->len };

  g_array_append_val (self->layers, layer);

  return self->layers->len;
}

/**
 * assay_lir_add_ring:
 * @self: a lowered model
 * @slots: how many old vectors it keeps
 * @lanes: values of a vector
 *
 * Adds a window of old vectors.
 *
 * Returns: 1 + its index
 */
guint32
assay_lir_add_ring (AssayLir *self, guint32 slots, guint32 lanes)
{
  AssayRing ring = { .slots = slots, .blocks = assay_lir_blocks (self, lanes) };

  g_array_append_val (self->rings, ring);

  return self->rings->len;
}
