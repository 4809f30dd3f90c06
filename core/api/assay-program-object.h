/* assay-program-object.h
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include <gio/gio.h>

#include "backend/assay-program.h"
#include "base/assay-dtype.h"

G_BEGIN_DECLS

typedef struct _AssayVm AssayVm;

AssayProgram *assay_program_io_only_test (AssayConfig *config, gsize in_values, gsize out_values,
                                          GError **error) G_GNUC_WARN_UNUSED_RESULT;
AssayProgram *
assay_program_transform_to_io_only_test (AssayProgram *self) G_GNUC_WARN_UNUSED_RESULT;
AssayConfig *assay_program_hw_config (AssayProgram *self) G_GNUC_WARN_UNUSED_RESULT;
guint assay_program_model_num_inputs (AssayProgram *self, guint model_index);
guint assay_program_model_num_outputs (AssayProgram *self, guint model_index);
gint64 *assay_program_model_input_shape (AssayProgram *self, guint model_index, guint input_index,
                                         gsize *n_dims) G_GNUC_WARN_UNUSED_RESULT;
gint64 *assay_program_model_output_shape (AssayProgram *self, guint model_index, guint output_index,
                                          gsize *n_dims) G_GNUC_WARN_UNUSED_RESULT;
int assay_program_model_input_streaming_dim (AssayProgram *self, guint model_index,
                                             guint input_index);
int assay_program_model_output_streaming_dim (AssayProgram *self, guint model_index,
                                              guint output_index);
AssayDType assay_program_model_input_number_format (AssayProgram *self, guint model_index,
                                                    guint input_index);
AssayDType assay_program_model_output_number_format (AssayProgram *self, guint model_index,
                                                     guint output_index);
gboolean assay_program_model_is_resettable (AssayProgram *self, guint model_index);
guint64 assay_program_cycle_count_per_inference (AssayProgram *self, guint model_index,
                                                 gboolean spaced);
gboolean assay_program_cycle_range_per_inference (AssayProgram *self, guint model_index,
                                                  gboolean spaced, guint64 *low, guint64 *high);
void assay_program_cycle_summary_per_inference (AssayProgram *self, guint model_index,
                                                guint64 *last_input, guint64 *first_output,
                                                guint64 *last_output);
gboolean assay_program_count_with_capacities (AssayProgram *self, guint model_index,
                                              guint write_queue_capacity,
                                              guint output_buffer_capacity, guint64 *spaced,
                                              guint64 *contiguous, guint64 *last_input,
                                              guint64 *first_output, guint64 *last_output,
                                              GError **error);
double assay_program_compute_duration_per_inference_us (AssayProgram *self, guint model_index,
                                                        gboolean spaced, guint clock_mhz);
GPtrArray *assay_program_run_on (AssayProgram *self, const char *runner, guint model_index,
                                 AssayTensor *const *inputs, gsize n_inputs,
                                 GCancellable *cancellable,
                                 GError **error) G_GNUC_WARN_UNUSED_RESULT;
AssayVm *assay_program_to_vm (AssayProgram *self, guint write_queue_capacity,
                              guint output_buffer_capacity, gboolean bf16_precision,
                              GError **error) G_GNUC_WARN_UNUSED_RESULT;

G_END_DECLS
