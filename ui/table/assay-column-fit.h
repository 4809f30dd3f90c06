/* assay-column-fit.h
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include <gtk/gtk.h>

G_BEGIN_DECLS

/**
 * AssayColumnPlain:
 * @column: a column
 *
 * Finds out whether all cells of a column are empty or zero, so that it is missed last.
 *
 * Returns: whether they are
 */
typedef gboolean (*AssayColumnPlain) (GtkColumnViewColumn *column);

void assay_column_fit_add (GtkColumnView *view, GtkColumnViewColumn *column, guint rank,
                           AssayColumnPlain plain);
void assay_column_fit_set_wanted (GtkColumnView *view, GtkColumnViewColumn *column,
                                  gboolean wanted);
GtkWidget *assay_column_fit_find_title (GtkColumnView *view, GtkColumnViewColumn *column);
void assay_column_fit_queue (GtkColumnView *view);
GMenuModel *assay_column_fit_get_menu (GtkColumnView *view);

G_END_DECLS
