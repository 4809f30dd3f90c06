/* assay-tensor-sheet.h
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include "base/assay-tensor-grid.h"
#include "session/list/assay-row-list.h"

G_BEGIN_DECLS

/* Rows and columns of one page: more would not be read, and pixels of longer lists are not counted
 * right. */
#define ASSAY_SHEET_ROWS 100000
#define ASSAY_SHEET_COLUMNS 32
#define ASSAY_SHEET_HEATS 5

/**
 * AssayTensorForm:
 * @ASSAY_TENSOR_VALUES: what elements are
 * @ASSAY_TENSOR_BITS: how they are stored
 * @ASSAY_TENSOR_BOTH: both
 *
 * How cells are written.
 */
typedef enum
{
  ASSAY_TENSOR_VALUES,
  ASSAY_TENSOR_BITS,
  ASSAY_TENSOR_BOTH,
} AssayTensorForm;

/**
 * AssayTensorLine:
 *
 * A row of a sheet, made when a list asks for it.
 */
#define ASSAY_TYPE_TENSOR_LINE (assay_tensor_line_get_type ())

G_DECLARE_FINAL_TYPE (AssayTensorLine, assay_tensor_line, ASSAY, TENSOR_LINE, GObject)

gsize assay_tensor_line_get_row (AssayTensorLine *self);

/**
 * AssayTensorSheet:
 *
 * A page of a tensor as a list of rows: of one, the rows and columns of a slice; of two, an element
 * per row with both values and their distance. Nothing is read but what is asked for.
 */
#define ASSAY_TYPE_TENSOR_SHEET (assay_tensor_sheet_get_type ())

G_DECLARE_FINAL_TYPE (AssayTensorSheet, assay_tensor_sheet, ASSAY, TENSOR_SHEET, AssayRowList)

AssayTensorSheet *assay_tensor_sheet_new (AssayTensor *tensor, AssayTensor *other,
                                          double step) G_GNUC_WARN_UNUSED_RESULT;
AssayTensorGrid *assay_tensor_sheet_get_grid (AssayTensorSheet *self);
void assay_tensor_sheet_update (AssayTensorSheet *self);
void assay_tensor_sheet_set_form (AssayTensorSheet *self, AssayTensorForm form);
void assay_tensor_sheet_set_heat (AssayTensorSheet *self, double most);
gsize assay_tensor_sheet_get_rows (AssayTensorSheet *self, gsize *first);
gsize assay_tensor_sheet_get_columns (AssayTensorSheet *self, gsize *first);
void assay_tensor_sheet_set_page (AssayTensorSheet *self, gsize first_row, gsize first_column);
guint assay_tensor_sheet_go_to (AssayTensorSheet *self, gsize index);
guint assay_tensor_sheet_count (AssayTensorSheet *self);
guint assay_tensor_sheet_get_chars (AssayTensorSheet *self);
char *assay_tensor_sheet_dup_title (AssayTensorSheet *self, guint column) G_GNUC_WARN_UNUSED_RESULT;
char *assay_tensor_sheet_dup_place (AssayTensorSheet *self, gsize row) G_GNUC_WARN_UNUSED_RESULT;
char *assay_tensor_sheet_dup_cell (AssayTensorSheet *self, gsize row, guint column,
                                   gboolean whole) G_GNUC_WARN_UNUSED_RESULT;
guint assay_tensor_sheet_get_heat (AssayTensorSheet *self, gsize row, guint column);
char *assay_tensor_sheet_to_tsv (AssayTensorSheet *self, const guint *rows,
                                 guint n) G_GNUC_WARN_UNUSED_RESULT;

G_END_DECLS
