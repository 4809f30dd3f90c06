/* assay-nnir.h
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include <glib-object.h>

#include "api/assay-options.h"
#include "api/assay-program-object.h"
#include "backend/assay-config.h"

G_BEGIN_DECLS

#define ASSAY_TYPE_NNIR (assay_nnir_get_type ())

/**
 * AssayNnir:
 *
 * A model as the compiler's graph, with the axes that are chosen to become time. It is never
 * changed: a transform makes a new one.
 */
G_DECLARE_FINAL_TYPE (AssayNnir, assay_nnir, ASSAY, NNIR, GObject)

AssayNnir *assay_nnir_from_onnx (const char *path, const char *const *override_input_shapes,
                                 GError **error) G_GNUC_WARN_UNUSED_RESULT;
AssayNnir *assay_nnir_streaming_transform (AssayNnir *self, const int *axes, gsize n_axes,
                                           int **output_axes, gsize *n_output_axes,
                                           GError **error) G_GNUC_WARN_UNUSED_RESULT;
AssayProgram *assay_nnir_to_program (AssayNnir *self, AssayConfig *config, const char *name,
                                     GError **error) G_GNUC_WARN_UNUSED_RESULT;
AssayProgram *assay_nnir_to_program_full (AssayNnir *self, AssayConfig *config, const char *name,
                                          AssayOptions *options, GCancellable *cancellable,
                                          GError **error) G_GNUC_WARN_UNUSED_RESULT;
GPtrArray *assay_nnir_run_on (AssayNnir *self, const char *runner, AssayTensor *const *inputs,
                              gsize n_inputs, GCancellable *cancellable,
                              GError **error) G_GNUC_WARN_UNUSED_RESULT;
AssayNnir *assay_nnir_open_inputs (AssayNnir *self, const char *const *parts,
                                   AssayTensor *const *tensors, gsize n_tensors,
                                   GError **error) G_GNUC_WARN_UNUSED_RESULT;
GPtrArray *assay_nnir_run_parts_on (AssayNnir *self, const char *runner, AssayTensor *const *inputs,
                                    gsize n_inputs, GCancellable *cancellable, char ***parts,
                                    GError **error) G_GNUC_WARN_UNUSED_RESULT;
char **assay_nnir_input_kinds (AssayNnir *self, guint input_index) G_GNUC_WARN_UNUSED_RESULT;
char **assay_nnir_output_kinds (AssayNnir *self, guint output_index) G_GNUC_WARN_UNUSED_RESULT;
char *assay_nnir_to_text (AssayNnir *self, GError **error) G_GNUC_WARN_UNUSED_RESULT;
guint assay_nnir_num_inputs (AssayNnir *self);
guint assay_nnir_num_outputs (AssayNnir *self);
gint64 *assay_nnir_input_shape (AssayNnir *self, guint input_index,
                                gsize *n_dims) G_GNUC_WARN_UNUSED_RESULT;
gint64 *assay_nnir_output_shape (AssayNnir *self, guint output_index,
                                 gsize *n_dims) G_GNUC_WARN_UNUSED_RESULT;
AssayProgram *assay_program_compile (AssayNnir *nnir, AssayConfig *config, const char *name,
                                     GError **error) G_GNUC_WARN_UNUSED_RESULT;

G_END_DECLS
