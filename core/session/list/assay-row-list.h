/* assay-row-list.h
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include <gio/gio.h>

G_BEGIN_DECLS

/**
 * AssayRowList:
 *
 * A list whose row objects exist only while a view shows them. It knows how many rows there are;
 * those who derive from it know what they say.
 */
#define ASSAY_TYPE_ROW_LIST (assay_row_list_get_type ())

G_DECLARE_DERIVABLE_TYPE (AssayRowList, assay_row_list, ASSAY, ROW_LIST, GObject)

/**
 * AssayRowListClass:
 * @row_type: type of the rows
 * @make_row: makes the row at a position below the length
 *
 * What the lists differ in.
 */
struct _AssayRowListClass
{
  GObjectClass parent_class;

  GType row_type;
  gpointer (*make_row) (AssayRowList *self, guint position);
};

void assay_row_list_replace (AssayRowList *self, guint n_rows);

G_END_DECLS
