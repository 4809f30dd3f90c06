/* assay-budget.h
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include <gio/gio.h>

G_BEGIN_DECLS

/**
 * AssayBudget:
 *
 * What a run may take that nobody has asked for: time, and memory by which the process may grow. A
 * run that takes more is cancelled.
 */
typedef struct _AssayBudget AssayBudget;

AssayBudget *assay_budget_new (double seconds, gsize n_bytes,
                               GCancellable *cancellable) G_GNUC_WARN_UNUSED_RESULT;
void assay_budget_free (AssayBudget *self);
GCancellable *assay_budget_get_cancellable (AssayBudget *self);
void assay_budget_exceed (AssayBudget *self);
void assay_budget_look (AssayBudget *self);
gboolean assay_budget_check (AssayBudget *self, GError **error);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (AssayBudget, assay_budget_free)

G_END_DECLS
