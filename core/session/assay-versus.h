/* assay-versus.h
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include <gio/gio.h>

#include "session/assay-compare-item.h"
#include "session/assay-run.h"

G_BEGIN_DECLS

/**
 * AssayVersus:
 *
 * Holding two runs of the open model against each other, on the inputs that the session has: rows
 * while it goes on, and the verdict of the whole.
 */
#define ASSAY_TYPE_VERSUS (assay_versus_get_type ())

G_DECLARE_FINAL_TYPE (AssayVersus, assay_versus, ASSAY, VERSUS, AssayActivity)

gboolean assay_versus_can_start (AssayVersus *self);
void assay_versus_start (AssayVersus *self);
void assay_versus_set_paused (AssayVersus *self, gboolean paused);
const char *assay_versus_get_runner (AssayVersus *self, guint side);
void assay_versus_set_runner (AssayVersus *self, guint side, const char *runner);
const char *assay_versus_get_tolerance (AssayVersus *self);
void assay_versus_set_tolerance (AssayVersus *self, const char *path);
const AssayComparison *assay_versus_get_comparison (AssayVersus *self);
GListModel *assay_versus_get_rows (AssayVersus *self);

void assay_versus_read_async (AssayVersus *self, const char *name, GAsyncReadyCallback callback,
                              gpointer user_data);
gboolean assay_versus_read_finish (AssayVersus *self, GAsyncResult *result, AssayTensor **a,
                                   AssayTensor **b, GError **error);

G_END_DECLS
