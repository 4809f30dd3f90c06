/* assay-fix-same.h
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include "fix/assay-fix-suggest.h"

G_BEGIN_DECLS

/**
 * AssayFixRuns:
 *
 * The outputs of a model for random inputs, computed when they are first asked for, so that many
 * fixes of one model are compared with them.
 */
typedef struct _AssayFixRuns AssayFixRuns;

AssayFixRuns *assay_fix_runs_new (AssayGraph *graph,
                                  const AssayFixOptions *options) G_GNUC_WARN_UNUSED_RESULT;
void assay_fix_runs_free (AssayFixRuns *self);
void assay_fix_runs_set_open_size (AssayFixRuns *self, gint64 size);
gboolean assay_fix_runs_compare (AssayFixRuns *self, AssayGraph *graph, AssayFixOffer *offer,
                                 const AssayProgress *progress, GError **error);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (AssayFixRuns, assay_fix_runs_free)

G_END_DECLS
