/* assay-machine.h
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include "base/assay-progress.h"
#include "backend/stream/machine/assay-stream-code.h"

G_BEGIN_DECLS

/**
 * AssayMachineFlags:
 * @ASSAY_MACHINE_BF16: the contract: tensors are rounded to bf16
 * @ASSAY_MACHINE_FP32: the same program with fp32 storage everywhere
 * @ASSAY_MACHINE_TRUNCATE: inputs are truncated to bf16 instead of rounded
 * @ASSAY_MACHINE_SCALAR: the scalar kernels, for tests
 */
typedef enum
{
  ASSAY_MACHINE_BF16 = 0,
  ASSAY_MACHINE_FP32 = 1 << 0,
  ASSAY_MACHINE_TRUNCATE = 1 << 1,
  ASSAY_MACHINE_SCALAR = 1 << 2,
} AssayMachineFlags;

/**
 * AssayMachine:
 *
 * The virtual machine: the stores of every core, and what runs a program on them. One thread at a
 * time.
 */
typedef struct _AssayMachine AssayMachine;

/**
 * AssayMachineTap:
 * @self: the machine
 * @instruction: the instruction that has just run
 * @user_data: the data given with the function
 * @error: return location for a #GError
 *
 * Called behind every instruction that is not deferred to the next inference; may read the stores
 * and write to them.
 *
 * Returns: whether to go on
 */
typedef gboolean (*AssayMachineTap) (AssayMachine *self, const AssayInstruction *instruction,
                                     gpointer user_data, GError **error);

AssayMachine *assay_machine_new (AssayStreamCode *code, AssayMachineFlags flags,
                                 GError **error) G_GNUC_WARN_UNUSED_RESULT;
void assay_machine_free (AssayMachine *self);
void assay_machine_set_threads (AssayMachine *self, guint n_threads);
void assay_machine_reset (AssayMachine *self, guint model);
gboolean assay_machine_run (AssayMachine *self, guint model, const float *const *inputs,
                            float *const *outputs, const AssayProgress *progress, GError **error);
void assay_machine_set_tap (AssayMachine *self, AssayMachineTap tap, gpointer user_data);
float *assay_machine_locate (AssayMachine *self, guint core, const AssayOperand *operand);
void assay_machine_round (AssayMachine *self, const AssayInstruction *instruction, float *values,
                          gsize n);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (AssayMachine, assay_machine_free)

G_END_DECLS
