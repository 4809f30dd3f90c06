/* assay-text-table.h
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include "text/assay-terminal.h"

G_BEGIN_DECLS

#define ASSAY_TEXT_TABLE_MAX_COLUMNS 12

/**
 * AssayTextTable:
 *
 * Rows of cells that are printed as aligned columns. A cell that is wider than its column may get
 * pushes the rest of its row to the right instead of being cut. Cells are not copied, but the table
 * can take them over.
 */
typedef struct
{
  /*< private >*/
  guint n_columns;
  guint right_aligned;
  guint max_width;
  GPtrArray *cells;
  GByteArray *styles;
  GPtrArray *taken;
} AssayTextTable;

void assay_text_table_init (AssayTextTable *self, guint n_columns, guint max_width);
void assay_text_table_clear (AssayTextTable *self);
void assay_text_table_set_right (AssayTextTable *self, guint column);
void assay_text_table_add (AssayTextTable *self, const char *cell, AssayTextStyle style);
void assay_text_table_take (AssayTextTable *self, char *cell, AssayTextStyle style);
void assay_text_table_take_fact (AssayTextTable *self, const char *name, char *value);
void assay_text_table_print (AssayTextTable *self, GString *text, gboolean colours);

G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (AssayTextTable, assay_text_table_clear)

G_END_DECLS
