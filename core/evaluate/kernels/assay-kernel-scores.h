/* assay-kernel-scores.h
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include "evaluate/kernels/assay-kernel-copy.h"

G_BEGIN_DECLS

/**
 * AssayPostTransform:
 *
 * What is done to the scores of a model of ai.onnx.ml, numbered as in TreeEnsemble.
 */
typedef enum
{
  ASSAY_POST_NONE,
  ASSAY_POST_SOFTMAX,
  ASSAY_POST_LOGISTIC,
  ASSAY_POST_SOFTMAX_ZERO,
  ASSAY_POST_PROBIT,
} AssayPostTransform;

gboolean assay_scores_get_transform (AssayKernel *self, AssayPostTransform *transform,
                                     GError **error);
void assay_scores_transform (AssayPostTransform transform, double *scores, gsize n);
guint assay_scores_best (const double *scores, gsize n);
gboolean assay_scores_matrix (AssayKernel *self, gsize *n_rows, gsize *n_columns, GError **error);
AssayDatum *assay_scores_output (AssayKernel *self, guint output, AssayDType dtype, gsize n_rows,
                                 gsize n_columns, GError **error);
AssayDatum *assay_labels_output (AssayKernel *self, const char *strings, gsize n_rows,
                                 GError **error);
guint assay_labels_count (AssayKernel *self, const char *strings, const char *integers);
void assay_labels_set (AssayKernel *self, AssayDatum *labels, gsize row, const char *strings,
                       const char *integers, gint64 class_index);

G_END_DECLS
