/* assay-tensor-figures.h
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include <gtk/gtk.h>

#include "base/assay-tensor-summary.h"

G_BEGIN_DECLS

#define ASSAY_TYPE_TENSOR_FIGURES (assay_tensor_figures_get_type ())

/**
 * AssayTensorFigures:
 *
 * Statistics and histogram of a tensor: read in a thread when they are asked for, and that can be
 * stopped. Signal `ready` tells that they are there.
 */
G_DECLARE_FINAL_TYPE (AssayTensorFigures, assay_tensor_figures, ASSAY, TENSOR_FIGURES, GtkWidget)

GtkWidget *assay_tensor_figures_new (AssayTensor *tensor);
void assay_tensor_figures_start (AssayTensorFigures *self);
const AssayTensorSummary *assay_tensor_figures_get_summary (AssayTensorFigures *self);

G_END_DECLS
