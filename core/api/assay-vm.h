/* assay-vm.h
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include "api/assay-program-object.h"
#include "base/assay-tensor.h"

G_BEGIN_DECLS

#define ASSAY_TYPE_VM (assay_vm_get_type ())

/**
 * AssayVm:
 *
 * The virtual machine with a program in it, and the state that its models keep between inferences.
 * Threads that share it wait for one another.
 */
G_DECLARE_FINAL_TYPE (AssayVm, assay_vm, ASSAY, VM, GObject)

gboolean assay_vm_check_capacities (const AssayQueues *queues, GError **error);
AssayVm *assay_vm_new (AssayProgram *program, guint write_queue_capacity,
                       guint output_buffer_capacity, gboolean bf16_precision,
                       GError **error) G_GNUC_WARN_UNUSED_RESULT;
GPtrArray *assay_vm_run (AssayVm *self, guint model_index, AssayTensor *const *inputs,
                         gsize n_inputs, GError **error) G_GNUC_WARN_UNUSED_RESULT;
float *assay_vm_run_flat (AssayVm *self, guint model_index, const float *values, gsize n_values,
                          gsize *n_results, GError **error) G_GNUC_WARN_UNUSED_RESULT;
GPtrArray *assay_vm_run_timesteps (AssayVm *self, guint model_index, AssayTensor *const *inputs,
                                   gsize n_inputs, const int *input_axes, gsize n_input_axes,
                                   const int *output_axes, gsize n_output_axes,
                                   GError **error) G_GNUC_WARN_UNUSED_RESULT;
float *assay_vm_run_flat_timesteps (AssayVm *self, guint model_index, guint n_timesteps,
                                    const float *values, gsize n_values, gsize *n_results,
                                    GError **error) G_GNUC_WARN_UNUSED_RESULT;
gboolean assay_vm_reset (AssayVm *self, guint model_index, GError **error);
guint64 assay_vm_cycle_count (AssayVm *self);
double assay_vm_compute_duration_us (AssayVm *self, guint clock_mhz);

G_END_DECLS
