/* assay-machine.h
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include "base/assay-progress.h"
#include "machine/assay-program.h"

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
 * The virtual machine: the stores of every core, and what runs a program on them. One thread at a time.
 */
typedef struct _AssayMachine AssayMachine;

AssayMachine *assay_machine_new   (AssayCode            *code,
                                   AssayMachineFlags     flags,
                                   GError              **error) G_GNUC_WARN_UNUSED_RESULT;
void          assay_machine_free  (AssayMachine         *self);
void          assay_machine_reset (AssayMachine         *self,
                                   guint                 model);
gboolean      assay_machine_run   (AssayMachine         *self,
                                   guint                 model,
                                   const float *const   *inputs,
                                   float *const         *outputs,
                                   const AssayProgress  *progress,
                                   GError              **error);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (AssayMachine, assay_machine_free)

G_END_DECLS
