/* assay-columns.h
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include <gtk/gtk.h>

G_BEGIN_DECLS

/**
 * AssayCellMark:
 * @icon: name of an icon
 * @style: (nullable): class of its colour
 *
 * What stands before the text of a cell, so that rows can be told apart at a glance.
 */
typedef struct
{
  const char *icon;
  const char *style;
} AssayCellMark;

/**
 * AssayColumn:
 * @title: title of the column
 * @number: whether its cells are numbers, which stand at the right in tabular figures
 * @expand: whether it takes room that is left, and is cut in its middle where there is none: names
 * differ at both ends
 * @mark: (nullable): finds what stands before the text of a cell
 * @rank: how soon it gives way where there is no room: 0 stays, of the others the greatest goes
 * first
 *
 * A column of a table.
 */
typedef struct
{
  const char *title;
  gboolean number;
  gboolean expand;
  const AssayCellMark *(*mark) (gpointer item);
  guint rank;
} AssayColumn;

/**
 * AssayColumnsText:
 * @item: a row
 * @column: a column
 *
 * Writes a cell.
 *
 * Returns: (transfer full): its text
 */
typedef char *(*AssayColumnsText) (gpointer item, guint column);

/**
 * AssayColumnsCompare:
 * @a: a row
 * @b: another one
 * @column: what decides
 *
 * Compares two rows.
 *
 * Returns: as qsort() wants it
 */
typedef int (*AssayColumnsCompare) (gpointer a, gpointer b, guint column);

GtkColumnViewColumn *assay_columns_add (GtkColumnView *view, const AssayColumn *column, guint index,
                                        AssayColumnsText text, AssayColumnsCompare compare);
GtkSingleSelection *assay_columns_set_rows (GtkColumnView *view,
                                            GListModel *rows) G_GNUC_WARN_UNUSED_RESULT;
gboolean assay_columns_selects_other (GtkSingleSelection *selection);
char *assay_columns_to_text (GtkColumnView *view, gboolean csv) G_GNUC_WARN_UNUSED_RESULT;
void assay_columns_copy (GtkColumnView *view);
void assay_columns_save (GtkColumnView *view, const char *path);

G_END_DECLS
