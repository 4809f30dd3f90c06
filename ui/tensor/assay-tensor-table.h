/* assay-tensor-table.h
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include <gtk/gtk.h>

#include "session/assay-session.h"

G_BEGIN_DECLS

/**
 * AssayTensorTable:
 *
 * What lies in a store of the chosen core at the playhead; the row, the graph and the map share one
 * selection.
 */
#define ASSAY_TYPE_TENSOR_TABLE (assay_tensor_table_get_type ())

G_DECLARE_FINAL_TYPE (AssayTensorTable, assay_tensor_table, ASSAY, TENSOR_TABLE, GtkWidget)

void assay_tensor_table_set_session (AssayTensorTable *self, AssaySession *session);
void assay_tensor_table_set_store (AssayTensorTable *self, guint store);
GListModel *assay_tensor_table_get_rows (AssayTensorTable *self);
void assay_tensor_table_update_format (AssayTensorTable *self);

G_END_DECLS
