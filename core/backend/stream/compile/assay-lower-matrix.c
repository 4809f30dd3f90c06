/* assay-lower-matrix.c
 * SPDX-License-Identifier: Apache-2.0
 *
 * Products with constant matrices. The order of the sum is that of docs/numerics.md: bias, then old
 * state from the oldest tap to the newest, then the present input.
 */
#include <string.h>

#include "backend/stream/compile/assay-lower-private.h"

/**
 * assay_lower_new_accumulator:
 * @self: the lowering
 * @lanes: number of values
 * @layer: 1 + the layer whose rows it holds
 * @persistent: whether it lives between inferences
 *
 * Adds accumulators for one product.
 *
 * Returns: the vector
 */
AssayLirId
assay_lower_new_accumulator (AssayLower *self, guint32 lanes, guint32 layer, gboolean persistent)
{
  AssayLirId id = assay_lower_new_vector (self, ASSAY_TENSOR_SCRATCH, lanes);
  AssayLirVector *vector = assay_lir_vector (self->lir, id);

  vector->store = ASSAY_STORE_ACCUMULATOR;
  vector->layer = layer;
  vector->persistent = persistent;

  return id;
}

/**
 * assay_lower_emit_start:
 * @self: the lowering
 * @acc: accumulators or a cell state
 * @layer: 1 + the layer
 * @bias: what they start from; of kind %ASSAY_LIR_NONE for zero
 * @deferred: whether it works for the next inference
 *
 * Starts a sum.
 */
void
assay_lower_emit_start (AssayLower *self, AssayLirId acc, guint32 layer, AssayLirOperand bias,
                        gboolean deferred)
{
  AssayLirOp *op = assay_lower_emit (self, ASSAY_OPCODE_START, acc, ASSAY_ROUND_F32,
                                     (AssayLirOperand){ 0 }, bias);

  op->layer = layer;
  op->deferred = deferred;
}

/* A matrix of some columns of another. */
static guint32
take_columns (AssayLower *self, guint32 matrix, guint32 first, guint32 n)
{
  const AssayMatrix *whole = &g_array_index (self->lir->matrices, AssayMatrix, matrix);
  const float *from = assay_tensor_get_data (whole->tensor, NULL, NULL);
  float *values = assay_lower_new_matrix (whole->n_outputs, n);

  for (gsize row = 0; row < whole->n_outputs; row++)
    memcpy (values + row * n, from + row * whole->n_inputs + first, n * sizeof *values);

  return assay_lower_add_matrix (self, whole->n_outputs, n, values);
}

/**
 * assay_lower_emit_product:
 * @self: the lowering
 * @acc: accumulators
 * @layer: 1 + the layer
 * @matrix: the matrix
 * @x: the vector it is multiplied with
 * @deferred: whether it works for the next inference
 *
 * Adds the product of a matrix and a vector to accumulators.
 */
void
assay_lower_emit_product (AssayLower *self, AssayLirId acc, guint32 layer, guint32 matrix,
                          AssayLirOperand x, gboolean deferred)
{
  const AssayConfigValues *config = self->lir->config;
  guint32 n_inputs = g_array_index (self->lir->matrices, AssayMatrix, matrix).n_inputs;
  guint32 most = MAX (config->max_read_size, 1) * config->block_size;
  AssayLirOp *op;

  /* Columns one after another are one chain of the same sum. */
  for (guint32 first = 0; first < n_inputs; first += most)
    {
      guint32 part = n_inputs <= most
                         ? matrix
                         : take_columns (self, matrix, first, MIN (most, n_inputs - first));

      op = assay_lower_emit (self, ASSAY_OPCODE_MATRIX, acc, ASSAY_ROUND_F32, x,
                             (AssayLirOperand){ 0 });
      op->a.block += first / config->block_size;
      op->layer = layer;
      op->matrix = part;
      op->deferred = deferred;
    }
}

/**
 * assay_lower_emit_drain:
 * @self: the lowering
 * @acc: accumulators
 * @lanes: number of values
 *
 * Rounds accumulators to a vector in tensor RAM.
 *
 * Returns: the vector
 */
AssayLirId
assay_lower_emit_drain (AssayLower *self, AssayLirId acc, guint32 lanes)
{
  AssayLirId d = assay_lower_new_vector (self, ASSAY_TENSOR_ACTIVATION, lanes);

  assay_lower_emit (self, ASSAY_OPCODE_MOVE, d, ASSAY_ROUND_BF16, assay_lir_use (acc),
                    (AssayLirOperand){ 0 });

  return d;
}

/**
 * assay_lower_bias:
 * @self: the lowering
 * @n: how many values
 * @values: the values
 *
 * Gets the operand that accumulators start from: in fp32, never rounded.
 *
 * Returns: the operand
 */
AssayLirOperand
assay_lower_bias (AssayLower *self, guint32 n, const float *values)
{
  return (AssayLirOperand){ .kind = ASSAY_LIR_CONSTANT,
                            .exact = TRUE,
                            .id = assay_lir_add_constant (self->lir, n, values) };
}
