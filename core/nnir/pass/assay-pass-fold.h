/* assay-pass-fold.h
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include "base/assay-tensor.h"
#include "nnir/assay-op.h"

G_BEGIN_DECLS

/**
 * AssayFoldPart:
 * @tensor: where the elements come from
 * @offset: element of the source that the first element of the result reads
 * @strides: (array length=rank): step in the source for one step along each dimension of the result
 *
 * How one input of a folded node is read.
 */
typedef struct
{
  AssayTensor *tensor;
  gint64 offset;
  gssize strides[ASSAY_MAX_RANK];
} AssayFoldPart;

/**
 * AssayFoldPlan:
 * @op: the operation; Concat, Cast, an elementwise one, or Identity for all that only move elements
 * @axis: dimension along which the parts of Concat stand behind each other
 * @n_parts: number of inputs
 * @parts: the inputs
 *
 * All that is needed to compute a folded constant later, when the graph may be gone.
 */
typedef struct
{
  AssayOp op;
  guint axis;
  guint n_parts;
  AssayFoldPart *parts;
} AssayFoldPlan;

AssayFoldPlan *assay_fold_plan_new (AssayOp op, guint n_parts) G_GNUC_WARN_UNUSED_RESULT;
void assay_fold_plan_free (AssayFoldPlan *self);
gboolean assay_fold_can_map (AssayOp op, guint n_inputs, AssayDType from, AssayDType to);
GBytes *assay_fold_plan_run (AssayTensor *result, gpointer plan,
                             GError **error) G_GNUC_WARN_UNUSED_RESULT;

G_DEFINE_AUTOPTR_CLEANUP_FUNC (AssayFoldPlan, assay_fold_plan_free)

void assay_fold_put_float (guint8 *data, AssayDType dtype, gsize index, double value);

G_END_DECLS
