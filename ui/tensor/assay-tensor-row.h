/* assay-tensor-row.h
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include <gtk/gtk.h>

#include "ui/tensor/assay-tensor-sheet.h"

G_BEGIN_DECLS

#define ASSAY_TYPE_TENSOR_ROW (assay_tensor_row_get_type ())

/**
 * AssayTensorRow:
 *
 * One row of a page of a tensor, or the heads of its columns, as one widget that draws its cells.
 */
G_DECLARE_FINAL_TYPE (AssayTensorRow, assay_tensor_row, ASSAY, TENSOR_ROW, GtkWidget)

GtkWidget *assay_tensor_row_new (AssayTensorRow *head) G_GNUC_WARN_UNUSED_RESULT;
void assay_tensor_row_set_sheet (AssayTensorRow *self, AssayTensorSheet *sheet,
                                 GtkAdjustment *adjustment);
void assay_tensor_row_bind (AssayTensorRow *self, AssayTensorLine *line);

G_END_DECLS
