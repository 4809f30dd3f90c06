/* assay-nnir-private.h
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include "api/assay-nnir.h"
#include "work/assay-work.h"

G_BEGIN_DECLS

gboolean assay_nnir_is_whole (AssayNnir *self, GError **error);
AssayWork *assay_nnir_get_work (AssayNnir *self, AssayTarget *target,
                                AssaySettings *settings) G_GNUC_WARN_UNUSED_RESULT;
const char *assay_nnir_get_label (AssayNnir *self);
AssayNnir *assay_nnir_new_for_graph (AssayGraph *graph) G_GNUC_WARN_UNUSED_RESULT;
AssayGraph *assay_nnir_get_imported (AssayNnir *self);
const AssayValue *assay_nnir_find_input (AssayNnir *self, guint input_index);
AssayNnir *assay_nnir_with_inputs (AssayNnir *self, AssayRunInputs *inputs,
                                   GError **error) G_GNUC_WARN_UNUSED_RESULT;
GPtrArray *assay_nnir_run (AssayNnir *self, const char *runner, AssayTensor *const *inputs,
                           gsize n_inputs, GCancellable *cancellable, char ***parts,
                           GError **error) G_GNUC_WARN_UNUSED_RESULT;
const int *assay_nnir_get_streaming_axes (AssayNnir *self, guint *n_axes);

G_END_DECLS
