/* assay-recurrent.h
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include "evaluate/assay-kernel.h"

G_BEGIN_DECLS

#define ASSAY_RECURRENT_GATES 4

/**
 * AssayActivation:
 * @func: computes it
 * @alpha: its first parameter
 * @beta: its second parameter
 *
 * An activation function of a recurrent operator.
 */
typedef struct
{
  double (*func) (double x, double alpha, double beta);
  double alpha;
  double beta;
} AssayActivation;

/**
 * AssayRecurrent:
 * @op: RNN, GRU or LSTM
 * @n_gates: gates of the operator
 * @hidden: size of the state
 * @clip: bound of what activations see, infinite if there is none
 * @f: activation of the gates
 * @g: activation of the candidate
 * @h: activation of the cell, of LSTM only
 * @input_forget: whether the forget gate is one minus the input gate
 * @linear_before_reset: whether the reset gate comes behind the product
 * @bias: (array length=n_gates * hidden): sum of the biases, but for the gate that
 * linear_before_reset keeps apart
 * @reset_bias: (array length=hidden): bias of the state in the candidate of GRU
 * @peephole: (array length=3 * hidden) (nullable): weights of the cell, in the order input, output,
 * forget
 *
 * One direction of a recurrent operator.
 */
typedef struct
{
  AssayOp op;
  guint n_gates;
  gsize hidden;
  double clip;
  AssayActivation f;
  AssayActivation g;
  AssayActivation h;
  gboolean input_forget;
  gboolean linear_before_reset;
  double *bias;
  double *reset_bias;
  double *peephole;
} AssayRecurrent;

gboolean assay_recurrent_activations (AssayKernel *kernel, guint direction, guint n_directions,
                                      AssayRecurrent *self, GError **error);
void assay_recurrent_reset (const AssayRecurrent *self, const double *x, const double *product,
                            const double *state, double *reset);
void assay_recurrent_step (const AssayRecurrent *self, const double *x, const double *product,
                           double *state, double *cell);

G_END_DECLS
