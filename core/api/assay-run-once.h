/* assay-run-once.h
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include "run/assay-runner.h"

G_BEGIN_DECLS

GPtrArray *assay_run_once (AssayRunSubject *subject, const char *runner, AssayTensor *const *inputs,
                           gsize n_inputs, GCancellable *cancellable, char ***parts,
                           GError **error) G_GNUC_WARN_UNUSED_RESULT;

G_END_DECLS
