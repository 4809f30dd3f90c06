/* assay-lower-private.h
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include "backend/assay-choices.h"
#include "backend/stream/compile/assay-lir.h"
#include "nnir/analysis/assay-analysis.h"

G_BEGIN_DECLS

/* A float in a file, which aligns it to nothing. */
typedef float AssayLooseFloat __attribute__ ((aligned (1)));

/**
 * AssayLowTensor:
 * @rank: number of dimensions
 * @dims: the extents; the axis that became time counts as 1
 * @data_dim: the contiguous axis, or -1 for a scalar
 * @n_vectors: product of the other extents
 * @lanes: extent of the data dimension
 * @vectors: (nullable): the vectors, the other axes row major; %NULL for a constant
 * @constant: (nullable): the elements of a constant
 * @floats: (nullable): the same as floats, once somebody has asked for them
 *
 * A value of the graph as vectors.
 */
typedef struct
{
  guint rank;
  const gint64 *dims;
  int data_dim;
  guint32 n_vectors;
  guint32 lanes;
  AssayLirId *vectors;
  AssayTensor *constant;
  const float *floats;
} AssayLowTensor;

/**
 * AssayLower:
 *
 * What the lowering of one node needs to know.
 */
typedef struct
{
  AssayLir *lir;
  AssayGraph *graph;
  const AssayUses *uses;
  const int *data_dims;
  const int *vanishing;
  gboolean dynamic_weights;
  gboolean fp8;
  gboolean state_reset;
  guint64 cores; /* that the model may use */
  const AssayChoices *choices;
  AssayLowTensor *tensors;
  GPtrArray *floats; /* of constants, which end with the lowering */
  AssayNodeId id;
  const AssayNode *node;
} AssayLower;

/* Lowers the current node; the vectors of its outputs are set. */
typedef gboolean (*AssayLowerFunc) (AssayLower *self, GError **error);

/* Finds where an element of a view comes from; FALSE for a zero. */
typedef gboolean (*AssayViewFunc) (AssayLower *self, gpointer data, const gint64 *index,
                                   guint *input, gint64 *source);

#define LOWER(op, function) gboolean assay_lower_##function (AssayLower *self, GError **error);
#include "backend/stream/compile/assay-lower-ops.def"
#undef LOWER

AssayLowTensor *assay_lower_input (AssayLower *self, guint index);
AssayLowTensor *assay_lower_output (AssayLower *self, guint index);
AssayLirId assay_lower_new_vector (AssayLower *self, AssayTensorKind kind, guint32 lanes);
float *assay_lower_new_matrix (gsize n_outputs, gsize n_inputs) G_GNUC_WARN_UNUSED_RESULT;
guint32 assay_lower_add_matrix (AssayLower *self, guint32 n_outputs, guint32 n_inputs,
                                float *values);
guint32 assay_lower_add_layer (AssayLower *self, guint32 n_units, guint32 unit_blocks);
AssayLirId assay_lower_new_scratch (AssayLower *self, guint32 lanes);
AssayLirOperand assay_lower_operand (AssayLower *self, AssayLowTensor *tensor, AssayLowTensor *out,
                                     guint32 vector);
AssayLirOperand assay_lower_constant (AssayLower *self, AssayLowTensor *tensor,
                                      const AssayLowTensor *out, const gint64 *index);
guint16 assay_lower_home (const AssayLower *self);
gboolean assay_lower_check_computed (AssayLower *self, AssayValueId id, GError **error);
void assay_lower_locate (const AssayLowTensor *tensor, const gint64 *index, guint32 *vector,
                         guint32 *lane);
void assay_lower_index (const AssayLowTensor *tensor, guint32 vector, gint64 *index);
AssayLirOp *assay_lower_emit (AssayLower *self, AssayOpcode opcode, AssayLirId d, AssayRound round,
                              AssayLirOperand a, AssayLirOperand b);
AssayLirOperand assay_lower_shift (AssayLower *self, AssayLirId d, AssayLirOperand source,
                                   guint32 from, guint32 to, guint32 lanes, guint32 clears);
AssayLirId assay_lower_new_accumulator (AssayLower *self, guint32 lanes, guint32 layer,
                                        gboolean persistent);
void assay_lower_emit_start (AssayLower *self, AssayLirId acc, guint32 layer, AssayLirOperand bias,
                             gboolean deferred);
void assay_lower_emit_product (AssayLower *self, AssayLirId acc, guint32 layer, guint32 matrix,
                               AssayLirOperand x, gboolean deferred);
AssayLirId assay_lower_emit_drain (AssayLower *self, AssayLirId acc, guint32 lanes);
AssayLirOperand assay_lower_bias (AssayLower *self, guint32 n, const float *values);
AssayLirOperand assay_lower_exact (float value);
AssayLirId assay_lower_scratch (AssayLower *self, AssayOpcode opcode, guint32 lanes,
                                AssayLirOperand a, AssayLirOperand b);
AssayLirId assay_lower_over_lanes (AssayLower *self, AssayOpcode opcode, AssayLirOperand a,
                                   guint32 lanes, float factor, float offset);
AssayLirId assay_lower_new_window (AssayLower *self, guint32 slots, guint32 lanes,
                                   AssayLirOperand initial);
gboolean assay_lower_is_run_time (AssayDType dtype);
gboolean assay_lower_describe (AssayLower *self, AssayValueId id, GError **error);
gboolean assay_lower_describe_result (AssayLower *self, AssayValueId id, GError **error);
gboolean assay_lower_node (AssayLower *self, AssayNodeId id, GError **error);
gboolean assay_lower_view (AssayLower *self, AssayLowTensor *out, AssayViewFunc find, gpointer data,
                           GError **error);
gboolean assay_lower_floats (AssayTensor *tensor, float **values, gsize *n, GError **error);
const AssayLooseFloat *assay_lower_weights (AssayTensor *tensor, float **own, GError **error);
gboolean assay_lower_axis (AssayLower *self, const AssayLowTensor *tensor, guint *axis,
                           GError **error);
gboolean assay_lower_refuse (AssayLower *self, GError **error, const char *format, ...)
    G_GNUC_PRINTF (3, 4);

G_END_DECLS
