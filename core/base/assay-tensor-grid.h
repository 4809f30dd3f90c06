/* assay-tensor-grid.h
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include "base/assay-tensor.h"

G_BEGIN_DECLS

/* Columns in which the elements of a vector go on and on. */
#define ASSAY_GRID_WRAP 8
#define ASSAY_GRID_NONE G_MAXSIZE

/**
 * AssayTensorGrid:
 * @tensor: the tensor
 * @row_axis: the axis that goes down, or -1
 * @column_axis: the axis that goes to the right, or -1
 * @fixed: index along each of the other axes
 * @n_rows: rows of the slice
 * @n_columns: columns of the slice
 *
 * Two dimensions of a tensor at a time: rows and columns of a slice. A vector goes on from row to
 * row.
 */
typedef struct
{
  AssayTensor *tensor;
  int row_axis;
  int column_axis;
  gsize fixed[ASSAY_MAX_RANK];
  gsize n_rows;
  gsize n_columns;
} AssayTensorGrid;

AssayTensorGrid *assay_tensor_grid_new (AssayTensor *tensor) G_GNUC_WARN_UNUSED_RESULT;
void assay_tensor_grid_free (AssayTensorGrid *self);
void assay_tensor_grid_set_axes (AssayTensorGrid *self, int row_axis, int column_axis);
void assay_tensor_grid_set_fixed (AssayTensorGrid *self, guint axis, gsize index);
gsize assay_tensor_grid_get_index (const AssayTensorGrid *self, gsize row, gsize column);
void assay_tensor_grid_go_to (AssayTensorGrid *self, gsize index, gsize *row, gsize *column);
gboolean assay_tensor_grid_parse (const AssayTensorGrid *self, const char *text, gsize *index,
                                  GError **error);
char *assay_tensor_grid_dup_place (const AssayTensorGrid *self,
                                   gsize index) G_GNUC_WARN_UNUSED_RESULT;

G_DEFINE_AUTOPTR_CLEANUP_FUNC (AssayTensorGrid, assay_tensor_grid_free)

G_END_DECLS
