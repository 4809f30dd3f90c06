/* assay-metrics-object.h
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include "api/assay-program-object.h"

G_BEGIN_DECLS

#define ASSAY_TYPE_METRICS (assay_metrics_get_type ())

/**
 * AssayMetrics:
 *
 * What a program uses of its hardware: depths hold for every core, uses have one entry per core.
 * Use of a store is the number of its blocks from address 0 to the highest one that the program
 * touches.
 */
G_DECLARE_FINAL_TYPE (AssayMetrics, assay_metrics, ASSAY, METRICS, GObject)

AssayMetrics *assay_program_metrics (AssayProgram *self) G_GNUC_WARN_UNUSED_RESULT;
guint assay_metrics_get_clamp_store_depth (AssayMetrics *self);
guint *assay_metrics_get_clamp_store_used (AssayMetrics *self,
                                           gsize *n_cores) G_GNUC_WARN_UNUSED_RESULT;
guint assay_metrics_get_tensor_ram_depth (AssayMetrics *self);
guint *assay_metrics_get_tensor_ram_used (AssayMetrics *self,
                                          gsize *n_cores) G_GNUC_WARN_UNUSED_RESULT;
guint assay_metrics_get_weight_store_depth (AssayMetrics *self);
guint *assay_metrics_get_weight_store_used (AssayMetrics *self,
                                            gsize *n_cores) G_GNUC_WARN_UNUSED_RESULT;
guint assay_metrics_get_accum_store_depth (AssayMetrics *self);
guint *assay_metrics_get_accum_store_used (AssayMetrics *self,
                                           gsize *n_cores) G_GNUC_WARN_UNUSED_RESULT;
guint assay_metrics_get_cell_state_depth (AssayMetrics *self);
guint *assay_metrics_get_cell_state_used (AssayMetrics *self,
                                          gsize *n_cores) G_GNUC_WARN_UNUSED_RESULT;
guint assay_metrics_get_tensor_descriptor_count (AssayMetrics *self);
guint *assay_metrics_get_tensor_descriptor_used (AssayMetrics *self,
                                                 gsize *n_cores) G_GNUC_WARN_UNUSED_RESULT;
guint *assay_metrics_get_num_instrs (AssayMetrics *self, gsize *n_cores) G_GNUC_WARN_UNUSED_RESULT;
guint64 *assay_metrics_get_num_micro_instrs (AssayMetrics *self,
                                             gsize *n_cores) G_GNUC_WARN_UNUSED_RESULT;
guint64 *assay_metrics_get_input_bytes (AssayMetrics *self,
                                        gsize *n_models) G_GNUC_WARN_UNUSED_RESULT;
guint64 *assay_metrics_get_output_bytes (AssayMetrics *self,
                                         gsize *n_models) G_GNUC_WARN_UNUSED_RESULT;
char **assay_metrics_get_model_names (AssayMetrics *self) G_GNUC_WARN_UNUSED_RESULT;

G_END_DECLS
