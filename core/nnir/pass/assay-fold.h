/* assay-fold.h
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include "nnir/assay-dims.h"
#include "nnir/shape/assay-infer-private.h"

G_BEGIN_DECLS

/**
 * AssayFoldFunc:
 * @self: the context of one node, the types of whose outputs are inferred
 *
 * Computes what can be known of the elements of the outputs of a node.
 */
typedef void (*AssayFoldFunc) (AssayShapeContext *self);

AssayElements *assay_fold_output (AssayShapeContext *self, guint output);
void assay_fold_set (AssayShapeContext *self, guint output, AssayElements *elements);
AssayScalar assay_fold_round (AssayDType dtype, AssayScalar scalar);

void assay_fold_unary (AssayShapeContext *self);
void assay_fold_binary (AssayShapeContext *self);
void assay_fold_where (AssayShapeContext *self);
void assay_fold_reduce (AssayShapeContext *self);
void assay_fold_cast (AssayShapeContext *self);
void assay_fold_shape (AssayShapeContext *self);
void assay_fold_sequence_length (AssayShapeContext *self);
void assay_fold_size (AssayShapeContext *self);
void assay_fold_range (AssayShapeContext *self);
void assay_fold_constant (AssayShapeContext *self);
void assay_fold_constant_of_shape (AssayShapeContext *self);
void assay_fold_same_elements (AssayShapeContext *self);
void assay_fold_transpose (AssayShapeContext *self);
void assay_fold_concat (AssayShapeContext *self);
void assay_fold_split (AssayShapeContext *self);
void assay_fold_slice (AssayShapeContext *self);
void assay_fold_gather (AssayShapeContext *self);
void assay_fold_expand (AssayShapeContext *self);
void assay_fold_tile (AssayShapeContext *self);
void assay_fold_scatter_nd (AssayShapeContext *self);
void assay_fold_non_zero (AssayShapeContext *self);
void assay_fold_if (AssayShapeContext *self);

G_END_DECLS
