/* assay-onnx-outputs.h
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include <gio/gio.h>

G_BEGIN_DECLS

GBytes *assay_onnx_add_outputs (GBytes *model, const char *const *names,
                                gsize n_names) G_GNUC_WARN_UNUSED_RESULT;
GHashTable *assay_onnx_list_results (GBytes *model) G_GNUC_WARN_UNUSED_RESULT;

G_END_DECLS
